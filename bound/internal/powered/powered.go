// Package powered relaxes who runs where: processor time has a price that changes with time, jobs pay it, and machines that are on earn it. Lower bounds of
// what power costs build on it.
package powered

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/exactsteps"
)

// Problem is a batch on its clusters within a horizon. At any time the jobs of a cluster hold no more processors than its machines have that are on. Let each
// cluster have a price λ ≥ 0 of a processor by bucket of time. Each job takes its cheapest start, where it pays λ beside the power of its processors; each
// machine takes its cheapest way through its states, where it earns λ for its processors while it is on. Together they cost no more than any schedule.
//
// Time stays continuous. As a function of its start, the cost of a job is linear except where its start, its end or its deadline meets the limit of a bucket.
// So only these starts have to be looked at.
type Problem struct {
	Limits   []float64 // of the buckets: 0 … length of the horizon. All steps of all tariffs are among them, as [Cluster.round] states them
	Size     int       // number of prices: by cluster, by bucket
	Work     int64     // of an evaluation, in about 1 ns
	until    float64   // no processor has a price from then on
	Looks    int       // buckets in which starts of a job are looked at, from its earliest on; a later one counts at the least price of later times. 0: all
	clusters []cluster
	jobs     int
	mayLeave []bool  // by job
	ways     []Way   // by cluster and power
	order    []int32 // of ways, by cluster and power
	cells    cells
	sizes    float64 // magnitudes of what the jobs cost, but for prices
	widest   float64 // the sum of the widths of the widest ways

	least  []float64 // by job: its least cost
	chosen []int32   // by job: the way of it
	start  []float64 // by job: the start of it
	cheap  []int32   // by job: the bucket of the least price, where its start is not looked at; −1: it is
}

// Cluster is a cluster of an instance.
type Cluster struct {
	Steps  []exactsteps.Step // at which what a unit of power costs may change; the first is the begin of the horizon
	Rates  []float64         // from each of them on
	Groups []Group
}

// Group is a group of machines.
type Group struct {
	Count, Units float64 // machines; processors of one
	Power        *model.MachinePower
}

// Job is the ways to run a job.
type Job struct {
	Ways     []Way
	MayLeave bool // a schedule may leave it out
}

// Way is one way to run a job: on processors of a cluster, for a time.
type Way struct {
	Cluster      int
	Width, Power float64 // processors; power of one
	Length       float64
	First, Last  float64 // earliest and latest start
	Constant     float64 // what it costs wherever it starts
	Delay        float64 // what a unit of time costs by which it starts after 0
	Over, Due    float64 // what a unit of time costs by which it ends after Due
	// The job holds Width times Length at least, and Width at most at any time, somewhere from Head to its end. So it pays no less than if it held that last, at
	// the least rates since Head. A length of 0 says that Width is all of it, as no limit is known.
	Loose     bool
	Head      float64
	job       int32
	magnitude float64 // of its cost, but for prices
}

// cluster is a cluster with its prices.
type cluster struct {
	processors float64
	rates      []float64 // by bucket
	costs      []float64 // by limit: the integral of the rates from 0
	size       float64   // the largest magnitude of a rate times the length of the horizon
	price      []float64 // by bucket: λ
	paid       []float64 // by limit: its integral
	highest    float64   // the largest price times the length of the horizon
	groups     []Group
	beside     bool // a step of the tariff lies beside its limit
}

// Input is what a problem is made of. All times but the horizon count from its begin.
type Input struct {
	From, To float64 // the horizon
	Clusters []Cluster
	Jobs     []Job
	Limits   []float64 // more limits of buckets
	Most     float64   // the jobs cost no more wherever they start; 0: that is not known
	Until    float64   // no processor has a price from then on, which is one of the limits; 0: all have one to the end
}

// length is that of the horizon.
func (in *Input) length() float64 { return in.To - in.From }

// MostWays is the most ways of all jobs together: they take about 300 bytes each. MostPrices is the most prices that a problem begins with: a bundle keeps dozens of
// vectors of that length. Whoever makes an input counts before there is any.
const (
	MostWays   = 1 << 20
	MostPrices = 1 << 18
)

// mostWork is the most work of an evaluation. If looking at all starts would take more than muchWork, only the earliest starts of each job are looked at, which takes about fewWork: at
// prices at which a market clears, later starts are hardly cheaper.
const (
	mostWork = 2_000_000_000
	muchWork = 400_000_000
	fewWork  = 20_000_000
	fewLooks = 24
)

