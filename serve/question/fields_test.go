package question

import (
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
		Rolling Seconds `json:"rolling_time,omitempty" check:"positive" doc:"with --rolling-threshold: stop after 'DURATION', as allot compare --time does, in the user's unit" absent:"no limit"`
		Evals   int64   `json:"evaluations" flag:"evals" check:"counter" doc:"at most 'N'"`
		Hidden  bool    `json:"hidden" flag:"-"`
		Own     string  `json:"-"`
	}
	fields := FieldsOf(reflect.TypeFor[asked]())
	if len(fields) != 3 {
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
	for _, c := range []struct {
		f    *Field
		x    float64
		want string
	}{{f, 1, ""}, {f, 0, "expected a duration > 0, found 0s"}, {f, -1.5, "expected a duration > 0, found -1.5s"}, {&fields[1], 0, ""}, {&fields[1], -1, "expected a number ≥ 0, found -1"}} {
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
	s.Runs, s.Least, s.Recent, s.Trials, s.Independent, s.Arrivals, s.Day, s.Seed = 11, 12, 13, 14, true, false, 15, 16
	if got, want := s.Sampling(), (forecast.Sampling{Samples: 7, From: 0.25, To: 0.5}); got != want {
		t.Errorf("sampling %+v, expected %+v", got, want)
	}
	got := s.Options(1)
	if got.Runs != 11 || got.Least != 12 || got.Recent != 13 || got.Trials != 14 || !got.Independent || got.Arrivals || got.Day != 15 || got.Seed != 16 {
		t.Errorf("options %+v of %+v", got, s)
	}
}
