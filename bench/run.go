package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/allot-opt/allot/internal/claim"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// RunOptions say how to run a plan.
type RunOptions struct {
	Dir  string // the run folder, made if it is missing
	Best string // folder of the best-known solutions; empty: best in Dir
	Bare bool   // keep only rows, no solutions, and spend no work on bounds of instances
	// Passing says that nobody needs the folder after the program: a run does not wait until its row is on the disk.
	Passing bool
	Jobs    int  // runs at the same time; 0: 1
	Mixed   bool // go on in a folder that has rows of another suite or version of allot, and keep them

	Shard Shard         // run only these cells; other programs run the others in the same folder
	Steal bool          // share the cells with other programs that do so too: each claims one after another, until all have a row
	Stale time.Duration // what belongs to a program of another host that has given no sign for so long is taken over; 0: 2 minutes

	Progress func(Progress) // nil: silent; called from one goroutine at a time
	Warn     func(string)   // nil: silent; called for a fault that does not end the run, such as a stored solution that the checker refuses
}

// Progress says how many cells of a plan are done.
type Progress struct {
	Done, Total int           // numbers of cells
	Left        time.Duration // estimated from the rows so far and the budget
	Running     []string      // the cells that run now
}

// Run runs those cells of the plan, or of a shard of it, that have no row in the run folder and appends a row for each; see [RunFile] for the folder.
// If it is killed at any moment, the same call continues with the rest: no row is lost and none is written twice. When ctx ends, Run starts no new
// cell, writes no row for cells that were cut short, and returns the error of ctx.
//
// Several programs, on several hosts, may run different shards in one folder, or share the cells with Steal. They need only that the file
// system creates files exclusively and renames them. Each program has its own file of rows.
//
// A cell that fails, or whose schedule the checker refuses, has a row with a fault. An external program may refuse an instance only when it runs.
// Such a cell has no row; Run warns of it and lists it among the skipped cells in the run folder. Run returns an error if the folder cannot be
// used (wrapping [ErrOtherRun] or [ErrBusy]), if the file system fails, or if an instance cannot be made again. Memory grows with the number of
// rows; instances are held only while their cells run.
func Run(ctx context.Context, plan *Plan, opt RunOptions) error {
	folder, err := openRun(ctx, plan, opt)
	if err != nil {
		return err
	}
	r := newRunner(plan, folder, opt)
	if err = r.work(ctx); err == nil {
		err = r.tellRefusals(ctx)
	}
	return errors.Join(err, r.tellLoad(context.WithoutCancel(ctx)), folder.close())
}

