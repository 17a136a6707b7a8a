package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// system is the nodes in service with their partitions.
type system struct {
	hosts      []host
	index      map[string]int // node → host; −1: closed
	partitions map[string]*part
	parts      []*part // in the order in which they are met
	clusters   []cluster
	licences   map[string]int  // copies
	mixed      map[string]bool // generic resources of which some node has several types
	stated     map[string]bool // features of nodes, also of those that are closed
	reserved   []reservation
	planned    bool // a file of reservations is given
	tiers      bool // the partitions' file tells some from others by their tiers
	busy       map[string]bool
	past       bool // it is for jobs that have ended: what is closed now was perhaps open then
	settings   map[string]string
	config     *Settings        // nil: no file of them is given
	budget     *budget.Budget   // of the reading
	weights    map[float64]bool // of the nodes in service
	members    *members         // which partitions have which nodes, where only the partitions say it
	notes      model.ImportReport
}

// members is which partitions have which nodes, by what the partitions say.
type members struct {
	of      map[string][]string // by name of the node
	all     []string            // partitions that have every node
	feature map[string][]string // partitions that have the nodes of a feature
}

// host is a node in service.
type host struct {
	name      string
	cpus      int
	memory    float64 // MB
	parts     []*part
	resources map[string]int // generic resources by their names in the instance, see [system.byType]
	types     []gres         // of generic resources, in the order in which Slurm numbers them
	features  []string       // sorted; types of generic resources such as gpu:h100 are features too
	cores     int            // of all its processors
	cluster   int
	shut      bool // closed to new jobs: it is there for those that run on it
	closed    []model.ClosedSpec
	machine   string // its name in the instance
	first     int    // its first processor in its cluster
}

// part is a partition.
type part struct {
	name      string
	number    int
	limit     float64 // MaxTime, minutes; 0: none
	usualTime float64 // DefaultTime, minutes; 0: not stated
	tier      float64
	exclusive bool
	qos       string // whose limits hold for all its jobs
	closed    bool   // it starts no jobs
	nodes     int    // the most nodes of a job; 0: any number
	few       bool   // a job gets some of the processors of each node only
	hosts     []int  // in service
	usual     bool   // jobs without a partition go there
	shares    bool   // several jobs may have a processor at a time
	shut      bool   // it has nodes that are closed, and on which jobs run
	joined    *part  // a partition of the same cluster, nearer to the first one of the cluster; nil: this is the first
}

// cluster is the partitions that share nodes.
type cluster struct {
	name  string
	hosts []int
	parts []*part
	open  int // nodes that take new jobs
}

// root is the first partition of those that share nodes.
func (p *part) root() *part {
	root := p
	for root.joined != nil {
		root = root.joined
	}
	for p != root { // so that the next search from here is shorter
		p, p.joined = p.joined, root
	}
	return root
}

// readSystem reads, from a budget, all files but those of the jobs and their limits. The jobs of a live queue are in it now, others are in the past. The busy nodes are kept
// even if they are closed, because jobs run on them. What slurm.conf includes is opened by open; nil: it is not read.
func readSystem(src Sources, b *budget.Budget, open opener, past bool, busy map[string]bool) (*system, error) {
	s := &system{budget: b, busy: busy, mixed: map[string]bool{}, stated: map[string]bool{}, index: map[string]int{}, partitions: map[string]*part{}, licences: map[string]int{}, past: past, settings: map[string]string{}, weights: map[float64]bool{}, members: &members{of: map[string][]string{}, feature: map[string][]string{}}}
	read := func(source Source, use func(doc *document)) error {
		if source.Reader == nil {
			return nil
		}
		doc := readAny(Source{b.Reader(source.Reader), source.Name}, open)
		use(doc)
		if doc.wrong != nil && b.Err() != nil {
			return doc.wrong
		} else if doc.wrong != nil {
			return errors.Join(doc.wrong, doc.faults.Err())
		}
		return doc.faults.Err()
	}
	nodes := func(doc *document) {
		doc.needs("nodes", nodesCommand, doc.nodes != nil)
		if src.Partitions.Reader == nil && doc.partitions != nil { // slurm.conf has both
			s.addPartitions(doc)
		}
		for k := range doc.nodes {
			s.addNode(doc, k)
		}
		maps.Copy(s.settings, doc.settings)
		for _, file := range doc.included {
			s.notes.Note(model.ImportKept, "file that the nodes' file includes: it is not read, so give it in place of that line", lines.Quote(file))
		}
	}
	for _, step := range []struct {
		source Source
		use    func(doc *document)
	}{
		{src.Partitions, s.addPartitions}, {src.Nodes, nodes}, {src.Reservations, s.addReservations}, {src.Licences, s.addLicences},
	} {
		if err := read(step.source, step.use); err != nil {
			return nil, err
		}
	}
	if src.Config.Reader != nil {
		settings, err := readSettings(Source{b.Reader(src.Config.Reader), src.Config.Name}, nil, false)
		if err != nil {
			return nil, err
		}
		maps.Copy(s.settings, settings.stated)
		plansAs(settings.Scheduler, s.settings, &s.notes)
		s.config = settings
	}
	s.join()
	if !slices.ContainsFunc(s.hosts, func(h host) bool { return !h.shut }) {
		faults := lines.NewFaults(src.Nodes.Name)
		faults.At("nodes", "expected nodes in service, found %d, all down, drained or without a partition", len(s.index))
		return nil, faults.Err()
	}
	return s, nil
}

