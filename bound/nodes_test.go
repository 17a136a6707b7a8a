package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// extremes are the least and the largest values of the metrics over the schedules of an instance.
type extremes struct{ least, most map[string]float64 }

// tinySchedules is a tiny instance with all its schedules, as far as they have to be looked at.
type tinySchedules struct {
	in      *model.Instance
	reports []model.Report
	list    []*model.Solution
}

// nodeSchedules enumerates the schedules of a tiny instance with nodes. It returns false if there are none, or too many.
func nodeSchedules(in *model.Instance, pieces bool) (all tinySchedules, ok bool) {
	all.in = in
	e := &modeltest.Enumeration{In: in, Pieces: pieces, Most: 30_000}
	complete := e.Each(func(report model.Report, sol *model.Solution) {
		all.reports, all.list = append(all.reports, report), append(all.list, sol)
	})
	return all, complete && len(all.list) > 0
}

// owing are the extremes of the metrics over the schedules that owe the number of jobs by the objective of the instance. It reports a schedule that owes fewer,
// and one that owes as many and leaves out a job that it has to place.
func (all *tinySchedules) owing(t *testing.T, in *model.Instance, owed int, duties []Duty) (found extremes) {
	found = extremes{map[string]float64{}, map[string]float64{}}
	for k, sol := range all.list {
		owes := in.Owed(sol)
		if owes < owed {
			t.Fatalf("every schedule owes %d jobs is stated, one owes %d: %+v", owed, owes, sol)
		}
		if owes > owed {
			continue
		}
		for _, out := range sol.Unscheduled {
			if j, _ := in.JobIndex(out.Job); duties[j] == MustPlace {
				t.Fatalf("job %s counts as one that has to be placed, a schedule that owes %d leaves it out: %+v", out.Job, owes, sol)
			}
		}
		for _, p := range sol.Jobs {
			if j, _ := in.JobIndex(p.Job); duties[j] == MustLeave {
				t.Fatalf("job %s counts as one that no schedule can place: %+v", p.Job, sol)
			}
		}
		for metric, value := range all.reports[k].Metrics {
			if value.ByCluster != nil {
				continue
			}
			if least, known := found.least[metric]; !known || value.Total < least {
				found.least[metric] = value.Total
			}
			if most, known := found.most[metric]; !known || value.Total > most {
				found.most[metric] = value.Total
			}
		}
	}
	return found
}

// On tiny instances with everything that jobs ask of machines no bound of any metric is above the least of all schedules, nor is what a metric is said to
// lack more than it lacks in the best; every certificate is verified; and no schedule owes fewer jobs, or leaves out one that it has to place.
func TestNoBoundOfNodesIsAboveTheBestSchedule(t *testing.T) {
	race.OneGoroutine(t)
	seeds, from := uint64(race.Fewer(150, 15)), uint64(0)
	if n, err := strconv.Atoi(os.Getenv("TINY_NODES")); err == nil { // for a longer search
		seeds = uint64(n)
	}
	ctx, tight, tried := t.Context(), map[string]int{}, map[string]int{}
	features, run := map[string]int{}, 0
	for seed := from; seed < from+seeds; seed++ {
		rng := rand.New(rand.NewPCG(seed, 3535))
		plain := modeltest.TinyNodes(rng)
		all, ok := nodeSchedules(plain, seed%4 == 0)
		if !ok {
			continue
		}
		run++
		for k := range 32 {
			if f := model.Features(1) << k; plain.Features().Has(f) {
				features[f.String()]++
			}
		}
		for _, m := range model.MetricTable() {
			if m.PerCluster {
				continue
			}
			in, err := plain.WithObjective(map[string]float64{m.Name: 1})
			if err != nil {
				continue
			}
			first := New(ctx, in)
			found := all.owing(t, in, first.Owed(), first.Duties())
			least, measured := found.least[m.Name]
			if !measured {
				tried["no schedule owes so few"]++
				continue
			}
			for _, sign := range []float64{1, -1} {
				best, stated := least, sign
				if sign < 0 {
					best = -found.most[m.Name]
				}
				if m.HighBetter {
					stated = -sign
				}
				in, err := plain.WithObjective(map[string]float64{m.Name: stated})
				if err != nil {
					t.Fatal(err)
				}
				p := NewCertified(ctx, in)
				p.Improve(ctx, 1_000_000)
				value, known := p.Bound().Value()
				if _, limited := plain.Most(m.Name); known != (sign > 0 || limited) {
					t.Fatalf("seed %d: %s %v: bound %v", seed, m.Name, sign, p.Bound())
				}
				if !known {
					continue
				}
				if allowed := 1e-9 * (math.Abs(best) + 1e-3*math.Abs(least)); value > best+allowed {
					t.Errorf("seed %d: %v · %s ≥ %v is stated, a schedule has %v: %v", seed, sign, m.Name, value, best, p.Parts())
				}
				c := p.Certificate()
				if r := proof.Check(ctx, in, c); r.Verdict == proof.Refuted || r.Verdict != proof.Verified && c.NotCertified == "" {
					t.Errorf("seed %d: %v · %s ≥ %v: %v", seed, sign, m.Name, value, r)
				}
				parts := p.Parts()
				for k, c := range p.Certificates() {
					shown := "no certificate"
					if len(c.Choices) > 0 || c.Parts[0].By != nil || c.Parts[0].Bound <= 0 {
						r := proof.Check(ctx, in, c)
						if shown = string(r.Verdict); r.Verdict != proof.Verified {
							t.Errorf("seed %d: %s by %s: %v", seed, m.Name, parts[k].Method, r)
						}
					}
					key := fmt.Sprintf("%v · %s by %s: %s", sign, m.Name, parts[k].Method, shown)
					if value, _ := c.Bound.Value(); best != 0 && value > 0 || sign < 0 && parts[k].Value > 0 {
						if tried[key]++; value >= best-1e-9*math.Abs(best) {
							tight[key]++
						}
					}
				}
			}
		}
	}
	t.Logf("%d instances: %v", run, features)
	for key, n := range tried {
		t.Logf("%s: tight %d of %d", key, tight[key], n)
	}
	if run < int(seeds)*2/3 {
		t.Errorf("only %d of %d instances were enumerated", run, seeds)
	}
}
