package solvers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// backfillers are the policies of the simulator.
var backfillers = []string{"fcfs", "easy", "conservative", "flexible"}

// policyOf is the on-line policy that the solver simulates.
func policyOf(s solve.Solver) solve.Policy {
	policy, _ := solve.PolicyOf(s)
	return policy
}

// simulated is what a policy makes of an instance; the checker has to accept it.
func simulated(t *testing.T, policy string, in *model.Instance, opt sim.Options) (*model.Solution, sim.Totals) {
	t.Helper()
	solution, totals, err := solve.Simulate(context.Background(), policyOf(mustLookup(t, policy).New()), in, opt)
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, solution); !report.OK() {
		t.Fatalf("%s: %v", policy, report.Violations)
	}
	return solution, totals
}

// slowCluster makes an instance more than a trace, which the engine of instances runs; nothing is better off there.
func slowCluster() model.ClusterSpec { return solvecases.Machines("slow", 1, 1e-6) }

// An estimate is made for the reference speed: 6 at speed 4 are 12 on processors of speed 2, where the work of 8 takes 4; 6 at speed 1
// are 3, at which the job is killed.
func TestSimulatedEstimatesAreForTheReferenceSpeed(t *testing.T) {
	for reference, want := range map[float64]int{4: 1, 1: 0} {
		for _, general := range []bool{false, true} {
			b := model.NewBuilder("estimate").Cluster(solvecases.Machines("c", 1, 2)).
				Job(model.JobSpec{ID: "j", Work: new(8.0), Estimate: new(6.0), ReferenceSpeed: reference})
			if general {
				b.Cluster(slowCluster())
			}
			for _, policy := range backfillers {
				solution, _ := simulated(t, policy, solvecases.Built(t, b), sim.Options{Kill: true})
				if len(solution.Jobs) != want {
					t.Errorf("%s, reference speed %v, engine of instances %v: %d placed, expected %d", policy, reference, general, len(solution.Jobs), want)
				}
			}
		}
	}
}

// Estimates that are true say what the policy knows without them: no start differs, no job is killed, and a job is expected to end when it does, also on
// processors of several speeds that have more or fewer tasks to share.
func TestSimulatedTrueEstimatesChangeNothing(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		machines := []model.MachineSpec{{ID: "m", Processors: 1 + r.IntN(2), Speed: 1}, {ID: "k", Processors: 1 + r.IntN(3), Speed: 2, Count: 1 + r.IntN(2)}, {ID: "l", Speed: 0.75, Bandwidth: 4}}
		if r.IntN(2) == 0 { // then each machine is listed
			machines[0].Memory = new(3.0)
		}
		with, without := model.NewBuilder("with"), model.NewBuilder("without")
		for _, b := range []*model.Builder{with, without} {
			b.Cluster(model.ClusterSpec{ID: "c", Machines: machines, Overheads: &model.Overheads{ContextSwitch: 0.25}}).Cluster(slowCluster())
		}
		for k := range 12 {
			j := model.JobSpec{ID: fmt.Sprint(k), Arrival: float64(r.IntN(30)), Processors: model.Rigid(1 + r.IntN(3)), Tasks: 1 + r.IntN(7), Work: new(float64(1 + r.IntN(8))), Input: float64(r.IntN(3)), Memory: 1}
			without.Job(j)
			j.Estimate = new(*j.Work)
			with.Job(j)
		}
		for _, policy := range backfillers {
			want, _ := simulated(t, policy, solvecases.Built(t, without), sim.Options{Kill: true})
			got, _ := simulated(t, policy, solvecases.Built(t, with), sim.Options{Kill: true})
			if !reflect.DeepEqual(got.Jobs, want.Jobs) {
				t.Fatalf("%s, seed %d: %v with the estimates, %v without", policy, seed, got.Jobs, want.Jobs)
			}
		}
	}
}

// A job that waits for two, of which one is left out and the other ends later, is left out, also where it arrives after both.
func TestSimulatedOneLostPredecessorIsEnough(t *testing.T) {
	for _, arrival := range []float64{0, 1, 10} {
		in := solvecases.Built(t, model.NewBuilder("lost").Cluster(solvecases.Machines("c", 1, 1)).
			Job(model.JobSpec{ID: "lost", Work: new(5.0), Deadline: new(4.0), DeadlineHard: true}).
			Job(model.JobSpec{ID: "ends", Work: new(2.0)}).
			Job(model.JobSpec{ID: "waits", Work: new(1.0), After: []string{"lost", "ends"}, Arrival: arrival}))
		for _, policy := range backfillers {
			if solution, _ := simulated(t, policy, in, sim.Options{}); len(solution.Jobs) != 1 || solution.Jobs[0].Job != "ends" {
				t.Errorf("%s, arrival %v: expected one job to be placed, found %v", policy, arrival, solution.Jobs)
			}
		}
	}
}

// Two jobs of two tasks with a memory of 3 each: a machine of 4 processors holds one of them at a time in a memory of 6 to 11, both in 12.
func TestSimulatedTasksTakeTheirMemory(t *testing.T) {
	for memory, want := range map[float64]float64{6: 10, 11: 10, 12: 5} {
		in := solvecases.Built(t, model.NewBuilder("memory").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Memory: &memory}}}).
			Job(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Rigid(2), Memory: 3}).
			Job(model.JobSpec{ID: "b", Work: new(5.0), Processors: model.Rigid(2), Memory: 3}))
		for _, policy := range backfillers {
			if _, totals := simulated(t, policy, in, sim.Options{}); totals.LastEnd != want {
				t.Errorf("%s, memory %v: expected an end at %v, found %v", policy, memory, want, totals.LastEnd)
			}
		}
	}
}

// The processor is free at 10. Of the two that wait then, the later one goes first where it can still just meet its deadline, and only
// then.
func TestSimulatedFlexibleStartsWhatIsDue(t *testing.T) {
	for deadline, want := range map[float64]float64{16: 10, 15: 10, 14: 15, 12: 15, 1000: 15} {
		in := solvecases.Built(t, model.NewBuilder("due").Cluster(solvecases.Machines("c", 1, 1), slowCluster()).
			Job(model.JobSpec{ID: "runs", Runtime: map[string]float64{"c": 10}}).
			Job(model.JobSpec{ID: "waits", Arrival: 1, Runtime: map[string]float64{"c": 5}}).
			Job(model.JobSpec{ID: "due", Arrival: 2, Runtime: map[string]float64{"c": 5}, Deadline: &deadline}))
		solution, _ := simulated(t, "flexible", in, sim.Options{})
		for _, p := range solution.Jobs {
			if p.Job == "due" && p.Start != want {
				t.Errorf("due at %v: expected a start at %v, found %v", deadline, want, p.Start)
			}
		}
	}
}
