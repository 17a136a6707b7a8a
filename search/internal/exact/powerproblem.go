package exact

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// powerFeatures are the features that the search takes into account where power limits schedules or counts.
const powerFeatures = model.Arrivals | model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes | model.Precedence | model.PowerLimits

// powerProblem is an instance in slots of time.
type powerProblem struct {
	in        *model.Instance
	from, per float64 // begin of the first slot, and length of each
	slots     int
	entities  []powerEntity
	order     []int // jobs, none before one that it waits for
	before    []uint32
	waiting   uint32  // the jobs that are placed; the others do not end within the horizon, whatever else runs
	ready     []int   // by job: first slot in which it may start
	lengths   [][]int // by job and cluster, in slots; −1: it cannot run there
	widths    [][]int
	sums      [][]float64 // by cluster: what unit power costs until each slot
	caps      [][]float64 // by cluster and slot: the most that what runs may take
	capDoubt  []float64

	waitWeight, lengthWeight   float64   // of a slot in which a job waits or, where that counts, runs
	overWeight                 float64   // of a slot over a deadline
	makespanWeight, peakWeight float64   // of a slot, and of unit power
	makespanFrom               int       // slot from which the makespan counts
	deadlines                  []float64 // in slots
	constant                   float64
	cheapest                   [2][][]float64 // by job and slot: the least cost of a start from then on; with a share of the machine that is on for it
	areas                      []int          // by job: processors × slots, at least
	alike                      []int          // by job: one before it that differs in nothing; −1: none

	exact bool    // no sum is rounded
	doubt float64 // by how much sums may be rounded
}

// powerEntity is a machine that can be off, or all machines of a group that cannot.
type powerEntity struct {
	cluster    int
	first      int // of its processors in the cluster
	processors int
	busy       float64
	sleep      *sleeper // nil: it is on
	number     int      // among those that can be off
}

// sleeper is what machines that can be off and are alike do.
type sleeper struct {
	power   *model.MachinePower
	sums    []float64       // of the cluster
	choices [][]powerStatus // by 1 + state: what a machine may do next
	ways    [][2]int        // by state: slots of down and up
	least   [][]float64     // by slot and 1 + state: what is to come at least
	lows    []float64       // what the machine takes until each slot if it takes the least of all its powers in each
}

// begin is the state in which a machine begins.
func (e *powerEntity) begin() int {
	if e.sleep == nil {
		return model.On
	}
	return e.sleep.power.Begin
}

// busyOf is what a processor takes on which the job runs.
func (e *powerEntity) busyOf(in *model.Instance, job int) float64 {
	if own, stated := in.Jobs()[job].Power(); stated {
		return own
	}
	return e.busy
}

// takes is what a machine that can be off takes in a slot.
func (e *powerEntity) takes(s powerStatus, slot int) float64 {
	if e.sleep == nil {
		return 0 // see constant
	}
	return e.sleep.powerOf(s) * (e.sleep.sums[slot+1] - e.sleep.sums[slot])
}

// powerOf is the power of a machine.
func (s *sleeper) powerOf(status powerStatus) float64 {
	switch {
	case status.way > 0:
		return s.power.Off[status.way-1].Down.Power
	case status.way < 0:
		return s.power.Off[-1-status.way].Up.Power
	case status.state == model.On:
		return s.power.Idle
	}
	return s.power.Off[status.state].Power
}

// toCome are two lower bounds of what a machine takes from a slot on, which serves for some slots yet: by the cheapest way that it can take, and by its least power in each slot.
func (s *sleeper) toCome(status powerStatus, slot, busy int) (by, low float64) {
	until := slot + max(busy, status.left)
	last := len(s.sums) - 1
	if until > last {
		return math.Inf(1), math.Inf(1)
	}
	before := 0.0
	if until > slot {
		before = s.powerOf(status) * (s.sums[until] - s.sums[slot])
	}
	return before + s.least[until][1+status.state], before + s.lows[last] - s.lows[until]
}

// findLows fills in lows.
func (s *sleeper) findLows() {
	s.lows = make([]float64, len(s.sums))
	for slot := range len(s.sums) - 1 {
		rate := s.sums[slot+1] - s.sums[slot]
		low := s.power.Idle * rate
		for _, off := range s.power.Off {
			low = min(low, off.Power*rate, off.Down.Power*rate, off.Up.Power*rate)
		}
		s.lows[slot+1] = s.lows[slot] + low
	}
}

