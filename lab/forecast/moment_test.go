package forecast

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// under is a discipline as a policy.
type under struct {
	discipline sim.Discipline
	kill       bool
}

func (u under) Supports(*model.Instance) error { return nil }
func (u under) Discipline() sim.Discipline     { return u.discipline }
func (u under) Kills() bool                    { return u.kill }
func (u under) Simulate(ctx context.Context, in *model.Instance, opt sim.Options) (*model.Solution, sim.Totals, error) {
	opt.Kill = u.kill
	return sim.Simulate(ctx, in, u.discipline, opt)
}

// disciplines are policies that decide afresh at each instant, that keep reservations, and that remember what users have had.
func disciplines() map[string]sim.Discipline {
	order := func(by string) backfill.Ranking {
		r := backfill.DefaultRanking()
		r.Order = by
		return r
	}
	return map[string]sim.Discipline{
		"fcfs": backfill.FCFS(backfill.Ranking{}), "easy": backfill.EASY(1, 1, backfill.Ranking{}), "conservative": backfill.Conservative(1, backfill.Ranking{}),
		"easy sjf": backfill.EASY(1, 1, order("sjf")), "easy wfp3": backfill.EASY(1, 1, order("wfp3")),
		"easy depth": backfill.EASY(1, 3, backfill.Ranking{}), "fair share": backfill.EASY(1, 1, order("multifactor")),
		"conservative sjf": backfill.Conservative(1, order("sjf")), "flexible": backfill.Flexible(1, backfill.DefaultPriorities()),
		"fcfs late": late(backfill.FCFS(backfill.Ranking{})), "easy late": late(backfill.EASY(1, 1, backfill.Ranking{})),
	}
}

// late is a discipline that keeps some jobs out of the queue for a time.
func late(d sim.Discipline) sim.Discipline {
	d.Defer = func(*model.Instance) func(sim.Deferrable) float64 {
		return func(j sim.Deferrable) float64 { return j.Arrival + math.Mod(7*j.Arrival+j.Estimate, 11) }
	}
	return d
}

// queue draws an instance on one cluster: whole times, some of them 0, some estimates too short, some jobs without a user. Estimates are powers of 2, so that no
// time of a future is rounded.
func queue(t *rapid.T) *model.Instance {
	b := model.NewBuilder("queue").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
	now := 0.0
	for k := range rapid.IntRange(1, 25).Draw(t, "jobs") {
		now += float64(rapid.IntRange(0, 6).Draw(t, "gap"))
		work := float64(rapid.IntRange(0, 20).Draw(t, "work"))
		b.Job(model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: now, Processors: model.Rigid(rapid.IntRange(1, 4).Draw(t, "processors")), Work: &work,
			Estimate: new(float64(rapid.SampledFrom([]int{0, 1, 4, 8, 16, 32}).Draw(t, "estimate"))), User: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "user"),
		})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// waiting are the jobs that wait at a time in the replay.
func (t *truth) waiting(at float64) []int {
	var list []int
	for k := range t.in.Jobs() {
		if t.in.Jobs()[k].Arrival <= at && !(t.start[k] < at) {
			list = append(list, k)
		}
	}
	return list
}

// A future that begins in the middle is the same as one run from the beginning in which every job that has ended runs for its own time and every other
// for what was drawn.
func TestFuturesAgreeWithRunsFromTheBeginning(t *testing.T) {
	for name, discipline := range disciplines() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			in := queue(t)
			policy := under{discipline, rapid.Bool().Draw(t, "kill")}
			at := float64(rapid.IntRange(0, 90).Draw(t, "at"))
			if rapid.Bool().Draw(t, "at an arrival") {
				at = in.Jobs()[rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "of")].Arrival
			}
			opt := Defaults()
			opt.Arrivals, opt.Least = false, rapid.IntRange(1, 4).Draw(t, "least")
			truth, err := replay(context.Background(), in, policy, 1)
			if err != nil {
				t.Fatal(err)
			}
			asked := truth.waiting(at)
			m := truth.momentAt(at, asked, newHistory(truth.records()), &opt)
			starts, err := m.run(context.Background(), 3)
			if err != nil {
				t.Fatal(err)
			}
			whole := wholeRun(t, m, 3)
			for k, job := range asked {
				if starts[k] != whole[job] {
					t.Fatalf("at %v job %d starts at %v, in a run from the beginning at %v (all: %v)", at, job, starts[k], whole[job], whole)
				}
			}
		}))
	}
}

