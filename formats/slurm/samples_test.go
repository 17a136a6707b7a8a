package slurm_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// sampleOf is the files of a sample.
func sampleOf(t *testing.T, folder string) slurm.Sources {
	return slurm.Sources{
		Jobs: file(t, folder, "squeue.json", "squeue.json.gz", "jobs.json", "jobs.json.gz"), Nodes: file(t, folder, "sinfo.json", "nodes.json", "nodes.json.gz"),
		Partitions:   file(t, folder, "partitions.json", "partitions.json.gz", "partitions.txt"),
		Reservations: file(t, folder, "reservations.json", "reservations.json.gz", "reservations.txt"), Licences: file(t, folder, "licenses.txt"),
	}
}

// sampleJob is a job as the script testdata/samples.py reads it from a sample.
type sampleJob struct {
	Processors                int
	Memory, Estimate, Arrival float64
	Deadline                  float64
	User, Group, Queue, Class string
	Licences                  map[string]int
	After                     []string
	Exclusive                 bool
	On                        map[string]int // processors by node, of a job that runs
	Elapsed                   float64
}

// TestSamplesFieldByField compares every field of every job of the samples with what a script in Python, which shares nothing with this package, reads from the
// same files. Where there is Python, the script is run again.
func TestSamplesFieldByField(t *testing.T) {
	text, err := os.ReadFile("testdata/samples.json")
	if err != nil {
		t.Fatal(err)
	}
	if python, err := exec.LookPath("python3"); err == nil {
		again, err := exec.Command(python, "testdata/samples.py", filepath.Join(realdata.Root(t), "slurm")).Output()
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("testdata/samples.json is not what testdata/samples.py writes: %v", err)
		}
	}
	var samples map[string]struct {
		Processors, Dropped int
		Jobs                map[string]sampleJob
	}
	if err := json.Unmarshal(text, &samples); err != nil {
		t.Fatal(err)
	}
	if len(samples) < 5 {
		t.Fatalf("%d samples only", len(samples))
	}
	for name, want := range samples {
		t.Run(name, func(t *testing.T) {
			in, report := read(t, sampleOf(t, filepath.Join(realdata.Root(t), "slurm", name)), slurm.Options{})
			if in.Processors() != want.Processors || report.Count(model.ImportDropped) != want.Dropped || len(in.Jobs()) != len(want.Jobs) {
				t.Errorf("got %d processors, %d jobs dropped and %d kept, want %d, %d and %d", in.Processors(), report.Count(model.ImportDropped), len(in.Jobs()), want.Processors, want.Dropped, len(want.Jobs))
			}
			for k := range in.Jobs() {
				compareSample(t, in, &in.Jobs()[k], want.Jobs[in.Jobs()[k].ID])
			}
		})
	}
}

// compareSample compares one job.
func compareSample(t *testing.T, in *model.Instance, j *model.Job, want sampleJob) {
	t.Helper()
	got := sampleJob{Processors: j.Min, Memory: j.Memory, Estimate: j.Estimate, Arrival: j.Arrival, User: j.User(), Group: j.Group(), Queue: j.Queue(), Licences: map[string]int{}}
	if j.HasDeadline() {
		got.Deadline = j.Deadline
	}
	for _, need := range j.Licences {
		got.Licences[in.Licences()[need.Licence].ID] = need.Copies
	}
	for _, before := range j.After {
		got.After = append(got.After, in.Jobs()[before].ID)
	}
	slices.Sort(got.After)
	if j.UserClass >= 0 {
		got.Class = in.UserClasses()[j.UserClass].ID
	}
	got.Exclusive = j.Node().Exclusive
	if run := j.Node().Running; run != nil {
		got.On, got.Elapsed = map[string]int{}, run.Elapsed
		first := 0
		for _, m := range in.Clusters()[run.Cluster].Machines {
			for _, r := range run.Processors {
				if n := min(r.Last, first+m.Processors-1) - max(r.First, first) + 1; n > 0 {
					got.On[m.ID] += n
				}
			}
			first += m.Processors
		}
	}
	ours, err := json.Marshal(got)
	theirs, wrong := json.Marshal(want)
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	if want.After != nil && len(want.After) == 0 { // none, said in another way
		want.After = nil
		theirs, _ = json.Marshal(want)
	}
	if !bytes.Equal(ours, theirs) {
		t.Errorf("job %s: got\n%s\nwant\n%s", j.ID, ours, theirs)
	}
}
