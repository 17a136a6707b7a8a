package solvers_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// Rounds with every solver: of whatever jobs ask of machines, power, licences and others, and however wrong their estimates are, the schedule is right and says of each job that
// it leaves out why, or the batch is refused before anything runs.
func TestRoundsOfEverything(t *testing.T) {
	for _, info := range solve.Solvers() {
		t.Run(info.Name, func(t *testing.T) {
			ran, refused := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				seed := rapid.Uint64().Draw(t, "seed")
				fault, ok := rounds(modeltest.Rounds(rand.New(rand.NewPCG(seed, 57))), info, seed)
				if fault != "" {
					t.Fatal(fault)
				}
				if ok {
					ran++
				} else {
					refused++
				}
			})
			t.Logf("%d batches ran, %d were refused", ran, refused)
		})
	}
}

// rounds plans an instance in rounds, and says what is wrong with the result; false: the instance is refused.
func rounds(in *model.Instance, info solve.Info, seed uint64) (fault string, ran bool) {
	defer func() {
		if p := recover(); p != nil {
			fault = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 58))
	unit := 0.0
	for k := range in.Jobs() {
		unit = max(unit, in.Jobs()[k].Work)
	}
	if unit == 0 {
		unit = 1
	}
	period, threshold := []float64{0.1, 0.5, 1, 3}[rng.IntN(4)]*unit, []float64{0, 0, 0.1, 1}[rng.IntN(4)]*unit
	solver, err := solve.NewRolling(info.Choice(), period, threshold)
	if err != nil {
		return err.Error(), false
	}
	result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{Seed: 1, MaxEvals: 200, Workers: 1, Unbounded: true})
	switch {
	case errors.Is(err, solve.ErrUnsupported) && solver.Supports(in) != nil:
		return "", false
	case err != nil:
		return err.Error(), true
	case result.Solution == nil:
		return fmt.Sprintf("no schedule: %s %s", result.Status, result.Reason), true
	case result.Dropped != nil:
		return result.Dropped.Error(), true
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		return fmt.Sprint(report.Violations[0]), true
	}
	for _, p := range result.Solution.Jobs {
		j, _ := in.JobIndex(p.Job)
		round := in.FirstArrival() + math.Ceil((in.Jobs()[j].Arrival-in.FirstArrival())/period)*period
		if threshold == 0 && in.Jobs()[j].Node().Running == nil && p.Start < round*(1-1e-12) {
			return fmt.Sprintf("job %s starts at %v, before the round at %v that plans it", p.Job, p.Start, round), true
		}
	}
	return leftOut(in, result.Solution), true
}

// leftOut says what is wrong with what the schedule says of a job that it leaves out; empty: nothing. Only hard deadlines and limits of power are a reason to leave out a job that
// can run in the end and waits for no job that is left out.
func leftOut(in *model.Instance, sol *model.Solution) string {
	out := map[string]bool{}
	for _, u := range sol.Unscheduled {
		out[u.Job] = true
	}
	for _, u := range sol.Unscheduled {
		k, _ := in.JobIndex(u.Job)
		j := &in.Jobs()[k]
		waits := slices.ContainsFunc(j.After, func(before int) bool { return out[in.Jobs()[before].ID] })
		if _, before, found := strings.Cut(u.Reason, "waits for job "); found && !out[strings.TrimSuffix(before, ", which is not placed")] || found && !waits {
			return fmt.Sprintf("job %s %s, which is not so", u.Job, u.Reason)
		}
		hard := j.DeadlineHard && j.HasDeadline()
		if strings.Contains(u.Reason, "hard deadline") && !hard {
			return fmt.Sprintf("job %s has no hard deadline: %s", u.Job, u.Reason)
		}
		if !hard && !waits && in.Features()&model.PowerLimits == 0 && openInTheEnd(in, j) && in.Runs(k) {
			return fmt.Sprintf("job %s can run in the end, and is left out: %s", u.Job, u.Reason)
		}
	}
	return ""
}

// openInTheEnd says whether no machine is closed for ever and the job has no reservation, so that a job that can run can run late enough.
func openInTheEnd(in *model.Instance, j *model.Job) bool {
	for _, c := range in.Clusters() {
		for _, m := range c.Machines {
			if slices.ContainsFunc(m.Closed(), func(t model.Closure) bool { return math.IsInf(t.To, 1) }) {
				return false
			}
		}
	}
	return j.Node().Reservation == ""
}

