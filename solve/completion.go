package solve

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// completionFeatures is what the heuristics that compare completion times over all jobs and clusters honour.
const completionFeatures = plan.DecoderFeatures

// completions holds, while jobs are placed one by one, what the completion time of each remaining job on each cluster
// depends on: max(release, arrival) + duration, where the release is that of as many processors as the job needs. Releases
// only grow.
type completions struct {
	in       *model.Instance
	schedule *plan.Schedule
	duration [][]float64 // by cluster and job; +Inf: cannot run there
	size     [][]int32   // by cluster and job; 0: cannot run there
	sizes    [][]int     // by cluster: the sizes that jobs have there
	release  [][]float64 // by cluster and size
	placed   []bool
	left     int
}

// newCompletions starts with no job placed; nil where the context ends first.
func newCompletions(ctx context.Context, in *model.Instance) (*completions, error) {
	schedule, err := plan.NewSchedule(in)
	if err != nil {
		return nil, err
	}
	n := len(in.Jobs())
	c := &completions{in: in, schedule: schedule, placed: make([]bool, n), left: n}
	for k := range in.Clusters() {
		c.duration, c.size = append(c.duration, make([]float64, n)), append(c.size, make([]int32, n))
		c.release = append(c.release, make([]float64, in.Clusters()[k].Processors+1))
	}
	for j := range n { // jobs outside, as the instance keeps stated run times by job
		if j%64 == 0 && ctx.Err() != nil {
			return nil, nil
		}
		if !c.measure(j) {
			c.schedule.LeaveUnplaceable(j)
			c.placed[j] = true
			c.left--
		}
	}
	c.sizes = make([][]int, len(c.size))
	for k, release := range c.release {
		for _, size := range c.size[k] {
			if size > 0 && release[size] == 0 {
				release[size] = 1 // seen
				c.sizes[k] = append(c.sizes[k], int(size))
			}
		}
		for _, size := range c.sizes[k] {
			release[size] = in.FirstArrival()
		}
	}
	return c, nil
}

// measure finds out how long the job takes on each cluster; false where it can run on none.
func (c *completions) measure(job int) bool {
	somewhere := false
	for k := range c.duration {
		c.duration[k][job] = math.Inf(1)
		if c.in.CanRun(job, k) {
			size, _ := c.in.Width(job, k)
			c.duration[k][job], c.size[k][job] = c.in.DurationOn(job, k, size), int32(size)
			somewhere = true
		}
	}
	return somewhere
}

// at is the completion time of the job on the cluster if it were placed next; +Inf where it cannot run.
func (c *completions) at(job, cluster int) float64 {
	d := c.duration[cluster][job]
	if math.IsInf(d, 1) {
		return d
	}
	return max(c.release[cluster][c.size[cluster][job]], c.in.Jobs()[job].Arrival) + d
}

// best finds the two clusters on which the job would end first; ties go to the first cluster.
func (c *completions) best(job int) option {
	o := option{job: job, cluster: -1, runner: -1, first: math.Inf(1), second: math.Inf(1)}
	for k := range c.duration {
		switch t := c.at(job, k); {
		case t < o.first:
			o.runner, o.second = o.cluster, o.first
			o.cluster, o.first = k, t
		case t < o.second:
			o.runner, o.second = k, t
		}
	}
	return o
}

// place puts the job on the cluster and brings the releases up to date.
func (c *completions) place(job, cluster int) {
	slot, _ := c.schedule.Earliest(job, cluster)
	c.schedule.Place(job, slot)
	c.placed[job] = true
	c.left--
	for _, size := range c.sizes[cluster] {
		c.release[cluster][size] = c.schedule.Release(cluster, size)
	}
}

// solve places all jobs, each chosen by next, which also says on which cluster.
func (c *completions) solve(ctx context.Context, next func() (job, cluster int)) Result {
	for c.left > 0 {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		c.place(next())
	}
	return Result{Solution: c.schedule.Solution(), Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}
}
