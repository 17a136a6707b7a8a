package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// leftOut counts the jobs that something touches that the instance leaves out: policies see something else for them than Slurm does.
type leftOut struct {
	touched int
	counts  model.ImportReport // by reason
}

// note counts a reason for a job; first says that it is the first one of the job.
func (l *leftOut) note(reason, where string, first bool) {
	l.counts.Note(model.ImportKept, reason, where)
	if first {
		l.touched++
	}
}

// warning says what touches more than 2 % of all jobs; empty: it is less.
func (l *leftOut) warning(all int, what string) string {
	const hundredths = 2
	if l.touched*100 <= hundredths*all {
		return ""
	}
	notes := slices.Clone(l.counts.Notes)
	slices.SortStableFunc(notes, func(a, b model.ImportNote) int { return b.Count - a.Count })
	var parts []string
	for k, n := range notes {
		if k == mostShown {
			parts = append(parts, fmt.Sprintf("and %d more", len(notes)-k))
			break
		}
		reason, _, _ := strings.Cut(n.Reason, ":")
		parts = append(parts, fmt.Sprintf("%d %s", n.Count, reason))
	}
	return fmt.Sprintf("%d of %s (%.1f %%) are touched by what the instance leaves out: %s", l.touched, numtext.Counted(all, what), 100*float64(l.touched)/float64(all), strings.Join(parts, "; "))
}

// atLine is the place of a line.
func atLine(line int) string { return "line " + strconv.Itoa(line) }
