package solvers_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// conformanceCase is an instance that every solver must either solve or refuse.
type conformanceCase struct {
	name string
	in   *model.Instance
	// bruteForce says that the instance is small and its objective regular, so that the best list schedule is optimal.
	bruteForce bool
}

// machines is a cluster of n processors at one speed.
func machines(id string, n int, speed float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: n, Speed: speed}}}
}

// built is the built instance.
func built(t testing.TB, b *model.Builder) *model.Instance {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// conformanceCases are tiny, medium and odd instances.
func conformanceCases(t testing.TB) []conformanceCase {
	cases := oddCases(t)
	for seed := range uint64(40) {
		for _, objective := range []string{"makespan", "mcp", "mean_response", "over_deadline"} {
			cases = append(cases, conformanceCase{fmt.Sprintf("tiny/%s/%d", objective, seed), tinyInstance(t, seed, objective), true})
		}
	}
	for seed := range uint64(12) {
		in, _ := randomGGOne(t, seed, seed%4 == 3)
		if m, err := model.Queues(in, nil); err == nil && stableLoads(in, m) {
			cases = append(cases, conformanceCase{fmt.Sprintf("tiny/qos_penalty/%d", seed), in, false})
		}
	}
	cases = append(cases, conformanceCase{"medium/qos_penalty", mediumGGOne(t), false})
	for seed := range uint64(12) { // memory, bandwidth, files and hard deadlines
		cases = append(cases, conformanceCase{fmt.Sprintf("grid/%d", seed), gridInstance(t, seed, 100), false},
			conformanceCase{fmt.Sprintf("grid/one cluster/%d", seed), mixedGrid(t, seed, 100), false})
	}
	for seed := range uint64(4) {
		cases = append(cases, conformanceCase{fmt.Sprintf("medium/plain/%d", seed), mediumInstance(t, seed, false), false},
			conformanceCase{fmt.Sprintf("medium/rich/%d", seed), mediumInstance(t, seed, true), false})
	}
	return cases
}

// stableLoads says that the machines can take the jobs.
func stableLoads(in *model.Instance, view model.QueueView) bool {
	room, rate := 0, 0.0
	for k := range view.Machines {
		room += int(math.Ceil(view.Machines[k].ServiceRate*in.Queueing().Period)) - 1
		rate += view.Machines[k].ServiceRate
	}
	return room >= len(in.Jobs()) && in.Queueing().Rate < rate
}

// tinyInstance has 1 to 5 jobs on 1 to 3 clusters; odd seeds add arrivals.
func tinyInstance(t testing.TB, seed uint64, objective string) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := model.NewBuilder("tiny").Minimise(objective, 1)
	clusters := 1 + rng.IntN(3)
	for c := range clusters {
		b.Cluster(machines(fmt.Sprint("c", c), 1+rng.IntN(4), float64(1+rng.IntN(3))))
	}
	for j := range 1 + rng.IntN(5) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(3)), Work: new(float64(1 + rng.IntN(12)))}
		if rng.IntN(2) == 0 {
			job.Deadline = new(float64(rng.IntN(20)))
		}
		if seed%2 == 1 {
			job.Arrival = float64(rng.IntN(6))
		}
		b.Job(job)
	}
	return built(t, b)
}

// mediumInstance has 120 jobs; rich ones use every feature that list schedules honour.
func mediumInstance(t testing.TB, seed uint64, rich bool) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := model.NewBuilder("medium").Minimise("mcp", 1)
	for c := range 3 {
		cluster := machines(fmt.Sprint("c", c), 8+4*c, 1+float64(c)/4)
		if rich {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: "big", Count: 2, Processors: 4, Speed: 2, Memory: new(8.0), Bandwidth: 10, Licences: []string{"solver"}})
		}
		b.Cluster(cluster)
	}
	if rich {
		b.Spec().Licences = map[string]int{"solver": 3}
	}
	for j := range 120 {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(8)), Work: new(1 + 99*rng.Float64()), Deadline: new(400 * rng.Float64())}
		if rich {
			job.Arrival = 50 * rng.Float64()
			job.Memory = float64(rng.IntN(4))
			job.Input = float64(rng.IntN(20))
			job.DeadlineHard = rng.IntN(4) == 0
			if rng.IntN(3) == 0 {
				job.Licences = map[string]int{"solver": 1 + rng.IntN(2)}
			}
			if j > 0 && rng.IntN(3) == 0 {
				job.After = []string{fmt.Sprint("j", rng.IntN(j))}
			}
			if rng.IntN(5) == 0 {
				job.Span, job.Processors = "machine", model.Rigid(1+rng.IntN(4))
			}
			if rng.IntN(5) == 0 {
				job.Runtime = map[string]float64{"c0": 5 + 50*rng.Float64(), "c2": 5 + 50*rng.Float64()}
			}
		}
		b.Job(job)
	}
	return built(t, b)
}

