package solvers

import "slices"

// latestStart is the latest start of a kind on a resource.
type latestStart struct {
	at   float64
	kind int32
	fits bool // it could be placed there
}

// latestStarts sorts latest starts as far as somebody looks: most of them are never met, as jobs are placed elsewhere before.
// It is quicksort that puts off what lies behind.
//
// Complexity: O(n + k·log n) on average for the first k of n.
//
// Source: R. Paredes, G. Navarro (2006), Optimal incremental sorting, Proc. ALENEX, doi:10.1137/1.9781611972863.16.
type latestStarts struct {
	items  []latestStart
	first  int     // those before have been passed
	sorted int     // those before stand where they belong
	bounds []int32 // nothing before a bound is later than anything from it on; the last is the nearest
}

// len is how many have not been passed.
func (s *latestStarts) len() int { return len(s.items) - s.first }

// get is the k-th of those that have not been passed, from 0.
func (s *latestStarts) get(k int) latestStart {
	for s.first+k >= s.sorted {
		s.extend()
	}
	return s.items[s.first+k]
}

// extend sorts a few more.
func (s *latestStarts) extend() {
	const few, deep = 16, 64
	if len(s.bounds) == 0 {
		s.bounds = append(s.bounds, int32(len(s.items)))
	}
	for {
		end := int(s.bounds[len(s.bounds)-1])
		part := s.items[s.sorted:end]
		if len(part) <= few || len(s.bounds) > deep {
			sortLatest(part, few)
			s.sorted, s.bounds = end, s.bounds[:len(s.bounds)-1]
			return
		}
		s.bounds = append(s.bounds, int32(s.sorted+splitLatest(part)))
	}
}

// sortLatest sorts a part.
func sortLatest(part []latestStart, few int) {
	if len(part) > few {
		slices.SortFunc(part, func(a, b latestStart) int {
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

// splitLatest divides a part in two, neither empty, so that nothing in the first is later than anything in the second: Hoare's
// partition by the middle of three.
func splitLatest(part []latestStart) int {
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
