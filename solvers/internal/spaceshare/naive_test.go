package spaceshare_test

import (
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solvers/internal/spaceshare"
)

// naiveProcessor is one processor of the naive form.
type naiveProcessor struct {
	cluster, number int // number in the cluster
	speed           float64
	job             int     // that holds it; −1: none
	until           float64 // when it comes back
}

// naiveJob is one job of the naive form. Its number of processors is at most its number of tasks, and it may span one cluster or the grid.
type naiveJob struct {
	arrival          float64
	least, most      int
	tasks            int
	grid             bool
	work, message    float64
	start, end       float64
	size, free       int             // partition size, and free processors at its start
	ends             map[int]float64 // by processor: when its tasks end
	runs             map[int]int     // by processor: its tasks
	arrived, started bool
	left             bool
}

// naive is the two policies in the plainest way: a list of processors and a list of jobs, all looked at at each instant. It shares no code
// with the engine or the policies.
type naive struct {
	processors []naiveProcessor
	jobs       []naiveJob
	options    spaceshare.Options
	static     bool
	overhead   func(cluster int, message float64) float64
	// stretched is when tasks really end on a processor with background load, of those that would end so without; nil: they end so.
	stretched func(job, processor int, start, end float64) float64
	now       float64
}

// run goes from instant to instant.
func (n *naive) run() {
	for {
		next := math.Inf(1)
		for _, p := range n.processors {
			if p.job >= 0 {
				next = min(next, p.until)
			}
		}
		for _, j := range n.jobs {
			if !j.arrived {
				next = min(next, j.arrival)
			}
		}
		if math.IsInf(next, 1) {
			return
		}
		n.now = next
		turn, back := false, false
		for k := range n.processors {
			if p := &n.processors[k]; p.job >= 0 && p.until <= n.now {
				p.job, back = -1, true
			}
		}
		for k := range n.jobs {
			j := &n.jobs[k]
			if j.started && !j.left && !n.holds(k) {
				j.left, turn = true, true
			}
			if !j.arrived && j.arrival <= n.now {
				j.arrived, turn = true, true
			}
		}
		if back && !n.static && n.pool() >= n.options.Alpha {
			turn = true
		}
		for turn && n.startHead() {
		}
	}
}

// holds says whether a job holds a processor.
func (n *naive) holds(job int) bool {
	return slices.ContainsFunc(n.processors, func(p naiveProcessor) bool { return p.job == job })
}

// pool is the number of free processors.
func (n *naive) pool() int {
	free := 0
	for _, p := range n.processors {
		if p.job < 0 {
			free++
		}
	}
	return free
}

// freeOf are the free processors of a cluster, the fastest first, then the lowest number.
func (n *naive) freeOf(cluster int) []int {
	var free []int
	for k, p := range n.processors {
		if p.cluster == cluster && p.job < 0 {
			free = append(free, k)
		}
	}
	slices.SortStableFunc(free, func(a, b int) int {
		if n.processors[a].speed > n.processors[b].speed {
			return -1
		} else if n.processors[a].speed < n.processors[b].speed {
			return 1
		}
		return 0
	})
	return free
}

