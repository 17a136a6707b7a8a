package mts

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

// drawnParameters are parameters of any values.
func drawnParameters(rng *rand.Rand) *Solver {
	m := newSolver()
	pick := func(values ...float64) float64 { return values[rng.IntN(len(values))] }
	m.Lambda, m.Chi, m.Eta = pick(0.5, 0.5, 0, 0.34), pick(0.5, 0.5, 0, 1), pick(0.5, 0.5, 0, 0.9)
	m.Fragment = pick(0.05, 0.05, 0.3, 0.9)
	m.ProcessorShare, m.MemoryShare, m.BandwidthShare = pick(1, 1, 0.8), pick(1, 1, 0.75), pick(1, 1, 0.5)
	for _, rule := range []*string{&m.Classes, &m.Fragments, &m.Weights} {
		if rng.IntN(4) == 0 {
			*rule = "off"
		}
	}
	return m
}

// literalOnClusters is MTS on clusters by the rules in the comment of [Solver], with every slot looked for anew in each step.
type literalOnClusters struct {
	*plan.Schedule
	in     *model.Instance
	p      *Solver
	placed []bool
}

// literalPair is a job on a cluster.
type literalPair struct {
	start, ex, tr, left float64
	runs, may, inTime   bool // it has a slot; may be placed in it; starts in time
	limited             bool // the link counts
	crowded             bool // the memory is too small
	memory              float64
}

func (l *literalOnClusters) at(j, c int) literalPair {
	job, cluster := &l.in.Jobs()[j], &l.in.Clusters()[c]
	p := literalPair{memory: 1}
	speed, link, memory := 0.0, 0.0, 0.0
	for _, m := range cluster.Machines {
		speed, link, memory = max(speed, m.Speed), max(link, m.Bandwidth), max(memory, m.Memory)
	}
	p.limited = job.Input+job.Output > 0 && !job.StatesRuntimes() && !math.IsInf(link, 1)
	p.crowded = job.Memory > memory*l.p.MemoryShare
	if !math.IsInf(memory, 1) {
		p.memory = job.Memory / (memory * l.p.MemoryShare)
	}
	slot, ok := l.Earliest(j, c)
	if p.runs = ok; ok {
		p.start = slot.Start
		switch slow, spread := slot.SlowestLink(l.in); {
		case spread:
			p.tr = l.in.Transfer(j, slow)
			p.ex = max(0, slot.End-slot.Start-p.tr)
		case slot.Set() != nil:
			p.tr = l.in.Transfer(j, l.in.SlowestLink(c, slot.Set()))
			p.ex = l.in.Longest(j, c, slot.Set(), job.Tasks)
		default:
			p.tr = l.in.Transfer(j, link)
			p.ex = l.in.DurationOn(j, c, slot.Processors) - 0
			if p.tr > 0 {
				p.ex = l.in.Busy(j, c, speed, (job.Tasks+slot.Processors-1)/slot.Processors)
			}
		}
	} else {
		least, most := l.in.Width(j, c)
		n := min(most, cluster.Processors)
		if p.ex = l.in.Busy(j, c, speed, (job.Tasks+n-1)/n); least > cluster.Processors || math.IsNaN(p.ex) {
			return p
		}
		p.tr = l.in.Transfer(j, link)
		ready, _ := l.Ready(j)
		p.start = max(ready, l.Release(c, least))
	}
	p.ex, p.tr = p.ex/l.p.ProcessorShare, p.tr/l.p.BandwidthShare
	p.inTime = p.start <= job.Deadline-(p.ex+p.tr)
	p.left = job.Deadline - p.start
	p.may = p.runs && !p.crowded && (!job.DeadlineHard || p.inTime && !model.Late(slot.End, job.Deadline))
	return p
}

