package schedules

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/objective"
)

// problem is an instance as the engine sees it. It does not change once made.
type problem struct {
	in        *model.Instance
	ctx       context.Context
	objective *objective.Objective
	jobs      []int32         // jobs that can be placed, in queue order
	nowhere   []int           // the other jobs, in queue order
	position  []int32         // by job: its index in jobs; −1: it cannot be placed
	hosts     [][]int32       // by job: clusters on which it can run; like jobs share a list. Empty: the job has to spread
	spreads   []bool          // by job: it may spread over several clusters
	owes      []bool          // by job: see [model.Instance.Owes]
	asks      []plan.Asked    // by job: what it asks for beside a number of processors
	length    []float64       // by job: a lower bound of its execution time
	tail      []float64       // by job: a lower bound of the time from its end to the end of the last job that waits for it
	waits     bool            // some jobs wait for others
	moldable  []int32         // jobs whose number of processors can be chosen
	several   []int32         // jobs whose cluster can be chosen
	cost      int64           // about the ns to place a job in an empty schedule
	size      int             // about the bytes of a state of the resources
	tie       float64         // weight of the mean response in the energy
	empty     *plan.Resources // used only while the problem is made
	ended     func() bool     // says whether the context has ended; always false for systems so small that finding a slot is quick
}

// manyProcessors is the number of processors from which on it may take seconds to look for a slot of every width.
const manyProcessors = 1 << 18

// newProblem reads an instance. It returns nil if the context ends first.
func newProblem(ctx context.Context, in *model.Instance) *problem {
	n := len(in.Jobs())
	p := &problem{in: in, ctx: ctx, position: make([]int32, n), hosts: make([][]int32, n), length: make([]float64, n), tail: make([]float64, n),
		waits: in.Features()&model.Precedence != 0, spreads: make([]bool, n), owes: make([]bool, n), asks: make([]plan.Asked, n), empty: plan.NewResources(in), ended: func() bool { return false }}
	if in.Processors() > manyProcessors {
		p.ended = func() bool { return ctx.Err() != nil }
	}
	p.empty.Until(ctx)
	known := map[string][]int32{}
	for _, j := range plan.ArrivalOrder(in) {
		if ctx.Err() != nil {
			return nil
		}
		p.hosts[j], p.owes[j], p.asks[j] = p.hostsOf(j, known), in.Owes(j), p.empty.Asks(j)
		if !p.placeable(j) {
			p.position[j] = -1
			p.nowhere = append(p.nowhere, j)
			continue
		}
		p.position[j] = int32(len(p.jobs))
		p.jobs = append(p.jobs, int32(j))
		p.spreads[j] = plan.CanSpread(in, j)
		p.length[j] = p.shortest(j)
		if p.places(int32(j)) > 1 {
			p.several = append(p.several, int32(j))
		}
		if p.choosesWidth(j) {
			p.moldable = append(p.moldable, int32(j))
		}
	}
	for k := len(p.jobs) - 1; k >= 0; k-- { // from the last job to the first, so that a job is handled after those that wait for it
		j := p.jobs[k]
		for _, next := range in.Successors(int(j)) {
			if p.position[next] >= 0 {
				p.tail[j] = max(p.tail[j], p.length[next]+p.tail[next])
			}
		}
	}
	p.objective = objective.New(in, len(p.jobs))
	for _, term := range in.ObjectiveTerms() {
		if term.Metric == "makespan" && term.Weight > 0 {
			p.tie = tieWeight * term.Weight
		}
	}
	p.size = p.empty.Size()
	p.cost = slotCost(in, p.size)
	return p
}

// hostsOf lists the clusters on which the job can run. The map known keeps the lists, so that like jobs share one.
func (p *problem) hostsOf(job int, known map[string][]int32) []int32 {
	var hosts []int32
	var key []byte
	for c := range p.in.Clusters() {
		if p.in.CanRun(job, c) {
			hosts = append(hosts, int32(c))
			key = binary.AppendUvarint(key, uint64(c))
		}
	}
	if shared, ok := known[string(key)]; ok {
		return shared
	}
	known[string(key)] = hosts
	return hosts
}

// placeable says that the job can be placed in an empty schedule, and so can all jobs it waits for.
func (p *problem) placeable(job int) bool {
	for _, before := range p.in.Jobs()[job].After {
		if p.position[before] < 0 {
			return false
		}
	}
	if len(p.hosts[job]) > 0 {
		return true
	}
	if !p.in.MustSpread(job) {
		return false
	}
	_, ok := p.empty.Spread(job, p.in.Jobs()[job].Min, p.in.FirstArrival())
	return ok
}

// choosesWidth says that the job can run on different numbers of processors.
func (p *problem) choosesWidth(job int) bool {
	j := &p.in.Jobs()[job]
	if j.Rigid() {
		return false
	}
	for _, c := range p.hosts[job] {
		if least, most := p.widths(job, int(c)); least < most {
			return true
		}
	}
	least, most := p.widths(job, spreadOver)
	return len(p.hosts[job]) == 0 || p.spreads[job] && least < most
}

// places is the number of clusters that can be chosen for the job, plus one if it may also spread.
func (p *problem) places(job int32) int {
	if n := len(p.hosts[job]); n > 0 && p.spreads[job] {
		return n + 1
	} else {
		return n
	}
}

