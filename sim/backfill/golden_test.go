package backfill

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// spec is a job that arrives, holds processors and runs for a time; the estimate is that time.
func spec(arrival float64, processors int32, runtime float64) sim.Spec {
	return sim.Spec{Arrival: arrival, Processors: processors, Runtime: runtime, Estimate: runtime}
}

// wrong is a job whose estimate is not its run time.
func wrong(arrival float64, processors int32, runtime, estimate float64) sim.Spec {
	return sim.Spec{Arrival: arrival, Processors: processors, Runtime: runtime, Estimate: estimate}
}

// golden are hand-made workloads with the starts of each policy, proved on paper. The jobs are A, B, C … in the order of the
// list; "A 3×10 at 0" holds 3 processors for 10 time units and arrives at 0. Flexible's priority of a queued job is
// 0.001·wait + 0.1 + (shortest estimate in the queue)/estimate, below "p".
var golden = []struct {
	name                               string
	processors                         int32
	jobs                               []sim.Spec
	fcfs, easy, conservative, flexible []float64
}{
	// A 3×10 at 0, B 4×5 at 1, C 1×8 at 2, on 4. B must wait for A: shadow 10, extra 4−4 = 0. C would end at 2+8 = 10 ≤ 10,
	// so it goes at 2 in the one free processor; B's reservation [10, 15) stands. FCFS: C after B has started and ended its
	// use of all four, at 15. Flexible at 2: p(B) = 0.001+0.1+5/5, p(C) = 0.1+5/8, so B is first as in EASY.
	{"a hole that just fits", 4, []sim.Spec{spec(0, 3, 10), spec(1, 4, 5), spec(2, 1, 8)},
		[]float64{0, 10, 15}, []float64{0, 10, 2}, []float64{0, 10, 2}, []float64{0, 10, 2}},

	// As before with C 1×9: 2+9 = 11 > 10 and extra is 0, so C waits until B, which holds all, ends at 15.
	{"a hole too short by one", 4, []sim.Spec{spec(0, 3, 10), spec(1, 4, 5), spec(2, 1, 9)},
		[]float64{0, 10, 15}, []float64{0, 10, 15}, []float64{0, 10, 15}, []float64{0, 10, 15}},

	// A 4×10 at 0, B 4×5 at 1, C 2×20 at 2, on 6. At the shadow time 10 all 6 are free, 4 for B: extra 2. C ends at 22 > 10 but
	// 2 ≤ 2, so it goes at 2; beside B's reservation 2 are free throughout, so conservative agrees. FCFS: B at 10 and beside it C.
	{"the extra processors", 6, []sim.Spec{spec(0, 4, 10), spec(1, 4, 5), spec(2, 2, 20)},
		[]float64{0, 10, 10}, []float64{0, 10, 2}, []float64{0, 10, 2}, []float64{0, 10, 2}},

	// A 3×10 at 0, B 5×5 at 1, C and D 1×20 at 2, on 6. Shadow 10, extra 6−5 = 1. C takes it at 2 and extra shrinks to 0, so
	// D, for which 2 processors are free, waits: at 10 B and C hold all 6, B ends at 15. Conservative: beside C [2, 22) and
	// B [10, 15) none is free from 10 to 15, so D begins at 15. FCFS: at 10 B takes 5 and C the sixth, D follows at 15.
	{"extra shrinks", 6, []sim.Spec{spec(0, 3, 10), spec(1, 5, 5), spec(2, 1, 20), spec(2, 1, 20)},
		[]float64{0, 10, 10, 15}, []float64{0, 10, 2, 15}, []float64{0, 10, 2, 15}, []float64{0, 10, 2, 15}},

	// A 3×10 at 0, B 3×5 at 1, C 4×5 at 2, D 1×20 at 3, on 4. EASY protects B alone: shadow 10, extra 4−3 = 1, so D goes at
	// 3 and ends at 23; C needs all 4 and starts at 23. Conservative has promised [15, 20) to C, and D would need [3, 23):
	// the first place for it is behind C at 20. FCFS in turn: 10, 15, 20. Flexible: p(B) > p(C) > p(D) throughout (B and C
	// are the shortest, B waits longer), as EASY.
	{"EASY delays the second, conservative does not", 4, []sim.Spec{spec(0, 3, 10), spec(1, 3, 5), spec(2, 4, 5), spec(3, 1, 20)},
		[]float64{0, 10, 15, 20}, []float64{0, 10, 23, 3}, []float64{0, 10, 15, 20}, []float64{0, 10, 23, 3}},

	// A 2×4 at 0 estimated 10, B 2×5 at 1, C 1×3 at 2, on 2. Until A ends at 4 nothing is free. Then B starts in every
	// policy; C finds none free until B ends at 9. Conservative: the reservations 10 of B and 15 of C become 4 and 9.
	// Flexible at 4: p(B) = 0.003+0.1+3/5, p(C) = 0.002+0.1+1, so C goes first, at 4, and B, which needs both, when C ends
	// at 7.
	{"an early end", 2, []sim.Spec{wrong(0, 2, 4, 10), spec(1, 2, 5), spec(2, 1, 3)},
		[]float64{0, 4, 9}, []float64{0, 4, 9}, []float64{0, 4, 9}, []float64{0, 7, 4}},

	// A 2×3 at 0 estimated 10, B 3×4 at 1, C 1×8 at 2, on 3. By the estimates C ends at 10, the shadow time, and goes at 2. A ends
	// at 3, but B needs C's processor too and waits until 10: backfilling costs it 7, for FCFS starts it at 3 and C at 7.
	// Conservative has promised B 10 and can do no better. Flexible at 2: p(B) = 0.001+0.1+1, p(C) = 0.1+4/8: as EASY.
	{"an early end that backfilling wastes", 3, []sim.Spec{wrong(0, 2, 3, 10), spec(1, 3, 4), spec(2, 1, 8)},
		[]float64{0, 3, 7}, []float64{0, 10, 2}, []float64{0, 10, 2}, []float64{0, 10, 2}},

	// A 1×10 at 0 estimated 4, B 2×5 at 1, C 1×3 at 2, D 1×1 at 5, on 2. At 2 the shadow time is 4: C would end at 5, extra
	// 0, no. At 5 A has outlived its estimate and is taken to end at 6: C would end at 8, no; D at 6 ≤ 6, yes. A ends at 10,
	// B starts, C at 15. Conservative: B [4, 9), C [9, 12); at 5 made afresh: A until 6, B [6, 11), C [11, 14), D fits at
	// [5, 6); at 6 B [7, 12), C [12, 15); at 10 B, and C at 15. FCFS: D behind B too, at 15 beside C. Flexible at 2: p(C) =
	// 0.1+1 > p(B) = 0.001+0.1+3/5: C goes at 2, ends at 5; D then likewise.
	{"an estimate outlived", 2, []sim.Spec{wrong(0, 1, 10, 4), spec(1, 2, 5), spec(2, 1, 3), spec(5, 1, 1)},
		[]float64{0, 10, 15, 15}, []float64{0, 10, 15, 5}, []float64{0, 10, 15, 5}, []float64{0, 10, 2, 5}},

	// A and B 2×5, C 3×4, D 1×50, all at 0, on 5. A and B start; C waits for both, which are estimated to end at the same
	// instant 5: all 5 processors count as free then, extra 5−3 = 2, and D goes at 0 on the one that is left. (With A alone
	// 3 would be free, extra 0.) Conservative: beside C [5, 9) 2 are free. FCFS: D beside C at 5. Flexible: p(C) = 1.1 >
	// p(A) = p(B) = 0.1+4/5 > p(D) = 0.1+4/50: C and A start; B waits for C's end at 4 and D has no processor; at 4 B takes
	// 2 of 3 and D the last.
	{"all that end at the shadow time", 5, []sim.Spec{spec(0, 2, 5), spec(0, 2, 5), spec(0, 3, 4), spec(0, 1, 50)},
		[]float64{0, 0, 5, 5}, []float64{0, 0, 5, 0}, []float64{0, 0, 5, 0}, []float64{0, 4, 0, 4}},

	// A 1×2, B 1×0, C 1×1, all at 0, on 1. A runs until 2; B starts then, ends in a further round at 2, and C starts at 2 as
	// well. Conservative plans one step for B, [2, 3), and C at 3; B's end at 2 is early, and C moves to 2. Flexible: p(B) =
	// 0.1+1, as a job of no time counts as shortest, p(A) = p(C) = 0.1+0: B at 0; in the next round p(C) = 0.1+1 > p(A) =
	// 0.1+1/2: C at 0, A at 1.
	{"a job of no time", 1, []sim.Spec{spec(0, 1, 2), spec(0, 1, 0), spec(0, 1, 1)},
		[]float64{0, 2, 2}, []float64{0, 2, 2}, []float64{0, 2, 2}, []float64{1, 0, 0}},

	// A 1×1000 at 0, B 1×100 at 1, C 1×1 at 999, on 1. At 1000 p(B) = 0.999+0.1+1/100 = 1.109 > p(C) = 0.001+0.1+1 = 1.101:
	// who has waited long enough goes before a short job. The others go by arrival anyway.
	{"aging", 1, []sim.Spec{spec(0, 1, 1000), spec(1, 1, 100), spec(999, 1, 1)},
		[]float64{0, 1000, 1100}, []float64{0, 1000, 1100}, []float64{0, 1000, 1100}, []float64{0, 1000, 1100}},

	// As before with C at 990: p(C) = 0.01+0.1+1 = 1.11 > 1.109, so flexible takes C first, at 1000, and B at 1001.
	{"aging, a little less", 1, []sim.Spec{spec(0, 1, 1000), spec(1, 1, 100), spec(990, 1, 1)},
		[]float64{0, 1000, 1100}, []float64{0, 1000, 1100}, []float64{0, 1000, 1100}, []float64{0, 1001, 1000}},

	// A 2×8 and B 2×4 at 0, C 4×3 and D 1×3 at 1, E 2×2 at 2, F 1×5 at 3, G 2×4 at 4, H 1×2 at 5, on 4. EASY: at 4 (B ends)
	// C is reserved at 8, extra 0; D ends at 7 ≤ 8 and goes; E and G need 2, 1 is free; F would end at 9. At 5 H ends at 7
	// and goes. At 7 E would end at 9, F and G later. At 8 C, until 11; then E and F, and G (1 is free) at 13 when E ends.
	// Conservative: C [8, 11), D [4, 7), E [11, 13), F [11, 16), G [13, 17), H [5, 7): the same. FCFS: C at 8; at 11 D, E, F
	// (1+2+1 = 4); E's end at 13 lets G in, D's at 14 H. Flexible: at 4 p(E) = 0.002+0.1+1 is the most: E, until 6. At 5 H
	// (p = 1.1) is first but none is free; at 6 H, until 8. Then C and D are the shortest, C first: reserved at 8, extra 0;
	// D would end at 9. At 8 C, until 11; then p(D) = 1.11 > p(G) = 0.007+0.1+3/4 > p(F), all fit.
	{"eight jobs", 4, []sim.Spec{spec(0, 2, 8), spec(0, 2, 4), spec(1, 4, 3), spec(1, 1, 3), spec(2, 2, 2), spec(3, 1, 5), spec(4, 2, 4), spec(5, 1, 2)},
		[]float64{0, 0, 8, 11, 11, 11, 13, 14}, []float64{0, 0, 8, 4, 11, 11, 13, 5}, []float64{0, 0, 8, 4, 11, 11, 13, 5},
		[]float64{0, 0, 8, 11, 4, 11, 11, 6}},
}

