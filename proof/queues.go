package proof

import (
	"math"
	"math/big"
	"sort"

	"github.com/allot-opt/allot/model"
)

// This file knows the machines of an instance as G/G/1 queues, see qos_penalty in package model: a machine that serves n of the tasks in the period T
// has the rate λ = n/T at least, the wait W = κ·λ/(1 − λ/μ), and a task there the penalty max(0, W + S − d)/d + max(0, C − e)/e.

// queueFeatures are the features of instances whose jobs take one processor each, wherever they run.
const queueFeatures = model.Arrivals | model.UnrelatedTimes | model.MixedMachines | model.HardDeadlines

// queueClass is a group of machines that are alike.
type queueClass struct {
	first, machines int // ranks: machines in the order of the instance
	most            int // tasks of a stable machine
	wait            []float64
	price           float64   // cost per time
	service         []float64 // by task
}

// queues is the instance as queues.
type queues struct {
	*facts
	classes []queueClass
	class   []int // by rank
}

// servers lists the machines of an instance that is covered.
func (f *facts) servers(step string) ([]model.QueueMachine, error) {
	switch more := f.in.Features() &^ queueFeatures; {
	case !f.all || len(f.must) == 0:
		return nil, doubt(step, "instances with jobs that may be left out are not covered")
	case more != 0:
		return nil, doubt(step, "instances with %s are not covered", more)
	}
	view, err := model.Queues(f.in, nil)
	if err != nil {
		return nil, refute(step, "%v", err)
	}
	return view.Machines, nil
}

// queues reads the machines. All its numbers are such that no penalty is above what the evaluator finds.
func (f *facts) queues(step string) (*queues, error) {
	in := f.in
	machines, err := f.servers(step)
	if err != nil {
		return nil, err
	}
	if len(machines) > levelCells/(len(in.Jobs())+1) {
		return nil, doubt(step, "too many tasks and machines")
	}
	known := in.Known()
	q := &queues{facts: f}
	var last [2]int
	for rank := range machines {
		m := &machines[rank]
		c, _ := in.ClusterIndex(m.Cluster)
		if group := [2]int{c, m.Group}; len(q.classes) == 0 || group != last {
			last = group
			if !(m.ServiceRate <= math.MaxFloat64) || !(m.Kappa <= math.MaxFloat64) {
				return nil, doubt(step, "machines without a finite service rate or variance are not covered")
			}
			class := queueClass{first: rank, price: in.Clusters()[c].Machines[m.Group].Cost}
			class.stable(in.Queueing().Period, m.ServiceRate, number(m.Kappa), len(in.Jobs()))
			processor := model.Processors(in.Clusters()[c].Machines[m.Group].First)
			for j := range in.Jobs() {
				class.service = append(class.service, known.Duration(j, c, processor)*(1+in.Queueing().K*in.Jobs()[j].WorkCV))
			}
			q.classes = append(q.classes, class)
		}
		k := len(q.classes) - 1
		q.classes[k].machines++
		q.class = append(q.class, k)
	}
	return q, nil
}

// full is by how much of its capacity a machine may seem to have more than it has, because the evaluator rounds. Where less than the part nearlyFull is
// left, the evaluator computes what is left with one rounding, and the wait is as exact as a product.
var (
	full       = new(big.Rat).SetFrac64(1, 1<<51)
	nearlyFull = new(big.Rat).SetFrac64(1, 1<<11)
	digits     = new(big.Rat).SetFrac64(1<<49-1, 1<<49)
)

// isStable reports whether a machine that gets n tasks in the period T can be stable: n/T < μ for the service rate μ. It computes n/T in float64, as
// model.Check does, which demands that n/T is below μ whatever rate is stated. Every float64 of at least the exact n/T is at least the rounded one,
// so a rate that serves the tasks and is below μ exists if and only if the rounded n/T is below μ.
func isStable(n int, period, rate float64) bool { return float64(n)/period < rate }

