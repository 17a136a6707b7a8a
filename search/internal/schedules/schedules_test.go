package schedules

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/objective"
	"github.com/allot-opt/allot/search/internal/engine"
)

// QueueStart places the jobs in queue order, each where it ends first.
func QueueStart(t interface{ Fatal(...any) }, in *model.Instance) *model.Solution {
	p := newProblem(context.Background(), in)
	g := genome{p.jobs, make([]choice, len(in.Jobs()))}
	for j := range g.choices {
		g.choices[j].cluster = -1
	}
	d := newDecoder(p)
	d.stop = func() bool { return false }
	d.decode(&g, 0, math.Inf(1))
	s, err := p.schedule(g.order, d.next)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agrees says that a and b are equal up to rounding: their own, and that of large sums whose difference they are, such as idle
// time.
func agrees(in *model.Instance, s *model.Solution, a, b float64) bool {
	last := 0.0
	for k := range s.Jobs {
		last = max(last, s.Jobs[k].End)
	}
	weights := 0.0
	for _, term := range in.ObjectiveTerms() {
		weights += math.Abs(term.Weight)
	}
	rounding := 1e-12 * float64(in.Processors()) * last * weights
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))+rounding
}

// Draw draws an instance with any features.
func Draw(t *rapid.T, jobs int) *model.Instance {
	return modeltest.Generator{Features: modeltest.AllFeatures, Jobs: jobs, Wild: rapid.IntRange(0, 9).Draw(t, "wild") == 0}.Instance(t)
}

// For every kind of instance the checker accepts the engine's schedules, and the evaluator confirms the sums of the engine.
func TestSchedulesAreRight(t *testing.T) {
	race.OneGoroutine(t)
	often.Check(t, 5, func(t *rapid.T) {
		in := Draw(t, 12)
		start := QueueStart(t, in)
		e, err := New(context.Background(), in, start, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for k := range e.Chains() {
				e.Advance(k, 60, func() bool { return false })
			}
			e.Exchange()
		}
		for k := range e.Chains() {
			if math.IsInf(e.Best(k).Objective, 1) {
				continue
			}
			s, err := e.Solution(k)
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(in, s); !report.OK() {
				t.Fatalf("%v", report.Violations[0])
			}
			found, err := engine.RankOf(in, s)
			if err != nil {
				t.Fatal(err)
			}
			if !agrees(in, s, found.Objective, e.Best(k).Objective) {
				t.Fatalf("the engine adds up %v, the evaluator %v of %+v", e.Best(k).Objective, found.Objective, in.ObjectiveTerms())
			}
			nowhere := 0
			for _, j := range newProblem(context.Background(), in).nowhere {
				if in.Owes(j) {
					nowhere++
				}
			}
			if found.Left != e.Best(k).Left+nowhere {
				t.Fatalf("the engine counts %d jobs owed besides %d, the schedule has %d", e.Best(k).Left, nowhere, found.Left)
			}
		}
	})
}

