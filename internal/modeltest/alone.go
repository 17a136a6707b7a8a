package modeltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Alone is an instance of one job on one to three clusters of few processors, with whatever decides where a job can run: its number of processors and
// tasks, its span, memory, bandwidths, licences in pools of the grid and of clusters and on machines, run times, whole machines and jobs of no time.
func Alone(rng *rand.Rand) *model.Instance {
	b := model.NewBuilder("alone")
	licences := []string{"l", "m"}[:rng.IntN(3)]
	for _, id := range licences {
		if rng.IntN(2) == 0 {
			if b.Spec().Licences == nil {
				b.Spec().Licences = map[string]int{}
			}
			b.Spec().Licences[id] = rng.IntN(3)
		}
	}
	clusters := 1 + rng.IntN(3)
	memories := rng.IntN(2) == 0
	for c := range clusters {
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		if rng.IntN(3) == 0 {
			cluster.Allocation = "machine"
		}
		if rng.IntN(3) == 0 {
			cluster.Overheads = &model.Overheads{ContextSwitch: 1}
		}
		for _, id := range licences {
			if rng.IntN(3) == 0 {
				if cluster.Licences == nil {
					cluster.Licences = map[string]int{}
				}
				cluster.Licences[id] = rng.IntN(3)
			}
		}
		aloneMachines(rng, &cluster, 3-clusters/2, memories, licences)
		b.Cluster(cluster)
	}
	least := 1 + rng.IntN(4)
	job := model.JobSpec{ID: "j", Work: new(pickOne(rng, 0, 2, 3)), Processors: model.Moldable(least, least+rng.IntN(2)*rng.IntN(3)),
		Span: []string{"machine", "cluster", "grid", "grid", "grid"}[rng.IntN(5)]}
	if rng.IntN(2) == 0 {
		job.Tasks = 1 + rng.IntN(4)
	}
	if memories {
		job.Memory = pickOne(rng, 0, 0.1, 1, 1.5, 2, 3)
	}
	job.MinBandwidth = pickOne(rng, 0, 0, 0, 0, 2)
	if rng.IntN(3) == 0 {
		job.Input = 1
	}
	for _, id := range licences {
		_, named := b.Spec().Licences[id]
		for _, c := range b.Spec().Clusters {
			_, pool := c.Licences[id]
			named = named || pool || slices.ContainsFunc(c.Machines, func(m model.MachineSpec) bool { return slices.Contains(m.Licences, id) })
		}
		if !named {
			continue
		}
		if job.Licences == nil {
			job.Licences = map[string]int{}
		}
		job.Licences[id] = []int{0, 0, 1, 2}[rng.IntN(4)]
	}
	if rng.IntN(4) == 0 {
		job.Work, job.Runtime = nil, map[string]float64{}
		for c := range clusters {
			if rng.IntN(4) > 0 || c == clusters-1 && len(job.Runtime) == 0 {
				job.Runtime[fmt.Sprint("c", c)] = pickOne(rng, 0, 2)
			}
		}
	}
	in, err := b.Job(job).Build()
	if err != nil {
		panic(err)
	}
	return in
}

// aloneMachines adds one or two groups of machines to a cluster, of at most the given number of processors.
func aloneMachines(rng *rand.Rand, cluster *model.ClusterSpec, left int, memories bool, licences []string) {
	for g := 0; left > 0 && g < 2; g++ {
		m := model.MachineSpec{ID: fmt.Sprint("m", g), Processors: 1 + rng.IntN(2), Speed: pickOne(rng, 1, 1, 2)}
		if cluster.Allocation == "" {
			m.Processors = min(m.Processors, left)
			left -= m.Processors
		} else {
			left--
		}
		if left > 0 && cluster.Allocation == "" && m.Processors == 1 && rng.IntN(2) == 0 {
			m.Count = 2
			left--
		}
		if memories && rng.IntN(4) > 0 {
			m.Memory = new(pickOne(rng, 0.3, 1.9999999999999998, 2, 3))
		}
		m.Bandwidth = pickOne(rng, 1, 2, 2)
		if len(licences) > 0 && rng.IntN(3) == 0 {
			m.Licences = licences[:1+rng.IntN(len(licences))]
		}
		cluster.Machines = append(cluster.Machines, m)
		if rng.IntN(2) == 0 {
			break
		}
	}
}

