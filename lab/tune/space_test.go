package tune

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// A text of --vary that cannot be meant is refused, and the message says what was expected.
func TestVaryIsRead(t *testing.T) {
	for _, c := range []struct{ solver, vary, want string }{
		{"titen", "swap", `did you mean "titan"?`},
		{"titan", "swop", `did you mean "swap"?`},
		{"titan", "swap swap", "expected each parameter once"},
		{"easy", "step", "nothing says where to look"},
		{"titan", "population=10", "expected at least two values"},
		{"titan", "population=10,x", "parameter population"},
		{"titan", "population=10,10", "found 10 twice"},
		{"titan", "population=9..4", "the smaller first"},
		{"titan", "population=4..NaN", "the smaller first"},
		{"titan", "population=1.5..4", "expected whole numbers"},
		{"titan", "population=0..4", "parameter population: expected a whole number from 1"},
		{"titan", "swap=0..1:log", "expected an interval above 0"},
		{"titan", "swap=0.1..1:cubic", "expected the scale log or linear"},
		{"titan", "coding=list", "expected at least two values"},
		{"titan", "coding=list,mist", "expected one of mask, list"},
		{"auto", "", "expected parameters of auto that can be varied, found none"},
	} {
		_, err := NewSpace(c.solver, strings.Fields(c.vary))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, expected %q", c.solver, c.vary, err, c.want)
		}
	}
}

// The tags give the space where the user says nothing, and the user's words narrow it.
func TestSpaceOfTags(t *testing.T) {
	s, err := NewSpace("titan:patience=5", nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range s.Dimensions {
		names = append(names, d.Name)
	}
	if want := []string{"coding", "population", "generations", "crossover", "swap", "move"}; !slices.Equal(names, want) {
		t.Errorf("dimensions %q, expected %q", names, want)
	}
	s, err = NewSpace("titan", []string{"population=8..32", "swap=0..0.5", "coding"})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Dimensions[0]; d.Kind != integer || d.Low != 8 || d.High != 32 || !d.Log || d.Default != "50" {
		t.Errorf("%+v", d)
	}
	if c, err := s.Choice(s.Default()); err != nil || c.Label != "titan" {
		t.Errorf("the choice as it stands is %v, %v", c, err)
	}
	if c, err := s.Choice(Config{"8", "0.25", "list"}); err != nil || c.Label != "titan:coding=list:population=8:swap=0.25" {
		t.Errorf("%v, %v", c, err)
	}
}

// What matters only beside a value of another parameter has no value beside others, stands behind it, and is left out where it can never matter.
func TestConditions(t *testing.T) {
	dependent := Dimension{Name: "bound_wait", Kind: integer, Low: 1, High: 9, Default: "none", When: &params.When{Name: "order", Values: []string{"sjf", "ljf"}}}
	s := &Space{text: "easy", Dimensions: []Dimension{dependent, {Name: "order", Kind: categorical, Values: []string{"fcfs", "sjf"}, Default: "fcfs"}}}
	if err := s.settleConditions(nil, true); err != nil || s.Dimensions[0].Name != "order" || s.Dimensions[1].When == nil {
		t.Fatalf("%+v, %v", s.Dimensions, err)
	}
	if c := s.Default(); !slices.Equal(c, Config{"fcfs", ""}) {
		t.Errorf("the choice as it stands is %q", c)
	}
	drawn := map[string]int{}
	for p := newSampler(s, 1); ; {
		c := p.anywhere()
		if c == nil {
			break
		}
		if drawn[c.config[0]]++; (c.config[1] != "") != (c.config[0] == "sjf") {
			t.Errorf("drawn: %q", c.config)
		}
	}
	if drawn["fcfs"] != 1 || drawn["sjf"] != 9 {
		t.Errorf("drawn %v, expected the one without bound_wait and the nine with it", drawn)
	}
	for _, named := range []bool{true, false} {
		s := &Space{text: "easy", Dimensions: []Dimension{dependent}}
		err := s.settleConditions([]params.Parameter{{Name: "order", Default: "fcfs"}}, named)
		if (err != nil) != named || len(s.Dimensions) > 0 && !named {
			t.Errorf("named %v: %v, %+v", named, err, s.Dimensions)
		}
	}
	s = &Space{text: "easy", Dimensions: []Dimension{dependent}}
	if err := s.settleConditions([]params.Parameter{{Name: "order", Default: "ljf"}}, true); err != nil || s.Dimensions[0].When != nil {
		t.Errorf("beside ljf it always matters: %+v, %v", s.Dimensions, err)
	}
}

// A drawn configuration lies in the limits, is unlike all before, can be pasted, and means the same when it is read again.
func TestSamplesLieInTheSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := NewSpace("titan", []string{"population=2..9:" + rapid.SampledFrom([]string{"log", "linear"}).Draw(t, "scale"), "swap=0.001..0.9:log", "move", "coding"})
		if err != nil {
			t.Fatal(err)
		}
		p := newSampler(s, rapid.Uint64().Draw(t, "seed"))
		parent, err := p.standing()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{parent.choice.Label: true}
		for range rapid.IntRange(1, 60).Draw(t, "draws") {
			c := p.around(parent, rapid.SampledFrom([]float64{0.5, 0.1, 1e-3}).Draw(t, "deviation"))
			if rapid.Bool().Draw(t, "anywhere") || c == nil {
				c = p.anywhere()
			}
			if c == nil {
				return
			}
			for k, d := range s.Dimensions {
				if d.Kind == categorical {
					if !slices.Contains(d.Values, c.config[k]) {
						t.Fatalf("%s=%s", d.Name, c.config[k])
					}
					continue
				}
				x, err := strconv.ParseFloat(c.config[k], 64)
				if err != nil || x < d.Low || x > d.High {
					t.Fatalf("%s=%s, expected a number from %v to %v", d.Name, c.config[k], d.Low, d.High)
				}
				if place, ok := d.place(c.config[k]); !ok || d.at(min(place, 0.999999)) != c.config[k] && d.Kind == integer {
					t.Fatalf("%s=%s lies at %v, where %s is", d.Name, c.config[k], place, d.at(place))
				}
			}
			again, err := solve.Choose(c.choice.Label)
			if err != nil || text(&again) != c.choice.Label || seen[c.choice.Label] {
				t.Fatalf("%s: %v, reads as %s", c.choice.Label, err, text(&again))
			}
			seen[c.choice.Label] = true
			c.lean(s, rapid.Float64Range(0, 0.9).Draw(t, "share"))
			for k := range c.odds {
				sum := 0.0
				for _, p := range c.odds[k] {
					sum += p
				}
				if len(c.odds[k]) > 0 && (sum < 1-1e-9 || sum > 1+1e-9) {
					t.Fatalf("odds %v", c.odds[k])
				}
			}
			parent = c
		}
	})
}

