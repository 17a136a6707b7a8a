// Package solve holds the contract of a solver: [Solver], [Info] and [Options], the registry of all solvers, chains of them, rolling use, programs from
// outside, [Choose], which reads a solver with its parameters from text, and [Run], which checks every schedule and states what is proved. The algorithms are in package solvers.
//
// A solver is a documented value: a file registers an [Info] and nothing else is edited to add it. The command, the
// conformance test, the benchmarks and the tables pick it up from the registry.
package solve

import (
	"context"
	"errors"
	"time"

	"github.com/allot-opt/allot/model"
)

// ErrUnsupported is wrapped by the error of a solver that cannot honour something that an instance asks for.
var ErrUnsupported = errors.New("unsupported")

// Solver is an algorithm that schedules the jobs of an instance. The instance is shared with other runs: neither method changes it. A solver is
// shared too: several runs may call its methods at once, and none changes its parameters.
type Solver interface {
	// Supports says whether the solver can honour everything the instance asks for; the error wraps [ErrUnsupported]
	// and names the feature.
	Supports(in *model.Instance) error
	// Solve schedules the instance. When ctx ends it returns the best schedule so far, with a nil error, within 50 ms.
	// An error means bad input or a bug. The same seed and MaxEvals give the same result at any Workers.
	Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error)
}

// Options are the limits of a run. Parameters of the algorithm are exported fields of the solver instead.
type Options struct {
	Seed     uint64
	MaxEvals int64           // 0: no limit
	Workers  int             // 0: one
	Start    *model.Solution // nil: cold start; what Solve gets from [Run] is a copy of its own
	Progress func(Progress)  // nil: silent; called from one goroutine at a time
	Strict   bool            // a bound that a checked schedule refutes is an error of [Run]; otherwise it is dropped, see [Result.Refuted]

	proof *Proof // of the run's instance, shared by all that take part in it; nil: not in a run
}

// Progress is what a solver reports while it runs.
type Progress struct {
	Evaluations int64
	Objective   float64     // of the best schedule so far; +Inf: none yet
	Bound       model.Bound // the best proved so far
	Left        int         // jobs that the best schedule so far leaves out; one that leaves out fewer is better, whatever its objective
}

// Result is what a solver hands back. Status and Stop are two things: a limit that was hit proves nothing.
type Result struct {
	Solution    *model.Solution // nil: none found
	Bound       model.Bound     // proved, of the objective
	Status      model.Status
	Tolerance   float64       // relative difference of bound and objective within which Status may say optimal, beside [model.Tolerance]; at most [MostTolerance]
	Stop        model.Stop    // empty, from a solver: the end of its context where that has ended, else done
	Solver      string        // the name of the solvers that made the solution, where the solver chose among several; empty: its own
	Evaluations int64         // schedules evaluated
	Elapsed     time.Duration // set by [Run]: what Solve took, without the bound and evaluation that Run adds
	Reason      string        // for people: why the instance is infeasible, where Status says so
	Refuted     *RefutedBound // set by [Run]: a bound that the schedule shows to be false and that was dropped; nil: none
	Warning     string        // for people: what went wrong although there is a schedule; empty: nothing
}

// MostTolerance is the largest [Result.Tolerance]: a schedule that may be worse by more than that is not called optimal, whatever its solver says.
const MostTolerance = 1e-4

// Stopped is the result of a solver that has no schedule yet when its context ends.
func Stopped(ctx context.Context) Result {
	return Result{Status: model.Unknown, Stop: model.StopReason(ctx)}
}

// Info documents a solver. Help texts, tables and the command's list are made from it.
type Info struct {
	Name   string        // as on the command line
	Doc    string        // first sentence: what it does; then complexity, units and deviations from the paper
	Source string        // authors, year, title, DOI, the section or algorithm
	New    func() Solver // a new one with its defaults; its parameters are its exported fields, see package params. A zero in them means zero
	// Starts says that the solver starts from Options.Start and hands back nothing worse.
	Starts bool
	// AutoJobs is the number of jobs up to which auto tries the solver; 0: never.
	AutoJobs int
	// Absent says why the solver is not in this build and how to get a build with it; empty: it is in this one.
	Absent string
}

// defaults is a solver with its defaults; nil where the Info, made for a single run, has no New.
func (i *Info) defaults() any {
	if i.New == nil {
		return nil
	}
	return i.New()
}
