package solvers_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// mixedClusters is a batch of jobs on up to three clusters of machines that differ in size and speed.
func mixedClusters(rng *rand.Rand) model.InstanceSpec {
	var s model.InstanceSpec
	most := 1
	for c := range 1 + rng.IntN(3) {
		cluster, sum := model.ClusterSpec{ID: fmt.Sprint("c", c)}, 0
		for g := range 1 + rng.IntN(3) {
			m := model.MachineSpec{ID: fmt.Sprint("m", g), Count: 1 + rng.IntN(4), Processors: 1 + rng.IntN(3), Speed: float64(1 + rng.IntN(4)/3)}
			cluster.Machines, sum = append(cluster.Machines, m), sum+m.Count*m.Processors
		}
		s.Clusters, most = append(s.Clusters, cluster), max(most, sum)
	}
	for k := range 4 + rng.IntN(9) {
		j := model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(1 + rng.IntN(min(most, 6))*rng.IntN(2)), Work: new(float64(rng.IntN(20))), Arrival: float64(rng.IntN(20) * rng.IntN(2))}
		if rng.IntN(3) == 0 {
			j.Estimate = new(*j.Work + float64(rng.IntN(10)))
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// The span machine asks for nothing of a job of one processor, whether the presolve leaves it out or a policy sees the instance as it is stated, as in a forecast: all policies decide as without it.
func TestPoliciesDecideAlikeWithSpanMachine(t *testing.T) {
	t.Parallel()
	var spans []testkit.Addition
	for _, a := range testkit.Inert() {
		if strings.HasPrefix(a.Name, "span machine") && strings.HasSuffix(a.Name, "of one processor") {
			spans = append(spans, a)
		}
	}
	tried := map[string]int{}
	for seed := range race.Enough(300) {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		spec := mixedClusters(rng)
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		a := spans[rng.IntN(len(spans))]
		more := testkit.With(in, a)
		if more == nil {
			continue
		}
		for _, info := range solve.Solvers() {
			if !info.Online || info.Absent != "" {
				continue
			}
			run := func(in *model.Instance) (solve.Result, error) {
				return solve.Run(t.Context(), info.Choice(), in, solve.Options{Seed: 1, Unbounded: true, Stated: true, Strict: true})
			}
			before, err := run(in)
			if errors.Is(err, solve.ErrUnsupported) {
				continue
			}
			after, errAfter := run(more)
			if err != nil || errAfter != nil {
				t.Fatalf("seed %d, %s: %v, %v", seed, info.Name, err, errAfter)
			}
			tried[info.Name]++
			if !slices.EqualFunc(before.Solution.Jobs, after.Solution.Jobs, func(p, q model.Placement) bool { return solve.SamePlacement(&p, &q) }) {
				t.Errorf("seed %d, %s decides otherwise with %s", seed, info.Name, a.Name)
			}
		}
	}
	if tried["easy"] < race.Enough(150) || tried["map"] < race.Enough(150) {
		t.Errorf("too few runs: %v", tried)
	}
}
