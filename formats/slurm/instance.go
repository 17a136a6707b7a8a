package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// instance makes the instance of the jobs kept.
func (q *queue) instance() (*model.Instance, error) {
	if err := q.doc.faults.Err(); err != nil {
		return nil, err
	}
	q.sort()
	spec := model.InstanceSpec{
		Name: lines.Title(q.report.File, ".json", " --json"), Units: &model.Units{Time: "s", Memory: "MB"},
		Licences: map[string]int{}, UserClasses: map[string]float64{}, Jobs: make([]model.JobSpec, len(q.list)),
	}
	if q.now > 0 && q.now <= model.Largest { // 0: the files do not tell it
		spec.TimeZero = &q.now
	}
	for name, copies := range q.sys.licences {
		spec.Licences[name] = copies
	}
	tasks := map[string]int{} // of each array that limits them
	for _, e := range q.list {
		if e.array != "" {
			tasks[e.array]++
		}
	}
	q.doc.faults.Cells("", len(q.list), len(q.sys.clusters))
	for _, p := range q.sys.parts {
		q.placeOf(p.name, "partitions")
	}
	if err := q.doc.faults.Err(); err != nil {
		return nil, err
	}
	q.clusters(&spec)
	q.settle()
	q.quality()
	left := map[string]int{} // copies of licences that running jobs leave
	waiting, met := 0, tiers{}
	for k, e := range q.list {
		spec.Jobs[k] = q.spec(e, &spec, tasks, left)
		q.count(e, q.odd)
		q.odd = q.odd[:0]
		if !e.running {
			waiting++
			met.add(e.place)
		}
	}
	for _, warning := range []string{q.out.warning(waiting, "waiting job"), met.warning("the jobs that wait are listed so, and the order priority keeps to it; orders that sort the queue in another way do not")} {
		if warning != "" {
			spec.Caveats = append(spec.Caveats, warning)
		}
	}
	q.report.Warnings = spec.Caveats
	in, err := q.doc.faults.Build(spec, func(k int) string { return at("jobs", q.list[k].job) })
	if err == nil {
		q.report.Kept = len(q.list)
	}
	return in, err
}

// sort puts the jobs in the order of the queue: those that run; then those that wait, in Slurm's order.
func (q *queue) sort() {
	job := func(e *entry) *job { return &q.doc.jobs[e.job] }
	order := func(a, b *entry) int {
		switch {
		case a.running != b.running:
			if a.running {
				return -1
			}
			return 1
		case a.running:
			return 0
		}
		x, y := job(a), job(b)
		return cmp.Or(cmp.Compare(b.place.tier, a.place.tier), cmp.Compare(y.priority.or(0), x.priority.or(0)), cmp.Compare(x.submit.value, y.submit.value),
			cmp.Compare(x.id.or(0), y.id.or(0)), cmp.Compare(a.task, b.task))
	}
	slices.SortStableFunc(q.list, order)
}

