package model

import "sort"

// StepSums adds up the values of steps over time. The first value holds before its time too, the last for ever.
type StepSums struct {
	Steps []Step    // ascending, at least one
	rests []float64 // by step: what its time lacks of the exact one
	sums  []float64 // by step: from the first step to this one
}

// SumSteps prepares the sums. O(n) for n steps.
func SumSteps(steps []Step) *StepSums {
	return sumSteps(steps, make([]float64, len(steps)))
}

// SumsWithin are the sums of [StepsWithin], at the exact times at which the list repeats, as the metrics have them; false: the steps are too many. O(n) for n steps.
func SumsWithin(list []Step, period, from, to float64) (*StepSums, bool) {
	exact, few := exactSteps(list, period, from, to)
	if !few {
		return nil, false
	}
	steps, rests := make([]Step, len(exact)), make([]float64, len(exact))
	for k := range exact {
		steps[k], rests[k] = exact[k].Step, exact[k].rest
	}
	return sumSteps(steps, rests), true
}

// sumSteps sums up steps at exact times.
func sumSteps(steps []Step, rests []float64) *StepSums {
	s := &StepSums{Steps: steps, rests: rests, sums: make([]float64, len(steps))}
	for k := 1; k < len(steps); k++ {
		s.sums[k] = s.sums[k-1] + steps[k-1].Value*(steps[k].Time-steps[k-1].Time+(rests[k]-rests[k-1]))
	}
	return s
}

// later says whether a step begins after a time.
func (s *StepSums) later(step int, time float64) bool {
	return !begunBy(s.Steps[step].Time, s.rests[step], time)
}

// At is the position of the step that holds at the time. O(log n).
func (s *StepSums) At(time float64) int {
	return max(0, sort.Search(len(s.Steps), func(k int) bool { return s.later(k, time) })-1)
}

// AtFrom is At, where the step is likely at a position or some steps after it. O(log n), O(1) if that is so.
func (s *StepSums) AtFrom(near int, time float64) int {
	for k := near; k < min(near+8, len(s.Steps)) && !s.later(k, time); k++ {
		if k+1 == len(s.Steps) || s.later(k+1, time) {
			return k
		}
	}
	return s.At(time)
}

// Over is value × time added up from one time to another. O(log n).
func (s *StepSums) Over(from, to float64) float64 { return s.Between(s.At(from), s.At(to), from, to) }

// Between is Over, where the steps at both times are known. O(1).
func (s *StepSums) Between(a, b int, from, to float64) float64 {
	if a == b {
		return s.Steps[a].Value * (to - from)
	}
	return s.Steps[a].Value*(s.Steps[a+1].Time-from+s.rests[a+1]) + (s.sums[b] - s.sums[a+1]) + s.Steps[b].Value*(to-s.Steps[b].Time-s.rests[b])
}
