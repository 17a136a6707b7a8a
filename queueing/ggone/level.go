package ggone

import (
	"context"
	"math"
	"slices"
)

// core is the problem in the form that the search uses: with dummies as tasks, and a table of levels for each class.
type core struct {
	tasks   int // dummies included; the loads add up to it
	classes []coreClass
	class   []int // by rank; the machines of a class are consecutive ranks, the fullest first

	forbidding bool // some task cannot be on some class

	slow bool // a step may take long, so that it checks the context inside

	rounding float64 // relative error of the longest chain of operations in a bound

	values []float64 // scratch
}

// coreClass is a class with its penalties and levels.
type coreClass struct {
	penalties
	machines, firstRank int
	levels              []level // by load, up to the largest stable one
}

// level is a machine of a class at one integer load n. A task is a candidate where an allocation that is worth finding may have it there,
// sure where every such allocation that uses the level has it there; else no such allocation has it there.
type level struct {
	wait     float64
	cost     []float64 // penalties of the candidates
	task     []int32   // the candidates; nil: all tasks
	sure     []int32   // tasks that are there whenever the level is used
	sureCost float64   // their penalties

	g     float64 // least sum of (penalty − price) of n tasks, at the prices of the last pricing
	theta float64 // its largest term

	margin float64 // the last pricing looked at values up to theta + margin
}

// tableLimit is the number of penalties kept; beyond it they are computed when needed.
const tableLimit = 1 << 24

// slowSize is the number of penalties from which a search checks its context inside its steps.
const slowSize = 1 << 20

// newCore prepares the problem. Where the context ends meanwhile the core is incomplete, and a search on it must stop at once. Complexity:
// O(levels · tasks).
func newCore(ctx context.Context, p *Problem, dummies int) *core {
	tasks := append(append([]Task{}, p.Tasks...), make([]Task, dummies)...)
	for y := len(p.Tasks); y < len(tasks); y++ {
		tasks[y] = Task{math.Inf(1), math.Inf(1)}
	}
	c := &core{tasks: len(tasks), values: make([]float64, len(tasks)+1)}
	all, longest := 0, 0
	for k := range p.Classes {
		class := &p.Classes[k]
		if class.Machines == 0 {
			continue
		}
		q := coreClass{penalties: penaltiesOf(p, class, tasks), machines: class.Machines, firstRank: len(c.class)}
		c.forbidding = c.forbidding || slices.ContainsFunc(class.Service, func(s float64) bool { return math.IsInf(s, 1) })
		for n := range class.most(p.Period, c.tasks) + 1 {
			q.levels = append(q.levels, level{wait: class.wait(float64(n), p.Period)})
		}
		for range class.Machines {
			c.class = append(c.class, len(c.classes))
		}
		all += len(q.levels)
		longest = max(longest, len(q.levels))
		c.classes = append(c.classes, q)
	}
	c.rounding = float64(longest+len(c.class)+16) * ulp
	c.slow = (all+len(c.class))*c.tasks > slowSize
	if all*c.tasks <= tableLimit {
		for k := range c.classes {
			c.classes[k].tabulate(ctx)
		}
	}
	return c
}

// tabulate computes the penalties at all levels.
func (q *coreClass) tabulate(ctx context.Context) {
	for n := range q.levels {
		if ctx.Err() != nil {
			return
		}
		q.levels[n].cost = make([]float64, len(q.service))
		q.at(q.levels[n].wait, q.levels[n].cost)
	}
}

// price finds the n cheapest tasks of a level at the prices u: the level's g and theta. Complexity: O(candidates).
//
// Most candidates are far above theta, and theta moves little from one pricing to the next. So one pass without branches collects the
// values below the last theta plus a margin, and the method searches these alone. Where they are too few it searches all.
func (c *core) price(k, n int, u []float64) {
	l := &c.classes[k].levels[n]
	if n == 0 {
		l.g, l.theta = 0, math.Inf(-1)
		return
	}
	l.g = l.sureCost
	for _, y := range l.sure {
		l.g -= u[y]
	}
	need := n - len(l.sure)
	if need == 0 {
		return
	}
	found := c.collectBelow(k, l, u, l.theta+l.margin)
	switch {
	case found < need:
		found = c.collectBelow(k, l, u, math.Inf(1))
		l.margin = 2*l.margin + 1e-6*math.Abs(l.theta)
		if found < need { // the other tasks cost +Inf
			l.g, l.theta = math.Inf(1), math.Inf(1)
			return
		}
	case found > 2*need+16:
		l.margin *= 0.7
	}
	sum, largest := selectSmallest(c.values[:found], need)
	l.g, l.theta = l.g+sum, largest
}

// collectBelow collects the values (penalty − price) of the level's candidates that are below the limit, and counts them.
func (c *core) collectBelow(k int, l *level, u []float64, limit float64) int {
	values, found := c.values, 0
	switch {
	case l.cost == nil:
		c.classes[k].at(l.wait, values[:len(u)])
		for y, x := range values[:len(u)] {
			x -= u[y]
			values[found] = x
			if x < limit {
				found++
			}
		}
	case l.task == nil:
		u = u[:len(l.cost)]
		for y, x := range l.cost {
			x -= u[y]
			values[found] = x
			if x < limit {
				found++
			}
		}
	default:
		task := l.task[:len(l.cost)]
		for i, x := range l.cost {
			x -= u[task[i]]
			values[found] = x
			if x < limit {
				found++
			}
		}
	}
	return found
}

// addServed adds w to the count of each task that the level serves at the prices of its last pricing; ties go to the first task.
func (c *core) addServed(k, n int, u []float64, w float64, count []float64) {
	l := &c.classes[k].levels[n]
	for _, y := range l.sure {
		count[y] += w
	}
	need := n - len(l.sure)
	if need == 0 {
		return
	}
	cost := l.cost
	if cost == nil {
		cost = c.values[:len(u)]
		c.classes[k].at(l.wait, cost)
	}
	for i, x := range cost {
		if y := l.taskOf(i); x-u[y] < l.theta {
			count[y] += w
			need--
		}
	}
	for i := 0; i < len(cost) && need > 0; i++ {
		if y := l.taskOf(i); cost[i]-u[y] == l.theta {
			count[y] += w
			need--
		}
	}
}

// restrict looks at the choices of n tasks whose sum of (penalty − price) is at most room above the least one, at the prices u of the last
// pricing. It removes the candidates that are in none of these choices and notes as sure those that are in all of them.
func (c *core) restrict(k, n int, u []float64, room float64) {
	l := &c.classes[k].levels[n]
	need := n - len(l.sure)
	if l.cost == nil || need == 0 {
		return
	}
	next := math.Inf(1) // the least value that is not among the cheapest
	equal := 0
	for i, x := range l.cost {
		switch v := x - u[l.taskOf(i)]; {
		case v > l.theta:
			next = min(next, v)
		case v == l.theta:
			equal++
		default:
			need--
		}
	}
	if equal > need {
		next = l.theta
	}
	var task []int32
	var cost []float64
	for i, x := range l.cost {
		y := l.taskOf(i)
		switch v := x - u[y]; {
		case v-l.theta > room:
		case next-v > room && v < next:
			l.sure = append(l.sure, y)
			l.sureCost += x
		default:
			task, cost = append(task, y), append(cost, x)
		}
	}
	l.task, l.cost = task, cost
	if task == nil {
		l.task, l.cost = []int32{}, []float64{}
	}
}

// taskOf is the task of a candidate.
func (l *level) taskOf(i int) int32 {
	if l.task == nil {
		return int32(i)
	}
	return l.task[i]
}
