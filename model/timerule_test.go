package model_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// shortestLongest is the least time of the longest processor over all ways to share the tasks, each processor getting at
// least one while there are enough.
func shortestLongest(speeds []float64, tasks int) float64 {
	least := 0
	if tasks >= len(speeds) {
		least = 1
	}
	best := math.Inf(1)
	var share func(k, left int, longest float64)
	share = func(k, left int, longest float64) {
		if k == len(speeds)-1 {
			if left >= least {
				best = min(best, max(longest, float64(left)/speeds[k]))
			}
			return
		}
		for b := least; b <= left; b++ {
			share(k+1, left-b, max(longest, float64(b)/speeds[k]))
		}
	}
	share(0, tasks, 0)
	return best
}

// withSpeeds is an instance with one job of work 1 on a cluster of processors of the given speeds, in runs of equal ones.
func withSpeeds(t rapid.TB, speeds []float64, tasks int) *model.Instance {
	t.Helper()
	c := model.ClusterSpec{ID: "c"}
	for k, speed := range speeds {
		c.Machines = append(c.Machines, model.MachineSpec{ID: strconv.Itoa(k), Speed: speed})
	}
	in, err := model.New(model.InstanceSpec{Clusters: []model.ClusterSpec{c}, Jobs: []model.JobSpec{{ID: "j", Work: new(1.0), Tasks: tasks, Processors: model.Rigid(len(speeds))}}})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestLongestIsTheShortestOfAllDistributions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speed := rapid.OneOf(rapid.SampledFrom([]float64{1, 2, 3}), rapid.Float64Range(0.1, 10))
		speeds := rapid.SliceOfN(speed, 1, 4).Draw(t, "speeds")
		tasks := rapid.IntRange(1, 14).Draw(t, "tasks")
		in := withSpeeds(t, speeds, tasks)
		whole := model.NewProcessorSet(model.Range{First: 0, Last: len(speeds) - 1})
		if got, want := in.Longest(0, 0, whole, tasks), shortestLongest(speeds, tasks); !near(got, want) {
			t.Fatalf("speeds %v, %d tasks: got %v, want %v", speeds, tasks, got, want)
		}
	})
}

// The same against giving out tasks one by one, with many processors and tasks of few and of many speeds, some very different.
func TestLongestOfManyAgreesWithGivingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]float64{1e-9, 0.1, 1, 1 + 1e-12, 3, 7, 1e9}), rapid.Float64Range(1, 10)), 1, 40).Draw(t, "kinds")
		speeds := append(rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 26).Draw(t, "speeds"), kinds...)
		tasks := rapid.IntRange(1, 500).Draw(t, "tasks")
		in := withSpeeds(t, speeds, tasks)
		whole := model.NewProcessorSet(model.Range{First: 0, Last: len(speeds) - 1})
		if got, want := in.Longest(0, 0, whole, tasks), oneByOne(speeds, tasks); !near(got, want) {
			t.Fatalf("speeds %v, %d tasks: got %v, want %v", speeds, tasks, got, want)
		}
	})
}

// oneByOne gives each processor a task while there are enough, then each further task to where it ends first.
func oneByOne(speeds []float64, tasks int) float64 {
	given := make([]int, len(speeds))
	if tasks >= len(speeds) {
		for k := range given {
			given[k] = 1
		}
		tasks -= len(speeds)
	}
	for range tasks {
		best := 0
		for k := range given {
			if float64(given[k]+1)/speeds[k] < float64(given[best]+1)/speeds[best] {
				best = k
			}
		}
		given[best]++
	}
	longest := 0.0
	for k, n := range given {
		longest = max(longest, float64(n)/speeds[k])
	}
	return longest
}

