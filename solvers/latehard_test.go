package solvers_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// A job with a hard deadline is late by the rules, on line too: decimals that add up to the deadline keep it, whatever their sum is in float64 numbers (240.4 + 180.3 is a
// spacing more than 420.7; clocks of today round more). The decimals are added up exactly here. No solver leaves such a job out that is alone, or behind another on line.
func TestDecimalHardDeadlinesAreMet(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 2))
	cases := [][3]string{{"240.4", "180.3", "420.7"}, {"0.1", "0.2", "0.3"}, {"1700000000.1", "0.2", "1700000000.3"}, {"1700000001.65", "1.4", "1700000003.05"}}
	for off := 0; len(cases) < 24; {
		arrival, work := decimal(rng, rng.IntN(5000)), decimal(rng, 1+rng.IntN(5000))
		deadline := new(big.Rat).Add(exactly(arrival), exactly(work)).FloatString(4)
		if off++; number(t, arrival)+number(t, work) > number(t, deadline) { // the others are in time by any rule
			cases = append(cases, [3]string{arrival, work, deadline})
		}
		if off > 10_000 {
			t.Fatal("rounding never makes a sum too large")
		}
	}
	solved := map[string]int{}
	for k, decimals := range cases {
		arrival, work, deadline := number(t, decimals[0]), number(t, decimals[1]), number(t, decimals[2])
		b := model.NewBuilder(fmt.Sprint("decimals", k)).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		in := solvecases.Built(t, b.Job(model.JobSpec{ID: "j", Arrival: arrival, Work: &work, Deadline: &deadline, DeadlineHard: true}))
		for _, info := range solve.Solvers() {
			result, err := solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 1000, Strict: true})
			if errors.Is(err, solve.ErrUnsupported) {
				continue
			}
			if err != nil {
				t.Fatalf("%s, %v: %v", info.Name, decimals, err)
			}
			if sol := result.Solution; sol == nil || len(sol.Jobs) != 1 || !model.Check(in, sol).OK() {
				t.Errorf("%s leaves out %v", info.Name, decimals)
				continue
			}
			solved[info.Name]++
		}
	}
	t.Log(solved)
	if len(solved) < 25 {
		t.Errorf("only %d solvers take such a job", len(solved))
	}
}

// decimal is a number with up to four digits behind the point, of which the last is not 0.
func decimal(rng *rand.Rand, whole int) string {
	digits := 1 + rng.IntN(3)
	return fmt.Sprintf("%d.%0*d", whole, digits, 10*rng.IntN(int(math.Pow10(digits-1)))+1+rng.IntN(9))
}

func exactly(text string) *big.Rat { r, _ := new(big.Rat).SetString(text); return r }
