package titan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// newEvolution reads the start. Both results are nil where the context ends first.
func newEvolution(ctx context.Context, in *model.Instance, p ga.Parameters, opt solve.Options) (*evolution, error) {
	run := &evolution{in: in, opt: opt, parameters: p, held: held(in), counted: len(opt.Start.Jobs)}
	for _, load := range run.held {
		run.counted += load.jobs
	}
	run.goal, _ = goalOf(in)
	kept, err := run.inPieces()
	if err != nil {
		return nil, err
	}
	byCluster := make([][]int, len(in.Clusters()))
	jobs := make([]int, len(opt.Start.Jobs))
	seen := make([]bool, len(in.Jobs()))
	for k := range opt.Start.Jobs {
		if k%256 == 0 && ctx.Err() != nil {
			return nil, nil
		}
		if len(opt.Start.Jobs[k].Pieces) > 0 {
			continue
		}
		job, cluster, err := run.locate(&opt.Start.Jobs[k])
		if err != nil {
			return nil, err
		}
		if seen[job] {
			return nil, fmt.Errorf("the start places job %s twice", in.Jobs()[job].ID)
		}
		seen[job], jobs[k] = true, job
		byCluster[cluster] = append(byCluster[cluster], k)
	}
	for index, from := range byCluster {
		if ctx.Err() != nil {
			return nil, nil
		}
		if len(from) > 0 && !kept[index] {
			c, err := run.cluster(index, from, jobs)
			if err != nil {
				return nil, err
			}
			run.clusters = append(run.clusters, c)
		}
	}
	run.shareEvaluations()
	return run, run.priceStart(kept)
}

// inPieces says on which clusters the start has jobs in pieces. The coding has no pieces, so these clusters stay as they are.
func (run *evolution) inPieces() (kept []bool, err error) {
	kept = make([]bool, len(run.in.Clusters()))
	for k := range run.opt.Start.Jobs {
		for _, piece := range run.opt.Start.Jobs[k].Pieces {
			c, known := run.in.ClusterIndex(piece.Cluster)
			if !known {
				return nil, fmt.Errorf("the start places job %s on %q, which the instance does not have", run.opt.Start.Jobs[k].Job, piece.Cluster)
			}
			kept[c] = true
		}
	}
	return kept, nil
}

// locate looks up the job and the cluster of a placement, and says why it cannot be part of a seed schedule.
func (run *evolution) locate(p *model.Placement) (job, cluster int, err error) {
	job, known := run.in.JobIndex(p.Job)
	if !known {
		return 0, 0, fmt.Errorf("the start places job %q, which the instance does not have", p.Job)
	}
	cluster, known = run.in.ClusterIndex(p.Cluster)
	if !known || !run.in.CanRun(job, cluster) {
		return 0, 0, fmt.Errorf("the start places job %s on %q, where it cannot run", p.Job, p.Cluster)
	}
	size, _ := run.in.Width(job, cluster)
	fits, last := p.Processors.Len() == size, -1
	for _, r := range p.Processors {
		fits = fits && last < r.First && r.First <= r.Last && r.Last < run.in.Clusters()[cluster].Processors
		last = r.Last
	}
	if !fits {
		return 0, 0, fmt.Errorf("the start places job %s, which needs %d processors of %s, on %s", p.Job, size, p.Cluster, p.Processors)
	}
	if !(p.Start >= 0 && p.Start <= p.End && p.End <= math.MaxFloat64) {
		return 0, 0, fmt.Errorf("the start places job %s from %v to %v", p.Job, p.Start, p.End)
	}
	return job, cluster, nil
}

// sortByStart sorts the places of placements by their starts. Of jobs with the same start a job of no time comes first.
func sortByStart(placements []model.Placement, places []int) {
	slices.SortFunc(places, func(a, b int) int {
		p, q := &placements[a], &placements[b]
		return cmp.Or(cmp.Compare(p.Start, q.Start), cmp.Compare(p.End, q.End), cmp.Compare(a, b))
	})
}

