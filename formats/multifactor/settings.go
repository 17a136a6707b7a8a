package multifactor

import (
	"errors"
	"math"
	"time"
)

// Settings are the parameters of the plugin, by their names in slurm.conf. The zero value weighs nothing; [DefaultSettings] are Slurm's defaults.
type Settings struct {
	WeightAge       float64 // PriorityWeightAge
	WeightAssoc     float64 // PriorityWeightAssoc
	WeightFairshare float64 // PriorityWeightFairshare
	WeightJobSize   float64 // PriorityWeightJobSize
	WeightPartition float64 // PriorityWeightPartition
	WeightQOS       float64 // PriorityWeightQOS
	WeightTRES      []Weight

	MaxAge      float64 // PriorityMaxAge, seconds: a longer wait does not count
	HalfLife    float64 // PriorityDecayHalfLife, seconds; 0: usage does not decay
	CalcPeriod  float64 // PriorityCalcPeriod, seconds between passes
	Reset       Period  // PriorityUsageResetPeriod: when usage is forgotten
	Dampening   float64 // FairShareDampeningFactor: divides the exponent of the classic fair share
	FavourSmall bool    // PriorityFavorSmall
	Flags
}

// Flags are the PriorityFlags.
type Flags struct {
	Classic          bool // NO_FAIR_TREE: the classic fair share
	DepthOblivious   bool // DEPTH_OBLIVIOUS: the classic fair share for deep trees
	RelativeToTime   bool // SMALL_RELATIVE_TO_TIME: a job's size is divided by its time limit
	CalculateRunning bool // CALCULATE_RUNNING: running jobs have priorities too
	AccrueAlways     bool // ACCRUE_ALWAYS: age counts from the submission, whatever the job waits for
	IncreaseOnly     bool // INCR_ONLY: priorities never fall
	MaxTRES          bool // MAX_TRES: only the largest of the terms of a node's resources is billed
	MaxTRESGRES      bool // MAX_TRES_GRES: as MAX_TRES, and generic resources are added
	RawAssoc         bool // NO_NORMAL_ASSOC: priorities of associations count as they are
	RawPartition     bool // NO_NORMAL_PART: the same for partitions
	RawQOS           bool // NO_NORMAL_QOS: the same for qualities of service
	RawTRES          bool // NO_NORMAL_TRES: counts of resources count as they are
}

// Weight is the weight of a resource, by its name in small letters, such as cpu, mem or gres/gpu. Where it bills memory it is for each MB.
type Weight struct {
	TRES   string
	Weight float64
}

// DefaultSettings are the parameters that Slurm has where slurm.conf states none.
func DefaultSettings() Settings {
	const week = 7 * 24 * 3600
	return Settings{MaxAge: week, HalfLife: week, CalcPeriod: 300, Dampening: 1}
}

// check says what is wrong with the settings; nil: nothing.
func (s *Settings) check() error {
	switch {
	case !(s.MaxAge >= 0):
		return errors.New("multifactor: expected a greatest age of at least 0")
	case s.HalfLife != 0 && !(s.HalfLife >= 1) || math.IsInf(s.HalfLife, 1):
		return errors.New("multifactor: expected a half-life of 0, or of at least 1 second")
	case !(s.CalcPeriod > 0):
		return errors.New("multifactor: expected a calculation period above 0")
	case !(s.Dampening > 0):
		return errors.New("multifactor: expected a dampening factor above 0")
	}
	return nil
}

// decay is the part of usage that is left after a second.
func (s *Settings) decay() float64 {
	if s.HalfLife == 0 {
		return 1
	}
	return 1 - 0.693/s.HalfLife
}

// Period is how often usage is forgotten.
type Period int

// The periods.
const (
	Never Period = iota
	Now          // once, in the first pass
	Daily
	Weekly
	Monthly
	Quarterly
	Yearly
)

// Periods are the names of the periods in slurm.conf, by period.
var Periods = []string{"NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"}

// next is the first bound of the period after the last one at which usage was forgotten, as of now.
func (p Period) next(last, now time.Time) time.Time {
	year, month, day := last.Date()
	zone := last.Location()
	midnight := time.Date(year, month, day, 0, 0, 0, 0, zone)
	const oneDay = 24 * time.Hour
	after := func(next time.Time, every time.Duration) time.Time {
		for next.Add(every).Before(now) {
			next = next.Add(every)
		}
		return next
	}
	switch p {
	case Daily:
		return after(midnight.Add(oneDay), oneDay)
	case Weekly:
		return after(midnight.Add(time.Duration(7-int(last.Weekday()))*oneDay), 7*oneDay)
	case Monthly:
		return time.Date(year, month+1, 1, 0, 0, 0, 0, zone)
	case Quarterly:
		return time.Date(year, (month-1)/3*3+4, 1, 0, 0, 0, 0, zone)
	default:
		return time.Date(year+1, time.January, 1, 0, 0, 0, 0, zone)
	}
}
