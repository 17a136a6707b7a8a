package proof_test

import (
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// listed draws a sum of metrics of which list schedules prove the least.
func (r draw) listed() object {
	sum := object{}
	for range r.from(1, 3) {
		sum[proof.Listed[r.IntN(len(proof.Listed))]] = r.one(1, 1, 0.5, 1e9, 0.1)
	}
	return sum
}

// Both checkers say the same of certificates of small batches that exact proves, true ones and changed ones, and of the schedules that they prove optimal.
func TestCertificatesOfLists(t *testing.T) {
	c := corpus{t: t, folder: t.TempDir()}
	for k := range race.Fewer(200, 10) {
		r := draw{rand.New(rand.NewPCG(uint64(k), 8))}
		spec := r.plain("makespan", []float64{0, 100.5, 1.7e9}[k%3])
		for _, cluster := range spec["clusters"].([]any) {
			cluster.(object)["machines"].([]any)[0].(object)["cost"] = r.one(0.1, 0.3, 1)
		}
		jobs := spec["jobs"].([]any)
		spec["objective"], spec["jobs"] = r.listed(), jobs[:min(len(jobs), 3+k%3)]
		if k%4 == 0 {
			jobs[1].(object)["work"] = 0
		}
		path, in := c.instance(spec)
		if in == nil {
			continue
		}
		choice, err := solve.Choose("exact")
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{Certify: true})
		if err != nil || result.Certificate == nil || len(result.Certificate.Parts) != 1 || result.Certificate.Parts[0].By == nil || result.Certificate.Parts[0].By.ListSchedules == nil {
			continue
		}
		whole := result.Certificate.Bytes()
		c.certificate(path, in, whole, result.Solution, "with a solution")
		for _, share := range []float64{0.9, 1, 1.0001, 1.2} {
			for _, together := range []bool{false, true} {
				x := *result.Certificate
				part := x.Parts[0]
				part.Bound *= share
				part.By = &proof.Argument{ListSchedules: &proof.ListSchedules{Together: together}}
				x.Parts, x.Bound = []proof.Part{part}, model.ProvedBound(part.Bound)
				c.certificate(path, in, x.Bytes(), nil, "list")
			}
		}
		for range 4 {
			changed := plain(t, whole)
			r.damage(changed)
			c.certificate(path, in, changed, nil, "changed")
		}
	}
	enough(t, second(t, c.tasks), 30, "with a solution verified; optimal", "list verified", "list refuted", "changed refuted")
}
