package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// twoParts are two partitions with nodes of their own: cpu with two nodes of 4 processors, gpu with one of 4 processors and 2 GPUs.
func twoParts(jobs ...model.JobSpec) *model.InstanceSpec {
	b := model.NewBuilder("two").Cluster(
		model.ClusterSpec{ID: "cpu", Machines: []model.MachineSpec{{ID: "c", Count: 2, Processors: 4, Memory: new(16.0)}}},
		model.ClusterSpec{ID: "gpu", Machines: []model.MachineSpec{{ID: "g", Processors: 4, Memory: new(16.0), Resources: map[string]float64{"gpu": 2}}}}).Job(jobs...)
	b.Spec().Devices, b.Spec().UserClasses = []string{"gpu"}, map[string]float64{"high": 10, "low": 1}
	b.Spec().Partitions = []model.PartitionSpec{{ID: "cpu", Clusters: []string{"cpu"}}, {ID: "gpu", Clusters: []string{"gpu"}}}
	return b.Spec()
}

// on is a job of a partition that runs as long as its user says.
func on(queue, id string, arrival float64, processors int, runs, estimate float64) model.JobSpec {
	return model.JobSpec{ID: id, Queue: queue, Arrival: arrival, Processors: model.Rigid(processors), Runtime: map[string]float64{queue: runs}, Estimate: &estimate}
}

// with changes a job.
func with(j model.JobSpec, change func(j *model.JobSpec)) model.JobSpec {
	change(&j)
	return j
}

// run runs a rule, and checks the schedule.
func run(t *testing.T, spec *model.InstanceSpec, rule string) (*model.Instance, *model.Solution) {
	t.Helper()
	in, err := model.New(*spec)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := Run(in, rule)
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); len(report.Violations) > 0 {
		t.Fatalf("%s: %v", rule, report.Violations[0])
	}
	if len(sol.Jobs) != len(in.Jobs()) || sol.Parameters["rule"] != rule {
		t.Fatalf("%s: %d of %d jobs ran, parameters %v", rule, len(sol.Jobs), len(in.Jobs()), sol.Parameters)
	}
	return in, sol
}

func TestCasesByHand(t *testing.T) {
	high, low := func(j *model.JobSpec) { j.UserClass = "high" }, func(j *model.JobSpec) { j.UserClass = "low" }
	for name, c := range map[string]struct {
		spec   *model.InstanceSpec
		starts map[string]string // by rule: jobs and their starts, in the order of the instance
	}{
		"a blocked job of gpu keeps no job of cpu": {
			twoParts(on("gpu", "g1", 0, 4, 100, 100), on("gpu", "g2", 1, 4, 10, 10), on("cpu", "c1", 2, 4, 10, 10)),
			map[string]string{"fcfs": "0 100 2", "easy": "0 100 2", "cycles": "0 100 2"},
		},
		"short jobs are backfilled, at once or in a cycle, long ones not": {
			twoParts(on("cpu", "a", 0, 4, 100, 100), with(on("cpu", "b", 1, 8, 50, 50), func(j *model.JobSpec) { j.Block, j.PerMachine = 4, 1 }), on("cpu", "c", 2, 2, 60, 60), on("cpu", "d", 3, 2, 99, 99)),
			map[string]string{"fcfs": "0 100 150 150", "easy": "0 100 2 150", "cycles": "0 100 30 150"},
		},
		"priority goes first, then arrival": {
			twoParts(on("gpu", "a", 0, 4, 10, 10), with(on("gpu", "b", 1, 4, 10, 10), low), with(on("gpu", "c", 2, 4, 10, 10), high), with(on("gpu", "d", 1, 4, 10, 10), low)),
			map[string]string{"fcfs": "0 20 10 30", "easy": "0 20 10 30", "cycles": "0 20 10 30"},
		},
		"an estimate that is too long lets a job go that delays the first": { // c ends by 200, where a is expected to end; in fact a ends at 20
			twoParts(on("gpu", "a", 0, 2, 20, 200), on("gpu", "b", 1, 4, 10, 10), on("gpu", "c", 2, 2, 150, 150)),
			map[string]string{"fcfs": "0 20 30", "easy": "0 152 2", "cycles": "0 20 30"},
		},
		"one that outlived its estimate is expected to end in a moment": {
			twoParts(on("gpu", "a", 0, 2, 100, 10), on("gpu", "b", 20, 4, 10, 10), on("gpu", "c", 21, 2, 1, 1), on("gpu", "d", 22, 2, 2, 2)),
			map[string]string{"fcfs": "0 100 110 110", "easy": "0 100 21 110", "cycles": "0 100 30 110"},
		},
		"memory, devices and features are kept": {
			twoParts(with(on("cpu", "a", 0, 1, 10, 10), func(j *model.JobSpec) { j.Memory = 12 }), with(on("cpu", "b", 0, 2, 10, 10), func(j *model.JobSpec) { j.Memory, j.Block = 8, 2 }),
				with(on("cpu", "c", 0, 1, 10, 10), func(j *model.JobSpec) { j.Memory = 8 }), with(on("gpu", "d", 0, 1, 10, 10), func(j *model.JobSpec) { j.Resources = map[string]float64{"gpu": 2} }),
				with(on("gpu", "e", 0, 1, 10, 10), func(j *model.JobSpec) { j.Resources = map[string]float64{"gpu": 1} })),
			map[string]string{"fcfs": "0 0 10 0 10", "easy": "0 0 10 0 10", "cycles": "0 0 10 0 10"},
		},
		"jobs of no time": {
			twoParts(on("gpu", "a", 5, 4, 0, 0), on("gpu", "b", 5, 4, 0, 10), on("gpu", "c", 5, 4, 3, 0)),
			map[string]string{"fcfs": "5 5 5", "easy": "5 5 5", "cycles": "5 5 5"},
		},
	} {
		for rule, expected := range c.starts {
			_, sol := run(t, c.spec, rule)
			var starts []string
			for _, p := range sol.Jobs {
				starts = append(starts, fmt.Sprint(p.Start))
			}
			if found := strings.Join(starts, " "); found != expected {
				t.Errorf("%s: %s: starts %s, expected %s", name, rule, found, expected)
			}
		}
	}
}

