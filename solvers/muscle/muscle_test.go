package muscle

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// caseOf is an instance of clusters of the given processors and jobs of the given sizes and times, the same on all.
func caseOf(t testing.TB, processors, sizes []int, times []float64, deadline func(j int) float64) *model.Instance {
	t.Helper()
	b := model.NewBuilder("muscle").Minimise("mcp", 1)
	b.Spec().Weights = &model.WeightsSpec{OverDeadline: new(4.0), Makespan: new(3.0), IdleTime: new(1.0)}
	for c, n := range processors {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("C", c+1), Machines: []model.MachineSpec{{ID: "m", Count: n}}})
	}
	for j, s := range sizes {
		b.Job(model.JobSpec{ID: fmt.Sprint("J", j+1), Processors: model.Rigid(s), Work: &times[j], Deadline: new(deadline(j))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// table1 is the case study: Table 1.
func table1(t testing.TB) *model.Instance {
	slacks := []float64{6, 8, 14, 12, 4, 8}
	times := []float64{2, 4, 4, 6, 2, 4}
	return caseOf(t, []int{4, 6}, []int{2, 1, 4, 3, 1, 2}, times, func(j int) float64 { return slacks[j] + times[j] })
}

// packedSpace is a filled space: the cluster, the space (t, r, cp), the jobs in order and, for all clusters, ε before it.
type packedSpace struct {
	cluster int
	t       float64
	r, cp   int
	jobs    []int
	epsilon []float64
}

// spacesOf reads the filled spaces from the steps of a run.
func spacesOf(in *model.Instance, packs *[]packedSpace) func(solve.Step) {
	return func(s solve.Step) {
		if len(s.Placed) == 0 {
			return
		}
		p := packedSpace{t: s.At}
		p.cluster = slices.IndexFunc(s.Scores, func(a solve.Score) bool { return a.Chosen })
		for _, term := range s.Terms {
			switch term.Name {
			case "r":
				p.r = int(term.Value)
			case "cp":
				p.cp = int(term.Value)
			}
		}
		for _, placed := range s.Placed {
			j, _ := in.JobIndex(placed.Job)
			p.jobs = append(p.jobs, j)
		}
		for _, score := range s.Scores {
			p.epsilon = append(p.epsilon, *score.Value)
		}
		*packs = append(*packs, p)
	}
}

// solvePacks solves, checks the schedule and returns it with the spaces in the order in which they were filled.
func solvePacks(t testing.TB, in *model.Instance, m Solver, seed uint64) (*model.Solution, []packedSpace) {
	t.Helper()
	var packs []packedSpace
	result, err := m.Solve(context.Background(), in, solve.Options{Seed: seed, Trace: spacesOf(in, &packs)})
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != model.Feasible || result.Stop != model.StopDone || result.Evaluations != 1 || result.Bound.Known() {
		t.Fatalf("unexpected result %+v", result)
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Fatalf("the schedule is wrong: %v", report.Violations[0])
	}
	return result.Solution, packs
}

// packText writes a filled space as the paper does, processors from 1: cluster (t, r, cp) ε…: jobs.
func packText(in *model.Instance, p packedSpace) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%v,%d,%d)", in.Clusters()[p.cluster].ID, p.t, p.r, p.cp+1)
	for _, e := range p.epsilon {
		fmt.Fprintf(&text, " %.7g", e)
	}
	text.WriteString(":")
	for _, j := range p.jobs {
		text.WriteString(" " + in.Jobs()[j].ID)
	}
	return text.String()
}

// placementText writes a placement as the paper does, processors from 1.
func placementText(p model.Placement) string {
	return fmt.Sprintf("%s %s %d-%d %v-%v", p.Job, p.Cluster, p.Processors.Min()+1, p.Processors.Max()+1, p.Start, p.End)
}

// texts applies a func to all.
func texts[T any](list []T, text func(T) string) []string {
	out := []string{}
	for _, x := range list {
		out = append(out, text(x))
	}
	return out
}

// TestCaseStudyReadingA follows Algorithm 4 through Table 1 (Fig. 3).
func TestCaseStudyReadingA(t *testing.T) { testCaseStudy(t, *newSolver()) }

// TestCaseStudyReadingB does so with the reading of §4.3, by which the same spaces come up.
func TestCaseStudyReadingB(t *testing.T) {
	testCaseStudy(t, *solverstest.With(newSolver(), func(x *Solver) { x.Reading, x.Queue = "b", "arrival" }))
}

func testCaseStudy(t *testing.T, m Solver) {
	in := table1(t)
	sol, packs := solvePacks(t, in, m, 1)
	wantPacks := []string{
		"C2 (0,6,1) 0 0: J3 J1",
		"C1 (0,4,1) 0 0.6: J4 J2",
		"C2 (2,2,5) 1 0.6: J6",
		"C1 (4,1,4) 1 1.428571: J5",
	}
	if diff := cmp.Diff(wantPacks, texts(packs, func(p packedSpace) string { return packText(in, p) })); diff != "" {
		t.Errorf("spaces: %s", diff)
	}
	wantSeeds := []string{"J1 C2 5-6 0-2", "J2 C1 4-4 0-4", "J3 C2 1-4 0-4", "J4 C1 1-3 0-6", "J5 C1 4-4 4-6", "J6 C2 5-6 2-6"}
	if diff := cmp.Diff(wantSeeds, texts(sol.Jobs, placementText)); diff != "" {
		t.Errorf("seeds: %s", diff)
	}
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		t.Fatal(err)
	}
	near := func(name string, found, want float64) {
		if math.Abs(found-want) > 5e-7 {
			t.Errorf("%s is %v, want %v", name, found, want)
		}
	}
	near("MCP", evaluation.Objective, 2.75)
	near("PB", evaluation.Metrics["balance"].Total, 0.707107)
	near("CP of C1", evaluation.Metrics["cp"].ByCluster["C1"], 2.25)
	near("CP of C2", evaluation.Metrics["cp"].ByCluster["C2"], 3.25)
	near("makespan", evaluation.Metrics["makespan"].Total, 6)
	near("idle time", evaluation.Metrics["idle_time"].Total, 8)
	near("over-deadline", evaluation.Metrics["over_deadline"].Total, 0)
}

