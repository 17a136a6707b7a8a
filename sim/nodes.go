package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// nodes is what a platform knows of its machines one by one: what jobs may ask of them, when they are closed, and the rule that chooses among them.
//
// A machine is open to a job from its start for as long as the job takes by its estimate, as the checker judges it: see docs/rules.md. That depends on
// the slowest of all machines of the job and on the slowest link.
type nodes struct {
	site    *place.Site
	first   *place.Site            // the same machines under the rule first
	known   *model.Instance        // what the estimates say
	closing []closing              // by cluster
	mixed   bool                   // see [Platform.Mixed]
	runs    map[runKey]bool        // see canRun
	draws   bool                   // the rule draws at random, so that it matters how often it is asked
	freed   []int32                // machines on which something became free, in the order of time
	copied  place.State            // scratch of [Platform.CopyMachine]
	awake   func(machine int) bool // says of machines that sleep by a rule whether they are on now; nil: none sleeps
}

// runKey tells apart jobs that can run on different clusters.
type runKey struct{ kind, cluster, processors int }

// closing is the closed times of a cluster.
type closing struct {
	any     bool
	changes []float64 // finite times above 0 at which a machine of the cluster is closed or opened, ascending
	speeds  []float64 // of its machines, distinct, descending
	links   []float64 // likewise
}

// listNodes makes the platform list every machine.
func (p *Platform) listNodes(rule place.Name, seed uint64) {
	of, err := place.Lookup(rule.OrFirst())
	if err != nil {
		panic(err) // parameters are checked before
	}
	first, _ := place.Lookup(place.First)
	site := place.NewSite(p.in, of, seed)
	n := &nodes{site: site, first: site, known: p.in.Known(), runs: map[runKey]bool{}, draws: site.Draws()}
	if of.Name != place.First {
		n.first = site.Fork(first, 0)
	}
	p.nodes = n
	group := 0 // of the machines of one kind; a site lists clusters, and within them groups, in the order of the instance
	for k := range site.Machines {
		m := &site.Machines[k]
		switch {
		case k == 0 || m.Cluster != site.Machines[k-1].Cluster:
			group = 0
		case m.Machine.First != site.Machines[k-1].Machine.First:
			group++
		}
		p.Machines = append(p.Machines, Machine{m.Cluster, group, m.Units, m.Speed, m.Bandwidth, m.Memory, m.Cost, background(m.Machine), m.First})
	}
	for c := range p.in.Clusters() {
		view := clusterView{}
		view.first, view.last = site.Of(c)
		p.clusters = append(p.clusters, view)
		closes := closingOf(&p.in.Clusters()[c])
		n.closing, n.mixed = append(n.closing, closes), n.mixed || len(closes.speeds) > 1 || len(closes.links) > 1
	}
	p.findPools()
	p.Free, p.empty = Room{Room: site.Room(), Copies: p.copies()}, Room{Room: site.Room(), Copies: p.copies()}
}

// closingOf is the closed times of a cluster.
func closingOf(c *model.Cluster) closing {
	var of closing
	for g := range c.Machines {
		m := &c.Machines[g]
		of.speeds, of.links = append(of.speeds, m.Speed), append(of.links, m.Bandwidth)
		for _, closed := range m.Closed() {
			of.any = true
			for _, at := range [2]float64{closed.From, closed.To} {
				if at > 0 && !math.IsInf(at, 1) {
					of.changes = append(of.changes, at)
				}
			}
		}
	}
	slices.Sort(of.changes)
	of.changes = slices.Compact(of.changes)
	for _, list := range [2]*[]float64{&of.speeds, &of.links} {
		slices.SortFunc(*list, func(a, b float64) int { return cmp.Compare(b, a) })
		*list = slices.Compact(*list)
	}
	return of
}

// hosts is the number of processors of the machine that the job could hold in the room.
func (n *nodes) hosts(room *Room, job, m int) int {
	if room.Processors[m] <= 0 {
		return 0
	}
	k := n.first.Kind(job)
	return n.first.Fitting(&room.Room, k, m) * n.size(k, m)
}

