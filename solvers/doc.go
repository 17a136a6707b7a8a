// Package solvers holds the algorithms, one file or folder each. Importing it registers them all:
//
//	import _ "github.com/allot-opt/allot/solvers"
//
// The large ones have folders, which can be imported alone: mts, muscle, and titan with dll, from whose schedule it starts. Each of the others has a
// file here by its name. Some files serve several solvers: completion.go keeps the completion times while jobs are placed one by one, shortlist.go and
// tournament.go find the best of many candidates without looking at all of them, and backfilling.go runs on-line policies. Code that several solvers
// share is in internal/grid (resources, and schedules on them), internal/list (list schedules) and internal/allocation (the machines as G/G/1 queues).
//
// Heuristics that compare the completion times of one job on several machines (Min-min, Max-min, Sufferage, MTS) call a resource what the
// literature calls a grid resource: processors of one cluster that are alike for every job. It is a whole cluster, or one group of machines of a
// cluster whose machines differ.
//
// To add a solver, write a file with a struct that implements [solve.Solver] and a variable declaration that calls [solve.Register]. Nothing else
// has to be edited, except that this file has to import a new folder. Package solve has functions for common needs of solvers: [solve.Unsupported],
// [solve.Stopped], [solve.Stages] and [solve.Options.SharedBound]. Type Poll of internal/kit asks whether a run has to end.
package solvers

import (
	_ "github.com/allot-opt/allot/solve/process" // exec:COMMAND and exec-online:COMMAND are solvers wherever ours are
	_ "github.com/allot-opt/allot/solvers/internal/dll"
	_ "github.com/allot-opt/allot/solvers/mts"
	_ "github.com/allot-opt/allot/solvers/muscle"
	_ "github.com/allot-opt/allot/solvers/titan"
)
