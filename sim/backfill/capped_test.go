package backfill_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// cappedTrace is a trace with a power cap, all times whole, in which no job outlives its estimate.
func cappedTrace(t *rapid.T, least int) *model.Instance {
	b := model.NewBuilder("capped")
	processors := rapid.IntRange(1, 6).Draw(t, "processors")
	idle, busy := rapid.SampledFrom([]float64{0, 0.1, 90}).Draw(t, "idle"), rapid.SampledFrom([]float64{0, 0.1, 5}).Draw(t, "busy")
	spec := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: processors, Power: &model.PowerSpec{Idle: idle, Busy: busy}}}}
	all := 0.0
	for range processors {
		all += idle
	}
	at := 0
	for range rapid.IntRange(1, 5).Draw(t, "caps") {
		at += rapid.IntRange(1, 9).Draw(t, "gap")
		spec.PowerCap = append(spec.PowerCap, []float64{float64(at), (all + busy*float64(rapid.IntRange(0, processors).Draw(t, "cap"))) * (1 + 1e-15)})
	}
	b.Cluster(spec)
	last := 0
	for k := range rapid.IntRange(1, 14).Draw(t, "jobs") {
		last += rapid.IntRange(0, 4).Draw(t, "gap")
		work := rapid.IntRange(least, 7).Draw(t, "work")
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: float64(last), Work: new(float64(work)), Estimate: new(float64(work + rapid.IntRange(0, 3).Draw(t, "over"))),
			Processors: model.Rigid(rapid.IntRange(1, processors).Draw(t, "width"))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// slowCapped is EASY of a depth, or FCFS with depth 0, under a cap, by a table of the processors that are left at each whole time. It returns the starts, −1 for a job that is
// dropped.
func slowCapped(in *model.Instance, depth int) []float64 {
	const horizon = 600
	cluster := &in.Clusters()[0]
	limit := make([]int, horizon)
	for at := range limit {
		limit[at] = cluster.Processors
		for _, c := range cluster.PowerCap {
			if c.Time > float64(at) {
				break
			}
			for limit[at] = 0; limit[at] < cluster.Processors; limit[at]++ {
				sum := 0.0
				for range cluster.Processors {
					sum += cluster.Machines[0].Power.Idle
				}
				for range limit[at] + 1 {
					sum += cluster.Machines[0].Power.Busy
				}
				if sum > c.Value*(1+1e-12) {
					break
				}
			}
		}
	}
	jobs := in.Jobs()
	starts, decided := make([]float64, len(jobs)), make([]bool, len(jobs))
	for now := 0; slices.Contains(decided, false) && now < horizon/2; now++ {
		plan, free := slices.Clone(limit), cluster.Processors
		take := func(k, from, to int) {
			for at := from; at < to && at < horizon; at++ {
				plan[at] -= jobs[k].Min
			}
		}
		for k := range jobs {
			if decided[k] && starts[k] >= 0 && int(starts[k]+jobs[k].Work) > now {
				free -= jobs[k].Min
				take(k, now, int(starts[k]+jobs[k].Estimate))
			}
		}
		reserved := 0
		for k := range jobs {
			if decided[k] || int(jobs[k].Arrival) > now || reserved > 0 && depth == 0 {
				continue
			}
			length, at := int(jobs[k].Estimate), now
			for fits := false; !fits && at+length < horizon; {
				fits = true
				for u := at; u < at+length; u++ {
					if plan[u] < jobs[k].Min {
						fits, at = false, u+1
						break
					}
				}
			}
			switch last := reserved >= max(1, depth); {
			case at == now && jobs[k].Min <= free:
				decided[k], starts[k], free = true, float64(now), free-jobs[k].Min
				take(k, now, now+length)
			case last:
			case at+length >= horizon:
				decided[k], starts[k] = true, -1
			default:
				reserved++
				take(k, at, at+length)
			}
		}
	}
	return starts
}

// Under a cap the policies do what looking at every time comes to, and the checker finds nothing wrong.
func TestPowerCaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(0, 1).Draw(t, "least") // jobs that take no time are left to the checker
		in := cappedTrace(t, least)
		if err := sim.CheckPower(in, false); err != nil {
			t.Fatal(err)
		}
		for depth, rules := range map[int]sim.Discipline{
			0: backfill.FCFS(backfill.DefaultRanking()), 1: backfill.EASY(1, 1, backfill.DefaultRanking()), 3: backfill.EASY(1, 3, backfill.DefaultRanking()),
		} {
			sol, _, err := sim.Simulate(t.Context(), in, rules, sim.Options{})
			if err != nil {
				t.Fatalf("depth %d: %v", depth, err)
			}
			if report := model.Check(in, sol); !report.OK() {
				t.Fatalf("depth %d: %v", depth, report.Violations)
			}
			found := make([]float64, len(in.Jobs()))
			for k := range found {
				found[k] = -1
			}
			for _, p := range sol.Jobs {
				k, _ := in.JobIndex(p.Job)
				found[k] = p.Start
			}
			if want := slowCapped(in, depth); least > 0 && !slices.Equal(found, want) {
				t.Fatalf("depth %d: starts %v, expected %v", depth, found, want)
			}
		}
	})
}

