package proof_test

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// job is a job of the given number of processors and execution time on processors of speed 1.
func job(id string, processors int, work float64, after ...string) model.JobSpec {
	return model.JobSpec{ID: id, Processors: model.Rigid(processors), Work: &work, After: after}
}

// cluster is a cluster of one machine.
func cluster(id string, processors int, speed float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Processors: processors, Speed: speed}}}
}

// built is the instance.
func built(t testing.TB, b *model.Builder) *model.Instance {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// claim is a certificate of one metric.
func claim(in *model.Instance, metric string, bound, step float64, by *proof.Argument) *proof.Certificate {
	objective := map[string]float64{metric: 1}
	if m, _ := model.MetricNamed(metric); m.HighBetter { // to be low
		objective[metric] = -1
	}
	return &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: objective, Bound: model.ProvedBound(bound),
		Parts: []proof.Part{{Metric: metric, Bound: bound, Step: step, By: by}}}
}

// verdict is the verdict on a certificate for the objective that it states.
func verdict(ctx context.Context, in *model.Instance, c *proof.Certificate) proof.Report {
	return proof.Check(ctx, withObjective(in, c), c)
}

// outcome is the verdict on a certificate and a solution for the objective that the certificate states.
func outcome(ctx context.Context, in *model.Instance, c *proof.Certificate, sol *model.Solution) proof.Outcome {
	return proof.CheckSolution(ctx, withObjective(in, c), c, sol)
}

// withObjective is the instance with the objective of the certificate, or with its own where that is none.
func withObjective(in *model.Instance, c *proof.Certificate) *model.Instance {
	if target, err := in.WithObjective(c.Objective); err == nil && len(c.Objective) > 0 {
		return target
	}
	return in
}

// expect verifies that the argument proves exactly the value: it does, and not a little more.
func expect(t *testing.T, in *model.Instance, metric string, value, step float64, by proof.Argument) {
	t.Helper()
	if r := verdict(t.Context(), in, claim(in, metric, value*(1-1e-12), step, &by)); r.Verdict != proof.Verified {
		t.Errorf("%s ≥ %v: %v", metric, value, r)
	}
	if r := verdict(t.Context(), in, claim(in, metric, value*(1+1e-9), step, &by)); r.Verdict != proof.Refuted || r.Step == "" {
		t.Errorf("%s ≥ more than %v: %v", metric, value, r)
	}
}

// workshop is six jobs on 4 and 2 processors with arrivals, a chain and a licence. The first job arrives at 10, from where times count.
func workshop(t testing.TB) *model.Instance {
	b := model.NewBuilder("workshop").Cluster(cluster("big", 4, 1), cluster("small", 2, 2))
	b.Spec().Licences = map[string]int{"l": 2}
	first, second, third := job("a", 1, 3), job("b", 2, 4, "a"), job("c", 3, 5)
	late, last, wide := job("d", 1, 2), job("e", 1, 6, "d"), job("f", 3, 7)
	for _, j := range []*model.JobSpec{&first, &second, &third, &late, &last, &wide} {
		j.Arrival = 10
	}
	late.Arrival = 14
	first.Licences, third.Licences, last.Licences = map[string]int{"l": 1}, map[string]int{"l": 2}, map[string]int{"l": 2}
	return built(t, b.Job(first, second, third, late, last, wide))
}

