package solvers_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/mts"
)

// A reason is true: where memory or bandwidth binds, the job added where the reason says, behind the jobs there, violates that alone; where
// the wait binds, it would be in time on a grid of its own; and where speed binds, it would not.
func TestReasonsAreTrue(t *testing.T) {
	seen := map[string]int{}
	for seed := range race.Fewer(uint64(400), 80) {
		in := solvecases.Built(t, solvecases.Grid(seed, 40))
		for _, solver := range []solve.Solver{solve.Default[mts.Solver](), &solvers.MinMin{}, &solvers.MaxMin{}, &solvers.Sufferage{}} {
			result, err := solver.Solve(context.Background(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range result.Solution.Unscheduled {
				job, _ := in.JobIndex(u.Job)
				kind := ""
				for _, k := range []string{"memory binds", "bandwidth binds", "speed binds", "the wait for the jobs before it binds"} {
					if strings.Contains(u.Reason, k) {
						kind = k
					}
				}
				switch seen[kind]++; kind {
				case "memory binds", "bandwidth binds":
					_, after, _ := strings.Cut(u.Reason, "it needs ")
					codes := added(in, result.Solution, job, word(after, 1))
					if len(codes) != 1 || codes["memory"] != (kind == "memory binds") || codes["bandwidth"] != (kind == "bandwidth binds") {
						t.Fatalf("seed %d, %T: %s: %s: %v", seed, solver, u.Job, u.Reason, codes)
					}
				case "speed binds", "the wait for the jobs before it binds":
					empty := &model.Solution{}
					intime := slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return len(added(in, empty, job, c.ID)) == 0 })
					if intime != (kind != "speed binds") {
						t.Fatalf("seed %d, %T: %s: %s; alone in time: %v", seed, solver, u.Job, u.Reason, intime)
					}
				default:
					if slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return len(added(in, &model.Solution{}, job, c.ID)) == 0 }) {
						t.Fatalf("seed %d, %T: %s: %s", seed, solver, u.Job, u.Reason)
					}
				}
			}
		}
	}
	t.Log(seen)
	if len(seen) < 5 || seen["memory binds"] < race.Enough(50) || seen["bandwidth binds"] < race.Enough(10) || seen["the wait for the jobs before it binds"] < race.Enough(50) {
		t.Errorf("%v: the instances prove little", seen)
	}
}

// word is a word of the text, from 0, without the comma behind it.
func word(text string, k int) string { return strings.Trim(strings.Fields(text)[k], ",") }

// added are the violations of the job where it is added to the schedule on the one machine of the cluster, behind all jobs there.
func added(in *model.Instance, sol *model.Solution, job int, cluster string) map[model.Code]bool {
	c, _ := in.ClusterIndex(cluster)
	id, start := in.Jobs()[job].ID, in.Jobs()[job].Arrival
	for _, p := range sol.Jobs {
		if p.Cluster == cluster {
			start = max(start, p.End)
		}
	}
	set := model.Processors(0)
	changed := &model.Solution{Jobs: append(slices.Clone(sol.Jobs), model.Placement{Job: id, Cluster: cluster, Processors: set, Start: start, End: start + in.Duration(job, c, set)})}
	codes := map[model.Code]bool{}
	for _, v := range model.Check(in, changed).Violations {
		if v.Job == id {
			codes[v.Code] = true
		}
	}
	return codes
}
