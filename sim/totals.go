package sim

import "math"

// Totals are running sums over the jobs of a run, in constant memory. Means are over the finished jobs.
type Totals struct {
	Processors   int     // of the system
	Arrived      int64   // jobs
	Left         int64   // jobs
	Finished     int64   // jobs that ran to their end
	Killed       int64   // jobs ended at their estimate or hard deadline
	Dropped      int64   // jobs that never started
	Outlived     int64   // finished jobs that ran longer than their estimate
	Instants     int64   // instants simulated
	MaxQueue     int     // most jobs queued at the beginning of a decision
	FirstArrival float64 // time
	LastEnd      float64 // time

	wait, response, stretch, slowdown, busy sum
	stretched                               int64 // finished jobs that took time
}

// boundedBelow is τ, the least run time of the bounded slowdown, in the unit of time, which is seconds in a trace.
const boundedBelow = 10

// arrived counts an arrival.
func (t *Totals) arrived(at float64) {
	if t.Arrived == 0 {
		t.FirstArrival = at
	}
	t.Arrived++
}

// left counts a job that leaves.
func (t *Totals) left(j *Job, now float64, outcome Outcome) {
	t.Left++
	if outcome == Dropped {
		t.Dropped++
		return
	}
	t.LastEnd = max(t.LastEnd, now)
	if outcome != Finished {
		t.Killed++
		return
	}
	t.Finished++
	if now > j.EstimatedEnd {
		t.Outlived++
	}
	t.wait.add(j.Start - j.Arrival)
	t.response.add(now - j.Arrival)
	if now > j.Start {
		t.stretched++
		t.stretch.add((now - j.Arrival) / (now - j.Start))
	}
	t.slowdown.add(max(1, (now-j.Arrival)/max(now-j.Start, boundedBelow)))
}

// MeanWait is the mean of start − arrival, time.
func (t *Totals) MeanWait() float64 { return t.wait.over(t.Finished) }

// MeanResponse is the mean of end − arrival, time.
func (t *Totals) MeanResponse() float64 { return t.response.over(t.Finished) }

// MeanSlowdown is the mean of response/run time over the jobs that take time.
func (t *Totals) MeanSlowdown() float64 { return t.stretch.over(t.stretched) }

// BoundedSlowdown is the mean of max(1, response/max(run time, 10)); the 10 is in the unit of time.
func (t *Totals) BoundedSlowdown() float64 { return t.slowdown.over(t.Finished) }

// Makespan is the last end − the first arrival, time.
func (t *Totals) Makespan() float64 {
	if t.Left == t.Dropped {
		return 0
	}
	return t.LastEnd - t.FirstArrival
}

// Utilisation is the share, in %, of all processor time from the first arrival to the last end in which jobs
// ran.
func (t *Totals) Utilisation() float64 {
	if t.Makespan() == 0 {
		return 0
	}
	return 100 * t.busy.value / (float64(t.Processors) * t.Makespan())
}

// sum adds numbers and keeps what rounding loses beside them (Neumaier 1974, doi:10.1002/zamm.19740540106): a mean over millions of
// jobs stays exact to the last digits.
type sum struct{ value, lost float64 }

// add adds a number.
func (s *sum) add(x float64) {
	t := s.value + x
	if math.Abs(s.value) >= math.Abs(x) {
		s.lost += s.value - t + x
	} else {
		s.lost += x - t + s.value
	}
	s.value = t
}

// total is the sum.
func (s *sum) total() float64 { return s.value + s.lost }

// over is the sum divided by n; 0 where n is 0.
func (s *sum) over(n int64) float64 {
	if n == 0 {
		return 0
	}
	return s.total() / float64(n)
}
