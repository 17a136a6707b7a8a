package batsim_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/batsim"
	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/model"
)

func TestConform(t *testing.T) {
	readertest.Conform(t, "batsim", "job_id,submission_time,requested_number_of_resources,execution_time\n1,0,2,3\n")
	readertest.Refused(t, &batsim.Reader{Cluster: "c", Processors: -1}, "processors")
	readertest.Refused(t, &batsim.Reader{}, "cluster")
}

// TestColumns are those that Batsim documents for its jobs.csv, with those that evalys fills in.
func TestColumns(t *testing.T) {
	in, err := model.NewBuilder("empty").Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m"}}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := batsim.Write(&text, in, &model.Solution{}); err != nil {
		t.Fatal(err)
	}
	columns := text.String()
	for _, name := range []string{"job_id", "workload_name", "submission_time", "requested_number_of_resources", "requested_time", "success", "starting_time",
		"execution_time", "finish_time", "waiting_time", "turnaround_time", "stretch", "allocated_resources", "consumed_energy", "metadata"} {
		if !strings.Contains(columns, name) {
			t.Errorf("no column %s in %s", name, columns)
		}
	}
}

// TestWriteRead writes a schedule over two clusters, a piece of it on each, and a job that is left out, and reads it back.
func TestWriteRead(t *testing.T) {
	in, err := model.NewBuilder("two").
		Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m", Count: 3}}}, model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m", Count: 3}}}).
		Job(model.JobSpec{ID: "x, y", Processors: model.Rigid(2), Work: new(5.5), Estimate: new(9.0), Arrival: 1},
			model.JobSpec{ID: "out", Work: new(1.0)},
			model.JobSpec{ID: "wide", Processors: model.Rigid(4), Span: "grid", Work: new(2.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{
		Jobs: []model.Placement{
			{Job: "x, y", Cluster: "b", Processors: model.Processors(0, 2), Start: 3, End: 8.5},
			{Job: "wide", Start: 0, End: 2, Pieces: []model.Piece{
				{Cluster: "a", Processors: model.Processors(0, 1, 2), Tasks: 3, Start: 0, End: 2}, {Cluster: "b", Processors: model.Processors(1), Tasks: 1, Start: 0, End: 2}}},
		},
		Unscheduled: []model.Unscheduled{{Job: "out", Reason: "why not"}},
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	var text bytes.Buffer
	if err := batsim.Write(&text, in, sol); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[1], "|"); got != "x, y|two|x, y|1|2|9|1|COMPLETED_SUCCESSFULLY|3|5.5|8.5|2|7.5|1.3636363636363635|3 5||" {
		t.Errorf("got %s", got)
	}
	if rows[2][7] != "REJECTED" || rows[3][14] != "0-2 4" {
		t.Errorf("got %v", rows[2:])
	}
	back, report, err := batsim.NewReader().Read(&text, "two_jobs.csv")
	if err != nil {
		t.Fatal(err)
	}
	jobs := back.Jobs()
	if len(jobs) != 2 || report.Count(model.ImportDropped) != 1 || back.Processors() != 6 || back.Name() != "two" {
		t.Fatalf("%d jobs, %d processors, %v", len(jobs), back.Processors(), report)
	}
	if j := &jobs[0]; j.ID != "x, y" || j.Arrival != 1 || j.Work != 5.5 || j.Estimate != 9 || j.Min != 2 {
		t.Errorf("got %+v", j)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	const head = "job_id,submission_time,requested_number_of_resources,execution_time,requested_time,allocated_resources,workload_name\n"
	for text, want := range map[string]string{
		"":                          "j.csv: expected a first row",
		"job_id\n":                  "j.csv: line 1: expected a column submission_time",
		head + "a,0,1,2,x,0,w\n":    "j.csv: line 2: requested_time: expected a number",
		head + "a,0,0,2,-1,0,w\n":   "j.csv: line 2: requested_number_of_resources: expected a whole number",
		head + "a,0,1,2,-1,3-1,w\n": "j.csv: line 2: allocated_resources: expected processors",
		head + "a,0,1\n":            "j.csv: record on line 2: wrong number of fields",
		head + "a,-1,1,2,-1,0,w\n":  "j.csv: line 2: arrival: expected",
		head + "a,0,1,2,-1,0,w\na,0,1,2,-1,0,v\n": "",
	} {
		in, _, err := batsim.NewReader().Read(strings.NewReader(text), "j.csv")
		if want == "" {
			if err != nil || in.Jobs()[1].ID != "v!a" {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("job_id,submission_time,requested_number_of_resources,execution_time,allocated_resources\na,0,1,2,0-3 7\n")
	f.Fuzz(func(t *testing.T, text string) {
		in, report, err := batsim.NewReader().Read(strings.NewReader(text), "fuzz")
		readertest.Check(t, "fuzz", in, report, err)
	})
}
