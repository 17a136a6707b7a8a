package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Explanation says where and when a job runs, or why it is left out, and where else it could run.
type Explanation struct {
	Job          string           `json:"job"`
	Arrival      float64          `json:"arrival"`
	Deadline     *float64         `json:"deadline,omitempty"`
	Hard         bool             `json:"deadline_hard,omitempty"`
	Placement    *model.Placement `json:"placement,omitempty"` // nil: left out
	Reason       string           `json:"reason,omitempty"`    // why it is left out
	Free         *float64         `json:"free,omitempty"`      // earliest start on its own processors, or on its own machines where these count one by one, given its arrival, the jobs it waits for, the jobs there before it, the horizon and limits of power; nil: left out
	Limited      string           `json:"limited,omitempty"`   // horizon, asleep or power-cap: what keeps it from its own processors just before Free, where no job does
	Waits        []Wait           `json:"waits"`               // jobs that hold what it lacks until just when it starts
	Alternatives []Alternative    `json:"alternatives"`        // by cluster, in the order of the instance
}

// Wait is a job that the explained job waits for: it ends when the explained job starts, and releases something of which there was too little before.
type Wait struct {
	For string  `json:"for"` // precedence, processors, memory, licence, power, machine (one of the two has it to itself) or the name of a resource of machines
	Job string  `json:"job"`
	End float64 `json:"end"`
}

// Alternative is the earliest end that the job could have on one cluster if all other jobs stayed where they are. The job may fill holes. Where machines of a cluster differ in
// speed, power or states, it may even end earlier: then holes count that are as long as it takes on the slowest, and limits as they are for the machines that keep to them least.
type Alternative struct {
	Cluster    string             `json:"cluster"`
	Processors model.ProcessorSet `json:"processors,omitempty"`
	Start      *float64           `json:"start,omitempty"` // nil: it cannot run there
	End        *float64           `json:"end,omitempty"`
	Why        string             `json:"why,omitempty"` // why it cannot run there, or would be too late for its deadline or for a job that waits for it
}

// Explain lists where the job could have gone while all other jobs of the solution stay where they are. The solution must pass the
// checker. A moldable job is tried on as many processors as it holds, or on as many as the cluster has for it. A job that is left
// out or runs in pieces is tried on its fewest processors.
//
// Complexity: O(n·p) for n jobs and p processors, for each cluster and each pair of a speed and a bandwidth of its machines.
func Explain(in *model.Instance, sol *model.Solution, job int) Explanation {
	x := &explainer{in: in, job: job, parts: make([][]other, len(in.Clusters())), pools: newLicencePools(in), end: make([]float64, len(in.Jobs())),
		start: make([]float64, len(in.Jobs()))}
	if in.Features()&model.PowerLimits != 0 {
		x.limits = newTimeLimits(in, job)
	}
	j := &in.Jobs()[job]
	e := Explanation{Job: j.ID, Arrival: j.Arrival, Hard: j.DeadlineHard, Waits: []Wait{}, Alternatives: []Alternative{}}
	if j.HasDeadline() {
		e.Deadline = &j.Deadline
	}
	for _, u := range sol.Unscheduled {
		if u.Job == j.ID {
			e.Reason = u.Reason
		}
	}
	if (Placing{}).ByNode(in) {
		x.nodes = newResources(in, false, Placing{Holes: true})
	}
	e.Placement = x.read(sol)
	ready, missing := x.ready()
	for c := range in.Clusters() {
		a := Alternative{Cluster: in.Clusters()[c].ID}
		switch {
		case missing != "":
			a.Why = fmt.Sprintf("waits for job %s, which is not placed", missing)
		case !in.CanRun(job, c):
			a.Why = in.CannotRun(job, c)
		default:
			x.alternative(&a, c, ready, e.Placement)
			if p := e.Placement; p != nil && p.Cluster == a.Cluster && j.Node().Running == nil && (a.End == nil || p.End < *a.End) { // nothing earlier was found than what it has
				if a.Why = ""; x.nodes == nil {
					a.Processors = p.Processors
				}
				x.found(&a, p.Start, p.End)
			}
		}
		e.Alternatives = append(e.Alternatives, a)
	}
	if e.Placement != nil {
		x.waits(&e, ready)
	}
	return e
}

// explainer knows what the other jobs hold.
type explainer struct {
	in    *model.Instance
	job   int
	parts [][]other // by cluster
	pools *licencePools
	nodes *Resources // with what the other jobs hold of single machines; nil: these are not tracked
	end   []float64  // by job; NaN: not placed
	start []float64  // the same

	limits *timeLimits // nil: none
}

// other is a part of another job.
type other struct {
	job        int
	start, end float64
	set        model.ProcessorSet
}

