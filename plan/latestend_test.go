package plan

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// A job that begins as early as it can ends by the time that is said without a look, whatever runs, and what is said is known for a job that needs nothing but processors.
func TestLatestEnd(t *testing.T) {
	known, unknown := 0, 0
	often.Check(t, 4, func(t *rapid.T) {
		features := modeltest.AllFeatures
		if rapid.Bool().Draw(t, "counted") {
			features = model.Arrivals | model.ParallelJobs | model.LicencePools
		}
		in := modeltest.Generator{Features: features, Jobs: 8}.Instance(t)
		r := NewResources(in)
		if rapid.Bool().Draw(t, "queued") {
			r.QueueInstants()
		}
		for _, job := range rapid.Permutation(indices(in)).Draw(t, "order") {
			c := rapid.IntRange(0, len(in.Clusters())-1).Draw(t, "cluster")
			if !in.CanRun(job, c) {
				continue
			}
			ready := max(in.Jobs()[job].Arrival, rapid.SampledFrom([]float64{0, 5, 50}).Draw(t, "ready"))
			latest := r.LatestEnd(job, c, ready)
			n, _ := in.Width(job, c)
			slot, ok := r.Earliest(job, c, n, ready)
			if !math.IsInf(latest, 1) && (!ok || slot.End > latest) {
				t.Fatalf("job %d on cluster %d: %+v, %v, after %v", job, c, slot, ok, latest)
			}
			if plain, is := r.clusters[c].(*plainCluster); is && (plain.pools.profiles == nil || len(in.Jobs()[job].Licences) == 0) && n <= in.Clusters()[c].Processors {
				if known++; math.IsInf(latest, 1) {
					t.Fatalf("nothing is known of job %d, which ends at %v", job, slot.End)
				}
			} else if math.IsInf(latest, 1) {
				unknown++
			}
			if ok {
				r.Take(job, &slot)
			}
		}
	})
	if known == 0 || unknown == 0 {
		t.Errorf("%d times known, %d times not: the test proves nothing", known, unknown)
	}
}
