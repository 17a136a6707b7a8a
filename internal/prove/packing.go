package prove

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

// piece is a rectangle of a schedule: processors by steps of time.
type piece struct {
	cluster, first, n int
	start, length     int
}

// cut divides a rectangle into about the given number of pieces by straight cuts through whole parts. The places of the cuts are often equal.
func (d *draft) cut(whole piece, parts int) []piece {
	pieces := []piece{whole}
	for tries := 0; len(pieces) < parts && tries < 20*parts; tries++ {
		k := d.IntN(len(pieces))
		p := pieces[k]
		rest := p
		switch {
		case p.n > 1 && (d.chance(2) || p.length < 2):
			p.n = d.between(1, p.n-1)
			rest.first, rest.n = rest.first+p.n, rest.n-p.n
		case p.length > 1:
			p.length = d.between(1, p.length-1)
			if d.chance(3) {
				p.length = (p.length + 1) / 2 // ties
			}
			rest.start, rest.length = rest.start+p.length, rest.length-p.length
		default:
			continue
		}
		pieces[k] = p
		pieces = append(pieces, rest)
	}
	return pieces
}

// size draws the number of jobs of an instance.
func (d *draft) size() int {
	if d.chance(20) {
		return d.between(60, 200)
	}
	return d.between(1, pick(d.Rand, 5, 12, 16, 30, 60))
}

// speeds draws speeds of clusters.
func (d *draft) speed() float64 {
	if d.exact {
		return pick(d.Rand, 1, 1, 1, 2, 0.5)
	}
	return pick(d.Rand, 1, 1, 1, 2, 0.5, 3, 1.5)
}

// perfectPacking cuts a schedule that keeps all processors of all clusters busy from the first to the last instant. No processor is idle in that
// time, so no schedule has a shorter makespan.
func perfectPacking(d *draft) {
	steps, most := d.between(2, 40), d.size()
	var pieces []piece
	clusters := d.between(1, 3)
	for range clusters {
		n := d.between(1, 8)
		c := d.cluster(n, d.speed())
		pieces = append(pieces, d.cut(piece{c, 0, n, 0, steps}, 1+most/clusters)...)
	}
	d.place(pieces)
	for range d.IntN(3) * d.IntN(2) { // they hold nothing
		j := d.job(1, 0)
		d.plans[0] = append(d.plans[0], slot{job: j, cluster: 0, n: 1})
	}
	if d.chance(2) {
		d.arriveBefore(pieces)
	}
	if d.chance(2) {
		d.deadlinesAfter(0)
		d.optimum("over_deadline", 0)
	}
	if d.chance(5) {
		d.optimum("unfinished", float64(d.impossible()))
	}
	d.optimum("makespan", float64(steps)*d.unit)
	d.optimum("idle_time", 0)
	d.ask("mcp", "mean_response", "over_deadline")
	d.weights()
	d.shuffle()
}

// impossible adds jobs that no schedule can place and returns their number. They are too wide, or end after a hard deadline even if they start
// at once, or wait for such a job.
func (d *draft) impossible() int {
	wide := d.job(100, d.unit)
	late := d.job(1, 1000*d.unit)
	d.at(late).Deadline, d.at(late).DeadlineHard = new(d.origin+d.unit), true
	d.at(d.job(1, d.unit)).After = []string{d.spec.Jobs[pick(d.Rand, wide, late)].ID}
	return 3
}

// place makes a job of each piece, in the order of the starts, and plans it there.
func (d *draft) place(pieces []piece) {
	slices.SortStableFunc(pieces, func(a, b piece) int { return a.start - b.start })
	var plan []slot
	for _, p := range pieces {
		speed := d.spec.Clusters[p.cluster].Machines[0].Speed / d.mass
		j := d.job(p.n, float64(p.length)*d.unit*speed)
		plan = append(plan, slot{job: j, cluster: p.cluster, first: p.first, n: p.n})
	}
	d.plan(plan)
}

// arriveBefore makes jobs arrive before they start in the plan, at whole steps or at fractions of them. The first pieces arrive at the origin.
func (d *draft) arriveBefore(pieces []piece) {
	for k, p := range pieces {
		if p.start > 0 && !d.chance(3) {
			d.at(k).Arrival = d.origin + float64(d.between(max(0, p.start-pick(d.Rand, 0, 1, 5, 50)), p.start))*d.unit
		}
	}
}

