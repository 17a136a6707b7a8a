// Package lab compares policies on the queue of one system: would another policy serve it better, and which jobs and
// users would wait longer?
//
// [Compare] makes a [Report] from schedules of one instance, which other packages made. On-line policies learn of a job at its arrival;
// solvers that plan ahead know the future. The two kinds never share a ranking: each [Group] has its own table and tests.
//
// # Figures
//
//   - A wait is start − arrival. The bounded slowdown of a job is max(1, response/max(run time, 10)).
//   - Only jobs that arrive in the window count. The window is the time from the first arrival to the last, without the share that warm-up
//     cuts off at either end. The other jobs are simulated too, and jobs wait for them. Utilisation is the processor time held in the window
//     divided by all processor time in it.
//   - A class is narrow or wide by its processors, and short or long by the run time: S. Srinivasan, R. Kettimuthu, V. Subramani, P. Sadayappan
//     (2002), Characterization of backfilling strategies for parallel job scheduling, doi:10.1109/ICPPW.2002.1039773. Queues, accounts (groups of the instance) and
//     users are classes too; accounts that part the jobs as users do, or outnumber them, are left out. So are months of arrival, see [KindPeriod], but nothing is tested of these.
//   - A difference is that of the means over the jobs that both schedules place. Each job is compared with itself and counts on the day of its
//     arrival. Its interval and P are of a paired moving-block bootstrap over days: of the ratio of the means, see [statistics.MovingBlocks.Ratio], or
//     where one of them is 0 of their difference. Fewer than [statistics.LeastBlocks] blocks in which a class has jobs are too few for an interval.
//   - Of many intervals some miss by chance. A difference is shown where P, adjusted by Holm, is at most 1 − confidence. A family of tests is what answers one
//     question in a group, under all policies but the first: the waits and slowdowns of all jobs; the waits of the classes by size and length; by queue; by
//     account; by user. So the probability that any false difference of a family is stated is at most 1 − confidence, as far as each P holds.
//   - Where the instance has recorded starts, they have a row "recorded" of their own and are compared with the on-line policies, see [Record].
//   - The stretch of some jobs is the time from arrival to end of all of them over the run time of all of them.
//   - What a user is entitled to at a time is an equal share of the processors among those who have jobs in the system, but no more than these jobs
//     ask for; what one does not ask for the others share. Received is what the user's jobs held. Both are processor time in the window.
//     Jain's index, see [statistics.Jain], is of received/entitled over the users.
package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// Run is a schedule of the instance and what made it.
type Run struct {
	Policy   string          // a name unlike that of any other run
	Online   bool            // it learnt of a job at its arrival
	Solution *model.Solution // nil: see [Options].Followed
}

// Options say how to compare. A zero means zero; [Defaults] has the values that suit traces in seconds.
type Options struct {
	WarmUp     float64 // share of the time that is cut off at either end, in [0, 0.5)
	Day        float64 // length of a day, time
	Narrow     int     // most processors of a narrow job
	Short      float64 // longest run time of a short job
	Confidence float64
	Replicates int // of the bootstrap
	Block      int // days in a block; 0: see [statistics.BlockLength]
	Seed       uint64
	Workers    int  // policies at once; 0: as many as processors
	Shares     bool // state the shares of the users over time
	Known      bool // nothing is learnt late: all jobs are there at once and their estimates are true, see [bench.HoldsFuture]
	// Elsewhere says that solutions are of other machines than the instance's, or of other jobs on them: how devices are used is not measured.
	Elsewhere bool
	AsSite    bool  // the first run is of the policy that the instance states as that of its site, if it states one: the report says how near it comes to the record
	Anyway    bool  // nothing is held back where that policy does not explain the record
	Bound     Bound // finds what was possible; nil: nobody asks
	// Followed are, by policy, the runs of which there is no solution.
	Followed map[string]*Followed
}

// Defaults are days of 86,400 s, narrow jobs of at most 8 processors, short ones of at most an hour, intervals of 95 % from 2,000 replicates.
func Defaults() Options {
	return Options{Day: 86400, Narrow: 8, Short: 3600, Confidence: 0.95, Replicates: 2000, Seed: 1}
}

// AtOnce is the number of policies at once.
func (o *Options) AtOnce() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// In are the options for an instance whose unit of time is another than the second; false: the unit is not known, so nobody can say how long a day is.
func (o Options) In(unit string) (Options, bool) {
	seconds, known := secondsIn(unit)
	if known {
		o.Day, o.Short = o.Day/seconds, o.Short/seconds
	}
	return o, known
}

