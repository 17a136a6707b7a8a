package schedules

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// rule is a priority rule for a first schedule: the job with the least value goes first.
type rule func(p *problem, job int32) float64

// Priority rules. byTail is the rule of the critical path: the job with the longest time still to follow goes first. On p like
// processors, Graham's list schedules by it have at most 2 − 1/p times the least makespan. Without precedence it is the rule of
// the longest processing time.
var (
	byTail rule = func(p *problem, j int32) float64 { return -p.tail[j] - p.length[j] }
	byArea rule = func(p *problem, j int32) float64 { return -p.area(j) }
	// Shortest processing time, weighted by the processors held.
	bySmall    rule = func(p *problem, j int32) float64 { return p.area(j) }
	byDeadline rule = func(p *problem, j int32) float64 { return p.in.Jobs()[j].Deadline - p.tail[j] }
	bySlack    rule = func(p *problem, j int32) float64 {
		return p.in.Jobs()[j].Deadline - p.tail[j] - p.length[j]
	}
	byQueue rule = func(p *problem, j int32) float64 { return float64(p.position[j]) }
)

// area is about the least processor time that the job holds.
func (p *problem) area(j int32) float64 {
	return float64(p.in.Jobs()[j].Min) * p.length[j]
}

// startRule is a rule that makes a first schedule.
type startRule struct {
	rule  rule
	width func(least, most int) int // processors of a moldable job; 0: the number with which it ends first; nil: 0 for all

	widths []int // processors by position in problem.jobs, instead of width; nil: width decides
}

// startRules are the rules that suit the instance, the best first.
func (p *problem) startRules() []startRule {
	deadlines, sums := p.objective.Deadlines > 0, false
	for _, term := range p.in.ObjectiveTerms() {
		switch term.Metric {
		case "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown":
			sums = true
		}
	}
	rules := []rule{byTail, byQueue, byArea}
	if sums {
		rules = []rule{bySmall, byTail, byQueue}
	}
	if deadlines {
		rules = append(rules, byDeadline, bySlack)
	}
	var all []startRule
	for _, rule := range rules {
		all = append(all, startRule{rule: rule})
		if len(p.moldable) > 0 {
			all = append(all, startRule{rule: rule, width: func(least, _ int) int { return least }},
				startRule{rule: rule, width: func(least, most int) int { return max(least, int(math.Sqrt(float64(least)*float64(most)))) }})
		}
	}
	return all
}

// genomeOf codes schedule s: the order of its starts and its choices. Jobs that it leaves out come last.
func (p *problem) genomeOf(s *model.Solution) genome {
	n := len(p.in.Jobs())
	g := genome{choices: make([]choice, n)}
	type key struct{ start, end float64 }
	keys := make([]key, n)
	for j := range keys {
		keys[j] = key{math.Inf(1), math.Inf(1)}
		g.choices[j].cluster = -1
	}
	for k := range s.Jobs {
		placed := &s.Jobs[k]
		j, _ := p.in.JobIndex(placed.Job)
		keys[j] = key{placed.Start, placed.End}
		width, cluster, several := 0, 0, false
		placed.Parts(1, func(piece model.Piece) {
			if width == 0 {
				cluster, _ = p.in.ClusterIndex(piece.Cluster)
			}
			other, _ := p.in.ClusterIndex(piece.Cluster)
			several = several || other != cluster
			width += piece.Processors.Len()
		})
		g.choices[j] = choice{int32(cluster), int32(width)}
		if several && p.spreads[j] && len(p.hosts[j]) > 0 {
			g.choices[j].cluster = spreadOver
		} else if !slices.Contains(p.hosts[j], int32(cluster)) {
			g.choices[j].cluster = -1
		}
	}
	order := plan.ArrivalOrder(p.in)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(keys[a].start, keys[b].start), cmp.Compare(keys[a].end, keys[b].end))
	})
	for _, j := range plan.Topological(p.in, order) {
		if p.position[j] >= 0 {
			g.order = append(g.order, int32(j))
		}
	}
	return g
}

