package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/proof"
)

// Trees of loads prove what all loads, one by one, show.
func TestLevelsProveWhatTheyShould(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(4, 7)), tally{}
	for range race.Fewer(1000, 150) {
		s := batch(t, rng)
		if len(s.all) == 0 {
			continue
		}
		a := &proof.Levels{}
		for range 1 + rng.IntN(3) {
			list := make([]float64, len(s.in.Jobs()))
			for y := range list {
				list[y] = float64(rng.IntN(9)-2) * s.penalty[0][min(1, len(s.penalty[0])-1)][y] / 4
				if rng.IntN(3) == 0 {
					list[y] = float64(rng.IntN(5)) / 4
				}
			}
			a.Prices = append(a.Prices, list)
		}
		for range rng.IntN(3) {
			a.Root = append(a.Root, rng.IntN(len(a.Prices)))
		}
		s.grow(rng, a)
		s.narrows(t, rng, a, seen, 1e-6, func(goal float64) proof.LevelTree {
			tree, err := proof.NewLevelTree(t.Context(), s.in, a, goal)
			if err != nil {
				t.Fatal(err)
			}
			return tree
		})
		for _, goal := range around(func(goal float64) bool { return s.proves(a, goal) }) {
			want := proof.Refuted
			if s.proves(a, goal) {
				want = proof.Verified
			}
			if r := verdict(t.Context(), s.in, claim(s.in, "qos_penalty", goal, 0, &proof.Argument{Levels: a})); r.Verdict != want {
				t.Fatalf("goal %v of %v: %v, expected %s\n%+v\n%s", goal, s.least(), r, want, *a, written(s.in))
			}
			kind := string(want)
			if len(a.Nodes) > 1 {
				kind += ", split"
			}
			if len(a.Root) > 0 {
				kind += ", root"
			}
			if seen[kind]++; goal > s.least()*(1+1e-9) && want == proof.Verified {
				t.Fatalf("goal %v: verified, and %v is possible", goal, s.least())
			}
		}
	}
	for _, kind := range []string{"verified", "refuted", "verified, split", "refuted, split", "verified, root", "refuted, root", "verified, split, root", "refuted, split, root",
		"narrowed", "narrowed to nothing", "out", "sure", "dead"} {
		if seen[kind] < race.Fewer(20, 2) {
			t.Errorf("%s: the test says little: %v", kind, seen)
		}
	}
}

// The loads of machines that are alike do not rise, which sums of costs do not know. The search among them gives up after 64 steps for each machine and each of
// the loads listed, and one more.
func TestSearchesOfLoadsAreLimited(t *testing.T) {
	few, many := 0, 0
	for machines := 2; machines < 9; machines++ {
		for tasks := 1; tasks < 40; tasks++ {
			in := crowd(t, 1, 1, tasks)
			class, penalty := make([]int, machines), make([][][]float64, machines)
			levels := make([][]float64, tasks+1)
			for n := range levels {
				levels[n] = make([]float64, tasks)
			}
			for r := range penalty {
				penalty[r] = levels
			}
			steps, loads := 0, make([]int, machines)
			var extend func(r, left int) bool // to the first loads that are found
			extend = func(r, left int) bool {
				if r == machines {
					return true
				}
				if steps++; steps > 128*machines { // enough to know
					return true
				}
				for loads[r] = 0; loads[r] <= left && (r == 0 || loads[r] <= loads[r-1]); loads[r]++ {
					if (r < machines-1 || loads[r] == left) && extend(r+1, left-loads[r]) {
						return true
					}
				}
				return false
			}
			extend(0, tasks)
			a := &proof.Levels{Prices: [][]float64{make([]float64, tasks)}, Nodes: []proof.Node{{Prices: []int{0}}}}
			for listed := range 2 {
				want := fmt.Sprintf(".nodes[0].loads: the loads %v may cost less than the bound at the prices of the node, and are not listed", loads)
				if few++; steps > 64*machines*(listed+1) {
					want = ".nodes[0].loads: many more loads are left than listed"
					few--
					many++
				}
				if err := proof.NewExactLevelTree(t.Context(), in, a, class, penalty, 1).Verify(); err == nil || err.Error() != want {
					t.Errorf("%d machines, %d tasks, %d steps: %v, expected %s", machines, tasks, steps, err, want)
				}
				a.Nodes[0].Loads = []proof.Loads{{At: make([]int, machines), Places: make([]float64, machines)}} // other loads
			}
		}
	}
	if few < 100 || many < 50 {
		t.Errorf("%d and %d: the test says little", few, many)
	}
}

