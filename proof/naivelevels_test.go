package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// This file decides what trees of loads prove in the plainest way: by all loads, one by one.

// served is a random batch of tasks on machines that are queues.
type served struct {
	in      *model.Instance
	class   []int         // by machine
	penalty [][][]float64 // by machine, load and task; a load that is not stable has none
	all     [][]int       // all loads that add up to the tasks and are stable
}

// batch draws an instance.
func batch(t testing.TB, rng *rand.Rand) *served {
	t.Helper()
	b, s := model.NewBuilder("batch").Minimise("qos_penalty", 1), &served{}
	n := 2 + rng.IntN(3)
	q := &model.QueueingSpec{Rate: float64(n) / 10, Period: 10, K: new(float64(rng.IntN(3)))}
	charged := rng.IntN(2) == 0
	if charged {
		q.Charge = "service"
	}
	b.Spec().Queueing = q
	type task struct{ work, cv, d, e float64 }
	tasks := make([]task, n)
	for y := range tasks {
		tasks[y] = task{1 + float64(rng.IntN(8)), float64(rng.IntN(3)) / 4, math.Inf(1), math.Inf(1)}
		j := model.JobSpec{ID: fmt.Sprint("y", y), Arrival: 2, Work: &tasks[y].work, WorkCV: tasks[y].cv}
		if rng.IntN(4) > 0 {
			tasks[y].d = float64(rng.IntN(8)) + 0.5
			j.Deadline = new(2 + tasks[y].d)
		}
		if rng.IntN(2) > 0 {
			tasks[y].e = 0.25 + rng.Float64()
			j.Budget = new(tasks[y].e)
		}
		b.Job(j)
	}
	cluster := model.ClusterSpec{ID: "c"}
	for g := range 1 + rng.IntN(3) {
		rate, arrival, service, speed, cost := 0.05+rng.Float64()/2, 1+3*rng.Float64(), 2*rng.Float64(), float64(1+rng.IntN(3)), rng.Float64()/4
		count := 1 + rng.IntN(2)
		cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("g", g), Count: count, Speed: speed, Cost: cost,
			Queue: &model.QueueSpec{ServiceRate: rate, ArrivalVariance: &arrival, ServiceVariance: &service}})
		for range count {
			levels := [][]float64{make([]float64, n)}
			for load := 1; load <= n && float64(load)/10 < rate; load++ {
				lambda := float64(load) / 10
				wait := (arrival + service) / 2 * lambda / (1 - lambda/rate)
				row := make([]float64, n)
				for y, k := range tasks {
					own := k.work / speed * (1 + *q.K*k.cv)
					paid := cost * (wait + own)
					if charged {
						paid = cost * own
					}
					row[y] = over(wait+own, k.d) + over(paid, k.e)
				}
				levels = append(levels, row)
			}
			s.class, s.penalty = append(s.class, g), append(s.penalty, levels)
		}
	}
	s.in = built(t, b.Cluster(cluster))
	loads := make([]int, len(s.class))
	var extend func(r, left int)
	extend = func(r, left int) {
		if r == len(loads) {
			if left == 0 {
				s.all = append(s.all, slices.Clone(loads))
			}
			return
		}
		for loads[r] = 0; loads[r] <= left && loads[r] < len(s.penalty[r]); loads[r]++ {
			extend(r+1, left-loads[r])
		}
	}
	extend(0, n)
	return s
}

// over is by what part a number exceeds a limit above 0, if there is one.
func over(x, limit float64) float64 {
	if math.IsInf(limit, 1) {
		return 0
	}
	return max(0, (x-limit)/limit)
}

// box is the limits of the loads.
type box [][2]int

// ordered tightens the limits of machines that are alike: the first carries the most. It returns false for a box that is empty.
func (s *served) ordered(b box) bool {
	for range b {
		for r := 1; r < len(b); r++ {
			if s.class[r] == s.class[r-1] {
				b[r-1][0], b[r][1] = max(b[r-1][0], b[r][0]), min(b[r][1], b[r-1][1])
			}
		}
	}
	return !slices.ContainsFunc(b, func(limits [2]int) bool { return limits[0] > limits[1] })
}

