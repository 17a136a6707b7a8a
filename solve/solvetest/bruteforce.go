package solvetest

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// BruteForce returns the least objective of all list schedules: every order of the jobs that precedence allows, with every choice of clusters. If
// the objective never falls when a job ends later, this is the optimum. Use it for at most about 6 jobs.
func BruteForce(t testing.TB, in *model.Instance) float64 {
	t.Helper()
	best, err := bruteForce(in)
	if err != nil {
		t.Fatal(err)
	}
	return best
}

func bruteForce(in *model.Instance) (float64, error) {
	n := len(in.Jobs())
	best := math.Inf(1)
	order := make([]int, 0, n)
	clusters := make([]int, n)
	used := make([]bool, n)
	var fault error
	var extend func()
	extend = func() {
		if len(order) == n {
			objective, err := listed(in, order, clusters)
			if err != nil {
				fault = err
			}
			best = min(best, objective)
			return
		}
		for j := range n {
			if used[j] || waitsFor(in, j, used) || fault != nil {
				continue
			}
			used[j] = true
			order = append(order, j)
			for c := range in.Clusters() {
				if in.CannotRun(j, c) == "" {
					clusters[j] = c
					extend()
				}
			}
			order = order[:len(order)-1]
			used[j] = false
		}
	}
	extend()
	return best, fault
}

// waitsFor reports whether a predecessor of the job is not in the order yet.
func waitsFor(in *model.Instance, job int, used []bool) bool {
	for _, before := range in.Jobs()[job].After {
		if !used[before] {
			return true
		}
	}
	return false
}

// listed returns the objective of the list schedule.
func listed(in *model.Instance, order, clusters []int) (float64, error) {
	s, err := plan.NewSchedule(in)
	if err != nil {
		return 0, err
	}
	for _, j := range order {
		slot, ok := s.Earliest(j, clusters[j])
		if !ok {
			return math.Inf(1), nil
		}
		s.Place(j, slot)
	}
	evaluation, err := model.Evaluate(in, s.Solution())
	return evaluation.Objective, err
}

// firstCome makes the schedule that takes the jobs in order of arrival and places each where it ends first. It returns nil if a list schedule cannot
// honour what the instance asks for.
func firstCome(in *model.Instance) *model.Solution {
	s, err := plan.NewSchedule(in)
	if err != nil {
		return nil
	}
	for _, j := range plan.Topological(in, plan.ArrivalOrder(in)) {
		var best plan.Slot
		found := false
		for c := range in.Clusters() {
			if slot, ok := s.Earliest(j, c); ok && (!found || slot.End < best.End) {
				best, found = slot, true
			}
		}
		if found {
			s.Place(j, best)
		} else {
			s.LeaveUnplaceable(j)
		}
	}
	return s.Solution()
}
