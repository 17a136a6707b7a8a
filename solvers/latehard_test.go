package solvers_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// On line too a job with a hard deadline is late by the rules: 240.4 + 180.3 is a spacing of float64 numbers more than 420.7, and keeps that deadline. Clocks
// of today round more.
func TestDecimalHardDeadlinesAreMetOnLine(t *testing.T) {
	for k, times := range [][3]float64{{240.4, 180.3, 420.7}, {0.1, 0.2, 0.3}, {1700000000.1, 0.2, 1700000000.3}, {1700000001.65, 1.4, 1700000003.05}} {
		for _, name := range []string{"fcfs", "easy", "conservative", "flexible", "backfill", "twolevel"} {
			b := model.NewBuilder(fmt.Sprint("decimals", k)).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
			in, err := b.Job(model.JobSpec{ID: "j", Arrival: times[0], Work: &times[1], Deadline: &times[2], DeadlineHard: true}).Build()
			if err != nil {
				t.Fatal(err)
			}
			info := mustLookup(t, name)
			result, err := solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if sol := result.Solution; len(sol.Jobs) != 1 || !model.Check(in, sol).OK() {
				t.Errorf("%s, %v: %+v %+v", name, times, sol.Jobs, sol.Unscheduled)
			}
		}
	}
}
