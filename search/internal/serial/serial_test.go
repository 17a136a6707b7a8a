package serial

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/modeltest"
	"github.com/allot-opt/allot/search/internal/engine"
)

// drawn are the features of the instances that the tests draw.
const drawn = features | featuresSometimes

// draw draws an instance that the engine takes, with its problem; nil if it takes none of a few.
func draw(t *rapid.T, jobs int) *problem {
	for range 10 {
		g := modeltest.Generator{Features: drawn, Jobs: jobs, Wild: rapid.IntRange(0, 9).Draw(t, "wild") == 0}
		if rapid.Bool().Draw(t, "plain") {
			g.Features = features
		}
		if p := newProblem(context.Background(), g.Instance(t)); p != nil {
			return p
		}
	}
	t.Skip("the engine took none of the instances")
	return nil
}

// naive is the serial scheme on plain lists of intervals, in the times of the instance: the reference. It returns the starts and ends of jobs
// placed in the order on the given clusters.
func naive(in *model.Instance, order []int32, cluster []int) (start, end []float64) {
	clusters, licences := in.Clusters(), in.Licences()
	var capacity []int // the processors of each cluster, then the grid's pools, then each cluster's own
	for c := range clusters {
		capacity = append(capacity, clusters[c].Processors)
	}
	for l := range licences {
		capacity = append(capacity, licences[l].Copies)
	}
	for c := range clusters {
		for l := range licences {
			copies, own := in.Pool(c, l)
			if !own {
				copies = 0
			}
			capacity = append(capacity, copies)
		}
	}
	var held []interval
	start, end = make([]float64, len(in.Jobs())), make([]float64, len(in.Jobs()))
	for _, j := range order {
		c, job := cluster[j], &in.Jobs()[j]
		amounts := make([]int, len(capacity))
		amounts[c], _ = in.Width(int(j), c)
		for _, need := range job.Licences {
			if copies, own := in.Pool(c, need.Licence); own {
				amounts[len(clusters)+len(licences)*(1+c)+need.Licence] = need.Copies
			} else if copies != model.Unlimited {
				amounts[len(clusters)+need.Licence] = need.Copies
			}
		}
		ready := job.Arrival
		for _, k := range job.After {
			ready = max(ready, end[k])
		}
		length := in.Duration(int(j), c, model.NewProcessorSet(model.Range{First: 0, Last: amounts[c] - 1}))
		start[j] = ready
		if length > 0 {
			start[j] = earliest(capacity, amounts, held, ready, length)
			held = append(held, interval{start[j], start[j] + length, amounts})
		}
		end[j] = start[j] + length
	}
	return start, end
}

// clustersOf are the clusters of the decoder's places, by job.
func (d *decoder) clustersOf() []int {
	clusters := make([]int, d.n)
	for j := range clusters {
		clusters[j] = int(d.places[j][d.at[j]].cluster)
	}
	return clusters
}

// randomly draws an order and places.
func randomly(s *island) []int32 {
	order := make([]int32, s.n)
	s.random(order)
	for j := range s.at {
		s.at[j] = int32(s.rng.IntN(len(s.places[j])))
	}
	return order
}

func testIsland(t *rapid.T, p *problem) *island {
	return newIsland(p, 10, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
}

// The forward pass starts every job when the reference does.
func TestForwardIsTheReference(t *testing.T) {
	grids, fractions := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 14)
		s := testIsland(t, p)
		order := randomly(s)
		s.forward(order)
		start, end := naive(p.In, order, s.clustersOf())
		for j := range start {
			if found := p.origin + p.unit*s.start[j]; found != start[j] || p.origin+p.unit*s.end[j] != end[j] {
				t.Fatalf("job %d starts at %v, expected %v", j, found, start[j])
			}
		}
		if p.room > 0 {
			grids++
		} else {
			fractions++
		}
	})
	if grids < 20 || fractions < 5 {
		t.Errorf("%d instances on a grid and %d others: the test proves little", grids, fractions)
	}
}

// A job with several places to choose from takes the one where it ends first, as the reference finds it.
func TestChooseEndsFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 10)
		s := testIsland(t, p)
		order := randomly(s)
		s.leaveOpen(0)
		s.forward(order)
		clusters := s.clustersOf()
		for k, j := range order {
			for _, at := range p.places[j] {
				other := slices.Clone(clusters)
				other[j] = int(at.cluster)
				if _, end := naive(p.In, order[:k+1:k+1], other); end[j] < p.origin+p.unit*s.end[j] {
					t.Fatalf("job %d ends at %v; on cluster %d it would end at %v", j, s.end[j], at.cluster, end[j])
				}
			}
		}
	})
}