// TestEquation3 checks ε after the case study and at its edges.
func TestEquation3(t *testing.T) {
	run := newPacking(context.Background(), newSolver(), table1(t), 1)
	run.pack(run.queue())
	for c, want := range []float64{1.875, 240.0 / 168} {
		if found := run.clusters[c].epsilon; math.Abs(found-want) > 1e-12 {
			t.Errorf("ε of cluster %d is %v, want %v", c+1, found, want)
		}
	}
	c := cluster{processors: 2, due: true}
	c.add(3, 2, 0) // no deadline, which others have
	if want := 1 * 3 * 2 / (1e-9 * 2); c.epsilon != want {
		t.Errorf("ε without slack is %v, want %v", c.epsilon, want)
	}
	c.add(3, 2, -7)
	if want := 2 * 6 * 4 / (1e-9 * 2); c.epsilon != want {
		t.Errorf("ε with negative slack is %v, want %v", c.epsilon, want)
	}
	c = cluster{processors: 2} // nobody has a deadline
	for range 3 {
		c.add(5, 2, 0)
	}
	if want := 15.0 * 6 / (3 * 2); c.epsilon != want {
		t.Errorf("ε without deadlines is %v, want %v", c.epsilon, want)
	}
}

// TestAlgorithm2HandCases are worked by hand. The literal text of H3 recurses for ever.
func TestAlgorithm2HandCases(t *testing.T) {
	for _, c := range []struct {
		name       string
		processors int
		sizes      []int
		times      []float64
		want       []string
		before     float64 // ε before J3
	}{
		{"H1", 2, []int{1, 1, 1}, []float64{1, 1, 1}, []string{"J1 C1 2-2 0-1", "J2 C1 1-1 0-1", "J3 C1 1-1 1-2"}, 2 * 2 * 2 / (198.0 * 2)},
		{"H2", 3, []int{2, 1, 3}, []float64{3, 1, 1}, []string{"J1 C1 2-3 0-3", "J2 C1 1-1 0-1", "J3 C1 1-3 3-4"}, 8.0 / 196},
		{"H3", 2, []int{1, 1, 2}, []float64{2, 1, 1}, []string{"J1 C1 2-2 0-2", "J2 C1 1-1 0-1", "J3 C1 1-2 2-3"}, 2 * 3 * 2 / (197.0 * 2)},
	} {
		for _, reading := range []string{"a", "b"} {
			in := caseOf(t, []int{c.processors}, c.sizes, c.times, func(int) float64 { return 100 })
			sol, packs := solvePacks(t, in, *solverstest.With(newSolver(), func(x *Solver) { x.Reading = reading }), 1)
			if diff := cmp.Diff(c.want, texts(sol.Jobs, placementText)); diff != "" {
				t.Errorf("%s, reading %s: %s", c.name, reading, diff)
			}
			if found := packs[len(packs)-1].epsilon[0]; math.Abs(found-c.before) > 1e-15 {
				t.Errorf("%s, reading %s: ε before J3 is %v, want %v", c.name, reading, found, c.before)
			}
		}
	}
}

