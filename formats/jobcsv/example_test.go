package jobcsv_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats/jobcsv"
)

// A table of three jobs, the last of which waits for the first.
func Example() {
	in, report, err := (&jobcsv.Reader{Processors: 8, Cluster: "c"}).Read(strings.NewReader(`id,arrival,processors,work,after
a,0,4,120,
b,10,2-8,60,
c,10,1,5,a
`), "jobs.csv")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs of %d read, %d processors\n", report.Kept, report.Read, in.Processors())
	for _, job := range in.Jobs() {
		fmt.Println(job.ID, job.Arrival, job.Min, job.Max, job.Work, job.After)
	}
	// Output:
	// 3 jobs of 3 read, 8 processors
	// a 0 4 4 120 []
	// b 10 2 8 60 []
	// c 10 1 1 5 [0]
}
