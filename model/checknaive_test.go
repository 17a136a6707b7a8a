package model_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/modeltest"
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

// during says whether the part still runs at the time, by more than a duration may differ by.
func (p naivePart) during(time float64) bool {
	return p.start <= time && p.end-time > 1e-9*(p.end-p.start)+1e-12
}

// overlaps names the jobs that start while another holds one of their processors.
func (n naive) overlaps() map[string]bool {
	found := map[string]bool{}
	order := slices.Clone(n.parts)
	slices.SortStableFunc(order, func(a, b naivePart) int { return cmp.Compare(a.start, b.start) })
	for k, b := range order {
		for _, a := range order[:k] {
			for _, p := range a.processors {
				if a.cluster == b.cluster && b.end > b.start && a.during(b.start) && slices.Contains(b.processors, p) {
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
			held := map[string]float64{}
			for _, p := range n.parts {
				alone := p.end == p.start && p.job == at.job && slices.Equal(p.processors, at.processors) // holds nothing, but has to fit
				if p.cluster != c || !p.during(at.start) && !alone || alone != (at.end == at.start) {
					continue
				}
				for _, q := range p.processors {
					held[names[q]] += n.in.Jobs()[p.job].Memory
					if held[names[q]] > memory[q]*(1+1e-9) {
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
		return drawn{in, modeltest.Solution(t, in)}
	})
}

// drawn is an instance and a schedule of it.
type drawn struct {
	in  *model.Instance
	sol *model.Solution
}

var (
	narrow = schedules(modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 12, Clusters: 2})
	wide   = schedules(modeltest.Generator{Features: modeltest.AllFeatures, Clusters: 1, Jobs: 8, Processors: 100})
)

func TestResourceChecksAgreeWithNaiveOnes(t *testing.T) { rapid.Check(t, compareWithNaive(narrow)) }

func TestResourceChecksOfWideJobsAgreeWithNaiveOnes(t *testing.T) {
	rapid.Check(t, compareWithNaive(wide))
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
		compare("overlaps", reported(report, model.CodeOverlap, func(v model.Violation) string { return v.Job }), n.overlaps())
		compare("memory", reported(report, model.CodeMemory, func(v model.Violation) string { return v.Cluster + "/" + v.Resource }), n.memory())
		compare("licences", reported(report, model.CodeLicence, func(v model.Violation) string {
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
	for _, schedules := range []*rapid.Generator[drawn]{narrow, wide} {
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

// Runs of processors that begin and end about the borders of blocks of 64, which are checked as one where they have one holder.
func TestOverlapsAtTheBordersOfBlocks(t *testing.T) {
	borders := rapid.SampledFrom([]int{0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 191, 192, 193, 199})
	rapid.Check(t, func(t *rapid.T) {
		build := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 200}}})
		sol := &model.Solution{}
		for k := range rapid.IntRange(2, 12).Draw(t, "jobs") {
			id, length := fmt.Sprint(k), rapid.IntRange(1, 5).Draw(t, "length")
			build.Job(model.JobSpec{ID: id, Work: new(float64(length)), Tasks: 1, Processors: model.Moldable(1, 200)})
			first, last := borders.Draw(t, "first"), borders.Draw(t, "last")
			start := rapid.IntRange(0, 12).Draw(t, "start")
			sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Start: float64(start), End: float64(start + length),
				Processors: model.NewProcessorSet(model.Range{First: min(first, last), Last: max(first, last)})})
		}
		in, err := build.Build()
		if err != nil {
			t.Fatal(err)
		}
		got := reported(model.Check(in, sol), model.CodeOverlap, func(v model.Violation) string { return v.Job })
		if want := newNaive(in, sol).overlaps(); !maps.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
