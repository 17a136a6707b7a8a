package proof

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
)

// Error is the error of a step that fails.
type Error = stepError

// CountTree is a tree of boxes of counts whose boxes tests may narrow.
type CountTree struct{ tree *countTree }

// NewCountTree is the tree of the argument for the goal.
func NewCountTree(ctx context.Context, in *model.Instance, a *Counts, goal float64) (CountTree, error) {
	tree, _, err := newFacts(ctx, in).countTree(a, number(goal), "")
	return CountTree{tree}, err
}

// Narrow is what the prices leave of a box: by cluster the least and most jobs, the lowest and highest bucket; nil: nothing.
func (t CountTree) Narrow(prices int, box [][4]int) (left [][4]int, err error) {
	var own []countBox
	for _, b := range box {
		own = append(own, countBox{b[0], b[1], b[2], b[3]})
	}
	own, err = t.tree.narrow(prices, own, "")
	for _, b := range own {
		left = append(left, [4]int{b.least, b.most, b.low, b.high})
	}
	return left, err
}

// Split splits a box; a part that holds nothing is nil.
func (t CountTree) Split(s *Split, box [][4]int) (low, high [][4]int, err error) {
	var own []countBox
	for _, b := range box {
		own = append(own, countBox{b[0], b[1], b[2], b[3]})
	}
	first, second, err := t.tree.split(s, own, "")
	for _, b := range first {
		low = append(low, [4]int{b.least, b.most, b.low, b.high})
	}
	for _, b := range second {
		high = append(high, [4]int{b.least, b.most, b.low, b.high})
	}
	return low, high, err
}

// LevelTree is a tree of boxes of loads whose boxes tests may narrow, and whose levels they may sieve.
type LevelTree struct{ tree *levelTree }

// NewLevelTree is the tree of the argument for the goal.
func NewLevelTree(ctx context.Context, in *model.Instance, a *Levels, goal float64) (LevelTree, error) {
	tree, _, err := newFacts(ctx, in).levelTree(a, number(goal), "")
	return LevelTree{tree}, err
}

// NewExactLevelTree is the tree for penalties that are whole numbers or infinite, by machine, load and task, on machines of the given classes. Prices and goals
// are whole numbers too, so that nothing is rounded.
func NewExactLevelTree(ctx context.Context, in *model.Instance, a *Levels, class []int, penalty [][][]float64, goal float64) LevelTree {
	q := &queues{facts: newFacts(ctx, in), class: class}
	t := &levelTree{queues: q, a: a, tasks: len(in.Jobs()), target: int64(goal)}
	for r, c := range class {
		if c == len(q.classes) {
			q.classes = append(q.classes, queueClass{first: r, most: len(penalty[r]) - 1})
			levels := make([]level, len(penalty[r]))
			for n := range levels {
				for _, x := range penalty[r][n] {
					cost := int64(closed)
					if !math.IsInf(x, 1) {
						cost = int64(x)
					}
					levels[n].cost = append(levels[n].cost, cost)
				}
			}
			t.levels = append(t.levels, levels)
		}
		q.classes[c].machines++
	}
	t.root()
	return LevelTree{t}
}

// Verify is the error of the root and the tree below it.
func (t LevelTree) Verify() error { return t.tree.verify(t.tree.root()) }

// Narrow is what the prices leave of a box: by machine the least and the largest load; nil: nothing.
func (t LevelTree) Narrow(prices int, box [][2]int) (left [][2]int) {
	var own []loadBox
	for _, b := range box {
		own = append(own, loadBox{b[0], b[1]})
	}
	for _, b := range t.tree.narrowed(prices, own) {
		left = append(left, [2]int{b.low, b.high})
	}
	return left
}

// Sieve learns from the last narrowing, which left the box.
func (t LevelTree) Sieve(box [][2]int) {
	var own []loadBox
	for _, b := range box {
		own = append(own, loadBox{b[0], b[1]})
	}
	t.tree.sieve(own)
}

// Known is what is known of a task at a load of a class of machines: it cannot be there, or is so dear that it is left out; or it has to be there; and whether
// no allocation uses the load.
func (t LevelTree) Known(class, load, task int) (out, sure, dead bool) {
	l := &t.tree.levels[class][load]
	return l.out != nil && (l.out[task] || l.cost[task] >= closed), l.sure != nil && l.sure[task], l.dead
}
