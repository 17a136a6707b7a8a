package unrelated

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/race"
)

// never does not stop a search.
func never() bool { return false }

// cheapestPairs finds the cheapest columns among all pairs of subsets, and list leaves out no subset within its limit of cost.
func TestUnrelatedColumnsAreTheCheapest(t *testing.T) {
	found := 0
	rapid.Check(t, func(r *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 5))
		flips := make([]flip, 1+rng.IntN(9))
		for j := range flips {
			flips[j] = flip{int32(j), rng.Float64()*2 - 1, rng.Float64()}
		}
		eighths := rng.IntN(2) == 0 // some subsets fill the machine exactly
		if eighths {
			for j := range flips {
				flips[j].load, flips[j].cost = math.Round(flips[j].load*8)/8, math.Ceil(flips[j].cost*8)/8
			}
		}
		slices.SortFunc(flips, func(a, b flip) int { return cmp.Compare(a.cost, b.cost) })
		var c columns
		c.list(flips)
		need, price, most, keep := rng.Float64()*2-1, rng.Float64()*3, rng.Float64()*4, 1+rng.IntN(5)
		if eighths {
			need = math.Round(need*8) / 8
		}
		c.cheapestPairs(need, price, math.Inf(1), most, keep)
		var want []float64
		for set := range uint32(1) << len(flips) {
			load, cost := 0.0, [2]float64{}
			for left := set; left != 0; left &= left - 1 {
				j := bits.TrailingZeros32(left)
				load += flips[j].load
				cost[j%2] += flips[j].cost
			}
			if total := cost[0] + cost[1] + price*(need-load); load <= need && total < most {
				want = append(want, total)
			}
		}
		slices.Sort(want)
		want = want[:min(len(want), keep)]
		if len(c.found) != len(want) {
			r.Fatalf("%d columns, expected %d", len(c.found), len(want))
		}
		for x, column := range c.found {
			load, cost := 0.0, 0.0
			c.flipped(column, func(f flip) { load, cost = load+f.load, cost+f.cost })
			if math.Abs(column.cost-want[x]) > 1e-9 || math.Abs(cost+price*(need-load)-want[x]) > 1e-9 {
				r.Fatalf("column %d costs %v, by its flips %v, expected %v", x, column.cost, cost+price*(need-load), want[x])
			}
			found++
		}
	})
	if found < 20 {
		t.Errorf("%d columns: the test proves nothing", found)
	}
}

// beamProblem is a random matrix for a beam search. A consistent one has its rows sorted.
func beamProblem(t testing.TB, seed uint64, jobs, machines int, consistent bool) *problem {
	rng := rand.New(rand.NewPCG(seed, 6))
	rows := make([][]float64, jobs)
	for j := range rows {
		base := 1 + 2999*rng.Float64()
		for range machines {
			rows[j] = append(rows[j], base*(1+9*rng.Float64()))
		}
		if consistent {
			slices.Sort(rows[j])
		}
	}
	in := TimesInstance(t, slices.Repeat([]int{1}, machines), rows)
	return newProblem(t.Context(), in, CompletionStart(in))
}

