package model

import (
	"fmt"
	"math"
	"math/big"
)

// Check checks a solution against its instance and shares no code with the solvers: every job once; start ≥ arrival and
// ≥ the ends of the jobs it waits for; end − start by the time rule; processors exist, their number is within bounds and
// the span holds; no processor runs two jobs at once; memory, licences and bandwidth at every instant; blocks, features, resources, devices and
// closed times of machines; hard deadlines;
// stated objective, metrics and bound against the recomputed ones. If a solution was made for another objective
// ([Solution.Minimised]), it is evaluated for that objective.
//
// Points in time are compared as they are stated: a job may start at the very instant at which another ends, and no earlier. A duration may
// differ from the time rule by a relative [Tolerance] and by what rounding the start and the end to float64 numbers can make of it; a job that
// takes time ends after it starts. Stated figures may differ by a relative [Tolerance]. On a machine with background load a job may take up to
// twice its time.
//
// Complexity: O(n log n + n·p/64) for n pieces on p processors each.
func Check(in *Instance, sol *Solution) Report { return check(in, sol, (*evaluation).evaluate) }

// CheckPlacements checks what the solution says of its jobs and loads, as Check does, and evaluates the objective alone: for solvers that compare many schedules.
func CheckPlacements(in *Instance, sol *Solution) Report {
	bare := Solution{Schema: sol.Schema, Jobs: sol.Jobs, Unscheduled: sol.Unscheduled, Loads: sol.Loads}
	return check(in, &bare, (*evaluation).priced)
}

// check checks a solution and evaluates it.
func check(in *Instance, sol *Solution, evaluate func(*evaluation) Evaluation) Report {
	var report Report
	checkInstance(in, sol, &report) // first: in another instance's plan it is the cause of all that follows
	in = minimised(in, sol, &report)
	s := resolve(in, sol, &report)
	c := &checker{schedule: s, report: &report}
	c.jobs()
	for k := range s.parts {
		c.part(&s.parts[k])
	}
	for k := range in.jobs {
		if s.isPlaced(k) {
			c.job(k)
		}
	}
	byStart := s.byStart()
	c.overlaps(byStart)
	c.memory(byStart)
	c.nodes()
	c.instants()
	c.licences()
	c.power()
	c.loads()
	c.evaluation = s.sums()
	report.Evaluation = evaluate(c.evaluation)
	c.figures()
	return report
}

// minimised is the instance with the objective that the solution was made for.
func minimised(in *Instance, sol *Solution, report *Report) *Instance {
	if sol.Minimised == nil {
		return in
	}
	target, err := in.WithObjective(sol.Minimised)
	if err != nil {
		report.add(Violation{Code: codeWrongObjective, Message: "minimised: " + err.Error()})
		return in
	}
	return target
}

// checker checks one schedule.
type checker struct {
	*schedule
	report     *Report
	evaluation *evaluation
	known      *Instance // by the estimates, see Known; nil: no machine is closed at times
	link       float64   // the least bandwidth of the machines of the job whose pieces are being checked
}

// jobs checks that every job is placed once or left out once, with a reason.
func (c *checker) jobs() {
	out := make([]bool, len(c.in.jobs))
	for _, u := range c.sol.Unscheduled {
		job, ok := c.in.JobIndex(u.Job)
		switch {
		case !ok:
			c.report.add(Violation{Code: codeUnknownJob, Job: u.Job, Message: "the instance has no such job"})
			continue
		case out[job] || c.isPlaced(job):
			c.report.add(Violation{Code: codeDuplicateJob, Job: u.Job, Message: "the job is left out, and also placed or left out elsewhere"})
		case u.Reason == "":
			c.report.add(Violation{Code: codeNoReason, Job: u.Job, Message: "the job is left out without a reason"})
		}
		out[job] = true
	}
	if c.statesNothing() {
		return
	}
	for k := range c.sol.Jobs {
		p := &c.sol.Jobs[k]
		if len(p.Pieces) > 0 && (p.Cluster != "" || len(p.Processors) > 0) {
			c.report.add(Violation{Code: codePieces, Job: p.Job, Cluster: p.Cluster, From: p.Start, To: p.End,
				Message: "expected the cluster and its processors in the pieces alone, found them beside"})
		}
	}
	for k := range c.in.jobs { // a placement with a fault of its own is not missing on top
		if !out[k] && !c.named[k] {
			c.report.add(Violation{Code: codeMissingJob, Job: c.in.jobs[k].ID, Message: "the job is neither placed nor left out"})
		}
	}
}

