package jobcsv

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/model"
)

// column is a column of the table: its name, how a cell that is not empty goes into a job, and how the cell of a job is written.
type column struct {
	name    string
	set     func(job *model.JobSpec, cell string) error
	cell    func(job *model.JobSpec) string // empty: the field is absent
	cluster string                          // of a column of run times
}

// jobMemory is the column of the memory of a whole job. No field of a job is like it, so it is read when the number of processors is known.
const jobMemory = "job_memory"

// runtimePrefix begins the names of columns of run times.
const runtimePrefix = "runtime."

// columns lists all columns except those of run times, in the order of [model.JobSpec].
var columns = []column{
	text("id", func(j *model.JobSpec) *string { return &j.ID }),
	number("arrival", func(j *model.JobSpec) *float64 { return &j.Arrival }),
	processors("processors", func(j *model.JobSpec) *model.ProcessorRange { return &j.Processors }),
	count("tasks", func(j *model.JobSpec) *int { return &j.Tasks }),
	optional("work", func(j *model.JobSpec) **float64 { return &j.Work }),
	number("work_cv", func(j *model.JobSpec) *float64 { return &j.WorkCV }),
	optional("estimate", func(j *model.JobSpec) **float64 { return &j.Estimate }),
	{name: "reference_speed", set: setReferenceSpeed, cell: func(j *model.JobSpec) string { return plainNumber(j.ReferenceSpeed) }},
	text("span", func(j *model.JobSpec) *string { return &j.Span }, "machine", "cluster", "grid"),
	number("memory", func(j *model.JobSpec) *float64 { return &j.Memory }),
	number("input", func(j *model.JobSpec) *float64 { return &j.Input }),
	number("output", func(j *model.JobSpec) *float64 { return &j.Output }),
	number("message", func(j *model.JobSpec) *float64 { return &j.Message }),
	number("min_bandwidth", func(j *model.JobSpec) *float64 { return &j.MinBandwidth }),
	optional("deadline", func(j *model.JobSpec) **float64 { return &j.Deadline }),
	truth("deadline_hard", func(j *model.JobSpec) *bool { return &j.DeadlineHard }),
	optional("budget", func(j *model.JobSpec) **float64 { return &j.Budget }),
	{name: "licences", set: setLicences, cell: writeLicences},
	text("user", func(j *model.JobSpec) *string { return &j.User }),
	text("group", func(j *model.JobSpec) *string { return &j.Group }),
	text("queue", func(j *model.JobSpec) *string { return &j.Queue }),
	text("quality", func(j *model.JobSpec) *string { return &j.Quality }),
	text("user_class", func(j *model.JobSpec) *string { return &j.UserClass }),
	text("workflow", func(j *model.JobSpec) *string { return &j.Workflow }),
	{name: "after", set: setAfter, cell: func(j *model.JobSpec) string { return strings.Join(plaintext.Cells(slices.Clone(j.After)...), ";") }},
	count("block", func(j *model.JobSpec) *int { return &j.Block }),
	{name: "resources", set: setResources, cell: writeResources},
	processors("machines", func(j *model.JobSpec) *model.ProcessorRange { return &j.Machines }),
	count("per_machine", func(j *model.JobSpec) *int { return &j.PerMachine }),
	{name: "features", set: setFeatures, cell: writeFeatures},
	truth("exclusive", func(j *model.JobSpec) *bool { return &j.Exclusive }),
	text("reservation", func(j *model.JobSpec) *string { return &j.Reservation }),
	optional("power", func(j *model.JobSpec) **float64 { return &j.Power }),
	optional("recorded", func(j *model.JobSpec) **float64 { return &j.Recorded }),
	optional("requested", func(j *model.JobSpec) **float64 { return &j.Requested }),
}

