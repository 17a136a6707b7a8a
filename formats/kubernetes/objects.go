package kubernetes

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// meta is what every object says of itself.
type meta struct {
	at              string // its path, for reports
	namespace, name string
	created         float64 // Unix time, as are the others
	deleted         float64
	ownerKind       string // of the controller that owns it
	owner           string
	labels          map[string]string
	annotations     map[string]string
}

// id names an object of a namespace.
func (m *meta) id() string { return m.namespace + "/" + m.name }

// since is when an object was created: of one that has not been yet, as in a manifest, after all others.
func (m *meta) since() float64 {
	if m.created == 0 {
		return math.Inf(1)
	}
	return m.created
}

// where is the path of a value, with the file where there are several.
func (o *objects) where(x field) string {
	if o.several {
		return o.file + ": " + x.p.String()
	}
	return x.p.String()
}

// readMeta reads what an object says of itself.
func (o *objects) readMeta(x field, namespaced bool) meta {
	data := x.get("metadata").required()
	m := meta{
		at: o.where(x), name: data.get("name").required().name(), created: data.get("creationTimestamp").time(), deleted: data.get("deletionTimestamp").time(),
		labels: data.get("labels").texts(), annotations: data.get("annotations").texts(),
	}
	if namespaced {
		m.namespace = cmp.Or(data.get("namespace").str(), "default")
	}
	for _, owner := range data.get("ownerReferences").elements() {
		kind, name, controls := owner.get("kind").str(), owner.get("name").str(), owner.get("controller").yes()
		if controls || m.owner == "" {
			m.ownerKind, m.owner = kind, name
		}
	}
	o.latest = max(o.latest, m.created)
	return m
}

// node is a node.
type node struct {
	meta
	allocatable amounts
	statesPods  bool    // how many it may hold, which may be none
	taints      []taint // that keep pods off, but for those of closed nodes
	avoided     bool    // it has taints that only ask pods to go elsewhere
	closed      string  // why it takes no new pods; empty: it does
}

// taint keeps pods off a node that do not tolerate it.
type taint struct{ key, value, effect string }

func (t taint) String() string {
	if t.value == "" {
		return t.key + ":" + t.effect
	}
	return t.key + "=" + t.value + ":" + t.effect
}

// isCordoned is why a cordoned node takes no new pods.
const isCordoned = "is unschedulable (cordoned)"