// feasible says whether every job is in the order once, behind those it waits for.
func feasible(p *problem, order []int32) bool {
	at := make([]int, p.n)
	for k, j := range order {
		at[j] = k + 1
	}
	for j := range at {
		if at[j] == 0 {
			return false
		}
		for _, k := range p.before.of(int32(j)) {
			if at[k] > at[j] {
				return false
			}
		}
	}
	return len(order) == p.n
}

// The backward pass in reversed time is the forward pass of the reversed problem: no two jobs hold too much, and none runs before another that
// it has to wait for. Justified schedules are no longer than before, where no job arrives late.
func TestJustify(t *testing.T) {
	shorter := 0
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 14)
		s := testIsland(t, p)
		order := randomly(s)
		s.forward(order)
		before := s.last
		s.sort(order, s.end)
		slices.Reverse(order)
		s.backward(order)
		for j := range p.n {
			for _, k := range p.before.of(int32(j)) {
				if s.start[k] < s.end[j] {
					t.Fatalf("job %d waits for %d, but in reversed time it ends at %v and that starts at %v", j, k, s.end[j], s.start[k])
				}
			}
		}
		late := slices.ContainsFunc(p.arrival, func(a float64) bool { return a > p.arrival[p.order[0]] })
		if rounding := 1e-12 * before; !late && s.last > before-p.arrival[p.order[0]]+rounding {
			t.Fatalf("pushed to the end, the schedule takes %v instead of %v", s.last, before)
		}
		s.sort(order, s.end)
		slices.Reverse(order)
		if !feasible(p, order) {
			t.Fatalf("order %v", order)
		}
		s.forward(order)
		if rounding := 1e-12 * before; !late && s.last > before+rounding {
			t.Fatalf("justified, the schedule ends at %v instead of %v", s.last, before)
		}
		if s.last < before {
			shorter++
		}
	})
	s := newIsland(newProblem(context.Background(), Project(t, 60, 1)), 10, rand.New(rand.NewPCG(1, 1)))
	for range 50 {
		order := randomly(s)
		s.forward(order)
		before := s.last
		if s.justify(order); s.last < before {
			shorter++
		} else if s.last > before*(1+1e-12) {
			t.Fatalf("justified, the schedule ends at %v instead of %v", s.last, before)
		}
	}
	if shorter < 40 {
		t.Errorf("%d schedules got shorter: the test proves little", shorter)
	}
}

// Sorting by buckets sorts, and keeps the order of equal keys.
func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 20)
		d := newDecoder(p)
		keys := rapid.SampledFrom([]float64{0, 1, 1e-320, 1e-3, 7, 1e9, 1e300})
		key := make([]float64, p.n)
		for j := range key {
			key[j] = keys.Draw(t, "key") * float64(rapid.IntRange(1, 3).Draw(t, "times"))
			d.last = max(d.last, key[j])
		}
		order := slices.Clone(p.order)
		want := slices.Clone(order)
		slices.SortStableFunc(want, func(a, b int32) int {
			switch {
			case key[a] < key[b]:
				return -1
			case key[a] > key[b]:
				return 1
			}
			return 0
		})
		if d.sort(order, key); !slices.Equal(order, want) {
			t.Fatalf("sorted %v, expected %v of keys %v", order, want, key)
		}
	})
}

// Children and random orders hold every job once, behind those it waits for; a child has each job where one of its parents has it, until it is mutated.
func TestChildrenAreOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 20)
		s := testIsland(t, p)
		var parents []*member
		for range 2 {
			m := newMember(p.n)
			s.child, s.known = m, map[uint64]struct{}{}
			copy(m.order, randomly(s))
			s.forward(m.order)
			s.settle()
			parents = append(parents, m)
		}
		if !feasible(p, parents[0].order) {
			t.Fatalf("by start: %v", parents[0].order)
		}
		s.child = newMember(p.n)
		s.cross(parents[0], parents[1])
		if !feasible(p, s.child.order) {
			t.Fatalf("child %v", s.child.order)
		}
		for j := range s.at {
			if s.at[j] != parents[0].at[j] && s.at[j] != parents[1].at[j] {
				t.Fatalf("job %d is at place %d, its parents have it at %d and %d", j, s.at[j], parents[0].at[j], parents[1].at[j])
			}
		}
		for range 20 {
			if s.mutate(); !feasible(p, s.child.order) {
				t.Fatalf("mutated %v", s.child.order)
			}
		}
	})
}

