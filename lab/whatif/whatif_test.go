package whatif_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// The job needs 3 of the 4 processors of cluster c, from 10 on. It can run on c alone. Until it starts at 60:
//   - long holds 2 processors of c from 0 to 60, of which it waits from 10 on: 2 · 50 = 100 processor·s
//   - wide holds 1 processor of c from 5 to 30: 1 · 20 = 20
//   - late overtakes it, with 1 processor of c from 20 to 55: 1 · 35 = 35
//   - there runs on the other cluster, which the job cannot use, so it is not listed.
//   - gone ended at 8, before the job was submitted, so it is not listed.
func TestHoldersByHand(t *testing.T) {
	on := func(cluster string, length float64) map[string]float64 { return map[string]float64{cluster: length} }
	job := func(id, cluster string, arrival float64, processors int, runs, estimate float64) model.JobSpec {
		return model.JobSpec{ID: id, Arrival: arrival, Processors: model.Rigid(processors), Runtime: on(cluster, runs), Estimate: &estimate}
	}
	in, err := model.NewBuilder("").Cluster(
		model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}},
		model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m", Count: 2}}},
	).Job(
		job("gone", "c", 0, 1, 8, 8), job("long", "c", 0, 2, 60, 60), job("there", "d", 1, 2, 100, 100), job("wide", "c", 5, 1, 25, 25),
		job("asked", "c", 10, 3, 5, 5), job("late", "c", 20, 1, 35, 35),
	).Build()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := whatif.Submit(context.Background(), "easy", solve.Default[solvers.EASY](), in, "asked", 1)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Start == nil || *answer.Start != 60 || *answer.Wait != 50 || answer.TimeUnit != "s" {
		t.Fatalf("start %v, wait %v, unit %s", *answer.Start, *answer.Wait, answer.TimeUnit)
	}
	want := []struct {
		job   string
		role  string
		delay float64
	}{{"long", "running", 100}, {"late", "overtook", 35}, {"wide", "running", 20}}
	holders := answer.Holders()
	if len(holders) != len(want) {
		t.Fatalf("held by %+v", holders)
	}
	for k, w := range want {
		if b := holders[k]; b.Job != w.job || b.Role != w.role || b.Share != w.delay {
			t.Errorf("job %d: %s, %s, share %v; expected %v", k, b.Job, b.Role, b.Share, w)
		}
	}
}

// Jobs hold what another could use only on machines that it could use. The job asked about needs a GPU of nodes g, of which one is closed until 500. It
// starts at 30, when the licence is given back:
//
//   - later holds 2 processors until 25 of a node that opens at 20: 2 · 15 = 30
//   - on holds 2 processors of node g[0] from 0 to 20, while the job waits from 10 on: 2 · 10 = 20
//   - both holds 3 processors of g[0] and 3 of n, for which it needs two machines: 3 · 5 = 15
//   - copy holds the licence, on a node without GPUs, and the job comes after before: both hold no processor that it could use, and so are not listed
//   - shut runs on the closed node, plain on one without GPUs, other holds another licence: they are not listed.
func TestHoldersOnMachinesThatTheJobCannotUse(t *testing.T) {
	b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{
		{ID: "g", Processors: 8, Resources: map[string]float64{"gpu": 4}},
		{ID: "closed", Processors: 8, Resources: map[string]float64{"gpu": 4}, Closed: []model.ClosedSpec{{To: new(500.0)}}},
		{ID: "opens", Processors: 8, Resources: map[string]float64{"gpu": 4}, Closed: []model.ClosedSpec{{To: new(20.0)}}},
		{ID: "n", Processors: 8, Resources: map[string]float64{"disk": 9}}}})
	b.Spec().Devices = []string{"gpu"}
	b.Spec().Licences = map[string]int{"l": 1, "other": 5}
	held := func(id, node string, first, processors int, length float64) model.JobSpec {
		return model.JobSpec{ID: id, Work: new(length), Processors: model.Rigid(processors), Running: &model.RunningSpec{Cluster: "c", Processors: model.ProcessorSet{{First: first, Last: first + processors - 1}},
			Holds: map[string]map[string]float64{node: {}}}}
	}
	copies := func(j model.JobSpec, licence string) model.JobSpec {
		j.Licences = map[string]int{licence: 1}
		return j
	}
	shut, later := held("shut", "closed", 8, 2, 100), held("later", "opens", 16, 2, 25)
	on := model.JobSpec{ID: "on", Estimate: new(20.0), Processors: model.Rigid(2), Resources: map[string]float64{"gpu": 2}, Block: 2}
	both := model.JobSpec{ID: "both", Estimate: new(15.0), Processors: model.Rigid(6), Block: 3, PerMachine: 1}
	disk := map[string]float64{"disk": 1}
	in, err := b.Job(shut, later, on, both, copies(model.JobSpec{ID: "copy", Estimate: new(30.0), Resources: disk}, "l"), model.JobSpec{ID: "before", Estimate: new(12.0), Resources: disk},
		model.JobSpec{ID: "plain", Estimate: new(50.0), Resources: disk}, copies(model.JobSpec{ID: "other", Estimate: new(50.0), Resources: disk}, "other"),
		copies(model.JobSpec{ID: "asked", Arrival: 10, Estimate: new(5.0), Resources: map[string]float64{"gpu": 1}, After: []string{"before"}}, "l")).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []solve.Policy{solve.Default[solvers.EASY](), solve.Default[solvers.Conservative](), solve.Default[solvers.FCFS]()} {
		answer, err := whatif.Submit(context.Background(), "policy", policy, in, "asked", 1)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, b := range answer.Holders() {
			text += fmt.Sprintf("%s %v, ", b.Job, b.Share)
		}
		if want := "later 30, on 20, both 15, "; text != want || *answer.Start != 30 {
			t.Errorf("start %v, held by %s; expected 30 and %s", *answer.Start, text, want)
		}
	}
}

