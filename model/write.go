package model

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strconv"
)

// WriteInstance writes an instance as JSON in its canonical form: fields in the order of the schema, what equals its default left out, one
// cluster or job a line, numbers as short as they can be without loss. Reading it gives an equal instance.
func WriteInstance(w io.Writer, in *Instance) error {
	d := &documentWriter{w: bufio.NewWriterSize(w, 1<<16)}
	header := in.headerSpec()
	d.fields(reflect.ValueOf(&header).Elem())
	d.list("clusters", len(in.clusters), func(k int) any { return in.clusterSpec(k) })
	d.list("jobs", len(in.jobs), func(k int) any { return in.jobSpec(k) })
	return d.end()
}

// WriteSolution writes a solution as JSON, one placement a line.
func WriteSolution(w io.Writer, sol *Solution) error {
	d := &documentWriter{w: bufio.NewWriterSize(w, 1<<16)}
	header := *sol
	header.Schema = SolutionSchema
	header.Jobs, header.Unscheduled, header.Loads, header.Stats = nil, nil, nil, nil
	d.fields(reflect.ValueOf(&header).Elem())
	d.elements("jobs", len(sol.Jobs), func(k int) { d.placement(&sol.Jobs[k]) })
	if len(sol.Unscheduled) > 0 {
		d.list("unscheduled", len(sol.Unscheduled), func(k int) any { return &sol.Unscheduled[k] })
	}
	if len(sol.Loads) > 0 {
		d.list("loads", len(sol.Loads), func(k int) any { return &sol.Loads[k] })
	}
	if sol.Stats != nil {
		d.field("stats", sol.Stats)
	}
	return d.end()
}

