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
	Name:   "fcfs",
	Doc:    "First come, first served, on line: no job starts before those ahead of it in the queue. O(log n) a job on one cluster of equal processors.",
	Source: "A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708, §1",
}, func() solve.Policy {
	return &FCFS{Ranking: backfill.DefaultRanking(), Budget: cheap.DefaultBudget()}
})

// FCFS is first come, first served as an on-line policy: heads of the queue start while they fit, on the cluster where they
// end first by their estimates. Another order of the queue makes it a list policy without backfilling. A moldable job runs on its rigid
// maximum, and a job whose span is the grid may spread over clusters: package backfill states how.
//
// Source: A. W. Mu'alem, D. G. Feitelson (2001), IEEE Trans. Parallel Distrib. Syst. 12(6), doi:10.1109/71.932708,
// §1. Complexity: O(log n) a job for n jobs on one cluster of equal processors, else O(C·m) an instant for C clusters of m machines.
type FCFS struct {
	Kill bool `doc:"end a job at its estimate and leave it out of the schedule"`
	backfill.Ranking
	Queues
	place.Choice
	cheap.Budget
}

// Supports implements [solve.Policy].
func (s *FCFS) Supports(in *model.Instance) error {
	if err := checkOrder(s.Ranking, in); err != nil {
		return err
	}
	return supportsPlaced(in, backfillFeatures, s, s.Queues, s.Choice, &s.Budget)
}

// Kills implements [solve.Policy].
func (s *FCFS) Kills() bool { return s.Kill }

// Discipline implements [solve.Policy].
func (s *FCFS) Discipline() sim.Discipline {
	return placed(ordered(s.Ranking, backfill.FCFS), s.Queues, s.Choice, &s.Budget)
}
