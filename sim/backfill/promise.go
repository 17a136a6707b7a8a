package backfill

import (
	"math"

	"github.com/allot-opt/allot/sim"
)

// promise is what a search must know of jobs without looking at them: how high their priorities can be at most. So promises only show where not to look.
//
// A level is what of a job's score its party does not share: with wfp3 the ratio of wait to estimate, with multifactor and slurm all but the fair share, in other orders the score. It grows no faster than
// a bound says, and the share of a party is the same for all jobs of it. So one look at a job bounds its score for ever.
type promise struct {
	level     float64 // no level of a job was greater at the time at; +Inf: not known
	at        float64
	top       float64 // no level grows beyond it
	shortest  float64 // no estimate is less
	earliest  int64   // no number is less
	narrowest int32   // no number of processors is less
	widest    float64 // none is greater
	smallest  float64 // no size is less, see sim.Platform.KindOf
}

// nothing is the promise of no jobs.
func nothing(now float64) promise {
	return promise{level: math.Inf(-1), at: now, top: math.Inf(-1), shortest: math.Inf(1), earliest: math.MaxInt64, narrowest: math.MaxInt32, smallest: math.Inf(1)}
}

// include adds what others promise, whose level now is at most that given.
func (p *promise) include(level float64, other promise) {
	p.level, p.top = max(p.level, level), max(p.top, other.top)
	p.shortest, p.earliest = min(p.shortest, other.shortest), min(p.earliest, other.earliest)
	p.narrowest, p.widest = min(p.narrowest, other.narrowest), max(p.widest, other.widest)
	p.smallest = min(p.smallest, other.smallest)
}

// ages says whether levels grow with the weight of the age.
func (s *scorer) ages() bool { return s.Order == byMultifactor || s.Order == bySlurm }

// round numbers the instants that have the same scores, from 1.
func (s *scorer) round(instant int64) int64 {
	switch s.Order {
	case bySlurm:
		return s.slurm.epoch + 1
	case byWFP3, byMultifactor:
		return instant
	}
	return 1
}

// time is the time that levels are of: with slurm that of the last pass.
func (s *scorer) time(now float64) float64 {
	if s.Order == bySlurm {
		return s.slurm.last
	}
	return now
}

// rank is the place of a job among those of its kind. The parties are associations with slurm, users with multifactor, and the jobs that go first, whatever the order. Levels of a party that age grow
// at the same rate until they are at their top, so that they are ranked by what they were at time 0.
func (s *scorer) rank(now float64, w *waiting) rank {
	r := rank{number: w.job.Number}
	score := s.score(now, w.job, w.fastest, w.width, w.class)
	level, _ := s.level(now, w.job, w.fastest, score)
	switch {
	case math.IsInf(score, 1):
		r.party = -1
		return r
	case s.Order == byWFP3:
		r.by = w.fastest
		return r
	case s.Order == bySlurm:
		r.party = s.slurm.jobs[w.job.Handle].entry.Association
	case s.Order == byMultifactor:
		r.party = int(w.job.User)
	}
	if r.by = -level; s.ages() {
		r.by += s.WeightAge * (s.time(now) / s.MaxAge)
	}
	return r
}

// level is the level of a job of a score now, and what it does not outgrow.
func (s *scorer) level(now float64, j *sim.Job, estimate, score float64) (level, top float64) {
	switch {
	case math.IsInf(score, 1):
		return score, score
	case s.Order == bySlurm:
		return s.slurm.level(j.Handle)
	case s.Order == byWFP3:
		if estimate == 0 {
			return math.Inf(1), math.Inf(1)
		}
		return (now - j.Arrival) / estimate, math.Inf(1)
	case s.Order == byMultifactor:
		level = score - s.WeightShare*s.shares.factor(j.User)
		return level, level + max(s.WeightAge, 0)*(1-min((now-j.Arrival)/s.MaxAge, 1))
	}
	return score, score
}

// levelBy is a bound of the levels of what has made a promise now.
func (s *scorer) levelBy(now float64, p *promise) float64 {
	passed := s.time(now) - p.at
	switch {
	case passed == 0 || math.IsInf(p.level, 1):
		return p.level
	case s.Order == byWFP3:
		return (p.level + passed/p.shortest) * (1 + 1e-12) // the last factor is more than rounding may take off, as all terms are positive
	case s.ages():
		const second = 1 // by which the whole seconds of slurm may be off
		return min(p.level+max(s.WeightAge, 0)*min((passed+second)/s.MaxAge, 1), p.top)
	}
	return p.level
}

// bound is a bound of the scores of jobs of a party that have made a promise.
func (s *scorer) bound(now float64, party int, p *promise) float64 {
	level := s.levelBy(now, p)
	switch {
	case math.IsInf(level, 1):
		return level
	case s.Order == byWFP3:
		return min(level*level*level*p.widest, math.MaxFloat64)
	case s.Order == bySlurm:
		return s.slurm.bound(party, level)
	case s.Order == byMultifactor:
		slack := 1e-12 * (math.Abs(level) + math.Abs(s.WeightAge) + math.Abs(s.WeightSize) + math.Abs(s.WeightShare) + math.Abs(s.WeightClass)) // more than rounding may take off
		return level + s.WeightShare*s.shares.factor(int32(party)) + slack
	}
	return level
}
