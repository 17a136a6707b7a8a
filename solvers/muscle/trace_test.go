package muscle

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// stepTexts are the rules and texts of the steps of a run after the composition table.
func stepTexts(ctx context.Context, t *testing.T, in *model.Instance, m *Solver) []string {
	t.Helper()
	var texts []string
	_, err := m.Solve(ctx, in, solve.Options{Seed: 1, Trace: func(s solve.Step) {
		if s.Rule == ruleTable {
			return
		}
		filled := ""
		for _, term := range s.Terms {
			filled += fmt.Sprintf(" %s=%v", term.Name, term.Value)
		}
		texts = append(texts, fmt.Sprintf("%v %s%s: %s", s.At, s.Rule, filled, s.Text))
	}})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func late(int) float64 { return 100 }

// A space that no jobs fill exactly says how far it is filled; what no job left fits waits for the next release, and a cluster that is too narrow closes.
func TestStepsOfNarrowSpaces(t *testing.T) {
	in := caseOf(t, []int{3, 1}, []int{2, 2}, []float64{1, 1}, late)
	want := []string{
		"0 most processors r=3 cp=0 filled=2: C1 is next: of those with the least ε it has the most processors. Its space has 3 processors, from number 0 on; no jobs are found for all of them, but for 2. In row 2 the first composition without a placed job is (J1)",
		"0 close: C2 is next: of all clusters its ε is the least. It is all free, and every job left is wider: it closes",
		"0 wait: C1 is next: it is the only cluster that a job left may fit. No job left fits its free processors (2): they wait for its next release, at 1",
		"1 only open cluster r=3 cp=0 filled=2: C1 is next: it is the only cluster that a job left may fit. Its space has 3 processors, from number 0 on; no jobs are found for all of them, but for 2. In row 2 the first composition without a placed job is (J2)",
	}
	if diff := cmp.Diff(want, stepTexts(context.Background(), t, in, newSolver())); diff != "" {
		t.Error(diff)
	}
}

// Of equal clusters one is drawn, and the step says so.
func TestStepsOfDrawnClusters(t *testing.T) {
	in := caseOf(t, []int{1, 1}, []int{1}, []float64{1}, late)
	for _, reading := range []string{"a", "b"} {
		texts := stepTexts(context.Background(), t, in, &Solver{Reading: reading, Queue: "arrival"})
		if len(texts) != 1 || !strings.HasPrefix(texts[0], "0 drawn") || !strings.Contains(texts[0], "is next: of those with the most processors it was drawn") {
			t.Errorf("reading %s: %q", reading, texts)
		}
	}
}

// Where no composition of a row is without placed jobs, the step names the one that Algorithm 2 mends.
func TestStepsOfAlgorithm2(t *testing.T) {
	in := caseOf(t, []int{2}, []int{1, 1, 1, 1, 1}, []float64{1, 2, 1, 1, 1}, late) // as in TestAlgorithm2FindsAlternatives
	texts := stepTexts(context.Background(), t, in, newSolver())
	want := "In row 2 the composition with the fewest placed jobs is (J4, J3); Algorithm 2 puts others in their place"
	if len(texts) != 3 || !strings.HasSuffix(texts[2], want) {
		t.Errorf("the steps are %q, expected the last to end with %q", texts, want)
	}
}

// The steps of a run that is stopped say so, and add up to its schedule all the same.
func TestStepsOfStoppedRun(t *testing.T) {
	in := randomBatch(t, 200, 4, 8, 4)
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	choice := solve.Choice{Info: solve.Info{Name: "muscle", Traces: true}, Solver: newSolver()}
	shelved := 0
	result, err := solve.Run(ctx, choice, in, solve.Options{Trace: func(s solve.Step) {
		if s.Rule == ruleShelf && strings.HasPrefix(s.Text, "the run was stopped: ") {
			shelved += len(s.Placed)
		}
	}})
	if err != nil || shelved != 200 || len(result.Solution.Jobs) != 200 {
		t.Errorf("%d jobs on shelves: %v", shelved, err)
	}
}

// A table of many compositions is not listed.
func TestStepsOfLargeTable(t *testing.T) {
	for jobs, listed := range map[int]bool{6: true, 400: false} {
		rows := 0
		m := newSolver()
		if _, err := m.Solve(context.Background(), randomBatch(t, jobs, 4, 8), solve.Options{Trace: func(s solve.Step) {
			if s.Rule == ruleTable && strings.HasPrefix(s.Text, "row ") {
				rows++
			}
		}}); err != nil {
			t.Fatal(err)
		}
		if (rows > 0) != listed {
			t.Errorf("%d jobs: %d rows are listed", jobs, rows)
		}
	}
}
