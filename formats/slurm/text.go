package slurm

import (
	"bufio"
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model/budget"
)

// readAny reads what a command printed: JSON, or the text of scontrol show, which is all that 21.08 and 22.05 print of partitions, reservations and licences;
// slurm.conf, for its nodes and partitions; or the table of sinfo.
// open opens a file that slurm.conf includes; nil: none is read.
func readAny(src Source, open opener) *document {
	text, faults := lines.Begin(src.Reader, src.Name)
	buffered := bufio.NewReaderSize(text, 1<<16)
	begin, _ := buffered.Peek(1 << 10) // an error comes again when the rest is read
	begin = bytes.TrimSpace(bytes.TrimPrefix(begin, []byte("\ufeff")))
	if len(begin) == 0 || begin[0] == '{' || begin[0] == '[' {
		return readDocument(buffered, faults)
	}
	if isSinfo(string(begin)) {
		return readSinfo(buffered, faults)
	}
	return readText(Source{buffered, src.Name}, open, faults)
}

// records reads the records of a text: words such as Total=4, of which the first names the object. What scontrol show prints goes on in lines that begin
// with a blank; in slurm.conf a record is a line, which may go on after a \ at its end.
type records struct {
	doc       *document
	line      int    // of the first word of the record
	kind      string // the key of the first word; empty: a setting of slurm.conf
	names     string // that the record is for: a hostlist for nodes
	node      nodeText
	part      partition
	set       nodeSet
	nodes     nodeText  // what NodeName=DEFAULT said last
	parts     partition // what PartitionName=DEFAULT said last
	remaining string    // of a line that goes on
	open      opener    // nil: what a file includes is not read
	inner     bool      // the file is one that another one includes
}

// nodeText is a node, and what its processors are computed from where the text does not count them.
type nodeText struct {
	node
	boards, sockets, cores number
	special                number // cores that jobs do not get
	shown                  bool   // scontrol show printed it, so that its state is that of now
}

// nodeSet is nodes with a name, for partitions.
type nodeSet struct{ nodes, features string }

// readText reads the text of scontrol show, or slurm.conf.
func readText(src Source, open opener, faults *lines.Faults) *document {
	doc := &document{faults: faults, settings: map[string]string{}, sets: map[string]nodeSet{}}
	t := &records{doc: doc, open: open}
	t.file(src)
	if faults.None() && doc.partitions == nil && doc.reservations == nil && doc.licences == nil && doc.nodes == nil && len(doc.included) == 0 {
		faults.At("", "expected JSON, or what scontrol show prints of nodes, partitions, reservations or licences, or slurm.conf")
	}
	return doc
}

// file reads the records of a file.
func (t *records) file(src Source) {
	doc, faults := t.doc, t.doc.faults
	scanner := lines.NewScanner(src.Reader)
	for scanner.Scan() {
		line := string(scanner.Bytes())
		if scanner.Line() == 1 && !t.inner {
			doc.announced(strings.TrimSpace(line))
		}
		line = uncommented(line)
		if begin, goesOn := continued(line); goesOn {
			if len(t.remaining)+len(begin) > lines.MaxLength {
				faults.Line(scanner.Line(), "%s", lines.TooLong)
				break
			}
			t.remaining += begin
			continue
		}
		text := t.remaining + line
		t.remaining = ""
		t.read(src, text, scanner.Line())
	}
	text := t.remaining
	t.remaining = ""
	t.read(src, text, scanner.Line())
	t.end()
	scanner.Check(faults)
}

// include reads a file that another one includes.
func (t *records) include(src Source, name string, line int) {
	t.end()
	b := t.doc.faults.Budget()
	file, path, err := t.open.included(src, name, b)
	switch {
	case err != nil && budget.Stopped(err):
		t.doc.faults.Line(line, "Include: %s", err)
		return
	case err != nil: // what it states of nodes is unknown
		t.doc.included = append(t.doc.included, lines.Name(name))
		return
	}
	defer file.Close()
	outer, inner := t.doc.faults, t.inner
	t.doc.faults, t.inner = lines.NewFaultsWithin(path, b), true
	t.file(Source{b.Reader(file), path})
	if t.doc.wrong == nil || b.Err() == nil { // when the reading is stopped, one says so
		t.doc.wrong = errors.Join(t.doc.wrong, t.doc.faults.Err())
	}
	t.doc.faults, t.inner = outer, inner
}

// uncommented is a line without its comment. What scontrol show prints of the kernel of a node may have a # too, which begins none.
func uncommented(line string) string {
	at := strings.IndexByte(line, '#')
	if at < 0 || at > 0 && line[at-1] == '\\' || strings.Contains(line[:at], "OS=") || strings.Contains(line[:at], "Reason=") {
		return line
	}
	return line[:at]
}

