package backfill

import (
	"cmp"
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	rules "github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
)

var cappedCases = flag.Int("capped-cases", 500, "random clusters in TestCappedNodesAsTheNaiveForm")

// naiveCap is the power cap of a cluster: what is left beside the idle power of all machines, from each time on.
type naiveCap struct {
	times, left []float64
}

// setCaps looks at the power caps, whose numbers are whole.
func (n *naiveNodes) setCaps() {
	n.rigid = true
	for c := range n.in.Clusters() {
		cluster := &n.in.Clusters()[c]
		idle := 0.0
		for m := range n.machines {
			if n.cluster[m] == c && n.machines[m].Power != nil {
				idle += n.machines[m].Power.Idle
			}
		}
		var of naiveCap
		for _, step := range cluster.PowerCap {
			of.times, of.left = append(of.times, step.Time), append(of.left, step.Value-idle)
			n.changes = append(n.changes, step.Time)
		}
		n.caps = append(n.caps, of)
	}
	slices.Sort(n.changes)
}

// emptyAt is the room at a time when nothing runs.
func (n *naiveNodes) emptyAt(at float64) *nodeRoom {
	room := n.empty()
	for _, of := range n.caps {
		left := math.Inf(1)
		for k, time := range of.times {
			if time <= at {
				left = of.left[k]
			}
		}
		room.power = append(room.power, left)
	}
	return room
}

// watts is the power of a processor of a job on a machine.
func (n *naiveNodes) watts(job, machine int) float64 {
	if own, its := n.in.Jobs()[job].Power(); its {
		return own
	}
	if p := n.machines[machine].Power; p != nil {
		return p.Busy
	}
	return 0
}

// cheapest are the machines of a cluster, those of the least power first, of these the fastest.
func (n *naiveNodes) cheapest(cluster int) (list []int) {
	for m := range n.machines {
		if n.cluster[m] == cluster {
			list = append(list, m)
		}
	}
	busy := func(m int) float64 {
		if n.machines[m].Power == nil {
			return 0
		}
		return n.machines[m].Power.Busy
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(busy(a), busy(b)), cmp.Compare(n.machines[b].Speed, n.machines[a].Speed))
	})
	return list
}

// fitUnderCap is fit with the power that is left: on the machines of the rule, or those that it chooses of the ones that take at most a power, or of the fewest that take the least.
func (n *naiveNodes) fitUnderCap(r *nodeRoom, job, cluster, processors int, start float64) (found []nodeShare) {
	shares := n.fit(r, job, cluster, processors, start)
	keeps := func(shares []nodeShare) bool {
		sum := 0.0
		for _, s := range shares {
			sum += n.watts(job, s.machine) * float64(s.processors)
		}
		return shares != nil && sum <= r.power[cluster]
	}
	if shares == nil || r.power == nil || keeps(shares) {
		return shares
	}
	list := n.cheapest(cluster)
	if _, own := n.in.Jobs()[job].Power(); own {
		return nil
	}
	defer func() { n.among = nil }()
	among := func(count int) { n.among = func(m int) bool { return slices.Contains(list[:count], m) } }
	for count := len(list) - 1; count > 0; count-- {
		if n.watts(job, list[count]) > n.watts(job, list[count-1]) {
			if among(count); keeps(n.fit(r, job, cluster, processors, start)) {
				return n.fit(r, job, cluster, processors, start)
			}
		}
	}
	scorer := n.scorer
	defer func() { n.scorer, n.most = scorer, nil }()
	if n.scorer = nil; scorer != nil {
		defer func() { // what fits at all fits under every rule
			if found == nil {
				n.among, n.most = nil, nil
				found = n.fitUnderCap(r, job, cluster, processors, start)
			}
		}()
	}
	for count := 1; count <= len(list); count++ {
		for blocks := 1; blocks <= processors; blocks++ { // as few as possible on the dearest machine
			among(count)
			n.most = map[int]int{list[count-1]: blocks}
			if shares := n.choose(r, job, cluster, processors, func(int) bool { return true }); shares != nil {
				if !keeps(shares) || !n.allOpen(job, shares, start) || n.in.Jobs()[job].DeadlineHard && start+n.estimate(job, cluster, shares) > n.in.Jobs()[job].Deadline {
					return nil
				}
				return shares
			}
		}
	}
	return nil
}

