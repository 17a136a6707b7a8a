package plan

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// nodeMix are the features that instances with nodes may mix.
const nodeMix = modeltest.NodeFeatures | model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds |
	model.ParallelJobs | model.MoldableJobs | model.UnrelatedTimes | model.RestrictedTimes | model.MixedMachines | model.MachineSpan

// drawNodes draws an instance whose jobs ask something of single machines, and a rule.
func drawNodes(t *rapid.T) (*model.Instance, Placing) { return drawNodesOf(t, nodeMix) }

func drawNodesOf(t *rapid.T, features model.Features) (*model.Instance, Placing) {
	in := modeltest.Generator{Features: features, Jobs: 8, Clusters: 2, Machines: 2, Groups: 2}.Instance(t)
	return in, Placing{Rule: place.Name(rapid.SampledFrom(place.Rules()).Draw(t, "rule").Name), Seed: rapid.Uint64().Draw(t, "seed"), Holes: rapid.Bool().Draw(t, "holes")}
}

// runningFirst is the order with the jobs that run already first.
func runningFirst(in *model.Instance, order []int) []int {
	slices.SortStableFunc(order, func(a, b int) int { return running(in, b) - running(in, a) })
	return order
}

// Whatever is placed where, the schedule is right by the checker.
func TestNodesAreRight(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		in, placing := drawNodes(t)
		s, err := NewPlacedSchedule(in, placing)
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")) {
			if slots := drawSlots(t, s, job); slots == nil {
				s.LeaveUnplaceable(job)
			} else {
				s.Place(job, slots[0])
			}
		}
		if report := model.Check(in, s.Solution()); !report.OK() {
			t.Fatalf("%v\n%+v", report.Violations, s.Solution())
		}
	})
}

