package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allot-opt/allot/internal/claim"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// runFolder is a run folder that this program writes rows to. Other programs may write other files of rows there at the same time.
type runFolder struct {
	dir     string
	stale   time.Duration
	told    func(*claim.HeldError) // whose lock it waits for
	passing bool                   // rows need not be on the disk
	best    *BestStore
	lock    *claim.Claim // of the file of rows
	rows    *os.File
	end     int64           // of the last whole row
	follow  *Followed       // the rows in all files
	done    map[string]bool // keys of the cells that have a row
	old     []lineRow       // the rows found in the folder

	bestPath string       // path of best, as the run file states it
	began    *Environment // that this program stated; nil: all its cells were done
	broken   error        // the error of a row that could not be written; no rows are written after it
}

// openRun makes the folder or goes on in an existing one. It takes the lock of its file of rows, compares the rows with the plan, writes the plan to
// the folder and removes an incomplete last line.
func openRun(ctx context.Context, plan *Plan, opt RunOptions) (folder *runFolder, err error) {
	defer func() {
		if errors.As(err, new(*fs.PathError)) {
			err = fmt.Errorf("%w: %w", ErrNoFolder, err)
		}
	}()
	if err := os.MkdirAll(opt.Dir, 0o777); err != nil {
		return nil, err
	}
	folder = &runFolder{dir: opt.Dir, stale: opt.Stale, passing: opt.Passing, follow: plan.Follow(opt.Dir), told: func(held *claim.HeldError) {
		if opt.Warn != nil {
			opt.Warn("waits: " + held.Error())
		}
	}}
	folder.done = folder.follow.done
	name, err := folder.take(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.close())
		}
	}()
	path := filepath.Join(opt.Dir, name)
	if err := folder.readRows(plan, path, opt.Mixed); err != nil {
		return folder, err
	}
	best := opt.Best
	if opt.Bare {
		best = ""
	} else if best == "" {
		folder.best, best = OpenBest(filepath.Join(opt.Dir, bestFolder)), bestFolder
	} else if best, err = filepath.Abs(best); err != nil {
		return folder, err
	} else {
		folder.best = OpenBest(best)
	}
	folder.bestPath = best
	if err := folder.state(ctx, plan, func(file *RunFile) {
		if slices.ContainsFunc(plan.Share(opt.Shard), func(place int) bool { return !folder.done[plan.Cells[place].Key] }) {
			folder.began = new(environment(opt))
			file.Environments = append(file.Environments, *folder.began)
		}
	}); err != nil {
		return folder, err
	}
	if folder.best != nil {
		folder.best.stale, folder.best.told = opt.Stale, folder.told
		if err := folder.best.tidy(ctx); err != nil {
			return folder, err
		}
	}
	if folder.rows, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return folder, err
	}
	folder.end, err = folder.rows.Seek(0, io.SeekEnd)
	return folder, err
}

// take takes the lock of the file of rows that the options ask for and returns the name of that file. It refuses a folder in which another program runs
// the same cells.
func (folder *runFolder) take(ctx context.Context, opt RunOptions) (name string, err error) {
	if opt.Steal {
		name, err = folder.takeWorker(opt)
	} else {
		part := ""
		if !opt.Shard.whole() {
			part = strconv.Itoa(opt.Shard.K)
		}
		name = rowsNamed(part)
		folder.lock, err = claim.Take(ctx, filepath.Join(folder.dir, name+lockSuffix), opt.part(), opt.Stale, folder.told)
	}
	var held *claim.HeldError
	if errors.As(err, &held) {
		return "", busy(folder.dir, held.By, held.Path)
	} else if err != nil {
		return "", err
	}
	locks, err := filepath.Glob(filepath.Join(plainPattern(folder.dir), "rows*.jsonl"+lockSuffix))
	for _, path := range locks {
		if filepath.Base(path) == name+lockSuffix {
			continue
		}
		if by, live := claim.Live(path, opt.Stale); live && collide(by.Note, opt.part()) {
			err = busy(folder.dir, by, path)
			break
		}
	}
	if err != nil {
		err = errors.Join(err, folder.lock.Release())
	}
	return name, err
}

// takeWorker takes the first lock of a worker's rows that is free.
func (folder *runFolder) takeWorker(opt RunOptions) (name string, err error) {
	for k := 1; ; k++ {
		name = rowsNamed("w" + strconv.Itoa(k))
		folder.lock, err = claim.Try(filepath.Join(folder.dir, name+lockSuffix), opt.part(), opt.Stale)
		if !errors.As(err, new(*claim.HeldError)) {
			return name, err
		}
	}
}

// stealing is the part that the lock of a worker states if the worker claims cells.
const stealing = "steal"

// part says which cells a program runs: K/N, or steal; empty: all of them.
func (opt *RunOptions) part() string {
	if opt.Steal {
		return stealing
	}
	return opt.Shard.String()
}

