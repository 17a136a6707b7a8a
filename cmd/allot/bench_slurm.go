package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/sweep"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/serve/question"
)

func benchSlurmCommand() *cli.Command {
	return &cli.Command{
		Name:      "slurm",
		Usage:     "run a suite as a job array of Slurm",
		ArgsUsage: "SUITE [-- SBATCH OPTIONS]",
		Description: `Writes and prints the batch script of a job array, with one task for each shard that has runs without a row. --submit submits
the array. --wait waits until every run has a row, and then prints the tables. If you give the same command again, it submits only what is missing:
it leaves out shards that are done and tasks that wait or run. Options of sbatch come last, after --.

Examples:
  allot bench slurm bench/suites/mcp.json
  allot bench slurm bench/suites/mcp.json -o sweep --submit --wait -- --partition=long --time=8:00:00`,
		Flags: append(suiteFlags(),
			&cli.IntFlag{Name: "tasks", DefaultText: "half an hour each, at most 100; 16 without a time limit", Usage: "divide the suite into `N` shards"},
			&cli.BoolFlag{Name: "submit", Usage: "submit the array with sbatch"},
			&cli.BoolFlag{Name: "wait", Usage: "wait until every run has a row, then print the tables"},
		),
		Action: runBenchSlurm,
	}
}

// slurmRun is a suite that Slurm runs.
type slurmRun struct {
	c       *cli.Context
	plan    *bench.Plan
	dir     string // of the run, absolute
	array   sweep.Array
	missing []int // indices of the cells without a row that count
}

// runBenchSlurm writes and submits a job array, and follows it.
func runBenchSlurm(c *cli.Context) error {
	if c.NArg() == 0 || c.NArg() > 1 && !strings.HasPrefix(c.Args().Get(1), "-") {
		return usageErrorf("expected SUITE [-- SBATCH OPTIONS], found %q; see %s --help", strings.Join(c.Args().Slice(), " "), c.Command.HelpName)
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	r, err := newSlurmRun(ctx, c)
	if err != nil {
		return interrupted(ctx, err, "nothing was submitted")
	}
	if len(r.missing) > 0 {
		if err := r.submit(ctx); err != nil {
			return interrupted(ctx, err, "squeue shows what was submitted")
		}
		if !c.Bool("wait") {
			return nil
		}
		if err := r.wait(ctx); err != nil {
			return interrupted(ctx, err, "the tasks go on; the same command follows them")
		}
	}
	return reportRun(c, r.plan, r.dir)
}

// newSlurmRun reads the suite and finds out what is missing and how many tasks run it.
func newSlurmRun(ctx context.Context, c *cli.Context) (*slurmRun, error) {
	path, err := findSuite(c.Args().First())
	switch {
	case err != nil:
		return nil, err
	case path == "-":
		return nil, usageErrorf("expected a file that the tasks can read too, found standard input")
	}
	var q question.Suite
	suite, err := readSuite(c, &q, path)
	if err != nil {
		return nil, err
	}
	r := &slurmRun{c: c}
	if r.plan, err = suite.Plan(ctx); err != nil {
		return nil, err
	}
	var words []string
	for _, p := range []*string{&path, new(runFolder(c, suite))} {
		if *p, err = filepath.Abs(*p); err != nil {
			return nil, err
		}
		words = append(words, *p)
	}
	r.dir = words[1]
	if r.missing, err = r.plan.Missing(r.dir, q.Mixed); err != nil {
		return nil, runError(err)
	}
	r.array = sweep.Array{Name: suite.Name, Logs: filepath.Join(r.dir, "slurm"), CPUs: max(1, q.Jobs) * max(1, suite.Workers)}
	if r.array.Folder, err = os.Getwd(); err != nil {
		return nil, err
	}
	if r.array.Command, err = r.command(path); err != nil {
		return nil, err
	}
	r.array.Tasks, err = r.tasks(ctx)
	return r, err
}

// command returns the command that a task runs, but for its shard.
func (r *slurmRun) command(suite string) ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := []string{program, "bench", suite, "--output", r.dir, "--jobs", fmt.Sprint(max(1, r.c.Int("jobs")))}
	for _, name := range []string{"data", "best"} {
		if value := r.c.String(name); r.c.IsSet(name) {
			if value, err = filepath.Abs(value); err != nil {
				return nil, err
			}
			command = append(command, "--"+name, value)
		}
	}
	for _, name := range []string{"workers", "time", "evals", "stale"} {
		if r.c.IsSet(name) {
			command = append(command, "--"+name, fmt.Sprint(r.c.Value(name)))
		}
	}
	for _, name := range []string{"allow-exec", "mixed"} {
		if r.c.Bool(name) {
			command = append(command, "--"+name)
		}
	}
	return command, nil
}

