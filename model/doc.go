// Package model is the one problem model of allot: instances (clusters of machines, and jobs), solutions (schedules), the
// metrics, the evaluator that computes them and the checker that says whether a schedule is right. It reads and writes both
// as JSON, strictly, and imports nothing else of allot.
//
// An [Instance] comes from a file ([ReadInstanceFile]) or a program ([Builder]), is validated as a whole and never changes.
// A [Solution] says where and when each job runs. [Evaluate] alone says what it costs and [Check] whether it holds, whoever
// made it.
//
// Intervals are half-open, so that a job of no length holds nothing, neither processors nor memory nor copies of a licence: it may start
// at any instant from its arrival and the ends of the jobs it waits for on, on processors that others hold then.
package model
