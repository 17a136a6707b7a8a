package forecast

// sharing says which jobs share a draw in a future, so that all of them run long or all of them short. The draw of each job by itself is the same whichever it
// is. But jobs that are alike in truth do not average out: with independent draws, a sum over many jobs is too certain.
type sharing int

// The ways to share. Which one a forecast uses is chosen by the past, see [calibration].
const (
	byUser  sharing = iota // the jobs of a user; a job that states no user shares with none
	byClass                // the jobs of a user, or where none is stated of a size class
	byDay                  // as byClass, of the jobs that were submitted on one day
	byHalf                 // as byClass, but each job with probability 1/2 has a draw of its own
	byNone                 // none
)

// String is the name that answers show.
func (s sharing) String() string {
	return [...]string{
		"the jobs of a user", "the jobs of a user or size class", "the jobs of a user or size class of one day", "half of the jobs of a user or size class", "no jobs",
	}[s]
}

// candidates are the ways to share among which the past chooses. There is one where each future simulates the whole past.
func (t *truth) candidates(opt *Options) []sharing {
	switch {
	case opt.Independent:
		return []sharing{byNone}
	case t.whole:
		return []sharing{byClass}
	}
	return []sharing{byClass, byUser, byDay, byHalf}
}

// uniformOf is the number in [0, 1) from which the run time of a job is drawn.
func (m *moment) uniformOf(run, k int) float64 {
	group, what := uint64(m.users[k]), forUser
	if group == 0 {
		group, what = m.class(k), forClass
	}
	alone := m.by == byNone || m.by == byUser && what == forClass || m.by == byHalf && m.opt.uniform(run, forChoice, uint64(m.numbers[k])) < 0.5
	if alone {
		return m.opt.uniform(run, forJob, uint64(m.numbers[k]))
	}
	if m.by == byDay {
		if what = forUserOfDay; m.users[k] == 0 {
			what = forClassOfDay
		}
		group = group<<32 + uint64(m.in.Jobs()[k].Arrival/m.opt.Day)
	}
	return m.opt.uniform(run, what, group)
}

// class is the number of a job's size class.
func (m *moment) class(k int) uint64 {
	class := sizeOf(m.in.Jobs()[k].Min, m.shortest(k))
	return uint64(class.processors)<<16 + uint64(class.estimate+1<<12)
}
