package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/suggest"
)

// Metric documents one metric. Help texts, docs/reference/metrics.md and the JSON Schema are made from the table of them.
type Metric struct {
	Name       string
	Unit       string
	Doc        string
	HighBetter bool   // more is better; an objective takes it negated
	Neutral    bool   // neither more nor less is better: it describes a schedule. An objective takes it as it is
	PerCluster bool   // one value a cluster; it cannot be an objective
	Only       string // what an instance must have to be measured: "queueing view", "devices", "power", "prices" or "carbon"; empty: nothing
	compute    func(*evaluation) (value MetricValue, finite bool)
	ofJob      func(j *Job, start, end float64) (value float64, counts bool) // of a metric that is a mean over jobs, instead of compute
}

// IsMean says whether the metric is a mean over jobs, so that [Metric.OfJob] knows it.
func (m *Metric) IsMean() bool { return m.ofJob != nil }

// OfJob is what a job with the given start and end adds to a metric that is a mean over jobs, and whether the job counts: one that
// misses a hard deadline does not.
func (m *Metric) OfJob(j *Job, start, end float64) (value float64, counts bool) {
	if m.ofJob == nil || j.DeadlineHard && Late(end, j.Deadline) {
		return 0, false
	}
	return m.ofJob(j, start, end)
}

// value is the value of the metric in a schedule.
func (m *Metric) value(e *evaluation) (value MetricValue, finite bool) {
	if m.ofJob != nil {
		x := e.mean(m.ofJob)
		return MetricValue{Total: x}, isFinite(x)
	}
	return m.compute(e)
}

// Better says whether "high" or "low" values are better, or "neither".
func (m Metric) Better() string {
	switch {
	case m.Neutral:
		return "neither"
	case m.HighBetter:
		return "high"
	}
	return "low"
}

// MetricValue is the value of a metric: a number, or a number a cluster.
type MetricValue struct {
	Total     float64
	ByCluster map[string]float64 // cluster id → value; nil for a metric with one value
}

// MarshalJSON writes a number or an object of cluster → number.
func (v MetricValue) MarshalJSON() ([]byte, error) {
	if v.ByCluster != nil {
		return json.Marshal(v.ByCluster)
	}
	return json.Marshal(v.Total)
}

// Metrics are values by the name of the metric. A metric whose value is not finite, such as the penalty of an unstable
// queue, is not in the map.
type Metrics map[string]MetricValue

// MarshalJSON writes the metrics in the order of the table, names that are not in it last.
func (m Metrics) MarshalJSON() ([]byte, error) {
	names := make([]string, 0, len(m))
	for _, metric := range metricTable {
		if _, ok := m[metric.Name]; ok {
			names = append(names, metric.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if _, known := MetricNamed(name); !known {
			names = append(names, name)
		}
	}
	text := []byte{'{'}
	for k, name := range names {
		if k > 0 {
			text = append(text, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m[name])
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, key...), ':'), value...)
	}
	return append(text, '}'), nil
}

// Get is the value of a metric with one value, and whether it is there.
func (m Metrics) Get(name string) (float64, bool) {
	v, ok := m[name]
	return v.Total, ok && v.ByCluster == nil
}

// MetricTable lists all metrics in the order in which they are shown. F is the set of finished jobs: placed jobs that
// meet their deadline if it is hard. Times count from the earliest arrival of all jobs.
func MetricTable() []Metric { return metricTable }

