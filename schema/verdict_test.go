package schema_test

import (
	"strings"
	"testing"
)

// edit is a document made from a valid one: the first occurrence of a text replaced by another.
type edit struct{ old, replacement string }

// apply makes the document.
func (e edit) apply(t *testing.T, text string) string {
	t.Helper()
	if !strings.Contains(text, e.old) {
		t.Fatalf("the document has no %s", e.old)
	}
	return strings.Replace(text, e.old, e.replacement, 1)
}

// verdicts holds that schema and reader say what is expected of each edited document.
func verdicts(t *testing.T, f format, text string, edits []edit, schemaTakes, readerTakes bool) {
	t.Helper()
	for _, e := range edits {
		document := e.apply(t, text)
		if err := f.schema.Validate(parse(t, []byte(document))); (err == nil) != schemaTakes {
			t.Errorf("%.200s\nin place of %s: the schema takes it: %v, expected %v\n%v", e.replacement, e.old, err == nil, schemaTakes, err)
		}
		if err := f.read([]byte(document)); (err == nil) != readerTakes {
			t.Errorf("%.200s\nin place of %s: the reader takes it: %v, expected %v\n%v", e.replacement, e.old, err == nil, readerTakes, err)
		}
	}
}

// letters returns a text of n letters.
func letters(n int) string { return strings.Repeat("a", n) }

// Wrong instances that both refuse, one for each keyword of the schema.
func TestWrongInstances(t *testing.T) {
	verdicts(t, instances(t), string(readFile(t, smallGrid)), []edit{
		// schema, required, additionalProperties
		{`"schema": "allot/instance/1",`, ``},
		{`"allot/instance/1"`, `"allot/instance/2"`},
		{`"allot/instance/1"`, `1`},
		{`"name":`, `"nom":`},
		{`"name": "small-grid"`, `"name": null`},
		{`"name": "small-grid"`, `"name": "` + letters(100_001) + `"`},
		{`{"id": "c1", "weights"`, `{"weights"`},
		{`{"id": "c1m", "count"`, `{"count"`},
		{`"jobs": [`, `"work": [`},
		{`{"time": "s",`, `{"tmie": "s",`},
		{`"weights": {"over_deadline": 4`, `"weights": {"overdue": 4`},
		{`"queueing": {"rate"`, `"queueing": {"lambda"`},
		{`"overheads": {"context_switch"`, `"overheads": {"switch"`},
		{`"background": {"load": 0.1, "mean": 2.0}`, `"background": {"load": 0.1}`},
		{`"queue": {"service_rate": 0.5`, `"queue": {"mu": 0.5`},
		{`"network": {"latency"`, `"network": {"ping"`},
		{`{"id": "rigid",`, `{"id": "rigid", "color": "red",`},
		// kinds
		{`{"mcp": 1}`, `["mcp"]`},
		{`{"mcp": 1}`, `{"mcp": "1"}`},
		{`"count": 2`, `"count": "2"`},
		{`"count": 2`, `"count": [2]`},
		{`"allocation": "machine"`, `"allocation": true`},
		{`"deadline_hard": true`, `"deadline_hard": 1`},
		{`"after": ["stoch"]`, `"after": "stoch"`},
		{`"after": ["stoch"]`, `"after": [1]`},
		{`"licences": ["ansys", "matlab"]`, `"licences": {"ansys": 1}`},
		{`"runtime": {"c1": 60, "c2": 120}`, `"runtime": 60`},
		{`"background": {"load": 0.1, "mean": 2.0}`, `"background": 0.1`},
		// metrics of an objective
		{`{"mcp": 1}`, `{"nonsense": 1}`},
		{`{"mcp": 1}`, `{"cp": 1}`},
		{`{"mcp": 1}`, `{"": 1}`},
		// enum
		{`"charge": "response"`, `"charge": "wait"`},
		{`"charge": "response"`, `"charge": ""`},
		{`"span": "machine"`, `"span": "node"`},
		{`"allocation": "machine"`, `"allocation": "machines"`},
		// positive, nonnegative, finite
		{`"rate": 5.0`, `"rate": 0`},
		{`"speed": 1000`, `"speed": 0`},
		{`"speed": 1000`, `"speed": -1`},
		{`"speed": 1000`, `"speed": 1e19`},
		{`"speed": 1000`, `"speed": 1e-19`},
		{`"mean": 2.0`, `"mean": 0`},
		{`"period": 1.0`, `"period": 0`},
		{`"cost": 0.2`, `"cost": -0.2`},
		{`"work": 20000`, `"work": -1`},
		{`"work": 20000`, `"work": 1.000001e18`},
		{`"deadline": 50`, `"deadline": -50`},
		{`"runtime": {"c1": 60,`, `"runtime": {"c1": -60,`},
		{`"over_deadline": 12`, `"over_deadline": -12`},
		{`{"mcp": 1}`, `{"mcp": -1.1e18}`},
		{`{"gold": 10`, `{"gold": -10`},
		// count, copies
		{`"count": 2`, `"count": 0`},
		{`"count": 2`, `"count": 1.5`},
		{`"count": 2`, `"count": 2147483648`},
		{`"tasks": 24`, `"tasks": 0`},
		{`{"matlab": 3}`, `{"matlab": -1}`},
		{`{"matlab": 3}`, `{"matlab": 0.5}`},
		{`"processors": 4`, `"processors": 0`},
		{`"processors": 6`, `"processors": 1.5`},
		{`{"min": 1, "max": 24}`, `{"min": 0, "max": 24}`},
		{`{"min": 1, "max": 24}`, `{"min": 1}`},
		{`{"min": 1, "max": 24}`, `{"min": 1, "max": 24, "step": 2}`},
		{`{"min": 1, "max": 24}`, `[1, 24]`},
		{`{"min": 1, "max": 24}`, `"1-24"`},
		// ids and names
		{`"id": "w1"`, `"id": ""`},
		{`"id": "stoch"`, `"id": "` + letters(1001) + `"`},
		{`{"gold": 10`, `{"": 10`},
		{`{"gold": 10`, `{"` + letters(1001) + `": 10`},
		{`"user_class": "gold"`, `"user_class": ""`},
		// lists that must not be empty, and what a job must state
		{`"clusters": [`, `"clusters": [], "unused": [`},
		{`"estimate": 90, `, ``},
		{`"work": 20000, `, ``},
		{`"work": 20000, `, `"runtime": {}, `},
	}, false, false)
}

