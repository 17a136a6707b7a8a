package model_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// oneMachine is an instance of one processor with the objective and jobs, each as its fields in JSON.
func oneMachine(t testing.TB, objective string, jobs ...string) *model.Instance {
	t.Helper()
	for k := range jobs {
		jobs[k] = fmt.Sprintf(`{"id": "j%d", %s}`, k, jobs[k])
	}
	in, err := readInstance(document(`"objective": `+objective+`,`, `{"id": "c", "machines": [{"id": "m", "cost": 3}]}`, strings.Join(jobs, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// inTurn runs the jobs in the given order, each at once.
func inTurn(in *model.Instance, order ...int) *model.Solution {
	sol, now := &model.Solution{}, 0.0
	for _, j := range order {
		job := &in.Jobs()[j]
		start := max(now, job.Arrival)
		now = model.End(start, in.Duration(j, 0, model.Processors(0)))
		sol.Jobs = append(sol.Jobs, placed(job.ID, "c", "0", start, now))
	}
	return sol
}

// A bound proves what reaches it to a billionth of the smallest term: neither a large weight nor a constant nor the clock widens that.
func TestProvesByTheSmallestTerm(t *testing.T) {
	const jobs = `"work": 6, "deadline": 1700000100, "arrival": 1700000000`
	for _, c := range []struct {
		objective string
		below     float64 // the bound lies below the objective by this
		proves    bool
	}{
		{`{"makespan": 1}`, 0, true}, {`{"makespan": 1}`, 1e-9, true}, {`{"makespan": 1}`, 1e-7, false},
		{`{"over_deadline": 1e6, "mean_wait": 1}`, 0, true}, {`{"over_deadline": 1e6, "mean_wait": 1}`, 1e-6, false}, {`{"over_deadline": 1e18, "mean_wait": 1}`, 3, false},
		{`{"finished": 1e9, "makespan": 1}`, 0, true}, {`{"finished": 1e9, "makespan": 1}`, 11, false}, {`{"finished": 1e9, "makespan": 1}`, 1e-4, false},
		{`{"makespan": 1e9, "mean_wait": 1}`, 1, false}, {`{"makespan": 1e9, "mean_wait": 1}`, 0, true},
		{`{"makespan": 1e-9, "mean_response": 1e9}`, 1e-6, false},
		{`{"missed": 1, "over_deadline": 5}`, 0, true}, {`{"missed": 1, "over_deadline": 5}`, 1e-300, false}, // all terms are 0
		{`{"utilisation": 1}`, 0, true}, {`{"utilisation": 1}`, 1e-6, false}, // 100 % is the most
	} {
		in := oneMachine(t, c.objective, jobs, jobs)
		found := evaluated(t, in, inTurn(in, 0, 1))
		bound := model.ProvedBound(found.Objective - c.below)
		if c.below > 0 && bound.Or(0) == found.Objective {
			bound = model.ProvedBound(math.Nextafter(found.Objective, math.Inf(-1)))
		}
		if found.Proves(bound) != c.proves {
			t.Errorf("%s: the objective is %v, the bound %v: expected proves %t", c.objective, found.Objective, bound, c.proves)
		}
		if found.Proves(model.Bound{}) || found.Refutes(model.Bound{}) || found.Refutes(bound) {
			t.Errorf("%s: no bound proves or refutes something, or %v is refuted", c.objective, bound)
		}
	}
}

// At a weight of 1e16 two schedules have the same objective in double precision, and not in exact numbers.
func TestExactNumbersDecide(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1e16, "mean_wait": 1}`, `"work": 9`, `"work": 1`)
	worse, better := evaluated(t, in, inTurn(in, 0, 1)), evaluated(t, in, inTurn(in, 1, 0))
	if worse.Objective != better.Objective {
		t.Fatalf("double precision tells %v from %v: the test proves nothing", worse.Objective, better.Objective)
	}
	if !better.Below(worse) || worse.Below(better) || worse.Below(worse) {
		t.Error("the comparison does not see the wait")
	}
	least := model.ProvedBound(1e17)
	if worse.Proves(least) || better.Proves(least) || worse.Refutes(least) {
		t.Error("1e17 is said to be the objective of a schedule with a wait")
	}
	if !worse.Proves(model.ProvedBound(math.Nextafter(1e17, math.Inf(1)))) {
		t.Error("a bound above the objective proves nothing")
	}
}

// Where the ends of tenths are rounded at a clock since 1970, that rounding does not keep a proof from its end; where they are exact there is none to allow for.
func TestRoundedEndsAreAllowedFor(t *testing.T) {
	tenth, whole := `"work": 0.1, "arrival": 1700000000.1, "deadline": 1700000000.3`, `"work": 1, "arrival": 1700000000, "deadline": 1700000002`
	late := `"work": 0.1, "arrival": 1700000000.1, "deadline": 1700000000.2`
	for _, c := range []struct {
		objective, job string
		bound          float64
		proves         bool
	}{
		{`{"over_deadline": 1}`, tenth, 0, true},
		{`{"over_deadline": 1}`, whole, 0, true},
		{`{"mean_response": 1e3}`, whole, 1.5e3 - 1e-4, false},
		{`{"mean_response": 1e3}`, tenth, 150 - 1e-2, false}, // more than a millionth
		{`{"missed": 1}`, tenth, 0, true},
		{`{"makespan": 1}`, `"work": 1e-9, "arrival": 1700000000`, 0, false}, // all of it is rounding, and it could be half
		{`{"over_deadline": 1}`, `"work": 0.1, "arrival": 1700000000.1, "deadline": 1700000000.2`, 0, false},
		{`{"makespan": 1e-3, "missed": 1}`, tenth, 0.2e-3 - 1e-11, true},
		{`{"makespan": 1}`, tenth, 0.2 + 1e-6, false}, // above the objective, of durations that are too short
		{`{"makespan": 1}`, whole, 3, true},
	} {
		in := oneMachine(t, c.objective, c.job, c.job)
		found := evaluated(t, in, inTurn(in, 0, 1))
		if found.Proves(model.ProvedBound(c.bound)) != c.proves {
			t.Errorf("%s of %s: the objective is %v, the bound %v: expected proves %t", c.objective, c.job, found.Objective, c.bound, c.proves)
		}
	}
	// The mean partition may change by any amount: nothing of it is rounding.
	unlimited := oneMachine(t, `{"makespan": 1, "mean_partition": 1e-9}`, `"work": 1000.1, "arrival": 123456.7`, `"work": 1000.1, "arrival": 123456.7`)
	if found := evaluated(t, unlimited, inTurn(unlimited, 0, 1)); found.Proves(model.ProvedBound(found.Objective - 1e-10)) {
		t.Errorf("%v is optimal beside a bound that is a tenth of the mean partition lower", found.Objective)
	}
	// In microseconds a third rounds to a quarter, and other schedules to less.
	coarse := oneMachine(t, `{"mean_response": 1}`, `"work": 0.3333, "arrival": 1.7e15`, `"work": 0.3333, "arrival": 1.7e15`)
	if found := evaluated(t, coarse, inTurn(coarse, 0, 1)); found.Proves(model.ProvedBound(found.Objective)) {
		t.Errorf("%v is optimal at a clock too coarse to tell", found.Objective)
	}
	// Seven eighths round to a whole: longer jobs have less idle time than the time rule gives.
	longer := oneMachine(t, `{"idle_time": 1}`, `"work": 0.875, "arrival": 1.7e15`, `"work": 0.25, "arrival": 1700000000000001`)
	if found := evaluated(t, longer, inTurn(longer, 0, 1)); found.Refutes(model.ProvedBound(0.125)) {
		t.Errorf("%v refutes the idle time by the time rule", found.Objective)
	}
	// A time that vanishes beside an end on its deadline is a lateness all the same.
	onto := oneMachine(t, `{"over_deadline": 1e12}`, `"work": 1, "arrival": 1.7e9, "deadline": 1700000001`)
	if found := evaluated(t, onto, inTurn(onto, 0)); found.Doubt(1e-12) < 1 {
		t.Errorf("%v may be off by %v only", found.Objective, found.Doubt(1e-12))
	}
	// One of 1200 jobs waits, or is late, for 2,048 spacings of the clock: less than one for each, but no rounding. A wait of one spacing may be some.
	for wait, proves := range map[float64]bool{0x1p-11: false, 0x1p-22: true} {
		jobs := []string{fmt.Sprintf(`"work": %v, "arrival": 1.7e9`, wait), `"work": 1, "arrival": 1.7e9, "deadline": 1700000001`}
		order := []int{0, 1}
		for k := range 1198 {
			work := []float64{0.1, 1}[min(k, 1)] // the tenth is rounded
			jobs = append(jobs, fmt.Sprintf(`"work": %v, "arrival": %d, "deadline": %d`, work, 1700000010+2*k, 1700000011+2*k))
			order = append(order, k+2)
		}
		for _, metric := range []string{"mean_wait", "over_deadline"} {
			in := oneMachine(t, `{"`+metric+`": 1}`, slices.Clone(jobs)...)
			if found := evaluated(t, in, inTurn(in, order...)); found.Proves(model.ProvedBound(0)) != proves {
				t.Errorf("%s after %v: the objective is %v, expected proves %t", metric, wait, found.Objective, proves)
			}
		}
	}
	in := oneMachine(t, `{"makespan": 1e6, "missed": 0.25}`, late, late)
	if found := evaluated(t, in, inTurn(in, 0, 1)); found.Proves(model.ProvedBound(found.Objective)) {
		t.Errorf("%v is optimal: the rounding of the makespan may hide a missed job", found.Objective)
	}
}

// A right schedule whose durations are a little short does not refute a true bound, by whichever metric; a bound above what they are short of is refuted.
func TestShortDurationsRefuteNoTrueBound(t *testing.T) {
	for _, metric := range []string{"makespan", "mean_response", "mean_wait", "over_deadline", "idle_time", "mcp", "cost", "mean_slowdown", "bounded_slowdown"} {
		in := oneMachine(t, `{"`+metric+`": 1}`, `"work": 1000, "deadline": 10`, `"work": 1000, "deadline": 10`)
		full := evaluated(t, in, inTurn(in, 0, 1))
		const short = 1000 * (1 - 9e-10)
		cut := model.Check(in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, short), placed("j1", "c", "0", short, 2*short)}})
		if !cut.OK() {
			t.Fatal(cut.Violations[0])
		}
		if cut.Refutes(model.ProvedBound(full.Objective)) {
			t.Errorf("%s: a schedule of objective %v refutes the true bound %v", metric, cut.Objective, full.Objective)
		}
		if !cut.Refutes(model.ProvedBound(full.Objective + 1e-3)) {
			t.Errorf("%s: a schedule of objective %v does not refute the bound %v", metric, cut.Objective, full.Objective+1e-3)
		}
	}
	in := oneMachine(t, `{"missed": 1}`, `"work": 1000, "deadline": 999.9999993`, `"work": 1, "deadline": 5000`)
	cut := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, 999.9999995), placed("j1", "c", "0", 2000, 2001)}})
	if cut.Objective != 1 || cut.Refutes(model.ProvedBound(1)) || !cut.Refutes(model.ProvedBound(3)) {
		t.Errorf("missed %v", cut.Objective)
	}
	if early := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, 999.9999993), placed("j1", "c", "0", 2000, 2001)}}); early.Objective != 0 || early.Refutes(model.ProvedBound(1)) {
		t.Errorf("missed %v: a job that a full duration would make late refutes the bound of 1", early.Objective)
	}
}

// Below, Doubt and Proves agree with exact sums over the metrics of whole numbers, for random weights.
func TestComparisonsAgreeWithExactSums(t *testing.T) {
	metrics := []string{"makespan", "over_deadline", "missed", "mean_wait", "idle_time", "cost"}
	rapid.Check(t, func(t *rapid.T) {
		var terms []string
		weights := map[string]float64{}
		for _, m := range rapid.SliceOfNDistinct(rapid.SampledFrom(metrics), 1, 3, rapid.ID[string]).Draw(t, "metrics") {
			weights[m] = rapid.SampledFrom([]float64{1, 3, 1e3, 1e9, 1e16, 1e-6}).Draw(t, "weight")
			terms = append(terms, fmt.Sprintf("%q: %v", m, weights[m]))
		}
		origin := rapid.SampledFrom([]float64{0, 1.7e9, 1.7e15}).Draw(t, "origin")
		var jobs []string
		for range 4 { // four: a mean is exact
			jobs = append(jobs, fmt.Sprintf(`"work": %d, "arrival": %v, "deadline": %v`, rapid.IntRange(0, 9).Draw(t, "work"), origin, origin+float64(rapid.IntRange(1, 30).Draw(t, "deadline"))))
		}
		for k := range jobs {
			jobs[k] = fmt.Sprintf(`{"id": "j%d", %s}`, k, jobs[k])
		}
		in, err := readInstance(document(`"objective": {`+strings.Join(terms, ", ")+`},`, `{"id": "c", "machines": [{"id": "m", "cost": 3}]}`, strings.Join(jobs, ", ")))
		if err != nil {
			t.Fatal(err)
		}
		exact := func(e model.Evaluation) *big.Rat {
			sum := new(big.Rat)
			for m, w := range weights {
				v, _ := e.Metrics.Get(m)
				sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(w), new(big.Rat).SetFloat64(v)))
			}
			return sum
		}
		a, err := model.Evaluate(in, inTurn(in, rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "a")...))
		if err != nil {
			t.Fatal(err)
		}
		b, err := model.Evaluate(in, inTurn(in, rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "b")...))
		if err != nil {
			t.Fatal(err)
		}
		if want := exact(a).Cmp(exact(b)); a.Below(b) != (want < 0) || b.Below(a) != (want > 0) {
			t.Fatalf("%v and %v compare as %d: %v, %v", a.Metrics, b.Metrics, want, a.Below(b), b.Below(a))
		}
		gap := new(big.Rat).Sub(exact(a), new(big.Rat).SetFloat64(b.Objective))
		least := new(big.Rat)
		for m, w := range weights {
			v, _ := a.Metrics.Get(m)
			if x := new(big.Rat).Mul(new(big.Rat).SetFloat64(w), new(big.Rat).SetFloat64(v)); x.Sign() > 0 && (least.Sign() == 0 || x.Cmp(least) < 0) {
				least = x
			}
		}
		if want := gap.Cmp(least.Mul(least, new(big.Rat).SetFloat64(model.Tolerance))) <= 0; a.Proves(model.ProvedBound(b.Objective)) != want {
			t.Fatalf("objective %v, bound %v: expected proves %t", a.Objective, b.Objective, want)
		}
	})
}

// An evaluation may be shared: what it computes on demand is computed once, whoever asks first.
func TestAnEvaluationIsSharedByGoroutines(t *testing.T) {
	in, err := readInstance(document(`"objective": {"makespan": 1, "utilisation": -1, "licence_usage": -1}, "licences": {"l": 2},`,
		`{"id": "c", "machines": [{"id": "m"}]}`, `{"id": "j0", "work": 3, "licences": {"l": 1}}, {"id": "j1", "work": 0.1}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, 3), placed("j1", "c", "0", 3, 3.1)}}
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if evaluation.Proves(model.ProvedBound(-300)) || evaluation.Refutes(model.ProvedBound(-300)) || evaluation.Below(evaluation) {
				t.Error("a bound far below proves or refutes something, or an objective lies below itself")
			}
		})
	}
	all.Wait()
}

