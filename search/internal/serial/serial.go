// Package serial is the search engine for rigid jobs that depend on each other: jobs that wait for others or share licences, on clusters
// whose processors are alike for every job.
//
// It codes a schedule as one order of all jobs and a cluster for each job. The serial scheme decodes it: jobs fill holes where they fit. The
// search is a genetic algorithm with double justification.
package serial

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/engine"
)

// Engine evolves several populations side by side. They exchange members between the rounds.
type Engine struct {
	problem *problem
	islands []*island
	rng     *rand.Rand
}

// islands is the number of populations.
const islands = 4

// New makes the engine. It returns nil if the engine cannot search the instance.
func New(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine.Engine, error) {
	p := newProblem(ctx, in)
	if p == nil {
		return nil, nil
	}
	e := &Engine{problem: p, rng: rand.New(rand.NewPCG(seed, 0))}
	guests := p.guests(start)
	var met *member
	if len(p.hard) > 0 {
		if len(start.Jobs) == p.n {
			met = newDecoder(p).meeting(guests[0])
		}
		if met == nil {
			return nil, nil // it is not known whether all hard deadlines can be met
		}
	}
	for k := range islands {
		if ctx.Err() != nil {
			return nil, nil
		}
		s := newIsland(p, p.population(), rand.New(rand.NewPCG(seed, uint64(k)+1)))
		s.met = met
		for i := k; i < len(guests); i += islands {
			s.guests = append(s.guests, guests[i])
		}
		e.islands = append(e.islands, s)
	}
	return e, nil
}

// population is the number of members of an island at first. It is small for few jobs, because these need few evaluations. It is small for many
// jobs too, because filling a large one would take the whole time. Where the makespan alone counts, populations soon converge and begin anew
// with more members, so that they may begin with few.
func (p *problem) population() int {
	most := 240
	if p.lastOnly {
		most = 60
	}
	return max(16, min(p.n*p.n/15, most, 28_800/p.n))
}

// guests are the orders that the islands begin with: the order of the start and those of the priority rules. A job that the start spreads over clusters,
// which the engine does not do, is on the first of them that can run it, or on any.
func (p *problem) guests(start *model.Solution) []*member {
	var all []*member
	if len(start.Jobs) == p.n {
		m := newMember(p.n)
		for k := range start.Jobs {
			placed := &start.Jobs[k]
			j, _ := p.In.JobIndex(placed.Job) // known, as the checker accepted the start
			host := int32(p.HostOf(placed, j))
			at := slices.IndexFunc(p.places[j], func(at place) bool { return at.cluster == host })
			m.at[j], m.start[j] = int32(at), placed.Start
		}
		copy(m.order, p.order)
		slices.SortStableFunc(m.order, func(a, b int32) int { return cmp.Compare(m.start[a], m.start[b]) })
		all = append(all, m)
	}
	for _, rule := range rules {
		all = append(all, &member{order: p.listed(func(j int32) float64 { return rule(p, j) })})
	}
	return all
}

// rules are rules of priority; the job with the least value goes first.
var rules = []func(p *problem, j int32) float64{
	func(p *problem, j int32) float64 { return -p.tail[j] - p.places[j][0].length }, // longest path behind it
	func(p *problem, j int32) float64 {
		return p.In.Jobs()[j].Deadline - p.unit*(p.tail[j]+p.places[j][0].length)
	}, // least slack
	func(p *problem, j int32) float64 { return p.arrival[j] }, // first come
	func(p *problem, j int32) float64 { return p.util[j] },    // smallest
	func(p *problem, j int32) float64 { return p.head[j] },    // earliest start
}

// listed orders the jobs by value, the least first, but puts each job behind all those that it waits for.
func (p *problem) listed(value func(j int32) float64) []int32 {
	order := make([]int32, 0, p.n)
	left := slices.Clone(p.order)
	slices.SortStableFunc(left, func(a, b int32) int { return cmp.Compare(value(a), value(b)) })
	taken := make([]bool, p.n)
	var add func(j int32)
	add = func(j int32) {
		if taken[j] {
			return
		}
		taken[j] = true
		for _, k := range p.before.of(j) {
			add(k)
		}
		order = append(order, j)
	}
	for _, j := range left {
		add(j)
	}
	return order
}

// Chains implements [engine.Engine].
func (e *Engine) Chains() int { return len(e.islands) }

// Round implements [engine.Engine].
func (e *Engine) Round() int64 { return max(16, e.Pace()/50) }

// Pace implements [engine.Engine].
func (e *Engine) Pace() int64 {
	each := int64(60)
	if e.problem.room == 0 {
		each = 120 + int64(e.problem.n)/4
	}
	return max(1, 1_000_000_000/(each*int64(e.problem.n)+500))
}

