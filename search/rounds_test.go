package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
	"github.com/allot-opt/allot/search/internal/lists"
	"github.com/allot-opt/allot/search/internal/schedules"
	"github.com/allot-opt/allot/search/internal/serial"
	"github.com/allot-opt/allot/search/internal/unrelated"
)

// run searches with an engine that is already made.
func run(ctx context.Context, e engine.Engine, in *model.Instance, start *model.Solution, opt Options) (Result, error) {
	at := engine.Nothing
	if start != nil {
		var err error
		if at, err = engine.RankOf(in, start); err != nil {
			return Result{}, err
		}
	}
	return improve(ctx, e, in, start, at, opt)
}

// scripted is an engine whose chains reach the given ranks, one with each call of Advance, and then stay.
type scripted struct {
	ranks  [][]model.Rank // by chain
	at     []int
	asked  int // calls of Solution
	speed  int64
	nobody int // jobs left out that it does not count
	jobs   int
	err    error // returned by every call of Solution
}

func (e *scripted) Chains() int { return len(e.ranks) }
func (e *scripted) Exchange()   {}
func (e *scripted) Round() int64 {
	return 10
}
func (e *scripted) Pace() int64 { return e.speed }
func (e *scripted) Advance(k int, evaluations int64, _ func() bool) int64 {
	e.at[k] = min(e.at[k]+1, len(e.ranks[k])-1)
	return evaluations
}
func (e *scripted) Best(k int) model.Rank { return e.ranks[k][e.at[k]] }
func (e *scripted) Solution(k int) (*model.Solution, error) {
	if e.asked++; e.err != nil {
		return nil, e.err
	}
	left := min(e.Best(k).Left+e.nobody, e.jobs)
	return &model.Solution{Jobs: make([]model.Placement, e.jobs-left), Unscheduled: make([]model.Unscheduled, left)}, nil
}

// fourJobs is an instance for a scripted engine.
func fourJobs(t testing.TB) *model.Instance {
	t.Helper()
	b := model.NewBuilder("four").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	for j := range 4 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// rank is short for [model.NewRank].
func rank(left int, objective float64) model.Rank { return model.NewRank(left, objective) }

func newScripted(ranks ...[]model.Rank) *scripted {
	return &scripted{ranks: ranks, at: make([]int, len(ranks)), speed: 100, jobs: 4}
}

// runScripted searches from a start of the given rank and returns what Progress received.
func runScripted(t *testing.T, e *scripted, at model.Rank, opt Options) (result Result, told []Progress) {
	t.Helper()
	start := &model.Solution{}
	if at.None() {
		start = nil
	}
	opt.Progress = func(p Progress) { told = append(told, p) }
	result, err := improve(context.Background(), e, fourJobs(t), start, at, opt)
	if err != nil {
		t.Fatal(err)
	}
	return result, told
}

func TestRoundsMakeExactlyTheEvaluations(t *testing.T) {
	for _, limit := range []int64{1, 2, 3, 10, 29, 30, 31, 1000} {
		result, _ := runScripted(t, newScripted([]model.Rank{rank(0, 5)}, []model.Rank{rank(0, 5)}, []model.Rank{rank(0, 5)}), engine.Nothing, Options{MaxEvals: limit})
		if result.Evaluations != limit || result.Stop != model.StopEvaluations {
			t.Errorf("%d evaluations asked for, %d made; stopped by %s", limit, result.Evaluations, result.Stop)
		}
	}
}

// What a proof has shown stays shown, and it hears of complete schedules alone: one that leaves out jobs costs less than it would.
func TestTheProofIsToldWhatCounts(t *testing.T) {
	var heard []float64
	bounds := []model.Bound{model.ProvedBound(5), {}}
	improve := func(_ context.Context, _ int64, best float64) (model.Bound, bool) {
		heard = append(heard, best)
		return bounds[len(heard)-1], len(heard) < len(bounds)
	}
	result, _ := runScripted(t, newScripted([]model.Rank{rank(1, 4), rank(1, 4), rank(0, 5)}), engine.Nothing, Options{MaxEvals: 50, Improve: improve})
	if len(heard) != 2 || !math.IsInf(heard[0], 1) || !math.IsInf(heard[1], 1) {
		t.Errorf("the proof heard of %v", heard)
	}
	if result.Stop != model.StopDone || result.Evaluations != 20 {
		t.Errorf("the bound 5 is reached after 20 evaluations; stopped by %s after %d", result.Stop, result.Evaluations)
	}
}

// Whether a sum is to be trusted does not hang on its sign.
func TestDoubt(t *testing.T) {
	if doubt(-5) != doubt(5) || doubt(5) <= 0 || doubt(math.Inf(-1)) != 0 {
		t.Errorf("doubts %v, %v and %v", doubt(-5), doubt(5), doubt(math.Inf(-1)))
	}
}

func TestEffortIsInEvaluations(t *testing.T) {
	for _, c := range []struct {
		effort float64
		pace   int64
		want   int64
	}{
		{1, 100, 100}, {0.5, 100, 50}, {1e-300, 100, 1}, {1e300, 100, math.MaxInt64}, {1, math.MaxInt64, math.MaxInt64}, {math.MaxFloat64, math.MaxInt64, math.MaxInt64},
	} {
		if found := evaluationsOf(c.effort, c.pace); found != c.want {
			t.Errorf("effort %v at %d a second: %d evaluations, expected %d", c.effort, c.pace, found, c.want)
		}
	}
	result, _ := runScripted(t, newScripted([]model.Rank{rank(0, 5)}), engine.Nothing, Options{Effort: 0.25})
	if result.Evaluations != 30 || result.Stop != model.StopDone { // rounds of 10 up to 25
		t.Errorf("%d evaluations, stopped by %s", result.Evaluations, result.Stop)
	}
	for _, effort := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Minimise(context.Background(), fourJobs(t), nil, Options{Effort: effort, MaxEvals: 1}); err == nil {
			t.Errorf("effort %v is taken", effort)
		}
	}
}