// The score of a partial schedule is the one of its jobs left computed afresh. Its machines keep their limits, and a finished search has placed all jobs.
func TestUnrelatedBeamScoresAddUp(t *testing.T) {
	p, rng, within := beamProblem(t, 1, 150, 6, false), kit.SplitMix(3), 0
	b := newBeam(p, 1.02, 20, &rng)
	first := slices.Clone(b.future.limit)
	fresh := make([]float64, len(p.clusterOf))
	for !b.done() {
		if _, ok := b.step(never); !ok {
			t.Fatal("the search fails")
		}
		for x := range b.next {
			s, machine := &b.next[x], b.order[len(b.levels)-1]
			score := b.rest(appendLeft(nil, s), fresh)
			if !b.last() {
				score += b.future.bend(fresh)
			}
			if math.Abs(score-s.score) > 1e-6*(1+math.Abs(score)) {
				t.Fatalf("level %d: score %v, afresh %v", len(b.levels), s.score, score)
			}
			load := 0.0
			before := &b.levels[len(b.levels)-1][s.parent]
			for _, k := range appendLeft(nil, before) {
				if s.left[k>>6]>>(k&63)&1 == 0 {
					load += p.weighted(int(k), int(machine))
				}
			}
			if limit := b.future.limit[machine]; load > limit+1e-12 || load < 0.994*limit {
				t.Fatalf("level %d: machine %d has load %v, its limit is %v", len(b.levels), machine, load, limit)
			}
		}
		if b.at > 0 {
			continue
		}
		kept := map[string]bool{}
		for _, s := range b.levels[len(b.levels)-1] {
			kept[fmt.Sprint(s.left)] = true
		}
		if n := len(b.levels[len(b.levels)-1]); n > b.width || n != len(kept) {
			t.Fatalf("level %d keeps %d partial schedules, %d of them different", len(b.levels)-1, n, len(kept))
		}
	}
	load := make([]float64, len(first))
	for k, i := range b.schedule() {
		load[i] += p.weighted(k, int(i))
	}
	for x, i := range b.order {
		if load[i] <= b.future.limit[i]+1e-9 {
			within++
		} else if x < len(b.order)-1 {
			t.Errorf("machine %d, number %d of the order, has load %v, its limit is %v", i, x, load[i], b.future.limit[i])
		}
	}
	if gap := p.makespan(b.schedule(), load)/p.unit - 1; within < len(load) || gap > 0.03 {
		t.Errorf("%d machines are within their limits, the schedule is %v above the bound", within, gap)
	}
}

// The estimate of the number of schedules within given loads comes near the number itself, by enumeration.
func TestUnrelatedCompletionsAreNearlyCounted(t *testing.T) {
	ratios, compared := 0.0, 0
	for seed := range uint64(12) {
		p := beamProblem(t, 100+seed, 11, 3, false)
		const aim = 1.3
		e := completions{p: p, machines: []int32{0, 1, 2}, limit: make([]float64, 3), mu: make([]float64, 3), share: slices.Repeat([]float64{1}, 11),
			value: make([]float64, 11), load: make([]float64, 33)}
		for i := range 3 {
			e.limit[i], e.mu[i] = p.price[i]*aim, firstMu(p)
		}
		if _, ok := e.fit(math.Inf(-1), never); !ok {
			t.Fatal("no saddle point")
		}
		number := 0
		var place func(k int, l [3]float64)
		place = func(k int, l [3]float64) {
			for i := range l {
				if l[i] > e.limit[i] {
					return
				}
			}
			if k == 11 {
				number++
				return
			}
			for i := range l {
				with := l
				with[i] += p.weighted(k, i)
				place(k+1, with)
			}
		}
		place(0, [3]float64{})
		if number < 20 {
			continue
		}
		ratios += e.count - math.Log(float64(number))
		compared++
	}
	mean := ratios / float64(compared)
	t.Logf("%d compared: the mean logarithm is off by %.2f", compared, mean)
	if compared < 6 || math.Abs(mean) > 0.5 {
		t.Errorf("%d compared: the mean logarithm is off by %.2f", compared, mean)
	}
}

// The matrix that invert inverts times its result is the identity.
func TestUnrelatedInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for n := 1; n < 8; n++ {
		m := make([]float64, n*n)
		for u := range n {
			for l := range u {
				m[u*n+l] = rng.Float64() - 0.5
				m[l*n+u] = m[u*n+l]
			}
			m[u*n+u] = float64(n)
		}
		inverse, logDet := invert(slices.Clone(m), n, nil)
		for u := range n {
			for l := range n {
				sum := 0.0
				for x := range n {
					sum += m[u*n+x] * inverse[x*n+l]
				}
				if want := map[bool]float64{true: 1}[u == l]; math.Abs(sum-want) > 1e-9 {
					t.Fatalf("row %d, column %d of the product: %v", u, l, sum)
				}
			}
		}
		if n == 2 && math.Abs(logDet-math.Log(m[0]*m[3]-m[1]*m[2])) > 1e-12 {
			t.Errorf("logarithm of the determinant %v", logDet)
		}
	}
}

