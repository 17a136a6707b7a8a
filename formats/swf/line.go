package swf

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// The fields that are read, counted from 0. The format counts from 1.
const (
	jobNumber           = 0
	submitTime          = 1
	runTime             = 3
	allocatedProcessors = 4
	averageCPUTime      = 5
	usedMemory          = 6
	requestedProcessors = 7
	requestedTime       = 8
	requestedMemory     = 9
	userNumber          = 11
	groupNumber         = 12
	queueNumber         = 14

	fieldsRead  = 15 // fields up to the last one read
	fieldsLeast = 5  // without the processors there is no job
	fieldsAll   = 18
)

// fieldNames are the format's names of the fields that are read.
var fieldNames = [fieldsRead]string{
	"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
	"requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue",
}

// record is the values of the fields that are read, −1 where a field is unknown or not needed.
type record [fieldsRead]float64

// split appends the fields of a line to the list, up to one more than there should be.
func split(line []byte, fields [][]byte) [][]byte {
	for len(line) > 0 && len(fields) <= fieldsAll {
		end := 0
		for end < len(line) && !isBlank(line[end]) {
			end++
		}
		fields = append(fields, line[:end])
		for end < len(line) && isBlank(line[end]) {
			end++
		}
		line = line[end:]
	}
	return fields
}

// isBlank says that fields may be apart by the byte.
func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\v' || b == '\f' }

// parse reads the fields that the options need and begins the list of oddities. It lists the faults and reports whether
// there are none.
func (t *trace) parse(line int, fields [][]byte, values *record) bool {
	if len(fields) < fieldsLeast {
		t.faults.Line(line, "expected %d fields, of which the first %d (up to %s) are needed, found %d",
			fieldsAll, fieldsLeast, fieldNames[fieldsLeast-1], len(fields))
		return false
	}
	t.oddity = t.oddity[:0]
	right := true
	for k := range values {
		values[k] = -1
		if k >= len(fields) || !t.needs(k) {
			continue
		}
		x, err := lines.Number(fields[k])
		if isName(k) && (err != nil || x != math.Trunc(x) || x > largestNumber) {
			t.kept(nameless[k]) // it is told apart from others only, so an odd one is no reason to refuse the trace
			continue
		}
		if err == nil {
			err = checkCount(k, x, fields[k])
		}
		if err != nil {
			t.faults.Line(line, "field %d (%s): %s", k+1, fieldNames[k], err)
			right = false
			continue
		}
		values[k] = x
	}
	if len(fields) < fieldsAll {
		t.repaired("fewer than 18 fields: the missing ones are unknown")
	}
	if len(fields) > fieldsAll {
		t.kept("more than 18 fields: the others are ignored")
	}
	return right
}

// needs says whether the options make use of a field.
func (t *trace) needs(field int) bool {
	switch field {
	case jobNumber, submitTime, runTime, allocatedProcessors, requestedProcessors, requestedTime, userNumber:
		return true
	case groupNumber, queueNumber:
		return t.copies != nil // not in a stream, whose jobs do not tell them
	case averageCPUTime:
		return t.opt.UnknownRuntime == repair
	case usedMemory:
		return t.opt.Memory == memoryUsed
	case requestedMemory:
		return t.opt.Memory == memoryRequested
	default:
		return false
	}
}

// isName says that a field names something by a number.
func isName(field int) bool {
	return field == userNumber || field == groupNumber || field == queueNumber
}

// largestNumber bounds the numbers of jobs, users, groups and queues. Some systems number them far beyond 2³¹; up to here a float64 tells them apart.
const largestNumber = 1e15

// nameless is what is odd about a job where a field that names something is no number.
var nameless = map[int]string{
	userNumber: "user is no whole number up to 10¹⁵: unknown", groupNumber: "group is no whole number up to 10¹⁵: unknown", queueNumber: "queue is no whole number up to 10¹⁵: unknown",
}

// checkCount says what a field that is a count should have been.
func checkCount(field int, x float64, text []byte) error {
	largest := float64(math.MaxInt32)
	switch field {
	case jobNumber:
		largest = largestNumber
	case allocatedProcessors, requestedProcessors:
	default:
		return nil
	}
	if x != math.Trunc(x) || math.Abs(x) > largest {
		return fmt.Errorf("expected a whole number of at most %.0f, found %s", largest, lines.Quote(text))
	}
	return nil
}

// header is what the comments before the first job say of the system and of time 0.
type header struct{ processors, nodes, start, zone headerValue }

// versions are the versions of the format.
var versions = []float64{1, 2, 2.1, 2.2}

// version notes a comment that states another version than there are. The trace is read nevertheless: its fields decide what it says.
func (t *trace) version(line int, comment []byte) {
	key, value, _ := bytes.Cut(comment, []byte(":"))
	if string(bytes.TrimSpace(key)) != "Version" {
		return
	}
	word, _, _ := bytes.Cut(bytes.TrimSpace(value), []byte(" "))
	if x, err := lines.Number(word); err != nil || !slices.Contains(versions, x) {
		t.report.NoteLine(model.ImportKept, "header: the version is none of 1, 2, 2.1 and 2.2; the trace is read as one of version 2.2", line)
	}
}

// headerValue is a value of the header with its line; the line is 0 if the value is absent.
type headerValue struct {
	text string
	line int
}

// read takes a comment of the header. Of a value such as "128 (two partitions of 64)" the first word counts.
func (h *header) read(line int, comment []byte) {
	key, value, found := bytes.Cut(comment, []byte(":"))
	if !found {
		return
	}
	target := &h.processors
	switch string(bytes.TrimSpace(key)) {
	case "MaxProcs":
	case "MaxNodes":
		target = &h.nodes
	case "UnixStartTime":
		target = &h.start
	case "TimeZoneString":
		target = &h.zone
	default:
		return
	}
	word, _, _ := strings.Cut(string(bytes.TrimSpace(value)), " ")
	*target = headerValue{word, line}
}

// system decides the number of processors of the system: the option, else the header.
func (t *trace) system() bool {
	t.width = t.opt.Processors
	for _, v := range []headerValue{t.header.processors, t.header.nodes} {
		if t.width > 0 || v.line == 0 {
			continue
		}
		n, err := lines.Whole(v.text, -1)
		if err == nil && n > model.MaxProcessors {
			t.faults.Line(v.line, "header: expected at most %d processors, found %d", model.MaxProcessors, n)
			return false
		}
		if err != nil {
			t.faults.Line(v.line, "header: %s; or give the number of processors (--processors)", err).Option = "processors"
			return false
		}
		t.width = max(n, 0) // −1 is unknown here too
	}
	if t.width == 0 {
		t.faults.At("", "expected a header with MaxProcs or MaxNodes before the first job, found neither: "+
			"give the number of processors (--processors)").Option = "processors"
	}
	return t.width > 0
}
