package proof

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file verifies what follows from prices of what machines have: processors, memory and resources. What a job holds counts in equal parts for its
// processors: of a block its resources, of a machine that it has to itself all. At any instant all that is held is worth no more than all machines.

// machineRates are the prices, by cluster and group.
type machineRates struct {
	*facts
	closed   bool
	guests   map[string]bool // the reservations of jobs that do not run already
	group    [][]groupRates
	worth    [][]*big.Rat // of all machines of a group, for a unit of time
	cheapest map[askedRate]*big.Rat
}

// groupRates are the prices of a group.
type groupRates struct {
	processor, memory *big.Rat
	resources         []*big.Rat
}

// askedRate is what decides what a processor of a job pays on a cluster: that of jobs which ask for the same is computed once.
type askedRate struct {
	node     *model.NodeNeeds
	memory   float64
	cluster  int
	licences string
	narrow   float64 // bandwidth
	nothing  bool    // closed times do not concern it
	size     [2]int  // of a job that has its machines to itself
	fixed    bool    // it is a rectangle
}

// machineRates reads the prices.
func (f *facts) machineRates(a *MachinePrices, step string) (*machineRates, error) {
	const most = 1 << 26 // jobs times prices
	clusters, prices := f.in.Clusters(), 0
	for c := range clusters {
		prices += len(clusters[c].Machines) * (2 + len(f.in.Resources()))
	}
	if prices > most/(len(f.in.Jobs())+1) {
		return nil, doubt(step, "too many jobs and prices")
	}
	r := &machineRates{facts: f, closed: a.Closed, guests: map[string]bool{}, cheapest: map[askedRate]*big.Rat{}}
	for j := range f.in.Jobs() {
		if n := f.in.Jobs()[j].Node(); n.Running == nil && n.Reservation != "" {
			r.guests[n.Reservation] = true
		}
	}
	if len(a.Groups) != len(clusters) {
		return nil, refute(step+".groups", "expected prices for each of %d clusters, found %d", len(clusters), len(a.Groups))
	}
	for c := range clusters {
		if len(a.Groups[c]) != len(clusters[c].Machines) {
			return nil, refute(fmt.Sprintf("%s.groups[%d]", step, c), "expected prices for each of %d groups of machines, found %d", len(clusters[c].Machines), len(a.Groups[c]))
		}
		var rates []groupRates
		var worths []*big.Rat
		for g := range a.Groups[c] {
			p, m, at := &a.Groups[c][g], &clusters[c].Machines[g], fmt.Sprintf("%s.groups[%d][%d]", step, c, g)
			if len(p.Resources) != len(f.in.Resources()) {
				return nil, refute(at+".resources", "expected a price for each of %d resources, found %d", len(f.in.Resources()), len(p.Resources))
			}
			for _, price := range append([]float64{p.Processor, p.Memory}, p.Resources...) {
				if !(price >= 0) {
					return nil, refute(at, "expected prices of at least 0, found %v", price)
				}
			}
			if p.Memory > 0 && math.IsInf(m.Memory, 1) {
				return nil, refute(at+".memory", "the memory of the group is not limited")
			}
			own := groupRates{number(p.Processor), number(p.Memory), nil}
			for _, price := range p.Resources {
				own.resources = append(own.resources, number(price))
			}
			rates, worths = append(rates, own), append(worths, new(big.Rat).Mul(own.machine(m), big.NewRat(int64(m.Count), 1)))
		}
		r.group, r.worth = append(r.group, rates), append(r.worth, worths)
	}
	return r, nil
}

// exactly is an amount of a resource.
func exactly(a model.Amount) *big.Rat { return big.NewRat(int64(a), int64(model.WholeAmount)) }

// machine is what one machine is worth; its memory to the last digit that the model tolerates.
func (g *groupRates) machine(m *model.Machine) *big.Rat {
	sum := new(big.Rat).Mul(g.processor, big.NewRat(int64(m.Units), 1))
	if g.memory.Sign() > 0 {
		memory := number(m.Memory)
		memory.Add(memory, new(big.Rat).Mul(memory, last))
		sum.Add(sum, memory.Mul(memory, g.memory))
	}
	for k, price := range g.resources {
		sum.Add(sum, new(big.Rat).Mul(price, exactly(m.Amount(k))))
	}
	return sum
}

