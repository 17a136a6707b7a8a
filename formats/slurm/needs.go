package slurm

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/model"
)

// memory finds the memory of a processor.
func (q *queue) memory(e *entry) {
	j := &q.doc.jobs[e.job]
	cpus := max(j.cpus.or(1), 1)
	width := cpus
	if !e.running {
		width = max(cpus, float64(e.processors)) // of whole nodes it takes all processors, and asks for no more memory
	}
	switch total := memoryOf(cmp.Or(j.allocated, j.requested)); {
	case q.opt.IgnoreMemory:
	case j.memoryCPU.or(0) > 0:
		e.memory = j.memoryCPU.value * cpus / width
	case j.memoryNode.or(0) > 0: // where the nodes cannot take equally many processors, what the fullest gives to each: more might fit on no nodes
		e.memory = j.memoryNode.value / math.Ceil(width/max(j.nodes.or(1), 1))
	case total > 0:
		e.memory = total / width
	}
	e.memory = min(e.memory, model.Largest)
	if e.memory < model.Smallest {
		e.memory = 0
	}
}

// memoryOf reads the memory, in MB, of a text such as cpu=32,mem=16G,node=2; 0: none.
func memoryOf(tres string) float64 {
	value, found := tresOf(tres)["mem"]
	if !found || value == "" {
		return 0
	}
	factor, stated := map[byte]float64{'K': 1.0 / 1024, 'M': 1, 'G': 1 << 10, 'T': 1 << 20, 'P': 1 << 30}[value[len(value)-1]]
	if !stated {
		factor, value = 1, value+"M"
	}
	x, err := lines.NonNegative(value[:len(value)-1])
	if err != nil {
		return 0
	}
	return x * factor
}

// tresOf splits a text such as cpu=32,mem=16G,gres/gpu=2.
func tresOf(text string) map[string]string {
	values := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if name, value, found := strings.Cut(part, "="); found {
			values[name] = value
		}
	}
	return values
}

// width finds the processors of a waiting job: whole nodes if it wants them exclusively. It notes what the job asks about their
// placement.
func (q *queue) width(e *entry) {
	j, p := &q.doc.jobs[e.job], e.place
	path := at("jobs", e.job)
	alone := hasWord(j.sharing, "none") || hasWord(j.sharing, "true") || slices.ContainsFunc(p.parts, func(q *part) bool { return q.exclusive })
	nodes := whole(j.nodes, maxHosts, q.doc.faults, path+".node_count")
	fewest := (e.processors + p.cpus - 1) / max(p.cpus, 1)
	switch {
	case alone:
		if most := max(nodes, fewest) * p.cpus; most > e.processors {
			e.processors = most
			q.repaired("the job wants its nodes alone: it takes all their processors")
		}
	case nodes > fewest:
		q.kept("the job asks for more nodes than its processors need: they may come from fewer")
	case (j.tasks.or(0) == 1 || j.mostNodes.or(0) == 1) && e.processors > 1 && e.processors <= p.widest:
		e.span = "machine"
	case j.perTask.or(1) > 1:
		q.kept("the processors of a task must be of one node: an instance cannot express this")
	}
	for _, note := range []struct {
		asked bool
		what  string
	}{
		{j.mustUse != "" || j.mustAvoid != "", "the job asks for certain nodes, or excludes some: an instance cannot express this"},
		{j.features != "", "the job asks for features of nodes: an instance cannot express this"},
		{j.reservation != "", "the job belongs to a reservation: an instance cannot express this"},
		{j.het.or(0) > 0, "the job is a part of a heterogeneous job, whose parts start together: an instance cannot express this"},
	} {
		if note.asked {
			q.kept(note.what)
		}
	}
}
