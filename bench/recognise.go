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
	case len(begin) > 0 && begin[0] == '{':
		if wfFormat.Match(begin) && !bytes.Contains(begin, []byte(`"allot/`)) {
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

// wfFormat matches what files of WfFormat have and instances have not.
var wfFormat = regexp.MustCompile(`"schemaVersion"\s*:|"workflow"\s*:\s*\{`)

// formatOfText is the format of a file of lines that is not JSON; empty: none that we know.
func formatOfText(begin []byte) string {
	const columnsOfSWF = 18
	line, _, _ := strings.Cut(string(begin), "\n")
	fields, cells := strings.Fields(line), strings.Split(line, ",")
	for k, cell := range cells {
		cells[k] = strings.Trim(strings.TrimSpace(cell), `"`)
	}
	has := func(name string) bool { return slices.Contains(cells, name) }
	switch {
	case line[0] == ';' || len(fields) == columnsOfSWF && numbers(fields):
		return "swf"
	case has("job_id") && has("submission_time"):
		return "batsim"
	case has("id") && (has("work") || has("estimate") || slices.ContainsFunc(cells, func(cell string) bool { return strings.HasPrefix(cell, "runtime.") })):
		return "jobs"
	case (len(fields) == 2 || len(fields) == 3) && numbers(fields):
		return "etc"
	}
	return ""
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
	case ".csv":
		return "jobs" // whose reader says which columns it needs
	}
	return ""
}
