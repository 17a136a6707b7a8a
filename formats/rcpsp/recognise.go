package rcpsp

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats"
)

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "a project with scarce resources, from PSPLIB (.sm) or in Patterson's layout (.rcp)", Example: "allot import rcpsp j301_1.sm", Order: 6,
	New: func() formats.Reader { return NewReader() }, Extensions: []string{".sm", ".rcp"},
	Looks: func(begin string) bool { return isPSPLIB(begin) || isPatterson(begin) },
})

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
