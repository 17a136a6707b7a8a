package slurm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// hold is what a running job holds on one node.
type hold struct {
	host   int
	cpus   int
	memory float64 // MB
	gres   []gres
}

// busy are the names of the nodes on which jobs run.
func (q *queue) busy() map[string]bool {
	busy := map[string]bool{}
	seen := map[string]bool{}
	for k := range q.doc.jobs {
		j := &q.doc.jobs[k]
		if stateOf(j.states) != running || seen[j.on] {
			continue
		}
		seen[j.on] = true
		names, err := expandHosts(j.on, q.doc.faults.Budget())
		if budget.Stopped(err) {
			q.doc.faults.At(at("jobs", k)+".nodes", "%s", err)
			break
		} else if err != nil {
			break // that becomes a fault
		}
		for _, name := range names {
			busy[name] = true
		}
	}
	return busy
}

// runs finds what a job that runs holds on each of its nodes, and says why it is left out; empty: some of its nodes are in the instance.
func (q *queue) runs(e *entry) string {
	j, path := &q.doc.jobs[e.job], at("jobs", e.job)
	names, err := expandHosts(j.on, q.doc.faults.Budget())
	if err != nil {
		q.doc.faults.At(path+".nodes", "%s", err)
		return "its nodes are not known"
	}
	if len(names) == 0 {
		q.doc.missing(path, "nodes")
	}
	e.processors = whole(j.cpus, model.MaxProcessors, q.doc.faults, path+".cpus")
	if e.processors == 0 {
		q.doc.missing(path, "cpus")
	}
	e.nodes = len(names)
	counts, typed := genericOf(j.allocated)
	for _, text := range j.detail { // Slurm counts only those that its accounting follows
		for _, g := range gresOf(text) {
			if !strings.Contains(j.allocated, "gres/"+g.name) {
				counts[g.name] += float64(g.count)
			}
		}
	}
	e.generic = typed
	for name, n := range counts {
		e.generic[name] = n
	}
	of := q.shares(e, len(names))
	var unknown, closed bool
	most := map[int]int{} // processors by cluster
	for k, name := range names {
		h, known := q.sys.index[name]
		unknown, closed = unknown || !known, closed || known && h < 0
		if !known || h < 0 {
			continue
		}
		held := of(k, name)
		held.host = h
		e.holds = append(e.holds, held)
		c := q.sys.hosts[h].cluster
		if most[c] += held.cpus; len(e.holds) == 1 || most[c] > most[e.cluster] {
			e.cluster = c
		}
	}
	e.holds = slices.DeleteFunc(e.holds, func(h hold) bool { return q.sys.hosts[h.host].cluster != e.cluster || h.cpus == 0 })
	switch {
	case unknown:
		q.kept("the job runs on nodes that the nodes' file does not have: they are not counted")
	case closed:
		q.kept("the job runs on nodes without processors or partitions: they are not counted")
	}
	if len(e.holds) == 0 {
		return "the job runs on nodes that the instance is without: jobs that wait for it may start after its time limit"
	}
	return ""
}

