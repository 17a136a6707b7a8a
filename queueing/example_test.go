package queueing_test

import (
	"fmt"
	"log"

	"github.com/allot-opt/allot/queueing"
)

// A machine serves 0.5 tasks a second. Tasks arrive at 0.3 a second; the variances of the gaps and of the service times add up to 8 s².
func ExampleKingmanMarshall() {
	wait, err := queueing.KingmanMarshall(8.0/2, 0.3, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a task waits at most %.1f s on average\n", wait)
	// Output: a task waits at most 3.0 s on average
}
