package ga_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/allot-opt/allot/ga"
)

// Three jobs on two processors, the wide one first: the search lets the two narrow ones run beside each other before it.
func ExampleMinimise() {
	none := math.Inf(1) // no deadline
	cluster := ga.Cluster{
		Processors: 2,
		Jobs:       []ga.Job{{Size: 2, Duration: 4, Deadline: none}, {Size: 1, Duration: 1, Deadline: none}, {Size: 1, Duration: 1, Deadline: none}},
		Cost:       ga.Cost{Response: 1}, // the sum of the response times
	}
	p := ga.NewParameters()
	p.Coding = ga.List
	result, err := ga.Minimise(context.Background(), cluster, ga.Schedule{Order: []int32{0, 1, 2}}, p, 1, ga.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cost", result.Cost, "starts", cluster.Starts(result.Best))
	// Output: cost 7 starts [1 0 0]
}
