package proof_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// What is proved is raised to the next multiple of the step, less what times that are off the step can add up to: as the formula says, on both sides of
// every multiple.
func TestBoundsAreRaisedAsTheFormulaSays(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(5, 7)), tally{}
	for range race.Fewer(1500, 300) {
		n := &naive{}
		step := []float64{0.5, 1, 2, 3}[rng.IntN(4)]
		off := []float64{0, 0, 0x1p-10, 0x1p-20}[rng.IntN(4)] // of times from multiples of the step
		time := func() float64 { return step*float64(1+rng.IntN(6)) + off*float64(rng.IntN(3)-1) }
		b := model.NewBuilder("steps").Cluster(cluster("c", 2, 1))
		if rng.IntN(3) == 0 {
			b.Cluster(cluster("d", 1, 2)) // half the time there
		}
		for j := range 1 + rng.IntN(4) {
			spec := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(time())}
			if j > 0 {
				spec.Arrival = time() * float64(rng.IntN(2))
			}
			if rng.IntN(2) == 0 {
				spec.Deadline = new(time())
			}
			if j > 0 && rng.IntN(3) == 0 {
				spec.After = []string{fmt.Sprint("j", rng.IntN(j))}
			}
			b.Job(spec)
			n.specs = append(n.specs, spec)
		}
		n.in = built(t, b)
		n.look()
		n.raised(t, rng, seen, step)
	}
	for _, kind := range []string{"makespan", "over_deadline", "mean_response", "mean_wait", "raised", "not raised"} {
		if seen[kind] < race.Fewer(100, 15) {
			t.Errorf("%s: the test says little: %v", kind, seen)
		}
	}
}

// raised compares the verdict on bounds near each multiple with the formula.
func (n *naive) raised(t *testing.T, rng *rand.Rand, seen tally, step float64) {
	jobs := len(n.specs)
	metric := []string{"makespan", "over_deadline", "mean_response", "mean_wait"}[rng.IntN(4)]
	by, value, times, unit := proof.Argument{EachAlone: &proof.EachAlone{}}, 0.0, jobs+2, step/float64(jobs)
	switch metric {
	case "makespan":
		prices, work, capacity := make([]float64, len(n.in.Clusters())), 0.0, 0.0
		for c := range prices {
			prices[c] = 1
			capacity += float64(n.in.Clusters()[c].Processors)
		}
		for j := range n.specs {
			work += n.least[j]
		}
		by = proof.Argument{Area: &proof.Area{Prices: prices}}
		value, times, unit = work/capacity+n.around(n.must), jobs+1, step
	case "over_deadline":
		for j := range n.specs {
			value += max(0, n.head[j]+n.least[j]-(n.in.Jobs()[j].Deadline-n.first))
		}
		times, unit = jobs*(jobs+2), step
	default:
		for j := range n.specs {
			value += n.head[j] - (n.in.Jobs()[j].Arrival - n.first)
			if metric == "mean_response" {
				value += n.least[j]
			}
		}
		value /= float64(jobs)
	}
	error := float64(times) * n.off(step, metric == "over_deadline")
	k := math.Floor(value/unit) + float64(rng.IntN(3))
	for _, bound := range []float64{k * unit, k*unit - error, k*unit - error*(1-0x1p-20), k*unit - error - 0x1p-30, k*unit + 0x1p-30, value, value * (1 + 1e-6)} {
		if bound <= 0 {
			continue
		}
		// exactly: ⌈(b + e)/s⌉ − 1, and a little more
		steps := new(big.Rat).Quo(new(big.Rat).Add(exactly(bound), exactly(error)), new(big.Rat).Quo(exactly(step), big.NewRat(int64(math.Round(step/unit)), 1)))
		whole := new(big.Int).Quo(steps.Num(), steps.Denom())
		if steps.IsInt() {
			whole.Sub(whole, big.NewInt(1))
		}
		floor, _ := new(big.Rat).SetInt(whole).Float64()
		goal, want := (floor+1e-7)*unit+error, proof.Refuted
		if value >= goal {
			want = proof.Verified
		}
		if math.Abs(value-goal) < 1e-12*goal {
			continue // the formula is rounded
		}
		if r := verdict(t.Context(), n.in, claim(n.in, metric, bound, step, &by)); r.Verdict != want {
			t.Fatalf("%s of at least %v, step %v: bound %v: %v, expected %s\n%s", metric, value, step, bound, r, want, written(n.in))
		}
		seen[metric]++
		if bound > value && want == proof.Verified {
			seen["raised"]++
		} else if want == proof.Refuted {
			seen["not raised"]++
		}
	}
}

// off is how far a time of the instance is at most from a multiple of the step.
func (n *naive) off(step float64, deadlines bool) (most float64) {
	look := func(x float64) { most = max(most, math.Abs(x-step*math.Round(x/step))) }
	for j := range n.specs {
		job := &n.in.Jobs()[j]
		look(job.Arrival - n.first)
		if deadlines && !math.IsInf(job.Deadline, 1) {
			look(job.Deadline - n.first)
		}
		for c := range n.in.Clusters() {
			_, time := n.on(j, c)
			look(time)
		}
	}
	return most
}

// exactly is a float64 as a fraction.
func exactly(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