func TestMakespanByHand(t *testing.T) {
	in := workshop(t)
	prices := []float64{1, 1}
	// a takes 3/2 on the fast cluster, b 4/2: a chain of 3.5. d arrives at 4, and takes 1, e 3.
	expect(t, in, "makespan", 3.5, 0, proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0, 1}}})
	expect(t, in, "makespan", 8, 0, proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{3, 4}}})
	// Areas: 1.5 + 4 + 15 + 1 + 3 + 21 = 45.5 on 6 processors; c and f run on the big cluster alone.
	expect(t, in, "makespan", 45.5/6, 0, proof.Argument{Area: &proof.Area{Prices: prices}})
	// On the big cluster alone only c and f cost something: 36 on 4 processors.
	expect(t, in, "makespan", 9, 0, proof.Argument{Area: &proof.Area{Jobs: []int{2, 5}, Prices: []float64{3, 0}}})
	// c and f do not fit beside each other: 12 with a weight of 1 each.
	wide := [][]proof.Weight{{{Size: 3, Weight: 1}}, {}}
	expect(t, in, "makespan", 12, 0, proof.Argument{Area: &proof.Area{Jobs: []int{2, 5}, Prices: []float64{1, 0}, Weights: wide}})
	// With weights 2 for three processors and 1 for one, 3 fit into four processors.
	mixed := [][]proof.Weight{{{Size: 3, Weight: 2}, {Size: 1, Weight: 1}}, {}}
	expect(t, in, "makespan", 24.0/4, 0, proof.Argument{Area: &proof.Area{Jobs: []int{2, 5}, Prices: []float64{1, 0}, Weights: mixed}})
	// Job d has a head of 4 and a tail of 3, its area is 1 of 6.
	expect(t, in, "makespan", 4+1.0/6+3, 0, proof.Argument{Area: &proof.Area{Jobs: []int{3}, Prices: prices}})
	// Copies of the licence: (1·1.5 + 2·5 + 2·3)/2.
	expect(t, in, "makespan", 8.75, 0, proof.Argument{Area: &proof.Area{Licence: "l"}})
	// Of six jobs on six processors one is alone, the shortest takes 1; of seven two would share one.
	expect(t, in, "makespan", 1, 0, proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: []int{0, 1, 2, 3, 4, 5}}})
	// c holds both copies of the licence for 5, e for 3 from 5 on at the earliest, so that within 8.5 e runs in [5, 8.5] and c
	// in [0, 8.5]: together 8 of 8.5, and a needs half of 1.5.
	if r := verdict(t.Context(), in, claim(in, "makespan", 8.5, 0, &proof.Argument{Energetic: &proof.Energetic{Makespan: 8.5, From: 0, To: 8.5, Licence: "l"}})); r.Verdict != proof.Verified {
		t.Error(r)
	}
	if r := verdict(t.Context(), in, claim(in, "makespan", 8.8, 0, &proof.Argument{Energetic: &proof.Energetic{Makespan: 8.8, From: 0, To: 8.8, Licence: "l"}})); r.Verdict != proof.Refuted {
		t.Error(r)
	}
}

func TestPigeonhole(t *testing.T) {
	b := model.NewBuilder("holes").Cluster(cluster("c", 2, 1))
	for k, work := range []float64{3, 4, 5, 6, 7} {
		b.Job(job(string(rune('a'+k)), 1, work))
	}
	in := built(t, b)
	expect(t, in, "makespan", 9, 0, proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: []int{1, 2, 3}}})
	expect(t, in, "makespan", 12, 0, proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: []int{0, 1, 2, 3, 4}}})
	expect(t, in, "makespan", 11, 0, proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: []int{2, 3, 4}}})
	for _, jobs := range [][]int{{4, 4, 4}, {4, 3, 2}, {3, 4, 5}, {}, nil} {
		by := proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: jobs}}
		if r := verdict(t.Context(), in, claim(in, "makespan", 1, 0, &by)); r.Verdict != proof.Refuted {
			t.Errorf("%v: %v", jobs, r)
		}
	}
}

