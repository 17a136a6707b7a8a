package model

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/model/budget"
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
	return build(&spec, listed(spec.Jobs), "", budget.Own())
}

// NewOf makes an instance of the system, which is an instance without jobs, and of as many jobs as the parameter jobs says. The function job returns the spec of
// job k. It is called several times for each k and must return the same each time; a call may reuse the memory of the call before, but not that of its texts.
// So no list of all specs is needed, which takes far more memory than the instance. Otherwise NewOf is [New].
func NewOf(system InstanceSpec, jobs int, job func(k int) *JobSpec) (*Instance, error) {
	if system.Schema == "" {
		system.Schema = InstanceSchema
	}
	system.Jobs = nil
	faults := &InputError{}
	checkSpec(faults, "", field{}, reflect.ValueOf(&system).Elem())
	for k := range jobs {
		checkSpec(faults, element("jobs", k), field{}, reflect.ValueOf(job(k)).Elem())
	}
	if err := faults.orNil(); err != nil {
		return nil, err
	}
	return build(&system, jobSpecs{jobs, job}, "", budget.Own())
}

// jobSpecs is the specs of jobs, one by one.
type jobSpecs struct {
	count int
	at    func(k int) *JobSpec
}

// listed is the specs of a list.
func listed(jobs []JobSpec) jobSpecs {
	return jobSpecs{len(jobs), func(k int) *JobSpec { return &jobs[k] }}
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
	spec     *InstanceSpec // its jobs apart
	specs    jobSpecs
	in       *Instance
	faults   *InputError
	licences map[string]int
	classes  map[string]int
	flows    map[string]int
	from     map[submission]*submission

	resources map[string]int
	nodes     map[string]*NodeNeeds // by all that they say
	demands   map[Requirements]*Demand
	demand    Demand // of the job being resolved
	seen      survey
}

// build resolves a spec whose values have been checked one by one.
func build(spec *InstanceSpec, jobs jobSpecs, file string, b *budget.Budget) (*Instance, error) {
	r := &resolver{
		spec: spec, specs: jobs,
		faults:   &InputError{File: file},
		licences: map[string]int{}, classes: map[string]int{}, flows: map[string]int{}, from: map[submission]*submission{},
		resources: map[string]int{}, nodes: map[string]*NodeNeeds{}, demands: map[Requirements]*Demand{},
		in: &Instance{
			name:         spec.Name,
			weights:      resolveWeights(spec.Weights, Weights{1, 1, 1}),
			clusterIndex: make(map[string]int, len(spec.Clusters)),
		},
	}
	r.in.digest = &digest{of: r.in}
	if spec.Units != nil {
		r.in.units = *spec.Units
	}
	r.in.caveats = slices.Clone(spec.Caveats)
	if spec.TimeZero != nil {
		r.in.timeZero = new(*spec.TimeZero)
	}
	r.in.timeZone = spec.TimeZone
	r.in.partitions, r.in.policy, r.in.assumed = slices.Clone(spec.Partitions), spec.Policy, spec.PolicyAssumed
	if s := spec.Site; s != nil {
		r.in.site = &SiteSpec{slices.Clone(s.Settings), slices.Clone(s.Accounts), slices.Clone(s.Qualities)}
	}
	r.in.tariff, r.in.horizon = r.tariff(spec.Tariff, "tariff"), clone(spec.Horizon)
	if spec.Overheads != nil {
		r.in.overheads = *spec.Overheads
	}
	r.survey()
	r.header()
	if r.tables(b) {
		r.clusters()
		r.partitions()
		r.jobs()
	}
	if len(r.faults.Faults) == 0 {
		r.precedence()
		r.derive()
	}
	if len(r.faults.Faults) == 0 && r.in.features.Has(RunningJobs) {
		r.runningTogether()
	}
	if err := r.faults.orNil(); err != nil {
		return nil, err
	}
	return r.in, nil
}

// resolveWeights applies the defaults: a missing weight of a given set is 1.
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

// valueOr returns the value pointed to, or the default if the pointer is nil.
func valueOr(p *float64, absent float64) float64 {
	if p == nil {
		return absent
	}
	return *p
}

// valueOrUnlimited returns the value, or +Inf if it is absent (zero).
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
	r.nameResources()
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
		r.in.objective = append(r.in.objective, ObjectiveTerm{name, r.spec.Objective[name]}.negated())
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
		maps.Copy(named, r.seen.licences)
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