// A parameter that begins to matter has the value of the choice as it stands; one that no longer matters has none.
func TestChanged(t *testing.T) {
	s := &Space{Dimensions: []Dimension{
		{Name: "order", Kind: categorical, Values: []string{"fcfs", "sjf"}, Default: "fcfs"},
		{Name: "bound_wait", Kind: integer, Low: 1, High: 9, Default: "4", When: &params.When{Name: "order", Values: []string{"sjf"}}},
	}}
	for _, c := range []struct {
		from Config
		k    int
		to   string
		want Config
	}{
		{Config{"fcfs", ""}, 0, "sjf", Config{"sjf", "4"}},
		{Config{"fcfs", ""}, 1, "7", Config{"fcfs", ""}},
		{Config{"sjf", "4"}, 1, "7", Config{"sjf", "7"}},
		{Config{"sjf", "7"}, 0, "fcfs", Config{"fcfs", ""}},
		{Config{"sjf", "7"}, 1, "", Config{"sjf", "7"}},
	} {
		if got := s.changed(c.from, c.k, c.to); !slices.Equal(got, c.want) {
			t.Errorf("%q with %d %q is %q, expected %q", c.from, c.k, c.to, got, c.want)
		}
	}
}

// A parameter that the choice sets can be varied: it begins at its value.
func TestFixedIsWhereItBegins(t *testing.T) {
	s, err := NewSpace("easy:order=sjf:depth=3", []string{"order=fcfs,sjf"})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Default(); !slices.Equal(got, Config{"sjf"}) {
		t.Errorf("begins at %q", got)
	}
	for value, want := range map[string]string{"sjf": "easy:depth=3:order=sjf", "fcfs": "easy:depth=3:order=fcfs"} {
		if c, err := s.Choice(Config{value}); err != nil || c.Label != want {
			t.Errorf("%s: %v, %v; expected %s", value, c, err, want)
		}
	}
}

// Numbers of a dimension with a step are multiples of it within the interval, wherever they are drawn.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Dimension{Name: "x", Kind: Real, Step: rapid.SampledFrom([]float64{1, 60, 3600}).Draw(t, "step"), Log: rapid.Bool().Draw(t, "log")}
		d.Low = d.Step * float64(rapid.IntRange(1, 100).Draw(t, "low"))
		d.High = d.Low + d.Step*float64(rapid.IntRange(1, 1_000_000).Draw(t, "width"))
		text := d.at(rapid.Float64Range(0, 1).Draw(t, "place"))
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Mod(x, d.Step) != 0 || x < d.Low || x > d.High {
			t.Fatalf("%+v: drew %s, %v", d, text, err)
		}
	})
}
