package bench

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// RecogniseBytes is how much of a file [Recognise] looks at.
const RecogniseBytes = 1 << 16

// Recognise says which foreign format a file seems to have, by the begin of its contents, which are decompressed, and failing that by the end of its name. It
// is a guess for a message: the reader of the format says whether the file is right.
func Recognise(name string, begin []byte) (FormatInfo, bool) {
	begin = bytes.TrimSpace(bytes.TrimPrefix(begin[:min(len(begin), RecogniseBytes)], []byte("\ufeff")))
	format := ""
	switch {
	case bytes.IndexByte(begin, 0) >= 0: // not a text
	case len(begin) > 0 && begin[0] == '{':
		if workflow.Match(begin) && ofWorkflow.Match(begin) && !bytes.Contains(begin, []byte(`"allot/`)) {
			format = "wfformat"
		}
	case len(begin) > 0 && begin[0] != '[':
		if format = formatOfText(begin); format == "" {
			format = formatOfName(name)
		}
	}
	for _, info := range Formats() {
		if info.Name == format {
			return info, true
		}
	}
	return FormatInfo{}, false
}

// Files of WfFormat match both, instances match neither. One match proves little, because many formats have a
// schemaVersion.
var (
	workflow   = regexp.MustCompile(`"workflow"\s*:\s*\{`)
	ofWorkflow = regexp.MustCompile(`"(schemaVersion|specification|tasks)"\s*:`)
)

// formatOfText is the format of a file of lines that is not JSON; empty: none that we know.
func formatOfText(begin []byte) string {
	line, _, _ := strings.Cut(string(begin), "\n")
	fields, cells := strings.Fields(line), strings.Split(line, ",")
	for k, cell := range cells {
		cells[k] = strings.Trim(strings.TrimSpace(cell), `"`)
	}
	has := func(name string) bool { return slices.Contains(cells, name) }
	switch {
	case strings.HasPrefix(line, "JobId="), strings.HasPrefix(line, "JobID|"):
		return "sacct"
	case isSWF(string(begin)):
		return "swf"
	case isPSPLIB(string(begin)), isPatterson(string(begin)):
		return "rcpsp"
	case has("job_id") && has("submission_time"):
		return "batsim"
	case has("id") && (has("work") || has("estimate") || slices.ContainsFunc(cells, func(cell string) bool { return strings.HasPrefix(cell, "runtime.") })):
		return "jobs"
	case (len(fields) == 2 || len(fields) == 3) && sizes(fields[:2]) && numbers(fields):
		return "etc"
	}
	return ""
}

// isSWF reports whether a text has only comments, or whether the first line after them is a job of the Standard Workload Format. Other formats have
// such comments too.
func isSWF(text string) bool {
	const columns = 18
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && !strings.HasPrefix(fields[0], ";") {
			return len(fields) == columns && numbers(fields)
		}
	}
	return true
}

// isPSPLIB says that a text is of the layout of PSPLIB: its first line is a rule of stars or names the file's origin, and the head counts the jobs.
func isPSPLIB(text string) bool {
	return (strings.HasPrefix(text, "***") || strings.HasPrefix(text, "file with basedata")) && headOfPSPLIB.MatchString(text)
}

// headOfPSPLIB finds the number of jobs in the head of a file of PSPLIB.
var headOfPSPLIB = regexp.MustCompile(`(?m)^jobs\s*\(incl\. supersource/sink \)\s*:`)

// isPatterson reports whether a text of numbers has Patterson's layout: whole numbers, and a first activity that is a dummy, with duration 0, no
// demands, and as many successors as it states. A matrix of execution times hardly begins like that.
func isPatterson(text string) bool {
	words := strings.Fields(text)
	number := func(k int) int {
		if k < len(words) {
			if n, err := strconv.Atoi(words[k]); err == nil {
				return n
			}
		}
		return -1
	}
	activities, resources := number(0), number(1)
	if activities < 2 || resources < 0 || resources > len(words) {
		return false
	}
	dummy := 2 + resources
	for k := range 1 + resources {
		if number(dummy+k) != 0 || k < resources && number(2+k) < 0 {
			return false
		}
	}
	count := dummy + 1 + resources
	if number(count) < 1 || number(count) > len(words) {
		return false
	}
	for k := range number(count) {
		if next := number(count + 1 + k); next < 2 || next > activities {
			return false
		}
	}
	return true
}

// sizes says that all words are whole numbers above 0.
func sizes(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		n, err := strconv.Atoi(word)
		return err != nil || n < 1
	})
}

// numbers says that all words are numbers.
func numbers(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		_, err := strconv.ParseFloat(word, 64)
		return err != nil
	})
}

// formatOfName is the format by the end of a file's name; empty: none that we know.
func formatOfName(name string) string {
	switch filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")) {
	case ".swf":
		return "swf"
	case ".etc":
		return "etc"
	case ".sm", ".rcp":
		return "rcpsp"
	case ".csv":
		return "jobs" // whose reader says which columns it needs
	}
	return ""
}
