package proof_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// Certificates of penalties are verified by both checkers whatever the unit of time, also where a response exceeds its limit by next to nothing. Neither
// checker verifies more than the best of all allocations costs, and both draw the line at the same bound.
func TestUnits(t *testing.T) {
	race.OneGoroutine(t)
	c := corpus{t: t, folder: t.TempDir()}
	units := []float64{1e-9, 1e-6, 1, 1e6}
	small := 0
	for k := range race.Fewer(120, 20) {
		r := draw{rand.New(rand.NewPCG(uint64(k), 3))}
		unit := units[k%len(units)]
		path, in := c.instance(r.timed(unit))
		spec, err := os.ReadFile(path)
		if in == nil || err != nil {
			t.Fatalf("instance %d cannot be read: %v\n%s", k, err, spec)
		}
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), 200_000)
		certificates := p.Certificates()
		for _, evaluations := range []int64{0, 40} {
			choice, err := solve.Choose("ggone")
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(t.Context(), choice, in, solve.Options{MaxEvals: evaluations, Certify: true})
			if err != nil {
				t.Fatal(err)
			}
			if result.Certificate != nil && result.Certificate.Infeasible == nil && result.Certificate.NotCertified == "" {
				certificates = append(certificates, result.Certificate)
			}
		}
		least := leastPenalty(t, in)
		for _, x := range certificates {
			kind := fmt.Sprint("unit ", unit)
			if verdict := proof.Check(t.Context(), in, x); verdict.Verdict != proof.Verified {
				t.Errorf("%s: %v\n%s\n%s", kind, verdict, x.Bytes(), spec)
			}
			c.certificate(path, in, x.Bytes(), nil, kind)
			if len(x.Parts) != 1 || x.Parts[0].By == nil || x.Parts[0].By.Levels == nil || x.Parts[0].Bound == 0 || least == nil {
				continue
			}
			most, step := greatest(t, in, x)
			if new(big.Rat).SetFloat64(most).Cmp(least) > 0 {
				t.Errorf("%s: %v is verified, and %s is possible\n%s\n%s", kind, most, least.FloatString(30), x.Bytes(), spec)
			}
			for _, goal := range []float64{most - step, most + step} {
				c.certificate(path, in, claiming(x, goal).Bytes(), nil, kind)
			}
			if small++; most > 1e-3 {
				small--
			}
		}
	}
	var names []string
	for _, unit := range units {
		names = append(names, fmt.Sprint("unit ", unit, " verified"), fmt.Sprint("unit ", unit, " refuted"))
	}
	enough(t, second(t, c.tasks), 20, names...)
	if small < race.Enough(20) {
		t.Errorf("%d bounds are small: the test says little", small)
	}
}

// claiming is the certificate with another bound.
func claiming(x *proof.Certificate, goal float64) *proof.Certificate {
	changed := *x
	changed.Bound, changed.Parts = model.ProvedBound(goal), []proof.Part{x.Parts[0]}
	changed.Parts[0].Bound = goal
	return &changed
}

// greatest is the greatest bound that the first checker verifies with the argument of the certificate, and by how much rounding to its grid may move it.
func greatest(t *testing.T, in *model.Instance, x *proof.Certificate) (most, step float64) {
	t.Helper()
	low, high := x.Parts[0].Bound, 2*x.Parts[0].Bound
	verified := func(goal float64) bool {
		return proof.Check(t.Context(), in, claiming(x, goal)).Verdict == proof.Verified
	}
	for range 60 {
		if !verified(high) {
			break
		}
		low, high = high, 2*high
	}
	for math.Nextafter(low, high) < high {
		middle := low + (high-low)/2
		if verified(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	dearest := 0.0
	levels := x.Parts[0].By.Levels
	for _, list := range levels.Prices {
		for _, u := range list {
			dearest = max(dearest, math.Abs(u))
		}
	}
	for _, node := range levels.Nodes {
		for _, l := range node.Loads {
			for _, u := range l.Places {
				dearest = max(dearest, math.Abs(u))
			}
		}
	}
	n := float64(len(in.Jobs()))
	return low, 4*n*math.Ldexp(4*n*dearest+2*low, -56) + math.Ldexp(low, -52)
}

// leastPenalty is the least penalty of all allocations, by the evaluator and added up exactly; nil: none is finite.
func leastPenalty(t *testing.T, in *model.Instance) *big.Rat {
	t.Helper()
	idle, err := model.Queues(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	var least *big.Rat
	sol := &model.Solution{Jobs: make([]model.Placement, len(in.Jobs()))}
	var try func(j int)
	try = func(j int) {
		if j < len(in.Jobs()) {
			for r := range idle.Machines {
				m := &idle.Machines[r]
				c, _ := in.ClusterIndex(m.Cluster)
				processor := in.Clusters()[c].Machines[m.Group].First + m.Number
				sol.Jobs[j] = model.Placement{Job: in.Jobs()[j].ID, Cluster: m.Cluster, Processors: model.Processors(processor)}
				try(j + 1)
			}
			return
		}
		view, err := model.Queues(in, sol)
		if err != nil {
			t.Fatal(err)
		}
		sum := new(big.Rat)
		for _, job := range view.Jobs {
			if math.IsInf(job.Penalty, 1) || math.IsInf(view.Machines[job.Machine].Wait, 1) {
				return
			}
			sum.Add(sum, new(big.Rat).SetFloat64(job.Penalty))
		}
		if least == nil || sum.Cmp(least) < 0 {
			least = sum
		}
	}
	try(0)
	return least
}
