package advise

import (
	"cmp"
	"math"
	"slices"
)

// Kind is jobs that are alike: those of one user and one name, or where jobs have no names one queue, that ask for the same time limit.
type Kind struct {
	User  string `json:"user,omitempty"`
	Name  string `json:"name,omitempty"`
	Queue string `json:"queue,omitempty"`
	// Requested is the limit that the jobs ask for, s; 0: none.
	Requested float64 `json:"requested_s"`
}

// compare is an order of kinds.
func (k *Kind) compare(other *Kind) int {
	return cmp.Or(cmp.Compare(k.User, other.User), cmp.Compare(k.Name, other.Name), cmp.Compare(k.Queue, other.Queue), cmp.Compare(k.Requested, other.Requested))
}

// Past is a job as advice sees it. Times are seconds.
type Past struct {
	Kind       Kind
	Arrival    float64
	End        float64
	Used       float64 // run time
	Processors int
}

// start is when the job started, s.
func (p *Past) start() float64 { return p.End - p.Used }

// known says that the run time of the job is known at a time, and would be whatever it was up to the limit that the job asks for. So the jobs of which it is known are no choice of short ones, as those
// are that have merely ended. Where a job asks for no limit, having ended must do.
func (p *Past) known(at float64) bool { return p.End <= at && p.start()+p.Kind.Requested <= at }

// limit is what a job asks for; +Inf: nothing.
func (p *Past) limit() float64 {
	if p.Kind.Requested > 0 {
		return p.Kind.Requested
	}
	return math.Inf(1)
}

// Rules are how advice on time limits is made.
type Rules struct {
	Risk       float64 // share of later jobs that a limit may kill
	Confidence float64 // of the quantile
}

// What makes the risk hold where jobs change with time. The figures were chosen on made-up sites and KTH-SP2 and judged on others, see docs/tutorials/advise.md.
const (
	Month    = 30 * 86400 // s: advice is for the next month, and judged there
	window   = 6 * Month  // of starts from which a quantile is taken
	leastDay = 5          // different days on which the jobs arrived
	least    = 100        // jobs of a kind from which on it is tried; more are needed for advice
	checked  = 50         // jobs of later months in which the advice for a kind was tried before it is given, and that a month needs to say something of the site
	memory   = 6          // months in which a kind must not have passed the risk
	walked   = 3          // months that must have said something of the site
	held     = 0.5        // share of the risk that the quantile may use, where there are jobs enough, and all trials of a month together; the rest is for what changes from month to month
)

// factors are those by which a quantile may be multiplied. The least that held in all earlier months is taken.
var factors = [...]float64{1.5, 2, 3, 4, 6}

// State says what became of the advice for a kind.
type State string

// The states.
const (
	Advised      State = "advised"
	tooFew       State = "too little known" // too few jobs, or too few days
	noShorter    State = "limit is used"    // no shorter limit keeps the risk
	untried      State = "not tried yet"    // it was not tried on enough jobs of later months yet
	contradicted State = "contradicted"     // in a later month more jobs than the risk would have been killed
	withheld     State = "withheld"         // limits made like this for all of the site have not been shown to keep the risk
)

// Limit is what is known of the time limit of a kind.
type Limit struct {
	Kind
	State    State   `json:"state" enum:"advised,too little known,limit is used,not tried yet,contradicted,withheld" doc:"what became of the advice"`
	Jobs     int     `json:"jobs" doc:"from which the quantile is taken"`
	Limit    float64 `json:"limit_s,omitempty" doc:"the advice, s; absent: none is given"`
	Quantile float64 `json:"quantile_s,omitempty" doc:"the order statistic of the run times, s, before the factor; absent: too little is known"`
	Above    int     `json:"allowed_to_exceed" doc:"how many of the jobs may exceed the quantile"`
	Most     float64 `json:"longest_run_s" doc:"of these jobs"`
	Spare    float64 `json:"spare_s" doc:"processor time that these jobs asked for and did not use, s; 0 where they ask for none"`
	Share    float64 `json:"used_share" doc:"used over requested, processor time; 0 where they ask for none"`
	Kills    int     `json:"earlier_kills" doc:"jobs of the last six months that the limit made before them would have killed"`
	Tried    int     `json:"earlier_advised" doc:"jobs of these months"`
}

// Judged is a month and what the advice made before it would have done to its jobs.
type Judged struct {
	From    float64 `json:"from" doc:"begin of the month, s"`
	Jobs    int     `json:"jobs" doc:"that arrive in it"`
	Advised int     `json:"advised" doc:"jobs whose limit is shorter by advice"`
	Killed  int     `json:"killed" doc:"of these, those that run longer than advised"`
	Factor  float64 `json:"factor,omitempty" doc:"by which quantiles were multiplied; absent: no factor had held, so there was no advice"`
}

