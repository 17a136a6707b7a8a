package record

import (
	"cmp"
	"slices"
)

// fcfs starts the first job of each queue as long as it fits. The machines of a queue that is closed are kept from those behind it.
func (s *system) fcfs() {
	left := s.free.clone()
	for _, q := range s.queues {
		q.closed = false
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(j *job) bool {
		if j.queue.closed {
			return false
		}
		best, where := (*option)(nil), []share(nil)
		for k := range j.options {
			o := &j.options[k]
			if shares := left.place(j, o); shares != nil && (best == nil || o.expected < best.expected) {
				best, where = o, shares
			}
		}
		if best == nil {
			j.queue.closed = true
			for m := range left {
				if j.queue.machines[m] {
					clear(left[m])
				}
			}
			return false
		}
		left.add(j, where, -1)
		s.launch(j, best, where)
		return true
	})
}

// reservation is what is kept for a job.
type reservation struct {
	job        *job
	on         *option
	start, end float64
	shares     []share
}

// level is the room from a time on until somebody starts or ends, by the estimates and the reservations. There is one for now and one for the start of each reservation: only then the room shrinks.
type level struct {
	at   float64
	room room
}

// easy gives the first job of each queue that cannot start a reservation. The others start beside all reservations.
func (s *system) easy() {
	s.levels, s.reserved = []*level{{s.now, s.free.clone()}}, nil
	for _, q := range s.queues {
		q.reserved = false
	}
	s.settled = map[string]float64{}
	s.waiting = slices.DeleteFunc(s.waiting, func(j *job) bool {
		if shortest, met := s.settled[j.kind]; met && j.queue.reserved && j.options[0].expected >= shortest && len(j.options) == 1 {
			return false
		}
		if s.startBeside(j) {
			return true
		}
		if !j.queue.reserved {
			j.queue.reserved = true
			s.reserve(j)
		}
		if len(j.options) == 1 {
			s.settled[j.kind] = j.options[0].expected
		}
		return false
	})
}

// startBeside starts a job if it leaves each reservation its place.
func (s *system) startBeside(j *job) bool {
	var best *option
	var where []share
	for k := range j.options {
		o := &j.options[k]
		if best != nil && o.expected >= best.expected {
			continue
		}
		if shares := s.beside(j, o); shares != nil {
			best, where = o, shares
		}
	}
	if best == nil {
		return false
	}
	s.hold(j, where, s.now, best.until(s.now), -1)
	s.launch(j, best, where)
	return true
}

// hold takes what a job holds from the levels of a time, with n = −1, or gives it back.
func (s *system) hold(j *job, shares []share, from, to float64, n int64) {
	for _, l := range s.levels {
		if from <= l.at && l.at < to {
			l.room.add(j, shares, n)
		}
	}
}

// beside is a place for a job from now on; nil: there is none. Where one reservation alone is in its way, and shares machines with no other, that may go to others at the same time.
func (s *system) beside(j *job, o *option) []share {
	end := o.until(s.now)
	shares := s.levels[0].room.place(j, o)
	if shares == nil {
		return nil
	}
	common, later := s.levels[0].room, false
	for _, l := range s.levels[1:] {
		if l.at < end {
			if !later {
				common, later = common.clone(), true
			}
			common.least(l.room)
		}
	}
	if !later {
		return shares
	}
	var near []*reservation
	for _, r := range s.reserved {
		if r.start < end && r.job.queue.meets(j.queue) {
			near = append(near, r)
		}
	}
	if len(near) == 1 && s.lone(near[0]) && s.moves(near[0], j, shares) {
		return shares
	}
	return common.place(j, o)
}

// lone says whether no other reservation is for a queue that has machines in common with that of this one.
func (s *system) lone(r *reservation) bool {
	return !slices.ContainsFunc(s.reserved, func(other *reservation) bool { return other != r && other.job.queue.meets(r.job.queue) })
}

// meets says whether two queues have machines in common.
func (q *queue) meets(other *queue) bool {
	for m := range q.machines {
		if q.machines[m] && other.machines[m] {
			return true
		}
	}
	return false
}

// moves gives a reservation a place beside a job that starts on the shares, at the time that it has. It says whether there is one.
func (s *system) moves(r *reservation, j *job, shares []share) bool {
	for _, l := range s.levels {
		if l.at == r.start {
			then := l.room.clone()
			then.add(r.job, r.shares, 1)
			then.add(j, shares, -1)
			to := then.place(r.job, r.on)
			if to == nil {
				return false
			}
			s.hold(r.job, r.shares, r.start, r.end, 1)
			r.shares = to
			s.hold(r.job, r.shares, r.start, r.end, -1)
			clear(s.settled)
			return true
		}
	}
	return false
}

// reserve makes a reservation for a job at the earliest time at which it fits, of the expected ends and those of other reservations.
func (s *system) reserve(j *job) {
	ends := slices.Clone(s.running)
	slices.SortStableFunc(ends, func(a, b *job) int { return cmp.Compare(s.expectedEnd(a), s.expectedEnd(b)) })
	var times []float64
	for _, other := range ends {
		times = append(times, s.expectedEnd(other))
	}
	for _, r := range s.reserved {
		times = append(times, r.end)
	}
	slices.Sort(times)
	freed := s.free.clone()
	for _, at := range slices.Compact(times) {
		for len(ends) > 0 && s.expectedEnd(ends[0]) <= at {
			freed.add(ends[0], ends[0].shares, 1)
			ends = ends[1:]
		}
		then := freed.clone()
		for _, r := range s.reserved {
			if r.start <= at && at < r.end {
				then.add(r.job, r.shares, -1)
			}
		}
		var best *reservation
		for k := range j.options {
			o := &j.options[k]
			end := o.until(at)
			room := then
			for _, l := range s.levels {
				if at < l.at && l.at < end {
					if &room[0] == &then[0] {
						room = then.clone()
					}
					room.least(l.room)
				}
			}
			if shares := room.place(j, o); shares != nil && (best == nil || end < best.end) {
				best = &reservation{j, o, at, end, shares}
			}
		}
		if best != nil {
			if !slices.ContainsFunc(s.levels, func(l *level) bool { return l.at == at }) {
				s.levels = append(s.levels, &level{at, then})
			}
			s.hold(j, best.shares, best.start, best.end, -1)
			s.reserved = append(s.reserved, best)
			return
		}
	}
}
