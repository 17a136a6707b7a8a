package learning

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bound/internal/tasks"
	"github.com/allot-opt/allot/bound/internal/tasks/tasktest"
)

func never() bool { return false }

// listener keeps what the solver learns and looks at each explanation.
type listener struct {
	clauses [][]literal
	wrong   error
}

func (l *listener) used(s *Solver, x literal, before int32) {
	if s.at(x.of, before) < x.least {
		l.wrong = fmt.Errorf("an explanation of step %d uses bound %d ≥ %d, which was %d", before, x.of, x.least, s.at(x.of, before))
	}
}

func (l *listener) learned(clause []literal) {
	l.clauses = append(l.clauses, append([]literal(nil), clause...))
}

func TestTheLeastMakespanIsThatOfTheSlowSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := tasktest.Problem(t, 5)
		best := tasktest.Optimum(p)
		s, l := New(p), &listener{}
		s.audit = l
		for s.Refute(50, p.Horizon+1, never) { // in small pieces
			if s.Least() > best {
				t.Fatalf("makespans below %d refuted, the optimum is %d", s.Least(), best)
			}
		}
		if l.wrong != nil {
			t.Fatal(l.wrong)
		}
		if s.Failed() || s.Least() != best {
			t.Fatalf("failed %v, least makespan %d, the slow search finds %d", s.Failed(), s.Least(), best)
		}
		if end, err := tasktest.Makespan(p, s.Starts()); err != nil || end != best {
			t.Fatalf("the schedule ends at %d, expected %d: %v", end, best, err)
		}
	})
}

// A learned clause holds in each schedule, not only in the best ones.
func TestNoScheduleViolatesALearnedClause(t *testing.T) {
	learned := 0
	rapid.Check(t, func(t *rapid.T) {
		p := tasktest.Problem(t, 4)
		p.Horizon = min(p.Horizon, tasktest.Optimum(p)+2)
		s, l := New(p), &listener{}
		s.audit = l
		for s.Refute(1000, p.Horizon+1, never) {
		}
		learned += len(l.clauses)
		if len(l.clauses) == 0 {
			return
		}
		starts := make([]int32, len(p.Length))
		var place func(j int)
		place = func(j int) {
			if j == len(starts) {
				if end, err := tasktest.Makespan(p, starts); err == nil {
					for late := end; late <= p.Horizon; late++ {
						for _, clause := range l.clauses {
							if !s.holds(clause, starts, late) {
								t.Fatalf("the schedule %v that ends at %d violates %v", starts, late, clause)
							}
						}
					}
				}
				return
			}
			for starts[j] = p.Head[j]; starts[j] <= p.Horizon; starts[j]++ {
				place(j + 1)
			}
		}
		place(0)
	})
	if learned == 0 {
		t.Error("no clause was learned")
	}
}

// holds says that a literal of the clause holds in the schedule.
func (s *Solver) holds(clause []literal, starts []int32, end int32) bool {
	for _, l := range clause {
		value, j := end, int(l.of/2)
		switch {
		case j < s.end:
			value = starts[j]
		case j > s.end:
			p := s.pairs[j-s.end-1]
			if value = 0; starts[p.a] < starts[p.b] {
				value = 1
			}
		}
		if l.of%2 == 1 {
			value = -value
		}
		if value >= l.least {
			return true
		}
	}
	return false
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
