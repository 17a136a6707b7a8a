package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// ggone is the worked instance of the G/G/1 workload allocation: T = 10, tasks given by their X directly.
func ggone(t testing.TB, rate float64) *model.Instance {
	t.Helper()
	in, err := readInstance(fmt.Sprintf(`{"schema": "allot/instance/1", "objective": {"qos_penalty": 1},
		"queueing": {"rate": %v, "period": 10, "charge": "response"},
		"clusters": [{"id": "g", "machines": [
			{"id": "R1", "speed": 10000, "cost": 0.2, "queue": {"service_rate": 0.5, "arrival_variance": 6, "service_variance": 2}},
			{"id": "R2", "speed": 5000, "cost": 0.1, "queue": {"service_rate": 0.25, "arrival_variance": 8, "service_variance": 8}}]}],
		"jobs": [
			{"id": "t1", "work": 20000, "deadline": 4, "budget": 0.5},
			{"id": "t2", "work": 30000, "deadline": 8, "budget": 1},
			{"id": "t3", "work": 10000, "deadline": 5, "budget": 0.4}]}`, rate))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// assignment is the schedule in which each machine serves its tasks in order: "112" puts t1 and t2 on R1 and t3 on R2.
func assignment(in *model.Instance, machines string, loads []float64) *model.Solution {
	sol := &model.Solution{Schema: model.SolutionSchema, Status: model.Feasible}
	free := map[byte]float64{}
	for j := range in.Jobs() {
		m := machines[j]
		processor := model.Processors(int(m - '1'))
		start := free[m]
		free[m] = start + in.Duration(j, 0, processor)
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: "g", Processors: processor, Start: start, End: free[m]})
	}
	for k, rate := range loads {
		sol.Loads = append(sol.Loads, model.Load{Cluster: "g", Machine: fmt.Sprintf("R%d", k+1), Rate: rate})
	}
	return sol
}

var assignments = []string{"111", "112", "121", "122", "211", "212", "221", "222"}

func TestQoSPenaltyOfTheWorkedInstance(t *testing.T) {
	in := ggone(t, 0.3)
	for k, want := range []float64{2.45, 1.0 / 3, 0.5, 3.65, 1.7 / 3, 5.9, 4.55, math.Inf(1)} {
		sol := assignment(in, assignments[k], nil)
		report := model.Check(in, sol)
		if !report.OK() {
			t.Errorf("%s: %s", assignments[k], violations(report))
		}
		penalty, ok := report.Metrics.Get("qos_penalty")
		if math.IsInf(want, 1) {
			if ok || !math.IsInf(report.Objective, 1) {
				t.Errorf("%s is unstable: got %v, objective %v", assignments[k], penalty, report.Objective)
			}
			continue
		}
		if !near(penalty, want) || !near(report.Objective, want) {
			t.Errorf("%s: got %v, objective %v, want %v", assignments[k], penalty, report.Objective, want)
		}
	}
}

// At λ = 0.4 one task's worth of load is parked where it costs least.
func TestQoSPenaltyWithIdleRate(t *testing.T) {
	in, best := ggone(t, 0.4), math.Inf(1)
	for _, a := range assignments {
		best = min(best, evaluated(t, in, assignment(in, a, nil)).Objective)
	}
	if !near(best, 0.85) {
		t.Errorf("got %v, want 0.85", best)
	}
}

func TestQoSPenaltyOfStatedLoads(t *testing.T) {
	in := ggone(t, 0.3)
	for _, c := range []struct {
		loads []float64
		want  float64
	}{
		{[]float64{0.2, 0.1}, 1.0 / 3},
		// R1: W = 4·0.22/(1 − 0.44) = 11/7; t1 costs 0.2·(11/7 + 2) = 5/7 for 0.5, the rest keeps its limits.
		{[]float64{0.22, 0.08}, (5.0/7 - 0.5) / 0.5},
		{[]float64{0.5, 0}, math.Inf(1)},
	} {
		if got := evaluated(t, in, assignment(in, "112", c.loads)).Objective; !near(got, c.want) && got != c.want {
			t.Errorf("%v: got %v, want %v", c.loads, got, c.want)
		}
	}
}

