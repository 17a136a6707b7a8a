package proof_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// byLists is a certificate of a sum of metrics by list schedules.
func byLists(in *model.Instance, bound float64, weights map[string]float64) *proof.Certificate {
	return (&naive{in: in}).listClaim(weights, bound, false)
}

// Of tenths on a clock of 1970 list schedules prove the optimum in exact numbers, and nothing above it, also for weights that differ by nine digits.
func TestListSchedulesOfTenths(t *testing.T) {
	const jobs = 4
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 12))
		clock := []float64{0, 1.7e9, 1e-9}[seed%3]
		weights := map[string]float64{"over_deadline": []float64{1, 0.1, 1e9}[rng.IntN(3)], "mean_wait": []float64{1, 0.3, 1e9}[rng.IntN(3)]}
		b := model.NewBuilder("tenths").Cluster(cluster("c", 1, 1))
		var work, due [jobs]float64
		for j := range jobs {
			work[j], due[j] = float64(1+rng.IntN(9))/10, clock+float64(1+rng.IntN(15))/10
			b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Arrival: clock, Work: &work[j], Deadline: &due[j]})
		}
		in := built(t, b)
		exact := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
		var best *big.Rat
		var extend func(done uint, now, cost *big.Rat)
		extend = func(done uint, now, cost *big.Rat) {
			if done == 1<<jobs-1 && (best == nil || cost.Cmp(best) < 0) {
				best = cost
			}
			for j := range jobs {
				if done>>j&1 == 1 {
					continue
				}
				wait := new(big.Rat).Mul(exact(weights["mean_wait"]), new(big.Rat).Sub(now, exact(clock)))
				end := new(big.Rat).Add(now, exact(work[j]))
				sum := new(big.Rat).Add(cost, wait.Quo(wait, big.NewRat(jobs, 1)))
				if late := new(big.Rat).Sub(end, exact(due[j])); late.Sign() > 0 {
					sum.Add(sum, late.Mul(late, exact(weights["over_deadline"])))
				}
				extend(done|1<<j, end, sum)
			}
		}
		extend(0, exact(clock), new(big.Rat))
		value, _ := best.Float64()
		lost := proof.ListRounding(t.Context(), in, weights, value)
		if lost > 1e-14*(1+weights["over_deadline"]+weights["mean_wait"])*(1+2*clock*1e-9) {
			t.Errorf("seed %d: rounding may take %v of %v", seed, lost, value)
		}
		if r := verdict(t.Context(), in, byLists(in, math.Nextafter(value, 0)-lost, weights)); r.Verdict != proof.Verified {
			t.Errorf("seed %d, %v ≥ %v: %v", seed, weights, value, r)
		}
		above := math.Nextafter(value, math.Inf(1))
		if r := verdict(t.Context(), in, byLists(in, math.Nextafter(above, math.Inf(1)), weights)); r.Verdict != proof.Refuted {
			t.Errorf("seed %d, %v ≥ more than %v: %v", seed, weights, value, r)
		}
	}
}

// A job is late only beyond what the model tolerates.
func TestListSchedulesAllowForLateness(t *testing.T) {
	for _, c := range []struct {
		clock, due float64 // of a chain of three jobs of length 1 on one processor
		want       proof.Verdict
	}{
		{0, 3, proof.Refuted}, {0, 3 - 1e-11, proof.Refuted}, {0, 3 - 5.9e-9, proof.Refuted}, {0, 3 - 1.2e-8, proof.Verified},
		{0, 2.9, proof.Verified}, {1.7e9, 3 - 1e-6, proof.Refuted}, {1.7e9, 3 - 1e-5, proof.Verified},
	} {
		b := model.NewBuilder("late").Cluster(cluster("c", 1, 1))
		for k := range 3 {
			j := job(fmt.Sprint("j", k), 1, 1)
			j.Arrival, j.Deadline = c.clock, new(c.clock+c.due)
			b.Job(j)
		}
		in := built(t, b)
		if r := verdict(t.Context(), in, byLists(in, 1, map[string]float64{"missed": 1})); r.Verdict != c.want {
			t.Errorf("clock %v, deadline %v: %v", c.clock, c.due, r)
		}
	}
}

