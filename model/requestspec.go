package model

// SystemSpec is the instance without its jobs, as a file states it.
func (in *Instance) SystemSpec() InstanceSpec {
	spec := in.headerSpec()
	for k := range in.clusters {
		spec.Clusters = append(spec.Clusters, *in.clusterSpec(k))
	}
	return spec
}

// RequestSpec is what is known of job k before it has run, as a file states it: no work and no run times. Where the user states no estimate
// the execution time is known, so that of a job that states its work the estimate is that of its true work.
func (in *Instance) RequestSpec(k int) *JobSpec {
	spec := in.jobSpec(k)
	if j := &in.jobs[k]; spec.Estimate == nil && j.runtimes == nil {
		spec.Estimate = new(j.Work / j.ReferenceSpeed)
	}
	spec.Work, spec.Runtime = nil, nil
	return spec
}
