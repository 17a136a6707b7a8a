package solvers_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Rounds with every solver: of whatever jobs ask of machines, power, licences and others, and however wrong their estimates are, the schedule is right and says of each job that
// it leaves out why, or the batch is refused before anything runs.
func TestRoundsOfEverything(t *testing.T) {
	batches := race.Fewer(uint64(60), 5)
	if text := os.Getenv("ALLOT_ROUNDS"); text != "" {
		batches, _ = strconv.ParseUint(text, 10, 64)
	}
	for _, info := range solve.Solvers() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			ran, left := 0, 0
			for seed := range batches {
				in := modeltest.Rounds(rand.New(rand.NewPCG(seed, 57)))
				fault, ok := rounds(in, info, seed)
				if fault != "" {
					t.Fatalf("seed %d: %s", seed, fault)
				}
				if ok {
					ran++
				} else {
					left++
				}
			}
			t.Logf("%d batches ran, %d are refused", ran, left)
		})
	}
}

// rounds plans an instance in rounds, and says what is wrong with the result; false: the instance is refused.
func rounds(in *model.Instance, info solve.Info, seed uint64) (fault string, ran bool) {
	defer func() {
		if p := recover(); p != nil {
			fault = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 58))
	unit := 0.0
	for k := range in.Jobs() {
		unit = max(unit, in.Jobs()[k].Work)
	}
	if unit == 0 {
		unit = 1
	}
	period, threshold := []float64{0.1, 0.5, 1, 3}[rng.IntN(4)]*unit, []float64{0, 0, 0.1, 1}[rng.IntN(4)]*unit
	solver, err := solve.NewRolling(info.Choice(), period, threshold)
	if err != nil {
		return err.Error(), false
	}
	result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{Seed: 1, MaxEvals: 200, Workers: 1, Unbounded: true})
	switch {
	case errors.Is(err, solve.ErrUnsupported) && solver.Supports(in) != nil:
		return "", false
	case err != nil:
		return err.Error(), true
	case result.Solution == nil:
		return fmt.Sprintf("no schedule: %s %s", result.Status, result.Reason), true
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		return fmt.Sprint(report.Violations[0]), true
	}
	return leftOut(in, result.Solution), true
}

// leftOut says what is wrong with what the schedule says of a job that it leaves out; empty: nothing. Only hard deadlines and limits of power are a reason to leave out a job that
// can run in the end and waits for no job that is left out.
func leftOut(in *model.Instance, sol *model.Solution) string {
	out := map[string]bool{}
	for _, u := range sol.Unscheduled {
		out[u.Job] = true
	}
	for _, u := range sol.Unscheduled {
		k, _ := in.JobIndex(u.Job)
		j := &in.Jobs()[k]
		waits := slices.ContainsFunc(j.After, func(before int) bool { return out[in.Jobs()[before].ID] })
		if before, found := strings.CutPrefix(u.Reason, "waits for job "); found && !out[strings.TrimSuffix(before, ", which is not placed")] || found && !waits {
			return fmt.Sprintf("job %s %s, which is not so", u.Job, u.Reason)
		}
		hard := j.DeadlineHard && j.HasDeadline()
		if strings.Contains(u.Reason, "hard deadline") && !hard {
			return fmt.Sprintf("job %s has no hard deadline: %s", u.Job, u.Reason)
		}
		if !hard && !waits && in.Features()&model.PowerLimits == 0 && in.RunsInTheEnd(k) {
			return fmt.Sprintf("job %s can run in the end, and is left out: %s", u.Job, u.Reason)
		}
	}
	return ""
}
