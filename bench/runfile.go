package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// RunFormat is the format of the file suite.json of a run folder.
const RunFormat = "allot-run/1"

// The names of the files in a run folder, besides rowsFile.
const (
	runFile    = "suite.json"
	lockFile   = "lock"
	bestFolder = "best"
)

// RunFile is the file suite.json of a run folder. It states what is run. The folder also has the file rows.jsonl with one [Row] per line, to which
// each finished run is appended, and the folder best, a [BestStore], unless another was named. [PlannedInstance.Load] makes an instance again.
type RunFile struct {
	Format    string            `json:"format"`
	Version   string            `json:"version"` // version of allot
	Suite     Suite             `json:"suite"`
	Best      string            `json:"best,omitempty"` // folder of the best-known solutions, absolute or relative to the run folder; absent: the run keeps none
	Cells     int               `json:"cells" check:"counter"`
	Instances []PlannedInstance `json:"instances"`
	Skipped   []Skipped         `json:"skipped,omitempty"`

	// Environments has one entry for each time that runs were started in the folder, in order of time. Folders of older versions have none.
	Environments []Environment `json:"environments,omitempty"`
}

// ReadRun reads the file suite.json of a run folder; [ReadRows] reads its rows.
func ReadRun(dir string) (*RunFile, error) {
	path := filepath.Join(dir, runFile)
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := new(RunFile)
	if err := readFormat(file, path, r, &r.Format, RunFormat); err != nil {
		return nil, err
	}
	r.Suite.File = path
	if r.Best != "" && !filepath.IsAbs(r.Best) {
		r.Best = filepath.Join(dir, r.Best)
	}
	return r, nil
}

// Known returns the best-known solutions of the instances, also those that this run has stored. It checks each of them and returns it as a
// row without the schedule, which [BestStore.Best] returns. It calls warn for each stored solution that is wrong.
func (r *RunFile) Known(warn func(string)) ([]Row, error) {
	if r.Best == "" {
		return nil, nil
	}
	store := OpenBest(r.Best)
	var rows []Row
	for k := range r.Instances {
		planned := &r.Instances[k]
		in, err := planned.Load(r.Suite.Objective)
		if err != nil {
			return nil, err
		}
		sol, err := store.Best(in)
		if err != nil && warn != nil {
			warn(err.Error())
		}
		if sol == nil {
			continue
		}
		rows = append(rows, Row{
			Group: planned.Group, Instance: planned.Name, InstanceSHA256: planned.SHA256, Jobs: planned.Jobs, Minimised: ObjectiveName(in),
			Solver: sol.Solver, Seed: sol.Seed, Version: sol.Version, Status: sol.Status, Stop: sol.Stop,
			Objective: sol.Objective, Left: len(sol.Unscheduled), Metrics: sol.Metrics,
		})
	}
	return rows, nil
}

// ErrOtherRun says that the rows of a run folder come from another suite or version of allot. Errors of [Run] wrap it.
var ErrOtherRun = errors.New("the folder holds another run")

// ErrForeign says that a run would overwrite a file that does not come from a run. Errors of [Run] wrap it.
var ErrForeign = errors.New("the folder is not one of a run")

// ErrBusy says that another program is running in the run folder. Errors of [Run] wrap it.
var ErrBusy = errors.New("another run goes on in the folder")

// runFolder is a run folder that this program has locked and writes to.
type runFolder struct {
	dir  string
	best *BestStore
	lock *flock.Flock
	rows *os.File
	done map[string]bool // keys of the cells that have a row
	old  []Row           // the rows found in the folder

	bestPath     string // path of best, as the run file states it
	environments []Environment
	broken       error // the error of a row that could not be written; no rows are written after it
}

// withoutLocks explains the error of a lock on a system without locks of files, such as WebAssembly.
func withoutLocks(err error) error {
	if errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("a suite cannot be run on %s/%s, which has no locks of files: %w", runtime.GOOS, runtime.GOARCH, err)
	}
	return err
}

