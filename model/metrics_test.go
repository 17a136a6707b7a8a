package model_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// smallGrid has two clusters, a of two processors and b of one twice as fast, and five jobs.
const smallGrid = `{"schema": "allot/instance/1", "weights": {"over_deadline": 4, "makespan": 3, "idle_time": 1},
	"workflows": [{"id": "met", "deadline": 16, "budget": 10}, {"id": "late", "deadline": 19}, {"id": "torn"},
		{"id": "dear", "budget": 3}, {"id": "empty", "deadline": 0, "budget": 0}],
	"clusters": [
		{"id": "a", "machines": [{"id": "m", "processors": 2, "cost": 0.5}]},
		{"id": "b", "weights": {"over_deadline": 2, "makespan": 1, "idle_time": 1}, "machines": [{"id": "m", "speed": 2, "cost": 2}]}],
	"jobs": [
		{"id": "j1", "arrival": 10, "work": 4, "deadline": 16, "workflow": "met"},
		{"id": "j2", "arrival": 11, "processors": 2, "work": 6, "deadline": 18, "budget": 5, "workflow": "late"},
		{"id": "j3", "arrival": 12, "work": 8, "input": 3, "output": 1, "workflow": "met"},
		{"id": "j4", "arrival": 12, "work": 100, "deadline": 15, "deadline_hard": true, "workflow": "torn"},
		{"id": "j5", "arrival": 13, "work": 4, "deadline": 17, "deadline_hard": true, "workflow": "dear"}]}`

// smallGridSchedule runs j1 and j2 on a, j3 and j5 on b and leaves j4 out. That j5 misses its hard deadline is for Check
// to refuse; the metrics count it as not finished.
func smallGridSchedule() *model.Solution {
	return &model.Solution{
		Jobs: []model.Placement{
			placed("j1", "a", "0", 10, 14), placed("j2", "a", "0-1", 14, 20),
			placed("j3", "b", "0", 12, 16), placed("j5", "b", "0", 16, 18),
		},
		Unscheduled: []model.Unscheduled{{Job: "j4", Reason: "no"}},
	}
}

// evaluated is the evaluation of a solution.
func evaluated(t rapid.TB, in *model.Instance, sol *model.Solution) model.Evaluation {
	t.Helper()
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		t.Fatal(err)
	}
	return evaluation
}

// near says whether two numbers are equal but for rounding errors.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b)) }

// checkMetrics compares some metrics of one value.
func checkMetrics(t *testing.T, got model.Metrics, want map[string]float64) {
	t.Helper()
	for name, x := range want {
		if value, ok := got.Get(name); !ok || !near(value, x) {
			t.Errorf("%s: got %v, %v, want %v", name, value, ok, x)
		}
	}
}

// checkClusters compares a metric of the clusters.
func checkClusters(t *testing.T, got model.Metrics, name string, want map[string]float64) {
	t.Helper()
	values := got[name].ByCluster
	for id, x := range want {
		if !near(values[id], x) {
			t.Errorf("%s of %s: got %v, want %v", name, id, values[id], x)
		}
	}
	if len(values) != len(want) {
		t.Errorf("%s: got %v, want %v", name, values, want)
	}
}

