package whatif

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Change is another request in place of that of a job, and when the job would start with it. One of the first four is stated: what is asked for otherwise.
type Change struct {
	Limit      *float64 `json:"limit,omitempty"` // time limit
	Processors *int     `json:"processors,omitempty"`
	Partition  string   `json:"partition,omitempty"`
	Cluster    string   `json:"cluster,omitempty"`
	JobStart
}

// Changes returns what the user could ask for in place of what a job asks for, and when the job would start then under the policy: half and a quarter of the time limit, half and a quarter of
// the processors of a rigid job with the same limit, each other partition of the instance if the job is in one, and else
// each other cluster if the job is tied to one, with the same limit. All other jobs stay as they are. A request that does not
// fit the instance is left out, but that a partition does not allow the job is stated. With the shorter limit the job is assumed to end by it.
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
		if err != nil || solve.Supports(solve.OnLine(policy), changed, false) != nil {
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
	if asked := spec.Jobs[index]; len(in.Partitions()) > 0 && asked.Queue != "" {
		if err := inPartitions(in, asked, &changes, try); err != nil {
			return nil, err
		}
		return changes, nil
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

// inPartitions tries a job in each partition but its own, and states why one does not take it.
func inPartitions(in *model.Instance, asked model.JobSpec, changes *[]Change, try func(Change, model.JobSpec) error) error {
	for _, p := range in.Partitions() {
		if p.ID == asked.Queue || strings.Contains(p.ID, ",") { // names of several partitions, of which a job of the queue may take any
			continue
		}
		moved, err := in.MovedTo(asked, p.ID, "")
		var refused *model.InputError
		switch {
		case errors.As(err, &refused):
			*changes = append(*changes, Change{Partition: p.ID, JobStart: JobStart{Reason: refused.Faults[0].Message}})
		case err != nil:
			return err
		default:
			if err := try(Change{Partition: p.ID}, moved); err != nil {
				return err
			}
		}
	}
	return nil
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
