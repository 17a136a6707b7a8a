package etc_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/etc"
	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// with is a reader with parameters, each NAME=VALUE.
func with(settings ...string) *etc.Reader { return readertest.With(etc.NewReader(), settings...) }

func TestConform(t *testing.T) {
	readertest.Conform(t, "etc", "1 2\n3 4\n")
	readertest.Refused(t, &etc.Reader{First: -1}, "first")
	readertest.Refused(t, &etc.Reader{Jobs: math.MinInt}, "jobs")
	readertest.Refused(t, &etc.Reader{Machines: 10001}, "machines")
}

// times are the execution times of an instance, by task and machine.
func times(in *model.Instance) [][]float64 {
	matrix := make([][]float64, len(in.Jobs()))
	for j := range matrix {
		for c := range in.Clusters() {
			matrix[j] = append(matrix[j], in.DurationOn(j, c, 1))
		}
	}
	return matrix
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, file string
		opt        *etc.Reader
		want       string
		skipped    int
	}{
		{"a number a line", "3 2 0\n1\n2\n3\n4.5\n0\n6e3\n", etc.NewReader(), "[[1 2] [3 4.5] [0 6000]]", 0},
		{"a task a line", "\ufeff\r\n 3\t2\r\n1 2\r\n\r\n3 4.5\r\n0 6000", etc.NewReader(), "[[1 2] [3 4.5] [0 6000]]", 0},
		{"across tasks", "3 2 any text\n1 2 3\n4.5 0 6000\n", etc.NewReader(), "[[1 2] [3 4.5] [0 6000]]", 0},
		{"window", "4 2\n1 2 3 4 5 6 7 8\n", with("first=1", "jobs=2"), "[[3 4] [5 6]]", 2},
		{"skip", "4 2\n1 2 3 4 5 6 7 8\n", with("first=3"), "[[7 8]]", 3},
		{"a grid without sizes", "1 2\n\n3 4.5\n0 6e3", with("machines=2"), "[[1 2] [3 4.5] [0 6000]]", 0},
		{"a number a line without sizes", "1\n2\n3\n4.5\n", with("machines=2"), "[[1 2] [3 4.5]]", 0},
		{"a window of a grid", "1 2\n3 4\n5 6\n7 8\n", with("machines=2", "first=1", "jobs=2"), "[[3 4] [5 6]]", 2},
		{"skip all", "2 2\n1 2 3 4\n", &etc.Reader{First: math.MaxInt, Jobs: math.MaxInt}, "[]", 2},
	} {
		in, report, err := c.opt.Read(strings.NewReader(c.file), "x.etc.gz")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := fmt.Sprint(times(in)); got != c.want || report.Skipped != c.skipped || report.Kept != len(in.Jobs()) || report.Read != report.Kept {
			t.Errorf("%s: got %s, %v; want %s, skipped %d", c.name, got, report, c.want, c.skipped)
		}
		for k, j := range in.Jobs() {
			if j.ID != fmt.Sprintf("t%d", c.opt.First+k) || j.Max != 1 {
				t.Errorf("%s: got job %s of %d processors", c.name, j.ID, j.Max)
			}
		}
		for k, m := range in.Clusters() {
			if m.ID != fmt.Sprintf("m%d", k) || m.Processors != 1 {
				t.Errorf("%s: got cluster %s of %d processors", c.name, m.ID, m.Processors)
			}
		}
		if in.Name() != "x" {
			t.Errorf("%s: got the name %q", c.name, in.Name())
		}
	}
}

