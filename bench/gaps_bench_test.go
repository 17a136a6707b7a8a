package bench_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// The work of BenchmarkGaps is counted, not timed, so that a busy machine gives the same figures.
const (
	gapEvals  = 20_000        // of search
	gapWork   = 2_000_000_000 // of the bound, for each metric
	gapJobs   = 60            // the first of longer instances of suites and data
	gapMethod = 1e8           // of the bound at a time
	cutJobs   = 8             // the first of every instance, for exact
)

// gapMetrics are the metrics of the table in docs/bounds.md.
var gapMetrics = []string{"makespan", "mean_response", "mean_wait", "bounded_slowdown", "mean_slowdown", "over_deadline", "missed"}

// BenchmarkGaps measures how far the bound is below the schedule of search, and whom to blame: set=SET/instance=NAME/metric=METRIC. gap% is of the
// schedule. Where exact solves the first eight jobs, cut-schedule% is how far the schedule of search is above its optimum there, and cut-bound%
// how far the bound is below it, both in per cent of the optimum (of 1 where that is 0). placed-gap% is the gap to a bound on the schedules that keep no job out
// for its hard deadline, where the schedule of search is one. With -v it says which method proves the bound. The last lines have the means.
func BenchmarkGaps(b *testing.B) {
	var all, examples gapMeans
	for _, c := range exampleGaps(b) {
		c.run(b, "examples", &all, &examples)
	}
	for _, c := range suiteGaps(b) {
		c.run(b, "suites", &all)
	}
	for _, c := range dataGaps(b) {
		c.run(b, "data", &all)
	}
	examples.report(b, "examples")
	all.report(b, "all")
}

// gapMeans adds up gaps.
type gapMeans struct {
	sum float64
	n   int
}

func (m *gapMeans) mean() float64 { return m.sum / float64(max(1, m.n)) }

// report states the mean of a set.
func (m *gapMeans) report(b *testing.B, set string) {
	b.Run("set="+set+"/mean", func(b *testing.B) {
		for b.Loop() { // what it reports was measured before
		}
		b.ReportMetric(m.mean(), "gap%")
		b.ReportMetric(float64(m.n), "pairs")
	})
}

// run measures every metric of an instance.
func (c searchCase) run(b *testing.B, set string, means ...*gapMeans) {
	for _, metric := range gapMetrics {
		in, err := c.in.WithObjective(map[string]float64{metric: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("set="+set+"/instance="+c.name+"/metric="+metric, func(b *testing.B) {
			var row bench.Row
			proved, method := 0.0, ""
			for b.Loop() {
				if row = searched(b, in); row.Objective == nil {
					b.Skip("search has no schedule")
				}
				proved, method = provedBelow(b, in, *row.Objective)
			}
			schedule := *row.Objective
			gap := share(schedule-proved, schedule)
			b.ReportMetric(gap, "gap%")
			b.Logf("schedule %v, bound %v by %s", schedule, proved, method)
			for _, m := range means {
				m.sum, m.n = m.sum+gap, m.n+1
			}
			if in.Features()&model.HardDeadlines != 0 && row.Left == 0 {
				placed, _ := provedBelow(b, withoutHardDeadlines(b, in), schedule)
				b.ReportMetric(share(schedule-placed, schedule), "placed-gap%")
			}
			reportCut(b, in)
		})
	}
}

// share is the difference in per cent of the value.
func share(difference, of float64) float64 {
	switch {
	case math.Abs(difference) <= model.Tolerance*math.Abs(of):
		return 0
	case of == 0:
		return 100 * difference
	}
	return 100 * difference / math.Abs(of)
}

// searched is what search finds.
func searched(b *testing.B, in *model.Instance) bench.Row {
	return bench.Measure(b.Context(), bench.Chosen(b, "search"), in, bench.Settings{Options: solve.Options{Seed: 1, Workers: 1, MaxEvals: gapEvals, Unbounded: true}})
}

// provedBelow is what is proved of schedules, until it reaches one of them, and by which method; 0 if nothing is known.
func provedBelow(b *testing.B, in *model.Instance, schedule float64) (proved float64, method string) {
	proof := bound.New(b.Context(), in)
	for done := int64(0); done < gapWork && proof.Improve(b.Context(), gapMethod); done += gapMethod {
		if value, ok := proof.Bound().Value(); ok && value >= schedule*(1-model.Tolerance) {
			break
		}
	}
	proved, _ = proof.Bound().Value()
	method = "no method"
	for _, part := range proof.Parts() {
		if part.Best && part.Value > 0 {
			method = part.Method
		}
	}
	return proved, method
}

// hard is how an instance file says that a deadline is hard.
var hard = regexp.MustCompile(`"deadline_hard":\s*true`)

// withoutHardDeadlines is the instance with deadlines that are not hard, so that every job has to be placed. A schedule of the instance that places all jobs
// is one of it too.
func withoutHardDeadlines(b *testing.B, in *model.Instance) *model.Instance {
	text, err := os.ReadFile(writtenInstance(b, in))
	if err != nil {
		b.Fatal(err)
	}
	soft, err := model.ReadInstance(bytes.NewReader(hard.ReplaceAll(text, []byte(`"deadline_hard": false`))), in.Name())
	if err != nil {
		b.Fatal(err)
	}
	if soft.Features()&model.HardDeadlines != 0 {
		b.Fatal("expected no hard deadlines")
	}
	if soft, err = soft.WithObjective(in.Minimised()); err != nil {
		b.Fatal(err)
	}
	return soft
}

// reportCut compares search and the bound with exact on the first jobs.
func reportCut(b *testing.B, in *model.Instance) {
	cut := firstJobs(in, cutJobs)
	row := bench.Measure(b.Context(), bench.Chosen(b, "exact"), cut, bench.Settings{Options: solve.Options{Seed: 1, Workers: 1}})
	if row.Fault != "" || row.Status != model.Optimal {
		b.Logf("exact does not solve the first jobs: %s", row.Fault)
		return
	}
	found := searched(b, cut)
	if found.Objective == nil {
		b.Fatal("expected a schedule, as exact has one")
	}
	proved, _ := provedBelow(b, cut, *row.Objective)
	b.ReportMetric(share(*found.Objective-*row.Objective, *row.Objective), "cut-schedule%")
	b.ReportMetric(share(*row.Objective-proved, *row.Objective), "cut-bound%")
}

// firstJobs is the instance with its first jobs by arrival. They wait for no others.
func firstJobs(in *model.Instance, most int) *model.Instance {
	jobs := in.Jobs()
	order := make([]int, len(jobs))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case jobs[x].Arrival < jobs[y].Arrival:
			return -1
		case jobs[x].Arrival > jobs[y].Arrival:
			return 1
		}
		return 0
	})
	order = order[:min(most, len(order))]
	slices.Sort(order)
	ready := make([]float64, len(order))
	for k, j := range order {
		ready[k] = jobs[j].Arrival
	}
	return in.Batch(order, ready, nil)
}