// statesNothing says that the solution is no schedule: it states that there is none.
func (c *checker) statesNothing() bool { return len(c.sol.Jobs) == 0 && c.sol.Status == Infeasible }

// part checks one piece by itself.
func (c *checker) part(p *part) {
	job, cluster := &c.in.jobs[p.job], &c.in.clusters[p.cluster]
	violation := func(code Code, resource, format string, args ...any) {
		c.report.add(Violation{code, job.ID, cluster.ID, resource, p.start, p.end, fmt.Sprintf(format, args...)})
	}
	if p.first {
		c.link = math.Inf(1)
		for _, q := range c.partsOf(p.job) {
			c.link = min(c.link, c.in.SlowestLink(q.cluster, q.set))
		}
	}
	if job.runtimes != nil && math.IsNaN(job.runtimes[p.cluster]) {
		violation(codeIneligible, "", "the job states no run time for the cluster")
		return
	}
	for _, r := range p.set {
		for g := cluster.GroupOf(r.First); g < len(cluster.Machines) && cluster.Machines[g].First <= r.Last; g++ {
			m := &cluster.Machines[g]
			if m.Bandwidth < job.MinBandwidth {
				violation(codeBandwidth, m.ID, "the machine offers %g, the job needs %g", m.Bandwidth, job.MinBandwidth)
			}
			for _, need := range job.Licences {
				if !m.Runs(need.Licence) {
					violation(codeLicence, m.ID, "the machine does not run licence %s", shown(c.in.licences[need.Licence].ID))
				}
			}
		}
	}
	c.duration(p, violation)
}

// duration checks the length of a piece against the time rule.
func (c *checker) duration(p *part, violation func(Code, string, string, ...any)) {
	want := c.in.Longest(p.job, p.cluster, p.set, p.tasks) + c.in.Transfer(p.job, c.link)
	longest := want
	if c.in.shared(p.cluster, p.set) {
		longest = 2 * want
	}
	if found := p.end - p.start; !lasts(p.start, p.end, want, longest) || want > 0 && found == 0 {
		violation(codeWrongEnd, p.set.clipped(), "expected to take %v, takes %v", want, found)
	}
}

// lasts says whether a piece takes from least to most, each but for [Tolerance] of it and for the rounding of start and end. Exact numbers decide
// where double precision cannot.
func lasts(start, end, least, most float64) bool {
	found, limit := end-start, least
	off := least - found
	if found > least {
		limit, off = most, found-most
	}
	allowed := Tolerance*limit + (spacing(start)+spacing(end))/2
	if math.Abs(off-allowed) > 1e-6*allowed {
		return off <= allowed
	}
	by := rational(end)
	by.Sub(by, rational(start)).Sub(by, rational(limit)).Abs(by)
	rounding := rational(spacing(start))
	rounding.Add(rounding, rational(spacing(end))).Mul(rounding, big.NewRat(1, 2))
	slack := rational(Tolerance)
	return by.Cmp(slack.Mul(slack, rational(limit)).Add(slack, rounding)) <= 0
}

// shared says whether one of the processors has background load.
func (in *Instance) shared(cluster int, set ProcessorSet) bool {
	c := &in.clusters[cluster]
	for _, r := range set {
		for g := c.GroupOf(r.First); g < len(c.Machines) && c.Machines[g].First <= r.Last; g++ {
			if b := c.Machines[g].Background; b != nil && b.Load > 0 {
				return true
			}
		}
	}
	return false
}