func TestErrors(t *testing.T) {
	const noSizes = "; the first line must state the numbers of tasks and machines, or give the number of machines (--machines) of a file without that line"
	for _, c := range []struct {
		name, file string
		opt        *etc.Reader
		want       string
	}{
		{"empty", "\n \n", etc.NewReader(), "x: expected a first line with the numbers of tasks and machines, found an empty file"},
		{"one number", "\n5\n", etc.NewReader(), "x: line 2: expected the numbers of tasks and machines, found one number only" + noSizes},
		{"text", "a 2\n", etc.NewReader(), `x: line 1: number of tasks: expected a number, found "a"` + noSizes},
		{"no machines", "2 0\n", etc.NewReader(), `x: line 1: number of machines: expected a whole number in [1, 2147483647], found "0"` + noSizes},
		{"numbers that the head claims", "1000000 10000\n", etc.NewReader(), "x: line 1: expected 10000000000 numbers (1000000 tasks × 10000 machines), found the end of the file after 0" + noSizes},
		{"too few", "1000 1000\n1 2\n3\n", etc.NewReader(), "x: line 3: expected 1000000 numbers (1000 tasks × 1000 machines), found the end of the file after 3" + noSizes},
		{"too many", "1 2\n1 2\n3\n4\n", etc.NewReader(), "x: line 3: expected the end of the file after 2 numbers (1 tasks × 2 machines), found more" + noSizes},
		{"a grid taken for a matrix", "710 768\n5 6\n", etc.NewReader(), "x: line 2: expected 545280 numbers (710 tasks × 768 machines), found the end of the file after 2" + noSizes},
		{"an empty grid", "\n", with("machines=2"), "x: expected the times of tasks, found an empty file"},
		{"a wider grid", "1 2\n3 4 5\n", with("machines=2"), "x: line 2: expected the times of a task on 2 machines (--machines), or one time, found 3 numbers"},
		{"half a wide grid", "1 2 3 4\n", with("machines=2"), "x: line 1: expected the times of a task on 2 machines (--machines), or one time, found 4 numbers"},
		{"a row in a task", "1\n3 4\n", with("machines=2"), "x: line 2: expected the times of a task on 2 machines (--machines), or one time, found 2 numbers"},
		{"a grid cut short", "1\n2\n3\n", with("machines=2"), "x: line 3: expected as many times of each task as there are machines, 2 (--machines), found the end of the file after 3 numbers"},
		{"wrong numbers of a grid", "1 2\n3 x\n", with("machines=2"), `x: line 2: time of task 1 on machine 1: expected a number, found "x"`},
		{"wrong numbers", "2 3\n1 NaN 3\n-4 inf 1e30\n", etc.NewReader(), `x: line 2: time of task 0 on machine 1: expected a number, found "NaN"
x: line 3: time of task 1 on machine 0: expected a number of at least 0, found "-4"
x: line 3: time of task 1 on machine 1: expected a number, found "inf"
x: line 3: time of task 1 on machine 2: expected 0 or a number of magnitude in [1e-18, 1e+18], found "1e30"`},
		{"long line", "2 2\n1\n" + strings.Repeat("1", 1<<21), etc.NewReader(), "x: line 3: expected a line of at most 1048576 bytes, found a longer one"},
	} {
		in, report, err := c.opt.Read(strings.NewReader(c.file), "x")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
		if in != nil || report != nil {
			t.Errorf("%s: got an instance or a report with the error", c.name)
		}
	}
}

// TestBraun compares the makespans of the simple heuristics of the paper with those computed from the definitions by other
// means and rounded to three decimals: they agree only if every number is at its place.
func TestBraun(t *testing.T) {
	for _, row := range realdata.Table(t, "braun_etc", "best_known.csv") {
		t.Run(row["instance"], func(t *testing.T) {
			name := row["instance"] + ".gz"
			in, report, err := etc.NewReader().Read(realdata.Open(t, "braun_etc", name), name)
			if err != nil {
				t.Fatal(err)
			}
			row.Expect(t, "tasks", float64(len(in.Jobs())), 0)
			row.Expect(t, "machines", float64(len(in.Clusters())), 0)
			matrix := times(in)
			row.Expect(t, "met", assign(matrix, func(time, _ float64) float64 { return time }), 2e-7)
			row.Expect(t, "mct", assign(matrix, func(time, ready float64) float64 { return ready + time }), 2e-7)
			row.Expect(t, "min_min", minMin(matrix), 2e-7)
			if report.Kept != len(matrix) || in.Name() != row["instance"] {
				t.Errorf("got %v, name %q", report, in.Name())
			}
		})
	}
}

// assign gives each task in turn to the machine of the least cost and returns the makespan.
func assign(matrix [][]float64, cost func(time, ready float64) float64) float64 {
	ready := make([]float64, len(matrix[0]))
	for _, row := range matrix {
		best := 0
		for m := range row {
			if cost(row[m], ready[m]) < cost(row[best], ready[best]) {
				best = m
			}
		}
		ready[best] += row[best]
	}
	return slices.Max(ready)
}

// minMin gives, again and again, the task that can end first to the machine where it does, and returns the makespan.
func minMin(matrix [][]float64) float64 {
	ready := make([]float64, len(matrix[0]))
	done := make([]bool, len(matrix))
	for range matrix {
		task, machine, end := 0, 0, math.Inf(1)
		for k, row := range matrix {
			for m := range row {
				if !done[k] && ready[m]+row[m] < end {
					task, machine, end = k, m, ready[m]+row[m]
				}
			}
		}
		done[task], ready[machine] = true, end
	}
	return slices.Max(ready)
}

// FuzzRead feeds anything to the reader: it must not panic, and what it accepts is an instance that the model can write
// and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte("3 2 0\n1\n2\n3\n4.5\n0\n6e3\n"), 0, 0, 0)
	f.Add([]byte("3 2\r\n1 2 3\n4.5 0 6000 7"), 1, 1, 0)
	f.Add([]byte("1000 10000\n-1 NaN"), -1, 0, 0)
	f.Add([]byte("1 2\n3\n4.5"), 0, 1, 2)
	f.Fuzz(func(t *testing.T, file []byte, first, jobs, machines int) {
		if first < 0 || jobs < 0 || machines < 0 || machines > 10_000 {
			return // refused, see TestConform
		}
		in, report, err := (&etc.Reader{First: first, Jobs: jobs, Machines: machines}).Read(bytes.NewReader(file), "f.etc")
		readertest.Check(t, "f.etc", in, report, err)
	})
}