// hashOf is the SHA-256 of what WriteInstance writes.
func hashOf(in *Instance) string {
	sum := sha256.New()
	if err := WriteInstance(sum, in); err != nil {
		panic("model: a valid instance cannot be written: " + err.Error()) // a hash takes every byte, and every number is finite
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// documentWriter writes one JSON object, a field or an element of a list a line. The first error ends it.
type documentWriter struct {
	w      *bufio.Writer
	any    bool // a field has been written
	buffer bytes.Buffer
	json   *json.Encoder // writes to the buffer
	err    error
}

// raw writes text as it is.
func (d *documentWriter) raw(text string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(text)
	}
}

// value writes one JSON value.
func (d *documentWriter) value(v any) {
	d.buffer.Reset()
	if d.json == nil {
		d.json = json.NewEncoder(&d.buffer)
		d.json.SetEscapeHTML(false)
	}
	if err := d.json.Encode(v); err != nil && d.err == nil {
		d.err = err
	}
	d.bytes(bytes.TrimRight(d.buffer.Bytes(), "\n"))
}

// bytes writes text as it is.
func (d *documentWriter) bytes(text []byte) {
	if d.err == nil {
		_, d.err = d.w.Write(text)
	}
}

// placement writes a placement. A schedule has up to millions of them, and most are so plain that no general encoder has to look at them.
func (d *documentWriter) placement(p *Placement) {
	plain := len(p.Pieces) == 0 && len(p.Devices) == 0 && plainText(p.Job) && plainText(p.Cluster) && isFinite(p.Start) && isFinite(p.End)
	if !plain {
		d.value(p)
		return
	}
	text := append(d.w.AvailableBuffer(), `{"job":"`...)
	text = append(append(text, p.Job...), '"')
	if p.Cluster != "" {
		text = append(append(append(text, `,"cluster":"`...), p.Cluster...), '"')
	}
	if len(p.Processors) > 0 {
		text, _ = p.Processors.AppendText(append(text, `,"processors":"`...))
		text = append(text, '"')
	}
	text = appendNumber(append(text, `,"start":`...), p.Start)
	text = appendNumber(append(text, `,"end":`...), p.End)
	d.bytes(append(text, '}'))
}

// plainText says that JSON states the text as it is.
func plainText(text string) bool {
	for k := range len(text) {
		if c := text[k]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// appendNumber appends a finite number as encoding/json writes it: as short as it can be, with an exponent where the number is very small or large.
func appendNumber(text []byte, x float64) []byte {
	const small, large = 1e-6, 1e21
	if size := math.Abs(x); size == 0 || size >= small && size < large {
		return strconv.AppendFloat(text, x, 'f', -1, 64)
	}
	text = strconv.AppendFloat(text, x, 'e', -1, 64)
	if n := len(text); text[n-4] == 'e' && text[n-3] == '-' && text[n-2] == '0' { // e-09 is e-9
		text[n-2] = text[n-1]
		text = text[:n-1]
	}
	return text
}

// name starts a field.
func (d *documentWriter) name(name string) {
	if d.any {
		d.raw(",\n \"" + name + "\": ")
	} else {
		d.raw("{\n \"" + name + "\": ")
	}
	d.any = true
}

// field writes a field.
func (d *documentWriter) field(name string, v any) {
	d.name(name)
	d.value(v)
}

// fields writes the fields of a struct that are not absent, except the required lists, which are written with one element
// per line.
func (d *documentWriter) fields(v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		value := v.FieldByIndex(f.index)
		if value.IsZero() || value.Kind() == reflect.Map && value.Len() == 0 {
			continue
		}
		d.field(f.name, value.Interface())
	}
}

// list writes a field that is a list, one element a line.
func (d *documentWriter) list(name string, n int, element func(k int) any) {
	d.elements(name, n, func(k int) { d.value(element(k)) })
}

// elements is list, with a function that writes an element.
func (d *documentWriter) elements(name string, n int, write func(k int)) {
	d.name(name)
	d.raw("[")
	for k := range n {
		if d.err != nil {
			return // nobody reads a long rest
		}
		if k > 0 {
			d.raw(",")
		}
		d.raw("\n  ")
		write(k)
	}
	if n > 0 {
		d.raw("\n ")
	}
	d.raw("]")
}

// end closes the object and writes what is buffered.
func (d *documentWriter) end() error {
	d.raw("\n}\n")
	if d.err != nil {
		return d.err
	}
	return d.w.Flush()
}

// headerSpec is the instance without clusters and jobs as a wire type, defaults left out.
func (in *Instance) headerSpec() InstanceSpec {
	spec := InstanceSpec{Schema: InstanceSchema, Name: in.name}
	if in.units != (Units{}) {
		spec.Units = &in.units
	}
	spec.TimeZero, spec.TimeZone, spec.Caveats = in.timeZero, in.timeZone, in.caveats
	if len(in.objective) != 1 || in.objective[0] != (ObjectiveTerm{"makespan", 1}) {
		spec.Objective = in.StatedObjective()
	}
	if in.weights != (Weights{1, 1, 1}) {
		spec.Weights = weightsSpec(in.weights)
	}
	for _, c := range in.classes {
		if spec.UserClasses == nil {
			spec.UserClasses = map[string]float64{}
		}
		spec.UserClasses[c.ID] = c.Priority
	}
	spec.Licences = in.stated.licences
	for _, r := range in.resources {
		if r.Devices {
			spec.Devices = append(spec.Devices, r.ID)
		}
	}
	spec.Queueing = in.stated.queueing
	if in.overheads != (Overheads{}) {
		spec.Overheads = &in.overheads
	}
	for _, w := range in.workflows {
		spec.Workflows = append(spec.Workflows, WorkflowSpec{w.ID, finiteOrNil(w.Deadline), finiteOrNil(w.Budget)})
	}
	spec.Partitions, spec.Policy, spec.PolicyAssumed, spec.Site = in.partitions, in.policy, in.assumed, in.site
	spec.Tariff, spec.Horizon = in.tariff.spec(), clone(in.horizon)
	return spec
}

// weightsSpec are weights as a wire type.
func weightsSpec(w Weights) *WeightsSpec {
	return &WeightsSpec{&w.OverDeadline, &w.Makespan, &w.IdleTime}
}

// finiteOrNil returns the number as an optional field, which is absent if the number is +Inf or NaN.
func finiteOrNil(x float64) *float64 {
	if math.IsInf(x, 1) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// unlessDefault returns the number, or 0 (absent) if it is the default.
func unlessDefault[T comparable](x, absent T) T {
	if x == absent {
		var zero T
		return zero
	}
	return x
}

// clusterSpec is a cluster as a wire type.
func (in *Instance) clusterSpec(k int) *ClusterSpec {
	c := &in.clusters[k]
	spec := &ClusterSpec{ID: c.ID}
	if c.WholeMachines {
		spec.Allocation = "machine"
	}
	if c.own.weights {
		spec.Weights = weightsSpec(c.Weights)
	}
	if c.own.network {
		spec.Network = &Network{c.Latency, unlessDefault(c.NetBandwidth, math.Inf(1))}
	}
	if c.own.overheads {
		spec.Overheads = &Overheads{c.ContextSwitch}
	}
	if c.own.tariff {
		spec.Tariff = c.Tariff.spec()
	}
	spec.PowerCap = pairs(c.PowerCap)
	for l, copies := range c.pools {
		if copies >= 0 {
			if spec.Licences == nil {
				spec.Licences = map[string]int{}
			}
			spec.Licences[in.licences[l].ID] = copies
		}
	}
	for g := range c.Machines {
		spec.Machines = append(spec.Machines, in.machineSpec(&c.Machines[g]))
	}
	return spec
}

// machineSpec is a group of machines as a wire type.
func (in *Instance) machineSpec(m *Machine) MachineSpec {
	spec := MachineSpec{
		ID:         m.ID,
		Count:      unlessDefault(m.Count, 1),
		Processors: unlessDefault(m.Processors, 1),
		Speed:      unlessDefault(m.statedSpeed, 1),
		Memory:     finiteOrNil(m.Memory),
		Bandwidth:  unlessDefault(m.Bandwidth, math.Inf(1)),
		Cost:       m.Cost,
		Licences:   m.licenceIDs,
		Background: m.Background,
		Queue:      m.Queue,
		Features:   m.features,
		Power:      m.Power.spec(),
	}
	for k, amount := range m.amounts {
		if amount > 0 {
			if spec.Resources == nil {
				spec.Resources = map[string]float64{}
			}
			spec.Resources[in.resources[k].ID] = amount.Float()
		}
	}
	for _, c := range m.closed {
		spec.Closed = append(spec.Closed, ClosedSpec{c.From, finiteOrNil(c.To), c.For})
	}
	return spec
}

// nodeSpec adds what the job asks of the machines that it runs on to its wire type.
func (in *Instance) nodeSpec(spec *JobSpec, n *NodeNeeds) {
	spec.Block = unlessDefault(n.Block, 1)
	spec.Machines = ProcessorRange{n.MinMachines, n.MaxMachines}
	spec.PerMachine, spec.Features, spec.Exclusive, spec.Reservation = n.PerMachine, n.Features, n.Exclusive, n.Reservation
	for _, need := range n.Resources {
		if spec.Resources == nil {
			spec.Resources = map[string]float64{}
		}
		spec.Resources[in.resources[need.Resource].ID] = need.Amount.Float()
	}
	run := n.Running
	if run == nil {
		return
	}
	c := &in.clusters[run.Cluster]
	spec.Running = &RunningSpec{Cluster: c.ID, Processors: run.Processors, Elapsed: run.Elapsed, Devices: run.Devices}
	for _, h := range run.Holds {
		if spec.Running.Holds == nil {
			spec.Running.Holds = map[string]map[string]float64{}
		}
		name := c.machineName(h.Machine)
		if spec.Running.Holds[name] == nil {
			spec.Running.Holds[name] = map[string]float64{}
		}
		spec.Running.Holds[name][in.resources[h.Resource].ID] = h.Amount.Float()
	}
}

// machineName is the name of a machine by its number in the cluster.
func (c *Cluster) machineName(machine int) string {
	for g := range c.Machines {
		if m := &c.Machines[g]; machine < m.firstMachine+m.Count {
			return m.Name(machine - m.firstMachine)
		}
	}
	return ""
}

// jobSpec is a job as a wire type.
func (in *Instance) jobSpec(k int) *JobSpec {
	j := &in.jobs[k]
	spec := &JobSpec{
		ID:             j.ID,
		Arrival:        j.Arrival,
		Processors:     unlessDefault(ProcessorRange{j.Min, j.Max}, Rigid(1)),
		Tasks:          unlessDefault(j.Tasks, j.Max),
		WorkCV:         j.WorkCV,
		Estimate:       finiteOrNil(j.Estimate),
		ReferenceSpeed: unlessDefault(j.ReferenceSpeed, 1),
		Span:           string(unlessDefault(j.Span, SpanCluster)),
		Memory:         j.Memory,
		Input:          j.Input,
		Output:         j.Output,
		Message:        j.Message,
		MinBandwidth:   j.MinBandwidth,
		Deadline:       finiteOrNil(j.Deadline),
		DeadlineHard:   j.DeadlineHard,
		Budget:         finiteOrNil(j.Budget),
		User:           j.User(),
		Group:          j.Group(),
		Queue:          j.Queue(),
		Quality:        j.Quality(),
	}
	if j.workStated {
		spec.Work = &j.Work
	}
	for c, r := range j.runtimes {
		if spec.Runtime == nil {
			spec.Runtime = map[string]float64{}
		}
		if !math.IsNaN(r) {
			spec.Runtime[in.clusters[c].ID] = r
		}
	}
	if len(j.Licences)+len(j.unasked) > 0 {
		spec.Licences = map[string]int{}
	}
	for _, need := range j.Licences {
		spec.Licences[in.licences[need.Licence].ID] = need.Copies
	}
	for _, licence := range j.unasked {
		spec.Licences[in.licences[licence].ID] = 0
	}
	if j.UserClass >= 0 {
		spec.UserClass = in.classes[j.UserClass].ID
	}
	if j.Workflow >= 0 {
		spec.Workflow = in.workflows[j.Workflow].ID
	}
	for _, before := range j.After {
		spec.After = append(spec.After, in.jobs[before].ID)
	}
	if j.node != nil {
		in.nodeSpec(spec, j.node)
	}
	if j.powerStated {
		spec.Power = new(j.power)
	}
	if start, known := in.Recorded(k); known {
		spec.Recorded = &start
	}
	if estimate, raised := in.Requested(k); raised {
		spec.Requested = &estimate
	}
	return spec
}

// MarshalJSON writes a number for a rigid job, else an object of min and max.
func (r ProcessorRange) MarshalJSON() ([]byte, error) {
	if r.Min == r.Max {
		return json.Marshal(r.Min)
	}
	type object ProcessorRange
	return json.Marshal(object(r))
}
