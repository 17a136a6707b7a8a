package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/windows"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

var (
	_ = Register(leftOutMethod("missed", false))
	_ = Register(leftOutMethod("miss_rate", false))
	_ = Register(leftOutMethod("unfinished", false))
	_ = Register(leftOutMethod("finished", true))
	_ = Register(leftOutMethod("work_done", true))
	_ = Register(leftOutMethod("data_moved", true))
)

// leftOutMethod bounds what jobs with deadlines are worth that cannot be in time.
func leftOutMethod(metric string, lacks bool) Method {
	return Method{Name: "resource-knapsack", Metric: metric, Lacks: lacks, Certifies: true,
		Doc:    "the least value of the jobs that are not in time, because all would hold more in an interval than groups of machines have: a knapsack of processors, memory, resources and devices, relaxed to parts of jobs, at the best prices",
		Source: "G. B. Dantzig (1957), Discrete-variable extremum problems, Oper. Res. 5, doi:10.1287/opre.5.2.266, the relaxation; what jobs hold in an interval after P. Baptiste, C. Le Pape, W. Nuijten (1999), doi:10.1023/A:1018995000688",
		New: OnceShown(func(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
			v := newMachineView(ctx, r, nodeFeatures|model.HardDeadlines)
			if v == nil {
				return Sum{}, nil, false
			}
			l := &leftOut{v: v, metric: metric}
			return l.prove(ctx)
		})}
}

// leftOut bounds the value of the jobs that are not in time, for one metric.
//
// A job that is in time runs between its head and its deadline, so in an interval it holds at least what it holds there if it starts at its head or as late as
// it may. All jobs that are in time, and those that run already, hold no more than what the machines are worth in the interval. So for any prices
//
//	value of the jobs left out ≥ Σ over jobs of min(value, what it holds in the interval) − what the machines are worth there.
type leftOut struct {
	v      *machineView
	metric string
	jobs   []int // that may be in time, and may not
	base   float64
	alone  bool // what runs already does not count
}

// interval is a time that is looked at. If closed is set only open machines count, and what jobs hold until their estimates.
type interval struct {
	from, to float64
	closed   bool
}

// prove looks for the interval in which the jobs hold the most at simple prices, and for better prices there.
func (l *leftOut) prove(ctx context.Context) (Sum, func() *proof.Argument, bool) {
	l.look()
	at, ok := l.fullest(ctx)
	if !ok {
		return Sum{}, nil, false
	}
	sum, show := l.within(ctx, at)
	switch l.metric {
	case "missed", "miss_rate", "unfinished", "finished": // whole numbers
		low, ok := sum.Low()
		if low = math.Ceil(low); !ok || low <= 0 {
			return Sum{}, nil, false
		}
		sum = Sum{Value: l.base + low}
		if l.metric == "miss_rate" {
			sum = Sum{}
			sum.Add(100 * (l.base + low) / l.v.r.count(func(r *Relaxation, j int) bool { return r.in.Jobs()[j].HasDeadline() }))
		}
	}
	return sum, func() *proof.Argument { return &proof.Argument{MachinePrices: show()} }, true
}

// fullest is the interval in which the jobs hold the most at simple prices; false: there is none in which they hold too much, or ctx ends.
func (l *leftOut) fullest(ctx context.Context) (at interval, ok bool) {
	best := 0.0
	for _, i := range l.intervals() {
		if ctx.Err() != nil {
			return at, false
		}
		if _, value := l.search(i).find(ctx, 0); value > best {
			best, at, ok = value, i, true
		}
	}
	return at, ok
}

// within looks for prices at which the jobs hold much in the interval. It returns what those are worth that are not in time, besides the base, and what proves it.
func (l *leftOut) within(ctx context.Context, at interval) (Sum, func() *proof.MachinePrices) {
	search := l.search(at)
	prices, value := search.find(ctx, priceRounds)
	size := 0.0
	for k := range search.items {
		if item := &search.items[k]; !math.IsInf(item.value, 1) {
			size += item.count * item.value
		}
	}
	for g := range l.v.shut {
		size += 2 * l.v.worthOf(g, prices) * (at.to - at.from) // of what runs already, too
	}
	return Sum{Value: value, Size: size, Terms: l.v.terms(len(search.items))}, func() *proof.MachinePrices {
		return &proof.MachinePrices{Groups: l.v.stated(prices), Closed: at.closed, From: at.from, To: at.to}
	}
}