func TestEnergetic(t *testing.T) {
	b := model.NewBuilder("energy").Cluster(cluster("c", 2, 1))
	in := built(t, b.Job(job("a", 1, 2), job("b", 2, 3, "a"), job("d", 1, 3), job("e", 1, 1, "b")))
	// Within 6.5, b runs in [2, 5.5], so that it holds all of [2.5, 5], and d, which ends at 3 at the earliest, half a unit of it. Before 6 the chain
	// of a, b and e does not end.
	for _, c := range []struct {
		makespan, from, to float64
		want               proof.Verdict
	}{
		{6.5, 2.5, 5, proof.Verified}, {6.5, 2, 5.5, proof.Refuted}, {6.5, 0, 6.5, proof.Refuted}, {5.9, 0, 5.9, proof.Verified},
		{7, 3, 5, proof.Refuted}, {20, 2, 5, proof.Refuted}, {6.5, 5, 2.5, proof.Refuted},
	} {
		by := &proof.Argument{Energetic: &proof.Energetic{Makespan: c.makespan, From: c.from, To: c.to, Prices: []float64{1}}}
		if r := verdict(t.Context(), in, claim(in, "makespan", c.makespan, 0, by)); r.Verdict != c.want {
			t.Errorf("%v: %v", c, r)
		}
	}
}

func TestEachAloneByHand(t *testing.T) {
	in := workshop(t)
	// Ends at the earliest, from the first arrival: a 1.5, b 3.5, c 5, d 5, e 8, f 7; d arrives at 4.
	expect(t, in, "mean_response", (1.5+3.5+5+1+8+7)/6, 0, proof.Argument{EachAlone: &proof.EachAlone{}})
	expect(t, in, "mean_wait", (1.5+5)/6, 0, proof.Argument{EachAlone: &proof.EachAlone{}})
	b := model.NewBuilder("due").Cluster(cluster("c", 2, 1))
	early, exact, tardy := job("a", 1, 3), job("b", 1, 5), job("c", 1, 5)
	early.Deadline, exact.Deadline, tardy.Deadline = new(4.0), new(5.0), new(3.0)
	in = built(t, b.Job(early, exact, tardy))
	expect(t, in, "over_deadline", 2, 0, proof.Argument{EachAlone: &proof.EachAlone{}})
	expect(t, in, "missed", 1, 0, proof.Argument{EachAlone: &proof.EachAlone{}})
}

// What is proved is rounded up to the next multiple of a step, of which all times have to be multiples.
func TestRoundingUp(t *testing.T) {
	area := proof.Argument{Area: &proof.Area{Prices: []float64{1}}}
	for _, c := range []struct {
		unit  float64
		works []float64
		step  float64
		bound float64
		want  proof.Verdict
	}{
		{1, []float64{3, 4, 4}, 1, 6, proof.Verified},
		{1, []float64{3, 4, 4}, 1, 6.0001, proof.Refuted},
		{1, []float64{3, 4, 5}, 1, 6, proof.Verified}, // 12/2 is a whole number already
		{1, []float64{3, 4, 5}, 1, 7, proof.Refuted},
		{1, []float64{3, 4, 4}, 2, 6, proof.Refuted},                      // 3 is no multiple of 2
		{1, []float64{3.5, 4, 4}, 1, 6, proof.Refuted},                    // nor 3.5 of 1
		{0.1, []float64{3, 4, 4}, 0.1, 0.6 * (1 - 1e-12), proof.Verified}, // tenths are not binary
		{0.1, []float64{3, 4, 4}, 0.1, 0.6 * (1 + 1e-9), proof.Refuted},   //
		{1, []float64{3, 4, 3.9999999}, 1, 6, proof.Refuted},              // near is not enough
		{1e9, []float64{3, 4, 4}, 1e9, 6e9, proof.Verified},               //
		{1, []float64{3, 4, 4}, -1, 6, proof.Refuted},                     //
		{1, []float64{3, 4, 4}, 1e-300, 6, proof.Refuted},                 //
	} {
		b := model.NewBuilder("steps").Cluster(cluster("c", 2, 1))
		for k, w := range c.works {
			b.Job(job(string(rune('a'+k)), 1, w*c.unit))
		}
		in := built(t, b)
		if r := verdict(t.Context(), in, claim(in, "makespan", c.bound, c.step, &area)); r.Verdict != c.want {
			t.Errorf("%v: %v", c, r)
		}
	}
	// Arrivals and, for time over deadlines, deadlines count too.
	late, due := job("a", 1, 3), job("b", 1, 4)
	late.Arrival, due.Deadline = 0.5, new(2.25)
	in := built(t, model.NewBuilder("late").Cluster(cluster("c", 1, 1)).Job(late, due))
	for _, c := range []struct {
		metric      string
		bound, step float64
		want        proof.Verdict
	}{
		{"makespan", 7, 1, proof.Refuted}, {"makespan", 7, 0.5, proof.Verified}, {"makespan", 7.5, 0.5, proof.Refuted},
	} {
		if r := verdict(t.Context(), in, claim(in, c.metric, c.bound, c.step, &area)); r.Verdict != c.want {
			t.Errorf("%v: %v", c, r)
		}
	}
	alone := proof.Argument{EachAlone: &proof.EachAlone{}}
	for _, c := range []struct {
		bound, step float64
		want        proof.Verdict
	}{{1.75, 0, proof.Verified}, {1.75, 0.25, proof.Verified}, {2, 0.25, proof.Refuted}, {2, 0.5, proof.Refuted}, {2, 1, proof.Refuted}} {
		if r := verdict(t.Context(), in, claim(in, "over_deadline", c.bound, c.step, &alone)); r.Verdict != c.want {
			t.Errorf("over_deadline: %v: %v", c, r)
		}
	}
}

