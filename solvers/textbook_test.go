package solvers_test

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/formats/etc"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

// textbook is a heuristic as the textbooks write it: as long as jobs are left, compute all completion times anew and let
// choose say which of the jobs goes where. The completion times are those of a job on each cluster, +Inf: it cannot run
// there.
func textbook(t testing.TB, in *model.Instance, choose func(left []int, completion [][]float64) (job, cluster int)) *model.Solution {
	t.Helper()
	s, err := plan.NewSchedule(in)
	if err != nil {
		t.Fatal(err)
	}
	s.QueueInstants() // as the heuristics do that are held to it
	var left []int
	for j := range in.Jobs() {
		if runsNowhere(in, j) {
			s.LeaveUnplaceable(j)
		} else {
			left = append(left, j)
		}
	}
	for len(left) > 0 {
		completion := make([][]float64, len(in.Jobs()))
		for _, j := range left {
			completion[j] = slices.Repeat([]float64{math.Inf(1)}, len(in.Clusters()))
			for c := range in.Clusters() {
				if slot, ok := s.Earliest(j, c); ok && inTime(in, j, c, slot) {
					size, _ := in.Width(j, c)
					completion[j][c] = slot.Start + in.DurationOn(j, c, size) // for times that vanish beside a late start not quite the end, see model.End
				}
			}
		}
		left = slices.DeleteFunc(left, func(j int) bool {
			late := math.IsInf(slices.Min(completion[j]), 1)
			if late {
				s.Leave(j, "late")
			}
			return late
		})
		if len(left) == 0 {
			break
		}
		job, cluster := choose(left, completion)
		slot, _ := s.Earliest(job, cluster)
		s.Place(job, slot)
		left = slices.DeleteFunc(left, func(j int) bool { return j == job })
	}
	return s.Solution()
}

// inTime says whether the job would start by its hard deadline less its duration.
func inTime(in *model.Instance, job, cluster int, slot plan.Slot) bool {
	j := &in.Jobs()[job]
	if !j.DeadlineHard {
		return true
	}
	size, _ := in.Width(job, cluster)
	return !model.Late(slot.Start+in.DurationOn(job, cluster, size), j.Deadline)
}

// runsNowhere says whether no cluster can run the job.
func runsNowhere(in *model.Instance, job int) bool {
	for c := range in.Clusters() {
		if in.CannotRun(job, c) == "" {
			return false
		}
	}
	return true
}

// argmin is the first cluster with the least completion time.
func argmin(times []float64) int {
	best := 0
	for c, t := range times {
		if t < times[best] {
			best = c
		}
	}
	return best
}

// agrees holds a solver to the textbook on random instances of every family: the same jobs on the same processors at the
// same times, placed in the same order.
func agrees(t *testing.T, name string, choose func(left []int, completion [][]float64) (job, cluster int)) {
	t.Helper()
	info, err := solve.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			for seed := range race.Fewer(uint64(500), 60) {
				most := 24
				if seed%100 == 0 {
					most = 150
				}
				in := f.instance(t, seed, most)
				result, err := info.New().Solve(context.Background(), in, solve.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if difference := differ(result.Solution, textbook(t, in, choose)); difference != "" {
					t.Fatalf("seed %d: %s", seed, difference)
				}
			}
		})
	}
}

