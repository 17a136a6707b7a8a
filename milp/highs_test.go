//go:build highs && cgo

package milp

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
)

// random has up to 5 integer variables in 0…3 and a few rows.
func random(seed uint64) *Model {
	rng := rand.New(rand.NewPCG(seed, 11))
	m := &Model{}
	n := 1 + rng.IntN(5)
	for range n {
		m.Add(Variable{"", 0, float64(1 + rng.IntN(3)), float64(rng.IntN(21) - 10), true})
	}
	for range rng.IntN(4) {
		var terms []Term
		for k := range n {
			if c := rng.IntN(9) - 4; c != 0 {
				terms = append(terms, Term{Var(k), float64(c)})
			}
		}
		switch side := float64(rng.IntN(8)); rng.IntN(4) {
		case 0:
			m.AddRow("", side, side, terms...)
		case 1:
			m.AddRow("", side-2, side, terms...)
		case 2:
			m.AddRow("", side, inf, terms...)
		default:
			m.AddRow("", -inf, side, terms...)
		}
	}
	return m
}

// enumerate finds the least objective over all integer points of a model, all of whose variables are integer and limited. +Inf: no point is
// feasible.
func enumerate(m *Model) float64 {
	best := inf
	values := make([]float64, len(m.variables))
	for k := range values {
		values[k] = m.variables[k].Lower
	}
	for {
		if m.Violation(values) <= 1e-9 {
			best = min(best, m.Objective(values))
		}
		k := 0
		for ; k < len(values); k++ {
			if values[k]++; values[k] <= m.variables[k].Upper {
				break
			}
			values[k] = m.variables[k].Lower
		}
		if k == len(values) {
			return best
		}
	}
}

