package engine

import (
	"fmt"

	"github.com/allot-opt/allot/model"
)

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
