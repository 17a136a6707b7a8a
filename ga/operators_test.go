package ga

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// genomeOf is a genome of its own run that holds a copy of the schedule.
func genomeOf(r *run, s Schedule) *genome {
	g := r.blank()
	g.set(s)
	return g
}

// newTestRun is a run with the default parameters.
func newTestRun(c *Cluster, s Schedule, p Parameters) *run {
	return newRun(context.Background(), c, s.in(p.Coding), p, Limits{})
}

// isRight says what is wrong with a schedule: the order is a permutation, every mask has as many processors as its job needs
// and none outside the cluster.
func isRight(c *Cluster, s Schedule) string {
	sorted := slices.Sorted(slices.Values(s.Order))
	for k := range sorted {
		if int(sorted[k]) != k {
			return fmt.Sprint("no permutation: ", s.Order)
		}
	}
	words := Words(c.Processors)
	for k := range len(s.Masks) / max(1, words) {
		mask := s.Masks[k*words : (k+1)*words]
		n := 0
		for p := range words * 64 {
			if mask[p/64]&(1<<(p%64)) != 0 {
				if n++; p >= c.Processors {
					return fmt.Sprintf("processor %d of %d", p, c.Processors)
				}
			}
		}
		if n != c.Jobs[k].Size {
			return fmt.Sprintf("job %d has %d processors instead of %d", k, n, c.Jobs[k].Size)
		}
	}
	return ""
}

// eightOnFour are eight jobs of two processors on a cluster of four.
func eightOnFour() *Cluster {
	c := &Cluster{Processors: 4}
	for range 8 {
		c.Jobs = append(c.Jobs, Job{Size: 2, Duration: 1, Deadline: math.Inf(1)})
	}
	return c
}

// masksOf repeats a mask for eight jobs.
func masksOf(mask uint64) []uint64 { return slices.Repeat([]uint64{mask}, 8) }

func TestOrderCrossoverByHand(t *testing.T) {
	c := eightOnFour()
	a := Schedule{[]int32{3, 1, 7, 0, 2, 6, 5, 4}, masksOf(0b0011)}
	b := Schedule{[]int32{0, 1, 2, 3, 4, 5, 6, 7}, masksOf(0b1100)}
	r := newTestRun(c, a, NewParameters())
	child, mate := genomeOf(r, a), genomeOf(r, b)
	child.crossOrder(mate, 3)
	if want := []int32{3, 1, 7, 0, 2, 4, 5, 6}; !slices.Equal(child.Order, want) {
		t.Errorf("child %v, want %v", child.Order, want)
	}
	if !slices.Equal(mate.Order, b.Order) || !slices.Equal(mate.Masks, b.Masks) {
		t.Error("the mate has changed")
	}
}

func TestMaskCrossoverByHand(t *testing.T) {
	c := eightOnFour()
	order := []int32{3, 1, 7, 0, 2, 6, 5, 4}
	r := newTestRun(c, Schedule{order, masksOf(0b0011)}, NewParameters())
	mate := genomeOf(r, Schedule{[]int32{0, 1, 2, 3, 4, 5, 6, 7}, masksOf(0b1100)})
	repaired := map[uint64]int{}
	rng := rand.New(rand.NewSource(1))
	for range 1000 {
		// The cut is in front of bit 1 of the third job, which is job 7: it keeps its bit 0 and gets bits 2 and 3 of the mate.
		child := genomeOf(r, Schedule{order, masksOf(0b0011)})
		child.crossMasks(mate, 2, 1, rng)
		for k, id := range order {
			switch {
			case k < 2 && child.Masks[id] != 0b0011, k > 2 && child.Masks[id] != 0b1100:
				t.Fatalf("job %d at %d has %04b", id, k, child.Masks[id])
			case k == 2:
				repaired[child.Masks[id]]++
			}
		}
		r.spare = append(r.spare, child)
	}
	// 1101 has one processor too many: any two of the three may be left.
	for _, mask := range []uint64{0b1100, 0b1001, 0b0101} {
		if n := repaired[mask]; n < 270 || n > 400 {
			t.Errorf("%04b in %d of 1000", mask, n)
		}
	}
	if len(repaired) != 3 {
		t.Errorf("repaired to %v", repaired)
	}
}

func TestOperatorsKeepSchedulesRight(t *testing.T) {
	for name, coding := range codings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, s := drawCluster(t, 9, 140)
				r := newTestRun(&c, s, with(coding))
				rng := rand.New(rand.NewSource(rapid.Int64().Draw(t, "rng")))
				a, b := genomeOf(r, s), genomeOf(r, s)
				check := func(what string, g *genome) {
					if wrong := isRight(&c, g.Schedule); wrong != "" || (g.Masks == nil) != (coding == List) {
						t.Fatalf("%s: %s", what, wrong)
					}
				}
				a.shuffle(rng)
				check("shuffled", a)
				for range 5 {
					head, mate := slices.Clone(a.Order), Schedule{slices.Clone(b.Order), slices.Clone(b.Masks)}
					a.Crossover(b, rng)
					check("crossed", a)
					if a.Order[0] != head[0] || !slices.Equal(b.Order, mate.Order) || !slices.Equal(b.Masks, mate.Masks) {
						t.Fatal("the head is not that of the receiver, or the mate has changed")
					}
					b.Mutate(rng)
					check("mutated", b)
				}
				if clone := a.Clone().(*genome); !slices.Equal(clone.Order, a.Order) || !slices.Equal(clone.Masks, a.Masks) || &clone.Order[0] == &a.Order[0] {
					t.Fatal("a clone differs or shares memory")
				}
			})
		})
	}
}