// columnNamed is the column with the name.
func columnNamed(name string) (column, bool) {
	if k := slices.IndexFunc(columns, func(c column) bool { return c.name == name }); k >= 0 {
		return columns[k], true
	}
	if strings.HasPrefix(name, resultPrefix) || name == jobMemory {
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
	return column{name: name, set: set, cluster: cluster}, true
}

// number is a column of a number of at least 0.
func number(name string, field func(*model.JobSpec) *float64) column {
	set := func(j *model.JobSpec, cell string) (err error) {
		*field(j), err = lines.NonNegative(cell)
		return err
	}
	return column{name: name, set: set, cell: func(j *model.JobSpec) string { return plainNumber(*field(j)) }}
}

// optional is a column of a number of at least 0 where 0 is not the same as absent.
func optional(name string, field func(*model.JobSpec) **float64) column {
	set := func(j *model.JobSpec, cell string) error {
		x, err := lines.NonNegative(cell)
		*field(j) = &x
		return err
	}
	return column{name: name, set: set, cell: func(j *model.JobSpec) string { return numtext.Exact(*field(j)) }}
}

// text is a column of a text, one of those given if there are any. What is read is copied, so that no more of the row is held.
func text(name string, field func(*model.JobSpec) *string, among ...string) column {
	set := func(j *model.JobSpec, cell string) error {
		if k := slices.Index(among, cell); k >= 0 {
			*field(j) = among[k]
			return nil
		}
		if among != nil {
			return fmt.Errorf("expected one of %s, found %s", strings.Join(among, ", "), lines.Quote(cell))
		}
		cell = plaintext.FromCell(cell)
		*field(j) = strings.Clone(cell)
		return checkID(cell)
	}
	return column{name: name, set: set, cell: func(j *model.JobSpec) string { return plaintext.Cell(*field(j)) }}
}

// checkID says what a name should have been.
func checkID(id string) error {
	const most = 1000
	if id == "" || len(id) > most {
		return fmt.Errorf("expected a text of 1 to %d bytes, found %d bytes", most, len(id))
	}
	return nil
}

// processors is a column of a number or a range of processors or machines.
func processors(name string, field func(*model.JobSpec) *model.ProcessorRange) column {
	set := func(j *model.JobSpec, cell string) error {
		low, high, isRange := strings.Cut(cell, "-")
		if !isRange {
			n, err := lines.Whole(cell, 1)
			*field(j) = model.Rigid(n)
			return err
		}
		least, wrong := lines.Whole(strings.TrimSpace(low), 1)
		most, err := lines.Whole(strings.TrimSpace(high), 1)
		if wrong != nil || err != nil || least > most {
			return fmt.Errorf("expected a number of %s or a range such as 2-8, found %s", name, lines.Quote(cell))
		}
		*field(j) = model.Moldable(least, most)
		return nil
	}
	return column{name: name, set: set, cell: func(j *model.JobSpec) string { return writeRange(*field(j)) }}
}

// count is a column of a whole number of at least 1.
func count(name string, field func(*model.JobSpec) *int) column {
	set := func(j *model.JobSpec, cell string) (err error) {
		*field(j), err = lines.Whole(cell, 1)
		return err
	}
	return column{name: name, set: set, cell: func(j *model.JobSpec) string { return plainNumber(float64(*field(j))) }}
}

// setReferenceSpeed reads the speed that the estimate refers to. A 0 would count as absent.
func setReferenceSpeed(j *model.JobSpec, cell string) (err error) {
	j.ReferenceSpeed, err = lines.NonNegative(cell)
	if err == nil && j.ReferenceSpeed == 0 {
		err = errors.New("expected a number above 0, found 0")
	}
	return err
}

// truth is a column of true or false.
func truth(name string, field func(*model.JobSpec) *bool) column {
	set := func(j *model.JobSpec, cell string) error {
		switch strings.ToLower(cell) {
		case "true", "1":
			*field(j) = true
		case "false", "0":
		default:
			return fmt.Errorf("expected true or false, found %s", lines.Quote(cell))
		}
		return nil
	}
	return column{name: name, set: set, cell: func(j *model.JobSpec) string { return writeTruth(*field(j)) }}
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
