package mts

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/sim"
)

// tell assigns the first job of the kind to the resource and tells of it as a step: which rule took the job, with the figures that it compared.
func (r *run) tell(k int32, resource int, fragment bool) {
	kind := &r.kinds[k]
	job := int(kind.jobs[0])
	why := r.weighed(kind, max(0, r.end(k, resource)-r.origin))
	if fragment {
		why = r.filled(kind, r.loads(kind, resource, r.start(kind, resource)))
	}
	why = r.named(why, kind, r.Instance.Jobs()[job].ID, r.ResourceName(resource))
	scores := r.Scores(resource, func(at int) (float64, string) {
		switch {
		case math.IsInf(r.takes(kind, at), 1):
			return 0, "cannot run it"
		case math.IsInf(r.span[int(k)*len(r.Resources)+at], 1):
			return 0, "does not fit it"
		case math.IsInf(r.end(k, at), 1):
			return 0, "after its hard deadline"
		}
		return r.end(k, at), ""
	})
	r.assign(k, resource)
	r.trace(r.Step(why, "end", scores))
}

// named adds the names of the job and of its resource, and the class, to the reason.
func (r *run) named(why sim.Reason, kind *jobKind, job, resource string) sim.Reason {
	why.Text = fmt.Sprintf("%s goes to %s: %s", job, resource, why.Text)
	if r.p.Classes != "off" {
		why.Terms = append([]sim.Term{{Name: "class", Value: float64(kind.class)}}, why.Terms...)
	}
	return why
}

// filled states the fragment rule: what the job leaves of the resource.
func (r *run) filled(kind *jobKind, l load) sim.Reason {
	sum, _ := l.fragment(r.p.Fragment)
	return sim.Reason{Rule: "fragment", Text: fmt.Sprintf("%sof all pairs of such a job and a resource that leave at most %g of each attribute this one leaves least in sum", r.first(kind), r.p.Fragment), Terms: []sim.Term{
		{Name: "left of processors", Value: 1 - l.cpu}, {Name: "left of bandwidth", Value: 1 - l.bandwidth}, {Name: "left of memory", Value: 1 - l.memory}, {Name: "sum", Value: sum}}}
}

// weighed states the rule of the least mt (eq. 16), or of the least completion time; f is the completion time from the first arrival on.
func (r *run) weighed(kind *jobKind, f float64) sim.Reason {
	if r.p.Weights == "off" {
		return sim.Reason{Rule: "least end", Text: r.first(kind) + "no job of its class can end earlier anywhere"}
	}
	return sim.Reason{Rule: "least mt", Text: r.first(kind) + "mt = f/(e^processors + e^bandwidth + e^memory) is the least, the exponents the numbers of resources that it overloads", Terms: []sim.Term{
		{Name: "mt", Value: math.Exp(math.Log(f) - r.logSumExp(kind.cpu, kind.link, kind.room))}, {Name: "f", Value: f}, {Name: "overloaded in processors", Value: float64(kind.cpu)},
		{Name: "overloaded in bandwidth", Value: float64(kind.link)}, {Name: "overloaded in memory", Value: float64(kind.room)}}}
}

// first says of the class of the job why other jobs wait.
func (r *run) first(kind *jobKind) string {
	if r.p.Classes == "off" {
		return ""
	}
	if kind.class == 0 {
		return "no job left is overloaded in any attribute, and "
	}
	return fmt.Sprintf("no job left is overloaded in more attributes (%d), and ", kind.class)
}