// secondsIn is how long a unit of time is; an instance without a unit is in seconds.
func secondsIn(unit string) (seconds float64, known bool) { return timetext.Seconds(cmp.Or(unit, "s")) }

// Report compares the runs.
type Report struct {
	Trace      string   `json:"trace"`
	Jobs       int      `json:"jobs"`
	Processors int      `json:"processors"`
	Queues     []string `json:"queues,omitempty"` // the partitions, which fcfs, easy, conservative and flexible keep apart unless queues=one; none of a trace that states fewer than two
	// Load is the offered load, see [Load]; absent: all jobs arrive at once.
	Load       *float64 `json:"load,omitempty"`
	From       float64  `json:"from"` // the window
	To         float64  `json:"to"`
	Dates      *Dates   `json:"dates,omitempty"` // of the window; absent: not known
	Counted    int      `json:"counted"`         // jobs that arrive in it
	Days       int      `json:"days"`
	Block      int      `json:"block"` // days in a block of the bootstrap
	Time       string   `json:"time"`  // unit
	Confidence float64  `json:"confidence"`
	Narrow     int      `json:"narrow"`           // most processors of a narrow job
	Short      float64  `json:"short"`            // longest run time of a short job
	Caveats    []string `json:"-"`                // what the instance leaves out, see [model.Instance.Caveats]: whoever writes the report says it first
	Site       string   `json:"site,omitempty"`   // the policy that the instance states as that of its site; absent: it states none
	Record     *Record  `json:"record,omitempty"` // absent: the instance has no recorded starts
	// Unexplained says that the first policy, of a site whose instance states one, does not explain the record; absent: it does, or nobody asks.
	Unexplained *Unexplained `json:"unexplained,omitempty"`
	Power       *Power       `json:"power,omitempty"` // absent: the instance states no power, or neither prices nor carbon
	Groups      []Group      `json:"groups"`          // none where they are held back, see [Unexplained]
	Baseline    string       `json:"-"`               // the first policy, of a site whose instance states one
}

// Group is the policies that know equally much. Differences are from its first.
type Group struct {
	Online   bool           `json:"online"`
	Known    bool           `json:"known,omitempty"` // there is nothing to learn late, so all know as much
	Policies []Policy       `json:"policies"`
	Tests    map[string]int `json:"tests"` // by kind of class: the number of tests in its family, for which Holm's method adjusts
}

// Name says what the group knows.
func (g *Group) Name() string {
	switch {
	case g.Known:
		return "all known from the start"
	case g.Online:
		return "on line"
	}
	return "plans ahead"
}

// Policy is what one policy did.
type Policy struct {
	Name        string   `json:"name"`
	Utilisation *float64 `json:"utilisation,omitempty"` // from 0 to 1; absent: the window has no length
	LeftOut     int      `json:"left_out"`              // jobs of the window that have no place in the schedule
	// Devices and Stranded are the metrics device_utilisation, from 0 to 1, and stranded, in devices, of the whole schedule; absent: the machines have no devices, or, of the
	// record, nobody knows.
	Devices  *float64 `json:"device_utilisation,omitempty"`
	Stranded *float64 `json:"stranded,omitempty"`
	// Jain is Jain's index of received/entitled over the users; absent: no job states its user.
	Jain    *float64 `json:"jain,omitempty"`
	Power   *Bill    `json:"power,omitempty"` // absent: as for the report
	Classes []Class  `json:"classes"`         // the first is all jobs
	Shares  []Share  `json:"-"`               // if asked for, in order of days
}

// The kinds of classes.
const (
	kindAll     = "all"
	kindShape   = "size and length"
	kindQueue   = "queue"
	kindAccount = "account" // the group of a job, which Slurm calls its account
	kindUser    = "user"
	kindPower   = "power"  // no class: a family of tests, of what all jobs cost and emit
	kindPeriod  = "period" // of arrival: a month, or a week or a day where the window is short; not compared
)

// compared are the kinds of classes whose differences are tested.
var compared = []string{kindShape, kindQueue, kindAccount, kindUser}

// Class describes the jobs of a class under a policy. Figures cover the jobs that the policy placed; if it placed none, there
// are no figures.
type Class struct {
	Kind     string  `json:"kind"`
	Name     string  `json:"name"`
	Jobs     int     `json:"jobs"`
	Wait     *Spread `json:"wait,omitempty"`
	Slowdown float64 `json:"bounded_slowdown,omitempty"` // mean
	Stretch  float64 `json:"stretch,omitempty"`          // 0: no job takes time
	// WaitDifference and SlowdownDifference are from the first policy of the group; absent: of that policy itself, and where no job is placed by both.
	WaitDifference     *Difference `json:"wait_difference,omitempty"`
	SlowdownDifference *Difference `json:"slowdown_difference,omitempty"`
	Entitled           *float64    `json:"entitled,omitempty"` // of a user: processor time
	Received           *float64    `json:"received,omitempty"`
}

