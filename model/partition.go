package model

import (
	"maps"
	"slices"
	"strings"
)

// Partitions are those of the record that the instance was made of, in the order of the file.
func (in *Instance) Partitions() []PartitionSpec { return in.partitions }

// Partition is the partition with the given name.
func (in *Instance) Partition(id string) (*PartitionSpec, bool) {
	k := slices.IndexFunc(in.partitions, func(p PartitionSpec) bool { return p.ID == id })
	if k < 0 {
		return nil, false
	}
	return &in.partitions[k], true
}

// partitions checks the partitions.
func (r *resolver) partitions() {
	met := map[string]bool{}
	for k := range r.in.partitions {
		p, path := &r.in.partitions[k], element("partitions", k)
		if met[p.ID] {
			r.faults.add(path+".id", "expected a unique id, found %q again", clip(p.ID))
		}
		met[p.ID] = true
		if first := slices.IndexFunc(r.in.partitions, func(other PartitionSpec) bool { return other.Default }); p.Default && first != k {
			r.faults.add(path+".default", "expected one partition at most, found it at %s too", element("partitions", first))
		}
		for c, id := range p.Clusters {
			if _, known := r.in.clusterIndex[id]; !known {
				r.faults.add(element(path+".clusters", c), "expected a cluster, found %q", clip(id))
			}
		}
	}
}

// InPartition is a job, not yet one of the instance, as it must be stated to run where its queue has machines: with run times on the partition's clusters and with
// its feature or licence. A job that states no length takes the partition's limit for its estimate. Where there are several clusters, the job runs as long on each
// of the partition's as its work or else its estimate says, whatever their speeds. A job without a queue goes to the default partition. Where there is none it stays as it is, and so
// does one for an instance without partitions.
//
// The name stands for where the job came from in errors. The error is an [*InputError]: there is no such partition, it starts no jobs, or it does not allow what the
// job asks for.
func (in *Instance) InPartition(job JobSpec, name string) (JobSpec, error) {
	if usual := slices.IndexFunc(in.partitions, func(p PartitionSpec) bool { return p.Default }); job.Queue == "" && usual >= 0 {
		job.Queue = in.partitions[usual].ID
	}
	if job.Queue == "" || len(in.partitions) == 0 {
		return job, nil
	}
	faults := &InputError{File: name}
	p, known := in.Partition(job.Queue)
	if !known {
		faults.add("queue", "expected one of the partitions %s, found %q", in.partitionNames(), clip(job.Queue))
		return job, faults
	}
	if p.Closed {
		faults.add("queue", "expected a partition that starts jobs, found %q, which is not up", p.ID)
	}
	if job.Work == nil && job.Estimate == nil && len(job.Runtime) == 0 && p.Limit > 0 {
		job.Estimate = new(p.Limit)
	}
	if time, field := asked(&job); p.Limit > 0 && time > p.Limit {
		faults.add(field, "expected at most %v, the limit of partition %s, found %v", p.Limit, p.ID, time)
	}
	if p.Machines > 0 && job.Machines.Min > p.Machines {
		faults.add("machines", "expected at most %d, the most of partition %s, found %d", p.Machines, p.ID, job.Machines.Min)
	}
	in.runOn(p, &job, faults)
	if p.Feature != "" && !slices.ContainsFunc(job.Features, func(list []string) bool { return slices.Equal(list, []string{p.Feature}) }) {
		job.Features = append(slices.Clone(job.Features), []string{p.Feature})
	}
	if p.Licence != "" {
		job.Licences = maps.Clone(job.Licences)
		if job.Licences == nil {
			job.Licences = map[string]int{}
		}
		job.Licences[p.Licence] = max(job.Licences[p.Licence], 1)
	}
	return job, faults.orNil()
}

// MovedTo is a job as [Instance.InPartition] states it for another partition than its queue. Its run times stay. Where the
// partition of its queue lacks a cluster, and the job states no run time there, the job is taken to run as long there as on the slowest of the clusters that it states.
func (in *Instance) MovedTo(job JobSpec, partition, name string) (JobSpec, error) {
	var own []string // clusters of its partition; nil: all
	if p, known := in.Partition(job.Queue); known {
		own = p.Clusters
		job.Features = slices.DeleteFunc(slices.Clone(job.Features), func(list []string) bool { return slices.Equal(list, []string{p.Feature}) })
		job.Licences = maps.Clone(job.Licences)
		delete(job.Licences, p.Licence)
	}
	if len(job.Runtime) > 0 && len(own) > 0 {
		longest := slices.Max(slices.Collect(maps.Values(job.Runtime)))
		job.Runtime = maps.Clone(job.Runtime)
		for k := range in.clusters {
			id := in.clusters[k].ID
			if _, stated := job.Runtime[id]; !stated && !slices.Contains(own, id) {
				job.Runtime[id] = longest
			}
		}
	}
	job.Queue = partition
	return in.InPartition(job, name)
}

// asked is the time that a job asks for, and the field that says it; 0: it says none.
func asked(job *JobSpec) (time float64, field string) {
	switch {
	case job.Estimate != nil:
		return *job.Estimate, "estimate"
	case len(job.Runtime) > 0:
		return slices.Max(slices.Collect(maps.Values(job.Runtime))), "runtime"
	case job.Work != nil:
		return *job.Work, "work"
	}
	return 0, ""
}

// runOn keeps a job to the clusters of its partition.
func (in *Instance) runOn(p *PartitionSpec, job *JobSpec, faults *InputError) {
	if len(p.Clusters) == 0 || len(in.clusters) == 1 {
		return
	}
	length := job.Estimate
	if job.Work != nil {
		length = job.Work
	}
	times := map[string]float64{}
	for _, id := range p.Clusters {
		if takes, stated := job.Runtime[id]; stated {
			times[id] = takes
		} else if len(job.Runtime) == 0 && length != nil {
			times[id] = *length
		}
	}
	if len(times) == 0 && len(job.Runtime) > 0 {
		faults.add("runtime", "expected a run time on a cluster of partition %s: %s", p.ID, strings.Join(p.Clusters, ", "))
	}
	if len(times) > 0 {
		job.Work, job.Runtime = nil, times
	}
}

// partitionNames lists the partitions for people.
func (in *Instance) partitionNames() string {
	const most = 20
	names := make([]string, 0, most)
	for k := range in.partitions {
		if k == most {
			names = append(names, "…")
			break
		}
		names = append(names, clip(in.partitions[k].ID))
	}
	return strings.Join(names, ", ")
}