// closingTaints are taints of nodes that take no pods, which Kubernetes sets itself.
var closingTaints = []string{cordon.key, "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}

// readTaints reads the taints that keep pods off.
func readTaints(x field) []taint {
	var list []taint
	for _, y := range x.elements() {
		t := taint{y.get("key").required().str(), y.get("value").str(), y.get("effect").required().str()}
		if t.effect == "NoSchedule" || t.effect == "NoExecute" {
			list = append(list, t)
		}
	}
	return list
}

// node reads a node.
func (o *objects) node(x field) {
	n := node{meta: o.readMeta(x, false), allocatable: x.at("status", "allocatable").required().resourceAmounts(), statesPods: x.at("status", "allocatable", "pods").given()}
	if x.at("spec", "unschedulable").yes() {
		n.closed = isCordoned
	}
	for _, c := range x.at("status", "conditions").elements() {
		o.latest = max(o.latest, c.get("lastHeartbeatTime").time(), c.get("lastTransitionTime").time())
		if c.get("type").str() == "Ready" && c.get("status").str() != "True" {
			n.closed = "is not ready"
		}
	}
	for _, t := range readTaints(x.at("spec", "taints")) {
		if slices.Contains(closingTaints, t.key) {
			n.closed = cmp.Or(n.closed, "has the taint "+t.String())
			continue
		}
		n.taints = append(n.taints, t)
	}
	for _, y := range x.at("spec", "taints").elements() {
		n.avoided = n.avoided || y.get("effect").str() == "PreferNoSchedule"
	}
	if again, known := o.nodeIndex[n.name]; known {
		x.at("metadata", "name").fault("expected each node once, found %q again, which is at %s too", n.name, o.nodes[again].at)
		return
	}
	o.nodeIndex[n.name] = len(o.nodes)
	o.nodes = append(o.nodes, n)
}

// pod is a pod, or the template of one.
type pod struct {
	meta
	podSpec
	phase   string
	node    string
	started float64
	ended   float64
	gated   bool // it has scheduling gates
	mirror  bool // the kubelet runs it, whatever the scheduler says
}

// pod reads a pod.
func (o *objects) pod(x field) {
	p := pod{
		meta: o.readMeta(x, true), podSpec: readPodSpec(x.get("spec").required()), phase: x.at("status", "phase").str(), node: x.at("spec", "nodeName").str(),
		started: x.at("status", "startTime").time(), gated: len(x.at("spec", "schedulingGates").elements()) > 0,
	}
	if x.at("status", "nominatedNodeName").str() != "" {
		p.beside = append(p.beside, "Kubernetes makes room for it on a node that it is to run on: it may start earlier")
	}
	_, p.mirror = p.annotations["kubernetes.io/config.mirror"]
	for _, c := range x.at("status", "containerStatuses").elements() {
		p.ended = max(p.ended, c.at("state", "terminated", "finishedAt").time())
	}
	for _, c := range x.at("status", "conditions").elements() {
		o.latest = max(o.latest, c.get("lastTransitionTime").time())
	}
	if o.podIndex[p.id()] {
		x.at("metadata", "name").fault("expected each pod once, found %q of namespace %q again", p.name, p.namespace)
		return
	}
	o.podIndex[p.id()] = true
	o.latest = max(o.latest, p.started, p.ended)
	o.pods = append(o.pods, p)
}

// podSpec is what a pod asks for.
type podSpec struct {
	needs       amounts
	selector    map[string]string
	terms       []term // of required node affinity: one of them holds; none: any node
	tolerations []toleration
	priority    float64
	className   string // of its priority
	prioritised bool   // it states a priority
	deadline    float64
	never       bool     // it preempts nobody
	beside      []string // what it asks for that an instance cannot express
}

// toleration lets a pod run on nodes with taints.
type toleration struct {
	key, value, effect string
	exists             bool // any value
}

// tolerates says whether the toleration is for the taint.
func (t toleration) tolerates(x taint) bool {
	switch {
	case t.effect != "" && t.effect != x.effect:
		return false
	case t.key == "":
		return t.exists
	}
	return t.key == x.key && (t.exists || t.value == x.value)
}

// readTolerations reads tolerations.
func readTolerations(x field) []toleration {
	var list []toleration
	for _, y := range x.elements() {
		operator := y.get("operator")
		t := toleration{y.get("key").str(), y.get("value").str(), y.get("effect").str(), operator.str() == "Exists"}
		if word := operator.str(); word != "" && word != "Exists" && word != "Equal" {
			continue // Lt and Gt compare values: taken as not tolerated, so that no pod starts where it may not, and counted
		}
		list = append(list, t)
	}
	return list
}

// readPodSpec reads what a pod asks for.
func readPodSpec(x field) podSpec {
	s := podSpec{
		needs: readNeeds(x), selector: x.get("nodeSelector").texts(), tolerations: readTolerations(x.get("tolerations")),
		className: x.get("priorityClassName").str(), never: x.get("preemptionPolicy").str() == "Never",
	}
	const most = 1 << 31
	s.priority, s.prioritised = x.get("priority").whole(-most, most)
	s.deadline, _ = x.get("activeDeadlineSeconds").whole(0, 1e12)
	affinity := x.get("affinity")
	if required := affinity.at("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"); required.given() {
		terms := required.get("nodeSelectorTerms").required()
		for _, y := range terms.elements() {
			s.terms = append(s.terms, readTerm(y))
		}
		if terms.given() && len(s.terms) == 0 {
			terms.fault("expected at least one term, found none")
		}
	}
	s.circumstances(x, affinity)
	return s
}

// circumstances notes what a pod asks for that an instance cannot express.
func (s *podSpec) circumstances(x, affinity field) {
	out := func(when bool, what string) {
		if when {
			s.beside = append(s.beside, what)
		}
	}
	some := func(y field) bool { return len(y.elements()) > 0 }
	hard, soft := false, false
	for _, y := range x.get("topologySpreadConstraints").elements() {
		if y.get("whenUnsatisfiable").str() == "ScheduleAnyway" {
			soft = true
		} else {
			hard = true
		}
	}
	out(hard, "topology spread that is required: the pod may have to wait for another node")
	out(soft, "topology spread that is preferred: the pod may go to another node")
	const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
	for _, kind := range []struct{ name, words string }{{"podAffinity", "affinity to other pods"}, {"podAntiAffinity", "anti-affinity to other pods"}} {
		out(some(affinity.at(kind.name, required)), kind.words+" that is required: the pod may have to wait for another node")
		out(some(affinity.at(kind.name, preferred)), kind.words+" that is preferred: the pod may go to another node")
	}
	compares := false
	for _, y := range x.get("tolerations").elements() {
		word := y.get("operator").str()
		compares = compares || word == "Lt" || word == "Gt"
	}
	out(compares, "tolerations that compare values, which are passed over: the pod may run on more nodes")
	out(some(affinity.at("nodeAffinity", preferred)), "preferred node affinity: the pod may go to another node")
	claims := false
	for _, y := range x.get("volumes").elements() {
		claims = claims || y.get("persistentVolumeClaim").given() || y.get("ephemeral").given()
	}
	out(claims, "claims of volumes, which may bind the pod to some nodes")
	out(x.get("workloadRef").given(), "a gang by a Workload of scheduling.k8s.io, which is not read: the pods start one by one")
	out(some(x.get("resourceClaims")), "claims of devices (dynamic resource allocation), which are not counted")
	ports, host := false, x.get("hostNetwork").yes() // then each port is one of the node
	for _, list := range []string{"containers", "initContainers"} {
		for _, c := range x.get(list).elements() {
			for _, y := range c.get("ports").elements() {
				ports = ports || y.get("hostPort").given() || host
			}
		}
	}
	out(ports, "a port of the node, which only one pod may have there")
	name := x.get("schedulerName").str()
	out(name != "" && name != "default-scheduler", "another scheduler than the default one, whose rules are not known")
}

// readNeeds is what a pod takes of its node: the sum over its containers and sidecars, or what an init container and the sidecars before it take if that is
// more; and its overhead. See https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers.
func readNeeds(x field) amounts {
	sum, sidecars, first := amounts{}, amounts{}, amounts{}
	for _, c := range x.get("initContainers").elements() {
		needs := requested(c.get("resources"))
		if c.get("restartPolicy").str() == "Always" {
			sidecars.plus(needs)
			needs = amounts{}
		}
		needs.plus(sidecars)
		first.atLeast(needs)
	}
	stating, containers := map[string]int{}, x.get("containers").elements()
	for _, c := range containers {
		needs := requested(c.get("resources"))
		for name := range needs {
			stating[name]++
		}
		sum.plus(needs)
	}
	sum.plus(sidecars)
	sum.atLeast(first)
	whole := x.get("resources") // of the pod; its limit counts as a request where one of the containers states none
	for name, n := range whole.get("limits").resourceAmounts() {
		if stating[name] < len(containers) {
			sum[name] = n
		}
	}
	for name, n := range whole.get("requests").resourceAmounts() {
		sum[name] = n
	}
	sum.plus(x.get("overhead").resourceAmounts())
	return sum
}

// requested is what resources ask for: the requests, and where there is none of a resource its limit.
func requested(x field) amounts {
	needs, stated := x.get("requests").resourceAmounts(), map[string]bool{}
	x.get("requests").members(func(name string, _ field) { stated[name] = true })
	for name, n := range x.get("limits").resourceAmounts() {
		if !stated[name] {
			needs[name] = n
		}
	}
	return needs
}

// batchJob is a Job of batch/v1.
type batchJob struct {
	meta
	deadline  float64
	started   float64
	ended     float64
	open      int // pods that are still to end well
	suspended bool
}

// job reads a Job of batch/v1.
func (o *objects) job(x field) {
	j := batchJob{meta: o.readMeta(x, true), started: x.at("status", "startTime").time(), ended: x.at("status", "completionTime").time()}
	j.deadline, _ = x.at("spec", "activeDeadlineSeconds").whole(0, 1e12)
	j.open = openPods(x)
	o.latest = max(o.latest, j.started, j.ended)
	if o.jobs[j.id()] != nil {
		x.at("metadata", "name").fault("expected each Job once, found %q of namespace %q again", j.name, j.namespace)
		return
	}
	o.jobs[j.id()] = &j
	if j.suspended = x.at("spec", "suspend").yes(); j.suspended {
		o.suspended = append(o.suspended, &j)
	}
}

// podGroup reads a PodGroup of the scheduler plugins or of Volcano.
func (o *objects) podGroup(x field) {
	m := o.readMeta(x, true)
	least, _ := x.at("spec", "minMember").whole(0, maxPods)
	o.leastPods[m.id()] = int(least)
}

// gangLabels are labels and annotations by which a pod says of which group it is.
var gangLabels = []string{
	"scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io", "pod-group.scheduling.sigs.k8s.io/name", "scheduling.k8s.io/group-name",
	"scheduling.volcano.sh/group-name", "kueue.x-k8s.io/pod-group-name",
}

const jobSetLabel = "jobset.sigs.k8s.io/jobset-name"

// gang is the group of pods that start together to which the pod belongs; empty: none.
func (p *pod) gang(jobs bool) string {
	for _, name := range gangLabels {
		for _, in := range []map[string]string{p.labels, p.annotations} {
			if in[name] != "" {
				return p.namespace + "/" + in[name]
			}
		}
	}
	switch {
	case !jobs:
	case p.labels[jobSetLabel] != "":
		return p.namespace + "/" + p.labels[jobSetLabel]
	case p.ownerKind == "Job":
		return p.namespace + "/" + p.owner
	}
	return ""
}

// family is the name by which runs of the same work are known: the name of the owner, or else of the object, without what tells one run from another.
func family(name string) string {
	for range 2 {
		cut := strings.LastIndexByte(name, '-')
		if cut <= 0 || !drawn(name[cut+1:]) {
			break
		}
		name = name[:cut]
	}
	return name
}

// drawn says that a part of a name looks drawn or counted: Kubernetes draws five letters and figures, without vowels, and a CronJob counts minutes.
func drawn(part string) bool {
	digits := strings.Trim(part, "0123456789") == ""
	return part == "" || digits || len(part) >= 5 && strings.Trim(part, "bcdfghjklmnpqrstvwxz2456789") == "" && strings.ContainsAny(part, "0123456789bcdfghjklmnpqrstvwxz")
}