// TestAlgorithm2FindsAlternatives: row 2 is (J2,J1)(J4,J3); once J3 runs alone, J5 stands in for it.
func TestAlgorithm2FindsAlternatives(t *testing.T) {
	in := caseOf(t, []int{2}, []int{1, 1, 1, 1, 1}, []float64{1, 2, 1, 1, 1}, func(int) float64 { return 100 })
	_, packs := solvePacks(t, in, *newSolver(), 1)
	for k, want := range []string{"J2 J1", "J3", "J4 J5"} {
		if _, jobs, _ := strings.Cut(packText(in, packs[k]), ": "); jobs != want {
			t.Errorf("space %d takes %s, want %s", k+1, jobs, want)
		}
	}
}

// TestAlgorithms1To4AgainstReference compares the table, the spaces and the whole schedule with the literal algorithms.
func TestAlgorithms1To4AgainstReference(t *testing.T) {
	searched, found := 0, 0
	for _, m := range []Solver{{Reading: "a", Queue: "arrival"}, {Reading: "a", Queue: "edd"}, {Reading: "b", Queue: "arrival"}, {Reading: "b", Queue: "edd"}} {
		t.Run(fmt.Sprintf("reading=%s,queue=%s", m.Reading, m.Queue), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := drawBatch(t)
				seed := rapid.Uint64Range(0, 3).Draw(t, "seed")
				compareWithReference(t, in, m, seed, &searched, &found)
			})
		})
	}
	t.Logf("Algorithm 2 ran %d times and found jobs %d times", searched, found)
	if least := race.Enough(1); searched < least || found < least {
		t.Error("the instances do not exercise Algorithm 2")
	}
}

// TestAlgorithms1To4BehindHoldsAgainstReference does so behind processors that earlier jobs hold.
func TestAlgorithms1To4BehindHoldsAgainstReference(t *testing.T) {
	searched, found, held := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawHolds(t, drawBatch(t))
		if in.Features().Has(model.Commitments) {
			held++
		}
		m := Solver{Reading: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "reading"), Queue: rapid.SampledFrom([]string{"arrival", "edd"}).Draw(t, "queue")}
		compareWithReference(t, in, m, rapid.Uint64Range(0, 3).Draw(t, "seed"), &searched, &found)
	})
	t.Logf("%d instances with holds; Algorithm 2 ran %d times and found jobs %d times", held, searched, found)
	if least := race.Enough(1); held < least || searched < least || found < least {
		t.Error("the instances do not exercise holds and Algorithm 2")
	}
}

// drawHolds draws earlier jobs that hold processors of the instance, some in two pieces, some over before the batch is complete.
func drawHolds(t *rapid.T, in *model.Instance) *model.Instance {
	if len(in.Jobs()) == 0 {
		return in
	}
	var holds []model.Hold
	for range rapid.IntRange(0, 8).Draw(t, "holds") {
		h := model.Hold{Job: &in.Jobs()[rapid.IntRange(0, len(in.Jobs())-1).Draw(t, "held job")], Start: float64(rapid.IntRange(0, 12).Draw(t, "start"))}
		for range rapid.IntRange(1, 2).Draw(t, "pieces") {
			c := rapid.IntRange(0, len(in.Clusters())-1).Draw(t, "cluster")
			last := in.Clusters()[c].Processors - 1
			first := rapid.IntRange(0, last).Draw(t, "first")
			piece := model.HoldPiece{Cluster: c, End: h.Start + float64(rapid.IntRange(0, 15).Draw(t, "length")),
				Processors: model.NewProcessorSet(model.Range{First: first, Last: rapid.IntRange(first, last).Draw(t, "last")})}
			h.Pieces, h.End = append(h.Pieces, piece), max(h.End, piece.End)
		}
		holds = append(holds, h)
	}
	return behind(in, float64(rapid.IntRange(0, 4).Draw(t, "round")), holds)
}

