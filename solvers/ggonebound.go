package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/queueing/ggone"
	"github.com/allot-opt/allot/solvers/internal/allocation"
)

var _ = bound.Register(bound.Method{
	Name:   "ggone",
	Metric: "qos_penalty",
	Doc:    "the Lagrangian bound of the G/G/1 allocation at the root, without its slack: each machine takes the tasks that are cheapest for it at common prices",
	Source: "A. M. Geoffrion (1974), Lagrangean relaxation for integer programming, Math. Programming Study 2, doi:10.1007/BFb0120690",
	New:    bound.OnceShown(proveQoSPenalty),

	Certifies: true,
})

// proveQoSPenalty holds for schedules of tasks that take one processor each, all of which have to be placed.
func proveQoSPenalty(ctx context.Context, r *bound.Relaxation) (bound.Sum, func() *proof.Argument, bool) {
	in := r.Instance()
	const evaluations, work = 150, 1 << 27 // bounds, and penalties in all of them
	if !r.All() || len(in.Jobs()) == 0 || allocation.StatesJobsNot(in) != nil {
		return bound.Sum{}, nil, false
	}
	problem, err := newGGOne().settings().Problem(ctx, in)
	if err != nil {
		return bound.Sum{}, nil, false
	}
	problem.Rate = 0 // loads only grow with the idle rate, and so does the penalty
	found, shown := ggone.Bound(ctx, &problem.Problem, evaluations, work)
	proved, known := found.Value()
	return bound.Sum{Value: proved, Size: math.Abs(proved), Terms: len(in.Jobs())}, func() *proof.Argument { return &proof.Argument{Levels: shown()} }, known
}