// partition returns the partition with the name, and makes it if it is new.
func (s *system) partition(name string) *part {
	p := s.partitions[name]
	if p == nil {
		p = &part{name: name, number: len(s.parts), tier: usualTier}
		s.partitions[name] = p
		s.parts = append(s.parts, p)
	}
	return p
}

// maxTier is the greatest tier of a partition: Slurm keeps it in 16 bits.
const maxTier = 1<<16 - 1

// usualTier is the tier of a partition that states none.
const usualTier = 1

// addPartitions takes what the partitions' file says of limits.
func (s *system) addPartitions(doc *document) {
	doc.needs("partitions", partitionsCommand, doc.partitions != nil)
	for k := range doc.partitions {
		stated := &doc.partitions[k]
		if stated.name == "" {
			doc.missing(at("partitions", k), "name")
			continue
		}
		p := s.partition(stated.name)
		p.limit, p.usualTime, p.tier, p.qos = stated.limit.or(0), stated.usualTime.or(0), min(stated.tier.or(usualTier), maxTier), stated.qos
		s.addMembers(doc, stated, at("partitions", k))
		p.exclusive = stated.share.known && stated.share.value == 0
		p.closed = len(stated.state) > 0 && !hasWord(stated.state, "UP")
		p.nodes = int(min(stated.nodesMost.or(0), maxHosts))
		const force = 1 << 15 // a flag in what JSON says of sharing
		p.few, p.usual = stated.cpusMost.known || stated.socketMost.known, stated.usual
		p.shares = math.Mod(stated.share.or(1), force) > 1
	}
	s.tiers = slices.ContainsFunc(s.parts, func(p *part) bool { return p.tier != s.parts[0].tier })
}

// addMembers notes the nodes of a partition that a text states. JSON states the partitions of each node too, and those count.
func (s *system) addMembers(doc *document, p *partition, place string) {
	if doc.settings == nil {
		return // JSON
	}
	m := s.members
	add := func(list string) bool {
		names, err := expandHosts(list, s.budget)
		if err == nil {
			const entry = 3 // names: an entry of the map with its list
			err = s.budget.Names(entry * len(names))
		}
		if err != nil {
			doc.faults.At(place+".nodes", "%s", err)
			return false
		}
		for _, name := range names {
			m.of[name] = append(m.of[name], p.name)
		}
		return true
	}
	for _, name := range splitOutside(p.nodes) {
		name = strings.TrimSpace(name)
		set, isSet := doc.sets[name]
		switch {
		case strings.EqualFold(name, "ALL"):
			m.all = append(m.all, p.name)
		case isSet && set.features != "":
			m.feature[set.features] = append(m.feature[set.features], p.name)
			fallthrough
		case isSet:
			if !add(set.nodes) {
				return
			}
		case !add(name):
			return
		}
	}
}

