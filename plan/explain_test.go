package plan

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// drawSchedule draws a list schedule of the instance, its jobs in any order and on any cluster.
func drawSchedule(t *rapid.T, in *model.Instance) *model.Solution {
	s := NewChosenSchedule(in)
	for _, j := range Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")) {
		c := rapid.IntRange(0, len(in.Clusters())-1).Draw(t, "cluster")
		if slot, ok := s.Earliest(j, c); ok && !chance(t, 8, "left out") {
			s.Place(j, slot)
		} else {
			s.Leave(j, "drawn")
		}
	}
	return s.Solution()
}

// with is the solution with the job on the processors from the start instead of where it is.
func with(in *model.Instance, sol *model.Solution, job, cluster int, set model.ProcessorSet, start float64) *model.Solution {
	id := in.Jobs()[job].ID
	changed := &model.Solution{Unscheduled: slices.DeleteFunc(slices.Clone(sol.Unscheduled), func(u model.Unscheduled) bool { return u.Job == id })}
	changed.Jobs = slices.DeleteFunc(slices.Clone(sol.Jobs), func(p model.Placement) bool { return p.Job == id })
	changed.Jobs = append(changed.Jobs, model.Placement{Job: id, Cluster: in.Clusters()[cluster].ID, Processors: set, Start: start,
		End: model.End(start, in.Duration(job, cluster, set))})
	return changed
}

// right says whether the checker accepts the schedule, but for what the jobs behind the explained one and its hard deadline say.
func right(in *model.Instance, sol *model.Solution, job int) bool {
	for _, v := range model.Check(in, sol).Violations {
		late := v.Code == "hard-deadline" && v.Job == in.Jobs()[job].ID
		behind := v.Code == "precedence" && slices.ContainsFunc(in.Successors(job), func(next int) bool { return in.Jobs()[next].ID == v.Job })
		if !late && !behind {
			return false
		}
	}
	return true
}

// behind says whether a job that waits for the explained one would start before that ends.
func behind(in *model.Instance, sol *model.Solution, job int) bool {
	return slices.ContainsFunc(model.Check(in, sol).Violations, func(v model.Violation) bool { return v.Code == "precedence" && v.Job != in.Jobs()[job].ID })
}

// What Explain offers is right, and for jobs of one processor no processor has an earlier end at any time at which something
// ends.
func TestExplainOffersTheEarliestEnd(t *testing.T) {
	offered, holes, others := 0, 0, 0
	often.Check(t, 40, func(t *rapid.T) {
		in := drawGeneral(t, 8)
		sol := drawSchedule(t, in)
		job := rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "job")
		if waitsForMissing(in, sol, job) || in.FirstArrival() >= 1e12 { // there rounding, which the checker allows for, is longer than jobs

			return
		}
		for c, a := range Explain(in, sol, job).Alternatives {
			if (a.End == nil) != !in.CanRun(job, c) && a.End != nil {
				t.Fatalf("%s can run %s: %v, and the explanation %+v", a.Cluster, in.Jobs()[job].ID, in.CanRun(job, c), a)
			}
			if a.End != nil {
				offered++
				changed := with(in, sol, job, c, a.Processors, *a.Start)
				if !right(in, changed, job) || *a.End != changed.Jobs[len(changed.Jobs)-1].End {
					t.Fatalf("offers %+v: %v", a, model.Check(in, changed).Violations)
				}
				if said := strings.HasPrefix(a.Why, "after job "); said != behind(in, changed, job) && a.Why != "after its hard deadline" {
					t.Fatalf("offers %+v: %v", a, model.Check(in, changed).Violations)
				} else if said {
					others++
				}
				if *a.Start < lastEnd(sol) {
					holes++
				}
			}
			if least, _ := in.Width(job, c); least > 1 || !in.CanRun(job, c) {
				continue
			}
			if a.End != nil && *a.End > *a.Start && *a.End-*a.Start <= allowed(*a.End) {
				continue // the checker lets a job of less time than rounding run amid others
			}
			if best := bestByHand(in, sol, job, c); a.End == nil && !math.IsInf(best, 1) || a.End != nil && *a.End > best+allowed(best) {
				t.Fatalf("%s of %s: offers %v, there is an end at %v; %+v", in.Jobs()[job].ID, a.Cluster, endOrInf(a), best, sol.Jobs)
			}
		}
	})
	if offered < 500 || holes < 200 || others < 5 {
		t.Errorf("%d offers, %d of them not behind everything, %d behind a job that waits: the instances prove little", offered, holes, others)
	}
}