// advance runs some rounds of the engine.
func advance(e engine.Engine, rounds int, evaluations int64) {
	for range rounds {
		for k := range e.Chains() {
			e.Advance(k, evaluations, func() bool { return false })
		}
		e.Exchange()
	}
}

// The checker accepts the engine's schedules, and the evaluator confirms the sums of the engine.
func TestSerialIsRight(t *testing.T) {
	for range race.Fewer(3, 1) {
		rapid.Check(t, func(t *rapid.T) {
			p := draw(t, 16)
			e, err := New(context.Background(), p.In, &model.Solution{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			advance(e, 3, 40)
			for k := range e.Chains() {
				s, err := e.Solution(k)
				if err != nil {
					t.Fatal(err)
				}
				report := model.Check(p.In, s)
				if !report.OK() {
					t.Fatalf("%v", report.Violations[0])
				}
				want, found := report.Evaluation.Objective, e.Best(k).Objective
				if rounded(p, e.(*Engine).islands[k].found) {
					continue
				}
				if math.Abs(found-want) > 1e-9*math.Abs(want)+report.Evaluation.Rounding {
					t.Fatalf("the engine adds up %v, the evaluator %v of %+v", found, want, p.In.Objective())
				}
			}
		})
	}
}

// rounded says whether times are so large that the end of a job less its start is not its length. The evaluator divides by what is left.
func rounded(p *problem, m *member) bool {
	for j, start := range m.start {
		length := p.places[j][m.at[j]].length
		if math.Abs(start+length-start-length) > 1e-12*length {
			return true
		}
	}
	return false
}

// leastOf is the least objective of all schedules that the reference makes: every order, every cluster.
func leastOf(t *rapid.T, p *problem) float64 {
	least := math.Inf(1)
	order, taken, cluster := []int32{}, make([]bool, p.n), make([]int, p.n)
	var extend func()
	extend = func() {
		if len(order) == p.n {
			start, end := naive(p.In, order, cluster)
			s := &model.Solution{}
			for j := range start {
				size, _ := p.In.Width(j, cluster[j])
				s.Jobs = append(s.Jobs, model.Placement{Job: p.In.Jobs()[j].ID, Cluster: p.In.Clusters()[cluster[j]].ID,
					Processors: model.NewProcessorSet(model.Range{First: 0, Last: size - 1}), Start: start[j], End: end[j]})
			}
			value, err := model.Objective(p.In, s)
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, value)
			return
		}
		for j := range taken {
			if taken[j] || slices.ContainsFunc(p.In.Jobs()[j].After, func(k int) bool { return !taken[k] }) {
				continue
			}
			taken[j] = true
			order = append(order, int32(j))
			for c := range p.In.Clusters() {
				if p.In.CanRun(j, c) {
					cluster[j] = c
					extend()
				}
			}
			order, taken[j] = order[:len(order)-1], false
		}
	}
	extend()
	return least
}

// On small instances the engine reaches the best of all schedules that the reference makes.
func TestSerialReachesTheBestOfAll(t *testing.T) {
	tried := 0
	property := func(t *rapid.T) {
		in := modeltest.Generator{Features: features, Jobs: 5, Clusters: 2, Groups: 1, Machines: 3, Processors: 2}.Instance(t)
		p := newProblem(context.Background(), in)
		if p == nil {
			return
		}
		tried++
		least := leastOf(t, p)
		e, err := New(context.Background(), in, &model.Solution{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		found := math.Inf(1)
		for range 40 {
			advance(e, 1, 100)
			for k := range e.Chains() {
				found = min(found, e.Best(k).Objective)
			}
		}
		if tolerance := 1e-9 * math.Abs(least); !(found <= least+tolerance) && !(math.Abs(found-least) < 1e-9) {
			t.Fatalf("found %v, the best of all is %v of %+v", found, least, in.Objective())
		}
	}
	for range race.Fewer(6, 2) {
		rapid.Check(t, property)
	}
	if tried < race.Fewer(80, 20) {
		t.Errorf("%d instances: the test proves little", tried)
	}
}

// The engine takes an instance only where counting what is free tells whether a job can start.
func TestTakes(t *testing.T) {
	for _, c := range []struct {
		name  string
		takes bool
		edit  func(machine *model.MachineSpec, job *model.JobSpec)
	}{
		{"precedence", true, func(*model.MachineSpec, *model.JobSpec) {}},
		{"memory for every processor", true, func(m *model.MachineSpec, j *model.JobSpec) { m.Memory, j.Memory = new(10.0), 5 }},
		{"memory for one of two processors", false, func(m *model.MachineSpec, j *model.JobSpec) { m.Memory, j.Memory = new(10.0), 6 }},
		{"span of a machine", false, func(_ *model.MachineSpec, j *model.JobSpec) { j.Processors, j.Span = model.Rigid(2), "machine" }},
		{"hard deadline", false, func(_ *model.MachineSpec, j *model.JobSpec) { j.Deadline, j.DeadlineHard = new(9.0), true }},
		{"moldable", false, func(_ *model.MachineSpec, j *model.JobSpec) { j.Processors = model.Moldable(1, 2) }},
		{"runs nowhere", false, func(_ *model.MachineSpec, j *model.JobSpec) { j.Processors = model.Rigid(9) }},
	} {
		machine, job := model.MachineSpec{ID: "m", Count: 2, Processors: 2}, model.JobSpec{ID: "b", Work: new(1.0), After: []string{"a"}}
		c.edit(&machine, &job)
		in, err := model.NewBuilder("takes").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine}}).
			Job(model.JobSpec{ID: "a", Work: new(1.0)}).Job(job).Build()
		if err != nil {
			t.Fatal(err)
		}
		if takes := newProblem(context.Background(), in) != nil; takes != c.takes {
			t.Errorf("%s: taken %t", c.name, takes)
		}
	}
}

