package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/papers/verdict"
)

// Count counts claims by what they show. A claim that repeats another, or that is a test of ours, has no verdict here.
type Count struct {
	Verdicts map[verdict.Verdict]int // as judged, see [Finding.Judged]
	Repeats  int                     // claims that are counted with another one
	Tests    int                     // claims that the paper does not state
	Outside  int                     // claims that the registered reading is not about
}

// countUnder counts the claims under a reading.
func countUnder(findings []Finding, r *Reading) Count {
	c := Count{Verdicts: map[verdict.Verdict]int{}}
	for k := range findings {
		if findings[k].Reading == r {
			c.add(&findings[k])
		}
	}
	return c
}

// add counts a finding.
func (c *Count) add(f *Finding) {
	switch {
	case f.Claim.NotStated != "":
		c.Tests++
	case f.Claim.Repeats != "":
		c.Repeats++
	case f.isOutside():
		c.Outside++
	default:
		judged, _ := f.Judged()
		c.Verdicts[judged]++
	}
}

// Total adds up counts.
func Total(counts ...Count) Count {
	total := Count{Verdicts: map[verdict.Verdict]int{}}
	for _, c := range counts {
		total.Repeats += c.Repeats
		total.Tests += c.Tests
		total.Outside += c.Outside
		for v, n := range c.Verdicts {
			total.Verdicts[v] += n
		}
	}
	return total
}

// Testable is the number of claims on which there is evidence.
func (c Count) Testable() int {
	return c.Verdicts[verdict.Replicates] + c.Verdicts[verdict.DirectionOnly] + c.Verdicts[verdict.Undecided] + c.Verdicts[verdict.Fails]
}

// String says what the claims show, such as "5 of 9 testable claims replicate, 4 do not; 2 could not be tested here".
func (c Count) String() string {
	parts := c.rest()
	if text := c.Evidence(); text != "" {
		parts = slices.Insert(parts, 0, text)
	}
	return strings.Join(parts, "; ")
}

// Evidence says what the testable claims show; empty: there are none.
func (c Count) Evidence() string {
	v, n := c.Verdicts, c.Testable()
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s replicate", v[verdict.Replicates], numtext.Counted(n, "testable claim"))
	if n == 1 {
		text = fmt.Sprintf("%d of 1 testable claim replicates", v[verdict.Replicates])
	}
	for _, more := range []struct {
		n    int
		text string
	}{{v[verdict.DirectionOnly], "in the direction only"}, {v[verdict.Undecided], "undecided"}, {v[verdict.Fails], map[bool]string{true: "does not", false: "do not"}[v[verdict.Fails] == 1]}} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.text)
		}
	}
	return text
}

// rest lists how many claims are not among the testable ones, and why.
func (c Count) rest() (parts []string) {
	for _, more := range []struct {
		n    int
		text string
	}{{c.Verdicts[verdict.NotTestable], "could not be tested here"}, {c.Verdicts[verdict.NotYet], "not run yet"}, {c.Outside, "outside of the reading"}, {c.Repeats, "counted with another"}, {c.Tests, "not the paper's"}} {
		if more.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", more.n, more.text))
		}
	}
	return parts
}