// Documents at the edge of what is allowed, which both take.
func TestRightInstances(t *testing.T) {
	verdicts(t, instances(t), string(readFile(t, smallGrid)), []edit{
		{`"name": "small-grid",`, ``},
		{`"name": "small-grid"`, `"name": ""`},
		{`"name": "small-grid"`, `"name": "` + letters(100_000) + `"`},
		{`"objective": {"mcp": 1}`, `"objective": {}`},
		{`{"mcp": 1}`, `{"utilisation": -1e18, "makespan": 1e18, "qos_penalty": 0}`},
		{`"units": {"time": "s", "work": "MI", "data": "MB", "memory": "MB", "cost": "EUR"}`, `"units": {}`},
		{`{"over_deadline": 4, "makespan": 3, "idle_time": 1}`, `{}`},
		{`"count": 2`, `"count": 2.0`},
		{`"count": 2`, `"count": 2e0`},
		{`"speed": 1000`, `"speed": 1e18`},
		{`"speed": 1000`, `"speed": 1e-18`},
		{`"memory": 4096`, `"memory": 0`},
		{`"matlab": 3`, `"matlab": 2147483647`},
		{`"work": 60000`, `"work": 0`},
		{`"work": 60000, "runtime": {"c1": 60, "c2": 120}`, `"runtime": {"c1": 60}`},
		{`"work": 20000`, `"work": 20000, "runtime": {}`},
		{`"estimate": 90`, `"work": 1, "estimate": 90`},
		{`"deadline_hard": true`, `"deadline_hard": false`},
		{`{"min": 1, "max": 24}`, `{"max": 24, "min": 24}`},
		{`"licences": ["ansys", "matlab"]`, `"licences": ["matlab"]`},
		{`"id": "data"`, `"id": "` + letters(1000) + `"`},
		{`"after": ["stoch"]`, `"after": []`},
	}, true, true)
}

