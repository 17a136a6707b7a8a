package model

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// New validates an instance that a program filled in, applies the defaults and resolves the names. The error is an
// [*InputError] that lists everything wrong. The spec may be reused afterwards.
func New(spec InstanceSpec) (*Instance, error) {
	if spec.Schema == "" {
		spec.Schema = InstanceSchema
	}
	faults := &InputError{}
	checkSpec(faults, "", field{}, reflect.ValueOf(&spec).Elem())
	if err := faults.orNil(); err != nil {
		return nil, err
	}
	return build(&spec, "")
}

// Builder collects an instance piece by piece; Build validates it. Fields that have no method of their own are set
// through Spec.
type Builder struct{ spec InstanceSpec }

// NewBuilder starts an instance with the given name.
func NewBuilder(name string) *Builder {
	return &Builder{InstanceSpec{Schema: InstanceSchema, Name: name}}
}

// Cluster adds clusters.
func (b *Builder) Cluster(clusters ...ClusterSpec) *Builder {
	b.spec.Clusters = append(b.spec.Clusters, clusters...)
	return b
}

// Job adds jobs.
func (b *Builder) Job(jobs ...JobSpec) *Builder {
	b.spec.Jobs = append(b.spec.Jobs, jobs...)
	return b
}

// Minimise adds a metric to the objective. A metric that is better when high takes a negative weight.
func (b *Builder) Minimise(metric string, weight float64) *Builder {
	if b.spec.Objective == nil {
		b.spec.Objective = map[string]float64{}
	}
	b.spec.Objective[metric] = weight
	return b
}

// Spec is the instance so far, for the fields that the other methods do not reach.
func (b *Builder) Spec() *InstanceSpec { return &b.spec }

// Build validates what was added. The error is an [*InputError] that lists everything wrong with its path.
func (b *Builder) Build() (*Instance, error) { return New(b.spec) }

// resolver turns a spec whose values are in range into an instance, listing what does not fit together.
type resolver struct {
	spec     *InstanceSpec
	in       *Instance
	faults   *InputError
	licences map[string]int
	classes  map[string]int
	flows    map[string]int
}

// build resolves a spec whose values have been checked one by one.
func build(spec *InstanceSpec, file string) (*Instance, error) {
	r := &resolver{
		spec:     spec,
		faults:   &InputError{File: file},
		licences: map[string]int{}, classes: map[string]int{}, flows: map[string]int{},
		in: &Instance{
			name:         spec.Name,
			weights:      resolveWeights(spec.Weights, Weights{1, 1, 1}),
			jobIndex:     make(map[string]int, len(spec.Jobs)),
			clusterIndex: make(map[string]int, len(spec.Clusters)),
		},
	}
	r.in.digest = &digest{of: r.in}
	if spec.Units != nil {
		r.in.units = *spec.Units
	}
	if spec.Overheads != nil {
		r.in.overheads = *spec.Overheads
	}
	r.header()
	if r.tables() {
		r.clusters()
		r.jobs()
	}
	if len(r.faults.Faults) == 0 {
		r.precedence()
		r.derive()
	}
	if err := r.faults.orNil(); err != nil {
		return nil, err
	}
	return r.in, nil
}

// resolveWeights applies the defaults: a given set of weights has 1 where one is absent.
func resolveWeights(spec *WeightsSpec, inherited Weights) Weights {
	if spec == nil {
		return inherited
	}
	return Weights{
		OverDeadline: valueOr(spec.OverDeadline, 1),
		Makespan:     valueOr(spec.Makespan, 1),
		IdleTime:     valueOr(spec.IdleTime, 1),
	}
}

// valueOr is the value pointed to, or the default where there is none.
func valueOr(p *float64, absent float64) float64 {
	if p == nil {
		return absent
	}
	return *p
}

// valueOrUnlimited is the value, or +Inf where it is absent (zero).
func valueOrUnlimited(x float64) float64 {
	if x == 0 {
		return math.Inf(1)
	}
	return x
}

