package sim_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// dozing is a trace whose machines sleep by a rule.
func dozing(t *rapid.T) *model.Instance {
	b := model.NewBuilder("dozing")
	at := rapid.SampledFrom([]float64{0, 3, 1_700_000_000.25}).Draw(t, "begin")
	spec := model.ClusterSpec{ID: "c"}
	processors := 0
	for g := range rapid.IntRange(1, 3).Draw(t, "groups") {
		m := model.MachineSpec{ID: fmt.Sprint("m", g), Count: rapid.IntRange(1, 3).Draw(t, "count"), Processors: rapid.IntRange(1, 3).Draw(t, "processors")}
		if g == 0 || rapid.Bool().Draw(t, "sleeps") {
			time := func(name string) float64 {
				return rapid.SampledFrom([]float64{0, 0.1, 1, 2.5, 7}).Draw(t, name)
			}
			m.Power = &model.PowerSpec{Idle: 3, Busy: 2, SuspendAfter: new(time("after")), Off: []model.OffSpec{{Name: "off", Power: 1, Down: model.WaySpec{Time: time("down"), Power: 2}, Up: model.WaySpec{Time: time("up"), Power: 5}}}}
		}
		spec.Machines = append(spec.Machines, m)
		processors += m.Count * m.Processors
	}
	b.Cluster(spec)
	for k := range rapid.IntRange(1, 20).Draw(t, "jobs") {
		at += rapid.SampledFrom([]float64{0, 0, 0.3, 1, 5, 30}).Draw(t, "gap")
		job := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: at, Work: new(rapid.SampledFrom([]float64{0, 0.7, 3, 11}).Draw(t, "work")), Processors: model.Rigid(rapid.IntRange(1, processors).Draw(t, "width"))}
		if rapid.Bool().Draw(t, "estimates") {
			job.Estimate = new(rapid.SampledFrom([]float64{0.1, 3, 20}).Draw(t, "estimate"))
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// dozingGrid is several clusters of machines that sleep by a rule, on which jobs may ask for memory, devices and whole machines.
func dozingGrid(t *rapid.T) *model.Instance {
	in := dozing(t)
	spec := in.Spec()
	other := spec.Clusters[0]
	other.ID, other.Machines = "d", nil
	for _, m := range spec.Clusters[0].Machines {
		m.Count, m.Speed = rapid.IntRange(1, 2).Draw(t, "count"), rapid.SampledFrom([]float64{1, 2}).Draw(t, "speed")
		other.Machines = append(other.Machines, m)
	}
	spec.Clusters = append(spec.Clusters, other)
	nodes, widest := rapid.Bool().Draw(t, "nodes"), 0
	for _, m := range spec.Clusters[0].Machines {
		widest = max(widest, m.Processors, 1)
	}
	spec.Devices = []string{"gpu"}
	for c := range spec.Clusters {
		for g := range spec.Clusters[c].Machines {
			m := &spec.Clusters[c].Machines[g]
			m.Memory = new(float64(2 * max(1, m.Processors)))
			m.Resources = map[string]float64{"gpu": float64(max(1, m.Processors))}
		}
	}
	for k := range spec.Jobs {
		j := &spec.Jobs[k]
		j.Memory = rapid.SampledFrom([]float64{0, 1, 2}).Draw(t, "memory")
		switch rapid.IntRange(0, 4).Draw(t, "asks") {
		case 0:
			if nodes {
				j.Resources = map[string]float64{"gpu": 1}
			}
		case 1:
			j.Exclusive = nodes
		case 2:
			if j.Processors.Max <= widest {
				j.Span = "machine"
			}
		}
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// On several clusters, with memory and nodes, the checker finds nothing wrong either, and all jobs are placed. A machine that is on serves before one that would have to wake where both would do.
func TestSleepingMachinesOfAGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := dozingGrid(t)
		for name, rules := range map[string]sim.Discipline{
			"fcfs": backfill.FCFS(backfill.DefaultRanking()), "easy": backfill.EASY(1, 1, backfill.DefaultRanking()), "deep": backfill.EASY(1, 4, backfill.DefaultRanking()),
			"flexible": backfill.Flexible(1, backfill.DefaultPriorities()), "conservative": backfill.Conservative(1, backfill.DefaultRanking()), "cycles": backfill.Slurm(1, backfill.DefaultCycles(), backfill.Ranking{}),
		} {
			sol, totals, err := sim.Simulate(t.Context(), in, rules, sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if report := model.Check(in, sol); !report.OK() {
				t.Fatalf("%s: %v", name, report.Violations)
			}
			if len(sol.Jobs) != len(in.Jobs()) || totals.Finished != int64(len(in.Jobs())) {
				t.Fatalf("%s: %d of %d jobs placed: %v", name, len(sol.Jobs), len(in.Jobs()), sol.Unscheduled)
			}
		}
	})
}

// A job that takes one of two equal nodes gets the one that is on, whichever comes first, and waits for none to wake.
func TestNodesThatAreOnComeFirst(t *testing.T) {
	b := model.NewBuilder("nodes").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2,
		Power: &model.PowerSpec{Idle: 3, SuspendAfter: new(4.0), Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 10}}}}}}})
	b.Job(model.JobSpec{ID: "a", Work: new(2.0), Processors: model.Rigid(2), Exclusive: true}, model.JobSpec{ID: "b", Work: new(9.0), Processors: model.Rigid(2), Exclusive: true},
		model.JobSpec{ID: "c", Arrival: 10, Work: new(5.0), Exclusive: true})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, rules := range map[string]sim.Discipline{"fcfs": backfill.FCFS(backfill.DefaultRanking()), "easy": backfill.EASY(1, 1, backfill.DefaultRanking()), "conservative": backfill.Conservative(1, backfill.DefaultRanking())} {
		sol, _, err := sim.Simulate(t.Context(), in, rules, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p := placementOf(sol, "c"); p.Start != 10 || p.Processors.String() != "2" {
			t.Errorf("%s: c runs on processors %v from %v", name, p.Processors, p.Start)
		}
	}
}

