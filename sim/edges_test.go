package sim_test

import (
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/simtest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// A job of a trace has finite times of at least 0, each of them, whatever the others are, and so is their sum; without an estimate it is the run time.
func TestTimesOfATrace(t *testing.T) {
	values := []float64{0, 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 1e308, math.SmallestNonzeroFloat64}
	for _, arrival := range values {
		for _, runtime := range values {
			for _, estimate := range values {
				known := estimate
				if math.IsNaN(known) {
					known = runtime
				}
				right := arrival >= 0 && runtime >= 0 && known >= 0 && arrival+runtime+known <= math.MaxFloat64
				_, err := sim.Run(t.Context(), &sim.Trace{Jobs: []sim.Spec{rigid(arrival, runtime, estimate)}}, 2, backfill.FCFS(backfill.Ranking{}), sim.Options{})
				if (err == nil) != right {
					t.Errorf("arrival %v, run time %v, estimate %v: %v", arrival, runtime, estimate, err)
				}
			}
		}
	}
}

// A discipline decides the same of a trace as of the instance where the instance is no more than a trace, and the discipline looks at nothing that a trace lacks.
func TestWhoReadsTraces(t *testing.T) {
	instance := func(change func(spec *model.InstanceSpec)) *model.Instance {
		b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).Job(model.JobSpec{ID: "a", Work: new(10.0)})
		change(b.Spec())
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	instances := map[string]*model.Instance{
		"plain":    instance(func(*model.InstanceSpec) {}),
		"deadline": instance(func(spec *model.InstanceSpec) { spec.Jobs[0].Deadline = new(50.0) }),
		"class": instance(func(spec *model.InstanceSpec) {
			spec.UserClasses, spec.Jobs[0].UserClass = map[string]float64{"gold": 2}, "gold"
		}),
		"queues": instance(func(spec *model.InstanceSpec) { spec.Partitions = []model.PartitionSpec{{ID: "p"}, {ID: "q"}} }),
		"memory": instance(func(spec *model.InstanceSpec) {
			spec.Clusters[0].Machines[0].Memory, spec.Jobs[0].Memory = new(9.0), 5
		}),
	}
	for name, c := range map[string]struct {
		rules sim.Discipline
		not   string // the instances that it does not read as traces, besides memory
	}{
		"none": {sim.Discipline{}, ""}, "deadlines": {sim.Discipline{Deadlines: true}, "deadline"}, "classes": {sim.Discipline{Classes: true}, "class"}, "queues": {sim.Discipline{ByQueue: true}, "queues"},
		"requests": {sim.Discipline{Requests: true}, "plain deadline class queues"}, "machines": {sim.Discipline{ByNode: true}, "plain deadline class queues"},
	} {
		for of, in := range instances {
			if got, want := c.rules.ReadsTraces(in), of != "memory" && !strings.Contains(c.not, of); got != want {
				t.Errorf("who looks at %s reads an instance of %s as a trace: %v", name, of, got)
			}
		}
	}
}

// Who watches a trace is told the processors of each job.
func TestProcessorsOfAWatchedTrace(t *testing.T) {
	seen := &firstPart{ends: map[string]float64{}}
	trace := &sim.Trace{Jobs: []sim.Spec{{Runtime: 3, Estimate: 3, Processors: 2}}}
	if _, err := sim.Run(t.Context(), trace, 4, backfill.FCFS(backfill.Ranking{}), sim.Options{Observer: everyPart{seen}}); err != nil || seen.part.Processors.Len() != 2 {
		t.Errorf("%v, %v", seen.part, err)
	}
}

// everyPart keeps what the last job got.
type everyPart struct{ *firstPart }

func (f everyPart) Started(_ float64, _ *sim.Job, parts []sim.Part) { f.part = parts[0] }

// Jobs that run already go on where they run, and end by what is left of their estimates: with no time left at once. A job for which machines are closed for ever is left out, and the reason is theirs.
func TestRunningAndClosedFromTheBegin(t *testing.T) {
	running := func(processors ...int) *model.RunningSpec {
		return &model.RunningSpec{Cluster: "c", Processors: model.Processors(processors...), Elapsed: 5}
	}
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2}, {ID: "n", Processors: 2, Closed: []model.ClosedSpec{{From: 50}}}}}).Job(
		model.JobSpec{ID: "a", Work: new(10.0), Processors: model.Rigid(2), Running: running(1, 2)}, model.JobSpec{ID: "b", Work: new(0.0), Running: running(3)}, model.JobSpec{ID: "c", Work: new(4.0), Processors: model.Rigid(2)},
		model.JobSpec{ID: "d", Work: new(60.0), Processors: model.Rigid(3)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() || len(sol.Unscheduled) != 1 || sol.Unscheduled[0].Reason != "no machines are open to it at 0 or later for as long as it is estimated to take" {
		t.Errorf("%v, %+v", report.Violations, sol.Unscheduled)
	}
	for _, p := range sol.Jobs {
		if want := map[string]float64{"a": 10, "b": 0, "c": 4}[p.Job]; p.Start != 0 || p.End != want {
			t.Errorf("job %s runs from %v to %v, expected 0 to %v", p.Job, p.Start, p.End, want)
		}
	}
}

// Progress is told now and then, not at each event: at the begin, and once in some thousands of events.
func TestProgressIsToldNowAndThen(t *testing.T) {
	var told []sim.Progress
	source := &simtest.Synthetic{Jobs: 60_000, Processors: 64, Load: 0.6, Seed: 1}
	if _, err := sim.Run(t.Context(), source, 64, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{Progress: func(p sim.Progress) { told = append(told, p) }}); err != nil {
		t.Fatal(err)
	}
	if len(told) < 4 || len(told) > 30 {
		t.Errorf("told %d times of 60000 jobs", len(told))
	}
	for k := 1; k < len(told); k++ {
		if told[k].Now < told[k-1].Now || told[k].Arrived < told[k-1].Arrived || told[k].Left < told[k-1].Left || told[k].Arrived-told[k-1].Arrived > 20_000 {
			t.Errorf("%+v after %+v", told[k], told[k-1])
		}
	}
}

// A trace under a power cap runs whatever its busy processors take, by the machines or by the jobs, and the least of a cap that lets all run at once does; a little less does not.
func TestPowerOfProcessorsUnderACap(t *testing.T) {
	power := func(list ...float64) []*float64 { // of the jobs; −1: not stated
		var all []*float64
		for _, x := range list {
			if x < 0 {
				all = append(all, nil)
			} else {
				all = append(all, &x)
			}
		}
		return all
	}
	for name, c := range map[string]struct {
		machines []float64
		jobs     []*float64
		most     float64 // of all at once, beside idle machines
	}{
		"of the machines":               {[]float64{2, 2}, power(-1, -1), 4},
		"of machines that differ":       {[]float64{2, 3}, power(-1, -1), 5},
		"of the jobs":                   {[]float64{2, 2}, power(3, 4), 7},
		"of the jobs, machines differ":  {[]float64{2, 3}, power(4, 4), 8},
		"of one job of two, as machine": {[]float64{2, 2}, power(2, -1), 4},
		"of one job of two, another":    {[]float64{2, 2}, power(3, -1), 5},
		"decimals":                      {[]float64{0.1, 0.2}, power(-1, -1), 0.3},
		"far apart":                     {[]float64{1e9, 1e-3}, power(-1, -1), 1e9 + 1e-3},
	} {
		for _, less := range []float64{0, 1e-3} {
			cluster := model.ClusterSpec{ID: "c", PowerCap: [][]float64{{0, 2 + c.most*(1-less)}}}
			for k, busy := range c.machines {
				cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: string(rune('m' + k)), Power: &model.PowerSpec{Idle: 1, Busy: busy}})
			}
			b := model.NewBuilder("").Cluster(cluster)
			for k, p := range c.jobs {
				b.Job(model.JobSpec{ID: string(rune('a' + k)), Work: new(5.0), Power: p})
			}
			in, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != len(c.jobs) {
				t.Errorf("%s: %v", name, report.Violations)
			}
			if starts := []float64{sol.Jobs[0].Start, sol.Jobs[1].Start}; (starts[0] == starts[1]) != (less == 0) {
				t.Errorf("%s, a cap less by %v: starts %v", name, less, starts)
			}
		}
	}
}
