package main

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/needs"
)

// count counts the results of the tests so far.
type count struct {
	passed, failed int      // numbers of tests, without subtests
	broken         []string // packages that failed
	skipped        []skip
	output         map[string][]string   // output of tests that have not ended yet, by package and test
	lacks          map[string]needs.Need // what this machine lacks that tests need, by package and test
}

// skip is a test or subtest that was skipped.
type skip struct {
	test, reason string
	lacks        bool // what the reason names is something that this machine lacks
}

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
	case "attr":
		c.attribute(e)
	case "pass", "fail", "skip":
		c.end(e, c.output[key], out)
		delete(c.output, key)
	}
}

// attribute processes what a test says of itself: what it needs and this machine lacks.
func (c *count) attribute(e event) {
	need, ok := needs.Of(e.Value)
	if e.Key != needs.Key || !ok {
		return
	}
	if c.lacks == nil {
		c.lacks = map[string]needs.Need{}
	}
	c.lacks[e.Package+" "+e.Test] = need
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
		s := skip{e.Package + ": " + e.Test, reason(lines), false}
		if need, ok := c.lacks[e.Package+" "+e.Test]; ok {
			s.reason, s.lacks = need.String()+": "+need.Get, true
		}
		c.skipped = append(c.skipped, s)
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

// write writes the count, and then each reason with the tests that were skipped for it, last of all what this machine lacks and the way to get it.
func (c *count) write(out *bufio.Writer) {
	fmt.Fprintf(out, "\n%d tests passed, %d failed, %d skipped\n", c.passed, c.failed, len(c.skipped))
	if len(c.broken) > 0 {
		slices.Sort(c.broken)
		fmt.Fprintf(out, "failed packages: %s\n", strings.Join(c.broken, ", "))
	}
	c.writeReasons(out, false)
	if slices.ContainsFunc(c.skipped, func(s skip) bool { return s.lacks }) {
		fmt.Fprintln(out, "this machine lacks what these tests need:")
		c.writeReasons(out, true)
	}
}

// writeReasons writes the reasons of one kind. The most frequent one comes first.
func (c *count) writeReasons(out *bufio.Writer, lacks bool) {
	byReason := map[string][]string{}
	for _, s := range c.skipped {
		if s.lacks == lacks {
			byReason[s.reason] = append(byReason[s.reason], s.test)
		}
	}
	reasons := slices.SortedFunc(maps.Keys(byReason), func(a, b string) int {
		return cmp.Or(len(byReason[b])-len(byReason[a]), strings.Compare(a, b))
	})
	for _, why := range reasons {
		fmt.Fprintf(out, "%4d × %s\n         %s\n", len(byReason[why]), why, named(byReason[why]))
	}
}

// named names some tests.
func named(tests []string) string {
	const most = 3
	slices.Sort(tests)
	text := strings.Join(tests[:min(most, len(tests))], ", ")
	if len(tests) > most {
		text += fmt.Sprintf(" and %d more", len(tests)-most)
	}
	return text
}
