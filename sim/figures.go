package sim

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// Figures is an observer that sums up what became of the jobs of a run in the general world, in constant memory. Each figure is the metric of its
// name, see [model.MetricTable], of the jobs that have left so far.
type Figures struct {
	platform *Platform
	clusters []clusterFigures
	missed   int64   // late and unscheduled jobs with a deadline
	limited  int64   // jobs with a deadline
	at       []int32 // by handle: cluster of a running job's first part

	processors int     // of the system
	running    int64   // jobs that run now
	ran        int64   // jobs that have run since the last instant
	held       int     // processors that they have held
	since      float64 // time of that instant
	partition  sum     // ∫ held/ran over the time in which a job runs
	busy       sum     // that time
}

// clusterFigures are sums over the jobs whose first part ran on a cluster to its end.
type clusterFigures struct {
	jobs, limited, late, slowed int64
	load, slowdown              sum
}

// Watch implements [Watcher].
func (f *Figures) Watch(p *Platform, _ Policy) {
	f.platform = p
	f.clusters = make([]clusterFigures, p.Clusters())
	for _, n := range p.All().Processors {
		f.processors += int(n)
	}
}

// Arrived implements [Observer].
func (f *Figures) Arrived(float64, *Job) {}

// Started implements [Observer].
func (f *Figures) Started(_ float64, j *Job, parts []Part) {
	for int(j.Handle) >= len(f.at) {
		f.at = append(f.at, 0)
	}
	f.at[j.Handle] = int32(parts[0].Cluster)
	f.running++
}

// Left implements [Observer].
func (f *Figures) Left(now float64, j *Job, outcome Outcome, _ string) {
	limited := !math.IsInf(j.Request.Deadline, 1)
	late := limited && (outcome != Finished || now > j.Request.Deadline)
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
func (f *Figures) Decided(now float64) {
	if f.ran > 0 {
		f.partition.add(float64(f.held) / float64(f.ran) * (now - f.since))
		f.busy.add(now - f.since)
	}
	free := 0
	for _, n := range f.platform.Free.Processors {
		free += int(n)
	}
	f.ran, f.held, f.since = f.running, f.processors-free, now
}

// Metrics are the figures by the name of their metric.
func (f *Figures) Metrics() model.Metrics {
	metrics := model.Metrics{
		"missed":    {Total: float64(f.missed)},
		"miss_rate": {Total: percent(float64(f.missed), float64(f.limited))},
	}
	partition := 0.0
	if f.busy.total() > 0 {
		partition = f.partition.total() / f.busy.total()
	}
	metrics["mean_partition"] = model.MetricValue{Total: partition}
	var slowed int64
	var jobs, load, slowdown sum
	for k := range f.clusters {
		c := &f.clusters[k]
		slowed += c.slowed
		slowdown.add(c.slowdown.total())
		jobs.add(float64(c.jobs))
		load.add(c.load.total())
	}
	metrics["slowdown_without_deadline"] = model.MetricValue{Total: slowdown.over(slowed)}
	for name, of := range map[string]func(*clusterFigures) float64{
		"job_share":                         func(c *clusterFigures) float64 { return percent(float64(c.jobs), jobs.total()) },
		"load_share":                        func(c *clusterFigures) float64 { return percent(c.load.total(), load.total()) },
		"cluster_missed":                    func(c *clusterFigures) float64 { return float64(c.late) },
		"cluster_miss_rate":                 func(c *clusterFigures) float64 { return percent(float64(c.late), float64(c.limited)) },
		"cluster_slowdown_without_deadline": func(c *clusterFigures) float64 { return c.slowdown.over(c.slowed) },
	} {
		values := map[string]float64{}
		for k := range f.clusters {
			values[f.platform.ClusterID(k)] = of(&f.clusters[k])
		}
		metrics[name] = model.MetricValue{ByCluster: values}
	}
	return metrics
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
