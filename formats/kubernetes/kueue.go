package kubernetes

import (
	"cmp"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// clusterQueue is a ClusterQueue of Kueue: quotas by flavor and resource.
type clusterQueue struct {
	meta
	cohort  string
	groups  []resourceGroup
	stopped bool
}

// resourceGroup is the resources that one flavor serves together.
type resourceGroup struct {
	resources []string
	flavors   []quotas
}

// quotas are those of one flavor.
type quotas struct {
	flavor string
	of     map[string]quota // by resource
}

// quota is how much of a resource may be held: the nominal amount, and what may be borrowed from the cohort.
type quota struct {
	nominal  int64
	borrowed int64
	limited  bool // borrowed is a limit; otherwise there is none
}

// flavor is a ResourceFlavor.
type flavor struct {
	labels      map[string]string
	taints      []taint
	tolerations []toleration
}

// localQueue is a LocalQueue: the name that jobs of a namespace submit to.
type localQueue struct {
	clusterQueue string
	stopped      bool
}

// workload is a Workload: one unit of admission, with its pods by kind.
type workload struct {
	meta
	queue      string
	sets       []podSet
	priority   float64
	given      bool // it states a priority
	class      string
	inactive   bool
	limit      float64
	finished   bool
	reserved   bool // it holds its quota
	admittedAt float64
	admittedBy string                       // ClusterQueue
	flavors    map[string]map[string]string // pod set → resource → flavor
	topology   bool                         // it asks for nodes that are close
	pods       int                          // of the files that belong to it and have not ended
}

// podSet is pods of a workload that are alike.
type podSet struct {
	name    string
	count   int
	spec    podSpec
	runtime string // the annotation
}

// stops says whether a stop policy keeps new workloads from being admitted.
func stops(x field) bool {
	policy := x.at("spec", "stopPolicy").str()
	return policy == "Hold" || policy == "HoldAndDrain"
}

// clusterQueue reads a ClusterQueue.
func (o *objects) clusterQueue(x field) {
	spec := x.get("spec").required()
	q := clusterQueue{meta: o.readMeta(x, false), cohort: cmp.Or(spec.get("cohortName").str(), spec.get("cohort").str()), stopped: stops(x)}
	for _, g := range spec.get("resourceGroups").elements() {
		group := resourceGroup{resources: g.get("coveredResources").words()}
		for _, f := range g.get("flavors").elements() {
			of := quotas{flavor: f.get("name").required().str(), of: map[string]quota{}}
			for _, r := range f.get("resources").elements() {
				name := r.get("name").required().str()
				limit := quota{nominal: r.get("nominalQuota").required().quantity(name == "cpu")}
				if y := r.get("borrowingLimit"); y.given() {
					limit.borrowed, limit.limited = y.quantity(name == "cpu"), true
				}
				if r.get("lendingLimit").given() {
					o.lends = true
				}
				if _, again := of.of[name]; again {
					r.get("name").fault("expected each resource of a flavor once, found %s again", lines.Quote(name))
				}
				of.of[name] = limit
			}
			group.flavors = append(group.flavors, of)
		}
		q.groups = append(q.groups, group)
	}
	if o.clusterQueues[q.name] != nil {
		x.at("metadata", "name").fault("expected each ClusterQueue once, found %q again", q.name)
		return
	}
	o.clusterQueues[q.name] = &q
}

// flavor reads a ResourceFlavor.
func (o *objects) flavor(x field) {
	m := o.readMeta(x, false)
	o.flavors[m.name] = &flavor{x.at("spec", "nodeLabels").texts(), readTaints(x.at("spec", "nodeTaints")), readTolerations(x.at("spec", "tolerations"))}
}

// localQueue reads a LocalQueue.
func (o *objects) localQueue(x field) {
	m := o.readMeta(x, true)
	if o.localQueues[m.id()] != nil {
		x.at("metadata", "name").fault("expected each LocalQueue once, found %q again", m.id())
		return
	}
	o.localQueues[m.id()] = &localQueue{x.at("spec", "clusterQueue").required().str(), stops(x)}
}

// priorityClass reads a PriorityClass, or the WorkloadPriorityClass of Kueue.
func (o *objects) priorityClass(x field) {
	m := o.readMeta(x, false)
	const most = 1 << 31
	o.priorities[m.name], _ = x.get("value").whole(-most, most)
}

// maxPods is the most pods of one set.
const maxPods = 1 << 20

// workload reads a Workload.
func (o *objects) workload(x field) {
	spec := x.get("spec").required()
	w := workload{meta: o.readMeta(x, true), queue: spec.get("queueName").str(), flavors: map[string]map[string]string{}}
	const most = 1 << 31
	w.priority, w.given = spec.get("priority").whole(-most, most)
	w.class = cmp.Or(spec.at("priorityClassRef", "name").str(), spec.get("priorityClassName").str())
	w.inactive = spec.get("active").given() && !spec.get("active").yes()
	w.limit, _ = spec.get("maximumExecutionTimeSeconds").whole(0, most)
	for _, y := range spec.get("podSets").elements() {
		count, _ := y.get("count").required().whole(0, maxPods)
		template := y.get("template").required()
		spec := readPodSpec(template.get("spec").required())
		if least, stated := y.get("minCount").whole(0, maxPods); stated && least < count {
			spec.beside = append(spec.beside, fewerPods)
		}
		w.topology = w.topology || y.get("topologyRequest").given()
		w.sets = append(w.sets, podSet{
			cmp.Or(y.get("name").str(), "main"), int(count), spec, template.at("metadata", "annotations").texts()[o.annotation],
		})
	}
	for _, c := range x.at("status", "conditions").elements() {
		changed := c.get("lastTransitionTime").time()
		o.latest = max(o.latest, changed)
		if c.get("status").str() != "True" {
			continue
		}
		switch c.get("type").str() {
		case "Finished":
			w.finished = true
		case "QuotaReserved":
			w.reserved = true
		case "Admitted":
			w.reserved, w.admittedAt = true, changed
		}
	}
	if a := x.at("status", "admission"); a.given() {
		w.admittedBy = a.get("clusterQueue").str()
		for _, y := range a.get("podSetAssignments").elements() {
			w.flavors[cmp.Or(y.get("name").str(), "main")] = y.get("flavors").texts()
		}
	}
	if o.workloadByName[w.id()] != nil {
		x.at("metadata", "name").fault("expected each Workload once, found %q of namespace %q again", w.name, w.namespace)
		return
	}
	o.workloads = append(o.workloads, &w)
	o.workloadByName[w.id()] = &w
	if w.owner != "" {
		o.workloadByOwner[w.namespace+"/"+w.ownerKind+"/"+w.owner] = &w
	}
}

// workloadOf is the workload to which a pod belongs; nil: none.
func (o *objects) workloadOf(p *pod) *workload {
	for _, name := range []string{p.annotations["kueue.x-k8s.io/workload"], p.labels["kueue.x-k8s.io/pod-group-name"]} {
		if w := o.workloadByName[p.namespace+"/"+name]; name != "" && w != nil {
			return w
		}
	}
	owner := func(kind, name string) *workload {
		if name == "" {
			return nil
		}
		return o.workloadByOwner[p.namespace+"/"+kind+"/"+name]
	}
	if w := cmp.Or(owner(p.ownerKind, p.owner), owner("Pod", p.name), owner("JobSet", p.labels[jobSetLabel])); w != nil {
		return w
	}
	if j := o.jobs[p.namespace+"/"+p.owner]; p.ownerKind == "Job" && j != nil {
		if w := owner(j.ownerKind, j.owner); w != nil {
			return w
		}
	}
	for _, kind := range []string{"PyTorchJob", "MPIJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob"} {
		if w := owner(kind, p.labels["training.kubeflow.org/job-name"]); w != nil {
			return w
		}
	}
	return owner("RayCluster", p.labels["ray.io/cluster"])
}

// candidates are the flavors of a group that pods may take: none of their labels contradicts the pods' selectors, and the pods tolerate their taints.
func (o *objects) candidates(g *resourceGroup, spec *podSpec) []string {
	var names []string
	for k := range g.flavors {
		of := &g.flavors[k]
		f := o.flavors[of.flavor]
		if f == nil {
			f = &flavor{}
		}
		fits := !slices.ContainsFunc(sortedKeys(f.labels), func(key string) bool {
			value, stated := spec.selector[key]
			return stated && value != f.labels[key]
		}) && !slices.ContainsFunc(f.taints, func(t taint) bool {
			tolerates := func(x toleration) bool { return x.tolerates(t) }
			return !slices.ContainsFunc(spec.tolerations, tolerates) && !slices.ContainsFunc(f.tolerations, tolerates)
		})
		if len(spec.terms) > 0 && !slices.ContainsFunc(spec.terms, func(t term) bool { return compatible(t, f.labels) }) {
			fits = false
		}
		if fits {
			names = append(names, of.flavor)
		}
	}
	return names
}

// compatible says whether nodes with the labels may meet a term, whatever labels they have besides.
func compatible(t term, labels map[string]string) bool {
	n := &node{meta: meta{labels: labels}}
	return !slices.ContainsFunc(t, func(r requirement) bool {
		_, stated := labels[r.key]
		return !r.name && stated && !r.holds(n)
	})
}

// claim is what a job takes of the quotas of a ClusterQueue: an amount of a resource of one of some flavors.
type claim struct {
	queue    *clusterQueue
	resource string
	flavors  []string // one: it is this one
	amount   int64
}

// claims are what pods take of the quotas, and the flavors that give them labels and tolerations. Why says what is odd.
func (o *objects) claims(q *clusterQueue, spec *podSpec, assigned map[string]string, count int) (list []claim, one []string, never string, odd []string) {
	left := amounts{"pods": 1}
	left.plus(spec.needs)
	for k := range q.groups {
		g := &q.groups[k]
		var names []string
		asked := slices.DeleteFunc(slices.Clone(g.resources), func(name string) bool { return left[name] == 0 })
		if len(asked) == 0 {
			continue
		}
		if names = o.candidates(g, spec); len(names) == 0 && assigned == nil {
			return nil, nil, "no flavor of its cluster queue takes the pods, by labels and taints: Kueue admits it only when somebody acts", nil
		}
		for _, resource := range asked {
			mine := names
			if f := assigned[resource]; f != "" {
				mine = []string{f}
			}
			if len(mine) == 1 && !slices.Contains(one, mine[0]) {
				one = append(one, mine[0])
			}
			if len(mine) > 0 {
				list = append(list, claim{q, resource, mine, min(left[resource], mostQuantity/int64(max(count, 1))) * int64(count)})
			}
			delete(left, resource)
		}
		if len(names) > 1 && assigned == nil {
			odd = append(odd, "may take one of several flavors: it counts against the sum of their quotas, and runs on any of their nodes")
		}
	}
	delete(left, "pods")
	if len(left) > 0 {
		odd = append(odd, "asks for resources that its cluster queue has no quota of: Kueue may never admit it")
	}
	return list, one, "", odd
}

// pool is a licence that stands for a quota.
type pool struct {
	name   string
	copies int64
}

// quotaUnit is an amount in the copies of a licence: of cpu thousandths of a core, of bytes MiB, of others pieces. Up says which way it is rounded.
func quotaUnit(resource string, n int64, up bool) int64 {
	if !inBytes(resource) {
		return n
	}
	if up {
		n += mebibyte - 1
	}
	return n / mebibyte
}

// unitName says in what unit a licence counts.
func unitName(resource string) string {
	switch {
	case resource == "cpu":
		return " in thousandths"
	case inBytes(resource):
		return " in MiB"
	}
	return ""
}

// pools are the licences that a claim needs: of the queue's own quota and what it may borrow, and of the quotas of its cohort together. Of several flavors it
// is their sum; the claims of one flavor count against that sum too, where others claim it (summed).
func (o *objects) pools(c claim, summed map[string]bool) []pool {
	var list []pool
	add := func(owner, flavors string, copies int64) {
		list = append(list, pool{lines.Name("quota " + owner + "/" + flavors + "/" + c.resource + unitName(c.resource)), copies})
	}
	of := func(q *clusterQueue, names []string) (nominal, most int64) {
		for k := range q.groups {
			for _, f := range q.groups[k].flavors {
				if limit, known := f.of[c.resource]; known && (names == nil || slices.Contains(names, f.flavor)) {
					nominal = min(nominal+limit.nominal, mostQuantity)
					switch {
					case q.cohort == "" || most == mostQuantity:
						most = max(most, nominal)
					case !limit.limited:
						most = mostQuantity
					default:
						most = min(most+limit.nominal+limit.borrowed, mostQuantity)
					}
				}
			}
		}
		return nominal, most
	}
	for _, names := range [][]string{c.flavors, nil} {
		text := "any flavor"
		switch {
		case names == nil && !summed[c.sumKey()]:
			continue
		case len(names) > 1:
			continue
		case names != nil:
			text = names[0]
		}
		if _, most := of(c.queue, names); most < mostQuantity {
			add(c.queue.name, text, quotaUnit(c.resource, most, false))
		}
		if c.queue.cohort != "" {
			all := int64(0)
			for _, name := range sortedKeys(o.clusterQueues) {
				if q := o.clusterQueues[name]; q.cohort == c.queue.cohort {
					nominal, _ := of(q, names)
					all = min(all+nominal, mostQuantity)
				}
			}
			add("cohort "+c.queue.cohort, text, quotaUnit(c.resource, all, false))
		}
	}
	return list
}

// sumKey names what the claims of several flavors of a resource share.
func (c claim) sumKey() string {
	return strings.Join([]string{cmp.Or(c.queue.cohort, "queue "+c.queue.name), c.resource}, "\x00")
}
