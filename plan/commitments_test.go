package plan

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// Behind processors that earlier jobs hold until many different times, a schedule starts each job when the naive form does: when as many
// processors as it needs are released, on those of them that were released last.
func TestScheduleBehindHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 24).Draw(t, "processors")
		b := model.NewBuilder("holds").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: n}}})
		size := rapid.IntRange(1, min(n, rapid.SampledFrom([]int{1, 3, 16}).Draw(t, "widest")))
		jobs := rapid.IntRange(1, 8).Draw(t, "jobs")
		for j := range jobs {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(rapid.IntRange(1, 30).Draw(t, "work"))), Processors: model.Rigid(size.Draw(t, "size"))})
		}
		whole, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		end := rapid.IntRange(4, rapid.SampledFrom([]int{7, 25}).Draw(t, "latest"))
		released := make([]float64, n)
		var holds []model.Hold
		for p := range n {
			released[p] = max(5, float64(end.Draw(t, "end")))
			holds = append(holds, model.Hold{Job: &whole.Jobs()[0], End: released[p],
				Pieces: []model.HoldPiece{{Cluster: 0, Processors: model.Processors(p), End: released[p]}}})
		}
		order := make([]int, jobs)
		for j := range order {
			order[j] = j
		}
		in := whole.Batch(order, slices.Repeat([]float64{5}, jobs), holds)
		s := newSchedule(t, in)
		for j := range order {
			slot, ok := s.Earliest(j, 0)
			if !ok {
				t.Fatalf("job %d has no slot", j)
			}
			s.Place(j, slot)
			slices.SortFunc(released, cmp.Compare)
			size := in.Jobs()[j].Min
			start := released[size-1]
			free := size
			for free < n && released[free] <= start {
				free++
			}
			for k := free - size; k < free; k++ {
				released[k] = start + in.DurationOn(j, 0, size)
			}
			if slot.Start != start {
				t.Fatalf("job %d starts at %v, want %v", j, slot.Start, start)
			}
		}
	})
}
