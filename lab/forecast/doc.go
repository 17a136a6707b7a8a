// Package forecast estimates when waiting jobs will start under an on-line policy, as quantiles over many simulated futures. It also replays the past
// to measure how often such quantiles are right.
//
// # What is drawn
//
// At a time T each job has ended, runs or waits. The run times of ended jobs are known. For every other job the run time is drawn: its estimate × a
// ratio run time/estimate of a job that had ended by T. The ratio comes from a job of the same user if the user has enough, otherwise of the same
// size class, otherwise of any user, see [History]. For a job that runs at T, only ratios count that give more than it has run already. So every
// future agrees with what is known at T. With [Options].Arrivals, jobs also arrive after T: those of past days, drawn day by day.
//
// A draw depends only on the seed, the number of the run and the job. So all policies meet the same run times, and the quantiles do not depend on
// the number of workers.
//
// Jobs that are alike share draws, and quantiles are moved to where the past says that they should lie: both are learnt from trials, which are forecasts of the past
// made in the same way, see [Options].Trials. Only what was known at T counts.
//
// # What is simulated
//
// Each future is a run of the engine of package sim from the last instant by T if the policy decides afresh at each, else from the last moment before T at which no job waited, or from the beginning if the policy
// remembers more than the jobs in the system, or where what the jobs ask for does not let a run begin in the middle. Until T it repeats what has happened; after T the policy decides.
package forecast
