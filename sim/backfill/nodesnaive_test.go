package backfill

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	rules "github.com/allot-opt/allot/plan/place"
)

// naiveNodes replays an instance whose jobs ask something of single machines in the plainest way: at each instant it looks at everything anew, and it
// finds the machines of a job by trying them all. Of the program it shares the model, the score that a rule gives to a machine, and the score of a
// ranking or a priority; not the engine, the rooms, nor how they are searched.
type naiveNodes struct {
	in       *model.Instance
	known    *model.Instance  // by the estimates
	machines []*model.Machine // one by one
	cluster  []int            // by machine
	first    []int            // by machine: its first processor
	changes  []float64
	step     float64
	site     *rules.Site  // whose machines and kinds the rule wants to see
	scorer   rules.Scorer // nil: the rule first

	now      float64
	queue    []int // jobs
	running  []*nodeRun
	taken    [][]bool // by machine, by processor
	solution model.Solution

	grouped bool                   // machines of one processor each count as one machine a group
	rigid   bool                   // reservations are for rigid maxima
	caps    []naiveCap             // by cluster; nil: no power caps
	among   func(machine int) bool // the machines that a job may have; nil: all
	most    map[int]int            // blocks that a job may have at most on a machine

	reserved map[int]*nodeSlot // conservative
	afresh   bool
	freed    []*nodeRun // since the last decision
	alarm    float64
}

// nodeRun is a job that runs or has run.
type nodeRun struct {
	job                   int
	cluster               int
	shares                []nodeShare
	start, end, estimated float64
	booked                nodeSlot
	misses                bool // it reaches its hard deadline
}

// nodeSlot is where and when a job is planned.
type nodeSlot struct {
	cluster    int
	start, end float64
	shares     []nodeShare
}

// nodeShare is what a job holds of one machine.
type nodeShare struct {
	machine, processors, blocks int
	devices                     map[int][]int        // by resource
	holds                       map[int]model.Amount // by resource: of a job that runs already
}

// nodeRoom is what is free: of each machine, and of the licence of the grid.
type nodeRoom struct {
	of     []nodeFree
	copies int
	power  []float64 // by cluster, where there are power caps
}

// nodeFree is what is free of one machine.
type nodeFree struct {
	processors int
	memory     float64
	amounts    []model.Amount
	devices    map[int][]model.Amount
}

func newNaiveNodes(in *model.Instance, rule string, step float64) *naiveNodes {
	n := &naiveNodes{in: in, known: in.Known(), step: step, alarm: math.Inf(1), reserved: map[int]*nodeSlot{}}
	r, err := rules.Lookup(rule)
	if err != nil {
		panic(err)
	}
	if n.site = rules.NewSite(in, r, 0); r.New != nil {
		n.scorer = r.New(n.site, 0)
	}
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			for k := range m.Count {
				n.machines, n.cluster, n.first = append(n.machines, m), append(n.cluster, c), append(n.first, m.First+k*m.Units)
				n.taken = append(n.taken, make([]bool, m.Units))
			}
			for _, closed := range m.Closed() {
				if n.changes = append(n.changes, closed.From); !math.IsInf(closed.To, 1) {
					n.changes = append(n.changes, closed.To)
				}
			}
		}
	}
	slices.Sort(n.changes)
	return n
}

// empty is the room when nothing runs.
func (n *naiveNodes) empty() *nodeRoom {
	r := &nodeRoom{copies: 1 << 30}
	for _, l := range n.in.Licences() {
		r.copies = l.Copies
	}
	for _, m := range n.machines {
		free := nodeFree{processors: m.Units, memory: m.Memory, devices: map[int][]model.Amount{}}
		for k, resource := range n.in.Resources() {
			free.amounts = append(free.amounts, m.Amount(k))
			if resource.Devices {
				free.devices[k] = slices.Repeat([]model.Amount{model.WholeAmount}, int(m.Amount(k)/model.WholeAmount))
			}
		}
		r.of = append(r.of, free)
	}
	return r
}

// take takes what a job holds out of the room.
func (n *naiveNodes) take(r *nodeRoom, job int, shares []nodeShare) {
	j := &n.in.Jobs()[job]
	for _, s := range shares {
		free := &r.of[s.machine]
		if r.power != nil {
			r.power[n.cluster[s.machine]] -= n.watts(job, s.machine) * float64(s.processors)
		}
		free.memory -= j.Memory * float64(s.processors)
		if free.processors -= s.processors; j.Node().Exclusive {
			free.processors = 0
		}
		for resource, amount := range s.holds {
			free.amounts[resource] -= amount
			for _, d := range s.devices[resource] {
				free.devices[resource][d] -= amount / model.Amount(len(s.devices[resource]))
			}
		}
		for _, need := range j.Node().Resources {
			if s.holds != nil {
				break
			}
			free.amounts[need.Resource] -= need.Amount * model.Amount(s.blocks)
			for _, d := range s.devices[need.Resource] {
				free.devices[need.Resource][d] -= min(need.Amount, model.WholeAmount)
			}
		}
	}
	for _, need := range j.Licences {
		r.copies -= need.Copies
	}
}

