package sim

import "github.com/allot-opt/allot/model"

// Spec is the request as an instance file states it, for policies outside of this program; see [model.Instance.RequestSpec].
func (r *Request) Spec() *model.JobSpec { return r.in.RequestSpec(r.index) }

// SystemSpec is what a policy may know of the system before the first job arrives, as an instance file states it: clusters, pools of licences,
// classes of users and overheads. It has no jobs, no workflows and nothing that is for the evaluation of schedules alone.
func (p *Platform) SystemSpec() model.InstanceSpec {
	all := p.in.SystemSpec()
	spec := model.InstanceSpec{Licences: all.Licences, UserClasses: all.UserClasses, Overheads: all.Overheads, Clusters: all.Clusters}
	for c := range spec.Clusters {
		spec.Clusters[c].Weights = nil
		for m := range spec.Clusters[c].Machines {
			spec.Clusters[c].Machines[m].Queue = nil
		}
	}
	return spec
}
