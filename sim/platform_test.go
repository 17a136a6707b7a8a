package sim_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
)

// together is a tiny instance whose jobs ask something of single machines or of licences, and have all arrived at time 0.
func together(rng *rand.Rand) *model.Instance {
	for {
		in := modeltest.TinyNodes(rng)
		if rng.IntN(2) == 0 {
			in = modeltest.TinyTogether(rng)
		}
		if in.Features()&(model.RunningJobs|model.Precedence|model.GridSpan|model.Commitments|model.MoldableJobs) != 0 || in.Whole()&model.PowerLimits != 0 {
			continue
		}
		spec, links, tasks := in.SystemSpec(), rng.IntN(3) == 0, rng.IntN(3) == 0
		for c := range spec.Clusters {
			for m := range spec.Clusters[c].Machines {
				if machine := &spec.Clusters[c].Machines[m]; links {
					machine.Bandwidth = float64(1 + rng.IntN(3))
					if machine.Closed == nil && rng.IntN(2) == 0 {
						from := float64(1 + rng.IntN(6))
						machine.Speed, machine.Closed = 1, []model.ClosedSpec{{From: from, To: new(from + 9)}}
					}
				}
			}
		}
		for j := range in.Jobs() {
			job := in.JobSpec(j)
			job.Arrival = 0
			if links {
				job.Input = float64(rng.IntN(4))
			}
			if tasks && job.Work != nil {
				job.Tasks = max(1, job.Tasks) + rng.IntN(4)
			}
			spec.Jobs = append(spec.Jobs, job)
			if rng.IntN(2) == 0 { // one that is alike, but for its work, its run times, its deadline and its licences
				other := job
				other.ID += "x"
				if other.Work != nil {
					other.Work = new(*job.Work * float64(rng.IntN(3)))
				}
				if rng.IntN(3) == 0 {
					other.Deadline, other.DeadlineHard = new(float64(1+rng.IntN(4))), true
				}
				switch rng.IntN(4) {
				case 0:
					other.Licences = nil
				case 1:
					other.Licences = map[string]int{}
					for licence, copies := range spec.Licences {
						other.Licences[licence] = 1 + copies // it cannot run
					}
				}
				if rng.IntN(3) == 0 {
					other.Work, other.Runtime = nil, map[string]float64{spec.Clusters[rng.IntN(len(spec.Clusters))].ID: 2}
				}
				spec.Jobs = append(spec.Jobs, other)
			}
		}
		if in, err := model.New(spec); err == nil {
			return in
		}
	}
}

