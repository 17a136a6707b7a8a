package serial

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
	"github.com/allot-opt/allot/search/internal/engine"
)

// advance runs some rounds of the engine.
func advance(e engine.Engine, rounds int, evaluations int64) {
	for range rounds {
		for k := range e.Chains() {
			e.Advance(k, evaluations, func() bool { return false })
		}
		e.Exchange()
	}
}

// The checker accepts the engine's schedules, and the evaluator confirms the sums of the engine.
func TestSerialIsRight(t *testing.T) {
	compared := 0
	often.Check(t, race.Fewer(3, 1), func(t *rapid.T) {
		p := draw(t, 16)
		e, err := New(context.Background(), p.In, &model.Solution{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		advance(e, 3, 40)
		for k := range e.Chains() {
			s, err := e.Solution(k)
			if err != nil {
				t.Fatal(err)
			}
			report := model.Check(p.In, s)
			if !report.OK() {
				t.Fatalf("%v", report.Violations[0])
			}
			want, found := report.Evaluation.Objective, e.Best(k).Objective
			if rounded(p, e.(*Engine).islands[k].found) {
				continue
			}
			compared++
			if math.Abs(found-want) > 1e-9*math.Abs(want)+report.Evaluation.Rounding {
				t.Fatalf("the engine adds up %v, the evaluator %v of %+v", found, want, p.In.ObjectiveTerms())
			}
		}
	})
	if compared < race.Enough(race.Fewer(900, 300)) {
		t.Errorf("only %d schedules are compared", compared)
	}
}

// rounded says whether times are so large that they are rounded by what counts beside the length of a job: in the evaluator, which divides by the end less the start, and in the engine,
// which finds starts from both ends. Where the times of the engine are whole, nothing is rounded.
func rounded(p *problem, m *member) bool {
	for j, start := range m.start {
		length := p.places[j][m.at[j]].length
		if end := start + length; !p.exact && length > 0 && math.Nextafter(end, math.Inf(1))-end > 1e-11*length {
			return true
		}
	}
	return false
}

// leastOf is the least objective of all schedules that the reference makes and that meet all hard deadlines: every order, every cluster.
func leastOf(t *rapid.T, p *problem) float64 {
	least := math.Inf(1)
	order, taken, cluster := []int32{}, make([]bool, p.n), make([]int, p.n)
	var extend func()
	extend = func() {
		if len(order) == p.n {
			start, end := naive(p.In, order, cluster)
			s := &model.Solution{}
			for j := range start {
				size, _ := p.In.Width(j, cluster[j])
				s.Jobs = append(s.Jobs, model.Placement{Job: p.In.Jobs()[j].ID, Cluster: p.In.Clusters()[cluster[j]].ID,
					Processors: model.NewProcessorSet(model.Range{First: 0, Last: size - 1}), Start: start[j], End: end[j]})
			}
			if slices.ContainsFunc(p.hard, func(j int32) bool { return model.Late(end[j], p.In.Jobs()[j].Deadline) }) {
				return
			}
			value, err := model.EvaluateObjective(p.In, s)
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, value)
			return
		}
		for j := range taken {
			if taken[j] || slices.ContainsFunc(p.In.Jobs()[j].After, func(k int) bool { return !taken[k] }) {
				continue
			}
			taken[j] = true
			order = append(order, int32(j))
			for c := range p.In.Clusters() {
				if p.In.CanRun(j, c) {
					cluster[j] = c
					extend()
				}
			}
			order, taken[j] = order[:len(order)-1], false
		}
	}
	extend()
	return least
}

// On small instances the engine reaches the best of all schedules that the reference makes.
func TestSerialReachesTheBestOfAll(t *testing.T) {
	tried := 0
	property := func(t *rapid.T) {
		in := modeltest.Generator{Features: features &^ model.HardDeadlines, Jobs: 5, Clusters: 2, Groups: 1, Machines: 3, Processors: 2}.Instance(t)
		p := newProblem(context.Background(), in)
		if p == nil {
			return
		}
		tried++
		least := leastOf(t, p)
		e, err := New(context.Background(), in, &model.Solution{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		found := math.Inf(1)
		for range 40 {
			advance(e, 1, 100)
			for k := range e.Chains() {
				found = min(found, e.Best(k).Objective)
			}
		}
		if tolerance := 1e-9 * math.Abs(least); !(found <= least+tolerance) && !(math.Abs(found-least) < 1e-9) {
			t.Fatalf("found %v, the best of all is %v of %+v", found, least, in.ObjectiveTerms())
		}
	}
	often.Check(t, race.Fewer(6, 2), property)
	if tried < race.Enough(race.Fewer(80, 20)) {
		t.Errorf("%d instances: the test proves little", tried)
	}
}

// The engine takes an instance only where counting what is free tells whether a job can start.
func TestTakes(t *testing.T) {
	for _, c := range []struct {
		name  string
		takes bool
		edit  func(machine *model.MachineSpec, job *model.JobSpec)
	}{
		{"precedence", true, func(*model.MachineSpec, *model.JobSpec) {}},
		{"memory for every processor", true, func(m *model.MachineSpec, j *model.JobSpec) { m.Memory, j.Memory = new(10.0), 5 }},
		{"memory for one of two processors", false, func(m *model.MachineSpec, j *model.JobSpec) { m.Memory, j.Memory = new(10.0), 6 }},
		{"span of a machine", false, func(_ *model.MachineSpec, j *model.JobSpec) { j.Processors, j.Span = model.Rigid(2), "machine" }},
		{"hard deadline", true, func(_ *model.MachineSpec, j *model.JobSpec) { j.Deadline, j.DeadlineHard = new(9.0), true }},
		{"moldable", false, func(_ *model.MachineSpec, j *model.JobSpec) { j.Processors = model.Moldable(1, 2) }},
		{"runs nowhere", false, func(_ *model.MachineSpec, j *model.JobSpec) { j.Processors = model.Rigid(9) }},
	} {
		machine, job := model.MachineSpec{ID: "m", Count: 2, Processors: 2}, model.JobSpec{ID: "b", Work: new(1.0), After: []string{"a"}}
		c.edit(&machine, &job)
		in, err := model.NewBuilder("takes").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine}}).
			Job(model.JobSpec{ID: "a", Work: new(1.0)}).Job(job).Build()
		if err != nil {
			t.Fatal(err)
		}
		if takes := newProblem(context.Background(), in) != nil; takes != c.takes {
			t.Errorf("%s: taken %t", c.name, takes)
		}
	}
}