// A machine whose jobs need all of its service rate, n/T = μ as float64 numbers, is not stable, also where rounding makes μ·T a little larger than n.
func TestQoSPenaltyOfAFullMachine(t *testing.T) {
	const rounded = 1.0 / 45 // a little above a forty-fifth
	if !(math.FMA(rounded, 45, -1) > 0) {
		t.Fatal("the rate is not rounded up")
	}
	for rate, stable := range map[float64]bool{rounded: false, math.Nextafter(rounded, 0): false, math.Nextafter(rounded, 1): true} {
		in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 0.01, "period": 45},`,
			fmt.Sprintf(`{"id": "c", "machines": [{"id": "m", "queue": {"service_rate": %v}}]}`, rate), `{"id": "j", "work": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := evaluated(t, in, &model.Solution{Jobs: []model.Placement{placed("j", "c", "0", 0, 1)}}).Objective; math.IsInf(got, 1) == stable {
			t.Errorf("μ = %v: got %v", rate, got)
		}
	}
}

// Without `queue` the rates and variances follow from speeds and works. Mean work 6, variance 4 of the means and (0.5·4)²/2 = 2 of the first
// job around its own; two machines share a rate of 0.5 with CV 1, so that one sees a job in 4 time units: σA² = 16. The fast machine:
// μ = 4/6, σS² = 6/16, κ = 8.1875, and with both jobs λ = 2/T = 0.5 and W = 8.1875·0.5/(1 − 0.75) = 16.375.
func TestQoSPenaltyByDefaultRates(t *testing.T) {
	for charge, want := range map[string]float64{
		// The first: S = (4/4)·(1 + 1.645·0.5) = 1.8225, R = 18.1975 for 10. The second: S = 2, R = 18.375 costs 1.8375 for 1.
		"response": 0.81975 + 0.8375,
		"service":  0.81975, // 0.2 for 1
	} {
		in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 0.5, "cv": 1, "charge": "`+charge+`"},`,
			`{"id": "g", "machines": [{"id": "slow", "speed": 2}, {"id": "fast", "speed": 4, "cost": 0.1}]}`,
			`{"id": "a", "work": 4, "work_cv": 0.5, "deadline": 10}, {"id": "b", "work": 8, "budget": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := evaluated(t, in, assignment(in, "22", nil)).Objective; !near(got, want) {
			t.Errorf("%s: got %v, want %v", charge, got, want)
		}
	}
}

