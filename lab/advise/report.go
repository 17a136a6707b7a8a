// Package advise makes the weekly page of a site: what its users could ask for instead, which jobs waited longest and why, how the load lies over partitions and hours, and whether other
// settings would serve better. [Make] puts a [Report] together from schedules that its caller's function makes.
//
// # Time limits
//
// Jobs are alike where they have the same user, name (or queue, where there are no names) and requested limit. From the run times of those that started in the last 180 days, and so early that all
// of them had ended, a quantile is taken, see [Allowed]. The limit is the quantile times a factor, rounded up as people write limits. It holds for what comes later only if that is like what was, and
// jobs change. So limits with several factors are tried on each following 30 days, with what had ended before them, see [Advise]. The least factor is taken with which the limits of all
// kinds together killed at most half of the risk in each earlier month, of three at least; where there is none, no advice is given. Nor is it for a kind of which more jobs than the risk were
// killed in one of the last six months. A job that runs longer than a limit below what it asked for counts as killed, also where its own limit would have ended it later.
package advise

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
)

// The parts of a report.
const (
	partLimits   = "limits"
	partNeeds    = "needs"
	partWaits    = "waits"
	partLoad     = "load"
	partPolicies = "policies"
)

// Parts are the names of the parts in their order.
func Parts() []string { return []string{partLimits, partNeeds, partWaits, partLoad, partPolicies} }

// Input is what a report is made of. The unit of the instance's times is known, and it has jobs that arrive over time.
type Input struct {
	Instance *model.Instance
	Needs    map[string]Needs // by job; nil: the trace says nothing of them
	Named    bool             // Needs has names
	Policy   string           // of the site
	Others   []string         // policies that it is compared with
	Only     string           // the part that is asked for; empty: all
	Rules    Rules
	More     float64 // share of more machines
	Options  lab.Options
	Trace    string // as the command names it
	// Run makes the schedule of a policy.
	Run func(ctx context.Context, policy string, in *model.Instance) (*model.Solution, error)
	// Explain says why a job waits under the site's policy.
	Explain func(ctx context.Context, in *model.Instance, job string) (*whatif.Answer, error)
	// Anonymous says that names were replaced.
	Anonymous bool
	// Anyway says that nothing is held back where the policy of a site whose trace states it does not explain the record.
	Anyway bool
}

// Schema is the format of a [Report] in JSON, see package schema.
const Schema = "allot/advice/1"

// Report is the page. Times with _s are seconds; others have the unit of the instance.
type Report struct {
	Schema     string            `json:"schema" doc:"the format: allot/advice/1"`
	Trace      string            `json:"trace"`
	Policy     string            `json:"policy"`
	Jobs       int               `json:"jobs"`
	Processors int               `json:"processors"`
	Queues     []string          `json:"queues,omitempty" doc:"the partitions that policies keep apart"`
	Dates      *lab.Dates        `json:"dates,omitempty"`
	Anonymous  bool              `json:"anonymous,omitempty"`
	Caveats    []string          `json:"caveats,omitempty"`
	About      []string          `json:"about_record,omitempty" doc:"the policy of the site that the trace states, and how near it comes to the record; absent: the trace states none"`
	Withheld   bool              `json:"withheld,omitempty" doc:"what rests on replays under other conditions is held back: the policy does not explain the record"`
	First      []string          `json:"first" doc:"what matters most, three sentences at most"`
	Limits     *LimitsPart       `json:"limits,omitempty"`
	Needs      *NeedsPart        `json:"needs,omitempty"`
	Waits      *WaitsPart        `json:"waits,omitempty"`
	Load       *LoadPart         `json:"load,omitempty"`
	Policies   *Comparison       `json:"policies,omitempty"`
	Commands   map[string]string `json:"commands" doc:"that give a part alone, by its name"`

	matters []matter
}

// matter is a sentence and how much it matters: a share of the waits, or of what there is.
type matter struct {
	weight float64
	text   string
}

// LimitsPart is about time limits.
type LimitsPart struct {
	Risk       float64  `json:"risk"`
	Confidence float64  `json:"confidence"`
	Needed     int      `json:"jobs_needed" doc:"of a kind, for advice"`
	Named      bool     `json:"by_name" doc:"kinds are by name; else by queue"`
	Asked      int      `json:"jobs_with_limit"`
	Used       float64  `json:"used_share" doc:"of the processor time that jobs asked for"`
	Walk       Walk     `json:"walk"`
	Months     []Judged `json:"months"`
	Limits     []Limit  `json:"kinds"`
	// Gain is what the limits given month by month would have changed; nil: see Why.
	Gain *Comparison `json:"gain,omitempty"`
	Why  string      `json:"why_no_gain,omitempty"`
	Lost float64     `json:"lost_processor_s" doc:"in runs that the limits would have killed"`
	// Settled says that the times at which jobs were killed are those of the replay, see [Replayed].
	Settled bool `json:"settled,omitempty"`
}