// behind is the instance with all its jobs, planned in a round at the given time or when they arrive, behind what earlier jobs hold.
func behind(in *model.Instance, round float64, holds []model.Hold) *model.Instance {
	jobs, ready := make([]int, len(in.Jobs())), make([]float64, len(in.Jobs()))
	for j := range jobs {
		jobs[j], ready[j] = j, max(round, in.Jobs()[j].Arrival)
	}
	return in.Batch(jobs, ready, holds)
}

// TestBehindHolds is worked by hand. The round is at 2, the jobs arrived at 0. One of them, due at 10, holds processors 1 to 3 of C1's four from 0 to
// 8: 6 are left of it, and its slack is 10 − 8. Another, due at 2, holds the fourth from 6 to 7: its slack is 2 − 1. So ε of C1 is
// 2·(6 + 1)·(3 + 1)/((2 + 1)·4) = 4.666667, and C2 gets J1. Then ε of C2 is 1·10·2/(88·2) = 0.113636, so that C2 gets J2 too, and it is
// 2·13·3/(185·2) = 0.210811. J3 needs four processors. C2 closes, and C1 has four at 8.
func TestBehindHolds(t *testing.T) {
	whole := caseOf(t, []int{4, 2}, []int{2, 1, 4, 3, 1}, []float64{10, 3, 1, 8, 1}, func(j int) float64 { return []float64{98, 100, 100, 10, 2}[j] })
	holds := []model.Hold{
		{Job: &whole.Jobs()[3], Start: 0, End: 8, Pieces: []model.HoldPiece{{Cluster: 0, Processors: model.Processors(0, 1, 2), End: 8}}},
		{Job: &whole.Jobs()[4], Start: 6, End: 7, Pieces: []model.HoldPiece{{Cluster: 0, Processors: model.Processors(3), End: 7}}},
	}
	in := whole.Batch([]int{0, 1, 2}, []float64{2, 2, 2}, holds)
	sol, packs := solvePacks(t, in, *newSolver(), 1)
	wantPacks := []string{
		"C2 (2,2,1) 4.666667 0: J1",
		"C2 (12,2,1) 4.666667 0.1136364: J2",
		"C1 (8,4,1) 4.666667 0.2108108: J3",
	}
	if diff := cmp.Diff(wantPacks, texts(packs, func(p packedSpace) string { return packText(in, p) })); diff != "" {
		t.Errorf("spaces: %s", diff)
	}
	if diff := cmp.Diff([]string{"J1 C2 1-2 2-12", "J2 C2 1-1 12-15", "J3 C1 1-4 8-9"}, texts(sol.Jobs, placementText)); diff != "" {
		t.Errorf("schedule: %s", diff)
	}
}

// TestAlgorithms1To4OnLargerBatches does so on a few batches with long rows and deep searches.
func TestAlgorithms1To4OnLargerBatches(t *testing.T) {
	searched, found := 0, 0
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 7))
		processors := []int{20 + rng.IntN(30), 8 + rng.IntN(30)}[:1+rng.IntN(2)]
		n, widest, lengths := 100+rng.IntN(150), 2+rng.IntN(20), 1+rng.IntN(4)
		sizes, times := make([]int, n), make([]float64, n)
		for j := range sizes {
			sizes[j], times[j] = 1+rng.IntN(widest), float64(1+rng.IntN(lengths))
		}
		in := caseOf(t, processors, sizes, times, func(j int) float64 { return times[j] * (1 + 30*rng.Float64()) })
		compareWithReference(t, in, *solverstest.With(newSolver(), func(x *Solver) { x.Reading = string("ab"[seed%2]) }), seed, &searched, &found)
	}
	t.Logf("Algorithm 2 ran %d times and found jobs %d times", searched, found)
}