// header resolves everything outside clusters and jobs.
func (r *resolver) header() {
	if r.spec.Schema != InstanceSchema {
		r.faults.add("schema", "expected %q, found %q", InstanceSchema, clip(r.spec.Schema))
	}
	r.objective()
	r.in.stated = statedHeader{maps.Clone(r.spec.Licences), r.spec.Queueing.clone()}
	for k, id := range slices.Sorted(maps.Keys(r.spec.UserClasses)) {
		r.classes[id] = k
		r.in.classes = append(r.in.classes, UserClass{id, r.spec.UserClasses[id]})
	}
	for k, w := range r.spec.Workflows {
		if _, twice := r.flows[w.ID]; twice {
			r.faults.add(element("workflows", k)+".id", "expected a unique id, found %q again", clip(w.ID))
		}
		r.flows[w.ID] = k
		r.in.workflows = append(r.in.workflows, Workflow{ID: w.ID, Deadline: valueOr(w.Deadline, math.Inf(1)), Budget: valueOr(w.Budget, math.Inf(1))})
	}
	r.nameLicences()
}

// objective resolves the metrics of the objective.
func (r *resolver) objective() {
	if len(r.spec.Objective) == 0 {
		r.in.objective = []ObjectiveTerm{{"makespan", 1}}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.spec.Objective)) {
		if err := checkObjectiveMetric(name); err != nil {
			r.faults.add(join("objective", name), "%s", err)
		}
		r.in.objective = append(r.in.objective, ObjectiveTerm{name, r.spec.Objective[name]})
	}
}

// nameLicences numbers every licence that a pool or a machine names. Where none does, no licence is limited and a job may name any.
func (r *resolver) nameLicences() {
	pooled := map[string]bool{} // named by a pool
	named := map[string]bool{}
	for id := range r.spec.Licences {
		pooled[id], named[id] = true, true
	}
	for _, c := range r.spec.Clusters {
		for id := range c.Licences {
			pooled[id], named[id] = true, true
		}
		for _, m := range c.Machines {
			for _, id := range m.Licences {
				named[id] = true
			}
		}
	}
	if len(named) == 0 {
		for k := range r.spec.Jobs {
			for id := range r.spec.Jobs[k].Licences {
				named[id] = true
			}
		}
	}
	for k, id := range slices.Sorted(maps.Keys(named)) {
		r.licences[id] = k
		copies := Unlimited
		if pooled[id] {
			copies = r.spec.Licences[id]
		}
		r.in.licences = append(r.in.licences, Licence{id, copies})
	}
}

// clusters resolves the clusters.
func (r *resolver) clusters() {
	if len(r.spec.Clusters) == 0 {
		r.faults.add("clusters", "expected at least one cluster, found none")
	}
	for k := range r.spec.Clusters {
		spec, path := &r.spec.Clusters[k], element("clusters", k)
		if _, twice := r.in.clusterIndex[spec.ID]; twice {
			r.faults.add(path+".id", "expected a unique id, found %q again", clip(spec.ID))
		}
		r.in.clusterIndex[spec.ID] = k
		r.in.clusters = append(r.in.clusters, r.cluster(spec, path))
		r.in.processors += r.in.clusters[k].Processors
	}
	if r.in.processors > MaxProcessors {
		r.faults.add("clusters", "expected at most %d processors in all clusters, found more", MaxProcessors)
	}
}

// maxTable bounds the tables of what jobs, machines and pools say of each cluster or licence, so that a small file cannot
// ask for all memory.
const maxTable = 1 << 27

// tables says whether the tables that the instance needs are small enough to be made.
func (r *resolver) tables() bool {
	states, lists := 0, 0
	for k := range r.spec.Jobs {
		if len(r.spec.Jobs[k].Runtime) > 0 {
			states++
		}
	}
	for k := range r.spec.Clusters {
		c := &r.spec.Clusters[k]
		if len(c.Licences) > 0 {
			lists++
		}
		for m := range c.Machines {
			if c.Machines[m].Licences != nil {
				lists++
			}
		}
	}
	if clusters := len(r.spec.Clusters); states > maxTable/max(clusters, 1) {
		r.faults.add("jobs", "expected jobs with a runtime × clusters ≤ %d, found %d × %d", maxTable, states, clusters)
		return false
	}
	if licences := len(r.licences); lists > maxTable/max(licences, 1) {
		r.faults.add("clusters", "expected clusters and machines that list licences × licences ≤ %d, found %d × %d", maxTable, lists, licences)
		return false
	}
	return true
}