// Rate and CV are estimated from the arrivals: 0, 1, 4 and 5 have mean gap 5/3 and deviations −2/3, 4/3, −2/3.
func TestQueueingViewOfTheArrivals(t *testing.T) {
	in, err := readInstance(document(`"queueing": {},`, oneCluster,
		`{"id": "a", "arrival": 4, "work": 1}, {"id": "b", "work": 1}, {"id": "c", "arrival": 5, "work": 1}, {"id": "d", "arrival": 1, "work": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	q := in.Queueing()
	if !near(q.Rate, 0.6) || !near(q.CV, math.Sqrt((4.0/9+16.0/9+4.0/9)/2)*0.6) || !near(q.Period, 4/0.6) || q.K != 1.645 || q.Charge != model.ChargeResponse {
		t.Errorf("got %+v", q)
	}
	for jobs, want := range map[string]model.Queueing{
		"":     {Given: true, CV: 1, K: 1.645, Charge: model.ChargeResponse},
		oneJob: {Given: true, CV: 1, K: 1.645, Charge: model.ChargeResponse},
		oneJob + `, {"id": "k", "arrival": 2, "work": 1}`: {Given: true, Rate: 0.5, CV: 1, Period: 4, K: 1.645, Charge: model.ChargeResponse},
	} {
		in, err := readInstance(document(`"queueing": {},`, oneCluster, jobs))
		if err != nil || in.Queueing() != want {
			t.Errorf("%s: got %+v, %v", jobs, in.Queueing(), err)
		}
	}
}

// An objective that asks for the penalty is a queueing view, whether or not the instance has another.
func TestObjectiveAsksForTheQueueingView(t *testing.T) {
	text := document("", oneCluster, `{"id": "a", "work": 1, "deadline": 1}, {"id": "b", "arrival": 2, "work": 1, "deadline": 3}`)
	in, err := readInstance(text)
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Jobs: []model.Placement{placed("a", "c", "0", 0, 1), placed("b", "c", "0", 2, 3)}}
	if _, ok := evaluated(t, in, sol).Metrics["qos_penalty"]; ok {
		t.Error("penalty without a queueing view")
	}
	in, err = in.WithObjective(map[string]float64{"qos_penalty": 1})
	if err != nil {
		t.Fatal(err)
	}
	// λ = 0.5 of μ = 1, σA² = (1/0.5)², σS² = 0: W = 2·0.5/(1 − 0.5) = 2, which both jobs wait longer than their limit of 1.
	if got := evaluated(t, in, sol).Objective; !near(got, 4) {
		t.Errorf("got %v, want 4", got)
	}
}

// Limits of 0, on which the penalty is infinite or 0 and the derivative not defined.
func TestQoSPenaltyOfLimitsOfZero(t *testing.T) {
	for _, c := range []struct {
		fields string
		want   float64
	}{
		{`"deadline": 0`, math.Inf(1)},
		{`"budget": 0`, 0}, // the machine costs nothing
		{`"arrival": 5, "deadline": 3`, math.Inf(1)},
	} {
		in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 0.5, "period": 4},`, `{"id": "g", "machines": [{"id": "m"}]}`,
			`{"id": "a", "work": 1, `+c.fields+`}`))
		if err != nil {
			t.Fatal(err)
		}
		sol := assignment(in, "1", nil)
		if got := evaluated(t, in, sol).Objective; got != c.want {
			t.Errorf("%s: got %v, want %v", c.fields, got, c.want)
		}
		if view, err := model.Queues(in, sol); err != nil || view.Jobs[0].Penalty != c.want {
			t.Errorf("%s: %+v, %v, want %v", c.fields, view.Jobs, err, c.want)
		}
	}
}

