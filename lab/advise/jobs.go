package advise

import (
	"cmp"

	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// jobs are the jobs of an instance as advice on limits sees them. A job ends when the record says so, or where it has none when the schedule says so; without both it ends as it would without
// waiting. Names are those of [Needs], by id; nil: none. The unit of the instance's times must be known.
func jobs(in *model.Instance, sol *model.Solution, needs map[string]Needs) []Past {
	second, _ := timetext.Seconds(cmp.Or(in.Units().Time, "s"))
	ends := map[string]float64{}
	if sol != nil {
		for k := range sol.Jobs {
			ends[sol.Jobs[k].Job] = sol.Jobs[k].End
		}
	}
	list := make([]Past, len(in.Jobs()))
	for k := range list {
		j := &in.Jobs()[k]
		processors, used := shapeOf(in, k)
		end, known := ends[j.ID]
		if start, recorded := in.Recorded(k); recorded {
			end, known = start+used, true
		}
		if !known {
			end = j.Arrival + used
		}
		kind := Kind{User: j.User(), Name: needs[j.ID].Name, Requested: requestedOf(in, k) * second}
		if kind.Name == "" {
			kind.Queue = j.Queue()
		}
		list[k] = Past{Kind: kind, Arrival: j.Arrival * second, End: end * second, Used: used * second, Processors: processors}
	}
	return list
}

// Needs is what the record of a job says besides what an instance has. A negative figure is not known.
type Needs struct {
	Name    string  // of the job, or of its program
	Memory  float64 // asked for or allocated, MB, all of the job
	Used    float64 // memory at its highest, MB, all of the job
	Devices float64 // GPUs that it held
	Busy    float64 // mean use of these GPUs, from 0 to 1
}
