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

// What makes the risk hold where jobs change with time. The figures were chosen on data/swf and on a grid's log cut into short periods, see docs/tutorials/advise.md.
const (
	Month    = 30 * 86400 // s: advice is for the next month, and judged there
	window   = 6 * Month  // of starts from which advice is made
	leastDay = 5          // different days on which the jobs arrived
	margin   = 1.25       // on the quantile, before rounding
	checked  = 50         // jobs of later months in which the advice was tried before it is given
	memory   = 6          // months in which a kind must not have passed the risk
	siteWide = 6          // months in which all advice together must not have passed half of it
	held     = 0.5        // share of the risk that the quantile may use; the rest is for what changes from month to month
)

// State says what became of the advice for a kind.
type State string

// The states.
const (
	Advised      State = "advised"
	TooFew       State = "too little known" // too few jobs, or too few days
	NoShorter    State = "limit is used"    // no shorter limit keeps the risk
	Untried      State = "not tried yet"    // it was not tried on a later month yet
	Contradicted State = "contradicted"     // in a later month more jobs than the risk would have been killed
	Withheld     State = "withheld"         // in a late month, all advice of the site together would have killed more than the risk
)

// Limit is what is known of the time limit of a kind.
type Limit struct {
	Kind
	State State   `json:"state"`
	Jobs  int     `json:"jobs"`              // from which it is made
	Limit float64 `json:"limit_s"`           // that would keep the risk; 0: not known
	Most  float64 `json:"longest_run_s"`     // of these jobs
	Spare float64 `json:"spare_s"`           // processor time that these jobs asked for and did not use; 0 where they ask for none
	Share float64 `json:"used_share"`        // used over requested, processor time; 0 where they ask for none
	Kills int     `json:"earlier_kills"`     // jobs of the tried months that the limit made before them would have killed
	Tried int     `json:"earlier_advised"`   // jobs of these months
	Above int     `json:"allowed_to_exceed"` // of the jobs, that may exceed the limit; see [Allowed]
}

// Judged is a month and what the advice made before it would have done to its jobs.
type Judged struct {
	From    float64 `json:"from"` // s
	Jobs    int     `json:"jobs"`
	Advised int     `json:"advised"` // jobs whose limit is shorter by advice
	Killed  int     `json:"killed"`  // of these, those that run longer than advised
}

// trial is a job that the advice for its kind concerned, whether it was given or not.
type trial struct {
	kind, month   int
	tells         float64 // time from which on it is known whether the limit would have killed the job
	killed, given bool
}

// Advice is the advice on limits for a trace.
type Advice struct {
	Months []Judged // each judged by advice from what had ended before it
	Limits []Limit  // for what comes after the trace, the most spare processor time first
	// Given is, by job, the limit that advice gave it, s; 0: none. Each is from jobs that had ended before the job's month.
	Given []float64
}