// Below compares metric by metric. What it leaves to rounding is 1e-12 of each metric that differs.
func TestBelowAllowsForRounding(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1, "cost": 1, "missed": 1e6, "mean_wait": 0}`, `"work": 10, "deadline": 0`)
	at := func(start, end float64) model.Evaluation {
		return evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", start, end)}})
	}
	a := at(0, 10)
	for _, c := range []struct {
		longer float64
		below  bool
	}{{0, false}, {3e-12, false}, {9.6e-12, false}, {1.04e-11, true}, {1e-9, true}, {1, true}, {-1.04e-11, false}, {-1, false}} {
		if b := at(0, 10+c.longer); a.Below(b) != c.below || b.Below(a) != (c.longer < -1e-11) {
			t.Errorf("longer by %v: below %v, above %v", c.longer, a.Below(b), b.Below(a))
		}
	}
	// Makespans of 10 and 30, costs of 30 and 10: the doubt is that of 30 and 30.
	for above, below := range map[float64]bool{4e-11: false, 5.5e-11: false, 6.5e-11: true} {
		if b := at(30-(10+above)/3, 30); a.Below(b) != below || b.Below(a) {
			t.Errorf("%v above: below %v", above, a.Below(b))
		}
	}
	stated := func(x float64) model.Evaluation { return model.Evaluation{Objective: x} }
	for _, pair := range [][2]model.Evaluation{{stated(1), stated(2)}, {stated(1), a}, {a, stated(1e9)}, {stated(1), stated(math.Inf(1))}, {a, stated(math.Inf(1))}} {
		if !pair[0].Below(pair[1]) || pair[1].Below(pair[0]) || pair[0].Below(pair[0]) {
			t.Errorf("%v and %v", pair[0].Objective, pair[1].Objective)
		}
	}
	if stated(1).Proves(model.ProvedBound(1)) || stated(1).Refutes(model.ProvedBound(2)) || !math.IsInf(stated(1).Doubt(0), 1) {
		t.Error("an objective that was not computed decides")
	}
}

// An infinite objective is above any other, proved by nothing and refutes nothing.
func TestInfiniteObjectives(t *testing.T) {
	in, err := readInstance(document(`"objective": {"qos_penalty": 1, "makespan": 1}, "queueing": {"rate": 1, "period": 2},`,
		`{"id": "c", "machines": [{"id": "m", "queue": {"service_rate": 0.25}}, {"id": "n", "queue": {"service_rate": 4}}]}`, `{"id": "j", "work": 1, "deadline": 100}`))
	if err != nil {
		t.Fatal(err)
	}
	full, free := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "0", 0, 1)}}), evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "1", 0, 1)}})
	if !math.IsInf(full.Objective, 1) || math.IsInf(free.Objective, 0) {
		t.Fatalf("the objectives are %v and %v", full.Objective, free.Objective)
	}
	if !free.Below(full) || full.Below(free) || full.Below(full) || full.Proves(model.ProvedBound(1)) || full.Refutes(model.ProvedBound(1e18)) {
		t.Error("an infinite objective counts as a finite one")
	}
}

// A metric without an exact form is taken with its rounding error against the claim, whichever sign its weight has. Of one job, one piece, one cluster and
// one term that error is 12·2⁻⁵² of the metric, a 2.7-millionth of what a bound may lack.
func TestInexactMetricsAreTakenAgainstTheClaim(t *testing.T) {
	for _, weight := range []float64{1, 0.5, -1, -0.5} {
		in := oneMachine(t, fmt.Sprintf(`{"mean_slowdown": %v}`, weight), `"work": 8`)
		found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 24, 32)}})
		for lacks, proves := range map[float64]bool{1 - 1e-6: false, 1 - 2e-6: false, 1 - 3e-6: true, 0: true} {
			if got := found.Proves(model.ProvedBound(4*weight - 4e-9*lacks*math.Abs(weight))); got != proves {
				t.Errorf("weight %v, lacks %v: proves %v", weight, lacks, got)
			}
		}
	}
}

// Clusters whose weights are all 0, and those without jobs, add nothing to mcp in exact numbers either.
func TestExactPerformanceOfClustersWithoutWeight(t *testing.T) {
	in, err := readInstance(document(`"objective": {"mcp": 1}, "weights": {"idle_time": 1, "makespan": 2, "over_deadline": 4},`,
		`{"id": "a", "machines": [{"id": "m"}]}, {"id": "b", "weights": {"idle_time": 0, "makespan": 0, "over_deadline": 0}, "machines": [{"id": "m"}]}, {"id": "unused", "machines": [{"id": "m"}]}`,
		`{"id": "j", "arrival": 1, "work": 7}, {"id": "k", "arrival": 1, "work": 3, "deadline": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Jobs: []model.Placement{placed("j", "a", "0", 1, 8), placed("k", "b", "0", 1, 4)}}
	found := evaluated(t, in, sol) // cp of a is 2·7/7, and a has one of two jobs
	if !found.Proves(model.ProvedBound(1-0.9999999e-9)) || found.Proves(model.ProvedBound(1-1.0000001e-9)) {
		t.Errorf("mcp is %v", found.Objective)
	}
	if none := evaluated(t, in, &model.Solution{}); none.Objective != 0 || !none.Proves(model.ProvedBound(0)) || none.Proves(model.ProvedBound(-1e-300)) {
		t.Errorf("mcp is %v without jobs", none.Objective)
	}
}