// New prepares a problem; nil: it is too large, or a number overflows.
func New(in *Input) *Problem {
	p := &Problem{jobs: len(in.Jobs), until: in.Until}
	if p.until == 0 {
		p.until = math.Inf(1)
	}
	p.Limits = append([]float64{0, in.length()}, in.Limits...)
	steps := make([][]rounded, len(in.Clusters))
	for c := range in.Clusters {
		steps[c] = in.Clusters[c].round()
		for k := range steps[c] {
			p.Limits = append(p.Limits, steps[c][k].at)
		}
	}
	p.Limits = slices.DeleteFunc(p.Limits, func(t float64) bool { return !(t >= 0 && t <= in.length()) })
	slices.Sort(p.Limits)
	p.Limits = slices.Compact(p.Limits)
	buckets := len(p.Limits) - 1
	if buckets < 1 {
		return nil
	}
	p.Size = buckets * len(in.Clusters)
	ways := 0
	for j := range in.Jobs {
		ways += len(in.Jobs[j].Ways)
	}
	if ways > MostWays || p.Size > MostPrices {
		return nil
	}
	p.ways, p.order = make([]Way, 0, ways), make([]int32, 0, ways)
	for c := range in.Clusters {
		p.clusters = append(p.clusters, newCluster(in.Clusters[c].Groups, steps[c], p.Limits))
	}
	for j := range in.Jobs {
		p.mayLeave = append(p.mayLeave, in.Jobs[j].MayLeave)
		most, widest := 0.0, 0.0
		for _, w := range in.Jobs[j].Ways {
			w.job = int32(j)
			end := max(math.Abs(w.First), math.Abs(w.Last)) + w.Length
			w.magnitude = 2*w.Width*w.Power*p.clusters[w.Cluster].size + math.Abs(w.Constant) + math.Abs(w.Delay)*end
			if w.Over > 0 {
				w.magnitude += w.Over * (end + math.Abs(w.Due))
			}
			most, widest = max(most, w.magnitude), max(widest, w.held(in.length()))
			p.ways = append(p.ways, w)
			p.order = append(p.order, int32(len(p.order)))
		}
		p.sizes, p.widest = p.sizes+most, p.widest+widest
	}
	slices.SortStableFunc(p.order, func(a, b int32) int {
		x, y := &p.ways[a], &p.ways[b]
		return cmp.Or(x.Cluster-y.Cluster, cmp.Compare(x.Power, y.Power))
	})
	p.least, p.chosen, p.start, p.cheap = make([]float64, p.jobs), make([]int32, p.jobs), make([]float64, p.jobs), make([]int32, p.jobs)
	p.cells = newCells(in, p.Limits)
	if int64(len(p.ways))*int64(buckets+4)*14 > muchWork {
		p.Looks = max(fewLooks, fewWork/(14*len(p.ways)))
	}
	p.Work = 20_000 + int64(len(p.ways))*int64(p.looks()+4)*14
	for c := range p.clusters {
		for _, g := range p.clusters[c].groups {
			if g.Power.Sleeps() {
				p.Work += int64(p.cells.count) * int64(1+len(g.Power.Off)) * 12
			}
		}
		if !gate.FiniteAll(p.clusters[c].costs) || !gate.Finite(p.clusters[c].size) {
			return nil
		}
	}
	if !gate.Finite(p.sizes) || p.Work > mostWork {
		return nil
	}
	return p
}

// Sizes is the magnitude of what the jobs cost at most, without prices, wherever they start.
func (p *Problem) Sizes() float64 { return p.sizes }

// held is what the way holds at most, divided by the length of the horizon.
func (w *Way) held(length float64) float64 {
	if w.Loose && w.Length == 0 {
		return w.Width / length
	}
	return w.Width
}

// looks is in how many buckets starts are looked at.
func (p *Problem) looks() int {
	if p.Looks > 0 {
		return min(p.Looks, len(p.Limits)-1)
	}
	return len(p.Limits) - 1
}

// newCluster prepares a cluster.
func newCluster(groups []Group, steps []rounded, limits []float64) cluster {
	buckets := len(limits) - 1
	c := cluster{groups: groups, rates: make([]float64, buckets), costs: make([]float64, buckets+1), price: make([]float64, buckets), paid: make([]float64, buckets+1)}
	for _, g := range groups {
		c.processors += g.Count * g.Units
	}
	k := 0
	for b := range buckets {
		for k+1 < len(steps) && steps[k+1].at <= limits[b] {
			k++
			c.beside = c.beside || steps[k].first.Exact != nil || steps[k].last.Exact != nil
		}
		c.rates[b] = steps[k].rate
		length := limits[b+1] - limits[b]
		c.costs[b+1] = c.costs[b] + c.rates[b]*length
		c.size = max(c.size, math.Abs(c.rates[b])*limits[buckets])
	}
	return c
}

