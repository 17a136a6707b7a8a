package prove

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// compareWork orders jobs of one task by their work.
func compareWork(in *model.Instance, a, b int) int {
	return cmp.Compare(in.Jobs()[a].Work, in.Jobs()[b].Work)
}

// server is a part of a cluster that runs one job at a time. It has as many processors as each job needs.
type server struct {
	cluster, first int
	speed          float64
}

// servers adds clusters that consist of whole servers of the given width, and lists these servers.
func (d *draft) servers(width, clusters int) []server {
	var list []server
	for range clusters {
		n, speed := d.between(1, 4), d.speed()
		c := d.cluster(n*width+d.IntN(width), speed)
		for k := range n {
			list = append(list, server{c, k * width, speed})
		}
	}
	return list
}

// turn is the k-th place on a server, counted from 1, with the time at which a job ends there if each job takes a time of 1.
type turn struct {
	server int
	end    float64
}

// turns returns the n turns that end first.
func turns(list []server, n int) []turn {
	var all []turn
	for l := range list {
		for k := 1; k <= n; k++ {
			all = append(all, turn{l, float64(k) / list[l].speed})
		}
	}
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.end, b.end) })
	return all[:n]
}

// equalJobs has jobs that differ only in their deadlines. The k-th job to end ends no earlier than the k-th turn of the servers. By an exchange
// argument, an optimal plan gives the k-th turn to the job with the k-th deadline. For the fewest misses, each turn takes the job with the
// earliest deadline that it can meet.
func equalJobs(d *draft) {
	width := d.between(1, 3)
	list := d.servers(width, d.between(1, 3))
	n, length := d.size(), float64(d.between(0, 9))*d.unit
	if d.chance(2) {
		length = d.unit
	}
	for range n {
		d.job(width, length)
	}
	same := d.chance(3)
	first := turns(list, n)
	last := first[n-1].end * length
	common := d.whole(float64(d.IntN(8)) / 7 * last)
	deadlines := make([]float64, n)
	for j := range n {
		deadlines[j] = common
		if !same {
			deadlines[j] = d.whole(float64(d.IntN(8)) / 6 * last)
		}
	}
	slices.Sort(deadlines)
	in := func(l server, j int) slot { return slot{job: j, cluster: l.cluster, first: l.first, n: width} }
	var plan []slot
	response, over := 0.0, 0.0
	for k, t := range first {
		end := t.end * length
		response += end
		over += max(0, end-deadlines[k])
		d.at(k).Deadline = new(d.origin + deadlines[k])
		plan = append(plan, in(list[t.server], k))
	}
	d.plan(plan)
	d.optimum("makespan", last)
	d.optimum("mean_response", response/float64(n))
	d.optimum("over_deadline", over)
	d.misses(list, first, deadlines, length, in)
	d.ask("mcp", "mean_wait")
	d.weights()
	d.shuffle()
}

// misses plans equal jobs, sorted by their deadlines, so that the fewest are late. If an end is too close to a deadline, rounding could decide; then
// it plans nothing and states no optimum.
func (d *draft) misses(list []server, first []turn, deadlines []float64, length float64, in func(server, int) slot) {
	var early, late []slot
	next := 0
	for j, deadline := range deadlines {
		end := first[next].end * length
		if math.Abs(end-deadline) < 1e-6*d.unit && !d.exact {
			return
		}
		if end <= deadline {
			early = append(early, in(list[first[next].server], j))
			next++
			continue
		}
		late = append(late, in(server{}, j))
	}
	for k := range late {
		job := late[k].job
		late[k] = in(list[first[next+k].server], job)
	}
	d.plan(append(early, late...))
	d.optimum("missed", float64(len(late)))
}

// shortestFirst divides jobs of one width among servers for the least mean response: the longer a job, the fewer jobs wait behind it. Source:
// W. Horowitz, S. Sahni (1976), J. ACM 23(2), doi:10.1145/321941.321951, for servers of several speeds.
func shortestFirst(d *draft) {
	width := d.between(1, 3)
	list := d.servers(width, d.between(1, 3))
	n := d.size()
	lengths := make([]float64, n)
	for k := range lengths {
		lengths[k] = pick(d.Rand, 0, 3, float64(d.between(0, 20)), float64(d.between(1, 20))) * d.unit
	}
	slices.Sort(lengths)
	slices.Reverse(lengths)
	var plan []slot
	response := 0.0
	for k, t := range turns(list, n) { // each server's turns are counted from its last job
		j := d.job(width, lengths[k])
		response += t.end * lengths[k]
		l := list[t.server]
		plan = append(plan, slot{job: j, cluster: l.cluster, first: l.first, n: width})
	}
	slices.Reverse(plan)
	d.plan(plan)
	d.optimum("mean_response", response/float64(n))
	if sameSpeed(list) {
		sum := 0.0
		for _, length := range lengths {
			sum += length / list[0].speed
		}
		d.optimum("mean_wait", (response-sum)/float64(n))
	}
	d.ask("makespan", "mcp", "mean_wait")
	d.shuffle()
}

// sameSpeed says that all servers have one speed.
func sameSpeed(list []server) bool {
	return !slices.ContainsFunc(list, func(l server) bool { return l.speed != list[0].speed })
}

// oneServer adds a cluster that runs one job at a time, and n jobs for it, the shortest first.
func (d *draft) oneServer(n int) (width int, lengths []float64) {
	width = d.between(1, 3)
	speed := d.speed()
	d.cluster(width+d.IntN(width), speed)
	for range n {
		lengths = append(lengths, pick(d.Rand, 2, float64(d.between(1, 20)), float64(d.between(0, 20)))*d.unit)
	}
	slices.Sort(lengths)
	for j := range lengths {
		d.job(width, lengths[j])
		lengths[j] /= speed
	}
	return width, lengths
}