// startHead starts the head of the queue; false: there is none, or it waits.
func (n *naive) startHead() bool {
	queue, running := []int{}, 0
	for k, j := range n.jobs {
		if j.arrived && !j.started {
			queue = append(queue, k)
		}
		if n.holds(k) {
			running++
		}
	}
	if len(queue) == 0 {
		return false
	}
	j := &n.jobs[queue[0]]
	// eq. 2 with fractions
	size := big.NewRat(int64(2*len(n.processors)), int64(2*len(queue)+running))
	rounded := int(new(big.Int).Quo(size.Num(), size.Denom()).Int64())
	rest := new(big.Rat).Sub(size, big.NewRat(int64(rounded), 1))
	switch {
	case n.options.Rounding == spaceshare.Ceil && rest.Sign() > 0:
		rounded++
	case n.options.Rounding == spaceshare.Nearest && rest.Cmp(big.NewRat(1, 2)) >= 0:
		rounded++
	}
	clusters := n.processors[len(n.processors)-1].cluster + 1
	free, all := 0, 0 // processors that the job could hold at once, now and in the empty system
	for c := range clusters {
		freeHere, here := len(n.freeOf(c)), 0
		for _, p := range n.processors {
			if p.cluster == c {
				here++
			}
		}
		if j.grid {
			free, all = free+freeHere, all+here
		} else {
			free, all = max(free, freeHere), max(all, here)
		}
	}
	target := max(j.least, min(max(1, rounded), j.most, j.tasks, all))
	needed := target
	if n.options.Start == spaceshare.Available {
		needed = max(1, j.least, min(target, n.options.Alpha))
	}
	if free < needed {
		return false
	}
	j.size, j.free = max(1, rounded), free
	n.start(queue[0], n.pick(min(target, free), clusters))
	return true
}

// pick picks the processors, which are free.
func (n *naive) pick(target, clusters int) []int {
	best := -1
	for c := range clusters {
		if f := len(n.freeOf(c)); f >= target && (best < 0 || f < len(n.freeOf(best))) {
			best = c
		}
	}
	if best >= 0 {
		return n.freeOf(best)[:target]
	}
	var picked []int
	for used := map[int]bool{}; len(picked) < target; {
		most := -1
		for c := range clusters {
			if !used[c] && (most < 0 || len(n.freeOf(c)) > len(n.freeOf(most))) {
				most = c
			}
		}
		used[most] = true
		for _, k := range n.freeOf(most) {
			if len(picked) < target {
				picked = append(picked, k)
			}
		}
	}
	return picked
}

// start starts a job on processors.
func (n *naive) start(job int, picked []int) {
	j := &n.jobs[job]
	slices.Sort(picked)
	given := n.share(j.tasks, picked, 0)
	busy := 0
	for _, b := range given {
		if b > 0 {
			busy++
		}
	}
	if busy < j.least {
		given = n.share(j.tasks, picked, 1)
	}
	j.started, j.start, j.end, j.ends, j.runs = true, n.now, n.now, map[int]float64{}, map[int]int{}
	for k, at := range picked {
		if given[k] == 0 {
			continue
		}
		p := &n.processors[at]
		end := model.End(n.now, float64(given[k])*j.work/p.speed+n.overhead(p.cluster, j.message))
		if n.stretched != nil {
			end = n.stretched(job, at, n.now, end)
		}
		p.job, p.until = job, end
		j.ends[at], j.runs[at], j.end = end, given[k], max(j.end, end)
	}
	for at := range j.ends {
		if n.static {
			n.processors[at].until = j.end
		}
	}
}

// share gives the tasks out with fractions, the first ones to each processor.
func (n *naive) share(tasks int, picked []int, first int) []int {
	speed := func(k int) *big.Rat { return new(big.Rat).SetFloat64(n.processors[picked[k]].speed) }
	sum := new(big.Rat)
	for k := range picked {
		sum.Add(sum, speed(k))
	}
	given, left := make([]int, len(picked)), tasks-first*len(picked)
	shared := big.NewRat(int64(left), 1)
	for k := range picked {
		q := new(big.Rat).Quo(new(big.Rat).Mul(shared, speed(k)), sum)
		b := int(new(big.Int).Quo(q.Num(), q.Denom()).Int64())
		given[k], left = first+b, left-b
	}
	for ; left > 0; left-- {
		best, when := 0, (*big.Rat)(nil)
		for k := range picked {
			if end := new(big.Rat).Quo(big.NewRat(int64(given[k]+1), 1), speed(k)); when == nil || end.Cmp(when) < 0 {
				best, when = k, end
			}
		}
		given[best]++
	}
	return given
}
