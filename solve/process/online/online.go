// Package online holds the lines that an on-line policy outside of this program reads and writes, in the format allot-online/1: a [Header], an [Event]
// for each instant, which the program answers with an [Answer], and an [End]. Each line is a JSON object. The lines tell what a policy of package sim
// may see and nothing else. docs/exec-online.md explains them, and package schema makes their JSON Schemas.
package online

import "github.com/allot-opt/allot/model"

// Format names the format of the lines.
const Format = "allot-online/1"

// Header is the first line that the program reads.
type Header struct {
	Format      string              `json:"format" doc:"the format: allot-online/1"`
	Version     string              `json:"version" doc:"version of allot"`
	Seed        uint64              `json:"seed" doc:"seed of the program's random draws"`
	Kill        bool                `json:"kill" doc:"jobs are ended at their estimates"`
	Processors  map[string]int      `json:"processors" check:"copies" doc:"cluster → all its processors"`
	Clusters    []model.ClusterSpec `json:"clusters" doc:"the clusters, as in an instance"`
	Licences    map[string]int      `json:"licences,omitempty" check:"copies" doc:"licence → copies in the pool of the whole grid"`
	UserClasses map[string]float64  `json:"user_classes,omitempty" check:"nonnegative" doc:"class of users → priority"`
	Overheads   *model.Overheads    `json:"overheads,omitempty" doc:"overheads of every cluster without its own"`
}

// Event is a line that the program answers: an instant at which jobs arrive or end, or at which the program asked to be called.
type Event struct {
	Now      float64        `json:"now" check:"time" doc:"time"`
	Arrived  []Job          `json:"arrived" doc:"jobs that may start from now on, in queue order; a job that depends on others arrives when they have ended"`
	Ended    []string       `json:"ended" check:"id" doc:"ids of the jobs that have ended since the last event"`
	Free     map[string]int `json:"free" check:"copies" doc:"cluster → free processors"`
	Licences []Pool         `json:"licences,omitempty" doc:"the limited pools of licences"`
	Machines []Machine      `json:"machines,omitempty" doc:"machines with free processors; absent if the machines of a cluster do not differ for the jobs"`
}

// Job is a job as an on-line policy sees it. It has neither the work nor the run times.
type Job struct {
	ID         string               `json:"id" check:"id" doc:"its name"`
	Number     int64                `json:"number" check:"counter" doc:"place in queue order: by arrival, then by place in the instance"`
	Arrival    float64              `json:"arrival" check:"time" doc:"release time"`
	Processors model.ProcessorRange `json:"processors" doc:"processors the job runs on: a number (rigid) or {min, max} (moldable)"`
	// Estimates lack the clusters on which the job cannot run.
	Estimates      map[string]float64 `json:"estimates" check:"time" doc:"cluster → execution time there by the estimate, on the fastest processors of the empty cluster; for a moldable job on the most processors that it can use; without clusters where the job cannot run"`
	Tasks          int                `json:"tasks,omitempty" check:"count" doc:"equal tasks that the job consists of; absent: the maximum of processors"`
	Estimate       *float64           `json:"estimate,omitempty" check:"time" doc:"execution time of a task by the estimate, at reference_speed; absent: known by cluster only"`
	ReferenceSpeed float64            `json:"reference_speed,omitempty" check:"positive" doc:"speed that estimate refers to; absent: 1"`
	WorkCV         float64            `json:"work_cv,omitempty" check:"nonnegative" doc:"coefficient of variation of the work; absent: 0"`
	Span           string             `json:"span,omitempty" enum:"machine,cluster,grid" doc:"absent: cluster"`
	Memory         float64            `json:"memory,omitempty" check:"nonnegative" doc:"memory of one task, which each processor of the job needs: on n processors of a machine, n times as much; absent: 0"`
	Input          float64            `json:"input,omitempty" check:"nonnegative" doc:"data moved before the work; absent: 0"`
	Output         float64            `json:"output,omitempty" check:"nonnegative" doc:"data moved after the work; absent: 0"`
	Message        float64            `json:"message,omitempty" check:"nonnegative" doc:"data that the tasks exchange; absent: 0"`
	MinBandwidth   float64            `json:"min_bandwidth,omitempty" check:"nonnegative" doc:"bandwidth that the machine must offer; absent: 0"`
	Deadline       *float64           `json:"deadline,omitempty" check:"nonnegative" doc:"absolute time by which the job should end; absent: none"`
	DeadlineHard   bool               `json:"deadline_hard,omitempty" doc:"the job is ended at its deadline and left out of the schedule"`
	Budget         *float64           `json:"budget,omitempty" check:"nonnegative" doc:"limit of the job's cost; absent: none"`
	Licences       map[string]int     `json:"licences,omitempty" check:"copies" doc:"licence → copies needed while the job runs"`
	User           string             `json:"user,omitempty" check:"id" doc:"who submitted the job"`
	Group          string             `json:"group,omitempty" check:"id" doc:"group or account that the user belongs to"`
	Queue          string             `json:"queue,omitempty" check:"id" doc:"queue or partition that the job was submitted to"`
	UserClass      string             `json:"user_class,omitempty" check:"id" doc:"class of the user"`
	Workflow       string             `json:"workflow,omitempty" check:"id" doc:"workflow the job belongs to"`
	After          []string           `json:"after,omitempty" check:"id" doc:"jobs that had to end before this one may start, and have"`
}