// drawBatch draws an instance: few lengths, so that spaces merge, some of them zero; sizes up to wider than a cluster.
func drawBatch(t *rapid.T) *model.Instance {
	b := model.NewBuilder("random")
	clusters := rapid.IntRange(1, 3).Draw(t, "clusters")
	for c := range clusters {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("C", c), Machines: []model.MachineSpec{{ID: "m",
			Count: rapid.SampledFrom([]int{1, 2, 3, 5, 8, 8, 13}).Draw(t, "processors"), Speed: rapid.SampledFrom([]float64{1, 1, 1.5}).Draw(t, "speed")}}})
	}
	widest := rapid.SampledFrom([]int{1, 3, 6, 15}).Draw(t, "widest")
	length := rapid.IntRange(0, rapid.SampledFrom([]int{1, 3, 1000}).Draw(t, "longest"))
	arrive := rapid.Bool().Draw(t, "arrivals")
	for j := range rapid.IntRange(0, 60).Draw(t, "jobs") {
		spec := model.JobSpec{ID: fmt.Sprint("J", j), Processors: model.Rigid(rapid.IntRange(1, widest).Draw(t, "size"))}
		if rapid.IntRange(0, 9).Draw(t, "stated") == 0 {
			spec.Runtime = map[string]float64{}
			for c := range clusters {
				spec.Runtime[fmt.Sprint("C", c)] = float64(length.Draw(t, "run time"))
			}
		} else {
			spec.Work = new(float64(length.Draw(t, "work")) / rapid.SampledFrom([]float64{1, 1, 7}).Draw(t, "parts"))
		}
		if arrive {
			spec.Arrival = float64(rapid.IntRange(0, 5).Draw(t, "arrival"))
		}
		if rapid.IntRange(0, 3).Draw(t, "due") > 0 {
			spec.Deadline = new(float64(rapid.IntRange(0, 40).Draw(t, "deadline")))
		}
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestQueueOrder checks that the table is filled by arrival, or by deadline, and that nothing starts before the batch is
// complete.
func TestQueueOrder(t *testing.T) {
	b := model.NewBuilder("queue").Cluster(model.ClusterSpec{ID: "C1", Machines: []model.MachineSpec{{ID: "m"}}}).Job(
		model.JobSpec{ID: "late", Work: new(1.0), Arrival: 5, Deadline: new(9.0)},
		model.JobSpec{ID: "free", Work: new(1.0)},
		model.JobSpec{ID: "urgent", Work: new(1.0), Arrival: 2, Deadline: new(1.0)},
		model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.Rigid(2), Arrival: 3})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for queue, want := range map[string][]string{
		"arrival": {"late C1 1-1 7-8", "free C1 1-1 5-6", "urgent C1 1-1 6-7"},
		"edd":     {"late C1 1-1 6-7", "free C1 1-1 7-8", "urgent C1 1-1 5-6"},
	} {
		sol, _ := solvePacks(t, in, *solverstest.With(newSolver(), func(x *Solver) { x.Queue = queue }), 1)
		if diff := cmp.Diff(want, texts(sol.Jobs, placementText)); diff != "" {
			t.Errorf("%s: %s", queue, diff)
		}
		out := []model.Unscheduled{{Job: "wide", Reason: "needs 2 processors, C1 has 1"}}
		if diff := cmp.Diff(out, sol.Unscheduled); diff != "" {
			t.Errorf("%s: %s", queue, diff)
		}
	}
}

// TestTies checks that of clusters with equal ε the largest is first, and of equal ones each in its turn by the seed.
func TestTies(t *testing.T) {
	times := []float64{1, 1, 1, 1, 1}
	first := map[int]int{}
	for seed := range uint64(100) {
		in := caseOf(t, []int{2, 3, 3, 3}, []int{3, 3, 3, 2, 2}, times, func(int) float64 { return 9 })
		_, packs := solvePacks(t, in, *newSolver(), seed)
		first[packs[0].cluster]++
		_, again := solvePacks(t, in, *newSolver(), seed)
		if diff := cmp.Diff(packs, again, cmp.AllowUnexported(packedSpace{})); diff != "" {
			t.Fatalf("seed %d gives two schedules: %s", seed, diff)
		}
	}
	if len(first) != 3 || first[0] > 0 || min(first[1], first[2], first[3]) < 20 {
		t.Errorf("of 100 seeds the first cluster was %v", first)
	}
}

