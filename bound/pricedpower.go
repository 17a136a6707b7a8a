package bound

import (
	"context"

	"github.com/allot-opt/allot/bound/internal/powered"
	"github.com/allot-opt/allot/proof"
)

var (
	_ = Register(pricedPowerMethod("energy", powerWeights{energy: 1}))
	_ = Register(pricedPowerMethod("energy_cost", powerWeights{cost: 1}))
	_ = Register(pricedPowerMethod("carbon", powerWeights{carbon: 1}))
)

const pricedPowerName = "priced-power"

// pricedPowerMethod bounds a metric of power.
func pricedPowerMethod(metric string, w powerWeights) Method {
	return Method{Name: pricedPowerName, Metric: metric, Certifies: true,
		Doc:    "prices of processor time that changes with time: each job at its cheapest start, each machine on its cheapest way through its states",
		Source: "A. M. Geoffrion (1974), Lagrangean relaxation for integer programming, Math. Program. Study 2, doi:10.1007/BFb0120690; the ways as in O. Benedikt, I. Módos, Z. Hanzálek (2020), Power of pre-processing, CPAIOR 2020, doi:10.1007/978-3-030-58942-4_9",
		New:    func(r *Relaxation, proved *Gate) Prover { return &ascent{r: r, proved: proved, kind: pricedPower{w}} }}
}

// pricedPower bounds what power costs, by buckets between the steps of tariffs.
type pricedPower struct{ weights powerWeights }

// powerBuckets is how many buckets there are at least.
const powerBuckets = 24

// input implements [ascentKind].
func (p pricedPower) input(ctx context.Context, r *Relaxation) (*powered.Input, Sum) {
	input := r.powerInput(ctx, p.weights)
	if input == nil {
		return nil, Sum{}
	}
	length := input.To - input.From
	for k := 1; k < powerBuckets; k++ {
		input.Limits = append(input.Limits, length*float64(k)/powerBuckets)
	}
	for c := range input.Clusters { // steps are enough where there are many of them
		if len(input.Clusters[c].Steps) >= powerBuckets {
			input.Limits = nil
		}
	}
	return input, Sum{}
}

// first implements [ascentKind]: prices at which the market clears; those at which it costs the same to hold a processor at all times that are cheaper than a
// level; and those that pay for the idle power of machines that may sleep.
func (p pricedPower) first(problem *powered.Problem, k int, x []float64) (use, more bool) {
	if k == 0 {
		return problem.Cleared(x), true
	}
	if k > powered.Starts() {
		return false, false
	}
	return problem.First(k-1, x), true
}

// argument implements [ascentKind].
func (p pricedPower) argument(_ *Relaxation, problem *powered.Problem, x []float64) *proof.Argument {
	return &proof.Argument{PowerPrices: &proof.PowerPrices{Times: problem.Limits[:len(problem.Limits)-1], Cells: problem.Cells(), Looks: problem.Looks, Clusters: pricesByCluster(problem, x)}}
}

// pricesByCluster are the prices of an ascent, by cluster and bucket.
func pricesByCluster(problem *powered.Problem, x []float64) (list [][]float64) {
	buckets := len(problem.Limits) - 1
	for at := 0; at < len(x); at += buckets {
		row := make([]float64, buckets)
		for k := range row {
			row[k] = max(0, x[at+k])
		}
		list = append(list, row)
	}
	return list
}
