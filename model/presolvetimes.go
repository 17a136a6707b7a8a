package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
)

// The rules about times and power.

// precedence: a job need not wait for one that runs already and ends before it arrives.
func (r *reducer) precedence() {
	if !r.waits {
		return
	}
	ended := map[int]float64{} // of jobs that run already: by when
	gone := map[int]bool{}     // jobs that some job no longer waits for
	waits, jobs := 0, 0
	for d, demand := range r.demands {
		goes := func(before int) bool {
			run := r.in.jobs[before].Node().Running
			if run == nil {
				return false
			}
			end, known := ended[before]
			if !known {
				time := r.original.Duration(before, run.Cluster, run.Processors)
				if r.original.shared(run.Cluster, run.Processors) {
					time *= 2
				}
				end = time*(1+4*Tolerance) + 4*spacing(time)
				ended[before] = end
			}
			return end <= r.classes[d].earliest
		}
		if !slices.ContainsFunc(demand.After, goes) {
			continue
		}
		var kept []int
		for _, before := range demand.After {
			if goes(before) {
				waits += r.classes[d].jobs
				gone[before] = true
			} else {
				kept = append(kept, before)
			}
		}
		r.edit(d).After = kept
		jobs += r.classes[d].jobs
	}
	if jobs == 0 {
		return
	}
	any := slices.ContainsFunc(r.demands, func(d *Demand) bool { return len(d.After) > 0 })
	if r.in.successors = slices.Clone(r.in.successors); !any {
		r.in.successors = nil
	}
	for before := range gone {
		if any {
			r.in.successors[before] = slices.DeleteFunc(slices.Clone(r.in.successors[before]), func(k int) bool {
				return !slices.Contains(r.demands[r.classOf[k]].After, before)
			})
		}
	}
	r.applied("precedence: %s of %s for jobs that run already and end before the job arrives", numtext.CountedGrouped(waits, "wait"), counted(jobs))
}

// powerCaps: a cluster has no cap that may take, at each time from the first arrival on, what all its machines and processors can take at most, or all its machines and all jobs at once.
func (r *reducer) powerCaps() {
	if r.original.features&PowerCaps == 0 {
		return
	}
	busy, most := false, 0.0 // some job takes the Busy of its machine; the largest power that a job states
	for _, demand := range r.demands {
		busy, most = busy || !demand.powerStated, max(most, demand.power)
	}
	caps := 0
	for c := range r.in.clusters {
		cluster := &r.in.clusters[c]
		if len(cluster.PowerCap) == 0 {
			continue
		}
		full, together, largest := cluster.idlePower(), cluster.idlePower(), 0.0
		for g := range cluster.Machines {
			m, power := &cluster.Machines[g], most
			largest = max(largest, m.Power.OfBusy())
			if busy {
				power = max(power, m.Power.OfBusy())
			}
			full.add(power, float64(m.Count*m.Units))
		}
		for d, demand := range r.demands {
			power := largest
			if demand.powerStated {
				power = demand.power
			}
			together.add(power, float64(r.classes[d].jobs)*float64(min(demand.Max, cluster.Processors)))
		}
		least := math.Inf(1)
		for k, step := range cluster.PowerCap {
			if k+1 == len(cluster.PowerCap) || cluster.PowerCap[k+1].Time > r.in.firstArrival {
				least = min(least, step.Value)
			}
		}
		if !(full.sum-least+full.lost <= 0) && !(together.sum-least+together.lost <= 0) {
			continue
		}
		r.cluster(c).PowerCap = nil
		caps++
	}
	if caps > 0 {
		r.applied("power caps: all machines take no more with all processors, or all jobs, in %s", numtext.CountedGrouped(caps, "cluster"))
	}
}

// openAtAll is what decides whether a job ever finds the machine open, for the reservations that jobs have and for jobs without one.
func (m *Machine) openAtAll(reservations []string) (open []bool) {
	for _, name := range reservations {
		open = append(open, m.everOpenTo(name, false), m.everOpenTo(name, true))
	}
	return append(open, m.everOpenTo("", false))
}

// reservations are those that jobs have, in order.
func (r *reducer) reservations() []string {
	if r.asks&asksReservation == 0 {
		return nil
	}
	found := map[string]bool{}
	var list []string
	for _, demand := range r.demands {
		if n := demand.node; n != nil && n.Reservation != "" && !found[n.Reservation] {
			found[n.Reservation] = true
			list = append(list, n.Reservation)
		}
	}
	slices.Sort(list)
	return list
}

