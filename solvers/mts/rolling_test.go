package mts_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/mts"
)

// On machines that take one job at a time, MTS in rolling use is the literal form applied tick by tick to the jobs that have arrived, with the
// machines that are not free yet.
func TestRollingIsTheLiteralFormTickByTick(t *testing.T) {
	info, err := solve.Lookup("mts")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		in := solvecases.Built(t, solvecases.Grid(seed, 40))
		solver, err := solve.NewRolling(info.Choice(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solver.Solve(context.Background(), in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := mts.Solver{Lambda: 0.5, Chi: 0.5, Eta: 0.5, Fragment: 0.05, ProcessorShare: 1, MemoryShare: 1, BandwidthShare: 1, Classes: "on", Fragments: "on", Weights: "on"}
		free := slices.Repeat([]float64{in.FirstArrival()}, len(in.Clusters()))
		all := &literal{in: in}
		waiting := make([]int, 0, len(in.Jobs()))
		for j := range in.Jobs() {
			waiting = append(waiting, j)
		}
		for now := in.FirstArrival(); len(waiting) > 0; now++ {
			tick := &literal{in: in, p: p, free: slices.Clone(free), now: now}
			for r := range tick.free {
				tick.free[r] = max(tick.free[r], now)
			}
			waiting = slices.DeleteFunc(waiting, func(j int) bool {
				here := in.Jobs()[j].Arrival <= now
				if here {
					tick.left = append(tick.left, j)
				}
				return here
			})
			tick.run()
			free = tick.free
			all.placements, all.out = append(all.placements, tick.placements...), append(all.out, tick.out...)
		}
		sameDecisions(t, fmt.Sprint("seed ", seed), in, result.Solution, all)
	}
}
