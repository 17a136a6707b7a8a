package backfill

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// Site is what the order slurm knows of a site beside the weights of [Factors], as slurm.conf, sacctmgr and sshare state it.
type Site struct {
	// Settings has what no weight states: flags, the weights of resources, and when usage is forgotten.
	Settings multifactor.Settings
	// The nodes, the partitions and the qualities of service. Without nodes those of the instance count, and so do the resources of a partition that states none.
	multifactor.Site
	// Associations is the tree of accounts, with what they have used before time 0.
	Associations []multifactor.Association
	// Of is the quality of service, the nice value and the site factor of a job; nil: none of any job.
	Of func(id string) (quality string, nice, factor float64)
}

// Settings are the parameters of the order as Slurm takes them.
func (r *Ranking) Settings() multifactor.Settings {
	s := multifactor.DefaultSettings()
	if r.Site != nil {
		s = r.Site.Settings
	}
	f := &r.Factors
	s.WeightAge, s.WeightFairshare, s.WeightJobSize = f.WeightAge, f.WeightShare, f.WeightSize
	s.WeightPartition, s.WeightQOS, s.WeightAssoc = f.WeightQueue, f.WeightQuality, f.WeightAssociation
	s.MaxAge, s.HalfLife, s.CalcPeriod, s.Dampening, s.FavourSmall = f.MaxAge, f.HalfLife, f.CalcPeriod, f.Damping, f.FavourSmall
	s.RelativeToTime = f.SizeByTime
	s.Classic = f.FairShare == shareClassic || s.DepthOblivious
	return s
}

// SlurmRanking is the order slurm with the parameters that a site states. A greatest age of 0, for which every job is at its greatest age at once, is an error.
func SlurmRanking(site *Site) (Ranking, error) {
	s := &site.Settings
	r := DefaultRanking()
	if s.MaxAge == 0 {
		return r, errors.New("backfill: the order slurm takes no PriorityMaxAge of 0")
	}
	r.Order, r.Site = bySlurm, site
	f := &r.Factors
	f.WeightAge, f.WeightShare, f.WeightSize = s.WeightAge, s.WeightFairshare, s.WeightJobSize
	f.WeightQueue, f.WeightQuality, f.WeightAssociation = s.WeightPartition, s.WeightQOS, s.WeightAssoc
	f.MaxAge, f.HalfLife, f.CalcPeriod, f.Damping, f.FavourSmall = s.MaxAge, s.HalfLife, s.CalcPeriod, s.Dampening, s.FavourSmall
	f.SizeByTime = s.RelativeToTime
	if f.FairShare = shareTree; s.Classic {
		f.FairShare = shareClassic
	}
	return r, nil
}

// OnSite puts a policy in the order slurm on a site. The parameters of the ranking stay as they are; those of the site's settings that it has too do not count. In another order it is
// an error.
func (r *Ranking) OnSite(site *Site) error {
	if r.Order != bySlurm {
		return fmt.Errorf("backfill: expected the order slurm, found %s", r.Order)
	}
	r.Site = site
	return nil
}

// The algorithms of fair share of the order slurm.
const (
	shareTree    = "tree"
	shareClassic = "classic"
)

// CheckOrder says what keeps the order from an instance; nil: nothing.
func (r *Ranking) CheckOrder(in *model.Instance) error {
	if r.Order != bySlurm {
		return nil
	}
	s := r.Settings()
	for _, w := range []float64{s.WeightAge, s.WeightAssoc, s.WeightFairshare, s.WeightJobSize, s.WeightPartition, s.WeightQOS} {
		if w < 0 {
			return fmt.Errorf("order slurm: expected weights of at least 0, found %v", w)
		}
	}
	if _, known := in.TimeZero(); s.Reset > multifactor.Now && !known {
		return fmt.Errorf("order slurm: PriorityUsageResetPeriod=%s needs the date of time 0 (time_zero)", multifactor.Periods[s.Reset])
	}
	var list []multifactor.Association
	var site multifactor.Site
	if r.Site != nil {
		list, site = r.Site.Associations, r.Site.Site
	}
	tree, err := multifactor.NewTree(s, list)
	if err == nil {
		_, err = multifactor.NewCalculator(tree, site)
	}
	if err != nil {
		return fmt.Errorf("order slurm: %w", err)
	}
	return nil
}

