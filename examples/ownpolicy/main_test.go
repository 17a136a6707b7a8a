package main

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/solvetest"
)

func Example() {
	if err := compare("../four.json", "my-smallest-first", "easy"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// my-smallest-first  mean wait   9.80
	// easy               mean wait  10.82
}

// The policy keeps the contract: among other things, it does not know the future.
func TestConform(t *testing.T) {
	for _, patience := range []string{"0", "10", "1e9"} {
		choice, err := solve.Choose("my-smallest-first:patience=" + patience)
		if err != nil {
			t.Fatal(err)
		}
		solvetest.ConformPolicy(t, choice)
	}
}
