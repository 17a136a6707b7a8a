package model_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// naiveMetrics computes the metrics of the clusters and the usage metrics as their definitions read, with a loop over everything at every instant.
type naiveMetrics struct {
	in  *model.Instance
	sol *model.Solution
}

// job is the job of a placement.
func (n naiveMetrics) job(p *model.Placement) *model.Job {
	k, _ := n.in.JobIndex(p.Job)
	return &n.in.Jobs()[k]
}

// pieces lists the pieces of a placement.
func (n naiveMetrics) pieces(p *model.Placement) []model.Piece {
	var list []model.Piece
	p.Parts(n.job(p).Tasks, func(piece model.Piece) { list = append(list, piece) })
	return list
}

// home is the cluster of the first piece of a placement.
func (n naiveMetrics) home(p *model.Placement) string { return n.pieces(p)[0].Cluster }

// during calls f for the middle and the length of every interval in which nothing happens.
func (n naiveMetrics) during(f func(t, length float64)) {
	var times []float64
	for k := range n.sol.Jobs {
		p := &n.sol.Jobs[k]
		times = append(times, n.job(p).Arrival, p.Start, p.End)
		for _, piece := range n.pieces(p) {
			times = append(times, piece.Start, piece.End)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	for k := 1; k < len(times); k++ {
		f((times[k-1]+times[k])/2, times[k]-times[k-1])
	}
}

// over is a/b; 0 of nothing.
func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// usage is the time mean of active/min(available, active + requested), and whether there is a time to count. held yields, for each
// placement, what it takes and when.
func (n naiveMetrics) usage(available int, held func(p *model.Placement, yield func(amount int, start, end float64))) (mean float64, any bool) {
	weighted, length := 0.0, 0.0
	n.during(func(t, dt float64) {
		active, requested := 0, 0
		for k := range n.sol.Jobs {
			held(&n.sol.Jobs[k], func(amount int, start, end float64) {
				switch {
				case start <= t && t < end:
					active += amount
				case n.job(&n.sol.Jobs[k]).Arrival <= t && t < start:
					requested += amount
				}
			})
		}
		if limit := min(available, active+requested); limit > 0 {
			weighted += dt * float64(active) / float64(limit)
			length += dt
		}
	})
	return over(weighted, length), length > 0
}

// processorUsage is the usage of a cluster in %; "" is the grid.
func (n naiveMetrics) processorUsage(cluster string) float64 {
	available := 0
	for _, c := range n.in.Clusters() {
		if cluster == "" || c.ID == cluster {
			available += c.Processors
		}
	}
	mean, _ := n.usage(available, func(p *model.Placement, yield func(int, float64, float64)) {
		for _, piece := range n.pieces(p) {
			if cluster == "" || piece.Cluster == cluster {
				yield(piece.Processors.Len(), piece.Start, piece.End)
			}
		}
	})
	return 100 * mean
}

// licenceUsage is the mean usage of the cluster's own pools in %; "" counts all pools.
func (n naiveMetrics) licenceUsage(cluster string) float64 {
	sum, pools := 0.0, 0.0
	pool := func(l int, of string, copies int) { // of "" is the grid's
		if copies == model.Unlimited || cluster != "" && of != cluster {
			return
		}
		mean, any := n.usage(copies, func(p *model.Placement, yield func(int, float64, float64)) {
			draws := slices.ContainsFunc(n.pieces(p), func(piece model.Piece) bool {
				c, _ := n.in.ClusterIndex(piece.Cluster)
				_, own := n.in.Pool(c, l)
				return own && of == piece.Cluster || !own && of == ""
			})
			for _, need := range n.job(p).Licences {
				if draws && need.Licence == l {
					yield(need.Copies, p.Start, p.End)
				}
			}
		})
		if any {
			sum += mean
			pools++
		}
	}
	for l := range n.in.Licences() {
		pool(l, "", n.in.Licences()[l].Copies)
		for c := range n.in.Clusters() {
			if copies, own := n.in.Pool(c, l); own {
				pool(l, n.in.Clusters()[c].ID, copies)
			}
		}
	}
	return 100 * over(sum, pools)
}

// meanPartition is the time mean of the processors held by the number of jobs that run.
func (n naiveMetrics) meanPartition() float64 {
	weighted, length := 0.0, 0.0
	n.during(func(t, dt float64) {
		jobs, held := 0, 0
		for k := range n.sol.Jobs {
			p := &n.sol.Jobs[k]
			if p.Start <= t && t < p.End {
				jobs++
			}
			for _, piece := range n.pieces(p) {
				if piece.Start <= t && t < piece.End {
					held += piece.Processors.Len()
				}
			}
		}
		if jobs > 0 {
			weighted += dt * float64(held) / float64(jobs)
			length += dt
		}
	})
	return over(weighted, length)
}

// sumOf adds a value over the placements that count at a cluster; "" is the grid.
func (n naiveMetrics) sumOf(cluster string, value func(p *model.Placement, j *model.Job) float64) float64 {
	sum := 0.0
	for k := range n.sol.Jobs {
		if p := &n.sol.Jobs[k]; cluster == "" || n.home(p) == cluster {
			sum += value(p, n.job(p))
		}
	}
	return sum
}

// truth is 1 where a condition holds.
func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// The values that naive sums add up over jobs.
func each(*model.Placement, *model.Job) float64 { return 1 }
func hasDeadline(_ *model.Placement, j *model.Job) float64 {
	return truth(!math.IsInf(j.Deadline, 1))
}
func late(p *model.Placement, j *model.Job) float64 { return truth(p.End > j.Deadline+1e-9) }
func loadOf(_ *model.Placement, j *model.Job) float64 {
	if math.IsNaN(j.Estimate) {
		return j.Work
	}
	return j.Estimate * j.ReferenceSpeed
}
func slowed(p *model.Placement, j *model.Job) float64 {
	return truth(math.IsInf(j.Deadline, 1) && p.End > p.Start)
}
func slowdown(p *model.Placement, j *model.Job) float64 {
	if slowed(p, j) == 0 {
		return 0
	}
	return (p.End - j.Arrival) / (p.End - p.Start)
}

// metrics are the metrics by name, or name[cluster].
func (n naiveMetrics) metrics() map[string]float64 {
	found := map[string]float64{
		"processor_usage":           n.processorUsage(""),
		"licence_usage":             n.licenceUsage(""),
		"mean_partition":            n.meanPartition(),
		"slowdown_without_deadline": over(n.sumOf("", slowdown), n.sumOf("", slowed)),
	}
	for _, cluster := range n.in.Clusters() {
		id := cluster.ID
		for name, x := range map[string]float64{
			"cluster_missed":                    n.sumOf(id, late),
			"cluster_miss_rate":                 100 * over(n.sumOf(id, late), n.sumOf(id, hasDeadline)),
			"cluster_slowdown_without_deadline": over(n.sumOf(id, slowdown), n.sumOf(id, slowed)),
			"load_share":                        100 * over(n.sumOf(id, loadOf), n.sumOf("", loadOf)),
			"job_share":                         100 * over(n.sumOf(id, each), n.sumOf("", each)),
			"cluster_processor_usage":           n.processorUsage(id),
			"cluster_licence_usage":             n.licenceUsage(id),
		} {
			found[name+"["+id+"]"] = x
		}
	}
	return found
}

// shiftPieces moves the starts and ends of pieces, so that some begin late, end early or hold nothing.
func shiftPieces(t *rapid.T, in *model.Instance, sol *model.Solution) {
	for k := range sol.Jobs {
		p := &sol.Jobs[k]
		for c := range p.Pieces {
			if rapid.IntRange(0, 2).Draw(t, "shift") > 0 {
				continue
			}
			job, _ := in.JobIndex(p.Job)
			piece := &p.Pieces[c]
			piece.Start = in.Jobs()[job].Arrival + float64(rapid.IntRange(0, 48).Draw(t, "start"))/4
			piece.End = piece.Start + float64(rapid.IntRange(0, 16).Draw(t, "length"))/4
		}
	}
}

// On random schedules with pieces, jobs left out, jobs of no time and many ties.
func TestMetricsEqualTheNaiveOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 9, Clusters: 4}.Instance(t)
		sol := drawSolution(t, in)
		shiftPieces(t, in, sol)
		found := evaluated(t, in, sol).Metrics
		for name, want := range (naiveMetrics{in, sol}).metrics() {
			got, ok := value(found, name)
			if !ok || math.Abs(got-want) > 1e-9*max(math.Abs(got), math.Abs(want)) {
				t.Errorf("%s is %v, %v, expected %v", name, got, ok, want)
			}
		}
	})
}

