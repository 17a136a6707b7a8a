package sim

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Figures returns an observer that sums up what becomes of the jobs of a run, in constant memory, and what states the figures so
// far by the name of their metric, see [model.MetricTable]: those of the jobs that have left. Metrics of deadlines are present only if a job had a
// deadline.
func Figures() (Watcher, func() model.Metrics) {
	f := &figures{}
	return f, f.metrics
}

// figures is the observer of [Figures].
type figures struct {
	platform *Platform
	clusters []clusterFigures
	missed   int64   // late and unscheduled jobs with a deadline
	limited  int64   // jobs with a deadline
	at       []int32 // by handle: cluster of a running job's first part

	running   int64   // jobs that run now
	ran       int64   // jobs that have run since the last instant
	held      int     // processors on which their tasks have run: what a schedule states
	since     float64 // time of that instant
	partition sum     // ∫ held/ran over the time in which a job runs
	busy      sum     // that time
}

// clusterFigures are sums over the jobs whose first part ran on a cluster to its end.
type clusterFigures struct {
	jobs, limited, late, slowed int64
	load, slowdown              sum
}

// Watch implements [Watcher].
func (f *figures) Watch(p *Platform, _ Policy) {
	f.platform = p
	f.clusters = make([]clusterFigures, p.Clusters())
}

// Arrived implements [Observer].
func (f *figures) Arrived(float64, *Job) {}

// Started implements [Observer].
func (f *figures) Started(_ float64, j *Job, parts []Part) {
	for int(j.Handle) >= len(f.at) {
		f.at = append(f.at, 0)
	}
	f.at[j.Handle] = int32(parts[0].Cluster)
	f.running++
}

// Left implements [Observer].
func (f *figures) Left(now float64, j *Job, outcome Outcome, _ string) {
	limited := !math.IsInf(j.Request.Deadline, 1)
	late := limited && (outcome != Finished || model.Late(now, j.Request.Deadline))
	f.limited, f.missed = f.limited+count(limited), f.missed+count(late)
	if outcome != Dropped {
		f.running--
	}
	if outcome != Finished {
		return
	}
	c := &f.clusters[f.at[j.Handle]]
	c.jobs++
	c.limited, c.late = c.limited+count(limited), c.late+count(late)
	if load := j.Estimate * j.Request.ReferenceSpeed; j.Request.Stated {
		c.load.add(load)
	} else {
		c.load.add(j.Request.in.Jobs()[j.Request.index].Work)
	}
	if !limited && now > j.Start {
		c.slowed++
		c.slowdown.add((now - j.Arrival) / (now - j.Start))
	}
}

// Decided implements [Observer].
func (f *figures) Decided(now float64) {
	if f.ran > 0 {
		f.partition.add(float64(f.held) / float64(f.ran) * (now - f.since))
		f.busy.add(now - f.since)
	}
	f.ran, f.held, f.since = f.running, f.platform.working, now
}

// metrics returns the figures by the name of their metric.
func (f *figures) metrics() model.Metrics {
	partition := 0.0
	if f.busy.total() > 0 {
		partition = f.partition.total() / f.busy.total()
	}
	var slowed int64
	var jobs, load, slowdown sum
	for k := range f.clusters {
		c := &f.clusters[k]
		slowed += c.slowed
		slowdown.add(c.slowdown.total())
		jobs.add(float64(c.jobs))
		load.add(c.load.total())
	}
	metrics := model.Metrics{
		"mean_partition": {Total: partition},
		"job_share":      f.byCluster(func(c *clusterFigures) float64 { return percent(float64(c.jobs), jobs.total()) }),
		"load_share":     f.byCluster(func(c *clusterFigures) float64 { return percent(c.load.total(), load.total()) }),
	}
	if f.limited > 0 {
		metrics["missed"] = model.MetricValue{Total: float64(f.missed)}
		metrics["miss_rate"] = model.MetricValue{Total: percent(float64(f.missed), float64(f.limited))}
		metrics["cluster_missed"] = f.byCluster(func(c *clusterFigures) float64 { return float64(c.late) })
		metrics["cluster_miss_rate"] = f.byCluster(func(c *clusterFigures) float64 { return percent(float64(c.late), float64(c.limited)) })
		metrics["slowdown_without_deadline"] = model.MetricValue{Total: slowdown.over(slowed)}
		metrics["cluster_slowdown_without_deadline"] = f.byCluster(func(c *clusterFigures) float64 { return c.slowdown.over(c.slowed) })
	}
	return metrics
}

// byCluster makes a metric with a value for each cluster.
func (f *figures) byCluster(of func(*clusterFigures) float64) model.MetricValue {
	values := map[string]float64{}
	for k := range f.clusters {
		values[f.platform.ClusterID(k)] = of(&f.clusters[k])
	}
	return model.MetricValue{ByCluster: values}
}

// count is 1 where the condition holds.
func count(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

// percent is part/whole in %; 0 of nothing.
func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}
