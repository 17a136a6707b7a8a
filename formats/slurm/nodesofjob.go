package slurm

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/model"
)

// readSystemFiles reads the nodes and the partitions of a trace from files.
func readSystemFiles(nodes, partitions string) (*system, error) {
	var src Sources
	for _, f := range []struct {
		path string
		into *Source
	}{{nodes, &src.Nodes}, {partitions, &src.Partitions}} {
		if f.path == "" {
			continue
		}
		file, err := model.Open(f.path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		*f.into = Source{io.Reader(file), model.InputName(f.path)}
	}
	return readSystem(src, true)
}

// layout is how a job lies on nodes. Jobs that lie alike share it.
type layout struct {
	place    *place
	block    int     // processors of a block, which is on one node
	blocks   int     // of all its nodes
	apart    bool    // each block is on a node of its own
	memory   float64 // of a processor, MB
	generic  string  // resources of a block such as gpu=4
	features string  // lists of features, apart by &; of each list, whose names are apart by |, a node has one
}

// kind is nodes of a place that are alike.
type kind struct {
	host  *host
	count int
}

// kindsOf are the kinds of nodes of a place, by cluster.
func (t *trace) kindsOf(p *place) [][]kind {
	if known, ok := t.kinds[p]; ok {
		return known
	}
	var all [][]kind
	for _, c := range p.clusters {
		found := map[string]int{}
		var list []kind
		for _, h := range p.hosts[c] {
			host := &t.sys.hosts[h]
			key := hostKind(host)
			k, known := found[key]
			if !known {
				k = len(list)
				found[key] = k
				list = append(list, kind{host: host})
			}
			list[k].count++
		}
		all = append(all, list)
	}
	t.kinds[p] = all
	return all
}

// hostKind tells nodes apart that differ in what a job may ask for.
func hostKind(h *host) string {
	return fmt.Sprint(h.cpus, " ", h.memory, " ", h.resources, " ", strings.Join(h.features, "\x00"))
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
	l := &layout{place: t.placeOf(j.queue)}
	if len(l.place.clusters) == 0 {
		return "no node is in the job's partition"
	}
	t.blocks(j, l)
	t.features(j, l)
	if t.opt.Memory && j.memory > 0 {
		const parts = 1 << 20 // so that the sums are exact
		l.memory = math.Floor(j.memory/float64(l.block*l.blocks)*parts) / parts
	}
	if !t.hasRoom(l) && !t.squeeze(j, l) {
		return "held more than the nodes of its partition have: the files of the system are of another time, or not whole"
	}
	if known := t.layouts[*l]; known != nil {
		j.layout = known
	} else {
		t.layouts[*l], j.layout = l, l
	}
	return ""
}

// placeOf is where the jobs of a partition may run, found once.
func (t *trace) placeOf(partition string) *place {
	p := t.places[partition]
	if p == nil {
		p = t.sys.placeOf(partition)
		t.places[partition] = p
	}
	return p
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
	l.block, l.blocks, l.apart = (processors+nodes-1)/nodes, nodes, nodes > 1
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(generic)) {
		n := amount(name)
		part := math.Ceil(n / float64(nodes))
		even = even && part*float64(nodes) == n
		known := slices.ContainsFunc(t.kindsOf(l.place), func(kinds []kind) bool {
			return slices.ContainsFunc(kinds, func(k kind) bool { return k.host.resources[name] > 0 })
		})
		if !known {
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

// features finds the features that the nodes of a job must have: those of a partition that shares a cluster, and those that the job asked for.
func (t *trace) features(j *past, l *layout) {
	var lists []string
	if l.place.licence != "" {
		lists = append(lists, l.place.licence)
	}
	offers := func(name string) (some, all bool) {
		all = true
		for _, kinds := range t.kindsOf(l.place) {
			for _, k := range kinds {
				has := slices.Contains(k.host.features, name)
				some, all = some || has, all && has
			}
		}
		return some, all
	}
	for name := range strings.SplitSeq(j.types, ",") {
		if name == "" {
			continue
		}
		switch some, all := offers(name); {
		case !some:
			t.note(model.ImportKept, true, "a type of generic resources that no node of its partition states: any type is taken")
		case !all:
			lists = append(lists, name)
		}
	}
	if j.features != "" {
		if asked := featureLists(j.features); asked == nil {
			t.note(model.ImportKept, true, "asked for features in a way that an instance cannot express: it runs on any node of its partition")
		} else if slices.ContainsFunc(asked, func(list string) bool {
			return !slices.ContainsFunc(strings.Split(list, "|"), func(name string) bool { some, _ := offers(name); return some })
		}) {
			t.note(model.ImportKept, true, "asked for features that no node of its partition states: it runs on any of them")
		} else {
			lists = append(lists, asked...)
		}
	}
	l.features = strings.Join(lists, "&")
}

// featureLists are the lists of features of a constraint, such as a100|h100 of which a node has one, or a100&ib; nil: with counts, brackets or both.
func featureLists(text string) []string {
	if strings.ContainsAny(text, "[]()*{}\x00") || strings.Contains(text, "|") && strings.ContainsAny(text, "&,") {
		return nil
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == '&' || r == ',' })
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
	l.block, l.blocks, l.apart = 1, int(j.processors), false
	t.note(model.ImportRepaired, true, "equal parts fit no nodes: its processors lie on any")
	return t.hasRoom(l)
}

// hasRoom says whether a job may lie so on the nodes of its place when nothing else runs.
func (t *trace) hasRoom(l *layout) bool {
	if known, ok := t.rooms[*l]; ok {
		return known
	}
	generic := tresOf(l.generic)
	fits := false
	for _, kinds := range t.kindsOf(l.place) {
		if t.looked += len(kinds); t.looked > mostLooked && t.looked-len(kinds) <= mostLooked {
			t.faults.At("", "expected at most %d kinds of nodes for all kinds of jobs together, found more", mostLooked)
		}
		if t.looked > mostLooked {
			return true
		}
		room := 0
		for _, k := range kinds {
			room += k.count * blocksOn(k.host, l, generic)
		}
		fits = fits || room >= l.blocks
	}
	t.rooms[*l] = fits
	return fits
}

// mostLooked is the most kinds of nodes that the kinds of jobs look at: a hostile file must not make that take hours.
const mostLooked = 500_000_000

// blocksOn is how many blocks of a job a node takes.
func blocksOn(h *host, l *layout, generic map[string]string) int {
	n := h.cpus / l.block
	if l.memory > 0 && h.memory > 0 {
		n = min(n, int(h.memory/(l.memory*float64(l.block))))
	}
	for name, text := range generic {
		if part, err := lines.NonNegative(text); err == nil && part > 0 {
			n = min(n, int(float64(h.resources[name])/part))
		}
	}
	for list := range strings.SplitSeq(l.features, "&") {
		if list == "" || list == l.place.licence {
			continue
		}
		if !slices.ContainsFunc(strings.Split(list, "|"), func(name string) bool { return slices.Contains(h.features, name) }) {
			return 0
		}
	}
	if l.apart {
		n = min(n, 1)
	}
	return n
}

// instance makes the instance of the jobs kept.
func (t *trace) instance(name string) (*model.Instance, *model.ImportReport, error) {
	t.report.Warnings = t.warnings()
	spec := model.InstanceSpec{
		Name: lines.Title(name, ".txt", ".csv"), Units: &model.Units{Time: "s"}, Caveats: t.report.Warnings,
		UserClasses: map[string]float64{}, Jobs: make([]model.JobSpec, len(t.jobs)),
	}
	if t.sys == nil {
		spec.Clusters = []model.ClusterSpec{{ID: t.opt.Cluster, Machines: []model.MachineSpec{{ID: "node", Count: t.pool()}}}}
	} else {
		spec.Units.Memory = "MB"
		for _, p := range t.sys.parts {
			t.placeOf(p.name)
		}
		t.clusters(&spec)
		spec.Partitions = t.sys.partitionSpecs(t.places, func(p *model.PartitionSpec, name string) { p.Feature = name })
	}
	if n := len(spec.Clusters); n > 1 && n > maxTraceTable/max(len(t.jobs), 1) {
		t.faults.At("", "expected clusters times jobs of at most %d; found %d clusters and %d jobs", maxTraceTable, n, len(t.jobs))
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
	return t.faults.Import(spec, t.report, func(k int) string { return "line " + strconv.Itoa(t.jobs[k].line) })
}

// maxTraceTable is the most run times by job and cluster.
const maxTraceTable = 200_000_000

// spec is a job as the model takes it.
func (t *trace) spec(j *past, origin float64, in *model.InstanceSpec) model.JobSpec {
	work := j.end - j.start
	recorded := j.start - origin
	s := model.JobSpec{
		ID: j.id, Arrival: j.arrival - origin, Processors: model.Rigid(int(j.processors)), User: j.user, Group: j.group, Queue: j.queue, Recorded: &recorded,
	}
	tier, tiers := 0.0, false
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

// onto says of a job how it lies on nodes.
func (l *layout) onto(s *model.JobSpec) {
	s.Processors, s.Memory = model.Rigid(l.block*l.blocks), l.memory
	if l.block > 1 {
		s.Block = l.block
	}
	if l.apart {
		s.PerMachine = 1
	}
	for name, text := range tresOf(l.generic) {
		if part, err := lines.NonNegative(text); err == nil {
			if s.Resources == nil {
				s.Resources = map[string]float64{}
			}
			s.Resources[lines.Name(name)] = part
		}
	}
	for list := range strings.SplitSeq(l.features, "&") {
		if list != "" {
			s.Features = append(s.Features, strings.Split(list, "|"))
		}
	}
}

// clusters adds the clusters and their machines, with their memory, generic resources and features.
func (t *trace) clusters(spec *model.InstanceSpec) {
	named := map[string]bool{}
	for c := range t.sys.clusters {
		carries := t.partitionFeatures(c)
		cluster := model.ClusterSpec{ID: t.sys.clusters[c].name}
		cluster.Machines = t.sys.machines(c, !t.opt.Memory, func(h int) string {
			return hostKind(&t.sys.hosts[h]) + "\x00" + strings.Join(carries[h], "\x00")
		}, func(m *model.MachineSpec, h int) {
			host := &t.sys.hosts[h]
			m.Features = slices.Sorted(slices.Values(append(slices.Clone(host.features), carries[h]...)))
			m.Features = slices.Compact(m.Features)
			for name, n := range host.resources {
				if n == 0 {
					continue
				}
				if m.Resources == nil {
					m.Resources = map[string]float64{}
				}
				m.Resources[lines.Name(name)] = float64(n)
				named[name] = true
			}
		})
		spec.Clusters = append(spec.Clusters, cluster)
	}
	if named["gpu"] {
		spec.Devices = []string{"gpu"}
	}
}

// partitionFeatures are the features, by node of a cluster, of the partitions that have some of its nodes only.
func (t *trace) partitionFeatures(c int) map[int][]string {
	carries := map[int][]string{}
	for _, name := range slices.Sorted(maps.Keys(t.places)) {
		if p := t.places[name]; p.licence != "" {
			for _, h := range p.hosts[c] {
				carries[h] = append(carries[h], p.licence)
			}
		}
	}
	return carries
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
