package proof

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// This file verifies a tree of boxes of loads. A box limits the number of tasks of each machine. With a price u_y of each task, the cost of all
// allocations whose loads n_r lie in the box is at least
//
//	Σu_y + min { Σ_r g_r(n_r) : Σn_r = number of tasks },   g_r(n) = the sum of the n least of (penalty on r at load n − u_y)
//
// Machines of a group are alike: the first carries the most. Penalties are rounded down to whole units; then all is exact.

// levelCells limits the table of penalties.
const levelCells = 1 << 25

// loadBox limits the load of a machine.
type loadBox struct{ low, high int }

// level is a machine of a class at one load.
type level struct {
	cost []int64 // by task
	out  []bool  // by task: no allocation that costs less than the bound has it here; nil: none is known
	sure []bool  // by task: every such allocation that uses the level has it here
	held int     // number of tasks that are sure
	dead bool    // no such allocation uses the level

	least, last, next int64 // at the prices set last: sum of the cheapest tasks, the most expensive of them, the cheapest other one
}

// levelTree verifies a tree of boxes of loads.
type levelTree struct {
	*queues
	a      *Levels
	step   string
	units  grid
	tasks  int
	target int64     // the bound in units, rounded up
	levels [][]level // by class and load

	price       []int64 // by task
	base        int64   // Σu
	fore, after [][]int64
	scratch     []int64
}

// levels verifies the tree.
func (f *facts) levels(a *Levels, goal *big.Rat, step string) error {
	t, root, err := f.levelTree(a, goal, step)
	if err != nil {
		return err
	}
	return t.verify(root)
}

// verify narrows the root, and verifies the tree below it.
func (t *levelTree) verify(root []loadBox) error {
	for i, p := range t.a.Root {
		at := fmt.Sprintf("%s.root[%d]", t.step, i)
		if p >= len(t.a.Prices) {
			return refute(at, "there are no prices %d", p)
		}
		if root == nil {
			continue
		}
		if t.ctx.Err() != nil {
			return doubt(at, "the check was cut off")
		}
		if root = t.narrowed(p, root); root != nil {
			t.sieve(root)
		}
	}
	return walk[[]loadBox](t.ctx, t.a.Nodes, len(t.a.Prices), t.step, root, t)
}

// levelTree is the tree, and the box of its root.
func (f *facts) levelTree(a *Levels, goal *big.Rat, step string) (*levelTree, []loadBox, error) {
	q, err := f.queues(step)
	if err != nil {
		return nil, nil, err
	}
	t := &levelTree{queues: q, a: a, step: step, tasks: len(f.in.Jobs())}
	cells := 0
	for k := range q.classes {
		cells += q.classes[k].most + 1
	}
	if cells > levelCells/(t.tasks+1) { // there are not too many machines: see queues
		return nil, nil, doubt(step, "too many tasks and machines")
	}
	if err := t.tabulate(goal); err != nil {
		return nil, nil, err
	}
	return t, t.root(), nil
}

// root makes room for sums, and is the box of all loads.
func (t *levelTree) root() []loadBox {
	ranks := len(t.class)
	t.fore, t.after = make([][]int64, ranks+1), make([][]int64, ranks+1)
	for r := range t.fore {
		t.fore[r], t.after[r] = make([]int64, t.tasks+1), make([]int64, t.tasks+1)
	}
	root := make([]loadBox, ranks)
	for r := range root {
		root[r].high = t.classes[t.class[r]].most
	}
	return root
}

