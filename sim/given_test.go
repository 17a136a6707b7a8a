package sim_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// waiter is a scripted policy that is told of the announced jobs that leave.
type waiter struct {
	scripted
	retracted []string
}

func (p *waiter) Retract(j *sim.Job) { p.retracted = append(p.retracted, j.Request.ID) }

// fourProcessors is two machines of two processors each, and jobs.
func fourProcessors(t *testing.T, jobs ...model.JobSpec) *model.Instance {
	t.Helper()
	in, err := model.NewBuilder("four").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2}, {ID: "n", Processors: 1, Speed: 2}}}).Job(jobs...).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A claim may name its processors: it gets them, or breaks the rules where they are held or are not those of its shares. A limit below 0 ends
// the job at once.
func TestClaimOfTheVeryProcessors(t *testing.T) {
	in := fourProcessors(t, model.JobSpec{ID: "a", Work: new(3.0)}, model.JobSpec{ID: "b", Work: new(3.0)}, model.JobSpec{ID: "c", Work: new(3.0)})
	claim := func(machine int32, processor int, limit float64) []sim.Claim {
		return []sim.Claim{{Shares: []sim.Share{{Machine: machine, Processors: 1}}, Processors: model.Processors(processor), Limit: limit}}
	}
	p := &scripted{claims: func(j *sim.Job) []sim.Claim {
		return map[string][]sim.Claim{"a": claim(0, 2, 0), "b": {{Shares: []sim.Share{{Machine: 0, Processors: 1}}}}, "c": claim(1, 4, -1)}[j.Request.ID]
	}}
	sol := p.run(t, in, sim.Options{})
	if got := fmt.Sprint(sol.Jobs[0].Processors, sol.Jobs[1].Processors, sol.Unscheduled); got != "2 0 [{c killed at the end of its time: started at 0, ended at 0}]" {
		t.Error(got)
	}
	for name, claims := range map[string][]sim.Claim{"held": claim(0, 1, 0), "of another machine": claim(0, 4, 0), "too many": {{Shares: []sim.Share{{Processors: 1}}, Processors: model.Processors(2, 3)}}} {
		p := &scripted{claims: func(j *sim.Job) []sim.Claim {
			if j.Request.ID == "a" {
				return claim(0, 1, 0)
			}
			return claims
		}}
		_, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy { p.platform = platform; return p }}, sim.Options{})
		if !errors.Is(err, sim.ErrPolicy) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A policy hears of the jobs that never join the queue: one that no machine can run, and one that waits for it.
func TestRetractor(t *testing.T) {
	in := fourProcessors(t, model.JobSpec{ID: "wide", Processors: model.Rigid(9), Work: new(1.0)}, model.JobSpec{ID: "after", Work: new(1.0), After: []string{"wide"}}, model.JobSpec{ID: "other", Work: new(1.0)})
	p := &waiter{scripted: scripted{claims: func(*sim.Job) []sim.Claim { return []sim.Claim{{Shares: []sim.Share{{Processors: 1}}}} }}}
	sol, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy { p.platform = platform; return p }}, sim.Options{})
	if err != nil || len(sol.Jobs) != 1 || fmt.Sprint(p.retracted) != "[wide after]" {
		t.Errorf("%v, %v retracted, %v", sol, p.retracted, err)
	}
}

// Machines that differ in cost alone are one for a policy that does not look at costs, and apart for one that does.
func TestCostsTellMachinesApart(t *testing.T) {
	in, err := model.NewBuilder("costs").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Cost: 1}, {ID: "n", Count: 3, Cost: 2}}}).Job(model.JobSpec{ID: "a", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for costs, want := range map[bool]string{false: "[5]", true: "[2 3]"} {
		var got []int
		p := &scripted{claims: func(*sim.Job) []sim.Claim { return []sim.Claim{{Shares: []sim.Share{{Processors: 1}}}} }}
		_, _, err := sim.Simulate(context.Background(), in, sim.Discipline{Costs: costs, General: func(platform *sim.Platform, _ uint64) sim.Policy {
			for _, m := range platform.Machines {
				got = append(got, m.Processors)
			}
			p.platform = platform
			return p
		}}, sim.Options{})
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("costs %v: machines of %v processors, %v", costs, got, err)
		}
	}
}
