package model

import (
	"fmt"
	"math"
)

// schedule is a solution with its names resolved.
type schedule struct {
	in         *Instance
	sol        *Solution
	parts      []part     // those of a job stand together
	partRange  [][2]int32 // by job: its parts are parts[from:to]; empty: not placed
	whole      []bool     // by job: every piece of its placement could be resolved
	start, end []float64
	named      []bool // by job: some placement names it, whatever its faults
	next       int    // the job after the one that was looked up last
}

// part is one piece of a placed job.
type part struct {
	job, cluster int
	set          ProcessorSet
	tasks        int
	start, end   float64
	first        bool // the first piece of its job
	devices      DevicesHeld
}

// isPlaced says whether the job is placed.
func (s *schedule) isPlaced(job int) bool { return s.partRange[job][1] > s.partRange[job][0] }

// partsOf are the parts of a placed job.
func (s *schedule) partsOf(job int) []part { return s.parts[s.partRange[job][0]:s.partRange[job][1]] }

// isLate says whether a placed job ends after its deadline, see [Late].
func (s *schedule) isLate(job int) bool { return Late(s.end[job], s.in.jobs[job].Deadline) }

// Late says whether an end is after a deadline by more than the rounding errors of start, end and deadline as float64 numbers: by more than
// twice the spacing of these numbers at the end. The checker, the metrics missed, miss_rate, finished and unfinished, and the solvers all mean
// this by late; over_deadline counts every excess. The difference is exact where it is small; a sum with the deadline would be rounded up just
// below a power of two.
func Late(end, deadline float64) bool { return end > deadline && !(end-deadline <= 2*spacing(end)) }

// resolve looks up the names of a solution. What cannot be looked up is reported and left out.
func resolve(in *Instance, sol *Solution, report *Report) *schedule {
	n := len(in.jobs)
	s := &schedule{
		in: in, sol: sol,
		parts:     make([]part, 0, len(sol.Jobs)),
		partRange: make([][2]int32, n),
		whole:     make([]bool, n),
		named:     make([]bool, n),
		start:     make([]float64, n),
		end:       make([]float64, n),
	}
	for k := range sol.Jobs {
		s.add(k, report)
	}
	return s
}

// add resolves one placement.
func (s *schedule) add(k int, report *Report) {
	p := &s.sol.Jobs[k]
	job, ok := s.in.JobFrom(s.next, p.Job)
	if s.next = job + 1; ok {
		s.named[job] = true
	}
	switch {
	case !ok:
		report.add(Violation{Code: codeUnknownJob, Job: p.Job, Message: "the instance has no such job"})
		return
	case s.isPlaced(job):
		report.add(Violation{Code: codeDuplicateJob, Job: p.Job, From: p.Start, To: p.End, Message: "the job is placed more than once"})
		return
	case !validInterval(p.Start, p.End):
		report.add(Violation{Code: codeTime, Job: p.Job, Message: fmt.Sprintf("expected 0 ≤ start ≤ end, found %v and %v", p.Start, p.End)})
		return
	}
	first, whole := len(s.parts), true
	p.Parts(s.in.jobs[job].Tasks, func(piece Piece) {
		part, violation := s.in.resolvePiece(job, piece)
		if violation.Code != "" {
			report.add(violation)
			whole = false
			return
		}
		part.first = len(s.parts) == first
		s.parts = append(s.parts, part)
	})
	if len(s.parts) == first {
		return
	}
	s.partRange[job], s.whole[job] = [2]int32{int32(first), int32(len(s.parts))}, whole
	s.start[job], s.end[job] = p.Start, p.End
}

// validInterval says whether an interval is one.
func validInterval(start, end float64) bool {
	return start >= 0 && start <= end && end <= math.MaxFloat64
}

// resolvePiece looks up the cluster of a piece and checks that its processors exist. The violation has no code where all is
// well.
func (in *Instance) resolvePiece(job int, piece Piece) (part, Violation) {
	v := Violation{Job: in.jobs[job].ID, Cluster: piece.Cluster, From: piece.Start, To: piece.End}
	c, ok := in.clusterIndex[piece.Cluster]
	switch {
	case !ok:
		v.Code, v.Message = codeUnknownCluster, fmt.Sprintf("the instance has no cluster %q", clip(piece.Cluster))
	case !validInterval(piece.Start, piece.End):
		v.Code, v.Message = codeTime, fmt.Sprintf("expected 0 ≤ start ≤ end, found %v and %v", piece.Start, piece.End)
	case len(piece.Processors) == 0:
		v.Code, v.Message = codeProcessorCount, "no processors are named"
	case !piece.Processors.within(in.clusters[c].Processors):
		v.Code, v.Resource = codeForeignProcessor, piece.Processors.clipped()
		v.Message = fmt.Sprintf("%s has the processors 0-%d", shown(piece.Cluster), in.clusters[c].Processors-1)
	case piece.Tasks < 1 || piece.Tasks > in.jobs[job].Tasks:
		v.Code, v.Message = codeTasks, fmt.Sprintf("expected 1 to %d tasks, found %d", in.jobs[job].Tasks, piece.Tasks)
	default:
		return part{job: job, cluster: c, set: piece.Processors, tasks: piece.Tasks,
			start: piece.Start, end: piece.End, devices: piece.Devices}, Violation{}
	}
	return part{}, v
}
