package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/solve"
)

// sizes are the numbers of jobs, of which the second is twice the first. Already the first makes the queues of all kinds long: where one only begins to form, the work
// grows by more than with the jobs.
var sizes = [2]int{250, 500}

const (
	nearLinear = 2.5 // the work for twice as many jobs is at most this times as much, unless the doc comment states more
	squared    = 5.0 // where it states the square
	cubed      = 9.0 // where it states the whole queue times a plan of the queue at each instant

	// mostSilent is the most blocks a job between two asks, and after the end. A block takes 1 to 2 ns, so a million jobs are done with in a second.
	mostSilent = 1000

	// mostStep is the most blocks of a step whose size does not grow with the jobs: about 50 ms.
	mostStep = 30_000_000
)

// steps are the methods that do such a step, of tables that are never larger than a limit.
var steps = map[string]string{
	"bound mcp priced-counts": "at most 400,000 starts are prepared",
	"bound mcp":               "priced-counts is one of its methods",
	"solver ggone":            "each job is looked at on each group of machines",
}

// squares are those whose doc comment, in the file, states the square of the number of jobs, up to a limit.
var squares = map[string]struct{ file, statement string }{
	"bound mcp area-levels": {"../../bound/levels.go", "Complexity: O(2^K·K·p²)"},
	"bound mcp":             {"../../bound/levels.go", "Complexity: O(2^K·K·p²)"}, // area-levels is one of its methods
	"solver mts":            {"../../solvers/mts/clusters.go", "Complexity: O(n·C) a step for n ready jobs"},
	"solver muscle":         {"../../solvers/muscle/muscle.go", "Complexity: the table takes O(n²·m) time in the worst case"},
}

// count runs the command for one kind of work.
func count(t *testing.T, program string, n int, what ...string) map[string]measured {
	t.Helper()
	command := exec.Command(program, append([]string{fmt.Sprint(n), ""}, what...)...)
	command.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir(), "GOGC=400")
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s with %d jobs: %v", what, n, err)
	}
	all := map[string]measured{}
	for lines := json.NewDecoder(bytes.NewReader(output)); ; {
		var m measured
		if err := lines.Decode(&m); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[m.What+" on "+m.Kind] = m
	}
}

// TestWorkDoubles counts the work of every solver and every method of bounds on instances of n jobs and of 2n. No clock decides.
func TestWorkDoubles(t *testing.T) {
	race.OneGoroutine(t)
	if testing.Short() {
		t.Skip("a second build of everything, with counters")
	}
	program := filepath.Join(t.TempDir(), "doubling")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=github.com/allot-opt/allot/...,slices,sort,container/heap,math/big", "-o", program, ".")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	statements := stated(t)
	seen := map[string]bool{}
	for _, what := range []string{"solver", "bound"} {
		once, twice := count(t, program, sizes[0], what), count(t, program, sizes[1], what, "early")
		for _, name := range slices.Sorted(maps.Keys(twice)) {
			m, before := twice[name], once[name]
			for _, e := range m.After {
				limit := int64(mostSilent * m.Jobs)
				if steps[m.What] != "" {
					limit += mostStep
				}
				if silent := max(e.Gap, e.After); silent > limit {
					t.Errorf("%s: %d blocks without an ask, before ask %d of %d; expected at most %d", name, silent, e.Ask, m.Asks, limit)
				}
			}
			if m.Asks >= mostAsks || before.Asks >= mostAsks {
				continue // it was cut off
			}
			most, known := statements[m.What]
			if !known { // all methods of a metric together
				most = nearLinear
			}
			if ratio := float64(m.Work) / float64(before.Work); ratio > most && m.Work > 20*int64(m.Jobs) {
				t.Errorf("%s: %d blocks for %d jobs and %d for %d, %.2f times as many; expected at most %.1f times, by what its doc comment states",
					name, before.Work, before.Jobs, m.Work, m.Jobs, ratio, most)
			}
			seen[m.What] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		if !seen[name] && !slices.Contains(unseen, name) {
			t.Errorf("%s: its work was counted on no kind of instance", name)
		}
	}
}

// square finds statements of the square of the number of jobs: n², or the whole queue at each instant; cube those of its product with the steps of a plan.
var (
	square = regexp.MustCompile(`n²|O\((q[^)]*|k·m \+ n)\) an (instant|event)`)
	cube   = regexp.MustCompile(`O\(q·p\) an? (early end|cycle)`)
)

// stated is how many times as much work each may do for twice as many jobs, by its doc comment.
func stated(t *testing.T) map[string]float64 {
	t.Helper()
	list := map[string]float64{}
	add := func(name, doc string) {
		if list[name] = nearLinear; square.MatchString(doc) {
			list[name] = squared
		}
		if cube.MatchString(doc) {
			list[name] = cubed
		}
	}
	for _, info := range solve.Solvers() {
		if info.Absent == "" {
			add("solver "+info.Name, info.Doc)
		}
	}
	for _, m := range bound.Methods() {
		if !m.Lacks && m.Name != facts {
			add("bound "+m.Metric+" "+m.Name, m.Doc)
		}
	}
	for name, square := range squares {
		text, err := os.ReadFile(square.file)
		if err != nil || !bytes.Contains(text, []byte(square.statement)) {
			t.Errorf("%s: expected a doc comment with %q in %s: %v", name, square.statement, square.file, err)
		}
		list[name] = squared
	}
	return list
}

// unseen are those that take no instance of this size: they enumerate.
var unseen = []string{"solver exact", "solver tou"}

// TestCountersRefuse: other text than counters is refused, and counters are added up.
func TestCountersRefuse(t *testing.T) {
	for _, text := range []string{"", "\x00cwm", strings.Repeat("x", 64), "\x00cwm\x01\x00\x00\x00" + strings.Repeat("\x00", 16) + "\x02" + strings.Repeat("\x00", 7) + "\x05" + strings.Repeat("\x00", 15)} {
		if _, err := sumCounters([]byte(text)); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	text := "\x00cwm\x01\x00\x00\x00" + strings.Repeat("\x00", 16) + "\x02" + strings.Repeat("\x00", 7) + "\x02" + strings.Repeat("\x00", 15) + "\x02\x00\x00\x05\x81\x01" + "\x01\x00\x01\x07"
	if total, err := sumCounters([]byte(text)); err != nil || total != 5+129+7 {
		t.Errorf("%d, %v; expected 141", total, err)
	}
}
