// Package golden holds reference schedules. It shows where the schedule of another program differs from them and which rule it breaks.
//
// A folder of reference schedules has a folder workloads with files NAME.swf, and a folder schedules with a file NAME.POLICY.csv for each
// of the [Policies]. README.md in folder golden of the repository states the rules in words, and reference.py states them as a program. [Open] opens a
// folder, [Compare] compares a schedule with the one there.
package golden

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/lab/golden/starts"
	"github.com/allot-opt/allot/model"
)

// Policies lists the policies that have reference schedules.
func Policies() []string { return []string{"fcfs", "easy", "conservative"} }

// Set is a folder of reference schedules.
type Set struct {
	Folder    string
	Workloads []string // their names, in order
}

// Open opens a folder. A folder that has no workloads is an error.
func Open(folder string) (*Set, error) {
	entries, err := os.ReadDir(filepath.Join(folder, "workloads"))
	if err != nil {
		return nil, inputError(folder, "expected a folder of reference schedules, with folders workloads and schedules: %s", cause(err))
	}
	s := &Set{Folder: folder}
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".swf"); ok && !entry.IsDir() {
			s.Workloads = append(s.Workloads, name)
		}
	}
	if len(s.Workloads) == 0 {
		return nil, inputError(filepath.Join(folder, "workloads"), "expected files NAME.swf, found none")
	}
	return s, nil
}

// cause is an error of the file system without the path.
func cause(err error) error {
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return wrong.Err
	}
	return err
}

// inputError is an error of one file.
func inputError(file, format string, args ...any) error {
	faults := lines.NewFaults(file)
	faults.At("", format, args...)
	return faults.Err()
}

// Job is a job of a workload. Times are whole seconds.
type Job struct {
	ID         string
	Submit     float64
	Runtime    float64
	Estimate   float64 // the run time where the workload states none
	Stated     bool    // the workload states an estimate
	Processors int
}

// Workload is a workload that has reference schedules.
type Workload struct {
	Name       string
	Processors int
	Jobs       []Job // in the order of the queue

	instance *model.Instance
	fitting  *model.Instance // without the jobs that are too wide, whose submits are no instants
	fits     []int           // the jobs of fitting, in its order of the queue
	index    map[string]int  // of each job
}

// reader reads a workload as it is, without shifts and repairs; tooWide says whether it leaves out the jobs that are too wide.
func reader(tooWide string) *swf.Reader {
	r := swf.NewReader()
	r.AbsoluteTime, r.Estimates, r.ZeroRuntime, r.TooWide = true, "keep", "keep", tooWide
	return r
}

// Workload reads a workload of the set.
func (s *Set) Workload(name string) (*Workload, error) {
	path := filepath.Join(s.Folder, "workloads", name+".swf")
	in, report, err := read(path, reader("keep"))
	if err != nil {
		return nil, err
	}
	if report.Kept != report.Read {
		return nil, inputError(path, "expected jobs that state submit time, run time and processors, found %d that do not", report.Read-report.Kept)
	}
	fitting, _, err := read(path, reader("drop"))
	if err != nil {
		return nil, err
	}
	w := &Workload{Name: name, Processors: in.Processors(), instance: in, fitting: fitting, index: map[string]int{}}
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		job := Job{ID: j.ID, Submit: j.Arrival, Runtime: j.Work, Estimate: j.Estimate, Stated: !math.IsNaN(j.Estimate), Processors: j.Max}
		if !job.Stated {
			job.Estimate = job.Runtime
		}
		if job.Submit != math.Trunc(job.Submit) || job.Runtime != math.Trunc(job.Runtime) || job.Estimate != math.Trunc(job.Estimate) {
			return nil, inputError(path, "expected times in whole seconds, found others at job %s", j.ID)
		}
		w.Jobs = append(w.Jobs, job)
	}
	if !slices.IsSortedFunc(w.Jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) }) {
		return nil, inputError(path, "expected lines in the order of submit times")
	}
	for k := range w.Jobs {
		w.index[w.Jobs[k].ID] = k
		if w.Jobs[k].Processors <= w.Processors {
			w.fits = append(w.fits, k)
		}
	}
	return w, nil
}

