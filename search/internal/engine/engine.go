package engine

import (
	"context"

	"github.com/allot-opt/allot/model"
)

// engine is one way to search an instance. It is made from the start, which is in order by the checker.
type Engine interface {
	// chains is how many searches run side by side. Chains share nothing that one of them writes while it advances.
	Chains() int
	// advance continues chain k for so many evaluations, or until stop says so, which it asks at least every millisecond or
	// so, and returns how many it made. Zero: there is nothing left to search.
	Advance(k int, evaluations int64, stop func() bool) int64
	// meet lets the chains learn from each other; it is called between rounds.
	Exchange()
	// best is how good the best schedule is that chain k has found, as the engine adds it up; nothing: none yet. Jobs that can run
	// nowhere need not be counted among those left out, in any schedule or in none.
	Best(k int) Rank
	// solution is that schedule.
	Solution(k int) (*model.Solution, error)
	// round is how many evaluations a chain makes in a round, some ms of them.
	Round() int64
	// pace is about how many evaluations one core makes in a second; it depends on the instance alone.
	Pace() int64
}

// New makes the engine of an instance; nil and no error: not for this engine.
type New func(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (Engine, error)
