package slurm

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

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

// fewestNodes is the number of nodes that a job asks for at least.
func (q *queue) fewestNodes(e *entry) int {
	j := &q.doc.jobs[e.job]
	if n, err := lines.Whole(tresOf(j.requested)["node"], 1); err == nil {
		return min(n, maxHosts) // node_count may be what Slurm expects
	}
	return max(1, whole(j.nodes, maxHosts, q.doc.faults, at("jobs", e.job)+".node_count"))
}

// lie finds how a waiting job lies on nodes, and says why no nodes in service have room for it; empty: some have.
func (q *queue) lie(e *entry) string {
	j := &q.doc.jobs[e.job]
	l := &layout{place: e.place}
	l.exclusive = hasWord(j.sharing, "none") || hasWord(j.sharing, "true") || slices.ContainsFunc(e.place.parts, func(p *part) bool { return p.exclusive })
	nodes := q.fewestNodes(e)
	most := int(min(j.mostNodes.or(0), maxHosts))
	for _, p := range e.place.parts {
		if p.nodes > 0 && (most == 0 || p.nodes < most) {
			most = p.nodes
		}
	}
	if nodes > e.processors {
		e.processors = nodes
		q.repaired("the job asks for more nodes than processors: it takes a processor of each")
	}
	types := q.wants(e, nodes)
	q.divide(e, l, nodes, most)
	constraint := j.features
	if constraint == "(null)" {
		constraint = ""
	}
	q.ask(l, types, constraint, q.note)
	q.certainNodes(e, l)
	if j.reservation != "" {
		switch {
		case q.reservations[j.reservation]:
			l.reservation = lines.Name(j.reservation)
		case q.sys.planned:
			q.outside("the job belongs to a reservation whose nodes the instance does not have: it runs on any")
		default:
			q.outside("the job belongs to a reservation, of which no file says where and when it is: it runs on any nodes")
		}
	}
	q.staysOut(j)
	if q.memory {
		if memory := q.wantedMemory(e); memory > 0 {
			if l.memory = perProcessor(memory, 1); q.memoryByNode(j) { // then each block has a node
				l.memory = perProcessor(j.memoryNode.value, l.block)
			}
		}
	}
	if !q.hasRoom(l) {
		return "asks for more than the nodes in service of its partition have"
	}
	e.processors = l.block * l.blocks
	e.nodes = max(1, l.machines.Min)
	if l.perMachine > 0 {
		e.nodes = l.blocks
	}
	e.layout = q.share(l)
	return ""
}

