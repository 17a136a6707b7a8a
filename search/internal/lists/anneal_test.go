package lists

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// The parts of an annealing add up, round by round, the objective that decoding afresh finds for the schedule and for the best so far.
func TestAnnealingAddsUpWhatDecodingDoes(t *testing.T) {
	moved, several := int64(0), false
	rapid.Check(t, func(t *rapid.T) {
		_, p := drawListsOn(t, 12, 6)
		if p.Makespan > 0 {
			t.Skip("not a sum over the clusters")
		}
		seed, stream := rapid.Uint64().Draw(t, "seed"), uint64(0)
		next := func() *rand.Rand {
			stream++
			return rand.New(rand.NewPCG(seed, stream))
		}
		a := newAnnealing(newChain(p, anyOrders(p, next()), next()), 2000, next)
		several = several || len(a.parts) > 1
		for range 10 {
			for _, w := range a.parts {
				w.temperature, w.tried, w.accepted = a.temperature, 0, 0
				for range 100 {
					w.step()
				}
				moved += w.accepted
			}
			before := a.best
			a.exchange()
			now, at := make([][]int32, len(p.Clusters)), p.Constant
			for k, w := range a.parts {
				own := p.Constant
				for _, c := range w.mine {
					now[c] = slices.Clone(w.clusters[c].order)
					own += w.clusters[c].cost
				}
				at += own - p.Constant
				for _, j := range w.jobs {
					if c := w.at[j]; !slices.Contains(w.mine, c) || now[c][w.pos[j]] != j || w.byArea[w.rank[j]] != j {
						t.Fatalf("part %d has job %d, said to be at %d on cluster %d of its %v", k, j, w.pos[j], c, w.mine)
					}
				}
			}
			objective := p.objectiveOf(now)
			for k, w := range a.parts {
				if !near(p, w.objective, objective) || !near(p, at, objective) {
					t.Fatalf("part %d says %v, the clusters %v, decoding %v", k, w.objective, at, objective)
				}
			}
			if best := p.objectiveOf(a.orders); !near(p, a.best, best) || a.best > before {
				t.Fatalf("the best is said to be %v after %v, and is %v", a.best, before, best)
			}
		}
	})
	if moved == 0 || !several {
		t.Error("nothing moved, or no annealing had parts: the test proves nothing")
	}
}

// Stages take all moves up to the most, each some times as many as all before it.
func TestStagesTakeAllMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moves, least := rapid.Int64Range(1, 1e12).Draw(t, "moves"), rapid.Int64Range(1, 1e6).Draw(t, "least")
		most := least * rapid.Int64Range(1, 1e6).Draw(t, "most")
		stages, sum := stagesOf(moves, least, most), int64(0)
		for k, n := range stages {
			if n < 1 || len(stages) > 1 && n < least || k > 0 && n < (stageRatio-1)*sum {
				t.Fatalf("%d moves in stages %v of at least %d", moves, stages, least)
			}
			sum += n
		}
		if sum > most || moves <= most && sum != moves || 2*sum < min(moves, most) {
			t.Fatalf("stages %v take %d moves of %d, at most %d", stages, sum, moves, most)
		}
	})
	for _, moves := range []int64{1000, 2000, 4000} {
		if got := stagesOf(moves, 40, 1000); !slices.Equal(got, []int64{40, 160, 800}) {
			t.Errorf("stages of %d moves %v, expected 40, 160 and 800", moves, got)
		}
	}
}

// reached are the least objectives that a run of the given length finds, at half of it and at its end; planned: it knows the length.
func reached(t *testing.T, in *model.Instance, moves int64, planned bool) (half, end float64) {
	t.Helper()
	made, err := New(context.Background(), in, FirstOn(t, in), 1)
	if err != nil {
		t.Fatal(err)
	}
	e := made.(*Engine)
	if planned {
		if e.Plan(moves, 2, true); e.cooled == nil {
			t.Fatal("the engine does not anneal: the test proves nothing")
		}
	}
	run := func(made, until int64) float64 {
		for ; made < until; e.Exchange() {
			for k := range e.Chains() {
				made += e.Advance(k, e.Round(), func() bool { return false })
			}
		}
		best := math.Inf(1)
		for k := range e.Chains() {
			best = min(best, e.Best(k).Objective)
		}
		return best
	}
	return run(0, moves/2), run(moves/2, moves)
}