func TestMutationProbabilities(t *testing.T) {
	c, s := randomCluster(10, 16, 8, 1)
	rng := rand.New(rand.NewSource(1))
	const n = 20_000
	for name, coding := range codings {
		r := newTestRun(&c, s, with(coding))
		g, before := genomeOf(r, s), genomeOf(r, s)
		swaps, moves, unlucky := 0, 0, 0
		for range n {
			before.set(g.Schedule)
			said := g.mutate(rng)
			moved, bits := 0, 0
			for k := range g.Order {
				if g.Order[k] != before.Order[k] {
					moved++
				}
			}
			for k := range g.Masks {
				bits += count([]uint64{g.Masks[k] ^ before.Masks[k]})
			}
			switch {
			case moved == 2:
				swaps++
			case moved != 0:
				t.Fatalf("%s: %d positions changed", name, moved)
			}
			switch {
			case bits == 2:
				moves++
			case bits != 0:
				t.Fatalf("%s: %d bits changed", name, bits)
			}
			if !said && moved+bits > 0 {
				unlucky++
			}
		}
		wantMoves := 0.5
		if coding == List {
			wantMoves = 0
		}
		if got := float64(swaps) / n; math.Abs(got-0.3) > 0.013 {
			t.Errorf("%s: swapped with probability %v", name, got)
		}
		if got := float64(moves) / n; math.Abs(got-wantMoves) > 0.015 {
			t.Errorf("%s: moved a bit with probability %v", name, got)
		}
		if unlucky > 0 {
			t.Errorf("%s: %d changes unreported, which leave a stale cost", name, unlucky)
		}
	}
}

func TestMoveNeedsRoom(t *testing.T) {
	mask := []uint64{0b111}
	moveBit(mask, 3, 3, rand.New(rand.NewSource(1)))
	if mask[0] != 0b111 {
		t.Errorf("%b", mask[0])
	}
}

// TestRandomMasksAreUniform checks by χ² at 0.1 % that all masks that an operator may make are equally likely.
func TestRandomMasksAreUniform(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	processors := []int32{0, 1, 2, 3, 4}
	for _, c := range []struct {
		name     string
		make     func(mask []uint64)
		outcomes int
		critical float64 // χ² of outcomes − 1 degrees of freedom
	}{
		{"draw 2 of 5", func(m []uint64) { draw(m, 2, processors, rng) }, 10, 27.88},
		{"repair 4 of 6 to 2", func(m []uint64) { m[0] = 0b110101; repair(m, 2, 6, rng) }, 6, 20.52},
		{"repair 1 of 5 to 3", func(m []uint64) { m[0] = 0b01000; repair(m, 3, 5, rng) }, 6, 20.52},
		{"move one of 3 of 5", func(m []uint64) { m[0] = 0b01101; moveBit(m, 3, 5, rng) }, 6, 20.52},
	} {
		const n = 30_000
		found := map[uint64]int{}
		mask := make([]uint64, 1)
		for range n {
			c.make(mask)
			found[mask[0]]++
		}
		if chi := chiSquare(found, n/float64(c.outcomes)); len(found) != c.outcomes || chi > c.critical {
			t.Errorf("%s: %d outcomes instead of %d, χ² %v: %v", c.name, len(found), c.outcomes, chi, found)
		}
	}
}

// chiSquare is χ² of counts that should all be equal.
func chiSquare[K comparable](found map[K]int, want float64) float64 {
	sum := 0.0
	for _, n := range found {
		sum += (float64(n) - want) * (float64(n) - want) / want
	}
	return sum
}

func TestSplice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "processors")
		a := rapid.SliceOfN(rapid.Uint64(), Words(n), Words(n)).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Uint64(), Words(n), Words(n)).Draw(t, "b")
		cut := rapid.IntRange(0, 64*Words(n)).Draw(t, "cut")
		child := slices.Clone(a)
		splice(child, b, cut)
		for p := range 64 * Words(n) {
			if from := map[bool][]uint64{true: a, false: b}[p < cut]; has(child, p) != has(from, p) {
				t.Fatalf("processor %d, cut at %d", p, cut)
			}
		}
	})
}

// has says whether the processor is in the mask.
func has(mask []uint64, processor int) bool { return mask[processor>>6]>>(processor&63)&1 != 0 }