// openRun makes the folder or goes on in an existing one. It takes the lock, compares the rows with the plan, writes the plan to the folder and
// removes an incomplete last line.
func openRun(plan *Plan, opt RunOptions) (folder *runFolder, err error) {
	if err := os.MkdirAll(opt.Dir, 0o777); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(opt.Dir, lockFile))
	if taken, err := lock.TryLock(); err != nil {
		return nil, withoutLocks(err)
	} else if !taken {
		return nil, fmt.Errorf("%s: %w", opt.Dir, ErrBusy)
	}
	folder = &runFolder{dir: opt.Dir, lock: lock, done: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.close())
		}
	}()
	if folder.old, err = folder.readRows(plan, opt.Mixed); err != nil {
		return folder, err
	}
	for _, row := range folder.old {
		folder.done[row.Key] = true
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
	if before, err := ReadRun(opt.Dir); err == nil {
		folder.environments = before.Environments
	}
	if slices.ContainsFunc(plan.Cells, func(cell Cell) bool { return !folder.done[cell.Key] }) {
		folder.environments = append(folder.environments, environment())
	}
	if err := folder.state(plan); err != nil {
		return folder, err
	}
	err = files.RemoveTemporary(opt.Dir)
	if folder.best != nil {
		err = errors.Join(err, folder.best.tidy())
	}
	if err != nil {
		return folder, err
	}
	folder.rows, err = os.OpenFile(filepath.Join(opt.Dir, rowsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	return folder, err
}

// readRows reads the rows in the folder and refuses those of another suite or version. Only then does it mend the end of the file, so that a
// file of another run stays as it is.
func (folder *runFolder) readRows(plan *Plan, mixed bool) ([]Row, error) {
	path := filepath.Join(folder.dir, rowsFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	rows, rest, err := readRows(file, path)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	if !mixed {
		if err := checkRows(path, rows, plan); err != nil {
			return nil, err
		}
	}
	switch {
	case len(rest) == 0:
		return rows, nil
	case len(rows) == 0 && !strings.HasPrefix(string(rest), rowBegin) && !strings.HasPrefix(rowBegin, string(rest)):
		return nil, &model.InputError{File: path, Faults: []model.Fault{{Message: "expected the rows of a run, found something else"}}}
	}
	return rows, mend(path, rest)
}

// rowBegin is the text that every row of a run begins with.
const rowBegin = `{"key":"`

// checkRows returns an error if a row comes from another suite or version than the plan.
func checkRows(path string, rows []Row, plan *Plan) error {
	cells := map[string]*Cell{}
	for k := range plan.Cells {
		cells[plan.Cells[k].Key] = &plan.Cells[k]
	}
	for k, row := range rows {
		at := fmt.Sprintf("%s:%d", path, k+1)
		cell := cells[row.Key]
		switch {
		case cell == nil:
			return fmt.Errorf("%w: %s: the row of %s on %s, seed %d, is of no run of this suite and budget", ErrOtherRun, at, row.Solver, row.Instance, row.Seed)
		case row.Solver != cell.Label || row.Group != plan.Instances[cell.Instance].Group:
			return fmt.Errorf("%w: %s: the row of %s in %q is %s in %q in this suite", ErrOtherRun, at, row.Solver, row.Group, cell.Label, plan.Instances[cell.Instance].Group)
		case row.Version != solve.Version():
			return fmt.Errorf("%w: %s: the row is of version %s of allot, this is %s", ErrOtherRun, at, row.Version, solve.Version())
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

// state writes the plan to the folder, unless the folder states the same plan already.
func (folder *runFolder) state(plan *Plan) error {
	text, err := json.MarshalIndent(RunFile{
		Format: RunFormat, Version: solve.Version(), Suite: *plan.Suite, Best: folder.bestPath, Cells: len(plan.Cells), Instances: plan.Instances, Skipped: plan.Skipped,
		Environments: folder.environments,
	}, "", " ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	path := filepath.Join(folder.dir, runFile)
	old, err := os.ReadFile(path)
	var found struct {
		Format string `json:"format"`
	}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && slices.Equal(old, text):
		return nil
	case err == nil && (json.Unmarshal(old, &found) != nil || found.Format != RunFormat):
		return fmt.Errorf("%w: %s: expected a file of format %q or none", ErrForeign, path, RunFormat)
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// append writes a row as one line with one system call, and waits until it is on the disk.
func (folder *runFolder) append(row *Row) error {
	text, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("the row of %s on %s: %w", row.Solver, row.Instance, err)
	}
	if folder.broken != nil { // a row after half a line would be lost together with it
		return folder.broken
	}
	if _, err = folder.rows.Write(append(text, '\n')); err == nil {
		err = folder.rows.Sync()
	}
	folder.broken = err
	return err
}

// close gives the lock back, so that another run can use the folder.
func (folder *runFolder) close() error {
	var err error
	if folder.rows != nil {
		err = folder.rows.Close()
	}
	return errors.Join(err, folder.lock.Unlock())
}