// find fills in choices and least.
func (s *sleeper) find(slots int) {
	states := len(s.power.Off)
	for state := model.On; state < states; state++ {
		still := []int{state} // states that take no time to get to
		for k := 0; k < len(still); k++ {
			for next := model.On; next < states; next++ {
				if w := s.way(still[k], next); w == 0 && !slices.Contains(still, next) {
					still = append(still, next)
				}
			}
		}
		var choices []powerStatus
		for _, at := range still {
			choices = append(choices, powerStatus{state: at})
			for next := model.On; next < states; next++ {
				switch w := s.way(at, next); {
				case w <= 0:
				case at == model.On:
					choices = append(choices, powerStatus{next, 1 + next, w})
				default:
					choices = append(choices, powerStatus{next, -1 - at, w})
				}
			}
		}
		slices.SortFunc(choices, func(a, b powerStatus) int {
			if before(a, b) {
				return -1
			}
			return 1
		})
		s.choices = append(s.choices, choices)
	}
	s.least = make([][]float64, slots+1)
	for slot := slots; slot >= 0; slot-- {
		s.least[slot] = make([]float64, states+1)
		for state := range s.least[slot] {
			least := math.Inf(1)
			for _, choice := range s.choices[state] {
				until := slot + max(1, choice.left)
				switch {
				case slot == slots && choice == powerStatus{state: s.power.End}:
					least = min(least, 0)
				case until <= slots:
					least = min(least, s.powerOf(choice)*(s.sums[until]-s.sums[slot])+s.least[until][1+choice.state])
				}
			}
			s.least[slot][state] = least
		}
	}
}

// way is the slots of the way from one state to another; −1: there is none.
func (s *sleeper) way(from, to int) int {
	switch {
	case from == model.On && to != model.On:
		return s.ways[to][0]
	case from != model.On && to == model.On:
		return s.ways[from][1]
	}
	return -1
}

// time is when a slot begins.
func (p *powerProblem) time(slot int) float64 { return p.from + float64(slot)*p.per }

// waits is what a start costs beside power.
func (p *powerProblem) waits(job, slot, length int) float64 {
	cost := p.waitWeight*float64(slot) + p.lengthWeight*float64(length)
	if over := float64(slot+length) - p.deadlines[job]; p.overWeight > 0 && over > 0 {
		cost += p.overWeight * over
	}
	return cost
}

// costs is what a start costs.
func (x *powered) costs(job, c int, at []powerShare) float64 {
	power, length := 0.0, x.lengths[job][c]
	for _, share := range at {
		power += float64(share.processors) * x.entities[share.entity].busyOf(x.in, job)
	}
	return power*(x.sums[c][x.slot+length]-x.sums[c][x.slot]) + x.waits(job, x.slot, length)
}

// newPowerProblem reads an instance; the error says what of it is not taken.
func newPowerProblem(in *model.Instance) (*powerProblem, error) {
	if err := refusedPower(in); err != nil {
		return nil, err
	}
	p := &powerProblem{in: in, constant: 0, exact: true}
	p.runs()
	times, err := p.grid()
	if err != nil {
		return nil, err
	}
	p.place(times)
	if p.slots > powerSlots {
		return nil, fmt.Errorf("%w: expected at most %d units of time up to the horizon, of which all times are multiples; found %d", ErrTooLarge, powerSlots, p.slots)
	}
	p.choose()
	p.weigh()
	if err := p.machines(); err != nil {
		return nil, err
	}
	p.bound()
	p.judge()
	return p, nil
}