// wholeRun is the starts by job of a run from the beginning.
func wholeRun(t *rapid.T, m *moment, run int) []float64 {
	trace := &sim.Trace{}
	var jobs []int
	for number, spec := range m.truth.specs {
		k := m.order[number]
		if spec.Arrival > m.at {
			break
		}
		if _, spec.Runtime = sim.Lengths(m.in, k); !(m.end[k] <= m.at) {
			spec.Runtime = m.length(run, k, spec.Estimate)
		}
		trace.Jobs, jobs = append(trace.Jobs, spec), append(jobs, k)
	}
	whole := &wholeStarts{jobs: jobs, at: make([]float64, len(m.in.Jobs()))}
	if _, err := sim.Run(context.Background(), trace, 4, m.discipline, m.discipline.Deferring(m.in, sim.Options{Kill: m.policy.Kills(), Observer: whole})); err != nil {
		t.Fatal(err)
	}
	for k := range m.in.Jobs() {
		if m.start[k] < m.at && whole.at[k] != m.start[k] {
			t.Fatalf("job %d started at %v, before %v, and in the future at %v: the future changes the past", k, m.start[k], m.at, whole.at[k])
		}
	}
	return whole.at
}

// wholeStarts notes the starts of a run.
type wholeStarts struct {
	jobs []int
	at   []float64
}

func (w *wholeStarts) Arrived(float64, *sim.Job)                     {}
func (w *wholeStarts) Started(now float64, j *sim.Job, _ []sim.Part) { w.at[w.jobs[j.Number]] = now }
func (w *wholeStarts) Left(float64, *sim.Job, sim.Outcome, string)   {}
func (w *wholeStarts) Decided(float64)                               {}

// A forecast knows only what has happened: other run times of the jobs that have not ended, and other jobs that arrive later, do not change it.
func TestForecastKnowsOnlyThePast(t *testing.T) {
	all := disciplines()
	names := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(t *rapid.T) {
		for range race.Fewer(3, 1) {
			name := rapid.SampledFrom(names).Draw(t, "discipline")
			discipline, in := all[name], queue(t)
			at := in.Jobs()[rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "of")].Arrival
			opt := Defaults()
			opt.Runs, opt.Day, opt.Least = 4, 10, 1
			truth, err := replay(context.Background(), in, under{discipline: discipline}, 1)
			if err != nil {
				t.Fatal(err)
			}
			b := model.NewBuilder("queue").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
			for k := range in.Jobs() {
				job := in.JobSpec(k)
				if job.Arrival > at {
					continue
				}
				if estimate := in.Jobs()[k].Estimate; !(truth.end[k] <= at) {
					job.Estimate, job.Work = &estimate, new(*job.Work+float64(rapid.IntRange(0, 20).Draw(t, "longer")))
				}
				b.Job(job)
			}
			b.Job(model.JobSpec{ID: "later", Arrival: at + 1, Processors: model.Rigid(4), Work: new(100.0), User: "z"})
			other, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			want, err := Queue(context.Background(), "x", under{discipline: discipline}, in, at, "", nil, opt)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Queue(context.Background(), "x", under{discipline: discipline}, other, at, "", nil, opt)
			if err != nil {
				t.Fatal(err)
			}
			if !sameForecast(want, got) {
				t.Fatalf("%s at %v: %+v, with another future %+v", name, at, want.Jobs, got.Jobs)
			}
		}
	})
}