// tabulate finds the unit and the penalties in units. A penalty that exceeds the bound and all that prices can give back counts as closed: what
// uses it costs as much as the bound.
func (t *levelTree) tabulate(goal *big.Rat) error {
	highest := 0.0
	for k, list := range t.a.Prices {
		if len(list) != t.tasks {
			return refute(fmt.Sprintf("%s.prices[%d]", t.step, k), "expected prices of %d tasks, found %d", t.tasks, len(list))
		}
		for _, u := range list {
			highest = max(highest, math.Abs(u))
		}
	}
	for k := range t.a.Nodes {
		for i := range t.a.Nodes[k].Loads {
			for _, u := range t.a.Nodes[k].Loads[i].Places {
				highest = max(highest, math.Abs(u))
			}
		}
	}
	if !(highest < largest) {
		return refute(t.step+".prices", "expected prices below %g", largest)
	}
	most := new(big.Rat).Mul(number(highest), big.NewRat(int64(4*t.tasks), 1))
	t.units = gridFor(most.Add(most, goal), 57)
	t.target = t.units.up(goal)
	limit := math.Ldexp(1, t.units.exponent+58)
	charge := t.in.Queueing().Charge
	for k := range t.classes {
		class, levels := &t.classes[k], make([]level, t.classes[k].most+1)
		for n := range levels {
			levels[n].cost = make([]int64, t.tasks)
			for y := range levels[n].cost {
				x := class.penalty(&t.in.Jobs()[y], y, class.wait[n], charge)
				if levels[n].cost[y] = closed; x < limit {
					levels[n].cost[y] = t.units.near(x)
				}
			}
		}
		t.levels = append(t.levels, levels)
	}
	return nil
}

// narrow does the work of narrowed, as a tree of boxes asks for it.
func (t *levelTree) narrow(prices int, box []loadBox, _ string) ([]loadBox, error) {
	return t.narrowed(prices, box), nil
}

// narrowed narrows the box by the prices to the loads that may cost less than the goal; nil: none may.
func (t *levelTree) narrowed(prices int, box []loadBox) []loadBox {
	t.set(prices)
	box = slices.Clone(box)
	t.order(box) // where a range is empty, all sums are closed
	t.sums(box)
	need := t.target - t.base
	for r := range box {
		b := &box[r]
		for b.low <= b.high && t.with(r, b.low) >= need {
			b.low++
		}
		for b.low <= b.high && t.with(r, b.high) >= need {
			b.high--
		}
		if b.low > b.high {
			return nil
		}
	}
	return box // which is in order again, and again narrows to itself: loads that cost less together are all left
}

// set takes prices.
func (t *levelTree) set(k int) {
	t.price, t.base = t.price[:0], 0
	for _, u := range t.a.Prices[k] {
		t.price = append(t.price, t.units.near(u))
		t.base += t.price[len(t.price)-1]
	}
}

// order tightens the limits by the order inside a class, from the fullest machine down; false: the box is empty.
func (t *levelTree) order(box []loadBox) bool {
	for r := len(box) - 2; r >= 0; r-- {
		if t.class[r] == t.class[r+1] {
			box[r].low = max(box[r].low, box[r+1].low)
		}
	}
	for r := range box {
		if r > 0 && t.class[r] == t.class[r-1] {
			box[r].high = min(box[r].high, box[r-1].high)
		}
		if box[r].low > box[r].high {
			return false
		}
	}
	return true
}

// sums finds the least sums of g of the machines before each, and from each on, by their number of tasks.
func (t *levelTree) sums(box []loadBox) {
	for k := range t.classes {
		c := &t.classes[k]
		for n := box[c.first+c.machines-1].low; n <= box[c.first].high; n++ {
			t.choose(&t.levels[k][n], n)
		}
	}
	for r := range t.fore {
		for s := range t.fore[r] {
			t.fore[r][s], t.after[r][s] = closed, closed
		}
	}
	t.fore[0][0], t.after[len(box)][0] = 0, 0
	for r, b := range box {
		for n := b.low; n <= b.high; n++ {
			t.extend(t.fore[r+1], t.fore[r], n, t.levels[t.class[r]][n].least)
		}
	}
	for r := len(box) - 1; r >= 0; r-- {
		for n := box[r].low; n <= box[r].high; n++ {
			t.extend(t.after[r], t.after[r+1], n, t.levels[t.class[r]][n].least)
		}
	}
}