// refusedPower names something in the instance that cannot be taken into account.
func refusedPower(in *model.Instance) error {
	if len(in.Jobs()) > powerJobs {
		return fmt.Errorf("%w: expected at most %d jobs where power counts or limits schedules, found %d", ErrTooLarge, powerJobs, len(in.Jobs()))
	}
	if missing := in.Features() &^ powerFeatures; missing != 0 {
		return fmt.Errorf("%w %s, where power counts or limits schedules", ErrRefused, missing)
	}
	sleeps := false
	for _, c := range in.Clusters() {
		for _, m := range c.Machines {
			if m.Power == nil {
				continue
			}
			sleeps = sleeps || len(m.Power.Off) > 0
			if m.Power.Suspends() {
				return fmt.Errorf("%w machines that are suspended by a rule", ErrRefused)
			}
		}
	}
	for _, term := range in.ObjectiveTerms() {
		switch {
		case term.Weight < 0:
			return fmt.Errorf("%w a negative weight of %s", ErrRefused, term.Metric)
		case term.Weight == 0:
		case !slices.Contains([]string{"energy", "energy_cost", "carbon", "peak_power", "makespan", "mean_wait", "mean_response", "over_deadline"}, term.Metric):
			return fmt.Errorf("%w the metric %s, where power counts or limits schedules", ErrRefused, term.Metric)
		case term.Metric == "peak_power" && sleeps:
			return fmt.Errorf("%w peak_power beside machines that can be off", ErrRefused)
		}
	}
	for j := range in.Jobs() {
		if !in.Runs(j) {
			return fmt.Errorf("%w jobs that can run nowhere, where power counts or limits schedules", ErrRefused)
		}
	}
	return refusedJobs(in)
}

// runs finds how wide jobs are, and an order in which none stands before one that it waits for.
func (p *powerProblem) runs() {
	jobs := p.in.Jobs()
	p.before = make([]uint32, len(jobs))
	for j := range jobs {
		widths := make([]int, len(p.in.Clusters()))
		for c := range widths {
			widths[c] = -1
			if p.in.CanRun(j, c) {
				widths[c], _ = p.in.Width(j, c)
			}
		}
		p.widths = append(p.widths, widths)
		for _, before := range jobs[j].After {
			p.before[j] |= 1 << before
		}
	}
	for placed := uint32(0); len(p.order) < len(jobs); {
		for j := range jobs {
			if placed&(1<<j) == 0 && p.before[j]&^placed == 0 {
				p.order, placed = append(p.order, j), placed|1<<j
			}
		}
	}
}

// gridTimes are the times of an instance, from the begin of the first slot on.
type gridTimes struct {
	to     float64
	tariff []gridTariff // by cluster
}

// gridTariff is the values of a tariff by time.
type gridTariff struct{ times, price, carbon []float64 }

// grid finds the slots.
func (p *powerProblem) grid() (*gridTimes, error) {
	in := p.in
	from, to, stated := in.Horizon()
	if !stated {
		from = in.FirstArrival()
		to = from
		for j := range in.Jobs() {
			to = max(to, in.Jobs()[j].Arrival)
		}
		for _, c := range in.Clusters() {
			for _, s := range c.PowerCap {
				to = max(to, s.Time)
			}
		}
		for j := range in.Jobs() { // from here on nothing changes: some optimum runs one job after another, if not several
			longest := 0.0
			for c, width := range p.widths[j] {
				if width > 0 {
					longest = max(longest, in.DurationOn(j, c, width))
				}
			}
			to += longest
		}
	}
	p.from = from
	g, rounded := &gridTimes{to: to}, false
	var times []float64
	note := func(t float64) {
		if t > from && t < math.Inf(1) {
			times = append(times, t-from)
			rounded = rounded || t-from+from != t || t-(t-from) != from
		}
	}
	note(to)
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		var tariff gridTariff
		if stated {
			few := false
			if tariff.times, tariff.price, tariff.carbon, few = cluster.Tariff.Steps(from, to); !few {
				return nil, fmt.Errorf("%w: a tariff with too many steps", ErrTooLarge)
			}
		}
		for _, t := range tariff.times {
			note(t)
		}
		g.tariff = append(g.tariff, tariff)
		for _, s := range cluster.PowerCap {
			if s.Time < to {
				note(s.Time)
			}
		}
		for _, m := range cluster.Machines {
			if m.Power != nil {
				for _, off := range m.Power.Off {
					times = append(times, off.Down.Time, off.Up.Time)
				}
			}
		}
		for j := range in.Jobs() {
			if width := p.widths[j][c]; width > 0 {
				times = append(times, in.DurationOn(j, c, width))
			}
		}
	}
	for j := range in.Jobs() {
		note(in.Jobs()[j].Arrival)
		if weighs(in, "over_deadline") {
			note(in.Jobs()[j].Deadline)
		}
	}
	p.per = kit.CommonUnit(times)
	finest := kit.CommonUnit([]float64{p.per, math.Abs(from)})
	if p.per == 0 {
		p.per, finest = 1, 1 // nothing takes any time
	}
	if rounded || !(max(math.Abs(from), math.Abs(to)) <= 0x1p52*finest) || !((to-from)/p.per <= 1e9) {
		return nil, fmt.Errorf("%w times that are no multiples of a unit, where power counts or limits schedules", ErrRefused)
	}
	p.slots = int(math.Round((to - from) / p.per))
	return g, nil
}

