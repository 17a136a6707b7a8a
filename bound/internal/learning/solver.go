// Package learning proves lower bounds of the makespan by lazy clause generation. It searches over the starts of the jobs. From each conflict it
// learns a clause, and never violates it again.
//
// Source: A. Schutt, T. Feydy, P. J. Stuckey, M. G. Wallace (2011), Explaining the cumulative propagator, Constraints 16,
// doi:10.1007/s10601-010-9103-2. All arithmetic is on whole numbers and exact.
package learning

import (
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// Solver refutes makespans from below. Only one goroutine at a time may use it.
type Solver struct {
	end int // the job that stands for the end of the schedule

	low    []int32 // by bound
	last   []int32 // by bound: its last step; −1: none
	trail  []step
	levels []int32 // by level from 1 on: the number of steps before it
	head   int     // the steps before it have been propagated

	edges     [][]edge // by bound
	resources []resource
	uses      [][]int32 // by job: the resources that it holds
	lengths   []int32
	pairs     []pair    // pair k is a job of its own: its start is 1 if job a comes first, else 0
	pairsOf   [][]int32 // by job

	clauses  []clause
	free     []int32   // deleted clauses
	watches  [][]watch // by bound
	conflict []literal // literals that all hold now but cannot hold together

	activity
	analysis
	work     int64
	restarts int
	until    int64 // conflicts at which the next restart is due
	reduceAt int
	failed   bool
	// Some jobs have to end by a time whatever the makespan. Then all makespans may be refuted.
	limited, impossible bool
	starts              []int32 // of a schedule of the least makespan; nil: none found yet
	Stats               stats
	audit               auditor   // nil but in tests
	record              *recorder // nil: what proves the bounds is not kept
}

// auditor looks on in tests.
type auditor interface {
	explained(s *Solver, reasons []literal, so literal, step int32) // the reasons given for the step
	contradicts(s *Solver, conflict []literal)
	learned(s *Solver, clause []literal)
}

// stats count what the solver did.
type stats struct{ Conflicts, Decisions, Restarts, Deleted int64 }

// pair is two jobs that cannot overlap.
type pair struct{ a, b int32 }

// edge says that the bound to is at least the bound that the edge leaves, plus the distance.
type edge struct{ to, distance int32 }

// New prepares the search. So far it has proved nothing.
func New(p *tasks.Problem) *Solver {
	n, pairs := len(p.Length), 0
	for _, list := range p.Apart {
		pairs += len(list)
	}
	size := 2 * (n + 1 + pairs/2)
	s := &Solver{end: n, limited: p.Last != nil, low: make([]int32, size), last: make([]int32, size), edges: make([][]edge, size),
		watches: make([][]watch, size), uses: make([][]int32, size/2), lengths: append(slices.Clone(p.Length), make([]int32, size/2-n)...), pairsOf: make([][]int32, n+1)}
	for a, list := range p.Apart {
		for _, b := range list {
			if a < b {
				v := int32(n + 1 + len(s.pairs))
				s.low[2*v+1] = -1
				s.pairsOf[a], s.pairsOf[b] = append(s.pairsOf[a], int32(len(s.pairs))), append(s.pairsOf[b], int32(len(s.pairs)))
				s.pairs = append(s.pairs, pair{int32(a), int32(b)})
			}
		}
	}
	latest, ends := p.Horizon, p.Ends()
	for j := range n {
		s.low[2*j], s.low[2*j+1] = p.Head[j], -min(latest, ends[j]-p.Length[j])
		s.precede(j, n)
		for _, before := range p.After[j] {
			s.precede(before, j)
		}
	}
	s.low[2*n+1] = -latest
	for b := range s.last {
		s.last[b] = -1
	}
	for r := range p.Resources {
		s.resources = append(s.resources, newResource(&p.Resources[r]))
		for _, u := range p.Resources[r].Uses {
			s.uses[u.Job] = append(s.uses[u.Job], int32(r))
		}
	}
	s.activity.init()
	s.reduceAt = 2000
	s.until = restartUnit
	for b := range s.low { // the starts by arrival are steps without a cause, so that all that follows is propagated
		s.touch(int32(b))
	}
	s.refuted(!s.propagate())
	return s
}

// precede makes job a end before job b starts.
func (s *Solver) precede(a, b int) {
	s.edges[2*a] = append(s.edges[2*a], edge{int32(2 * b), s.lengths[a]})
	s.edges[2*b+1] = append(s.edges[2*b+1], edge{int32(2*a + 1), s.lengths[a]})
}

// touch makes a step for the bound at its present value, so that this value is propagated.
func (s *Solver) touch(b int32) {
	s.trail = append(s.trail, step{b, s.low[b], s.low[b], s.last[b], 0, cause{}})
	s.last[b] = int32(len(s.trail) - 1)
}

// Least is the least makespan that is not refuted.
func (s *Solver) Least() int32 {
	b := int32(2 * s.end)
	if len(s.levels) == 0 {
		return s.low[b]
	}
	return s.at(b, s.levels[0])
}

// Starts are the starts of a schedule whose makespan is [Solver.Least]. It is nil if none is known.
func (s *Solver) Starts() []int32 { return s.starts }

// Raise tells the solver that no makespan below the value is possible, as another method has proved.
func (s *Solver) Raise(least int32) {
	s.back(0)
	if s.limited && least > -s.low[2*s.end+1] {
		s.impossible = true
		return
	}
	s.refuted(!s.raise(literal{int32(2 * s.end), least}, cause{}) || !s.propagate())
}

// Refute continues until it has spent the work, counted in steps, or the least makespan is at least enough. It says whether more work may raise
// the least makespan.
func (s *Solver) Refute(work int64, enough int32, stop func() bool) (more bool) {
	limit := s.work + work
	for s.starts == nil && !s.failed && !s.impossible && s.work < limit && s.Least() < enough && !stop() {
		s.refuted(!s.advance())
	}
	return s.starts == nil && !s.failed && !s.impossible && s.Least() < enough
}

// refuted notes that all makespans are refuted, if they are. Nothing but a bug leads there where no job has to end by a time.
func (s *Solver) refuted(all bool) {
	s.failed = s.failed || all && !s.limited
	s.impossible = s.impossible || all
}

// Impossible says that the jobs cannot all end by their latest ends, whatever the makespan.
func (s *Solver) Impossible() bool { return s.impossible }

// Failed says that the solver has a bug: it has refuted all makespans although no job has to end by a time, or has given a reason that did not hold. Then the least makespan must not be used.
func (s *Solver) Failed() bool { return s.failed }

// advance propagates, and then learns from a conflict or decides. It returns false if no makespan is possible.
func (s *Solver) advance() bool {
	if !s.propagate() {
		return s.learn()
	}
	switch {
	case len(s.levels) == 0:
		if s.record != nil {
			s.record.root(s)
		}
		s.clean()
		s.decide(literal{int32(2*s.end + 1), -s.low[2*s.end]})
	case s.Stats.Conflicts >= s.until:
		s.restart()
	default:
		next, found := s.next()
		if !found {
			s.finish()
			return true
		}
		s.Stats.Decisions++
		s.decide(next)
	}
	return true
}

// finish keeps the schedule that the search has reached: all starts are fixed.
func (s *Solver) finish() {
	s.starts = make([]int32, s.end)
	for j := range s.starts {
		s.starts[j] = s.low[2*j]
	}
}

const restartUnit = 100 // conflicts

// restart gives up all decisions. It keeps the learned clauses.
func (s *Solver) restart() {
	s.restarts++
	s.Stats.Restarts++
	s.until = s.Stats.Conflicts + restartUnit*luby(s.restarts)
	s.back(0)
	if len(s.clauses)-len(s.free) > s.reduceAt {
		s.reduce()
	}
}

// luby is the k-th number, from 1, of the sequence 1 1 2 1 1 2 4 … (M. Luby, A. Sinclair, D. Zuckerman 1993).
func luby(k int) int64 {
	for size := 1; ; size = 2*size + 1 {
		if k == size {
			return int64(size+1) / 2
		}
		if k < size {
			return luby(k - size/2)
		}
	}
}

// Work is the work done so far, in steps.
func (s *Solver) Work() int64 { return s.work }