// collide reports whether two programs that run these parts of a plan run some cells twice: all but those that claim cells and those of different
// shards of the same number of shards.
func collide(a, b string) bool {
	_, ofA, _ := strings.Cut(a, "/")
	_, ofB, _ := strings.Cut(b, "/")
	return ofA != ofB || ofA == "" && (a != stealing || b != stealing)
}

// busy says that the folder is in use, by whom and for what.
func busy(dir string, by claim.Holder, path string) error {
	what := "a run of the suite"
	switch {
	case by.Note == stealing:
		what = "a run that claims cells"
	case by.Note != "":
		what = "shard " + by.Note
	}
	who := ""
	if by.Host != "" {
		who = fmt.Sprintf(", process %d on %s", by.PID, by.Host)
	}
	return fmt.Errorf("%s: %w: %s%s (%s)", dir, ErrBusy, what, who, filepath.Base(path))
}

// readRows reads the rows in the folder and refuses those of another suite or version. Only then does it mend the end of this program's file, so that a
// file of another run stays as it is.
func (folder *runFolder) readRows(plan *Plan, own string, mixed bool) error {
	paths, err := rowFiles(folder.dir)
	if err != nil {
		return err
	}
	var rest []byte // of this program's file
	whole := 0      // rows in it
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		rows, left, err := readRows(file, path)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		if path == own {
			rest, whole = left, len(rows)
		}
		folder.old = append(folder.old, rows...)
	}
	if !mixed {
		if err := checkRows(folder.old, plan); err != nil {
			return err
		}
	}
	for k := range folder.old {
		folder.done[folder.old[k].Key] = true
	}
	switch {
	case len(rest) == 0:
		return nil
	case whole == 0 && !strings.HasPrefix(string(rest), rowBegin) && !strings.HasPrefix(rowBegin, string(rest)):
		return &model.InputError{File: own, Faults: []model.Fault{{Message: "expected the rows of a run, found something else"}}}
	}
	return mend(own, rest)
}

// rowBegin is the text that every row of a run begins with.
const rowBegin = `{"key":"`

// checkRows returns an error if a row comes from another suite or version than the plan.
func checkRows(rows []lineRow, plan *Plan) error {
	cells := map[string]*Cell{}
	for k := range plan.Cells {
		cells[plan.Cells[k].Key] = &plan.Cells[k]
	}
	for k := range rows {
		row, at, cell := &rows[k], rows[k].at, cells[rows[k].Key]
		switch {
		case cell == nil:
			return fmt.Errorf("%w: %s: the row of %s on %s, seed %d, belongs to no run of this suite and budget", ErrOtherRun, at, row.Solver, row.Instance, row.Seed)
		case row.Solver != cell.Label || row.Group != plan.Instances[cell.Instance].Group:
			return fmt.Errorf("%w: %s: the row of %s in group %q is of solver %s in group %q in this suite", ErrOtherRun, at, row.Solver, row.Group, cell.Label, plan.Instances[cell.Instance].Group)
		case row.Version != solve.Version():
			return fmt.Errorf("%w: %s: the row was written by version %s of allot, and this is version %s", ErrOtherRun, at, row.Version, solve.Version())
		}
	}
	return nil
}

// mend makes the file end with a line feed. If the text after the last line feed is a row, as an editor may have left it, mend appends one. Any
// other text there is a line that was being written when a run was killed, and mend removes it.
func mend(path string, rest []byte) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if model.ReadJSON(bytes.NewReader(rest), path, new(Row)) == nil {
		_, err = file.WriteString("\n")
	} else {
		var size int64
		if size, err = file.Seek(0, io.SeekEnd); err == nil {
			err = file.Truncate(size - int64(len(rest)))
		}
	}
	return errors.Join(err, file.Close())
}

// append writes a row as one line with one system call, and waits until it is on the disk, unless the folder is a passing one. Of a row that cannot be written whole, nothing stays.
func (folder *runFolder) append(row *Row) error {
	text, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("the row of %s on %s: %w", row.Solver, row.Instance, err)
	}
	if folder.broken != nil { // a row after half a line would be lost together with it
		return folder.broken
	}
	if !folder.lock.Held() {
		folder.broken = fmt.Errorf("%s: %w: it took this program for dead, because it had given no sign of life for a while", folder.rows.Name(), ErrBusy)
		return folder.broken
	}
	n, err := folder.rows.Write(append(text, '\n'))
	if err == nil && !folder.passing {
		err = folder.rows.Sync()
	} else if err != nil && n > 0 {
		err = errors.Join(err, folder.rows.Truncate(folder.end))
	}
	if folder.broken = err; err == nil {
		folder.end += int64(n)
		folder.done[row.Key] = true
	}
	return err
}

// close gives the lock back, so that another run can use the file of rows.
func (folder *runFolder) close() error {
	var err error
	if folder.rows != nil {
		err = folder.rows.Close()
	}
	return errors.Join(err, folder.lock.Release())
}
