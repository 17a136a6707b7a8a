package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// schedules is the engine for every instance: each job has a place in one order, a cluster and a number of processors, or the
// choice of those with which it ends first, and list decoding makes the schedule (see plan.Resources). A job whose span is the grid
// may be spread over several clusters besides. Each chain is annealed over and over, from the start, from rules of priority and
// from what has been found.
type schedules struct {
	problem *scheduleProblem
	runs    []*scheduleChain
	pacing  schedulePace
	failed  bool           // a chain has failed: nothing is searched any more
	leading model.Rank     // of the elite
	elite   scheduleGenome // the best of all chains at the last meeting
}

// scheduleTurned is the most jobs of a schedule that is turned round: more take too long to sort without asking whether to stop.
const scheduleTurned = 20_000

// scheduleChains is the most searches side by side.
const scheduleChains = 4

// newSchedules makes the engine; it takes every instance.
func newSchedules(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine, error) {
	p := newScheduleProblem(ctx, in)
	if p == nil {
		return nil, nil
	}
	s := &schedules{problem: p, leading: model.NoRank()}
	genome := p.genomeOf(start)
	openings := p.openings()
	for k, chains := 0, 1; k < chains; k++ {
		if ctx.Err() != nil {
			return nil, nil
		}
		c := newScheduleChain(p, rand.New(rand.NewPCG(seed, uint64(k))), &genome)
		if k == 0 {
			if !s.measure(c, func() bool { return ctx.Err() != nil }, openings) {
				return nil, nil
			}
			chains = s.pacing.chains()
		}
		c.base = scheduleHot[k%len(scheduleHot)]
		c.pacing = &s.pacing
		c.decoder.cost = s.pacing.slot
		for i := k; i < len(openings); i += chains {
			c.openings = append(c.openings, openings[i])
		}
		s.runs = append(s.runs, c)
	}
	return s, nil
}

// chains implements engine.
func (s *schedules) chains() int { return len(s.runs) }

// best implements engine.
func (s *schedules) best(k int) model.Rank {
	if s.runs[k].decoder.failed != nil {
		return model.NewRank(-1, 0) // so that its solution is asked for, which is the error
	}
	return s.runs[k].best
}

// solution implements engine.
func (s *schedules) solution(k int) (*model.Solution, error) {
	for _, c := range s.runs {
		if c.decoder.failed != nil {
			return nil, c.decoder.failed
		}
	}
	return s.problem.schedule(s.runs[k].found.order, s.runs[k].results)
}

// round implements engine.
func (s *schedules) round() int64 { return s.pacing.round() }

// pace implements engine.
func (s *schedules) pace() int64 { return s.pacing.pace(len(s.runs)) }

