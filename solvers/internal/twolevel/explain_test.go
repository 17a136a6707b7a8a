package twolevel

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// witness asks a policy for its reasons.
type witness struct {
	policy  sim.Policy
	jobs    map[string]*sim.Job
	started map[string][]sim.Reason
	at      map[float64]func(explain func(job string) []sim.Reason)
}

func (w *witness) Watch(_ *sim.Platform, p sim.Policy)         { w.policy = p }
func (w *witness) Arrived(_ float64, j *sim.Job)               { w.jobs[j.Request.ID] = j }
func (w *witness) Left(float64, *sim.Job, sim.Outcome, string) {}
func (w *witness) explain(job string) []sim.Reason {
	return w.policy.(sim.Explainer).Explain(w.jobs[job])
}
func (w *witness) Started(_ float64, j *sim.Job, _ []sim.Part) {
	w.started[j.Request.ID] = w.explain(j.Request.ID)
}
func (w *witness) Decided(now float64) {
	if ask := w.at[now]; ask != nil {
		ask(w.explain)
	}
}

// has fails unless the reasons hold one of the rule, with the terms and the words.
func has(t *testing.T, reasons []sim.Reason, rule, words string, terms map[string]float64) {
	t.Helper()
	for _, r := range reasons {
		if r.Rule != rule {
			continue
		}
		if !strings.Contains(r.Text, words) {
			t.Errorf("rule %s: found %q, expected %q in it", rule, r.Text, words)
		}
		found := map[string]float64{}
		for _, term := range r.Terms {
			found[term.Name] = term.Value
		}
		for name, want := range terms {
			if got, ok := found[name]; !ok || math.Abs(got-want) > 1e-12 {
				t.Errorf("rule %s, %s: found %v, expected %v", rule, name, got, want)
			}
		}
		return
	}
	t.Errorf("no reason with rule %s: %+v", rule, reasons)
}

