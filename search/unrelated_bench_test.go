package search

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/etc"
)

// braun reads one of the real matrices with its best published makespan.
func braun(t testing.TB, name string) (*model.Instance, float64) {
	t.Helper()
	for _, row := range realdata.Table(t, "braun_etc", "best_known.csv") {
		if row["instance"] != name {
			continue
		}
		in, _, err := etc.Read(realdata.Open(t, "braun_etc", name+".gz"), name, etc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return in, row.Number(t, "best_known_MS")
	}
	t.Fatalf("no matrix %q", name)
	return nil, 0
}

// braunNames are the real matrices.
var braunNames = []string{"u_c_hihi.0", "u_c_hilo.0", "u_c_lohi.0", "u_c_lolo.0", "u_i_hihi.0", "u_s_lolo.0"}

// BenchmarkUnrelatedMoves measures moves per second of one chain that has annealed for a while.
func BenchmarkUnrelatedMoves(b *testing.B) {
	for _, name := range braunNames {
		b.Run("instance="+name, func(b *testing.B) {
			in, _ := braun(b, name)
			e, err := newUnrelated(b.Context(), in, completionStart(in), 1)
			if err != nil {
				b.Fatal(err)
			}
			never := func() bool { return false }
			e.advance(0, 1<<23, never)
			b.ResetTimer()
			moves := int64(0)
			for range b.N {
				moves += e.advance(0, 1<<18, never)
			}
			b.ReportMetric(float64(moves)/b.Elapsed().Seconds()/1e6, "Mmoves/s")
		})
	}
}

// BenchmarkUnrelatedBraun measures how far above the best published makespan two workers come: -benchtime 1x, seconds from
// the environment, 2 if absent.
func BenchmarkUnrelatedBraun(b *testing.B) {
	seconds, err := strconv.ParseFloat(os.Getenv("UNRELATED_SECONDS"), 64)
	if err != nil {
		seconds = 2
	}
	limit, _ := strconv.ParseInt(os.Getenv("UNRELATED_MOVES"), 10, 64)
	for _, name := range braunNames {
		b.Run("instance="+name, func(b *testing.B) {
			in, best := braun(b, name)
			start := completionStart(in)
			sum, evaluations := 0.0, int64(0)
			for k := range b.N {
				ctx, cancel := context.WithTimeout(b.Context(), time.Duration(seconds*float64(time.Second)))
				e, err := newUnrelated(ctx, in, start, uint64(k+1))
				if err != nil {
					b.Fatal(err)
				}
				r, err := run(ctx, e, in, start, Options{Seed: uint64(k + 1), Workers: 2, MaxEvals: limit})
				cancel()
				if err != nil {
					b.Fatal(err)
				}
				at, err := rankOf(in, r.Solution)
				if err != nil {
					b.Fatal(err)
				}
				sum += at.Objective / best
				evaluations += r.Evaluations
			}
			b.ReportMetric(100*(sum/float64(b.N)-1), "%above")
			b.ReportMetric(float64(evaluations)/b.Elapsed().Seconds()/1e6, "Mmoves/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
