// Package etc reads matrices of expected times to compute (ETC): the execution time of each of n independent tasks on each
// of m unrelated machines, R||Cmax.
//
// Source: T. D. Braun, H. J. Siegel, N. Beck, L. L. Bölöni, M. Maheswaran, A. I. Reuther, J. P. Robertson, M. D. Theys, B. Yao,
// D. Hensgen, R. F. Freund, "A comparison of eleven static heuristics for mapping a class of independent tasks onto
// heterogeneous distributed computing systems", J. Parallel and Distributed Computing 61(6), 2001, DOI 10.1006/jpdc.2000.1714.
//
// The first line that is not blank states n and m; what follows on it is ignored, such as the third number of the files that
// go with the paper. Then come n·m times, task by task, apart by blanks or line ends in any layout. The format states no unit
// of time; seconds are assumed.
//
// A file without that first line is read if the number of machines is given: then each line has the times of one task, or a single
// time. A grid with a wrong number of columns is not taken for another matrix.
package etc

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/params"
)

// formatName is the name of the format in reports.
const formatName = "etc"

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "a matrix of expected times to compute", Example: "allot import etc u_c_hihi.0.gz", Order: 2,
	New: func() formats.Reader { return NewReader() }, Extensions: []string{".etc"}, Weak: true,
	Looks: func(begin string) bool {
		line, _, _ := strings.Cut(begin, "\n")
		words := strings.Fields(line)
		return (len(words) == 2 || len(words) == 3) && sizes(words[:2]) && lines.Numbers(words)
	},
})

// sizes reports whether all words are whole numbers above 0.
func sizes(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		n, err := strconv.Atoi(word)
		return err != nil || n < 1
	})
}

