// Package forecast says when waiting jobs would start under an on-line policy, as quantiles over many simulated futures, and measures by replaying the
// past how often such quantiles are right.
//
// # What is drawn
//
// At a time T a job has ended, runs or waits. What has ended is known. Of each other job the run time is drawn: its estimate × a ratio run time/estimate
// of a job that had ended by T, of the same user where the user has enough of them, else of the same size class, else of any user, see [History].
// For a job that runs at T only ratios count that are longer than it has run already. So every future agrees with all that is known at T. With
// [Options].Arrivals jobs arrive after T too: those of past days, drawn day by day.
//
// A draw depends on the seed, the number of the run and the job alone. So all policies meet the same run times, and any number of workers finds the
// same quantiles.
//
// # What is simulated
//
// Each future is a run of the engine of package sim from the last moment before T at which no job waited, or from the beginning where the policy
// remembers more than the jobs in the system. Until T it is what has happened; after T the policy decides.
package forecast
