package tune

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// raceText says where a race stands.
func raceText(iteration, alive, heats int) string {
	return fmt.Sprintf("race %d: %s after %s", iteration, numtext.Counted(alive, "candidate"), numtext.Counted(heats, "run"))
}

// Text is the answer for people. The first line is what to paste.
func (a *Answer) Text() string {
	var b strings.Builder
	if a.Keep {
		fmt.Fprintf(&b, "keep %s\n", a.Recommended)
	} else {
		fmt.Fprintf(&b, "%s\n", a.Recommended)
	}
	fmt.Fprintf(&b, "\n%s%s.\n", strings.ToUpper(a.Why[:1]), a.Why[1:])
	if a.Found != a.Question.Solver {
		fmt.Fprintf(&b, "\nBest of the races: %s\n", a.Found)
	}
	a.gain(&b, "set aside", a.HeldOut)
	a.gain(&b, "in the races", a.Training)
	if h, t := a.HeldOut, a.Training; h != nil && t != nil && h.Ratio != nil && t.Ratio != nil {
		if more := *h.Ratio - *t.Ratio; more > 0.0005 {
			fmt.Fprintf(&b, "  The races overstated the gain by %.3g points of 100: what was set aside had no part in the choice.\n", 100*more)
		}
	}
	fmt.Fprintf(&b, "\n%s in %s.\n", numtext.CountedGrouped(a.Runs, "run"), numtext.Counted(len(a.Races), "race"))
	return b.String()
}

// gain writes one line.
func (a *Answer) gain(b *strings.Builder, where string, g *Gain) {
	if g == nil {
		return
	}
	cases := "instance"
	if a.Question.Trace != "" {
		if cases = "job"; g == a.Training {
			cases = "window"
		}
	}
	fmt.Fprintf(b, "  %-12s ", where)
	switch {
	case g.Ratio == nil:
		fmt.Fprintf(b, "no ratio of %s", a.Question.Metric)
	case g.Low == nil:
		fmt.Fprintf(b, "%s %.3f times that of %s, no interval", a.Question.Metric, *g.Ratio, a.Question.Solver)
	default:
		fmt.Fprintf(b, "%s %.3f times that of %s (%.3g %%: %.3f to %.3f)", a.Question.Metric, *g.Ratio, a.Question.Solver, 100*a.Question.Confidence, *g.Low, *g.High)
	}
	fmt.Fprintf(b, "; of %s %s better, %s worse\n", numtext.CountedGrouped(g.Cases, cases), numtext.Grouped(strconv.Itoa(g.Better)), numtext.Grouped(strconv.Itoa(g.Worse)))
}
