package sim_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/simtest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// hold is a policy that decides as a function.
type hold struct {
	queue  []*sim.Job
	decide func(p *hold, e *sim.Engine)
}

func (p *hold) Arrive(j *sim.Job)         { p.queue = append(p.queue, j) }
func (*hold) Release(*sim.Job, int, bool) {}
func (p *hold) Decide(e *sim.Engine)      { p.decide(p, e) }
func rigid(at, runtime, estimate float64) sim.Spec {
	return sim.Spec{Arrival: at, Processors: 1, Runtime: runtime, Estimate: estimate}
}

// TestPolicyBreaksTheRules: what a policy must not do ends the run with an error.
func TestPolicyBreaksTheRules(t *testing.T) {
	for name, decide := range map[string]func(p *hold, e *sim.Engine){
		"starts twice": func(p *hold, e *sim.Engine) { e.Start(p.queue[0]); e.Start(p.queue[0]) },
		"starts too many": func(p *hold, e *sim.Engine) {
			for _, j := range p.queue {
				e.Start(j)
			}
			p.queue = nil
		},
		"never starts":               func(*hold, *sim.Engine) {},
		"drops a runner":             func(p *hold, e *sim.Engine) { e.Start(p.queue[0]); e.Drop(p.queue[0], "") },
		"claims machines of a trace": func(p *hold, e *sim.Engine) { e.StartOn(p.queue[0], sim.Claim{}) },
	} {
		trace := &sim.Trace{Jobs: []sim.Spec{rigid(0, 5, 5), rigid(0, 5, 5)}}
		if _, err := sim.Run(context.Background(), trace, 1, onlyOnce(&hold{decide: decide}), sim.Options{}); !errors.Is(err, sim.ErrPolicy) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestSourceIsChecked: jobs out of order, too wide or with odd times are errors.
func TestSourceIsChecked(t *testing.T) {
	for want, jobs := range map[string][]sim.Spec{
		"expected jobs in order of arrival":   {rigid(5, 1, 1), rigid(4, 1, 1)},
		"expected finite times of at least 0": {rigid(0, math.Inf(1), 1)},
		"estimate -1":                         {rigid(0, 1, -1)},
		"expected jobs of 1 to 2 processors":  {{Processors: 3, Runtime: 1}},
		"1 to 2 processors, found one of 0":   {{Runtime: 1}},
		"arrival NaN":                         {rigid(math.NaN(), 1, 1)},
	} {
		_, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, 2, backfill.FCFS(backfill.Ranking{}), sim.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestStreamsInConstantMemory: ten times the jobs do not need more memory.
func TestStreamsInConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a stream of 200,000 jobs")
	}
	allocated := func(jobs int64) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		source := &simtest.Synthetic{Jobs: jobs, Processors: 128, Load: 0.7, Seed: 3}
		totals, err := sim.Run(context.Background(), source, 128, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
		if err != nil || totals.Finished != jobs {
			t.Fatal(totals.Finished, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(1000)
	if few, many := allocated(20_000), allocated(200_000); many > 2*few+1<<20 {
		t.Errorf("%d bytes for 20,000 jobs, %d for 200,000", few, many)
	}
}

// TestSyntheticLoad: the work of the stream is what the load says, to a few per cent.
func TestSyntheticLoad(t *testing.T) {
	source, work, last := &simtest.Synthetic{Jobs: 100_000, Processors: 64, Load: 0.8, Seed: 5}, 0.0, 0.0
	var s sim.Spec
	for {
		ok, err := source.Next(&s)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if s.Estimate < s.Runtime || s.Processors < 1 || s.Processors > 64 || s.Arrival < last {
			t.Fatalf("odd job %+v", s)
		}
		work, last = work+float64(s.Processors)*s.Runtime, s.Arrival
	}
	if load := work / (64 * last); math.Abs(load-0.8) > 0.04 {
		t.Errorf("load %v", load)
	}
}

// TestForecast: from time 10 on everything happens by the estimates, and the job that arrives at 20 does not.
func TestForecast(t *testing.T) {
	var s recorder
	at := 10.0
	jobs := []sim.Spec{rigid(0, 50, 30), rigid(1, 40, 5), rigid(10, 7, 70), rigid(20, 1, 1)}
	// Job 0 runs to 30 instead of 50. Job 1 starts there and takes 5 instead of 40, job 2 starts at 35.
	_, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, 1, backfill.FCFS(backfill.Ranking{}), sim.Options{Observer: &s, Forecast: &at})
	if err != nil {
		t.Fatal(err)
	}
	for job, want := range map[int64]float64{0: 0, 1: 30, 2: 35} {
		if s.starts[job] != want {
			t.Errorf("job %d starts at %v, expected %v", job, s.starts[job], want)
		}
	}
	if _, arrived := s.starts[3]; arrived {
		t.Error("job 3 starts")
	}
}

// Jobs that outlive their estimates are expected to end a second after the moment of the forecast, or as soon as times that large can tell.
func TestForecastOfJobsThatOutliveTheirEstimates(t *testing.T) {
	for _, at := range []float64{10, 1e15, 1 << 53, 1e18} {
		var s recorder
		jobs := []sim.Spec{rigid(0, 4*at, 5), rigid(1, at, 5), rigid(at, 1, 1)}
		if _, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, 1, backfill.FCFS(backfill.Ranking{}), sim.Options{Observer: &s, Forecast: &at}); err != nil {
			t.Fatal(err)
		}
		if want := max(at+1, math.Nextafter(at, math.Inf(1))); s.starts[1] != want {
			t.Errorf("at %v: the next job starts at %v, expected %v", at, s.starts[1], want)
		}
	}
}

// recorder notes when jobs start.
type recorder struct{ starts map[int64]float64 }

func (*recorder) Arrived(float64, *sim.Job) {}
func (r *recorder) Started(now float64, j *sim.Job, _ []sim.Part) {
	if r.starts == nil {
		r.starts = map[int64]float64{}
	}
	r.starts[j.Number] = now
}
func (*recorder) Left(float64, *sim.Job, sim.Outcome, string) {}
func (*recorder) Decided(float64)                             {}

// ending is a source of jobs that ends the run at one of them.
type ending struct {
	simtest.Synthetic
	at, given int
	end       func()
}

// Next implements [sim.Source].
func (s *ending) Next(job *sim.Spec) (bool, error) {
	if s.given++; s.given == s.at {
		s.end()
	}
	return s.Synthetic.Next(job)
}

// TestCancelled: a run whose context ends returns its error soon, within 256 instants, at each of which a job or a few arrive.
func TestCancelled(t *testing.T) {
	for name, rules := range map[string]sim.Discipline{
		"easy":         backfill.EASY(1, 1, backfill.Ranking{}),
		"conservative": backfill.Conservative(1, backfill.Ranking{}),
	} {
		for _, at := range []int{1, 100, 3000} {
			ctx, cancel := context.WithCancel(context.Background())
			source := &ending{Synthetic: simtest.Synthetic{Jobs: 1 << 40, Processors: 64, Load: 2, Seed: 1}, at: at, end: cancel}
			_, err := sim.Run(ctx, source, 64, rules, sim.Options{})
			cancel()
			if !errors.Is(err, context.Canceled) || source.given < at || source.given > at+512 {
				t.Errorf("%s: cancelled at job %d, %v at job %d", name, at, err, source.given)
			}
		}
	}
}

// early is a policy for a moldable job: a processor for each task, each a part of its own.
type early struct {
	platform *sim.Platform
	queue    []*sim.Job
	released []int // free processors seen at each release
}

func (p *early) Arrive(j *sim.Job) { p.queue = append(p.queue, j) }
func (p *early) Release(_ *sim.Job, _ int, _ bool) {
	p.released = append(p.released, p.platform.FreeProcessors(0))
}
func (p *early) Decide(e *sim.Engine) {
	for _, j := range p.queue {
		var claims []sim.Claim
		for task := range j.Request.Tasks {
			claims = append(claims, sim.Claim{Shares: []sim.Share{{Machine: int32(task % len(p.platform.Machines)), Processors: 1}}, Tasks: 1})
		}
		e.StartOn(j, claims...)
	}
	p.queue = nil
}

// TestPiecesReleasedEarly: a moldable job of three tasks on machines of speed 1, 2 and 4 gives its processors back one by
// one, and the checker accepts the pieces.
func TestPiecesReleasedEarly(t *testing.T) {
	in, err := model.NewBuilder("early").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "a"}, {ID: "b", Speed: 2}, {ID: "c", Speed: 4}}}).
		Job(model.JobSpec{ID: "j", Processors: model.Moldable(1, 3), Work: new(8.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	var policy *early
	sol, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: func(p *sim.Platform, _ uint64) sim.Policy { policy = &early{platform: p}; return policy }}, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	if p := sol.Jobs[0]; len(p.Pieces) != 3 || p.End != 8 || p.Pieces[1].End != 4 || p.Pieces[2].End != 2 {
		t.Errorf("got %+v", p)
	}
	if r := policy.released; len(r) != 3 || r[0] != 1 || r[1] != 2 || r[2] != 3 {
		t.Errorf("free processors at the releases: %v", r)
	}
}

// TestEventsInOrder: the heap hands events out by time, those of one time in the order of starting, which shows in the order
// of a solution.
func TestEventsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var jobs []sim.Spec
		for range 1 + rng.IntN(60) {
			jobs = append(jobs, rigid(0, float64(rng.IntN(6)), 10))
		}
		o := &ends{}
		if _, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, len(jobs), backfill.FCFS(backfill.Ranking{}), sim.Options{Observer: o}); err != nil {
			t.Fatal(err)
		}
		for k := 1; k < len(o.number); k++ {
			if o.at[k] < o.at[k-1] || o.at[k] == o.at[k-1] && o.number[k] < o.number[k-1] {
				t.Fatalf("job %d at %v after job %d at %v", o.number[k], o.at[k], o.number[k-1], o.at[k-1])
			}
		}
	})
}

