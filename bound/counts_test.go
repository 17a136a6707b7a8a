package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound/internal/counts"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// randomBatch has 26 to 45 rigid jobs with deadlines on 2 or 3 clusters: enough that Evaluate begins with chords and does not
// look at every level.
func randomBatch(t *testing.T, rng *rand.Rand) *model.Instance {
	b := model.NewBuilder("batch").Minimise("mcp", 1)
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(4.0), Makespan: new(3.0), IdleTime: new(1.0)}
	for c := range 2 + rng.IntN(2) {
		b.Cluster(machine(fmt.Sprint("c", c), 4+rng.IntN(4), 1+rng.Float64()))
	}
	for j := range 26 + rng.IntN(20) {
		job := rigid(fmt.Sprint("j", j), 1+rng.IntN(4), 1+20*rng.Float64()*rng.Float64())
		job.Deadline = new(60 * rng.Float64())
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// randomPrices are near the first prices of the method: some of the processors' prices fall with time, some rise. Half of the time jobs are paid for
// being left out, so that what a cluster chooses costs more than nothing.
func randomPrices(c *counts.Relaxation, rng *rand.Rand) []float64 {
	x := make([]float64, c.Size)
	most := []float64{3, -1}[rng.IntN(2)]
	for j := range c.Jobs {
		x[j] = most * rng.Float64()
	}
	for i := range c.Clusters {
		first, fall := 2*rng.Float64(), 1.5*rng.Float64()-0.5
		for t := c.Clusters[i].Rho; t < c.Clusters[i].Theta; t++ {
			x[t] = first * math.Exp(-fall*float64(t-c.Clusters[i].Rho)/6) * (0.8 + 0.4*rng.Float64())
		}
		for kind := range c.Clusters[i].Sizes {
			x[c.Clusters[i].Theta+kind] = 0.3 * rng.NormFloat64()
		}
	}
	return x
}

// In any box Evaluate finds what all levels and all numbers of jobs give one by one, although it does not look at levels that cannot
// be the least. With a tolerance it may stay below that by as much.
func TestLevelsThatAreLeftOutDoNotMatter(t *testing.T) {
	ctx := context.Background()
	for seed := uint64(50); seed < 50+race.Fewer(uint64(25), 5); seed++ { // 52 has two levels that come within a hundredth of each other
		rng := rand.New(rand.NewPCG(seed, 80))
		in := randomBatch(t, rng)
		mcp := counts.NewProver(newRelaxation(ctx, in).counts, &Gate{})
		mcp.Start(ctx)
		c, root := mcp.Counts(), mcp.Root()
		for range 8 {
			box := randomBox(root, rng)
			x := randomPrices(c, rng)
			for _, tolerance := range []float64{0, 0.05} {
				value, cuts, ok := c.Evaluate(ctx, box, x, tolerance)
				slow, rounding := slowCounts(c, box, x), 1e-12*(1+c.Sum(0, x).Size)
				if math.IsInf(slow, 1) {
					if !math.IsInf(value, 1) {
						t.Errorf("seed %d: %v in a box that leaves no room for the jobs", seed, value)
					}
					continue
				}
				if !ok || value > slow+rounding || value < slow-tolerance-rounding {
					t.Errorf("seed %d, box %v: %v, %v; all levels one by one give %v", seed, box, value, ok, slow)
				}
				sum, number := 0.0, int32(0)
				for _, u := range x[:c.Jobs] {
					sum += u
				}
				for i, cut := range cuts {
					number += cut.Choice.Jobs
					sum += cut.At(x) + float64(cut.Choice.Jobs)*x[c.Size-1]
					if b := box[i]; cut.Choice.Jobs < b.Least || cut.Choice.Jobs > b.Most || cut.Choice.Jobs > 0 && (cut.Choice.Level < b.Low || cut.Choice.Level > b.High) {
						t.Errorf("seed %d: cluster %d chooses %v, the box is %v", seed, i, cut.Choice, b)
					}
				}
				if int(number) != c.Jobs || math.Abs(sum-slow) > tolerance+rounding {
					t.Errorf("seed %d: the cuts give %d jobs at %v, expected %d at %v", seed, number, sum, c.Jobs, slow)
				}
			}
		}
	}
}

// randomBox is a part of the box of all choices: wide, narrow or a single number of jobs, and a range of levels.
func randomBox(root []counts.Box, rng *rand.Rand) []counts.Box {
	box := make([]counts.Box, len(root))
	for i, b := range root {
		width := []int32{b.Most, 12, 3, 0}[rng.IntN(4)]
		least := rng.Int32N(b.Most - min(b.Most, width) + 1)
		low := b.Low + rng.Int32N(b.High-b.Low+1)
		high := low + rng.Int32N(b.High-low+1)
		if rng.IntN(2) == 0 {
			low, high = b.Low, b.High
		}
		box[i] = counts.Box{Least: least, Most: min(b.Most, least+width), Low: low, High: high}
	}
	if rng.IntN(2) == 0 { // one cluster takes what the others leave
		box[rng.IntN(len(box))] = root[0]
	}
	return box
}