// set takes the prices x, of which those below 0 count as 0.
func (p *Problem) set(x []float64) bool {
	buckets := len(p.Limits) - 1
	for i := range p.clusters {
		c := &p.clusters[i]
		c.highest = 0
		for b := range buckets {
			c.price[b] = max(0, x[i*buckets+b])
			if p.Limits[b] >= p.until {
				c.price[b] = 0
			}
			c.paid[b+1] = c.paid[b] + c.price[b]*(p.Limits[b+1]-p.Limits[b])
			c.highest = max(c.highest, c.price[b]*p.Limits[buckets])
		}
		if !gate.Finite(c.highest) {
			return false
		}
	}
	return true
}

// Evaluate is the bound at the prices x, and its slope by them. It returns false if the context ended, a job has no way or a machine cannot be in its states, or
// a number overflowed.
//
// Complexity: O(ways · buckets + cells · states).
func (p *Problem) Evaluate(ctx context.Context, x, slope []float64) (sum gate.Sum, ok bool) {
	if !p.set(x) {
		return sum, false
	}
	clear(slope)
	sum = gate.Sum{Size: p.sizes, Terms: 4*len(p.Limits) + 2*p.cells.count + 32}
	if !p.cheapest(ctx) {
		return sum, false
	}
	buckets, highest, lost := len(p.Limits)-1, 0.0, 0.0
	for i := range p.clusters {
		highest = max(highest, p.clusters[i].highest)
	}
	sum.Size += 2 * p.widest * highest
	for i := range p.clusters {
		if p.clusters[i].beside {
			sum.Size += p.clusters[i].processors * p.clusters[i].highest
		}
	}
	for j, v := range p.least {
		if math.IsInf(v, 1) && !p.mayLeave[j] {
			return sum, false
		}
		if p.mayLeave[j] && v >= 0 {
			continue
		}
		v -= lost // what rounding lost of the sum before
		total := sum.Value + v
		sum.Value, lost = total, (total-sum.Value)-v
		w := &p.ways[p.chosen[j]]
		own := slope[w.Cluster*buckets : (w.Cluster+1)*buckets]
		switch b := p.cheap[j]; {
		case b >= 0:
			own[b] += w.Width * w.Length
		case w.Loose:
			p.holdLoosely(own, w, p.start[j])
		default:
			p.hold(own, p.start[j], p.start[j]+w.Length, w.Width)
		}
	}
	for i := range p.clusters {
		c := &p.clusters[i]
		own := slope[i*buckets : (i+1)*buckets]
		for g := range c.groups {
			if ctx.Err() != nil || !p.machines(i, &c.groups[g], own, &sum) {
				return sum, false
			}
		}
	}
	return sum, gate.Finite(sum.Value) && gate.Finite(sum.Size)
}

// machines adds what the machines of a group take and earn.
func (p *Problem) machines(cluster int, g *Group, slope []float64, sum *gate.Sum) bool {
	c, last := &p.clusters[cluster], len(p.Limits)-1
	idle := 0.0
	if g.Power != nil {
		idle = g.Power.Idle
	}
	if g.Power.Sleeps() {
		return p.cells.add(c, &p.cells.rates[cluster], g, slope, sum)
	}
	sum.Value += g.Count * (idle*c.costs[last] - g.Units*c.paid[last])
	sum.Size += g.Count * (idle*c.size + g.Units*c.paid[last])
	for b := range last {
		slope[b] -= g.Count * g.Units * (p.Limits[b+1] - p.Limits[b])
	}
	return true
}

// hold adds to the slope by the prices of a cluster that processors are held.
func (p *Problem) hold(slope []float64, from, to, width float64) {
	b, found := slices.BinarySearch(p.Limits, from)
	if !found {
		b--
	}
	for ; b+1 < len(p.Limits) && p.Limits[b] < to; b++ {
		slope[b] += width * (min(to, p.Limits[b+1]) - max(from, p.Limits[b]))
	}
}