// continued cuts the \ from a line that goes on in the next one, as Slurm does: blanks may follow the \, and nothing takes its place. Two of them are the letter \.
func continued(line string) (begin string, goesOn bool) {
	line = strings.TrimRight(line, " \t\r\f\v")
	begin = strings.TrimRight(line, `\`)
	if (len(line)-len(begin))%2 == 0 {
		return line, false
	}
	return line[:len(line)-1], true
}

// announced takes the line that stands for an empty list.
func (doc *document) announced(line string) {
	switch line {
	case "No reservations in the system":
		doc.reservations = []reservation{}
	case "No licenses configured in Slurm.", "No licenses in the system":
		doc.licences = []licence{}
	case "No partitions in the system":
		doc.partitions = []partition{}
	}
}

// recordKeys are the keys that begin a record.
var recordKeys = map[string]bool{"nodename": true, "partitionname": true, "reservationname": true, "licensename": true, "nodeset": true}

// freeTexts are the keys whose value may hold blanks and goes on to the end of its line.
var freeTexts = map[string]bool{"reason": true, "comment": true, "extra": true}

// aroundEquals are the blanks that slurm.conf may have before and after the = of a word.
var aroundEquals = regexp.MustCompile(`[ \t]+=[ \t]*`)

// read takes a line.
func (t *records) read(src Source, line string, number int) {
	text := strings.TrimSpace(line)
	if text == "" {
		return
	}
	text = aroundEquals.ReplaceAllString(text, "=")
	first, _, _ := strings.Cut(text, "=")
	if indented := line[0] == ' ' || line[0] == '\t'; !indented && !recordKeys[strings.ToLower(first)] {
		t.end()
	}
	if words := strings.Fields(text); strings.EqualFold(words[0], "include") {
		if name := strings.Join(words[1:], " "); t.open != nil {
			t.include(src, name, number)
		} else {
			t.doc.included = append(t.doc.included, lines.Name(name))
		}
		return
	}
	for word := range strings.FieldsSeq(text) {
		key, value, found := strings.Cut(word, "=")
		if !found {
			continue
		}
		key = strings.ToLower(key)
		if freeTexts[key] {
			return
		}
		t.word(key, strings.Trim(value, `"`), number)
	}
}

// word takes a word. Some begin a record.
func (t *records) word(key, value string, line int) {
	if recordKeys[key] {
		t.end()
		t.kind, t.names, t.line = key, value, line
		t.node, t.part, t.set = t.nodes, t.parts, nodeSet{}
		switch key {
		case "licensename":
			t.doc.licences = append(t.doc.licences, licence{name: value})
		case "reservationname":
			t.doc.reservations = append(t.doc.reservations, reservation{name: value})
		}
		return
	}
	switch t.kind {
	case "":
		const most = 1000
		if _, again := t.doc.settings[key]; !again && len(t.doc.settings) < most {
			t.doc.settings[key] = value
		}
	case "nodename":
		t.nodeWord(key, value, line)
	case "partitionname":
		t.partitionWord(key, value, line)
	case "nodeset":
		switch key {
		case "nodes":
			t.set.nodes = value
		case "feature":
			t.set.features = value
		}
	case "reservationname":
		t.reservationWord(key, value, line)
	case "licensename":
		if key == "total" {
			t.count(&t.doc.licences[len(t.doc.licences)-1].total, "Total", value, line)
		}
	}
}

// count reads a whole number.
func (t *records) count(n *number, key, value string, line int) {
	n.given = true
	x, err := lines.Whole(value, 0)
	if err != nil {
		t.doc.faults.Line(line, "%s: %s", key, err)
		return
	}
	n.known, n.value = true, float64(x)
}

// nodeWord takes what a record says of its nodes.
func (t *records) nodeWord(key, value string, line int) {
	n := &t.node
	if value == "(null)" || value == "N/A" {
		return
	}
	count := func(name string, into *number) { t.count(into, name, value, line) }
	switch key {
	case "cputot":
		n.shown = true
		count("CPUTot", &n.cpus)
	case "cpus", "procs":
		count("CPUs", &n.cpus)
	case "cpuefctv":
		count("CPUEfctv", &n.effective)
	case "boards":
		count("Boards", &n.boards)
	case "sockets", "socketsperboard":
		count("Sockets", &n.sockets)
	case "corespersocket":
		count("CoresPerSocket", &n.cores)
	case "threadspercore":
		count("ThreadsPerCore", &n.node.threads)
	case "corespeccount":
		count("CoreSpecCount", &n.special)
	case "realmemory":
		count("RealMemory", &n.memory)
	case "weight":
		count("Weight", &n.weight)
	case "memspeclimit":
		count("MemSpecLimit", &n.node.special)
	case "state":
		n.states = statesOf(value)
	case "partitions":
		n.partitions = strings.Split(value, ",")
	case "gres":
		n.resources = value
	case "activefeatures", "feature", "features":
		n.features = strings.Split(value, ",")
	}
}

