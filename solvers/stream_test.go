package solvers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/workload"
)

// HEFT puts the longest first: by the estimates a, of 5, goes before b, of 2, though a really takes 1 and b 4. The next round, at 10, plans c,
// which ends at 17; e, which waits for it, is ready then, and the round at 20 puts it, by its estimate of 1.5, before d.
func TestStreamByHand(t *testing.T) {
	b := model.NewBuilder("stream").Cluster(solvecases.Machines("c", 1, 1))
	b.Job(model.JobSpec{ID: "a", Work: new(1.0), Estimate: new(5.0)}, model.JobSpec{ID: "b", Work: new(4.0), Estimate: new(2.0)},
		model.JobSpec{ID: "c", Arrival: 1, Work: new(7.0), Estimate: new(1.0)}, model.JobSpec{ID: "d", Arrival: 11, Work: new(1.0), Estimate: new(1.0)},
		model.JobSpec{ID: "e", Arrival: 2, Work: new(2.0), Estimate: new(1.5), After: []string{"c"}})
	in := solvecases.Built(t, b)
	_, solver := rolling(t, "heft", 10, 0)
	solverstest.Schedules(t, solver, in, "a c:0 0-1", "b c:0 1-5", "c c:0 10-17", "e c:0 20-22", "d c:0 22-23")
}

// estimated is the instance of stream with estimates that are too long, too short or right.
func estimated(t testing.TB, seed uint64, plain bool) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 21))
	b := streamed(seed, plain)
	for k := range b.Spec().Jobs {
		if job := &b.Spec().Jobs[k]; rng.IntN(4) > 0 {
			job.Estimate = new(*job.Work * 2 * rng.Float64())
		}
	}
	return solvecases.Built(t, b)
}

// Every registered solver makes a right schedule of a stream, where it supports the jobs, the same at any number of workers, and no job starts
// before the round that plans it.
func TestStreamIsRightWithEverySolver(t *testing.T) {
	runs := 0
	for _, info := range solve.Solvers() {
		t.Run(info.Name, func(t *testing.T) {
			for seed := range race.Fewer(uint64(8), 2) {
				in := estimated(t, seed, seed%2 == 0)
				_, solver := rolling(t, info.Name, 3, float64(seed/2%2))
				opt := solve.Options{Seed: 1, MaxEvals: 300, Workers: 1, Unbounded: seed%4 > 1} // a bound takes longer than most solvers
				result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, opt)
				if errors.Is(err, solve.ErrUnsupported) {
					continue
				}
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				runs++
				if report := model.Check(in, result.Solution); !report.OK() {
					t.Fatalf("seed %d: %v", seed, report.Violations[0])
				}
				opt.Workers = 4
				again, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, opt)
				if err != nil {
					t.Fatal(err)
				}
				if string(solverstest.Encoded(t, result)) != string(solverstest.Encoded(t, again)) {
					t.Fatalf("seed %d: 1 and 4 workers give two solutions", seed)
				}
				for _, p := range result.Solution.Jobs {
					j, _ := in.JobIndex(p.Job)
					round := in.FirstArrival() + math.Ceil((in.Jobs()[j].Arrival-in.FirstArrival())/3)*3
					if seed/2%2 == 0 && p.Start < round-1e-9 {
						t.Fatalf("seed %d: %s starts at %v, planned at %v", seed, p.Job, p.Start, round)
					}
				}
			}
		})
	}
	if runs < race.Fewer(150, 30) {
		t.Errorf("%d runs: the test proves little", runs)
	}
}

// What a stream does before an instant is the same if the jobs that have not ended by then run for another time. It is not the same without
// estimates, where the times are known.
func TestStreamDoesNotKnowTheFuture(t *testing.T) {
	race.OneGoroutine(t)
	known := false
	for seed := range race.Fewer(uint64(40), 12) {
		rng := rand.New(rand.NewPCG(seed, 23))
		jobs, instant := solvecases.OnlineJobs(rng), float64(5+rng.IntN(30))
		starts := func(jobs []model.JobSpec) map[string]float64 {
			b := model.NewBuilder("online").Cluster(solvecases.Machines("c", 4, 1))
			info, solver := rolling(t, "minmin", 4, 0)
			result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, solvecases.Built(t, b.Job(jobs...)), solve.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]float64{}
			for _, p := range result.Solution.Jobs {
				if p.Start < instant {
					at[p.Job] = p.Start
				}
			}
			return at
		}
		for _, stated := range []bool{true, false} {
			var one, other []model.JobSpec
			for _, job := range jobs {
				if job.Work = new(*job.Work); !stated {
					job.Estimate = nil
				}
				one = append(one, job)
			}
			before := starts(one)
			for _, job := range one {
				job.Work = new(*job.Work)
				if start, started := before[job.ID]; !started || start+*job.Work > instant {
					*job.Work += float64(rng.IntN(20))
				}
				other = append(other, job)
			}
			switch same := fmt.Sprint(before) == fmt.Sprint(starts(other)); {
			case stated && !same:
				t.Fatalf("seed %d, instant %v: %v, with another future %v", seed, instant, before, starts(other))
			case !stated && !same:
				known = true
			}
		}
	}
	if !known {
		t.Error("the future changes nothing even where it is known: the test sees too little")
	}
}

// workflows is a small stream of stochastic workflows.
func workflows(t testing.TB, seed uint64, graph string) *model.Instance {
	t.Helper()
	w := workload.Default[workload.GGOneWorkflows]()
	w.Workflows, w.Graph, w.Machines, w.Rate, w.WorkCv = 25, graph, "2:14000,2:10000,2:5000", 0.3, 0.5
	w.MinDeadline, w.MaxDeadline, w.MinBudget, w.MaxBudget = 60, 200, 2, 12
	in, err := w.Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// ggone plans workflows round by round: the schedule passes the checker, places every task, and starts none before a round at which all that
// it waits for has ended. Reservation makes right schedules too, and places a good part of the tasks.
func TestWorkflowsOnLine(t *testing.T) {
	for _, graph := range []string{"type1", "type2", "hw"} {
		in := workflows(t, 3, graph)
		info, solver := rolling(t, "ggone", 2, 0)
		result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{Seed: 1, MaxEvals: 20000})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, result.Solution); !report.OK() || len(result.Solution.Jobs) != len(in.Jobs()) {
			t.Fatalf("%s: %d of %d tasks, %v", graph, len(result.Solution.Jobs), len(in.Jobs()), report.Violations)
		}
		end := map[string]float64{}
		for _, p := range result.Solution.Jobs {
			end[p.Job] = p.End
		}
		for _, p := range result.Solution.Jobs {
			j, _ := in.JobIndex(p.Job)
			ready := in.Jobs()[j].Arrival
			for _, before := range in.Jobs()[j].After {
				ready = max(ready, end[in.Jobs()[before].ID])
			}
			if round := math.Ceil(ready/2) * 2; p.Start < round {
				t.Errorf("%s: %s is ready at %v and starts at %v, before the round at %v", graph, p.Job, ready, p.Start, round)
			}
		}
		for _, name := range []string{"sr", "dr", "sr:overrun=extend", "dr:overrun=extend"} {
			choice, err := solve.Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, result.Solution); !report.OK() || len(result.Solution.Jobs) < len(in.Jobs())/4 {
				t.Errorf("%s, %s: %d of %d tasks, %v", graph, name, len(result.Solution.Jobs), len(in.Jobs()), report.Violations)
			}
		}
	}
}
