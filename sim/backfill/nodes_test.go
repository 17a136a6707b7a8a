package backfill

import (
	"cmp"
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	rules "github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
)

var nodeCases = flag.Int("node-cases", 800, "random clusters in TestByNodeAsTheNaiveForm")

// drawNodes draws a small instance whose jobs ask something of single machines. Times are small whole numbers, so that many things happen at once. With many
// jobs they ask for less, most of them wait, and most end long before their estimates.
func drawNodes(rng *rand.Rand, many bool) (*model.Instance, error) {
	chance := func(of int) bool { return rng.IntN(of) == 0 }
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	b := model.NewBuilder("nodes")
	spec := b.Spec()
	spec.Devices = []string{"gpu"}
	closes, licences, jobs, span := chance(2), chance(4), 4+rng.IntN(8), 6
	if many {
		closes, licences, jobs, span = false, false, 15+rng.IntN(15), 30
	}
	hard := chance(3)
	if licences {
		spec.Licences = map[string]int{"l": 1 + rng.IntN(2)}
	}
	names := []string{"a", "b", "c"}
	for c := range 1 + rng.IntN(5)/4 {
		cluster := model.ClusterSpec{ID: names[c]}
		mixed := chance(3)
		for g := range 1 + rng.IntN(3) {
			m := model.MachineSpec{ID: names[g], Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(5)}
			if mixed {
				m.Speed = pick(1, 2)
				m.Bandwidth = pick(1, 2)
			}
			if chance(3) {
				m.Memory = new(float64(3 + rng.IntN(6)))
			}
			m.Resources = map[string]float64{"gpu": float64(rng.IntN(5)), "cpu": pick(1, 2.5, 4, 4)}
			for _, f := range names[:2] {
				if !chance(4) {
					m.Features = append(m.Features, f)
				}
			}
			for closes && chance(3) {
				closed := model.ClosedSpec{From: float64(rng.IntN(12))}
				if !chance(4) {
					closed.To = new(closed.From + float64(1+rng.IntN(8)))
				}
				if chance(2) {
					closed.For = names[rng.IntN(2)]
				}
				m.Closed = append(m.Closed, closed)
			}
			cluster.Machines = append(cluster.Machines, m)
		}
		b.Cluster(cluster)
	}
	if chance(4) {
		for k := range 1 + rng.IntN(2) {
			b.Job(drawRunning(rng, spec, k))
		}
	}
	for k := range jobs {
		j := model.JobSpec{ID: string(rune('A' + k)), Work: new(float64(1 + rng.IntN(8))), Arrival: float64(rng.IntN(span))}
		switch {
		case many && !chance(8):
			j.Estimate = new(*j.Work + float64(rng.IntN(12)))
		case many || chance(2):
			j.Estimate = new(float64(1 + rng.IntN(8)))
		}
		if chance(4) {
			j.Input = float64(rng.IntN(3))
		}
		j.Block = 1 + rng.IntN(5)/3
		blocks := 1 + rng.IntN(7)/3
		j.Processors = model.Rigid(blocks * j.Block)
		kind := rng.IntN(8)
		if many {
			kind += 2 * rng.IntN(8)
		}
		switch kind {
		case 0:
			j.Machines = model.Rigid(1 + rng.IntN(blocks))
		case 1:
			j.Machines = model.ProcessorRange{Min: 1 + rng.IntN(2), Max: 2 + rng.IntN(2)}
		case 2:
			j.PerMachine = 1 + rng.IntN(2)
		case 3:
			if !closes {
				j.Processors.Max += rng.IntN(3) * j.Block
				j.Tasks = j.Processors.Min + rng.IntN(4)
			}
		}
		if chance(5) {
			j.Span = "machine"
		}
		if chance(3) {
			j.Memory = pick(1, 2)
		}
		if !chance(3) {
			j.Resources = map[string]float64{"gpu": pick(0, 0.25, 0.5, 0.7, 1, 1, 2), "cpu": pick(0, 0.5, 0.5, 1)}
		}
		if chance(5) && !many {
			j.Features = [][]string{{names[rng.IntN(2)]}}
		}
		j.Exclusive = chance(6)
		if hard && !chance(3) {
			j.Deadline, j.DeadlineHard = new(j.Arrival+float64(1+rng.IntN(span+8))), true
		}
		if !many && chance(12) {
			j.Work = new(0.0)
		}
		if closes && chance(6) {
			j.Reservation = names[rng.IntN(2)]
		}
		if licences && chance(2) {
			j.Licences = map[string]int{"l": 1}
		}
		b.Job(j)
	}
	return b.Build()
}