// weighs says whether a metric counts.
func weighs(in *model.Instance, metric string) bool {
	return slices.ContainsFunc(in.ObjectiveTerms(), func(t model.ObjectiveTerm) bool { return t.Metric == metric && t.Weight > 0 })
}

// at is a time in slots.
func (p *powerProblem) at(time float64) int { return int(math.Round((time - p.from) / p.per)) }

// place puts all times into slots. What unit power costs in a slot is rounded, and noted if so.
func (p *powerProblem) place(g *gridTimes) {
	in := p.in
	weight := map[string]float64{}
	for _, term := range in.ObjectiveTerms() {
		weight[term.Metric] = term.Weight
	}
	if p.slots > powerSlots {
		return
	}
	for c := range in.Clusters() {
		per := 1.0
		if t := in.Clusters()[c].Tariff; t != nil {
			per = t.Per
		}
		rates := make([]float64, p.slots+1)
		price, carbon, next := 0.0, 0.0, 0
		for slot := range p.slots {
			for t := &g.tariff[c]; next < len(t.times) && p.at(t.times[next]) <= slot; next++ {
				price, carbon = t.price[next], t.carbon[next]
			}
			rate := new(big.Rat).Add(product(weight["energy_cost"], price), product(weight["carbon"], carbon))
			rate.Quo(rate, product(per, 1))
			rate.Add(rate, product(weight["energy"], 1)).Mul(rate, product(p.per, 1))
			x, exact := rate.Float64()
			p.exact = p.exact && exact
			rates[slot+1] = rates[slot] + x
		}
		p.sums = append(p.sums, rates)
		idle := 0.0
		for _, m := range in.Clusters()[c].Machines {
			if m.Power != nil {
				idle += m.Power.Idle * float64(m.Count)
			}
		}
		caps, cap, next := make([]float64, p.slots), math.Inf(1), 0
		for slot := range caps {
			for list := in.Clusters()[c].PowerCap; next < len(list) && p.at(list[next].Time) <= slot; next++ {
				cap = list[next].Value - idle
			}
			caps[slot] = cap
		}
		p.caps, p.capDoubt = append(p.caps, caps), append(p.capDoubt, 1e-12*idle)
	}
	for j := range in.Jobs() {
		lengths := make([]int, len(in.Clusters()))
		for c, width := range p.widths[j] {
			if lengths[c] = -1; width > 0 {
				lengths[c] = int(math.Round(in.DurationOn(j, c, width) / p.per))
			}
		}
		p.lengths = append(p.lengths, lengths)
		p.ready = append(p.ready, max(0, p.at(in.Jobs()[j].Arrival)))
		p.deadlines = append(p.deadlines, (in.Jobs()[j].Deadline-p.from)/p.per)
	}
}

// choose finds the jobs that can end within the horizon behind those that they wait for. No schedule places the others.
func (p *powerProblem) choose() {
	earliest := slices.Clone(p.ready)
	for _, j := range p.order {
		if p.before[j]&^p.waiting != 0 {
			continue
		}
		for _, before := range p.in.Jobs()[j].After {
			earliest[j] = max(earliest[j], earliest[before])
		}
		end := math.MaxInt
		for _, length := range p.lengths[j] {
			if length >= 0 {
				end = min(end, earliest[j]+length)
			}
		}
		if earliest[j] = end; end <= p.slots {
			p.waiting |= 1 << j
		}
	}
}

// product is a product in exact numbers.
func product(a, b float64) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b))
}