func TestTheTargetEndsTheSearch(t *testing.T) {
	e := newScripted([]model.Rank{rank(0, 9), rank(1, 2), rank(0, 7), rank(0, 4), rank(0, 3)})
	result, _ := runScripted(t, e, engine.Nothing, Options{MaxEvals: 1000, Target: model.ProvedBound(4)})
	if result.Evaluations != 30 || result.Stop != model.StopDone {
		t.Errorf("%d evaluations, stopped by %s: what leaves a job out does not reach the target, 4 does", result.Evaluations, result.Stop)
	}
}

// A start that reaches the target ends the search before an engine is made; a start that leaves jobs out does not.
func TestAnOptimalStartEndsTheSearch(t *testing.T) {
	in := fourJobs(t)
	best, none := &model.Solution{}, &model.Solution{Unscheduled: []model.Unscheduled{{Job: "j2", Reason: "test"}, {Job: "j3", Reason: "test"}}}
	for j := range 4 {
		best.Jobs = append(best.Jobs, model.Placement{Job: fmt.Sprint("j", j), Cluster: "c", Processors: model.Processors(j % 2),
			Start: float64(j / 2), End: float64(j/2 + 1)})
	}
	none.Jobs = best.Jobs[:2]
	for _, c := range []struct {
		start *model.Solution
		made  bool
	}{{best, false}, {none, true}} {
		var told []Progress
		made := false
		engines := engines
		defer func(before []engine.New) { setEngines(before) }(engines)
		setEngines([]engine.New{func(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine.Engine, error) {
			made = true
			return unrelated.New(ctx, in, start, seed)
		}})
		result, err := Minimise(context.Background(), in, c.start, Options{MaxEvals: 100, Target: model.ProvedBound(2), Progress: func(p Progress) { told = append(told, p) }})
		if err != nil {
			t.Fatal(err)
		}
		at, err := engine.RankOf(in, result.Solution)
		if err != nil {
			t.Fatal(err)
		}
		if made != c.made || at != (rank(0, 2)) || result.Stop != model.StopDone {
			t.Errorf("a start without %d jobs: engine made %t, reached %v, stopped by %s", len(c.start.Unscheduled), made, at, result.Stop)
		}
		if len(told) == 0 || told[0].Evaluations != 0 || told[0].Left != len(c.start.Unscheduled) {
			t.Errorf("a start without %d jobs: told %v; expected the start first", len(c.start.Unscheduled), told)
		}
	}
}

// setEngines replaces the engines.
func setEngines(list []engine.New) { engines = list }