// What a platform says of where jobs fit follows from the model and from the room: where they can run, what fits on one machine, and what is free in two rooms at once. Jobs of one kind
// fit the same machines, and the larger one is not the shorter.
func TestWhatAPlatformSays(t *testing.T) {
	race.OneGoroutine(t)
	counts := map[string]int{}
	for seed := range uint64(race.Fewer(600, 100)) {
		rng := rand.New(rand.NewPCG(seed, 57))
		in := together(rng)
		err := asksOf(t, in, rng.IntN(3) > 0, func(p *sim.Platform, jobs []*sim.Job) {
			var clusters []int
			for c := range p.Clusters() {
				clusters = append(clusters, c)
			}
			room, other := sim.Room{}, sim.Room{}
			room.CopyFrom(p.Empty())
			other.CopyFrom(p.Empty())
			for _, r := range []*sim.Room{&room, &other} {
				var leave []func() // the first ones leave, so that others are not on the first machines
				for range 1 + rng.IntN(4) {
					j, c := jobs[rng.IntN(len(jobs))], rng.IntN(len(clusters))
					if !p.CanRun(j, c) {
						continue
					}
					if shares, ok := p.Fits(r, j, c, nil); ok {
						p.Take(r, j, c, shares)
						leave = append(leave, func() { p.Give(r, j, c, shares) })
					}
				}
				for _, give := range leave[:rng.IntN(len(leave)+1)] {
					give()
				}
			}
			for _, j := range jobs {
				job, _ := in.JobIndex(j.Request.ID)
				for _, c := range clusters {
					if got, want := p.CanRun(j, c), in.CanRun(job, c); got != want {
						t.Fatalf("seed %d: job %s can run on cluster %d: %v, want %v", seed, j.Request.ID, c, got, want)
					}
					if !p.CanRun(j, c) {
						counts["cannot run"]++
						continue
					}
					n := p.Width(j, c)
					where, has := p.FitsOn(&room, j, c, n, nil)
					held := 0
					for _, share := range where {
						held += int(share.Processors)
					}
					if has && held != n {
						t.Fatalf("seed %d: job %s is to have %d processors, and fits %v", seed, j.Request.ID, n, where)
					}
					for m := range p.Machines {
						if has || !p.ByNode() {
							break
						}
						if _, ok := p.FitsAmong(&room, j, c, n, func(other int) bool { return other == m }, nil); ok {
							t.Fatalf("seed %d: job %s fits machine %d, and does not fit", seed, j.Request.ID, m)
						}
					}
					if has && p.OnOneMachine(j, c) && len(where) != 1 {
						t.Fatalf("seed %d: job %s is on one machine, and fits %v", seed, j.Request.ID, where)
					}
					if len(where) > 1 {
						counts["several machines"]++
					}
					if place := p.HasPlace(&room, j, c, n); has && !place || place && !has && !p.Closes() && !j.Request.DeadlineHard {
						t.Fatalf("seed %d: job %s fits: %v, it has a place: %v", seed, j.Request.ID, has, place)
					}
					both, some := sim.Room{}, sim.Room{}
					both.CopyFrom(&room)
					p.IntersectCluster(&both, &other, c)
					some.CopyFrom(&room)
					p.IntersectFor(&some, &other, j, c, n)
					want := p.HasPlace(&both, j, c, n)
					if got := p.HasPlace(&some, j, c, n); got != want || got && !(p.HasPlace(&room, j, c, n) && p.HasPlace(&other, j, c, n)) {
						t.Fatalf("seed %d: job %s has a place in two rooms at once: %v, want %v", seed, j.Request.ID, got, want)
					}
					if !want && p.HasPlace(&room, j, c, n) && p.HasPlace(&other, j, c, n) {
						counts["in each room, not in both at once"]++
					}
				}
				for _, k := range jobs {
					kind, size := p.KindOf(j, clusters)
					if alike, less := p.KindOf(k, clusters); j == k || kind != alike || size < less {
						continue
					}
					counts["of a kind"]++
					if p.ByNode() && j.Request.DeadlineHard != k.Request.DeadlineHard {
						t.Fatalf("seed %d: jobs %s and %s are of a kind, and one has a hard deadline", seed, j.Request.ID, k.Request.ID)
					}
					for _, c := range clusters {
						if p.CanRun(j, c) != p.CanRun(k, c) {
							t.Fatalf("seed %d: jobs %s and %s are of a kind and can run on cluster %d: %v, %v", seed, j.Request.ID, k.Request.ID, c, p.CanRun(j, c), p.CanRun(k, c))
						}
						if !p.CanRun(j, c) || p.Closes() || j.Request.DeadlineHard || k.Request.DeadlineHard || p.Draws() {
							continue
						}
						a, okA := p.Fits(&room, j, c, nil)
						b, okB := p.Fits(&room, k, c, nil)
						if okA != okB || fmt.Sprint(a) != fmt.Sprint(b) {
							t.Fatalf("seed %d: jobs %s and %s are of a kind and fit %v, %v", seed, j.Request.ID, k.Request.ID, a, b)
						}
						if !okA {
							continue
						}
						if longer, shorter := p.Estimate(j, c, a), p.Estimate(k, c, a); longer < shorter*(1-1e-12) {
							t.Fatalf("seed %d: job %s of size %v takes %v, and %s of no larger size %v", seed, j.Request.ID, size, longer, k.Request.ID, shorter)
						}
					}
				}
			}
		})
		if err != nil && !errors.Is(err, errOwn) {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	for _, what := range []string{"cannot run", "several machines", "in each room, not in both at once", "of a kind"} {
		if counts[what] < race.Enough(10) {
			t.Errorf("%s: %d cases", what, counts[what])
		}
	}
}

// A job of one processor fits where some machine is open for as long as its work and its data take there, whatever the speeds and links of the machines beside.
func TestFitsAMachineThatIsOpenLongEnough(t *testing.T) {
	fits, not := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 62))
		b, want := model.NewBuilder("links"), false
		cluster, work, input := model.ClusterSpec{ID: "c"}, float64(1+rng.IntN(3)), float64(rng.IntN(6))
		for m := range 1 + rng.IntN(4) {
			from, speed, link := float64(1+rng.IntN(8)), float64(1+rng.IntN(2)), float64(1+rng.IntN(3))
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Speed: speed, Bandwidth: link, Closed: []model.ClosedSpec{{From: from, To: new(from + 20)}}})
			want = want || work/speed+input/link <= from
		}
		asks(t, b.Cluster(cluster).Job(model.JobSpec{ID: "j", Work: &work, Input: input}), func(p *sim.Platform, jobs []*sim.Job) {
			if _, ok := p.Fits(&p.Free, jobs[0], 0, nil); ok != want {
				t.Fatalf("seed %d: a job of %v with data of %v fits: %v, want %v on %+v", seed, work, input, ok, want, cluster.Machines)
			}
		})
		if want {
			fits++
		} else {
			not++
		}
	}
	if fits < 50 || not < 20 {
		t.Errorf("%d jobs fit, %d do not", fits, not)
	}
}