// deadlinesAfter sets soft deadlines at or after the ends of the plan.
func (d *draft) deadlinesAfter(plan int) {
	in := d.instance()
	if in == nil {
		return
	}
	for j, end := range endsOf(in, layOut(in, d.plans[plan])) {
		if d.chance(8) {
			continue // none
		}
		d.at(j).Deadline = new(end + d.whole(d.unit*pick(d.Rand, 0, 0, 1e-5, 1, 7)))
	}
}

// weights draws the weights of mcp. Only mcp and its parts depend on them.
func (d *draft) weights() {
	for c := range d.spec.Clusters {
		if d.chance(2) {
			d.spec.Clusters[c].Weights = &model.WeightsSpec{OverDeadline: new(float64(d.IntN(5))), Makespan: new(float64(d.IntN(4))), IdleTime: new(float64(d.IntN(2)))}
		}
	}
}

// nothingLate fills clusters with jobs one after another, sometimes with gaps, and sets the deadlines after their ends.
func nothingLate(d *draft) {
	clusters := d.between(1, 3)
	free := make([][]int, clusters)
	for c := range clusters {
		free[c] = make([]int, d.between(1, 6))
		d.cluster(len(free[c]), d.speed())
	}
	var pieces []piece
	for range d.size() {
		c := d.IntN(clusters)
		n := d.between(1, len(free[c]))
		first := d.IntN(len(free[c]) - n + 1)
		start := slices.Max(free[c][first : first+n])
		if d.chance(4) {
			start += d.IntN(10)
		}
		p := piece{c, first, n, start, pick(d.Rand, 0, d.between(1, 20), d.between(1, 20), 7)}
		for k := first; k < first+n; k++ {
			free[c][k] = start + p.length
		}
		pieces = append(pieces, p)
	}
	d.place(pieces)
	for k, p := range pieces {
		d.plans[0][k].notBefore = d.origin + float64(p.start)*d.unit
	}
	if d.chance(2) {
		d.arriveBefore(pieces)
	}
	d.deadlinesAfter(0)
	if d.chance(4) {
		for k := range d.spec.Jobs {
			d.at(k).DeadlineHard = d.spec.Jobs[k].Deadline != nil && d.chance(2)
		}
		d.planted.MayLeave = true
		d.optimum("unfinished", 0)
	}
	d.optimum("over_deadline", 0)
	d.optimum("missed", 0)
	d.ask("makespan", "mcp", "mean_response", "mean_wait")
	d.weights()
	d.shuffle()
}

// moldableShelves runs jobs one after another, each on all processors of its cluster, for the same total time in every cluster. A job may take fewer
// processors and then takes longer. The work alone fills the time, so no makespan is shorter.
func moldableShelves(d *draft) {
	clusters, steps := d.between(1, 3), d.between(1, 30)
	var plan []slot
	for range clusters {
		n, speed := d.between(1, 8), d.speed()
		c := d.cluster(n, speed)
		for _, p := range d.cut(piece{c, 0, 1, 0, steps}, d.between(1, 12)) {
			rounds := 1 // tasks per processor
			if p.length%2 == 0 && d.chance(2) {
				rounds = 2
			}
			j := d.job(1, float64(p.length)*d.unit*speed/float64(rounds))
			d.at(j).Tasks = n * rounds
			if n > 1 {
				d.at(j).Processors = model.Moldable(d.between(1, n), n*d.between(1, 2))
			}
			plan = append(plan, slot{job: j, cluster: c, n: n})
		}
	}
	d.plan(plan)
	d.optimum("makespan", float64(steps)*d.unit)
	d.ask("mean_response", "mcp")
	d.shuffle()
}

// unrelatedLoads divides the same time among the jobs of each cluster of one processor. On other clusters a job takes at least as long or cannot
// run. The least times of all jobs fill the clusters, so no makespan is shorter.
func unrelatedLoads(d *draft) {
	clusters, steps := d.between(1, 6), d.between(4, 60)
	var plan []slot
	for range clusters {
		d.cluster(1, 1)
	}
	for c := range clusters {
		for _, p := range d.cut(piece{c, 0, 1, 0, steps}, 1+d.size()/clusters) {
			j := d.job(1, 0)
			spec := d.at(j)
			spec.Work, spec.Runtime = nil, map[string]float64{}
			for k := range clusters {
				length := p.length
				if k != c {
					length += d.IntN(3) * d.between(0, steps)
				}
				if k == c || !d.chance(6) {
					spec.Runtime[d.spec.Clusters[k].ID] = float64(length) * d.unit
				}
			}
			plan = append(plan, slot{job: j, cluster: c, n: 1})
		}
	}
	d.plan(plan)
	d.optimum("makespan", float64(steps)*d.unit)
	d.optimum("idle_time", 0)
	d.ask("mean_response", "mcp")
	d.shuffle()
}

