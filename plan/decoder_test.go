package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// decoder computes the totals of list schedules of plain rigid jobs, cluster by cluster, with [Releases] alone. It tracks the number of free
// processors over time, not which ones are free, and allocates nothing after it has been made. Schedules are held to it, and it shows the speed of
// Releases.
//
// A job starts at the earliest time, from its arrival on, at which the jobs before it in the order have released enough processors for
// it. Of the processors free by then it takes the latest-released ones. No job goes into a hole between jobs before it.
type decoder struct {
	clusters []decoderCluster
	origin   float64 // earliest arrival of all jobs
	releases *Releases
}

// decoderCluster is what the decoder knows of one cluster.
type decoderCluster struct {
	processors int32
	jobs       []decoderJob
}

// decoderJob is one job on one cluster.
type decoderJob struct {
	duration float64
	deadline float64
	arrival  float64
	size     int32 // 0: cannot run there
}

// totals are the figures of the list schedule of one cluster.
type totals struct {
	Jobs     int     // in the order
	Makespan float64 // last end − earliest arrival of all jobs
	Busy     float64 // Σ duration · processors
	Over     float64 // Σ max(0, end − deadline)
}

// newDecoder makes the decoder of an instance of plain rigid jobs.
func newDecoder(t rapid.TB, in *model.Instance) *decoder {
	t.Helper()
	if more := in.Features() &^ RigidFeatures; more != 0 {
		t.Fatalf("decoding by counts does not honour %s", more)
	}
	d := &decoder{origin: in.FirstArrival()}
	widest := 0
	for c := range in.Clusters() {
		cluster := decoderCluster{int32(in.Clusters()[c].Processors), make([]decoderJob, len(in.Jobs()))}
		for j := range in.Jobs() {
			if in.CanRun(j, c) {
				size, _ := in.Width(j, c)
				job := &in.Jobs()[j]
				cluster.jobs[j] = decoderJob{in.DurationOn(j, c, size), job.Deadline, job.Arrival, int32(size)}
			}
		}
		d.clusters = append(d.clusters, cluster)
		widest = max(widest, in.Clusters()[c].Processors)
	}
	d.releases = NewReleases(min(widest, len(in.Jobs())))
	return d
}

// decode schedules the jobs on the cluster in the given order. All must be able to run there.
//
// Complexity: O(jobs · distinct release times). There are at most as many release times as jobs that run at once.
func (d *decoder) decode(cluster int, order []int32) totals {
	c := &d.clusters[cluster]
	d.releases.Reset(d.origin, int(c.processors))
	latest := d.origin
	totals := totals{Jobs: len(order)}
	for _, id := range order {
		j := &c.jobs[id]
		end := model.End(d.releases.Place(j.size, j.arrival, j.duration), j.duration)
		totals.Busy += float64(j.size) * j.duration
		if end > j.deadline {
			totals.Over += end - j.deadline
		}
		if end > latest {
			latest = end
		}
	}
	totals.Makespan = latest - d.origin
	return totals
}

// slowCluster is the rule of [decoder] to the letter, with real processors: when each of them is released.
type slowCluster []float64

// newSlowCluster has all processors of the cluster free from the first arrival on.
func newSlowCluster(in *model.Instance, cluster int) slowCluster {
	return slices.Repeat(slowCluster{in.FirstArrival()}, in.Clusters()[cluster].Processors)
}

// start is the earliest time, not before ready, at which the number of processors is released.
func (s slowCluster) start(size int, ready float64) float64 {
	return max(ready, slices.Sorted(slices.Values(s))[size-1])
}

// hold holds processors that are free at the start: the latest-released, lowest numbers first.
func (s slowCluster) hold(size int, start, end float64) []int {
	var free []int
	for p, released := range s {
		if released <= start {
			free = append(free, p)
		}
	}
	slices.SortStableFunc(free, func(a, b int) int {
		switch {
		case s[a] > s[b]:
			return -1
		case s[a] < s[b]:
			return 1
		}
		return 0
	})
	for _, p := range free[:size] {
		s[p] = end
	}
	return free[:size]
}

