package question

import (
	"github.com/allot-opt/allot/solve"
)

// Run says how solvers run.
type Run struct {
	Time        Seconds `json:"time,omitempty" check:"time" doc:"stop each run after 'DURATION' and return its best schedule so far; the time begins when all files are read, as a part of them has no schedule" absent:"no limit"`
	Evaluations int64   `json:"evaluations,omitempty" flag:"evals" check:"counter" doc:"stop each run after 'N' evaluations of schedules" absent:"no limit"`
	Seed        uint64  `json:"seed,omitempty" doc:"seed 'N' of the random numbers"`
	Workers     int     `json:"workers,omitempty" check:"counter" doc:"use 'N' workers in each run; without a limit of time the result does not depend on N" absent:"as many as processors, or as a service allows"`
	Objective   string  `json:"objective,omitempty" doc:"minimise 'METRIC' instead of the objective that an instance states"`
	Strict      bool    `json:"strict,omitempty" doc:"fail if a checked schedule disproves a bound, or a checker refuses its certificate or one of several schedules; otherwise that is dropped with a warning"`
	Presolve    bool    `json:"presolve,omitempty" doc:"leave out of the instance what cannot bind before the solver gets it; false gives it the instance as stated"`
}

// usualRun has the defaults.
func usualRun() Run { return Run{Seed: 1, Presolve: true} }

// Options are those of a run by a number of workers.
func (r *Run) Options(workers int) solve.Options {
	return solve.Options{Seed: r.Seed, MaxEvals: r.Evaluations, Workers: workers, Strict: r.Strict, Stated: !r.Presolve}
}

// Solve asks for a schedule.
type Solve struct {
	Run
	Solver           string     `json:"solver,omitempty" doc:"'NAME' of the solver; NAME:KEY=VALUE:… sets parameters; a+b starts b from a's solution; exec:COMMAND or exec-online:COMMAND runs your own program; see allot solvers"`
	Param            Parameters `json:"param,omitempty" doc:"set a parameter of the solver, 'KEY=VALUE', or a.KEY=VALUE of solver a in a+b"`
	Rolling          *float64   `json:"rolling,omitempty" check:"positive" doc:"plan in rounds: every 'PERIOD' (in the instance's unit of time), plan the jobs that have arrived since the last round, after the jobs that are planned already" absent:"plan all jobs at once"`
	RollingThreshold *float64   `json:"rolling_threshold,omitempty" check:"nonnegative" doc:"with --rolling: also begin a round as soon as a cluster has at most 'TIME' of work left" absent:"none"`
	Schedules        bool       `json:"schedules,omitempty" flag:"-" doc:"also give the schedules with the progress"`
	Certify          bool       `json:"certify,omitempty" flag:"-" doc:"also give a certificate of the bound"`
}

// SetDefaults sets what an absent setting means.
func (s *Solve) SetDefaults() { s.Run, s.Solver = usualRun(), "auto" }

// Compare asks how solvers do on the same instances.
type Compare struct {
	Run
	Solvers   Names `json:"solvers,omitempty" doc:"'NAMES' of solvers, as for allot solve --solver; LABEL=NAME shows a solver as LABEL" absent:"all that support the instance"`
	Solutions bool  `json:"solutions,omitempty" flag:"-" doc:"also give the solution of each run"`
}

// SetDefaults sets what an absent setting means.
func (s *Compare) SetDefaults() { s.Run = usualRun() }

// Bound asks for a proved bound.
type Bound struct {
	Objective string  `json:"objective,omitempty" doc:"bound 'METRIC' instead of the instance's objective"`
	Time      Seconds `json:"time,omitempty" check:"time" doc:"work for 'DURATION'; more time often proves a better bound" absent:"work that takes about a second and depends only on the instance"`
}

// SetDefaults sets what an absent setting means.
func (*Bound) SetDefaults() {}

// Verify asks whether a certificate holds.
type Verify struct {
	Objective string `json:"objective,omitempty" doc:"the certificate bounds 'METRIC' instead of the instance's objective"`
}

// SetDefaults sets what an absent setting means.
func (*Verify) SetDefaults() {}