// Huge numbers of tasks and processors must not take time that grows with them.
func TestLongestOfHugeJobs(t *testing.T) {
	in, err := model.New(model.InstanceSpec{
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "slow", Count: 8 << 20}, {ID: "fast", Count: 4 << 20, Speed: 4}, {ID: "one", Speed: 1e18}}}},
		Jobs:     []model.JobSpec{{ID: "j", Work: new(3.0), Tasks: math.MaxInt32, Processors: model.Rigid(12 << 20)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	// 24·2²⁰ units of speed and 2³¹ tasks: 85.3 a unit; every slow one gets 85 or 86, every fast one four times as many.
	both := model.NewProcessorSet(model.Range{First: 0, Last: 12<<20 - 1})
	if got := in.Longest(0, 0, both, math.MaxInt32); got < 3*85.25 || got > 3*86 {
		t.Errorf("got %v", got)
	}
	all := model.NewProcessorSet(model.Range{First: 0, Last: 12 << 20})
	if got := in.Longest(0, 0, all, math.MaxInt32); got != 3 {
		t.Errorf("with a processor that takes all but one task each: got %v, want 3", got)
	}
}

// distinctSpeeds has a job on n machines of different speeds, and these.
func distinctSpeeds(t testing.TB, n, tasks int) (*model.Instance, []float64) {
	t.Helper()
	speeds := make([]float64, n)
	c := model.ClusterSpec{ID: "c"}
	for k := range n {
		speeds[k] = 1 + float64(k)/float64(n)
		c.Machines = append(c.Machines, model.MachineSpec{ID: strconv.Itoa(k), Speed: speeds[k]})
	}
	in, err := model.New(model.InstanceSpec{Clusters: []model.ClusterSpec{c}, Jobs: []model.JobSpec{{ID: "j", Work: new(1.0), Tasks: tasks, Processors: model.Rigid(n)}}})
	if err != nil {
		t.Fatal(err)
	}
	return in, speeds
}

// A cluster in which no two of many processors are alike.
func TestLongestOfManyDistinctSpeeds(t *testing.T) {
	const n, tasks = 100_000, 250_000
	in, speeds := distinctSpeeds(t, n, tasks)
	got := in.Longest(0, 0, model.NewProcessorSet(model.Range{First: 0, Last: n - 1}), tasks)
	// The answer L is the least time by which enough tasks end: Σ max(1, ⌊L·speed⌋) ≥ tasks.
	by := func(time float64) (ended int) {
		for _, speed := range speeds {
			ended += max(1, int(time*speed))
		}
		return ended
	}
	if by(got*(1+1e-9)) < tasks || by(got*(1-1e-9)) >= tasks {
		t.Errorf("%v: %d tasks end by then, %d just before", got, by(got*(1+1e-9)), by(got*(1-1e-9)))
	}
}

// BenchmarkLongest shares tasks between processors of different speeds. It takes O(n log n): the time of a processor is little more for ten times as many.
func BenchmarkLongest(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("speeds=%d", n), func(b *testing.B) {
			tasks := 5 * n / 2
			in, _ := distinctSpeeds(b, n, tasks)
			all := model.NewProcessorSet(model.Range{First: 0, Last: n - 1})
			for b.Loop() {
				in.Longest(0, 0, all, tasks)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/processor")
		})
	}
}

// times is an instance for run times by hand.
const times = `{"schema": "allot/instance/1", "overheads": {"context_switch": 0.5},
	"clusters": [
		{"id": "plain", "overheads": {}, "machines": [{"id": "m", "count": 8, "speed": 10, "bandwidth": 4}]},
		{"id": "net", "network": {"latency": 0.25, "bandwidth": 8}, "machines": [{"id": "m", "processors": 4, "speed": 10}]},
		{"id": "whole", "overheads": {"context_switch": 1}, "allocation": "machine", "machines": [
			{"id": "m", "count": 2, "processors": 4, "speed": 10}, {"id": "n", "processors": 8, "speed": 2.5, "bandwidth": 1}]},
		{"id": "mixed", "overheads": {}, "machines": [{"id": "m", "speed": 10, "bandwidth": 4}, {"id": "n", "speed": 20, "bandwidth": 2}]}],
	"jobs": [
		{"id": "rigid", "processors": 4, "work": 100},
		{"id": "tasks", "processors": {"min": 1, "max": 4}, "tasks": 10, "work": 30},
		{"id": "data", "processors": 2, "work": 100, "input": 6, "output": 2}, {"id": "little data", "work": 10, "input": 0.5, "output": 0.5},
		{"id": "messages", "processors": 2, "work": 100, "message": 2},
		{"id": "stated", "processors": {"min": 2, "max": 4}, "tasks": 10, "input": 8, "message": 9, "runtime": {"plain": 12, "whole": 5, "mixed": 7}},
		{"id": "estimate", "estimate": 30, "reference_speed": 5}]}`

func TestDurationsByHand(t *testing.T) {
	in, err := readInstance(times)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		job, cluster, set string
		want              float64
	}{
		{"rigid", "plain", "0-3", 10},
		{"rigid", "net", "0-3", 10 + 0.5}, // the instance's context switch
		{"rigid", "whole", "0", 4*100/40.0 + 1},
		{"rigid", "whole", "2", 4*100/20.0 + 1},
		{"tasks", "plain", "0", 10 * 3},
		{"tasks", "plain", "0-3", 3 * 3},   // ⌈10/4⌉
		{"tasks", "plain", "0,2,5", 4 * 3}, // ⌈10/3⌉
		{"tasks", "plain", "0-7", 2 * 3},
		{"tasks", "whole", "1", 10*30/40.0 + 1},
		{"tasks", "mixed", "0-1", 7 * 30 / 20.0}, // 3 tasks on m take 9, 7 on n take 10.5
		{"data", "plain", "0-1", 10 + 8/4.0},
		{"little data", "plain", "0", 1 + 0.25},
		{"data", "net", "0-1", 10 + 0.5},     // no limit
		{"data", "mixed", "0-1", 10 + 8/2.0}, // one task on each; the slower link counts
		{"data", "whole", "2", 2*100/20.0 + 1 + 8},
		{"messages", "plain", "0-1", 10},
		{"messages", "net", "0-1", 10 + 0.5 + 0.25 + 2/8.0},
		{"stated", "plain", "0-3", 12},            // as stated with the most processors, transfers and overheads included
		{"stated", "plain", "0-1", 12 * 5 / 3.0},  // 5 tasks a processor instead of 3
		{"stated", "plain", "0-2", 12 * 4 / 3.0},  // ⌈10/3⌉
		{"stated", "whole", "2", 5},               // one machine, the most there can be
		{"stated", "mixed", "0-1", 7 * 5 / 3.0},   // 5 tasks on each, whatever the speeds
		{"stated", "net", "0-3", math.NaN()},      // cannot run there
		{"estimate", "plain", "3", 30 * 5 / 10.0}, // work is estimate × reference speed
	} {
		job, _ := in.JobIndex(c.job)
		cluster, _ := in.ClusterIndex(c.cluster)
		if got := in.Duration(job, cluster, set(c.set)); !near(got, c.want) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s on %s %s: got %v, want %v", c.job, c.cluster, c.set, got, c.want)
		}
	}
}

