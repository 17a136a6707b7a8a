package solvers_test

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

// chainedInstance has up to 5 jobs at the odd places: no length, ties, tenths and thirds, numbers without a common step, units of 1e-9 and 1e9; on
// one or two clusters, with licences in pools of the grid and of clusters, memory, arrivals and precedence. Some jobs have hard deadlines. The
// function without builds the instance that lacks a set of the jobs.
func chainedInstance(t testing.TB, seed uint64) (in *model.Instance, without func(left int) *model.Instance, clusters int) {
	rng := rand.New(rand.NewPCG(seed, 61))
	unit := []float64{1, 1, 1, 1e-9, 1e9}[rng.IntN(5)]
	step := unit * []float64{1, 1, 0.1, 1.0 / 3, math.Pi / 3}[rng.IntN(5)]
	fraction := rng.IntN(6) == 0 // no common step
	times := func(most int) float64 {
		if fraction {
			return step * float64(most) * rng.Float64()
		}
		return step * float64(rng.IntN(most))
	}
	var machines []model.ClusterSpec
	var jobs []model.JobSpec
	memory := rng.IntN(3) == 0
	clusters = 1 + rng.IntN(2)
	for c := range clusters {
		machine := model.MachineSpec{ID: "m", Count: 1 + rng.IntN(3), Processors: 1 + rng.IntN(2), Speed: []float64{1, 1, 2}[rng.IntN(3)]}
		if memory {
			machine.Memory = new(float64(2 + rng.IntN(5)))
		}
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{machine}}
		if rng.IntN(3) == 0 {
			spec.Licences = map[string]int{"l": 1 + rng.IntN(3)}
		}
		machines = append(machines, spec)
	}
	for j := range 1 + rng.IntN(6-clusters) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(2)), Work: new(times(9)), Licences: map[string]int{}}
		if rng.IntN(5) == 0 {
			job.Work = new(0.0)
		}
		if memory {
			job.Memory = float64(rng.IntN(3))
		}
		if j > 0 && rng.IntN(3) == 0 {
			job.Arrival = times(8)
		}
		for before := range j {
			if rng.IntN(4) == 0 {
				job.After = append(job.After, fmt.Sprint("j", before))
			}
		}
		if rng.IntN(2) == 0 {
			job.Licences["l"] = 1 + rng.IntN(2)
		}
		if rng.IntN(2) == 0 {
			job.Licences["k"] = 1 + rng.IntN(4)
		}
		if j > 0 && rng.IntN(9) == 0 {
			job.Deadline, job.DeadlineHard = new(job.Arrival+times(12)), true
		}
		jobs = append(jobs, job)
	}
	without = func(left int) *model.Instance {
		b := model.NewBuilder("chained").Cluster(machines...)
		b.Spec().Licences = map[string]int{"l": 3, "k": 5}
		for j := range jobs {
			if left>>j&1 == 0 {
				b.Job(jobs[j])
			}
		}
		return solvecases.Built(t, b)
	}
	return without(0), without, clusters
}

// bestOwing is the least objective of the list schedules that leave out as many jobs as are owed, and the least number of jobs that any leaves out, if that is
// less: one set of jobs after the other, with those that wait for them, is taken away, and all others are placed.
func bestOwing(t testing.TB, in *model.Instance, without func(left int) *model.Instance, owed int) (best float64, least int) {
	best, least = math.Inf(1), len(in.Jobs())
	for left := range 1 << len(in.Jobs()) {
		closed := true
		for j := range in.Jobs() {
			for _, before := range in.Jobs()[j].After {
				closed = closed && left>>before&1 <= left>>j&1
			}
		}
		count := bits.OnesCount(uint(left))
		if !closed || count > owed || count == len(in.Jobs()) {
			continue
		}
		solvecases.EachPlacing(t, without(left), func(sol *model.Solution) {
			for j := range in.Jobs() {
				if left>>j&1 == 1 {
					sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[j].ID, Reason: "left"})
				}
			}
			report := model.Check(in, sol)
			if !report.OK() {
				t.Fatal(report.Violations)
			}
			if least = min(least, count); count == owed {
				best = min(best, report.Objective)
			}
		})
	}
	return best, least
}

