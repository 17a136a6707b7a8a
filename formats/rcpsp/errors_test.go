package rcpsp_test

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/rcpsp"
	"github.com/allot-opt/allot/model"
)

// with is a reader with parameters, each NAME=VALUE.
func with(settings ...string) *rcpsp.Reader { return readertest.With(rcpsp.NewReader(), settings...) }

func TestConform(t *testing.T) {
	readertest.Conform(t, "rcpsp", "1 0 5 0\n")
	readertest.Refused(t, &rcpsp.Reader{Layout: "mm", Cluster: "c"}, "layout")
	readertest.Refused(t, &rcpsp.Reader{Layout: "auto"}, "cluster")
}

// refused reads a file that must be refused with the error.
func refused(t *testing.T, name, file string, opt *rcpsp.Reader, want string) {
	t.Helper()
	in, report, err := opt.Read(strings.NewReader(file), "x")
	if err == nil || err.Error() != want {
		t.Errorf("%s: got %v\nwant %s", name, err, want)
	}
	if in != nil || report != nil {
		t.Errorf("%s: got an instance or a report with the error", name)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"empty", "\n \n", "x: expected a project in the layout of PSPLIB (.sm) or of Patterson (.rcp), found an empty file"},
		{"neither", "a 2\n", `x: line 1: expected a line of a PSPLIB file (.sm): a title, or a name, a colon and a value; found "a 2"`},
		{"one number", "\n5\n\n", "x: line 3: expected the number of resources, found the end of the file"},
		{"no activity", "0 2\n", `x: line 1: number of activities: expected a whole number in [1, 2147483647], found "0"`},
		{"activities that the head claims", "1000001 2\n", `x: line 1: expected the capacity of resource 1, found the end of the file`},
		{"resources that the head claims", "1 10001\n", `x: line 1: expected the capacity of resource 1, found the end of the file`},
		{"capacity", "1 2\n3 -1\n", `x: line 2: capacity of resource 2: expected a whole number in [0, 2147483647], found "-1"`},
		{"fraction of a capacity", "1 2\n3 1.5\n", `x: line 2: capacity of resource 2: expected a whole number in [0, 2147483647], found "1.5"`},
		{"duration", "1 0\n-3 0\n", `x: line 2: duration of activity 1: expected a number of at least 0, found "-3"`},
		{"text as duration", "1 0\nlong 0\n", `x: line 2: duration of activity 1: expected a number, found "long"`},
		{"demand", "2 1 4\n0 0 0\n3 x 0", `x: line 3: demand of activity 2 for resource 1: expected a number, found "x"`},
		{"no demand", "2 1 4\n0 0 0\n3\n", "x: line 3: expected the demand of activity 2 for resource 1, found the end of the file"},
		{"number of successors", "2 0\n0 -1 2\n", `x: line 2: number of successors of activity 1: expected a whole number in [0, 2147483647], found "-1"`},
		{"successor 0", "2 0\n0 1 0\n", `x: line 2: successor of activity 1: expected a whole number in [1, 2], found "0"`},
		{"successor beyond", "2 0\n0 1 3\n", `x: line 2: successor of activity 1: expected a whole number in [1, 2], found "3"`},
		{"no successor", "2 0\n0 2 2\n", "x: line 2: expected the successor of activity 1, found the end of the file"},
		{"more", "2 0\n0 1 2\n3 0\n\n9 9\n", `x: line 5: expected the end of the file after 2 activities, found "9"`},
		{"more on the line", "2 0\n0 1 2\n3 0 9", `x: line 3: expected the end of the file after 2 activities, found "9"`},
		{"ProGen/max", "2 1 0 0\n0 1 1 1 [0]\n1 1 2 2 [3]\n", `x: line 2: demand of activity 2 for resource 1: expected a number, found "[0]": the time lags of ProGen/max are not read`},
		{"itself", "2 0\n0 1 2\n3 1 2\n", "x: line 3: activity 2: expected no cycle, found 2 before 2"},
		{"cycle", "4 0\n1 1 3\n1 1 3\n1 1 4\n3 1 2\n", "x: line 3: activity 2: expected no cycle, found 2 before 3 before 4 before 2"},
		{"cycle through a dummy", "4 0\n0 1 2\n5 1 3\n1 2 1 4\n0 0", "x: line 2: activity 1: expected no cycle, found 1 before 2 before 3 before 1"},
		{"long cycle", "13 0\n" + ring(13), "x: line 2: activity 1: expected no cycle, found 1 before 2 before 3 before 4 before 5 before 6 before 7 before 8 before 9 before 10 before … before 1"},
		{"above the capacity", "3 2 4 0\n0 0 0 0\n3 5 0 0\n4 4 1 0\n", `x: line 3: activity 2: expected a demand of at most 4 units, the capacity of resource 1, found 5
x: line 4: activity 3: expected a demand of at most 0 units, the capacity of resource 2, found 1`},
		{"a long line", "2 0\n" + strings.Repeat("1", 1<<21), "x: line 2: expected a line of at most 1048576 bytes, found a longer one"},
		{"a long first line", strings.Repeat("1", 1<<21), "x: line 1: expected a line of at most 1048576 bytes, found a longer one"},
		{"the end inside a number", "1 0\n7\x1a 0\n", "x: line 2: expected the number of successors of activity 1, found the end of the file"},
	} {
		refused(t, c.name, c.file, rcpsp.NewReader(), c.want)
	}
	refused(t, "numbers as PSPLIB's", "1 0\n7 0", with("layout=sm"),
		`x: line 1: expected a line of a PSPLIB file (.sm): a title, or a name, a colon and a value; found "1 0"`)
	refused(t, "stars as Patterson's", "****\n", with("layout=rcp"), `x: line 1: number of activities: expected a number, found "****"`)
}

