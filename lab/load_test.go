package lab

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// The load is the least processor time of each job that some cluster can run, over all processor time between the first and the last arrival. A job that none can run, or that takes no
// time, adds nothing, but its arrival counts.
func TestLoadByDefinition(t *testing.T) {
	nowhere := 0
	rapid.Check(t, func(r *rapid.T) {
		b := model.NewBuilder("").Cluster(
			model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m", Count: 2, Speed: 2}}},
		)
		work, first, last := 0.0, math.Inf(1), 0.0
		for k := range rapid.IntRange(2, 6).Draw(r, "jobs") {
			width, length := rapid.IntRange(1, 6).Draw(r, "processors"), float64(rapid.IntRange(0, 9).Draw(r, "length"))
			j := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: float64(rapid.IntRange(0, 9).Draw(r, "arrival")), Processors: model.Rigid(width)}
			first, last = min(first, j.Arrival), max(last, j.Arrival)
			if rapid.Bool().Draw(r, "times by cluster") {
				other := float64(rapid.IntRange(0, 9).Draw(r, "other"))
				j.Runtime = map[string]float64{"c": length, "d": other}
				switch {
				case width <= 2:
					work += float64(width) * min(length, other)
				case width <= 4:
					work += float64(width) * length
				default:
					nowhere++
				}
			} else {
				j.Work = &length
				switch {
				case width <= 2: // d is twice as fast
					work += float64(width) * length / 2
				case width <= 4:
					work += float64(width) * length
				default:
					nowhere++
				}
			}
			b.Job(j)
		}
		in, err := b.Build()
		if err != nil {
			r.Fatal(err)
		}
		want := work / (6 * (last - first))
		if got := Load(in); math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-9 {
			r.Fatalf("load %v, by definition %v", got, want)
		}
		loaded, err := WithLoad(in, 0.25)
		if possible := want > 0 && !math.IsInf(want, 0); possible != (err == nil) {
			r.Fatalf("a load of %v to be 0.25: %v", want, err)
		} else if possible && math.Abs(Load(loaded)-0.25) > 1e-9 {
			r.Fatalf("a load of %v, asked for 0.25", Load(loaded))
		}
	})
	if nowhere < race.Enough(20) {
		t.Errorf("%d jobs that no cluster can run", nowhere)
	}
}
