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
	"slices"

	"github.com/gofrs/flock"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// RunFormat is the format of the file suite.json of a run folder.
const RunFormat = "allot-run/1"

// The files of a run folder beside rowsFile.
const (
	runFile    = "suite.json"
	lockFile   = "lock"
	bestFolder = "best"
)

// RunFile is the file suite.json of a run folder: what is run. Beside it are rows.jsonl, a [Row] a line, appended to as runs end, and
// best, the [BestStore] unless another was named. [PlannedInstance.Load] makes an instance again.
type RunFile struct {
	Format    string            `json:"format"`
	Version   string            `json:"version"` // of allot
	Suite     Suite             `json:"suite"`
	Best      string            `json:"best,omitempty"` // folder of the best-known solutions; relative: to the run folder; absent: the run keeps none
	Cells     int               `json:"cells" check:"counter"`
	Instances []PlannedInstance `json:"instances"`
	Skipped   []Skipped         `json:"skipped,omitempty"`
}

// ReadRun reads what a run folder says of itself; [ReadRows] reads its rows.
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

// Known are the best-known solutions of the instances, checked, as rows, without the schedule, which
// [BestStore.Best] gives; warn is told of those that are wrong. Those that
// the run itself stored are among them.
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

// ErrOtherRun is wrapped by the error where the rows of a run folder are of another suite or version of allot.
var ErrOtherRun = errors.New("the folder holds another run")

// ErrBusy is wrapped by the error where another program runs in the run folder.
var ErrBusy = errors.New("another run goes on in the folder")

// runFolder is a run folder that is being run in.
type runFolder struct {
	dir  string
	best *BestStore
	lock *flock.Flock
	rows *os.File
	done map[string]bool // keys of the cells that have a row
	old  []Row           // found in the folder
}

// openRun makes the folder or goes on in it: it takes the lock, compares the rows with the plan, states the plan and cuts off a torn line.
func openRun(plan *Plan, opt RunOptions) (folder *runFolder, err error) {
	if err := os.MkdirAll(opt.Dir, 0o777); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(opt.Dir, lockFile))
	if taken, err := lock.TryLock(); err != nil {
		return nil, err
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
	err = files.RemoveTemporary(opt.Dir)
	if folder.best != nil {
		err = errors.Join(err, folder.best.tidy())
	}
	if err != nil {
		return folder, err
	}
	if err := folder.state(plan, best); err != nil {
		return folder, err
	}
	folder.rows, err = os.OpenFile(filepath.Join(opt.Dir, rowsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	return folder, err
}

// readRows reads the rows that are there, after cutting off a torn line, and refuses those of another suite or version.
func (folder *runFolder) readRows(plan *Plan, mixed bool) ([]Row, error) {
	path := filepath.Join(folder.dir, rowsFile)
	if err := cutTorn(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	rows, err := ReadRows(path)
	if err != nil || mixed {
		return rows, err
	}
	cells := map[string]*Cell{}
	for k := range plan.Cells {
		cells[plan.Cells[k].Key] = &plan.Cells[k]
	}
	for k, row := range rows {
		at := fmt.Sprintf("%s:%d", path, k+1)
		cell := cells[row.Key]
		switch {
		case cell == nil:
			return nil, fmt.Errorf("%w: %s: the row of %s on %s, seed %d, is of no run of this suite and budget", ErrOtherRun, at, row.Solver, row.Instance, row.Seed)
		case row.Solver != cell.Label || row.Group != plan.Instances[cell.Instance].Group:
			return nil, fmt.Errorf("%w: %s: the row of %s in %q is %s in %q in this suite", ErrOtherRun, at, row.Solver, row.Group, cell.Label, plan.Instances[cell.Instance].Group)
		case row.Version != solve.Version():
			return nil, fmt.Errorf("%w: %s: the row is of version %s of allot, this is %s", ErrOtherRun, at, row.Version, solve.Version())
		}
	}
	return rows, nil
}

// cutTorn cuts off what follows the last line feed: the line that was being written when a run was killed.
func cutTorn(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekEnd)
	keep := size
	buffer := make([]byte, 1<<16)
	for err == nil && keep > 0 {
		from := max(0, keep-int64(len(buffer)))
		part := buffer[:keep-from]
		if _, err = file.ReadAt(part, from); err != nil {
			break
		}
		if last := bytes.LastIndexByte(part, '\n'); last >= 0 {
			keep = from + int64(last) + 1
			break
		}
		keep = from
	}
	if err == nil && keep < size {
		err = file.Truncate(keep)
	}
	return errors.Join(err, file.Close())
}

// state writes the plan to the folder, unless it says the same already.
func (folder *runFolder) state(plan *Plan, best string) error {
	text, err := json.MarshalIndent(RunFile{
		Format: RunFormat, Version: solve.Version(), Suite: *plan.Suite, Best: best, Cells: len(plan.Cells), Instances: plan.Instances, Skipped: plan.Skipped,
	}, "", " ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	path := filepath.Join(folder.dir, runFile)
	if old, err := os.ReadFile(path); err == nil && slices.Equal(old, text) {
		return nil
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// append writes a row for good: as one line, in one piece, to the disk.
func (folder *runFolder) append(row *Row) error {
	text, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("the row of %s on %s: %w", row.Solver, row.Instance, err)
	}
	if _, err := folder.rows.Write(append(text, '\n')); err != nil {
		return err
	}
	return folder.rows.Sync()
}

// close lets another run into the folder.
func (folder *runFolder) close() error {
	var err error
	if folder.rows != nil {
		err = folder.rows.Close()
	}
	return errors.Join(err, folder.lock.Unlock())
}
