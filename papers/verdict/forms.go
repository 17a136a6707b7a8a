package verdict

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/bench/statistics"
)

// Sample holds what was measured at a point of a figure: a value for each repetition. Values with the same index at two points belong to the same
// repetition.
type Sample struct {
	Point  string
	X      float64 // place on the axis
	Panel  string  // the part of the figure; a trend is looked for within each panel
	Values []float64
}

// interval is the mean of the values with its interval.
func (s *Sample) interval(confidence float64) (statistics.Interval, error) {
	return statistics.Mean(s.Values, confidence)
}

// Contrast returns, for each repetition, the sum over the points of coefficient times value. With coefficients that add up to 0 it is a difference
// or a difference of differences, an interaction.
func Contrast(at []Sample, coefficients []float64) []float64 {
	total := make([]float64, len(at[0].Values))
	for k := range at {
		for i, value := range at[k].Values {
			total[i] += coefficients[k] * value
		}
	}
	return total
}

// Changes returns, for each repetition, how much the regression line changes over the axis: its slope times the length of the axis. The slope is
// by least squares over all points. It is the same in all panels; each panel has its own level. ok is false if no panel has two places.
func Changes(at []Sample) (changes []float64, ok bool) {
	centre, length := centred(at)
	squares := 0.0
	for _, x := range centre {
		squares += x * x
	}
	if !(squares > 0) {
		return nil, false
	}
	for k := range centre {
		centre[k] *= length / squares
	}
	return Contrast(at, centre), true
}

// centred returns the places on the axis less the mean of their panel, and the length of the longest panel's axis.
func centred(at []Sample) (centre []float64, length float64) {
	centre = make([]float64, len(at))
	for _, members := range panels(at) {
		low, high, mean := math.Inf(1), math.Inf(-1), 0.0
		for _, k := range members {
			low, high, mean = min(low, at[k].X), max(high, at[k].X), mean+at[k].X/float64(len(members))
		}
		length = max(length, high-low)
		for _, k := range members {
			centre[k] = at[k].X - mean
		}
	}
	return centre, length
}

// panels returns the indices of the points of each panel, in the order of the points.
func panels(at []Sample) [][]int {
	var list [][]int
	index := map[string]int{}
	for k := range at {
		place, known := index[at[k].Panel]
		if !known {
			place = len(list)
			index[at[k].Panel] = place
			list = append(list, nil)
		}
		list[place] = append(list[place], k)
	}
	return list
}

// Correlations returns, for each repetition, Kendall's τ of the values and the places on the axis: the pairs that rise less those that fall, as a
// share of all pairs. Only pairs of points of the same panel count, and equal values neither rise nor fall. (gonum's Kendall counts equal values as
// rising.) ok is false if no panel has two points.
func Correlations(at []Sample) (taus []float64, ok bool) {
	pairs := 0.0
	taus = make([]float64, len(at[0].Values))
	for _, members := range panels(at) {
		for place, k := range members {
			for _, l := range members[:place] {
				pairs++
				for i := range taus {
					taus[i] += sign(at[k].X-at[l].X) * sign(at[k].Values[i]-at[l].Values[i])
				}
			}
		}
	}
	for i := range taus {
		taus[i] /= pairs
	}
	return taus, pairs > 0
}

// sign is −1, 0 or 1.
func sign(x float64) float64 { return float64(cmp.Compare(x, 0)) }

