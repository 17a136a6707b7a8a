package model_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// naive checks overlaps, memory and licences as their definitions say, processor by processor, instant by instant and pair by
// pair. It is what the fast checks are compared with.
type naive struct {
	in    *model.Instance
	parts []naivePart
}

// naivePart is one piece on one cluster.
type naivePart struct {
	job, cluster int
	processors   []int
	start, end   float64
}

// newNaive lists the pieces of a solution.
func newNaive(in *model.Instance, sol *model.Solution) naive {
	n := naive{in: in}
	for k := range sol.Jobs {
		job, _ := in.JobIndex(sol.Jobs[k].Job)
		sol.Jobs[k].Parts(in.Jobs()[job].Tasks, func(p model.Piece) {
			cluster, _ := in.ClusterIndex(p.Cluster)
			part := naivePart{job: job, cluster: cluster, start: p.Start, end: p.End}
			for _, r := range p.Processors {
				for q := r.First; q <= r.Last; q++ {
					part.processors = append(part.processors, q)
				}
			}
			n.parts = append(n.parts, part)
		})
	}
	return n
}

// during says whether the part runs at the time.
func (p naivePart) during(time float64) bool { return p.start <= time && time < p.end }

// overlaps names the jobs that start while another holds one of their processors.
func (n naive) overlaps() map[string]bool {
	found := map[string]bool{}
	order := slices.Clone(n.parts)
	slices.SortStableFunc(order, func(a, b naivePart) int { return cmp.Compare(a.start, b.start) })
	for k, b := range order {
		held := map[int]bool{}
		for _, p := range b.processors {
			held[p] = true
		}
		for _, a := range order[:k] {
			for _, p := range a.processors {
				alone := a.job == b.job && (a.end == a.start || b.end == b.start) // holds nothing, but has to have processors of its own
				if a.cluster == b.cluster && (alone || b.end > b.start && a.during(b.start)) && held[p] {
					found[n.in.Jobs()[b.job].ID] = true
				}
			}
		}
	}
	return found
}

// machineNames names the machine of each processor of a cluster, and gives its memory.
func machineNames(c *model.Cluster) (names []string, memory []float64) {
	for g := range c.Machines {
		m := &c.Machines[g]
		for k := range m.Count {
			for range m.Units {
				names, memory = append(names, m.Name(k)), append(memory, m.Memory)
			}
		}
	}
	return names, memory
}

// memory names the machines that hold too much at the start of some part.
func (n naive) memory() map[string]bool {
	found := map[string]bool{}
	for c := range n.in.Clusters() {
		names, memory := machineNames(&n.in.Clusters()[c])
		for _, at := range n.parts {
			held := map[string]*big.Rat{}
			for _, p := range n.parts {
				alone := at.end == at.start && p.job == at.job // holds nothing, but all of the job has to fit
				if p.cluster != c || !p.during(at.start) && !alone || alone != (at.end == at.start) {
					continue
				}
				for _, q := range p.processors {
					if held[names[q]] == nil {
						held[names[q]] = new(big.Rat)
					}
					held[names[q]].Add(held[names[q]], exactly([]float64{n.in.Jobs()[p.job].Memory}))
					if !math.IsInf(memory[q], 1) && held[names[q]].Cmp(exactly([]float64{memory[q]}, []float64{0x1p-52, memory[q]})) > 0 {
						found[n.in.Clusters()[c].ID+"/"+names[q]] = true
					}
				}
			}
		}
	}
	return found
}

// licences names the pools from which too many copies are drawn at the start of some job.
func (n naive) licences(sol *model.Solution) map[string]bool {
	found := map[string]bool{}
	for l, licence := range n.in.Licences() {
		for pool := -1; pool < len(n.in.Clusters()); pool++ {
			for k := range sol.Jobs {
				drawn, copies := 0, model.Unlimited
				for i := range sol.Jobs {
					job, _ := n.in.JobIndex(sol.Jobs[i].Job)
					whole := naivePart{start: sol.Jobs[i].Start, end: sol.Jobs[i].End}
					alone := i == k && whole.end == whole.start // holds nothing, but has to find its copies
					if size, draws := n.draws(job, l, pool); draws && (alone || whole.during(sol.Jobs[k].Start) && sol.Jobs[k].End > sol.Jobs[k].Start) {
						copies = size
						drawn += need(&n.in.Jobs()[job], l)
					}
				}
				if drawn > copies {
					found[fmt.Sprintf("%s/%d", licence.ID, pool)] = true
				}
			}
		}
	}
	return found
}

