package forecast

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// anyJob draws a job that arrives at a time. On several clusters it may state an execution time for each.
func anyJob(t *rapid.T, id string, arrival float64, clusters int) model.JobSpec {
	spec := model.JobSpec{
		ID: id, Arrival: arrival, Processors: model.Rigid(rapid.IntRange(1, 4).Draw(t, "processors")), Work: new(float64(rapid.IntRange(0, 20).Draw(t, "work"))),
		User: rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "user"),
	}
	if rapid.IntRange(0, 5).Draw(t, "estimated") > 0 {
		spec.Estimate = new(float64(rapid.SampledFrom([]int{0, 1, 4, 8, 16, 32}).Draw(t, "estimate")))
	}
	if clusters > 1 && rapid.IntRange(0, 4).Draw(t, "limited") == 0 {
		spec.Deadline, spec.DeadlineHard = new(arrival+float64(rapid.IntRange(0, 60).Draw(t, "deadline"))), true
	}
	return spec
}

// buildAny makes an instance of clusters, the second of which is faster.
func buildAny(t *rapid.T, clusters int, jobs []model.JobSpec) *model.Instance {
	b := model.NewBuilder("any")
	for c := range clusters {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: fmt.Sprint("m", c), Count: 4, Speed: float64(1 + 3*c)}}})
	}
	in, err := b.Job(jobs...).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A forecast does not change, to the byte, when what happens after T does: run times of jobs that have not ended by then, and the jobs that arrive later, wherever
// they stand in the instance.
func TestForecastsDoNotKnowTheFuture(t *testing.T) {
	for name, discipline := range disciplines() {
		for _, clusters := range []int{1, 2} {
			t.Run(fmt.Sprint(name, " ", clusters), rapid.MakeCheck(func(t *rapid.T) {
				policy := under{discipline, rapid.Bool().Draw(t, "kill")}
				if clusters > 1 {
					policy.discipline = sim.Discipline{General: discipline.General}
				}
				at := float64(rapid.IntRange(1, 60).Draw(t, "at"))
				var jobs []model.JobSpec
				now := 0.0
				for k := range rapid.IntRange(1, 15).Draw(t, "jobs") {
					if now += float64(rapid.IntRange(0, 6).Draw(t, "gap")); now <= at {
						spec := anyJob(t, fmt.Sprint("j", k), now, clusters)
						if clusters > 1 && k > 0 && rapid.IntRange(0, 3).Draw(t, "waits for another") == 0 {
							spec.After = []string{fmt.Sprint("j", rapid.IntRange(0, k-1).Draw(t, "after"))}
						}
						jobs = append(jobs, spec)
					}
				}
				opt := Defaults()
				opt.Runs, opt.Day, opt.Days, opt.Least = 5, float64(rapid.IntRange(3, 20).Draw(t, "day")), 4, rapid.IntRange(1, 4).Draw(t, "least")
				opt.Independent = rapid.Bool().Draw(t, "independent")
				first, _ := forecastAmid(t, policy, jobs, at, clusters, opt, "first")
				truth, err := replay(context.Background(), buildAny(t, clusters, jobs), policy, opt.Seed)
				if err != nil {
					t.Fatal(err)
				}
				changed := append([]model.JobSpec(nil), jobs...)
				for k := range changed {
					if in := truth.in; !(truth.end[k] <= at) && in.Jobs()[k].ID == changed[k].ID && changed[k].Estimate != nil {
						ran := 0.0
						if truth.start[k] < at {
							ran = 4 * (at - truth.start[k])
						}
						changed[k].Work = new(ran + 1 + float64(rapid.IntRange(0, 40).Draw(t, "other work")))
					}
				}
				second, list := forecastAmid(t, policy, changed, at, clusters, opt, "second")
				if first != second {
					a, _ := json.Marshal(changed)
					b, _ := json.Marshal(list)
					t.Fatalf("at %v:\n%s\n%s\n%s\n%s", at, first, second, a, b)
				}
			}))
		}
	}
}

// forecastAmid forecasts with later jobs put among the others.
func forecastAmid(t *rapid.T, policy under, jobs []model.JobSpec, at float64, clusters int, opt Options, name string) (string, []model.JobSpec) {
	list := append([]model.JobSpec(nil), jobs...)
	for k := range rapid.IntRange(0, 6).Draw(t, "later jobs") {
		place := rapid.IntRange(0, len(list)).Draw(t, "place")
		later := anyJob(t, fmt.Sprint(name, k), at+float64(rapid.IntRange(1, 30).Draw(t, "later")), clusters)
		list = append(list[:place:place], append([]model.JobSpec{later}, list[place:]...)...)
	}
	f, err := Queue(context.Background(), "policy", policy, buildAny(t, clusters, list), at, "", nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), list
}