// underLastCap is how many processors, up to a number, the last cap leaves the job when nothing else runs.
func (n *naiveNodes) underLastCap(job, cluster, most int) int {
	if n.caps == nil || len(n.caps[cluster].left) == 0 {
		return most
	}
	left, count, empty := n.caps[cluster].left[len(n.caps[cluster].left)-1], 0, n.empty()
	for _, m := range n.cheapest(cluster) {
		blocks := 0
		for blocks < n.machines[m].Units && n.holds(&empty.of[m], job, m, blocks+1) {
			blocks++
		}
		for range blocks * n.size(job, m) {
			if count < most && n.watts(job, m) <= left {
				left -= n.watts(job, m)
				count++
			}
		}
	}
	return count
}

// fitsNow says whether a job fits beside what runs, at the caps until its estimated end.
func (n *naiveNodes) fitsNow(job, cluster, processors int) bool {
	if n.caps == nil {
		return n.fit(n.free(n.now), job, cluster, processors, n.now) != nil
	}
	exact := func(start, estimate float64) float64 { return start + estimate }
	return n.lasting(job, cluster, n.now, n.free(n.now), nil, exact) != nil
}

// everCapped says whether a job fits the empty system from some time on until its estimated end.
func (n *naiveNodes) everCapped(job int) bool {
	running, scorer := n.running, n.scorer
	defer func() { n.running, n.scorer = running, scorer }()
	n.running, n.scorer = nil, nil
	exact := func(start, estimate float64) float64 { return start + estimate }
	for c := range n.in.Clusters() {
		for _, at := range append([]float64{n.now}, n.changes...) {
			if at >= n.now && n.lasting(job, c, at, n.emptyAt(at), nil, exact) != nil {
				return true
			}
		}
	}
	return false
}

// underCaps decides as FCFS or EASY of a depth under power caps.
func (n *naiveNodes) underCaps(depth int, sorted func([]int)) func() {
	return func() {
		n.queue = slices.DeleteFunc(n.queue, func(job int) bool {
			shut := !n.everCapped(job)
			if shut {
				n.leave(job)
			}
			return shut
		})
		sorted(n.queue)
		slots := map[int]*nodeSlot{}
		var kept []int
		reserved := 0
		for at, job := range n.queue {
			if depth == 0 && reserved > 0 {
				kept = append(kept, n.queue[at:]...)
				break
			}
			exact := func(start, estimate float64) float64 { return start + estimate }
			c, shares := n.best(job, func(c int) []nodeShare {
				s := n.lasting(job, c, n.now, n.free(n.now), slots, exact)
				if s != nil && s.end > n.now { // a reservation from now on is in its way
					room := n.free(n.now)
					room.meet(n.planned(n.now, slots))
					s = n.lasting(job, c, n.now, room, slots, exact)
				}
				if s != nil {
					return s.shares
				}
				return nil
			})
			if shares != nil {
				n.begin(job, c, shares)
				continue
			}
			if reserved == max(1, depth) {
				kept = append(kept, job)
				continue
			}
			s := n.earliest(job, slots)
			over := !slices.ContainsFunc(n.changes, func(at float64) bool { return at > n.now })
			if s == nil && (!n.in.Jobs()[job].DeadlineHard || reserved == 0 && len(n.running) == 0 && over) {
				n.leave(job)
				continue
			}
			reserved++
			kept = append(kept, job)
			if s != nil {
				slots[job] = s
			}
		}
		n.queue = kept
	}
}

// drawCaps gives the machines and some jobs of an instance power, in whole numbers, and some clusters caps. Where a cap falls, no job outlives its estimate.
func drawCaps(rng *rand.Rand, in *model.Instance) (*model.Instance, error) {
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	spec := in.Spec()
	alike, own := rng.IntN(3) == 0, rng.IntN(3) == 0
	each := pick(1, 2, 5)
	for c := range spec.Clusters {
		of := &spec.Clusters[c]
		idle, most := 0.0, 0.0
		for g := range of.Machines {
			m := &of.Machines[g]
			m.Power = &model.PowerSpec{Idle: pick(0, 3), Busy: each}
			if !alike {
				m.Power.Busy = pick(0, 1, 2, 5)
			}
			idle += m.Power.Idle * float64(max(1, m.Count))
			most += m.Power.Busy * float64(max(1, m.Count)*max(1, m.Processors))
		}
		if c > 0 && rng.IntN(3) == 0 {
			continue
		}
		at := float64(rng.IntN(3))
		for range 1 + rng.IntN(5) {
			of.PowerCap = append(of.PowerCap, []float64{at, idle + float64(rng.IntN(int(most)+2))})
			at += float64(1 + rng.IntN(12))
		}
		if rng.IntN(2) == 0 {
			of.PowerCap = append(of.PowerCap, []float64{at, idle + most})
		}
	}
	for k := range spec.Jobs {
		j := &spec.Jobs[k]
		if own && rng.IntN(2) == 0 {
			j.Power = new(pick(0, 1, 3, 4))
		}
		if j.Estimate != nil && j.Work != nil && *j.Estimate < *j.Work {
			j.Estimate = new(*j.Work)
		}
	}
	return model.New(spec)
}

