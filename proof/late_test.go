package proof

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// A job misses its deadline surely if its earliest end exceeds it by more than 1.9e-9 of both numbers, counted from the earliest arrival, and four times the
// spacing of float64 numbers at the deadline, at the earliest arrival and at the end. The test looks for the first deadline at which it does not.
func TestSurelyLateBeyondTheTolerance(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 7))
	for range 40 {
		first := []float64{0, 1, 1e9 * rng.Float64(), 1e15 * rng.Float64()}[rng.IntN(4)]
		arrival, work := first+float64(rng.IntN(2))*rng.Float64()*10, math.Ldexp(rng.Float64(), rng.IntN(60)-20)
		surely := func(deadline float64) (found, want bool) {
			job := func(id string, arrival float64, deadline *float64) model.JobSpec {
				return model.JobSpec{ID: id, Arrival: arrival, Processors: model.Rigid(1), Work: &work, Deadline: deadline}
			}
			machines := []model.MachineSpec{{ID: "m", Count: 1, Processors: 1, Speed: 1}}
			in, err := model.NewBuilder("late").Cluster(model.ClusterSpec{ID: "c", Machines: machines}).Job(job("a", arrival, &deadline), job("b", first, nil)).Build()
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
			limit := plus(due, times(1.9e-9, size), times(1/float64(1<<50), clock))
			return newFacts(t.Context(), in).surelyLate(0), end.Cmp(limit) > 0
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
