package solvers_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

var metamorphicTries = flag.Int("metamorphic.tries", 250, "changes that keep decisions which are tried")

// renamed is the instance with other names for clusters, machines and jobs, in the same order.
func renamed(s *model.InstanceSpec) {
	cluster, job := map[string]string{}, map[string]string{}
	for c := range s.Clusters {
		cluster[s.Clusters[c].ID] = fmt.Sprintf("x%03d", c)
		s.Clusters[c].ID = cluster[s.Clusters[c].ID]
		for m := range s.Clusters[c].Machines {
			s.Clusters[c].Machines[m].ID = fmt.Sprintf("y%03d", m)
		}
	}
	for k := range s.Jobs {
		job[s.Jobs[k].ID] = fmt.Sprintf("z%05d", k)
	}
	for k := range s.Jobs {
		j := &s.Jobs[k]
		j.ID = job[j.ID]
		after := slices.Clone(j.After)
		for i := range after {
			after[i] = job[after[i]]
		}
		j.After = after
		if j.Runtime != nil {
			times := map[string]float64{}
			for id, time := range j.Runtime {
				times[cluster[id]] = time
			}
			j.Runtime = times
		}
	}
}

// stretched is the instance in another unit of time, a power of two of the old one; false: it states what scales otherwise.
func stretched(s *model.InstanceSpec, by float64) bool {
	if s.Queueing != nil || s.Overheads != nil || s.Tariff != nil || s.Horizon != nil || s.Objective["bounded_slowdown"] != 0 {
		return false
	}
	scale := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		return new(*x * by)
	}
	for c := range s.Clusters {
		cluster := &s.Clusters[c]
		if cluster.Network != nil || cluster.Overheads != nil || len(cluster.PowerCap) > 0 || cluster.Tariff != nil {
			return false
		}
		for m := range cluster.Machines {
			machine := &cluster.Machines[m]
			if machine.Background != nil || machine.Queue != nil || machine.Power != nil || len(machine.Closed) > 0 {
				return false
			}
			machine.Bandwidth /= by
		}
	}
	for k := range s.Jobs {
		j := &s.Jobs[k]
		if j.Running != nil || j.Budget != nil || j.Message > 0 || j.MinBandwidth > 0 {
			return false
		}
		j.Arrival *= by
		j.Work, j.Estimate, j.Deadline = scale(j.Work), scale(j.Estimate), scale(j.Deadline)
		if j.Runtime != nil {
			times := map[string]float64{}
			for id, time := range j.Runtime {
				times[id] = time * by
			}
			j.Runtime = times
		}
	}
	return true
}

// shifted is the instance with all times later by as much; false: it states times that do not shift, or such that rounding may tell them apart.
func shifted(s *model.InstanceSpec, by float64) bool {
	if s.Tariff != nil || s.Queueing != nil {
		return false
	}
	whole := true
	later := func(t *float64) *float64 {
		if t == nil {
			return nil
		}
		whole = whole && *t == math.Trunc(*t)
		return new(*t + by)
	}
	if s.Horizon != nil {
		s.Horizon = &model.HorizonSpec{From: s.Horizon.From + by, To: s.Horizon.To + by}
	}
	for c := range s.Clusters {
		cluster := &s.Clusters[c]
		if cluster.Tariff != nil || cluster.PowerCap != nil || cluster.Network != nil || cluster.Overheads != nil || s.Overheads != nil {
			return false
		}
		for m := range cluster.Machines {
			machine := &cluster.Machines[m]
			closed := slices.Clone(machine.Closed)
			for k := range closed {
				closed[k].From, closed[k].To = closed[k].From+by, later(closed[k].To)
			}
			machine.Closed = closed
			whole = whole && (machine.Speed == 0 || machine.Speed == 1 || machine.Speed == 2) && machine.Background == nil
		}
	}
	s.Workflows = slices.Clone(s.Workflows)
	for k := range s.Workflows {
		s.Workflows[k].Deadline = later(s.Workflows[k].Deadline)
	}
	for k := range s.Jobs {
		j := &s.Jobs[k]
		if j.Running != nil || j.Input+j.Output+j.Message > 0 {
			return false
		}
		j.Arrival, j.Deadline = *later(&j.Arrival), later(j.Deadline)
		for _, time := range j.Runtime {
			later(&time)
		}
		later(j.Work)
		later(j.Estimate)
	}
	return whole
}