// dropClosed leaves out the closed times of machines for which goes says so, but for those that decide whether a machine is ever open. It returns their number, by machine.
func (r *reducer) dropClosed(goes func(Closure) bool) (times int) {
	reservations := r.reservations()
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			m := &r.in.clusters[c].Machines[g]
			if !slices.ContainsFunc(m.closed, goes) {
				continue
			}
			left := *m
			if left.closed = slices.DeleteFunc(slices.Clone(m.closed), goes); len(left.closed) == 0 {
				left.closed = nil
			}
			if slices.Equal(left.openAtAll(reservations), m.openAtAll(reservations)) {
				times += (len(m.closed) - len(left.closed)) * m.Count
				r.cluster(c).Machines[g].closed = left.closed
			}
		}
	}
	return times
}

// closedBefore: a time in which a machine is closed, and which ends before any job arrives, concerns nobody.
func (r *reducer) closedBefore() {
	if times := r.dropClosed(func(c Closure) bool { return c.To <= r.in.firstArrival }); times > 0 {
		r.applied("closed times: %s before the first job arrives", numtext.CountedGrouped(times, "time of a machine", "times of machines"))
	}
}

// closedAfter: so does one that begins when all jobs have ended.
func (r *reducer) closedAfter() {
	if r.original.features&ClosedTimes == 0 {
		return
	}
	if h := r.in.horizon; h != nil {
		if times := r.dropClosed(func(c Closure) bool { return c.From >= h.To }); times > 0 {
			r.applied("closed times: %s after the horizon", numtext.CountedGrouped(times, "time of a machine", "times of machines"))
		}
	}
	if !r.endsInTime() {
		return
	}
	last := r.lastEnd()
	if times := r.dropClosed(func(c Closure) bool { return c.From >= last }); times > 0 {
		r.restsOn(last)
		r.applied("closed times: %s after all jobs have ended, by %s at the latest", numtext.CountedGrouped(times, "time of a machine", "times of machines"), numtext.Significant(last, 6))
	}
}

// horizon: one that begins when the first job arrives or before, and ends when all jobs have ended, limits nothing.
func (r *reducer) horizon() {
	h := r.in.horizon
	if h == nil || h.From > r.in.firstArrival || r.stopsPower() {
		return
	}
	r.in.horizon = nil
	if !r.endsInTime() || !(r.lastEnd() <= h.To) {
		r.in.horizon = h
		return
	}
	r.restsOn(r.lastEnd())
	r.applied("horizon: it ends after all jobs have ended, by %s at the latest", numtext.Significant(r.lastEnd(), 6))
}

// stopsPower says whether machines are in given states when the horizon begins or ends, or are suspended by a rule.
func (r *reducer) stopsPower() bool {
	return r.original.features&SleepingMachines != 0 && !r.everyMachine(func(m *Machine) bool { return !m.Power.limits() })
}

// hardDeadlines: one that no job can miss is as good as a soft one, where the objective does not say what a job costs that is left out: all jobs have ended before, or it lies
// behind a horizon within which there is room for all jobs. Not where power is capped: a job may never run then, and a soft deadline would say that it has to.
//
// Why nothing changes: a hard deadline refuses schedules in which the job ends later, of which there are none, and it lets a job be left out without the schedule owing
// it, which only the metrics say that price jobs. Behind a horizon no job ends, whatever else moves starts there, such as prices; that all jobs find room in it, one after another
// between the ways of machines into and out of service, keeps every job from being one that has to be left out.
func (r *reducer) hardDeadlines() {
	if r.use&OnLine != 0 || r.original.features&HardDeadlines == 0 || r.in.pricesJobs() || r.capped() {
		return
	}
	inTime := r.endsInTime()
	if !inTime && !r.fitsHorizon() {
		return
	}
	last := r.lastEnd()
	if !inTime {
		last = r.in.horizon.To
	}
	late := func(k int) bool { // so late that the job cannot miss it
		j := &r.in.jobs[k]
		return j.HasDeadline() && j.Deadline >= last && r.demands[r.classOf[k]].DeadlineHard
	}
	of, jobs := make([]int, len(r.demands)), 0 // by class: such jobs
	for k := range r.in.jobs {
		if late(k) {
			of[r.classOf[k]]++
			jobs++
		}
	}
	soft := map[int32]int32{} // by class, where other jobs keep theirs: the same with soft deadlines
	for k := range r.in.jobs {
		d := r.classOf[k]
		if int(d) >= len(of) || of[d] == 0 || of[d] == r.classes[d].jobs || !late(k) {
			continue
		}
		other, known := soft[d]
		if !known {
			other = int32(len(r.demands))
			soft[d] = other
			apart := r.classes[d]
			apart.jobs, apart.own = of[d], false
			r.demands, r.classes = append(r.demands, r.demands[d]), append(r.classes, apart)
			r.edit(int(other)).DeadlineHard = false
		}
		r.classOf[k] = other
	}
	for d, n := range of {
		if n > 0 && n == r.classes[d].jobs {
			r.edit(d).DeadlineHard = false
		} else {
			r.classes[d].jobs -= n
		}
	}
	if jobs > 0 {
		if inTime {
			r.restsOn(last)
		}
		r.applied("hard deadlines: %s after all jobs have ended, by %s at the latest", numtext.CountedGrouped(jobs, "deadline"), numtext.Significant(last, 6))
	}
}