// value is the value of a metric, or of metric[cluster].
func value(metrics model.Metrics, name string) (x float64, ok bool) {
	for _, m := range model.MetricTable() {
		if !m.PerCluster && m.Name == name {
			return metrics.Get(name)
		}
		for id, x := range metrics[m.Name].ByCluster {
			if m.Name+"["+id+"]" == name {
				return x, true
			}
		}
	}
	return 0, false
}

// Two clusters. On a: early meets its deadline, late does not, waits takes 4 and waits 8. On b: at once takes no time, wide takes 2 and
// waits 1, late too is late.
func TestMetricsOfClustersByHand(t *testing.T) {
	in, err := readInstance(document("",
		`{"id": "a", "machines": [{"id": "m", "processors": 2}]}, {"id": "b", "machines": [{"id": "m", "processors": 4}]}, {"id": "unused", "machines": [{"id": "m"}]}`,
		`{"id": "early", "work": 2, "deadline": 2}, {"id": "late", "work": 6, "deadline": 7, "estimate": 10, "reference_speed": 3},
		 {"id": "waits", "work": 4}, {"id": "at once", "work": 0}, {"id": "wide", "processors": 4, "work": 2},
		 {"id": "late too", "work": 1, "deadline": 0.5}, {"id": "left", "work": 9, "deadline": 9}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Status: model.Feasible, Jobs: []model.Placement{
		placed("early", "a", "0", 0, 2), placed("late", "a", "0", 2, 8), placed("waits", "a", "1", 8, 12),
		placed("at once", "b", "0", 5, 5), placed("wide", "b", "0-3", 1, 3), placed("late too", "b", "0", 0, 1)},
		Unscheduled: []model.Unscheduled{{Job: "left", Reason: "no"}}}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(violations(report))
	}
	for name, want := range map[string]map[string]float64{
		"cluster_missed":                    {"a": 1, "b": 1, "unused": 0},
		"cluster_miss_rate":                 {"a": 50, "b": 100, "unused": 0},
		"cluster_slowdown_without_deadline": {"a": 12.0 / 4, "b": 3.0 / 2, "unused": 0},
		"load_share":                        {"a": 100 * (2.0 + 30 + 4) / 39, "b": 100 * (0.0 + 2 + 1) / 39, "unused": 0},
		"job_share":                         {"a": 50, "b": 50, "unused": 0},
		// a: 0–2: 1 of min(2, 3); 2–8: 1 of min(2, 2); 8–12: 1 of 1. b: 0–1: 1 of min(4, 6); 1–3: 4 of 4; 3–5: 0 of 1.
		"cluster_processor_usage": {"a": 100 * (2*0.5 + 6*0.5 + 4) / 12, "b": 100 * (0.25 + 2 + 0) / 5, "unused": 0},
	} {
		checkClusters(t, report.Metrics, name, want)
	}
	checkMetrics(t, report.Metrics, map[string]float64{
		"missed": 3, "miss_rate": 75, "slowdown_without_deadline": (3 + 1.5) / 2,
		// 0–1: 2 of two jobs. 1–3: 1 + 4 of two. 3–12: 1 of one.
		"mean_partition": (1*1 + 2*2.5 + 9*1) / 12,
	})
}

// A job over two clusters holds three processors and releases one early; another takes it.
func TestMeanPartitionOfAJobThatReleasesEarly(t *testing.T) {
	in, err := readInstance(document("",
		`{"id": "a", "machines": [{"id": "m", "processors": 2}]}, {"id": "b", "machines": [{"id": "m"}]}`,
		`{"id": "j", "processors": 3, "tasks": 5, "work": 2, "span": "grid"}, {"id": "k", "work": 4}`))
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Status: model.Feasible, Jobs: []model.Placement{
		{Job: "j", Start: 0, End: 4, Pieces: []model.Piece{
			{Cluster: "b", Processors: set("0"), Tasks: 1, Start: 0, End: 2}, {Cluster: "a", Processors: set("0-1"), Tasks: 4, Start: 0, End: 4}}},
		placed("k", "b", "0", 2, 6),
	}}
	report := model.Check(in, sol)
	if !report.OK() {
		t.Fatal(violations(report))
	}
	// 0–2: 3 of one job; 2–4: 3 of two; 4–6: 1 of one.
	checkMetrics(t, report.Metrics, map[string]float64{"mean_partition": (2*3 + 2*1.5 + 2*1) / 6})
	checkClusters(t, report.Metrics, "job_share", map[string]float64{"a": 0, "b": 100})
	checkClusters(t, report.Metrics, "load_share", map[string]float64{"a": 0, "b": 100})
	// a: 0–4: 2 of 2. b: 0–6: 1 of 1.
	checkClusters(t, report.Metrics, "cluster_processor_usage", map[string]float64{"a": 100, "b": 100})
}

// The checker refuses pieces that start apart from their job; the evaluator still counts what it is given. A job draws its copies and runs from
// its own start to its own end.
func TestUsageOfAJobWhosePiecesStartLate(t *testing.T) {
	in, err := readInstance(document("",
		`{"id": "a", "licences": {"x": 1}, "machines": [{"id": "m", "processors": 2}]}`,
		`{"id": "j", "processors": 2, "work": 2, "span": "grid", "licences": {"x": 1}}, {"id": "k", "work": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ start, end, partition float64 }{
		{4, 6, (1*1 + 2*2) / 7.0}, // 0–1: 1 of one job; 2–4 and 6–8: 0 of one; 4–6: 2 of one
		{4, 8, (1*1 + 4*2) / 7.0},
		{2, 6, (1*1 + 4*2) / 7.0},
		{2, 8, (1*1 + 6*2) / 7.0},
	} {
		sol := &model.Solution{Jobs: []model.Placement{
			{Job: "j", Start: 2, End: 8, Pieces: []model.Piece{{Cluster: "a", Processors: set("0-1"), Tasks: 2, Start: c.start, End: c.end}}},
			placed("k", "a", "0", 0, 1),
		}}
		metrics := evaluated(t, in, sol).Metrics
		// Copies: 0–2 requested, 2–8 held.
		checkClusters(t, metrics, "cluster_licence_usage", map[string]float64{"a": 100 * 6.0 / 8})
		checkMetrics(t, metrics, map[string]float64{"mean_partition": c.partition})
	}
}