// Where tasks pay for their service time alone, load on a machine whose tasks have no deadline costs nothing, however dear it is:
// all of the idle rate goes there, and t1's (1 − 0.5)/0.5 is all there is to pay.
func TestIdleRateIsFreeWhereOnlyServiceIsCharged(t *testing.T) {
	in, err := readInstance(document(`"objective": {"qos_penalty": 1}, "queueing": {"rate": 0.6, "period": 10, "charge": "service"},`,
		`{"id": "g", "machines": [
			{"id": "R1", "cost": 1, "queue": {"service_rate": 1, "arrival_variance": 4, "service_variance": 4}},
			{"id": "R2", "queue": {"service_rate": 1, "arrival_variance": 4, "service_variance": 4}}]}`,
		`{"id": "t1", "work": 1, "budget": 0.5}, {"id": "t2", "work": 1, "deadline": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluated(t, in, assignment(in, "12", nil)).Objective; got != 1 {
		t.Errorf("got %v, want 1", got)
	}
}

// On random servers, parking the idle rate is as good as the best of many other ways to spread it, stated as loads, and for two
// machines just as good as the best of all.
func TestIdleRateIsParkedBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, assigned := servers(t)
		parked, best := evaluated(t, in, assignment(in, assigned, nil)).Objective, math.Inf(1)
		penalty := func(loads []float64) float64 { return evaluated(t, in, assignment(in, assigned, loads)).Objective }
		for _, loads := range spreads(in, assigned) {
			best = min(best, penalty(loads))
		}
		if parked > best+1e-9*max(1, best) {
			t.Fatalf("parked %v, better %v", parked, best)
		}
		if len(in.Clusters()[0].Machines) > 2 || math.IsInf(best, 1) {
			return
		}
		if best = min(best, bestOfTwo(in, assigned, penalty)); parked < best-1e-6*max(1, best) {
			t.Fatalf("parked %v, although %v is best", parked, best)
		}
	})
}

// servers draws two or three machines with queues, some jobs and an assignment of them.
func servers(t *rapid.T) (in *model.Instance, assigned string) {
	number := func(label string, least, most int) float64 {
		return float64(rapid.IntRange(least, most).Draw(t, label)) / 4
	}
	var machines []model.MachineSpec
	for k := range rapid.IntRange(2, 3).Draw(t, "machines") {
		machines = append(machines, model.MachineSpec{ID: fmt.Sprintf("R%d", k+1), Speed: number("speed", 1, 8), Cost: number("cost", 0, 8), Queue: &model.QueueSpec{
			ServiceRate: number("service rate", 2, 12), ArrivalVariance: new(number("σA²", 0, 8)), ServiceVariance: new(number("σS²", 0, 8))}})
	}
	var jobs []model.JobSpec
	for k := range rapid.IntRange(1, 6).Draw(t, "jobs") {
		jobs = append(jobs, model.JobSpec{ID: fmt.Sprint(k), Work: new(number("work", 0, 20)), Deadline: new(number("deadline", 1, 40)), Budget: new(number("budget", 1, 40))})
		assigned += fmt.Sprint(rapid.IntRange(1, len(machines)).Draw(t, "machine"))
	}
	in, err := model.New(model.InstanceSpec{Objective: map[string]float64{"qos_penalty": 1},
		Queueing: &model.QueueingSpec{Rate: number("rate", 2, 24), Period: 10, Charge: rapid.SampledFrom([]string{"response", "service"}).Draw(t, "charge")},
		Clusters: []model.ClusterSpec{{ID: "g", Machines: machines}}, Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return in, assigned
}

// full is how near to μ a load may come: less would be a matter of rounding.
const full = 1 - 1e-12

// bestOfTwo is the least penalty of two machines, which is convex in the part of the idle rate that the first one takes.
func bestOfTwo(in *model.Instance, assigned string, penalty func(loads []float64) float64) float64 {
	own, left := ownLoads(in, assigned)
	if left <= 0 {
		return penalty(own)
	}
	machines := in.Clusters()[0].Machines
	room := func(k int) float64 { return machines[k].Queue.ServiceRate*full - own[k] }
	at := func(first float64) float64 { return penalty([]float64{own[0] + first, own[1] + left - first}) }
	low, high := max(0, left-room(1)), min(left, room(0))
	for range 200 {
		third := (high - low) / 3
		if at(low+third) <= at(high-third) {
			high -= third
		} else {
			low += third
		}
	}
	return at((low + high) / 2)
}

// ownLoads are the rates of the machines' own tasks and what is left of λ.
func ownLoads(in *model.Instance, assigned string) (own []float64, left float64) {
	q := in.Queueing()
	own, left = make([]float64, len(in.Clusters()[0].Machines)), q.Rate
	for _, m := range assigned {
		own[m-'1'] += 1 / q.Period
		left -= 1 / q.Period
	}
	return own, left
}

// spreads are stable loads of the machines that add up to λ, on a grid of the idle rate.
func spreads(in *model.Instance, assigned string) [][]float64 {
	machines := in.Clusters()[0].Machines
	own, left := ownLoads(in, assigned)
	if left <= 0 {
		return [][]float64{own}
	}
	const steps = 40
	var list [][]float64
	for a := range steps + 1 {
		for b := 0; a+b <= steps; b++ {
			if len(machines) == 2 && a+b < steps {
				continue
			}
			loads, stable := slices.Clone(own), true
			for k, share := range []int{a, b, steps - a - b}[:len(machines)] {
				loads[k] += left * float64(share) / steps
				stable = stable && loads[k] < machines[k].Queue.ServiceRate*full
			}
			if stable {
				list = append(list, loads)
			}
		}
	}
	return list
}

// BenchmarkPark parks the idle rate of 1,000 machines with 100,000 tasks.
func BenchmarkPark(b *testing.B) {
	build := model.NewBuilder("bench").Minimise("qos_penalty", 1)
	build.Spec().Queueing = &model.QueueingSpec{Rate: 120_000, Period: 1}
	var machines []model.MachineSpec
	for k := range 1000 {
		machines = append(machines, model.MachineSpec{ID: fmt.Sprint(k), Speed: 1 + float64(k%7), Cost: 0.01, Queue: &model.QueueSpec{ServiceRate: 150 + float64(k%13)}})
	}
	build.Cluster(model.ClusterSpec{ID: "g", Machines: machines})
	sol := &model.Solution{}
	for k := range 100_000 {
		build.Job(model.JobSpec{ID: fmt.Sprint(k), Work: new(1 + float64(k%10)), Deadline: new(5 + float64(k%100)), Budget: new(1 + float64(k%50))})
		sol.Jobs = append(sol.Jobs, model.Placement{Job: fmt.Sprint(k), Cluster: "g", Processors: model.Processors(k % 1000), Start: 0, End: 1})
	}
	in, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if evaluated(b, in, sol).Objective <= 0 {
			b.Fatal("no penalty")
		}
	}
}

// alone is one job that takes 1 and is due at once, so that its wait is the penalty, in a queueing view of k = 0. It runs on the first of the machines, which are
// given by service rates; κ is 1.
func alone(t *testing.T, rate, period float64, services ...float64) *model.Instance {
	t.Helper()
	var machines []string
	for k, mu := range services {
		machines = append(machines, fmt.Sprintf(`{"id": "R%d", "queue": {"service_rate": %v, "arrival_variance": 2, "service_variance": 0}}`, k+1, mu))
	}
	in, err := readInstance(document(fmt.Sprintf(`"objective": {"qos_penalty": 1}, "queueing": {"rate": %v, "period": %v, "k": 0},`, rate, period),
		`{"id": "g", "machines": [`+strings.Join(machines, ", ")+`]}`, `{"id": "j", "work": 1, "deadline": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Idle rates of one server: some, none, and those that leave less than the server must keep.
func TestIdleRatesAtTheLimits(t *testing.T) {
	const billionth = 1.0 / 999_999_999 // 1/T is all of a rate of 1e9 but 1
	for _, c := range []struct{ rate, period, service, want float64 }{
		{2, 1, 4, 4},
		{1, 1, 4, 4.0 / 3},
		{1 + 5e-10, 1, 1 + 0x1p-20, 0x1p20 + 1}, // an idle rate of at most 1e-9 of λ is none
		{1e9, billionth, 1e9 + 1, 999_999_999 / (1 - 999_999_999/(1e9+1))},
		{1 + 1.5e-9, 1, 1 + 0x1p-20, (1 + 1.5e-9) * (1 + 0x1p-20) / (0x1p-20 - 1.5e-9)},
		{4 * (1 - 2e-12), 1, 4, 2e12},
		{4 * (1 - 1e-12), 1, 4, 4e12},         // all that the server takes
		{4 * (1 - 1e-12), 0.7, 4, 4e12},       //
		{4 * (1 - 1e-12), 1.0 / 3.1, 4, 4e12}, //
		{math.Nextafter(4*(1-1e-12), 5), 1, 4, math.Inf(1)},
		{4 * (1 - 0.5e-12), 1, 4, math.Inf(1)},
		{4.5, 1, 4, math.Inf(1)},
		{9, 1, 4, math.Inf(1)},
		{2, 1, 1e18, 2}, // the wait is in proportion to the load
		{7, 1, 1e18, 7}, //
	} {
		got := evaluated(t, alone(t, c.rate, c.period, c.service), &model.Solution{Jobs: []model.Placement{placed("j", "g", "0", 0, 1)}}).Objective
		rounding := 1e-9
		if c.want > 1e12 {
			rounding = 1e-3
		}
		if got != c.want && (math.IsInf(c.want, 1) || !(math.Abs(got-c.want) <= rounding*c.want)) {
			t.Errorf("λ %v, T %v, μ %v: the penalty is %v, expected %v", c.rate, c.period, c.service, got, c.want)
		}
	}
}

// The loads at which the idle rate is parked, in a period of 1 and with κ = 1.
func TestIdleRateGoesWhereItCostsLeast(t *testing.T) {
	for _, c := range []struct {
		name     string
		rate     float64
		services []float64 // of the machines
		jobs     []string  // one on each of the first machines
		rates    []float64
		want     float64
	}{
		// Machines without jobs take what they can, the first ones first.
		{"all to the first", 3, []float64{4, 4, 4}, []string{`"deadline": 1`}, []float64{1, 2, 0}, 4.0 / 3},
		{"some to the second", 6, []float64{4, 4, 4}, []string{`"deadline": 1`}, []float64{1, 4, 1}, 4.0 / 3},
		{"some to the job", 6, []float64{4, 2, 2}, []string{`"deadline": 1`}, []float64{2, 2, 2}, 4},
		// The first has a marginal penalty of 1/(1 − λ/4)², which is 4 at λ = 2, the second one of 4 at any load.
		{"to a machine without queue", 5, []float64{4, 1e18}, []string{`"deadline": 1`, `"deadline": 0.25`}, []float64{2, 3}, 4 + 15},
		{"none to a machine without queue", 3, []float64{4, 1e18}, []string{`"deadline": 1`, `"deadline": 0.25`}, []float64{2, 1}, 4 + 7},
		// A budget of 0 on a machine that costs nothing is kept.
		{"away from a deadline", 3, []float64{4, 4}, []string{`"deadline": 1, "budget": 0`, `"deadline": 100`}, []float64{1, 2}, 4.0 / 3},
	} {
		var machines, jobs []string
		for k, mu := range c.services {
			machines = append(machines, fmt.Sprintf(`{"id": "R%d", "queue": {"service_rate": %v, "arrival_variance": 2, "service_variance": 0}}`, k+1, mu))
		}
		for k, fields := range c.jobs {
			jobs = append(jobs, fmt.Sprintf(`{"id": "j%d", "work": 1, %s}`, k, fields))
		}
		in, err := readInstance(document(fmt.Sprintf(`"objective": {"qos_penalty": 1}, "queueing": {"rate": %v, "period": 1, "k": 0},`, c.rate),
			`{"id": "g", "machines": [`+strings.Join(machines, ", ")+`]}`, strings.Join(jobs, ", ")))
		if err != nil {
			t.Fatal(err)
		}
		sol := assignment(in, "12"[:len(c.jobs)], nil)
		view, err := model.Queues(in, sol)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range c.rates {
			if got := view.Machines[k].Rate; math.Abs(got-want) > 1e-11*c.rate {
				t.Errorf("%s: machine %d has rate %v, expected %v", c.name, k, got, want)
			}
		}
		if got := evaluated(t, in, sol).Objective; math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: the penalty is %v, expected %v", c.name, got, c.want)
		}
	}
}

// Where no job is placed there is nothing to pay, whether or not the machines could serve all that arrives.
func TestNoPenaltyWithoutPlacedJobs(t *testing.T) {
	none := &model.Solution{Unscheduled: []model.Unscheduled{{Job: "j", Reason: "no"}}}
	for _, rate := range []float64{1, 4, 9} {
		if got := evaluated(t, alone(t, rate, 1, 4), none).Objective; got != 0 {
			t.Errorf("λ %v: the penalty is %v", rate, got)
		}
	}
}

// What the stated rates lack of λ by rounding counts at each machine, where that is more than 1e-13 of the wait.
func TestRatesLackWhatRoundingTakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 32))
	for range 300 {
		lacks := 0x1p-53 * float64(1+rng.IntN(16))
		service := 0.25 + lacks*math.Pow(10, 11.5+3*rng.Float64())
		in := alone(t, 1, 4, service, 8)
		sol := assignment(in, "1", []float64{0.25, 0.75 - lacks})
		report := model.Check(in, sol)
		if !report.OK() {
			t.Fatal(violations(report))
		}
		exact := exactly([]float64{service}, []float64{-1, 0.25}, []float64{-1, lacks})
		want, _ := exact.Quo(exactly([]float64{0.25, service}), exact).Float64()
		if math.Abs(report.Objective-want) > 1.05e-13*want {
			t.Fatalf("μ %v, the rates lack %v: the penalty is %v, expected %v", service, lacks, report.Objective, want)
		}
	}
}

