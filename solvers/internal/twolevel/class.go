package twolevel

import "math"

// margin is how much later than at its submission a job may start and still meet its deadline by its estimate; at least 0.
func margin(deadline, estimate, submission float64) float64 {
	return max(0, deadline-estimate-submission)
}

// deadlinePart is the part of a priority for the deadline, from 0 to levels: high where the margin is small against the mean of the
// margins and against the estimate. The margin is finite.
func deadlinePart(margin, mean, estimate float64, levels int) int {
	if margin == 0 {
		return levels
	}
	level := marginLevel(margin, mean, levels)
	ratio := math.Inf(1)
	if estimate > 0 {
		ratio = margin / estimate
	}
	switch {
	case ratio >= float64(level+1):
		return 0
	case ratio >= 1:
		return level - int(ratio)
	case ratio == 0: // the margin is lost in the estimate
		return levels
	}
	return min(levels, level+halvings(ratio))
}

// marginLevel is the level of a margin: levels − k where it lies from S_k to S_k+1, with S_0 = 0, S_k = S_k−1 + u·2^k and S_levels twice
// the mean; 0 from there on.
func marginLevel(margin, mean float64, levels int) int {
	if margin >= 2*mean {
		return 0
	}
	piece := 2 * mean / (math.Ldexp(1, levels+1) - 2)
	end := 0.0
	for k := range levels {
		piece *= 2
		if end += piece; margin < end {
			return levels - k
		}
	}
	return 0
}

// halvings is ⌊−log₂ ratio⌋ of a ratio between 0 and 1, exactly.
func halvings(ratio float64) int {
	fraction, exponent := math.Frexp(ratio) // ratio = fraction · 2^exponent, ½ ≤ fraction < 1
	if fraction == 0.5 {
		return 1 - exponent
	}
	return -exponent
}

// licencePart is the part of a priority for asking for a number of the licences that there are: ⌈asked·levels/all⌉.
func licencePart(asked, all, levels int) int {
	if all == 0 {
		return 0
	}
	return (asked*levels + all - 1) / all
}

// window is the margins of the last jobs with deadlines.
type window struct {
	size    int
	margins []float64
	oldest  int
}

// mean is the mean of the margins in the window; of an empty one it is the margin of the job that asks.
func (w *window) mean(own float64) float64 {
	if len(w.margins) == 0 {
		return own
	}
	sum := 0.0
	for k := range w.margins {
		sum += w.margins[(w.oldest+k)%len(w.margins)]
	}
	return sum / float64(len(w.margins))
}

// add adds a margin in place of the oldest of a full window.
func (w *window) add(margin float64) {
	if len(w.margins) < w.size {
		w.margins = append(w.margins, margin)
		return
	}
	w.margins[w.oldest] = margin
	w.oldest = (w.oldest + 1) % w.size
}
