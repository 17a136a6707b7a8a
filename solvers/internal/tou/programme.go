package tou

import (
	"context"
	"math"
)

// The programme forgets which jobs there are and keeps how many intervals of work are done. It goes through time; at each time the machine is on, or in a state
// that saves power. A job of any size may begin where the machine is on; it pays the price of its size. Prices may be anything: with the prices of all jobs
// taken off again no schedule costs less than the programme finds. Where the sizes that it takes are just those of the jobs, it has found a best schedule.

// infinite is more than anything costs.
const infinite = math.MaxInt64 / 4

// Fixed says what an interval must be, and what may happen at its begin.
type Fixed struct{ Interval, Limit choice }

// choice is one of the two parts into which a node is split.
type choice uint8

// The values of Choice.
const (
	free choice = iota
	low         // the interval is not busy; no job begins at its begin
	high        // the interval is busy; no job runs across its begin
)

// programme is the memory of a run.
type programme struct {
	p      *Problem
	rows   int // kept of each state
	on     [][]int64
	off    [][][]int64
	before [][]int64 // by state: it at the time, without ways that begin then
	ways   []uint8   // by time and work done: how the machine came to be on
	stays  []uint8   // by time and work done: of each state, whether the machine stayed in it
	starts []int     // by time: where its ways begin
	busy   []int64   // sums of the price of work
	work   []int     // intervals before that must not be busy
	must   []int     // intervals before that must be busy
	limits []int     // times up to this one that no job may run across
	later  []bool    // no job begins at the time
}

// newProgramme takes the memory.
func newProgramme(p *Problem) *programme {
	g := &programme{p: p, rows: 1, starts: make([]int, p.Intervals+2)}
	for _, size := range p.Sizes {
		g.rows = max(g.rows, size)
	}
	for k := range p.Off {
		g.rows = max(g.rows, p.Off[k].Down.Time, p.Off[k].Up.Time)
	}
	g.rows++
	row := func() [][]int64 {
		list := make([][]int64, g.rows)
		for k := range list {
			list[k] = make([]int64, p.Total+1)
		}
		return list
	}
	g.on = row()
	for range p.Off {
		g.off, g.before = append(g.off, row()), append(g.before, make([]int64, p.Total+1))
	}
	for t := 0; t <= p.Intervals; t++ {
		low, high := p.band(t)
		g.starts[t+1] = g.starts[t] + max(0, high-low+1)
	}
	g.ways, g.stays = make([]uint8, g.starts[p.Intervals+1]), make([]uint8, g.starts[p.Intervals+1])
	g.busy, g.work, g.must = make([]int64, p.Intervals+1), make([]int, p.Intervals+1), make([]int, p.Intervals+1)
	g.limits, g.later = make([]int, p.Intervals+1), make([]bool, p.Intervals+1)
	return g
}

// band is the least and the most work that can be done at a time if all can be done by the end.
func (p *Problem) band(t int) (low, high int) {
	return max(0, p.Total-(p.Intervals-t)), min(t, p.Total)
}

// How the machine came to be on: idle, from a state, or at the end of a job.
const (
	wayIdle  = 0
	wayState = 1  // + state
	wayJob   = 16 // + size
)

// run is the least cost at these prices of sizes, which are added; infinite: there is no schedule. It returns false if the context ended first.
func (g *programme) run(ctx context.Context, prices []int64, fine int64, fixed []Fixed) (int64, bool) {
	p := g.p
	for t := range p.Intervals {
		g.busy[t+1], g.work[t+1], g.must[t+1] = g.busy[t]+fine*p.Busy[t], g.work[t], g.must[t]
		switch fixed[t].Interval {
		case low:
			g.work[t+1]++
		case high:
			g.must[t+1]++
		}
		if g.limits[t+1] = g.limits[t]; fixed[t].Limit == high {
			g.limits[t+1]++ // counts the limit at t
		}
		g.later[t] = fixed[t].Limit == low
	}
	for t := 0; t <= p.Intervals; t++ {
		low, high := p.band(t)
		if low > high {
			return infinite, true
		}
		if t%16 == 0 && ctx.Err() != nil {
			return 0, false
		}
		g.step(t, low, high, prices, fine)
	}
	if p.End == -1 {
		return min(infinite, g.on[p.Intervals%g.rows][p.Total]), true
	}
	return min(infinite, g.off[p.End][p.Intervals%g.rows][p.Total]), true
}

