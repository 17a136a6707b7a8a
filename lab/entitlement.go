package lab

import (
	"cmp"
	"math"
	"slices"
)

// Share is what a user was entitled to and received on a day of the window, processor time. Days count from 0.
type Share struct {
	Day                int
	User               string // empty: the jobs that state no user, who count as one
	Entitled, Received float64
}

// events are the arrivals, starts and ends of the jobs that a schedule places, each in order of time.
type events struct{ arrivals, starts, ends queueOfEvents }

// queueOfEvents is events of one kind that are still to come.
type queueOfEvents struct {
	jobs []int32
	time func(job int32) float64
}

// newEvents are the events of a schedule.
func (s *study) newEvents(run *schedule) *events {
	var placed []int32
	for k := range s.in.Jobs() {
		if run.placed(int32(k)) {
			placed = append(placed, int32(k))
		}
	}
	ordered := func(jobs []int32, time func(job int32) float64) queueOfEvents {
		slices.SortStableFunc(jobs, func(a, b int32) int { return cmp.Compare(time(a), time(b)) })
		return queueOfEvents{jobs, time}
	}
	return &events{
		ordered(slices.Clone(placed), func(job int32) float64 { return s.in.Jobs()[job].Arrival }),
		ordered(slices.Clone(placed), func(job int32) float64 { return run.start[job] }),
		ordered(placed, func(job int32) float64 { return run.end[job] }),
	}
}

// next is the time of the next event; +Inf: there is none.
func (e *events) next() float64 { return min(e.arrivals.next(), e.starts.next(), e.ends.next()) }

// next is the time of the next event of the kind; +Inf: there is none.
func (q *queueOfEvents) next() float64 {
	if len(q.jobs) == 0 {
		return math.Inf(1)
	}
	return q.time(q.jobs[0])
}

// take hands out the events of a moment.
func (q *queueOfEvents) take(now float64, of func(job int32)) {
	for ; len(q.jobs) > 0 && q.time(q.jobs[0]) == now; q.jobs = q.jobs[1:] {
		of(q.jobs[0])
	}
}

// entitlements are, by user, the processor time that the user was entitled to in the window and what the user's jobs held; the shares over time too, if asked for.
func (s *study) entitlements(run *schedule) (entitled, received []float64, shares []Share) {
	entitled, received = make([]float64, len(s.userNumber)), make([]float64, len(s.userNumber))
	days := s.newDays()
	asked, held := make([]int64, len(s.userNumber)), make([]int64, len(s.userNumber))
	var active []int32 // users with jobs in the system
	come := s.newEvents(run)
	for now := come.next(); !math.IsInf(now, 1); {
		come.arrivals.take(now, func(job int32) { // before the ends: what a user asks for is never below 0
			user := s.user[job]
			if asked[user] == 0 && run.processors[job] > 0 {
				active = append(active, user)
			}
			asked[user] += int64(run.processors[job])
		})
		come.starts.take(now, func(job int32) { held[s.user[job]] += int64(run.processors[job]) })
		come.ends.take(now, func(job int32) {
			user := s.user[job]
			held[user] -= int64(run.processors[job])
			if asked[user] -= int64(run.processors[job]); asked[user] == 0 && run.processors[job] > 0 {
				at := slices.Index(active, user)
				active = slices.Delete(active, at, at+1)
			}
		})
		next := come.next()
		if math.IsInf(next, 1) {
			return entitled, received, days.finish()
		}
		from, to := max(now, s.from), min(next, s.to)
		if passed := to - from; passed > 0 {
			slices.SortFunc(active, func(a, b int32) int { return cmp.Or(cmp.Compare(asked[a], asked[b]), cmp.Compare(a, b)) })
			share(s.in.Processors(), active, asked, func(user int32, processors float64) {
				entitled[user] += processors * passed
				received[user] += float64(held[user]) * passed
				if days != nil && days.names[user] != "" { // jobs without a user take part, and have no row
					days.now = append(days.now, rate{user, processors, float64(held[user])})
				}
			})
			days.pass(from, to)
		}
		now = next
	}
	return entitled, received, days.finish()
}

// share divides processors among users, who are in the order of what they ask for: an equal share for each, but no more than asked for;
// what one leaves goes to the others.
func share(processors int, users []int32, asked []int64, give func(user int32, processors float64)) {
	left := float64(processors)
	for k, user := range users {
		part := min(float64(asked[user]), left/float64(len(users)-k))
		left -= part
		give(user, part)
	}
}

// rate is what a user is entitled to and holds at a time, processors.
type rate struct {
	user           int32
	entitled, held float64
}

// days adds up shares by day. The methods of nil do nothing.
type days struct {
	from, length, end float64 // begin of the window, length of a day, end of the current one
	day               int
	names             []string // of the users, by number
	now               []rate   // of the time that passes
	at                []int32  // by user: 1 + index of the user's share of the current day; 0: none
	today             int      // first share of the current day
	list              []Share
}

// newDays are the days of the window, nil if nobody asked for shares.
func (s *study) newDays() *days {
	if !s.opt.Shares {
		return nil
	}
	d := &days{from: s.from, length: s.opt.Day, end: s.from + s.opt.Day, names: make([]string, len(s.userNumber)), at: make([]int32, len(s.userNumber))}
	for name, number := range s.userNumber {
		d.names[number] = name
	}
	return d
}

// pass lets the time from one moment to another pass at the current rates.
func (d *days) pass(from, to float64) {
	if d == nil {
		return
	}
	for from < to {
		if from >= d.end {
			d.close()
			d.day = max(d.day+1, int(math.Floor((from-d.from)/d.length)))
			d.end = d.from + float64(d.day+1)*d.length
		}
		until := min(to, max(d.end, math.Nextafter(from, to)))
		for _, r := range d.now {
			if d.at[r.user] == 0 {
				d.list = append(d.list, Share{Day: d.day, User: d.names[r.user]})
				d.at[r.user] = int32(len(d.list) - d.today)
			}
			share := &d.list[d.today+int(d.at[r.user])-1]
			share.Entitled += r.entitled * (until - from)
			share.Received += r.held * (until - from)
		}
		from = until
	}
	d.now = d.now[:0]
}

// close ends a day.
func (d *days) close() {
	d.today = len(d.list)
	clear(d.at)
}

// finish returns the shares, by day and name.
func (d *days) finish() []Share {
	if d == nil {
		return nil
	}
	slices.SortFunc(d.list, func(a, b Share) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.User, b.User)) })
	return d.list
}