// rate is the least that a processor of job j pays on the cluster, for a unit of time; nil: it holds none there.
func (r *machineRates) rate(j, c int) *big.Rat {
	job, n := &r.in.Jobs()[j], r.in.Jobs()[j].Node()
	key := askedRate{n, job.Memory, c, fmt.Sprint(job.Licences), job.MinBandwidth, r.in.Features()&model.ClosedTimes != 0 && r.places.keepsNothing(j, c), [2]int{}, false}
	if n.Exclusive {
		key.size, key.fixed = [2]int{job.Min, job.Max}, r.isRectangle(j)
	}
	if x, known := r.cheapest[key]; known {
		return x
	}
	var rooms [2]int
	if n.Exclusive {
		rooms = r.rooms(j, c)
	}
	var least *big.Rat
	for g := range r.group[c] {
		m := &r.in.Clusters()[c].Machines[g]
		room := r.places.holds(j, c, m)
		if room == 0 {
			continue
		}
		own := &r.group[c][g]
		x := new(big.Rat)
		if n.Exclusive {
			x.Mul(own.machine(m), r.machinesHeld(j, c, room, rooms))
		} else {
			for _, need := range n.Resources {
				x.Add(x, new(big.Rat).Mul(own.resources[need.Resource], exactly(need.Amount)))
			}
			if !r.in.Clusters()[c].WholeMachines {
				x.Quo(x, big.NewRat(int64(n.Block), 1))
			}
			x.Add(x, own.processor).Add(x, new(big.Rat).Mul(own.memory, number(job.Memory)))
		}
		if least == nil || x.Cmp(least) < 0 {
			least = x
		}
	}
	r.cheapest[key] = least
	return least
}

// rooms are the least and the most processors of job j for which a machine of the cluster has room, of the machines that have room for any.
func (r *machineRates) rooms(j, c int) [2]int {
	least, most := math.MaxInt, 0
	for g := range r.group[c] {
		if room := r.places.holds(j, c, &r.in.Clusters()[c].Machines[g]); room > 0 {
			least, most = min(least, room), max(most, room)
		}
	}
	return [2]int{least, most}
}

// machinesHeld is the number of machines of a group for which job j, which has its machines to itself, pays at least, over the number of its processors. A machine of the group
// has room for room of them, and rooms are the least and the most over all groups. The job holds at least size/rooms[1] machines, rounded up. Where so many of the smallest machines
// have room for all of it, it pays for that number. Otherwise it may fill machines of several sizes, and a processor pays for 1/room of a machine.
func (r *machineRates) machinesHeld(j, c, room int, rooms [2]int) *big.Rat {
	size, most := r.in.Width(j, c)
	if machines := max(r.in.Jobs()[j].Node().MinMachines, (size-1)/rooms[1]+1); size <= machines*rooms[0] && r.isRectangle(j) {
		return big.NewRat(int64(machines), int64(size))
	}
	return big.NewRat(1, int64(min(room, most)))
}

// running is what job j, which runs already, holds: for a unit of time.
func (r *machineRates) running(j int) *big.Rat {
	job, n := &r.in.Jobs()[j], r.in.Jobs()[j].Node()
	c := n.Running.Cluster
	cluster := &r.in.Clusters()[c]
	sum, groups := new(big.Rat), map[int]int{} // group by number of the machine
	for _, run := range n.Running.Processors {
		for p := run.First; p <= run.Last; p++ {
			machine, g := cluster.MachineOf(p)
			own := &r.group[c][g]
			if _, seen := groups[machine]; n.Exclusive && !seen {
				sum.Add(sum, own.machine(&cluster.Machines[g]))
			}
			if groups[machine] = g; !n.Exclusive {
				sum.Add(sum, own.processor).Add(sum, new(big.Rat).Mul(own.memory, number(job.Memory)))
			}
		}
	}
	for _, h := range n.Running.Holds {
		if g, held := groups[h.Machine]; held && !n.Exclusive {
			sum.Add(sum, new(big.Rat).Mul(r.group[c][g].resources[h.Resource], exactly(h.Amount)))
		}
	}
	return sum
}

