package plan

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// newSchedule starts a schedule that must be possible.
func newSchedule(tb interface {
	Helper()
	Fatal(...any)
}, in *model.Instance) *Schedule {
	tb.Helper()
	s, err := NewSchedule(in)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// drawSlots are the slots of the job on the clusters that can take it next, in random order.
func drawSlots(t *rapid.T, s *Schedule, job int) []Slot {
	var slots []Slot
	for c := range s.in.Clusters() {
		if slot, ok := s.Earliest(job, c); ok {
			if slot.Cluster != c {
				t.Fatalf("a slot on cluster %d is said to be on %d", c, slot.Cluster)
			}
			slots = append(slots, slot)
		}
	}
	if len(slots) == 0 {
		return nil
	}
	return rapid.Permutation(slots).Draw(t, "slots")
}

// Whatever is placed where, the schedule is right by the checker.
func TestScheduleIsRight(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		in := drawGeneral(t, 12)
		s := newSchedule(t, in)
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

// No slot is earlier than the one that Earliest finds: on a uniform cluster none starts earlier, on any other none ends
// earlier, for jobs of one task a processor.
func TestEarliestIsEarliest(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		in := drawGeneral(t, 9)
		s := newSchedule(t, in)
		slow := newSlowSchedule(in)
		for _, job := range Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")) {
			slots := drawSlots(t, s, job)
			for _, slot := range slots {
				slow.compare(t, s, job, slot)
			}
			if slots == nil {
				continue
			}
			placed := len(s.solution.Jobs)
			if s.Place(job, slots[0]); len(s.solution.Jobs) > placed {
				slow.add(job, s.solution.Jobs[placed])
			}
		}
	})
}

// slowSchedule knows the placed jobs and tries everything.
type slowSchedule struct {
	in     *model.Instance
	placed []held
}

// held is a placed job.
type held struct {
	job, cluster int
	set          []int
	start, end   float64
}

func newSlowSchedule(in *model.Instance) *slowSchedule { return &slowSchedule{in: in} }

func (s *slowSchedule) add(job int, p model.Placement) {
	c, _ := s.in.ClusterIndex(p.Cluster)
	h := held{job: job, cluster: c, start: p.Start, end: p.End}
	for _, r := range p.Processors {
		for k := r.First; k <= r.Last; k++ {
			h.set = append(h.set, k)
		}
	}
	if s.in.Duration(job, c, p.Processors) > 0 { // else it holds nothing
		s.placed = append(s.placed, h)
	}
}

// compare compares a slot with the best of all sets of processors at all times.
func (s *slowSchedule) compare(t *rapid.T, schedule *Schedule, job int, slot Slot) {
	ready, _ := schedule.Ready(job)
	times := []float64{ready}
	for _, h := range s.placed {
		if h.end > ready {
			times = append(times, h.end)
		}
	}
	uniform := s.in.Clusters()[slot.Cluster].Uniform
	size, _ := s.in.Width(job, slot.Cluster)
	start, end := math.Inf(1), math.Inf(1)
	for _, set := range subsets(s.in.Clusters()[slot.Cluster].Processors, size) {
		h := held{job: job, cluster: slot.Cluster, set: set}
		duration := s.in.Duration(job, slot.Cluster, model.Processors(set...))
		for _, h.start = range times {
			if h.end = model.End(h.start, duration); s.allows(h) {
				start, end = min(start, h.start), min(end, h.end)
			}
		}
	}
	if uniform && (slot.Start != start || slot.End != end) || slot.Start < start ||
		s.in.Jobs()[job].Tasks == size && slot.End > end+1e-12*math.Abs(end) {
		t.Fatalf("job %d on cluster %d: got %v to %v; start is possible at %v, end at %v", job, slot.Cluster, slot.Start, slot.End, start, end)
	}
}

// subsets are all sets of the given size of the numbers below n.
func subsets(n, size int) [][]int {
	if size == 0 {
		return [][]int{nil}
	}
	var sets [][]int
	for last := size - 1; last < n; last++ {
		for _, set := range subsets(last, size-1) {
			sets = append(sets, append(slices.Clone(set), last))
		}
	}
	return sets
}

