package bench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// streamText is three workflows and a job of none on one machine. In the order of arrivals they are c (0), b (1), the job d (2) and a (3); the file has
// them in another order. Each job takes 4, so that first come, first served runs them one after another from 0 to 20: c 0–4, b 4–8, d 8–12, and
// the two jobs of a 12–16 and 16–20.
const streamText = `{
 "schema": "allot/instance/1", "objective": {"workflow_failures": 1},
 "clusters": [{"id": "C", "machines": [{"id": "m", "cost": 1}]}],
 "workflows": [{"id": "a", "deadline": 19}, {"id": "b", "deadline": 7}, {"id": "c", "deadline": 3}],
 "jobs": [
  {"id": "a1", "workflow": "a", "arrival": 3, "processors": 1, "work": 4},
  {"id": "a2", "workflow": "a", "after": ["a1"], "arrival": 3, "processors": 1, "work": 4},
  {"id": "b1", "workflow": "b", "arrival": 1, "processors": 1, "work": 4},
  {"id": "c1", "workflow": "c", "arrival": 0, "processors": 1, "work": 4},
  {"id": "d", "arrival": 2, "processors": 1, "work": 4}]}`

// streamInstance is the instance of streamText with the given objective.
func streamInstance(t *testing.T, objective string) *model.Instance {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(streamText), "stream.json")
	if err == nil {
		in, err = minimising(in, objective)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The figures of a row with a window are those of the measured jobs, by hand. What is of the whole instance, or of the machines, is not there.
func TestWindow(t *testing.T) {
	in := streamInstance(t, "workflow_failures")
	row := Measure(t.Context(), Chosen(t, "fcfs"), in, Settings{Measured: &Window{WarmUp: 1, Tail: 1}, Incumbents: true})
	if row.Fault != "" || row.Objective == nil {
		t.Fatalf("no result: %q", row.Fault)
	}
	found := map[string]float64{"jobs": float64(row.Jobs), "objective": *row.Objective}
	for name, value := range row.Metrics {
		found[name] = value.Total
	}
	want := map[string]float64{ // of b1 and d
		"jobs": 2, "objective": 1, "workflow_failures": 1,
		"makespan": 11, "mean_response": (7 + 10) / 2.0, "mean_wait": (3 + 6) / 2.0, "mean_slowdown": (7/4.0 + 10/4.0) / 2, "cost": 8, "finished": 2, "unfinished": 0,
	}
	for name, value := range want {
		if got, ok := found[name]; !ok || got != value {
			t.Errorf("%s: expected %v, found %v (%t)", name, value, got, ok)
		}
	}
	for _, name := range ofMachines {
		if _, ok := found[name]; ok {
			t.Errorf("%s is not of the measured jobs alone, but in the row", name)
		}
	}
	if row.Incumbents != nil || row.Bound.Known() || row.Gap != nil || row.Minimised != "workflow_failures without the first 1 and the last 1" {
		t.Errorf("the row states %v, %v, %v and minimises %q", row.Incumbents, row.Bound, row.Gap, row.Minimised)
	}
	if len(row.Solution.Jobs) != 5 || *row.Solution.Objective != 3 {
		t.Errorf("the schedule has %d jobs and the objective %v, expected the whole of 5 and 3", len(row.Solution.Jobs), *row.Solution.Objective)
	}
	last := Measure(t.Context(), Chosen(t, "fcfs"), in, Settings{Measured: &Window{WarmUp: 3}})
	if last.Jobs != 2 || last.Metrics["makespan"].Total != 17 || last.Metrics["cost"].Total != 8 {
		t.Errorf("the last workflow has %d jobs, makespan %v and cost %v", last.Jobs, last.Metrics["makespan"], last.Metrics["cost"])
	}
}

// A schedule that is proved optimal for all jobs is not called so for some, and has neither bound nor gap.
func TestWindowProvesNothing(t *testing.T) {
	in := streamInstance(t, "makespan")
	whole := Measure(t.Context(), Chosen(t, "exact"), in, Settings{})
	part := Measure(t.Context(), Chosen(t, "exact"), in, Settings{Measured: &Window{Tail: 1}})
	if whole.Status != model.Optimal || !whole.Bound.Known() || whole.Gap == nil {
		t.Fatalf("the whole: %s, bound %v: this test needs a proof", whole.Status, whole.Bound)
	}
	if part.Status != model.Feasible || part.Bound.Known() || part.Gap != nil || part.Objective == nil {
		t.Errorf("the part: %s, bound %v, gap %v, objective %v", part.Status, part.Bound, part.Gap, part.Objective)
	}
}

// Jobs that are left out count where they are measured.
func TestWindowLeft(t *testing.T) {
	in := streamInstance(t, "makespan")
	sol := &model.Solution{Unscheduled: []model.Unscheduled{{Job: "a1", Reason: "r"}, {Job: "a2", Reason: "r"}, {Job: "b1", Reason: "r"}, {Job: "c1", Reason: "r"}, {Job: "d", Reason: "r"}}}
	row := Row{Solution: sol, Left: 5, Status: model.Feasible}
	if err := (&Window{WarmUp: 2, Tail: 1}).measure(in, &row); err != nil || row.Left != 1 || row.Jobs != 1 || row.Metrics["unfinished"].Total != 1 {
		t.Errorf("%v; %d of %d jobs are left out, metrics %v", err, row.Left, row.Jobs, row.Metrics)
	}
}

// Each metric is either one of machines or stays in the row, so that a new one must be thought about.
func TestWindowMetrics(t *testing.T) {
	var kept []string
	for _, m := range model.MetricTable() {
		if !slices.Contains(ofMachines, m.Name) {
			kept = append(kept, m.Name)
		}
	}
	want := []string{
		"makespan", "over_deadline", "mean_response", "mean_wait", "mean_slowdown", "slowdown_without_deadline", "cluster_slowdown_without_deadline", "bounded_slowdown",
		"finished", "unfinished", "missed", "miss_rate", "cluster_missed", "cluster_miss_rate", "data_moved", "work_done", "workload_share", "load_share", "job_share",
		"cost", "over_budget", "workflow_failures",
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("the metrics of a window (-expected +found)\n%s", diff)
	}
	for _, name := range ofMachines {
		if _, ok := model.MetricNamed(name); !ok {
			t.Errorf("there is no metric %s", name)
		}
	}
}

// windowSuite is a suite whose source of instances has the given window.
func windowSuite(measured string) string {
	return `{"format": "allot-suite/1", "name": "w", "instances": [{"generate": "ggone-workflows", "parameters": {"workflows": 6}` + measured + `}], "solvers": ["sr"]}`
}

// A window is part of a cell's key, and the key of a cell without one is what it was before there were windows.
func TestWindowKey(t *testing.T) {
	keys := map[string]string{}
	for _, measured := range []string{"", `, "measured": {"warm_up": 1, "tail": 2}`, `, "measured": {"warm_up": 2, "tail": 1}`, `, "measured": {"tail": 1}`} {
		plan := planOf(t, windowSuite(measured))
		key := plan.Cells[0].Key
		if before, taken := keys[key]; taken {
			t.Errorf("%q has the key of %q", measured, before)
		}
		keys[key] = measured
	}
	cell := Cell{Choice: &solve.Choice{Info: solve.Info{Name: "minmin"}, Given: map[string]string{"a": "1"}}, Seed: 3, Budget: Budget{Evaluations: 9}, Workers: 1}
	if key := cell.key("SHA", "makespan", nil); key != "9b49575de0c2118d" {
		t.Errorf("the key of a cell without a window is %s", key)
	}
}

// A run stores the window in its plan and its rows, and goes on from there.
func TestWindowRun(t *testing.T) {
	path, dir := writeSuite(t, windowSuite(`, "measured": {"warm_up": 1, "tail": 2}`)), t.TempDir()
	for range 2 {
		if err := runOf(t.Context(), path, RunOptions{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := ReadRows(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Window{WarmUp: 1, Tail: 2}
	if len(rows) != 1 || rows[0].Fault != "" || !cmp.Equal(rows[0].Measured, want) || rows[0].Jobs >= file.Instances[0].Jobs {
		t.Errorf("%d rows, of %v, %q", len(rows), rows[0].Measured, rows[0].Fault)
	}
	if !cmp.Equal(file.Instances[0].Measured, want) || !cmp.Equal(file.Suite.Instances[0].Measured, want) {
		text, _ := json.Marshal(file)
		t.Errorf("the run file states %s", text)
	}
}

// A window that leaves nothing, or under an objective that it has no figure for, is refused with its path when the suite is planned.
func TestWindowErrors(t *testing.T) {
	for measured, want := range map[string]string{
		`"measured": {"warm_up": 4, "tail": 2}`: "instances[0].measured: ggone-workflows workflows=6 seed=1: expected warm_up + tail below the number of workflows, 6, found 4 + 2",
		`"measured": {"warm_up": 9}`:            "expected warm_up + tail below the number of workflows, 6, found 9 + 0",
	} {
		suite, err := ReadSuite(writeSuite(t, windowSuite(", "+measured)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = suite.Plan(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, found %v", measured, want, err)
		}
	}
	err := (&Window{WarmUp: 1}).fits(streamInstance(t, "utilisation"))
	if want := "expected an objective that depends on the measured jobs alone, found utilisation, which depends on machines that other jobs use too"; err == nil || err.Error() != want {
		t.Errorf("expected %q, found %v", want, err)
	}
	source := InstanceSource{Generate: "muscle", Measured: &Window{WarmUp: -1}}
	suite := &Suite{Format: SuiteFormat, Name: "x", Instances: []InstanceSource{source}, Solvers: []SolverChoice{{Solver: "minmin"}}}
	if err = suite.Validate(); err == nil || !strings.Contains(err.Error(), "instances[0].measured.warm_up: expected at least 0, found -1") {
		t.Errorf("a warm-up below 0: %v", err)
	}
}
