package search

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/modeltest"
)

// queueStart is the schedule of the jobs in queue order, each where it ends first.
func queueStart(t interface{ Fatal(...any) }, in *model.Instance) *model.Solution {
	p := newScheduleProblem(context.Background(), in)
	g := scheduleGenome{p.jobs, make([]scheduleChoice, len(in.Jobs()))}
	for j := range g.choices {
		g.choices[j].cluster = -1
	}
	d := newScheduleDecoder(p)
	d.stop = func() bool { return false }
	d.decode(&g, 0, math.Inf(1))
	s, err := p.schedule(g.order, d.next)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agrees says that two figures are equal up to rounding: of their own, and of differences of large sums, which idle time is.
func agrees(in *model.Instance, s *model.Solution, a, b float64) bool {
	last := 0.0
	for k := range s.Jobs {
		last = max(last, s.Jobs[k].End)
	}
	weights := 0.0
	for _, term := range in.Objective() {
		weights += math.Abs(term.Weight)
	}
	rounding := 1e-12 * float64(in.Processors()) * last * weights
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))+rounding
}

// drawSchedules draws an instance that asks for anything.
func drawSchedules(t *rapid.T, jobs int) *model.Instance {
	return modeltest.Generator{Features: modeltest.AllFeatures, Jobs: jobs, Wild: rapid.IntRange(0, 9).Draw(t, "wild") == 0}.Instance(t)
}

// many runs a property on that many times the usual number of random cases.
func manySchedules(t *testing.T, times int, property func(*rapid.T)) {
	t.Helper()
	for range times {
		if rapid.Check(t, property); t.Failed() {
			return
		}
	}
}

// Whatever an instance asks for, what the engine finds is right by the checker, no worse than the start, and as good as the
// engine's own sums say.
func TestSchedulesAreRight(t *testing.T) {
	manySchedules(t, 5, func(t *rapid.T) {
		in := drawSchedules(t, 12)
		start := queueStart(t, in)
		at, err := rankOf(in, start)
		if err != nil {
			t.Fatal(err)
		}
		e, err := newSchedules(context.Background(), in, start, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for k := range e.chains() {
				e.advance(k, 60, func() bool { return false })
			}
			e.meet()
		}
		for k := range e.chains() {
			if math.IsInf(e.best(k).Objective, 1) {
				continue
			}
			s, err := e.solution(k)
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, s); !report.OK() {
				t.Fatalf("%v", report.Violations[0])
			}
			found, err := rankOf(in, s)
			if err != nil {
				t.Fatal(err)
			}
			if !agrees(in, s, found.Objective, e.best(k).Objective) {
				t.Fatalf("the engine adds up %v, the evaluator %v of %+v", e.best(k).Objective, found.Objective, in.Objective())
			}
			if nowhere := len(newScheduleProblem(context.Background(), in).nowhere); found.Left != e.best(k).Left+nowhere {
				t.Fatalf("the engine counts %d jobs left out besides %d, the schedule has %d", e.best(k).Left, nowhere, found.Left)
			}
		}
		// Decoded in the order of its starts the start may come out worse; then it is handed back itself.
		result, err := run(context.Background(), e, in, start, Options{MaxEvals: 60})
		if err != nil {
			t.Fatal(err)
		}
		reached, err := rankOf(in, result.Solution)
		if err != nil {
			t.Fatal(err)
		}
		if at.Better(reached) {
			t.Fatalf("the start is %+v, the result %+v", at, reached)
		}
	})
}

// The sums of each metric are what the evaluator finds.
func TestScheduleSumsAreTheEvaluators(t *testing.T) {
	for metric := range scheduleMetrics {
		t.Run(metric, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, err := drawSchedules(t, 10).WithObjective(map[string]float64{metric: 1})
				if err != nil {
					t.Fatal(err)
				}
				s := queueStart(t, in)
				p := newScheduleProblem(context.Background(), in)
				g := p.genomeOf(s)
				d := newScheduleDecoder(p)
				d.stop = func() bool { return false }
				d.decode(&g, 0, math.Inf(1))
				if s, err = p.schedule(g.order, d.next); err != nil {
					t.Fatal(err)
				}
				want, err := rankOf(in, s)
				if err != nil {
					t.Fatal(err)
				}
				if got := d.rank().Objective; !agrees(in, s, got, want.Objective) {
					t.Fatalf("adds up to %v, the evaluator finds %v", got, want.Objective)
				}
			})
		})
	}
}

