package proof

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// A job misses its deadline surely if its earliest end exceeds it by more than 1.9e-9 of both numbers, counted from the earliest arrival, and the
// spacing of float64 numbers at the deadline, at the earliest arrival and at the end, three times and once more for each job of the chain that
// ends with it. The test looks for the first deadline at which it does not.
func TestSurelyLateBeyondTheTolerance(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 7))
	for range 40 {
		first := []float64{0, 1, 1e9 * rng.Float64(), 1e15 * rng.Float64()}[rng.IntN(4)]
		arrival, work := first+float64(rng.IntN(2))*rng.Float64()*10, math.Ldexp(rng.Float64(), rng.IntN(60)-20)
		before := rng.IntN(4) // jobs of no time that wait for each other, and the job for the last of them
		surely := func(deadline float64) (found, want bool) {
			job := func(id string, arrival float64, deadline *float64) model.JobSpec {
				return model.JobSpec{ID: id, Arrival: arrival, Processors: model.Rigid(1), Work: &work, Deadline: deadline}
			}
			machines := []model.MachineSpec{{ID: "m", Count: 1, Processors: 1, Speed: 1}}
			late := job("a", arrival, &deadline)
			b := model.NewBuilder("late").Cluster(model.ClusterSpec{ID: "c", Machines: machines})
			for k := range before {
				x := job(fmt.Sprint("x", k), first, nil)
				x.Work, x.After, late.After = new(float64), late.After, []string{x.ID}
				b.Job(x)
			}
			in, err := b.Job(job("b", first, nil), late).Build()
			if err != nil {
				t.Fatal(err)
			}
			of := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
			plus := func(list ...*big.Float) *big.Float {
				sum := of(0)
				for _, x := range list {
					sum.Add(sum, x)
				}
				return sum
			}
			times := func(x float64, y *big.Float) *big.Float { return of(0).Mul(of(x), y) }
			due, end := plus(of(deadline), of(-first)), plus(of(arrival), of(-first), of(work))
			size := plus(of(0).Abs(due), end)
			clock := plus(of(math.Abs(deadline)), of(math.Abs(first)), end)
			limit := plus(due, times(1.9e-9, size), times(float64(4+before)/(1<<52), clock))
			return newFacts(t.Context(), in).surelyLate(before+1, deadline), end.Cmp(limit) > 0
		}
		low, high := first-1-work, 2*(arrival+work)+1
		for range 2000 {
			middle := low + (high-low)/2
			if middle <= low || middle >= high {
				break
			}
			if _, late := surely(middle); late {
				low = middle
			} else {
				high = middle
			}
		}
		for _, deadline := range []float64{low, high, math.Nextafter(low, -math.MaxFloat64), math.Nextafter(high, math.MaxFloat64)} {
			if found, want := surely(deadline); found != want {
				t.Fatalf("released at %v of %v, work %v, deadline %v: late %v, expected %v", arrival, first, work, deadline, found, want)
			}
		}
	}
}

// A chain of jobs each of which a schedule shortens by the spacing of the clock, which rounding of start and end allows, meets a deadline that the
// exact times miss. So a certificate does not call optimal what leaves its last job out.
func TestAChainMayLoseASpacingInEachJob(t *testing.T) {
	const n, first = 30, 1.7e9
	spacing := math.Nextafter(first, math.Inf(1)) - first
	work, deadline := 10*spacing, first+(10*n-25)*spacing
	b := model.NewBuilder("chain").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 1, Processors: 1, Speed: 1}}})
	var sol model.Solution
	for k := range n {
		j := model.JobSpec{ID: fmt.Sprint(k), Arrival: first, Processors: model.Rigid(1), Work: &work}
		if k > 0 {
			j.After = []string{fmt.Sprint(k - 1)}
		}
		if k == n-1 {
			j.Deadline, j.DeadlineHard = &deadline, true
		}
		b.Job(j)
		start := first + 9*float64(k)*spacing
		sol.Jobs = append(sol.Jobs, model.Placement{Job: j.ID, Cluster: "c", Processors: model.Processors(0), Start: start, End: start + 9*spacing})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, &sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	if newFacts(t.Context(), in).surelyLate(n-1, in.Jobs()[n-1].Deadline) {
		t.Error("the last job meets its deadline in a schedule that the model accepts")
	}
}
