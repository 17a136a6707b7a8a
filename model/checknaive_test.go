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

// during says that the part still runs at the time, by more than a duration may differ by.
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
				if p.cluster != c || !p.during(at.start) {
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
					if size, draws := n.draws(job, l, pool); draws && whole.during(sol.Jobs[k].Start) {
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

func TestResourceChecksAgreeWithNaiveOnes(t *testing.T) {
	compareWithNaive(t, modeltest.Generator{Features: modeltest.AllFeatures, Jobs: 12, Clusters: 2})
}

// Hundreds of processors: those of a block with one holder are checked as one.
func TestResourceChecksOfWideJobsAgreeWithNaiveOnes(t *testing.T) {
	compareWithNaive(t, modeltest.Generator{Features: modeltest.AllFeatures, Clusters: 1, Jobs: 8, Processors: 100})
}

// compareWithNaive compares the checks on random schedules, and demands that each kind of violation occurred.
func compareWithNaive(t *testing.T, g modeltest.Generator) {
	overlapping, full, drained := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := g.Instance(t)
		sol := modeltest.Solution(t, in)
		report, n := model.Check(in, sol), newNaive(in, sol)
		compare := func(what string, got, want map[string]bool) {
			if !maps.Equal(got, want) {
				t.Fatalf("%s: got %v, want %v", what, got, want)
			}
		}
		overlaps, memory, licences := n.overlaps(), n.memory(), n.licences(sol)
		compare("overlaps", reported(report, model.CodeOverlap, func(v model.Violation) string { return v.Job }), overlaps)
		compare("memory", reported(report, model.CodeMemory, func(v model.Violation) string { return v.Cluster + "/" + v.Resource }), memory)
		pools := reported(report, model.CodeLicence, func(v model.Violation) string {
			pool := -1
			if c, ok := in.ClusterIndex(v.Cluster); ok {
				pool = c
			}
			return fmt.Sprintf("%s/%d", v.Resource, pool)
		})
		compare("licences", pools, licences)
		overlapping, full, drained = overlapping+len(overlaps), full+len(memory), drained+len(licences)
	})
	if overlapping == 0 || full == 0 || drained == 0 {
		t.Errorf("the schedules showed %d overlaps, %d full machines and %d empty pools", overlapping, full, drained)
	}
}
