package main

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/solvetest"
)

func Example() {
	if err := compare("../multicluster.json", "my-longest-first", "mct"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// my-longest-first  makespan  62.44
	// mct               makespan  89.07
}

// The solver keeps the contract: it refuses what it cannot honour, and its schedules are right.
func TestConform(t *testing.T) {
	info, err := solve.Lookup("my-longest-first")
	if err != nil {
		t.Fatal(err)
	}
	solvetest.Conform(t, info)
}

// It takes the examples that it can honour, and no others.
func TestSupports(t *testing.T) {
	for _, test := range []struct {
		file    string
		honours bool
	}{{"tiny", true}, {"table1", true}, {"workflow", true}, {"machines", true}, {"etc", false}, {"moldable", true}} {
		in, err := model.ReadInstanceFile("../" + test.file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := (LongestFirst{}).Supports(in); (err == nil) != test.honours {
			t.Errorf("%s: %v", test.file, err)
		}
	}
}
