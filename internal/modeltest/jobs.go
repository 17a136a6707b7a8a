package modeltest

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// job draws one job.
func (d *drawer) job(k int) model.JobSpec {
	j := model.JobSpec{
		ID:             d.id("job", k),
		Arrival:        d.arrival,
		WorkCV:         d.sometimes("work_cv"),
		ReferenceSpeed: d.positiveSometimes("reference_speed"),
		Input:          d.sometimes("input"),
		Output:         d.sometimes("output"),
		Message:        d.sometimes("message"),
		Deadline:       d.optional("deadline"),
		Budget:         d.optional("budget"),
	}
	if d.may(model.Arrivals) {
		j.Arrival = d.sometimes("arrival")
	}
	j.DeadlineHard = (j.Deadline == nil || d.may(model.HardDeadlines)) && d.chance("deadline_hard")
	d.width(&j)
	d.times(&j)
	d.needs(&j)
	d.references(&j)
	submission(k, &j)
	if d.g.Features&NodeFeatures != 0 {
		d.nodeNeeds(&j)
	}
	return j
}

// submission states who submitted the k-th job and to which queue, for some jobs. It draws nothing, so that the cases that a seed draws stay as they are.
func submission(k int, j *model.JobSpec) {
	if k%2 == 1 {
		j.User = "user " + strconv.Itoa(k%3)
	}
	if k%3 == 1 {
		j.Group = "group"
	}
	if k%3 == 2 {
		j.Queue = "queue " + strconv.Itoa(k%2)
	}
}

// width draws the number of processors, the span and the tasks.
func (d *drawer) width(j *model.JobSpec) {
	least := 1
	if d.may(model.ParallelJobs) {
		least = d.count("min processors", 1, d.widest)
		if d.rarely("too wide") {
			least = d.widest + 1
		}
	}
	most := least
	if d.may(model.MoldableJobs) && d.chance("moldable") {
		most = d.count("max processors", least, d.widest+2)
	}
	if most > 1 || d.chance("processors given") {
		j.Processors = model.Moldable(least, most)
	}
	j.Span = rapid.SampledFrom([]string{"", "cluster", "machine", "grid"}).Draw(d.T, "span")
	if j.Span == "machine" && most > 1 && !d.may(model.MachineSpan) || j.Span == "grid" && least > d.widest && !d.may(model.GridSpan) {
		j.Span = "cluster"
	}
	if d.chance("tasks given") {
		j.Tasks = d.count("tasks", 1, 3*most)
		if d.g.Wild {
			j.Tasks = d.count("tasks", 1, math.MaxInt32)
		}
	}
}

// times draws work, estimate and run times, at least one of them.
func (d *drawer) times(j *model.JobSpec) {
	j.Work, j.Estimate = d.optional("work"), d.optional("estimate")
	if d.may(model.UnrelatedTimes) && d.chance("runtime given") {
		j.Runtime = map[string]float64{}
		for _, c := range d.spec.Clusters {
			if !d.may(model.RestrictedTimes) || d.chance("runtime there") {
				j.Runtime[c.ID] = d.nonnegative("runtime")
			}
		}
	}
	if j.Work == nil && j.Estimate == nil && len(j.Runtime) == 0 {
		work := d.nonnegative("work")
		j.Work = &work
	}
}

// needs draws memory, bandwidth and licences.
func (d *drawer) needs(j *model.JobSpec) {
	if !d.memory || d.may(model.MemoryLimits) {
		j.Memory = d.sometimes("job memory")
	}
	switch {
	case d.may(model.BandwidthNeeds):
		j.MinBandwidth = d.sometimes("min_bandwidth")
	case d.chance("min_bandwidth given"): // one that every machine offers
		j.MinBandwidth = d.bandwidth
	}
	named := d.named()
	if len(named) == 0 && (!d.restricted || d.may(model.LicencePools)) && d.rarely("unlimited licence") { // named nowhere
		j.Licences = map[string]int{"unlimited": d.count("copies needed", 0, 3)}
	}
	for _, id := range named {
		if !d.chance("licence named") {
			continue
		}
		if j.Licences == nil {
			j.Licences = map[string]int{}
		}
		j.Licences[id] = 0
		if d.may(model.LicencePools) {
			j.Licences[id] = d.count("copies needed", 0, 3)
		}
	}
}

// named are the licences that a job may name: those that a pool or machine names.
func (d *drawer) named() []string {
	var names []string
	for _, id := range d.licences {
		_, found := d.spec.Licences[id]
		for _, c := range d.spec.Clusters {
			_, pool := c.Licences[id]
			found = found || pool
			for _, m := range c.Machines {
				found = found || slices.Contains(m.Licences, id)
			}
		}
		if found {
			names = append(names, id)
		}
	}
	return names
}

// references draws the class, the workflow and the jobs to wait for.
func (d *drawer) references(j *model.JobSpec) {
	if classes := slices.Sorted(maps.Keys(d.spec.UserClasses)); len(classes) > 0 && d.chance("class given") {
		j.UserClass = rapid.SampledFrom(classes).Draw(d.T, "user_class")
	}
	if len(d.spec.Workflows) > 0 && d.chance("workflow given") {
		j.Workflow = rapid.SampledFrom(d.spec.Workflows).Draw(d.T, "workflow").ID
	}
	if !d.may(model.Precedence) {
		return
	}
	for _, before := range d.spec.Jobs {
		if d.rarely("after") {
			j.After = append(j.After, before.ID)
		}
	}
}
