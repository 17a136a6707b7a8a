package proof_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// refusal is a certificate that is not verified, where it fails, and why.
type refusal struct {
	name    string
	in      *model.Instance
	metric  string
	step    float64
	by      *proof.Argument
	change  func(c *proof.Certificate)
	verdict proof.Verdict
	at, why string
}

// checked verifies the verdict, the step and the reason of each.
func checked(t *testing.T, list []refusal) {
	t.Helper()
	for _, c := range list {
		certificate := claim(c.in, c.metric, 1e-3, c.step, c.by)
		if c.change != nil {
			c.change(certificate)
		}
		if r := verdict(t.Context(), c.in, certificate); r != (proof.Report{Verdict: c.verdict, Step: c.at, Reason: c.why}) {
			t.Errorf("%s: %q %q %q,\nexpected %q %q %q", c.name, r.Verdict, r.Step, r.Reason, c.verdict, c.at, c.why)
		}
	}
}

// plain is two jobs on a cluster of two processors.
func plain(t testing.TB) *model.Instance {
	return built(t, model.NewBuilder("plain").Cluster(cluster("c", 2, 1)).Job(job("a", 1, 2), job("b", 2, 3, "a")))
}

func TestRefusalsOfWholeCertificates(t *testing.T) {
	in := plain(t)
	chain := &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}
	long := strings.Repeat("x", 61)
	checked(t, []refusal{
		{"another instance", in, "makespan", 0, chain, func(c *proof.Certificate) { c.InstanceSHA256 = "0" }, proof.Refuted, "instance_sha256", "the certificate is of another instance: expected " + in.SHA256()},
		{"no metric", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Objective = nil }, proof.Refuted, "objective", "expected at least one metric"},
		{"not a number", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Parts[0].Step = math.NaN() }, proof.Refuted, "parts[0].step", "expected a finite number"},
		{"infeasible and a bound", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Infeasible, c.Parts = &proof.Infeasible{}, nil }, proof.Refuted, "infeasible", "expected no bound beside it"},
		{"infeasible and parts", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Infeasible, c.Bound = &proof.Infeasible{}, model.Bound{} }, proof.Refuted, "infeasible", "expected no bound beside it"},
		{"infeasible for makespan", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Infeasible, c.Bound, c.Parts = &proof.Infeasible{}, model.Bound{}, nil }, proof.Refuted,
			"objective", "only allocations for qos_penalty are known to be infeasible"},
		{"no bound", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Bound = model.Bound{} }, proof.Refuted, "bound", "expected a number"},
		{"only a word", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Bound, c.NotCertified = model.Bound{}, "they say so" }, proof.NotCertified, "not_certified", "they say so"},
		{"a word besides", in, "makespan", 0, chain, func(c *proof.Certificate) { c.NotCertified = "they say so" }, proof.NotCertified, "not_certified", "they say so; verified is a bound of 0.001"},
		{"stated", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Stated = model.ProvedBound(9) }, proof.NotCertified, "not_certified", "; verified is a bound of 0.001"},
		{"a metric twice", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Parts = append(c.Parts, c.Parts[0]) }, proof.Refuted, "parts[1].metric", "expected each metric once, found makespan again"},
		{"too large a bound", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Bound = model.ProvedBound(0.5) }, proof.Refuted, "bound", "the parts add up to 0.001 only"},
		{"far too large", in, "makespan", 0, chain, func(c *proof.Certificate) {
			c.Bound, c.Parts[0].Bound, c.Objective["makespan"] = model.ProvedBound(math.MaxFloat64), -1, 1
		}, proof.Refuted, "bound", "the parts add up to 0 only"},
		{"an open part, and a wrong one", in, "makespan", 0, nil, func(c *proof.Certificate) {
			c.Parts = append(c.Parts, proof.Part{Metric: "mean_wait", Bound: 5, By: chain})
		}, proof.Refuted, "parts[1].by.critical_path", `it bounds makespan, not "mean_wait"`},
		{"an open part", in, "makespan", 0, nil, func(c *proof.Certificate) { c.Parts[0].Method = long }, proof.NotCertified, "parts[0].by", `nothing to check: method "` + long[:60] + `…" gives no certificate`},
		{"a name that is not cut", in, "makespan", 0, nil, func(c *proof.Certificate) { c.Parts[0].Method = long[1:] }, proof.NotCertified, "parts[0].by", `nothing to check: method "` + long[1:] + `" gives no certificate`},
		{"a gain without limit", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Objective = map[string]float64{"mean_wait": -1, "makespan": 1} }, proof.NotCertified,
			"objective", "mean_wait has no largest value that is known"},
		{"a weight of 0", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Objective["mean_wait"] = 0 }, proof.Verified, "", ""},
		{"two arguments", in, "makespan", 0, &proof.Argument{CriticalPath: &proof.CriticalPath{}, EachAlone: &proof.EachAlone{}}, nil, proof.Refuted, "parts[0].by", "expected one argument, found critical_path and each_alone"},
		{"the first and the last", in, "makespan", 0, &proof.Argument{Levels: &proof.Levels{}, CriticalPath: &proof.CriticalPath{}}, nil, proof.Refuted, "parts[0].by", "expected one argument, found critical_path and levels"},
		{"no argument", in, "makespan", 0, &proof.Argument{}, nil, proof.Refuted, "parts[0].by", "expected an argument, found none"},
		{"another metric", in, "mean_wait", 0, &proof.Argument{Area: &proof.Area{}}, nil, proof.Refuted, "parts[0].by.area", `it bounds makespan, not "mean_wait"`},
		{"each alone of what it does not bound", in, "makespan", 0, &proof.Argument{EachAlone: &proof.EachAlone{}}, nil, proof.Refuted, "parts[0].by.each_alone", `it does not bound "makespan"`},
		{"too little", in, "makespan", 0, chain, func(c *proof.Certificate) { c.Parts[0].Bound = 2.5 }, proof.Refuted, "parts[0].by.critical_path", "proves 2, not 2.5"},
	})
}