// weigh finds what slots cost by the other metrics.
func (p *powerProblem) weigh() {
	in, n := p.in, float64(bits.OnesCount32(p.waiting))
	if n == 0 {
		return
	}
	p.makespanFrom = max(0, p.at(in.FirstArrival()))
	for _, term := range in.ObjectiveTerms() {
		switch term.Metric {
		case "makespan":
			p.makespanWeight += term.Weight * p.per
			p.constant += term.Weight * max(0, p.from-in.FirstArrival())
		case "mean_wait", "mean_response":
			p.waitWeight += term.Weight * p.per / n
			for j := range in.Jobs() {
				if p.waiting&(1<<j) != 0 {
					p.constant += term.Weight * (p.from - in.Jobs()[j].Arrival) / n
				}
			}
			if term.Metric == "mean_response" {
				p.lengthWeight += term.Weight * p.per / n
			}
		case "over_deadline":
			p.overWeight += term.Weight * p.per
		case "peak_power":
			p.peakWeight += term.Weight
		}
		if term.Weight > 0 {
			switch term.Metric {
			case "makespan", "mean_wait", "mean_response", "over_deadline", "peak_power":
				p.exact = false // it is not looked at closer
			}
		}
	}
}

// machines lists the machines.
func (p *powerProblem) machines() error {
	in, number := p.in, 0
	energy := weighs(in, "energy") || weighs(in, "energy_cost") || weighs(in, "carbon")
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			all := powerEntity{cluster: c, first: m.First, processors: m.Count * m.Units, busy: m.Power.OfBusy()}
			if !m.Power.Sleeps() || !energy && m.Power.Begin == model.On && m.Power.End == model.On {
				p.entities = append(p.entities, all)
				if m.Power != nil {
					p.constant += m.Power.Idle * float64(m.Count) * p.sums[c][p.slots]
				}
				continue
			}
			s := &sleeper{power: m.Power, sums: p.sums[c]}
			for _, off := range m.Power.Off {
				s.ways = append(s.ways, [2]int{int(math.Round(off.Down.Time / p.per)), int(math.Round(off.Up.Time / p.per))})
			}
			if number+m.Count > powerMachines || len(m.Power.Off) > powerMachines {
				return fmt.Errorf("%w: expected at most %d machines that can be off, in at most as many states", ErrTooLarge, powerMachines)
			}
			s.find(p.slots)
			s.findLows()
			for k := range m.Count {
				p.entities = append(p.entities, powerEntity{cluster: c, first: m.First + k*m.Units, processors: m.Units, busy: all.busy, sleep: s, number: number})
				number++
			}
		}
	}
	p.constant += p.peakWeight * p.idlePeak()
	return nil
}

// idlePeak is the power of all machines that are on; 0 if it may be that no time counts.
func (p *powerProblem) idlePeak() float64 {
	_, _, counts := p.in.Horizon()
	for j := range p.lengths {
		counts = counts || !slices.Contains(p.lengths[j], 0)
	}
	sum := 0.0
	for _, c := range p.in.Clusters() {
		for _, m := range c.Machines {
			if m.Power != nil && counts {
				sum += m.Power.Idle * float64(m.Count)
			}
		}
	}
	return sum
}

// powersOf are the least and the most power of a processor of the cluster on which the job runs.
func (p *powerProblem) powersOf(job, c int) (least, most float64) {
	least = math.Inf(1)
	for e := range p.entities {
		if p.entities[e].cluster == c {
			power := p.entities[e].busyOf(p.in, job)
			least, most = min(least, power), max(most, power)
		}
	}
	return least, most
}

