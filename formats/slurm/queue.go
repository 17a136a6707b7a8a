package slurm

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/model"
)

// queue is the jobs on their way into an instance.
type queue struct {
	sys    *system
	doc    *document
	opt    Options
	report *model.ImportReport
	now    float64

	list    []*entry          // those kept, in the order read
	places  map[string]*place // by the text of the partitions
	looked  int               // hosts looked at for places and running jobs
	targets map[string]*target
	reasons map[string]string
	listed  int      // licences of groups of machines
	odd     []oddity // of the job being judged
	waited  int      // dependencies followed
	account bool     // some job has an account, so that groups are accounts
}

// entry is a job, or a task of an array, that the instance is to have.
type entry struct {
	id         string
	job        int // index into the document's jobs
	task       int // of an array; −1: none
	running    bool
	processors int
	memory     float64 // of a processor, MB
	length     float64 // what is left of the time limit, s
	arrival    float64
	span       string
	place      *place
	array      string // licence that limits the tasks at once; empty: none
	after      []*entry
	odd        []oddity // about what it waits for
	never      bool     // it waits for a job that will not start
}

// phase is where a job is in its life.
type phase int

const (
	unknown phase = iota
	pending
	running
	ended
	suspended
)

// phases are Slurm's states, without the additional flags.
var phases = map[string]phase{
	"PENDING": pending, "REQUEUED": pending, "REQUEUE_FED": pending, "REQUEUE_HOLD": pending, "SPECIAL_EXIT": pending, "RESV_DEL_HOLD": pending,
	"RUNNING": running, "CONFIGURING": running, "STOPPED": running, "RESIZING": running, "STAGE_OUT": running, "EXPEDITING": running,
	"SIGNALING": running, //nolint:misspell // Slurm's spelling
	"SUSPENDED": suspended,
	"COMPLETED": ended, "COMPLETING": ended, "CANCELLED": ended, "FAILED": ended, "TIMEOUT": ended, "NODE_FAIL": ended, "PREEMPTED": ended, "BOOT_FAIL": ended,
	"DEADLINE": ended, "OUT_OF_MEMORY": ended, "REVOKED": ended, "LAUNCH_FAILED": ended, "RECONFIG_FAIL": ended,
}

// stateOf is the phase that the first of the states tells that is one: flags may follow it.
func stateOf(states []string) phase {
	for _, word := range states {
		if p, known := phases[strings.ToUpper(word)]; known {
			return p
		}
	}
	return unknown
}

// dropped notes jobs that are left out.
func (q *queue) dropped(reason string, k, times int) {
	for range times {
		q.report.Note(model.ImportDropped, reason, at("jobs", k))
	}
}

// oddity is something odd about the job being judged. It is counted only if the job is not dropped for another reason.
type oddity struct {
	action model.ImportAction
	reason string
}

// kept and repaired remember something odd about the job being judged.
func (q *queue) kept(reason string)     { q.odd = append(q.odd, oddity{model.ImportKept, reason}) }
func (q *queue) repaired(reason string) { q.odd = append(q.odd, oddity{model.ImportRepaired, reason}) }

// count adds to the report what was odd about the k-th job, which is kept. For an array it counts each of its tasks, times in all.
func (q *queue) count(k, times int) {
	for _, o := range q.odd {
		for range times {
			q.report.Note(o.action, o.reason, at("jobs", k))
		}
	}
	q.odd = q.odd[:0]
}

// entries reads the jobs of the document.
func (q *queue) entries() {
	q.places, q.targets, q.reasons = map[string]*place{}, map[string]*target{}, map[string]string{}
	for k := range q.doc.jobs {
		q.account = q.account || q.doc.jobs[k].account != ""
	}
	for k := range q.doc.jobs {
		q.odd = q.odd[:0]
		q.entry(k)
	}
}

// entry reads a job.
func (q *queue) entry(k int) {
	j, place, faults := &q.doc.jobs[k], at("jobs", k), q.doc.faults
	if len(j.states) == 0 {
		q.doc.missing(place, "job_state")
		return
	}
	id := whole(j.id, math.MaxInt, faults, place+".job_id")
	if id == 0 {
		q.doc.missing(place, "job_id")
		return
	}
	ids, tasks := q.tasksOf(k, id)
	q.report.Read += len(ids)
	switch state := stateOf(j.states); {
	case state == ended:
		q.dropped("the job has ended", k, len(ids))
		q.addTarget(ids, &outcome{})
	case state == suspended:
		q.dropped("the job is suspended: its processors count as free", k, len(ids))
		q.addTarget(ids, &outcome{never: true})
	case state == unknown:
		faults.At(place+".job_state", "expected a state of a job, such as PENDING or RUNNING, found %s (%s)", lines.Quote(strings.Join(j.states, " ")), q.doc.in())
	default:
		q.live(k, ids, tasks, state == running)
	}
}