// agreeableDeadlines has jobs of one machine in which a shorter job has an earlier deadline. In this order the time over deadlines is least.
// Source: H. Emmons (1969), Operations Research 17(4), doi:10.1287/opre.17.4.701, theorem 1.
func agreeableDeadlines(d *draft) {
	width, lengths := d.oneServer(d.size())
	var plan []slot
	now, over, response, deadline, all := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, length := range lengths {
		all += length
	}
	for j, length := range lengths {
		if length > 0 {
			deadline = max(deadline, d.whole(float64(d.between(0, 24))/16*all*float64(j+1)/float64(len(lengths))))
		}
		now += length
		over += max(0, now-deadline)
		response += now
		d.at(j).Deadline = new(d.origin + deadline)
		plan = append(plan, slot{job: j, n: width})
	}
	d.plan(plan)
	d.optimum("over_deadline", over)
	d.optimum("mean_response", response/float64(len(lengths)))
	d.optimum("mean_wait", (response-all)/float64(len(lengths)))
	d.optimum("makespan", all)
	d.optimum("idle_time", float64(d.processors()-width)*all)
	d.ask("mcp")
	d.shuffle()
}

// processors returns the number of processors of the first cluster.
func (d *draft) processors() int {
	m := d.spec.Clusters[0].Machines[0]
	return max(1, m.Count) * max(1, m.Processors)
}

// mostOnTime has jobs of one machine with soft or hard deadlines. Its plan keeps as many deadlines as possible.
// Source: J. M. Moore (1968), Management Science 15(1), doi:10.1287/mnsc.15.1.102, with Hodgson's algorithm.
func mostOnTime(d *draft) {
	width, lengths := d.oneServer(d.size())
	all := 0.0
	for _, length := range lengths {
		all += length
	}
	deadlines, order := make([]float64, len(lengths)), make([]int, len(lengths))
	for j := range lengths {
		order[j] = j
		deadlines[j] = d.whole(float64(d.between(1, 40))/40*all + lengths[j]/3 + 0.1237*d.unit) // equal to an end only for exact times, so that rounding decides nothing
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(deadlines[a], deadlines[b]) })
	var kept, late []int
	now := 0.0
	for _, j := range order {
		kept = append(kept, j)
		now += lengths[j]
		if now > deadlines[j] {
			longest := 0
			for k := range kept {
				if lengths[kept[k]] > lengths[kept[longest]] {
					longest = k
				}
			}
			now -= lengths[kept[longest]]
			late = append(late, kept[longest])
			kept = slices.Delete(kept, longest, longest+1)
		}
	}
	hard := d.chance(2)
	var plan []slot
	for j := range lengths {
		d.at(j).Deadline, d.at(j).DeadlineHard = new(d.origin+deadlines[j]), hard
	}
	if !hard {
		kept = append(kept, late...)
	}
	for _, j := range kept {
		plan = append(plan, slot{job: j, n: width})
	}
	d.plan(plan)
	d.optimum("missed", float64(len(late)))
	if hard {
		d.planted.MayLeave = true
		d.optimum("unfinished", float64(len(late)))
	}
	d.ask("over_deadline", "mean_response")
	d.shuffle()
}

// roomForAll has enough processors for all jobs at once in its fastest cluster. Each job starts as soon as it has arrived and the jobs that it
// waits for have ended. So every metric that grows with the ends has its least value.
func roomForAll(d *draft) {
	n, all := d.size(), 0
	sizes := make([]int, n)
	for j := range sizes {
		sizes[j] = d.between(1, 4)
		all += sizes[j]
	}
	speed := pick(d.Rand, 1, 2, 3, 1.5)
	if d.exact {
		speed = d.speed()
	}
	d.cluster(all+d.IntN(3), speed)
	for range d.IntN(3) {
		d.cluster(d.between(1, 8), speed*pick(d.Rand, 0.5, 1, 0.25))
	}
	plan, ends, first := make([]slot, n), make([]float64, n), 0
	last, response, wait, over := 0.0, 0.0, 0.0, 0.0
	arrivals, chains := d.chance(2), d.between(2, 6)
	for j := range n {
		length := float64(pick(d.Rand, 0, d.between(1, 20), d.between(1, 20), 5)) * d.unit
		d.job(sizes[j], length*speed)
		arrival := 0.0
		if arrivals && j > 0 {
			arrival = float64(d.IntN(30)) * d.unit
		}
		d.at(j).Arrival = d.origin + arrival
		start := arrival
		for range d.IntN(chains) {
			if j > 0 {
				start = max(start, d.wait(j, d.IntN(j), ends))
			}
		}
		ends[j] = start + length
		if d.chance(2) {
			deadline := max(0, ends[j]+float64(d.between(-6, 4))*d.unit)
			d.at(j).Deadline = new(d.origin + deadline)
			over += max(0, ends[j]-deadline)
		}
		last, response, wait = max(last, ends[j]), response+ends[j]-arrival, wait+start-arrival
		plan[j] = slot{job: j, first: first, n: sizes[j]}
		first += sizes[j]
	}
	d.plan(plan)
	d.optimum("makespan", last)
	d.optimum("mean_response", response/float64(n))
	d.optimum("mean_wait", wait/float64(n))
	d.optimum("over_deadline", over)
	d.ask("mcp", "missed")
	d.weights()
	d.shuffle()
}

// wait makes the job wait for an earlier one and returns the end of that.
func (d *draft) wait(job, before int, ends []float64) float64 {
	id := d.spec.Jobs[before].ID
	if !slices.Contains(d.spec.Jobs[job].After, id) {
		d.at(job).After = append(d.at(job).After, id)
	}
	return ends[before]
}
