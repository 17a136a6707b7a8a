package kubernetes

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// queue is the jobs on their way into an instance.
type queue struct {
	*Reader
	*objects
	past   history
	faults *lines.Faults
	report *model.ImportReport
	now    float64

	machines []machine
	running  []*unit
	waiting  []*unit
	ids      map[string]bool
	left     model.ImportReport // what waiting jobs ask for that the instance leaves out
	touched  int
	cordoned bool // a node is

	lowest     *float64             // priority of the jobs that run
	heldMiB    []map[string]float64 // of each node, by resource, each pod's part rounded up
	summed     map[string]bool      // quotas of several flavors that jobs claim together
	poolsFound map[string][]pool    // of each claim
}

// machine is a node with what its pods hold.
type machine struct {
	slots   int // pods that it may hold
	free    amounts
	held    amounts
	pods    int // that run
	devices map[string]int
}

// unit is a job: a pod, or pods that start together and ask for the same.
type unit struct {
	at, id    string
	gang      string // the group of pods; empty: none
	namespace string
	names     []string // by which a history knows it
	queue     string
	count     int
	spec      *podSpec
	set       string // of the pods of the workload
	work      *workload
	priority  float64
	created   float64
	stated    string  // the annotation of the run time
	limit     float64 // s; 0: none
	beside    []string
	node      int     // of a pod that runs
	elapsed   float64 // of a pod that runs
	gone      float64 // Unix time at which a pod that is being deleted has ended; 0: it is not
	claims    []claim
	flavors   []string // that give its nodes labels
	features  [][]string
}

// drop counts something that becomes no job.
func (q *queue) drop(reason, at string) {
	q.report.Read++
	q.report.Note(model.ImportDropped, reason, at)
}

// unique makes an id that no other job has.
func (q *queue) unique(id string) string {
	id = lines.Name(id)
	for k, base := 2, id; q.ids[id]; k++ {
		id = lines.Name(base[:min(len(base), model.MaxName-20)] + fmt.Sprintf("#%d", k))
	}
	q.ids[id] = true
	return id
}

// units makes the jobs.
func (q *queue) units() {
	for k := range q.nodes {
		q.machine(&q.nodes[k])
	}
	groups := map[string]*unit{}
	shapes := map[string]int{} // of each group
	pods := map[string]int{}   // of each group
	for k := range q.pods {
		p := &q.pods[k]
		p.beside = slices.Clone(p.beside)
		switch w := q.workloadOf(p); {
		case p.phase == "Succeeded" || p.phase == "Failed":
			q.drop("the pod has ended", p.at)
		case p.mirror || p.ownerKind == "DaemonSet" || p.ownerKind == "Node":
			q.fixed(p)
		case p.node != "":
			if w != nil {
				w.pods++
			}
			q.runs(p, w)
		case w != nil && !w.reserved:
			w.pods++ // the workload stands for it
		default:
			if w != nil {
				w.pods++
			}
			pods[p.gang(false)]++
			q.waits(p, w, groups, shapes)
		}
	}
	for _, u := range q.waiting {
		if least := q.leastPods[u.gang]; least > 0 && least < pods[u.gang] {
			u.beside = append(u.beside, fewerPods)
		}
	}
	for _, w := range q.workloads {
		q.admission(w)
	}
	for _, j := range q.suspended {
		if q.workloadByOwner[j.namespace+"/Job/"+j.name] == nil {
			q.drop("the Job is suspended and no Workload of the files stands for it: it starts only when somebody resumes it", j.at)
		}
	}
}