// Equipped says whether, where every machine is listed, machine m has the memory and the resources for a block of the job in the room, however many of its processors are free.
// If the job wants its machines for itself, they all have to be.
func (p *Platform) Equipped(room *Room, j *Job, m int) bool {
	site := p.nodes.first
	k, processors := site.Kind(j.Request.index), site.Machines[m].Units
	if k.Node.Exclusive {
		processors = int(room.Processors[m])
	}
	return site.BlocksOn(&room.Room, k, m, processors) > 0
}

// canRun is [Platform.CanRun]. It is found out once for all jobs that need the same, but where run times or licences tell them apart.
func (n *nodes) canRun(r *Request, cluster int) bool {
	if r.in.Jobs()[r.index].StatesRuntimes() || len(r.Licences) > 0 {
		return r.in.CanRun(r.index, cluster)
	}
	key := runKey{n.site.Kind(r.index).Number, cluster, r.Min}
	runs, known := n.runs[key]
	if !known {
		runs = r.in.CanRun(r.index, cluster)
		n.runs[key] = runs
	}
	return runs
}

// size is the number of processors of a block of the kind on the machine.
func (n *nodes) size(k *place.Kind, m int) int {
	return n.sizeOn(k, n.site.Machines[m].Cluster)
}

// sizeOn is the number of processors of a block of the kind on the cluster.
func (n *nodes) sizeOn(k *place.Kind, cluster int) int {
	if n.site.Instance().Clusters()[cluster].WholeMachines {
		return 1
	}
	return k.Size
}

// take takes what a job holds out of the room.
func (n *nodes) take(room *Room, job int, shares []Share) {
	n.site.Take(&room.Room, n.site.Kind(job), shares)
}

// give puts what a job holds back into the room. Where that is what is free now, it is noted.
func (n *nodes) give(room *Room, job int, shares []Share, now bool) {
	n.site.Give(&room.Room, n.site.Kind(job), shares)
	for i := 0; i < len(shares) && now; i++ {
		n.freed = append(n.freed, shares[i].Machine)
	}
}

// has says whether the room has what the job would hold, and whether the machines are open to it if it starts at the time.
func (n *nodes) has(room *Room, job, cluster int, shares []Share, start float64) bool {
	return n.site.Has(&room.Room, n.site.Kind(job), shares) && n.allOpen(job, cluster, shares, start)
}

// fastest chooses the machines that the rule first takes of the empty cluster, whenever they are open.
func (n *nodes) fastest(empty *Room, r *Request, cluster, processors int) ([]Share, bool) {
	if r.in.Jobs()[r.index].StatesRuntimes() && !r.in.CanRun(r.index, cluster) {
		return nil, false
	}
	return n.first.Choose(&empty.Room, n.first.Kind(r.index), cluster, processors, nil, nil)
}

// fits chooses machines for a job that starts at the time. The rule of the site chooses among the machines that are open for as long as the job would
// take if all were like the one in question. Where the job takes longer on the machines chosen, and one of them closes before, the rule chooses among
// machines on which the job takes no longer than a limit and that are open until then, with the least limit with which the job fits. At last it is
// fitsUntil that looks. among says which machines may be chosen; nil: all.
func (n *nodes) fits(site *place.Site, room *Room, job, cluster, processors int, start float64, among func(machine int) bool, shares []Share) ([]Share, bool) {
	if n.awake != nil { // machines that are on come first
		if chosen, ok := n.fitsOn(site, room, job, cluster, processors, start, func(m int) bool { return n.awake(m) && isAmong(among, m) }, shares); ok {
			return chosen, true
		}
	}
	return n.fitsOn(site, room, job, cluster, processors, start, among, shares)
}

