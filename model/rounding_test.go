package model_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
)

// apart are two jobs of half a second, one after the other although both could run at once, long after time 0.
func apart(t *testing.T, machines int, objective, weights string) (*model.Instance, *model.Solution) {
	t.Helper()
	const from = unix
	job := `{"id": "j%d", "work": 0.5, "arrival": %v}`
	in, err := readInstance(document(`"objective": `+objective+`, `,
		fmt.Sprintf(`{"id": "c", "weights": %s, "machines": [{"id": "m", "count": %d}]}`, weights, machines), fmt.Sprintf(job+", "+job, 0, from, 1, from)))
	if err != nil {
		t.Fatal(err)
	}
	return in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", from, from+0.5), placed("j1", "c", "1", from+0.5, from+1)}}
}

// Only idle time is a small difference of sums over all processors. Without it the machines of a cluster, however many, do not make a
// schedule optimal that takes twice as long as it has to.
func TestRoundingOfAPerformanceWithoutIdleTime(t *testing.T) {
	in, sol := apart(t, 100_000, `{"mcp": 1}`, `{"idle_time": 0, "makespan": 2, "over_deadline": 1}`)
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(report.Violations[0])
	}
	if half := report.Objective / 2; report.Proves(model.ProvedBound(half)) {
		t.Errorf("a bound of %v proves the schedule of %v to be optimal; its rounding error is said to be %v", half, report.Objective, report.Rounding)
	}
	if !report.Refutes(model.ProvedBound(report.Objective + 1e-6)) {
		t.Errorf("a bound above by 1e-6 is not refuted, although the times are exact: the rounding error is said to be %v", report.Rounding)
	}
}

// The balance of one cluster is 0 exactly: it must not hide what else the objective holds.
func TestRoundingOfTheBalanceOfOneCluster(t *testing.T) {
	in, sol := apart(t, 2, `{"balance": 1, "makespan": 1e-9}`, `{"idle_time": 1}`)
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(report.Violations[0])
	}
	if half := report.Objective / 2; report.Proves(model.ProvedBound(half)) {
		t.Errorf("a bound of %v proves the schedule of %v to be optimal; its rounding error is said to be %v", half, report.Objective, report.Rounding)
	}
}

// Metrics of an objective may cancel each other: then it may be stated with what rounding makes of them, and with no more.
func TestRoundingOfMetricsThatCancelEachOther(t *testing.T) {
	in, err := readInstance(`{"schema": "allot/instance/1", "objective": {"mean_wait": 0.5, "utilisation": 0.1},
		"clusters": [{"id": "c", "machines": [{"id": "m", "speed": 0.5}]}], "jobs": [{"id": "j", "work": 5}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stated float64
		right  bool
	}{
		{-1.1657341758564142e-15, true}, // what exact numbers give
		{-8.881784197001252e-16, true}, {0, true}, {1e-12, false}, {-1e-12, false},
	} {
		sol := &model.Solution{Jobs: []model.Placement{placed("j", "c", "0", 10, 20.000000000000004)}, Objective: &c.stated}
		if report := model.Check(in, sol); report.OK() != c.right {
			t.Errorf("%v stated, %v found: %v", c.stated, report.Objective, report.Violations)
		}
	}
}
