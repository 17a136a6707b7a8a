package backfill

import (
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

var waitCases = flag.Int("wait-cases", 150, "random clusters in TestNoJobWaitsForEver")

// drawWaits draws a small instance in which jobs may fit at some times and on some machines only: machines of different speed and bandwidth that close, tasks fewer and more than processors,
// hard deadlines, limits of machines, resources, licences, partitions and jobs that run already.
func drawWaits(rng *rand.Rand) (*model.Instance, error) {
	chance := func(of int) bool { return rng.IntN(of) == 0 }
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	scale := pick(1, 1, 10, 120.2)
	b := model.NewBuilder("waits")
	spec := b.Spec()
	spec.Devices = []string{"gpu"}
	closes, nodes, licences, partitions := chance(3), !chance(3), chance(6), chance(5)
	if licences {
		spec.Licences = map[string]int{"l": 1 + rng.IntN(2)}
	}
	names := []string{"a", "b", "c"}
	for c := range 1 + rng.IntN(5)/4 {
		cluster := model.ClusterSpec{ID: names[c]}
		if chance(8) {
			cluster.Allocation = "machine"
		}
		for g := range 1 + rng.IntN(3) {
			m := model.MachineSpec{ID: names[g], Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(3), Speed: pick(0.5, 1, 1, 2, 3), Features: []string{names[rng.IntN(2)]}}
			if chance(2) {
				m.Bandwidth = pick(0.5, 1, 4) / scale
			}
			if chance(4) {
				m.Memory = new(float64(1 + rng.IntN(6)))
			}
			m.Resources = map[string]float64{"gpu": float64(rng.IntN(4))}
			for closes && chance(2) {
				closed := model.ClosedSpec{From: scale * float64(rng.IntN(12))}
				if !chance(4) {
					closed.To = new(closed.From + scale*float64(1+rng.IntN(8)))
				}
				if chance(3) {
					closed.For = names[rng.IntN(2)]
				}
				m.Closed = append(m.Closed, closed)
			}
			cluster.Machines = append(cluster.Machines, m)
		}
		b.Cluster(cluster)
	}
	if partitions {
		spec.Partitions = []model.PartitionSpec{{ID: "p", Feature: "a"}, {ID: "q", Closed: chance(4)}}
	}
	if nodes && chance(4) {
		b.Job(drawRunning(rng, spec, 0))
	}
	for k := range 2 + rng.IntN(5) {
		j := model.JobSpec{ID: string(rune('A' + k)), Work: new(scale * pick(0, 0.5, 1, 1.5, 2, 4, 7)), Arrival: scale * float64(rng.IntN(4))}
		if chance(4) {
			j.Estimate = new(scale * pick(0, 1, 2, 5, 8))
		}
		if chance(4) {
			j.Input = pick(0.5, 1, 2)
		}
		j.Processors = model.Rigid(1 + rng.IntN(5))
		if chance(2) {
			j.Processors.Max += rng.IntN(4)
		}
		if chance(2) {
			j.Tasks = 1 + rng.IntN(7)
		}
		if nodes && chance(4) {
			j.Block = 2
			j.Processors.Min, j.Processors.Max = 2*((j.Processors.Min+1)/2), 2*((j.Processors.Max+1)/2)
		}
		if nodes && j.Processors.Min == j.Processors.Max {
			switch rng.IntN(6) {
			case 0:
				j.Machines = model.ProcessorRange{Min: 1 + rng.IntN(2), Max: 2 + rng.IntN(2)}
			case 1:
				j.PerMachine = 1 + rng.IntN(2)
			}
		}
		j.Span = []string{"", "", "machine", "grid"}[rng.IntN(4)]
		if chance(4) {
			j.Memory = pick(1, 2)
		}
		if nodes && chance(3) {
			j.Resources = map[string]float64{"gpu": pick(0.5, 1, 2)}
		}
		if nodes && chance(8) {
			j.Features = [][]string{{names[rng.IntN(2)]}}
		}
		j.Exclusive = nodes && chance(8)
		if !chance(3) {
			j.Deadline, j.DeadlineHard = new(j.Arrival+scale*pick(0, 1, 2, 3, 4, 6, 9, 14)), true
		}
		if closes && chance(6) {
			j.Reservation = names[rng.IntN(2)]
		}
		if licences && chance(2) {
			j.Licences = map[string]int{"l": 1}
		}
		if partitions {
			j.Queue = []string{"", "p", "q", "p,q", "r"}[rng.IntN(5)]
		}
		b.Job(j)
	}
	return b.Build()
}

// couldStart says whether some start from a time on, on some so many processors of one cluster, lets the job keep its hard deadline while its machines are open, if nothing else runs. It tries them all.
func couldStart(in *model.Instance, job int, from float64, widths func(n *naiveNodes, cluster int) (least, most int)) bool {
	n := newNaiveNodes(in, rules.First, 1)
	j, empty := &in.Jobs()[job], n.empty()
	for _, need := range j.Licences {
		if need.Copies > empty.copies {
			return false
		}
	}
	node := j.Node()
	for c := range in.Clusters() {
		least, most := widths(n, c)
		var try func(m, held int, shares []nodeShare) bool
		try = func(m, held int, shares []nodeShare) bool {
			if held > most {
				return false
			}
			if m == len(n.machines) {
				machines := len(shares)
				if held < least || machines == 0 || machines < node.MinMachines || node.MaxMachines > 0 && machines > node.MaxMachines || j.Span == model.SpanMachine && machines > 1 {
					return false
				}
				takes, lasts := n.estimate(job, c, shares), in.Known().Duration(job, c, n.set(shares))
				for _, at := range append([]float64{from}, n.changes...) {
					closed := func(s nodeShare) bool { return !n.open(job, s.machine, at, at+lasts) }
					if at >= from && !(j.DeadlineHard && model.Late(at+takes, j.Deadline)) && !slices.ContainsFunc(shares, closed) {
						return true
					}
				}
				return false
			}
			if try(m+1, held, shares) {
				return true
			}
			for blocks := 1; n.cluster[m] == c && blocks <= n.machines[m].Units && n.holds(&empty.of[m], job, m, blocks); blocks++ {
				share := nodeShare{machine: m, processors: blocks * n.size(job, m), blocks: blocks}
				if (node.PerMachine == 0 || blocks == node.PerMachine) && try(m+1, held+share.processors, append(shares[:len(shares):len(shares)], share)) {
					return true
				}
			}
			return false
		}
		if try(0, 0, nil) {
			return true
		}
	}
	return false
}

// keepsDeadline says whether a job that starts at the time on the fastest machines of an empty cluster, the first of them first, keeps its hard deadline by its estimate. So policies choose where machines do not count one by one.
func keepsDeadline(in *model.Instance, job int, at float64, widths func(n *naiveNodes, cluster int) (least, most int)) bool {
	n := newNaiveNodes(in, rules.First, 1)
	for c := range in.Clusters() {
		width, _ := widths(n, c)
		shares := n.choose(n.empty(), job, c, width, func(int) bool { return true })
		if shares != nil && !model.Late(at+n.estimate(job, c, shares), in.Jobs()[job].Deadline) {
			return true
		}
	}
	return false
}

// leftOut notes when jobs are dropped, and how many are in the system.
type leftOut struct {
	in     int
	dropAt map[string]float64
	alone  map[string]bool // no other job was in the system
	reason map[string]string
}

func (l *leftOut) Arrived(float64, *sim.Job)             { l.in++ }
func (l *leftOut) Started(float64, *sim.Job, []sim.Part) {}
func (l *leftOut) Decided(float64)                       {}
func (l *leftOut) Left(now float64, j *sim.Job, outcome sim.Outcome, reason string) {
	l.in--
	if id := j.Request.ID; outcome == sim.Dropped {
		l.dropAt[id], l.alone[id], l.reason[id] = now, l.in == 0, reason
	}
}

// The one task of a job goes to its fastest processor, so it may hold slow ones that would be too slow for the task by themselves. Slurm starts it in time.
func TestSlurmSharesTasks(t *testing.T) {
	b := model.NewBuilder("together").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "slow", Count: 2, Speed: 0.5}, {ID: "fast", Processors: 2}}})
	b.Job(
		model.JobSpec{ID: "first", Processors: model.Moldable(2, 4), Work: new(120.2)},
		model.JobSpec{ID: "hard", Processors: model.Moldable(3, 5), Tasks: 1, Work: new(180.3), Deadline: new(480.8), DeadlineHard: true},
		model.JobSpec{ID: "last", Arrival: 120.2, Work: new(0.0), Machines: model.Rigid(1)},
	)
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	solution, _, err := sim.Simulate(context.Background(), in, Slurm(1, DefaultCycles(), Ranking{}), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, solution); !report.OK() || len(solution.Unscheduled) > 0 {
		t.Errorf("%v, left out %v", report.Violations, solution.Unscheduled)
	}
}

