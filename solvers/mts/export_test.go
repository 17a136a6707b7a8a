package mts

import (
	"context"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// SolveInGroups solves with groups of as few members as given, which are formed at once. It returns how many were formed, and how many dissolved for their ties.
func (m *Solver) SolveInGroups(in *model.Instance, few int) (result solve.Result, formed, dissolved int) {
	r := newRun(context.Background(), in, *m)
	r.few, r.patience, r.pause = few, 0, -1
	for r.step() {
	}
	return r.Result(context.Background()), len(r.groups), r.dissolved
}
