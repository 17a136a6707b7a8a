package tune

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// Space is what may be changed of a choice: some of its parameters, each within limits.
type Space struct {
	base       solve.Choice
	text       string
	slurm      *Slurm      // whose settings are tuned; nil: none
	Dimensions []Dimension // a parameter comes after the one that makes it matter
}

// The kinds of dimensions.
const (
	categorical = "categorical"
	integer     = "integer"
	Real        = "real"
)

// Dimension is a parameter that is varied.
type Dimension struct {
	Name    string       `json:"name"`
	Kind    string       `json:"kind" enum:"categorical,integer,real"`
	Values  []string     `json:"values,omitempty"` // of a categorical one
	Low     float64      `json:"low"`              // of a number
	High    float64      `json:"high"`
	Log     bool         `json:"log,omitempty"`
	Step    float64      `json:"step,omitempty"` // only multiples of it are tried; 0: any number
	When    *params.When `json:"when,omitempty"` // another dimension decides whether it matters; nil: it always matters
	Default string       `json:"default"`

	unit float64 // of a setting of slurm.conf: seconds, or whatever it counts, of one of Slurm's units; 0: of none
}

// sensible is a number near x that an administrator can defend: two digits, of which the second is 0 or 5, in Slurm's units; of minutes whole hours, from half a day on steps of six hours, and
// from two days on whole days.
func (d *Dimension) sensible(x float64) float64 {
	const minute, hour, day = 60, 60, 24 * 60
	steps := func(x float64) float64 {
		if x < 10 {
			return math.Round(x)
		}
		step := 5 * math.Pow(10, math.Floor(math.Log10(x))-1)
		return math.Round(x/step) * step
	}
	units := x / d.unit
	switch {
	case d.unit == 0:
		return x
	case d.unit != minute || units < hour:
		return steps(units) * d.unit
	case units < day/2:
		return math.Round(units/hour) * hour * d.unit
	case units < 2*day:
		return math.Round(units/(6*hour)) * 6 * hour * d.unit
	}
	return steps(units/day) * day * d.unit
}

// Config is a value of each dimension, as text; empty: it does not matter beside the other values.
type Config []string

// key tells configurations apart.
func (c Config) key() string { return strings.Join(c, "\x00") }

// NewSpace makes the space of a choice, as [solve.Choose] reads it. Each text of vary is one parameter:
//
//	name           as its tags say: the values of an enumeration, or the interval of the tag `vary`
//	name=a,b,c     these values
//	name=1..64     this interval, and the scale of the tag; name=1..64:log or :linear says which scale
//
// Without such texts all parameters are varied whose tags say how, but those that the choice sets. A parameter that the choice sets may be varied too: its value is then the
// one that it has as it stands.
func NewSpace(text string, vary []string) (*Space, error) {
	base, err := solve.Choose(text)
	if err != nil {
		return nil, err
	}
	s := &Space{base: base, text: text}
	known := params.Of(base.Solver)
	if len(vary) == 0 {
		for k := range known {
			if d, ok := tagged(&known[k]); ok && !s.fixed(d.Name) {
				s.Dimensions = append(s.Dimensions, d)
			}
		}
		if len(s.Dimensions) == 0 {
			return nil, fmt.Errorf("expected parameters of %s that can be varied, found none", base.Info.Name)
		}
	}
	for _, v := range vary {
		d, err := s.dimension(known, v)
		if err != nil {
			return nil, err
		}
		s.Dimensions = append(s.Dimensions, d)
	}
	return s, s.settleConditions(known, len(vary) > 0)
}

// fixed reports whether the text of the choice sets the parameter.
func (s *Space) fixed(name string) bool {
	for given := range s.base.Given {
		if given == name || strings.HasSuffix(given, "."+name) || strings.HasSuffix(name, "."+given) {
			return true
		}
	}
	return false
}

// tagged is the dimension that the tags of a parameter describe.
func tagged(p *params.Parameter) (Dimension, bool) {
	d := Dimension{Name: p.Name, Default: p.Default, When: p.When}
	switch {
	case p.Type == "bool":
		d.Kind, d.Values = categorical, []string{"false", "true"}
	case len(p.Values) > 1:
		d.Kind, d.Values = categorical, slices.Clone(p.Values)
	case p.Vary != nil:
		d.Kind, d.Low, d.High, d.Log, d.Step = numberKind(p), p.Vary.Low, p.Vary.High, p.Vary.Log, p.Vary.Step
	default:
		return d, false
	}
	return d, true
}

