package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
)

// Limits bound the whole tuning. One of them is above 0.
type Limits struct {
	Runs    int     `json:"runs,omitempty"`    // those of the judgement included
	Seconds float64 `json:"seconds,omitempty"` // as if the runs were all there is to it
}

// Iteration is what the answer tells of one race.
type Iteration struct {
	Candidates int      `json:"candidates"` // at the start, the best of the races before included
	Heats      int      `json:"heats"`      // instances, each with a seed, on which they ran
	Runs       int      `json:"runs"`       // so far
	Dropped    int      `json:"dropped"`    // candidates shown to be worse than the best
	Best       []string `json:"best"`       // the best first
}

// race looks for the best candidate.
//
// The method is iterated racing: M. López-Ibáñez, J. Dubois-Lacoste, L. Pérez Cáceres, M. Birattari, T. Stützle (2016), The irace package: Iterated racing for automatic algorithm
// configuration, Operations Research Perspectives 3, 43–58, doi:10.1016/j.orp.2016.09.002, sections 4 and 5.1 (elitist). Each iteration draws candidates around the best of those
// before and lets them run heat by heat; after the first five heats, and after each later one, those go that a test shows to be worse than the best. The best of earlier
// iterations stay until all have run the heats that they have run. Deviations: numbers are drawn on the scale from 0 to 1 of their interval; the choice as it stands takes part
// in the first race; a race on a limit of time reckons with the mean time of a run so far.
type race struct {
	space    *Space
	sampler  *sampler
	field    *field
	test     Test
	limits   Limits
	reserve  float64 // of the limit, for what comes after the races
	spare    float64 // the part of the reserve for runs of what there is on the heats of the best
	standing *candidate
	told     func(share float64, what string) // progress
	record   []Iteration
}

const (
	firstTest  = 5    // heats before the first test
	dropsAt    = 0.95 // confidence of the tests that drop candidates
	leastShare = 0.5  // deviation of the first samples, as a share of the interval
)

// rounds is the number of iterations that are planned, and the number of candidates that end a race when so few are left.
func (r *race) rounds() int {
	return int(2 + math.Log2(float64(max(1, len(r.space.Dimensions)))))
}

// used is how much of the limit the runs so far have taken.
func (r *race) used() float64 {
	if r.limits.Runs > 0 {
		return float64(r.field.runs)
	}
	return r.field.seconds / float64(r.field.jobs)
}

// limit is all there is for the races.
func (r *race) limit() float64 {
	if r.limits.Runs > 0 {
		return float64(r.limits.Runs) - r.reserve
	}
	return r.limits.Seconds - r.reserve
}

// price is what a run takes of the limit, by the runs so far.
func (r *race) price() float64 {
	if r.limits.Runs > 0 {
		return 1
	}
	return max(1e-6, r.field.seconds/float64(max(1, r.field.runs))/float64(r.field.jobs))
}

// run races until the limit is reached and returns the best candidates, the best first.
func (r *race) run(ctx context.Context) ([]*candidate, error) {
	var elites []*candidate
	deviation := leastShare
	for iteration := 1; ; iteration++ {
		var budget float64
		count := 0
		for left := max(1, r.rounds()-iteration+1); left > 0 && count <= max(1, len(elites)); left-- { // fewer races where their parts are too small
			budget = (r.limit() - r.used()) / float64(left)
			count = int(budget / r.price() / float64(firstTest+min(5, iteration)))
		}
		if count <= len(elites) || count < 2 {
			return elites, nil
		}
		alive := slices.Clone(elites)
		if iteration == 1 {
			alive = append(alive, r.standing)
		}
		for len(alive) < count {
			c := r.sample(elites, deviation)
			if c == nil {
				break
			}
			alive = append(alive, c)
		}
		drawn := len(alive) - len(elites)
		if drawn == 0 {
			return elites, nil
		}
		var err error
		if elites, err = r.iterate(ctx, iteration, elites, alive, r.used()+budget); err != nil {
			return nil, err
		}
		deviation = narrower(deviation, drawn, len(r.space.Dimensions))
		for _, c := range elites {
			c.lean(r.space, min(0.9, float64(iteration)/float64(r.rounds())))
		}
	}
}

// runOff runs the best candidates, and what there is, on the heats that one of the best has run; where instances are used once, as the windows of a trace are, on all heats. It
// takes half of the spare part of the limit at most, and returns the best on the heats that all have run. What there is has at least been compared with the best of the races then.
func (r *race) runOff(ctx context.Context, best []*candidate) (*candidate, error) {
	if len(best) == 0 {
		return r.standing, nil
	}
	heats := r.heatsOf(best)
	if r.field.passes == 1 {
		heats = nil
		for heat := range r.field.heats() {
			heats = append(heats, heat)
		}
	}
	all := best
	if !slices.Contains(all, r.standing) {
		all = append(slices.Clone(best), r.standing)
	}
	slices.SortStableFunc(heats, func(a, b int) int { return r.field.missing(a, all) - r.field.missing(b, all) }) // those that take least first
	for _, heat := range heats {
		if r.used()+float64(r.field.missing(heat, all))*r.price() > r.limit()+r.spare/2 {
			break
		}
		if err := r.field.run(ctx, heat, all); err != nil {
			return nil, err
		}
	}
	common := r.field.common(all...)
	if len(common) < firstTest {
		return best[0], nil
	}
	return best[r.test.standings(r.field.table(common, best))[0].at], nil
}

