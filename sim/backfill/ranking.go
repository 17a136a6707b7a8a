package backfill

import (
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// The orders in which a queue may be served; see [Ranking].
const (
	byArrival     = "fcfs"
	byShortest    = "sjf"
	byLongest     = "ljf"
	bySmallest    = "saf"
	byWFP3        = "wfp3"
	byF1          = "f1"
	byMultifactor = "multifactor"
	bySlurm       = "slurm"
	byClass       = "priority"
)

// Ranking is the order in which a queue is served: the job of the highest score first, ties in the order of arrival. The zero value is
// the order of arrival. A score uses only what the user stated, never the real run time.
//
//   - fcfs: the order of arrival.
//   - sjf: the least estimate first. ljf: the greatest estimate first.
//   - saf: the least estimate × processors first.
//   - wfp3: the greatest (wait/estimate)³ × processors first. A job with an estimate of 0 goes first.
//   - f1: the least log₁₀(estimate) × processors + 870 · log₁₀(arrival) first. Its authors fitted it in seconds; times below 1 count as 1.
//   - multifactor: the greatest weighted sum of the [Factors] first.
//   - slurm: the greatest priority of Slurm's priority/multifactor first, to the last digit, with the [Factors] in Slurm's units and what [Site] states: see package multifactor.
//     Priorities change in passes, at multiples of the calculation period, and decisions see them from the next instant on. The account is the group of a job, the partition its
//     queue, the time limit its estimate; a job of several partitions has the highest of its priorities. Accounts and users that the site does not have get one share.
//   - priority: the greatest priority of the class of the job's user first, 0 without a class. An imported queue states the priority of each job in
//     this way.
//
// In every order but that of arrival, a job whose class has the priority [model.Largest] goes first. An imported queue marks running jobs this way.
//
// Where the clusters differ, the estimate is the least on any cluster, and the processors are the fewest on any cluster.
//
// Sources: W. Tang, Z. Lan, N. Desai, D. Buettner (2009), Fault-aware, utility-based job scheduling on Blue Gene/P systems, IEEE Cluster,
// doi:10.1109/CLUSTR.2009.5289206 (WFP3); D. Carastan-Santos, R. Y. de Camargo (2017), Obtaining dynamic scheduling policies with
// simulation and machine learning, SC17, doi:10.1145/3126908.3126955 (F1).
type Ranking struct {
	Order     string   `enum:"fcfs,sjf,ljf,saf,wfp3,f1,multifactor,slurm,priority" doc:"order of the queue: by arrival; least or greatest estimate; least estimate × processors; (wait/estimate)³ × processors; F1 of Carastan-Santos and de Camargo; Slurm's multifactor priority, in continuous time, or as Slurm computes it; the priority of the user's class"`
	BoundWait *float64 `range:"[0, 1e18]" zero:"none" doc:"a job that has waited longer than this goes to the front of the queue, whatever the order"`
	Factors
	// Site is what the order slurm knows of the site; nil: nothing, so that all accounts, and all users of an account, have equal shares.
	Site *Site
}

// DefaultRanking is the order of arrival, with the defaults of the other orders.
func DefaultRanking() Ranking { return Ranking{Order: byArrival, Factors: defaultFactors()} }

// Factors are the weights and maxima of the orders multifactor and slurm. The order slurm takes them as parameters of slurm.conf, see [Ranking]. The order multifactor is the priority of Slurm's plugin priority/multifactor, with the
// classic fair share, computed exactly at each instant. Slurm updates usage every few minutes and rounds priorities down. Each factor
// lies in [0, 1].
//
//   - Age: wait / MaxAge.
//   - Size: processors / MaxSize; with FavourSmall 1 − that.
//   - Share: 2^(−(usage/share)/Damping). The usage of a user is the user's part of the processor time that all users have used so
//     far; used time loses half its weight in each HalfLife. All users who have submitted a job so far have the same share. Jobs
//     without a user count as jobs of one more user.
//   - Class: the priority of the class of the job's user / MaxClass.
//
// Source: https://slurm.schedmd.com/priority_multifactor.html and https://slurm.schedmd.com/classic_fair_share.html.
type Factors struct {
	WeightAge         float64  `range:"[-1e18, 1e18]" vary:"[1, 1000000] log step 1" when:"order=multifactor,slurm" doc:"multifactor, slurm: weight of the waiting time divided by max_age"`
	MaxAge            float64  `range:"(0, 1e18]" vary:"[3600, 5184000] log step 3600" when:"order=multifactor,slurm" doc:"multifactor, slurm: waiting time at which the factor of age reaches 1; slurm: seconds"`
	WeightSize        float64  `range:"[-1e18, 1e18]" vary:"[1, 1000000] log step 1" when:"order=multifactor,slurm" doc:"multifactor, slurm: weight of the size: with multifactor the processors divided by max_size, with slurm the mean of the parts of the nodes and the processors"`
	MaxSize           *float64 `range:"(0, 1e18]" zero:"the system's" when:"order=multifactor" doc:"multifactor: number of processors at which the factor of size reaches 1"`
	FavourSmall       bool     `when:"order=multifactor,slurm" doc:"multifactor, slurm: favour small jobs: the factor of size is 1 − that"`
	SizeByTime        bool     `when:"order=slurm" doc:"slurm: the size is divided by the time limit, in minutes (SMALL_RELATIVE_TO_TIME)"`
	WeightShare       float64  `range:"[-1e18, 1e18]" vary:"[1, 1000000] log step 1" when:"order=multifactor,slurm" doc:"multifactor, slurm: weight of the fair share of the user, 2^(-usage/share)"`
	FairShare         string   `enum:"tree,classic" when:"order=slurm" doc:"slurm: fair share by Fair Tree, or classic"`
	HalfLife          float64  `range:"[0, 1e18]" zero:"no decay" vary:"[3600, 7776000] log step 3600" when:"order=multifactor,slurm" doc:"multifactor, slurm: half-life of the usage; slurm: seconds, 0 or at least 1"`
	CalcPeriod        float64  `range:"[1, 1e18]" when:"order=slurm" doc:"slurm: seconds between the passes that compute usage and priorities"`
	Damping           float64  `range:"(0, 1e18]" when:"order=multifactor,slurm" doc:"multifactor, slurm: divides the exponent of the classic fair share"`
	WeightClass       float64  `range:"[-1e18, 1e18]" vary:"[1, 1000000] log step 1" when:"order=multifactor" doc:"multifactor: weight of the priority of the user's class divided by max_class"`
	MaxClass          float64  `range:"(0, 1e18]" when:"order=multifactor" doc:"multifactor: priority of a class at which its factor reaches 1"`
	WeightQueue       float64  `range:"[-1e18, 1e18]" vary:"[1, 1000000] log step 1" when:"order=slurm" doc:"slurm: weight of the factor of the partition"`
	WeightQuality     float64  `range:"[-1e18, 1e18]" vary:"[1, 1000000] log step 1" when:"order=slurm" doc:"slurm: weight of the priority of the quality of service"`
	WeightAssociation float64  `range:"[-1e18, 1e18]" vary:"[1, 1000000] log step 1" when:"order=slurm" doc:"slurm: weight of the priority of the association"`
}

// defaultFactors are the weights of the example in Slurm's documentation, with the maximum age and the half-life that Slurm has by default.
func defaultFactors() Factors {
	const week = 7 * 24 * 3600
	return Factors{WeightAge: 1000, MaxAge: week, WeightSize: 1000, WeightShare: 10000, HalfLife: week, Damping: 1, WeightClass: 1000, MaxClass: 1, FairShare: shareTree, CalcPeriod: 300}
}

// isArrival says whether the order is that of arrival.
func (r *Ranking) isArrival() bool {
	return (r.Order == "" || r.Order == byArrival) // a job that waits too long is first in it anyway
}

// varies says whether scores change with time.
func (r *Ranking) varies() bool {
	return r.Order == byWFP3 || r.Order == byMultifactor || r.Order == bySlurm || r.BoundWait != nil && !r.isArrival()
}

// looksAtClasses says whether the classes of users have a part in the order.
func (r *Ranking) looksAtClasses() bool { return !r.isArrival() }

// looksAtRequests says whether accounts and queues have a part in the order, which the jobs of a trace do not show.
func (r *Ranking) looksAtRequests() bool { return r.Order == bySlurm }

// remembers says whether what happened before has a part in the order: what users have had so far, or the last pass.
func (r *Ranking) remembers() bool {
	return r.Order == bySlurm || r.Order == byMultifactor && r.Factors.WeightShare != 0
}

// scorer computes scores in a run.
type scorer struct {
	Ranking
	shares shares
	held   []int32     // by handle: processors of a running job
	second float64     // how many seconds a unit of time is; 1 where it has no known length
	slurm  *slurmOrder // nil: another order
}

// newScorer makes a scorer for a system with the given number of processors; nil where the order is that of arrival.
func newScorer(r Ranking, processors int) *scorer {
	if r.isArrival() {
		return nil
	}
	if r.Factors.MaxSize == nil {
		r.Factors.MaxSize = new(float64(processors))
	}
	return &scorer{Ranking: r, second: 1}
}

// newScorerOn makes a scorer for a platform; nil where the order is that of arrival.
func newScorerOn(r Ranking, platform *sim.Platform) *scorer {
	s := newScorer(r, platform.Processors())
	if each, known := timetext.Seconds(platform.TimeUnit()); s != nil && known {
		s.second = each
	}
	if s != nil && r.Order == bySlurm {
		s.slurm = newSlurmOrder(&r, platform)
	}
	return s
}

// steady says whether the scores are those of the last call with the same epoch, whatever the time.
func (s *scorer) steady() bool { return s.slurm != nil && s.BoundWait == nil }

// epoch counts the times at which the scores of all jobs changed, where they are steady.
func (s *scorer) epoch() int64 {
	if s == nil || s.slurm == nil {
		return 0
	}
	return s.slurm.epoch
}

// score is the score of a job that waits. It is finite, or +Inf where the job has waited longer than the bound or runs already.
func (s *scorer) score(now float64, j *sim.Job, estimate float64, processors int, class float64) float64 {
	wait, size := now-j.Arrival, float64(processors)
	if s.BoundWait != nil && wait > *s.BoundWait || class >= model.Largest {
		return math.Inf(1)
	}
	switch s.Order {
	case bySlurm:
		return s.slurm.priority(j.Handle)
	case byClass:
		return class
	case byShortest:
		return -estimate
	case byLongest:
		return estimate
	case bySmallest:
		return -estimate * size
	case byWFP3:
		if estimate == 0 {
			return math.MaxFloat64
		}
		ratio := wait / estimate
		return min(ratio*ratio*ratio*size, math.MaxFloat64)
	case byF1:
		return -(math.Log10(max(estimate*s.second, 1))*size + 870*math.Log10(max(j.Arrival*s.second, 1)))
	}
	f := &s.Factors
	part := min(size / *f.MaxSize, 1)
	if f.FavourSmall {
		part = 1 - part
	}
	return f.WeightAge*min(wait/f.MaxAge, 1) + f.WeightSize*part + f.WeightShare*s.shares.factor(j.User) + f.WeightClass*min(class/f.MaxClass, 1)
}

// arrived tells of a job that joins the queue.
func (s *scorer) arrived(j *sim.Job) {
	switch {
	case s == nil:
	case s.slurm != nil:
		s.slurm.arrived(j)
	default:
		s.shares.addUser(j.User)
	}
}

// started tells of a job that starts on a number of processors.
func (s *scorer) started(j *sim.Job, processors int) {
	switch {
	case s == nil:
		return
	case s.slurm != nil:
		s.slurm.started(j)
		return
	}
	for int(j.Handle) >= len(s.held) {
		s.held = append(s.held, 0)
	}
	s.held[j.Handle] = int32(processors)
	s.shares.users[j.User].held += float64(processors)
}

// resumed tells of a job that runs already on a number of processors.
func (s *scorer) resumed(j *sim.Job, processors int) {
	s.arrived(j)
	s.started(j, processors)
}

// ended tells of a job that ended at the instant to come.
func (s *scorer) ended(j *sim.Job) {
	switch {
	case s == nil:
	case s.slurm != nil:
		s.slurm.ended = append(s.slurm.ended, j.Number)
	default:
		s.shares.ended = append(s.shares.ended, release{j.User, s.held[j.Handle]})
	}
}

// begin brings what the scores depend on up to the instant.
func (s *scorer) begin(now float64) {
	switch {
	case s == nil:
	case s.slurm != nil:
		s.slurm.begin(now)
	case s.Order == byMultifactor:
		s.shares.advance(now, &s.Factors)
	}
}

// shares is the usage of each user.
type shares struct {
	at    float64
	users []share // by number
	met   float64 // users who have submitted a job
	ended []release
}

// share is the usage of a user.
type share struct {
	met    bool
	used   float64 // processor time, decayed
	held   float64 // processors
	factor float64
}

// release is processors that a user has given back.
type release struct{ user, processors int32 }

// addUser notes that a user has submitted a job.
func (s *shares) addUser(user int32) {
	if missing := int(user) + 1 - len(s.users); missing > 0 {
		s.users = append(s.users, slices.Repeat([]share{{factor: 1}}, missing)...)
	}
	if u := &s.users[user]; !u.met {
		u.met = true
		s.met++
	}
}

// factor is the factor of a user's share, from 0 to 1.
func (s *shares) factor(user int32) float64 { return s.users[user].factor }

// advance adds what the users have used until now. Usage decays in continuous time: what was held at a time t counts 2^(−(now − t)/half-life).
func (s *shares) advance(now float64, f *Factors) {
	passed, total := now-s.at, 0.0
	s.at = now
	keep, gain := 1.0, passed
	if f.HalfLife > 0 {
		keep = math.Exp2(-passed / f.HalfLife)
		gain = -math.Expm1(-passed/f.HalfLife*math.Ln2) * f.HalfLife / math.Ln2
	}
	for k := range s.users {
		u := &s.users[k]
		u.used = u.used*keep + u.held*gain
		total += u.used
	}
	for _, r := range s.ended {
		s.users[r.user].held -= float64(r.processors)
	}
	s.ended = s.ended[:0]
	for k := range s.users {
		u := &s.users[k]
		u.factor = 1 // nothing has been used, or it has decayed to nothing
		if total > 0 {
			u.factor = math.Exp2(-u.used / total * s.met / f.Damping)
		}
	}
}