// machine makes room for the pods of a node.
func (q *queue) machine(n *node) {
	const usual, most = 110, 1 << 16 // the kubelet's default, and more than any node holds
	m := machine{slots: usual, free: amounts{}, held: amounts{}, devices: map[string]int{}}
	if n.statesPods {
		m.slots = int(min(n.allocatable["pods"], most))
	}
	for name, amount := range n.allocatable {
		if name != "pods" {
			m.free[name] = amount
		}
	}
	q.cordoned = q.cordoned || n.closed == isCordoned
	if n.closed != "" {
		q.report.Note(model.ImportKept, "node that "+n.closed+": it is closed, and its pods run on", n.at)
	}
	if n.avoided {
		q.report.Note(model.ImportKept, "node with a taint that only prefers other nodes (PreferNoSchedule): pods run there as elsewhere", n.at)
	}
	q.machines = append(q.machines, m)
}

// fixed takes what a pod holds from its node.
func (q *queue) fixed(p *pod) {
	k, known := q.nodeIndex[p.node]
	switch {
	case p.node == "":
		q.drop("pod of a DaemonSet that waits for its own node", p.at)
		return
	case !known:
		q.drop("the pod's node is not in the files", p.at)
		return
	}
	q.drop("pod of a DaemonSet or of the kubelet: what it asks for is taken from its node", p.at)
	m := &q.machines[k]
	m.slots--
	if !m.free.less(p.needs) {
		q.report.Note(model.ImportRepaired, "pods of DaemonSets and of the kubelet ask for more than their node has: nothing of it is left", p.at)
	}
}

// runs takes a pod that has a node.
func (q *queue) runs(p *pod, w *workload) {
	k, known := q.nodeIndex[p.node]
	if !known {
		q.drop("the pod's node is not in the files", p.at)
		return
	}
	u := q.ofPod(p, w)
	u.node, u.gone, u.id = k, p.deleted, q.unique(p.id())
	if p.started > 0 {
		u.elapsed = max(0, q.now-p.started)
	}
	q.report.Read++
	m := &q.machines[k]
	m.pods++
	m.held.plus(p.needs)
	if p.deleted > 0 {
		q.report.Note(model.ImportKept, "the pod is being deleted: it ends by the end of its grace period", p.at)
	}
	q.running = append(q.running, u)
}

// ofPod is a job of one pod.
func (q *queue) ofPod(p *pod, w *workload) *unit {
	u := &unit{
		at: p.at, namespace: p.namespace, count: 1, spec: &p.podSpec, work: w, created: p.since(), stated: p.annotations[q.annotation], limit: p.deadline, beside: p.beside,
		names: []string{p.labels[jobSetLabel], p.owner, p.name}, priority: q.priorityOf(&p.podSpec), queue: p.labels["kueue.x-k8s.io/queue-name"],
		set: p.labels["kueue.x-k8s.io/podset"],
	}
	if j := q.jobs[p.namespace+"/"+p.owner]; p.ownerKind == "Job" && j != nil {
		u.limit = sooner(u.limit, j.deadline)
		u.stated = cmp.Or(u.stated, j.annotations[q.annotation])
		if j.owner != "" {
			u.names = append([]string{j.owner}, u.names...)
		}
	}
	if w != nil {
		u.queue = cmp.Or(w.queue, u.queue)
		u.limit = sooner(u.limit, w.limit)
		u.stated = cmp.Or(u.stated, w.annotations[q.annotation])
		u.names = append([]string{w.owner}, u.names...)
		if w.given || w.class != "" {
			u.priority = q.priorityOfWorkload(w)
		}
	}
	return u
}

// sooner is the shorter of two limits, of which 0 is none.
func sooner(a, b float64) float64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// priorityOf is the priority of a pod.
func (q *queue) priorityOf(s *podSpec) float64 {
	if s.prioritised {
		return s.priority
	}
	return q.priorities[s.className]
}

// priorityOfWorkload is the priority of a workload.
func (q *queue) priorityOfWorkload(w *workload) float64 {
	if w.given {
		return w.priority
	}
	return q.priorities[w.class]
}

