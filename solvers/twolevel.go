package solvers

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
	"github.com/allot-opt/allot/sim/twolevel"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name:   "twolevel",
	Doc:    "Two-level scheduler of a grid, on line: a meta-scheduler classifies each job by deadline, licences and user and sends it to the cluster with the least load of its class or a higher class. There it starts by flexible backfilling. O(k·m + n) an event for n queued jobs of k kinds on m machines of the cluster, with a small factor for n.",
	Source: "M. Pasquali, R. Baraglia, G. Capannini, L. Ricci, D. Laforenza (2011), A multi-level scheduler for batch jobs on grids, J. Supercomputing 57(1), doi:10.1007/s11227-011-0571-y",
}, func() solve.Policy { return NewTwoLevel() })

// TwoLevel is the two-level scheduler as an on-line policy; package twolevel states the rules, the source and the deviations from it.
// Machines are chosen by speed, the fastest that is free first. A moldable job runs on its rigid maximum, see package backfill.
//
// Complexity: see [twolevel.New].
type TwoLevel struct {
	Heuristics string  `enum:"ms,ls,none" doc:"order of the local queues: ms, by the meta-scheduler's priority; ls, by a priority that changes with time; none, by arrival, and the meta-scheduler gives all jobs the same priority"`
	Kill       bool    `doc:"end a job at its estimate and leave it out of the schedule"`
	Step       float64 `range:"(0, inf)" doc:"a job that has outlived its estimate is expected to end this time from now"`

	Levels       int     `range:"[0, 60]" doc:"highest value of the meta-scheduler's parts for deadline and licences"`
	Window       int     `range:"[1, 1000000]" doc:"number of jobs with deadlines over whose margins the meta-scheduler takes the mean"`
	MSDeadline   float64 `range:"[0, 1e18]" doc:"weight of the deadline in the meta-scheduler's priority"`
	MSLicences   float64 `range:"[0, 1e18]" doc:"weight of the licences in the meta-scheduler's priority"`
	MSUser       float64 `range:"[0, 1e18]" doc:"weight of the user's class in the meta-scheduler's priority"`
	Aging        float64 `range:"[-1e18, 1e18]" doc:"ls: weight of a time unit of waiting"`
	Deadline     float64 `range:"[-1e18, 1e18]" doc:"ls: weight of the score of the deadline"`
	DeadlineLow  float64 `range:"[-1e18, 1e18]" doc:"ls: score of a job whose deadline is far or missed"`
	DeadlineHigh float64 `range:"[-1e18, 1e18]" doc:"ls: score of a job that must start now to meet its deadline"`
	DeadlineK    float64 `range:"[-1e18, 1e18]" doc:"ls: number of execution times before the deadline at which the score begins to grow"`
	Licences     float64 `range:"[-1e18, 1e18]" doc:"ls: weight of the number of jobs that ask for the same licences, divided by the copies"`
	Wait         float64 `range:"[-1e18, 1e18]" doc:"ls: score of the job with the shortest estimate"`
}

// NewTwoLevel is the solver with its defaults.
func NewTwoLevel() *TwoLevel {
	o := twolevel.Defaults()
	return &TwoLevel{
		Heuristics: string(o.Heuristics), Step: o.Step, Levels: o.Levels, Window: o.Window, MSDeadline: o.Deadline, MSLicences: o.Licences, MSUser: o.User,
		Aging: o.Local.Aging, Deadline: 1, DeadlineLow: o.Local.DeadlineLo, DeadlineHigh: o.Local.DeadlineHi, DeadlineK: o.Local.DeadlineK,
		Licences: o.Local.Licences, Wait: o.Local.Wait,
	}
}

// Supports implements [solve.Policy].
func (*TwoLevel) Supports(in *model.Instance) error { return solve.Unsupported(in, clusterFeatures) }

// Kills implements [solve.Policy].
func (s *TwoLevel) Kills() bool { return s.Kill }

// Discipline implements [solve.Policy].
func (s *TwoLevel) Discipline() sim.Discipline {
	return twolevel.New(twolevel.Options{
		Heuristics: twolevel.Heuristics(s.Heuristics), Step: s.Step, Levels: s.Levels, Window: s.Window, Deadline: s.MSDeadline, Licences: s.MSLicences, User: s.MSUser,
		Local: s.local(),
	})
}

// local are the weights of the local schedulers.
func (s *TwoLevel) local() backfill.Priorities {
	return backfill.Priorities{
		Aging: s.Aging, DeadlineLo: s.Deadline * s.DeadlineLow, DeadlineHi: s.Deadline * s.DeadlineHigh, DeadlineK: s.DeadlineK,
		Licences: s.Licences, Wait: s.Wait,
	}
}