// Project is an instance like those of PSPLIB: jobs of whole lengths that wait for about two others and share four pools.
func Project(t testing.TB, jobs int, fraction float64) *model.Instance {
	b := model.NewBuilder("project")
	b.Spec().Licences = map[string]int{"a": 14, "b": 14, "c": 14, "d": 14}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: jobs}}})
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1+rng.IntN(10)) + fraction*rng.Float64()), Licences: map[string]int{}}
		for _, l := range []string{"a", "b", "c", "d"} {
			if rng.IntN(2) == 0 {
				job.Licences[l] = 1 + rng.IntN(10)
			}
		}
		for _, back := range []int{1 + rng.IntN(8), 9 + rng.IntN(12)} {
			if j >= back {
				job.After = append(job.After, fmt.Sprint("j", j-back))
			}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A start is never made longer, nor is the best schedule lost when the populations begin anew.
func TestNothingIsLost(t *testing.T) {
	race.OneGoroutine(t)
	in := Project(t, 30, 0)
	e, err := New(context.Background(), in, &model.Solution{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	advance(e, 10, 200)
	s, err := e.Solution(0)
	if err != nil {
		t.Fatal(err)
	}
	reached := e.Best(0).Objective
	if e, err = New(context.Background(), in, s, 2); err != nil {
		t.Fatal(err)
	}
	e.Advance(0, 1, func() bool { return false })
	if now := e.Best(0).Objective; now > reached {
		t.Errorf("the start ends at %v, decoded again at %v", reached, now)
	}
	size := e.(*Engine).islands[0].size
	best := math.Inf(1)
	for range 400 {
		advance(e, 1, 300)
		now := math.Inf(1)
		for k := range e.Chains() {
			now = min(now, e.Best(k).Objective)
		}
		if now > best {
			t.Fatalf("the best schedule was %v and is %v", best, now)
		}
		best = now
	}
	if e.(*Engine).islands[0].size == size {
		t.Error("the populations never began anew: the test proves little")
	}
}

// Populations have converged once nine of ten members are about as good as the best one, and not while they are being filled. Then all begin anew.
func TestConverged(t *testing.T) {
	made, err := New(context.Background(), Project(t, 30, 0), &model.Solution{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := made.(*Engine)
	fill := func(s *island, members, worse int, much float64) {
		s.members = nil
		for k := range members {
			m := newMember(s.n)
			if m.value, m.hash = 1000, uint64(k); k < worse {
				m.value += much
			}
			s.members = append(s.members, m)
		}
	}
	for _, c := range []struct {
		name           string
		members, worse int
		much           float64
		converged      bool
	}{
		{"all equal", 60, 0, 0, true},
		{"a tenth worse", 60, 6, 100, true},
		{"more than a tenth worse", 60, 7, 100, false},
		{"most a little worse", 60, 50, 0.5, true},
		{"not full", 59, 0, 0, false},
	} {
		s := e.islands[0]
		if fill(s, c.members, c.worse, c.much); s.size != 60 || s.converged() != c.converged {
			t.Errorf("%s: converged %t", c.name, s.converged())
		}
	}
	for _, s := range e.islands {
		fill(s, 60, 0, 0)
	}
	fill(e.islands[3], 60, 30, 100)
	if e.Exchange(); e.islands[0].size != 60 {
		t.Error("the populations began anew before all had converged")
	}
	for _, s := range e.islands {
		fill(s, 60, 0, 0)
	}
	e.Exchange()
	for k, s := range e.islands {
		if s.size != 120 || len(s.members) != 0 {
			t.Errorf("population %d has %d of %d members after all have converged", k, len(s.members), s.size)
		}
	}
}

// Populations of a project begin anew although nearly no schedule comes twice: its schedules share makespans.
func TestPlateausAreLeft(t *testing.T) {
	race.OneGoroutine(t)
	e, err := New(context.Background(), Project(t, 60, 0), &model.Solution{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	repeats, made := int64(0), int64(0)
	for range 200 {
		advance(e, 1, 600)
		if e.(*Engine).islands[0].size > 60 {
			break
		}
		repeats, made = 0, 0
		for _, s := range e.(*Engine).islands {
			repeats, made = repeats+s.repeats, made+s.made
		}
	}
	if size := e.(*Engine).islands[0].size; size != 120 {
		t.Errorf("%d members: the populations have not begun anew", size)
	}
	if 4*repeats > made {
		t.Errorf("%d of %d children were repeats: the test proves little", repeats, made)
	}
}

// The engine makes exactly the schedules that it is asked for, says that there is nothing to search where there is one schedule only, and stops
// when it is told to.
func TestAdvance(t *testing.T) {
	e, err := New(context.Background(), Project(t, 20, 0), &model.Solution{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, evaluations := range []int64{1, 2, 3, 4, 5, 100, 1001} {
		before := e.(*Engine).islands[0].passes
		if made := e.Advance(0, evaluations, func() bool { return false }); made != evaluations || e.(*Engine).islands[0].passes-before != made {
			t.Errorf("%d schedules asked for, %d reported, %d made", evaluations, made, e.(*Engine).islands[0].passes-before)
		}
	}
	asked := 0
	if made := e.Advance(0, 1<<40, func() bool { asked++; return asked > 10 }); made > 33 {
		t.Errorf("%d schedules after it was told to stop", made)
	}
	b := model.NewBuilder("one")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Job(model.JobSpec{ID: "j", Work: new(1.0)})
	one, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if e, err = New(context.Background(), one, &model.Solution{}, 1); err != nil {
		t.Fatal(err)
	}
	if first, second := e.Advance(0, 10, func() bool { return false }), e.Advance(0, 10, func() bool { return false }); first == 0 || second != 0 || e.Best(0).Objective != 1 {
		t.Errorf("one job: %d schedules, then %d", first, second)
	}
}