// What a schema cannot say, and the reader does.
func TestReaderOnly(t *testing.T) {
	verdicts(t, instances(t), string(readFile(t, smallGrid)), []edit{
		{`"id": "stoch"`, `"id": "rigid"`},
		{`"id": "c2"`, `"id": "c1"`},
		{`"after": ["stoch"]`, `"after": ["nobody"]`},
		{`"after": ["stoch"]`, `"after": ["data"]`},
		{`"runtime": {"c1": 60`, `"runtime": {"c9": 60`},
		{`"workflow": "w1"`, `"workflow": "w2"`},
		{`"user_class": "gold"`, `"user_class": "tin"`},
		{`"licences": {"matlab": 1}`, `"licences": {"maple": 1}`},
		{`{"min": 1, "max": 24}`, `{"min": 2, "max": 1}`},
		{`"work": 20000`, `"work": 1e-300`},
		{`"name": "small-grid"`, `"name": "small-grid", "name": "again"`},
		{`"id": "data"`, `"id": "` + strings.Repeat("é", 600) + `"`},
	}, true, false)
	verdicts(t, solutions(t), string(readFile(t, fullSolution)), []edit{
		{`"0-3"`, `"3-0"`},
		{`"0-3"`, `"0-3,2"`},
		{`"0-3"`, `"99999999999"`},
		{`"objective": 2.75`, `"objective": 1e400`},
	}, true, false)
}

func TestWrongSolutions(t *testing.T) {
	verdicts(t, solutions(t), string(readFile(t, fullSolution)), []edit{
		{`"schema": "allot/solution/1",`, ``},
		{`"allot/solution/1"`, `"allot/instance/1"`},
		{`"solver":`, `"sovler":`},
		{`"seed": 1`, `"seed": -1`},
		{`"seed": 1`, `"seed": 1.5`},
		{`"seed": 1`, `"seed": 18446744073709551616`},
		{`"coding": "list"`, `"coding": ["list"]`},
		{`"coding": "list"`, `"coding": null`},
		{`"coding": "list"`, `"": 1`},
		{`"status": "feasible"`, `"status": "good"`},
		{`"stop": "done"`, `"stop": ""`},
		{`"objective": 2.75`, `"objective": "2.75"`},
		{`"objective": 2.75`, `"objective": null`},
		{`"mcp": 2.75`, `"mcp": "2.75"`},
		{`"cp": {"c1": 2.5`, `"cp": {"c1": [2.5]`},
		{`"jobs": [`, `"placements": [`},
		{`{"job": "rigid", `, `{`},
		{`{"job": "rigid"`, `{"job": ""`},
		{`"0-3"`, `""`},
		{`"0-3"`, `"0 - 3"`},
		{`"0-3"`, `"0-3,"`},
		{`"0-3"`, `"-3"`},
		{`"0-3"`, `[0, 1, 2, 3]`},
		{`"start": 0, `, ``},
		{`"start": 0, `, `"start": -1, `},
		{`"tasks": 16`, `"tasks": 0`},
		{`"tasks": 16, `, ``},
		{`"reason": "hard`, `"reason": "", "why": "hard`},
		{`, "reason": "hard deadline 300 would be missed: earliest end 312 on c1"`, ``},
		{`"rate": 0.5`, `"rate": -0.5`},
		{`"evaluations": 1000`, `"evaluations": 0.5`},
		{`"elapsed": 0.02`, `"seconds": 0.02`},
	}, false, false)
}

func TestRightSolutions(t *testing.T) {
	verdicts(t, solutions(t), string(readFile(t, fullSolution)), []edit{
		{`"status": "feasible",`, ``},
		{`"seed": 1`, `"seed": 18446744073709551615`},
		{`"bound": -2.1`, `"bound": 1e300`},
		{`"0-3"`, `"7,0-3"`},
		{`"end": 60`, `"end": 1e300`},
		{`"parameters": {"coding": "list", "generations": 300, "elitism": true}`, `"parameters": {}`},
		{`"metrics": {"mcp": 2.75, "makespan": 6, "cp": {"c1": 2.5, "c2": 3}, "qos_penalty": 0}`, `"metrics": {"cp": {}}`},
		{`"evaluations": 1000`, `"evaluations": 9007199254740992`},
	}, true, true)
}

// Metrics are the one thing in which the schema is narrower than the reader, which leaves them to the checker.
func TestMetricsOfASolution(t *testing.T) {
	verdicts(t, solutions(t), string(readFile(t, fullSolution)), []edit{
		{`"mcp": 2.75`, `"nonsense": 2.75`},
		{`"mcp": 2.75`, `"mcp": {"c1": 2.75}`},
		{`"cp": {"c1": 2.5, "c2": 3}`, `"cp": 2.5`},
	}, false, true)
}
