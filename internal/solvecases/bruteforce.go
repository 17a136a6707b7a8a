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
	best := math.Inf(1)
	err := eachList(in, func(sol *model.Solution) error {
		objective, err := model.EvaluateObjective(in, sol)
		best = min(best, objective)
		return err
	})
	return best, err
}

// EachPlacing calls yield for the list schedules of [BruteForce] that place all jobs, those with hard deadlines too.
func EachPlacing(t testing.TB, in *model.Instance, yield func(*model.Solution)) {
	t.Helper()
	if err := eachList(in, func(sol *model.Solution) error {
		if len(sol.Unscheduled) == 0 {
			yield(sol)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// Least returns the least value of each of the metrics over the list schedules of [BruteForce], whatever the objective; +Inf: no schedule has one.
func Least(in *model.Instance, metrics ...string) (map[string]float64, error) {
	least := map[string]float64{}
	for _, metric := range metrics {
		least[metric] = math.Inf(1)
	}
	err := eachList(in, func(sol *model.Solution) error {
		evaluation, err := model.Evaluate(in, sol)
		for metric, old := range least {
			if value, ok := evaluation.Metrics.Get(metric); ok {
				least[metric] = min(old, value)
			}
		}
		return err
	})
	return least, err
}

// eachList calls yield for all list schedules, each once, until it returns an error.
func eachList(in *model.Instance, yield func(*model.Solution) error) error {
	empty, err := plan.NewPlacedSchedule(in, plan.Filling(in))
	if err != nil {
		return err
	}
	s, err := plan.NewPlacedSchedule(in, plan.Filling(in))
	if err != nil {
		return err
	}
	n := len(in.Jobs())
	order, clusters, used := make([]int, 0, n), make([]int, n), make([]bool, n)
	tried := map[string]bool{}
	var extend func() error
	extend = func() error {
		sol := listed(s, empty, order, clusters)
		if sol == nil {
			return nil
		}
		key := placed(in, sol)
		if tried[key] { // in another order of these jobs: what follows is the same
			return nil
		}
		tried[key] = true
		if len(order) == n {
			return yield(sol)
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
					if err := extend(); err != nil {
						return err
					}
				}
			}
			order = order[:len(order)-1]
			used[j] = false
		}
		return nil
	}
	return extend()
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
	s, err := plan.NewPlacedSchedule(in, plan.Filling(in))
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
