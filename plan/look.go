package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Looks is about how long a list schedule looks for slots, see [LooksOf].
type Looks struct {
	Slot   float64 // ns to look for the slot of a job on each cluster once, on one number of processors
	Behind float64 // the same in a schedule that fills no holes where those of [NewResources] do
	Widths float64 // how many numbers of processors are tried of a job, in the mean
}

// LooksOf estimates what list schedules of the instance look at, in ns of one core as [Resources.Work] counts them. It looks at machines and jobs once and places
// nothing.
//
// Complexity: that of [NewResources], and O(jobs).
func LooksOf(in *model.Instance) Looks {
	looks := Looks{Widths: 1}
	jobs := max(1, len(in.Jobs()))
	held, widths := 0.0, 0.0
	for j := range in.Jobs() {
		job := &in.Jobs()[j]
		held += float64(min(job.Min, in.Processors()))
		tried := 1.0
		if most := min(job.Max, job.Tasks, in.Processors()); most > job.Min { // see Wider
			tried = min(float64(most-job.Min+1), 1+2*math.Sqrt(float64(job.Tasks)))
		}
		widths += tried
	}
	looks.Widths = widths / float64(jobs)
	r := NewResources(in)
	for _, c := range r.clusters {
		time := c.look(jobs, held/float64(jobs))
		looks.Slot += time
		if nodes, fills := c.(*nodeCluster); fills {
			time = nodes.behind()
		}
		looks.Behind += time
	}
	return looks
}

// look implements clusterState.
func (c *plainCluster) look(jobs int, _ float64) float64 {
	return 70 + float64(min(jobs, c.in.Clusters()[c.cluster].Processors))/3
}

// look implements clusterState. Of many kinds of machines few are looked at, see earliestOfMany.
func (g *generalCluster) look(jobs int, held float64) float64 {
	const most = 4
	kinds := float64(min(most, len(g.speeds)*len(g.links)))
	time := kinds*(60+10*float64(len(g.groups))) + 100 + 40*min(held, float64(len(g.parts))) + float64(len(g.runs))
	if g.nodes != nil {
		time += 200 + 40*held + g.nodes.look(jobs, held)
	}
	return time
}

// look implements clusterState.
func (g *nodeCluster) look(jobs int, _ float64) float64 {
	const each = 100 // ns for a machine, of which the job asks whether it has what it needs
	kinds := float64(min(4, len(g.speeds)*len(g.links)))
	return 500 + each*kinds*float64(len(g.nodes)) + 20*math.Sqrt(float64(jobs)*float64(len(g.nodes)))
}

// behind is like look, where no holes are filled.
func (g *nodeCluster) behind() float64 {
	const each = 12 // ns for a machine
	return 500 + each*float64(len(g.nodes))
}

// look implements clusterState.
func (g *cheapCluster) look(jobs int, _ float64) float64 {
	steps := float64(jobs)/float64(max(1, len(g.banks))) + float64(len(g.prices.times))
	return 200 + float64(len(g.banks))*(100+20*steps)
}
