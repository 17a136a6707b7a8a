package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// The processors that are taken of a machine are the first free ones of it, as a set that is written in one way, and are free no more.
func TestTakeOfAMachine(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 5))
	for range 500 {
		n := 1 + r.IntN(200)
		var p processors
		p.reset(n)
		var free []int
		for k := range n {
			if r.IntN(3) == 0 {
				p.remove(model.Processors(k))
			} else {
				free = append(free, k)
			}
		}
		first := r.IntN(n)
		count, wanted := 1+r.IntN(n-first), r.IntN(n+1)
		var want []int
		for _, k := range free {
			if k >= first && k < first+count && len(want) < wanted {
				want = append(want, k)
			}
		}
		got := p.takeOf(first, count, wanted)
		if !slices.Equal(got, model.Processors(want...)) {
			t.Fatalf("%d of %d from %d on: %v, want %v", wanted, count, first, got, want)
		}
		for _, k := range free {
			if p.has(model.Processors(k)) == slices.Contains(want, k) {
				t.Fatalf("processor %d is free: %v", k, !slices.Contains(want, k))
			}
		}
	}
}

// Local work that has waited is done in a long time without a part, as far as the processor is not asked for by new local jobs.
func TestLocalWorkIsDoneWhileNobodyAsks(t *testing.T) {
	idle := newLocalQueue(1, 1, &model.Background{Load: 0.5, Mean: 3})
	if idle.jump(20, 1); idle.backlog != 0 {
		t.Errorf("%v of no work are left", idle.backlog)
	}
	for _, load := range []float64{0.2, 0.5, 0.8} {
		for seed := range uint64(5) {
			q := newLocalQueue(seed, 1, &model.Background{Load: load, Mean: 3})
			backlog := 60 * epochLength * q.unit * (1 - load) // done in 60 epochs
			for epochs, done := range map[float64]bool{30: false, 200: true} {
				q := newLocalQueue(seed, 1, &model.Background{Load: load, Mean: 3})
				q.backlog = backlog
				q.idle(epochs * epochLength * q.unit)
				if got := q.backlog < 0.2*backlog; got != done {
					t.Errorf("load %v: of %v units of work %v are left after %v epochs", load, backlog, q.backlog, epochs)
				}
			}
		}
	}
}
