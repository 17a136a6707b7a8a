package slurm

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// system reads the nodes and the partitions of a trace: those of their files, else those of slurm.conf; nil: no file has nodes.
func (o *TraceReader) system(b *budget.Budget, site *site) (*system, error) {
	nodes, partitions := o.Nodes, o.Partitions
	if site != nil && nodes == "" && o.Processors == 0 && site.settings.HasNodes {
		nodes = o.SlurmConf
	} else if site != nil && partitions == "" && len(site.settings.Partitions) > 0 {
		partitions = o.SlurmConf
	}
	if nodes == "" {
		return nil, nil
	}
	var src Sources
	for _, f := range []struct {
		path string
		into *Source
	}{{nodes, &src.Nodes}, {partitions, &src.Partitions}} {
		if f.path == "" {
			continue
		}
		var err error
		if *f.into, err = source(f.path, o.Open, b); err != nil {
			return nil, err
		}
	}
	return readSystem(src, b, o.Open, true, nil)
}

// limits are those of the files of qualities of service and associations; nil: none is named, or no nodes are known. The settings of the site say whether they hold.
func (o *TraceReader) limits(b *budget.Budget, sys *system, site *site) (*limits, error) {
	if sys == nil || site == nil || o.QOS == "" && o.Assoc == "" {
		return nil, nil
	}
	var src Sources
	for _, f := range []struct {
		path string
		into *Source
	}{{o.QOS, &src.QOS}, {o.Assoc, &src.Associations}} {
		if f.path == "" {
			continue
		}
		var err error
		if *f.into, err = source(f.path, o.Open, b); err != nil {
			return nil, err
		}
	}
	settings := map[string]string{}
	if enforce, stated := site.settings.Stated("AccountingStorageEnforce"); stated {
		settings["accountingstorageenforce"] = enforce
	}
	return readLimits(src, b, settings, &sys.notes)
}

// fit finds how a job that ran lies on nodes, and says why it is left out; empty: it is kept.
func (t *trace) fit(j *past) string {
	if t.sys == nil {
		if j.generic != "" {
			t.note(model.ImportKept, true, "generic resources, such as GPUs: without the file of nodes they are left out")
		}
		if j.memory > 0 || j.nodes > 0 {
			t.note(model.ImportKept, false, "memory and nodes: without the file of nodes they are left out")
		}
		return ""
	}
	l := &layout{place: t.placeOf(j.queue, atLine(j.line))}
	if len(l.place.clusters) == 0 {
		return "no node is in the job's partition"
	}
	t.blocks(j, l)
	t.ask(l, strings.FieldsFunc(j.types, func(r rune) bool { return r == ',' }), j.features, t.note)
	if t.memory && j.memory > 0 {
		l.memory = perProcessor(j.memory, l.block*l.blocks)
	}
	if !t.hasRoom(l) && !t.squeeze(j, l) {
		return "held more than the nodes of its partition have: the files of the system are of another time, or not whole"
	}
	j.layout = t.share(l)
	return ""
}

// blocks divides a job among its nodes.
func (t *trace) blocks(j *past, l *layout) {
	nodes, processors := int(j.nodes), int(j.processors)
	generic := tresOf(j.generic)
	amount := func(name string) float64 {
		n, _ := lines.NonNegative(generic[name]) // it was read before
		return n
	}
	if nodes == 0 && len(generic) > 0 {
		nodes = 1
		for name := range generic {
			most := 0
			for _, kinds := range t.kindsOf(l.place) {
				for _, k := range kinds {
					most = max(most, k.host.resources[name])
				}
			}
			if most > 0 {
				nodes = max(nodes, int(math.Ceil(amount(name)/float64(most))))
			}
		}
		t.note(model.ImportKept, true, "no number of nodes: its generic resources lie on as few as they can")
	}
	even := nodes > 0 && processors%nodes == 0
	if few := j.asked > 0 && int(j.asked) < nodes; len(generic) == 0 && (few || !even) {
		switch {
		case few:
			t.note(model.ImportKept, false, "asked for fewer nodes than it held: its processors lie on any")
		case nodes > 0:
			t.note(model.ImportKept, true, "processors that do not divide evenly among its nodes: they lie on any")
		}
		l.block, l.blocks = 1, processors
		return
	}
	l.block, l.blocks = (processors+nodes-1)/nodes, nodes
	if nodes > 1 {
		l.perMachine = 1
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(generic)) {
		n := amount(name)
		part := math.Ceil(n / float64(nodes))
		even = even && part*float64(nodes) == n
		if !t.anyKind(l.place, func(k *kind) bool { return k.host.resources[name] > 0 }) {
			t.note(model.ImportKept, true, "generic resources that no node of its partition counts: they are left out")
			continue
		}
		parts = append(parts, name+"="+strconv.FormatFloat(part, 'f', -1, 64))
	}
	l.generic = strings.Join(parts, ",")
	if !even {
		t.note(model.ImportRepaired, true, "processors or generic resources that do not divide evenly among its nodes: the part of each node is rounded up")
	}
}