// partitionsOf are the partitions of a node: those that it states, or those that state it.
func (s *system) partitionsOf(n *node) ([]string, error) {
	if !n.anyPartition {
		return n.partitions, s.budget.Names(len(n.partitions))
	}
	lists := [][]string{s.members.of[n.name], s.members.all}
	for _, feature := range n.features {
		lists = append(lists, s.members.feature[feature])
	}
	many := 0
	for _, list := range lists {
		many += len(list)
	}
	if err := s.budget.Names(many); err != nil {
		return nil, err
	}
	return slices.Concat(lists...), nil
}

// hasWord says that a word is in a list, in any case.
func hasWord(words []string, word string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
}

// closedStates are the states and flags of nodes that take no new jobs.
var closedStates = []string{
	"DOWN", "UNKNOWN", "ERROR", "FUTURE", "INVALID", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "MAINTENANCE", "NOT_RESPONDING", "NO_RESPOND",
	"INVALID_REG", "REBOOT_REQUESTED", "REBOOT_ISSUED", "POWERING_DOWN", "BLOCKED", "UNDRAIN_FAILED",
}

// addNode takes a node, if it is in service.
func (s *system) addNode(doc *document, k int) {
	n, place := &doc.nodes[k], at("nodes", k)
	at := func(field string) string { return place + "." + field }
	if n.line > 0 {
		place = "line " + strconv.Itoa(n.line)
		at = func(string) string { return place }
	}
	_, twice := s.index[n.name]
	switch {
	case n.name == "":
		doc.missing(place, "name")
		return
	case twice:
		doc.faults.At(at("name"), "expected each node once, found %s again", lines.Quote(n.name))
		return
	case len(n.name) > maxHostName:
		doc.faults.At(at("name"), "expected a name of at most %d bytes, found %d", maxHostName, len(n.name))
		return
	case len(n.states) == 0:
		doc.missing(place, "state")
		return
	case !n.cpus.known:
		doc.missing(place, "cpus")
		return
	}
	if !doc.faults.Names(place, wordsOf(n)) { // one line may state the features of many nodes
		return
	}
	cpus := whole(n.cpus, model.MaxProcessors, doc.faults, at("cpus"))
	if effective := whole(n.effective, model.MaxProcessors, doc.faults, at("effective_cpus")); effective > 0 {
		cpus = min(cpus, effective)
	}
	s.index[n.name] = -1
	features := featuresOf(n)
	for _, name := range features {
		s.stated[name] = true
	}
	shut := false
	state := slices.Concat(n.states, n.flags)
	switch {
	case s.past && hasWord(state, "FUTURE"):
		s.notes.Note(model.ImportRepaired, "node of the future: it is left out of the instance", place)
		return
	case s.past && slices.ContainsFunc(closedStates, func(word string) bool { return hasWord(state, word) }):
		s.notes.Note(model.ImportKept, "node down, drained or otherwise closed now: it counts as in service for all of the trace, as no file says since when it is closed", place)
	case slices.ContainsFunc(closedStates, func(word string) bool { return hasWord(state, word) }):
		if shut = s.busy[n.name]; !shut {
			s.notes.Note(model.ImportRepaired, "node down, drained or otherwise closed to new jobs: it is left out of the instance", place)
			return
		}
		s.notes.Note(model.ImportRepaired, "node down, drained or otherwise closed to new jobs, on which jobs run: it takes no others", place)
	}
	partitions, err := s.partitionsOf(n)
	switch {
	case err != nil:
		doc.faults.At(place, "%s", err)
		return
	case len(partitions) == 0:
		s.notes.Note(model.ImportRepaired, "node in no partition: it is left out of the instance", place)
		return
	case cpus == 0:
		return
	}
	h := host{name: n.name, cpus: cpus, memory: max(0, n.memory.or(0)-n.special.or(0)), features: features, shut: shut, types: gresOf(n.resources)}
	h.resources = countsOf(h.types)
	h.cores = int(n.cpus.value / max(n.threads.or(1), 1))
	if shut {
		h.closed = []model.ClosedSpec{{}}
	}
	if hasWord(state, "POWERED_DOWN") && !s.past {
		s.notes.Note(model.ImportKept, "node powered down: it counts as idle, though it has to boot before a job starts", place)
	}
	if n.weight.known && !s.past {
		s.weights[n.weight.value] = true
		if len(s.weights) == mixedWeights {
			s.notes.Note(model.ImportKept, "nodes of different weights: the policies take the first nodes that fit, not those of the least weight", place)
		}
	}
	s.mix(h.types)
	s.enter(&h, partitions)
	s.index[n.name] = len(s.hosts)
	s.hosts = append(s.hosts, h)
}

