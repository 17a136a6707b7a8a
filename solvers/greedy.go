package solvers

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/objective"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name: "greedy",
	Doc: "Least increase: each job goes where the objective itself rises least, of equal places where it ends first. Of several orders of the jobs it keeps the one " +
		"with the best schedule. O(n·C·r) for each order.",
	Source: "allot; as a list rule after R. L. Graham (1969), Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17(2), doi:10.1137/0117039",
	Traces: true,
	New:    func() solve.Solver { return &Greedy{} },

	Work: func(in *model.Instance, s *solve.Size) float64 {
		work := 4 * (s.List() + s.Sorted())
		if rehearses(in) {
			work += 2000 * looksAtWhole(in)
		}
		return work
	},
	AutoIf: beyondTime,
})

// Greedy is a list schedule that follows the objective: each job gets the cluster, the machines and the number of processors with which the weighted sum of the
// instance rises least; of equal ones those with which it ends first. So with the objective cost each job runs where it costs least, and the schedule is optimal
// wherever every job can run there at some time: it meets the bound that looks at each job alone.
//
// The jobs go in several orders, and the best schedule is kept: by arrival; by due date, where the objective looks at deadlines; and where all jobs have arrived
// at the beginning the longest chains first, or the shortest jobs first where it is a mean over the jobs. Where the objective looks at deadlines, each order is also
// tried with the jobs last that would be late where they stand, so that they make no other late.
//
// What a metric counts for all jobs at once counts as it is for the jobs placed so far. For metrics that are no sums over the jobs (the penalty of queues, the use of
// processors and licences over time, devices, the peak of power) the evaluator looks at the jobs placed so far with each slot in turn, on instances of about a hundred jobs;
// on larger ones these metrics do not count, and where only they do each job goes where it ends first. Where the peak of power counts, another try also looks at
// slots after all jobs placed so far. Where power has a price, starts are the cheapest, see [plan.PricesStarts].
//
// Complexity: O(n·C·r) for each order of n jobs, C clusters and r distinct release times; times the kinds of machines of a cluster that differ in speed,
// bandwidth and cost, sixteen at most, where the objective asks for costs, and the numbers of processors of a moldable job, of which few are tried. With metrics
// that are no sums O(n²·C) besides.
type Greedy struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *Greedy) Supports(in *model.Instance) error { return list.Supports(in, s.Machines) }

// Solve implements [solve.Solver].
func (s *Greedy) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	g := newGreedy(in)
	rule := list.Rule{Name: "least increase", Text: "the objective rises least there", Score: "increase"}.By(s.Machines)
	if rehearses(in) {
		var err error
		if g.rehearsal, err = newRehearsal(ctx, in, s.Placing(opt.Seed)); err != nil {
			return solve.Result{}, err
		}
	}
	quiet := opt
	quiet.Trace = nil
	best, rank, tried := solve.Result{}, model.NoRank(), int64(0)
	var order []int // of the best
	after := false  // the best looks at slots after all jobs
	try := func(jobs []int) error {
		found, err := list.InOrder(ctx, in, jobs, quiet, rule, g.start())
		if err != nil || found.Solution == nil {
			return err
		}
		tried++
		value, err := model.EvaluateObjective(in, found.Solution)
		if err != nil {
			return err
		}
		if at := in.RankOf(found.Solution, value); best.Solution == nil || at.Better(rank) {
			best, rank, order, after = found, at, jobs, g.after
		}
		return nil
	}
	more := func(evaluations int64) bool {
		return ctx.Err() == nil && (opt.MaxEvals == 0 || tried+evaluations <= opt.MaxEvals)
	}
	for _, jobs := range g.orders(ctx) {
		if !more(1) {
			break
		}
		if err := try(jobs); err != nil {
			return solve.Result{}, err
		}
		if g.peak && more(1) {
			g.after = true
			if err := try(jobs); err != nil {
				return solve.Result{}, err
			}
			g.after = false
		}
		if !g.due || !more(2) {
			continue
		}
		if _, err := list.InOrder(ctx, in, jobs, quiet, rule, g.probe()); err != nil {
			return solve.Result{}, err
		}
		tried++
		if len(g.late) == 0 || ctx.Err() != nil {
			continue
		}
		if err := try(g.lateLast(jobs)); err != nil {
			return solve.Result{}, err
		}
	}
	if best.Solution == nil {
		return solve.Stopped(ctx), nil
	}
	if opt.Trace != nil && ctx.Err() == nil {
		g.after = after
		again, err := list.InOrder(ctx, in, order, opt, rule, g.start())
		if err != nil {
			return solve.Result{}, err
		}
		if again.Solution == nil {
			return solve.Stopped(ctx), nil
		}
	}
	best.Evaluations = tried
	return best, nil
}

