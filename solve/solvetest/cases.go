package solvetest

import (
	"fmt"
	"math"
	"sync"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
)

// recipe says how to build an instance that every solver must either solve or refuse.
type recipe struct {
	name  string
	build *model.Builder
	// least is the optimum of a small instance whose objective never falls when a job ends later: the best list schedule is optimal. nil: not known.
	least func(*model.Instance) (float64, error)
}

// testCase is an instance with the facts that are known of it.
type testCase struct {
	name       string
	in         *model.Instance
	best       float64          // the optimum; NaN: not known
	reference  *model.Solution  // a correct schedule; nil: none is known
	evaluation model.Evaluation // the evaluation of the reference
	placesAll  bool             // the reference leaves out no job
	large      bool             // used only for the checks of the context
}

// allCases builds the instances once for all solvers of a test.
var allCases = sync.OnceValues(func() ([]testCase, error) {
	recipes := append(oddCases(), featureCases()...)
	for seed := range uint64(leastAccepted) {
		recipes = append(recipes, recipe{fmt.Sprint("power/", seed), solvecases.Power(seed), nil})
	}
	objectives := []string{"makespan", "mcp", "mean_response", "over_deadline"}
	for seed := range race.Fewer(uint64(40), 3) {
		var least map[string]float64 // of the objectives of the same jobs
		for _, objective := range objectives {
			best := func(in *model.Instance) (_ float64, err error) {
				if least == nil {
					least, err = solvecases.Least(in, objectives...)
				}
				return least[objective], err
			}
			recipes = append(recipes, recipe{fmt.Sprintf("tiny/%s/%d", objective, seed), solvecases.Tiny(seed, objective), best})
		}
	}
	for seed := range race.Fewer(uint64(12), 4) {
		recipes = append(recipes, recipe{fmt.Sprintf("tiny/qos_penalty/%d", seed), solvecases.Queues(seed, seed%4 == 3), nil})
	}
	recipes = append(recipes, recipe{"medium/qos_penalty", solvecases.MediumQueues(), nil})
	for seed := range race.Fewer(uint64(6), 2) { // memory, bandwidth, files and hard deadlines
		recipes = append(recipes, recipe{fmt.Sprintf("grid/%d", seed), solvecases.Grid(seed, 100), nil},
			recipe{fmt.Sprintf("grid/one cluster/%d", seed), solvecases.MixedGrid(seed, 100), nil})
	}
	for seed := range race.Fewer(uint64(2), 1) {
		recipes = append(recipes, recipe{fmt.Sprintf("medium/plain/%d", seed), solvecases.Medium(seed, false), nil},
			recipe{fmt.Sprintf("medium/rich/%d", seed), solvecases.Medium(seed, true), nil})
	}
	cases, err := casesOf(recipes)
	if err != nil {
		return nil, err
	}
	in, err := large().Build()
	if err != nil {
		return nil, err
	}
	return append(cases, testCase{name: "large", in: in, best: math.NaN(), large: true}), nil
})

// casesOf builds the instances and computes the facts that are known of them.
func casesOf(recipes []recipe) ([]testCase, error) {
	var cases []testCase
	for _, r := range recipes {
		in, err := r.build.Build()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		if in.Queueing().Given && !solvecases.IsStable(in) {
			continue
		}
		c, err := known(r.name, in)
		if err != nil {
			return nil, err
		}
		if r.least != nil {
			if c.best, err = r.least(in); err != nil {
				return nil, fmt.Errorf("%s: %w", r.name, err)
			}
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// known returns the instance with a schedule to compare a solver with.
func known(name string, in *model.Instance) (testCase, error) {
	c := testCase{name: name, in: in, best: math.NaN()}
	sol := solvecases.FirstCome(in)
	if sol == nil {
		return c, nil
	}
	if report := model.Check(in, sol); report.OK() {
		c.reference, c.evaluation, c.placesAll = sol, report.Evaluation, len(sol.Unscheduled) == 0
	}
	return c, nil
}
