package windows

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bound/internal/tasks"
	"github.com/allot-opt/allot/bound/internal/tasks/tasktest"
	"github.com/allot-opt/allot/internal/race"
)

func never() bool { return false }

func TestNoMakespanFromTheOptimumOnIsRefuted(t *testing.T) {
	tried, tight := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := tasktest.Problem(t, 6)
		best := tasktest.Optimum(p)
		r := New(p)
		least := p.CriticalPath()
		for c := range p.Horizon + 1 {
			refuted := r.Refutes(c, never)
			if refuted && c >= best {
				t.Fatalf("makespan %d is refuted, the optimum is %d: %+v", c, best, r.Refusal())
			}
			if !refuted && c < p.CriticalPath() {
				t.Fatalf("makespan %d is not refuted, the critical path is %d", c, p.CriticalPath())
			}
			if refuted {
				least = max(least, c+1)
				checkRefusal(t, p, r.Refusal())
			}
		}
		tried++
		if least == best {
			tight++
		}
	})
	if 4*tight < 3*race.Enough(tried) {
		t.Errorf("the refuted makespans reach %d of %d optima, expected three quarters", tight, tried)
	}
	t.Logf("%d of %d", tight, tried)
}

// checkRefusal adds the energy of a plain refusal up, time by time and start by start.
func checkRefusal(t *rapid.T, p *tasks.Problem, f Refusal) {
	if !f.Plain {
		return
	}
	heads, tails, need := p.Heads(), p.Tails(), int64(0)
	for _, u := range f.Resource.Uses {
		least := p.Horizon
		for start := heads[u.Job]; start+p.Length[u.Job] <= f.Makespan-tails[u.Job]; start++ {
			inside := int32(0)
			for at := start; at < start+p.Length[u.Job]; at++ {
				if at >= f.From && at < f.To {
					inside++
				}
			}
			least = min(least, inside)
		}
		need += u.Need * int64(least)
	}
	if need <= f.Resource.Capacity*int64(f.To-f.From) {
		t.Fatalf("%+v: the jobs need %d of it", f, need)
	}
}

// In each set of jobs that can run together the changed needs fit as well, and no two jobs of a clique can.
func TestDerivedResourcesLetInWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := tasktest.Problem(t, 7)
		var derived []tasks.Resource
		for k := range p.Resources {
			derived = append(derived, changed(p, &p.Resources[k], 100)...)
		}
		derived = append(derived, cliques(p, 100)...)
		follows := p.Follows()
		for set := range 1 << len(p.Length) {
			if !together(p, follows, set) {
				continue
			}
			for _, r := range derived {
				if held := holds(&r, set); held > r.Capacity {
					t.Fatalf("jobs %b can run together, but hold %d of %d of a derived resource", set, held, r.Capacity)
				}
			}
		}
	})
}

// What fits into a resource fits when its needs are changed: by every function, of all sums of needs.
func TestChangedNeedsFit(t *testing.T) {
	for B := 1; B <= 20; B++ {
		p, r := &tasks.Problem{}, tasks.Resource{Capacity: int64(B)}
		for need := 1; need <= B; need++ {
			p.Length = append(p.Length, 1)
			r.Uses = append(r.Uses, tasks.Use{Job: need - 1, Need: int64(need)})
		}
		for _, out := range changed(p, &r, 100) {
			most := make([]int64, B+1) // by room: the most that needs of that sum hold after the change
			for room := range most {
				for _, u := range out.Uses {
					if need := u.Job + 1; need <= room {
						most[room] = max(most[room], most[room-need]+u.Need)
					}
				}
			}
			if most[B] > out.Capacity {
				t.Errorf("capacity %d: needs that fit hold %d of %d after a change to %v", B, most[B], out.Capacity, out.Uses)
			}
		}
	}
}

func holds(r *tasks.Resource, set int) (held int64) {
	for _, u := range r.Uses {
		if set&(1<<u.Job) != 0 {
			held += u.Need
		}
	}
	return held
}

// together says that nothing forbids that the jobs run at the same time.
func together(p *tasks.Problem, follows [][]bool, set int) bool {
	for a := range p.Length {
		if set&(1<<a) == 0 {
			continue
		}
		for b := range p.Length {
			if set&(1<<b) != 0 && follows[a][b] {
				return false
			}
		}
		for _, b := range p.Apart[a] {
			if set&(1<<b) != 0 {
				return false
			}
		}
	}
	for k := range p.Resources {
		if holds(&p.Resources[k], set) > p.Resources[k].Capacity {
			return false
		}
	}
	return true
}

// The bends come in the order of their times, and at each time their sum is what it was, whether they are compared or counted. What is counted
// leaves nothing behind for the next time.
func TestOrderOfBends(t *testing.T) {
	counted := 0
	rapid.Check(t, func(t *rapid.T) {
		var e energy
		for range 3 {
			first := int32(rapid.IntRange(0, 1000).Draw(t, "first"))
			last := first + int32(rapid.SampledFrom([]int{0, 3, 30, 1000}).Draw(t, "span"))
			want := map[int32]int64{}
			e.bends = e.bends[:0]
			for range rapid.IntRange(0, 12).Draw(t, "bends") {
				b := bend{rapid.Int32Range(first, last).Draw(t, "at"), rapid.Int64Range(-3, 3).Draw(t, "change")}
				e.bends = append(e.bends, b)
				want[b.at] += b.change
			}
			before := len(e.bends)
			e.order(first)
			if len(e.bends) < before {
				counted++
			}
			found := map[int32]int64{}
			for k, b := range e.bends {
				if k > 0 && b.at < e.bends[k-1].at {
					t.Fatalf("the bends are not in order: %v", e.bends)
				}
				found[b.at] += b.change
			}
			if !maps.Equal(found, want) {
				t.Fatalf("found %v, want %v", found, want)
			}
		}
	})
	if counted < race.Enough(20) {
		t.Errorf("%d lists of bends with equal times were counted: the test proves little", counted)
	}
}
