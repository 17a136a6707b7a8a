package solve

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

// copied returns a copy of the schedule without the figures that it states of itself. The copy shares nothing with the schedule: a solver that
// writes into its start must not change the caller's schedule, and one that writes into what it returned must not change the schedule that was checked.
//
// Complexity: O(pieces + ranges of processors), with a fixed number of allocations besides one for each job in pieces.
func copied(from *model.Solution) *model.Solution {
	sol := Bare(from)
	sol.Jobs, sol.Unscheduled, sol.Loads = slices.Clone(sol.Jobs), slices.Clone(sol.Unscheduled), slices.Clone(sol.Loads)
	n := 0
	for k := range sol.Jobs {
		n += len(sol.Jobs[k].Processors)
		for i := range sol.Jobs[k].Pieces {
			n += len(sol.Jobs[k].Pieces[i].Processors)
		}
	}
	ranges := make([]model.Range, 0, n) // of all sets: so the copy of a million jobs takes one allocation for them
	set := func(s model.ProcessorSet) model.ProcessorSet {
		if s == nil {
			return nil
		}
		at := len(ranges)
		ranges = append(ranges, s...)
		return slices.Clip(model.ProcessorSet(ranges[at:]))
	}
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		p.Processors, p.Pieces = set(p.Processors), slices.Clone(p.Pieces)
		for i := range p.Pieces {
			p.Pieces[i].Processors = set(p.Pieces[i].Processors)
		}
	}
	return sol
}