// rules are what is known of tasks at loads, by class and load: those that cannot be there, and those that have to be. A level that no allocation uses is
// dead.
type rules struct {
	out, sure [][][]bool
	dead      [][]bool
}

// copied is a copy of what is known.
func (k *rules) copied() *rules {
	own := &rules{}
	for c := range k.dead {
		var out, sure [][]bool
		for n := range k.dead[c] {
			out, sure = append(out, slices.Clone(k.out[c][n])), append(sure, slices.Clone(k.sure[c][n]))
		}
		own.out, own.sure, own.dead = append(own.out, out), append(own.sure, sure), append(own.dead, slices.Clone(k.dead[c]))
	}
	return own
}

// level is the tasks that may be chosen at a load by their cost at the prices, what those cost that have to be there, and how many more there are; false: the
// load is impossible.
func (s *served) level(r, n int, u []float64, k *rules) (rest []float64, sum float64, need int, ok bool) {
	need = n
	for y, x := range s.penalty[r][n] {
		switch {
		case math.IsInf(x, 1) || k.out[s.class[r]][n][y]:
		case k.sure[s.class[r]][n][y]:
			sum += x - u[y]
			need--
		default:
			rest = append(rest, x-u[y])
		}
	}
	slices.Sort(rest)
	return rest, sum, need, !k.dead[s.class[r]][n] && need >= 0 && len(rest) >= need
}

// g is what the n cheapest tasks cost on a machine.
func (s *served) g(r, n int, u []float64, k *rules) float64 {
	if n == 0 {
		return 0
	}
	rest, sum, need, ok := s.level(r, n, u, k)
	if !ok {
		return math.Inf(1)
	}
	for _, x := range rest[:need] {
		sum += x
	}
	return sum
}

// with is the least cost of all loads in the box with load n on machine r.
func (s *served) with(b box, r, n int, u []float64, k *rules) float64 {
	least := math.Inf(1)
	for _, loads := range s.all {
		sum, inside := 0.0, loads[r] == n
		for m, load := range loads {
			if inside = inside && b[m][0] <= load && load <= b[m][1]; !inside {
				break
			}
			sum += s.g(m, load, u, k)
		}
		if inside {
			least = min(least, sum)
		}
	}
	return least
}

// without is the goal less all prices.
func without(goal float64, u []float64) float64 {
	for _, x := range u {
		goal -= x
	}
	return goal
}

// narrowed takes loads off the box, from both ends, that cost as much as the goal; nil: nothing is left.
func (s *served) narrowed(b box, u []float64, goal float64, k *rules) box {
	b = slices.Clone(b)
	need := without(goal, u)
	for {
		if !s.ordered(b) {
			return nil
		}
		before := slices.Clone(b)
		for r := range b {
			for b[r][0] <= b[r][1] && s.with(before, r, b[r][0], u, k) >= need {
				b[r][0]++
			}
			for b[r][0] <= b[r][1] && s.with(before, r, b[r][1], u, k) >= need {
				b[r][1]--
			}
			if b[r][0] > b[r][1] {
				return nil
			}
		}
		if slices.Equal(b, before) {
			return b
		}
	}
}

