package backfill

import (
	"cmp"
	"math"
	"slices"
)

// wideMachine is a machine of the naive form.
type wideMachine struct {
	cluster, processors int
	speed, bandwidth    float64
}

// wideJob is a job of the naive form. It may be moldable, and may hold processors of several clusters.
type wideJob struct {
	arrival          float64
	least, most      int
	tasks            int
	span             string
	work             float64
	estimate         float64 // of a task at speed 1; NaN: none
	message, input   float64
	copies           int // of the one licence
	start, end       float64
	until            float64   // end by the estimate
	ends             []float64 // of the tasks of each cluster, at which the policy is asked too
	held, runs       []int     // by machine: processors; by cluster: tasks
	seen, left, gone bool      // gone: it can never run
}

// wide is FCFS, EASY and flexible backfilling on several clusters in the plainest way: a list of machines and a list of jobs, all looked at
// at each instant. It shares no code with the engine or the policies.
type wide struct {
	machines []wideMachine
	clusters int
	overhead func(cluster int, message float64) float64
	pool     []int // by cluster: number of the pool that it uses
	copies   []int // by pool
	jobs     []wideJob
	step     float64
	now      float64
}

// wideRoom is what is free: processors by machine, copies by pool.
type wideRoom struct{ processors, copies []int }

func (r wideRoom) clone() wideRoom {
	return wideRoom{slices.Clone(r.processors), slices.Clone(r.copies)}
}

func (n *wide) all() wideRoom {
	r := wideRoom{copies: slices.Clone(n.copies)}
	for _, m := range n.machines {
		r.processors = append(r.processors, m.processors)
	}
	return r
}

// take takes what a job would hold out of the room: processors by machine, and copies of each pool once.
func (n *wide) take(r wideRoom, j *wideJob, held []int) {
	pools := map[int]bool{}
	for m, p := range held {
		if r.processors[m] -= p; p > 0 {
			pools[n.pool[n.machines[m].cluster]] = true
		}
	}
	for pool := range pools {
		r.copies[pool] -= j.copies
	}
}

// at is what is free at a time, as far as the estimates say.
func (n *wide) at(t float64) wideRoom {
	r := n.all()
	for k := range n.jobs {
		if j := &n.jobs[k]; j.held != nil && !j.left && n.expected(j) > t {
			n.take(r, j, j.held)
		}
	}
	return r
}

// expected is when a running job is taken to end.
func (n *wide) expected(j *wideJob) float64 {
	if j.until > n.now {
		return j.until
	}
	return n.now + n.step
}

// fastestFirst are the machines of a cluster.
func (n *wide) fastestFirst(cluster int) []int {
	var list []int
	for m := range n.machines {
		if n.machines[m].cluster == cluster {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(n.machines[b].speed, n.machines[a].speed) })
	return list
}

// free is how many processors of a cluster the job could hold: of one machine where it must stay on one.
func (n *wide) free(r wideRoom, j *wideJob, cluster int) int {
	if r.copies[n.pool[cluster]] < j.copies {
		return 0
	}
	free := 0
	for _, m := range n.fastestFirst(cluster) {
		if j.span == "machine" {
			free = max(free, r.processors[m])
		} else {
			free += r.processors[m]
		}
	}
	return free
}

// fill takes processors of the cluster for the job.
func (n *wide) fill(r wideRoom, j *wideJob, cluster, want int, held []int) {
	for _, m := range n.fastestFirst(cluster) {
		if j.span == "machine" && r.processors[m] < want {
			continue
		}
		held[m] = min(want, r.processors[m])
		want -= held[m]
	}
}

// spreads says whether the job may hold processors of several clusters.
func (n *wide) spreads(j *wideJob) bool {
	return j.span == "grid" && n.clusters > 1 && j.most > 1 && j.tasks > 1
}

// choices are the processors by machine that the job could get of the room, cluster by cluster; with only ≥ 0 of that cluster. A job that
// spreads has one choice at most.
func (n *wide) choices(r wideRoom, j *wideJob, only int) [][]int {
	var list [][]int
	if n.spreads(j) {
		all := 0
		for c := range n.clusters {
			all += n.free(n.all(), j, c)
		}
		want := max(j.least, min(j.most, j.tasks, all))
		if held := n.pick(r, j, want); held != nil {
			list = append(list, held)
		}
		return list
	}
	for c := range n.clusters {
		want := max(j.least, min(j.most, j.tasks, n.free(n.all(), j, c)))
		if only >= 0 && c != only || n.free(r, j, c) < want {
			continue
		}
		held := make([]int, len(n.machines))
		n.fill(r, j, c, want, held)
		list = append(list, held)
	}
	return list
}