// Reader reads a matrix.
type Reader struct {
	First int `range:"[0, inf)" doc:"skip the first 'N' jobs of the file"`
	Jobs  int `range:"[0, inf)" zero:"all" doc:"take at most 'N' jobs"`
	// Machines, if not 0, says that the file is a plain grid: its first line is the times of the first task.
	Machines int `range:"[0, 10000]" zero:"as the first line says" doc:"'N' machines, for a file without a first line that states tasks and machines"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader { return &Reader{} }

// Read implements [formats.Reader]. Machine j becomes the cluster mj with one processor. Task i becomes the job ti, counted from 0
// whatever the window is, with its time on each cluster.
//
// The error is a [*params.Error], or a [*model.InputError] that lists what is wrong, line by line: a
// text that is not a number, a number that is negative or out of the model's range, too few or too many numbers. Memory grows with the numbers in the file, never with what its header claims; a line longer than 1
// MiB is an error.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := params.Check(o); err != nil {
		return nil, nil, err
	}
	r, faults := lines.Begin(r, name)
	x := &matrix{opt: *o, faults: faults, machines: o.Machines}
	x.scan(lines.NewScanner(r))
	in, err := x.faults.Build(x.spec(lines.Title(name, ".etc")), x.place)
	if err != nil {
		return nil, nil, err
	}
	kept := len(in.Jobs())
	return in, &model.ImportReport{Format: formatName, File: name, Skipped: x.tasks - kept, Read: kept, Kept: kept}, nil
}

// matrix is a file being read.
type matrix struct {
	opt             Reader
	faults          *lines.Faults
	tasks, machines int       // as the first line says; without it there are as many tasks as the numbers make
	found           int       // numbers so far
	times           []float64 // those of the tasks in the window
}

// scan reads the header, unless the options say that there is none, and the numbers.
func (x *matrix) scan(s *lines.Scanner) {
	for s.Scan() {
		words := bytes.Fields(s.Bytes())
		var read func(line int, words [][]byte) bool
		switch {
		case len(words) == 0:
			continue
		case x.opt.Machines > 0:
			read = x.gridLine
		case x.tasks == 0:
			read = x.header
		default:
			read = x.sizedLine
		}
		if !read(s.Line(), words) {
			return
		}
	}
	switch {
	case !s.Check(x.faults):
	case x.opt.Machines > 0:
		x.endGrid(s.Line())
	case x.tasks == 0:
		x.faults.At("", "expected a first line with the numbers of tasks and machines, found an empty file")
	case x.found < x.tasks*x.machines:
		x.wrongSize(s.Line(), "expected %d numbers (%d tasks × %d machines), found the end of the file after %d",
			x.tasks*x.machines, x.tasks, x.machines, x.found)
	}
}

// wrongSize adds a fault of the size that the first line states, which a file without such a line causes.
func (x *matrix) wrongSize(line int, format string, args ...any) {
	x.faults.Line(line, format+"; the first line must state the numbers of tasks and machines, or give the number of machines (--machines) "+
		"of a file without that line", args...).Option = "machines"
}

// header reads the size of the matrix.
func (x *matrix) header(line int, words [][]byte) bool {
	if len(words) < 2 {
		x.wrongSize(line, "expected the numbers of tasks and machines, found one number only")
		return false
	}
	var size [2]int
	for k, what := range []string{"tasks", "machines"} {
		n, err := lines.Whole(words[k], 1)
		if err != nil {
			x.wrongSize(line, "number of %s: %s", what, err)
			return false
		}
		size[k] = n
	}
	x.tasks, x.machines = size[0], size[1]
	return true
}

// sizedLine reads a line of a matrix whose first line states its size.
func (x *matrix) sizedLine(line int, words [][]byte) bool {
	room := x.tasks*x.machines - x.found
	x.numbers(line, words[:min(room, len(words))])
	if len(words) > room {
		x.wrongSize(line, "expected the end of the file after %d numbers (%d tasks × %d machines), found more",
			x.found, x.tasks, x.machines)
		return false
	}
	return true
}

// gridLine reads a line of a file without sizes: a time, or those of a task.
func (x *matrix) gridLine(line int, words [][]byte) bool {
	switch {
	case len(words) != 1 && (len(words) != x.machines || x.found%x.machines != 0):
		x.faults.Line(line, "expected the times of a task on %d machines (--machines), or one time, found %d numbers", x.machines, len(words))
		return false
	}
	x.numbers(line, words)
	return true
}

// endGrid checks that a file without sizes ends with a task, and counts the tasks.
func (x *matrix) endGrid(line int) {
	switch {
	case x.found == 0:
		x.faults.At("", "expected the times of tasks, found an empty file")
	case x.found%x.machines != 0:
		x.faults.Line(line, "expected as many times of each task as there are machines, %d (--machines), found the end of the file after %d numbers", x.machines, x.found)
	}
	x.tasks = x.found / x.machines
}

// numbers reads the numbers of a line and keeps those of the window.
func (x *matrix) numbers(line int, words [][]byte) {
	from, to := x.window()
	if !x.faults.Names("line "+strconv.Itoa(line), len(words)) {
		return
	}
	for _, word := range words {
		task, machine := x.found/x.machines, x.found%x.machines
		x.found++
		time, err := lines.NonNegative(word)
		if err != nil {
			x.faults.Line(line, "time of task %d on machine %d: %s", task, machine, err)
			continue
		}
		if from <= task && task < to {
			x.times = append(x.times, time)
		}
	}
}

// window is the range of tasks that the options choose.
func (x *matrix) window() (from, to int) {
	to = math.MaxInt
	if x.opt.Jobs > 0 && x.opt.First < math.MaxInt-x.opt.Jobs {
		to = x.opt.First + x.opt.Jobs
	}
	return x.opt.First, to
}

// spec is the instance of the numbers kept.
func (x *matrix) spec(title string) model.InstanceSpec {
	if !x.faults.None() || !x.faults.Names("", x.machines*budget.NamesOf[model.ClusterSpec]()+x.tasks*budget.NamesOf[model.JobSpec]()) {
		return model.InstanceSpec{}
	}
	spec := model.InstanceSpec{Name: title, Units: &model.Units{Time: "s"}}
	ids := make([]string, x.machines)
	for k := range ids {
		ids[k] = "m" + strconv.Itoa(k)
		spec.Clusters = append(spec.Clusters, model.ClusterSpec{ID: ids[k], Machines: []model.MachineSpec{{ID: "node"}}})
	}
	for k := range len(x.times) / x.machines {
		runtime := make(map[string]float64, x.machines)
		for m, time := range x.times[k*x.machines:][:x.machines] {
			runtime[ids[m]] = time
		}
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: "t" + strconv.Itoa(x.opt.First+k), Runtime: runtime})
	}
	return spec
}

// place names a task by its number.
func (x *matrix) place(job int) string { return "task " + strconv.Itoa(x.opt.First+job) }