// The machines of a partition are those of its clusters, or of all where it names none, that have its feature and run its licence, if it names them. A partition that is closed starts jobs on
// none of them, but has what they have together.
func TestMachinesOfAPartition(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 59))
		b := model.NewBuilder("partitions").Job(model.JobSpec{ID: "j", Work: new(1.0)})
		var cluster []int // by machine
		var features [][]string
		var runs []bool // the licence, by machine
		for c := range 1 + rng.IntN(3) {
			spec := model.ClusterSpec{ID: fmt.Sprint("c", c)}
			for m := range 1 + rng.IntN(3) {
				machine := model.MachineSpec{ID: fmt.Sprint("m", m), Count: 1 + rng.IntN(2)}
				for _, feature := range []string{"f", "g"} {
					if rng.IntN(2) == 0 {
						machine.Features = append(machine.Features, feature)
					}
				}
				licensed := rng.IntN(2) == 0
				if machine.Licences = []string{}; licensed {
					machine.Licences = []string{"l"}
				}
				for range machine.Count {
					cluster, features, runs = append(cluster, c), append(features, machine.Features), append(runs, licensed)
				}
				spec.Machines = append(spec.Machines, machine)
			}
			b.Cluster(spec)
		}
		of := model.PartitionSpec{ID: "p", Closed: rng.IntN(4) == 0}
		if rng.IntN(2) == 0 {
			of.Feature = "f"
		}
		if rng.IntN(2) == 0 {
			of.Licence = "l"
		}
		for c := range 1 + slices.Max(cluster) {
			if rng.IntN(3) == 0 {
				of.Clusters = append(of.Clusters, fmt.Sprint("c", c))
			}
		}
		b.Spec().Partitions, b.Spec().Licences = []model.PartitionSpec{of}, map[string]int{"l": 1}
		var want []int
		for m, c := range cluster {
			if (of.Clusters == nil || slices.Contains(of.Clusters, fmt.Sprint("c", c))) && (of.Feature == "" || slices.Contains(features[m], "f")) && (of.Licence == "" || runs[m]) {
				want = append(want, m)
			}
		}
		together := float64(len(want))
		if of.Closed {
			want = nil
		}
		asks(t, b, func(p *sim.Platform, _ []*sim.Job) {
			if got, known := p.Partition("p"); !known || !slices.Equal(got, want) {
				t.Fatalf("seed %d: partition %+v has the machines %v, want %v", seed, of, got, want)
			}
			if has := p.PartitionTRES("p"); has["node"] != together || has["cpu"] != together {
				t.Fatalf("seed %d: partition %+v has %v, want %v machines of one processor", seed, of, has, together)
			}
			if _, known := p.Partition("q"); known {
				t.Fatal("a partition that is not stated is known")
			}
		})
	}
}

// dropping drops jobs that the function does not want, when they have joined the queue, and starts all others at once, each on a machine of its own.
type dropping struct {
	queue []*sim.Job
	drops func(j *sim.Job) bool
}

func (p *dropping) Arrive(j *sim.Job)         { p.queue = append(p.queue, j) }
func (*dropping) Release(*sim.Job, int, bool) {}
func (p *dropping) Decide(e *sim.Engine) {
	for _, j := range p.queue {
		if p.drops(j) {
			e.Drop(j, "not wanted")
			continue
		}
		e.StartOn(j, sim.Claim{Shares: []sim.Share{{Machine: int32(j.Number), Processors: 1}}})
	}
	p.queue = nil
}