// An objective is shown in up to 120 bytes.
func TestCertificatesOfAnotherObjective(t *testing.T) {
	in := plain(t)
	cut := 0
	for digits := range 15 {
		weight := "1." + strings.Repeat("5", digits+1)
		text := fmt.Sprintf(`{"makespan":%s,"mean_response":1.2345678,"mean_wait":1.2345678,"missed":1.2345678,"over_deadline":1.2345678}`, weight)
		c := claim(in, "makespan", 1, 0, nil)
		if err := json.Unmarshal([]byte(text), &c.Objective); err != nil {
			t.Fatal(err)
		}
		if len(text) > 120 {
			text = text[:120] + "…"
			cut++
		}
		for of, want := range map[*model.Instance]string{
			in:                   "the certificate is of the objective " + text + `, not of {"makespan":1}: it proves nothing here`,
			withObjective(in, c): "nothing to check: method \"\" gives no certificate",
		} {
			if r := proof.Check(t.Context(), of, c); r.Verdict != proof.NotCertified || r.Reason != want {
				t.Errorf("%s: %v", text, r)
			}
		}
		c.Objective = map[string]float64{"makespan": 1, "mean_wait": 0, "mean_response": float64(digits)}
		if r := proof.Check(t.Context(), in, c); (r.Step == "objective") != (digits > 0) {
			t.Errorf("%v: %v", c.Objective, r)
		}
		more, err := in.WithObjective(map[string]float64{"makespan": 1, "mean_wait": float64(digits)})
		if err != nil {
			t.Fatal(err)
		}
		c.Objective = map[string]float64{"makespan": 1}
		if r := proof.Check(t.Context(), more, c); (r.Step == "objective") != (digits > 0) {
			t.Errorf("of more than %v: %v", c.Objective, r)
		}
	}
	if cut == 0 || cut == 15 {
		t.Errorf("%d are cut: the test says little", cut)
	}
}

