// Package whatif answers questions about one job under an on-line policy: when it would start, why it waits and which jobs delay it. [Submit]
// simulates the policy and watches the job.
package whatif

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// Answer says what would happen to one job of an instance under an on-line policy.
type Answer struct {
	Instance   string  `json:"instance,omitempty"`
	Solver     string  `json:"solver"`
	Job        string  `json:"job"`
	Processors int     `json:"processors"`
	Submitted  float64 `json:"submitted"`
	// ExpectedStart is when the policy would start the job by what is known at its submission: every job runs as long as its
	// estimate, and no job arrives later. Nil: never.
	ExpectedStart *float64 `json:"expected_start"`
	// Start is when the job starts in the replay, where jobs take their real run times and later jobs arrive too. Nil: never.
	Start   *float64 `json:"start"`
	Wait    *float64 `json:"wait"`
	End     *float64 `json:"end"`
	Cluster string   `json:"cluster,omitempty"`
	// Machines are the names of the machines that it runs on, of an instance that says what jobs ask of single machines.
	Machines []string `json:"machines,omitempty"`
	Reason   string   `json:"reason,omitempty"` // why the job does not run to its end
	// Reasons are the rules of the policy that decided: those known at the job's arrival, then those that changed until its start.
	Reasons []Decision `json:"reasons,omitempty"`
	Causes  []Cause    `json:"causes"`
	// Blocked are the jobs that delay it, the one with the most delay first.
	Blocked []Blocker `json:"blocked_by"`
	// Changes is what the job could ask for otherwise; see [Changes]. [Submit] leaves it empty.
	Changes  []Change `json:"changes,omitempty"`
	TimeUnit string   `json:"time_unit"`
}

// Decision is what the policy says of the job at a time.
type Decision struct {
	At float64 `json:"at"`
	sim.Reason
}

// Cause is why the job waits during an interval.
type Cause struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
	// Kind is "after": the job waits for other jobs to end; "price": it stays out of the queue for a cheaper start; "processors" or "licence": too few processors, or copies of a licence, are free; "machines":
	// enough processors are free, but without the memory that the job needs or on other machines; "resource": too little of a resource of machines is free;
	// "closed": machines with room are closed to the job before it would end by its estimate; "power": a power cap leaves too little for it, now or before it would end by its estimate; "waking": it has its processors, and
	// waits for their machines to come up, which sleep by a rule; or "kept": the job would fit, but might delay a job ahead of it.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// For is the queued job for which the policy keeps processors; empty if that is not the cause.
	For string `json:"for,omitempty"`
}

// The kinds of causes, see [Cause].
const (
	causeAfter      = "after"
	causePrice      = "price"
	causeProcessors = "processors"
	causeLicence    = "licence"
	causeMachines   = "machines"
	causeResource   = "resource"
	causeClosed     = "closed"
	causePower      = "power"
	causeWaking     = "waking"
	causeKept       = "kept"
)

// Blocker is a job that delays the job asked about.
type Blocker struct {
	Job string `json:"job"`
	// Role is "running": the blocker ran when the job was submitted; "went before": it was submitted before the job and started while the job waited; or
	// "overtook": it was submitted after the job and started while the job waited.
	Role         string   `json:"role"`
	Processors   int      `json:"processors"`
	Submitted    float64  `json:"submitted"`
	Start        *float64 `json:"start"`
	EstimatedEnd *float64 `json:"estimated_end"`
	End          *float64 `json:"end"`
	// Delay is the processor·time by which the blocker delays the job: the processors that it holds on machines that the job could use × how long it runs
	// while the job waits, from the submission of the job to its start, or to the time at which it leaves if it never starts. Processors of a part
	// that ends before the others count until the whole blocker ends. 0: it holds only a licence that the job needs, or takes power of a cap that keeps the job waiting, or the job comes after it.
	Delay float64 `json:"delay"`

	number   int64
	licences []model.Need
	on       []held
}

// held is the processors that a blocker holds on a machine of a cluster.
type held struct{ cluster, machine, processors int }

// The roles of a blocker, see [Blocker].
const (
	roleRunning = "running"
	roleAhead   = "went before"
	roleJumped  = "overtook"
)

