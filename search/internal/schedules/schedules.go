// Package schedules is the search engine for every instance.
//
// It codes a schedule as one order of all jobs and a choice for each job. The choice is a cluster and a number of processors, or
// the ones with which the job ends first. List decoding turns the code into a schedule (see plan.Resources). A job whose span is
// the grid may also be spread over several clusters.
package schedules

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
)

// Engine runs several chains of annealing. A chain anneals again and again: from the start, from schedules made by priority
// rules and from the best schedules found so far.
type Engine struct {
	problem *problem
	runs    []*chain
	pacing  pace
	failed  bool       // a chain has failed: the search ends
	leading model.Rank // rank of elite
	elite   genome     // the best of all chains at the last exchange
}

// maxTurned is the largest number of jobs for which forward–backward improvement is tried. Sorting more jobs takes too long without a check
// whether to stop.
const maxTurned = 20_000

// maxChains is the largest number of chains.
const maxChains = 4

// New makes the engine. It takes every instance and returns nil only if ctx ends.
func New(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine.Engine, error) {
	p := newProblem(ctx, in)
	if p == nil {
		return nil, nil
	}
	s := &Engine{problem: p, leading: engine.Nothing}
	genome := p.genomeOf(start)
	starts := append(p.moldableStarts(ctx), p.startRules()...)
	for k, chains := 0, 1; k < chains; k++ {
		if ctx.Err() != nil {
			return nil, nil
		}
		c := newChain(p, rand.New(rand.NewPCG(seed, uint64(k))), &genome)
		if k == 0 {
			if !s.measure(c, func() bool { return ctx.Err() != nil }, starts) {
				return nil, nil
			}
			chains = s.pacing.chains()
		}
		c.base = firstHeat[k%len(firstHeat)]
		c.pacing = &s.pacing
		c.decoder.cost = s.pacing.slot
		for i := k; i < len(starts); i += chains {
			c.starts = append(c.starts, starts[i])
		}
		s.runs = append(s.runs, c)
	}
	return s, nil
}

// Chains implements [engine.Engine].
func (s *Engine) Chains() int { return len(s.runs) }

// Best implements [engine.Engine].
func (s *Engine) Best(k int) model.Rank {
	if s.runs[k].decoder.failed != nil {
		return model.NewRank(-1, 0) // so that the driver asks for its solution and gets the error
	}
	return s.runs[k].best
}

// Solution implements [engine.Engine].
func (s *Engine) Solution(k int) (*model.Solution, error) {
	for _, c := range s.runs {
		if c.decoder.failed != nil {
			return nil, c.decoder.failed
		}
	}
	found, err := s.problem.schedule(s.runs[k].found.order, s.runs[k].results)
	if err == nil && found == nil {
		found = &model.Solution{} // the driver sees that it lacks jobs
	}
	return found, err
}

// Round implements [engine.Engine].
func (s *Engine) Round() int64 { return s.pacing.round() }

// Pace implements [engine.Engine].
func (s *Engine) Pace() int64 { return s.pacing.pace(len(s.runs)) }

// Exchange implements [engine.Engine]: every chain may later start again from the best schedule of all.
func (s *Engine) Exchange() {
	leader := s.runs[0]
	for _, c := range s.runs {
		s.failed = s.failed || c.decoder.failed != nil
		if c.best.Less(leader.best) {
			leader = c
		}
	}
	if leader.best.Less(s.leading) {
		s.leading = leader.best
		s.elite.assign(&leader.found)
		for _, c := range s.runs {
			c.elite = &s.elite
		}
	}
}

