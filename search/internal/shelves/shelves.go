// Package shelves makes first schedules of moldable jobs on one cluster of equal processors, by the dual algorithm with three shelves of
//
// G. Mounié, C. Rapine, D. Trystram, "A 3/2-approximation algorithm for scheduling independent monotonic malleable tasks", SIAM J. Comput. 37(2), 2007, DOI
// 10.1137/S0097539701385995.
//
// For a guess d of the makespan the algorithm either refuses d or builds a schedule of length 3/2·d:
//
//  1. The canonical number of processors of a job for a time is the least number with which the job ends within the time. A job that one processor ends within d/2 is small.
//  2. Every other job goes on the first shelf, with its canonical number for d, or on the second, with its canonical number for d/2. A knapsack chooses so that the work is least and the first shelf takes no
//     more processors than there are.
//  3. If the work is above d times the processors, d is refused.
//  4. If the second shelf takes too many processors, jobs move to a tall shelf of length 3/2·d.
//  5. Small jobs fill the gaps.
//
// The length and the refusals are proved for monotonic jobs: each can run on one processor, and with more processors it takes no longer and no less processor time. For other jobs the schedule may be longer, and a
// guess may be refused although there is a schedule. Then the result is a start for a search and nothing more.
//
// This is not the algorithm of K. Jansen, F. Ohnesorge (2026, arXiv 2601.02836), whose ratio is 73/50. That one has the same frame, with more kinds of choices in the knapsack and further moves between shelves.
//
// Deviations from the paper: if jobs times processors are above [exactKnapsack], the knapsack is filled greedily, by saving per processor, and nothing is proved. Small jobs go longest first.
package shelves

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/allot-opt/allot/internal/queue"
)

// Job is a moldable job. Time is its length on a number of processors in [Least, Most]; it must not rise with the number.
type Job struct {
	Least, Most int
	Time        func(processors int) float64
}

// area is the processor time on n processors.
func (j *Job) area(n int) float64 { return float64(n) * j.Time(n) }

// Canonical is the least number of processors with which the job ends within the time. It returns 0 if the given number of processors is not
// enough.
func (j *Job) Canonical(time float64, processors int) int {
	most := min(j.Most, processors)
	if most < j.Least || j.Time(most) > time {
		return 0
	}
	return j.Least + sort.Search(most-j.Least, func(k int) bool { return j.Time(j.Least+k) <= time })
}

// Schedule is what the algorithm built for a guess.
type Schedule struct {
	Guess float64   // d
	Width []int     // processors of each job
	Start []float64 // of each job
	Fits  bool      // all jobs end within 3/2 of the guess on the processors that there are; otherwise the starts only give an order
}

// Best looks for the least guess that is not refused, to about one per cent, and returns its schedule. The result refused is a guess that was refused, or the larger of the area and the
// longest job. Best returns false if the context ended or a job cannot run.
func Best(ctx context.Context, processors int, jobs []Job) (best Schedule, refused float64, ok bool) {
	const precision = 0.01
	area := 0.0
	for k := range jobs {
		j := &jobs[k]
		if j.Least > processors {
			return Schedule{}, 0, false
		}
		refused = max(refused, j.Time(min(j.Most, processors)))
		area += j.area(j.Least)
	}
	refused = max(refused, area/float64(processors))
	guess := refused
	for steps := 0; ; steps++ {
		if best, ok = Dual(ctx, processors, jobs, guess); ok {
			break
		}
		if ctx.Err() != nil || steps > 60 {
			return Schedule{}, 0, false
		}
		refused, guess = guess, 1.25*guess
	}
	for best.Guess > refused*(1+precision) {
		middle := (refused + best.Guess) / 2
		if found, accepted := Dual(ctx, processors, jobs, middle); accepted {
			best = found
		} else {
			refused = middle
		}
		if ctx.Err() != nil {
			return Schedule{}, 0, false
		}
	}
	return best, refused, true
}

// Dual builds a schedule of length 3/2·d. It returns false if it refuses d or the context ended.
//
// Complexity: O(n·m + n·log n) for n jobs on m processors, O(n·log(n·m)) above [exactKnapsack].
func Dual(ctx context.Context, processors int, jobs []Job, d float64) (Schedule, bool) {
	t := newTable(processors, jobs, d)
	if !t.fill(ctx) {
		return Schedule{}, false
	}
	for !t.fits() && (t.moveDown() || t.moveToFirst()) {
		if ctx.Err() != nil {
			return Schedule{}, false
		}
	}
	t.place()
	return t.Schedule, true
}

// shelf says on which shelf a job is, or that it is small.
type shelf uint8

// The shelves. The first begins at 0 and ends at d, the second lasts from d to 3/2·d, the tall one from 0 to 3/2·d.
const (
	small shelf = iota
	first
	second
	tall
)

// table is a schedule in the making.
type table struct {
	Schedule
	processors int
	jobs       []Job
	d          float64
	shelf      []shelf
	above      []int  // by job on the tall shelf: the job that one of its processors runs after it; −1: none
	used       [4]int // processors by shelf; a job above another uses none
}

// newTable is a table without jobs on its shelves.
func newTable(processors int, jobs []Job, d float64) *table {
	return &table{processors: processors, jobs: jobs, d: d, shelf: make([]shelf, len(jobs)), above: slices.Repeat([]int{-1}, len(jobs)),
		Schedule: Schedule{Guess: d, Width: make([]int, len(jobs)), Start: make([]float64, len(jobs))}}
}

// time is the length of job k.
func (t *table) time(k int) float64 { return t.jobs[k].Time(t.Width[k]) }

// put puts job k on a shelf, with a number of processors.
func (t *table) put(k int, to shelf, width int) {
	t.shelf[k], t.Width[k] = to, width
	t.used[to] += width
}