// A partition without machines for a job, or with too few, does not keep it waiting for ever: it starts when nothing else runs.
func TestSlurmStartsOutsidePartitions(t *testing.T) {
	b := model.NewBuilder("partitions").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Features: []string{"a"}}, {ID: "n", Processors: 2}}})
	b.Spec().Partitions = []model.PartitionSpec{{ID: "p", Feature: "a"}, {ID: "shut", Closed: true}}
	b.Job(
		model.JobSpec{ID: "runs", Work: new(10.0), Machines: model.Rigid(1), Queue: "p"},
		model.JobSpec{ID: "wide", Arrival: 1, Work: new(1.0), Processors: model.Rigid(2), Queue: "p"},
		model.JobSpec{ID: "shut", Arrival: 1, Work: new(1.0), Queue: "shut"},
	)
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	solution, _, err := sim.Simulate(context.Background(), in, Slurm(1, DefaultCycles(), Ranking{}), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, solution); !report.OK() || len(solution.Unscheduled) > 0 {
		t.Errorf("%v, left out %v", report.Violations, solution.Unscheduled)
	}
	for _, p := range solution.Jobs {
		if p.Job != "runs" && p.Start < 10 {
			t.Errorf("%s starts at %v, while a job runs", p.Job, p.Start)
		}
	}
}

