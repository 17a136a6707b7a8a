package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// tinyMoldable has 1 to 3 jobs of up to 4 tasks on one cluster of up to 4 processors, most of them moldable, with context switches, messages, transfers, stated run times and arrivals.
func tinyMoldable(t testing.TB, rng *rand.Rand, unit float64) *model.Instance {
	t.Helper()
	b := model.NewBuilder("tiny")
	cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 1 + rng.IntN(4), Speed: float64(1 + rng.IntN(2)), Bandwidth: 1 / unit}}}
	if rng.IntN(2) == 0 {
		cluster.Overheads = &model.Overheads{ContextSwitch: unit * float64(rng.IntN(3))}
	}
	cluster.Network = &model.Network{Latency: unit * float64(rng.IntN(2)), Bandwidth: 1 / unit}
	b.Cluster(cluster)
	for j := range 1 + rng.IntN(3) {
		least := 1 + rng.IntN(2)
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Moldable(least, least+rng.IntN(3)), Tasks: 1 + rng.IntN(4), Work: new(unit * float64(rng.IntN(9)) / 2)}
		switch rng.IntN(5) {
		case 0:
			job.Message = float64(rng.IntN(3))
		case 1:
			job.Input, job.Output = float64(rng.IntN(2)), float64(rng.IntN(2))
		case 2:
			job.Work, job.Runtime = nil, map[string]float64{"c": unit * float64(rng.IntN(9))}
		case 3:
			job.Arrival = unit * float64(rng.IntN(3))
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// partitions lists the ways to share tasks among some number of processors in [least, most], each at least one task.
func partitions(tasks, least, most int) (all [][]int) {
	least, most = min(least, tasks), min(most, tasks)
	var extend func(left, largest int, parts []int)
	extend = func(left, largest int, parts []int) {
		if left == 0 && len(parts) >= least {
			all = append(all, slices.Clone(parts))
		}
		if len(parts) < most {
			for b := min(left, largest); b >= 1; b-- {
				extend(left-b, b, append(parts, b))
			}
		}
	}
	extend(tasks, tasks, nil)
	return all
}

// shortestMoldable is the makespan of the best of very many schedules: jobs in every order, tasks shared in every way, each processor released as soon as its own part ends, if not all of a rigid job end together. It
// gives each job the processors that are free the latest before it starts, the longest part to the one that was free last.
func shortestMoldable(in *model.Instance) float64 {
	n, machine := len(in.Jobs()), &in.Clusters()[0].Machines[0]
	best := math.Inf(1)
	var place func(done int, free []float64, end float64)
	place = func(done int, free []float64, end float64) {
		if done == 1<<n-1 {
			best = min(best, end-in.FirstArrival())
			return
		}
		for j := range n {
			if done&(1<<j) != 0 || !in.CanRun(j, 0) {
				continue
			}
			least, most := in.Width(j, 0)
			job := &in.Jobs()[j]
			whole := job.Rigid() && (job.Tasks <= least || job.Tasks%least == 0) // it holds all its processors to its end
			for _, parts := range partitions(job.Tasks, least, min(most, in.Clusters()[0].Processors)) {
				if whole {
					parts = slices.Repeat([]int{(job.Tasks + least - 1) / least}, least)
				}
				after := slices.Clone(free)
				slices.Sort(after)
				start := max(after[len(parts)-1], job.Arrival)
				idle := 0
				for idle < len(after) && after[idle] <= start {
					idle++
				}
				longest := 0.0
				for k, b := range parts {
					busy := in.Busy(j, 0, machine.Speed, b)
					if whole {
						busy += in.Transfer(j, machine.Bandwidth)
					}
					after[idle-1-k] = start + busy
					longest = max(longest, busy)
				}
				if !whole {
					longest += in.Transfer(j, machine.Bandwidth)
				}
				place(done|1<<j, after, max(end, start+longest))
			}
		}
	}
	place(0, slices.Repeat([]float64{in.FirstArrival()}, in.Clusters()[0].Processors), in.FirstArrival())
	return best
}

// moldableBound is what the method alone proves.
func moldableBound(t testing.TB, in *model.Instance) (value float64, known bool) {
	t.Helper()
	r := newRelaxation(context.Background(), in)
	sum, ok := proveMoldable(context.Background(), r)
	if !ok {
		return 0, false
	}
	gate := &Gate{}
	gate.Prove(sum)
	return gate.Bound().Value()
}

// No schedule of tiny moldable jobs is shorter than the bound, in any unit of time, also where processors are released one by one. On enough instances it is the length of a schedule, and above what the
// jobs take one by one or together.
func TestMoldableDualIsABound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	tight, better, some := 0, 0, 0
	seeds := race.Fewer(12000, 600)
	for seed := range seeds {
		in := tinyMoldable(t, rng, []float64{1, 1e-9, 1e9, 0.1, 1.0 / 3}[seed%5])
		bound, known := moldableBound(t, in)
		if !known {
			continue
		}
		some++
		best := shortestMoldable(in)
		if bound > best*(1+1e-12) {
			t.Fatalf("instance %d: a bound of %v, a schedule of %v", seed, bound, best)
		}
		if bound >= best*(1-1e-6) {
			tight++
		}
		r := newRelaxation(context.Background(), in)
		if bound > plainBound(in, r)*(1+1e-6) {
			better++
		}
	}
	t.Logf("of %d instances %d bounds are tight, %d above area and longest job", some, tight, better)
	if some < seeds/3 || 3*tight < some || 20*better < some {
		t.Errorf("of %d instances %d have a bound, %d of them tight, %d above area and longest job", seeds, some, tight, better)
	}
}

