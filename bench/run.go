package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// RunOptions say how to run a plan.
type RunOptions struct {
	Dir   string // the run folder, made if it is missing
	Best  string // folder of the best-known solutions; empty: best in Dir
	Bare  bool   // keep only rows, no solutions, and spend no work on bounds of instances
	Jobs  int    // runs at the same time; 0: 1
	Mixed bool   // go on in a folder that has rows of another suite or version of allot, and keep them

	Progress func(Progress) // nil: silent; called from one goroutine at a time
	Warn     func(string)   // nil: silent; called for a fault that does not end the run, such as a stored solution that the checker refuses
}

// Progress says how many cells of a plan are done.
type Progress struct {
	Done, Total int           // numbers of cells
	Left        time.Duration // estimated from the rows so far and the budget
	Running     []string      // the cells that run now
}

// Run runs those cells of the plan that have no row in the run folder and appends a row for each; see [RunFile] for the folder. If it is killed at
// any moment, the same call goes on with the rest: no row is lost and none is written twice. When ctx ends, Run starts no new cell, writes no row
// for cells that were cut short, and returns the error of ctx.
//
// A cell that fails, or whose schedule the checker refuses, has a row with a fault. A program from outside may refuse an instance only when it
// runs. Such a cell has no row; Run warns of it and lists it among the skipped ones in the run folder. Errors come from the folder, which wrap
// [ErrOtherRun] or [ErrBusy], from the file system, or from an instance that cannot be made again. Memory grows with the number of rows; instances
// are held only while their cells run.
func Run(ctx context.Context, plan *Plan, opt RunOptions) error {
	folder, err := openRun(plan, opt)
	if err != nil {
		return err
	}
	r := newRunner(plan, folder, opt)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for worker := range max(1, opt.Jobs) {
		group.Go(func() {
			for ctx.Err() == nil {
				place, ok := r.next()
				if !ok {
					return
				}
				if err := r.do(ctx, worker, place); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	if err = context.Cause(ctx); err == nil {
		err = r.tellRefusals()
	}
	return errors.Join(err, folder.close())
}

// runner runs the cells of a plan.
type runner struct {
	plan    *Plan
	folder  *runFolder
	opt     RunOptions
	shelf   *shelf
	pending []int // indices in plan.Cells of the cells to run

	mutex   sync.Mutex // protects the fields below, the folder and the functions of opt
	started int        // number of pending cells that were started
	done    int
	pace    pace
	running []string       // the cell of each worker; empty: the worker is idle
	refused map[int]string // reasons of refused cells, by index in plan.Cells
}

// newRunner prepares to run the cells that have no row yet.
func newRunner(plan *Plan, folder *runFolder, opt RunOptions) *runner {
	r := &runner{plan: plan, folder: folder, opt: opt, running: make([]string, max(1, opt.Jobs)), refused: map[int]string{}}
	uses := make([]int, len(plan.Instances))
	for k, cell := range plan.Cells {
		if folder.done[cell.Key] {
			continue
		}
		r.pending = append(r.pending, k)
		uses[cell.Instance]++
		r.pace.expect(cell.Label)
	}
	for _, row := range folder.old {
		r.pace.note(row.Solver, row.Elapsed)
	}
	folder.old = nil // rows with incumbents may be large, so free them
	r.done = len(plan.Cells) - len(r.pending)
	r.shelf = &shelf{plan: plan, uses: uses, held: map[int]*shelved{}}
	return r
}

// next returns the index of the next cell to run, or false if none is left.
func (r *runner) next() (place int, ok bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.started == len(r.pending) {
		return 0, false
	}
	r.started++
	return r.pending[r.started-1], true
}

// do runs a cell and stores its row, unless ctx ends before the cell does.
func (r *runner) do(ctx context.Context, worker, place int) error {
	cell := &r.plan.Cells[place]
	planned := &r.plan.Instances[cell.Instance]
	r.show(worker, fmt.Sprintf("%s on %s, seed %d", cell.Label, planned.Name, cell.Seed))
	in, err := r.shelf.take(cell.Instance)
	if err != nil {
		return err
	}
	row := Measure(ctx, cell.Solver, in, Settings{
		Time:       time.Duration(math.Round(cell.Budget.Time * float64(time.Second))),
		Options:    solve.Options{Seed: cell.Seed, MaxEvals: cell.Budget.Evaluations, Workers: cell.Workers, Unbounded: r.opt.Bare},
		Parameters: cell.Parameters,
		Incumbents: r.plan.Suite.Incumbents,
		Measured:   planned.Measured,
	})
	r.shelf.putBack(cell.Instance)
	if ctx.Err() != nil {
		return nil // the cell was probably cut short, so it has no row
	}
	if row.Refused {
		r.refuse(worker, place, row.Fault)
		return nil
	}
	row.Key, row.Group, row.Instance = cell.Key, planned.Group, planned.Name
	if row.Solver = cell.Label; cell.Label != cell.Solver {
		row.Algorithm = cell.Solver
	}
	return r.store(worker, in, &row)
}

// store stores the solution, if it is the best, and then the row. If the program is killed in between, the cell has no row and runs again later.
func (r *runner) store(worker int, in *model.Instance, row *Row) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.folder.best != nil && row.Solution != nil && row.Objective != nil {
		if _, err := r.folder.best.Offer(in, row.Solution); errors.As(err, new(*BestError)) {
			r.warn(err)
		} else if err != nil {
			return err
		}
	}
	if err := r.folder.append(row); err != nil {
		return err
	}
	r.pace.note(row.Solver, row.Elapsed)
	r.finish(worker, row.Solver)
	return nil
}

// finish counts a cell that is done. The caller holds the mutex.
func (r *runner) finish(worker int, solver string) {
	r.done++
	r.pace.finish(solver)
	r.running[worker] = ""
}

// refuse records that a solver found out, when it ran, that it does not support the instance.
func (r *runner) refuse(worker, place int, reason string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.refused[place] = reason
	r.finish(worker, r.plan.Cells[place].Label)
}

// tellRefusals warns of the cells that solvers refused and adds them to the skipped ones in the run folder.
func (r *runner) tellRefusals() error {
	if len(r.refused) == 0 {
		return nil
	}
	type pair struct {
		label    string
		instance int
	}
	counted := map[pair]bool{}
	var refusals Plan
	for _, place := range slices.Sorted(maps.Keys(r.refused)) {
		cell := &r.plan.Cells[place]
		if at := (pair{cell.Label, cell.Instance}); !counted[at] {
			counted[at] = true
			refusals.skip(cell.Label, r.refused[place])
		}
	}
	for _, skipped := range refusals.Skipped {
		r.warn(errors.New(skipped.String()))
	}
	all := *r.plan // a copy, because the caller's plan must not change
	all.Cells = nil
	for place, cell := range r.plan.Cells {
		if _, refused := r.refused[place]; !refused {
			all.Cells = append(all.Cells, cell)
		}
	}
	all.Skipped = slices.Concat(all.Skipped, refusals.Skipped)
	return r.folder.state(&all)
}

// warn passes a warning on.
func (r *runner) warn(err error) {
	if r.opt.Warn != nil {
		r.opt.Warn(err.Error())
	}
}

// show reports what a worker starts.
func (r *runner) show(worker int, what string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.running[worker] = what
	if r.opt.Progress == nil {
		return
	}
	p := Progress{Done: r.done, Total: len(r.plan.Cells)}
	limit := r.plan.Suite.Budget.Time
	p.Left = time.Duration(r.pace.left(limit) / float64(len(r.running)) * float64(time.Second))
	for _, what := range r.running {
		if what != "" {
			p.Running = append(p.Running, what)
		}
	}
	r.opt.Progress(p)
}

// pace estimates how long the runs of each solver take.
type pace struct{ solvers map[string]*spent }

// spent sums up the times of one solver's runs.
type spent struct {
	sum       float64 // seconds
	runs      int
	remaining int
}

// of returns the times of a solver. It makes a new entry for a new solver.
func (p *pace) of(solver string) *spent {
	if p.solvers == nil {
		p.solvers = map[string]*spent{}
	}
	if p.solvers[solver] == nil {
		p.solvers[solver] = new(spent)
	}
	return p.solvers[solver]
}

// expect counts one more run to come.
func (p *pace) expect(solver string) { p.of(solver).remaining++ }

// finish counts one run less to come.
func (p *pace) finish(solver string) { p.of(solver).remaining-- }

// note records the seconds of a run.
func (p *pace) note(solver string, elapsed float64) {
	s := p.of(solver)
	s.sum += elapsed
	s.runs++
}

// left estimates the seconds that the runs to come take. Each takes the mean time of its solver's earlier runs, or limit if there are none.
func (p *pace) left(limit float64) float64 {
	total := 0.0
	for _, s := range p.solvers {
		each := limit
		if s.runs > 0 {
			each = s.sum / float64(s.runs)
		}
		total += each * float64(s.remaining)
	}
	return total
}

// shelf holds the instances of the cells that run. It makes an instance when it is first needed and drops it after its last cell.
type shelf struct {
	plan  *Plan
	mutex sync.Mutex
	uses  []int // number of cells to come, by instance
	held  map[int]*shelved
}

// shelved is an instance on the shelf. It is made only once.
type shelved struct {
	once sync.Once
	in   *model.Instance
	err  error
}

// take returns the instance at the given index of the plan.
func (s *shelf) take(place int) (*model.Instance, error) {
	s.mutex.Lock()
	held := s.held[place]
	if held == nil {
		held = new(shelved)
		s.held[place] = held
	}
	s.mutex.Unlock()
	held.once.Do(func() { held.in, held.err = s.plan.Instances[place].Load(s.plan.Suite.Objective) })
	return held.in, held.err
}

// putBack drops the instance after its last use.
func (s *shelf) putBack(place int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.uses[place]--; s.uses[place] == 0 {
		delete(s.held, place)
	}
}
