package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// tinyNodes draws a tiny instance whose jobs ask something of single machines, and a rule.
func tinyNodes(rng *rand.Rand) (*model.Instance, Placing) {
	for {
		in, rules := withLinks(rng, modeltest.TinyNodes(rng)), place.Rules()
		if in.Features()&NodeFeatures != 0 && in.Features()&^ScheduleFeatures == 0 {
			return in, Placing{Rule: place.Name(rules[rng.IntN(len(rules))].Name), Seed: rng.Uint64(), Holes: rng.IntN(2) == 0}
		}
	}
}

// withLinks is the instance, now and then with links of other bandwidths or jobs that state their run times.
func withLinks(rng *rand.Rand, in *model.Instance) *model.Instance {
	links, stated := rng.IntN(4) == 0, rng.IntN(4) == 0
	if !links && !stated {
		return in
	}
	spec := in.SystemSpec()
	for c := range spec.Clusters {
		for m := range spec.Clusters[c].Machines {
			if links {
				spec.Clusters[c].Machines[m].Bandwidth = float64(1 + rng.IntN(3))
			}
		}
	}
	for j := range in.Jobs() {
		job := in.JobSpec(j)
		if stated && rng.IntN(2) == 0 {
			job.Runtime = map[string]float64{}
			for c := range spec.Clusters {
				job.Runtime[spec.Clusters[c].ID] = float64(rng.IntN(4))
			}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	other, err := model.New(spec)
	if err != nil {
		return in
	}
	return other
}

// No placement that the checker takes beside what is placed ends before the slot that Earliest finds: on whatever machines and devices, from any time on at
// which something changes; where holes are not filled, no placement on processors whose last job has ended. And what is placed is right.
func TestEarliestOnTinyNodes(t *testing.T) {
	race.OneGoroutine(t)
	for seed := range uint64(race.Fewer(6000, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 35))
		in, placing := tinyNodes(rng)
		s, err := NewPlacedSchedule(in, placing)
		if err != nil {
			t.Fatal(err)
		}
		queued := rng.IntN(4) == 0
		if queued {
			s.QueueInstants()
		}
		for _, job := range runningFirst(in, Topological(in, rng.Perm(len(in.Jobs())))) {
			var slots []Slot
			for c := range in.Clusters() {
				slot, ok := s.Earliest(job, c)
				if ok {
					slots = append(slots, slot)
				} else {
					slot.End = math.Inf(1)
				}
				if ready, ok := s.Ready(job); ok && running(in, job) == 0 && !queued {
					if p := endsBefore(s, job, c, ready, slot.End); p != nil {
						t.Fatalf("seed %d: job %d could be placed as %+v, Earliest finds %+v (%v)", seed, job, p, slot, ok)
					}
				}
			}
			if len(slots) == 0 {
				s.LeaveUnplaceable(job)
			} else {
				s.Place(job, slots[rng.IntN(len(slots))])
			}
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Fatalf("seed %d: %v\n%+v", seed, report.Violations, s.Solution())
		}
	}
}

// endsBefore is a placement of the job on the cluster that ends before the time and that the checker takes beside what is placed; nil: there is none.
func endsBefore(s *Schedule, job, cluster int, ready, before float64) (found *model.Placement) {
	in, sol := s.in, *s.solution
	sol.Jobs = slices.Clone(sol.Jobs)
	placed := (&Schedule{Resources: s.Resources, solution: &sol, unnamed: slices.Clone(s.unnamed)}).Solution().Jobs
	times := []float64{ready}
	for _, p := range placed {
		times = append(times, p.End)
	}
	for g := range in.Clusters()[cluster].Machines {
		for _, c := range in.Clusters()[cluster].Machines[g].Closed() {
			times = append(times, c.From, c.To)
		}
	}
	least, most := in.Width(job, cluster)
	if in.Features().Has(model.MixedMachines) && in.Jobs()[job].Tasks != least {
		return nil // the schedule counts with equal numbers of tasks on fast and slow processors
	}
	e := modeltest.Enumeration{In: in}
	before *= 1 - 1e-12 // the sums of an end may be rounded in another order
	for _, at := range times {
		if at < ready || !(at < before) {
			continue
		}
		e.Placements(slices.Clip(placed), job, at, func(p model.Placement) {
			n := p.Processors.Len()
			if found != nil || !(p.End < before) || p.Cluster != in.Clusters()[cluster].ID || n < least || n > most || !s.placing.Holes && inHole(in, placed, job, &p) {
				return
			}
			if report := model.Check(in, &model.Solution{Jobs: append(slices.Clip(placed), p)}); !slices.ContainsFunc(report.Violations, func(v model.Violation) bool {
				return v.Code != "missing-job" && v.Code != "hard-deadline"
			}) {
				found = &p
			}
		})
	}
	return found
}

// inHole says whether a placed job ends after the placement starts on a processor of it, or on a machine that the job of the placement has to itself.
func inHole(in *model.Instance, placed []model.Placement, job int, p *model.Placement) bool {
	c, _ := in.ClusterIndex(p.Cluster)
	cluster := &in.Clusters()[c]
	set := p.Processors
	if in.Jobs()[job].Node().Exclusive {
		set = nil
		for m := range onMachines(cluster, p.Processors) {
			for i := range cluster.Processors {
				if of, _ := cluster.MachineOf(i); of == m {
					set = append(set, model.Range{First: i, Last: i})
				}
			}
		}
	}
	return slices.ContainsFunc(placed, func(q model.Placement) bool {
		return q.Cluster == p.Cluster && q.End > q.Start && q.End > p.Start && p.End > p.Start && overlap(q.Processors, set)
	})
}

// alikeKinds is the instance with several jobs of each kind: of other lengths, estimates and arrivals.
func alikeKinds(rng *rand.Rand, in *model.Instance) *model.Instance {
	spec := in.SystemSpec()
	for j := range in.Jobs() {
		job := in.JobSpec(j)
		job.After = nil
		if job.Running != nil {
			spec.Jobs = append(spec.Jobs, job)
			continue
		}
		for k := range 4 {
			job := job
			job.ID, job.Arrival, job.Work = fmt.Sprintf("%s-%d", job.ID, k), float64(rng.IntN(4)), new(float64(rng.IntN(3)))
			if job.Estimate = nil; rng.IntN(2) == 0 {
				job.Estimate = new(float64(rng.IntN(3)))
			}
			if rng.IntN(3) == 0 && job.PerMachine == 0 && job.Machines == (model.ProcessorRange{}) {
				job.Processors = model.Rigid(max(1, job.Block) * (1 + rng.IntN(3)))
			}
			spec.Jobs = append(spec.Jobs, job)
		}
	}
	all, err := model.New(spec)
	if err != nil {
		return in // a job that must stay on one machine has become too wide
	}
	return all
}

// A state that was asked much, that was copied and into which others were copied finds what a new one finds into which the same was placed: nothing that
// was found before serves where it must not.
func TestNodesFindWhatANewStateFinds(t *testing.T) {
	race.OneGoroutine(t)
	type taken struct {
		job  int
		slot Slot
	}
	type state struct {
		*Resources
		taken []taken
	}
	for seed := range uint64(race.Fewer(3000, 500)) {
		rng := rand.New(rand.NewPCG(seed, 36))
		in, placing := tinyNodes(rng)
		if in = alikeKinds(rng, in); placing.Rule == "random" {
			placing.Rule = place.First
		}
		empty := func() *Resources {
			r := newResources(in, false, placing)
			if seed%4 == 0 {
				r.QueueInstants()
			}
			return r
		}
		now, kept := state{Resources: empty()}, []state(nil)
		for range 30 {
			switch rng.IntN(8) {
			case 0:
				kept = append(kept, state{now.Clone(), slices.Clone(now.taken)})
			case 1:
				if len(kept) > 0 {
					k := rng.IntN(len(kept))
					now.Assign(kept[k].Resources)
					now.taken = slices.Clone(kept[k].taken)
				}
			case 2:
				if len(kept) > 0 { // go on with the copy
					k := rng.IntN(len(kept))
					now, kept[k] = kept[k], now
				}
			}
			job, c := rng.IntN(len(in.Jobs())), rng.IntN(len(in.Clusters()))
			if running(in, job) == 1 || !in.CanRun(job, c) {
				continue
			}
			n, _ := in.Width(job, c)
			ready := in.Jobs()[job].Arrival + float64(rng.IntN(4))
			fresh := empty()
			for k := range now.taken {
				fresh.Take(now.taken[k].job, &now.taken[k].slot)
			}
			got, ok := now.Earliest(job, c, n, ready)
			want, okWant := fresh.Earliest(job, c, n, ready)
			if ok != okWant || ok && !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: job %d on cluster %d from %v: %+v %v, a new state finds %+v %v", seed, job, c, ready, got, ok, want, okWant)
			}
			if !now.Alike(fresh, 0, askedAll) {
				t.Fatalf("seed %d: another state than a new one", seed)
			}
			if ok && rng.IntN(2) == 0 {
				now.Take(job, &got)
				now.taken = append(now.taken, taken{job, got})
			}
		}
	}
}

