package batsim_test

import (
	"io"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model/batsim"
	"github.com/allot-opt/allot/model/internal/readertest"
)

// TestReadHoldsLittleOfAWrongFile: what a few megabytes of gzip can unpack to, a cell without end or a row over and over again, is
// refused without being held.
func TestReadHoldsLittleOfAWrongFile(t *testing.T) {
	const head = "job_id,submission_time,requested_number_of_resources,execution_time,allocated_resources\n"
	const tooLong = "expected a line of at most 1048576 bytes, found a longer one"
	megabyte := strings.Repeat("a", 1<<20)
	for name, c := range map[string]struct {
		text readertest.Long
		want string
	}{
		"a cell":            {readertest.Long{Head: head + `"`, Body: megabyte, Times: 200}, tooLong},
		"a cell of lines":   {readertest.Long{Head: head + `"`, Body: strings.Repeat("\n", 1<<20), Times: 200}, tooLong},
		"a line":            {readertest.Long{Head: head, Body: megabyte, Times: 200}, tooLong},
		"a row of columns":  {readertest.Long{Head: head, Body: strings.Repeat(",", 1<<20), Times: 200}, tooLong},
		"the same row":      {readertest.Long{Head: head, Body: strings.Repeat("1,0,1,1,0\n", 10_000), Times: 50}, "line 4: job_id: expected a unique id"},
		"long ids":          {readertest.Long{Head: head, Body: megabyte[:1<<19] + ",0,1,1,0\n", Times: 200}, "line 2: job_id: expected a text of 1 to 1000 bytes"},
		"a header too long": {readertest.Long{Head: "job_id", Body: strings.Repeat(",a", 1<<18), Times: 100}, tooLong},
	} {
		t.Run(name, func(t *testing.T) {
			readertest.Bounded(t, &c.text, func(r io.Reader) error {
				_, _, err := batsim.Read(r, "j.csv", batsim.Options{})
				return err
			}, c.want)
		})
	}
}