// deadlines: a soft one means nothing to a solver that goes by the objective, where the objective does not count it; nor does one that is so late that nobody misses it. A
// sum of slacks, as MUSCLE has it, would be of that deadline alone.
//
// Why nothing changes: no limit of schedules looks at a soft deadline. Of the metrics that look at deadlines, those that count jobs by whether they have one keep the rule from applying; the
// others add up by how much jobs are late, which is 0 for a job that has ended before. The metrics that are shown are evaluated on the stated instance, which has
// all deadlines. A solver that looks at deadlines whatever is minimised, as edd does, does not ask for the rule.
func (r *reducer) deadlines() {
	if r.use&ByObjective == 0 || r.use&OnLine != 0 || r.minimises("missed", "miss_rate", "slowdown_without_deadline", "qos_penalty") {
		return
	}
	from := 0.0 // deadlines from then on go
	if r.minimises("over_deadline", "mcp", "balance") {
		if !r.endsInTime() {
			return
		}
		from = r.lastEnd()
	}
	goes := func(k int) bool {
		j := &r.in.jobs[k]
		return j.HasDeadline() && j.Deadline >= from && !r.demands[r.classOf[k]].DeadlineHard
	}
	jobs := 0
	for k := range r.in.jobs {
		if goes(k) {
			if jobs++; jobs == 1 {
				r.in.jobs = slices.Clone(r.in.jobs)
			}
			r.in.jobs[k].Deadline = math.Inf(1)
		}
	}
	if jobs == 0 {
		return
	}
	if from > 0 {
		r.restsOn(from)
	}
	r.applied("deadlines: the objective does not count that of %s, or all jobs have ended before", counted(jobs))
}

// fitsHorizon says whether a horizon is stated in which there is room for all jobs, one after another and without a pause, so that a machine wakes once at most, before the
// longest way of machines into their last states.
func (r *reducer) fitsHorizon() bool {
	h := r.in.horizon
	if h == nil {
		return false
	}
	down := 0.0
	r.everyMachine(func(m *Machine) bool {
		if p := m.Power; p != nil && p.End >= 0 {
			down = max(down, p.Off[p.End].Down.Time)
		}
		return true
	})
	return r.endBy(h.From, 0)+r.waking()+down <= h.To
}

// restsOn notes that a rule takes for granted that all jobs have ended by then.
func (r *reducer) restsOn(last float64) {
	if r.report.windows {
		last = min(last, r.report.last)
	}
	r.report.windows, r.report.last = true, last
}

// endsInTime says whether solvers start every job as early as they can, so that [reducer.lastEnd] bounds what they make.
func (r *reducer) endsInTime() bool { return r.in.horizon == nil && !r.countsPower() }

// countsPower says whether the objective has a metric of power.
func (r *reducer) countsPower() bool {
	return slices.ContainsFunc(r.in.objective, func(t ObjectiveTerm) bool {
		m, _ := MetricNamed(t.Metric)
		return t.Weight != 0 && (m.Only == "power" || m.Only == "prices" || m.Only == "carbon")
	})
}

// capped says whether the power of a cluster is limited.
func (r *reducer) capped() bool {
	return slices.ContainsFunc(r.in.clusters, func(c Cluster) bool { return len(c.PowerCap) > 0 })
}

// waking is the longest time for which a machine keeps a job waiting that is off when the first job arrives, or is suspended by a rule: it goes down, and up again.
func (r *reducer) waking() float64 {
	longest := 0.0
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			p := r.in.clusters[c].Machines[g].Power
			if p == nil || p.Begin < 0 && !p.Suspends() {
				continue
			}
			for k := range p.Off {
				longest = max(longest, p.Off[k].Down.Time+p.Off[k].Up.Time)
			}
		}
	}
	return longest
}

