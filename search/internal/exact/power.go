package exact

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Sizes up to which instances with power are taken, and the most states that are kept.
const (
	powerJobs     = 10
	powerSlots    = 4096
	powerMachines = 8
	powerStates   = 600_000
)

// powered is a run on an instance where power limits schedules or counts. Time is cut into slots that divide all times of the instance. A programme goes from slot to slot; its
// states hold which jobs wait, which run where and for how long yet, and in which state each machine is that can be off. It looks at every choice at every slot: jobs that start,
// on all numbers of processors of each machine, and machines that go down or up. Of two ways to a state it keeps the cheaper. It drops states that cost, with a lower bound of
// what is still to come, as much as the limit.
//
// Some optimum starts all jobs at limits of slots. Take any schedule, with the way of each machine through its states. Keep what it has on which machine, in which order all
// events come, and between which of the times that the instance states each lies. Then its constraints bound single times, or differences of two of them, by whole numbers of slots: jobs
// take their time, a job follows another on a processor or in precedence, a way takes its time, a set of jobs that a cap forbids does not meet, nothing leaves the horizon. The
// objective is linear in the times: what a machine takes is an integral of a step function between two events that do not pass a step, a wait is a difference, a makespan the
// last end, and the peak is a constant. Such a polyhedron is bounded, and its vertices are whole; one of them costs no more. There events may fall together, which allows no less
// and adds no power: a job holds a processor up to its end, which it does not hold itself.
//
// Where machines can be off the way is found for the cheapest sum of energy, energy_cost and carbon, as the model has it; the peak of such a way may jump, so it is refused beside such
// machines. The model's definition looks at fewer times for a way than all slots, so that a schedule may cost more than its states here say. What is proved is then below the cost.
type powered struct {
	*powerProblem
	limit       float64
	maxEvals    int64
	evaluations int64
	full, ended bool // there are too many states; there were as many evaluations as may be

	nodes []powerState
	index map[string]int32 // of the next layer
	layer []int32
	next  []int32
	least []float64 // of the next layer: what a schedule costs at least
	key   []byte
	best  int32 // −1: none
	beam  int   // the most states of a layer, the cheapest; 0: all

	used  []int         // by entity, of the state at hand
	power []float64     // by cluster: of what runs
	slot  int           // at hand
	from  int32         // the state at hand
	begun []powerStart  // chosen so far
	now   []powerStatus // by entity
	extra float64       // cost of what was chosen so far
}

// powerState is a state at the begin of a slot.
type powerState struct {
	waiting uint32
	runs    []powerRun
	status  []powerStatus // by entity
	cost    float64
	peak    float64 // most running power so far, where that counts
	parent  int32
	begun   []powerStart // at the begin of the slot before
}

// powerRun is a job that runs.
type powerRun struct {
	job  int
	left int // slots
	at   []powerShare
}

// powerShare are processors that a job holds.
type powerShare struct{ entity, processors int }

// powerStart is a job that starts.
type powerStart struct {
	job, cluster int
	at           []powerShare
}

// powerStatus is what a machine does. A machine that cannot be off is on.
type powerStatus struct {
	state int // in which it is or, on a way, will be; model.On: on
	way   int // 0: none; otherwise 1 + the state that it goes down to, or −1 − the state that it comes up from
	left  int // slots of the way
}

// minimisePower is [Minimise] where power limits schedules or counts.
func minimisePower(ctx context.Context, in *model.Instance, limit float64, maxEvals int64) (Found, error) {
	p, err := newPowerProblem(in)
	if err != nil {
		return Found{}, err
	}
	found := Found{Least: limit, Exact: p.exact}
	const first = 30
	for _, beam := range []int{first, 1000, 0} { // few states first, for a schedule that leaves few of all
		x := &powered{powerProblem: p, limit: limit, beam: beam, best: -1, used: make([]int, len(p.entities)), power: make([]float64, len(in.Clusters()))}
		if beam > first { // the first schedule is not counted
			if maxEvals > 0 && found.Evaluations >= maxEvals {
				found.Stop = model.StopEvaluations
				return found, nil
			}
			x.maxEvals = max(0, maxEvals-found.Evaluations)
		}
		found.Stop = x.run(ctx)
		if beam > first {
			found.Evaluations += x.evaluations
		}
		if x.best >= 0 {
			if s := x.solution(); model.Check(in, s).OK() { // it is not where a cap allows it but for its last digit
				found.Solution = s
			}
			limit = x.total(&x.nodes[x.best])
		}
		if found.Stop != model.StopDone || x.full {
			return found, nil
		}
		found.Proved = beam == 0 || len(x.nodes) < beam // then no layer was cut
		if found.Proved {
			break
		}
	}
	found.Least, found.Doubtful = limit, true // the schedule may cost more
	if !p.exact && !math.IsInf(limit, 0) {
		found.Least -= p.doubt
	}
	return found, nil
}

