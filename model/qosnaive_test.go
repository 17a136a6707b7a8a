package model_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// queues is the queueing view as docs/rules.md reads.
type queues struct {
	*rules  // of the jobs as they are known
	names   []string
	mu      []float64
	kappa   []float64
	jobs    [][]int // by server
	period  float64
	machine map[[2]int]int // the server of a processor
}

// known is the spec in which jobs take what their estimates say.
func knownSpec(in *model.Instance, spec model.InstanceSpec) model.InstanceSpec {
	spec.Jobs = slices.Clone(spec.Jobs)
	for k := range spec.Jobs {
		j := &in.Jobs()[k]
		if math.IsNaN(j.Estimate) {
			continue
		}
		spec.Jobs[k].Work = new(j.Estimate * j.ReferenceSpeed)
		stated := spec.Jobs[k].Runtime
		spec.Jobs[k].Runtime = nil
		for c := range in.Clusters() {
			cluster := &in.Clusters()[c]
			if _, runs := stated[cluster.ID]; !runs {
				continue
			}
			most, slowest := j.Max, math.Inf(1)
			if cluster.WholeMachines {
				most = 1
			}
			for g := range cluster.Machines {
				slowest = min(slowest, cluster.Machines[g].Speed)
			}
			if spec.Jobs[k].Runtime == nil {
				spec.Jobs[k].Runtime = map[string]float64{}
			}
			spec.Jobs[k].Runtime[cluster.ID] = float64(quotient(j.Tasks, most)) * (j.Estimate * j.ReferenceSpeed) / slowest
		}
	}
	return spec
}

func newQueues(in *model.Instance, spec model.InstanceSpec, sol *model.Solution) (*queues, error) {
	spec = knownSpec(in, spec)
	known, err := model.New(spec)
	if err != nil {
		return nil, err
	}
	q := &queues{rules: newRules(known, spec), period: in.Queueing().Period, machine: map[[2]int]int{}}
	q.resolve(sol)
	mean, variance, n := 0.0, 0.0, float64(len(known.Jobs()))
	for _, j := range known.Jobs() {
		mean += float64(j.Tasks) * j.Work / n
	}
	for _, j := range known.Jobs() {
		work := float64(j.Tasks) * j.Work
		variance += ((work-mean)*(work-mean) + j.WorkCV*work*j.WorkCV*work) / n
	}
	servers := 0
	for _, m := range q.rules.machine {
		servers += m[len(m)-1] + 1
	}
	for c := range q.at {
		named := map[int]bool{}
		for p, m := range q.at[c] {
			number := q.rules.machine[c][p]
			q.machine[[2]int{c, p}] = len(q.names) - 1
			if named[number] {
				continue
			}
			named[number] = true
			q.machine[[2]int{c, p}] = len(q.names)
			first := q.rules.machine[c][m.First]
			q.names = append(q.names, known.Clusters()[c].ID+"/"+m.Name(number-first))
			stated := m.Queue
			if stated == nil {
				stated = &model.QueueSpec{}
			}
			mu, arrival, service := m.Speed/mean, math.Pow(in.Queueing().CV*float64(servers)/in.Queueing().Rate, 2), variance/(m.Speed*m.Speed)
			if stated.ServiceRate > 0 {
				mu = stated.ServiceRate
			}
			if stated.ArrivalVariance != nil {
				arrival = *stated.ArrivalVariance
			}
			if stated.ServiceVariance != nil {
				service = *stated.ServiceVariance
			}
			q.mu, q.kappa, q.jobs = append(q.mu, mu), append(q.kappa, (arrival+service)/2), append(q.jobs, nil)
		}
	}
	for k := range known.Jobs() {
		if pieces := q.pieces[k]; pieces != nil {
			c, _ := known.ClusterIndex(pieces[0].Cluster)
			s := q.machine[[2]int{c, slices.Min(members(pieces[0].Processors))}]
			q.jobs[s] = append(q.jobs[s], k)
		}
	}
	return q, nil
}

// own is the rate of a server's jobs.
func (q *queues) own(s int) float64 { return float64(len(q.jobs[s])) / q.period }

