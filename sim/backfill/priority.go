package backfill

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Priorities are the weights of the priority by which flexible backfilling orders its queue. It is the priority of a local scheduler
// with the heuristics Aging, Deadline, Licences and Wait Minimisation of the paper on two-level scheduling. A zero means zero;
// [DefaultPriorities] are the defaults.
type Priorities struct {
	Aging        float64 `range:"[-1e18, 1e18]" doc:"weight of a time unit of waiting"`
	DeadlineLow  float64 `range:"[-1e18, 1e18]" doc:"score of a job whose deadline is far or missed"`
	DeadlineHigh float64 `range:"[-1e18, 1e18]" doc:"score of a job that must start now to meet its deadline"`
	DeadlineK    float64 `range:"[-1e18, 1e18]" doc:"number of execution times before the deadline at which the score begins to grow"`
	Licences     float64 `range:"[-1e18, 1e18]" doc:"weight of how scarce the licences are that the job asks for: what is asked for, divided by the copies"`
	Wait         float64 `range:"[-1e18, 1e18]" doc:"score of the job with the shortest estimate"`
}

// DefaultPriorities are the weights that the specification of the two-level scheduler assumes, as the paper states none.
func DefaultPriorities() Priorities { return Priorities{0.001, 0.1, 10, 2, 1, 1} }

// of is the priority at time now of a job with the arrival and the deadline (+Inf: none). fastest is its estimate on the machines that
// are best for it, length the estimate that the least of all queued jobs, shortest, is compared with, and licences the score of the
// licences it asks for.
func (p *Priorities) of(now, arrival, deadline, fastest, length, shortest, licences float64) float64 {
	return p.aging(now, arrival) + p.deadline(now, deadline, fastest) + p.Licences*licences + p.wait(length, shortest)
}

// aging is the score of the time that a job has waited.
func (p *Priorities) aging(now, arrival float64) float64 { return p.Aging * (now - arrival) }

// wait is the score of a short job: the largest for the shortest.
func (p *Priorities) wait(length, shortest float64) float64 {
	if length > 0 {
		return p.Wait * (shortest / length)
	}
	return p.Wait
}

// licenceScore is the score of the licences that a job asks for, each with how scarce it is: what all queued jobs ask for over the copies.
// One that is critical, which is scarcer than 1, counts as often as there are licences asked for that are not critical, at least once.
func licenceScore(needs []model.Need, scarcity []float64, plenty int) float64 {
	score := 0.0
	for _, need := range needs {
		switch ratio := scarcity[need.Licence]; {
		case need.Copies == 0:
		case ratio > 1:
			score += float64(max(plenty, 1)) * ratio
		default:
			score += ratio
		}
	}
	return score
}

// deadline is the score of a deadline. It grows linearly while the job, started now, would end within DeadlineK times its execution
// time before the deadline.
func (p *Priorities) deadline(now, deadline, fastest float64) float64 {
	end, from := now+fastest, deadline-p.DeadlineK*fastest
	if end <= from || end > deadline || math.IsInf(deadline, 1) || from >= deadline {
		return p.DeadlineLow
	}
	return p.DeadlineLow + (p.DeadlineHigh-p.DeadlineLow)*(end-from)/(deadline-from)
}