// need is how many copies of a licence a job needs.
func need(j *model.Job, licence int) int {
	for _, n := range j.Licences {
		if n.Licence == licence {
			return n.Copies
		}
	}
	return 0
}

// draws says whether a piece of the job draws a licence from the pool of a cluster (−1: of the grid), and the pool's size.
func (n naive) draws(job, licence, pool int) (copies int, draws bool) {
	for _, p := range n.parts {
		size, own := n.in.Pool(p.cluster, licence)
		if p.job == job && (own && p.cluster == pool || !own && pool == -1) {
			return size, true
		}
	}
	return 0, false
}

// reported names the violations with one code, but those of machines that do not run a licence, which have the code of the pools.
func reported(report model.Report, code model.Code, name func(model.Violation) string) map[string]bool {
	found := map[string]bool{}
	for _, v := range report.Violations {
		if v.Code == code && !strings.HasPrefix(v.Message, "the machine does not run") {
			found[name(v)] = true
		}
	}
	return found
}

// schedules draws an instance and a schedule of it.
func schedules(g modeltest.Generator) *rapid.Generator[drawn] {
	return rapid.Custom(func(t *rapid.T) drawn {
		in := g.Instance(t)
		return drawn{in, drawSolution(t, in)}
	})
}

// drawn is an instance and a schedule of it.
type drawn struct {
	in  *model.Instance
	sol *model.Solution
}

// torn draws an instance of two clusters, the second of which allocates machines, and a schedule of jobs in pieces there, some of which take no time. What the
// machines have is what some of the jobs need, to the last digit or two.
var torn = rapid.Custom(func(t *rapid.T) drawn {
	amounts := rapid.SampledFrom([]float64{0, 0.1, 0.2, 0.3, 0.7, 1.0 / 3, 1, 1e-3, 3e-17, 1e15 + 0.375, 0x1p52, 1e6 + 0.1})
	var needs []float64
	for range rapid.IntRange(1, 7).Draw(t, "jobs") {
		needs = append(needs, amounts.Draw(t, "memory"))
	}
	memory := func() *float64 {
		sum := 0.0
		for _, x := range needs {
			sum += x * float64(rapid.IntRange(0, 2).Draw(t, "times"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "ulps") {
			sum = math.Nextafter(sum, math.Inf(1))
		}
		if sum < 1e-18 || rapid.IntRange(0, 5).Draw(t, "unlimited") == 0 {
			return nil
		}
		return &sum
	}
	build := model.NewBuilder("").
		Cluster(model.ClusterSpec{ID: "a", Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2, Memory: memory()}, {ID: "n", Processors: 3, Memory: memory()}}}).
		Cluster(model.ClusterSpec{ID: "b", Allocation: "machine", Licences: map[string]int{"x": 1}, Machines: []model.MachineSpec{{ID: "m", Count: 3, Memory: memory()}}})
	build.Spec().Licences = map[string]int{"x": 2}
	sol := &model.Solution{Status: model.Feasible}
	for k, need := range needs {
		id := fmt.Sprint(k)
		build.Job(model.JobSpec{ID: id, Work: new(1.0), Tasks: 9, Processors: model.Moldable(1, 9), Span: "grid", Memory: need, Licences: map[string]int{"x": rapid.IntRange(0, 2).Draw(t, "copies")}})
		p := model.Placement{Job: id, Start: float64(rapid.IntRange(0, 4).Draw(t, "start"))}
		p.End = p.Start
		for range rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "pieces") {
			cluster, there := "a", 7
			if rapid.Bool().Draw(t, "b") {
				cluster, there = "b", 3
			}
			first := rapid.IntRange(0, there-1).Draw(t, "first")
			on := model.NewProcessorSet(model.Range{First: first, Last: rapid.IntRange(first, there-1).Draw(t, "last")})
			piece := model.Piece{Cluster: cluster, Processors: on, Tasks: 1, Start: p.Start, End: p.Start + float64(rapid.IntRange(0, 3).Draw(t, "length"))}
			p.End = max(p.End, piece.End)
			p.Pieces = append(p.Pieces, piece)
		}
		sol.Jobs = append(sol.Jobs, p)
	}
	in, err := build.Build()
	if err != nil {
		t.Fatal(err)
	}
	return drawn{in, sol}
})

