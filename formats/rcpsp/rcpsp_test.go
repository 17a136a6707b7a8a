package rcpsp_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/rcpsp"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestLayouts reads one project in both layouts: in PSPLIB's with CRLF and a list of successors over two lines, in Patterson's with lines broken
// anywhere, trailing blanks and the end-of-file character of old systems. The instance is the same, byte by byte.
func TestLayouts(t *testing.T) {
	golden := filepath.Join("testdata", "small.golden")
	for _, c := range []struct {
		file   string
		layout string
	}{{"small.sm", "auto"}, {"small.sm", "sm"}, {"small.rcp", "auto"}, {"small.rcp", "rcp"}} {
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		in, report, err := (&rcpsp.Reader{Layout: c.layout, Cluster: "cluster"}).Read(bytes.NewReader(text), "folder/"+c.file+".gz")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := model.WriteInstance(&got, in); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s as %q: got\n%s\nwant\n%s", c.file, c.layout, got.Bytes(), want)
		}
		line := map[string]int{"small.sm": 31, "small.rcp": 5}[c.file]
		if got, want := report.String(), fmt.Sprintf(`folder/%s.gz: rcpsp: read 7 jobs, kept 5
  dropped 2: a dummy: the first or last activity, of length 0 and without demands (first: line %d)`, c.file, line); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// described is an instance as text: the capacities of R1, R2 and so on, the number of processors, and each job as id:length[its units of them]<predecessors.
func described(in *model.Instance) string {
	resources := len(in.Licences())
	units := func(of func(licence string) int) string {
		list := make([]int, resources)
		for r := range list {
			list[r] = of(fmt.Sprintf("R%d", r+1))
		}
		return fmt.Sprint(list)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s on %d", units(func(name string) int {
		k := slices.IndexFunc(in.Licences(), func(l model.Licence) bool { return l.ID == name })
		return in.Licences()[k].Copies
	}), in.Processors())
	for k := range in.Jobs() {
		j := in.JobSpec(k)
		fmt.Fprintf(&text, " %s:%v%s<%s", j.ID, *j.Work, units(func(name string) int { return j.Licences[name] }), strings.Join(j.After, ","))
	}
	return text.String()
}

// TestRead reads odd projects in Patterson's layout.
func TestRead(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"one dummy", "1 0\n0 0\n", "[] on 1"},
		{"one activity", "1 1  4  3 2 0", "[4] on 1 1:3[2]<"},
		{"no dummies", "2 1 4\n3 0 1 2\n5 0 0", "[4] on 2 1:3[0]< 2:5[0]<1"},
		{"a first activity of length 0 with a demand", "2 1 4\n0 1 1 2\n5 0 0", "[4] on 2 1:0[1]< 2:5[0]<1"},
		{"an activity of length 0 between others", "5 1 4\n0 0 1 2\n5 1 1 3\n0 0 1 4\n7 4 1 5\n0 0 0", "[4] on 3 2:5[1]< 3:0[0]<2 4:7[4]<3"},
		{"a dummy after others", "3 0\n0 1 2\n5 0\n2 1 1\n", "[] on 2 2:5[]<3 3:2[]<"},
		{"a dummy in the middle of two pairs", "5 0\n0 2 2 4\n5 0\n2 1 1\n4 0\n9 1 1\n", "[] on 4 2:5[]<3,5 3:2[]< 4:4[]<3,5 5:9[]<"},
		{"a last dummy before others", "4 0\n5 1 4\n2 0\n4 1 4\n0 1 2\n", "[] on 3 1:5[]< 2:2[]<1,3 3:4[]<"},
		{"the first dummy after the last", "4 0\n0 1 2\n5 0\n2 1 4\n0 1 1\n", "[] on 2 2:5[]<3 3:2[]<"},
		{"the last dummy after the first", "4 0\n0 1 4\n5 0\n2 1 1\n0 1 2\n", "[] on 2 2:5[]<3 3:2[]<"},
		{"a known precedence through a dummy", "3 0\n0 1 2\n5 0\n2 2 1 2\n", "[] on 2 2:5[]<3 3:2[]<"},
		{"a successor twice", "2 0\n3 3 2 2 2\n5 0\n", "[] on 2 1:3[]< 2:5[]<1"},
		{"successors in any order", "4 0\n0 3 4 2 3\n1 0\n2 1 2\n3 2 3 2\n", "[] on 3 2:1[]<3,4 3:2[]<4 4:3[]<"},
		{"fractions, exponents", "\ufeff1 1 4.0 2.5 1e0 0\n", "[4] on 1 1:2.5[1]<"},
		{"a capacity of 0", "2 2 0 3\n1 0 3 0\n2 0 0 0", "[0 3] on 2 1:1[0 3]< 2:2[0 0]<"},
		{"text after the end-of-file character", "1 0\n7 0\n\x1atext", "[] on 1 1:7[]<"},
		{"eleven resources", "1 11 1 2 3 4 5 6 7 8 9 10 11\n7 1 2 3 4 5 6 7 8 9 10 11 0\n",
			"[1 2 3 4 5 6 7 8 9 10 11] on 1 1:7[1 2 3 4 5 6 7 8 9 10 11]<"},
	} {
		in, report, err := with("cluster=site").Read(strings.NewReader(c.file), "x.rcp")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := described(in); got != c.want || in.Name() != "x" || in.Clusters()[0].ID != "site" {
			t.Errorf("%s: got %s of the name %q on %s, want %s", c.name, got, in.Name(), in.Clusters()[0].ID, c.want)
		}
		readertest.Check(t, "x.rcp", in, report, nil)
	}
}

// A successor that is listed twice is reported.
func TestReport(t *testing.T) {
	_, report, err := rcpsp.NewReader().Read(strings.NewReader("2 0\n3 3 2 2 2\n5 0\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := report.String(), "x: rcpsp: read 2 jobs, kept 2\n  repaired 2: a successor that is listed twice counts once (first: line 2)"; got != want {
		t.Errorf("got %s", got)
	}
}

// TestData reads all the files of the sets: the length of the critical path, which takes every duration and every precedence, and the numbers of activities and
// resources are those of the table, which other programs computed.
func TestData(t *testing.T) {
	for _, row := range realdata.Table(t, "rcpsp", "best_known.csv") {
		in, report, err := rcpsp.NewReader().Read(realdata.Open(t, "rcpsp", row["set"], row["file"]+".gz"), row["file"])
		if err != nil {
			t.Fatal(err)
		}
		row.Expect(t, "activities", float64(len(in.Jobs())), 0)
		row.Expect(t, "resources", float64(len(in.Licences())), 0)
		row.Expect(t, "cpm_lb", criticalPath(in), 0)
		if report.Count(model.ImportDropped) != 2 || len(report.Notes) != 1 {
			t.Errorf("%s: %v", row["file"], report)
		}
	}
}

// criticalPath is the length of the longest chain of jobs.
func criticalPath(in *model.Instance) float64 {
	end := make([]float64, len(in.Jobs()))
	longest := 0.0
	for range in.Jobs() { // as often as a chain may have links
		changed := false
		for k, j := range in.Jobs() {
			start := 0.0
			for _, before := range j.After {
				start = max(start, end[before])
			}
			if e := start + j.Work; e > end[k] {
				end[k], changed = e, true
				longest = max(longest, e)
			}
		}
		if !changed {
			break
		}
	}
	return longest
}
