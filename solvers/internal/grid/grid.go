// Package grid lays schedules out on grid resources: the heuristics that compare the completion times of one job on several machines (Min-min,
// Max-min, Sufferage, MTS) see an instance through it.
package grid

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// resource is processors of one cluster that are alike for every job: a whole cluster, or one group of machines of a cluster whose machines
// differ. It stands for the grid resource of the literature, which is one machine.
type resource struct {
	*plan.UniformProcessors
	Cluster, group   int // −1: all groups of the cluster
	first            int // number of the first processor
	Processors       int
	Speed, Bandwidth float64
	Memory           float64 // that a task may have there
	Whole            bool    // whole machines are given out: a job holds one
}

// features are the features that heuristics on resources honour. They honour memory only where a machine runs one task at a time, or
// has enough memory for as many tasks as it runs.
const features = plan.RigidFeatures | model.HardDeadlines | model.MemoryLimits | model.BandwidthNeeds | model.MixedMachines | model.Commitments

// Supports is nil where a heuristic that works on resources honours all that can bind in the instance, else an error that names a missing feature.
func Supports(in *model.Instance) error {
	if missing := lacks(in, in.Binding()); missing != 0 {
		return &solve.UnsupportedError{Missing: missing}
	}
	return nil
}

// Serves says whether Supports is nil; binding is [model.Instance.Binding].
func Serves(in *model.Instance, binding model.Features) bool { return lacks(in, binding) == 0 }

// lacks are the features that can bind and that a heuristic on resources does not honour.
func lacks(in *model.Instance, binding model.Features) model.Features {
	if missing := binding &^ features; missing != 0 {
		return missing
	}
	_, missing := resources(in)
	return missing &^ (model.MemoryLimits &^ binding)
}

// FewMoldable says that at most a quarter of the jobs are moldable. Heuristics that compare ends give a moldable job the processors with which it ends first, and a
// search that begins with their schedule keeps to wide jobs: on examples/spaceshare.json, all of whose jobs are moldable, it comes to a mean response of 11.7 from
// Min-min's schedule of 12.7, and to 10.4 from that of flexible, 14.0.
func FewMoldable(in *model.Instance) bool {
	moldable := 0
	for j := range in.Jobs() {
		if !in.Jobs()[j].Rigid() {
			moldable++
		}
	}
	return 4*moldable <= len(in.Jobs())
}

// resources lists the resources of the instance in the order of its clusters and machines, and the features of the instance that they cannot
// honour. O(jobs + groups of machines).
func resources(in *model.Instance) (list []resource, missing model.Features) {
	neediest, smallest, parallel := 0.0, math.Inf(1), false
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		neediest, parallel = max(neediest, j.Memory), parallel || j.Min > 1
		if j.Memory > 0 {
			smallest = min(smallest, j.Memory)
		}
	}
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		alike := true
		for g := range cluster.Machines {
			m, first := &cluster.Machines[g], &cluster.Machines[0]
			alike = alike && m.Speed == first.Speed && m.Bandwidth == first.Bandwidth && (m.Memory == first.Memory || neediest == 0)
			if m.Units > 1 && !model.HasRoom(m.Memory, neediest, m.Units) && model.HasRoom(m.Memory, smallest, 1) {
				missing |= model.MemoryLimits // tasks on one machine compete for its memory
			}
		}
		if !alike && parallel && !cluster.WholeMachines {
			missing |= model.MixedMachines // a parallel job could spread over machines that differ
		}
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			l := resource{Cluster: c, group: g, first: m.First, Processors: m.Count * m.Units, Speed: m.Speed, Bandwidth: m.Bandwidth,
				Memory: m.Memory, Whole: cluster.WholeMachines}
			if alike {
				l.group, l.first, l.Processors = -1, 0, cluster.Processors
			}
			list = append(list, l)
			if alike {
				break
			}
		}
	}
	return list, missing
}

// Size is the number of processors that the job holds on the resource.
func (l *resource) Size(j *model.Job) int {
	if l.Whole {
		return 1
	}
	return j.Min
}

// Duration is the execution time of the job on the resource; +Inf: it cannot run there. It ignores needs of memory and bandwidth, see Fits.
func (l *resource) Duration(in *model.Instance, job int) float64 {
	j := &in.Jobs()[job]
	size := l.Size(j)
	if size > l.Processors {
		return math.Inf(1)
	}
	d := in.Busy(job, l.Cluster, l.Speed, (j.Tasks+size-1)/size)
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d + in.Transfer(job, l.Bandwidth)
}

// Fits says whether the machines of the resource have the memory and the bandwidth that the job needs.
func (l *resource) Fits(j *model.Job) bool {
	return model.HasRoom(l.Memory, j.Memory, 1) && j.MinBandwidth <= l.Bandwidth
}

// Outline collects a schedule on resources.
type Outline struct {
	Instance  *model.Instance
	Resources []resource
	solution  model.Solution
	Left      []bool // by job: not placed
}

// NewOutline starts with nothing placed.
func NewOutline(in *model.Instance) *Outline {
	list, _ := resources(in)
	o := &Outline{Instance: in, Resources: list, Left: make([]bool, len(in.Jobs()))}
	for k := range list {
		l := &list[k]
		l.UniformProcessors = plan.NewUniformProcessors(in, l.Cluster, l.first, l.Processors)
	}
	for j := range o.Left {
		o.Left[j] = true
	}
	o.solution.Jobs = make([]model.Placement, 0, len(in.Jobs()))
	return o
}

