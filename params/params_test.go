package params

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// base has parameters that others share.
type base struct {
	Kill bool `doc:"end early"`
}

// sample has a parameter of each kind.
type sample struct {
	base
	MaxSteps int      `range:"[1, 1000000]" doc:"steps"`
	Limit    int64    `range:"[0, inf)" zero:"all" doc:"most"`
	Share    float64  `range:"(0, 1]" doc:"a share"`
	Small    float64  `doc:"any number"`
	Weight   *float64 `range:"[0, 1]" zero:"by the jobs" doc:"a weight"`
	Coding   kind     `enum:"mask,list" doc:"a code"`
	Text     string   `doc:"any text"`
	hidden   int
}

type kind string

// registered is a text whose values grow.
type registered string

var names = []string{"one"}

func (registered) Values() []string { return names }

func newSample() *sample {
	return &sample{MaxSteps: 1000000, Share: 0.5, Small: 1e-6, Coding: "list", hidden: 1}
}

// Check refuses the share 1 together with a mask.
func (s *sample) Check() error {
	if s.Coding == "mask" && s.Share == 1 {
		return &Error{Name: "share", Expected: "below 1 with masks", Found: s.Share}
	}
	return nil
}

// pair is two samples.
type pair struct{ first, second *sample }

func (p pair) Parts() []Part { return []Part{{"a", p.first}, {"b", p.second}} }

// Of reads the defaults from the value that it is given.
func TestOfReadsTheDefaultsFromTheValue(t *testing.T) {
	var got []string
	for _, p := range Of(newSample()) {
		got = append(got, fmt.Sprintf("%s %s %s %v %v | %s", p.Name, p.Type, p.Default, p.Values, p.Range, p.Usage()))
	}
	want := []string{
		"kill bool false [] <nil> | end early",
		"max_steps int 1000000 [] [1, 1000000] | steps; from 1 to 1000000",
		"limit int64 all [] [0, inf) | most; at least 0",
		"share float64 0.5 [] (0, 1] | a share; above 0 and at most 1",
		"small float64 1e-6 [] <nil> | any number",
		"weight float64 by the jobs [] [0, 1] | a weight; from 0 to 1",
		"coding string list [mask list] <nil> | a code",
		"text string  [] <nil> | any text",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("found\n%q\nexpected\n%q", got, want)
	}
	set := newSample()
	set.Limit, set.Weight = 7, new(0.25)
	if p := Of(set); p[2].Default != "7" || p[5].Default != "0.25" {
		t.Errorf("defaults %s and %s, expected 7 and 0.25", p[2].Default, p[5].Default)
	}
}

// The values of a type that lists them are those that it lists at the time.
func TestListedValues(t *testing.T) {
	s := &struct {
		Choice registered `doc:"a name"`
	}{"one"}
	want := `parameter choice: expected one of one, found "two"`
	if err := Set(s, "choice", "two"); err == nil || err.Error() != want {
		t.Errorf("%v, expected %s", err, want)
	}
	names = append(names, "two")
	if err := Set(s, "choice", "two"); err != nil || s.Choice != "two" {
		t.Errorf("%v, and the choice is %s", err, s.Choice)
	}
	if p := Of(s); !reflect.DeepEqual(p[0].Values, []string{"one", "two"}) {
		t.Errorf("values %v", p[0].Values)
	}
	if s.Choice = "three"; Check(s) == nil {
		t.Error("a value that is not listed is right")
	}
}

// A solution states what differs from the defaults, a zero as well as any other value.
func TestStated(t *testing.T) {
	s := newSample()
	if stated := Stated(s, newSample()); len(stated) > 0 {
		t.Errorf("a new one states %v", stated)
	}
	s.MaxSteps, s.Small, s.Weight, s.Coding, s.Kill = 3, 0, new(0.0), "mask", true
	want := map[string]any{"max_steps": 3.0, "small": 0.0, "weight": 0.0, "coding": "mask", "kill": true}
	if got := Stated(s, newSample()); !reflect.DeepEqual(got, want) {
		t.Errorf("stated %v, expected %v", got, want)
	}
	composite := pair{newSample(), s}
	if got := fmt.Sprint(Stated(composite, pair{newSample(), newSample()})); got != "map[b.coding:mask b.kill:true b.max_steps:3 b.small:0 b.weight:0]" {
		t.Errorf("stated %v", got)
	}
	if got := Stated(s, struct{}{}); len(got) != 5 || got["share"] != 0.5 {
		t.Errorf("without defaults: stated %v, expected all that is not zero", got)
	}
}

