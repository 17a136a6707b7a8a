package mts

import "slices"

// timedKind is a kind with a time on a resource: its latest start or how long it takes.
type timedKind struct {
	at   float64
	kind int32
	fits bool // the kind could be placed there
}

// timeOrder sorts kinds by their times only as far as get asks for them: most are never asked for, as their jobs are placed elsewhere before. It is
// a quicksort that puts off the parts behind.
//
// Complexity: O(n + k·log n) on average for the first k of n.
//
// Source: R. Paredes, G. Navarro (2006), Optimal incremental sorting, Proc. ALENEX, doi:10.1137/1.9781611972863.16.
type timeOrder struct {
	items  []timedKind
	first  int     // items before it have been passed
	sorted int     // items before it are in their final places
	bounds []int32 // no item before a bound is later than an item from it on; the last bound is the nearest
}

// len is the number of items that have not been passed.
func (s *timeOrder) len() int { return len(s.items) - s.first }

// get is the k-th item, from 0, that has not been passed.
func (s *timeOrder) get(k int) timedKind {
	for s.first+k >= s.sorted {
		s.extend()
	}
	return s.items[s.first+k]
}

// extend sorts a few more items.
func (s *timeOrder) extend() {
	const few, deep = 16, 64
	if len(s.bounds) == 0 {
		s.bounds = append(s.bounds, int32(len(s.items)))
	}
	for {
		end := int(s.bounds[len(s.bounds)-1])
		part := s.items[s.sorted:end]
		if len(part) <= few || len(s.bounds) > deep {
			sortTimed(part, few)
			s.sorted, s.bounds = end, s.bounds[:len(s.bounds)-1]
			return
		}
		s.bounds = append(s.bounds, int32(s.sorted+splitTimed(part)))
	}
}

// sortTimed sorts a part.
func sortTimed(part []timedKind, few int) {
	if len(part) > few {
		slices.SortFunc(part, func(a, b timedKind) int {
			switch {
			case a.at < b.at:
				return -1
			case a.at > b.at:
				return 1
			}
			return int(a.kind - b.kind)
		})
		return
	}
	for k := 1; k < len(part); k++ {
		x, i := part[k], k
		for ; i > 0 && x.at < part[i-1].at; i-- {
			part[i] = part[i-1]
		}
		part[i] = x
	}
}

// splitTimed divides a part into two, neither empty, so that no item of the first is later than an item of the second. It returns the length of
// the first. It is Hoare's partition with the median of three as pivot.
func splitTimed(part []timedKind) int {
	a, b, c := part[0].at, part[len(part)/2].at, part[len(part)-1].at
	pivot := max(min(a, b), min(max(a, b), c))
	i, j := 0, len(part)-1
	for {
		for part[i].at < pivot {
			i++
		}
		for part[j].at > pivot {
			j--
		}
		if i >= j {
			return max(1, i)
		}
		part[i], part[j] = part[j], part[i]
		i++
		j--
	}
}