func TestSharedMachines(t *testing.T) {
	spec := func(tier float64) *model.InstanceSpec {
		b := model.NewBuilder("shared").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "a", Processors: 4}, {ID: "b", Processors: 4, Features: []string{"fast"}}}}).
			Job(on("c", "first", 0, 4, 100, 100), on("c", "wide", 1, 4, 50, 50), on("c", "small", 2, 1, 10, 10), on("c", "other", 3, 1, 98, 98))
		b.Spec().Partitions = []model.PartitionSpec{{ID: "all"}, {ID: "fast", Feature: "fast", Tier: tier}}
		for k, queue := range []string{"fast", "fast", "fast", "all"} {
			b.Spec().Jobs[k].Queue = queue
		}
		return b.Spec()
	}
	for rule, expected := range map[string]string{"fcfs": "0 100 150 3", "easy": "0 100 150 3", "cycles": "0 100 150 3"} {
		_, sol := run(t, spec(1), rule)
		if found := fmt.Sprint(sol.Jobs[0].Start, sol.Jobs[1].Start, sol.Jobs[2].Start, sol.Jobs[3].Start); found != expected || sol.Jobs[3].Processors.String() != "0" {
			t.Errorf("%s: starts %s, expected %s; the job of the other partition is on %v", rule, found, expected, sol.Jobs[3].Processors)
		}
	}
}

