package prove

import (
	"context"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// On these instances a large weight, times Unix time or a constant, once hid the small term: schedules were called optimal that were not. The figures
// are the least of all schedules.
func TestNoSolverCallsAPastDefectOptimal(t *testing.T) {
	for _, c := range []struct {
		name     string
		least    map[string]float64 // by metric of the objective
		searched bool               // search finds it
	}{
		{"A_epoch_weights", map[string]float64{"over_deadline": 0, "mean_wait": 35.0 / 6}, true},
		{"A_missed_weights", map[string]float64{"makespan": 21, "missed": 0}, true},
		{"A_optimal_at_10", map[string]float64{"idle_time": 0, "over_deadline": 0, "mean_slowdown": 1}, false}, // 0 by leaving out a job with a hard deadline, which is owed
		{"F_big_weight", map[string]float64{"finished": 14, "makespan": 42}, true},
	} {
		in := defect(t, c.name+".json")
		for _, info := range solve.Solvers() {
			if info.Absent != "" || info.New().Supports(in) != nil {
				continue
			}
			result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 2000, Strict: true, Certify: true})
			if err != nil || result.Solution == nil {
				t.Errorf("%s, %s: no schedule: %v", c.name, info.Name, err)
				continue
			}
			best := true
			for metric, least := range c.least {
				value, _ := result.Solution.Metrics.Get(metric)
				best = best && value == least
			}
			out := proof.CheckSolution(context.Background(), in, result.Certificate, result.Solution)
			if !best && (result.Status == model.Optimal || out.Optimal) {
				t.Errorf("%s: %s says %s, its certificate that it is optimal: %t; the metrics are %v, the least %v", c.name, info.Name, result.Status, out.Optimal, result.Solution.Metrics, c.least)
			}
			if c.searched && info.Name == "search" && !best {
				t.Errorf("%s: search does not find the best schedule: %v", c.name, result.Solution.Metrics)
			}
		}
	}
}

// A certificate of another objective proves nothing of a schedule of the instance's own.
func TestACertificateOfAnotherObjectiveProvesNothing(t *testing.T) {
	in, err := model.ReadInstanceFile("../../examples/table1.json")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := model.ReadSolutionFile(realdata.Path(t, "defects2", "A_table1_big_weight.sol.json"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := proof.ReadFile(realdata.Path(t, "defects2", "A_table1_big_weight.proof.json"))
	if err != nil {
		t.Fatal(err)
	}
	out := proof.CheckSolution(context.Background(), in, c, sol)
	if out.Optimal || out.Verdict == proof.Verified || !strings.Contains(out.Reason+out.Why, "another objective") && !strings.Contains(out.Reason, "not of") {
		t.Errorf("%+v", out)
	}
}

// defect reads an instance of a past defect.
func defect(t *testing.T, name string) *model.Instance {
	t.Helper()
	in, err := model.ReadInstanceFile(realdata.Path(t, "defects2", name))
	if err != nil {
		t.Fatal(err)
	}
	return in
}