// place places a job of the duration as [decoder] says; one of no time holds nothing and waits for no other.
func (s slowCluster) place(size int, ready, duration float64) (start float64, processors []int) {
	if duration == 0 {
		for p := range size {
			processors = append(processors, p)
		}
		return ready, processors
	}
	start = s.start(size, ready)
	return start, s.hold(size, start, model.End(start, duration))
}

// slowDecode is [decoder.decode] by the letter.
func slowDecode(in *model.Instance, cluster int, order []int32) totals {
	s := newSlowCluster(in, cluster)
	totals := totals{Jobs: len(order)}
	for _, id := range order {
		job := &in.Jobs()[id]
		size, _ := in.Width(int(id), cluster)
		duration := in.DurationOn(int(id), cluster, size)
		start, _ := s.place(size, job.Arrival, duration)
		end := model.End(start, duration)
		totals.Makespan = max(totals.Makespan, end-in.FirstArrival())
		totals.Busy += float64(size) * duration
		totals.Over += max(0, end-job.Deadline)
	}
	return totals
}

// runnable lists the jobs that can run on the cluster.
func runnable(in *model.Instance, cluster int) []int32 {
	var jobs []int32
	for j := range in.Jobs() {
		if in.CannotRun(j, cluster) == "" {
			jobs = append(jobs, int32(j))
		}
	}
	return jobs
}

func TestDecodeByTheLetter(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		in := drawPlain(t, 14)
		d := newDecoder(t, in)
		for c := range in.Clusters() {
			jobs := runnable(in, c)
			for range 8 {
				order := rapid.Permutation(jobs).Draw(t, "order")
				order = order[:rapid.IntRange(0, len(order)).Draw(t, "length")]
				if got, want := d.decode(c, order), slowDecode(in, c, order); got != want {
					t.Fatalf("cluster %d, order %v: got %+v, want %+v", c, order, got, want)
				}
			}
		}
	})
}

// A schedule of the same order must cost what the decoder says, by the evaluator.
func TestDecodeByTheEvaluator(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		in := drawPlain(t, 14)
		d := newDecoder(t, in)
		s := newSchedule(t, in)
		orders := make([][]int32, len(in.Clusters()))
		for _, job := range rapid.Permutation(indices(in)).Draw(t, "order") {
			c := rapid.IntRange(0, len(orders)-1).Draw(t, "cluster")
			if slot, ok := s.Earliest(job, c); ok {
				s.Place(job, slot)
				orders[c] = append(orders[c], int32(job))
			}
		}
		evaluation, err := model.Evaluate(in, s.Solution())
		if err != nil {
			t.Fatal(err)
		}
		compareTotals(t, in, d, orders, evaluation.Metrics)
	})
}

// compareTotals compares what the decoder says of orders with the metrics of their schedule.
func compareTotals(t *rapid.T, in *model.Instance, d *decoder, orders [][]int32, metrics model.Metrics) {
	var makespan, idle, over, latest float64
	for c, order := range orders {
		totals := d.decode(c, order)
		cluster := &in.Clusters()[c]
		clusterIdle := float64(cluster.Processors)*totals.Makespan - totals.Busy
		makespan, idle, over = max(makespan, totals.Makespan), idle+clusterIdle, over+totals.Over
		latest = max(latest, in.FirstArrival()+totals.Makespan)
		cp := model.ComprehensivePerformance(cluster.Weights, clusterIdle, totals.Makespan, totals.Over)
		expect(t, "cp of "+cluster.ID, metrics["cp"].ByCluster[cluster.ID], cp, roundings(in, latest))
	}
	expect(t, "makespan", metrics["makespan"].Total, makespan, 0)
	expect(t, "over_deadline", metrics["over_deadline"].Total, over, 0)
	expect(t, "idle_time", metrics["idle_time"].Total, idle, roundings(in, latest))
}

// roundings is what end − start of all jobs may differ by from their durations, at late times, and the roundings of processors · makespan
// and of what is busy in it.
func roundings(in *model.Instance, latest float64) float64 {
	ulp := math.Nextafter(latest, math.Inf(1)) - latest
	return ulp * float64(in.Processors()*(len(in.Jobs())+2))
}

