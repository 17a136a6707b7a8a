package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/solve"
)

// Site is the label of the policy that an instance states as that of its site.
const Site = "site"

// SitePolicy is the policy that an instance states as that of its site, empty: none, and whether it is assumed. A command that a file names is no policy: it is never run.
func SitePolicy(in *model.Instance) (policy string, assumed bool) {
	if policy, assumed = in.Policy(); policy != "" && solve.External(policy) {
		return "", false
	}
	return policy, assumed
}

// SiteText says which policy an instance states, and whether it is assumed; empty: none.
func SiteText(in *model.Instance) string {
	policy, assumed := SitePolicy(in)
	if policy != "" && assumed {
		return policy + " (assumed with Slurm's defaults: the site's policy is not known, --slurm-conf states it)"
	}
	return policy
}

// Unexplained says that the policy of the site does not explain the record.
type Unexplained struct {
	Reasons  []string `json:"reasons"`  // what the record shows that no replay follows; empty: nothing is found
	Withheld bool     `json:"withheld"` // what rests on a replay is held back
}

// sentences say what is held back, and what the record shows.
func (u *Unexplained) sentences() (list []string) {
	if u.Withheld {
		list = append(list, "So what rests on a replay is held back: policies, settings, machines and gains; --anyway shows it.")
	}
	if len(u.Reasons) > 0 {
		return append(list, "The record shows: "+strings.Join(u.Reasons, "; ")+".")
	}
	return append(list, "Nothing is found in the record that says why.")
}

// noRecord says that an instance has no record to be compared with.
const noRecord = "There is no record of starts, so nobody knows how near the simulation is to what happens."

// QueueFit is how near a policy comes to the record in a partition.
type QueueFit struct {
	Queue    string  `json:"queue"`
	Jobs     int     `json:"jobs"`
	MeanWait float64 `json:"mean_wait"`
	Recorded float64 `json:"recorded"`
	Off      float64 `json:"off"`
}

