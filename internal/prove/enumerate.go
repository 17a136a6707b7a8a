package prove

import (
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// small is a batch of few rigid jobs whose schedules can all be listed. It has its times twice: as exact numbers, which the truth is computed from,
// and as the float64 numbers of the draft, which the methods read.
type small struct {
	unit, origin *big.Rat
	clusters     []smallCluster
	jobs         []smallJob
	exact        bool // the draft states every time without rounding
	last         int  // no schedule ends after this many steps from the origin
	tables       []timetable
}

type smallCluster struct {
	processors, speed int
	cost              int64
}

type smallJob struct {
	width, length, arrival int      // the length is in steps at a speed of 1
	deadline               *big.Rat // a point in time; nil: none
	hard                   bool
	after                  []int
}

// timetable says where and when the jobs run, in exact numbers. A job without an end is left out.
type timetable struct {
	cluster    []int
	start, end []*big.Rat
}

// at is the point in time after the given number of steps.
func (s *small) at(step int) *big.Rat {
	t := new(big.Rat).SetInt64(int64(step))
	return t.Add(t.Mul(t, s.unit), s.origin)
}

// isLate says whether an end is after a deadline: by more than twice the spacing of float64 numbers there, see docs/trust.md.
func isLate(end, deadline *big.Rat) bool {
	clock, _ := end.Float64()
	limit := new(big.Rat).SetFloat64(2 * spacing(clock))
	return end.Cmp(limit.Add(limit, deadline)) > 0
}

// spacing is the distance from a point in time to the next larger float64.
func spacing(t float64) float64 { return math.Nextafter(t, math.Inf(1)) - t }

// enumeration lists schedules: it places the jobs in every order and in every cluster, each as early as those placed before it allow. A metric that
// never falls when a job ends later is least in one of them. A job that would miss a hard deadline is left out, and what waits for it.
type enumeration struct {
	*small
	used  [][]int // by cluster and step: processors
	start []int   // by job, in steps; outside: left out
	place []int   // by job: cluster
	done  []bool
	seen  map[string]bool
}

const outside = -1

// enumerate lists all such schedules.
func (s *small) enumerate() {
	n := len(s.jobs)
	e := &enumeration{small: s, start: make([]int, n), place: make([]int, n), done: make([]bool, n), seen: map[string]bool{}}
	for range s.clusters {
		e.used = append(e.used, make([]int, s.last+1))
	}
	e.next(0)
}

// next chooses the job to place next.
func (e *enumeration) next(placed int) {
	if placed == len(e.jobs) {
		e.keep()
		return
	}
	for j := range e.jobs {
		if !e.done[j] && e.ready(j) {
			e.done[j] = true
			e.put(j, placed)
			e.done[j] = false
		}
	}
}

// ready says whether all jobs that job j waits for have their place.
func (e *enumeration) ready(j int) bool {
	return !slices.ContainsFunc(e.jobs[j].after, func(before int) bool { return !e.done[before] })
}

// put places job j in each cluster in turn.
func (e *enumeration) put(j, placed int) {
	job, fits := &e.jobs[j], false
	for c := range e.clusters {
		length := job.length / e.clusters[c].speed
		start, ok := e.earliest(j, c, length)
		if !ok || job.hard && isLate(e.at(start+length), job.deadline) {
			continue
		}
		fits = true
		e.start[j], e.place[j] = start, c
		e.hold(c, start, length, job.width)
		e.next(placed + 1)
		e.hold(c, start, length, -job.width)
	}
	if !fits {
		e.start[j], e.place[j] = outside, 0
		e.next(placed + 1)
	}
}

// earliest is the first step at which job j can start in a cluster.
func (e *enumeration) earliest(j, c, length int) (start int, ok bool) {
	job := &e.jobs[j]
	start = job.arrival
	for _, before := range job.after {
		if e.start[before] == outside {
			return 0, false
		}
		start = max(start, e.start[before]+e.jobs[before].length/e.clusters[e.place[before]].speed)
	}
	room := e.clusters[c].processors - job.width
	if room < 0 {
		return 0, false
	}
	for t := start; t < start+length; t++ {
		if e.used[c][t] > room {
			start = t + 1
		}
	}
	return start, true
}

// hold takes processors of a cluster.
func (e *enumeration) hold(c, start, length, width int) {
	for t := start; t < start+length; t++ {
		e.used[c][t] += width
	}
}

// keep adds the schedule to the list, once.
func (e *enumeration) keep() {
	var key []byte
	for j := range e.jobs {
		key = append(key, byte(e.start[j]), byte(e.start[j]>>8), byte(e.place[j]))
	}
	if e.seen[string(key)] {
		return
	}
	e.seen[string(key)] = true
	t := e.empty()
	for j := range e.jobs {
		if t.cluster[j] = e.place[j]; e.start[j] != outside {
			t.start[j] = e.at(e.start[j])
			t.end[j] = e.at(e.start[j] + e.jobs[j].length/e.clusters[e.place[j]].speed)
		}
	}
	e.tables = append(e.tables, t)
}

// empty is a timetable that leaves out all jobs.
func (s *small) empty() timetable {
	n := len(s.jobs)
	return timetable{cluster: make([]int, n), start: make([]*big.Rat, n), end: make([]*big.Rat, n)}
}

// read is the timetable of a solution, from the times that it states.
func (s *small) read(in *model.Instance, sol *model.Solution) timetable {
	t := s.empty()
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		j, _ := in.JobIndex(p.Job)
		t.cluster[j] = int(p.Cluster[1] - '0') // see draft.cluster
		t.start[j], t.end[j] = new(big.Rat).SetFloat64(p.Start), new(big.Rat).SetFloat64(p.End)
	}
	return t
}

// slots is the plan of a timetable, with processors for each job.
func (s *small) slots(t *timetable) []slot {
	free := make([][]*big.Rat, len(s.clusters)) // by processor: the end of its last job
	for c := range free {
		free[c] = make([]*big.Rat, s.clusters[c].processors)
	}
	done := make([]bool, len(s.jobs))
	var plan []slot
	for {
		next := outside
		for j := range s.jobs {
			if t.end[j] != nil && !done[j] && (next == outside || earlier(t, j, next)) {
				next = j
			}
		}
		if next == outside {
			return plan
		}
		done[next] = true
		var set []int
		for p, end := range free[t.cluster[next]] {
			if len(set) < s.jobs[next].width && (t.start[next].Cmp(t.end[next]) == 0 || end == nil || end.Cmp(t.start[next]) <= 0) {
				set = append(set, p)
			}
		}
		for _, p := range set {
			if t.start[next].Cmp(t.end[next]) < 0 {
				free[t.cluster[next]][p] = t.end[next]
			}
		}
		start, _ := t.start[next].Float64()
		plan = append(plan, slot{job: next, cluster: t.cluster[next], set: model.Processors(set...), notBefore: start})
	}
}

// earlier says whether job a comes before job b in a plan: it starts or else ends earlier, or it is the one that b waits for.
func earlier(t *timetable, a, b int) bool {
	if by := t.start[a].Cmp(t.start[b]); by != 0 {
		return by < 0
	}
	return t.end[a].Cmp(t.end[b]) < 0
}