// A price of 1 a processor in the first two units of time on one processor: the jobs pay 2 at most, and each at least what it pays where it is cheapest
// together with its end.
func TestPricesOverTimeByHand(t *testing.T) {
	in := built(t, model.NewBuilder("prices").Cluster(cluster("c", 1, 1)).Job(job("a", 1, 1), job("b", 1, 1), job("d", 1, 1)))
	prices := func(processor ...float64) proof.Argument {
		return proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 1, 2}, Clusters: []proof.ClusterPrices{{Processor: processor}}}}
	}
	// Prices 2/3 and 1/3 of a mean: a job ends at 1, 2 or 3 and costs 1/3 + 2/3, 2/3 + 1/3, 1: all 1. Together 3, less 1 paid: 2.
	expect(t, in, "mean_response", 2, 0, prices(2.0/3, 1.0/3))
	// Without prices each ends at 1.
	expect(t, in, "mean_response", 1, 0, prices(0, 0))
	// With 1/3 and 0: 2/3, 2/3, 1 for each: 2, less 1/3.
	expect(t, in, "mean_response", 2-1.0/3, 0, prices(1.0/3, 0))
	due := job("a", 2, 2)
	due.Deadline = new(1.0)
	other := job("b", 1, 2)
	other.Deadline = new(2.0)
	in = built(t, model.NewBuilder("sizes").Cluster(cluster("c", 2, 1)).Job(due, other))
	// A price of 1 for both sizes in [0, 2]: only a fits beside nothing, b beside itself once: κ = 1. a pays 2 and is 1 late, or starts at 2 and is
	// 3 late: 3. b pays 2, or is 2 late. 3 + 2 − 2.
	expect(t, in, "over_deadline", 3, 0, proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 2}, Clusters: []proof.ClusterPrices{
		{Processor: []float64{0}, Sizes: []proof.SizePrice{{Size: 1, Price: 1}, {Size: 2, Price: 1}}}}}})
}

// A job pays least where it ends just at its deadline: starting at 3 it pays for 2 of its 4, and before it pays more.
func TestPricesAtTheDeadline(t *testing.T) {
	b := model.NewBuilder("due").Cluster(cluster("c", 1, 1))
	for k := range 4 {
		j := job(string(rune('a'+k)), 1, 4)
		j.Deadline = new(7.0)
		b.Job(j)
	}
	in := built(t, b)
	by := proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 5}, Clusters: []proof.ClusterPrices{{Processor: []float64{0.5}}}}}
	expect(t, in, "over_deadline", 4*1-5*0.5, 0, by)
	if r := verdict(t.Context(), in, claim(in, "over_deadline", 1.5, 0, &by)); r.Verdict != proof.Verified {
		t.Errorf("just what is proved: %v", r)
	}
}