func TestRefusalsAboutMakespan(t *testing.T) {
	in := plain(t)
	own := cluster("d", 2, 1)
	own.Licences = map[string]int{"free": 2, "l": 1}
	named := job("a", 1, 2)
	named.Licences = map[string]int{"l": 1, "free": 1, "all": 1}
	names := cluster("c", 2, 1)
	names.Machines[0].Licences = []string{"l", "free", "all"}
	b := model.NewBuilder("licences").Cluster(names, own).Job(named)
	b.Spec().Licences = map[string]int{"l": 2}
	pools := built(t, b)
	hard := job("h", 1, 5)
	hard.Deadline, hard.DeadlineHard = new(100.0), true
	left := built(t, model.NewBuilder("left").Cluster(cluster("c", 2, 1)).Job(hard, job("a", 1, 1)))
	wide := built(t, model.NewBuilder("wide").Cluster(cluster("c", 1<<24, 1)).Job(job("a", 1, 1)))
	early := job("e", 2, 1)
	early.Tasks = 3
	released := built(t, model.NewBuilder("released").Cluster(cluster("c", 2, 1)).Job(early))
	path := func(jobs ...int) *proof.Argument {
		return &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: jobs}}
	}
	area := func(a proof.Area) *proof.Argument { return &proof.Argument{Area: &a} }
	holes := func(jobs ...int) *proof.Argument { return &proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: jobs}} }
	within := func(e proof.Energetic) *proof.Argument { return &proof.Argument{Energetic: &e} }
	var sizes []proof.Weight
	for size := range 8 {
		sizes = append(sizes, proof.Weight{Size: size + 1, Weight: 1})
	}
	one := []float64{1}
	const p, a, h, e = "parts[0].by.critical_path", "parts[0].by.area", "parts[0].by.pigeonhole", "parts[0].by.energetic"
	checked(t, []refusal{
		{"no chain", in, "makespan", 0, path(), nil, proof.Refuted, p + ".jobs", "expected a job"},
		{"no such job", in, "makespan", 0, path(0, 2), nil, proof.Refuted, p + ".jobs[1]", "the instance has no job 2"},
		{"a job that may be left out", left, "makespan", 0, path(0), priced, proof.Refuted, p + ".jobs[0]", "a schedule need not place job 0"},
		{"not in order", in, "makespan", 0, path(1, 0), nil, proof.Refuted, p + ".jobs[1]", "job 0 does not wait for job 1"},
		{"no jobs", in, "makespan", 0, area(proof.Area{Jobs: []int{}, Prices: one}), nil, proof.Refuted, a + ".jobs", "expected a job"},
		{"a job twice", in, "makespan", 0, area(proof.Area{Jobs: []int{1, 1}, Prices: one}), nil, proof.Refuted, a + ".jobs[1]", "expected ascending positions, found 1 after 1"},
		{"a job that may be left out, in an area", left, "makespan", 0, area(proof.Area{Jobs: []int{0}, Prices: one}), priced, proof.Refuted, a + ".jobs[0]", "a schedule need not place job 0"},
		{"a licence and prices", pools, "makespan", 0, area(proof.Area{Prices: []float64{1, 1}, Licence: "l"}), nil, proof.Refuted, a, "expected a licence or prices, found both"},
		{"a licence and weights", pools, "makespan", 0, area(proof.Area{Weights: [][]proof.Weight{{}, {}}, Licence: "l"}), nil, proof.Refuted, a, "expected a licence or prices, found both"},
		{"no such licence", pools, "makespan", 0, area(proof.Area{Licence: "x"}), nil, proof.Refuted, a + ".licence", `the instance has no licence "x"`},
		{"a licence in a pool of a cluster alone", pools, "makespan", 0, area(proof.Area{Licence: "free"}), nil, proof.Verified, "", ""},
		{"a licence that is not limited", pools, "makespan", 0, area(proof.Area{Licence: "all"}), nil, proof.Refuted, a + ".licence", "the licence is not limited"},
		{"too few prices", in, "makespan", 0, area(proof.Area{}), nil, proof.Refuted, a + ".prices", "expected a price for each of 1 clusters, found 0"},
		{"too many prices", in, "makespan", 0, area(proof.Area{Prices: []float64{1, 1}}), nil, proof.Refuted, a + ".prices", "expected a price for each of 1 clusters, found 2"},
		{"a price below 0", pools, "makespan", 0, area(proof.Area{Prices: []float64{1, -1}}), nil, proof.Refuted, a + ".prices[1]", "expected a price of at least 0, found -1"},
		{"too many weights", in, "makespan", 0, area(proof.Area{Prices: one, Weights: [][]proof.Weight{{}, {}}}), nil, proof.Refuted, a + ".weights", "expected weights for each of 1 clusters, found 2"},
		{"a size twice", in, "makespan", 0, area(proof.Area{Prices: one, Weights: [][]proof.Weight{{{Size: 1, Weight: 1}, {Size: 1, Weight: 2}}}}), nil, proof.Refuted, a + ".weights[0][1]", "expected each size once, and sizes of at least 1"},
		{"no size", in, "makespan", 0, area(proof.Area{Prices: one, Weights: [][]proof.Weight{{{Size: 0, Weight: 1}}}}), nil, proof.Refuted, a + ".weights[0][0]", "expected each size once, and sizes of at least 1"},
		{"a weight below 0", in, "makespan", 0, area(proof.Area{Prices: one, Weights: [][]proof.Weight{{{Size: 1, Weight: -1}}}}), nil, proof.Refuted, a + ".weights[0][0].weight", "expected a whole number in [0, 2147483647], found -1"},
		{"weights of a job that is released", released, "makespan", 0, area(proof.Area{Prices: one, Weights: [][]proof.Weight{{{Size: 2, Weight: 1}}}}), nil, proof.Refuted,
			a + ".jobs[0]", "job 0 may release processors early, and weights count it to its end"},
		{"no capacity", in, "makespan", 0, area(proof.Area{Prices: []float64{0}}), nil, proof.Refuted, a, "expected a capacity above 0"},
		{"weights of too many processors", wide, "makespan", 0, area(proof.Area{Prices: one, Weights: [][]proof.Weight{sizes}}), nil, proof.NotCertified,
			a + ".weights[0]", "too many processors and sizes to find what fits"},
		{"just not too many", wide, "makespan", 0, area(proof.Area{Prices: one, Weights: [][]proof.Weight{append([]proof.Weight{sizes[5]}, sizes[:6]...)}}), nil, proof.Refuted,
			a + ".weights[0][6]", "expected each size once, and sizes of at least 1"},
		{"no holes", in, "makespan", 0, holes(), nil, proof.Refuted, h + ".jobs", "expected a job"},
		{"holes not ascending", in, "makespan", 0, holes(1, 0), nil, proof.Refuted, h + ".jobs[1]", "expected ascending positions, found 0 after 1"},
		{"an interval of no length", in, "makespan", 0, within(proof.Energetic{Makespan: 1, From: 1, To: 1, Prices: one}), nil, proof.Refuted, e, "expected an interval, found one from 1 to 1"},
		{"an interval with both", pools, "makespan", 0, within(proof.Energetic{Makespan: 1, To: 1, Prices: []float64{1, 1}, Licence: "l"}), nil, proof.Refuted, e, "expected a licence or prices, found both"},
		{"an interval without a licence", pools, "makespan", 0, within(proof.Energetic{Makespan: 1, To: 1, Licence: "x"}), nil, proof.Refuted, e + ".licence", `the instance has no licence "x"`},
		{"an interval without prices", in, "makespan", 0, within(proof.Energetic{Makespan: 1, To: 1}), nil, proof.Refuted, e + ".prices", "expected a price for each of 1 clusters, found 0"},
		{"an interval of jobs that are released", released, "makespan", 0, within(proof.Energetic{Makespan: 1, To: 1, Prices: one}), nil, proof.NotCertified,
			e, "instances with jobs that may release processors early or choose their number are not covered"},
		{"prices beyond float64", in, "makespan", 0, within(proof.Energetic{Makespan: 5, To: 5, Prices: []float64{math.MaxFloat64}}), nil, proof.Refuted, e,
			"the jobs need a number beyond float64 of a number beyond float64 in the interval: the makespan is not refuted"},
		{"a makespan that is long enough", in, "makespan", 0, within(proof.Energetic{Makespan: 5, To: 5, Prices: one}), nil, proof.Refuted, e, "the jobs need 8 of 10 in the interval: the makespan is not refuted"},
		{"a makespan that is just long enough", built(t, model.NewBuilder("full").Cluster(cluster("c", 2, 1)).Job(job("a", 2, 5))), "makespan", 0, within(proof.Energetic{Makespan: 5, To: 5, Prices: one}), nil,
			proof.Refuted, e, "the jobs need 10 of 10 in the interval: the makespan is not refuted"},
	})
	if r := verdict(t.Context(), wide, claim(wide, "makespan", 1e-30, 0, area(proof.Area{Prices: one}))); r.Verdict != proof.Verified {
		t.Errorf("the work of many processors: %v", r)
	}
}

