package multifactor

import (
	"math/rand/v2"
	"testing"
)

// The factor of the size of a job is a number from 0 to 1, also for a job that is larger than the site, and never less for a larger job, or never more where small ones are favoured.
func TestSizeIsAFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 2))
	largest := 0
	for range 2000 {
		settings := DefaultSettings()
		settings.FavourSmall, settings.RelativeToTime = rng.IntN(2) == 0, rng.IntN(2) == 0
		tree, err := NewTree(settings, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewCalculator(tree, Site{Nodes: float64(1 + rng.IntN(8)), CPUs: float64(8 + rng.IntN(64))})
		if err != nil {
			t.Fatal(err)
		}
		small := Job{Nodes: float64(rng.IntN(12)), CPUs: float64(rng.IntN(100)), Limit: []float64{1, 60}[rng.IntN(2)]}
		large := small
		large.Nodes, large.CPUs = small.Nodes+float64(rng.IntN(12)), small.CPUs+float64(rng.IntN(100))
		if small.CPUs == 0 {
			large.CPUs = 0
		}
		a, b := c.size(&small, &Partition{}), c.size(&large, &Partition{})
		if a < 0 || a > 1 || b < 0 || b > 1 {
			t.Fatalf("%+v: %+v counts %v and %+v counts %v", settings, small, a, large, b)
		}
		if settings.FavourSmall && b > a || !settings.FavourSmall && b < a {
			t.Fatalf("%+v counts %v and %+v counts %v", small, a, large, b)
		}
		if large.Nodes > 8 && b == 1 {
			largest++
		}
	}
	if largest == 0 {
		t.Error("no job is larger than the site: the test proves nothing")
	}
}
