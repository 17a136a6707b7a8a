package swf_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats/swf"
)

// A trace of two jobs on the four processors that its header states.
func Example() {
	in, report, err := swf.NewReader().Read(strings.NewReader(`; MaxProcs: 4
1 0 10 300 2 -1 -1 2 600 -1 1 12 3 -1 1 -1 -1 -1
2 60 0 90 4 -1 -1 4 120 -1 1 13 3 -1 1 -1 -1 -1
`), "trace.swf")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs of %d read, %d processors\n", report.Kept, report.Read, in.Processors())
	for _, job := range in.Jobs() {
		fmt.Println(job.ID, job.Arrival, job.Min, job.Work, job.Estimate, job.User())
	}
	// Output:
	// 2 jobs of 2 read, 4 processors
	// 1 0 2 300 600 12
	// 2 60 4 90 120 13
}