// cluster makes the problem and the seed schedule of a cluster from its placements in the start: from lists their places there, and
// jobs[p] is the job of placement p.
func (run *evolution) cluster(index int, from, jobs []int) (cluster, error) {
	placements, processors := run.opt.Start.Jobs, run.in.Clusters()[index].Processors
	sortByStart(placements, from)
	c := cluster{index: index, from: from, jobs: make([]int, len(from))}
	c.problem = ga.Cluster{Processors: processors, Origin: run.in.FirstArrival(), Released: run.in.HeldUntil(index), Jobs: make([]ga.Job, len(from))}
	c.seed.Order = make([]int32, len(from))
	words := ga.Words(processors)
	if run.parameters.Coding == ga.Mask {
		if float64(2*8*run.parameters.Population)*float64(len(from))*float64(words) > maskMemory {
			return c, fmt.Errorf("%w: mask coding of %d jobs on %d processors: use the list coding", solve.ErrUnsupported, len(from), processors)
		}
		c.seed.Masks = make([]uint64, len(from)*words)
	}
	for k, at := range from {
		id := jobs[at]
		size, _ := run.in.Width(id, index)
		j := &run.in.Jobs()[id]
		c.jobs[k], c.seed.Order[k] = id, int32(k)
		c.problem.Jobs[k] = ga.Job{Size: size, Duration: run.in.DurationOn(id, index, size), Arrival: j.Arrival, Deadline: j.Deadline}
		if c.seed.Masks != nil {
			fillMask(c.seed.Masks[k*words:(k+1)*words], placements[at].Processors)
		}
	}
	c.problem.Cost = run.goal.cost(&run.in.Clusters()[index], c.problem.Jobs, run.held[index], run.counted)
	return c, nil
}

// shareEvaluations shares the limit among the clusters in proportion to their jobs.
func (run *evolution) shareEvaluations() {
	if run.opt.MaxEvals <= 0 {
		return
	}
	all := uint64(len(run.opt.Start.Jobs))
	upTo := func(jobs int) int64 { // the share of the first jobs, without an overflow
		high, low := bits.Mul64(uint64(run.opt.MaxEvals), uint64(jobs))
		share, _ := bits.Div64(high, low, all)
		return int64(share)
	}
	before := 0
	for k := range run.clusters {
		after := before + len(run.clusters[k].jobs)
		run.clusters[k].limit = upTo(after) - upTo(before)
		before = after
	}
}

// priceStart computes the costs of the start; kept are the clusters that stay as they are.
func (run *evolution) priceStart(kept []bool) error {
	for k := range run.clusters {
		c := &run.clusters[k]
		var totals ga.Totals
		for _, at := range c.problem.Released {
			totals.Makespan = max(totals.Makespan, at-c.problem.Origin)
		}
		for n, at := range c.from {
			end := run.opt.Start.Jobs[at].End
			j := &c.problem.Jobs[n]
			totals.Makespan = max(totals.Makespan, end-c.problem.Origin)
			totals.Over += max(0, end-j.Deadline)
			totals.Response += end - j.Arrival
		}
		c.cost = c.problem.Cost.Of(totals)
		run.costs = append(run.costs, c.cost)
	}
	if run.goal.worst && slices.Contains(kept, true) {
		run.costs = append(run.costs, run.goal.makespan*run.lastEnd(kept))
	}
	if run.opt.Progress == nil {
		return nil // only the progress tells the whole objective
	}
	value, err := model.EvaluateObjective(run.in, run.opt.Start)
	if err != nil {
		return fmt.Errorf("the start: %w", err)
	}
	run.offset = value - run.goal.combine(run.costs)
	return nil
}

// lastEnd is the last end on the clusters, from the earliest arrival.
func (run *evolution) lastEnd(clusters []bool) float64 {
	last := 0.0
	for k := range run.opt.Start.Jobs {
		run.opt.Start.Jobs[k].Parts(1, func(piece model.Piece) {
			if c, known := run.in.ClusterIndex(piece.Cluster); known && clusters[c] {
				last = max(last, piece.End-run.in.FirstArrival())
			}
		})
	}
	return last
}

// fillMask puts the processors into a mask.
func fillMask(mask []uint64, set model.ProcessorSet) {
	for _, r := range set {
		for p := r.First; p <= r.Last; p++ {
			mask[p/64] |= 1 << (p % 64)
		}
	}
}

// maskSet is the set of the processors in a mask.
func maskSet(mask []uint64) model.ProcessorSet {
	var set model.ProcessorSet
	for w, word := range mask {
		for ; word != 0; word &= word - 1 {
			p := w*64 + bits.TrailingZeros64(word)
			if n := len(set); n > 0 && set[n-1].Last == p-1 {
				set[n-1].Last = p
			} else {
				set = append(set, model.Range{First: p, Last: p})
			}
		}
	}
	return set
}
