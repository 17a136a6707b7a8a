package model

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// survey is what the names and the tables of an instance depend on in its jobs.
type survey struct {
	twice     []int // jobs whose id another has before them
	runtimes  int   // jobs that state run times
	licences  map[string]bool
	resources map[string]bool // whether some job asks for more than 0
}

// survey looks at all jobs before any is resolved, and takes their ids.
func (r *resolver) survey() {
	r.in.jobs, r.in.jobIndex = make([]Job, r.specs.count), newJobIndex(r.specs.count)
	r.seen.licences, r.seen.resources = map[string]bool{}, map[string]bool{}
	for k := range r.in.jobs {
		spec := r.specs.at(k)
		r.in.jobs[k].ID = spec.ID
		if !r.in.jobIndex.add(r.in.jobs, k) {
			r.seen.twice = append(r.seen.twice, k)
		}
		if len(spec.Runtime) > 0 {
			r.seen.runtimes++
		}
		for id := range spec.Licences {
			r.seen.licences[id] = true
		}
		for id, amount := range spec.Resources {
			r.seen.resources[id] = r.seen.resources[id] || amount > 0
		}
	}
}

// jobs resolves the jobs.
func (r *resolver) jobs() {
	for _, k := range r.seen.twice {
		r.faults.add(element("jobs", k)+".id", "expected a unique id, found %q again", clip(r.in.jobs[k].ID))
	}
	for k := range r.in.jobs {
		r.job(&r.in.jobs[k], r.specs.at(k), k)
	}
}

// job resolves one job, of which the id stands already.
func (r *resolver) job(j *Job, spec *JobSpec, k int) {
	path := element("jobs", k)
	width := spec.Processors
	if width == (ProcessorRange{}) {
		width = Rigid(1)
	}
	j.Arrival = spec.Arrival
	j.Estimate = valueOr(spec.Estimate, math.NaN())
	j.Deadline = valueOr(spec.Deadline, math.Inf(1))
	j.Budget = valueOr(spec.Budget, math.Inf(1))
	r.demand = Demand{Requirements: Requirements{
		Min:            width.Min,
		Max:            width.Max,
		Tasks:          spec.Tasks,
		WorkCV:         spec.WorkCV,
		ReferenceSpeed: spec.ReferenceSpeed,
		Span:           Span(spec.Span),
		Memory:         spec.Memory,
		Input:          spec.Input,
		Output:         spec.Output,
		Message:        spec.Message,
		MinBandwidth:   spec.MinBandwidth,
		DeadlineHard:   spec.DeadlineHard,
		UserClass:      -1,
		Workflow:       -1,
	}}
	j.Demand = &r.demand
	if j.Tasks == 0 {
		j.Tasks = j.Max
	}
	if j.ReferenceSpeed == 0 {
		j.ReferenceSpeed = 1
	}
	if j.Span == "" {
		j.Span = SpanCluster
	}
	if spec.Power != nil {
		j.power, j.powerStated = *spec.Power, true
	}
	j.from = r.submission(submission{spec.User, spec.Group, spec.Queue, spec.Quality})
	r.jobTimes(j, spec, path)
	r.jobReferences(j, spec, k, path)
	if asksOfNodes(spec) {
		r.jobNode(j, spec, path)
	}
	if spec.Recorded != nil {
		r.jobRecorded(k, spec, path)
	}
	if spec.Requested != nil {
		r.jobRequested(k, spec, path)
	}
	r.share(j)
}

// mostShared is the number of demands that are looked up. Jobs that ask for more than that ask for too much that is their own.
const mostShared = 1 << 12

// share gives a job its demand: that of the jobs before it that ask for the same, or one of its own.
func (r *resolver) share(j *Job) {
	plain := r.demand.plain()
	if plain {
		if shared := r.demands[r.demand.Requirements]; shared != nil {
			j.Demand = shared
			return
		}
	}
	own := r.demand
	j.Demand = &own
	if plain && len(r.demands) < mostShared {
		r.demands[own.Requirements] = &own
	}
}

// jobRecorded takes when a job really started.
func (r *resolver) jobRecorded(k int, spec *JobSpec, path string) {
	if *spec.Recorded < spec.Arrival {
		r.faults.add(path+".recorded", "expected a start at the arrival, %v, or later, found %v", spec.Arrival, *spec.Recorded)
	}
	if r.in.recorded == nil {
		r.in.recorded = slices.Repeat([]float64{math.NaN()}, r.specs.count)
	}
	r.in.recorded[k] = *spec.Recorded
}

