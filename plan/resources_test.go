package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// chosenSlots are slots of the job on a random number of processors of each cluster that can take it, or spread over several.
func chosenSlots(t *rapid.T, s *Schedule, job int) []Slot {
	var slots []Slot
	add := func(slot Slot, ok bool) {
		if ok {
			slots = append(slots, slot)
		}
	}
	for c := range s.in.Clusters() {
		least, most := s.in.Width(job, c)
		most = max(least, min(most, s.in.Clusters()[c].Processors))
		if slot, ok := s.EarliestOn(job, c, rapid.IntRange(least, most).Draw(t, "processors")); ok {
			add(slot, ok)
		} else {
			add(s.EarliestOn(job, c, least)) // memory or licences may leave fewer than the cluster has
		}
	}
	if j := &s.in.Jobs()[job]; s.in.MustSpread(job) || CanSpread(s.in, job) {
		add(s.Spread(job, rapid.IntRange(j.Min, min(j.Max, max(j.Min, s.in.Processors()))).Draw(t, "processors")))
	}
	return slots
}

// Whatever numbers of processors are chosen, and whatever is spread, the schedule is right by the checker, and a state that
// was brought back continues as before.
func TestChosenScheduleIsRight(t *testing.T) {
	spread, moldable := 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		g := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 10, Wild: rapid.IntRange(0, 9).Draw(t, "wild") == 0}
		in := g.Instance(t)
		s := NewChosenSchedule(in)
		mark, elsewhere := NewResources(in), NewResources(in)
		for _, job := range Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")) {
			slots := chosenSlots(t, s, job)
			if len(slots) == 0 {
				s.LeaveUnplaceable(job)
				continue
			}
			slot := rapid.SampledFrom(slots).Draw(t, "slot")
			mark.Assign(s.Resources)
			elsewhere.Assign(mark)
			s.Place(job, slot)
			if math.IsNaN(s.end[job]) {
				continue
			}
			elsewhere.Take(job, &slot)
			if !sameState(elsewhere, s.Resources) {
				t.Fatalf("job %d: placed in a state that was brought back it leaves another", job)
			}
			if len(slot.pieces) > 0 {
				spread++
			} else if !in.Jobs()[job].Rigid() {
				moldable++
			}
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Fatalf("%v\n%+v", report.Violations, s.Solution())
		}
	})
	if spread < 3 || moldable < 100 {
		t.Errorf("%d jobs spread and %d moldable: the test proves little", spread, moldable)
	}
}

// sameState compares what is held.
func sameState(a, b *Resources) bool {
	for c := range a.clusters {
		switch x := a.clusters[c].(type) {
		case *plainCluster:
			y := b.clusters[c].(*plainCluster)
			if !slices.Equal(x.releases.steps[:x.releases.n], y.releases.steps[:y.releases.n]) {
				return false
			}
		case *generalCluster:
			y := b.clusters[c].(*generalCluster)
			if !slices.Equal(x.runs, y.runs) || !x.alike(y, math.Inf(-1), askedAll) {
				return false
			}
		}
	}
	for k, p := range a.pools.profiles {
		if p != nil && !slices.Equal(p.Values, b.pools.profiles[k].Values) {
			return false
		}
	}
	return true
}

// A moldable job on n processors is placed as a rigid one of as many tasks.
func TestEarliestOnIsThatOfARigidJob(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		spec := modeltest.Generator{Features: modeltest.AllFeatures &^ (model.GridSpan | model.UnrelatedTimes | model.RestrictedTimes), Jobs: 8}.Spec(t)
		moldable, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		chosen := make([]int, len(spec.Jobs))
		spec.Jobs = slices.Clone(spec.Jobs)
		for j := range spec.Jobs {
			job := &moldable.Jobs()[j]
			chosen[j] = rapid.IntRange(job.Min, job.Max).Draw(t, "processors")
			spec.Jobs[j].Processors, spec.Jobs[j].Tasks = model.Rigid(chosen[j]), job.Tasks
		}
		rigid, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if moldable.Features().Has(model.MachineSpan) != rigid.Features().Has(model.MachineSpan) {
			return // the jobs that must stay on one machine hold one processor each: the rigid ones then take the latest-released, wherever it is
		}
		a, b := NewChosenSchedule(moldable), NewChosenSchedule(rigid)
		for _, j := range ArrivalOrder(moldable) {
			for c := range moldable.Clusters() {
				n := chosen[j]
				if moldable.Clusters()[c].WholeMachines {
					n = 1
				}
				x, okX := a.EarliestOn(j, c, n)
				y, okY := b.EarliestOn(j, c, n)
				if okX != okY || okX && (x.Start != y.Start || x.End != y.End) {
					t.Fatalf("job %d on %d processors of cluster %d: %v %v, a rigid one %v %v", j, n, c, x, okX, y, okY)
				}
				if okX && c == len(moldable.Clusters())-1 {
					a.Place(j, x)
					b.Place(j, y)
				}
			}
		}
	})
}

