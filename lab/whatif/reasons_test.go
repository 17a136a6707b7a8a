package whatif_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// policiesOfQueues are policies under which the queues of [drawQueue] are asked, with what lifts the limit of each that has one.
var policiesOfQueues = []struct{ policy, lifted string }{
	{"fcfs", ""}, {"easy", ""}, {"easy:depth=3", ""}, {"conservative", ""}, {"conservative:reservations=2", "conservative"}, {"easy:order=sjf", ""}, {"easy:order=wfp3", ""}, {"conservative:order=wfp3", ""}, {"easy:place=random", ""}, {"conservative:place=fgd", ""},
	{"fcfs:queues=one", ""}, {"easy:depth=2:queues=one", ""}, {"backfill", ""}, {"backfill:tests_user=1", "backfill"}, {"backfill:tests_queue=1", "backfill"}, {"backfill:tests=2", "backfill"}, {"backfill:depth=1", "backfill"},
	{"flexible", ""}, {"spaceshare", ""}, {"map", ""}, {"twolevel", ""},
}

// drawQueue is a queue at time 0: some jobs run, others wait, on machines that count one by one or not, with licences, devices, hard deadlines, closed times, power caps and partitions, each in some queues.
func drawQueue(rng *rand.Rand) model.InstanceSpec {
	b := model.NewBuilder("")
	s := b.Spec()
	n, width := 1+rng.IntN(4), 1+rng.IntN(4)
	chance := func(in int) bool { return rng.IntN(in) == 0 }
	nodes, licences, caps, closed, partitions := chance(2), chance(3), chance(4), chance(5), chance(4)
	cluster := model.ClusterSpec{ID: "c"}
	for m := range n {
		machine := model.MachineSpec{ID: fmt.Sprint("m", m), Processors: width}
		if nodes {
			machine.Resources = map[string]float64{"gpu": float64(rng.IntN(3))}
		}
		if caps {
			machine.Power = &model.PowerSpec{Idle: 1, Busy: float64(2 + rng.IntN(3))}
		}
		if closed && chance(2) {
			from := float64(rng.IntN(6))
			to := from + float64(1+rng.IntN(9))
			machine.Closed = []model.ClosedSpec{{From: from, To: &to}}
		}
		if partitions {
			machine.Features = []string{"all", fmt.Sprint("p", m%2)}
		}
		cluster.Machines = append(cluster.Machines, machine)
	}
	if caps {
		cluster.PowerCap = [][]float64{{0, float64(n) * (1 + 2*rng.Float64()) * float64(width)}}
		if chance(2) {
			cluster.PowerCap = append(cluster.PowerCap, []float64{float64(2 + rng.IntN(6)), float64(n*width) * (1 + 3*rng.Float64())})
		}
	}
	s.Clusters = append(s.Clusters, cluster)
	if nodes {
		s.Devices = []string{"gpu"}
	}
	if licences {
		s.Licences = map[string]int{"l": 1 + rng.IntN(3)}
	}
	if partitions {
		s.Partitions = []model.PartitionSpec{{ID: "all", Feature: "all"}, {ID: "p0", Feature: "p0", Tier: float64(rng.IntN(2))}, {ID: "p1", Feature: "p1"}}
	}
	free := make([]int, n)
	for m := range free {
		free[m] = width
	}
	for k := range 2 + rng.IntN(9) {
		length := float64(1 + rng.IntN(9))
		j := model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(1 + rng.IntN(n*width)), Work: new(length), Estimate: new(length), User: fmt.Sprint("u", rng.IntN(2))}
		if k < n && chance(2) { // it runs
			m := rng.IntN(n)
			if p := 1 + rng.IntN(width); free[m] >= p && (!closed || cluster.Machines[m].Closed == nil) {
				first := m*width + width - free[m]
				j.Processors = model.Rigid(p)
				j.Running = &model.RunningSpec{Cluster: "c", Processors: model.ProcessorSet{{First: first, Last: first + p - 1}}}
				free[m] -= p
				s.Jobs = append(s.Jobs, j)
				continue
			}
		}
		if nodes && chance(2) {
			j.Processors = model.Rigid(1 + rng.IntN(width))
			j.Block = j.Processors.Min
			j.Resources = map[string]float64{"gpu": float64(1 + rng.IntN(2))}
		}
		if licences && chance(2) {
			j.Licences = map[string]int{"l": 1 + rng.IntN(2)}
		}
		if chance(6) {
			j.Deadline, j.DeadlineHard = new(length+float64(rng.IntN(12))), true
		}
		if partitions {
			j.Queue = []string{"all", "p0", "p1", "p0,p1"}[rng.IntN(4)]
			j.Features = [][]string{strings.Split(j.Queue, ",")}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return *s
}

// otherwise is the queue with that changed which a cause names. The second result is false where it names nothing that can be changed.
func otherwise(spec model.InstanceSpec, c *whatif.Cause, asked string) (model.InstanceSpec, bool) {
	spec.Jobs, spec.Clusters = slices.Clone(spec.Jobs), slices.Clone(spec.Clusters)
	cluster := &spec.Clusters[0]
	cluster.Machines = slices.Clone(cluster.Machines)
	switch c.Kind {
	case "behind", "kept":
		if c.For == "" {
			return spec, false
		}
		spec.Jobs = slices.DeleteFunc(spec.Jobs, func(j model.JobSpec) bool { return j.ID == c.For })
	case "processors", "machines", "resource":
		more := 0
		for i := range spec.Jobs {
			more += spec.Jobs[i].Processors.Max
		}
		for m := range slices.Clone(cluster.Machines) {
			extra := cluster.Machines[m]
			extra.ID, extra.Closed, extra.Count = fmt.Sprint("x", m), nil, more
			if extra.Resources != nil {
				extra.Resources = map[string]float64{"gpu": 8}
			}
			extra.Processors = max(extra.Processors, 16)
			cluster.Machines = append(cluster.Machines, extra)
		}
		if cluster.PowerCap != nil { // which is no part of the reason
			cluster.PowerCap = slices.Clone(cluster.PowerCap)
			for k := range cluster.PowerCap {
				cluster.PowerCap[k] = []float64{cluster.PowerCap[k][0], cluster.PowerCap[k][1] + float64(more*len(cluster.Machines)*16)}
			}
		}
	case "licence":
		spec.Licences = map[string]int{"l": 1000}
	case "closed":
		for m := range cluster.Machines {
			cluster.Machines[m].Closed = nil
		}
	case "power":
		cluster.PowerCap = nil
	case "late":
		for i := range spec.Jobs {
			if spec.Jobs[i].ID == asked {
				spec.Jobs[i].Deadline, spec.Jobs[i].DeadlineHard = nil, false
			}
		}
	default:
		return spec, false
	}
	return spec, true
}

// moment is what a policy says at time 0 of the job: when it starts, and why it waits then; nil: it does not wait.
func moment(t *testing.T, policy string, spec model.InstanceSpec, asked string) (start *float64, why *whatif.Cause, supported bool) {
	t.Helper()
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose(policy)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := solve.PolicyOf(choice.Solver)
	if p.Supports(in) != nil {
		return nil, nil, false
	}
	answer, err := whatif.Submit(t.Context(), policy, p, in, asked, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Causes) > 0 && answer.Causes[0].From == 0 {
		why = &answer.Causes[0]
	}
	return answer.Start, why, true
}

// atOnce is the jobs that run or start at time 0.
func atOnce(t *testing.T, policy string, spec model.InstanceSpec) map[string]bool {
	t.Helper()
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose(policy)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := solve.PolicyOf(choice.Solver)
	sol, _, err := solve.Simulate(t.Context(), p, in, sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]bool{}
	for k := range sol.Jobs {
		at[sol.Jobs[k].Job] = sol.Jobs[k].Start == 0
	}
	return at
}

// A reason is of its moment: with what it names changed, the decision of that moment is another one. The job starts, or another reason stands, and then the job that was named keeps it waiting alone too, where it waits itself.
func TestReasonsHoldAgainstCounterfactuals(t *testing.T) {
	kinds, unchanged := map[string]int{}, map[string]int{}
	for seed := range uint64(race.Fewer(2000, 200)) {
		rng := rand.New(rand.NewPCG(seed, 59))
		spec := drawQueue(rng)
		of := policiesOfQueues[rng.IntN(len(policiesOfQueues))]
		if _, err := model.New(spec); err != nil {
			continue // what runs exceeds a cap
		}
		for _, j := range spec.Jobs {
			_, why, supported := moment(t, of.policy, spec, j.ID)
			if !supported {
				break
			}
			if why == nil || j.Running != nil {
				continue
			}
			kinds[why.Kind]++
			changed, policy := spec, of.policy
			if why.Kind == "limit" {
				policy = of.lifted
			} else if other, ok := otherwise(spec, why, j.ID); ok {
				changed = other
			} else {
				unchanged[why.Kind]++
				continue
			}
			start, then, supported := moment(t, policy, changed, j.ID)
			if !supported {
				continue
			}
			if start != nil && *start == 0 || then == nil {
				continue
			}
			if why.For != "" && !strings.Contains(j.Queue, ",") { // a job of several partitions may be kept waiting by one job in each
				only := spec
				only.Jobs = slices.DeleteFunc(slices.Clone(spec.Jobs), func(other model.JobSpec) bool {
					return other.ID != why.For && other.ID != j.ID && !atOnce(t, policy, spec)[other.ID]
				})
				if at := atOnce(t, policy, only); at[j.ID] && !at[why.For] { // else that one waits for others itself
					in, _ := model.New(spec)
					text := new(strings.Builder)
					_ = model.WriteInstance(text, in)
					t.Fatalf("seed %d, %s: job %s waits: %q; with %s alone beside what starts it starts at once\n%s", seed, policy, j.ID, why.Text, why.For, text)
				}
			}
			if then.Kind == why.Kind && then.For == why.For && (then.Text == why.Text || why.Kind != "behind" && why.Kind != "kept") {
				in, _ := model.New(spec)
				text := new(strings.Builder)
				_ = model.WriteInstance(text, in)
				t.Fatalf("seed %d, %s: job %s waits: %q (%s); with that changed it still waits: %q\n%s", seed, of.policy, j.ID, why.Text, why.Kind, then.Text, text)
			}
		}
	}
	for kind, least := range map[string]int{"behind": 200, "closed": 150, "kept": 80, "late": 15, "licence": 70, "limit": 250, "machines": 8, "power": 100, "processors": 1000, "resource": 10} {
		if kinds[kind] < race.Enough(least) {
			t.Errorf("%d reasons of kind %s, expected %d", kinds[kind], kind, least)
		}
	}
	if all := kinds["behind"] + kinds["kept"]; 20*(unchanged["behind"]+unchanged["kept"]) > all {
		t.Errorf("no single job is named in %v of %v", unchanged, kinds)
	}
}

// asking asks about one job, and records when each job starts.
type asking struct {
	id     string
	job    *sim.Job
	starts map[string]float64
	told   int
}

func (a *asking) Watch(*sim.Platform, sim.Policy) {}
func (a *asking) Arrived(_ float64, j *sim.Job) {
	if j.Request.ID == a.id {
		a.job = j
	}
}
func (a *asking) Started(now float64, j *sim.Job, _ []sim.Part) {
	if a.starts[j.Request.ID] = now; j == a.job {
		a.job = nil
	}
}
func (a *asking) Left(_ float64, j *sim.Job, _ sim.Outcome, _ string) {
	if j == a.job {
		a.job = nil
	}
}
func (a *asking) Decided(float64)          {}
func (a *asking) Asked() *sim.Job          { return a.job }
func (a *asking) Passed(float64, sim.Pass) { a.told++ }

// To ask a policy why a job waits changes no start, nor what it draws. Each policy of queues says something of each job that waits.
func TestAskingChangesNothing(t *testing.T) {
	told := map[string]int{}
	for seed := range uint64(race.Fewer(1500, 150)) {
		rng := rand.New(rand.NewPCG(seed, 67))
		spec := drawQueue(rng)
		for k := range spec.Jobs {
			if spec.Jobs[k].Running == nil {
				spec.Jobs[k].Arrival = float64(rng.IntN(8))
			}
		}
		in, err := model.New(spec)
		if err != nil {
			continue
		}
		of := policiesOfQueues[rng.IntN(len(policiesOfQueues))]
		choice, err := solve.Choose(of.policy)
		if err != nil {
			t.Fatal(err)
		}
		policy, _ := solve.PolicyOf(choice.Solver)
		if policy.Supports(in) != nil {
			continue
		}
		run := func(id string) *asking {
			a := &asking{id: id, starts: map[string]float64{}}
			if _, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{Seed: 3, Observer: a}); err != nil {
				t.Fatal(err)
			}
			return a
		}
		plain := run("")
		for _, j := range spec.Jobs {
			asked := run(j.ID)
			if !maps.Equal(plain.starts, asked.starts) {
				t.Fatalf("seed %d, %s: asked about %s jobs start at %v, else at %v", seed, of.policy, j.ID, asked.starts, plain.starts)
			}
			if start, starts := asked.starts[j.ID]; starts && start > j.Arrival && asked.told == 0 && len(j.After) == 0 {
				t.Fatalf("seed %d, %s: nothing is said of %s, which waits from %v to %v", seed, of.policy, j.ID, j.Arrival, start)
			}
			told[of.policy] += asked.told
		}
	}
	for _, of := range policiesOfQueues {
		if told[of.policy] < race.Enough(5) {
			t.Errorf("%s says why a job waits %d times", of.policy, told[of.policy])
		}
	}
}

