package proof

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file verifies sums of what the starts and ends of jobs cost, at prices of processor time by buckets (see timeprices.go).
//
// What a job costs is a constant and a weight for each unit of time by which it ends after some time. A job that has to be in time may be left out instead, for a
// cost of 1.

// sumWay is a way to run a job on the grid.
type sumWay struct {
	part, size  int
	loose       bool
	head        int64 // of the job
	first, last int64 // earliest start, and latest; of a loose way the start is where the area begins that it holds last
	length      int64
	area        int64 // of a loose way without a size
	weight, due int64 // what it costs by which it ends after due
}

// sumPart is machines of which a processor has a price of its own: a cluster, which counts as one machine, or a group of machines of one.
type sumPart struct {
	cluster, group       int // group −1: the cluster
	machines, processors int // processors of a machine
	prices               *ClusterPrices
	step                 string
}

// sumTable is the jobs that count, on a grid of times.
type sumTable struct {
	*facts
	metric string
	parts  []sumPart
	times  grid
	limits []int64
	jobs   []int      // that count, and have to be placed
	others int        // jobs that count if they are placed
	list   [][]jobWay // of each of them
	ways   [][]sumWay
	most   float64 // the highest weight
	prices grid
	one    int64 // 1 in units of price
}

// timePrices verifies a sum of costs by the starts and ends of the jobs.
func (f *facts) timePrices(metric string, a *TimePrices, goal *big.Rat, step string) error {
	t := &sumTable{facts: f, metric: metric}
	if err := t.divide(a, step); err != nil {
		return err
	}
	if err := t.count(step); err != nil {
		return err
	}
	last, err := t.grid(a.Limits, step)
	if err != nil {
		return err
	}
	if len(a.Clusters) != len(f.in.Clusters()) {
		return refute(step+".clusters", "expected prices for each of %d clusters, found %d", len(f.in.Clusters()), len(a.Clusters))
	}
	factor := 1.0 // means are multiplied by the number of jobs
	if metric != "over_deadline" && metric != "missed" {
		factor = float64(len(t.jobs) + t.others)
	}
	highest := number(t.most)
	if metric == "missed" { // a late job costs 1 however late it is: spread over all the time, that is the price of a unit of time
		highest = new(big.Rat).Inv(last)
	}
	for k := range t.parts {
		most, err := t.highest(k)
		if err != nil {
			return err
		}
		highest = larger(highest, number(most*factor))
	}
	t.prices = gridFor(highest, priceDigits)
	if metric == "mean_response" || metric == "mean_wait" || metric == "over_deadline" { // the others have weights of their own
		t.one = t.prices.down(big.NewRat(1, 1))
	}
	if err := t.put(last, step); err != nil {
		return err
	}
	var total int128
	charged := make([]*sumPrices, len(t.parts))
	for k := range t.parts {
		charged[k] = t.charge(k, factor)
		total = total.minus(charged[k].most)
	}
	units := new(big.Rat).Mul(t.prices.inverse(), t.times.inverse())
	saved := int128{}
	if metric == "missed" {
		saved = whole128(new(big.Int).Quo(units.Num(), units.Denom()))
	}
	for k := range t.jobs {
		if k%64 == 0 && f.ctx.Err() != nil {
			return doubt(step, "the check was cut off")
		}
		var best int128
		found := metric == "missed" // it may be late
		if found {
			best = saved
		}
		for n := range t.ways[k] {
			way := &t.ways[k][n]
			if cost := charged[way.part].cheapest(way); !found || cost.below(best) {
				best, found = cost, true
			}
		}
		if !found {
			return doubt(step, "a job that nothing can run is not covered")
		}
		total = total.plus(best)
	}
	value := total.big()
	value.Quo(value, units)
	value.Add(value, t.constant())
	value.Quo(value, number(factor))
	if value.Cmp(goal) < 0 {
		lost := t.lost(charged)
		lost.Quo(lost, units)
		lost.Quo(lost, number(factor))
		if lost.Add(lost, value).Cmp(goal) >= 0 {
			return doubt(step, "it proves %s, and the grid of times is too coarse at such prices to tell whether it proves %s", decimal(value), decimal(goal))
		}
		return short(step, decimal(value), goal)
	}
	return nil
}

