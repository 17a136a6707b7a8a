package solvers

import "math"

// tournament holds jobs at the places of a row. In O(log n) it finds the leftmost place that holds a job, and the first job between two places. It is
// a binary tree with the numbering of a heap: the root is node 1, and the places follow the inner nodes. Each node knows the first job below it.
type tournament []int32

// nobody stands at an empty place.
const nobody = math.MaxInt32

// newTournament is a row of n empty places.
func newTournament(n int) tournament {
	leaves := 1
	for leaves < n {
		leaves *= 2
	}
	t := make(tournament, 2*leaves)
	for k := range t {
		t[k] = nobody
	}
	return t
}

// enter puts the job at the place; play must follow before anything is asked.
func (t tournament) enter(place int, job int32) { t[len(t)/2+place] = job }

// play brings all inner nodes up to date.
func (t tournament) play() {
	for k := len(t)/2 - 1; k > 0; k-- {
		t[k] = min(t[2*k], t[2*k+1])
	}
}

// set puts the job, or nobody, at the place.
func (t tournament) set(place int, job int32) {
	k := len(t)/2 + place
	for t[k] = job; k > 1; {
		k /= 2
		first := min(t[2*k], t[2*k+1])
		if t[k] == first {
			return
		}
		t[k] = first
	}
}

// leftmost is the first place that is not empty; −1: none.
func (t tournament) leftmost() int {
	if t[1] == nobody {
		return -1
	}
	k := 1
	for k < len(t)/2 {
		if k *= 2; t[k] == nobody {
			k++
		}
	}
	return k - len(t)/2
}

// least is the first job from one place to before another; nobody where all are empty.
func (t tournament) least(from, to int) int32 {
	first := int32(nobody)
	for from, to = from+len(t)/2, to+len(t)/2; from < to; from, to = from/2, to/2 {
		if from%2 == 1 {
			first = min(first, t[from])
			from++
		}
		if to%2 == 1 {
			to--
			first = min(first, t[to])
		}
	}
	return first
}
