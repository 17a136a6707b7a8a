package statistics

// Magnitude is an effect in words.
type Magnitude string

// The magnitudes, in order.
const (
	Negligible Magnitude = "negligible"
	Small      Magnitude = "small"
	Medium     Magnitude = "medium"
	Large      Magnitude = "large"
)

// VarghaDelaney is A₁₂, the probability that a value of a is greater than one of b, ties half: Σ(1[aᵢ > bⱼ] + ½·1[aᵢ = bⱼ])/(m·n). With costs ½ is no difference
// and less than ½ in favour of a. Failed runs tie after all others. Empty samples and −Inf are errors. O((m + n) log(m + n)).
//
// A. Vargha, H. D. Delaney (2000), A critique and improvement of the CL common language effect size statistics of McGraw and Wong,
// doi:10.3102/10769986025002101.
func VarghaDelaney(a, b []float64) (float64, error) {
	return 0, errUnwritten
}

// CliffDelta is P(a > b) − P(a < b) over all pairs, from −1 to 1: 2·A₁₂ − 1 of VarghaDelaney. With costs less than 0 is in favour of a.
//
// N. Cliff (1993), Dominance statistics: ordinal analyses to answer ordinal questions, doi:10.1037/0033-2909.114.3.494.
func CliffDelta(a, b []float64) (float64, error) {
	return 0, errUnwritten
}

// MagnitudeOf is the word for a delta of Cliff (or a rank-biserial correlation, or 2·A₁₂ − 1): |delta| at least 0.12 small, 0.28 medium, 0.42
// large, which are the thresholds 0.56, 0.64 and 0.71 of A₁₂ that Vargha and Delaney (2000, doi:10.3102/10769986025002101) match with Cohen's. A word
// for the eye, not a test.
func MagnitudeOf(delta float64) Magnitude {
	return Negligible
}