// lost is how much less than exact times and prices the grids may have proved, in units of price and time: each time is moved by less than a unit, in which a job
// pays and costs no more than its highest price and its weight, and each price by less than one.
func (t *sumTable) lost(charged []*sumPrices) *big.Rat {
	moved, priced := new(big.Int), new(big.Int)
	end := big.NewInt(t.limits[len(t.limits)-1])
	for k := range t.parts {
		moved.Add(moved, jumps(charged[k].best))
		priced.Add(priced, new(big.Int).Mul(end, big.NewInt(int64(t.parts[k].machines)*int64(t.parts[k].processors))))
	}
	for k := range t.ways {
		most, longest := new(big.Int), int64(0)
		for n := range t.ways[k] {
			w := &t.ways[k][n]
			size := w.size
			if w.loose {
				size = 0
			}
			prices := charged[w.part].price[size]
			highest := new(big.Int).Mul(big.NewInt(slices.Max(prices)), big.NewInt(int64(max(1, w.size)))) // of a loose way: of a processor
			own := new(big.Int).Mul(big.NewInt(4), new(big.Int).Add(highest, big.NewInt(w.weight)))
			own.Add(own, new(big.Int).Mul(jumps(prices), big.NewInt(int64(max(1, w.size)))))
			if w.loose && w.size == 0 && charged[w.part].near(w) { // a whole area may stand at the other price
				own.Add(own, new(big.Int).Mul(highest, big.NewInt(w.area)))
			}
			if own.Cmp(most) > 0 {
				most = own
			}
			longest = max(longest, w.length, w.area)
		}
		moved.Add(moved, most)
		priced.Add(priced, end)
		priced.Add(priced, big.NewInt(longest))
	}
	return new(big.Rat).SetInt(moved.Add(moved, priced.Mul(priced, big.NewInt(2))))
}

// jumps is by how much prices rise and fall in all.
func jumps(prices []int64) *big.Int {
	sum, before := new(big.Int), int64(0)
	for _, p := range prices {
		sum.Add(sum, new(big.Int).Abs(big.NewInt(p-before)))
		before = p
	}
	return sum.Add(sum, big.NewInt(before))
}

// near says whether the first or the last start of the way is within two units of a limit.
func (s *sumPrices) near(w *sumWay) bool {
	return slices.ContainsFunc(s.limits, func(limit int64) bool {
		return max(limit-w.first, w.first-limit) <= 2 || max(limit-w.last, w.last-limit) <= 2 || max(limit-w.head, w.head-limit) <= 2
	})
}

// constant is what is added to the costs of the jobs.
func (t *sumTable) constant() *big.Rat {
	count := len(t.jobs) + t.others
	switch t.metric {
	case "mean_slowdown", "slowdown_without_deadline", "bounded_slowdown":
	case "missed": // those that no schedule has in time
		count = -len(t.jobs)
		for j := range t.in.Jobs() {
			if t.in.Jobs()[j].HasDeadline() {
				count++
			}
		}
	default:
		count = 0
	}
	return new(big.Rat).SetInt64(int64(count))
}