// squeeze makes a job fit that held more than the nodes have by the files, and says whether it could.
func (t *trace) squeeze(j *past, l *layout) bool {
	most := 0.0
	for _, kinds := range t.kindsOf(l.place) {
		for _, k := range kinds {
			if k.host.cpus >= l.block {
				most = max(most, k.host.memory/float64(l.block))
			}
		}
	}
	if most > 0 && l.memory > most {
		l.memory = most
		t.note(model.ImportRepaired, true, "more memory than the nodes of its partition have: the memory of one is taken")
		if t.hasRoom(l) {
			return true
		}
	}
	if l.generic != "" {
		return false
	}
	l.block, l.blocks, l.perMachine = 1, int(j.processors), 0
	t.note(model.ImportRepaired, true, "equal parts fit no nodes: its processors lie on any")
	return t.hasRoom(l)
}

// instance makes the instance of the jobs kept.
func (t *trace) instance(name string) (*model.Instance, *model.ImportReport, error) {
	spec := model.InstanceSpec{
		Name: lines.Title(name, ".txt", ".csv"), Units: &model.Units{Time: "s"},
		UserClasses: map[string]float64{}, Jobs: make([]model.JobSpec, len(t.jobs)),
	}
	if t.sys == nil {
		spec.Clusters = []model.ClusterSpec{{ID: t.opt.Cluster, Machines: []model.MachineSpec{{ID: "node", Count: t.pool()}}}}
	} else {
		spec.Units.Memory = "MB"
		for _, p := range t.sys.parts {
			t.placeOf(p.name, "")
		}
		t.clusters(&spec)
	}
	if n := len(spec.Clusters); n > 1 {
		t.faults.Cells("", len(t.jobs), n)
	}
	origin := math.Inf(1)
	for k := range t.jobs {
		origin = min(origin, t.jobs[k].arrival)
	}
	if len(t.jobs) > 0 {
		if spec.TimeZero = &origin; t.local {
			spec.TimeZone = model.UnstatedZone
		}
	}
	for k := range t.jobs {
		spec.Jobs[k] = t.spec(&t.jobs[k], origin, &spec)
	}
	spec.Caveats = t.warnings()
	if t.site != nil {
		t.site.onto(&spec, false)
	} else if t.sys != nil {
		assumed(&spec)
	}
	t.report.Warnings = spec.Caveats
	return t.faults.Import(spec, t.report, func(k int) string { return "line " + strconv.Itoa(t.jobs[k].line) })
}

// spec is a job as the model takes it.
func (t *trace) spec(j *past, origin float64, in *model.InstanceSpec) model.JobSpec {
	work := j.end - j.start
	recorded := j.start - origin
	s := model.JobSpec{
		ID: j.id, Arrival: j.arrival - origin, Processors: model.Rigid(int(j.processors)), User: j.user, Group: j.group, Queue: j.queue, Quality: j.qos, Recorded: &recorded,
	}
	var tier float64
	var tiers bool
	if l := j.layout; l != nil {
		tier, tiers = l.place.tier, t.sys.tiers
		l.onto(&s)
		if len(t.sys.clusters) > 1 {
			s.Runtime = map[string]float64{}
			for _, c := range l.place.clusters {
				s.Runtime[t.sys.clusters[c].name] = work
			}
		}
	}
	if s.Runtime == nil {
		s.Work = &work
	}
	t.limit(j, &s, in)
	if j.limit > 0 {
		limit := max(j.limit, work)
		if s.Estimate = &limit; j.limit < work {
			s.Requested = &j.limit
		}
	}
	if j.priority > 0 {
		name, priority := priorityClass(j.priority, tier, tiers)
		s.UserClass = name
		in.UserClasses[name] = priority
	}
	return s
}

// limit lets the limits of qualities of service and associations hold for a job as licences. Nobody knows what they were then: one that the job alone would break did not hold for it.
func (t *trace) limit(j *past, s *model.JobSpec, in *model.InstanceSpec) {
	generic := map[string]float64{}
	for name, n := range tresOf(j.generic) {
		generic[name], _ = lines.NonNegative(n) // it was read before
	}
	outside := func(reason string) {
		t.report.NoteLine(model.ImportKept, reason, j.line)
		t.out.note(reason, atLine(j.line), !j.touched)
		j.touched = true
	}
	of := &limited{
		account: j.group, user: j.user, partition: j.queue, qos: j.qos, processors: int(j.processors), nodes: int(j.nodes), memory: j.memory, generic: generic, outside: outside, counts: true,
		need: func(name string, copies, pool int) {
			if copies > pool {
				outside("it held more than a limit allows: the limit was another one then, and does not hold for it")
				return
			}
			if s.Licences == nil {
				s.Licences = map[string]int{}
			}
			if in.Licences == nil {
				in.Licences = map[string]int{}
			}
			s.Licences[name], in.Licences[name] = copies, pool
		},
	}
	if j.layout != nil {
		of.place = j.layout.place
	}
	t.limits.limit(of)
}

// pool is the processors of a system without nodes.
func (t *trace) pool() int {
	if t.opt.Processors > 0 {
		return t.opt.Processors
	}
	return busiest(t.jobs, func(*past) bool { return true })
}

// busiest is the most processors that some of the jobs held at one time.
func busiest(jobs []past, counts func(*past) bool) int {
	type change struct {
		at float64
		by int
	}
	var changes []change
	for k := range jobs {
		if j := &jobs[k]; counts(j) {
			changes = append(changes, change{j.start, int(j.processors)}, change{j.end, -int(j.processors)})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	most, held := 1, 0
	for _, c := range changes {
		held += c.by
		most = max(most, held)
	}
	return most
}
