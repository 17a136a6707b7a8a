// Package sim is a discrete-event engine for on-line policies. At each instant a policy sees only the jobs that have
// arrived, and of each job only what its user asked for, never how long it really runs.
//
// # Time
//
// An instant is a time at which a job or part ends, a job arrives, or the policy asked to be woken (see [Engine.Wake]). At each
// instant the engine first reports all ends to the policy, in the order of their starts, then all arrivals, in queue order. Then it
// asks the policy once for its decisions ([Policy.Decide]). A job that takes no time ends in a further round at the same instant.
// While jobs wait, the times at which machines are closed or opened are instants too. A job that runs already when the run begins goes on before the first
// decision, see [Resumer].
// Neither a wall clock nor the order of a map affects a decision: the same input gives the same schedule.
//
// # What a policy may see
//
// A [Job] shows a policy its arrival, processors, estimate and [Request]. Only this package can read the field of the run
// time, and policies are in other packages (such as backfill), so the compiler enforces this. A job may end before its
// estimate or outlive it; [Options].Kill ends it at its estimate instead.
//
// # One world
//
// A policy looks at the [Platform]: clusters of machines, memory, pools of licences, power caps. It starts a job in [Part]s. The processors of a part are released when its own
// tasks end. A rigid job has one part; a policy for moldable jobs that releases processors early gives each processor a part of its own.
//
// Jobs come from an instance ([Simulate], whose result is an ordinary solution), from batches ([Stream]) or from a trace ([Run] with any [Source]): a stream of rigid jobs for a number
// of equal processors, as fast as if there were nothing else. The memory of a stream grows with the largest number of jobs in the system at once, not with its length.
// Where all processors are alike and nothing else limits where a job fits, the platform is flat, see [Platform.Flat]: a machine is listed, and how long a job takes is known when it arrives.
package sim