// work runs the pending cells, several at a time. It returns the error of ctx if ctx ends, else the first error of a cell that could not be stored.
func (r *runner) work(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for worker := range max(1, r.opt.Jobs) {
		group.Go(func() {
			for ctx.Err() == nil {
				place, ok, err := r.next(ctx)
				if ok {
					err = errors.Join(r.do(ctx, worker, place), r.release(place))
				}
				if err != nil {
					cancel(err)
				}
				if !ok {
					return
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// runner runs the cells of a plan.
type runner struct {
	plan   *Plan
	folder *runFolder
	opt    RunOptions
	shelf  *shelf
	total  int // number of cells of the shard

	mutex   sync.Mutex           // protects the fields below, the folder and the functions of opt
	pending []int                // indices in plan.Cells of the cells to start
	claims  map[int]*claim.Claim // of the cells that run, by index in plan.Cells; nil: cells are not claimed
	done    int
	pace    pace
	running []string       // the cell of each worker; empty: the worker is idle
	refused map[int]string // reasons of refused cells, by index in plan.Cells
	peak    float64        // the greatest load of the machine when a cell ended
}

// newRunner prepares to run the cells that have no row yet.
func newRunner(plan *Plan, folder *runFolder, opt RunOptions) *runner {
	r := &runner{plan: plan, folder: folder, opt: opt, running: make([]string, max(1, opt.Jobs)), refused: map[int]string{}}
	uses := make([]int, len(plan.Instances))
	share := plan.Share(opt.Shard)
	if opt.Steal {
		share, r.claims = plan.heaviest(), map[int]*claim.Claim{}
	}
	for _, place := range share {
		cell := &plan.Cells[place]
		if folder.done[cell.Key] {
			continue
		}
		r.pending = append(r.pending, place)
		uses[cell.Instance]++
		r.pace.expect(cell.Label)
	}
	for k := range folder.old {
		r.pace.note(folder.old[k].Solver, folder.old[k].Elapsed)
	}
	folder.old = nil // rows with incumbents may be large, so free them
	r.total, r.done = len(share), len(share)-len(r.pending)
	r.shelf = &shelf{plan: plan, uses: uses, held: map[int]*shelved{}}
	return r
}

// next returns the index of the next cell to run, or false if none is left. Where cells are claimed it may wait for those of other programs.
func (r *runner) next(ctx context.Context) (place int, ok bool, err error) {
	if r.claims != nil {
		return r.claimNext(ctx)
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.pending) == 0 {
		return 0, false, nil
	}
	place, r.pending = r.pending[0], r.pending[1:]
	return place, true, nil
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
	row := Measure(ctx, *cell.Choice, in, Settings{
		Time:       time.Duration(math.Round(cell.Budget.Time * float64(time.Second))),
		Options:    solve.Options{Seed: cell.Seed, MaxEvals: cell.Budget.Evaluations, Workers: cell.Workers, Unbounded: r.opt.Bare || cell.Unbounded},
		Incumbents: r.plan.Suite.Incumbents,
		Measured:   planned.Measured,
	})
	r.shelf.putBack(cell.Instance)
	if ctx.Err() != nil {
		return nil // the cell was probably cut short, so it has no row
	}
	if row.Kind == Unsupported {
		r.refuse(worker, place, row.Fault)
		return nil
	}
	row.Key, row.Group, row.Instance = cell.Key, planned.Group, planned.Name
	return r.store(ctx, worker, place, in, &row)
}

// store stores the solution, if it is the best, and then the row. If the program is killed in between, the cell has no row and runs again later.
func (r *runner) store(ctx context.Context, worker, place int, in *model.Instance, row *Row) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if c := r.claims[place]; c != nil && !c.Held() { // this program gave no sign for a while, and another one took the cell over
		r.running[worker] = ""
		r.pending = append(r.pending, place)
		r.shelf.expect(r.plan.Cells[place].Instance)
		return nil
	}
	if r.folder.best != nil && row.Solution != nil && row.Objective != nil {
		if _, err := r.folder.best.offer(ctx, in, row.Solution); errors.As(err, new(*BestError)) {
			r.warn(err)
		} else if err != nil {
			return err
		}
	}
	if err := r.folder.append(row); err != nil {
		return err
	}
	load, _ := Load()
	r.peak = max(r.peak, load)
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

// tellRefusals warns of the cells that solvers refused and states them in the run folder.
func (r *runner) tellRefusals(ctx context.Context) error {
	before, err := ReadRun(r.folder.dir)
	if err != nil {
		return err
	}
	if len(r.refused) == 0 && len(before.Refused) == 0 {
		return nil
	}
	here := RunFile{Refused: map[string]string{}}
	for place, reason := range r.refused {
		here.Refused[r.plan.Cells[place].Key] = reason
	}
	for _, skipped := range here.refusals(r.plan) {
		r.warn(errors.New(skipped.String()))
	}
	return r.folder.state(ctx, r.plan, func(file *RunFile) {
		maps.Copy(file.Refused, here.Refused)
		maps.DeleteFunc(file.Refused, func(key, _ string) bool { return r.folder.done[key] })
	})
}

// tellLoad states the greatest load in the run folder where it was above the number of cores. It is for people and decides nothing.
func (r *runner) tellLoad(ctx context.Context) error {
	began := r.folder.began
	if began == nil || began.Cores == 0 || r.peak <= float64(began.Cores) {
		return nil
	}
	return r.folder.state(ctx, r.plan, func(file *RunFile) {
		for k := len(file.Environments) - 1; k >= 0; k-- {
			if file.Environments[k] == *began {
				file.Environments[k].PeakLoad = r.peak
				return
			}
		}
	})
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
	p := Progress{Done: r.done, Total: r.total}
	limit := r.plan.Suite.Budget.Time
	p.Left = time.Duration(r.pace.left(limit) / float64(len(r.running)) * float64(time.Second))
	p.Running = kit.That(r.running, func(what string) bool { return what != "" })
	r.opt.Progress(p)
}