// TestExplain follows four jobs by hand.
//
// Cluster a has one machine of 2 processors of speed 2 and one copy of licence l; cluster b has one processor of speed 1 and may use
// the one copy of the grid's pool. J0 (2 processors, estimate 20) can only run on a and does so from 0 to 20/2 = 10.
//
// J1 at 1 has estimate 8 at reference speed 2, deadline 21, licence l and a gold user. Its margin is 21 − 8 − 1 = 12, and as the first with a
// deadline it has its own margin as mean: u = 24/2046, S_9 = 24·511/1023 = 11.99, so the level is 10 − 9 = 1, and r = 12/8 = 1.5 takes 1 off. Licences:
// ⌈1·10/1⌉ = 10. P = 0 + 10 + 10. No queue holds anything: a is the first idle cluster. There at 1: next = 8·2/2 = 8, end = 9, t = 21 − 16 = 5, so the
// score of the deadline is 0.1 + 9.9·(9 − 5)/(21 − 5) = 2.575; ρ = 1/1, not critical: 1; it is the shortest: 1.
//
// J2 at 2 has estimate 4, licence l and no class: P = 10. On a the queue from 10 on holds 8·2 = 16 of one job, on b nothing, so it goes to b.
//
// J3 at 3 has estimate 4, needs 2 processors and licence l. At 3 ρ = 2/1 on a, critical, with no licence that is not: d = 1. J1 then has aging 0.002,
// deadline 0.1 + 9.9·(11 − 5)/16 = 3.8125, licences 2, and 4/8 for its length; J3 has no aging, 0.1, 2 and 1.
func TestExplain(t *testing.T) {
	b := model.NewBuilder("explain")
	b.Spec().Licences, b.Spec().UserClasses = map[string]int{"l": 1}, map[string]float64{"gold": 10}
	b.Cluster(model.ClusterSpec{ID: "a", Licences: map[string]int{"l": 1}, Machines: []model.MachineSpec{{ID: "m", Processors: 2, Speed: 2}}})
	b.Cluster(model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m"}}})
	one := map[string]int{"l": 1}
	b.Job(model.JobSpec{ID: "J0", Processors: model.Rigid(2), Work: new(20.0), Estimate: new(20.0)})
	b.Job(model.JobSpec{ID: "J1", Arrival: 1, Work: new(16.0), Estimate: new(8.0), ReferenceSpeed: 2, Deadline: new(21.0), Licences: one, UserClass: "gold"})
	b.Job(model.JobSpec{ID: "J2", Arrival: 2, Work: new(4.0), Estimate: new(4.0), Licences: one})
	b.Job(model.JobSpec{ID: "J3", Arrival: 3, Processors: model.Rigid(2), Work: new(4.0), Estimate: new(4.0), Licences: one})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	class := map[string]float64{"priority": 20, "deadline": 0, "licences": 10, "user": 10, "margin": 12, "mean_margin": 12, "estimate": 8}
	for _, h := range []heuristics{LS, MS, none} {
		opt := Defaults()
		opt.Heuristics = h
		asked := 0
		w := &witness{jobs: map[string]*sim.Job{}, started: map[string][]sim.Reason{}}
		w.at = map[float64]func(func(string) []sim.Reason){
			1: func(explain func(string) []sim.Reason) {
				asked++
				j1 := explain("J1")
				has(t, j1, "idle", "a is the first cluster", map[string]float64{"load a": 0, "jobs a": 0, "load b": 0, "jobs b": 0})
				switch h {
				case LS:
					has(t, j1, "class", "priority 20 = 0 for its deadline + 10 for licences + 10 for its user", class)
					has(t, j1, "queue", "order of a priority, which is 4.575", map[string]float64{"aging": 0, "deadline": 2.575, "licences": 1, "wait": 1, "priority": 4.575})
				case MS:
					has(t, j1, "class", "priority 20", class)
					has(t, j1, "queue", "meta-scheduler's priority", map[string]float64{"priority": 20})
				case none:
					has(t, j1, "queue", "order of arrival", nil)
				}
			},
			3: func(explain func(string) []sim.Reason) {
				asked++
				if h == LS {
					has(t, explain("J1"), "queue", "", map[string]float64{"aging": 0.002, "deadline": 3.8125, "licences": 2, "wait": 0.5, "priority": 0.002 + 3.8125 + 2 + 0.5})
					has(t, explain("J3"), "queue", "", map[string]float64{"aging": 0, "deadline": 0.1, "licences": 2, "wait": 1, "priority": 3.1})
				}
			},
		}
		if _, _, err := sim.Simulate(context.Background(), in, New(opt), sim.Options{Observer: w}); err != nil {
			t.Fatal(err)
		}
		has(t, w.started["J0"], "only_cluster", "a is the only cluster", map[string]float64{"load a": 0})
		load, jobs := 16.0, 1.0 // from priority 10 on; from 0 on with None, which is the same job
		has(t, w.started["J2"], "idle", "b is the first cluster", map[string]float64{"load a": load, "jobs a": jobs, "load b": 0, "jobs b": 0})
		if asked != 2 || len(w.started) != 4 {
			t.Errorf("asked %d times, %d jobs started", asked, len(w.started))
		}
	}
}

// batches hands out the jobs of an instance some at a time.
type batches struct {
	builder *model.Builder
	jobs    []model.JobSpec
	size    int
}

func (b *batches) Next() (*model.Instance, error) {
	if len(b.jobs) == 0 {
		return nil, nil
	}
	n := min(b.size, len(b.jobs))
	b.builder.Spec().Jobs = b.jobs[:n]
	b.jobs = b.jobs[n:]
	return b.builder.Build()
}

// starts notes when each job starts.
type starts map[string]float64

func (s starts) Arrived(float64, *sim.Job)                     {}
func (s starts) Started(now float64, j *sim.Job, _ []sim.Part) { s[j.Request.ID] = now }
func (s starts) Left(float64, *sim.Job, sim.Outcome, string)   {}
func (s starts) Decided(float64)                               {}

// TestStream: jobs that come in batches start as those of one instance do.
func TestStream(t *testing.T) {
	whole, parts := starts{}, starts{}
	if _, _, err := sim.Simulate(context.Background(), grid(t, 4, []int{6, 3}, 500, 40, false), New(Defaults()), sim.Options{Seed: 2, Observer: whole}); err != nil {
		t.Fatal(err)
	}
	b := paper(4, []int{6, 3}, 500, 40, false)
	system, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	totals, err := sim.Stream(context.Background(), system, &batches{b, b.Spec().Jobs, 7}, New(Defaults()), sim.Options{Seed: 2, Observer: parts})
	if err != nil || totals.Finished != 500 {
		t.Fatalf("%d jobs finished: %v", totals.Finished, err)
	}
	if fmt.Sprint(whole) != fmt.Sprint(parts) || len(whole) != 500 {
		t.Error("the starts differ")
	}
}
