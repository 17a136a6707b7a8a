package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// knownSuite is a suite of one small instance with a file of best known values.
const knownSuite = `{"format": "allot-suite/1", "name": "x", "instances": [{"files": ["a*.json"], "best_known": KNOWN}], "solvers": ["minmin"]}`

// writeKnown writes the suite with two instances, whose makespans cannot be below 3 and 4, and a CSV file of best known values.
func writeKnown(t *testing.T, known, table string) (path string) {
	t.Helper()
	path = writeSuite(t, strings.Replace(knownSuite, "KNOWN", known, 1))
	for name, work := range map[string]string{"a.1": "3", "a2": "4"} {
		text := `{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m", "speed": 1}]}], "jobs": [{"id": "j", "work": ` + work + `}], "objective": {"makespan": 1}}`
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name+".json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "known.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBestKnown reads stated values: names with and without extensions, empty cells, and the rounding by the last digit.
func TestBestKnown(t *testing.T) {
	path := writeKnown(t, `{"file": "known.csv", "instance": "name", "value": "best", "metric": "makespan"}`, "best,name\n2.50,a.1\n,a2.json\n9,other\n")
	suite, err := ReadSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := suite.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Instances[0].BestKnown; got == nil || *got != (StatedBest{"makespan", 2.5, 0.005, "known.csv"}) {
		t.Errorf("a.1: %+v", got)
	}
	if got := plan.Instances[1].BestKnown; got != nil {
		t.Errorf("a2 has an empty cell, but %+v", got)
	}
	for text, want := range map[string]float64{"47": 1, "2.50": 0.01, "1.25e4": 100, "-3e-2": 0.01, "5E+1": 10} {
		if got := lastDigit(text); got != want {
			t.Errorf("%s: the last digit is worth %v, expected %v", text, got, want)
		}
	}
}

// TestBadBestKnown lists what is refused, with the place.
func TestBadBestKnown(t *testing.T) {
	const right = `{"file": "known.csv", "value": "best", "metric": "makespan"}`
	for _, c := range []struct{ known, table, want string }{
		{right, "", "known.csv: expected a header line, found nothing"},
		{right, "instance,value\n", `known.csv: line 1: expected a column "best", found ["instance" "value"]`},
		{right, "name,best\n", `known.csv: line 1: expected a column "instance"`},
		{right, "instance,best\na2,4\na.1,three\n", `known.csv: line 3: expected a number in column "best", found "three"`},
		{right, "instance,best\na2,NaN\n", `line 2: expected a number`},
		{right, "instance,best\na2,4\na2,4\n", `line 3: expected names that differ in column "instance", found "a2" again`},
		{right, "instance,best\na2,4,5\n", "known.csv: record on line 2: wrong number of fields"},
		{right, "instance,best\nb,4\n", `instances[0].best_known: expected a file that names some of the instance files in column "instance", found none of them in known.csv`},
		{strings.Replace(right, "makespan", "mcp", 1), "instance,best\na2,4\n", `instances[0].best_known.metric: expected the objective of the instances`},
		{strings.Replace(right, "makespan", "best", 1), "", `instances[0].best_known.metric: expected a metric with one value, see allot metrics; found "best"`},
		{strings.Replace(right, "known.csv", "absent.csv", 1), "", "absent.csv: no such file"},
		{`{"file": "known.csv", "value": "", "metric": "makespan"}`, "", "instances[0].best_known.value: expected a text of 1 to 100000 bytes"},
		{right + `, "measured": {"warm_up": 1}`, "", "instances[0].best_known: expected it without measured"},
	} {
		suite, err := ReadSuite(writeKnown(t, c.known, c.table))
		if err == nil {
			_, err = suite.Plan(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: expected %q, found %v", c.known, c.table, c.want, err)
		}
	}
	_, err := ReadSuite(writeSuite(t, `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "best_known": `+right+`}], "solvers": ["minmin"]}`))
	if err == nil || !strings.Contains(err.Error(), "instances[0].best_known: expected it beside files only") {
		t.Errorf("beside generate: %v", err)
	}
}

// TestSuitesNameTheBestKnown demands that the suites of the repository state the best known objective of nearly every instance of a file.
func TestSuitesNameTheBestKnown(t *testing.T) {
	for name, least := range map[string]int{"mcp": 9, "braun": 6, "ggone": 8, "rcpsp": 36} {
		suite, err := ReadSuite(filepath.Join("suites", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := suite.Plan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		stated := 0
		for k := range plan.Instances {
			if plan.Instances[k].BestKnown != nil {
				stated++
			}
		}
		if stated < least || stated < len(plan.Instances)-1 {
			t.Errorf("%s: %d of %d instances have a best known objective, expected at least %d", name, stated, len(plan.Instances), least)
		}
	}
}
