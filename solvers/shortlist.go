package solvers

import "math"

// shortlist is the few resources on which a job would end first. Ends never fall, so the end that it knows of the other resources stays a lower
// bound, and mostly it finds the best resources without a look at all.
type shortlist struct {
	end      [shortlisted]float64 // ascending; of equal ends the first resource first; they may have grown since
	resource [shortlisted]int32
	n        int32
	full     bool    // all resources have been offered
	rest     float64 // on the other resources the job ends after this time, or at it
	next     int32   // and then on none before this resource
}

// shortlisted is the length of a shortlist. Where all jobs prefer the same resources, looks at all resources are rarer by this factor. A longer
// list would take more memory where jobs are many.
const shortlisted = 6

// clear forgets all resources. Then the caller must offer each, in order.
func (s *shortlist) clear() { s.n, s.full, s.rest, s.next = 0, true, math.Inf(1), -1 }

// offer takes note of the end of the job on a resource.
func (s *shortlist) offer(resource int, end float64) {
	if end < s.rest || end == s.rest && int32(resource) < s.next {
		s.insert(int32(resource), end)
	}
}

// insert adds a resource to the list. Where the list is full the worst of them and this one goes to the rest.
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

// renew brings the first resources of the list up to date, as many as wanted; at is the present end of the job on a resource. It returns false
// where the caller must offer all resources again.
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
