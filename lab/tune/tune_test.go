package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// batches is a plan of small generated batches.
func batches(t *testing.T, count int) *bench.Plan {
	t.Helper()
	suite := &bench.Suite{
		Format: bench.SuiteFormat, Name: "tune", Budget: bench.Budget{Evaluations: 600}, Solvers: []bench.SolverChoice{{Solver: "titan"}},
		Instances: []bench.InstanceSource{{Generate: "muscle", Parameters: map[string]bench.Values{"jobs": {15.0}}, Seeds: bench.Seeds{Count: count}}},
	}
	if err := suite.Validate(); err != nil {
		t.Fatal(err)
	}
	plan, err := suite.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// tuned tunes titan on the batches.
func tuned(ctx context.Context, t *testing.T, plan *bench.Plan, change func(*Options)) (*Answer, error) {
	t.Helper()
	space, err := NewSpace("titan", []string{"population=4..400", "coding", "swap"})
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	opt.Limits, opt.Dir, opt.Jobs = Limits{Runs: 220}, t.TempDir(), 2
	change(&opt)
	return Instances(ctx, space, plan, opt)
}

// bytesOf is an answer as JSON.
func bytesOf(t *testing.T, a *Answer) string {
	t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// An answer states what its runs give: the ratio on what was set aside is computed here from the rows alone, and the instances of the races are others.
func TestAnswerStatesItsRuns(t *testing.T) {
	plan, dir := batches(t, 24), t.TempDir()
	a, err := tuned(t.Context(), t, plan, func(o *Options) { o.Dir = dir })
	if err != nil {
		t.Fatal(err)
	}
	if a.Found == "titan" || a.HeldOut == nil || a.HeldOut.Cases != 8 || a.Runs > 220 || a.Runs < 150 {
		t.Fatalf("%+v, set aside %+v", a, a.HeldOut)
	}
	rows, err := bench.ReadRows(filepath.Join(dir, runsFolder))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != a.Runs {
		t.Errorf("%d rows, %d runs stated", len(rows), a.Runs)
	}
	sum, pairs := 0.0, 0
	for _, name := range a.Question.SetAside {
		if slices.Contains(a.Question.Training, name) {
			t.Errorf("%s is set aside and raced on", name)
		}
		of := map[string]float64{}
		for _, row := range rows {
			if row.Instance == name {
				of[row.Solver] = *row.Objective
			}
		}
		if len(of) != 2 {
			t.Errorf("%s ran under %v, expected the choice as it stands and what was found, once", name, of)
		}
		sum += math.Log(of[a.Found] / of["titan"])
		pairs++
	}
	if want := math.Exp(sum / float64(pairs)); math.Abs(*a.HeldOut.Ratio-want) > 1e-12 {
		t.Errorf("ratio %v, by the rows %v", *a.HeldOut.Ratio, want)
	}
	if a.Keep == (a.HeldOut.High != nil && *a.HeldOut.High < 1) || !a.Keep && a.Recommended != a.Found || a.Keep && a.Recommended != "titan" {
		t.Errorf("recommended %s, keep %v, interval to %v", a.Recommended, a.Keep, *a.HeldOut.High)
	}
}

// A tuning that is stopped again and again and goes on, with any number of runs at a time, has the bytes of one that was not.
func TestStoppedTuningGoesOn(t *testing.T) {
	plan := batches(t, 24)
	whole, err := tuned(t.Context(), t, plan, func(o *Options) { o.Jobs = 1 })
	if err != nil {
		t.Fatal(err)
	}
	dir, stops := t.TempDir(), 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		a, err := tuned(ctx, t, plan, func(o *Options) {
			o.Dir = dir
			o.Progress = func(float64, string) {
				if calls++; calls > 3+5*stops {
					cancel()
				}
			}
		})
		cancel()
		if err == nil {
			if got, want := bytesOf(t, a), bytesOf(t, whole); got != want {
				t.Errorf("after %d stops\n%s\nexpected\n%s", stops, got, want)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stops++
	}
	if stops < 2 {
		t.Errorf("stopped %d times", stops)
	}
}

// A folder of another question is refused and stays as it is.
func TestFolderOfAnotherQuestion(t *testing.T) {
	plan, dir := batches(t, 24), t.TempDir()
	if _, err := tuned(t.Context(), t, plan, func(o *Options) { o.Dir = dir; o.Runs = 150 }); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, questionFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*Options){func(o *Options) { o.Seed = 2 }, func(o *Options) { o.Runs = 151 }, func(o *Options) { o.HeldOut = 0.4 }, func(o *Options) { o.Confidence = 0.9 }} {
		if _, err := tuned(t.Context(), t, plan, func(o *Options) { o.Dir, o.Runs = dir, 150; change(o) }); !errors.Is(err, bench.ErrOtherRun) {
			t.Errorf("%v, expected that the folder holds another run", err)
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, questionFile)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the question was %s, and is %s (%v)", before, after, err)
	}
	if err := os.WriteFile(filepath.Join(dir, questionFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := tuned(t.Context(), t, plan, func(o *Options) { o.Dir = dir }); !errors.Is(err, bench.ErrForeign) {
		t.Errorf("%v, expected that the file is no question", err)
	}
}

// A small limit gives a race, or is too little, which is an error. What is left after the first races goes to further ones.
func TestSmallLimits(t *testing.T) {
	plan := batches(t, 24)
	raced := 0
	for runs := 25; runs <= 110; runs += 5 {
		a, err := tuned(t.Context(), t, plan, func(o *Options) { o.Runs = runs })
		switch {
		case errors.Is(err, ErrTooLittle):
			if raced > 0 {
				t.Errorf("%d runs are too little, and fewer were not", runs)
			}
			continue
		case err != nil:
			t.Fatal(err)
		}
		raced++
		if len(a.Races) == 0 || a.Runs > runs {
			t.Errorf("%d runs: %d races with %d runs: %s", runs, len(a.Races), a.Runs, a.verdict())
		}
		const judgement = 16
		n, last := len(a.Races), a.Races[len(a.Races)-1]
		left := (1-spareShare)*(float64(runs)-judgement) - float64(last.Runs)
		if count := int(left / float64(firstTest+min(5, n+1))); count > max(1, len(last.Best)) {
			t.Errorf("%d runs: after %d races with %d runs there are enough for one of %d candidates", runs, n, last.Runs, count)
		}
	}
	if raced < 10 {
		t.Errorf("%d limits were enough for a race", raced)
	}
}

// Too few instances, or too few runs, for an answer are said before anything runs.
func TestTooLittle(t *testing.T) {
	for _, c := range []struct {
		instances, runs int
		want            string
	}{{10, 300, "expected at least 5 instances to race on and 6 to be set aside"}, {24, 25, "expected a limit that leaves time for a race"}} {
		if _, err := tuned(t.Context(), t, batches(t, c.instances), func(o *Options) { o.Runs = c.runs }); !errors.Is(err, ErrTooLittle) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d instances, %d runs: %v, expected %q", c.instances, c.runs, err, c.want)
		}
	}
}

// A program that shares the runs in the same folder comes to the same answer.
func TestTwoProgramsShareTheRuns(t *testing.T) {
	plan, dir := batches(t, 24), t.TempDir()
	alone, err := tuned(t.Context(), t, plan, func(*Options) {})
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan string, 2)
	for range 2 {
		go func() {
			a, err := tuned(t.Context(), t, plan, func(o *Options) { o.Dir, o.Steal, o.Jobs = dir, true, 1 })
			if err != nil {
				answers <- err.Error()
				return
			}
			b, err := json.Marshal(a)
			if err != nil {
				b = []byte(err.Error())
			}
			answers <- string(b)
		}()
	}
	for range 2 {
		if got, want := <-answers, bytesOf(t, alone); got != want {
			t.Errorf("found\n%s\nexpected\n%s", got, want)
		}
	}
}

// trace reads the first jobs of a real trace.
func trace(t *testing.T) *model.Instance {
	t.Helper()
	file, err := formats.Open(realdata.Path(t, "swf", "KTH-SP2-1996-2.swf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := file.Format.New()
	in, _, err := reader.Read(file, "KTH")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The windows of a trace cover the jobs of its first part once, in the order of arrival, and none arrives in the gap or after it.
func TestWindowsOfATrace(t *testing.T) {
	in := trace(t)
	order := byArrival(in)
	windows, held, err := cutTrace(in, order, 1.0/3)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	for _, w := range windows {
		if w.from+w.filling != next || w.to <= next {
			t.Errorf("%+v counts from %d, expected %d", w, w.from+w.filling, next)
		}
		next = w.to
	}
	first, last := in.Jobs()[order[0]].Arrival, in.Jobs()[order[len(order)-1]].Arrival
	limit := last - (last-first)/3
	if got := in.Jobs()[order[next-1]].Arrival; got >= limit-gapShare*(last-first) {
		t.Errorf("the races see a job of %v, and the part set aside begins at %v", got, limit)
	}
	if got := in.Jobs()[held[0]].Arrival; got < limit {
		t.Errorf("the part set aside begins at %v, expected %v", got, limit)
	}
	if len(held)+next > len(order) {
		t.Error("a job is in both parts")
	}
}

// Tuning a policy on a real trace ends with a policy that waits less on the last third, by the waits that the policies themselves have there.
func TestTraceIsTuned(t *testing.T) {
	in := trace(t)
	space, err := NewSpace("easy", []string{"order=fcfs,sjf", "depth=1..8"})
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	opt.Limits, opt.Dir, opt.Jobs = Limits{Runs: 160}, t.TempDir(), 2
	a, err := Trace(t.Context(), space, in, "mean_wait", opt)
	if err != nil {
		t.Fatal(err)
	}
	if a.Keep || !strings.Contains(a.Recommended, "order=sjf") || a.Runs > 160 {
		t.Errorf("%s", a.Text())
	}
	waits := a.Policies.Groups[0].Policies
	if ratio := waits[1].Classes[0].Wait.Mean / waits[0].Classes[0].Wait.Mean; math.Abs(ratio-*a.HeldOut.Ratio) > 1e-9 {
		t.Errorf("ratio %v, by the waits %v", *a.HeldOut.Ratio, ratio)
	}
	var page bytes.Buffer
	if err := a.WritePage(&page, "allot tune"); err != nil || !strings.Contains(page.String(), a.Recommended) {
		t.Errorf("%v", err)
	}
	if _, err := Trace(t.Context(), space, in, "makespan", opt); err == nil {
		t.Error("a trace is tuned for the makespan")
	}
}
