// Package solve holds the contract between solvers and their callers. [Solver] is what an algorithm implements, and [Info] documents it in the
// registry. [Choose] reads a solver with its parameters from text. [Run] runs it within the limits of [Options], checks every schedule and
// states only what is proved.
//
// [Chain] runs solvers one after another. [Rolling] applies a solver to jobs that arrive over time. [RegisterScheme] adds solvers that are
// programs, as package process does. The algorithms are in package solvers; importing it registers them.
//
// To add a solver, write one file that registers an [Info]; nothing else is edited. The command, the conformance test, the benchmarks and the
// tables find it in the registry.
package solve

import (
	"context"
	"errors"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// ErrUnsupported says that a solver cannot honour something that the instance asks for. The error of Supports wraps it.
var ErrUnsupported = errors.New("unsupported")

// Solver is an algorithm that schedules the jobs of an instance. The instance is shared with other runs: neither method changes it. A solver is
// shared too: several runs may call its methods at once, and none changes its parameters.
type Solver interface {
	// Supports returns nil if the solver can honour everything that the instance asks for. Otherwise the error wraps [ErrUnsupported]
	// and names the feature.
	Supports(in *model.Instance) error
	// Solve schedules the instance. When ctx ends it returns the best schedule so far, with a nil error, within 50 ms.
	// An error means bad input or a bug. The same seed and MaxEvals give the same result at any Workers.
	Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error)
}

// Options are the limits of a run. The parameters of the algorithm are not here: they are exported fields of the solver.
type Options struct {
	Seed     uint64
	MaxEvals int64           // 0: no limit
	Workers  int             // 0: one
	Start    *model.Solution // nil: cold start; what Solve gets from [Run] is a copy of its own
	Progress func(Progress)  // nil: silent; called from one goroutine at a time
	// Round is told of each round of [Rolling] with known execution times: the jobs of the round as an instance behind what earlier rounds hold, and
	// their plan. nil: silent.
	Round func(batch *model.Instance, planned *model.Solution)
	// Trace is told of each decision, in order, while the solver runs; called from one goroutine at a time. nil: silent. [Run] refuses it for a solver
	// that does not state its steps, see [Info.Traces]. A solver that runs others clears it for them, as their steps are not its own.
	Trace func(Step)
	// Unbounded makes [Run] spend no work on a lower bound. The result then has only the bounds that the instance and the solver bring along. Use it if
	// only the metrics of a run count.
	Unbounded bool
	// Strict makes [Run] return an error where it otherwise drops a bound that a checked schedule refutes, a bound whose certificate the checker refutes, or one of
	// several schedules that the checker refuses, see [Result.Refuted], [Result.Unproved] and [Result.Dropped].
	Strict bool

	// Stated makes [Run] give the solver the instance as it is stated, with what cannot bind.
	Stated bool
	// Presolver reduces the instance that [Run] is given, for callers that run several solvers on it; nil: Run reduces it for itself. That of another instance does not count.
	Presolver *Presolver

	// Certify asks for a certificate of the bound, which [Run] puts into [Result.Certificate]. Solvers that prove bounds then keep their proofs.
	Certify bool

	shared *SharedBound // of the run's instance, shared by all solvers of the run; nil: outside of [Run]
}

// Progress is what a solver reports while it runs.
type Progress struct {
	Evaluations int64
	Objective   float64     // of the best schedule so far; +Inf: none yet
	Bound       model.Bound // the best proved so far
	Owed        int         // jobs that every schedule owes at least, as is proved; the bound is of those that owe no more
	Left        int         // jobs that the best schedule owes, see [model.Instance.Owed]; a schedule that owes fewer is better, whatever its objective
	// Schedule makes the best schedule so far, for the receiver to keep; it may be called during the report only. nil: the solver does not hand it out, or it is that of an earlier report.
	Schedule func() *model.Solution
}

