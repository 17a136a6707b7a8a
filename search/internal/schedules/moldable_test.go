package schedules

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/shelves"
)

// evenMoldable is a batch on one cluster of jobs of 840 tasks and at most 8 processors, each with an overhead: every number of processors shares the tasks evenly, so that the jobs are monotonic.
func evenMoldable(t *testing.T, rng *rand.Rand) *model.Instance {
	t.Helper()
	b := model.NewBuilder("even").Cluster(model.ClusterSpec{ID: "c", Network: &model.Network{Bandwidth: 1}, Machines: []model.MachineSpec{{ID: "m", Count: 2 + rng.IntN(40)}}})
	for k := range 1 + rng.IntN(80) {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Moldable(1, 2+rng.IntN(7)), Tasks: 840, Work: new(rng.Float64() / 8), Message: 30 * rng.Float64() * float64(rng.IntN(2))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The start on shelves, decoded as a list, is within 3/2 of a makespan that was not refused, and that is within 1 % of one that was: below the optimum, as the jobs are monotonic.
func TestShelvesStartIsWithinItsRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for k := range race.Fewer(300, 30) {
		in := evenMoldable(t, rng)
		p := newProblem(t.Context(), in)
		starts := p.moldableStarts(t.Context())
		if len(starts) != 1+len(shelvesParts) {
			t.Fatalf("instance %d: %d starts", k, len(starts))
		}
		jobs := make([]shelves.Job, len(p.jobs))
		for i, j := range p.jobs {
			jobs[i] = shelves.Job{Least: 1, Most: in.Jobs()[j].Max, Time: func(n int) float64 { return in.DurationOn(int(j), 0, n) }}
		}
		_, refused, ok := shelves.Best(t.Context(), in.Processors(), jobs)
		if !ok {
			t.Fatalf("instance %d: no guess", k)
		}
		for i, start := range starts {
			d := newDecoder(p)
			d.stop = func() bool { return false }
			g, ok := d.dispatch(start)
			if !ok || !d.decode(&g, 0, math.Inf(1)) {
				t.Fatalf("instance %d: start %d was stopped", k, i)
			}
			s, err := p.schedule(g.order, d.next)
			if err != nil {
				t.Fatal(err)
			}
			report := model.Check(in, s)
			if !report.OK() {
				t.Fatalf("instance %d, start %d: %v", k, i, report.Violations)
			}
			if i > 0 {
				continue
			}
			evaluation, err := model.Evaluate(in, s)
			if err != nil {
				t.Fatal(err)
			}
			if makespan := evaluation.Objective; makespan > 1.5*1.01*refused*(1+1e-9) {
				t.Errorf("instance %d: a makespan of %v, %v is refused", k, makespan, refused)
			}
		}
	}
}

// Where something else than the lengths matters, or where a guess is none, there are no such starts.
func TestMoldableStartsAreForPlainBatches(t *testing.T) {
	cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}
	job := func(change func(*model.JobSpec)) []model.JobSpec {
		jobs := []model.JobSpec{{ID: "a", Processors: model.Moldable(1, 4), Work: new(3.0)}, {ID: "b", Processors: model.Moldable(1, 4), Work: new(5.0)}}
		change(&jobs[1])
		return jobs
	}
	none := func(*model.JobSpec) {}
	for name, c := range map[string]struct {
		builder *model.Builder
		jobs    []model.JobSpec
		want    bool
	}{
		"plain":            {model.NewBuilder("x").Cluster(cluster), job(none), true},
		"two clusters":     {model.NewBuilder("x").Cluster(cluster, model.ClusterSpec{ID: "d", Machines: cluster.Machines}), job(none), false},
		"unequal machines": {model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}, {ID: "n", Speed: 2}}}), job(none), false},
		"mean response":    {model.NewBuilder("x").Cluster(cluster).Minimise("mean_response", 1), job(none), false},
		"the longest":      {model.NewBuilder("x").Cluster(cluster).Minimise("makespan", -1), job(none), false},
		"precedence":       {model.NewBuilder("x").Cluster(cluster), job(func(j *model.JobSpec) { j.After = []string{"a"} }), false},
		"arrivals":         {model.NewBuilder("x").Cluster(cluster), job(func(j *model.JobSpec) { j.Arrival = 2 }), false},
		"rigid":            {model.NewBuilder("x").Cluster(cluster), []model.JobSpec{{ID: "a", Processors: model.Rigid(2), Work: new(3.0)}}, false},
	} {
		in, err := c.builder.Job(c.jobs...).Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := newProblem(t.Context(), in).moldableStarts(t.Context()); (got != nil) != c.want {
			t.Errorf("%s: %d starts", name, len(got))
		}
	}
}
