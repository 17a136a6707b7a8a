package model_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// The rich instance asks for most things there are. Processors of c1: 0-3 and 4-7 on two machines m of speed 10, 8-11 on
// n of speed 20; of c2: two whole machines of speed 4·5.
const richInstance = `{"schema": "allot/instance/1", "name": "rich", "objective": {"makespan": 1, "cost": 0.5},
	"licences": {"matlab": 3},
	"clusters": [
		{"id": "c1", "licences": {"ansys": 2}, "machines": [
			{"id": "m", "count": 2, "processors": 4, "speed": 10, "memory": 100, "bandwidth": 10, "cost": 0.25, "licences": ["ansys", "matlab"]},
			{"id": "n", "processors": 4, "speed": 20, "bandwidth": 2, "licences": []}]},
		{"id": "c2", "allocation": "machine", "machines": [
			{"id": "r", "count": 2, "processors": 4, "speed": 5, "memory": 50, "bandwidth": 6}]}],
	"jobs": [
		{"id": "first", "processors": 4, "work": 100},
		{"id": "second", "processors": 2, "work": 50, "memory": 40, "after": ["first"]},
		{"id": "two copies", "work": 100, "licences": {"matlab": 2}},
		{"id": "one copy", "work": 50, "licences": {"matlab": 1}},
		{"id": "stated", "arrival": 5, "processors": 2, "runtime": {"c1": 12, "c2": 6}, "deadline": 30, "deadline_hard": true},
		{"id": "spread", "arrival": 1, "tasks": 12, "processors": {"min": 3, "max": 8}, "work": 10, "span": "grid"},
		{"id": "data", "work": 100, "input": 20, "output": 10, "min_bandwidth": 5},
		{"id": "smp", "processors": 4, "work": 200, "span": "machine", "licences": {"matlab": 0}},
		{"id": "own pool", "work": 50, "licences": {"ansys": 2}},
		{"id": "own pool too", "work": 50, "licences": {"ansys": 1}},
		{"id": "only c2", "runtime": {"c2": 3}},
		{"id": "heavy", "work": 50, "memory": 30},
		{"id": "one more", "work": 100, "licences": {"matlab": 1}},
		{"id": "left", "processors": 64, "work": 1}]}`

// placed is a placement in one piece.
func placed(job, cluster, processors string, start, end float64) model.Placement {
	return model.Placement{Job: job, Cluster: cluster, Processors: set(processors), Start: start, End: end}
}

// set is a set of processors from its text.
func set(text string) model.ProcessorSet {
	s, err := model.ParseProcessorSet(text)
	if err != nil {
		panic(err)
	}
	return s
}

// richSolution is a schedule of the rich instance with which nothing is wrong, made anew.
func richSolution() *model.Solution {
	return &model.Solution{
		Schema: model.SolutionSchema, Status: model.Feasible, Stop: model.StopDone,
		Jobs: []model.Placement{
			placed("first", "c1", "0-3", 0, 10),
			placed("second", "c1", "0-1", 10, 15), // at the very instant that first ends
			placed("two copies", "c1", "4", 0, 10),
			placed("one copy", "c1", "5", 0, 5),
			placed("stated", "c2", "0", 5, 11),
			{Job: "spread", Start: 1, End: 4, Pieces: []model.Piece{
				{Cluster: "c1", Processors: set("8-9"), Tasks: 6, Start: 1, End: 2.5},
				{Cluster: "c2", Processors: set("1"), Tasks: 6, Start: 1, End: 4},
			}},
			placed("data", "c1", "6", 0, 13),
			placed("smp", "c1", "8-11", 2.5, 12.5), // right behind a piece that is released early
			placed("own pool", "c1", "7", 0, 5),
			placed("own pool too", "c1", "7", 5, 10),
			placed("only c2", "c2", "1", 4, 7),
			placed("heavy", "c1", "4", 10, 15),
			placed("one more", "c2", "1", 7, 12),
		},
		Unscheduled: []model.Unscheduled{{Job: "left", Reason: "needs 64 processors"}},
	}
}

