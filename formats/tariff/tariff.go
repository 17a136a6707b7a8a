// Package tariff reads and writes prices of power, or the carbon of a grid, by time, as tables of comma-separated values (RFC 4180):
//
//	time,value
//	2026-03-01T00:00Z,0.0812
//	2026-03-01T01:00Z,0.0775
//
// A time is a date in ISO 8601, in UTC where it states no offset, or a number of seconds. Each value holds until the next time. All times are the same step apart, an hour,
// half an hour or another: a value that is missing or stands twice is an error, and so are values in another order. The last value holds for one step.
//
// The hourly export of Electricity Maps is recognised by its first row. Its column of the life cycle is read or, if asked for, that of direct emissions, in g/kWh; the files
// before 2025 call the first LCA.
//
// A table is no instance, so the package is none of package formats. [Series.Steps] makes of it what an instance states.
package tariff

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// Kind is what values say.
type Kind string

// The kinds.
const (
	Unstated Kind = ""       // the table does not say what its values are
	Carbon   Kind = "carbon" // g/kWh
)

// Series is values by time.
type Series struct {
	Kind   Kind
	Zone   string  // of the grid; empty: not stated
	Dated  bool    // Begin is a Unix time; otherwise it counts from a time that the table does not state
	Begin  float64 // when the first value begins to hold, in seconds
	Every  float64 // seconds for which each value holds
	Values []float64
}

// Options say how to read a table.
type Options struct {
	Direct bool // of an export of Electricity Maps, read direct emissions in place of the life cycle
}

// Limits of what is read.
const (
	mostValues = 1 << 20 // as many steps as are measured of a tariff
	mostTime   = 1e12    // s
)

// Read reads a table. The error is a [*model.InputError], which lists what is wrong line by line. Memory grows with the values, of which there may be 2²⁰; a row longer than
// 1 MiB is an error.
func Read(r io.Reader, name string, opt Options) (*Series, error) {
	r, faults := lines.Begin(r, name)
	t := &table{opt: opt, faults: faults, time: -1, value: -1, zone: -1}
	t.faults.Rows(r, t.header, t.row)
	if t.faults.None() && len(t.series.Values) < 2 {
		t.faults.At("", "expected at least two values, which say how long each holds; found %d", len(t.series.Values))
	}
	if err := t.faults.Err(); err != nil {
		return nil, err
	}
	return &t.series, nil
}

// table is a file being read.
type table struct {
	opt               Options
	faults            *lines.Faults
	time, value, zone int // columns; −1: none
	series            Series
	last              float64 // time of the row before
}

// header finds the columns.
func (t *table) header(line int, cells []string) bool {
	names := make([]string, len(cells))
	for k, cell := range cells {
		names[k] = strings.ToLower(strings.TrimSpace(cell))
	}
	if t.exported(names) {
		return true
	}
	for _, column := range []struct {
		name string
		at   *int
	}{{"time", &t.time}, {"value", &t.value}} {
		if *column.at = slices.Index(names, column.name); *column.at < 0 {
			t.faults.Line(line, "expected the columns time and value, or those of an export of Electricity Maps; found no column %s", column.name)
			return false
		}
	}
	if len(names) > 2 {
		t.faults.Line(line, "expected the columns time and value alone, found %d columns", len(names))
		return false
	}
	if t.opt.Direct {
		t.faults.Line(line, "direct emissions: expected an export of Electricity Maps, found a table of time and value")
		return false
	}
	return true
}

// exported finds the columns of an export of Electricity Maps.
func (t *table) exported(names []string) bool {
	t.time = slices.Index(names, "datetime (utc)")
	for k, name := range names {
		if !strings.HasPrefix(name, "carbon intensity") {
			continue
		}
		direct := strings.Contains(name, "direct")
		if direct == t.opt.Direct && (direct || strings.Contains(name, "life cycle") || strings.Contains(name, "lca")) {
			t.value = k
		}
	}
	t.zone = slices.Index(names, "zone id")
	if t.time < 0 || t.value < 0 {
		return false
	}
	t.series.Kind = Carbon
	return true
}