// cheapest finds the cheapest start of each job.
func (p *Problem) cheapest(ctx context.Context) bool {
	for j := range p.least {
		p.least[j] = math.Inf(1)
	}
	rate, paid := make([]float64, len(p.Limits)), make([]float64, len(p.Limits)) // of a processor: power and price, and their integral
	floor := make([]int32, len(p.Limits)-1)                                      // by bucket: that of the least rate from it on
	loose := newLooseRates(len(p.Limits))
	cluster, power := -1, 0.0
	const ofLook = 4 // units of a poll
	end := kit.NewPoll(ctx)
	for _, k := range p.order {
		if end.Stopped(ofLook * (p.looks() + 4)) {
			return false
		}
		w := &p.ways[k]
		if w.Cluster != cluster || w.Power != power {
			cluster, power = w.Cluster, w.Power
			c := &p.clusters[cluster]
			for b := range c.rates {
				rate[b], paid[b] = power*c.rates[b]+c.price[b], power*c.costs[b]+c.paid[b]
			}
			paid[len(c.rates)] = power*c.costs[len(c.rates)] + c.paid[len(c.rates)]
			for b := len(floor) - 1; b >= 0; b-- {
				if floor[b] = int32(b); b+1 < len(floor) && rate[floor[b+1]] <= rate[b] {
					floor[b] = floor[b+1]
				}
			}
			loose.job = -1
		}
		rate, paid, floor := rate, paid, floor
		if w.Loose {
			if loose.job != w.job {
				loose.set(w, p.Limits, rate)
			}
			rate, paid, floor = loose.rate, loose.paid, loose.floor
		}
		if v, at, cheap := w.cheapest(p.Limits, rate, paid, floor, p.looks()); v < p.least[w.job] || v == p.least[w.job] && k < p.chosen[w.job] {
			p.least[w.job], p.chosen[w.job], p.start[w.job], p.cheap[w.job] = v, k, at, cheap
		}
	}
	return true
}

// cheapest is the least cost of a way, and its start. Starts are looked at in a number of buckets. A later one costs no less than the least rate of later times, whose bucket is
// returned where that is less; otherwise −1.
func (w *Way) cheapest(limits, rate, paid []float64, floor []int32, looks int) (least, start float64, cheap int32) {
	at := w.First
	i, j := bucketOf(limits, at), bucketOf(limits, at+w.Length)
	until := i + looks
	least = math.Inf(1)
	due := math.Inf(1)
	if w.Over > 0 {
		due = w.Due - w.Length
	}
	for {
		v := w.Width * ((paid[j] - paid[i]) + rate[j]*(at+w.Length-limits[j]) - rate[i]*(at-limits[i]))
		if w.Length == 0 && w.Loose {
			v = w.Width * rate[i]
		}
		v += w.Delay * at
		if at > due {
			v += w.Over * (at - due)
		}
		if v < least {
			least, start = v, at
		}
		if at >= w.Last {
			return least + w.Constant, start, -1
		}
		if i >= until {
			if v := w.Width*w.Length*rate[floor[i]] + w.Delay*at; v < least {
				return v + w.Constant, at, floor[i]
			}
			return least + w.Constant, start, -1
		}
		next, other := limits[i+1], limits[j+1]-w.Length
		to := w.Last
		if next > at {
			to = min(to, next)
		}
		if other > at {
			to = min(to, other)
		}
		if due > at {
			to = min(to, due)
		}
		at = to
		if next <= at && i+2 < len(limits) {
			i++
		}
		if other <= at && j+2 < len(limits) {
			j++
		}
	}
}

// bucketOf is the bucket that holds the time.
func bucketOf(limits []float64, t float64) int {
	k, found := slices.BinarySearch(limits, t)
	if !found {
		k--
	}
	return max(0, min(k, len(limits)-2))
}

// Scale is how far a step of an ascent may move each price, as a squared length.
func (p *Problem) Scale() []float64 {
	var scale []float64
	for i := range p.clusters {
		for b := range len(p.Limits) - 1 {
			held := p.clusters[i].processors * (p.Limits[b+1] - p.Limits[b])
			if p.Limits[b] >= p.until {
				held = math.Inf(1) // it stays 0
			}
			scale = append(scale, 1/(held*held))
		}
	}
	return scale
}

