package model_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// similarJobs are jobs of few kinds that differ in what rules look at, and in what they do not.
func similarJobs(rng *rand.Rand) model.InstanceSpec {
	pick := func(of ...float64) float64 { return of[rng.IntN(len(of))] }
	s := model.InstanceSpec{UserClasses: map[string]float64{"u": 1, "v": 2}, Licences: map[string]int{"l": 2 + rng.IntN(40), "k": 99}, Objective: map[string]float64{"mean_wait": 1}}
	for c := range 1 + rng.IntN(2) {
		s.Clusters = append(s.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), PowerCap: [][]float64{{0, pick(30, 60, 1e9)}}, Machines: []model.MachineSpec{
			{ID: "a", Processors: 2, Memory: new(pick(8, 100)), Features: []string{"f", "g"}, Power: &model.PowerSpec{Busy: 1}},
			{ID: "b", Processors: 1 + rng.IntN(2), Memory: new(pick(6, 100)), Features: []string{"f", "h"}[rng.IntN(2):1], Power: &model.PowerSpec{Busy: 1}},
		}})
	}
	for k := range 2 + rng.IntN(10) {
		j := model.JobSpec{ID: fmt.Sprint("j", k), Work: new(pick(0, 1, 5)), Processors: model.Rigid(1), Memory: pick(0, 1, 2, 3, 5, 7), Message: pick(0, 0, 1, 2), UserClass: []string{"", "u", "v"}[rng.IntN(3)]}
		if rng.IntN(2) == 0 {
			j.Features = [][][]string{{{"f"}}, {{"f"}, {"g"}}}[rng.IntN(2)]
		}
		if rng.IntN(3) == 0 {
			j.Span, j.Processors = "machine", model.Moldable(1, 1+rng.IntN(9))
		}
		if rng.IntN(3) == 0 {
			j.Licences = []map[string]int{{"l": 1}, {"l": 1, "k": 1}, {"k": 2}, {"k": 0}}[rng.IntN(4)]
		}
		if rng.IntN(2) == 0 {
			j.Power = new(pick(0, 3, 9))
		}
		if rng.IntN(3) == 0 {
			j.Deadline, j.DeadlineHard = new(pick(3, 1e9)), true
		}
		if rng.IntN(4) == 0 {
			j.Exclusive = true
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// Jobs keep what no rule leaves out, also where they differ in it from others that rules treat alike. The order of the jobs does not decide what the rules leave out.
func TestPresolveKeepsWhatJobsDoNotShare(t *testing.T) {
	differed, kept, right := 0, 0, 0
	for seed := range race.Enough(300) {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		spec := similarJobs(rng)
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		reduced, by := model.Reduce(in, 0)
		memory := slices.ContainsFunc(reduced.Jobs(), func(j model.Job) bool { return j.Memory > 0 })
		for k := range in.Jobs() {
			a, b := in.Jobs()[k], reduced.Jobs()[k]
			demand := *b.Demand // with what rules may change as it was
			demand.Licences, demand.After, demand.Span, demand.Max, demand.MinBandwidth, demand.DeadlineHard = a.Licences, a.After, a.Span, a.Max, a.MinBandwidth, a.DeadlineHard
			if !memory {
				demand.Memory = a.Memory
			}
			if b.Demand = &demand; !equalButNodes(a, b) {
				t.Fatalf("seed %d, %s: job %d\n%+v becomes\n%+v", seed, by, k, a.Demand, b.Demand)
			}
			if strings.Contains(by.String(), "hard deadlines") && reduced.Jobs()[k].DeadlineHard && a.Deadline > 1e6 {
				t.Fatalf("seed %d, %s: the deadline of job %d is still hard", seed, by, k)
			}
			if memory && k > 0 && a.Memory != in.Jobs()[k-1].Memory {
				kept++
			}
		}
		for range 4 {
			sol := modeltest.Schedule(rng, reduced)
			if after := model.Check(reduced, sol); after.OK() && by.Fits(sol) {
				if before := model.Check(in, by.Restore(sol)); !before.OK() {
					t.Fatalf("seed %d, %s: %v", seed, by, before.Violations)
				}
				right++
			}
		}
		slices.Reverse(spec.Jobs)
		other, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		backwards, rules := model.Reduce(other, 0)
		if by.String() != rules.String() {
			t.Fatalf("seed %d: the rules\n%s\nare in another order of the jobs\n%s", seed, by, rules)
		}
		there, here := backwards.Spec().Jobs, reduced.Spec().Jobs
		if slices.Reverse(there); !reflect.DeepEqual(there, here) {
			t.Fatalf("seed %d: %+v are in another order of the jobs\n%+v", seed, here, there)
		}
		if reduced != in {
			differed++
		}
	}
	if differed < race.Enough(150) || kept < race.Enough(150) || right < race.Enough(150) {
		t.Errorf("%d reduced, %d memories kept, %d right schedules", differed, kept, right)
	}
}

// equalButNodes says whether two jobs ask for the same, apart from what they ask of single machines.
func equalButNodes(a, b model.Job) bool {
	power, stated := a.Power()
	own, alike := b.Power()
	return power == own && stated == alike && a.ID == b.ID && a.Work == b.Work && a.Min == b.Min && a.Max == b.Max && a.Tasks == b.Tasks && a.WorkCV == b.WorkCV && a.ReferenceSpeed == b.ReferenceSpeed &&
		a.Span == b.Span && a.Memory == b.Memory && a.Input == b.Input && a.Output == b.Output && a.Message == b.Message && a.UserClass == b.UserClass && a.Workflow == b.Workflow &&
		len(a.Licences) == len(b.Licences)
}