// W waits at 10 for A, which runs on the slow cluster until 128 by its estimate, or for B, which runs on the fast one until 150; X waits behind it. Where W runs decides
// how long it takes, but the size class from which its ratio is drawn is known at 10. When A and B really end is not.
func TestSizeClassDoesNotKnowTheFuture(t *testing.T) {
	history := newHistory([]record{
		{End: -1, Ratio: 1, Estimate: 128, Processors: 4}, {End: -1, Ratio: 0.5, Estimate: 16, Processors: 4}, {End: -1, Ratio: 0.25, Estimate: 4, Processors: 4},
	})
	opt := Defaults()
	opt.Least, opt.Runs = 1, 1
	starts := map[float64]bool{}
	for _, work := range [][2]float64{{128, 600}, {20, 600}, {128, 80}} {
		b := model.NewBuilder("two")
		for c, speed := range []float64{1, 4} {
			b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: fmt.Sprint("m", c), Count: 4, Speed: speed}}})
		}
		in, err := b.Job(
			model.JobSpec{ID: "A", Processors: model.Rigid(4), Runtime: map[string]float64{"c0": work[0]}, Estimate: new(128.0)},
			model.JobSpec{ID: "B", Processors: model.Rigid(4), Runtime: map[string]float64{"c1": work[1] / 4}, Estimate: new(600.0)},
			model.JobSpec{ID: "W", Arrival: 1, Processors: model.Rigid(4), Work: new(16.0), Estimate: new(16.0)},
			model.JobSpec{ID: "X", Arrival: 2, Processors: model.Rigid(4), Work: new(16.0), Estimate: new(16.0)},
		).Build()
		if err != nil {
			t.Fatal(err)
		}
		f, err := Queue(context.Background(), "fcfs", under{discipline: sim.Discipline{General: disciplines()["fcfs"].General}}, in, 10, "X", history, opt)
		if err != nil {
			t.Fatal(err)
		}
		starts[*f.Jobs[0].P50] = true
		t.Logf("work %v: %v", work, times(f.Jobs[0]))
	}
	if len(starts) != 1 {
		t.Errorf("the start depends on when A and B really end: %v", starts)
	}
}

// A job that waits for one that arrives after T does not start in any future, as nobody knows at T when that comes; nor does one that waits for it.
func TestNobodyKnowsWhenAJobArrives(t *testing.T) {
	jobs := []model.JobSpec{
		{ID: "A", Estimate: new(10.0), User: "u"}, {ID: "B", Estimate: new(9.0), After: []string{"late"}}, {ID: "C", Estimate: new(9.0), After: []string{"B"}},
		{ID: "D", Estimate: new(9.0), After: []string{"A"}}, {ID: "late", Arrival: 20, Estimate: new(1.0)},
	}
	f := ask(t, built(t, 4, jobs...), 1, fifths("u"), nil)
	want := map[string][4]float64{"B": {-1, -1, -1, -1}, "C": {-1, -1, -1, -1}, "D": {10, 2, 6, 10}}
	for _, j := range f.Jobs {
		if got := times(j); got != want[j.Job] {
			t.Errorf("%s: %v, expected %v", j.Job, got, want[j.Job])
		}
	}
	if len(f.Jobs) != len(want) {
		t.Errorf("%+v", f.Jobs)
	}
}

// A job that has left without a start before T waits no more, and is not listed: one that could not meet its hard deadline, and one too wide for the cluster.
func TestJobsThatHaveLeftAreNotAsked(t *testing.T) {
	jobs := []model.JobSpec{
		{ID: "A", Estimate: new(90.0), Processors: model.Rigid(2)}, {ID: "wide", Arrival: 10, Estimate: new(9.0), Processors: model.Rigid(3)},
		{ID: "B", Arrival: 10, Estimate: new(9.0), Processors: model.Rigid(2)},
	}
	missed := model.JobSpec{ID: "missed", Arrival: 10, Estimate: new(9.0), Deadline: new(12.0), DeadlineHard: true}
	for _, list := range [][]model.JobSpec{jobs, append(jobs[:len(jobs):len(jobs)], missed)} {
		in := built(t, 2, list...)
		if f := ask(t, in, 50, nil, nil); len(f.Jobs) != 1 || f.Jobs[0].Job != "B" {
			t.Errorf("%d jobs, at 50: %+v", len(list), f.Jobs)
		}
		if f := ask(t, in, 10, nil, nil); len(f.Jobs) != len(list)-1 || f.Jobs[0].Job != "wide" || f.Jobs[0].Expected != nil {
			t.Errorf("%d jobs, at 10: %+v", len(list), f.Jobs)
		}
	}
}