// Submit returns what would happen to the job of the instance under the policy. The seed is for the policy's random draws and for local
// jobs.
//
// It returns an error if the policy cannot honour the instance, if the job is unknown, or if ctx ends.
//
// Complexity: two simulations, see package sim.
func Submit(ctx context.Context, name string, policy solve.Policy, in *model.Instance, job string, seed uint64) (*Answer, error) {
	if err := policy.Supports(in); err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	index, ok := in.JobIndex(job)
	if !ok {
		return nil, fmt.Errorf("the instance has no job %q", job)
	}
	at := in.Jobs()[index].Arrival
	forecast := &probe{id: job}
	if _, _, err := solve.Simulate(ctx, policy, in, sim.Options{Seed: seed, Observer: forecast, Forecast: &at}); err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	replay := &probe{id: job, explain: true}
	if in.Features()&plan.NodeFeatures != 0 {
		replay.named = in
	}
	if _, _, err := solve.Simulate(ctx, policy, in, sim.Options{Seed: seed, Observer: replay}); err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	result := replay.result
	result.Instance, result.Solver, result.Job, result.Submitted = in.Name(), name, job, at
	result.Processors = in.Jobs()[index].Min
	result.ExpectedStart = forecast.result.Start
	if result.Start != nil {
		result.Wait = new(*result.Start - at)
	}
	result.Blocked = replay.blockers(at)
	result.TimeUnit = cmp.Or(in.Units().Time, "s")
	return &result, nil
}

// probe follows one job through a simulation.
type probe struct {
	id       string
	explain  bool            // record causes and blockers
	named    *model.Instance // whose machines are named; nil: none
	platform *sim.Platform
	policy   sim.Policy
	job      *sim.Job // nil: the job is not in the system
	asked    sim.Job  // a copy, which stays when the job has left
	waiting  bool
	usable   []bool // clusters that the job can run on
	seen     map[string]*Blocker
	running  map[int32]*Blocker
	until    float64 // when the job started, or left without a start; NaN: not yet
	result   Answer
}

// Watch implements sim.Watcher.
func (p *probe) Watch(platform *sim.Platform, policy sim.Policy) {
	p.platform, p.policy = platform, policy
	p.seen, p.running, p.until = map[string]*Blocker{}, map[int32]*Blocker{}, math.NaN()
}

// Arrived implements sim.Observer.
func (p *probe) Arrived(now float64, j *sim.Job) {
	if j.Request.ID != p.id {
		return
	}
	p.job, p.asked, p.waiting = j, *j, true
	for c := range p.platform.Clusters() {
		p.usable = append(p.usable, p.platform.CanRun(j, c))
	}
	for _, b := range p.running {
		b.Role = roleRunning
		p.seen[b.Job] = b
	}
}

// Started implements sim.Observer.
func (p *probe) Started(now float64, j *sim.Job, parts []sim.Part) {
	if j == p.job {
		p.waiting, p.until = false, now
		p.ask(now)
		p.result.Start, p.result.Cluster = new(j.Start), p.platform.ClusterID(parts[0].Cluster)
		for _, part := range parts {
			if p.named != nil {
				p.result.Machines = append(p.result.Machines, p.named.MachineNames(part.Cluster, part.Processors)...)
			}
		}
		if p.close(now); j.Start > now && p.explain {
			p.result.Causes = append(p.result.Causes, Cause{From: now, To: j.Start, Kind: causeWaking, Text: "it has its processors, and waits for their machines to wake"})
		}
		return
	}
	if !p.explain || p.result.Start != nil {
		return
	}
	b := &Blocker{Job: j.Request.ID, Role: roleAhead, Submitted: j.Arrival, Start: new(now), EstimatedEnd: new(j.EstimatedEnd), number: j.Number, licences: j.Request.Licences}
	for _, part := range parts {
		b.Processors += part.Processors.Len()
		for _, share := range part.Shares {
			b.on = append(b.on, held{part.Cluster, int(share.Machine), int(share.Processors)})
		}
	}
	p.running[j.Handle] = b
	if p.waiting {
		if j.Number > p.job.Number {
			b.Role = roleJumped
		}
		p.seen[b.Job] = b
	}
}

// Left implements sim.Observer.
func (p *probe) Left(now float64, j *sim.Job, outcome sim.Outcome, reason string) {
	if b := p.running[j.Handle]; b != nil {
		b.End = new(now)
		delete(p.running, j.Handle)
	}
	if j != p.job {
		return
	}
	if outcome == sim.Dropped {
		p.ask(now)
	} else if p.result.Start = new(j.Start); j.Start > p.until && len(p.result.Causes) > 0 { // which may have moved on while machines woke
		p.result.Causes[len(p.result.Causes)-1].To = j.Start
	}
	if math.IsNaN(p.until) {
		p.until = now
	}
	p.close(now)
	if p.result.Reason = reason; outcome != sim.Dropped {
		p.result.End = new(now)
	}
	p.job, p.waiting = nil, false
}

