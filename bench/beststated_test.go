package bench

import (
	"os"
	"regexp"
	"testing"
)

// A stored schedule counts with its computed figures, whether or not it states any.
func TestStoredScheduleNeedNotStateItsFigures(t *testing.T) {
	in := generated(t, 1)
	sol := solvedBy(t, in, "met")
	store := OpenBest(t.TempDir())
	if _, err := store.offer(t.Context(), in, sol); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(store.path(in))
	if err != nil {
		t.Fatal(err)
	}
	silent := regexp.MustCompile(`(?m)^ "(objective|bound)": .*\n`).ReplaceAll(text, nil)
	if len(silent) == len(text) {
		t.Fatalf("the file states no objective:\n%.300s", text)
	}
	if err := os.WriteFile(store.path(in), silent, 0o666); err != nil {
		t.Fatal(err)
	}
	found, err := OpenBest(store.dir).Best(in)
	if err != nil || found == nil || found.Objective == nil || *found.Objective != *sol.Objective {
		t.Errorf("found %+v, %v; expected an objective of %v", found, err, *sol.Objective)
	}
}
