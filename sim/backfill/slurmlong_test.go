package backfill

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// slurmStarts runs Slurm's schedulers on an instance and returns the starts by job; NaN: it is left out.
func slurmStarts(t *testing.T, in *model.Instance, cycles Cycles, r Ranking) []float64 {
	t.Helper()
	sol, _, err := sim.Simulate(context.Background(), in, Slurm(1, cycles, r), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	starts := slices.Repeat([]float64{math.NaN()}, len(in.Jobs()))
	for _, p := range sol.Jobs {
		k, _ := in.JobIndex(p.Job)
		starts[k] = p.Start
	}
	return starts
}

// On one processor the job that is first in the order starts whenever another one ends, in queues so long that the places of jobs that have left are taken out of them, while jobs go on
// arriving.
func TestSlurmOnOneProcessorInOrder(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 57))
		b := model.NewBuilder("long").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		const jobs = 500
		arrival, length := make([]float64, jobs), make([]float64, jobs)
		at := 0.0
		for k := range jobs {
			if k > 250 {
				at += float64(rng.IntN(30))
			}
			arrival[k], length[k] = at, float64(1+rng.IntN(40))
			b.Job(model.JobSpec{ID: fmt.Sprint(k), Arrival: at, Work: &length[k]})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		cycles := DefaultCycles()
		cycles.Delay = 0
		got := slurmStarts(t, in, cycles, Ranking{Order: byShortest})
		want, now := slices.Repeat([]float64{math.NaN()}, jobs), 0.0
		for range jobs {
			next := -1
			for k := range jobs {
				if math.IsNaN(want[k]) && arrival[k] <= now && (next < 0 || length[k] < length[next]) {
					next = k
				}
			}
			if next < 0 { // nobody waits
				for k := range jobs {
					if math.IsNaN(want[k]) && (next < 0 || arrival[k] < arrival[next]) {
						next = k
					}
				}
				now = arrival[next]
			}
			want[next], now = now, now+length[next]
		}
		for k := range jobs {
			if got[k] != want[k] {
				t.Fatalf("seed %d: job %d of %v, which arrives at %v, starts at %v, want %v", seed, k, length[k], arrival[k], got[k], want[k])
			}
		}
	}
}

// On a machine that closes now and then, once and for ever, or for a reservation, a job alone starts at the first second from which on the machine is open to it for as long as it takes, and is
// left out where there is none. With others beside it no job is lost: each that fits when it arrives on the empty machine, and when nothing is left to run, has run.
func TestSlurmOnAMachineThatCloses(t *testing.T) {
	left, waited := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 58))
		machine := model.MachineSpec{ID: "m"}
		at := 0.0
		for k := range rng.IntN(3) {
			from := at + float64(1+rng.IntN(8))
			closed := model.ClosedSpec{From: from}
			if at = from + float64(1+rng.IntN(9)); k > 0 || rng.IntN(2) == 0 {
				closed.To = new(at)
			}
			if rng.IntN(3) == 0 {
				closed.For = "r"
			}
			machine.Closed = append(machine.Closed, closed)
			if closed.To == nil {
				break
			}
			at++
		}
		jobs := 1 + rng.IntN(4)
		b := model.NewBuilder("closes").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine}})
		arrival, length := make([]float64, jobs), make([]float64, jobs)
		for k := range jobs {
			arrival[k], length[k] = float64(rng.IntN(12)), float64(1+rng.IntN(5))
			b.Job(model.JobSpec{ID: fmt.Sprint(k), Arrival: arrival[k], Work: &length[k]})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		cycles := DefaultCycles()
		cycles.Interval, cycles.Resolution = 1, 1
		got := slurmStarts(t, in, cycles, Ranking{})
		for k := range jobs {
			want := arrival[k]
			for _, c := range machine.Closed {
				to := math.Inf(1)
				if c.To != nil {
					to = *c.To
				}
				if want < to && c.From < want+length[k] {
					want = to
				}
			}
			switch {
			case math.IsInf(want, 1) != math.IsNaN(got[k]) && (jobs == 1 || math.IsInf(want, 1)), jobs == 1 && !math.IsInf(want, 1) && got[k] != want, got[k] < want:
				t.Fatalf("seed %d: job %d of %v, which arrives at %v, starts at %v, want %v beside nobody: %+v", seed, k, length[k], arrival[k], got[k], want, machine.Closed)
			case math.IsNaN(got[k]):
				left++
			case want > arrival[k]:
				waited++
			}
		}
	}
	if left < 50 || waited < 50 {
		t.Errorf("%d jobs left out, %d waited for the machine", left, waited)
	}
}