// expect compares two figures to a relative 1e-9 and the rounding error given.
func expect(t *rapid.T, what string, got, want, rounding float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(math.Abs(got), math.Abs(want))+rounding) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// indices lists all jobs.
func indices(in *model.Instance) []int {
	jobs := make([]int, len(in.Jobs()))
	for j := range jobs {
		jobs[j] = j
	}
	return jobs
}

// A log of states brings back each that it keeps, also after the last of them were forgotten and others kept; the processors are released when they were given as released.
func TestReleasesLog(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		released := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 1.5, 4, 9}), 1, 5).Draw(t, "released")
		r, log, kept := NewReleasesAt(released, 30), ReleasesLog{}, [][]step(nil)
		slices.Sort(released)
		for k, at := range released {
			if got := r.Earliest(int32(k+1), 0); got != at {
				t.Fatalf("%d of %v processors are released at %v", k+1, released, got)
			}
		}
		for range 12 {
			r.Place(int32(rapid.IntRange(1, len(released)).Draw(t, "size")), float64(rapid.IntRange(0, 20).Draw(t, "ready")), float64(rapid.IntRange(0, 9).Draw(t, "length")))
			if cut := rapid.IntRange(0, 2*len(kept)).Draw(t, "cut"); cut <= len(kept) {
				log.Cut(cut)
				kept = kept[:cut]
			}
			log.Add(r)
			kept = append(kept, slices.Clone(r.steps[:r.n]))
			k := rapid.IntRange(0, len(kept)-1).Draw(t, "state")
			if log.Restore(k, r); log.Len() != len(kept) || !slices.Equal(r.steps[:r.n], kept[k]) {
				t.Fatalf("state %d of %d is %v, was %v", k, log.Len(), r.steps[:r.n], kept[k])
			}
		}
	})
}

func TestDecodeByHand(t *testing.T) {
	// Three processors. Job a holds two until 3 and b one until 2; c needs two: it starts at 3 on the latest-released ones,
	// the two of a, and d finds b's processor at 2. Job e needs all three for no time: it starts at once.
	b := model.NewBuilder("hand").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 3}}})
	for k, j := range []struct {
		size           int
		work, deadline float64
	}{{2, 3, 2}, {1, 2, 2}, {2, 4, 6}, {1, 1, 9}, {3, 0, 6.5}} {
		b.Job(model.JobSpec{ID: fmt.Sprint(k), Processors: model.Rigid(j.size), Work: &j.work, Deadline: &j.deadline})
	}
	d := newDecoder(t, build(t, b))
	want := totals{Jobs: 5, Makespan: 7, Busy: 6 + 2 + 8 + 1, Over: 1 + 1}
	if got := d.decode(0, []int32{0, 1, 2, 3, 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := d.decode(0, nil); got != (totals{}) {
		t.Errorf("got %+v for no jobs", got)
	}
}

// A job of no time holds nothing: it starts when it arrives, and the others do not see it.
func TestDecodeJobOfNoTime(t *testing.T) {
	b := model.NewBuilder("zero").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4}}})
	for k, j := range []struct {
		size int
		work float64
	}{{3, 10}, {1, 2}, {2, 0}, {2, 5}, {1, 1}} {
		b.Job(model.JobSpec{ID: fmt.Sprint(k), Processors: model.Rigid(j.size), Work: &j.work, Deadline: new(3.0)})
	}
	d := newDecoder(t, build(t, b))
	// 0 holds three until 10, 1 one until 2; 2 is at 0; 3 starts at 10 on two of 0's; 4 runs from 2 to 3, in time.
	want := totals{Jobs: 5, Makespan: 15, Busy: 30 + 2 + 0 + 10 + 1, Over: 7 + 0 + 0 + 12 + 0}
	if got := d.decode(0, []int32{0, 1, 2, 3, 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	in := fig4Batch(t, 100)
	d := newDecoder(t, in)
	order := runnable(in, 0)
	if n := testing.AllocsPerRun(100, func() { d.decode(0, order) }); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}
