package model

// SystemSpec is the instance without its jobs, as a file states it.
func (in *Instance) SystemSpec() InstanceSpec {
	spec := in.headerSpec()
	for k := range in.clusters {
		spec.Clusters = append(spec.Clusters, *in.clusterSpec(k))
	}
	return spec
}

// RequestSpec returns what is known about job k before it has run, in the form of a file: without work and run times. If the user states no
// estimate, the execution time counts as known. Then the estimate of a job that states its work is the time of that work.
func (in *Instance) RequestSpec(k int) *JobSpec {
	spec := in.jobSpec(k)
	if j := &in.jobs[k]; spec.Estimate == nil && j.runtimes == nil {
		spec.Estimate = new(j.Work / j.ReferenceSpeed)
	}
	spec.Work, spec.Runtime = nil, nil
	return spec
}