// solved solves a model without limits.
func solved(t testing.TB, m *Model, opt Options) Result {
	t.Helper()
	result, err := Solve(context.Background(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestSolveSmall(t *testing.T) {
	r := solved(t, small(), Options{})
	if r.Status != model.Optimal || math.Abs(r.Objective+11) > 1e-9 || math.Abs(r.Bound.Or(0)+11) > 1e-6 || r.Values[0] != 3 {
		t.Errorf("%+v", r)
	}
}

// Random integer programs have the optimum found by enumeration. A start does not change it. With a cutoff at the optimum there is no
// solution; with one above it the optimum is found.
func TestSolveAgainstEnumeration(t *testing.T) {
	for seed := range uint64(300) {
		m := random(seed)
		want := enumerate(m)
		r := solved(t, m, Options{})
		if math.IsInf(want, 1) {
			if r.Status != model.Infeasible || r.Values != nil || r.Bound.Known() {
				t.Errorf("%d: %+v, expected infeasible", seed, r)
			}
			continue
		}
		if r.Status != model.Optimal || math.Abs(r.Objective-want) > 1e-9 || !r.Bound.Known() || math.Abs(r.Bound.Or(0)-want) > 1e-6 {
			t.Errorf("%d: %+v, expected %v", seed, r, want)
			continue
		}
		if again := solved(t, m, Options{Start: r.Values}); again.Status != model.Optimal || again.Objective != r.Objective {
			t.Errorf("%d: from its optimum %+v", seed, again)
		}
		if useless := solved(t, m, Options{Start: make([]float64, m.Variables())}); useless.Objective != r.Objective {
			t.Errorf("%d: from zeros %+v", seed, useless)
		}
		above, at := want+0.5, want-0.5
		if below := solved(t, m, Options{Cutoff: &above}); below.Status != model.Optimal || below.Objective != r.Objective {
			t.Errorf("%d: cutoff above the optimum %+v", seed, below)
		}
		if none := solved(t, m, Options{Cutoff: &at}); none.Status != model.Infeasible && !(none.Objective >= at) {
			t.Errorf("%d: cutoff below the optimum %+v", seed, none)
		} else if none.Status == model.Infeasible && none.Bound != model.ProvedBound(at) {
			t.Errorf("%d: nothing costs less than the cutoff %v, and the bound is %v", seed, at, none.Bound)
		}
	}
}

// Integer variables with fractional limits have the optimum found by enumeration of the whole numbers between the limits. On some of these
// models HiGHS alone states a false optimum.
func TestSolveFractionalLimits(t *testing.T) {
	infeasible := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m, whole := &Model{}, &Model{}
		for range 1 + rng.IntN(4) {
			v := Variable{Cost: float64(rng.IntN(9) - 4), Lower: float64(rng.IntN(8))/4 - 1, Integer: true}
			v.Upper = v.Lower + float64(rng.IntN(10))/4
			m.Add(v)
			v.Lower, v.Upper = math.Ceil(v.Lower), math.Floor(v.Upper)
			whole.Add(v)
		}
		for range rng.IntN(3) {
			var terms []Term
			for k := range m.Variables() {
				terms = append(terms, Term{Var(k), float64(rng.IntN(7) - 3)})
			}
			most := float64(rng.IntN(9))/2 - 1
			m.AddRow("", math.Inf(-1), most, terms...)
			whole.AddRow("", math.Inf(-1), most, terms...)
		}
		want := enumerate(whole)
		r := solved(t, m, Options{})
		if math.IsInf(want, 1) {
			if infeasible++; r.Status != model.Infeasible {
				t.Errorf("%d: %+v, expected infeasible", seed, r)
			}
		} else if r.Status != model.Optimal || math.Abs(r.Objective-want) > 1e-9 {
			t.Errorf("%d: %+v, expected %v", seed, r, want)
		}
	}
	if infeasible == 0 || infeasible == 400 {
		t.Errorf("%d of 400 are infeasible", infeasible)
	}
}

func TestSolveOdd(t *testing.T) {
	if r := solved(t, &Model{}, Options{}); r.Status != model.Optimal || r.Objective != 0 {
		t.Errorf("empty: %+v", r)
	}
	m := &Model{}
	m.AddRow("", 1, 2)
	if r := solved(t, m, Options{}); r.Status != model.Infeasible {
		t.Errorf("nothing ≥ 1: %+v", r)
	}
	m.Add(Variable{Upper: 1})
	if r := solved(t, m, Options{}); r.Status != model.Infeasible {
		t.Errorf("0·x ≥ 1: %+v", r)
	}
	m = &Model{}
	m.Add(Variable{Lower: 2, Upper: 5, Cost: 3})
	m.Add(Variable{Lower: -inf, Upper: inf})
	if r := solved(t, m, Options{}); r.Status != model.Optimal || r.Objective != 6 || r.Bound != model.ProvedBound(6) {
		t.Errorf("no rows: %+v", r)
	}
	m.Add(Variable{Upper: inf, Cost: -1, Integer: true})
	if r := solved(t, m, Options{}); !r.Unbounded {
		t.Errorf("unbounded: %+v", r)
	}
	m = &Model{}
	m.Add(Variable{Lower: 2, Upper: 1, Integer: true})
	if r := solved(t, m, Options{}); r.Status != model.Infeasible {
		t.Errorf("crossing limits: %+v", r)
	}
}

// The written file is the same model: HiGHS reads it and finds the same optimum.
func TestWrittenFilesAreTheModel(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(100) {
		m := random(seed)
		want := solved(t, m, Options{})
		for _, name := range []string{"m.mps", "m.lp"} {
			path := filepath.Join(dir, name)
			file, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if write := m.WriteLP; name == "m.lp" {
				err = write(file)
			} else {
				err = m.WriteMPS(file)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			status, objective, err := solveFile(path)
			if err != nil {
				t.Fatalf("%d: %s: %v", seed, name, err)
			}
			if infeasible := status == highsInfeasible; infeasible != (want.Status == model.Infeasible) || !infeasible && math.Abs(objective-want.Objective) > 1e-9 {
				t.Errorf("%d: %s: status %d, %v; expected %s, %v", seed, name, status, objective, want.Status, want.Objective)
			}
		}
	}
}

// hard is a market split problem (G. Cornuéjols, M. Dawande 1999), which branch-and-bound works on for hours: min Σ|slack| of
// rows of n binary variables each.
func hard(rows, n int, seed uint64) *Model {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := &Model{Name: "hard"}
	for range n {
		m.Add(Variable{"", 0, 1, 0, true})
	}
	for range rows {
		var terms []Term
		sum := 0.0
		for k := range n {
			c := float64(rng.IntN(100))
			sum += c
			terms = append(terms, Term{Var(k), c})
		}
		over, under := m.Add(Variable{"", 0, inf, 1, false}), m.Add(Variable{"", 0, inf, 1, false})
		m.AddRow("", math.Floor(sum/2), math.Floor(sum/2), append(terms, Term{over, -1}, Term{under, 1})...)
	}
	return m
}

// After a time limit or a cancellation, Solve returns the incumbent. A limit of nodes gives the same result each time.
func TestLimitsKeepTheIncumbent(t *testing.T) {
	m := hard(6, 50, 1)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	r, err := Solve(ctx, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != model.Feasible || r.Values == nil || m.Violation(r.Values) > Tolerance || !(r.Bound.Or(math.Inf(1)) <= r.Objective) {
		t.Errorf("limit of time: %s, objective %v, bound %v", r.Status, r.Objective, r.Bound)
	}
	if again := solved(t, m, Options{Nodes: 1, Start: r.Values}); again.Objective > r.Objective {
		t.Errorf("from an incumbent of %v: %v", r.Objective, again.Objective)
	}
	var first Result
	for k := range 2 {
		r := solved(t, m, Options{Nodes: 20})
		if r.Status != model.Feasible || !r.Limited || r.Values == nil {
			t.Errorf("limit of nodes: %+v", r)
		}
		if k == 1 && (r.Objective != first.Objective || r.Bound != first.Bound || r.Nodes != first.Nodes) {
			t.Errorf("limit of nodes: %v, %v, %d, then %v, %v, %d", first.Objective, first.Bound, first.Nodes, r.Objective, r.Bound, r.Nodes)
		}
		first = r
	}
	if r, err := Solve(ctx, m, Options{}); err != nil || r.Status != model.Unknown || r.Values != nil {
		t.Errorf("after the end: %+v, %v", r, err)
	}
}

// Solve returns when its context ends, whether HiGHS is in presolve, at the root or in the tree. How soon, the benchmark measures.
func TestCancellation(t *testing.T) {
	m := hard(5, 60, 2)
	for _, after := range []time.Duration{0, 1, 10, 50, 200, 400} {
		cancelled(t, m, after*time.Millisecond)
	}
}

// cancelled measures the time from a cancellation to the return.
func cancelled(t testing.TB, m *Model, after time.Duration) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	at := make(chan time.Time, 1)
	time.AfterFunc(after, func() { at <- time.Now(); cancel() })
	r, err := Solve(ctx, m, Options{})
	end := time.Now()
	if err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Fatalf("ended before it was cancelled: %s", r.Status)
	}
	if r.Values != nil && m.Violation(r.Values) > Tolerance {
		t.Errorf("cancelled after %s: the incumbent breaks the model", after)
	}
	return end.Sub(<-at)
}

// A run that is stopped early, before or after there is a bound, states no bound above the optimum. The optimum is negative, so that a 0
// stated in place of no bound would be found.
func TestStoppedBoundIsValid(t *testing.T) {
	m := hard(4, 40, 5)
	for k := range 40 {
		m.variables[k].Cost = -100
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	known, err := Solve(ctx, m, Options{})
	if err != nil || known.Values == nil {
		t.Fatalf("%+v, %v", known, err)
	}
	for k := range 30 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(k*k)*100*time.Microsecond)
		r, err := Solve(ctx, m, Options{})
		cancel()
		if low := r.Bound.Or(math.Inf(-1)); err != nil || low > known.Objective || low > r.Objective {
			t.Errorf("stopped after %d ms: bound %v, objective %v; %v can be reached; %v", k*k/10, r.Bound, r.Objective, known.Objective, err)
		}
	}
}

func TestProgress(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	calls, last := 0, math.Inf(1)
	r, err := Solve(ctx, hard(6, 50, 1), Options{Progress: func(p Progress) {
		calls++
		if p.Objective > last {
			t.Errorf("the incumbent grew from %v to %v", last, p.Objective)
		}
		last = p.Objective
	}})
	if err != nil || calls == 0 || r.Objective > last+1e-6 {
		t.Errorf("%d reports, the last of %v; in the end %v, %v", calls, last, r.Objective, err)
	}
}

// Many runs at the same time, from short-lived goroutines, some cancelled, while the garbage collector works all the time: every result is the
// same as that of a single run.
func TestStress(t *testing.T) {
	const workers, each = 8, 100
	want := map[uint64]Result{}
	for seed := range uint64(20) {
		want[seed] = solved(t, random(seed), Options{})
	}
	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	endless := hard(5, 40, 4)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for k := range each {
				seed := uint64((w*each + k) % 20)
				r, err := Solve(context.Background(), random(seed), Options{})
				if err != nil || r.Status != want[seed].Status || r.Objective != want[seed].Objective {
					t.Errorf("%d: %s, %v, %v; alone %s, %v", seed, r.Status, r.Objective, err, want[seed].Status, want[seed].Objective)
				}
				if k%10 == 9 {
					ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
					r, err := Solve(ctx, endless, Options{})
					cancel()
					if err != nil || r.Status == model.Optimal || r.Values != nil && endless.Violation(r.Values) > Tolerance {
						t.Errorf("cancelled: %s, %v", r.Status, err)
					}
				}
			}
		})
	}
	group.Wait()
	close(stop)
	collector.Wait()
}

// BenchmarkHighsCancellation measures how long Solve takes to return after its context ends. It reports the worst time in ms.
func BenchmarkHighsCancellation(b *testing.B) {
	m := hard(6, 60, 2)
	worst := 0.0
	for b.Loop() {
		for _, after := range []time.Duration{1, 5, 20, 60, 150, 400} {
			worst = max(worst, cancelled(b, m, after*time.Millisecond).Seconds()*1e3)
		}
	}
	b.ReportMetric(worst, "ms-latency")
}