// Cleared writes the prices at which a market of processor time clears, if jobs could be cut up: each takes the cheapest time that is left after its arrival. Of times that
// are cheaper than what is still free later, the price takes away what makes them so. It returns false if there are several clusters.
//
// Complexity: O(n·log n) for n jobs and buckets.
func (p *Problem) Cleared(x []float64) bool {
	if len(p.clusters) != 1 {
		return false
	}
	c, power := &p.clusters[0], p.typical(0)
	asked := make([]float64, len(c.rates)) // by bucket: processor time of the jobs that may start in it first
	seen := make([]bool, p.jobs)
	for k := range p.ways {
		if w := &p.ways[k]; !seen[w.job] {
			seen[w.job] = true
			asked[bucketOf(p.Limits, w.First)] += w.Width * w.Length
		}
	}
	left := make([]float64, len(c.rates))
	var cheapest offers
	for b := len(c.rates) - 1; b >= 0; b-- {
		left[b] = c.processors * (p.Limits[b+1] - p.Limits[b])
		heap.Push(&cheapest, offer{c.rates[b], b})
		for need := asked[b]; need > 0 && len(cheapest) > 0; {
			first := cheapest[0].bucket
			taken := min(need, left[first])
			if need, left[first] = need-taken, left[first]-taken; left[first] <= 0 {
				heap.Pop(&cheapest)
			}
		}
	}
	least := slices.Max(c.rates)
	for b := len(c.rates) - 1; b >= 0; b-- {
		if left[b] > 0 {
			least = min(least, c.rates[b])
		}
		x[b] = power * max(0, least-c.rates[b])
	}
	return true
}

// offer is processor time in a bucket, and its rate.
type offer struct {
	rate   float64
	bucket int
}

// offers is a heap, the cheapest and then the earliest first.
type offers []offer

func (o offers) Len() int { return len(o) }
func (o offers) Less(a, b int) bool {
	return o[a].rate < o[b].rate || o[a].rate == o[b].rate && o[a].bucket < o[b].bucket
}
func (o offers) Swap(a, b int) { o[a], o[b] = o[b], o[a] }
func (o *offers) Push(x any)   { *o = append(*o, x.(offer)) }
func (o *offers) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}

// Priced is the number of buckets in which processors have a price.
func (p *Problem) Priced() int {
	n, found := slices.BinarySearch(p.Limits, p.until)
	if !found {
		n--
	}
	return n
}

// Falling writes prices that fall from a level to 0 in the last bucket that has one. At level 1 they start at what would make up for what all jobs cost by a unit of
// time, or by being left out; the same for each processor.
func (p *Problem) Falling(level float64, x []float64) {
	buckets, priced := len(p.Limits)-1, p.Priced()
	seen, value, processors := make([]bool, p.jobs), 0.0, 0.0
	for k := range p.ways {
		if w := &p.ways[k]; !seen[w.job] {
			seen[w.job] = true
			value += w.Delay + w.Over
			if p.mayLeave[w.job] {
				value += math.Abs(w.Constant) / p.Limits[priced]
			}
		}
	}
	for i := range p.clusters {
		processors += p.clusters[i].processors
	}
	for i := range p.clusters {
		for b := range buckets {
			x[i*buckets+b] = max(0, level*value/processors*(1-p.Limits[b]/p.Limits[priced]))
		}
	}
}

// starts are the prices that [Problem.First] makes: the level of what power costs, as a part of the hours that are cheaper, and the part of its idle power that a
// machine that may sleep earns.
var starts = []struct{ level, idle float64 }{{0.25, 0.5}, {0.5, 0.5}, {0.75, 0.5}, {0.25, 1}, {0.5, 1}, {0, 0}, {0.25, 0}, {0.5, 0}, {0.75, 0}, {1, 0}}

// Starts is the number of prices that [Problem.First] makes.
func Starts() int { return len(starts) }

// First writes prices from which an ascent may start. At these it costs a job the same to run at all times at which power costs less than a level, and a machine
// that may sleep earns a part of its idle power. It returns false where these are no use: without such machines they are the same as others, with them worse.
func (p *Problem) First(k int, x []float64) bool {
	buckets := len(p.Limits) - 1
	sleeping := false
	for i := range p.clusters {
		c := &p.clusters[i]
		rates := slices.Sorted(slices.Values(c.rates))
		dear := rates[min(len(rates)-1, int(starts[k].level*float64(len(rates))))]
		power, on := p.typical(i), 0.0
		for _, g := range c.groups {
			if g.Power.Sleeps() {
				on, sleeping = max(on, g.Power.Idle/g.Units), true
			}
		}
		for b := range buckets {
			x[i*buckets+b] = power*max(0, dear-c.rates[b]) + starts[k].idle*on*max(0, c.rates[b])
		}
	}
	return sleeping == (starts[k].idle > 0)
}

// typical is the mean power of a processor of the jobs that can run on the cluster.
func (p *Problem) typical(cluster int) float64 {
	held, taken := 0.0, 0.0
	for k := range p.ways {
		if w := &p.ways[k]; w.Cluster == cluster {
			held, taken = held+w.Width*w.Length, taken+w.Width*w.Length*w.Power
		}
	}
	if held == 0 {
		return 0
	}
	return taken / held
}