// allowed is by how much the checker lets jobs overlap at a time, for rounding: by as much the end by hand may be earlier. No
// test's jobs take longer than 1,000.
func allowed(t float64) float64 {
	return 2 * (4*(math.Nextafter(t, math.Inf(1))-t) + 1000*model.Tolerance)
}

// lastEnd is the end of the schedule.
func lastEnd(sol *model.Solution) float64 {
	end := math.Inf(-1)
	for _, p := range sol.Jobs {
		end = max(end, p.End)
	}
	return end
}

// waitsForMissing says whether the job waits for one that is not placed.
func waitsForMissing(in *model.Instance, sol *model.Solution, job int) bool {
	return slices.ContainsFunc(in.Jobs()[job].After, func(before int) bool {
		return !slices.ContainsFunc(sol.Jobs, func(p model.Placement) bool { return p.Job == in.Jobs()[before].ID })
	})
}

// bestByHand is the least end on one processor of the cluster that can hold the job and that the checker accepts, which lets a job of
// no time run where there is not memory enough, over all processors and all times at which the job arrives or another ends.
func bestByHand(in *model.Instance, sol *model.Solution, job, cluster int) float64 {
	times := []float64{in.Jobs()[job].Arrival}
	for _, p := range sol.Jobs {
		times = append(times, p.End)
	}
	best := math.Inf(1)
	c := &in.Clusters()[cluster]
	for p := range c.Processors {
		if in.ProcessorsFor(&in.Jobs()[job], &c.Machines[c.GroupOf(p)]) == 0 {
			continue
		}
		set := model.Processors(p)
		for _, start := range times {
			if start+in.Duration(job, cluster, set) < best && right(in, with(in, sol, job, cluster, set, start), job) {
				best = start + in.Duration(job, cluster, set)
			}
		}
	}
	return best
}

// j1 waits for j0 on the one processor of a although b is free, and could end sooner there; j2 waits for its predecessor; j3
// fits nowhere.
func TestExplainByHand(t *testing.T) {
	b := model.NewBuilder("by hand")
	b.Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m"}}}, model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m", Speed: 0.5}}})
	b.Job(model.JobSpec{ID: "j0", Work: new(4.0)}, model.JobSpec{ID: "j1", Work: new(1.0), Arrival: 1, Deadline: new(4.5)},
		model.JobSpec{ID: "j2", Work: new(1.0), After: []string{"j1"}}, model.JobSpec{ID: "j3", Work: new(1.0), Processors: model.Rigid(2)})
	in := build(t, b)
	s := NewChosenSchedule(in)
	for _, j := range []int{0, 1} {
		slot, _ := s.Earliest(j, 0)
		s.Place(j, slot)
	}
	slot, _ := s.Earliest(2, 1)
	s.Place(2, slot)
	s.LeaveUnplaceable(3)
	sol := s.Solution()
	e := Explain(in, sol, 1)
	if !slices.Equal(e.Waits, []Wait{{"processors", "j0", 4}}) || *e.Free != 4 {
		t.Errorf("waits %+v, free from %v", e.Waits, *e.Free)
	}
	if a := e.Alternatives[0]; *a.Start != 4 || *a.End != 5 || a.Why != "after its deadline" {
		t.Errorf("on a: %+v", a)
	}
	if a := e.Alternatives[1]; *a.Start != 1 || *a.End != 3 || a.Why != "" {
		t.Errorf("on b: %+v", a)
	}
	if e := Explain(in, sol, 2); !slices.Equal(e.Waits, []Wait{{"precedence", "j1", 5}}) {
		t.Errorf("waits %+v", e.Waits)
	}
	if e := Explain(in, sol, 3); e.Placement != nil || e.Reason == "" || e.Alternatives[0].Why != "needs 2 processors, a has 1" {
		t.Errorf("left out: %+v", e)
	}
}

