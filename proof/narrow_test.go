package proof_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Duties run backward: a job for which one waits that is owed has to be placed, also where the objective prices it. One behind it that is priced too need not be.
func TestDutiesRunBackward(t *testing.T) {
	hard := func(j model.JobSpec) model.JobSpec {
		j.Deadline, j.DeadlineHard = new(99.0), true
		return j
	}
	b := model.NewBuilder("waits").Cluster(cluster("c", 1, 1))
	b.Job(hard(job("first", 1, 3)), hard(job("before", 1, 3, "first")), job("owed", 1, 3, "before"), hard(job("behind", 1, 3, "owed")), hard(job("alone", 1, 3)))
	in := built(t, b)
	for jobs, want := range []proof.Verdict{proof.Verified, proof.Verified, proof.Verified, proof.Refuted, proof.Refuted} {
		for _, change := range []func(*proof.Certificate){nil, priced} {
			c := claim(in, "makespan", 3, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{jobs}}})
			expected := proof.Verified
			if change != nil {
				change(c)
				expected = want
			}
			if r := verdict(t.Context(), in, c); r.Verdict != expected {
				t.Errorf("job %d alone, %v: %v", jobs, c.Objective, r)
			}
		}
	}
}

// Copies of a licence in the pool of the grid and in one of a cluster add up.
func TestCopiesOfAllPoolsAddUp(t *testing.T) {
	own := cluster("own", 4, 1)
	own.Licences = map[string]int{"l": 1}
	b := model.NewBuilder("pools").Cluster(own, cluster("other", 4, 1))
	b.Spec().Licences = map[string]int{"l": 2}
	for _, id := range []string{"x", "y", "z"} {
		j := job(id, 1, 3)
		j.Licences = map[string]int{"l": 1}
		b.Job(j)
	}
	expect(t, built(t, b), "makespan", 3, 0, proof.Argument{Area: &proof.Area{Licence: "l"}})
}

// A job counts with its least area on any cluster where it can run.
func TestAreaLevelsTakeTheLeastArea(t *testing.T) {
	b := model.NewBuilder("unrelated").Cluster(cluster("a", 1, 1), cluster("b", 1, 1)).Minimise("mcp", 1)
	b.Job(model.JobSpec{ID: "x", Runtime: map[string]float64{"a": 1, "b": 10}})
	expect(t, built(t, b), "mcp", 1.0/3, 0, proof.Argument{AreaLevels: &proof.AreaLevels{}}) // the makespan weighs a third
}

// A right schedule that costs less than a bound refutes it, whether or not anything proves the bound.
func TestScheduleRefutesABoundWithoutACertificate(t *testing.T) {
	in := built(t, model.NewBuilder("one").Cluster(cluster("c", 1, 1)).Job(job("x", 1, 1)))
	plan := &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{{Job: "x", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 1}}}
	for bound, want := range map[float64]proof.Verdict{1: proof.NotCertified, 2: proof.Refuted} {
		if out := outcome(t.Context(), in, claim(in, "makespan", bound, 0, nil), plan); out.Verdict != want || out.Optimal {
			t.Errorf("a bound of %v: %+v", bound, out)
		}
	}
}

// A bound on the mean over the jobs that have to be placed is no bound on the mean over all jobs: with the short job, which may be left out, the mean is
// 5.5. It is not rounded up.
func TestTheMeanWhereAJobMayBeLeftOut(t *testing.T) {
	may := job("may", 1, 1)
	may.Deadline, may.DeadlineHard = new(9.0), true
	in := built(t, model.NewBuilder("mean").Cluster(cluster("c", 2, 1)).Job(job("must", 1, 10), may))
	for _, c := range []struct {
		metric      string
		bound, step float64
		want        proof.Verdict
	}{
		{"mean_response", 5.5, 0, proof.Verified}, {"mean_response", 5.5 + 1e-9, 0, proof.Refuted}, {"mean_wait", 1e-9, 0, proof.Refuted},
		{"mean_response", 5.5, 1, proof.NotCertified}, {"mean_wait", 1e-3, 1, proof.NotCertified},
	} {
		stated := claim(in, c.metric, c.bound, c.step, &proof.Argument{EachAlone: &proof.EachAlone{}})
		priced(stated)
		if r := verdict(t.Context(), in, stated); r.Verdict != c.want {
			t.Errorf("%s ≥ %v, step %v: %v, expected %s", c.metric, c.bound, c.step, r, c.want)
		}
	}
}

// A job counts as late only where no accepted schedule meets its deadline: a stated end may be a little early.
func TestNoJobIsLateWithinTheTolerance(t *testing.T) {
	verified := 0
	for _, arrival := range []float64{0, 100, 1e6} {
		for _, by := range []float64{1e-12, 1e-10, 5e-10, 1e-9, 1.5e-9, 3e-9, 1e-8, 1e-6, 1e-3} {
			late := job("late", 1, 10)
			late.Arrival, late.Deadline = arrival, new(arrival+10*(1-by))
			in := built(t, model.NewBuilder("late").Minimise("missed", 1).Cluster(cluster("c", 1, 1)).Job(late))
			one := verdict(t.Context(), in, claim(in, "missed", 1, 0, &proof.Argument{EachAlone: &proof.EachAlone{}}))
			if one.Verdict != proof.Verified {
				continue
			}
			verified++
			for _, short := range []float64{0, 1e-12, 1e-10, 5e-10, 9e-10, 1e-9} {
				run := model.Placement{Job: "late", Cluster: "c", Processors: model.Processors(0), Start: arrival, End: arrival + 10*(1-short)}
				if found := model.Check(in, &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{run}}); found.OK() && found.Objective < 1 {
					t.Errorf("arrival %v: missed ≥ 1 is verified of a deadline that is missed by %v of the time, and a schedule meets it", arrival, by)
				}
			}
		}
	}
	if verified < 6 {
		t.Errorf("%d verified: the test says little", verified)
	}
}

