package learning

import (
	"cmp"
	"slices"
)

// explain appends literals that held before step k and together force its bound to be at least the value least. That value may be lower than the
// one to which the step raised the bound.
func (s *Solver) explain(out []literal, k, least int32) []literal {
	from := len(out)
	out = s.reasonsOf(out, k, least)
	if s.record != nil {
		s.record.explained(s, out[from:], k)
	}
	if s.audit != nil {
		s.audit.explained(s, out[from:], literal{s.trail[k].of, least}, k)
	}
	return out
}

func (s *Solver) reasonsOf(out []literal, k, least int32) []literal {
	e := &s.trail[k]
	switch e.why.kind {
	case byPrecedence:
		return append(out, literal{e.why.a, least - e.why.b})
	case byClause:
		for _, l := range s.clauses[e.why.a].literals {
			if l.of != e.of {
				out = append(out, l.negated())
			}
		}
		s.bumpClause(e.why.a)
		return out
	case byPair:
		p, order := &s.pairs[e.why.a], 2*(int32(s.end)+1+e.why.a)
		first, second := p.a, p.b
		if e.why.b == 0 {
			out = append(out, literal{order, 1})
		} else {
			first, second = second, first
			out = append(out, literal{order + 1, 0})
		}
		if e.of == 2*second {
			return append(out, literal{2 * first, least - s.lengths[first]})
		}
		return append(out, literal{2*second + 1, least - s.lengths[first]})
	case byOrder:
		return s.explainOrder(out, e, k)
	case byResource:
		r, j, t := &s.resources[e.why.a], e.of/2, e.why.b
		if e.of%2 == 0 {
			out = append(out, literal{e.of, t + 1 - s.lengths[j]})
		} else {
			out = append(out, literal{e.of, -t})
		}
		need := int64(0)
		for i := range r.uses {
			if int32(r.uses[i].Job) == j {
				need = r.uses[i].Need
			}
		}
		return s.holders(out, r, t, r.capacity+1-need, j, k)
	}
	return out
}

// explainOrder says why a job cannot end before the other one starts.
func (s *Solver) explainOrder(out []literal, e *step, k int32) []literal {
	job, other := e.why.a, e.why.b
	start, latest := s.at(2*job, k), -s.at(2*other+1, k)
	low := latest - s.lengths[job] + 1 // the job starts at low or later, the other at low + length − 1 or earlier
	if s.stepOf(literal{2 * job, low}, k) >= 0 && s.stepOf(literal{2*other + 1, -(start + s.lengths[job] - 1)}, k) < 0 {
		low = start
	}
	return append(out, literal{2 * job, low}, literal{2*other + 1, -(low + s.lengths[job] - 1)})
}

// holder is a job that holds a resource at a time wherever it starts.
type holder struct {
	job  int32
	need int64
	step int32 // the step since which it holds the resource then; −1: it does without any decision
}

// holders appends the literals by which jobs hold at least enough of the resource at the time t. It looks at the state before the step, and not at
// the job without. It leaves out jobs that are not needed, beginning with those that came last.
func (s *Solver) holders(out []literal, r *resource, t int32, enough int64, without, before int32) []literal {
	list := s.holding[:0]
	spare := -enough
	for i := range r.uses {
		j := int32(r.uses[i].Job)
		from, until := literal{2 * j, t + 1 - s.lengths[j]}, literal{2*j + 1, -t}
		if j == without || s.at(from.of, before) < from.least || s.at(until.of, before) < until.least {
			continue
		}
		list = append(list, holder{j, r.uses[i].Need, max(s.stepOf(from, before), s.stepOf(until, before))})
		spare += r.uses[i].Need
	}
	s.work += int64(len(r.uses)) / 2
	s.holding = list
	slices.SortStableFunc(list, func(a, b holder) int { return cmp.Compare(b.step, a.step) })
	for _, h := range list {
		if h.step >= 0 && h.need <= spare {
			spare -= h.need
			continue
		}
		if h.step >= 0 {
			out = append(out, literal{2 * h.job, t + 1 - s.lengths[h.job]}, literal{2*h.job + 1, -t})
		}
	}
	return out
}
