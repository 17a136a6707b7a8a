package unrelated

// Widths of the beam searches: each that misses its aim doubles the width.
const (
	firstWidth = 16
	lastWidth  = 512
)

// cyclesFirst is the number of cycles of annealing before the first beam search: far from the bound they are quicker.
const cyclesFirst = 5

// aimShares are the shares of the way from the lower bound to the best makespan at which beam searches aim. A miss turns to the next one.
var aimShares = []float64{0.6, 0.75, 0.9}

// Lengths of the annealing behind a beam search that missed its aim.
const (
	refitFirst = 100_000
	refitMost  = 1_000_000
)

// beginBeam begins a beam search if it is time for one: not before the first cycles, nor after a search that brought no schedule.
func (c *chain) beginBeam() bool {
	if !c.widens || c.cycles < cyclesFirst || c.failed {
		c.failed = false
		return false
	}
	share := aimShares[(c.misses+c.number)%len(aimShares)]
	c.beam = newBeam(c.p, 1+share*c.gap(min(c.known, c.best)), min(firstWidth<<min(c.misses, 20), lastWidth), &c.rng)
	return true
}

// widen goes on with the beam search for the given number of evaluations. An evaluation is a sum of loads that is compared, or the value of a job at
// some prices (see termsEach). The search makes a step at a time and pays for it afterwards, so the number is kept to exactly.
func (c *chain) widen(evaluations int64, stop func() bool) (made int64) {
	for made < evaluations {
		if c.debt > 0 {
			pay := min(c.debt, evaluations-made)
			c.debt -= pay
			made += pay
			continue
		}
		if c.beam == nil || stop() {
			return made
		}
		cost, ok := c.beam.step(stop)
		c.debt += cost
		switch {
		case !ok:
			c.beam, c.failed = nil, true
			c.misses++
		case c.beam.done():
			c.land(c.beam.schedule(), c.beam.aim)
			c.beam = nil
		}
	}
	return made
}

// land continues from the schedule of a beam search. If that missed its aim, the last machines are above their limits: then a cycle of annealing
// follows, which begins cold and aims at what the schedule would reach if all machines shared the load evenly.
func (c *chain) land(at []int32, aim float64) {
	c.restart(at)
	c.cycle.left = 0
	makespan := c.p.makespan(at, c.scratch)
	if makespan < c.best {
		c.best = makespan
		copy(c.bestAt, at)
		c.known = min(c.known, makespan)
		if c.gap(makespan) <= 1.02*(aim-1) {
			return
		}
	}
	c.misses++
	gap := c.gap(min(c.known, c.best))
	even := 0.1*gap - 1
	for _, load := range c.load {
		even += load
	}
	if even >= gap { // its regret alone is too much
		return
	}
	length := min(int64(c.misses)*refitFirst, refitMost)
	c.cycle = cycle{left: length, length: length, share: even / gap, hot: 0.01 * gap, cold: 1.5e-3 * gap}
	c.aimAt(1 + even)
}