// ring is n activities of which each precedes the next and the last the first.
func ring(n int) string {
	var text strings.Builder
	for k := range n {
		text.WriteString("1 1 " + strconv.Itoa((k+1)%n+1) + "\n")
	}
	return text.String()
}

// TestErrorsOfPSPLIB changes one place of a file of PSPLIB.
func TestErrorsOfPSPLIB(t *testing.T) {
	bytes, err := os.ReadFile("testdata/small.sm")
	if err != nil {
		t.Fatal(err)
	}
	file := strings.ReplaceAll(string(bytes), "\r\n", "\n")
	for _, c := range []struct{ name, old, with, want string }{
		{"two projects", "projects                      :  1", "projects : 2", "x: line 5: projects: expected 1, found 2: files of several projects are not read"},
		{"no number", ":  7\n", ":\n", "x: line 6: jobs (incl. supersource/sink ): expected a number, found none"},
		{"number of jobs", ":  7\n", ": many\n", `x: line 6: jobs (incl. supersource/sink ): expected a number, found "many"`},
		{"nonrenewable", "nonrenewable              :  0", "nonrenewable : 2", "x: line 10: nonrenewable: expected no such resource, found 2: multi-mode projects are not read"},
		{"doubly constrained", "constrained        :  0", "constrained : 1", "x: line 11: doubly constrained: expected no such resource, found 1: multi-mode projects are not read"},
		{"modes", "   2        1          2", "   2        3          2", "x: line 20: activity 2: expected one mode, found 3: multi-mode projects are not read"},
		{"mode", "  3      1     4", "  3      2     4", `x: line 33: mode of activity 3: expected a whole number in [1, 1], found "2"`},
		{"release date", "    1      5      0", "    1      5      4", `x: line 15: rel.date: expected 0, found "4": release dates are not read`},
		{"out of order", "   3        1          2", "   4        1          2", "x: line 21: expected activity 3, found 4"},
		{"a successor more", "2           4   5\n", "2           4   5   6\n", "x: line 20: expected activity 3, found 6"},
		{"a successor less", "2           4   5\n", "2           4\n", "x: line 21: expected activity 3, found 1"},
		{"a successor more in the end", "   7        1          0        \n", "   7        1          0     3\n", `x: line 26: expected the end of the line, found "3"`},
		{"an activity less", "   7        1          0        \n", "", `x: line 26: number of activity 7: expected a number, found "****************************************"…`},
		{"a demand less", "  2      1     8       4    0    0\n", "  2      1     8       4    0\n", "x: line 33: expected activity 3, found"},
		{"a demand more", "  2      1     8       4    0    0\n", "  2      1     8       4    0    0 0\n", "x: line 32: number of activity 3: expected a whole number in [1, 2147483647], found"},
		{"above the capacity", "   12   13    0\n", "   12   11    0\n", "x: line 36: activity 6: expected a demand of at most 11 units, the capacity of resource 2, found 12"},
		{"a negative capacity", "   12   13    0\n", "   -1   11    0\n", `x: line 41: capacity of resource 1: expected a whole number in [0, 2147483647], found "-1"`},
		{"a capacity less", "   12   13    0\n", "   12   13\n", `x: line 42: capacity of resource 3: expected a number, found "****************************************"…`},
		{"a capacity more", "   12   13    0\n", "   12   13   0   5\n", `x: line 41: expected the end of the line, found "5"`},
		{"cycle", "   4        1          1           6", "   4        1          1           2", "x: line 32: activity 2: expected no cycle, found 2 before 4 before 2"},
		{"no jobs", "jobs (incl. supersource/sink ):  7\n", "", "x: line 16: expected the number of jobs before the section, found none"},
		{"no resources", "  - renewable                 :  3   R\n", "", "x: line 16: expected the number of renewable resources before the section, found none"},
		{"a title twice", "REQUESTS/DURATIONS:", "PRECEDENCE RELATIONS:", `x: line 28: expected each section once, found "PRECEDENCE RELATIONS:" again`},
		{"no capacities", "RESOURCEAVAILABILITIES:\n  R 1  R 2  R 3\n   12   13    0\n", "", "x: line 39: expected the section RESOURCEAVAILABILITIES, found the end of the file"},
		{"no title", "REQUESTS/DURATIONS:\n", "", `x: line 28: expected a line of a PSPLIB file (.sm): a title, or a name, a colon and a value; found "jobnr. mode duration  R 1  R 2  R 3"`},
	} {
		if strings.Count(file, c.old) != 1 {
			t.Fatalf("%s: %q is in the file %d times", c.name, c.old, strings.Count(file, c.old))
		}
		in, _, err := rcpsp.NewReader().Read(strings.NewReader(strings.Replace(file, c.old, c.with, 1)), "x")
		if in != nil || err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
	for at := range len(file) - 80 { // a file that is cut anywhere before its last rule is refused
		if cut := file[:at]; !strings.Contains(cut, "   12   13    0") {
			in, report, err := with("layout=sm").Read(strings.NewReader(cut), "x")
			if err == nil {
				t.Fatalf("a file cut after %d bytes is read", at)
			}
			readertest.Check(t, "x", in, report, err)
		}
	}
}

// A few megabytes of gzip can unpack to a line without end, or to numbers without end.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		text readertest.Long
		want string
	}{
		{readertest.Long{Head: "5 2 ", Body: strings.Repeat("7", 1<<20), Times: 200}, "expected a line of at most 1048576 bytes, found a longer one"},
		{readertest.Long{Head: "2 0\n0 2147483647 ", Body: strings.Repeat("2\n", 1<<16), Times: 40}, "line 2621441: expected the successor of activity 1, found the end of the file"},
		{readertest.Long{Head: "****\n", Body: strings.Repeat("a: b\n", 1<<16), Times: 20}, "expected the section PRECEDENCE RELATIONS"},
	} {
		readertest.Bounded(t, &c.text, func(r io.Reader) error {
			_, _, err := rcpsp.NewReader().Read(r, "x")
			return err
		}, c.want)
	}
}

// FuzzRead feeds anything to the reader: it must not panic, and what it accepts is an instance that the model can write and read again.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"testdata/small.sm", "testdata/small.rcp"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint8(0))
	}
	f.Add([]byte("3 0\n0 1 2\n5 0\n2 2 1 2\n"), uint8(2))
	f.Add([]byte("jobs:2\n- renewable: 0\nPRECEDENCERELATIONS\n1 1 1 2\n2 1 0\nREQUESTS/DURATIONS\n1 1 3\n2 1 4\nRESOURCEAVAILABILITIES"), uint8(1))
	f.Fuzz(func(t *testing.T, file []byte, layout uint8) {
		opt := &rcpsp.Reader{Layout: []string{"auto", "sm", "rcp"}[layout%3], Cluster: "c"}
		in, report, err := opt.Read(bytes.NewReader(file), "f.sm")
		readertest.Check(t, "f.sm", in, report, err)
		if err == nil && in.Features()&^(model.Precedence|model.LicencePools) != 0 {
			t.Errorf("unexpected features %v", in.Features())
		}
	})
}
