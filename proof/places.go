package proof

import (
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file says where a job can run, from what the instance states of jobs, machines and licences.

// last is one rounding of the last digit of a number: a machine has room for tasks if their memory, as an exact number, is at most (1 + last) times its own.
var last = new(big.Rat).SetFloat64(0x1p-52)

// room is the number of processors of one machine of the group that tasks of the job can hold at once.
func room(job *model.Job, m *model.Machine) int {
	if job.MinBandwidth > m.Bandwidth || slices.ContainsFunc(job.Licences, func(n model.Need) bool { return n.Copies > 0 && !m.Runs(n.Licence) }) {
		return 0
	}
	if job.Memory == 0 || math.IsInf(m.Memory, 1) || float64(m.Units)*job.Memory <= m.Memory {
		return m.Units // where the product is rounded down, it is so by less than the last digit of the memory
	}
	// Where the memory is not just at the limit float64 numbers tell: they are right to a few digits of the last place.
	if n := math.Floor(m.Memory / job.Memory); n*job.Memory*(1+8*0x1p-52) <= m.Memory && (n+1)*job.Memory*(1-8*0x1p-52) > m.Memory*(1+0x1p-52) {
		return int(min(n, float64(m.Units)))
	}
	tasks := number(m.Memory)
	tasks.Add(tasks, new(big.Rat).Mul(tasks, last))
	tasks.Quo(tasks, number(job.Memory))
	whole := new(big.Int).Quo(tasks.Num(), tasks.Denom())
	if !whole.IsInt64() || whole.Int64() > int64(m.Units) {
		return m.Units
	}
	return int(whole.Int64())
}

// placing finds where a job can run.
type placing struct {
	in            *model.Instance
	known         *model.Instance // by the estimates, see [model.Instance.Known]
	groups, times int             // of machines, and closed times of all of them
	// manyClosed says that there are too many closed times to look at each for each job and group of machines. Then no job starts later for them.
	manyClosed bool
}

// newPlacing looks at the instance.
func newPlacing(in *model.Instance) placing {
	p := placing{in: in, known: in.Known()}
	for c := range in.Clusters() {
		p.groups += len(in.Clusters()[c].Machines)
		for g := range in.Clusters()[c].Machines {
			p.times += len(in.Clusters()[c].Machines[g].Closed())
		}
	}
	const most = 1 << 22
	p.manyClosed = p.times*p.groups > most/(len(in.Jobs())+1)
	return p
}

// holds is the number of processors of one machine of the group on cluster c that job j can hold at once, with all that it asks of machines.
func (p *placing) holds(j, c int, m *model.Machine) int {
	job, n := &p.in.Jobs()[j], p.in.Jobs()[j].Node()
	if n.Running != nil {
		return m.Units
	}
	for _, names := range n.Features {
		if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(m.Features(), name) }) {
			return 0
		}
	}
	if !p.opens(j, c, m) {
		return 0
	}
	size := n.Block
	if p.in.Clusters()[c].WholeMachines {
		size = 1
	}
	blocks := room(job, m) / size
	for _, need := range n.Resources {
		amount := need.Amount
		if p.in.Resources()[need.Resource].Devices && amount < model.WholeAmount {
			amount = model.WholeAmount // no two blocks share a device
		}
		blocks = int(min(model.Amount(blocks), m.Amount(need.Resource)/amount))
	}
	switch {
	case n.PerMachine == 0:
		return blocks * size
	case blocks >= n.PerMachine:
		return n.PerMachine * size
	}
	return 0
}

// opens says whether a job of the reservation of job j may ever start on the machine.
func (p *placing) opens(j, c int, m *model.Machine) bool {
	closed, reservation := m.Closed(), p.in.Jobs()[j].Node().Reservation
	if len(closed) == 0 {
		return reservation == ""
	}
	if p.keepsNothing(j, c) {
		return reservation == "" || slices.ContainsFunc(closed, func(x model.Closure) bool { return x.For == reservation })
	}
	if openFrom(closed, reservation, 0) {
		return true
	}
	return slices.ContainsFunc(closed, func(x model.Closure) bool { // what is open at some time is open where a closed time begins or ends
		return openFrom(closed, reservation, x.From) || x.To <= math.MaxFloat64 && openFrom(closed, reservation, x.To)
	})
}

