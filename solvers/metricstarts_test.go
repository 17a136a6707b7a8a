package solvers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

// eachAlone places one job after another on the cluster where the objective rises least, by the evaluator; of equal ones where the job ends first. It is the objective of the
// schedule, and whether every job has a place.
func eachAlone(t *testing.T, in *model.Instance) (float64, *model.Solution) {
	t.Helper()
	order := plan.ArrivalOrder(in)
	var chosen []int // by place in the order; -1: left out
	made := func(more int) (*model.Solution, float64, bool) {
		s, err := plan.NewCheapSchedule(in, plan.Placing{})
		if err != nil {
			t.Fatal(err)
		}
		end := 0.0
		for k, cluster := range append(chosen[:len(chosen):len(chosen)], more) {
			slot, ok := s.Earliest(order[k], cluster)
			if !ok {
				return nil, 0, false
			}
			s.Place(order[k], slot)
			end = slot.End
		}
		for _, job := range order[len(chosen)+1:] {
			s.Leave(job, "not looked at")
		}
		return s.Solution(), end, true
	}
	var sol *model.Solution
	value := 0.0
	for range order {
		best, least, first := -1, math.Inf(1), math.Inf(1)
		for c := range in.Clusters() {
			tried, end, ok := made(c)
			if !ok {
				continue
			}
			got, err := model.EvaluateObjective(in, tried)
			if err != nil {
				t.Fatal(err)
			}
			if got < least-1e-12 || got <= least+1e-12 && end < first {
				best, least, first, sol, value = c, got, end, tried, got
			}
		}
		if best < 0 {
			return 0, nil
		}
		chosen = append(chosen, best)
	}
	return value, sol
}

// batchFor is a random batch that the metric measures something of.
func batchFor(t *testing.T, rng *rand.Rand, metric model.Metric) *model.Instance {
	t.Helper()
	if rng.IntN(3) == 0 && metric.Only == "" {
		_, maker, err := workload.Choose(fmt.Sprintf("four:jobs=%d", 10+rng.IntN(20)))
		if err != nil {
			t.Fatal(err)
		}
		in, err := maker.Generate(rng.Uint64())
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	s := model.InstanceSpec{Licences: map[string]int{"l": 2 + rng.IntN(3)}}
	pick := func(of ...float64) float64 { return of[rng.IntN(len(of))] }
	switch metric.Only {
	case "power", "prices", "carbon":
		s.Horizon = &model.HorizonSpec{To: 400}
	}
	switch metric.Only {
	case "queueing view":
		s.Queueing = &model.QueueingSpec{Rate: pick(0, 0.1)}
	case "devices":
		s.Devices = []string{"gpu"}
	case "prices", "carbon":
		s.Tariff = &model.TariffSpec{Price: [][]float64{{0, 1}, {10, 3}, {25, 2}}, Carbon: [][]float64{{0, 2}, {10, 1}, {25, 5}}, Per: 1}
	}
	for c := range 2 + rng.IntN(2) {
		m := model.MachineSpec{ID: "m", Count: 2 + rng.IntN(3), Speed: pick(1, 1, 2), Cost: pick(1, 2, 3), Bandwidth: pick(1, 2)}
		switch metric.Only {
		case "queueing view":
			m.Queue = &model.QueueSpec{ServiceRate: pick(1, 2)}
		case "devices":
			m.Resources = map[string]float64{"gpu": pick(1, 2)}
		case "power", "prices", "carbon":
			m.Power = &model.PowerSpec{Idle: 1, Busy: pick(1, 2, 5)}
		}
		s.Clusters = append(s.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{m}})
	}
	for k := range 6 + rng.IntN(14) {
		j := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(float64(1 + rng.IntN(20))), Processors: model.Rigid(1 + rng.IntN(2)), Input: pick(0, 3), Deadline: new(float64(5 + rng.IntN(60))), Budget: new(pick(10, 30))}
		if rng.IntN(2) == 0 {
			j.Licences = map[string]int{"l": 1}
		}
		if rng.IntN(2) == 0 {
			j.Arrival = float64(rng.IntN(30))
			*j.Deadline += j.Arrival
		}
		if metric.Only == "devices" {
			j.Resources = map[string]float64{"gpu": pick(0.5, 1)}
		}
		s.Jobs = append(s.Jobs, j)
	}
	in, err := model.New(s)
	if err != nil {
		t.Fatal(metric.Name, err)
	}
	return in
}

// Whatever metric an instance asks for, auto and search are no worse than a schedule in which each job goes where the metric rises least.
func TestStartsFollowTheMetric(t *testing.T) {
	for _, metric := range model.MetricTable() {
		if metric.PerCluster {
			continue
		}
		for seed := range race.Enough(3) {
			in, err := batchFor(t, rand.New(rand.NewPCG(uint64(seed), 9)), metric).WithObjective(map[string]float64{metric.Name: 1})
			if err != nil {
				t.Fatal(err)
			}
			want, alone := eachAlone(t, in)
			if alone == nil {
				continue
			}
			if report := model.Check(in, alone); !report.OK() {
				t.Fatalf("%s: %v", metric.Name, report.Violations)
			}
			for _, name := range []string{"auto", "search"} {
				info, err := solve.Lookup(name)
				if err != nil {
					t.Fatal(err)
				}
				result, err := solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 60, Strict: true, Unbounded: true})
				if err != nil {
					t.Fatalf("%s, seed %d, %s: %v", metric.Name, seed, name, err)
				}
				if got := *result.Solution.Objective; got > want+1e-9*math.Abs(want) {
					t.Errorf("%s, seed %d, %d jobs, %s: %v, each job alone %v", metric.Name, seed, len(in.Jobs()), name, got, want)
				}
			}
		}
	}
}