// On a uniform cluster DurationOn is Duration on any processors.
func TestDurationOnIsDuration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Instance(t, modeltest.AllFeatures)
		for c := range in.Clusters() {
			cluster := &in.Clusters()[c]
			for j := range in.Jobs() {
				n := rapid.IntRange(1, cluster.Processors).Draw(t, "n")
				first := rapid.IntRange(0, cluster.Processors-n).Draw(t, "first")
				long := in.Duration(j, c, model.NewProcessorSet(model.Range{First: first, Last: first + n - 1}))
				if short := in.DurationOn(j, c, n); cluster.Uniform && !near(short, long) && !(math.IsNaN(short) && math.IsNaN(long)) {
					t.Fatalf("job %d on %d of cluster %d: %v and %v", j, n, c, short, long)
				}
			}
		}
	})
}

func TestCannotRunSaysWhy(t *testing.T) {
	in, err := readInstance(`{"schema": "allot/instance/1", "licences": {"grid": 2, "none": 0},
		"clusters": [
			{"id": "small", "licences": {"own": 1}, "machines": [{"id": "m", "count": 3, "processors": 2, "memory": 10, "bandwidth": 5, "licences": ["grid", "own", "none"]}]},
			{"id": "large", "machines": [{"id": "m", "processors": 8, "memory": 100, "bandwidth": 1, "licences": []}, {"id": "n", "count": 2, "licences": ["grid"]}]},
			{"id": "whole", "allocation": "machine", "machines": [{"id": "m", "count": 2, "processors": 16, "memory": 4}]}],
		"jobs": [
			{"id": "any", "work": 1}, {"id": "wide", "processors": 8, "work": 1}, {"id": "smp", "processors": 4, "span": "machine", "work": 1},
			{"id": "stated", "runtime": {"large": 1}}, {"id": "memory", "processors": 6, "memory": 6, "work": 1},
			{"id": "fast", "processors": 3, "min_bandwidth": 2, "work": 1}, {"id": "copies", "licences": {"grid": 3}, "work": 1},
			{"id": "heavy", "span": "machine", "memory": 200, "work": 1}, {"id": "as fast", "min_bandwidth": 5, "work": 1},
			{"id": "own", "licences": {"own": 1}, "work": 1}, {"id": "runs", "processors": 3, "licences": {"grid": 1}, "work": 1}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"any":     {"", "", ""},
		"wide":    {"needs 8 processors, small has 6", "", ""},
		"smp":     {"needs 4 processors of one machine, the largest of small has 2", "", ""},
		"stated":  {"no run time is stated for small", "", "no run time is stated for whole"},
		"memory":  {"needs memory 6 a task, too few machines hold it on small", "", "needs memory 6 a task, too few machines hold it on whole"},
		"fast":    {"", "needs bandwidth 2, no machine with enough processors offers it on large", ""},
		"copies":  {"needs 3 copies of licence grid, small can use 2", "needs 3 copies of licence grid, large can use 2", "needs 3 copies of licence grid, whole can use 2"},
		"heavy":   {"needs memory 200 a task, too few machines hold it on small", "", "needs memory 200 a task, too few machines hold it on whole"},
		"as fast": {"", "", ""},
		"own":     {"", "needs 1 copies of licence own, large can use 0", "needs 1 copies of licence own, whole can use 0"},
		"runs":    {"", "needs licence grid, too few machines run it on large", ""},
	}
	for j := range in.Jobs() {
		id := in.Jobs()[j].ID
		var got []string
		for c := range in.Clusters() {
			got = append(got, in.CannotRun(j, c))
		}
		if !slices.Equal(got, want[id]) {
			t.Errorf("%s: got %q", id, got)
		}
	}
}
