package solvers

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/sim/cheap"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name:   "easy",
	Doc:    "EASY backfilling, on line: a job may overtake others if, by the estimates, it does not delay the first waiting job. O(log n + s) an instant for n queued jobs of s sizes on one cluster of equal processors.",
	Source: "D. A. Lifka (1995), The ANL/IBM SP scheduling system, JSSPP, LNCS 949, doi:10.1007/3-540-60153-8_35; A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708",

	Work: func(_ *model.Instance, s *solve.Size) float64 {
		return s.Jobs * (eachOnline(s, 1500) + 2*s.Queue*(generalPolicy(s)-1))
	},
}, func() solve.Policy {
	return &EASY{Step: 1, Depth: 1, Ranking: backfill.DefaultRanking(), Budget: cheap.DefaultBudget()}
})

// EASY is EASY backfilling as an on-line policy; package backfill states the rules. Estimates alone decide; a job that outlives its estimate
// counts as ending one step from now.
//
// Sources: D. A. Lifka (1995), The ANL/IBM SP scheduling system, JSSPP, LNCS 949, doi:10.1007/3-540-60153-8_35; A. W.
// Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708. Complexity: see
// [backfill.EASY].
//
// Deviations from the sources: several clusters, memory, licences and hard deadlines; more than one reservation, and other orders of the
// queue. A moldable job runs on its rigid maximum, and a job whose span is the grid may spread over clusters: package backfill states how. With
// more than one reservation both are refused: the reservations of the jobs behind the first are for one cluster and for the fewest processors of a job.
type EASY struct {
	Kill  bool    `doc:"end a job at its estimate and leave it out of the schedule"`
	Step  float64 `range:"(0, inf)" doc:"a job that has outlived its estimate is expected to end this time from now"`
	Depth int     `range:"[1, 1000000000]" vary:"[1, 256] log" doc:"number of blocked jobs at the head of the queue that get a reservation; 1: EASY; the number of jobs: conservative backfilling that plans afresh at each instant; above 1 the solver refuses moldable jobs and jobs that must spread"`
	backfill.Ranking
	Queues
	place.Choice
	cheap.Budget
}

// Supports implements [solve.Policy].
func (s *EASY) Supports(in *model.Instance) error {
	if err := checkOrder(s.Ranking, in); err != nil {
		return err
	}
	if s.Depth > 1 {
		return supportsPlaced(in, clusterFeatures&^model.MoldableJobs, s, s.Queues, s.Choice, &s.Budget)
	}
	return supportsPlaced(in, backfillFeatures, s, s.Queues, s.Choice, &s.Budget)
}

// Kills implements [solve.Policy].
func (s *EASY) Kills() bool { return s.Kill }

// Discipline implements [solve.Policy].
func (s *EASY) Discipline() sim.Discipline {
	return placed(ordered(s.Ranking, func(r backfill.Ranking) sim.Discipline { return backfill.EASY(s.Step, s.Depth, r) }), s.Queues, s.Choice, &s.Budget)
}

// eachOnline is about how long an on-line policy takes for a job that need not wait, in ns: in its quick form the given time.
func eachOnline(s *solve.Size, quick float64) float64 {
	if s.Trace {
		return quick
	}
	return 4000
}

// generalPolicy is how many times as long a policy takes for a job as it does in its quick form, in estimates of work.
func generalPolicy(s *solve.Size) float64 {
	if s.Trace {
		return 1
	}
	return 8
}