// step finds the costs at a time.
func (g *programme) step(t, low, high int, prices []int64, fine int64) {
	p := g.p
	on := g.on[t%g.rows]
	ways, stays := g.ways[g.starts[t]:g.starts[t+1]], g.stays[g.starts[t]:g.starts[t+1]]
	clear(stays)
	clear(ways)
	for u := low; u <= high; u++ {
		on[u] = infinite
	}
	lastLow, lastHigh := p.band(t - 1)
	if t == 0 {
		lastLow, lastHigh = 1, 0
		if p.Begin == -1 {
			on[0] = 0
		}
	}
	mayRest := t > 0 && g.must[t] == g.must[t-1]
	g.sleep(t, low, high, mayRest, fine, stays)
	if mayRest {
		last, cost := g.on[(t-1)%g.rows], fine*p.Idle[t-1]
		for u := max(low, lastLow); u <= min(high, lastHigh); u++ {
			if last[u] < infinite {
				on[u] = last[u] + cost
			}
		}
	}
	for s := range p.Off {
		d := p.Off[s].Up.Time
		if t < d || g.must[t] != g.must[t-d] {
			continue
		}
		from, cost := g.before[s], int64(0)
		a, b := low, high
		if d > 0 {
			from, cost = g.off[s][(t-d)%g.rows], fine*p.Off[s].Up.Cost[t-d]
			a, b = p.band(t - d)
		}
		for u := max(low, a); u <= min(high, b); u++ {
			if x := from[u] + cost; from[u] < infinite && x < on[u] {
				on[u], ways[u-low] = x, uint8(wayState+s)
			}
		}
	}
	for k, size := range p.Sizes {
		if t < size || g.work[t] != g.work[t-size] || g.later[t-size] || g.limits[t] != g.limits[t-size+1] {
			continue
		}
		from, cost := g.on[(t-size)%g.rows], g.busy[t]-g.busy[t-size]+prices[k]
		a, b := p.band(t - size)
		for u := max(low, a+size); u <= min(high, b+size); u++ {
			if x := from[u-size] + cost; from[u-size] < infinite && x < on[u] {
				on[u], ways[u-low] = x, uint8(wayJob+k)
			}
		}
	}
	for s := range p.Off {
		off := g.off[s][t%g.rows]
		copy(off[low:high+1], g.before[s][low:high+1])
		if p.Off[s].Down.Time == 0 {
			for u := low; u <= high; u++ {
				if on[u] < off[u] {
					off[u] = on[u]
					stays[u-low] &^= 1 << s
				}
			}
		}
	}
}

// sleep finds the costs at a time in the states that save power, without ways down that begin then.
func (g *programme) sleep(t, low, high int, mayRest bool, fine int64, stays []uint8) {
	p := g.p
	lastLow, lastHigh := p.band(t - 1)
	for s := range p.Off {
		state := &p.Off[s]
		off := g.before[s]
		for u := low; u <= high; u++ {
			off[u] = infinite
		}
		if t == 0 && p.Begin == s {
			off[0] = 0
		}
		if mayRest {
			last, cost := g.off[s][(t-1)%g.rows], fine*state.Power[t-1]
			for u := max(low, lastLow); u <= min(high, lastHigh); u++ {
				if last[u] < infinite {
					off[u] = last[u] + cost
					stays[u-low] |= 1 << s
				}
			}
		}
		if d := state.Down.Time; d > 0 && t >= d && g.must[t] == g.must[t-d] {
			from, cost := g.on[(t-d)%g.rows], fine*state.Down.Cost[t-d]
			a, b := p.band(t - d)
			for u := max(low, a); u <= min(high, b); u++ {
				if x := from[u] + cost; from[u] < infinite && x < off[u] {
					off[u] = x
					stays[u-low] &^= 1 << s
				}
			}
		}
	}
}

// piece is a job of a path.
type piece struct{ start, kind int }

// path lists the jobs of the cheapest path, the last first.
func (g *programme) path(list []piece) []piece {
	p := g.p
	list = list[:0]
	t, u, state := p.Intervals, p.Total, p.End
	for t > 0 || state != p.Begin {
		low, _ := p.band(t)
		at := g.starts[t] + u - low
		if state >= 0 {
			if g.stays[at]&(1<<state) != 0 {
				t--
				continue
			}
			t, state = t-p.Off[state].Down.Time, -1
			continue
		}
		switch way := int(g.ways[at]); {
		case way == wayIdle:
			t--
		case way < wayJob:
			s := way - wayState
			t, state = t-p.Off[s].Up.Time, s
		default:
			size := p.Sizes[way-wayJob]
			t, u = t-size, u-size
			list = append(list, piece{t, way - wayJob})
		}
	}
	return list
}