// Advise makes advice, month by month, and judges it on the following month. The months begin with the first arrival. O(m·n·log n) for n jobs and m months.
func Advise(jobs []Past, rules Rules) *Advice {
	a := &Advice{Given: make([]float64, len(jobs))}
	if len(jobs) == 0 {
		return a
	}
	first, last := math.Inf(1), 0.0
	for k := range jobs {
		first, last = min(first, jobs[k].Arrival), max(last, jobs[k].Arrival, jobs[k].End)
	}
	byMonth := map[int][]int{}
	latest := 0
	for k := range jobs {
		m := int((jobs[k].Arrival - first) / Month)
		byMonth[m], latest = append(byMonth[m], k), max(latest, m)
	}
	kinds, number := numbered(jobs)
	var trials []trial
	for m := 1; m <= latest; m++ {
		at := first + float64(m)*Month
		limits := learn(jobs, kinds, number, at, rules)
		given := admitted(limits, trials, at, m, rules)
		judged := Judged{From: at, Jobs: len(byMonth[m])}
		for _, k := range byMonth[m] {
			l := limits[kinds[k]]
			if l == nil || l.State == TooFew || l.State == NoShorter {
				continue
			}
			kills := jobs[k].Used > l.Limit
			tells := jobs[k].End
			if kills {
				tells = jobs[k].start() + l.Limit
			}
			trials = append(trials, trial{kinds[k], m, tells, kills, given[kinds[k]]})
			if given[kinds[k]] {
				a.Given[k] = l.Limit
				judged.Advised++
				if kills {
					judged.Killed++
				}
			}
		}
		a.Months = append(a.Months, judged)
	}
	limits := learn(jobs, kinds, number, last, rules)
	admitted(limits, trials, last, latest+1, rules)
	for _, l := range limits {
		if l != nil {
			a.Limits = append(a.Limits, *l)
		}
	}
	slices.SortFunc(a.Limits, func(x, y Limit) int { return cmp.Or(cmp.Compare(y.Spare, x.Spare), x.Kind.compare(&y.Kind)) })
	return a
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

// learn makes the limits, by kind, from the jobs whose run times are known at a time, see [Past]; nil: there is none. Those of which nothing is against giving them are Untried.
func learn(jobs []Past, kinds []int, number int, at float64, rules Rules) []*Limit {
	limits, used, asked := make([]*Limit, number), make([][]float64, number), make([]float64, number)
	days := make([]map[int]bool, number)
	for k := range jobs {
		j, kind := &jobs[k], kinds[k]
		if !j.known(at) || j.start() <= at-window {
			continue
		}
		if limits[kind] == nil {
			limits[kind], days[kind] = &Limit{Kind: j.Kind}, map[int]bool{}
		}
		used[kind] = append(used[kind], j.Used)
		if len(days[kind]) < leastDay {
			days[kind][int(j.Arrival/86400)] = true
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
		allowed := Allowed(l.Jobs, held*rules.Risk, rules.Confidence)
		l.Above = max(0, allowed)
		if allowed < 0 || len(days[kind]) < leastDay {
			l.State = TooFew
			continue
		}
		l.Limit, l.State = round(margin*runs[len(runs)-1-allowed]), Untried
		if l.Requested > 0 && l.Limit >= l.Requested {
			l.State = NoShorter
		}
	}
	return limits
}

// admitted says for which kinds the advice is given, by what the advice of earlier months did to the jobs after it as far as that is known at a time, and notes the states.
func admitted(limits []*Limit, trials []trial, at float64, month int, rules Rules) []bool {
	type count struct{ jobs, killed int }
	exceeds := func(c *count, risk float64) bool { return float64(c.killed) > risk*float64(c.jobs) }
	type kindMonth struct{ kind, month int }
	site, months := map[int]*count{}, map[kindMonth]*count{}
	contradicted, withheld := make([]bool, len(limits)), false
	for k := range trials {
		t := &trials[k]
		if t.tells >= at || t.month < month-memory {
			continue
		}
		if l := limits[t.kind]; l != nil {
			l.Tried++
			if t.killed {
				l.Kills++
			}
		}
		add := func(c *count) {
			c.jobs++
			if t.killed {
				c.killed++
			}
		}
		key := kindMonth{t.kind, t.month}
		if months[key] == nil {
			months[key] = new(count)
		}
		add(months[key])
		if t.given && t.month >= month-siteWide {
			if site[t.month] == nil {
				site[t.month] = new(count)
			}
			add(site[t.month])
		}
	}
	for key, c := range months {
		contradicted[key.kind] = contradicted[key.kind] || exceeds(c, rules.Risk)
	}
	for _, c := range site {
		withheld = withheld || exceeds(c, held*rules.Risk)
	}
	given := make([]bool, len(limits))
	for kind, l := range limits {
		switch {
		case l == nil || l.State != Untried:
		case contradicted[kind]:
			l.State = Contradicted
		case l.Tried < checked:
		case withheld:
			l.State = Withheld
		default:
			l.State, given[kind] = Advised, true
		}
	}
	return given
}
