package model

import (
	"math"
	"slices"
	"sync"
)

// Instance is a validated instance with every default applied and every name resolved to an index. It never changes:
// what its methods return is shared and must not be modified, so any number of goroutines may read it.
//
// Make one with [ReadInstance], [ReadInstanceFile] or a [Builder].
type Instance struct {
	name      string
	digest    *digest
	units     Units
	objective []ObjectiveTerm
	replaced  bool // the objective is not that of the file
	weights   Weights
	classes   []UserClass
	licences  []Licence
	resources []Resource
	queueing  Queueing
	overheads Overheads
	workflows []Workflow
	clusters  []Cluster
	jobs      []Job

	jobIndex     jobIndex
	clusterIndex map[string]int
	successors   [][]int
	processors   int
	firstArrival float64
	features     Features
	whole        Features // of the instances that this is a batch of
	held         []Hold
	released     [][]float64 // by cluster and processor; nil: all are free from the first arrival on
	submitted    []float64   // by job, in a batch: its own arrival
	recorded     []float64   // by job: its start by the record, NaN where it has none; nil: no job has one
	requested    []float64   // by job: what its user asked for where that was raised, otherwise NaN; nil: no job has one
	caveats      []string
	timeZero     *float64 // Unix time of time 0; nil: not known
	timeZone     string
	partitions   []PartitionSpec
	policy       string
	assumed      bool // the policy
	site         *SiteSpec
	tariff       *Tariff
	horizon      *HorizonSpec
	powered      powered
	stated       statedHeader
}

// statedHeader keeps what the instance stated where the defaults applied to it cannot be told from it.
type statedHeader struct {
	licences map[string]int
	queueing *QueueingSpec
}

// ObjectiveTerm is one weighted metric of the sum that is minimised. The weight of a metric that is better when high is negated: an
// instance that states {"utilisation": 1} has the term −1·utilisation.
type ObjectiveTerm struct {
	Metric string
	Weight float64
}

// Weights are the weights of eq. 1 of MUSCLE (2004).
type Weights struct{ OverDeadline, Makespan, IdleTime float64 }

// Sum is the sum of the three weights, the denominator of eq. 1.
func (w Weights) Sum() float64 { return w.OverDeadline + w.Makespan + w.IdleTime }

// UserClass is a class of users with its priority.
type UserClass struct {
	ID       string
	Priority float64
}

// Licence is a licence with its pools.
type Licence struct {
	ID string
	// Copies in the grid's pool; Unlimited where no pool anywhere names the licence, 0 where only clusters have pools.
	Copies int
}

// Unlimited is the number of copies of a licence that no pool limits.
const Unlimited = math.MaxInt

// Queueing is the queueing view of the batch with its defaults applied.
type Queueing struct {
	Given  bool    // the instance states a queueing view, a machine a queue, or the objective asks for the penalty
	Rate   float64 // λ, jobs per time; 0 where it is not given and the arrivals do not tell it
	CV     float64 // coefficient of variation of the inter-arrival times
	Period float64 // T; 0 where λ is unknown and no period given
	K      float64 // standard deviations added to the mean work
	Charge Charge
}

// Charge says what a task pays for.
type Charge string

// The two ways to charge.
const (
	ChargeResponse Charge = "response"
	ChargeService  Charge = "service"
)

// Workflow is a group of jobs with an overall deadline and budget; +Inf means none.
type Workflow struct {
	ID               string
	Deadline, Budget float64
	Jobs             []int
}

// Cluster is one cluster with its machines. Its processors are numbered from 0 in the order of its machines; with
// WholeMachines a machine is one processor.
type Cluster struct {
	ID            string
	WholeMachines bool // allocation: machine
	Weights       Weights
	Latency       float64
	NetBandwidth  float64 // +Inf: unlimited
	ContextSwitch float64
	Machines      []Machine // the groups of identical machines
	Processors    int       // m_i, the number of processors given out
	// Uniform says that all processors have one speed and one bandwidth; memory, licences and cost may differ.
	Uniform  bool
	machines int   // of all groups
	pools    []int // copies by licence index; -1: no pool of its own
	Tariff   *Tariff
	PowerCap []Step // the most power that machines and running processors may take, by time; before the first any power
	own      clusterSource
}

