package slurm

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// queue is the jobs on their way into an instance.
type queue struct {
	layouts
	doc    *document
	opt    Options
	report *model.ImportReport
	now    float64

	list         []*entry // those kept, in the order read
	targets      map[string]*target
	reasons      map[string]string
	reservations map[string]bool // those that have nodes of their own
	limits       *limits
	unlimited    int            // jobs that name no time limit
	odd          []strange      // about the job being judged
	out          leftOut        // what touches waiting jobs
	account      bool           // some job has an account, so that groups are accounts
	qos          map[string]int // waiting jobs by quality of service
}

// entry is a job, or a task of an array, that the instance is to have.
type entry struct {
	id         string
	job        int // index into the document's jobs
	task       int // of an array; −1: none
	running    bool
	processors int
	length     float64 // what is left of the time limit, s
	arrival    float64
	place      *place
	layout     *layout            // of a waiting job
	generic    map[string]float64 // generic resources of all its nodes, by name, and by name and type
	nodes      int                // on which it runs, or the fewest that it may run on
	holds      []hold             // of a running job
	cluster    int                // on which it runs
	memory     float64            // of a processor of a running job, MB
	run        *model.RunningSpec // where a running job is; nil: its nodes have no room for it
	array      string             // licence that limits the tasks at once; empty: none
	after      []*entry
	odd        []strange // about it, counted if it is kept
	touched    bool      // by something that the instance leaves out
	never      bool      // it waits for a job that will not start
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

// kept, repaired and outside remember something odd about the job being judged. It is counted only if the job is not dropped for another reason. What is outside
// stays out of the instance, so that the job may start at another time than policies say.
func (q *queue) kept(reason string)     { q.note(model.ImportKept, false, reason) }
func (q *queue) repaired(reason string) { q.note(model.ImportRepaired, false, reason) }
func (q *queue) outside(reason string)  { q.note(model.ImportKept, true, reason) }

// note is a [noted] about the job being judged.
func (q *queue) note(action model.ImportAction, staysOut bool, reason string) {
	q.odd = append(q.odd, strange{action, reason, staysOut})
}

// count adds to the report what is odd about a job that is kept.
func (q *queue) count(e *entry, odd []strange) {
	place := at("jobs", e.job)
	for _, o := range odd {
		q.report.Note(o.action, o.reason, place)
		if o.staysOut && !e.running {
			q.out.note(o.reason, place, !e.touched)
			e.touched = true
		}
	}
}

// entries reads the jobs of the document.
func (q *queue) entries() {
	q.targets, q.reasons, q.qos = map[string]*target{}, map[string]string{}, map[string]int{}
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
	tasks, atOnce, cut, err := arrayTasks(j.taskList, faults.Budget())
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
	e.odd = slices.Clone(q.odd)
	if atOnce := whole(q.doc.jobs[k].atOnce, math.MaxInt32, q.doc.faults, at("jobs", k)+".array_max_tasks"); atOnce > 0 && len(tasks) > 0 && tasks[0] >= 0 {
		e.array, _, _ = strings.Cut(ids[0], "_")
	}
	if !q.doc.faults.Names(at("jobs", k), len(ids)*budget.NamesOf[entry]()) {
		return
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
	e.place = q.placeOf(j.partition, path+".partition")
	if j.partition == "" {
		q.doc.missing(path, "partition")
	}
	if e.running {
		q.length(e)
		return q.runs(e)
	}
	if len(e.place.clusters) == 0 {
		return "no node in service is in the job's partition"
	}
	e.processors = whole(j.cpus, model.MaxProcessors, faults, path+".cpus")
	if e.processors == 0 {
		q.doc.missing(path, "cpus")
		return "no number of processors"
	}
	if why := q.allowed(e); why != "" {
		return why
	}
	q.length(e)
	if why := q.waits(e); why != "" {
		return why
	}
	return q.lie(e)
}

// allowed narrows the partitions of a waiting job to those that let it start, and says why none does; empty: one does.
func (q *queue) allowed(e *entry) string {
	j, path := &q.doc.jobs[e.job], at("jobs", e.job)
	var names []string
	up := false
	for _, p := range e.place.parts {
		up = up || !p.closed
		if !p.closed && len(p.hosts) > 0 && (p.limit == 0 || j.limit.or(0) <= p.limit) && (p.nodes == 0 || q.fewestNodes(e) <= p.nodes) {
			names = append(names, p.name)
		}
	}
	switch {
	case len(names) == len(e.place.parts):
	case !up:
		return "the job's partition starts no jobs"
	case len(names) == 0:
		return "the job asks for more time or more nodes than its partition allows: it starts only when somebody acts"
	default:
		e.place = q.placeOf(strings.Join(names, ","), path+".partition")
	}
	return ""
}

// length finds the time limit, or what is left of it.
func (q *queue) length(e *entry) {
	j, path := &q.doc.jobs[e.job], at("jobs", e.job)
	if !j.limit.given {
		q.doc.missing(path, "time_limit")
	}
	limit := j.limit.or(0)
	if shortest := j.shortest.or(0); shortest > 0 && shortest < limit && !e.running {
		q.outside("the job takes a shorter limit too (--time-min): an instance cannot express this, so its longest limit is taken")
	}
	if limit == 0 {
		limit = e.place.limitOf(j.limit.infinite)
		q.unlimited++
		if limit == year {
			q.repaired("no time limit: a year is assumed, as Slurm does")
		}
	}
	e.length = inSeconds(min(limit, 1e12))
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
	if strings.HasSuffix(j.reason, "PerJobLimit") {
		return "pending, as it asks for more than a limit allows a job: it starts only when somebody acts"
	}
	switch {
	case held:
		return "pending and held: it starts only when somebody acts"
	case j.deadline.or(0) > 0 && j.deadline.value-q.now < e.length:
		return "pending: it cannot end by its deadline any more"
	case !j.submit.known:
		q.doc.missing(path, "submit_time")
	}
	if begin := j.eligible.value; begin > q.now && (j.dependency == "" || strings.EqualFold(j.reason, "BeginTime")) {
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
		if q.isOutside(text) {
			note += ": an instance cannot express this, so the job may start later than the instance shows"
		}
		if len(q.reasons) >= most {
			note = "pending, for another reason"
		} else {
			q.reasons[text] = note
		}
	}
	q.note(model.ImportKept, q.isOutside(text), note)
}

// isOutside says whether an instance cannot express what a job waits for.
func (q *queue) isOutside(reason string) bool {
	begins := func(begin string) bool { return strings.HasPrefix(reason, begin) }
	return slices.ContainsFunc(outsideReasons, begins) && !q.limits.explains(reason) && !(begins("Reservation") && len(q.reservations) > 0)
}
