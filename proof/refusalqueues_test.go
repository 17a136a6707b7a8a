package proof_test

import (
	"context"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// two is two tasks on two machines that are alike and one that is not. A machine takes two tasks in the period at most.
func two(t testing.TB, change func(b *model.Builder)) *model.Instance {
	b := model.NewBuilder("two").Minimise("qos_penalty", 1)
	queue := func(rate float64) *model.QueueSpec {
		return &model.QueueSpec{ServiceRate: rate, ArrivalVariance: new(2.0), ServiceVariance: new(0.0)}
	}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Queue: queue(0.25)}, {ID: "n", Queue: queue(0.25)}}})
	first, second := job("a", 1, 4), job("b", 1, 4)
	first.Deadline, second.Deadline = new(2.0), new(1.0)
	b.Job(first, second)
	b.Spec().Queueing = &model.QueueingSpec{Rate: 0.2, Period: 10}
	change(b)
	return built(t, b)
}

func TestRefusalsOfLevels(t *testing.T) {
	in := two(t, func(*model.Builder) {})
	hard := two(t, func(b *model.Builder) { b.Spec().Jobs[0].Deadline, b.Spec().Jobs[0].DeadlineHard = new(5.0), true })
	wide := two(t, func(b *model.Builder) { b.Spec().Jobs[0].Processors = model.Rigid(2) })
	later := two(t, func(b *model.Builder) { b.Spec().Jobs[1].Arrival, b.Spec().Jobs[1].Deadline = 1, new(2.0) })
	none := two(t, func(b *model.Builder) { b.Spec().Queueing, b.Spec().Objective = nil, nil })
	endless := two(t, func(b *model.Builder) {
		b.Spec().Jobs[0].Work, b.Spec().Jobs[1].Work = new(0.0), new(0.0)
		b.Spec().Clusters[0].Machines[1].Queue = nil
	})
	lone := two(t, func(b *model.Builder) { b.Spec().Jobs = b.Spec().Jobs[:1] })
	levels := func(change func(l *proof.Levels)) *proof.Argument {
		l := &proof.Levels{Prices: [][]float64{{0, 0}}, Nodes: []proof.Node{{Prices: []int{0}}}}
		change(l)
		return &proof.Argument{Levels: l}
	}
	same := func(*proof.Levels) {}
	loads := func(list ...proof.Loads) func(*proof.Levels) {
		return func(l *proof.Levels) { l.Nodes[0].Loads = list }
	}
	raise := func(c *proof.Certificate) { c.Bound, c.Parts[0].Bound = model.ProvedBound(100), 100 }
	split := func(s proof.Split) func(*proof.Levels) {
		return func(l *proof.Levels) { l.Nodes = []proof.Node{{Split: &s}, {Prices: []int{0}}, {Prices: []int{0}}} }
	}
	const s = "parts[0].by.levels"
	checked(t, []refusal{
		{"as it is", in, "qos_penalty", 0, levels(same), nil, proof.Verified, "", ""},
		{"a task with a hard deadline", hard, "qos_penalty", 0, levels(same), nil, proof.Refuted, s + ".nodes[0].loads",
			"the loads [1 0 1] may cost less than the bound at the prices of the node, and are not listed"},
		{"a task that may be left out", hard, "qos_penalty", 0, levels(same), priced, proof.NotCertified, s, "instances with jobs that may be left out are not covered"},
		{"a task that arrives later", later, "qos_penalty", 0, levels(same), nil, proof.Verified, "", ""},
		{"a task of two processors", wide, "qos_penalty", 0, levels(same), nil, proof.NotCertified, s, "instances with parallel jobs are not covered"},
		{"no queues", none, "qos_penalty", 0, levels(same), nil, proof.Refuted, "objective", "queueing.rate: expected an arrival rate, because the objective qos_penalty needs one and the arrivals of the jobs do not give it"},
		{"one task", lone, "qos_penalty", 0, levels(func(l *proof.Levels) { l.Prices[0] = []float64{0} }), nil, proof.Verified, "", ""},
		{"no finite rate", endless, "qos_penalty", 0, levels(same), nil, proof.NotCertified, s, "machines without a finite service rate or variance are not covered"},
		{"too few prices", in, "qos_penalty", 0, levels(func(l *proof.Levels) { l.Prices[0] = []float64{0} }), nil, proof.Refuted, s + ".prices[0]", "expected prices of 2 tasks, found 1"},
		{"a price too large", in, "qos_penalty", 0, levels(func(l *proof.Levels) { l.Prices[0] = []float64{0, -1e150} }), nil, proof.Refuted, s + ".prices", "expected prices below 1e+150"},
		{"a price of a place too large", in, "qos_penalty", 0, levels(loads(proof.Loads{At: []int{0, 0, 0}, Places: []float64{0, 0, 1e150}})), nil, proof.Refuted, s + ".prices", "expected prices below 1e+150"},
		{"no such prices of the root", in, "qos_penalty", 0, levels(func(l *proof.Levels) { l.Root = []int{0, 1} }), raise, proof.Refuted, s + ".root[1]", "there are no prices 1"},
		{"no such prices of the root, which is closed", in, "qos_penalty", 0, levels(func(l *proof.Levels) { l.Root = []int{0, 1} }), nil, proof.Refuted, s + ".root[1]", "there are no prices 1"},
		{"the root is closed", in, "qos_penalty", 0, levels(func(l *proof.Levels) { l.Root, l.Nodes = []int{0, 0}, []proof.Node{{}} }), nil, proof.Verified, "", ""},
		{"no such machine", in, "qos_penalty", 0, levels(split(proof.Split{What: "load", Of: 3, Low: 1, High: 2})), raise, proof.Refuted, s + ".nodes[0].split", `expected the load of a machine, found "load" of 3`},
		{"a split of jobs", in, "qos_penalty", 0, levels(split(proof.Split{What: "jobs", Of: 0, Low: 1, High: 2})), raise, proof.Refuted, s + ".nodes[0].split", `expected the load of a machine, found "jobs" of 0`},
		{"neither prices nor a split", in, "qos_penalty", 0, levels(func(l *proof.Levels) { l.Nodes = []proof.Node{{}} }), raise, proof.Refuted, s + ".nodes[0].prices", "expected prices, or a split"},
		{"too few loads", in, "qos_penalty", 0, levels(loads(proof.Loads{At: []int{0, 0}, Places: []float64{0, 0, 0}})), raise, proof.Refuted, s + ".nodes[0].loads[0]", "expected 3 loads and prices of places, found 2 and 3"},
		{"too few places", in, "qos_penalty", 0, levels(loads(proof.Loads{At: []int{0, 0, 0}, Places: []float64{0, 0}})), raise, proof.Refuted, s + ".nodes[0].loads[0]", "expected 3 loads and prices of places, found 3 and 2"},
		{"loads that are not listed", in, "qos_penalty", 0, levels(same), raise, proof.Refuted, s + ".nodes[0].loads", "the loads [0 0 2] may cost less than the bound at the prices of the node, and are not listed"},
		{"loads that are cheap", in, "qos_penalty", 0, levels(loads(proof.Loads{At: []int{0, 0, 2}, Places: []float64{0, 0, 0}})), raise, proof.Refuted,
			s + ".nodes[0].loads", "the loads [0 0 2] may cost less than the bound at the prices of their places"},
	})
}

