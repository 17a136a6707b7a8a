package spaceshare_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solvers/internal/spaceshare"
)

// paper is the policy with the paper's α and the rounding that is nearest to it.
var paper = spaceshare.Dynamic(spaceshare.Options{Start: spaceshare.Available, Rounding: spaceshare.Floor, Alpha: 2})

// job is a moldable job over the grid, with as many tasks as it may hold processors.
func job(id string, arrival float64, least, most int, work float64) model.JobSpec {
	return model.JobSpec{ID: id, Arrival: arrival, Processors: model.Moldable(least, most), Work: new(work), Span: "grid"}
}

// cluster is a cluster of single-processor machines.
func cluster(id string, processors int, speed float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: processors, Speed: speed}}}
}

// placements runs the jobs and writes down what became of them, one line a job, in the order of the instance.
func placements(t *testing.T, policy sim.Discipline, b *model.Builder) string {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := sim.Simulate(context.Background(), in, policy, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	lines := make([]string, len(in.Jobs()))
	for _, p := range sol.Jobs {
		k, _ := in.JobIndex(p.Job)
		lines[k] = fmt.Sprintf("%s from %v:", p.Job, p.Start)
		p.Parts(in.Jobs()[k].Tasks, func(piece model.Piece) {
			lines[k] += fmt.Sprintf(" %s[%s]×%d until %v", piece.Cluster, piece.Processors, piece.Tasks, piece.End)
		})
	}
	for _, u := range sol.Unscheduled {
		k, _ := in.JobIndex(u.Job)
		lines[k] = u.Job + ": " + u.Reason
	}
	return strings.Join(lines, "\n")
}

// Each rule on an example worked by hand.
func TestRules(t *testing.T) {
	two := func() *model.Builder { return model.NewBuilder("two").Cluster(cluster("a", 4, 1), cluster("b", 2, 1)) }
	for _, c := range []struct {
		name   string
		policy sim.Discipline
		build  *model.Builder
		want   string
	}{
		// x: 6/1 = 6 processors for 8 tasks: two tasks on the first two. The others come back at 1.
		// y: 6/(1 + 0.5) = 4 processors. None is free at 0.5; at 1 the pool holds 4.
		{"early release", paper, two().Job(job("x", 0, 1, 8, 1), job("y", 0.5, 1, 4, 1)),
			"x from 0: a[0-1]×4 until 2 a[2-3]×2 until 1 b[0-1]×2 until 1\ny from 1: a[2-3]×2 until 2 b[0-1]×2 until 2"},
		{"fewest free that fits", paper, two().Job(job("x", 0, 1, 2, 4), job("y", 1, 1, 2, 4), job("z", 2, 1, 1, 4)),
			"x from 0: b[0-1]×2 until 4\ny from 1: a[0-1]×2 until 5\nz from 2: a[2]×1 until 6"},
		{"most free first", paper, two().Job(job("x", 0, 1, 1, 9), job("y", 1, 5, 5, 1)),
			"x from 0: b[0]×1 until 9\ny from 1: a[0-3]×4 until 2 b[1]×1 until 2"},
		{"a slow processor without a task stays free", paper, model.NewBuilder("slow").Cluster(cluster("a", 1, 1), cluster("b", 1, 5.5)).
			Job(job("x", 0, 1, 2, 11), job("y", 1, 1, 1, 1)),
			"x from 0: b[0]×2 until 4\ny from 1: a[0]×1 until 2"},
		{"but not below the minimum", paper, model.NewBuilder("slow").Cluster(cluster("a", 1, 1), cluster("b", 1, 5.5)).Job(job("x", 0, 2, 2, 11)),
			"x from 0: a[0]×1 until 11 b[0]×1 until 2"},
		{"fewer tasks than the minimum of processors", paper, two().Job(func() model.JobSpec { j := job("x", 0, 6, 6, 1); j.Tasks = 2; return j }(), job("y", 0, 1, 1, 1)),
			"x from 0: a[0-3]×1 until 1 b[0-1]×1 until 1\ny from 1: b[0]×1 until 2"},
		{"fewer tasks than clusters", paper, two().Job(func() model.JobSpec { j := job("x", 0, 6, 6, 1); j.Tasks = 1; return j }(), job("y", 0, 1, 1, 1)),
			"x: needs 6 processors, a has 4; needs 6 processors, b has 2\ny from 0: b[0]×1 until 1"},
		{"wider than the system", paper, two().Job(job("x", 0, 7, 9, 1), job("y", 0, 1, 1, 1)),
			"x: needs 7 processors at once, the grid has 6 that it can use; needs 7 processors, a has 4; needs 7 processors, b has 2\ny from 0: b[0]×1 until 1"},
		{"span cluster", paper, two().Job(func() model.JobSpec { j := job("x", 0, 1, 6, 1); j.Span = "cluster"; return j }()),
			"x from 0: a[0-1]×4 until 2 a[2-3]×2 until 1"},
		{"span machine", paper, model.NewBuilder("machines").Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 3}}}).
			Job(job("x", 0, 1, 1, 9), func() model.JobSpec { j := job("y", 0, 1, 4, 1); j.Span = "machine"; return j }()),
			"x from 0: a[0]×1 until 9\ny from 0: a[3]×2 until 2 a[4-5]×2 until 1"},
		{"memory", paper, model.NewBuilder("memory").Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 3, Memory: new(2.0)}}}).
			Job(func() model.JobSpec { j := job("x", 0, 1, 6, 1); j.Memory = 1; return j }()),
			"x from 0: a[0-1]×4 until 2 a[3-4]×2 until 1"},
		{"whole machines", paper, model.NewBuilder("whole").Cluster(model.ClusterSpec{ID: "a", Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 4}}}).
			Job(job("x", 0, 4, 8, 1), job("y", 0, 1, 8, 1)),
			"x from 0: a[0]×8 until 2\ny from 0: a[1]×8 until 2"},
		// y would end at 6 + 2, and z has waited behind it for too long; both are dropped at 6, when their turns come.
		{"hard deadlines", paper, model.NewBuilder("deadline").Cluster(cluster("a", 4, 1)).
			Job(job("x", 0, 4, 4, 6), func() model.JobSpec { j := job("y", 1, 4, 4, 2); j.Deadline, j.DeadlineHard = new(7.0), true; return j }(),
				func() model.JobSpec { j := job("z", 2, 1, 4, 2); j.Deadline, j.DeadlineHard = new(5.0), true; return j }(), job("last", 3, 1, 1, 1)),
			"x from 0: a[0-3]×4 until 6\ny: hard deadline 7 cannot be met: started at 6 on 4 processors it would end at 8, by its estimate\n" +
				"z: hard deadline 5 has passed\nlast from 6: a[0]×1 until 7"},
		// b waits for a, and so joins the queue at 4, before c, which arrived later.
		{"precedence", paper, model.NewBuilder("after").Cluster(cluster("m", 1, 1)).
			Job(job("a", 0, 1, 1, 4), func() model.JobSpec { j := job("b", 0, 1, 1, 1); j.After = []string{"a"}; return j }(), job("c", 1, 1, 1, 1)),
			"a from 0: m[0]×1 until 4\nb from 4: m[0]×1 until 5\nc from 5: m[0]×1 until 6"},
		// α = 2: processor 1 comes back at 1, when the pool holds 1 and no job departs. So y, of one task, starts at 2.
		{"the pool is below alpha", paper, model.NewBuilder("alpha").Cluster(cluster("a", 2, 1)).
			Job(func() model.JobSpec { j := job("x", 0, 1, 2, 1); j.Tasks = 3; return j }(), job("y", 0.5, 1, 1, 1)),
			"x from 0: a[0]×2 until 2 a[1]×1 until 1\ny from 2: a[0]×1 until 3"},
		{"alpha 0", spaceshare.Dynamic(spaceshare.Options{Start: spaceshare.Available, Rounding: spaceshare.Floor}), model.NewBuilder("alpha").Cluster(cluster("a", 2, 1)).
			Job(func() model.JobSpec { j := job("x", 0, 1, 2, 1); j.Tasks = 3; return j }(), job("y", 0.5, 1, 1, 1)),
			"x from 0: a[0]×2 until 2 a[1]×1 until 1\ny from 1: a[1]×1 until 2"},
		// MAP holds the processor of a until 1.5, though its task ends at 1.
		{"MAP holds", spaceshare.MAP(spaceshare.Floor), model.NewBuilder("map").Cluster(cluster("a", 1, 1), cluster("b", 1, 2)).
			Job(func() model.JobSpec { j := job("x", 0, 1, 2, 1); j.Tasks = 4; return j }(), job("y", 0.5, 1, 1, 1)),
			"x from 0: a[0]×1 until 1 b[0]×3 until 1.5\ny from 1.5: a[0]×1 until 2.5"},
		// y: 4/(1 + 0.5) = 2.67, floor 2, while 1 is free: under MAP it waits for both.
		{"MAP waits", spaceshare.MAP(spaceshare.Floor), model.NewBuilder("map").Cluster(cluster("a", 4, 1)).
			Job(job("x", 0, 3, 3, 2), job("y", 1, 1, 4, 1)),
			"x from 0: a[0-2]×3 until 2\ny from 2: a[0-3]×4 until 3"},
	} {
		if got := placements(t, c.policy, c.build); got != c.want {
			t.Errorf("%s:\n%s\nexpected\n%s", c.name, got, c.want)
		}
	}
}

