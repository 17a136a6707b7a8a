package plan

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// clock draws arrivals and execution times of one magnitude.
type clock struct {
	name          string
	arrival, time *rapid.Generator[float64]
}

// clocks are the magnitudes of random instances: integers, for ties and jobs of no time; tenths, for sums that miss a deadline by
// rounding alone; fractions, for rounding errors;
// times since 1970; and times so late that different durations round to the same end, or to no time at all.
var clocks = []clock{
	{"integers", numbers(0, 6, 1, 0), numbers(0, 5, 1, 0)},
	{"tenths", numbers(0, 30, 10, 0), numbers(0, 20, 10, 0)},
	{"fractions", numbers(0, 30_000, 1000, 0), numbers(0, 60_000, 1000, 0)},
	{"since 1970", numbers(0, 90_000, 1000, 1.7e9), numbers(0, 90_000, 1000, 0)},
	{"late", numbers(0, 3, 1e4, 1e12), numbers(0, 40, 1e5, 0)},
}

// numbers draws from + k/parts for whole k from low to high.
func numbers(low, high int, parts, from float64) *rapid.Generator[float64] {
	return rapid.Map(rapid.IntRange(low, high), func(k int) float64 { return from + float64(k)/parts })
}

// drawClock draws a magnitude.
func drawClock(t *rapid.T) clock {
	return clocks[rapid.IntRange(0, len(clocks)-1).Draw(t, "clock")]
}

// chance is true in one of n cases.
func chance(t *rapid.T, n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == n }

// build builds an instance that must be right.
func build(tb interface {
	Helper()
	Fatal(...any)
}, b *model.Builder) *model.Instance {
	tb.Helper()
	in, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// drawPlain draws an instance of rigid jobs that a decoder honours.
func drawPlain(t *rapid.T, mostJobs int) *model.Instance {
	clock := drawClock(t)
	b := model.NewBuilder("plain").Minimise("mcp", 1)
	clusters := rapid.IntRange(1, 3).Draw(t, "clusters")
	widest := 0
	for c := range clusters {
		count, units := rapid.IntRange(1, 6).Draw(t, "count"), rapid.IntRange(1, 3).Draw(t, "units")
		widest = max(widest, count*units)
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{
			{ID: "m", Count: count, Processors: units, Speed: rapid.SampledFrom([]float64{1, 1, 3, 0.7}).Draw(t, "speed")}}}
		if chance(t, 6, "whole machines") {
			spec.Allocation = "machine"
		}
		b.Cluster(spec)
	}
	arrive := chance(t, 2, "arrivals")
	origin := clock.arrival.Draw(t, "origin")
	for j := range rapid.IntRange(1, mostJobs).Draw(t, "jobs") {
		spec := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: origin, Processors: model.Rigid(rapid.IntRange(1, widest).Draw(t, "size"))}
		if arrive {
			spec.Arrival = clock.arrival.Draw(t, "arrival")
		}
		drawTimes(t, &spec, clock, clusters)
		b.Job(spec)
	}
	return build(t, b)
}

// drawTimes draws the work or the run times of a job and its deadline.
func drawTimes(t *rapid.T, spec *model.JobSpec, clock clock, clusters int) {
	if chance(t, 3, "states run times") {
		spec.Runtime = map[string]float64{}
		for c := range clusters {
			if c == 0 || !chance(t, 4, "restricted") {
				spec.Runtime[fmt.Sprint("c", c)] = clock.time.Draw(t, "runtime")
			}
		}
	} else {
		spec.Work = new(clock.time.Draw(t, "work"))
	}
	if chance(t, 4, "several tasks") {
		spec.Tasks = rapid.IntRange(1, 9).Draw(t, "tasks")
	}
	if chance(t, 2, "has a deadline") {
		spec.Deadline = new(clock.arrival.Draw(t, "deadline") + 2*clock.time.Draw(t, "slack"))
	}
}

