package muscle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/kit"
)

// TestTable2CompositionTable builds the composition table of Table 1 by Algorithm 1; a job larger than every space is in none.
func TestTable2CompositionTable(t *testing.T) {
	table, err := CompositionTable([]int{2, 1, 4, 3, 1, 2}, 6)
	if err != nil {
		t.Fatal(err)
	}
	want := [][][]int{nil, {{1}, {4}}, {{0}, {4, 1}, {5}}, {{1, 0}, {3}, {5, 4}}, {{2}, {3, 1}, {5, 0}}, {{2, 1}, {3, 0}}, {{2, 0}, {5, 3, 1}}}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Error(diff)
	}
	if table, err = CompositionTable([]int{9, 2, 7, 1}, 3); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][][]int{nil, {{3}}, {{1}}, {{3, 1}}}, table); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []struct {
		sizes   []int
		largest int
	}{{[]int{1, 0}, 3}, {[]int{1}, 0}} {
		if _, err := CompositionTable(bad.sizes, bad.largest); err == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}

// TestAlgorithms2And3InAnyState compares what they find with the literal algorithms after any jobs were allocated, which
// reaches searches that schedules rarely come to.
func TestAlgorithms2And3InAnyState(t *testing.T) {
	for _, widest := range []int{2, 4, 7, 20, 70} {
		t.Run(fmt.Sprint("widest=", widest), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { compareInAnyState(t, widest) })
		})
	}
}

func compareInAnyState(t *rapid.T, widest int) {
	largest := min(widest, rapid.SampledFrom([]int{2, 4, 30}).Draw(t, "largest"))
	n := rapid.SampledFrom([]int{3, 10, 25, 50}).Draw(t, "jobs")
	sizes := rapid.SliceOfN(rapid.IntRange(1, largest), n, n).Draw(t, "sizes")
	reference := &literal{sizes: sizes, widest: widest, done: map[int]bool{}}
	reference.algorithm1()
	table := newCompositionTable(int32s(sizes), widest, kit.NewPoll(context.Background()))
	table.build()
	share := rapid.IntRange(1, 9).Draw(t, "share")
	for job := range sizes {
		if rapid.IntRange(0, 9).Draw(t, "allocated") < share {
			reference.done[job] = true
			table.allocate(int32(job))
		}
	}
	for range 6 {
		r := rapid.IntRange(1, widest).Draw(t, "r")
		want := reference.algorithm3(r)
		if diff := cmp.Diff(want, ints(table.fill(r))); diff != "" {
			t.Fatalf("space of %d: %s", r, diff)
		}
		for _, job := range want {
			reference.done[job] = true
		}
	}
}

// TestAlgorithm2VisitsACompositionOnce holds a state, rare among random ones, in which the rule that Algorithm 2 looks
// through a composition at most once changes what is found.
func TestAlgorithm2VisitsACompositionOnce(t *testing.T) {
	sizes := []int{2, 1, 3, 1, 2, 1, 3, 1, 3, 1, 1, 3, 1, 1, 1, 2, 3, 1, 3, 3, 3, 3, 1, 3, 3, 3, 3, 2, 1, 3, 3, 1, 3, 3, 1, 1, 1, 3, 3, 2, 2, 1, 2, 2, 2, 2}
	reference := &literal{sizes: sizes, widest: 32, done: map[int]bool{}}
	reference.algorithm1()
	table := newCompositionTable(int32s(sizes), 32, kit.NewPoll(context.Background()))
	table.build()
	for job := range sizes {
		if !slices.Contains([]int{5, 27, 28, 44, 45}, job) {
			reference.done[job] = true
			table.allocate(int32(job))
		}
	}
	want := []int{27, 5, 44, 45, 28}
	if diff := cmp.Diff(want, reference.algorithm3(14)); diff != "" {
		t.Errorf("the reference: %s", diff)
	}
	if diff := cmp.Diff(want, ints(table.fill(14))); diff != "" {
		t.Error(diff)
	}
}

// int32s converts a list.
func int32s(list []int) []int32 {
	var out []int32
	for _, x := range list {
		out = append(out, int32(x))
	}
	return out
}

// ints converts a list.
func ints(list []int32) []int {
	var out []int
	for _, x := range list {
		out = append(out, int(x))
	}
	return out
}

// TestCanSum compares the sums that jobs have together with those of all their subsets.
func TestCanSum(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 5))
		sizes, sums := make([]int, 1+rng.IntN(10)), map[int]bool{}
		for k := range sizes {
			sizes[k] = 1 + rng.IntN(1+rng.IntN(70))
		}
		for set := range 1 << len(sizes) {
			sum := 0
			for k, s := range sizes {
				sum += set >> k & 1 * s
			}
			sums[sum] = true
		}
		table := newCompositionTable(int32s(sizes), 1000, kit.NewPoll(context.Background()))
		for rc := range 300 {
			if table.canSum(rc, 299) != sums[rc] {
				t.Errorf("sizes %v: canSum(%d) is %t", sizes, rc, !sums[rc])
			}
		}
	}
}
