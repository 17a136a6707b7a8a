package forecast

import (
	"math"
	"slices"
)

// calibration is what forecasts of the past say of a new one: which jobs should share a draw, and where P10, P50 and P90 should lie instead.
//
// Times until the start are seen on a logarithmic scale, on which the scores of trials are (truth − P50) ÷ (P90 − P50), or ÷ (P50 − P10) where the truth is below P50. The
// 10, 50 and 90 % quantiles of the scores say how far from P50 the new quantiles lie, in the widths of the new forecast: conformalized quantile regression with
// scores relative to the widths, each tail by itself (Y. Romano, E. Patterson, E. Candès, 2019, Conformalized quantile regression, NeurIPS 32; D. Kivaranovic, K. Johnson, H. Leeb,
// 2020, Adaptive, distribution-free prediction intervals for deep networks, AISTATS 23). Deviations: trials are not exchangeable, as they follow one another, so
// that nothing is guaranteed; their quantiles are those of the last days, and with few trials the new quantiles are between theirs and those of the futures.
type calibration struct {
	by     sharing
	unit   float64 // what is added to a time before its logarithm is taken
	trials []scored
	scores [3]float64 // for P10, P50 and P90
}

// scored is a trial on the logarithmic scale.
type scored struct {
	forecast logs
	truth    float64
	score    float64
}

// logs is a forecast on the logarithmic scale; the widths include thinnest.
type logs struct{ mid, below, above float64 }

const (
	// thinnest is added to widths: where futures nearly agree, the past may still say that they are wrong.
	thinnest = 0.05
	// prior is the number of trials that outweigh the futures by themselves as much as these count without any.
	prior = 10
)

// log is a time on the logarithmic scale.
func (c *calibration) log(time float64) float64 { return math.Log(max(0, time) + c.unit) }

// logs is a forecast made at a time on that scale.
func (c *calibration) logs(q Quantiles, at float64) logs {
	mid := c.log(q.P50 - at)
	return logs{mid, mid - c.log(q.P10-at) + thinnest, c.log(q.P90-at) - mid + thinnest}
}

// score is how far a time lies from P50.
func (l logs) score(time float64) float64 {
	if time < l.mid {
		return (time - l.mid) / l.below
	}
	return (time - l.mid) / l.above
}

// place is the time with a score.
func (l logs) place(score float64) float64 {
	if score < 0 {
		return l.mid + score*l.below
	}
	return l.mid + score*l.above
}

// learn adds a trial that was made at a time, for a job that starts at another, as far as it is known by now. It passes over a job that has not started where it may still start
// before P90, and one that in some futures never does.
func (c *calibration) learn(q Quantiles, at, start, now float64) {
	if !(start <= now) {
		start = now // at the earliest
		if q.P90 >= now {
			return
		}
	}
	if math.IsInf(q.P90, 1) {
		return
	}
	l, truth := c.logs(q, at), c.log(start-at)
	c.trials = append(c.trials, scored{l, truth, l.score(truth)})
}

// settle finds the quantiles of the scores, of which there are at least [leastTrials].
func (c *calibration) settle() {
	list := make([]float64, len(c.trials))
	for k := range list {
		list[k] = c.trials[k].score
	}
	slices.Sort(list)
	n := len(list)
	tail := (n + 1) / 10 // of n + 1 places, that many on either side
	c.scores = [3]float64{list[tail-1], (list[(n-1)/2] + list[n/2]) / 2, list[n-tail]}
}

// calibrated are P10, P50 and P90 on the logarithmic scale.
func (c *calibration) calibrated(l logs) [3]float64 {
	weight := float64(len(c.trials)) / float64(len(c.trials)+prior)
	times := [3]float64{l.mid - l.below + thinnest, l.mid, l.mid + l.above - thinnest}
	for k, score := range c.scores {
		times[k] = weight*l.place(score) + (1-weight)*times[k]
	}
	return times
}

// loss is the mean pinball loss of the trials on the logarithmic scale, once they are calibrated.
func (c *calibration) loss() float64 {
	sum := 0.0
	for k := range c.trials {
		t := c.calibrated(c.trials[k].forecast)
		q := Quantiles{t[0], t[1], t[2]}
		sum += q.Pinball(c.trials[k].truth)
	}
	return sum / float64(len(c.trials))
}

// of calibrates a forecast made at a time. It leaves alone a job that starts at once in all futures, or in some never.
func (c *calibration) of(q Quantiles, at float64) Quantiles {
	if len(c.trials) == 0 || q.P90 <= at || math.IsInf(q.P90, 1) {
		return q
	}
	times := c.calibrated(c.logs(q, at))
	for k := range times {
		times[k] = at + max(0, math.Exp(times[k])-c.unit)
	}
	return Quantiles{times[0], times[1], times[2]}
}
