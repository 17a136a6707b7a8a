package serial

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// drawn are the features of the instances that the tests draw; deadlines_test.go has hard deadlines.
const drawn = features&^model.HardDeadlines | featuresSometimes

// draw draws an instance that the engine takes, with its problem; nil if it takes none of a few.
func draw(t *rapid.T, jobs int) *problem {
	for range 10 {
		g := modeltest.Generator{Features: drawn, Jobs: jobs, Wild: rapid.IntRange(0, 9).Draw(t, "wild") == 0}
		if rapid.Bool().Draw(t, "plain") {
			g.Features = features &^ model.HardDeadlines
		}
		if p := newProblem(context.Background(), g.Instance(t)); p != nil {
			return p
		}
	}
	t.Skip("the engine took none of the instances")
	return nil
}

// drawProject draws jobs of whole times on one cluster with licences of the grid, as projects are: these have brief forms.
func drawProject(t *rapid.T, jobs int) *problem {
	processors := rapid.IntRange(1, 8).Draw(t, "processors")
	b := model.NewBuilder("project").Minimise("makespan", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: processors, Speed: 1}}})
	copies := rapid.IntRange(1, 5).Draw(t, "copies")
	b.Spec().Licences = map[string]int{"a": copies, "b": 3}
	for j := range rapid.IntRange(2, jobs).Draw(t, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(rapid.IntRange(1, processors).Draw(t, "size")),
			Work: new(float64(rapid.IntRange(1, 9).Draw(t, "work")))}
		if rapid.Bool().Draw(t, "licence") {
			job.Licences = map[string]int{"a": rapid.IntRange(1, copies).Draw(t, "of a"), "b": rapid.IntRange(1, 3).Draw(t, "of b")}
		}
		if j > 0 && rapid.Bool().Draw(t, "waits") {
			job.After = []string{fmt.Sprint("j", rapid.IntRange(0, j-1).Draw(t, "for"))}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return newProblem(context.Background(), in)
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
	grids, briefs, fractions := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProject(t, 14)
		if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
			p = draw(t, 14)
		}
		s := testIsland(t, p)
		order := randomly(s)
		s.forward(order)
		agree(t, s, order)
		switch {
		case s.grid != nil:
			briefs++
		case p.room > 0:
			grids++
		default:
			fractions++
		}
	})
	if grids < race.Enough(10) || briefs < race.Enough(5) || fractions < race.Enough(5) {
		t.Errorf("%d instances on grids, %d of brief jobs and %d others: the test proves little", grids, briefs, fractions)
	}
}

// agree checks the forward pass against the reference.
func agree(t rapid.TB, s *island, order []int32) {
	p := s.problem
	start, end := naive(p.In, order, s.clustersOf())
	for j := range start {
		if found := p.origin + p.unit*s.start[j]; found != start[j] || p.origin+p.unit*s.end[j] != end[j] {
			t.Fatalf("job %d starts at %v, expected %v", j, found, start[j])
		}
	}
}

// A job of length 3e-18 beside one of length 7e12 would take no time where it is added to the end of that one: the engine leaves such an instance alone.
func TestVanishingLength(t *testing.T) {
	b := model.NewBuilder("vanishing")
	for _, c := range []string{"c", "d"} {
		b.Cluster(model.ClusterSpec{ID: c, Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	}
	for _, job := range []struct {
		id, cluster string
		time        float64
	}{{"elsewhere", "d", 1}, {"long", "c", 7e12}, {"brief", "c", 3e-18}} {
		b.Job(model.JobSpec{ID: job.id, Runtime: map[string]float64{job.cluster: job.time}, Processors: model.ProcessorRange{Min: 2, Max: 2}})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if newProblem(context.Background(), in) != nil {
		t.Error("the engine takes an instance in which a length vanishes")
	}
}

// In microseconds since 1970 an eighth is half the distance between float64 numbers: added to a time it rounds to the even one, which may be the time.
func TestAnEighthSince1970(t *testing.T) {
	for k := range 4 {
		b := model.NewBuilder("eighth")
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		b.Job(model.JobSpec{ID: "long", Arrival: 1.7e15, Work: new(1 + float64(k)/4)})
		b.Job(model.JobSpec{ID: "brief", Arrival: 1.7e15, Work: new(0.125)})
		b.Job(model.JobSpec{ID: "brief too", Arrival: 1.7e15, Work: new(0.125)})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if newProblem(context.Background(), in) != nil {
			t.Errorf("the engine takes an instance in which a length vanishes, of %v in all", 1.25+float64(k)/4)
		}
	}
}

// The pass for jobs of brief forms makes the schedules of the pass for all jobs, forward and backward, and the sorts by it agree.
func TestPassOnGridIsThePass(t *testing.T) {
	s := newIsland(newProblem(context.Background(), Project(t, 60, 0)), 10, rand.New(rand.NewPCG(1, 1)))
	other := newDecoder(s.problem)
	if s.grid == nil {
		t.Fatal("the jobs have no brief forms: the test proves nothing")
	}
	other.grid = nil
	for range 100 {
		order := randomly(s)
		s.leaveOpen(0)
		same := slices.Clone(order)
		copy(other.at, s.at)
		for _, d := range []*decoder{s.decoder, other} {
			d.forward(order)
		}
		for range 2 {
			if !slices.Equal(s.start, other.start) || !slices.Equal(s.end, other.end) || !slices.Equal(s.at, other.at) || s.last != other.last {
				t.Fatalf("starts %v until %v, by the other pass %v until %v", s.start, s.last, other.start, other.last)
			}
			s.justify(order)
			other.justify(same)
			if !slices.Equal(order, same) {
				t.Fatalf("order %v, of the other sort %v", order, same)
			}
		}
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
	if shorter < race.Enough(40) {
		t.Errorf("%d schedules got shorter: the test proves little", shorter)
	}
}

// Sorting by buckets sorts, and keeps the order of equal keys.
func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t, 20)
		d := newDecoder(p)
		keys := rapid.SampledFrom([]float64{0, 1, 1e-320, 1e-3, 7, 1e9, 1e300})
		if d.grid != nil { // all times are whole there
			keys = rapid.SampledFrom([]float64{0, 1, 7, 40})
		}
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
