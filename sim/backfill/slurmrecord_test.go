package backfill

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	format "github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// What one cycle plans on recorded queues is compared with what one cycle of the real Slurm had planned: how many starts lie within one interval. The counts stand in
// docs/backfilling.md. Of the first record the interval was 1 s, and the queue still changed.
func TestSlurmPlansOfRecords(t *testing.T) {
	for _, c := range []struct {
		folder     string
		now, each  float64 // the time of the cycle, and its interval and resolution; 0: Slurm's
		near, jobs int
	}{
		{"22.05-nodes", 1795553109, 1, 26, 32},
		{"22.05-plan-1", 1795798158, 0, 46, 46},
		{"22.05-plan-2", 1795798752, 0, 49, 58},
		{"22.05-plan-3", 1795799619, 0, 34, 66},
	} {
		cycles := DefaultCycles()
		if c.each > 0 {
			cycles.Interval, cycles.Resolution = c.each, c.each
		}
		in, theirs := recordedQueue(t, filepath.Join("../../data/slurm", c.folder), c.now)
		watch := &firstPlans{starts: map[string]float64{}}
		ctx, stop := context.WithCancel(t.Context())
		watch.stop = stop
		d := Slurm(1, cycles, Ranking{})
		d.General = func(platform *sim.Platform, _ uint64) sim.Policy {
			watch.policy = newSlurm(platform, 1, cycles, nil)
			return watch.policy
		}
		_, _, _ = sim.Simulate(ctx, in, d, sim.Options{Observer: watch})
		stop()
		near, jobs := 0, 0
		for k := range in.Jobs() {
			id := in.Jobs()[k].ID
			planned, known := theirs[id]
			if !known {
				continue
			}
			jobs++
			if ours, is := watch.starts[id]; is && math.Abs(ours-planned) <= cycles.Interval {
				near++
			}
		}
		t.Logf("%s: %d of %d planned starts lie within one interval", c.folder, near, jobs)
		if near != c.near || jobs != c.jobs {
			t.Errorf("%s: %d of %d planned starts lie within one interval, the docs say %d of %d", c.folder, near, jobs, c.near, c.jobs)
		}
	}
}

// recordedQueue is the instance of a recorded queue, and the starts that Slurm had planned, from now on.
func recordedQueue(t *testing.T, folder string, now float64) (*model.Instance, map[string]float64) {
	t.Helper()
	var src format.Sources
	for name, into := range map[string]*format.Source{
		"squeue.json.gz": &src.Jobs, "sinfo.json": &src.Nodes, "partitions.txt": &src.Partitions, "reservations.txt": &src.Reservations, "licenses.txt": &src.Licences,
		"config.txt": &src.Config, "qos.txt": &src.QOS, "assoc.txt": &src.Associations,
	} {
		path := filepath.Join(folder, name)
		if found, _ := filepath.Glob(path); !slices.Contains(found, path) {
			continue // the first record has fewer files
		}
		file, err := model.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		*into = format.Source{Reader: file, Name: name}
	}
	in, _, err := format.Read(src, format.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	file, err := model.Open(filepath.Join(folder, "squeue.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var queue struct {
		Jobs []struct {
			ID    int     `json:"job_id"`
			Start float64 `json:"start_time"`
			State string  `json:"job_state"`
		} `json:"jobs"`
	}
	if err := json.NewDecoder(file).Decode(&queue); err != nil {
		t.Fatal(err)
	}
	starts := map[string]float64{}
	for _, j := range queue.Jobs {
		if j.State == "PENDING" && j.Start > now {
			starts[strconv.Itoa(j.ID)] = j.Start - now
		}
	}
	return in, starts
}

// firstPlans remembers the starts and the plans of the first cycle.
type firstPlans struct {
	policy *slurm
	starts map[string]float64
	stop   func()
}

func (*firstPlans) Arrived(float64, *sim.Job) {}
func (w *firstPlans) Started(now float64, j *sim.Job, _ []sim.Part) {
	w.starts[j.Request.ID] = now
}
func (*firstPlans) Left(float64, *sim.Job, sim.Outcome, string) {}
func (w *firstPlans) Decided(float64) {
	if w.policy.cycle != 1 {
		return
	}
	for _, j := range w.policy.queue {
		if j != nil && w.policy.plans[j.Handle].cycle == 1 {
			w.starts[j.Request.ID] = w.policy.plans[j.Handle].start
		}
	}
	w.stop()
}
