package search

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// run searches with an engine that is made already.
func run(ctx context.Context, e engine, in *model.Instance, start *model.Solution, opt Options) (Result, error) {
	at := nothing
	if start != nil {
		var err error
		if at, err = rankOf(in, start); err != nil {
			return Result{}, err
		}
	}
	return improve(ctx, e, in, start, at, opt)
}

// scripted is an engine whose chains reach the given ranks, one an advance, and then stay.
type scripted struct {
	ranks  [][]model.Rank // by chain
	at     []int
	asked  int // solutions
	speed  int64
	nobody int // jobs left out that it does not count
	jobs   int
}

func (e *scripted) chains() int { return len(e.ranks) }
func (e *scripted) meet()       {}
func (e *scripted) round() int64 {
	return 10
}
func (e *scripted) pace() int64 { return e.speed }
func (e *scripted) advance(k int, evaluations int64, _ func() bool) int64 {
	e.at[k] = min(e.at[k]+1, len(e.ranks[k])-1)
	return evaluations
}
func (e *scripted) best(k int) model.Rank { return e.ranks[k][e.at[k]] }
func (e *scripted) solution(k int) (*model.Solution, error) {
	e.asked++
	left := min(e.best(k).Left+e.nobody, e.jobs)
	return &model.Solution{Jobs: make([]model.Placement, e.jobs-left), Unscheduled: make([]model.Unscheduled, left)}, nil
}

// fourJobs is an instance for a scripted engine.
func fourJobs(t testing.TB) *model.Instance {
	t.Helper()
	return timesInstance(t, []int{2}, [][]float64{{1}, {1}, {1}, {1}})
}

func newScripted(ranks ...[]model.Rank) *scripted {
	return &scripted{ranks: ranks, at: make([]int, len(ranks)), speed: 100, jobs: 4}
}

// runScripted searches from a start of the given rank and returns what it was told.
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
		result, _ := runScripted(t, newScripted([]model.Rank{model.NewRank(0, 5)}, []model.Rank{model.NewRank(0, 5)}, []model.Rank{model.NewRank(0, 5)}), nothing, Options{MaxEvals: limit})
		if result.Evaluations != limit || result.Stop != model.StopEvaluations {
			t.Errorf("%d evaluations asked for, %d made; stopped by %s", limit, result.Evaluations, result.Stop)
		}
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
	result, _ := runScripted(t, newScripted([]model.Rank{model.NewRank(0, 5)}), nothing, Options{Effort: 0.25})
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
	e := newScripted([]model.Rank{model.NewRank(0, 9), model.NewRank(1, 2), model.NewRank(0, 7), model.NewRank(0, 4), model.NewRank(0, 3)})
	result, _ := runScripted(t, e, nothing, Options{MaxEvals: 1000, Target: model.ProvedBound(4)})
	if result.Evaluations != 30 || result.Stop != model.StopDone {
		t.Errorf("%d evaluations, stopped by %s: what leaves a job out does not reach the target, 4 does", result.Evaluations, result.Stop)
	}
}

// A start that reaches the target ends the search before an engine is made; one that leaves jobs out does not.
func TestAnOptimalStartEndsTheSearch(t *testing.T) {
	in := fourJobs(t)
	best, none := completionStart(in), completionStart(in)
	none.Jobs, none.Unscheduled = none.Jobs[:2], []model.Unscheduled{{Job: "j2", Reason: "test"}, {Job: "j3", Reason: "test"}}
	for _, c := range []struct {
		start *model.Solution
		made  bool
	}{{best, false}, {none, true}} {
		var told []Progress
		made := false
		engines := engines
		defer func(before []newEngine) { setEngines(before) }(engines)
		setEngines([]newEngine{func(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine, error) {
			made = true
			return newUnrelated(ctx, in, start, seed)
		}})
		result, err := Minimise(context.Background(), in, c.start, Options{MaxEvals: 100, Target: model.ProvedBound(2), Progress: func(p Progress) { told = append(told, p) }})
		if err != nil {
			t.Fatal(err)
		}
		at, err := rankOf(in, result.Solution)
		if err != nil {
			t.Fatal(err)
		}
		if made != c.made || at != (model.NewRank(0, 2)) || result.Stop != model.StopDone {
			t.Errorf("a start without %d jobs: engine made %t, reached %v, stopped by %s", len(c.start.Unscheduled), made, at, result.Stop)
		}
		if len(told) == 0 || told[0].Evaluations != 0 || told[0].Left != len(c.start.Unscheduled) {
			t.Errorf("a start without %d jobs: told %v; expected the start first", len(c.start.Unscheduled), told)
		}
	}
}

