package solvers_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/solve"
)

// Every solver honours what jobs ask of single machines, or refuses the instance and names what it does not honour. The checker looks at each schedule.
func TestNodesAreHonouredOrRefused(t *testing.T) {
	ran := map[string]model.Features{}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			in := modeltest.Generator{Features: modeltest.AllFeatures&^model.GridSpan | modeltest.NodeFeatures, Jobs: 9, Clusters: 2, Machines: 2}.Instance(t)
			rule := rapid.SampledFrom(place.Rules()).Draw(t, "rule")
			for _, info := range solve.Solvers() {
				if info.Absent == "" && honoured(t, in, info.Name, rule.Name) {
					ran[info.Name] |= in.Features()
				}
			}
		}
	})
	for _, name := range []string{"fcfs-list", "edd", "minmin", "sufferage", "heft", "muscle", "titan", "mts", "ggone"} {
		if missing := modeltest.NodeFeatures &^ ran[name]; missing != 0 {
			t.Errorf("%s: no schedule with %s", name, missing)
		}
	}
}

// honoured runs a solver, with the rule where it has one, and says whether it placed some jobs.
func honoured(t *rapid.T, in *model.Instance, name, rule string) bool {
	choice, err := solve.Choose(name + ":place=" + rule)
	if err != nil {
		if choice, err = solve.Choose(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := choice.Solver.Supports(in); err != nil {
		if !errors.Is(err, solve.ErrUnsupported) {
			t.Fatalf("%s: %v", name, err)
		}
		return false
	}
	result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: 30, Unbounded: name != "auto"}) // one bound of each instance is enough
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result.Solution != nil && len(result.Solution.Jobs) > 2
}

// On tiny instances, where much of what jobs ask of machines meets, every schedule is right too; and what the steps tell is what the solution has.
func TestTinyNodesAreHonoured(t *testing.T) {
	race.OneGoroutine(t)
	rules := place.Rules()
	for seed := range uint64(race.Fewer(300, 60)) {
		rng := rand.New(rand.NewPCG(seed, 77))
		in, rule := modeltest.TinyNodes(rng), rules[rng.IntN(len(rules))].Name
		for _, info := range solve.Solvers() {
			if info.Absent != "" {
				continue
			}
			choice, err := solve.Choose(info.Name + ":place=" + rule)
			if err != nil {
				if choice, err = solve.Choose(info.Name); err != nil {
					t.Fatal(err)
				}
			}
			if choice.Solver.Supports(in) != nil {
				continue
			}
			traced, opt := map[string]model.Placement{}, solve.Options{Seed: 1, MaxEvals: 30, Unbounded: info.Name != "auto"}
			if info.Traces {
				opt.Trace = func(step solve.Step) {
					for _, p := range step.Placed {
						traced[p.Job] = p
					}
				}
			}
			result, err := solve.Run(context.Background(), choice, in, opt)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, info.Name, err)
			}
			for _, p := range result.Solution.Jobs {
				if told, ok := traced[p.Job]; ok && !reflect.DeepEqual(told, p) {
					t.Fatalf("seed %d: %s: a step tells of %+v, the solution has %+v", seed, info.Name, told, p)
				}
			}
		}
	}
}

// A solver that does not honour a need of single machines names it.
func TestNodesAreRefusedByName(t *testing.T) {
	refusals := 0
	for name, change := range map[string]func(*model.InstanceSpec){
		"resources of machines":            func(s *model.InstanceSpec) { s.Jobs[0].Resources = map[string]float64{"cpu": 0.5} },
		"blocks of processors on machines": func(s *model.InstanceSpec) { s.Jobs[0].PerMachine = 1 },
		"features of machines":             func(s *model.InstanceSpec) { s.Jobs[0].Features = [][]string{{"ib"}} },
		"closed times and reservations": func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Closed = []model.ClosedSpec{{From: 1, To: new(2.0)}}
		},
		"exclusive jobs": func(s *model.InstanceSpec) { s.Jobs[0].Exclusive = true },
		"running jobs": func(s *model.InstanceSpec) {
			s.Jobs[0].Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}
		},
	} {
		b := model.NewBuilder("nodes").Minimise("makespan", 1)
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Resources: map[string]float64{"cpu": 4}, Features: []string{"ib"}}}})
		b.Job(model.JobSpec{ID: "j", Work: new(1.0)})
		change(b.Spec())
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Features().String(); got != name {
			t.Fatalf("expected %q, found %q", name, got)
		}
		for _, info := range solve.Solvers() {
			if info.Absent != "" {
				continue
			}
			err := info.New().Supports(in)
			if err != nil && (!errors.Is(err, solve.ErrUnsupported) || !strings.HasSuffix(err.Error(), " "+name)) {
				t.Errorf("%s: expected that it honours or refuses %s, found %v", info.Name, name, err)
			}
			if err != nil {
				refusals++
			}
		}
	}
	if refusals == 0 {
		t.Error("no solver refuses anything")
	}
}

