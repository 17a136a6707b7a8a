// Package allot is the root of a toolkit that allocates batches of jobs to clusters and grids. It holds no code. Its packages are listed in the order of
// imports: a package imports only packages above it, and but for internal the packages of a room stand together, so that rooms import one way too. A name that
// ends in /... stands for the packages below, too, and a folder internal belongs to the package that it lies in. A test compares this list with the packages.
//
// What has no better home, and imports only its like:
//
//	internal/alive         whether a process that has left something on a disk still runs
//	internal/files         files that are written whole or not at all
//	internal/claim         who does what, among programs that share nothing but a folder
//	internal/kit           lists, random numbers, contexts
//	internal/numtext       figures and counts as people read them
//	internal/plaintext     texts from files, harmless on a terminal and in a spreadsheet
//	internal/timetext      lengths of time as people read them
//	internal/texttable     the tables that commands print
//	internal/picture       the drawing kit of draw and the reports: a sheet, axes, charts of curves, a writer for each format
//	internal/document      an answer at length: title, verdict, sections with sentences, tables and figures; writes pages
//	internal/suggest       the name that somebody may have meant who mistyped one
//	internal/queue         heaps
//	internal/steps         step functions of time
//	internal/looks         a context that counts how often it is asked, for tests
//	internal/needs         what a test needs of the machine
//	internal/often         more cases of a property than rapid draws
//	internal/peak          the peak memory of a program, for tests
//	internal/race/...      how much of a test to run, and whether the race detector is on
//	internal/testfolder    folders of files for tests
//
// The problem, and the files that state it:
//
//	model/budget           what a reading may take in all: files, bytes, names, steps and time
//	model                  instances, solutions, metrics, the evaluator, the checker and the presolve; JSON files
//	model/exactsteps       the steps of tariffs in exact numbers
//	model/shown            the objective, the metrics and the dates of an instance, as people see them
//	params                 documented parameters: the exported fields of solvers, policies, workloads and readers
//	proof                  certificates of lower bounds, and their checker, which shares no code with the provers
//	schema                 the JSON Schemas of all files and lines
//	draw                   pictures: Gantt charts, curves over time, progress of runs
//	internal/modeltest     random instances and schedules, for property tests
//	internal/testkit       additions to instances that change nothing, for tests
//	internal/realdata      real inputs, for tests and benchmarks
//	internal/slurmtest     a real Slurm, for a test
//	formats                the registry of foreign formats, and how a file is recognised
//	formats/lines          lines, numbers and faults with their place, for the readers
//	formats/multifactor    the priorities of jobs as Slurm computes them; the readers of Slurm's settings and the policies share it
//	formats/...            one format each: its reader, and of some a writer; bench/formats.go lists them
//	data                   the real trace that an experiment runs
//
// Methods, which know nothing of solvers:
//
//	plan/place             on which machines of a cluster, and on which devices of them, a job lies: one file a rule
//	plan                   from decisions to schedules: what is free when, list schedules, licences, reasons of waits
//	plan/objective         the objective of a schedule while it grows
//	workload               generators of instances by published recipes
//	workload/record        a site simulated the plain way, for records of jobs that have run
//	milp                   mixed-integer programs: a model, MPS and LP files, the solver HiGHS (build tag highs)
//	queueing               an upper bound of how long jobs wait in a queue
//	queueing/ggone         branch and bound for the G/G/1 allocation
//	ga                     the genetic algorithm of TITAN
//	bound                  lower bounds of the objective
//	search                 the anytime global search, and an exhaustive one for small instances; its engines are in search/internal
//	sim                    the discrete-event engine for on-line policies, and the platform that they see
//	sim/spread             processors and tasks of a job that spreads over clusters
//	sim/cheap              keeps jobs out of the queue for a cheaper start
//	sim/backfill           the policies: FCFS, EASY, conservative and flexible backfilling, Slurm's cycles
//	internal/simtest       traces for tests of the simulation
//	internal/solvecases    instances that tests of solvers share, and the optima of the smallest
//
// The contract, and the algorithms:
//
//	solve                  what a solver and a policy are, the registry, and Run, which checks every schedule
//	solve/course           the incumbents of a run
//	solve/taken            which instances each solver takes, as a table for people
//	solve/process/online   the lines that an on-line policy outside of the program reads and writes
//	solve/process          programs in any language as solvers and on-line policies
//	solve/solvetest        tests any solver or policy against the contract
//	solvers/...            the algorithms, the larger ones in packages below; importing solvers registers them all
//	internal/prove/...     a hunt for false claims
//	internal/doubling      counts the work of solvers and bounds for twice as many jobs, and after the end of the time
//
// Comparisons of solvers, and a site's questions:
//
//	bench/statistics       intervals, tests, effect sizes and profiles
//	bench                  comparisons of solvers: suites, runs and rows
//	bench/tables           rows as tables, rankings and CSV
//	bench/report           suites as one page, with tests and pictures
//	bench/sweep            a suite as a job array of Slurm
//	papers/verdict         the rule by which a claim of a paper is judged
//	papers                 the experiments of published papers, and whether their claims hold
//	lab                    policies compared on one trace
//	lab/whatif             what a policy would do to one job, and why
//	lab/forecast           when waiting jobs would start, as quantiles
//	lab/backtest           how good such quantiles were
//	lab/golden/starts      the starts of jobs from schedules that other programs write
//	lab/golden             where the schedule of another program differs from the reference schedules in the folder golden
//	lab/tune               parameters that serve better, and whether they hold elsewhere
//	lab/advise             the weekly page of a site
//
// Faces of one list of questions:
//
//	serve/answers          what the commands and the service answer alike, as JSON states it
//	serve/question         what allot can be asked: the settings of each question, for command, service and Python alike
//	serve                  allot serve: one protocol over HTTP and over lines
//	cmd/allot              the command
//	web/wasm               the service in the browser
//	examples/...           instances to try, and programs that use the library
//
// To solve an instance, import solve, and solvers, which registers the algorithms by name:
//
//	search := solve.With(&solvers.Search{Effort: 3}) // or by name: solve.Choose("search:effort=3")
//	result, err := solve.Run(ctx, search, instance, solve.Options{Seed: 1})
package allot