// run goes through all slots.
func (x *powered) run(ctx context.Context) model.Stop {
	first := powerState{waiting: x.waiting, cost: x.constant, parent: -1}
	for e := range x.entities {
		first.status = append(first.status, powerStatus{state: x.entities[e].begin()})
	}
	x.nodes, x.layer = append(x.nodes, first), []int32{0}
	for x.slot = 0; x.slot <= x.slots; x.slot++ {
		x.index, x.next, x.least = map[string]int32{}, nil, x.least[:0]
		for _, at := range x.layer {
			if ctx.Err() != nil {
				return model.StopReason(ctx)
			}
			switch x.expand(at); {
			case x.full:
				return model.StopDone
			case x.ended:
				return model.StopEvaluations
			}
		}
		if x.layer = x.next; x.beam > 0 && len(x.layer) > x.beam {
			first := x.layer[0]
			slices.SortStableFunc(x.layer, func(a, b int32) int { return cmp.Compare(x.least[a-first], x.least[b-first]) })
			x.layer = x.layer[:x.beam]
		}
	}
	return model.StopDone
}

// expand makes all states that follow a state.
func (x *powered) expand(at int32) {
	s := x.nodes[at]
	x.nodes[at].runs, x.nodes[at].status = nil, nil // only its starts are needed from here on
	x.from, x.begun, x.extra = at, x.begun[:0], 0
	x.now = append(x.now[:0], s.status...)
	clear(x.used)
	clear(x.power)
	var runs []powerRun
	for _, r := range s.runs {
		if r.left > 0 {
			runs = append(runs, r)
			x.hold(r.job, r.at, 1)
		}
	}
	s.runs = runs
	done := uint32(1<<len(x.in.Jobs())-1) &^ s.waiting
	for _, r := range runs {
		done &^= 1 << r.job
	}
	x.switches(&s, 0, done)
}

// hold gives a job its processors, or takes them.
func (x *powered) hold(job int, at []powerShare, sign int) {
	for _, share := range at {
		e := &x.entities[share.entity]
		x.used[share.entity] += sign * share.processors
		x.power[e.cluster] += float64(sign*share.processors) * e.busyOf(x.in, job)
	}
}

// switches chooses what the machines from one on do, and then which jobs start.
func (x *powered) switches(s *powerState, entity int, done uint32) {
	if entity == len(x.entities) {
		x.starts(s, 0, done)
		return
	}
	e, was := &x.entities[entity], x.now[entity]
	switch {
	case e.sleep == nil || x.used[entity] > 0 || was.way != 0 && was.left > 0:
		x.switches(s, entity+1, done)
		return
	}
	for _, next := range e.sleep.choices[1+was.state] {
		if entity > 0 && x.twins(s, entity) && before(next, x.now[entity-1]) {
			continue // the same with the two machines exchanged
		}
		x.now[entity] = next
		x.switches(s, entity+1, done)
	}
	x.now[entity] = was
}

// twins says whether a machine and the one before it are alike, and nothing runs on either.
func (x *powered) twins(s *powerState, entity int) bool {
	return x.entities[entity].sleep == x.entities[entity-1].sleep && x.used[entity] == 0 && x.used[entity-1] == 0 && s.status[entity] == s.status[entity-1]
}

// before orders what machines do.
func before(a, b powerStatus) bool {
	return a.state < b.state || a.state == b.state && a.way < b.way
}

// starts chooses which of the jobs from one on, in an order in which none waits for a later one, start now.
func (x *powered) starts(s *powerState, k int, done uint32) {
	if x.full || x.ended {
		return
	}
	if k == len(x.order) {
		x.follow(s, done)
		return
	}
	x.starts(s, k+1, done)
	job := x.order[k]
	if s.waiting&(1<<job) == 0 || x.ready[job] > x.slot || x.before[job]&^done != 0 {
		return
	}
	if twin := x.alike[job]; twin >= 0 && s.waiting&(1<<twin) != 0 {
		return // the same with the two jobs exchanged
	}
	instant := false
	for c := range x.in.Clusters() {
		length := x.lengths[job][c]
		if length < 0 || x.slot+length > x.slots || length == 0 && instant { // where it takes no time does not matter
			continue
		}
		if length == 0 {
			instant = true
			x.begun = append(x.begun, powerStart{job: job, cluster: c})
			x.extra += x.waits(job, x.slot, 0)
			s.waiting &^= 1 << job
			x.starts(s, k+1, done|1<<job)
			s.waiting |= 1 << job
			x.extra -= x.waits(job, x.slot, 0)
			x.begun = x.begun[:len(x.begun)-1]
			continue
		}
		x.share(s, k, done, c, 0, x.widths[job][c], nil)
	}
}