// Tasks that the slow machine cannot end before it closes go to the fast one: the job ends in time though an equal share of its tasks would not.
func TestFastMachinesTakeTasksBeforeClosedTimes(t *testing.T) {
	b := model.NewBuilder("shared").Minimise("makespan", 1)
	closed := []model.ClosedSpec{{From: 3, To: new(10.0)}}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "fast", Speed: 2, Closed: closed}, {ID: "slow", Closed: closed}}})
	b.Job(model.JobSpec{ID: "j", Processors: model.Rigid(2), Tasks: 3, Work: new(2.0)})
	eachSolver(t, b, []string{"fcfs", "easy", "easy:depth=2", "flexible", "conservative", "conservative:place=best", "fcfs-list", "mct", "search"}, func(name string, jobs []model.Placement) {
		if len(jobs) != 1 || jobs[0].End != 2 {
			t.Errorf("%s: %+v, expected that the job runs from 0 to 2", name, jobs)
		}
	})
}

// Where whole machines are allocated a job gets one machine, which is one block: a job of several machines, or of several blocks on each, goes elsewhere.
func TestWholeMachinesAreOneBlock(t *testing.T) {
	b := model.NewBuilder("whole").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "whole", Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Speed: 9, Count: 3}}})
	b.Cluster(model.ClusterSpec{ID: "parts", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Count: 2}}})
	b.Job(model.JobSpec{ID: "several", Processors: model.Rigid(2), Work: new(1.0), Machines: model.Rigid(2)})
	b.Job(model.JobSpec{ID: "together", Processors: model.Rigid(2), Work: new(1.0), PerMachine: 2})
	eachSolver(t, b, []string{"fcfs", "easy", "easy:depth=2", "flexible", "conservative", "conservative:place=lookahead", "fcfs-list"}, func(name string, jobs []model.Placement) {
		for _, j := range jobs {
			if j.Cluster != "parts" {
				t.Errorf("%s: %+v", name, j)
			}
		}
		if len(jobs) != 2 {
			t.Errorf("%s: %d jobs placed", name, len(jobs))
		}
	})
}

// A job that takes no time by its estimate may use a machine that is closed to others of its kind, which do not follow it there.
func TestClosedTimesTellJobsOfAKindApart(t *testing.T) {
	b := model.NewBuilder("kind").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "open"}, {ID: "closed", Resources: map[string]float64{"r": 1}, Closed: []model.ClosedSpec{{To: new(1.0)}}}}})
	b.Job(model.JobSpec{ID: "wide", Processors: model.Rigid(2), Estimate: new(1.0)})
	for k, estimate := range []float64{0, 1, 0} {
		b.Job(model.JobSpec{ID: string(rune('a' + k)), Estimate: new(estimate), Resources: map[string]float64{"r": 0.7}})
	}
	eachSolver(t, b, []string{"easy", "flexible", "easy:place=best"}, func(name string, jobs []model.Placement) {
		if len(jobs) != 4 {
			t.Errorf("%s: %d jobs placed", name, len(jobs))
		}
	})
}

// everyPolicy are the backfilling policies under every rule that chooses among machines.
func everyPolicy() []string {
	var names []string
	for _, policy := range []string{"fcfs", "easy", "easy:order=sjf", "easy:depth=2", "flexible", "conservative"} {
		for _, rule := range place.Rules() {
			names = append(names, policy+":place="+rule.Name)
		}
	}
	return names
}