// Times with more digits than the grid has are rounded so that less is proved: what a schedule costs less by than the grid tells apart is not certified.
func TestTimesOnTheGridProveNothingFalse(t *testing.T) {
	const unit, little = 0x1p-38, 0x1p-45 // limits of about 2¹¹ have a grid of 2⁻³⁸
	of := func(arrival, work, deadline float64) *model.Instance {
		first, own := job("first", 1, 1), job("own", 1, work)
		own.Arrival, own.Deadline = arrival, &deadline
		return built(t, model.NewBuilder("grid").Cluster(cluster("c", 2, 1)).Job(first, own))
	}
	by := proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 2047}, Clusters: []proof.ClusterPrices{{Processor: []float64{0}}}}}
	for name, c := range map[string]struct {
		in   *model.Instance
		late float64 // of own, which the other does not delay
	}{
		"time":     {of(0, 1+little, 0.5), 0.5 + little},
		"head":     {of(1+little, 1, 1.5), 0.5 + little},
		"deadline": {of(0, 1, 0.5+little), 0.5 - little},
	} {
		for bound, want := range map[float64]proof.Verdict{c.late - unit: proof.Verified, math.Nextafter(c.late, 1): proof.NotCertified, c.late + 100*unit: proof.Refuted} {
			if r := verdict(t.Context(), c.in, claim(c.in, "over_deadline", bound, 0, &by)); r.Verdict != want {
				t.Errorf("%s: over_deadline ≥ %v, which is %v: %v", name, bound, c.late, r)
			}
		}
	}
}

