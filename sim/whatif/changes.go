package whatif

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Change is another request in place of that of a job, and when the job would start with it. One of the first three is stated: what is asked for otherwise.
type Change struct {
	Limit      *float64 `json:"limit,omitempty"` // time limit
	Processors *int     `json:"processors,omitempty"`
	Cluster    string   `json:"cluster,omitempty"`
	JobStart
}

// Changes returns what the user could ask for in place of what a job asks for, and when the job would start then under the policy: half and a quarter of the time limit, half and a quarter of
// the processors of a rigid job with the same limit, and where the job is tied to one cluster each of the others, with the same limit. All other jobs stay as they are. A request that does not
// fit the instance is left out. With the shorter limit the job is assumed to end by it.
//
// It returns an error if the policy cannot honour the instance, if the job is unknown or runs already, or if ctx ends.
//
// Complexity: a simulation for each change.
func Changes(ctx context.Context, name string, policy solve.Policy, in *model.Instance, job string, seed uint64) ([]Change, error) {
	index, ok := in.JobIndex(job)
	if !ok {
		return nil, fmt.Errorf("the instance has no job %q", job)
	}
	spec := in.Spec()
	if spec.Jobs[index].Running != nil {
		return nil, fmt.Errorf("job %q runs already", job)
	}
	changes := []Change{}
	try := func(c Change, asked model.JobSpec) error {
		other := spec
		other.Jobs = slices.Clone(spec.Jobs)
		other.Jobs[index] = asked
		changed, err := model.New(other)
		if err != nil || policy.Supports(changed) != nil {
			return nil // such a request is not possible here
		}
		starts, err := Starts(ctx, name, policy, changed, seed)
		if err != nil {
			return err
		}
		c.JobStart = starts[index]
		changes = append(changes, c)
		return nil
	}
	for _, part := range []float64{0.5, 0.25} {
		if asked, limit, ok := shorter(spec.Jobs[index], part); ok {
			if err := try(Change{Limit: &limit}, asked); err != nil {
				return nil, err
			}
		}
	}
	for _, part := range []int{2, 4} {
		if asked, ok := narrower(spec.Jobs[index], part); ok {
			if err := try(Change{Processors: new(asked.Processors.Min)}, asked); err != nil {
				return nil, err
			}
		}
	}
	if runtime := spec.Jobs[index].Runtime; len(runtime) == 1 {
		for from, takes := range runtime {
			for k := range in.Clusters() {
				to := in.Clusters()[k].ID
				if to == from {
					continue
				}
				asked := spec.Jobs[index]
				asked.Runtime = map[string]float64{to: takes}
				if err := try(Change{Cluster: to}, asked); err != nil {
					return nil, err
				}
			}
		}
	}
	return changes, nil
}

// shorter is the request with a part of the time limit, and that limit; false: it states none.
func shorter(j model.JobSpec, part float64) (asked model.JobSpec, limit float64, ok bool) {
	j.Runtime = maps.Clone(j.Runtime)
	if j.Estimate == nil {
		for cluster, takes := range j.Runtime {
			limit = max(limit, takes*part)
			j.Runtime[cluster] = takes * part
		}
		return j, limit, limit > 0
	}
	limit = *j.Estimate * part
	j.Estimate = &limit
	for cluster, takes := range j.Runtime {
		j.Runtime[cluster] = min(takes, limit)
	}
	if j.Work != nil && j.ReferenceSpeed == 0 {
		j.Work = new(min(*j.Work, limit))
	}
	return j, limit, limit > 0
}

// narrower is the request of a rigid job with its processors, tasks and machines divided by a number; false: the job is not rigid, or one of them is no multiple of that number.
func narrower(j model.JobSpec, by int) (asked model.JobSpec, ok bool) {
	n := j.Processors.Min
	if n != j.Processors.Max || n < by || n%by != 0 || max(j.Block, 1) > n/by || n/by%max(j.Block, 1) != 0 || j.Tasks != 0 && j.Tasks != n {
		return j, false
	}
	j.Processors = model.Rigid(n / by)
	if j.Tasks != 0 {
		j.Tasks = n / by
	}
	if m := j.Machines; m != (model.ProcessorRange{}) {
		if m.Min%by != 0 || m.Max%by != 0 {
			return j, false
		}
		j.Machines = model.Moldable(m.Min/by, m.Max/by)
	}
	return j, true
}