// An annealing that knows its length ends with better schedules than tempering; stopped at half of it, with none that are much worse.
func TestAnnealingIsBetterThanTempering(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("says nothing about races and takes long")
	}
	const jobs, moves = 160, 160 * annealedLeast
	in := Batch(t, jobs, "mcp")
	half, end := reached(t, in, moves, true)
	before, last := reached(t, in, moves, false)
	t.Logf("at half %v with a plan and %v without, at the end %v and %v", half, before, end, last)
	if half > 1.05*before || end > last {
		t.Errorf("at half %v with a plan and %v without, at the end %v and %v", half, before, end, last)
	}
}

// Annealings end with the same schedules in whatever order, or at once, their parts advance.
func TestAnnealingsDoNotDependOnTheOrderOfTheirParts(t *testing.T) {
	in := Batch(t, 100, "mcp")
	orders := func(advance func(e *Engine)) (found [][]int32) {
		made, err := New(context.Background(), in, FirstOn(t, in), 1)
		if err != nil {
			t.Fatal(err)
		}
		e := made.(*Engine)
		e.anneal(200_000, 4)
		if len(e.cooled) != 2 || e.Chains() != 4 {
			t.Fatalf("%d annealings, %d chains: the test needs two of two parts", len(e.cooled), e.Chains())
		}
		for range 20 {
			advance(e)
			e.Exchange()
		}
		for k := range e.Chains() {
			_, best := e.bestOf(k)
			found = append(found, slices.Concat(best...))
		}
		return found
	}
	step := func(e *Engine, k int) { e.Advance(k, 2500, func() bool { return false }) }
	forward := orders(func(e *Engine) {
		for k := range e.Chains() {
			step(e, k)
		}
	})
	backward := orders(func(e *Engine) {
		for k := range e.Chains() {
			step(e, e.Chains()-1-k)
		}
	})
	atOnce := orders(func(e *Engine) {
		var all sync.WaitGroup
		for k := range e.Chains() {
			all.Go(func() { step(e, k) })
		}
		all.Wait()
	})
	for k := range forward {
		if !slices.Equal(forward[k], backward[k]) || !slices.Equal(forward[k], atOnce[k]) {
			t.Errorf("chain %d ends with another schedule", k)
		}
	}
}

// The engine tempers where an annealing is not better or cannot be divided among the clusters.
func TestEngineAnnealsWhereThatIsBetter(t *testing.T) {
	for _, c := range []struct {
		jobs      int
		objective string
		moves     int64
		chains    int
		sure      bool
		plain     bool // without guesses
		want      int  // chains
	}{
		{160, "mcp", 5e6, 2, true, false, 2},
		{160, "mcp", 5e6, 5, true, false, 6},
		{160, "over_deadline", 5e6, 2, true, false, 2},
		{160, "mean_response", 5e6, 2, true, false, chainsFor(160)},
		{160, "makespan", 5e6, 2, true, false, chainsFor(160)},
		{annealedFrom - 1, "mcp", 5e6, 2, true, false, chainsFor(annealedFrom - 1)},
		{annealedTo + 1, "mcp", 1e9, 2, true, false, chainsFor(annealedTo + 1)},
		{130, "mcp", 3_900_001, 2, true, false, 2}, // that of TestAnnealedListsAreDeterministic
		{160, "mcp", 5e6, 2, false, false, 2},
		{160, "idle_time", 5e6, 2, false, false, chainsFor(160)},
		{160, "over_deadline", 5e6, 2, false, false, chainsFor(160)},
		{160, "mcp", 5e6, 2, true, true, 2},
		{160, "mcp", 5e6, 2, false, true, chainsFor(160)}, // hot moves that are not guessed take too long for a plan by the pace
		{130, "mcp", 3_899_999, 2, true, false, chainsFor(130)},
	} {
		in := Batch(t, c.jobs, c.objective)
		e, err := New(context.Background(), in, FirstOn(t, in), 1)
		if err != nil {
			t.Fatal(err)
		}
		if c.plain {
			e.(*Engine).p.guess = false
		}
		e.(*Engine).Plan(c.moves, c.chains, c.sure)
		if e.Chains() != c.want {
			t.Errorf("%d jobs, %s, %d moves, %d chains wanted: %d chains, expected %d", c.jobs, c.objective, c.moves, c.chains, e.Chains(), c.want)
		}
	}
}