// A part may bound a metric that the objective does not have.
func TestPartOfAMetricThatTheInstanceDoesNotDefine(t *testing.T) {
	in := plain(t)
	tasks := built(t, model.NewBuilder("tasks").Cluster(cluster("c", 2, 1)).Job(job("a", 1, 2), job("b", 1, 3)))
	by := &proof.Argument{Levels: &proof.Levels{Prices: [][]float64{{0, 0}}, Nodes: []proof.Node{{Prices: []int{0}}}}}
	part := func(c *proof.Certificate) {
		c.Parts = append(c.Parts, proof.Part{Metric: "qos_penalty", Bound: 1, By: by})
	}
	chain := &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}
	const s = "parts[1].by.levels"
	checked(t, []refusal{
		{"no queues", tasks, "makespan", 0, chain, part, proof.Refuted, s, "the instance has no queueing view, or no arrival rate and arrivals that do not give one"},
		{"jobs of two processors", in, "makespan", 0, chain, part, proof.NotCertified, s, "instances with precedence, parallel jobs are not covered"},
	})
}

// priced adds a metric that counts what is left out, so that jobs with hard deadlines need not be placed.
func priced(c *proof.Certificate) { c.Objective["unfinished"] = 1 }

// notCovered are an instance with a job that may be left out, and one with a job that may release a processor early.
func notCovered(t *testing.T) (left, released *model.Instance) {
	hard := job("h", 1, 5)
	hard.Deadline, hard.DeadlineHard = new(100.0), true
	left = built(t, model.NewBuilder("left").Cluster(cluster("c", 2, 1)).Job(hard, job("a", 1, 1)))
	early := job("e", 2, 1)
	early.Tasks = 3
	released = built(t, model.NewBuilder("released").Cluster(cluster("c", 2, 1)).Job(early))
	return left, released
}

func TestRefusalsOfSteps(t *testing.T) {
	in := plain(t)
	left, released := notCovered(t)
	late := job("a", 1, 2)
	late.Deadline = new(1.0)
	missed := built(t, model.NewBuilder("late").Cluster(cluster("c", 2, 1)).Job(late))
	alone := &proof.Argument{EachAlone: &proof.EachAlone{}}
	chain := &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}
	const s = "parts[0].step"
	checked(t, []refusal{
		{"halves of jobs", missed, "missed", 0.5, alone, nil, proof.Refuted, s, "numbers of jobs are whole: expected 1"},
		{"jobs", missed, "missed", 1, alone, nil, proof.Verified, "", ""},
		{"a mean of some", left, "mean_response", 1, alone, priced, proof.NotCertified, s, "a mean over jobs of which some may be left out is not covered"},
		{"mcp", in, "mcp", 1, alone, nil, proof.Refuted, s, `values of "mcp" are not known to be multiples of a step`},
		{"a step below 0", in, "makespan", -1, chain, nil, proof.Refuted, s, "expected a step above 0 and a job"},
		{"jobs that are released", released, "makespan", 1, chain, nil, proof.NotCertified, s, "instances with jobs that may release processors early or choose their number are not rounded up"},
	})
}

func TestErrors(t *testing.T) {
	for want, e := range map[string]proof.Error{"why": {Reason: "why"}, "where: why": {Step: "where", Reason: "why"}} {
		if e.Error() != want {
			t.Errorf("%q, expected %q", e.Error(), want)
		}
	}
}