// TestGolden compares with what is proved on paper.
func TestGolden(t *testing.T) {
	for _, c := range golden {
		for k, want := range [][]float64{c.fcfs, c.easy, c.conservative, c.flexible} {
			got := replay(t, c.jobs, c.processors, kinds[k].discipline(1), false)
			expect(t, c.name+": "+kinds[k].name, got, want)
		}
	}
}

// expect compares starts.
func expect(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("%s: job %c starts at %v, expected %v", what, 'A'+k, got[k], want[k])
		}
	}
}

// TestGoldenKill ends a job at its estimate: A 2×10 at 0 estimated 4, B 2×1 at 1, on 2. B starts when A is killed, at 4.
func TestGoldenKill(t *testing.T) {
	for _, kind := range kinds {
		got := replay(t, []sim.Spec{wrong(0, 2, 10, 4), spec(1, 2, 1)}, 2, kind.discipline(1), true)
		expect(t, kind.name, got, []float64{0, 4})
	}
}

// TestGoldenResources proves schedules with licences and memory on paper.
//
// Licences: one copy, 4 processors. A 1×10 at 0 and B 1×5 at 1 need it; C 2×8, D 1×20 at 2 do not. B waits for the licence,
// not for processors: shadow 10. C ends at 10 and goes at 2. D goes at 2 as well: at 10 B still finds the licence and a
// processor. FCFS keeps C and D behind B, at 10. Conservative: B [10, 15), which leaves 3 processors. Flexible at 2: p(B) =
// 0.001+0.1+1+1 (a licence asked for once, of one) is the most: as EASY.
//
// Memory: a machine of 2 processors and 4 units. A 1×10 with 3 at 0, B 1×5 with 2 at 1, C 1×20 with 1 at 2. B finds a
// processor but not the memory: shadow 10. C fits now, and at 10 leaves B 3 units and a processor, so it goes at 2; with 3
// units (D in its place) it would not fit at all before 10, and then B goes first, and D needs 3 of the 2 that B leaves: at
// 15. FCFS: C at 10 beside B.
func TestGoldenResources(t *testing.T) {
	job := func(id string, arrival float64, processors int, runtime, memory float64, licences map[string]int) model.JobSpec {
		return model.JobSpec{ID: id, Arrival: arrival, Processors: model.Rigid(processors), Work: &runtime, Memory: memory, Licences: licences}
	}
	one := map[string]int{"l": 1}
	licensed := model.NewBuilder("licences").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}).
		Job(job("A", 0, 1, 10, 0, one), job("B", 1, 1, 5, 0, one), job("C", 2, 2, 8, 0, nil), job("D", 2, 1, 20, 0, nil))
	licensed.Spec().Licences = one
	machine := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Memory: new(4.0)}}}
	small := model.NewBuilder("memory").Cluster(machine).
		Job(job("A", 0, 1, 10, 3, nil), job("B", 1, 1, 5, 2, nil), job("C", 2, 1, 20, 1, nil))
	large := model.NewBuilder("more memory").Cluster(machine).
		Job(job("A", 0, 1, 10, 3, nil), job("B", 1, 1, 5, 2, nil), job("D", 2, 1, 20, 3, nil))
	for _, c := range []struct {
		builder *model.Builder
		starts  [4][]float64 // fcfs, easy, conservative, flexible
	}{
		{licensed, [4][]float64{{0, 10, 10, 10}, {0, 10, 2, 2}, {0, 10, 2, 2}, {0, 10, 2, 2}}},
		{small, [4][]float64{{0, 10, 10}, {0, 10, 2}, {0, 10, 2}, {0, 10, 2}}},
		{large, [4][]float64{{0, 10, 15}, {0, 10, 15}, {0, 10, 15}, {0, 10, 15}}},
	} {
		in, err := c.builder.Build()
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range c.starts {
			sol, _, err := sim.Simulate(context.Background(), in, kinds[k].discipline(1), sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float64, len(want))
			for _, p := range sol.Jobs {
				job, _ := in.JobIndex(p.Job)
				got[job] = p.Start
			}
			expect(t, in.Name()+": "+kinds[k].name, got, want)
		}
	}
}

