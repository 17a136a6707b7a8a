package model_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
)

// ggone is the worked instance of the G/G/1 workload allocation: T = 10, tasks given by their X directly.
func ggone(t testing.TB, rate float64) *model.Instance {
	t.Helper()
	in, err := readInstance(fmt.Sprintf(`{"schema": "allot/instance/1", "objective": {"qos_penalty": 1},
		"queueing": {"rate": %v, "period": 10, "charge": "response"},
		"clusters": [{"id": "g", "machines": [
			{"id": "R1", "speed": 10000, "cost": 0.2, "queue": {"service_rate": 0.5, "arrival_variance": 6, "service_variance": 2}},
			{"id": "R2", "speed": 5000, "cost": 0.1, "queue": {"service_rate": 0.25, "arrival_variance": 8, "service_variance": 8}}]}],
		"jobs": [
			{"id": "t1", "work": 20000, "deadline": 4, "budget": 0.5},
			{"id": "t2", "work": 30000, "deadline": 8, "budget": 1},
			{"id": "t3", "work": 10000, "deadline": 5, "budget": 0.4}]}`, rate))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// assignment is the schedule in which each machine serves its tasks in order: "112" puts t1 and t2 on R1 and t3 on R2.
func assignment(in *model.Instance, machines string, loads []float64) *model.Solution {
	sol := &model.Solution{Schema: model.SolutionSchema, Status: model.Feasible}
	free := map[byte]float64{}
	for j := range in.Jobs() {
		m := machines[j]
		processor := model.Processors(int(m - '1'))
		start := free[m]
		free[m] = start + in.Duration(j, 0, processor)
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: "g", Processors: processor, Start: start, End: free[m]})
	}
	for k, rate := range loads {
		sol.Loads = append(sol.Loads, model.Load{Cluster: "g", Machine: fmt.Sprintf("R%d", k+1), Rate: rate})
	}
	return sol
}
