package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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

// level returns what the tasks that may be chosen at a load cost at the prices, ascending; what the tasks that have to be there cost together; and how many
// more tasks the load needs. It returns false if the load is impossible.
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

// narrowed takes loads off both ends of the box as long as each allocation with them costs at least the goal; nil: nothing is left.
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
