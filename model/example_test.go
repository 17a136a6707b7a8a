package model_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/model"
)

// An instance that a program makes. Build checks everything and lists all that is wrong.
func ExampleBuilder() {
	in, err := model.NewBuilder("two jobs").Minimise("makespan", 1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Speed: 2}}}).
		Job(model.JobSpec{ID: "a", Work: new(6.0)}, model.JobSpec{ID: "b", Work: new(4.0), Processors: model.Rigid(2)}).
		Build()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(in.Jobs()), "jobs on", in.Processors(), "processors ask for", in.Features())
	// Output: 2 jobs on 2 processors ask for parallel jobs
}

// What is wrong with a file is listed with the places in it.
func ExampleReadInstance() {
	_, err := model.ReadInstance(strings.NewReader(`{
 "schema": "allot/instance/1",
 "clusters": [{"id": "c", "machines": [{"id": "m"}]}],
 "jobs": [{"id": "a", "work": -1}, {"id": "b", "work": 2}]
}`), "jobs.json")
	var input *model.InputError
	if errors.As(err, &input) {
		for _, fault := range input.Faults {
			fmt.Printf("%s: %s\n", fault.Path, fault.Message)
		}
	}
	// Output: jobs[0].work: expected 0 or a number in [1e-18, 1e+18], found -1
}

// Check says whether a schedule may stand, whoever made it, and Evaluate what it costs.
func ExampleCheck() {
	in, err := model.NewBuilder("two jobs").Minimise("makespan", 1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).
		Job(model.JobSpec{ID: "a", Work: new(6.0)}, model.JobSpec{ID: "b", Work: new(4.0), Processors: model.Rigid(2)}).
		Build()
	if err != nil {
		log.Fatal(err)
	}
	sol := &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{
		{Job: "a", Cluster: "c", Processors: model.Processors(1), Start: 0, End: 6},
		{Job: "b", Cluster: "c", Processors: model.Processors(0, 1), Start: 5, End: 9},
	}}
	report := model.Check(in, sol)
	fmt.Println(report.OK(), report.Violations)

	sol.Jobs[1].Start, sol.Jobs[1].End = 6, 10
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		log.Fatal(err)
	}
	report = model.Check(in, sol)
	fmt.Println(report.OK(), evaluation.Objective)
	// Output:
	// false [overlap job b cluster c resource 1 [5, 6): job a holds the processor until 6]
	// true 10
}
