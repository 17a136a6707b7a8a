// Package slurm reads the queue of a Slurm cluster, versions 21.08 to 25.11, from the JSON of its commands, and traces from its accounting.
//
// # A live queue
//
// [Read] makes an instance of what these commands print at one time, which is time 0 of the instance:
//
//	squeue --json                      the jobs; required
//	scontrol show nodes --json         the nodes; required. 21.08 and 22.05 print them with sinfo --json
//	scontrol show partitions --json    limits, tiers and exclusive partitions
//	scontrol show reservations --json  reservations, which are counted only
//	scontrol show licenses --json      the copies of licences
//
// [Ask] runs these commands, which only read. There is one reader for all versions: a number may be plain, a text, null, or an object of set, infinite and
// number; a list of words may be one word; lists are told by their keys.
//
// # What the instance says
//
// Clusters are the partitions; partitions that share nodes are one cluster, and a job of a partition that has only some of its nodes needs a licence "partition NAME"
// that only those can run. Nodes that are down or drained are not in the instance. A processor is one of Slurm's CPUs, memory is in MB.
//
// An instance cannot state that a job runs already. So running jobs have arrived at 0 too and are the first in the queue, with what is left of their time limit as
// their estimate, and have the user class [Running]: the policies fcfs, easy and conservative start them at 0, before all others, whatever their order. They are not bound to their nodes, so one of them may not find its memory
// on one node where Slurm has spread the others in another way; and of those that hold processors of closed nodes the other processors count only.
//
// Pending jobs follow in the order in which Slurm looks at them: tier of the partition, priority, submission. Their estimate is the time limit; Slurm plans with
// a year where there is none, and so does Read. Each has a user class "priority N", or "tier T priority N" where partitions have different tiers: a policy with the
// order priority takes the queue in Slurm's order whenever the jobs arrive. Jobs that run have the class [Running]. Jobs have arrived at 0, but
// for those with a later begin time: how long they have waited so far is not stated. A job's user is Slurm's, its queue the partition, its group the
// account, or the Unix group where no job has an account. Each task of a pending array is a job, with an id such as 12_3; a licence limits the tasks that run at once. Jobs that
// wait for others have them in after; that the others succeed is taken for granted. Generic resources, such as GPUs, are licences gres/NAME of the cluster.
//
// The [model.ImportReport] counts what becomes of each job, the reasons for which jobs wait, and what was asked for that an instance cannot express.
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

	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/model"
)

// Format is the name of the format in reports.
const Format = "slurm"

// Running is the user class of jobs that run already. It has the greatest priority that there is, so that they go first in every order of a queue.
const Running = "running"

// maxJobs is the most jobs that are read, each task of an array counted.
const maxJobs = 1_000_000

// maxHostsInAll is the most nodes that the jobs together may run on.
const maxHostsInAll = 5_000_000

// maxTable is the most entries of each table that an instance makes of two lists: run times by job and cluster, licences by cluster and by group of machines. A short
// file may state long lists, of which a table would fill the memory.
const maxTable = 20_000_000

// Source is what one command printed.
type Source struct {
	Reader io.Reader // nil: not given
	Name   string    // of the file, in errors
}

// Sources are what the commands printed. Jobs and Nodes are required; all may be in one file for each.
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
	doc := readDocument(src.Jobs.Reader, faults)
	doc.needs("jobs", jobsCommand, doc.jobs != nil)
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	q := &queue{doc: doc, opt: opt, report: &model.ImportReport{Format: Format, File: src.Jobs.Name}, now: opt.Now}
	sys, err := readSystem(src, false, q.busy())
	if err != nil {
		return nil, nil, err
	}
	q.layouts = newLayouts(sys, !opt.IgnoreMemory, faults)
	q.report.Notes = append(q.report.Notes, sys.notes.Notes...)
	if q.now == 0 {
		q.now = doc.latest()
	}
	q.settings()
	if q.limits, err = readLimits(src, sys.settings, q.report); err != nil {
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