func TestTheWholeCertificate(t *testing.T) {
	in := workshop(t)
	good := func() *proof.Certificate {
		return claim(in, "makespan", 8, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{3, 4}}})
	}
	for name, c := range map[string]struct {
		change func(*proof.Certificate)
		want   proof.Verdict
	}{
		"as it is":          {func(*proof.Certificate) {}, proof.Verified},
		"another instance":  {func(c *proof.Certificate) { c.InstanceSHA256 = strings.Repeat("0", 64) }, proof.Refuted},
		"another metric":    {func(c *proof.Certificate) { c.Objective = map[string]float64{"mean_wait": 1} }, proof.Refuted},
		"no metric":         {func(c *proof.Certificate) { c.Objective = nil }, proof.Refuted},
		"an unknown metric": {func(c *proof.Certificate) { c.Objective = map[string]float64{"speed": 1} }, proof.Refuted},
		"a smaller weight":  {func(c *proof.Certificate) { c.Objective["makespan"] = 0.99 }, proof.Refuted},
		"a larger bound":    {func(c *proof.Certificate) { c.Bound = model.ProvedBound(8.0001) }, proof.Refuted},
		"no bound":          {func(c *proof.Certificate) { c.Bound = model.Bound{} }, proof.Refuted},
		"a part twice":      {func(c *proof.Certificate) { c.Parts = append(c.Parts, c.Parts[0]) }, proof.Refuted},
		"no part":           {func(c *proof.Certificate) { c.Parts = nil }, proof.Refuted},
		"two arguments":     {func(c *proof.Certificate) { c.Parts[0].By.EachAlone = &proof.EachAlone{} }, proof.Refuted},
		"no argument":       {func(c *proof.Certificate) { c.Parts[0].By = nil }, proof.NotCertified},
		"an empty argument": {func(c *proof.Certificate) { c.Parts[0].By = &proof.Argument{} }, proof.Refuted},
		"a word instead":    {func(c *proof.Certificate) { c.NotCertified = "HiGHS says so" }, proof.NotCertified},
		"a higher bound, stated": {func(c *proof.Certificate) {
			c.Stated, c.NotCertified = model.ProvedBound(9), "HiGHS says so"
		}, proof.NotCertified},
		"a higher bound, stated, and a wrong one": {func(c *proof.Certificate) {
			c.Stated, c.NotCertified, c.Bound = model.ProvedBound(9), "HiGHS says so", model.ProvedBound(8.5)
		}, proof.Refuted},
		"nothing but a word": {func(c *proof.Certificate) {
			c.Stated, c.NotCertified, c.Bound = model.ProvedBound(9), "HiGHS says so", model.Bound{}
		}, proof.NotCertified},
		"a chain that is none": {func(c *proof.Certificate) { c.Parts[0].By.CriticalPath.Jobs = []int{5, 4} }, proof.Refuted},
		"a job twice":          {func(c *proof.Certificate) { c.Parts[0].By.CriticalPath.Jobs = []int{4, 4} }, proof.Refuted},
		"no such job":          {func(c *proof.Certificate) { c.Parts[0].By.CriticalPath.Jobs = []int{6} }, proof.Refuted},
		"less":                 {func(c *proof.Certificate) { c.Bound = model.ProvedBound(7) }, proof.Verified},
		"both":                 {func(c *proof.Certificate) { c.Infeasible = &proof.Infeasible{} }, proof.Refuted},
		"a gain": {func(c *proof.Certificate) {
			c.Objective["utilisation"] = 1.0 / 128 // is worth 100/128 at most
			c.Bound = model.ProvedBound(8 - 100.0/128)
		}, proof.Verified},
		"too small a gain": {func(c *proof.Certificate) {
			c.Objective["utilisation"] = 1.0 / 128
			c.Bound = model.ProvedBound(7.3)
		}, proof.Refuted},
	} {
		certificate := good()
		c.change(certificate)
		if r := verdict(t.Context(), in, certificate); r.Verdict != c.want || r.Verdict == proof.Refuted && r.Step == "" {
			t.Errorf("%s: %v, expected %s", name, r, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	mcp, _ := in.WithObjective(map[string]float64{"mcp": 1})
	if r := verdict(ended, mcp, claim(in, "mcp", 0.1, 0, &proof.Argument{AreaLevels: &proof.AreaLevels{}})); r.Verdict != proof.NotCertified {
		t.Errorf("cut off: %v", r)
	}
}

// What the model allows and an argument does not: the checker does not call such a bound verified.
func TestInstancesThatArgumentsDoNotCover(t *testing.T) {
	three, hard, grid, heavy := job("a", 2, 1), job("h", 1, 5), job("g", 2, 1), job("b", 1, 1)
	heavy.Memory, heavy.Span = 9, "grid"
	small := cluster("c", 3, 1)
	small.Machines[0].Memory = new(8.0)
	three.Tasks, grid.Span = 3, "grid"
	hard.Deadline, hard.DeadlineHard = new(100.0), true
	two := []model.ClusterSpec{cluster("c", 3, 1), cluster("d", 2, 1)}
	loaded := cluster("c", 3, 1)
	loaded.Machines[0].Background = &model.Background{Load: 0.1, Mean: 2}
	mixed := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Speed: 2}, {ID: "n", Speed: 1}}}
	weights := [][]proof.Weight{{{Size: 2, Weight: 1}}, {{Size: 2, Weight: 1}}}
	prices := proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 1}, Clusters: []proof.ClusterPrices{{Processor: []float64{0}}, {Processor: []float64{0}}}}}
	one := proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 1}, Clusters: []proof.ClusterPrices{{Processor: []float64{0}}}}}
	counts := proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}},
		Prices: []proof.JobPrices{{Jobs: []float64{0}, Clusters: []proof.ClusterPrices{{Processor: []float64{0}}}}}}}
	for name, c := range map[string]struct {
		clusters []model.ClusterSpec
		job      model.JobSpec
		metric   string
		step     float64
		by       proof.Argument
		owed     int    // jobs that every schedule owes
		beside   string // another metric of the objective
	}{
		"processors that are released early":          {two, three, "makespan", 0, proof.Argument{Area: &proof.Area{Prices: []float64{1, 1}, Weights: weights}}, 0, ""},
		"a job that may spread":                       {two, grid, "makespan", 0, proof.Argument{Area: &proof.Area{Prices: []float64{1, 1}, Weights: weights}}, 0, ""},
		"prices of time for one that is released":     {two, three, "mean_wait", 0, prices, 0, ""},
		"prices of time for one that may spread":      {two, grid, "over_deadline", 0, prices, 0, ""},
		"rounding the times of one that is released":  {two, three, "makespan", 1, proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}, 0, ""},
		"a job that need not be placed, in a chain":   {two, hard, "makespan", 0, proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}, 0, "missed"},
		"a mean over jobs that need not be placed":    {two, hard, "mean_response", 0, proof.Argument{EachAlone: &proof.EachAlone{}}, 0, "missed"},
		"idle time that background load may fill":     {[]model.ClusterSpec{loaded}, job("a", 1, 1), "mcp", 0, counts, 0, ""},
		"a job that nothing can run, in an interval":  {[]model.ClusterSpec{small}, heavy, "makespan", 0, proof.Argument{Energetic: &proof.Energetic{Makespan: 1, To: 1, Prices: []float64{1}}}, 1, ""},
		"a job that nothing can run, in a box":        {[]model.ClusterSpec{small}, heavy, "mcp", 0, counts, 1, ""},
		"a job that nothing can run, at prices":       {[]model.ClusterSpec{small}, heavy, "mean_response", 0, one, 1, ""},
		"processors of several speeds":                {[]model.ClusterSpec{mixed}, job("a", 1, 1), "mean_slowdown", 0, one, 0, ""},
		"processors of several speeds in an interval": {[]model.ClusterSpec{mixed}, job("a", 1, 1), "makespan", 0, proof.Argument{Energetic: &proof.Energetic{Makespan: 1e-3, To: 1e-3, Prices: []float64{1}}}, 0, ""},
	} {
		in := built(t, model.NewBuilder("odd").Cluster(c.clusters...).Job(c.job))
		certificate := claim(in, c.metric, 1e-3, c.step, &c.by)
		if certificate.Owed = c.owed; c.beside != "" {
			certificate.Objective[c.beside] = 1
		}
		if r := verdict(t.Context(), in, certificate); r.Verdict == proof.Verified || r.Step == "owed" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestOptimal(t *testing.T) {
	hard := job("h", 2, 9)
	hard.Deadline, hard.DeadlineHard = new(12.0), true
	never := job("n", 2, 9)
	never.Deadline, never.DeadlineHard = new(8.0), true
	in := built(t, model.NewBuilder("two").Cluster(cluster("c", 2, 1)).Job(job("a", 1, 4), job("b", 1, 3), hard, never))
	place := func(id, set string, start, end float64) model.Placement {
		processors, _ := model.ParseProcessorSet(set)
		return model.Placement{Job: id, Cluster: "c", Processors: processors, Start: start, End: end}
	}
	left := func(ids ...string) (list []model.Unscheduled) {
		for _, id := range ids {
			list = append(list, model.Unscheduled{Job: id, Reason: "late"})
		}
		return list
	}
	both := []model.Placement{place("a", "0", 0, 4), place("b", "1", 0, 3)}
	all := []model.Placement{place("h", "0-1", 0, 9), place("a", "0", 9, 13), place("b", "1", 9, 12)}
	chain := &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}
	for name, c := range map[string]struct {
		owed    int
		bound   float64
		sol     model.Solution
		verdict proof.Verdict
		why     string
	}{
		"a hard deadline kept another out":     {1, 4, model.Solution{Jobs: both, Unscheduled: left("h", "n")}, proof.Verified, "the solution owes 2 jobs, and at least 1 are proved to be owed: the bound says nothing of it"},
		"only what can never be placed is out": {1, 4, model.Solution{Jobs: all, Unscheduled: left("n")}, proof.Verified, "the bound is below the objective"},
		"a job ends after its hard deadline":   {1, 4, model.Solution{Jobs: append([]model.Placement{place("h", "0-1", 4, 13)}, both...), Unscheduled: left("n")}, proof.Verified, "the solution breaks a rule: hard-deadline job h cluster c [4, 13): the deadline 12 is hard"},
		"it leaves out what must be placed":    {1, 4, model.Solution{Jobs: both[:1], Unscheduled: left("b", "h", "n")}, proof.Verified, "the solution owes 3 jobs, and at least 1 are proved to be owed: the bound says nothing of it"},
		"it breaks a rule":                     {1, 4, model.Solution{Jobs: []model.Placement{both[0], both[0]}, Unscheduled: left("h", "n")}, proof.Verified, "the solution breaks a rule: duplicate-job job a [0, 4): the job is placed more than once"},
		"the bound is refuted":                 {1, 5, model.Solution{Jobs: all, Unscheduled: left("n")}, proof.Refuted, "the bound is refuted"},
		"of schedules that owe none":           {0, 4, model.Solution{Jobs: all, Unscheduled: left("n")}, proof.NotCertified, "the solution owes 1 jobs, and at least 0 are proved to be owed: the bound says nothing of it"},
		"more are owed than by the solution":   {2, 4, model.Solution{Jobs: all, Unscheduled: left("n")}, proof.Refuted, ""},
	} {
		certificate := claim(in, "makespan", c.bound, 0, chain)
		certificate.Owed = c.owed
		if out := outcome(t.Context(), in, certificate, &c.sol); out.Verdict != c.verdict || out.Optimal || out.Why != c.why {
			t.Errorf("%s: %+v", name, out)
		}
	}
	in = built(t, model.NewBuilder("one").Cluster(cluster("c", 2, 1)).Job(job("a", 1, 4), job("b", 1, 3), never))
	claim := func(bound float64) *proof.Certificate {
		c := claim(in, "makespan", bound, 0, chain)
		c.Owed = 1
		return c
	}
	sol := model.Solution{Jobs: both, Unscheduled: left("n")}
	if out := outcome(t.Context(), in, claim(4), &sol); !out.Optimal || *out.Objective != 4 {
		t.Errorf("%+v", out)
	}
	if out := outcome(t.Context(), in, claim(3.9), &sol); out.Optimal || out.Verdict != proof.Verified {
		t.Errorf("%+v", out)
	}
	// A bound whose argument holds and that a solution refutes all the same is not believed: one of them is wrong.
	sol.Jobs[0].End = math.Nextafter(4, 0)
	if out := outcome(t.Context(), in, claim(4), &sol); !out.Optimal {
		t.Errorf("%+v", out)
	}
}

