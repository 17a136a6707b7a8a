// Package placements finds the placement of each job, for the writers of formats that list jobs.
package placements

import (
	"fmt"

	"github.com/allot-opt/allot/model"
)

// ByJob returns the placement of each job of the instance in the schedule; nil: it has none. Errors begin with the name of the format.
func ByJob(format string, in *model.Instance, sol *model.Solution) ([]*model.Placement, error) {
	placed := make([]*model.Placement, len(in.Jobs()))
	for k := range sol.Jobs {
		job, ok := in.JobIndex(sol.Jobs[k].Job)
		if !ok {
			return nil, fmt.Errorf("%s: the solution places job %q, which is not in the instance", format, sol.Jobs[k].Job)
		}
		placed[job] = &sol.Jobs[k]
	}
	return placed, nil
}