// penalty is qos_penalty at the given rates; false: rounding decides.
func (q *queues) penalty(rates []float64, view model.Queueing) (sum float64, clear bool) {
	beyond := func(y, limit float64) float64 {
		switch {
		case y <= limit || math.IsInf(limit, 1):
			return 0
		case limit <= 0:
			return math.Inf(1)
		}
		return (y - limit) / limit
	}
	for s := range q.jobs {
		if len(q.jobs[s]) == 0 {
			continue
		}
		rate := max(rates[s], q.own(s))
		if q.mu[s]-rate < 0x1p-9*q.mu[s] && rate < q.mu[s]*(1+1e-9) {
			return 0, false
		}
		wait := q.kappa[s] * rate / (1 - rate/q.mu[s])
		if rate >= q.mu[s] {
			wait = math.Inf(1)
			sum = math.Inf(1)
		}
		for _, k := range q.jobs[s] {
			j, on := &q.in.Jobs()[k], q.pieces[k][0]
			c, _ := q.in.ClusterIndex(on.Cluster)
			on.Tasks = j.Tasks
			cost := 0.0
			for _, p := range members(on.Processors) {
				cost += q.at[c][p].Cost
			}
			service := q.duration(k, on, q.link([]model.Piece{on})) * (1 + view.K*j.WorkCV)
			paid := cost * (wait + service)
			if view.Charge == model.ChargeService {
				paid = cost * service
			}
			if !math.IsInf(wait, 1) {
				sum += beyond(wait+service, j.Deadline-j.Arrival) + beyond(paid, j.Budget)
			}
		}
	}
	return sum, true
}

// wrongLoads names the servers whose stated loads break a rule; "/" is the sum. False: rounding decides.
func (q *queues) wrongLoads(sol *model.Solution, view model.Queueing) (found map[string]bool, clear bool) {
	found = map[string]bool{}
	rates, placed := map[string]float64{}, 0
	sum := exactly()
	for _, l := range sol.Loads {
		name := l.Cluster + "/" + l.Machine
		if _, twice := rates[name]; twice || !slices.Contains(q.names, name) {
			found[name] = true
		}
		rates[name] = l.Rate
		sum.Add(sum, exactly([]float64{l.Rate}))
	}
	for s, name := range q.names {
		placed += len(q.jobs[s])
		rate := rates[name]
		if rate < q.own(s)*(1-0x1p-50) || max(rate, q.own(s)) >= q.mu[s] && max(rate, q.own(s)) > 0 {
			found[name] = true
		}
	}
	least := float64(placed) / q.period
	most := max(view.Rate, least)
	if view.Rate-float64(placed)/q.period > 1e-9*view.Rate {
		least = most
	}
	slack := 0x1p-50 * most * float64(len(q.names))
	total, _ := sum.Float64()
	under, _ := exactly([]float64{least}, []float64{-1, slack}).Sub(exactly([]float64{least}, []float64{-1, slack}), sum).Float64()
	over, _ := sum.Sub(sum, exactly([]float64{most}, []float64{slack})).Float64()
	if under > 0 || over > 0 {
		found["/"] = true
	}
	return found, math.Abs(under) > 1e-16*total && math.Abs(over) > 1e-16*total
}

// rated draws loads that suit a schedule but for a little.
func (q *queues) rated(t *rapid.T, view model.Queueing, placed int) (loads []model.Load, rates []float64) {
	idle := max(0, view.Rate-float64(placed)/q.period)
	shares := rapid.SliceOfN(rapid.IntRange(0, 3), len(q.names), len(q.names)).Draw(t, "shares")
	all := 0
	for _, x := range shares {
		all += x
	}
	for s := range q.names {
		rate := q.own(s)
		if all > 0 {
			rate += idle * float64(shares[s]) / float64(all)
		}
		switch rapid.IntRange(0, 9).Draw(t, "off") {
		case 0:
			rate *= 1 + rapid.SampledFrom([]float64{0x1p-51, -0x1p-51, 0x1p-44, -0x1p-44, 0.5, -0.5}).Draw(t, "by")
		case 1:
			rate = 0
		}
		rates = append(rates, rate)
		var l model.Load
		for c := range q.in.Clusters() {
			for g := range q.in.Clusters()[c].Machines {
				m := &q.in.Clusters()[c].Machines[g]
				for k := range m.Count {
					if id := q.in.Clusters()[c].ID; id+"/"+m.Name(k) == q.names[s] {
						l = model.Load{Cluster: id, Machine: m.Name(k), Rate: rate}
					}
				}
			}
		}
		if rate > 0 {
			loads = append(loads, l)
		}
	}
	return loads, rates
}

