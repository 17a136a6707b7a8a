package schedules

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// pace holds about how many ns evaluations take on one core. It is derived from the number of steps that it took to decode the
// start (see plan.Resources.Work). So it depends on the instance and the start alone.
type pace struct {
	first  int64   // to decode the start
	step   int64   // for a move of annealing
	starts []int64 // by start rule: to try it
	slot   int64   // to place a job
}

// budget is a second in ns: pace counts the evaluations that fit into it.
const budget = 1_000_000_000

// paceOf derives the pace from work, the time that it took to find the slots when the genome was decoded.
func (p *problem) paceOf(work int64, genome *genome, starts []startRule) pace {
	n := int64(len(p.jobs))
	tried := p.tries(func(job int32) choice { return genome.choices[job] })
	slot := float64(work) / (1 + lookShare*(tried-1)) // with one try for each job
	first := 1000 + int64(slot) + 60*n
	if p.objective.Evaluate { // the schedule is also written out and evaluated
		first += int64(slot) + 3000*n
	}
	pace := pace{first: first, slot: first / max(1, n)}
	all := p.tries(func(int32) choice { return choice{cluster: -1} })
	pace.step = 1000 + int64(float64(first)*2/3*(1+openShare*lookShare*(all-1))) // few moves decode from the beginning, or to the end
	for _, o := range starts {
		open := choice{cluster: -1}
		if o.width != nil || o.widths != nil {
			open.width = 1
		}
		tries := p.tries(func(int32) choice { return open })
		events := n * int64(300+5*len(p.in.Clusters()))
		pace.starts = append(pace.starts, 2*first+events+int64(lookShare*tries*slot))
	}
	return pace
}

// lookShare is the part of the time to place a job that goes into finding its slot. openShare is the share of jobs whose choice
// the moves leave open. Both are about what was measured.
const (
	lookShare = 0.7
	openShare = 0.03
)

// tries is the mean number of slots that are tried to place a job by its choice.
func (p *problem) tries(choice func(job int32) choice) float64 {
	all := 0
	on := func(job, cluster, width int32) {
		if all++; width > 0 {
			return
		}
		least, most := p.widths(int(job), int(cluster))
		tasks := p.in.Jobs()[job].Tasks
		for n := nextWidth(tasks, least); n <= most; n = nextWidth(tasks, n) {
			all++
		}
	}
	for _, j := range p.jobs {
		switch c := choice(j); {
		case len(p.hosts[j]) == 0:
			all++
		case c.cluster >= 0:
			on(j, c.cluster, c.width)
		default:
			for _, host := range p.hosts[j] {
				on(j, host, c.width)
			}
		}
	}
	return max(1, float64(all)/float64(max(1, len(p.jobs))))
}

// chains is the number of chains: maxChains, or fewer if their starts alone would take more than half of the budget.
func (s *pace) chains() int {
	return int(max(1, min(maxChains, budget/2/max(1, s.first))))
}

// round is about the number of moves that take 20 ms.
func (s *pace) round() int64 { return max(1, budget/50/s.step) }

// pace is the number of evaluations that fit into the budget, at least one. The first evaluations of a chain are the start and
// its share of the start rules.
func (s *pace) pace(chains int) int64 {
	spent := s.first * int64(chains)
	made := int64(chains)
	for _, start := range s.starts {
		if spent >= budget {
			break
		}
		spent += start
		made++
	}
	return max(1, made+max(0, budget-spent)/s.step)
}

// measure decodes the start on the first chain and derives from it how long evaluations take. It returns false if it was told to
// stop.
func (s *Engine) measure(c *chain, stop func() bool, starts []startRule) bool {
	if len(s.problem.jobs) > 0 {
		c.decoder.stop = stop
		if c.started = c.adopt(c.start); !c.started {
			return c.decoder.failed != nil
		}
		c.ahead = 1
	}
	s.pacing = s.problem.paceOf(c.decoder.resources.Work(), c.start, starts)
	copy(c.start.choices, c.found.choices) // what decoding chose, for the other chains too
	copy(c.move.genome.choices, c.found.choices)
	return true
}

// slotCost is about the ns to place a job in an empty schedule.
func slotCost(in *model.Instance, size int) int64 {
	cost := 60 + int64(size/len(in.Clusters()))/64
	if in.Features()&(model.MemoryLimits|model.LicencePools) != 0 {
		cost *= 20
	}
	return min(cost, math.MaxInt32)
}
