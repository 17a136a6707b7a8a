package place

import "testing"

// Weng et al. (2023), §6.1, DotProd, by hand: half of 8/16 · 4/16 + 2/4 · 0.5/4 is 0.09375 on the first machine.
func TestDot(t *testing.T) {
	b := newBench(t, "dot", twoMachines, threeJobs)
	b.expect(t, 0, 0, -90, -1) // ⌊100 · (1 − 0.09375)⌋
	b.expect(t, 0, 1, -81, -1) // ⌊100 · (1 − (1 · 4/16 + 1 · 0.5/4)/2)⌋
	b.expect(t, 2, 1, -93, -1) // ⌊100 · (1 − 1 · 2/16 / 2)⌋
	b.run(1, 1, -1)
	b.expect(t, 1, 1, -75, -1) // ⌊100 · (1 − (8/16 · 8/16 + 2/4 · 2/4)/2)⌋
}
