package slurm_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats/slurm"
)

// Jobs that sacct printed.
func ExampleTraceReader() {
	in, report, err := slurm.NewTraceReader().Read(strings.NewReader(`JobID|Submit|Start|End|NCPUS|Timelimit|User
12|2026-01-05T08:00:00|2026-01-05T08:00:10|2026-01-05T08:30:10|4|01:00:00|ann
13|2026-01-05T08:05:00|2026-01-05T08:30:10|2026-01-05T08:40:10|2|00:10:00|bob
`), "sacct.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs of %d read, %d processors\n", report.Kept, report.Read, in.Processors())
	for _, job := range in.Jobs() {
		fmt.Println(job.ID, job.Arrival, job.Min, job.Work, job.Estimate, job.User())
	}
	// Output:
	// 2 jobs of 2 read, 4 processors
	// 12 0 4 1800 3600 ann
	// 13 300 2 600 600 bob
}
