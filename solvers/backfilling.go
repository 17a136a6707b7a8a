package solvers

import "github.com/allot-opt/allot/model"

// clusterFeatures are the features that the backfilling policies honour which keep a job on one cluster. They refuse jobs that must spread, as these fit none,
// and processors that earlier jobs hold, as a simulation begins with an empty system.
const clusterFeatures = model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds | model.ParallelJobs |
	model.MoldableJobs | model.UnrelatedTimes | model.RestrictedTimes | model.MixedMachines | model.MachineSpan | model.BackgroundLoad

// backfillFeatures are the features that the other backfilling policies honour.
const backfillFeatures = clusterFeatures | model.GridSpan