// text is the fit for people.
func (f *Fit) text(report *Report, median float64) string {
	text := fmt.Sprintf("mean wait %s recorded, %s simulated, starts off by %s on average (%s, if one says the median wait for every job)",
		report.time(f.Recorded), report.time(f.MeanWait), report.time(f.Off), report.time(median))
	const most = 6
	var parts []string
	for k, q := range f.Queues {
		if k == most {
			parts = append(parts, fmt.Sprintf("%d more", len(f.Queues)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %s and %s, off by %s", legible(q.Queue), report.time(q.Recorded), report.time(q.MeanWait), report.time(q.Off)))
	}
	if len(parts) > 1 {
		text += "; by partition: " + strings.Join(parts, "; ")
	}
	return text
}

// The least shares of jobs and the least times from which on an answer tells what the record shows.
const (
	oddShare     = 0.02 // of the jobs
	yearSeconds  = 365 * 24 * 3600
	longQuiet    = 6 * 3600 // seconds without a start, although jobs wait that have room
	followShare  = 0.5      // of the jobs that waited although there was room
	shownWaiting = 10       // jobs that waited although there was room, at least
	mostChanges  = 1000     // that are looked at before a start
)

// recordedRun is a run by the record.
type recordedRun struct {
	arrival, start, end float64
	width, cluster, job int
}

// recordShows lists what the record shows that no replay follows, by one sweep over its arrivals, starts and ends.
//
// Complexity: O(n·log n) for n jobs, and for each job a look at the last changes before its start.
func recordShows(in *model.Instance) (list []string) {
	each := 1.0
	if seconds, known := secondsIn(in.Units().Time); known {
		each = seconds
	}
	var runs []recordedRun
	unlimited := 0
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		if !(j.Estimate*each < yearSeconds) {
			unlimited++
		}
		start, known := in.Recorded(k)
		if c := onlyCluster(in, k); known && c >= 0 {
			width, _ := in.Width(k, c)
			if length := in.DurationOn(k, c, width); length > 0 {
				runs = append(runs, recordedRun{j.Arrival, start, start + length, width, c, k})
			}
		}
	}
	for c := range in.Clusters() {
		list = append(list, sweep(in, c, slices.DeleteFunc(slices.Clone(runs), func(r recordedRun) bool { return r.cluster != c }), each)...)
	}
	if n := len(in.Jobs()); float64(unlimited) > oddShare*float64(n) {
		list = append(list, fmt.Sprintf("%.0f %% of the jobs without a time limit, so that nobody can plan with them", 100*float64(unlimited)/float64(n)))
	}
	return list
}

// onlyCluster is the cluster on which a job runs; −1: on none, or on one of several.
func onlyCluster(in *model.Instance, job int) int {
	only := -1
	for c := range in.Clusters() {
		if in.CanRun(job, c) {
			if only >= 0 {
				return -1
			}
			only = c
		}
	}
	return only
}

// sweep goes through the recorded runs of a cluster: processors that are busy beyond those that there are; jobs that waited although there was room; and times without a start meanwhile.
func sweep(in *model.Instance, c int, runs []recordedRun, each float64) (list []string) {
	processors := 0
	for m := range in.Clusters()[c].Machines {
		processors += in.Clusters()[c].Machines[m].Count * in.Clusters()[c].Machines[m].Units
	}
	where := ""
	if len(in.Clusters()) > 1 {
		where = " of " + legible(in.Clusters()[c].ID)
	}
	type change struct {
		at float64
		by int
	}
	var changes []change
	for _, r := range runs {
		changes = append(changes, change{r.start, r.width}, change{r.end, -r.width})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	held, most := 0, 0
	times, free := []float64{math.Inf(-1)}, []int{processors} // from each time on
	for _, x := range changes {
		held += x.by
		most = max(most, held)
		if times[len(times)-1] == x.at {
			free[len(free)-1] = processors - held
		} else {
			times, free = append(times, x.at), append(free, processors-held)
		}
	}
	if most > processors {
		list = append(list, fmt.Sprintf("%s busy at once where %s%s are stated: machines are missing, or jobs share processors (OverSubscribe)", numtext.Counted(most, "processor"), numtext.Grouped(fmt.Sprint(processors)), where))
	}
	room, followed := 0, 0
	quiet, since := 0.0, 0.0
	ends := map[string][]float64{} // by user
	for _, r := range runs {
		user := in.Jobs()[r.job].User()
		ends[user] = append(ends[user], r.end)
	}
	for _, list := range ends {
		slices.Sort(list)
	}
	for _, r := range runs {
		first, _ := slices.BinarySearch(times, r.arrival)
		last, _ := slices.BinarySearch(times, r.start)
		from, until := r.start, r.start // it has had room ever since
		for k := last - 1; k >= max(first-1, last-mostChanges, 0) && free[k] >= r.width; k-- {
			from = max(times[k], r.arrival)
			if until-from > quiet {
				quiet, since = until-from, from
			}
			until = from
		}
		if !((r.start-from)*each > roundSeconds) {
			continue
		}
		room++
		mine := ends[in.Jobs()[r.job].User()]
		at, _ := slices.BinarySearch(mine, r.start-roundSeconds/each)
		if in.Jobs()[r.job].User() != "" && at < len(mine) && mine[at] <= r.start {
			followed++
		}
	}
	if room < shownWaiting || float64(room) <= oddShare*float64(len(runs)) {
		return list
	}
	text := fmt.Sprintf("%s%s that waited for more than a minute although as many processors were free", numtext.CountedGrouped(room, "job"), where)
	switch {
	case float64(followed) >= followShare*float64(room):
		text += fmt.Sprintf(", of which %d started within a minute of the end of a job of the same user: limits of users or accounts", followed)
	case quiet*each > longQuiet:
		text += fmt.Sprintf(", and nothing started or ended for %s from %s on: a reservation, or nodes that were down", timetext.Of(quiet, cmp.Or(in.Units().Time, "s"), numtext.Figure), cmp.Or(shown.ClockOf(in).Date(since), timetext.Of(since, cmp.Or(in.Units().Time, "s"), numtext.Figure)))
	default:
		text += ": memory, GPUs, whole nodes, priorities, reservations or limits"
	}
	return append(list, text)
}

// explain says whether the first of the policies, that of the site, explains the record of an instance that states one; where it does not, what the record shows. Withheld: what rests on
// the replay is held back.
func (r *Report) explain(in *model.Instance, runs []Run, anyway bool) (withheld bool) {
	if r.Site = SiteText(in); r.Site == "" || len(runs) == 0 {
		return false
	}
	r.Baseline = runs[0].Policy
	if fit := r.fitOfSite(); fit != nil && !fit.Explains {
		r.Unexplained = &Unexplained{Reasons: append([]string{}, recordShows(in)...), Withheld: !anyway}
		if !anyway { // how near the others come is a ranking too
			r.Record.Fits, r.Record.Nearest, r.Record.Explained = []Fit{*fit}, fit.Policy, false
		}
	}
	return r.withheld()
}

// fitOfSite is the fit of the site's policy; nil: there is no record, or the policy is not on line.
func (r *Report) fitOfSite() *Fit {
	if r.Record == nil {
		return nil
	}
	k := slices.IndexFunc(r.Record.Fits, func(f Fit) bool { return f.Policy == r.Baseline })
	if k < 0 {
		return nil
	}
	return &r.Record.Fits[k]
}

// withheld says that what rests on a replay is held back.
func (r *Report) withheld() bool { return r.Unexplained != nil && r.Unexplained.Withheld }

// AboutRecord says which policy is that of the site, and how near it comes to the record, or that there is none; withheld: what rests on a replay is held back. Nil: the instance states no
// policy of a site.
func (r *Report) AboutRecord() (about []string, withheld bool) {
	if r.Site == "" || r.Baseline == "" {
		return nil, false
	}
	name, list := "The site's policy", []string{"The site: " + r.Site + "."}
	if r.Baseline != Site && r.Baseline != r.Site && !strings.HasPrefix(r.Site, r.Baseline+" (") { // another is asked for
		name, list = r.short(r.Baseline), nil
	}
	fit := r.fitOfSite()
	switch {
	case r.Record == nil:
		return append(list, noRecord), false
	case fit == nil:
		return list, false
	case fit.Explains:
		return append(list, fmt.Sprintf("%s explains the record: %s.", name, fit.text(r, r.Record.OffByMedian))), false
	}
	list = append(list, fmt.Sprintf("%s does not explain the record: %s.", name, fit.text(r, r.Record.OffByMedian)))
	return append(list, r.Unexplained.sentences()...), r.withheld()
}

// AgainstRecord compares the run of a policy with the record of an instance, in the sentences of [Report.AboutRecord]. Without a schedule there is no record.
func AgainstRecord(ctx context.Context, in *model.Instance, run Run, opt Options, anyway bool) (list []string, withheld bool, err error) {
	if SiteText(in) == "" {
		return nil, false, nil
	}
	opt.AsSite = true
	s := newStudy(ctx, in, opt)
	report := &Report{Time: cmp.Or(in.Units().Time, "s")}
	if run.Solution != nil {
		made, err := s.schedule(run.Solution, true)
		if err != nil {
			return nil, false, err
		}
		if report.Record, err = s.record([]Run{run}, []*schedule{made}); err != nil {
			return nil, false, err
		}
	}
	report.explain(in, []Run{run}, anyway)
	list, withheld = report.AboutRecord()
	return list, withheld, nil
}
