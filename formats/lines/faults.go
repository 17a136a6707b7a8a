package lines

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// Faults collects the faults of a file: it lists the first [model.MaxListed] and counts the rest.
// Where the budget of the reading is passed, or the reading is ended, that is the
// one fault: what else seems wrong may only follow from it.
type Faults struct {
	list    model.InputError
	stopped *model.InputError
	budget  *budget.Budget
}

// NewFaults collects the faults of the named file.
func NewFaults(file string) *Faults { return &Faults{list: model.InputError{File: file}} }

// Begin is how a reader begins: with the source, which draws upon the budget of the reading, and the faults of the named file, which know that budget.
func Begin(r io.Reader, file string) (io.Reader, *Faults) {
	r, b := budget.Of(r)
	return r, NewFaultsWithin(file, b)
}

// NewFaultsWithin collects the faults of the named file, of a reading with a budget.
func NewFaultsWithin(file string, b *budget.Budget) *Faults {
	f := NewFaults(file)
	f.budget = b
	return f
}

// Budget is the budget of the reading.
func (f *Faults) Budget() *budget.Budget {
	if f.budget == nil {
		f.budget = budget.Own()
	}
	return f.budget
}

// Names draws things that are to be made, and says whether the budget has them. That it has not is a fault at the place.
func (f *Faults) Names(place string, n int) bool { return f.has(place, f.Budget().Names(n)) }

// Steps draws things that are looked at, and says whether the budget has them. That it has not is a fault at the place.
func (f *Faults) Steps(place string, n int) bool { return f.has(place, f.Budget().Steps(n)) }

// Cells draws the numbers of a table that are to be made, and says whether the budget has them. That it has not is a fault at the place.
func (f *Faults) Cells(place string, rows, columns int) bool {
	return f.has(place, f.Budget().Cells(rows, columns))
}

// has lists why a budget ends the reading.
func (f *Faults) has(place string, err error) bool {
	if err != nil {
		f.At(place, "%s", err)
	}
	return err == nil
}

// Line adds a fault at a line, counted from 1.
func (f *Faults) Line(line int, format string, args ...any) *model.Fault {
	return f.At("line "+strconv.Itoa(line), format, args...)
}

// At adds a fault at a place, or of the file as a whole if the place is empty.
func (f *Faults) At(place, format string, args ...any) *model.Fault {
	if f.stopped != nil {
		return new(model.Fault)
	}
	for _, arg := range args {
		if err, is := arg.(error); is && budget.Stopped(err) {
			before, _ := strings.CutSuffix(fmt.Sprintf(format, args...), err.Error())
			f.stopped = model.Stopped(f.list.File, place, fmt.Errorf("%s%w", before, err))
			return new(model.Fault)
		}
	}
	if f.Full() {
		f.list.More++
		return new(model.Fault)
	}
	f.list.Faults = append(f.list.Faults, model.Fault{Path: place, Message: fmt.Sprintf(format, args...)})
	return &f.list.Faults[len(f.list.Faults)-1]
}

// None says that there are no faults so far.
func (f *Faults) None() bool { return len(f.list.Faults) == 0 && f.stopped == nil }

// Count is the number of faults so far.
func (f *Faults) Count() int { return len(f.list.Faults) + f.list.More }

// Full says that as many faults are listed as there will be.
func (f *Faults) Full() bool { return len(f.list.Faults) >= model.MaxListed || f.stopped != nil }

// Err returns a [*model.InputError] of the faults, or nil if there are none.
func (f *Faults) Err() error {
	if f.budget != nil && f.budget.Err() != nil {
		f.At("", "%s", f.budget.Err()) // where nobody has listed it at its place
	}
	switch {
	case f.stopped != nil:
		return f.stopped
	case f.None():
		return nil
	}
	return &f.list
}

// Build makes the instance if there are no faults so far. Should the model still refuse it, the faults name places in
// the file: place is where the job with the given index came from.
func (f *Faults) Build(spec model.InstanceSpec, place func(job int) string) (*model.Instance, error) {
	return f.BuildOf(spec, len(spec.Jobs), func(k int) *model.JobSpec { return &spec.Jobs[k] }, place)
}

// BuildOf is [Faults.Build] with the jobs one by one, see [model.NewOf].
func (f *Faults) BuildOf(system model.InstanceSpec, jobs int, job func(k int) *model.JobSpec, place func(job int) string) (*model.Instance, error) {
	const ofJob, ofProcessor = 2048, 64 // bytes that the model takes
	if f.has("", f.Budget().Memory(int64(jobs)*ofJob+processorsOf(&system)*ofProcessor)); f.Err() != nil {
		return nil, f.Err()
	}
	in, err := model.NewOf(system, jobs, job)
	if err == nil {
		return in, nil
	}
	var wrong *model.InputError
	if !errors.As(err, &wrong) || budget.Stopped(err) {
		f.At("", "%s", err)
		return nil, f.Err()
	}
	for _, fault := range wrong.Faults {
		f.At(relocate(fault.Path, place), "%s", fault.Message)
	}
	f.list.More += wrong.More
	return nil, f.Err()
}

// processorsOf is how many processors a system has, at most as many as the model takes.
func processorsOf(system *model.InstanceSpec) int64 {
	sum := int64(0)
	for k := range system.Clusters {
		for _, m := range system.Clusters[k].Machines {
			count, processors := min(max(m.Count, 1), model.MaxProcessors), min(max(m.Processors, 1), model.MaxProcessors)
			sum = min(sum+int64(count)*int64(processors), model.MaxProcessors)
		}
	}
	return sum
}

// Import is [Faults.Build] for a reader that reports what it did; there is no report without an instance.
func (f *Faults) Import(spec model.InstanceSpec, report *model.ImportReport, place func(job int) string) (*model.Instance, *model.ImportReport, error) {
	in, err := f.Build(spec, place)
	if err != nil {
		return nil, nil, err
	}
	return in, report, nil
}

// relocate turns a path such as jobs[3].after[0] into the place in the file that the job came from.
func relocate(path string, place func(job int) string) string {
	rest, ok := strings.CutPrefix(path, "jobs[")
	if !ok {
		return path
	}
	index, field, _ := strings.Cut(rest, "]")
	job, err := strconv.Atoi(index)
	if err != nil {
		return path
	}
	if field = strings.TrimPrefix(field, "."); field == "" {
		return place(job)
	}
	return place(job) + ": " + field
}

// Title is a file's name without its folder and the endings .gz and those given: a name for the instance.
func Title(file string, endings ...string) string {
	title := strings.TrimSuffix(filepath.Base(file), ".gz")
	for _, ending := range endings {
		title = strings.TrimSuffix(title, ending)
	}
	return strings.ToValidUTF8(title, "\ufffd")
}

// Quote quotes a text from a file for a message, shortened if it is long.
func Quote[T string | []byte](text T) string {
	const most = 40
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	return strconv.Quote(string(text[:most])) + "…"
}

// Name is a text as a name in an instance: valid UTF-8 without control characters, of at most the length that the model takes.
func Name(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if len(text) > model.MaxName {
		text = strings.ToValidUTF8(text[:model.MaxName-3], "") + "…"
	}
	return text
}
