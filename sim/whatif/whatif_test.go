package whatif_test

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim/whatif"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// The job needs 3 of the 4 processors of cluster c, from 10 on. It can run on c alone. Until it starts at 60:
//   - long holds 2 processors of c from 0 to 60, of which it waits from 10 on: 2 · 50 = 100 processor·s
//   - wide holds 1 processor of c from 5 to 30: 1 · 20 = 20
//   - late overtakes it, with 1 processor of c from 20 to 55: 1 · 35 = 35
//   - there runs on the other cluster, which the job cannot use: 0, and it is listed last
//   - gone ended at 8, before the job was submitted, so it is not listed.
func TestDelayByHand(t *testing.T) {
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
	}{{"long", "running", 100}, {"late", "overtook", 35}, {"wide", "running", 20}, {"there", "running", 0}}
	if len(answer.Blocked) != len(want) {
		t.Fatalf("blocked by %+v", answer.Blocked)
	}
	for k, w := range want {
		if b := answer.Blocked[k]; b.Job != w.job || b.Role != w.role || b.Delay != w.delay {
			t.Errorf("blocker %d: %s, %s, delay %v; expected %v", k, b.Job, b.Role, b.Delay, w)
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