// count lists the jobs that count, and the ways to run them.
func (t *sumTable) count(step string) error {
	exact, fromStart := false, false
	counts := func(j int) bool { return true }
	switch t.metric {
	case "mean_response", "over_deadline":
	case "mean_wait":
		fromStart = true
	case "mean_slowdown", "bounded_slowdown":
		exact = true
	case "slowdown_without_deadline":
		exact, counts = true, func(j int) bool { return !t.in.Jobs()[j].HasDeadline() }
	case "missed":
		counts = func(j int) bool { return t.in.Jobs()[j].HasDeadline() && !t.never[j] }
	default:
		return refute(step, "it does not bound %s", quoted(t.metric))
	}
	if exact && t.in.Features()&model.BackgroundLoad != 0 {
		return doubt(step, "slowdowns beside background load are not covered")
	}
	for j := range t.in.Jobs() {
		switch {
		case !counts(j) || t.never[j]:
			continue
		case t.metric != "missed" && !t.has[j]: // it costs nothing, or 1 for a slowdown; so a mean is least if it counts
			t.others++
			continue
		}
		var list []jobWay
		for k := range t.parts {
			p := &t.parts[k]
			ways := t.jobWays
			if p.group >= 0 {
				ways = func(j, c int) []jobWay { return t.waysInGroup(j, c, p.group) }
			}
			for _, way := range ways(j, p.cluster) {
				if way.part = k; t.latest(j, &way) == nil || t.latest(j, &way).Cmp(t.earliest(j, &way)) >= 0 { // else it is late
					list = append(list, way)
				}
			}
		}
		if exact && slices.ContainsFunc(list, func(w jobWay) bool { return !w.exact || t.metric != "bounded_slowdown" && w.time.Sign() == 0 }) {
			return doubt(step, "slowdowns of jobs whose time is not known, or that take none, are not covered")
		}
		if fromStart && slices.ContainsFunc(list, func(w jobWay) bool { return w.loose }) {
			return doubt(step, "waits of jobs that may release processors early or choose their number are not covered")
		}
		t.jobs, t.list = append(t.jobs, j), append(t.list, list)
	}
	if len(t.jobs) == 0 && t.metric != "missed" {
		return refute(step, "no job counts")
	}
	return nil
}

// length is how long a way holds processors, as a rectangle.
func (w *jobWay) length() *big.Rat {
	switch {
	case !w.loose:
		return w.time
	case w.size == 0:
		return new(big.Rat)
	}
	return new(big.Rat).Quo(w.area, number(float64(w.size)))
}

// earliest is the earliest start of a way.
func (t *sumTable) earliest(j int, w *jobWay) *big.Rat {
	if !w.loose {
		return t.head[j]
	}
	later := new(big.Rat).Sub(w.time, w.length())
	return later.Add(t.head[j], larger(new(big.Rat), later))
}

// latest is the latest start of a way, with which the job may be in time for missed; nil: there is none.
func (t *sumTable) latest(j int, w *jobWay) *big.Rat {
	last := t.last[j]
	if t.metric == "missed" {
		last = new(big.Rat).Add(t.facts.due(j), t.slack(j, t.in.Jobs()[j].Deadline))
	}
	if last == nil {
		return nil
	}
	return new(big.Rat).Sub(last, w.length())
}

