package mts_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/mts"
)

// literal is MTS as the specification writes it, on clusters of one machine each that is given out as a whole: in each step all
// loads, counts and classes anew. It returns the placements and the jobs that are left out.
type literal struct {
	in         *model.Instance
	p          mts.Solver // with every value set
	free       []float64
	now        float64 // f counts from here
	left       []int
	placements []model.Placement
	out        []int
	decisions  []decision // one for each placement
}

// decision is what decided a step: the class, and either the fragment or mt with what it is made of.
type decision struct {
	class                 int
	fragment              bool
	sum                   float64 // that the job leaves
	mt, cpu, link, memory float64
}

// attributes are what the literal form knows of a job on a resource.
type attributes struct {
	s, ex, tr, start  float64
	fits, inTime      bool
	cpu, link, memory float64 // loads
}

func (l *literal) at(j, r int) attributes {
	job, machine := &l.in.Jobs()[j], &l.in.Clusters()[r].Machines[0]
	a := attributes{start: max(l.free[r], job.Arrival)}
	a.ex = l.in.Busy(j, r, machine.Speed, job.Tasks) / l.p.ProcessorShare
	a.tr = l.in.Transfer(j, machine.Bandwidth) / l.p.BandwidthShare
	if a.s = a.ex + a.tr; math.IsNaN(a.s) {
		a.s = math.Inf(1)
		return a
	}
	a.inTime = !model.Late(a.start+a.s, job.Deadline)
	a.fits = job.Memory <= machine.Memory*l.p.MemoryShare && job.MinBandwidth <= machine.Bandwidth
	left := job.Deadline - a.start
	a.cpu, a.link, a.memory = 1, 1, 1
	if left-a.tr > a.ex {
		a.cpu = a.ex / (left - a.tr)
	}
	files := job.Input+job.Output > 0 && !job.StatesRuntimes()
	if files && !math.IsInf(machine.Bandwidth, 1) && left-a.ex > a.tr {
		a.link = a.tr / (left - a.ex)
	}
	if !math.IsInf(machine.Memory, 1) {
		a.memory = job.Memory / (machine.Memory * l.p.MemoryShare)
	}
	return a
}

// may says whether the job may be placed on the resource: crq.
func (l *literal) may(j int, a attributes) bool {
	return a.fits && !math.IsInf(a.s, 1) && (a.inTime || !l.in.Jobs()[j].DeadlineHard)
}

// counts are the numbers of resources that the job would overload.
func (l *literal) counts(j int) (cpu, link, memory float64) {
	job := &l.in.Jobs()[j]
	for r := range l.free {
		a, machine := l.at(j, r), &l.in.Clusters()[r].Machines[0]
		if !a.inTime {
			cpu++
			if job.Input+job.Output > 0 && !job.StatesRuntimes() && !math.IsInf(machine.Bandwidth, 1) {
				link++
			}
		}
		if job.Memory > machine.Memory*l.p.MemoryShare {
			memory++
		}
	}
	return cpu, link, memory
}

func (l *literal) run() {
	for {
		l.left = slices.DeleteFunc(l.left, func(j int) bool {
			for r := range l.free {
				if l.may(j, l.at(j, r)) {
					return false
				}
			}
			l.out = append(l.out, j)
			return true
		})
		if len(l.left) == 0 {
			slices.Sort(l.out)
			return
		}
		j, r := l.choose()
		job, machine := &l.in.Jobs()[j], &l.in.Clusters()[r].Machines[0]
		start := max(l.free[r], job.Arrival)
		end := model.End(start, l.in.Busy(j, r, machine.Speed, job.Tasks)+l.in.Transfer(j, machine.Bandwidth))
		l.placements = append(l.placements, model.Placement{Job: job.ID, Cluster: l.in.Clusters()[r].ID, Start: start, End: end})
		l.free[r] = end
		l.left = slices.DeleteFunc(l.left, func(k int) bool { return k == j })
	}
}

