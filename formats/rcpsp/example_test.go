package rcpsp_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats/rcpsp"
)

// A project of Patterson's layout: a dummy, two activities one after the other, and a dummy.
func Example() {
	in, report, err := rcpsp.NewReader().Read(strings.NewReader(`4 1
2
0 0 1 2
3 1 1 3
2 2 1 4
0 0 0
`), "project.rcp")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs of %d read, %d processors\n", report.Kept, report.Read, in.Processors())
	for _, job := range in.Jobs() {
		fmt.Println(job.ID, job.Work, job.After, job.Licences)
	}
	// Output:
	// 2 jobs of 4 read, 2 processors
	// 2 3 [] [{0 1}]
	// 3 2 [0] [{0 2}]
}
