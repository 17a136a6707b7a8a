// Package slurm reads the queue of a Slurm cluster, versions 21.08 to 25.11, from the JSON of its commands, and traces from its accounting.
//
// # A live queue
//
// [Read] makes an instance of what these commands print at one time, which is time 0 of the instance:
//
//	squeue --json                      the jobs; required
//	scontrol show nodes --json         the nodes; required. 21.08 and 22.05 print them with sinfo --json
//	scontrol show partitions --json    limits, tiers and exclusive partitions
//	scontrol show reservations --json  nodes that are closed to other jobs for a time
//	scontrol show licenses --json      the copies of licences
//	scontrol show config               settings, such as whether limits hold; or slurm.conf
//	sacctmgr show qos -P               limits of qualities of service
//	sacctmgr show assoc -P             limits of accounts and users
//
// [Ask] runs these commands, which only read. There is one reader for all versions: a number may be plain, a text, null, or an object of set, infinite and
// number; a list of words may be one word; lists are told by their keys.
//
// # What the instance says
//
// Machines are the nodes, of the same names, with their processors, memory, generic resources and features. Clusters are the partitions; partitions that share nodes are
// one cluster. Each node has features "partition NAME", which the jobs ask for whose partition has only some nodes of the cluster. The instance states the partitions
// too, with their MaxTime, MaxNodes and state, for jobs that are added to it ([model.Instance.InPartition]), and the date of time 0. Nodes that are down or drained are
// not in the instance, unless jobs run on them: then they are closed to all others. A processor is one of Slurm's CPUs, memory is in MB. Nodes are closed to other jobs
// for the time of a reservation, and to all during maintenance.
//
// Running jobs come first. They stay on their nodes with what they hold there, for what is left of their time limit. Where the files say that jobs hold more than a node
// has, the last hold what is left; one for which nothing is left is bound to no nodes and has the user class [Running], with which the policies fcfs, easy and conservative
// start it before all others, whatever their order.
//
// Blocks of a waiting job are its tasks, or the part of each node where it asks for tasks, memory or generic resources by node. Limits of qualities of service and
// associations are licences, of which running jobs hold theirs.
//
// Pending jobs follow in the order in which Slurm looks at them: tier of the partition, priority, submission. Their estimate is the time limit; where there is none it is
// DefaultTime of the partition, else MaxTime, else a year, with which Slurm plans. Each has a user class "priority N", or "tier T priority N" where partitions have different tiers: a policy with the
// order priority takes the queue in Slurm's order whenever the jobs arrive. Jobs have arrived at 0, but
// for those with a later begin time: how long they have waited so far is not stated. A job's user is Slurm's, its queue the partition, its group the
// account, or the Unix group where no job has an account. Each task of a pending array is a job, with an id such as 12_3; a licence limits the tasks that run at once. Jobs that
// wait for others have them in after; that the others succeed is taken for granted.
//
// The [model.ImportReport] counts what becomes of each job, the reasons for which jobs wait, and what was asked for that an instance cannot express. Where that touches
// more than 2 % of the waiting jobs, the instance has a caveat, which answers begin with.
//
// # Traces
//
// A [TraceReader] reads jobs that have ended: what sacct -P prints, or the lines of the plugin jobcomp/filetxt. With the nodes and the partitions, of the same
// files as for a queue, of the text of scontrol or of slurm.conf, jobs lie on nodes with their memory and their generic resources. [WriteAccounting] and the functions
// beside it write a schedule and its system in Slurm's forms.
package slurm

import (
	"bytes"
	"io"
	"math"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

// Format is the name of the format in reports.
const Format = "slurm"

// Running is the user class of jobs that run already on nodes that have no room for them by the files. It has the greatest priority that there is, so that they go first in every order of a queue.
const Running = kit.RunningClass

// Source is what one command printed.
type Source struct {
	Reader io.Reader // nil: not given
	Name   string    // of the file, in errors
}

// Sources are what the commands printed. Jobs and Nodes are required.
type Sources struct {
	Jobs, Nodes, Partitions, Reservations, Licences Source
	QOS, Associations, Config                       Source
}

// Options say how to read.
type Options struct {
	Now          float64 // Unix time that is time 0; 0: the latest that the jobs' file tells
	IgnoreMemory bool    // for systems on which memory is not given out (SelectTypeParameters without MEMORY)
}

// The command that prints each list.
const (
	jobsCommand       = "squeue --json"
	nodesCommand      = "scontrol show nodes --json"
	partitionsCommand = "scontrol show partitions --json"
	reserveCommand    = "scontrol show reservations --json"
	licencesCommand   = "scontrol show licenses --json"
)

// LooksLikeQueue reports whether a file that begins so seems to be the output of squeue --json.
func LooksLikeQueue(begin []byte) bool {
	return bytes.Contains(begin, []byte(`"array_task_string"`)) && bytes.Contains(begin, []byte(`"job_state"`))
}

// Read makes an instance of a live queue. The error is a [*model.InputError] with the file and the path of what is wrong.
//
// Complexity: O(size of the files + jobs · log jobs), each task of an array a job.
func Read(src Sources, opt Options) (*model.Instance, *model.ImportReport, error) {
	faults := lines.NewFaults(src.Jobs.Name)
	if src.Jobs.Reader == nil || src.Nodes.Reader == nil {
		faults.At("", "expected the jobs, of %s, and the nodes, of %s", jobsCommand, nodesCommand)
		return nil, nil, faults.Err()
	}
	if !(opt.Now >= 0 && opt.Now <= model.Largest) {
		faults.At("option Now", "expected a Unix time, found %v", opt.Now)
		return nil, nil, faults.Err()
	}
	jobs, faults := lines.Begin(src.Jobs.Reader, src.Jobs.Name)
	doc := readDocument(jobs, faults)
	doc.needs("jobs", jobsCommand, doc.jobs != nil)
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	q := &queue{doc: doc, opt: opt, report: &model.ImportReport{Format: Format, File: src.Jobs.Name}, now: opt.Now}
	busy := q.busy()
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	sys, err := readSystem(src, faults.Budget(), nil, false, busy)
	if err != nil {
		return nil, nil, err
	}
	q.layouts = newLayouts(sys, !opt.IgnoreMemory, faults)
	q.report.Notes = append(q.report.Notes, sys.notes.Notes...)
	if q.now == 0 {
		q.now = doc.latest()
	}
	q.settings()
	if q.limits, err = readLimits(src, faults.Budget(), sys.settings, q.report); err != nil {
		return nil, nil, err
	}
	if q.reservations, err = sys.reserve(q.now, q.namedReservations(), src.Reservations, q.report); err != nil {
		return nil, nil, err
	}
	q.nameNodes()
	q.entries()
	q.dependencies()
	in, err := q.instance()
	if err != nil {
		return nil, nil, err
	}
	return in, q.report, nil
}

// latest is the latest Unix time at which something has happened, by the file.
func (doc *document) latest() float64 {
	now := doc.updated.or(0)
	for k := range doc.jobs {
		j := &doc.jobs[k]
		now = max(now, j.submit.or(0), j.evaluated.or(0))
		switch stateOf(j.states) {
		case running:
			now = max(now, j.start.or(0))
		case ended:
			now = max(now, j.end.or(0))
		}
	}
	return math.Floor(now)
}
