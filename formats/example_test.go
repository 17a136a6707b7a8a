package formats_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/jobcsv"
)

// The registry holds the formats whose packages the program imports.
func Example() {
	text := "id,processors,work\na,2,30\n"
	info, ok := formats.Recognise("jobs.csv", []byte(text))
	if !ok {
		log.Fatal("no format that is known")
	}
	fmt.Println(info.Name)
	reader := info.New()
	reader.(*jobcsv.Reader).Processors = 4
	in, _, err := reader.Read(strings.NewReader(text), "jobs.csv")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(in.Jobs()), "job,", in.Processors(), "processors")
	// Output:
	// jobs
	// 1 job, 4 processors
}
