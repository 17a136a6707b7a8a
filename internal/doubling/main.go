// Command doubling counts the work of every solver and every method of lower bounds on instances of some size and of twice as many jobs, and how much work
// each does once its context has ended. The test of this folder builds it with counters in every block of code and judges what it writes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// measured is a line of the output.
type measured struct {
	Kind  string  `json:"kind"`
	What  string  `json:"what"` // "solver NAME", "bound METRIC NAME"
	Jobs  int     `json:"jobs"`
	Work  int64   `json:"work"`  // blocks of code until the end, or until there were enough asks
	Asks  int     `json:"asks"`  // how often the context was asked
	After []ended `json:"after"` // runs whose context ended
}

// ended is a run whose context ended at an ask.
type ended struct {
	Ask   int   `json:"ask"`
	Gap   int64 `json:"gap"`   // work between the ask before and this one
	After int64 `json:"after"` // work from this ask on
}

// mostAsks ends a run that would go on for long: a search.
const mostAsks = 6_000

// evaluations is how many schedules a search may evaluate, so that its work grows with the jobs alone.
const evaluations = 10

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures everything whose name contains the third argument, on kinds whose name contains the second, with as many jobs as the first says. With a fourth
// argument it also ends runs early.
func run(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for k := range kinds {
		if !strings.Contains(kinds[k].name, args[1]) {
			continue
		}
		drawn, err := kinds[k].instance(n)
		if err != nil {
			return err
		}
		for _, task := range tasks() {
			if !strings.Contains(task.what, args[2]) || kinds[k].bounds && !strings.HasPrefix(task.what, "bound") {
				continue
			}
			in, err := drawn.WithObjective(map[string]float64{task.objective: 1})
			if err != nil { // the kind has no power, no licences …
				continue
			}
			line, err := task.measure(in, len(args) > 3)
			if err != nil {
				return err
			}
			if line == nil {
				continue
			}
			line.Kind, line.What, line.Jobs = kinds[k].name, task.what, n
			if err := out.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// task is something whose work is counted.
type task struct {
	what      string
	objective string
	// prepare does what is not counted, and returns what is; nil: the instance is none for it.
	prepare func(in *model.Instance) func(ctx context.Context) error
}

// tasks lists all solvers and all methods.
func tasks() (list []task) {
	for _, info := range solve.Solvers() {
		if info.Absent != "" {
			continue
		}
		list = append(list, task{"solver " + info.Name, "makespan", func(in *model.Instance) func(context.Context) error {
			choice, err := solve.Choose(info.Name)
			if err != nil || solve.Supports(choice.Solver, in, false) != nil {
				return nil
			}
			return func(ctx context.Context) error {
				_, err := solve.Run(ctx, choice, in, solve.Options{Seed: 1, Workers: 1, MaxEvals: evaluations, Unbounded: true})
				return err
			}
		}})
	}
	for _, m := range bound.Methods() {
		if m.Lacks || m.Name == facts {
			continue
		}
		list = append(list, task{"bound " + m.Metric + " " + m.Name, m.Metric, func(in *model.Instance) func(context.Context) error {
			r := factsOf(in)
			return func(ctx context.Context) error {
				m.New(r, &bound.Gate{}).Improve(ctx, bound.LittleWork)
				return nil
			}
		}})
	}
	for _, metric := range []string{"makespan", "mcp", "finished", "data_moved", "work_done", "utilisation"} { // what all methods share, and sums over all jobs
		list = append(list, task{"bound " + metric, metric, func(in *model.Instance) func(context.Context) error {
			return func(ctx context.Context) error {
				bound.New(ctx, in).Improve(ctx, bound.LittleWork)
				return nil
			}
		}})
	}
	return list
}

// metrics lists what may be bounded.
func metrics() (names []string) {
	for _, m := range model.MetricTable() {
		if !m.PerCluster {
			names = append(names, m.Name)
		}
	}
	return names
}

// facts is the name of methods that prove nothing: they hand out the relaxation that all methods of an instance share.
const facts = "facts"

// seen is the relaxation that was handed out last.
var seen *bound.Relaxation

func init() {
	for _, metric := range metrics() {
		bound.Register(bound.Method{Name: facts, Metric: metric, New: func(r *bound.Relaxation, _ *bound.Gate) bound.Prover {
			seen = r
			return nothing{}
		}})
	}
}

// nothing is a prover that proves nothing.
type nothing struct{}

// Improve implements bound.Prover.
func (nothing) Improve(context.Context, int64) bool { return false }

// factsOf is a new relaxation of the instance.
func factsOf(in *model.Instance) *bound.Relaxation {
	bound.New(context.Background(), in)
	return seen
}

// measure counts the work of a run and, if that is asked for, of runs that end early.
func (t *task) measure(in *model.Instance, early bool) (*measured, error) {
	doit := t.prepare(in)
	if doit == nil {
		return nil, nil
	}
	var slow [2]gap // the longest by the clock, which only says where to count
	began := time.Now()
	ctx := newAsked(mostAsks, func(ask int) {
		now := time.Now()
		g := gap{ask, now.Sub(began)}
		for k := range slow {
			if g.time > slow[k].time {
				slow[k], g = g, slow[k]
			}
		}
		began = now
	})
	if err := restart(); err != nil {
		return nil, err
	}
	if err := doit(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", t.what, err)
	}
	work, err := blocks()
	if err != nil {
		return nil, err
	}
	line := &measured{Work: work, Asks: ctx.asks}
	if !early {
		return line, nil
	}
	asks := []int{1, ctx.asks}
	for _, g := range slow {
		asks = append(asks, g.ask)
	}
	slices.Sort(asks)
	for _, ask := range slices.Compact(asks) {
		if ask < 1 {
			continue
		}
		e, err := t.endedAt(in, ask)
		if err != nil {
			return nil, err
		}
		line.After = append(line.After, e)
	}
	return line, nil
}

// gap is the time from an ask to the next.
type gap struct {
	ask  int
	time time.Duration
}

// endedAt counts the work of a run around the ask at which its context ends.
func (t *task) endedAt(in *model.Instance, ask int) (ended, error) {
	doit, before, fault := t.prepare(in), int64(0), error(nil)
	ctx := newAsked(ask, func(k int) {
		if fault != nil {
			return
		}
		if k == ask {
			before, fault = blocks()
		}
		if k >= ask-1 && fault == nil {
			fault = restart()
		}
	})
	if err := restart(); err != nil {
		return ended{}, err
	}
	if err := doit(ctx); err != nil {
		return ended{}, fmt.Errorf("%s, ended at ask %d: %w", t.what, ask, err)
	}
	if fault != nil {
		return ended{}, fault
	}
	after, err := blocks()
	return ended{ask, before, after}, err
}
