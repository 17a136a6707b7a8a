package solvers

import (
	"context"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/allocation"
)

var _ = solve.Register(solve.Info{
	Name: "ggone-milp",
	Doc: "G/G/1 workload allocation as a MILP on HiGHS: the level form, whose relaxation is as strong as the Lagrangian of ggone, or the paper-like linearisation by chords and big-M. " +
		"An independent check of ggone. Needs a build with the tag highs. levels·n variables for n tasks and levels = Σ over kinds of machines of the tasks that one can take.",
	Source: "Y. Patel, J. Darlington (2006), Proc. MGC '06, doi:10.1145/1186675.1186678, eqs. 2, 3, 9–18 and 23; Q. Huangfu, J. A. J. Hall (2018), Parallelizing the dual revised simplex method, Math. Prog. Comp. 10, doi:10.1007/s12532-017-0130-5, for HiGHS",
	New:    func() solve.Solver { return &GGOneMILP{"level", newGGOneHighs()} },
	Absent: withoutHighs(),

	AllocatesBy: "qos_penalty",
})

// GGOneMILP solves the problem of [GGOne] as a MILP by HiGHS. The level form (package ggone, [ggone.Problem.Level]) counts the
// machines of each kind that carry each load; the chord form ([ggone.Problem.Chord]) is the linearisation that the paper gave to
// CPLEX, with the waiting time between chords at whole loads, where it is exact.
//
// An exact transportation problem turns the loads that HiGHS finds into an allocation, so that no value rests on its tolerances. Its bound
// does, and is stated less by 1e-6 of itself and by 1e-9 for each task.
//
// Source: that of [GGOne]. Units: those of the instance. MaxEvals counts nodes of the branch-and-bound; Workers are not used:
// HiGHS runs on one thread, so that the result does not depend on the machine.
//
// Where the model does not state the instance exactly, a round takes at most 1,000 nodes.
//
// Deviations from the paper: those of [GGOne], but for the idle rate. The MILP leaves it out, which gives a lower bound; then it is parked
// where it costs least with the allocation found, which is good but not optimal.
type GGOneMILP struct {
	Form string `enum:"level,chord" doc:"level: machines by load, strong; chord: machine by machine with chords and big-M as in the paper, weak"`
	GGOneHighs
}

// GGOneHighs is the parameters of the solvers that solve the problem of [GGOne] on HiGHS.
type GGOneHighs struct {
	Charge    string  `enum:"instance,response,service" doc:"what a task pays for; with another value than the instance's own there is no bound and no proof for the instance's objective"`
	Committed string  `doc:"rates that machines already carry, as part of the rate of the instance, such as C1/m=0.2,C2/n[3]=0.1"`
	Load      float64 `range:"(0, 1)" doc:"an instance without a queueing view: rate of arrivals as a part of what all machines serve"`
	Due       float64 `range:"(0, 1e9]" doc:"an instance without a queueing view: deadline of a job that has none, after its arrival, in units of its least service time"`
	Tolerance float64 `range:"[0, 1]" doc:"the optimum counts as proved within this relative difference of bound and objective; at least 1e-6, the tolerance of HiGHS"`
}

// newGGOneHighs is the parameters with their defaults: those of [GGOne] but for the tolerance.
func newGGOneHighs() GGOneHighs {
	of := newGGOne()
	return GGOneHighs{Charge: of.Charge, Committed: of.Committed, Load: of.Load, Due: of.Due, Tolerance: 1e-6}
}

// withoutHighs says why HiGHS is not in this build; empty: it is.
func withoutHighs() string {
	if err := milp.Missing(); err != nil {
		return err.Error()
	}
	return ""
}

// Supports implements [solve.Solver].
func (*GGOneHighs) Supports(in *model.Instance) error {
	if err := allocation.WithoutHighs(); err != nil {
		return err
	}
	return (*GGOne)(nil).Supports(in)
}

// Memory implements [solve.Sized].
func (*GGOneHighs) Memory(in *model.Instance) int64 { return allocation.Memory(in) }

// settings are the parameters that decide how an instance is read.
func (g *GGOneHighs) settings() allocation.Settings {
	return allocation.Settings{Charge: g.Charge, Committed: g.Committed, Load: g.Load, Due: g.Due, Effort: allocation.DefaultEffort}
}

// state states the problem in the form asked for.
func (g *GGOneMILP) state(ctx context.Context, p *ggone.Problem) (*ggone.Form, error) {
	if g.Form == "chord" {
		return p.Chord(ctx)
	}
	return p.Level(ctx)
}

// MILP implements [milp.Modeller]: min qos_penalty, without an idle rate.
func (g *GGOneMILP) MILP(ctx context.Context, in *model.Instance) (*milp.Model, error) {
	if err := params.Check(g); err != nil {
		return nil, err
	}
	return g.settings().Model(ctx, in, g.state)
}

// Solve implements [solve.Solver].
func (g *GGOneMILP) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	return g.settings().OnHighs(ctx, g, in, opt, g.Tolerance, func(ctx context.Context, run *allocation.Run) error {
		form, err := g.state(ctx, &run.Problem.Problem)
		if err != nil {
			return err
		}
		return run.Solve(ctx, form, milp.Options{Gap: run.Gap, Nodes: run.Options.MaxEvals, Start: form.Start(run.Best.Machine)})
	})
}