// Decided implements sim.Observer.
func (p *probe) Decided(now float64) {
	if !p.waiting || !p.explain {
		return
	}
	p.ask(now)
	cause := p.cause()
	cause.From, cause.To = now, math.NaN()
	if n := len(p.result.Causes); n > 0 {
		last := &p.result.Causes[n-1]
		if last.Kind == cause.Kind && last.For == cause.For && last.Text == cause.Text {
			return
		}
		p.close(now)
	}
	p.result.Causes = append(p.result.Causes, cause)
}

// ask records what the policy says about the job now. For each rule it keeps the first and the last statement.
func (p *probe) ask(now float64) {
	explainer, ok := p.policy.(sim.Explainer)
	if !ok || !p.explain {
		return
	}
	for _, reason := range explainer.Explain(p.job) {
		said := Decision{now, reason}
		same, first := -1, true
		for k := range p.result.Reasons {
			if p.result.Reasons[k].Rule == reason.Rule {
				first = same < 0
				same = k
			}
		}
		switch {
		case same < 0 || first && !reflect.DeepEqual(p.result.Reasons[same].Reason, reason):
			p.result.Reasons = append(p.result.Reasons, said)
		case !first:
			p.result.Reasons[same] = said
		}
	}
}

// close ends the interval of the current cause.
func (p *probe) close(now float64) {
	if n := len(p.result.Causes); n > 0 && math.IsNaN(p.result.Causes[n-1].To) {
		p.result.Causes[n-1].To = now
	}
}

// cause returns why the job waits now.
func (p *probe) cause() Cause {
	platform, j := p.platform, p.job
	if j.Waiting() {
		return Cause{Kind: causeAfter, Text: "waits for jobs on which it depends"}
	}
	if j.Deferred() {
		return Cause{Kind: causePrice, Text: "stays out of the queue for a cheaper start, as price_budget allows"}
	}
	var plan sim.Plan
	if planner, ok := p.policy.(sim.Planner); ok {
		plan = planner.Plan(j)
	}
	if plan.Needed > 0 {
		return p.spreads(&plan)
	}
	width := platform.Width
	if plan.Rigid {
		width = platform.Rigid
	}
	closest, lack := -1, math.MaxInt
	short := Cause{}
	for c := range platform.Clusters() {
		if !p.usable[c] || plan.Clusters != nil && !slices.Contains(plan.Clusters, c) {
			continue
		}
		if platform.CouldStart(j, c, width(j, c)) {
			return p.kept()
		}
		if power, lacks := platform.LacksPower(j, c, width(j, c)); lacks && short.Kind == "" {
			short = lackOfPower(platform, c, power)
		}
		if missing := width(j, c) - platform.FreeProcessors(c); missing < lack {
			closest, lack = c, missing
		}
	}
	if closest < 0 { // its span is the grid, and it must spread
		free := 0
		for c := range platform.Clusters() {
			free += platform.FreeProcessors(c)
		}
		if free >= j.Request.Min {
			return p.kept()
		}
		return Cause{Kind: causeProcessors, Text: fmt.Sprintf("too few processors are free: it needs %d over all clusters, %d are free", j.Request.Min, free)}
	}
	if short.Kind != "" {
		return short
	}
	need := width(j, closest)
	if platform.ByNode() {
		return lackByNode(platform, j, closest, need)
	}
	if lack > 0 {
		return Cause{Kind: causeProcessors, Text: fmt.Sprintf("too few processors are free: it needs %d on %s", need, platform.ClusterID(closest))}
	}
	if l := platform.ShortOf(&platform.Free, j, closest); l >= 0 {
		return Cause{Kind: causeLicence, Text: fmt.Sprintf("too few copies of licence %s are free", platform.LicenceID(l))}
	}
	return Cause{Kind: causeMachines, Text: fmt.Sprintf("%d processors are free on %s, but too few with the memory or on the machine that it needs", need-lack, platform.ClusterID(closest))}
}

// lackOfPower is the cause of a job that a power cap keeps waiting.
func lackOfPower(platform *sim.Platform, cluster int, lack sim.PowerLack) Cause {
	text := fmt.Sprintf("the power cap of %s leaves too little: the job takes %v, %v is left", platform.ClusterID(cluster), numtext.Significant(lack.Needs, 6), numtext.Significant(lack.Left, 6))
	if lack.At > platform.Now() {
		text += fmt.Sprintf(" from %v on, before it ends by its estimate", lack.At)
	}
	return Cause{Kind: causePower, Text: text}
}