// A schedule that breaks the rules so that a duration is unknown proves and refutes nothing.
func TestUnknownDurationsProveNothing(t *testing.T) {
	in, err := readInstance(document("", `{"id": "a", "machines": [{"id": "m"}]}, {"id": "b", "machines": [{"id": "m"}]}`, `{"id": "j", "runtime": {"a": 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "b", "0", 0, 1)}})
	if found.Proves(model.ProvedBound(1)) || found.Proves(model.ProvedBound(1e9)) || found.Refutes(model.ProvedBound(1e9)) {
		t.Error("a job whose run time is not stated proves or refutes something")
	}
}

// The penalty of the queueing view is taken with twice its rounding in favour of a proof, of which exact numbers take one back.
func TestProofsOfThePenaltyAllowForItsRounding(t *testing.T) {
	in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 1, "period": 1, "k": 0},`,
		`{"id": "c", "machines": [{"id": "m", "queue": {"service_rate": 2, "arrival_variance": 0, "service_variance": 0}}]}`, `{"id": "j", "work": 1, "deadline": 0.99999}`))
	if err != nil {
		t.Fatal(err)
	}
	found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "0", 0, 1)}})
	if want := 1e-14 + 12*0x1p-52*found.Objective; math.Abs(found.Objective-1.00001e-5) > 1e-9 || !near(found.Doubt(7), want) {
		t.Errorf("the penalty is %v, its doubt %v", found.Objective, found.Doubt(7))
	}
	for below, proves := range map[float64]bool{0: true, 1.9e-14: true, 2.1e-14: false, 3.1e-14: false} {
		if got := found.Proves(model.ProvedBound(found.Objective - below)); got != proves {
			t.Errorf("%v below: proves %v", below, got)
		}
	}
}