// shares returns what the k-th of the nodes of a running job holds: by the detail of its allocation, or else an equal part.
func (q *queue) shares(e *entry, nodes int) func(k int, name string) hold {
	j := &q.doc.jobs[e.job]
	detail := map[string]share{}
	cpus, cores := 0.0, 0
	for _, s := range j.shares {
		detail[s.node] = s
		cpus += s.cpus.or(0)
		cores += s.cores
	}
	threads := 0 // of a core, where the detail counts cores
	if cpus == 0 && cores > 0 && e.processors%cores == 0 {
		threads = e.processors / cores
	}
	part := func(total float64, k int) int { // of the k-th of the nodes, in whole numbers whose sum is the total
		return int(total*float64(k+1)/float64(nodes)) - int(total*float64(k)/float64(nodes))
	}
	told := cpus > 0 || threads > 0
	if !told && nodes > 1 {
		q.kept("the file does not tell what the job holds on each of its nodes: equal parts are taken")
	}
	perCPU := 0.0
	if q.memory {
		perCPU = q.wantedMemory(e)
	}
	return func(k int, name string) hold {
		s, listed := detail[name]
		h := hold{cpus: part(float64(e.processors), k)}
		if told {
			h.cpus = int(min(s.cpus.or(float64(s.cores*threads)), model.MaxProcessors))
		}
		if q.memory {
			if h.memory = perCPU * float64(h.cpus); listed && s.memory.known {
				h.memory = s.memory.value
			} else if q.memoryByNode(j) {
				h.memory = j.memoryNode.value
			}
		}
		if len(j.detail) == nodes {
			h.gres = gresOf(j.detail[k])
			return h
		}
		for _, g := range gresOfTres(e.generic) {
			if g.count = part(float64(g.count), k); g.count > 0 {
				h.gres = append(h.gres, g)
			}
		}
		return h
	}
}

// gresOfTres are generic resources by name, and by name and type where the types are known for all of a name.
func gresOfTres(generic map[string]float64) []gres {
	var list []gres
	counts := countsOnly(generic)
	for name := range generic {
		if g := gresOf(name)[0]; g.kind != "" {
			g.count = int(min(generic[name], model.MaxProcessors))
			counts[g.name] -= generic[name]
			list = append(list, g)
		}
	}
	for name, n := range counts {
		if n > 0 {
			list = append(list, gres{name: name, count: int(min(n, model.MaxProcessors))})
		}
	}
	slices.SortFunc(list, func(a, b gres) int {
		if a.name != b.name {
			return cmp.Compare(a.name, b.name)
		}
		return cmp.Compare(a.kind, b.kind)
	})
	return list
}

// occupied is what running jobs hold of a node so far.
type occupied struct {
	cpus    int
	memory  float64
	amounts map[string]int      // by name of the resource
	devices map[string]*numbers // by name of the resource
}

// numbers are numbers of devices that are taken.
type numbers struct {
	taken map[int]bool
	below int // all below it are taken
}

// settle puts the running jobs on their nodes. Where the files say that together they hold more than a node has, the later ones hold what is left of it; a job for
// which nothing is left is bound to no nodes.
func (q *queue) settle() {
	nodes := map[int]*occupied{}
	for _, e := range q.list {
		if e.running {
			q.odd = q.odd[:0]
			q.occupy(e, nodes)
			q.count(e, q.odd)
		}
	}
	q.odd = q.odd[:0]
	slices.SortStableFunc(q.list, func(a, b *entry) int { // those that are bound come first
		rank := func(e *entry) int {
			switch {
			case e.run != nil:
				return 0
			case e.running:
				return 1
			}
			return 2
		}
		return rank(a) - rank(b)
	})
}

// occupy puts one running job on its nodes.
func (q *queue) occupy(e *entry, nodes map[int]*occupied) {
	run := &model.RunningSpec{Cluster: q.sys.clusters[e.cluster].name, Elapsed: max(0, q.now-q.doc.jobs[e.job].start.or(q.now))}
	less := false
	var processors []model.Range
	for k := range e.holds {
		h := &e.holds[k]
		host := &q.sys.hosts[h.host]
		o := nodes[h.host]
		if o == nil {
			o = &occupied{amounts: map[string]int{}, devices: map[string]*numbers{}}
			nodes[h.host] = o
		}
		if free := host.cpus - o.cpus; h.cpus > free {
			h.cpus, less = free, true
		}
		if h.cpus == 0 {
			continue
		}
		first := host.first + o.cpus
		processors = append(processors, model.Range{First: first, Last: first + h.cpus - 1})
		o.cpus += h.cpus
		e.memory = max(e.memory, perProcessor(h.memory, h.cpus))
		for _, g := range h.gres {
			q.take(run, o, host, g)
		}
	}
	for _, h := range e.holds {
		if host := &q.sys.hosts[h.host]; h.cpus > 0 && host.memory > 0 {
			if left := host.memory - nodes[h.host].memory; e.memory*float64(h.cpus) > left {
				e.memory = perProcessor(max(0, left), h.cpus)
				q.repaired("the jobs that run hold more memory than a node has: the last of them hold what is left")
			}
		}
	}
	for _, h := range e.holds {
		nodes[h.host].memory += e.memory * float64(h.cpus)
	}
	if e.memory < model.Smallest {
		e.memory = 0
	}
	switch {
	case len(processors) == 0:
		q.kept("the jobs that run hold more processors than their nodes have: this one is bound to no nodes, and may start later than at 0")
	case less:
		q.repaired("the jobs that run hold more processors than a node has: the last of them hold what is left")
	}
	if len(processors) > 0 {
		run.Processors = model.NewProcessorSet(processors...)
		e.processors, e.run = run.Processors.Len(), run
	}
}

