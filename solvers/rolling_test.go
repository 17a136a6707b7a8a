package solvers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/solvers/mts"
	"github.com/allot-opt/allot/workload"
)

// rolling is the rolling use of a solver, as [solve.Choose] names it.
func rolling(t testing.TB, name string, period, threshold float64) (solve.Info, solve.Solver) {
	t.Helper()
	choice, err := solve.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	solver, err := solve.NewRolling(choice, period, threshold)
	if err != nil {
		t.Fatal(err)
	}
	return choice.Info, solver
}

// stream is a random instance of jobs that arrive over time, with a little of every feature; plain ones are rigid jobs for MUSCLE.
func stream(t testing.TB, seed uint64, plain bool) *model.Instance {
	return solvecases.Built(t, streamed(seed, plain))
}

func streamed(seed uint64, plain bool) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 9))
	b := model.NewBuilder("stream").Minimise("mean_response", 1)
	for c := range 1 + rng.IntN(3) {
		cluster := solvecases.Machines(fmt.Sprint("c", c), 1+rng.IntN(4), 1+rng.Float64())
		if !plain {
			cluster.Machines[0].Memory = new(4.0)
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: "n", Count: 2, Processors: 2, Speed: 2, Memory: new(6.0), Bandwidth: 3})
			b.Spec().Licences = map[string]int{"l": 2}
		}
		b.Cluster(cluster)
	}
	for j := range 1 + rng.IntN(30) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1 + 9*rng.Float64()), Arrival: 100 + 20*rng.Float64()}
		if rng.IntN(3) == 0 {
			job.Processors = model.Rigid(1 + rng.IntN(2))
		}
		if !plain {
			job.Memory, job.Input = 4*rng.Float64(), 3*rng.Float64()
			if j > 0 && rng.IntN(3) == 0 {
				job.After = []string{fmt.Sprint("j", rng.IntN(j))}
			}
			if rng.IntN(4) == 0 {
				job.Deadline, job.DeadlineHard = new(job.Arrival+15*rng.Float64()), true
			}
			if rng.IntN(4) == 0 {
				job.Licences = map[string]int{"l": 1}
			}
		}
		b.Job(job)
	}
	return b
}

// Every registered solver makes a right schedule in rolling use, where it supports the batch, with and without a threshold, the same at any number of
// workers, and no job starts before the round that plans it.
func TestRollingIsRightWithEverySolver(t *testing.T) {
	runs, seeds := map[string]int{}, race.Fewer(uint64(8), 1)
	for _, info := range solve.Solvers() {
		t.Run(info.Name, func(t *testing.T) {
			for seed := range seeds {
				for _, plain := range []bool{false, true} {
					in := stream(t, seed, plain)
					_, solver := rolling(t, info.Name, 3, float64(seed%2))
					opt := solve.Options{Seed: 1, MaxEvals: 300, Workers: 1, Unbounded: seed%4 > 0} // a bound takes longer than most solvers
					result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, opt)
					if errors.Is(err, solve.ErrUnsupported) {
						continue
					}
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					runs[info.Name]++
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
					if seed%2 == 1 {
						continue
					}
					for _, p := range result.Solution.Jobs {
						j, _ := in.JobIndex(p.Job)
						round := in.FirstArrival() + math.Ceil((in.Jobs()[j].Arrival-in.FirstArrival())/3)*3
						if p.Start < round-1e-9 {
							t.Fatalf("seed %d: %s starts at %v, planned at %v", seed, p.Job, p.Start, round)
						}
					}
				}
			}
			if ran := runs[info.Name]; ran > 0 && uint64(ran) < seeds/2 && !slices.Contains([]string{"broker", "sr", "dr"}, info.Name) { // these refuse most of the instances
				t.Errorf("ran %d times only: the test proves little", ran)
			}
		})
	}
	if len(runs) < 15 { // others have another kind of instance, or no use of machines that are busy
		t.Errorf("%d solvers ran: the test proves little", len(runs))
	}
}

// The threshold: j1 arrives at 1 while the cluster has work until 4; with a threshold of 1 it is planned at 3, with the period alone at 10.
func TestRollingByHand(t *testing.T) {
	b := model.NewBuilder("threshold").Cluster(solvecases.Machines("c", 1, 1))
	b.Job(model.JobSpec{ID: "j0", Work: new(4.0)}, model.JobSpec{ID: "j1", Work: new(1.0), Arrival: 1}, model.JobSpec{ID: "j2", Work: new(5.0), Arrival: 2},
		model.JobSpec{ID: "j3", Work: new(0.5), Arrival: 3.5})
	in := solvecases.Built(t, b)
	_, byPeriod := rolling(t, "minmin", 10, 0)
	solverstest.Schedules(t, byPeriod, in, "j0 c:0 0-4", "j3 c:0 10-10.5", "j1 c:0 10.5-11.5", "j2 c:0 11.5-16.5")
	_, byWork := rolling(t, "minmin", 10, 1)
	solverstest.Schedules(t, byWork, in, "j0 c:0 0-4", "j1 c:0 4-5", "j2 c:0 5-10", "j3 c:0 10-10.5")
}

