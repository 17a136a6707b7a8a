// Package openb reads the trace of a production cluster with GPUs that Alibaba published in 2023: a table of nodes and a table of pods.
//
// Source: Q. Weng et al. (2023), "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC '23;
// the files node_list and pod_list of its simulator.
//
// A node is a machine with ⌊cpu_milli/1000⌋ processors, at least one: as many as it can hold pods. Its resources are "cpu", in cores, and "gpu", in
// devices; its memory is in MiB, and its type of GPU is a feature. A pod is a rigid job of one processor, which is a block. It needs cores, memory,
// and num_gpu whole devices or, of one device, the share gpu_milli/1000. It runs on nodes of the types that gpu_spec lists; on any if it lists none.
//
// The columns may come in any order. Of the nodes a [Reader] needs sn, cpu_milli, memory_mib, gpu and model; of the pods name, cpu_milli, memory_mib,
// num_gpu and gpu_milli, and creation_time and deletion_time unless Fill is set. It passes over others.
package openb

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/params"
)

// formatName is the name of the format in reports.
const formatName = "openb"

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "a table of the pods of Alibaba's trace openb, with the table of its nodes", Order: 8,
	Example: "allot import openb --nodes nodes.csv.gz --fill 1.3 pods.csv.gz",
	New:     func() formats.Reader { return NewReader() },
	Looks: func(begin string) bool {
		cells := lines.Cells(begin)
		return slices.Contains(cells, "num_gpu") && slices.Contains(cells, "gpu_milli")
	},
})