// Peak judges that the values rise and then fall along the axis (with Less: fall and then rise). It replicates if some point between the first and
// the last is shown to lie above both, at a confidence that allows for the choice among k such points: 1 − 0.05/k (Bonferroni). It does not
// replicate if each of them is shown to lie below one of the ends.
func Peak(claimed Direction, at []Sample) (Verdict, string, error) {
	if len(at) < 3 {
		return Undecided, fmt.Sprintf("expected at least 3 points, found %d", len(at)), nil
	}
	inner := at[1 : len(at)-1]
	below := 0
	for k := range inner {
		above, under := 0, false
		for _, end := range []*Sample{&at[0], &at[len(at)-1]} {
			values := Contrast([]Sample{inner[k], *end}, []float64{float64(claimed), -float64(claimed)})
			strict, err := statistics.Mean(values, 1-(1-Confidence)/float64(len(inner)))
			if err != nil {
				return "", "", err
			}
			plain, err := statistics.Mean(values, Confidence)
			if err != nil {
				return "", "", err
			}
			if strict.Low > 0 {
				above++
			}
			under = under || plain.High < 0
		}
		if above == 2 {
			return Replicates, "the peak is at " + inner[k].Point, nil
		}
		if under {
			below++
		}
	}
	if below == len(inner) {
		return Fails, "every point between is beyond one of the ends on the other side", nil
	}
	return Undecided, "no point between is shown to lie beyond both ends", nil
}

// Equivalent judges that the mean of each point is within ±margin of 0, by two one-sided tests at 5 % each (D. J. Schuirmann 1987,
// doi:10.1007/BF01068419). It does not replicate if the 95 % interval of a point lies wholly outside.
func Equivalent(margin float64, at []Sample) (Verdict, string, error) {
	var outside, unknown []string
	for k := range at {
		equal, err := twoOneSided(at[k].Values, margin)
		if err != nil {
			return "", "", err
		}
		plain, err := at[k].interval(Confidence)
		if err != nil {
			return "", "", err
		}
		switch {
		case equal:
		case plain.Low > margin || plain.High < -margin:
			outside = append(outside, at[k].Point)
		default:
			unknown = append(unknown, at[k].Point)
		}
	}
	switch {
	case len(outside) > 0:
		return Fails, fmt.Sprintf("a difference of more than %g is shown at %s", margin, places(outside, len(at))), nil
	case len(unknown) > 0 || len(at) == 0:
		return Undecided, fmt.Sprintf("neither within ±%g nor beyond at %s", margin, places(unknown, len(at))), nil
	}
	return Replicates, "", nil
}

// twoOneSided reports whether both one-sided t-tests reject, at 5 % each, that the mean is at most −margin and that it is at least margin.
func twoOneSided(x []float64, margin float64) (bool, error) {
	mean, err := statistics.Mean(x, Confidence)
	if err != nil || mean.N < 2 {
		return false, err
	}
	if mean.SD == 0 {
		return math.Abs(mean.Estimate) < margin, nil
	}
	deviation := mean.SD / math.Sqrt(float64(mean.N))
	lower := statistics.StudentTail((mean.Estimate+margin)/deviation, float64(mean.N-1))
	upper := statistics.StudentTail((margin-mean.Estimate)/deviation, float64(mean.N-1))
	return max(lower, upper) < 1-Confidence, nil
}

// Nearest judges whether the values of the named point are smaller than those of every other point. The values are distances from the
// paper's values. It replicates if each difference is shown, and does not replicate if another point is shown to be nearer.
func Nearest(named string, at []Sample) (Verdict, string, error) {
	var own *Sample
	for k := range at {
		if at[k].Point == named {
			own = &at[k]
		}
	}
	if own == nil || len(at) < 2 {
		return Undecided, fmt.Sprintf("expected %s and another point", named), nil
	}
	var nearer, unknown []string
	for k := range at {
		if at[k].Point == named {
			continue
		}
		ours, err := statistics.Mean(Contrast([]Sample{at[k], *own}, []float64{1, -1}), Confidence)
		if err != nil {
			return "", "", err
		}
		switch sideOf(More, ours, 0) {
		case shown:
		case opposite:
			nearer = append(nearer, at[k].Point)
		default:
			unknown = append(unknown, at[k].Point)
		}
	}
	switch {
	case len(nearer) > 0:
		return Fails, "nearer: " + strings.Join(nearer, "; "), nil
	case len(unknown) > 0:
		return Undecided, "not shown to be farther: " + strings.Join(unknown, "; "), nil
	}
	return Replicates, "", nil
}