// split names machines one by one that are stated as one group, or in two groups, and leaves their order.
func split(s *model.InstanceSpec, rng *rand.Rand) bool {
	several := false
	for c := range s.Clusters {
		var machines []model.MachineSpec
		for _, m := range s.Clusters[c].Machines {
			count := max(1, m.Count)
			for first, part := 0, 0; first < count; part++ {
				n := 1 + rng.IntN(count-first)
				one := m
				one.ID, one.Count = fmt.Sprintf("%s-part%d", m.ID, part), n
				machines = append(machines, one)
				first += n
				several = several || n < count
			}
		}
		s.Clusters[c].Machines = machines
	}
	return several && !slices.ContainsFunc(s.Jobs, func(j model.JobSpec) bool { return j.Running != nil })
}

// Solvers decide alike whatever clusters, machines and jobs are called, in whatever unit times are stated, a power of two apart, whenever time 0 is, a power of two later,
// and whether equal machines are stated as one group or several.
func TestSolversIgnoreNamesAndUnits(t *testing.T) {
	t.Parallel()
	fixed := map[string]string{ // what counts in a unit of its own
		"flexible": "weighs waits and deadlines", "twolevel": "weighs waits and deadlines", "easy": "steps on by one unit", "fcfs": "", "conservative": "steps on by one unit", "backfill": "cycles by seconds",
		"sr": "slots", "dr": "slots", "map": "slots", "spaceshare": "steps on by one unit", "mts": "", "ggone": "a search for balance", "titan": "", "broker": "", "auto": "runs the policies",
	}
	stated := map[string]string{"backfill": "gets instances as they are stated, and cycles by seconds", "broker": "wants machines of one processor by name"}
	instances, rng := inertInstances(t), rand.New(rand.NewPCG(5, 5))
	var names []string
	for name := range instances {
		names = append(names, name)
	}
	slices.Sort(names)
	var list []solve.Info
	for _, info := range solve.Solvers() {
		if info.Absent == "" {
			list = append(list, info)
		}
	}
	tried := map[string]int{}
	for range race.Enough(*metamorphicTries) {
		in, info := instances[names[rng.IntN(len(names))]], list[rng.IntN(len(list))]
		by, from, kind := 1.0, 0.0, "names"
		spec := in.Spec()
		_, not := fixed[info.Name]
		_, asStated := stated[info.Name]
		switch rng.IntN(5) {
		case 0, 1:
			if by, kind = 4, "units"; not || !stretched(&spec, by) {
				continue
			}
		case 2:
			if from, kind = 1<<12, "times"; asStated || !shifted(&spec, from) {
				continue
			}
		case 3:
			if kind = "groups of machines"; asStated || !split(&spec, rng) {
				continue
			}
		default:
			renamed(&spec)
		}
		other, err := model.New(spec)
		if err != nil {
			continue // partitions name clusters, loads and running jobs too
		}
		run := func(in *model.Instance) (solve.Result, error) {
			return solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 2, MaxEvals: 200, Unbounded: true})
		}
		a, refused := run(in)
		if refused != nil || a.Solution == nil {
			continue
		}
		b, err := run(other)
		if err != nil || b.Solution == nil {
			t.Errorf("%s, %s, %s: %v", in.Name(), info.Name, kind, err)
			continue
		}
		tried[kind]++
		if !samePlaces(in, other, a.Solution, b.Solution, by, from) {
			t.Errorf("%s, %s: another schedule with other %s", in.Name(), info.Name, kind)
		}
	}
	for _, kind := range []string{"names", "units", "times", "groups of machines"} {
		if tried[kind] < race.Enough(*metamorphicTries)/25 {
			t.Errorf("%d with other %s", tried[kind], kind)
		}
	}
}