// share chooses how many processors of each machine of the cluster a job takes, and goes on with the next job.
func (x *powered) share(s *powerState, k int, done uint32, c, entity, left int, at []powerShare) {
	job := x.order[k]
	if left == 0 {
		held := slices.Clone(at)
		x.hold(job, held, 1)
		if !x.capped(c) {
			cost := x.costs(job, c, held)
			x.begun, x.extra = append(x.begun, powerStart{job, c, held}), x.extra+cost
			s.waiting &^= 1 << job
			x.starts(s, k+1, done)
			s.waiting |= 1 << job
			x.begun, x.extra = x.begun[:len(x.begun)-1], x.extra-cost
		}
		x.hold(job, held, -1)
		return
	}
	for entity < len(x.entities) && x.entities[entity].cluster != c {
		entity++
	}
	if entity == len(x.entities) {
		return
	}
	free := 0
	if on := (powerStatus{state: model.On}); x.now[entity] == on {
		free = x.entities[entity].processors - x.used[entity]
	}
	for n := min(free, left); n > 0; n-- {
		x.share(s, k, done, c, entity+1, left-n, append(at, powerShare{entity, n}))
	}
	x.share(s, k, done, c, entity+1, left, at)
}

// capped says whether what runs on the cluster takes more than it may in this slot.
func (x *powered) capped(c int) bool {
	return x.slot < x.slots && x.power[c] > x.caps[c][x.slot]*(1+1e-12)+x.capDoubt[c]
}

// follow adds the state that follows from what was chosen.
func (x *powered) follow(s *powerState, done uint32) {
	if x.ended = x.maxEvals > 0 && x.evaluations >= x.maxEvals; x.ended {
		return
	}
	x.evaluations++
	next := powerState{waiting: s.waiting, cost: s.cost + x.extra, peak: s.peak, parent: x.from}
	if x.slot == x.slots {
		if s.waiting != 0 || len(s.runs) > 0 {
			return
		}
		for e := range x.entities {
			if sleep := x.entities[e].sleep; sleep != nil && x.now[e] != (powerStatus{state: sleep.power.End}) {
				return
			}
		}
		next.begun = slices.Clone(x.begun)
		if total := x.total(&next); total < x.limit {
			x.limit, x.best = total, int32(len(x.nodes))
			x.nodes = append(x.nodes, next)
		}
		return
	}
	for c := range x.power {
		if x.capped(c) {
			return
		}
	}
	if x.peakWeight > 0 {
		sum := 0.0
		for _, power := range x.power {
			sum += power
		}
		next.peak = max(next.peak, sum)
	}
	for _, r := range s.runs {
		next.runs = append(next.runs, powerRun{r.job, r.left - 1, r.at})
	}
	for _, b := range x.begun {
		if len(b.at) > 0 {
			next.runs = append(next.runs, powerRun{b.job, x.lengths[b.job][b.cluster] - 1, b.at})
		}
	}
	slices.SortFunc(next.runs, func(a, b powerRun) int { return a.job - b.job })
	next.status = slices.Clone(x.now)
	for e := range x.entities {
		next.cost += x.entities[e].takes(next.status[e], x.slot)
		next.status[e] = next.status[e].later()
	}
	if x.slot >= x.makespanFrom && (next.waiting != 0 || len(next.runs) > 0) {
		next.cost += x.makespanWeight
	}
	if least := x.total(&next) + x.toCome(&next, x.slot+1); least < x.limit {
		x.add(&next, least)
	}
}

// later is what a machine does a slot later.
func (s powerStatus) later() powerStatus {
	if s.way != 0 {
		if s.left--; s.left == 0 {
			s.way = 0
		}
	}
	return s
}

// total is what a state costs so far, with its peak.
func (x *powered) total(s *powerState) float64 { return s.cost + x.peakWeight*s.peak }