// What is said to delay a job does: without it the policy starts the job at the time that is stated, which is earlier. Each of the other jobs that does so was not among those tried.
func TestDelaysHoldByReplay(t *testing.T) {
	found, missed, pairs, none := 0, 0, 0, 0
	for seed := range uint64(race.Fewer(600, 60)) {
		rng := rand.New(rand.NewPCG(seed, 61))
		spec := drawQueue(rng)
		of := policiesOfQueues[rng.IntN(len(policiesOfQueues))]
		choice, err := solve.Choose(of.policy)
		if err != nil {
			t.Fatal(err)
		}
		policy, _ := solve.PolicyOf(choice.Solver)
		start := func(gone ...string) (at map[string]float64) {
			other := spec
			other.Jobs = slices.DeleteFunc(slices.Clone(spec.Jobs), func(j model.JobSpec) bool { return slices.Contains(gone, j.ID) })
			in, err := model.New(other)
			if err != nil || policy.Supports(in) != nil {
				return nil
			}
			sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			at = map[string]float64{}
			for k := range sol.Jobs {
				at[sol.Jobs[k].Job] = sol.Jobs[k].Start
			}
			return at
		}
		starts := start()
		if starts == nil {
			continue
		}
		in, err := model.New(spec)
		if err != nil {
			continue
		}
		asked := spec.Jobs[rng.IntN(len(spec.Jobs))].ID
		answer, err := whatif.Submit(t.Context(), of.policy, policy, in, asked, 1)
		if err == nil {
			err = answer.Delays(t.Context(), policy, in, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		own, placed := starts[asked]
		if placed != (answer.Start != nil) || placed && *answer.Start != own {
			t.Fatalf("seed %d, %s: job %s starts at %v, expected %v", seed, of.policy, asked, answer.Start, own)
		}
		listed := map[string]bool{}
		for _, b := range answer.Blocked {
			gone := []string{b.Job}
			if b.Pair != "" {
				gone = append(gone, b.Pair)
				pairs++
			}
			at, is := start(gone...)[asked]
			if !is || b.StartWithout == nil || at != *b.StartWithout || placed && at >= own {
				t.Fatalf("seed %d, %s: without %v job %s starts at %v, and not at %v; with it at %v", seed, of.policy, gone, asked, at, b.StartWithout, own)
			}
			listed[b.Job] = true
		}
		if len(answer.Blocked) == 0 {
			none++
		}
		for _, j := range spec.Jobs {
			if j.ID == asked || listed[j.ID] {
				continue
			}
			if at, is := start(j.ID)[asked]; is && (!placed || at < own) {
				missed++
			}
		}
		found += len(listed)
	}
	if found < race.Enough(200) || 10*missed > found || pairs == 0 && race.Enough(1) == 1 || none < race.Enough(100) {
		t.Errorf("%d jobs found that delay others, %d missed, %d of pairs, %d jobs that none delays", found, missed, pairs, none)
	}
}
