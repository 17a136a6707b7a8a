package model

import "math"

// PowerBalance is what the machines and the running jobs of a cluster take less what its power cap lets them take: at most 0 where they keep to the cap. It adds up like the checker, in about twice
// the digits of a float64, and allows what the checker allows: more than the cap by the rounding of the numbers that state it, 2⁻⁵² of the cap, is no more than the cap. As long as the powers of a cluster
// do not differ by factors of more than about 10¹⁴, both sums are exact, so that they agree.
type PowerBalance struct{ of amount }

// PowerBalance is that of the cluster when nothing runs, under a limit; +Inf: no limit.
func (c *Cluster) PowerBalance(limit float64) PowerBalance {
	b := PowerBalance{c.idlePower()}
	b.Limit(limit)
	return b
}

// Limit lets the cluster take as much as a cap allows; +Inf: as much as it likes, whatever it takes from then on.
func (b *PowerBalance) Limit(limit float64) {
	if math.IsInf(limit, 1) {
		b.of = amount{sum: math.Inf(-1)}
		return
	}
	b.of.add(limit, -1)
	b.of.add(limit*memoryRounding, -1)
}

// Take adds what processors of a power each take; a number below 0 gives it back.
func (b *PowerBalance) Take(power float64, processors int) {
	if !b.Unlimited() {
		b.of.add(power, float64(processors))
	}
}

// Unlimited says that there is no limit.
func (b *PowerBalance) Unlimited() bool { return math.IsInf(b.of.sum, -1) }

// Keeps says whether the cluster takes no more than it may.
func (b *PowerBalance) Keeps() bool { return b.of.sum <= -b.of.lost }

// Left is the power that the cluster may take more, rounded; below 0: it takes too much.
func (b *PowerBalance) Left() float64 { return -b.of.value() }

// Above says whether the balance is larger than another: less is left.
func (b *PowerBalance) Above(other *PowerBalance) bool {
	switch {
	case b.Unlimited():
		return false
	case other.Unlimited():
		return true
	}
	return b.of.sum-other.of.sum > other.of.lost-b.of.lost
}