// grid finds the grid of times. It returns a time after all that matter.
func (t *sumTable) grid(stated []float64, step string) (last *big.Rat, err error) {
	switch {
	case len(t.in.Jobs()) > mostJobs || len(stated) > mostLimits:
		return nil, doubt(step, "more than %d jobs or %d buckets are not covered", mostJobs, mostLimits)
	case len(stated) < 2 || stated[0] != 0:
		return nil, refute(step+".limits", "expected limits from 0 on")
	}
	last, longest, released := new(big.Rat), new(big.Rat), new(big.Rat)
	if t.metric == "bounded_slowdown" {
		longest.SetInt64(10)
	}
	for k, limit := range stated {
		if !(limit >= 0) {
			return nil, refute(fmt.Sprintf("%s.limits[%d]", step, k), "expected a time of at least 0")
		}
		last = larger(last, number(limit))
	}
	for k, j := range t.jobs {
		last, released = larger(last, t.head[j]), larger(released, t.released(j))
		for n := range t.list[k] {
			w := &t.list[k][n]
			if longest = larger(longest, larger(w.time, w.length())); w.loose && w.size == 0 {
				longest = larger(longest, new(big.Rat).Quo(w.area, number(float64(t.parts[w.part].processors))))
			}
		}
	}
	last = new(big.Rat).Add(larger(last, released), new(big.Rat).Mul(longest, big.NewRat(2, 1)))
	t.times = gridFor(last, timeDigits)
	if earliest := t.earliestDue(); earliest.Cmp(last) > 0 {
		t.times = gridFor(earliest, timeDigits)
	}
	for k, limit := range stated {
		t.limits = append(t.limits, t.times.near(limit))
		switch {
		case k > 0 && limit <= stated[k-1]:
			return nil, refute(fmt.Sprintf("%s.limits[%d]", step, k), "expected ascending limits")
		case k > 0 && t.limits[k] <= t.limits[k-1]:
			return nil, doubt(fmt.Sprintf("%s.limits[%d]", step, k), "limits that rounding does not tell apart are not covered")
		}
	}
	work := int64(0)
	for k := range t.list {
		work += int64(len(t.list[k])) * int64(len(stated)) * 64
	}
	for k := range t.parts {
		for _, n := range t.fits(k) {
			work += int64(n) * int64(len(stated)) * int64(t.parts[k].processors)
		}
	}
	if work > mostWork {
		return nil, doubt(step, "the instance is too large for prices over time")
	}
	t.most = t.highestWeight()
	return last, nil
}

// highestWeight is the highest weight of a job, times the number of jobs for a mean.
func (t *sumTable) highestWeight() float64 {
	least := new(big.Rat) // time that a slowdown is measured against
	switch t.metric {
	case "mean_slowdown", "slowdown_without_deadline":
	case "bounded_slowdown":
		least.SetInt64(10)
	default:
		return 1
	}
	most := 0.0
	for k := range t.list {
		for n := range t.list[k] {
			weight, _ := new(big.Rat).Inv(larger(t.list[k][n].time, least)).Float64()
			most = max(most, weight)
		}
	}
	if most == 0 {
		return 1
	}
	return min(most*2, largest)
}

// put puts the ways on the grids.
func (t *sumTable) put(last *big.Rat, step string) error {
	for k, j := range t.jobs {
		var ways []sumWay
		for n := range t.list[k] {
			w := &t.list[k][n]
			x := sumWay{part: w.part, size: w.size, loose: w.loose, last: forever}
			length, first, area, latest := w.length(), t.earliest(j, w), w.area, t.latest(j, w)
			if t.metric == "missed" {
				allowed := t.slack(j, t.in.Jobs()[j].Deadline)
				switch share := new(big.Rat); {
				case !w.loose: // it may be that much shorter
					length = larger(new(big.Rat), new(big.Rat).Sub(length, allowed))
					latest.Add(latest, allowed)
				case w.time.Cmp(allowed) <= 0:
					length, area = new(big.Rat), new(big.Rat)
				default:
					share.Quo(new(big.Rat).Sub(w.time, allowed), w.time)
					latest.Add(latest, length)
					length, area = new(big.Rat).Mul(length, share), new(big.Rat).Mul(area, share)
					latest.Sub(latest, length)
				}
			}
			if latest != nil && latest.Cmp(last) < 0 {
				x.last = t.times.up(latest)
			}
			x.head, x.first, x.length = t.times.down(t.head[j]), t.times.down(first), t.times.down(length)
			if w.loose && w.size == 0 {
				if size := t.times.scaled(area); size.Cmp(number(1<<62)) >= 0 {
					return doubt(step, "the instance is too large for prices over time")
				}
				x.area = t.times.down(area)
			}
			x.weight, x.due = t.cost(j, w, x.length, last)
			ways = append(ways, x)
		}
		t.ways = append(t.ways, ways)
	}
	return nil
}

