package bench

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Row records one run of one solver on one instance. A run folder keeps one row per line. Every table, picture and test is a function of rows
// only.
type Row struct {
	Key            string            `json:"key,omitempty"`   // identifies the cell of the suite
	Group          string            `json:"group,omitempty"` // the instance's group in the suite
	Instance       string            `json:"instance"`
	InstanceSHA256 string            `json:"instance_sha256"`
	Caveats        []string          `json:"caveats,omitempty"`   // what the instance leaves out, see [model.Instance.Caveats]; only in what compare writes
	Solver         string            `json:"solver"`              // the solver's name, or its label in a suite
	Algorithm      string            `json:"algorithm,omitempty"` // the solver's name, if the label differs
	Parameters     map[string]string `json:"parameters,omitempty"`
	Minimised      string            `json:"minimised,omitempty"`            // the objective, as a sum of metrics, and the window if there is one
	Measured       *Window           `json:"measured,omitempty"`             // what the figures are of; absent: the whole instance
	Jobs           int               `json:"jobs,omitempty" check:"counter"` // number of jobs of the instance, or of those measured
	Seed           uint64            `json:"seed"`
	TimeLimit      float64           `json:"time_limit_s,omitempty" check:"time"`
	MaxEvals       int64             `json:"max_evaluations,omitempty" check:"counter"`
	Workers        int               `json:"workers,omitempty" check:"counter"`
	Version        string            `json:"version,omitempty"`      // version of allot
	Online         *bool             `json:"online,omitempty"`       // the solver had to decide before it knew the future; absent: not recorded, see [Row.IsOnline]
	AllocatesBy    string            `json:"allocates_by,omitempty"` // the metric by which the solver allocates, if it is not the objective, see [solve.Info]

	Status      model.Status      `json:"status,omitempty" enum:"unknown,feasible,optimal,infeasible"`
	Stop        model.Stop        `json:"stop,omitempty" enum:"done,time,evaluations,cancelled"`
	Objective   *float64          `json:"objective,omitempty"` // absent: there is no schedule, or the objective is not finite
	Bound       model.Bound       `json:"bound,omitzero"`
	AtLeast     int               `json:"owed,omitempty" check:"counter"`      // jobs that every schedule owes at least, as is proved; the bound is of those that owe no more
	Gap         *float64          `json:"gap_percent,omitempty"`               // 100·(objective − bound)/|objective|
	Left        int               `json:"left,omitempty" check:"counter"`      // jobs that the schedule leaves out
	MayLeave    int               `json:"may_leave,omitempty" check:"counter"` // of these, the jobs that it does not owe, see [model.Instance.Owed]
	Metrics     model.Metrics     `json:"metrics,omitempty"`
	MeanArrival float64           `json:"mean_arrival,omitempty"` // of the finished jobs, from the earliest arrival on; mean_response and it make their mean end
	Rounds      *Rounds           `json:"rounds,omitempty"`       // of rolling use with known execution times
	Evaluations int64             `json:"evaluations,omitempty" check:"counter"`
	Elapsed     float64           `json:"elapsed_s" check:"time"` // wall-clock seconds of the solver alone
	Incumbents  []model.Incumbent `json:"trace,omitempty"`        // the run's incumbents, if the suite asks for them
	Fault       string            `json:"fault,omitempty"`        // why there is no result
	Warning     string            `json:"warning,omitempty"`      // what went wrong although there is a result

	Solution *model.Solution `json:"-"`
	Stated   *StatedBest     `json:"-"` // the objective is what a file states, and no schedule shows it; nil: a run made the row
	Kind     FaultKind       `json:"-"` // of the Fault; a file states its text alone
}

// FaultKind is a kind of fault that decides what to do about a row.
type FaultKind int

// The kinds of faults.
const (
	OtherFault    FaultKind = iota // any other, or none
	Unsupported                    // the solver does not support the instance; a run folder has no such row
	WrongSchedule                  // the checker refuses the schedule
	Contradiction                  // a file has two rows of the run, and they differ
)

// faultTexts begin the faults of those kinds that files of rows have.
var faultTexts = map[FaultKind]string{
	Unsupported: solve.ErrUnsupported.Error() + ": ", WrongSchedule: "refused by the checker: ", Contradiction: "two rows of this run differ in ",
}

// crashText begins the warning of a run whose program crashed when its schedules were there.
const crashText = "the program failed after"

// Failed reports whether the run failed: it ended with an error, or its schedule is wrong. A solver that does not support the instance has not failed.
func (row *Row) Failed() bool { return row.Fault != "" && row.Kind != Unsupported }

