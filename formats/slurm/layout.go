package slurm

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// layout is how a job lies on nodes. Jobs that lie alike share it.
type layout struct {
	place       *place
	block       int                  // processors of a block, which is on one node
	blocks      int                  // of all its nodes
	perMachine  int                  // blocks on each of its nodes; 0: any number
	machines    model.ProcessorRange // number of its nodes; zero: any
	memory      float64              // of a processor, MB
	generic     string               // resources of a block such as gpu=4
	features    string               // lists of features, apart by &; of each list, whose names are apart by |, a node has one
	exclusive   bool                 // it has its nodes alone
	reservation string
}

// layouts is how jobs lie on the nodes of a system, found once for jobs that ask for the same.
type layouts struct {
	sys    *system // nil: no nodes are given
	memory bool    // memory is taken into account
	faults *lines.Faults
	places map[string]*place // by the text of the partitions
	kinds  map[*place][][]kind
	shared map[layout]*layout // one copy of each
	rooms  map[layout]bool    // whether there is room, found once
	named  map[int][]string   // by host: features by which jobs name certain nodes
}

// newLayouts is for jobs of one file, whose faults are listed.
func newLayouts(sys *system, memory bool, faults *lines.Faults) layouts {
	return layouts{
		sys: sys, memory: memory, faults: faults, places: map[string]*place{}, kinds: map[*place][][]kind{}, shared: map[layout]*layout{},
		rooms: map[layout]bool{}, named: map[int][]string{},
	}
}

// kind is nodes of a place that are alike.
type kind struct {
	host  *host
	named []string // features by which jobs name them
	count int
}

// has says whether the nodes have a feature.
func (k *kind) has(feature string) bool {
	return slices.Contains(k.host.features, feature) || slices.Contains(k.named, feature)
}

// kindsOf are the kinds of nodes of a place, by cluster.
func (n *layouts) kindsOf(p *place) [][]kind {
	if known, ok := n.kinds[p]; ok {
		kinds := 0
		for _, list := range known {
			kinds += len(list)
		}
		n.faults.Steps("", kinds) // whoever asks looks at each
		return known
	}
	var all [][]kind
	for _, c := range p.clusters {
		found := map[string]int{}
		var list []kind
		for _, h := range p.hosts[c] {
			host := &n.sys.hosts[h]
			if !n.faults.Steps("", 1+len(host.features)+len(host.resources)+len(n.named[h])) {
				return nil
			}
			key := hostKind(host) + "\x00" + strings.Join(n.named[h], "\x00")
			k, known := found[key]
			if !known {
				k = len(list)
				found[key] = k
				list = append(list, kind{host: host, named: n.named[h]})
			}
			list[k].count++
		}
		all = append(all, list)
	}
	n.kinds[p] = all
	return all
}

// hostKind tells nodes apart that differ in what a job may ask for.
func hostKind(h *host) string {
	return fmt.Sprint(h.cpus, " ", h.memory, " ", h.resources, " ", strings.Join(h.features, "\x00"))
}

// anyKind says whether some kind of node of a place is so.
func (n *layouts) anyKind(p *place, is func(k *kind) bool) bool {
	for _, kinds := range n.kindsOf(p) {
		for k := range kinds {
			if is(&kinds[k]) {
				return true
			}
		}
	}
	return false
}

// placeOf is where the jobs of the partitions, apart by commas, may run, found once. They stand at a path of the file.
func (n *layouts) placeOf(partitions, path string) *place {
	p := n.places[partitions]
	if p == nil {
		if !n.faults.Names(path, n.sys.hostsOf(partitions)) {
			return &place{}
		}
		p = n.sys.placeOf(partitions)
		n.places[partitions] = p
	}
	return p
}

// share returns the copy of a layout that all jobs share.
func (n *layouts) share(l *layout) *layout {
	if known := n.shared[*l]; known != nil {
		return known
	}
	n.shared[*l] = l
	return l
}

// perProcessor is a memory of several processors as the memory of one, so that the sums are exact.
func perProcessor(memory float64, processors int) float64 {
	const parts = 1 << 20
	return math.Floor(min(memory, model.Largest)/float64(processors)*parts) / parts
}

// noted takes what is odd about a job. What stays out touches the job: policies see something else than Slurm.
type noted func(action model.ImportAction, staysOut bool, reason string)

// ask adds the features that the nodes of a job must have: those of its partitions where these have some nodes of a cluster only, the types of generic resources,
// and a constraint such as a100|h100 or a100&ib.
func (n *layouts) ask(l *layout, types []string, constraint string, note noted) {
	var lists []string
	if l.place.partial {
		lists = append(lists, l.place.feature())
	}
	offers := func(name string) bool { return n.anyKind(l.place, func(k *kind) bool { return k.has(name) }) }
	for _, name := range types {
		switch {
		case !offers(name):
			note(model.ImportKept, true, "a type of generic resources that no node of its partition states: any type is taken")
		case n.anyKind(l.place, func(k *kind) bool { return !k.has(name) }):
			lists = append(lists, name)
		}
	}
	if constraint != "" {
		if asked := featureLists(constraint); asked == nil {
			note(model.ImportKept, true, "asked for features in a way that an instance cannot express: it runs on any node of its partition")
		} else if slices.ContainsFunc(asked, func(list string) bool {
			return !slices.ContainsFunc(strings.Split(list, "|"), func(name string) bool { return offers(name) || n.sys.stated[name] })
		}) {
			note(model.ImportKept, true, "asked for features that no node of its partition states: it runs on any of them")
		} else {
			lists = append(lists, asked...)
		}
	}
	l.features = strings.Join(lists, "&")
}

