package backfill

import (
	"bytes"
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
//
// Where jobs need devices, a cycle depends on the weights of the machines that the cycle before has left, which no file tells. Two records are also compared from
// weights that a cycle 30 s earlier leaves, if it began with some others: so a real Slurm can have had them.
func TestSlurmPlansOfRecords(t *testing.T) {
	for _, c := range []struct {
		folder     string
		now, each  float64 // the time of the cycle, and its interval and resolution; 0: Slurm's
		near, jobs int
		before     []int32 // weights with which the cycle before began; nil: all alike
		carried    int     // starts within one interval after that cycle
	}{
		{folder: "22.05-nodes", now: 1795553109, each: 1, near: 26, jobs: 32},
		{folder: "22.05-plan-1", now: 1795798158, near: 46, jobs: 46},
		{folder: "22.05-plan-2", now: 1795798752, near: 13, jobs: 58, before: []int32{253, 253, 253, 253, 251, 251, 251, 251}, carried: 44},
		{folder: "22.05-plan-3", now: 1795799619, near: 9, jobs: 64, before: []int32{255, 255, 253, 253, 251, 251, 251, 251}, carried: 64},
	} {
		cycles := DefaultCycles()
		if c.each > 0 {
			cycles.Interval, cycles.Resolution = c.each, c.each
		}
		compare := func(what string, starts map[string]float64, want int) {
			in, theirs := recordedQueue(t, filepath.Join("../../data/slurm", c.folder), c.now)
			near, jobs := 0, 0
			for k := range in.Jobs() {
				id := in.Jobs()[k].ID
				planned, known := theirs[id]
				if !known {
					continue
				}
				jobs++
				if ours, is := starts[id]; is && math.Abs(ours-planned) <= cycles.Interval {
					near++
				}
			}
			t.Logf("%s%s: %d of %d planned starts lie within one interval", c.folder, what, near, jobs)
			if near != want || jobs != c.jobs {
				t.Errorf("%s%s: %d of %d planned starts lie within one interval, the docs say %d of %d", c.folder, what, near, jobs, want, c.jobs)
			}
		}
		in, _ := recordedQueue(t, filepath.Join("../../data/slurm", c.folder), c.now)
		starts, _ := planOnce(t, in, cycles, nil)
		compare("", starts, c.near)
		if c.before != nil {
			before, _ := recordedQueue(t, filepath.Join("../../data/slurm", c.folder), c.now-30)
			_, left := planOnce(t, before, cycles, c.before)
			in, _ := recordedQueue(t, filepath.Join("../../data/slurm", c.folder), c.now)
			starts, _ := planOnce(t, in, cycles, left)
			compare(", carried on", starts, c.carried)
		}
	}
}

// TestSlurmPlansOfAnHour does the same for cycles of two hours of a real Slurm, of jobs that need no devices. The figures stand in docs/slurm.md.
func TestSlurmPlansOfAnHour(t *testing.T) {
	open := func(name string) format.Source {
		file, err := model.Open(filepath.Join("../../data/slurm-hour", name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return format.Source{Reader: file, Name: name}
	}
	var cycles, planned, near, now, started int
	for records := json.NewDecoder(open("cycles.jsonl.gz").Reader); records.More(); cycles++ {
		var record struct {
			Now    float64
			Starts map[string]float64 // from now on, by id
			Queue  json.RawMessage    // as squeue --json prints it
		}
		if err := records.Decode(&record); err != nil {
			t.Fatal(err)
		}
		in, _, err := format.Read(format.Sources{
			Jobs: format.Source{Reader: bytes.NewReader(record.Queue), Name: "queue"}, Nodes: open("slurm.conf"), QOS: open("qos.txt"), Associations: open("assoc.txt"),
		}, format.Options{Now: record.Now})
		if err != nil {
			t.Fatal(err)
		}
		starts, _ := planOnce(t, in, DefaultCycles(), slices.Repeat([]int32{heaviest}, 24))
		for id, want := range record.Starts {
			ours, is := starts[id]
			planned++
			if is && math.Abs(ours-want) <= 2 {
				near++
			}
			if want == 0 {
				now++
				if is && ours == 0 {
					started++
				}
			}
		}
	}
	t.Logf("%d cycles: %d of %d planned starts within 2 s, of which %d of %d at once", cycles, near, planned, started, now)
	if near != 1663 || planned != 1918 || started != 284 || now != 287 {
		t.Error("docs/slurm.md has other counts")
	}
}

// planOnce is the starts that the first cycle plans on a queue, and the weights that it leaves. It begins with the weights, without the main scheduler; nil: with it.
func planOnce(t *testing.T, in *model.Instance, cycles Cycles, weights []int32) (starts map[string]float64, left []int32) {
	t.Helper()
	watch := &firstPlans{starts: map[string]float64{}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	watch.stop = stop
	d := Slurm(1, cycles, Ranking{})
	d.General = func(platform *sim.Platform, _ uint64) sim.Policy {
		watch.policy = newSlurm(platform, 1, cycles, nil)
		if weights == nil {
			return watch.policy
		}
		return &carriedOn{watch.policy, weights}
	}
	_, _, _ = sim.Simulate(ctx, in, d, sim.Options{Observer: watch})
	return watch.starts, watch.left
}

// carriedOn is a policy that only plans, from weights that are given.
type carriedOn struct {
	*slurm
	weights []int32
}

func (c *carriedOn) Decide(e *sim.Engine) {
	copy(c.slurm.weights, c.weights)
	c.backfill(e)
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
			Why   string  `json:"state_reason"`
		} `json:"jobs"`
	}
	if err := json.NewDecoder(file).Decode(&queue); err != nil {
		t.Fatal(err)
	}
	starts := map[string]float64{}
	for _, j := range queue.Jobs {
		if j.State == "PENDING" && j.Start > now && j.Why != "BeginTime" { // of such a job it is only the time before which it must not start
			starts[strconv.Itoa(j.ID)] = j.Start - now
		}
	}
	return in, starts
}

// firstPlans remembers the starts and the plans of the first cycle.
type firstPlans struct {
	policy *slurm
	starts map[string]float64
	left   []int32 // weights
	stop   func()
}

func (*firstPlans) Arrived(float64, *sim.Job) {}
func (w *firstPlans) Started(now float64, j *sim.Job, _ []sim.Part) {
	if now == 0 { // the run may go on a little
		w.starts[j.Request.ID] = now
	}
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
	w.left = slices.Clone(w.policy.weights)
	w.stop()
}