// choose is steps 2 to 4.
func (l *literal) choose() (job, resource int) {
	class := map[int]int{}
	weight := map[int]float64{}
	highest := 0
	all := float64(len(l.free))
	for _, j := range l.left {
		cpu, link, memory := l.counts(j)
		most := max(cpu, link, memory)
		weight[j] = most + math.Log(math.Exp(cpu-most)+math.Exp(link-most)+math.Exp(memory-most))
		if l.p.Classes == "on" {
			for _, over := range []bool{cpu > l.p.Lambda*all, memory > l.p.Chi*all, link > l.p.Eta*all} {
				if over {
					class[j]++
				}
			}
		}
		highest = max(highest, class[j])
	}
	if l.p.Fragments == "on" {
		least := math.Inf(1)
		found := false
		for r := range l.free {
			for _, j := range l.left {
				a := l.at(j, r)
				if class[j] != highest || !l.may(j, a) || !a.inTime {
					continue
				}
				c, b, m := 1-a.cpu, 1-a.link, 1-a.memory
				if c <= l.p.Fragment && b <= l.p.Fragment && m <= l.p.Fragment && (!found || c+b+m < least) {
					job, resource, least, found = j, r, c+b+m, true
				}
			}
		}
		if found {
			l.decisions = append(l.decisions, decision{class: highest, fragment: true, sum: least})
			return job, resource
		}
	}
	first := math.Inf(1)
	found := false
	for _, j := range l.left {
		if class[j] != highest {
			continue
		}
		end, at := math.Inf(1), -1
		for r := range l.free {
			if a := l.at(j, r); l.may(j, a) && a.start+a.s < end {
				end, at = a.start+a.s, r
			}
		}
		mt := end
		if l.p.Weights == "on" {
			mt = math.Log(max(0, end-l.now)) - weight[j]
		}
		minMin := l.p.Classes == "off" && l.p.Fragments == "off" && l.p.Weights == "off"
		if !found || mt < first || mt == first && at < resource && !minMin {
			job, resource, first, found = j, at, mt, true
		}
	}
	cpu, link, memory := l.counts(job)
	l.decisions = append(l.decisions, decision{class: highest, mt: math.Exp(first), cpu: cpu, link: link, memory: memory})
	return job, resource
}

// sameSteps compares the steps of a run with the decisions of the literal form.
func sameSteps(t *testing.T, name string, p *mts.Solver, steps []solve.Step, want *literal) {
	t.Helper()
	if len(steps) != len(want.decisions) {
		t.Fatalf("%s: %d steps, expected %d", name, len(steps), len(want.decisions))
	}
	for k, s := range steps {
		d, rule, figures := want.decisions[k], "least end", map[string]float64{}
		switch {
		case d.fragment:
			rule, figures = "fragment", map[string]float64{"sum": d.sum}
		case p.Weights == "on":
			rule, figures = "least mt", map[string]float64{"mt": d.mt, "overloaded in processors": d.cpu, "overloaded in bandwidth": d.link, "overloaded in memory": d.memory}
		}
		if p.Classes == "on" {
			figures["class"] = float64(d.class)
		}
		if s.Rule != rule {
			t.Fatalf("%s: step %d is by %q, expected %q", name, k+1, s.Rule, rule)
		}
		for _, term := range s.Terms {
			if figure, ok := figures[term.Name]; ok && math.Abs(term.Value-figure) > 1e-9*max(1, math.Abs(figure)) {
				t.Fatalf("%s: step %d: %s is %v, expected %v", name, k+1, term.Name, term.Value, figure)
			}
			delete(figures, term.Name)
		}
		if len(figures) > 0 {
			t.Fatalf("%s: step %d does not state %v", name, k+1, figures)
		}
		for _, score := range s.Scores {
			if own := p.ProcessorShare == 1 && p.BandwidthShare == 1; own && score.Chosen && math.Abs(*score.Value-s.Placed[0].End) > 1e-9*math.Abs(s.Placed[0].End) {
				t.Fatalf("%s: step %d: the end is %v, the job ends at %v", name, k+1, *score.Value, s.Placed[0].End)
			}
		}
	}
}

// The paper's fragment is 5 % and its three rules hold; λ, χ and η, of which it gives no values, are a half.
func TestDefaults(t *testing.T) {
	want := mts.Solver{Lambda: 0.5, Chi: 0.5, Eta: 0.5, Fragment: 0.05, ProcessorShare: 1, MemoryShare: 1, BandwidthShare: 1, Classes: "on", Fragments: "on", Weights: "on"}
	if got := *solve.Default[mts.Solver](); got != want {
		t.Errorf("found %+v, expected %+v", got, want)
	}
}