// tasksOf are the ids of a job and its tasks: one, or those of a pending array.
func (q *queue) tasksOf(k, id int) (ids []string, tasks []int) {
	j, place, faults := &q.doc.jobs[k], at("jobs", k), q.doc.faults
	array := whole(j.arrayID, math.MaxInt, faults, place+".array_job_id")
	name := strconv.Itoa(array) + "_"
	switch {
	case j.taskID.known && array > 0:
		task := whole(j.taskID, math.MaxInt32, faults, place+".array_task_id")
		return []string{name + strconv.Itoa(task)}, []int{task}
	case j.taskList == "":
		return []string{strconv.Itoa(id)}, []int{-1}
	}
	tasks, atOnce, cut, err := arrayTasks(j.taskList, maxJobs-q.report.Read)
	if err != nil {
		faults.At(place+".array_task_string", "%s", err)
		return nil, nil
	}
	if !j.atOnce.known && atOnce > 0 {
		j.atOnce = number{known: true, value: float64(atOnce)}
	}
	if cut {
		q.kept("the list of an array's tasks is cut short: the instance is without the others (set SLURM_BITSTR_LEN=0 for squeue)")
	}
	for _, task := range tasks {
		ids = append(ids, name+strconv.Itoa(task))
	}
	return ids, tasks
}

// live takes a job that runs or waits.
func (q *queue) live(k int, ids []string, tasks []int, runs bool) {
	e := entry{job: k, running: runs}
	if why := q.judge(&e); why != "" {
		q.odd = q.odd[:0]
		q.dropped(why, k, len(ids))
		q.addTarget(ids, &outcome{never: !runs, end: e.length})
		return
	}
	if !runs {
		q.reason(k)
	}
	q.count(k, len(ids))
	if atOnce := whole(q.doc.jobs[k].atOnce, math.MaxInt32, q.doc.faults, at("jobs", k)+".array_max_tasks"); atOnce > 0 && len(tasks) > 0 && tasks[0] >= 0 {
		e.array, _, _ = strings.Cut(ids[0], "_")
	}
	block := make([]entry, len(ids))
	for i := range block {
		block[i] = e
		block[i].id, block[i].task = ids[i], tasks[i]
		q.list = append(q.list, &block[i])
		q.addTarget(ids[i:i+1], &outcome{entry: &block[i]})
	}
}

// judge fills in an entry and says why the job is left out; empty: it is kept.
func (q *queue) judge(e *entry) string {
	j, path, faults := &q.doc.jobs[e.job], at("jobs", e.job), q.doc.faults
	if e.place = q.placeOf(j.partition, path); len(e.place.parts) == 0 {
		if j.partition == "" {
			q.doc.missing(path, "partition")
		}
		return "no node in service is in the job's partition"
	}
	q.length(e)
	if e.running {
		return q.runs(e)
	}
	e.processors = whole(j.cpus, model.MaxProcessors, faults, path+".cpus")
	if e.processors == 0 {
		q.doc.missing(path, "cpus")
		return "no number of processors"
	}
	if why := q.waits(e); why != "" {
		return why
	}
	q.width(e)
	q.memory(e)
	if e.processors > e.place.most {
		return "wider than the nodes in service of its partition"
	}
	return ""
}

// placeOf is where jobs of the partitions may run, found once.
func (q *queue) placeOf(partitions, path string) *place {
	p := q.places[partitions]
	if p == nil {
		if q.looked > maxHostsInAll {
			return &place{} // that is a fault already
		}
		p = q.sys.placeOf(partitions)
		q.places[partitions] = p
		for _, part := range p.parts {
			q.look(len(part.hosts), path+".partition")
		}
	}
	return p
}

// look counts nodes that are looked at: a hostile file must not make that take hours.
func (q *queue) look(hosts int, path string) {
	if q.looked += hosts; q.looked > maxHostsInAll && q.looked-hosts <= maxHostsInAll {
		q.doc.faults.At(path, "expected at most %d nodes for all jobs together, found more", maxHostsInAll)
	}
}

// year is the time limit, in minutes, that Slurm assumes for a job without a limit.
const year = 365 * 24 * 60

// length finds the time limit, or what is left of it.
func (q *queue) length(e *entry) {
	j, path := &q.doc.jobs[e.job], at("jobs", e.job)
	if !j.limit.given {
		q.doc.missing(path, "time_limit")
	}
	limit := j.limit.or(0)
	for _, p := range e.place.parts {
		if limit == 0 && p.limit > 0 {
			limit = p.limit
		}
	}
	if limit == 0 {
		limit = year
		q.repaired("no time limit: a year is assumed, as Slurm does")
	}
	e.length = min(limit, 1e12) * 60
	if !e.running {
		return
	}
	switch {
	case j.limit.or(0) > 0 && j.end.or(0) > 0:
		e.length = j.end.value - q.now
	case j.start.or(0) > 0:
		e.length += j.start.value - q.now
	default:
		q.doc.missing(path, "start_time")
	}
	if e.length < 1 {
		e.length = 1
		q.repaired("the job runs beyond its time limit: it is assumed to end in 1 s")
	}
}

