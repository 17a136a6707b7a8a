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

// change is a change of what a user asks for and holds.
type change struct {
	time        float64
	user        int32
	asked, held int32
}

// entitlements are, by user, the processor time that the user was entitled to in the window and what the user's jobs held; the shares over time too, if asked for.
func (s *study) entitlements(run *schedule) (entitled, received []float64, shares []Share) {
	entitled, received = make([]float64, len(s.userNumber)), make([]float64, len(s.userNumber))
	days := s.newDays()
	changes := make([]change, 0, 3*len(s.in.Jobs()))
	for k := range s.in.Jobs() {
		if !run.placed(int32(k)) {
			continue
		}
		n, user := run.processors[k], s.user[k]
		changes = append(changes, change{s.in.Jobs()[k].Arrival, user, n, 0}, change{run.start[k], user, 0, n}, change{run.end[k], user, -n, -n})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.time, b.time) })
	asked, held := make([]int64, len(s.userNumber)), make([]int64, len(s.userNumber))
	var active []int32 // users with jobs in the system
	for k := 0; k < len(changes); {
		now := changes[k].time
		for ; k < len(changes) && changes[k].time == now; k++ {
			c := &changes[k]
			before := asked[c.user]
			asked[c.user] += int64(c.asked)
			held[c.user] += int64(c.held)
			switch after := asked[c.user]; {
			case before == 0 && after > 0:
				active = append(active, c.user)
			case before > 0 && after == 0:
				at := slices.Index(active, c.user)
				active = slices.Delete(active, at, at+1)
			}
		}
		if k == len(changes) {
			return entitled, received, days.finish()
		}
		from, to := max(now, s.from), min(changes[k].time, s.to)
		if passed := to - from; passed > 0 {
			slices.SortFunc(active, func(a, b int32) int { return cmp.Or(cmp.Compare(asked[a], asked[b]), cmp.Compare(a, b)) })
			share(s.in.Processors(), active, asked, func(user int32, processors float64) {
				entitled[user] += processors * passed
				received[user] += float64(held[user]) * passed
				if days != nil {
					days.now = append(days.now, rate{user, processors, float64(held[user])})
				}
			})
			days.pass(from, to)
		}
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