// waits takes a pod without a node. Pods of a group that ask for the same are one job.
func (q *queue) waits(p *pod, w *workload, groups map[string]*unit, shapes map[string]int) {
	switch {
	case p.deleted > 0:
		q.drop("the pod waits and is being deleted", p.at)
		return
	case p.gated && w == nil:
		q.drop("the pod has scheduling gates and no Workload of the files stands for it: it starts only when somebody removes them", p.at)
		return
	}
	u := q.ofPod(p, w)
	gang := p.gang(q.Gangs == "jobs")
	if w != nil {
		gang = w.id()
	}
	if gang == "" {
		u.id = q.unique(p.id())
		q.report.Read++
		q.waiting = append(q.waiting, u)
		return
	}
	shape := fmt.Sprint(gang, "\x00", p.needs, p.selector, p.terms, p.tolerations, u.priority, u.stated, u.limit, u.set)
	if first := groups[shape]; first != nil {
		first.count++
		first.created = min(first.created, u.created)
		for _, what := range u.beside {
			if !slices.Contains(first.beside, what) {
				first.beside = append(first.beside, what)
			}
		}
		return
	}
	if shapes[gang]++; shapes[gang] > 1 {
		u.beside = append(u.beside, partOfGang)
	}
	_, name, _ := strings.Cut(gang, "/") // neither has a stroke
	u.names = append([]string{name}, u.names...)
	u.id, u.gang = q.unique(gang), gang
	groups[shape] = u
	q.report.Read++
	q.waiting = append(q.waiting, u)
}

// fewerPods is what is odd about a gang that need not be whole.
const fewerPods = "a gang that may start with fewer pods: here all start together"

// partOfGang is what is odd about pods that start with others and ask for something else.
const partOfGang = "pods of one group that ask for different things: each kind is a job of its own, and they need not start together"

// admission takes a workload that waits, or that has its quota and none of its pods is in the files.
func (q *queue) admission(w *workload) {
	if w.finished {
		q.drop("the Workload has ended", w.at)
		return
	}
	if w.reserved && w.pods > 0 {
		return // its pods are in the files
	}
	if local := q.localQueues[w.namespace+"/"+w.queue]; !w.reserved {
		stopped := local != nil && (local.stopped || q.clusterQueues[local.clusterQueue] != nil && q.clusterQueues[local.clusterQueue].stopped)
		switch {
		case w.inactive:
			q.drop("the Workload is not active: it starts only when somebody acts", w.at)
			return
		case stopped:
			q.drop("the Workload's queue is stopped: it starts only when somebody acts", w.at)
			return
		}
	} else {
		q.report.Note(model.ImportKept, "Workload that has its quota, but none of its pods is in the files: it waits for nodes", w.at)
	}
	if w.topology {
		defer func(from int) {
			for _, u := range q.waiting[from:] {
				u.beside = append(u.beside, "nodes that are close to each other (topology request): it runs on any")
			}
		}(len(q.waiting))
	}
	met := map[string]*unit{}
	for k := range w.sets {
		set := &w.sets[k]
		if set.count == 0 {
			continue
		}
		shape := fmt.Sprint(set.spec.needs, set.spec.selector, set.spec.terms, set.spec.tolerations, set.runtime, w.flavors[set.name])
		if u := met[shape]; u != nil {
			u.count += set.count
			continue
		}
		u := &unit{
			at: w.at, namespace: w.namespace, count: set.count, spec: &set.spec, set: set.name, work: w, created: w.since(), stated: cmp.Or(set.runtime, w.annotations[q.annotation]),
			limit: sooner(set.spec.deadline, w.limit), beside: slices.Clone(set.spec.beside), names: []string{w.owner, w.name}, priority: q.priorityOfWorkload(w), queue: w.queue,
		}
		if !w.given && w.class == "" {
			u.priority = q.priorityOf(&set.spec)
		}
		if len(met) > 0 {
			u.beside = append(u.beside, partOfGang)
		}
		u.id = q.unique(w.id())
		met[shape] = u
		q.report.Read++
		q.waiting = append(q.waiting, u)
	}
	if len(met) == 0 {
		q.drop("the Workload has no pods", w.at)
	}
}

// hash is a short name of a long text.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // it takes everything
	return h.Sum64()
}