// look finds the jobs that may be in time, and counts those that are not in any schedule.
func (l *leftOut) look() {
	r := l.v.r
	for j := range r.in.Jobs() {
		job := &r.in.Jobs()[j]
		if l.metric == "missed" || l.metric == "miss_rate" {
			switch {
			case !job.HasDeadline():
			case r.misses(j):
				l.base++
			case job.Node().Running == nil:
				l.jobs = append(l.jobs, j)
			}
			continue
		}
		switch {
		case r.duties[j] == MustLeave:
			if l.metric == "unfinished" {
				l.base++
			}
		case job.HasDeadline() && job.DeadlineHard && job.Node().Running == nil:
			l.jobs = append(l.jobs, j)
		}
	}
}

// worth is what a job adds to the metric.
func (l *leftOut) worth(j int) float64 {
	switch job := &l.v.r.in.Jobs()[j]; l.metric {
	case "work_done":
		return job.TotalWork()
	case "data_moved":
		return job.Input + job.Output
	}
	return 1
}

// intervals are those from the least head to a deadline, and those in which all jobs up to a deadline have to run.
func (l *leftOut) intervals() (list []interval) {
	const most = 12
	r := l.v.r
	var dues []float64
	for _, j := range l.jobs {
		dues = append(dues, r.Deadline(j))
	}
	shut := slices.ContainsFunc(l.v.shut, func(times [][2]float64) bool { return len(times) > 0 })
	add := func(from, to float64) {
		if from < to && gate.Finite(from) && gate.Finite(to) {
			if list = append(list, interval{from, to, false}); shut {
				list = append(list, interval{from, to, true})
			}
		}
	}
	for _, due := range windows.Evenly(dues, most) {
		from, to, late, early := math.Inf(1), math.Inf(-1), math.Inf(-1), math.Inf(1)
		for _, j := range l.jobs {
			if d := r.Deadline(j); d <= due {
				slack := r.Lateness(j)
				from, to = min(from, r.start[j]), max(to, d+2*slack)
				late, early = max(late, d-r.least[j]+2*slack), min(early, r.EarliestEnd(j)-2*slack)
			}
		}
		add(from, to)
		if late < early { // at each time in between all of them run
			add(late+(early-late)/4, early-(early-late)/4)
		}
	}
	return list
}

// search prepares the search of prices for an interval.
func (l *leftOut) search(i interval) *priceSearch {
	r := l.v.r
	var items []pricedItem
	for _, j := range l.jobs {
		times := make([]float64, len(l.v.groups))
		for c := range times {
			times[c] = l.least(j, c, i)
		}
		items = append(items, pricedItem{shape: l.v.shapeOf[j], times: times, value: l.worth(j)})
	}
	for _, j := range r.must {
		if held, time := l.v.heldFrom0(j); held != nil && !i.closed && !l.alone { // closed times do not concern it
			time -= 2*model.Tolerance*time + 8*gate.Epsilon*(math.Abs(r.in.FirstArrival())+r.start[j]+time)
			if during := min(i.to, r.start[j]+time) - max(i.from, r.start[j]); during > 0 {
				items = append(items, pricedItem{held: held, times: []float64{during * (1 - 4*gate.Epsilon)}, value: math.Inf(1)})
			}
		}
	}
	capacity := slices.Clone(l.v.capacity)
	for k := range capacity {
		if length := i.to - i.from; !math.IsInf(capacity[k], 1) {
			if i.closed {
				length = openTime(l.v.shut[k/l.v.kinds], i.from, i.to)
			}
			capacity[k] *= length
		}
	}
	return newPriceSearch(l.v, items, capacity)
}

// least is the least processor time that a job that is in time holds on the cluster in the interval; +Inf if it cannot run there. Of a job that may release
// processors early it is all or nothing. The checker accepts durations that are a little shorter and ends that are a little late.
func (l *leftOut) least(j, c int, i interval) float64 {
	r := l.v.r
	due, slack, head := r.Deadline(j), r.Lateness(j), r.start[j]
	if !r.isSolid(j) {
		area := r.areaOn(j, c)
		if i.closed {
			area = r.keptArea(j, c)
		}
		switch {
		case math.IsInf(area, 1):
			return area
		case i.from <= head && due+slack <= i.to && r.least[j] > 0:
			return area * max(0, 1-slack/r.least[j]) * (1 - 4*gate.Epsilon)
		}
		return 0
	}
	if !r.canRun(j, c) {
		return math.Inf(1)
	}
	size, _ := r.in.Width(j, c)
	time := r.in.DurationOn(j, c, size)
	kept := time
	if i.closed {
		kept = min(kept, r.expected().DurationOn(j, c, size))
	}
	kept -= slack
	during := func(start float64) float64 { return min(i.to, start+kept) - max(i.from, start) }
	held := min(during(head), during(due-time+2*slack))
	if held < i.to-i.from {
		held -= 8 * gate.Epsilon * (math.Abs(due) + head + time + math.Abs(i.to))
	}
	return float64(size) * max(0, held)
}
