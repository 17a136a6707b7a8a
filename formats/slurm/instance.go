package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/lines"
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
	resources := q.sys.resources()
	if n := len(q.sys.clusters); n > 1 && (n > maxTable/max(len(q.list), 1) || n > maxTable/max(len(resources), 1)) {
		q.doc.faults.At("", "expected clusters times jobs, and times generic resources, of at most %d; found %d clusters, %d jobs and %d resources", maxTable, n, len(q.list), len(resources))
		return nil, q.doc.faults.Err()
	}
	for k, e := range q.list {
		spec.Jobs[k] = q.spec(e, &spec, tasks, resources)
		q.count(e.job, 1)
	}
	for _, p := range q.sys.parts {
		q.placeOf(p.name, "partitions")
	}
	spec.Partitions = q.sys.partitionSpecs(q.places, func(p *model.PartitionSpec, name string) { p.Licence = name })
	for c := range q.sys.clusters {
		spec.Clusters = append(spec.Clusters, q.cluster(c, &spec, resources))
		if q.listed > maxTable {
			q.doc.faults.At("", "expected at most %d licences, those of each group of nodes counted, found more", maxTable)
			return nil, q.doc.faults.Err()
		}
	}
	in, err := q.doc.faults.Build(spec, func(k int) string { return at("jobs", q.list[k].job) })
	if err == nil {
		q.report.Kept = len(q.list)
		q.crowded()
	}
	return in, err
}

// sort puts the jobs in the order of the queue: those that run, those with much memory first so that the others cannot be in their way; then those that wait, in
// Slurm's order.
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
			return cmp.Or(cmp.Compare(b.memory, a.memory), cmp.Compare(b.processors, a.processors))
		}
		x, y := job(a), job(b)
		return cmp.Or(cmp.Compare(b.place.tier, a.place.tier), cmp.Compare(y.priority.or(0), x.priority.or(0)), cmp.Compare(x.submit.or(0), y.submit.or(0)),
			cmp.Compare(x.id.or(0), y.id.or(0)), cmp.Compare(a.task, b.task))
	}
	slices.SortStableFunc(q.list, order)
}

// crowded notes where the jobs that run hold more processors than the nodes in service have: Slurm may share processors, and the files may be of different times.
func (q *queue) crowded() {
	held := make([]int, len(q.sys.clusters))
	for _, e := range q.list {
		if e.running && len(e.place.clusters) > 0 {
			held[e.place.clusters[0]] += e.processors
		}
	}
	for c, n := range held {
		if n > q.sys.clusters[c].processors {
			q.report.Note(model.ImportKept, "the jobs that run hold more processors than the nodes in service have: some of them start later than at 0", lines.Quote(q.sys.clusters[c].name))
		}
	}
}

// resources are the generic resources that the nodes count, by name.
func (s *system) resources() map[string]bool {
	found := map[string]bool{}
	for k := range s.hosts {
		for name := range s.hosts[k].resources {
			found[name] = true
		}
	}
	return found
}

// spec is a job as the model takes it. It enters its user class and the licences that it needs and nothing limits yet into the instance.
func (q *queue) spec(e *entry, in *model.InstanceSpec, tasks map[string]int, resources map[string]bool) model.JobSpec {
	j := &q.doc.jobs[e.job]
	s := model.JobSpec{
		ID: e.id, Arrival: e.arrival, Processors: model.Rigid(e.processors), Estimate: &e.length, Span: e.span, Memory: e.memory,
		User: lines.Name(cmp.Or(j.user, j.userID)), Group: lines.Name(j.group), Queue: lines.Name(j.partition),
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
	}
	need := func(name string, copies, pool int) {
		if s.Licences == nil {
			s.Licences = map[string]int{}
		}
		s.Licences[name] = copies
		if _, limited := in.Licences[name]; !limited && pool > 0 {
			in.Licences[name] = pool
		}
	}
	for name, copies := range q.licencesOf(e) {
		if _, limited := q.sys.licences[name]; !limited {
			q.kept("a licence of which no file says how many copies there are: taken as without a limit")
		}
		need(name, copies, maxCopies)
	}
	if atOnce := int(min(j.atOnce.or(0), maxCopies)); e.array != "" && atOnce > 0 && tasks[e.array] > atOnce {
		need(lines.Name("array "+e.array), 1, atOnce)
	}
	if e.place.licence != "" {
		need(e.place.licence, 1, 0)
	}
	q.generic(e, resources, need)
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

// class returns the user class that states the priority of a job; the tier of its partition counts first. The class of a running job puts it before
// all waiting jobs.
func (q *queue) class(e *entry) (name string, priority float64) {
	switch priority = q.doc.jobs[e.job].priority.or(0); {
	case e.running:
		return Running, model.Largest
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
		q.kept("the job asks for one of several licences: an instance cannot express this")
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

// generic finds the generic resources that a job needs, such as GPUs.
func (q *queue) generic(e *entry, resources map[string]bool, need func(name string, copies, pool int)) {
	j := &q.doc.jobs[e.job]
	counts, typed := genericOf(cmp.Or(j.allocated, j.requested))
	if len(counts)+len(typed) == 0 && !e.running {
		for name, n := range resourcesOf(strings.NewReplacer("gres:", "", "gres/", "").Replace(j.perNode)) {
			counts[name] = float64(n) * max(j.nodes.or(1), 1)
		}
	}
	for name, n := range typed {
		counts[name] = max(counts[name], n)
	}
	if len(typed) > 0 {
		q.kept("the job asks for generic resources of one type: any of their name are taken")
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		switch n := counts[name]; {
		case n == 0:
		case !resources[name]:
			q.kept("the job asks for generic resources that no node in service counts: an instance cannot express this")
		default:
			need(genericName(name), int(min(n, maxCopies)), 0)
		}
	}
}

// genericName is the licence that stands for a generic resource.
func genericName(name string) string { return lines.Name("gres/" + name) }

// cluster is a cluster as the model takes it: nodes that are alike are one group of machines.
func (q *queue) cluster(c int, in *model.InstanceSpec, resources map[string]bool) model.ClusterSpec {
	spec := model.ClusterSpec{ID: q.sys.clusters[c].name}
	for name := range resources {
		if spec.Licences == nil {
			spec.Licences = map[string]int{}
		}
		spec.Licences[genericName(name)] = 0
	}
	carries, limited := q.partitionLicences(c)
	for _, h := range q.sys.clusters[c].hosts {
		for name, n := range q.sys.hosts[h].resources {
			spec.Licences[genericName(name)] = min(spec.Licences[genericName(name)]+n, maxCopies)
		}
	}
	spec.Machines = q.sys.machines(c, q.opt.IgnoreMemory, func(h int) string { return strings.Join(carries[h], "\x00") }, func(m *model.MachineSpec, h int) {
		if !limited {
			return
		}
		m.Licences = append(slices.Sorted(maps.Keys(in.Licences)), carries[h]...)
		for name := range resources {
			m.Licences = append(m.Licences, genericName(name))
		}
		slices.Sort(m.Licences)
		q.listed += len(m.Licences)
	})
	return spec
}

// partitionLicences are the licences of partitions that each node of a cluster can run, and whether any job of the instance needs such a licence.
func (q *queue) partitionLicences(c int) (carries map[int][]string, limited bool) {
	carries = map[int][]string{}
	for _, names := range slices.Sorted(maps.Keys(q.places)) {
		p := q.places[names]
		if p.licence == "" {
			continue
		}
		limited = true
		for _, h := range p.hosts[c] {
			carries[h] = append(carries[h], p.licence)
		}
	}
	return carries, limited
}
