package bound

import (
	"context"
	"math"
	"math/big"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/powered"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/exactsteps"
)

// powerWeights are weights of metrics of power, and of others that are sums over the jobs.
type powerWeights struct {
	energy, cost, carbon float64
	wait, response, over float64
}

// waits says whether the jobs' starts and ends count.
func (w *powerWeights) waits() bool { return w.wait != 0 || w.response != 0 || w.over != 0 }

// powerInput is what power costs in the instance, relaxed; nil: nothing is known. Jobs forget memory, licences, caps, what they ask of machines and what they
// wait for, but for the earliest start that this gives them.
func (r *Relaxation) powerInput(ctx context.Context, w powerWeights) *powered.Input {
	in := r.in
	from, to, stated := in.Horizon()
	if !stated || !(to > from) || len(r.must) == 0 || w.waits() && !r.all || in.Features()&model.Commitments != 0 {
		return nil
	}
	x := &powered.Input{From: from, To: to}
	signed, tariffs := false, map[*model.Tariff]*powered.Cluster{}
	for k := range in.Clusters() {
		c := &in.Clusters()[k]
		own := powered.Cluster{Steps: []exactsteps.Step{{}}, Rates: []float64{w.energy}}
		if t := c.Tariff; t != nil {
			if tariffs[t] == nil {
				if tariffs[t] = w.ratesOf(t, from, to); tariffs[t] == nil {
					return nil
				}
			}
			own = *tariffs[t]
		}
		for _, rate := range own.Rates {
			signed = signed || rate < 0
		}
		for g := range c.Machines {
			m := &c.Machines[g]
			if m.Power != nil && m.Power.Suspends() {
				return nil
			}
			own.Groups = append(own.Groups, powered.Group{Count: float64(m.Count), Units: float64(m.Units), Power: m.Power})
		}
		x.Clusters = append(x.Clusters, own)
	}
	room := wayRoom{poll: kit.NewPoll(ctx)}
	starts, ok := r.exactStarts(room.poll)
	if !ok {
		return nil
	}
	since := exact(in.FirstArrival())
	since.Sub(since, exact(from))
	for j := range in.Jobs() {
		sure := 0.0 // the earliest start, rounded down
		if starts[j] != nil {
			room.poll.Spend(workOfExact)
			sure = max(0, below(new(big.Rat).Add(since, starts[j])))
		}
		job, ok := r.powerJob(j, w, signed, from, to, sure)
		if !ok || !room.take(&job, len(x.Clusters)) {
			return nil
		}
		x.Jobs = append(x.Jobs, job)
	}
	return x
}

// mostSteps is the most steps of a tariff within the horizon; no more are certified.
const mostSteps = 1 << 17

// ratesOf is what a unit of power costs by time, as far as the metrics count; nil: it changes too often.
func (w *powerWeights) ratesOf(t *model.Tariff, from, to float64) *powered.Cluster {
	price, prices, few := exactsteps.Within(t.Price, t.Period, from, to, mostSteps)
	carbon, carbons, fewToo := exactsteps.Within(t.Carbon, t.Period, from, to, mostSteps)
	if !few || !fewToo {
		return nil
	}
	steps, values := exactsteps.Join(price, prices, carbon, carbons)
	c := &powered.Cluster{Steps: steps}
	for _, x := range values {
		c.Rates = append(c.Rates, w.energy+w.cost*x[0]/t.Per+w.carbon*x[1]/t.Per)
	}
	return c
}

// powerJob lists the ways to run a job. It returns false if not all that it may do is known, or nothing of it is possible.
// Its earliest start, rounded down, is sure after from.
func (r *Relaxation) powerJob(j int, w powerWeights, signed bool, from, to, sure float64) (powered.Job, bool) {
	in, job := r.in, &r.in.Jobs()[j]
	list := powered.Job{MayLeave: r.duties[j] != MustPlace}
	if r.duties[j] == MustLeave {
		return list, true
	}
	shift := in.FirstArrival() - from // from the earliest arrival to the begin of the horizon
	latest, plain := r.latestEnds()
	head, end := max(0, r.start[j]+shift), min(to-from, plain[j]+shift)
	tolerated := latest[j] - plain[j]
	n := float64(len(in.Jobs()))
	add := func(way powered.Way) {
		way.First, way.Last, way.Head = head+max(0, way.First-r.start[j]), end-way.Length, sure
		if way.Last < way.First { // where only rounding keeps the job out it may be in
			if way.Last < way.First-max(tolerated, 4e-9*way.Length)-1e-12*(math.Abs(from)+math.Abs(to)) {
				return
			}
			way.First = max(0, way.Last)
			way.Last = way.First
		}
		way.Delay = (w.wait + w.response) / n
		way.Constant = (w.response*way.Length - (w.wait+w.response)*(job.Arrival-from)) / n
		if job.HasDeadline() {
			way.Over, way.Due = w.over, job.Deadline-from
		}
		list.Ways = append(list.Ways, way)
	}
	if r.over[j] != nil || job.Node().Running != nil {
		if signed || w.waits() {
			return list, false
		}
		add(powered.Way{First: r.start[j], Length: r.least[j]}) // it takes no power at least
		return list, len(list.Ways) > 0 || list.MayLeave
	}
	for c := range in.Clusters() {
		if !r.canRun(j, c) {
			continue
		}
		need := untilEnd
		if w.wait != 0 {
			need = fromStart
		}
		ways, known := r.powerWays(j, c, signed, need)
		if !known {
			return list, false
		}
		for _, way := range ways {
			add(way)
		}
	}
	return list, len(list.Ways) > 0 || list.MayLeave
}

// powerWays lists the ways to run a job on one cluster alone. If no rate is negative, those suffice that hold the least; otherwise all have to be rectangles.
func (r *Relaxation) powerWays(j, c int, signed bool, need knownWays) (list []powered.Way, known bool) {
	ways, known := r.waysOn(j, c, need)
	least, most := powerOn(r.in, j, c)
	for _, way := range ways {
		if !known || signed && (way.Loose || !r.in.Clusters()[c].Uniform) || !gate.Finite(way.Length) {
			return nil, false
		}
		way.Power = least
		list = append(list, way)
		if _, widest := r.in.Width(j, c); signed && r.in.Jobs()[j].Tasks <= int(way.Width) { // more than it has tasks for
			way.Width = float64(min(widest, r.in.Clusters()[c].Processors))
			list = append(list, way)
		}
	}
	for _, way := range list {
		if way.Power = most; signed && most > least {
			list = append(list, way)
		}
	}
	return list, known
}

// powerOn is the least and the largest power of one processor of the job on the cluster.
func powerOn(in *model.Instance, j, c int) (least, most float64) {
	if own, stated := in.Jobs()[j].Power(); stated {
		return own, own
	}
	least = math.Inf(1)
	for g := range in.Clusters()[c].Machines {
		busy := in.Clusters()[c].Machines[g].Power.OfBusy()
		least, most = min(least, busy), max(most, busy)
	}
	return least, most
}