// States differ if a job ends at another time, also the last one, or holds other shares; from the time on at which all jobs have ended they are alike.
func TestNodesAlike(t *testing.T) {
	b := model.NewBuilder("alike")
	b.Spec().Devices = []string{"gpu"}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Resources: map[string]float64{"gpu": 1}}}})
	for k, gpu := range []float64{0, 0, 0.5, 0, 0} {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new([]float64{10, 12, 10, 10, 8}[k]), Resources: map[string]float64{"gpu": gpu}})
	}
	in := build(t, b)
	of := func(jobs ...int) *Resources {
		r := NewResources(in)
		for _, j := range jobs {
			slot, ok := r.Earliest(j, 0, 1, 0)
			if !ok {
				t.Fatal(j)
			}
			r.Take(j, &slot)
		}
		return r
	}
	for _, c := range []struct {
		a, b []int
		from float64 // they are alike from then on
	}{
		{[]int{0}, []int{1}, 12},       // another end
		{[]int{0}, []int{2}, 10},       // other shares, at the same times
		{[]int{0, 3}, []int{1, 4}, 12}, // another time between, and the same end
		{[]int{0, 4}, []int{4, 0}, 10},
		{[]int{0}, nil, 10},
	} {
		x, y := of(c.a...), of(c.b...)
		if !x.Alike(y, c.from, askedAll) || x.Alike(y, 0, askedAll) || x.Alike(y, math.Nextafter(c.from, 0), askedAll) {
			t.Errorf("%v and %v: alike %v at 0, %v just before %v, %v then", c.a, c.b, x.Alike(y, 0, askedAll), x.Alike(y, math.Nextafter(c.from, 0), askedAll), c.from, x.Alike(y, c.from, askedAll))
		}
		if x.Assign(y); !x.Alike(y, 0, askedAll) {
			t.Errorf("%v copied to %v: not alike", c.b, c.a)
		}
	}
}