// A job with a hard deadline gets machines on which it ends in time, whatever the rule would rather choose: of faster processors, or of a faster link. One
// that no machine ends in time is left out and keeps nobody waiting.
func TestRulesChooseMachinesFastEnough(t *testing.T) {
	b := model.NewBuilder("fast enough").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "fast", Speed: 2, Bandwidth: 4, Processors: 4, Count: 2}, {ID: "slow"}}})
	b.Job(model.JobSpec{ID: "never", Work: new(9.0), Deadline: new(4.0), DeadlineHard: true})
	b.Job(model.JobSpec{ID: "fast", Work: new(6.0), Deadline: new(3.0), DeadlineHard: true})
	b.Job(model.JobSpec{ID: "moved", Work: new(2.0), Input: 40, Deadline: new(3.0), DeadlineHard: true})
	b.Job(model.JobSpec{ID: "later", Arrival: 7, Work: new(2.0), Deadline: new(8.0), DeadlineHard: true, Exclusive: true})
	eachSolver(t, b, everyPolicy(), func(name string, jobs []model.Placement) {
		if len(jobs) != 3 {
			t.Errorf("%s: %+v, expected all jobs but the first", name, jobs)
		}
	})
}

// A job with a hard deadline that only a machine could keep that is closed for good is left out at once, and others go on.
func TestClosedMachinesThatAreFastEnough(t *testing.T) {
	b := model.NewBuilder("closed").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "fast", Speed: 2, Closed: []model.ClosedSpec{{From: 1}}}, {ID: "slow"}}})
	b.Job(model.JobSpec{ID: "late", Arrival: 1, Work: new(4.0), Deadline: new(4.0), DeadlineHard: true})
	b.Job(model.JobSpec{ID: "other", Arrival: 1, Work: new(4.0)})
	eachSolver(t, b, everyPolicy(), func(name string, jobs []model.Placement) {
		if len(jobs) != 1 || jobs[0].Job != "other" || jobs[0].Start != 1 {
			t.Errorf("%s: %+v, expected that the other job starts at 1", name, jobs)
		}
	})
}

// Jobs that run already and take no time hold nothing: they may lie on the processors and the devices of others. Nobody waits for them, but those that do
// by name.
func TestRunningJobsOfNoTimeHoldNothing(t *testing.T) {
	b := model.NewBuilder("no time").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Resources: map[string]float64{"gpu": 1}}}})
	b.Spec().Devices = []string{"gpu"}
	run := func(processors ...int) *model.RunningSpec {
		return &model.RunningSpec{Cluster: "c", Processors: model.Processors(processors...),
			Holds: map[string]map[string]float64{"m": {"gpu": 1}}, Devices: model.DevicesHeld{"gpu": {"m": model.Processors(0)}}}
	}
	b.Job(model.JobSpec{ID: "none", Work: new(0.0), Estimate: new(5.0), Running: run(0)})
	b.Job(model.JobSpec{ID: "runs", Work: new(3.0), Running: run(0)})
	b.Job(model.JobSpec{ID: "too", Work: new(0.0), Processors: model.Rigid(2), Running: run(0, 1)})
	b.Job(model.JobSpec{ID: "after", Work: new(1.0), After: []string{"too"}})
	b.Job(model.JobSpec{ID: "both", Arrival: 1, Work: new(1.0), Processors: model.Rigid(2)})
	eachSolver(t, b, everyPolicy(), func(name string, jobs []model.Placement) {
		starts := map[string]float64{}
		for _, p := range jobs {
			starts[p.Job] = p.Start
		}
		if want := map[string]float64{"none": 0, "runs": 0, "too": 0, "after": 0, "both": 3}; !reflect.DeepEqual(starts, want) {
			t.Errorf("%s: starts %v, expected %v", name, starts, want)
		}
	})
}

// A job that runs already keeps its hard deadline beside local jobs: an instance whose time rule misses it is refused.
func TestRunningJobsKeepTheirDeadlines(t *testing.T) {
	b := model.NewBuilder("local").Minimise("makespan", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Background: &model.Background{Load: 0.9, Mean: 3}}}})
	b.Job(model.JobSpec{ID: "j", Work: new(50.0), Deadline: new(51.0), DeadlineHard: true, Running: &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}})
	eachSolver(t, b, everyPolicy(), func(name string, jobs []model.Placement) {
		if len(jobs) != 1 || jobs[0].End != 51 {
			t.Errorf("%s: %+v, expected that local jobs make the job end at its deadline", name, jobs)
		}
	})
}

// eachSolver shows the placements of each solver.
func eachSolver(t *testing.T, b *model.Builder, names []string, show func(name string, jobs []model.Placement)) {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: 30, Strict: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		show(name, result.Solution.Jobs)
	}
}
