package data_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"log"

	"github.com/allot-opt/allot/data"
	"github.com/allot-opt/allot/formats/swf"
)

// The first thousand jobs of the trace.
func Example() {
	file, err := gzip.NewReader(bytes.NewReader(data.KTH))
	if err != nil {
		log.Fatal(err)
	}
	reader := swf.NewReader()
	reader.Jobs = 1000
	in, _, err := reader.Read(file, "KTH-SP2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(in.Jobs()), "jobs for", in.Processors(), "processors")
	// Output: 1000 jobs for 100 processors
}
