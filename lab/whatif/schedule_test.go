package whatif_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// drawn is some rigid jobs on two machines of four processors, which count one by one if byNode is set.
func drawn(r *rapid.T, byNode bool) *model.Instance {
	machine := model.MachineSpec{ID: "m", Count: 2, Processors: 4}
	if byNode {
		machine.Resources = map[string]float64{"gpu": 2}
	}
	b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine}})
	for k := range rapid.IntRange(2, 9).Draw(r, "jobs") {
		length := float64(rapid.IntRange(1, 9).Draw(r, "length"))
		j := model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: float64(rapid.IntRange(0, 12).Draw(r, "arrival")), Processors: model.Rigid(rapid.IntRange(1, 8).Draw(r, "processors")),
			Work: new(length), Estimate: new(length + float64(rapid.IntRange(0, 3).Draw(r, "slack"))),
		}
		if byNode && j.Processors.Min <= 4 && rapid.Bool().Draw(r, "on one machine") {
			j.Block = j.Processors.Min
			j.Resources = map[string]float64{"gpu": float64(rapid.IntRange(0, 2).Draw(r, "gpus"))}
		}
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		r.Fatal(err)
	}
	return in
}

// What an answer says of the job and of those that delay it is what the schedule of the policy has: starts, ends, processors, machines, and the delay as
// processors times time. It is the delay of all processors, as the job can use each machine.
func TestAnswersAreThoseOfTheSchedule(t *testing.T) {
	policies := []solve.Policy{solve.Default[solvers.EASY](), solve.Default[solvers.FCFS](), solve.Default[solvers.Conservative]()}
	roles := map[string]int{}
	rapid.Check(t, func(r *rapid.T) {
		byNode := rapid.Bool().Draw(r, "by node")
		in, policy := drawn(r, byNode), rapid.SampledFrom(policies).Draw(r, "policy")
		sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{Seed: 1})
		if err != nil {
			r.Fatal(err)
		}
		for k := range in.Jobs() {
			answer, err := whatif.Submit(t.Context(), "p", policy, in, in.Jobs()[k].ID, 1)
			if err != nil {
				r.Fatal(err)
			}
			placed := map[string]model.Placement{}
			for i := range sol.Jobs {
				placed[sol.Jobs[i].Job] = sol.Jobs[i]
			}
			own := placed[in.Jobs()[k].ID]
			if *answer.Start != own.Start || *answer.End != own.End || *answer.Wait != own.Start-in.Jobs()[k].Arrival || answer.Cluster != "c" {
				r.Fatalf("%+v, and the schedule has %+v", answer, own)
			}
			var machines []string
			for _, run := range own.Processors {
				for p := run.First; p <= run.Last; p++ {
					if name := fmt.Sprintf("m[%d]", p/4); counted(in) && !slices.Contains(machines, name) {
						machines = append(machines, name)
					}
				}
			}
			if !slices.Equal(answer.Machines, machines) {
				r.Fatalf("machines %v, and the schedule has %v", answer.Machines, machines)
			}
			listed := map[string]bool{}
			for _, b := range answer.Holders() {
				other := placed[b.Job]
				i, _ := in.JobIndex(b.Job)
				j := &in.Jobs()[i]
				delay := float64(j.Min) * (min(other.End, own.Start) - max(other.Start, answer.Submitted))
				if listed[b.Job] || b.Processors != j.Min || b.Submitted != j.Arrival || *b.Start != other.Start || b.End != nil && *b.End != other.End || *b.EstimatedEnd != other.Start+j.Estimate || math.Abs(b.Share-delay) > 1e-9 {
					r.Fatalf("blocked by %+v with a delay of %v; the schedule has %+v and a delay of %v", b, b.Share, other, delay)
				}
				listed[b.Job] = true
				roles[b.Role]++
				before := j.Arrival < answer.Submitted || j.Arrival == answer.Submitted && i < k
				if other.Start < answer.Submitted && b.Role != "running" || b.Role == "overtook" && before || b.Role == "went before" && !before {
					r.Fatalf("the role of %+v, which arrived before the job: %v", b, before)
				}
			}
			for i := range in.Jobs() {
				other := placed[in.Jobs()[i].ID]
				if i != k && min(other.End, own.Start)-max(other.Start, answer.Submitted) > 0 && !listed[in.Jobs()[i].ID] {
					r.Fatalf("job %s runs while %s waits, and is not listed: %+v", in.Jobs()[i].ID, answer.Job, answer.Holders())
				}
			}
		}
	})
	for _, role := range []string{"running", "went before", "overtook"} {
		if roles[role] < race.Enough(5) {
			t.Errorf("%d blockers %s", roles[role], role)
		}
	}
}

// counted says whether some job asks for something of a machine.
func counted(in *model.Instance) bool {
	for k := range in.Jobs() {
		if n := in.Jobs()[k].Node(); n.Block > 1 || len(n.Resources) > 0 {
			return true
		}
	}
	return false
}