// pick picks processors over the grid; nil: too few are free, or they lie in more clusters than the job has tasks.
func (n *wide) pick(r wideRoom, j *wideJob, want int) []int {
	held, best := make([]int, len(n.machines)), -1
	for c := range n.clusters {
		if f := n.free(r, j, c); f >= want && (best < 0 || f < n.free(r, j, best)) {
			best = c
		}
	}
	if best >= 0 {
		n.fill(r, j, best, want, held)
		return held
	}
	order := make([]int, n.clusters)
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(a, b int) int { return n.free(r, j, b) - n.free(r, j, a) })
	used := 0
	for _, c := range order {
		if here := min(want, n.free(r, j, c)); here > 0 {
			n.fill(r, j, c, here, held)
			want -= here
			used++
		}
	}
	if want > 0 || used > j.tasks {
		return nil
	}
	return held
}

// share shares the tasks, one at a time: first one for each processor while there are enough, then each to the processor that is done with it
// first. It returns the tasks by processor, machine by machine. Each cluster runs one at least.
func (n *wide) share(j *wideJob, held []int) (tasks [][]int, byCluster []int) {
	tasks, byCluster = make([][]int, len(held)), make([]int, n.clusters)
	all := 0
	for m, p := range held {
		tasks[m] = make([]int, p)
		all += p
	}
	left := j.tasks
	for m := range tasks {
		for k := range tasks[m] {
			if j.tasks >= all {
				tasks[m][k], left = 1, left-1
			}
		}
	}
	for ; left > 0; left-- {
		at, which := -1, 0
		for m := range tasks { // a/v < b/w is a·w < b·v, and these products are exact
			for k := range tasks[m] {
				if at < 0 || float64(tasks[m][k]+1)*n.machines[at].speed < float64(tasks[at][which]+1)*n.machines[m].speed {
					at, which = m, k
				}
			}
		}
		tasks[at][which]++
	}
	for m := range tasks {
		for _, b := range tasks[m] {
			byCluster[n.machines[m].cluster] += b
		}
	}
	for m, p := range held {
		if c := n.machines[m].cluster; p > 0 && byCluster[c] == 0 { // of the cluster with the most tasks, the first
			byCluster[slices.Index(byCluster, slices.Max(byCluster))]--
			byCluster[c]++
		}
	}
	return tasks, byCluster
}

// times are the estimated and the real time on each cluster; NaN where the job holds nothing.
func (n *wide) times(j *wideJob, held []int) (estimated, real []float64) {
	_, byCluster := n.share(j, held)
	link := math.Inf(1)
	for m, p := range held {
		if p > 0 {
			link = min(link, n.machines[m].bandwidth)
		}
	}
	transfer := 0.0
	if j.input > 0 {
		transfer = j.input / link
	}
	for c := range n.clusters {
		here, processors := make([]int, len(held)), 0
		for m, p := range held {
			if n.machines[m].cluster == c && p > 0 {
				here[m], processors = p, processors+p
			}
		}
		if processors == 0 {
			estimated, real = append(estimated, math.NaN()), append(real, math.NaN())
			continue
		}
		part, takes, stated := *j, 0.0, 0.0
		part.tasks = byCluster[c]
		tasks, _ := n.share(&part, here)
		for m := range tasks {
			for _, b := range tasks[m] {
				if b > 0 {
					takes = max(takes, float64(b)*j.work/n.machines[m].speed+n.overhead(c, j.message))
					stated = max(stated, float64(b)*j.estimate/n.machines[m].speed+n.overhead(c, j.message))
				}
			}
		}
		real = append(real, takes+transfer)
		if math.IsNaN(j.estimate) {
			estimated = append(estimated, takes+transfer)
		} else {
			estimated = append(estimated, stated+transfer)
		}
	}
	return estimated, real
}

// takes is the estimate of the job.
func (n *wide) takes(j *wideJob, held []int) float64 {
	estimated, _ := n.times(j, held)
	longest := 0.0
	for _, t := range estimated {
		if !math.IsNaN(t) {
			longest = max(longest, t)
		}
	}
	return longest
}

// launch starts a job.
func (n *wide) launch(j *wideJob, held []int) {
	_, j.runs = n.share(j, held)
	_, real := n.times(j, held)
	j.held, j.start, j.end, j.until = held, n.now, n.now, n.now+n.takes(j, held)
	for _, t := range real {
		if !math.IsNaN(t) {
			j.end, j.ends = max(j.end, n.now+t), append(j.ends, n.now+t)
		}
	}
}