// Walk says how limits with one factor did in all months in which they were tried, whether they were given or not.
type Walk struct {
	Factor float64 `json:"factor" doc:"by which quantiles are multiplied"`
	Months int     `json:"months" doc:"that say something: those with 50 jobs or too many killed"`
	Over   int     `json:"exceeded" doc:"months in which more than half of the risk would have been killed"`
	Jobs   int     `json:"jobs" doc:"tried"`
	Killed int     `json:"killed" doc:"of these, those that run longer"`
}

// Holds says that limits with this factor may be given.
func (w *Walk) Holds() bool { return w.Months >= walked && w.Over == 0 }

// Advice is the advice on limits for a trace.
type Advice struct {
	Months []Judged // each judged by advice from what had ended before it
	Limits []Limit  // for what comes after the trace, the most spare processor time first
	Walk   Walk     // of the least factor that holds or, where none does, of the greatest
	// Given is, by job, the limit that advice gave it, s; 0: none. Each is from jobs that had ended before the job's month.
	Given []float64
}

// trial is a job and the quantile for its kind that was known before its month.
type trial struct {
	job, month int
	quantile   float64
	clean      [len(factors)]bool // by factor: nothing was against the limit of the kind, though it may not have been tried enough
}

// tally counts jobs.
type tally struct{ jobs, killed int }

func (c *tally) add(killed bool) {
	c.jobs++
	if killed {
		c.killed++
	}
}

// exceeds says that more than a share were killed.
func (c *tally) exceeds(share float64) bool { return float64(c.killed) > share*float64(c.jobs) }

// walker goes through the months of a trace.
type walker struct {
	jobs   []Past
	rules  Rules
	kinds  []int // by job
	number int   // of kinds
	trials []trial
}

// advise makes advice, month by month, and judges it on the following month. The months begin with the first arrival. O(m·n·(f + log n)) for n jobs, m months and f factors.
func advise(jobs []Past, rules Rules) *Advice {
	a := &Advice{Months: []Judged{}, Limits: []Limit{}, Given: make([]float64, len(jobs)), Walk: Walk{Factor: factors[len(factors)-1]}}
	if len(jobs) == 0 {
		return a
	}
	first, last := math.Inf(1), math.Inf(-1)
	for k := range jobs {
		first, last = min(first, jobs[k].Arrival), max(last, jobs[k].Arrival, jobs[k].End)
	}
	byMonth := map[int][]int{}
	latest := 0
	for k := range jobs {
		m := int((jobs[k].Arrival - first) / Month)
		byMonth[m], latest = append(byMonth[m], k), max(latest, m)
	}
	w := &walker{jobs: jobs, rules: rules}
	w.kinds, w.number = numbered(jobs)
	for m := 1; m <= latest; m++ {
		at := first + float64(m)*Month
		judged := Judged{From: at, Jobs: len(byMonth[m])}
		if judged.Jobs > 0 {
			w.month(byMonth[m], at, m, a.Given, &judged)
		}
		a.Months = append(a.Months, judged)
	}
	limits := w.learn(last)
	factor, records := w.choose(last, latest+1)
	a.Walk = records[factor].walk(factor, rules.Risk)
	if !a.Walk.Holds() {
		factor = 0 // what is against the advice for a kind even so
	}
	for kind, l := range limits {
		if l == nil {
			continue
		}
		l.Tried, l.Kills = records[factor].kinds[kind].jobs, records[factor].kinds[kind].killed
		if l.State = w.state(l, records[factor], kind, factor); l.State == untried && l.Tried >= checked {
			if l.State = withheld; a.Walk.Holds() {
				l.State, l.Limit = Advised, round(factors[factor]*l.Quantile)
			}
		}
		a.Limits = append(a.Limits, *l)
	}
	slices.SortFunc(a.Limits, func(x, y Limit) int { return cmp.Or(cmp.Compare(y.Spare, x.Spare), x.Kind.compare(&y.Kind)) })
	return a
}

// month judges the advice for the jobs of a month, from what is known at its begin.
func (w *walker) month(jobs []int, at float64, month int, given []float64, judged *Judged) {
	limits := w.learn(at)
	factor, records := w.choose(at, month)
	walk := records[factor].walk(factor, w.rules.Risk)
	if walk.Holds() {
		judged.Factor = walk.Factor
	}
	for _, k := range jobs {
		kind := w.kinds[k]
		l := limits[kind]
		if l == nil || l.Quantile == 0 {
			continue
		}
		t := trial{job: k, month: month, quantile: l.Quantile}
		for f := range factors {
			t.clean[f] = !records[f].contradicted[kind]
		}
		w.trials = append(w.trials, t)
		if walk.Holds() && w.state(l, records[factor], kind, factor) == untried && records[factor].kinds[kind].jobs >= checked {
			given[k] = round(factors[factor] * l.Quantile)
			judged.Advised++
			if w.jobs[k].Used > given[k] {
				judged.Killed++
			}
		}
	}
}