// honoured are the features that the policies honour.
const honoured = model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.BandwidthNeeds | model.ParallelJobs |
	model.MoldableJobs | model.MixedMachines | model.MachineSpan | model.GridSpan | model.BackgroundLoad

// On instances with anything that the policies honour, the checker accepts the schedules, and without hard deadlines each job runs that can
// run alone and whose predecessors run.
func TestEveryJobThatCanRunRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		features := honoured
		if rapid.IntRange(0, 3).Draw(t, "deadlines") > 0 {
			features &^= model.HardDeadlines
		}
		in := modeltest.Generator{Features: features, Jobs: 10}.Instance(t)
		policy := drawPolicy(t, &naive{})
		sol, _, err := sim.Simulate(context.Background(), in, policy, sim.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, sol); !report.OK() {
			t.Fatal(report.Violations[0])
		}
		out := map[string]string{}
		for _, u := range sol.Unscheduled {
			out[u.Job] = u.Reason
		}
		for k := range in.Jobs() {
			j := &in.Jobs()[k]
			alone := in.MustSpread(k) && j.Tasks >= len(in.Clusters())
			for c := range in.Clusters() {
				alone = alone || in.CanRun(k, c)
			}
			after := slices.ContainsFunc(j.After, func(before int) bool { return out[in.Jobs()[before].ID] != "" })
			if out[j.ID] != "" && alone && !after && features&model.HardDeadlines == 0 {
				t.Fatalf("job %s could run and does not: %s", j.ID, out[j.ID])
			}
		}
	})
}

