package multifactor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The age of a job is the whole seconds from the whole second since when it may start to that of the pass, as a part of the largest age, and never less than none. A job that may not start yet
// has none, and nothing but its age depends on the time.
func TestAgeInWholeSeconds(t *testing.T) {
	settings := DefaultSettings()
	settings.WeightAge, settings.MaxAge = 1000, 50
	tree, err := NewTree(settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCalculator(tree, Site{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(57, 1))
	for range 2000 {
		clock := []float64{0, 1.7e9}[rng.IntN(2)]
		since, at := clock+float64(rng.IntN(1000))/10, clock+float64(rng.IntN(2000))/10
		waited := min(max(0, int64(at)-int64(since)), 50)
		if got, want := c.Age(at, since), 1000*float64(waited)/50; math.Abs(got-want) > 1e-9*want {
			t.Fatalf("at %v since %v: %v, want %v", at, since, got, want)
		}
		e := Entry{fixed: []Terms{{Assoc: 5, Partition: 7}, {JobSize: 20, Nice: 3}}}
		for _, when := range []float64{since, math.Inf(1)} {
			want := 17.0 // the larger of 12 and 17
			if when == since {
				want += c.Age(at, since)
			}
			if got := c.Level(&e, at, when); math.Abs(got-want) > 1e-9*want {
				t.Fatalf("at %v since %v: level %v, want %v", at, when, got, want)
			}
		}
	}
}