// A genome that is decoded from where it changed gives what it gives when it is decoded from the beginning; giving up early
// hides nothing that is below the limit.
func TestDecodeFromTheChange(t *testing.T) {
	manySchedules(t, 5, func(t *rapid.T) {
		in := drawSchedules(t, 40)
		p := newScheduleProblem(context.Background(), in)
		if !p.searchable() {
			return
		}
		genome := p.genomeOf(queueStart(t, in))
		d, move := newScheduleDecoder(p), newScheduleMove(p, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		d.stop = func() bool { return false }
		d.decode(&genome, 0, math.Inf(1))
		move.start(&genome)
		d.keep(&genome)
		for range 60 {
			before := scheduleGenome{slices.Clone(move.genome.order), slices.Clone(move.genome.choices)}
			if !move.change() {
				continue
			}
			for k := range move.low {
				if j := before.order[k]; j != move.genome.order[k] || before.choices[j] != move.genome.choices[j] {
					t.Fatalf("position %d changed, the move says from %d on", k, move.low)
				}
			}
			whole := newScheduleDecoder(p)
			whole.stop = d.stop
			whole.decode(&move.genome, 0, math.Inf(1))
			limit := math.Inf(1)
			if rapid.Bool().Draw(t, "limit") {
				limit = d.energy()
			}
			ok := d.decode(&move.genome, move.low, limit)
			if !ok && !(whole.energy() > limit) {
				t.Fatalf("given up at a limit of %v; the energy is %v", limit, whole.energy())
			}
			if ok && (d.rank() != whole.rank() && !math.IsNaN(d.rank().Objective) || !slices.EqualFunc(d.next, whole.next, sameResult)) {
				t.Fatalf("from position %d: %+v, from the beginning %+v", move.low, d.rank(), whole.rank())
			}
			if ok && rapid.Bool().Draw(t, "keep") {
				d.keep(&move.genome)
				continue
			}
			d.drop(&move.genome)
			move.undo()
			if !slices.Equal(before.order, move.genome.order) || !slices.Equal(before.choices, move.genome.choices) {
				t.Fatal("a move that is taken back leaves traces")
			}
		}
	})
}

// sameResult compares what became of a job.
func sameResult(a, b scheduleResult) bool {
	return a == b || math.IsNaN(a.end) && math.IsNaN(b.end)
}

// bestOfAll is the best rank of all genomes: every order that precedence allows, every cluster, every number of processors.
func bestOfAll(t *rapid.T, p *scheduleProblem) model.Rank {
	d := newScheduleDecoder(p)
	d.stop = func() bool { return false }
	g := scheduleGenome{choices: make([]scheduleChoice, len(p.in.Jobs()))}
	best := model.NoRank()
	placed := make([]bool, len(p.in.Jobs()))
	var extend func()
	extend = func() {
		if len(g.order) == len(p.jobs) {
			d.decode(&g, 0, math.Inf(1))
			if r := d.rank(); r.Less(best) {
				best = r
			}
			return
		}
		for _, j := range p.jobs {
			if placed[j] || slices.ContainsFunc(p.in.Jobs()[j].After, func(before int) bool { return !placed[before] }) {
				continue
			}
			placed[j] = true
			g.order = append(g.order, j)
			hosts := p.hosts[j]
			if len(hosts) == 0 {
				hosts = []int32{-1}
			} else if p.spreads[j] {
				hosts = append(slices.Clone(hosts), spreadOver)
			}
			for _, c := range hosts {
				least, most := p.widths(int(j), int(c))
				for n := least; n <= most; n++ {
					g.choices[j] = scheduleChoice{c, int32(n)}
					extend()
				}
			}
			g.order = g.order[:len(g.order)-1]
			placed[j] = false
		}
	}
	extend()
	return best
}

// On small instances of every feature and any objective the search reaches the best of all list schedules.
func TestSchedulesReachTheBestOfAll(t *testing.T) {
	tried := 0
	manySchedules(t, race.Fewer(8, 2), func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 4, Clusters: 2, Groups: 2, Machines: 2, Processors: 2}.Instance(t)
		p := newScheduleProblem(context.Background(), in)
		if p.objective.evaluate && len(p.jobs) > 3 {
			return // slow
		}
		best := bestOfAll(t, p)
		if math.IsInf(best.Objective, 1) || len(p.jobs) == 0 {
			return
		}
		e, err := newSchedules(context.Background(), in, queueStart(t, in), 1)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		found := model.NoRank()
		for range 40 {
			for k := range e.chains() {
				e.advance(k, 100, func() bool { return false })
				if r := e.best(k); r.Less(found) {
					found = r
				}
			}
			e.meet()
			if !best.Better(found) {
				break
			}
		}
		if found.Left > best.Left || best.Better(found) && math.Abs(best.Objective-found.Objective) > 1e-9*math.Abs(best.Objective)+1e-12 {
			t.Fatalf("found %+v, the best of all is %+v: objective %+v", found, best, in.Objective())
		}
	})
	if tried < race.Fewer(200, 50) {
		t.Errorf("%d instances: the test proves little", tried)
	}
}