// memoryPacking cuts the rectangle of one machine's memory × time. There are more than enough processors.
func memoryPacking(d *draft) {
	memory, steps := d.between(2, 12), d.between(2, 30)
	pieces := d.cut(piece{0, 0, memory, 0, steps}, d.size())
	c := d.cluster(len(pieces), d.speed())
	machine := &d.spec.Clusters[c].Machines[0]
	machine.Count, machine.Processors, machine.Memory = 1, len(pieces), new(float64(memory))
	d.place(pieces)
	for k, p := range pieces { // each job takes one processor, and the piece's width in memory
		d.at(k).Processors, d.at(k).Memory = model.ProcessorRange{}, float64(p.n)
		d.plans[0][k].first, d.plans[0][k].n = k, 1
		d.plans[0][k].notBefore = d.origin + float64(p.start)*d.unit
	}
	if d.chance(2) {
		d.afterTouching(pieces)
	}
	d.optimum("makespan", float64(steps)*d.unit)
	d.ask("mean_response")
	d.shuffle()
}

// licencePacking cuts the rectangle of a licence's copies × time. The clusters have equal speeds and more than enough processors.
func licencePacking(d *draft) {
	copies, steps := d.between(1, 8), d.between(2, 30)
	pieces := d.cut(piece{0, 0, copies, 0, steps}, d.size())
	speed := d.speed()
	clusters := d.between(1, 2)
	for range clusters {
		d.cluster(len(pieces), speed)
	}
	d.place(pieces)
	d.spec.Licences = map[string]int{"l": copies}
	for k, p := range pieces {
		d.at(k).Processors, d.at(k).Licences = model.ProcessorRange{}, map[string]int{"l": p.n}
		d.plans[0][k].cluster, d.plans[0][k].first, d.plans[0][k].n = k%clusters, k, 1
		d.plans[0][k].notBefore = d.origin + float64(p.start)*d.unit
	}
	if d.chance(3) {
		d.arriveBefore(pieces)
	}
	if d.chance(2) {
		d.afterTouching(pieces)
	}
	d.optimum("makespan", float64(steps)*d.unit)
	d.ask("mean_response", "mcp")
	d.shuffle()
}

// afterTouching makes each piece wait for those that it follows. The jobs are numbered as the pieces.
func (d *draft) afterTouching(pieces []piece) {
	for k, p := range pieces {
		for before, q := range pieces {
			if q.start+q.length == p.start && q.first < p.first+p.n && p.first < q.first+q.n {
				d.at(k).After = append(d.at(k).After, d.spec.Jobs[before].ID)
			}
		}
	}
}

// overTheGrid has jobs that each need all processors of all clusters, and runs them one after another.
func overTheGrid(d *draft) {
	clusters, all, speed := d.between(2, 3), 0, d.speed()
	for range clusters {
		n := d.between(1, 4)
		d.cluster(n, speed)
		all += n
	}
	sum := 0
	for range d.between(1, 12) {
		length := d.between(0, 9)
		d.at(d.job(all, float64(length)*d.unit*speed)).Span = string(model.SpanGrid)
		sum += length
	}
	d.optimum("makespan", float64(sum)*d.unit)
	in := d.instance()
	if in == nil {
		return
	}
	sol, now := &model.Solution{Schema: model.SolutionSchema}, d.origin
	order := make([]int, len(in.Jobs())) // shortest first, which gives the least mean response on one machine
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareWork(in, a, b) })
	response := 0.0
	for _, j := range order {
		end := now + in.Busy(j, 0, in.Clusters()[0].Machines[0].Speed, 1)
		place := model.Placement{Job: in.Jobs()[j].ID, Start: now, End: end}
		for c := range in.Clusters() {
			n := in.Clusters()[c].Processors
			place.Pieces = append(place.Pieces, model.Piece{Cluster: in.Clusters()[c].ID, Processors: model.NewProcessorSet(model.Range{First: 0, Last: n - 1}), Tasks: n, Start: now, End: end})
		}
		sol.Jobs = append(sol.Jobs, place)
		now = end
		response += end - d.origin
	}
	d.optimum("mean_response", response/float64(len(order)))
	d.planted.Schedules = append(d.planted.Schedules, sol)
}