// Spread sums up waits.
type Spread struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

// Load is the offered load of an instance: the processor time that its jobs take, divided by all processor time from the first
// arrival to the last. Where machines have resources, such as GPUs, it is that of the scarcest: the greatest such share of processors and resources. A job counts on the cluster where
// it takes least processor time. The load is +Inf if all jobs arrive at once.
func Load(in *model.Instance) float64 {
	first, last := span(in)
	work, held := 0.0, make([]float64, len(in.Resources()))
	for k := range in.Jobs() {
		least, length, blocks := math.Inf(1), 0.0, 0.0
		node := in.Jobs()[k].Node()
		for c := range in.Clusters() {
			if in.CanRun(k, c) {
				width, _ := in.Width(k, c)
				duration := in.DurationOn(k, c, width)
				if area := float64(width) * duration; area < least {
					least, length, blocks = area, duration, float64(width/node.Block)
				}
			}
		}
		if math.IsInf(least, 1) || math.IsNaN(least) {
			continue
		}
		work += least
		for _, need := range node.Resources {
			held[need.Resource] += need.Amount.Float() * blocks * length
		}
	}
	load := work / (float64(in.Processors()) * (last - first))
	for r := range held {
		all := 0.0
		for c := range in.Clusters() {
			for m := range in.Clusters()[c].Machines {
				group := &in.Clusters()[c].Machines[m]
				all += group.Amount(r).Float() * float64(group.Count)
			}
		}
		if held[r] > 0 {
			load = max(load, held[r]/(all*(last-first)))
		}
	}
	return load
}

// WithLoad is the instance with the gaps between arrivals stretched or shrunk so that the offered load is the given one.
func WithLoad(in *model.Instance, load float64) (*model.Instance, error) {
	now := Load(in)
	if !(now > 0) || math.IsInf(now, 1) {
		return nil, errors.New("expected jobs that arrive over time and take time, to scale their load")
	}
	first, _ := span(in)
	arrivals := make([]float64, len(in.Jobs()))
	for k := range arrivals {
		arrivals[k] = first + (in.Jobs()[k].Arrival-first)*(now/load)
	}
	if last := slices.Max(arrivals); !(last <= 1e18) {
		return nil, fmt.Errorf("expected a load at which the last job arrives by 1e18, found %v", load)
	}
	return in.WithArrivals(arrivals), nil
}

// span is the time of the first and of the last arrival.
func span(in *model.Instance) (first, last float64) {
	first, last = math.Inf(1), math.Inf(-1)
	for k := range in.Jobs() {
		first, last = min(first, in.Jobs()[k].Arrival), max(last, in.Jobs()[k].Arrival)
	}
	return first, last
}

