package batsim_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats/batsim"
)

// Of two jobs of Batsim's table, the second was never run and is dropped.
func Example() {
	in, report, err := batsim.NewReader().Read(strings.NewReader(`job_id,submission_time,requested_number_of_resources,requested_time,execution_time
7,0,2,100,80
8,5,1,60,
`), "jobs.csv")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs of %d read, %d processors\n", report.Kept, report.Read, in.Processors())
	for _, job := range in.Jobs() {
		fmt.Println(job.ID, job.Min, job.Work, job.Estimate)
	}
	// Output:
	// 1 jobs of 2 read, 2 processors
	// 7 2 80 100
}