func TestMetricsByHand(t *testing.T) {
	in, err := readInstance(smallGrid)
	if err != nil {
		t.Fatal(err)
	}
	got := evaluated(t, in, smallGridSchedule()).Metrics
	// Times count from 10. Cluster a: makespan 10, busy 4 + 2·6 = 16 of 2·10, over 20 − 18 = 2, cp (1·4 + 3·10 + 4·2)/8 = 5.25.
	// Cluster b: makespan 8, busy 4 + 2 = 6 of 8, over 18 − 17 = 1, cp (1·2 + 1·8 + 2·1)/4 = 3.
	checkClusters(t, got, "cp", map[string]float64{"a": 5.25, "b": 3})
	// Work: a 4 + 2·6 = 16, b 8 + 4 = 12.
	checkClusters(t, got, "workload_share", map[string]float64{"a": 100 * 16.0 / 28, "b": 100 * 12.0 / 28})
	// Late: j2 on a beside j1, j5 on b alone; j4 ran nowhere. Without a deadline: j3 on b.
	checkClusters(t, got, "cluster_missed", map[string]float64{"a": 1, "b": 1})
	checkClusters(t, got, "cluster_miss_rate", map[string]float64{"a": 50, "b": 100})
	checkClusters(t, got, "cluster_slowdown_without_deadline", map[string]float64{"a": 0, "b": 1})
	// Work of a task: a 4 + 6, b 8 + 4.
	checkClusters(t, got, "load_share", map[string]float64{"a": 100 * 10.0 / 22, "b": 100 * 12.0 / 22})
	checkClusters(t, got, "job_share", map[string]float64{"a": 50, "b": 50})
	// a: 10–11: 1 of min(2, 1); 11–14: 1 of min(2, 1 + 2); 14–20: 2 of 2. b: 12–18: 1 of 1.
	checkClusters(t, got, "cluster_processor_usage", map[string]float64{"a": 100 * (1 + 3*0.5 + 6) / 10, "b": 100})
	checkClusters(t, got, "cluster_licence_usage", map[string]float64{"a": 0, "b": 0})
	checkMetrics(t, got, map[string]float64{
		"slowdown_without_deadline": 1,
		// 10–12: 1 of one job. 12–14: 2 of two. 14–18: 3 of two. 18–20: 2 of one.
		"mean_partition": (2*1 + 2*1 + 4*1.5 + 2*2) / 10,
		"makespan":       10,
		"idle_time":      4 + 2,
		"over_deadline":  2 + 1,
		"mcp":            (5.25*2 + 3*2) / 4,                                         // 4.125; of four placed jobs each cluster has two
		"balance":        math.Sqrt((5.25-4.125)*(5.25-4.125) + (3-4.125)*(3-4.125)), // n − 1 = 1
		// F is j1, j2 and j3.
		"finished": 3, "unfinished": 2,
		"mean_response":    (4.0 + 9 + 4) / 3,
		"mean_wait":        (0.0 + 3 + 0) / 3,
		"mean_slowdown":    (1 + 1.5 + 1) / 3, // 4/4, 9/6, 4/4
		"bounded_slowdown": 1,                 // all shorter than 10
		"missed":           3,                 // j2, j4, j5
		"miss_rate":        75,
		"data_moved":       4,
		"work_done":        4 + 12 + 8,
		"utilisation":      100 * 22.0 / 30,
		"cost":             2 + 6 + 8 + 4, // 0.5·4, 0.5·2·6, 2·4, 2·2
		"over_budget":      1,             // j2 costs 6
		// late ends at 20, torn has a job left out, dear costs 4; met costs just its 10, empty has nothing to miss.
		"workflow_failures": 3,
		// 10–11: 1 of min(3, 1). 11–12: 1 of min(3, 1 + 2). 12–14: 2 of 3. 14–18: 3 of 3. 18–20: 2 of min(3, 2).
		"processor_usage": 100 * (1 + 1.0/3 + 2*2.0/3 + 4 + 2) / 10,
		"licence_usage":   0,
	})
	if _, ok := got["qos_penalty"]; ok {
		t.Error("qos_penalty without a queueing view")
	}
	if len(got) != len(model.MetricTable())-7 {
		t.Errorf("got %d metrics", len(got))
	}
}

func TestObjectiveIsTheWeightedSum(t *testing.T) {
	in, err := readInstance(smallGrid)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		objective map[string]float64
		want      float64
	}{
		{nil, 10},
		{map[string]float64{"mcp": 1}, 4.125},
		{map[string]float64{"makespan": 2, "finished": 5, "cost": 0.25}, 20 - 15 + 5},
		{map[string]float64{"makespan": 0}, 0},
	} {
		other, err := in.WithObjective(c.objective)
		if err != nil {
			t.Fatal(err)
		}
		if got := evaluated(t, other, smallGridSchedule()).Objective; !near(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.objective, got, c.want)
		}
	}
	built, err := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	if other, err := built.WithObjective(map[string]float64{"cost": 1}); err != nil || other.SHA256() != hashed(written(t, built)) || other.SHA256() != built.SHA256() {
		t.Errorf("WithObjective changed the SHA-256: %v", err)
	}
	for want, objective := range map[string]map[string]float64{
		"objective.makespan: expected 0 or a number of magnitude in [1e-18, 1e+18], found NaN":      {"makespan": math.NaN()},
		`objective.cp: expected a metric with one value, one of ` + plainMetrics() + `; found "cp"`: {"cp": 1},
	} {
		if _, err := in.WithObjective(objective); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if evaluated(t, in, smallGridSchedule()).Objective != 10 {
		t.Error("WithObjective changed the instance it came from")
	}
}