// Reader reads a table of pods.
type Reader struct {
	Nodes string `zero:"required" doc:"'FILE' with the nodes"`
	// Fill asks for the published experiment instead of the file's own times: pods in random order, repeated or cut, until their GPUs are this share of all,
	// and nodes in random order, which decides where a rule of placement finds nodes equally good.
	// All arrive at 0 and take 1 with a hard deadline at 1, so that only time 0 is left; the objective is work_done, a pod's work is its GPU share.
	Fill    float64 `range:"[0, 1000]" zero:"the file's own times" doc:"pods and nodes in random order, pods repeated or cut, until their GPUs are this 'SHARE' of all; all at time 0"`
	Seed    uint64  `doc:"'N' seed of the random order of --fill"`
	Cluster string  `doc:"'ID' of the cluster"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader { return &Reader{Cluster: "openb"} }

// pod is a pod that is kept.
type pod struct {
	spec model.JobSpec
	gpus float64 // devices, or a share of one
	line int
}

// Read implements [formats.Reader]. The file of the nodes is opened by its path, see [model.Open].
//
// The error is a [*params.Error], or a [*model.InputError] that lists the faults line by line.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	if o.Nodes == "" {
		return nil, nil, &params.Error{Name: "nodes", Expected: "the file with the nodes", Found: o.Nodes}
	}
	r, faults := lines.Begin(r, name)
	machines, devices, err := readNodes(faults.Budget(), o.Nodes)
	if err != nil {
		return nil, nil, err
	}
	report := &model.ImportReport{Format: formatName, File: name}
	pods := o.readPods(r, faults, report)
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	spec := model.InstanceSpec{
		Name:     lines.Title(name, ".gz", ".csv"),
		Units:    &model.Units{Time: "s", Work: "s", Memory: "MiB"},
		Devices:  []string{"gpu"},
		Clusters: []model.ClusterSpec{{ID: o.Cluster, Machines: machines}},
	}
	if o.Fill > 0 {
		if pods, err = o.fill(pods, devices, faults, name); err != nil {
			return nil, nil, err
		}
		rand.New(rand.NewPCG(o.Seed, 1)).Shuffle(len(machines), func(i, k int) { machines[i], machines[k] = machines[k], machines[i] })
		spec.Objective = map[string]float64{"work_done": 1}
		spec.Units = &model.Units{Time: "s", Work: "GPU", Memory: "MiB"}
	}
	report.Kept = len(pods)
	for k := range pods {
		spec.Jobs = append(spec.Jobs, pods[k].spec)
	}
	return faults.Import(spec, report, func(k int) string { return "line " + strconv.Itoa(pods[k].line) })
}

// fill draws pods in random order, again from the first where all are drawn, until their GPUs are the share of the devices.
func (o *Reader) fill(pods []pod, devices float64, faults *lines.Faults, name string) ([]pod, error) {
	all := 0.0
	for k := range pods {
		all += pods[k].gpus
	}
	if all == 0 {
		return nil, &model.InputError{File: name, Faults: []model.Fault{{Message: "expected pods that need GPUs, because their GPUs are to fill the nodes; found none"}}}
	}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	var drawn []pod
	for sum, round := 0.0, 1; sum < o.Fill*devices; round++ {
		for _, k := range random.Perm(len(pods)) {
			if sum >= o.Fill*devices {
				break
			}
			if !faults.Names("", budget.NamesOf[pod]()) {
				return nil, faults.Err()
			}
			p := pods[k]
			p.spec.Arrival, p.spec.Work, p.spec.Estimate = 0, new(p.gpus), nil
			p.spec.Runtime = map[string]float64{o.Cluster: 1}
			p.spec.Deadline, p.spec.DeadlineHard = new(1.0), true
			if round > 1 {
				p.spec.ID += "#" + strconv.Itoa(round)
			}
			sum += p.gpus
			drawn = append(drawn, p)
		}
	}
	return drawn, nil
}

// readNodes reads the table of nodes; devices is the number of all GPUs.
func readNodes(b *budget.Budget, path string) (machines []model.MachineSpec, devices float64, err error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	text, faults := lines.Begin(b.Reader(file), model.InputName(path))
	t := &table{lines.Table{Faults: faults}}
	t.Scan(text, []string{"sn", "cpu_milli", "memory_mib", "gpu", "model"}, "the nodes of openb", func() {
		m := model.MachineSpec{ID: strings.Clone(t.Cell("sn")), Memory: new(t.number("memory_mib"))}
		cpu, gpu := t.number("cpu_milli"), t.number("gpu")
		m.Processors = max(1, int(min(cpu, model.MaxProcessors*1000)/1000))
		m.Resources = map[string]float64{"cpu": cpu / 1000, "gpu": gpu}
		if kind := t.Cell("model"); kind != "" {
			m.Features = []string{strings.Clone(kind)}
		}
		devices += gpu
		machines = append(machines, m)
	})
	if err := faults.Err(); err != nil {
		return nil, 0, err
	}
	if _, err := model.New(model.InstanceSpec{Devices: []string{"gpu"}, Clusters: []model.ClusterSpec{{ID: "c", Machines: machines}}}); err != nil {
		return nil, 0, fmt.Errorf("%s: the nodes make no cluster: %w", model.InputName(path), err)
	}
	return machines, devices, nil
}

// readPods reads the table of pods.
func (o *Reader) readPods(r io.Reader, faults *lines.Faults, report *model.ImportReport) (pods []pod) {
	needed := []string{"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}
	if o.Fill == 0 {
		needed = append(needed, "creation_time", "deletion_time")
	}
	t, seen := &table{lines.Table{Faults: faults}}, map[string]bool{}
	t.Scan(r, needed, "the pods of openb", func() {
		report.Read++
		p := pod{line: t.Line, gpus: t.number("num_gpu")}
		switch share := t.number("gpu_milli") / 1000; {
		case p.gpus != math.Trunc(p.gpus):
			faults.Line(t.Line, "num_gpu: expected a whole number, found %v", p.gpus)
		case p.gpus == 1 && share <= 1:
			p.gpus = share
		case p.gpus > 0 && share != 1:
			faults.Line(t.Line, "gpu_milli: expected at most 1000, and 1000 of several devices, found %v", 1000*share)
		}
		switch id := t.Cell("name"); {
		case seen[id]:
			faults.Line(t.Line, "name: expected a unique id, found %s again", lines.Quote(id))
		case len(id) < 1 || len(id) > model.MaxName:
			faults.Line(t.Line, "name: expected a text of 1 to %d bytes, found %d bytes", model.MaxName, len(id))
		}
		if !faults.None() {
			return // nothing will come of the pods: only faults are looked for
		}
		p.spec = model.JobSpec{ID: strings.Clone(t.Cell("name")), Memory: t.number("memory_mib"), Resources: map[string]float64{"cpu": t.number("cpu_milli") / 1000}}
		if p.gpus > 0 {
			p.spec.Resources["gpu"] = p.gpus
		}
		if types := t.Cell("gpu_spec"); types != "" {
			p.spec.Features = [][]string{strings.Split(strings.Clone(types), "|")}
		}
		if o.Fill == 0 {
			o.times(t, &p, report)
		}
		if !faults.Names("line "+strconv.Itoa(t.Line), budget.NamesOf[pod]()) {
			return
		}
		seen[p.spec.ID] = true
		pods = append(pods, p)
	})
	return pods
}

// times sets when a pod arrives and how long it runs.
func (o *Reader) times(t *table, p *pod, report *model.ImportReport) {
	created, deleted := t.number("creation_time"), t.number("deletion_time")
	p.spec.Arrival = created
	began := created
	if t.Cell("scheduled_time") != "" {
		began = t.number("scheduled_time")
	} else {
		report.NoteLine(model.ImportKept, "never scheduled: it counts as running from creation to deletion", t.Line)
	}
	if deleted < began {
		t.Faults.Line(t.Line, "deletion_time: expected a time of at least %v, when the pod began, found %v", began, deleted)
	}
	p.spec.Work = new(max(0, deleted-began))
}

// table is a table being read.
type table struct{ lines.Table }

// number is a number of at least 0 of the row; 0 where it is none, which is a fault.
func (t *table) number(column string) float64 {
	x, err := lines.NonNegative(t.Cell(column))
	if err != nil {
		t.Faults.Line(t.Line, "%s: %s", column, err)
		return 0
	}
	return x
}
