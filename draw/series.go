package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// change is a change of a quantity at a time.
type change struct{ time, by float64 }

// weighted is a value with its weight: a length of time, or 1 for a job.
type weighted struct{ value, weight float64 }

// series holds the values of a quantity in a schedule.
type series struct {
	steps []change        // value from each time on, for queue, utilisation and power
	jobs  []jobValue      // of each placed job that counts, by arrival, for the other quantities
	byJob bool            // the quantity is one of jobs
	first float64         // begin of the first step
	last  float64         // end of the last step
	use   *model.PowerUse // for power
}

// newSeries computes the quantity from a schedule. An invalid time is an error.
func newSeries(in *model.Instance, sol *model.Solution, quantity Quantity) (*series, error) {
	s := &series{first: in.FirstArrival(), last: in.FirstArrival(), byJob: quantity.ofJobs()}
	var changes []change
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		job, ok := in.JobIndex(p.Job)
		if !ok {
			return nil, fmt.Errorf("job %q is not in the instance", p.Job)
		}
		if err := checkInterval(p.Start, p.End); err != nil {
			return nil, fmt.Errorf("jobs[%d] (%q): %w", k, picture.Clip(p.Job, 60), err)
		}
		j := &in.Jobs()[job]
		s.last = max(s.last, p.End)
		switch {
		case s.byJob:
			if value, counts := quantity.ofJob(j, p.Start, p.End); counts {
				s.jobs = append(s.jobs, jobValue{job, j.Arrival, value})
			}
		case quantity == Queue:
			changes = append(changes, change{j.Arrival, 1}, change{p.Start, -1})
		case quantity == Power: // below, of all jobs together
		default:
			var wrong error
			p.Parts(j.Tasks, func(part model.Piece) {
				if wrong == nil {
					wrong = checkInterval(part.Start, part.End)
				}
				share := 100 * float64(part.Processors.Len()) / float64(in.Processors())
				changes = append(changes, change{part.Start, share}, change{part.End, -share})
			})
			if wrong != nil {
				return nil, fmt.Errorf("jobs[%d] (%q): %w", k, picture.Clip(p.Job, 60), wrong)
			}
		}
	}
	if quantity == Power {
		return s, s.addPower(in, sol)
	}
	slices.SortFunc(s.jobs, func(a, b jobValue) int { return cmp.Or(cmp.Compare(a.arrival, b.arrival), cmp.Compare(a.job, b.job)) })
	s.steps = stepsOf(changes, in.FirstArrival())
	return s, nil
}

// byTime orders changes.
func byTime(a, b change) int { return cmp.Compare(a.time, b.time) }

// stepsOf adds the changes up to a step function, which is 0 before the first. Changes at the same time become one step.
func stepsOf(changes []change, from float64) []change {
	slices.SortStableFunc(changes, byTime)
	steps := []change{{from, 0}}
	for _, c := range changes {
		last := &steps[len(steps)-1]
		if c.time > last.time {
			steps = append(steps, change{c.time, last.by})
			last = &steps[len(steps)-1]
		}
		if last.by += c.by; math.Abs(last.by) < 1e-9 {
			last.by = 0 // remove the remainder of rounding
		}
	}
	return steps
}

// overTime makes the curve over time, with at most the given number of columns. It shows the steps themselves if they are few enough, and
// otherwise the mean of each column.
func (s *series) overTime(from, to float64, columns int) []picture.Point {
	if s.byJob {
		return s.jobsOverTime(from, to, columns)
	}
	var curve []picture.Point
	if len(s.steps) <= columns {
		for _, step := range s.steps {
			curve = append(curve, picture.Point{X: step.time, Y: step.by})
		}
		return append(curve, picture.Point{X: to, Y: s.steps[len(s.steps)-1].by})
	}
	width, k := (to-from)/float64(columns), 0
	for column := range columns {
		begin, end := from+float64(column)*width, from+float64(column+1)*width
		area := 0.0
		for at := begin; at < end; {
			for k+1 < len(s.steps) && s.steps[k+1].time <= at {
				k++
			}
			until := end
			if k+1 < len(s.steps) {
				until = min(end, s.steps[k+1].time)
			}
			area += s.steps[k].by * (until - at)
			at = until
		}
		curve = append(curve, picture.Point{X: begin, Y: area / width})
	}
	return append(curve, picture.Point{X: to, Y: curve[len(curve)-1].Y})
}