// drawRunning draws a job that runs already, on processors of one or two machines, with what it holds of their GPUs.
func drawRunning(rng *rand.Rand, spec *model.InstanceSpec, k int) model.JobSpec {
	c := &spec.Clusters[rng.IntN(len(spec.Clusters))]
	g := rng.IntN(len(c.Machines))
	first := 0
	for _, m := range c.Machines[:g] {
		first += m.Count * m.Processors
	}
	m := &c.Machines[g]
	run := &model.RunningSpec{Cluster: c.ID, Elapsed: float64(rng.IntN(3))}
	n := 1 + rng.IntN(m.Processors)
	run.Processors = model.NewProcessorSet(model.Range{First: first, Last: first + n - 1})
	if gpus := int(m.Resources["gpu"]); gpus > 0 {
		name, held := m.ID, 1+rng.IntN(gpus)
		if m.Count > 1 {
			name += "[0]"
		}
		amount := float64(held)
		if rng.IntN(2) == 0 {
			amount /= 2
		}
		run.Holds = map[string]map[string]float64{name: {"gpu": amount}}
		run.Devices = model.DevicesHeld{"gpu": {name: model.NewProcessorSet(model.Range{First: gpus - held, Last: gpus - 1})}}
	}
	j := model.JobSpec{ID: "running" + string(rune('A'+k)), Work: new(max(0, float64(rng.IntN(9)-rng.IntN(4)))), Processors: model.Rigid(n), Running: run, Exclusive: rng.IntN(5) == 0}
	if rng.IntN(2) == 0 {
		j.Estimate = new(float64(1 + rng.IntN(8)))
	}
	return j
}

// TestByNodeAsTheNaiveForm compares every start, machine by machine and device by device, with that of the naive form, and checks every schedule.
func TestByNodeAsTheNaiveForm(t *testing.T) {
	byNumber := func(jobs []int) {}
	placed := func(d sim.Discipline, rule string) sim.Discipline {
		d.Place = rules.Name(rule)
		return d
	}
	rule := []string{rules.First, "best", "dot"}
	cases, waits, left, devices, shut, running, late := 0, 0, 0, 0, 0, 0, 0
	for seed := uint64(0); cases < race.Fewer(*nodeCases, *nodeCases/4); seed++ {
		rng := rand.New(rand.NewPCG(seed, 35))
		in, err := drawNodes(rng, seed%4 == 0)
		if err != nil {
			continue // what the jobs ask for contradicts itself
		}
		cases++
		if in.Features().Has(model.RunningJobs) {
			running++
		}
		place := rule[rng.IntN(len(rule))]
		shortest := func(jobs []int) {
			length := map[int]float64{}
			for _, job := range jobs {
				n := newNaiveNodes(in, rules.First, 1)
				length[job] = n.fastest(job)
			}
			slices.SortStableFunc(jobs, func(a, b int) int {
				return cmp.Or(cmp.Compare(length[a], length[b]), cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival), cmp.Compare(a, b))
			})
		}
		policies := []struct {
			name  string
			rules sim.Discipline
			naive func(*naiveNodes) *model.Solution
		}{
			{"fcfs", FCFS(Ranking{}), func(n *naiveNodes) *model.Solution { return n.run(n.wide, n.easy(0, byNumber)) }},
			{"easy", EASY(1, 1, Ranking{}), func(n *naiveNodes) *model.Solution { return n.run(n.wide, n.easy(1, byNumber)) }},
			{"easy, shortest first", EASY(1, 1, Ranking{Order: byShortest}), func(n *naiveNodes) *model.Solution { return n.run(n.wide, n.easy(1, shortest)) }},
			{"flexible", Flexible(1, Priorities{Aging: 0.001, Wait: 1}), func(n *naiveNodes) *model.Solution { return n.run(n.wide, n.easy(1, n.byPriority)) }},
			{"easy:depth=2", EASY(1, 2, Ranking{}), func(n *naiveNodes) *model.Solution { return n.run(n.wide, n.easy(2, byNumber)) }},
			{"conservative", Conservative(1, Ranking{}), func(n *naiveNodes) *model.Solution { return n.run(n.wide, n.conservative) }},
			{"conservative:reservations=2", ConservativeUpTo(2, 1, Ranking{}), func(n *naiveNodes) *model.Solution {
				return n.run(n.wide, func() { n.conservativeUpTo(2) })
			}},
		}
		for _, p := range policies {
			if p.name == "easy:depth=2" && in.Features().Has(model.MoldableJobs) {
				continue
			}
			got, _, err := sim.Simulate(context.Background(), in, placed(p.rules, place), sim.Options{})
			if err != nil {
				t.Fatalf("case %d, %s, rule %s: %v", seed, p.name, place, err)
			}
			if report := model.Check(in, got); !report.OK() {
				t.Fatalf("case %d, %s, rule %s: %v", seed, p.name, place, report.Violations)
			}
			if in.Features()&plan.NodeFeatures == 0 && place == rules.First {
				continue // a trace or a plain instance
			}
			want := p.naive(newNaiveNodes(in, place, 1))
			if diff := sameStarts(got, want); diff != "" {
				t.Fatalf("case %d, %s, rule %s: the naive form starts otherwise\n%s\n%s", seed, p.name, place, diff, stated(in))
			}
			for _, placement := range got.Jobs {
				job, _ := in.JobIndex(placement.Job)
				waits += min(1, int(placement.Start-in.Jobs()[job].Arrival))
				devices += min(1, len(placement.Devices))
			}
			for _, u := range got.Unscheduled {
				job, _ := in.JobIndex(u.Job)
				if left++; in.Runs(job) && in.Jobs()[job].DeadlineHard {
					late++
				} else if in.Runs(job) {
					shut++
				}
			}
		}
	}
	t.Logf("%d clusters, %d jobs waited, %d have devices, %d were left out, %d of them because machines are closed, %d had hard deadlines; jobs run already on %d clusters", cases, waits, devices, left, shut, late, running)
	if running < cases/10 || waits < cases || devices < cases || left < cases/20 || shut < cases/50 || late < cases/20 {
		t.Error("too few cases of a kind")
	}
}