// take lets a running job hold a generic resource of a node.
func (q *queue) take(run *model.RunningSpec, o *occupied, host *host, g gres) {
	names := []string{g.name}
	if q.sys.mixed[g.name] && g.kind != "" {
		names = append(names, typeName(g.name, g.kind))
	}
	for _, name := range names {
		free := host.resources[name] - o.amounts[name]
		if g.count > free {
			q.repaired("the jobs that run hold more generic resources than a node has: the last of them hold what is left")
		}
		n := min(g.count, free)
		if n <= 0 {
			continue
		}
		o.amounts[name] += n
		if run.Holds == nil {
			run.Holds = map[string]map[string]float64{}
		}
		if run.Holds[host.machine] == nil {
			run.Holds[host.machine] = map[string]float64{}
		}
		resource := lines.Name(name)
		run.Holds[host.machine][resource] += float64(n)
		if !q.sys.devices(name) || host.resources[name] > mostDevices {
			continue // more of them the instance refuses
		}
		if run.Devices == nil {
			run.Devices = model.DevicesHeld{}
		}
		if run.Devices[resource] == nil {
			run.Devices[resource] = map[string]model.ProcessorSet{}
		}
		set := slices.Concat(run.Devices[resource][host.machine], model.Processors(o.choose(name, n, host.resources[name], host.numbers(name, g, q.doc.faults.Budget()))...))
		run.Devices[resource][host.machine] = model.NewProcessorSet(set...)
	}
}

// mostDevices is the largest number of devices of a node that an instance takes.
const mostDevices = 1 << 16

// numbers are the devices of a resource of the instance that Slurm says that a job holds. Slurm numbers the devices of a name through, type by type.
func (h *host) numbers(name string, g gres, b *budget.Budget) (list []int) {
	texts, err := expandRanges("", g.numbers, b)
	if g.numbers == "" || err != nil {
		return nil
	}
	before := 0
	for _, t := range h.types {
		if t.name == g.name && t.kind == g.kind {
			break
		}
		if t.name == g.name && name != g.name {
			before += t.count
		}
	}
	for _, text := range texts {
		if n, err := strconv.Atoi(text); err == nil {
			list = append(list, n-before)
		}
	}
	return list
}

// choose takes n devices of all that there are: the wanted ones where they are free, else the first free ones.
func (o *occupied) choose(name string, n, all int, wanted []int) (list []int) {
	used := o.devices[name]
	if used == nil {
		used = &numbers{taken: map[int]bool{}}
		o.devices[name] = used
	}
	for _, d := range wanted {
		if len(list) < n && d >= 0 && d < all && !used.taken[d] {
			used.taken[d] = true
			list = append(list, d)
		}
	}
	for d := used.below; len(list) < n && d < all; d++ {
		if used.below = d + 1; !used.taken[d] {
			used.taken[d] = true
			list = append(list, d)
		}
	}
	return list
}