// NewJob is the part of a job's specification that a policy may see. The caller adds the number and the estimates.
func NewJob(spec *model.JobSpec) Job {
	j := Job{
		ID: spec.ID, Arrival: spec.Arrival, Processors: spec.Processors, Tasks: spec.Tasks, Estimate: spec.Estimate, ReferenceSpeed: spec.ReferenceSpeed,
		WorkCV: spec.WorkCV, Span: spec.Span, Memory: spec.Memory, Input: spec.Input, Output: spec.Output, Message: spec.Message, MinBandwidth: spec.MinBandwidth,
		Deadline: spec.Deadline, DeadlineHard: spec.DeadlineHard, Budget: spec.Budget, Licences: spec.Licences, User: spec.User, Group: spec.Group, Queue: spec.Queue,
		UserClass: spec.UserClass, Workflow: spec.Workflow, After: spec.After,
	}
	if j.Processors == (model.ProcessorRange{}) {
		j.Processors = model.Rigid(1)
	}
	return j
}

// Pool is a limited pool of licences.
type Pool struct {
	Licence string `json:"licence" check:"id" doc:"name of the licence"`
	Cluster string `json:"cluster,omitempty" check:"id" doc:"whose pool it is; absent: that of all clusters without a pool of their own"`
	Free    int    `json:"free" check:"copies" doc:"copies that no job holds"`
}

// Machine is a machine with free processors, or a group of machines that nothing tells apart.
type Machine struct {
	Cluster string   `json:"cluster" check:"id" doc:"where it is"`
	First   int      `json:"first" check:"copies" doc:"number of its first processor in the cluster"`
	Free    int      `json:"free" check:"count" doc:"processors that no job holds"`
	Memory  *float64 `json:"memory,omitempty" check:"figure" doc:"memory that no job holds; absent: it limits nothing"`
}

// End is the last line that the program reads. It answers nothing and ends.
type End struct {
	End bool    `json:"end" doc:"true"`
	Now float64 `json:"now" check:"time" doc:"time of the last event"`
}

// Answer is what the program writes after each event. What is absent does not happen.
type Answer struct {
	Start  []Start  `json:"start,omitempty" doc:"jobs to start now, in this order"`
	Reject []Reject `json:"reject,omitempty" doc:"jobs to take out of the queue for good, after the starts"`
	// CallMeAt counts until the next event only, whatever causes that.
	CallMeAt *float64 `json:"call_me_at,omitempty" check:"finite" doc:"time after now of the next event, if nothing happens before; it counts until the next event only, and only while a job waits"`
}

// Start starts a job.
type Start struct {
	Job        string             `json:"job" check:"id" doc:"id of a job that waits"`
	Cluster    string             `json:"cluster" check:"id" doc:"where it starts"`
	Processors int                `json:"processors,omitempty" check:"count" doc:"how many, for a moldable job; absent: the most that it can use on the cluster"`
	On         model.ProcessorSet `json:"on,omitempty" check:"set" doc:"the very processors, such as 0-3,7; absent: those of the fastest machines, the lowest numbers first"`
}

// Reject takes a job out of the queue. It is left out of the schedule.
type Reject struct {
	Job    string `json:"job" check:"id" doc:"id of a job that waits"`
	Reason string `json:"reason,omitempty" check:"text" doc:"for people"`
}