// fitsOn is fits whether machines sleep or not.
func (n *nodes) fitsOn(site *place.Site, room *Room, job, cluster, processors int, start float64, among func(machine int) bool, shares []Share) ([]Share, bool) {
	k, c := site.Kind(job), &n.closing[cluster]
	if !c.any {
		return site.Choose(&room.Room, k, cluster, processors, among, shares)
	}
	begin := len(shares)
	last := struct{ speed, link, takes float64 }{}
	chosen, ok := site.Choose(&room.Room, k, cluster, processors, func(m int) bool {
		machine := &site.Machines[m]
		if !isAmong(among, m) {
			return false
		}
		if len(machine.Closed()) == 0 {
			return k.Node.Reservation == ""
		}
		if last.speed != machine.Speed || last.link != machine.Bandwidth {
			last.speed, last.link = machine.Speed, machine.Bandwidth
			last.takes = n.takes(job, cluster, processors, machine.Speed, machine.Bandwidth)
		}
		return machine.OpenTo(k.Node.Reservation, start, start+last.takes)
	}, shares)
	switch {
	case !ok:
		return n.fitsUntil(room, job, cluster, processors, start, math.Inf(1), among, shares, nil)
	case n.allOpen(job, cluster, chosen[begin:], start):
		return chosen, true
	}
	type limit struct{ speed, link, takes float64 }
	var limits []limit
	for _, speed := range c.speeds {
		for _, link := range c.links {
			limits = append(limits, limit{speed, link, n.takes(job, cluster, processors, speed, link)})
		}
	}
	slices.SortStableFunc(limits, func(a, b limit) int { return cmp.Compare(a.takes, b.takes) })
	for _, l := range limits {
		chosen, ok = site.Choose(&room.Room, k, cluster, processors, func(m int) bool {
			machine := &site.Machines[m]
			return isAmong(among, m) && machine.Speed >= l.speed && machine.Bandwidth >= l.link && machine.OpenTo(k.Node.Reservation, start, start+l.takes)
		}, shares[:begin])
		if ok && n.allOpen(job, cluster, chosen[begin:], start) {
			return chosen, true
		}
	}
	return n.fitsUntil(room, job, cluster, processors, start, math.Inf(1), among, shares[:begin], nil)
}

// fitsUntil chooses machines for a job whose tasks are more or fewer than its processors, where machines differ in speed. The faster ones take tasks from
// the slower ones, so that the job may end before a slow machine closes on which an equal share of the tasks would take too long. For each time at which
// machines close, and for the deadline (+Inf: none), it looks at those that are open until then, the fastest first: no other choice among them ends earlier.
// The choice must be good (nil: any is).
func (n *nodes) fitsUntil(room *Room, job, cluster, processors int, start, deadline float64, among func(machine int) bool, shares []Share, good func([]Share) bool) ([]Share, bool) {
	c, begin := &n.closing[cluster], len(shares)
	if !n.sharesTasks(job, cluster, processors) {
		return shares, false
	}
	links := c.links
	if j := &n.known.Jobs()[job]; j.Input+j.Output == 0 {
		links = links[len(links)-1:]
	}
	k := n.first.Kind(job)
	at, _ := slices.BinarySearch(c.changes, start)
	times := c.changes[at:]
	if !math.IsInf(deadline, 1) {
		before, _ := slices.BinarySearch(times, deadline)
		times = append(slices.Clone(times[:before]), deadline)
	}
	for _, until := range times {
		for _, link := range links {
			chosen, ok := n.first.Choose(&room.Room, k, cluster, processors, func(m int) bool {
				machine := &n.first.Machines[m]
				return isAmong(among, m) && machine.Bandwidth >= link && machine.OpenTo(k.Node.Reservation, start, until)
			}, shares[:begin])
			if ok && n.allOpen(job, cluster, chosen[begin:], start) && (good == nil || good(chosen[begin:])) {
				return chosen, true
			}
		}
	}
	return shares[:begin], false
}

// isAmong says whether the machine is among those that the function names; nil: all.
func isAmong(among func(machine int) bool, m int) bool { return among == nil || among(m) }

// sharesTasks says whether faster processors of the cluster may take tasks of the job from slower ones.
func (n *nodes) sharesTasks(job, cluster, processors int) bool {
	j := &n.known.Jobs()[job]
	return len(n.closing[cluster].speeds) > 1 && j.Tasks != processors && !j.StatesRuntimes()
}

