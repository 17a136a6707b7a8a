// Package allot is the root of a toolkit that allocates batches of jobs to clusters and grids. It holds no code; the packages are:
//
//	model        instance, solution, metrics, checker, JSON and its schema; readers of real formats below it
//	plan         from decisions to schedules: availability profiles, list decoding, licences
//	bound        lower bounds of the objective
//	queueing     formulas of queues
//	milp         mixed integer programs: a model, MPS and LP files, HiGHS (build tag highs)
//	ga           the genetic algorithm of TITAN
//	ggone        the G/G/1 allocation: branch and bound
//	search       the anytime global search and the exhaustive one
//	sim          the discrete-event engine; sim/backfill its policies, sim/whatif what they would do to one job
//	params       documented parameters: exported fields of solvers, workloads and importers
//	solve        the contract of a solver, the registry, and Run, which checks every schedule; solve/process runs programs as solvers,
//	             solve/solvetest holds any solver to the contract
//	solvers      the algorithms; importing it registers them
//	workload     generators of instances by published recipes
//	draw         Gantt charts, curves over time, progress of runs: pictures in one list of formats
//	bench        suites, runs, rows, statistics and reports; bench/papers the papers' experiments
//	cmd/allot    the command
//
// To solve an instance, import solve and, for its registrations, solvers:
//
//	search, err := solve.Choose("search")
//	result, err := solve.Run(ctx, search, instance, solve.Options{Seed: 1})
package allot