// beyondTime says whether the objective asks for more than early ends, or cheap starts where power has a price: then the other list schedules do not follow it.
func beyondTime(in *model.Instance) bool {
	return slices.ContainsFunc(in.ObjectiveTerms(), func(term model.ObjectiveTerm) bool {
		switch term.Metric {
		case "makespan", "mean_response", "over_deadline", "finished", "unfinished", "data_moved", "work_done", "energy", "energy_cost", "carbon":
			return false
		}
		return term.Weight != 0
	})
}

// greedy is what the rule knows of an instance, and its state while jobs are placed.
type greedy struct {
	in        *model.Instance
	objective *objective.Objective
	priced    bool           // slots have a price, which holds what power costs and what waiting does
	failure   float64        // weight of a workflow that fails
	due       bool           // the objective looks at deadlines
	kinds     [][]plan.Among // by cluster: the machines to try beside all of them
	rehearsal *rehearsal     // of the metrics that are no sums; nil: there are none, or too many jobs
	peak      bool           // the peak of power counts
	after     bool           // slots after all jobs placed so far are tried too

	sums, scratch objective.Sums
	spent         []float64    // by workflow: what its jobs cost so far
	failed        []bool       // by workflow
	late          map[int]bool // the jobs that a probe leaves out; nil: this is none
}

// inPrices are the metrics that the price of a slot holds, where slots have one.
var inPrices = []string{"energy", "energy_cost", "carbon", "mean_wait", "mean_response", "mean_slowdown", "bounded_slowdown", "over_deadline"}

func newGreedy(in *model.Instance) *greedy {
	g := &greedy{in: in, priced: plan.PricesStarts(in), kinds: make([][]plan.Among, len(in.Clusters()))}
	counted := in
	if g.priced {
		rest := in.StatedObjective()
		for _, metric := range inPrices {
			delete(rest, metric)
		}
		if len(rest) == 0 {
			rest["makespan"] = 0
		}
		if other, err := in.WithObjective(rest); err == nil {
			counted = other
		}
	}
	jobs := 0
	for j := range in.Jobs() {
		if in.Runs(j) {
			jobs++
		}
	}
	g.objective = objective.New(counted, jobs)
	for _, term := range in.ObjectiveTerms() {
		if term.Weight == 0 {
			continue
		}
		switch term.Metric {
		case "workflow_failures":
			g.failure, g.due = term.Weight, true
		case "missed", "miss_rate", "over_deadline", "mcp":
			g.due = true
		case "peak_power":
			g.peak = rehearses(in)
		}
	}
	for c := range g.kinds {
		if g.objective.NeedsCost() {
			g.kinds[c] = kindsOf(&in.Clusters()[c])
		}
	}
	return g
}

// kindsOf lists the speeds, bandwidths and costs of the machines of a cluster, each as the machines that are no slower and no dearer; nil: all machines are alike in this. Of
// more than mostKinds it takes some of all costs.
func kindsOf(c *model.Cluster) []plan.Among {
	const mostKinds = 16
	var kinds []plan.Among
	for g := range c.Machines {
		m := &c.Machines[g]
		kinds = append(kinds, plan.Among{Speed: m.Speed, Bandwidth: m.Bandwidth, Cost: m.Cost})
	}
	slices.SortFunc(kinds, func(a, b plan.Among) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(b.Speed, a.Speed), cmp.Compare(b.Bandwidth, a.Bandwidth))
	})
	kinds = slices.Compact(kinds)
	if len(kinds) == 1 {
		return nil
	}
	if n := len(kinds); n > mostKinds {
		for k := range mostKinds {
			kinds[k] = kinds[k*(n-1)/(mostKinds-1)]
		}
		kinds = kinds[:mostKinds]
	}
	return kinds
}

// probe begins an empty schedule and returns the rule for one that leaves out the jobs that would be late and that no other job waits for. It keeps them in late.
func (g *greedy) probe() list.Pick {
	pick := g.start()
	g.late = map[int]bool{}
	return pick
}

// start begins an empty schedule and returns the rule.
func (g *greedy) start() list.Pick {
	g.late = nil
	g.objective.Reset(&g.sums)
	if g.rehearsal != nil {
		g.rehearsal.clear()
	}
	g.spent, g.failed = make([]float64, len(g.in.Workflows())), make([]bool, len(g.in.Workflows()))
	return g.pick
}

