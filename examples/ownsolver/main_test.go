package main

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

func Example() {
	if err := compare("../multicluster.json", "my-longest-first", "mct"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// my-longest-first  makespan  62.44
	// mct               makespan  89.07
}

// The solver keeps the contract on every example: it refuses what it cannot honour, and its schedules are right.
func TestLongestFirst(t *testing.T) {
	for _, test := range []struct {
		file    string
		honours bool
	}{{"tiny", true}, {"table1", true}, {"workflow", true}, {"machines", true}, {"etc", false}, {"moldable", false}} {
		in, err := model.ReadInstanceFile("../" + test.file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		choice, err := solve.Choose("my-longest-first")
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, in, solve.Options{})
		if (err == nil) != test.honours {
			t.Errorf("%s: honours %v, expected %v: %v", test.file, err == nil, test.honours, err)
		}
		if err != nil {
			continue
		}
		if report := model.Check(in, result.Solution); !report.OK() {
			t.Errorf("%s: %v", test.file, report.Violations)
		}
	}
}
