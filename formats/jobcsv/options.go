package jobcsv

import (
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
)

// options reads the parameters that say what the machines are and what the columns mean.
func (t *table) options() {
	t.machine = model.MachineSpec{ID: "node", Count: t.opt.Processors}
	switch {
	case t.opt.Nodes == "" && t.opt.Processors == 0:
		t.faults.At("option Processors", "expected the number of processors of the cluster, "+
			"a whole number in [1, %d], found 0; or give its nodes, such as --nodes 4x8", model.MaxProcessors)
	case t.opt.Nodes == "" && t.opt.Memory > 0:
		t.faults.At("option Memory", "expected it only with --nodes, as it is the memory of a node")
	case t.opt.Nodes != "" && t.opt.Processors > 0:
		t.faults.At("option Nodes", "expected only one of --nodes and --processors, found both")
	case t.opt.Nodes != "":
		t.nodes()
	}
	t.renames()
}

// nodes reads a number of nodes and of processors of each, such as 4x8.
func (t *table) nodes() {
	count, processors, ok := strings.Cut(strings.ReplaceAll(t.opt.Nodes, "×", "x"), "x")
	n, wrong := lines.Whole(count, 1)
	per, err := lines.Whole(processors, 1)
	if !ok || wrong != nil || err != nil || n > model.MaxProcessors/per {
		t.faults.At("option Nodes", "expected NODESxPROCESSORS such as 4x8, 4 nodes of 8 processors, with at most %d processors in all; found %s",
			model.MaxProcessors, lines.Quote(t.opt.Nodes))
		return
	}
	t.machine.Count, t.machine.Processors = n, per
	if t.opt.Memory > 0 {
		t.machine.Memory = &t.opt.Memory
	}
}

// renames reads a list such as gpus=processors,mem=job_memory.
func (t *table) renames() {
	t.renamed = map[string]string{}
	for pair := range strings.SplitSeq(t.opt.Rename, ",") {
		if pair = strings.TrimSpace(pair); t.opt.Rename == "" {
			return
		}
		from, field, ok := strings.Cut(pair, "=")
		from, field = strings.TrimSpace(from), strings.TrimSpace(field)
		_, known := columnNamed(field)
		switch _, twice := t.renamed[from]; {
		case !ok || from == "":
			t.faults.At("option Rename", "expected COLUMN=FIELD such as gpus=processors, found %s", lines.Quote(pair))
		case twice:
			t.faults.At("option Rename", "expected each column once, found %s again", lines.Quote(from))
		case !known:
			t.faults.At("option Rename", "expected a field, one of %s; found %s%s", columnNames(), lines.Quote(field), suggest.Words(field, append(kit.Each(columns, func(c column) string { return c.name }), jobMemory)))
		default:
			t.renamed[from] = field
		}
	}
}
