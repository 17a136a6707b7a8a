package bench

import (
	"cmp"
	"math"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Row is what one solver did on one instance: a line of a run's rows. Every table, picture and test is a function of rows alone.
type Row struct {
	Key            string            `json:"key,omitempty"`   // of the cell of a suite: what was run, without what came out
	Group          string            `json:"group,omitempty"` // of the instance in its suite
	Instance       string            `json:"instance"`
	InstanceSHA256 string            `json:"instance_sha256"`
	Solver         string            `json:"solver"`              // its name, in a suite its label
	Algorithm      string            `json:"algorithm,omitempty"` // the solver's name where its label is another
	Parameters     map[string]string `json:"parameters,omitempty"`
	Minimised      string            `json:"minimised,omitempty"`            // the objective, in metrics
	Jobs           int               `json:"jobs,omitempty" check:"counter"` // of the instance
	Seed           uint64            `json:"seed"`
	TimeLimit      float64           `json:"time_limit_s,omitempty" check:"time"`
	MaxEvals       int64             `json:"max_evaluations,omitempty" check:"counter"`
	Workers        int               `json:"workers,omitempty" check:"counter"`
	Version        string            `json:"version,omitempty"` // of allot
	Online         *bool             `json:"online,omitempty"`  // whether the solver had to decide before it knew all; absent: not recorded, see [Row.IsOnline]

	Status      model.Status      `json:"status,omitempty" enum:"unknown,feasible,optimal,infeasible"`
	Stop        model.Stop        `json:"stop,omitempty" enum:"done,time,evaluations,cancelled"`
	Objective   *float64          `json:"objective,omitempty"` // absent: no schedule, or not finite
	Bound       model.Bound       `json:"bound,omitzero"`
	Gap         *float64          `json:"gap_percent,omitempty"`          // 100·(objective − bound)/|objective|
	Left        int               `json:"left,omitempty" check:"counter"` // jobs that the schedule leaves out
	Metrics     model.Metrics     `json:"metrics,omitempty"`
	Evaluations int64             `json:"evaluations,omitempty" check:"counter"`
	Elapsed     float64           `json:"elapsed_s" check:"time"` // wall clock of the solver alone
	Trace       []model.Incumbent `json:"trace,omitempty"`        // how the schedule came to be, in a suite that asks for it
	Fault       string            `json:"fault,omitempty"`        // why there is no result
	Warning     string            `json:"warning,omitempty"`      // what went wrong although there is one

	Solution *model.Solution `json:"-"`
	Refused  bool            `json:"-"` // Fault is that the solver does not support the instance
}

// IsOnline says whether the row is of an on-line policy (see [solve.Info]) on an instance that holds a future: jobs that arrive later than the
// first, or run times unlike their estimates. On any other instance such a policy knows as much as every solver. A row that does not say so,
// as those of older versions, is judged by the name of its solver.
func (row *Row) IsOnline() bool {
	if row.Online != nil {
		return *row.Online
	}
	info, err := solve.Lookup(cmp.Or(row.Algorithm, row.Solver))
	return err == nil && isOnline(info, row.Parameters)
}

// isOnline says whether the solver with the parameters is an on-line policy. Rolling use is none: it plans with the run times.
func isOnline(info solve.Info, parameters map[string]string) bool {
	_, rolling := parameters["rolling_period"]
	return info.Online && !rolling
}

// holdsFuture says whether there is something in the instance that an on-line policy learns late.
func holdsFuture(in *model.Instance) bool {
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

// gap is the gap of the row's objective and bound in %; nil: there is none.
func (row *Row) gap() *float64 {
	if row.Objective == nil {
		return nil
	}
	if gap, ok := model.Gap(*row.Objective, row.Bound); ok {
		return &gap
	}
	return nil
}

// StatusText is the status for people: what is optimal is so for the objective that was minimised alone.
func (r *Row) StatusText() string {
	switch {
	case r.Status != model.Optimal:
		return string(r.Status)
	case r.Minimised == "":
		return model.OptimalFor(nil)
	case strings.Contains(r.Minimised, " + "):
		return "optimal for the weighted objective"
	}
	_, metric, weighted := strings.Cut(r.Minimised, "·")
	if !weighted {
		metric = r.Minimised
	}
	return "optimal for " + metric
}