// randomSite draws a site of one to three partitions, which may share a cluster.
func randomSite(rng *rand.Rand, exact bool) *model.InstanceSpec {
	b := model.NewBuilder("random")
	s := b.Spec()
	s.Devices, s.UserClasses = []string{"gpu"}, map[string]float64{"high": 3, "low": 1}
	for c := range 1 + rng.IntN(2) {
		machines := []model.MachineSpec{{ID: "m", Count: 1 + rng.IntN(3), Processors: 2 + rng.IntN(3), Memory: new(1.2), Resources: map[string]float64{"gpu": float64(rng.IntN(4)), "disk": 1.5}}}
		machines = append(machines, model.MachineSpec{ID: "n", Processors: 1 + rng.IntN(5), Features: []string{"fast"}})
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: machines})
	}
	for k := range rng.IntN(4) {
		p := model.PartitionSpec{ID: fmt.Sprint("p", k), Clusters: []string{s.Clusters[rng.IntN(len(s.Clusters))].ID}, Tier: float64(rng.IntN(2))}
		if rng.IntN(3) == 0 {
			p.Feature = "fast"
		}
		s.Partitions = append(s.Partitions, p)
	}
	for k := range 2 + rng.IntN(50) {
		j := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: float64(rng.IntN(200)), Work: new(float64(rng.IntN(100))), Block: 1 + rng.IntN(2), UserClass: []string{"high", "low", ""}[rng.IntN(3)]}
		j.Processors = model.Rigid(j.Block * (1 + rng.IntN(3)))
		if !exact {
			j.Estimate = new(*j.Work * []float64{0.5, 1, 1.5, 3}[rng.IntN(4)])
		}
		if rng.IntN(2) == 0 {
			j.Memory = []float64{0.1, 0.3, 0.4}[rng.IntN(3)]
		}
		if rng.IntN(3) == 0 {
			j.Resources = map[string]float64{"gpu": float64(rng.IntN(3)), "disk": 0.5}
		}
		if rng.IntN(4) == 0 {
			j.PerMachine = 1
		}
		if rng.IntN(6) == 0 {
			j.Features = [][]string{{"fast"}}
		}
		if len(s.Partitions) > 0 {
			j.Queue = s.Partitions[rng.IntN(len(s.Partitions))].ID
		}
		if k > 0 && rng.IntN(3) > 0 { // of a kind that there is already
			like := s.Jobs[rng.IntN(k)]
			j.Processors, j.Block, j.Memory, j.Resources, j.PerMachine, j.Features, j.Queue = like.Processors, like.Block, like.Memory, like.Resources, like.PerMachine, like.Features, like.Queue
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// drawn is a random site on which all jobs fit.
func drawn(t *testing.T, rng *rand.Rand, exact bool) *model.Instance {
	t.Helper()
	for {
		spec := randomSite(rng, exact)
		spec.Jobs = slices.DeleteFunc(spec.Jobs, func(j model.JobSpec) bool {
			alone := *spec
			alone.Jobs = []model.JobSpec{j}
			in, err := model.New(alone)
			if err != nil {
				return true
			}
			_, err = Run(in, "fcfs")
			return err != nil
		})
		if in, err := model.New(*spec); err == nil && len(spec.Jobs) > 1 {
			return in
		}
	}
}

// fits says whether a job fits at an instant on machines of its queue beside the given jobs, counted machine by machine.
func fits(s *system, j *job, beside []*job) bool {
	for k := range j.options {
		blocks := 0
		for _, m := range j.options[k].machines {
			spare := slices.Clone(s.machines[m].has)
			for _, other := range beside {
				for _, on := range other.shares {
					for i, need := range other.needs {
						if on.machine == m && spare[i] < math.MaxInt64 {
							spare[i] -= int64(on.blocks) * need
						}
					}
				}
			}
			n := 0
			for ; n < j.blocks; n++ {
				enough := true
				for i, need := range j.needs {
					enough = enough && (need == 0 || spare[i] >= int64(n+1)*need)
				}
				if !enough {
					break
				}
			}
			if j.perMachine > 0 {
				n = min(n/j.perMachine, 1) * j.perMachine
			}
			blocks += n
		}
		if blocks >= j.blocks {
			return true
		}
	}
	return false
}

// played is the state after a rule has run.
func played(t *testing.T, in *model.Instance, rule string) *system {
	t.Helper()
	sol, err := Run(in, rule)
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); len(report.Violations) > 0 || len(sol.Jobs) != len(in.Jobs()) {
		t.Fatalf("%s: %d of %d jobs, %v", rule, len(sol.Jobs), len(in.Jobs()), report.Violations)
	}
	s, err := newSystem(in, rule)
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range sol.Jobs { // from the schedule alone
		j := s.jobs[k]
		j.start, j.end = p.Start, p.End
		c, _ := in.ClusterIndex(p.Cluster)
		for m, machine := range s.machines {
			n := 0
			for _, r := range p.Processors {
				n += max(0, min(r.Last, machine.first+len(machine.busy)-1)-max(r.First, machine.first)+1)
			}
			if machine.cluster == c && n > 0 {
				j.shares = append(j.shares, share{m, n / int(j.needs[0])})
			}
		}
	}
	return s
}

