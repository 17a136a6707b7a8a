package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Hard deadlines that nobody can miss change no bound of any method, and all certificates are verified.
func TestLooseHardDeadlinesWeakenNothing(t *testing.T) {
	race.OneGoroutine(t)
	compared, ctx := map[string]int{}, t.Context()
	for seed := range uint64(race.Fewer(150, 30)) {
		rng := rand.New(rand.NewPCG(seed, 4242))
		plain := []func() *model.Instance{func() *model.Instance { return randomTiny(t, seed) }, func() *model.Instance { return modeltest.TinyNodes(rng) },
			func() *model.Instance { in, _ := modeltest.TinyPower(rng); return in }}[seed%3]()
		spec, late := plain.Spec(), plain.FirstArrival()+1e4*newRelaxation(ctx, plain).length
		spec.Jobs = append([]model.JobSpec(nil), spec.Jobs...)
		for j := range spec.Jobs {
			if spec.Jobs[j].Deadline == nil && late > plain.FirstArrival() {
				spec.Jobs[j].Deadline, spec.Jobs[j].DeadlineHard = new(late), true
			}
		}
		loose, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{"makespan", "mcp", "mean_response", "mean_wait", "over_deadline", "cost", "mean_slowdown", "bounded_slowdown", "energy", "unfinished", "qos_penalty"} {
			a, err := plain.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				continue
			}
			b, err := loose.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			p, q := New(ctx, a), NewCertified(ctx, b)
			p.Improve(ctx, 1_000_000)
			q.Improve(ctx, 1_000_000)
			if q.Owed() < p.Owed() && metric != "unfinished" {
				t.Errorf("seed %d: %s: %d owed, without deadlines %d", seed, metric, q.Owed(), p.Owed())
			}
			values := map[string]float64{}
			for _, part := range q.Parts() {
				values[part.Method] = part.Value
			}
			for _, part := range p.Parts() {
				if part.Method == choicesName && metric == "unfinished" {
					continue // jobs with hard deadlines are not owed then
				}
				value, known := values[part.Method]
				if !known || value < part.Value-1e-6*math.Abs(part.Value) {
					t.Errorf("seed %d: %s by %s: %v, without deadlines %v", seed, metric, part.Method, value, part.Value)
				}
				compared[metric]++
			}
			if c := q.Certificate(); c != nil {
				if r := proof.Check(ctx, b, c); r.Verdict == proof.Refuted || r.Verdict != proof.Verified && c.NotCertified == "" {
					t.Errorf("seed %d: %s: %+v", seed, metric, r)
				}
			}
		}
	}
	t.Log(compared)
	for _, metric := range []string{"makespan", "mcp", "mean_response", "cost", "energy"} {
		if compared[metric] < race.Fewer(20, 8) {
			t.Errorf("%s: compared %d", metric, compared[metric])
		}
	}
}
