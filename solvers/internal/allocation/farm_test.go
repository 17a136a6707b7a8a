package allocation

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// What a job takes on a kind of machine, against all numbers of processors with which its processors have fewer tasks each: those that it can use there and
// on the kinds behind, in order.
func TestTakesAgainstAllWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures}.Instance(t)
		f, err := Settings{Charge: "instance", Load: 0.5, Due: 3}.newFarm(t.Context(), in, false)
		if err != nil {
			t.Fatal(err)
		}
		known := in.Known()
		for at, all := range f.takes {
			c := &in.Clusters()[at[0]]
			for k := range in.Jobs() {
				j := &in.Jobs()[k]
				var usable []int // processors in order
				for g := at[1]; g < len(c.Machines); g++ {
					m, each := &c.Machines[g], in.ProcessorsFor(j, &c.Machines[g])
					for p := m.First; p <= m.Last() && each > 0; p++ {
						if (p-m.First)%m.Units < each && (j.Span != model.SpanMachine || g == at[1] && p < m.First+m.Units) {
							usable = append(usable, p)
						}
					}
				}
				want, width := math.Inf(1), 0
				least, most := in.Width(k, at[0])
				if in.CanRun(k, at[0]) && in.ProcessorsFor(j, &c.Machines[at[1]]) > 0 {
					for n := least; n <= min(most, len(usable)); n++ {
						if n > least && (n > j.Tasks || (j.Tasks+n-1)/n == (j.Tasks+n-2)/(n-1)) {
							continue // no processor has fewer tasks than with one less
						}
						if time := known.Duration(k, at[0], model.Processors(usable[:n]...)); time < want {
							want, width = time, n
						}
					}
				}
				want *= 1 + f.viewed.Queueing().K*j.WorkCV
				if found := all.service[k]; found != want {
					t.Fatalf("job %s on %s, kind %d: S %v, expected %v", j.ID, c.ID, at[1], found, want)
				}
				if held := all.processors; width > 0 && (held == nil && width != 1 || held != nil && held[k] != float64(width)) {
					t.Fatalf("job %s on %s, kind %d: holds %v, expected %d", j.ID, c.ID, at[1], held, width)
				}
			}
		}
	})
}