// Work of which a float64 time is a little less than the quotient counts as that time: the bound of the next float64 is false.
func TestAreaOfTimesThatAreRoundedDown(t *testing.T) {
	for _, c := range []struct{ work, speed, above float64 }{
		{1.456770383438463, 1.3853800567911148, 3.1545936646714248}, {0.8196485848060178, 0.8867700736066443, 2.7729237009736964}} {
		b := model.NewBuilder("rounded").Cluster(cluster("c", 1, c.speed))
		for _, id := range []string{"x", "y", "z"} {
			b.Job(model.JobSpec{ID: id, Processors: model.Moldable(1, 2), Tasks: 1, Work: &c.work})
		}
		in := built(t, b)
		optimum := new(big.Rat).Mul(big.NewRat(3, 1), new(big.Rat).SetFloat64(c.work/c.speed))
		if new(big.Rat).SetFloat64(c.above).Cmp(optimum) <= 0 {
			t.Fatalf("%v is not above the optimum", c.above)
		}
		area := &proof.Argument{Area: &proof.Area{Prices: []float64{1}}}
		if r := verdict(t.Context(), in, claim(in, "makespan", c.above, 0, area)); r.Verdict != proof.Refuted {
			t.Errorf("three jobs of %v at speed %v: makespan ≥ %v is %v", c.work, c.speed, c.above, r)
		}
		expect(t, in, "makespan", 3*(c.work/c.speed), 0, *area)
	}
}
