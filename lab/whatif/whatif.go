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
	// Blocked are the jobs that delay it, see [Delays]. [Submit] leaves it empty.
	Blocked []Blocker `json:"blocked_by"`
	// Tried is the number of jobs of which [Delays] has tried whether it starts earlier without them.
	Tried int `json:"tried,omitempty"`
	// Changes is what the job could ask for otherwise; see [Changes]. [Submit] leaves it empty.
	Changes  []Change `json:"changes,omitempty"`
	TimeUnit string   `json:"time_unit"`

	candidates []Blocker // jobs that may delay it, the likeliest first
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
	// waits for their machines to come up, which sleep by a rule; "late": where it fits it would end after its hard deadline; "kept": it would fit, but might delay a job that has a reservation; "behind": the policy looks no
	// further than a job ahead of it that waits; "limit": a setting limits how many jobs the policy looks at, and jobs ahead of it used it up; "turn": the policy has a time for it that is to come; or "unsaid": the policy does not say.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Of is the licence or the resource that is short; empty: it is neither.
	Of string `json:"of,omitempty"`
	// For is the queued job that keeps it waiting; empty if there is no single one.
	For string `json:"for,omitempty"`
	// At is, of "kept", when that job is to start; of "turn", when the job itself is; of "power", from when on too little is left, if that is later.
	At *float64 `json:"at,omitempty"`
}

// Says is the cause for people; at formats a time.
func (c *Cause) Says(at func(float64) string) string {
	switch {
	case c.At == nil:
		return c.Text
	case c.Kind == causeKept:
		return c.Text + ", which is to start at " + at(*c.At)
	case c.Kind == causePower:
		return c.Text + " from " + at(*c.At) + " on, before it ends by its estimate"
	}
	return c.Text + ": " + at(*c.At)
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
	causeLate       = "late"
	causeKept       = "kept"
	causeBehind     = "behind"
	causeLimit      = "limit"
	causeTurn       = "turn"
	causeUnsaid     = "unsaid"
)

// Blocker is a job that delays the job asked about.
type Blocker struct {
	Job string `json:"job"`
	// Role is "running": the blocker ran when the job was submitted; "went before": it was submitted before the job and started while the job waited;
	// "overtook": it was submitted after the job and started while the job waited; or "waits": it waited as long as the job.
	Role         string   `json:"role"`
	Processors   int      `json:"processors"`
	Submitted    float64  `json:"submitted"`
	Start        *float64 `json:"start"`
	EstimatedEnd *float64 `json:"estimated_end"`
	End          *float64 `json:"end"`
	// Holds is what it holds, or asks for: processors, and of what the causes name copies of licences and amounts of resources that the job needs too.
	Holds []Holding `json:"holds,omitempty"`
	// StartWithout is when the job starts without it; nil: never.
	StartWithout *float64 `json:"start_without"`
	// Pair is the other job, of two that delays it where no single job does: StartWithout is when the job starts without both.
	Pair string `json:"pair,omitempty"`
	// Share is the processors that it holds on machines that the job could use × how long it runs while the job waits.
	Share float64 `json:"-"`

	from     float64 // when it got its processors, whose machines may have had to wake
	number   int64
	licences []model.Need
	on       []held
}

// Holding is an amount of something that a job holds.
type Holding struct {
	What   string  `json:"what"`
	Amount float64 `json:"amount"`
}

// held is the processors that a blocker holds on a machine of a cluster.
type held struct{ cluster, machine, processors int }

// The roles of a blocker, see [Blocker].
const (
	roleRunning = "running"
	roleAhead   = "went before"
	roleJumped  = "overtook"
	roleWaits   = "waits"
)

