package plan

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/allot-opt/allot/model"
)

// Leave leaves the job out for the given reason, cut by [CutReason].
func (s *Schedule) Leave(job int, reason string) {
	s.solution.Unscheduled = append(s.solution.Unscheduled, model.Unscheduled{Job: s.in.Jobs()[job].ID, Reason: CutReason(reason)})
}

// CutReason shortens a text to the 1,000 bytes that the reason of an unscheduled job may have.
func CutReason(text string) string {
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

// LeaveOut leaves out a job that the caller has looked at on some clusters or on none, and says why: it looks at all clusters itself.
//
// Complexity: that of Earliest on each cluster.
func (s *Schedule) LeaveOut(job int) { s.Leave(job, s.whyOut(job, Slot{End: math.Inf(1)})) }

// whyNot says why a job has no slot anywhere.
func (s *Schedule) whyNot(job int) string {
	if !s.in.Runs(job) {
		return s.in.WhyNowhere(job)
	}
	for _, before := range s.in.Jobs()[job].After {
		if math.IsNaN(s.end[before]) {
			return fmt.Sprintf("waits for job %s, which is not placed", s.in.Jobs()[before].ID)
		}
	}
	text := "is never given enough machines that are open to it for as long as it takes"
	if s.in.SpreadOver(job) != nil {
		text = "no time was found for it" // over several clusters there may be one
	}
	if s.in.Features()&model.PowerLimits != 0 {
		text = "no time was found for it" + withinLimits // not that there is none: pieces that end early, or an earlier round, may leave room
	}
	if !s.empty() {
		text += " " + s.beside()
	}
	return text
}

// whyOut says why a job is left out that has the slot, or none where that ends at +Inf: what is true of the slot that ends first of all.
func (s *Schedule) whyOut(job int, slot Slot) string {
	j := &s.in.Jobs()[job]
	for c := range s.in.Clusters() {
		if other, ok := s.Earliest(job, c); ok && other.End < slot.End {
			slot = other
		}
	}
	cluster := s.in.Clusters()[slot.Cluster].ID
	switch {
	case s.GaveUp():
		return "the run stopped before a place was found for it"
	case math.IsInf(slot.End, 1):
		return s.whyNot(job)
	case !j.DeadlineHard || !model.Late(slot.End, j.Deadline):
		return fmt.Sprintf("left out by choice: it could end at %v on %s", slot.End, cluster)
	}
	if least := s.leastEnd(job); model.Late(least, j.Deadline) {
		return fmt.Sprintf("hard deadline %v would be missed: even alone it cannot end before %v", j.Deadline, least)
	}
	first := fmt.Sprintf("earliest end %v on %s", slot.End, cluster)
	if s.in.SpreadOver(job) != nil { // other numbers of processors over several clusters may end it sooner
		first = fmt.Sprintf("it would end at %v on %s", slot.End, cluster)
	}
	if s.empty() {
		return fmt.Sprintf("hard deadline %v would be missed: %s", j.Deadline, first)
	}
	return fmt.Sprintf("hard deadline %v would be missed %s: %s", j.Deadline, s.beside(), first)
}

// empty says that nothing is placed, also not by an earlier round.
func (s *Schedule) empty() bool { return len(s.solution.Jobs) == 0 && len(s.in.Held()) == 0 }

// beside says where the jobs placed so far leave room: behind them, or in the holes between them too.
func (s *Schedule) beside() string {
	if s.NamesLate() {
		return "beside the jobs placed before it"
	}
	return "behind the jobs placed before it"
}

// leastEnd is a time before which the job cannot end, whatever else runs; −Inf: none is known.
func (s *Schedule) leastEnd(job int) float64 {
	if s.in.SpreadOver(job) != nil {
		return math.Inf(-1)
	}
	j, takes := &s.in.Jobs()[job], math.Inf(1)
	for c := range s.in.Clusters() {
		if !s.in.CanRun(job, c) {
			continue
		}
		_, most := s.in.Width(job, c)
		each := (j.Tasks + most - 1) / most
		for g := range s.in.Clusters()[c].Machines {
			m := &s.in.Clusters()[c].Machines[g]
			takes = min(takes, s.in.Busy(job, c, m.Speed, each)+s.in.Transfer(job, m.Bandwidth))
		}
	}
	if math.IsInf(takes, 1) {
		return math.Inf(-1)
	}
	return j.Arrival + takes
}