// TestRandomSites checks every schedule, that the same instance gives the same, and what holds under every rule: no job waits beside room for it when no other job waits for its machines.
func TestRandomSites(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 59))
	for range 50 {
		in := drawn(t, rng, false)
		for _, rule := range Rules() {
			s := played(t, in, rule)
			for _, j := range s.jobs {
				for _, at := range instants(s) {
					if at < j.Arrival || at >= j.start {
						continue
					}
					alone := !slices.ContainsFunc(s.jobs, func(other *job) bool {
						return other != j && other.Arrival <= at && at < other.start && other.queue.meets(j.queue)
					})
					if alone && fits(s, j, runningAt(s, at, func(*job) bool { return true })) {
						t.Fatalf("%s: job %s, alone, waits at %v for its start at %v beside room for it", rule, j.ID, at, j.start)
					}
				}
			}
		}
	}
}

// TestShortcuts: what a rule finds of one job tells it something of the next of its kind. Without that the schedules are the same.
func TestShortcuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 59))
	for range 50 {
		in := drawn(t, rng, rng.IntN(2) == 0)
		for _, rule := range Rules() {
			with := played(t, in, rule)
			without, err := newSystem(in, rule)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range without.jobs {
				j.kind = j.ID
			}
			sol, err := without.run(rule)
			if err != nil {
				t.Fatal(err)
			}
			for k, j := range with.jobs {
				if p := sol.Jobs[k]; p.Start != j.start {
					t.Fatalf("%s: job %s starts at %v, without shortcuts at %v", rule, j.ID, j.start, p.Start)
				}
			}
		}
	}
}

// TestReservationsKeepTheirPlaces: after each decision of easy there is room for all that runs and all reservations, whenever one begins.
func TestReservationsKeepTheirPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 59))
	several := 0
	for range 80 {
		in := drawn(t, rng, false)
		s, err := newSystem(in, "easy")
		if err != nil {
			t.Fatal(err)
		}
		s.decided = func() {
			for k, l := range s.levels {
				if k > 1 {
					several++
				}
				for m := range l.room {
					if slices.Min(l.room[m]) < 0 {
						t.Fatalf("at %v: at %v machine %s lacks %v", s.now, l.at, s.machines[m].name, l.room[m])
					}
				}
			}
		}
		if _, err := s.run("easy"); err != nil {
			t.Fatal(err)
		}
	}
	if several < 40 {
		t.Errorf("only %d decisions had several reservations", several)
	}
}

// instants are those at which a job arrives, starts or ends.
func instants(s *system) (times []float64) {
	for _, j := range s.jobs {
		times = append(times, j.Arrival, j.end, j.start)
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// runningAt are the jobs that run at an instant, of those that count.
func runningAt(s *system, at float64, counts func(*job) bool) (jobs []*job) {
	for _, j := range s.jobs {
		if j.start <= at && at < j.end && counts(j) {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// TestOrderOfQueues: under fcfs no job starts before one that is before it in its queue and had arrived.
func TestOrderOfQueues(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 59))
	for range 50 {
		s := played(t, drawn(t, rng, false), "fcfs")
		for _, a := range s.jobs {
			for _, b := range s.jobs {
				if a.queue == b.queue && before(a, b) < 0 && a.Arrival <= b.start && b.start < a.start {
					t.Fatalf("job %s starts at %v, job %s, which is before it and arrived at %v, at %v", b.ID, b.start, a.ID, a.Arrival, a.start)
				}
			}
		}
	}
}

// TestFirstIsNotDelayed: where estimates are exact, the first of the jobs that wait for its machines starts as early as it would if nothing behind it had started since it became the first.
func TestFirstIsNotDelayed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 59))
	backfilled := map[string]int{}
	for k := range 120 {
		rule := []string{"easy", "cycles"}[k%2]
		s := played(t, drawn(t, rng, true), rule)
		for _, j := range s.jobs {
			if j.end == j.start {
				continue
			}
			ahead := func(other *job) bool { return other.queue.meets(j.queue) && before(other, j) < 0 }
			from := j.Arrival // when it becomes the first
			overtaken := false
			for _, other := range s.jobs {
				if ahead(other) {
					from = max(from, other.start)
					overtaken = overtaken || other.Arrival > j.Arrival // a job of higher priority that comes later may delay it
				}
				if other.queue.meets(j.queue) && before(other, j) > 0 && other.start < j.start && other.start >= j.Arrival {
					backfilled[rule]++
				}
			}
			if overtaken {
				continue
			}
			for _, at := range instants(s) {
				if at < from || at >= j.start {
					continue
				}
				if fits(s, j, runningAt(s, at, func(other *job) bool { return other != j && (ahead(other) || other.start < from) })) {
					t.Fatalf("%s: job %s, first from %v on, starts at %v, though without jobs behind it it fits at %v", rule, j.ID, from, j.start, at)
				}
			}
		}
	}
	if backfilled["easy"] < 80 || backfilled["cycles"] < 30 {
		t.Errorf("only %v jobs overtook others", backfilled)
	}
}

