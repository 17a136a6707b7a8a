package lab

import (
	"cmp"
	"slices"
)

// change is a change of what a user asks for and holds.
type change struct {
	time        float64
	user        int32
	asked, held int32
}

// entitlements are, by user, the processor time that the user was entitled to in the window and what the user's jobs held.
func (s *study) entitlements(run *schedule) (entitled, received []float64) {
	entitled, received = make([]float64, len(s.userNumber)), make([]float64, len(s.userNumber))
	var changes []change
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
			return entitled, received
		}
		if passed := min(changes[k].time, s.to) - max(now, s.from); passed > 0 {
			slices.SortFunc(active, func(a, b int32) int { return cmp.Or(cmp.Compare(asked[a], asked[b]), cmp.Compare(a, b)) })
			share(s.in.Processors(), active, asked, func(user int32, processors float64) {
				entitled[user] += processors * passed
				received[user] += float64(held[user]) * passed
			})
		}
	}
	return entitled, received
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