// clusterSource keeps what a cluster itself stated, apart from what it inherited, so that it is written back as it was.
type clusterSource struct{ weights, network, overheads, tariff bool }

// Machine is a group of Count identical machines.
type Machine struct {
	ID         string
	Count      int
	Processors int     // of one machine, as stated
	Speed      float64 // work per time of one processor given out: with WholeMachines, processors × stated speed
	Memory     float64 // of one machine; +Inf: unlimited
	Bandwidth  float64 // +Inf: unlimited
	Cost       float64 // per processor given out and time unit
	Background *Background
	Queue      *QueueSpec
	Power      *MachinePower // nil: none but what jobs state
	First      int           // number of the group's first processor in the cluster
	Units      int           // processors given out per machine: Processors, or 1 with WholeMachines

	firstMachine int    // number of the group's first machine in the cluster
	licences     []bool // by licence index; nil: all
	licenceIDs   []string
	statedSpeed  float64
	whole        bool     // a machine is one processor
	amounts      []Amount // by resource; nil: none
	features     []string
	closed       []Closure
}

// Last is the number of the group's last processor in the cluster.
func (m *Machine) Last() int { return m.First + m.Count*m.Units - 1 }

// Runs says whether the machine can run the licence with the given index.
func (m *Machine) Runs(licence int) bool { return m.licences == nil || m.licences[licence] }

// Span says how far the processors of a job may lie apart.
type Span string

// The three spans.
const (
	SpanMachine Span = "machine"
	SpanCluster Span = "cluster"
	SpanGrid    Span = "grid"
)

// Name is the instance's name for people; it may be empty.
func (in *Instance) Name() string { return in.name }

// SHA256 is the SHA-256, in hexadecimal, of the (uncompressed) bytes the instance was read from; for a built one, of the
// bytes that [WriteInstance] writes.
func (in *Instance) SHA256() string {
	in.digest.once.Do(func() {
		if in.digest.hex == "" {
			in.digest.hex = hashOf(in.digest.of)
		}
	})
	return in.digest.hex
}

// digest is a SHA-256 that is computed when it is first asked for. Instances that differ in the objective share it.
type digest struct {
	of   *Instance
	once sync.Once
	hex  string
}

// Units names the units of measurement.
func (in *Instance) Units() Units { return in.units }

// ObjectiveTerms is the weighted sum to minimise, sorted by metric. [Instance.StatedObjective] has the weights as the file states them.
func (in *Instance) ObjectiveTerms() []ObjectiveTerm { return in.objective }

// UserClasses are the classes of users, sorted by id.
func (in *Instance) UserClasses() []UserClass { return in.classes }

// Licences are all licences named anywhere in the instance, sorted by id.
func (in *Instance) Licences() []Licence { return in.licences }

// Queueing is the queueing view of the batch.
func (in *Instance) Queueing() Queueing { return in.queueing }

// Workflows are the workflows in the order of the file.
func (in *Instance) Workflows() []Workflow { return in.workflows }

// Clusters are the clusters in the order of the file.
func (in *Instance) Clusters() []Cluster { return in.clusters }

// Jobs are the jobs in the order of the file.
func (in *Instance) Jobs() []Job { return in.jobs }

// JobIndex is the index of the job with the given id.
func (in *Instance) JobIndex(id string) (int, bool) {
	return in.jobIndex.find(in.jobs, id)
}

// JobFrom is [Instance.JobIndex] with a guess, which saves the search where it is right: most schedules list the jobs in the order of the instance.
func (in *Instance) JobFrom(guess int, id string) (int, bool) {
	if guess < len(in.jobs) && in.jobs[guess].ID == id {
		return guess, true
	}
	return in.JobIndex(id)
}

