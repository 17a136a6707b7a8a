// Package allot is the root of a toolkit that allocates batches of jobs to clusters and grids. It holds no code. A package imports only
// packages above it in this list:
//
//	model              instances, solutions, metrics, the evaluator and the checker; JSON files
//	model/online       the lines that an on-line policy outside of the program reads and writes
//	proof              certificates of lower bounds, and their checker, which shares no code with the provers
//	model/schema       the JSON Schemas of these files and lines
//	params             documented parameters: the exported fields of solvers, workloads and readers
//	model/formats      the registry of foreign formats, and how a file is recognised
//	model/swf and the like
//	                   one format each: its reader, and of some a writer; bench/formats.go lists them
//	model/starts       reads when each job of a schedule starts, as other programs write it
//	model/modeltest    random instances for property tests
//	data               the real trace that an experiment runs
//	plan               turns decisions into schedules: availability profiles, list decoding, licences
//	bound              lower bounds of the objective; parts of its methods in bound/internal
//	queueing           formulas for the waits of queues
//	milp               mixed-integer programs: a model, MPS and LP files, the solver HiGHS (build tag highs)
//	ga                 the genetic algorithm of TITAN
//	ggone              branch and bound for the G/G/1 allocation
//	search             an anytime global search, and an exhaustive one for small instances; its engines in search/internal
//	sim                a discrete-event engine for on-line policies
//	sim/backfill       backfilling policies for that engine
//	sim/twolevel       the two-level scheduler of a grid for that engine
//	sim/spaceshare     space-sharing of moldable jobs for that engine
//	sim/slots          reservation of slots for stochastic workflows, for that engine
//	sim/whatif         what a policy would do to one job, and why
//	sim/forecast       when waiting jobs would start, as quantiles, and how often such quantiles are right
//	golden             reference schedules, and where the schedule of another program differs from them
//	solve              the contract of a solver, the registry, and Run, which checks every schedule
//	solve/process      programs in any language as solvers and on-line policies
//	solve/solvetest    tests any solver against the contract
//	solvers            the algorithms, the larger ones in packages below it; importing it registers them all
//	workload           generators of instances by published recipes
//	draw               pictures: Gantt charts, curves over time, progress of runs
//	bench/statistics   intervals, tests and profiles to compare solvers
//	bench/backtest     what forecasts of starts were worth: coverage and errors
//	bench              comparisons of solvers: suites, runs, rows and rankings
//	bench/report       comparisons as HTML pages
//	bench/sweep        suites as job arrays of Slurm
//	bench/papers/verdict
//	                   the rule by which a claim of a paper is judged
//	bench/papers       the experiments of published papers, and whether their claims replicate
//	cmd/allot          the command
//	examples           instances to try, and programs that use the library
//
// To solve an instance, import solve and also solvers, which registers the algorithms:
//
//	search, err := solve.Choose("search")
//	result, err := solve.Run(ctx, search, instance, solve.Options{Seed: 1})
package allot