// A check whose context has ended says so, and where.
func TestTreesAreCutOff(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	in := two(t, func(*model.Builder) {})
	counts := proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Prices: []int{0}}},
		Prices: []proof.JobPrices{{Jobs: []float64{0}, Clusters: []proof.ClusterPrices{{Processor: []float64{1}}}}}}}
	list := [][]float64{{0, 0}}
	for _, c := range []struct {
		in     *model.Instance
		metric string
		by     proof.Argument
		at     string
	}{
		{in, "qos_penalty", proof.Argument{Levels: &proof.Levels{Prices: list, Root: []int{0}, Nodes: []proof.Node{{}}}}, "levels.root[0]"},
		{in, "qos_penalty", proof.Argument{Levels: &proof.Levels{Prices: list, Nodes: []proof.Node{{Prices: []int{0}}}}}, "levels.nodes[0]"},
		{crowd(t, 1, 1, 1), "mcp", counts, "counts.nodes[0]"},
	} {
		want := proof.Report{Verdict: proof.NotCertified, Step: "parts[0].by." + c.at, Reason: "the check was cut off"}
		if r := verdict(ended, c.in, claim(c.in, c.metric, 1e-3, 0, &c.by)); r != want {
			t.Errorf("%v, expected %v", r, want)
		}
	}
}