// What Progress receives never gets worse, whatever ranks the chains report.
func TestProgressNeverGetsWorse(t *testing.T) {
	inf := math.Inf(1)
	for k, c := range []struct {
		at     model.Rank
		chains [][]model.Rank
		nobody int
		want   model.Rank
		asked  int // calls of Solution; 0: the engine's best is clearly no better
	}{
		{rank(0, 5), [][]model.Rank{{engine.Nothing, rank(0, 9), rank(0, 7)}, {engine.Nothing, rank(0, 6)}}, 0, rank(0, 5), 0},
		{rank(0, 5), [][]model.Rank{{engine.Nothing, rank(1, 1)}, {engine.Nothing, rank(0, 4)}}, 0, rank(0, 4), 1},
		{rank(0, 5), [][]model.Rank{{engine.Nothing, rank(1, 1)}}, 0, rank(0, 5), 0},
		{rank(2, 5), [][]model.Rank{{engine.Nothing, rank(1, 9), rank(0, 30), rank(0, 20)}}, 0, rank(0, 20), 2},
		{rank(2, 5), [][]model.Rank{{engine.Nothing, rank(1, 9)}}, 1, rank(2, 5), 1},
		{rank(2, 5), [][]model.Rank{{engine.Nothing, rank(0, 9)}}, 1, rank(1, 9), 2},
		{engine.Nothing, [][]model.Rank{{engine.Nothing, engine.Nothing, rank(0, inf), rank(0, 8)}}, 2, rank(2, 8), 2},
		{engine.Nothing, [][]model.Rank{{engine.Nothing, rank(0, inf)}}, 0, rank(0, inf), 2},
		{engine.Nothing, [][]model.Rank{{engine.Nothing, engine.Nothing}}, 0, engine.Nothing, 0},
		{rank(0, inf), [][]model.Rank{{engine.Nothing, rank(0, inf)}}, 0, rank(0, inf), 1},
	} {
		e := newScripted(c.chains...)
		e.nobody = c.nobody
		result, told := runScripted(t, e, c.at, Options{MaxEvals: 100})
		before := c.at
		for _, p := range told {
			now := rank(p.Left, p.Objective)
			if before.Better(now) {
				t.Errorf("case %d: told %v after %v", k, now, before)
			}
			before = now
		}
		if before != c.want {
			t.Errorf("case %d: told %v in the end, expected %v", k, before, c.want)
		}
		if found := result.Solution != nil && len(result.Solution.Jobs) > 0; found != c.want.Better(c.at) {
			t.Errorf("case %d: a schedule found %t from %v to %v", k, found, c.at, c.want)
		}
		if e.asked > c.asked {
			t.Errorf("case %d: %d schedules made, expected %d at most", k, e.asked, c.asked)
		}
	}
}

// An engine may have kept no schedule, because its sums were never finite. Then the search returns none.
func TestAnEngineWithoutASchedule(t *testing.T) {
	e := newScripted([]model.Rank{rank(0, math.Inf(1))})
	e.jobs = 0
	if result, _ := runScripted(t, e, engine.Nothing, Options{MaxEvals: 10}); result.Solution != nil {
		t.Errorf("a schedule without jobs is handed over")
	}
}

// An error of the engine ends the search and is returned, also if Progress is set.
func TestTheErrorOfAnEngineIsReturned(t *testing.T) {
	for _, progress := range []func(Progress){nil, func(Progress) {}} {
		e := newScripted([]model.Rank{rank(0, 5)})
		e.err = errors.New("no such schedule")
		_, err := improve(context.Background(), e, fourJobs(t), nil, engine.Nothing, Options{MaxEvals: 100, Progress: progress})
		if !errors.Is(err, e.err) {
			t.Errorf("told %t: the error is %v", progress != nil, err)
		}
	}
}

// A start may become worse when an engine decodes it. Then the search returns the start itself.
func TestASearchReturnsNothingWorseThanItsStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 12}.Instance(t)
		opt := Options{Seed: 1, MaxEvals: 20}
		begun, err := Minimise(context.Background(), in, nil, opt)
		if err != nil || begun.Solution == nil {
			t.Fatal("no start: ", err)
		}
		at, err := engine.RankOf(in, begun.Solution)
		if err != nil {
			t.Fatal(err)
		}
		e, err := schedules.New(context.Background(), in, begun.Solution, 2)
		if err != nil {
			t.Fatal(err)
		}
		result, err := run(context.Background(), e, in, begun.Solution, opt)
		if err != nil {
			t.Fatal(err)
		}
		reached, err := engine.RankOf(in, result.Solution)
		if err != nil {
			t.Fatal(err)
		}
		if at.Better(reached) {
			t.Fatalf("the start is %+v, the result %+v", at, reached)
		}
	})
}