// pick picks the slot of the least increase. A job with a hard deadline takes a slot that ends by then, if there is one.
func (g *greedy) pick(s *list.Schedule, job int) (plan.Slot, bool) {
	const equal = 1e-12
	j := &g.in.Jobs()[job]
	total := math.Abs(g.objective.Prospect(&g.sums))
	best, increase, found, late := plan.Slot{}, math.Inf(1), false, true
	for c := range g.in.Clusters() {
		least, seen := math.Inf(1), false
		g.slots(s, job, c, func(slot plan.Slot) {
			tardy := j.DeadlineHard && model.Late(slot.End, j.Deadline)
			key := slot.End // by how much it is too late
			if !tardy {
				key = g.increase(s, job, &slot)
				least, seen = min(least, key), true
			}
			switch tie := equal * (total + min(math.Abs(key), math.Abs(increase))); {
			case !found, late && !tardy:
			case tardy && !late:
				return
			case key < increase-tie, key <= increase+tie && slot.End < best.End:
			default:
				return
			}
			best, increase, found, late = slot, key, true, tardy
		})
		if seen && s.Traced() {
			s.Score(c, least)
		}
	}
	if g.late != nil && found && !j.DeadlineHard && j.HasDeadline() && model.Late(best.End, j.Deadline) && len(g.in.Successors(job)) == 0 {
		g.late[job] = true
		return best, false
	}
	if found && !late {
		cost := g.cost(s, &best)
		g.objective.Add(&g.sums, job, &best, s.Resources, cost)
		if g.rehearsal != nil {
			g.rehearsal.place(job, best)
		}
		if w := j.Workflow; w >= 0 {
			g.failed[w] = g.fails(job, best.End, cost)
			g.spent[w] += cost
		}
	}
	return best, found
}

// slots calls yield with the slots of the job on the cluster that are tried.
func (g *greedy) slots(s *list.Schedule, job, cluster int, yield func(slot plan.Slot)) {
	first, ok := s.Earliest(job, cluster)
	if !ok {
		return
	}
	yield(first)
	ready, ok := s.Ready(job)
	if !ok || !g.in.CanRun(job, cluster) {
		return // it spreads over clusters
	}
	j := &g.in.Jobs()[job]
	least, most := g.in.Width(job, cluster)
	most = max(least, min(most, j.Tasks, g.in.Clusters()[cluster].Processors))
	for n := least; n <= most && !s.GaveUp(); n = max(plan.Wider(j.Tasks, n), n+n/4) {
		if least < most {
			if slot, ok := s.Resources.Earliest(job, cluster, n, ready); ok {
				yield(slot)
			}
		}
		if g.after {
			if slot, ok := s.Resources.Earliest(job, cluster, n, max(ready, g.sums.LastEnd)); ok {
				yield(slot)
			}
		}
		for _, machines := range g.kinds[cluster] {
			if slot, ok := s.EarliestAmong(job, cluster, n, ready, machines); ok {
				yield(slot)
			}
		}
	}
}

// cost is what the job costs in the slot; 0 where that does not count.
func (g *greedy) cost(s *list.Schedule, slot *plan.Slot) float64 {
	if !g.objective.NeedsCost() {
		return 0
	}
	return s.Cost(slot)
}

// increase is how much the objective rises where the job takes the slot.
func (g *greedy) increase(s *list.Schedule, job int, slot *plan.Slot) float64 {
	cost := g.cost(s, slot)
	rise := g.objective.Increase(&g.sums, &g.scratch, job, slot, s.Resources, cost)
	if g.priced {
		rise += slot.Price
	}
	if g.rehearsal != nil {
		rise += g.rehearsal.with(job, slot)
	}
	if w := g.in.Jobs()[job].Workflow; g.failure != 0 && w >= 0 && !g.failed[w] && g.fails(job, slot.End, cost) {
		rise += g.failure
	}
	return rise
}

// fails says whether the workflow of the job fails, or has failed, where the job ends at a time for a cost.
func (g *greedy) fails(job int, end, cost float64) bool {
	k := g.in.Jobs()[job].Workflow
	w := &g.in.Workflows()[k]
	return g.failed[k] || model.Late(end, w.Deadline) || g.spent[k]+cost > w.Budget
}

// orders are the orders of the jobs that are tried, the order of arrival first.
func (g *greedy) orders(ctx context.Context) [][]int {
	in := g.in
	arrival := plan.ArrivalOrder(in)
	orders := [][]int{arrival}
	by := func(key func(job int) float64) {
		order := slices.Clone(arrival)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
		orders = append(orders, plan.Topological(in, order))
	}
	if g.due && slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.HasDeadline() }) {
		by(func(job int) float64 { return in.Jobs()[job].Deadline })
	}
	if in.Features().Has(model.Arrivals) {
		return orders
	}
	for _, term := range in.ObjectiveTerms() {
		if term.Weight <= 0 {
			continue
		}
		switch term.Metric {
		case "makespan", "idle_time", "mcp", "balance":
			if rank := upwardRanks(ctx, in, arrival); rank != nil {
				by(func(job int) float64 { return -rank[job] })
			}
			return orders
		case "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown":
			length := make([]float64, len(in.Jobs()))
			for j := range length {
				length[j] = meanDuration(in, j)
			}
			by(func(job int) float64 { return length[job] })
			return orders
		}
	}
	return orders
}

// lateLast is the order with the jobs last that the probe left out.
func (g *greedy) lateLast(order []int) []int {
	var first, last []int
	for _, j := range order {
		if g.late[j] {
			last = append(last, j)
		} else {
			first = append(first, j)
		}
	}
	return append(first, last...)
}