// The loads of machines that are alike descend, which sums of costs do not know. So there may be very many ways to begin loads that none can end.
func TestTooManyLoadsThatLeadNowhere(t *testing.T) {
	in := two(t, func(b *model.Builder) {
		c := &b.Spec().Clusters[0]
		c.Machines = c.Machines[:1]
		c.Machines[0].Count, c.Machines[0].Queue.ServiceRate = 20, 5
		for k := range 38 {
			b.Job(job(string(rune('c'+k)), 1, 4))
		}
	})
	by := &proof.Argument{Levels: &proof.Levels{Prices: [][]float64{make([]float64, 40)}, Nodes: []proof.Node{{Prices: []int{0}}}}}
	raise := func(c *proof.Certificate) { c.Bound, c.Parts[0].Bound = model.ProvedBound(1e6), 1e6 }
	checked(t, []refusal{{"many", in, "qos_penalty", 0, by, raise, proof.Refuted, "parts[0].by.levels.nodes[0].loads", "many more loads are left than listed"}})
}

func TestRefusalsOfInfeasible(t *testing.T) {
	full := func(change func(b *model.Builder)) *model.Instance {
		return two(t, func(b *model.Builder) {
			for _, id := range []string{"x", "y", "z", "w", "v"} {
				b.Job(job(id, 1, 4))
			}
			change(b)
		})
	}
	in := full(func(*model.Builder) {}) // each of the machines stays stable with 2 tasks, and there are 7
	six := full(func(b *model.Builder) { b.Spec().Jobs = b.Spec().Jobs[:6] })
	just := full(func(b *model.Builder) { b.Spec().Queueing.Rate = 0.75 })
	of := func(rate, period float64) *model.Instance {
		return full(func(b *model.Builder) { b.Spec().Queueing.Rate, b.Spec().Queueing.Period = rate, period })
	}
	single := two(t, func(b *model.Builder) {
		b.Spec().Jobs = b.Spec().Jobs[:1]
		for k := range b.Spec().Clusters[0].Machines {
			b.Spec().Clusters[0].Machines[k].Queue.ServiceRate = 0.05
		}
	})
	hard := full(func(b *model.Builder) { b.Spec().Jobs[0].Deadline, b.Spec().Jobs[0].DeadlineHard = new(9.0), true })
	wide := full(func(b *model.Builder) { b.Spec().Jobs[0].Processors, b.Spec().Jobs[1].Arrival = model.Rigid(2), 1 })
	none := full(func(b *model.Builder) { b.Spec().Queueing, b.Spec().Objective = nil, nil })
	endless := full(func(b *model.Builder) {
		for k := range b.Spec().Jobs {
			b.Spec().Jobs[k].Work = new(0.0)
		}
		b.Spec().Clusters[0].Machines[1].Queue = nil
	})
	for name, c := range map[string]struct {
		in      *model.Instance
		weights map[string]float64
		why     proof.Infeasible
		want    proof.Report
	}{
		"room":                    {in, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.Verified}},
		"room besides":            {in, map[string]float64{"qos_penalty": 1, "makespan": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.Verified}},
		"another metric":          {in, map[string]float64{"makespan": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.Refuted, Step: "objective", Reason: "only allocations for qos_penalty are known to be infeasible"}},
		"a weight below 0":        {in, map[string]float64{"qos_penalty": -1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.Refuted, Step: "objective", Reason: "only allocations for qos_penalty are known to be infeasible"}},
		"hard deadlines":          {hard, map[string]float64{"qos_penalty": 1, "missed": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.NotCertified, Step: "infeasible", Reason: "instances with jobs that may be left out are not covered"}},
		"several processors":      {wide, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.NotCertified, Step: "infeasible", Reason: "instances with parallel jobs are not covered"}},
		"no queues":               {none, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.Refuted, Step: "objective", Reason: "queueing.rate: expected an arrival rate, because the objective qos_penalty needs one and the arrivals of the jobs do not give it"}},
		"no finite rate":          {endless, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.NotCertified, Step: "infeasible", Reason: "machines without a finite service rate are not covered"}},
		"another number needed":   {in, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 8}, proof.Report{Verdict: proof.Refuted, Step: "infeasible.needed", Reason: "expected 7, found 8"}},
		"another number at most":  {in, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 5, Needed: 7}, proof.Report{Verdict: proof.Refuted, Step: "infeasible.most", Reason: "expected 6, found 5"}},
		"a little more at most":   {in, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6 * (1 + 2e-9), Needed: 7}, proof.Report{Verdict: proof.Refuted, Step: "infeasible.most", Reason: "expected 6, found 6.000000012"}},
		"a weight of 0":           {in, map[string]float64{"qos_penalty": 0, "makespan": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 7}, proof.Report{Verdict: proof.Refuted, Step: "objective", Reason: "only allocations for qos_penalty are known to be infeasible"}},
		"just room enough":        {six, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 6}, proof.Report{Verdict: proof.Refuted, Step: "infeasible", Reason: "the machines stay stable with 6 tasks, and there are 6"}},
		"just the rate":           {just, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "rate", Most: 0.75, Needed: 0.75}, proof.Report{Verdict: proof.Verified}},
		"just an idle rate":       {of(0.75, 7/0.75*(1+2e-9)), map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "rate", Most: 0.75, Needed: 0.75}, proof.Report{Verdict: proof.Verified}},
		"no idle rate":            {of(0.75, 7/0.75*(1+5e-10)), map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "rate", Most: 0.75, Needed: 0.75}, proof.Report{Verdict: proof.Refuted, Step: "infeasible", Reason: "the rate 0.7499999996250001 is below that of all machines together, 0.75"}},
		"the rate of the jobs":    {of(0.875, 8), map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "rate", Most: 0.75, Needed: 0.875}, proof.Report{Verdict: proof.Verified}},
		"just that of the jobs":   {of(0.75, 28/3.0), map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "rate", Most: 0.75, Needed: 0.75}, proof.Report{Verdict: proof.Refuted, Step: "infeasible", Reason: "the rate 0.75 is below that of all machines together, 0.75"}},
		"one task":                {single, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 0, Needed: 1}, proof.Report{Verdict: proof.Verified}},
		"a little rounded":        {in, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6 * (1 + 5e-10), Needed: 7}, proof.Report{Verdict: proof.Verified}},
		"rounded":                 {in, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: math.Nextafter(6, 7), Needed: 7}, proof.Report{Verdict: proof.Verified}},
		"a rate that is not high": {in, map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "rate", Most: 0.75, Needed: 0.2}, proof.Report{Verdict: proof.Refuted, Step: "infeasible", Reason: "the rate 0.7 is below that of all machines together, 0.75"}},
		"room enough":             {two(t, func(*model.Builder) {}), map[string]float64{"qos_penalty": 1}, proof.Infeasible{Condition: "room", Most: 6, Needed: 2}, proof.Report{Verdict: proof.Refuted, Step: "infeasible", Reason: "the machines stay stable with 6 tasks, and there are 2"}},
	} {
		certificate := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: c.in.SHA256(), Objective: c.weights, Infeasible: &c.why}
		if r := verdict(t.Context(), c.in, certificate); r != c.want {
			t.Errorf("%s: %q, expected %q", name, r, c.want)
		}
	}
}