// dispatch makes a schedule event by event. Whenever a processor is free, it places the job of the highest priority among those
// that may start by then. On like processors and with jobs of one processor each, this is Graham's list schedule. It returns
// false if it was told to stop.
//
// Complexity: O(n·(log n + clusters)) slots for n jobs.
func (d *decoder) dispatch(start startRule) (genome, bool) {
	g := genome{order: make([]int32, 0, len(d.jobs)), choices: make([]choice, len(d.in.Jobs()))}
	waits := make([]int32, len(d.in.Jobs()))
	var later, now queue.Heap[queue.Waiting]
	for _, j := range d.jobs {
		g.choices[j] = choice{cluster: -1}
		if start.width != nil {
			least, most := d.widestOf(int(j))
			g.choices[j].width = int32(start.width(least, most))
		}
		if start.widths != nil {
			g.choices[j].width = int32(start.widths[d.position[j]])
		}
		if waits[j] = int32(len(d.in.Jobs()[j].After)); waits[j] == 0 {
			later = append(later, queue.Waiting{Key: d.in.Jobs()[j].Arrival, Place: d.position[j], Job: j})
		}
	}
	later.Init()
	d.resources.Assign(d.marks[0].resources)
	d.objective.Reset(&d.sums)
	d.from = 0
	for t := d.objective.Origin; len(g.order) < len(d.jobs); {
		free := math.Inf(1)
		for c := range d.in.Clusters() {
			free = min(free, d.resources.Release(c, 1))
		}
		if t = max(t, free); len(now) == 0 {
			t = max(t, later[0].Key)
		}
		for len(later) > 0 && later[0].Key <= t {
			j := later.Pop().Job
			now.Push(queue.Waiting{Key: start.rule(d.problem, j), Place: d.position[j], Job: j})
		}
		j := now.Pop().Job
		d.place(int(j), g.choices[j])
		g.order = append(g.order, j)
		d.to = len(g.order)
		for _, next := range d.in.Successors(int(j)) {
			if waits[next]--; waits[next] == 0 && d.position[next] >= 0 {
				ready, ok := d.ready(next, d.next)
				if !ok {
					ready = t
				}
				later.Push(queue.Waiting{Key: ready, Place: d.position[next], Job: int32(next)})
			}
		}
		if d.poll += 1000; d.mustStop() {
			d.drop(&g)
			return g, false
		}
	}
	for _, j := range g.order { // keep what decoding chose: the search has no reason to choose again
		if !math.IsNaN(d.next[j].end) {
			g.choices[j] = d.choiceOf(j, &d.next[j])
		}
	}
	d.drop(&g)
	return g, true
}

// widestOf are the least and the most processors that the job may hold on any cluster.
func (p *problem) widestOf(job int) (least, most int) {
	if len(p.hosts[job]) == 0 {
		return p.widths(job, -1)
	}
	least = math.MaxInt
	for _, c := range p.hosts[job] {
		low, high := p.widths(job, int(c))
		least, most = min(least, low), max(most, high)
	}
	return least, most
}

// forwardBackward reorders the schedule kept last. It pushes the jobs as late as the order of their ends allows, and then orders
// them by the starts that result. Where jobs wait for others, the schedule of the new order is often shorter.
//
// Sources: K. Y. Li, R. J. Willis, "An iterative scheduling technique for resource-constrained project scheduling", European
// Journal of Operational Research 56, 1992, DOI 10.1016/0377-2217(92)90320-9; P. Tormos, A. Lova, "A competitive heuristic
// solution technique for resource-constrained project scheduling", Annals of Operations Research 102, 2001, DOI
// 10.1023/A:1010997814183.
//
// Deviations: on the way back only processors are counted, in each cluster the number that the job held, so that the result is
// an order to decode and not a schedule; a job over several clusters counts on the first; arrivals are ignored.
//
// Complexity: O(n log n + precedences + n · processors). It returns false if it was told to stop.
func (d *decoder) forwardBackward(g *genome) (genome, bool) {
	n := len(g.order)
	turned := genome{slices.Clone(g.order), slices.Clone(g.choices)}
	at := make([]int32, len(d.in.Jobs()))
	for k, j := range g.order {
		at[j] = int32(k)
	}
	order := turned.order
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(d.kept[b].end, d.kept[a].end), cmp.Compare(at[b], at[a]))
	})
	releases := make([]*plan.Releases, len(d.in.Clusters()))
	for c := range releases {
		releases[c] = plan.NewReleases(min(n, d.in.Clusters()[c].Processors))
		releases[c].Reset(0, d.in.Clusters()[c].Processors)
	}
	end := make([]float64, len(d.in.Jobs()))
	for _, j := range order {
		ready := 0.0
		for _, next := range d.in.Successors(int(j)) {
			ready = max(ready, end[next])
		}
		r := &d.kept[j]
		length := r.end - r.start
		size := min(r.choice.width, int32(d.in.Clusters()[r.choice.cluster].Processors))
		end[j] = releases[r.choice.cluster].Place(size, ready, length) + length
		turned.choices[j] = d.choiceOf(j, r)
		if d.mustStop() {
			return turned, false
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(end[b], end[a]), cmp.Compare(at[a], at[b]))
	})
	return turned, true
}