// gpus is a cluster of one machine with two devices and four processors, and whatever else.
func gpus(change func(m *model.MachineSpec)) *model.Builder {
	m := model.MachineSpec{ID: "m", Processors: 4, Resources: map[string]float64{"gpu": 2}}
	if change != nil {
		change(&m)
	}
	b := model.NewBuilder("gpus").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{m}})
	b.Spec().Devices = []string{"gpu"}
	return b
}

// onGPUs is a job of one processor with a number of devices.
func onGPUs(id string, arrival, work, devices float64) model.JobSpec {
	j := model.JobSpec{ID: id, Arrival: arrival, Work: &work}
	if devices > 0 {
		j.Resources = map[string]float64{"gpu": devices}
	}
	return j
}

// misjudged is the job with an estimate.
func misjudged(j model.JobSpec, estimate float64) model.JobSpec {
	j.Estimate = &estimate
	return j
}

// Rounds know which devices earlier rounds hold, and until when: j1 takes the other device, j2 waits for both, and j3, of a later round, fills the time before it starts. The
// processors are named when all is planned: j3 gets one that j2 has later.
func TestRoundsHoldDevicesByHand(t *testing.T) {
	wide := onGPUs("j2", 2, 2, 2)
	wide.Processors, wide.Block = model.Rigid(4), 4
	in := solvecases.Built(t, gpus(nil).Job(onGPUs("j0", 0, 6, 1), onGPUs("j1", 1, 3, 1), wide, onGPUs("j3", 4, 2, 1), onGPUs("j4", 4, 1, 0)))
	_, solver := rolling(t, "fcfs-list:holes=true", 1, 0)
	solverstest.Schedules(t, solver, in, "j0 c:0 0-6", "j1 c:1 1-4", "j2 c:0-3 6-8", "j3 c:1 4-6", "j4 c:2 4-5")
	result, err := solver.Solve(context.Background(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range result.Solution.Jobs {
		want := map[string]string{"j0": "0", "j1": "1", "j2": "0-1", "j3": "1"}[p.Job]
		if got := p.Devices["gpu"]["m"].String(); p.Job != "j4" && got != want {
			t.Errorf("%s is on the devices %s, expected %s", p.Job, got, want)
		}
	}
}

// A job that outlives its estimate keeps its device until it really ends: j1, planned behind it, waits. j2, planned behind j1, waits for none and overtakes nobody. A job that
// ends early lets the next start early.
func TestStreamHoldsDevicesByHand(t *testing.T) {
	in := solvecases.Built(t, gpus(func(m *model.MachineSpec) { m.Resources["gpu"] = 1 }).
		Job(misjudged(onGPUs("j0", 0, 6, 1), 2), misjudged(onGPUs("j1", 1, 2, 1), 5), onGPUs("j2", 3, 1, 0), onGPUs("j3", 3, 1, 1)))
	_, solver := rolling(t, "heft", 1, 0)
	solverstest.Schedules(t, solver, in, "j2 c:1 3-4", "j0 c:0 0-6", "j1 c:0 6-8", "j3 c:0 8-9")
}

// No job overtakes one that was planned before it and needs what is free: j1 waits for all processors from 1 on, and j2, of one, stays behind it although three are free.
func TestStreamDoesNotOvertake(t *testing.T) {
	wide := onGPUs("j1", 1, 2, 0)
	wide.Processors = model.Rigid(4)
	in := solvecases.Built(t, gpus(nil).Job(misjudged(onGPUs("j0", 0, 5, 1), 2), wide, onGPUs("j2", 3, 1, 0)))
	_, solver := rolling(t, "fcfs-list", 1, 0)
	solverstest.Schedules(t, solver, in, "j0 c:0 0-5", "j1 c:0-3 5-7", "j2 c:0 7-8")
}

// A job that waits until its machine opens keeps nothing meanwhile: j2 runs before the machine closes. j1, which would end in the closed time, starts behind it.
func TestStreamWaitsForMachinesToOpen(t *testing.T) {
	in := solvecases.Built(t, gpus(func(m *model.MachineSpec) {
		m.Processors, m.Closed = 1, []model.ClosedSpec{{From: 4, To: new(10.0)}}
	}).Job(misjudged(onGPUs("j0", 0, 1, 0), 2), onGPUs("j1", 1, 5, 0), onGPUs("j2", 2, 1, 0)))
	_, solver := rolling(t, "heft", 1, 0)
	solverstest.Schedules(t, solver, in, "j0 c:0 0-1", "j2 c:0 2-3", "j1 c:0 10-15")
}

// A job whose machine closes for ever before its turn comes is planned anew: j1 was to run on m behind j0, which outlives its estimate, and runs on n instead.
func TestStreamPlansAnewWhereMachinesClose(t *testing.T) {
	b := gpus(func(m *model.MachineSpec) { m.Processors, m.Speed, m.Closed = 1, 2, []model.ClosedSpec{{From: 5}} })
	b.Spec().Clusters[0].Machines = append(b.Spec().Clusters[0].Machines, model.MachineSpec{ID: "n", Closed: []model.ClosedSpec{{From: 0, To: new(8.0)}}})
	in := solvecases.Built(t, b.Job(misjudged(onGPUs("j0", 0, 8, 0), 2), onGPUs("j1", 0.5, 4, 0)))
	_, solver := rolling(t, "heft", 1, 0)
	solverstest.Schedules(t, solver, in, "j0 c:0 0-4", "j1 c:1 8-12")
}

// Jobs that run already are taken over, with what they hold: j1 waits for the device until j0 really ends, and fills the other rounds' plans as if it ended by its estimate.
func TestStreamTakesOverRunningJobs(t *testing.T) {
	run := misjudged(onGPUs("j0", 0, 6, 2), 3)
	run.Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(2), Holds: map[string]map[string]float64{"m": {"gpu": 2}}, Devices: model.DevicesHeld{"gpu": {"m": model.Processors(0, 1)}}}
	in := solvecases.Built(t, gpus(nil).Job(run, onGPUs("j1", 1, 2, 1), onGPUs("j2", 1, 1, 0)))
	for _, name := range []string{"fcfs-list", "search"} {
		_, solver := rolling(t, name, 1, 0)
		solverstest.Schedules(t, solver, in, "j2 c:0 1-2", "j0 c:2 0-6", "j1 c:0 6-8")
	}
}

// A threshold begins a round earlier on line too. By its estimate j0 ends at 5, so that with a threshold of 2 the round is at 3 and plans j1 alone. Without one, or at the real
// end, minmin would plan the shorter j2 first.
func TestStreamThresholdByHand(t *testing.T) {
	for _, b := range []*model.Builder{model.NewBuilder("threshold").Cluster(solvecases.Machines("c", 1, 1)), gpus(func(m *model.MachineSpec) { m.Processors = 1 })} {
		in := solvecases.Built(t, b.Job(misjudged(onGPUs("j0", 0, 4, 0), 5), onGPUs("j1", 1, 5, 0), onGPUs("j2", 3.5, 1, 0)))
		_, early := rolling(t, "minmin", 10, 2)
		solverstest.Schedules(t, early, in, "j0 c:0 0-4", "j1 c:0 4-9", "j2 c:0 9-10")
		_, byPeriod := rolling(t, "minmin", 10, 0)
		solverstest.Schedules(t, byPeriod, in, "j0 c:0 0-4", "j2 c:0 10-11", "j1 c:0 11-16")
	}
}

// Rounds within a horizon, by a tariff: j1 waits for the cheap time beside j0, and j2 finds none that is left.
func TestRoundsWithinAHorizon(t *testing.T) {
	b := model.NewBuilder("horizon").Minimise("energy_cost", 1).Cluster(model.ClusterSpec{ID: "c", PowerCap: [][]float64{{0, 2}}, Machines: []model.MachineSpec{{ID: "m", Count: 3, Power: &model.PowerSpec{Busy: 1}}}})
	b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, 3}, {4, 1}, {8, 2}}}
	b.Spec().Horizon = &model.HorizonSpec{To: 10}
	for k, arrival := range []float64{0, 1, 2, 3, 9} {
		b.Job(onGPUs(fmt.Sprint("j", k), arrival, 4, 0))
	}
	in := solvecases.Built(t, b)
	for _, name := range []string{"fcfs-list", "search"} {
		_, solver := rolling(t, name, 1, 0)
		result, err := solver.Solve(context.Background(), in, solve.Options{MaxEvals: 100})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, p := range result.Solution.Jobs {
			got[p.Job] = p.Start
		}
		if fmt.Sprint(got) != "map[j0:4 j1:4]" && fmt.Sprint(got) != "map[j0:4 j1:4 j2:2]" || !model.Check(in, result.Solution).OK() {
			t.Errorf("%s: starts %v, %v", name, got, result.Solution.Unscheduled)
		}
	}
}

