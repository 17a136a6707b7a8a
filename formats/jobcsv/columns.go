package jobcsv

import (
	"errors"
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/model"
)

// column is a column of the table: its name and how a cell that is not empty goes into a job.
type column struct {
	name    string
	set     func(job *model.JobSpec, cell string) error
	cluster string // of a column of run times
}

// runtimePrefix begins the names of columns of run times.
const runtimePrefix = "runtime."

// columns lists all columns except those of run times, in the order of [model.JobSpec].
var columns = []column{
	{name: "id", set: text(func(j *model.JobSpec) *string { return &j.ID })},
	{name: "arrival", set: number(func(j *model.JobSpec) *float64 { return &j.Arrival })},
	{name: "processors", set: setProcessors},
	{name: "tasks", set: setTasks},
	{name: "work", set: optional(func(j *model.JobSpec) **float64 { return &j.Work })},
	{name: "work_cv", set: number(func(j *model.JobSpec) *float64 { return &j.WorkCV })},
	{name: "estimate", set: optional(func(j *model.JobSpec) **float64 { return &j.Estimate })},
	{name: "reference_speed", set: setReferenceSpeed},
	{name: "span", set: text(func(j *model.JobSpec) *string { return &j.Span }, "machine", "cluster", "grid")},
	{name: "memory", set: number(func(j *model.JobSpec) *float64 { return &j.Memory })},
	{name: "input", set: number(func(j *model.JobSpec) *float64 { return &j.Input })},
	{name: "output", set: number(func(j *model.JobSpec) *float64 { return &j.Output })},
	{name: "message", set: number(func(j *model.JobSpec) *float64 { return &j.Message })},
	{name: "min_bandwidth", set: number(func(j *model.JobSpec) *float64 { return &j.MinBandwidth })},
	{name: "deadline", set: optional(func(j *model.JobSpec) **float64 { return &j.Deadline })},
	{name: "deadline_hard", set: setDeadlineHard},
	{name: "budget", set: optional(func(j *model.JobSpec) **float64 { return &j.Budget })},
	{name: "licences", set: setLicences},
	{name: "user", set: text(func(j *model.JobSpec) *string { return &j.User })},
	{name: "group", set: text(func(j *model.JobSpec) *string { return &j.Group })},
	{name: "queue", set: text(func(j *model.JobSpec) *string { return &j.Queue })},
	{name: "user_class", set: text(func(j *model.JobSpec) *string { return &j.UserClass })},
	{name: "workflow", set: text(func(j *model.JobSpec) *string { return &j.Workflow })},
	{name: "after", set: setAfter},
}

// columnNamed is the column with the name.
func columnNamed(name string) (column, bool) {
	for _, c := range columns {
		if c.name == name {
			return c, true
		}
	}
	if strings.HasPrefix(name, resultPrefix) {
		return column{name: name, set: func(*model.JobSpec, string) error { return nil }}, true
	}
	cluster, ok := strings.CutPrefix(name, runtimePrefix)
	if !ok || checkID(cluster) != nil {
		return column{}, false
	}
	set := func(j *model.JobSpec, cell string) error {
		x, err := lines.NonNegative(cell)
		if j.Runtime == nil {
			j.Runtime = map[string]float64{}
		}
		j.Runtime[cluster] = x
		return err
	}
	return column{name, set, cluster}, true
}

// number reads a number of at least 0 into a field.
func number(field func(*model.JobSpec) *float64) func(*model.JobSpec, string) error {
	return func(j *model.JobSpec, cell string) (err error) {
		*field(j), err = lines.NonNegative(cell)
		return err
	}
}

// optional reads a number of at least 0 into a field where 0 is not the same as absent.
func optional(field func(*model.JobSpec) **float64) func(*model.JobSpec, string) error {
	return func(j *model.JobSpec, cell string) error {
		x, err := lines.NonNegative(cell)
		*field(j) = &x
		return err
	}
}

// text reads a text, one of those given if there are any, into a field. It is copied, so
// that no more of the row is held.
func text(field func(*model.JobSpec) *string, among ...string) func(*model.JobSpec, string) error {
	return func(j *model.JobSpec, cell string) error {
		for _, allowed := range among {
			if cell == allowed {
				*field(j) = allowed
				return nil
			}
		}
		if among != nil {
			return fmt.Errorf("expected one of %s, found %s", strings.Join(among, ", "), lines.Quote(cell))
		}
		cell = plaintext.FromCell(cell)
		*field(j) = strings.Clone(cell)
		return checkID(cell)
	}
}

// checkID says what a name should have been.
func checkID(id string) error {
	const most = 1000
	if id == "" || len(id) > most {
		return fmt.Errorf("expected a text of 1 to %d bytes, found %d bytes", most, len(id))
	}
	return nil
}

// setProcessors reads a number or a range of processors.
func setProcessors(j *model.JobSpec, cell string) error {
	low, high, isRange := strings.Cut(cell, "-")
	if !isRange {
		n, err := lines.Whole(cell, 1)
		j.Processors = model.Rigid(n)
		return err
	}
	least, wrong := lines.Whole(strings.TrimSpace(low), 1)
	most, err := lines.Whole(strings.TrimSpace(high), 1)
	if wrong != nil || err != nil || least > most {
		return fmt.Errorf("expected a number of processors or a range such as 2-8, found %s", lines.Quote(cell))
	}
	j.Processors = model.Moldable(least, most)
	return nil
}

// setTasks reads the number of tasks.
func setTasks(j *model.JobSpec, cell string) (err error) {
	j.Tasks, err = lines.Whole(cell, 1)
	return err
}

// setReferenceSpeed reads the speed that the estimate refers to. A 0 would count as absent.
func setReferenceSpeed(j *model.JobSpec, cell string) (err error) {
	j.ReferenceSpeed, err = lines.NonNegative(cell)
	if err == nil && j.ReferenceSpeed == 0 {
		err = errors.New("expected a number above 0, found 0")
	}
	return err
}

// setDeadlineHard reads whether the deadline is hard.
func setDeadlineHard(j *model.JobSpec, cell string) error {
	switch strings.ToLower(cell) {
	case "true", "1":
		j.DeadlineHard = true
	case "false", "0":
	default:
		return fmt.Errorf("expected true or false, found %s", lines.Quote(cell))
	}
	return nil
}

// setAfter reads a list of jobs.
func setAfter(j *model.JobSpec, cell string) error {
	for _, id := range strings.FieldsFunc(cell, func(r rune) bool { return r == ';' || r == ' ' || r == '\t' }) {
		j.After = append(j.After, strings.Clone(plaintext.FromCell(id)))
	}
	return nil
}

// setLicences reads a list of licences with the copies needed.
func setLicences(j *model.JobSpec, cell string) error {
	j.Licences = map[string]int{}
	for pair := range strings.SplitSeq(cell, ";") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		at := max(0, strings.LastIndexByte(pair, '=')) // the id may have others
		id := strings.Clone(plaintext.FromCell(strings.TrimSpace(pair[:at])))
		n, err := lines.Whole(strings.TrimSpace(strings.TrimPrefix(pair[at:], "=")), 0)
		if err != nil || checkID(id) != nil {
			return fmt.Errorf("expected a list such as matlab=1;ansys=2, found %s", lines.Quote(pair))
		}
		if _, twice := j.Licences[id]; twice {
			return fmt.Errorf("expected each licence once, found %s again", lines.Quote(id))
		}
		j.Licences[id] = n
	}
	return nil
}
