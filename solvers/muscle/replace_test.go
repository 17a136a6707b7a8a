package muscle

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// drawnSolver is the solver with any parameters and a small limit of its tables, or none.
func drawnSolver(t *rapid.T) *Solver {
	return &Solver{Reading: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "reading"), Queue: rapid.SampledFrom([]string{"arrival", "edd"}).Draw(t, "queue"),
		cells: rapid.SampledFrom([]int{0, 40}).Draw(t, "cells")}
}

// On instances that ask for anything the schedule is right. Where no deadline is hard it leaves out only what can run nowhere, and what waits for that.
func TestEveryFeature(t *testing.T) {
	features, many := model.Features(0), 0
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			in := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 14}.Instance(t)
			result, err := drawnSolver(t).Solve(context.Background(), in, solve.Options{Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, result.Solution); !report.OK() {
				t.Fatal(report.Violations)
			}
			out := map[int]bool{}
			for _, u := range result.Solution.Unscheduled {
				j, _ := in.JobIndex(u.Job)
				out[j] = true
			}
			for j := range out {
				waits := false
				for _, before := range in.Jobs()[j].After {
					waits = waits || out[before]
				}
				if in.Features()&model.HardDeadlines == 0 && in.Runs(j) && !waits {
					t.Fatalf("leaves out job %d, which can run", j)
				}
			}
			if len(result.Solution.Jobs) > 3 {
				features |= in.Features()
				many++
			}
		}
	})
	if missing := modeltest.AllFeatures &^ features &^ model.GridSpan; missing != 0 && !race.Enabled && !testing.Short() || many < race.Enough(100) {
		t.Errorf("%d schedules of more than three jobs, none with %s", many, missing)
	}
}

// Where clusters differ in the size that a job has, and in the jobs that they can run, the packing itself is a schedule of all jobs that can run.
func TestKindsOfClusters(t *testing.T) {
	kinds := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes, Jobs: 20, Clusters: 4}.Instance(t)
		run := newPacking(context.Background(), drawnSolver(t), in, 3)
		order := run.order()
		for _, batch := range run.byDepth(order) {
			run.packAll(batch)
		}
		for j := range in.Jobs() {
			if !in.Runs(j) || in.MustSpread(j) {
				run.out = append(run.out, model.Unscheduled{Job: in.Jobs()[j].ID, Reason: "it can run nowhere"})
			}
		}
		sol := run.solution()
		if report := model.Check(in, sol); !report.OK() {
			t.Fatal(report.Violations)
		}
		if len(sol.Jobs) > 3 {
			kinds[len(run.sizes)]++
		}
	})
	if kinds[1] < race.Enough(10) || kinds[2] < race.Enough(10) || kinds[3] < race.Enough(5) {
		t.Errorf("numbers of kinds: %v", kinds)
	}
}

// A job on a cluster of whole machines has the size 1 there: two wide jobs fill two machines side by side, while the cluster of processors takes one after the
// other.
func TestSizesByCluster(t *testing.T) {
	b := model.NewBuilder("sizes").Cluster(
		model.ClusterSpec{ID: "whole", Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 3}}},
		model.ClusterSpec{ID: "single", Machines: []model.MachineSpec{{ID: "m", Count: 3}}})
	for k := range 3 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(3), Runtime: map[string]float64{"whole": 4, "single": 3}})
	}
	// Both clusters are empty: the larger one, single, takes j0. whole, with ε = 0, takes j1 and j2 side by side.
	solverstest.Schedules(t, newSolver(), solvecases.Built(t, b), "j0 single:0-2 0-3", "j1 whole:0 0-4", "j2 whole:1 0-4")
}

// On a plain instance the schedule made anew has each job on the cluster of the packing and starts it no later.
func TestReplacedIsNoLater(t *testing.T) {
	earlier, same := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: model.Arrivals | model.ParallelJobs | model.UnrelatedTimes, Jobs: 20}.Instance(t)
		if !plain(in, in.Binding()) {
			return
		}
		m := drawnSolver(t)
		packed, err := m.Solve(context.Background(), in, solve.Options{Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		again, err := newPacking(context.Background(), m, in, 2).replace(context.Background(), solve.Options{Seed: 2}, list.Machines{})
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]model.Placement{}
		for _, p := range again.Solution.Jobs {
			at[p.Job] = p
		}
		for _, p := range packed.Solution.Jobs {
			switch q, ok := at[p.Job]; {
			case !ok || q.Cluster != p.Cluster || q.Start > p.Start:
				t.Fatalf("packed %v, placed anew %v", p, q)
			case q.Start < p.Start:
				earlier++
			default:
				same++
			}
		}
	})
	if earlier < race.Enough(20) || same < race.Enough(20) {
		t.Errorf("%d jobs start earlier, %d as packed", earlier, same)
	}
}