// Advance implements [engine.Engine].
func (s *Engine) Advance(k int, evaluations int64, stop func() bool) int64 {
	c := s.runs[k]
	if s.failed {
		return 0
	}
	c.decoder.stop, c.decoder.stopped = stop, false
	if len(s.problem.jobs) == 0 { // the only schedule leaves all jobs out
		if c.started {
			return 0
		}
		c.started = c.adopt(c.start)
		return 1
	}
	used := c.ahead
	c.ahead = 0
	for used < evaluations && !c.decoder.stopped {
		switch {
		case !c.started:
			c.started = c.adopt(c.start)
		case len(c.starts) > 0:
			if genome, ok := c.decoder.dispatch(c.starts[0]); ok {
				c.offer(&genome)
				c.starts = c.starts[1:]
			}
		case c.turn:
			c.turn = c.turnRound()
		case !s.problem.searchable():
			return used
		default:
			c.step()
		}
		used++
	}
	return used
}

// searchable says that the instance has more than one code of a schedule.
func (p *problem) searchable() bool {
	return len(p.jobs) > 1 || len(p.moldable) > 0 || len(p.several) > 0
}

// chain is one chain.
type chain struct {
	problem *problem
	decoder *decoder
	move    *move
	rng     *rand.Rand
	start   *genome
	started bool
	ahead   int64 // evaluations made before the first round
	pacing  *pace
	starts  []startRule // priority rules still to be tried
	turn    bool        // the present schedule may get shorter by forward–backward improvement
	elite   *genome     // the best of all chains; nil: there is none yet

	now     model.Rank
	energy  float64 // what is annealed: the objective and, if the makespan counts, a little of the mean response
	best    model.Rank
	found   genome // the best, with the choices that decoding made
	results []result

	annealing
}

// annealing is the temperature of a chain.
type annealing struct {
	runs, length, made  int64   // runs so far; evaluations planned for this run; evaluations made in it
	scale               float64 // mean change of the energy by a move
	samples             int
	temperature, factor float64
	base, hot           float64    // temperatures at which the first runs begin and at which this run began, in shares of scale
	before              model.Rank // rank of the best schedule before the run
}

func newChain(p *problem, rng *rand.Rand, start *genome) *chain {
	return &chain{problem: p, decoder: newDecoder(p), move: newMove(p, rng), rng: rng, start: start,
		best: engine.Nothing, turn: p.waits}
}

// adopt continues from genome g. It returns false if it was told to stop.
func (c *chain) adopt(g *genome) bool {
	if !c.decoder.decode(g, 0, math.Inf(1)) {
		c.decoder.drop(g)
		return false
	}
	c.move.start(g)
	c.accept()
	return true
}

// offer continues from genome g if that is better.
func (c *chain) offer(g *genome) bool {
	if ok := c.decoder.decode(g, 0, math.Inf(1)); !ok || !c.decoder.rank().Less(c.now) {
		c.decoder.drop(g)
		return false
	}
	c.move.start(g)
	c.accept()
	return true
}

// turnRound tries forward–backward improvement of the present schedule and says whether the result is better.
func (c *chain) turnRound() bool {
	if c.now.Left > 0 || len(c.problem.jobs) > maxTurned || c.decoder.leavesOut() {
		return false
	}
	turned, ok := c.decoder.forwardBackward(&c.move.genome)
	return ok && c.offer(&turned)
}

// accept makes the schedule decoded last the present one.
func (c *chain) accept() {
	c.decoder.keep(&c.move.genome)
	c.now = c.decoder.rank()
	c.energy = c.decoder.energy()
	if !c.now.Less(c.best) {
		return
	}
	c.best = c.now
	c.found.order = append(c.found.order[:0], c.move.genome.order...)
	c.results = append(c.results[:0], c.decoder.kept...)
	c.found.choices = slices.Grow(c.found.choices[:0], len(c.results))[:len(c.results)]
	for j := range c.results {
		c.found.choices[j] = c.problem.choiceOf(int32(j), &c.results[j])
	}
}

