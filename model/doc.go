// Package model is the problem model of allot: instances (clusters of machines, and jobs), solutions (schedules), the
// metrics, the evaluator that computes them, and the checker that decides whether a schedule is valid. It reads instances
// and solutions strictly from JSON and writes them. Of the packages of allot it imports only internal ones.
//
// An [Instance] comes from a file ([ReadInstanceFile]) or a program ([Builder]), is validated as a whole and never changes.
// A [Solution] states where and when each job runs. Only [Evaluate] computes what it costs, and only [Check] decides
// whether it is valid, whichever solver made it.
//
// Intervals are half-open. So a job of length 0 holds nothing: no processors, no memory and no copies of a licence. It may start at any
// instant from its arrival on, once the jobs that it depends on have ended, even on processors that other jobs hold.
package model