// Result is what a solver returns. Status says what is proved; Stop says why the run ended. They are separate because hitting a limit proves
// nothing.
type Result struct {
	Solution    *model.Solution // nil: none found
	Bound       model.Bound     // proved, of the objective of schedules that owe no more jobs than they must, see [model.Instance.Owed]
	Owed        int             // proved: every schedule owes at least as many jobs; 0: what the run has proved counts. Bound is of schedules that owe no more
	Status      model.Status
	Tolerance   float64       // relative gap within which Status may say optimal, besides [model.Tolerance]; at most [model.MostTolerance]
	Stop        model.Stop    // empty from a solver: Run states the end of the context if that has ended, else done
	Solver      string        // name of the solver that made the solution, if this solver chose among several; empty: this solver
	Evaluations int64         // schedules evaluated
	Elapsed     time.Duration // set by [Run]: the time of Solve, without the bound and the evaluation that Run adds
	Reason      string        // for people: why the instance is infeasible, if Status says so
	Refuted     *RefutedBound // set by [Run]: a bound that was dropped because the schedule shows it to be false; nil: none
	// Unproved is set by [Run]: a certificate that the checker refutes, with whose claim the bound was dropped; nil: none.
	Unproved *bound.Refutation
	// Dropped is the first wrong schedule that was dropped because there is a right one besides; nil: none. A solver that runs others sets it, and [Run].
	Dropped *DroppedSchedule
	// Else is what the solver has besides its solution, or beside an error: another schedule, with the name of its solver, and so on. [Run] takes it where the
	// checker refuses the solution. An error without it ends the run.
	Else    *Result
	Warning string // for people: what went wrong although there is a schedule; empty: nothing
	// Certificate proves Bound, or infeasibility, to package proof; nil: not asked for, or there is nothing to prove. A solver fills in the bound, the parts
	// and Infeasible; [Run] adds the rest, and verifies it. If a bound has no certificate, Certificate says so.
	Certificate *proof.Certificate

	checked *checked // by [Stages]; nil: nobody has checked the schedule yet
}

// Stopped makes the result of a solver that has no schedule when its context ends.
func Stopped(ctx context.Context) Result {
	return Result{Status: model.Unknown, Stop: model.StopReason(ctx)}
}

// Info documents a solver. Help texts, tables and the command's list are made from it.
type Info struct {
	Name   string        // the name on the command line
	Doc    string        // first sentence: what it does; then complexity, units and deviations from the paper
	Source string        // authors, year, title, DOI, the section or algorithm
	New    func() Solver // makes a solver with its defaults; its parameters are its exported fields, see package params. A zero in them means zero
	// Starts says that the solver starts from Options.Start and returns a schedule that is not worse.
	Starts bool
	// Online says that the solver is an on-line policy. At each instant it decides only from the jobs that have arrived by then, and of a job that
	// has not ended it knows only the estimate, not the run time. Any other solver knows all jobs and run times from the beginning.
	Online bool
	// Traces says that the solver decides step by step and tells [Options.Trace] of each decision, unless that is nil. The placements of the steps add up to the
	// schedule; [Run] checks it.
	Traces bool
	// AllocatesBy is the metric of the model by which the solver allocates jobs, whatever the instance minimises; empty: it minimises the instance's
	// objective, or follows a rule. Where the two differ, lists and tables say so, and auto does not try the solver.
	AllocatesBy string
	// Work estimates the work of the solver on an instance of the size, in ns of one core; nil: auto never tries it. It need not be exact, but it must not be far
	// too little: auto tries a solver whose work is [Size.Enough] at most, see [Worth].
	Work func(in *model.Instance, size *Size) float64
	// AutoIf says whether the schedules of the solver promise something on the instance; nil: on each. How long it takes does not matter here.
	AutoIf func(in *model.Instance) bool
	// Absent says why the solver is not in this build and how to get a build with it; empty: the solver is in this build.
	Absent string
}

// defaults returns a solver with its defaults, or nil if the Info has no New because it was made for a single run.
func (i *Info) defaults() any {
	if i.New == nil {
		return nil
	}
	return i.New()
}

// OtherObjective returns the metric by which the solver allocates the jobs, see [Info].AllocatesBy, if the instance minimises anything else; otherwise
// it is empty.
func (i *Info) OtherObjective(in *model.Instance) string {
	same := i.AllocatesBy == ""
	for _, term := range in.ObjectiveTerms() {
		switch {
		case term.Weight == 0:
		case term.Metric != i.AllocatesBy || term.Weight < 0:
			return i.AllocatesBy
		default:
			same = true
		}
	}
	if same {
		return ""
	}
	return i.AllocatesBy
}