// Loads under which nothing can take some tasks cost more than any bound, however many these tasks are.
func TestLoadsThatNothingCanTake(t *testing.T) {
	for tasks := 2; tasks < 30; tasks += 2 {
		levels := make([][]float64, tasks+1)
		for n := range levels {
			for y := range tasks {
				levels[n] = append(levels[n], 0)
				if y >= tasks/2 {
					levels[n][y] = math.Inf(1) // so each machine takes half of the tasks at most, and both only the same ones
				}
			}
		}
		half := proof.Loads{At: []int{tasks / 2, tasks / 2}, Places: []float64{0, 0}}
		for _, listed := range []bool{true, false} {
			a := &proof.Levels{Prices: [][]float64{make([]float64, tasks)}, Nodes: []proof.Node{{Prices: []int{0}}}}
			if listed {
				a.Nodes[0].Loads = []proof.Loads{half}
			}
			tree := proof.NewExactLevelTree(t.Context(), crowd(t, 1, 1, tasks), a, []int{0, 1}, [][][]float64{levels, levels}, 1)
			if err := tree.Verify(); (err == nil) != listed {
				t.Errorf("%d tasks, listed: %v: %v", tasks, listed, err)
			}
		}
	}
}

// Where penalties and prices are whole numbers, many sums are alike and many reach the bound exactly. What costs as much as the bound is closed, and what
// costs 1 less is not.
func TestLevelsAtTheBoundItself(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(8, 7)), tally{}
	for range race.Fewer(1500, 200) {
		s := batch(t, rng)
		if len(s.all) == 0 {
			continue
		}
		most := 1 + rng.IntN(4)
		for r := range s.penalty {
			if r > 0 && s.class[r] == s.class[r-1] {
				s.penalty[r] = s.penalty[r-1]
				continue
			}
			for n := range s.penalty[r] {
				for y := range s.penalty[r][n] {
					if s.penalty[r][n][y] = float64(rng.IntN(most + 1)); n > 0 && rng.IntN(10) == 0 {
						s.penalty[r][n][y] = math.Inf(1)
					}
				}
			}
		}
		a := &proof.Levels{}
		for range 1 + rng.IntN(3) {
			list := make([]float64, len(s.in.Jobs()))
			for y := range list {
				list[y] = float64(rng.IntN(2*most) - 1)
			}
			a.Prices = append(a.Prices, list)
		}
		for range rng.IntN(4) {
			a.Root = append(a.Root, rng.IntN(len(a.Prices)))
		}
		s.grow(rng, a)
		for k := range a.Nodes {
			for i := range a.Nodes[k].Loads {
				for r := range a.Nodes[k].Loads[i].Places {
					a.Nodes[k].Loads[i].Places[r] = float64(rng.IntN(4)*rng.IntN(2) - 1)
				}
			}
		}
		treeOf := func(goal float64) proof.LevelTree {
			return proof.NewExactLevelTree(t.Context(), s.in, a, s.class, s.penalty, goal)
		}
		s.narrows(t, rng, a, seen, float64(rng.IntN(3)), treeOf)
		proved := true
		for goal := float64(0); proved && goal < 100; goal++ { // the greatest bound that is proved, and the next
			proved = s.proves(a, goal)
			if err := treeOf(goal).Verify(); (err == nil) != proved {
				t.Fatalf("goal %v: %v, proved: %v\n%+v\npenalties %v of classes %v", goal, err, proved, *a, s.penalty, s.class)
			}
			seen[fmt.Sprint("proved ", proved, ", nodes ", len(a.Nodes))]++
		}
	}
	for _, kind := range []string{"proved true, nodes 1", "proved false, nodes 1", "proved true, nodes 3", "proved false, nodes 3", "proved true, nodes 5", "proved false, nodes 5",
		"narrowed", "narrowed to nothing", "out", "sure", "dead"} {
		if seen[kind] < race.Fewer(20, 2) {
			t.Errorf("%s: the test says little: %v", kind, seen)
		}
	}
}

