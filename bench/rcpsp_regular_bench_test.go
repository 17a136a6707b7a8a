package bench_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// A regularKind makes a project of PSPLIB, where the makespan counts and nothing is due, into one with another regular objective: one that no later end of
// a job lowers.
type regularKind struct {
	name string
	make func(b *testing.B, p *regularProject)
}

// regularKinds are the kinds of BenchmarkRegularRCPSP. Each job is due at a stated multiple of its earliest end, which is that of the longest path to it. Job k of the file weighs 1 + k mod 3.
//
//   - tardiness: weighted time over the deadlines; the multiple is 1.2.
//   - hard: the same, but the deadline of each job with k mod 4 = 3 is its end in the schedule of heft, and hard. So a schedule that meets all is known to be there.
//   - released: the multiple is 1.5, and each job with k mod 3 = 0 arrives at 1.5 times its earliest start.
//   - response: mean response time; jobs arrive as before, nothing is due.
var regularKinds = []regularKind{
	{"tardiness", func(_ *testing.B, p *regularProject) { p.due(1.2); p.weigh() }},
	{"hard", func(b *testing.B, p *regularProject) {
		p.due(1.2)
		for k, end := range p.heft(b) {
			if k%4 == 3 {
				p.spec.Jobs[k].Deadline, p.spec.Jobs[k].DeadlineHard = &end, true
			}
		}
		p.weigh()
	}},
	{"released", func(_ *testing.B, p *regularProject) { p.due(1.5); p.release(); p.weigh() }},
	{"response", func(_ *testing.B, p *regularProject) {
		p.release()
		p.spec.Objective = map[string]float64{"mean_response": 1}
	}},
}

// regularProject is a project on its way to another objective.
type regularProject struct {
	in   *model.Instance
	spec model.InstanceSpec
	head []float64 // by job: its earliest start by the longest path
}

// newRegular reads a project.
func newRegular(b *testing.B, in *model.Instance) *regularProject {
	b.Helper()
	var text bytes.Buffer
	if err := model.WriteInstance(&text, in); err != nil {
		b.Fatal(err)
	}
	p := &regularProject{in: in, head: make([]float64, len(in.Jobs()))}
	if err := json.Unmarshal(text.Bytes(), &p.spec); err != nil {
		b.Fatal(err)
	}
	var head func(j int) float64
	head = func(j int) float64 {
		for _, k := range in.Jobs()[j].After {
			p.head[j] = max(p.head[j], head(k)+in.DurationOn(k, 0, 1))
		}
		return p.head[j]
	}
	for j := range in.Jobs() {
		head(j)
	}
	return p
}

// due gives each job a deadline: its earliest end times the factor.
func (p *regularProject) due(factor float64) {
	p.spec.Objective = map[string]float64{"over_deadline": 1}
	for k := range p.spec.Jobs {
		due := math.Ceil(factor * (p.head[k] + p.in.DurationOn(k, 0, 1)))
		p.spec.Jobs[k].Deadline = &due
	}
}

// weigh gives the jobs their weights. The model has no weight of a deadline. A job that takes no time, waits for another and has its deadline counts that deadline again.
func (p *regularProject) weigh() {
	for k, job := range slices.Clone(p.spec.Jobs) {
		if job.DeadlineHard {
			continue
		}
		for w := range k % 3 {
			p.spec.Jobs = append(p.spec.Jobs, model.JobSpec{ID: fmt.Sprintf("%s again %d", job.ID, w+1), Work: new(0.0), Deadline: job.Deadline, After: []string{job.ID}})
		}
	}
}

// release lets a third of the jobs arrive late.
func (p *regularProject) release() {
	for k := 0; k < len(p.head); k += 3 {
		p.spec.Jobs[k].Arrival = math.Floor(1.5 * p.head[k])
	}
}

// heft returns the ends of the jobs in the schedule of heft.
func (p *regularProject) heft(b *testing.B) []float64 {
	b.Helper()
	row := bench.Measure(b.Context(), bench.Chosen(b, "heft"), p.in, bench.Settings{})
	if row.Fault != "" || row.Left > 0 {
		b.Fatalf("heft: %s", row.Fault)
	}
	ends := make([]float64, len(p.in.Jobs()))
	for k := range row.Solution.Jobs {
		job, _ := p.in.JobIndex(row.Solution.Jobs[k].Job)
		ends[job] = row.Solution.Jobs[k].End
	}
	return ends
}