// samePlaces says whether two schedules are alike but for names, a factor of all times, and a time that is added.
func samePlaces(in, other *model.Instance, a, b *model.Solution, by, from float64) bool {
	if len(a.Jobs) != len(b.Jobs) || len(a.Unscheduled) != len(b.Unscheduled) {
		return false
	}
	place := func(in *model.Instance, p *model.Placement, by, from float64) string {
		j, _ := in.JobIndex(p.Job)
		text := fmt.Sprint(j, p.Start*by+from, p.End*by+from, p.Processors)
		for _, id := range append([]string{p.Cluster}, each(p.Pieces)...) {
			c, _ := in.ClusterIndex(id)
			text += fmt.Sprint(" ", c)
		}
		return text
	}
	var x, y []string
	for k := range a.Jobs {
		x, y = append(x, place(in, &a.Jobs[k], by, from)), append(y, place(other, &b.Jobs[k], 1, 0))
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// each are the clusters of pieces.
func each(pieces []model.Piece) []string {
	var list []string
	for _, piece := range pieces {
		list = append(list, piece.Cluster)
	}
	return list
}

// reordered is the instance with jobs, clusters and groups of machines in another order.
func reordered(s *model.InstanceSpec, rng *rand.Rand) {
	rng.Shuffle(len(s.Jobs), func(a, b int) { s.Jobs[a], s.Jobs[b] = s.Jobs[b], s.Jobs[a] })
	rng.Shuffle(len(s.Clusters), func(a, b int) { s.Clusters[a], s.Clusters[b] = s.Clusters[b], s.Clusters[a] })
	for c := range s.Clusters {
		machines := s.Clusters[c].Machines
		rng.Shuffle(len(machines), func(a, b int) { machines[a], machines[b] = machines[b], machines[a] })
	}
}

// tieFree is a batch in which no two numbers are equal that a list rule may compare: jobs of different arrival, work and deadline on clusters of different speed and cost.
func tieFree(t *testing.T, rng *rand.Rand, n int) *model.Instance {
	t.Helper()
	s := model.InstanceSpec{Objective: map[string]float64{[]string{"makespan", "mean_response", "over_deadline", "cost"}[rng.IntN(4)]: 1}}
	for c := range 1 + rng.IntN(3) {
		s.Clusters = append(s.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 1 + rng.IntN(3), Speed: 1 + rng.Float64(), Cost: 1 + rng.Float64()}}})
	}
	for k := range n {
		j := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: 5 * rng.Float64(), Work: new(1 + 9*rng.Float64()), Deadline: new(30 * rng.Float64()), Memory: rng.Float64()}
		if k > 0 && rng.IntN(4) == 0 {
			j.After = []string{fmt.Sprint("j", rng.IntN(k))}
		}
		s.Jobs = append(s.Jobs, j)
	}
	in, err := model.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The order in which an instance states jobs, clusters and machines decides nothing but ties: lists without ties find a schedule of the same value, what is proved
// optimal is of the same value, and no bound is above it.
func TestSolversIgnoreTheOrder(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	tried, proved := map[string]int{}, 0
	for range race.Enough(12) {
		in := tieFree(t, rng, 3+rng.IntN(4))
		spec := in.Spec()
		reordered(&spec, rng)
		other, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"fcfs-list", "edd", "minmin", "maxmin", "sufferage", "mct", "met", "heft", "greedy", "fcfs", "easy", "conservative", "exact", "search"} {
			info, err := solve.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			opt := solve.Options{Seed: 1, MaxEvals: 300, Strict: true}
			a, refused := solve.Run(t.Context(), info.Choice(), in, opt)
			b, err := solve.Run(t.Context(), info.Choice(), other, opt)
			if (refused == nil) != (err == nil) {
				t.Errorf("%s: %v in one order, %v in another", name, refused, err)
			}
			if refused != nil || err != nil {
				continue
			}
			x, y := *a.Solution.Objective, *b.Solution.Objective
			same := math.Abs(x-y) <= 1e-9*max(1, math.Abs(x))
			if a.Status == model.Optimal && b.Status == model.Optimal {
				proved++
			} else if name == "search" || name == "exact" || name == "sufferage" && len(in.Clusters()) == 1 { // where no job suffers more than another
				same = true
			}
			if !same {
				t.Errorf("%s, %v: %v (%s) in one order, %v (%s) in another", name, in.StatedObjective(), x, a.Status, y, b.Status)
			}
			for _, r := range []solve.Result{a, b} {
				if low, known := r.Bound.Value(); known && low > min(x, y)*(1+1e-9)+1e-9 {
					t.Errorf("%s: the bound %v is above %v", name, low, min(x, y))
				}
			}
			tried[name]++
		}
	}
	for name, n := range tried {
		if n < race.Enough(6) {
			t.Errorf("%s: %d batches", name, n)
		}
	}
	if proved < race.Enough(12) {
		t.Errorf("%d proved", proved)
	}
}
