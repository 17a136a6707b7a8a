package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// ranAgain is behind the id of a job that was killed at its new limit, for its second run.
const ranAgain = " again"

// Replayed is the schedule of an instance in which jobs ask for the given limits, by job, in its unit; 0: as before. A job that takes longer is killed at its limit, so that its run is lost; then
// its user submits it again as it was. The schedule has the place of the second run, so that a killed job waits until then. Lost is the processor time of the runs that were killed.
//
// When a job is killed is known only from the schedule, which depends on it: so the trace is replayed with the times of kills from the replay before, until they are the same, at most the given
// number of times. Settled says that they are; else a second run has a place in the queue that is a little too good or too bad, but still comes after the first. Nothing up to the first time that
// differs changes any more, so k kills settle in k + 2 replays.
func Replayed(ctx context.Context, in *model.Instance, limits []float64, most int, run func(context.Context, *model.Instance) (*model.Solution, error)) (sol *model.Solution, lost float64, settled bool, err error) {
	kills := map[string]float64{}
	for range most {
		changed, err := changed(in, limits, kills)
		if err != nil {
			return nil, 0, false, err
		}
		made, err := run(ctx, changed)
		if err != nil {
			return nil, 0, false, err
		}
		settled = true
		for k := range made.Jobs {
			p := &made.Jobs[k]
			if _, again := changed.JobIndex(p.Job + ranAgain); again {
				if before, known := kills[p.Job]; !known || before != p.End {
					settled = false
				}
				kills[p.Job] = p.End
			}
		}
		if sol, lost = restored(in, made); settled {
			break
		}
	}
	return sol, lost, settled, nil
}

// changed is the instance in which jobs ask for the given limits, by job; 0: as before. The second run of a job that is killed is a job of its own, with the id "ID again", that arrives at the given
// time of the kill and comes after the first run.
func changed(in *model.Instance, limits []float64, kills map[string]float64) (*model.Instance, error) {
	spec := in.Spec()
	var jobs []model.JobSpec
	for k := range spec.Jobs {
		j := spec.Jobs[k]
		limit := limits[k]
		if limit <= 0 {
			jobs = append(jobs, j)
			continue
		}
		requested, used := requestedOf(in, k), usedOf(in, k)
		if !(requested > 0 && limit < requested) {
			return nil, fmt.Errorf("job %q: expected a limit below the requested %v, found %v", j.ID, requested, limit)
		}
		changed := j
		changed.Requested = nil
		changed.Estimate = new(*j.Estimate * (limit / estimatedOf(in, k)))
		if used <= limit {
			jobs = append(jobs, changed)
			continue
		}
		if j.Runtime != nil {
			changed.Runtime = map[string]float64{}
			for cluster, runtime := range j.Runtime {
				changed.Runtime[cluster] = min(runtime, limit)
			}
		} else {
			if j.Work == nil { // then the estimate is the work
				j.Work = new(in.Jobs()[k].Work)
			}
			changed.Work = new(*j.Work * (limit / used))
		}
		again := j
		again.ID, again.After, again.Recorded = j.ID+ranAgain, append([]string{j.ID}, j.After...), nil
		again.Arrival = max(j.Arrival, kills[j.ID])
		jobs = append(jobs, changed, again)
	}
	spec.Jobs = jobs
	return model.New(spec)
}

// restored is the schedule of an instance that [changed] made as one of the instance that it was made of.
func restored(in *model.Instance, sol *model.Solution) (restored *model.Solution, lost float64) {
	again := map[string]bool{}
	for k := range sol.Jobs {
		if _, known := in.JobIndex(sol.Jobs[k].Job); !known {
			again[sol.Jobs[k].Job] = true
		}
	}
	restored = &model.Solution{Solver: sol.Solver}
	for k := range sol.Jobs {
		p := sol.Jobs[k]
		switch id := p.Job; {
		case again[id]:
			p.Job = id[:len(id)-len(ranAgain)]
		case again[id+ranAgain]:
			job, _ := in.JobIndex(id)
			p.Parts(in.Jobs()[job].Tasks, func(part model.Piece) { lost += float64(part.Processors.Len()) * (part.End - part.Start) })
			continue
		}
		restored.Jobs = append(restored.Jobs, p)
	}
	return restored, lost
}