// sharesPower says whether a blocker took power of a cluster whose cap kept the job waiting at some time.
func (p *probe) sharesPower(b *Blocker) bool {
	return slices.ContainsFunc(p.result.Causes, func(c Cause) bool { return c.Kind == causePower }) &&
		slices.ContainsFunc(b.on, func(h held) bool { return p.platform.CappedCluster(h.cluster) && p.usable[h.cluster] })
}

// spreads returns the cause for a job that waits for processors over all clusters.
func (p *probe) spreads(plan *sim.Plan) Cause {
	switch {
	case plan.Fits:
		return p.kept()
	case plan.Usable < plan.Needed:
		return Cause{Kind: causeProcessors, Text: fmt.Sprintf("too few processors are free: it needs %d over all clusters, %d are free that it can use", plan.Needed, plan.Usable)}
	}
	return Cause{Kind: causeMachines, Text: fmt.Sprintf("it can use %d free processors, but they are in more clusters than it has tasks", plan.Usable)}
}

// kept returns the cause for a job that would fit but that the policy lets wait.
func (p *probe) kept() Cause {
	planner, ok := p.policy.(sim.Planner)
	if !ok {
		return Cause{Kind: causeKept, Text: "it fits, but the policy lets it wait"}
	}
	plan := planner.Plan(p.job)
	if len(plan.Keeps) == 0 {
		return Cause{Kind: causeKept, Text: "it fits now, but not for as long as it is estimated to run"}
	}
	first := plan.Keeps[0].Request.ID
	text := fmt.Sprintf("it fits, but job %s comes first", first)
	if !math.IsNaN(plan.For) {
		text = fmt.Sprintf("it fits, but might delay job %s, which is to start at %v", first, plan.For)
	}
	return Cause{Kind: causeKept, Text: text, For: first}
}

// blockers lists the jobs that delayed the job, the one with the most delay first.
func (p *probe) blockers(submitted float64) []Blocker {
	list := []Blocker{}
	usable := map[int]bool{} // by machine
	for _, b := range p.seen {
		end := p.until
		if b.End != nil {
			end = min(end, *b.End)
		}
		within, processors := end-max(*b.Start, submitted), 0
		for _, h := range b.on {
			is, known := usable[h.machine]
			if !known {
				is = p.couldUse(h.cluster, h.machine, submitted)
				usable[h.machine] = is
			}
			if is {
				processors += h.processors
			}
		}
		if within > 0 && (processors > 0 || p.sharesLicence(b) || p.sharesPower(b) || slices.Contains(p.asked.Request.After, b.number)) {
			b.Delay = float64(processors) * within
			list = append(list, *b)
		}
	}
	slices.SortFunc(list, func(a, b Blocker) int {
		return cmp.Or(cmp.Compare(b.Delay, a.Delay), cmp.Compare(*a.Start, *b.Start), cmp.Compare(a.Job, b.Job))
	})
	return list
}

// couldUse says whether the job could hold processors of the machine if nothing else ran there, and the machine was open to it at some time while it waited.
func (p *probe) couldUse(cluster, machine int, submitted float64) bool {
	j := &p.asked
	if !p.usable[cluster] && j.Request.Span != model.SpanGrid || p.platform.Hosts(p.platform.Empty(), j, machine) == 0 {
		return false
	}
	if !p.platform.ByNode() || p.platform.OpenAt(j, machine, submitted) {
		return true
	}
	return slices.ContainsFunc(p.platform.ClosedOf(machine), func(c model.Closure) bool { // a reservation of the job begins, or another time ends
		return slices.ContainsFunc([]float64{c.From, c.To}, func(at float64) bool { return at > submitted && at <= p.until && p.platform.OpenAt(j, machine, at) })
	})
}

// sharesLicence says whether a blocker holds copies of a licence that the job needs, from a pool that the job would take them from.
func (p *probe) sharesLicence(b *Blocker) bool {
	for _, need := range p.asked.Request.Licences {
		for _, n := range b.licences {
			if n.Licence != need.Licence || n.Copies == 0 || need.Copies == 0 {
				continue
			}
			for _, h := range b.on {
				pool, limited := p.platform.PoolOf(h.cluster, n.Licence)
				for c := range p.usable {
					own, ok := p.platform.PoolOf(c, n.Licence)
					if limited && ok && own == pool && (p.usable[c] || p.asked.Request.Span == model.SpanGrid) {
						return true
					}
				}
			}
		}
	}
	return false
}