// extend adds a machine with load n to least sums.
func (t *levelTree) extend(to, from []int64, n int, g int64) {
	if g >= closed {
		return
	}
	for s, x := range from[:len(from)-n] {
		if x < closed {
			to[s+n] = min(to[s+n], bounded(x+g))
		}
	}
}

// bounded is the sum, or closed if it is so large that nothing takes it back below the bound.
func bounded(x int64) int64 {
	if x >= closed/2 {
		return closed
	}
	return x
}

// with is the least sum of g in which machine r has load n.
func (t *levelTree) with(r, n int) int64 {
	least := int64(closed)
	g := t.levels[t.class[r]][n].least
	for s := 0; s+n <= t.tasks; s++ {
		least = min(least, together(t.fore[r][s], t.after[r+1][t.tasks-s-n]))
	}
	return bounded(together(least, g))
}

// split splits the box by the load of a machine.
func (t *levelTree) split(s *Split, box []loadBox, step string) (low, high []loadBox, err error) {
	if s.Of >= len(box) || s.What != "load" {
		return nil, nil, refute(step, "expected the load of a machine, found %s of %d", quoted(s.What), s.Of)
	}
	low, high = slices.Clone(box), slices.Clone(box)
	low[s.Of].high, high[s.Of].low = min(low[s.Of].high, s.At), max(high[s.Of].low, s.At+1)
	if !t.order(low) {
		low = nil
	}
	if !t.order(high) {
		high = nil
	}
	return low, high, nil
}

// listed finds all loads of the box that may cost less than the bound at the last prices of the node, and verifies that each is listed with prices of
// places that show that it does not.
func (t *levelTree) listed(node *Node, box []loadBox, step string) error {
	if len(node.Prices) == 0 {
		return refute(step+".prices", "expected prices, or a split")
	}
	listed := map[string]*Loads{}
	for i := range node.Loads {
		l := &node.Loads[i]
		if len(l.At) != len(box) || len(l.Places) != len(box) {
			return refute(fmt.Sprintf("%s.loads[%d]", step, i), "expected %d loads and prices of places, found %d and %d", len(box), len(l.At), len(l.Places))
		}
		listed[fmt.Sprint(l.At)] = l
	}
	loads, steps := make([]int, len(box)), 64*(len(listed)+1)*len(box)
	var extend func(r, sum int, least int64) error
	extend = func(r, sum int, least int64) error {
		if r == len(box) {
			l := listed[fmt.Sprint(loads)]
			if l == nil {
				return refute(step+".loads", "the loads %v may cost less than the bound at the prices of the node, and are not listed", loads)
			}
			if !t.reachesTarget(l) {
				return refute(step+".loads", "the loads %v may cost less than the bound at the prices of their places", loads)
			}
			return nil
		}
		if steps--; steps < 0 {
			return refute(step+".loads", "many more loads are left than listed")
		}
		high := box[r].high
		if r > 0 && t.class[r] == t.class[r-1] {
			high = min(high, loads[r-1])
		}
		for n := box[r].low; n <= high && sum+n <= t.tasks; n++ {
			with := bounded(together(least, t.levels[t.class[r]][n].least))
			if together(with, t.after[r+1][t.tasks-sum-n]) >= t.target-t.base {
				continue
			}
			loads[r] = n
			if err := extend(r+1, sum+n, with); err != nil {
				return err
			}
		}
		return nil
	}
	return extend(0, 0, 0)
}

// reachesTarget says that the loads cost as much as the bound: whatever prices v its places have, an assignment costs at least Σ over tasks of the least
// (penalty − v) + Σ over places of v.
func (t *levelTree) reachesTarget(l *Loads) bool {
	sum := int64(0)
	places := make([]int64, len(l.At))
	for r, n := range l.At {
		places[r] = t.units.near(l.Places[r])
		sum += int64(n) * places[r]
	}
	for y := range t.tasks {
		least := int64(closed)
		for r, n := range l.At {
			if n > 0 {
				least = min(least, t.levels[t.class[r]][n].cost[y]-places[r])
			}
		}
		sum = bounded(sum + least) // closed from a task on that nothing can take
	}
	return sum >= t.target
}
