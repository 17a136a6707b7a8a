package model_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// clocks are points in time of 2023: in seconds and in microseconds since 1970. The spacing of float64 numbers there is 2⁻²² and a quarter.
var clocks = []float64{1.7e9, 1.7e15}

// at is the float64 that lies the given number of spacings after a point in time.
func at(t float64, spacings int) float64 {
	for range spacings {
		t = math.Nextafter(t, math.Inf(1))
	}
	for range -spacings {
		t = math.Nextafter(t, math.Inf(-1))
	}
	return t
}

// clockCase is a schedule of jobs that arrive at a clock. A start or an end is stated as whole units and spacings after the clock.
type clockCase struct {
	name string
	jobs []string // fields of the jobs: S stands for the spacing at the clock, T for the clock
	held []clockJob
	want string // the codes of the violations
}

type clockJob struct {
	processor           int
	start, startSpacing int
	end, endSpacing     int
}

func TestTheCheckerSinceThe1970s(t *testing.T) {
	const ten = `"work": 10`
	two := func(a, b clockJob) []clockJob { return []clockJob{a, b} }
	one := func(startSpacing, end, endSpacing int) []clockJob {
		return []clockJob{{0, 0, startSpacing, end, endSpacing}}
	}
	for _, c := range []clockCase{
		{"as it should be", []string{ten}, one(0, 10, 0), ""},
		{"starts one spacing early", []string{ten}, one(-1, 10, -1), "early-start"},
		{"starts one spacing late", []string{ten}, one(1, 10, 1), ""},
		{"ends one spacing short", []string{ten}, one(0, 10, -1), ""},
		{"ends one spacing long", []string{ten}, one(0, 10, 1), ""},
		{"ends two spacings short", []string{ten}, one(0, 10, -2), "wrong-end"},
		{"ends two spacings long", []string{ten}, one(0, 10, 2), "wrong-end"},
		{"a job of one spacing", []string{`"work": S`}, one(0, 0, 1), ""},
		{"a job of one spacing that takes none", []string{`"work": S`}, one(0, 0, 0), "wrong-end"},
		{"a job of one spacing that takes two", []string{`"work": S`}, one(0, 0, 2), ""},
		{"a job of one spacing that takes three", []string{`"work": S`}, one(0, 0, 3), "wrong-end"},
		{"a job of half a spacing", []string{`"work": H`}, one(0, 0, 1), ""},
		{"a job of half a spacing that takes no time", []string{`"work": H`}, one(0, 0, 0), "wrong-end"},
		{"a job of half a spacing that takes two", []string{`"work": H`}, one(0, 0, 2), "wrong-end"},
		{"a job of no time", []string{`"work": 0`}, one(0, 0, 0), ""},
		{"a job of no time that takes one spacing", []string{`"work": 0`}, one(0, 0, 1), ""},
		{"a job of no time that takes two", []string{`"work": 0`}, one(0, 0, 2), "wrong-end"},
		{"one after the other", []string{ten, ten}, two(clockJob{0, 0, 0, 10, 0}, clockJob{0, 10, 0, 20, 0}), ""},
		{"one spacing too early for the processor", []string{ten, ten}, two(clockJob{0, 0, 0, 10, 0}, clockJob{0, 10, -1, 20, -1}), "overlap"},
		{"two jobs of one spacing at once", []string{`"work": S`, `"work": S`}, two(clockJob{0, 0, 0, 0, 1}, clockJob{0, 0, 0, 0, 1}), "overlap"},
		{"two jobs of half a spacing at once", []string{`"work": H`, `"work": H`}, two(clockJob{0, 0, 0, 0, 1}, clockJob{0, 0, 0, 0, 1}), "overlap"},
		{"two jobs of half a spacing in turn", []string{`"work": H`, `"work": H`}, two(clockJob{0, 0, 0, 0, 1}, clockJob{0, 0, 1, 0, 2}), ""},
		{"a job of no time amid another", []string{ten, `"work": 0`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{0, 5, 0, 5, 0}), ""},
		{"a chain", []string{ten, ten + `, "after": ["j0"]`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 10, 0, 20, 0}), ""},
		{"a chain that starts one spacing early", []string{ten, ten + `, "after": ["j0"]`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 10, -1, 20, -1}), "precedence"},
		{"a chain behind a job that is one spacing short", []string{ten, ten + `, "after": ["j0"]`}, two(clockJob{0, 0, 0, 10, -1}, clockJob{1, 10, -1, 20, -1}), ""},
		{"a chain behind a job that is one spacing long", []string{ten, ten + `, "after": ["j0"]`}, two(clockJob{0, 0, 0, 10, 1}, clockJob{1, 10, 0, 20, 0}), "precedence"},
		{"all copies", []string{ten + `, "licences": {"l": 1000000000}`, ten + `, "licences": {"l": 1000000000}`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 0, 0, 10, 0}), ""},
		{"one copy too many", []string{ten + `, "licences": {"l": 1000000000}`, ten + `, "licences": {"l": 1000000001}`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 0, 0, 10, 0}), "licence"},
		{"one copy too many for one spacing", []string{ten + `, "licences": {"l": 1000000000}`, ten + `, "licences": {"l": 1000000001}`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 10, -1, 20, -1}), "licence"},
		{"all memory", []string{ten + `, "memory": 5e11`, ten + `, "memory": 5e11`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 0, 0, 10, 0}), ""},
		{"one byte too much", []string{ten + `, "memory": 5e11`, ten + `, "memory": 500000000001`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 0, 0, 10, 0}), "memory"},
		{"one byte too much for one spacing", []string{ten + `, "memory": 5e11`, ten + `, "memory": 500000000001`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 10, -1, 20, -1}), "memory"},
		{"one byte too much, in turn", []string{ten + `, "memory": 5e11`, ten + `, "memory": 500000000001`}, two(clockJob{0, 0, 0, 10, 0}, clockJob{1, 10, 0, 20, 0}), ""},
		{"a deadline that is met", []string{ten + `, "deadline": T, "deadline_hard": true`}, one(0, 10, 0), ""},
		{"a deadline missed by one spacing", []string{ten + `, "deadline": T, "deadline_hard": true`}, one(1, 10, 1), ""},
		{"a deadline missed by two spacings", []string{ten + `, "deadline": T, "deadline_hard": true`}, one(2, 10, 2), ""},
		{"a deadline missed by three spacings", []string{ten + `, "deadline": T, "deadline_hard": true`}, one(3, 10, 3), "hard-deadline"},
	} {
		for _, clock := range clocks {
			if got := c.codes(t, clock); got != c.want {
				t.Errorf("%v: %s: got %q, expected %q", clock, c.name, got, c.want)
			}
		}
	}
}