// Where a machine without jobs takes the idle rate, it takes what rounding takes of it, too: a nearly full machine waits no longer for that.
func TestAFreeMachineTakesWhatRoundingTakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 32))
	for range 300 {
		period := 3 + rng.Float64()
		service := 1 / period * (1 + 0x1p-52*float64(2+rng.IntN(8)))
		in := alone(t, 1+rng.Float64(), period, service, 8)
		report := model.Check(in, assignment(in, "1", nil))
		if !report.OK() {
			t.Fatal(violations(report))
		}
		left := exactly([]float64{service, period}, []float64{-1})
		want, _ := left.Quo(exactly([]float64{service}), left).Float64() // (1/T)·μ/(left/T)
		if math.Abs(report.Objective-want) > 1e-13*want {
			t.Fatalf("λ %v, μ %v, period %v: the penalty is %v, expected %v", in.Queueing().Rate, service, period, report.Objective, want)
		}
	}
}

// Stated rates at the borders of the rules: a job in a period of 4 needs 0.25.
func TestLoadsAtTheLimits(t *testing.T) {
	const below, above = 0x1p-55, 0x1p-54 // the last digits of 0.25
	for _, c := range []struct {
		rate     float64
		services []float64
		rates    []float64
		want     string // parts of the messages
	}{
		{0.25, []float64{1}, []float64{0.25}, ""},
		{0.25, []float64{1}, []float64{0.25 - 8*below}, ""},
		{0.25, []float64{1}, []float64{0.25 - 9*below}, "is less than its 1 jobs need; add up"},
		{0.25, []float64{1}, []float64{0.25 + 4*above}, ""},
		{0.25, []float64{1}, []float64{0.25 + 5*above}, "add up"},
		{0.25, []float64{1, 1}, []float64{0.25 - 8*below, 0}, ""},
		{0.25, []float64{1, 1}, []float64{0.25 - 9*below, 0}, "is less than its 1 jobs need"},
		{0.25, []float64{1, 1}, []float64{0.25 - 8*below, -8 * below}, "at least 0; is less than its 0 jobs need"},
		{0.25, []float64{1, 1}, []float64{0.25, 9 * above}, "add up"},
		{0.25, []float64{1, 1}, []float64{0.25, 8 * above}, ""},
		{0.25, []float64{0.25 + above}, []float64{0.25}, ""},
		{0.25, []float64{0.25}, []float64{0.25}, "is not below the service rate"},
		{0.25, []float64{0.25}, []float64{0.25 - below}, "is not below the service rate"}, // no rounding makes a machine stable
		{0.25 * (1 + 5e-10), []float64{1}, []float64{0.25}, ""},                           // no idle rate: any sum from that of the jobs to λ
		{0.25 * (1 + 5e-10), []float64{1}, []float64{0.25 * (1 + 5e-10)}, ""},
		{0.25 * (1 + 5e-10), []float64{1}, []float64{0.25 * (1 + 6e-10)}, "add up"},
		{0.25 * (1 + 2e-9), []float64{1}, []float64{0.25}, "add up"},
		{1.25, []float64{1, 1}, []float64{0.25, 1}, "is not below the service rate"},
		{1.25, []float64{1, 1.0001}, []float64{0.25, 1}, ""},
		{1.25, []float64{1, 1.0001}, []float64{0.25, 1 - 20*0x1p-53}, ""}, // 2·1.25·2⁻⁵⁰
		{1.25, []float64{1, 1.0001}, []float64{0.25, 1 - 22*0x1p-53}, "add up"},
		{1.25, []float64{1, 1.0001}, []float64{0.25, 1 + 10*0x1p-52}, ""},
		{1.25, []float64{1, 1.0001}, []float64{0.25, 1 + 11*0x1p-52}, "add up"},
	} {
		in := alone(t, c.rate, 4, c.services...)
		var want []string
		for _, part := range strings.Split(c.want, "; ") {
			if part != "" {
				want = append(want, part)
			}
		}
		found := model.Check(in, assignment(in, "1", c.rates)).Violations
		same := len(found) == len(want)
		for k := range found {
			same = same && found[k].Code == "loads" && strings.Contains(found[k].Message, want[k])
		}
		if !same {
			t.Errorf("λ %v, μ %v, rates %v: %v, expected %q", c.rate, c.services, c.rates, found, want)
		}
	}
}