// TestParameters checks that a reading that there is not is an error.
func TestParameters(t *testing.T) {
	if _, err := solverstest.With(newSolver(), func(x *Solver) { x.Reading = "c" }).Solve(context.Background(), table1(t), solve.Options{}); err == nil || errors.Is(err, solve.ErrUnsupported) {
		t.Errorf("reading c: %v", err)
	}
}

// TestExtremes solves instances at the edges of the model.
func TestExtremes(t *testing.T) {
	none := func(int) float64 { return 0 }
	for name, in := range map[string]*model.Instance{
		"no jobs":        caseOf(t, []int{3}, nil, nil, none),
		"all too wide":   caseOf(t, []int{3, 2}, []int{9, 4}, []float64{1, 1}, none),
		"zero work":      caseOf(t, []int{3}, []int{2, 2, 1, 3}, []float64{0, 0, 0, 0}, none),
		"magnitudes":     caseOf(t, []int{3, 1}, []int{2, 1, 1, 3, 1}, []float64{1e-9, 1e12, 1e-9, 1e12, 1e18}, none),
		"huge cluster":   caseOf(t, []int{1 << 22, 1}, []int{1, 3_000_000, 1 << 22, 3}, []float64{1, 2, 3, 4}, none),
		"no equal sizes": caseOf(t, []int{7}, []int{1, 2, 3, 4, 5, 6, 7}, []float64{7, 6, 5, 4, 3, 2, 1}, none),
	} {
		for _, m := range []Solver{*newSolver(), {Reading: "b", Queue: "edd"}} {
			if sol, _ := solvePacks(t, in, m, 1); len(sol.Jobs)+len(sol.Unscheduled) != len(in.Jobs()) {
				t.Errorf("%s: places %d of %d jobs and leaves out %d", name, len(sol.Jobs), len(in.Jobs()), len(sol.Unscheduled))
			}
		}
	}
}

// randomBatch is a batch of jobs with random sizes and times.
func randomBatch(t testing.TB, jobs, widest int, processors ...int) *model.Instance {
	rng := rand.New(rand.NewPCG(1, uint64(jobs)))
	sizes, times := make([]int, jobs), make([]float64, jobs)
	for j := range sizes {
		sizes[j], times[j] = 1+rng.IntN(widest), 1+99*rng.Float64()
	}
	return caseOf(t, processors, sizes, times, func(j int) float64 { return times[j] * (1 + 5*rng.Float64()) })
}

// TestStepsOneAndTwo packs a batch in parts, each with a table of its own, and still places every job.
func TestStepsOneAndTwo(t *testing.T) {
	in := randomBatch(t, 300, 9, 9, 7)
	whole, _ := solvePacks(t, in, *newSolver(), 1)
	for _, cells := range []int{1, 100, 1500, 300 * 9} {
		sol, _ := solvePacks(t, in, *solverstest.With(newSolver(), func(x *Solver) { x.cells = cells }), 1)
		if same := cmp.Equal(whole, sol); same != (cells == 300*9) {
			t.Errorf("%d cells: the schedule is that of the whole batch: %t", cells, same)
		}
	}
}

// TestContextEnds ends the context at once and on the way: whatever is packed by then, the schedule is complete.
func TestContextEnds(t *testing.T) {
	in := randomBatch(t, 3000, 64, 128, 64, 64, 2)
	for _, after := range []time.Duration{0, time.Microsecond, time.Millisecond, 10 * time.Millisecond, 40 * time.Millisecond, time.Hour} {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		result, err := newSolver().Solve(ctx, in, solve.Options{})
		stop := model.StopTime
		if ctx.Err() == nil || result.Stop == model.StopDone { // done before the end, or just after it
			stop = model.StopDone
		}
		cancel()
		if err != nil || result.Status != model.Feasible || result.Stop != stop || after == 0 && stop != model.StopTime || after == time.Hour && stop != model.StopDone {
			t.Errorf("after %v: status %s, stop %s, error %v", after, result.Status, result.Stop, err)
		}
		if report := model.Check(in, result.Solution); !report.OK() {
			t.Errorf("after %v: the schedule is wrong: %v", after, report.Violations[0])
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if result, _ := newSolver().Solve(ctx, in, solve.Options{}); result.Stop != model.StopCancelled {
		t.Errorf("cancelled: stop %s", result.Stop)
	}
}