// gapCase is the instance, or its first jobs.
func gapCase(name string, in *model.Instance) searchCase {
	name = strings.ReplaceAll(name, " ", "_")
	if len(in.Jobs()) > gapJobs {
		name, in = name+",first", firstJobs(in, gapJobs)
	}
	return searchCase{name: name, in: in}
}

// exampleGaps are all instances of examples/.
func exampleGaps(b *testing.B) (cases []searchCase) {
	paths, err := filepath.Glob("../examples/*.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		in, err := model.ReadInstanceFile(path)
		if err != nil { // examples/job.json is a single job
			continue
		}
		cases = append(cases, searchCase{name: strings.TrimSuffix(filepath.Base(path), ".json"), in: in})
	}
	return cases
}

// suiteGaps are instances of every suite of the project, of each of its first three groups one: the first of the first, the second of the second and the third of the third
// (or the last), as groups may differ in the objective alone. Instances of earlier suites do not count again.
func suiteGaps(b *testing.B) (cases []searchCase) {
	entries, err := os.ReadDir("suites")
	if err != nil {
		b.Fatal(err)
	}
	seen := map[string]bool{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		suite, err := bench.ReadSuite(filepath.Join("suites", entry.Name()))
		if err != nil {
			b.Fatal(err)
		}
		plan, err := suite.Plan(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		groups, byGroup := []string(nil), map[string][]*bench.PlannedInstance{}
		for k := range plan.Instances {
			if p := &plan.Instances[k]; !seen[p.SHA256] {
				seen[p.SHA256] = true
				if byGroup[p.Group] == nil {
					groups = append(groups, p.Group)
				}
				byGroup[p.Group] = append(byGroup[p.Group], p)
			}
		}
		for k, group := range groups[:min(3, len(groups))] {
			list := byGroup[group]
			p := list[min(k, len(list)-1)]
			in, err := p.Load(suite.Objective)
			if err != nil {
				b.Fatal(err)
			}
			cases = append(cases, gapCase(p.Name, in))
		}
	}
	return cases
}

// dataGaps are instances of the data that no suite has.
func dataGaps(b *testing.B) (cases []searchCase) {
	for _, c := range append(workflowCases(b, 16)[:2], stripPackingCases(b, true)[0]) {
		cases = append(cases, gapCase(c.name, c.in))
	}
	return cases
}
