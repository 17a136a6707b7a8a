package sim_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// scripted is a policy that starts each job with the claims that a function gives, as soon as it may.
type scripted struct {
	claims    func(j *sim.Job) []sim.Claim
	platform  *sim.Platform
	queue     []*sim.Job
	announced []string
	released  []string
	ends      []float64 // estimated, by part, of the job started last
}

func (p *scripted) Announce(j *sim.Job) {
	p.announced = append(p.announced, fmt.Sprint(j.Request.ID, " ", j.Request.After))
}
func (p *scripted) Arrive(j *sim.Job) { p.queue = append(p.queue, j) }
func (p *scripted) Release(j *sim.Job, part int, last bool) {
	p.released = append(p.released, fmt.Sprintf("%s/%d %v %d", j.Request.ID, part, last, p.platform.FreeProcessors(0)))
}
func (p *scripted) Decide(e *sim.Engine) {
	for _, j := range p.queue {
		e.StartOn(j, p.claims(j)...)
		p.ends = nil
		for _, part := range e.Held(j) {
			p.ends = append(p.ends, part.EstimatedEnd)
		}
	}
	p.queue = nil
}

// run runs the policy on an instance and checks the schedule.
func (p *scripted) run(t *testing.T, in *model.Instance, opt sim.Options) *model.Solution {
	t.Helper()
	sol, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
		p.platform = platform
		return p
	}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations)
	}
	return sol
}

// each is a claim a processor for tasks of a moldable job, on the machines 0, 1, …
func each(tasks ...int) []sim.Claim {
	var claims []sim.Claim
	for m, n := range tasks {
		claims = append(claims, sim.Claim{Shares: []sim.Share{{Machine: int32(m), Processors: 1}}, Tasks: n})
	}
	return claims
}

// unequal has a job of three tasks of 8 on machines of speed 1, 2 and 4.
func unequal(t *testing.T, job model.JobSpec, more ...model.JobSpec) *model.Instance {
	t.Helper()
	b := model.NewBuilder("unequal").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "a"}, {ID: "b", Speed: 2}, {ID: "c", Speed: 4}}})
	for _, j := range append([]model.JobSpec{job}, more...) {
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestPartsAreForeseenEachAtItsOwnEnd: by the estimate of 4 a task takes 4, 2 and 1 on the three machines. From time 1 on all goes by the
// estimates: the parts end at 4, 2 and 2, as the third has outlived its estimate by then.
func TestPartsAreForeseenEachAtItsOwnEnd(t *testing.T) {
	in := unequal(t, model.JobSpec{ID: "j", Processors: model.Moldable(1, 3), Work: new(8.0), Estimate: new(4.0)}, model.JobSpec{ID: "late", Arrival: 9, Processors: model.Moldable(1, 3), Work: new(8.0)})
	p := &scripted{claims: func(*sim.Job) []sim.Claim { return each(1, 1, 1) }}
	p.run(t, in, sim.Options{})
	if want := []string{"j/2 false 1", "j/1 false 2", "j/0 true 3"}; !slices.Equal(p.released[:3], want) {
		t.Errorf("released %v, expected %v", p.released, want)
	}
	at := 1.0
	forecast := &scripted{claims: p.claims}
	var ends recorder
	_, _, err := sim.Simulate(context.Background(), unequal(t, model.JobSpec{ID: "j", Processors: model.Moldable(1, 3), Work: new(8.0), Estimate: new(4.0)}, model.JobSpec{ID: "next", Arrival: 1, Processors: model.Moldable(1, 3), Work: new(0.0), Estimate: new(0.0)}),
		sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
			forecast.platform = platform
			forecast.claims = func(j *sim.Job) []sim.Claim {
				if j.Request.ID == "next" {
					return nil
				}
				return each(1, 1, 1)
			}
			return &dropper{forecast}
		}}, sim.Options{Forecast: &at, Observer: &ends})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"j/1 false 1", "j/2 false 2", "j/0 true 3"}; !slices.Equal(forecast.released, want) {
		t.Errorf("released %v, expected %v", forecast.released, want)
	}
	if want := []float64{4, 2, 1}; !slices.Equal(forecast.ends, want) {
		t.Errorf("foreseen ends %v, expected %v", forecast.ends, want)
	}
}

// dropper drops the jobs that the script has no claims for.
type dropper struct{ *scripted }

func (p *dropper) Decide(e *sim.Engine) {
	p.queue = slices.DeleteFunc(p.queue, func(j *sim.Job) bool {
		if p.claims(j) == nil {
			e.Drop(j, "not wanted")
			return true
		}
		return false
	})
	if len(p.queue) > 0 {
		p.scripted.Decide(e)
	}
}