// What rounds cannot keep to on line is refused before anything runs, by name.
func TestStreamsRefuseLimitsOfPower(t *testing.T) {
	b := model.NewBuilder("horizon").Cluster(solvecases.Machines("c", 1, 1)).Job(misjudged(onGPUs("j0", 0, 4, 0), 5))
	b.Spec().Horizon = &model.HorizonSpec{To: 10}
	in := solvecases.Built(t, b)
	_, solver := rolling(t, "heft", 1, 0)
	if err := solver.Supports(in); !errors.Is(err, solve.ErrUnsupported) || !strings.Contains(err.Error(), "a horizon") {
		t.Errorf("got %v, expected a refusal that names the horizon", err)
	}
}

// A round expects what a job waits for to be kept from now on: j1 waits for all of m, so that j2 is planned on the slow n, though m has room until j0 is expected to end.
func TestStreamExpectsWhatJobsWaitFor(t *testing.T) {
	wide := onGPUs("j1", 1, 2, 0)
	wide.Processors, wide.Span = model.Rigid(4), "machine"
	b := gpus(nil)
	b.Spec().Clusters[0].Machines = append(b.Spec().Clusters[0].Machines, model.MachineSpec{ID: "n", Speed: 0.5})
	in := solvecases.Built(t, b.Job(misjudged(onGPUs("j0", 0, 5, 1), 4.5), wide, onGPUs("j2", 2, 1, 0)))
	_, solver := rolling(t, "heft", 1, 0)
	solverstest.Schedules(t, solver, in, "j2 c:4 2-4", "j0 c:0 0-5", "j1 c:0-3 5-7")
}

