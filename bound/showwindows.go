package bound

import (
	"slices"

	"github.com/allot-opt/allot/bound/internal/learning"
	"github.com/allot-opt/allot/bound/internal/tasks"
	"github.com/allot-opt/allot/bound/internal/windows"
	"github.com/allot-opt/allot/proof"
)

// The codes of the steps of a certificate, see docs/proofs.md.
const (
	showPrecedence = iota
	showPair
	showClause
	showTime
	showInterval
)

// shownWindows is a certificate by windows in the making. It names the resources and pairs that steps use.
type shownWindows struct {
	w         *wholeTimes
	all       int // jobs of the instance
	a         proof.Windows
	resources map[int]int    // by resource of the prover
	bases     map[int]int    // by resource of the problem
	pairs     map[[2]int]int // by the jobs of a pair, as the problem numbers them
}

// show begins a certificate that refutes the makespan below the least. Rounded down, times are multiples of a unit that is a little smaller than that of the problem, as the quotients of
// the problem are rounded.
func (w *wholeTimes) show(r *Relaxation, least int32) *shownWindows {
	s := &shownWindows{w: w, all: len(r.in.Jobs()), resources: map[int]int{}, bases: map[int]int{}, pairs: map[[2]int]int{}}
	s.a = proof.Windows{Unit: w.unit, Nearest: w.nearest, Makespan: int(least) - 1}
	if !w.nearest {
		s.a.Unit *= 1 - 0x1p-50
	}
	return s
}

// argument is the certificate.
func (s *shownWindows) argument() *proof.Argument { return &proof.Argument{Windows: &s.a} }

// precede is the step that job b of the problem waits for job a; the number of jobs: the end does.
func (s *shownWindows) precede(steps []int, a, b int) []int {
	second := s.all
	if b < len(s.w.jobs) {
		second = s.w.jobs[b]
	}
	return append(steps, showPrecedence, s.w.jobs[a], second)
}

// pair is the position of the pair.
func (s *shownWindows) pair(a, b int) int {
	k, known := s.pairs[[2]int{a, b}]
	if !known {
		k = len(s.pairs)
		s.pairs[[2]int{a, b}] = k
		s.a.Pairs = append(s.a.Pairs, s.w.jobs[a], s.w.jobs[b])
	}
	return k
}

// base is the position of a resource of the problem.
func (s *shownWindows) base(k int) int {
	at, known := s.bases[k]
	if !known {
		at = len(s.a.Resources)
		s.bases[k] = at
		s.a.Resources = append(s.a.Resources, s.w.shown[k])
	}
	return at
}

// resource is the position of a resource of the refuter.
func (s *shownWindows) resource(f *windows.Refuter, k int) int {
	at, known := s.resources[k]
	if known {
		return at
	}
	switch resource, from, changed := f.Derived(k); {
	case !changed:
		at = s.base(from)
	case from < 0:
		out := proof.WindowResource{}
		for _, u := range resource.Uses {
			out.Jobs = append(out.Jobs, s.w.jobs[u.Job])
		}
		at = len(s.a.Resources)
		s.a.Resources = append(s.a.Resources, out)
	default:
		out := proof.WindowResource{Of: s.base(from), Weights: weights(&s.w.problem.Resources[from], resource)}
		at = len(s.a.Resources)
		s.a.Resources = append(s.a.Resources, out)
	}
	s.resources[k] = at
	return at
}

// weights are what needs of a resource are changed to, by need. A need that is changed to nothing is smaller than all others.
func weights(from, to *tasks.Resource) []proof.Weight {
	needs := map[int]int64{}
	for _, u := range from.Uses {
		needs[u.Job] = u.Need
	}
	var list []proof.Weight
	for _, u := range to.Uses {
		list = append(list, proof.Weight{Size: int(needs[u.Job]), Weight: int(u.Need)})
	}
	slices.SortFunc(list, func(a, b proof.Weight) int { return a.Size - b.Size })
	return slices.Compact(list)
}

// narrow adds a lemma without a clause: the steps of the refuter.
func (s *shownWindows) narrow(f *windows.Refuter, steps []windows.Step) {
	var list []int
	for _, step := range steps {
		switch a, b, c := int(step.A), int(step.B), int(step.C); step.Kind {
		case windows.Precedence:
			list = s.precede(list, a, b)
		case windows.Pair:
			list = append(list, showPair, s.pair(min(a, b), max(a, b)))
		case windows.Time:
			list = append(list, showTime, s.resource(f, a), b)
		case windows.Interval:
			list = append(list, showInterval, s.resource(f, a), b, c)
		}
	}
	if len(list) > 0 {
		s.a.Lemmas = append(s.a.Lemmas, proof.Lemma{Steps: list})
	}
}

// mostShown is the largest number of numbers of which a certificate consists. A reader takes some more.
const mostShown = 1 << 24

// learn adds what was learned, one item after another. It returns false if that is too long.
func (s *shownWindows) learn(from *learning.Solver, items []learning.Item) bool {
	at, numbers := map[int32]int{}, 0 // by number of an item: its lemma
	for _, item := range items {
		var lemma proof.Lemma
		for _, l := range item.Clause {
			code, value := 2*s.number(from, l.Of), int(l.Value)
			if l.AtMost {
				code++
			}
			if value < 0 {
				return false // of no bound: nothing is learned about that
			}
			lemma.Clause = append(lemma.Clause, code, value)
		}
		for _, step := range item.Steps {
			switch a, b := int(step.A), int(step.B); step.Kind {
			case learning.Precedence:
				lemma.Steps = s.precede(lemma.Steps, a, b)
			case learning.Pair:
				lemma.Steps = append(lemma.Steps, showPair, s.pair(from.PairOf(step.A)))
			case learning.Clause:
				lemma.Steps = append(lemma.Steps, showClause, at[step.A])
			case learning.Time:
				lemma.Steps = append(lemma.Steps, showTime, s.base(a), b)
			}
		}
		if numbers += len(lemma.Clause) + len(lemma.Steps); numbers > mostShown {
			return false
		}
		last := len(s.a.Lemmas) - 1
		if last >= 0 && lemma.Clause == nil && s.a.Lemmas[last].Clause == nil {
			s.a.Lemmas[last].Steps = append(s.a.Lemmas[last].Steps, lemma.Steps...)
			continue
		}
		s.a.Lemmas = append(s.a.Lemmas, lemma)
		at[item.Number] = last + 1
	}
	return true
}

// number is the number of a job of the prover, of the end or of a pair.
func (s *shownWindows) number(from *learning.Solver, of int32) int {
	switch j, n := int(of), len(s.w.jobs); {
	case j < n:
		return s.w.jobs[j]
	case j == n:
		return s.all
	default:
		return s.all + 1 + s.pair(from.PairOf(int32(j-n-1)))
	}
}