// take takes job k from its shelf.
func (t *table) take(k int) { t.used[t.shelf[k]] -= t.Width[k] }

// fill puts the jobs on the first two shelves. It returns false if the guess is refused or the context ended.
func (t *table) fill(ctx context.Context) bool {
	var items []item
	work, capacity := 0.0, t.processors
	for k := range t.jobs {
		j := &t.jobs[k]
		if j.Least == 1 && j.Time(1) <= t.d/2 {
			t.put(k, small, 1)
			work += j.area(1)
			continue
		}
		whole, half := j.Canonical(t.d, t.processors), j.Canonical(t.d/2, t.processors)
		switch {
		case whole == 0:
			return false
		case half == 0:
			t.put(k, first, whole)
			capacity -= whole
			work += j.area(whole)
		default:
			t.put(k, second, half)
			work += j.area(half)
			if saved := j.area(half) - j.area(whole); saved > 0 {
				items = append(items, item{k, whole, saved})
			}
		}
	}
	if capacity < 0 {
		return false
	}
	for _, chosen := range knapsack(ctx, items, capacity) {
		t.take(chosen.job)
		t.put(chosen.job, first, chosen.weight)
		work -= chosen.value
	}
	const rounding = 1e-9
	return ctx.Err() == nil && work <= float64(t.processors)*t.d*(1+rounding)
}

// fits reports that the processors suffice for the first shelf beside the tall one, and for the second beside the tall one.
func (t *table) fits() bool {
	return t.used[first]+t.used[tall] <= t.processors && t.used[second]+t.used[tall] <= t.processors
}

// moveDown moves jobs of at most 3/4·d from the first shelf to the tall one, where they take fewer processors. A job of several processors gets one processor fewer. Two jobs of one processor share
// a processor; if one of these is left over, it follows any job of the first shelf that leaves enough time. It reports whether it moved any job.
func (t *table) moveDown() (moved bool) {
	alone := -1
	for k := range t.jobs {
		if t.shelf[k] != first || t.time(k) > 0.75*t.d {
			continue
		}
		switch width := t.Width[k]; {
		case width > t.jobs[k].Least && t.jobs[k].Time(width-1) <= 1.5*t.d:
			t.take(k)
			t.put(k, tall, width-1)
			moved = true
		case width > 1:
		case alone < 0:
			alone = k
		default:
			t.stack(alone, k)
			alone, moved = -1, true
		}
	}
	if alone < 0 {
		return moved
	}
	for k := range t.jobs {
		if k != alone && t.shelf[k] == first && t.time(k)+t.time(alone) <= 1.5*t.d {
			t.stack(k, alone)
			return true
		}
	}
	return moved
}

// stack puts two jobs of the first shelf on the tall one. The job top, which has one processor, runs after the job below.
func (t *table) stack(below, top int) {
	t.take(below)
	t.put(below, tall, t.Width[below])
	t.take(top)
	t.shelf[top] = tall
	t.above[below] = top
}

// moveToFirst moves jobs from the second shelf to processors that neither the first nor the tall shelf uses, if they end there within 3/2·d. It stops when all jobs fit, and reports whether it moved any
// job.
func (t *table) moveToFirst() (moved bool) {
	for k := range t.jobs {
		idle := t.processors - t.used[first] - t.used[tall]
		if idle <= 0 || t.fits() {
			return moved
		}
		if t.shelf[k] != second {
			continue
		}
		if width := t.jobs[k].Canonical(1.5*t.d, idle); width > 0 {
			t.take(k)
			if t.jobs[k].Time(width) > t.d {
				t.put(k, tall, width)
			} else {
				t.put(k, first, width)
			}
			moved = true
		}
	}
	return moved
}

// gap is the idle time of a processor between the jobs that it runs from 0 on and its job of the second shelf.
type gap struct{ from, to float64 }

// Before implements [queue.Item]: the longest gap goes first.
func (a gap) Before(b gap) bool { return a.to-a.from > b.to-b.from }

// place finds the starts.
func (t *table) place() {
	end := 1.5 * t.d
	of := func(s shelf) (list []int) {
		for k := range t.jobs {
			if t.shelf[k] == s {
				list = append(list, k)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(t.time(b), t.time(a)) })
		return list
	}
	t.Fits = t.fits()
	var room queue.Heap[gap]
	isAbove := make([]bool, len(t.jobs))
	for below, top := range t.above {
		if top >= 0 {
			t.Start[top], isAbove[top] = t.time(below), true
		}
	}
	for _, k := range of(tall) {
		if isAbove[k] {
			continue
		}
		from := t.time(k)
		for range t.Width[k] - 1 {
			room = append(room, gap{from, end})
		}
		if top := t.above[k]; top >= 0 {
			from += t.time(top)
		}
		room = append(room, gap{from, end})
	}
	base := len(room)
	for _, k := range of(first) {
		for range t.Width[k] {
			room = append(room, gap{t.time(k), end})
		}
	}
	onSecond, smalls := of(second), of(small)
	for len(room) < min(t.processors, base+max(t.used[first], t.used[second])+len(smalls)) {
		room = append(room, gap{0, end})
	}
	slices.Reverse(onSecond) // the shortest above the longest of the first shelf
	at := base
	for _, k := range onSecond {
		t.Start[k] = end - t.time(k)
		for range t.Width[k] {
			if at < len(room) {
				room[at].to = t.Start[k]
				at++
			}
		}
	}
	room.Init()
	for _, k := range smalls {
		if len(room) == 0 {
			t.Fits, t.Start[k] = false, end
			continue
		}
		t.Start[k] = room[0].from
		room[0].from += t.time(k)
		t.Fits = t.Fits && room[0].from <= room[0].to+1e-9*end
		room.Fix(0)
	}
}
