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

// count counts the results of the tests so far.
type count struct {
	passed, failed int      // numbers of tests, without subtests
	broken         []string // packages that failed
	skipped        []skip
	output         map[string][]string // output of tests that have not ended yet, by package and test
}

// skip is a test or subtest that was skipped.
type skip struct{ test, reason string }

// add processes an event.
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

// end processes the end of a test or of a package.
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

// unfinished writes the output of a package's tests that did not end, for example because the program was killed.
func (c *count) unfinished(pkg string, out *bufio.Writer) {
	for _, key := range slices.Sorted(maps.Keys(c.output)) {
		if strings.HasPrefix(key, pkg+" ") {
			fmt.Fprint(out, strings.Join(c.output[key], ""))
			delete(c.output, key)
		}
	}
}

// showsPackage reports whether a line states the result of a package with tests.
func showsPackage(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t")
}

var logged = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)

// reason returns why a test was skipped: the last line that it logged.
func reason(lines []string) string {
	why := "no reason given"
	for _, line := range lines {
		if found := logged.FindStringSubmatch(line); found != nil {
			why = strings.TrimSpace(found[1])
		}
	}
	return why
}

// missing are the reasons that name a program that a machine may have.
var missing = regexp.MustCompile(`not installed|not found|not at hand|^no (node|python3|ssh-keygen|browser)|^there (is|are) no (shell|program)`)

// lacks counts the tests that were skipped because the machine lacks a program.
func (c *count) lacks() int {
	n := 0
	for _, s := range c.skipped {
		if missing.MatchString(s.reason) {
			n++
		}
	}
	return n
}

// write writes the count, and then each reason with the tests that were skipped for it. The most frequent reason comes first.
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