// rich reads the rich instance.
func rich(t testing.TB) *model.Instance {
	t.Helper()
	in, err := readInstance(richInstance)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// placementOf is the placement of a job.
func placementOf(sol *model.Solution, job string) *model.Placement {
	k := slices.IndexFunc(sol.Jobs, func(p model.Placement) bool { return p.Job == job })
	return &sol.Jobs[k]
}

// violations are the violations of a report, one a line.
func violations(report model.Report) string {
	var lines []string
	for _, v := range report.Violations {
		lines = append(lines, v.Error())
	}
	return strings.Join(lines, "\n")
}

func TestCheckAcceptsTheRichSolution(t *testing.T) {
	in, sol := rich(t), richSolution()
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		t.Fatal(err)
	}
	sol.Metrics, sol.Objective, sol.Bound = evaluation.Metrics, &evaluation.Objective, model.ProvedBound(0)
	sol.InstanceSHA256 = in.SHA256()
	if report := model.Check(in, sol); !report.OK() {
		t.Error(violations(report))
	}
}

// broken is a change of the rich solution and what Check must say of it, line by line.
type broken struct {
	name   string
	change func(sol *model.Solution)
	want   []string
}

// move changes where and when a job runs.
func move(job, cluster, processors string, start, end float64) func(*model.Solution) {
	return func(sol *model.Solution) { *placementOf(sol, job) = placed(job, cluster, processors, start, end) }
}

// change changes a placement.
func change(job string, f func(p *model.Placement)) func(*model.Solution) {
	return func(sol *model.Solution) { f(placementOf(sol, job)) }
}

var brokenSchedules = []broken{
	{"job is missing", func(s *model.Solution) { s.Unscheduled = nil },
		[]string{"missing-job job left: the job is neither placed nor left out"}},
	{"job twice", func(s *model.Solution) { s.Jobs = append(s.Jobs, placed("one copy", "c1", "5", 20, 25)) },
		[]string{"duplicate-job job one copy [20, 25): the job is placed more than once"}},
	{"job placed and left out", func(s *model.Solution) {
		s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: "first", Reason: "no"}, model.Unscheduled{Job: "left", Reason: "no"})
	}, []string{
		"duplicate-job job first: the job is left out, and also placed or left out elsewhere",
		"duplicate-job job left: the job is left out, and also placed or left out elsewhere",
	}},
	{"job that there is not", func(s *model.Solution) {
		s.Jobs = append(s.Jobs, placed("x", "c1", "5", 20, 25))
		s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: "y"})
	}, []string{"unknown-job job x: the instance has no such job", "unknown-job job y: the instance has no such job"}},
	{"no reason", func(s *model.Solution) { s.Unscheduled[0].Reason = "" }, []string{"no-reason job left: the job is left out without a reason"}},
	{"cluster that there is not", move("one copy", "c3", "5", 0, 5), []string{`unknown-cluster job one copy cluster c3 [0, 5): the instance has no cluster "c3"`}},
	{"no cluster", move("one copy", "", "5", 0, 5), []string{`unknown-cluster job one copy [0, 5): the instance has no cluster ""`}},
	{"foreign processor", move("one copy", "c1", "12", 0, 5), []string{"foreign-processor job one copy cluster c1 resource 12 [0, 5): c1 has the processors 0-11"}},
	{"foreign processor of whole machines", move("only c2", "c2", "4", 4, 7), []string{"foreign-processor job only c2 cluster c2 resource 4 [4, 7): c2 has the processors 0-1"}},
	{"two billion processors", move("one copy", "c1", "0-2000000000", 0, 5), []string{
		"foreign-processor job one copy cluster c1 resource 0-2000000000 [0, 5): c1 has the processors 0-11"}},
	{"negative processor", change("one copy", func(p *model.Placement) { p.Processors = model.ProcessorSet{{First: -1, Last: 0}} }),
		[]string{"foreign-processor job one copy cluster c1 resource -1-0 [0, 5): c1 has the processors 0-11"}},
	{"processors out of order", change("one copy", func(p *model.Placement) {
		p.Processors = model.ProcessorSet{{First: 0, Last: 1 << 30}, {First: 1, Last: 1}}
	}),
		[]string{"foreign-processor job one copy cluster c1 resource 0-1073741824,1 [0, 5): c1 has the processors 0-11"}},
	{"processors backwards", change("one copy", func(p *model.Placement) { p.Processors = model.ProcessorSet{{First: 5, Last: 4}} }),
		[]string{"foreign-processor job one copy cluster c1 resource 5 [0, 5): c1 has the processors 0-11"}},
	{"no processors", change("one copy", func(p *model.Placement) { p.Processors = nil }),
		[]string{"processor-count job one copy cluster c1 [0, 5): no processors are named"}},
	{"start is NaN", move("one copy", "c1", "5", math.NaN(), 5), []string{"bad-time job one copy: expected 0 ≤ start ≤ end, found NaN and 5"}},
	{"end is NaN", move("one copy", "c1", "5", 0, math.NaN()), []string{"bad-time job one copy: expected 0 ≤ start ≤ end, found 0 and NaN"}},
	{"end is infinite", move("one copy", "c1", "5", 0, math.Inf(1)), []string{"bad-time job one copy: expected 0 ≤ start ≤ end, found 0 and +Inf"}},
	{"end before start", move("one copy", "c1", "5", 5, 0), []string{"bad-time job one copy: expected 0 ≤ start ≤ end, found 5 and 0"}},
	{"negative start", move("one copy", "c1", "5", -5, 0), []string{"bad-time job one copy: expected 0 ≤ start ≤ end, found -5 and 0"}},
}