// keepsNothing says whether a piece of the job on the cluster may take no time, in truth or by its estimate, so that closed times do not concern it.
func (p *placing) keepsNothing(j, c int) bool {
	speed, _ := fastest(&p.in.Clusters()[c])
	return p.in.Busy(j, c, speed, 1) == 0 || p.known.Busy(j, c, speed, 1) == 0
}

// openFrom says whether a job of the reservation may run on a machine with these closed times just after the instant.
func openFrom(closed []model.Closure, reservation string, instant float64) bool {
	mine := false
	for _, x := range closed {
		if during := x.From <= instant && (instant < x.To || math.IsInf(x.To, 1)); !during {
			continue
		}
		if reservation == "" || x.For != reservation {
			return false
		}
		mine = true
	}
	return mine || reservation == ""
}

// gives is the number of processors of the cluster that a job can hold at once, and of how many machines. It is 0 on a cluster for which a job with run times
// states none, or if a pool that the job draws from there, the cluster's own before that of the grid, has too few copies.
func (p *placing) gives(j, c int) (processors, machines int) {
	job, n := &p.in.Jobs()[j], p.in.Jobs()[j].Node()
	if math.IsNaN(p.in.Busy(j, c, 1, 1)) {
		return 0, 0
	}
	for _, need := range job.Licences {
		if copies, _ := p.in.Pool(c, need.Licence); copies < need.Copies {
			return 0, 0
		}
	}
	type alike struct{ each, count int }
	var kinds []alike
	for g := range p.in.Clusters()[c].Machines {
		m := &p.in.Clusters()[c].Machines[g]
		if each := p.holds(j, c, m); each > 0 {
			kinds = append(kinds, alike{each, m.Count})
		}
	}
	slices.SortFunc(kinds, func(a, b alike) int { return b.each - a.each })
	most := math.MaxInt
	if n.MaxMachines > 0 {
		most = n.MaxMachines
	}
	if job.Span == model.SpanMachine {
		most = 1
	}
	for _, kind := range kinds {
		count := min(kind.count, most-machines)
		processors, machines = processors+count*kind.each, machines+count
	}
	return processors, machines
}

// alone lists on which clusters job j can run without processors of another. Where whole machines are given out it takes one.
func (p *placing) alone(j int) []bool {
	job, n := &p.in.Jobs()[j], p.in.Jobs()[j].Node()
	can := make([]bool, len(p.in.Clusters()))
	for c := range can {
		if n.Running != nil {
			can[c] = n.Running.Cluster == c
			continue
		}
		processors, machines := p.gives(j, c)
		least := job.Min
		if p.in.Clusters()[c].WholeMachines {
			least, machines = 1, min(1, machines)
		}
		can[c] = processors >= least && machines >= n.MinMachines
	}
	return can
}

// over lists of which clusters job j can hold processors as one of several: its span is the grid, each cluster runs at least one of its tasks, and the
// clusters together give the least number of processors. It is nil if the job cannot run so.
func (p *placing) over(j int) []bool {
	job := &p.in.Jobs()[j]
	if job.Span != model.SpanGrid || job.Max == 1 || job.Node().Running != nil {
		return nil
	}
	all := make([]int, len(p.in.Clusters()))
	for c := range all {
		all[c], _ = p.gives(j, c)
	}
	most := make([]int, len(all)) // the clusters, that which gives most first
	for k := range most {
		most[k] = k
	}
	slices.SortFunc(most, func(a, b int) int { return all[b] - all[a] })
	can, any := make([]bool, len(all)), false
	before := make([]int, len(all)+1) // what the first clusters of that order give together
	for k, c := range most {
		before[k+1] = before[k] + all[c]
	}
	for k, c := range most {
		others := min(job.Tasks-1, len(all)-1) // no other runs a job of one task
		given := all[c] + before[others]
		if k < others { // the cluster itself is among them
			given = before[others+1]
		}
		can[c] = all[c] > 0 && given > all[c] && given >= job.Min
		any = any || can[c]
	}
	if !any {
		return nil
	}
	return can
}
