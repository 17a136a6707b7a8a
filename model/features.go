package model

import "strings"

// Features is a set of things an instance can ask for that not every algorithm honours.
type Features uint32

// The features. Soft deadlines, budgets, weights, user classes and the limits of workflows are not among them: only the cost of a schedule
// depends on them, so that every solver honours them.
const (
	Arrivals         Features = 1 << iota // jobs that arrive at different times
	HardDeadlines                         // deadlines that a plan must not miss
	Precedence                            // jobs that wait for others
	MemoryLimits                          // tasks that need memory on machines that limit it
	LicencePools                          // licences with a limited number of copies, or that not every machine runs
	BandwidthNeeds                        // jobs that need a minimum bandwidth that not every machine offers
	ParallelJobs                          // jobs that need several processors at once
	MoldableJobs                          // jobs whose number of processors is to be chosen
	UnrelatedTimes                        // execution times stated cluster by cluster
	RestrictedTimes                       // stated execution times that leave clusters out
	MixedMachines                         // clusters whose machines differ in speed or bandwidth
	MachineSpan                           // parallel jobs that must stay on one machine of a cluster with several
	GridSpan                              // jobs that can run over several clusters only
	BackgroundLoad                        // machines with local jobs at random times
	Commitments                           // processors that earlier jobs hold, see Instance.Batch
	NodeResources                         // jobs that hold resources or devices of their machines
	Blocks                                // jobs whose processors come in blocks, or that say on how many machines they lie
	NodeFeatures                          // jobs that ask for features of machines
	ClosedTimes                           // machines that are closed at times, jobs of reservations
	ExclusiveJobs                         // jobs that share their machines with no other job
	RunningJobs                           // jobs that run already
	HorizonLimits                         // a horizon within which jobs start and end
	PowerCaps                             // clusters that limit the power of what runs
	SleepingMachines                      // machines that are off when the horizon begins or ends, or are suspended by a rule
	NodesBeside                           // GridSpan, where jobs ask something of single machines
)

// ofNodes are what jobs ask of single machines.
const ofNodes = NodeResources | Blocks | NodeFeatures | ClosedTimes | ExclusiveJobs | RunningJobs

// PowerLimits are the features by which power limits schedules. What an instance states of power asks for no other feature: only the cost of a schedule depends
// on it.
const PowerLimits = HorizonLimits | PowerCaps | SleepingMachines

// featureNames are the texts for people, in the order of the constants.
var featureNames = []string{
	"arrivals", "hard deadlines", "precedence", "memory limits", "licences", "minimum bandwidth", "parallel jobs", "moldable jobs",
	"stated run times", "clusters without a stated run time", "machines of different speed or bandwidth in one cluster",
	"span machine", "jobs that must spread over the grid", "background load", "processors that earlier jobs hold",
	"resources of machines", "blocks of processors on machines", "features of machines", "closed times and reservations", "exclusive jobs",
	"running jobs", "a horizon", "power caps", "machines that sleep by a rule or at an end of the horizon", "jobs that must spread, beside needs of single machines",
}

// Has says whether all of the given features are in the set.
func (f Features) Has(g Features) bool { return f&g == g }

// String names the features, separated by commas.
func (f Features) String() string {
	var names []string
	for k, name := range featureNames {
		if f&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Features is the set of features that the instance asks for.
func (in *Instance) Features() Features { return in.features }

// findFeatures collects the features of clusters and jobs. made, where it is not nil, is called for each job, in order, before it is looked at.
func (in *Instance) findFeatures(made func(job int)) Features {
	f := in.clusterFeatures()
	several, memory, licences, slowest := false, false, false, 0.0
	for k := range in.clusters {
		c := &in.clusters[k]
		several = several || !c.WholeMachines && c.machines > 1
		for g := range c.Machines {
			m := &c.Machines[g]
			memory = memory || m.Memory < 1e300
			licences = licences || m.licences != nil
			if slowest == 0 || m.Bandwidth < slowest {
				slowest = m.Bandwidth
			}
		}
	}
	for k := range in.jobs {
		if made != nil {
			made(k)
		}
		j := &in.jobs[k]
		f |= j.features(in.firstArrival)
		if j.Memory > 0 && memory {
			f |= MemoryLimits
		}
		if j.MinBandwidth > slowest {
			f |= BandwidthNeeds
		}
		if j.Max > 1 && j.Span == SpanMachine && several {
			f |= MachineSpan
		}
		if f&GridSpan == 0 && in.MustSpread(k) {
			f |= GridSpan
		}
		for _, need := range j.Licences {
			if need.Copies > 0 && (in.licences[need.Licence].Copies != Unlimited || licences) {
				f |= LicencePools
			}
		}
	}
	if f&ofNodes != 0 && f&GridSpan != 0 {
		f |= NodesBeside
	}
	return f
}

// clusterFeatures are the features that the clusters alone show.
func (in *Instance) clusterFeatures() Features {
	var f Features
	if in.horizon != nil {
		f |= HorizonLimits
	}
	for k := range in.clusters {
		c := &in.clusters[k]
		if !c.Uniform {
			f |= MixedMachines
		}
		if len(c.PowerCap) > 0 {
			f |= PowerCaps
		}
		for g := range c.Machines {
			if b := c.Machines[g].Background; b != nil && b.Load > 0 {
				f |= BackgroundLoad
			}
			if c.Machines[g].closed != nil {
				f |= ClosedTimes
			}
			if p := c.Machines[g].Power; p != nil && (p.Begin >= 0 || p.End >= 0 || p.Suspends()) {
				f |= SleepingMachines
			}
		}
	}
	return f
}

// features are the features that the job alone shows.
func (j *Job) features(firstArrival float64) Features {
	var f Features
	set := func(feature Features, asked bool) {
		if asked {
			f |= feature
		}
	}
	set(Arrivals, j.Arrival > firstArrival)
	set(HardDeadlines, j.DeadlineHard && j.HasDeadline())
	set(Precedence, len(j.After) > 0)
	set(ParallelJobs, j.Min > 1)
	set(MoldableJobs, !j.Rigid())
	set(UnrelatedTimes, j.runtimes != nil)
	if n := j.node; n != nil {
		set(NodeResources, len(n.Resources) > 0)
		set(Blocks, n.Block > 1 || n.MaxMachines > 0 || n.PerMachine > 0)
		set(NodeFeatures, len(n.Features) > 0)
		set(ClosedTimes, n.Reservation != "")
		set(ExclusiveJobs, n.Exclusive)
		set(RunningJobs, n.Running != nil)
	}
	for _, r := range j.runtimes {
		if r != r { // NaN: the job cannot run there
			f |= RestrictedTimes
		}
	}
	return f
}
