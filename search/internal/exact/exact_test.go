package exact_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/exact"
)

// exhaustObjectives are the objectives whose optimum the tests find by enumeration.
var exhaustObjectives = []map[string]float64{
	{"makespan": 1}, {"over_deadline": 1, "makespan": 0.3}, {"mcp": 1}, {"mean_response": 1}, {"mcp": 1, "makespan": 0.5}, {"over_deadline": 1},
}

// randomBatch has 3 to 5 jobs on one or two clusters, many with deadlines, some with arrivals. If waits is set, some jobs wait
// for others or need one of two licences.
func randomBatch(t *testing.T, seed uint64, waits bool) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 15))
	b := model.NewBuilder("batch")
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(float64(1 + rng.IntN(4))), Makespan: new(float64(1 + rng.IntN(3))), IdleTime: new(float64(rng.IntN(2)))}
	for c := range 1 + rng.IntN(2) {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 3 + rng.IntN(2), Speed: float64(1 + c)}}})
	}
	if waits {
		b.Spec().Licences = map[string]int{"l": 2}
	}
	for j := range 3 + rng.IntN(3) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(3)), Work: new(float64(1 + rng.IntN(8)))}
		if rng.IntN(3) > 0 {
			job.Deadline = new(float64(1 + rng.IntN(12)))
		}
		if rng.IntN(3) == 0 {
			job.Arrival = float64(rng.IntN(6))
		}
		if waits && j > 0 && rng.IntN(3) == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		if waits && rng.IntN(2) == 0 {
			job.Licences = map[string]int{"l": 1 + rng.IntN(2)}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// everySchedule puts the jobs on the clusters in every order of start, each as early as the order allows, and keeps the least
// value of each objective. It is a slow reference without any dominance.
type everySchedule struct {
	in         *model.Instance
	on         []int
	start, end []float64
	best       []float64 // by objective
}

// extend places one job more in every way, behind those placed so far.
func (e *everySchedule) extend(placed []int, now float64) {
	if len(placed) == len(e.on) {
		for k, v := range e.costs() {
			e.best[k] = min(e.best[k], v)
		}
		return
	}
	for j := range e.on {
		ready := max(now, e.in.Jobs()[j].Arrival)
		if e.on[j] >= 0 || slices.ContainsFunc(e.in.Jobs()[j].After, func(before int) bool { return e.on[before] < 0 }) {
			continue
		}
		for _, before := range e.in.Jobs()[j].After {
			ready = max(ready, e.end[before])
		}
		for c := range e.in.Clusters() {
			start := e.earliest(placed, j, c, ready)
			e.on[j], e.start[j], e.end[j] = c, start, start+e.in.DurationOn(j, c, e.in.Jobs()[j].Min)
			e.extend(append(placed[:len(placed):len(placed)], j), start)
			e.on[j] = -1
		}
	}
}

// earliest is the first time from ready on at which the job has its processors and licences. All that is placed has started by then, so
// that more and more is free.
func (e *everySchedule) earliest(placed []int, j, c int, ready float64) float64 {
	times := []float64{ready}
	for _, other := range placed {
		if e.end[other] > ready {
			times = append(times, e.end[other])
		}
	}
	slices.Sort(times)
	for _, t := range times {
		processors, licences := e.in.Clusters()[c].Processors-e.in.Jobs()[j].Min, 2-copiesOf(e.in, j)
		for _, other := range placed {
			if e.end[other] <= t {
				continue
			}
			if licences -= copiesOf(e.in, other); e.on[other] == c {
				processors -= e.in.Jobs()[other].Min
			}
		}
		if processors >= 0 && licences >= 0 {
			return t
		}
	}
	panic("a job that never fits")
}

// copiesOf are the copies of the one licence that the job needs.
func copiesOf(in *model.Instance, j int) int {
	for _, need := range in.Jobs()[j].Licences {
		return need.Copies
	}
	return 0
}

// costs are the values of the objectives, by the definitions of the metrics.
func (e *everySchedule) costs() []float64 {
	n, makespan, over, mcp, response := float64(len(e.on)), 0.0, 0.0, 0.0, 0.0
	for c := range e.in.Clusters() {
		cluster := &e.in.Clusters()[c]
		last, busy, late, jobs := 0.0, 0.0, 0.0, 0.0
		for j, on := range e.on {
			if on != c {
				continue
			}
			job := &e.in.Jobs()[j]
			last = max(last, e.end[j]-e.in.FirstArrival())
			busy += float64(job.Min) * (e.end[j] - e.start[j])
			late += max(0, e.end[j]-job.Deadline)
			response += (e.end[j] - job.Arrival) / n
			jobs++
		}
		w := cluster.Weights
		mcp += (w.IdleTime*(float64(cluster.Processors)*last-busy) + w.Makespan*last + w.OverDeadline*late) / (w.IdleTime + w.Makespan + w.OverDeadline) * jobs / n
		makespan, over = max(makespan, last), over+late
	}
	return []float64{makespan, over + 0.3*makespan, mcp, response, mcp + 0.5*makespan, over}
}

// The search finds the optimum without a limit and with a limit a little above it. With a limit below the optimum it finds
// nothing that costs less.
func TestExactFindsTheOptimum(t *testing.T) {
	ctx := context.Background()
	for _, waits := range []bool{false, true} {
		seeds := race.Fewer(uint64(150), 20)
		if waits { // more seeds, as the end of a job that others wait for matters in few of them
			seeds = race.Fewer(uint64(600), 20)
		}
		for seed := range seeds {
			in := randomBatch(t, seed, waits)
			n := len(in.Jobs())
			e := &everySchedule{in: in, on: slices.Repeat([]int{-1}, n), start: make([]float64, n), end: make([]float64, n),
				best: slices.Repeat([]float64{math.Inf(1)}, len(exhaustObjectives))}
			e.extend(nil, in.FirstArrival())
			for k, objective := range exhaustObjectives {
				minimised, err := in.WithObjective(objective)
				if err != nil {
					t.Fatal(err)
				}
				for _, limit := range []float64{math.Inf(1), e.best[k] + 1e-6, e.best[k] - 1e-6} {
					found, err := exact.Minimise(ctx, minimised, limit, 0)
					switch {
					case err != nil || !found.Proved:
						t.Fatalf("waits %v, seed %d, %v, limit %v: proved %v, %v", waits, seed, objective, limit, found.Proved, err)
					case found.Solution == nil:
						if limit > e.best[k] {
							t.Errorf("waits %v, seed %d, %v: nothing below %v, the optimum is %v", waits, seed, objective, limit, e.best[k])
						}
						continue
					}
					report := model.Check(minimised, found.Solution)
					worse := limit > e.best[k] && report.Objective > e.best[k]+1e-9
					if !report.OK() || worse || report.Objective < e.best[k]-1e-9 {
						t.Errorf("waits %v, seed %d, %v, limit %v: found %v, the optimum is %v; %v", waits, seed, objective, limit, report.Objective, e.best[k], report.Violations)
					}
				}
			}
		}
	}
}

// The rounding error that a search states is as large as that of any end: the exact sum of the durations before it. Only sums without any are
// called exact.
func TestRoundingIsStated(t *testing.T) {
	for _, c := range []struct {
		objective map[string]float64
		work      float64
		exact     bool
	}{
		{map[string]float64{"makespan": 1}, 3, true},
		{map[string]float64{"makespan": 1}, 0.25, true},
		{map[string]float64{"makespan": 1}, 0.1, false},
		{map[string]float64{"makespan": 0.1}, 3, false},
		{map[string]float64{"makespan": 1, "missed": 1 << 53}, 3, false},
		{map[string]float64{"mean_wait": 1}, 3, false},
	} {
		b := model.NewBuilder("rounding").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		const jobs = 8
		for j := range jobs {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: &c.work})
		}
		in, err := b.Build()
		if err == nil {
			in, err = in.WithObjective(c.objective)
		}
		if err != nil {
			t.Fatal(err)
		}
		found, err := exact.Minimise(t.Context(), in, math.Inf(1), 0)
		if err != nil || found.Solution == nil {
			t.Fatalf("%v: %v", c, err)
		}
		last := 0.0
		for _, p := range found.Solution.Jobs {
			last = max(last, p.End)
		}
		off := new(big.Rat).SetFloat64(last)
		off.Sub(off, new(big.Rat).Mul(big.NewRat(jobs, 1), new(big.Rat).SetFloat64(c.work)))
		if off.Abs(off).Cmp(new(big.Rat).SetFloat64(found.Rounding)) > 0 || found.Exact != c.exact {
			t.Errorf("%+v: the last end is off by %s, stated is %v; exact: %t", c, off.FloatString(25), found.Rounding, found.Exact)
		}
	}
}

// A job starts at once behind one that takes no time, even where the horizon leaves no unit to wait.
func TestPowerWaitsForNoTime(t *testing.T) {
	b := model.NewBuilder("instant").Minimise("energy", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 1, Power: &model.PowerSpec{Idle: 1, Busy: 3}}}})
	b.Job(model.JobSpec{ID: "instant", Work: new(0.0), Processors: model.Rigid(1)})
	b.Job(model.JobSpec{ID: "behind", Work: new(1.0), Processors: model.Rigid(1), After: []string{"instant"}})
	b.Spec().Horizon = &model.HorizonSpec{From: 0, To: 1}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	found, err := exact.Minimise(t.Context(), in, math.Inf(1), 0)
	if err != nil || !found.Proved || found.Solution == nil {
		t.Errorf("%+v, %v", found, err)
	}
}
