package solvers

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/looks"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/mts"
)

// A shortlist names the two resources that a look at all of them names, ties going to the first resource, while ends grow on any resource, to equal ends
// and to none.
func TestShortlistIsALookAtAllResources(t *testing.T) {
	scans, asked := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		ends := make([]float64, 1+rng.IntN(20))
		for k := range ends {
			ends[k] = float64(rng.IntN(6))
		}
		var s shortlist
		for range 200 {
			asked++
			wanted := int32(1 + rng.IntN(2))
			if !s.renew(wanted, func(resource int) float64 { return ends[resource] }) {
				scans++
				s.clear()
				for resource, end := range ends {
					s.offer(resource, end)
				}
			}
			taken := -1
			for k := range wanted {
				best := -1
				for resource, end := range ends {
					if resource != taken && !math.IsInf(end, 1) && (best < 0 || end < ends[best]) {
						best = resource
					}
				}
				if best < 0 {
					if s.n > k {
						t.Fatalf("seed %d: resource %d is no resource to name; ends %v", seed, s.resource[k], ends)
					}
					break
				}
				if s.n <= k || int(s.resource[k]) != best || s.end[k] != ends[best] {
					t.Fatalf("seed %d: %d. resource: got %+v, want %d; ends %v", seed, k+1, s, best, ends)
				}
				taken = best
			}
			for range 1 + rng.IntN(2) {
				resource := rng.IntN(len(ends))
				if ends[resource] += float64(rng.IntN(3)); rng.IntN(40) == 0 {
					ends[resource] = math.Inf(1)
				}
			}
		}
	}
	t.Logf("%d looks at all resources for %d questions", scans, asked)
	if scans*2 > asked || scans < 1000 {
		t.Error("the ends prove little")
	}
}

// A run that is cancelled at any time, while the reasons are looked for as well, hands back nothing or a schedule that places or leaves out
// every job, and says that it was cut short.
func TestHeuristicsStopAnywhere(t *testing.T) {
	b := model.NewBuilder("hopeless")
	for _, id := range []string{"a", "b", "c"} {
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m"}}})
	}
	const jobs = 3000
	for j := range jobs {
		b.Job(model.JobSpec{ID: string(rune('a'+j%26)) + string(rune('a'+j/26%26)) + string(rune('a'+j/676)), Work: new(1 + float64(j)/jobs), Deadline: new(4.0), DeadlineHard: true})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, solver := range map[string]solve.Solver{"mts": solve.Default[mts.Solver](), "minmin": &MinMin{}, "maxmin": &MaxMin{}, "sufferage": &Sufferage{}} {
		cut := false
		for asks := 0; asks < 4000; asks += race.Fewer(1, 7) {
			result, err := solver.Solve(looks.Until(int64(asks)), in, solve.Options{})
			if err != nil {
				t.Fatalf("%s, %d: %v", name, asks, err)
			}
			if result.Solution == nil {
				continue
			}
			if report := model.Check(in, result.Solution); !report.OK() {
				t.Fatalf("%s, %d: %v", name, asks, report.Violations[0])
			}
			if result.Stop == model.StopDone {
				break
			}
			cut = true
		}
		if !cut {
			t.Errorf("%s: no run was cut short while reasons were looked for", name)
		}
	}
}
