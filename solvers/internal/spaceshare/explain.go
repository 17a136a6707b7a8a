package spaceshare

import (
	"fmt"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// Explain implements sim.Explainer. It states the figures of the last turn in which the job was the head of
// the queue.
func (p *policy) Explain(j *sim.Job) []sim.Reason {
	d := &p.last
	if d.job != j || d.number != j.Number {
		return p.explainQueue(j)
	}
	if d.target == 0 { // dropped before its turn
		return []sim.Reason{{Rule: "start", Text: "dropped: " + d.dropped}}
	}
	r := j.Request
	exact := float64(p.processors) / (float64(d.queued+1) + 0.5*float64(d.running))
	size := sim.Reason{
		Rule: "partition size",
		Text: fmt.Sprintf("%d processors, %d other queued and %d running jobs: %d/((%d+1) + %d/2) = %.4g, rounded (%s, at least 1) to %d",
			p.processors, d.queued, d.running, p.processors, d.queued, d.running, exact, p.options.Rounding, d.size),
		Terms: []sim.Term{{Name: "P", Value: float64(p.processors)}, {Name: "Q", Value: float64(d.queued)}, {Name: "S", Value: float64(d.running)},
			{Name: "partition_size", Value: float64(d.size)}},
	}
	target := sim.Reason{
		Rule: "target",
		Text: fmt.Sprintf("%d: the partition size is %d, the job has %d tasks and holds at least %d processors, and the empty system has %d for it at once",
			d.target, d.size, r.Tasks, r.Min, p.reach[j.Handle]),
		Terms: []sim.Term{{Name: "target", Value: float64(d.target)}},
	}
	start := sim.Reason{Rule: "start", Terms: []sim.Term{{Name: "free", Value: float64(d.usable)}, {Name: "needed", Value: float64(d.needed)}}}
	switch {
	case d.dropped != "":
		start.Text = "dropped: " + d.dropped
	case d.starts:
		start.Text = fmt.Sprintf("starts with tasks on %d processors; needed at least: %d, free that it can use at once: %d", p.selector.Held(), d.needed, d.usable)
		start.Terms = append(start.Terms, sim.Term{Name: "processors", Value: float64(p.selector.Held())})
	case d.capped:
		start.Text = fmt.Sprintf("waits; processors needed at least: %d, but even on these it would exceed a power cap before it ends by its estimate", d.needed)
	default:
		start.Text = fmt.Sprintf("waits; processors needed at least: %d, free that it can use at once: %d", d.needed, d.usable)
	}
	return []sim.Reason{size, target, start}
}

// explainQueue explains a job that was not the head of the queue in any turn.
func (p *policy) explainQueue(j *sim.Job) []sim.Reason {
	ahead := slices.Index(p.queue, j)
	if ahead < 0 {
		return nil
	}
	return []sim.Reason{{
		Rule:  "queue",
		Text:  fmt.Sprintf("waits for its turn behind the first in the queue; jobs ahead of it: %d", ahead),
		Terms: []sim.Term{{Name: "ahead", Value: float64(ahead)}},
	}}
}
