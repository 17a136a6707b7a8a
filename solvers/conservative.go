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
	Name:   "conservative",
	Doc:    "Conservative backfilling, on line: every queued job has a reservation, which moves forward when a job ends early. O(q·p) an early end for q queued jobs and a plan of p steps.",
	Source: "A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708, §2",

	// Each early end moves the reservations of all jobs that wait.
	Work: func(_ *model.Instance, s *solve.Size) float64 {
		return eachOnline(s, 2000)*s.Jobs + 30*s.Jobs*s.Queue*(10+s.Steps)*generalPolicy(s)
	},
	AutoIf: func(in *model.Instance) bool { return !in.Features().Has(model.MoldableJobs) }, // it gives them the fewest processors
}, func() solve.Policy {
	return &Conservative{Step: 1, Ranking: backfill.DefaultRanking(), Budget: cheap.DefaultBudget()}
})

// Conservative is conservative backfilling as an on-line policy; package backfill states the rules.
//
// Source: A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708,
// §2. Complexity: see [backfill.Conservative].
//
// Deviations from the source: several clusters, memory, licences and hard deadlines; jobs may outlive their estimates; a moldable job gets the fewest
// processors that it may hold; on request a limit on the queued jobs that hold reservations, see [backfill.ConservativeUpTo].
type Conservative struct {
	Kill         bool    `doc:"end a job at its estimate and leave it out of the schedule"`
	Step         float64 `range:"(0, inf)" doc:"a job that has outlived its estimate is expected to end this time from now"`
	Reservations *int    `range:"[1, 1000000000]" zero:"none" doc:"most queued jobs that hold a reservation, the first of the queue; those behind them are not looked at, as with Slurm's bf_max_job_test"`
	backfill.Ranking
	Queues
	place.Choice
	cheap.Budget
}

// Supports implements [solve.Policy].
func (s *Conservative) Supports(in *model.Instance) error {
	if err := checkOrder(s.Ranking, in); err != nil {
		return err
	}
	return supportsPlaced(in, clusterFeatures, s, s.Queues, s.Choice, &s.Budget)
}

// Kills implements [solve.Policy].
func (s *Conservative) Kills() bool { return s.Kill }

// Discipline implements [solve.Policy].
func (s *Conservative) Discipline() sim.Discipline {
	if s.Reservations == nil {
		return placed(ordered(s.Ranking, func(r backfill.Ranking) sim.Discipline { return backfill.Conservative(s.Step, r) }), s.Queues, s.Choice, &s.Budget)
	}
	return placed(ordered(s.Ranking, func(r backfill.Ranking) sim.Discipline { return backfill.ConservativeUpTo(*s.Reservations, s.Step, r) }), s.Queues, s.Choice, &s.Budget)
}
