package solvers

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/slots"
)

// reservationSource is where static and dynamic reservation come from.
const reservationSource = "Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc. MGC '06, doi:10.1145/1186675.1186678, §5.2 and eq. 23"

var _ = solve.RegisterPolicy(solve.Info{
	Name: "sr",
	Doc: "Static reservation, on line: when a workflow is submitted, each task gets a slot of mean + k standard deviations, the one that ends first within the budget. A workflow that would miss its deadline or budget is rejected. " +
		"O(m·log s) a task, for m processors with s slots each.",
	Source: reservationSource,
}, func() solve.Policy { return &SR{newReservation()} })

// SR is static reservation: slots for all tasks of a stochastic workflow at its submission; package slots states the rules. It knows the
// estimate of a task and the coefficient of variation of its work, not how long the task really runs.
//
// Source: Y. Patel, J. Darlington (2006), A novel approach to allocating QoS-constrained workflow-based jobs in a multi-cluster grid, Proc. MGC
// '06, doi:10.1145/1186675.1186678, §5.2 and eq. 23. Complexity: O(m·log s) a task, for m processors with s slots each; processors that were
// never used count as one.
//
// Deviations from the source: it names no rule for the choice of a slot, so the one that ends first within the budget is taken. It does not
// say what becomes of a task that outlives its slot: it is killed, or with overrun extend runs on. Only tasks of one processor; memory and
// licences are refused.
type SR struct{ Reservation }

// Reservation is the parameters of static and of dynamic reservation.
type Reservation struct {
	K       float64 `range:"[0, 1e6]" doc:"number of standard deviations of the work that a slot adds to the mean"`
	Wait    string  `enum:"any,none" doc:"whether a slot may begin later than when the task is ready; none: a task without a slot at once is rejected"`
	Overrun string  `enum:"kill,extend" doc:"what happens to a task that outlives its slot: kill ends it and leaves it out of the schedule; extend lets it run on and moves the later slots of its processor"`
}

// reservationFeatures are the features that the reservation policies honour.
const reservationFeatures = model.Arrivals | model.HardDeadlines | model.Precedence | model.BandwidthNeeds | model.UnrelatedTimes | model.RestrictedTimes | model.MixedMachines

func newReservation() Reservation { return Reservation{K: 1.645, Wait: "any", Overrun: "kill"} }

// Supports implements [solve.Policy].
func (*Reservation) Supports(in *model.Instance) error {
	return solve.Unsupported(in, reservationFeatures)
}

// options are the parameters as package slots takes them.
func (r *Reservation) options() slots.Options {
	return slots.Options{K: r.K, Extend: r.Overrun == "extend", NoWait: r.Wait == "none"}
}

// Kills implements [solve.Policy]: a task is killed at the end of its slot, not at its estimate.
func (*Reservation) Kills() bool { return false }

// Discipline implements [solve.Policy].
func (s *SR) Discipline() sim.Discipline { return slots.Static(s.options()) }
