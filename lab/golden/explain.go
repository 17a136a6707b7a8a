package golden

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// explain says which rule the start of the job breaks, and why.
func (s *scene) explain(ctx context.Context) (Rule, string, error) {
	j := &s.w.Jobs[s.job]
	early := s.found[s.job].Start < orNever(s.reference[s.job].Start)
	if early {
		if rule, text := s.impossible(); rule != "" {
			return rule, text, nil
		}
	}
	var rule Rule
	var text string
	switch {
	case s.policy == "conservative":
		plan, err := s.plan(ctx)
		if err != nil {
			return "", "", err
		}
		if early {
			rule, text = s.delays(plan)
		} else {
			rule, text = s.reserved(plan)
		}
	case early:
		rule, text = s.tooEarly()
	default:
		rule, text = s.tooLate()
	}
	if rule == "" {
		return Unexplained, fmt.Sprintf("%s does not start job %s then", s.policy, j.ID), nil
	}
	if notes := s.notes(early); len(notes) > 0 {
		text += ". " + strings.Join(notes, ". ")
	}
	return rule, text, nil
}

// impossible says why the job cannot start at the time under any policy.
func (s *scene) impossible() (Rule, string) {
	j := &s.w.Jobs[s.job]
	if s.at < j.Submit {
		return BeforeSubmit, fmt.Sprintf("job %s is submitted at %s", j.ID, seconds(j.Submit))
	}
	if j.Processors > s.w.Processors {
		return TooWide, fmt.Sprintf("job %s needs %s and the machine has %d: it is refused and never starts", j.ID, numtext.Counted(j.Processors, "processor"), s.w.Processors)
	}
	others := s.running()
	for k := range s.w.Jobs {
		if k != s.job && s.found[k].Start == s.at && s.w.Jobs[k].Runtime > 0 {
			others = append(others, k)
		}
	}
	if free := s.w.Processors - s.held(others); j.Processors > free {
		slices.Sort(others)
		return Capacity, fmt.Sprintf("job %s needs %s, and at %s %s %s %d of %d", j.ID, numtext.Counted(j.Processors, "processor"), seconds(s.at), s.names(others), numtext.Word(len(others), "holds", "hold"), s.held(others), s.w.Processors)
	}
	return "", ""
}

// happens says whether something ends or is submitted at the time.
func (s *scene) happens() bool {
	return len(s.ending()) > 0 || slices.ContainsFunc(s.w.Jobs, func(j Job) bool { return j.Submit == s.at && j.Processors <= s.w.Processors })
}

// tooEarly says why fcfs or easy does not start the job at the time.
func (s *scene) tooEarly() (Rule, string) {
	j := &s.w.Jobs[s.job]
	verdicts := s.pass()
	v, ok := verdicts[s.job]
	switch {
	case !s.happens():
		return NoInstant, fmt.Sprintf("nothing ends and nothing is submitted at %s, so that nothing can start", seconds(s.at))
	case !ok || v.starts || v.isHead || !s.agrees(verdicts):
		return "", ""
	}
	head := &s.w.Jobs[v.head]
	if s.policy == "fcfs" {
		return Order, fmt.Sprintf("job %s is ahead of job %s in the queue and still waits at %s: it needs %s", head.ID, j.ID, seconds(s.at), numtext.Counted(head.Processors, "processor"))
	}
	if j.Processors > v.free {
		return "", ""
	}
	return Shadow, fmt.Sprintf("job %s would delay job %s, the head of the queue, whose shadow time is %s: by its estimate it would end at %s, and it needs %s where %d of %d extra %s left",
		j.ID, head.ID, seconds(v.shadow), seconds(s.at+j.Estimate), numtext.Counted(j.Processors, "processor"), v.extra, v.atFirst, numtext.Word(v.extra, "is", "are"))
}

// tooLate says why fcfs or easy starts the job at the time.
func (s *scene) tooLate() (Rule, string) {
	j := &s.w.Jobs[s.job]
	verdicts := s.pass()
	v, ok := verdicts[s.job]
	if !ok || !v.starts || !s.agrees(verdicts) {
		return "", ""
	}
	fits := fmt.Sprintf("it needs %s and %d %s free at %s", numtext.Counted(j.Processors, "processor"), v.free, numtext.Word(v.free, "is", "are"), seconds(s.at))
	rule, text := Head, fmt.Sprintf("job %s is the head of the queue, and %s", j.ID, fits)
	if !v.isHead {
		rule, text = Backfill, fmt.Sprintf("job %s could have been backfilled: %s, ", j.ID, fits)
		head := s.w.Jobs[v.head].ID
		if s.at+j.Estimate <= v.shadow {
			text += fmt.Sprintf("and by its estimate it would end at %s, not after the shadow time %s of job %s", seconds(s.at+j.Estimate), seconds(v.shadow), head)
		} else {
			text += fmt.Sprintf("and %d of %d extra %s left beside job %s at its shadow time %s", v.extra, v.atFirst, numtext.Word(v.extra, "is", "are"), head, seconds(v.shadow))
		}
	}
	if len(v.freed) > 0 {
		text += fmt.Sprintf(". A job of no time gives its processors back at the same second: %s", s.names(v.freed))
	}
	return rule, text
}