// The sums of each metric equal what the evaluator finds.
func TestScheduleSumsAreTheEvaluators(t *testing.T) {
	race.OneGoroutine(t)
	for _, metric := range objective.Metrics() {
		t.Run(metric, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, err := Draw(t, 10).WithObjective(map[string]float64{metric: 1})
				if err != nil {
					t.Fatal(err)
				}
				s := QueueStart(t, in)
				p := newProblem(context.Background(), in)
				g := p.genomeOf(s)
				d := newDecoder(p)
				d.stop = func() bool { return false }
				d.decode(&g, 0, math.Inf(1))
				if s, err = p.schedule(g.order, d.next); err != nil {
					t.Fatal(err)
				}
				want, err := engine.RankOf(in, s)
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

// Decoding a genome from the first change gives the same as decoding it from the beginning, and so does ending where the rest stays as it
// was. Giving up early loses no schedule below the limit.
func TestDecodeFromTheChange(t *testing.T) {
	race.OneGoroutine(t)
	joined := 0
	often.Check(t, 5, func(t *rapid.T) {
		in := Draw(t, 40)
		p := newProblem(context.Background(), in)
		if !p.searchable() {
			return
		}
		first := p.genomeOf(QueueStart(t, in))
		d, move := newDecoder(p), newMove(p, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		d.stop = func() bool { return false }
		d.decode(&first, 0, math.Inf(1))
		move.start(&first)
		d.keep(&first)
		for range 60 {
			before := genome{slices.Clone(move.genome.order), slices.Clone(move.genome.choices)}
			if !move.change() {
				continue
			}
			for k := range move.low {
				if j := before.order[k]; j != move.genome.order[k] || before.choices[j] != move.genome.choices[j] {
					t.Fatalf("position %d changed, the move says from %d on", k, move.low)
				}
			}
			whole := newDecoder(p)
			whole.stop = d.stop
			whole.decode(&move.genome, 0, math.Inf(1))
			limit := math.Inf(1)
			if rapid.Bool().Draw(t, "limit") {
				limit = d.energy()
			}
			var ok bool
			if rapid.Bool().Draw(t, "join") {
				ok = d.decodeChange(&move.genome, move.changed(), limit)
			} else {
				ok = d.decode(&move.genome, move.low, limit)
			}
			if ok && d.joined > 0 {
				joined++
			}
			if !ok && !(whole.energy() > limit) {
				t.Fatalf("given up at a limit of %v; the energy is %v", limit, whole.energy())
			}
			if ok && (d.sums.Left != whole.sums.Left || !near(d.energy(), whole.energy(), d.tie) || !near(d.sums.LastEnd, whole.sums.LastEnd, 1) && !d.objective.Additive || !slices.EqualFunc(d.next, whole.next, sameResult)) {
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
	if joined < race.Enough(100) {
		t.Errorf("%d schedules stayed as they were behind a change: the test proves little", joined)
	}
}

// near says that two sums of figures of about the given scale, or larger, differ by rounding at most.
func near(a, b, scale float64) bool {
	return a == b || math.IsNaN(a) || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), scale)
}

// Of the jobs of an additive objective, of tells what each costs; a mark remembers when the next of those behind it arrives.
func TestDecodeComparesWhatJobsCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, err := modeltest.Generator{Features: model.Arrivals | model.Precedence | model.ParallelJobs, Jobs: 12}.Instance(t).WithObjective(map[string]float64{
			rapid.SampledFrom([]string{"mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown", "over_deadline"}).Draw(t, "metric"): 2})
		if err != nil {
			t.Fatal(err)
		}
		p := newProblem(context.Background(), in)
		if len(p.jobs) < 2 || !p.objective.Additive {
			return
		}
		g := p.genomeOf(QueueStart(t, in))
		d, move := newDecoder(p), newMove(p, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		d.stop = func() bool { return false }
		d.decode(&g, 0, math.Inf(1))
		move.start(&g)
		d.keep(&g)
		for range 20 {
			for k := range d.arrivals {
				first := math.Inf(1)
				for _, job := range move.genome.order[min(len(g.order), k*d.stride):] {
					first = min(first, in.Jobs()[job].Arrival)
				}
				if k*d.stride < len(g.order) && d.arrivals[k] != first {
					t.Fatalf("mark %d: the next job arrives at %v, kept %v", k, first, d.arrivals[k])
				}
			}
			if !move.change() {
				continue
			}
			before, slowed := d.energy(), d.sums.Slowed
			d.decodeChange(&move.genome, move.changed(), math.Inf(1))
			// The mean slowdown leaves out jobs of no length: the sums tell only if there are as many as before.
			if whole := slowed == d.sums.Slowed && (slowed == 0 || slowed == len(p.jobs)); whole && !near(d.energy()-before, d.increase, d.energy()) {
				t.Fatalf("the jobs cost %v more, the schedule %v", d.increase, d.energy()-before)
			}
			d.keep(&move.genome)
		}
	})
}

// A move of many jobs that costs much is given up long before the end of the order.
func TestDecodeGivesUpWhatIsDearer(t *testing.T) {
	b := model.NewBuilder("queue").Minimise("mean_response", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	for j := range 3000 {
		work := 1.0
		if j == 2900 {
			work = 100
		}
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: &work})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(t.Context(), in)
	g := p.genomeOf(QueueStart(t, in))
	d, move := newDecoder(p), newMove(p, rand.New(rand.NewPCG(1, 1)))
	d.stop = func() bool { return false }
	d.decode(&g, 0, math.Inf(1))
	move.start(&g)
	d.keep(&g)
	move.job = -1
	order, last := move.genome.order, int(move.at[2900])
	move.save(100, last)
	order[100], order[last] = order[last], order[100]
	move.renumber(100, last)
	change := move.changed()
	if change.most = 1; d.decodeChange(&move.genome, change, math.Inf(1)) {
		t.Fatalf("a long job before the short ones is not given up, though it costs %v more", d.increase)
	}
	if d.to > 500 {
		t.Errorf("given up after position %d only", d.to)
	}
	d.drop(&move.genome)
	move.undo()
	change = move.changed()
	if !d.decodeChange(&move.genome, change, math.Inf(1)) || d.energy() != d.objective.Value(&d.keptSums) {
		t.Error("the decoder does not forget what it gave up")
	}
}

// sameResult compares what became of a job.
func sameResult(a, b result) bool {
	return a == b || math.IsNaN(a.end) && math.IsNaN(b.end)
}

// bestOfAll is the best rank of all genomes: every order that precedence allows, every cluster, every number of processors.
func bestOfAll(t *rapid.T, p *problem) model.Rank {
	d := newDecoder(p)
	d.stop = func() bool { return false }
	g := genome{choices: make([]choice, len(p.in.Jobs()))}
	best := engine.Nothing
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
					g.choices[j] = choice{c, int32(n)}
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

// On small instances with any features and any objective the search reaches the best of all list schedules.
func TestSchedulesReachTheBestOfAll(t *testing.T) {
	tried := 0
	often.Check(t, race.Fewer(8, 2), func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 4, Clusters: 2, Groups: 2, Machines: 2, Processors: 2}.Instance(t)
		p := newProblem(context.Background(), in)
		if p.objective.Evaluate && len(p.jobs) > 3 {
			return // slow
		}
		best := bestOfAll(t, p)
		if math.IsInf(best.Objective, 1) || len(p.jobs) == 0 {
			return
		}
		e, err := New(context.Background(), in, QueueStart(t, in), 1)
		if err != nil {
			t.Fatal(err)
		}
		tried++
		found := engine.Nothing
		for range 40 {
			for k := range e.Chains() {
				e.Advance(k, 100, func() bool { return false })
				if r := e.Best(k); r.Less(found) {
					found = r
				}
			}
			e.Exchange()
			if !best.Better(found) {
				break
			}
		}
		if found.Left > best.Left || best.Better(found) && math.Abs(best.Objective-found.Objective) > 1e-9*math.Abs(best.Objective)+1e-12 {
			t.Fatalf("found %+v, the best of all is %+v: objective %+v", found, best, in.ObjectiveTerms())
		}
	})
	if tried < race.Enough(race.Fewer(200, 50)) {
		t.Errorf("%d instances: the test proves little", tried)
	}
}

// Large has jobs that wait for others, moldable ones among them.
func Large(t testing.TB, jobs int) *model.Instance {
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

// WorkflowFloor is the larger of the critical path and the work divided by the processors, for jobs of one processor each.
func WorkflowFloor(in *model.Instance, processors int) float64 {
	p := newProblem(context.Background(), in)
	path, work := 0.0, 0.0
	for _, j := range p.jobs {
		path = max(path, p.length[j]+p.tail[j])
		work += p.length[j]
	}
	return max(path, work/float64(processors))
}

// Where a change is decoded to the end, late positions are drawn more often: of the distances from the end each power of two is as likely.
func TestMovesBeginLate(t *testing.T) {
	const jobs, draws = 3000, 60_000
	for _, c := range []struct {
		name     string
		arrivals bool
		metrics  []string
		late     int
	}{
		{"makespan", false, []string{"makespan"}, 4},
		{"makespan with arrivals", true, []string{"makespan"}, 4},
		{"mcp", false, []string{"mcp"}, 4},
		{"mcp with arrivals", true, []string{"mcp"}, 0},
		{"two metrics", false, []string{"makespan", "mean_response"}, 2},
		{"a sum over the jobs", false, []string{"mean_response"}, 0},
	} {
		b := model.NewBuilder(c.name)
		for _, metric := range c.metrics {
			b.Minimise(metric, 1)
		}
		for k := range 2 {
			b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Machines: []model.MachineSpec{{ID: "m", Count: 2 + 6*k, Speed: 1}}})
		}
		for j := range jobs { // every tenth job fits on both clusters
			job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0), Processors: model.Rigid(3)}
			if j%10 == 0 {
				job.Processors = model.Rigid(1)
			}
			if c.arrivals {
				job.Arrival = float64(j)
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := newProblem(t.Context(), in)
		m := newMove(p, rand.New(rand.NewPCG(1, 2)))
		g := p.genomeOf(QueueStart(t, in))
		m.start(&g)
		last := 0 // draws in the last 64 positions, six of the twelve powers of two
		for range draws {
			at := m.pick()
			if at < 0 || at >= jobs {
				t.Fatalf("%s: position %d of %d", c.name, at, jobs)
			}
			if at >= jobs-63 {
				last++
			}
			if job := m.pickJob(m.several, func(job int32) bool { return job%10 == 0 }); job%10 != 0 {
				t.Fatalf("%s: job %d fits on one cluster alone", c.name, job)
			}
		}
		share := float64(c.late) / 4
		if want := share*6/12 + (1-share)*63/jobs; m.late != c.late || math.Abs(float64(last)/draws-want) > 0.01 {
			t.Errorf("%s: %d of four late, %v of the draws are in the last 63 positions; expected %d and %v", c.name, m.late, float64(last)/draws, c.late, want)
		}
	}
}