// Place puts the job on the resource from start to end.
func (o *Outline) Place(job, resource int, start, end float64) {
	l, j := &o.Resources[resource], &o.Instance.Jobs()[job]
	set := l.Take(l.Size(j), start, end)
	o.solution.Jobs = append(o.solution.Jobs, model.Placement{Job: j.ID, Cluster: o.Instance.Clusters()[l.Cluster].ID, Processors: set, Start: start, End: end})
	o.Left[job] = false
}

// Step is the step that placed the last job, see [solve.Step]. scores are those of the resources.
func (o *Outline) Step(why sim.Reason, score string, scores []solve.Score) solve.Step {
	return placedLast(o.solution.Jobs[len(o.solution.Jobs)-1], why, score, scores)
}

func placedLast(p model.Placement, why sim.Reason, score string, scores []solve.Score) solve.Step {
	return solve.Step{At: p.Start, Reason: why, Score: score, Scores: scores, Placed: []model.Placement{p}}
}

// Scores are the scores of all resources: of returns the score of the k-th, or why it is out.
func (o *Outline) Scores(chosen int, of func(k int) (value float64, why string)) []solve.Score {
	return scores(len(o.Resources), o.ResourceName, chosen, of)
}

func scores(n int, name func(k int) string, chosen int, of func(k int) (value float64, why string)) []solve.Score {
	list := make([]solve.Score, n)
	for k := range list {
		value, why := of(k)
		list[k] = solve.Score{Cluster: name(k), Why: why, Chosen: k == chosen}
		if why == "" {
			list[k].Value = &value
		}
	}
	return list
}

// Result is the schedule so far. The jobs that are not placed are left out, each with the reason. To find the reasons of many jobs takes a while,
// so that jobs for which the context leaves no time get a short one.
func (o *Outline) Result(ctx context.Context) solve.Result {
	poll := kit.NewPoll(ctx)
	for j, left := range o.Left {
		if !left {
			continue
		}
		reason := "no cluster is left for the job; the run stopped before it had found out which limit is the cause"
		if !poll.Stopped(100 + 8*len(o.Resources)) {
			reason = plan.CutReason(o.whyLeft(j))
		}
		o.solution.Unscheduled = append(o.solution.Unscheduled, model.Unscheduled{Job: o.Instance.Jobs()[j].ID, Reason: reason})
	}
	result := solve.Result{Solution: &o.solution, Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}
	if poll.Ended() {
		result.Stop = model.StopReason(ctx)
	}
	return result
}

// whyLeft says why a job cannot be placed behind the placed ones. It names the attribute that binds: the one without which the job could be
// placed.
func (o *Outline) whyLeft(job int) string {
	j := &o.Instance.Jobs()[job]
	end, best, alone := math.Inf(1), -1, math.Inf(1)
	barred, barredEnd := -1, math.Inf(1)
	memory, bandwidth := 0, 0
	for k := range o.Resources {
		l := &o.Resources[k]
		d := l.Duration(o.Instance, job)
		if math.IsInf(d, 1) {
			continue
		}
		e := max(l.Release(l.Size(j)), j.Arrival) + d
		short, slow := !model.HasRoom(l.Memory, j.Memory, 1), j.MinBandwidth > l.Bandwidth
		if short {
			memory++
		}
		if slow {
			bandwidth++
		}
		if short || slow {
			if short != slow && e < barredEnd { // where both memory and bandwidth are too small neither binds alone
				barred, barredEnd = k, e
			}
			continue
		}
		alone = min(alone, max(j.Arrival, o.Instance.FirstArrival())+d)
		if e < end {
			end, best = e, k
		}
	}
	if best < 0 {
		return o.Instance.WhyNowhere(job)
	}
	text := fmt.Sprintf("hard deadline %v would be missed: earliest end %v on %s", j.Deadline, end, o.ResourceName(best))
	switch l := &o.Resources[max(0, barred)]; {
	case barred >= 0 && !model.Late(barredEnd, j.Deadline) && !model.HasRoom(l.Memory, j.Memory, 1):
		return text + fmt.Sprintf("; memory binds: it needs %g, %s has %g and would end it at %v", j.Memory, o.ResourceName(barred), l.Memory, barredEnd)
	case barred >= 0 && !model.Late(barredEnd, j.Deadline):
		return text + fmt.Sprintf("; bandwidth binds: it needs %g, %s offers %g and would end it at %v", j.MinBandwidth, o.ResourceName(barred), l.Bandwidth, barredEnd)
	case model.Late(alone, j.Deadline):
		text += fmt.Sprintf("; speed binds: %v if nothing else ran", alone)
	default:
		text += "; the wait for the jobs before it binds"
	}
	if memory+bandwidth > 0 {
		text += fmt.Sprintf("; memory rules out %d and bandwidth %d of %d", memory, bandwidth, len(o.Resources))
	}
	return text
}

// ResourceName is the cluster of the k-th resource, with the machine where it is one group of several.
func (o *Outline) ResourceName(k int) string {
	l := &o.Resources[k]
	cluster := &o.Instance.Clusters()[l.Cluster]
	if l.group < 0 {
		return cluster.ID
	}
	return cluster.ID + "/" + cluster.Machines[l.group].ID
}
