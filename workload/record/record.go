// Package record simulates a site of partitions the plain way, to make records of jobs that have run: who started when, and where.
//
// Policies, tuning and advice are tested against such records. So this package shares no code with them: it imports package model alone. It is slow, and short enough to be read.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Rules are the names of the rules that [Run] knows.
func Rules() []string { return []string{"fcfs", "easy", "cycles"} }

// expressible are the features of instances that the rules know.
const expressible = model.Arrivals | model.MemoryLimits | model.ParallelJobs | model.UnrelatedTimes | model.RestrictedTimes | model.NodeResources | model.Blocks | model.NodeFeatures

// Run lets the jobs of an instance run by a rule, and returns their schedule, which names the rule in its parameters.
//
// Each partition that the instance states is a queue of its own; an instance without partitions has one queue. In a queue the job of the user class of the highest priority comes first, then the one
// that has arrived first, then the one that stands first in the instance. A queue has the machines of its partition. Where queues share machines, the jobs of a partition of a higher tier come before
// all others, and jobs of equal tiers come in the order above. A job takes the first machines with room for whole blocks: processors, memory, resources, devices; of several clusters, the one on which
// it ends first by its estimate. A rule knows the run time of a job only when the job has ended. A job that outlives its estimate is expected to end 1 time unit from now.
//
//   - fcfs: the first job of a queue starts as long as it fits. When it does not, the queue is closed, and its machines are kept from the queues behind it.
//   - easy: the first job of each queue that does not fit has a reservation for the earliest expected end at which it fits. A later job starts if by its estimate it leaves each reservation its place.
//   - cycles: as Slurm does with sched/backfill. Whenever a job arrives or ends, the main scheduler works as fcfs. At multiples of 30 s, if anything has changed, a cycle plans the first 500
//     jobs in the order of the queues: each gets the earliest start, within a day, beside what runs and what is planned before it. Jobs whose plan is now start. The next cycle forgets all plans.
//
// What the rules cannot express is an error that names it: jobs that are moldable, wait for others, have hard deadlines, ask for licences of which there are too few, for shares of devices, for a
// number of machines or for several partitions; machines that differ in speed within a cluster, are closed at times or have local jobs; jobs that fit nowhere, and so on.
//
// Complexity for n jobs, m machines, q waiting and r running jobs: fcfs O(n·q·m), easy O(n·(q + r)·m), cycles O(n·q·(q + r)·m) at worst; in fact the first job of a kind that cannot start saves most of that.
// 6,000 jobs on 40 machines take a second, cycles some.
func Run(in *model.Instance, rule string) (*model.Solution, error) {
	if !slices.Contains(Rules(), rule) {
		return nil, fmt.Errorf("expected one of the rules %s, found %q", strings.Join(Rules(), ", "), rule)
	}
	s, err := newSystem(in, rule)
	if err != nil {
		return nil, err
	}
	return s.run(rule)
}

// run lets the jobs run.
func (s *system) run(rule string) (*model.Solution, error) {
	decide := map[string]func(){"fcfs": s.fcfs, "easy": s.easy, "cycles": s.fcfs}[rule]
	coming := slices.Clone(s.jobs)
	slices.SortStableFunc(coming, func(a, b *job) int { return cmp.Compare(a.Arrival, b.Arrival) })
	for changed, last := false, math.Inf(-1); ; {
		next, cycle := math.Inf(1), math.Inf(1)
		if len(coming) > 0 {
			next = coming[0].Arrival
		}
		for _, j := range s.running {
			next = min(next, j.end)
		}
		if rule == "cycles" && changed && len(s.waiting) > 0 {
			if cycle = math.Ceil(s.now/interval) * interval; cycle <= last {
				cycle = last + interval
			}
		}
		if s.now = min(next, cycle); math.IsInf(s.now, 1) {
			return s.solution(rule)
		}
		if next <= s.now {
			changed = true
			s.running = slices.DeleteFunc(s.running, func(j *job) bool {
				if j.end > s.now {
					return false
				}
				s.leave(j)
				return true
			})
			for len(coming) > 0 && coming[0].Arrival <= s.now {
				s.enter(coming[0])
				coming = coming[1:]
			}
			decide()
			if s.decided != nil {
				s.decided()
			}
		}
		if cycle <= s.now || rule == "cycles" && changed && s.now > last && math.Mod(s.now, interval) == 0 {
			changed, last = s.cycle(), s.now
		}
	}
}