// notes are further facts that may be the cause.
func (s *scene) notes(early bool) []string {
	var notes []string
	j := &s.w.Jobs[s.job]
	if ending := s.ending(); !early && len(ending) > 0 && j.Processors > s.w.Processors-s.held(s.running())-s.held(ending) {
		notes = append(notes, fmt.Sprintf("%s %s at %s, and what ends at a second frees its processors before anything starts", capital(s.names(ending)), numtext.Word(len(ending), "ends", "end"), seconds(s.at)))
	}
	if late := s.late(); len(late) > 0 && s.policy != "fcfs" {
		notes = append(notes, fmt.Sprintf("%s %s taken to end at %s", capital(s.names(late)),
			numtext.Word(len(late), "has outlived its estimate and is", "have outlived their estimates and are"), seconds(s.at+1)))
	}
	if !j.Stated && s.policy != "fcfs" {
		notes = append(notes, fmt.Sprintf("Job %s states no estimate: its run time of %s s counts", j.ID, seconds(j.Runtime)))
	}
	for k := s.job + 1; !early && k < len(s.w.Jobs); k++ {
		other := &s.w.Jobs[k]
		if s.found[k].Start != s.at || s.reference[k].Start == s.at {
			continue
		}
		text := fmt.Sprintf("Job %s, which starts at %s instead, is behind it in the queue", other.ID, seconds(s.at))
		if other.Submit == j.Submit {
			text += ": of jobs submitted at the same second the smaller number goes first"
		}
		notes = append(notes, text)
		break
	}
	return notes
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// delays says which reservation of conservative backfilling the job delays when it starts at the time.
func (s *scene) delays(p *planned) (Rule, string) {
	j := &s.w.Jobs[s.job]
	own, queued := p.reserved[s.job]
	if !p.known || !queued || !(own > s.at) {
		return "", ""
	}
	if !slices.Contains(p.instants, s.at) {
		return NoInstant, fmt.Sprintf("nothing ends, nothing is submitted and no reservation that could be kept is due at %s. The reservation of job %s is %s", seconds(s.at), j.ID, seconds(own))
	}
	running := s.running()
	for k := range s.w.Jobs {
		if s.reference[k].Start == s.at && s.w.Jobs[k].Runtime > 0 {
			running = append(running, k)
		}
	}
	end := s.at + max(j.Estimate, 1)
	for _, t := range p.times(s.at, end) {
		free := s.w.Processors
		for _, k := range running {
			if s.expectedEnd(k, s.reference[k].Start) > t {
				free -= s.w.Jobs[k].Processors
			}
		}
		last, from := -1, math.Inf(-1) // the job that has the latest of the reservations
		for _, k := range p.order {
			if r := p.reserved[k]; k != s.job && r <= t && t < r+max(s.w.Jobs[k].Estimate, 1) {
				free -= s.w.Jobs[k].Processors
				if r > from {
					last, from = k, r
				}
			}
		}
		if free < j.Processors && last >= 0 {
			other := &s.w.Jobs[last]
			return Reservation, fmt.Sprintf("job %s would delay job %s, which has %s reserved from %s: by its estimate job %s would hold its %s until %s, and %d %s not reserved then. Its own reservation is %s",
				j.ID, other.ID, numtext.Counted(other.Processors, "processor"), seconds(from), j.ID, numtext.Counted(j.Processors, "processor"), seconds(s.at+j.Estimate), free, numtext.Word(free, "is", "are"), seconds(own))
		}
	}
	if !p.valid {
		return "", ""
	}
	return Compression, fmt.Sprintf("the reservation of job %s is %s: a reservation moves forward only at an instant at which a job ends early, once for each job in the order of the queue, while those of the jobs behind stay",
		j.ID, seconds(own))
}

// reserved says why the reservation of the job is the time.
func (s *scene) reserved(p *planned) (Rule, string) {
	j := &s.w.Jobs[s.job]
	if !p.known || len(p.moves) == 0 || p.moves[len(p.moves)-1].to != s.at {
		return "", ""
	}
	last := p.moves[len(p.moves)-1]
	if len(p.moves) > 1 {
		before := p.moves[len(p.moves)-2]
		text := fmt.Sprintf("the reservation of job %s moves at %s from %s to %s", j.ID, seconds(last.when), seconds(before.to), seconds(s.at))
		switch {
		case last.afresh:
			return Reservation, text + ": a job has outlived its estimate, so that all reservations are made again"
		case last.early:
			return Compression, text + ": a job ends early then, and in the order of the queue each job exchanges its reservation for the earliest that there is"
		}
		return "", ""
	}
	text := fmt.Sprintf("the reservation of job %s, made at %s, is %s, the first time from which %s %s neither held nor reserved for its estimate of %s s", j.ID, seconds(last.when),
		seconds(s.at), numtext.Counted(j.Processors, "processor"), numtext.Word(j.Processors, "is", "are"), seconds(j.Estimate))
	for _, k := range s.queue() {
		if k < s.job && s.reference[k].Start > s.at {
			return Hole, text + fmt.Sprintf(". A hole may lie before the reservation of a job ahead, here of job %s", s.w.Jobs[k].ID)
		}
	}
	return Reservation, text
}
