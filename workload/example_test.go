package workload_test

import (
	"fmt"
	"log"

	"github.com/allot-opt/allot/workload"
)

// A workload is chosen by its name with its parameters, or made as a value.
func Example() {
	_, w, err := workload.Choose("muscle:jobs=50:alpha=1.5")
	if err != nil {
		log.Fatal(err)
	}
	chosen, err := w.Generate(1)
	if err != nil {
		log.Fatal(err)
	}
	muscle := workload.Default[workload.Muscle]()
	muscle.Jobs, muscle.Alpha = 50, 1.5
	made, err := muscle.Generate(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(chosen.Jobs()), "jobs,", len(chosen.Clusters()), "clusters; the same works:", chosen.Jobs()[49].Work == made.Jobs()[49].Work)
	// Output:
	// 50 jobs, 4 clusters; the same works: true
}
