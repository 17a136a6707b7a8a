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
// a job stays on one cluster. Where machines are closed at times they refuse moldable jobs: their rigid maximum may count machines that are never open at
// the same time.
func supportsPlaced(in *model.Instance, honoured model.Features, rule place.Choice, budget *cheap.Budget) error {
	if err := budget.CheckTariff(in); err != nil {
		return fmt.Errorf("%w: %w", solve.ErrUnsupported, err)
	}
	honoured |= plan.NodeFeatures
	if rule.Place.OrFirst() != place.First {
		honoured &^= model.GridSpan
	}
	if in.Features().Has(model.ClosedTimes) {
		honoured &^= model.MoldableJobs
	}
	return solve.Unsupported(in, honoured)
}

// sleeping are the features of machines that sleep by a rule, where the policy can wake them: in a trace, where no job is killed, of which a schedule would not show that it kept
// a machine awake.
func sleeping(in *model.Instance, policy solve.Policy) model.Features {
	if rules := policy.Discipline(); policy.Kills() || !rules.IsPlain(in) {
		return 0
	}
	return model.SleepingMachines
}

// placed is the discipline under a rule that chooses among machines, with a budget for cheaper starts.
func placed(d sim.Discipline, rule place.Choice, budget *cheap.Budget) sim.Discipline {
	d.Place = rule.Place
	if budget.PriceBudget != "" {
		d.Defer = budget.Deferral
	}
	return d
}