func TestRefusalsOfPricesOverTime(t *testing.T) {
	in := plain(t)
	_, released := notCovered(t)
	nothing := built(t, model.NewBuilder("nothing").Cluster(cluster("c", 2, 1)).Job(job("a", 1, 0)))
	withDeadline := job("a", 1, 1)
	withDeadline.Deadline = new(1.0)
	late := built(t, model.NewBuilder("late").Cluster(cluster("c", 2, 1)).Job(withDeadline))
	many := func(n int) []float64 {
		limits := make([]float64, n)
		for k := range limits {
			limits[k] = float64(k)
		}
		return limits
	}
	prices := func(limits []float64, processor ...float64) *proof.Argument {
		return &proof.Argument{TimePrices: &proof.TimePrices{Limits: limits, Clusters: []proof.ClusterPrices{{Processor: processor}}}}
	}
	sizes := func(list ...proof.SizePrice) *proof.Argument {
		by := prices([]float64{0, 1}, 0)
		by.TimePrices.Clusters[0].Sizes = list
		return by
	}
	one := []float64{0, 1}
	const s = "parts[0].by.prices_over_time"
	checked(t, []refusal{
		{"jobs that are released", released, "mean_wait", 0, prices(one, 0), nil, proof.NotCertified, s, "waits of jobs that may release processors early or choose their number are not covered"},
		{"slowdowns of jobs that are released", released, "bounded_slowdown", 0, prices(one, 0), nil, proof.NotCertified, s, "slowdowns of jobs whose time is not known, or that take none, are not covered"},
		{"slowdowns of jobs that take no time", nothing, "mean_slowdown", 0, prices(one, 0), nil, proof.NotCertified, s, "slowdowns of jobs whose time is not known, or that take none, are not covered"},
		{"no job without a deadline", late, "slowdown_without_deadline", 0, prices(one, 0), nil, proof.Refuted, s, "no job counts"},
		{"too many limits", in, "over_deadline", 0, prices(many(1<<12+1), 0), nil, proof.NotCertified, s, "more than 32768 jobs or 4096 buckets are not covered"},
		{"not too many limits", in, "over_deadline", 0, prices(many(1<<12), 0), nil, proof.Refuted, s + ".clusters[0].processor", "expected 4095 prices, found 1"},
		{"one limit", in, "over_deadline", 0, prices([]float64{0}), nil, proof.Refuted, s + ".limits", "expected limits from 0 on"},
		{"limits from 1 on", in, "over_deadline", 0, prices([]float64{1, 2}, 0), nil, proof.Refuted, s + ".limits", "expected limits from 0 on"},
		{"a limit below 0", in, "over_deadline", 0, prices([]float64{0, -1}, 0), nil, proof.Refuted, s + ".limits[1]", "expected a time of at least 0"},
		{"no time", nothing, "over_deadline", 0, prices([]float64{0, 0}, 0), nil, proof.Refuted, s + ".limits[1]", "expected ascending limits"},
		{"a limit twice", in, "over_deadline", 0, prices([]float64{0, 1, 1}, 0, 0), nil, proof.Refuted, s + ".limits[2]", "expected ascending limits"},
		{"limits that the grid rounds to one", in, "over_deadline", 0, prices([]float64{0, 1, math.Nextafter(1, 2)}, 0, 0), nil, proof.NotCertified, s + ".limits[2]", "limits that rounding does not tell apart are not covered"},
		{"no first bucket", in, "over_deadline", 0, prices([]float64{0, 0, 1}, 0, 0), nil, proof.Refuted, s + ".limits[1]", "expected ascending limits"},
		{"no clusters", in, "over_deadline", 0, &proof.Argument{TimePrices: &proof.TimePrices{Limits: one}}, nil, proof.Refuted, s + ".clusters", "expected prices for each of 1 clusters, found 0"},
		{"another metric", in, "cost", 0, prices(one, 0), nil, proof.Refuted, s, `it does not bound "cost"`},
		{"a size twice", in, "over_deadline", 0, sizes(proof.SizePrice{Size: 1}, proof.SizePrice{Size: 1}), nil, proof.Refuted, s + ".clusters[0].sizes[1]", "expected each size once, and sizes of at least 1"},
		{"no size", in, "over_deadline", 0, sizes(proof.SizePrice{Size: 0}), nil, proof.Refuted, s + ".clusters[0].sizes[0]", "expected each size once, and sizes of at least 1"},
		{"a price too large", in, "over_deadline", 0, prices(one, 1e150), nil, proof.Refuted, s + ".clusters[0]", "expected prices below 1e+150"},
		{"too little", in, "over_deadline", 0, prices(one, 0), nil, proof.Refuted, s, "proves 0, not 0.001"},
	})
}