// TestHold: processors that are held until the job's end come back then, though their tasks have ended; the solution states when those did.
func TestHold(t *testing.T) {
	p := &scripted{claims: func(*sim.Job) []sim.Claim {
		claims := each(1, 1, 1)
		for k := range claims {
			claims[k].Hold = k != 1
		}
		return claims
	}}
	sol := p.run(t, unequal(t, model.JobSpec{ID: "j", Processors: model.Moldable(1, 3), Work: new(8.0)}), sim.Options{})
	if want := []string{"j/1 false 1", "j/2 false 2", "j/0 true 3"}; !slices.Equal(p.released, want) {
		t.Errorf("released %v, expected %v", p.released, want)
	}
	if pieces := sol.Jobs[0].Pieces; pieces[1].End != 4 || pieces[2].End != 2 || sol.Jobs[0].End != 8 {
		t.Errorf("pieces %+v", pieces)
	}
}

// TestLimit: a claim ends the job after its limit, and not a job that ends just then.
func TestLimit(t *testing.T) {
	for limit, out := range map[float64]int{0: 0, 7.5: 1, 8: 0, 9: 0} {
		p := &scripted{claims: func(*sim.Job) []sim.Claim {
			return []sim.Claim{{Shares: []sim.Share{{Machine: 0, Processors: 1}}, Limit: limit}}
		}}
		sol := p.run(t, unequal(t, model.JobSpec{ID: "j", Arrival: 1, Work: new(8.0)}), sim.Options{})
		if len(sol.Unscheduled) != out || out > 0 && !strings.Contains(sol.Unscheduled[0].Reason, "started at 1, ended at 8.5") {
			t.Errorf("limit %v: left out %v", limit, sol.Unscheduled)
		}
	}
}

// TestTasksOfClaimsAddUp: claims for too few tasks are a fault of the policy.
func TestTasksOfClaimsAddUp(t *testing.T) {
	in := unequal(t, model.JobSpec{ID: "j", Processors: model.Moldable(1, 3), Work: new(8.0)})
	_, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
		return &scripted{platform: platform, claims: func(*sim.Job) []sim.Claim { return each(1, 1) }}
	}}, sim.Options{})
	if err == nil || !strings.Contains(err.Error(), "job j of 3 tasks starts at 0 with 2") {
		t.Error(err)
	}
}

// TestAnnounce: a policy hears of jobs that wait for others when they arrive, and for which they wait.
func TestAnnounce(t *testing.T) {
	in := unequal(t, model.JobSpec{ID: "second", Work: new(1.0), After: []string{"first"}}, model.JobSpec{ID: "first", Work: new(1.0)},
		model.JobSpec{ID: "third", Work: new(1.0), Arrival: 1, After: []string{"second", "first"}})
	p := &scripted{claims: func(*sim.Job) []sim.Claim { return []sim.Claim{{Shares: []sim.Share{{Machine: 0, Processors: 1}}}} }}
	p.run(t, in, sim.Options{})
	if want := []string{"second [1]", "first []", "third [0 1]"}; !slices.Equal(p.announced, want) {
		t.Errorf("announced %q, expected %q", p.announced, want)
	}
}

// starts notes where jobs start, by their names.
type starts struct {
	recorder
	at map[string]string
}

func (s *starts) Started(now float64, j *sim.Job, parts []sim.Part) {
	s.at[j.Request.ID] = fmt.Sprint(now, parts[0].Cluster, parts[0].Processors)
}

// parts hands out an instance piece by piece.
type parts struct {
	in   *model.Instance
	jobs []int
	size int
}

func (p *parts) Next() (*model.Instance, error) {
	if len(p.jobs) == 0 {
		return nil, nil
	}
	n := min(p.size, len(p.jobs))
	ready := make([]float64, n)
	for k, j := range p.jobs[:n] {
		ready[k] = p.in.Jobs()[j].Arrival
	}
	batch := p.in.Batch(p.jobs[:n], ready, nil)
	p.jobs = p.jobs[n:]
	return batch, nil
}

// TestStreamIsSimulate: jobs that come in batches start where and when they do as one instance, local jobs included.
func TestStreamIsSimulate(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		const features = model.Arrivals | model.ParallelJobs | model.HardDeadlines | model.MemoryLimits | model.LicencePools | model.UnrelatedTimes |
			model.RestrictedTimes | model.MixedMachines | model.MachineSpan | model.BackgroundLoad | model.MoldableJobs | model.GridSpan | model.PowerCaps | model.SleepingMachines
		in := modeltest.Generator{Features: features, Jobs: 14, Clusters: rapid.IntRange(1, 3).Draw(t, "clusters")}.Instance(t)
		if sim.CheckPower(in, false) != nil {
			return
		}
		whole, batches := &starts{at: map[string]string{}}, &starts{at: map[string]string{}}
		opt := sim.Options{Observer: whole, Seed: 5}
		sol, want, err := sim.Simulate(context.Background(), in, sim.Discipline{General: backfill.EASY(1, 1, backfill.Ranking{}).General}, opt)
		if err != nil {
			t.Fatal(err)
		}
		order := make([]int, len(in.Jobs()))
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
		opt.Observer = batches
		system := in
		if rapid.Bool().Draw(t, "a system without jobs") {
			system = in.Batch(nil, nil, nil)
		}
		got, err := sim.Stream(context.Background(), system, &parts{in, order, rapid.IntRange(1, 5).Draw(t, "batch")}, backfill.EASY(1, 1, backfill.Ranking{}), opt)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(whole.at) != fmt.Sprint(batches.at) {
			t.Fatalf("in batches %v, as a whole %v", batches.at, whole.at)
		}
		if got != want {
			t.Fatalf("totals %+v in batches, %+v as a whole", got, want)
		}
		evaluation, err := model.Evaluate(in, sol)
		if err != nil || len(sol.Unscheduled) > 0 {
			return
		}
		compared++
		if u, ok := evaluation.Metrics.Get("utilisation"); ok && math.Abs(u-got.Utilisation()) > 1e-9*u {
			t.Fatalf("utilisation %v, expected %v", got.Utilisation(), u)
		}
	})
	if compared < race.Enough(10) {
		t.Errorf("only %d instances compared", compared)
	}
}