// soonest is the choice on which the job ends first, of those that may be taken; nil: none.
func (n *wide) soonest(j *wideJob, choices [][]int, may func(held []int, end float64) bool) (best []int) {
	for _, held := range choices {
		end := n.now + n.takes(j, held)
		if may(held, end) && (best == nil || end < n.now+n.takes(j, best)) {
			best = held
		}
	}
	return best
}

// run goes from instant to instant.
func (n *wide) run(decide func(*wide, []*wideJob)) {
	for {
		next := math.Inf(1)
		for k := range n.jobs {
			if j := &n.jobs[k]; !j.seen {
				next = min(next, j.arrival)
			} else if j.held != nil && !j.left {
				next = min(next, j.end)
				next = min(next, slices.Min(append(j.ends, next)))
			}
		}
		if math.IsInf(next, 1) {
			return
		}
		n.now = next
		var queue []*wideJob
		changes := false // the arrival of a job that can never run is no instant
		for k := range n.jobs {
			j := &n.jobs[k]
			changes = changes || j.held != nil && !j.left && slices.Min(append(j.ends, j.end)) <= n.now
			j.left = j.left || j.held != nil && j.end <= n.now
			j.ends = slices.DeleteFunc(j.ends, func(end float64) bool { return end <= n.now })
			if !j.seen && j.arrival <= n.now {
				j.seen, j.gone = true, len(n.choices(n.all(), j, -1)) == 0
				changes = changes || !j.gone
			}
			if j.seen && !j.gone && j.held == nil {
				queue = append(queue, j)
			}
		}
		if changes {
			decide(n, queue)
		}
	}
}

// heads starts the heads of the queue and returns the rest.
func (n *wide) heads(queue []*wideJob) []*wideJob {
	for len(queue) > 0 {
		held := n.soonest(queue[0], n.choices(n.at(n.now), queue[0], -1), func([]int, float64) bool { return true })
		if held == nil {
			break
		}
		n.launch(queue[0], held)
		queue = queue[1:]
	}
	return queue
}

func wideFCFS(n *wide, queue []*wideJob) { n.heads(queue) }

func wideEASY(n *wide, queue []*wideJob) {
	if queue = n.heads(queue); len(queue) == 0 {
		return
	}
	first := queue[0]
	shadow, only := math.Inf(1), -1
	for k := range n.jobs {
		j := &n.jobs[k]
		if j.held == nil || j.left || n.expected(j) >= shadow {
			continue
		}
		if held := n.soonest(first, n.choices(n.at(n.expected(j)), first, -1), func([]int, float64) bool { return true }); held != nil {
			shadow = n.expected(j)
			if only = -1; !n.spreads(first) { // it keeps to that cluster
				only = n.machines[slices.IndexFunc(held, func(p int) bool { return p > 0 })].cluster
			}
		}
	}
	then := n.at(shadow)
	for _, j := range queue[1:] {
		leaves := func(held []int) wideRoom {
			left := then.clone()
			n.take(left, j, held)
			return left
		}
		possible := func(r wideRoom) bool { return slices.Min(r.processors) >= 0 && slices.Min(r.copies) >= 0 }
		held := n.soonest(j, n.choices(n.at(n.now), j, -1), func(held []int, end float64) bool {
			left := leaves(held)
			return end <= shadow || possible(left) && len(n.choices(left, first, only)) > 0
		})
		if held == nil {
			continue
		}
		if n.now+n.takes(j, held) > shadow {
			then = leaves(held)
		}
		n.launch(j, held)
	}
}

func wideFlexible(n *wide, queue []*wideJob) {
	length := func(j *wideJob) float64 {
		least := math.Inf(1)
		for _, held := range n.choices(n.all(), j, -1) {
			least = min(least, n.takes(j, held))
		}
		return least
	}
	shortest := math.Inf(1)
	for _, j := range queue {
		shortest = min(shortest, length(j))
	}
	priority := map[*wideJob]float64{}
	for _, j := range queue {
		ratio := 1.0
		if length(j) > 0 {
			ratio = shortest / length(j)
		}
		priority[j] = 0.001*(n.now-j.arrival) + 0.1 + 0 + ratio
	}
	slices.SortStableFunc(queue, func(a, b *wideJob) int { return cmp.Compare(priority[b], priority[a]) })
	wideEASY(n, queue)
}
