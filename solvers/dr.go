package solvers

import (
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/slots"
)

var _ = solve.RegisterPolicy(solve.Info{
	Name: "dr",
	Doc: "Dynamic reservation, on line: a ready task gets a slot of mean + k standard deviations, the one that ends first within the remaining budget of the workflow. A task that would miss the workflow's deadline or budget is rejected. " +
		"O(m·log s) a task, for m processors with s slots each.",
	Source: reservationSource,
}, func() solve.Policy { return &DR{newReservation()} })

// DR is dynamic reservation: a slot for each task of a stochastic workflow when the task is ready; package slots states the rules. It differs
// from [SR] in that alone.
//
// Source, complexity and deviations: those of [SR].
type DR struct{ Reservation }

// Discipline implements [solve.Policy].
func (s *DR) Discipline() sim.Discipline { return slots.Dynamic(s.options()) }