// checkBroken checks each change of the rich solution.
func checkBroken(t *testing.T, cases []broken) {
	t.Helper()
	in := rich(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sol := richSolution()
			c.change(sol)
			if got, want := violations(model.Check(in, sol)), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestCheckRefusesBrokenSchedules(t *testing.T) { checkBroken(t, brokenSchedules) }

// codes are all codes that report.go declares.
func codes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "report.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Code" {
				code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, code)
			}
		}
		return true
	})
	return list
}

func TestEveryCodeIsProvoked(t *testing.T) {
	provoked := map[string]bool{}
	for _, cases := range [][]broken{brokenSchedules, brokenJobs, brokenResources, brokenFigures, brokenLoads, brokenNodes, brokenPower} {
		for _, c := range cases {
			for _, line := range c.want {
				code, _, _ := strings.Cut(line, " ")
				provoked[strings.TrimSuffix(code, ":")] = true
			}
		}
	}
	all := codes(t)
	for _, code := range all {
		if !provoked[code] {
			t.Errorf("no case for code %s", code)
		}
	}
	if len(all) < 20 {
		t.Errorf("found only %d codes in report.go", len(all))
	}
}

// A job with as many tasks as processors runs one on each. Were uneven pieces allowed, job b could hold two processors for half of its time and so fill
// time that is idle in every schedule that the time rule knows.
func TestCheckRefusesUnevenPieces(t *testing.T) {
	for _, span := range []string{"cluster", "grid"} { // a job that may spread over the grid is here in one cluster alone
		t.Run(span, func(t *testing.T) { refusesUnevenPieces(t, span) })
	}
}

func refusesUnevenPieces(t *testing.T, span string) {
	in, err := readInstance(fmt.Sprintf(`{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m", "count": 4}]}], "jobs": [
		{"id": "a", "work": 2}, {"id": "b", "processors": 3, "work": 1, "span": %q}, {"id": "many", "tasks": 6, "processors": 2, "work": 1, "span": %[1]q}]}`, span))
	if err != nil {
		t.Fatal(err)
	}
	piece := func(processors string, tasks int, start, end float64) model.Piece {
		return model.Piece{Cluster: "c", Processors: set(processors), Tasks: tasks, Start: start, End: end}
	}
	sol := &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{
		placed("a", "c", "3", 0, 2),
		{Job: "b", Start: 0, End: 2, Pieces: []model.Piece{piece("0", 2, 0, 2), piece("1-2", 1, 0, 1)}},
		{Job: "many", Start: 2, End: 6, Pieces: []model.Piece{piece("0", 4, 2, 6), piece("1", 2, 2, 4)}}, // more tasks than processors: as the scheduler likes
	}}
	var found []string
	for _, v := range model.Check(in, sol).Violations {
		found = append(found, string(v.Code)+" "+v.Job)
	}
	if want := []string{"tasks b", "tasks b"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	sol.Jobs[1].End, sol.Jobs[1].Pieces = 1, []model.Piece{piece("0", 1, 0, 1), piece("1-2", 2, 0, 1)}
	if report := model.Check(in, sol); len(report.Violations) > 0 {
		t.Errorf("even pieces: %v", report.Violations)
	}
}