// toCome is a lower bound of what is to come from a state at the begin of a slot on.
func (x *powered) toCome(s *powerState, slot int) float64 {
	by, low, area := 0.0, 0.0, 0
	for j := range x.in.Jobs() {
		if s.waiting&(1<<j) != 0 {
			by, low, area = by+x.cheapest[0][j][slot], low+x.cheapest[1][j][slot], area+x.areas[j]
		}
	}
	var busy [powerMachines]int // slots for which the machine serves yet
	for _, r := range s.runs {
		for _, share := range r.at {
			area += share.processors * r.left
			if e := &x.entities[share.entity]; e.sleep != nil {
				busy[e.number] = max(busy[e.number], r.left)
			}
		}
	}
	if area > x.in.Processors()*(x.slots-slot) {
		return math.Inf(1)
	}
	for e := range x.entities {
		if entity := &x.entities[e]; entity.sleep != nil {
			b, l := entity.sleep.toCome(s.status[e], slot, busy[entity.number])
			by, low = by+b, low+l
		}
	}
	return max(by, low)
}

// add keeps a state, unless there is one alike that costs no more.
func (x *powered) add(s *powerState, least float64) {
	x.key = x.appendKey(x.key[:0], s)
	at, known := x.index[string(x.key)]
	if known && x.nodes[at].cost <= s.cost {
		return
	}
	s.begun = slices.Clone(x.begun)
	if known {
		x.nodes[at] = *s
		x.least[at-x.next[0]] = least
		return
	}
	at = int32(len(x.nodes))
	x.nodes, x.next, x.least = append(x.nodes, *s), append(x.next, at), append(x.least, least)
	x.index[string(x.key)] = at
	x.full = len(x.nodes) > powerStates
}

// appendKey writes what of a state decides what can follow. Machines that are alike stand in an order of their own.
func (x *powered) appendKey(key []byte, s *powerState) []byte {
	key = binary.LittleEndian.AppendUint32(key, s.waiting)
	if x.peakWeight > 0 {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(s.peak))
	}
	for _, r := range s.runs {
		key = append(key, byte(r.job), byte(r.left), byte(r.left>>8))
	}
	key = append(key, 0xff)
	var like [powerMachines][]byte
	for e := 0; e < len(x.entities); {
		end := e + 1
		for end < len(x.entities) && x.entities[e].sleep != nil && x.entities[end].sleep == x.entities[e].sleep {
			end++
		}
		for k := e; k < end; k++ {
			status := s.status[k]
			text := like[k-e][:0]
			text = append(text, byte(status.state), byte(status.way), byte(status.left), byte(status.left>>8))
			for _, r := range s.runs {
				for _, share := range r.at {
					if share.entity == k {
						text = append(text, byte(r.job))
						text = binary.LittleEndian.AppendUint32(text, uint32(share.processors))
					}
				}
			}
			like[k-e] = append(text, 0xff)
		}
		slices.SortFunc(like[:end-e], slices.Compare)
		for k := range end - e {
			key = append(key, like[k]...)
		}
		e = end
	}
	return key
}

// solution is the best schedule. Each job takes the lowest free processors of its machines.
func (x *powered) solution() *model.Solution {
	solution := &model.Solution{}
	placements := make([]model.Placement, len(x.in.Jobs()))
	type step struct {
		slot  int
		begun []powerStart
	}
	var steps []step
	for at, slot := x.best, x.slots; at >= 0; at, slot = x.nodes[at].parent, slot-1 {
		steps = append(steps, step{slot, x.nodes[at].begun})
	}
	slices.Reverse(steps)
	until := make([][]int, len(x.entities)) // by entity and processor: when it is free
	for e := range until {
		until[e] = make([]int, x.entities[e].processors)
	}
	for _, s := range steps {
		for _, b := range s.begun {
			c := &x.in.Clusters()[b.cluster]
			start, length := x.time(s.slot), x.lengths[b.job][b.cluster]
			var held []int
			for _, share := range b.at {
				need := share.processors
				for p := 0; need > 0; p++ {
					if until[share.entity][p] <= s.slot {
						until[share.entity][p] = s.slot + length
						held, need = append(held, x.entities[share.entity].first+p), need-1
					}
				}
			}
			for p := 0; length == 0 && len(held) < x.widths[b.job][b.cluster]; p++ {
				held = append(held, p) // it holds nothing
			}
			placements[b.job] = model.Placement{Job: x.in.Jobs()[b.job].ID, Cluster: c.ID, Processors: model.Processors(held...),
				Start: start, End: model.End(start, x.in.DurationOn(b.job, b.cluster, x.widths[b.job][b.cluster]))}
		}
	}
	for j, placement := range placements {
		if x.waiting&(1<<j) != 0 {
			solution.Jobs = append(solution.Jobs, placement)
		} else {
			solution.Unscheduled = append(solution.Unscheduled, model.Unscheduled{Job: x.in.Jobs()[j].ID, Reason: "does not end within the horizon, whatever else runs"})
		}
	}
	return solution
}