// Advance implements [engine.Engine].
func (e *Engine) Advance(k int, evaluations int64, stop func() bool) int64 {
	s := e.islands[k]
	if e.problem.n == 1 && len(e.problem.several) == 0 && s.passes > 0 {
		return 0 // there is one schedule only
	}
	first := s.passes
	for s.passes-first < evaluations && !stop() {
		s.step(evaluations - (s.passes - first))
	}
	return s.passes - first
}

// Best implements [engine.Engine].
func (e *Engine) Best(k int) model.Rank { return e.islands[k].best }

// Exchange implements [engine.Engine]: each island exchanges some members with the next. If the islands have converged, or most children of late
// were schedules that the islands had already, all populations begin anew with twice as many members.
func (e *Engine) Exchange() {
	made, repeats := int64(0), int64(0)
	for _, s := range e.islands {
		made, repeats = made+s.made, repeats+s.repeats
	}
	if made >= 400 {
		for _, s := range e.islands {
			s.made, s.repeats = 0, 0
		}
		if repeats*2 > made {
			e.restart()
			return
		}
	}
	if !slices.ContainsFunc(e.islands, func(s *island) bool { return !s.converged() }) {
		e.restart()
		return
	}
	for k, s := range e.islands {
		next := e.islands[(k+1)%len(e.islands)]
		for range min(len(s.members), len(next.members)) / 10 {
			a, b := e.rng.IntN(len(s.members)), e.rng.IntN(len(next.members))
			s.swap(a, next, b)
		}
	}
}

// converged says that nearly all members of a full population are as good as the best one, so that choosing among them leads nowhere. They may
// well be different schedules: many schedules have the same makespan.
func (s *island) converged() bool {
	const share, near = 0.9, 1e-3 // of the members; of the best value
	if len(s.members) < s.size && s.tries > 0 {
		return false
	}
	best := math.Inf(1)
	for _, m := range s.members {
		best = min(best, m.value)
	}
	good := 0
	for _, m := range s.members {
		if m.value <= best+near*math.Abs(best) {
			good++
		}
	}
	return float64(good) >= share*float64(len(s.members))
}

// swap exchanges member a for member b of another island, unless one of the islands has the schedule that it would get.
func (s *island) swap(a int, other *island, b int) {
	x, y := s.members[a], other.members[b]
	_, here := s.known[y.hash]
	_, there := other.known[x.hash]
	if here || there {
		return
	}
	delete(s.known, x.hash)
	delete(other.known, y.hash)
	s.known[y.hash], other.known[x.hash] = struct{}{}, struct{}{}
	s.members[a], other.members[b] = y, x
}

// maxPopulation is the largest number of members of an island, so that all islands together take at most some 64 MB.
func (p *problem) maxPopulation() int { return max(20, min(4000, 1_000_000/p.n)) }

// restart empties the populations and doubles their sizes. The best schedules found are kept, but are no members of the new populations: these
// would converge to them.
func (e *Engine) restart() {
	for _, s := range e.islands {
		s.members = s.members[:0]
		clear(s.known)
		s.size = min(2*s.size, e.problem.maxPopulation())
		s.tries = 2 * s.size
		s.made, s.repeats = 0, 0
	}
}

// Solution implements [engine.Engine].
func (e *Engine) Solution(k int) (*model.Solution, error) {
	return e.problem.write(e.islands[k].found), nil
}

// write turns a member into a schedule with processors. At no time are more processors in use than the cluster has. So the jobs, taken in the
// order of their starts, always find enough free ones. A job that takes no time holds nothing: it gets the first processors, whatever runs
// there.
func (p *problem) write(m *member) *model.Solution {
	order := slices.Clone(m.order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(m.start[a], m.start[b]) })
	free := make([]*plan.UniformProcessors, len(p.Clusters))
	s := &model.Solution{}
	for _, j := range order {
		at := &p.places[j][m.at[j]]
		c, size := int(at.cluster), int(p.Clusters[at.cluster].Jobs[j].Size)
		cluster := &p.In.Clusters()[c]
		if free[c] == nil {
			free[c] = plan.NewUniformProcessors(p.In, c, 0, cluster.Processors)
		}
		start, end := p.origin+p.unit*m.start[j], p.origin+p.unit*(m.start[j]+at.length)
		set := model.NewProcessorSet(model.Range{First: 0, Last: size - 1})
		if end > start {
			set = free[c].Take(size, start, end)
		}
		s.Jobs = append(s.Jobs, model.Placement{Job: p.In.Jobs()[j].ID, Cluster: cluster.ID, Processors: set, Start: start, End: end})
	}
	return s
}
