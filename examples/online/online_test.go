// Package online_test runs the example programs as on-line policies.
package online_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// policies are an example program and ours of the same name.
func policies(t *testing.T, name string, kill bool) (theirs, ours solve.Policy) {
	t.Helper()
	needs.Program(t, "python3")
	var pair []solve.Policy
	for _, text := range []string{"exec-online:python3 " + name + ".py", name} {
		choice, err := solve.Choose(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := choice.Set("kill", fmt.Sprint(kill)); err != nil {
			t.Fatal(err)
		}
		policy, _ := solve.PolicyOf(choice.Solver)
		pair = append(pair, policy)
	}
	return pair[0], pair[1]
}

// random makes rigid jobs, some at one instant, that end before their estimates, at them, or after them. Where several is set there are clusters of
// different speed, run times by cluster, and jobs that wait for others.
func random(t *testing.T, seed uint64, jobs int, several bool) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := model.NewBuilder("random")
	clusters := 1
	if several {
		clusters += 1 + rng.IntN(3)
	}
	for c := range clusters { // not in the order of their names
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", 9-c), Machines: []model.MachineSpec{{ID: "m", Count: 5 + rng.IntN(10), Speed: float64(1+rng.IntN(4)) / 2}}})
	}
	now := 0.0
	for j := range jobs {
		if rng.IntN(3) > 0 {
			now += float64(rng.IntN(6))
		}
		job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: now, Processors: model.Rigid(1 + rng.IntN(1+rng.IntN(6)))}
		if several && rng.IntN(4) == 0 {
			job.Runtime = map[string]float64{}
			for c := range clusters {
				if c == 0 || rng.IntN(2) == 0 {
					job.Runtime[fmt.Sprint("c", 9-c)] = float64(1 + rng.IntN(20))
				}
			}
		} else {
			job.Work = new(float64(1 + rng.IntN(20)))
			if rng.IntN(4) > 0 {
				job.Estimate = new(max(1, *job.Work+float64(rng.IntN(15)-5)))
			}
		}
		if several && j > 0 && rng.IntN(5) == 0 {
			job.After = []string{fmt.Sprint("j", max(0, j-1-rng.IntN(10)))}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// same fails the test where the schedules of the two differ.
func same(t *testing.T, theirs, ours solve.Policy, in *model.Instance) {
	t.Helper()
	var list []*model.Solution
	for _, policy := range []solve.Policy{theirs, ours} {
		sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(sol.Jobs, func(a, b model.Placement) int { return strings.Compare(a.Job, b.Job) })
		list = append(list, sol)
	}
	if report := model.Check(in, list[0]); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	if len(list[0].Jobs) != len(list[1].Jobs) || len(list[0].Jobs)+len(list[0].Unscheduled) != len(in.Jobs()) {
		t.Fatalf("%d jobs placed, ours %d", len(list[0].Jobs), len(list[1].Jobs))
	}
	for k, p := range list[0].Jobs {
		if q := list[1].Jobs[k]; p.Job != q.Job || p.Start != q.Start || p.End != q.End || p.Cluster != q.Cluster {
			t.Fatalf("job %s starts at %v on %s, ours %s at %v on %s", p.Job, p.Start, p.Cluster, q.Job, q.Start, q.Cluster)
		}
	}
}

// The programs decide as our policies do, start by start: on random jobs, killed at their estimates and not.
func TestExamplesMatchOurs(t *testing.T) {
	for _, name := range []string{"fcfs", "easy"} {
		for seed := range race.Fewer(uint64(4), 1) {
			theirs, ours := policies(t, name, seed == 1)
			same(t, theirs, ours, random(t, seed, 400, false))
			if name == "fcfs" {
				same(t, theirs, ours, random(t, seed, 400, true))
			}
		}
	}
}

// kth is the first jobs of a real trace.
func kth(t testing.TB, jobs int) *model.Instance {
	file, err := model.Open("../../data/swf/KTH-SP2-1996-2.swf.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	trace := swf.NewReader()
	trace.Jobs = jobs
	in, _, err := trace.Read(file, "KTH")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// They do so on a real trace too, and where it is streamed, in which case jobs have numbers for names.
func TestExamplesMatchOursOnTrace(t *testing.T) {
	in := kth(t, race.Fewer(4000, 500))
	for _, name := range []string{"fcfs", "easy"} {
		theirs, ours := policies(t, name, false)
		same(t, theirs, ours, in)
		var list []sim.Totals
		for _, policy := range []solve.Policy{theirs, ours} {
			trace, _, err := sim.TraceOf(in)
			if err != nil {
				t.Fatal(err)
			}
			totals, err := sim.Run(t.Context(), trace, in.Processors(), policy.Discipline(), sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, totals)
		}
		if !reflect.DeepEqual(list[0], list[1]) {
			t.Errorf("%s: %+v, ours %+v", name, list[0], list[1])
		}
	}
}

// What the programs cannot take they refuse.
func TestExamplesRefuse(t *testing.T) {
	moldable, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0), Processors: model.Moldable(1, 2)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]*model.Instance{"fcfs": {moldable}, "easy": {moldable, random(t, 1, 5, true)}} {
		theirs, _ := policies(t, name, false)
		for _, in := range list {
			if _, _, err := solve.Simulate(t.Context(), theirs, in, sim.Options{}); !errors.Is(err, solve.ErrUnsupported) {
				t.Errorf("%s on %s: %v", name, in.Name(), err)
			}
		}
	}
}

// BenchmarkPrograms measures the events per second of the examples on the whole trace, beside our policies.
func BenchmarkPrograms(b *testing.B) {
	in := kth(b, 0)
	for _, name := range []string{"fcfs", "exec-online:python3 fcfs.py", "easy", "exec-online:python3 easy.py"} {
		choice, err := solve.Choose(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			events := int64(0)
			policy, _ := solve.PolicyOf(choice.Solver)
			for b.Loop() {
				_, totals, err := solve.Simulate(b.Context(), policy, in, sim.Options{})
				if err != nil {
					b.Skip(err)
				}
				events += totals.Instants
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