// pays is the least that a job pays for the processor time that it holds by cluster; nil: nothing is known of it.
func (r *machineRates) pays(j int, time func(c int) (*big.Rat, bool)) *big.Rat {
	var least *big.Rat
	for c := range r.in.Clusters() {
		held, runs := time(c)
		if !runs {
			continue
		}
		rate := r.rate(j, c)
		if rate == nil {
			continue
		}
		if x := new(big.Rat).Mul(held, rate); least == nil || x.Cmp(least) < 0 {
			least = x
		}
	}
	return least
}

// work is the least that job j, which has to be placed, pays: 0 if it runs already and only what closed times concern counts.
func (r *machineRates) work(j int) *big.Rat {
	running := r.in.Jobs()[j].Node().Running != nil
	var x *big.Rat
	switch {
	case running && r.closed:
	case running:
		x = r.running(j)
		x.Mul(x, r.least[j])
	case r.closed:
		if x = r.pays(j, func(c int) (*big.Rat, bool) { return r.keptArea(j, c) }); x != nil {
			x.Mul(x, r.sureShare(j))
		}
	default:
		x = r.pays(j, func(c int) (*big.Rat, bool) { return r.held(j, c) })
	}
	if x == nil {
		return new(big.Rat)
	}
	return x
}

// isShut says whether no job that does not run already may hold a machine of the group just after the instant.
func (r *machineRates) isShut(c, g int, instant *big.Rat) bool {
	only, names := "", 0
	for _, x := range r.in.Clusters()[c].Machines[g].Closed() {
		if r.since(x.From).Cmp(instant) > 0 || x.To <= math.MaxFloat64 && r.since(x.To).Cmp(instant) <= 0 {
			continue
		}
		if !r.guests[x.For] || names > 0 && only != x.For {
			return true
		}
		only = x.For
		names++
	}
	return false
}

