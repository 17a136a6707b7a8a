package backfill

import "math"

// How a line finds a job.

// search looks for the first job in the order.
type search struct {
	after     *waiting                        // nil, or the job after which it comes
	open      func(*kindQueue) bool           // whether jobs of a kind may start; nil: any will do
	starts    func(*kindQueue, *waiting) bool // whether a job may start
	anyStarts func(*kindQueue, *waiting) bool // whether some job of a block may start, asked of the smallest job of the block; nil: some may
	limited   bool                            // a job of a kind starts only if its size is below outlook.tooLong
	limits    *limits                         // nil: none
	found     *waiting
}

// limits are those of what a search looks for: jobs that hold at most widest processors and, if it is more than spare, whose size is below tooLong.
type limits struct {
	widest, spare int32
	tooLong       float64
}

// passes says whether jobs that hold no fewer processors, and of no lesser size, are not looked for.
func (of *limits) passes(narrow int32, least float64) bool {
	return of != nil && (narrow > of.widest || narrow > of.spare && least >= of.tooLong)
}

// first is the first job that the search looks for; nil: there is none. Where priorities never change it goes by the first job of each kind; else it looks into the section that promises most before the
// others.
func (l *line) first(s *search) *waiting {
	switch {
	case len(l.kinds) == 0:
		return nil
	case l.lasting && s.open == nil && s.after == nil && s.starts == nil:
		return l.head()
	case l.lasting && !l.platform.Draws(): // else the order in which kinds are looked at decides what is drawn
		l.firsts.winner(l)
		s.descend(l, 1)
		return s.found
	}
	var promising *section
	var of *kindQueue
	most := 0.0
	for at, k := range l.kinds {
		if s.limits.passes(l.narrow[at], l.least[at]) {
			continue
		}
		for i := range k.sections {
			in := &k.sections[i]
			bound := l.most(k, in)
			if promising != nil && (bound < most || bound == most && in.earliest >= promising.earliest) {
				continue
			}
			if s.open != nil && !s.open(k) { // what may start costs more to find than a bound
				break
			}
			if s.tooLong(k, in.smallest) {
				continue
			}
			promising, of, most = in, k, bound
		}
	}
	if promising == nil {
		return nil
	}
	s.enter(l, of, promising)
	for at, k := range l.kinds {
		if !s.limits.passes(l.narrow[at], l.least[at]) {
			s.among(l, k, promising)
		}
	}
	return s.found
}

// among looks for the job in the sections of a kind but one.
func (s *search) among(l *line, k *kindQueue, but *section) {
	for i := range k.sections {
		in := &k.sections[i]
		if in == but || !s.beats(l.most(k, in), in.earliest) {
			continue
		}
		if s.open != nil && !s.open(k) {
			return
		}
		if !s.tooLong(k, in.smallest) {
			s.enter(l, k, in)
		}
	}
}

// tooLong says whether a size is known to be too large for a job of an open kind to start.
func (s *search) tooLong(k *kindQueue, size float64) bool { return s.limited && size >= k.tooLong }

// beats says whether a job of a priority and a number would go before the one found so far.
func (s *search) beats(priority float64, number int64) bool {
	return s.found == nil || priority > s.found.score || priority == s.found.score && number < s.found.job.Number
}

// enter looks for the job in a section. It looks into the block that promises most before the others.
func (s *search) enter(l *line, k *kindQueue, in *section) {
	promising := in.blocks[0]
	for _, b := range in.blocks[1:] {
		if bound, most := l.mostOf(k, b), l.mostOf(k, promising); bound > most || bound == most && b.earliest < promising.earliest {
			promising = b
		}
	}
	s.visit(l, k, promising)
	in.promise, in.bounded = l.nothing(), bounded{math.Inf(-1), l.round}
	for _, b := range in.blocks {
		if b != promising && s.beats(l.mostOf(k, b), b.earliest) {
			s.visit(l, k, b)
		}
		level := b.level
		if l.order.scorer != nil {
			level = l.order.scorer.levelBy(l.now, &b.promise)
		}
		in.include(level, b.promise)
		in.bound = max(in.bound, l.mostOf(k, b))
	}
}

// visit looks for the job in a block.
func (s *search) visit(l *line, k *kindQueue, b *block) {
	if s.tooLong(k, b.smallest) || s.anyStarts != nil && !s.anyStarts(k, &b.jobs[b.least]) {
		return
	}
	l.look(k, b)
	highest := math.Inf(-1)
	for i := range b.jobs {
		w := &b.jobs[i]
		highest = max(highest, w.score)
		if s.found != nil && !w.before(s.found) || s.after != nil && !s.after.before(w) {
			continue
		}
		if s.starts == nil || s.starts(k, w) {
			s.found = w
		}
	}
	b.bound = highest
	if l.order.still() {
		b.level = highest
	}
}
