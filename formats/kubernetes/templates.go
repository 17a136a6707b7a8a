package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// template is an object that describes pods, which a controller creates.
type template struct {
	meta
	kind string
	pods int // that are to exist, or of a Job those that are still to end well; below 0: not known
}

// scaled are the kinds of objects that keep a number of pods.
var scaled = []string{"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"}

// other takes an object that becomes no part of an instance. Those that describe pods are kept, to say which pods the files do not have.
func (o *objects) other(kind string, x field) {
	spec := x.get("spec")
	if !spec.given() || !describesPods(spec.v) {
		o.count(kind, x)
		return
	}
	t := template{meta: o.readMeta(x, true), kind: lines.Name(kind), pods: -1}
	if slices.Contains(scaled, kind) {
		t.pods = 1
		if n, stated := spec.get("replicas").whole(0, maxPods); stated {
			t.pods = int(n)
		}
	}
	o.templates = append(o.templates, t)
}

// count counts an object of which an instance has nothing.
func (o *objects) count(kind string, x field) {
	const most = 100 // kinds
	name := lines.Name(kind)
	if len(o.others) >= most && o.others[name] == 0 {
		name = "others"
	}
	if o.others[name]++; o.others[name] == 1 {
		o.firstOther[name] = o.where(x)
	}
}

// describesPods says whether a value has a template of pods within.
func describesPods(v *value) bool {
	for k := range v.list {
		if v.kind == '{' && v.names[k] == "containers" && v.list[k].kind == '[' || describesPods(&v.list[k]) {
			return true
		}
	}
	return false
}

// openPods is the number of pods of a Job that are still to end well.
func openPods(x field) int {
	const one = 1
	spec, status := x.get("spec"), x.get("status")
	for _, c := range status.get("conditions").elements() {
		if kind := c.get("type").str(); c.get("status").str() == "True" && (kind == "Complete" || kind == "Failed" || kind == "SuccessCriteriaMet" || kind == "FailureTarget") {
			return 0
		}
	}
	if status.get("completionTime").given() {
		return 0
	}
	least, stated := spec.get("parallelism").whole(0, maxPods)
	if !stated {
		least = one
	}
	ended, _ := status.get("succeeded").whole(0, maxPods)
	all, stated := spec.get("completions").whole(0, maxPods)
	switch {
	case stated:
		return int(max(0, all-ended))
	case ended > 0: // a Job without a number of completions starts no pods after the first that ends well
		return 0
	}
	return int(least)
}

// missing says of which pods that objects describe the files have nothing, because they are not created yet or because the files are not whole. Nothing stands for them in the instance.
func (q *queue) missing() {
	live, any := map[string]int{}, map[string]bool{} // pods by their owner: those that have not ended, and whether there are any
	count := func(p *pod, kind, name string) {
		key := kind + "/" + p.namespace + "/" + name
		any[key] = true
		if p.phase != "Succeeded" && p.phase != "Failed" {
			live[key]++
		}
	}
	for k := range q.pods {
		p := &q.pods[k]
		if p.owner == "" {
			continue
		}
		count(p, p.ownerKind, p.owner)
		if hash := p.labels["pod-template-hash"]; p.ownerKind == "ReplicaSet" && hash != "" && strings.HasSuffix(p.owner, "-"+hash) {
			count(p, "Deployment", strings.TrimSuffix(p.owner, "-"+hash))
		}
		if set := p.labels[jobSetLabel]; set != "" && p.ownerKind != "JobSet" {
			count(p, "JobSet", set)
		}
		if j := q.jobs[p.namespace+"/"+p.owner]; p.ownerKind == "Job" && j != nil && j.owner != "" && j.ownerKind != "JobSet" {
			count(p, j.ownerKind, j.owner)
		}
	}
	list := slices.Clone(q.templates)
	owns := map[string]bool{} // objects that own one of the list
	for _, id := range sortedKeys(q.jobs) {
		if j := q.jobs[id]; !j.suspended {
			list = append(list, template{j.meta, "Job", j.open})
		}
	}
	known := map[string]bool{}
	for k := range list {
		known[list[k].kind+"/"+list[k].id()] = true
		if list[k].owner != "" {
			owns[list[k].ownerKind+"/"+list[k].namespace+"/"+list[k].owner] = true
		}
	}
	pods, objects, unknown := 0, 0, 0
	var shown []string
	for k := range list {
		t := &list[k]
		key := t.kind + "/" + t.id()
		w := q.workloadByOwner[t.namespace+"/"+t.kind+"/"+t.name]
		switch {
		case w != nil && (!w.reserved || w.pods == 0): // the Workload stands for it
		case t.kind == "ReplicaSet" && known["Deployment/"+t.namespace+"/"+t.owner]: // the Deployment says it
		case t.pods >= 0 && t.pods <= live[key]:
		case t.pods >= 0:
			n := t.pods - live[key]
			q.report.Note(model.ImportKept, t.kind+" of which the files do not have all pods: pods that are not created yet are not in the instance", t.at)
			if pods, objects = pods+n, objects+1; len(shown) < mostTemplates {
				shown = append(shown, fmt.Sprintf("%s %s: %d", t.kind, lines.Name(t.id()), n))
			}
		default:
			q.report.Note(model.ImportKept, t.kind+" that describes pods: only those that the files have are in the instance", t.at)
			if !any[key] && !owns[key] {
				if unknown++; len(shown) < mostTemplates {
					shown = append(shown, fmt.Sprintf("%s %s: not known how many", t.kind, lines.Name(t.id())))
				}
			}
		}
	}
	for _, kind := range sortedKeys(q.others) {
		q.report.Notes = append(q.report.Notes, model.ImportNote{Action: model.ImportKept, Reason: "object of kind " + kind + ": an instance has nothing of it", Count: q.others[kind], First: q.firstOther[kind]})
	}
	if (pods+unknown)*100 <= hundredths*len(q.waiting) {
		return
	}
	if more := objects + unknown - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and of %d more", more))
	}
	text := fmt.Sprintf("%s that %s describe", numtext.Counted(pods, "pod"), numtext.Counted(objects, "object"))
	switch {
	case pods == 0:
		text = fmt.Sprintf("pods that %s describe", numtext.Counted(unknown, "object"))
	case unknown > 0:
		text += fmt.Sprintf(" and those of %d more", unknown)
	}
	q.report.Warnings = append(q.report.Warnings, fmt.Sprintf("%s are not in the files (%s): they are not created yet, or the files are not whole; the instance has nothing of them, and they may delay any of %s",
		text, strings.Join(shown, ", "), numtext.Counted(len(q.waiting), "waiting job")))
}

// mostTemplates is the most objects with pods that a warning names.
const mostTemplates = 3