// fitsInTime chooses machines of the cluster for a job that starts at the time: those that the rule of the site chooses, see [nodes.fits]. If the job would
// miss its hard deadline there, by its estimate, see [Platform.fitsSooner]. among says which machines may be chosen; nil: all.
func (p *Platform) fitsInTime(site *place.Site, room *Room, j *Job, cluster, processors int, start float64, among func(machine int) bool, shares []Share) ([]Share, bool) {
	chosen, ok := p.nodes.fits(site, room, j.Request.index, cluster, processors, start, among, shares)
	if !ok || p.inTime(j, cluster, chosen[len(shares):], start) {
		return chosen, ok
	}
	return p.fitsSooner(site, room, j, cluster, processors, start, among, shares)
}

// FitsLate is [Platform.FitsOn], where every machine is listed, for a job that may miss its hard deadline: jobs of one kind fit the same machines. See
// [Platform.FitsSooner]. among says which machines may have room for it, so that no others are looked at; nil: all.
func (p *Platform) FitsLate(room *Room, j *Job, cluster, processors int, among func(machine int) bool, shares []Share) ([]Share, bool) {
	r := j.Request
	if r.in.Jobs()[r.index].StatesRuntimes() && !p.CanRun(j, cluster) || p.ShortOf(room, j, cluster) >= 0 {
		return shares, false
	}
	return p.nodes.fits(p.nodes.site, room, r.index, cluster, processors, p.now, among, shares)
}

// FitsSooner is [Platform.FitsOn] for a job that would miss its hard deadline where [Platform.FitsLate] finds that it fits.
func (p *Platform) FitsSooner(room *Room, j *Job, cluster, processors int, shares []Share) ([]Share, bool) {
	return p.fitsSooner(p.nodes.site, room, j, cluster, processors, p.now, nil, shares)
}

// Mixed says, where every machine is listed, that some cluster has machines of different speed or bandwidth.
func (p *Platform) Mixed() bool { return p.nodes != nil && p.nodes.mixed }

// inTime says whether a job that starts at the time keeps its hard deadline on the shares, by its estimate, if it has one.
func (p *Platform) inTime(j *Job, cluster int, shares []Share, start float64) bool {
	return !j.Request.DeadlineHard || !model.Late(start+p.Estimate(j, cluster, shares), j.Request.Deadline)
}

// fitsSooner chooses machines for a job with a hard deadline that would miss it on those that the rule chooses among all. The rule chooses among machines on
// which the job takes no longer than a limit, if all are like the slowest, with the largest limit with which it fits and keeps its deadline. At last it
// looks at the fastest machines, where the faster ones may take tasks from the slower ones.
func (p *Platform) fitsSooner(site *place.Site, room *Room, j *Job, cluster, processors int, start float64, among func(machine int) bool, shares []Share) ([]Share, bool) {
	n, index, begin := p.nodes, j.Request.index, len(shares)
	c, k := &n.closing[cluster], site.Kind(index)
	links := c.links
	if job := &n.known.Jobs()[index]; job.Input+job.Output == 0 {
		links = links[len(links)-1:]
	}
	type limit struct{ speed, link, takes float64 }
	var limits []limit
	for _, speed := range c.speeds {
		for _, link := range links {
			if takes := n.takes(index, cluster, processors, speed, link); !model.Late(start+takes, j.Request.Deadline) {
				limits = append(limits, limit{speed, link, takes})
			}
		}
	}
	slices.SortStableFunc(limits, func(a, b limit) int { return cmp.Compare(b.takes, a.takes) })
	for _, l := range limits {
		until := start + l.takes
		chosen, ok := site.Choose(&room.Room, k, cluster, processors, func(m int) bool {
			machine := &site.Machines[m]
			return isAmong(among, m) && machine.Speed >= l.speed && machine.Bandwidth >= l.link && (!c.any || machine.OpenTo(k.Node.Reservation, start, until))
		}, shares[:begin])
		if ok && n.allOpen(index, cluster, chosen[begin:], start) && p.inTime(j, cluster, chosen[begin:], start) {
			return chosen, true
		}
	}
	if !n.sharesTasks(index, cluster, processors) {
		return shares[:begin], false
	}
	chosen, ok := n.fitsUntil(room, index, cluster, processors, start, j.Request.Deadline, among, shares[:begin], func(shares []Share) bool { return p.inTime(j, cluster, shares, start) })
	if !ok && site != n.first {
		return p.fitsInTime(n.first, room, j, cluster, processors, start, among, shares[:begin]) // what fits at all fits under every rule
	}
	return chosen, ok
}

