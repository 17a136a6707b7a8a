package model

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ReadJob reads one job, as it stands in the list of jobs of an instance. The name stands for the input in errors. The error
// is an [*InputError] that lists everything wrong.
func ReadJob(r io.Reader, name string) (*JobSpec, error) {
	spec := new(JobSpec)
	if err := ReadJSON(r, name, spec); err != nil {
		return nil, err
	}
	return spec, nil
}

// ReadJobFile is [ReadJob] of a file; see [Open].
func ReadJobFile(path string) (*JobSpec, error) { return readFile(path, ReadJob) }

// WithJob is the instance with one more job, the last of its list. The name stands for where the job came from in errors.
// The error is an [*InputError] that lists what does not fit the instance.
//
// Complexity: O(n) for n jobs.
func (in *Instance) WithJob(job JobSpec, name string) (*Instance, error) {
	spec := in.Spec()
	spec.Jobs = append(spec.Jobs, job)
	more, err := New(spec)
	var wrong *InputError
	if errors.As(err, &wrong) {
		prefix := "jobs[" + strconv.Itoa(len(in.jobs)) + "]"
		faults := slices.Clone(wrong.Faults)
		for k := range faults {
			if rest, ok := strings.CutPrefix(faults[k].Path, prefix); ok {
				faults[k].Path = strings.TrimPrefix(rest, ".")
			}
		}
		return nil, &InputError{File: name, Faults: faults, More: wrong.More}
	}
	return more, err
}

// JobSpec is a job as it stands in a file, defaults left out.
func (in *Instance) JobSpec(job int) JobSpec { return *in.jobSpec(job) }

// Spec is the instance as it stands in a file, defaults left out.
func (in *Instance) Spec() InstanceSpec {
	spec := in.SystemSpec()
	for k := range in.jobs {
		spec.Jobs = append(spec.Jobs, *in.jobSpec(k))
	}
	return spec
}

// SystemSpec is the instance without its jobs, as a file states it.
func (in *Instance) SystemSpec() InstanceSpec {
	spec := in.headerSpec()
	for k := range in.clusters {
		spec.Clusters = append(spec.Clusters, *in.clusterSpec(k))
	}
	return spec
}

// RequestSpec returns what is known about job k before it has run, in the form of a file: without work, run times, a recorded start and what the estimate was before it was raised. If the user states no
// estimate, the execution time counts as known. Then the estimate of a job that states its work is the time of that work.
func (in *Instance) RequestSpec(k int) *JobSpec {
	spec := in.jobSpec(k)
	if j := &in.jobs[k]; spec.Estimate == nil && j.runtimes == nil {
		spec.Estimate = new(j.Work / j.ReferenceSpeed)
	}
	spec.Work, spec.Runtime, spec.Recorded, spec.Requested = nil, nil, nil, nil
	return spec
}
