package bound

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// exclusiveJobs draws a cluster of machines of several sizes and jobs, most of which have their machines to themselves and some of which fill all of them.
func exclusiveJobs(t *testing.T, rng *rand.Rand) *model.Instance {
	var machines, jobs []string
	total := 0
	for k := range 1 + rng.IntN(3) {
		units := 1 + rng.IntN(4)
		total += units
		machines = append(machines, fmt.Sprintf(`{"id": "m%d", "processors": %d}`, k, units))
	}
	for k := range 1 + rng.IntN(3) {
		width, more := 1+rng.IntN(total), ""
		if rng.IntN(4) > 0 {
			more = `, "exclusive": true`
		}
		if rng.IntN(4) == 0 {
			more += fmt.Sprintf(`, "deadline": %d, "deadline_hard": true`, 1+rng.IntN(5))
		}
		jobs = append(jobs, fmt.Sprintf(`{"id": "j%d", "work": %d, "processors": %d%s}`, k, 1+rng.IntN(3), width, more))
	}
	text := fmt.Sprintf(`{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [%s]}], "jobs": [%s]}`, strings.Join(machines, ", "), strings.Join(jobs, ", "))
	in, err := model.ReadInstance(strings.NewReader(text), "exclusive")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// No bound is above the best schedule where jobs that have their machines to themselves fill machines of several sizes, and its certificate is verified.
func TestNoBoundOfExclusiveJobsIsAboveTheBestSchedule(t *testing.T) {
	ctx, tight := t.Context(), 0
	for seed := range uint64(race.Fewer(400, 50)) {
		plain := exclusiveJobs(t, rand.New(rand.NewPCG(seed, 77)))
		all, ok := nodeSchedules(plain, false)
		if !ok {
			continue
		}
		for _, metric := range []string{"makespan", "mean_response", "unfinished", "idle_time"} {
			in, err := plain.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := NewCertified(ctx, in)
			p.Improve(ctx, 100_000)
			best := all.owing(t, in, p.Owed(), p.Duties()).least[metric]
			if value, known := p.Bound().Value(); !known || value > best+1e-9*best {
				t.Fatalf("seed %d: %s ≥ %v is stated (%v), a schedule has %v: %v", seed, metric, value, known, best, p.Parts())
			} else if best > 0 && value == best {
				tight++
			}
			if r := proof.Check(ctx, in, p.Certificate()); r.Verdict != proof.Verified {
				t.Fatalf("seed %d: %s: %v", seed, metric, r)
			}
		}
	}
	if tight < race.Enough(50) {
		t.Errorf("%d bounds are as high as the best schedule: the instances prove little", tight)
	}
}
