package proof_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
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
		best := map[string]model.Rank{}
		e := &modeltest.Enumeration{In: plain, Most: 20_000}
		metrics := []string{"makespan", "mean_response", "over_deadline", "missed", "miss_rate", "unfinished", "finished", "work_done", "data_moved"}
		complete := e.Each(func(report model.Report, sol *model.Solution) {
			for _, metric := range metrics {
				in, err := plain.WithObjective(map[string]float64{metric: 1})
				if err != nil {
					t.Fatal(err)
				}
				value, _ := report.Metrics.Get(metric)
				x := in.RankOf(sol, value)
				if m, _ := model.MetricNamed(metric); m.HighBetter {
					x.Objective = -x.Objective
				}
				if old, known := best[metric]; !known || x.Less(old) {
					best[metric] = x
				}
			}
		})
		if !complete || len(best) == 0 {
			continue
		}
		least := map[string]float64{}
		for _, metric := range metrics {
			in, err := plain.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := bound.NewCertified(t.Context(), in)
			p.Improve(t.Context(), 300_000)
			if p.Owed() != best[metric].Left {
				continue // no schedule owes so few jobs, as far as is known
			}
			least[metric] = best[metric].Objective
			for _, c := range p.Certificates() {
				if len(c.Parts) == 0 { // choices
					continue
				}
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

// nodeCase is an instance of one job on a machine of four processors and two GPUs, which is closed at times.
func nodeCase(t *testing.T, closed, job, objective string) *model.Instance {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "devices": ["gpu"], "objective": `+objective+`,
		"clusters": [{"id": "c", "machines": [{"id": "m", "processors": 4, "resources": {"gpu": 2}, "closed": [`+closed+`]}]}], "jobs": [`+job+`]}`), "in.json")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A certificate is of schedules that owe as many jobs as it says. A job that closed machines leave time for is no job that has to be owed, however late all are closed.
func TestJobsOwedWithinClosedTimes(t *testing.T) {
	for _, c := range []struct {
		closed string
		owed   int
		bound  float64
		want   proof.Verdict
	}{
		{`{"from": 90}`, 0, 7, proof.Verified}, {`{"from": 90}`, 0, 8, proof.Refuted}, {`{"from": 90}`, 1, 0, proof.Refuted},
		{`{"from": 90, "to": 91}`, 0, 7, proof.Verified}, {`{"from": 6}`, 1, 0, proof.Verified}, {`{"from": 6}`, 2, 0, proof.Refuted}, {`{"from": 6}`, 1, 7, proof.Refuted},
	} {
		in := nodeCase(t, c.closed, `{"id": "j", "work": 7}`, `{"makespan": 1}`)
		stated := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: map[string]float64{"makespan": 1}, Bound: model.ProvedBound(c.bound), Owed: c.owed,
			Parts: []proof.Part{{Metric: "makespan", Bound: c.bound, By: &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}}}}
		if r := proof.Check(t.Context(), in, stated); r.Verdict != c.want {
			t.Errorf("%+v: %v", c, r)
		}
	}
}

// Of three jobs with a GPU each and no time to wait one does not finish: what a metric lacks counts where it is maximised, and nowhere else.
func TestWhatAMetricLacksCountsWhereItIsMaximised(t *testing.T) {
	job := func(id string) string {
		return `{"id": "` + id + `", "work": 10, "resources": {"gpu": 1}, "deadline": 15, "deadline_hard": true}`
	}
	jobs := job("a") + "," + job("b") + "," + job("c")
	prices := &proof.MachinePrices{Groups: [][]proof.GroupPrices{{{Resources: []float64{0.25}}}}, From: 6, To: 9}
	for _, c := range []struct {
		objective string
		weight    float64
		lacks     bool
		part      float64
		bound     float64
		want      proof.Verdict
	}{
		{`{"finished": 1}`, 1, true, 1, -2, proof.Verified},
		{`{"finished": 1}`, 1, true, 1, -1.9, proof.Refuted},
		{`{"finished": 1}`, 1, true, 2, -1, proof.Refuted},
		{`{"finished": 1}`, 1, false, 1, -2, proof.Refuted},
		{`{"finished": -1}`, -1, true, 1, 1, proof.Refuted},
		{`{"finished": -1}`, -1, true, 1, 0, proof.Verified},
	} {
		in := nodeCase(t, "", jobs, c.objective)
		certificate := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: map[string]float64{"finished": c.weight}, Bound: model.ProvedBound(c.bound),
			Parts: []proof.Part{{Metric: "finished", Bound: c.part, Lacks: c.lacks, By: &proof.Argument{MachinePrices: prices}}}}
		if r := proof.Check(t.Context(), in, certificate); r.Verdict != c.want {
			t.Errorf("%s: lacks %v, %v and %v: %v, want %v", c.objective, c.lacks, c.part, c.bound, r, c.want)
		}
	}
}

// Certificates by prices of machines are changed in every way: none is verified that states more than is true.
func TestNoMutatedCertificateOfNodesIsAccepted(t *testing.T) {
	race.OneGoroutine(t)
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