// meet reduces the room to what is free in both.
func (r *nodeRoom) meet(other *nodeRoom) {
	r.copies = min(r.copies, other.copies)
	for c := range r.power {
		r.power[c] = min(r.power[c], other.power[c])
	}
	for m := range r.of {
		a, b := &r.of[m], &other.of[m]
		a.processors, a.memory = min(a.processors, b.processors), min(a.memory, b.memory)
		for k := range a.amounts {
			a.amounts[k] = min(a.amounts[k], b.amounts[k])
			if devices := a.devices[k]; devices != nil {
				a.amounts[k] = 0
				for d := range devices {
					devices[d] = min(devices[d], b.devices[k][d])
					a.amounts[k] += devices[d]
				}
			}
		}
	}
}

// holds says whether a number of blocks of the job fits on the machine, whatever else it needs.
func (n *naiveNodes) holds(free *nodeFree, job, machine, blocks int) bool {
	j, m := &n.in.Jobs()[job], n.machines[machine]
	processors := blocks * n.size(job, machine)
	if n.grouped && j.Memory <= m.Memory {
		return processors <= free.processors
	}
	if processors > free.processors || float64(processors)*j.Memory > free.memory || j.Node().Exclusive && free.processors < m.Units || !m.Offers(j.Node().Features) {
		return false
	}
	for _, need := range j.Node().Resources {
		if need.Amount*model.Amount(blocks) > free.amounts[need.Resource] {
			return false
		}
		if n.in.Resources()[need.Resource].Devices && n.devices(free, need, blocks, -1) == nil {
			return false
		}
	}
	return true
}

// devices are those of a need that blocks take: the one that the rule has chosen, then always the one with the least free that is enough; nil: too few.
func (n *naiveNodes) devices(free *nodeFree, need model.ResourceNeed, blocks, chosen int) []int {
	count, each := blocks, need.Amount
	if need.Amount >= model.WholeAmount {
		count, each = blocks*int(need.Amount/model.WholeAmount), model.WholeAmount
	}
	var taken []int
	if chosen >= 0 {
		taken = append(taken, chosen)
	}
	for len(taken) < count {
		best := -1
		for d, share := range free.devices[need.Resource] {
			if share >= each && !slices.Contains(taken, d) && (best < 0 || share < free.devices[need.Resource][best]) {
				best = d
			}
		}
		if best < 0 {
			return nil
		}
		taken = append(taken, best)
	}
	slices.Sort(taken)
	return taken
}

// size is the number of processors of a block there.
func (n *naiveNodes) size(job, machine int) int {
	if n.in.Clusters()[n.cluster[machine]].WholeMachines {
		return 1
	}
	return n.in.Jobs()[job].Node().Block
}

