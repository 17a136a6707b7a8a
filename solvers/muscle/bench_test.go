package muscle

import (
	"context"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// batches are 10,000 jobs of sizes U[1, widest] with times U[1, 100], and the same on four clusters.
func batches(b *testing.B) []struct {
	name string
	in   *model.Instance
} {
	return []struct {
		name string
		in   *model.Instance
	}{
		{"jobs=10000,processors=512,sizes=1-8", randomBatch(b, 10000, 8, 512)},
		{"jobs=10000,processors=512,sizes=1-64", randomBatch(b, 10000, 64, 512)},
		{"jobs=10000,processors=512,sizes=1-512", randomBatch(b, 10000, 512, 512)},
		{"jobs=10000,processors=512+256+256+128,sizes=1-64", randomBatch(b, 10000, 64, 512, 256, 256, 128)},
		{"jobs=10000,processors=512+256+256+128,sizes=1-512", randomBatch(b, 10000, 512, 512, 256, 256, 128)},
	}
}

// BenchmarkMuscle measures whole runs.
func BenchmarkMuscle(b *testing.B) {
	for _, batch := range batches(b) {
		b.Run("solver=muscle/instance="+batch.name, func(b *testing.B) {
			b.ReportAllocs()
			placed := 0
			for b.Loop() {
				result, err := newSolver().Solve(context.Background(), batch.in, solve.Options{})
				if err != nil {
					b.Fatal(err)
				}
				placed = len(result.Solution.Jobs)
			}
			b.ReportMetric(float64(placed), "placed")
			b.ReportMetric(float64(b.N*len(batch.in.Jobs()))/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// BenchmarkMuscleTable measures Algorithm 1 alone, in cells of the table (jobs × rows) per second, and the compositions
// per cell, 12 bytes each.
func BenchmarkMuscleTable(b *testing.B) {
	for _, batch := range batches(b)[:3] {
		b.Run("instance="+batch.name, func(b *testing.B) {
			var sizes []int32
			for j := range batch.in.Jobs() {
				sizes = append(sizes, int32(batch.in.Jobs()[j].Min))
			}
			cells := float64(len(sizes) * 512)
			compositions := 0
			for b.Loop() {
				table := newCompositionTable(sizes, 512, kit.NewPoll(context.Background()))
				table.build()
				compositions = 0
				for _, row := range table.rows {
					if row != nil {
						compositions += len(row.list)
					}
				}
			}
			b.ReportMetric(float64(b.N)*cells/b.Elapsed().Seconds(), "cells/s")
			b.ReportMetric(float64(compositions)/cells, "compositions/cell")
		})
	}
}

// BenchmarkMuscleStop measures how long a run takes to return a complete schedule after its context has ended, the worst
// of the runs: at once, within Algorithm 1 and within Algorithm 4.
func BenchmarkMuscleStop(b *testing.B) {
	in := randomBatch(b, 50000, 64, 1000, 64, 64)
	for _, after := range []time.Duration{0, 300 * time.Millisecond, 5 * time.Second} {
		b.Run("solver=muscle/after="+after.String(), func(b *testing.B) {
			worst := 0.0
			for b.Loop() {
				ctx, cancel := context.WithTimeout(context.Background(), after)
				if _, err := newSolver().Solve(ctx, in, solve.Options{}); err != nil {
					b.Fatal(err)
				}
				if end, _ := ctx.Deadline(); ctx.Err() != nil {
					worst = max(worst, float64(time.Since(end))/1e6)
				}
				cancel()
			}
			b.ReportMetric(worst, "ms-latency")
		})
	}
}
