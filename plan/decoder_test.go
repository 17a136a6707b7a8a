package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// slowCluster is the rule of [Decoder] to the letter, with real processors: when each of them is released.
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

// place places a job of the duration as [Decoder] says; one of no time holds nothing and waits for no other.
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

// slowDecode is [Decoder.Decode] by the letter.
func slowDecode(in *model.Instance, cluster int, order []int32) Totals {
	s := newSlowCluster(in, cluster)
	totals := Totals{Jobs: len(order)}
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

// newDecoder makes a decoder that must be possible.
func newDecoder(t testing.TB, in *model.Instance) *Decoder {
	t.Helper()
	d, err := NewDecoder(in)
	if err != nil {
		t.Fatal(err)
	}
	return d
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
	many(t, 10, func(t *rapid.T) {
		in := drawPlain(t, 14)
		d, err := NewDecoder(in)
		if err != nil {
			t.Fatal(err)
		}
		for c := range in.Clusters() {
			jobs := runnable(in, c)
			for range 8 {
				order := rapid.Permutation(jobs).Draw(t, "order")
				order = order[:rapid.IntRange(0, len(order)).Draw(t, "length")]
				if got, want := d.Decode(c, order), slowDecode(in, c, order); got != want {
					t.Fatalf("cluster %d, order %v: got %+v, want %+v", c, order, got, want)
				}
			}
		}
	})
}

// A schedule of the same order must cost what the decoder says, by the evaluator.
func TestDecodeByTheEvaluator(t *testing.T) {
	many(t, 10, func(t *rapid.T) {
		in := drawPlain(t, 14)
		d, err := NewDecoder(in)
		if err != nil {
			t.Fatal(err)
		}
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
func compareTotals(t *rapid.T, in *model.Instance, d *Decoder, orders [][]int32, metrics model.Metrics) {
	var makespan, idle, over, latest float64
	for c, order := range orders {
		totals := d.Decode(c, order)
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
	want := Totals{Jobs: 5, Makespan: 7, Busy: 6 + 2 + 8 + 1, Over: 1 + 1}
	if got := d.Decode(0, []int32{0, 1, 2, 3, 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := d.Decode(0, nil); got != (Totals{}) {
		t.Errorf("got %+v for no jobs", got)
	}
	if duration, ok := d.Duration(2, 0); duration != 4 || !ok {
		t.Errorf("got %v, %v", duration, ok)
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
	want := Totals{Jobs: 5, Makespan: 15, Busy: 30 + 2 + 0 + 10 + 1, Over: 7 + 0 + 0 + 12 + 0}
	if got := d.Decode(0, []int32{0, 1, 2, 3, 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	in := fig4Batch(t, 100)
	d := newDecoder(t, in)
	order := runnable(in, 0)
	if n := testing.AllocsPerRun(100, func() { d.Decode(0, order) }); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}

func TestDecoderClone(t *testing.T) {
	in := fig4Batch(t, 50)
	d := newDecoder(t, in)
	order := runnable(in, 1)
	want := d.Decode(1, order)
	done := make(chan Totals)
	for range 4 {
		clone := d.Clone()
		go func() {
			var last Totals
			for range 100 {
				last = clone.Decode(1, order)
			}
			done <- last
		}()
	}
	for range 4 {
		if got := <-done; got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestDecoderRefuses(t *testing.T) {
	b := model.NewBuilder("after").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(1.0), After: []string{"a"}})
	if _, err := NewDecoder(build(t, b)); err == nil || err.Error() != "plan: list decoding by counts cannot honour precedence" {
		t.Errorf("got %v", err)
	}
}