// sieved learns which tasks can be at which load: a task that raises the cost to the goal cannot be there, or has to be there.
func (s *served) sieved(b box, u []float64, goal float64, k *rules) {
	need, before := without(goal, u), k.copied()
	for r := range b {
		if r > 0 && s.class[r] == s.class[r-1] {
			continue
		}
		for n := range s.penalty[r] {
			least := math.Inf(1)
			for m := range b {
				if s.class[m] == s.class[r] && b[m][0] <= n && n <= b[m][1] {
					least = min(least, s.with(b, m, n, u, before))
				}
			}
			room := need - least
			if math.IsInf(least, 1) || room <= 0 {
				k.dead[s.class[r]][n] = true
				continue
			}
			rest, _, more, ok := s.level(r, n, u, k)
			if !ok || more == 0 || n == 0 {
				continue
			}
			next := math.Inf(1)
			if more < len(rest) {
				next = rest[more]
			}
			out, sure := k.out[s.class[r]][n], k.sure[s.class[r]][n]
			for y, x := range s.penalty[r][n] {
				if v := x - u[y]; !out[y] && !sure[y] && !math.IsInf(x, 1) {
					out[y] = v >= rest[more-1] && v-rest[more-1] >= room
					sure[y] = !out[y] && v < next && next-v >= room
				}
			}
		}
	}
}

// begin is the box of all loads, and nothing known.
func (s *served) begin() (*rules, box) {
	k, root := &rules{}, make(box, len(s.class))
	for r := range s.class {
		root[r] = [2]int{0, len(s.penalty[r]) - 1}
		if r > 0 && s.class[r] == s.class[r-1] {
			continue
		}
		var out, sure [][]bool
		for range s.penalty[r] {
			out, sure = append(out, make([]bool, len(s.in.Jobs()))), append(sure, make([]bool, len(s.in.Jobs())))
		}
		k.out, k.sure, k.dead = append(k.out, out), append(k.sure, sure), append(k.dead, make([]bool, len(s.penalty[r])))
	}
	return k, root
}

// proves says whether the tree proves the goal.
func (s *served) proves(a *proof.Levels, goal float64) bool {
	k, root := s.begin()
	for _, p := range a.Root {
		if root = s.narrowed(root, a.Prices[p], goal, k); root == nil {
			return true
		}
		s.sieved(root, a.Prices[p], goal, k)
	}
	var closed func(node int, b box) bool
	closed = func(node int, b box) bool {
		at := &a.Nodes[node]
		for _, p := range at.Prices {
			if b = s.narrowed(b, a.Prices[p], goal, k); b == nil {
				return true
			}
		}
		if split := at.Split; split != nil {
			low, high := slices.Clone(b), slices.Clone(b)
			low[split.Of][1], high[split.Of][0] = min(low[split.Of][1], split.At), max(high[split.Of][0], split.At+1)
			return (!s.ordered(low) || closed(split.Low, low)) && (!s.ordered(high) || closed(split.High, high))
		}
		return s.listed(a, at, b, goal, k)
	}
	return closed(0, root)
}

// listed says whether each of the loads that are left is listed and costs as much as the goal by the prices of its places.
func (s *served) listed(a *proof.Levels, node *proof.Node, b box, goal float64, k *rules) bool {
	if len(node.Prices) == 0 {
		return false
	}
	u := a.Prices[node.Prices[len(node.Prices)-1]]
	need := without(goal, u)
	for _, loads := range s.all {
		sum, inside := 0.0, true
		for r, n := range loads {
			if inside = inside && b[r][0] <= n && n <= b[r][1] && (r == 0 || s.class[r] != s.class[r-1] || n <= loads[r-1]); inside {
				sum += s.g(r, n, u, k)
			}
		}
		if !inside || sum >= need {
			continue
		}
		i := slices.IndexFunc(node.Loads, func(l proof.Loads) bool { return slices.Equal(l.At, loads) })
		if i < 0 {
			return false
		}
		dual := 0.0
		for r, n := range loads {
			dual += float64(n) * node.Loads[i].Places[r]
		}
		for y := range u {
			least := math.Inf(1)
			for r, n := range loads {
				if n > 0 {
					least = min(least, s.penalty[r][n][y]-node.Loads[i].Places[r])
				}
			}
			dual += least
		}
		if dual < goal {
			return false
		}
	}
	return true
}

// Trees of loads prove what all loads, one by one, show.
func TestLevelsProveWhatTheyShould(t *testing.T) {
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
