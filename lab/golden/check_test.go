package golden_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/testfolder"
	"github.com/allot-opt/allot/lab/golden"
	"github.com/allot-opt/allot/model"
)

// gzipped is a text packed.
func gzipped(t testing.TB, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// TestForms: each form of a right schedule is read, and what is missing is named.
func TestForms(t *testing.T) {
	set := open(t)
	folder := testfolder.Of(t, map[string]string{
		"at-the-shadow.easy.csv":         "job,start\n3,2\n1,0\n2,10\n",
		"at-the-shadow.easy.swf":         "; by another simulator\n1 0 0 10 3 -1\n2 1 9 5 4 -1\n3 2 0 8 1 -1\n",
		"at-the-shadow.easy_jobs.csv":    "job_id,starting_time,finish_time,requested_number_of_resources\nw0!1,0.000000,10.000000,3\nw0!2,10.000100,15.000000,4\nw0!3,1.999990,10.000000,1\n",
		"at-the-shadow.fcfs.csv.gz":      gzipped(t, "job,start\n1,0\n2,10\n3,15\n"),
		"at-the-shadow.easy.json":        `{"schema": "allot/solution/1", "jobs": [{"job": "1", "cluster": "cluster", "processors": "0-2", "start": 0, "end": 10}, {"job": "2", "cluster": "cluster", "processors": "0-3", "start": 10, "end": 15}, {"job": "3", "cluster": "cluster", "processors": "3", "start": 2, "end": 10}]}`,
		"notes.txt":                      "not a schedule",
		"at-the-shadow.sjf.csv":          "job,start\n",
		"too-wide.conservative.csv":      "job,start\n1,0\n3,2\n4,7\n2,\n",
		"deeper/at-the-shadow.fcfs.csv2": "",
	})
	report, err := set.Check(context.Background(), []string{folder})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Difference != nil || r.Jobs != 3 {
			t.Errorf("%s: %d starts, %v", r.File, r.Jobs, r.Difference)
		}
	}
	if len(report.Results) != 6 || !report.OK() {
		t.Errorf("expected 6 right schedules, found %d", len(report.Results))
	}
	var passed []string
	for _, path := range report.Passed {
		passed = append(passed, filepath.Base(path))
	}
	if !slices.Equal(passed, []string{"at-the-shadow.sjf.csv", "deeper", "notes.txt"}) {
		t.Errorf("passed over: %v", passed)
	}
	for policy, absent := range map[string]string{"fcfs": "at-the-shadow", "easy": "at-the-shadow", "conservative": "too-wide"} {
		if missing := report.Missing[policy]; len(missing) != len(set.Workloads)-1 || slices.Contains(missing, absent) {
			t.Errorf("%s: %d missing", policy, len(missing))
		}
	}
}