// featureLists are the lists of features of a constraint, such as a100|h100 of which a node has one, or a100&(ib|roce); nil: with counts, brackets or another
// mixture of and and or.
func featureLists(text string) []string {
	if strings.ContainsAny(text, "[]*{}\x00") {
		return nil
	}
	var lists []string
	for text != "" {
		end := strings.IndexAny(text, "&,")
		if strings.HasPrefix(text, "(") {
			end = strings.IndexByte(text, ')')
			if end < 0 || end+1 < len(text) && !strings.ContainsRune("&,", rune(text[end+1])) {
				return nil
			}
			end++
		}
		if end < 0 || end > len(text) {
			end = len(text)
		}
		list := text[:end]
		if inner, within := strings.CutPrefix(list, "("); within {
			list = strings.TrimSuffix(inner, ")")
		} else if strings.Contains(list, "|") && (len(lists) > 0 || end < len(text)) {
			return nil // a|b&c: which of the two binds more is not plain
		}
		if list == "" || strings.ContainsAny(list, "()&,") {
			return nil
		}
		lists = append(lists, list)
		text = strings.TrimLeft(text[end:], "&,")
	}
	return lists
}

// hasRoom says whether a job may lie so on the nodes of its place when nothing else runs.
func (n *layouts) hasRoom(l *layout) bool {
	if known, ok := n.rooms[*l]; ok {
		return known
	}
	generic := tresOf(l.generic)
	fits := false
	for _, kinds := range n.kindsOf(l.place) {
		room, nodes := 0, 0
		for k := range kinds {
			if blocks := blocksOn(&kinds[k], l, generic); blocks > 0 {
				room += min(kinds[k].count*blocks, l.blocks)
				nodes += kinds[k].count
			}
		}
		fits = fits || room >= l.blocks && nodes >= l.machines.Min
	}
	n.rooms[*l] = fits
	return fits
}

// blocksOn is how many blocks of a job a node takes.
func blocksOn(k *kind, l *layout, generic map[string]string) int {
	h := k.host
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
		if list == "" || strings.HasPrefix(list, partitionPrefix) {
			continue
		}
		if !slices.ContainsFunc(strings.Split(list, "|"), k.has) {
			return 0
		}
	}
	if l.perMachine > 0 {
		if n < l.perMachine {
			return 0
		}
		return l.perMachine
	}
	return n
}

// onto says of a job how it lies on nodes.
func (l *layout) onto(s *model.JobSpec) {
	s.Processors, s.Memory = model.Rigid(l.block*l.blocks), l.memory
	if l.block > 1 {
		s.Block = l.block
	}
	s.PerMachine, s.Machines, s.Exclusive, s.Reservation = l.perMachine, l.machines, l.exclusive, l.reservation
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

// clusters adds the partitions, and the clusters with their machines, memory, generic resources and features.
func (n *layouts) clusters(spec *model.InstanceSpec) {
	spec.Partitions = n.partitions()
	named := map[string]bool{}
	several := n.ofSeveral()
	for c := range n.sys.clusters {
		features := func(h int) []string { return n.featuresOf(c, h, several) }
		cluster := model.ClusterSpec{ID: n.sys.clusters[c].name}
		cluster.Machines = n.sys.machines(c, !n.memory, func(h int) string {
			if !n.sys.past {
				return n.sys.hosts[h].name // so that answers name nodes
			}
			return hostKind(&n.sys.hosts[h]) + "\x00" + strings.Join(features(h), "\x00")
		}, func(m *model.MachineSpec, h int) {
			host := &n.sys.hosts[h]
			m.Features = features(h)
			m.Closed = host.closed
			for name, amount := range host.resources {
				if amount == 0 {
					continue
				}
				if m.Resources == nil {
					m.Resources = map[string]float64{}
				}
				m.Resources[lines.Name(name)] = float64(amount)
				named[name] = true
			}
		})
		spec.Clusters = append(spec.Clusters, cluster)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if n.sys.devices(name) {
			spec.Devices = append(spec.Devices, lines.Name(name))
		}
	}
}

// featuresOf are the features of a node of a cluster: its own, those by which jobs name it, and its partitions. A trace states a partition only if it has some nodes of
// the cluster only; a queue states each.
func (n *layouts) featuresOf(c, h int, several map[int][]string) []string {
	host := &n.sys.hosts[h]
	features := slices.Concat(host.features, n.named[h], several[h])
	for _, p := range host.parts {
		if !n.sys.past || len(p.hosts) < n.sys.clusters[c].open {
			features = append(features, partitionFeature(p.name))
		}
	}
	slices.Sort(features)
	return slices.Compact(features)
}

// ofSeveral are, by node, the features of jobs that name several partitions, where these together have some nodes of a cluster only.
func (n *layouts) ofSeveral() map[int][]string {
	features := map[int][]string{}
	for _, names := range slices.Sorted(maps.Keys(n.places)) {
		p := n.places[names]
		if len(p.parts) < 2 || !p.partial {
			continue
		}
		feature := p.feature()
		for _, c := range p.clusters {
			for _, h := range p.hosts[c] {
				features[h] = append(features[h], feature)
			}
		}
	}
	return features
}

// partitionPrefix begins the features that say of which partitions a node is. No feature of Slurm has a blank.
const partitionPrefix = "partition "

// partitionFeature is the feature that the nodes of a partition have.
func partitionFeature(name string) string { return featureName(partitionPrefix + name) }

// featureName is a text as the name of a feature.
func featureName(text string) string {
	return lines.Name(strings.NewReplacer("&", "+", "|", "/").Replace(text))
}

// amountsText is generic resources by their names in the instance, as a text such as gpu=4.
func amountsText(counts map[string]float64) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > 0 {
			texts = append(texts, name+"="+strconv.FormatFloat(counts[name], 'f', -1, 64))
		}
	}
	return strings.Join(texts, ",")
}
