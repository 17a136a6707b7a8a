// Package sim is a discrete-event engine for on-line policies: at each instant a policy sees only the jobs that have arrived
// and of a job only what its user asked for, never how long it really runs.
//
// # Time
//
// The engine goes from instant to instant at which something ends, arrives or was asked for (see [Engine.Wake]). At each it
// first tells the policy all that ends, in the order in which it was started, then all that arrives, in queue order. Then it asks the
// policy once for its decisions ([Policy.Decide]). A job that takes no time ends in a further round at the same instant. No wall
// clock and no order of a map enters a decision: the same input gives the same schedule.
//
// # What a policy may see
//
// A [Job] shows a policy its arrival, processors, estimate and [Request]. The run time is a field that only this package can
// read, and policies are written outside of it (package backfill), so the compiler keeps the promise. A job may end
// before its estimate or outlive it; [Options].Kill ends it at its estimate instead.
//
// # Two worlds
//
// The plain world is a trace ([Run] with any [Source]): a stream of rigid jobs for a number of equal processors. Memory grows with
// the most jobs that are in the system at once, not with the length of the trace.
//
// The general world is an instance with clusters of machines, memory, pools of licences, precedence and hard deadlines. A policy
// looks at the [Platform] and starts a job in [Part]s, each of which gives back its processors when its own tasks end. A rigid job
// has one part; a policy for moldable jobs that releases processors early gives each processor a part of its own.
//
// [Simulate] runs an instance under a [Discipline], which makes a policy for either world, and picks the world itself. Its result is
// an ordinary solution.
package sim
