package mts_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solvers/mts"
)

// switches are the combinations of the three rules.
func switches() []mts.Solver {
	var list []mts.Solver
	onOff := []string{"on", "off"}
	for k := range 8 {
		list = append(list, mts.Solver{Lambda: 0.5, Chi: 0.5, Eta: 0.5, Fragment: 0.05, ProcessorShare: 1, MemoryShare: 1, BandwidthShare: 1,
			Classes: onOff[k&1], Fragments: onOff[k>>1&1], Weights: onOff[k>>2&1]})
	}
	return list
}

// Decimal fractions add up to ends that differ in the last place only, so that different completion times have logarithms that round to one number.
// Decisions are those of the literal form there too: the first resource counts, though a kind may have come to it late. The origin shifts the last place.
func TestDecidesAsTheLiteralFormOnDecimalTies(t *testing.T) {
	race.OneGoroutine(t)
	groupsFormed, groupsDissolved = 0, 0
	for seed := range uint64(1200) {
		rng := rand.New(rand.NewPCG(seed, 10))
		b := model.NewBuilder("decimals")
		tenths := func(most int) float64 { return float64(1+rng.IntN(most)) / 10 }
		machines := 2 + rng.IntN(4)
		for r := range machines {
			b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Memory: new(float64(1 + rng.IntN(3)))}}})
		}
		origin := []float64{0, 0, 0, 1e3, 1e9, 1e15}[rng.IntN(6)]
		for j := range 4 + rng.IntN(20) {
			job := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: origin, Memory: float64(rng.IntN(4))}
			if rng.IntN(2) == 0 {
				job.Work = new(tenths(4))
			} else {
				job.Runtime = map[string]float64{}
				for r := range machines {
					job.Runtime[fmt.Sprint("r", r)] = tenths(4)
				}
			}
			if rng.IntN(2) == 0 {
				job.Deadline, job.DeadlineHard = new(origin+tenths(40)), rng.IntN(2) == 0
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range switches() {
			asLiteral(t, fmt.Sprintf("seed %d, switches %d", seed, k), in, p)
		}
	}
	t.Logf("%d groups, %d dissolved", groupsFormed, groupsDissolved)
	if groupsFormed < 4000 || groupsDissolved < 1000 {
		t.Error("the instances prove little")
	}
}

// On batches of the measured shape, in which most jobs are placed, decisions are those of the literal form, in the groups that they would have and in small ones.
func TestDecidesAsTheLiteralFormOnRoomyGrids(t *testing.T) {
	race.OneGoroutine(t)
	groupsFormed, groupsDissolved = 0, 0
	placed, all, least := 0, 0, math.MaxInt
	for seed := range uint64(24) {
		x := solvecases.MeasuredRoomy(60 + 20*int(seed%5))
		x.Machines = 3 + int(seed%7)
		if seed%3 == 1 {
			x.Memory, x.Near = 5, 0.5
		}
		if seed%4 == 3 {
			x.Tight, x.Deadlines = 0, seed%8 == 3
		}
		in := x.Generate(t, seed)
		for k, p := range switches() {
			before := groupsFormed
			_, want := asLiteral(t, fmt.Sprintf("seed %d, switches %d", seed, k), in, p)
			placed, all, least = placed+len(want.placements), all+x.Jobs, min(least, groupsFormed-before)
		}
	}
	t.Logf("%d of %d jobs placed; %d groups, %d dissolved", placed, all, groupsFormed, groupsDissolved)
	if placed*3 < all*2 || least < 1 {
		t.Error("the batches are not of the measured shape")
	}
}

// Two completion times may differ although their logarithms are equal. A first has its least one, 800, on r2. Once C is there it has it on r0, at the next number
// after 800, of which ln mt is the same. B has 800 on r1. Of equal mt the first resource counts, so that A goes before B.
func TestLogarithmsThatRoundAlike(t *testing.T) {
	b := model.NewBuilder("round alike")
	for r := range 3 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: []model.MachineSpec{{ID: "m"}}})
	}
	const long = 2400
	for id, runtime := range [][3]float64{{math.Nextafter(800, 801), long, 800}, {long, 800, long}, {long, long, 0.1}} {
		b.Job(model.JobSpec{ID: string(rune('A' + id)), Runtime: map[string]float64{"r0": runtime[0], "r1": runtime[1], "r2": runtime[2]}})
	}
	in := solvecases.Built(t, b)
	result, want := asLiteral(t, "round alike", in, switches()[0])
	for k, id := range []string{"C", "A", "B"} {
		if want.placements[k].Job != id || result.Solution.Jobs[k].Job != id {
			t.Errorf("placement %d: %s, by the literal form %s, expected %s", k, result.Solution.Jobs[k].Job, want.placements[k].Job, id)
		}
	}
}