// Set refuses what the tags do not allow, and then leaves the field as it was.
func TestSet(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"max_steps", "0", "parameter max_steps: expected a whole number from 1 to 1000000, found 0"},
		{"max_steps", "1e308", `parameter max_steps: expected a whole number from 1 to 1000000, found "1e308"`},
		{"limit", "-1", "parameter limit: expected a whole number of at least 0, found -1"},
		{"share", "0", "parameter share: expected a number above 0 and at most 1, found 0"},
		{"share", "NaN", "parameter share: expected a number above 0 and at most 1, found NaN"},
		{"small", "Inf", "parameter small: expected a finite number, found +Inf"},
		{"weight", "2", "parameter weight: expected a number from 0 to 1, found 2"},
		{"weight", "", `parameter weight: expected a number from 0 to 1, found ""`},
		{"coding", "lsit", `parameter coding: expected one of mask, list, found "lsit"; did you mean "list"?`},
		{"coding", "tree", `parameter coding: expected one of mask, list, found "tree"`},
		{"kill", "maybe", `parameter kill: expected true or false, found "maybe"`},
		{"hidden", "1", `unknown parameter "hidden": expected one of kill, max_steps, limit, share, small, weight, coding, text`},
	} {
		s := newSample()
		if err := Set(s, c.name, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s=%s: %v, expected %s", c.name, c.text, err, c.want)
		}
		if !reflect.DeepEqual(s, newSample()) {
			t.Errorf("%s=%s: refused, but set: %+v", c.name, c.text, s)
		}
	}
	if err := Set(newSample(), "steps", "1"); err == nil {
		t.Error("the end of a name sets max_steps")
	}
	p := pair{newSample(), newSample()}
	if err := errors.Join(Set(p, "a.share", "0.25"), Set(p, "weight", "0"), Set(p, "kill", "true")); err != nil {
		t.Fatal(err)
	}
	if p.first.Share != 0.25 || p.second.Share != 0.5 || *p.first.Weight != 0 || *p.second.Weight != 0 || !p.second.Kill {
		t.Errorf("%+v and %+v", p.first, p.second)
	}
	if err := Set(p, "b.share", "3"); err == nil || err.Error() != "parameter b.share: expected a number above 0 and at most 1, found 3" {
		t.Errorf("%v", err)
	}
	if err := Set(struct{ X int }{}, "x", "1"); err == nil {
		t.Error("a struct that is no pointer is set")
	}
	if err := Set(&struct{}{}, "x", "1"); err == nil || err.Error() != `unknown parameter "x": there are none` {
		t.Errorf("%v", err)
	}
}

// numbers has numbers of other sizes, and fields that are no parameters.
type numbers struct {
	Count  uint          `range:"[1, 200]" doc:"a count"`
	Byte   uint8         `doc:"a byte"`
	Small  *int16        `range:"[-3, 3]" doc:"a small number"`
	Short  float32       `range:"[0, 1]" doc:"a share"`
	Wait   time.Duration `doc:"nanoseconds"`
	Log    func(string)
	Sizes  []int
	Inner  struct{ A int }
	Nested *sample
	Any    any
}