func TestRefusalsOfCounts(t *testing.T) {
	in := built(t, model.NewBuilder("counts").Minimise("mcp", 1).Cluster(cluster("c", 1, 1), cluster("d", 1, 1)).Job(job("a", 1, 1), job("b", 1, 1)))
	loaded := func(idle float64) *model.Instance {
		c := cluster("c", 1, 1)
		c.Weights = &model.WeightsSpec{IdleTime: &idle}
		c.Machines[0].Background = &model.Background{Load: 0.1, Mean: 2}
		d := cluster("d", 1, 1)
		d.Weights = &model.WeightsSpec{IdleTime: new(0.0)}
		return built(t, model.NewBuilder("loaded").Cluster(c, d).Job(job("a", 1, 1)))
	}
	many := crowd(t, 1, 9, 9)
	pair := cluster("c", 2, 1)
	pair.Weights = &model.WeightsSpec{OverDeadline: new(0.0), Makespan: new(1.0), IdleTime: new(0.0)}
	both := built(t, model.NewBuilder("both").Cluster(pair).Job(job("a", 1, 1), job("b", 1, 1)))
	quick := built(t, model.NewBuilder("quick").Cluster(cluster("c", 1, 1)).Job(job("a", 1, 0)))
	free := []proof.ClusterPrices{{Processor: []float64{2}}, {Processor: []float64{2}}}
	counts := func(change func(c *proof.Counts)) *proof.Argument {
		c := &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}}, Prices: []proof.JobPrices{{Jobs: []float64{0, 0}, Clusters: free}}}
		change(c)
		return &proof.Argument{Counts: c}
	}
	split := func(s proof.Split) func(*proof.Counts) {
		return func(c *proof.Counts) { c.Nodes = []proof.Node{{Split: &s}, {Prices: []int{0}}, {Prices: []int{0}}} }
	}
	const s = "parts[0].by.counts"
	checked(t, []refusal{
		{"idle time beside background load", loaded(1), "mcp", 0, counts(func(*proof.Counts) {}), nil, proof.NotCertified, s, "idle time beside background load is not covered"},
		{"background load, and no weight of idle time", loaded(0), "mcp", 0, counts(func(*proof.Counts) {}), nil, proof.Refuted, s + ".prices[0]", "expected prices of 1 jobs and 2 clusters, found 2 and 2"},
		{"no prices of a cluster", in, "mcp", 0, counts(func(c *proof.Counts) { c.Prices[0].Clusters = free[:1] }), nil, proof.Refuted, s + ".prices[0]", "expected prices of 2 jobs and 2 clusters, found 2 and 1"},
		{"too many prices of time", in, "mcp", 0, counts(func(c *proof.Counts) { c.Prices[0].Clusters = []proof.ClusterPrices{{Processor: []float64{2}}, {}} }), nil, proof.Refuted,
			s + ".prices[0].clusters[1].processor", "expected 1 prices, found 0"},
		{"a price too large", in, "mcp", 0, counts(func(c *proof.Counts) { c.Prices[0].Jobs = []float64{0, -1e150} }), nil, proof.Refuted, s + ".prices[0].jobs[1]", "expected a price below 1e+150"},
		{"a price of time too large", in, "mcp", 0, counts(func(c *proof.Counts) {
			c.Prices[0].Clusters = []proof.ClusterPrices{{Processor: []float64{2}}, {Processor: []float64{1e150}}}
		}), nil, proof.Refuted, s + ".prices[0].clusters[1]", "expected prices below 1e+150"},
		{"a price too large for all processors", many, "mcp", 0, &proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}},
			Prices: []proof.JobPrices{{Jobs: make([]float64, 9), Clusters: []proof.ClusterPrices{{Processor: []float64{9e149}}}}}}}, nil, proof.Refuted, s + ".prices[0]", "expected prices below 1e+150"},
		{"a price just too large for two processors", both, "mcp", 0, &proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}},
			Prices: []proof.JobPrices{{Jobs: make([]float64, 2), Clusters: []proof.ClusterPrices{{Processor: []float64{5e149}}}}}}}, nil, proof.Refuted, s + ".prices[0]", "expected prices below 1e+150"},
		{"prices too large for short times", quick, "mcp", 0, &proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1e-200}, Nodes: []proof.Node{{Prices: []int{0}}},
			Prices: []proof.JobPrices{{Jobs: []float64{-1e140}, Clusters: free[:1]}}}}, nil, proof.Refuted, s + ".prices[0]", "prices too large to be added up"},
		{"no tree", in, "mcp", 0, counts(func(c *proof.Counts) { c.Nodes = nil }), nil, proof.Refuted, s + ".nodes", "expected a root"},
		{"a node without a parent", in, "mcp", 0, counts(func(c *proof.Counts) { c.Nodes = append(c.Nodes, proof.Node{}) }), nil, proof.Refuted, s + ".nodes[1]", "no node before it has it as its child"},
		{"no such prices", in, "mcp", 0, counts(func(c *proof.Counts) { c.Nodes[0].Prices = []int{0, 1} }), nil, proof.Refuted, s + ".nodes[0].prices[1]", "there are no prices 1"},
		{"loads and a split", in, "mcp", 0, counts(func(c *proof.Counts) { c.Nodes[0].Split, c.Nodes[0].Loads = &proof.Split{}, []proof.Loads{} }), nil, proof.Refuted, s + ".nodes[0]", "expected a split or loads, found both"},
		{"a child that is no node", in, "mcp", 0, counts(split(proof.Split{What: "jobs", Low: 1, High: 3})), nil, proof.Refuted, s + ".nodes[0].split.high", "expected a later node that has no parent yet, found 3"},
		{"a child that has a parent", in, "mcp", 0, counts(split(proof.Split{What: "jobs", Low: 1, High: 1})), nil, proof.Refuted, s + ".nodes[0].split.high", "expected a later node that has no parent yet, found 1"},
		{"a node that is its own child", in, "mcp", 0, counts(split(proof.Split{What: "jobs", Low: 0, High: 1})), nil, proof.Refuted, s + ".nodes[0].split.low", "expected a later node that has no parent yet, found 0"},
		{"a split of no cluster", in, "mcp", 0, counts(split(proof.Split{What: "jobs", Of: 2, Low: 1, High: 2})), nil, proof.Refuted, s + ".nodes[0].split.of", "the instance has no cluster 2"},
		{"a split of loads", in, "mcp", 0, counts(split(proof.Split{What: "load", Low: 1, High: 2})), nil, proof.Refuted, s + ".nodes[0].split.what", "expected jobs or bucket"},
		{"an open box", in, "mcp", 0, counts(func(c *proof.Counts) { c.Nodes = []proof.Node{{}} }), nil, proof.Refuted, s + ".nodes[0]", "something that may cost less than the bound is left of its box: expected more prices, or a split"},
	})
}

func TestRefusalsOfAreaLevels(t *testing.T) {
	by := &proof.Argument{AreaLevels: &proof.AreaLevels{}}
	clusters := func(n int, jobs ...model.JobSpec) *model.Instance {
		b := model.NewBuilder("many").Minimise("mcp", 1)
		for c := range n {
			b.Cluster(cluster(string(rune('a'+c)), 1, 1))
		}
		return built(t, b.Job(jobs...))
	}
	many := make([]model.JobSpec, 148)
	for j := range many {
		many[j] = job(strings.Repeat("x", j+1), 1, 1)
	}
	idle := cluster("c", 1, 1)
	idle.Weights = &model.WeightsSpec{Makespan: new(0.0)}
	const s = "parts[0].by.area_levels"
	checked(t, []refusal{
		{"too many clusters", clusters(21, job("a", 1, 1)), "mcp", 0, by, nil, proof.NotCertified, s, "too many clusters and jobs"},
		{"too many clusters for the jobs", clusters(12, many...), "mcp", 0, by, nil, proof.NotCertified, s, "too many clusters and jobs"},
		{"not too many clusters", clusters(12, many[:9]...), "mcp", 0, by, nil, proof.Verified, "", ""},
		{"no work", clusters(1, job("a", 1, 0)), "mcp", 0, by, nil, proof.Refuted, s, "proves 0, not 0.001"},
		{"no weight of the makespan", built(t, model.NewBuilder("idle").Minimise("mcp", 1).Cluster(idle).Job(job("a", 1, 1))), "mcp", 0, by, nil, proof.Refuted, s, "proves 0, not 0.001"},
	})
}

