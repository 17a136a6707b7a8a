package bound

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
)

// The sets of k of n jobs are those whose bits count k; where there are more than most, none are given, however many jobs there are.
func TestSubsets(t *testing.T) {
	for n := range 11 {
		jobs := make([]int, n)
		for j := range jobs {
			jobs[j] = 3*j + 1
		}
		for count := range n + 1 {
			var want []string
			for set := range 1 << n {
				if bits.OnesCount(uint(set)) != count {
					continue
				}
				var some []int
				for j := range jobs {
					if set>>j&1 == 1 {
						some = append(some, jobs[j])
					}
				}
				want = append(want, fmt.Sprint(some))
			}
			for _, most := range []int{1, 5, 32, 1000} {
				var got []string
				for _, some := range subsets(jobs, count, most) {
					got = append(got, fmt.Sprint(some))
				}
				slices.Sort(got)
				slices.Sort(want)
				if len(want) > most && got != nil || len(want) <= most && !slices.Equal(got, want) {
					t.Fatalf("%d of %d jobs, at most %d sets: got %v, want %v", count, n, most, got, want)
				}
			}
		}
	}
	if got := subsets(make([]int, 300), 150, mostChoices); got != nil {
		t.Errorf("150 of 300 jobs: %d sets", len(got))
	}
}
