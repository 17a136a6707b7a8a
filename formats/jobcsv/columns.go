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
	{name: "processors", set: processors(func(j *model.JobSpec) *model.ProcessorRange { return &j.Processors }, "processors")},
	{name: "tasks", set: count(func(j *model.JobSpec) *int { return &j.Tasks })},
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
	{name: "deadline_hard", set: truth(func(j *model.JobSpec) *bool { return &j.DeadlineHard })},
	{name: "budget", set: optional(func(j *model.JobSpec) **float64 { return &j.Budget })},
	{name: "licences", set: setLicences},
	{name: "user", set: text(func(j *model.JobSpec) *string { return &j.User })},
	{name: "group", set: text(func(j *model.JobSpec) *string { return &j.Group })},
	{name: "queue", set: text(func(j *model.JobSpec) *string { return &j.Queue })},
	{name: "user_class", set: text(func(j *model.JobSpec) *string { return &j.UserClass })},
	{name: "workflow", set: text(func(j *model.JobSpec) *string { return &j.Workflow })},
	{name: "after", set: setAfter},
	{name: "block", set: count(func(j *model.JobSpec) *int { return &j.Block })},
	{name: "resources", set: setResources},
	{name: "machines", set: processors(func(j *model.JobSpec) *model.ProcessorRange { return &j.Machines }, "machines")},
	{name: "per_machine", set: count(func(j *model.JobSpec) *int { return &j.PerMachine })},
	{name: "features", set: setFeatures},
	{name: "exclusive", set: truth(func(j *model.JobSpec) *bool { return &j.Exclusive })},
	{name: "reservation", set: text(func(j *model.JobSpec) *string { return &j.Reservation })},
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

// processors reads a number or a range of processors or machines into a field.
func processors(field func(*model.JobSpec) *model.ProcessorRange, what string) func(*model.JobSpec, string) error {
	return func(j *model.JobSpec, cell string) error {
		low, high, isRange := strings.Cut(cell, "-")
		if !isRange {
			n, err := lines.Whole(cell, 1)
			*field(j) = model.Rigid(n)
			return err
		}
		least, wrong := lines.Whole(strings.TrimSpace(low), 1)
		most, err := lines.Whole(strings.TrimSpace(high), 1)
		if wrong != nil || err != nil || least > most {
			return fmt.Errorf("expected a number of %s or a range such as 2-8, found %s", what, lines.Quote(cell))
		}
		*field(j) = model.Moldable(least, most)
		return nil
	}
}

// count reads a whole number of at least 1 into a field.
func count(field func(*model.JobSpec) *int) func(*model.JobSpec, string) error {
	return func(j *model.JobSpec, cell string) (err error) {
		*field(j), err = lines.Whole(cell, 1)
		return err
	}
}

// setReferenceSpeed reads the speed that the estimate refers to. A 0 would count as absent.
func setReferenceSpeed(j *model.JobSpec, cell string) (err error) {
	j.ReferenceSpeed, err = lines.NonNegative(cell)
	if err == nil && j.ReferenceSpeed == 0 {
		err = errors.New("expected a number above 0, found 0")
	}
	return err
}

// truth reads true or false into a field.
func truth(field func(*model.JobSpec) *bool) func(*model.JobSpec, string) error {
	return func(j *model.JobSpec, cell string) error {
		switch strings.ToLower(cell) {
		case "true", "1":
			*field(j) = true
		case "false", "0":
		default:
			return fmt.Errorf("expected true or false, found %s", lines.Quote(cell))
		}
		return nil
	}
}

// setAfter reads a list of jobs.
func setAfter(j *model.JobSpec, cell string) error {
	for _, id := range strings.FieldsFunc(cell, func(r rune) bool { return r == ';' || r == ' ' || r == '\t' }) {
		j.After = append(j.After, strings.Clone(plaintext.FromCell(id)))
	}
	return nil
}

// setResources reads a list of resources with what each block holds.
func setResources(j *model.JobSpec, cell string) error {
	j.Resources = map[string]float64{}
	return eachPair(cell, "gpu=1;cpu=2.5", "resource", func(id, amount string) (twice bool, err error) {
		_, twice = j.Resources[id]
		j.Resources[id], err = lines.NonNegative(amount)
		return twice, err
	})
}

// setFeatures reads lists of features, of each of which one will do.
func setFeatures(j *model.JobSpec, cell string) error {
	for list := range strings.SplitSeq(cell, ";") {
		var names []string
		for name := range strings.SplitSeq(list, "|") {
			name = strings.Clone(plaintext.FromCell(strings.TrimSpace(name)))
			if checkID(name) != nil {
				return fmt.Errorf("expected lists of features such as a100|h100;ib, found %s", lines.Quote(cell))
			}
			names = append(names, name)
		}
		j.Features = append(j.Features, names)
	}
	return nil
}

// setLicences reads a list of licences with the copies needed.
func setLicences(j *model.JobSpec, cell string) error {
	j.Licences = map[string]int{}
	return eachPair(cell, "matlab=1;ansys=2", "licence", func(id, copies string) (twice bool, err error) {
		_, twice = j.Licences[id]
		j.Licences[id], err = lines.Whole(copies, 0)
		return twice, err
	})
}

// eachPair calls set for each id=number of a list.
func eachPair(cell, example, what string, set func(id, number string) (twice bool, err error)) error {
	for pair := range strings.SplitSeq(cell, ";") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		at := max(0, strings.LastIndexByte(pair, '=')) // the id may have others
		id := strings.Clone(plaintext.FromCell(strings.TrimSpace(pair[:at])))
		switch twice, err := set(id, strings.TrimSpace(strings.TrimPrefix(pair[at:], "="))); {
		case err != nil || checkID(id) != nil:
			return fmt.Errorf("expected a list such as %s, found %s", example, lines.Quote(pair))
		case twice:
			return fmt.Errorf("expected each %s once, found %s again", what, lines.Quote(id))
		}
	}
	return nil
}