// A job that is dropped takes those with it that wait for it, and those that wait for these; all others end.
func TestDroppedJobsTakeTheirSuccessors(t *testing.T) {
	lost, placed := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 58))
		jobs := 1 + rng.IntN(8)
		b := model.NewBuilder("dropped").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: jobs, Memory: new(1.0), Processors: 2}}})
		drop, after := make([]bool, jobs), make([][]int, jobs)
		for k := range jobs {
			spec := model.JobSpec{ID: fmt.Sprint(k), Work: new(float64(rng.IntN(3))), Memory: 1}
			for before := range k {
				if rng.IntN(3) == 0 {
					after[k] = append(after[k], before)
					spec.After = append(spec.After, fmt.Sprint(before))
				}
			}
			b.Job(spec)
			drop[k] = rng.IntN(3) == 0
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		sol, _, err := sim.Simulate(t.Context(), in, sim.Discipline{General: func(*sim.Platform, uint64) sim.Policy {
			return &dropping{drops: func(j *sim.Job) bool { return drop[j.Number] }}
		}}, sim.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		gone := make([]bool, jobs)
		for k := range jobs {
			waits := slices.ContainsFunc(after[k], func(before int) bool { return gone[before] })
			gone[k] = waits || drop[k]
			at := slices.IndexFunc(sol.Unscheduled, func(u model.Unscheduled) bool { return u.Job == fmt.Sprint(k) })
			if gone[k] != (at >= 0) || waits && !strings.HasPrefix(sol.Unscheduled[at].Reason, "waits for job ") {
				t.Fatalf("seed %d: job %d is left out: %v, want %v: %+v", seed, k, at >= 0, gone[k], sol.Unscheduled)
			}
			if waits {
				lost++
			} else if !gone[k] {
				placed++
			}
		}
		if len(sol.Jobs)+len(sol.Unscheduled) != jobs || !model.Check(in, sol).OK() {
			t.Fatalf("seed %d: %+v", seed, sol)
		}
	}
	if lost < 100 || placed < 100 {
		t.Errorf("%d jobs lost, %d placed", lost, placed)
	}
}

// eager starts each job as soon as it fits, in the order of arrival, and notes on which machines.
type eager struct {
	platform *sim.Platform
	queue    []*sim.Job
	shares   map[string][]sim.Share
}

func (p *eager) Arrive(j *sim.Job)         { p.queue = append(p.queue, j) }
func (*eager) Release(*sim.Job, int, bool) {}
func (p *eager) Decide(e *sim.Engine) {
	for len(p.queue) > 0 {
		j := p.queue[0]
		shares, ok := p.platform.Fits(&p.platform.Free, j, 0, nil)
		if !ok {
			return
		}
		p.queue = p.queue[1:]
		e.StartOn(j, sim.Claim{Shares: shares})
		p.shares[j.Request.ID] = shares
	}
}

// simulateEager is the schedule of eager, and the machines by job.
func simulateEager(t *testing.T, in *model.Instance, rule place.Name) (*model.Solution, map[string][]sim.Share) {
	t.Helper()
	policy := &eager{shares: map[string][]sim.Share{}}
	sol, _, err := sim.Simulate(t.Context(), in, sim.Discipline{Place: rule, General: func(platform *sim.Platform, _ uint64) sim.Policy {
		policy.platform = platform
		return policy
	}}, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sol, policy.shares
}

// A job starts at the first time from which on its machine is open for as long as it takes, though nothing else happens then.
func TestJobsStartWhenMachinesOpen(t *testing.T) {
	waited := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 60))
		machine := model.MachineSpec{ID: "m"}
		at := 0.0
		for range 1 + rng.IntN(4) {
			from := at + float64(rng.IntN(5))
			at = from + float64(1+rng.IntN(4))
			machine.Closed = append(machine.Closed, model.ClosedSpec{From: from, To: new(at)})
			at++
		}
		arrival, length := float64(rng.IntN(8)), float64(1+rng.IntN(4))
		in, err := model.NewBuilder("opens").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine}}).Job(model.JobSpec{ID: "j", Work: &length, Arrival: arrival}).Build()
		if err != nil {
			t.Fatal(err)
		}
		want := arrival
		for _, c := range machine.Closed { // in the order of time
			if want < *c.To && c.From < want+length {
				want = *c.To
			}
		}
		sol, _ := simulateEager(t, in, place.First)
		if len(sol.Jobs) != 1 || sol.Jobs[0].Start != want {
			t.Fatalf("seed %d: a job of %v that arrives at %v starts as %+v, want %v", seed, length, arrival, sol, want)
		}
		if want > arrival {
			waited++
		}
	}
	if waited < 100 {
		t.Errorf("%d jobs had to wait", waited)
	}
}