// allows says whether the job can be held there besides those placed before.
func (s *slowSchedule) allows(h held) bool {
	cluster, job := &s.in.Clusters()[h.cluster], &s.in.Jobs()[h.job]
	machines := map[int]bool{}
	for _, p := range h.set {
		machine, group := cluster.MachineOf(p)
		m := &cluster.Machines[group]
		machines[machine] = true
		for _, other := range s.placed {
			if other.cluster == h.cluster && slices.Contains(other.set, p) && other.end > h.start && s.in.Duration(h.job, h.cluster, model.Processors(h.set...)) > 0 {
				return false
			}
		}
		if m.Bandwidth < job.MinBandwidth || float64(s.tasksOn(h, machine))*job.Memory > m.Memory {
			return false
		}
		for _, need := range job.Licences {
			if need.Copies > 0 && !m.Runs(need.Licence) {
				return false
			}
		}
	}
	if job.Span == model.SpanMachine && len(machines) > 1 {
		return false
	}
	if h.start == h.end {
		return true
	}
	return !slices.ContainsFunc(append(slices.Clone(s.placed), h), func(other held) bool {
		return other.start < h.end && other.end > h.start && !s.resources(h, max(h.start, other.start))
	})
}

// tasksOn is the number of the job's processors on the machine.
func (s *slowSchedule) tasksOn(h held, machine int) int {
	n := 0
	for _, p := range h.set {
		if m, _ := s.in.Clusters()[h.cluster].MachineOf(p); m == machine {
			n++
		}
	}
	return n
}

// resources says whether memory and licences suffice at the time.
func (s *slowSchedule) resources(h held, at float64) bool {
	running := []held{h}
	for _, other := range s.placed {
		if other.start <= at && at < other.end {
			running = append(running, other)
		}
	}
	for _, p := range h.set {
		machine, group := s.in.Clusters()[h.cluster].MachineOf(p)
		used := 0.0
		for _, other := range running {
			if other.cluster == h.cluster {
				used += float64(s.tasksOn(other, machine)) * s.in.Jobs()[other.job].Memory
			}
		}
		if used > s.in.Clusters()[h.cluster].Machines[group].Memory {
			return false
		}
	}
	for licence := range s.in.Licences() {
		copies, own := s.in.Pool(h.cluster, licence)
		used := 0
		for _, other := range running {
			for _, need := range s.in.Jobs()[other.job].Licences {
				_, otherOwn := s.in.Pool(other.cluster, licence)
				if need.Licence == licence && own == otherOwn && (!own || other.cluster == h.cluster) {
					used += need.Copies
				}
			}
		}
		if used > copies {
			return false
		}
	}
	return true
}

// A plain cluster decides as a general one does, and that as one that asks its machines one by one what is free there.
func TestPlainAndGeneralClustersAgree(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		in := drawPlain(t, 14)
		plain := newSchedule(t, in)
		general, counted := onGeneralClusters(in, true), onGeneralClusters(in, false)
		asking := newResources(in, false, Placing{})
		asking.site = place.NewSite(in, asking.placing.rule(), 0)
		for c := range asking.clusters {
			if _, ok := plain.clusters[c].(*plainCluster); !ok {
				t.Fatal("a plain instance has a general cluster")
			}
			asking.clusters[c] = newGeneralCluster(in, c, asking.pools, asking.limit, nil, newNodeCluster(asking, c), false)
		}
		nodes := startSchedule(in, asking)
		for _, job := range rapid.Permutation(indices(in)).Draw(t, "order") {
			for c := range in.Clusters() {
				a, okA := plain.Earliest(job, c)
				b, okB := general.Earliest(job, c)
				if n, okN := nodes.Earliest(job, c); n.Start != b.Start || n.End != b.End || okN != okB {
					t.Fatalf("job %d on cluster %d: %+v, %v on a general cluster, %+v, %v on one that asks its machines", job, c, b, okB, n, okN)
				}
				if a.Start != b.Start || a.End != b.End || okA != okB {
					t.Fatalf("job %d on cluster %d: %+v, %v on a plain cluster, %+v, %v on a general one", job, c, a, okA, b, okB)
				}
				if n, okN := counted.Earliest(job, c); n.Start != a.Start || n.End != a.End || okN != okA {
					t.Fatalf("job %d on cluster %d: %+v, %v on a plain cluster, %+v, %v on one that counts processors", job, c, a, okA, n, okN)
				}
				for n := range in.Clusters()[c].Processors {
					if a, b := plain.Release(c, n+1), general.Release(c, n+1); a != b {
						t.Fatalf("cluster %d releases %d processors at %v, a general one at %v", c, n+1, a, b)
					}
				}
			}
			if slots := drawSlots(t, plain, job); slots != nil {
				slot, _ := general.Earliest(job, slots[0].Cluster)
				plain.Place(job, slots[0])
				general.Place(job, slot)
				slot, _ = nodes.Earliest(job, slots[0].Cluster)
				nodes.Place(job, slot)
				slot, _ = counted.Earliest(job, slots[0].Cluster)
				counted.Place(job, slot)
			}
		}
		for k, p := range plain.solution.Jobs {
			if q := general.solution.Jobs[k]; !slices.Equal(p.Processors, q.Processors) {
				t.Fatalf("job %s: processors %v on a plain cluster, %v on a general one", p.Job, p.Processors, q.Processors)
			}
			for _, other := range []*Schedule{counted, nodes} {
				if q := other.solution.Jobs[k]; !slices.Equal(p.Processors, q.Processors) {
					t.Fatalf("job %s: processors %v on a plain cluster, %v on one that counts them", p.Job, p.Processors, q.Processors)
				}
			}
		}
	})
}