// A job that takes no time starts amid others, and behind them in a schedule where such jobs wait; on one machine and on several, and whether jobs fill holes or not.
func TestNodesQueueInstants(t *testing.T) {
	b := model.NewBuilder("instants")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2}}})
	b.Job(model.JobSpec{ID: "long", Work: new(5.0), Processors: model.Rigid(4), PerMachine: 2})
	for k, machines := range []int{1, 2} {
		b.Job(model.JobSpec{ID: fmt.Sprint("instant", k), Work: new(0.0), Processors: model.Rigid(2), Machines: model.Rigid(machines)})
	}
	in := build(t, b)
	for _, c := range []struct{ queued, holes bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		s, err := NewPlacedSchedule(in, Placing{Holes: c.holes})
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if c.queued {
			s.QueueInstants()
			want = 5
		}
		for job := range 3 {
			slot, ok := s.Earliest(job, 0)
			if !ok || job > 0 && slot.Start != want {
				t.Errorf("%+v: job %d starts at %v (%v), want %v", c, job, slot.Start, ok, want)
			}
			s.Place(job, slot)
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Errorf("%+v: %v", c, report.Violations)
		}
	}
}

// Closed times are kept clear of for as long as the job takes by its estimate, files included: 2 s and 3 s of input here.
func TestNodesClosedToFiles(t *testing.T) {
	b := model.NewBuilder("files")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Bandwidth: 1, Closed: []model.ClosedSpec{{From: 4, To: new(6.0)}, {From: 11, To: new(12.0)}}}}})
	in := build(t, b.Job(model.JobSpec{ID: "j", Work: new(9.0), Estimate: new(2.0), Input: 3}))
	if slot, ok := newSchedule(t, in).Earliest(0, 0); !ok || slot.Start != 6 || slot.End != 18 {
		t.Errorf("from %v to %v (%v), want 6 and 18", slot.Start, slot.End, ok)
	}
}