// takesAlike is how long a job of the instance takes on processors of a speed and a link.
func takesAlike(in *model.Instance, job, cluster, processors int, speed, link float64) float64 {
	tasks := in.Jobs()[job].Tasks
	return in.Busy(job, cluster, speed, (tasks+processors-1)/processors) + in.Transfer(job, link)
}

// takes is how long the job takes by its estimate, as the checker knows it, on processors of a speed and a link.
func (n *nodes) takes(job, cluster, processors int, speed, link float64) float64 {
	return takesAlike(n.known, job, cluster, processors, speed, link)
}

// allOpen says whether all machines of the shares are open to a job that starts at the time, for as long as it takes on them by its estimate.
func (n *nodes) allOpen(job, cluster int, shares []Share, start float64) bool {
	if !n.closing[cluster].any {
		return true
	}
	slowest, fastest, link, processors := math.Inf(1), 0.0, math.Inf(1), 0
	for i := range shares {
		m := &n.site.Machines[shares[i].Machine]
		slowest, fastest, link = min(slowest, m.Speed), max(fastest, m.Speed), min(link, m.Bandwidth)
		processors += int(shares[i].Processors)
	}
	takes := n.takes(job, cluster, processors, slowest, link)
	if slowest < fastest { // the tasks of a job on machines of different speed are shared among them
		set := make([]model.Range, len(shares))
		for i := range shares { // any processors of these machines: they are alike
			first := n.site.Machines[shares[i].Machine].First
			set[i] = model.Range{First: first, Last: first + int(shares[i].Processors) - 1}
		}
		takes = n.known.Longest(job, cluster, model.NewProcessorSet(set...), n.known.Jobs()[job].Tasks) + n.known.Transfer(job, link)
	}
	reservation := n.site.Kind(job).Node.Reservation
	for i := range shares {
		if m := &n.site.Machines[shares[i].Machine]; !m.OpenTo(reservation, start, start+takes) {
			return false
		}
	}
	return true
}

// everFits says whether the job, of so many processors, fits the empty cluster if it starts at some time from the given one on, whatever runs there: at
// that time or when machines are closed or opened after it. Between these times nothing opens.
func (n *nodes) everFits(empty *Room, job, cluster, processors int, from float64) bool {
	if _, ok := n.fits(n.first, empty, job, cluster, processors, from, nil, nil); ok {
		return true
	}
	changes := n.closing[cluster].changes
	at, _ := slices.BinarySearch(changes, from)
	for _, change := range changes[at:] {
		if _, ok := n.fits(n.first, empty, job, cluster, processors, change, nil, nil); ok {
			return true
		}
	}
	return false
}

// Opens is the first time from now on at which the machines of the shares are open to the job for as long as it takes on them by its estimate; +Inf: there is none.
func (p *Platform) Opens(j *Job, cluster int, shares []Share) float64 {
	if p.nodes == nil || p.nodes.allOpen(j.Request.index, cluster, shares, p.now) {
		return p.now
	}
	changes := p.nodes.closing[cluster].changes
	at, _ := slices.BinarySearch(changes, p.now)
	for _, change := range changes[at:] {
		if p.nodes.allOpen(j.Request.index, cluster, shares, change) {
			return change
		}
	}
	return math.Inf(1)
}

// Occupy takes what the job would hold on the cluster out of a room, as far as it is there, where every machine is listed. It returns the number of processors that
// it took.
func (p *Platform) Occupy(room *Room, j *Job, cluster int, shares []Share) int {
	free := func() (n int32) {
		for i := range shares {
			n += room.Processors[shares[i].Machine]
		}
		return n
	}
	before := free()
	p.nodes.site.Occupy(&room.Room, p.nodes.site.Kind(j.Request.index), shares)
	for _, need := range j.Request.Licences {
		if pool := p.poolOf[cluster][need.Licence]; pool >= 0 {
			room.Copies[pool] = max(0, room.Copies[pool]-int32(need.Copies))
		}
	}
	return int(before - free())
}

