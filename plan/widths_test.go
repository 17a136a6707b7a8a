package plan

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// The next number of processors is the first on which the busiest has fewer tasks.
func TestWider(t *testing.T) {
	for tasks := 1; tasks <= 40; tasks++ {
		for n := 1; n <= tasks+1; n++ {
			most := func(n int) float64 { return math.Ceil(float64(tasks) / float64(n)) }
			want := n + 1
			for want <= tasks && most(want) == most(n) {
				want++
			}
			if got := Wider(tasks, n); got != want && !(want > tasks && got == math.MaxInt) {
				t.Errorf("%d tasks on more than %d: %d, expected %d", tasks, n, got, want)
			}
		}
	}
}

// A list schedule gives a moldable job the number of processors with which it ends first, tried one by one, and spreads a job that fits no cluster.
func TestEarliestTriesAllNumbersOfProcessors(t *testing.T) {
	spread := 0
	often.Check(t, 5, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures &^ model.MixedMachines, Jobs: 8}.Instance(t)
		s, err := NewSchedule(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range ArrivalOrder(in) {
			last, placed := Slot{}, false
			for c := range in.Clusters() {
				want, found := math.Inf(1), false
				least, most := in.Width(j, c)
				for n := least; n <= most; n++ {
					if slot, ok := s.EarliestOn(j, c, n); ok && slot.End < want {
						want, found = slot.End, true
					}
				}
				if in.MustSpread(j) && !placed {
					for n := in.Jobs()[j].Min; n <= in.Jobs()[j].Max; n++ {
						if slot, ok := s.Spread(j, n); ok && in.SpreadOver(j)[c] && slot.End < want {
							want, found = slot.End, true
						}
					}
				}
				got, ok := s.Earliest(j, c)
				if ok != found || ok && got.End != want {
					t.Fatalf("job %d on cluster %d ends at %v (%t), it can at %v (%t)", j, c, got.End, ok, want, found)
				}
				if ok {
					last, placed = got, true
				}
			}
			if placed {
				if last.IsSpread() {
					spread++
				}
				s.Place(j, last)
			} else {
				s.LeaveUnplaceable(j)
			}
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Fatal(report)
		}
	})
	if spread == 0 && !testing.Short() { // fewer draws are too few
		t.Error("no job was spread")
	}
}

// One pass over the release times finds the same slot as the numbers of processors tried one by one, with the same work counted.
func TestEarliestEndIsTheFirstOfAllWidths(t *testing.T) {
	counts := 0
	often.Check(t, 5, func(t *rapid.T) {
		in := modeltest.Generator{Features: model.ParallelJobs | model.MoldableJobs | model.Arrivals | model.UnrelatedTimes, Jobs: 8}.Instance(t)
		r := NewResources(in)
		for _, j := range ArrivalOrder(in) {
			var last Slot
			for c := range in.Clusters() {
				if !in.CanRun(j, c) {
					continue
				}
				least, most := in.Width(j, c)
				most = min(most, in.Jobs()[j].Tasks, in.Clusters()[c].Processors)
				ready := in.Jobs()[j].Arrival
				before := r.Work()
				got, ok, counted := r.EarliestEnd(j, c, least, most, Wider, ready)
				work := r.Work() - before
				want, found := Slot{}, false
				for n := least; n <= most; n = Wider(in.Jobs()[j].Tasks, n) {
					if slot, ok := r.Earliest(j, c, n, ready); ok && (!found || slot.Before(&want)) {
						want, found = slot, true
					}
				}
				if found {
					last = want
				}
				if !counted {
					if work != 0 {
						t.Fatalf("work %d counted for nothing", work)
					}
					continue
				}
				counts++
				if ok != found || got.Start != want.Start || got.End != want.End || got.Processors != want.Processors || got.Cluster != want.Cluster {
					t.Fatalf("job %d on cluster %d: %v (%t), one by one %v (%t)", j, c, got, ok, want, found)
				}
				if tried := r.Work() - before - work; work != tried {
					t.Fatalf("job %d on cluster %d: work %d, one by one %d", j, c, work, tried)
				}
			}
			if last.Processors > 0 {
				r.Take(j, &last)
			}
		}
	})
	if counts == 0 {
		t.Fatal("no slot was found in one pass")
	}
}