// A metric that is better when high is sought by a weight above 0 and avoided by one below, and stays as the file states it.
func TestObjectiveNegatesWhatIsBetterWhenHigh(t *testing.T) {
	for _, m := range model.MetricTable() {
		if m.PerCluster {
			continue
		}
		for _, weight := range []float64{1, -0.5, 0} {
			text := fmt.Sprintf(`"queueing": {"rate": 0.1}, "devices": ["gpu"], "tariff": {"price": [[0, 1]], "carbon": [[0, 1]]}, "horizon": {"to": 9}, "objective": {%q: %g},`, m.Name, weight)
			in, err := readInstance(document(text, `{"id": "c", "machines": [{"id": "m", "resources": {"gpu": 1}, "power": {"idle": 1}}]}`, `{"id": "j", "work": 1}`))
			if err != nil {
				t.Fatal(err)
			}
			want := weight
			if m.HighBetter {
				want = -weight
			}
			if term := in.ObjectiveTerms()[0]; term.Weight != want || math.Signbit(term.Weight) != (want < 0) {
				t.Errorf("%s: %v is the term %v", m.Name, weight, term)
			}
			if again, err := readInstance(written(t, in)); err != nil || again.ObjectiveTerms()[0] != in.ObjectiveTerms()[0] || in.StatedObjective()[m.Name] != weight {
				t.Errorf("%s: written with weight %v, read again as %v, %v", m.Name, weight, again.ObjectiveTerms(), err)
			}
			if in.Minimised() != nil {
				t.Errorf("%s: the file's own objective counts as replaced", m.Name)
			}
			if other, err := in.WithObjective(map[string]float64{m.Name: 3}); err != nil || other.Minimised()[m.Name] != 3 {
				t.Errorf("%s: replaced: %v, %v", m.Name, other.Minimised(), err)
			}
		}
	}
}

// A bound proves or refutes a schedule by the relative tolerance alone where its times are exact, however large they are: at an objective of 0
// it has none.
func TestBoundsAgainstAnEvaluation(t *testing.T) {
	for _, c := range []struct {
		at, deadline, bound float64
		proves, refutes     bool
	}{
		{0, 2, 0, true, false},           // nothing late
		{0, 2, 1e-16, true, true},        // and these times are not rounded
		{0, 2, 1e-9, true, true},         //
		{0, 1, 1, true, false},           // late by 1
		{0, 1, 1 - 1e-12, true, false},   //
		{0, 1, 1 - 1e-6, false, false},   //
		{0, 1, 1 + 1e-6, true, true},     //
		{1e9, 1e9 + 1, 1, true, false},   // late by 1 at times of 1e9
		{1e9, 1e9 + 2, 0, true, false},   //
		{1e9, 1e9 + 2, 1e-6, true, true}, // some 10 units in the last place of 1e9
		{1e9, 1e9 + 2, 1e-3, true, true}, //
	} {
		job := fmt.Sprintf(`{"id": "j", "work": 2, "arrival": %v, "deadline": %v}`, c.at, c.deadline)
		in, err := readInstance(document(`"objective": {"over_deadline": 1},`, `{"id": "c", "machines": [{"id": "m"}]}`, job))
		if err != nil {
			t.Fatal(err)
		}
		found, err := model.Evaluate(in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "0", c.at, c.at+2)}})
		bound := model.ProvedBound(c.bound)
		if err != nil || found.Proves(bound) != c.proves || found.Refutes(bound) != c.refutes {
			t.Errorf("%+v: proves %v, refutes %v at objective %v, %v", c, found.Proves(bound), found.Refutes(bound), found.Objective, err)
		}
	}
}

// Slowdowns of jobs of 1, 5 and 20 that wait 9, 5 and 20, and of one of no time that waits 30.
func TestSlowdownsByHand(t *testing.T) {
	in := oneProcessor(t, "", 1, 5, 20, 0)
	sol := &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 9, 10), placed("j1", "c", "0", 5, 10), placed("j2", "c", "0", 20, 40), placed("j3", "c", "0", 30, 30)}}
	checkMetrics(t, evaluated(t, in, sol).Metrics, map[string]float64{
		"mean_slowdown":    (10.0/1 + 10.0/5 + 40.0/20) / 3, // the job of no time has no slowdown
		"bounded_slowdown": (10.0/10 + 10.0/10 + 40.0/20 + 30.0/10) / 4,
		"mean_wait":        (9.0 + 5 + 20 + 30) / 4,
	})
}

