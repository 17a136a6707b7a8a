package kubernetes

import (
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
)

// queueOf is the ClusterQueue of a job; nil: it has none, or none of the files.
func (q *queue) queueOf(u *unit) *clusterQueue {
	if u.work != nil && u.work.reserved && u.work.admittedBy != "" {
		return q.clusterQueues[u.work.admittedBy]
	}
	if local := q.localQueues[u.namespace+"/"+u.queue]; local != nil {
		return q.clusterQueues[local.clusterQueue]
	}
	return nil
}

// quotas finds what each job takes of the quotas. Jobs that Kueue will never admit are left out.
func (q *queue) quotas() {
	q.summed, q.poolsFound = map[string]bool{}, map[string][]pool{}
	for _, u := range q.running {
		if cq := q.queueOf(u); cq != nil && u.work != nil && u.work.reserved {
			u.claims, _, _, _ = q.objects.claims(cq, u.spec, q.assigned(u), u.count)
		}
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(u *unit) bool {
		cq := q.queueOf(u)
		switch {
		case u.queue == "":
			return false
		case cq == nil:
			u.beside = append(u.beside, "its queue of Kueue, or the ClusterQueue of it, is not in the files: its quota is not counted")
			return false
		case u.work == nil:
			u.beside = append(u.beside, "names a queue of Kueue, but no Workload of the files stands for it: its quota is not counted")
			return false
		}
		var never string
		var odd []string
		u.claims, u.flavors, never, odd = q.objects.claims(cq, u.spec, q.assigned(u), u.count)
		if never != "" {
			q.report.Note(model.ImportDropped, never, u.at)
			return true
		}
		u.beside = append(u.beside, odd...)
		if cq.cohort != "" && !u.work.reserved {
			switch {
			case q.lends:
				u.beside = append(u.beside, "borrows from its cohort, where limits of lending are not counted, nor what is preempted to get quota back")
			case q.cohorts:
				u.beside = append(u.beside, "borrows from its cohort, whose own quotas and parents are not counted")
			default:
				u.beside = append(u.beside, "may borrow from its cohort: quota that is lent is got back only when the job that holds it ends")
			}
		}
		return false
	})
	for _, u := range slices.Concat(q.running, q.waiting) {
		for _, c := range u.claims {
			if len(c.flavors) > 1 {
				q.summed[c.sumKey()] = true
			}
		}
	}
}

// assigned are the flavors that a workload was admitted with, for the pods of a job; nil: it was not admitted.
func (q *queue) assigned(u *unit) map[string]string {
	w := u.work
	if !w.reserved {
		return nil
	}
	if found := w.flavors[u.set]; found != nil {
		return found
	}
	for _, name := range sortedKeys(w.flavors) {
		return w.flavors[name]
	}
	return map[string]string{}
}

// withFlavors is what a job asks of its nodes, with the labels and the tolerations of its flavors.
func (q *queue) withFlavors(u *unit) *podSpec {
	if len(u.flavors) == 0 {
		return u.spec
	}
	s := *u.spec
	s.selector = map[string]string{}
	for key, value := range u.spec.selector {
		s.selector[key] = value
	}
	s.tolerations = slices.Clone(s.tolerations)
	for _, name := range u.flavors {
		if f := q.objects.flavors[name]; f != nil {
			for key, value := range f.labels {
				s.selector[key] = value
			}
			s.tolerations = append(s.tolerations, f.tolerations...)
		}
	}
	return &s
}

// poolsOf are the licences of a claim, found once.
func (q *queue) poolsOf(c claim) []pool {
	key := c.queue.name + "\x00" + c.resource + "\x00" + strings.Join(c.flavors, "\x00")
	list, known := q.poolsFound[key]
	if !known {
		list = q.pools(c, q.summed)
		q.poolsFound[key] = list
	}
	return list
}

// licences states the licences. Where pods that run hold more than a quota, as after the quota was made smaller, there are as many copies as they hold.
func (q *queue) licences(spec *model.InstanceSpec) {
	for _, list := range q.poolsFound {
		for _, p := range list {
			spec.Licences[p.name] = int(min(p.copies, maxCopies))
		}
	}
	held := map[string]int{}
	for k := range spec.Jobs {
		if spec.Jobs[k].Running != nil {
			for name, n := range spec.Jobs[k].Licences {
				held[name] = min(held[name]+n, maxCopies)
			}
		}
	}
	for _, name := range sortedKeys(held) {
		if held[name] > spec.Licences[name] {
			spec.Licences[name] = held[name]
			q.report.Note(model.ImportRepaired, "pods that run hold more than a quota: it is what they hold", name)
		}
	}
}
