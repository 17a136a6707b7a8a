package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/workload"
)

// generated is a small instance.
func generated(t *testing.T, seed uint64) *model.Instance {
	t.Helper()
	muscle := workload.Default[workload.Muscle]()
	muscle.Jobs = 6
	in, err := muscle.Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Chosen reads a solver with its parameters.
func Chosen(t testing.TB, text string) solve.Choice {
	t.Helper()
	choice, err := solve.Choose(text)
	if err != nil {
		t.Fatal(err)
	}
	return choice
}

// solvedBy returns a solver's solution.
func solvedBy(t *testing.T, in *model.Instance, solver string) *model.Solution {
	t.Helper()
	row := Measure(context.Background(), Chosen(t, solver), in, Settings{Options: solve.Options{Seed: 1, MaxEvals: 20000}})
	if row.Solution == nil {
		t.Fatal(row.Fault)
	}
	return row.Solution
}

// The store keeps the best solution that it is offered for each objective, whatever the order.
func TestBestStore(t *testing.T) {
	in := generated(t, 1)
	poor, good := solvedBy(t, in, "met"), solvedBy(t, in, "search")
	if !(*good.Objective < *poor.Objective) {
		t.Fatalf("search has %v and met %v, expected search to be better", *good.Objective, *poor.Objective)
	}
	store := OpenBest(filepath.Join(t.TempDir(), "not", "yet"))
	if sol, err := store.Best(in); sol != nil || err != nil {
		t.Errorf("an empty store has %v, %v", sol, err)
	}
	for _, offer := range []struct {
		sol    *model.Solution
		better bool
		best   float64
	}{{poor, true, *poor.Objective}, {poor, false, *poor.Objective}, {good, true, *good.Objective}, {poor, false, *good.Objective}, {good, false, *good.Objective}} {
		better, err := store.offer(t.Context(), in, offer.sol)
		if err != nil || better != offer.better {
			t.Errorf("better %v, %v; expected %v", better, err, offer.better)
		}
		again := OpenBest(store.dir) // a new store that remembers nothing
		for _, s := range []*BestStore{store, again} {
			if sol, err := s.Best(in); err != nil || *sol.Objective != offer.best {
				t.Errorf("the best is %v, %v; expected %v", sol, err, offer.best)
			}
		}
		if better, err := again.offer(t.Context(), in, offer.sol); better || err != nil {
			t.Errorf("the same again is better: %v, %v", better, err)
		}
	}
	other, err := minimising(in, "mean_wait")
	if err != nil {
		t.Fatal(err)
	}
	if sol, err := store.Best(other); sol != nil || err != nil {
		t.Errorf("for another objective there is %v, %v", sol, err)
	}
	if sol, err := store.Best(generated(t, 2)); sol != nil || err != nil {
		t.Errorf("for another instance there is %v, %v", sol, err)
	}
	left := *poor
	left.Objective, left.Unscheduled = new(0.0), []model.Unscheduled{{Job: "J1", Reason: "for a lower objective"}}
	if better, err := store.offer(t.Context(), in, &left); better || err != nil {
		t.Errorf("a schedule that leaves a job out is better: %v, %v", better, err)
	}
	if names, _ := filepath.Glob(filepath.Join(store.dir, "*.json")); len(names) != 1 || filepath.Base(names[0]) != in.SHA256()+".mcp.json" {
		t.Errorf("the files are %q", names)
	}
}

// A stored file that somebody has changed does not count. The error names it, and the next solution replaces it, even a worse one.
func TestBestStoreTrustsNothing(t *testing.T) {
	in := generated(t, 1)
	sol := solvedBy(t, in, "search")
	write := func(t *testing.T, change func(text string) string) *BestStore {
		store := OpenBest(t.TempDir())
		if _, err := store.offer(t.Context(), in, sol); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(store.path(in))
		if err != nil {
			t.Fatal(err)
		}
		changed := change(string(text))
		if changed == string(text) {
			t.Fatal("the test changes nothing")
		}
		if err := os.WriteFile(store.path(in), []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		return store
	}
	replaced := func(old, new string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, new, 1) }
	}
	for name, change := range map[string]func(string) string{
		"objective":         replaced(`"objective": `, `"objective": 0.`),
		"metric":            replaced(`"makespan":`, `"makespan":1`),
		"start":             replaced(`"start":`, `"start":1`),
		"job":               replaced(`"job":"J1"`, `"job":"J2"`),
		"hash":              replaced(in.SHA256(), strings.Repeat("0", 64)),
		"no hash":           replaced(` "instance_sha256": "`+in.SHA256()+`",`, ""),
		"bound":             replaced(`"bound": `, `"bound": 1000`),
		"unknown field":     replaced(`"schema"`, `"blah": 1, "schema"`),
		"empty":             func(string) string { return "" },
		"half":              func(text string) string { return text[:len(text)/2] },
		"no JSON":           func(string) string { return "best" },
		"another objective": replaced(`"mcp":`, `"mcp":2`),
	} {
		t.Run(name, func(t *testing.T) {
			store := write(t, change)
			found, err := store.Best(in)
			var wrong *BestError
			if found != nil || !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), store.path(in)+": the stored solution does not count: ") {
				t.Fatalf("%v, %v; expected an error that names the file", found, err)
			}
			worse := solvedBy(t, in, "met")
			if better, err := store.offer(t.Context(), in, worse); !better || !errors.As(err, &wrong) {
				t.Errorf("better %v, %v; expected the file to be replaced and the error", better, err)
			}
			if found, err := store.Best(in); err != nil || *found.Objective != *worse.Objective {
				t.Errorf("after it was replaced: %v, %v", found, err)
			}
		})
	}
	store := write(t, func(text string) string { return strings.Replace(text, `"status": "`, `"seed": 77, "status": "`, 1) })
	if found, err := store.Best(in); err == nil && found == nil {
		t.Error("a solution with another seed should count or be named")
	}
}

// Several programs may offer solutions to one folder at the same time. The best of all stays.
func TestBestStoreShared(t *testing.T) {
	in := generated(t, 1)
	var offers []*model.Solution
	for _, solver := range []string{"met", "minmin", "search", "fcfs-list", "mct", "dll"} {
		offers = append(offers, solvedBy(t, in, solver))
	}
	dir := t.TempDir()
	var group sync.WaitGroup
	for k := range offers {
		group.Go(func() {
			store := OpenBest(dir)
			for n := range 5 * len(offers) {
				if _, err := store.offer(t.Context(), in, offers[(n+k)%len(offers)]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if sol, err := OpenBest(dir).Best(in); err != nil || *sol.Objective != *offers[2].Objective {
		t.Errorf("%v, %v; expected that of search, %v", sol, err, *offers[2].Objective)
	}
}
