package lists_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/search/internal/lists"
)

// Walks that change places give the same schedule at any number of workers.
func TestListsAreDeterministic(t *testing.T) {
	testDeterministic(t, lists.Batch(t, 40, "mcp"), 300_001, []int{1, 3, 8})
}

// So do packers beside them.
func TestPackersAreDeterministic(t *testing.T) {
	testDeterministic(t, lists.OneCluster(t, 50, 1, 1), 20_001, []int{1, 2, 8})
}

// So does an annealing of the length that is its limit.
func TestAnnealedListsAreDeterministic(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("takes long; TestAnnealingsDoNotDependOnTheOrderOfTheirParts finds races")
	}
	testDeterministic(t, lists.Batch(t, 130, "mcp"), 3_900_001, []int{1, 2, 3})
}

// testDeterministic compares the schedules of a batch at several numbers of workers.
func testDeterministic(t *testing.T, in *model.Instance, evaluations int64, several []int) {
	t.Helper()
	start := lists.FirstOn(t, in)
	var first []byte
	for _, workers := range several {
		result, err := search.Minimise(context.Background(), in, start, search.Options{Seed: 5, MaxEvals: evaluations, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if result.Evaluations != evaluations {
			t.Errorf("%d evaluations with %d workers, expected %d", result.Evaluations, workers, evaluations)
		}
		var text bytes.Buffer
		if err := model.WriteSolution(&text, result.Solution); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = text.Bytes()
		} else if !bytes.Equal(first, text.Bytes()) {
			t.Errorf("another schedule with %d workers", workers)
		}
	}
}

// The engine reads a start whose jobs are in pieces.
func TestListsReadPieces(t *testing.T) {
	in := lists.Batch(t, 12, "mcp")
	start := lists.FirstOn(t, in)
	for k := range start.Jobs {
		p := &start.Jobs[k]
		p.Pieces = []model.Piece{{Cluster: p.Cluster, Processors: p.Processors, Tasks: p.Processors.Len(), Start: p.Start, End: p.End}}
		p.Cluster, p.Processors = "", nil
	}
	if report := model.Check(in, start); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	if _, err := search.Minimise(context.Background(), in, start, search.Options{MaxEvals: 100}); err != nil {
		t.Fatal(err)
	}
}

// The search places jobs that the start leaves out.
func TestListsPlaceWhatTheStartLeftOut(t *testing.T) {
	in := lists.Batch(t, 20, "mcp")
	start := lists.FirstOn(t, in)
	for k := range start.Jobs[10:] {
		start.Unscheduled = append(start.Unscheduled, model.Unscheduled{Job: start.Jobs[10+k].Job, Reason: "of the test"})
	}
	start.Jobs = start.Jobs[:10]
	result, err := search.Minimise(context.Background(), in, start, search.Options{MaxEvals: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Solution.Jobs) != 20 || len(result.Solution.Unscheduled) != 0 {
		t.Errorf("%d jobs placed, %d left out", len(result.Solution.Jobs), len(result.Solution.Unscheduled))
	}
}
