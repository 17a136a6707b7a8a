package engine

import (
	"fmt"

	"github.com/allot-opt/allot/model"
)

// Nothing is the rank of no schedule at all. Objectives may be +Inf, so that the number of jobs left out alone tells.
var Nothing = model.NoRank()

// RankOf evaluates a schedule.
func RankOf(in *model.Instance, s *model.Solution) (model.Rank, error) {
	objective, err := model.Objective(in, s)
	if err != nil {
		return model.Rank{}, fmt.Errorf("search: %w", err)
	}
	return model.NewRank(len(s.Unscheduled), objective), nil
}