// wants finds the generic resources of all nodes of a waiting job, by name and by name and type, and returns the types that are features of nodes.
func (q *queue) wants(e *entry, nodes int) (types []string) {
	j := &q.doc.jobs[e.job]
	counts, typed := genericOf(j.requested)
	if len(counts) == 0 {
		for _, part := range []struct {
			text  string
			times float64
		}{{j.perNode, float64(nodes)}, {j.perTaskGres, max(1, j.tasks.or(math.Floor(float64(e.processors)/max(1, j.perTask.or(1)))))}, {j.perJob, 1}} {
			for _, g := range gresOf(part.text) {
				counts[g.name] += float64(g.count) * part.times
				if g.kind != "" {
					typed[g.name+":"+g.kind] += float64(g.count) * part.times
				}
			}
		}
	}
	for _, text := range []string{j.perNode, j.perTaskGres, j.perJob, j.perSocket} { // some versions state a type here only
		for _, g := range gresOf(text) {
			if kind := g.name + ":" + g.kind; g.kind != "" && typed[kind] == 0 && counts[g.name] > 0 {
				typed[kind] = counts[g.name]
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if !q.anyKind(e.place, func(k *kind) bool { return k.host.resources[name] > 0 }) {
			q.outside("the job asks for generic resources that no node of its partition counts: they are left out")
			delete(counts, name)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(typed)) {
		if name, _, _ := strings.Cut(kind, ":"); counts[name] > 0 && typed[kind] > 0 && !q.sys.mixes(kind) {
			types = append(types, kind)
		}
	}
	e.generic = maps.Clone(typed)
	maps.Copy(e.generic, counts)
	return types
}

// divide finds the blocks of a waiting job: tasks, equal parts of nodes, or all of it where it is on one node.
func (q *queue) divide(e *entry, l *layout, nodes, most int) {
	j := &q.doc.jobs[e.job]
	task := whole(j.perTask, model.MaxProcessors, q.doc.faults, at("jobs", e.job)+".cpus_per_task")
	if n := int(min(j.tasks.or(0), model.MaxProcessors)); task == 0 && n > 0 && e.processors%n == 0 {
		task = e.processors / n // up to 22.05 the file does not tell the processors of a task
	}
	task = min(max(task, 1), e.processors)
	onEach := few(j.tasksPerNode)
	tasks := max(1, e.processors/task)
	byName := q.sys.byType(countsOnly(e.generic), e.generic)
	text := func(parts int) string {
		each := map[string]float64{}
		even := true
		for name, n := range byName {
			each[name] = math.Ceil(n / float64(parts))
			even = even && each[name]*float64(parts) == n
		}
		if !even {
			q.note(model.ImportRepaired, true, uneven)
		}
		return amountsText(each)
	}
	if few(j.tasksOfGres) > 0 || j.perSocket != "" {
		q.outside("the job asks for generic resources by socket, or for tasks of each: they lie in equal parts")
	}
	switch {
	case nodes == 1 && (tasks == 1 || most == 1 || j.tasks.or(0) == 1): // all on one node
		l.block, l.blocks, l.generic = e.processors, 1, text(1)
	case onEach > 0 || j.perNode != "" || q.memoryByNode(j) || len(byName) > 0 && j.perTaskGres == "" && j.perJob == "":
		if onEach > 0 {
			nodes = max(nodes, (tasks+onEach-1)/onEach)
		}
		nodes = min(max(nodes, (e.processors+e.place.widest-1)/max(e.place.widest, 1)), tasks)
		l.block, l.blocks, l.generic = (tasks+nodes-1)/nodes*task, nodes, text(nodes)
		if l.block*nodes != e.processors && !l.exclusive {
			q.note(model.ImportRepaired, true, uneven)
		}
		if nodes > 1 {
			l.perMachine = 1
		}
	default:
		if len(byName) > 0 && j.perTaskGres == "" { // of all the job: as many equal blocks as there can be
			parts := tasks
			for _, n := range byName {
				parts = gcd(parts, int(min(n, model.MaxProcessors)))
			}
			task, tasks = task*(tasks/parts), parts
		}
		if task*tasks != e.processors {
			task, tasks = 1, e.processors
			q.outside("processors that are no whole number of tasks: they lie on any nodes")
		}
		l.block, l.blocks, l.generic = task, tasks, text(tasks)
		if least := min(nodes, tasks); least > 1 || most > 0 && most < tasks {
			l.machines = model.Moldable(least, tasks)
			if most > 0 {
				l.machines.Max = min(max(most, least), tasks)
			}
		}
	}
	if least := int(min(j.leastCPUs.or(0), model.MaxProcessors)); least > 1 && least > l.block*max(l.perMachine, 1) && least > task {
		q.outside("the job asks for a number of processors at least on each node: an instance cannot express this")
	}
}

// few is a number that Slurm keeps in 16 bits, where the two largest say that there is none.
func few(n number) int {
	const none = 1<<16 - 2
	if x := n.or(0); x < none {
		return int(x)
	}
	return 0
}

// uneven is told of jobs whose parts are rounded up.
const uneven = "processors or generic resources that do not divide evenly among its nodes: the part of each node is rounded up"

// countsOnly are the generic resources by name without those by type.
func countsOnly(generic map[string]float64) map[string]float64 {
	counts := map[string]float64{}
	for name, n := range generic {
		if !strings.Contains(name, ":") {
			counts[name] = n
		}
	}
	return counts
}

// gcd is the greatest common divisor of two numbers of at least 1.
func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return max(a, 1)
}

// wantedMemory is the memory of a processor of a job, in MB; 0: none is stated.
func (q *queue) wantedMemory(e *entry) float64 {
	j := &q.doc.jobs[e.job]
	cpus := max(j.cpus.or(1), 1)
	switch total := memoryOf(cmp.Or(j.allocated, j.requested)); {
	case j.memoryCPU.or(0) > 0:
		return j.memoryCPU.value
	case q.memoryByNode(j):
		nodes := e.nodes
		if nodes == 0 {
			nodes = q.fewestNodes(e)
		}
		return j.memoryNode.value / math.Ceil(cpus/float64(nodes))
	default:
		return total / cpus
	}
}

// memoryByNode says whether a job asks for memory of each node.
func (q *queue) memoryByNode(j *job) bool { return j.memoryNode.or(0) > 0 && j.memoryCPU.or(0) == 0 }

// certainNodes adds the features by which a job asks for certain nodes, or excludes some.
func (q *queue) certainNodes(e *entry, l *layout) {
	j := &q.doc.jobs[e.job]
	add := func(feature string) {
		if l.features != "" {
			l.features += "&"
		}
		l.features += feature
	}
	if j.mustAvoid != "" {
		add(withoutNodes(j.mustAvoid))
	}
	if j.mustUse == "" {
		return
	}
	hosts, _ := expandHosts(j.mustUse, q.doc.faults.Budget()) // nameNodes has listed an error
	most := l.machines.Max                                    // nodes of the job; 0: any number
	switch {
	case l.perMachine > 0:
		most = l.blocks
	case l.blocks == 1:
		most = 1
	}
	any := l.features
	if add(onlyNodes(j.mustUse)); most > 0 && most <= len(hosts) {
		return
	}
	if q.hasRoom(l) {
		q.outside("the job asks for certain nodes, and may run on others beside them: it runs on those only")
		return
	}
	l.features = any
	q.outside("the job asks for certain nodes, and others beside them: it runs on any")
}

// onlyNodes and withoutNodes are the features of the nodes of a list, and of the other nodes.
func onlyNodes(list string) string    { return featureName("nodes " + list) }
func withoutNodes(list string) string { return featureName("without " + list) }

// nameNodes gives nodes the features by which waiting jobs ask for them.
func (q *queue) nameNodes() {
	named := map[string]bool{}
	for k := range q.doc.jobs {
		j := &q.doc.jobs[k]
		if stateOf(j.states) != pending {
			continue
		}
		for _, ask := range []struct {
			list, field, feature string
			of                   bool // the nodes of the list have it
		}{{j.mustUse, ".required_nodes", onlyNodes(j.mustUse), true}, {j.mustAvoid, ".excluded_nodes", withoutNodes(j.mustAvoid), false}} {
			if ask.list == "" || named[ask.feature] {
				continue
			}
			named[ask.feature] = true
			hosts, err := expandHosts(ask.list, q.doc.faults.Budget())
			if err == nil { // each node may get the feature
				err = q.doc.faults.Budget().Names(len(q.sys.hosts))
			}
			if err != nil {
				q.doc.faults.At(at("jobs", k)+ask.field, "%s", err)
				return
			}
			in := map[int]bool{}
			for _, name := range hosts {
				if h, known := q.sys.index[name]; known && h >= 0 {
					in[h] = true
				}
			}
			for h := range q.sys.hosts {
				if in[h] == ask.of {
					q.named[h] = append(q.named[h], ask.feature)
				}
			}
		}
	}
}

// noThreads is the number of threads kept for the system that says that none are.
const noThreads = 1<<15 - 2

// staysOut notes what a job asks for that an instance cannot express.
func (q *queue) staysOut(j *job) {
	for _, note := range []struct {
		asked bool
		what  string
	}{
		{j.het.or(0) > 0, "the job is a part of a heterogeneous job, whose parts start together: each counts as a job of its own"},
		{j.contiguous, "the job asks for consecutive nodes: it runs on any"},
		{hasWord(j.sharing, "user") || hasWord(j.sharing, "mcs") || hasWord(j.sharing, "topo"), "the job shares its nodes with certain jobs only: it shares them with any"},
		{few(j.tasksPerCore) > 0 || few(j.tasksPerSock) > 0 || few(j.coresPerSock) > 0 || few(j.threadsOfCore) > 0 || few(j.socketsOfNode) > 0,
			"the job asks for a layout of sockets, cores or threads: it runs on any processors of a node"},
		{few(j.coresKept) > 0 || few(j.threadsKept) > 0 && j.threadsKept.value < noThreads, "the job leaves cores of its nodes to the system: they count as free for others"},
		{j.disk.or(0) > 0, "the job asks for a local disk of a size at least: it runs on any nodes"},
		{j.burst != "" && j.burst != "(null)", "the job asks for a burst buffer: it does not wait for one"},
		{j.switches.or(0) > 0 || few(j.segment) > 0, "the job asks for nodes that are close to each other: it runs on any"},
		{j.prefers != "" && j.prefers != "(null)", "the job prefers nodes with certain features: it runs on any that it may use"},
		{j.boots, "the job has its nodes booted first: it starts without"},
		{slices.ContainsFunc(j.priorities, func(n number) bool { return n.or(0) != j.priorities[0].or(0) }), "the job has another priority in each of its partitions: one of them counts"},
		{strings.Contains(j.requested, "gres/shard") || strings.Contains(j.requested, "gres/mps"), "the job asks for shares of GPUs: they are a resource beside the whole GPUs"},
	} {
		if note.asked {
			q.outside(note.what)
		}
	}
	parts := q.placeOf(j.partition, "").parts
	for _, p := range parts {
		if p.few {
			q.outside("partition with a limit of processors on each node (MaxCPUsPerNode, MaxCPUsPerSocket): an instance cannot express this")
			break
		}
	}
	if slices.ContainsFunc(parts, func(p *part) bool { return p.shares }) {
		q.outside("partition whose jobs may share processors (OverSubscribe): here each has its own")
	}
	q.qos[j.qos]++
}