// choose chooses machines of the cluster, of those that are open, for so many processors: in the order of the rule as many blocks on each as leave the
// others a place.
func (n *naiveNodes) choose(r *nodeRoom, job, cluster, processors int, open func(machine int) bool) []nodeShare {
	j := &n.in.Jobs()[job]
	node := j.Node()
	for _, need := range j.Licences {
		if need.Copies > r.copies {
			return nil
		}
	}
	type candidate struct {
		machine, device int
		score           float64
	}
	var list []candidate
	for m := range n.machines {
		if n.cluster[m] == cluster && open(m) && (n.among == nil || n.among(m)) && n.holds(&r.of[m], job, m, max(1, node.PerMachine)) {
			list = append(list, candidate{m, -1, 0})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(n.machines[b.machine].Speed, n.machines[a.machine].Speed) })
	for k := range list {
		n.score(r, job, list[k].machine, &list[k].score, &list[k].device)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	most := len(list)
	if node.MaxMachines > 0 {
		most = node.MaxMachines
	}
	if j.Span == model.SpanMachine {
		most = 1
	}
	var search func(k, left, used int) []nodeShare
	search = func(k, left, used int) []nodeShare {
		if left == 0 {
			if used < node.MinMachines {
				return nil
			}
			return []nodeShare{}
		}
		if k == len(list) || used == most {
			return nil
		}
		c := list[k]
		for blocks := left; blocks > 0; blocks-- {
			if limit, has := n.most[c.machine]; has && blocks > limit {
				continue
			}
			if node.PerMachine > 0 && blocks != node.PerMachine || !n.holds(&r.of[c.machine], job, c.machine, blocks) {
				continue
			}
			if rest := search(k+1, left-blocks, used+1); rest != nil {
				return append([]nodeShare{n.share(r, job, c.machine, blocks, c.device)}, rest...)
			}
		}
		return search(k+1, left, used)
	}
	size := node.Block
	if n.in.Clusters()[cluster].WholeMachines {
		size = 1
	}
	return search(0, processors/size, 0)
}

// score is the rule's score of a block on the machine, and the device that it chooses.
func (n *naiveNodes) score(r *nodeRoom, job, machine int, score *float64, device *int) {
	if n.scorer == nil {
		return
	}
	free := rules.Free{Machine: &n.site.Machines[machine], Free: r.of[machine].processors, Memory: r.of[machine].memory, Amounts: r.of[machine].amounts}
	for k := range n.in.Resources() {
		free.Devices = append(free.Devices, r.of[machine].devices[k]...)
	}
	*score, *device = n.scorer.Score(&free, n.site.Kind(job))
	if share := n.site.Kind(job).Share; *device >= 0 && share >= 0 {
		begin, _ := n.site.Machines[machine].Devices(n.site, share)
		*device -= begin
	}
}

// share is what blocks of the job take of the machine.
func (n *naiveNodes) share(r *nodeRoom, job, machine, blocks, device int) nodeShare {
	s := nodeShare{machine, blocks * n.size(job, machine), blocks, map[int][]int{}, nil}
	for _, need := range n.in.Jobs()[job].Node().Resources {
		if n.in.Resources()[need.Resource].Devices {
			chosen := -1
			if need.Resource == n.site.Kind(job).Share {
				chosen = device
			}
			s.devices[need.Resource] = n.devices(&r.of[machine], need, blocks, chosen)
		}
	}
	return s
}

// set is the lowest processors of the machines, whether they are free or not.
func (n *naiveNodes) set(shares []nodeShare) model.ProcessorSet {
	var runs []model.Range
	for _, s := range shares {
		runs = append(runs, model.Range{First: n.first[s.machine], Last: n.first[s.machine] + s.processors - 1})
	}
	return model.NewProcessorSet(runs...)
}

// estimate is how long the job takes by its estimate on the machines.
func (n *naiveNodes) estimate(job, cluster int, shares []nodeShare) float64 {
	return n.known.Duration(job, cluster, n.set(shares))
}

// atSpeed is how long the job takes by its estimate on processors of one speed.
func (n *naiveNodes) atSpeed(job, processors int, speed, link float64) float64 {
	j := &n.in.Jobs()[job]
	work := j.Work
	if !math.IsNaN(j.Estimate) {
		work = j.Estimate * j.ReferenceSpeed
	}
	return math.Ceil(float64(j.Tasks)/float64(processors))*work/speed + (j.Input+j.Output)/link
}

// open says whether the machine is open to the job from start to end, as docs/rules.md has it.
func (n *naiveNodes) open(job, machine int, start, end float64) bool {
	reservation := n.in.Jobs()[job].Node().Reservation
	within := reservation == ""
	for _, c := range n.machines[machine].Closed() {
		mine := reservation != "" && c.For == reservation
		if !mine && start < c.To && c.From < end && start < end {
			return false
		}
		within = within || mine && c.From <= start && start < c.To
	}
	if reservation == "" || !within {
		return within
	}
	for _, c := range n.machines[machine].Closed() { // where a time of the reservation ends before the job another goes on
		if c.For != reservation || c.To <= start || c.To >= end {
			continue
		}
		if !slices.ContainsFunc(n.machines[machine].Closed(), func(d model.Closure) bool { return d.For == reservation && d.From <= c.To && c.To < d.To }) {
			return false
		}
	}
	return true
}

// fit finds the machines of a cluster for a job that starts at the time and keeps its hard deadline there; nil: there are none.
func (n *naiveNodes) fit(r *nodeRoom, job, cluster, processors int, start float64) []nodeShare {
	j := &n.in.Jobs()[job]
	shares := n.fitLate(r, job, cluster, processors, start)
	inTime := func(shares []nodeShare) bool { return start+n.estimate(job, cluster, shares) <= j.Deadline }
	if shares == nil || !j.DeadlineHard || inTime(shares) {
		return shares
	}
	limits := n.limits(job, cluster, processors)
	slices.Reverse(limits)
	for _, l := range limits {
		if start+l.takes > j.Deadline {
			continue
		}
		shares := n.choose(r, job, cluster, processors, func(m int) bool {
			return n.machines[m].Speed >= l.speed && n.machines[m].Bandwidth >= l.link && n.open(job, m, start, start+l.takes)
		})
		if shares != nil {
			return shares
		}
	}
	defer func(s rules.Scorer) { n.scorer = s }(n.scorer)
	n.scorer = nil
	slices.SortStableFunc(limits, func(a, b nodeLimit) int { return cmp.Compare(b.link, a.link) })
	for _, l := range limits { // fast processors may take tasks from slow ones
		shares := n.choose(r, job, cluster, processors, func(m int) bool { return n.machines[m].Bandwidth >= l.link && n.open(job, m, start, j.Deadline) })
		if shares != nil && inTime(shares) {
			return shares
		}
	}
	if shares = n.fitLate(r, job, cluster, processors, start); shares != nil && inTime(shares) {
		return shares
	}
	return nil
}

// nodeLimit is a speed and a link, and how long a job takes with them.
type nodeLimit struct{ speed, link, takes float64 }

// limits are the speeds and links of the machines of a cluster, from the least time that the job takes with them.
func (n *naiveNodes) limits(job, cluster, processors int) []nodeLimit {
	var limits []nodeLimit
	for a := range n.machines {
		for b := range n.machines {
			if n.cluster[a] == cluster && n.cluster[b] == cluster {
				speed, link := n.machines[a].Speed, n.machines[b].Bandwidth
				limits = append(limits, nodeLimit{speed, link, n.atSpeed(job, processors, speed, link)})
			}
		}
	}
	slices.SortStableFunc(limits, func(a, b nodeLimit) int {
		return cmp.Or(cmp.Compare(a.takes, b.takes), cmp.Compare(b.speed, a.speed), cmp.Compare(b.link, a.link))
	})
	return limits
}

// fitLate finds the machines of a cluster for a job that starts at the time, whether it keeps its hard deadline there or not; nil: there are none.
func (n *naiveNodes) fitLate(r *nodeRoom, job, cluster, processors int, start float64) []nodeShare {
	speed := func(m int) float64 { return n.atSpeed(job, processors, n.machines[m].Speed, n.machines[m].Bandwidth) }
	shares := n.choose(r, job, cluster, processors, func(m int) bool { return n.open(job, m, start, start+speed(m)) })
	if shares == nil || n.allOpen(job, shares, start) {
		return shares
	}
	for _, l := range n.limits(job, cluster, processors) {
		shares := n.choose(r, job, cluster, processors, func(m int) bool {
			return n.machines[m].Speed >= l.speed && n.machines[m].Bandwidth >= l.link && n.open(job, m, start, start+l.takes)
		})
		if shares != nil {
			return shares
		}
	}
	return nil
}

// allOpen says whether the machines are open for as long as the job takes on the slowest.
func (n *naiveNodes) allOpen(job int, shares []nodeShare, start float64) bool {
	slowest, link, processors := math.Inf(1), math.Inf(1), 0
	for _, s := range shares {
		m := n.machines[s.machine]
		slowest, link, processors = min(slowest, m.Speed), min(link, m.Bandwidth), processors+s.processors
	}
	return !slices.ContainsFunc(shares, func(s nodeShare) bool {
		return !n.open(job, s.machine, start, start+n.atSpeed(job, processors, slowest, link))
	})
}

// wide is the rigid maximum of the job on the cluster.
func (n *naiveNodes) wide(job, cluster int) int {
	j := &n.in.Jobs()[job]
	if n.in.Clusters()[cluster].WholeMachines {
		return 1
	}
	if j.Min == j.Max {
		return j.Min
	}
	r, all, widest := n.empty(), 0, 0
	for m := range n.machines {
		if n.cluster[m] != cluster {
			continue
		}
		blocks := 0
		for blocks < n.machines[m].Units && n.holds(&r.of[m], job, m, blocks+1) {
			blocks++
		}
		all, widest = all+blocks*j.Node().Block, max(widest, blocks*j.Node().Block)
	}
	if j.Span == model.SpanMachine {
		all = widest
	}
	most := min(j.Max, j.Tasks, all)
	most = n.underLastCap(job, cluster, most)
	return max(j.Min, most/j.Node().Block*j.Node().Block)
}

// ever says whether the job fits the empty system at some time from now on, on as many processors as it is to get.
func (n *naiveNodes) ever(job int, width func(job, cluster int) int, fit func(r *nodeRoom, job, cluster, processors int, start float64) []nodeShare) bool {
	r := n.empty()
	for c := range n.in.Clusters() {
		for _, at := range append([]float64{n.now}, n.changes...) {
			if at >= n.now && fit(r, job, c, width(job, c), at) != nil {
				return true
			}
		}
	}
	return false
}

// expected is when a running job is taken to end.
func (n *naiveNodes) expected(r *nodeRun) float64 {
	if r.estimated > n.now {
		return r.estimated
	}
	return n.now + n.step
}

// free is what is free at a time, if the running jobs end when they are expected to.
func (n *naiveNodes) free(at float64) *nodeRoom {
	room := n.emptyAt(at)
	for _, r := range n.running {
		if at <= n.now || n.expected(r) > at {
			n.take(room, r.job, r.shares)
		}
	}
	return room
}

// begin starts a job.
func (n *naiveNodes) begin(job, cluster int, shares []nodeShare) *nodeRun {
	j := &n.in.Jobs()[job]
	p := model.Placement{Job: j.ID, Cluster: n.in.Clusters()[cluster].ID, Start: n.now}
	var runs []model.Range
	already := j.Node().Running
	for _, s := range shares {
		for k, left := 0, s.processors; left > 0; k++ {
			if !n.taken[s.machine][k] && (already == nil || holdsProcessor(already.Processors, n.first[s.machine]+k)) {
				n.taken[s.machine][k] = true
				left--
				runs = append(runs, model.Range{First: n.first[s.machine] + k, Last: n.first[s.machine] + k})
			}
		}
		for resource, devices := range s.devices {
			if p.Devices == nil {
				p.Devices = model.DevicesHeld{}
			}
			id := n.in.Resources()[resource].ID
			if p.Devices[id] == nil {
				p.Devices[id] = map[string]model.ProcessorSet{}
			}
			m := n.machines[s.machine]
			p.Devices[id][m.Name((n.first[s.machine]-m.First)/m.Units)] = model.Processors(devices...)
		}
	}
	p.Processors = model.NewProcessorSet(runs...)
	p.End = model.End(n.now, n.in.Duration(job, cluster, p.Processors))
	n.solution.Jobs = append(n.solution.Jobs, p)
	run := &nodeRun{job: job, cluster: cluster, shares: shares, start: n.now, end: p.End, estimated: model.End(n.now, n.estimate(job, cluster, shares))}
	if already == nil && j.DeadlineHard && p.End > j.Deadline {
		run.misses, run.end = true, max(n.now, j.Deadline) // it is ended there
	}
	n.running = append(n.running, run)
	return run
}

// holdsProcessor says whether the processor is in the set.
func holdsProcessor(set model.ProcessorSet, processor int) bool {
	return slices.ContainsFunc(set, func(r model.Range) bool { return r.First <= processor && processor <= r.Last })
}

// resume lets a job run that runs already; false: it takes no time.
func (n *naiveNodes) resume(job int) bool {
	run := n.in.Jobs()[job].Node().Running
	if n.in.Duration(job, run.Cluster, run.Processors) == 0 {
		n.solution.Jobs = append(n.solution.Jobs, model.Placement{Job: n.in.Jobs()[job].ID, Cluster: n.in.Clusters()[run.Cluster].ID, Processors: run.Processors, Devices: run.Devices})
		return false
	}
	var shares []nodeShare
	for m := range n.machines {
		s := nodeShare{machine: m, devices: map[int][]int{}, holds: map[int]model.Amount{}}
		for k := range n.machines[m].Units {
			if n.cluster[m] == run.Cluster && holdsProcessor(run.Processors, n.first[m]+k) {
				s.processors++
			}
		}
		if s.processors == 0 {
			continue
		}
		for _, h := range run.Holds {
			if n.site.Machines[m].Number == h.Machine {
				s.holds[h.Resource] = h.Amount
				for _, r := range h.Devices {
					for d := r.First; d <= r.Last; d++ {
						s.devices[h.Resource] = append(s.devices[h.Resource], d)
					}
				}
			}
		}
		shares = append(shares, s)
	}
	r := n.begin(job, run.Cluster, shares)
	r.booked = nodeSlot{run.Cluster, 0, n.until(0, n.estimate(job, run.Cluster, shares)), shares}
	return true
}

// leave leaves a job out.
func (n *naiveNodes) leave(job int) {
	n.solution.Unscheduled = append(n.solution.Unscheduled, model.Unscheduled{Job: n.in.Jobs()[job].ID})
}

// run replays the instance; decide decides at each instant.
func (n *naiveNodes) run(width func(job, cluster int) int, decide func()) *model.Solution {
	jobs := make([]int, len(n.in.Jobs()))
	for k := range jobs {
		jobs[k] = k
	}
	slices.SortStableFunc(jobs, func(a, b int) int { return cmp.Compare(n.in.Jobs()[a].Arrival, n.in.Jobs()[b].Arrival) })
	for n.now = 0; ; {
		next := n.alarm
		for _, r := range n.running {
			next = min(next, r.end)
		}
		if len(jobs) > 0 {
			next = min(next, n.in.Jobs()[jobs[0]].Arrival)
		}
		for _, at := range n.changes {
			if at > n.now && len(n.queue) > 0 {
				next = min(next, at)
			}
		}
		if math.IsInf(next, 1) {
			return &n.solution
		}
		n.now = next
		happens := n.alarm == next || slices.Contains(n.changes, next) // the arrival of jobs that can run nowhere is nothing
		n.running = slices.DeleteFunc(n.running, func(r *nodeRun) bool {
			if r.end == n.now {
				happens = true
				n.freed = append(n.freed, r)
				for _, p := range n.solution.Jobs {
					if p.Job == n.in.Jobs()[r.job].ID {
						for m := range n.machines {
							for k := range n.taken[m] {
								if p.Cluster == n.in.Clusters()[n.cluster[m]].ID && holdsProcessor(p.Processors, n.first[m]+k) {
									n.taken[m][k] = false
								}
							}
						}
					}
				}
				if r.misses {
					n.solution.Jobs = slices.DeleteFunc(n.solution.Jobs, func(p model.Placement) bool { return p.Job == n.in.Jobs()[r.job].ID })
					n.leave(r.job)
				}
				return true
			}
			return false
		})
		for len(jobs) > 0 && n.in.Jobs()[jobs[0]].Arrival == n.now {
			if job := jobs[0]; n.in.Jobs()[job].Node().Running != nil {
				happens = n.resume(job) || happens
			} else if n.in.Runs(job) && (n.caps != nil || n.ever(job, width, n.fitLate)) {
				n.queue, happens = append(n.queue, job), true
			} else {
				n.leave(job)
			}
			jobs = jobs[1:]
		}
		if happens {
			n.alarm = math.Inf(1)
			decide()
		}
	}
}

// best is the place where a job that starts now ends first, of those that may be; nil: there is none.
func (n *naiveNodes) best(job int, at func(cluster int) []nodeShare) (cluster int, shares []nodeShare) {
	least := math.Inf(1)
	for c := range n.in.Clusters() {
		s := at(c)
		if s == nil {
			continue
		}
		if end := n.now + n.estimate(job, c, s); end < least {
			least, cluster, shares = end, c, s
		}
	}
	return cluster, shares
}

// easy decides as EASY in an order; depth 0 is first come, first served.
func (n *naiveNodes) easy(depth int, sorted func([]int)) func() {
	return func() {
		n.queue = slices.DeleteFunc(n.queue, func(job int) bool {
			shut := !n.ever(job, n.wide, n.fit)
			if shut {
				n.leave(job)
			}
			return shut
		})
		sorted(n.queue)
		for len(n.queue) > 0 {
			job := n.queue[0]
			room := n.free(n.now)
			c, shares := n.best(job, func(c int) []nodeShare { return n.fit(room, job, c, n.wide(job, c), n.now) })
			if shares == nil {
				break
			}
			n.begin(job, c, shares)
			n.queue = n.queue[1:]
		}
		switch {
		case len(n.queue) == 0 || depth == 0:
		case depth == 1:
			n.backfill()
		default:
			n.backfillDeep(depth)
		}
	}
}

// backfill starts jobs behind the head, which is blocked.
func (n *naiveNodes) backfill() {
	head, shadow, where := n.queue[0], math.Inf(1), -1
	times := slices.Clone(n.changes)
	for _, r := range n.running {
		times = append(times, n.expected(r))
	}
	slices.Sort(times)
	for _, at := range times {
		if at <= n.now || where >= 0 {
			continue
		}
		room, least := n.free(at), math.Inf(1)
		for c := range n.in.Clusters() {
			if shares := n.fit(room, head, c, n.wide(head, c), at); shares != nil && at+n.estimate(head, c, shares) < least {
				least, where, shadow = at+n.estimate(head, c, shares), c, at
			}
		}
	}
	var room *nodeRoom // at the shadow time
	if where >= 0 {
		room = n.free(shadow)
	}
	kept := n.queue[:1:1]
	for _, job := range n.queue[1:] {
		free := n.free(n.now)
		c, shares := n.best(job, func(c int) []nodeShare {
			shares := n.fit(free, job, c, n.wide(job, c), n.now)
			if shares == nil || where < 0 || n.now+n.estimate(job, c, shares) <= shadow {
				return shares
			}
			without := room.clone()
			if n.take(without, job, shares); n.fit(without, head, where, n.wide(head, where), shadow) != nil {
				return shares
			}
			beside := room.clone()
			n.take(beside, head, n.fit(room, head, where, n.wide(head, where), shadow))
			beside.meet(free)
			return n.fit(beside, job, c, n.wide(job, c), n.now)
		})
		if shares == nil {
			kept = append(kept, job)
			continue
		}
		if where >= 0 && n.now+n.estimate(job, c, shares) > shadow {
			n.take(room, job, shares)
		}
		n.begin(job, c, shares)
	}
	n.queue = kept
}

// clone is a copy of the room.
func (r *nodeRoom) clone() *nodeRoom {
	c := &nodeRoom{copies: r.copies, power: slices.Clone(r.power)}
	for _, free := range r.of {
		free.amounts = slices.Clone(free.amounts)
		devices := map[int][]model.Amount{}
		for k, list := range free.devices {
			devices[k] = slices.Clone(list)
		}
		free.devices = devices
		c.of = append(c.of, free)
	}
	return c
}

// planned is what is free at a time beside the running jobs and the slots.
func (n *naiveNodes) planned(at float64, slots map[int]*nodeSlot) *nodeRoom {
	room := n.emptyAt(at)
	for _, r := range n.running {
		if n.expected(r) > at && !(n.rigid && r.start == n.now && r.estimated == n.now) { // one that takes no time and starts now is as good as over
			n.take(room, r.job, r.shares)
		}
	}
	for job, s := range slots {
		if s.start <= at && at < s.end {
			n.take(room, job, s.shares)
		}
	}
	return room
}

// times are the times from now on at which what is planned changes, ascending.
func (n *naiveNodes) times(slots map[int]*nodeSlot) []float64 {
	times := []float64{n.now}
	for _, r := range n.running {
		times = append(times, n.expected(r))
	}
	for _, s := range slots {
		times = append(times, s.start, s.end)
	}
	if n.caps != nil {
		times = append(times, n.changes...)
	}
	slices.Sort(times)
	return slices.DeleteFunc(slices.Compact(times), func(at float64) bool { return at < n.now })
}

// lasting finds the machines that are free for a job from the start for as long as it is estimated to take there.
func (n *naiveNodes) lasting(job, cluster int, start float64, room *nodeRoom, slots map[int]*nodeSlot, ending func(start, estimate float64) float64) *nodeSlot {
	room = room.clone()
	times := n.times(slots)
	least, _ := n.in.Width(job, cluster)
	if n.rigid {
		least = n.wide(job, cluster)
	}
	for k := 0; ; k++ {
		shares := n.fitUnderCap(room, job, cluster, least, start)
		if shares == nil {
			return nil
		}
		for k < len(times) && times[k] <= start {
			k++
		}
		end := ending(start, n.estimate(job, cluster, shares))
		if k == len(times) || times[k] >= end {
			return &nodeSlot{cluster, start, end, shares}
		}
		room.meet(n.planned(times[k], slots))
	}
}

// until is the end of a reservation.
func (n *naiveNodes) until(start, estimate float64) float64 {
	if start+estimate > start {
		return start + estimate
	}
	return start + n.step
}

// earliest is the first place for a job beside the slots; nil: there is none.
func (n *naiveNodes) earliest(job int, slots map[int]*nodeSlot) *nodeSlot {
	times := append(n.times(slots), n.changes...)
	slices.Sort(times)
	for _, at := range times {
		if at < n.now {
			continue
		}
		var best *nodeSlot
		for c := range n.in.Clusters() {
			if s := n.lasting(job, c, at, n.planned(at, slots), slots, n.until); s != nil && (best == nil || s.end < best.end) {
				best = s
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// backfillDeep starts jobs beside the reservations of the first that cannot start.
func (n *naiveNodes) backfillDeep(depth int) {
	slots := map[int]*nodeSlot{}
	var kept []int
	reserved := 0
	for _, job := range n.queue {
		exact := func(start, estimate float64) float64 { return start + estimate }
		c, shares := n.best(job, func(c int) []nodeShare {
			if s := n.lasting(job, c, n.now, n.free(n.now), slots, exact); s != nil {
				return s.shares
			}
			return nil
		})
		if shares != nil {
			n.begin(job, c, shares)
			continue
		}
		kept = append(kept, job)
		if reserved < depth {
			reserved++
			if s := n.earliest(job, slots); s != nil {
				slots[job] = s
			}
		}
	}
	n.queue = kept
}

// conservative decides as conservative backfilling in the order of arrival.
func (n *naiveNodes) conservative() { n.conservativeUpTo(math.MaxInt) }

// conservativeUpTo does so with a limit on the queued jobs that hold reservations.
func (n *naiveNodes) conservativeUpTo(most int) {
	fresh := slices.DeleteFunc(slices.Clone(n.queue), func(job int) bool { return n.reserved[job] != nil })
	old := slices.DeleteFunc(slices.Clone(n.queue), func(job int) bool { return n.reserved[job] == nil })
	late, early := false, false
	for _, r := range n.running {
		late = late || r.estimated <= n.now
	}
	for _, r := range n.freed {
		n.afresh = n.afresh || r.booked.end < n.now
		early = early || r.booked.end > n.now
	}
	n.freed = nil
	reserve := func(job int) {
		if n.reserved[job] = n.earliest(job, n.reserved); n.reserved[job] == nil {
			delete(n.reserved, job)
			n.queue = slices.DeleteFunc(n.queue, func(other int) bool { return other == job })
			n.leave(job)
		}
	}
	switch {
	case late || n.afresh:
		for _, r := range n.running {
			r.booked.end = n.expected(r)
		}
		clear(n.reserved)
		for _, job := range old {
			reserve(job)
		}
	case early:
		for _, job := range old {
			before := n.reserved[job]
			delete(n.reserved, job)
			if s := n.earliest(job, n.reserved); s != nil && s.start < before.start {
				before = s
			}
			n.reserved[job] = before
		}
	}
	n.afresh = late
	if most < math.MaxInt {
		slices.SortFunc(fresh, func(a, b int) int {
			return cmp.Or(cmp.Compare(n.in.Jobs()[a].Arrival, n.in.Jobs()[b].Arrival), cmp.Compare(a, b))
		})
	}
	for again := true; again; again = len(n.reserved) < most && len(fresh) > 0 {
		for len(n.reserved) < most && len(fresh) > 0 {
			reserve(fresh[0])
			fresh = fresh[1:]
		}
		n.startReserved()
	}
	for job := range n.reserved {
		for c := range n.in.Clusters() {
			least, _ := n.in.Width(job, c)
			if at := n.reserved[job].start; !late && at > n.now && n.fitsNow(job, c, least) {
				n.alarm = min(n.alarm, at)
			}
		}
	}
}

// startReserved starts the jobs whose reservations have come.
func (n *naiveNodes) startReserved() {
	var kept []int
	for _, job := range n.queue {
		s := n.reserved[job]
		if s == nil {
			kept = append(kept, job)
			continue
		}
		room := n.free(n.now)
		if s.start <= n.now && n.roomFor(room, job, s) {
			delete(n.reserved, job)
			n.begin(job, s.cluster, s.shares).booked = *s
			continue
		}
		kept = append(kept, job)
	}
	n.queue = kept
}

// roomFor says whether a slot is free and open now.
func (n *naiveNodes) roomFor(room *nodeRoom, job int, s *nodeSlot) bool {
	for _, share := range s.shares {
		free := &room.of[share.machine]
		if !n.holds(free, job, share.machine, share.blocks) {
			return false
		}
		for _, need := range n.in.Jobs()[job].Node().Resources {
			for _, d := range share.devices[need.Resource] {
				if free.devices[need.Resource][d] < min(need.Amount, model.WholeAmount) {
					return false
				}
			}
		}
	}
	for _, need := range n.in.Jobs()[job].Licences {
		if need.Copies > room.copies {
			return false
		}
	}
	if room.power != nil {
		after := room.clone()
		if n.take(after, job, s.shares); after.power[s.cluster] < 0 {
			return false
		}
	}
	return n.allOpen(job, s.shares, n.now)
}

// sameStarts says where two schedules differ; empty: nowhere.
func sameStarts(a, b *model.Solution) string {
	text := func(s *model.Solution) []string {
		var lines []string
		for _, p := range s.Jobs {
			lines = append(lines, fmt.Sprintf("%s on %s %v from %v to %v with %v", p.Job, p.Cluster, p.Processors, p.Start, p.End, p.Devices))
		}
		for _, u := range s.Unscheduled {
			lines = append(lines, u.Job+" is left out")
		}
		slices.Sort(lines)
		return lines
	}
	if x, y := text(a), text(b); !slices.Equal(x, y) {
		return fmt.Sprintf("%q\n%q", x, y)
	}
	return ""
}
