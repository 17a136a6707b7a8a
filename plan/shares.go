package plan

import (
	"math"

	"github.com/allot-opt/allot/model"
)

// PathShares returns X_i/ΣX for each task: the work of the task divided by the work of the heaviest path from it to an end, including the
// task (eqs. 19 and 20 of Y. Patel, J. Darlington (2006), doi:10.1145/1186675.1186678). The task may use this share of the remaining time
// and budget of the workflow. In the order, each task stands before its successors. If a path has no work, the task has the whole share.
//
// Complexity: O(tasks + edges).
func PathShares(work []float64, successors [][]int, order []int) []float64 {
	path, shares := make([]float64, len(work)), make([]float64, len(work))
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		for _, next := range successors[i] {
			path[i] = max(path[i], path[next])
		}
		if path[i] += work[i]; path[i] > 0 {
			shares[i] = work[i] / path[i]
		} else {
			shares[i] = 1
		}
	}
	return shares
}

// WorkflowShares returns for each job the share of the remaining time and budget of its workflow that the job may use; NaN for a job without
// a workflow. It reads the shares from the deadlines of the workflow and the jobs: a job with deadline b that depends on jobs with deadline
// a gets (b − a)/(D − a) of the time until D, the deadline of the workflow; a is the job's arrival if it depends on no job. So an instance
// can express that a workflow might take a worse branch than the one it takes. If the deadlines do not state the share, it is that of
// [PathShares], from the known works with k standard deviations.
//
// Complexity: O(jobs + precedences).
func WorkflowShares(in *model.Instance) []float64 {
	known := in.Known()
	work, successors := make([]float64, len(in.Jobs())), make([][]int, len(in.Jobs()))
	for j := range work {
		job := &known.Jobs()[j]
		work[j] = job.TotalWork() * (1 + in.Queueing().K*job.WorkCV)
		for _, next := range in.Successors(j) {
			if in.Jobs()[next].Workflow == job.Workflow {
				successors[j] = append(successors[j], next)
			}
		}
	}
	shares := PathShares(work, successors, ArrivalOrder(in))
	for j := range shares {
		if in.Jobs()[j].Workflow < 0 {
			shares[j] = math.NaN()
		} else if share := statedShare(in, j); share > 0 {
			shares[j] = share
		}
	}
	return shares
}

// statedShare is the share by the deadlines; 0: they do not tell.
func statedShare(in *model.Instance, j int) float64 {
	job := &in.Jobs()[j]
	whole, from, waits := in.Workflows()[job.Workflow].Deadline, job.Arrival, false
	for _, before := range job.After {
		if b := &in.Jobs()[before]; b.Workflow == job.Workflow {
			if !waits {
				from, waits = 0, true
			}
			from = max(from, b.Deadline)
		}
	}
	const rounding = 1e-9
	switch share := (job.Deadline - from) / (whole - from); {
	case math.IsInf(whole, 1) || !job.HasDeadline() || !(whole > from):
		return 0
	case share > 0 && share <= 1+rounding:
		return min(share, 1)
	}
	return 0
}
