package taken_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/taken"
	_ "github.com/allot-opt/allot/solvers"
)

// The matrix knows every refusal: on instances that ask for anything, also behind earlier jobs, a solver refuses only what asks for something that the matrix
// says it refuses; and it refuses whatever asks for a feature or an objective that the matrix says it refuses.
func TestMatrixKnowsEveryRefusal(t *testing.T) {
	rows, err := taken.All()
	if err != nil {
		t.Fatal(err)
	}
	solvers := make([]solve.Solver, len(rows))
	for k, r := range rows {
		choice, err := solve.Choose(r.Solver)
		if err != nil {
			t.Fatal(err)
		}
		solvers[k] = choice.Solver
	}
	taken, refused := 0, 0
	features := model.Features(0)
	rapid.Check(t, func(t *rapid.T) {
		drawn := model.Features(rapid.Uint32Range(0, uint32(modeltest.AllFeatures)).Draw(t, "features"))
		if rapid.Bool().Draw(t, "few") {
			drawn &= model.Features(rapid.Uint32Range(0, uint32(modeltest.AllFeatures)).Draw(t, "of them"))
		}
		in := modeltest.Generator{Features: drawn, Jobs: 20}.Instance(t)
		if n := len(in.Jobs()); n > 1 && rapid.Bool().Draw(t, "behind an earlier job") {
			rest, ready := make([]int, n-1), make([]float64, n-1)
			for k := range rest {
				rest[k], ready[k] = k+1, max(1, in.Jobs()[k+1].Arrival)
			}
			in = in.Batch(rest, ready, []model.Hold{{Job: &in.Jobs()[0], End: 2, Pieces: []model.HoldPiece{{Processors: model.Processors(0), End: 2}}}})
		}
		features |= in.Features()
		for k := range rows {
			r := &rows[k]
			if r.Absent != "" {
				continue
			}
			err := solvers[k].Supports(in)
			switch asks := asked(in); {
			case err == nil:
				taken++
				for _, c := range slices.Concat(r.Features, r.Objectives) {
					if !c.Taken && asks[c.Name] {
						t.Fatalf("%s takes an instance with %s, and the matrix says that it refuses it: %s", r.Solver, c.Name, c.Why)
					}
				}
			case !errors.Is(err, solve.ErrUnsupported):
				t.Fatalf("%s: %v", r.Solver, err)
			case !r.Explains(in):
				t.Fatalf("%s refuses an instance with %s and objective %v, which the matrix does not explain: %v", r.Solver, in.Features(), in.ObjectiveTerms(), err)
			default:
				refused++
			}
		}
	})
	if missing := (modeltest.AllFeatures | model.Commitments) &^ features; missing&^model.GridSpan != 0 && !testing.Short() || taken < race.Enough(1000) || refused < race.Enough(300) {
		t.Errorf("%d taken, %d refused, none with %s", taken, refused, missing)
	}
}

// asked are the names of the features and metrics that the instance asks for.
func asked(in *model.Instance) map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Split(in.Features().String(), ", ") {
		names[name] = true
	}
	for _, term := range in.ObjectiveTerms() {
		if term.Weight != 0 {
			names[term.Metric] = true
		}
	}
	return names
}

// The matrix has a cell for each feature and each metric that can be an objective.
func TestMatrixIsComplete(t *testing.T) {
	rows, err := taken.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Absent != "" {
			continue
		}
		var features, metrics []string
		for f := model.Features(1); f.String() != ""; f <<= 1 {
			features = append(features, f.String())
		}
		for _, m := range model.MetricTable() {
			if !m.PerCluster {
				metrics = append(metrics, m.Name)
			}
		}
		for k, cells := range [][]solve.Cell{r.Features, r.Objectives} {
			var names []string
			for _, c := range cells {
				names = append(names, c.Name)
				if c.Taken != (c.Why == "") {
					t.Errorf("%s, %s: taken %v, why %q", r.Solver, c.Name, c.Taken, c.Why)
				}
			}
			if want := [][]string{features, metrics}[k]; !slices.Equal(names, want) {
				t.Errorf("%s: cells %v, expected %v", r.Solver, names, want)
			}
		}
	}
}