// TestCappedNodesAsTheNaiveForm compares every start under power caps, machine by machine and device by device, with that of the naive form, and checks every schedule: on several clusters, with memory,
// resources, devices, licences, closed times, running jobs, hard deadlines, moldable jobs and rules that choose among machines.
func TestCappedNodesAsTheNaiveForm(t *testing.T) {
	rule := []string{rules.First, "best", "dot"}
	cases, held, left := 0, 0, 0
	most := min(*cappedCases, race.Fewer(*cappedCases, 60))
	for seed := uint64(0); cases < most; seed++ {
		rng := rand.New(rand.NewPCG(seed, 59))
		in, err := drawNodes(rng, seed%4 == 0)
		if err != nil {
			continue
		}
		if in, err = drawCaps(rng, in); err != nil || sim.CheckPower(in, false) != nil || in.Features()&plan.NodeFeatures == 0 {
			continue
		}
		cases++
		place := rule[rng.IntN(len(rule))]
		byNumber := func([]int) {}
		eager := map[string]float64{}
		for _, p := range []struct {
			name   string
			rules  sim.Discipline
			decide func(n *naiveNodes) func()
		}{
			{"fcfs", FCFS(Ranking{}), func(n *naiveNodes) func() { return n.underCaps(0, byNumber) }},
			{"easy", EASY(1, 1, Ranking{}), func(n *naiveNodes) func() { return n.underCaps(1, byNumber) }},
			{"easy:depth=3", EASY(1, 3, Ranking{}), func(n *naiveNodes) func() { return n.underCaps(3, byNumber) }},
			{"flexible", Flexible(1, Priorities{Aging: 0.001, Wait: 1}), func(n *naiveNodes) func() { return n.underCaps(1, n.byPriority) }},
			{"conservative", Conservative(1, Ranking{}), func(n *naiveNodes) func() { n.rigid = false; return n.conservative }},
			{"conservative:reservations=2", ConservativeUpTo(2, 1, Ranking{}), func(n *naiveNodes) func() { n.rigid = false; return func() { n.conservativeUpTo(2) } }},
		} {
			p.rules.Place = rules.Name(place)
			got, _, err := sim.Simulate(context.Background(), in, p.rules, sim.Options{})
			if err != nil {
				t.Fatalf("case %d, %s, rule %s: %v\n%s", seed, p.name, place, err, stated(in))
			}
			if report := model.Check(in, got); !report.OK() {
				t.Fatalf("case %d, %s, rule %s: %v\n%s", seed, p.name, place, report.Violations, stated(in))
			}
			n := newNaiveNodes(in, place, 1)
			n.setCaps()
			if diff := sameStarts(got, n.run(n.wide, p.decide(n))); diff != "" {
				t.Fatalf("case %d, %s, rule %s: the naive form starts otherwise\n%s\n%s", seed, p.name, place, diff, stated(in))
			}
			left += len(got.Unscheduled)
			if p.name != "fcfs" {
				continue
			}
			for _, j := range got.Jobs {
				eager[j.Job] = j.Start
			}
			spec := in.Spec()
			for c := range spec.Clusters {
				spec.Clusters[c].PowerCap = nil
			}
			if free, err := model.New(spec); err == nil {
				sol, _, err := sim.Simulate(context.Background(), free, p.rules, sim.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, j := range sol.Jobs {
					if start, runs := eager[j.Job]; !runs || start > j.Start {
						held++
					}
				}
			}
		}
	}
	t.Logf("%d clusters; caps held %d jobs of fcfs back; %d jobs were left out", cases, held, left)
	if held < cases {
		t.Error("too few caps bind")
	}
}

// drawGroups draws an instance of groups of machines with one processor each, of which no job asks anything: what it gets then is the fastest processors, as the naive form takes the fastest machines.
func drawGroups(rng *rand.Rand) (*model.Instance, error) {
	chance := func(of int) bool { return rng.IntN(of) == 0 }
	pick := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	b := model.NewBuilder("groups")
	licences, hard := chance(3), chance(3)
	if licences {
		b.Spec().Licences = map[string]int{"l": 1 + rng.IntN(2)}
	}
	names := []string{"a", "b", "c"}
	for c := range 1 + rng.IntN(3) {
		cluster := model.ClusterSpec{ID: names[c]}
		for g := range 1 + rng.IntN(3) {
			m := model.MachineSpec{ID: names[g], Count: 1 + rng.IntN(5), Speed: pick(1, 1, 2)}
			if chance(3) {
				m.Memory = new(pick(1, 4))
			}
			cluster.Machines = append(cluster.Machines, m)
		}
		b.Cluster(cluster)
	}
	for k := range 4 + rng.IntN(16) {
		j := model.JobSpec{ID: string(rune('A' + k)), Work: new(float64(rng.IntN(9))), Arrival: float64(rng.IntN(20)), Processors: model.Rigid(1 + rng.IntN(5))}
		if chance(2) {
			j.Estimate = new(*j.Work + float64(rng.IntN(8)))
		}
		if chance(6) {
			j.Processors.Max += rng.IntN(3)
			j.Tasks = j.Processors.Min + rng.IntN(4)
		}
		if chance(3) {
			j.Memory = pick(1, 2)
		}
		if licences && chance(2) {
			j.Licences = map[string]int{"l": 1}
		}
		if hard && !chance(3) {
			j.Deadline, j.DeadlineHard = new(j.Arrival+float64(1+rng.IntN(28))), true
		}
		b.Job(j)
	}
	return b.Build()
}

// group makes the machines of a group, of one processor each, one machine.
func (n *naiveNodes) group() {
	n.grouped, n.machines, n.cluster, n.first, n.taken = true, nil, nil, nil, nil
	for c := range n.in.Clusters() {
		for _, m := range n.in.Clusters()[c].Machines {
			power := *m.Power
			power.Idle *= float64(m.Count)
			m.Units, m.Count, m.Power = m.Count, 1, &power
			n.machines, n.cluster, n.first = append(n.machines, &m), append(n.cluster, c), append(n.first, m.First)
			n.taken = append(n.taken, make([]bool, m.Units))
		}
	}
}

// TestCappedGroupsAsTheNaiveForm is TestCappedNodesAsTheNaiveForm where the platform lists groups of machines, or whole clusters.
func TestCappedGroupsAsTheNaiveForm(t *testing.T) {
	cases, together := 0, 0
	most := min(*cappedCases, race.Fewer(*cappedCases, 60))
	for seed := uint64(0); cases < most; seed++ {
		rng := rand.New(rand.NewPCG(seed, 60))
		in, err := drawGroups(rng)
		if err != nil {
			continue
		}
		if in, err = drawCaps(rng, in); err != nil || sim.CheckPower(in, false) != nil || in.Features()&plan.NodeFeatures != 0 {
			continue
		}
		cases++
		if sim.IsTrace(in) {
			together++
		}
		byNumber := func([]int) {}
		for _, p := range []struct {
			name   string
			rules  sim.Discipline
			decide func(n *naiveNodes) func()
		}{
			{"fcfs", FCFS(Ranking{}), func(n *naiveNodes) func() { return n.underCaps(0, byNumber) }},
			{"easy", EASY(1, 1, Ranking{}), func(n *naiveNodes) func() { return n.underCaps(1, byNumber) }},
			{"easy:depth=3", EASY(1, 3, Ranking{}), func(n *naiveNodes) func() { return n.underCaps(3, byNumber) }},
			{"conservative", Conservative(1, Ranking{}), func(n *naiveNodes) func() { n.rigid = false; return n.conservative }},
			{"conservative:reservations=2", ConservativeUpTo(2, 1, Ranking{}), func(n *naiveNodes) func() { n.rigid = false; return func() { n.conservativeUpTo(2) } }},
		} {
			got, _, err := sim.Simulate(context.Background(), in, p.rules, sim.Options{})
			if err != nil {
				t.Fatalf("case %d, %s: %v\n%s", seed, p.name, err, stated(in))
			}
			if report := model.Check(in, got); !report.OK() {
				t.Fatalf("case %d, %s: %v\n%s", seed, p.name, report.Violations, stated(in))
			}
			n := newNaiveNodes(in, rules.First, 1)
			n.group()
			n.setCaps()
			want := n.run(n.wide, p.decide(n))
			for _, s := range []*model.Solution{got, want} { // the processors of a group are alike
				for k := range s.Jobs {
					s.Jobs[k].Processors = nil
				}
			}
			if diff := sameStarts(got, want); diff != "" {
				t.Fatalf("case %d, %s: the naive form starts otherwise\n%s\n%s", seed, p.name, diff, stated(in))
			}
		}
	}
	if together < cases/200 {
		t.Errorf("%d of %d are traces", together, cases)
	}
}