var (
	narrow = schedules(modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 12, Clusters: 2})
	wide   = schedules(modeltest.Generator{Features: modeltest.AllFeatures, Clusters: 1, Jobs: 8, Processors: 100})
)

func TestResourceChecksAgreeWithNaiveOnes(t *testing.T) { rapid.Check(t, compareWithNaive(narrow)) }

func TestResourceChecksOfWideJobsAgreeWithNaiveOnes(t *testing.T) {
	rapid.Check(t, compareWithNaive(wide))
}

func TestResourceChecksOfPiecesAgreeWithNaiveOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			compareWithNaive(torn)(t)
		}
	})
}

// compareWithNaive compares the checks of a random schedule.
func compareWithNaive(schedules *rapid.Generator[drawn]) func(*rapid.T) {
	return func(t *rapid.T) {
		d := schedules.Draw(t, "schedule")
		report, n := model.Check(d.in, d.sol), newNaive(d.in, d.sol)
		compare := func(what string, got, want map[string]bool) {
			if !maps.Equal(got, want) {
				t.Fatalf("%s: got %v, want %v", what, got, want)
			}
		}
		compare("overlaps", reported(report, "overlap", func(v model.Violation) string { return v.Job }), n.overlaps())
		compare("memory", reported(report, "memory", func(v model.Violation) string { return v.Cluster + "/" + v.Resource }), n.memory())
		compare("licences", reported(report, "licence", func(v model.Violation) string {
			pool := -1
			if c, ok := d.in.ClusterIndex(v.Cluster); ok {
				pool = c
			}
			return fmt.Sprintf("%s/%d", v.Resource, pool)
		}), n.licences(d.sol))
	}
}

// The random schedules violate everything, so that the comparison compares something.
func TestRandomSchedulesViolateEverything(t *testing.T) {
	for _, schedules := range []*rapid.Generator[drawn]{narrow, wide, torn} {
		overlaps, memory, licences := 0, 0, 0
		for seed := range 500 {
			d := schedules.Example(seed)
			n := newNaive(d.in, d.sol)
			overlaps, memory, licences = overlaps+len(n.overlaps()), memory+len(n.memory()), licences+len(n.licences(d.sol))
		}
		if overlaps < 10 || memory < 10 || licences < 10 {
			t.Errorf("%d overlaps, %d machines too full, %d pools overdrawn", overlaps, memory, licences)
		}
	}
}

// A block of 64 processors that a job takes whole is not forgotten to hold a longer one in part.
func TestOverlapBehindAWholeBlock(t *testing.T) {
	build := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 64}}})
	sol := &model.Solution{}
	for _, p := range []model.Placement{placed("long", "c", "10-19", 0, 10), placed("whole", "c", "0-63", 1, 2), placed("last", "c", "15", 5, 6)} {
		build.Job(model.JobSpec{ID: p.Job, Work: new(p.End - p.Start), Tasks: 1, Processors: model.Moldable(1, 64)})
		sol.Jobs = append(sol.Jobs, p)
	}
	in, err := build.Build()
	if err != nil {
		t.Fatal(err)
	}
	want := "overlap job whole cluster c resource 10 [1, 2): job long holds the processor until 10\n" +
		"overlap job last cluster c resource 15 [5, 6): job long holds the processor until 10"
	if got := violations(model.Check(in, sol)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Runs of processors that begin and end about the borders of blocks of 64, and of blocks of 64 blocks, which are checked as one where they have
// one holder.
func TestOverlapsAtTheBordersOfBlocks(t *testing.T) {
	overlapsAt(t, 200, 0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 191, 192, 193, 199)
	overlapsAt(t, 4480, 0, 1, 63, 64, 4031, 4032, 4094, 4095, 4096, 4097, 4159, 4160, 4479)
}

func overlapsAt(t *testing.T, processors int, at ...int) {
	borders := rapid.SampledFrom(at)
	rapid.Check(t, func(t *rapid.T) {
		build := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: processors}}})
		sol := &model.Solution{}
		for k := range rapid.IntRange(2, 12).Draw(t, "jobs") {
			id, length := fmt.Sprint(k), rapid.IntRange(1, 5).Draw(t, "length")
			build.Job(model.JobSpec{ID: id, Work: new(float64(length)), Tasks: 1, Processors: model.Moldable(1, processors)})
			first, last := borders.Draw(t, "first"), borders.Draw(t, "last")
			start := rapid.IntRange(0, 12).Draw(t, "start")
			sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Start: float64(start), End: float64(start + length),
				Processors: model.NewProcessorSet(model.Range{First: min(first, last), Last: max(first, last)})})
		}
		in, err := build.Build()
		if err != nil {
			t.Fatal(err)
		}
		got := reported(model.Check(in, sol), "overlap", func(v model.Violation) string { return v.Job })
		if want := newNaive(in, sol).overlaps(); !maps.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// A long job on one processor of each block of 64 (or of 4096) is not forgotten in any of them when a job takes all processors for a while.
