package answers

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// TestRulesOf: of the schedule that a policy makes every job has its rules, and of one in which a job starts later that job has none.
func TestRulesOf(t *testing.T) {
	in, err := model.ReadInstanceFile("../../examples/twolevel.json")
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose("twolevel")
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	sol := result.Solution
	rules, err := RulesOf(t.Context(), in, sol)
	if err != nil || len(rules) != len(sol.Jobs) || !strings.Contains(rules[sol.Jobs[0].Job], "the meta-scheduler gave it priority") {
		t.Fatalf("%d rules of %d jobs, %v: %q", len(rules), len(sol.Jobs), err, rules[sol.Jobs[0].Job])
	}
	sol.Jobs[0].Start += 1000
	rules, err = RulesOf(t.Context(), in, sol)
	if _, known := rules[sol.Jobs[0].Job]; err != nil || known || len(rules) != len(sol.Jobs)-1 {
		t.Errorf("%d rules of %d jobs, %v", len(rules), len(sol.Jobs), err)
	}
}
