package solvecases

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// BruteForce returns the least objective of all list schedules: every order of the jobs that precedence allows, with every choice of clusters. If
// the objective never falls when a job ends later, this is the optimum. Use it for at most about 6 jobs.
func BruteForce(t testing.TB, in *model.Instance) float64 {
	t.Helper()
	best, err := BestList(in)
	if err != nil {
		t.Fatal(err)
	}
	return best
}

// BestList does the work of [BruteForce].
func BestList(in *model.Instance) (float64, error) {
	empty, err := plan.NewSchedule(in)
	if err != nil {
		return 0, err
	}
	s, err := plan.NewSchedule(in)
	if err != nil {
		return 0, err
	}
	n := len(in.Jobs())
	best := math.Inf(1)
	order, clusters, used := make([]int, 0, n), make([]int, n), make([]bool, n)
	tried := map[string]bool{}
	var fault error
	var extend func()
	extend = func() {
		sol := listed(s, empty, order, clusters)
		if sol == nil || fault != nil {
			return
		}
		key := placed(in, sol)
		if tried[key] { // in another order of these jobs: what follows is the same
			return
		}
		tried[key] = true
		if len(order) == n {
			evaluation, err := model.Evaluate(in, sol)
			best, fault = min(best, evaluation.Objective), err
			return
		}
		for j := range n {
			if used[j] || waitsFor(in, j, used) {
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

// placed says where each job of the schedule is and which are left out, whatever their order. It has the processors: what can follow depends on
// nothing else.
func placed(in *model.Instance, sol *model.Solution) string {
	parts := make([][]byte, len(in.Jobs()))
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		j, _ := in.JobIndex(p.Job)
		p.Parts(in.Jobs()[j].Tasks, func(piece model.Piece) {
			parts[j] = fmt.Appendf(parts[j], "%s %s %d %x %x ", piece.Cluster, piece.Processors, piece.Tasks, piece.Start, piece.End)
		})
	}
	for k := range sol.Unscheduled {
		j, _ := in.JobIndex(sol.Unscheduled[k].Job)
		parts[j] = []byte("left out")
	}
	return string(bytes.Join(parts, []byte{'\n'}))
}

// waitsFor reports whether a predecessor of the job is not in the order yet.
func waitsFor(in *model.Instance, job int, used []bool) bool {
	return slices.ContainsFunc(in.Jobs()[job].After, func(before int) bool { return !used[before] })
}

// listed returns the list schedule of the jobs in the order, made anew in s; nil: a job has no place on its cluster.
func listed(s, empty *plan.Schedule, order, clusters []int) *model.Solution {
	s.Restart(empty)
	for _, j := range order {
		slot, ok := s.Earliest(j, clusters[j])
		if !ok {
			return nil
		}
		s.Place(j, slot)
	}
	return s.Solution()
}

// FirstCome makes the schedule that takes the jobs in order of arrival and places each where it ends first. It returns nil if a list schedule cannot
// honour what the instance asks for.
func FirstCome(in *model.Instance) *model.Solution {
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
