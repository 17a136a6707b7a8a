// Package verdict holds the rule by which a claim of a paper is judged: one pure function for each form of a claim.
//
// The functions take samples or intervals and know nothing of papers, policies or files. The rule was fixed before the runs that it judges, and is
// the same for all claims. It is never tuned to make a claim hold. Its main property: with fewer repetitions an interval becomes wider, and a wide
// interval is undecided. So a claim never replicates because little was measured.
package verdict

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
)

// Verdict states whether a claim replicates. Replication is meant as in the ACM's artifact review (2020): another team, with other code and other
// random workloads, reaches the same result.
type Verdict string

// Verdicts.
const (
	Replicates    Verdict = "replicates"
	DirectionOnly Verdict = "direction only"     // the side of 0 is the paper's, the size is not
	Fails         Verdict = "does not replicate" // the opposite is shown, or a difference is shown to be too small to matter
	Undecided     Verdict = "undecided"          // more repetitions could decide it
	NotTestable   Verdict = "not testable here"  // the numbers are no evidence for or against it
	NotYet        Verdict = "not yet"            // it was not run
)

// All lists the verdicts, those that fail first.
func All() []Verdict {
	return []Verdict{Fails, DirectionOnly, Undecided, Replicates, NotTestable, NotYet}
}

// The constants of the rule.
const (
	Confidence = 0.95 // of every interval
	Tolerance  = 0.25 // share of the paper's number: the largest half width of an interval that decides, and the largest distance from the paper's number
	Least      = 1.0  // percentage points: the half width need not be smaller than this, and a difference that is shown to be below it counts as none
	leastTau   = 0.1  // of Kendall's τ, which lies between −1 and 1: the same as Least
)

// Direction says on which side of 0 a difference is claimed to be.
type Direction float64

// Directions.
const (
	Less Direction = -1
	More Direction = 1
)

// side is what an interval shows about a claimed direction.
type side int

const (
	shown    side = iota // the whole interval lies on the claimed side of 0
	opposite             // the whole interval lies on the other side
	none                 // the interval holds 0 and lies within ±least: there is no difference that matters
	open                 // the interval holds 0 and is wider: it shows nothing
)

// words of a side that is not the claimed one.
var words = map[side]string{opposite: "the opposite is shown", none: "no difference is shown", open: "the interval holds 0"}

// sideOf compares an interval with a claimed direction.
func sideOf(claimed Direction, ours statistics.Interval, least float64) side {
	low, high := ours.Low, ours.High
	if claimed < 0 {
		low, high = -high, -low
	}
	switch {
	case low > 0:
		return shown
	case high < 0:
		return opposite
	case max(-low, high) <= least:
		return none
	}
	return open
}

// Widest is the largest half width of an interval that decides about the paper's number.
func Widest(paper float64) float64 { return max(Least, Tolerance*math.Abs(paper)) }

// Percentage judges a number in percent. If the whole interval lies on the other side of 0, the claim does not replicate. Otherwise an interval
// whose half width is larger than [Widest] is undecided. A narrower one replicates if it lies on the paper's side of 0, and if the paper's number
// is in it or our number is within a quarter of the paper's. It is direction only if only the side is the paper's. If it holds 0, the claim does not
// replicate, unless it also holds the paper's number: then it is undecided.
//
// So a claim that replicates is within Widest of the paper's number, whatever the number of repetitions. For a number of 4 % or more, a wider
// interval around the same estimate never makes a claim replicate. Below 4 % the least width of a point leaves a margin: an estimate that is
// between a quarter and a point off can replicate by an interval that holds the paper's number.
func Percentage(paper float64, ours statistics.Interval) (Verdict, string) {
	claimed := Direction(math.Copysign(1, paper))
	where := sideOf(claimed, ours, 0)
	if where == opposite {
		return Fails, words[opposite]
	}
	if !((ours.High-ours.Low)/2 <= Widest(paper)) {
		reason := fmt.Sprintf("the interval is wider than ±%.3g points", Widest(paper))
		switch band := Tolerance * math.Abs(paper); {
		case where == shown && (ours.Low > paper+band || ours.High < paper-band):
			reason = "the direction is the paper's and the size is not, but " + reason
		case where == shown:
			reason = "the direction is the paper's, but " + reason
		}
		return Undecided, reason
	}
	holds := paper >= ours.Low && paper <= ours.High
	if where != shown {
		if holds {
			return Undecided, "the interval holds 0 and the paper's number"
		}
		return Fails, words[none]
	}
	if holds || math.Abs(ours.Estimate-paper) <= Tolerance*math.Abs(paper) {
		return Replicates, ""
	}
	if math.Abs(ours.Estimate) < math.Abs(paper) {
		return DirectionOnly, "smaller than the paper's"
	}
	return DirectionOnly, "larger than the paper's"
}

