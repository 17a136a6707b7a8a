package model_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

// What a machine offers is a limit without a margin: a thousandth more is refused, just as much is not.
func TestMachinesOfferNoMoreThanTheyHave(t *testing.T) {
	machine := `{"id": "c", "machines": [{"id": "m", "processors": 2, "memory": 10, "bandwidth": 1000}]}`
	for _, c := range []struct {
		need, processors, want string
	}{
		{`"memory": 5`, "0-1", ""},
		{`"memory": 5.004`, "0-1", "memory"},
		{`"min_bandwidth": 1000`, "0-1", ""},
		{`"min_bandwidth": 1000.5`, "0-1", "bandwidth"},
	} {
		in, err := readInstance(document("", machine, `{"id": "j", "work": 1, "processors": 2, `+c.need+`}`))
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, &model.Solution{Jobs: []model.Placement{placed("j", "c", c.processors, 0, 1)}})
		found := ""
		if len(report.Violations) > 0 {
			found = string(report.Violations[0].Code)
		}
		if found != c.want {
			t.Errorf("%s: found %q, expected %q", c.need, found, c.want)
		}
	}
}

// A job waits for each of the jobs that it names, in whichever order it names them.
func TestEveryPredecessorCounts(t *testing.T) {
	for _, after := range []string{`["a", "b", "d"]`, `["d", "a", "b"]`, `["b", "d", "a"]`} {
		in, err := readInstance(document("", `{"id": "c", "machines": [{"id": "m", "count": 4}]}`,
			`{"id": "a", "work": 2}, {"id": "b", "work": 5}, {"id": "d", "work": 3}, {"id": "last", "work": 1, "after": `+after+`}`))
		if err != nil {
			t.Fatal(err)
		}
		for start, want := range map[float64]int{0: 3, 2: 2, 3: 1, 4.9: 1, 5: 0} {
			report := model.Check(in, &model.Solution{Jobs: []model.Placement{placed("a", "c", "0", 0, 2), placed("b", "c", "1", 0, 5),
				placed("d", "c", "2", 0, 3), placed("last", "c", "3", start, start+1)}})
			found := 0
			for _, v := range report.Violations {
				if v.Code == "precedence" {
					found++
				}
			}
			if found != want || len(report.Violations) != want {
				t.Errorf("after %s, start %v: expected %d jobs that have not ended, found %s", after, start, want, violations(report))
			}
		}
	}
}

// A job on machines of several prices pays each for the processors that it holds there: 10 time units on one processor at 1 and
// two at 3 cost 70. That is the budget of the first job, 1 more than that of the second.
func TestCostOfMachinesOfSeveralPrices(t *testing.T) {
	in, err := readInstance(document("", `{"id": "c", "machines": [{"id": "m", "count": 2, "cost": 1}, {"id": "n", "processors": 3, "cost": 3}]}`,
		`{"id": "meets", "work": 10, "processors": 3, "budget": 70}, {"id": "exceeds", "work": 10, "processors": 3, "budget": 69}`))
	if err != nil {
		t.Fatal(err)
	}
	found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("meets", "c", "1-3", 0, 10), placed("exceeds", "c", "1-3", 10, 20)}})
	checkMetrics(t, found.Metrics, map[string]float64{"cost": 140, "over_budget": 1})
}

// Transfers run at the bandwidth of the slowest of the machines, wherever it stands among them: 8 units of data at 2 take 4.
func TestTransfersRunAtTheSlowestLink(t *testing.T) {
	for _, links := range [][3]float64{{2, 4, 8}, {4, 2, 8}, {8, 4, 2}} {
		in, err := readInstance(document("", fmt.Sprintf(
			`{"id": "c", "machines": [{"id": "a", "bandwidth": %v}, {"id": "b", "bandwidth": %v}, {"id": "d", "bandwidth": %v}]}`, links[0], links[1], links[2]),
			`{"id": "j", "work": 1, "processors": 3, "input": 5, "output": 3}`))
		if err != nil {
			t.Fatal(err)
		}
		if found := in.Duration(0, 0, set("0-2")); math.Abs(found-5) > 1e-12 {
			t.Errorf("links %v: expected a time of 1 + 4, found %v", links, found)
		}
		for end, want := range map[float64]bool{5: true, 3: false, 2: false} {
			if report := model.Check(in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "0-2", 0, end)}}); report.OK() != want {
				t.Errorf("links %v, end %v: found %s", links, end, violations(report))
			}
		}
	}
}
