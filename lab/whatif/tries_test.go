package whatif

import "testing"

// All tries together simulate no more jobs than is stated, but for one try; within that they are as many as are stated.
func TestTries(t *testing.T) {
	for _, jobs := range []int{1, 2, 7, 50_000, 57_142, 57_143, 60_000, 99_999, 100_000, 100_001, 700_000, 1_000_000, 1_000_001, 2_000_000, 2_000_001, 10_000_000} {
		for candidates := range 25 {
			alone, pairs := tries(jobs, candidates)
			most := min(candidates, 20)
			first := min(most, 6)
			mostPairs := first * (first - 1) / 2
			switch {
			case alone > most || pairs > mostPairs || alone == 0 && candidates > 0:
			case alone+pairs > 1 && (alone+pairs)*jobs > 2_000_000: // too many
			case pairs > 0 && alone < most: // those alone come first
			case alone+pairs < most+mostPairs && (alone+pairs+1)*jobs <= 2_000_000: // too few
			default:
				continue
			}
			t.Errorf("%d jobs, %d candidates: %d alone and %d pairs", jobs, candidates, alone, pairs)
		}
	}
}