// No policy starts a job on a machine that sleeps or is on its way: the checker finds nothing, all jobs are placed, and none waits longer than waking takes while all machines are free.
func TestSleepingMachinesAreWoken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := dozing(t)
		for name, rules := range map[string]sim.Discipline{
			"fcfs": backfill.FCFS(backfill.DefaultRanking()), "easy": backfill.EASY(1, 1, backfill.DefaultRanking()), "deep": backfill.EASY(1, 4, backfill.DefaultRanking()),
			"sjf": backfill.EASY(1, 1, backfill.Ranking{Order: "sjf"}), "flexible": backfill.Flexible(1, backfill.DefaultPriorities()), "conservative": backfill.Conservative(1, backfill.DefaultRanking()),
		} {
			sol, totals, err := sim.Simulate(t.Context(), in, rules, sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if report := model.Check(in, sol); !report.OK() {
				t.Fatalf("%s: %v", name, report.Violations)
			}
			if len(sol.Jobs) != len(in.Jobs()) || totals.Finished != int64(len(in.Jobs())) {
				t.Fatalf("%s: %d of %d jobs placed", name, len(sol.Jobs), len(in.Jobs()))
			}
			slowest := 0.0 // until all machines are up, if each goes to sleep while the job waits for the one before
			for _, m := range in.Clusters()[0].Machines {
				if m.Power != nil && m.Power.Suspends() {
					slowest += float64(m.Count) * (m.Power.SuspendAfter + m.Power.Off[0].Down.Time + m.Power.Off[0].Up.Time)
				}
			}
			busy := in.FirstArrival() // until then
			for k := range in.Jobs() {
				job := &in.Jobs()[k]
				p := placementOf(sol, job.ID)
				if wait := p.Start - job.Arrival; job.Arrival >= busy && name == "fcfs" && wait > slowest+1e-6 {
					t.Fatalf("%s: %s waits %v for machines that are free, and up after %v", name, job.ID, wait, slowest)
				}
				busy = max(busy, p.End)
			}
		}
	})
}

