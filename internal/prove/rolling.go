package prove

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/allot-opt/allot/solve"
)

// rolling runs a few solvers in rolling use on a batch of which nothing is known by construction, and returns the number of runs. What they plan round by round has to keep
// all rules too, and places all jobs or says why not; how good it is says nothing about bounds.
func (t *trial) rolling(ctx context.Context, effort Effort, rng *rand.Rand) (runs int) {
	if t.judged == nil {
		return 0
	}
	all := solve.Solvers()
	for _, k := range rng.Perm(len(all)) {
		if runs == 2 {
			return runs
		}
		info := all[k]
		if info.Absent != "" || info.New().Supports(t.in) != nil {
			continue
		}
		threshold := 0.0
		if rng.IntN(3) == 0 {
			threshold = t.unit
		}
		rolled, err := solve.NewRolling(info.Choice(), t.unit*pick(rng, 1.0, 2.0, 5.0), threshold)
		if err != nil {
			t.report(info.Name+", rolling", "error", 0, 0, err.Error())
			continue
		}
		limited, cancel := context.WithTimeout(ctx, patience)
		choice := solve.Choice{Info: info, Solver: rolled}
		result, err := t.safely(limited, choice, solve.Options{Seed: rng.Uint64N(1000), MaxEvals: effort.Evals, Strict: true, Unbounded: true}, false)
		cancel()
		runs++
		switch {
		case ctx.Err() != nil || errors.Is(err, solve.ErrUnsupported):
		case err != nil:
			t.report(info.Name+", rolling", "rolling", 0, 0, err.Error())
		case result.Solution != nil && len(result.Solution.Jobs)+len(result.Solution.Unscheduled) != len(t.in.Jobs()):
			t.report(info.Name+", rolling", "rolling", 0, 0, "it neither places nor leaves out some jobs")
		}
	}
	return runs
}