// read reads a workload as an instance.
func read(path string, r *swf.Reader) (*model.Instance, *model.ImportReport, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	return r.Read(file, path)
}

// Instance is the workload as an instance.
func (w *Workload) Instance() *model.Instance { return w.instance }

// Place states when a job starts and, if known, when it ends and how many processors it holds.
type Place struct {
	Start      float64 // NaN: never
	End        float64 // NaN: not stated
	Processors int     // 0: not stated
}

// Schedule is a place for each job of a workload.
type Schedule []Place

// Schedule reads the reference schedule of a policy for the workload.
func (s *Set) Schedule(w *Workload, policy string) (Schedule, error) {
	return w.Read(filepath.Join(s.Folder, "schedules", w.Name+"."+policy+".csv"))
}

// Read reads a schedule of the workload from a file. The ending of the name states the format: .csv or .swf, see package starts, or
// .json for a solution; .gz may follow. Jobs that the file does not list never start.
func (w *Workload) Read(path string) (Schedule, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []starts.Start
	buffered := bufio.NewReader(file)
	switch name := strings.TrimSuffix(path, ".gz"); filepath.Ext(name) {
	case ".csv":
		list, err = starts.ReadCSV(buffered, path)
	case ".swf":
		list, err = starts.ReadSWF(buffered, path)
	case ".json":
		list, err = fromSolution(buffered, path)
	default:
		err = inputError(path, "expected a file whose name ends in .csv, .swf or .json")
	}
	if err != nil {
		return nil, err
	}
	return w.schedule(list, path)
}

// fromSolution reads a solution.
func fromSolution(r io.Reader, path string) ([]starts.Start, error) {
	sol, err := model.ReadSolution(r, path)
	if err != nil {
		return nil, err
	}
	var list []starts.Start
	seen := map[string]bool{}
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		if seen[p.Job] {
			return nil, &model.InputError{File: path, Faults: []model.Fault{{Path: fmt.Sprintf("jobs[%d].job", k), Message: fmt.Sprintf("expected each job once, found %q again", p.Job)}}}
		}
		seen[p.Job] = true
		list = append(list, starts.Start{Job: p.Job, Submit: math.NaN(), Start: p.Start, End: p.End, Processors: p.Processors.Len(), Line: k})
	}
	return list, nil
}

// schedule is the schedule of a list of starts.
func (w *Workload) schedule(list []starts.Start, path string) (Schedule, error) {
	faults := lines.NewFaults(path)
	fault := func(s *starts.Start, format string, args ...any) {
		place := fmt.Sprintf("line %d", s.Line)
		if strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".json") {
			place = fmt.Sprintf("jobs[%d]", s.Line)
		}
		faults.At(place, format, args...)
	}
	schedule := make(Schedule, len(w.Jobs))
	for k := range schedule {
		schedule[k] = Place{Start: math.NaN(), End: math.NaN()}
	}
	for n := range list {
		s := &list[n]
		k, ok := w.index[s.Job]
		switch {
		case !ok:
			fault(s, "job: expected a job of the workload %s, found %q", w.Name, s.Job)
		case !math.IsNaN(s.Submit) && whole(s.Submit) != w.Jobs[k].Submit:
			fault(s, "submit time: expected %s as in the workload, found %s", seconds(w.Jobs[k].Submit), seconds(s.Submit))
		default:
			schedule[k] = Place{Start: whole(s.Start), End: whole(s.End), Processors: s.Processors}
		}
	}
	return schedule, faults.Err()
}

// whole rounds a time that is less than a millisecond from a whole second, because some simulators carry a tiny error. The times of
// all workloads are whole.
func whole(x float64) float64 {
	if r := math.Round(x); math.Abs(x-r) < 1e-3 {
		return r
	}
	return x
}