// ends notes the order in which jobs end.
type ends struct {
	recorder
	number []int64
	at     []float64
}

func (o *ends) Left(now float64, j *sim.Job, _ sim.Outcome, _ string) {
	o.number, o.at = append(o.number, j.Number), append(o.at, now)
}

// TestPrecedenceAndHardDeadlines: who waits for a job that is killed or dropped is dropped too, with the reason, and the
// checker accepts the rest.
func TestPrecedenceAndHardDeadlines(t *testing.T) {
	in, err := model.NewBuilder("chain").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "late", Work: new(9.0), Estimate: new(3.0), Deadline: new(5.0), DeadlineHard: true},
			model.JobSpec{ID: "after", Work: new(1.0), After: []string{"late"}},
			model.JobSpec{ID: "second", Work: new(1.0), After: []string{"after"}, Arrival: 7},
			model.JobSpec{ID: "fine", Work: new(2.0), Arrival: 1},
			model.JobSpec{ID: "hopeless", Work: new(4.0), Arrival: 1, Deadline: new(4.0), DeadlineHard: true},
			model.JobSpec{ID: "last", Work: new(1.0), After: []string{"fine"}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []sim.Discipline{backfill.EASY(1, 1, backfill.Ranking{}), backfill.Conservative(1, backfill.Ranking{})} {
		sol, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: policy.General}, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, sol); !report.OK() {
			t.Fatal(report.Violations)
		}
		if len(sol.Jobs) != 2 || sol.Jobs[0].Job != "fine" || sol.Jobs[0].Start != 5 || sol.Jobs[1].Job != "last" {
			t.Errorf("placed %+v", sol.Jobs)
		}
		reasons := map[string]string{}
		for _, u := range sol.Unscheduled {
			reasons[u.Job] = u.Reason
		}
		for job, want := range map[string]string{
			"late": "ended at its hard deadline 5, which it had not met: started at 0", "after": "waits for job late, which is not placed",
			"second": "waits for job after, which is not placed", "hopeless": "hard deadline 4 cannot be met",
		} {
			if !strings.HasPrefix(reasons[job], want) {
				t.Errorf("%s: %q, expected %q", job, reasons[job], want)
			}
		}
	}
}

// onlyOnce is a discipline of one run of a policy.
func onlyOnce(policy sim.Policy) sim.Discipline {
	return sim.Discipline{General: func(*sim.Platform, uint64) sim.Policy { return policy }}
}