// MUSCLE and DLL see in a round what earlier rounds hold: b takes j1, though a is larger and the first. On machines that it takes for empty either
// gives j1 to a, where it waits for j0.
func TestRollingSeesWhatIsHeld(t *testing.T) {
	b := model.NewBuilder("held").Cluster(solvecases.Machines("a", 3, 1), solvecases.Machines("b", 2, 1))
	b.Job(model.JobSpec{ID: "j0", Work: new(10.0), Processors: model.Rigid(3)}, model.JobSpec{ID: "j1", Work: new(4.0), Processors: model.Rigid(2), Arrival: 1})
	in := solvecases.Built(t, b)
	for _, name := range []string{"muscle", "dll"} {
		_, sees := rolling(t, name, 1, 0)
		solverstest.Schedules(t, sees, in, "j0 a:0-2 0-10", "j1 b:0-1 1-5")
		_, blind := rollingBlind(t, name, 1, 0)
		solverstest.Schedules(t, blind, in, "j0 a:0-2 0-10", "j1 a:0-1 10-14")
	}
}

// TITAN sees it too: behind j0, which holds one of two processors, it starts the narrow j2 before the wide j1. On machines that it takes for empty it
// starts j1 first, and j2 keeps its place behind it.
func TestRollingTitanSeesWhatIsHeld(t *testing.T) {
	b := model.NewBuilder("held").Minimise("mean_response", 1).Cluster(solvecases.Machines("c", 2, 1))
	b.Job(model.JobSpec{ID: "j0", Work: new(10.0)}, model.JobSpec{ID: "j1", Work: new(4.0), Processors: model.Rigid(2), Arrival: 1},
		model.JobSpec{ID: "j2", Work: new(5.0), Arrival: 1})
	in := solvecases.Built(t, b)
	for _, name := range []string{"titan:coding=mask", "titan:coding=list", "muscle+titan", "dll+titan"} {
		_, sees := rolling(t, name, 1, 0)
		solverstest.Schedules(t, sees, in, "j0 c:0 0-10", "j1 c:0-1 10-14", "j2 c:1 1-6")
		_, blind := rollingBlind(t, name, 1, 0)
		solverstest.Schedules(t, blind, in, "j0 c:0 0-10", "j1 c:0-1 10-14", "j2 c:0 14-19")
	}
}

// rollingBlind is the rolling use of a solver that refuses commitments, so that only its order of the jobs, its clusters and its numbers
// of processors are kept.
func rollingBlind(t testing.TB, name string, period, threshold float64) (solve.Info, solve.Solver) {
	t.Helper()
	choice, err := solve.Choose(name)
	if err != nil {
		t.Fatal(err)
	}
	choice.Solver = blind{choice.Solver}
	solver, err := solve.NewRolling(choice, period, threshold)
	if err != nil {
		t.Fatal(err)
	}
	return choice.Info, solver
}

// blind is a solver that refuses commitments.
type blind struct{ solve.Solver }

func (b blind) Supports(in *model.Instance) error {
	if missing := in.Features() & model.Commitments; missing != 0 {
		return &solve.UnsupportedError{Missing: missing}
	}
	return b.Solver.Supports(in)
}

// On the recipe of MUSCLE's paper, as a stream with a medium and a high load, planning behind what is held is no worse in the mean than keeping the
// order of plans for empty machines. Rounds by the threshold are small: planned for empty machines, nearly all jobs go to one cluster.
func TestRollingMuscleAgainstKeptOrder(t *testing.T) {
	const seeds = 10
	for _, rate := range []float64{0.4, 0.8} {
		for _, round := range [][2]float64{{20, 0}, {80, 0}, {1e6, 5}} {
			_, sees := rolling(t, "muscle", round[0], round[1])
			_, keeps := rollingBlind(t, "muscle", round[0], round[1])
			mean := func(solver solve.Solver) (mcp, response float64) {
				for seed := range uint64(seeds) {
					w := workload.Default[workload.Muscle]()
					w.Jobs, w.Rate = 300, rate
					in, err := w.Generate(seed)
					if err != nil {
						t.Fatal(err)
					}
					result, err := solver.Solve(context.Background(), in, solve.Options{})
					if err != nil {
						t.Fatal(err)
					}
					if report := model.Check(in, result.Solution); !report.OK() {
						t.Fatalf("rate %v, seed %d: %v", rate, seed, report.Violations[0])
					}
					evaluation, err := model.Evaluate(in, result.Solution)
					if err != nil {
						t.Fatal(err)
					}
					mcp += evaluation.Metrics["mcp"].Total / seeds
					response += evaluation.Metrics["mean_response"].Total / seeds
				}
				return mcp, response
			}
			mcp, response := mean(sees)
			keptMCP, keptResponse := mean(keeps)
			t.Logf("rate %v, round %v: mcp %.0f for %.0f, response %.1f for %.1f", rate, round, mcp, keptMCP, response, keptResponse)
			if mcp > keptMCP || response > keptResponse {
				t.Errorf("rate %v, round %v: mcp %v for %v, mean response %v for %v", rate, round, mcp, keptMCP, response, keptResponse)
			}
		}
	}
}

