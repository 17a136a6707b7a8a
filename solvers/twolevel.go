package solvers

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/twolevel"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name:   "twolevel",
	Doc:    "Two-level scheduler of a grid, on line: a meta-scheduler classifies each job by deadline, licences and user and sends it to the cluster with the least load of its class or a higher class. There it starts by flexible backfilling. O(k·m + n) an event for n queued jobs of k kinds on m machines of the cluster, with a small factor for n.",
	Source: "M. Pasquali, R. Baraglia, G. Capannini, L. Ricci, D. Laforenza (2011), A multi-level scheduler for batch jobs on grids, J. Supercomputing 57(1), doi:10.1007/s11227-011-0571-y",
}, func() solve.Policy { return &TwoLevel{Options: twolevel.Defaults()} })

// TwoLevel is the two-level scheduler as an on-line policy; package twolevel states the rules, the source and the deviations from it.
// Machines are chosen by speed, the fastest that is free first. A moldable job runs on its rigid maximum, see package backfill.
//
// Complexity: see [twolevel.New].
type TwoLevel struct {
	Kill bool `doc:"end a job at its estimate and leave it out of the schedule"`
	twolevel.Options
}

// Supports implements [solve.Policy].
func (s *TwoLevel) Supports(in *model.Instance) error { return supportsPower(in, clusterFeatures, s) }

// Kills implements [solve.Policy].
func (s *TwoLevel) Kills() bool { return s.Kill }

// Discipline implements [solve.Policy].
func (s *TwoLevel) Discipline() sim.Discipline { return twolevel.New(s.Options) }