// setEngines replaces the engines.
func setEngines(list []newEngine) { engines = list }

// What Progress is told never gets worse, whatever the chains say.
func TestProgressNeverGetsWorse(t *testing.T) {
	inf := math.Inf(1)
	for k, c := range []struct {
		at     model.Rank
		chains [][]model.Rank
		nobody int
		want   model.Rank
		asked  int // solutions; 0: the engine's best is clearly no better
	}{
		{model.NewRank(0, 5), [][]model.Rank{{nothing, model.NewRank(0, 9), model.NewRank(0, 7)}, {nothing, model.NewRank(0, 6)}}, 0, model.NewRank(0, 5), 0},
		{model.NewRank(0, 5), [][]model.Rank{{nothing, model.NewRank(1, 1)}, {nothing, model.NewRank(0, 4)}}, 0, model.NewRank(0, 4), 1},
		{model.NewRank(0, 5), [][]model.Rank{{nothing, model.NewRank(1, 1)}}, 0, model.NewRank(0, 5), 0},
		{model.NewRank(2, 5), [][]model.Rank{{nothing, model.NewRank(1, 9), model.NewRank(0, 30), model.NewRank(0, 20)}}, 0, model.NewRank(0, 20), 2},
		{model.NewRank(2, 5), [][]model.Rank{{nothing, model.NewRank(1, 9)}}, 1, model.NewRank(2, 5), 1},
		{model.NewRank(2, 5), [][]model.Rank{{nothing, model.NewRank(0, 9)}}, 1, model.NewRank(1, 9), 2},
		{nothing, [][]model.Rank{{nothing, nothing, model.NewRank(0, inf), model.NewRank(0, 8)}}, 2, model.NewRank(2, 8), 2},
		{nothing, [][]model.Rank{{nothing, model.NewRank(0, inf)}}, 0, model.NewRank(0, inf), 2},
		{nothing, [][]model.Rank{{nothing, nothing}}, 0, nothing, 0},
		{model.NewRank(0, inf), [][]model.Rank{{nothing, model.NewRank(0, inf)}}, 0, model.NewRank(0, inf), 1},
	} {
		e := newScripted(c.chains...)
		e.nobody = c.nobody
		result, told := runScripted(t, e, c.at, Options{MaxEvals: 100})
		before := c.at
		for _, p := range told {
			now := model.NewRank(p.Left, p.Objective)
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

// An engine that has kept no schedule, as its sums were never finite, is not asked to hand one over.
func TestAnEngineWithoutASchedule(t *testing.T) {
	e := newScripted([]model.Rank{model.NewRank(0, math.Inf(1))})
	e.jobs = 0
	if result, _ := runScripted(t, e, nothing, Options{MaxEvals: 10}); result.Solution != nil {
		t.Errorf("a schedule without jobs is handed over")
	}
}

// Long runs of every engine are the same at 1 and 4 workers.
func TestLongRunsDoNotDependOnWorkers(t *testing.T) {
	evaluations := int64(race.Fewer(200_000, 60_000))
	for _, c := range []struct {
		name      string
		objective map[string]float64
		want      func(engine) bool
	}{
		{"unrelated", map[string]float64{"makespan": 1}, func(e engine) bool { _, ok := e.(*unrelated); return ok }},
		{"lists", map[string]float64{"mean_response": 1}, func(e engine) bool { _, ok := e.(*lists); return ok }},
		{"schedules", map[string]float64{"mean_response": 1}, func(e engine) bool { _, ok := e.(*schedules); return ok }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := model.NewBuilder(c.name)
			for k := range 2 {
				b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Machines: []model.MachineSpec{{ID: "m", Count: 2, Speed: 1 + math.E*float64(k)}}})
			}
			for j := range 40 {
				job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(10 + 10*math.Sin(float64(j)))}
				if c.name == "schedules" && j > 8 {
					job.After = []string{fmt.Sprint("j", j-8)}
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
func firstEngine(in *model.Instance) (engine, error) {
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

func (e *dear) advance(k int, evaluations int64, stop func() bool) int64 {
	e.made += evaluations
	return evaluations
}

func (e *dear) work() int64 { return e.made * e.each }

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
		result, err := improve(context.Background(), e, fourJobs(t), nil, nothing, Options{Effort: 1})
		if err != nil {
			t.Fatal(err)
		}
		if result.Evaluations != c.want || result.Stop != model.StopDone {
			t.Errorf("%d ns an evaluation: %d evaluations, stopped by %s; expected %d", c.each, result.Evaluations, result.Stop, c.want)
		}
	}
}