// state says what is against the advice for a kind with a factor; Untried: nothing but that it may not have been tried on enough jobs.
func (w *walker) state(l *Limit, r *record, kind, factor int) State {
	switch {
	case l.Quantile == 0:
		return tooFew
	case l.Requested > 0 && round(factors[factor]*l.Quantile) >= l.Requested:
		return noShorter
	case Allowed(l.Jobs, w.rules.Risk, w.rules.Confidence) < 0:
		return tooFew
	case r.contradicted[kind]:
		return contradicted
	}
	return untried
}

// record is how limits with a factor did, as far as that is known at a time.
type record struct {
	kinds        []tally // of the last months
	contradicted []bool  // by kind: in one of the last months
	months       []tally // of the trials with nothing against them, by month
}

// walk sums up the months.
func (r *record) walk(factor int, risk float64) Walk {
	w := Walk{Factor: factors[factor]}
	for m := range r.months {
		c := &r.months[m]
		w.Jobs, w.Killed = w.Jobs+c.jobs, w.Killed+c.killed
		over := c.exceeds(held * risk)
		if over {
			w.Over++
		}
		if over || c.jobs >= checked {
			w.Months++
		}
	}
	return w
}

// choose takes the least factor that holds, or else the greatest, at the begin of a month.
func (w *walker) choose(at float64, month int) (factor int, records [len(factors)]*record) {
	factor = len(factors)
	for f := range factors {
		records[f] = w.record(f, at, month)
		if walk := records[f].walk(f, w.rules.Risk); walk.Holds() {
			factor = min(factor, f)
		}
	}
	return min(factor, len(factors)-1), records
}

// record counts the trials of which it is known at a time whether a limit would have killed the job.
func (w *walker) record(factor int, at float64, month int) *record {
	r := &record{kinds: make([]tally, w.number), contradicted: make([]bool, w.number), months: make([]tally, month)}
	type kindMonth struct{ kind, month int }
	parts := map[kindMonth]*tally{}
	for k := range w.trials {
		t := &w.trials[k]
		j, limit := &w.jobs[t.job], round(factors[factor]*t.quantile)
		if limit >= j.limit() {
			continue
		}
		killed, tells := j.Used > limit, j.End
		if killed {
			tells = j.start() + limit
		}
		if tells >= at {
			continue
		}
		kind := w.kinds[t.job]
		if t.clean[factor] {
			r.months[t.month].add(killed)
		}
		if t.month < month-memory {
			continue
		}
		r.kinds[kind].add(killed)
		key := kindMonth{kind, t.month}
		if parts[key] == nil {
			parts[key] = new(tally)
		}
		parts[key].add(killed)
	}
	for key, c := range parts {
		r.contradicted[key.kind] = r.contradicted[key.kind] || c.exceeds(w.rules.Risk)
	}
	return r
}

// numbered numbers the kinds of jobs from 0 on.
func numbered(jobs []Past) (kinds []int, number int) {
	known := map[Kind]int{}
	kinds = make([]int, len(jobs))
	for k := range jobs {
		n, found := known[jobs[k].Kind]
		if !found {
			n = len(known)
			known[jobs[k].Kind] = n
		}
		kinds[k] = n
	}
	return kinds, len(known)
}

// learn takes the quantiles, by kind, from the jobs whose run times are known at a time, see [Past]; nil: there is none. Where too little is known the quantile is 0.
func (w *walker) learn(at float64) []*Limit {
	limits, used, asked := make([]*Limit, w.number), make([][]float64, w.number), make([]float64, w.number)
	days := make([]map[float64]bool, w.number)
	for k := range w.jobs {
		j, kind := &w.jobs[k], w.kinds[k]
		if !j.known(at) || j.start() <= at-window {
			continue
		}
		if limits[kind] == nil {
			limits[kind], days[kind] = &Limit{Kind: j.Kind}, map[float64]bool{}
		}
		used[kind] = append(used[kind], j.Used)
		if len(days[kind]) < leastDay {
			days[kind][math.Floor(j.Arrival/86400)] = true
		}
		if j.Kind.Requested > 0 {
			limits[kind].Spare += max(0, j.Kind.Requested-j.Used) * float64(j.Processors)
			asked[kind] += j.Kind.Requested * float64(j.Processors)
		}
	}
	for kind, l := range limits {
		if l == nil {
			continue
		}
		runs := used[kind]
		slices.Sort(runs)
		l.Jobs, l.Most = len(runs), runs[len(runs)-1]
		if asked[kind] > 0 {
			l.Share = 1 - l.Spare/asked[kind]
		}
		allowed := Allowed(l.Jobs, held*w.rules.Risk, w.rules.Confidence)
		l.Above = max(0, allowed)
		if (allowed >= 0 || l.Jobs >= least) && len(days[kind]) >= leastDay {
			l.Quantile = runs[len(runs)-1-l.Above]
		}
	}
	return limits
}