// At is an interval at a point of a figure, with the point's name.
type At struct {
	Point string
	Value statistics.Interval
}

// Signs judges a direction at each of the points. It replicates if every interval shows it. It does not replicate if one shows the opposite, or
// shows that there is no difference. Otherwise it is undecided.
func Signs(claimed Direction, at []At) (Verdict, string) {
	points := map[side][]string{}
	for _, p := range at {
		s := sideOf(claimed, p.Value, Least)
		points[s] = append(points[s], p.Point)
	}
	return gathered(points, len(at))
}

// gathered makes the verdict of the sides at all points.
func gathered(points map[side][]string, total int) (Verdict, string) {
	var reasons []string
	for _, s := range []side{opposite, none, open} {
		if len(points[s]) > 0 {
			reasons = append(reasons, words[s]+" at "+places(points[s], total))
		}
	}
	if n := len(points[shown]); n > 0 && n < total {
		reasons = append(reasons, fmt.Sprintf("shown at %d of %d points", n, total))
	}
	reason := strings.Join(reasons, "; ")
	switch {
	case len(points[opposite])+len(points[none]) > 0:
		return Fails, reason
	case len(points[open]) > 0 || total == 0:
		return Undecided, reason
	}
	return Replicates, ""
}

// places names points in words.
func places(names []string, total int) string {
	if len(names) == total && total > 2 {
		return "every point"
	}
	return strings.Join(names, "; ")
}

// Difference judges the direction of one interval in percentage points: a trend, or an interaction.
func Difference(claimed Direction, ours statistics.Interval) (Verdict, string) {
	return difference(claimed, ours, Least)
}

// Correlation judges the direction of an interval of Kendall's τ.
func Correlation(claimed Direction, ours statistics.Interval) (Verdict, string) {
	return difference(claimed, ours, leastTau)
}

func difference(claimed Direction, ours statistics.Interval, least float64) (Verdict, string) {
	switch s := sideOf(claimed, ours, least); s {
	case shown:
		return Replicates, ""
	case open:
		return Undecided, words[open]
	default:
		return Fails, words[s]
	}
}

// Limits judges an absolute limit at each of the points: each value is at most (or, with More, at least) the limit. It replicates if every whole
// interval keeps the limit, and does not replicate if one whole interval breaks it.
func Limits(claimed Direction, limit float64, at []At) (Verdict, string) {
	var broken, unknown []string
	for _, p := range at {
		low, high := p.Value.Low-limit, p.Value.High-limit
		if claimed < 0 {
			low, high = -high, -low
		}
		switch {
		case low >= 0:
		case high < 0:
			broken = append(broken, p.Point)
		default:
			unknown = append(unknown, p.Point)
		}
	}
	switch {
	case len(broken) > 0:
		return Fails, "the limit is broken at " + places(broken, len(at))
	case len(unknown) > 0 || len(at) == 0:
		return Undecided, "the interval holds the limit at " + places(unknown, len(at))
	}
	return Replicates, ""
}