// No bound of a method is above the best of all list schedules that owe as many jobs as every schedule is proved to owe, and none owes fewer; and on one cluster where nothing but processors and licences is scarce, the
// search by learned clauses proves each optimum of instances whose times have a common step, but for a few where hard deadlines decide it.
func TestBoundsWhereJobsDependOnEachOther(t *testing.T) {
	ctx := context.Background()
	seeds := race.Fewer(uint64(2500), 150)
	tried, owing, unknown, loose, settled, closed := 0, 0, 0, 0, 0, map[string]int{}
	for seed := range seeds {
		in, without, clusters := chainedInstance(t, seed)
		proof := bound.New(ctx, in)
		for k := 0; k < 5 && proof.Improve(ctx, 1_000_000); k++ {
		}
		best, least := bestOwing(t, in, without, proof.Owed())
		if least < proof.Owed() {
			t.Errorf("seed %d: every schedule owes %d is stated, one owes %d", seed, proof.Owed(), least)
		}
		if math.IsInf(best, 1) {
			unknown++ // all schedules owe more, or all jobs
			continue
		}
		if tried++; proof.Owed() > 0 {
			owing++
		}
		rounding := 1e-9*best + 1e-14*float64(len(in.Jobs()))*best
		for _, part := range proof.Parts() {
			if part.Value > best+rounding {
				t.Errorf("seed %d: %s proves %v, the best list schedule has %v", seed, part.Method, part.Value, best)
			}
			if part.Value >= best*(1-1e-6)-rounding {
				closed[part.Method]++
			}
		}
		if value, _ := proof.Bound().Value(); clusters == 1 && in.Features()&model.MemoryLimits == 0 && value < best*(1-1e-5) {
			if loose++; in.Features()&model.HardDeadlines == 0 {
				t.Errorf("seed %d: %v is proved, the optimum is %v", seed, value, best)
			}
		}
		if order, ok := proof.Order(); ok {
			settled++
			if value := listedValue(t, in, order); math.Abs(value-best) > 1e-5*best {
				t.Errorf("seed %d: the order %v that the proof came upon has %v, the optimum is %v", seed, order, value, best)
			}
		}
	}
	t.Logf("%d instances, %d of which owe jobs, %d whose least number of jobs owed is not proved, %d where hard deadlines cost what is not proved, %d schedules by a proof, tight: %v", tried, owing, unknown, loose, settled, closed)
	if race.Enabled || testing.Short() {
		return
	}
	for method, least := range map[string]int{"destructive": 2090, "learned-clauses": 2090, "energetic": 1860} {
		if closed[method] < least {
			t.Errorf("%s: %d bounds are tight, %d were", method, closed[method], least)
		}
	}
	if owing < 300 || unknown > 110 || loose > 3 {
		t.Errorf("%d instances owe jobs, expected 300; of %d the least number of jobs owed is not proved, expected at most 110; of %d the optimum is not, because of hard deadlines, expected at most 3", owing, unknown, loose)
	}
	if settled < 500 {
		t.Errorf("the proof came upon %d schedules, expected 500", settled)
	}
}

// listedValue is the objective of the list schedule on the first cluster.
func listedValue(t testing.TB, in *model.Instance, order []int) float64 {
	t.Helper()
	s, err := plan.NewSchedule(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range order {
		slot, ok := s.Earliest(j, 0)
		if !ok {
			t.Fatalf("job %d fits nowhere", j)
		}
		s.Place(j, slot)
	}
	report := model.Check(in, s.Solution())
	if !report.OK() {
		t.Fatal(report.Violations[0])
	}
	return report.Evaluation.Objective
}

// A search of few evaluations ends with an optimum because the proof hands it a schedule: without it fewer are proved.
func TestSearchTakesTheScheduleOfTheProof(t *testing.T) {
	seeds, optimal := race.Fewer(uint64(60), 20), 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 67))
		b := model.NewBuilder("project").Cluster(solvecases.Machines("c", 4, 1))
		b.Spec().Licences = map[string]int{"k": 5}
		for j := range 16 {
			job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + rng.IntN(9))), Processors: model.Rigid(1 + rng.IntN(2)), Licences: map[string]int{"k": 1 + rng.IntN(3)}}
			if j > 2 && rng.IntN(2) == 0 {
				job.After = []string{fmt.Sprint("j", rng.IntN(j))}
			}
			b.Job(job)
		}
		search, err := solve.Choose("search")
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(context.Background(), search, solvecases.Built(t, b), solve.Options{Seed: 1, MaxEvals: 30, Strict: true, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if result.Status == model.Optimal {
			optimal++
		}
	}
	t.Logf("%d of %d", optimal, seeds)
	if 5*optimal < 2*int(seeds) {
		t.Errorf("%d of %d searches end with an optimum, expected two of five; without the schedules of the proof one of five does", optimal, seeds)
	}
}