// The rule that chooses machines learns of each job when it joins the queue, as a site of the same machines that is told of them in this order.
func TestRuleLearnsOfJobsThatArrive(t *testing.T) {
	rule, err := place.Lookup("fgd")
	if err != nil {
		t.Fatal(err)
	}
	several := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 61))
		b := model.NewBuilder("learns")
		cluster := model.ClusterSpec{ID: "c"}
		for m := range 3 {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Count: 2, Processors: 8, Resources: map[string]float64{"gpu": float64(1 + rng.IntN(4)), "cpu": 8}})
		}
		b.Cluster(cluster)
		b.Spec().Devices = []string{"gpu"}
		for j := range 20 {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Arrival: float64(j), Work: new(1000.0), Resources: map[string]float64{"gpu": []float64{0.25, 0.5, 1, 2}[rng.IntN(4)], "cpu": float64(1 + rng.IntN(3))}})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		_, shares := simulateEager(t, in, "fgd")
		site := place.NewSite(in, rule, 0)
		room := site.Room()
		for job := range in.Jobs() {
			site.Expect(job)
			want, ok := site.Choose(&room, site.Kind(job), 0, 1, nil, nil)
			if !ok {
				break // it and those behind it wait
			}
			if got := shares[in.Jobs()[job].ID]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d: job %d gets %v, want %v", seed, job, got, want)
			}
			site.Take(&room, site.Kind(job), want)
			several++
		}
	}
	if several < 500 {
		t.Errorf("%d jobs", several)
	}
}

// Where machines count one by one, a platform is mixed if some cluster has machines of different speed or of different bandwidth.
func TestMixed(t *testing.T) {
	machine := func(speed, bandwidth float64) model.MachineSpec {
		return model.MachineSpec{Speed: speed, Bandwidth: bandwidth}
	}
	for _, c := range []struct {
		clusters [][]model.MachineSpec
		want     bool
	}{
		{[][]model.MachineSpec{{machine(1, 1), machine(1, 1)}}, false}, {[][]model.MachineSpec{{machine(1, 1)}, {machine(2, 3)}}, false}, {[][]model.MachineSpec{{machine(1, 1), machine(2, 1)}}, true},
		{[][]model.MachineSpec{{machine(1, 1), machine(1, 2)}}, true}, {[][]model.MachineSpec{{machine(1, 1), machine(2, 2)}, {machine(1, 1)}}, true}, {[][]model.MachineSpec{{machine(1, 1)}, {machine(1, 1), machine(1, 2)}}, true},
	} {
		b := model.NewBuilder("mixed").Job(model.JobSpec{ID: "j", Work: new(1.0)})
		for k, machines := range c.clusters {
			for i := range machines {
				machines[i].ID = fmt.Sprint("m", k, "-", i)
			}
			b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Machines: machines})
		}
		asks(t, b, func(p *sim.Platform, _ []*sim.Job) {
			if p.Mixed() != c.want {
				t.Errorf("%v: mixed is %v", c.clusters, p.Mixed())
			}
		})
	}
}

// Of very many equal machines a platform lists few beside those that the jobs can use at once.
func TestListedMachines(t *testing.T) {
	for jobs := 1; jobs <= 4; jobs++ {
		b := model.NewBuilder("many").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 100_000, Processors: 4, Memory: new(10.0)}}})
		for k := range jobs {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(1.0), Memory: 3, Processors: model.Rigid(2)})
		}
		asksOn(t, b, false, func(p *sim.Platform, _ []*sim.Job) {
			if listed := len(p.Machines); listed < jobs || listed > 5000 {
				t.Errorf("%d jobs of two processors: %d machines are listed", jobs, listed)
			}
			if free := p.FreeProcessors(0); free != 400_000 {
				t.Errorf("%d processors are free", free)
			}
		})
	}
}