// Advised and Killed are sums over the months.
func (p *LimitsPart) judged() (advised, killed int) {
	for _, m := range p.Months {
		advised, killed = advised+m.Advised, killed+m.Killed
	}
	return advised, killed
}

// Comparison is how waits differ between two or more runs, with the answer in sentences.
type Comparison struct {
	Answer []string    `json:"answer"`
	Report *lab.Report `json:"comparison"`
}

// compared compares schedules of the instance. The names of the others say what is changed; figures that another system would falsify are left out.
func compared(ctx context.Context, in *model.Instance, runs []lab.Run, opt lab.Options) (*Comparison, error) {
	opt.Elsewhere = true
	report, err := lab.Compare(ctx, in, runs, opt)
	if err != nil {
		return nil, err
	}
	for g := range report.Groups {
		for k := range report.Groups[g].Policies {
			p := &report.Groups[g].Policies[k]
			p.Utilisation, p.Jain = nil, nil
			for c := range p.Classes {
				p.Classes[c].Entitled, p.Classes[c].Received = nil, nil
			}
		}
	}
	report.Record = nil
	return &Comparison{Answer: report.Answer(), Report: report}, nil
}

// shown is the greatest shown relative change of the mean wait of all jobs from the first run; 0: none is shown.
func (c *Comparison) shown() float64 {
	best := 0.0
	for _, g := range c.Report.Groups {
		for k := range g.Policies {
			if d := g.Policies[k].Classes[0].WaitDifference; d != nil && d.Shown(c.Report.Confidence) && d.First > 0 {
				best = min(best, d.Mean/d.First)
			}
		}
	}
	return best
}

// maker makes a report.
type maker struct {
	Input
	ctx    context.Context
	report *Report
	base   *model.Solution
	second float64 // s in the unit of time
	jobs   []Past
}

