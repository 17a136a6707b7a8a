package place

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Rule{
	Name:   "fgd",
	Doc:    "fragmentation gradient descent: the machine whose fragmentation grows least",
	Source: weng + `, §4.2, Algorithm 1`,
	New:    func(s *Site, _ uint64) Scorer { return &fgd{site: s, blocks: newBlocks(s)} },
})

// fgd prefers the machine, and there the device, on which the block adds least to the fragmentation of the devices. The fragmentation of machine n is what
// a block of the typical workload M cannot use of its free devices, in expectation:
//
//	F_n(M) = Σ_m p_m · F_n(m),
//
// where p_m is the popularity of kind m, R_g the free share of device g and D_m what m needs of each device:
//
//	F_n(m) = Σ_g R_g            if a block of m does not fit on n now, or needs no device,
//	F_n(m) = Σ_{g: R_g < D_m} R_g   otherwise.
//
// With Δ the growth of F_n(M), in devices, the score is −⌊100 · σ(−Δ)⌋ with σ(x) = 1/(1+e^−x). Rounding down matters much: machines are alike whose
// fragmentation grows nearly alike, and among these the first is chosen.
//
// The typical workload is made of the most popular kinds that together make up 95 % of the jobs that are known.
//
// Source: Weng et al. (2023), §3 (measure), §4.2 (Algorithm 1), and what their simulator computes: σ, rounding, 95 %.
// Memory is left out: kinds that differ in it alone are one, and a typical block fits whatever memory is free.
//
// Deviations: whether a typical block fits is asked of all else that the model knows. A device of a resource that m does not need is one that it cannot use.
//
// Complexity: O(kinds · devices) for each amount that a device of the machine has free, less what is kept: the fragmentation of machines that are alike is
// computed once.
type fgd struct {
	site       *Site
	blocks     *blocks
	typical    []Typical
	jobs       int // number of jobs of the typical kinds
	processors int // the most that a typical block needs
	kept       map[string]int64
	key        []byte
	now, then  trial
}

// typicalPercent is the share of the jobs that the typical workload makes up.
const typicalPercent = 95

func (r *fgd) Learn(known []Typical) {
	known = withoutMemory(known)
	slices.SortStableFunc(known, func(a, b Typical) int {
		return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Kind.Number, b.Kind.Number))
	})
	all := 0
	for _, t := range known {
		all += t.Jobs
	}
	r.typical, r.jobs, r.kept, r.processors = r.typical[:0], 0, map[string]int64{}, 0
	for _, t := range known {
		if 100*r.jobs >= typicalPercent*all {
			break
		}
		r.jobs += t.Jobs
		r.typical = append(r.typical, t)
		size := t.Kind.Size
		if t.Kind.Node.Exclusive {
			size = math.MaxInt
		}
		r.processors = max(r.processors, size)
	}
}

// withoutMemory puts kinds together that differ in memory alone. The one with the least stands for all.
func withoutMemory(known []Typical) (together []Typical) {
	of := map[*model.NodeNeeds]int{}
	for _, t := range known {
		k, ok := of[t.Kind.Node]
		if !ok {
			of[t.Kind.Node] = len(together)
			together = append(together, t)
			continue
		}
		if together[k].Jobs += t.Jobs; t.Kind.Memory < together[k].Kind.Memory {
			together[k].Kind = t.Kind
		}
	}
	return together
}

func (r *fgd) Score(f *Free, k *Kind) (float64, int) {
	if r.jobs == 0 {
		return 0, -1 // no job is known
	}
	b := r.blocks.on(k, f.Machine)
	r.now.load(r.site, f)
	before := r.fragmentation(&r.now, f.Machine)
	return chosen(r.site, f, k, func(free model.Amount) float64 {
		r.then.copyFrom(&r.now)
		r.then.put(b, k.Share, free)
		return gradient(r.fragmentation(&r.then, f.Machine)-before, r.jobs)
	})
}

// gradient is the score of a growth of the fragmentation, summed over a number of jobs.
func gradient(growth int64, jobs int) float64 {
	return -math.Floor(points / (1 + math.Exp(float64(growth)/float64(jobs)/float64(model.WholeAmount))))
}

// fragmentation is F_n(M), summed over the jobs: a whole number, so that equal ones are equal.
func (r *fgd) fragmentation(t *trial, m *Machine) int64 {
	r.key = t.key(r.key[:0], r.blocks.class(m), r.processors, 0)
	if kept, ok := r.kept[string(r.key)]; ok {
		return kept
	}
	all, total := sum(t.devices), int64(0)
	for _, typical := range r.typical {
		unusable := all
		if b := r.blocks.on(typical.Kind, m); b != nil && t.fitsWithoutMemory(b) {
			for _, need := range b.devices {
				for _, free := range t.devices[need.first:need.last] {
					if free >= need.each {
						unusable -= free
					}
				}
			}
		}
		total += int64(typical.Jobs) * int64(unusable)
	}
	r.kept[string(r.key)] = total
	return total
}
