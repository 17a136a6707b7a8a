// Package starts reads the start of each job from schedules that other programs write: a table of comma-separated values (RFC 4180) or a
// trace in the Standard Workload Format with wait times. Such a schedule states only the number of processors, not which, so it contains
// less than a [model.Solution].
//
// # The table
//
// The first row names the columns. These columns count, in any order; all others are ignored:
//
//	job, job_id, id                            the id of the job, required; of Batsim's w0!12 what follows the last !
//	start, starting_time                       when it starts, required; empty or negative: never
//	end, finish_time                           when it ends; empty or negative: not stated
//	processors, requested_number_of_resources  how many it holds; empty, 0 or negative: not stated
//
// So it can read Batsim's table of jobs unchanged.
//
// # The trace
//
// The start is submit time (field 2) + wait time (field 3); a negative wait means that the job never starts. The end is the start + run
// time (field 4), and the processors are the allocated ones (field 5), where they are known. The other fields are not looked at.
package starts

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// Start says when a job starts.
type Start struct {
	Job        string
	Submit     float64 // NaN: not stated
	Start      float64 // NaN: never
	End        float64 // NaN: not stated
	Processors int     // 0: not stated
	Line       int     // of the file
}

// MaxJobs is the most jobs that a schedule may list.
const MaxJobs = 10_000_000

// columns are the names that a column may have.
var columns = [...][]string{
	{"job", "job_id", "id"},
	{"start", "starting_time"},
	{"end", "finish_time"},
	{"processors", "requested_number_of_resources"},
}

// Indices of the columns.
const (
	jobColumn = iota
	startColumn
	endColumn
	processorsColumn
)

// reader reads a file.
type reader struct {
	faults *lines.Faults
	seen   map[string]int // line of each job
	list   []Start
}

// ReadCSV reads a table. Errors call the file by the given name. The error is a [*model.InputError] that lists the faults line by line.
func ReadCSV(r io.Reader, name string) ([]Start, error) {
	t := &reader{faults: lines.NewFaults(name), seen: map[string]int{}}
	var places []int // by column: its place in a row; −1: absent
	t.faults.Rows(r, func(line int, cells []string) bool {
		places = t.header(line, cells)
		return places != nil
	}, func(line int, cells []string) bool {
		t.row(line, cells, places)
		return len(t.list) <= MaxJobs
	})
	return t.result()
}

// header finds the columns; nil: one that is required is not there.
func (t *reader) header(line int, cells []string) []int {
	places := make([]int, len(columns))
	for c, names := range columns {
		places[c] = -1
		for k, cell := range cells {
			if !slices.Contains(names, strings.TrimSpace(cell)) {
				continue
			}
			if places[c] >= 0 {
				t.faults.Line(line, "expected one column among %s, found two", strings.Join(names, ", "))
			}
			places[c] = k
		}
		if places[c] < 0 && c <= startColumn {
			t.faults.Line(line, "expected a column %s, found none among %s", strings.Join(names, " or "), lines.Quote(strings.Join(cells, ",")))
		}
	}
	if !t.faults.None() {
		return nil
	}
	return places
}

// row reads a job.
func (t *reader) row(line int, cells []string, places []int) {
	s := Start{Submit: math.NaN(), Start: math.NaN(), End: math.NaN(), Line: line}
	right := true
	for c, k := range places {
		if k < 0 {
			continue
		}
		cell := strings.TrimSpace(cells[k])
		var err error
		switch {
		case c == jobColumn:
			s.Job = strings.Clone(cell[strings.LastIndexByte(cell, '!')+1:])
		case cell == "":
		case c == startColumn:
			s.Start, err = known(cell)
		case c == endColumn:
			s.End, err = known(cell)
		case c == processorsColumn:
			s.Processors, err = count(cell)
		}
		if err != nil {
			t.faults.Line(line, "%s: %s", columns[c][0], err)
			right = false
		}
	}
	if right {
		t.add(s)
	}
}

