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

// searchWorkers is how many workers the solver, and the peer beside it, may use.
const searchWorkers = 2

// searchCase is an instance with what is known of it.
type searchCase struct {
	name  string
	in    *model.Instance
	known float64 // the best known objective, or a lower bound
	limit float64 // a ratio to it that is counted when it is passed; 0: none
}

// searchSet is a set of instances that are searched for as long each.
type searchSet struct {
	cases []searchCase
	times []time.Duration
	to    string // what the known values are: best, optimum, bound
}

// BenchmarkSearch measures what the solver search finds in a given time with two workers, on real data beside the repository:
// /data=SET/instance=NAME/time=LIMIT, in objective, ratio to the best that is known, gap% to the proved bound and evaluations a
// second. instance=mean sums a set up. Every repetition takes the next seed, whether -benchtime 5x or -count 5 asks for it.
func BenchmarkSearch(b *testing.B) {
	for _, set := range []struct {
		name string
		open func(*testing.B) searchSet
	}{
		{"mcp", openMCP},
		{"braun_etc", openBraun},
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

func openStripPacking(b *testing.B) searchSet {
	return searchSet{stripPackingCases(b, false), []time.Duration{10 * time.Second}, "optimum"}
}

func openShuffled(b *testing.B) searchSet {
	return searchSet{stripPackingCases(b, true), []time.Duration{10 * time.Second}, "optimum"}
}

func openWorkflows(b *testing.B) searchSet {
	return searchSet{workflowCases(b, 4, 16, 64), []time.Duration{time.Second}, "bound"}
}

// benchmark runs every case for every time, and sums each time up.
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

// report states one ratio, as such and as a percentage, which has more digits where it is near 1.
func (s searchSet) report(b *testing.B, ratio float64) {
	b.ReportMetric(ratio, "ratio-"+s.to)
	b.ReportMetric(100*(ratio-1), "%above-"+s.to)
}

// summary sums up the ratios of some cases, each repetition of them by itself: with -count 5 go test repeats one case five times, then the
// next, and then the summary.
type summary struct {
	cases  []searchCase
	ratios [][]float64 // by case, in the order of the repetitions
	now    int         // the repetition that is summed up, from 1 on
}

// add takes the ratio of the next repetition of a case.
func (s *summary) add(c searchCase, ratio float64) {
	k := slices.IndexFunc(s.cases, func(other searchCase) bool { return other.name == c.name })
	if k < 0 {
		k = len(s.cases)
		s.cases, s.ratios = append(s.cases, c), append(s.ratios, nil)
	}
	s.ratios[k] = append(s.ratios[k], ratio)
}

// benchmark states the mean, the worst and how many of the ratios are 1 or below, below 1 and above their limits, up to rounding.
func (s *summary) benchmark(b *testing.B, name, to string) {
	if len(s.cases) == 0 {
		return // none was chosen
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
		b.ReportMetric(0, "ns/op") // nothing was timed
	})
}

// searchSeeds are the last seeds of the benchmarks, by name.
var searchSeeds = map[string]uint64{}

// benchmarkSearch runs the solver for so long, reports what it found and returns the mean objective.
func benchmarkSearch(b *testing.B, in *model.Instance, limit time.Duration) float64 {
	objective, gap, evaluations, seconds, runs := 0.0, 0.0, 0.0, 0.0, 0.0
	for b.Loop() {
		runs++
		searchSeeds[b.Name()]++
		row := bench.Measure(b.Context(), "search", in, bench.Settings{Time: limit, Options: solve.Options{Seed: searchSeeds[b.Name()], Workers: searchWorkers}})
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

// batchHeuristics are the heuristics that a large batch is compared with, where they support it.
var batchHeuristics = []string{"fcfs-list", "dll", "minmin"}

// benchmarkBatch searches a real batch of 20,000 jobs: by how much it improves on the best heuristic, and the most memory the
// process held meanwhile.
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
				row := bench.Measure(b.Context(), name, in, bench.Settings{Options: solve.Options{Seed: 1}})
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

// shortTime writes 1m0s as 60s.
func shortTime(d time.Duration) string { return fmt.Sprintf("%gs", d.Seconds()) }