// Compare compares the schedules. The instance has a job at least. Without runs it only checks the instance and the options.
//
// Complexity: O(p·(n·(log n + u·log u) + k·R·d/b)) for p runs of n jobs with k classes, R replicates over d days in blocks of b and u users with jobs in the
// system at once.
func Compare(ctx context.Context, in *model.Instance, runs []Run, opt Options) (*Report, error) {
	if len(in.Jobs()) == 0 {
		return nil, errors.New("expected an instance with jobs, found none")
	}
	if first, last := span(in); (last-first)/opt.Day > mostDays {
		return nil, fmt.Errorf("expected arrivals within %d days of %v, found %v to %v: a day is too short", mostDays, opt.Day, first, last)
	}
	s := newStudy(ctx, in, opt)
	if len(s.counted) == 0 {
		return nil, fmt.Errorf("expected jobs that arrive between %v and %v, found none: the warm-up cuts off too much", s.from, s.to)
	}
	block := opt.Block
	if block == 0 {
		block = statistics.BlockLength(s.days)
	}
	if draws := float64(opt.Replicates) * math.Ceil(float64(s.days)/float64(block)); draws > mostDraws {
		return nil, fmt.Errorf("expected at most %g blocks drawn, found %d replicates of %d days in blocks of %d", float64(mostDraws), opt.Replicates, s.days, block)
	}
	var err error
	s.blocks, err = statistics.NewMovingBlocks(s.days, statistics.Bootstrap{Block: opt.Block, Replicates: opt.Replicates, Seed: opt.Seed, Confidence: opt.Confidence})
	if err != nil {
		return nil, err
	}
	report := &Report{
		Trace: in.Name(), Jobs: len(in.Jobs()), Processors: in.Processors(), Queues: QueuesOf(in), From: s.from, To: s.to, Counted: len(s.counted),
		Days: s.days, Dates: s.dates(), Block: s.blocks.Block(), Time: cmp.Or(in.Units().Time, "s"), Confidence: opt.Confidence, Narrow: opt.Narrow, Short: opt.Short,
	}
	if load := Load(in); !math.IsInf(load, 0) && !math.IsNaN(load) {
		report.Load = &load
	}
	schedules := make([]*schedule, len(runs))
	for k, run := range runs {
		if f := opt.Followed[run.Policy]; f != nil {
			schedules[k], f.schedule.utilisation = f.schedule, s.utilisation(f.held)
			continue
		}
		if schedules[k], err = s.schedule(run.Solution, opt.Elsewhere); err != nil {
			return nil, fmt.Errorf("%s: %w", run.Policy, err)
		}
	}
	report.Caveats = in.Caveats()
	if report.Record, err = s.record(runs, schedules); err != nil {
		return nil, err
	}
	if opt.AsSite && report.explain(in, runs, opt.Anyway) {
		report.Groups = []Group{}
		return report, nil
	}
	meter, err := s.metered(runs, schedules)
	if err != nil {
		return nil, err
	}
	if meter != nil {
		report.Power = meter.power
	}
	policies, err := s.policies(runs, schedules)
	if err != nil {
		return nil, err
	}
	for _, online := range []bool{true, false} {
		group := Group{Online: online, Known: opt.Known}
		for k, run := range runs {
			if run.Online == online || opt.Known && online {
				group.Policies = append(group.Policies, *policies[k])
			}
		}
		if group.Policies != nil && !(opt.Known && !online) {
			if err := group.adjust(); err != nil {
				return nil, err
			}
			if report.Power != nil {
				report.Power.shares(&group)
			}
			report.Groups = append(report.Groups, group)
		}
	}
	if len(report.Groups) == 2 && !runs[0].Online { // the group of the first run comes first
		slices.Reverse(report.Groups)
	}
	return report, nil
}

// policies makes the figures of the runs, in parallel.
func (s *study) policies(runs []Run, schedules []*schedule) ([]*Policy, error) {
	policies := make([]*Policy, len(runs))
	var g errgroup.Group
	g.SetLimit(s.opt.AtOnce())
	for k, run := range runs {
		first := slices.IndexFunc(runs, func(r Run) bool { return s.opt.Known || r.Online == run.Online })
		against := schedules[first]
		if first == k {
			against = nil
		}
		g.Go(func() (err error) {
			if policies[k], err = s.policy(run.Policy, schedules[k], against); err != nil {
				return fmt.Errorf("%s: %w", run.Policy, err)
			}
			return nil
		})
	}
	return policies, g.Wait()
}

// mostDays and mostDraws bound the memory of a bootstrap.
const (
	mostDays  = 1_000_000
	mostDraws = 100_000_000
)

// class is some jobs of the window.
type class struct {
	kind, name string
	jobs       []int32
}

// policy makes the figures of a schedule; first is that of the group's first policy, nil where this is the first.
func (s *study) policy(name string, run, first *schedule) (*Policy, error) {
	p := &Policy{Name: name, Utilisation: run.utilisation, Devices: run.devices, Stranded: run.stranded}
	for _, j := range s.counted {
		if !run.placed(j) {
			p.LeftOut++
		}
	}
	entitled, received, shares := s.entitlements(run)
	p.Shares = shares
	var err error
	if p.Power, err = s.bill(run, first); err != nil {
		return nil, err
	}
	var ratios []float64
	for k := range s.classes {
		c := &s.classes[k]
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		against := first
		if c.kind == kindPeriod {
			against = nil
		}
		figures, err := s.figures(c, run, against)
		if err != nil {
			return nil, err
		}
		if c.kind == kindUser {
			user := s.userNumber[c.name]
			figures.Entitled, figures.Received = &entitled[user], &received[user]
			if entitled[user] > 0 {
				ratios = append(ratios, received[user]/entitled[user])
			}
		}
		p.Classes = append(p.Classes, *figures)
	}
	if len(ratios) > 0 {
		if jain, err := statistics.Jain(ratios); err == nil {
			p.Jain = &jain
		}
	}
	return p, nil
}
