// Package placements finds the placement of each job, for the writers of formats that list jobs.
package placements

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/timetext"
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

// Seconds is how many seconds a time of the instance is, for a format that has seconds. The error, of a unit of time that is not known, begins with the name of the format.
func Seconds(format string, in *model.Instance) (float64, error) {
	unit := cmp.Or(in.Units().Time, "s")
	each, known := timetext.Seconds(unit)
	if !known {
		return 0, fmt.Errorf("%s: expected a unit of time that has a length, such as s, min or h, found units.time %q", format, unit)
	}
	return each, nil
}

// memoryUnits are those whose sizes are known, each 1024 times the one before.
var memoryUnits = []string{"B", "KB", "MB", "GB", "TB", "PB"}

// Memory is how many of the given unit a memory of the instance is, for a format that has that unit; an instance that states none counts in it. The error, of a unit that is not known where
// a job needs memory, begins with the name of the format.
func Memory(format, unit string, in *model.Instance) (float64, error) {
	stated := cmp.Or(in.Units().Memory, unit)
	from, to := slices.Index(memoryUnits, stated), slices.Index(memoryUnits, unit)
	if from < 0 {
		if slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.Memory > 0 }) {
			return 0, fmt.Errorf("%s: expected a unit of memory such as MB or GB, found units.memory %q", format, stated)
		}
		return 1, nil
	}
	return math.Pow(1024, float64(from-to)), nil
}