var metricTable = []Metric{
	{Name: "makespan", Unit: "time", Doc: "latest end − earliest arrival",
		compute: total((*evaluation).makespan)},
	{Name: "idle_time", Unit: "processor·time", Doc: "Σ over clusters of processors · the cluster's makespan − busy processor time; 0 for a cluster without jobs",
		compute: total(func(e *evaluation) float64 { return e.sum(e.idle) })},
	{Name: "over_deadline", Unit: "time", Doc: "Σ over placed jobs of max(0, end − deadline)",
		compute: total(func(e *evaluation) float64 {
			return e.sum(func(c int) float64 { return e.clusters[c].over })
		})},
	{Name: "cp", Unit: "time", PerCluster: true, Doc: "comprehensive performance of a cluster: (w_idle·idle + w_makespan·makespan + w_over·over)/(sum of weights); a job on several clusters counts on the cluster of its first piece",
		compute: perCluster((*evaluation).cp)},
	{Name: "mcp", Unit: "time", Doc: "mean comprehensive performance: Σ over clusters of cp · its jobs/all placed jobs",
		compute: total((*evaluation).mcp)},
	{Name: "balance", Unit: "time", Doc: "PB, √(Σ over the n clusters of (cp − mcp)²/(n−1)); 0 for one cluster",
		compute: total((*evaluation).balance)},
	{Name: "mean_response", Unit: "time", Doc: "AVE, MRT: mean over F of end − arrival",
		ofJob: func(j *Job, start, end float64) (float64, bool) { return end - j.Arrival, true }},
	{Name: "mean_wait", Unit: "time", Doc: "mean over F of start − arrival",
		ofJob: func(j *Job, start, end float64) (float64, bool) { return start - j.Arrival, true }},
	{Name: "mean_slowdown", Unit: "1", Doc: "mean, over the jobs of F that take time, of (end − arrival)/(end − start)",
		ofJob: func(j *Job, start, end float64) (float64, bool) {
			return (end - j.Arrival) / (end - start), end > start
		}},
	{Name: "slowdown_without_deadline", Unit: "1", Doc: "mean_slowdown over the jobs without a deadline",
		ofJob: func(j *Job, start, end float64) (float64, bool) {
			return (end - j.Arrival) / (end - start), end > start && !j.HasDeadline()
		}},
	{Name: "cluster_slowdown_without_deadline", Unit: "1", PerCluster: true, Doc: "slowdown_without_deadline of the jobs that ran on a cluster; a job on several clusters counts on the cluster of its first piece",
		compute: perCluster(func(e *evaluation, c int) float64 { return ratio(e.clusters[c].slowdown, e.clusters[c].slowed) })},
	{Name: "bounded_slowdown", Unit: "1", Doc: "mean over F of max(1, (end − arrival)/max(end − start, 10)); the 10 is in the unit of time of the instance, so 10 s in a trace",
		ofJob: func(j *Job, start, end float64) (float64, bool) {
			return max(1, (end-j.Arrival)/max(end-start, 10)), true
		}},
	{Name: "finished", Unit: "jobs", HighBetter: true, Doc: "|F|, the jobs that are placed and meet their deadline if it is hard",
		compute: total(func(e *evaluation) float64 { return float64(e.finished) })},
	{Name: "unfinished", Unit: "jobs", Doc: "UFJ: jobs − |F|",
		compute: total(func(e *evaluation) float64 { return float64(len(e.in.jobs) - e.finished) })},
	{Name: "missed", Unit: "jobs", Doc: "late or unscheduled jobs among those with a deadline",
		compute: total(func(e *evaluation) float64 { return float64(e.missed) })},
	{Name: "miss_rate", Unit: "%", Doc: "missed as a share of the jobs with a deadline",
		compute: total(func(e *evaluation) float64 { return percent(float64(e.missed), float64(e.withDeadline)) })},
	{Name: "cluster_missed", Unit: "jobs", PerCluster: true, Doc: "late jobs among the jobs with a deadline that ran on a cluster; a job on several clusters counts on the cluster of its first piece, and a job that the schedule leaves out counts only in missed",
		compute: perCluster(func(e *evaluation, c int) float64 { return e.clusters[c].missed })},
	{Name: "cluster_miss_rate", Unit: "%", PerCluster: true, Doc: "cluster_missed as a share of the jobs with a deadline that ran on the cluster",
		compute: perCluster(func(e *evaluation, c int) float64 {
			return percent(e.clusters[c].missed, e.clusters[c].withDeadline)
		})},
	{Name: "data_moved", Unit: "data", HighBetter: true, Doc: "SFS: Σ over F of input + output",
		compute: total(func(e *evaluation) float64 {
			return e.sumFinished(func(j *Job) float64 { return j.Input + j.Output })
		})},
	{Name: "work_done", Unit: "work", HighBetter: true, Doc: "SIN: Σ over F of tasks · work",
		compute: total(func(e *evaluation) float64 { return e.sumFinished((*Job).TotalWork) })},
	{Name: "utilisation", Unit: "%", HighBetter: true, Doc: "busy processor time/(processors · makespan)",
		compute: total(func(e *evaluation) float64 {
			busy := e.sum(func(c int) float64 { return e.clusters[c].busy })
			return percent(busy, float64(e.in.processors)*e.makespan())
		})},
	{Name: "processor_usage", Unit: "%", HighBetter: true, Doc: "mean, over the time in which a job runs or waits, of active/min(available, active + requested by queued jobs) processors; a job that is left out requests none",
		compute: total(func(e *evaluation) float64 { return 100 * e.processors().grid })},
	{Name: "cluster_processor_usage", Unit: "%", HighBetter: true, PerCluster: true, Doc: "processor_usage of one cluster; a job counts as queued at the cluster where it ran, from its arrival to its start, and a job on several clusters requests from each the processors that it held there",
		compute: perCluster(func(e *evaluation, c int) float64 { return 100 * e.processors().clusters[c] })},
	{Name: "licence_usage", Unit: "%", HighBetter: true, Doc: "like processor_usage, for the copies of each limited pool of licences; mean over the pools that jobs asked for",
		compute: total(func(e *evaluation) float64 {
			return e.licenceUsage(func(pool) bool { return true })
		})},
	{Name: "cluster_licence_usage", Unit: "%", HighBetter: true, PerCluster: true, Doc: "licence_usage of the cluster's own pools; a pool of the whole grid belongs to no cluster and counts only in licence_usage",
		compute: perCluster(func(e *evaluation, c int) float64 {
			return e.licenceUsage(func(p pool) bool { return p.cluster == c })
		})},
	{Name: "mean_partition", Unit: "processors", Neutral: true, Doc: "mean, over the time in which a job runs, of processors held/number of running jobs; a job whose pieces end at different times runs until its last piece ends",
		compute: total(func(e *evaluation) float64 { return e.processors().partition })},
	{Name: "workload_share", Unit: "%", Neutral: true, PerCluster: true, Doc: "work of the tasks placed on a cluster/work of all placed tasks",
		compute: clusterShare(func(c *clusterSums) float64 { return c.work })},
	{Name: "load_share", Unit: "%", Neutral: true, PerCluster: true, Doc: "load of the jobs that ran on a cluster/load of all placed jobs; the load of a job is estimate · reference_speed, whatever its number of processors, or without an estimate the work of one task; a job on several clusters counts on the cluster of its first piece",
		compute: clusterShare(func(c *clusterSums) float64 { return c.load })},
	{Name: "job_share", Unit: "%", Neutral: true, PerCluster: true, Doc: "jobs that ran on a cluster/all placed jobs; a job on several clusters counts on the cluster of its first piece",
		compute: clusterShare(func(c *clusterSums) float64 { return float64(c.jobs) })},
	{Name: "cost", Unit: "cost", Doc: "Σ cost · processor time held",
		compute: total(func(e *evaluation) float64 { return e.cost })},
	{Name: "over_budget", Unit: "jobs", Doc: "jobs that cost more than their budget",
		compute: total(func(e *evaluation) float64 { return float64(e.overBudget) })},
	{Name: "workflow_failures", Unit: "workflows", Doc: "workflows that end after their deadline, cost more than their budget, or have a job that is not scheduled",
		compute: total((*evaluation).workflowFailures)},
	{Name: "qos_penalty", Unit: "1", Doc: "the G/G/1 objective: Σ over placed jobs of max(0, R − d)/d + max(0, C − e)/e where R = W + S is the bound on the mean wait plus the service time at k standard deviations, d = deadline − arrival, C the cost of R (or of S), e the budget; only for an instance with a queueing view",
		Only: "queueing view", compute: total((*evaluation).qosPenalty)},
	{Name: "device_utilisation", Unit: "%", HighBetter: true, Doc: "Σ over jobs of device shares held · time/(devices of all machines · makespan); only for an instance whose machines have devices",
		Only: "devices", compute: total((*evaluation).deviceUtilisation)},
	{Name: "stranded", Unit: "devices", Doc: "mean, from the earliest arrival to the latest end, of the device shares that are free on machines where no block of the instance's jobs that need devices has room (Weng et al. 2023, §3); only for an instance whose machines have devices",
		Only: "devices", compute: total((*evaluation).stranded)},
	{Name: "energy", Unit: "power·time", Doc: "power of all machines, summed up over the horizon; machines that may sleep take the cheapest way; only for an instance that states power",
		Only: "power", compute: total(func(e *evaluation) float64 { return e.powerUse().energy })},
	{Name: "energy_cost", Unit: "cost", Doc: "price · power/per, summed up over the horizon; only for an instance that states power, and prices in every cluster",
		Only: "prices", compute: total(func(e *evaluation) float64 { return e.powerUse().cost })},
	{Name: "carbon", Unit: "carbon", Doc: "carbon of the tariff · power/per, summed up over the horizon; only for an instance that states power, and carbon in every cluster",
		Only: "carbon", compute: total(func(e *evaluation) float64 { return e.powerUse().carbon })},
	{Name: "peak_power", Unit: "power", Doc: "the highest power of all machines in the horizon, ways between on and off included; only for an instance that states power",
		Only: "power", compute: total(func(e *evaluation) float64 { return e.powerUse().peak })},
}

