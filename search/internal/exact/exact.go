// Package exact finds the best schedule of a small instance by dynamic programming, and proves that no other is better.
package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/separable"
)

// jobs is the largest number of jobs that [Minimise] takes.
const jobs = 16

// maxStates is the largest number of states that are kept on one cluster for all sets with the same number of jobs.
const maxStates = 2_000_000

// ErrTooLarge says that an instance is too large for an exhaustive search.
var ErrTooLarge = errors.New("search: too large for an exhaustive search")

// Takes returns nil if [Minimise] takes the instance; otherwise the error says why not.
func Takes(in *model.Instance) error {
	const clusters = 8
	if in.LaterMayBeBetter() {
		_, err := newPowerProblem(in)
		return err
	}
	switch {
	case len(in.Jobs()) > jobs:
		return fmt.Errorf("%w: expected at most %[3]d jobs, found %[2]d", ErrTooLarge, len(in.Jobs()), jobs)
	case len(in.Clusters()) > clusters:
		return fmt.Errorf("%w: expected at most %[3]d clusters, found %[2]d", ErrTooLarge, len(in.Clusters()), clusters)
	}
	if err := refused(in); err != nil {
		return err
	}
	switch {
	case separable.New(context.Background(), in) != nil:
		return nil
	case newJoint(context.Background(), in) == nil:
		return fmt.Errorf("%w machines of a cluster that do not all run a licence, or jobs that wait for others where one runs nowhere", ErrRefused)
	case len(in.Jobs()) > jointJobs:
		return fmt.Errorf("%w: expected at most %[3]d jobs with precedence or licences, found %[2]d", ErrTooLarge, len(in.Jobs()), jointJobs)
	}
	return nil
}

// Left is the number of jobs that [Minimise] leaves out because they do not end within the horizon, whatever else runs.
func Left(in *model.Instance) int {
	if !in.LaterMayBeBetter() {
		return 0
	}
	p, err := newPowerProblem(in)
	if err != nil {
		return 0
	}
	return len(in.Jobs()) - mathbits.OnesCount32(p.waiting)
}

// Found is the result of [Minimise].
type Found struct {
	Solution    *model.Solution
	Evaluations int64 // jobs placed
	Stop        model.Stop
	// Proved says that the search looked at everything: no schedule of all jobs, but for those of [Left], costs less than Least.
	Proved bool
	Least  float64
	// Doubtful says that the schedule may cost more than Least: a job of it ends so soon after its deadline that rounding decides whether it is late, or a machine may be off where
	// the schedule may not count on all times for it. Otherwise the two differ by rounding alone.
	Doubtful bool
	// Rounding is by how much a time of a schedule may be off because its jobs' times were added up in double precision; 0: no sum of these times
	// is rounded. Exact says that no sum of the objective is rounded either.
	Rounding float64
	Exact    bool
	// Together says that the search placed jobs on all clusters at once, because these depend on each other.
	Together bool
}

// Minimise finds the best schedule among those that cost less than the limit. If it looks at everything and finds no schedule,
// none costs less than the limit. Each placing of a job counts as an evaluation; maxEvals limits the evaluations, 0 means no
// limit.
//
// Some list schedule in order of start is optimal, because no metric of package separable grows when a job ends earlier and
// takes the same time. So on each cluster the search places jobs in order of start, for all sets of jobs at once. It drops a
// state if another state of the same set has at least as many processors free at every time and costs no more, or if the state
// alone costs as much as the limit. At the end it shares the jobs out among the clusters.
//
// A job that takes no time holds no processor. The search places it when it is ready. Such a job does not wait for jobs placed
// before it, and jobs placed after it do not wait for it.
//
// Where power limits schedules or counts, later may be better: a programme over time takes the place of all this, see powered.
//
// With precedence or licences the clusters depend on each other. The search then treats all of them at once, see joint, for up
// to 10 jobs.
//
// Complexity: O(2ⁿ·states·n) for each cluster and O(3ⁿ) for each cluster from the third on, for n jobs.
func Minimise(ctx context.Context, in *model.Instance, limit float64, maxEvals int64) (Found, error) {
	if in.LaterMayBeBetter() {
		return minimisePower(ctx, in, limit, maxEvals)
	}
	if err := Takes(in); err != nil {
		return Found{}, err
	}
	x := &separate{p: separable.New(ctx, in), maxEvals: maxEvals, limit: limit}
	if x.p == nil { // or ctx has ended
		return minimiseJointly(ctx, in, limit, maxEvals)
	}
	found := Found{Stop: x.run(ctx), Evaluations: x.evaluations}
	found.Rounding, found.Exact = rounding(x.p)
	if found.Stop != model.StopDone || x.full {
		return found, nil
	}
	var err error
	found.Solution, found.Least, err = x.solution()
	found.Proved = err == nil
	found.Doubtful = found.Solution != nil && doubtful(in, found.Solution)
	return found, err
}

// rounding is the largest rounding error of a time that adds up an arrival and the durations of jobs, deadlines included. It is 0 if all times are
// multiples of a power of two that is coarse enough for exact sums, as whole numbers are. The sums of the objective are exact then too if its metrics
// are times and numbers with whole weights, unless these are very large.
func rounding(p *separable.Problem) (off float64, exact bool) {
	finest, last, sum := math.MaxInt, 0.0, 0.0
	note := func(t float64) {
		if fraction, exponent := math.Frexp(t); fraction != 0 && !math.IsInf(t, 0) {
			last = max(last, math.Abs(t))
			digits := uint64(int64(math.Ldexp(fraction, 53)))
			finest = min(finest, exponent-53+mathbits.TrailingZeros64(digits))
		}
	}
	note(p.Origin)
	for _, j := range p.Movable {
		longest := 0.0
		for c := range p.Clusters {
			if on := &p.Clusters[c].Jobs[j]; on.Size > 0 {
				note(on.Arrival)
				note(on.Deadline)
				note(on.Duration)
				longest = max(longest, on.Duration)
			}
		}
		sum += longest
	}
	end, limit := last+sum, math.Ldexp(1, min(finest, 0)+53) // a multiple of a larger power of two is one of 1 as well
	if end > limit {
		return float64(len(p.Movable)+2) * (math.Nextafter(end, math.Inf(1)) - end), false
	}
	weights := 0.0
	for _, term := range p.In.ObjectiveTerms() {
		switch term.Metric {
		case "makespan", "over_deadline", "missed", "finished", "unfinished":
			weights += math.Abs(term.Weight) * float64(len(p.In.Jobs()))
		case "idle_time":
			weights += 2 * math.Abs(term.Weight) * p.Processors
		default:
			return 0, false
		}
		if term.Weight != math.Trunc(term.Weight) {
			return 0, false
		}
	}
	return 0, weights*max(1, end) <= limit
}
