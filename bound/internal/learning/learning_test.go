package learning

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bound/internal/tasks"
	"github.com/allot-opt/allot/bound/internal/tasks/tasktest"
	"github.com/allot-opt/allot/internal/race"
)

func never() bool { return false }

// witness holds what the solver says against schedules: each explanation, each conflict and each clause has to be true of all of them.
type witness struct {
	schedules [][]int32 // each as the values of the bounds
	said      int
	wrong     error
}

// attend makes the values of the bounds of each schedule that ends before the horizon, and with an end of the schedule up to one later.
func attend(s *Solver, p *tasks.Problem) *witness {
	w := &witness{}
	tasktest.Schedules(p, p.Horizon-1, 1500, func(starts []int32, end int32) { w.see(s, p.Horizon, starts, end) })
	return w
}

// see makes the values of the bounds of a schedule, and of the same one if its end is said to be one later. It leaves out ends beyond the horizon:
// the solver takes for granted that a best schedule ends by then, and says nothing of longer ones.
func (w *witness) see(s *Solver, horizon int32, starts []int32, end int32) {
	values := make([]int32, len(s.low))
	for j, start := range starts {
		values[2*j], values[2*j+1] = start, -start
	}
	for k, pair := range s.pairs {
		v := 2 * (s.end + 1 + k)
		if starts[pair.a] < starts[pair.b] {
			values[v], values[v+1] = 1, -1
		}
	}
	for late := range min(2, horizon-end+1) {
		values := append([]int32(nil), values...)
		values[2*s.end], values[2*s.end+1] = end+late, -end-late
		w.schedules = append(w.schedules, values)
	}
}

// unless notes that it is wrong if in some schedule all literals hold and the last one does not.
func (w *witness) unless(all []literal, then *literal, format string, args ...any) {
	w.said++
	for _, values := range w.schedules {
		holds := true
		for _, l := range all {
			holds = holds && values[l.of] >= l.least
		}
		if holds && (then == nil || values[then.of] < then.least) && w.wrong == nil {
			w.wrong = fmt.Errorf(format+": the schedule %v", append(args, values)...)
		}
	}
}

func (w *witness) explained(s *Solver, reasons []literal, so literal, step int32) {
	for _, l := range reasons {
		if s.at(l.of, step) < l.least && w.wrong == nil {
			w.wrong = fmt.Errorf("an explanation of step %d uses %v, but the bound was %d", step, l, s.at(l.of, step))
		}
	}
	if s.trail[step].why.kind != byDecision {
		w.unless(reasons, &so, "%v is said to follow from %v by %v", so, reasons, s.trail[step].why)
	}
}

func (w *witness) contradicts(_ *Solver, conflict []literal) {
	w.unless(conflict, nil, "%v is said to be a conflict", conflict)
}

func (w *witness) learned(_ *Solver, clause []literal) {
	var all []literal
	for _, l := range clause {
		all = append(all, l.negated())
	}
	w.unless(all, nil, "the clause %v was learned", clause)
}

func TestTheLeastMakespanIsThatOfTheSlowSearch(t *testing.T) {
	conflicts := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 5)
		best := tasktest.Optimum(p)
		s := New(p)
		for s.Refute(50, p.Horizon+1, never) { // in small pieces
			if s.Least() > best {
				t.Fatalf("makespans below %d refuted, the optimum is %d", s.Least(), best)
			}
		}
		conflicts += s.Stats.Conflicts
		if s.Failed() || s.Least() != best {
			t.Fatalf("failed %v, least makespan %d, the slow search finds %d", s.Failed(), s.Least(), best)
		}
		if end, err := tasktest.Makespan(p, s.Starts()); err != nil || end != best {
			t.Fatalf("the schedule ends at %d, expected %d: %v", end, best, err)
		}
	})
	if int(conflicts) < race.Enough(1) {
		t.Error("there was no conflict")
	}
}

// draw is a problem of any kind, or a crowded one.
func draw(t *rapid.T, most int) *tasks.Problem {
	if rapid.Bool().Draw(t, "crowded") {
		return crowded(t, most)
	}
	return tasktest.Problem(t, most)
}

// What the solver says holds in each schedule, not only in the best ones.
func TestNoScheduleSpeaksAgainstTheSolver(t *testing.T) {
	said := 0
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 5)
		p.Horizon = min(p.Horizon, tasktest.Optimum(p)+2)
		s := New(p)
		w := attend(s, p)
		s.audit = w
		wander(t, s, w)
		if said += w.said; w.wrong != nil {
			t.Fatal(w.wrong)
		}
	})
	if said < race.Enough(1) {
		t.Error("the solver said nothing")
	}
	t.Log(said)
}

