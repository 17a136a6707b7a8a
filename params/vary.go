package params

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Vary is a closed interval of numbers in which a search for good values of a parameter looks. As text it is written as in the tag `vary`.
type Vary struct {
	Low, High float64
	Log       bool    // the scale is logarithmic: 1 and 10 are as far apart as 10 and 100
	Step      float64 // only multiples of it are tried, such as whole minutes of a number of seconds; 0: any number
}

// When says that a parameter matters only where another one has one of the values.
type When struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Holds reports whether the other parameter has one of the values.
func (w *When) Holds(value string) bool { return slices.Contains(w.Values, value) }

// UnmarshalText reads an interval, its scale and its step.
func (v *Vary) UnmarshalText(text []byte) error {
	interval, stepText, stepped := strings.Cut(string(text), " step ")
	interval, log := strings.CutSuffix(interval, " log")
	var r Range
	if err := r.UnmarshalText([]byte(interval)); err != nil {
		return err
	}
	if r.OpenLow || r.OpenHigh || math.IsInf(r.Low, 0) || math.IsInf(r.High, 0) {
		return fmt.Errorf(`expected a closed interval such as "[1, 64]", found %q`, interval)
	}
	if log && r.Low <= 0 {
		return fmt.Errorf("expected an interval above 0 for a logarithmic scale, found %q", interval)
	}
	step := 0.0
	if stepped {
		var err error
		if step, err = strconv.ParseFloat(stepText, 64); err != nil || !(step > 0) || math.Mod(r.Low, step) != 0 || math.Mod(r.High, step) != 0 {
			return fmt.Errorf("expected a step above 0 of which both ends are multiples, found %q", stepText)
		}
	}
	*v = Vary{r.Low, r.High, log, step}
	return nil
}

// MarshalText writes the interval in the form that UnmarshalText reads.
func (v *Vary) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// String formats the interval as in the tag `vary`.
func (v *Vary) String() string {
	text := (&Range{Low: v.Low, High: v.High}).String()
	if v.Log {
		text += " log"
	}
	if v.Step > 0 {
		text += " step " + number(v.Step)
	}
	return text
}
