package forecast

import (
	"testing"

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