// job checks a placed job as a whole.
func (c *checker) job(k int) {
	job, parts := &c.in.jobs[k], c.partsOf(k)
	violation := func(code Code, format string, args ...any) {
		c.report.add(Violation{Code: code, Job: job.ID, Cluster: c.in.clusters[parts[0].cluster].ID,
			From: c.start[k], To: c.end[k], Message: fmt.Sprintf(format, args...)})
	}
	if c.start[k] < job.Arrival {
		violation(codeEarlyStart, "the job arrives at %v", job.Arrival)
	}
	if job.DeadlineHard && c.isLate(k) {
		violation(codeHardDeadline, "the deadline %v is hard", job.Deadline)
	}
	for _, before := range job.After {
		switch {
		case !c.isPlaced(before):
			violation(codePrecedence, "job %s must end first and is not placed", shown(c.in.jobs[before].ID))
		case c.start[k] < c.end[before]:
			violation(codePrecedence, "job %s must end first and ends at %v", shown(c.in.jobs[before].ID), c.end[before])
		}
	}
	if c.whole[k] {
		c.extent(k, violation)
		c.pieces(k, violation)
		c.together(k)
	}
}

// extent checks the number of processors and their span.
func (c *checker) extent(k int, violation func(Code, string, ...any)) {
	job, parts := &c.in.jobs[k], c.partsOf(k)
	least, most := c.in.Width(k, parts[0].cluster)
	held, oneCluster, oneMachine := 0, true, true
	for _, p := range parts {
		held += p.set.Len()
		oneCluster = oneCluster && p.cluster == parts[0].cluster
	}
	if !oneCluster {
		least, most = job.Min, job.Max
	}
	if job.Span == SpanMachine {
		cluster := &c.in.clusters[parts[0].cluster]
		home, _ := cluster.MachineOf(parts[0].set.Min())
		for _, p := range parts {
			for _, r := range p.set {
				from, _ := cluster.MachineOf(r.First)
				to, _ := cluster.MachineOf(r.Last)
				oneMachine = oneMachine && oneCluster && from == home && to == home
			}
		}
	}
	if held < least || held > most {
		violation(codeProcessorCount, "expected %d to %d processors, found %d", least, most, held)
	}
	if !oneCluster && job.Span != SpanGrid || !oneMachine {
		violation(codeSpan, "the job's span is %s", job.Span)
	}
}

// pieces checks how the pieces of a job make up its placement. Within a cluster a job holds no processor on which none of its tasks runs, unless it has
// fewer tasks than processors there; then no processor runs more than one. So a rigid job in one cluster with as many tasks as processors runs one on
// each, however it is cut into pieces. A job whose span is the grid may give more tasks to faster clusters.
func (c *checker) pieces(k int, violation func(Code, string, ...any)) {
	parts := c.partsOf(k)
	tasks, end := 0, c.start[k]
	type share struct{ tasks, processors int }
	shares := map[int]share{} // of the job, by cluster
	for _, p := range parts {
		s := shares[p.cluster]
		shares[p.cluster] = share{s.tasks + p.tasks, s.processors + p.set.Len()}
	}
	for _, p := range parts {
		tasks += p.tasks
		all, held := shares[p.cluster].tasks, shares[p.cluster].processors
		if size := p.set.Len(); all >= held && p.tasks < size || all <= held && p.tasks > size {
			violation(codeTasks, "expected the %d tasks on %d processors spread evenly, found a piece with %d tasks on %d processors", all, held, p.tasks, size)
		}
		end = max(end, p.end)
		if p.start != c.start[k] {
			violation(codePieces, "expected every piece to start with the job at %v, one starts at %v", c.start[k], p.start)
		}
	}
	if tasks != c.in.jobs[k].Tasks {
		violation(codeTasks, "expected %d tasks, the pieces run %d", c.in.jobs[k].Tasks, tasks)
	}
	if end != c.end[k] {
		violation(codePieces, "the last piece ends at %v", end)
	}
}