// On random schedules: the penalty of stated loads and of none, and which loads are refused.
func TestPenaltyAndLoadsAreThoseOfTheRules(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			_, spec, sol, _ := timed(t)
			rate := rapid.SampledFrom([]float64{0.001, 0.01, 0.1, 0.5}).Draw(t, "rate")
			spec.Queueing = &model.QueueingSpec{Rate: rate, Period: max(1, float64(len(spec.Jobs))) / rate * rapid.SampledFrom([]float64{1, 1, 2, 0.5}).Draw(t, "period"),
				Charge: rapid.SampledFrom([]string{"response", "service"}).Draw(t, "charge")}
			if k := rapid.IntRange(0, 2).Draw(t, "k"); k < 2 {
				spec.Queueing.K = new(float64(k))
			}
			if rapid.Bool().Draw(t, "cv") {
				spec.Queueing.CV = new(0.5)
			}
			in, err := model.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			q, err := newQueues(in, spec, sol)
			if err != nil {
				t.Fatal(err)
			}
			q.compare(t, in, sol, seen)
		}
	})
	if seen["penalty"] < race.Enough(200) || seen["parked"] < race.Enough(100) || seen["infinite"] < race.Enough(20) || seen["right loads"] < race.Enough(50) || seen["wrong loads"] < race.Enough(50) {
		t.Errorf("too few cases: %v", seen)
	}
}

// compare compares the penalty without loads and with some.
func (q *queues) compare(t *rapid.T, in *model.Instance, sol *model.Solution, seen map[string]int) {
	view, placed := in.Queueing(), len(q.placed)
	own := make([]float64, len(q.names))
	for s := range own {
		own[s] = q.own(s)
	}
	loads, rates := q.rated(t, view, placed)
	penalty := func() float64 {
		x, ok := evaluated(t, in, sol).Metrics.Get("qos_penalty")
		if !ok {
			return math.Inf(1)
		}
		return x
	}
	close := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b)+1e-14*float64(placed) }
	parked := penalty()
	least, clear := q.penalty(own, view)
	switch idle := view.Rate-float64(placed)/q.period > 1e-9*view.Rate; {
	case !clear:
	case !idle:
		if seen["penalty"]++; !close(parked, least) {
			t.Fatalf("without an idle rate the penalty is %v, expected %v; view %+v, μ %v, κ %v, jobs %v", parked, least, view, q.mu, q.kappa, q.jobs)
		}
	default:
		if seen["parked"]++; parked < least*(1-1e-9)-1e-12 {
			t.Fatalf("with an idle rate the penalty is %v, and %v without", parked, least)
		}
	}
	if len(loads) == 0 {
		return
	}
	sol.Loads = loads
	if rapid.IntRange(0, 7).Draw(t, "odd") == 0 {
		sol.Loads = append(sol.Loads, model.Load{Cluster: loads[0].Cluster, Machine: rapid.SampledFrom([]string{"x", loads[0].Machine}).Draw(t, "name"), Rate: loads[0].Rate})
	}
	found := model.Check(in, sol)
	got := reported(found, "loads", func(v model.Violation) string { return v.Cluster + "/" + v.Resource })
	want, sure := q.wrongLoads(sol, view)
	if sure && !maps.Equal(got, want) {
		t.Fatalf("loads %v, λ %v, T %v, μ %v: found %v, expected %v", sol.Loads, view.Rate, view.Period, q.mu, got, want)
	}
	at, clear := q.penalty(rates, view)
	if stated := penalty(); clear && len(want) == 0 && !close(stated, at) {
		t.Fatalf("at %v the penalty is %v, expected %v", sol.Loads, stated, at)
	}
	if math.IsInf(at, 1) {
		seen["infinite"]++
	}
	if len(want) > 0 {
		seen["wrong loads"]++
		return
	}
	if seen["right loads"]++; clear && parked > at*(1+1e-9)+1e-12 {
		t.Fatalf("parked best the penalty is %v, and %v at %v", parked, at, fmt.Sprint(sol.Loads))
	}
}