// The checker refuses a bound above the objective, however few jobs there are, and one of a schedule without jobs never.
func TestBoundsOfOneJobAndOfNone(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1}`, `"work": 8`)
	one := &model.Solution{Bound: model.ProvedBound(9), Jobs: []model.Placement{placed("j0", "c", "0", 0, 8)}}
	none := &model.Solution{Bound: model.ProvedBound(9), Unscheduled: []model.Unscheduled{{Job: "j0", Reason: "no"}}}
	if got, want := violations(model.Check(in, one)), "wrong-bound: the lower bound 9 is above the objective 8"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := violations(model.Check(in, none)); got != "" {
		t.Errorf("nothing is placed, and the bound is refused: %s", got)
	}
}

func TestMost(t *testing.T) {
	in := oneMachine(t, `{"makespan": 1}`, `"work": 8, "input": 2, "output": 3`, `"work": 2, "tasks": 4`)
	want := map[string]float64{"finished": 2, "utilisation": 100, "processor_usage": 100, "licence_usage": 100, "device_utilisation": 100, "data_moved": 5, "work_done": 16}
	for _, m := range model.MetricTable() {
		most, limited := in.Most(m.Name)
		if x, any := want[m.Name]; most != x || limited != any {
			t.Errorf("%s: %v, %v", m.Name, most, limited)
		}
	}
}

// A job counts as one that may be late or not if its end is as far from its deadline as the schedule is short of the rule, and four spacings.
func TestJobsAboutTheirDeadlinesRefuteNothing(t *testing.T) {
	const short, end = 0x1p-28, 8 - 0x1p-28
	for spacings, refutes := range map[float64]bool{3: false, 4: false, 5: true} {
		in := oneMachine(t, `{"missed": 1}`, fmt.Sprintf(`"work": 8, "deadline": %v`, end-short-spacings*0x1p-50))
		found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, end)}})
		if found.Objective != 1 || found.Refutes(model.ProvedBound(1.5)) != refutes {
			t.Errorf("%v spacings: missed %v, refutes %v", spacings, found.Objective, !refutes)
		}
	}
}

// A job that is done when it arrives has no response that rounding could lower: of two jobs at a clock since 1970 it lowers the mean by half as much.
func TestRoundingLowersNoResponseOfZero(t *testing.T) {
	const now = 1.7e9 // the spacing there is 2⁻²²
	in := oneMachine(t, `{"mean_response": 1}`, `"work": 0, "arrival": 1.7e9`, `"work": 0.7, "arrival": 1.7e9`)
	found := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", now, now), placed("j1", "c", "0", now, now+0.7)}})
	for lacks, proves := range map[float64]bool{0: true, 0.9 * 0x1p-22: true, 1.1 * 0x1p-22: false, 1.9 * 0x1p-22: false} {
		if got := found.Proves(model.ProvedBound(found.Objective - lacks)); got != proves {
			t.Errorf("a bound that lacks %v of %v: proves %v", lacks, found.Objective, got)
		}
	}
}