// Crashed reports whether the run's program crashed after its last schedule, which counts.
func (row *Row) Crashed() bool {
	return row.Fault == "" && strings.HasPrefix(row.Warning, crashText)
}

// kindOf tells the kind of a fault from its text in a file of rows.
func kindOf(fault string) FaultKind {
	for kind, text := range faultTexts {
		if strings.HasPrefix(fault, text) {
			return kind
		}
	}
	return OtherFault
}

// IsOnline reports whether the row is the run of an on-line policy (see [solve.Info]) on an instance with a future: jobs that arrive after the
// first, or run times that differ from their estimates. On any other instance such a policy knows as much as every other solver. Rows of older
// versions do not state this; IsOnline then decides by the name of the solver.
func (row *Row) IsOnline() bool {
	if row.Online != nil {
		return *row.Online
	}
	info, err := solve.Lookup(cmp.Or(row.Algorithm, row.Solver))
	return err == nil && isOnline(info, row.Parameters)
}

// isOnline reports whether the solver with the parameters is an on-line policy. Rolling use is not, as far as the
// parameters tell: where jobs have no estimates it plans with the run times.
func isOnline(info solve.Info, parameters map[string]string) bool {
	_, rolling := parameters["rolling_period"]
	return info.Online && !rolling
}

// HoldsFuture reports whether an on-line policy learns some facts of the instance late.
func HoldsFuture(in *model.Instance) bool {
	if in.Features().Has(model.Arrivals) {
		return true
	}
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		if math.IsNaN(j.Estimate) {
			continue
		}
		if estimated := j.Estimate * j.ReferenceSpeed; j.StatesRuntimes() || math.Abs(estimated-j.Work) > model.Tolerance*math.Abs(j.Work) {
			return true
		}
	}
	return false
}

// gap returns the gap between the row's objective and bound in percent, or nil if there is none.
func (row *Row) gap() *float64 {
	if row.Objective == nil {
		return nil
	}
	if gap, ok := model.Gap(*row.Objective, row.Bound); ok {
		return &gap
	}
	return nil
}

// Owed is the number of jobs that the row's schedule owes, see [model.Instance.Owed].
func (row *Row) Owed() int { return row.Left - row.MayLeave }

// leave counts the jobs that the schedule leaves out.
func (row *Row) leave(in *model.Instance, s *model.Solution) {
	row.Left, row.MayLeave = len(s.Unscheduled), len(s.Unscheduled)-in.Owed(s)
}

// ProvedBy says whether the bound, which another run on the instance may have found, proves the row's schedule optimal, as far as a row tells. Either the
// run has proved it, or the schedule owes no more jobs than is proved that every schedule does, and its objective is at most [model.Tolerance] above the bound. Where the objective has several
// metrics, or one that is better when high, that may hide what counts (see [model.Evaluation.Proves]): then it must not be above.
func (row *Row) ProvedBy(bound model.Bound) bool {
	value, known := bound.Value()
	switch {
	case row.Status == model.Optimal:
		return true
	case !known || row.Objective == nil || row.Owed() > row.AtLeast:
		return false
	}
	below := model.Tolerance * math.Abs(*row.Objective) // a schedule that is lower by more has refuted the bound
	above := 0.0
	if stated := row.statedObjective(); len(stated) == 1 {
		for metric := range stated {
			if m, ok := model.MetricNamed(metric); ok && !m.HighBetter {
				above = below
			}
		}
	}
	return value-below <= *row.Objective && *row.Objective <= value+above
}

// StatusText formats the status for people. A schedule is optimal only for the objective that was minimised.
func (row *Row) StatusText() string {
	if row.Status != model.Optimal {
		return string(row.Status)
	}
	return model.OptimalFor(row.statedObjective())
}

// statedObjective is the objective as an instance states it, metric → weight, read from [Row.Minimised], as package shown formats it; nil: not known.
func (row *Row) statedObjective() map[string]float64 {
	stated := map[string]float64{}
	for term := range strings.SplitSeq(row.Minimised, " + ") {
		weight, metric, weighted := strings.Cut(term, "·")
		if !weighted {
			weight, metric = "1", term
		}
		w, err := strconv.ParseFloat(weight, 64)
		if err != nil || metric == "" {
			return nil
		}
		if m, ok := model.MetricNamed(metric); ok && m.HighBetter {
			w = -w
		}
		stated[metric] = w
	}
	return stated
}