// The answer stands where another job waits for one that arrives after the submission, of which nobody knows then.
func TestJobsThatWaitForLaterOnes(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).Job(
		model.JobSpec{ID: "A", Estimate: new(9.0), Processors: model.Rigid(2)}, model.JobSpec{ID: "B", Estimate: new(9.0), After: []string{"late"}},
		model.JobSpec{ID: "asked", Arrival: 1, Estimate: new(3.0)}, model.JobSpec{ID: "after", Arrival: 1, Estimate: new(3.0), After: []string{"B"}},
		model.JobSpec{ID: "late", Arrival: 20, Estimate: new(1.0)},
	).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []solve.Policy{solve.Default[solvers.EASY](), solve.Default[solvers.FCFS](), solve.Default[solvers.Conservative]()} {
		answer, err := whatif.Submit(context.Background(), "policy", policy, in, "asked", 1)
		if err != nil || *answer.ExpectedStart != 9 || *answer.Start != 9 {
			t.Errorf("%+v, %v", answer, err)
		}
		answer, err = whatif.Submit(context.Background(), "policy", policy, in, "after", 1)
		if err != nil || answer.ExpectedStart != nil || *answer.Start != 30 {
			t.Errorf("%+v, %v", answer, err)
		}
	}
}

// A job that can run nowhere is dropped when it arrives. No policy has seen it then, so none has anything to say about it, and what it says about others stays the same.
func TestJobsThatCanRunNowhere(t *testing.T) {
	const text = `{"schema": "allot/instance/1", "licences": {"L": 1}, "objective": {"mean_wait": 1},
		"clusters": [{"id": "a", "machines": [{"id": "m", "processors": 2}]}, {"id": "b", "machines": [{"id": "m", "processors": 1}]}],
		"jobs": [{"id": "asked", %s, "work": 100, "estimate": 100, "licences": {"L": 5}}, {"id": "small", "work": 1, "estimate": 1}]}`
	asked := 0
	for _, shape := range []string{`"processors": 2`, `"processors": 2, "span": "grid"`, `"processors": {"min": 1, "max": 2}, "tasks": 2`, `"processors": {"min": 1, "max": 2}, "tasks": 2, "span": "grid"`} {
		in, err := model.ReadInstance(strings.NewReader(fmt.Sprintf(text, shape)), "")
		if err != nil {
			t.Fatal(shape, err)
		}
		for _, info := range solve.Solvers() {
			policy, online := solve.PolicyOf(info.New())
			if !online || info.New().Supports(in) != nil {
				continue
			}
			answer, err := whatif.Submit(t.Context(), info.Name, policy, in, "asked", 1)
			if err != nil {
				t.Fatal(info.Name, err)
			}
			if asked++; answer.Start != nil || answer.Reason == "" || len(answer.Reasons) > 0 {
				t.Errorf("%s, %s: %+v", info.Name, shape, answer)
			}
		}
	}
	if asked < 8 {
		t.Errorf("only %d policies were asked", asked)
	}
}

// A power cap is the cause where it keeps a job waiting, now or because it falls before the job ends, and the jobs that take the power delay it. Where the cap of that time is lifted the job starts at once.
func TestPowerCapsAreCauses(t *testing.T) {
	for _, nodes := range []bool{false, true} {
		for name, c := range map[string]struct {
			caps, lifted [][]float64
			start        float64
			text         string
			delays       string
		}{
			"now":   {[][]float64{{0, 30}}, [][]float64{{0, 45}}, 8, "the power cap of c leaves too little: the job takes 20, 5 is left", "first"},
			"later": {[][]float64{{0, 45}, {5, 5}, {9, 45}}, [][]float64{{0, 45}}, 9, "the power cap of c leaves too little: the job takes 20, 0 is left from 5 on, before it ends by its estimate", ""},
		} {
			answer := func(caps [][]float64) *whatif.Answer {
				machine := model.MachineSpec{ID: "m", Count: 2, Processors: 2, Power: &model.PowerSpec{Idle: 2.5, Busy: 10}}
				job := model.JobSpec{ID: "asked", Arrival: 1, Work: new(5.0), Processors: model.Rigid(2)}
				if nodes {
					job.Exclusive = true
				}
				b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", PowerCap: caps, Machines: []model.MachineSpec{machine}})
				if name == "now" {
					b.Job(model.JobSpec{ID: "first", Work: new(8.0), Processors: model.Rigid(2)})
				}
				in, err := b.Job(job).Build()
				if err != nil {
					t.Fatal(err)
				}
				got, err := whatif.Submit(t.Context(), "easy", solve.Default[solvers.EASY](), in, "asked", 1)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := got.Delays(t.Context(), solve.Default[solvers.EASY](), in, 1); err != nil {
					t.Fatal(err)
				}
				return got
			}
			got := answer(c.caps)
			if got.Start == nil || *got.Start != c.start || len(got.Causes) == 0 || got.Causes[0].Kind != "power" || got.Causes[0].Says(numtext.Figure) != c.text {
				t.Errorf("%s, nodes %v: start %v, causes %+v", name, nodes, got.Start, got.Causes)
			}
			delays := ""
			for _, b := range got.Blocked {
				delays += b.Job
			}
			if delays != c.delays {
				t.Errorf("%s, nodes %v: delayed by %q", name, nodes, delays)
			}
			if free := answer(c.lifted); free.Start == nil || *free.Start != 1 {
				t.Errorf("%s, nodes %v: without the cap it starts at %v", name, nodes, free.Start)
			}
		}
	}
}
