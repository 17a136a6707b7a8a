package sim

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// IsTrace reports whether an instance has only what a trace has: rigid jobs on one cluster of equal processors, whose machines may sleep by a
// rule and have a power cap. The policies run such an instance many
// times as fast as any other.
func IsTrace(in *model.Instance) bool {
	const simple = model.Arrivals | model.ParallelJobs | model.UnrelatedTimes | model.SleepingMachines | model.PowerCaps
	if _, _, limited := in.Horizon(); limited {
		return false
	}
	return len(in.Clusters()) == 1 && in.Clusters()[0].Uniform && in.Features()&^simple == 0
}

// TraceOf turns an instance into a trace, without the jobs that can never run. It also returns, for each job of the trace, its index in
// the instance. An instance that asks for more than a trace can state is an error. O(n·log n) for n jobs.
func TraceOf(in *model.Instance) (*Trace, []int, error) {
	if !IsTrace(in) {
		return nil, nil, errors.New("sim: expected an instance of rigid jobs on one cluster of equal processors for a trace")
	}
	trace, order, users := &Trace{Jobs: make([]Spec, 0, len(in.Jobs()))}, make([]int, 0, len(in.Jobs())), kit.Numbers[string]{}
	for _, index := range byArrival(in) {
		if in.CanRun(index, 0) {
			trace.Jobs = append(trace.Jobs, specOf(in, index))
			trace.Jobs[len(order)].User = users.Of(in.Jobs()[index].User())
			order = append(order, index)
		}
	}
	return trace, order, nil
}

// specOf is a job of a plain instance as a trace has it.
func specOf(in *model.Instance, index int) Spec {
	j := &in.Jobs()[index]
	width, _ := in.Width(index, 0)
	estimate, runtime := lengthsOn(in, index, 0, width, &in.Clusters()[0].Machines[0])
	return Spec{Arrival: j.Arrival, Estimate: estimate, Runtime: runtime, Processors: int32(width)}
}

// Lengths are the estimated and the true run time of a job, on the fewest processors that it may hold and the first machines of the cluster where it ends
// first by its estimate; NaN: it can run on no cluster. O(clusters).
func Lengths(in *model.Instance, index int) (estimate, runtime float64) {
	estimate, runtime = math.NaN(), math.NaN()
	for c := range in.Clusters() {
		width, _ := in.Width(index, c)
		if !in.CanRun(index, c) {
			continue
		}
		if there, takes := lengthsOn(in, index, c, width, &in.Clusters()[c].Machines[0]); !(there >= estimate) {
			estimate, runtime = there, takes
		}
	}
	return estimate, runtime
}

// lengthsOn are the estimated and the true run time of a job on processors of machines of a cluster.
func lengthsOn(in *model.Instance, index, cluster, width int, m *model.Machine) (estimate, runtime float64) {
	j := &in.Jobs()[index]
	runtime = in.Busy(index, cluster, m.Speed, (j.Tasks+width-1)/width) + in.Transfer(index, m.Bandwidth)
	if math.IsNaN(j.Estimate) {
		return runtime, runtime
	}
	return statedTime(in, index, cluster, m.Speed, m.Bandwidth, (j.Tasks+width-1)/width), runtime
}

// statedTime is the execution time by the stated estimate when each processor runs the given number of tasks one after the other, at
// the given speed and link bandwidth: the time rule of the model with estimate × reference speed as the work of a task.
func statedTime(in *model.Instance, index, cluster int, speed, link float64, tasks int) float64 {
	j := &in.Jobs()[index]
	return float64(tasks)*(j.Estimate*j.ReferenceSpeed)/speed + in.Busy(index, cluster, speed, 0) + in.Transfer(index, link)
}

// killedReason is the reason, for people, of a job that was killed.
func killedReason(start, end float64) string {
	return fmt.Sprintf("killed at its estimate: started at %v, ended at %v", start, end)
}

// processors is the set of free processors of a cluster, a bit each.
type processors struct {
	words []uint64
	first int // no word before it has a free one
}

// reset makes n processors free.
func (p *processors) reset(n int) {
	p.words, p.first = make([]uint64, (n+63)/64), 0
	p.give(model.NewProcessorSet(model.Range{First: 0, Last: n - 1}))
}

// take removes the n lowest free processors from the set and returns them. At least n are free.
func (p *processors) take(n int) model.ProcessorSet {
	var set model.ProcessorSet
	for w := p.first; n > 0; w++ {
		for n > 0 && p.words[w] != 0 {
			low := bits.TrailingZeros64(p.words[w])
			run := min(bits.TrailingZeros64(^(p.words[w] >> low)), n)
			p.words[w] &^= mask(low, run)
			n -= run
			first := w<<6 + low
			if k := len(set); k > 0 && set[k-1].Last == first-1 {
				set[k-1].Last += run
			} else {
				set = append(set, model.Range{First: first, Last: first + run - 1})
			}
		}
		if p.words[w] == 0 && w == p.first {
			p.first++
		}
	}
	return set
}

// give adds processors to the set of free ones.
func (p *processors) give(set model.ProcessorSet) {
	if len(set) > 0 {
		p.first = min(p.first, set[0].First>>6)
	}
	for _, r := range set {
		for first := r.First; first <= r.Last; first = first&^63 + 64 {
			last := min(r.Last, first|63)
			p.words[first>>6] |= mask(first&63, last-first+1)
		}
	}
}

// has says whether all processors of the set are free.
func (p *processors) has(set model.ProcessorSet) bool {
	for _, r := range set {
		for first := r.First; first <= r.Last; first = first&^63 + 64 {
			m := mask(first&63, min(r.Last, first|63)-first+1)
			if p.words[first>>6]&m != m {
				return false
			}
		}
	}
	return true
}

// remove takes the processors of the set, which are free.
func (p *processors) remove(set model.ProcessorSet) {
	for _, r := range set {
		for first := r.First; first <= r.Last; first = first&^63 + 64 {
			p.words[first>>6] &^= mask(first&63, min(r.Last, first|63)-first+1)
		}
	}
}

// mask is a word of n ones from bit low on.
func mask(low, n int) uint64 { return (1<<n - 1) << low }
