package sim

import "github.com/allot-opt/allot/model"

// Spec is the request as an instance file states it, for policies outside of this program; see [model.Instance.RequestSpec].
func (r *Request) Spec() *model.JobSpec { return r.in.RequestSpec(r.index) }

// SystemSpec is what a policy may know about the system before the first job arrives, in the form of an instance file: clusters, pools of
// licences, classes of users and overheads. It has no jobs, no workflows and nothing that only the evaluation of schedules needs.
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