// Every bound of the method has a certificate that is verified, and no certificate claims more than the shortest of very many schedules.
func TestMoldableDualIsCertified(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 44))
	verified, refuted := 0, 0
	seeds := race.Fewer(4000, 300)
	for seed := range seeds {
		in := tinyMoldable(t, rng, []float64{1, 1e-9, 1e9, 0.1, 1.0 / 3}[seed%5])
		p := NewCertified(t.Context(), in)
		p.Improve(t.Context(), 1)
		best := shortestMoldable(in)
		for _, c := range p.Certificates() {
			if c.Parts[0].Method != "moldable-dual" || c.Parts[0].Bound == 0 {
				continue
			}
			if r := proof.Check(t.Context(), in, c); r.Verdict != proof.Verified {
				t.Fatalf("instance %d: %v: %v", seed, c.Bound, r)
			}
			verified++
			for _, more := range []float64{1e-9, 1e-3, rng.Float64()} {
				above := best * (1 + more)
				c.Bound, c.Parts[0].Bound, c.Parts[0].By.Moldable.Makespan = model.ProvedBound(above), above, above
				if r := proof.Check(t.Context(), in, c); r.Verdict != proof.Refuted {
					t.Fatalf("instance %d: %v is proved (%v), a schedule takes %v", seed, above, r, best)
				}
				refuted++
			}
		}
	}
	if verified < seeds/3 {
		t.Errorf("of %d instances %d certificates were verified, %d refuted", seeds, verified, refuted)
	}
}

// plainBound is the longest job or the work of all tasks over the processors.
func plainBound(in *model.Instance, r *Relaxation) float64 {
	area, longest := 0.0, 0.0
	for _, j := range r.MustPlace() {
		area += r.areaOn(j, 0)
		longest = max(longest, r.ShortestTime(j))
	}
	return max(longest, area/float64(in.Processors()))
}

// Worked by hand: two jobs of 4 tasks of length 4 on 3 processors, a context switch of 1. The work is 32; with one processor a job has an overhead of 1. The plain area is 32/3.
// Within d < 13 a processor runs at most 2 tasks of a job (9; three take 13) and at most one in d/2 (5). Each job then needs at least 2 processors, and the two long
// parts each that this takes are 4 on 3 processors: one job has at most one long part, and 3 processors, so that all take 32 + 2 + 3 = 37 of processor time: d ≥ 37/3. From 13 on a
// processor runs 3 tasks, and in 6.5 one.
func TestMoldableDualByHand(t *testing.T) {
	in, err := model.NewBuilder("hand").
		Cluster(model.ClusterSpec{ID: "c", Overheads: &model.Overheads{ContextSwitch: 1}, Machines: []model.MachineSpec{{ID: "m", Count: 3}}}).
		Job(model.JobSpec{ID: "a", Processors: model.Moldable(1, 3), Tasks: 4, Work: new(4.0)}, model.JobSpec{ID: "b", Processors: model.Moldable(1, 3), Tasks: 4, Work: new(4.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	if bound, known := moldableBound(t, in); !known || math.Abs(bound-37.0/3) > 1e-6 {
		t.Errorf("a bound of %v (known: %v), want 37/3", bound, known)
	}
}

// The method says nothing about several clusters, unequal processors, whole machines and rigid jobs.
func TestMoldableDualRefuses(t *testing.T) {
	machine := model.MachineSpec{ID: "m", Count: 3}
	fast := model.MachineSpec{ID: "n", Count: 3, Speed: 2}
	moldable := model.JobSpec{ID: "a", Processors: model.Moldable(1, 3), Work: new(4.0)}
	for name, c := range map[string]struct {
		clusters []model.ClusterSpec
		job      model.JobSpec
		known    bool
	}{
		"one cluster":       {[]model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine}}}, moldable, true},
		"two clusters":      {[]model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine}}, {ID: "d", Machines: []model.MachineSpec{machine}}}, moldable, false},
		"unequal":           {[]model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine, fast}}}, moldable, false},
		"whole machines":    {[]model.ClusterSpec{{ID: "c", Allocation: "machine", Machines: []model.MachineSpec{machine}}}, moldable, false},
		"a rigid job alone": {[]model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{machine}}}, model.JobSpec{ID: "a", Processors: model.Rigid(2), Work: new(4.0)}, false},
	} {
		in, err := model.NewBuilder("x").Cluster(c.clusters...).Job(c.job).Build()
		if err != nil {
			t.Fatal(err)
		}
		if _, known := moldableBound(t, in); known != c.known {
			t.Errorf("%s: a bound: %v, want %v", name, known, c.known)
		}
	}
}