// sample draws a candidate around one of the best, the better the likelier, or anywhere while there are none.
func (r *race) sample(elites []*candidate, deviation float64) *candidate {
	if len(elites) == 0 {
		return r.sampler.anywhere()
	}
	odds := make([]float64, len(elites))
	n := float64(len(elites))
	for k := range odds {
		odds[k] = 2 * (n - float64(k)) / (n * (n + 1))
	}
	if c := r.sampler.around(elites[pick(odds, r.sampler.rng.Float64())], deviation); c != nil {
		return c
	}
	return r.sampler.anywhere()
}

// iterate is one race. Its heats are one that nobody has run, then those of the best so far in a random order, then others.
func (r *race) iterate(ctx context.Context, iteration int, elites, alive []*candidate, limit float64) ([]*candidate, error) {
	old := r.heatsOf(elites)
	heats := make([]int, 0, len(old)+1)
	next := 0
	for slices.Contains(old, next) {
		next++
	}
	if next < r.field.heats() {
		heats = append(heats, next)
	}
	for _, k := range r.sampler.rng.Perm(len(old)) {
		heats = append(heats, old[k])
	}
	record := Iteration{Candidates: len(alive)}
	done := 0
	for {
		if done == len(heats) {
			for next++; slices.Contains(heats, next); next++ {
			}
			if next >= r.field.heats() {
				break
			}
			heats = append(heats, next)
		}
		heat := heats[done]
		if n := r.field.missing(heat, alive); done >= min(firstTest, r.field.heats()) && r.used()+float64(n)*r.price() > limit {
			break
		}
		if err := r.field.run(ctx, heat, alive); err != nil {
			return nil, err
		}
		done++
		if r.told != nil {
			r.told(min(1, r.used()/r.limit()), raceText(iteration, len(alive), done))
		}
		if done < firstTest {
			continue
		}
		worse, err := r.test.worse(r.field.table(heats[:done], alive), dropsAt)
		if err != nil {
			return nil, err
		}
		for _, k := range slices.Backward(worse) {
			if !slices.Contains(elites, alive[k]) || r.covered(alive[k], heats[:done]) {
				alive = slices.Delete(alive, k, k+1)
				record.Dropped++
			}
		}
		if len(alive) == 1 || len(alive) <= r.rounds() && done >= len(old)+1 {
			break
		}
	}
	alive = r.ranked(alive, elites, heats[:done])
	alive = alive[:min(len(alive), r.rounds())]
	record.Heats, record.Runs = done, r.field.runs
	record.Best = kit.Each(alive, func(c *candidate) string { return c.choice.Label })
	r.record = append(r.record, record)
	return alive, nil
}

// ranked orders candidates by their results on the heats. A newcomer that has not run all heats that one of the best before it has run comes after these.
func (r *race) ranked(alive, elites []*candidate, heats []int) []*candidate {
	var list, behind []*candidate
	for _, s := range r.test.standings(r.field.table(heats, alive)) {
		c := alive[s.at]
		untried := slices.ContainsFunc(alive, func(e *candidate) bool {
			return slices.Contains(elites, e) && !r.covered(e, heats)
		})
		if untried && !slices.Contains(elites, c) {
			behind = append(behind, c)
		} else {
			list = append(list, c)
		}
	}
	return append(list, behind...)
}

// heatsOf lists the heats that one of the candidates has run.
func (r *race) heatsOf(candidates []*candidate) []int {
	var heats []int
	for heat := range r.field.results {
		if slices.ContainsFunc(candidates, func(c *candidate) bool { _, ran := r.field.results[heat][c]; return ran }) {
			heats = append(heats, heat)
		}
	}
	slices.Sort(heats) // the order of a map decides nothing
	return heats
}

// covered reports whether the heats are all that the candidate has run.
func (r *race) covered(c *candidate, heats []int) bool {
	for _, heat := range r.heatsOf([]*candidate{c}) {
		if !slices.Contains(heats, heat) {
			return false
		}
	}
	return true
}

// newSampler draws from a space.
func newSampler(space *Space, seed uint64) *sampler {
	return &sampler{space: space, rng: rand.New(rand.NewPCG(seed, 0x74756e65)), seen: map[string]bool{}}
}