// narrows compares what prices leave of a box, and what is learned of tasks at loads, at a bound that is above the cost of some loads by the given number.
func (s *served) narrows(t *testing.T, rng *rand.Rand, a *proof.Levels, seen tally, above float64, treeOf func(goal float64) proof.LevelTree) {
	for range 3 {
		k, b := s.begin()
		u := a.Prices[rng.IntN(len(a.Prices))]
		goal, loads := above, s.all[rng.IntN(len(s.all))]
		for y := range u {
			goal += u[y]
		}
		for r, n := range loads {
			goal += s.g(r, n, u, k)
		}
		if !(goal > 1e-3 && goal < 1e3) { // a goal is above 0
			continue
		}
		for r := range b {
			if rng.IntN(3) == 0 {
				b[r][0] = rng.IntN(b[r][1] + 1)
				b[r][1] -= rng.IntN(b[r][1] - b[r][0] + 1)
			}
		}
		tree := treeOf(goal)
		for range 1 + rng.IntN(3) {
			p := rng.IntN(len(a.Prices))
			left := tree.Narrow(p, b)
			want := s.narrowed(b, a.Prices[p], goal, k)
			if (left == nil) != (want == nil) || !slices.Equal(left, want) {
				t.Fatalf("%v is narrowed to %v, expected %v: goal %v, prices %v\n%s", b, left, want, goal, a.Prices[p], written(s.in))
			}
			if seen["narrowed"]++; left == nil {
				seen["narrowed to nothing"]++
				break
			}
			b = want
			tree.Sieve(b)
			s.sieved(b, a.Prices[p], goal, k)
			for class := range k.dead {
				for n, dead := range k.dead[class] {
					for y := range u {
						isOut, isSure, isDead := tree.Known(class, n, y)
						out := k.out[class][n][y] || math.IsInf(s.penalty[slices.Index(s.class, class)][n][y], 1)
						if isDead != dead || !dead && (isOut != out || isSure != k.sure[class][n][y]) {
							t.Fatalf("load %d of class %d, task %d: out %v, sure %v, dead %v, expected %v, %v, %v: goal %v, prices %v, box %v\n%s", n, class, y, isOut, isSure, isDead,
								out, k.sure[class][n][y], dead, goal, a.Prices[p], b, written(s.in))
						}
						for kind, is := range map[string]bool{"out": isOut, "sure": isSure, "dead": isDead} {
							if is {
								seen[kind]++
							}
						}
					}
				}
			}
		}
	}
}

// grow adds a tree of up to three leaves. Nodes have up to two lists of prices; one without any is closed only where its box holds nothing. Some leaves
// list all loads with random prices of their places.
func (s *served) grow(rng *rand.Rand, a *proof.Levels) {
	prices := func() (list []int) {
		for range min(2, rng.IntN(5)) {
			list = append(list, rng.IntN(len(a.Prices)))
		}
		return list
	}
	a.Nodes = []proof.Node{{Prices: prices()}}
	for node := 0; node < len(a.Nodes) && len(a.Nodes) < 5; node++ {
		if rng.IntN(2) == 0 {
			a.Nodes[node].Split = &proof.Split{Of: rng.IntN(len(s.class)), What: "load", At: rng.IntN(len(s.in.Jobs()) + 1), Low: len(a.Nodes), High: len(a.Nodes) + 1}
			a.Nodes = append(a.Nodes, proof.Node{Prices: prices()}, proof.Node{Prices: prices()})
		}
	}
	for node := range a.Nodes {
		if a.Nodes[node].Split != nil || rng.IntN(2) == 0 {
			continue
		}
		for _, loads := range s.all {
			if rng.IntN(30) == 0 {
				continue
			}
			places := make([]float64, len(loads))
			for r := range places {
				places[r] = float64(rng.IntN(4)*rng.IntN(2)-1) / 16
			}
			a.Nodes[node].Loads = append(a.Nodes[node].Loads, proof.Loads{At: loads, Places: places})
		}
	}
}

// least is the least penalty of all assignments.
func (s *served) least() float64 {
	least, n := math.Inf(1), len(s.in.Jobs())
	at := make([]int, n)
	var try func(y int)
	try = func(y int) {
		if y < n {
			for at[y] = range s.class {
				try(y + 1)
			}
			return
		}
		loads, sum := make([]int, len(s.class)), 0.0
		for _, r := range at {
			loads[r]++
		}
		for k, r := range at {
			if loads[r] >= len(s.penalty[r]) {
				return
			}
			sum += s.penalty[r][loads[r]][k]
		}
		least = min(least, sum)
	}
	try(0)
	return least
}
