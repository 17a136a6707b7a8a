package proof

import (
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file says where a job can run, from what the instance states of jobs, machines and licences.

// last is one rounding of the last digit of a number: a machine has room for tasks if their memory, as an exact number, is at most (1 + last) times its own.
var last = new(big.Rat).SetFloat64(0x1p-52)

// room is the number of processors of one machine of the group that tasks of the job can hold at once.
func room(job *model.Job, m *model.Machine) int {
	if job.MinBandwidth > m.Bandwidth || slices.ContainsFunc(job.Licences, func(n model.Need) bool { return n.Copies > 0 && !m.Runs(n.Licence) }) {
		return 0
	}
	if job.Memory == 0 || math.IsInf(m.Memory, 1) || float64(m.Units)*job.Memory <= m.Memory {
		return m.Units // where the product is rounded down, it is so by less than the last digit of the memory
	}
	tasks := number(m.Memory)
	tasks.Add(tasks, new(big.Rat).Mul(tasks, last))
	tasks.Quo(tasks, number(job.Memory))
	whole := new(big.Int).Quo(tasks.Num(), tasks.Denom())
	if !whole.IsInt64() || whole.Int64() > int64(m.Units) {
		return m.Units
	}
	return int(whole.Int64())
}

// gives is the number of processors of each cluster that a job can hold at once, of all machines and of the best one. It is 0 on a cluster for which a job with
// run times states none, or if a pool that the job draws from there, the cluster's own before that of the grid, has too few copies.
func gives(in *model.Instance, j, c int) (all, best int) {
	job := &in.Jobs()[j]
	if math.IsNaN(in.Busy(j, c, 1, 1)) {
		return 0, 0
	}
	for _, need := range job.Licences {
		if copies, _ := in.Pool(c, need.Licence); copies < need.Copies {
			return 0, 0
		}
	}
	for g := range in.Clusters()[c].Machines {
		m := &in.Clusters()[c].Machines[g]
		n := room(job, m)
		all, best = all+n*m.Count, max(best, n)
	}
	return all, best
}

// alone lists on which clusters job j can run without processors of another. Where whole machines are given out it takes one.
func alone(in *model.Instance, j int) []bool {
	job := &in.Jobs()[j]
	can := make([]bool, len(in.Clusters()))
	for c := range can {
		all, best := gives(in, j, c)
		least := job.Min
		if in.Clusters()[c].WholeMachines {
			least = 1
		}
		if job.Span == model.SpanMachine {
			all = best
		}
		can[c] = all >= least
	}
	return can
}

// over lists of which clusters job j can hold processors as one of several: its span is the grid, each cluster runs at least one of its tasks, and the
// clusters together give the least number of processors. It is nil if the job cannot run so.
func over(in *model.Instance, j int) []bool {
	job := &in.Jobs()[j]
	if job.Span != model.SpanGrid || job.Max == 1 {
		return nil
	}
	all := make([]int, len(in.Clusters()))
	for c := range all {
		all[c], _ = gives(in, j, c)
	}
	most := make([]int, len(all)) // the clusters, that which gives most first
	for k := range most {
		most[k] = k
	}
	slices.SortFunc(most, func(a, b int) int { return all[b] - all[a] })
	can, any := make([]bool, len(all)), false
	before := make([]int, len(all)+1) // what the first clusters of that order give together
	for k, c := range most {
		before[k+1] = before[k] + all[c]
	}
	for k, c := range most {
		others := min(job.Tasks-1, len(all)-1) // no other runs a job of one task
		given := all[c] + before[others]
		if k < others { // the cluster itself is among them
			given = before[others+1]
		}
		can[c] = all[c] > 0 && given > all[c] && given >= job.Min
		any = any || can[c]
	}
	if !any {
		return nil
	}
	return can
}
