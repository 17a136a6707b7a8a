package bench_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// searchWorkers is the number of workers that the solver and its peer may use.
const searchWorkers = 2

// searchCase is an instance with a known value.
type searchCase struct {
	name  string
	in    *model.Instance
	known float64 // the best known objective, or a lower bound
	limit float64 // the benchmark counts ratios to known above this limit; 0: no limit
}

// searchSet is a set of instances that are searched with the same time limits.
type searchSet struct {
	cases []searchCase
	times []time.Duration
	to    string // the kind of the known values: best, optimum or bound
}

// BenchmarkSearch measures what the solver search finds in a given time with two workers, on real data: /data=SET/instance=NAME/time=LIMIT. It
// reports the objective, its ratio to the best known value, gap% to the proved bound and evaluations per second. instance=mean sums up a set. Every
// repetition takes the next seed, with -benchtime 5x as well as with -count 5.
func BenchmarkSearch(b *testing.B) {
	for _, set := range []struct {
		name string
		open func(*testing.B) searchSet
	}{
		{"mcp", openMCP},
		{"braun_etc", openBraun},
		{"generated_etc", openGenerated},
		{"strip_packing", openStripPacking},
		{"strip_packing_shuffled", openShuffled},
		{"wfformat", openWorkflows},
	} {
		b.Run("data="+set.name, func(b *testing.B) { set.open(b).benchmark(b) })
	}
	b.Run("data=swf", benchmarkBatch)
}

func openMCP(b *testing.B) searchSet {
	return searchSet{mcpCases(b), []time.Duration{2 * time.Second, 10 * time.Second, time.Minute}, "best"}
}

func openBraun(b *testing.B) searchSet {
	return searchSet{braunCases(b), []time.Duration{10 * time.Second, time.Minute}, "best"}
}

func openGenerated(b *testing.B) searchSet {
	return searchSet{generatedMatrices(b), []time.Duration{8 * time.Second}, "bound"}
}

func openStripPacking(b *testing.B) searchSet {
	return searchSet{stripPackingCases(b, false), []time.Duration{10 * time.Second}, "optimum"}
}

func openShuffled(b *testing.B) searchSet {
	return searchSet{stripPackingCases(b, true), []time.Duration{10 * time.Second}, "optimum"}
}

func openWorkflows(b *testing.B) searchSet {
	return searchSet{workflowCases(b, 4, 16, 64), []time.Duration{time.Second}, "bound"}
}

// benchmark runs every case with every time limit, and sums up the cases for each limit.
func (s searchSet) benchmark(b *testing.B) {
	for _, limit := range s.times {
		var sum summary
		for _, c := range s.cases {
			b.Run(fmt.Sprintf("instance=%s/time=%s", c.name, shortTime(limit)), func(b *testing.B) {
				found := benchmarkSearch(b, c.in, limit)
				ratio := found / c.known
				s.report(b, ratio)
				b.ReportMetric(found-c.known, "above-"+s.to)
				sum.add(c, ratio)
			})
		}
		sum.benchmark(b, "instance=mean/time="+shortTime(limit), s.to)
	}
}

// report states a ratio and the same as a percentage, which shows more digits of a ratio near 1.
func (s searchSet) report(b *testing.B, ratio float64) {
	b.ReportMetric(ratio, "ratio-"+s.to)
	b.ReportMetric(100*(ratio-1), "%above-"+s.to)
}

// summary sums up the ratios of some cases, separately for each repetition. With -count 5, go test runs the first case five times, then the next
// case, and last the summary five times.
type summary struct {
	cases  []searchCase
	ratios [][]float64 // by case and repetition
	now    int         // the repetition that is summed up, counted from 1
}

// add records the ratio of a case's next repetition.
func (s *summary) add(c searchCase, ratio float64) {
	k := slices.IndexFunc(s.cases, func(other searchCase) bool { return other.name == c.name })
	if k < 0 {
		k = len(s.cases)
		s.cases, s.ratios = append(s.cases, c), append(s.ratios, nil)
	}
	s.ratios[k] = append(s.ratios[k], ratio)
}

