package cheap

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// drawn is an instance with prices that change at whole times, and with whole arrivals and lengths.
func drawn(t *rapid.T, clusters int) *model.Instance {
	at := rapid.SampledFrom([]float64{0, 1, 1_700_000_000}).Draw(t, "begin")
	b := model.NewBuilder("tariff")
	b.Spec().Units = &model.Units{Time: "s"}
	for c := range clusters {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: rapid.IntRange(1, 5).Draw(t, "processors")}}})
	}
	spec := &model.TariffSpec{}
	length := 0
	for range rapid.IntRange(1, 6).Draw(t, "steps") {
		spec.Price = append(spec.Price, []float64{at + float64(length), float64(rapid.IntRange(-3, 6).Draw(t, "price"))})
		length += rapid.IntRange(1, 9).Draw(t, "length")
	}
	if rapid.Bool().Draw(t, "repeats") {
		spec.Period = float64(length)
	}
	b.Spec().Tariff = spec
	last := at
	for k := range rapid.IntRange(1, 14).Draw(t, "jobs") {
		last += float64(rapid.IntRange(0, 6).Draw(t, "gap"))
		job := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: last, Work: new(float64(rapid.IntRange(0, 9).Draw(t, "work"))), Processors: model.Rigid(1 + rapid.IntRange(0, 2).Draw(t, "more"))}
		if rapid.Bool().Draw(t, "estimates") {
			job.Estimate = new(*job.Work + float64(rapid.IntRange(0, 4).Draw(t, "over")))
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// rules are all rules.
var rules = []string{"worth", "quantile", "slot", "window", "oracle"}

// budget is a budget with a rule.
func budget(t *rapid.T) Budget {
	return Budget{
		PriceBudget: params.Time(fmt.Sprint(rapid.IntRange(1, 20).Draw(t, "budget"))), PriceRule: rapid.SampledFrom(rules).Draw(t, "rule"),
		PriceWorth:    rapid.SampledFrom([]float64{0, 0.1, 1, 3.7}).Draw(t, "worth"),
		PriceQuantile: rapid.SampledFrom([]float64{0, 0.25, 0.3, 0.5, 1}).Draw(t, "quantile"), TariffKnown: params.Time(fmt.Sprint(rapid.IntRange(1, 30).Draw(t, "known"))),
	}
}

// priceAt is the price at a time, looked up in the tariff as the instance states it.
func priceAt(in *model.Instance, time float64) float64 {
	t := in.Clusters()[0].Tariff
	first := t.Price[0].Time
	if t.Period > 0 {
		time = first + math.Mod(math.Mod(time-first, t.Period)+t.Period, t.Period)
	}
	price := t.Price[0].Value
	for _, s := range t.Price {
		if s.Time <= time {
			price = s.Value
		}
	}
	return price
}

// slowUntil is when a job joins the queue, by looking at every whole time: all steps, arrivals and lengths are whole.
func slowUntil(in *model.Instance, b *Budget, j sim.Deferrable) float64 {
	arrival := j.Arrival
	most, _ := b.PriceBudget.In("s")
	known, _ := b.TariffKnown.In("s")
	var prices []float64 // while they are known
	sum, magnitude := 0.0, 0.0
	for t := arrival; t < arrival+known; t++ {
		prices = append(prices, priceAt(in, t))
		sum += priceAt(in, t)
		magnitude += math.Abs(priceAt(in, t))
	}
	last := arrival + min(most, known)
	least := func(cost func(float64) float64) float64 {
		best := arrival
		for t := arrival; t <= last; t++ {
			if cost(t) < cost(best)-1e-9 {
				best = t
			}
		}
		return best
	}
	over := func(length, end float64) func(float64) float64 {
		return func(start float64) float64 {
			cost := 0.0
			for t := start; t < start+length; t++ {
				if t < end {
					cost += priceAt(in, t)
				} else {
					cost += sum / known
				}
			}
			return cost
		}
	}
	slot := func() float64 { return least(func(t float64) float64 { return priceAt(in, t) }) }
	switch b.PriceRule {
	case "worth":
		run := over(j.Estimate, arrival+known)
		return least(func(t float64) float64 {
			return float64(j.Processors)*run(t) + b.PriceWorth*(magnitude/known)*(t-arrival)
		})
	case "slot":
		return slot()
	case "window":
		return least(over(j.Estimate, arrival+known))
	case "oracle":
		return least(over(j.Runtime, math.Inf(1)))
	}
	slices.SortFunc(prices, cmp.Compare)
	threshold := prices[max(0, int(math.Ceil(b.PriceQuantile*known-1e-9))-1)]
	for t := arrival; t <= last; t++ {
		if priceAt(in, t) <= threshold {
			return t
		}
	}
	return slot()
}

// Each rule is what looking at every time comes to, and no job stays out for longer than the budget.
func TestRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, b := drawn(t, 1), budget(t)
		for _, b.PriceRule = range rules {
			joins(t, in, &b)
		}
	})
}

