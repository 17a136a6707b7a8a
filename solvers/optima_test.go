package solvers_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// oddInstance is an instance of a few rigid jobs at the odd places: jobs of no length, ties, times in halves, quarters and tenths, units from
// 1e-9 to 1e9, jobs that run nowhere. The unit is returned.
func oddInstance(rng *rand.Rand, jobs int, waits bool) (in *model.Instance, unit float64) {
	unit = []float64{1, 1, 1e-9, 1e9}[rng.IntN(4)]
	step := unit * []float64{1, 1, 0.5, 0.25, 0.1}[rng.IntN(5)]
	times := func(most int) float64 { return step * float64(rng.IntN(most)) }
	b := model.NewBuilder("odd")
	for c := range 1 + rng.IntN(2) {
		cluster := model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 1 + rng.IntN(4), Speed: []float64{1, 1, 2, 3, 0.5}[rng.IntN(5)]}}}
		if rng.IntN(3) == 0 {
			cluster.Weights = &model.WeightsSpec{OverDeadline: new(float64(rng.IntN(3))), Makespan: new(float64(rng.IntN(3))), IdleTime: new(float64(rng.IntN(2)))}
		}
		if waits && rng.IntN(3) == 0 {
			cluster.Licences = map[string]int{"l": 1}
		}
		b.Cluster(cluster)
	}
	if waits {
		b.Spec().Licences = map[string]int{"l": 2}
	}
	for j := range 1 + rng.IntN(jobs) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(3)), Work: new(times(9))}
		if rng.IntN(4) == 0 {
			job.Work = new(0.0)
		}
		if rng.IntN(2) == 0 {
			job.Deadline = new(times(14))
		}
		if rng.IntN(2) == 0 {
			job.Arrival = times(8)
		}
		if rng.IntN(6) == 0 {
			job.Runtime = map[string]float64{"c0": times(7)}
		}
		if waits && j > 0 && rng.IntN(2) == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		if waits && rng.IntN(2) == 0 {
			job.Licences = map[string]int{"l": 1}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		panic(err)
	}
	return in, unit
}

// activeOptima are the least values of the metrics over all active schedules of rigid jobs on clusters of equal processors: every job at the
// earliest time at which it fits between those before it, in every order, on every cluster. It shares no code with any solver. Ok is
// false where a job runs nowhere.
func activeOptima(in *model.Instance, metrics []string) (best map[string]float64, ok bool) {
	for j := range in.Jobs() {
		runs := false
		for c := range in.Clusters() {
			runs = runs || in.CanRun(j, c)
		}
		if !runs {
			return nil, false
		}
	}
	e := &enumeration{in: in, metrics: metrics, best: map[string]float64{}, placed: make([]placedJob, len(in.Jobs()))}
	e.extend(0)
	return e.best, true
}

// enumeration is a run of activeOptima.
type enumeration struct {
	in      *model.Instance
	metrics []string
	best    map[string]float64
	placed  []placedJob // by job; size 0: not yet
	order   []int
}

// placedJob is a job that is placed.
type placedJob struct {
	cluster, size int
	start, end    float64
}

// extend places one job more in every way.
func (e *enumeration) extend(n int) {
	if n == len(e.placed) {
		e.measure()
		return
	}
	for j := range e.placed {
		ready, waits := e.in.Jobs()[j].Arrival, e.placed[j].size > 0
		for _, before := range e.in.Jobs()[j].After {
			waits = waits || e.placed[before].size == 0
			ready = max(ready, e.placed[before].end)
		}
		for c := range e.in.Clusters() {
			if waits || !e.in.CanRun(j, c) {
				continue
			}
			size, _ := e.in.Width(j, c)
			e.placed[j] = e.asEarlyAsFits(j, placedJob{cluster: c, size: size}, ready, e.in.DurationOn(j, c, size))
			e.order = append(e.order, j)
			e.extend(n + 1)
			e.order = e.order[:n]
			e.placed[j] = placedJob{}
		}
	}
}

// asEarlyAsFits is the job at the earliest time from ready on, which is that or the end of another.
func (e *enumeration) asEarlyAsFits(j int, p placedJob, ready, duration float64) placedJob {
	times := []float64{ready}
	for _, other := range e.order {
		times = append(times, e.placed[other].end)
	}
	slices.Sort(times)
	for _, t := range times {
		if p.start, p.end = t, t+duration; t >= ready && (duration == 0 || e.fits(j, p)) {
			break
		}
	}
	return p
}

// fits says that processors and licences suffice at every start within the interval.
func (e *enumeration) fits(j int, p placedJob) bool {
	for _, at := range append([]int{-1}, e.order...) {
		t := p.start
		if at >= 0 {
			t = e.placed[at].start
		}
		if t < p.start || t >= p.end {
			continue
		}
		held := p.size
		for _, other := range e.order {
			if q := e.placed[other]; q.cluster == p.cluster && q.start <= t && t < q.end {
				held += q.size
			}
		}
		if held > e.in.Clusters()[p.cluster].Processors || !e.licensed(j, p, t) {
			return false
		}
	}
	return true
}

// licensed says that the pools have the copies that the job draws beside the others that run at the time.
func (e *enumeration) licensed(j int, p placedJob, t float64) bool {
	for _, need := range e.in.Jobs()[j].Licences {
		copies, own := e.in.Pool(p.cluster, need.Licence)
		drawn := need.Copies
		for _, other := range e.order {
			q := e.placed[other]
			_, otherOwn := e.in.Pool(q.cluster, need.Licence)
			for _, also := range e.in.Jobs()[other].Licences {
				if also.Licence == need.Licence && own == otherOwn && (!own || q.cluster == p.cluster) && q.start <= t && t < q.end {
					drawn += also.Copies
				}
			}
		}
		if drawn > copies {
			return false
		}
	}
	return true
}

// measure asks the evaluator. Which processors a job holds does not matter to it.
func (e *enumeration) measure() {
	s := &model.Solution{}
	for j, p := range e.placed {
		s.Jobs = append(s.Jobs, model.Placement{Job: e.in.Jobs()[j].ID, Cluster: e.in.Clusters()[p.cluster].ID,
			Processors: model.NewProcessorSet(model.Range{First: 0, Last: p.size - 1}), Start: p.start, End: p.end})
	}
	evaluation, err := model.Evaluate(e.in, s)
	if err != nil {
		panic(err)
	}
	for _, m := range e.metrics {
		v, _ := evaluation.Metrics.Get(m)
		if old, known := e.best[m]; !known || v < old {
			e.best[m] = v
		}
	}
}