// measures says whether the instance has what the metric measures.
func (in *Instance) measures(m *Metric) bool {
	switch m.Only {
	case "queueing view":
		return in.hasQueueing()
	case "devices":
		return in.hasDevices()
	case "power":
		return in.powered.any
	case "prices":
		return in.powered.any && in.powered.prices
	case "carbon":
		return in.powered.any && in.powered.carbon
	}
	return true
}

// MetricNamed is the metric with the given name.
func MetricNamed(name string) (Metric, bool) {
	for _, m := range metricTable {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// ObjectiveMetrics lists the names of the metrics with a single value. An objective is a weighted sum of such
// metrics.
func ObjectiveMetrics() []string {
	var names []string
	for _, m := range metricTable {
		if !m.PerCluster {
			names = append(names, m.Name)
		}
	}
	return names
}

// checkObjectiveMetric says whether a metric can be part of an objective.
func checkObjectiveMetric(name string) error {
	m, ok := MetricNamed(name)
	if ok && !m.PerCluster {
		return nil
	}
	known := ObjectiveMetrics()
	return fmt.Errorf("expected a metric with one value, one of %s; found %q%s", strings.Join(known, ", "), clip(name), suggest.Words(name, known))
}

// total makes a metric with one value.
func total(f func(*evaluation) float64) func(*evaluation) (MetricValue, bool) {
	return func(e *evaluation) (MetricValue, bool) {
		x := f(e)
		return MetricValue{Total: x}, isFinite(x)
	}
}

// perCluster makes a metric with one value a cluster.
func perCluster(f func(*evaluation, int) float64) func(*evaluation) (MetricValue, bool) {
	return func(e *evaluation) (MetricValue, bool) {
		values, finite := make(map[string]float64, len(e.clusters)), true
		for c := range e.clusters {
			x := f(e, c)
			values[e.in.clusters[c].ID] = x
			finite = finite && isFinite(x)
		}
		return MetricValue{ByCluster: values}, finite
	}
}

// clusterShare makes a metric of what each cluster has of the whole, in %.
func clusterShare(of func(*clusterSums) float64) func(*evaluation) (MetricValue, bool) {
	return func(e *evaluation) (MetricValue, bool) {
		whole := e.sum(func(c int) float64 { return of(&e.clusters[c]) })
		return perCluster(func(e *evaluation, c int) float64 { return percent(of(&e.clusters[c]), whole) })(e)
	}
}

// mean returns the mean over the finished jobs that f counts, or 0 if there are none.
func (e *evaluation) mean(f func(j *Job, start, end float64) (value float64, counts bool)) float64 {
	sum, n := 0.0, 0
	for k := range e.in.jobs {
		if !e.isFinished(k) {
			continue
		}
		if value, counts := f(&e.in.jobs[k], e.start[k], e.end[k]); counts {
			sum += value
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// percent is part/whole in %; 0 of nothing.
func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}

// isFinite says whether x is a number other than ±Inf.
func isFinite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