// step makes one move of annealing.
func (c *chain) step() {
	if c.made == c.length {
		c.begin()
	}
	c.made++
	c.temperature *= c.factor
	if !c.move.change() {
		return
	}
	allowance := c.temperature * c.rng.ExpFloat64()
	before, limit := c.energy, c.energy+allowance
	sampling := c.sampling()
	if sampling {
		limit = math.Inf(1)
	}
	change := c.move.changed()
	if !sampling && len(c.problem.jobs) > manyJobs {
		change.most = allowance + surplusHeat*c.temperature + surplusScale*c.scale
	}
	ok := c.decoder.decodeChange(&c.move.genome, change, limit)
	if sampling && ok {
		c.sample(c.decoder.energy() - before)
	}
	if ok && c.accepts(allowance) {
		c.accept()
		return
	}
	c.decoder.drop(&c.move.genome)
	c.move.undo()
}

// Where there are many jobs, a move is given up once the jobs decoded so far cost too much more than before. Too much is the sum of what may be
// accepted, surplusHeat temperatures, and surplusScale of the mean change by a move. The jobs still to come hardly ever make up for that.
const (
	surplusHeat  = 3
	surplusScale = 0.01
)

// accepts says whether to accept the schedule decoded last; allowance is how much worse its energy may be. A schedule that
// leaves more jobs out is hardly ever accepted.
func (c *chain) accepts(allowance float64) bool {
	left := c.decoder.sums.Left
	if left != c.now.Left {
		return left < c.now.Left || allowance > 4*c.hot*c.scale*float64(left-c.now.Left)
	}
	return c.decoder.energy() <= c.energy+allowance
}

// Temperatures are shares of the mean change by a move. A run ends at the temperature coldest. If a run brought no better
// schedule, the next begins hotter by the factor hotter. The limit is 1, or fewJobs divided by the number of jobs if that is
// more; beyond it the next run begins as the first did. This helps where a move changes most of the schedule: a better schedule
// may lie behind many that are much worse.
//
// The first run goes downhill only. The second makes firstRun evaluations for each job, or as many as half a second allows if that is less. A
// later run is longer than the one before by a half if that one brought a better schedule or was the hottest.
const (
	hotter    = 2.5
	fewJobs   = 64
	coldest   = 0.0015
	firstRun  = 100
	tieWeight = 0.01 // weight of the mean response beside the makespan
)

// firstHeat lists the temperatures at which runs begin; the chains take them in turn. Long gentle runs suit many jobs; hot runs
// suit few jobs with many constraints.
var firstHeat = [...]float64{0.04, 0.2}

// The mean change by the first moves becomes the scale of the temperatures. These moves are decoded to the end.
const (
	scaleSamples = 200 // number of these moves
	fewSamples   = 40  // the same with more than manyJobs jobs, where each move takes long
)

// sampling says whether the chain still finds its scale.
func (c *chain) sampling() bool {
	if len(c.problem.jobs) > manyJobs {
		return c.samples < fewSamples
	}
	return c.samples < scaleSamples
}

// sample notes the change of the energy by a move.
func (c *chain) sample(change float64) {
	if change = math.Abs(change); change > 0 && !math.IsInf(change, 1) {
		c.samples++
		c.scale += (change - c.scale) / float64(c.samples)
	}
}

// begin starts the next run, from the best schedule of this chain or, every other time, of all chains.
func (c *chain) begin() {
	if c.runs > 0 {
		from := &c.found
		if c.elite != nil && c.rng.IntN(2) == 0 {
			from = c.elite
		}
		g := genome{slices.Clone(from.order), slices.Clone(from.choices)}
		c.adopt(&g)
	}
	c.runs++
	c.made = 0
	switch {
	case c.runs == 1: // downhill; this also determines the scale
		c.length = int64(min(1000, 10*len(c.problem.jobs)))
		c.temperature, c.factor = 0, 1
		return
	case c.runs == 2:
		c.length = min(int64(firstRun*len(c.problem.jobs)), 25*c.pacing.round())
		c.hot = c.base
	case c.best.Less(c.before) || c.hot*hotter > max(1, fewJobs/float64(len(c.problem.jobs))):
		c.length += c.length / 2
		c.hot = c.base
	default:
		c.hot *= hotter
	}
	c.before = c.best
	c.temperature = c.hot * c.scale
	c.factor = math.Pow(coldest/c.hot, 1/float64(c.length))
}