// A beam search makes as many evaluations as it is asked for, whatever the portions, and what it finds does not depend on them.
func TestUnrelatedBeamPortions(t *testing.T) {
	p := beamProblem(t, 2, 200, 5, false)
	start := make([]int32, len(p.jobs))
	whole, parts := newChain(p, start, 1, 0), newChain(p, start, 1, 0)
	if !whole.widens {
		t.Fatal("the chain runs no beam searches")
	}
	const evaluations = 2_000_000
	if made := whole.advance(evaluations, never); made != evaluations {
		t.Fatalf("%d evaluations, expected %d", made, evaluations)
	}
	for left := int64(evaluations); left > 0; left -= 125_000 {
		if made := parts.advance(125_000, never); made != 125_000 {
			t.Fatalf("%d evaluations, expected 125000", made)
		}
	}
	if whole.misses == 0 || whole.cycles == 0 {
		t.Errorf("%d misses, %d cycles: the test proves nothing", whole.misses, whole.cycles)
	}
	if whole.best > 1.05*p.unit || parts.best > 1.05*p.unit {
		t.Errorf("makespans %v and %v, the bound is %v", whole.best, parts.best, p.unit)
	}
	for _, c := range []*chain{whole, parts} {
		if found := p.makespan(c.bestAt, c.scratch); found != c.best {
			t.Errorf("best %v, its schedule %v", c.best, found)
		}
	}
}

// A schedule that reaches the aim calls for the next beam search at once; one that misses it, or is no better than the best, for annealing.
func TestUnrelatedBeamLands(t *testing.T) {
	p := beamProblem(t, 4, 200, 5, false)
	at := p.start(t.Context())
	gap := p.makespan(at, make([]float64, 5))/p.unit - 1
	reached, missed := newChain(p, make([]int32, len(p.jobs)), 1, 0), newChain(p, make([]int32, len(p.jobs)), 1, 0)
	reached.land(at, 1+gap)
	if reached.misses != 0 || reached.cycle.left != 0 || reached.gap(reached.best) != gap {
		t.Errorf("reached: %d misses, a cycle of %d, %v above the bound, expected %v", reached.misses, reached.cycle.left, reached.gap(reached.best), gap)
	}
	missed.land(at, 1+gap/2)
	if missed.misses != 1 || missed.cycle.left != refitFirst || missed.gap(missed.best) != gap {
		t.Errorf("missed: %d misses, a cycle of %d, %v above the bound, expected %v", missed.misses, missed.cycle.left, missed.gap(missed.best), gap)
	}
	regret := -1.0
	for _, load := range missed.load {
		regret += load
	}
	if want := 1 + regret + 0.1*gap; math.Abs(missed.cycle.aim-want) > 1e-9 || want >= 1+gap {
		t.Errorf("the annealing aims at %v, expected %v", missed.cycle.aim, want)
	}
}

// A beam search that is told to stop does so within a step, and leaves the chain whole.
func TestUnrelatedBeamStops(t *testing.T) {
	p := beamProblem(t, 3, 300, 12, false)
	asked := 0
	for limit := 1; limit < 400; limit = limit*3/2 + 1 {
		c := newChain(p, make([]int32, len(p.jobs)), 1, 0)
		c.cycles = cyclesFirst
		asked = 0
		c.advance(math.MaxInt64, func() bool { asked++; return asked > limit })
		if asked > limit+3 {
			t.Errorf("asked %d times after being told to stop", asked-limit)
		}
		if found := p.makespan(c.bestAt, c.scratch); found != c.best {
			t.Errorf("best %v, its schedule %v", c.best, found)
		}
	}
}

// Beam searches come closer to the bound than annealing alone.
func TestUnrelatedBeamComesCloser(t *testing.T) {
	race.OneGoroutine(t)
	sum := [2]float64{}
	for seed := range uint64(2) {
		p := beamProblem(t, 10+seed, 512, 16, true)
		for x := range sum {
			c := newChain(p, p.start(t.Context()), 1, 0)
			c.widens = x == 0
			c.advance(4_000_000, never)
			sum[x] += 100 * c.gap(c.best) / 2
		}
	}
	t.Logf("%.3f %% above the bound, %.3f %% without beam searches", sum[0], sum[1])
	if sum[0] > 0.8*sum[1] {
		t.Errorf("%.3f %% above the bound, %.3f %% without beam searches", sum[0], sum[1])
	}
}
