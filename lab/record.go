package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench/statistics"
)

// Record is what really happened, and how near the policies come to it.
type Record struct {
	Policy              // the figures of the recorded starts; its name is "recorded"
	Jobs        int     `json:"jobs"`    // of the window whose start the record tells
	Fits        []Fit   `json:"fits"`    // of the on-line policies, in their order
	Nearest     string  `json:"nearest"` // the policy whose starts are off by least, among those that leave out fewest jobs; empty: no on-line policy ran
	Explained   bool    `json:"explained"`
	OffByMedian float64 `json:"off_by_median"` // how far off starts are on average if every job waits for the median of the recorded waits; no other wait for all jobs is nearer
}

// Fit is how near a policy comes to the record.
type Fit struct {
	Policy   string  `json:"policy"`
	Jobs     int     `json:"jobs"`      // with a place under the policy and a recorded start
	MeanWait float64 `json:"mean_wait"` // of these jobs under the policy
	Recorded float64 `json:"recorded"`  // and by the record
	Off      float64 `json:"off"`       // mean of |start under the policy − recorded start|
	Explains bool    `json:"explains"`
	// Queues are the partitions of a site whose instance states its policy; absent: it states none.
	Queues []QueueFit `json:"queues,omitempty"`
}

// A policy explains the record if it leaves out no job, its starts are off by at most half of what the median alone is off by, and its mean wait by at most a quarter of the recorded
// one. A minute more or less counts for nothing: Slurm looks at its queue in rounds of half a minute and more.
const (
	mostOff      = 0.5
	mostMeanOff  = 0.25
	roundSeconds = 60
)

// recorded is the schedule by the record; nil: the instance has no recorded starts.
func (s *study) recorded() *schedule {
	r := unplaced(s.in)
	held, any := 0.0, false
	for k := range s.in.Jobs() {
		start, known := s.in.Recorded(k)
		if !known {
			continue
		}
		any = true
		width, length := s.shape(k)
		r.start[k], r.end[k], r.processors[k] = start, start+length, int32(width)
		held += float64(width) * max(0, min(start+length, s.to)-max(start, s.from))
	}
	if !any {
		return nil
	}
	r.utilisation = s.utilisation(held)
	return r
}

// record compares the on-line policies with the record; nil: the instance has no recorded starts.
func (s *study) record(runs []Run, schedules []*schedule) (*Record, error) {
	real := s.recorded()
	if real == nil {
		return nil, nil
	}
	figures, err := s.policy("recorded", real, nil)
	if err != nil {
		return nil, err
	}
	record := &Record{Policy: *figures, Jobs: len(s.counted) - figures.LeftOut}
	if record.Jobs == 0 {
		return nil, nil
	}
	median := figures.Classes[0].Wait.Median
	var off []float64
	for _, j := range s.counted {
		if real.placed(j) {
			off = append(off, math.Abs(real.wait(s.in, j)-median))
		}
	}
	record.OffByMedian = statistics.Sum(off) / float64(record.Jobs)
	round := 0.0
	if seconds, known := secondsIn(s.in.Units().Time); known {
		round = roundSeconds / seconds
	}
	var nearest Fit
	for k, run := range runs {
		if !run.Online && !s.opt.Known {
			continue
		}
		fit := s.fit(run.Policy, schedules[k], real)
		if fit.Jobs == 0 {
			continue
		}
		if s.opt.AsSite && SiteText(s.in) != "" {
			fit.Queues = s.queueFits(schedules[k], real)
		}
		fit.Explains = fit.Jobs == record.Jobs && fit.Off <= max(mostOff*record.OffByMedian, round) && math.Abs(fit.MeanWait-fit.Recorded) <= max(mostMeanOff*fit.Recorded, round)
		record.Fits = append(record.Fits, fit)
		record.Explained = record.Explained || fit.Explains
		if record.Nearest == "" || cmp.Or(cmp.Compare(nearest.Jobs, fit.Jobs), cmp.Compare(fit.Off, nearest.Off)) < 0 {
			nearest, record.Nearest = fit, fit.Policy
		}
	}
	return record, nil
}

// fit compares one schedule with the record, over the jobs of the window that both place.
func (s *study) fit(policy string, run, real *schedule) Fit {
	all := s.fitOf(s.counted, run, real)
	return Fit{Policy: policy, Jobs: all.Jobs, MeanWait: all.MeanWait, Recorded: all.Recorded, Off: all.Off}
}

// queueFits is [study.fit] by queue.
func (s *study) queueFits(run, real *schedule) (list []QueueFit) {
	for _, c := range s.classes {
		if c.kind == kindQueue {
			of := s.fitOf(c.jobs, run, real)
			of.Queue = c.name
			list = append(list, of)
		}
	}
	return list
}

// fitOf is [study.fit] of some jobs.
func (s *study) fitOf(jobs []int32, run, real *schedule) QueueFit {
	var waits, recorded, off []float64
	for _, j := range jobs {
		if run.placed(j) && real.placed(j) {
			waits, recorded, off = append(waits, run.wait(s.in, j)), append(recorded, real.wait(s.in, j)), append(off, math.Abs(run.start[j]-real.start[j]))
		}
	}
	fit := QueueFit{Jobs: len(waits)}
	if n := float64(fit.Jobs); n > 0 {
		fit.MeanWait, fit.Recorded, fit.Off = statistics.Sum(waits)/n, statistics.Sum(recorded)/n, statistics.Sum(off)/n
	}
	return fit
}

// nearest is the fit of the policy that is nearest; nil: no on-line policy ran.
func (r *Record) nearest() *Fit {
	k := slices.IndexFunc(r.Fits, func(f Fit) bool { return f.Policy == r.Nearest })
	if k < 0 {
		return nil
	}
	return &r.Fits[k]
}

// line says how near the policies come to the record.
func (r *Record) line(report *Report) string {
	text := "recorded: mean wait " + report.time(r.Classes[0].Wait.Mean)
	if fit := r.nearest(); fit != nil {
		text += fmt.Sprintf("; nearest is %s with %s, whose starts are off by %s on average (%s, if one says the median wait for every job)",
			report.short(fit.Policy), report.time(fit.MeanWait), report.time(fit.Off), report.time(r.OffByMedian))
	}
	return text
}

// sentence says whether a policy explains the record, which is what all advice rests on; empty: no on-line policy ran.
func (r *Record) sentence(report *Report) string {
	fit := r.nearest()
	switch {
	case fit == nil:
		return ""
	case r.Explained:
		return fmt.Sprintf("The simulation fits what was recorded: mean wait %s recorded, %s under %s.", report.time(fit.Recorded), report.time(fit.MeanWait), report.short(fit.Policy))
	}
	return fmt.Sprintf("No simulated policy explains what happened here (mean wait %s recorded, %s simulated under %s): limits of users and of qualities of service, priorities, reservations "+
		"or nodes that were down may have decided too. So what is said of differences between policies need not hold on this system.", report.time(fit.Recorded), report.time(fit.MeanWait), report.short(fit.Policy))
}