// jobRequested takes what the user of a job asked for, where its estimate has been raised.
func (r *resolver) jobRequested(k int, spec *JobSpec, path string) {
	switch {
	case spec.Estimate == nil:
		r.faults.add(path+".requested", "expected it with an estimate, found none")
	case *spec.Requested >= *spec.Estimate:
		r.faults.add(path+".requested", "expected less than the estimate, %v, found %v", *spec.Estimate, *spec.Requested)
	}
	if r.in.requested == nil {
		r.in.requested = slices.Repeat([]float64{math.NaN()}, r.specs.count)
	}
	r.in.requested[k] = *spec.Requested
}

// submission is the one copy of who submitted a job, and to which queue; nil where nothing is stated.
func (r *resolver) submission(s submission) *submission {
	if s == (submission{}) {
		return nil
	}
	shared, known := r.from[s]
	if !known {
		shared = &submission{strings.Clone(s.user), strings.Clone(s.group), strings.Clone(s.queue), strings.Clone(s.quality)}
		r.from[*shared] = shared
	}
	return shared
}

// jobTimes resolves work and run times.
func (r *resolver) jobTimes(j *Job, spec *JobSpec, path string) {
	switch {
	case spec.Work != nil:
		j.Work, j.workStated = *spec.Work, true
	case spec.Estimate != nil:
		j.Work = j.Estimate * j.ReferenceSpeed
	case len(spec.Runtime) == 0:
		r.faults.add(path, "expected one of work, runtime and estimate, found none")
	}
	if len(spec.Runtime) == 0 {
		return
	}
	j.runtimes = slices.Repeat([]float64{math.NaN()}, len(r.in.clusters))
	for _, id := range slices.Sorted(maps.Keys(spec.Runtime)) {
		c, ok := r.in.clusterIndex[id]
		if !ok {
			r.faults.add(join(path+".runtime", id), "expected the id of a cluster, found %q", clip(id))
			continue
		}
		if c < len(j.runtimes) {
			j.runtimes[c] = spec.Runtime[id]
		}
	}
}

// jobReferences resolves the names a job refers to.
func (r *resolver) jobReferences(j *Job, spec *JobSpec, job int, path string) {
	for _, id := range slices.Sorted(maps.Keys(spec.Licences)) {
		l, ok := r.licences[id]
		if !ok {
			r.faults.add(join(path+".licences", id), "expected a licence that a pool or a machine names, found %q", clip(id))
			continue
		}
		if copies := spec.Licences[id]; copies > 0 {
			j.Licences = append(j.Licences, Need{l, copies})
		} else {
			j.unasked = append(j.unasked, l) // no copy asks for nothing
		}
	}
	if spec.UserClass != "" {
		k, ok := r.classes[spec.UserClass]
		if !ok {
			r.faults.add(path+".user_class", "expected one of user_classes, found %q", clip(spec.UserClass))
		}
		j.UserClass = k
	}
	if spec.Workflow != "" {
		k, ok := r.flows[spec.Workflow]
		if !ok {
			r.faults.add(path+".workflow", "expected the id of a workflow, found %q", clip(spec.Workflow))
		} else {
			r.in.workflows[k].Jobs = append(r.in.workflows[k].Jobs, job)
		}
		j.Workflow = k
	}
	for k, id := range spec.After {
		before, ok := r.in.JobIndex(id)
		if !ok {
			r.faults.add(path+"."+element("after", k), "expected the id of a job, found %q", clip(id))
			continue
		}
		j.After = append(j.After, before)
	}
}

// precedence makes the lists of successors and lists a cycle if there is one.
func (r *resolver) precedence() {
	jobs := r.in.jobs
	waits := make([]int, len(jobs)) // predecessors that are not in the order yet
	total := 0
	for k := range jobs {
		waits[k] = len(jobs[k].After)
		total += waits[k]
	}
	if total == 0 {
		return
	}
	successors := make([][]int, len(jobs))
	for k := range jobs {
		for _, before := range jobs[k].After {
			successors[before] = append(successors[before], k)
		}
	}
	r.in.successors = successors
	var order []int
	for k, n := range waits {
		if n == 0 {
			order = append(order, k)
		}
	}
	for done := 0; done < len(order); done++ {
		for _, next := range successors[order[done]] {
			if waits[next]--; waits[next] == 0 {
				order = append(order, next)
			}
		}
	}
	if len(order) < len(jobs) {
		r.cycle(waits)
	}
}

