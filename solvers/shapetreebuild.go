package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/internal/kit"
)

// newShapeTree makes a tree of jobs, which are of one kind: see [kinds]; nil where their durations have no shape.
func newShapeTree(ctx context.Context, c *completions, jobs []int32, place []int32) *shapeTree {
	t := &shapeTree{c: c, jobLeaves: newJobLeaves(jobs), place: place, poll: kit.NewPoll(ctx)}
	if !t.measure() {
		return nil
	}
	t.nodes = make([]shapeNode, 2*t.leaves)
	t.split(0, t.leaves)
	n := len(t.jobs)
	t.work, t.data, t.due, t.here = make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
	for at, job := range t.jobs {
		j := &c.Instance.Jobs()[job]
		t.work[at], t.data[at], t.due[at], t.here[at] = j.Work, j.Input+j.Output, math.Inf(1), true
		if j.DeadlineHard {
			t.due[at] = j.Deadline
		}
		place[job] = int32(at)
	}
	for leaf := range t.leaves {
		t.fill(leaf)
	}
	for node := t.leaves - 1; node > 0; node-- {
		t.join(node)
	}
	for size := 1; size <= 2*t.leaves; size *= 2 {
		t.levels = append(t.levels, make([]planeOf, 0, len(t.shape)))
	}
	t.corners = make([]corners, len(t.shape))
	return t
}

// measure finds the shape, and how far durations deviate from it; false where they have none. The factors are those of the time rule. Were they wrong the
// deviations would tell.
func (t *shapeTree) measure() bool {
	jobs, m := t.c.Instance.Jobs(), len(t.c.Resources)
	one := &jobs[t.jobs[0]]
	for k := range t.c.Resources {
		l, d := &t.c.Resources[k], t.c.on(int(t.jobs[0]), k)
		if math.IsInf(d, 1) {
			continue
		}
		size := l.Size(one)
		p := planeOf{resource: k, perWork: float64((one.Tasks+size-1)/size) / l.Speed, perData: 1 / l.Bandwidth}
		p.base = d - p.at(one.Work, one.Input+one.Output)
		t.shape = append(t.shape, p)
	}
	for _, job := range t.jobs {
		if t.poll.Stopped(m) {
			return false
		}
		j := &jobs[job]
		for k := range t.shape {
			p := &t.shape[k]
			d := t.c.on(int(job), p.resource)
			t.deviation = max(t.deviation, math.Abs(d-p.at(j.Work, j.Input+j.Output)))
			t.longest = max(t.longest, d)
		}
	}
	const most = 1e-9
	return t.deviation <= most*t.longest // false where it is NaN too
}

// split orders the jobs of the leaves so that those of the first half have less work than the others, or less data: of the two, that which makes their times differ
// more between the resources.
func (t *shapeTree) split(from, to int) {
	jobs := t.of(from, to)
	if to-from == 1 || t.poll.Stopped(len(jobs)) {
		return
	}
	all := t.c.Instance.Jobs()
	work := func(j int32) float64 { return all[j].Work }
	data := func(j int32) float64 { return all[j].Input + all[j].Output }
	by := work
	perWork := func(p *planeOf) float64 { return p.perWork }
	perData := func(p *planeOf) float64 { return p.perData }
	if spread(jobs, data)*t.spread(perData) > spread(jobs, work)*t.spread(perWork) {
		by = data
	}
	copy(jobs, sorted(jobs, by))
	t.split(from, (from+to)/2)
	t.split((from+to)/2, to)
}

// spread is the difference of the largest and the least value of the jobs.
func spread(jobs []int32, of func(int32) float64) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for _, j := range jobs {
		least, most = min(least, of(j)), max(most, of(j))
	}
	return most - least
}

// spread is the difference of the largest and the least factor of the resources.
func (t *shapeTree) spread(of func(*planeOf) float64) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for k := range t.shape {
		least, most = min(least, of(&t.shape[k])), max(most, of(&t.shape[k]))
	}
	return most - least
}

// fill makes a leaf from its jobs.
func (t *shapeTree) fill(leaf int) {
	n := &t.nodes[t.leaves+leaf]
	*n = emptyShapeNode()
	from, to := t.places(leaf, leaf+1)
	for at := from; at < to; at++ {
		if t.here[at] {
			n.add(&shapeNode{jobs: 1, first: t.jobs[at], least: [2]float64{t.work[at], t.data[at]}, most: [2]float64{t.work[at], t.data[at]}, due: t.due[at]})
		}
	}
}

// emptyShapeNode is a node without jobs.
func emptyShapeNode() shapeNode {
	inf := math.Inf(1)
	return shapeNode{first: math.MaxInt32, least: [2]float64{inf, inf}, most: [2]float64{-inf, -inf}, due: inf}
}

// add adds the jobs of another node.
func (n *shapeNode) add(o *shapeNode) {
	n.jobs, n.first, n.due = n.jobs+o.jobs, min(n.first, o.first), min(n.due, o.due)
	for x := range n.least {
		n.least[x], n.most[x] = min(n.least[x], o.least[x]), max(n.most[x], o.most[x])
	}
}

// join makes a node from its two children.
func (t *shapeTree) join(node int) {
	n := t.nodes[2*node]
	n.add(&t.nodes[2*node+1])
	t.nodes[node] = n
}

// remove takes a job out of the tree.
func (t *shapeTree) remove(job int) {
	at := int(t.place[job])
	t.here[at] = false
	leaf := ((at+1)*t.leaves - 1) / len(t.jobs)
	t.fill(leaf)
	for node := (t.leaves + leaf) / 2; node > 0; node /= 2 {
		t.join(node)
	}
}

// each calls yield with each job of the tree.
func (t *shapeTree) each(yield func(job int32)) {
	for at, here := range t.here {
		if here {
			yield(t.jobs[at])
		}
	}
}