// spec is a job as the model takes it. It enters its user class and the licences that it needs and nothing limits yet into the instance.
func (q *queue) spec(e *entry, in *model.InstanceSpec, tasks, left map[string]int) model.JobSpec {
	j := &q.doc.jobs[e.job]
	s := model.JobSpec{
		ID: e.id, Arrival: e.arrival, Processors: model.Rigid(e.processors), Estimate: &e.length, Memory: e.memory, Running: e.run,
		User: lines.Name(cmp.Or(j.user, j.userID)), Group: lines.Name(j.group), Queue: lines.Name(j.partition),
	}
	if e.layout != nil {
		e.layout.onto(&s)
	}
	if q.account {
		s.Group = lines.Name(j.account)
	}
	for _, before := range e.after {
		s.After = append(s.After, before.id)
	}
	if len(q.sys.clusters) > 1 {
		s.Runtime = map[string]float64{}
		for _, c := range e.place.clusters {
			s.Runtime[q.sys.clusters[c].name] = e.length
		}
		if e.running {
			s.Runtime = map[string]float64{q.sys.clusters[e.cluster].name: e.length}
		}
	}
	need := func(name string, copies, pool int) {
		if s.Licences == nil {
			s.Licences = map[string]int{}
		}
		if _, limited := in.Licences[name]; !limited && pool >= 0 {
			in.Licences[name] = pool
		}
		if e.running {
			if _, met := left[name]; !met {
				left[name] = in.Licences[name]
			}
			if copies > left[name] {
				copies = left[name]
				q.repaired("the jobs that run hold more of a licence or a limit than there is: the last of them hold what is left")
			}
			if left[name] -= copies; copies == 0 {
				return
			}
		}
		s.Licences[name] = copies
	}
	licences := q.licencesOf(e)
	for _, name := range slices.Sorted(maps.Keys(licences)) {
		if _, limited := q.sys.licences[name]; !limited {
			q.outside("a licence of which no file says how many copies there are: taken as without a limit")
		}
		need(name, licences[name], maxCopies)
	}
	if atOnce := int(min(j.atOnce.or(0), maxCopies)); tasks[e.array] > atOnce { // an array that limits them
		need(lines.Name("array "+e.array), 1, atOnce)
	}
	q.limits.limit(&limited{
		account: j.account, user: j.user, partition: j.partition, qos: j.qos, place: e.place, processors: e.processors, nodes: e.nodes, memory: q.wantedMemory(e) * float64(e.processors),
		generic: e.generic, licences: func() map[string]int { return licences }, need: need, outside: q.outside, waits: !e.running, counts: e.running, length: e.length,
	})
	if len(s.Licences) == 0 {
		s.Licences = nil
	}
	if name, priority := q.class(e); name != "" {
		s.UserClass = name
		in.UserClasses[name] = priority
	}
	if d := j.deadline.or(0); d > 0 && !e.running {
		d -= q.now
		s.Deadline, s.DeadlineHard = &d, true
	}
	return s
}

// class returns the user class that states the priority of a waiting job; the tier of its partition counts first. A job that runs without room on its nodes has the
// class that puts it before all waiting jobs.
func (q *queue) class(e *entry) (name string, priority float64) {
	switch priority = q.doc.jobs[e.job].priority.or(0); {
	case e.running && e.run == nil:
		return Running, model.Largest
	case e.running:
		return "", 0
	case !(priority > 0):
		return "", 0
	}
	return priorityClass(priority, e.place.tier, q.sys.tiers)
}

// priorityClass is the user class of a priority. The tier counts first where the partitions have different ones.
func priorityClass(priority, tier float64, tiers bool) (name string, value float64) {
	const oneTier = 1 << 32 // priorities are below it
	name = "priority " + strconv.FormatFloat(priority, 'f', -1, 64)
	if tiers {
		return fmt.Sprintf("tier %v %s", tier, name), tier*oneTier + min(priority, oneTier-1)
	}
	return name, priority
}

// licencesOf are the licences of a job, such as matlab:2,ansys.
func (q *queue) licencesOf(e *entry) map[string]int {
	text := q.doc.jobs[e.job].licences
	if text == "" || strings.EqualFold(text, "(null)") {
		return nil
	}
	if strings.Contains(text, "|") {
		q.outside("the job asks for one of several licences: an instance cannot express this")
		return nil
	}
	found := map[string]int{}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		copies := 1
		if cut := strings.LastIndexAny(part, ":="); cut >= 0 {
			n, err := lines.Whole(part[cut+1:], 0)
			if err != nil {
				q.doc.faults.At(at("jobs", e.job)+".licenses", "expected licences such as matlab:2, found %s", lines.Quote(text))
				return nil
			}
			part, copies = part[:cut], n
		}
		if part != "" {
			found[lines.Name(part)] = copies
		}
	}
	return found
}