// slowEASY is EASY backfilling in which jobs join the queue at times of their own and queue in order of arrival, by looking at every whole time. It checks that the
// first job in the queue starts no later than promised, but for jobs that arrived before it and joined after the promise.
func slowEASY(t *rapid.T, in *model.Instance, joins []float64, backfills bool) []float64 {
	n, free := len(joins), in.Processors()
	starts, ends, promised := make([]float64, n), make([]float64, n), map[int]float64{}
	left := 0
	for k := range starts {
		if starts[k] = -1; !math.IsInf(joins[k], 1) {
			left++
		}
	}
	estimate := func(k int) float64 { e, _ := sim.Lengths(in, k); return e }
	for now := slices.Min(joins); left > 0; now++ {
		for k := range starts {
			if starts[k] >= 0 && ends[k] == now {
				free += in.Jobs()[k].Min
			}
		}
		start := func(k int) {
			_, runtime := sim.Lengths(in, k)
			starts[k], ends[k] = now, now+runtime
			free -= in.Jobs()[k].Min
			left--
		}
		head := -1
		for k := range starts { // in order of arrival
			if starts[k] >= 0 || joins[k] > now {
				continue
			}
			if joins[k] == now {
				clear(promised) // it may go ahead of others
			}
			if head < 0 && in.Jobs()[k].Min <= free {
				if at, ok := promised[k]; ok && now > at {
					t.Fatalf("job %d starts at %v, promised for %v", k, now, at)
				}
				start(k)
			} else if head < 0 {
				head = k
			}
		}
		if head < 0 || !backfills {
			continue
		}
		shadow, extra := now, free
		for ; extra < in.Jobs()[head].Min; extra = freeBy(in, starts, ends, now, shadow, estimate, free) {
			shadow++
		}
		if _, ok := promised[head]; !ok {
			promised[head] = shadow
		}
		extra -= in.Jobs()[head].Min
		for k := head + 1; k < n; k++ {
			if starts[k] >= 0 || joins[k] > now || in.Jobs()[k].Min > free {
				continue
			}
			if now+estimate(k) <= shadow {
				start(k)
			} else if in.Jobs()[k].Min <= extra {
				extra -= in.Jobs()[k].Min
				start(k)
			}
		}
	}
	return starts
}

// freeBy is how many processors are free at a time by the estimates of the running jobs.
func freeBy(in *model.Instance, starts, ends []float64, now, at float64, estimate func(int) float64, free int) int {
	for k := range starts {
		if starts[k] >= 0 && ends[k] > now && starts[k]+estimate(k) <= at {
			free += in.Jobs()[k].Min
		}
	}
	return free
}

// joins checks when the jobs join under a budget.
func joins(t *rapid.T, in *model.Instance, b *Budget) {
	until := b.Deferral(in)
	most, _ := b.PriceBudget.In("s")
	order := make([]int, len(in.Jobs()))
	for k := range order {
		order[k] = k
	}
	if rapid.Bool().Draw(t, "shuffled") { // jobs that wait for others do not join in order of arrival
		order = rapid.Permutation(order).Draw(t, "order")
	}
	for _, k := range order {
		estimate, runtime := sim.Lengths(in, k)
		if math.IsNaN(runtime) {
			continue // it is too wide
		}
		arrival := in.Jobs()[k].Arrival
		j := sim.Deferrable{Arrival: arrival, Estimate: estimate, Runtime: runtime, Processors: in.Jobs()[k].Min}
		found, want := until(j), slowUntil(in, b, j)
		if found != want {
			t.Fatalf("%+v: job %d of arrival %v, estimate %v and run time %v joins at %v, expected %v", b, k, arrival, estimate, runtime, found, want)
		}
		if found < arrival || found > arrival+most {
			t.Fatalf("%+v: a job that arrives at %v joins at %v", b, arrival, found)
		}
	}
}