// Every policy starts each job or drops it, and what it says of a job that it drops is so: no run ends with jobs that wait for ever.
func TestNoJobWaitsForEver(t *testing.T) {
	cycles := Cycles{Interval: 3, Window: 40, Resolution: 2, Depth: 1, Tests: 2}
	policies := []struct {
		name  string
		rules sim.Discipline
		least bool // it gives a moldable job the fewest processors
	}{
		{"fcfs", FCFS(Ranking{}), false}, {"easy", EASY(1, 1, Ranking{}), false}, {"easy, shortest first", EASY(1, 1, Ranking{Order: byShortest}), false}, {"easy:depth=2", EASY(1, 2, Ranking{}), false},
		{"easy:depth=all", EASY(0, 1000, Ranking{}), false}, {"flexible", Flexible(1, DefaultPriorities()), false}, {"conservative", Conservative(1, Ranking{}), true},
		{"conservative:reservations=2", ConservativeUpTo(2, 0, Ranking{}), true}, {"slurm", Slurm(1, DefaultCycles(), Ranking{}), false}, {"slurm, short", Slurm(0, cycles, Ranking{}), false},
	}
	cases, late, shut, none := 0, 0, 0, 0
	for seed := uint64(0); cases < race.Enough(*waitCases); seed++ {
		rng := rand.New(rand.NewPCG(seed, 57))
		in, err := drawWaits(rng)
		if err != nil {
			continue // what the jobs ask for contradicts itself
		}
		cases++
		place := rules.Name([]string{rules.First, rules.First, "best", "dot"}[rng.IntN(4)])
		for _, p := range policies {
			if p.rules.Place = place; in.Features()&^(model.Arrivals|model.ParallelJobs) == 0 && len(in.Clusters()) == 1 && sim.IsTrace(in) {
				continue
			}
			seen := leftOut{dropAt: map[string]float64{}, alone: map[string]bool{}, reason: map[string]string{}}
			solution, _, err := sim.Simulate(context.Background(), in, p.rules, sim.Options{Observer: &seen})
			if err != nil {
				t.Errorf("seed %d, %s, rule %s: %v\n%s", seed, p.name, place, err, stated(in))
				continue
			}
			if report := model.Check(in, solution); !report.OK() {
				t.Errorf("seed %d, %s, rule %s: %v\n%s", seed, p.name, place, report.Violations, stated(in))
			}
			for _, u := range solution.Unscheduled {
				job, _ := in.JobIndex(u.Job)
				j := &in.Jobs()[job]
				at, dropped := seen.dropAt[u.Job]
				if !dropped || j.Span == model.SpanGrid && len(in.Clusters()) > 1 {
					continue // it missed its deadline though its estimate kept it, or it may lie on several clusters
				}
				width := func(n *naiveNodes, cluster int) (int, int) {
					w := n.wide(job, cluster)
					if p.least && in.Clusters()[cluster].WholeMachines {
						w = 1
					} else if p.least {
						w = j.Min
					}
					return w, w
				}
				switch reason := seen.reason[u.Job]; {
				case !in.Runs(job):
					none++
				case strings.Contains(reason, "no reservation") && !seen.alone[u.Job]:
				case in.Features()&plan.NodeFeatures == 0 && place == rules.First && !p.rules.ByNode && keepsDeadline(in, job, at, width):
					t.Errorf("seed %d, %s: job %s is dropped at %v: %s; but it would end in time\n%s", seed, p.name, u.Job, at, reason, stated(in))
				case in.Features()&plan.NodeFeatures == 0 && place == rules.First && !p.rules.ByNode:
					late++
				case couldStart(in, job, at, width):
					t.Errorf("seed %d, %s, rule %s: job %s is dropped at %v: %s; but it could start\n%s", seed, p.name, place, u.Job, at, reason, stated(in))
				case j.DeadlineHard && !math.IsInf(j.Deadline, 1):
					late++
				default:
					shut++
				}
			}
		}
		if t.Failed() && *waitCases < 1000 {
			return
		}
	}
	t.Logf("%d clusters; %d jobs were dropped for their deadlines, %d for closed times, %d can run nowhere", cases, late, shut, none)
	if late < cases || shut < cases/20 {
		t.Error("too few cases of a kind")
	}
}
