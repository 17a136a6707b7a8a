package titan

import (
	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/model"
)

// goal is the weights of the metrics of an objective that TITAN can minimise cluster by cluster while the jobs stay on their clusters.
type goal struct {
	mcp, idle, over, response, wait, makespan float64
	// worst says that the objective is the makespan of the slowest cluster, not a sum over the clusters.
	worst bool
}

// goalOf splits the objective of the instance into its metrics, and says whether it comes apart by cluster.
func goalOf(in *model.Instance) (g goal, ok bool) {
	for _, term := range in.ObjectiveTerms() {
		switch term.Metric {
		case "mcp":
			g.mcp = term.Weight
		case "idle_time":
			g.idle = term.Weight
		case "over_deadline":
			g.over = term.Weight
		case "mean_response":
			g.response = term.Weight
		case "mean_wait":
			g.wait = term.Weight
		case "makespan":
			g.makespan = term.Weight
		case "finished", "unfinished", "data_moved", "work_done": // the start decides them, as no deadline is hard
		default:
			if term.Weight != 0 {
				return g, false
			}
		}
	}
	if g.makespan != 0 && len(in.Clusters()) > 1 {
		alone := goal{makespan: g.makespan}
		if g != alone || g.makespan < 0 {
			return g, false
		}
		g.worst = true
	}
	return g, true
}

// load is what is left of earlier jobs on a cluster, or on all of them, when a batch begins.
type load struct {
	jobs int     // pieces that have not ended
	busy float64 // processor time
}

// held is the load that the holds of the instance leave on each cluster. It counts as MUSCLE counts it: what is left of a piece is a job that came
// with the batch.
func held(in *model.Instance) []load {
	loads := make([]load, len(in.Clusters()))
	for _, h := range in.Held() {
		for _, piece := range h.Pieces {
			if left := piece.End - max(h.Start, in.FirstArrival()); left > 0 {
				loads[piece.Cluster].jobs++
				loads[piece.Cluster].busy += left * float64(piece.Processors.Len())
			}
		}
	}
	return loads
}

// cost is the cluster's part of the objective as a function of the totals of its schedule. The jobs of the cluster are own, behind those that held
// counts; with them its busy time and the sum of the execution times are fixed. jobs is the number of jobs of all clusters, of the held ones too. What
// is decided already of a held job, how late it is and how long it waited, counts nowhere.
func (g goal) cost(c *model.Cluster, own []ga.Job, held load, jobs int) ga.Cost {
	busy, durations := held.busy, 0.0
	for k := range own {
		busy += float64(own[k].Size) * own[k].Duration
		durations += own[k].Duration
	}
	// CP (eq. 1) is linear: its value at a unit of one of its parts is the factor of that part. Idle time is processors ·
	// makespan − busy time.
	share, processors := g.mcp*float64(len(own)+held.jobs)/float64(jobs), float64(c.Processors)
	cp := func(idle, makespan, over float64) float64 {
		return share * model.ComprehensivePerformance(c.Weights, idle, makespan, over)
	}
	return ga.Cost{
		Constant: cp(-busy, 0, 0) - g.idle*busy - g.wait*durations/float64(jobs),
		Makespan: cp(processors, 1, 0) + g.idle*processors + g.makespan,
		Over:     cp(0, 0, 1) + g.over,
		Response: (g.response + g.wait) / float64(jobs),
	}
}

// combine is the part of the objective that depends on the schedules, from the costs of the clusters.
func (g goal) combine(costs []float64) float64 {
	sum, worst := 0.0, 0.0
	for _, cost := range costs {
		sum += cost
		worst = max(worst, cost)
	}
	if g.worst {
		return worst
	}
	return sum
}
