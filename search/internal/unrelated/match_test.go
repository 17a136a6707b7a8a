package unrelated

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
)

// energyOf is the energy of a chain, from the schedule alone.
func energyOf(c *chain) float64 {
	loads, energy := make([]float64, len(c.load)), 0.0
	for k, i := range c.at {
		loads[i] += c.p.weighted(k, int(c.p.clusterOf[i]))
	}
	for i, load := range loads {
		energy += excess(load - c.limit[i])
	}
	return energy
}

// matrixChain is a chain over a random matrix of the given size, at random machines.
func matrixChain(t testing.TB, rng *rand.Rand, jobs, machines int) *chain {
	rows := make([][]float64, jobs)
	for j := range rows {
		for range machines {
			rows[j] = append(rows[j], float64(1+rng.IntN(100)))
		}
	}
	in := TimesInstance(t, slices.Repeat([]int{1}, machines), rows)
	e, err := New(t.Context(), in, CompletionStart(in), rng.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	c := e.(*Engine).runs[0]
	if c.rows == nil {
		t.Fatal("the chain keeps no rows")
	}
	at := make([]int32, len(c.at))
	for k := range at {
		at[k] = int32(rng.IntN(machines))
	}
	c.restart(at)
	c.aimAt(1 + 2*rng.Float64())
	return c
}

// A swap has a partner if and only if some job of the other machine fits, and then any of these.
func TestUnrelatedMatchFindsWhatFits(t *testing.T) {
	found, none := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		c := matrixChain(t, rng, 12, 3)
		k := rng.IntN(len(c.at))
		a := c.at[k]
		b := (a + 1 + int32(rng.IntN(2))) % 3
		wa, wb := c.p.weighted(k, int(a)), c.p.weighted(k, int(b))
		threshold := rng.Float64() * 0.1
		before := energyOf(c)
		fitting := map[int]bool{}
		for l, at := range c.at {
			if at != b {
				continue
			}
			c.at[k], c.at[l] = b, a
			if rise := energyOf(c) - before; rise <= threshold-1e-12 {
				// match may leave out a job l whose time on machine a is short enough that both machines gain when l alone moves.
				if c.p.weighted(l, int(b)) <= c.limit[a]-c.load[a]+wa+c.allowance(a, b, threshold) {
					fitting[l] = true
				}
			} else if rise <= threshold+1e-12 {
				fitting[l] = false // it may be found or not, by rounding
			}
			c.at[k], c.at[l] = a, b
		}
		seen := map[int]bool{}
		for range 60 {
			l := c.match(a, b, wa, wb, c.allowance(a, b, threshold))
			if _, fits := fitting[l]; l >= 0 && !fits {
				r.Fatalf("job %d does not fit; those that do are %v", l, fitting)
			}
			seen[l] = true
		}
		for l, certain := range fitting {
			if certain && !seen[l] {
				r.Fatalf("job %d fits and was not found in 60 times; found %v", l, seen)
			}
		}
		if len(fitting) > 0 {
			found++
		} else {
			none++
		}
	})
	if least := race.Enough(1); found < least || none < least {
		t.Errorf("%d swaps had partners and %d none: the test proves nothing", found, none)
	}
}

// A chain over three machines adds at most the threshold to the energy, and keeps loads and rows.
func TestUnrelatedChainKeepsTheThreshold(t *testing.T) {
	closed, open := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 2))
		c := matrixChain(t, rng, 20, 5)
		for range 50 {
			k := rng.IntN(len(c.at))
			a, b := c.at[k], int32(rng.IntN(5))
			if a == b {
				continue
			}
			before, was, threshold := energyOf(c), slices.Clone(c.at), rng.Float64()*0.2
			c.eject(k, a, b, c.p.weighted(k, int(a)), c.p.weighted(k, int(b)), threshold)
			if rise := energyOf(c) - before; rise > threshold+1e-9 {
				r.Fatalf("the energy rises by %v, the threshold is %v", rise, threshold)
			}
			changed := 0
			for j := range was {
				if was[j] != c.at[j] {
					changed++
				}
			}
			switch changed {
			case 0:
			case 2:
				open++
			case 3:
				closed++
			default:
				r.Fatalf("%d jobs have moved", changed)
			}
		}
		loads := slices.Clone(c.load)
		c.addUp()
		for i := range loads {
			if math.Abs(loads[i]-c.load[i]) > 1e-9 {
				r.Fatalf("machine %d: load %v, added up %v", i, loads[i], c.load[i])
			}
		}
	})
	if least := race.Enough(1); closed < least || open < least {
		t.Errorf("%d closed and %d open chains: the test proves nothing", closed, open)
	}
}

// Without heat no move raises the energy.
func TestUnrelatedColdMovesNeverRise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	c := matrixChain(t, rng, 200, 8)
	for range 2000 {
		before := energyOf(c)
		c.moves(5, 0)
		if after := energyOf(c); after > before+1e-9 {
			t.Fatalf("the energy rises from %v to %v", before, after)
		}
	}
}

// A million moves come close to the bound of the linear program. Where partners are drawn by regret and there are no chains, they end 0.98 % above
// it on average.
func TestUnrelatedComesCloseToTheBound(t *testing.T) {
	sum := 0.0
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 4))
		rows := make([][]float64, 512)
		for j := range rows {
			base := 1 + 2999*rng.Float64()
			for range 16 {
				rows[j] = append(rows[j], base*(1+9*rng.Float64()))
			}
		}
		in := TimesInstance(t, slices.Repeat([]int{1}, 16), rows)
		e, err := New(t.Context(), in, CompletionStart(in), 1)
		if err != nil {
			t.Fatal(err)
		}
		c := e.(*Engine).runs[1]
		c.advance(1_048_000, func() bool { return false })
		sum += 100 * c.gap(c.best)
	}
	t.Logf("%.3f %% above the bound", sum/3)
	if sum/3 > 0.8 {
		t.Errorf("%.3f %% above the bound on average", sum/3)
	}
}