// numberKind is the kind of a parameter that is a number.
func numberKind(p *params.Parameter) string {
	if strings.HasPrefix(p.Type, "float") {
		return Real
	}
	return integer
}

// dimension reads one text of vary.
func (s *Space) dimension(known []params.Parameter, text string) (Dimension, error) {
	name, limits, limited := strings.Cut(text, "=")
	at := slices.IndexFunc(known, func(p params.Parameter) bool { return p.Name == name })
	if at < 0 {
		names := kit.Each(known, func(p params.Parameter) string { return p.Name })
		return Dimension{}, fmt.Errorf("%s: expected a parameter of %s, one of %s; found %q%s", text, s.base.Info.Name, strings.Join(names, ", "), name, suggest.Words(name, names))
	}
	p := &known[at]
	if slices.ContainsFunc(s.Dimensions, func(d Dimension) bool { return d.Name == name }) {
		return Dimension{}, fmt.Errorf("%s: expected each parameter once, found %s twice", text, name)
	}
	d, ok := tagged(p)
	if !limited {
		if !ok {
			return d, fmt.Errorf("%s: expected an interval or values, such as %s=1..64 or %s=1,2,4: nothing says where to look for this parameter", text, name, name)
		}
		return d, nil
	}
	low, high, interval := strings.Cut(limits, "..")
	if !interval || d.Kind == categorical {
		d.Kind, d.Values, d.Low, d.High, d.Log = categorical, strings.Split(limits, ","), 0, 0, false
		d.Step = 0
		if len(d.Values) < 2 {
			return d, fmt.Errorf("%s: expected at least two values, found %d", text, len(d.Values))
		}
		for k, value := range d.Values {
			if err := s.try(name, value); err != nil {
				return d, fmt.Errorf("%s: %w", text, err)
			}
			if slices.Contains(d.Values[:k], value) {
				return d, fmt.Errorf("%s: expected values that differ, found %s twice", text, value)
			}
		}
		return d, nil
	}
	high, scale, scaled := strings.Cut(high, ":")
	if d.Kind = numberKind(p); p.Type == "string" {
		return d, fmt.Errorf("%s: expected values of a text, such as %s=a,b; found an interval", text, name)
	}
	if scaled {
		if scale != "log" && scale != "linear" {
			return d, fmt.Errorf("%s: expected the scale log or linear, found %q", text, scale)
		}
		d.Log = scale == "log"
	}
	var errLow, errHigh error
	d.Low, errLow = strconv.ParseFloat(low, 64)
	d.High, errHigh = strconv.ParseFloat(high, 64)
	if errLow != nil || errHigh != nil || !(d.Low < d.High) || math.IsInf(d.High-d.Low, 0) {
		return d, fmt.Errorf("%s: expected two numbers, the smaller first, such as %s=1..64", text, name)
	}
	if d.Log && d.Low <= 0 {
		if scaled {
			return d, fmt.Errorf("%s: expected an interval above 0 for a logarithmic scale, found %s", text, low)
		}
		d.Log = false
	}
	if d.Kind == integer && (d.Low != math.Trunc(d.Low) || d.High != math.Trunc(d.High)) {
		return d, fmt.Errorf("%s: expected whole numbers, found %s..%s", text, low, high)
	}
	if d.Step > 0 && (math.Mod(d.Low, d.Step) != 0 || math.Mod(d.High, d.Step) != 0) {
		d.Step = 0
	}
	for _, end := range []float64{d.Low, d.High} {
		if err := s.try(name, d.number(end)); err != nil {
			return d, fmt.Errorf("%s: %w", text, err)
		}
	}
	return d, nil
}

// try says why a value of a parameter is refused.
func (s *Space) try(name, value string) error {
	if strings.ContainsAny(value, ":") {
		return fmt.Errorf("parameter %s: expected a value without colon, found %q", name, value)
	}
	trial, err := solve.Choose(s.text)
	if err != nil {
		return err
	}
	return trial.Set(name, value)
}

