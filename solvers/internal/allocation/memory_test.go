package allocation

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// What the jobs take on the machines is estimated before anything is made: jobs × groups × 16 bytes, and 8 more where jobs hold several processors. From 4 GB on the instance is refused
// in words that name a way out. Machines of one group count once.
func TestMemoryIsEstimated(t *testing.T) {
	built := func(jobs, groups, size int) *model.Instance {
		cluster := model.ClusterSpec{ID: "c"}
		for g := range groups {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", g), Count: 3})
		}
		b := model.NewBuilder("large").Cluster(cluster)
		for j := range jobs {
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(size), Work: new(1.0)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	if got := Memory(built(5, 3, 1)); got != 5*3*16 {
		t.Errorf("%d bytes, expected 240", got)
	}
	if got := Memory(built(5, 3, 2)); got != 5*3*24 {
		t.Errorf("%d bytes of parallel jobs, expected 360", got)
	}
	if err := TooLarge(built(100, 100, 1)); err != nil {
		t.Error(err)
	}
	err := TooLarge(built(20_000, 20_000, 1))
	if !errors.Is(err, solve.ErrUnsupported) || !strings.Contains(err.Error(), "expected at most 4096 MB") || !strings.Contains(err.Error(), "found 6103 MB") || !strings.Contains(err.Error(), "as one group") {
		t.Errorf("got %v", err)
	}
}
