package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/allot-opt/allot/internal/claim"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/solve"
)

// runFormat is the format of the file suite.json of a run folder.
const runFormat = "allot-run/1"

// The names of the files in a run folder, besides rowsFile.
const (
	runFile      = "suite.json"
	bestFolder   = "best"
	claimsFolder = "claims" // of the cells that run, see [RunOptions]
	lockSuffix   = ".lock"  // of the file that a lock is for
)

// RunFile is the file suite.json of a run folder. It states what is run. The folder also has the file rows.jsonl with one [Row] per line, to which
// each finished run is appended (rows-K.jsonl of shard K), and the folder best, a [BestStore], unless another was named. [PlannedInstance.Load]
// makes an instance again.
type RunFile struct {
	Format    string            `json:"format"`
	Version   string            `json:"version"` // version of allot
	Suite     Suite             `json:"suite"`
	Best      string            `json:"best,omitempty"` // folder of the best-known solutions, absolute or relative to the run folder; absent: the run keeps none
	Cells     int               `json:"cells" check:"counter"`
	Instances []PlannedInstance `json:"instances"`
	Skipped   []Skipped         `json:"skipped,omitempty"`

	// Refused has the reason of each cell that its solver refused when it ran, by the key of the cell. They are counted in Skipped too, and not in Cells.
	Refused map[string]string `json:"refused,omitempty"`

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
	if err := model.ReadDocument(file, path, r, runFormat); err != nil {
		return nil, err
	}
	r.Suite.File = path
	if r.Best != "" && !filepath.IsAbs(r.Best) {
		r.Best = filepath.Join(dir, r.Best)
	}
	return r, nil
}

// Known returns the best-known objectives of the instances: those that files state ([RunFile.Stated]), and those of the stored solutions, also of
// this run. It checks each stored solution and returns it as a row without the schedule, which [BestStore.Best] returns. It calls warn for
// each stored solution that is wrong.
func (r *RunFile) Known(warn func(string)) ([]Row, error) {
	rows := r.Stated()
	if r.Best == "" {
		return rows, nil
	}
	store := OpenBest(r.Best)
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
		row := Row{
			Group: planned.Group, Instance: planned.Name, InstanceSHA256: planned.SHA256, Jobs: planned.Jobs, Minimised: shown.Objective(in),
			Solver: sol.Solver, Seed: sol.Seed, Version: sol.Version, Status: sol.Status, Stop: sol.Stop,
			Objective: sol.Objective, Metrics: sol.Metrics,
		}
		row.leave(in, sol)
		rows = append(rows, row)
	}
	return rows, nil
}

// ErrOtherRun says that the rows of a run folder come from another suite or version of allot. Errors of [Run] wrap it.
var ErrOtherRun = errors.New("the folder holds another run")

// ErrForeign says that a run would overwrite a file that does not come from a run. Errors of [Run] wrap it.
var ErrForeign = errors.New("the folder is not a run folder")

// ErrBusy says that another program is running the same cells in the run folder. Errors of [Run] wrap it.
var ErrBusy = errors.New("another program runs in the folder")

// ErrNoFolder says that a run folder cannot be made or written to. Errors of [Run] wrap it.
var ErrNoFolder = errors.New("the run folder cannot be used")

// state writes the plan to the folder, with what change adds to what the folder states already. One program does so at a time.
func (folder *runFolder) state(ctx context.Context, plan *Plan, change func(*RunFile)) (err error) {
	path := filepath.Join(folder.dir, runFile)
	lock, err := claim.Wait(ctx, path+lockSuffix, "", folder.stale, folder.told)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	old, err := os.ReadFile(path)
	var found struct {
		Format string `json:"format"`
	}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && (json.Unmarshal(old, &found) != nil || found.Format != runFormat):
		return fmt.Errorf("%w: %s: expected a file of format %q or none", ErrForeign, path, runFormat)
	}
	file := RunFile{
		Format: runFormat, Version: solve.Version(), Suite: *plan.Suite, Best: folder.bestPath, Instances: plan.Instances, Refused: map[string]string{},
	}
	if before, err := ReadRun(folder.dir); err == nil {
		file.Environments = before.Environments
		maps.Copy(file.Refused, before.Refused)
	}
	change(&file)
	refused := file.refusals(plan)
	file.Skipped, file.Cells = slices.Concat(plan.Skipped, refused), len(plan.Cells)-len(file.Refused)
	text, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := files.RemoveTemporary(folder.dir); err != nil || slices.Equal(old, text) {
		return err
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// refusals counts the cells that solvers refused when they ran: a solver's instances count once, whatever the seeds. It drops those that are no cells
// of the plan.
func (r *RunFile) refusals(plan *Plan) []Skipped {
	type pair struct {
		label    string
		instance int
	}
	counted, refused := map[pair]bool{}, map[string]string{}
	var refusals Plan
	for k := range plan.Cells {
		cell := &plan.Cells[k]
		reason, ok := r.Refused[cell.Key]
		if !ok {
			continue
		}
		refused[cell.Key] = reason
		if at := (pair{cell.Label, cell.Instance}); !counted[at] {
			counted[at] = true
			refusals.skip(cell.Label, reason)
		}
	}
	r.Refused = refused
	return refusals.Skipped
}