// wordsOf is the number of names that the node's resources and features come to.
func wordsOf(n *node) int {
	words := 2 + strings.Count(n.resources, ",")
	for _, list := range n.features {
		words += 1 + strings.Count(list, ",")
	}
	return words
}

// mixedWeights is the number of weights from which on they order nodes.
const mixedWeights = 2

// enter enters the node that is taken next into its partitions, and joins those.
func (s *system) enter(h *host, partitions []string) {
	met := make(map[*part]bool, len(partitions))
	for _, name := range partitions {
		p := s.partition(name)
		if met[p] {
			continue // the name stands twice
		}
		met[p] = true
		h.parts = append(h.parts, p)
		if p.shut = p.shut || h.shut; !h.shut {
			p.hosts = append(p.hosts, len(s.hosts))
		}
	}
	first := h.parts[0].root()
	for _, p := range h.parts[1:] {
		other := p.root()
		if other == first {
			continue
		}
		if other.number < first.number {
			first, other = other, first
		}
		other.joined = first
	}
}

// featuresOf are what a job may ask of a node by name: its features, and the types of its generic resources, such as gpu:h100.
func featuresOf(n *node) []string {
	var features []string
	for _, list := range n.features {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name != "" && name != "(null)" {
				features = append(features, lines.Name(name))
			}
		}
	}
	for part := range strings.SplitSeq(n.resources, ",") {
		part, _, _ = strings.Cut(strings.TrimSpace(part), "(")
		if words := strings.Split(part, ":"); len(words) == 3 {
			features = append(features, lines.Name(words[0]+":"+words[1]))
		}
	}
	slices.Sort(features)
	return slices.Compact(features)
}

// addLicences takes the copies of the licences.
func (s *system) addLicences(doc *document) {
	doc.needs("licenses", licencesCommand, doc.licences != nil)
	for k := range doc.licences {
		l, place := &doc.licences[k], at("licenses", k)
		switch {
		case l.name == "":
			doc.missing(place, "LicenseName")
		case !l.total.known:
			doc.missing(place, "Total")
		default:
			s.licences[lines.Name(l.name)] = whole(l.total, maxCopies, doc.faults, place+".Total")
		}
	}
}

// maxCopies stands for a licence without a limit where others have one.
const maxCopies = 1<<31 - 1

// join makes the clusters: the partitions that share nodes.
func (s *system) join() {
	of := map[*part]int{}
	for k := range s.hosts {
		root := s.hosts[k].parts[0].root()
		c, known := of[root]
		if !known {
			c = len(s.clusters)
			of[root] = c
			s.clusters = append(s.clusters, cluster{})
		}
		s.hosts[k].cluster = c
		s.clusters[c].hosts = append(s.clusters[c].hosts, k)
		if !s.hosts[k].shut {
			s.clusters[c].open++
		}
		s.divide(&s.hosts[k])
	}
	names := map[string]bool{}
	for _, p := range s.parts {
		if c, known := of[p.root()]; known && (len(p.hosts) > 0 || p.shut) {
			s.clusters[c].parts = append(s.clusters[c].parts, p)
		}
	}
	for c := range s.clusters {
		list := kit.Each(s.clusters[c].parts, func(p *part) string { return p.name })
		name := lines.Name(strings.Join(list, "+"))
		for names[name] {
			name = lines.Name(fmt.Sprintf("%d %s", c, name))
		}
		names[name] = true
		s.clusters[c].name = name
	}
}