// ClusterIndex is the index of the cluster with the given id.
func (in *Instance) ClusterIndex(id string) (int, bool) {
	c, ok := in.clusterIndex[id]
	return c, ok
}

// Successors are the jobs that must start after job j has ended.
func (in *Instance) Successors(j int) []int {
	if in.successors == nil {
		return nil
	}
	return in.successors[j]
}

// Recorded is the time at which the job really started, by the record that the instance was made of, and whether the record tells. No policy may know it.
func (in *Instance) Recorded(job int) (start float64, known bool) {
	if in.recorded == nil || math.IsNaN(in.recorded[job]) {
		return 0, false
	}
	return in.recorded[job], true
}

// Requested is the estimate that the user of a job gave, where the job outlived it and the estimate was raised to its run time, and whether it was.
func (in *Instance) Requested(job int) (estimate float64, raised bool) {
	if in.requested == nil || math.IsNaN(in.requested[job]) {
		return 0, false
	}
	return in.requested[job], true
}

// AsRequested is the instance with the estimates that the users gave: those that were raised to run times are as before. It is the instance itself where none was.
// Complexity: O(n).
func (in *Instance) AsRequested() *Instance {
	if in.requested == nil {
		return in
	}
	asked := *in
	asked.digest = &digest{of: &asked}
	asked.jobs, asked.requested = slices.Clone(in.jobs), nil
	for k := range asked.jobs {
		if estimate, raised := in.Requested(k); raised {
			asked.jobs[k].Estimate = estimate
		}
	}
	return &asked
}

// Policy is the policy of the site that the record is of, as [InstanceSpec] states it, empty: none is stated; and whether nobody knows the true one, so that it is assumed.
func (in *Instance) Policy() (policy string, assumed bool) { return in.policy, in.assumed }

// Site is what the order slurm counts by beside its parameters; nil: nothing is stated.
func (in *Instance) Site() *SiteSpec { return in.site }

// Caveats say what the record that the instance was made of states and the instance leaves out, where that touches more than 2 % of the jobs.
func (in *Instance) Caveats() []string { return in.caveats }

// TimeZero is the Unix time, in seconds, of time 0, and whether it is known. What people are shown has dates by it, and a policy that keeps to the clock may
// round to it, as backfill rounds its plans; no other decision depends on it.
func (in *Instance) TimeZero() (unix float64, known bool) {
	if in.timeZero == nil {
		return 0, false
	}
	return *in.timeZero, true
}

// TimeZone is the zone in which dates are shown: an IANA name, or [UnstatedZone]; empty: that of the machine that shows them.
func (in *Instance) TimeZone() string { return in.timeZone }

// Processors is the number of processors of the whole grid.
func (in *Instance) Processors() int { return in.processors }

// FirstArrival is the earliest arrival of all jobs; 0 without jobs. Makespans count from it.
func (in *Instance) FirstArrival() float64 { return in.firstArrival }

// Pool returns the pool from which a job on the cluster draws a licence, and the number of its copies. It is the
// cluster's own pool if there is one, otherwise the grid's. The number is [Unlimited] if no pool names the
// licence.
func (in *Instance) Pool(cluster, licence int) (copies int, own bool) {
	if pools := in.clusters[cluster].pools; pools != nil && pools[licence] >= 0 {
		return pools[licence], true
	}
	return in.licences[licence].Copies, false
}

// GroupOf is the index of the group of machines that holds the processor of the cluster.
func (c *Cluster) GroupOf(processor int) int {
	low, high := 0, len(c.Machines)
	for high-low > 1 {
		middle := (low + high) / 2
		if c.Machines[middle].First <= processor {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// MachineOf is the number of the machine, in the order of the cluster's machines with each of a group counted, that
// holds the processor, and the index of its group.
func (c *Cluster) MachineOf(processor int) (machine, group int) {
	group = c.GroupOf(processor)
	m := &c.Machines[group]
	return m.firstMachine + (processor-m.First)/m.Units, group
}