// EverFits says whether closed times and power caps let the job start at some time from the given one on, if nothing else runs then on the cluster: on the processors
// of a rigid job, see [Platform.Rigid]. Where no machine is ever closed and the cluster has no cap it is [Platform.CanRun].
func (p *Platform) EverFits(j *Job, cluster int, from float64) bool {
	if !p.CanRun(j, cluster) {
		return false
	}
	if p.capOf(cluster) != nil {
		return p.everFits(j, cluster, from, false)
	}
	return p.nodes == nil || !p.nodes.closing[cluster].any || p.nodes.everFits(&p.empty, j.Request.index, cluster, p.Rigid(j, cluster), from)
}

// ByNode says that the platform lists every machine, because jobs ask something of single machines or because a rule chooses among them.
func (p *Platform) ByNode() bool { return p.nodes != nil }

// TakesFirst says that a job gets the first machines on which it fits.
func (p *Platform) TakesFirst() bool { return p.nodes == nil || p.nodes.site == p.nodes.first }

// ClosesForGood says that some machine of the clusters is closed to the job from some time on for ever, as all are to one of a reservation when that ends.
func (p *Platform) ClosesForGood(j *Job, clusters []int) bool {
	if n := p.Needs(j); n != nil && n.Reservation != "" {
		return true
	}
	return slices.ContainsFunc(clusters, func(c int) bool {
		return slices.ContainsFunc(p.in.Clusters()[c].Machines, func(m model.Machine) bool {
			return slices.ContainsFunc(m.Closed(), func(closed model.Closure) bool { return math.IsInf(closed.To, 1) })
		})
	})
}

// Closes says that some machine is closed at times.
func (p *Platform) Closes() bool { return p.in.Features().Has(model.ClosedTimes) }

