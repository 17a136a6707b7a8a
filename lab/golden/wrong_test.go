package golden_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/lab/golden"
)

// wrongRule is a form of reference.py of which one rule is wrong.
type wrongRule struct {
	Name     string `json:"name"`
	Words    string `json:"words"`
	Policies string `json:"policies"` // that it changes
	Right    string `json:"right"`    // what reference.py has, once
	Wrong    string `json:"wrong"`    // what it is replaced by
}

// wrongSchedules reads wrong rules and prints, for each with each of its policies, the starts on each small workload: a job without a start
// is left out. It says so where a wrong rule never ends or breaks down.
const wrongSchedules = `
import json, os, sys
source = open("reference.py", encoding="utf-8").read()
names = [n[:-4] for n in sorted(os.listdir("workloads")) if not n.startswith("thousand")]
result = []
for rule in json.load(sys.stdin):
    assert source.count(rule["right"]) == 1, rule["name"]
    module = {"__name__": rule["name"]}
    exec(compile(source.replace(rule["right"], rule["wrong"]), rule["name"], "exec"), module)
    for policy in rule["policies"].split():
        for name in names:
            machine, jobs = module["read"]("workloads/" + name + ".swf")
            decide, left = module["POLICIES"][policy], [400]
            def limited(system):
                left[0] -= 1
                assert left[0] > 0, "no end"
                decide(system)
            fault = ""
            try:
                module["simulate"](machine, jobs, limited)
            except Exception as error:
                fault = repr(error)
            starts = {str(j.number): [j.start, j.end, j.processors] for j in jobs if j.start is not None}
            result.append({"rule": rule["name"], "policy": policy, "workload": name, "starts": starts, "fault": fault})
json.dump(result, sys.stdout)
`

// wrongSchedule is what a wrong rule makes of a workload.
type wrongSchedule struct {
	Rule, Policy, Workload, Fault string
	Starts                        map[string][3]float64
}

// schedule is the schedule in the order of the workload.
func (s *wrongSchedule) schedule(w *golden.Workload) golden.Schedule {
	list := make(golden.Schedule, len(w.Jobs))
	for k := range w.Jobs {
		list[k] = golden.Place{Start: math.NaN(), End: math.NaN()}
		if p, ok := s.Starts[w.Jobs[k].ID]; ok {
			list[k] = golden.Place{Start: p[0], End: p[1], Processors: int(p[2])}
		}
	}
	return list
}

// TestWrongRules: each wrong rule shows in some workload, and each workload shows some wrong rule; each difference is explained by a rule.
// README.md has the table, which -update rewrites.
func TestWrongRules(t *testing.T) {
	input, err := json.Marshal(wrongRules)
	if err != nil {
		t.Fatal(err)
	}
	var found []wrongSchedule
	if err := json.Unmarshal([]byte(python(t, wrongSchedules, string(input))), &found); err != nil {
		t.Fatal(err)
	}
	set := open(t)
	catches, saidAs := map[string][]string{}, map[string][]string{}
	shown := map[string]bool{}
	workloads := map[string]*golden.Workload{}
	unexplained, differences := 0, 0
	for k := range found {
		f := &found[k]
		w := workloads[f.Workload]
		if w == nil {
			w = workload(t, set, f.Workload)
			workloads[f.Workload] = w
		}
		reference, err := set.Schedule(w, f.Policy)
		if err != nil {
			t.Fatal(err)
		}
		d, err := golden.Compare(context.Background(), w, f.Policy, reference, f.schedule(w))
		switch {
		case err != nil:
			t.Fatal(err)
		case f.Fault != "":
			t.Errorf("%s under %s on %s: %s", f.Rule, f.Policy, f.Workload, f.Fault)
			continue
		case d == nil:
			continue
		}
		differences++
		if d.Rule == golden.Unexplained {
			unexplained++
			t.Errorf("%s under %s on %s is not explained: %s", f.Rule, f.Policy, f.Workload, d)
		}
		if testing.Verbose() {
			t.Logf("%s: %s.%s: %s", f.Rule, f.Workload, f.Policy, d)
		}
		key := f.Rule + "." + f.Policy
		catches[key] = append(catches[key], f.Workload)
		shown[f.Workload] = true
		if !slices.Contains(saidAs[key], string(d.Rule)) {
			saidAs[key] = append(saidAs[key], string(d.Rule))
		}
	}
	t.Logf("%d differences, %d not explained", differences, unexplained)
	for _, rule := range wrongRules {
		for policy := range strings.FieldsSeq(rule.Policies) {
			if len(catches[rule.Name+"."+policy]) == 0 {
				t.Errorf("%s under %s shows in no workload", rule.Name, policy)
			}
		}
	}
	for name := range workloads {
		if !shown[name] {
			t.Errorf("%s shows no wrong rule", name)
		}
	}
	checkReadme(t, map[string]string{"workloads": workloadTable(t, set, catches), "wrong rules": wrongTable(catches)})
}

// workloadTable lists the workloads with their rules.
func workloadTable(t *testing.T, set *golden.Set, catches map[string][]string) string {
	var text strings.Builder
	text.WriteString("| workload | jobs | what it exercises | wrong rules that show |\n| --- | --- | --- | --- |\n")
	for _, name := range set.Workloads {
		n := 0
		for _, list := range catches {
			if slices.Contains(list, name) {
				n++
			}
		}
		shows := fmt.Sprint(n)
		if n == 0 {
			shows = "not tried"
		}
		fmt.Fprintf(&text, "| `%s` | %d | %s | %s |\n", name, len(workload(t, set, name).Jobs), ruleOf(t, name), shows)
	}
	return text.String()
}

// wrongTable lists the wrong rules with the workloads that show them, of more than four the four that show the fewest others.
func wrongTable(catches map[string][]string) string {
	const most = 4
	shows := map[string]int{}
	for _, list := range catches {
		for _, name := range list {
			shows[name]++
		}
	}
	var text strings.Builder
	text.WriteString("| wrong rule | under | workloads that show it |\n| --- | --- | --- |\n")
	for _, rule := range wrongRules {
		var all []string
		for policy := range strings.FieldsSeq(rule.Policies) {
			all = append(all, catches[rule.Name+"."+policy]...)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		slices.SortStableFunc(all, func(a, b string) int { return shows[a] - shows[b] })
		list := "`" + strings.Join(all[:min(most, len(all))], "`, `") + "`"
		if len(all) > most {
			list += fmt.Sprintf(" and %d more", len(all)-most)
		}
		fmt.Fprintf(&text, "| %s | %s | %s |\n", rule.Words, strings.ReplaceAll(rule.Policies, " ", ", "), list)
	}
	return text.String()
}

// checkReadme compares the generated tables of README.md, or rewrites them.
func checkReadme(t *testing.T, tables map[string]string) {
	t.Helper()
	text, err := os.ReadFile(reference + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for marker, table := range tables {
		begin, end := "<!-- "+marker+": generated -->\n", "<!-- end of "+marker+" -->"
		head, rest, okBegin := strings.Cut(want, begin)
		_, tail, okEnd := strings.Cut(rest, end)
		if !okBegin || !okEnd {
			t.Fatalf("README.md has no section %q", marker)
		}
		want = head + begin + table + end + tail
	}
	if *update {
		if err := os.WriteFile(reference+"/README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error("the tables of README.md are out of date; go test ./lab/golden -update rewrites them")
	}
}
