//go:build unix

package solvers_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/schema"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// recorded is what a program that answers nothing of use reads.
func recorded(t *testing.T, in *model.Instance, opt sim.Options, lines int) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "read")
	t.Setenv("RECORD", path)
	program := scripted(t, `read -r h; echo "$h" >"$RECORD"; while read -r e; do echo "$e" >>"$RECORD"; echo '{}'; done`)
	if _, _, err := solve.Simulate(context.Background(), policyOf(program), in, opt); err == nil {
		t.Fatal("expected an error: no job starts")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(list) != lines {
		t.Fatalf("%d lines, expected %d", len(list), lines)
	}
	return list
}

// rich is an instance with all that a program may see. The work of the jobs is the truth.
func rich(t *testing.T, work float64) *model.Instance {
	b := model.NewBuilder("rich")
	b.Spec().Licences = map[string]int{"matlab": 2}
	b.Spec().UserClasses = map[string]float64{"staff": 3}
	b.Spec().Workflows = []model.WorkflowSpec{{ID: "later", Deadline: new(9.0)}}
	b.Spec().Queueing = &model.QueueingSpec{Rate: 5}
	b.Spec().Objective = map[string]float64{"mean_wait": 1}
	b.Cluster(model.ClusterSpec{ID: "c", Licences: map[string]int{"ansys": 1}, Weights: &model.WeightsSpec{IdleTime: new(2.0)},
		Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2, Memory: new(8.0)}, {ID: "n", Speed: 2}}})
	b.Cluster(model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m", Count: 5}}})
	b.Job(model.JobSpec{ID: "a", Work: &work, Estimate: new(6.0), Processors: model.Moldable(1, 4), Memory: 2, User: "eve", Group: "g", Queue: "q", UserClass: "staff", Licences: map[string]int{"matlab": 1}})
	b.Job(model.JobSpec{ID: "b", Runtime: map[string]float64{"d": work}, Estimate: new(5.0), Deadline: new(50.0), DeadlineHard: true, Workflow: "later"})
	b.Job(model.JobSpec{ID: "known", Work: new(4.0)}, model.JobSpec{ID: "next", Work: &work, Estimate: new(1.0), After: []string{"a"}})
	b.Job(model.JobSpec{ID: "future", Work: &work, Estimate: new(1.0), Arrival: 7, User: "mallory"})
	return solvecases.Built(t, b)
}

// A program sees what an on-line policy sees and nothing else: not the truth about jobs with estimates, no job before it has arrived and waits for
// none, and nothing of what schedules are judged by.
func TestOnlineProgramSees(t *testing.T) {
	found := recorded(t, rich(t, 3), sim.Options{Seed: 1<<64 - 1, Kill: true}, 3)
	version, err := json.Marshal(solve.Version())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"format":"allot-online/1","version":` + string(version) + `,"seed":18446744073709551615,"kill":true,"processors":{"c":5,"d":5},"clusters":[` +
			`{"id":"c","licences":{"ansys":1},"machines":[{"id":"m","count":2,"processors":2,"memory":8},{"id":"n","speed":2}]},` +
			`{"id":"d","machines":[{"id":"m","count":5}]}],"licences":{"matlab":2},"user_classes":{"staff":3}}`,
		`{"now":0,"arrived":[` +
			`{"id":"a","number":0,"arrival":0,"processors":{"min":1,"max":4},"estimates":{"c":6,"d":6},"estimate":6,"memory":2,"licences":{"matlab":1},"user":"eve","group":"g","queue":"q","user_class":"staff"},` +
			`{"id":"b","number":1,"arrival":0,"processors":1,"estimates":{"d":5},"estimate":5,"deadline":50,"deadline_hard":true,"workflow":"later"},` +
			`{"id":"known","number":2,"arrival":0,"processors":1,"estimates":{"c":2,"d":4},"estimate":4}],` +
			`"ended":[],"free":{"c":5,"d":5},"licences":[{"licence":"ansys","cluster":"c","free":1},{"licence":"matlab","free":2},{"licence":"ansys","free":0}],` +
			`"machines":[{"cluster":"c","first":0,"free":2,"memory":8},{"cluster":"c","first":2,"free":2,"memory":8},{"cluster":"c","first":4,"free":1},{"cluster":"d","first":0,"free":5}]}`,
		`{"now":7,"arrived":[{"id":"future","number":4,"arrival":7,"processors":1,"estimates":{"c":0.5,"d":1},"estimate":1,"user":"mallory"}],` +
			`"ended":[],"free":{"c":5,"d":5},"licences":[{"licence":"ansys","cluster":"c","free":1},{"licence":"matlab","free":2},{"licence":"ansys","free":0}],` +
			`"machines":[{"cluster":"c","first":0,"free":2,"memory":8},{"cluster":"c","first":2,"free":2,"memory":8},{"cluster":"c","first":4,"free":1},{"cluster":"d","first":0,"free":5}]}`,
	}
	for k, name := range []string{"online-header", "online-event", "online-event"} {
		if err := valid(t, name, found[k]); err != nil {
			t.Errorf("line %d: %v", k, err)
		}
	}
	other := recorded(t, rich(t, 5), sim.Options{Seed: 1<<64 - 1, Kill: true}, 3)
	for k := range want {
		if found[k] != want[k] {
			t.Errorf("line %d is\n%s\nexpected\n%s", k, found[k], want[k])
		}
		if found[k] != other[k] {
			t.Errorf("line %d depends on the truth:\n%s\n%s", k, found[k], other[k])
		}
	}
}

// The conversation that docs/exec-online.md shows takes place.
func TestOnlineProgramDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/exec-online.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "```\n< ")
	page, _, _ = strings.Cut(page, "\n```")
	page = strings.ReplaceAll(strings.ReplaceAll(page, "\n                      ", ""), "\n< ", "\n")
	var told []string
	script := `read -r h; echo "$h" >"$RECORD"; answer() { read -r e || exit 9; echo "$e" >>"$RECORD"; printf '%s\n' "$1"; }; `
	for line := range strings.SplitSeq(page, "\n") {
		if answer, ok := strings.CutPrefix(line, "> "); ok {
			script += "answer '" + answer + "'; "
		} else {
			told = append(told, line)
		}
	}
	b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "node", Count: 4}}})
	b.Job(model.JobSpec{ID: "a", Work: new(8.0), Estimate: new(10.0), Processors: model.Rigid(3)}, model.JobSpec{ID: "b", Work: new(5.0), Processors: model.Rigid(2)})
	path := filepath.Join(t.TempDir(), "read")
	t.Setenv("RECORD", path)
	_, _, err = solve.Simulate(context.Background(), policyOf(scripted(t, script+"answer '{}'")), solvecases.Built(t, b), sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	found, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	version, err := json.Marshal(solve.Version())
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(strings.Join(told, "\n"), `"…"`, string(version), 1); len(told) != 3 || !strings.HasPrefix(string(found), want+"\n") {
		t.Errorf("read\n%s\nthe page has\n%s", found, want)
	}
}

// valid validates a line against a schema.
func valid(t *testing.T, name, line string) error {
	t.Helper()
	text, ok := schema.Text(name)
	if !ok {
		t.Fatalf("no schema %s", name)
	}
	var trees []any
	for _, text := range []string{string(text), line} {
		tree, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", trees[0]); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(trees[1])
}