// A job that takes no time holds nothing, so it could run amid others at its arrival on the machine without a link to wait for, not
// on the one where its files take 1/2; so the checker says as well.
func TestExplainJobOfNoTime(t *testing.T) {
	b := model.NewBuilder("no time")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "fast"}, {ID: "far", Bandwidth: 2}}})
	b.Job(model.JobSpec{ID: "j0", Arrival: 1, Work: new(0.0), Output: 1}, model.JobSpec{ID: "j1", Work: new(2.0)})
	in := build(t, b)
	sol := &model.Solution{Jobs: []model.Placement{{Job: "j0", Cluster: "c", Processors: model.Processors(0), Start: 2, End: 2},
		{Job: "j1", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 2}}}
	a := Explain(in, sol, 0).Alternatives[0]
	if *a.Start != 1 || *a.End != 1 || a.Processors.String() != "0" || !right(in, with(in, sol, 0, 0, a.Processors, 1), 0) {
		t.Errorf("from %v to %v on %s", *a.Start, *a.End, a.Processors)
	}
}

// A moldable job on 4 processors could go to a cluster of 2: on both.
func TestExplainMoldableJob(t *testing.T) {
	b := model.NewBuilder("moldable")
	b.Cluster(model.ClusterSpec{ID: "wide", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}, model.ClusterSpec{ID: "narrow", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	b.Job(model.JobSpec{ID: "j", Tasks: 4, Processors: model.Moldable(1, 4), Work: new(3.0)})
	in := build(t, b)
	sol := &model.Solution{Jobs: []model.Placement{{Job: "j", Cluster: "wide", Processors: model.NewProcessorSet(model.Range{First: 0, Last: 3}), Start: 0, End: 3}}}
	if a := Explain(in, sol, 0).Alternatives[1]; a.End == nil || *a.End != 6 || a.Processors.Len() != 2 {
		t.Errorf("on 2 processors: %+v", a)
	}
}

// endOrInf is the end of an alternative; +Inf: it has none.
func endOrInf(a Alternative) float64 {
	if a.End == nil {
		return math.Inf(1)
	}
	return *a.End
}

// At a clock of today a job may take less than the clock tells apart; it ends at the next time all the same, and so the checker says.
func TestExplainTinyJobsAtLateClocks(t *testing.T) {
	b := model.NewBuilder("tiny")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m", Memory: new(2.0)}}})
	b.Job(model.JobSpec{ID: "j0", Arrival: 1.7e9, Work: new(1e-9)}, model.JobSpec{ID: "j1", Arrival: 1.7e9, Work: new(2.0)}, model.JobSpec{ID: "j2", Arrival: 1.7e9, Work: new(1e-9), Memory: 1})
	in := build(t, b)
	sol := &model.Solution{Jobs: []model.Placement{{Job: "j1", Cluster: "c", Processors: model.Processors(0), Start: 1.7e9, End: 1.7e9 + 2}},
		Unscheduled: []model.Unscheduled{{Job: "j0", Reason: "drawn"}, {Job: "j2", Reason: "drawn"}}}
	for _, job := range []int{0, 2} {
		for c, a := range Explain(in, sol, job).Alternatives {
			if a.Start == nil || *a.End <= *a.Start || a.Processors != nil && !right(in, with(in, sol, job, c, a.Processors, *a.Start), job) {
				if a.Why == "" {
					t.Errorf("job %d on cluster %d: %+v", job, c, a)
				}
			}
		}
	}
}