// TestHostileSchedules: what cannot be a schedule of the workload is refused with file and place.
func TestHostileSchedules(t *testing.T) {
	set := open(t)
	for _, c := range []struct{ name, text, want string }{
		{"one-job.easy.csv", "job,start\n1,7\n2,9\n", `line 3: job: expected a job of the workload one-job, found "2"`},
		{"one-job.easy.csv", "job,start\n1,7\n1,7\n", `line 3: job: expected each job once, found "1", which line 2 has`},
		{"one-job.easy.csv", "job,start\n1,NaN\n", `line 2: start: expected a number, found "NaN"`},
		{"one-job.easy.csv", "job,start\n1", "line 2: expected 2 cells, as the first row has, found 1"},
		{"one-job.easy.csv", "job,start\n1,9e99\n", `line 2: start: expected 0 or a number of magnitude in [1e-18, 1e+18], found "9e99"`},
		{"one-job.easy.csv.gz", gzipped(t, "job,start\n1,7\n")[:20], ""},
		{"one-job.easy.swf", "1 0 7 10 2\n", "line 1: submit time: expected 7 as in the workload, found 0"},
		{"one-job.easy.swf", "1 7 0 10", "line 1: expected 18 fields, of which the first 5 (up to the allocated processors) are needed, found 4"},
		{"one-job.easy.json", `{"schema": "allot/solution/1", "jobs": [{"job": "9", "cluster": "c", "processors": "0-1", "start": 7, "end": 17}]}`, `jobs[0]: job: expected a job of the workload one-job, found "9"`},
		{"one-job.easy.json", `{"schema": "allot/solution/1", "jobs": [`, ""},
		{"one-jobb.easy.csv", "job,start\n1,7\n", `expected a schedule of one of the workloads of ` + reference + `, found the name "one-jobb"; did you mean "one-job"?`},
		{"one-job.csv", "job,start\n1,7\n", "expected a name such as WORKLOAD.POLICY.csv, .swf or .json with one of the policies fcfs, easy, conservative"},
		{"one-job.easy.txt", "", "expected a name such as WORKLOAD.POLICY.csv, .swf or .json with one of the policies fcfs, easy, conservative"},
	} {
		path := filepath.Join(testfolder.Of(t, map[string]string{c.name: c.text}), c.name)
		_, err := set.Check(context.Background(), []string{path})
		var input *model.InputError
		if !errors.As(err, &input) || c.want != "" && err.Error() != path+": "+c.want || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s %q: found\n%v\nexpected\n%s", c.name, c.text, err, c.want)
		}
	}
	for _, path := range []string{t.TempDir(), "/nowhere/one-job.easy.csv"} {
		var input *model.InputError
		if _, err := set.Check(context.Background(), []string{path}); !errors.As(err, &input) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestHostileSets: a folder that is no set is refused with file and place.
func TestHostileSets(t *testing.T) {
	head := "; MaxProcs: 2\n"
	for _, c := range []struct {
		workload, schedule, want string
	}{
		{head + "1 0 -1 1.5 1 -1 -1 1 2\n", "job,start\n1,0\n", "expected times in whole seconds, found others at job 1"},
		{head + "1 0 -1 -1 1 -1 -1 1 2\n", "job,start\n1,0\n", "expected jobs that state submit time, run time and processors, found 1 that do not"},
		{"1 0 -1 1 1\n", "job,start\n1,0\n", "expected a header with MaxProcs or MaxNodes before the first job"},
		{head + "1 0 -1 1 x\n", "job,start\n1,0\n", `line 2: field 5 (allocated processors): expected a number, found "x"`},
		{head + "1 5 -1 1 1\n2 3 -1 1 1\n", "job,start\n1,0\n", "expected lines in the order of submit times"},
		{head + "1 0 -1 1 1\n", "job,start\n2,0\n", `line 2: job: expected a job of the workload w, found "2"`},
		{head + "1 0 -1 1 1\n", "", "expected a first row with the names of the columns, found an empty file"},
	} {
		folder := testfolder.Of(t, map[string]string{"workloads/w.swf": c.workload, "schedules/w.easy.csv": c.schedule, "w.easy.csv": "job,start\n1,0\n"})
		set, err := golden.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		var input *model.InputError
		if _, err = set.Check(context.Background(), []string{filepath.Join(folder, "w.easy.csv")}); !errors.As(err, &input) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: found\n%v\nexpected\n%s", c.workload, err, c.want)
		}
	}
	for want, files := range map[string]map[string]string{
		"expected a folder of reference schedules": {"x": ""},
		"expected files NAME.swf, found none":      {"workloads/x": ""},
	} {
		var input *model.InputError
		if _, err := golden.Open(testfolder.Of(t, files)); !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// TestReferenceThatIsNot: where the schedule of a set is not what conservative backfilling does, nothing is said of its reservations.
func TestReferenceThatIsNot(t *testing.T) {
	set := open(t)
	w := workload(t, set, "second-in-line")
	reference, err := set.Schedule(w, "conservative")
	if err != nil {
		t.Fatal(err)
	}
	wrong, found := slices.Clone(reference), slices.Clone(reference)
	wrong[0] = golden.Place{Start: 1, End: math.NaN()}
	found[0], found[3] = wrong[0], golden.Place{Start: 3, End: math.NaN()}
	d, err := golden.Compare(context.Background(), w, "conservative", wrong, found)
	if err != nil || d == nil || d.Job != "4" || d.Rule != golden.Unexplained {
		t.Errorf("found %v, %v", d, err)
	}
}

// FuzzCheck: no text of a schedule makes the comparison panic.
func FuzzCheck(f *testing.F) {
	set := open(f)
	for _, seed := range []string{"job,start\n1,0\n2,10\n3,2\n", "job,start,end\n1,0,5\n2,1e15,\n", "job,start\n", "job,start,processors\n3,2,4\n"} {
		for n := range uint8(4) {
			f.Add(seed, n*31)
		}
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text string, choice uint8) {
		name := set.Workloads[int(choice)%len(set.Workloads)]
		policy := golden.Policies()[int(choice)%3]
		if strings.HasPrefix(name, "thousand") {
			return
		}
		path := filepath.Join(folder, name+"."+policy+".csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := set.Check(context.Background(), []string{path})
		var input *model.InputError
		switch {
		case err != nil && !errors.As(err, &input):
			t.Fatal(err)
		case err == nil && report.Results[0].Difference != nil && report.Results[0].Difference.Text == "":
			t.Fatal("nothing is said of the difference")
		}
	})
}