// bound finds the least cost of a start by job and slot. With the share of a machine it counts what the machine takes more than the least of its powers, for as many of its processors as
// the job holds there.
func (p *powerProblem) bound() {
	shares := make([][]float64, len(p.in.Clusters())) // by cluster: of one processor until each slot
	for c := range shares {
		shares[c] = make([]float64, p.slots+1)
		for slot := range p.slots {
			least := math.Inf(1)
			for e := range p.entities {
				if entity := &p.entities[e]; entity.cluster == c && entity.sleep == nil {
					least = 0
				} else if entity.cluster == c {
					s := entity.sleep
					least = min(least, (s.power.Idle*(s.sums[slot+1]-s.sums[slot])-(s.lows[slot+1]-s.lows[slot]))/float64(entity.processors))
				}
			}
			shares[c][slot+1] = shares[c][slot] + max(0, least)
		}
	}
	for j := range p.in.Jobs() {
		var lists [2][]float64
		for k := range lists {
			lists[k] = slices.Repeat([]float64{math.Inf(1)}, p.slots+2)
		}
		for slot := p.slots; slot >= 0; slot-- {
			lists[0][slot], lists[1][slot] = lists[0][slot+1], lists[1][slot+1]
			for c, length := range p.lengths[j] {
				if length < 0 || slot < p.ready[j] || slot+length > p.slots {
					continue
				}
				least, most := p.powersOf(j, c)
				width := float64(p.widths[j][c])
				energy := width * (p.sums[c][slot+length] - p.sums[c][slot])
				cost := min(least*energy, most*energy) + p.waits(j, slot, length)
				lists[0][slot] = min(lists[0][slot], cost)
				lists[1][slot] = min(lists[1][slot], cost+width*(shares[c][slot+length]-shares[c][slot]))
			}
		}
		p.cheapest[0], p.cheapest[1] = append(p.cheapest[0], lists[0]), append(p.cheapest[1], lists[1])
		area := math.MaxInt
		for c, length := range p.lengths[j] {
			if length >= 0 {
				area = min(area, length*p.widths[j][c])
			}
		}
		p.areas = append(p.areas, area)
		p.alike = append(p.alike, -1)
		for k := j - 1; k >= 0 && p.alike[j] < 0; k-- {
			if p.same(j, k) {
				p.alike[j] = k
			}
		}
	}
}

// same says whether two jobs differ in nothing that counts.
func (p *powerProblem) same(j, k int) bool {
	a, b := &p.in.Jobs()[j], &p.in.Jobs()[k]
	x, stated := a.Power()
	y, too := b.Power()
	return slices.Equal(p.lengths[j], p.lengths[k]) && slices.Equal(p.widths[j], p.widths[k]) && p.ready[j] == p.ready[k] && p.deadlines[j] == p.deadlines[k] &&
		x == y && stated == too && p.before[j] == p.before[k] && len(p.in.Successors(j)) == 0 && len(p.in.Successors(k)) == 0
}

// judge says whether sums are rounded, and by how much at most.
func (p *powerProblem) judge() {
	size := math.Abs(p.constant) + p.makespanWeight*float64(p.slots)
	fine, finePower, largest := math.MaxInt, math.MaxInt, 0.0
	for c := range p.in.Clusters() {
		most, all := 0.0, 0.0
		for g := range p.in.Clusters()[c].Machines {
			m := &p.in.Clusters()[c].Machines[g]
			if m.Power == nil {
				continue
			}
			powers := []float64{m.Power.Idle, m.Power.Busy}
			for _, off := range m.Power.Off {
				powers = append(powers, off.Power, off.Down.Power, off.Up.Power)
			}
			for _, x := range powers {
				finePower = min(finePower, lastBit(x))
			}
			all += slices.Max(powers) * float64(m.Count)
		}
		for j := range p.in.Jobs() {
			if own, stated := p.in.Jobs()[j].Power(); stated {
				finePower = min(finePower, lastBit(own))
			}
			if width := p.widths[j][c]; width > 0 {
				_, power := p.powersOf(j, c)
				most += power * float64(width)
			}
		}
		sum := 0.0
		for slot := range p.slots {
			rate := p.sums[c][slot+1] - p.sums[c][slot]
			fine = min(fine, lastBit(rate))
			sum += math.Abs(rate)
		}
		size, largest = size+(all+most)*sum, max(largest, sum)
	}
	for j := range p.in.Jobs() {
		size += math.Abs(p.waits(j, p.slots, p.slots))
	}
	for e := range p.entities {
		size += p.peakWeight * p.entities[e].busy * float64(p.entities[e].processors)
	}
	if fine < math.MaxInt && finePower < math.MaxInt {
		p.exact = p.exact && largest <= math.Ldexp(1, 53+fine) && size <= math.Ldexp(1, 53+fine+finePower)
	}
	// prefix sums are rounded, and what is added to them
	p.doubt = float64(4*p.slots+8*len(p.in.Jobs())+16) * 0x1p-52 * size
}

// lastBit is the exponent of the last bit of a number that is 1; that of 0 is the largest int.
func lastBit(x float64) int {
	fraction, exponent := math.Frexp(math.Abs(x))
	if fraction == 0 {
		return math.MaxInt
	}
	return exponent - 53 + bits.TrailingZeros64(uint64(math.Ldexp(fraction, 53)))
}