// A job that runs already holds its processors, memory, licences and equal parts of its devices until it ends.
func TestNodesHeldByRunningJobs(t *testing.T) {
	b := model.NewBuilder("running")
	b.Spec().Devices, b.Spec().Licences = []string{"fpga", "gpu"}, map[string]int{"l": 1}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 8, Memory: new(8.0), Resources: map[string]float64{"fpga": 2, "gpu": 4}}}})
	b.Job(model.JobSpec{ID: "runs", Work: new(9.0), Memory: 3, Licences: map[string]int{"l": 1}, Deadline: new(9.0), DeadlineHard: true, Running: &model.RunningSpec{
		Cluster: "c", Processors: model.Processors(2), Holds: map[string]map[string]float64{"m": {"gpu": 2}},
		Devices: model.DevicesHeld{"gpu": {"m": model.Processors(0, 1, 2, 3)}}}})
	starts := []float64{0}
	for _, c := range []struct {
		job   model.JobSpec
		start float64
	}{
		{model.JobSpec{Resources: map[string]float64{"gpu": 0.5}}, 0},
		{model.JobSpec{Resources: map[string]float64{"gpu": 0.6}}, 9},
		{model.JobSpec{Resources: map[string]float64{"gpu": 1}}, 9},
		{model.JobSpec{Resources: map[string]float64{"fpga": 2}}, 0},
		{model.JobSpec{Memory: 5}, 0},
		{model.JobSpec{Memory: 6}, 9},
		{model.JobSpec{Licences: map[string]int{"l": 1}}, 9},
		{model.JobSpec{Processors: model.Rigid(7)}, 0},
		{model.JobSpec{Processors: model.Rigid(8)}, 9},
		{model.JobSpec{Exclusive: true}, 9},
	} {
		c.job.ID, c.job.Work = fmt.Sprint("j", len(starts)), new(1.0)
		b.Job(c.job)
		starts = append(starts, c.start)
	}
	in := build(t, b)
	for job, start := range starts {
		s := newSchedule(t, in)
		slot, ok := s.Earliest(job, 0)
		if !ok || slot.Start != start {
			t.Errorf("job %d: starts at %v (%v), want %v", job, slot.Start, ok, start)
		}
		if s.Place(job, slot); s.Last() == nil {
			t.Errorf("job %d is left out", job)
		}
	}
}

// A job fits before one that starts as it ends, also where another ends meanwhile.
func TestNodesTouch(t *testing.T) {
	b := model.NewBuilder("touch")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2}}})
	in := build(t, b.Job(model.JobSpec{ID: "later", Arrival: 4, Work: new(4.0), Exclusive: true}, model.JobSpec{ID: "short", Work: new(2.0)}, model.JobSpec{ID: "between", Work: new(4.0)}))
	for _, holes := range []bool{true, false} {
		s, err := NewPlacedSchedule(in, Placing{Holes: holes})
		if err != nil {
			t.Fatal(err)
		}
		starts := []float64{4, 0, 0}
		if !holes {
			starts = []float64{4, 0, 8} // from 2 on the other job is in its way, on the one processor that is behind all jobs
		}
		for job, start := range starts {
			slot, ok := s.Earliest(job, 0)
			if !ok || slot.Start != start {
				t.Errorf("job %d starts at %v (%v), want %v", job, slot.Start, ok, start)
			}
			s.Place(job, slot)
		}
	}
}

