package bench

import (
	"context"
	"errors"
	"math"

	"github.com/allot-opt/allot/solve"
)

// Session runs cells in a run folder, batch by batch, where the rows so far decide which cells come next. It keeps the instances that it has made.
type Session struct {
	plan   Plan // its cells are those of the batch
	folder *runFolder
	opt    RunOptions
	shelf  *shelf
	fresh  *Followed
	rows   map[string]*Row // by key
}

// Open opens or makes the run folder for cells on the instances of the plan; its own cells do not matter. The folder may hold rows of an earlier session: a
// cell that has a row there is not run again. The errors are those of [Run]. Close the session in the end.
func Open(ctx context.Context, plan *Plan, opt RunOptions) (*Session, error) {
	opt.Mixed = true // which cells there will be is not known yet
	s := &Session{plan: *plan, opt: opt, rows: map[string]*Row{}}
	s.plan.Cells = nil
	var err error
	if s.folder, err = openRun(ctx, &s.plan, opt); err != nil {
		return nil, err
	}
	uses := make([]int, len(plan.Instances))
	for k := range uses {
		uses[k] = math.MaxInt / 2 // nobody knows when an instance is used for the last time
	}
	s.shelf, s.fresh = &shelf{plan: &s.plan, uses: uses, held: map[int]*shelved{}}, s.plan.Follow(opt.Dir)
	return s, nil
}

// Cell is the run of a choice on the instance at the index, with a seed, within the budget of the suite.
func (s *Session) Cell(instance int, choice *solve.Choice, seed uint64) Cell {
	return s.plan.cell(instance, choice, seed, s.plan.Suite.Budget, true)
}

// Run runs the cells that have no row yet and returns the rows of all of them, in their order. The row of a cell that its solver refused when it
// ran has the Kind [Unsupported]. Where the session shares its cells with other programs (Steal), Run waits for theirs.
func (s *Session) Run(ctx context.Context, cells []Cell) ([]Row, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	s.plan.Cells = cells
	r := newRunner(&s.plan, s.folder, s.opt)
	r.shelf = s.shelf
	if len(r.pending) > 0 {
		if err := errors.Join(r.work(ctx), s.read()); err != nil {
			return nil, err
		}
	}
	rows := make([]Row, len(cells))
	for k := range cells {
		if row := s.rows[cells[k].Key]; row != nil {
			rows[k] = *row
		} else {
			rows[k] = Row{Key: cells[k].Key, Solver: cells[k].Label, Fault: r.refused[k], Kind: Unsupported}
		}
	}
	return rows, nil
}

// read takes in the rows that were written since the last time.
func (s *Session) read() error {
	rows, err := s.fresh.fresh()
	for k := range rows {
		if s.rows[rows[k].Key] == nil {
			s.rows[rows[k].Key] = &rows[k].Row
		}
		s.folder.done[rows[k].Key] = true
	}
	return err
}

// Close gives the folder back.
func (s *Session) Close() error { return s.folder.close() }