// stable finds the loads at which a machine stays stable, and a lower bound of the wait at each: κ·n·μ/(μ·T − n).
func (c *queueClass) stable(period, serviceRate float64, kappa *big.Rat, tasks int) {
	rate := number(serviceRate)
	capacity := new(big.Rat).Mul(number(period), rate)
	seems, nearly := new(big.Rat).Mul(capacity, full), new(big.Rat).Mul(capacity, nearlyFull)
	for n := 0; n <= tasks && isStable(n, period, serviceRate); n++ {
		load := big.NewRat(int64(n), 1)
		spare := new(big.Rat).Sub(capacity, load)
		w := new(big.Rat).Mul(kappa, rate)
		if w.Mul(w, load); spare.Cmp(nearly) < 0 {
			w.Mul(w, digits)
		} else {
			spare.Add(spare, seems)
		}
		c.most = n
		c.wait = append(c.wait, down(w.Quo(w, spare)))
	}
}

// penalty is a lower bound of the penalty of a task at a wait, each operation rounded down; +Inf where a limit that is not positive is exceeded.
func (c *queueClass) penalty(j *model.Job, task int, wait float64, charge model.Charge) float64 {
	response := sumDown(wait, c.service[task])
	charged := response
	if charge == model.ChargeService {
		charged = c.service[task]
	}
	return sumDown(excess(response, j.Deadline-j.Arrival), excess(productDown(c.price, charged), j.Budget))
}

// excess is a lower bound of max(0, x − limit)/limit; +Inf where x exceeds a limit that is not positive.
func excess(x, limit float64) float64 {
	switch {
	case x <= limit || math.IsInf(limit, 1):
		return 0
	case limit <= 0:
		return math.Inf(1)
	}
	return quotientDown(sumDown(x, -limit), limit)
}

// isIdle says whether n tasks leave an idle rate λ − n/T. As in [model.Check], at most a billionth of λ counts as 0.
func isIdle(n int, q model.Queueing) bool {
	return q.Rate-float64(n)/q.Period > model.Tolerance*q.Rate
}

// checkInfeasible verifies that no allocation is stable. Every machine has to carry fewer than μ·T tasks, and the rates, which add up to λ, or to n/T at
// least where there is no idle rate, have to be below μ each.
func checkInfeasible(f *facts, i *Infeasible) error {
	const step = "infeasible"
	asked := false
	for _, term := range f.in.ObjectiveTerms() {
		asked = asked || term.Metric == "qos_penalty" && term.Weight > 0
	}
	if !asked {
		return refute("objective", "only allocations for qos_penalty are known to be infeasible")
	}
	machines, err := f.servers(step)
	if err != nil {
		return err
	}
	period, sum, needed := f.in.Queueing().Period, new(big.Rat), new(big.Rat)
	for k := range machines {
		rate := machines[k].ServiceRate
		if !(rate <= math.MaxFloat64) {
			return doubt(step, "machines without a finite service rate are not covered")
		}
		x := number(rate)
		if i.Condition == "room" {
			// Of all n the stable ones come first.
			x.SetInt64(int64(sort.Search(len(f.in.Jobs()), func(n int) bool { return !isStable(n+1, period, rate) })))
		}
		sum.Add(sum, x)
	}
	switch i.Condition {
	case "room":
		needed.SetInt64(int64(len(f.in.Jobs())))
		if sum.Cmp(needed) >= 0 {
			return refute(step, "the machines stay stable with %s tasks, and there are %s", decimal(sum), decimal(needed))
		}
	case "rate":
		needed = number(f.in.Queueing().Rate)
		served := needed
		if n := len(f.in.Jobs()); !isIdle(n, f.in.Queueing()) { // then the machines need to serve the jobs only
			served = new(big.Rat).Quo(big.NewRat(int64(n), 1), number(period))
		}
		if sum.Cmp(served) > 0 {
			return refute(step, "the rate %s is below that of all machines together, %s", decimal(served), decimal(sum))
		}
	}
	if number(i.Needed).Cmp(needed) != 0 {
		return refute(step+".needed", "expected %s, found %v", decimal(needed), i.Needed)
	}
	if most, _ := sum.Float64(); math.Abs(most-i.Most) > model.Tolerance*math.Abs(most) {
		return refute(step+".most", "expected %v, found %v", most, i.Most)
	}
	return nil
}
