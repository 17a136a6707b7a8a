package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// The rich solution costs: makespan 15 (second ends last), cost 0.25 a unit of processor time on m: first 4·10, second 2·5,
// two copies 10, one copy 5, data 13, own pools 5 + 5, heavy 5 = 93 → 23.25; objective 15 + 0.5·23.25 = 26.625.
func stating(change func(s *model.Solution)) func(s *model.Solution) {
	return func(s *model.Solution) {
		objective := 26.625
		s.Objective, s.Owed = &objective, 1 // it leaves out one job
		s.Metrics = model.Metrics{"makespan": {Total: 15}, "cost": {Total: 23.25}}
		change(s)
	}
}

// metric states one metric.
func metric(name string, value model.MetricValue) func(s *model.Solution) {
	return stating(func(s *model.Solution) { s.Metrics[name] = value })
}

var brokenFigures = []broken{
	{"all right", stating(func(*model.Solution) {}), nil},
	{"metric", metric("makespan", model.MetricValue{Total: 15.1}), []string{"wrong-metric resource makespan: stated 15.1, found 15"}},
	{"metric is NaN", metric("makespan", model.MetricValue{Total: math.NaN()}), []string{"wrong-metric resource makespan: stated NaN, found 15"}},
	{"metric is infinite", metric("makespan", model.MetricValue{Total: math.Inf(1)}), []string{"wrong-metric resource makespan: stated +Inf, found 15"}},
	{"metric that there is not", metric("speed", model.MetricValue{Total: 1}), []string{"wrong-metric resource speed: there is no such metric"}},
	{"metric without a value here", metric("qos_penalty", model.MetricValue{}), []string{"wrong-metric resource qos_penalty: stated, and not finite for this solution"}},
	{"number for a metric of the clusters", metric("cp", model.MetricValue{Total: 1}), []string{
		"wrong-metric resource cp: expected a number a cluster for a metric of the clusters, and one number for any other"}},
	{"numbers for a metric of the grid", metric("cost", model.MetricValue{ByCluster: map[string]float64{"c1": 1}}), []string{
		"wrong-metric resource cost: expected a number a cluster for a metric of the clusters, and one number for any other"}},
	// Work on c1: first 4·100, second 2·50, two copies 100, one copy 50, spread 6·10, data 100, smp 4·200, own pools 50 + 50,
	// heavy 50 = 1760; on c2: spread 60, one more 100 = 160.
	{"metrics of a cluster", metric("workload_share", model.MetricValue{ByCluster: map[string]float64{"c2": 50, "c1": 60, "c3": 1}}), []string{
		"wrong-metric cluster c1 resource workload_share: stated 60, found 91.66666666666667",
		"wrong-metric cluster c2 resource workload_share: stated 50, found 8.333333333333334",
		"wrong-metric cluster c3 resource workload_share: the instance has no such cluster"}},
	{"objective", stating(func(s *model.Solution) { *s.Objective = 26.6251 }), []string{"wrong-objective: stated 26.6251, found 26.625"}},
	{"objective is NaN", stating(func(s *model.Solution) { *s.Objective = math.NaN() }), []string{"wrong-objective: stated NaN, found 26.625"}},
	{"objective is infinite", stating(func(s *model.Solution) { *s.Objective = math.Inf(1) }), []string{"wrong-objective: stated +Inf, found 26.625"}},
	{"bound", stating(func(s *model.Solution) { s.Bound = model.ProvedBound(26.7) }), []string{"wrong-bound: the lower bound 26.7 is above the objective 26.625"}},
	{"bound of schedules that owe less", stating(func(s *model.Solution) { s.Bound, s.Owed = model.ProvedBound(26.7), 0 }), nil},
	{"more owed than left out", stating(func(s *model.Solution) { s.Owed = 2 }), []string{"wrong-bound: stated that every schedule owes at least 2 of the jobs, and this one owes 1"}},
	{"more owed than left out, and a bound", stating(func(s *model.Solution) { s.Bound, s.Owed = model.ProvedBound(26.7), 2 }), []string{
		"wrong-bound: stated that every schedule owes at least 2 of the jobs, and this one owes 1"}},
	{"optimal and owes more", stating(func(s *model.Solution) { s.Status, s.Bound, s.Owed = model.Optimal, model.ProvedBound(26.625), 0 }), []string{
		"wrong-status resource optimal: stated optimal, and it owes 1 of the jobs where a schedule is stated to owe at least 0"}},
	{"optimal without a bound", stating(func(s *model.Solution) { s.Status = model.Optimal }), []string{"wrong-status resource optimal: stated optimal without a bound"}},
	// The smallest term is 11.625, and solvers may end a proof at 1e-4 of it.
	{"optimal by a solver's tolerance", stating(func(s *model.Solution) { s.Status, s.Bound = model.Optimal, model.ProvedBound(26.6239) }), nil},
	{"optimal above its bound", stating(func(s *model.Solution) { s.Status, s.Bound = model.Optimal, model.ProvedBound(26.6238) }), []string{
		"wrong-status resource optimal: stated optimal, and the lower bound 26.6238 does not reach the objective 26.625"}},
	{"infeasible with a schedule", stating(func(s *model.Solution) { s.Status = model.Infeasible }), []string{"wrong-status resource infeasible: stated infeasible, and jobs are placed"}},
	{"another instance", stating(func(s *model.Solution) { s.InstanceSHA256 = strings.Repeat("0", 64) }), []string{
		"wrong-instance: made for an instance of SHA-256 " + strings.Repeat("0", 60) + "…, this one has " + hashed(richInstance)}},
}

func TestCheckRefusesWrongFigures(t *testing.T) { checkBroken(t, brokenFigures) }