// asker asks the policy about each job as an explanation does, and keeps what is new.
type asker struct {
	policy sim.Policy
	said   map[string][]string
	queued []*sim.Job
}

func (a *asker) Watch(_ *sim.Platform, p sim.Policy) { a.policy = p }
func (a *asker) Arrived(_ float64, j *sim.Job)       { a.queued = append(a.queued, j) }
func (a *asker) Started(_ float64, j *sim.Job, _ []sim.Part) {
	a.ask(j)
	a.queued = slices.DeleteFunc(a.queued, func(q *sim.Job) bool { return q == j })
}

func (a *asker) Left(_ float64, j *sim.Job, outcome sim.Outcome, _ string) {
	if outcome == sim.Dropped {
		a.ask(j)
		a.queued = slices.DeleteFunc(a.queued, func(q *sim.Job) bool { return q == j })
	}
}

func (a *asker) Decided(float64) {
	for _, j := range a.queued {
		a.ask(j)
	}
}

func (a *asker) ask(j *sim.Job) {
	for _, reason := range a.policy.(sim.Explainer).Explain(j) {
		text := reason.Rule + ": " + reason.Text
		if said := a.said[j.Request.ID]; !slices.Contains(said, text) {
			a.said[j.Request.ID] = append(said, text)
		}
	}
}

// What the policy says of its jobs, by their order.
func TestExplain(t *testing.T) {
	b := model.NewBuilder("explained").Cluster(cluster("a", 3, 1), cluster("b", 1, 1)).Job(job("wide", 0, 3, 3, 2), job("head", 1, 2, 4, 1), job("next", 1, 1, 1, 1),
		job("never", 1, 5, 5, 1), func() model.JobSpec {
			j := job("late", 1, 1, 1, 1)
			j.Deadline, j.DeadlineHard = new(1.5), true
			return j
		}())
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	a := &asker{said: map[string][]string{}}
	if _, _, err := sim.Simulate(context.Background(), in, paper, sim.Options{Observer: a}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"wide": "partition size: 4 processors, 0 other queued and 0 running jobs: 4/((0+1) + 0/2) = 4, rounded (floor, at least 1) to 4\n" +
			"target: 3: the partition size is 4, the job has 3 tasks and holds at least 3 processors, and the empty system has 4 for it at once\n" +
			"start: starts with tasks on 3 processors; needed at least: 3, free that it can use at once: 4",
		"head": "partition size: 4 processors, 2 other queued and 1 running jobs: 4/((2+1) + 1/2) = 1.143, rounded (floor, at least 1) to 1\n" +
			"target: 2: the partition size is 1, the job has 4 tasks and holds at least 2 processors, and the empty system has 4 for it at once\n" +
			"start: waits; processors needed at least: 2, free that it can use at once: 1\n" +
			"partition size: 4 processors, 2 other queued and 0 running jobs: 4/((2+1) + 0/2) = 1.333, rounded (floor, at least 1) to 1\n" +
			"start: starts with tasks on 2 processors; needed at least: 2, free that it can use at once: 4",
		"next": "queue: waits for its turn behind the first in the queue; jobs ahead of it: 1\n" +
			"partition size: 4 processors, 1 other queued and 1 running jobs: 4/((1+1) + 1/2) = 1.6, rounded (floor, at least 1) to 1\n" +
			"target: 1: the partition size is 1, the job has 1 tasks and holds at least 1 processors, and the empty system has 4 for it at once\n" +
			"start: starts with tasks on 1 processors; needed at least: 1, free that it can use at once: 2",
		"late": "queue: waits for its turn behind the first in the queue; jobs ahead of it: 2\n" +
			"partition size: 4 processors, 0 other queued and 2 running jobs: 4/((0+1) + 2/2) = 2, rounded (floor, at least 1) to 2\n" +
			"target: 1: the partition size is 2, the job has 1 tasks and holds at least 1 processors, and the empty system has 4 for it at once\n" +
			"start: dropped: hard deadline 1.5 has passed",
		"never": "", // the policy is not asked about it
	} {
		if got := strings.Join(a.said[id], "\n"); got != want {
			t.Errorf("%s:\n%s\nexpected\n%s", id, got, want)
		}
	}
}