// placementOf is where a job is.
func placementOf(sol *model.Solution, job string) model.Placement {
	for _, p := range sol.Jobs {
		if p.Job == job {
			return p
		}
	}
	return model.Placement{}
}

// A machine that is woken is up when it can be, also for jobs that come while it wakes, and although another of its jobs waits longer for a slower machine.
func TestMachinesAreUpForTheFirstThatCanStart(t *testing.T) {
	waking := func(time float64) *model.PowerSpec {
		return &model.PowerSpec{Idle: 3, SuspendAfter: new(0.0), Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: time}}}}
	}
	for _, order := range [][]string{{"one", "both"}, {"both", "one"}} {
		for _, late := range []float64{1, 5, 10.5, 11, 15, 35} {
			b := model.NewBuilder("slower").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 3, Power: waking(10)}, {ID: "n", Power: waking(30)}}})
			for _, id := range order {
				job := model.JobSpec{ID: id, Arrival: 1, Work: new(50.0)}
				if id == "both" {
					job.Processors, job.PerMachine = model.Rigid(2), 1
				}
				b.Job(job)
			}
			in, err := b.Job(model.JobSpec{ID: "late", Arrival: late, Work: new(50.0)}).Build()
			if err != nil {
				t.Fatal(err)
			}
			sol, _, err := sim.Simulate(t.Context(), in, backfill.FCFS(backfill.DefaultRanking()), sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range map[string]float64{"one": 11, "both": 31, "late": max(11, late)} {
				if p := placementOf(sol, id); p.Start != want {
					t.Errorf("%v, the last at %v: %s starts at %v, want %v", order, late, id, p.Start, want)
				}
			}
		}
	}
}

// A job gets processors of a machine that serves somebody before those of one that is on and would go to sleep.
func TestMachinesThatServeAreTakenFirst(t *testing.T) {
	b := model.NewBuilder("order").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2,
		Power: &model.PowerSpec{Idle: 3, SuspendAfter: new(10.0), Off: []model.OffSpec{{Name: "off"}}}}}})
	b.Job(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Rigid(2)}, model.JobSpec{ID: "b", Work: new(50.0)}, model.JobSpec{ID: "c", Arrival: 6, Work: new(5.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := sim.Simulate(t.Context(), in, backfill.FCFS(backfill.DefaultRanking()), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := placementOf(sol, "c"); p.Start != 6 || p.Processors.String() != "3" {
		t.Errorf("c runs on processors %v from %v", p.Processors, p.Start)
	}
}

// A job that is let go ahead of the first one ends by its reservation although its machine has to wake, so a stream of short jobs does not starve the first.
func TestShortJobsThatWakeMachinesDoNotStarveTheFirst(t *testing.T) {
	for _, suspendAfter := range []float64{0, 5, 20} {
		b := model.NewBuilder("stream").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2,
			Power: &model.PowerSpec{Idle: 5, SuspendAfter: &suspendAfter, Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 10}}}}}}})
		b.Job(model.JobSpec{ID: "long", Work: new(100.0)}, model.JobSpec{ID: "first", Arrival: 1, Work: new(50.0), Processors: model.Rigid(2)})
		for k := range 200 {
			b.Job(model.JobSpec{ID: fmt.Sprint("short", k), Arrival: 105 + 6.5*float64(k), Work: new(1.0)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for name, rules := range map[string]sim.Discipline{
			"easy": backfill.EASY(1, 1, backfill.DefaultRanking()), "deep": backfill.EASY(1, 3, backfill.DefaultRanking()),
			"longest first": backfill.EASY(1, 1, backfill.Ranking{Order: "ljf"}),
		} {
			sol, _, err := sim.Simulate(t.Context(), in, rules, sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if p := placementOf(sol, "first"); p.Start > 120 {
				t.Errorf("suspended after %v, %s: the first job starts at %v, as if it were nobody's turn", suspendAfter, name, p.Start)
			}
		}
	}
}
