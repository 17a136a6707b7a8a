package swf

import (
	"io"
	"strconv"

	"github.com/allot-opt/allot/formats/lines"
)

// Usage is what a trace says of a job besides what its instance has: the number of its program, and its memory. Figures that are not known are −1.
type Usage struct {
	Name   string  // of the executable; empty: not known
	Memory float64 // MB that all of the job asked for
	Used   float64 // MB that all of it used
}

// ReadUsage reads a trace a second time, for programs and memory, by the id that a [Reader] gives the job. Where a number stands twice, nothing is known. What cannot be read is not known: the Reader says what is
// wrong with a file. The error is that of reading. O(size of the file).
func ReadUsage(r io.Reader) (map[string]Usage, error) {
	const executable = 13
	usage, twice := map[string]Usage{}, map[string]bool{}
	r, faults := lines.Begin(r, "")
	scanner := lines.NewScanner(r)
	var fields [][]byte
	whole := -1.0 // the number of the last line that is no part of a job
	for scanner.Scan() {
		line := scanner.Bytes()
		if len(line) == 0 || line[0] == ';' {
			continue
		}
		fields = split(line, fields[:0])
		value := func(k int) float64 {
			if k >= len(fields) {
				return -1
			}
			x, err := lines.Number(fields[k])
			if err != nil || x < 0 {
				return -1
			}
			return x
		}
		number, processors := value(jobNumber), value(allocatedProcessors)
		switch partial := isPartial(fields); {
		case partial && number == whole:
			continue
		case !partial:
			whole = number
		}
		if processors <= 0 {
			processors = value(requestedProcessors)
		}
		if number < 0 || processors <= 0 {
			continue
		}
		const kilobytes = 1024
		u := Usage{Memory: -1, Used: -1}
		if x := value(executable); x >= 0 {
			u.Name = strconv.FormatFloat(x, 'f', -1, 64)
		}
		if x := value(requestedMemory); x > 0 {
			u.Memory = x * processors / kilobytes
		}
		if x := value(usedMemory); x > 0 {
			u.Used = x * processors / kilobytes
		}
		id := strconv.FormatFloat(number, 'f', -1, 64)
		if _, known := usage[id]; known {
			twice[id] = true
		}
		usage[id] = u
	}
	scanner.Check(faults)
	for id := range twice {
		delete(usage, id)
	}
	return usage, faults.Err()
}