// Numbers of every size are parameters with their ranges; what no text can set is none, so that a solution never has to state it.
func TestNumbersOfEverySize(t *testing.T) {
	fresh := func() *numbers { return &numbers{Count: 1, Short: 0.1, Log: func(string) {}, Sizes: []int{1}} }
	var names []string
	for _, p := range Of(fresh()) {
		names = append(names, p.Name+" "+p.Type+" "+p.Default)
	}
	if want := []string{"count uint 1", "byte uint8 0", "small int16 none", "short float32 0.1", "wait int64 0"}; !reflect.DeepEqual(names, want) {
		t.Errorf("parameters %q, expected %q", names, want)
	}
	n := fresh()
	for name, text := range map[string]string{"count": "200", "byte": "255", "small": "-3", "short": "0.5", "wait": "7"} {
		if err := Set(n, name, text); err != nil {
			t.Error(err)
		}
	}
	want := map[string]any{"count": 200.0, "byte": 255.0, "small": -3.0, "short": 0.5, "wait": 7.0}
	if got := Stated(n, fresh()); !reflect.DeepEqual(got, want) {
		t.Errorf("stated %v, expected %v", got, want)
	}
	for _, c := range []struct{ name, text, want string }{
		{"count", "0", "parameter count: expected a whole number from 1 to 200, found 0"},
		{"count", "-1", `parameter count: expected a whole number from 1 to 200, found "-1"`},
		{"byte", "256", `parameter byte: expected a whole number from 0 to 255, found "256"`},
		{"small", "4", "parameter small: expected a whole number from -3 to 3, found 4"},
		{"wait", "1s", `parameter wait: expected a whole number from -9223372036854775808 to 9223372036854775807, found "1s"`},
		{"short", "1.5", "parameter short: expected a number from 0 to 1, found 1.5"},
		{"log", "x", `unknown parameter "log": expected one of count, byte, small, short, wait`},
	} {
		if err := Set(fresh(), c.name, c.text); err == nil || err.Error() != c.want {
			t.Errorf("%s=%s: %v, expected %s", c.name, c.text, err, c.want)
		}
	}
	n.Count = 0
	if err := Check(n); err == nil || err.Error() != "parameter count: expected a whole number from 1 to 200, found 0" {
		t.Errorf("Check: %v", err)
	}
}

// A word of capitals is one word.
func TestSnakeCase(t *testing.T) {
	for name, want := range map[string]string{"MaxSteps": "max_steps", "Q": "q", "WorkCv": "work_cv", "MaxCPU": "max_cpu", "CPUTime": "cpu_time", "MIPGap": "mip_gap", "X2Y": "x2_y"} {
		if got := snakeCase(name); got != want {
			t.Errorf("%s is %s, expected %s", name, got, want)
		}
	}
}

// Check goes through the parts of a composite, and names the part.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		set  func(*sample)
		want string
	}{
		{func(*sample) {}, "<nil>"},
		{func(s *sample) { s.MaxSteps = 0 }, "parameter b.max_steps: expected a whole number from 1 to 1000000, found 0"},
		{func(s *sample) { s.Small = math.NaN() }, "parameter b.small: expected a finite number, found NaN"},
		{func(s *sample) { s.Weight = new(-0.5) }, "parameter b.weight: expected a number from 0 to 1, found -0.5"},
		{func(s *sample) { s.Coding = "" }, `parameter b.coding: expected one of mask, list, found ""`},
		{func(s *sample) { s.Coding, s.Share = "mask", 1 }, "parameter b.share: expected below 1 with masks, found 1"},
	} {
		s := newSample()
		c.set(s)
		if got := fmt.Sprint(Check(pair{newSample(), s})); got != c.want {
			t.Errorf("%s, expected %s", got, c.want)
		}
	}
}

// An interval survives being written and read again, and Contains agrees with its ends.
func TestRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.SampledFrom([]float64{math.Inf(-1), -1e18, -2, 0, 1, 0.5, 1e-6}).Draw(t, "low")
		high := rapid.SampledFrom([]float64{1, 2.5, 16777216, 1e12, math.Inf(1)}).Draw(t, "high")
		r := &Range{low, high, rapid.Bool().Draw(t, "open low") || math.IsInf(low, -1), rapid.Bool().Draw(t, "open high") || math.IsInf(high, 1)}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var again Range
		if err := json.Unmarshal(text, &again); err != nil || again != *r {
			t.Fatalf("%+v is written %s and read %+v: %v", *r, text, again, err)
		}
		x := rapid.SampledFrom([]float64{low, high, 0, 0.75, -3, 1e13, math.NaN()}).Draw(t, "x")
		want := (x > low || x == low && !r.OpenLow) && (x < high || x == high && !r.OpenHigh)
		if r.Contains(x) != want {
			t.Fatalf("%v in %s: %t", x, text, !want)
		}
	})
	for _, text := range []string{"", "1", "[1]", "[1, 2", "1, 2]", "[2, 1]", "[NaN, 1]", "[a, b]"} {
		if err := new(Range).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