// cycle lists one cycle among the jobs that still wait.
func (r *resolver) cycle(waits []int) {
	jobs := r.in.jobs
	waiting := func(k int) bool { return waits[k] > 0 }
	at := slices.IndexFunc(waits, func(n int) bool { return n > 0 })
	seen := map[int]bool{}
	// Every waiting job waits for a waiting job, so going from one to the next must come back.
	var from, slot int
	for !seen[at] {
		seen[at] = true
		from, slot = at, slices.IndexFunc(jobs[at].After, waiting)
		at = jobs[at].After[slot]
	}
	const most = 10
	names := []string{shown(jobs[at].ID)}
	for k := at; k != from; {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		k = jobs[k].After[slices.IndexFunc(jobs[k].After, waiting)]
		names = append(names, shown(jobs[k].ID))
	}
	names = append(names, shown(jobs[at].ID))
	r.faults.add(element("jobs", from)+"."+element("after", slot), "expected no cycle, found %s", strings.Join(names, " after "))
}

// derive computes what follows from the rest.
func (r *resolver) derive() {
	in := r.in
	for k := range in.jobs {
		if k == 0 || in.jobs[k].Arrival < in.firstArrival {
			in.firstArrival = in.jobs[k].Arrival
		}
	}
	in.powered = in.findPower()
	r.queueing()
	r.power()
	in.features = in.findFeatures(nil)
}

// queueing applies the defaults of the queueing view.
func (r *resolver) queueing() {
	in, spec := r.in, r.spec.Queueing
	if spec == nil {
		spec = &QueueingSpec{}
	}
	q := Queueing{
		Given:  r.spec.Queueing != nil || in.anyQueue(),
		Rate:   spec.Rate,
		Period: spec.Period,
		K:      valueOr(spec.K, 1.645),
		Charge: Charge(spec.Charge),
	}
	if q.Charge == "" {
		q.Charge = ChargeResponse
	}
	rate, cv := in.arrivalProcess()
	if q.Rate == 0 {
		q.Rate = rate
	}
	q.CV = valueOr(spec.CV, cv)
	if q.Period == 0 && q.Rate > 0 {
		q.Period = float64(len(in.jobs)) / q.Rate
	}
	in.queueing = q
	r.penalty()
	r.devicesMeasured()
}

// maxServers is the largest number of machines that are looked at as servers, one by one.
const maxServers = 1 << 20

// penalty checks that the penalty of the queueing view can be computed where the instance asks for it or has such a view.
func (r *resolver) penalty() {
	in, q := r.in, &r.in.queueing
	if slices.ContainsFunc(in.objective, func(t ObjectiveTerm) bool { return t.Metric == "qos_penalty" }) {
		q.Given = true
		if len(in.jobs) > 0 && (q.Rate == 0 || q.Period == 0) {
			r.faults.add("queueing.rate", "expected an arrival rate, because the objective qos_penalty needs one and the arrivals of the jobs do not give it")
		}
	}
	machines := 0
	for k := range in.clusters {
		machines += in.clusters[k].machines
	}
	if q.Given && machines > maxServers {
		r.faults.add("clusters", "expected at most %d machines in an instance with a queueing view, found %d", maxServers, machines)
	}
}

// anyQueue says whether a machine is described as a server.
func (in *Instance) anyQueue() bool {
	for k := range in.clusters {
		if slices.ContainsFunc(in.clusters[k].Machines, func(m Machine) bool { return m.Queue != nil }) {
			return true
		}
	}
	return false
}

// arrivalProcess estimates rate and coefficient of variation of the inter-arrival times: (n−1)/(last − first), and the
// sample deviation over the mean. The rate is 0 if all jobs arrive at once, and the CV is 1 (Poisson) if it is unknown.
func (in *Instance) arrivalProcess() (rate, cv float64) {
	n := len(in.jobs)
	if n < 2 {
		return 0, 1
	}
	arrivals := make([]float64, n)
	for k := range in.jobs {
		arrivals[k] = in.jobs[k].Arrival
	}
	slices.Sort(arrivals)
	length := arrivals[n-1] - arrivals[0]
	if length == 0 {
		return 0, 1
	}
	mean := length / float64(n-1)
	if n < 3 {
		return 1 / mean, 1
	}
	squares := 0.0
	for k := 1; k < n; k++ {
		d := arrivals[k] - arrivals[k-1] - mean
		squares += d * d
	}
	return 1 / mean, math.Sqrt(squares/float64(n-2)) / mean
}