// A job that may spread gives more tasks to a faster cluster, and its tasks are spread evenly in each.
func TestCheckAcceptsMoreTasksOnAFasterCluster(t *testing.T) {
	in, err := readInstance(`{"schema": "allot/instance/1", "clusters": [{"id": "slow", "machines": [{"id": "m", "count": 2}]}, {"id": "fast", "machines": [{"id": "m", "speed": 3}]}],
		"jobs": [{"id": "a", "processors": 3, "tasks": 5, "work": 3, "span": "grid"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{{Job: "a", Start: 0, End: 3, Pieces: []model.Piece{
		{Cluster: "slow", Processors: set("0-1"), Tasks: 2, Start: 0, End: 3}, {Cluster: "fast", Processors: set("0"), Tasks: 3, Start: 0, End: 3}}}}}
	if report := model.Check(in, sol); len(report.Violations) > 0 {
		t.Errorf("%v", report.Violations)
	}
}

// A solution for another objective is checked by that one, and one for no objective by the instance's.
func TestCheckForTheObjectiveMinimised(t *testing.T) {
	in := rich(t)
	for _, c := range []struct {
		minimised map[string]float64
		objective float64
		want      string
	}{
		{nil, 15 + 0.5*23.25, "wrong-objective: stated 15, found 26.625"}, // 93 processors times time on m, at 0.25
		{map[string]float64{"makespan": 1}, 15, ""},
		{map[string]float64{"cp": 1}, 26.625, "wrong-objective: minimised: objective.cp: expected a metric with one value, one of " + plainMetrics() + `; found "cp"` + "\nwrong-objective: stated 15, found 26.625"},
	} {
		sol := richSolution()
		sol.Minimised, sol.Objective = c.minimised, new(15.0)
		if report := model.Check(in, sol); violations(report) != c.want || report.Objective != c.objective {
			t.Errorf("%v: objective %v, got\n%s\nwant\n%s", c.minimised, report.Objective, violations(report), c.want)
		}
	}
}

// A solution that names what is not there cannot be evaluated, and says of what first.
func TestEvaluateOfWhatCannotBeResolved(t *testing.T) {
	in := rich(t)
	for fault, change := range map[string]func(sol *model.Solution){
		"unknown-job job x: the instance has no such job": func(sol *model.Solution) { sol.Jobs[0].Job = "x" },
		"duplicate-job job second [0, 10): the job is placed more than once": func(sol *model.Solution) {
			sol.Jobs[0].Job = "second"
			sol.Jobs[0], sol.Jobs[1], sol.Jobs[2].Job = sol.Jobs[1], sol.Jobs[0], "x"
		},
	} {
		sol := richSolution()
		change(sol)
		evaluation, err := model.Evaluate(in, sol)
		if err == nil || err.Error() != fault || evaluation.Metrics != nil || evaluation.Objective != 0 {
			t.Errorf("got %v, %v, want %s", evaluation.Metrics, err, fault)
		}
		if x, err := model.EvaluateObjective(in, sol); err == nil || err.Error() != fault || x != 0 {
			t.Errorf("got the objective %v, %v, want %s", x, err, fault)
		}
	}
}

// No tolerance is without limit, not even at the largest number there is.
func TestTheLargestEndIsNotRightForAllDurations(t *testing.T) {
	in := oneProcessor(t, "", 10)
	if got := checkCodes(in, 0, math.MaxFloat64); got != "wrong-end" {
		t.Errorf("got %q", got)
	}
	if got := checkCodes(in, 0, math.Inf(1)); got != "bad-time" {
		t.Errorf("got %q", got)
	}
}