// partitionWord takes what a record says of its partition.
func (t *records) partitionWord(key, value string, line int) {
	p := &t.part
	switch key {
	case "nodes":
		if value != "(null)" {
			p.nodes = value
		}
	case "maxtime", "defaulttime":
		minutes, known, err := parseLimit(value)
		if err != nil {
			t.doc.faults.Line(line, "%s: %s", map[string]string{"maxtime": "MaxTime", "defaulttime": "DefaultTime"}[key], err)
		}
		stated := number{given: true, known: known, infinite: !known, value: minutes}
		if key == "maxtime" {
			p.limit = stated
		} else {
			p.usualTime = stated
		}
	case "prioritytier", "priority":
		t.count(&p.tier, "PriorityTier", value, line)
	case "oversubscribe", "shared":
		const usual = 4
		kind, most, stated := strings.Cut(strings.ToUpper(value), ":")
		p.share = number{given: true, known: true, value: 1}
		switch {
		case kind == "EXCLUSIVE":
			p.share.value = 0
		case kind == "NO" || kind == "":
		case stated:
			t.count(&p.share, "OverSubscribe", most, line)
		default:
			p.share.value = usual
		}
	case "state":
		p.state = []string{value}
	case "default":
		p.usual = strings.EqualFold(value, "YES")
	case "maxnodes", "maxcpuspernode", "maxcpuspersocket":
		if strings.EqualFold(value, "UNLIMITED") || strings.EqualFold(value, "INFINITE") {
			return
		}
		into := &p.nodesMost
		switch key {
		case "maxcpuspernode":
			into = &p.cpusMost
		case "maxcpuspersocket":
			into = &p.socketMost
		}
		t.count(into, key, value, line)
	case "qos":
		if p.qos = value; value == "N/A" {
			p.qos = ""
		}
	}
}

// reservationWord takes what a record says of its reservation. Times are local: those of the commands' machine.
func (t *records) reservationWord(key, value string, line int) {
	r := &t.doc.reservations[len(t.doc.reservations)-1]
	if value == "(null)" || value == "" {
		return
	}
	switch key {
	case "starttime", "endtime":
		moment, err := parseMoment(value)
		if err != nil {
			t.doc.faults.Line(line, "%s: %s", key, err)
		}
		into := &r.start
		if key == "endtime" {
			into = &r.end
		}
		*into = number{given: true, known: true, value: moment}
	case "nodes":
		r.nodes = value
	case "licenses":
		r.licences = value
	case "corecnt":
		t.count(&r.cores, "CoreCnt", value, line)
	case "flags":
		r.flags = strings.Split(value, ",")
	}
}

// end ends the record: it adds its object to the document.
func (t *records) end() {
	kind := t.kind
	t.kind = ""
	isDefault := strings.EqualFold(t.names, "DEFAULT")
	switch {
	case kind == "nodename" && isDefault:
		t.nodes = t.node
	case kind == "nodename":
		t.addNodes()
	case kind == "partitionname" && isDefault:
		t.parts = t.part
	case kind == "partitionname":
		if !t.doc.faults.Names(atLine(t.line), budget.NamesOf[partition]()) {
			return
		}
		t.part.name = t.names
		t.doc.partitions = append(t.doc.partitions, t.part)
	case kind == "nodeset":
		t.doc.sets[t.names] = t.set
	}
}

// addNodes adds the nodes of a record.
func (t *records) addNodes() {
	names, err := expandHosts(t.names, t.doc.faults.Budget())
	switch {
	case err != nil:
		t.doc.faults.Line(t.line, "NodeName: %s", err)
		return
	case len(names) == 0:
		t.doc.faults.Line(t.line, "NodeName: expected a name such as cn1 or cn[001-050], found none")
		return
	}
	if !t.doc.faults.Names(atLine(t.line), len(names)*budget.NamesOf[node]()) {
		return
	}
	n := t.node
	threads := max(n.node.threads.or(1), 1)
	if !n.cpus.known {
		n.cpus = number{known: true, value: max(n.boards.or(1), 1) * max(n.sockets.or(1), 1) * max(n.cores.or(1), 1) * threads}
	}
	if special := n.special.or(0); special > 0 && !n.effective.known {
		n.effective = number{known: true, value: max(n.cpus.value-special*threads, 0)}
	}
	if !n.shown && (len(n.states) == 0 || len(n.states) == 1 && strings.EqualFold(n.states[0], "UNKNOWN")) {
		n.states = []string{"IDLE"} // a configuration that leaves the state open leaves the node in service
	}
	n.anyPartition = len(n.partitions) == 0
	n.line = t.line
	t.doc.nodes = slices.Grow(t.doc.nodes, len(names))
	for _, name := range names {
		n.name = name
		t.doc.nodes = append(t.doc.nodes, n.node)
	}
}