// TestInexpressible: what a record cannot express is named.
func TestInexpressible(t *testing.T) {
	plain := func() *model.InstanceSpec { return twoParts(on("cpu", "a", 0, 2, 10, 10)) }
	for name, c := range map[string]struct {
		change   func(s *model.InstanceSpec)
		rule     string
		expected string
	}{
		"a rule":    {func(*model.InstanceSpec) {}, "sjf", `expected one of the rules fcfs, easy, cycles, found "sjf"`},
		"moldable":  {func(s *model.InstanceSpec) { s.Jobs[0].Processors = model.Moldable(1, 2) }, "easy", "a record cannot express moldable jobs"},
		"exclusive": {func(s *model.InstanceSpec) { s.Jobs[0].Exclusive = true }, "easy", "a record cannot express exclusive jobs"},
		"speeds": {func(s *model.InstanceSpec) {
			s.Clusters[0].Machines = append(s.Clusters[0].Machines, model.MachineSpec{ID: "x", Speed: 2})
		}, "easy", "a record cannot express machines of different speed or bandwidth in one cluster"},
		"several":      {func(s *model.InstanceSpec) { s.Jobs[0].Queue = "cpu,gpu" }, "easy", `job a: expected one partition as its queue, found "cpu,gpu"`},
		"shares":       {func(s *model.InstanceSpec) { s.Jobs[0].Resources = map[string]float64{"gpu": 0.5} }, "fcfs", "job a: a record cannot express shares of devices, such as 0.5 of gpu"},
		"machines":     {func(s *model.InstanceSpec) { s.Jobs[0].Machines = model.Rigid(2) }, "fcfs", "job a: a record cannot express a number of machines"},
		"nowhere":      {func(s *model.InstanceSpec) { s.Jobs[0].Queue = "gpu" }, "fcfs", `job a: it fits nowhere in its partition "gpu", even when nothing else runs`},
		"whole":        {func(s *model.InstanceSpec) { s.Clusters[1].Allocation = "machine" }, "fcfs", "a record cannot express clusters that allocate whole machines, such as gpu"},
		"memory":       {func(s *model.InstanceSpec) { s.Jobs[0].Memory = 1.0 / 3 }, "fcfs", "job a: expected a memory of at most 1e12 with at most six decimals, found 0.3333333333333333"},
		"a limit":      {func(s *model.InstanceSpec) { s.Partitions[0].Limit = 5 }, "fcfs", "a record cannot express partitions that are closed, have a licence or limit their jobs, such as cpu"},
		"minutes":      {func(s *model.InstanceSpec) { s.Units = &model.Units{Time: "min"} }, "cycles", `cycles come every 30 s: expected times in s, found "min"`},
		"minutes else": {func(s *model.InstanceSpec) { s.Units = &model.Units{Time: "min"} }, "easy", ""},
	} {
		spec := plain()
		c.change(spec)
		in, err := model.New(*spec)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err = Run(in, c.rule); (err == nil) != (c.expected == "") || err != nil && err.Error() != c.expected {
			t.Errorf("%s: error %v, expected %s", name, err, c.expected)
		}
	}
}
