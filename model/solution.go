package model

import (
	"context"
	"errors"
)

// Solution is a schedule with what its solver says of it, as written in a file. The figures (objective, metrics) are
// a statement: [Evaluate] computes them and [Check] compares.
type Solution struct {
	Schema         string             `json:"schema" doc:"the format: allot/solution/1"`
	Instance       string             `json:"instance,omitempty" doc:"name of the instance"`
	InstanceSHA256 string             `json:"instance_sha256,omitempty" doc:"SHA-256 of the instance file's (uncompressed) bytes, in hexadecimal"`
	Solver         string             `json:"solver,omitempty" doc:"name of the solver; a+b if b started from the solution of a"`
	Version        string             `json:"version,omitempty" doc:"version of the program"`
	Seed           uint64             `json:"seed,omitempty" doc:"seed of the random numbers"`
	Parameters     map[string]any     `json:"parameters,omitempty" doc:"parameters of the solver"`
	Status         Status             `json:"status,omitempty" enum:"unknown,feasible,optimal,infeasible" doc:"what is proved"`
	Stop           Stop               `json:"stop,omitempty" enum:"done,time,evaluations,cancelled" doc:"why the solver stopped"`
	Minimised      map[string]float64 `json:"minimised,omitempty" check:"finite" doc:"metric → weight: the objective to which objective, bound and status refer; absent: the instance's own"`
	Objective      *float64           `json:"objective,omitempty" check:"figure" doc:"value of the objective; absent: not finite or not stated"`
	Bound          Bound              `json:"bound,omitzero" check:"figure" doc:"proved lower bound of the objective, of schedules that owe no more than the jobs of the field owed; absent: none"`
	Owed           int                `json:"owed,omitempty" check:"counter" doc:"proved: every right schedule leaves out at least as many of the jobs that it owes"`
	Metrics        Metrics            `json:"metrics,omitempty" doc:"metric → value; an object of cluster → value for the metrics of a cluster"`
	Jobs           []Placement        `json:"jobs" doc:"the jobs that are placed"`
	Unscheduled    []Unscheduled      `json:"unscheduled,omitempty" doc:"the jobs that are not placed, each with a reason"`
	Loads          []Load             `json:"loads,omitempty" doc:"arrival rate given to each machine, for queueing"`
	Stats          *Stats             `json:"stats,omitempty" doc:"effort of the run"`
}

// Status states what is proved about a solution.
type Status string

// The four statuses.
const (
	Unknown    Status = "unknown"    // no schedule, nothing proved
	Feasible   Status = "feasible"   // a schedule
	Optimal    Status = "optimal"    // a schedule, proved best within the stated tolerance
	Infeasible Status = "infeasible" // proved: there is no schedule
)

// Stop says why a solver stopped. It is separate from [Status]: a limit proves nothing.
type Stop string

// The four reasons to stop.
const (
	StopDone        Stop = "done"        // the algorithm came to its end
	StopTime        Stop = "time"        // the context's deadline
	StopEvaluations Stop = "evaluations" // Options.MaxEvals
	StopCancelled   Stop = "cancelled"   // the context was cancelled
)

// StopReason says whether a context that has ended came to its deadline or was cancelled.
func StopReason(ctx context.Context) Stop {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return StopTime
	}
	return StopCancelled
}

// Placement says where and when a job runs. Where the job spreads over several clusters, or its processors end at
// different times, Pieces holds the parts and Cluster and Processors are empty.
type Placement struct {
	Job        string       `json:"job" check:"id" doc:"id of the job"`
	Cluster    string       `json:"cluster,omitempty" doc:"cluster it runs on"`
	Processors ProcessorSet `json:"processors,omitempty" check:"set" doc:"processors of that cluster it holds, such as 0-3,7"`
	Start      float64      `json:"start" check:"time" doc:"start time"`
	End        float64      `json:"end" check:"time" doc:"end time"`
	Pieces     []Piece      `json:"pieces,omitempty" doc:"the parts of a job that spreads over clusters or releases processors early"`
	Devices    DevicesHeld  `json:"devices,omitempty" check:"set" doc:"resource → machine → numbers of the devices there that the job holds, such as 0-3"`
}

// Piece is a part of a job: processors of one cluster that run Tasks of its tasks and are held from Start to End. A job whose span is not
// the grid runs at least one task on each processor if it has at least as many tasks as processors, and at most one if it has at most as many.
type Piece struct {
	Cluster    string       `json:"cluster" check:"id" doc:"cluster of the piece"`
	Processors ProcessorSet `json:"processors" check:"set" doc:"processors the piece holds"`
	Tasks      int          `json:"tasks" check:"count" doc:"tasks of the job that the piece runs"`
	Start      float64      `json:"start" check:"time" doc:"start time"`
	End        float64      `json:"end" check:"time" doc:"end time"`
	Devices    DevicesHeld  `json:"devices,omitempty" check:"set" doc:"resource → machine → numbers of the devices there that the piece holds"`
}

// DevicesHeld says which devices a job holds: resource → machine → numbers of its devices, from 0. A machine of a group with count > 1 is named
// id[k], k from 0.
type DevicesHeld = map[string]map[string]ProcessorSet

// Unscheduled is a job that the plan leaves out.
type Unscheduled struct {
	Job    string `json:"job" check:"id" doc:"id of the job"`
	Reason string `json:"reason" check:"text" doc:"why, for people"`
}

// Load is the arrival rate of jobs given to one machine. A machine of a group with count > 1 is named id[k], k from 0.
type Load struct {
	Cluster string  `json:"cluster" check:"id" doc:"cluster of the machine"`
	Machine string  `json:"machine" check:"id" doc:"machine; id[k] for the k-th (from 0) of a group"`
	Rate    float64 `json:"rate" check:"time" doc:"arrival rate, jobs per time"`
}

// Stats is what a run took.
type Stats struct {
	Evaluations int64   `json:"evaluations,omitempty" check:"counter" doc:"schedules evaluated"`
	Elapsed     float64 `json:"elapsed,omitempty" check:"time" doc:"wall-clock seconds; absent without a time limit, so that a run can be repeated byte for byte"`
}

// Parts calls yield for each part of the placement: its pieces, or itself as one piece of the given number of tasks.
func (p *Placement) Parts(tasks int, yield func(Piece)) {
	if len(p.Pieces) == 0 {
		yield(Piece{Cluster: p.Cluster, Processors: p.Processors, Tasks: tasks, Start: p.Start, End: p.End, Devices: p.Devices})
		return
	}
	for _, piece := range p.Pieces {
		yield(piece)
	}
}

// Incumbent is the best schedule of a run at the moment when it was found, or when the run ended: one line of a trace. Along a trace
// the elapsed time never falls, the objective never rises and the bound never falls.
type Incumbent struct {
	Elapsed     float64 `json:"elapsed_s" check:"time"`      // seconds since the run began
	Evaluations int64   `json:"evaluations" check:"counter"` // of schedules so far
	Objective   float64 `json:"objective"`                   // of the best schedule so far
	Bound       Bound   `json:"bound,omitzero"`              // the best that was proved by then
}