// cost is the weight, in units of price, and the time from which on it counts.
func (t *sumTable) cost(j int, w *jobWay, length int64, last *big.Rat) (weight, due int64) {
	after := func(x *big.Rat) int64 {
		if x.Cmp(last) > 0 {
			return forever - length // no end is as late
		}
		return t.times.up(x)
	}
	switch t.metric {
	case "mean_response":
		return t.one, after(t.released(j))
	case "mean_wait":
		return t.one, after(t.released(j)) + length
	case "over_deadline":
		if t.in.Jobs()[j].HasDeadline() {
			return t.one, after(t.facts.due(j))
		}
	case "bounded_slowdown":
		long := larger(w.time, big.NewRat(10, 1))
		return t.prices.down(new(big.Rat).Inv(long)), after(new(big.Rat).Add(t.released(j), long))
	case "mean_slowdown", "slowdown_without_deadline":
		return t.prices.down(new(big.Rat).Inv(w.time)), after(t.released(j)) + length
	}
	return 0, forever
}

// divide lists the parts of the machines.
func (t *sumTable) divide(a *TimePrices, step string) error {
	for c := range t.in.Clusters() {
		cluster := &t.in.Clusters()[c]
		if c >= len(a.Clusters) || a.Clusters[c].Groups == nil {
			part := sumPart{cluster: c, group: -1, machines: 1, processors: cluster.Processors, step: fmt.Sprintf("%s.clusters[%d]", step, c)}
			if c < len(a.Clusters) {
				part.prices = &a.Clusters[c]
			}
			t.parts = append(t.parts, part)
			continue
		}
		p := &a.Clusters[c]
		switch at := fmt.Sprintf("%s.clusters[%d].groups", step, c); {
		case len(p.Processor) > 0 || len(p.Sizes) > 0:
			return refute(at, "expected no other prices beside them")
		case len(p.Groups) != len(cluster.Machines):
			return refute(at, "expected prices for each of %d groups, found %d", len(cluster.Machines), len(p.Groups))
		case !t.staysOnMachines(c):
			return doubt(at, "prices of groups where a job may hold processors of several machines are not covered")
		}
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			t.parts = append(t.parts, sumPart{c, g, m.Count, m.Units, &ClusterPrices{Processor: p.Groups[g]}, fmt.Sprintf("%s.clusters[%d].groups[%d]", step, c, g)})
		}
	}
	return nil
}

// fits is how many jobs may run on a machine of the part at once with each size, as rectangles.
func (t *sumTable) fits(part int) map[int]int {
	fits := map[int]int{}
	for k := range t.list {
		for n := range t.list[k] {
			if w := &t.list[k][n]; w.part == part && !w.loose && (fits[w.size]+1)*w.size <= t.parts[part].processors {
				fits[w.size]++
			}
		}
	}
	return fits
}

// loose says that a job may hold processors of the part in a way that is no rectangle.
func (t *sumTable) loose(part int) bool {
	return slices.ContainsFunc(t.list, func(list []jobWay) bool {
		return slices.ContainsFunc(list, func(w jobWay) bool { return w.part == part && w.loose })
	})
}

// highest is the most that jobs that run at once could pay at the highest price, and whether the prices are of the right form.
func (t *sumTable) highest(part int) (float64, error) {
	p, step := t.parts[part].prices, t.parts[part].step
	if err := p.fits(len(t.limits)-1, step); err != nil {
		return 0, err
	}
	most := 0.0
	fits := t.fits(part)
	for bucket := range p.Processor {
		most = max(most, p.Processor[bucket])
		for size := range fits {
			most = max(most, p.of(size, bucket))
		}
	}
	if !(most < largest) {
		return 0, refute(step, "expected prices below %g", largest)
	}
	return most * float64(t.parts[part].machines) * float64(t.parts[part].processors), nil
}