// step is the next job with its cluster; −1: none is left that can be placed.
func (l *literalOnClusters) step() (job, cluster int) {
	type candidate struct {
		j, class int
		weight   float64
		pairs    []literalPair
	}
	var list []candidate
	highest := 0
	for j := range l.in.Jobs() {
		if l.placed[j] || slices.ContainsFunc(l.in.Jobs()[j].After, func(b int) bool { return !l.placed[b] }) {
			continue
		}
		x, may := candidate{j: j}, false
		var cpu, link, room float64
		for c := range l.in.Clusters() {
			p := l.at(j, c)
			x.pairs, may = append(x.pairs, p), may || p.may
			if !p.inTime {
				cpu++
			}
			if !p.inTime && p.limited {
				link++
			}
			if p.crowded {
				room++
			}
		}
		if !may {
			continue
		}
		most := max(cpu, link, room)
		x.weight = most + math.Log(math.Exp(cpu-most)+math.Exp(link-most)+math.Exp(room-most))
		all := float64(len(l.in.Clusters()))
		for _, over := range []bool{cpu > l.p.Lambda*all, room > l.p.Chi*all, link > l.p.Eta*all} {
			if over && l.p.Classes == "on" {
				x.class++
			}
		}
		highest = max(highest, x.class)
		list = append(list, x)
	}
	job, cluster = -1, -1
	least, textbook := math.Inf(1), l.p.Classes == "off" && l.p.Fragments == "off" && l.p.Weights == "off"
	take := func(j, c int, value float64) {
		before := c < cluster || c == cluster && j < job
		if textbook {
			before = j < job || j == job && c < cluster
		}
		if job < 0 || value < least || value == least && before {
			job, cluster, least = j, c, value
		}
	}
	list = slices.DeleteFunc(list, func(x candidate) bool { return x.class != highest })
	for _, x := range list {
		for c, p := range x.pairs {
			if l.p.Fragments == "off" || !p.may || !p.inTime || math.IsInf(p.left, 1) {
				continue
			}
			cpu, link := 1.0, 1.0
			if p.ex < p.left-p.tr {
				cpu = p.ex / (p.left - p.tr)
			}
			if p.limited && p.tr < p.left-p.ex {
				link = p.tr / (p.left - p.ex)
			}
			if 1-cpu <= l.p.Fragment && 1-link <= l.p.Fragment && 1-p.memory <= l.p.Fragment {
				take(x.j, c, 1-cpu+(1-link)+(1-p.memory))
			}
		}
	}
	if job >= 0 {
		return job, cluster
	}
	for _, x := range list {
		best, end := -1, math.Inf(1)
		for c, p := range x.pairs {
			if f := p.start + (p.ex + p.tr); p.may && f < end {
				best, end = c, f
			}
		}
		if l.p.Weights != "off" {
			end = math.Log(max(0, end-l.in.FirstArrival())) - x.weight
		}
		take(x.j, best, end)
	}
	return job, cluster
}

// On instances that ask for anything, MTS places the same jobs in the same order at the same places as its rules, and the checker accepts it.
func TestClustersByTheRules(t *testing.T) {
	features, many := model.Features(0), 0
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			g := modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 14}
			if rapid.Bool().Draw(t, "without spread") {
				g.Features &^= model.GridSpan
			}
			in := g.Instance(t)
			m := drawnParameters(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "parameters"), 1)))
			s, err := plan.NewSchedule(in)
			if err != nil {
				t.Fatal(err)
			}
			s.QueueInstants()
			l := &literalOnClusters{s, in, m, make([]bool, len(in.Jobs()))}
			for job, cluster := l.step(); job >= 0; job, cluster = l.step() {
				slot, _ := l.Earliest(job, cluster)
				l.Place(job, slot)
				l.placed[job] = true
			}
			result, err := m.solveOnClusters(context.Background(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := l.Solution().Jobs
			if fmt.Sprint(result.Solution.Jobs) != fmt.Sprint(want) {
				t.Fatalf("%+v: places %v\nexpected %v", *m, result.Solution.Jobs, want)
			}
			if report := model.Check(in, result.Solution); !report.OK() {
				t.Fatal(report.Violations)
			}
			if len(want) > 3 {
				features |= in.Features()
				many++
			}
		}
	})
	if missing := modeltest.AllFeatures &^ features &^ model.GridSpan; missing != 0 && !race.Enabled && !testing.Short() || many < race.Enough(100) {
		t.Errorf("%d schedules of more than three jobs, none with %s", many, missing)
	}
}

// Where both forms of MTS honour an instance whose clusters are uniform, they make the same schedule.
func TestClustersAndGroupsAgree(t *testing.T) {
	placed, left := 0, 0
	for seed := range race.Fewer(uint64(150), 20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		for _, in := range []*model.Instance{solvecases.Built(t, solvecases.Grid(seed, 60)), solvecases.Built(t, solvecases.Medium(seed, false)), solvecases.Built(t, solvecases.Tiny(seed, "makespan"))} {
			m := drawnParameters(rng)
			want, err := m.Solve(context.Background(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.solveOnClusters(context.Background(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got.Solution.Jobs) != fmt.Sprint(want.Solution.Jobs) {
				t.Fatalf("%s, seed %d, %+v:\n%v\nexpected %v", in.Name(), seed, *m, got.Solution.Jobs, want.Solution.Jobs)
			}
			placed, left = placed+len(want.Solution.Jobs), left+len(want.Solution.Unscheduled)
		}
	}
	if placed < race.Enough(5000) || left < race.Enough(500) {
		t.Errorf("%d jobs placed, %d left out", placed, left)
	}
}