// slurmOrder computes the priorities of the order slurm in a run. Times are in seconds here.
type slurmOrder struct {
	platform   *sim.Platform
	each       float64 // seconds of a unit of time
	calculator *multifactor.Calculator
	tree       *multifactor.Tree
	ledger     *multifactor.Ledger
	of         func(id string) (quality string, nice, factor float64)

	jobs    []slurmJobState  // by handle
	waiting [][]slurmWaiting // by association, by number; some have left
	asking  []multifactor.Waiting
	ended   []int64 // numbers of jobs that end at the instant to come
	fresh   []int32 // handles of jobs that waited for others, and may start from the instant to come on
	passes  float64 // how many there were; the next one is at this number of periods
	last    float64 // time of the last one
	stale   bool    // there was one since the last instant
	epoch   int64   // counts the instants before which there was one
}

// slurmJobState is a job in the system.
type slurmJobState struct {
	entry       multifactor.Entry
	since       float64 // it may start from then on; +Inf: not known yet
	priority    float64 // the highest so far, where priorities never fall
	billing     float64
	usageFactor float64
}

// slurmWaiting is a job that waits.
type slurmWaiting struct {
	multifactor.Waiting
	job *sim.Job
}

// newSlurmOrder is the order for a platform. The ranking has passed CheckOrder; what it would refuse panics.
func newSlurmOrder(r *Ranking, platform *sim.Platform) *slurmOrder {
	each, known := timetext.Seconds(platform.TimeUnit())
	if !known {
		each = 1
	}
	o := &slurmOrder{platform: platform, each: each}
	var list []multifactor.Association
	var site multifactor.Site
	if r.Site != nil {
		list, site, o.of = r.Site.Associations, r.Site.Site, r.Site.Of
		site.Partitions = slices.Clone(site.Partitions)
		for k := range site.Partitions {
			if p := &site.Partitions[k]; p.Total == nil {
				p.Total = platform.PartitionTRES(p.Name)
			}
		}
	}
	if site.Nodes == 0 {
		site.Nodes, site.CPUs = float64(platform.MachineCount()), float64(platform.Processors())
	}
	var err error
	if o.tree, err = multifactor.NewTree(r.Settings(), list); err == nil {
		o.calculator, err = multifactor.NewCalculator(o.tree, site)
	}
	if err == nil {
		o.ledger, err = multifactor.NewLedger(o.tree, platform.Clock())
	}
	if err != nil {
		panic(err)
	}
	platform.EachSubmitter(o.associate)
	return o
}

// mostPasses is the most passes that are made one after the other without a job that arrives, starts or ends; before these one pass stands for all.
const mostPasses = 1_000_000

// advance makes the passes before a time.
func (o *slurmOrder) advance(until float64) {
	period := o.calculator.CalcPeriod
	if o.passes > 0 && until/period-o.passes > mostPasses {
		o.passes = math.Floor(until/period) - mostPasses
	}
	for o.passes*period < until {
		o.pass((o.passes+1)*period >= until)
	}
}

// pass makes the next pass; last says that none follows at this instant. Only the last one counts for the jobs that wait, unless a flag says otherwise.
func (o *slurmOrder) pass(last bool) {
	o.last = o.passes * o.calculator.CalcPeriod
	o.passes++
	o.stale = true
	every := o.calculator.IncreaseOnly || o.calculator.DepthOblivious
	if o.asking = o.asking[:0]; o.calculator.Classic && (last || every) {
		o.ask()
	}
	if o.ledger.Pass(o.last, o.asking); o.calculator.IncreaseOnly {
		o.raise()
	}
}

// ask lists the first job of each association that waits: only it asks for the association's factor.
func (o *slurmOrder) ask() {
	for k, list := range o.waiting {
		for len(list) > 0 && !list[0].waits() {
			list = list[1:]
		}
		if o.waiting[k] = list; len(list) > 0 {
			o.asking = append(o.asking, list[0].Waiting)
		}
	}
	slices.SortFunc(o.asking, func(a, b multifactor.Waiting) int { return cmp.Compare(a.Number, b.Number) })
}

// waits says whether a job has not left the queue.
func (w *slurmWaiting) waits() bool { return w.job.Number == w.Number && w.job.Queued() }

// raise raises the priorities of the jobs that wait to those of the last pass.
func (o *slurmOrder) raise() {
	for k := range o.waiting {
		o.waiting[k] = slices.DeleteFunc(o.waiting[k], func(w slurmWaiting) bool { return !w.waits() })
		for _, w := range o.waiting[k] {
			s := &o.jobs[w.job.Handle]
			s.priority = max(s.priority, o.calculator.Priority(&s.entry, o.last, s.since))
		}
	}
}

// priority is the priority of a job that waits. Its age, and the usage of its association, are those of the last pass, so it stays the same until the next one.
func (o *slurmOrder) priority(handle int32) float64 {
	s := &o.jobs[handle]
	if o.calculator.IncreaseOnly {
		return s.priority
	}
	return o.calculator.Priority(&s.entry, o.last, s.since)
}