// row reads a value.
func (t *table) row(line int, cells []string) bool {
	at, dated, ok := readTime(strings.TrimSpace(cells[t.time]))
	if !ok {
		t.faults.Line(line, "time: expected a date such as 2026-03-01T14:30Z, or seconds; found %s", lines.Quote(cells[t.time]))
		return false
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(cells[t.value]), 64)
	if err != nil || math.IsNaN(value) || math.Abs(value) > model.Largest {
		t.faults.Line(line, "value: expected a number, found %s", lines.Quote(cells[t.value]))
		value = 0
	}
	if t.zone >= 0 {
		if zone := lines.Name(strings.TrimSpace(cells[t.zone])); len(t.series.Values) == 0 {
			t.series.Zone = strings.Clone(zone)
		} else if zone != t.series.Zone {
			t.faults.Line(line, "expected one zone, %s, found also %s", lines.Quote(t.series.Zone), lines.Quote(zone))
			return false
		}
	}
	if !t.follows(line, at, dated) {
		return false
	}
	t.last = at
	t.series.Values = append(t.series.Values, value)
	return !t.faults.Full()
}

// follows checks that a time is the next one.
func (t *table) follows(line int, at float64, dated bool) bool {
	s := &t.series
	switch n := len(s.Values); {
	case n == 0:
		s.Begin, s.Dated = at, dated
	case dated != s.Dated:
		t.faults.Line(line, "time: expected dates alone or seconds alone, found both")
		return false
	case at <= t.last:
		t.faults.Line(line, "time: expected one after %s, that of the row before, found %s", s.text(t.last), s.text(at))
		return false
	case n == 1:
		s.Every = at - s.Begin
	case math.Abs(at-(s.Begin+float64(n)*s.Every)) > 1e-6*s.Every:
		t.faults.Line(line, "time: expected %s, because the values before are %v s apart; found %s", s.text(s.Begin+float64(n)*s.Every), s.Every, s.text(at))
		return false
	case n == mostValues:
		t.faults.Line(line, "expected at most %d values, found more", mostValues)
		return false
	}
	return true
}

// layouts are those of dates, with an offset and without.
var layouts = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
}

// readTime reads a date or seconds.
func readTime(text string) (seconds float64, dated, ok bool) {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x, false, math.Abs(x) <= mostTime
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			x := float64(at.Unix()) + float64(at.Nanosecond())/1e9
			return x, true, math.Abs(x) <= mostTime
		}
	}
	return 0, false, false
}

// text writes a time as the table does.
func (s *Series) text(at float64) string {
	if !s.Dated {
		return strconv.FormatFloat(at, 'f', -1, 64)
	}
	return time.Unix(int64(math.Floor(at)), 0).UTC().Format("2006-01-02T15:04:05Z")
}

// End is when the last value ends to hold, in seconds.
func (s *Series) End() float64 { return s.Begin + float64(len(s.Values))*s.Every }

// Steps are the values from the time zero of an instance on, whose unit is that many seconds: zero is a Unix time where the series is dated, otherwise seconds of the series.
// The value that holds at zero stands there. Neighbours of equal value are one step. They are not for a period: after [Series.End] the last value holds for ever, so a
// caller limits what counts to it.
//
// The error is a [*model.InputError] if the series begins after zero or ends before it.
func (s *Series) Steps(zero, unit float64) ([]model.Step, error) {
	if !(unit > 0) || zero < s.Begin || zero >= s.End() {
		return nil, &model.InputError{Faults: []model.Fault{{Message: fmt.Sprintf("expected values at time 0 of the instance, %s; found values from %s to %s",
			s.text(zero), s.text(s.Begin), s.text(s.End()))}}}
	}
	var steps []model.Step
	for k, value := range s.Values {
		at := s.Begin + float64(k)*s.Every - zero
		switch n := len(steps); {
		case at <= 0:
			steps = append(steps[:0], model.Step{Value: value})
		case value != steps[n-1].Value:
			steps = append(steps, model.Step{Time: at / unit, Value: value})
		}
	}
	return steps, nil
}

// Write writes a series as a table of time and value. [Read] reads it again.
func Write(w io.Writer, s *Series) error {
	if _, err := io.WriteString(w, "time,value\n"); err != nil {
		return err
	}
	for k, value := range s.Values {
		at := s.text(s.Begin + float64(k)*s.Every)
		if _, err := fmt.Fprintf(w, "%s,%s\n", at, strconv.FormatFloat(value, 'f', -1, 64)); err != nil {
			return err
		}
	}
	return nil
}

// Pairs are steps as an instance file states them.
func Pairs(steps []model.Step) [][]float64 {
	pairs := make([][]float64, len(steps))
	for k, s := range steps {
		pairs[k] = []float64{s.Time, s.Value}
	}
	return pairs
}