// tasks returns the number of shards: the value of the flag --tasks. Without the flag it returns the number of the last submitted job, so that the cells
// that are missing still lie in few shards.
func (r *slurmRun) tasks(ctx context.Context) (int, error) {
	most := sweep.MostTasks(ctx)
	if given := r.c.Int("tasks"); r.c.IsSet("tasks") && (given < 1 || given > most) {
		return 0, usageErrorf("--tasks: expected a number from 1 to %d, the largest that Slurm takes here, found %d", most, given)
	} else if r.c.IsSet("tasks") {
		return given, nil
	}
	jobs, err := r.array.Jobs()
	if err != nil || len(jobs) == 0 {
		return r.plan.Tasks(most), err
	}
	return min(jobs[len(jobs)-1].Tasks, most), nil
}

// queued returns the tasks of the run that wait or run. All of them have to be of the same number of shards.
func (r *slurmRun) queued(ctx context.Context) ([]int, error) {
	jobs, err := r.array.Jobs()
	if err != nil {
		return nil, err
	}
	var all []int
	for _, job := range jobs {
		tasks, err := r.array.Queued(ctx, job)
		if err != nil {
			return nil, err
		}
		if len(tasks) > 0 && job.Tasks != r.array.Tasks {
			return nil, usageErrorf("job %s runs the suite in %d shards already; wait for it, cancel it, or give --tasks %d", job.ID, job.Tasks, job.Tasks)
		}
		all = append(all, tasks...)
	}
	return all, nil
}

// submit writes and shows the script of the tasks that miss rows and do not wait or run already, and submits it if asked to.
func (r *slurmRun) submit(ctx context.Context) error {
	queued, err := r.queued(ctx)
	if err != nil {
		return err
	}
	var waiting, missing int
	for k, share := range r.plan.Deal(r.array.Tasks) {
		n := 0
		for _, place := range share {
			if _, found := slices.BinarySearch(r.missing, place); found {
				n++
			}
		}
		switch {
		case slices.Contains(queued, k+1):
			waiting++
		case n > 0:
			missing += n
			r.array.Only = append(r.array.Only, k+1)
		}
	}
	if waiting > 0 {
		fmt.Fprintf(r.c.App.ErrWriter, "%s of %d wait or run already\n", numtext.Counted(waiting, "task"), r.array.Tasks)
	}
	if len(r.array.Only) == 0 {
		return nil
	}
	if err := os.MkdirAll(r.array.Logs, 0o777); err != nil {
		return usageErrorf("%w: %w", bench.ErrNoFolder, err)
	}
	script := r.array.ScriptPath()
	if err := writeFile(script, textWriter(r.array.Script())); err != nil {
		return err
	}
	fmt.Fprint(r.c.App.Writer, r.array.Script())
	options := r.c.Args().Slice()[1:]
	what := fmt.Sprintf("%s of %d for %s", numtext.Counted(len(r.array.Only), "task"), r.array.Tasks, numtext.Counted(missing, "run"))
	if !r.c.Bool("submit") {
		words := append(append([]string{"sbatch"}, options...), script)
		for k := range words {
			words[k] = sweep.Quote(words[k])
		}
		fmt.Fprintf(r.c.App.ErrWriter, "%s; --submit submits the array as this command does:\n%s\n", what, printable(strings.Join(words, " ")))
		return nil
	}
	job, err := sweep.Submit(ctx, script, r.array.Tasks, options)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.c.App.ErrWriter, "job %s: %s\n", job.ID, what)
	return r.array.Note(job)
}

// The times between two looks at the rows, and between two questions to Slurm whether tasks are left.
const (
	lookAtRows = 2 * time.Second
	askSlurm   = 15 * time.Second
)

// wait follows the rows until every run has one. It asks Slurm only whether a task is left, because without tasks no more rows are written.
func (r *slurmRun) wait(ctx context.Context) error {
	follow := r.plan.Follow(r.dir)
	bar := newProgress(r.c.App.ErrWriter, printable(r.plan.Suite.Name), len(r.plan.Cells))
	defer bar.finish()
	bar.at(len(r.plan.Cells) - len(r.missing))
	asked := time.Now()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(lookAtRows):
		}
		left := true
		if time.Since(asked) >= askSlurm {
			queued, err := r.queued(ctx)
			if err != nil {
				return err
			}
			left, asked = len(queued) > 0, time.Now()
		}
		missing, err := follow.Missing()
		if err != nil {
			return err
		}
		bar.at(len(r.plan.Cells) - len(missing))
		if left && len(missing) > 0 {
			continue
		}
		if missing, err = r.plan.Missing(r.dir, true); err != nil || len(missing) == 0 {
			return err
		}
		return &statusError{exitFailure, errors.New(printable(fmt.Sprintf("%s of %d without a row, and no task waits or runs; see %s for the cause; the same command with --submit submits them again",
			numtext.Counted(len(missing), "run"), len(r.plan.Cells), filepath.Join(r.array.Logs, "K.out"))))}
	}
}
