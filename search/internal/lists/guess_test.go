package lists

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// drawLate draws clusters of the given number of processors and jobs that are late wherever they run, or have no deadline, so that a delay costs the same
// whatever its length. The jobs have one processor, and all processors from job wide on. All guess.
func drawLate(t *rapid.T, clusters, processors, jobs, wide int, metrics ...string) *problem {
	b := model.NewBuilder("late")
	for _, metric := range metrics {
		b.Minimise(metric, float64(rapid.IntRange(1, 9).Draw(t, metric)))
	}
	for k := range clusters {
		speed := float64(rapid.IntRange(1, 4).Draw(t, "speed"))
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("C", k), Machines: []model.MachineSpec{{ID: "m", Count: processors, Speed: speed}}})
	}
	for k := range jobs {
		work, size := float64(rapid.IntRange(1, 30).Draw(t, "work")), 1
		if k >= wide {
			size = processors
		}
		spec := model.JobSpec{ID: fmt.Sprint("J", k), Processors: model.Rigid(size), Work: &work}
		if rapid.Bool().Draw(t, "late") {
			spec.Deadline = new(0.01)
		}
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(context.Background(), in)
	p.guess = true
	return p
}

// On single processors guesses are exact if the same jobs are late before and after. So a walk makes a move if and only if the energy after it is within
// the threshold, and decodes nothing otherwise.
func TestGuessesAreExactOnSingleProcessors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawLate(t, rapid.IntRange(1, 3).Draw(t, "clusters"), 1, rapid.IntRange(2, 9).Draw(t, "jobs"), math.MaxInt, "mcp", "over_deadline", "idle_time")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := newChain(p, anyOrders(p, rng), rng)
		j := int32(rng.IntN(len(p.Movable)))
		a, from := w.at[j], int(w.pos[j])
		after := make([][]int32, len(p.Clusters))
		for c, order := range ordersOf(w) {
			after[c] = slices.Clone(order)
		}
		var guess float64
		var move func(threshold float64)
		if rng.IntN(2) == 0 { // relocate
			b := int32(rng.IntN(len(p.Clusters)))
			after[a] = slices.Delete(after[a], from, from+1)
			to := rng.IntN(len(after[b]) + 1)
			if after[b] = slices.Insert(after[b], to, j); a == b {
				if from == to {
					t.Skip("no move")
				}
				guess = w.guessShift(a, from, to)
				move = func(threshold float64) { w.shift(j, to, threshold) }
			} else {
				guess = w.guessExchange(a, from, j, nobody) + w.guessExchange(b, to, nobody, j)
				move = func(threshold float64) { w.transfer(j, b, to, threshold) }
			}
		} else {
			i := int32(rng.IntN(len(p.Movable)))
			b, at := w.at[i], int(w.pos[i])
			if after[a][from], after[b][at] = i, j; i == j {
				t.Skip("no move")
			}
			if a == b {
				guess = w.guessSwap(a, min(from, at), max(from, at))
			} else {
				guess = w.guessExchange(a, from, j, i) + w.guessExchange(b, at, i, j)
			}
			move = func(threshold float64) { w.swap(i, j, threshold) }
		}
		energy := newChain(p, after, rng).energy
		if !near(p, w.energy+guess, energy) {
			t.Fatalf("energy %v, guessed %v, decoded %v", w.energy, w.energy+guess, energy)
		}
		slack := 1e-6 * (1 + math.Abs(energy))
		work := w.probe.releases.Work()
		if move(energy - slack); w.probe.releases.Work() != work {
			t.Fatalf("decoded for %v, the threshold is below", energy)
		}
		if slices.EqualFunc(ordersOf(w), after, slices.Equal) {
			t.Fatalf("moved to %v, the threshold is below", energy)
		}
		if move(energy + slack); !slices.EqualFunc(ordersOf(w), after, slices.Equal) {
			t.Fatalf("did not move from %v to %v, the threshold is above", ordersOf(w), after)
		}
	})
}

// Where jobs of all processors follow a change, the first of them tells by how much all are delayed, idle time included.
func TestDecodingStopsByTheDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(1, 6).Draw(t, "first")
		p := drawLate(t, 1, rapid.IntRange(2, 4).Draw(t, "processors"), first+rapid.IntRange(1, 4).Draw(t, "wide"), first, "over_deadline")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := newChain(p, [][]int32{p.Movable}, rng)
		after := slices.Clone(p.Movable)
		rng.Shuffle(first, func(i, j int) { after[i], after[j] = after[j], after[i] })
		energy := newChain(p, [][]int32{after}, rng).energy
		s := &w.clusters[0]
		n := len(s.order)
		within := func(limit float64) bool {
			q := w.begin(0, 0, n, s.prefix[n].busy, 0, limit)
			q.margin = 0
			return q.place(after[:first]...) && q.follow(after[first:first+1], s.prefix[first+1:])
		}
		slack := 1e-6 * (1 + math.Abs(energy))
		if !within(energy + slack) {
			t.Errorf("given up above %v, the energy at the end", energy)
		}
		if within(energy - slack) {
			t.Errorf("not given up below %v, the energy at the end", energy)
		}
	})
}

// The walks guess for objectives that they can guess, if there are jobs enough and all have arrived.
func TestWhatIsGuessed(t *testing.T) {
	for _, c := range []struct {
		objective string
		jobs      int
		arrival   float64
		want      bool
	}{
		{"mcp", guessedFrom, 0, true}, {"over_deadline", 60, 0, true}, {"idle_time", 60, 0, true}, {"mcp", guessedFrom - 1, 0, false},
		{"makespan", 60, 0, false}, {"mean_response", 60, 0, false}, {"mcp", 60, 1, false},
	} {
		b := model.NewBuilder("batch").Minimise(c.objective, 1).
			Cluster(model.ClusterSpec{ID: "C", Machines: []model.MachineSpec{{ID: "m", Count: 4, Speed: 1}}})
		for k := range c.jobs {
			spec := model.JobSpec{ID: fmt.Sprint("J", k), Processors: model.Rigid(1), Work: new(1.0), Deadline: new(20.0)}
			if k == 0 {
				spec.Arrival = c.arrival
			}
			b.Job(spec)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if p := newProblem(context.Background(), in); p.guess != c.want {
			t.Errorf("%+v: guessed is %v", c, p.guess)
		}
	}
}

// With guesses the same number of moves takes much less work and ends no worse.
func TestGuessesSaveWork(t *testing.T) {
	race.OneGoroutine(t)
	in := Batch(t, 100, "mcp")
	reach := func(guess bool) (best, work float64) {
		for seed := range uint64(3) {
			made, err := New(context.Background(), in, FirstOn(t, in), seed)
			if err != nil {
				t.Fatal(err)
			}
			e := made.(*Engine)
			e.p.guess = guess
			for _, w := range e.walks {
				w.probe.delays = guess
			}
			for range 20 {
				for k := range e.Chains() {
					e.Advance(k, 2000, func() bool { return false })
				}
				e.Exchange()
			}
			least := math.Inf(1)
			for k := range e.Chains() {
				least = min(least, e.Best(k).Objective)
			}
			best, work = best+least, work+float64(e.Work())
		}
		return best, work
	}
	plain, plainWork := reach(false)
	guessed, guessedWork := reach(true)
	t.Logf("with guesses %.4g for %.3g of work, without %.4g for %.3g", guessed, guessedWork, plain, plainWork)
	if guessedWork > 0.75*plainWork || guessed > 1.02*plain {
		t.Errorf("with guesses %v for %v of work, without %v for %v", guessed, guessedWork, plain, plainWork)
	}
}