// benchmark states the mean and the worst ratio, and how many ratios are at most 1, below 1, and above their limits, up to rounding.
func (s *summary) benchmark(b *testing.B, name, to string) {
	if len(s.cases) == 0 {
		return // no case was selected
	}
	b.Run(name, func(b *testing.B) {
		if b.N == 1 { // once a repetition
			s.now++
		}
		sum, worst, runs, reached, below, passed := 0.0, 0.0, 0, 0, 0, 0
		for k, ratios := range s.ratios {
			if len(ratios) < s.now {
				continue
			}
			ratio := ratios[s.now-1]
			runs++
			sum += ratio
			worst = max(worst, ratio)
			if ratio <= 1+model.Tolerance {
				reached++
			}
			if ratio < 1-model.Tolerance {
				below++
			}
			if limit := s.cases[k].limit; limit > 0 && ratio > limit*(1+model.Tolerance) {
				passed++
			}
		}
		mean := sum / float64(runs)
		b.ReportMetric(mean, "ratio-"+to)
		b.ReportMetric(100*(mean-1), "%above-"+to)
		b.ReportMetric(100*(worst-1), "%above-worst")
		b.ReportMetric(float64(runs), "runs")
		b.ReportMetric(float64(reached), "reached")
		b.ReportMetric(float64(below), "beaten")
		if s.cases[0].limit > 0 {
			b.ReportMetric(float64(passed), "above-limit")
		}
		b.ReportMetric(0, "ns/op") // no time was measured, so hide it
	})
}

// searchSeeds holds the last seed that each benchmark has used, by its name.
var searchSeeds = map[string]uint64{}

// benchmarkSearch runs the solver with the time limit, reports its figures and returns the mean objective.
func benchmarkSearch(b *testing.B, in *model.Instance, limit time.Duration) float64 {
	objective, gap, evaluations, seconds, runs := 0.0, 0.0, 0.0, 0.0, 0.0
	for b.Loop() {
		runs++
		searchSeeds[b.Name()]++
		row := bench.Measure(b.Context(), bench.Chosen(b, "search"), in, bench.Settings{Time: limit, Options: solve.Options{Seed: searchSeeds[b.Name()], Workers: searchWorkers}})
		if row.Fault != "" || row.Objective == nil {
			b.Fatalf("no schedule: %s", row.Fault)
		}
		objective += *row.Objective
		evaluations += float64(row.Evaluations)
		seconds += row.Elapsed
		if row.Gap == nil {
			gap = math.NaN()
		} else {
			gap += *row.Gap
		}
	}
	b.ReportMetric(objective/runs, "objective")
	b.ReportMetric(evaluations/seconds, "evals/s")
	if !math.IsNaN(gap) {
		b.ReportMetric(gap/runs, "gap%")
	}
	return objective / runs
}

// batchHeuristics names the heuristics that search is compared with on a large batch, if they support it.
var batchHeuristics = []string{"fcfs-list", "dll", "minmin"}

// benchmarkBatch searches a real batch of 20,000 jobs. It reports the improvement over the best heuristic and the peak memory of the process.
func benchmarkBatch(b *testing.B) {
	in := batch(b, 20000)
	for _, objective := range []string{"makespan", "mean_response"} {
		in, err := in.WithObjective(map[string]float64{objective: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("instance=mira-20000-"+objective+"/time=30s", func(b *testing.B) {
			best := math.Inf(1)
			for _, name := range batchHeuristics {
				row := bench.Measure(b.Context(), bench.Chosen(b, name), in, bench.Settings{Options: solve.Options{Seed: 1}})
				if row.Fault != "" || row.Objective == nil {
					b.Logf("%s: %s", name, row.Fault)
					continue
				}
				best = min(best, *row.Objective)
			}
			end := peak.Watch()
			found := benchmarkSearch(b, in, 30*time.Second)
			b.ReportMetric(end()/1e6, "peak-MB")
			b.ReportMetric(best, "heuristic")
			b.ReportMetric(100*(best-found)/best, "%better")
		})
	}
}

// shortTime formats a time in seconds: 60s, not 1m0s.
func shortTime(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }
