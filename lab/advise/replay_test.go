package advise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// naiveFCFS runs jobs in order of submission, second by second. A job that exceeds its limit is killed there and submitted again with its old one. It returns the starts of the runs that end well, and what was lost.
func naiveFCFS(arrival, used, old, limit []int, width []int, processors int) (starts []int, lost int) {
	type entry struct{ job, length int }
	starts = make([]int, len(used))
	var queue []entry
	type held struct {
		end, job, length int
	}
	var running []held
	free, left := processors, len(used)
	for now := 0; left > 0; now++ {
		var next []held
		var joins []entry
		for _, r := range running {
			if r.end > now {
				next = append(next, r)
				continue
			}
			free += width[r.job]
			if r.length < used[r.job] {
				lost += width[r.job] * r.length
				joins = append(joins, entry{r.job, used[r.job]})
			} else {
				left--
			}
		}
		running = next
		for k := range arrival {
			if arrival[k] == now {
				length := used[k]
				if limit[k] > 0 {
					length = min(length, limit[k])
				}
				joins = append(joins, entry{k, length})
			}
		}
		slices.SortStableFunc(joins, func(a, b entry) int { return a.job - b.job })
		queue = append(queue, joins...)
		for len(queue) > 0 && width[queue[0].job] <= free {
			e := queue[0]
			queue = queue[1:]
			free -= width[e.job]
			starts[e.job] = now
			running = append(running, held{now + e.length, e.job, e.length})
		}
	}
	return starts, lost
}

// The replay with changed limits is that of a naive simulation with a kill rule. Jobs that join the queue at one time stand in the order of the instance.
func TestReplayedNaive(t *testing.T) {
	fcfs, err := solve.Choose("fcfs")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "jobs")
		processors := rapid.IntRange(1, 4).Draw(t, "processors")
		spec := model.InstanceSpec{Schema: model.InstanceSchema, Units: &model.Units{Time: "s"}, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: processors}}}}}
		var arrival, used, old, limit, width []int
		limits := make([]float64, n)
		for k := range n {
			arrival = append(arrival, rapid.IntRange(0, 40).Draw(t, "arrival"))
			used = append(used, rapid.IntRange(1, 20).Draw(t, "used"))
			old = append(old, used[k]+rapid.IntRange(0, 20).Draw(t, "over"))
			width = append(width, rapid.IntRange(1, processors).Draw(t, "width"))
			l := 0
			if old[k] > 1 && rapid.Bool().Draw(t, "advised") {
				l = rapid.IntRange(1, old[k]-1).Draw(t, "limit")
			}
			limit, limits[k] = append(limit, l), float64(l)
			spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint(k), Arrival: float64(arrival[k]), Processors: model.Rigid(width[k]), Tasks: 1, Work: new(float64(used[k])), Estimate: new(float64(old[k]))})
		}
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		sol, lost, settled, err := Replayed(context.Background(), in, limits, n+2, func(ctx context.Context, changed *model.Instance) (*model.Solution, error) {
			result, err := solve.Run(ctx, fcfs, changed, solve.Options{Seed: 1, Unbounded: true})
			if err != nil {
				return nil, err
			}
			if report := model.Check(changed, result.Solution); !report.OK() {
				return nil, report.Violations[0]
			}
			return result.Solution, nil
		})
		if err != nil || !settled {
			t.Fatalf("settled: %t, %v", settled, err)
		}
		starts, wantLost := naiveFCFS(arrival, used, old, limit, width, processors)
		if len(sol.Jobs) != n || math.Abs(lost-float64(wantLost)) > 1e-9 {
			t.Fatalf("%d jobs, %v lost; expected %d, %d", len(sol.Jobs), lost, n, wantLost)
		}
		for _, p := range sol.Jobs {
			job, _ := in.JobIndex(p.Job)
			if math.Abs(p.Start-float64(starts[job])) > 1e-9 {
				t.Fatalf("job %d starts at %v, expected %d", job, p.Start, starts[job])
			}
		}
	})
}

func TestGrown(t *testing.T) {
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Jobs: []model.JobSpec{{ID: "a", Work: new(1.0)}},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 20}, {ID: "n"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	grown, added, part, err := Grown(in, 0.1)
	if err != nil || added != 3 || part != 3.0/21 || grown.Processors() != 24 || in.Processors() != 21 {
		t.Errorf("%d processors, %d added, a part of %v, %v; expected 24, 3, a seventh", grown.Processors(), added, part, err)
	}
}