// mixedGrid is a grid of machines in one cluster that gives out whole machines, and a cluster that does not.
func mixedGrid(t testing.TB, seed uint64, most int) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 6))
	b := model.NewBuilder("mixed grid").Minimise("unfinished", 1)
	grid := model.ClusterSpec{ID: "grid", Allocation: "machine"}
	for m := range 1 + rng.IntN(6) {
		grid.Machines = append(grid.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(4),
			Memory: new(1 + 4*rng.Float64()), Bandwidth: 5 + 10*rng.Float64()})
	}
	b.Cluster(grid, model.ClusterSpec{ID: "rest", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 3, Memory: new(15.0), Bandwidth: 4}}})
	for j := range 1 + rng.IntN(most) {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1 + 10*rng.Float64()), Arrival: float64(rng.IntN(3)), Deadline: new(3 + 20*rng.Float64()),
			DeadlineHard: rng.IntN(4) > 0, Memory: 5 * rng.Float64(), Input: 15 * rng.Float64(), MinBandwidth: 8 * rng.Float64()})
	}
	return built(t, b)
}

// oddCases are the instances at the edges of the model.
func oddCases(t testing.TB) []conformanceCase {
	one := func(job model.JobSpec) *model.Builder {
		return model.NewBuilder("odd").Cluster(machines("c0", 2, 1), machines("c1", 4, 2)).Job(job)
	}
	equal := model.NewBuilder("equal").Cluster(machines("c0", 2, 1), machines("c1", 2, 1))
	extremes := model.NewBuilder("extremes").Cluster(machines("c0", 4, 1e9), machines("c1", 4, 1e-9))
	for j := range 20 {
		equal.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0)})
		work := 1e-9
		if j%2 == 0 {
			work = 1e12
		}
		extremes.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: &work, Processors: model.Rigid(1 + j%3), Deadline: new(1e6)})
	}
	licensed := model.NewBuilder("licensed").Cluster(machines("c0", 4, 1)).Job(
		model.JobSpec{ID: "a", Work: new(3.0), Licences: map[string]int{"l": 1}}, model.JobSpec{ID: "b", Work: new(3.0), Licences: map[string]int{"l": 1}},
		model.JobSpec{ID: "never", Work: new(3.0), Licences: map[string]int{"l": 2}})
	licensed.Spec().Licences = map[string]int{"l": 1}
	whole := model.NewBuilder("whole machines").Cluster(model.ClusterSpec{ID: "c", Allocation: "machine", Machines: []model.MachineSpec{{ID: "a", Count: 2, Processors: 8}, {ID: "b", Processors: 2, Speed: 3}}}).
		Job(model.JobSpec{ID: "a", Work: new(8.0)}, model.JobSpec{ID: "b", Work: new(6.0)}, model.JobSpec{ID: "c", Work: new(1.0)})
	cases := []conformanceCase{
		{"odd/no jobs", built(t, model.NewBuilder("none").Cluster(machines("c0", 2, 1))), false},
		{"odd/one job", built(t, one(model.JobSpec{ID: "a", Work: new(5.0)})), true},
		{"odd/wider than everything", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Rigid(9)}).Job(model.JobSpec{ID: "b", Work: new(1.0)})), false},
		{"odd/zero work", built(t, one(model.JobSpec{ID: "a", Work: new(0.0)}).Job(model.JobSpec{ID: "b", Work: new(0.0), Processors: model.Rigid(2)})), true},
		{"odd/deadline before arrival", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), Arrival: 10, Deadline: new(3.0)})), true},
		{"odd/hard deadline before arrival", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), Arrival: 10, Deadline: new(3.0), DeadlineHard: true})), false},
		{"odd/one cluster eligible", built(t, one(model.JobSpec{ID: "a", Runtime: map[string]float64{"c1": 4}})), true},
		{"odd/a chain", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), After: []string{"b"}}).Job(model.JobSpec{ID: "b", Work: new(1.0)})), true},
		{"odd/waits for one that fits nowhere", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), After: []string{"b"}}).Job(model.JobSpec{ID: "b", Work: new(1.0), Processors: model.Rigid(9)})), false},
		{"odd/moldable", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Moldable(1, 4)})), false},
		{"odd/over the grid", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), Processors: model.Rigid(6), Span: "grid"})), false},
		{"odd/equal everything", built(t, equal), false},
		{"odd/1e-9 and 1e12", built(t, extremes), false},
		{"odd/licences", built(t, licensed), false},
		{"odd/whole machines", built(t, whole), true},
		{"odd/unix time", built(t, one(model.JobSpec{ID: "a", Work: new(5.0), Arrival: 1535348017}).Job(model.JobSpec{ID: "b", Work: new(0.1), Arrival: 1535348018})), true},
	}
	return cases
}
