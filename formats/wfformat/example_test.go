package wfformat_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats/wfformat"
)

// A workflow of two tasks.
func Example() {
	in, report, err := (&wfformat.Reader{Processors: 2, Cluster: "c", MissingRuntime: "keep"}).Read(strings.NewReader(`{"name": "two", "schemaVersion": "1.5", "workflow": {
	"specification": {"tasks": [{"id": "first", "name": "first", "parents": [], "children": ["second"]}, {"id": "second", "name": "second", "parents": ["first"], "children": []}]},
	"execution": {"tasks": [{"id": "first", "runtimeInSeconds": 4}, {"id": "second", "runtimeInSeconds": 2.5}]}}}`), "two.json")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs of %d read, %d processors\n", report.Kept, report.Read, in.Processors())
	for _, job := range in.Jobs() {
		fmt.Println(job.ID, job.Work, job.After)
	}
	// Output:
	// 2 jobs of 2 read, 2 processors
	// first 4 []
	// second 2.5 [0]
}