// The jobs of a server come at the rate n/T. A stated rate that exceeds n/T by at most four units in the last place counts as n/T.
func TestRatesOfJobsAloneAreExact(t *testing.T) {
	const spare = 0x1p-40
	in := alone(t, 0.25, 4, 0.25+spare)
	for digits, above := range map[float64]float64{-1: 0, 0: 0, 3: 0, 4: 0, 5: 5, 8: 8} {
		rate := 0.25 + digits*0x1p-54
		want := (0.25 + above*0x1p-54) * (0.25 + spare) / (spare - above*0x1p-54)
		if got := evaluated(t, in, assignment(in, "1", []float64{rate})).Objective; !near(got, want) {
			t.Errorf("%v digits above: the penalty is %v, expected %v", digits, got, want)
		}
	}
}

// A view without a rate or without jobs has no penalty, and a wait has no end from λ = μ on.
func TestViewsWithoutARate(t *testing.T) {
	for jobs, view := range map[string]string{oneJob: `"period": 4`, "": `"rate": 0.5`} {
		in, err := readInstance(document(`"queueing": {`+view+`},`, `{"id": "g", "machines": [{"id": "R1", "queue": {"service_rate": 1, "arrival_variance": 1, "service_variance": 1}}]}`, jobs))
		if err != nil {
			t.Fatal(err)
		}
		sol := assignment(in, strings.Repeat("1", len(in.Jobs())), []float64{0.25})
		if penalty, ok := evaluated(t, in, sol).Metrics["qos_penalty"]; ok {
			t.Errorf("%s: the penalty is %v", view, penalty)
		}
		if got := violations(model.Check(in, sol)); got != "loads cluster g resource R1: loads are stated for an instance without a queueing view" {
			t.Errorf("%s: %s", view, got)
		}
	}
	for _, c := range []struct{ kappa, lambda, mu, want float64 }{{2, 1, 2, 4}, {2, 0, 2, 0}, {0, 1, 2, 0}, {2, 2, 2, math.Inf(1)}, {0, 2, 2, math.Inf(1)}, {1, 3, 2, math.Inf(1)}} {
		if got := model.Wait(c.kappa, c.lambda, c.mu); got != c.want {
			t.Errorf("κ %v, λ %v, μ %v: the wait is %v, expected %v", c.kappa, c.lambda, c.mu, got, c.want)
		}
	}
}