// What is not covered is said; what is wrong is refuted.
func TestListSchedulesRefuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*model.InstanceSpec)
		metric string
		want   proof.Verdict
	}{
		{"", func(*model.InstanceSpec) {}, "makespan", proof.Verified},
		{"another metric", func(*model.InstanceSpec) {}, "balance", proof.Refuted},
		{"jobs", func(s *model.InstanceSpec) {
			for k := range 16 {
				s.Jobs = append(s.Jobs, job(fmt.Sprint("k", k), 1, 1))
			}
		}, "makespan", proof.NotCertified},
		{"clusters", func(s *model.InstanceSpec) {
			for k := range 14 {
				s.Jobs = append(s.Jobs, job(fmt.Sprint("k", k), 1, 1))
			}
			for k := range 20 {
				s.Clusters = append(s.Clusters, cluster(fmt.Sprint("x", k), 1, 1))
			}
		}, "makespan", proof.NotCertified},
		{"hard deadline", func(s *model.InstanceSpec) { s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(90.0), true }, "makespan", proof.Verified},
		{"hard deadline", func(s *model.InstanceSpec) { s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = new(90.0), true }, "missed", proof.NotCertified},
		{"moldable", func(s *model.InstanceSpec) { s.Jobs[0].Processors = model.Moldable(1, 2) }, "makespan", proof.NotCertified},
		{"never placed", func(s *model.InstanceSpec) { s.Jobs[1].Processors = model.Rigid(9) }, "makespan", proof.Verified},
		{"no time", func(s *model.InstanceSpec) { s.Jobs[1].Work = new(0.0) }, "mean_slowdown", proof.NotCertified},
		{"slowdown", func(*model.InstanceSpec) {}, "mean_slowdown", proof.Verified},
		{"background", func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
		}, "mean_slowdown", proof.NotCertified},
		{"background", func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
		}, "idle_time", proof.NotCertified},
		{"background", func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
		}, "makespan", proof.Verified},
		{"background", func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
			s.Weights = &model.WeightsSpec{IdleTime: new(1.0), Makespan: new(1.0), OverDeadline: new(1.0)}
		}, "mcp", proof.NotCertified},
		{"background", func(s *model.InstanceSpec) {
			s.Clusters[0].Machines[0].Background = &model.Background{Load: 0.1, Mean: 1}
			s.Weights = &model.WeightsSpec{IdleTime: new(0.0), Makespan: new(1.0), OverDeadline: new(0.0)}
		}, "mcp", proof.Verified},
	} {
		b := model.NewBuilder("refused").Cluster(cluster("c", 2, 1))
		b.Job(job("a", 1, 2), job("b", 2, 3))
		c.change(b.Spec())
		in := built(t, b)
		stated := byLists(in, 1, map[string]float64{c.metric: 1})
		if c.name == "never placed" {
			stated.Owed = 1
		}
		if r := verdict(t.Context(), in, stated); r.Verdict != c.want {
			t.Errorf("%s, %s: %v", c.name, c.metric, r)
		}
		lost := proof.ListRounding(t.Context(), withObjective(in, stated), map[string]float64{c.metric: 1}, 100)
		if covered := !math.IsInf(lost, 1); covered != (c.want == proof.Verified) || covered && c.metric == "makespan" && lost != 0 {
			t.Errorf("%s, %s: rounding %v", c.name, c.metric, lost)
		}
	}
	b := model.NewBuilder("sums").Cluster(cluster("c", 2, 1))
	b.Job(job("a", 1, 2), job("b", 2, 3))
	in := built(t, b)
	weights := map[string]float64{"makespan": 1, "mean_wait": 2}
	for _, c := range []struct {
		name   string
		change func(*proof.Part)
		want   proof.Verdict
	}{
		{"", func(*proof.Part) {}, proof.Verified},
		{"another weight", func(p *proof.Part) { p.Sum = map[string]float64{"makespan": 2, "mean_wait": 2} }, proof.Refuted},
		{"a metric more", func(p *proof.Part) { p.Sum = map[string]float64{"makespan": 1, "mean_wait": 2, "missed": 1} }, proof.Refuted},
		{"without its metric", func(p *proof.Part) { p.Sum = map[string]float64{"mean_wait": 2} }, proof.Refuted},
		{"with a step", func(p *proof.Part) { p.Step = 1 }, proof.Refuted},
		{"what lacks", func(p *proof.Part) { p.Lacks = true }, proof.Refuted},
		{"by another kind", func(p *proof.Part) { p.By = &proof.Argument{EachAlone: &proof.EachAlone{}} }, proof.Refuted},
		{"by two kinds", func(p *proof.Part) { p.By.EachAlone = &proof.EachAlone{} }, proof.Refuted},
		{"too much", func(p *proof.Part) { p.Bound = 7.1 }, proof.Refuted},
	} {
		x := byLists(in, 7, weights) // a and b one after the other: 5 + 2 · 2/2
		c.change(&x.Parts[0])
		if r := verdict(t.Context(), in, x); r.Verdict != c.want {
			t.Errorf("%s: %v", c.name, r)
		}
	}
}