// onGeneralClusters is the empty schedule on clusters that are all general. They track each processor where named is set.
func onGeneralClusters(in *model.Instance, named bool) *Schedule {
	r := newResources(in, false, Placing{})
	for c := range r.clusters {
		r.clusters[c] = newGeneralCluster(in, c, r.pools, r.limit, nil, nil, named)
	}
	r.commit()
	return startSchedule(in, r)
}

// A cluster on which only the number of processors of each part counts gives the same schedules as one that tracks each processor, whatever differs between the machines and whatever jobs ask
// of them; and two states that are alike for one are alike for the other, if the processors are the same.
func TestPartsAndProcessorsAgree(t *testing.T) {
	placed, parts, alike := 0, 0, 0
	often.Check(t, 40, func(t *rapid.T) {
		features := modeltest.AllFeatures &^ model.GridSpan
		if rapid.Bool().Draw(t, "no machine counts") {
			features &^= model.MachineSpan | model.MemoryLimits
		}
		in := modeltest.Generator{Features: features, Jobs: 12, Groups: 4, Clusters: 2}.Instance(t)
		var states, other [2]*Schedule
		queued := rapid.Bool().Draw(t, "queued")
		for k, named := range []bool{true, false} {
			states[k], other[k] = onGeneralClusters(in, named), onGeneralClusters(in, named)
			if queued {
				states[k].QueueInstants()
			}
		}
		for _, job := range Topological(in, rapid.Permutation(indices(in)).Draw(t, "order")) {
			c := rapid.IntRange(0, len(in.Clusters())-1).Draw(t, "cluster")
			a, ok := states[0].Earliest(job, c)
			b, okB := states[1].Earliest(job, c)
			if ok != okB || a.Start != b.Start || a.End != b.End || a.Processors != b.Processors || a.instant != b.instant {
				t.Fatalf("job %d on cluster %d: %+v, %v where processors are tracked, %+v, %v where they are counted", job, c, a, ok, b, okB)
			}
			if !ok {
				continue
			}
			if rapid.IntRange(0, 9).Draw(t, "copied") == 0 {
				other[0].Assign(states[0].Resources)
				other[1].Assign(states[1].Resources)
			}
			ready := rapid.SampledFrom([]float64{math.Inf(-1), a.Start, a.End, b.End + 3}).Draw(t, "ready")
			if states[0].Alike(other[0].Resources, ready, askedAll) {
				if alike++; !states[1].Alike(other[1].Resources, ready, askedAll) {
					t.Fatalf("from %v on two states are alike by their processors and not by their numbers", ready)
				}
			}
			states[0].Place(job, a)
			states[1].Place(job, b)
			placed++
			g := states[1].clusters[c].(*generalCluster)
			if len(g.parts) < len(g.homes) {
				parts++
			}
			for k := 1; k < len(g.runs); k++ { // each of its own part and time, so that they are few
				if compareRuns(g.runs[k-1], g.runs[k]) >= 0 {
					t.Fatalf("runs %+v and %+v", g.runs[k-1], g.runs[k])
				}
			}
		}
		if a, b := states[0].Solution(), states[1].Solution(); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v where processors are tracked, %+v where they are counted", a, b)
		}
	})
	if placed < race.Enough(1000) || parts < race.Enough(300) || alike < race.Enough(50) {
		t.Errorf("%d jobs placed, %d on parts of several processors, states alike %d times", placed, parts, alike)
	}
}

