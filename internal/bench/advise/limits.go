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
	window   = 6 * Month  // of ends from which advice is made
	leastDay = 5          // different days on which the jobs arrived
	margin   = 1.25       // on the quantile, before rounding
	checked  = 50         // jobs of later months in which the advice was tried before it is given
	memory   = 6          // months in which a kind must not have passed the risk
	siteWide = 6          // months in which all advice together must not have
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
	Kills float64 `json:"earlier_kills"`     // jobs of the tried months that the limit made before them would have killed
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

// tried is what advice for a kind did in a month.
type tried struct{ month, jobs, killed int }

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
	history := map[Kind][]tried{}
	for m := 1; m <= latest; m++ {
		at := first + float64(m)*Month
		limits := learn(jobs, at, rules)
		given := admitted(limits, history, a.Months, m, rules)
		judged := Judged{From: at, Jobs: len(byMonth[m])}
		now := map[Kind]*tried{}
		for _, k := range byMonth[m] {
			l := limits[jobs[k].Kind]
			if l == nil || l.State != Advised && l.State != Untried && l.State != Contradicted && l.State != Withheld {
				continue
			}
			t := now[l.Kind]
			if t == nil {
				t = &tried{month: m}
				now[l.Kind] = t
			}
			kills := jobs[k].Used > l.Limit
			t.jobs++
			if kills {
				t.killed++
			}
			if given[l.Kind] {
				a.Given[k] = l.Limit
				judged.Advised++
				if kills {
					judged.Killed++
				}
			}
		}
		for kind, t := range now {
			history[kind] = append(history[kind], *t)
		}
		a.Months = append(a.Months, judged)
	}
	limits := learn(jobs, math.Nextafter(last, math.Inf(1)), rules)
	admitted(limits, history, a.Months, latest+1, rules)
	for _, l := range limits {
		a.Limits = append(a.Limits, *l)
	}
	slices.SortFunc(a.Limits, func(x, y Limit) int { return cmp.Or(cmp.Compare(y.Spare, x.Spare), x.Kind.compare(&y.Kind)) })
	return a
}

// learn makes the limits from the jobs that had ended before a time. Those of which nothing is against giving them are Untried.
func learn(jobs []Past, at float64, rules Rules) map[Kind]*Limit {
	used := map[Kind][]float64{}
	days := map[Kind]map[int]bool{}
	limits := map[Kind]*Limit{}
	asked := map[Kind]float64{}
	for k := range jobs {
		j := &jobs[k]
		if j.End > at || j.End <= at-window {
			continue
		}
		l := limits[j.Kind]
		if l == nil {
			l = &Limit{Kind: j.Kind}
			limits[j.Kind], days[j.Kind] = l, map[int]bool{}
		}
		used[j.Kind] = append(used[j.Kind], j.Used)
		days[j.Kind][int(j.Arrival/86400)] = true
		if j.Kind.Requested > 0 {
			l.Spare += max(0, j.Kind.Requested-j.Used) * float64(j.Processors)
			asked[j.Kind] += j.Kind.Requested * float64(j.Processors)
		}
	}
	for kind, l := range limits {
		runs := used[kind]
		slices.Sort(runs)
		l.Jobs, l.Most = len(runs), runs[len(runs)-1]
		if asked[kind] > 0 {
			l.Share = 1 - l.Spare/asked[kind]
		}
		l.Above = max(0, Allowed(l.Jobs, held*rules.Risk, rules.Confidence))
		switch {
		case Allowed(l.Jobs, held*rules.Risk, rules.Confidence) < 0 || len(days[kind]) < leastDay:
			l.State = TooFew
			continue
		}
		l.Limit = round(margin * runs[len(runs)-1-l.Above])
		l.State = Untried
		if kind.Requested > 0 && l.Limit >= kind.Requested {
			l.State = NoShorter
		}
	}
	return limits
}

// admitted says for which kinds the advice is given, by what the advice of earlier months did in the month after it, and notes the states.
func admitted(limits map[Kind]*Limit, history map[Kind][]tried, months []Judged, month int, rules Rules) map[Kind]bool {
	given := map[Kind]bool{}
	withheld := false
	for _, m := range months[max(0, len(months)-siteWide):] {
		withheld = withheld || float64(m.Killed) > rules.Risk*float64(m.Advised)
	}
	for kind, l := range limits {
		contradicted := false
		for _, t := range history[kind] {
			if t.month >= month-memory {
				l.Tried += t.jobs
				l.Kills += float64(t.killed)
				contradicted = contradicted || float64(t.killed) > rules.Risk*float64(t.jobs)
			}
		}
		switch {
		case l.State != Untried:
		case contradicted:
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
