package solve_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
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
	exact, err := solve.Choose("exact")
	if err != nil {
		log.Fatal(err)
	}
	result, err := solve.Run(context.Background(), exact, in, solve.Options{Seed: 1})
	if err != nil {
		log.Fatal(err) // bad input, or a bug: a limit that is hit is none
	}
	if result.Solution == nil {
		log.Fatal(result.Status, result.Reason)
	}
	fmt.Println(result.Status, *result.Solution.Objective)
	// Output: optimal 4
}