// sumPrices is what a cluster charges, in whole units.
type sumPrices struct {
	limits []int64
	price  map[int][]int64  // by size and bucket, the last after the last limit; size 0: a processor of a loose way
	paid   map[int][]int128 // by size and limit: what a rectangle pays up to the limit
	best   []int64          // by bucket: what the jobs that run at once pay at most
	most   int128           // what all jobs pay at most
}

// charge finds what jobs pay, and the most that jobs that run at once can pay: rectangles that fit, and what room they leave for others.
func (t *sumTable) charge(part int, factor float64) *sumPrices {
	p := t.parts[part].prices
	buckets := len(t.limits) - 1
	s := &sumPrices{limits: t.limits, price: map[int][]int64{}, paid: map[int][]int128{}}
	fits, loose := t.fits(part), t.loose(part)
	for size := range fits {
		s.price[size] = make([]int64, buckets+1)
		for b := range buckets {
			s.price[size][b] = t.prices.near(p.of(size, b) * factor)
		}
		s.paid[size] = s.sums(s.price[size], 0)
	}
	s.price[0] = make([]int64, buckets+1)
	most := make([]int64, t.parts[part].processors+1)
	for b := range buckets {
		s.price[0][b] = t.prices.near(max(0, p.Processor[b]) * factor)
		clear(most)
		for size, n := range fits {
			for range n {
				for room := len(most) - 1; room >= size; room-- {
					most[room] = max(most[room], most[room-size]+s.price[size][b])
				}
			}
		}
		best := most[len(most)-1]
		for room := range most {
			if loose {
				best = max(best, most[room]+s.price[0][b]*int64(len(most)-1-room))
			}
		}
		s.best = append(s.best, best*int64(t.parts[part].machines))
		s.most = s.most.plus(product(s.best[b], t.limits[b+1]-t.limits[b]))
	}
	return s
}

// sums adds up prices from a bucket on, by limit.
func (s *sumPrices) sums(price []int64, from int) []int128 {
	sums := make([]int128, len(price))
	for b := from; b+1 < len(price); b++ {
		sums[b+1] = sums[b].plus(product(price[b], s.limits[b+1]-s.limits[b]))
	}
	return sums
}

// leastSince are the least prices of processors since the head of a job, by bucket, and their sums by limit.
func (s *sumPrices) leastSince(head, processors int64) (price []int64, paid []int128) {
	price = slices.Clone(s.price[0])
	from := s.bucket(head)
	for b := range price {
		price[b] *= processors
		if b > from {
			price[b] = min(price[b], price[b-1])
		}
	}
	return price, s.sums(price, from)
}

// bucket is the bucket that holds the time.
func (s *sumPrices) bucket(at int64) int {
	k, found := slices.BinarySearch(s.limits, at)
	if !found {
		k--
	}
	return k
}

// cheapest is the least that a job costs and pays on the way. As a function of its start that is linear but where its start, its end or what it costs meets a
// limit.
func (s *sumPrices) cheapest(w *sumWay) (least int128) {
	price, paid := s.price[w.size], s.paid[w.size]
	if w.loose {
		price, paid = s.leastSince(w.head, int64(max(1, w.size)))
	}
	up := func(at int64) int128 {
		b := s.bucket(at)
		return paid[b].plus(product(price[b], at-s.limits[b]))
	}
	found := false
	try := func(at int64) {
		if at < w.first || at > w.last {
			return
		}
		end, cost := at+w.length, int128{}
		switch {
		case w.loose && w.size == 0:
			cost = product(price[s.bucket(at)], w.area)
		default:
			cost = up(end).minus(up(at))
		}
		if end > w.due {
			cost = cost.plus(product(w.weight, end-w.due))
		}
		if !found || cost.below(least) {
			least, found = cost, true
		}
	}
	try(w.first)
	if w.last != forever {
		try(w.last)
	}
	if w.due != forever {
		try(w.due - w.length)
	}
	for _, limit := range s.limits {
		try(limit)
		try(limit - w.length)
	}
	return least
}