// level is the priority of a job without the fair share and before it is cut to a whole number, and what it does not outgrow; +Inf where priorities never fall: they are not known after the next pass.
func (o *slurmOrder) level(handle int32) (level, top float64) {
	s := &o.jobs[handle]
	if o.calculator.IncreaseOnly {
		return math.Inf(1), math.Inf(1)
	}
	level = o.calculator.Level(&s.entry, o.last, s.since)
	return level, level + (o.calculator.WeightAge - o.calculator.Age(o.last, s.since))
}

// bound bounds the priorities of jobs of an association whose levels are at most the given one.
func (o *slurmOrder) bound(association int, level float64) float64 {
	c := o.calculator
	sum := level + c.WeightFairshare*o.tree.Factor(association)
	return min(max(1, math.Floor(sum+1e-9*(1+math.Abs(level)+c.WeightAge+c.WeightFairshare))), multifactor.Most) // more than rounding may take off
}

// begin brings the priorities up to the instant.
func (o *slurmOrder) begin(now float64) {
	now *= o.each
	o.advance(now)
	for _, number := range o.ended {
		o.ledger.End(number, now)
	}
	o.ended = o.ended[:0]
	if o.passes*o.calculator.CalcPeriod == now {
		o.pass(true)
	}
	for _, handle := range o.fresh {
		o.jobs[handle].since = now
	}
	if o.fresh = o.fresh[:0]; o.stale {
		o.stale = false
		o.epoch++
	}
}

// arrived tells of a job that joins the queue. Its priority is that of its submission until the next pass.
func (o *slurmOrder) arrived(j *sim.Job) {
	at := j.Arrival * o.each
	o.advance(at)
	for int(j.Handle) >= len(o.jobs) {
		o.jobs = append(o.jobs, slurmJobState{})
	}
	s := o.enter(j)
	if s.since = at; len(j.Request.After) > 0 && !o.calculator.AccrueAlways {
		s.since = math.Inf(1)
		o.fresh = append(o.fresh, j.Handle)
	}
	s.priority = o.calculator.Priority(&s.entry, at, s.since)
	for s.entry.Association >= len(o.waiting) {
		o.waiting = append(o.waiting, nil)
	}
	list := &o.waiting[s.entry.Association]
	k, _ := slices.BinarySearchFunc(*list, j.Number, func(w slurmWaiting, number int64) int { return cmp.Compare(w.Number, number) })
	*list = slices.Insert(*list, k, slurmWaiting{multifactor.Waiting{Number: j.Number, Association: s.entry.Association}, j})
}

// enter works out what the priority of a job is made of.
func (o *slurmOrder) enter(j *sim.Job) *slurmJobState {
	user, account, queue := o.platform.SubmitterOf(j)
	o.associate(user, account)
	quality, nice, factor := "", 0.0, 0.0
	if o.of != nil {
		quality, nice, factor = o.of(j.Request.ID)
	}
	counts := o.platform.TRES(j)
	request := multifactor.Job{
		Account: accountName(account), User: userName(user), Partitions: o.calculator.Partitions(queue, o.platform.PartitionTRES), QOS: quality, Nodes: counts["node"], CPUs: counts["cpu"],
		Limit: max(math.Ceil(j.Estimate*o.each/60), 1), TRES: counts, Nice: nice, Site: factor,
	}
	s := &o.jobs[j.Handle]
	*s = slurmJobState{usageFactor: o.calculator.UsageFactor(quality)}
	var err error
	if s.entry, err = o.calculator.Entry(&request); err == nil {
		s.billing, err = o.calculator.Billing(request.Partitions[0], counts)
	}
	if err != nil {
		panic(err) // all names are known
	}
	return s
}

// accountName is the account of a job that states none: the root.
func accountName(account string) string { return cmp.Or(account, "root") }

// userName is the user of a job that states none: all these are one more user.
func userName(user string) string { return cmp.Or(user, "(none)") }

// associate adds the account and the user that the tree does not have: each with one share, the account under the root. Those of the jobs of the instance are there from the beginning.
func (o *slurmOrder) associate(user, account string) {
	account = accountName(account)
	if o.tree.Find(account, userName(user), "") >= 0 {
		return
	}
	for _, a := range []multifactor.Association{{Account: account, Shares: 1}, {Account: account, User: userName(user), Shares: 1}} {
		if o.tree.Find(a.Account, a.User, "") < 0 {
			if _, err := o.tree.Add(a); err != nil {
				panic(err)
			}
		}
	}
}

// started tells of a job that starts.
func (o *slurmOrder) started(j *sim.Job) {
	s := &o.jobs[j.Handle]
	o.ledger.Begin(multifactor.Run{Number: j.Number, Association: s.entry.Association, Start: j.Start * o.each, Billing: s.billing, UsageFactor: s.usageFactor})
}
