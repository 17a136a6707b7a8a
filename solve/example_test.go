package solve_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// tiny is an instance of three jobs on two processors.
const tiny = `{
 "schema": "allot/instance/1", "objective": {"makespan": 1},
 "clusters": [{"id": "c", "machines": [{"id": "m", "count": 2}]}],
 "jobs": [{"id": "short", "work": 1}, {"id": "long", "work": 4}, {"id": "middle", "work": 3}]
}`

func ExampleChoose() {
	for _, text := range []string{"muscle:reading=b", "both=muscle:reading=b+search:effort=3", "serch"} {
		choice, err := solve.Choose(text)
		if err != nil {
			message := err.Error()
			fmt.Println(message[strings.LastIndex(message, ";")+2:])
			continue
		}
		fmt.Println(choice.Label, "runs", choice.Info.Name, "with", choice.Given)
	}
	// Output:
	// muscle:reading=b runs muscle with map[reading:b]
	// both runs muscle+search with map[muscle.reading:b search.effort:3]
	// did you mean "search"?
}

func ExampleRun() {
	in, err := model.ReadInstance(strings.NewReader(tiny), "tiny.json")
	if err != nil {
		log.Fatal(err)
	}
	result, err := solve.Run(context.Background(), solve.With(&solvers.Exact{}), in, solve.Options{Seed: 1})
	if err != nil {
		log.Fatal(err) // bad input, or a bug: a limit that is hit is none
	}
	if result.Solution == nil {
		log.Fatal(result.Status, result.Reason)
	}
	fmt.Println(result.Status, *result.Solution.Objective)
	// Output: optimal 4
}

// A program sets the fields of a solver or of a policy itself. Default has the values of the fields that it does not set.
func ExampleWith() {
	in, err := model.ReadInstance(strings.NewReader(tiny), "tiny.json")
	if err != nil {
		log.Fatal(err)
	}
	easy := solve.Default[solvers.EASY]()
	easy.Depth = 2
	for _, choice := range []solve.Choice{
		solve.With(&solvers.Search{Effort: 0.1}),
		solve.With(solve.OnLine(easy)),
	} {
		result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(result.Solution.Solver, result.Solution.Parameters, *result.Solution.Objective)
	}
	// Output:
	// search map[effort:0.1] 4
	// easy map[depth:2] 4
}