// TestStreamRefuses: a batch of another system, or of jobs that wait for others, is an error.
func TestStreamRefuses(t *testing.T) {
	in := unequal(t, model.JobSpec{ID: "a", Work: new(1.0)})
	other, err := model.NewBuilder("other").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "a"}}}).Job(model.JobSpec{ID: "a", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	waits := unequal(t, model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(1.0), After: []string{"a"}})
	for want, batch := range map[string]*model.Instance{"cluster c of 3 processors, found c of 1": other, "jobs that wait for no other job": waits} {
		_, err := sim.Stream(context.Background(), in, &parts{batch, []int{0, 1}[:len(batch.Jobs())], 5}, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestStreamRefusesNodes: a batch whose jobs ask something of single machines is an error that callers can tell apart.
func TestStreamRefusesNodes(t *testing.T) {
	system := unequal(t, model.JobSpec{ID: "a", Work: new(1.0)})
	blocks := unequal(t, model.JobSpec{ID: "a", Work: new(1.0), Exclusive: true})
	_, err := sim.Stream(context.Background(), system, &parts{blocks, []int{0}, 5}, backfill.EASY(1, 1, backfill.Ranking{}), sim.Options{})
	if !errors.Is(err, sim.ErrNodes) {
		t.Errorf("an exclusive job: got %v, want %v", err, sim.ErrNodes)
	}
}

// TestNoTimeAfterTheDeadline: a job of no time that starts after its hard deadline has missed it; one that starts just then has not.
func TestNoTimeAfterTheDeadline(t *testing.T) {
	for arrival, out := range map[float64]int{4: 0, 5: 0, 6: 1} {
		p := &scripted{claims: func(*sim.Job) []sim.Claim { return []sim.Claim{{Shares: []sim.Share{{Machine: 0, Processors: 1}}}} }}
		sol := p.run(t, unequal(t, model.JobSpec{ID: "j", Arrival: arrival, Work: new(0.0), Deadline: new(5.0), DeadlineHard: true}), sim.Options{})
		if len(sol.Unscheduled) != out {
			t.Errorf("arrival %v: left out %v", arrival, sol.Unscheduled)
		}
	}
}

// A job on several clusters takes its licences from the pools of all of them, once from each, and gives them back when it ends: clusters a and b
// share the grid's pool of 2, c has one of 1. With one copy of each in use, a job that needs them over all three waits.
func TestLicencesOfSeveralClusters(t *testing.T) {
	b := model.NewBuilder("pools")
	b.Spec().Licences = map[string]int{"l": 2}
	for _, c := range []string{"a", "b", "c"} {
		spec := model.ClusterSpec{ID: c, Machines: []model.MachineSpec{{ID: "m", Count: 3}}}
		if c == "c" {
			spec.Licences = map[string]int{"l": 1}
		}
		b.Cluster(spec)
	}
	for k, needs := range []map[string]int{{"l": 1}, {"l": 1}, nil} {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(3), Span: "grid", Tasks: 3, Work: new(4.0), Licences: needs})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var left []string // copies of the pools, as each job finds them
	p := &scripted{}
	p.claims = func(j *sim.Job) (claims []sim.Claim) {
		left = append(left, fmt.Sprint(p.platform.Free.Copies))
		for c := range p.platform.Clusters() {
			claims = append(claims, sim.Claim{Cluster: c, Shares: []sim.Share{{Machine: int32(c), Processors: 1}}, Tasks: 1, Hold: true})
		}
		return claims
	}
	_, _, err = sim.Simulate(context.Background(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
		p.platform = platform
		return p
	}}, sim.Options{})
	if want := "job j1 starts at 0 without licence l"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := strings.Join(left, ", "); got != "[2 1], [1 0]" && got != "[2 1], [1 0], [1 0]" {
		t.Errorf("copies %s", got)
	}
	for policy, d := range map[string]sim.Discipline{"fcfs": backfill.FCFS(backfill.Ranking{}), "easy": backfill.EASY(1, 1, backfill.Ranking{})} {
		sol, _, err := sim.Simulate(context.Background(), in, d, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != 3 {
			t.Fatalf("%s: %v, %v", policy, report.Violations, sol.Unscheduled)
		}
	}
}
