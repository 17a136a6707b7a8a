// Package moments is the search engine for jobs whose cost is a function of when they start: prices of power over time, beside waits.
//
// A schedule is kept as the slot of each job. A move frees a few jobs and places them again, one after another, each at the cheapest moment that is left on
// any cluster (see plan.Resources.Cheapest). The jobs are those around a time; or those in the way of one that goes to a better time; or a block of jobs that
// run one after another, which moves as a whole to where a price begins or ends. The engine anneals. An evaluation takes O(jobs moved · slots), whatever the
// number of jobs.
//
// Source: ruin and recreate, G. Schrimpf, J. Schneider, H. Stamm-Wilbrandt, G. Dueck (2000), J. Comput. Phys. 159(2), doi:10.1006/jcph.1999.6413.
package moments

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/engine"
)

// Engine runs several chains of annealing.
type Engine struct {
	problem *problem
	chains  []*chain
	step    int64 // about the ns of an evaluation
	elite   *schedule
	rank    model.Rank // of elite
}

// mostChains is the number of chains, or of one where there are manyJobs: then each has too little time.
const (
	mostChains = 2
	manyJobs   = 2000
)

// New makes the engine. It returns nil if the engine cannot search the instance, or if ctx ends.
func New(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine.Engine, error) {
	p := newProblem(in)
	if p == nil {
		return nil, nil
	}
	e := &Engine{problem: p, rank: engine.Nothing}
	chains := mostChains
	if len(p.jobs) > manyJobs {
		chains = 1
	}
	for k := range chains {
		c := newChain(ctx, p, start, rand.New(rand.NewPCG(seed, uint64(k))))
		if c == nil || ctx.Err() != nil {
			return nil, nil
		}
		e.chains = append(e.chains, c)
	}
	const overhead = 2000
	e.step = overhead + 2*meanMoved*e.chains[0].resources.Work()/int64(max(1, len(p.jobs)))
	return e, nil
}

// Chains implements [engine.Engine].
func (e *Engine) Chains() int { return len(e.chains) }

// Best implements [engine.Engine].
func (e *Engine) Best(k int) model.Rank {
	if e.chains[k].failed != nil {
		return model.NewRank(-1, 0) // so that the driver asks for its solution and gets the error
	}
	return e.chains[k].bestRank
}

// Solution implements [engine.Engine].
func (e *Engine) Solution(k int) (*model.Solution, error) {
	if err := e.chains[k].failed; err != nil {
		return nil, err
	}
	return e.problem.solution(&e.chains[k].best)
}

// Round implements [engine.Engine]: about 20 ms.
func (e *Engine) Round() int64 { return max(1, 20_000_000/e.step) }

// Pace implements [engine.Engine].
func (e *Engine) Pace() int64 { return max(1, 1_000_000_000/e.step) }

// Exchange implements [engine.Engine]: runs may begin from the best schedule of all.
func (e *Engine) Exchange() {
	for _, c := range e.chains {
		if c.bestRank.Less(e.rank) {
			e.rank = c.bestRank
			e.elite = &schedule{}
			e.elite.assign(&c.best)
		}
	}
	for _, c := range e.chains {
		c.elite = e.elite
	}
}

// Advance implements [engine.Engine].
func (e *Engine) Advance(k int, evaluations int64, stop func() bool) int64 {
	c := e.chains[k]
	if len(e.problem.jobs) == 0 || c.failed != nil {
		return 0
	}
	asked := c.resources.Work()
	for used := range evaluations {
		if work := c.resources.Work(); work-asked > 200_000 {
			if asked = work; stop() {
				return used
			}
		}
		c.advance()
	}
	return evaluations
}

// problem is an instance as the engine sees it. It does not change once made.
type problem struct {
	in      *model.Instance
	jobs    []int32   // jobs that can run somewhere, in queue order
	nowhere []int     // the others
	hosts   [][]int32 // by job: clusters on which it can run
	size    []float64 // by job: about its processor time
	waits   bool      // jobs wait for others
	before  []int32   // by job: its place in an order in which no job comes before those that it waits for
}

// features are what the engine honours.
const features = plan.RigidFeatures&^model.BackgroundLoad | model.HardDeadlines | model.Precedence | model.LicencePools | model.BandwidthNeeds | model.MixedMachines |
	model.MachineSpan | model.MoldableJobs | model.PowerLimits

// newProblem reads an instance; nil: the engine cannot search it.
func newProblem(in *model.Instance) *problem {
	if !plan.PricesStarts(in) || in.Features()&^features != 0 {
		return nil
	}
	for _, term := range in.ObjectiveTerms() {
		switch term.Metric {
		case "energy", "energy_cost", "carbon", "mean_wait", "mean_response", "bounded_slowdown", "over_deadline":
		default:
			if term.Weight != 0 {
				return nil
			}
		}
	}
	n := len(in.Jobs())
	p := &problem{in: in, hosts: make([][]int32, n), size: make([]float64, n), before: make([]int32, n), waits: in.Features().Has(model.Precedence)}
	for k, j := range plan.ArrivalOrder(in) {
		p.before[j] = int32(k)
		shortest := math.Inf(1)
		for c := range in.Clusters() {
			if !in.CanRun(j, c) {
				continue
			}
			p.hosts[j] = append(p.hosts[j], int32(c))
			least, _ := in.Width(j, c)
			shortest = min(shortest, float64(least)*in.DurationOn(j, c, least))
		}
		if len(p.hosts[j]) == 0 {
			p.nowhere = append(p.nowhere, j)
			continue
		}
		p.size[j] = shortest
		p.jobs = append(p.jobs, int32(j))
	}
	return p
}

// solution writes a schedule out.
func (p *problem) solution(from *schedule) (*model.Solution, error) {
	s, err := plan.NewCheapSchedule(p.in, plan.Placing{})
	if err != nil {
		return nil, err
	}
	for _, j := range p.jobs {
		if from.placed[j] {
			s.Place(int(j), from.slots[j])
		}
	}
	for _, j := range p.jobs {
		if !from.placed[j] {
			s.LeaveOut(int(j))
		}
	}
	for _, j := range p.nowhere {
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), nil
}

// schedule is the slot of each job.
type schedule struct {
	slots  []plan.Slot
	placed []bool
	left   int     // jobs that are not
	cost   float64 // of those placed
}

// assign copies another schedule.
func (s *schedule) assign(other *schedule) {
	s.slots, s.placed = append(s.slots[:0], other.slots...), append(s.placed[:0], other.placed...)
	s.left, s.cost = other.left, other.cost
}
