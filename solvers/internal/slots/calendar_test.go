package slots

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainFit is the earliest gap by a look at every slot.
func plainFit(list []*slot, from, length float64) float64 {
	for _, s := range list {
		if from < s.start && from+length <= s.start {
			return from
		}
		from = max(from, s.end)
	}
	return from
}

// valid checks the tree: order, neighbours, heap and widest gaps.
func valid(t *testing.T, c *calendar, list []*slot) {
	t.Helper()
	at, last := 0, (*slot)(nil)
	var walk func(n *slot) float64
	walk = func(n *slot) float64 {
		if n == nil {
			return math.Inf(-1)
		}
		widest := walk(n.left)
		if at >= len(list) || list[at] != n || n.before != last || last != nil && last.after != n {
			t.Fatalf("slot %d is not where it should be", n.number)
		}
		gap := n.start
		if last != nil {
			gap -= last.end
		}
		at, last = at+1, n
		widest = max(widest, gap, walk(n.right))
		for _, child := range []*slot{n.left, n.right} {
			if child != nil && child.rank() > n.rank() {
				t.Fatal("the tree is no heap")
			}
		}
		if n.widest != widest || n.gap != gap {
			t.Fatalf("slot %d: gap %v and widest %v, expected %v and %v", n.number, n.gap, n.widest, gap, widest)
		}
		return widest
	}
	if walk(c.root); at != len(list) || c.last != last {
		t.Fatalf("%d slots in the tree, expected %d", at, len(list))
	}
}

// A calendar of many slots finds the gap that a look at every slot finds, and its tree stays in order when slots come, go and move.
func TestCalendar(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c, list := &calendar{}, []*slot(nil)
		for k := range int64(600) {
			from, length := 400*rng.Float64(), rng.ExpFloat64()
			if seed%2 == 0 { // many ties and slots of no length
				from, length = math.Floor(from), float64(rng.IntN(4))
			}
			at := c.fit(from, length)
			if want := plainFit(list, from, length); at != want {
				t.Fatalf("seed %d: a gap of %v from %v on at %v, expected %v", seed, length, from, at, want)
			}
			s := &slot{start: at, end: at + length, planned: at, number: k, of: &task{length: length, began: math.NaN()}}
			c.insert(s)
			list = append(list, s)
			slices.SortFunc(list, func(a, b *slot) int {
				return cmp.Or(cmp.Compare(a.planned, b.planned), cmp.Compare(a.number, b.number))
			})
			switch n := rng.IntN(len(list)); rng.IntN(5) {
			case 0:
				after := list[n].after
				c.remove(list[n])
				list = slices.Delete(list, n, n+1)
				c.settle(after, 0, func(*slot) {})
			case 1:
				c.move(list[n], list[n].start, list[n].end+rng.Float64())
				c.settle(list[n].after, 0, func(*slot) {})
			}
			if k%20 == 0 {
				valid(t, c, list)
			}
		}
		valid(t, c, list)
		for k := 1; k < len(list); k++ {
			if list[k].start < list[k-1].end {
				t.Fatalf("seed %d: slots overlap", seed)
			}
		}
	}
}

// A calendar of 100,000 slots answers at once. With a scan of the gaps this takes minutes.
func TestCalendarIsFast(t *testing.T) {
	c := &calendar{}
	for k := range int64(100_000) {
		at := float64(2 * k)
		c.insert(&slot{start: at, end: at + 1, planned: at, number: k, of: &task{length: 1, began: math.NaN()}})
	}
	for range 100_000 {
		if got := c.fit(0, 1.5); got != 199_999 {
			t.Fatalf("%v, expected 199999", got)
		}
	}
}