// spreadJob is a job that holds least to most processors, of the clusters that the span allows. Its work is that of a task.
func spreadJob(id string, arrival float64, least, most, tasks int, span string, work float64) model.JobSpec {
	return model.JobSpec{ID: id, Arrival: arrival, Processors: model.Moldable(least, most), Tasks: tasks, Span: span, Work: &work}
}

// TestGoldenSpread proves schedules of moldable jobs, some over several clusters, on paper. Clusters: a of 3, b of 2 processors.
//
// A grid 1–4 with 4 tasks of 10 at 0: no cluster has 4, and a has the most: 3 of a, 1 of b, until 10. B grid 1–9 with 10 tasks of 2.5 at 1: of 5
// processors in the system it takes all, 2 tasks each: shadow 10. C cluster 1–8 with 2 tasks of 4 at 2: 2 processors for 2 tasks, 1 is free.
// D grid 1 × 8 at 3 would end at 11 and B needs all: it waits. E grid 1 × 7 at 3 ends at 10 and goes, on the last of b. At 10 B starts, until
// 15. Then C ends at 19 on either cluster: a. D: one is free on a, two on b: a. FCFS holds E back until 15 too: a is full, so b.
// Flexible: the least length is that of C, 4. At 3 p(C) = 0.001+0.1+1, p(B) = 0.002+0.1+4/5, p(E) = 0.1+4/7 and p(D) = 0.1+4/8. So C is first
// and does not fit until A ends: shadow 10; B does not fit; E ends by then and goes. At 10 C starts on a, until 14. B comes next and waits for
// all until 14: D, until 18, would delay it. So B runs from 14 to 19, and D after it, on a, the
// first: with one processor it stays on a cluster.
func TestGoldenSpread(t *testing.T) {
	b := model.NewBuilder("spread").Cluster(
		model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m", Count: 3}}},
		model.ClusterSpec{ID: "b", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).Job(
		spreadJob("A", 0, 1, 4, 4, "grid", 10), spreadJob("B", 1, 1, 9, 10, "grid", 2.5), spreadJob("C", 2, 1, 8, 2, "cluster", 4),
		spreadJob("D", 3, 1, 1, 1, "grid", 8), spreadJob("E", 3, 1, 1, 1, "grid", 7))
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	const wide = "A a:0-2 (3 tasks) + b:0 (1 tasks) 0-10, "
	want := map[string]string{
		"fcfs":     wide + "B a:0-2 (6 tasks) + b:0-1 (4 tasks) 10-15, C a:0-1 15-19, D a:2 15-23, E b:0 15-22",
		"easy":     wide + "B a:0-2 (6 tasks) + b:0-1 (4 tasks) 10-15, C a:0-1 15-19, D a:2 15-23, E b:1 3-10",
		"flexible": wide + "B a:0-2 (6 tasks) + b:0-1 (4 tasks) 14-19, C a:0-1 10-14, D a:0 19-27, E b:1 3-10",
	}
	for _, kind := range kinds {
		if want[kind.name] == "" { // it keeps jobs on one cluster
			continue
		}
		sol, _, err := sim.Simulate(context.Background(), in, kind.discipline(1), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := shownParts(sol); got != want[kind.name] {
			t.Errorf("%s: %s, expected %s", kind.name, got, want[kind.name])
		}
	}
}

// shownParts is a schedule for a message, by job.
func shownParts(sol *model.Solution) string {
	var list []string
	for _, p := range sol.Jobs {
		text := fmt.Sprintf("%s %s:%s", p.Job, p.Cluster, p.Processors)
		if len(p.Pieces) > 0 {
			text = p.Job
			for k, piece := range p.Pieces {
				text += fmt.Sprintf("%s %s:%s (%d tasks)", []string{"", " +"}[min(k, 1)], piece.Cluster, piece.Processors, piece.Tasks)
			}
		}
		list = append(list, fmt.Sprintf("%s %v-%v", text, p.Start, p.End))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// The tasks of a job over clusters of speeds 1 and 2 go to the processors that are done with them first, one to each at least: 8 tasks on two
// processors of speed 1 and one of speed 2 are 2, 2 and 4. A job with a hard deadline takes the smaller cluster a, though it is the slow one:
// 4 tasks a processor would end at 4, after 3, so it is dropped at once.
func TestGoldenSpreadSpeeds(t *testing.T) {
	clusters := []model.ClusterSpec{{ID: "a", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}, {ID: "b", Machines: []model.MachineSpec{{ID: "m", Count: 1, Speed: 2}}}}
	in, err := model.NewBuilder("speeds").Cluster(clusters...).Job(spreadJob("A", 0, 3, 3, 8, "grid", 1)).Build()
	if err != nil {
		t.Fatal(err)
	}
	late := spreadJob("L", 0, 2, 2, 8, "grid", 1)
	late.Deadline, late.DeadlineHard = new(3.0), true
	clusters[1].Machines[0].Count = 3
	hard, err := model.NewBuilder("late").Cluster(clusters...).Job(late).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		if kind.name == "conservative" {
			continue
		}
		policy := kind.name
		sol, _, err := sim.Simulate(context.Background(), in, kind.discipline(1), sim.Options{})
		if err != nil || shownParts(sol) != "A a:0-1 (4 tasks) + b:0 (4 tasks) 0-2" {
			t.Errorf("%s: %s, %v", policy, shownParts(sol), err)
		}
		sol, _, err = sim.Simulate(context.Background(), hard, kind.discipline(1), sim.Options{})
		if err != nil || len(sol.Unscheduled) != 1 || sol.Unscheduled[0].Reason != "hard deadline 3 would be missed: started at 0 on the processors that it gets of the empty system it would end at 4, by its estimate" {
			t.Errorf("%s: %+v, %v", policy, sol.Unscheduled, err)
		}
	}
}
