package slurm

import (
	"io"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model/budget"
)

// SinfoCommand is the command that prints the nodes and partitions as a table, where neither scontrol nor slurm.conf is at hand.
const SinfoCommand = `sinfo -N -o "%N|%P|%c|%m|%G|%f|%T|%l"`

// isSinfo says that a text begins with the header of a table of sinfo.
func isSinfo(begin string) bool {
	header, _, _ := strings.Cut(begin, "\n")
	return slices.Contains(strings.Split(strings.TrimSpace(header), "|"), "NODELIST")
}

// readSinfo reads the table of [SinfoCommand]: a row for each node in each of its partitions. A * marks the partition of jobs that name none.
func readSinfo(r io.Reader, faults *lines.Faults) *document {
	doc := &document{faults: faults, settings: map[string]string{}, nodes: []node{}, partitions: []partition{}}
	scanner := lines.NewScanner(r)
	var names []string
	column := map[string]int{}
	index, parts := map[string]int{}, map[string]bool{}
	for scanner.Scan() {
		line := strings.TrimSpace(string(scanner.Bytes()))
		cells := strings.Split(line, "|")
		switch {
		case line == "":
			continue
		case names == nil:
			names = cells
			for k, name := range names {
				column[name] = k
			}
			for _, needed := range []string{"NODELIST", "PARTITION", "CPUS", "STATE"} {
				if _, found := column[needed]; !found {
					faults.Line(scanner.Line(), "expected a column %s, as %s prints it, found none", needed, SinfoCommand)
				}
			}
			if !faults.None() {
				return doc
			}
			continue
		case len(cells) != len(names):
			faults.Line(scanner.Line(), "expected %d cells apart by |, found %d", len(names), len(cells))
			continue
		}
		doc.sinfoRow(scanner.Line(), func(name string) string {
			if k, found := column[name]; found && cells[k] != "(null)" {
				return strings.TrimSpace(cells[k])
			}
			return ""
		}, index, parts)
	}
	scanner.Check(faults)
	return doc
}

// sinfoRow takes a row of the table.
func (doc *document) sinfoRow(line int, cell func(name string) string, index map[string]int, parts map[string]bool) {
	name, usual := strings.CutSuffix(cell("PARTITION"), "*")
	if !parts[name] {
		parts[name] = true
		minutes, known, err := parseLimit(cell("TIMELIMIT"))
		if err != nil {
			doc.faults.Line(line, "TIMELIMIT: %s", err)
		}
		doc.partitions = append(doc.partitions, partition{name: name, usual: usual, limit: number{given: true, known: known, infinite: !known, value: minutes}})
	}
	hosts, err := expandHosts(cell("NODELIST"), doc.faults.Budget())
	if err != nil {
		doc.faults.Line(line, "NODELIST: %s", err)
		return
	}
	if !doc.faults.Names(atLine(line), len(hosts)*budget.NamesOf[node]()) {
		return
	}
	for _, host := range hosts {
		if k, known := index[host]; known {
			doc.nodes[k].partitions = append(doc.nodes[k].partitions, name)
			continue
		}
		n := node{name: host, partitions: []string{name}, line: line}
		n.states = statesOf(cell("STATE"))
		for _, count := range []struct {
			name string
			into *number
		}{{"CPUS", &n.cpus}, {"MEMORY", &n.memory}} {
			text := cell(count.name)
			x, err := lines.Whole(text, 0)
			switch {
			case text == "" && count.name == "MEMORY":
			case err != nil:
				doc.faults.Line(line, "%s: %s", count.name, err)
				return
			default:
				*count.into = number{given: true, known: true, value: float64(x)}
			}
		}
		n.resources = cell("GRES")
		if text := cell("ACTIVE_FEATURES") + cell("AVAIL_FEATURES"); text != "" {
			n.features = strings.Split(text, ",")
		}
		index[host] = len(doc.nodes)
		doc.nodes = append(doc.nodes, n)
	}
}

// statesOf are the states of a node in a text such as IDLE+DRAIN or down*: a * says that it does not answer, a ~ that it is powered down.
func statesOf(text string) []string {
	var states []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '+' || r == ',' }) {
		if name := strings.TrimRight(word, "*~#!%$@^-"); name != "" {
			states = append(states, name)
		}
		if strings.HasSuffix(word, "*") {
			states = append(states, "NOT_RESPONDING")
		}
		if strings.HasSuffix(word, "~") {
			states = append(states, "POWERED_DOWN")
		}
	}
	return states
}
