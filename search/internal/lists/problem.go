package lists

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
	"github.com/allot-opt/allot/search/internal/separable"
)

// problem is an instance as the engine sees it. It does not change once the starts are made.
type problem struct {
	separable.Problem
	byArea  []int32 // the movable jobs by the least processor time that they take on any cluster
	rank    []int32 // by job: its place in byArea
	guess   bool    // moves are guessed before they are decoded, see guess.go
	walks   engine.Walks
	started int64 // work of making the orders to start from, see [plan.Releases.Work]
}

// newProblem reads an instance; nil if the engine cannot search it or ctx ends.
func newProblem(ctx context.Context, in *model.Instance) *problem {
	separable := separable.New(ctx, in)
	if separable == nil {
		return nil
	}
	p := &problem{Problem: *separable, walks: engine.DefaultWalks()}
	p.sort()
	p.guess = p.guesses()
	return p
}

// sort orders the movable jobs by area.
func (p *problem) sort() {
	area := make([]float64, len(p.In.Jobs()))
	for k := range area {
		area[k] = math.Inf(1)
		for c := range p.Clusters {
			if j := &p.Clusters[c].Jobs[k]; j.Size > 0 {
				area[k] = min(area[k], j.Area())
			}
		}
	}
	p.byArea, p.rank = slices.Clone(p.Movable), make([]int32, len(area))
	slices.SortStableFunc(p.byArea, func(a, b int32) int { return cmp.Compare(area[a], area[b]) })
	for k, j := range p.byArea {
		p.rank[j] = int32(k)
	}
}