// drawGeneral draws a small instance that asks for everything that a Schedule honours.
func drawGeneral(t *rapid.T, mostJobs int) *model.Instance {
	clock := drawClock(t)
	b := model.NewBuilder("general").Minimise("mcp", 1)
	spec := b.Spec()
	spec.Licences = map[string]int{"grid": rapid.IntRange(0, 3).Draw(t, "copies"), "both": 2}
	clusters := rapid.IntRange(1, 3).Draw(t, "clusters")
	mixed := chance(t, 2, "mixed")
	for c := range clusters {
		b.Cluster(drawCluster(t, fmt.Sprint("c", c), mixed))
	}
	for j := range rapid.IntRange(1, mostJobs).Draw(t, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: clock.arrival.Draw(t, "arrival"), Processors: model.Rigid(rapid.IntRange(1, 4).Draw(t, "size"))}
		drawTimes(t, &job, clock, clusters)
		job.DeadlineHard = job.Deadline != nil && chance(t, 4, "hard")
		if chance(t, 4, "stays on a machine") {
			job.Span = "machine"
		}
		if chance(t, 2, "needs memory") {
			job.Memory = float64(rapid.IntRange(1, 4).Draw(t, "memory"))
		}
		if chance(t, 3, "moves data") {
			job.Input, job.Output = clock.time.Draw(t, "input"), clock.time.Draw(t, "output")
		}
		if chance(t, 4, "needs bandwidth") {
			job.MinBandwidth = 2
		}
		if chance(t, 4, "exchanges messages") {
			job.Message = 1
		}
		job.Licences = map[string]int{}
		for _, id := range []string{"grid", "both"} {
			if chance(t, 4, "needs a licence") {
				job.Licences[id] = rapid.IntRange(0, 2).Draw(t, "copies needed")
			}
		}
		if j > 0 && chance(t, 4, "waits") {
			job.After = []string{fmt.Sprint("j", rapid.IntRange(0, j-1).Draw(t, "after"))}
		}
		b.Job(job)
	}
	return build(t, b)
}

// drawCluster draws a cluster of a few machines, of one speed and bandwidth unless they are to be mixed.
func drawCluster(t *rapid.T, id string, mixed bool) model.ClusterSpec {
	cluster := model.ClusterSpec{ID: id}
	if chance(t, 6, "whole machines") {
		cluster.Allocation = "machine"
	}
	if chance(t, 4, "own pool") {
		cluster.Licences = map[string]int{"both": rapid.IntRange(0, 2).Draw(t, "own copies")}
	}
	if chance(t, 4, "network") {
		cluster.Network = &model.Network{Latency: 0.25, Bandwidth: 2}
		cluster.Overheads = &model.Overheads{ContextSwitch: 0.125}
	}
	speed, bandwidth := rapid.SampledFrom([]float64{1, 2, 0.7}), rapid.SampledFrom([]float64{0, 2, 1})
	v, w := speed.Draw(t, "speed"), bandwidth.Draw(t, "bandwidth")
	limits := chance(t, 2, "limits memory")
	for m := range rapid.IntRange(1, 2).Draw(t, "groups") {
		if mixed {
			v, w = speed.Draw(t, "speed"), bandwidth.Draw(t, "bandwidth")
		}
		machine := model.MachineSpec{ID: fmt.Sprint("m", m), Speed: v, Bandwidth: w,
			Count: rapid.IntRange(1, 2).Draw(t, "count"), Processors: rapid.IntRange(1, 3).Draw(t, "processors")}
		if limits {
			machine.Memory = new(float64(rapid.IntRange(2, 6).Draw(t, "of memory")))
		}
		if chance(t, 4, "limits licences") {
			machine.Licences = []string{"both"}
		}
		if chance(t, 8, "has local jobs") {
			machine.Background = &model.Background{Load: 0.5, Mean: 1}
		}
		cluster.Machines = append(cluster.Machines, machine)
	}
	return cluster
}