// Decisions are those of the literal form on 500 random instances, with every combination of the rules on and off, and with
// other limits, fragments and shares.
func TestDecidesAsTheLiteralForm(t *testing.T) {
	race.OneGoroutine(t)
	onOff := []string{"on", "off"}
	placed, left, fragments := 0, 0, 0
	for seed := range uint64(500) {
		in := solvecases.Built(t, solvecases.Grid(seed, 24))
		rng := rand.New(rand.NewPCG(seed, 5))
		for k := range 8 {
			p := mts.Solver{Lambda: 0.5, Chi: 0.5, Eta: 0.5, Fragment: 0.05, ProcessorShare: 1, MemoryShare: 1, BandwidthShare: 1,
				Classes: onOff[k&1], Fragments: onOff[k>>1&1], Weights: onOff[k>>2&1]}
			if seed%2 == 1 {
				p.Lambda, p.Chi, p.Eta, p.Fragment = 0.1+0.8*rng.Float64(), 0.1+0.8*rng.Float64(), 0.1+0.8*rng.Float64(), []float64{0.01, 0.3, 0.7, 0.95}[rng.IntN(4)]
			}
			if seed%7 == 6 { // zeros are values like the others
				p.Lambda, p.Chi, p.Eta, p.Fragment = p.Lambda*float64(rng.IntN(2)), p.Chi*float64(rng.IntN(2)), p.Eta*float64(rng.IntN(2)), p.Fragment*float64(rng.IntN(2))
			}
			if seed%5 == 4 {
				p.ProcessorShare, p.MemoryShare, p.BandwidthShare = 1-rng.Float64()/2, 1-rng.Float64()/2, 1-rng.Float64()/2
			}
			result, want := asLiteral(t, fmt.Sprintf("seed %d, %+v", seed, p), in, p)
			placed, left = placed+len(want.placements), left+len(want.out)
			if p.Fragments == "on" {
				p.Fragments = "off"
				other, err := p.Solve(context.Background(), in, solve.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(result.Solution.Jobs, other.Solution.Jobs) || !slices.Equal(result.Solution.Unscheduled, other.Solution.Unscheduled) {
					fragments++
				}
			}
		}
	}
	t.Logf("%d jobs placed, %d left out; the fragment rule decides in %d of 2000 runs", placed, left, fragments)
	if placed < 20_000 || left < 4_000 || fragments < 50 {
		t.Error("the instances prove little")
	}
}

// asLiteral solves the batch, checks that the schedule is right and that its decisions are those of the literal form, and returns both.
func asLiteral(t *testing.T, name string, in *model.Instance, p mts.Solver) (solve.Result, *literal) {
	t.Helper()
	want := &literal{in: in, p: p, free: slices.Repeat([]float64{in.FirstArrival()}, len(in.Clusters())), now: in.FirstArrival()}
	for j := range in.Jobs() {
		want.left = append(want.left, j)
	}
	want.run()
	var steps []solve.Step
	result, err := p.Solve(context.Background(), in, solve.Options{Trace: func(s solve.Step) { steps = append(steps, s) }})
	if err != nil {
		t.Fatal(err)
	}
	sameSteps(t, name, &p, steps, want)
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Fatalf("%s: %v", name, report.Violations[0])
	}
	sameDecisions(t, name, in, result.Solution, want)
	for _, few := range []int{2, 5} {
		grouped, formed, dissolved := p.SolveInGroups(in, few)
		sameDecisions(t, fmt.Sprint(name, ", in groups of ", few), in, grouped.Solution, want)
		groupsFormed, groupsDissolved = groupsFormed+formed, groupsDissolved+dissolved
	}
	return result, want
}

// groupsFormed and groupsDissolved count groups of [asLiteral].
var groupsFormed, groupsDissolved int

// sameDecisions compares a schedule with the literal one.
func sameDecisions(t *testing.T, name string, in *model.Instance, got *model.Solution, want *literal) {
	t.Helper()
	if len(got.Jobs) != len(want.placements) || len(got.Unscheduled) != len(want.out) {
		t.Fatalf("%s: %d jobs placed and %d not; want %d and %d", name, len(got.Jobs), len(got.Unscheduled), len(want.placements), len(want.out))
	}
	for k, p := range got.Jobs {
		if q := want.placements[k]; p.Job != q.Job || p.Cluster != q.Cluster || p.Start != q.Start || p.End != q.End {
			t.Fatalf("%s: placement %d: got %+v, want %+v", name, k, p, q)
		}
	}
	for k, u := range got.Unscheduled {
		if id := in.Jobs()[want.out[k]].ID; u.Job != id {
			t.Fatalf("%s: left out: got %s, want %s", name, u.Job, id)
		}
	}
}

// e^count overflows from 710 resources on; ln f − ln Σ e^count does not. On 2,000 resources the job that overloads most of them must go first, though
// f/(Σ e^count) would be 0 for all.
func TestComparesInLogSpace(t *testing.T) {
	b := model.NewBuilder("log space")
	const resources = 2000
	for r := range resources {
		speed := 1.0
		if r >= resources-10 {
			speed = 100
		}
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("r", r), Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Speed: speed, Memory: new(1 + float64(r%100))}}})
	}
	for j := range 40 { // all are overloaded on more than half of the resources, by memory; later jobs on more
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0), Memory: 50 + float64(j), Deadline: new(50.0), DeadlineHard: true})
	}
	in := solvecases.Built(t, b)
	p := mts.Solver{Lambda: 0.5, Chi: 0.5, Eta: 0.5, Fragment: 0.05, ProcessorShare: 1, MemoryShare: 1, BandwidthShare: 1, Classes: "on", Fragments: "off", Weights: "on"}
	result, err := p.Solve(context.Background(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, placement := range result.Solution.Jobs {
		if want := fmt.Sprint("j", 39-k); placement.Job != want {
			t.Errorf("placement %d is of %s, want %s", k, placement.Job, want)
		}
	}
	want := &literal{in: in, p: p, free: make([]float64, resources)}
	for j := range in.Jobs() {
		want.left = append(want.left, j)
	}
	want.run()
	sameDecisions(t, "2,000 resources", in, result.Solution, want)
}
