// Package packing is the search engine for jobs that all run at one time, if they run at all: each has to start at once to meet its hard deadline. So a
// schedule is a set of jobs and the machines on which they lie. The objective must be a sum over the placed jobs, such as work_done or unfinished.
//
// The problem is a knapsack problem with many knapsacks and many resources (processors, memory, resources and devices of machines, licences). The engine
// works with kinds of jobs and of machines, see [problem]. It anneals: a move empties a few machines, wholly or in part, and fills them again with jobs
// of theirs and jobs that are left out, see part.
//
// Source: the moves are those of ruin and recreate (G. Schrimpf, J. Schneider, H. Stamm-Wilbrandt, G. Dueck, 2000, Record breaking optimization results
// using the ruin and recreate principle, J. Comput. Phys. 159(2), doi:10.1006/jcph.1999.6413); kinds are passed over at random as the blinks of
// J. Christiaens, G. Vanden Berghe (2020, Slack induction by string removals, Transp. Sci. 54(2), doi:10.1287/trsc.2019.0914) are.
package packing

import (
	"context"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
)

// Engine anneals one schedule of many machines, or several of few. The parts of a walk work side by side on machines of their own.
type Engine struct {
	problem *problem
	walks   []*walk
	began   int64 // work of reading the instance and of the starts
}

// chains is the number of parts of all walks together.
const chains = 4

// splitFrom is the number of machines from which on a walk has parts: each then has enough of them to choose from.
const splitFrom = 16 * chains

// Takes says whether the engine can search the instance; false if ctx ends.
func Takes(ctx context.Context, in *model.Instance) bool { return newProblem(ctx, in) != nil }

// New makes the engine. It returns nil if the engine cannot search the instance, or if ctx ends.
func New(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine.Engine, error) {
	p := newProblem(ctx, in)
	if p == nil {
		return nil, nil
	}
	p.sort(rand.New(rand.NewPCG(seed, 0)))
	e := &Engine{problem: p}
	walks, parts := 1, chains
	if len(p.machines) < splitFrom {
		walks, parts = chains, 1
	}
	for k := range walks {
		w := newWalk(ctx, p, start, parts, seed, uint64(k)+1)
		if w == nil {
			return nil, nil
		}
		e.walks = append(e.walks, w)
	}
	e.began = int64(len(in.Jobs())*500 + 1)
	return e, nil
}

// Chains implements [engine.Engine].
func (e *Engine) Chains() int { return chains }

// partOf is the walk and the part that chain k is.
func (e *Engine) partOf(k int) (*walk, int) {
	parts := chains / len(e.walks)
	return e.walks[k/parts], k % parts
}

// Advance implements [engine.Engine].
func (e *Engine) Advance(k int, evaluations int64, stop func() bool) int64 {
	for _, w := range e.walks {
		if w.complete {
			return 0
		}
	}
	w, part := e.partOf(k)
	return w.parts[part].advance(evaluations, stop)
}

// Exchange implements [engine.Engine]: the parts of a walk get other machines. A walk that has cooled down begins anew.
func (e *Engine) Exchange() {
	for _, w := range e.walks {
		w.gather()
	}
	leader := e.walks[0]
	for _, w := range e.walks[1:] {
		if w.best > leader.best {
			leader = w
		}
	}
	for k, w := range e.walks {
		if w.made >= w.stage {
			from := w
			if k%2 == 0 {
				from = leader // half of the walks search near the best of all
			}
			w.begin(from)
		}
		w.deal()
	}
}

// Best implements [engine.Engine]: the first part of a walk speaks for all of them.
func (e *Engine) Best(k int) model.Rank {
	w, part := e.partOf(k)
	if part > 0 {
		return engine.Nothing
	}
	return model.NewRank(0, e.problem.nothing-w.best)
}

// Solution implements [engine.Engine].
func (e *Engine) Solution(k int) (*model.Solution, error) {
	w, _ := e.partOf(k)
	return e.problem.solution(w), nil
}

// Round implements [engine.Engine].
func (e *Engine) Round() int64 { return max(16, e.Pace()/200) }

// Pace implements [engine.Engine].
func (e *Engine) Pace() int64 { return 1e9 / e.problem.moveWork() }

// Work implements [engine.Counting].
func (e *Engine) Work() int64 {
	sum := e.began
	for _, w := range e.walks {
		for _, part := range w.parts {
			sum += part.work
		}
	}
	return sum
}

// Plan implements [engine.Planning].
func (e *Engine) Plan(evaluations int64, _ int, _ bool) {
	for _, w := range e.walks {
		w.plan(evaluations / int64(len(e.walks)))
	}
}