// A solution that says that there is none needs no jobs.
func TestCheckAcceptsInfeasible(t *testing.T) {
	report := model.Check(rich(t), &model.Solution{Status: model.Infeasible, Bound: model.ProvedBound(1e9)})
	if !report.OK() {
		t.Error(violations(report))
	}
}

// A figure that is not finite cannot be stated, whatever is stated: the penalty of an unstable queue is infinite.
func TestCheckRefusesAnyObjectiveWhereItIsInfinite(t *testing.T) {
	in := ggone(t, 0.3)
	sol := assignment(in, "222", nil)
	if report := model.Check(in, sol); !report.OK() || !math.IsInf(report.Objective, 1) {
		t.Fatalf("objective %v, %s", report.Objective, violations(report))
	}
	sol.Objective = new(1e9)
	if got, want := violations(model.Check(in, sol)), "wrong-objective: stated 1e+09, found +Inf"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	sol.Objective, sol.Bound = nil, model.ProvedBound(1e9)
	if report := model.Check(in, sol); !report.OK() {
		t.Errorf("any bound is below an infinite objective: %s", violations(report))
	}
}

var brokenLoads = []broken{
	{"right", nil, nil},
	{"too little for its jobs", load(0, 0.1), []string{
		"loads cluster g resource R1: rate 0.1 is less than its 2 jobs need, 0.2", "loads: the rates add up to 0.2, expected 0.3"}},
	{"not below the service rate", load(1, 0.25), []string{
		"loads cluster g resource R2: rate 0.25 is not below the service rate 0.25", "loads: the rates add up to 0.45, expected 0.3"}},
	{"machine that there is not", func(s *model.Solution) { s.Loads[1].Machine = "R3" }, []string{
		"loads cluster g resource R2: rate 0 is less than its 1 jobs need, 0.1", "loads cluster g resource R3: the instance has no such machine"}},
	{"machine twice", func(s *model.Solution) { s.Loads[1].Machine = "R1" }, []string{
		"loads cluster g resource R1: the load of the machine is stated twice",
		"loads cluster g resource R1: rate 0.1 is less than its 2 jobs need, 0.2",
		"loads cluster g resource R2: rate 0 is less than its 1 jobs need, 0.1"}},
	{"NaN", load(0, math.NaN()), []string{"loads cluster g resource R1: expected a finite rate of at least 0, found NaN"}},
	{"negative", func(s *model.Solution) {
		s.Loads = append(s.Loads, model.Load{Cluster: "g", Machine: "R2", Rate: -1})
	}, []string{
		"loads cluster g resource R2: the load of the machine is stated twice",
		"loads cluster g resource R2: expected a finite rate of at least 0, found -1",
		"loads cluster g resource R2: rate -1 is less than its 1 jobs need, 0.1",
		"loads: the rates add up to -0.7, expected 0.3"}},
}

// load states another load.
func load(k int, rate float64) func(s *model.Solution) {
	return func(s *model.Solution) { s.Loads[k].Rate = rate }
}

func TestCheckRefusesWrongLoads(t *testing.T) {
	in := ggone(t, 0.3)
	for _, c := range brokenLoads {
		t.Run(c.name, func(t *testing.T) {
			sol := assignment(in, "112", []float64{0.2, 0.1})
			if c.change != nil {
				c.change(sol)
			}
			if got, want := violations(model.Check(in, sol)), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	sol := richSolution()
	sol.Loads = []model.Load{{Cluster: "c1", Machine: "n", Rate: 1}}
	if got, want := violations(model.Check(rich(t), sol)), "loads cluster c1 resource n: loads are stated for an instance without a queueing view"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Names from a file come quoted where they would not print as they are, so that a violation is one line.
func TestViolationsAreOneLine(t *testing.T) {
	in, err := readInstance(document("", `{"id": "c\u001b[31m", "machines": [{"id": "m"}]}`, `{"id": "two\nlines", "work": 1}, {"id": "naïve job", "work": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Jobs: []model.Placement{
		{Job: "two\nlines", Cluster: "c\x1b[31m", Processors: set("0"), Start: 0, End: 1},
		{Job: "naïve job", Cluster: "c\x1b[31m", Processors: set("0"), Start: 0.5, End: 1.5}}}
	want := `overlap job naïve job cluster "c\x1b[31m" resource 0 [0.5, 1): job "two\nlines" holds the processor until 1`
	if got := violations(model.Check(in, sol)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The list of violations is as long as that of faults, and the rest are counted.
func TestCheckCountsViolationsPastTheList(t *testing.T) {
	sol := richSolution()
	for k := range 5000 {
		sol.Jobs = append(sol.Jobs, placed(fmt.Sprint(k), "c1", "0", 0, 1))
	}
	report := model.Check(rich(t), sol)
	if len(report.Violations) != model.MaxListed || report.More != 4000 || report.OK() {
		t.Errorf("got %d violations and %d more", len(report.Violations), report.More)
	}
}

// A machine that its jobs just fill is not stable, even where the stated rate is a little less.
func TestCheckRefusesAFullMachineWithATolerableRate(t *testing.T) {
	in, err := readInstance(`{"schema": "allot/instance/1", "objective": {"qos_penalty": 1}, "queueing": {"rate": 0.5, "period": 2, "cv": 1},
		"clusters": [{"id": "g", "machines": [{"id": "m", "queue": {"service_rate": 0.5}}]}], "jobs": [{"id": "a", "work": 1}]}`)
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{placed("a", "g", "0", 0, 1)},
		Loads: []model.Load{{Cluster: "g", Machine: "m", Rate: 0.5 * (1 - 0x1p-51)}}}
	if got, want := violations(model.Check(in, sol)), "loads cluster g resource m: rate 0.5 is not below the service rate 0.5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