// A metric that is better when high counts with its largest value. Jobs that may be left out add to that value too.
func TestAGainCountsJobsThatMayBeLeftOut(t *testing.T) {
	may := job("may", 1, 1)
	may.Deadline, may.DeadlineHard = new(9.0), true
	may.Input, may.Output = 3, 4
	in := built(t, model.NewBuilder("gain").Cluster(cluster("c", 2, 1)).Job(job("must", 1, 10), may))
	for metric, most := range map[string]float64{"finished": 2, "data_moved": 7, "work_done": 11, "utilisation": 100, "processor_usage": 100, "licence_usage": 100} {
		for over, want := range map[float64]proof.Verdict{0: proof.Verified, 1e-6: proof.Refuted} {
			c := claim(in, "makespan", 10, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}})
			c.Objective[metric], c.Bound = 1.0/128, model.ProvedBound(10-most/128+over)
			if r := verdict(t.Context(), in, c); r.Verdict != want {
				t.Errorf("%s, %v above: %v", metric, over, r)
			}
		}
	}
}

// A mean of times that are off the step is raised only where they cannot add up to less.
func TestMeansOfTimesOffTheStepAreNotRaised(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		b := model.NewBuilder("off").Cluster(cluster("c", n, 1))
		for k := range n {
			b.Job(job(string(rune('a'+k)), 1, 3-1e-6))
		}
		in := built(t, b)
		for bound, want := range map[float64]proof.Verdict{3 - 1e-5: proof.Verified, 3: proof.Refuted} {
			if r := verdict(t.Context(), in, claim(in, "mean_response", bound*(1-1e-12), 1, &proof.Argument{EachAlone: &proof.EachAlone{}})); r.Verdict != want {
				t.Errorf("%d jobs of a little less than 3: mean_response ≥ %v: %v", n, bound, r)
			}
		}
	}
}

// A plan that leaves out a job is not optimal where another places it, whatever the jobs are that it waits for.
func TestNotOptimalWithoutAJobThatAnotherScheduleMayPlace(t *testing.T) {
	hard := job("hard", 1, 1)
	hard.Deadline, hard.DeadlineHard = new(9.0), true
	in := built(t, model.NewBuilder("behind").Cluster(cluster("c", 1, 1)).Job(job("must", 1, 2), hard, job("behind", 1, 5, "hard")))
	run := func(id string, start, end float64) model.Placement {
		return model.Placement{Job: id, Cluster: "c", Processors: model.Processors(0), Start: start, End: end}
	}
	sol := &model.Solution{Jobs: []model.Placement{run("hard", 0, 1), run("must", 1, 3)}, Unscheduled: []model.Unscheduled{{Job: "behind", Reason: "none"}}}
	c := claim(in, "mean_wait", 0, 0, nil)
	c.Objective = map[string]float64{"missed": 1}
	c.Parts = nil
	if out := outcome(t.Context(), in, c, sol); out.Optimal || out.Verdict != proof.Verified || out.Wrong {
		t.Errorf("%+v", out)
	}
}

// A child stands behind its node in the list. A position that names no such node is refuted, and nothing panics.
func TestChildrenThatAreNoNodes(t *testing.T) {
	in := built(t, model.NewBuilder("counts").Minimise("mcp", 1).Cluster(cluster("c", 1, 1)).Job(job("a", 1, 1)))
	for _, child := range []int{-1, 0, 3, 1 << 40, -1 << 40} {
		for _, split := range []proof.Split{{What: "jobs", Low: child, High: 2}, {What: "jobs", Low: 1, High: child}} {
			by := proof.Argument{Counts: &proof.Counts{Limits: []float64{0, 1}, Nodes: []proof.Node{{Split: &split}, {Prices: []int{0}}, {Prices: []int{0}}},
				Prices: []proof.JobPrices{{Jobs: []float64{0}, Clusters: []proof.ClusterPrices{{Processor: []float64{0}}}}}}}
			if r := verdict(t.Context(), in, claim(in, "mcp", 0.1, 0, &by)); r.Verdict != proof.Refuted {
				t.Errorf("%+v: %v", split, r)
			}
		}
	}
}

// A certificate of one metric proves nothing of an objective that has another besides.
func TestACertificateOfOneMetricIsNoneOfTwo(t *testing.T) {
	in := built(t, model.NewBuilder("two").Minimise("makespan", 1).Minimise("mean_wait", 1).Cluster(cluster("c", 1, 1)).Job(job("a", 1, 2)))
	c := claim(in, "makespan", 2, 0, &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}})
	if r := proof.Check(t.Context(), in, c); r.Verdict != proof.NotCertified || r.Step != "objective" {
		t.Error(r)
	}
	if r := verdict(t.Context(), in, c); r.Verdict != proof.Verified {
		t.Errorf("of its own objective: %v", r)
	}
}