// The case study of MUSCLE (2004), Table 1: seeds of two clusters of four and six processors.
func TestMuscleCaseStudy(t *testing.T) {
	in, err := readInstance(`{"schema": "allot/instance/1", "objective": {"mcp": 1}, "weights": {"over_deadline": 4, "makespan": 3, "idle_time": 1},
		"clusters": [{"id": "C1", "machines": [{"id": "m", "count": 4}]}, {"id": "C2", "machines": [{"id": "m", "count": 6}]}],
		"jobs": [
			{"id": "J1", "processors": 2, "work": 2, "deadline": 8}, {"id": "J2", "processors": 1, "work": 4, "deadline": 12},
			{"id": "J3", "processors": 4, "work": 4, "deadline": 18}, {"id": "J4", "processors": 3, "work": 6, "deadline": 18},
			{"id": "J5", "processors": 1, "work": 2, "deadline": 6}, {"id": "J6", "processors": 2, "work": 4, "deadline": 12}]}`)
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Status: model.Feasible, Jobs: []model.Placement{
		placed("J4", "C1", "0-2", 0, 6), placed("J2", "C1", "3", 0, 4), placed("J5", "C1", "3", 4, 6),
		placed("J3", "C2", "0-3", 0, 4), placed("J1", "C2", "4-5", 0, 2), placed("J6", "C2", "4-5", 2, 6),
	}}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(violations(report))
	}
	// Makespans 6 and 6, idle 0 and 6·6 − 28 = 8, nothing late: cp (3·6)/8 and (8 + 3·6)/8.
	checkClusters(t, report.Metrics, "cp", map[string]float64{"C1": 2.25, "C2": 3.25})
	checkMetrics(t, report.Metrics, map[string]float64{"mcp": 2.75, "balance": math.Sqrt2 / 2, "makespan": 6, "idle_time": 8, "over_deadline": 0})
	if report.Objective != 2.75 {
		t.Errorf("objective %v", report.Objective)
	}
}

// A job over several clusters counts as a job, and as late, in the cluster of its first piece; its time and work where they are.
func TestMetricsOfAJobInPieces(t *testing.T) {
	in, err := readInstance(document(`"workflows": [{"id": "w", "budget": 15.5}],`,
		`{"id": "a", "machines": [{"id": "m", "cost": 1}]}, {"id": "b", "machines": [{"id": "m", "speed": 2, "cost": 3}]}`,
		`{"id": "j", "processors": 2, "tasks": 3, "work": 4, "span": "grid", "deadline": 5, "workflow": "w"}, {"id": "k", "work": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Status: model.Feasible, Jobs: []model.Placement{
		{Job: "j", Start: 2, End: 6, Pieces: []model.Piece{
			{Cluster: "b", Processors: set("0"), Tasks: 2, Start: 2, End: 6}, {Cluster: "a", Processors: set("0"), Tasks: 1, Start: 2, End: 6}}},
		placed("k", "a", "0", 0, 2),
	}}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(violations(report))
	}
	// a: makespan 6, busy 2 + 4 = 6, idle 0, cp 6/3. b: makespan 6, busy 4, idle 2, over 1, cp (6 + 2 + 1)/3.
	checkClusters(t, report.Metrics, "cp", map[string]float64{"a": 2, "b": 3})
	checkClusters(t, report.Metrics, "workload_share", map[string]float64{"a": 100 * 6.0 / 14, "b": 100 * 8.0 / 14})
	checkMetrics(t, report.Metrics, map[string]float64{
		"mcp": (2 + 3) / 2.0, "makespan": 6, "over_deadline": 1, "mean_wait": 1, "work_done": 14,
		"cost":              2 + 4*1 + 4*3,
		"workflow_failures": 1, // 16 is above 15.5
		"utilisation":       100 * 10.0 / 12,
	})
}

func TestLicenceUsageByHand(t *testing.T) {
	in, err := readInstance(document(`"licences": {"x": 2, "unused": 7, "none": 0},`,
		`{"id": "c", "licences": {"y": 3}, "machines": [{"id": "m", "processors": 4}]}`,
		`{"id": "p", "work": 4, "licences": {"x": 1}}, {"id": "q", "arrival": 2, "work": 2, "licences": {"x": 2, "none": 0}},
		 {"id": "r", "arrival": 1, "work": 2, "licences": {"y": 1}}, {"id": "s", "work": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Status: model.Feasible, Jobs: []model.Placement{
		placed("p", "c", "0", 0, 4), placed("q", "c", "0", 4, 6), placed("r", "c", "1", 3, 5), placed("s", "c", "2", 0, 1)}}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(violations(report))
	}
	// x: 0–2: 1 of min(2, 1); 2–4: 1 of min(2, 1 + 2); 4–6: 2 of 2. y: 1–3: 0 of min(3, 1); 3–5: 1 of min(3, 1).
	x, y := (2*1+2*0.5+2*1)/6, (2*0+2*1.0)/4
	checkMetrics(t, report.Metrics, map[string]float64{"licence_usage": 100 * (x + y) / 2})
	checkClusters(t, report.Metrics, "cluster_licence_usage", map[string]float64{"c": 100 * y}) // x is the grid's
}

func TestMetricsOfNothingAreZero(t *testing.T) {
	nothing := document(`"licences": {"x": 2}, "objective": {"mcp": 1, "finished": -1},`, `{"id": "a", "machines": [{"id": "m"}]}, {"id": "b", "machines": [{"id": "m"}]}`, "")
	jobs := document(`"weights": {"over_deadline": 0, "makespan": 0, "idle_time": 0},`, `{"id": "a", "machines": [{"id": "m"}]}`, `{"id": "j", "arrival": 7, "work": 0}`)
	left := &model.Solution{Unscheduled: []model.Unscheduled{{Job: "j", Reason: "no"}}}
	atOnce := &model.Solution{Jobs: []model.Placement{placed("j", "a", "0", 7, 7)}}
	for _, c := range []struct {
		name, instance string
		sol            *model.Solution
		want           map[string]float64 // by metric, or metric[cluster]; others are 0
	}{
		{"no jobs", nothing, &model.Solution{}, nil},
		{"nothing placed", jobs, left, map[string]float64{"unfinished": 1}},
		{"no work and no weights", jobs, atOnce, map[string]float64{"finished": 1, "bounded_slowdown": 1, "job_share[a]": 100}},
	} {
		in, err := readInstance(c.instance)
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, c.sol)
		if !report.OK() {
			t.Errorf("%s: %s", c.name, violations(report))
		}
		for _, m := range model.MetricTable() {
			value, ok := report.Metrics[m.Name]
			if ok != (m.Only == "") || value.Total != c.want[m.Name] {
				t.Errorf("%s: %s is %v, %v", c.name, m.Name, value.Total, ok)
			}
			for id, x := range value.ByCluster {
				if x != c.want[m.Name+"["+id+"]"] {
					t.Errorf("%s: %s of %s is %v", c.name, m.Name, id, x)
				}
			}
		}
	}
}