// solution is the schedule of the jobs.
func (s *system) solution(rule string) (*model.Solution, error) {
	sol := &model.Solution{Schema: model.SolutionSchema, Instance: s.in.Name(), InstanceSHA256: s.in.SHA256(), Solver: "record", Parameters: map[string]any{"rule": rule},
		Status: model.Feasible, Stop: model.StopDone}
	for _, j := range s.jobs {
		sol.Jobs = append(sol.Jobs, model.Placement{Job: j.ID, Cluster: s.in.Clusters()[j.at.cluster].ID, Processors: model.Processors(j.processors...), Start: j.start, End: j.end, Devices: j.devices})
	}
	figures, err := model.Evaluate(s.in, sol)
	if err != nil {
		return nil, err
	}
	sol.Metrics = figures.Metrics
	if !math.IsInf(figures.Objective, 0) {
		sol.Objective = &figures.Objective
	}
	return sol, nil
}

// newSystem makes the machines, queues and jobs of an instance.
func newSystem(in *model.Instance, rule string) (*system, error) {
	if more := in.Features() &^ expressible; more != 0 {
		return nil, fmt.Errorf("a record cannot express %v", more)
	}
	s := &system{in: in}
	if unit := in.Units().Time; rule == "cycles" && unit != "" && unit != "s" {
		return nil, fmt.Errorf("cycles come every 30 s: expected times in s, found %q", unit)
	}
	if err := s.readMachines(); err != nil {
		return nil, err
	}
	if err := s.readQueues(); err != nil {
		return nil, err
	}
	for k := range in.Jobs() {
		j, err := s.readJob(k)
		if err != nil {
			return nil, fmt.Errorf("job %s: %w", in.Jobs()[k].ID, err)
		}
		s.jobs = append(s.jobs, j)
	}
	return s, nil
}

// readMachines lists the machines.
func (s *system) readMachines() error {
	for c := range s.in.Clusters() {
		cluster := &s.in.Clusters()[c]
		if cluster.WholeMachines {
			return fmt.Errorf("a record cannot express clusters that allocate whole machines, such as %s", cluster.ID)
		}
		for g := range cluster.Machines {
			group := &cluster.Machines[g]
			memory, ok := millionths(group.Memory)
			if !ok {
				return fmt.Errorf("expected a memory of at most 1e12 with at most six decimals, found %v on machine %s", group.Memory, group.ID)
			}
			has := vector{int64(group.Units), memory}
			for r := range s.in.Resources() {
				has = append(has, int64(group.Amount(r)))
			}
			for k := range group.Count {
				s.machines = append(s.machines, &machine{cluster: c, group: group, name: group.Name(k), first: group.First + k*group.Units, has: has, busy: make([]bool, group.Units),
					held: make([][]bool, len(s.in.Resources()))})
			}
		}
	}
	s.free = make(room, len(s.machines))
	for m := range s.free {
		s.free[m] = slices.Clone(s.machines[m].has)
	}
	return nil
}

