//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/allot-opt/allot/tools/mutants/operators"
)

// outcome is the outcome of trying a fault.
type outcome string

// The outcomes. Stale, uncompiled and broken ones tell nothing about the tests: the list of faults has to be mended.
const (
	killed     outcome = "killed"
	survived   outcome = "SURVIVED"
	stale      outcome = "STALE"
	uncompiled outcome = "DOES NOT COMPILE"
	timedOut   outcome = "TIMED OUT" // a failure, unless the list says that the fault hangs
	broken     outcome = "TESTS NOT RUN"
)

// result is the outcome of one fault.
type result struct {
	mutant
	outcome
	by   string // the test that failed, or the error
	took time.Duration
}

// worker tries faults in a copy of the repository.
type worker struct {
	root    string
	timeout time.Duration
}

// try tries all faults and returns the results in their order.
func try(ctx context.Context, opt options, mutants []mutant, stderr io.Writer) ([]result, error) {
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder; an error has no consequence
	workers := make([]*worker, min(opt.jobs, len(mutants)))
	for k := range workers {
		workers[k] = &worker{filepath.Join(folder, fmt.Sprint(k)), opt.timeout}
		if err := copyTree(ctx, opt.root, workers[k].root); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(stderr, "%d faults in %d copies below %s\n", len(mutants), len(workers), folder)
	var failing map[string]string
	if opt.sound {
		failing = sound(ctx, workers, mutants, stderr)
	}
	results, done := make([]result, len(mutants)), 0
	var progress sync.Mutex
	share(workers, len(mutants), func(w *worker, k int) {
		if ctx.Err() != nil {
			return
		}
		begin := time.Now()
		r := w.try(ctx, &mutants[k], failing)
		if ctx.Err() != nil {
			return // the test failed because of the interrupt
		}
		r.took = time.Since(begin)
		results[k] = r
		progress.Lock()
		defer progress.Unlock()
		done++
		fmt.Fprintf(stderr, "%d/%d  %s  %s  %s  %.0f s\n", done, len(mutants), r.outcome, r.ID, r.by, r.took.Seconds())
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted after %d of %d faults", done, len(mutants))
	}
	return results, nil
}

// share hands the numbers below n to the workers. Each worker does one at a time.
func share(workers []*worker, n int, do func(w *worker, k int)) {
	idle := make(chan *worker, len(workers))
	for _, w := range workers {
		idle <- w
	}
	operators.Spread(len(workers), n, func(k int) {
		w := <-idle
		do(w, k)
		idle <- w
	})
}

// sound runs each test command once without a fault and returns the failures by command.
func sound(ctx context.Context, workers []*worker, mutants []mutant, stderr io.Writer) map[string]string {
	var commands []string
	for k := range mutants {
		for _, args := range mutants[k].commands() {
			commands = append(commands, strings.Join(args, " "))
		}
	}
	slices.Sort(commands)
	commands = slices.Compact(commands)
	failing := map[string]string{}
	var guard sync.Mutex
	begin := time.Now()
	share(workers, len(commands), func(w *worker, k int) {
		if ctx.Err() != nil {
			return
		}
		outcome, by := w.test(ctx, strings.Fields(commands[k]))
		if outcome == survived || ctx.Err() != nil {
			return
		}
		guard.Lock()
		defer guard.Unlock()
		failing[commands[k]] = by
		fmt.Fprintf(stderr, "without a fault: go test %s: %s %s\n", commands[k], outcome, by)
	})
	fmt.Fprintf(stderr, "%d commands of tests without a fault, %.0f s\n", len(commands), time.Since(begin).Seconds())
	return failing
}

// try puts the fault into the copy, runs its tests and removes the fault again.
func (w *worker) try(ctx context.Context, m *mutant, failing map[string]string) result {
	file := filepath.Join(w.root, m.File)
	text, err := os.ReadFile(file)
	if err != nil {
		return result{mutant: *m, outcome: stale, by: "there is no such file"}
	}
	faulty, err := m.faulty(string(text))
	if err != nil {
		return result{mutant: *m, outcome: stale, by: err.Error()}
	}
	if err := os.WriteFile(file, []byte(faulty), 0o644); err != nil {
		return result{mutant: *m, outcome: broken, by: err.Error()}
	}
	r := w.judge(ctx, m, failing)
	if err := os.WriteFile(file, text, 0o644); err != nil { // the fault would stay in the copy while the next one is tried
		return result{mutant: *m, outcome: broken, by: errors.Join(err, os.Remove(file)).Error()}
	}
	return r
}

// judge compiles the package with the fault and runs its tests until one fails.
func (w *worker) judge(ctx context.Context, m *mutant, failing map[string]string) result {
	if out, err := w.goCommand(ctx, "build", "./"+path.Dir(m.File)); err != nil {
		return result{mutant: *m, outcome: uncompiled, by: firstLine(out, func(line string) bool { return !strings.HasPrefix(line, "#") })}
	}
	for _, args := range m.commands() {
		if by, fails := failing[strings.Join(args, " ")]; fails {
			return result{mutant: *m, outcome: broken, by: "fails without the fault: " + by}
		}
		switch outcome, by := w.test(ctx, args); {
		case outcome == timedOut && m.Hangs:
			return result{mutant: *m, outcome: killed, by: by}
		case outcome != survived:
			return result{mutant: *m, outcome: outcome, by: by}
		}
	}
	return result{mutant: *m, outcome: survived}
}