// known reads a number; a negative one is not known and becomes NaN.
func known[T string | []byte](text T) (float64, error) {
	x, err := lines.Number(text)
	if x < 0 {
		x = math.NaN()
	}
	return x, err
}

// count reads a number of processors; a negative one is not known and becomes 0.
func count[T string | []byte](text T) (int, error) {
	if x, err := known(text); err != nil || math.IsNaN(x) {
		return 0, err
	}
	return lines.Whole(text, 0)
}

// add takes a job.
func (t *reader) add(s Start) {
	switch before, twice := t.seen[s.Job]; {
	case s.Job == "":
		t.faults.Line(s.Line, "job: expected the id of a job, found none")
	case len(s.Job) > model.MaxName:
		t.faults.Line(s.Line, "job: expected a text of 1 to %d bytes, found %d bytes", model.MaxName, len(s.Job))
	case twice:
		t.faults.Line(s.Line, "job: expected each job once, found %s, which line %d has", lines.Quote(s.Job), before)
	case !math.IsNaN(s.End) && !(s.End >= s.Start): // also an end without a start
		t.faults.Line(s.Line, "end: expected no end before the start, found job %s from %s to %s", lines.Quote(s.Job), number(s.Start), number(s.End))
	default:
		t.seen[s.Job] = s.Line
		t.list = append(t.list, s)
	}
}

// number is a time for people.
func number(x float64) string {
	if math.IsNaN(x) {
		return "never"
	}
	return fmt.Sprintf("%.15g", x)
}

// result is what was read, unless there are faults.
func (t *reader) result() ([]Start, error) {
	if len(t.list) > MaxJobs {
		t.faults.At("", "expected at most %d jobs, found more", MaxJobs)
	}
	if err := t.faults.Err(); err != nil {
		return nil, err
	}
	return t.list, nil
}

// fieldsLeast is the number of fields of a trace without which a job has no start.
const fieldsLeast = 5

// ReadSWF reads a trace with wait times. Errors call the file by the given name. The error is a [*model.InputError] that lists the
// faults line by line.
func ReadSWF(r io.Reader, name string) ([]Start, error) {
	t := &reader{faults: lines.NewFaults(name), seen: map[string]int{}}
	s := lines.NewScanner(r)
	for len(t.list) <= MaxJobs && s.Scan() {
		text := bytes.TrimSpace(s.Bytes())
		if len(text) == 0 || text[0] == ';' {
			continue
		}
		t.job(s.Line(), bytes.Fields(text))
	}
	s.Check(t.faults)
	return t.result()
}

// job reads a line of a trace.
func (t *reader) job(line int, fields [][]byte) {
	if len(fields) < fieldsLeast {
		t.faults.Line(line, "expected 18 fields, of which the first %d (up to the allocated processors) are needed, found %d", fieldsLeast, len(fields))
		return
	}
	id, err := lines.Number(fields[0])
	if err == nil && (id != math.Trunc(id) || math.Abs(id) > 1e15) {
		err = fmt.Errorf("expected a whole number of at most 1e15, found %s", lines.Quote(fields[0]))
	}
	submit, wrongSubmit := lines.NonNegative(fields[1])
	wait, wrongWait := known(fields[2])
	run, wrongRun := known(fields[3])
	processors, wrongProcessors := count(fields[4])
	right := true
	for k, fault := range []error{err, wrongSubmit, wrongWait, wrongRun, wrongProcessors} {
		if fault != nil {
			t.faults.Line(line, "field %d (%s): %s", k+1, [...]string{"job number", "submit time", "wait time", "run time", "allocated processors"}[k], fault)
			right = false
		}
	}
	if !right {
		return
	}
	s := Start{Job: fmt.Sprintf("%.0f", id), Submit: submit, Start: submit + wait, Processors: processors, Line: line}
	s.End = s.Start + run
	t.add(s)
}