// sameForecast compares all figures.
func sameForecast(a, b *Forecast) bool {
	x, y := fmt.Sprint(*a), fmt.Sprint(*b)
	for _, f := range []*Forecast{a, b} {
		text := fmt.Sprint(f.Runs, f.Ended, f.Arrivals, f.Reason)
		for _, j := range f.Jobs {
			text += fmt.Sprint(" ", j.Job, j.Submitted, j.Processors, j.User)
			for _, at := range []*float64{j.Expected, j.P10, j.P50, j.P90} {
				if at == nil {
					text += " never"
				} else {
					text += fmt.Sprint(" ", math.Float64bits(*at))
				}
			}
		}
		x, y = y, text
	}
	return x == y
}

// Under fcfs a job starts no earlier than with the least ratio of all for every job, and no later than with the greatest.
func TestQuantilesLieBetweenTheExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := queue(t)
		at := in.Jobs()[len(in.Jobs())/2].Arrival
		opt := Defaults()
		opt.Arrivals, opt.Runs, opt.Least, opt.Independent = false, 30, 1, rapid.Bool().Draw(t, "independent")
		truth, err := replay(context.Background(), in, under{discipline: backfill.FCFS(backfill.Ranking{})}, 1)
		if err != nil {
			t.Fatal(err)
		}
		m := truth.momentAt(at, truth.waiting(at), newHistory(truth.records()), &opt)
		starts, err := m.futures(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		extreme := func(last bool) []float64 {
			n := truth.momentAt(at, truth.waiting(at), newHistory(truth.records()), &opt)
			for k, d := range n.draws {
				if len(d.ratios) > 0 && last {
					d.ratios = d.ratios[len(d.ratios)-1:]
				} else if len(d.ratios) > 0 {
					d.ratios = d.ratios[:1]
				}
				n.draws[k] = d
			}
			list, err := n.run(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			return list
		}
		early, late := extreme(false), extreme(true)
		for k := range early {
			var of []float64
			for run := range starts {
				of = append(of, starts[run][k])
			}
			q := quantiles(of)
			if !(early[k] <= q.P10 && q.P10 <= q.P50 && q.P50 <= q.P90 && q.P90 <= late[k]) {
				t.Fatalf("job %d: %v, expected within %v and %v", k, q, early[k], late[k])
			}
		}
	})
}

