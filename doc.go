// Package allot is the root of a toolkit that allocates batches of jobs to clusters and grids. It holds no code. A package imports only
// packages above it in this list:
//
//	budget             what a reading may take in all: files, bytes, names, steps and time
//	model              instances, solutions, metrics, the evaluator and the checker; JSON files
//	proof              certificates of lower bounds, and their checker, which shares no code with the provers
//	params             documented parameters: the exported fields of solvers, policies, workloads and readers
//	formats            the registry of foreign formats, and how a file is recognised
//	formats/swf and the like
//	                   one format each: its reader, and of some a writer; bench/formats.go lists them
//	data               the real trace that an experiment runs
//	plan               turns decisions into schedules: availability profiles, list decoding, licences
//	bound              lower bounds of the objective; parts of its methods in bound/internal
//	milp               mixed-integer programs: a model, MPS and LP files, the solver HiGHS (build tag highs)
//	queueing           an upper bound of how long jobs wait in a queue
//	queueing/ggone     branch and bound for the G/G/1 allocation
//	ga                 the genetic algorithm of TITAN
//	search             an anytime global search, and an exhaustive one for small instances; its engines in search/internal
//	sim                a discrete-event engine for on-line policies
//	sim/backfill       backfilling policies for that engine
//	solve              the contract of a solver and of a policy, the registry, and Run, which checks every schedule
//	solve/process      programs in any language as solvers and on-line policies
//	solve/solvetest    tests any solver or policy against the contract
//	lab/whatif         what a policy would do to one job, and why
//	lab/forecast       when waiting jobs would start, as quantiles, and how often such quantiles are right
//	solvers            the algorithms, the larger ones in packages below it; importing it registers them all
//	workload           generators of instances by published recipes
//	draw               pictures: Gantt charts, curves over time, progress of runs
//	schema             the JSON Schemas of all files and lines
//	bench              comparisons of solvers: suites, runs and rows
//	cmd/allot          the command
//	examples           instances to try, and programs that use the library
//
// What only the command and the tests need is in internal:
//
//	internal/bench     tables, rankings and reports of comparisons, statistics, the experiments of published papers, suites as job arrays of Slurm,
//	                   answers to questions about a queue
//	internal/alive     whether a process that has left something on a disk still runs
//	serve/question  what allot can be asked: the settings of each question, for command, service and Python alike
//	serve/answers   what the commands and the service answer alike, as JSON states it
//	serve   allot serve: one protocol over HTTP and lines
//	lab/golden    where the schedule of another program differs from the reference schedules of folder golden
//	internal/picture   the drawing kit below draw and the reports: a sheet, axes, charts of curves, a writer for each format
//	solve/process/online    the lines that an on-line policy outside of the program reads and writes
//	model/shown     the objective, the metrics and the dates of an instance, as people see them
//	solve/course    the incumbents of a run
//	plan/objective the objective of a schedule while it grows, for search and greedy starts
//	internal/prove     a hunt for false claims
//	model/exactsteps the steps of tariffs in exact numbers
//	internal/doubling  counts the work of solvers and bounds, for twice as many jobs and after the end of the time
//	solve/taken     which instances each solver takes, as a table for people
//	internal/modeltest random instances, and schedules of them, for property tests
//	internal/testkit   additions to instances that change nothing
//	internal/solvecases instances that the conformance test and other tests of solvers share
//
// To solve an instance, import solve, and solvers, which registers the algorithms by name:
//
//	search := solve.With(&solvers.Search{Effort: 3}) // or by name: solve.Choose("search:effort=3")
//	result, err := solve.Run(ctx, search, instance, solve.Options{Seed: 1})
package allot
