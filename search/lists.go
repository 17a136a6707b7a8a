package search

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// lists is the engine for plain rigid jobs: an order of jobs a cluster, list-scheduled by counts, walked through at several
// temperatures side by side (parallel tempering).
type lists struct {
	p      *listProblem
	walks  []*listChain // coldest first
	ladder *ladder
}

// newLists makes the engine; nil where the instance is not for it.
func newLists(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine, error) {
	p := newListProblem(ctx, in)
	if p == nil || len(p.movable) == 0 {
		return nil, nil
	}
	orders, err := p.orders(start)
	if err != nil {
		return nil, err
	}
	if orders = p.open(ctx, orders); orders == nil {
		return nil, nil
	}
	e := &lists{p: p}
	for k := range listChains(len(p.movable)) {
		if ctx.Err() != nil {
			return nil, nil
		}
		e.walks = append(e.walks, newListChain(p, orders, rand.New(rand.NewPCG(seed, uint64(k)+1))))
	}
	e.ladder = newLadder(len(e.walks), len(p.movable), e.walks[0].objective/float64(len(p.movable)), rand.New(rand.NewPCG(seed, 0)))
	return e, nil
}

// listChains is the number of walks: fewer for many jobs, whose states take memory and for which a hot walk leads nowhere in
// any time that one waits.
func listChains(jobs int) int {
	switch {
	case jobs > 5000:
		return 2
	case jobs > 500:
		return 4
	case jobs > 60:
		return 6
	}
	return 8
}

// orders are the jobs of each cluster in the order in which they start; those that the start leaves out come last, on the first
// cluster that can run them.
func (p *listProblem) orders(start *model.Solution) ([][]int32, error) {
	placements := slices.Clone(start.Jobs)
	slices.SortStableFunc(placements, func(a, b model.Placement) int { return cmp.Compare(a.Start, b.Start) })
	orders, placed := make([][]int32, len(p.clusters)), make([]bool, len(p.in.Jobs()))
	for k := range placements {
		j, known := p.in.JobIndex(placements[k].Job)
		var id string
		placements[k].Parts(1, func(piece model.Piece) { id = piece.Cluster }) // all of them on one cluster
		c, there := p.in.ClusterIndex(id)
		if !known || !there || placed[j] || p.clusters[c].jobs[j].size == 0 {
			return nil, fmt.Errorf("search: the start is not in order: job %s on cluster %q", placements[k].Job, id)
		}
		orders[c], placed[j] = append(orders[c], int32(j)), true
	}
	for _, j := range p.movable {
		if !placed[j] {
			orders[p.host(j)] = append(orders[p.host(j)], j)
		}
	}
	return orders, nil
}

// chains implements engine.
func (e *lists) chains() int { return len(e.walks) }

// round implements engine.
func (e *lists) round() int64 {
	return int64(max(16, min(4096, 400_000/len(e.p.movable))))
}

// pace implements engine.
func (e *lists) pace() int64 { return int64(max(1, min(5_000_000, 300_000_000/len(e.p.movable)))) }

// advance implements engine.
func (e *lists) advance(k int, evaluations int64, stop func() bool) int64 {
	w := e.walks[k]
	w.temperature = e.ladder.temperature[k]
	w.tried, w.accepted = 0, 0
	for every := int64(max(1, min(64, 10_000/len(e.p.movable)))); w.tried < evaluations; {
		if w.tried%every == 0 && stop() {
			break
		}
		w.step()
	}
	return w.tried
}

// meet implements engine.
func (e *lists) meet() {
	for k, w := range e.walks {
		e.ladder.observe(k, w.tried, w.accepted)
	}
	e.ladder.exchange(func(k int) float64 { return e.walks[k].energy }, func(i, j int) { e.walks[i], e.walks[j] = e.walks[j], e.walks[i] })
}

// work implements counting.
func (e *lists) work() int64 {
	sum := e.p.opened
	for _, w := range e.walks {
		sum += w.probe.releases.Work()
	}
	return sum
}

// best implements engine.
func (e *lists) best(k int) model.Rank { return model.NewRank(0, e.walks[k].best) }

// solution implements engine.
func (e *lists) solution(k int) (*model.Solution, error) {
	s, err := plan.NewSchedule(e.p.in)
	if err != nil {
		return nil, err
	}
	for c, order := range e.walks[k].orders {
		for _, j := range order {
			slot, _ := s.Earliest(int(j), c)
			s.Place(int(j), slot)
		}
	}
	for _, j := range e.p.nowhere {
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), nil
}