// instants are the times after from and before to, if that is not nil, at which a closed time begins or ends, and from; ascending.
func (r *machineRates) instants(from, to *big.Rat) []*big.Rat {
	list := []*big.Rat{from}
	for c := range r.in.Clusters() {
		for g := range r.in.Clusters()[c].Machines {
			for _, x := range r.in.Clusters()[c].Machines[g].Closed() {
				for _, t := range []float64{x.From, x.To} {
					if t > math.MaxFloat64 {
						continue
					}
					if s := r.since(t); s.Cmp(from) > 0 && (to == nil || s.Cmp(to) < 0) {
						list = append(list, s)
					}
				}
			}
		}
	}
	slices.SortFunc(list, (*big.Rat).Cmp)
	return slices.CompactFunc(list, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// rateAt is what all machines are worth just after the instant, for a unit of time: those that are open, if closed times count.
func (r *machineRates) rateAt(instant *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for c := range r.worth {
		for g, worth := range r.worth[c] {
			if worth.Sign() > 0 && !(r.closed && r.isShut(c, g, instant)) {
				sum.Add(sum, worth)
			}
		}
	}
	return sum
}

// worthBetween is what the machines are worth in an interval.
func (r *machineRates) worthBetween(from, to *big.Rat) *big.Rat {
	times := []*big.Rat{from}
	if r.closed {
		times = r.instants(from, to)
	}
	sum := new(big.Rat)
	for k, t := range times {
		until := to
		if k+1 < len(times) {
			until = times[k+1]
		}
		length := new(big.Rat).Sub(until, t)
		sum.Add(sum, length.Mul(length, r.rateAt(t)))
	}
	return sum
}

// machinePrices is what the prices prove of a metric, or of what it lacks.
func (f *facts) machinePrices(metric string, lacks bool, a *MachinePrices, step string) (*big.Rat, error) {
	r, err := f.machineRates(a, step)
	if err != nil {
		return nil, err
	}
	switch metric {
	case "makespan":
		return r.makespan(step)
	case "mean_response", "over_deadline":
		return r.squashed(metric, step)
	case "missed", "miss_rate", "unfinished", "finished", "work_done", "data_moved":
		if high := metric == "finished" || metric == "work_done" || metric == "data_moved"; high == lacks {
			return r.leftOut(metric, a, step)
		}
	}
	return nil, refute(step, "it does not bound %s", quoted(metric))
}

// makespan is the least head, the time in which the machines are worth what the jobs pay, and the least tail.
func (r *machineRates) makespan(step string) (*big.Rat, error) {
	jobs, err := r.set(nil, step)
	if err != nil {
		return nil, err
	}
	head, tail, work := r.head[jobs[0]], r.tail[jobs[0]], new(big.Rat)
	for _, j := range jobs {
		work.Add(work, r.work(j))
		if r.head[j].Cmp(head) < 0 {
			head = r.head[j]
		}
		if r.tail[j].Cmp(tail) < 0 {
			tail = r.tail[j]
		}
	}
	times := []*big.Rat{head}
	if r.closed {
		times = r.instants(head, nil)
	}
	for k, t := range times {
		rate := r.rateAt(t)
		if k+1 < len(times) {
			length := new(big.Rat).Sub(times[k+1], t)
			if held := length.Mul(length, rate); held.Cmp(work) < 0 {
				work.Sub(work, held)
				continue
			}
		}
		if rate.Sign() == 0 {
			if work.Sign() == 0 {
				return new(big.Rat).Add(t, tail), nil
			}
			return nil, refute(step+".groups", "expected prices of machines that are open")
		}
		end := work.Quo(work, rate)
		return end.Add(end, t).Add(end, tail), nil
	}
	return nil, refute(step, "expected a time")
}

// squashed adds up the ends of the jobs, or by how much they are late: the k-th end is not before the k least jobs have held what they hold, nor before the
// k-th of their earliest ends.
func (r *machineRates) squashed(metric, step string) (*big.Rat, error) {
	if !r.all || len(r.must) == 0 {
		return nil, doubt(step, "instances with jobs that may be left out are not covered")
	}
	if r.closed {
		return nil, refute(step+".closed", "closed times do not count here")
	}
	rate := r.rateAt(new(big.Rat))
	if rate.Sign() == 0 {
		return nil, refute(step+".groups", "expected prices above 0")
	}
	var areas, ends, dues []*big.Rat
	sum := new(big.Rat)
	for _, j := range r.must {
		x := r.work(j)
		areas, ends = append(areas, x.Quo(x, rate)), append(ends, r.end(j))
		if r.in.Jobs()[j].HasDeadline() {
			dues = append(dues, r.due(j))
		}
		if metric == "mean_response" {
			sum.Sub(sum, r.released(j))
		}
	}
	for _, list := range [][]*big.Rat{areas, ends, dues} {
		slices.SortFunc(list, (*big.Rat).Cmp)
	}
	held := new(big.Rat)
	for k := range areas {
		held.Add(held, areas[k])
		switch end := larger(held, ends[k]); {
		case metric == "mean_response":
			sum.Add(sum, end)
		case k < len(dues) && end.Cmp(dues[k]) > 0:
			sum.Add(sum, new(big.Rat).Sub(end, dues[k]))
		}
	}
	if metric == "mean_response" {
		sum.Quo(sum, big.NewRat(int64(len(r.must)), 1))
	}
	return sum, nil
}

// leftOut is what the jobs are worth that are not in time: those that are in no schedule, and what the others pay in an interval, each at most what it is
// worth, less what the machines are worth there. Jobs that run already pay in any case.
func (r *machineRates) leftOut(metric string, a *MachinePrices, step string) (*big.Rat, error) {
	from, to := number(a.From), number(a.To)
	if from.Cmp(to) >= 0 {
		return nil, refute(step, "expected an interval, found one from %v to %v", a.From, a.To)
	}
	sum := r.worthBetween(from, to)
	sum.Neg(sum)
	base, due := int64(0), int64(0)
	deadlines := metric == "missed" || metric == "miss_rate"
	for j := range r.in.Jobs() {
		job := &r.in.Jobs()[j]
		if job.HasDeadline() {
			due++
		}
		if job.Node().Running != nil {
			if r.has[j] && !r.closed {
				sum.Add(sum, r.runsIn(j, from, to))
			}
		}
		switch {
		case deadlines && !job.HasDeadline():
		case r.never[j] || deadlines && r.surelyLate(j, job.Deadline):
			if deadlines || metric == "unfinished" {
				base++
			}
		case job.Node().Running == nil && job.HasDeadline() && (deadlines || job.DeadlineHard):
			x := r.pays(j, func(c int) (*big.Rat, bool) { return r.inTime(j, c, from, to) })
			if x == nil {
				continue
			}
			if worth := r.amount(metric, j); worth.Cmp(x) < 0 {
				x = worth
			}
			sum.Add(sum, x)
		}
	}
	if sum.Sign() < 0 {
		sum.SetInt64(0)
	}
	switch metric {
	case "work_done", "data_moved":
		return sum, nil
	}
	sum.SetInt(ceiling(sum))
	sum.Add(sum, big.NewRat(base, 1))
	if metric == "miss_rate" && due > 0 {
		sum.Mul(sum, big.NewRat(100, due))
	}
	return sum, nil
}

// runsIn is what a job that runs already pays in the interval. Its duration may be a little shorter.
func (r *machineRates) runsIn(j int, from, to *big.Rat) *big.Rat {
	length := new(big.Rat).Set(r.least[j])
	length.Sub(length, new(big.Rat).Mul(r.least[j], tolerated))
	clock := new(big.Rat).Abs(r.first)
	clock.Add(clock, r.head[j]).Add(clock, r.least[j])
	length.Sub(length, clock.Mul(clock, spacings))
	held := overlap(from, to, r.head[j], length)
	return held.Mul(held, r.running(j))
}

// overlap is for how long something that lasts for the length from the start is in the interval.
func overlap(from, to, start, length *big.Rat) *big.Rat {
	end := new(big.Rat).Add(start, length)
	if end.Cmp(to) > 0 {
		end.Set(to)
	}
	end.Sub(end, larger(from, start))
	return larger(new(big.Rat), end)
}

// inTime is the least processor time that job j, if it is in time, holds on the cluster in the interval: starting at its head or as late as it may. Of a job
// that may release processors early it is all of its area if it has to run in the interval, else 0. If closed times count, so do estimates.
func (r *machineRates) inTime(j, c int, from, to *big.Rat) (*big.Rat, bool) {
	due, slack := r.due(j), r.slack(j, r.in.Jobs()[j].Deadline)
	last := new(big.Rat).Add(due, slack)
	if !r.isRectangle(j) {
		area, runs := r.held(j, c)
		if r.closed {
			area, runs = r.keptArea(j, c)
		}
		switch {
		case !runs:
			return nil, false
		case from.Cmp(r.head[j]) > 0 || last.Cmp(to) > 0 || r.least[j].Sign() == 0:
			return new(big.Rat), true
		}
		part := new(big.Rat).Quo(slack, r.least[j])
		part.Sub(big.NewRat(1, 1), part)
		return area.Mul(area, larger(new(big.Rat), part)), true
	}
	if !r.alone[j][c] {
		return nil, false
	}
	size, _ := r.in.Width(j, c)
	time := number(r.in.DurationOn(j, c, size))
	kept := new(big.Rat).Set(time)
	if r.closed {
		if known := number(r.places.known.DurationOn(j, c, size)); known.Cmp(kept) < 0 {
			kept = known
		}
	}
	kept.Sub(kept, slack)
	last.Sub(last, time).Add(last, slack)
	held := overlap(from, to, r.head[j], kept)
	if late := overlap(from, to, last, kept); late.Cmp(held) < 0 {
		held = late
	}
	return held.Mul(held, big.NewRat(int64(size), 1)), true
}
