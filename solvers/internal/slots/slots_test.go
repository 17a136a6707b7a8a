package slots_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solvers/internal/slots"
)

// starts observes when and where jobs start.
type starts struct{ at map[string]string }

func (*starts) Arrived(float64, *sim.Job) {}
func (s *starts) Started(now float64, j *sim.Job, parts []sim.Part) {
	s.at[j.Request.ID] = fmt.Sprint(now, " ", parts[0].Cluster, " ", parts[0].Processors)
}
func (*starts) Left(float64, *sim.Job, sim.Outcome, string) {}
func (*starts) Decided(float64)                             {}

// pick draws one of the values.
func pick(t *rapid.T, name string, values ...float64) float64 {
	return rapid.SampledFrom(values).Draw(t, name)
}

// drawn is a random small case, as an instance and for the naive form. All numbers are multiples of a power of two, so that no sum is
// rounded.
func drawn(t *rapid.T) (*model.Instance, *naive) {
	n := &naive{static: rapid.Bool().Draw(t, "static"), extend: rapid.Bool().Draw(t, "extend"), noWait: rapid.Bool().Draw(t, "no wait"), k: pick(t, "k", 0, 1, 2)}
	b := model.NewBuilder("drawn")
	place := []string{}
	for c := range rapid.IntRange(1, 2).Draw(t, "clusters") {
		spec, processor := model.ClusterSpec{ID: fmt.Sprint("c", c)}, 0
		for g := range rapid.IntRange(1, 2).Draw(t, "groups") {
			speed, cost := pick(t, "speed", 1, 2, 4), pick(t, "cost", 0, 1, 2)
			count, units := rapid.IntRange(1, 2).Draw(t, "count"), rapid.IntRange(1, 2).Draw(t, "units")
			spec.Machines = append(spec.Machines, model.MachineSpec{ID: fmt.Sprint("m", g), Count: count, Processors: units, Speed: speed, Cost: cost})
			for range count * units {
				n.servers = append(n.servers, naiveServer{speed, cost})
				place = append(place, fmt.Sprint(c, " ", processor))
				processor++
			}
		}
		b.Cluster(spec)
	}
	for f := range rapid.IntRange(0, 3).Draw(t, "workflows") {
		flow := naiveFlow{deadline: math.Inf(1), budget: math.Inf(1)}
		spec := model.WorkflowSpec{ID: fmt.Sprint("w", f)}
		if rapid.Bool().Draw(t, "has deadline") {
			flow.deadline = float64(rapid.IntRange(0, 40).Draw(t, "deadline"))
			spec.Deadline = &flow.deadline
		}
		if rapid.Bool().Draw(t, "has budget") {
			flow.budget = float64(rapid.IntRange(0, 40).Draw(t, "budget"))
			spec.Budget = &flow.budget
		}
		n.flows = append(n.flows, flow)
		b.Spec().Workflows = append(b.Spec().Workflows, spec)
	}
	arrival := 0.0
	for k := range rapid.IntRange(1, 9).Draw(t, "tasks") {
		arrival += pick(t, "gap", 0, 0, 0, 1, 3)
		task := naiveTask{arrival: arrival, work: float64(rapid.IntRange(0, 12).Draw(t, "work")), cv: pick(t, "cv", 0, 0.5, 1), hard: math.Inf(1), flow: -1}
		task.mean = task.work
		spec := model.JobSpec{ID: fmt.Sprint("t", k), Arrival: arrival, Work: &task.work, WorkCV: task.cv}
		if rapid.Bool().Draw(t, "estimated") {
			task.mean = float64(rapid.IntRange(0, 12).Draw(t, "mean"))
			spec.Estimate = &task.mean
		}
		if len(n.flows) > 0 && rapid.IntRange(0, 3).Draw(t, "in a workflow") > 0 {
			task.flow = rapid.IntRange(0, len(n.flows)-1).Draw(t, "workflow")
			spec.Workflow = fmt.Sprint("w", task.flow)
		}
		if rapid.IntRange(0, 5).Draw(t, "hard") == 0 {
			task.hard = arrival + float64(rapid.IntRange(0, 15).Draw(t, "hard deadline"))
			spec.Deadline, spec.DeadlineHard = &task.hard, true
		}
		for range 2 {
			// A task waits for others of its workflow or of one before it, so that no workflows wait for each other.
			if k > 0 && rapid.Bool().Draw(t, "waits") {
				if before := rapid.IntRange(0, k-1).Draw(t, "after"); n.tasks[before].flow <= task.flow && !(task.flow < 0 && n.tasks[before].flow >= 0) {
					task.after = append(task.after, before)
					spec.After = append(spec.After, fmt.Sprint("t", before))
				}
			}
		}
		n.tasks = append(n.tasks, task)
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	n.run()
	for k := range n.tasks {
		if s := n.tasks[k].server; !math.IsNaN(n.tasks[k].start) && s >= len(place) {
			t.Fatal("no such server")
		}
	}
	n.names = place
	return in, n
}

// simulated is the policy's run of an instance.
func simulated(t testing.TB, in *model.Instance, d sim.Discipline) (*model.Solution, map[string]string) {
	t.Helper()
	seen := &starts{map[string]string{}}
	sol, _, err := sim.Simulate(context.Background(), in, d, sim.Options{Observer: seen})
	if err != nil {
		t.Fatal(err)
	}
	return sol, seen.at
}

// Both policies start every task when and where the naive form does, and the same tasks end.
func TestLikeTheNaiveForm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in, n := drawn(rt)
		options := slots.Options{K: n.k, Extend: n.extend, NoWait: n.noWait}
		d := slots.Dynamic(options)
		if n.static {
			d = slots.Static(options)
		}
		sol, got := simulated(t, in, d)
		want, ended := map[string]string{}, 0
		for k := range n.tasks {
			if task := &n.tasks[k]; !math.IsNaN(task.start) {
				want[fmt.Sprint("t", k)] = fmt.Sprint(task.start, " ", n.names[task.server])
			}
			if n.tasks[k].ended {
				ended++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("starts %v, naive %v", got, want)
		}
		if len(sol.Jobs) != ended {
			rt.Fatalf("%d tasks end, naive %d", len(sol.Jobs), ended)
		}
		if report := model.Check(in, sol); !report.OK() {
			rt.Fatal(report.Violations[0])
		}
	})
}