func TestRefusalsOfPartitions(t *testing.T) {
	clusters := func(n, jobs int) *model.Instance {
		b := model.NewBuilder("few").Minimise("mcp", 1)
		for c := range n {
			b.Cluster(cluster(string(rune('a'+c)), 1, 1))
		}
		for j := range jobs {
			b.Job(job(strings.Repeat("x", j+1), 1, 1))
		}
		return built(t, b)
	}
	by := func(orders int, functions ...[][]proof.Weight) *proof.Argument {
		a := &proof.Partitions{Orders: orders}
		for _, f := range functions {
			a.Functions = append(a.Functions, proof.SizeFunction{Weights: f})
		}
		return &proof.Argument{Partitions: a}
	}
	two := clusters(2, 2)
	idle := cluster("c", 1, 1)
	idle.Machines[0].Background, idle.Weights = &model.Background{Load: 0.1, Mean: 2}, &model.WeightsSpec{IdleTime: new(1.0)}
	const s = "parts[0].by.partitions"
	checked(t, []refusal{
		{"proved", two, "mcp", 0, by(2, [][]proof.Weight{{{Size: 1, Weight: 1}}, {}}), nil, proof.Verified, "", ""},
		{"too many jobs", clusters(1, 17), "mcp", 0, by(0), nil, proof.NotCertified, s, "too many jobs, clusters and functions"},
		{"too many clusters for the jobs", clusters(7, 16), "mcp", 0, by(0), nil, proof.NotCertified, s, "too many jobs, clusters and functions"},
		{"sets too large", two, "mcp", 0, by(9), nil, proof.NotCertified, s + ".orders", "more than 8 jobs in all orders are not covered"},
		{"no weights", two, "mcp", 0, by(0, nil), nil, proof.Refuted, s + ".functions[0].weights", "expected weights"},
		{"weights of one cluster", two, "mcp", 0, by(0, [][]proof.Weight{{}}), nil, proof.Refuted, s + ".functions[0].weights", "expected weights for each of 2 clusters, found 1"},
		{"a size twice", two, "mcp", 0, by(0, [][]proof.Weight{{{Size: 1}, {Size: 1}}, {}}), nil, proof.Refuted, s + ".functions[0].weights[0][1]", "expected each size once, and sizes of at least 1"},
		{"idle time beside background load", built(t, model.NewBuilder("load").Minimise("mcp", 1).Cluster(idle).Job(job("a", 1, 1))), "mcp", 0, by(0), nil, proof.NotCertified, s, "idle time beside background load is not covered"},
	})
}

// The file may list a job before those that it waits for.
func TestJobsInAnyOrder(t *testing.T) {
	in := built(t, model.NewBuilder("order").Cluster(cluster("c", 1, 1)).Job(job("c", 1, 4, "b"), job("b", 1, 2, "a"), job("a", 1, 1)))
	expect(t, in, "makespan", 7, 0, proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{2, 1, 0}}})
	expect(t, in, "makespan", 7, 0, proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: []int{1}}}) // its head is 1, its tail 4
	expect(t, in, "mean_response", (1+3+7)/3.0, 0, proof.Argument{EachAlone: &proof.EachAlone{}})
}

// What earlier jobs hold is not covered: no file states it.
func TestCommitmentsAreNotCovered(t *testing.T) {
	whole := built(t, model.NewBuilder("held").Cluster(cluster("c", 2, 1)).Job(job("a", 1, 1), job("b", 1, 2)))
	in := whole.Batch([]int{1}, []float64{0}, []model.Hold{{Job: &whole.Jobs()[0], End: 1, Pieces: []model.HoldPiece{{Cluster: 0, Processors: model.Processors(0), End: 1}}}})
	checked(t, []refusal{{"held processors", in, "makespan", 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}, nil, proof.NotCertified, "",
		"instances with processors that earlier jobs hold are not covered"}})
}

