package solvers

import (
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/sim/cheap"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name:   "flexible",
	Doc:    "Flexible backfilling, on line: EASY with the queue in order of priority (aging, deadline, licences, short jobs first), sorted again at each instant. O(q log q) an instant for q queued jobs.",
	Source: "D. G. Feitelson, L. Rudolph, U. Schwiegelshohn (2005), Parallel job scheduling: a status report, JSSPP 2004, doi:10.1007/11407522_1; the priorities are those of the local scheduler of the paper on two-level scheduling",

	Work: func(_ *model.Instance, s *solve.Size) float64 {
		return eachOnline(s, 2000)*s.Jobs + 3*s.Jobs*s.Queue*math.Log2(s.Queue+2)*generalPolicy(s)
	},
}, func() solve.Policy {
	return &Flexible{Step: 1, Priorities: backfill.DefaultPriorities(), Budget: cheap.DefaultBudget()}
})

// Flexible is EASY backfilling with the queue in order of priority, sorted again at each instant; ties in queue order. The
// priority, the one of a local scheduler in the paper on two-level scheduling, is a weighted sum of four scores: for the waiting time, a near
// deadline, scarce licences and a short run time.
//
// Complexity: see [backfill.Flexible].
//
// Deviations from the paper: it states no weights; those here are the specification's. A moldable job runs on its rigid maximum, and a job
// whose span is the grid may spread over clusters: package backfill states how.
type Flexible struct {
	Kill bool    `doc:"end a job at its estimate and leave it out of the schedule"`
	Step float64 `range:"(0, inf)" doc:"a job that has outlived its estimate is expected to end this time from now"`
	backfill.Priorities
	Queues
	place.Choice
	cheap.Budget
}

// Supports implements [solve.Policy].
func (s *Flexible) Supports(in *model.Instance) error {
	return supportsPlaced(in, backfillFeatures, s, s.Queues, s.Choice, &s.Budget)
}

// Kills implements [solve.Policy].
func (s *Flexible) Kills() bool { return s.Kill }

// Discipline implements [solve.Policy].
func (s *Flexible) Discipline() sim.Discipline {
	return placed(backfill.Flexible(s.Step, s.Priorities), s.Queues, s.Choice, &s.Budget)
}