// Processors are free, but on machines whose memory is taken.
func TestWhyAJobWaitsForMemory(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Memory: new(10.0)}, {ID: "n", Count: 3, Memory: new(4.0)}}}).Job(
		model.JobSpec{ID: "busy", Work: new(40.0), Memory: 9}, model.JobSpec{ID: "asked", Arrival: 1, Work: new(5.0), Processors: model.Rigid(2), Memory: 8},
	).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []solve.Policy{solve.Default[solvers.EASY](), solve.Default[solvers.FCFS](), solve.Default[solvers.Conservative]()} {
		answer, err := whatif.Submit(t.Context(), "p", policy, in, "asked", 1)
		if err != nil {
			t.Fatal(err)
		}
		if c := answer.Causes; *answer.Start != 40 || len(c) != 1 || c[0].Kind != "machines" || c[0].Text != "4 processors are free on c, but too few with the memory or on the machine that it needs" {
			t.Errorf("start %v, causes %+v", *answer.Start, c)
		}
	}
}

// Where a device and something else are both short, the device is named, whatever the order in which the job asks for them.
func TestDevicesAreNamedFirst(t *testing.T) {
	for _, other := range []string{"aaa", "zzz"} {
		b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "n", Processors: 8, Resources: map[string]float64{"gpu": 4, other: 4}}}})
		b.Spec().Devices = []string{"gpu"}
		asks := map[string]float64{"gpu": 3, other: 3}
		in, err := b.Job(model.JobSpec{ID: "busy", Work: new(40.0), Resources: asks}, model.JobSpec{ID: "asked", Arrival: 1, Work: new(5.0), Resources: asks}).Build()
		if err != nil {
			t.Fatal(err)
		}
		answer, err := whatif.Submit(t.Context(), "p", solve.Default[solvers.EASY](), in, "asked", 1)
		if err != nil {
			t.Fatal(err)
		}
		if c := answer.Causes; len(c) != 1 || c[0].Text != "too little of gpu is free: it needs 3, and the machines that it can use have 1 free" {
			t.Errorf("beside %s: %+v", other, c)
		}
	}
}

// Shares of devices that are short, and on how many machines they must lie.
func TestWhereSharesMustLie(t *testing.T) {
	for _, c := range []struct {
		asked model.JobSpec
		want  string
	}{
		{model.JobSpec{Resources: map[string]float64{"gpu": 0.5}}, "it needs 1"},
		{model.JobSpec{Processors: model.Rigid(2), Resources: map[string]float64{"gpu": 0.5}}, "it needs 2"},
		{model.JobSpec{Processors: model.Rigid(4), Resources: map[string]float64{"gpu": 0.5}, PerMachine: 2}, "it needs 4, 2 on each machine"},
		{model.JobSpec{Processors: model.Rigid(2), Resources: map[string]float64{"gpu": 0.5}, PerMachine: 1}, "it needs 2"},
		{model.JobSpec{Processors: model.Rigid(2), Resources: map[string]float64{"gpu": 0.5}, Machines: model.ProcessorRange{Min: 1, Max: 1}}, "it needs 2 on one machine"},
	} {
		c.asked.Arrival = 1
		in := nodes(t, []int{4, 4}, nil, c.asked)
		answer, err := whatif.Submit(t.Context(), "p", solve.Default[solvers.FCFS](), in, "asked", 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := "a share of 0.5 of gpu is free on 0 devices of 0 machines; " + c.want; len(answer.Causes) != 1 || answer.Causes[0].Text != want {
			t.Errorf("found %+v, expected %s", answer.Causes, want)
		}
	}
}

// A job that fits waits where it might delay those before it: the cause names the first of them, and when that is to start.
func TestJobsForWhichProcessorsAreKept(t *testing.T) {
	job := func(id string, arrival float64, processors int, length float64) model.JobSpec {
		return model.JobSpec{ID: id, Arrival: arrival, Processors: model.Rigid(processors), Work: &length, Estimate: &length}
	}
	for _, cluster := range []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}, {ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Features: []string{"f"}}}}} {
		b := model.NewBuilder("").Cluster(cluster)
		for _, j := range []model.JobSpec{job("runs", 0, 2, 10), job("first", 1, 4, 5), job("second", 2, 3, 5), job("asked", 3, 2, 20)} {
			if cluster.Machines[0].Processors > 0 {
				j.Features = [][]string{{"f"}}
			}
			b.Job(j)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for name, policy := range map[string]solve.Policy{"easy": solve.Default[solvers.EASY](), "conservative": solve.Default[solvers.Conservative]()} {
			answer, err := whatif.Submit(t.Context(), name, policy, in, "asked", 1)
			if err != nil {
				t.Fatal(err)
			}
			c := answer.Causes
			if len(c) == 0 || c[0].Kind != "kept" || c[0].For != "first" || c[0].Says(numtext.Figure) != "it fits, but might delay job first, which is to start at 10" || c[0].From != 3 || *answer.Start != 20 {
				t.Errorf("%s: starts at %v, %+v", name, *answer.Start, c)
			}
		}
	}
}
