package solvetest_test

import (
	"testing"

	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/solvetest"
)

// A module with a solver of its own has a test such as this one.
func ExampleConform() {
	info, _ := solve.Lookup("my-solver")
	_ = func(t *testing.T) { solvetest.Conform(t, info) } // TestMySolver
}