// A plain cluster takes the very processors that the rule of [decoder] says.
func TestPlainClusterByTheLetter(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		in := drawPlain(t, 14)
		s := newSchedule(t, in)
		var slow []slowCluster
		for c := range in.Clusters() {
			slow = append(slow, newSlowCluster(in, c))
		}
		for _, job := range rapid.Permutation(indices(in)).Draw(t, "order") {
			slots := drawSlots(t, s, job)
			if slots == nil {
				continue
			}
			slot := slots[0]
			size, _ := in.Width(job, slot.Cluster)
			start, processors := slow[slot.Cluster].place(size, in.Jobs()[job].Arrival, in.DurationOn(job, slot.Cluster, size))
			set := model.Processors(processors...)
			s.Place(job, slot)
			if p := s.solution.Jobs[len(s.solution.Jobs)-1]; p.Start != start || !slices.Equal(p.Processors, set) {
				t.Fatalf("job %d: got %v at %v, want %v at %v", job, p.Processors, p.Start, set, start)
			}
		}
	})
}

// lastPlaced is the last job placed, as processors@start.
func (s *Schedule) lastPlaced() string {
	p := s.solution.Jobs[len(s.solution.Jobs)-1]
	return fmt.Sprintf("%s@%v", p.Processors, p.Start)
}

func TestGeneralClusterByHand(t *testing.T) {
	node := func(id string, processors int, memory float64) model.MachineSpec {
		return model.MachineSpec{ID: id, Processors: processors, Memory: &memory}
	}
	type job struct {
		model.JobSpec
		want string
	}
	one, five := new(1.0), new(5.0)
	for _, c := range []struct {
		name     string
		machines []model.MachineSpec
		jobs     []job
	}{
		{"memory that is free before another processor", []model.MachineSpec{node("a", 2, 4)}, []job{
			{model.JobSpec{Work: five, Memory: 4}, "0@0"},
			{model.JobSpec{Work: five, Arrival: 5}, "0@5"}, // the latest-released
			{model.JobSpec{Work: one, Memory: 4}, "1@5"},
		}},
		{"the machine with the fewest free that are enough", []model.MachineSpec{node("a", 4, 4), node("b", 3, 4), node("c", 2, 4)}, []job{
			{model.JobSpec{Work: five, Span: "machine", Processors: model.Rigid(3), Memory: 1}, "4-6@0"},
			{model.JobSpec{Work: one, Span: "machine", Processors: model.Rigid(3), Memory: 1}, "0-2@0"},
			{model.JobSpec{Work: one, Span: "machine", Processors: model.Rigid(3), Memory: 1}, "0-2@1"},
			{model.JobSpec{Work: one, Span: "machine", Processors: model.Rigid(1), Memory: 2}, "7@0"},
		}},
		{"as many of each machine as memory allows", []model.MachineSpec{node("a", 4, 4), node("b", 4, 4)}, []job{
			{model.JobSpec{Work: five, Processors: model.Rigid(2), Memory: 2}, "0-1@0"},
			{model.JobSpec{Work: five, Processors: model.Rigid(2), Memory: 2}, "4-5@0"},
			{model.JobSpec{Work: one, Processors: model.Rigid(2), Memory: 2}, "0-1@5"},
			{model.JobSpec{Work: one, Processors: model.Rigid(2), Memory: 0}, "2-3@0"},
		}},
		{"no memory for no time", []model.MachineSpec{node("a", 2, 4)}, []job{
			{model.JobSpec{Work: five, Memory: 4}, "0@0"},
			{model.JobSpec{Work: new(0.0), Memory: 4}, "0@0"},
			{model.JobSpec{Work: new(0.0), Processors: model.Rigid(2), Memory: 2, Arrival: 3}, "0-1@3"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := model.NewBuilder(c.name).Cluster(model.ClusterSpec{ID: "c", Machines: c.machines})
			for k, j := range c.jobs {
				j.ID = fmt.Sprint(k)
				b.Job(j.JobSpec)
			}
			s := newSchedule(t, build(t, b))
			for k, j := range c.jobs {
				slot, _ := s.Earliest(k, 0)
				s.Place(k, slot)
				if got := s.lastPlaced(); got != j.want {
					t.Errorf("job %d: got %s, want %s", k, got, j.want)
				}
			}
		})
	}
}

// A memory that holds any number of tasks is no reason to panic.
func TestHugeMemory(t *testing.T) {
	b := model.NewBuilder("huge").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 3, Memory: new(1e18)}}})
	b.Job(model.JobSpec{ID: "j", Processors: model.Rigid(3), Work: new(1.0), Memory: 1e-18})
	s := newSchedule(t, build(t, b))
	if slot, ok := s.Earliest(0, 0); !ok || slot.Start != 0 || slot.End != 1 {
		t.Errorf("got %+v, %v", slot, ok)
	}
}

