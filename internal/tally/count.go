package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// count is what became of the tests so far.
type count struct {
	passed, failed int      // tests, without their parts
	broken         []string // packages that failed
	skipped        []skip
	output         map[string][]string // lines of what has not ended yet, by package and test
}

// skip is a test, or a part of one, that was skipped.
type skip struct{ test, reason string }

// add takes an event in.
func (c *count) add(e event, out *bufio.Writer) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(out, e.Output)
	case "output":
		if c.output == nil {
			c.output = map[string][]string{}
		}
		if e.Test == "" && showsPackage(e.Output) {
			fmt.Fprint(out, e.Output)
			return
		}
		c.output[key] = append(c.output[key], e.Output)
	case "pass", "fail", "skip":
		c.end(e, c.output[key], out)
		delete(c.output, key)
	}
}

// end takes the end of a test, or of a package, in.
func (c *count) end(e event, lines []string, out *bufio.Writer) {
	part := strings.Contains(e.Test, "/")
	switch {
	case e.Action == "fail": // of a package: what is said outside of tests
		for _, line := range lines {
			fmt.Fprint(out, line)
		}
		if e.Test == "" {
			c.broken = append(c.broken, e.Package)
			c.unfinished(e.Package, out)
		}
		if e.Test != "" && !part {
			c.failed++
		}
	case e.Test == "":
	case e.Action == "skip":
		c.skipped = append(c.skipped, skip{e.Package + ": " + e.Test, reason(lines)})
	case !part:
		c.passed++
	}
}

// unfinished writes what tests of a package said that did not end, as where the program was ended in the middle.
func (c *count) unfinished(pkg string, out *bufio.Writer) {
	for _, key := range slices.Sorted(maps.Keys(c.output)) {
		if strings.HasPrefix(key, pkg+" ") {
			fmt.Fprint(out, strings.Join(c.output[key], ""))
			delete(c.output, key)
		}
	}
}

// showsPackage says that a line is the result of a package with tests.
func showsPackage(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t")
}

var logged = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)

// reason is what a test said when it was skipped: its last words.
func reason(lines []string) string {
	why := "no reason given"
	for _, line := range lines {
		if found := logged.FindStringSubmatch(line); found != nil {
			why = strings.TrimSpace(found[1])
		}
	}
	return why
}

// write writes the count, and the reasons with the tests that were skipped for each: the one that took most of them first.
func (c *count) write(out *bufio.Writer) {
	fmt.Fprintf(out, "\n%d tests passed, %d failed, %d skipped\n", c.passed, c.failed, len(c.skipped))
	if len(c.broken) > 0 {
		slices.Sort(c.broken)
		fmt.Fprintf(out, "failed packages: %s\n", strings.Join(c.broken, ", "))
	}
	byReason := map[string][]string{}
	var reasons []string
	for _, s := range c.skipped {
		if byReason[s.reason] == nil {
			reasons = append(reasons, s.reason)
		}
		byReason[s.reason] = append(byReason[s.reason], s.test)
	}
	slices.SortFunc(reasons, func(a, b string) int {
		return cmp.Or(len(byReason[b])-len(byReason[a]), strings.Compare(a, b))
	})
	const most = 3 // tests that are named
	for _, why := range reasons {
		tests := byReason[why]
		slices.Sort(tests)
		named := strings.Join(tests[:min(most, len(tests))], ", ")
		if len(tests) > most {
			named += fmt.Sprintf(" and %d more", len(tests)-most)
		}
		fmt.Fprintf(out, "%4d × %s\n         %s\n", len(tests), why, named)
	}
}
