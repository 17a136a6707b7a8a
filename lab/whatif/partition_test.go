package whatif_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// What a job would do in another partition that has the clusters of its own is what the instance says that states it there, whatever run times and hard deadlines jobs have.
func TestChangesAreWhatTheInstanceSaysThatStatesThem(t *testing.T) {
	compared, cut := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		var jobs [3]string
		for k := range jobs {
			times := fmt.Sprintf(`"c%d": %d`, rng.IntN(2), 1+rng.IntN(6))
			if rng.IntN(2) == 0 {
				times = fmt.Sprintf(`"c0": %d, "c1": %d`, 1+rng.IntN(6), 1+rng.IntN(6))
			}
			if jobs[k] = fmt.Sprintf(`"processors": %d, "arrival": %d, "runtime": {%s}`, 1+rng.IntN(3), rng.IntN(3), times); rng.IntN(3) == 0 {
				jobs[k] += fmt.Sprintf(`, "estimate": 1, "deadline": %d, "deadline_hard": true`, 5+rng.IntN(4))
			}
		}
		read := func(queue string) *model.Instance {
			var list []string
			for k, job := range jobs {
				in := "q"
				if k == len(jobs)-1 {
					in = queue
				}
				list = append(list, fmt.Sprintf(`{"id": "j%d", "queue": %q, %s}`, k, in, job))
			}
			in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "partitions": [{"id": "p"}, {"id": "q"}], "clusters": [
				{"id": "c0", "machines": [{"id": "m", "processors": 3}]}, {"id": "c1", "machines": [{"id": "m", "processors": 3}]}], "jobs": [`+strings.Join(list, ", ")+`]}`), "partitions")
			if err != nil {
				t.Fatal(err)
			}
			return in
		}
		for _, name := range []string{"fcfs", "easy", "conservative", "flexible"} {
			choice, err := solve.Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			policy, _ := solve.PolicyOf(choice.Solver)
			changes, err := whatif.Changes(t.Context(), name, policy, read("q"), "j2", 1)
			if err != nil {
				t.Fatal(err)
			}
			moved := read("p")
			starts, err := whatif.Starts(t.Context(), name, policy, moved, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := starts[2]
			if result, err := solve.Run(t.Context(), choice, moved, solve.Options{Seed: 1}); err != nil {
				t.Fatal(err)
			} else if p := placed(result.Solution, "j2"); p != nil && (want.Start == nil || *want.Start != p.Start) {
				t.Fatalf("seed %d, %s: starts says %+v, the schedule %+v", seed, name, want, p)
			} else if p == nil {
				if want.Start == nil || want.Reason == "" {
					t.Fatalf("seed %d, %s: %+v of a job that starts and is ended", seed, name, want)
				}
				cut++
			}
			for _, c := range changes {
				if c.Partition != "p" {
					continue
				}
				if compared++; c.Start == nil || *c.Start != *want.Start || c.Reason != want.Reason {
					t.Errorf("seed %d, %s: in partition p %+v is said, the instance that says so gives %+v", seed, name, c.JobStart, want)
				}
			}
		}
	}
	if compared < 200 || cut < 10 {
		t.Errorf("%d compared, %d of them of jobs that are ended", compared, cut)
	}
}

// placed is where the schedule places the job; nil: it does not.
func placed(sol *model.Solution, job string) *model.Placement {
	for k := range sol.Jobs {
		if sol.Jobs[k].Job == job {
			return &sol.Jobs[k]
		}
	}
	return nil
}