func TestScheduleLeavesJobsOut(t *testing.T) {
	long := strings.Repeat("ä", 499) // ids may take 1,000 bytes, and so may reasons
	b := model.NewBuilder("left out").Cluster(
		model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2}}},
		model.ClusterSpec{ID: long, Machines: []model.MachineSpec{{ID: "m", Processors: 1}}})
	b.Job(
		model.JobSpec{ID: "late", Work: new(5.0), Deadline: new(4.0), DeadlineHard: true},
		model.JobSpec{ID: "after", Work: new(1.0), After: []string{"late"}},
		model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.Rigid(3)},
		model.JobSpec{ID: long, Work: new(1.0), Processors: model.Rigid(3)},
		model.JobSpec{ID: "after long", Work: new(1.0), After: []string{long}},
		model.JobSpec{ID: "in time", Work: new(5.0), Deadline: new(5.0), DeadlineHard: true})
	in := build(t, b)
	s := newSchedule(t, in)
	for job := range in.Jobs() {
		if slot, ok := s.Earliest(job, 0); ok {
			s.Place(job, slot)
		} else {
			s.LeaveUnplaceable(job)
		}
	}
	sol := s.Solution()
	if report := model.Check(in, sol); !report.OK() {
		t.Error(report.Violations)
	}
	if len(sol.Jobs) != 1 || sol.Jobs[0].Job != "in time" {
		t.Errorf("placed %+v", sol.Jobs)
	}
	// Package model may shorten long names itself.
	wide := "needs 3 processors, c has 2; needs 3 processors, " + long[:40]
	for k, want := range []string{"hard deadline 4 would be missed: even alone it cannot end before 5", "waits for job late, which is not placed",
		wide, wide, "waits for job " + long[:982] + "…"} {
		if got := sol.Unscheduled[k].Reason; !strings.HasPrefix(got, want) || len(got) > 1000 {
			t.Errorf("reason %d: got %q, want %q", k, got, want)
		}
	}
}

func TestWhyNowhereOfManyClusters(t *testing.T) {
	b := model.NewBuilder("many")
	for c := range 7 {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m"}}})
	}
	b.Job(model.JobSpec{ID: "a", Work: new(1.0), Processors: model.Rigid(2)})
	want := "needs 2 processors, c0 has 1; needs 2 processors, c1 has 1; needs 2 processors, c2 has 1; needs 2 processors, c3 has 1; and so on for 3 more clusters"
	if got := build(t, b).WhyNowhere(0); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A job of one processor that must stay on one machine takes the latest-released processor, as a [decoder] counts, also where a machine that
// runs no licence makes the cluster one whose processors are tracked.
func TestSpanOfOneProcessorIsThatOfTheDecoder(t *testing.T) {
	work := func(w float64) *float64 { return &w }
	b := model.NewBuilder("span").Minimise("mcp", 1)
	b.Spec().Licences = map[string]int{"l": 1}
	in := build(t, b.
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "a"}, {ID: "b", Licences: []string{}}}}).
		Job(model.JobSpec{ID: "short", Work: work(1)}).Job(model.JobSpec{ID: "long", Work: work(2)}).
		Job(model.JobSpec{ID: "on one machine", Work: work(3), Arrival: 2, Span: "machine"}).Job(model.JobSpec{ID: "last", Work: work(5)}))
	s, order := newSchedule(t, in), []int32{0, 1, 2, 3}
	if _, ok := s.clusters[0].(*generalCluster); !ok {
		t.Fatal("a plain cluster: the test proves nothing")
	}
	want := newDecoder(t, in).decode(0, order).Makespan
	for _, job := range order {
		slot, ok := s.Earliest(int(job), 0)
		if !ok {
			t.Fatalf("no slot for job %d", job)
		}
		s.Place(int(job), slot)
	}
	if got := s.solution.Jobs[3].End; want != 6 || got != want {
		t.Errorf("the last job ends at %v, the decoder says %v, expected 6", got, want)
	}
}