// codes checks the schedule and returns the codes of the violations.
func (c *clockCase) codes(t *testing.T, clock float64) string {
	t.Helper()
	spacing := at(clock, 1) - clock
	fill := strings.NewReplacer("S", fmt.Sprint(spacing), "H", fmt.Sprint(spacing/2), "T", fmt.Sprintf("%.0f", clock+10))
	var jobs []string
	for k, fields := range c.jobs {
		jobs = append(jobs, fmt.Sprintf(`{"id": "j%d", "arrival": %.0f, %s}`, k, clock, fill.Replace(fields)))
	}
	in, err := readInstance(document(`"licences": {"l": 2000000000},`, `{"id": "c", "machines": [{"id": "m", "processors": 2, "memory": 1e12}]}`, strings.Join(jobs, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{}
	for k, h := range c.held {
		sol.Jobs = append(sol.Jobs, placed(fmt.Sprint("j", k), "c", fmt.Sprint(h.processor), at(clock+float64(h.start), h.startSpacing), at(clock+float64(h.end), h.endSpacing)))
	}
	var codes []string
	for _, v := range model.Check(in, sol).Violations {
		codes = append(codes, string(v.Code))
	}
	return strings.Join(codes, " ")
}

// The checker once accepted these schedules. Each breaks one rule.
func TestThePastDefectsOfTheCheckerAreRefused(t *testing.T) {
	for name, want := range map[string]model.Code{
		"E_checker_A": "overlap", "E_checker_A2": "overlap", "E_checker_B": "licence", "E_checker_C": "precedence",
	} {
		in, err := model.ReadInstanceFile(realdata.Path(t, "defects2", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		sol, err := model.ReadSolutionFile(realdata.Path(t, "defects2", name+".sol.json"))
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, sol)
		if found := strings.Contains(violations(report), string(want)); report.OK() || !found {
			t.Errorf("%s: expected a violation %q, found %.200s", name, want, violations(report))
		}
	}
	in, err := model.ReadInstanceFile(realdata.Path(t, "defects2", "A_optimal_at_10.json"))
	if err != nil {
		t.Fatal(err)
	}
	better, err := model.ReadSolutionFile(realdata.Path(t, "defects2", "A_optimal_at_10_better.sol.json"))
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, better); !report.OK() || report.Objective != 0 {
		t.Errorf("a right schedule of cost 0 is refused or costs %v: %.200s", report.Objective, violations(report))
	}
}