// The same seed and number of evaluations give the same schedule at any number of workers.
func TestSchedulesAreDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawSchedules(t, 15)
		start := queueStart(t, in)
		var texts [2]bytes.Buffer
		for k, workers := range []int{1, 4} {
			result, err := Minimise(context.Background(), in, start, Options{Seed: 3, MaxEvals: 500, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if err := model.WriteSolution(&texts[k], result.Solution); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
			t.Fatal("1 and 4 workers find two schedules")
		}
	})
}

// largeInstance has jobs that wait for others, moldable ones among them.
func largeInstance(t testing.TB, jobs int) *model.Instance {
	b := model.NewBuilder("large").Minimise("mean_response", 1).Minimise("makespan", 1)
	for c := range 4 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 250, Speed: 1 + float64(c)}}})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1 + 99*rng.Float64()), Processors: model.Moldable(1, 1+rng.IntN(60))}
		if j > 100 && j%3 == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A search that is cancelled, at once or in the middle of its first schedule of 50,000 jobs, ends and returns its start.
func TestSchedulesAreCancelled(t *testing.T) {
	in := largeInstance(t, 50_000)
	start := queueStart(t, in)
	for _, after := range []time.Duration{0, 300 * time.Millisecond} {
		ctx, cancel := context.WithCancel(context.Background())
		if after == 0 {
			cancel()
		}
		at := time.Now().Add(after)
		time.AfterFunc(after, cancel)
		result, err := Minimise(ctx, in, start, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(at); after > 0 && took > 2*time.Second {
			t.Errorf("cancelled, and returned %v later", took)
		}
		if result.Solution == nil || result.Stop != model.StopCancelled {
			t.Errorf("no schedule, or stopped by %q", result.Stop)
		}
	}
}

// The odd cases: nothing to place, nothing that fits, nothing to choose, no time at all, and magnitudes far apart.
func TestSchedulesOfOddInstances(t *testing.T) {
	machines := func(id string, n int, speed float64) model.ClusterSpec {
		return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: n, Speed: speed}}}
	}
	one := func(jobs ...model.JobSpec) *model.Builder {
		return model.NewBuilder("odd").Cluster(machines("a", 4, 1e9), machines("b", 2, 1e-9)).Job(jobs...)
	}
	var extremes []model.JobSpec
	for k := range 12 {
		extremes = append(extremes, model.JobSpec{ID: fmt.Sprint(k), Work: new([]float64{0, 1e-9, 1, 1e12}[k%4]), Processors: model.Moldable(1, 1+k%6)})
	}
	for name, b := range map[string]*model.Builder{
		"no jobs":              one(),
		"wider than all":       one(model.JobSpec{ID: "j", Work: new(1.0), Processors: model.Rigid(7)}, model.JobSpec{ID: "k", Work: new(1.0)}),
		"wider, and grid":      one(model.JobSpec{ID: "j", Work: new(1.0), Processors: model.Rigid(7), Span: "grid"}),
		"over the grid":        one(model.JobSpec{ID: "j", Work: new(1.0), Processors: model.Rigid(6), Span: "grid"}),
		"fewer tasks":          one(model.JobSpec{ID: "j", Work: new(1.0), Processors: model.Rigid(6), Tasks: 1, Span: "grid"}),
		"one job":              model.NewBuilder("one").Cluster(machines("a", 1, 1)).Job(model.JobSpec{ID: "j", Work: new(1.0)}),
		"waits for nowhere":    one(model.JobSpec{ID: "j", Work: new(1.0), Processors: model.Rigid(7)}, model.JobSpec{ID: "k", Work: new(1.0), After: []string{"j"}}),
		"hard, before":         one(model.JobSpec{ID: "j", Work: new(1.0), Arrival: 9, Deadline: new(3.0), DeadlineHard: true}, model.JobSpec{ID: "k", Work: new(1.0), After: []string{"j"}}),
		"extremes":             one(extremes...),
		"many tasks, moldable": one(model.JobSpec{ID: "j", Work: new(1.0), Tasks: math.MaxInt32, Processors: model.Moldable(1, math.MaxInt32)}),
	} {
		in, err := b.Build()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		result, err := Minimise(context.Background(), in, queueStart(t, in), Options{Seed: 1, MaxEvals: 2000})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if report := model.Check(in, result.Solution); !report.OK() {
			t.Errorf("%s: %v", name, report.Violations[0])
		}
	}
}