// shares is a solver that notes how much time it gets.
type shares struct {
	solve.Solver
	got *[]time.Duration
}

// Solve implements [solve.Solver].
func (s shares) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	end, _ := ctx.Deadline()
	*s.got = append(*s.got, time.Until(end))
	return s.Solver.Solve(context.WithoutCancel(ctx), in, opt)
}

// A run that is cancelled comes back at once, without a schedule of half of the jobs. One with a limit of time shares nine tenths of what is left out
// between the rounds to come.
func TestRollingStops(t *testing.T) {
	in := stream(t, 3, true)
	_, solver := rolling(t, "search", 3, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if result, err := solver.Solve(ctx, in, solve.Options{}); err != nil || result.Solution != nil {
		t.Errorf("cancelled: %v, %v", result.Solution, err)
	}
	choice, err := solve.Choose("mct")
	if err != nil {
		t.Fatal(err)
	}
	var got []time.Duration
	choice.Solver = shares{choice.Solver, &got}
	if solver, err = solve.NewRolling(choice, 3, 0); err != nil {
		t.Fatal(err)
	}
	const limit, delay = 1000 * time.Hour, time.Hour // what the test may be held up, far below any share
	ctx, cancel = context.WithTimeout(context.Background(), limit)
	defer cancel()
	result, err := solver.Solve(ctx, in, solve.Options{})
	if err != nil || result.Solution == nil || len(result.Solution.Jobs) != len(in.Jobs()) || len(got) < 3 {
		t.Errorf("%d rounds: %+v, %v", len(got), result, err)
	}
	for k := range got {
		if want := limit / time.Duration(len(got)-k) * 9 / 10; (got[k] - want).Abs() > delay {
			t.Errorf("round %d of %d has %v, expected %v", k, len(got), got[k], want)
		}
	}
}

// What makes no sense is refused.
func TestRollingParameters(t *testing.T) {
	info, err := solve.Lookup("mts")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]float64{{0, 0}, {-1, 0}, {math.NaN(), 0}, {math.Inf(1), 0}, {5e-324, 0}, {1e19, 0}, {1, -1}, {1, 1e300}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if _, err := solve.NewRolling(info.Choice(), c[0], c[1]); err == nil {
			t.Errorf("period %v and threshold %v are accepted", c[0], c[1])
		}
	}
	solver, err := solve.NewRolling(solve.Choice{Info: info, Solver: solverstest.With(solve.Default[mts.Solver](), func(x *mts.Solver) { x.Classes = "off" })}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(params.Stated(solver, info.New())); got != "map[classes:off rolling_period:2 rolling_threshold:1]" {
		t.Errorf("parameters %s", got)
	}
}

// Each round draws anew. With the seed of the run in each, all jobs of this stream, of which each is a round of its own, would go to one cluster.
func TestRollingRoundsDrawAnew(t *testing.T) {
	for _, estimate := range []*float64{nil, new(2.0)} { // with estimates that differ from the truth: a stream
		b := model.NewBuilder("one by one").Minimise("mean_response", 1)
		b.Cluster(solvecases.Machines("a", 1, 1))
		b.Cluster(solvecases.Machines("b", 1, 1))
		for j := range 40 {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Arrival: float64(10 * j), Work: new(1.0), Estimate: estimate})
		}
		in := solvecases.Built(t, b)
		_, solver := rolling(t, "wrand", 10, 0)
		result, err := solver.Solve(context.Background(), in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		on := map[string]int{}
		for _, p := range result.Solution.Jobs {
			on[p.Cluster]++
		}
		if on["a"]+on["b"] != 40 || min(on["a"], on["b"]) < 10 { // binomial: below 10 or above 30 of 40 once in 1,500
			t.Errorf("estimate %v: got jobs %v on the clusters", estimate, on)
		}
	}
}