// Long runs of every engine are the same at 1 and 4 workers.
func TestLongRunsDoNotDependOnWorkers(t *testing.T) {
	evaluations := int64(race.Fewer(200_000, 60_000))
	for _, c := range []struct {
		name      string
		objective map[string]float64
		want      func(engine.Engine) bool
	}{
		{"unrelated", map[string]float64{"makespan": 1}, func(e engine.Engine) bool { _, ok := e.(*unrelated.Engine); return ok }},
		{"lists", map[string]float64{"mean_response": 1}, func(e engine.Engine) bool { _, ok := e.(*lists.Engine); return ok }},
		{"serial", map[string]float64{"makespan": 1}, func(e engine.Engine) bool { _, ok := e.(*serial.Engine); return ok }},
		{"schedules", map[string]float64{"mean_response": 1}, func(e engine.Engine) bool { _, ok := e.(*schedules.Engine); return ok }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := model.NewBuilder(c.name)
			for k := range 2 {
				b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Machines: []model.MachineSpec{{ID: "m", Count: 2, Speed: 1 + math.E*float64(k)}}})
			}
			for j := range 40 {
				job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(10 + 10*math.Sin(float64(j)))}
				if (c.name == "serial" || c.name == "schedules") && j > 8 {
					job.After = []string{fmt.Sprint("j", j-8)}
				}
				if c.name == "schedules" && j%5 == 0 {
					job.Processors = model.Moldable(1, 2)
				}
				b.Job(job)
			}
			plain, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			in, err := plain.WithObjective(c.objective)
			if err != nil {
				t.Fatal(err)
			}
			var first []byte
			for _, workers := range []int{1, 4} {
				e, err := firstEngine(in)
				if err != nil || !c.want(e) {
					t.Fatalf("the engine is %T, %v", e, err)
				}
				result, err := run(context.Background(), e, in, nil, Options{Seed: 3, MaxEvals: evaluations, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if result.Evaluations != evaluations {
					t.Errorf("%d workers: %d evaluations, expected %d", workers, result.Evaluations, evaluations)
				}
				var text bytes.Buffer
				if err := model.WriteSolution(&text, result.Solution); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = text.Bytes()
				} else if !bytes.Equal(first, text.Bytes()) {
					t.Errorf("1 and %d workers give two schedules", workers)
				}
			}
		})
	}
}

// firstEngine is the engine that takes the instance.
func firstEngine(in *model.Instance) (engine.Engine, error) {
	for _, fits := range engines {
		if e, err := fits(context.Background(), in, &model.Solution{}, 3); e != nil || err != nil {
			return e, err
		}
	}
	return nil, ErrNoEngine
}

// dear is an engine whose evaluations take more work than its pace says.
type dear struct {
	scripted
	each int64 // ns an evaluation
	made int64
}

func (e *dear) Advance(k int, evaluations int64, stop func() bool) int64 {
	e.made += evaluations
	return evaluations
}

func (e *dear) Work() int64 { return e.made * e.each }

// An engine that counts its work ends within twice the effort, whatever its pace says; one whose evaluations are as cheap as its pace says
// makes all of them.
func TestEffortLimitsCountedWork(t *testing.T) {
	for _, c := range []struct{ each, want int64 }{
		{1_000_000, 1000}, // one second of 1000 a second
		{2_500_000, 800},  // two seconds
		{400_000_000, 10}, // a round
	} {
		e := &dear{scripted: *newScripted([]model.Rank{model.NewRank(0, 5)}), each: c.each}
		e.speed = 1000
		result, err := improve(context.Background(), e, fourJobs(t), nil, engine.Nothing, Options{Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		if result.Evaluations != c.want || result.Stop != model.StopDone {
			t.Errorf("%d ns an evaluation: %d evaluations, stopped by %s; expected %d", c.each, result.Evaluations, result.Stop, c.want)
		}
	}
}

// planned is a scripted engine that notes what it is told of the run.
type planned struct {
	scripted
	evaluations int64
	chains      int
	sure        bool
}

func (e *planned) Plan(evaluations int64, chains int, sure bool) {
	e.evaluations, e.chains, e.sure = evaluations, chains, sure
}

// An engine is told the length of the run by the limit. With a limit of evaluations it is the same at any number of workers, and
// with one of time it is the same although a little of the time has gone.
func TestEnginesAreToldTheLengthOfTheRun(t *testing.T) {
	for _, c := range []struct {
		opt         Options
		evaluations int64
		chains      int
	}{
		{Options{MaxEvals: 50}, 50, 2},
		{Options{MaxEvals: 50, Workers: 8, Time: time.Second}, 50, 2},
		{Options{Effort: 3, Workers: 8, Time: time.Second}, 0, 0},
		{Options{Time: 4 * time.Second, Target: model.ProvedBound(5)}, 240, 2},
		{Options{Time: 4 * time.Second, Workers: 2, Target: model.ProvedBound(5)}, 480, 2},
		{Options{Time: 3999 * time.Millisecond, Workers: 8, Target: model.ProvedBound(5)}, 1920, 8},
	} {
		e := &planned{scripted: *newScripted([]model.Rank{rank(0, 6), rank(0, 5)})}
		if _, err := improve(context.Background(), e, fourJobs(t), nil, engine.Nothing, c.opt); err != nil {
			t.Fatal(err)
		}
		if e.evaluations != c.evaluations || e.chains != c.chains || e.sure != (c.opt.MaxEvals > 0) {
			t.Errorf("%+v: told of %d evaluations (sure: %v) and %d chains, expected %d and %d", c.opt, e.evaluations, e.sure, e.chains, c.evaluations, c.chains)
		}
	}
}