// highest makes the curve of the highest value in each column; nil: overTime shows the steps themselves.
func (s *series) highest(from, to float64, columns int) []picture.Point {
	if len(s.steps) <= columns {
		return nil
	}
	curve := make([]picture.Point, columns, columns+1)
	width, k := (to-from)/float64(columns), 0
	for column := range curve {
		begin, end := from+float64(column)*width, from+float64(column+1)*width
		for k+1 < len(s.steps) && s.steps[k+1].time <= begin {
			k++
		}
		most := s.steps[k].by
		for next := k + 1; next < len(s.steps) && s.steps[next].time < end; next++ {
			most = max(most, s.steps[next].by)
		}
		curve[column] = picture.Point{X: begin, Y: most}
	}
	return append(curve, picture.Point{X: to, Y: curve[columns-1].Y})
}

// jobsOverTime makes the curve of the mean of the jobs that arrive in each column. Columns without arrivals are left out.
func (s *series) jobsOverTime(from, to float64, columns int) []picture.Point {
	columns = min(columns, max(len(s.jobs)/8, 1)) // with few jobs per column the curve would consist of spikes
	var curve []picture.Point
	width, k := (to-from)/float64(columns), 0
	for column := range columns {
		end := from + float64(column+1)*width
		sum, n := 0.0, 0
		for ; k < len(s.jobs) && (s.jobs[k].arrival < end || column == columns-1); k++ {
			sum, n = sum+s.jobs[k].value, n+1
		}
		if n > 0 {
			curve = append(curve, picture.Point{X: end - width/2, Y: sum / float64(n)})
		}
	}
	return curve
}

// cumulative makes the distribution: for each value the share, in %, of the weight with at most that value. It has at most about the given
// number of points.
func (s *series) cumulative(points int) []picture.Point {
	var samples []weighted
	total := 0.0
	add := func(value, weight float64) {
		if weight > 0 {
			samples, total = append(samples, weighted{value, weight}), total+weight
		}
	}
	for _, v := range s.jobs {
		add(v.value, 1)
	}
	for k, step := range s.steps {
		end := s.last
		if k+1 < len(s.steps) {
			end = s.steps[k+1].time
		}
		if !s.byJob {
			add(step.by, end-step.time)
		}
	}
	slices.SortStableFunc(samples, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	var curve []picture.Point
	sum, shown := 0.0, math.Inf(-1)
	for k, x := range samples {
		sum += x.weight
		share := 100 * sum / total
		if k+1 < len(samples) && (samples[k+1].value == x.value || len(samples) > points && share < shown+100/float64(points)) {
			continue
		}
		shown = share
		curve = append(curve, picture.Point{X: x.value, Y: share})
	}
	return curve
}

// changes are the values of the jobs by arrival.
func (s *series) changes() []change {
	list := make([]change, len(s.jobs))
	for k, v := range s.jobs {
		list[k] = change{v.arrival, v.value}
	}
	return list
}

// cut keeps what lies from one time to another: the jobs that arrive then, and the steps.
func (s *series) cut(from, to float64) {
	s.jobs = slices.DeleteFunc(s.jobs, func(v jobValue) bool { return v.arrival < from || v.arrival > to })
	steps := []change{{from, 0}}
	for _, step := range s.steps {
		switch {
		case step.time <= from:
			steps[0].by = step.by
		case step.time < to:
			steps = append(steps, step)
		}
	}
	s.steps, s.last = steps, min(max(s.last, from), to)
}

// largestSum is the largest sum of all values that a picture can show: the margins of its axes stay finite.
const largestSum = 1e300

// isTooLarge says whether the values add up to more than that.
func (s *series) isTooLarge() bool {
	sum := 0.0
	for _, v := range s.jobs {
		sum += v.value
	}
	for _, step := range s.steps {
		sum += step.by
	}
	return !(sum <= largestSum)
}
