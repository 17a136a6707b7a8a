package params_test

import (
	"fmt"

	"github.com/allot-opt/allot/params"
)

// cooling is a struct of parameters: a solver, a workload or a reader.
type cooling struct {
	Rate  float64 `range:"(0, 1)" doc:"factor by which the temperature falls"`
	Steps int     `range:"[1, inf)" doc:"'N' steps at each temperature"`
}

// The fields are documented by their tags, set from text, and checked.
func Example() {
	c := &cooling{Rate: 0.9, Steps: 100}
	for _, p := range params.Of(c) {
		fmt.Println(p.Name, p.Default, p.Doc)
	}
	fmt.Println(params.Set(c, "rate", "0.95"), c.Rate)
	fmt.Println(params.Set(c, "steps", "0"))
	// Output:
	// rate 0.9 factor by which the temperature falls
	// steps 100 'N' steps at each temperature
	// <nil> 0.95
	// parameter steps: expected a whole number of at least 1, found 0
}