// What a cap on line cannot do is said before.
func TestPowerCapsThatAreRefused(t *testing.T) {
	build := func(change func(*model.InstanceSpec)) *model.Instance {
		b := model.NewBuilder("refused")
		b.Cluster(model.ClusterSpec{ID: "c", PowerCap: [][]float64{{0, 40}, {5, 25}}, Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 10, Busy: 5}}, {ID: "n", Power: &model.PowerSpec{Idle: 0, Busy: 5}}}})
		b.Job(model.JobSpec{ID: "a", Work: new(3.0)}, model.JobSpec{ID: "b", Work: new(3.0)})
		change(b.Spec())
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	for name, c := range map[string]struct {
		change    func(*model.InstanceSpec)
		ok, kills bool // allowed; allowed where jobs are killed
	}{
		"equal power":      {func(*model.InstanceSpec) {}, true, true},
		"unequal machines": {func(s *model.InstanceSpec) { s.Clusters[0].Machines[1].Power.Busy = 4 }, true, true},
		"a job's own":      {func(s *model.InstanceSpec) { s.Jobs[1].Power = new(6.0) }, true, true},
		"a job's, equal":   {func(s *model.InstanceSpec) { s.Jobs[1].Power = new(5.0) }, true, true},
		"all jobs' own": {func(s *model.InstanceSpec) {
			s.Jobs[0].Power, s.Jobs[1].Power, s.Clusters[0].Machines[1].Power.Busy = new(6.0), new(6.0), 1
		}, true, true},
		"outlives": {func(s *model.InstanceSpec) { s.Jobs[0].Estimate = new(2.0) }, false, true},
		"outlives, the cap rises": {func(s *model.InstanceSpec) {
			s.Jobs[0].Estimate, s.Clusters[0].PowerCap = new(2.0), [][]float64{{0, 25}, {5, 40}}
		}, true, true},
		"outlives, the cap begins later": {func(s *model.InstanceSpec) {
			s.Jobs[0].Estimate, s.Clusters[0].PowerCap = new(2.0), [][]float64{{1, 25}, {5, 40}}
		}, false, true},
		"asleep": {func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Power.Off, s.Clusters[0].Machines[0].Power.SuspendAfter = []model.OffSpec{{Name: "off"}}, new(3.0)
		}, false, false},
		"a running job outlives": {func(s *model.InstanceSpec) {
			s.Jobs[0].Estimate, s.Jobs[0].Running = new(2.0), &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}
		}, false, false},
		"closed": {func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Closed = []model.ClosedSpec{{From: 1, To: new(2.0)}}
		}, true, true},
		"closed, asleep, no cap": {func(s *model.InstanceSpec) {
			s.Clusters[0].PowerCap, s.Clusters[0].Machines[1].Closed = nil, []model.ClosedSpec{{From: 1, To: new(2.0)}}
			s.Clusters[0].Machines[0].Power.Off, s.Clusters[0].Machines[0].Power.SuspendAfter = []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1}}}, new(3.0)
		}, false, false},
		"closed, asleep, awake at once": {func(s *model.InstanceSpec) {
			s.Clusters[0].PowerCap, s.Clusters[0].Machines[1].Closed = nil, []model.ClosedSpec{{From: 1, To: new(2.0)}}
			s.Clusters[0].Machines[0].Power.Off, s.Clusters[0].Machines[0].Power.SuspendAfter = []model.OffSpec{{Name: "off"}}, new(3.0)
		}, true, true},
	} {
		in := build(c.change)
		if err := sim.CheckPower(in, false); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if err := sim.CheckPower(in, true); (err == nil) != c.kills {
			t.Errorf("%s, with kills: %v", name, err)
		}
	}
}
