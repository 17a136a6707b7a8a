package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
)

// Run is a search for false claims over many instances. The number of an instance, the seed and the build determine the instance, so that a single
// one can be tried again.
type Run struct {
	Seed      uint64
	First     uint64        // number of the first instance
	Instances uint64        // number of instances; 0: until the time is over
	Time      time.Duration // 0: until all instances are tried
	Workers   int
	Kinds     []string // the kinds to draw from; nil: all
	Effort    Effort
	Keep      string    // folder for the instances of false claims, made when the first is found; empty: nothing is kept
	Log       io.Writer // nil: silent
}

// Tally counts the instances and claims of a run.
type Tally struct {
	Instances, Objectives, Runs, Bounds, Optimal, Cut int
	Since                                             int            // instances whose times count from long ago
	Large                                             int            // instances too large for the tests that enumerate all schedules
	ByKind                                            map[string]int // instances by kind
	Known                                             map[string]int // objectives with a known optimum, by kind and metric
	Tight                                             map[string]int // kind, metric/method: of those, how many the bound reaches
	Skipped                                           []string       // kinds that are not in this build
	Certified                                         map[string]int // by method or solver and verdict: certificates
	False                                             int            // claims
	FalseInstances                                    int
	Kinds                                             map[string]int // what, solver and metrics: false claims
	Errors                                            []string
}

// enumerable is the largest number of jobs for which the tests of packages bound and solve enumerate all schedules.
const enumerable = 5

// Do runs until the instances or the time are used up, or the context ends.
func (r *Run) Do(ctx context.Context) *Tally {
	t := &Tally{ByKind: map[string]int{}, Known: map[string]int{}, Tight: map[string]int{}, Kinds: map[string]int{}, Certified: map[string]int{}}
	pool := r.pool(t)
	if len(pool) == 0 {
		t.Errors = append(t.Errors, "no kinds of instances to draw from")
		return t
	}
	if r.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Time)
		defer cancel()
	}
	var lock sync.Mutex
	var group sync.WaitGroup
	next, began, said := r.First, time.Now(), time.Now()
	for range max(1, r.Workers) {
		group.Go(func() {
			for {
				lock.Lock()
				index := next
				next++
				lock.Unlock()
				if ctx.Err() != nil || r.Instances > 0 && index >= r.First+r.Instances {
					return
				}
				p, out, err := r.try(ctx, pool, index)
				if ctx.Err() != nil && len(out.Falsehoods) == 0 {
					return // cut short, so the result does not count
				}
				kept := r.keep(ctx, p, index, out.Falsehoods)
				lock.Lock()
				t.add(p, out, err)
				t.Errors = append(t.Errors, kept...)
				for _, f := range distinct(out.Falsehoods) {
					r.printf("FALSE, instance %d of seed %d: %s", index, r.Seed, f.String())
				}
				if time.Since(said) > 10*time.Second {
					said = time.Now()
					r.printf("%4.0f s  %s", time.Since(began).Seconds(), t.progress())
				}
				lock.Unlock()
			}
		})
	}
	group.Wait()
	return t
}

// pool lists the kinds. Each occurs as often as its share says.
func (r *Run) pool(t *Tally) []Kind {
	var pool []Kind
	for _, kind := range kinds {
		switch {
		case r.Kinds != nil && !slices.Contains(r.Kinds, kind.Name):
		case kind.MILP && milp.Missing() != nil:
			t.Skipped = append(t.Skipped, kind.Name)
		default:
			pool = append(pool, slices.Repeat([]Kind{kind}, kind.Share)...)
		}
	}
	slices.SortStableFunc(pool, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return pool
}

// draw draws the instance with the given number.
func (r *Run) draw(pool []Kind, index uint64) (*Planted, *rand.Rand, error) {
	rng := rand.New(rand.NewPCG(r.Seed, index))
	since := 0.0
	if rng.IntN(5) == 0 {
		since = pick(rng, 1.7e9, 1.7e12, 1.7e15) // 2023, in seconds, milliseconds and microseconds since 1970
	}
	for {
		p, err := pool[rng.IntN(len(pool))].Draw(rng, since)
		if !errors.Is(err, errRedraw) {
			return p, rng, err
		}
	}
}

// try draws and tries one instance.
func (r *Run) try(ctx context.Context, pool []Kind, index uint64) (*Planted, Outcome, error) {
	p, rng, err := r.draw(pool, index)
	if err != nil {
		return nil, Outcome{}, fmt.Errorf("instance %d: %w", index, err)
	}
	return p, p.Try(ctx, rng, r.Effort), nil
}

// add counts an instance.
func (t *Tally) add(p *Planted, out Outcome, err error) {
	if err != nil {
		t.Errors = append(t.Errors, err.Error())
		return
	}
	t.Instances++
	if len(p.Spec.Jobs) > enumerable {
		t.Large++
	}
	if p.Spec.Jobs[0].Arrival > 1e9 {
		t.Since++
	}
	t.ByKind[p.Kind]++
	t.Objectives += out.Objectives
	t.Runs += out.Runs
	t.Bounds += out.Bounds
	t.Optimal += out.Optimal
	t.Cut += out.Cut
	for _, metric := range out.Known {
		t.Known[p.Kind+", "+metric]++
	}
	for key, n := range out.Certified {
		t.Certified[key] += n
	}
	for key := range out.Tight {
		t.Tight[p.Kind+", "+key]++
	}
	if len(out.Falsehoods) > 0 {
		t.FalseInstances++
	}
	t.False += len(out.Falsehoods)
	for k := range out.Falsehoods {
		t.Kinds[out.Falsehoods[k].sortOf()]++
	}
}

// progress formats the tally in one line.
func (t *Tally) progress() string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(t.ByKind)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, t.ByKind[kind]))
	}
	return fmt.Sprintf("%d instances (%d of more than %d jobs, %d since 1970; %s), %d false claims of %d instances", t.Instances, t.Large, enumerable, t.Since, strings.Join(parts, ", "), t.False, t.FalseInstances)
}