// AllChanges are the times above 0 at which machines are closed or opened, or power caps change, ascending.
func (p *Platform) AllChanges() []float64 {
	if p.nodes == nil {
		return p.CapChanges()
	}
	all := slices.Clone(p.CapChanges())
	for c := range p.clusters {
		all = append(all, p.nodes.closing[c].changes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Draws says that the rule that chooses among machines draws at random, so that each question may change what it chooses later.
func (p *Platform) Draws() bool { return p.nodes != nil && p.nodes.draws }

// Freed are the machines on which something became free, in the order of time, where the platform lists every machine. The list only grows.
func (p *Platform) Freed() []int32 { return p.nodes.freed }

// MachinesOf is the range of the machines of the cluster, [first, last).
func (p *Platform) MachinesOf(cluster int) (first, last int) {
	return p.clusters[cluster].first, p.clusters[cluster].last
}

// OnOneMachine says whether all processors of a rigid job lie on one machine of the cluster, see [Platform.Rigid].
func (p *Platform) OnOneMachine(j *Job, cluster int) bool {
	n := j.Request.in.Jobs()[j.Request.index].Node()
	return j.Request.Span == model.SpanMachine || n.MaxMachines == 1 || p.Rigid(j, cluster) <= n.Block
}

// OpenClass tells apart jobs that differ in nothing but their sizes and see different machines open: see [Platform.OpenClass].
type OpenClass struct {
	changes int     // times at which machines are closed or opened before the jobs end, and places on which they take time at all
	takes   float64 // how long they take, where fast machines take tasks from slow ones; else 0
}

// OpenClass is equal for two jobs that differ in nothing but their sizes, see [Platform.KindOf], only if they see the same machines of the clusters open now.
func (p *Platform) OpenClass(j *Job, clusters []int) OpenClass {
	class, shared := OpenClass{}, !p.nodes.known.Jobs()[j.Request.index].StatesRuntimes()
	for _, c := range clusters {
		of := &p.nodes.closing[c]
		processors := p.Rigid(j, c)
		begin, _ := slices.BinarySearch(of.changes, p.now)
		for _, speed := range of.speeds {
			for _, link := range of.links {
				takes := p.nodes.takes(j.Request.index, c, processors, speed, link)
				end := p.now + takes
				before, _ := slices.BinarySearch(of.changes[begin:], end)
				if class.changes += before; end > p.now { // closed times do not concern a job that takes no time
					class.changes++
				}
				if shared && len(of.speeds) > 1 && j.Request.Tasks != processors {
					class.takes = max(class.takes, takes)
				}
			}
		}
	}
	return class
}

// FitsUntil is a time until which closed times, power caps and the hard deadline of the job certainly let it start on one of the clusters if nothing else runs; −Inf:
// only when it arrives.
func (p *Platform) FitsUntil(j *Job, clusters []int) float64 {
	if p.power != nil {
		return p.capsUntil(j, clusters)
	}
	until := math.Inf(-1)
	for _, c := range clusters {
		if !p.CanRun(j, c) {
			continue
		}
		changes := p.nodes.closing[c].changes
		for k := len(changes); k >= 0; k-- {
			at, now := p.now, k == 0
			if !now {
				at = changes[k-1]
			}
			if at < p.now || !p.nodes.closing[c].any {
				at, now = p.now, true
			}
			if shares, ok := p.fitsInTime(p.nodes.first, &p.empty, j, c, p.Rigid(j, c), at, nil, nil); ok {
				switch {
				case k < len(changes) && p.nodes.closing[c].any:
				case !j.Request.DeadlineHard:
					return math.Inf(1) // nothing changes after that
				case !p.nodes.sharesTasks(j.Request.index, c, p.Rigid(j, c)):
					takes := p.Estimate(j, c, shares) // whatever rounding does
					until = max(until, j.Request.Deadline-takes-1e-12*(math.Abs(j.Request.Deadline)+takes))
				}
				until = max(until, at)
				break
			}
			if now {
				break
			}
		}
	}
	return until
}

// Shut says why a job that can run on an empty cluster cannot run any more: closed times or power caps leave it no place from now on. It is empty where they do, on one
// of the clusters.
func (p *Platform) Shut(j *Job, clusters []int) string {
	for _, c := range clusters {
		if p.EverFits(j, c, p.now) {
			return ""
		}
	}
	if p.CapsShut(j, clusters) {
		return CapReason
	}
	text := "no machines are open to it"
	if r := j.Request.in.Jobs()[j.Request.index].Node().Reservation; r != "" {
		text = fmt.Sprintf("no machines are open to it, a job of reservation %s,", r)
	}
	return fmt.Sprintf("%s at %v or later for as long as it is estimated to take", text, p.now)
}

// Late says whether no start from now on lets the job keep its hard deadline on one of the clusters, by its estimate, if nothing else runs.
func (p *Platform) Late(j *Job, clusters []int) bool {
	if !j.Request.DeadlineHard {
		return false
	}
	for _, c := range clusters {
		if p.CanRun(j, c) && p.everInTime(j, c) {
			return false
		}
	}
	return true
}

// everInTime says whether the job fits the empty cluster, and keeps its hard deadline, if it starts now or when machines are closed or opened later.
func (p *Platform) everInTime(j *Job, cluster int) bool {
	if p.power != nil {
		return p.everFits(j, cluster, p.now, true)
	}
	at := p.now
	for changes := p.nodes.closing[cluster].changes; ; changes = changes[1:] {
		if _, ok := p.fitsInTime(p.nodes.first, &p.empty, j, cluster, p.Rigid(j, cluster), at, nil, nil); ok {
			return true
		}
		for len(changes) > 0 && changes[0] <= at {
			changes = changes[1:]
		}
		if len(changes) == 0 || model.Late(changes[0], j.Request.Deadline) {
			return false
		}
		at = changes[0]
	}
}

// expect tells the rule that chooses among machines of a job that joins the queue.
func (p *Platform) expect(j *Job) {
	if p.nodes != nil {
		p.nodes.site.Expect(j.Request.index)
	}
}

// devices are the devices of the shares as a placement states them.
func (p *Platform) devices(j *Job, shares []Share) model.DevicesHeld {
	if p.nodes == nil {
		return nil
	}
	if run := j.Request.in.Jobs()[j.Request.index].Node().Running; run != nil {
		return run.Devices
	}
	return p.nodes.site.Held(p.nodes.site.Kind(j.Request.index), shares)
}

// Needs is what the job asks of the machines that it runs on.
func (p *Platform) Needs(j *Job) *model.NodeNeeds {
	return j.Request.in.Jobs()[j.Request.index].Node()
}

// Resource is a resource of machines by its index.
func (p *Platform) Resource(resource int) model.Resource { return p.in.Resources()[resource] }

// CountsMachines says that the cluster gives out whole machines, each of which counts as one processor.
func (p *Platform) CountsMachines(cluster int) bool { return p.in.Clusters()[cluster].WholeMachines }

// HasPlace says whether the room has a place for the job on so many processors of the cluster, whenever its machines are open. The rule that chooses among
// machines has no part in it, so that asking changes nothing.
func (p *Platform) HasPlace(room *Room, j *Job, cluster, processors int) bool {
	r := j.Request
	if p.nodes == nil {
		_, ok := p.FitsOn(room, j, cluster, processors, nil)
		return ok
	}
	if r.in.Jobs()[r.index].StatesRuntimes() && !p.CanRun(j, cluster) || p.ShortOf(room, j, cluster) >= 0 {
		return false
	}
	_, ok := p.nodes.first.Choose(&room.Room, p.nodes.first.Kind(r.index), cluster, processors, nil, nil)
	return ok
}

// CouldStart says whether the job could start now on so many processors of the cluster, under some rule that chooses among machines. Asking changes
// nothing.
func (p *Platform) CouldStart(j *Job, cluster, processors int) bool {
	return p.CouldStartAmong(j, cluster, processors, nil)
}

// CouldStartAmong is [Platform.CouldStart] among the machines that the function names, where the platform lists every machine; nil: all.
func (p *Platform) CouldStartAmong(j *Job, cluster, processors int, among func(machine int) bool) bool {
	if !p.HasPlace(&p.Free, j, cluster, processors) {
		return false
	}
	if p.nodes == nil {
		return true
	}
	shares, ok := p.fitsInTime(p.nodes.first, &p.Free, j, cluster, processors, p.now, among, nil)
	if ok && p.power != nil {
		_, ok = p.underCap(p.nodes.first, &p.Free, j, cluster, processors, p.now, among, shares, 0)
	}
	return ok
}

// WouldBeLate says whether nothing but the hard deadline of the job keeps it from starting now on the given number of processors of the cluster: the job fits there, and by its estimate it would end too late. Asking changes nothing.
func (p *Platform) WouldBeLate(j *Job, cluster, processors int) bool {
	if !j.Request.DeadlineHard || !p.HasPlace(&p.Free, j, cluster, processors) {
		return false
	}
	if p.nodes == nil {
		shares, ok := p.FitsOn(&p.Free, j, cluster, processors, nil)
		return ok && !p.inTime(j, cluster, shares, p.now)
	}
	if p.CouldStart(j, cluster, processors) {
		return false
	}
	_, ok := p.nodes.fits(p.nodes.first, &p.Free, j.Request.index, cluster, processors, p.now, nil, nil)
	return ok
}

// MachineFree is what is free of a machine now, as far as it matters to a job.
type MachineFree struct {
	Units int // processors of the machine
	Free  int // of them
	Empty int // that the job could hold when nothing else is there
	free  place.Free
}

// FreeOf is what is free of the machine now, where the platform lists every machine.
func (p *Platform) FreeOf(j *Job, m int) MachineFree {
	site := p.nodes.first
	return MachineFree{site.Machines[m].Units, int(p.Free.Processors[m]), site.Hosts(site.Kind(j.Request.index), m), site.Look(&p.Free.Room, m)}
}

// Of is how much of the resource is free there that blocks with the need could use, and for how many blocks that is enough: of whole devices those that
// are free as a whole, of shares the devices that have one.
func (f *MachineFree) Of(p *Platform, need model.ResourceNeed) (free model.Amount, blocks int) {
	if !p.in.Resources()[need.Resource].Devices {
		free = f.free.Amounts[need.Resource]
		return free, int(min(free/need.Amount, model.Amount(f.Units)))
	}
	first, last := f.free.Machine.Devices(p.nodes.first, need.Resource)
	for _, share := range f.free.Devices[first:last] {
		if share >= min(need.Amount, model.WholeAmount) {
			free, blocks = free+model.WholeAmount, blocks+1
		}
	}
	return free, blocks / max(1, int(need.Amount/model.WholeAmount))
}
