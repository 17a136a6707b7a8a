//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"

	"golang.org/x/perf/benchunit"
)

// target is a figure that the project wants to reach.
type target struct {
	Issue     int      `json:"issue"`     // the issue that asks for it
	Package   string   `json:"package"`   // the package's path within the module
	Benchmark string   `json:"benchmark"` // its name without "Benchmark"; *, ? and [...] within an element, as in path.Match
	Unit      string   `json:"unit"`
	AtMost    *float64 `json:"at_most,omitempty"` // exactly one of AtMost and AtLeast is set, in the unit
	AtLeast   *float64 `json:"at_least,omitempty"`
	Target    string   `json:"target"` // in words
}

// readTargets reads the targets strictly and converts them to base units.
func readTargets(file string) ([]target, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var top struct {
		Thresholds []json.RawMessage `json:"thresholds"`
	}
	if err := strict(text, &top); err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", position(file, text, err), err)}
	}
	targets := make([]target, len(top.Thresholds))
	var faults []error
	for k, raw := range top.Thresholds {
		t := &targets[k]
		if err := strict(raw, t); err != nil {
			faults = append(faults, fmt.Errorf("%s: thresholds[%d]: %w", file, k, err))
			continue
		}
		if err := t.check(); err != nil {
			faults = append(faults, fmt.Errorf("%s: thresholds[%d].%w", file, k, err))
			continue
		}
		unit := t.Unit
		for _, limit := range []*float64{t.AtMost, t.AtLeast} {
			if limit != nil {
				*limit, t.Unit = benchunit.Tidy(*limit, unit)
			}
		}
	}
	if len(faults) > 0 {
		return nil, usageError{errors.Join(faults...)}
	}
	return targets, nil
}

// strict decodes JSON that must have no unknown fields.
func strict(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("expected one JSON value, found more behind it")
	}
	return nil
}

// position returns file:line of a syntax error, or only the file.
func position(file string, text []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return file
	}
	return fmt.Sprintf("%s:%d", file, 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n")))
}

// check returns an error for a field that is missing or wrong. The error begins with the name of the field.
func (t *target) check() error {
	for _, field := range [][2]string{{"package", t.Package}, {"benchmark", t.Benchmark}, {"unit", t.Unit}, {"target", t.Target}} {
		if field[1] == "" {
			return fmt.Errorf("%s: expected a text, found none", field[0])
		}
	}
	if t.Issue <= 0 {
		return fmt.Errorf("issue: expected a positive number, found %d", t.Issue)
	}
	if (t.AtMost == nil) == (t.AtLeast == nil) {
		return errors.New("at_most: expected exactly one of at_most and at_least")
	}
	if _, err := path.Match(t.Benchmark, ""); err != nil {
		return fmt.Errorf("benchmark: %q: %w", t.Benchmark, err)
	}
	return nil
}

// covers reports whether the target is for this benchmark.
func (t *target) covers(which id) bool {
	if t.Package != which.pkg {
		return false
	}
	matched, _ := path.Match(t.Benchmark, which.name) // check has accepted the pattern
	return matched
}

// met reports whether a value reaches the target.
func (t *target) met(value float64) bool {
	if t.AtMost != nil {
		return value <= *t.AtMost
	}
	return value >= *t.AtLeast
}

// limit formats the target as a formula.
func (t *target) limit() string {
	if t.AtMost != nil {
		return "≤ " + number(*t.AtMost, t.Unit)
	}
	return "≥ " + number(*t.AtLeast, t.Unit)
}

// better returns +1 if more is better, −1 if less is.
func (t *target) better() int {
	if t.AtMost != nil {
		return -1
	}
	return +1
}