// cluster resolves one cluster.
func (r *resolver) cluster(spec *ClusterSpec, path string) Cluster {
	c := Cluster{
		ID:            spec.ID,
		WholeMachines: spec.Allocation == "machine",
		Weights:       resolveWeights(spec.Weights, r.in.weights),
		NetBandwidth:  math.Inf(1),
		ContextSwitch: r.in.overheads.ContextSwitch,
		own:           clusterSource{spec.Weights != nil, spec.Network != nil, spec.Overheads != nil},
	}
	if spec.Network != nil {
		c.Latency, c.NetBandwidth = spec.Network.Latency, valueOrUnlimited(spec.Network.Bandwidth)
	}
	if spec.Overheads != nil {
		c.ContextSwitch = spec.Overheads.ContextSwitch
	}
	if len(spec.Licences) > 0 {
		c.pools = slices.Repeat([]int{-1}, len(r.in.licences))
		for id, copies := range spec.Licences {
			c.pools[r.licences[id]] = copies
		}
	}
	if len(spec.Machines) == 0 {
		r.faults.add(path+".machines", "expected at least one machine, found none")
	}
	ids := make(map[string]int, len(spec.Machines)) // id → count
	for k := range spec.Machines {
		m := r.machine(&spec.Machines[k], c.WholeMachines, c.Processors)
		m.firstMachine, c.machines = c.machines, c.machines+m.Count
		if _, twice := ids[m.ID]; twice {
			r.faults.add(path+"."+element("machines", k)+".id", "expected an id unique in the cluster, found %q again", clip(m.ID))
		}
		ids[m.ID] = m.Count
		c.Machines = append(c.Machines, m)
		if c.Processors += m.Count * m.Units; c.Processors > MaxProcessors {
			c.Processors = MaxProcessors + 1 // the sum over the clusters must not overflow
			break
		}
	}
	for k := range c.Machines {
		if m := &c.Machines[k]; m.Count == 1 && namesMachine(m.ID, ids) {
			r.faults.add(path+"."+element("machines", k)+".id", "expected an id unique in the cluster, found %q, a machine of a group", clip(m.ID))
		}
	}
	c.Uniform = !slices.ContainsFunc(c.Machines, func(m Machine) bool {
		first := &c.Machines[0]
		return m.Speed != first.Speed || m.Bandwidth != first.Bandwidth
	})
	return c
}

// namesMachine says that an id is the name of a machine of one of the groups: m[1] where m has a count of 2.
func namesMachine(id string, counts map[string]int) bool {
	open := strings.LastIndexByte(id, '[')
	if open < 0 {
		return false
	}
	k, err := strconv.Atoi(strings.TrimSuffix(id[open+1:], "]"))
	return err == nil && k >= 0 && counts[id[:open]] > max(k, 1) && element(id[:open], k) == id
}

// machine resolves one group of machines whose first processor has the given number.
func (r *resolver) machine(spec *MachineSpec, whole bool, first int) Machine {
	m := Machine{
		ID:         spec.ID,
		Count:      max(spec.Count, 1),
		Processors: max(spec.Processors, 1),
		Speed:      spec.Speed,
		Memory:     valueOr(spec.Memory, math.Inf(1)),
		Bandwidth:  valueOrUnlimited(spec.Bandwidth),
		Cost:       spec.Cost,
		Background: clone(spec.Background),
		Queue:      spec.Queue.clone(),
		First:      first,
		licenceIDs: slices.Clone(spec.Licences),
	}
	if m.Speed == 0 {
		m.Speed = 1
	}
	m.statedSpeed = m.Speed
	m.Units = m.Processors
	if whole {
		m.Units = 1
		m.Speed *= float64(m.Processors)
	}
	if spec.Licences != nil {
		m.licences = make([]bool, len(r.in.licences))
		for _, id := range spec.Licences {
			m.licences[r.licences[id]] = true
		}
	}
	return m
}

// clone copies what p points to, so that the instance does not share it with its maker.
func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	value := *p
	return &value
}

// clone copies the queueing view with what it points to.
func (q *QueueingSpec) clone() *QueueingSpec {
	if q = clone(q); q != nil {
		q.CV, q.K = clone(q.CV), clone(q.K)
	}
	return q
}

// clone copies the queue with what it points to.
func (q *QueueSpec) clone() *QueueSpec {
	if q = clone(q); q != nil {
		q.ArrivalVariance, q.ServiceVariance = clone(q.ArrivalVariance), clone(q.ServiceVariance)
	}
	return q
}

// element is the path of an element of a list.
func element(list string, k int) string { return list + "[" + strconv.Itoa(k) + "]" }