// A run with a budget is that of a queue that jobs join when the rule says, in order of arrival: nobody who is in the queue waits for a job that is not, and the
// reservation of the first holds.
func TestARunIsThatOfAQueueThatJobsJoinLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, b := drawn(t, rapid.IntRange(1, 2).Draw(t, "clusters")), budget(t)
		until := b.Deferral(in)
		joins := make([]float64, len(in.Jobs()))
		long := true
		for k := range joins {
			estimate, runtime := sim.Lengths(in, k)
			if joins[k] = math.Inf(1); !math.IsNaN(runtime) {
				joins[k] = until(sim.Deferrable{Arrival: in.Jobs()[k].Arrival, Estimate: estimate, Runtime: runtime, Processors: in.Jobs()[k].Min})
			}
			long = long && runtime > 0
		}
		for name, rules := range map[string]sim.Discipline{
			"fcfs": backfill.FCFS(backfill.DefaultRanking()), "easy": backfill.EASY(1, 1, backfill.DefaultRanking()), "deep": backfill.EASY(1, 3, backfill.DefaultRanking()),
			"conservative": backfill.Conservative(1, backfill.DefaultRanking()), "sjf": backfill.EASY(1, 1, backfill.Ranking{Order: "sjf"}), "flexible": backfill.Flexible(1, backfill.DefaultPriorities()),
		} {
			rules.Defer = b.Deferral
			found := starts(t, in, rules)
			if len(in.Clusters()) == 1 && long && (name == "fcfs" || name == "easy") {
				if want := slowEASY(t, in, joins, name == "easy"); !slices.Equal(found, want) {
					t.Fatalf("%s, %+v: starts %v, expected %v", name, b, found, want)
				}
			}
		}
	})
}

// starts are the starts by job; −1: not placed.
func starts(t *rapid.T, in *model.Instance, rules sim.Discipline) []float64 {
	t.Helper()
	sol, _, err := sim.Simulate(t.Context(), in, rules, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	list := make([]float64, len(in.Jobs()))
	for k := range list {
		list[k] = -1
	}
	for _, p := range sol.Jobs {
		k, _ := in.JobIndex(p.Job)
		list[k] = p.Start
	}
	return list
}

// An instance without a tariff, with different ones, without carbon, and a time that has no meaning in its unit are refused.
func TestWhatIsRefused(t *testing.T) {
	price := &model.TariffSpec{Price: [][]float64{{0, 1}, {5, 2}}}
	build := func(unit string, tariffs ...*model.TariffSpec) *model.Instance {
		b := model.NewBuilder("refused").Job(model.JobSpec{ID: "j", Work: new(1.0)})
		b.Spec().Units = &model.Units{Time: unit}
		for c, tariff := range tariffs {
			b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m"}}, Tariff: tariff})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	six := DefaultBudget()
	six.PriceBudget = "6h"
	carbon, unknown := six, six
	carbon.PriceOf, unknown.TariffKnown = "carbon", "0"
	none := DefaultBudget()
	for name, c := range map[string]struct {
		in     *model.Instance
		budget Budget
		ok     bool
	}{
		"one tariff":       {build("s", price), six, true},
		"the same for two": {build("s", price, &model.TariffSpec{Price: [][]float64{{0, 1}, {5, 2}}}), six, true},
		"no tariff":        {build("s", nil), six, false},
		"one without":      {build("s", price, nil), six, false},
		"two tariffs":      {build("s", price, &model.TariffSpec{Price: [][]float64{{0, 1}, {5, 3}}}), six, false},
		"two periods":      {build("s", price, &model.TariffSpec{Price: [][]float64{{0, 1}, {5, 2}}, Period: 9}), six, false},
		"no carbon":        {build("s", price), carbon, false},
		"nothing known":    {build("s", price), unknown, false},
		"an unknown unit":  {build("shift", price), six, false},
		"without a budget": {build("shift", nil), none, true},
	} {
		if err := c.budget.CheckTariff(c.in); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if until := c.budget.Deferral(c.in); (until != nil) != (c.ok && c.budget.PriceBudget != "") {
			t.Errorf("%s: a rule: %v", name, until != nil)
		}
	}
}