// On machines of one speed and bandwidth no start is earlier than that of Earliest: the checker refuses the job, on whatever machines and devices, at every
// earlier time at which anything changes.
func TestEarliestOnNodesIsEarliest(t *testing.T) {
	often.Check(t, 5, func(t *rapid.T) {
		in, placing := drawNodesOf(t, nodeMix&^(model.MoldableJobs|model.MixedMachines))
		if len(in.Jobs()) == 0 || !placing.Holes {
			return
		}
		s, err := NewPlacedSchedule(in, placing)
		if err != nil {
			t.Fatal(err)
		}
		order := runningFirst(in, Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")))
		last := len(order) - 1
		for _, job := range order[:last] {
			if slots := drawSlots(t, s, job); slots == nil {
				s.LeaveUnplaceable(job)
			} else {
				s.Place(job, slots[0])
			}
		}
		job := order[last]
		ready, ok := s.Ready(job)
		if !ok || running(in, job) == 1 {
			return
		}
		for c := range in.Clusters() {
			slot, found := s.Earliest(job, c)
			if !found {
				slot.Start = math.Inf(1)
			}
			before := *s.solution
			before.Jobs = slices.Clone(s.solution.Jobs)
			named := Schedule{Resources: s.Resources, solution: &before, unnamed: slices.Clone(s.unnamed)}
			slowNodes{t, in, named.Solution(), job, c}.none(ready, slot.Start)
		}
	})
}

// slowNodes tries all places of a job on a cluster beside a schedule.
type slowNodes struct {
	*rapid.T
	in           *model.Instance
	sol          *model.Solution
	job, cluster int
}

// none fails where the job has a place from ready on that starts before the time.
func (s slowNodes) none(ready, before float64) {
	if !s.in.CanRun(s.job, s.cluster) {
		return
	}
	times := []float64{ready}
	for _, p := range s.sol.Jobs {
		times = append(times, p.End)
	}
	for g := range s.in.Clusters()[s.cluster].Machines {
		for _, c := range s.in.Clusters()[s.cluster].Machines[g].Closed() {
			times = append(times, c.From, c.To)
		}
	}
	for _, at := range times {
		if at >= ready && at < before && s.fits(at) {
			s.Fatalf("job %s fits on %s at %v, Earliest found %v", s.in.Jobs()[s.job].ID, s.in.Clusters()[s.cluster].ID, at, before)
		}
	}
}

// fits says whether the checker takes the job on some processors and devices of the cluster at the time.
func (s slowNodes) fits(at float64) bool {
	cluster := &s.in.Clusters()[s.cluster]
	n, _ := s.in.Width(s.job, s.cluster)
	tried := 0
	var choose func(from int, set []int) bool
	choose = func(from int, set []int) bool {
		if len(set) == n {
			tried++
			return tried < 300 && s.takes(at, model.Processors(set...))
		}
		for p := from; p < cluster.Processors && tried < 300; p++ {
			if choose(p+1, append(slices.Clone(set), p)) {
				return true
			}
		}
		return false
	}
	return choose(0, nil)
}

// takes says whether the checker takes the job on the processors with some devices.
func (s slowNodes) takes(at float64, set model.ProcessorSet) bool {
	j := &s.in.Jobs()[s.job]
	p := model.Placement{Job: j.ID, Cluster: s.in.Clusters()[s.cluster].ID, Processors: set, Start: at, End: model.End(at, s.in.Duration(s.job, s.cluster, set))}
	if !model.Late(p.End, j.Deadline) || !j.DeadlineHard {
		return s.withDevices(p, 0)
	}
	return false
}

// withDevices tries the devices of the needs from the k-th on: those of each machine that follow one another from any first one, and any two.
func (s slowNodes) withDevices(p model.Placement, k int) bool {
	n := s.in.Jobs()[s.job].Node()
	for ; k < len(n.Resources) && !s.in.Resources()[n.Resources[k].Resource].Devices; k++ {
	}
	if k == len(n.Resources) {
		sol := *s.sol
		sol.Jobs = append(slices.Clone(s.sol.Jobs), p)
		for _, v := range model.Check(s.in, &sol).Violations {
			if v.Code != "missing-job" {
				return false
			}
		}
		return true
	}
	need, c := n.Resources[k], &s.in.Clusters()[s.cluster]
	id := s.in.Resources()[need.Resource].ID
	machines, names, amounts := map[string]int{}, []string{}, map[string]int{}
	for _, r := range p.Processors {
		for q := r.First; q <= r.Last; q++ {
			g := c.GroupOf(q)
			m := &c.Machines[g]
			name := m.Name((q - m.First) / m.Units)
			if machines[name]++; machines[name] == 1 {
				names = append(names, name)
			}
			amounts[name] = int(m.Amount(need.Resource) / model.WholeAmount)
		}
	}
	var each func(i int, held map[string]model.ProcessorSet) bool
	each = func(i int, held map[string]model.ProcessorSet) bool {
		if i == len(names) {
			q := p
			q.Devices = model.DevicesHeld{}
			for id, held := range p.Devices {
				q.Devices[id] = held
			}
			q.Devices[id] = held
			return s.withDevices(q, k+1)
		}
		blocks := machines[names[i]]
		if !c.WholeMachines {
			blocks /= n.Block
		}
		count := blocks
		if need.Amount >= model.WholeAmount {
			count *= int(need.Amount / model.WholeAmount)
		}
		if blocks == 0 || count > amounts[names[i]] {
			return false
		}
		for set := range 1 << amounts[names[i]] {
			var ids []int
			for d := range amounts[names[i]] {
				if set>>d&1 == 1 {
					ids = append(ids, d)
				}
			}
			if len(ids) != count {
				continue
			}
			more := map[string]model.ProcessorSet{}
			for name, h := range held {
				more[name] = h
			}
			more[names[i]] = model.Processors(ids...)
			if each(i+1, more) {
				return true
			}
		}
		return false
	}
	return each(0, nil)
}

// A copy of a state finds the same slots as the state itself, and placing on the copy does not change the state.
func TestNodesCloned(t *testing.T) {
	often.Check(t, 5, func(t *rapid.T) {
		in, _ := drawNodes(t)
		s, err := NewSchedule(in)
		if err != nil {
			t.Fatal(err)
		}
		order := runningFirst(in, Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")))
		for _, job := range order[:len(order)/2] {
			if slots := drawSlots(t, s, job); slots != nil {
				s.Place(job, slots[0])
			}
		}
		twin, beside := s.Clone(), s.Clone()
		for _, job := range order[len(order)/2:] {
			ready, ok := s.Ready(job)
			for c := range in.Clusters() {
				if !ok || !in.CanRun(job, c) {
					continue
				}
				least, _ := in.Width(job, c)
				a, okA := s.Resources.Earliest(job, c, least, ready)
				b, okB := twin.Earliest(job, c, least, ready)
				if okA != okB || okA && (a.Start != b.Start || a.End != b.End || a.set.String() != b.set.String()) {
					t.Fatalf("job %d on %d: %v %v, the copy %v %v", job, c, a, okA, b, okB)
				}
				if okA && rapid.Bool().Draw(t, "beside") {
					if d, ok := beside.Earliest(job, c, least, ready); ok {
						beside.Take(job, &d)
					}
				}
				if !s.Resources.Alike(twin, 0, askedAll) {
					t.Fatal("the copy is another state")
				}
			}
			if slots := drawSlots(t, s, job); slots != nil {
				placed := len(s.solution.Jobs)
				if s.Place(job, slots[0]); len(s.solution.Jobs) > placed {
					twin.Take(job, &slots[0])
				}
			}
		}
	})
}

// The explanation of the job that was placed last offers the slots that the job had.
func TestExplainOnNodes(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		in, _ := drawNodes(t)
		if len(in.Jobs()) == 0 || in.Features()&NodeFeatures == 0 {
			return
		}
		s, err := NewPlacedSchedule(in, Placing{Holes: true})
		if err != nil {
			t.Fatal(err)
		}
		order := runningFirst(in, Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")))
		last := order[len(order)-1]
		if running(in, last) == 1 || !in.Jobs()[last].Rigid() {
			return
		}
		for _, job := range order[:len(order)-1] {
			if slots := drawSlots(t, s, job); slots != nil {
				s.Place(job, slots[0])
			}
		}
		slots := make([]Slot, len(in.Clusters()))
		found := make([]bool, len(slots))
		for c := range slots {
			slots[c], found[c] = s.Earliest(last, c)
		}
		if slots := drawSlots(t, s, last); slots != nil {
			s.Place(last, slots[0])
		}
		e := Explain(in, s.Solution(), last)
		for c, a := range e.Alternatives {
			if (a.Start != nil) != found[c] || found[c] && (*a.Start != slots[c].Start || *a.End != slots[c].End) {
				t.Fatalf("offers %+v from %v to %v, the slot was %+v (%v)", a, optional(a.Start), optional(a.End), slots[c], found[c])
			}
		}
	})
}

// optional is a time that may not be known.
func optional(t *float64) any {
	if t == nil {
		return "none"
	}
	return *t
}