// meet implements engine: every chain may begin again from the best of all.
func (s *schedules) meet() {
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

// advance implements engine.
func (s *schedules) advance(k int, evaluations int64, stop func() bool) int64 {
	c := s.runs[k]
	if s.failed {
		return 0
	}
	c.decoder.stop, c.decoder.stopped = stop, false
	if len(s.problem.jobs) == 0 { // the schedule that leaves all jobs out is the only one
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
		case len(c.openings) > 0:
			if genome, ok := c.decoder.dispatch(c.openings[0]); ok {
				c.offer(&genome)
				c.openings = c.openings[1:]
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

// searchable says that there is more than one schedule to code.
func (p *scheduleProblem) searchable() bool {
	return len(p.jobs) > 1 || len(p.moldable) > 0 || len(p.several) > 0
}

// scheduleChain is one of the searches.
type scheduleChain struct {
	problem  *scheduleProblem
	decoder  *scheduleDecoder
	move     *scheduleMove
	rng      *rand.Rand
	start    *scheduleGenome
	started  bool
	ahead    int64 // evaluations made before the first round
	pacing   *schedulePace
	openings []scheduleOpening // still to be tried
	turn     bool              // the schedule kept may get shorter when it is turned round
	elite    *scheduleGenome   // of all chains; nil: not yet

	now     model.Rank
	energy  float64 // what is annealed: the objective, and for the makespan a little of the mean response
	best    model.Rank
	found   scheduleGenome // the best, as it was decided
	results []scheduleResult

	annealing
}

// annealing is the temperature of a chain.
type annealing struct {
	runs, length, made  int64   // runs so far; evaluations of this run; those made
	scale               float64 // mean change by a move
	samples             int
	temperature, factor float64
	base, hot           float64    // what runs begin with first, and what this one did, in shares of the scale
	before              model.Rank // the best before the run
}

func newScheduleChain(p *scheduleProblem, rng *rand.Rand, start *scheduleGenome) *scheduleChain {
	return &scheduleChain{problem: p, decoder: newScheduleDecoder(p), move: newScheduleMove(p, rng), rng: rng, start: start,
		best: model.NoRank(), turn: p.waits}
}

// adopt continues from another genome; false where it is to stop.
func (c *scheduleChain) adopt(g *scheduleGenome) bool {
	if !c.decoder.decode(g, 0, math.Inf(1)) {
		c.decoder.drop(g)
		return false
	}
	c.move.start(g)
	c.accept()
	return true
}

// offer continues from another genome if it is better.
func (c *scheduleChain) offer(g *scheduleGenome) bool {
	if ok := c.decoder.decode(g, 0, math.Inf(1)); !ok || !c.decoder.rank().Less(c.now) {
		c.decoder.drop(g)
		return false
	}
	c.move.start(g)
	c.accept()
	return true
}

// turnRound tries the schedule turned round, and says whether it is better.
func (c *scheduleChain) turnRound() bool {
	if c.now.Left > 0 || len(c.problem.jobs) > scheduleTurned {
		return false
	}
	turned, ok := c.decoder.forwardBackward(&c.move.genome)
	return ok && c.offer(&turned)
}

// accept makes what was decoded the present schedule.
func (c *scheduleChain) accept() {
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
func (c *scheduleChain) step() {
	if c.made == c.length {
		c.begin()
	}
	c.made++
	c.temperature *= c.factor
	if !c.move.change() {
		return
	}
	slack := c.temperature * c.rng.ExpFloat64()
	before, limit := c.energy, c.energy+slack
	if c.samples < scheduleSamples {
		limit = math.Inf(1)
	}
	ok := c.decoder.decode(&c.move.genome, c.move.low, limit)
	if c.samples < scheduleSamples && ok {
		c.sample(c.decoder.energy() - before)
	}
	if ok && c.accepts(slack) {
		c.accept()
		return
	}
	c.decoder.drop(&c.move.genome)
	c.move.undo()
}

// accepts says whether the schedule that was decoded is taken: one with more jobs left out hardly ever.
func (c *scheduleChain) accepts(slack float64) bool {
	left := c.decoder.sums.left
	if left != c.now.Left {
		return left < c.now.Left || slack > 4*c.hot*c.scale*float64(left-c.now.Left)
	}
	return c.decoder.energy() <= c.energy+slack
}

// Temperatures are in shares of the mean change by a move: a run ends at scheduleCold. After one that brought nothing the next
// begins hotter, up to 1, or to scheduleFew divided by the jobs where that is more, and then as before: where a move changes most
// of the schedule, a better one may lie behind many that are much worse. The first run is of so many evaluations a job, or half a
// second where that is less; they get longer by a half after one that brought something or was the hottest.
const (
	scheduleHotter = 2.5
	scheduleFew    = 64
	scheduleCold   = 0.0015
	scheduleFirst  = 100
	scheduleTie    = 0.01 // weight of the mean response beside the makespan
)

// scheduleHot is where runs begin, by chain in turn: long gentle runs suit many jobs, hot ones few jobs with much in their way.
var scheduleHot = [...]float64{0.04, 0.2}

// scheduleSamples is the number of moves that tell how hot to begin.
const scheduleSamples = 200

// sample notes the change by a move.
func (c *scheduleChain) sample(change float64) {
	if change = math.Abs(change); change > 0 && !math.IsInf(change, 1) {
		c.samples++
		c.scale += (change - c.scale) / float64(c.samples)
	}
}

// begin starts the next run: from the best of this chain or, every other time, of all chains.
func (c *scheduleChain) begin() {
	if c.runs > 0 {
		from := &c.found
		if c.elite != nil && c.rng.IntN(2) == 0 {
			from = c.elite
		}
		g := scheduleGenome{slices.Clone(from.order), slices.Clone(from.choices)}
		c.adopt(&g)
	}
	c.runs++
	c.made = 0
	switch {
	case c.runs == 1: // downhill, which also tells the scale
		c.length = int64(min(1000, 10*len(c.problem.jobs)))
		c.temperature, c.factor = 0, 1
		return
	case c.runs == 2:
		c.length = min(int64(scheduleFirst*len(c.problem.jobs)), 25*c.pacing.round())
		c.hot = c.base
	case c.best.Less(c.before) || c.hot*scheduleHotter > max(1, scheduleFew/float64(len(c.problem.jobs))):
		c.length += c.length / 2
		c.hot = c.base
	default:
		c.hot *= scheduleHotter
	}
	c.before = c.best
	c.temperature = c.hot * c.scale
	c.factor = math.Pow(scheduleCold/c.hot, 1/float64(c.length))
}