// And from when they open, if its machines are closed: j2 is planned on m before that, not on the slow n.
func TestStreamExpectsMachinesToOpen(t *testing.T) {
	b := gpus(func(m *model.MachineSpec) { m.Processors, m.Closed = 1, []model.ClosedSpec{{From: 4, To: new(10.0)}} })
	b.Spec().Clusters[0].Machines = append(b.Spec().Clusters[0].Machines, model.MachineSpec{ID: "n", Speed: 0.25})
	in := solvecases.Built(t, b.Job(misjudged(onGPUs("j0", 0, 1, 0), 0.5), onGPUs("j1", 1, 5, 0), onGPUs("j2", 2, 1, 0)))
	_, solver := rolling(t, "heft", 1, 0)
	solverstest.Schedules(t, solver, in, "j0 c:0 0-1", "j2 c:0 2-3", "j1 c:0 10-15")
}

// A job that fits no cluster alone runs over several where estimates differ from run times, as elsewhere.
func TestStreamSpreads(t *testing.T) {
	b := model.NewBuilder("spread").Cluster(solvecases.Machines("a", 1, 1), solvecases.Machines("b", 1, 1))
	in := solvecases.Built(t, b.Job(model.JobSpec{ID: "j", Processors: model.Rigid(2), Span: "grid", Work: new(3.0), Estimate: new(2.0)}))
	_, solver := rolling(t, "heft", 1, 0)
	result, err := solver.Solve(context.Background(), in, solve.Options{})
	if err != nil || len(result.Solution.Jobs) != 1 || result.Solution.Jobs[0].End != 3 {
		t.Fatalf("%+v, %v", result.Solution, err)
	}
}

// A moldable job comes to the rounds although the most processors that it could hold are never open to it: it runs on fewer.
func TestStreamMoldsWhereMachinesClose(t *testing.T) {
	b := gpus(func(m *model.MachineSpec) { m.Processors, m.Closed = 2, []model.ClosedSpec{{From: 1}} })
	b.Spec().Clusters[0].Machines = append(b.Spec().Clusters[0].Machines, model.MachineSpec{ID: "n"})
	job := onGPUs("j", 1, 2, 0)
	job.Processors, job.Tasks = model.Moldable(1, 3), 3
	in := solvecases.Built(t, b.Job(misjudged(job, 1)))
	_, solver := rolling(t, "heft", 1, 0)
	solverstest.Schedules(t, solver, in, "j c:2 1-7")
}