// A job that runs already goes on to its end where it is, although it outlives its estimate and jobs are ended at their
// estimates. Others wait for it.
func TestRunsAlready(t *testing.T) {
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2}}}).Job(
		model.JobSpec{ID: "first", Work: new(2.0), Processors: model.Rigid(2)},
		model.JobSpec{ID: "runs", Work: new(10.0), Estimate: new(4.0), Processors: model.Rigid(2),
			Running: &model.RunningSpec{Cluster: "c", Processors: model.Processors(1, 2)}},
		model.JobSpec{ID: "waits", Arrival: 1, Work: new(1.0), Processors: model.Rigid(2), Span: "machine"},
	).Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]sim.Discipline{"fcfs": FCFS(Ranking{}), "easy": EASY(1, 1, Ranking{}), "deep": EASY(1, 2, Ranking{}),
		"fair share": EASY(1, 1, Ranking{Order: byMultifactor, Factors: defaultFactors()}), "flexible": Flexible(1, DefaultPriorities()), "conservative": Conservative(1, Ranking{})} {
		sol, _, err := sim.Simulate(context.Background(), in, d, sim.Options{Kill: true})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, sol); !report.OK() || len(sol.Unscheduled) > 0 {
			t.Fatalf("%s: %v %v", name, report.Violations, sol.Unscheduled)
		}
		starts := map[string]float64{}
		for _, p := range sol.Jobs {
			if starts[p.Job] = p.Start; p.Job == "runs" && (p.End != 10 || p.Processors.String() != "1-2") {
				t.Errorf("%s: %+v", name, p)
			}
		}
		if starts["first"] != 0 || starts["waits"] != 10 {
			t.Errorf("%s: %v", name, starts)
		}
	}
}

// fastest is the least estimate of a job on an empty cluster.
func (n *naiveNodes) fastest(job int) float64 {
	least := math.Inf(1)
	for c := range n.in.Clusters() {
		opens := func(m int) bool { // at some time
			return slices.ContainsFunc(append([]float64{0}, n.changes...), func(at float64) bool {
				return n.open(job, m, at, math.Nextafter(at, math.Inf(1))) || n.in.Jobs()[job].MayTakeNoTime() && n.open(job, m, at, at)
			})
		}
		if shares := n.choose(n.empty(), job, c, n.wide(job, c), opens); shares != nil {
			least = min(least, n.estimate(job, c, shares))
		}
	}
	return least
}

// byPriority sorts jobs by the priority of flexible backfilling, with weights of waiting and of short jobs only.
func (n *naiveNodes) byPriority(jobs []int) {
	first := newNaiveNodes(n.in, rules.First, 1)
	first.caps = n.caps
	length, shortest := map[int]float64{}, math.Inf(1)
	for _, job := range jobs {
		length[job] = first.fastest(job)
		shortest = min(shortest, length[job])
	}
	priority := func(job int) float64 {
		p := Priorities{Aging: 0.001, Wait: 1}
		return p.of(n.now, n.in.Jobs()[job].Arrival, math.Inf(1), length[job], length[job], shortest, 0)
	}
	slices.SortStableFunc(jobs, func(a, b int) int {
		return cmp.Or(cmp.Compare(priority(b), priority(a)), cmp.Compare(n.in.Jobs()[a].Arrival, n.in.Jobs()[b].Arrival), cmp.Compare(a, b))
	})
}

// stated is the instance as a file.
func stated(in *model.Instance) string {
	var text strings.Builder
	if err := model.WriteInstance(&text, in); err != nil {
		return err.Error()
	}
	return text.String()
}
