package proof_test

import (
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// This file computes what prices of processor time prove of power in the plainest way: a unit of time after the other, every start, every way of a machine.

// naivePower is an instance whose times are whole units from the begin of the horizon on.
type naivePower struct {
	in      *model.Instance
	unit    float64
	weights map[string]float64
	length  int
	prices  [][]float64 // by cluster and unit
	priced  bool        // the objective counts what is left out
	owed    int         // jobs that no schedule can place
}

// fraction is the exact value of a number.
func fraction(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// units is the number of units of a time.
func (n *naivePower) units(time float64) int { return int(time/n.unit + 0.5) }

// held is the value of a step function at the begin of a unit.
func (n *naivePower) held(list []model.Step, period float64, unit int) float64 {
	from, _, _ := n.in.Horizon()
	at := from + float64(unit)*n.unit
	for period > 0 && at < list[0].Time {
		at += period
	}
	for period > 0 && at >= list[0].Time+period {
		at -= period
	}
	value := list[0].Value
	for _, s := range list {
		if s.Time <= at {
			value = s.Value
		}
	}
	return value
}

// rate is what a unit of power costs on a cluster in a unit of time.
func (n *naivePower) rate(c, unit int) *big.Rat {
	tariff := n.in.Clusters()[c].Tariff
	sum := fraction(n.weights["energy"])
	for metric, list := range map[string][]model.Step{"energy_cost": tariff.Price, "carbon": tariff.Carbon} {
		if w := n.weights[metric]; w > 0 {
			x := new(big.Rat).Mul(fraction(w), fraction(n.held(list, tariff.Period, unit)))
			sum.Add(sum, x.Quo(x, fraction(tariff.Per)))
		}
	}
	return sum.Mul(sum, fraction(n.unit))
}

// proves is what the prices prove; nil: nothing.
func (n *naivePower) proves() *big.Rat {
	total := new(big.Rat)
	for j := range n.in.Jobs() {
		if n.never(j) {
			if !n.priced || !n.hard(j) {
				n.owed++
			}
			continue
		}
		least := n.job(j)
		switch {
		case n.priced && n.hard(j) && (least == nil || least.Sign() >= 0): // no job waits for one with a hard deadline
		case least == nil:
			return nil
		default:
			total.Add(total, least)
		}
	}
	for c := range n.in.Clusters() {
		for g := range n.in.Clusters()[c].Machines {
			m := &n.in.Clusters()[c].Machines[g]
			least := n.machine(c, m, 0, m.Power.Begin, false)
			if least == nil {
				return nil
			}
			total.Add(total, least.Mul(least, big.NewRat(int64(m.Count), 1)))
		}
	}
	return total
}

// hard says whether the job has a hard deadline.
func (n *naivePower) hard(j int) bool {
	return n.in.Jobs()[j].DeadlineHard && n.in.Jobs()[j].HasDeadline()
}

// by is the unit by which the job has to end, for its own sake.
func (n *naivePower) by(j int) int {
	if from, _, _ := n.in.Horizon(); n.hard(j) {
		return min(n.length, int(math.Floor((n.in.Jobs()[j].Deadline-from)/n.unit+0.001)))
	}
	return n.length
}

// never says that no schedule places the job.
func (n *naivePower) never(j int) bool {
	from, _, _ := n.in.Horizon()
	return n.units(n.head(j)-from)+n.units(n.shortest(j)) > n.by(j) || slices.ContainsFunc(n.in.Jobs()[j].After, n.never)
}

// last is the unit by which the job has to end, also for the sake of those that wait for it and have to be placed.
func (n *naivePower) last(j int) int {
	last := n.by(j)
	for k := range n.in.Jobs() {
		if slices.Contains(n.in.Jobs()[k].After, j) && !n.never(k) && !(n.priced && n.hard(k)) {
			last = min(last, n.last(k)-n.units(n.shortest(k)))
		}
	}
	return last
}

// job is what a job costs and pays at least, over clusters, numbers of processors, powers and starts.
func (n *naivePower) job(j int) (least *big.Rat) {
	in, job := n.in, &n.in.Jobs()[j]
	from, _, _ := in.Horizon()
	for c := range in.Clusters() {
		if !in.CanRun(j, c) {
			continue
		}
		fewest, most := in.Width(j, c)
		for width := fewest; width <= min(most, in.Clusters()[c].Processors); width++ {
			length := n.units(in.DurationOn(j, c, width))
			for start := n.units(max(from, n.head(j)) - from); start+length <= n.last(j); start++ {
				var powers []float64
				for g := range in.Clusters()[c].Machines {
					powers = append(powers, in.Clusters()[c].Machines[g].Power.Busy)
				}
				if own, stated := job.Power(); stated {
					powers = []float64{own}
				}
				for _, power := range powers {
					cost := new(big.Rat)
					for t := start; t < start+length; t++ {
						x := new(big.Rat).Mul(n.rate(c, t), fraction(power))
						x.Add(x, new(big.Rat).Mul(fraction(n.prices[c][t]), fraction(n.unit)))
						cost.Add(cost, x.Mul(x, big.NewRat(int64(width), 1)))
					}
					if cost.Add(cost, n.waits(j, start, length)); least == nil || cost.Cmp(least) < 0 {
						least = cost
					}
				}
			}
		}
	}
	return least
}

// head is the earliest start of a job.
func (n *naivePower) head(j int) float64 {
	head := n.in.Jobs()[j].Arrival
	for _, before := range n.in.Jobs()[j].After {
		head = max(head, n.head(before)+n.shortest(before))
	}
	return head
}

// shortest is the least time that a job takes.
func (n *naivePower) shortest(j int) float64 {
	shortest := math.Inf(1)
	for c := range n.in.Clusters() {
		if fewest, most := n.in.Width(j, c); n.in.CanRun(j, c) {
			for width := fewest; width <= min(most, n.in.Clusters()[c].Processors); width++ {
				shortest = min(shortest, n.in.DurationOn(j, c, width))
			}
		}
	}
	return shortest
}

// waits is what start and end of a job cost.
func (n *naivePower) waits(j, start, length int) *big.Rat {
	from, _, _ := n.in.Horizon()
	job, jobs := &n.in.Jobs()[j], float64(len(n.in.Jobs()))
	begin := from + float64(start)*n.unit
	end := begin + float64(length)*n.unit
	sum := new(big.Rat)
	add := func(weight, time, over float64) {
		x := new(big.Rat).Mul(fraction(weight), fraction(time))
		sum.Add(sum, x.Quo(x, fraction(over)))
	}
	add(n.weights["mean_wait"], begin-job.Arrival, jobs)
	add(n.weights["mean_response"], end-job.Arrival, jobs)
	if job.HasDeadline() {
		add(n.weights["over_deadline"], max(0, end-job.Deadline), 1)
	}
	return sum
}

// machine is what a machine costs at least from a time and a state on; nil: it cannot be in its last state.
func (n *naivePower) machine(c int, m *model.Machine, at, state int, switched bool) (least *big.Rat) {
	offer := func(cost, rest *big.Rat) {
		if rest == nil {
			return
		}
		if cost.Add(cost, rest); least == nil || cost.Cmp(least) < 0 {
			least = cost
		}
	}
	over := func(power float64, from, to int) *big.Rat {
		cost := new(big.Rat)
		for t := from; t < to; t++ {
			cost.Add(cost, new(big.Rat).Mul(n.rate(c, t), fraction(power)))
		}
		return cost
	}
	if at == n.length && state == m.Power.End {
		least = new(big.Rat)
	}
	if at < n.length {
		power := m.Power.Idle
		if state != model.On {
			power = m.Power.Off[state].Power
		}
		cost := over(power, at, at+1)
		if state == model.On {
			earned := new(big.Rat).Mul(fraction(n.prices[c][at]), fraction(n.unit))
			cost.Sub(cost, earned.Mul(earned, big.NewRat(int64(m.Units), 1)))
		}
		offer(cost, n.machine(c, m, at+1, state, false))
	}
	for s := range m.Power.Off {
		way, next := m.Power.Off[s].Down, s
		if state == s {
			way, next = m.Power.Off[s].Up, model.On
		} else if state != model.On {
			continue
		}
		length := n.units(way.Time)
		if at+length <= n.length && !(length == 0 && switched && state != model.On) { // down and up at once, in no time, is no use
			offer(over(way.Power, at, at+length), n.machine(c, m, at+length, next, length == 0))
		}
	}
	return least
}

// Prices prove exactly what the plain sum says, and no more.
func TestPowerPricesProveWhatThePlainSumSays(t *testing.T) {
	race.OneGoroutine(t)
	objectives := []map[string]float64{{"energy": 1}, {"energy_cost": 1}, {"carbon": 1}, {"energy_cost": 0.5, "carbon": 2}, {"energy": 1, "mean_wait": 0.25}, {"energy_cost": 1, "mean_response": 0.5, "over_deadline": 3}}
	compared, together := 0, 0
	for seed := range race.Fewer(uint64(1200), 100) {
		rng := rand.New(rand.NewPCG(seed, 717))
		plain, unit := modeltest.TinyPower(rng)
		n := &naivePower{unit: unit, weights: objectives[rng.IntN(len(objectives))]}
		objective := maps.Clone(n.weights)
		if n.priced = rng.IntN(2) == 0; n.priced {
			objective["unfinished"] = 1e-3
		}
		in, err := plain.WithObjective(objective)
		if err != nil {
			t.Fatal(err)
		}
		n.in = in
		if slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return !c.Uniform }) {
			continue
		}
		from, to, _ := in.Horizon()
		n.length = n.units(to - from)
		by := &proof.PowerPrices{Times: []float64{0}, Cells: n.length * (1 + rng.IntN(2))}
		if rng.IntN(3) == 0 {
			by.Cells = 1 + rng.IntN(3*n.length)
		}
		for k := 1; k < n.length; k++ {
			if rng.IntN(2) == 0 {
				by.Times = append(by.Times, float64(k)*unit)
			}
		}
		for range in.Clusters() {
			row := make([]float64, len(by.Times))
			for k := range row {
				row[k] = float64(rng.IntN(6)*rng.IntN(2)) / 4
			}
			by.Clusters = append(by.Clusters, row)
			units := make([]float64, n.length)
			for k := range units {
				at, _ := slices.BinarySearch(by.Times, float64(k)*unit+unit/2)
				units[k] = row[at-1]
			}
			n.prices = append(n.prices, units)
		}
		exact := n.proves()
		if exact == nil {
			continue
		}
		value, whole := exact.Float64()
		part := proof.Part{Metric: "energy_cost", Bound: value, By: &proof.Argument{PowerPrices: by}}
		for metric := range n.weights {
			part.Metric = metric
		}
		if part.Sum = n.weights; len(n.weights) == 1 {
			part.Sum = nil
		} else if together++; part.Metric == "" {
			t.Fatal("no metric")
		}
		c := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Owed: n.owed}
		size := 0.0
		for _, x := range []float64{value, 1} {
			size = max(size, x, -x)
		}
		for _, more := range []float64{-1e-12 * size, 0, 1e-12 * size} {
			if by.Cells%n.length > 0 && more <= 0 {
				continue // such cells prove that much or less
			}
			if more == 0 && !whole {
				continue // it is no float64
			}
			part.Bound = value + more
			c.Bound, c.Parts = model.ProvedBound(part.Bound), []proof.Part{part}
			report := proof.Check(t.Context(), in, c)
			if report.Verdict == proof.NotCertified {
				continue
			}
			if compared++; (report.Verdict == proof.Verified) != (more <= 0 || part.Bound <= 0 && part.Sum == nil && !in.MayBeNegative(part.Metric)) {
				t.Fatalf("seed %d: %v ≥ %v, and %v is proved: %+v\n%+v", seed, n.weights, part.Bound, value, report, in.Spec())
			}
		}
	}
	t.Logf("%d compared, %d of them of sums", compared, together)
	if compared < race.Fewer(1500, 50) || together < race.Fewer(200, 5) {
		t.Errorf("only %d compared, %d of sums", compared, together)
	}
}
