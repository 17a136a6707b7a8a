package question

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/allot-opt/allot/lab/forecast"
)

// A positive time is a limit, however short.
func TestShortestTime(t *testing.T) {
	for seconds, want := range map[Seconds]time.Duration{0: 0, 1e-300: 1, 1e-9: 1, 0.2: 200 * time.Millisecond, 0.3: 300 * time.Millisecond, 1e300: mostSeconds * time.Second} {
		if got := seconds.Duration(); got != want {
			t.Errorf("%v s: %v, want %v", seconds, got, want)
		}
	}
}

// One declaration gives the words of the command and those of a request.
func TestWordsOfAField(t *testing.T) {
	type asked struct {
		Rolling Seconds    `json:"rolling_time,omitempty" check:"positive" doc:"with --rolling-threshold: stop after 'DURATION', as allot compare --time does, in the user's unit" absent:"no limit"`
		Evals   int64      `json:"evaluations" flag:"evals" check:"counter" doc:"at most 'N'"`
		Hidden  bool       `json:"hidden" flag:"-"`
		Own     string     `json:"-"`
		Count   int        `json:"count" check:"count"`
		Share   *float64   `json:"share" check:"nonnegative"`
		Any     float64    `json:"any"`
		Param   Parameters `json:"param" doc:"with --any"`
		Names   Names      `json:"names" doc:"with --count-all"`
		Above   float64    `json:"above" check:"(0,0.9]"`
		Between float64    `json:"between" check:"(0,1)"`
		From    int        `json:"from" check:"[100,1000]"`
		Long    *Seconds   `json:"long" check:"[1,)"`
		More    *int       `json:"more" check:"(20,)"`
	}
	fields := FieldsOf(reflect.TypeFor[asked]())
	if len(fields) != 13 {
		t.Fatalf("%d fields: %+v", len(fields), fields)
	}
	f := &fields[0]
	if f.Flag != "rolling-time" || fields[1].Flag != "evals" || fields[2].Flag != "" {
		t.Errorf("flags %q, %q, %q", f.Flag, fields[1].Flag, fields[2].Flag)
	}
	if got, want := f.Usage(), "with --rolling-threshold: stop after `DURATION`, as allot compare --time does, in the user's unit"; got != want {
		t.Errorf("usage %q, expected %q", got, want)
	}
	if got, want := f.Description(), "with rolling_threshold: stop after DURATION, as allot compare --time does, in the user's unit; a number of seconds; absent: no limit"; got != want {
		t.Errorf("description %q, expected %q", got, want)
	}
	for k, want := range map[int]string{1: "at most N", 6: "with any; here an object: name → a text, a number, true or false", 7: "with count_all; a list"} {
		if got := fields[k].Description(); got != want {
			t.Errorf("description %q, expected %q", got, want)
		}
	}
	for _, c := range []struct {
		f    *Field
		x    float64
		want string
	}{{f, 1, ""}, {f, 0, "expected a duration > 0, found 0s"}, {f, -1.5, "expected a duration > 0, found -1.5s"}, {&fields[1], 0, ""}, {&fields[1], -1, "expected a number ≥ 0, found -1"},
		{&fields[3], 1, ""}, {&fields[3], 0, "expected a number ≥ 1, found 0"}, {&fields[4], 0, ""}, {&fields[4], -0.5, "expected a number ≥ 0, found -0.5"}, {&fields[4], math.NaN(), "expected a number ≥ 0, found NaN"}, {&fields[5], -1, ""},
		{&fields[8], 0.9, ""}, {&fields[8], 0, "expected a number above 0 and at most 0.9, found 0"}, {&fields[8], 0.91, "expected a number above 0 and at most 0.9, found 0.91"},
		{&fields[9], 0.5, ""}, {&fields[9], 0, "expected a number between 0 and 1, both excluded, found 0"}, {&fields[9], 1, "expected a number between 0 and 1, both excluded, found 1"},
		{&fields[9], math.NaN(), "expected a number between 0 and 1, both excluded, found NaN"},
		{&fields[10], 100, ""}, {&fields[10], 1000, ""}, {&fields[10], 99, "expected a number from 100 to 1000, found 99"}, {&fields[10], 1001, "expected a number from 100 to 1000, found 1001"},
		{&fields[11], 1, ""}, {&fields[11], 0.5, "expected a duration ≥ 1s, found 500ms"}, {&fields[12], 20.5, ""}, {&fields[12], 20, "expected a number > 20, found 20"}} {
		if got := c.f.Wrong(c.x); got != c.want {
			t.Errorf("%s %v: %q, expected %q", c.f.Name, c.x, got, c.want)
		}
	}
}

// What is absent is as it usually is, and what is given is kept.
func TestSettingsOfForecasts(t *testing.T) {
	var s Simulate
	s.SetDefaults()
	if got, want := s.Sampling(), (forecast.Sampling{Samples: 1000, From: 0.1, To: 1}); got != want {
		t.Errorf("sampling %+v, expected %+v", got, want)
	}
	if got, want := s.Options(3), forecast.Defaults(); got.Workers != 3 || got.Runs != want.Runs || got.Arrivals != want.Arrivals || got.Seed != 1 || got.Day != want.Day {
		t.Errorf("options %+v, expected %+v", got, want)
	}
	s.Samples, s.From, s.To = new(7), new(0.25), new(0.5)
	s.Runs, s.Least, s.Recent, s.Trials, s.Independent, s.Arrivals, s.Day, s.Seed = 11, 12, 13, 14, true, false, new(15.0), 16
	if got, want := s.Sampling(), (forecast.Sampling{Samples: 7, From: 0.25, To: 0.5}); got != want {
		t.Errorf("sampling %+v, expected %+v", got, want)
	}
	got := s.Options(1)
	if got.Runs != 11 || got.Least != 12 || got.Recent != 13 || got.Trials != 14 || !got.Independent || got.Arrivals || got.Day != 15 || got.Seed != 16 {
		t.Errorf("options %+v of %+v", got, s)
	}
}
