// Package engine holds the interface between a search, which runs the rounds, and its engines. It also has the rank by which
// both compare schedules.
package engine

import (
	"context"
	"fmt"

	"github.com/allot-opt/allot/model"
)

// Engine searches one instance, from a start that the checker accepts. Its chains are searches that run side by side: a chain
// that advances writes nothing that another chain reads.
type Engine interface {
	// Chains is the number of chains.
	Chains() int
	// Advance continues chain k for the given number of evaluations, or until stop returns true. It calls stop at least about
	// once a millisecond. It returns the number of evaluations made; 0 means that nothing is left to search.
	Advance(k int, evaluations int64, stop func() bool) int64
	// Exchange lets the chains learn from each other. It is called between rounds.
	Exchange()
	// Best is the rank of the best schedule that chain k has found, as the engine computes it; [Nothing] if there is none yet.
	// Jobs that can run nowhere may be missing in its number of jobs owed, but then in the ranks of all schedules.
	Best(k int) model.Rank
	// Solution is the best schedule of chain k.
	Solution(k int) (*model.Solution, error)
	// Round is the number of evaluations that a chain makes in a round: some milliseconds of work.
	Round() int64
	// Pace is about the number of evaluations that one core makes in a second. It depends on the instance alone.
	Pace() int64
}

// Counting is an engine that counts its work, because its pace may promise too much: evaluations may take longer (as in package lists where
// many jobs run at once), and so may preparations.
type Counting interface {
	Engine
	// Work is about the number of ns of one core spent so far, preparations included. The engine counts its steps; it reads no clock.
	Work() int64
}

// Planning is an engine that searches better if it knows how long it will run.
type Planning interface {
	Engine
	// Plan says about how many evaluations the run will make in all and how many chains are wanted at least. It is called once at most, before
	// anything else, and may change the number of chains. What the engine finds may depend on all of them. If it is not sure, the number of
	// evaluations was told from a limit of time and the engine's pace; the run may end early.
	Plan(evaluations int64, chains int, sure bool)
}

// Steered is an engine whose walks have parameters.
type Steered interface {
	Engine
	// Steer sets the parameters. It is called once at most, before anything else.
	Steer(w Walks)
}

// Walks are parameters of walks; package search documents them.
type Walks struct{ Cold, Hot, Relocate, Alike float64 }

// DefaultWalks are the usual parameters. Changing one by a factor of two makes no difference that can be told from noise on batches of 40 to 160 jobs.
func DefaultWalks() Walks { return Walks{Cold: 0.01, Hot: 0.12, Relocate: 0.4, Alike: 0.7} }

// New makes the engine for an instance. It returns nil without an error if the engine cannot take the instance or ctx ends.
type New func(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (Engine, error)

// Nothing is the rank where there is no schedule. Its number of jobs owed marks it, because the objective of a schedule may be +Inf too.
var Nothing = model.NoRank()

// RankOf evaluates a schedule and returns its rank.
func RankOf(in *model.Instance, s *model.Solution) (model.Rank, error) {
	objective, err := model.EvaluateObjective(in, s)
	if err != nil {
		return model.Rank{}, fmt.Errorf("search: %w", err)
	}
	return in.RankOf(s, objective), nil
}
