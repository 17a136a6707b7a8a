package unrelated

import (
	"testing"

	"github.com/allot-opt/allot/formats/etc"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// Braun reads one of the real matrices with its best published makespan.
func Braun(t testing.TB, name string) (*model.Instance, float64) {
	t.Helper()
	for _, row := range realdata.Table(t, "braun_etc", "best_known.csv") {
		if row["instance"] != name {
			continue
		}
		in, _, err := etc.NewReader().Read(realdata.Open(t, "braun_etc", name+".gz"), name)
		if err != nil {
			t.Fatal(err)
		}
		return in, row.Number(t, "best_known_MS")
	}
	t.Fatalf("no matrix %q", name)
	return nil, 0
}

// BraunNames are the real matrices.
var BraunNames = []string{"u_c_hihi.0", "u_c_hilo.0", "u_c_lohi.0", "u_c_lolo.0", "u_i_hihi.0", "u_s_lolo.0"}

// BenchmarkUnrelatedMoves measures moves per second of one chain that has annealed for a while.
func BenchmarkUnrelatedMoves(b *testing.B) {
	for _, name := range BraunNames {
		b.Run("instance="+name, func(b *testing.B) {
			in, _ := Braun(b, name)
			e, err := New(b.Context(), in, CompletionStart(in), 1)
			if err != nil {
				b.Fatal(err)
			}
			never := func() bool { return false }
			e.Advance(0, 1<<23, never)
			b.ResetTimer()
			moves := int64(0)
			for range b.N {
				moves += e.Advance(0, 1<<18, never)
			}
			b.ReportMetric(float64(moves)/b.Elapsed().Seconds()/1e6, "Mmoves/s")
		})
	}
}