// The same in searches for the least makespan of more jobs, beside schedules of chance and the best one.
func TestNoScheduleSpeaksAgainstALongerSearch(t *testing.T) {
	conflicts := int64(0)
	rapid.Check(t, func(t *rapid.T) {
		p := crowded(t, 8)
		best := New(p)
		for best.Refute(1000, p.Horizon+1, never) {
		}
		s := New(p)
		w := &witness{}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		for k := range 41 {
			starts := best.Starts()
			if k > 0 {
				starts = listed(p, rng)
			}
			end, err := tasktest.Makespan(p, starts)
			if err != nil {
				t.Fatal(err)
			}
			if end < best.Least() {
				t.Fatalf("makespans below %d are refuted, a schedule of chance has %d", best.Least(), end)
			}
			w.see(s, p.Horizon, starts, end)
		}
		s.audit = w
		wander(t, s, w)
		for k := 0; k < 20 && s.Refute(1000, p.Horizon+1, func() bool { return w.wrong != nil }); k++ {
		}
		if conflicts += s.Stats.Conflicts; w.wrong != nil {
			t.Fatal(w.wrong)
		}
	})
	if int(conflicts) < race.Enough(1) {
		t.Error("there was no conflict")
	}
	t.Log(conflicts)
}

// wander searches with decisions of chance, also under makespans that are possible: it comes to more conflicts than a search that is after the
// least makespan. It asks for explanations all the time.
func wander(t *rapid.T, s *Solver, w *witness) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for k := 0; k < 80 && w.wrong == nil; k++ {
		if !s.propagate() {
			if !s.learn() {
				t.Fatal("no makespan is possible")
			}
			continue
		}
		for k := range s.trail { // also what no conflict asks for
			if e := &s.trail[k]; e.level > 0 && e.why.kind != byDecision && rng.IntN(2) == 0 {
				s.explain(nil, int32(k), e.before+1+rng.Int32N(e.now-e.before))
			}
		}
		if len(s.levels) == 0 {
			least := s.low[2*s.end]
			s.decide(literal{int32(2*s.end + 1), -least - rng.Int32N(-s.low[2*s.end+1]-least+1)})
			continue
		}
		var open []int32
		for b := int32(0); int(b) < len(s.low); b += 2 {
			if s.low[b] < -s.low[b+1] && int(b) != 2*s.end {
				open = append(open, b)
			}
		}
		if len(open) == 0 {
			s.back(rng.IntN(len(s.levels)))
			continue
		}
		b := open[rng.IntN(len(open))]
		l := literal{b, s.low[b] + 1 + rng.Int32N(-s.low[b+1]-s.low[b])}
		if rng.IntN(2) == 0 {
			l = l.negated()
		}
		s.decide(l)
	}
}

// A makespan that is raised from outside, and one that is enough, end the search where they should.
func TestLimitsOfTheSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := tasktest.Problem(t, 5)
		best := tasktest.Optimum(p)
		s := New(p)
		enough := rapid.Int32Range(0, best).Draw(t, "enough")
		for s.Refute(100, enough, never) {
		}
		if s.Least() < enough || s.Least() > best {
			t.Fatalf("least %d, expected %d to %d", s.Least(), enough, best)
		}
		s = New(p)
		s.Refute(rapid.Int64Range(0, 300).Draw(t, "work"), p.Horizon, never)
		s.Raise(rapid.Int32Range(0, best).Draw(t, "raised"))
		for s.Refute(1000, p.Horizon+1, never) {
		}
		if s.Least() != best || s.Failed() {
			t.Fatalf("least %d, failed %v, expected %d", s.Least(), s.Failed(), best)
		}
	})
}

// The same work in other pieces gives the same search.
func TestWorkDecidesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := tasktest.Problem(t, 5)
		a, b := New(p), New(p)
		for a.Refute(1, p.Horizon+1, never) {
		}
		b.Refute(1<<40, p.Horizon+1, never)
		if a.Stats != b.Stats || a.Work() != b.Work() || fmt.Sprint(a.Starts()) != fmt.Sprint(b.Starts()) {
			t.Fatalf("%v %d %v and %v %d %v", a.Stats, a.Work(), a.Starts(), b.Stats, b.Work(), b.Starts())
		}
	})
}

// A hundred jobs that clash in fours make many clauses, which are deleted and restarted over; the optimum is the work of the longest four.
func TestClausesAreForgotten(t *testing.T) {
	p := &tasks.Problem{}
	r := tasks.Resource{Capacity: 7}
	for j := range 14 {
		p.Length, p.Head, p.Order = append(p.Length, int32(5+j*3%7)), append(p.Head, int32(j%3)), append(p.Order, j)
		p.After, p.Apart = append(p.After, nil), append(p.Apart, nil)
		r.Uses = append(r.Uses, tasks.Use{Job: j, Need: int64(2 + j%3)})
		p.Horizon += p.Length[j] + 3
	}
	p.Resources = []tasks.Resource{r}
	s := New(p)
	s.reduceAt = 20
	s.Refute(3_000_000, p.Horizon, never)
	if s.Failed() || s.Stats.Restarts < 3 || s.Stats.Deleted == 0 {
		t.Errorf("failed %v, %d restarts, %d clauses deleted: expected some", s.Failed(), s.Stats.Restarts, s.Stats.Deleted)
	}
	if s.Starts() != nil {
		if end, err := tasktest.Makespan(p, s.Starts()); err != nil || end != s.Least() {
			t.Errorf("the schedule ends at %d, expected %d: %v", end, s.Least(), err)
		}
	}
	t.Log(s.Least(), s.Stats, s.Starts() != nil)
}