// The tasks of a job over several clusters are dealt out as well as can be, by trying every way.
func TestDealIsBest(t *testing.T) {
	tried := 0
	often.Check(t, 20, func(t *rapid.T) {
		b := model.NewBuilder("spread")
		n := 0
		runtimes := map[string]float64{}
		for c := range rapid.IntRange(2, 3).Draw(t, "clusters") {
			id := fmt.Sprint("c", c)
			cluster := drawCluster(t, id, true)
			cluster.Network = &model.Network{Latency: float64(c)}
			b.Cluster(cluster)
			runtimes[id] = float64(rapid.IntRange(0, 9).Draw(t, "runtime"))
		}
		for c := range b.Spec().Clusters {
			for _, m := range b.Spec().Clusters[c].Machines {
				n += max(1, m.Count) * max(1, m.Processors)
			}
		}
		job := model.JobSpec{ID: "wide", Span: "grid", Processors: model.Rigid(n), Work: new(float64(rapid.IntRange(0, 9).Draw(t, "work"))),
			Tasks: rapid.IntRange(1, 12).Draw(t, "tasks"), Message: float64(rapid.IntRange(0, 1).Draw(t, "message"))}
		if chance(t, 3, "run times") {
			job.Runtime = runtimes
		}
		in := build(t, b.Job(job))
		slot, ok := newResources(in, false, Placing{}).spreadNow(0, in)
		if !ok {
			return
		}
		tried++
		best := math.Inf(1)
		var try func(k, left int, longest float64)
		try = func(k, left int, longest float64) {
			if k == len(slot.pieces)-1 {
				best = min(best, max(longest, in.Longest(0, slot.pieces[k].cluster, slot.pieces[k].set, left)))
				return
			}
			for tasks := 1; tasks <= left-(len(slot.pieces)-1-k); tasks++ {
				try(k+1, left-tasks, max(longest, in.Longest(0, slot.pieces[k].cluster, slot.pieces[k].set, tasks)))
			}
		}
		try(0, in.Jobs()[0].Tasks, 0)
		if got := slot.End; math.Abs(got-best) > 1e-9*best {
			t.Fatalf("the job ends at %v, it could at %v: %+v", got, best, slot.pieces)
		}
	})
	if tried < race.Enough(100) {
		t.Errorf("%d jobs spread: the test proves little", tried)
	}
}

// spreadNow spreads the job over an empty grid.
func (r *Resources) spreadNow(job int, in *model.Instance) (Slot, bool) {
	if !in.MustSpread(job) {
		return Slot{}, false
	}
	return r.Spread(job, in.Jobs()[job].Min, 0)
}

// Licences have to be free when the processors are: those free when the job is ready may be taken again by then. Other pools and clusters do
// not matter.
func TestLicencesAreFreeWhenProcessorsAre(t *testing.T) {
	b := model.NewBuilder("licences")
	b.Spec().Licences = map[string]int{"a": 1}
	b.Cluster(model.ClusterSpec{ID: "x", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}, model.ClusterSpec{ID: "y", Machines: []model.MachineSpec{{ID: "m"}}},
		model.ClusterSpec{ID: "z", Licences: map[string]int{"a": 1}, Machines: []model.MachineSpec{{ID: "m"}}})
	need := map[string]int{"a": 1}
	b.Job(model.JobSpec{ID: "wide", Work: new(6.0), Processors: model.Rigid(2)},
		model.JobSpec{ID: "before", Work: new(5.0)},
		model.JobSpec{ID: "other", Work: new(5.0), Licences: need},
		model.JobSpec{ID: "job", Work: new(4.0), Licences: need})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	r := newResources(in, false, Placing{})
	for job, cluster := range []int{0, 1, 1} { // other holds the licence from 5 to 10
		slot, ok := r.Earliest(job, cluster, []int{2, 1, 1}[job], 0)
		if !ok {
			t.Fatalf("no slot for job %d", job)
		}
		r.Take(job, &slot)
	}
	for cluster, want := range []float64{10, 10, 0} {
		if slot, ok := r.Earliest(3, cluster, 1, 0); !ok || slot.Start != want || slot.End != want+4 {
			t.Errorf("cluster %d: %+v, %v; expected a start at %v", cluster, slot, ok, want)
		}
	}
}

// A job draws its copies once from each pool, however many of its pieces are on the cluster, or on clusters that draw from the grid's.
func TestLicencesAreDrawnOnceFromEachPool(t *testing.T) {
	b := model.NewBuilder("licences")
	b.Spec().Licences = map[string]int{"a": 4}
	machines := []model.MachineSpec{{ID: "m", Count: 3}}
	b.Cluster(model.ClusterSpec{ID: "x", Machines: machines}, model.ClusterSpec{ID: "y", Machines: machines}, model.ClusterSpec{ID: "z", Licences: map[string]int{"a": 4}, Machines: machines})
	b.Job(model.JobSpec{ID: "pieces", Work: new(2.0), Processors: model.Rigid(5), Span: string(model.SpanGrid), Licences: map[string]int{"a": 2}},
		model.JobSpec{ID: "job", Work: new(1.0), Licences: map[string]int{"a": 2}})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	placed := model.Placement{Job: "pieces", End: 2}
	slot := Slot{End: 2}
	for _, at := range []struct{ cluster, processor int }{{0, 0}, {0, 1}, {1, 0}, {2, 0}, {2, 1}} {
		set := model.Processors(at.processor)
		placed.Pieces = append(placed.Pieces, model.Piece{Cluster: in.Clusters()[at.cluster].ID, Processors: set, Tasks: 1, End: 2})
		slot.pieces = append(slot.pieces, piece{cluster: at.cluster, set: set, end: 2})
	}
	sol := &model.Solution{Jobs: []model.Placement{placed, {Job: "job", Cluster: "z", Processors: model.Processors(2), End: 1}}}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	pools := newLicencePools(in)
	pools.add(&in.Jobs()[0], &slot)
	for c, a := range Explain(in, sol, 1).Alternatives {
		if start := pools.earliest(&in.Jobs()[1], c, 0, 1); start != 0 || a.Start == nil || *a.Start != 0 {
			t.Errorf("%s: two copies are left, but free from %v on; offered is %+v", a.Cluster, start, a)
		}
	}
}