func TestOverlapInEachBlockBehindAWholeOne(t *testing.T) {
	for _, processors := range []int{4096, 262144} {
		var each []int
		for k := range 64 {
			each = append(each, k*processors/64+k)
		}
		all := model.NewProcessorSet(model.Range{First: 0, Last: processors - 1})
		build := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: processors}}})
		sol := &model.Solution{}
		for _, p := range []model.Placement{
			{Job: "long", Cluster: "c", Processors: model.Processors(each...), Start: 0, End: 10}, {Job: "whole", Cluster: "c", Processors: all, Start: 1, End: 2},
			{Job: "free", Cluster: "c", Processors: model.Processors(each[40]+1, each[62]+1), Start: 5, End: 6}, {Job: "last", Cluster: "c", Processors: model.Processors(each[41]), Start: 6, End: 7},
		} {
			build.Job(model.JobSpec{ID: p.Job, Work: new(p.End - p.Start), Tasks: 1, Processors: model.Moldable(1, processors)})
			sol.Jobs = append(sol.Jobs, p)
		}
		in, err := build.Build()
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("overlap job whole cluster c resource 0 [1, 2): job long holds the processor until 10\n"+
			"overlap job last cluster c resource %d [6, 7): job long holds the processor until 10", each[41])
		if got := violations(model.Check(in, sol)); got != want {
			t.Errorf("%d: got\n%s\nwant\n%s", processors, got, want)
		}
	}
}

// Small needs beside one of 2⁵² do not vanish: each alone is less than the last digit of the sum.
func TestSmallNeedsOfMemoryAddUp(t *testing.T) {
	for small, want := range map[int]int{5: 0, 7: 0, 8: 1, 20: 1} { // 7·0.4 is at most the 2 that are left and the rounding of 1, 8·0.4 is more
		build := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 30, Memory: new(0x1p52 + 2)}}})
		sol := &model.Solution{Status: model.Feasible}
		for k := range small + 1 {
			need := 0.4
			if k == 0 {
				need = 0x1p52
			}
			id := fmt.Sprint(k)
			build.Job(model.JobSpec{ID: id, Work: new(1.0), Memory: need})
			sol.Jobs = append(sol.Jobs, placed(id, "c", id, 0, 1))
		}
		in, err := build.Build()
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, sol)
		if got := reported(report, "memory", func(v model.Violation) string { return v.Resource }); len(got) != want || len(report.Violations) != want {
			t.Errorf("%d small ones: %s", small, violations(report))
		}
	}
}

// Of very many machines, of which jobs touch few, memory is kept for those alone.
func TestMemoryOfFewOfManyMachines(t *testing.T) {
	build := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 70000, Processors: 2, Memory: new(1.0)}}})
	sol := &model.Solution{Status: model.Feasible}
	for _, p := range []model.Placement{
		placed("a", "c", "139998", 0, 2), placed("b", "c", "139999", 1, 3), placed("c", "c", "139998", 3, 4), placed("d", "c", "7", 0, 2), placed("e", "c", "6", 2, 3), placed("f", "c", "6", 0, 1),
		placed("g", "c", "8", 0, 1), placed("h", "c", "8", 1, 2), placed("i", "c", "9", 2, 3),
	} {
		build.Job(model.JobSpec{ID: p.Job, Work: new(p.End - p.Start), Memory: 0.6})
		sol.Jobs = append(sol.Jobs, p)
	}
	in, err := build.Build()
	if err != nil {
		t.Fatal(err)
	}
	want := "memory job f cluster c resource m[3] [0, 1): the tasks running there need 1.2, the machine has 1\n" +
		"memory job b cluster c resource m[69999] [1, 3): the tasks running there need 1.2, the machine has 1"
	if got := violations(model.Check(in, sol)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