// runs finds the processors of a job that runs: those on nodes in service.
func (q *queue) runs(e *entry) string {
	j, path := &q.doc.jobs[e.job], at("jobs", e.job)
	if q.looked > maxHostsInAll {
		return "too many nodes to look at" // that is a fault already
	}
	names, err := expandHosts(j.on)
	if err != nil {
		q.doc.faults.At(path+".nodes", "%s", err)
		return "its nodes are not known"
	}
	q.look(len(names), path+".nodes")
	if len(names) == 0 {
		q.doc.missing(path, "nodes")
	}
	inService, strange := 0, false
	open := map[string]bool{}
	for _, name := range names {
		h, known := q.sys.index[name]
		strange = strange || !known
		if known && h >= 0 {
			inService++
			open[name] = true
		}
	}
	all := whole(j.cpus, model.MaxProcessors, q.doc.faults, path+".cpus")
	if all == 0 {
		q.doc.missing(path, "cpus")
	}
	e.processors = all
	if inService < len(names) {
		e.processors = (all*inService + len(names) - 1) / max(len(names), 1)
		held := 0
		for _, s := range j.shares {
			if open[s.node] {
				held += int(min(s.cpus.or(0), model.MaxProcessors))
			}
		}
		if len(j.shares) > 0 {
			e.processors = min(held, all)
		}
	}
	switch {
	case strange:
		q.kept("the job runs on nodes that the nodes' file does not have: they are not counted")
	case inService < len(names) && e.processors > 0:
		q.repaired("the job runs on nodes of which some are closed: the processors on the others count")
	}
	if e.processors == 0 {
		return "the job runs on nodes that the instance is without: jobs that wait for it may start after its time limit"
	}
	q.memory(e)
	return ""
}

// neverReasons are reasons for which a job waits until somebody acts.
var neverReasons = []string{
	"JobHeldUser", "JobHeldAdmin", "DependencyNeverSatisfied", "BadConstraints", "InvalidAccount", "InvalidQOS", "PartitionDown", "PartitionInactive",
	"PartitionNodeLimit", "PartitionTimeLimit", "FrontEndDown", "NonZeroExitCode", "JobHoldMaxRequeue", "ReservationDeleted",
}

// waits finds when a job may start, and says why it will not; empty: it may.
func (q *queue) waits(e *entry) string {
	j, path := &q.doc.jobs[e.job], at("jobs", e.job)
	held := j.hold || j.priority.known && j.priority.value == 0 ||
		slices.ContainsFunc([]string{"REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}, func(flag string) bool { return hasWord(j.states, flag) })
	for _, never := range neverReasons {
		if strings.EqualFold(j.reason, never) {
			return "pending, reason " + never + ": it starts only when somebody acts"
		}
	}
	switch {
	case held:
		return "pending and held: it starts only when somebody acts"
	case !slices.ContainsFunc(e.place.parts, func(p *part) bool { return !p.closed }):
		return "the job's partition starts no jobs"
	case j.deadline.or(0) > 0 && j.deadline.value-q.now < e.length:
		return "pending: it cannot end by its deadline any more"
	case !j.submit.known:
		q.doc.missing(path, "submit_time")
	}
	if begin := j.eligible.or(0); begin > q.now && (j.dependency == "" || strings.EqualFold(j.reason, "BeginTime")) {
		e.arrival = begin - q.now
	}
	return ""
}

// outsideReasons are how those reasons begin that an instance does not know: limits of accounts and qualities of service, nodes that others have reserved, federations.
var outsideReasons = []string{
	"Assoc", "QOS", "Max", "Reservation", "ReqNodeNotAvail", "Nodes_required_for_job_are_DOWN", "BurstBuffer", "Federation", "Prolog", "Cleaning", "SchedDefer", "OutOfMemory",
}

// reason counts why a job waits. The reasons told apart are bounded: a file may hold any text.
func (q *queue) reason(k int) {
	const most = 100
	text := q.doc.jobs[k].reason
	if text == "" {
		return
	}
	note, known := q.reasons[text]
	if !known {
		note = "pending, reason " + lines.Quote(text)
		if slices.ContainsFunc(outsideReasons, func(begin string) bool { return strings.HasPrefix(text, begin) }) {
			note += ": an instance cannot express this, so the job may start later than the instance shows"
		}
		if len(q.reasons) >= most {
			note = "pending, for another reason"
		} else {
			q.reasons[text] = note
		}
	}
	q.kept(note)
}
