package slurm

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/params"
)

// ReadFiles implements [formats.FilesReader]. One file is the trace; the others stand for Nodes and Partitions: slurm.conf with the files that it includes, whose folders do
// not count, or what scontrol and sinfo print. What sacctmgr show qos -P and sacctmgr show assoc tree -P print adds the limits, as for a queue.
func (o *TraceReader) ReadFiles(sources []formats.Source) (*model.Instance, *model.ImportReport, error) {
	if len(sources) == 1 {
		return o.Read(sources[0].Reader, sources[0].Name)
	}
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	switch {
	case o.Nodes != "":
		return nil, nil, &params.Error{Name: "nodes", Expected: "none, as the files beside the trace have them", Found: o.Nodes}
	case o.Partitions != "":
		return nil, nil, &params.Error{Name: "partitions", Expected: "none, as the files beside the trace have them", Found: o.Partitions}
	case o.Processors > 0:
		return nil, nil, &params.Error{Name: "processors", Expected: "no number, as the files beside the trace have it", Found: o.Processors}
	}
	_, b := budget.Of(sources[0].Reader)
	var trace *formats.Source
	var files siteFiles
	for _, s := range sources {
		file := formats.Of(b.Closing(s.Reader, nil), s.Name)
		if err := b.Err(); err != nil { // its begin does not say what it is
			return nil, nil, model.Stopped(s.Name, "", err)
		}
		if file.Format == nil || file.Format.Name != traceFormat {
			files = append(files, siteFile{name: s.Name, begin: file})
			continue
		}
		if trace != nil {
			return nil, nil, files.fault(s.Name, "expected one trace beside the files of its system, found %s too", lines.Name(trace.Name))
		}
		trace = &formats.Source{Reader: file, Name: s.Name}
	}
	if trace == nil {
		return nil, nil, files.fault(sources[0].Name, "expected what sacct -P prints, or lines of JobComp's filetxt, in one of the files; found none")
	}
	if err := files.read(); err != nil {
		return nil, nil, err
	}
	sys, limits, err := files.system(b)
	if err != nil {
		return nil, nil, err
	}
	return o.read(trace.Reader, trace.Name, sys, limits)
}

// siteFile is a file of a system.
type siteFile struct {
	name  string
	begin io.Reader
	text  []byte
}

// siteFiles are the files of a system.
type siteFiles []siteFile

// fault is an error of a file.
func (siteFiles) fault(name, format string, args ...any) error {
	faults := lines.NewFaults(name)
	faults.At("", format, args...)
	return faults.Err()
}

// read reads the files, as they refer to each other.
func (f siteFiles) read() error {
	for k := range f {
		text, err := io.ReadAll(f[k].begin)
		if err != nil {
			return f.fault(f[k].name, "%s", err)
		}
		f[k].text = text
	}
	return nil
}

// open opens a file that another one includes, by the last part of its name.
func (f siteFiles) open(name string) (io.ReadCloser, error) {
	for _, file := range f {
		if filepath.Base(file.name) == filepath.Base(name) {
			return io.NopCloser(bytes.NewReader(file.text)), nil
		}
	}
	return nil, fmt.Errorf("no file %s is given", lines.Name(name))
}

// system reads the nodes and partitions: of the files that no other one includes, one has the nodes, and another one may have the partitions. Others may have the limits of
// qualities of service and of associations.
func (f siteFiles) system(b *budget.Budget) (*system, *limits, error) {
	included := map[string]bool{}
	for _, file := range f {
		for line := range bytes.Lines(file.text) {
			if words := strings.Fields(string(line[:min(len(line), 4096)])); len(words) > 1 && strings.EqualFold(words[0], "include") {
				included[filepath.Base(words[1])] = true
			}
		}
	}
	var src Sources
	for _, file := range f {
		if included[filepath.Base(file.name)] {
			continue
		}
		into, what := &src.Nodes, "nodes"
		switch {
		case file.hasColumns("Name", "GrpTRES"):
			into, what = &src.QOS, "qualities of service"
		case file.hasColumns("Account", "User", "GrpTRES"):
			into, what = &src.Associations, "associations"
		case file.onlyPartitions(b):
			into, what = &src.Partitions, "partitions"
		}
		if into.Reader != nil {
			return nil, nil, f.fault(file.name, "expected one file of %s, found %s too", what, lines.Name(into.Name))
		}
		*into = Source{bytes.NewReader(file.text), file.name}
	}
	if src.Nodes.Reader == nil {
		return nil, nil, f.fault(f[0].name, "expected a file of nodes beside the trace: what scontrol show node prints, the table of sinfo -N, or slurm.conf")
	}
	sys, err := readSystem(src, b, f.open, true, nil)
	if err != nil {
		return nil, nil, err
	}
	limits, err := readLimits(src, b, sys.settings, &sys.notes)
	return sys, limits, err
}

// hasColumns says whether a file is a table of sacctmgr -P with these columns.
func (s *siteFile) hasColumns(names ...string) bool {
	header, _, _ := strings.Cut(string(s.text[:min(len(s.text), 4096)]), "\n")
	columns := strings.Split(header, "|")
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(columns, name) })
}

// onlyPartitions says whether a file has partitions and no nodes.
func (s *siteFile) onlyPartitions(b *budget.Budget) bool {
	doc := readAny(Source{b.Reader(bytes.NewReader(s.text)), s.name}, nil)
	return doc.partitions != nil && doc.nodes == nil && len(doc.included) == 0
}
