package plan

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/allot-opt/allot/model"
)

// Schedule is a schedule under construction: jobs are placed one at a time behind those placed before, on processors whose
// last job has ended (holes are not filled). It honours arrivals, precedence, stated run times, memory, licences, minimum
// bandwidth, machines of different speed and span machine, for rigid jobs that stay on one cluster.
//
// Earliest looks, Place commits.
type Schedule struct {
	in       *model.Instance
	clusters []clusterState
	pools    *licencePools
	solution model.Solution
	end      []float64 // by job; NaN: not placed
}

// Slot is a place for a job that Earliest found.
type Slot struct {
	Cluster    int
	Start, End float64
	set        model.ProcessorSet // chosen already; nil: chosen by Place
}

// clusterState is what is known of the processors of one cluster.
type clusterState interface {
	// earliest is the slot of the earliest end for the job from ready on; false where it can never run.
	earliest(job int, ready float64) (Slot, bool)
	// place takes the processors of the slot and says which.
	place(job int, slot Slot) model.ProcessorSet
	// release is the earliest time at which n processors are free.
	release(n int) float64
}

// ScheduleFeatures is what a [Schedule] honours.
const ScheduleFeatures = DecoderFeatures | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools |
	model.BandwidthNeeds | model.MixedMachines | model.MachineSpan

// NewSchedule starts an empty schedule; the error names a feature that it cannot honour.
func NewSchedule(in *model.Instance) (*Schedule, error) {
	if missing := in.Features() &^ ScheduleFeatures; missing != 0 {
		return nil, fmt.Errorf("plan: a list schedule cannot honour %s", missing)
	}
	s := &Schedule{in: in, pools: newLicencePools(in), end: make([]float64, len(in.Jobs()))}
	s.solution.Jobs = make([]model.Placement, 0, len(in.Jobs()))
	for j := range s.end {
		s.end[j] = math.NaN()
	}
	const needGeneral = model.MemoryLimits | model.LicencePools | model.BandwidthNeeds | model.MachineSpan
	for c := range in.Clusters() {
		if in.Features()&needGeneral == 0 && in.Clusters()[c].Uniform {
			s.clusters = append(s.clusters, newPlainCluster(in, c))
		} else {
			s.clusters = append(s.clusters, newGeneralCluster(in, c, s.pools))
		}
	}
	return s, nil
}

// Ready is the earliest time at which the job may start: its arrival, or the end of the last job it waits for; false where
// one of those is not placed.
func (s *Schedule) Ready(job int) (float64, bool) {
	ready := s.in.Jobs()[job].Arrival
	for _, before := range s.in.Jobs()[job].After {
		if math.IsNaN(s.end[before]) {
			return 0, false
		}
		ready = max(ready, s.end[before])
	}
	return ready, true
}

// Earliest is the slot on the cluster at which the job ends first; false where it can never run there or waits for a job that is
// not placed.
func (s *Schedule) Earliest(job, cluster int) (Slot, bool) {
	ready, ok := s.Ready(job)
	if !ok || !s.in.CanRun(job, cluster) {
		return Slot{}, false
	}
	slot, ok := s.clusters[cluster].earliest(job, ready)
	slot.Cluster = cluster
	return slot, ok
}

// Release is the earliest time at which n processors of the cluster are free of the jobs placed so far.
func (s *Schedule) Release(cluster, n int) float64 { return s.clusters[cluster].release(n) }

// Place puts the job into a slot that Earliest found after the last job was placed. A slot that ends after a hard deadline
// leaves the job out instead.
func (s *Schedule) Place(job int, slot Slot) {
	j := &s.in.Jobs()[job]
	cluster := s.in.Clusters()[slot.Cluster].ID
	if j.DeadlineHard && slot.End > j.Deadline {
		s.Leave(job, fmt.Sprintf("hard deadline %v cannot be met: earliest end %v on %s", j.Deadline, slot.End, cluster))
		return
	}
	set := s.clusters[slot.Cluster].place(job, slot)
	s.pools.add(j, slot.Cluster, slot.Start, slot.End)
	s.end[job] = slot.End
	s.solution.Jobs = append(s.solution.Jobs, model.Placement{Job: j.ID, Cluster: cluster, Processors: set, Start: slot.Start, End: slot.End})
}

// Leave leaves the job out, for the reason given, which is cut to what a solution may hold.
func (s *Schedule) Leave(job int, reason string) {
	s.solution.Unscheduled = append(s.solution.Unscheduled, model.Unscheduled{Job: s.in.Jobs()[job].ID, Reason: cut(reason)})
}

// cut shortens a text to the 1,000 bytes that a reason may have.
func cut(text string) string {
	const most, dots = 1000, "…"
	if len(text) <= most {
		return text
	}
	end := most - len(dots)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + dots
}

// LeaveUnplaceable leaves out a job for which Earliest found no slot on any cluster, and says why.
func (s *Schedule) LeaveUnplaceable(job int) { s.Leave(job, s.whyNot(job)) }

// whyNot says why a job has no slot anywhere.
func (s *Schedule) whyNot(job int) string {
	for _, before := range s.in.Jobs()[job].After {
		if math.IsNaN(s.end[before]) {
			return fmt.Sprintf("waits for job %s, which is not placed", s.in.Jobs()[before].ID)
		}
	}
	return WhyNowhere(s.in, job)
}

// WhyNowhere says why the job can run on no cluster, cluster by cluster; the first few where there are many.
func WhyNowhere(in *model.Instance, job int) string {
	const most = 4
	var reasons []string
	for c := range in.Clusters() {
		if len(reasons) == most {
			reasons = append(reasons, fmt.Sprintf("and so on for %d more clusters", len(in.Clusters())-most))
			break
		}
		if reason := in.CannotRun(job, c); reason != "" {
			reasons = append(reasons, reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// Solution is the schedule so far. The Schedule must not be used afterwards.
func (s *Schedule) Solution() *model.Solution { return &s.solution }

// licencePools are the profiles of the limited pools.
type licencePools struct {
	in    *model.Instance
	pools map[poolKey]*Profile
}

// poolKey is the pool of a licence: the grid's (cluster −1) or a cluster's own.
type poolKey struct{ licence, cluster int }

func newLicencePools(in *model.Instance) *licencePools {
	return &licencePools{in, map[poolKey]*Profile{}}
}

// of is the profile that a job on the cluster draws the licence from; nil where it is unlimited.
func (l *licencePools) of(licence, cluster int) *Profile {
	copies, own := l.in.Pool(cluster, licence)
	if copies == model.Unlimited {
		return nil
	}
	key := poolKey{licence, -1}
	if own {
		key.cluster = cluster
	}
	if l.pools[key] == nil {
		l.pools[key] = NewProfile(float64(copies))
	}
	return l.pools[key]
}

// earliest is the earliest time from t on at which every licence the job needs is free for the length.
func (l *licencePools) earliest(j *model.Job, cluster int, t, length float64) float64 {
	for again := true; again; {
		again = false
		for _, need := range j.Licences {
			if p := l.of(need.Licence, cluster); p != nil && need.Copies > 0 {
				if later := p.Earliest(t, length, float64(need.Copies)); later > t {
					t, again = later, true
				}
			}
		}
	}
	return t
}

// add takes the licences of the job over an interval.
func (l *licencePools) add(j *model.Job, cluster int, start, end float64) {
	for _, need := range j.Licences {
		if p := l.of(need.Licence, cluster); p != nil {
			p.Add(start, end, float64(need.Copies))
		}
	}
}
