package solvers

import "math"

// shortlist are the few resources on which a job would end first. Ends only grow, so what it knows of the others stays a lower bound,
// and most often the best resources are found without a look at all of them.
type shortlist struct {
	end      [shortlisted]float64 // ascending; of equal ends the first resource first; they may have grown since
	resource [shortlisted]int32
	n        int32
	full     bool    // all resources have been offered
	rest     float64 // on all other resources the job ends later, or then and on none
	next     int32   // before this resource
}

// shortlisted is the length of a shortlist: looks at all resources are so many times rarer where all jobs like the same resources best, and
// memory is short where jobs are many.
const shortlisted = 6

// clear forgets all resources; each must be offered then, in order.
func (s *shortlist) clear() { s.n, s.full, s.rest, s.next = 0, true, math.Inf(1), -1 }

// offer tells of a resource.
func (s *shortlist) offer(resource int, end float64) {
	if end < s.rest || end == s.rest && int32(resource) < s.next {
		s.insert(int32(resource), end)
	}
}

// insert adds a resource that is better than the rest.
func (s *shortlist) insert(resource int32, end float64) {
	if s.n == shortlisted {
		last := s.n - 1
		if end > s.end[last] || end == s.end[last] && resource > s.resource[last] {
			s.rest, s.next = end, resource
			return
		}
		s.n, s.rest, s.next = last, s.end[last], s.resource[last]
	}
	k := s.n
	for ; k > 0 && (end < s.end[k-1] || end == s.end[k-1] && resource < s.resource[k-1]); k-- {
		s.end[k], s.resource[k] = s.end[k-1], s.resource[k-1]
	}
	s.end[k], s.resource[k] = end, resource
	s.n++
}

// renew brings the first resources up to date, as many as are wanted, by what the job would end at on a resource now; false where all resources must
// be offered again.
func (s *shortlist) renew(wanted int32, at func(resource int) float64) bool {
	if !s.full {
		return false
	}
	for k := int32(0); k < min(wanted, s.n); {
		resource := s.resource[k]
		end := at(int(resource))
		if end == s.end[k] {
			k++
			continue
		}
		s.n--
		copy(s.end[k:s.n], s.end[k+1:])
		copy(s.resource[k:s.n], s.resource[k+1:])
		s.offer(int(resource), end)
	}
	return s.n >= wanted || math.IsInf(s.rest, 1)
}