// Whatever the numbers, no metric is NaN or infinite; one that would be is absent.
func TestMetricsAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Wild: rapid.Bool().Draw(t, "wild")}.Instance(t)
		sol := drawSolution(t, in)
		evaluation, err := model.Evaluate(in, sol)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range evaluation.Metrics {
			for _, x := range append([]float64{value.Total}, values(value.ByCluster)...) {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("%s is %v", name, x)
				}
			}
		}
		if alone, err := model.EvaluateObjective(in, sol); err != nil || alone != evaluation.Objective {
			t.Errorf("the objective alone is %v, %v, expected %v", alone, err, evaluation.Objective)
		}
		if math.IsNaN(evaluation.Objective) || math.IsInf(evaluation.Objective, -1) {
			t.Errorf("objective %v", evaluation.Objective)
		}
		for _, m := range model.MetricTable() {
			if _, ok := evaluation.Metrics[m.Name]; !ok && m.Only == "" {
				t.Errorf("%s is absent", m.Name)
			}
		}
	})
}

// values are the values of a map.
func values(m map[string]float64) []float64 {
	var list []float64
	for _, x := range m {
		list = append(list, x)
	}
	return list
}

// Which metrics are better when high, or neither, decides what an objective seeks; which are of clusters, what it may name.
func TestSenseOfMetrics(t *testing.T) {
	const high, neither, clusters = "finished data_moved work_done utilisation processor_usage cluster_processor_usage licence_usage cluster_licence_usage device_utilisation",
		"mean_partition workload_share load_share job_share",
		"cp cluster_slowdown_without_deadline cluster_missed cluster_miss_rate cluster_processor_usage cluster_licence_usage workload_share load_share job_share"
	for _, m := range model.MetricTable() {
		want := "low"
		if slices.Contains(strings.Fields(high), m.Name) {
			want = "high"
		}
		if slices.Contains(strings.Fields(neither), m.Name) {
			want = "neither"
		}
		if m.Better() != want || m.HighBetter != (want == "high") || m.PerCluster != slices.Contains(strings.Fields(clusters), m.Name) {
			t.Errorf("%s: %s is better, a number a cluster %v", m.Name, m.Better(), m.PerCluster)
		}
	}
}
