package solvers

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/slots"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name: "dr",
	Doc: "Dynamic reservation, on line: a ready task gets a slot of mean + k standard deviations, the one that ends first within the remaining budget of the workflow. A task that would miss the workflow's deadline or budget is rejected. " +
		"O(m·log s) a task, for m processors with s slots each.",
	Source: reservationSource,
	New:    func() solve.Solver { return NewDR() },
	Online: true,
	Traces: true,
})

// DR is dynamic reservation: a slot for each task of a stochastic workflow when the task is ready; package slots states the rules. It differs
// from [SR] in that alone.
//
// Source, complexity and deviations: those of [SR].
type DR struct{ Reservation }

// NewDR is the solver with its defaults.
func NewDR() *DR { return &DR{newReservation()} }

// Solve implements [solve.Solver].
func (s *DR) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	return online(ctx, in, s, opt)
}

// Simulate implements [Online].
func (s *DR) Simulate(ctx context.Context, in *model.Instance, opt sim.Options) (*model.Solution, sim.Totals, error) {
	return simulate(ctx, in, s, opt)
}

// Discipline implements [Online].
func (s *DR) Discipline() sim.Discipline { return slots.Dynamic(s.K, s.Overrun == "extend") }