// read notes what the other jobs hold and returns the placement of the job.
func (x *explainer) read(sol *model.Solution) *model.Placement {
	var own *model.Placement
	for j := range x.end {
		x.start[j], x.end[j] = math.NaN(), math.NaN()
	}
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		j, ok := x.in.JobIndex(p.Job)
		if !ok {
			continue
		}
		if x.start[j], x.end[j] = p.Start, p.End; j == x.job {
			own = p
			continue
		}
		slot := Slot{Start: p.Start, End: p.End}
		p.Parts(x.in.Jobs()[j].Tasks, func(part model.Piece) {
			if c, ok := x.in.ClusterIndex(part.Cluster); ok {
				x.parts[c] = append(x.parts[c], other{j, part.Start, part.End, part.Processors})
				slot.pieces = append(slot.pieces, piece{cluster: c, set: part.Processors, end: part.End})
				if x.limits != nil {
					x.limits.hold(j, c, part)
				}
				if x.nodes != nil && x.in.Jobs()[j].Node().Running == nil {
					x.nodes.clusters[c].(*nodeCluster).holdPart(j, part)
				}
			}
		})
		x.pools.add(&x.in.Jobs()[j], &slot)
	}
	return own
}

// ready is when the job may start; missing names a job that it waits for and that is not placed.
func (x *explainer) ready() (ready float64, missing string) {
	ready = x.in.Jobs()[x.job].Arrival
	for _, before := range x.in.Jobs()[x.job].After {
		if math.IsNaN(x.end[before]) {
			return 0, x.in.Jobs()[before].ID
		}
		ready = max(ready, x.end[before])
	}
	return ready, ""
}

// alternative finds the earliest end on the cluster.
func (x *explainer) alternative(a *Alternative, cluster int, ready float64, own *model.Placement) {
	size, most := x.in.Width(x.job, cluster)
	if own != nil && len(own.Pieces) == 0 && size != most {
		size = min(max(size, own.Processors.Len()), most, max(size, x.in.Usable(x.job, cluster)))
	}
	if x.nodes != nil {
		x.alternativeOnNodes(a, cluster, size, ready)
		return
	}
	times := []float64{ready}
	if x.limits != nil {
		times[0] = max(ready, x.limits.from)
		times = append(times, x.limits.times(cluster, times[0])...)
	}
	for c := range x.parts {
		for _, h := range x.parts[c] {
			if h.end > times[0] && (c == cluster || len(x.in.Jobs()[x.job].Licences) > 0) {
				times = append(times, h.end)
			}
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	speeds, links := []float64{}, []float64{}
	for g := range x.in.Clusters()[cluster].Machines {
		m := &x.in.Clusters()[cluster].Machines[g]
		speeds, links = append(speeds, m.Speed), append(links, m.Bandwidth)
	}
	start, end := 0.0, math.Inf(1)
	for _, speed := range distinct(speeds) {
		for _, link := range distinct(slices.Clone(links)) {
			t, set := x.begin(cluster, size, speed, link).first(times, end)
			if set == nil {
				continue
			}
			e, takes := 0.0, x.in.Duration(x.job, cluster, set)
			if e = model.End(t, takes); x.limits != nil {
				e, _ = x.limits.end(cluster, set, t, takes)
			}
			if e < end {
				start, end, a.Processors = t, e, set
			}
		}
	}
	if math.IsInf(end, 1) {
		a.Why = fmt.Sprintf("no time was found at which it has %d processors of %s", size, x.in.Clusters()[cluster].ID)
		if x.limits != nil {
			a.Why += withinLimits
		}
		return
	}
	x.found(a, start, end)
}

// withinLimits ends a sentence that says that no time was found, where power limits schedules.
const withinLimits = " within the horizon and the limits of power"

// alternativeOnNodes finds the earliest end on a cluster whose machines are tracked. Which processors of a machine are free does not matter there.
func (x *explainer) alternativeOnNodes(a *Alternative, cluster, size int, ready float64) {
	if x.in.Jobs()[x.job].Node().Running != nil {
		a.Why = "it runs already"
		return
	}
	x.nodes.pools.assign(x.pools)
	times, limits := []float64{ready}, ""
	if l := x.limits; l != nil {
		times[0], limits = max(ready, l.from), withinLimits
		times = append(times, l.times(cluster, times[0])...)
		slices.Sort(times)
	}
	for _, t := range times {
		slot, ok := x.nodes.Earliest(x.job, cluster, size, t)
		if !ok {
			break
		}
		end, within := slot.End, true
		if x.limits != nil {
			end, within = x.limits.anywhere(cluster, size, slot.Start, slot.End)
		}
		if within {
			x.found(a, slot.Start, end)
			return
		}
	}
	a.Why = fmt.Sprintf("no time was found at which machines of %s have room for it and are open to it for as long as it takes%s", x.in.Clusters()[cluster].ID, limits)
}

// found notes the earliest end.
func (x *explainer) found(a *Alternative, start, end float64) {
	a.Start, a.End = &start, &end
	j := &x.in.Jobs()[x.job]
	late := model.Late(end, j.Deadline)
	if late {
		a.Why = "after its deadline"
	}
	for _, next := range x.in.Successors(x.job) {
		if x.start[next] < end {
			a.Why = fmt.Sprintf("after job %s starts, which waits for it", x.in.Jobs()[next].ID)
			break
		}
	}
	if late && j.DeadlineHard {
		a.Why = "after its hard deadline"
	}
}
