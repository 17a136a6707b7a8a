package report

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/bench/statistics"
)

// decision is the one test that decides which solvers of an outcome differ. The sentences, the diagram and the table of pairs all ask
// [outcome.differ], so none of them says what another denies.
type decision int

// The tests that may decide. Which one does depends on how many samples there are, never on who is better.
const (
	tooFew       decision = iota // no test could show a difference, however large
	bySigned                     // signed ranks of each pair over the instances, with Holm's correction
	byRuns                       // rank sums of each pair over the runs on the only instance, with Holm's correction
	byMeanRanks                  // Nemenyi's critical difference of mean ranks
	noDifference                 // Friedman's test over all solvers shows none, so no pair is looked at
)

// decide sets the test that decides and the sets of solvers that it does not tell apart.
func (o *outcome) decide() {
	o.place = make(map[[2]int]int, len(o.pairs))
	for k, q := range o.pairs {
		o.place[[2]int{min(q.a, q.b), max(q.a, q.b)}] = k
	}
	o.hopeless = o.isHopeless()
	o.decision = o.decisionOf()
	o.alike = o.indistinct()
}

// decisionOf is the test that decides.
func (o *outcome) decisionOf() decision {
	k := len(o.solvers)
	switch {
	case o.seeds && o.hopeless, !o.seeds && o.ranks == nil:
		return tooFew
	case o.seeds:
		return byRuns
	case k == 2 && o.hopeless:
		return tooFew
	case k == 2:
		return bySigned
	case leastFriedman(k, len(o.cases)) > alpha:
		return tooFew
	case o.hopeless && !(1+o.critical <= float64(k)):
		return tooFew
	case o.ranks.PF > alpha:
		return noDifference
	case o.hopeless:
		return byMeanRanks
	}
	return bySigned
}

// leastFriedman is the least exact p that Friedman's test of k solvers on n instances could have: of (k!)ⁿ tables of ranks k! rank the solvers
// alike on all instances. Its approximation by F is 0 there, however few instances there are.
func leastFriedman(k, n int) float64 {
	logarithm, _ := math.Lgamma(float64(k + 1))
	return math.Exp(-float64(n-1) * logarithm)
}

// isHopeless says that no pair of solvers could differ significantly with so few samples, however large the difference.
func (o *outcome) isHopeless() bool {
	able, least := 0.0, 1.0
	for _, q := range o.pairs {
		if q.least <= alpha {
			able, least = able+1, min(least, q.least)
		}
	}
	return least*able > alpha || able == 0
}

// differ says whether two solvers are shown to differ, by the test that decides.
func (o *outcome) differ(a, b int) bool {
	switch o.decision {
	case byMeanRanks:
		return math.Abs(o.mean[a]-o.mean[b]) >= o.critical
	case bySigned, byRuns:
		q := o.between(a, b)
		return q != nil && q.adjusted <= alpha
	}
	return false
}

// between is the comparison of two solvers; nil: none.
func (o *outcome) between(a, b int) *pair {
	if k, ok := o.place[[2]int{min(a, b), max(a, b)}]; ok {
		return &o.pairs[k]
	}
	return nil
}

// canTell reports whether a test of the pair could be significant at all after the correction.
func (o *outcome) canTell(q *pair) bool { return q.least <= alpha && !o.hopeless }

// verdict is the comparison of a pair in a few words, as seen from the one of the better mean rank.
func (o *outcome) verdict(q *pair) string {
	switch {
	case o.differ(q.a, q.b) && (o.decision == byMeanRanks || q.effect <= 0):
		return "better"
	case o.differ(q.a, q.b):
		return "worse"
	case q.better+q.worse == 0:
		return "equal on all " + o.sample()
	case o.decision == tooFew, o.decision != byMeanRanks && o.decision != noDifference && !o.canTell(q):
		return "too few " + o.sample() + " to tell"
	}
	return "no difference shown"
}

// sample is what the tests count.
func (o *outcome) sample() string {
	if o.seeds {
		return "runs"
	}
	return "instances"
}

// test names the test that decides, for sentences. It is empty if there is none.
func (o *outcome) test() string {
	return map[decision]string{
		bySigned:    "Wilcoxon’s signed ranks with Holm’s correction",
		byRuns:      "Mann and Whitney’s rank sums over the runs, with Holm’s correction",
		byMeanRanks: "Nemenyi’s critical difference of mean ranks",
	}[o.decision]
}

// mostSets is how many sets of solvers that were not told apart a diagram has room for, mostJoined for how many solvers they are looked for.
const mostSets, mostJoined = 40, 60

// indistinct are the largest sets of at least two solvers no two of which are shown to differ, each in order of mean rank, the best first. It is nil where
// there are more sets than a diagram has room for.
func (o *outcome) indistinct() [][]int {
	if o.decision == byMeanRanks {
		sets, err := statistics.Cliques(o.mean, o.critical)
		if err != nil {
			return nil
		}
		return sets
	}
	order := o.order()
	n := len(order)
	switch {
	case o.decision == tooFew || o.decision == noDifference:
		return [][]int{order}
	case n > mostJoined:
		return nil
	}
	joined := make([][]bool, n) // by place in the order
	for i := range joined {
		joined[i] = make([]bool, n)
		for j := range joined[i] {
			joined[i][j] = i != j && !o.differ(order[i], order[j])
		}
	}
	var sets [][]int
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if !cliques(joined, nil, all, nil, func(places []int) bool {
		set := slices.Sorted(slices.Values(places))
		if len(set) > 1 {
			sets = append(sets, set)
		}
		return len(sets) <= mostSets
	}) {
		return nil
	}
	slices.SortFunc(sets, slices.Compare)
	for _, set := range sets {
		for i, place := range set {
			set[i] = order[place]
		}
	}
	return sets
}

// cliques yields the maximal cliques of a graph that contain all chosen vertices, some candidates and no excluded vertex. It returns false if
// yield asked to stop. The method is that of C. Bron and J. Kerbosch (1973), doi:10.1145/362342.362367, with a pivot.
func cliques(joined [][]bool, chosen, candidates, excluded []int, yield func([]int) bool) bool {
	if len(candidates) == 0 {
		return len(excluded) > 0 || yield(chosen)
	}
	neighbours := func(list []int, v int) []int {
		return slices.DeleteFunc(slices.Clone(list), func(w int) bool { return !joined[v][w] })
	}
	pivot, most := candidates[0], -1
	for _, v := range slices.Concat(candidates, excluded) {
		if n := len(neighbours(candidates, v)); n > most {
			pivot, most = v, n
		}
	}
	for _, v := range slices.Clone(candidates) {
		if joined[pivot][v] {
			continue
		}
		if !cliques(joined, append(slices.Clone(chosen), v), neighbours(candidates, v), neighbours(excluded, v), yield) {
			return false
		}
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(w int) bool { return w == v })
		excluded = append(slices.Clone(excluded), v)
	}
	return true
}