// machines are the machines of a cluster. Nodes with the same processors and memory, and of one kind, are a group; add completes the group of which the
// given node is the first.
func (s *system) machines(c int, ignoreMemory bool, kind func(h int) string, add func(m *model.MachineSpec, h int)) []model.MachineSpec {
	type alike struct {
		cpus   int
		memory float64
		kind   string
	}
	groups := map[alike]int{}
	var specs []model.MachineSpec
	var names [][]string
	var first []int // node of each group
	for _, h := range s.clusters[c].hosts {
		host := &s.hosts[h]
		k := alike{host.cpus, host.memory, kind(h)}
		g, known := groups[k]
		if !known {
			g = len(specs)
			groups[k] = g
			m := model.MachineSpec{Processors: host.cpus}
			if host.memory > 0 && !ignoreMemory {
				m.Memory = &host.memory
			}
			add(&m, h)
			specs = append(specs, m)
			names = append(names, nil)
			first = append(first, h)
		}
		names[g] = append(names[g], host.name)
	}
	ids := map[string]bool{}
	processors := 0
	for g := range specs {
		id := compressHosts(names[g])
		if len(id) > 200 {
			id = names[g][0] + " and " + strconv.Itoa(len(names[g])-1) + " more"
		}
		if id = lines.Name(id); ids[id] {
			id = lines.Name(strconv.Itoa(g) + " " + id)
		}
		ids[id] = true
		specs[g].ID, specs[g].Count = id, len(names[g])
		if host := &s.hosts[first[g]]; len(names[g]) == 1 {
			host.machine, host.first = id, processors
		}
		processors += specs[g].Processors * len(names[g])
	}
	return specs
}

// place is where jobs of a partition, or of several, may run.
type place struct {
	parts    []*part
	clusters []int
	hosts    map[int][]int // by cluster
	partial  bool          // it has some nodes only of a cluster
	widest   int           // processors of its widest node
	most     int           // processors in the cluster that has most
	tier     float64
}

// year is the time limit that Slurm takes for planning where there is none, in minutes.
const year = 365 * 24 * 60

// limitOf is the time limit of a job that names none, in minutes: as Slurm sets it, that of its partition, DefaultTime, else MaxTime, else a year; of one that asked for an unlimited time a year,
// at most MaxTime. A nil place has no partition that is known.
func (p *place) limitOf(unlimited bool) float64 {
	if p == nil {
		return year
	}
	for _, q := range p.parts {
		if q.usualTime > 0 && !unlimited {
			return q.usualTime
		}
		if q.limit > 0 {
			return min(q.limit, year)
		}
	}
	return year
}

// noLimits says how many jobs name no time limit, as a caveat; empty: none.
func noLimits(n, all int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s (%.1f %%) name no time limit: that of their partition counts (DefaultTime, else MaxTime), else a year, as Slurm plans", n, numtext.Counted(all, "job"), 100*float64(n)/float64(all))
}

// feature is the feature of the nodes, such as "partition gpu", or "partition cpu,gpu" of those that are in one of two.
func (p *place) feature() string {
	names := kit.Each(p.parts, func(q *part) string { return q.name })
	slices.Sort(names)
	return featureName(partitionPrefix + strings.Join(names, ","))
}

// hostsOf is how many nodes partitions, apart by commas, have, those of several counted for each.
func (s *system) hostsOf(names string) (n int) {
	for name := range strings.SplitSeq(names, ",") {
		if p := s.partitions[name]; p != nil {
			n += 1 + len(p.hosts)
		}
	}
	return n
}

// placeOf is where jobs of the partitions, apart by commas, may run. Names that are not known are passed over.
func (s *system) placeOf(names string) *place {
	p := &place{hosts: map[int][]int{}}
	met := map[*part]bool{}
	for name := range strings.SplitSeq(names, ",") {
		if q := s.partitions[name]; q != nil && !met[q] {
			met[q] = true
			p.parts = append(p.parts, q)
			p.tier = max(p.tier, q.tier)
		}
	}
	seen := map[int]bool{}
	for _, q := range p.parts {
		for _, h := range q.hosts {
			if seen[h] {
				continue
			}
			seen[h] = true
			c := s.hosts[h].cluster
			p.hosts[c] = append(p.hosts[c], h)
			p.widest = max(p.widest, s.hosts[h].cpus)
		}
	}
	for c, hosts := range p.hosts {
		p.clusters = append(p.clusters, c)
		processors := 0
		for _, h := range hosts {
			processors += s.hosts[h].cpus
		}
		p.most = max(p.most, processors)
		if len(hosts) < s.clusters[c].open {
			p.partial = true
		}
	}
	slices.SortFunc(p.clusters, cmp.Compare[int])
	return p
}