// since is the part of an instance whose jobs arrive from a time on.
func since(in *model.Instance, from float64) (*model.Instance, error) {
	spec := in.Spec()
	kept := map[string]bool{}
	var jobs []model.JobSpec
	for _, j := range spec.Jobs {
		if j.Arrival >= from {
			kept[j.ID] = true
			jobs = append(jobs, j)
		}
	}
	for k := range jobs {
		var after []string
		for _, id := range jobs[k].After {
			if kept[id] {
				after = append(after, id)
			}
		}
		jobs[k].After = after
	}
	spec.Jobs = jobs
	return model.New(spec)
}

// within are the jobs of a schedule that an instance has.
func within(in *model.Instance, sol *model.Solution) *model.Solution {
	within := &model.Solution{Solver: sol.Solver}
	for k := range sol.Jobs {
		if _, known := in.JobIndex(sol.Jobs[k].Job); known {
			within.Jobs = append(within.Jobs, sol.Jobs[k])
		}
	}
	return within
}

// Grown is the instance with more machines: of each group of machines the share more, rounded up. Added is the number of processors that it has more, and part the share of machines, which is above
// the one asked for where groups are small.
func Grown(in *model.Instance, share float64) (grown *model.Instance, added int, part float64, err error) {
	spec := in.Spec()
	before, more := 0, 0
	for c := range spec.Clusters {
		machines := append([]model.MachineSpec(nil), spec.Clusters[c].Machines...)
		for m := range machines {
			count := max(1, machines[m].Count)
			extra := int(math.Ceil(share*float64(count) - 1e-9))
			machines[m].Count = count + extra
			before, more = before+count, more+extra
		}
		spec.Clusters[c].Machines = machines
	}
	if grown, err = model.New(spec); err != nil {
		return nil, 0, 0, err
	}
	return grown, grown.Processors() - in.Processors(), float64(more) / float64(before), nil
}

// shapeOf is the processors and the run time of a job on the cluster where it takes the least time, in the instance's unit; 0: it runs on none.
func shapeOf(in *model.Instance, job int) (processors int, used float64) {
	used = math.Inf(1)
	for c := range in.Clusters() {
		if !in.CanRun(job, c) {
			continue
		}
		width, _ := in.Width(job, c)
		if takes := in.DurationOn(job, c, width); takes < used {
			processors, used = width, takes
		}
	}
	if math.IsInf(used, 1) {
		return 0, 0
	}
	return processors, used
}

// usedOf is the run time of a job, in the instance's unit.
func usedOf(in *model.Instance, job int) float64 {
	_, used := shapeOf(in, job)
	return used
}

// estimatedOf is the limit of a job as its policy sees it, in the instance's unit; 0: none. It may be above what the job asked for, see [model.Instance.Requested].
func estimatedOf(in *model.Instance, job int) float64 {
	j := &in.Jobs()[job]
	if math.IsNaN(j.Estimate) {
		return 0
	}
	return scaled(in, job, j.Estimate)
}

// requestedOf is the limit that a job asked for, in the instance's unit; 0: none. A year, which Slurm plans with where there is no limit, is none.
func requestedOf(in *model.Instance, job int) float64 {
	const year = 365 * 24 * 3600
	if each, known := timetext.Seconds(cmp.Or(in.Units().Time, "s")); known && estimatedOf(in, job)*each >= year {
		return 0
	}
	if estimate, raised := in.Requested(job); raised {
		return scaled(in, job, estimate)
	}
	return estimatedOf(in, job)
}

// scaled is a time on the reference machine as one where the job runs.
func scaled(in *model.Instance, job int, estimate float64) float64 {
	j := &in.Jobs()[job]
	estimate *= j.ReferenceSpeed
	if used := usedOf(in, job); !j.StatesRuntimes() && j.Work > 0 && used != j.Work {
		return used * (estimate / j.Work)
	}
	return estimate
}