// BenchmarkRegularRCPSP sets search beside OR-Tools' CP-SAT on 20 projects of PSPLIB with other objectives than the makespan, see regularKinds, with 10 s and two workers each,
// one right after the other on each project: kind=KIND/instance=NAME/solver=search or cpsat. It reports the objective and the gap to the bound that the solver proves. instance=mean sums
// up a kind: how many objectives are worse than those of the other solver, by how many per cent on average over all projects (negative: better), how many were proved, and the mean gap.
//
// The peer returns no schedule, so its figures are its own statement. An objective of one below the bound of the other fails.
func BenchmarkRegularRCPSP(b *testing.B) {
	const limit = 10 * time.Second
	cases := slices.Concat(spread(projectCases(b, "J30"), 4), spread(projectCases(b, "J60"), 8), spread(projectCases(b, "J120"), 8))
	script, err := filepath.Abs(filepath.Join("testdata", "cpsat_regular.py"))
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range regularKinds {
		b.Run("kind="+kind.name, func(b *testing.B) {
			ours, theirs := map[string]outcome{}, map[string]outcome{}
			for _, c := range cases {
				p := newRegular(b, c.in)
				kind.make(b, p)
				in, err := model.New(p.spec)
				if err != nil {
					b.Fatal(err)
				}
				b.Run("instance="+c.name+"/solver=search", func(b *testing.B) {
					for b.Loop() {
						ours[c.name] = searchRegular(b, in, limit)
					}
					reportRegular(b, ours[c.name])
				})
				b.Run("instance="+c.name+"/solver=cpsat", func(b *testing.B) {
					needORTools(b)
					path := writtenInstance(b, in)
					for b.Loop() {
						said := stated(b, peerOutput(b, limit, script, path))
						theirs[c.name] = outcome{said.value, said.bound}
					}
					reportRegular(b, theirs[c.name])
				})
			}
			sumRegular(b, "instance=mean/solver=search", ours, theirs)
			sumRegular(b, "instance=mean/solver=cpsat", theirs, ours)
		})
	}
}

// searchRegular runs the solver search.
func searchRegular(b *testing.B, in *model.Instance, limit time.Duration) outcome {
	row := bench.Measure(b.Context(), bench.Chosen(b, "search"), in, bench.Settings{Time: limit, Options: solve.Options{Seed: 1, Workers: searchWorkers}})
	if row.Fault != "" || row.Objective == nil || row.Left > 0 {
		b.Fatalf("no schedule of all jobs: %s", row.Fault)
	}
	found := outcome{makespan: *row.Objective, bound: math.Inf(-1)}
	if bound, known := row.Bound.Value(); known {
		found.bound = bound
	}
	b.ReportMetric(float64(row.Evaluations)/row.Elapsed, "evals/s")
	return found
}

// reportRegular reports what a solver states of one project.
func reportRegular(b *testing.B, o outcome) {
	if math.IsInf(o.makespan, 0) {
		b.ReportMetric(0, "solved")
		return
	}
	b.ReportMetric(o.makespan, "objective")
	b.ReportMetric(o.gap(), "gap%")
}

// gap is how far the objective is above the bound, in per cent of the objective.
func (o outcome) gap() float64 {
	if o.makespan == 0 {
		return 0
	}
	return 100 * (o.makespan - o.bound) / o.makespan
}

// sumRegular sums up what a solver states of the projects of one kind, beside the other solver.
func sumRegular(b *testing.B, name string, outcomes, others map[string]outcome) {
	if len(outcomes) == 0 {
		return // the peer is absent, or no project was selected
	}
	b.Run(name, func(b *testing.B) {
		worse, better, proved, compared, gap, above := 0, 0, 0, 0, 0.0, 0.0
		for project, o := range outcomes {
			if o.proved() {
				proved++
			}
			gap += o.gap()
			other, known := others[project]
			if !known {
				continue
			}
			if other.makespan < o.bound-model.Tolerance*math.Abs(o.bound) {
				b.Fatalf("%s: a bound of %v, and the other solver found %v", project, o.bound, other.makespan)
			}
			compared++
			switch near := model.Tolerance * math.Abs(other.makespan); {
			case o.makespan > other.makespan+near:
				worse++
			case o.makespan < other.makespan-near:
				better++
			}
			if other.makespan > 0 && !math.IsInf(o.makespan, 0) {
				above += 100 * (o.makespan/other.makespan - 1)
			}
		}
		if compared > 0 {
			b.ReportMetric(float64(worse), "worse")
			b.ReportMetric(float64(better), "better")
			b.ReportMetric(above/float64(compared), "%above-other")
		}
		b.ReportMetric(float64(proved), "proved")
		b.ReportMetric(gap/float64(len(outcomes)), "gap%")
		b.ReportMetric(0, "ns/op") // no time was measured, so hide it
	})
}
