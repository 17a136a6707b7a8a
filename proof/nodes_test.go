package proof_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// nodeClaims are certificates of tiny instances with nodes by prices of machines, and what every schedule costs at least.
func nodeClaims(t *testing.T, instances int) (list []claimed) {
	rng := rand.New(rand.NewPCG(35, 23))
	for range instances {
		plain := modeltest.TinyNodes(rng)
		least := map[string]float64{}
		e := &modeltest.Enumeration{In: plain, Most: 20_000}
		complete := e.Each(func(report model.Report, _ *model.Solution) {
			for metric, value := range report.Metrics {
				x := value.Total
				if m, _ := model.MetricNamed(metric); m.HighBetter {
					x = -x
				}
				if old, known := least[metric]; !known || x < old {
					least[metric] = x
				}
			}
		})
		if !complete || len(least) == 0 {
			continue
		}
		for _, metric := range []string{"makespan", "mean_response", "over_deadline", "missed", "miss_rate", "unfinished", "finished", "work_done", "data_moved"} {
			in, err := plain.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := bound.NewCertified(t.Context(), in)
			p.Improve(t.Context(), 300_000)
			for _, c := range p.Certificates() {
				if by := c.Parts[0].By; by != nil && by.MachinePrices != nil {
					if r := proof.Check(t.Context(), in, c); r.Verdict != proof.Verified {
						t.Errorf("%s: %v", metric, r)
					}
					list = append(list, claimed{in, c.Bytes(), least})
				}
			}
		}
	}
	return list
}

// Certificates by prices of machines are changed in every way: none is verified that states more than is true.
func TestNoMutatedCertificateOfNodesIsAccepted(t *testing.T) {
	list := nodeClaims(t, race.Fewer(120, 20))
	rng := rand.New(rand.NewPCG(2, 35))
	counts, metrics := map[proof.Verdict]int{}, map[string]int{}
	for range race.Fewer(8_000, 600) {
		c := &list[rng.IntN(len(list))]
		text, kind := mutated(t, rng, c)
		read, err := proof.Read(bytes.NewReader(text), "mutated")
		if err != nil {
			continue
		}
		r := verdict(t.Context(), c.in, read)
		counts[r.Verdict]++
		for metric := range read.Objective {
			metrics[metric]++
		}
		value, _ := read.Bound.Value()
		for metric, weight := range read.Objective {
			if truth := weight * c.least[metric]; r.Verdict == proof.Verified && len(read.Objective) == 1 && weight > 0 && value > truth+1e-9*math.Abs(truth) {
				t.Fatalf("%s: verified, and false: least %v\n%s", kind, truth, text)
			}
		}
	}
	t.Log(counts, metrics)
	if counts[proof.Verified] < race.Fewer(200, 10) || counts[proof.Refuted] < race.Fewer(2_000, 100) {
		t.Errorf("%v: the test says little", counts)
	}
}
