package plan

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// A search that leaves out speeds and bandwidths, and remembers what jobs before found, finds the slot of one that tries them all afresh, be it on processors, memory or
// licences that it waits, on all machines or some.
func TestSlotsAmongManyKinds(t *testing.T) {
	compared, several, restricted := 0, 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures &^ model.GridSpan, Jobs: 12, Groups: 7, Clusters: 1}.Instance(t)
		s := NewChosenSchedule(in)
		g, ok := s.clusters[0].(*generalCluster)
		if !ok {
			return
		}
		afresh := NewChosenSchedule(in)
		slow := afresh.clusters[0].(*generalCluster)
		for _, job := range Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")) {
			ready, ok := s.Ready(job)
			if !ok || !in.CanRun(job, 0) || in.Jobs()[job].StatesRuntimes() {
				continue
			}
			least, most := in.Width(job, 0)
			n := rapid.IntRange(least, max(least, min(most, len(g.homes)))).Draw(t, "processors")
			links := g.links
			if in.Jobs()[job].Input+in.Jobs()[job].Output == 0 {
				links = links[len(links)-1:]
			}
			among := allMachines
			if machines := in.Clusters()[0].Machines; rapid.Bool().Draw(t, "some") {
				of := rapid.SampledFrom(machines).Draw(t, "machine")
				among = Among{Speed: of.Speed, Cost: rapid.SampledFrom([]float64{of.Cost, math.Inf(1)}).Draw(t, "cost")}
				if rapid.Bool().Draw(t, "linked") {
					among.Bandwidth = of.Bandwidth
				}
			}
			slow.earlier = earlier{} // it remembers nothing
			want, found := slow.earliest(job, n, ready, among)
			got, foundToo := g.earliestOfMany(job, n, ready, links, among)
			if found != foundToo || !reflect.DeepEqual(got, want) {
				t.Fatalf("job %d on %d processors from %v: %+v, %v; trying all gives %+v, %v", job, n, ready, got, foundToo, want, found)
			}
			if found && !want.instant {
				for _, held := range want.set {
					for p := held.First; p <= held.Last; p++ {
						_, group := in.Clusters()[0].MachineOf(p)
						if m := &in.Clusters()[0].Machines[group]; m.Speed < among.Speed || m.Bandwidth < among.Bandwidth || m.Cost > among.Cost {
							t.Fatalf("job %d on processor %d of machine %s: it is none of %+v", job, p, m.ID, among)
						}
					}
				}
				if among != allMachines {
					restricted++
				}
			}
			if compared++; len(g.speeds)*len(links) > 2 {
				several++
			}
			if slot, ok := s.EarliestOn(job, 0, n); ok {
				s.Place(job, slot)
				other, _ := afresh.EarliestOn(job, 0, n)
				afresh.Place(job, other)
			}
		}
	})
	if compared < 200 || several < 50 || restricted < 50 {
		t.Errorf("%d slots compared, %d of them with several kinds, %d on some machines: the test proves little", compared, several, restricted)
	}
}

// manyKinds is a cluster of many kinds of machines, each with one processor, and jobs of one processor. Where data matters, bandwidths differ.
func manyKinds(tb testing.TB, kinds, jobs int, data bool) *model.Instance {
	tb.Helper()
	cluster := model.ClusterSpec{ID: "c"}
	for k := range kinds {
		m := model.MachineSpec{ID: fmt.Sprint("m", k), Speed: 1 + float64(k)/1e6}
		if data {
			m.Speed, m.Bandwidth = 1+float64(k%50)/1e3, 1+float64(k*7919%kinds)
		}
		cluster.Machines = append(cluster.Machines, m)
	}
	b := model.NewBuilder("kinds").Cluster(cluster)
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + j%7))}
		if data {
			job.Input = 5
		}
		b.Job(job)
	}
	return build(tb, b)
}

// Slots on a cluster of many kinds take work in proportion to the kinds, not to their square.
func TestManyKindsTakeLittleWork(t *testing.T) {
	for _, data := range []bool{false, true} {
		in := manyKinds(t, 5000, 20, data)
		s := newSchedule(t, in)
		for job := range in.Jobs() {
			slot, ok := s.Earliest(job, 0)
			if !ok {
				t.Fatalf("job %d has no slot", job)
			}
			s.Place(job, slot)
		}
		if work := s.Work(); work > 1<<29 { // 20 jobs that look at each of the 25 million pairs of a speed and a machine: 5e9 ns
			t.Errorf("data %v: the work is %d", data, work)
		}
	}
}

// Searches give up soon after the end of the context and say so; those of a copy do too.
func TestSearchesGiveUp(t *testing.T) {
	in := manyKinds(t, 5000, 20, false)
	ctx, cancel := context.WithCancel(t.Context())
	r := newResources(in, false, Placing{})
	r.Until(ctx)
	copied := r.Clone()
	for range 200 {
		if _, ok := r.Earliest(0, 0, 1, 0); !ok || r.GaveUp() {
			t.Fatal("a search gives up before the end of the context")
		}
	}
	cancel()
	for _, r := range []*Resources{r, copied} {
		for k := 0; !r.GaveUp(); k++ {
			if r.Earliest(0, 0, 1, 0); k > 100 {
				t.Fatal("no search gives up after the end of the context")
			}
		}
	}
}