// widths are the least and the most processors that the job may hold on the cluster. If cluster is negative, the job is spread over
// several clusters.
func (p *problem) widths(job, cluster int) (least, most int) {
	j := &p.in.Jobs()[job]
	if cluster < 0 {
		return j.Min, max(j.Min, min(j.Max, j.Tasks, p.in.Processors()))
	}
	least, most = p.in.Width(job, cluster)
	return least, max(least, min(most, j.Tasks, p.in.Clusters()[cluster].Processors))
}

// shortest is a lower bound of the execution time, because some processor runs at least an even share of the tasks.
func (p *problem) shortest(job int) float64 {
	j := &p.in.Jobs()[job]
	shortest := math.Inf(1)
	try := func(c, n int) {
		for g := range p.in.Clusters()[c].Machines {
			m := &p.in.Clusters()[c].Machines[g]
			if length := p.in.Busy(job, c, m.Speed, (j.Tasks+n-1)/n) + p.in.Transfer(job, m.Bandwidth); length < shortest {
				shortest = length
			}
		}
	}
	for _, c := range p.hosts[job] {
		_, most := p.widths(job, int(c))
		try(int(c), most)
	}
	if len(p.hosts[job]) == 0 || p.spreads[job] {
		_, most := p.widths(job, spreadOver)
		for c := range p.in.Clusters() {
			try(c, most)
		}
	}
	return shortest
}

// choice says where a job is to run: a cluster and a number of processors.
type choice struct {
	cluster int32 // −1: where the job ends first, or spread if it fits on no cluster; spreadOver: over several clusters
	width   int32 // 0: the number with which it ends first
}

// spreadOver is the choice to spread a job over several clusters although it could run on one.
const spreadOver = -2

// result says what became of a job.
type result struct {
	start, end float64 // NaN: the job is left out
	cost       float64 // 0 if the objective does not need it
	choice     choice  // of a job that is spread, the cluster is its first
	spread     bool
}

// choiceOf is the choice that would place the job again as the result says.
func (p *problem) choiceOf(job int32, result *result) choice {
	choice := result.choice
	switch {
	case len(p.hosts[job]) == 0:
		choice.cluster = -1
	case result.spread:
		choice.cluster = spreadOver
	}
	return choice
}

// slot finds the slot of the job for its choice, at time ready or later. It returns false if no slot meets the job's hard deadline.
func (p *problem) slot(r *plan.Resources, job int, choice choice, ready float64) (plan.Slot, bool) {
	j, hosts := &p.in.Jobs()[job], p.hosts[job]
	if choice.cluster >= 0 && choice.width > 0 && len(hosts) > 0 {
		least, most := p.widths(job, int(choice.cluster))
		slot, ok := r.Earliest(job, int(choice.cluster), min(most, max(least, int(choice.width))), ready)
		if !ok { // memory or licences leave fewer processors than the cluster has
			slot, ok = r.Earliest(job, int(choice.cluster), least, ready)
		}
		return slot, ok && !(j.DeadlineHard && model.Late(slot.End, j.Deadline))
	}
	best, found := plan.Slot{End: math.Inf(1)}, false
	try := func(slot plan.Slot, ok bool) {
		if ok && (!found || slot.Before(&best)) {
			best, found = slot, true
		}
	}
	switch {
	case len(hosts) == 0 || choice.cluster == spreadOver && p.spreads[job]:
		least, most := p.widths(job, spreadOver)
		for n := least; choice.width == 0 && len(hosts) > 0 && n <= most && !p.ended(); n = nextWidth(j.Tasks, n) {
			try(r.Spread(job, n, ready))
		}
		if !found {
			try(r.Spread(job, min(most, max(least, int(choice.width))), ready))
		}
		if !found && int(choice.width) > least {
			try(r.Spread(job, least, ready))
		}
		if !found && len(hosts) > 0 { // memory or licences prevent every spread
			p.slotOn(r, job, int(hosts[0]), choice.width, ready, try)
		}
	case choice.cluster >= 0:
		p.slotOn(r, job, int(choice.cluster), choice.width, ready, try)
	default:
		for _, c := range hosts {
			p.slotOn(r, job, int(c), choice.width, ready, try)
		}
	}
	return best, found && !(j.DeadlineHard && model.Late(best.End, j.Deadline))
}

// slotOn tries the slots of the job on the cluster.
func (p *problem) slotOn(r *plan.Resources, job, cluster int, width int32, ready float64, try func(plan.Slot, bool)) {
	least, most := p.widths(job, cluster)
	if width > 0 || least == most {
		slot, ok := r.Earliest(job, cluster, min(most, max(least, int(width))), ready)
		if !ok { // memory or licences leave fewer processors than the cluster has
			slot, ok = r.Earliest(job, cluster, least, ready)
		}
		try(slot, ok)
		return
	}
	if slot, ok, counted := r.EarliestEnd(job, cluster, least, most, nextWidth, ready); counted {
		try(slot, ok)
		return
	}
	tasks := p.in.Jobs()[job].Tasks
	for n := least; n <= most && !p.ended(); n = nextWidth(tasks, n) {
		try(r.Earliest(job, cluster, n, ready))
	}
}

// nextWidth is the number of processors to try after n for a job of equal tasks: fewer tasks for each, and a quarter more processors at least, so that
// few numbers are tried of a job of many tasks.
func nextWidth(tasks, n int) int { return max(plan.Wider(tasks, n), n+n/4) }

// narrower is the greatest number of processors below n, at least one, such that a job of equal tasks takes longer on any
// smaller number.
func narrower(tasks, n int) int {
	each := (tasks + n - 1) / n
	return max(1, min(n-1, (tasks+each)/(each+1)))
}