// Make makes the report.
func Make(ctx context.Context, input Input) (*Report, error) {
	in := input.Instance
	m := &maker{Input: input, ctx: ctx, report: &Report{Schema: Schema, First: []string{}, Trace: in.Name(), Policy: input.Policy, Jobs: len(in.Jobs()), Processors: in.Processors(), Queues: lab.QueuesOf(in), Caveats: in.Caveats(), Anonymous: input.Anonymous,
		Commands: map[string]string{}}}
	m.second, _ = timetext.Seconds(cmp.Or(in.Units().Time, "s"))
	var err error
	if m.base, err = input.Run(ctx, input.Policy, in); err != nil {
		return nil, err
	}
	if left := len(in.Jobs()) - len(m.base.Jobs); left > 0 {
		m.report.Caveats = slices.Concat(in.Caveats(), []string{fmt.Sprintf("%d of %s get no place under %s: what is said of waits and of load is of the others", left, counted(len(in.Jobs()), "job"), input.Policy)})
	}
	run := lab.Run{Policy: input.Policy, Online: true, Solution: m.base}
	if m.report.About, m.report.Withheld, err = lab.AgainstRecord(ctx, in, run, input.Options, input.Anyway); err != nil {
		return nil, err
	}
	m.jobs = jobs(in, m.base, input.Needs)
	for _, part := range []struct {
		name string
		make func() error
	}{{partLimits, m.limits}, {partNeeds, m.needs}, {partWaits, m.waits}, {partLoad, m.load}, {partPolicies, m.policies}} {
		if input.Only != "" && input.Only != part.name {
			continue
		}
		if err := part.make(); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	r := m.report
	slices.SortStableFunc(r.matters, func(a, b matter) int { return cmp.Compare(b.weight, a.weight) })
	for _, x := range r.matters[:min(3, len(r.matters))] {
		r.First = append(r.First, x.text)
	}
	return r, nil
}

// matter notes a sentence that may be one of the first.
func (m *maker) matter(weight float64, format string, parts ...any) {
	m.report.matters = append(m.report.matters, matter{weight, fmt.Sprintf(format, parts...)})
}

// limits makes the part about time limits.
func (m *maker) limits() error {
	a := advise(m.jobs, m.Rules)
	p := &LimitsPart{Risk: m.Rules.Risk, Confidence: m.Rules.Confidence, Needed: Needed(m.Rules.Risk, m.Rules.Confidence), Named: m.Named, Walk: a.Walk, Months: a.Months, Limits: a.Limits}
	m.report.Limits = p
	asked, used := 0.0, 0.0
	for k := range m.jobs {
		if j := &m.jobs[k]; j.Kind.Requested > 0 {
			p.Asked++
			asked, used = asked+j.Kind.Requested*float64(j.Processors), used+min(j.Used, j.Kind.Requested)*float64(j.Processors)
		}
	}
	if asked > 0 {
		p.Used = used / asked
	}
	if err := m.gain(p, a); err != nil {
		return err
	}
	advised, killed := p.judged()
	switch {
	case p.Gain != nil && p.Gain.shown() < 0:
		m.matter(-p.Gain.shown(), "Shorter time limits help: %s (%d of %d limits would have killed a job.)", p.Gain.Answer[0], killed, advised)
	case asked > 0:
		m.matter(0.3*(1-p.Used), "Jobs use %.0f %% of the processor time that their time limits ask for. %s", 100*p.Used, p.summary())
	}
	return nil
}

// heldBack says that something is held back.
func heldBack(what string) string {
	return what + " is held back, as the simulation does not explain the record; --anyway shows it."
}

// summary says for how many kinds of jobs there is advice.
func (p *LimitsPart) summary() string {
	n := 0
	for k := range p.Limits {
		if p.Limits[k].State == Advised {
			n++
		}
	}
	if n == 0 {
		return fmt.Sprintf("No shorter limit is known that would kill at most %s of later jobs.", percent(p.Risk))
	}
	return fmt.Sprintf("For %s shorter limits are known that would kill at most %s of later jobs.", counted(n, "kind", "kinds"), percent(p.Risk))
}

// gain replays the trace with the limits that advice gave month by month.
func (m *maker) gain(p *LimitsPart, a *Advice) error {
	in, n := m.Instance, 0
	limits := make([]float64, len(a.Given))
	for k, limit := range a.Given {
		if limit > 0 && m.jobs[k].Kind.Requested > 0 {
			limits[k] = limit / m.second
			n++
		}
	}
	switch {
	case p.Asked == 0:
		p.Why = "The trace states no time limits, so what shorter ones would change is not known."
		return nil
	case n == 0:
		p.Why = "In no month was there advice, so there is nothing to replay."
		return nil
	case m.report.Withheld:
		p.Why = heldBack("What shorter limits would change for the waits")
		return nil
	}
	const replays = 10
	replayed, lost, settled, err := Replayed(m.ctx, in, limits, replays, func(ctx context.Context, in *model.Instance) (*model.Solution, error) {
		return m.Run(ctx, m.Policy, in)
	})
	if err != nil {
		return err
	}
	p.Settled = settled
	p.Lost = lost * m.second
	from := a.Months[0].From / m.second
	for k, month := range a.Months {
		if month.Advised > 0 {
			from = a.Months[k].From / m.second
			break
		}
	}
	late, err := since(in, from)
	if err != nil {
		return err
	}
	p.Gain, err = compared(m.ctx, late, []lab.Run{{Policy: m.Policy, Online: true, Solution: within(late, m.base)},
		{Policy: m.Policy + " with the advised limits", Online: true, Solution: within(late, replayed)}}, m.Options)
	return err
}

// policies compares the site's policy with others.
func (m *maker) policies() error {
	if m.report.Withheld {
		return nil
	}
	runs := []lab.Run{{Policy: m.Policy, Online: true, Solution: m.base}}
	for _, other := range m.Others {
		sol, err := m.Run(m.ctx, other, m.Instance)
		if err != nil {
			return err
		}
		runs = append(runs, lab.Run{Policy: other, Online: true, Solution: sol})
	}
	report, err := lab.Compare(m.ctx, m.Instance, runs, m.Options)
	if err != nil {
		return err
	}
	c := &Comparison{Answer: report.Answer(), Report: report}
	m.report.Policies, m.report.Dates = c, report.Dates
	if report.Record != nil && !report.Record.Explained && len(report.Record.Fits) > 0 {
		m.matter(2, "%s", c.Answer[0])
	}
	if best := c.shown(); best < 0 {
		for _, sentence := range c.Answer {
			if isBetter(sentence) {
				m.matter(-best, "%s", sentence)
				break
			}
		}
	} else {
		m.matter(0.05, "No other policy is shown to serve better than %s.", m.Policy)
	}
	return nil
}