// Project is an instance like those of PSPLIB: jobs of whole lengths that wait for about two others and share four pools.
func Project(t testing.TB, jobs int, fraction float64) *model.Instance {
	b := model.NewBuilder("project")
	b.Spec().Licences = map[string]int{"a": 14, "b": 14, "c": 14, "d": 14}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: jobs}}})
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1+rng.IntN(10)) + fraction*rng.Float64()), Licences: map[string]int{}}
		for _, l := range []string{"a", "b", "c", "d"} {
			if rng.IntN(2) == 0 {
				job.Licences[l] = 1 + rng.IntN(10)
			}
		}
		for _, back := range []int{1 + rng.IntN(8), 9 + rng.IntN(12)} {
			if j >= back {
				job.After = append(job.After, fmt.Sprint("j", j-back))
			}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A start is never made longer, nor is the best schedule lost when the populations begin anew.
func TestNothingIsLost(t *testing.T) {
	in := Project(t, 30, 0)
	e, err := New(context.Background(), in, &model.Solution{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	advance(e, 10, 200)
	s, err := e.Solution(0)
	if err != nil {
		t.Fatal(err)
	}
	reached := e.Best(0).Objective
	if e, err = New(context.Background(), in, s, 2); err != nil {
		t.Fatal(err)
	}
	e.Advance(0, 1, func() bool { return false })
	if now := e.Best(0).Objective; now > reached {
		t.Errorf("the start ends at %v, decoded again at %v", reached, now)
	}
	size := e.(*Engine).islands[0].size
	best := math.Inf(1)
	for range 400 {
		advance(e, 1, 300)
		now := math.Inf(1)
		for k := range e.Chains() {
			now = min(now, e.Best(k).Objective)
		}
		if now > best {
			t.Fatalf("the best schedule was %v and is %v", best, now)
		}
		best = now
	}
	if e.(*Engine).islands[0].size == size {
		t.Error("the populations never began anew: the test proves little")
	}
}

// The engine makes exactly the schedules that it is asked for, says that there is nothing to search where there is one schedule only, and stops
// when it is told to.
func TestAdvance(t *testing.T) {
	e, err := New(context.Background(), Project(t, 20, 0), &model.Solution{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, evaluations := range []int64{1, 2, 3, 4, 5, 100, 1001} {
		before := e.(*Engine).islands[0].passes
		if made := e.Advance(0, evaluations, func() bool { return false }); made != evaluations || e.(*Engine).islands[0].passes-before != made {
			t.Errorf("%d schedules asked for, %d reported, %d made", evaluations, made, e.(*Engine).islands[0].passes-before)
		}
	}
	asked := 0
	if made := e.Advance(0, 1<<40, func() bool { asked++; return asked > 10 }); made > 33 {
		t.Errorf("%d schedules after it was told to stop", made)
	}
	b := model.NewBuilder("one")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Job(model.JobSpec{ID: "j", Work: new(1.0)})
	one, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if e, err = New(context.Background(), one, &model.Solution{}, 1); err != nil {
		t.Fatal(err)
	}
	if first, second := e.Advance(0, 10, func() bool { return false }), e.Advance(0, 10, func() bool { return false }); first == 0 || second != 0 || e.Best(0).Objective != 1 {
		t.Errorf("one job: %d schedules, then %d", first, second)
	}
}