// What a certificate says of a solution.
func TestOutcomesOfSolutions(t *testing.T) {
	may, never := job("may", 1, 1), job("never", 1, 5)
	may.Deadline, may.DeadlineHard, never.Deadline, never.DeadlineHard = new(9.0), true, new(3.0), true
	in := built(t, model.NewBuilder("left").Cluster(cluster("c", 1, 1)).Job(job("must", 1, 2), may, never, job("behind", 1, 1, "never")))
	run := func(id string, start, end float64) model.Placement {
		return model.Placement{Job: id, Cluster: "c", Processors: model.Processors(0), Start: start, End: end}
	}
	out := func(ids ...string) (list []model.Unscheduled) {
		for _, id := range ids {
			list = append(list, model.Unscheduled{Job: id, Reason: "why"})
		}
		return list
	}
	all := model.Solution{Jobs: []model.Placement{run("must", 0, 2), run("may", 2, 3)}, Unscheduled: out("never", "behind")}
	chain := &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}
	two := 100.0 / 3
	uncertain := proof.Report{Verdict: proof.NotCertified, Step: "parts[0].by", Reason: `nothing to check: method "" gives no certificate`}
	few, without := model.Solution{Jobs: all.Jobs[:1], Unscheduled: out("may", "never", "behind")}, model.Solution{Jobs: []model.Placement{run("may", 0, 1)}, Unscheduled: out("must", "never", "behind")}
	for _, c := range []struct {
		name   string
		priced float64 // the weight of what is left out
		owed   int
		bound  float64
		by     *proof.Argument
		sol    model.Solution
		want   proof.Outcome
		cost   float64
		gap    *float64
	}{
		{"below", 0, 2, 2, chain, all, proof.Outcome{Report: proof.Report{Verdict: proof.Verified}, Why: "the bound is below the objective"}, 3, &two},
		{"of schedules that owe less", 0, 1, 2, chain, all, proof.Outcome{Report: proof.Report{Verdict: proof.NotCertified, Step: "owed", Reason: "every schedule owes at least 2 jobs, and the bound is of those that owe 1"},
			Why: "the solution owes 2 jobs, and at least 1 are proved to be owed: the bound says nothing of it"}, 3, nil},
		{"of schedules that owe more", 0, 3, 2, chain, all, proof.Outcome{Report: proof.Report{Verdict: proof.Refuted, Step: "owed", Reason: "the solution owes 2 jobs"}}, 3, nil},
		{"no bound that is known", 0, 2, 2, nil, all, proof.Outcome{Report: uncertain, Why: "the bound is not certified"}, 3, nil},
		{"a job that is owed", 0, 2, 2, chain, few, proof.Outcome{Report: proof.Report{Verdict: proof.Verified}, Why: "the solution owes 3 jobs, and at least 2 are proved to be owed: the bound says nothing of it"}, 2, nil},
		{"a job that need not be placed", 1e-9, 1, 2, chain, few, proof.Outcome{Report: proof.Report{Verdict: proof.Verified}, Why: "the bound is below the objective"}, 2 + 3e-9, new(100 * 3e-9 / (2 + 3e-9))},
		{"a job that need not be placed, and counts", 1e-9, 1, 2 + 3e-9, chain, few, proof.Outcome{Report: proof.Report{Verdict: proof.Refuted, Step: "bound", Reason: "the parts add up to 2 only"}, Why: "the bound is refuted"}, 2 + 3e-9, nil},
		{"a job that has to be placed", 1e-9, 1, 2, chain, without, proof.Outcome{Report: proof.Report{Verdict: proof.Verified}, Why: "the solution owes 2 jobs, and at least 1 are proved to be owed: the bound says nothing of it"}, 1 + 3e-9, nil},
		{"what cannot be placed", 0, 2, 3, nil, all, proof.Outcome{Report: uncertain, Why: "the bound is not certified"}, 3, nil},
		{"refuted", 0, 2, 4, chain, all, proof.Outcome{Report: proof.Report{Verdict: proof.Refuted, Step: "bound", Reason: "the solution costs less than the bound"}}, 3, nil},
		{"wrong", 0, 2, 2, chain, model.Solution{Jobs: []model.Placement{run("must", 0, 1)}, Unscheduled: out("may", "never", "behind")},
			proof.Outcome{Report: proof.Report{Verdict: proof.Verified}, Wrong: true}, 0, nil},
	} {
		stated := claim(in, "makespan", c.bound, 0, c.by)
		if stated.Owed = c.owed; c.priced != 0 {
			stated.Objective["unfinished"], stated.Parts[0].Bound = c.priced, 2
		}
		got := outcome(t.Context(), in, stated, &c.sol)
		objective, gap, why := got.Objective, got.Gap, got.Why
		if got.Objective, got.Gap = nil, nil; got.Wrong {
			got.Why = ""
		}
		if got != c.want || !got.Wrong && (objective == nil || math.Abs(*objective-c.cost) > 1e-15) || (gap == nil) != (c.gap == nil) || gap != nil && math.Abs(*gap-*c.gap) > 1e-9 {
			t.Errorf("%s: %+v %q, expected %+v", c.name, got, why, c.want)
		}
		if got.Wrong && !strings.HasPrefix(why, "the solution breaks a rule: ") {
			t.Errorf("%s: %q", c.name, why)
		}
	}
	short := model.Solution{Jobs: []model.Placement{run("must", 0, 2)}, Unscheduled: out("never", "behind")}
	sure := built(t, model.NewBuilder("few").Cluster(cluster("c", 1, 1)).Job(job("must", 1, 2), never, job("behind", 1, 1, "never")))
	of := func(in *model.Instance, owed int) *proof.Certificate {
		c := claim(in, "makespan", 2, 0, chain)
		c.Owed = owed
		return c
	}
	if got := outcome(t.Context(), sure, of(sure, 2), &short); !got.Optimal || got.Why != "" {
		t.Errorf("what cannot be placed is left out: %+v", got)
	}
	// Where the objective counts what is left out, it alone says what a job with a hard deadline is worth.
	fewer := claim(in, "makespan", 3, 0, chain)
	fewer.Objective["finished"], fewer.Owed, fewer.Parts[0].Bound = -1, 1, 2
	fewer.Parts = append(fewer.Parts, proof.Part{Metric: "finished", Bound: 1, By: &proof.Argument{EachAlone: &proof.EachAlone{}}})
	if got := outcome(t.Context(), in, fewer, &few); !got.Optimal || got.Why != "" {
		t.Errorf("a job is left out that is better left out: %+v", got)
	}
	stated := short
	stated.Minimised = map[string]float64{"mean_wait": 1}
	if got := proof.CheckSolution(t.Context(), sure, of(sure, 2), &stated); got.Why != "the certificate is of another objective" || got.Optimal || got.Verdict != proof.NotCertified || got.Wrong {
		t.Errorf("a solution for another objective: %+v", got)
	}
	stated.Minimised = map[string]float64{"nothing": 1}
	if got := proof.CheckSolution(t.Context(), sure, of(sure, 2), &stated); !got.Wrong || got.Verdict != proof.Verified || !strings.HasPrefix(got.Why, "the solution breaks a rule: minimised: ") {
		t.Errorf("an objective that is none: %+v", got)
	}
	other := claim(in, "makespan", 2, 0, chain)
	other.InstanceSHA256 = "0"
	if got := outcome(t.Context(), in, other, &all); got.Verdict != proof.Refuted || got.Step != "instance_sha256" || got.Objective != nil || got.Why != "" {
		t.Errorf("another instance: %+v", got)
	}
}