// lastEnd is a time by which every job has ended in a schedule in which none starts later than it has to. Let T be the last of the arrivals and of the times at which a
// machine is open again or a power cap changes. If at some time from T on no job ran, the next to start could start then, or as soon as machines that are suspended are on again. So from
// T on some job runs or waits for that until all have ended, and the last ends by T plus the longest times of all jobs. A closed time that begins after that changes nothing; one that begins before makes T later. Rounding is allowed for. It
// holds for the estimates of jobs as well as for their true times.
//
// Complexity: O(n + clusters·(jobs that state run times) + c log c) for c closed times.
func (r *reducer) lastEnd() float64 {
	if math.IsNaN(r.last) {
		r.last = r.endBy(0, r.waking())
	}
	return r.last
}

// endBy is lastEnd where jobs can start from the given time on, and each waits so long for a machine to wake.
func (r *reducer) endBy(last, waking float64) float64 {
	sum, longest := 0.0, r.longestTimes()
	for k := range r.in.jobs {
		last = max(last, r.in.jobs[k].Arrival)
		sum += longest(k) + waking
	}
	if r.original.features&BackgroundLoad != 0 {
		sum *= 2 // a job that local jobs slow down takes twice as long at most
	}
	for c := range r.in.clusters {
		if steps := r.in.clusters[c].PowerCap; len(steps) > 0 {
			last = max(last, steps[len(steps)-1].Time)
		}
	}
	room := func(from float64) float64 {
		end := from + sum*(1+4*Tolerance)
		return end + float64(4*len(r.in.jobs)+4)*spacing(end)
	}
	reservations := r.reservations()
	var closed []Closure
	for c := range r.in.clusters {
		for g := range r.in.clusters[c].Machines {
			for _, closure := range r.in.clusters[c].Machines[g].closed {
				if !slices.Contains(reservations, closure.For) {
					closed = append(closed, closure)
					continue
				}
				last = max(last, closure.From) // jobs may wait for it
				if !math.IsInf(closure.To, 1) {
					last = max(last, closure.To)
				}
			}
		}
	}
	slices.SortFunc(closed, func(a, b Closure) int { return cmp.Compare(a.From, b.From) })
	for _, closure := range closed {
		if closure.From >= room(last) {
			break
		}
		if !math.IsInf(closure.To, 1) { // a machine that stays closed makes no job wait
			last = max(last, closure.To)
		}
	}
	if end := room(last); !math.IsNaN(end) {
		return end
	}
	return math.Inf(1)
}

// longestTimes returns a function that is at least the time that a job takes, by its work and by its estimate (on line by its estimate alone): with all the tasks that one of its processors may have, on
// the slowest machine of the grid.
func (r *reducer) longestTimes() func(k int) float64 {
	in := r.original
	slowest := make([]float64, len(in.clusters))
	speed, link, pause, latency, network := math.Inf(1), math.Inf(1), 0.0, 0.0, math.Inf(1)
	for c := range in.clusters {
		cluster := &in.clusters[c]
		slowest[c] = math.Inf(1)
		for g := range cluster.Machines {
			slowest[c] = min(slowest[c], cluster.Machines[g].Speed)
			link = min(link, cluster.Machines[g].Bandwidth)
		}
		speed = min(speed, slowest[c])
		pause, latency, network = max(pause, cluster.ContextSwitch), max(latency, cluster.Latency), min(network, cluster.NetBandwidth)
	}
	return func(k int) float64 {
		j := &in.jobs[k]
		work := j.Work
		switch {
		case math.IsNaN(j.Estimate):
		case r.use&OnLine != 0: // who knows no more takes it for the truth, see Reduction.Fits
			work = j.Estimate * j.ReferenceSpeed
		default:
			work = max(work, j.Estimate*j.ReferenceSpeed)
		}
		tasks := j.Tasks // of the fullest processor
		if r.sites.noneWhole && (j.Span != SpanGrid || len(in.clusters) == 1) {
			tasks = ceilDiv(tasks, j.Min)
		}
		if j.runtimes == nil {
			time := float64(tasks)*work/speed + pause + (j.Input+j.Output)/link
			if j.Message > 0 {
				time += latency + j.Message/network
			}
			return time
		}
		longest := 0.0
		for c, time := range j.runtimes {
			if math.IsNaN(time) {
				continue
			}
			_, most := in.Width(k, c)
			share := float64(ceilDiv(j.Tasks, most))
			if estimated := share * (j.Estimate * j.ReferenceSpeed) / slowest[c]; estimated > time || r.use&OnLine != 0 && !math.IsNaN(estimated) {
				time = estimated
			}
			longest = max(longest, time*float64(tasks)/share)
		}
		return longest
	}
}
