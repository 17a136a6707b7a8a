package solvers

import (
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/cheap"
	"github.com/allot-opt/allot/solve"
)

// clusterFeatures are the features that the backfilling policies honour which keep a job on one cluster. They refuse jobs that must spread, as these fit none,
// and processors that earlier jobs hold, as a simulation begins with an empty system.
const clusterFeatures = model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds | model.ParallelJobs |
	model.MoldableJobs | model.UnrelatedTimes | model.RestrictedTimes | model.MixedMachines | model.MachineSpan | model.BackgroundLoad

// backfillFeatures are the features that the other backfilling policies honour.
const backfillFeatures = clusterFeatures | model.GridSpan

// supportsPlaced refuses what the policies do not honour, which is the features given and those of single machines. Where a rule chooses among machines
// a job stays on one cluster, and so it does where partitions have queues of their own and under power caps. Where machines are closed at times they refuse moldable jobs: their rigid maximum may count machines that are never open at
// the same time.
func supportsPlaced(in *model.Instance, honoured model.Features, policy solve.Policy, queues Queues, rule place.Choice, budget *cheap.Budget) error {
	if err := budget.CheckTariff(in); err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	honoured |= plan.NodeFeatures
	if rule.Place.OrFirst() != place.First || queues.apart() && len(in.Partitions()) > 1 || in.Features().Has(model.PowerCaps) {
		honoured &^= model.GridSpan
	}
	if in.Features().Has(model.ClosedTimes) {
		honoured &^= model.MoldableJobs
	}
	return supportsPower(in, honoured, policy)
}

// supportsPower refuses what the policy does not honour: all but the features given, power caps and machines that sleep by a rule, and of these what no policy can keep to. A schedule does not
// show that a job that was ended at its estimate or its hard deadline kept a machine awake, so where machines sleep no job may be.
func supportsPower(in *model.Instance, honoured model.Features, policy solve.Policy) error {
	honoured |= model.PowerCaps
	if !policy.Kills() {
		honoured |= model.SleepingMachines
	}
	if in.Features().Has(model.SleepingMachines) {
		honoured &^= model.HardDeadlines
	}
	if err := solve.Unsupported(in, honoured); err != nil {
		return err
	}
	if err := sim.CheckPower(in, policy.Kills()); err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// Queues is the parameter of policies that serve a queue for each partition.
type Queues struct {
	Queues string `enum:"partition,one" zero:"partition" doc:"which jobs wait in one queue: those of each partition that the instance states, or all; queues that share no machine and no licence do not delay each other"`
}

// apart says whether partitions have queues of their own.
func (q Queues) apart() bool { return q.Queues != "one" }

// placed is the discipline with its queues, under a rule that chooses among machines, with a budget for cheaper starts.
func placed(d sim.Discipline, queues Queues, rule place.Choice, budget *cheap.Budget) sim.Discipline {
	d.Place, d.ByQueue = rule.Place, d.ByQueue && queues.apart()
	if budget.PriceBudget != "" {
		d.Defer = budget.Deferral
	}
	return d
}