// pickOne draws one of the values.
func pickOne(rng *rand.Rand, values ...float64) float64 { return values[rng.IntN(len(values))] }

// Accepted is what the checker accepts of the placements of one job alone: on each cluster by itself, and on each as one of several.
type Accepted struct {
	Alone, Over []bool
	Time, Area  float64 // the least time, and the least processor time, of the accepted placements; +Inf: it accepts none
}

// Any says whether it accepts any placement.
func (a *Accepted) Any() bool { return !math.IsInf(a.Time, 1) }

// AcceptedOf asks the checker about every placement of the only job of a tiny instance: on every set of processors, in one piece, and in up to three
// pieces with every share of the tasks, also in pieces on the same processors.
func AcceptedOf(in *model.Instance) *Accepted {
	a := &Accepted{make([]bool, len(in.Clusters())), make([]bool, len(in.Clusters())), math.Inf(1), math.Inf(1)}
	e := &placements{in: in, accepted: a}
	for c := range in.Clusters() {
		for bits := 1; bits < 1<<in.Clusters()[c].Processors; bits++ {
			var ids []int
			for p := range in.Clusters()[c].Processors {
				if bits>>p&1 == 1 {
					ids = append(ids, p)
				}
			}
			set := model.Processors(ids...)
			e.hosts = append(e.hosts, hosting{c, set})
			if end := in.Duration(0, c, set); end >= 0 {
				e.try([]hosting{{c, set}}, model.Placement{Job: "j", Cluster: in.Clusters()[c].ID, Processors: set, End: end})
			}
		}
	}
	e.extend(0, in.Jobs()[0].Tasks)
	return a
}

// placements enumerates the placements of a job.
type placements struct {
	in       *model.Instance
	hosts    []hosting // all sets of processors of a cluster
	pieces   []hosting
	tasks    []int
	accepted *Accepted
}

// hosting is processors of a cluster.
type hosting struct {
	cluster int
	set     model.ProcessorSet
}

// extend adds pieces, in the order of the hosts from the given one on, for the tasks that are left.
func (e *placements) extend(from, left int) {
	if left == 0 {
		e.tryPieces()
		return
	}
	held := 0
	for _, h := range e.pieces {
		held += h.set.Len()
	}
	if len(e.pieces) == 3 || held >= max(e.in.Jobs()[0].Max, 1) {
		return // too many processors, whatever else
	}
	for k := from; k < len(e.hosts); k++ {
		for tasks := 1; tasks <= left; tasks++ {
			e.pieces, e.tasks = append(e.pieces, e.hosts[k]), append(e.tasks, tasks)
			e.extend(k, left-tasks)
			e.pieces, e.tasks = e.pieces[:len(e.pieces)-1], e.tasks[:len(e.tasks)-1]
		}
	}
}

// tryPieces tries the pieces.
func (e *placements) tryPieces() {
	link := math.Inf(1)
	for _, h := range e.pieces {
		link = min(link, e.in.SlowestLink(h.cluster, h.set))
	}
	p := model.Placement{Job: "j"}
	for k, h := range e.pieces {
		end := e.in.Longest(0, h.cluster, h.set, e.tasks[k]) + e.in.Transfer(0, link)
		if !(end >= 0) {
			return // no run time is stated
		}
		p.End = max(p.End, end)
		p.Pieces = append(p.Pieces, model.Piece{Cluster: e.in.Clusters()[h.cluster].ID, Processors: h.set, Tasks: e.tasks[k], End: end})
	}
	e.try(e.pieces, p)
}

// try asks the checker.
func (e *placements) try(pieces []hosting, p model.Placement) {
	several := false
	for _, h := range pieces {
		several = several || h.cluster != pieces[0].cluster
	}
	of := e.accepted.Alone
	if several {
		of = e.accepted.Over
	}
	known, area, n := true, 0.0, 0
	p.Parts(0, func(piece model.Piece) {
		area += float64(piece.Processors.Len()) * piece.End
		known = known && of[pieces[n].cluster]
		n++
	})
	a := e.accepted
	if known && p.End >= a.Time && area >= a.Area {
		return
	}
	if report := model.Check(e.in, &model.Solution{Jobs: []model.Placement{p}}); !report.OK() {
		return
	}
	a.Time, a.Area = min(a.Time, p.End), min(a.Area, area)
	for _, h := range pieces {
		of[h.cluster] = true
	}
}
