package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "asjs",
	Doc:    "Adaptive scoring: each job, in order of arrival, goes where the weighted sum of processing power and bandwidth is greatest. O(n·C·r).",
	Source: "R.-S. Chang, C.-Y. Lin, C.-F. Lin (2012), An adaptive scoring job scheduling algorithm for grid computing, Information Sciences 207, pp. 79–89, as Y. Hao (2016) uses it, KSII Trans. Internet Inf. Syst. 10(3), §4.1",
	Traces: true,
	New:    func() solve.Solver { return &ASJS{Wait: "off"} },
})

// ASJS is adaptive scoring job scheduling: each job, in order of arrival, goes to the cluster of the highest score
// q·bandwidth/highest bandwidth + (1 − q)·power/highest power among those that can run it and end it by a hard deadline; ties go to the first cluster. The
// power of a cluster is the sum of the speeds of its processors; its bandwidth is that of its fastest link.
//
// Source: R.-S. Chang, C.-Y. Lin, C.-F. Lin (2012), Information Sciences 207, pp. 79–89, as Y. Hao (2016) uses it, KSII Transactions on
// Internet and Information Systems 10(3), §4.1.
// Complexity: O(n·C·r) for n jobs, C clusters, r distinct release times.
//
// Deviations from the paper: a plan has no measured loads, so they do not update the scores; with the parameter wait the score is divided by
// 1 + wait instead. An unlimited bandwidth counts as the highest limited one. The weight of the bandwidth is the share of jobs with files; Hao's
// Table 1 prints the reverse, α = 0.3 for processing where data-intensive jobs are to computing-intensive ones as 3 to 7.
type ASJS struct {
	list.Machines
	Q    *float64 `range:"[0, 1]" zero:"share of jobs with files" doc:"weight of the bandwidth"`
	Wait string   `enum:"off,on" doc:"divide the score by 1 + the wait of the job"`
}

// Supports implements [solve.Solver].
func (a *ASJS) Supports(in *model.Instance) error { return list.Supports(in, a.Machines) }

// Solve implements [solve.Solver].
func (a *ASJS) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := params.Check(a); err != nil {
		return solve.Result{}, err
	}
	q := shareWithFiles(in)
	if a.Q != nil {
		q = *a.Q
	}
	scores := clusterScores(in, q)
	rule := list.Rule{Name: "highest score", Text: "its score is the highest", Score: "score", Highest: true}
	return list.InArrivalOrder(ctx, in, opt, rule.By(a.Machines), func(s *list.Schedule, job int) (plan.Slot, bool) {
		return list.Least(s, in, job, func(cluster int, slot plan.Slot) float64 {
			if a.Wait == "on" {
				return -scores[cluster] / (1 + slot.Start - in.Jobs()[job].Arrival)
			}
			return -scores[cluster]
		})
	})
}

// shareWithFiles is the share of data-intensive jobs.
func shareWithFiles(in *model.Instance) float64 {
	files := 0
	for k := range in.Jobs() {
		if j := &in.Jobs()[k]; j.Input+j.Output > 0 {
			files++
		}
	}
	return float64(files) / float64(max(1, len(in.Jobs())))
}

// clusterScores are the scores of the clusters with the weight q of the bandwidth.
func clusterScores(in *model.Instance, q float64) []float64 {
	power, link := make([]float64, len(in.Clusters())), make([]float64, len(in.Clusters()))
	most, fastest := 0.0, 0.0
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			power[c] += float64(m.Count*m.Units) * m.Speed
			link[c] = max(link[c], m.Bandwidth)
		}
		most = max(most, power[c])
		if !math.IsInf(link[c], 1) {
			fastest = max(fastest, link[c])
		}
	}
	for c := range power {
		power[c] = (1 - q) * power[c] / most
		if math.IsInf(link[c], 1) || fastest == 0 {
			power[c] += q
		} else {
			power[c] += q * link[c] / fastest
		}
	}
	return power
}