// Submit returns what would happen to the job of the instance under the policy. The seed is for the policy's random draws and for local
// jobs.
//
// It returns an error if the policy cannot honour the instance, if the job is unknown, or if ctx ends.
//
// Complexity: two simulations, see package sim.
func Submit(ctx context.Context, name string, policy solve.Policy, in *model.Instance, job string, seed uint64) (*Answer, error) {
	if err := solve.Supports(solve.OnLine(policy), in, false); err != nil {
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
	result.candidates = replay.candidates(in, at)
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
	told     *Cause // what the policy has said of the job at the instant; nil: nothing
	tells    bool   // it has said something
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
	b := &Blocker{Job: j.Request.ID, Role: roleAhead, Submitted: j.Arrival, Start: new(j.Start), from: now, EstimatedEnd: new(j.EstimatedEnd), number: j.Number, licences: j.Request.Licences}
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
		b.Start, b.End = new(j.Start), new(now)
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
	cause, told := p.cause()
	if p.told = nil; !told {
		return // what it said last stands
	}
	cause.From, cause.To = now, math.NaN()
	if n := len(p.result.Causes); n > 0 {
		last := &p.result.Causes[n-1]
		if last.Kind == cause.Kind && last.For == cause.For && last.Text == cause.Text && (last.At == nil) == (cause.At == nil) && (last.At == nil || *last.At == *cause.At) {
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
	n := len(p.result.Causes) - 1
	if n < 0 || !math.IsNaN(p.result.Causes[n].To) {
		return
	}
	if p.result.Causes[n].To = now; p.result.Causes[n].From == now { // it was so for no time
		p.result.Causes = p.result.Causes[:n]
	}
}

// Asked implements sim.Asker.
func (p *probe) Asked() *sim.Job {
	if p.waiting && p.explain {
		return p.job
	}
	return nil
}

// Passed implements sim.Asker.
func (p *probe) Passed(_ float64, why sim.Pass) {
	c := p.causeOf(&why)
	p.told, p.tells = &c, true
}

// cause returns why the job waits now; false: nothing new is said of it.
func (p *probe) cause() (Cause, bool) {
	switch {
	case p.job.Waiting():
		return Cause{Kind: causeAfter, Text: "waits for jobs on which it depends"}, true
	case p.job.Deferred():
		return Cause{Kind: causePrice, Text: "stays out of the queue for a cheaper start, as price_budget allows"}, true
	case p.told != nil:
		return *p.told, true
	case p.tells:
		return Cause{}, false
	}
	if c := p.lack(&sim.Pass{}); c.Kind != causeUnsaid {
		return c, true
	}
	return Cause{Kind: causeUnsaid, Text: "what it needs is free, and the policy does not say why it waits"}, true
}

// causeOf is what the policy says of the job.
func (p *probe) causeOf(why *sim.Pass) Cause {
	c := Cause{}
	if why.For != nil {
		c.For = why.For.Request.ID
	}
	if why.Kind == sim.PassKept && why.For != nil || why.Kind == sim.PassTurn {
		c.At = new(why.At)
	}
	switch why.Kind {
	case sim.PassBehind:
		c.Kind, c.Text = causeBehind, "jobs ahead of it wait, and the policy looks no further"
		if c.For != "" {
			c.Text = fmt.Sprintf("job %s ahead of it waits, and the policy looks no further", c.For)
		}
	case sim.PassKept:
		c.Kind, c.Text = causeKept, "it fits, but might delay jobs that have reservations; no single one alone is in its way"
		if c.For != "" {
			c.Text = fmt.Sprintf("it fits, but might delay job %s", c.For)
		}
	case sim.PassLimit:
		c.Kind, c.Text = causeLimit, "the policy does not look at it: "+why.Limit
	case sim.PassLate:
		c.Kind, c.Text = causeLate, "where it fits now it would end after its hard deadline, by its estimate"
	case sim.PassPower:
		c.Kind, c.Text = causePower, "a power cap leaves too little for it, now or before it ends by its estimate"
	case sim.PassTurn:
		c.Kind, c.Text = causeTurn, "its time in the plan is to come"
		if c.For != "" {
			c.Text = fmt.Sprintf("its time in the plan is to come, after that of job %s", c.For)
		}
	default:
		if c = p.lack(why); c.Kind == causeUnsaid {
			c = Cause{Kind: causeMachines, Text: "what it needs is free, but not together where the policy looks for it"}
		}
	}
	return c
}

// lack is what the job needs and is not free.
func (p *probe) lack(why *sim.Pass) Cause {
	platform, j := p.platform, p.job
	if why.Needed > 0 {
		return p.spreads(why)
	}
	width := platform.Width
	if why.Rigid {
		width = platform.Rigid
	}
	closest, lack := -1, math.MaxInt
	short := Cause{}
	for c := range platform.Clusters() {
		if !p.usable[c] || why.Clusters != nil && !slices.Contains(why.Clusters, c) {
			continue
		}
		if platform.CouldStart(j, c, width(j, c)) {
			return Cause{Kind: causeUnsaid}
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
			return Cause{Kind: causeUnsaid}
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
		return Cause{Kind: causeLicence, Of: platform.LicenceID(l), Text: fmt.Sprintf("too few copies of licence %s are free", platform.LicenceID(l))}
	}
	return Cause{Kind: causeMachines, Text: fmt.Sprintf("%d processors are free on %s, but too few with the memory or on the machine that it needs", need-lack, platform.ClusterID(closest))}
}

// lackOfPower is the cause of a job that a power cap keeps waiting.
func lackOfPower(platform *sim.Platform, cluster int, lack sim.PowerLack) Cause {
	c := Cause{Kind: causePower, Text: fmt.Sprintf("the power cap of %s leaves too little: the job takes %v, %v is left", platform.ClusterID(cluster), numtext.Significant(lack.Needs, 6), numtext.Significant(lack.Left, 6))}
	if lack.At > platform.Now() {
		c.At = new(lack.At)
	}
	return c
}

// sharesPower says whether a blocker took power of a cluster whose cap kept the job waiting at some time.
func (p *probe) sharesPower(b *Blocker) bool {
	return slices.ContainsFunc(p.result.Causes, func(c Cause) bool { return c.Kind == causePower }) &&
		slices.ContainsFunc(b.on, func(h held) bool { return p.platform.CappedCluster(h.cluster) && p.usable[h.cluster] })
}

// spreads returns the cause for a job that waits for processors over all clusters.
func (p *probe) spreads(why *sim.Pass) Cause {
	if why.Usable < why.Needed {
		return Cause{Kind: causeProcessors, Text: fmt.Sprintf("too few processors are free: it needs %d over all clusters, %d are free that it can use", why.Needed, why.Usable)}
	}
	return Cause{Kind: causeMachines, Text: fmt.Sprintf("it can use %d free processors, but they are in more clusters than it has tasks", why.Usable)}
}

// couldUse says whether the job could hold processors of the machine if nothing else ran there, and the machine was open to it at some time while it waited.
func (p *probe) couldUse(cluster, machine int, submitted float64) bool {
	j := &p.asked
	if !p.usable[cluster] && !j.Request.MaySpread() || p.platform.Hosts(p.platform.Empty(), j, machine) == 0 {
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
					if limited && ok && own == pool && (p.usable[c] || p.asked.Request.MaySpread()) {
						return true
					}
				}
			}
		}
	}
	return false
}
