package starts

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/allot-opt/allot/model"
)

var nan = math.NaN()

// TestRead: what each form states.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Start
	}{
		{"plain.csv", "job,start\n1,0\nb,2.5\n", []Start{{"1", nan, 0, nan, 0, 2}, {"b", nan, 2.5, nan, 0, 3}}},
		{"all.csv", "\ufeffjob,start,end,processors\r\n7,3,8,2\r\n", []Start{{"7", nan, 3, 8, 2, 2}}},
		{"order.csv", "processors, note ,start,job\n2,\"a, b\",3,7\n", []Start{{"7", nan, 3, nan, 2, 2}}},
		{"never.csv", "id,start,end,processors\n1,,,\n2,-1,-1,-1\n", []Start{{"1", nan, nan, nan, 0, 2}, {"2", nan, nan, nan, 0, 3}}},
		{"empty.csv", "job,start\n", nil},
		{"batsim.csv", "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time\n" +
			"w0!12,w0,delay,10,4,300,1,COMPLETED_SUCCESSFULLY,12.000000,20,32.000000,2\n13,w0,delay,11,900,300,0,REJECTED,-1,-1,-1,-1\n",
			[]Start{{"12", nan, 12, 32, 4, 2}, {"13", nan, nan, nan, 900, 3}}},
		{"waits.swf", "; MaxProcs: 4\n\n3 10 5 20 4 -1 -1 4 30 -1 1\n4 11 -1 -1 -1\n5 12 0 -1 2 x y z\n",
			[]Start{{"3", 10, 15, 35, 4, 3}, {"4", 11, nan, nan, 0, 4}, {"5", 12, 12, nan, 2, 5}}},
		{"empty.swf", "", nil},
	} {
		got, err := read(c.name, strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// read reads by the ending of the name.
func read(name string, r io.Reader) ([]Start, error) {
	if strings.HasSuffix(name, ".swf") {
		return ReadSWF(r, name)
	}
	return ReadCSV(r, name)
}

// TestRefused: what is wrong is named with its line.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "", "a.csv: expected a first row with the names of the columns, found an empty file"},
		{"a.csv", "1,0\n2,5\n", "a.csv: line 1: expected a column job or job_id or id, found none among \"1,0\"\na.csv: line 1: expected a column start or starting_time, found none among \"1,0\""},
		{"a.csv", "job,when\n1,0\n", `a.csv: line 1: expected a column start or starting_time, found none among "job,when"`},
		{"a.csv", "job,id,start\n1,1,0\n", "a.csv: line 1: expected one column among job, job_id, id, found two"},
		{"a.csv", "job,start\n1,0\n2\n", "a.csv: line 3: expected 2 cells, as the first row has, found 1"},
		{"a.csv", "job,start\n1,0\n2,", ""},
		{"a.csv", "job,start\n1,0\n\"2", "a.csv: line 3: expected a row of cells apart by commas, found a mistake at column 3 of line 3: extraneous or missing \" in quoted-field"},
		{"a.csv", "job,start\n1,NaN\n", `a.csv: line 2: start: expected a number, found "NaN"`},
		{"a.csv", "job,start\n1,inf\n", `a.csv: line 2: start: expected a number, found "inf"`},
		{"a.csv", "job,start\n1,1e300\n", `a.csv: line 2: start: expected 0 or a number of magnitude in [1e-18, 1e+18], found "1e300"`},
		{"a.csv", "job,start,processors\n1,0,1.5\n", `a.csv: line 2: processors: expected a whole number in [0, 2147483647], found "1.5"`},
		{"a.csv", "job,start,processors\n1,0,3000000000\n", `a.csv: line 2: processors: expected a whole number in [0, 2147483647], found "3000000000"`},
		{"a.csv", "job,start\n1,0\n2,0\n1,5\n", `a.csv: line 4: job: expected each job once, found "1", which line 2 has`},
		{"a.csv", "job,start\n,0\n", "a.csv: line 2: job: expected the id of a job, found none"},
		{"a.csv", "job,start\n" + strings.Repeat("x", 1001) + ",0\n", "a.csv: line 2: job: expected a text of 1 to 1000 bytes, found 1001 bytes"},
		{"a.csv", "job,start,end\n1,5,4\n", `a.csv: line 2: end: expected no end before the start, found job "1" from 5 to 4`},
		{"a.csv", "job,start,end\n1,,4\n", `a.csv: line 2: end: expected no end before the start, found job "1" from never to 4`},
		{"a.csv", "job,start\n" + strings.Repeat("x", 1<<20+8192) + ",0\n", "a.csv: line 2: expected a line of at most 1048576 bytes, found a longer one"},
		{"a.swf", "1 0 0\n", "a.swf: line 1: expected 18 fields, of which the first 5 (up to the allocated processors) are needed, found 3"},
		{"a.swf", "1 0 NaN 5 1\n", `a.swf: line 1: field 3 (wait time): expected a number, found "NaN"`},
		{"a.swf", "1.5 0 0 5 1\n", `a.swf: line 1: field 1 (job number): expected a whole number of at most 1e15, found "1.5"`},
		{"a.swf", "1 -1 0 5 1\n", `a.swf: line 1: field 2 (submit time): expected a number of at least 0, found "-1"`},
		{"a.swf", "1 0 0 5 0.5\n", `a.swf: line 1: field 5 (allocated processors): expected a whole number in [0, 2147483647], found "0.5"`},
		{"a.swf", "1 0 0 5 1\n1 0 0 5 1\n", `a.swf: line 2: job: expected each job once, found "1", which line 1 has`},
	} {
		list, err := read(c.name, strings.NewReader(c.text))
		if c.want == "" {
			if err != nil || len(list) != 2 {
				t.Errorf("%q: %v, %v", c.text, list, err)
			}
			continue
		}
		var input *model.InputError
		if !errors.As(err, &input) || err.Error() != c.want {
			t.Errorf("%.60q: found\n%v\nexpected\n%s", c.text, err, c.want)
		}
	}
}

// FuzzRead: no text makes the readers panic or return what they promise not to.
func FuzzRead(f *testing.F) {
	f.Add("job,start,end,processors\n1,0,5,2\nw0!2,3.5,-1,\n")
	f.Add("job_id,starting_time\n\"a\n\",1e5\n")
	f.Add("; x\n1 0 0 5 1 -1\n2 1 -1 -1 -1\n")
	f.Add("job,start\n1,NaN\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.csv", "a.swf"} {
			list, err := read(name, strings.NewReader(text))
			var input *model.InputError
			if err != nil && !errors.As(err, &input) {
				t.Fatalf("expected an error of the input, found %v", err)
			}
			seen := map[string]bool{}
			for _, s := range list {
				wrong := s.Start < 0 || s.End < s.Start || math.IsNaN(s.Start) && !math.IsNaN(s.End) || math.IsInf(s.Start, 0) || s.Processors < 0 || s.Line < 1
				if wrong || s.Job == "" || seen[s.Job] {
					t.Fatalf("%s: %s", name, strconv.Quote(text))
				}
				seen[s.Job] = true
			}
		}
	})
}
