package twolevel

import (
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/sim"
)

// Explain implements sim.Explainer: how the job was classified, which rule chose its cluster, and what its place in the queue there is made of.
func (p *policy) Explain(j *sim.Job) []sim.Reason {
	k := &p.jobs[j.Handle]
	var reasons []sim.Reason
	if p.opt.Heuristics != none && !math.IsInf(k.estimate, 1) {
		reasons = append(reasons, k.classified())
	}
	if k.cluster < 0 {
		return reasons
	}
	reasons = append(reasons, p.dispatched(k))
	if terms := p.clusters[k.cluster].local.Priority(j); terms != nil {
		reasons = append(reasons, p.ordered(k, terms))
	}
	return reasons
}

// classified says what the priority of the meta-scheduler is made of.
func (k *class) classified() sim.Reason {
	r := sim.Reason{Rule: "class", Text: fmt.Sprintf("the meta-scheduler gave it priority %g = %g for its deadline + %g for licences + %g for its user",
		k.priority, k.parts[0], k.parts[1], k.parts[2])}
	r.Terms = []sim.Term{{Name: "priority", Value: k.priority}, {Name: "deadline", Value: k.parts[0]}, {Name: "licences", Value: k.parts[1]}, {Name: "user", Value: k.parts[2]}}
	if !math.IsInf(k.margin, 1) {
		r.Terms = append(r.Terms, sim.Term{Name: "margin", Value: k.margin}, sim.Term{Name: "mean_margin", Value: k.mean}, sim.Term{Name: "estimate", Value: k.estimate})
	}
	return r
}

// dispatched says which rule chose the cluster, and what was compared.
func (p *policy) dispatched(k *class) sim.Reason {
	name := p.platform.ClusterID(k.cluster)
	text := [...]string{
		onlyCluster:  "%s is the only cluster that can run it",
		idleCluster:  "%s is the first cluster whose queue holds no load of its priority or more",
		leastLoad:    "among the clusters that can run it, the queue of %s holds the least load of its priority or more",
		leastJobs:    "among the clusters with the least load of its priority or more, the queue of %s holds the fewest such jobs",
		drawnCluster: "%s was chosen at random among clusters with equal loads and numbers of jobs of its priority or more",
	}[k.rule]
	r := sim.Reason{Rule: [...]string{onlyCluster: "only_cluster", idleCluster: "idle", leastLoad: "load", leastJobs: "ordering", drawnCluster: "drawn"}[k.rule], Text: fmt.Sprintf(text, name)}
	for _, c := range k.candidates {
		id := p.platform.ClusterID(c.cluster)
		r.Terms = append(r.Terms, sim.Term{Name: "load " + id, Value: c.load}, sim.Term{Name: "jobs " + id, Value: float64(c.jobs)})
	}
	return r
}

// ordered says what the job's place in the queue of its cluster is made of.
func (p *policy) ordered(k *class, terms []sim.Term) sim.Reason {
	name := p.platform.ClusterID(k.cluster)
	last := terms[len(terms)-1]
	switch p.opt.Heuristics {
	case MS:
		return sim.Reason{Rule: "queue", Text: fmt.Sprintf("the queue of %s is in order of the meta-scheduler's priority, then of arrival", name), Terms: []sim.Term{last}}
	case none:
		return sim.Reason{Rule: "queue", Text: fmt.Sprintf("the queue of %s is in order of arrival", name)}
	}
	terms = terms[1:] // nothing is given in advance
	var parts []string
	for _, t := range terms[:len(terms)-1] {
		parts = append(parts, fmt.Sprintf("%.4g for %s", t.Value, t.Name))
	}
	return sim.Reason{Rule: "queue", Text: fmt.Sprintf("the queue of %s is in order of a priority, which is %.4g = %s", name, last.Value, strings.Join(parts, " + ")), Terms: terms}
}
