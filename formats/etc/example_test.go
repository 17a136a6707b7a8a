package etc_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats/etc"
)

// Two tasks on three machines, each with its time on each machine.
func Example() {
	in, report, err := etc.NewReader().Read(strings.NewReader(`2 3
4 2 9
1 5 3
`), "times.etc")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d jobs of %d read, %d processors\n", report.Kept, report.Read, in.Processors())
	for k, job := range in.Jobs() {
		fmt.Println(job.ID, in.DurationOn(k, 0, 1), in.DurationOn(k, 1, 1), in.DurationOn(k, 2, 1))
	}
	// Output:
	// 2 jobs of 2 read, 3 processors
	// t0 4 2 9
	// t1 1 5 3
}
