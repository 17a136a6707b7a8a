package serial

import "github.com/allot-opt/allot/search/internal/separable"

// lastCounts looks at the part of the makespan in the objective. Alone: the objective is a constant plus the weighted makespan of the grid.
// AtAll: the makespan of the grid or of some cluster counts.
func (p *problem) lastCounts() (alone, atAll bool) {
	alone, atAll = true, p.Makespan > 0
	for c := range p.Clusters {
		on := &p.Clusters[c]
		alone = alone && on.Costs == nil && on.MCP == (separable.Weights{}) && on.Plain == (separable.Weights{})
		atAll = atAll || on.MCP.Makespan > 0 || on.Plain.Makespan > 0
	}
	return alone, atAll
}

// sum is the objective of the schedule that the last forward pass made, added up over the jobs.
func (d *decoder) sum() float64 {
	objective, last := d.Constant, 0.0
	clear(d.sums)
	for j := range d.places {
		at := &d.places[j][d.at[j]]
		cluster, s := &d.Clusters[at.cluster], &d.sums[at.cluster]
		job := &cluster.Jobs[j]
		end := d.origin + d.unit*d.end[j]
		s.jobs++
		s.makespan = max(s.makespan, end-d.Origin)
		s.busy += job.Area()
		s.over += max(0, end-job.Deadline)
		if cluster.Costs != nil {
			objective += cluster.Costs[j].Of(end, job.Deadline)
		}
	}
	for c := range d.sums {
		s := &d.sums[c]
		w := d.Clusters[c].At(float64(s.jobs) / float64(d.n))
		objective += w.Makespan*s.makespan + w.Busy*s.busy + w.Over*s.over
		last = max(last, s.makespan)
	}
	return objective + d.Makespan*last
}

// clusterSums are the figures of one cluster in a schedule.
type clusterSums struct {
	jobs                 int
	makespan, busy, over float64
}