// agreesOnGrids holds a solver to the textbook on random grids with memory, bandwidth, files and hard deadlines; the reasons for
// which jobs are left out apart.
func agreesOnGrids(t *testing.T, name string, choose func(left []int, completion [][]float64) (job, cluster int)) {
	t.Helper()
	info, err := solve.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	left, seeds := 0, race.Fewer(uint64(500), 100)
	for seed := range seeds {
		in := solvecases.Built(t, solvecases.Grid(seed, 60))
		result, err := info.New().Solve(context.Background(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, want := result.Solution, textbook(t, in, choose)
		left += len(want.Unscheduled)
		for _, s := range []*model.Solution{got, want} {
			for k := range s.Unscheduled {
				if s.Unscheduled[k].Reason == "" {
					t.Errorf("seed %d: %s is left out without a reason", seed, s.Unscheduled[k].Job)
				}
				s.Unscheduled[k].Reason = "some"
			}
			slices.SortFunc(s.Unscheduled, func(a, b model.Unscheduled) int { return cmp.Compare(a.Job, b.Job) })
		}
		if difference := differ(got, want); difference != "" {
			t.Fatalf("seed %d: %s", seed, difference)
		}
	}
	if left < 2*int(seeds) {
		t.Errorf("%d jobs left out: the instances prove little", left)
	}
}

// agreesOnRoomyGrids holds a solver to the textbook on batches of which most jobs are placed, all of them where there are no deadlines.
func agreesOnRoomyGrids(t *testing.T, name string, choose func(left []int, completion [][]float64) (job, cluster int)) {
	t.Helper()
	info, err := solve.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	placed, all := 0, 0
	for seed := range race.Fewer(uint64(16), 4) {
		x := solvecases.MeasuredRoomy(100 + 60*int(seed%4))
		x.Machines = 3 + int(seed%7)
		if seed%3 == 1 {
			x.Memory, x.Near = 5, 0.5
		}
		if seed%4 == 3 {
			x.Tight, x.Deadlines = 0, seed%8 == 3
		}
		in := x.Generate(t, seed)
		result, err := info.New().Solve(context.Background(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := textbook(t, in, choose)
		placed, all = placed+len(want.Jobs), all+x.Jobs
		got := *result.Solution
		got.Unscheduled, want.Unscheduled = nil, nil // their order and reasons differ
		if difference := differ(&got, want); difference != "" {
			t.Fatalf("seed %d: %s", seed, difference)
		}
	}
	if t.Logf("%d of %d jobs placed", placed, all); 2*all > 3*placed {
		t.Error("too few jobs are placed")
	}
}

// differ says where two schedules differ first; "" where they do not.
func differ(got, want *model.Solution) string {
	if len(got.Jobs) != len(want.Jobs) || len(got.Unscheduled) != len(want.Unscheduled) {
		return fmt.Sprintf("%d jobs placed and %d not; want %d and %d", len(got.Jobs), len(got.Unscheduled), len(want.Jobs), len(want.Unscheduled))
	}
	for k, p := range got.Jobs {
		if q := want.Jobs[k]; p.Job != q.Job || p.Cluster != q.Cluster || p.Start != q.Start || p.End != q.End || !slices.Equal(p.Processors, q.Processors) {
			return fmt.Sprintf("placement %d: got %+v, want %+v", k, p, q)
		}
	}
	for k, u := range got.Unscheduled {
		if u != want.Unscheduled[k] {
			return fmt.Sprintf("left out: got %+v, want %+v", u, want.Unscheduled[k])
		}
	}
	return ""
}

// family is a kind of random instances.
type family struct {
	name string
	// processors and sizes are the most processors of a cluster and of a job.
	processors, sizes int
	// runtimes: run times are stated cluster by cluster, one in that many left out (0: none).
	runtimes    bool
	restricted  int
	origin, gap float64 // arrivals are origin + gap·k
	arrivals    int     // for k below this; 0: all arrive at the origin
	step        float64 // times are base + step·k
	base        float64
	times       int // for k below this
}

// families are the kinds on which fast and textbook versions are compared. In "all round to the same sum" and "late", one
// unit in the last place of an end is more than a step of the durations.
var families = []family{
	{name: "unrelated", processors: 1, sizes: 1, runtimes: true, step: 0.001, times: 1 << 20},
	{name: "unrelated with ties", processors: 1, sizes: 1, runtimes: true, step: 1, times: 4},
	{name: "restricted", processors: 1, sizes: 1, runtimes: true, restricted: 2, step: 1, times: 30},
	{name: "equal jobs", processors: 3, sizes: 1, step: 1, base: 1, times: 1},
	{name: "parallel", processors: 12, sizes: 8, step: 0.01, times: 10_000},
	{name: "parallel with ties", processors: 6, sizes: 4, step: 1, times: 5},
	{name: "arrivals", processors: 4, sizes: 3, gap: 0.7, arrivals: 100, step: 0.01, times: 1000},
	{name: "arrivals with ties", processors: 4, sizes: 3, gap: 1, arrivals: 12, step: 1, times: 4},
	{name: "arrivals on one processor", processors: 1, sizes: 1, runtimes: true, restricted: 4, gap: 1, arrivals: 30, step: 1, times: 6},
	{name: "since 1970", processors: 4, sizes: 3, origin: 1.7e9, gap: 1e-6, arrivals: 40, step: 1e-7, base: 1, times: 60},
	{name: "all round to the same sum", processors: 3, sizes: 2, runtimes: true, restricted: 5, origin: 1e12, step: 1e-6, base: 1, times: 300},
	{name: "late", processors: 3, sizes: 2, runtimes: true, origin: 1e12, gap: 1e-4, arrivals: 20, step: 1e-5, times: 60},
	{name: "late, few sizes", processors: 2, sizes: 1, origin: 1e10, gap: 1e-6, arrivals: 9, step: 1e-6, times: 12},
}

// instance makes the instance of the seed with up to the given number of jobs.
func (f *family) instance(t testing.TB, seed uint64, most int) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 3))
	b := model.NewBuilder(f.name)
	clusters := 1 + rng.IntN(6)
	for c := range clusters {
		b.Cluster(solvecases.Machines(fmt.Sprint("c", c), 1+rng.IntN(f.processors), []float64{1, 1, 2, 0.7}[rng.IntN(4)]))
	}
	time := func() float64 { return f.base + f.step*float64(rng.IntN(f.times)) }
	for j := range 1 + rng.IntN(most) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: f.origin, Processors: model.Rigid(1 + rng.IntN(f.sizes))}
		if f.arrivals > 0 {
			job.Arrival += f.gap * float64(rng.IntN(f.arrivals))
		}
		if f.runtimes {
			job.Runtime = map[string]float64{}
			for c := range clusters {
				if c == j%clusters || f.restricted == 0 || rng.IntN(f.restricted) > 0 {
					job.Runtime[fmt.Sprint("c", c)] = time()
				}
			}
		} else {
			job.Work = new(time())
		}
		b.Job(job)
	}
	return solvecases.Built(t, b)
}

// TestBraun compares makespans on the matrices of Braun et al. (2001) with those that others have computed.
func TestBraun(t *testing.T) {
	rows, err := csv.NewReader(realdata.Open(t, "braun_etc", "best_known.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1 : 1+race.Fewer(len(rows)-1, 2)] {
		in := braunMatrix(t, row[0]+".gz")
		for column, name := range map[string]string{"min_min": "minmin", "max_min": "maxmin", "sufferage": "sufferage", "mct": "mct", "met": "met"} {
			want, err := strconv.ParseFloat(row[slices.Index(rows[0], column)], 64)
			if err != nil {
				t.Fatal(err)
			}
			info, err := solve.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := *result.Solution.Objective; !(math.Abs(got-want) <= 1e-6*want) {
				t.Errorf("%s: %s: makespan %v, want %v", row[0], name, got, want)
			}
		}
	}
}

// braunMatrix reads a matrix.
func braunMatrix(t testing.TB, name string) *model.Instance {
	t.Helper()
	in, _, err := etc.NewReader().Read(realdata.Open(t, "braun_etc", name), name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