// powered draws a queue on a cluster with a power cap whose steps rise and fall or, where asleep is set, with machines that sleep by a rule. Two processors take 3 and two take 5. Where the cap
// falls no estimate is too short.
func powered(t *rapid.T, asleep bool) *model.Instance {
	plain := queue(t)
	spec := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Power: &model.PowerSpec{Busy: 3}}, {ID: "n", Processors: 2, Power: &model.PowerSpec{Busy: 5}}}}
	falls, before := false, math.Inf(1)
	for k := range rapid.IntRange(1, 4).Draw(t, "steps") {
		power := float64(rapid.IntRange(0, 16).Draw(t, "cap"))
		falls = falls || power < before
		before = power
		spec.PowerCap = append(spec.PowerCap, []float64{float64(20 * k), power})
	}
	if asleep {
		spec.PowerCap, falls = nil, false
		for k := range spec.Machines {
			p := spec.Machines[k].Power
			p.SuspendAfter = new(float64(rapid.IntRange(0, 9).Draw(t, "suspend after")))
			p.Off = []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: float64(rapid.IntRange(0, 2).Draw(t, "down"))}, Up: model.WaySpec{Time: float64(rapid.IntRange(0, 4).Draw(t, "up"))}}}
		}
	}
	b := model.NewBuilder("powered").Cluster(spec)
	for k := range plain.Jobs() {
		job := plain.JobSpec(k)
		if falls {
			job.Work = new(min(*job.Work, *job.Estimate))
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// lastStarts notes the last start that is told of each job: one that waits for machines to wake may have to wait longer than it seemed.
type lastStarts struct{ at map[string]float64 }

func (l *lastStarts) Arrived(float64, *sim.Job)                   {}
func (l *lastStarts) Started(_ float64, j *sim.Job, _ []sim.Part) { l.at[j.Request.ID] = j.Start }
func (l *lastStarts) Decided(float64)                             {}
func (l *lastStarts) Left(_ float64, j *sim.Job, how sim.Outcome, _ string) {
	if how != sim.Dropped {
		l.at[j.Request.ID] = j.Start
	}
}

// Under power caps, and beside machines that sleep by a rule, a future is the same as a run from the beginning, and keeps what has happened by then. Nobody outlives an estimate where a cap falls.
func TestFuturesKeepToPower(t *testing.T) {
	waited, woke := 0, 0
	for name, discipline := range disciplines() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			asleep := rapid.Bool().Draw(t, "asleep")
			in := powered(t, asleep)
			policy := under{discipline, rapid.Bool().Draw(t, "kill")}
			at := float64(rapid.IntRange(0, 90).Draw(t, "at"))
			if rapid.Bool().Draw(t, "at an arrival") {
				at = in.Jobs()[rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "of")].Arrival
			}
			opt := Defaults()
			opt.Arrivals, opt.Least = false, rapid.IntRange(1, 4).Draw(t, "least")
			truth, err := replay(context.Background(), in, policy, 1)
			if err != nil {
				t.Fatal(err)
			}
			asked := truth.waiting(at)
			// Other jobs tell of run times far above the estimates.
			m := truth.momentAt(at, asked, newHistory(append(truth.records(), record{End: -1, Ratio: 3, Estimate: 4, Processors: 1, User: "a"})), &opt)
			starts, err := m.run(context.Background(), 3)
			if err != nil {
				t.Fatal(err)
			}
			whole := &lastStarts{map[string]float64{}}
			run := sim.Options{Seed: m.seed, Kill: policy.kill, Observer: whole, Length: func(j *sim.Job) float64 {
				k, _ := in.JobIndex(j.Request.ID)
				if truth.end[k] <= at {
					return truth.end[k] - truth.start[k]
				}
				length := m.length(3, k, j.EstimatedEnd-j.Start)
				if !asleep && sim.CapsFall(in) && length > j.EstimatedEnd-j.Start {
					t.Fatalf("job %d runs for %v, longer than its estimate, where a cap falls", k, length)
				}
				return length
			}}
			if _, _, err := sim.Simulate(t.Context(), truth.arrived(at), discipline, run); err != nil {
				t.Fatal(err)
			}
			for k := range in.Jobs() {
				if got, is := whole.at[in.Jobs()[k].ID]; truth.start[k] < at && (!is || got != truth.start[k]) {
					t.Fatalf("job %d started at %v, before %v, and in the future at %v: the future changes the past", k, truth.start[k], at, got)
				}
			}
			for k, job := range asked {
				want, is := whole.at[in.Jobs()[job].ID]
				if !is {
					want = math.Inf(1)
				}
				if starts[k] != want {
					t.Fatalf("at %v job %d starts at %v, in a run from the beginning at %v (all: %v)", at, job, starts[k], want, whole.at)
				}
				if want > at && !asleep {
					waited++
				} else if want > at {
					woke++
				}
			}
			opt.Arrivals, opt.Day = true, 10
			if _, err := truth.momentAt(at, asked, newHistory(truth.records()), &opt).run(context.Background(), 3); err != nil {
				t.Fatal(err)
			}
		}))
	}
	if waited < race.Enough(50) || woke < race.Enough(50) {
		t.Errorf("only %d jobs waited under a cap, %d beside machines that sleep", waited, woke)
	}
}