// readQueues makes the queues.
func (s *system) readQueues() error {
	if len(s.in.Partitions()) == 0 {
		all := &queue{machines: make([]bool, len(s.machines))}
		for m := range all.machines {
			all.machines[m] = true
		}
		s.queues = []*queue{all}
		return nil
	}
	for _, p := range s.in.Partitions() {
		if p.Licence != "" || p.Machines > 0 || p.Limit > 0 || p.Closed {
			return fmt.Errorf("a record cannot express partitions that are closed, have a licence or limit their jobs, such as %s", p.ID)
		}
		q := &queue{name: p.ID, tier: p.Tier, machines: make([]bool, len(s.machines))}
		for m, machine := range s.machines {
			q.machines[m] = (len(p.Clusters) == 0 || slices.Contains(p.Clusters, s.in.Clusters()[machine.cluster].ID)) && (p.Feature == "" || slices.Contains(machine.group.Features(), p.Feature))
		}
		s.queues = append(s.queues, q)
	}
	return nil
}

// readJob reads a job.
func (s *system) readJob(k int) (*job, error) {
	of := &s.in.Jobs()[k]
	j := &job{Job: of, place: k, queue: s.queues[0]}
	if of.UserClass >= 0 {
		j.priority = s.in.UserClasses()[of.UserClass].Priority
	}
	if len(s.in.Partitions()) > 0 {
		at := slices.IndexFunc(s.queues, func(q *queue) bool { return q.name == of.Queue() })
		if at < 0 {
			return nil, fmt.Errorf("expected one partition as its queue, found %q", of.Queue())
		}
		j.queue = s.queues[at]
	}
	node := of.Node()
	if node.MaxMachines > 0 {
		return nil, errors.New("a record cannot express a number of machines")
	}
	j.blocks, j.perMachine = of.Max/node.Block, node.PerMachine
	memory, ok := millionths(of.Memory)
	if !ok || memory > math.MaxInt64/int64(node.Block) {
		return nil, fmt.Errorf("expected a memory of at most 1e12 with at most six decimals, found %v", of.Memory)
	}
	j.needs = vector{int64(node.Block), memory * int64(node.Block)}
	for r, resource := range s.in.Resources() {
		need := node.Need(r)
		if resource.Devices && need%model.WholeAmount != 0 {
			return nil, fmt.Errorf("a record cannot express shares of devices, such as %v of %s", need.Float(), resource.ID)
		}
		j.needs = append(j.needs, int64(need))
	}
	for c := range s.in.Clusters() {
		if !s.in.CanRun(k, c) {
			continue
		}
		o := option{cluster: c, runs: s.in.DurationOn(k, c, of.Max)}
		if o.expected = o.runs; !math.IsNaN(of.Estimate) {
			group := &s.in.Clusters()[c].Machines[0]
			each := float64((of.Tasks + of.Max - 1) / of.Max)
			o.expected = each*of.Estimate*of.ReferenceSpeed/group.Speed + s.in.Busy(k, c, group.Speed, 0) + s.in.Transfer(k, group.Bandwidth)
		}
		for m, machine := range s.machines {
			if machine.cluster == c && j.queue.machines[m] && machine.group.Offers(node.Features) && s.in.ProcessorsFor(of, machine.group) > 0 {
				o.machines = append(o.machines, m)
			}
		}
		if s.free.place(j, &o) != nil {
			j.options = append(j.options, o)
		}
	}
	if len(j.options) == 0 {
		return nil, fmt.Errorf("it fits nowhere in its partition %q, even when nothing else runs", j.queue.name)
	}
	j.kind = fmt.Sprint(j.queue.name, j.needs, j.blocks, j.perMachine, node.Features, s.clustersOf(j))
	return j, nil
}

// clustersOf are the clusters on which a job may run.
func (s *system) clustersOf(j *job) (clusters []int) {
	for k := range j.options {
		clusters = append(clusters, j.options[k].cluster)
	}
	return clusters
}

// millionths is a number in whole millionths, so that sums are exact, and whether it is one.
func millionths(x float64) (int64, bool) {
	if math.IsInf(x, 1) {
		return math.MaxInt64, true
	}
	whole := math.Round(x * 1e6)
	return int64(whole), x <= 1e12 && whole/1e6 == x
}