// On like processors, with jobs of one processor each that wait for others, the very first schedules are within 2 − 1/p of the
// least makespan, and so is what is found from them (R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on
// Applied Mathematics 17, 1969, DOI 10.1137/0117039).
func TestSchedulesKeepGrahamsBound(t *testing.T) {
	manySchedules(t, 3, func(t *rapid.T) {
		b := model.NewBuilder("graham")
		p := rapid.IntRange(1, 8).Draw(t, "processors")
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: p}}})
		for j := range rapid.IntRange(1, 40).Draw(t, "jobs") {
			job := model.JobSpec{ID: fmt.Sprint(j), Work: new(float64(rapid.IntRange(0, 20).Draw(t, "work")))}
			for range rapid.IntRange(0, min(j, 3)).Draw(t, "waits") {
				if before := fmt.Sprint(rapid.IntRange(0, j-1).Draw(t, "for")); !slices.Contains(job.After, before) {
					job.After = append(job.After, before)
				}
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		result, err := Minimise(context.Background(), in, queueStart(t, in), Options{Seed: 1, MaxEvals: 16})
		if err != nil {
			t.Fatal(err)
		}
		found, err := rankOf(in, result.Solution)
		if err != nil {
			t.Fatal(err)
		}
		if floor := workflowFloor(in, p); found.Objective > (2-1/float64(p))*floor*(1+1e-12) {
			t.Fatalf("makespan %v, more than 2 − 1/%d times %v", found.Objective, p, floor)
		}
	})
}

// workflowFloor is the longest of the critical path and the work over the processors, for jobs of one processor each.
func workflowFloor(in *model.Instance, processors int) float64 {
	p := newScheduleProblem(context.Background(), in)
	path, work := 0.0, 0.0
	for _, j := range p.jobs {
		path = max(path, p.length[j]+p.tail[j])
		work += p.length[j]
	}
	return max(path, work/float64(processors))
}

// The seven workflows at 4, 16 and 64 processors: mean ratio to the longest of critical path and work/p. Bounds
// of the same kind over the jobs between two others (see docs/search.md) prove that no schedules have a mean below 1.0633.
func TestSchedulesOfWorkflows(t *testing.T) {
	names := []string{"1000genome-chameleon-2ch-100k-001", "blast-chameleon-small-001", "epigenomics-chameleon-hep-1seq-100k-001",
		"montage-chameleon-2mass-005d-001", "seismology-chameleon-200p-001", "soykb-chameleon-10fastq-10ch-001", "srasearch-chameleon-10a-001"}
	sum, cases := 0.0, 0.0
	for _, name := range names {
		for _, processors := range []int{4, 16, 64} {
			in := workflow(t, name+".json", processors)
			floor := workflowFloor(in, processors)
			result, err := Minimise(context.Background(), in, queueStart(t, in), Options{Seed: 1, MaxEvals: 2000, Target: model.ProvedBound(floor)})
			if err != nil {
				t.Fatal(err)
			}
			found, err := rankOf(in, result.Solution)
			if err != nil {
				t.Fatal(err)
			}
			ratio := found.Objective / floor
			t.Logf("%s on %d: %.4f, %d evaluations", name, processors, ratio, result.Evaluations)
			if ratio > 2-1/float64(processors) {
				t.Errorf("%s on %d: %v", name, processors, ratio)
			}
			sum, cases = sum+ratio, cases+1
		}
	}
	if mean := sum / cases; mean > 1.067 {
		t.Errorf("mean %v", mean)
	}
}

// Every example is solved, whatever it asks for, and with two seeds to about the same.
func TestSchedulesOfExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		if filepath.Base(file) == "job.json" { // a job, not an instance
			continue
		}
		in, err := model.ReadInstanceFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var found [2]model.Rank
		for seed := range found {
			result, err := Minimise(context.Background(), in, queueStart(t, in), Options{Seed: uint64(seed), MaxEvals: 8000})
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, result.Solution); !report.OK() {
				t.Errorf("%s: %v", file, report.Violations[0])
			}
			if found[seed], err = rankOf(in, result.Solution); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: %d left out, objective %v", file, found[0].Left, found[0].Objective)
		if a, b := found[0], found[1]; a.Left != b.Left || math.Abs(a.Objective-b.Objective) > 0.1*math.Abs(a.Objective) {
			t.Errorf("%s: one seed finds %+v, another %+v", file, a, b)
		}
	}
}
