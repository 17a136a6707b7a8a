package titan_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/workload"
)

// BenchmarkTitan measures the mean MCP that TITAN reaches from the starts of MUSCLE and DLL on the first ten random batches of
// the MUSCLE workload, in both codings, and the evaluations it takes. A plain prototype reached from MUSCLE, on other
// batches, 58.5, 270 and 846 for 40, 100 and 160 jobs in the mask coding and 37.5, 126 and 473 in the list coding.
func BenchmarkTitan(b *testing.B) {
	const batches = 10
	for _, name := range []string{"dll", "muscle", "dll+titan", "muscle+titan"} {
		info, err := solve.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, coding := range []string{"mask", "list"} {
			if name == "dll" || name == "muscle" {
				coding = ""
			}
			for _, jobs := range []int{40, 100, 160} {
				b.Run(fmt.Sprintf("solver=%s/coding=%s/jobs=%d", name, coding, jobs), func(b *testing.B) {
					mcp, evaluations, runs := 0.0, 0.0, 0.0
					for b.Loop() {
						for seed := range uint64(batches) {
							in, err := solverstest.With(workload.Default[workload.Muscle](), func(x *workload.Muscle) { x.Jobs = jobs }).Generate(seed)
							if err != nil {
								b.Fatal(err)
							}
							solver := info.New()
							if coding != "" {
								if err := params.Set(solver, "coding", coding); err != nil {
									b.Fatal(err)
								}
							}
							result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{Seed: seed, Workers: 2})
							if err != nil {
								b.Fatal(err)
							}
							mcp += *result.Solution.Objective
							evaluations += float64(result.Evaluations)
							runs++
						}
					}
					b.ReportMetric(mcp/runs, "mean-mcp")
					b.ReportMetric(evaluations/runs, "evaluations")
					b.ReportMetric(evaluations/b.Elapsed().Seconds(), "evaluations/s")
				})
			}
			if coding == "" {
				break
			}
		}
	}
}