// A short job goes to the machine that the rule prefers, although a long one of its kind was told to wait there: both machines are free until 2, and the
// second is the best fit.
func TestNodesShortAfterLong(t *testing.T) {
	b := model.NewBuilder("short")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "large", Resources: map[string]float64{"cpu": 8}}, {ID: "small", Resources: map[string]float64{"cpu": 4}}}})
	for _, work := range []float64{5, 1} {
		b.Job(model.JobSpec{ID: fmt.Sprint("of ", work), Work: new(work), Resources: map[string]float64{"cpu": 4}})
	}
	in := build(t, b.Job(model.JobSpec{ID: "both", Arrival: 2, Work: new(8.0), Processors: model.Rigid(2), Exclusive: true}))
	s, err := NewPlacedSchedule(in, Placing{Rule: "best", Holes: true})
	if err != nil {
		t.Fatal(err)
	}
	slot, _ := s.Earliest(2, 0)
	s.Place(2, slot)
	if long, ok := s.Earliest(0, 0); !ok || long.Start != 10 {
		t.Errorf("the long job starts at %v (%v), want 10", long.Start, ok)
	}
	if short, ok := s.Earliest(1, 0); !ok || short.Start != 0 || short.set.String() != "1" {
		t.Errorf("the short job starts at %v on %v (%v), want 0 on the small machine", short.Start, short.set, ok)
	}
}

// A job that runs already has a place on its cluster alone, although the processors of the same numbers are free on the others.
func TestNodesRunningElsewhere(t *testing.T) {
	b := model.NewBuilder("elsewhere")
	for _, id := range []string{"a", "b", "c"} {
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Processors: 2}}})
	}
	in := build(t, b.Job(model.JobSpec{ID: "runs", Work: new(4.0), Running: &model.RunningSpec{Cluster: "b", Processors: model.NewProcessorSet(model.Range{First: 0, Last: 0})}}))
	s := newSchedule(t, in)
	for cluster, want := range []bool{false, true, false} {
		if slot, ok := s.Earliest(0, cluster); ok != want {
			t.Errorf("cluster %d: %+v, %v; want a place: %v", cluster, slot, ok, want)
		}
		if slot, ok := s.Resources.Earliest(0, cluster, 1, 0); ok != want {
			t.Errorf("resources of cluster %d: %+v, %v; want a place: %v", cluster, slot, ok, want)
		}
	}
}

// Where holes are not filled, a machine that has room for a job at one time is asked again when the job would start later and meet another there.
func TestNodesAskedAgain(t *testing.T) {
	b := model.NewBuilder("again")
	machine := func(id string) model.MachineSpec {
		return model.MachineSpec{ID: id, Processors: 2, Features: []string{id}, Resources: map[string]float64{"r": 1}}
	}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine("m"), machine("n")}})
	one := map[string]float64{"r": 1}
	b.Job(model.JobSpec{ID: "late", Arrival: 5, Work: new(4.0), Features: [][]string{{"m"}}, Resources: one}, model.JobSpec{ID: "early", Work: new(2.0), Features: [][]string{{"n"}}, Resources: one})
	in := build(t, b.Job(model.JobSpec{ID: "both", Work: new(4.0), Processors: model.Rigid(2), Resources: one}))
	s := newSchedule(t, in)
	for job, start := range []float64{5, 0, 9} { // from 2 on the machine n has room for the last until 6, and m until 5
		slot, ok := s.Earliest(job, 0)
		if !ok || slot.Start != start {
			t.Errorf("job %d starts at %v (%v), want %v", job, slot.Start, ok, start)
		}
		s.Place(job, slot)
	}
}