// settleConditions drops the conditions that always hold and puts the dimensions in an order in which each comes after the one that it depends on. A dimension that can never
// matter is an error if the user named it, else it is dropped.
func (s *Space) settleConditions(known []params.Parameter, named bool) error {
	var kept []Dimension
	for _, d := range s.Dimensions {
		possible := d.When == nil
		if d.When != nil {
			values := []string{}
			if on := slices.IndexFunc(s.Dimensions, func(o Dimension) bool { return o.Name == d.When.Name }); on >= 0 {
				values = s.Dimensions[on].Values
			} else if at := slices.IndexFunc(known, func(p params.Parameter) bool { return p.Name == d.When.Name }); at >= 0 {
				values = []string{known[at].Default}
			}
			holds := kit.That(values, d.When.Holds)
			if possible = len(holds) > 0; len(holds) == len(values) {
				d.When = nil
			}
		}
		switch {
		case possible:
			kept = append(kept, d)
		case named:
			return fmt.Errorf("%s: it matters only where %s is %s; set that, or vary it too", d.Name, d.When.Name, strings.Join(d.When.Values, " or "))
		}
	}
	depth := func(d Dimension) int {
		n := 0
		for d.When != nil && n <= len(kept) {
			on := slices.IndexFunc(kept, func(o Dimension) bool { return o.Name == d.When.Name })
			if on < 0 {
				break
			}
			d, n = kept[on], n+1
		}
		return n
	}
	slices.SortStableFunc(kept, func(a, b Dimension) int { return cmp.Compare(depth(a), depth(b)) })
	s.Dimensions = kept
	return nil
}

// matters reports whether the dimension at k matters beside the values of those before it.
func (s *Space) matters(c Config, k int) bool {
	when := s.Dimensions[k].When
	if when == nil {
		return true
	}
	on := slices.IndexFunc(s.Dimensions, func(d Dimension) bool { return d.Name == when.Name })
	return c[on] != "" && when.Holds(c[on])
}

// Default is the configuration of the choice as it stands.
func (s *Space) Default() Config {
	c := make(Config, len(s.Dimensions))
	for k := range s.Dimensions {
		if s.matters(c, k) {
			c[k] = s.Dimensions[k].Default
		}
	}
	return c
}

// Choice is the choice with the values of a configuration. Its label can be pasted wherever a solver is named. Values that are those of the choice as it stands are not set.
// A combination that the solver refuses is an error.
func (s *Space) Choice(c Config) (*solve.Choice, error) {
	choice, err := solve.Choose(s.text)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	for k, d := range s.Dimensions {
		if c[k] != "" && c[k] != d.Default {
			set[d.Name] = c[k]
		}
	}
	if err := choice.SetAll(set); err != nil {
		return nil, err
	}
	if err := params.Check(choice.Solver); err != nil {
		return nil, err
	}
	choice.Label = text(&choice)
	return &choice, nil
}

// text is a choice as [solve.Choose] reads it, with its parameters in the order of their names.
func text(c *solve.Choice) string {
	stages := strings.Split(c.Info.Name, "+")
	if len(stages) == 1 || solve.External(c.Info.Name) {
		return stated(c.Info.Name, c.Given)
	}
	for k, name := range stages {
		own := map[string]string{}
		for given, value := range c.Given {
			if rest, ok := strings.CutPrefix(given, name+"."); ok {
				own[rest] = value
			}
		}
		stages[k] = stated(name, own)
	}
	return strings.Join(stages, "+")
}

// stated is a name with parameters.
func stated(name string, given map[string]string) string {
	for _, parameter := range slices.Sorted(maps.Keys(given)) {
		name += ":" + parameter + "=" + given[parameter]
	}
	return name
}

// number formats a number of the dimension: whole ones as they are, others to four digits, so that an answer is short, and as a multiple of the step.
func (d *Dimension) number(x float64) string {
	if d.Kind == integer {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64) // a number that was just written
	if d.Step > 0 {
		rounded = math.Round(rounded/d.Step) * d.Step
	}
	text := strconv.FormatFloat(min(d.High, max(d.Low, rounded)), 'f', -1, 64)
	if len(text) > 12 {
		text = strings.Replace(strconv.FormatFloat(min(d.High, max(d.Low, rounded)), 'g', -1, 64), "e+", "e", 1)
	}
	return text
}

// at is the value at a place of the scale, from 0 to 1.
func (d *Dimension) at(place float64) string {
	low, high := d.Low, d.High
	if d.Kind == integer {
		high++ // each whole number has a part of the scale
	}
	x := low + place*(high-low)
	if d.Log {
		x = low * math.Pow(high/low, place)
	}
	if d.Kind == integer {
		x = math.Floor(x)
	}
	return d.number(min(d.High, max(d.Low, d.sensible(x))))
}

// place is where a value lies on the scale, from 0 to 1; a value outside counts as the nearest end. False: the text is no number.
func (d *Dimension) place(value string) (float64, bool) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, false
	}
	low, high := d.Low, d.High
	if d.Kind == integer {
		high, x = high+1, x+0.5
	}
	place := (x - low) / (high - low)
	if d.Log {
		place = math.Log(max(x, low)/low) / math.Log(high/low)
	}
	return min(1, max(0, place)), true
}
