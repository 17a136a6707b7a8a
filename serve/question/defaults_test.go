package question

import (
	"testing"

	"github.com/allot-opt/allot/lab/forecast"
)

// A default of the question's own holds for what is absent alone: 0 is a value, and each value goes where it belongs.
func TestDefaultsOfAbsentSettings(t *testing.T) {
	for _, c := range []struct {
		s    Simulate
		want forecast.Sampling
	}{
		{Simulate{}, forecast.Sampling{Samples: 1000, From: 0.1, To: 1}},
		{Simulate{Samples: new(0), From: new(0.0), To: new(0.0)}, forecast.Sampling{}},
		{Simulate{Samples: new(7), From: new(0.25), To: new(0.75)}, forecast.Sampling{Samples: 7, From: 0.25, To: 0.75}},
	} {
		if got := c.s.Sampling(); got != c.want {
			t.Errorf("%+v, expected %+v", got, c.want)
		}
	}
	if absent, none := (&Explain{}).RunSeed(), (&Explain{Seed: new(uint64(0))}).RunSeed(); absent != 1 || none != 0 {
		t.Errorf("seeds %d and %d", absent, none)
	}
}