// Summary describes in a few lines what was tried and which claims were false.
func (t *Tally) Summary() string {
	var text strings.Builder
	fmt.Fprintf(&text, "prove: %s\n", t.progress())
	fmt.Fprintf(&text, "prove: %d objectives, %d runs of solvers, %d bounds and optima compared, %d of them stated as optimal\n", t.Objectives, t.Runs, t.Bounds, t.Optimal)
	for _, key := range slices.Sorted(maps.Keys(t.Certified)) {
		fmt.Fprintf(&text, "prove: certificates: %s: %d\n", key, t.Certified[key])
	}
	if t.Cut > 0 {
		fmt.Fprintf(&text, "prove: %d runs cut short after %s\n", t.Cut, patience)
	}
	if len(t.Skipped) > 0 {
		fmt.Fprintf(&text, "prove: not in this build, as they need HiGHS: %s\n", strings.Join(t.Skipped, ", "))
	}
	for _, kind := range slices.Sorted(maps.Keys(t.Kinds)) {
		fmt.Fprintf(&text, "prove: false: %s: %d\n", kind, t.Kinds[kind])
	}
	for _, err := range t.Errors {
		fmt.Fprintf(&text, "prove: error: %s\n", err)
	}
	return text.String()
}

// printf writes a line of the log. It ignores errors, because the summary has everything that matters.
func (r *Run) printf(format string, args ...any) {
	if r.Log != nil {
		_, _ = fmt.Fprintf(r.Log, "prove: "+format+"\n", args...)
	}
}

// sortOf describes the sort of a falsehood: the kind of claim, the solver or method, and the metrics.
func (f *Falsehood) sortOf() string {
	return fmt.Sprintf("%s by %s, %s", f.What, solverOf(f.By), strings.Join(slices.Sorted(maps.Keys(f.Objective)), "+"))
}

// distinct keeps one falsehood for each kind of claim, solver and objective.
func distinct(found []Falsehood) []Falsehood {
	var kept []Falsehood
	for _, f := range found {
		if !slices.ContainsFunc(kept, func(k Falsehood) bool { return k.sortOf() == f.sortOf() }) {
			kept = append(kept, f)
		}
	}
	return kept
}

// keep writes the instance of each falsehood, as it was drawn and with fewer jobs, the planted schedule and the claim.
func (r *Run) keep(ctx context.Context, p *Planted, index uint64, found []Falsehood) (errs []string) {
	if r.Keep == "" || len(found) == 0 {
		return nil
	}
	for k, f := range distinct(found) {
		name := filepath.Join(r.Keep, fmt.Sprintf("%d-%d-%d-%s", r.Seed, index, k, solverOf(f.By)))
		limited, cancel := context.WithTimeout(ctx, 20*time.Second)
		small, still := Shrink(limited, p, f)
		cancel()
		if err := errors.Join(os.MkdirAll(r.Keep, 0o777), p.write(name, f), small.write(name+".small", still)); err != nil {
			errs = append(errs, err.Error())
		}
	}
	return errs
}

// write writes the instance with the objective, the falsehood, and the schedule that refutes it or else a planted schedule.
func (p *Planted) write(name string, f Falsehood) error {
	in, err := p.Instance.WithObjective(f.Objective)
	if err != nil {
		return err
	}
	err = files.Write(name+".json", func(w io.Writer) error { return model.WriteInstance(w, in) })
	right := f.refutes
	if right == nil && len(p.Schedules) > 0 {
		right = p.Schedules[0]
	}
	if right != nil {
		sol := &model.Solution{Schema: model.SolutionSchema, Jobs: right.Jobs, Unscheduled: right.Unscheduled, Loads: right.Loads}
		err = errors.Join(err, files.Write(name+".sol.json", func(w io.Writer) error { return model.WriteSolution(w, sol) }))
	}
	return errors.Join(err, files.Write(name+".claim.json", func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(f)
	}))
}
