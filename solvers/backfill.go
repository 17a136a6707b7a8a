package solvers

import (
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/sim/cheap"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name:   "backfill",
	Doc:    "Backfilling as Slurm plans it, on line: in cycles, on whole machines, with what one cycle may look at limited. Machines count one by one. O(q·p) a cycle for q jobs that it looks at and a plan of p steps.",
	Source: "Slurm 22.05, sched/backfill and select/cons_tres; https://slurm.schedmd.com/sched_config.html",
}, func() solve.Policy {
	return &Backfill{Step: 1, Cycles: backfill.DefaultCycles(), Ranking: backfill.DefaultRanking(), Budget: cheap.DefaultBudget()}
})

// Backfill plans as Slurm does with sched/backfill; [backfill.Slurm] states the rules, the source, the deviations and the complexity.
type Backfill struct {
	Kill bool    `doc:"end a job at its estimate and leave it out of the schedule"`
	Step float64 `range:"(0, inf)" doc:"a job that has outlived its estimate is expected to end this time from now"`
	backfill.Cycles
	backfill.Ranking
	place.Choice
	cheap.Budget
}

// mostNodes is the largest number of nodes that Slurm takes, MAX_SLURM_NODES.
const mostNodes = 65_533

// Supports implements [solve.Policy].
func (s *Backfill) Supports(in *model.Instance) error {
	if err := checkOrder(s.Ranking, in); err != nil {
		return err
	}
	machines := 0
	for c := range in.Clusters() {
		for m := range in.Clusters()[c].Machines {
			machines += in.Clusters()[c].Machines[m].Count
		}
	}
	if machines > mostNodes {
		return fmt.Errorf("%w: %d machines, as it takes at most %d", solve.ErrUnsupported, machines, mostNodes)
	}
	return supportsPlaced(in, clusterFeatures, s, Queues{Queues: "one"}, s.Choice, &s.Budget)
}

// Kills implements [solve.Policy].
func (s *Backfill) Kills() bool { return s.Kill }

// Discipline implements [solve.Policy].
func (s *Backfill) Discipline() sim.Discipline {
	return placed(ordered(s.Ranking, func(r backfill.Ranking) sim.Discipline { return backfill.Slurm(s.Step, s.Cycles, r) }), Queues{Queues: "one"}, s.Choice, &s.Budget)
}
