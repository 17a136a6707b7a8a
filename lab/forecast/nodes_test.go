package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// Two nodes of four GPUs, two of which jobs hold on each: a job that needs four on one waits for 40 s, although four are free. Where the jobs run already,
// what is left of their time counts, and the quantiles are those of jobs that have run for as long as they say.
func TestFourGPUsOnOneNode(t *testing.T) {
	busy := func(id, node string, work, elapsed float64) model.JobSpec {
		j := model.JobSpec{ID: id, Estimate: new(work), Resources: map[string]float64{"gpu": 2}, User: "u"}
		if elapsed > 0 {
			first := map[string]int{"n[0]": 0, "n[1]": 8}[node]
			j.Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(first), Elapsed: elapsed,
				Holds: map[string]map[string]float64{node: {"gpu": 2}}, Devices: model.DevicesHeld{"gpu": {node: model.Processors(0, 1)}}}
		}
		return j
	}
	with := func(jobs ...model.JobSpec) *model.Instance {
		b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{
			{ID: "n", Count: 2, Processors: 8, Resources: map[string]float64{"gpu": 4, "cpu": 8}}}}).Job(jobs...)
		b.Spec().Devices = []string{"gpu"}
		in, err := b.Job(model.JobSpec{ID: "asked", Arrival: 1, Estimate: new(10.0), Resources: map[string]float64{"gpu": 4}}).Build()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	cores := func(j model.JobSpec) model.JobSpec { // so that two do not lie on one node
		j.Resources["cpu"] = 5
		return j
	}
	f := ask(t, with(cores(busy("a", "n[0]", 40, 0)), cores(busy("b", "n[1]", 60, 0))), 1, nil, nil)
	if len(f.Jobs) != 1 || f.Jobs[0].Job != "asked" || *f.Jobs[0].Expected != 40 {
		t.Errorf("%+v", f.Jobs)
	}
	// a has 50 of its 100 left, and b 90 of 100: of the ratios 0.2, 0.4, … 1 only 0.6, 0.8 and 1 are left for a, so that it ends at 10, 30 or 50. Both are of
	// one user: b, for which 0.2 to 1 are left, ends at 10, 30, 50, 70 or 90, with the same draw.
	f = ask(t, with(busy("a", "n[0]", 50, 50), busy("b", "n[1]", 90, 10)), 1, fifths("u"), nil)
	if got := times(f.Jobs[0]); len(f.Jobs) != 1 || got != [4]float64{50, 10, 30, 50} {
		t.Errorf("%v of %+v", got, f.Jobs)
	}
}

// onNodes draws an instance of two clusters of nodes with memory and GPUs, some of whose jobs may run on either.
func onNodes(t *rapid.T) *model.Instance {
	b := model.NewBuilder("nodes").Cluster(
		model.ClusterSpec{ID: "cpu", Machines: []model.MachineSpec{{ID: "n", Count: 2, Processors: 4, Memory: new(8.0)}, {ID: "f", Processors: 4, Memory: new(16.0), Features: []string{"fast"}}}},
		model.ClusterSpec{ID: "gpu", Machines: []model.MachineSpec{{ID: "g", Count: 2, Processors: 4, Memory: new(8.0), Resources: map[string]float64{"gpu": 2}}}})
	b.Spec().Devices = []string{"gpu"}
	now := 0.0
	for k := range rapid.IntRange(5, 40).Draw(t, "jobs") {
		now += float64(rapid.IntRange(0, 3).Draw(t, "gap"))
		j := model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: now, Processors: model.Rigid(rapid.SampledFrom([]int{1, 2, 4, 6}).Draw(t, "processors")),
			Estimate: new(float64(rapid.SampledFrom([]int{1, 4, 8, 16, 32}).Draw(t, "estimate"))), Memory: float64(rapid.IntRange(0, 4).Draw(t, "memory")),
			User: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "user"),
		}
		work := float64(rapid.IntRange(0, 20).Draw(t, "work"))
		switch rapid.SampledFrom([]string{"any", "cpu", "fast", "gpu", "exclusive", "blocks"}).Draw(t, "kind") {
		case "any":
			j.Work = &work
		case "cpu":
			j.Runtime = map[string]float64{"cpu": work}
		case "fast":
			j.Work, j.Features, j.Processors = &work, [][]string{{"fast"}}, model.Rigid(2)
		case "gpu":
			j.Work, j.Resources, j.Processors = &work, map[string]float64{"gpu": 1}, model.Rigid(2)
		case "exclusive":
			j.Work, j.Exclusive = &work, true
		case "blocks":
			j.Work, j.Block, j.Processors, j.PerMachine = &work, 2, model.Rigid(4), 1
		}
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// On nodes a future that begins in the middle has the starts of one that runs all of the past.
func TestFuturesOnNodesAgreeWithRunsFromTheBeginning(t *testing.T) {
	for name, discipline := range disciplines() {
		t.Run(name, func(t *testing.T) {
			compared := 0
			rapid.Check(t, func(t *rapid.T) {
				in := onNodes(t)
				policy := under{discipline, rapid.Bool().Draw(t, "kill")}
				at := in.Jobs()[rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "of")].Arrival + float64(rapid.IntRange(0, 2).Draw(t, "later"))
				opt := Defaults()
				opt.Arrivals, opt.Least = false, 1
				truth, err := replay(context.Background(), in, policy, 1)
				if err != nil {
					t.Fatal(err)
				}
				if truth.whole {
					t.Fatal("expected an instance on which a run can begin in the middle")
				}
				asked := truth.waiting(at)
				history := newHistory(truth.records())
				got, err := truth.momentAt(at, asked, history, &opt).run(context.Background(), 2)
				if err != nil {
					t.Fatal(err)
				}
				truth.whole = true
				want, err := truth.momentAt(at, asked, history, &opt).run(context.Background(), 2)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("at %v: %v, from the beginning %v, %v", at, got, want, err)
				}
				for k, job := range asked {
					if want[k] > in.Jobs()[job].Arrival && !math.IsInf(want[k], 1) {
						compared++
					}
				}
			})
			if compared < race.Enough(20) {
				t.Errorf("only %d jobs that wait were compared", compared)
			}
		})
	}
}

// A future that begins at the instant at which a job starts keeps the job where it is. Job b began beside a, which took no time, so it lies on both nodes, and c, which needs a node to
// itself, waits for it. Alone b would lie on one node.
func TestFutureKeepsWhatHasJustStarted(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "n", Count: 2, Processors: 4, Memory: new(8.0)}}}).Job(
		model.JobSpec{ID: "a", Processors: model.Rigid(2), Work: new(0.0), Estimate: new(1.0)}, model.JobSpec{ID: "b", Processors: model.Rigid(4), Work: new(5.0), Estimate: new(8.0)},
		model.JobSpec{ID: "c", Arrival: 1, Processors: model.Rigid(2), Work: new(3.0), Estimate: new(8.0), Exclusive: true},
	).Build()
	if err != nil {
		t.Fatal(err)
	}
	truth, err := replay(t.Context(), in, under{disciplines()["conservative"], false}, 1)
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	opt.Arrivals, opt.Least = false, 1
	got, err := truth.momentAt(1, truth.waiting(1), newHistory(truth.records()), &opt).run(t.Context(), 1)
	if err != nil || len(got) != 1 || got[0] <= 1 {
		t.Errorf("%v, %v; expected one start after b has ended", got, err)
	}
}
