package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
	"github.com/allot-opt/allot/bench/tables"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

func compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "run several solvers on the same instances",
		ArgsUsage: "INSTANCE…",
		Description: `Prints one table per instance, with a row for each solver, the best first: objective, bound, gap, deviation from the best found (RPD),
metrics and time. A star marks the best of each column, among the schedules that leave out the fewest jobs. Every schedule is checked first. A table too wide for the terminal, or for 80 columns
where there is none, leaves out some metrics and names them below; --metrics or -o keep them.

Then it compares the first solver with each of the others: the ratio of the objectives with its 95 % interval, as mine/heft 0.93 [0.90, 0.97],
and whether a difference is shown. The first lines say which runs the time limit stopped, which failed, and whether other programs kept the
machine busy. The exit status is 1 if a run failed; the others are shown.

Examples:
  allot compare examples/multicluster.json
  allot import swf --jobs 2000 --batch TRACE.swf.gz | allot compare --solvers fcfs-list,dll,muscle -
  allot compare --solvers muscle:reading=a,b=muscle:reading=b,muscle+search examples/multicluster.json
  allot compare --time 10s --solvers 'search,exec:python3 examples/external/cpsat.py' examples/multicluster.json`,
		Flags: append(flagsOf(new(question.Compare)),
			&cli.StringFlag{Name: "metrics", DefaultText: "those that matter for the instance", Usage: "`NAMES` of the metrics in the table, separated by commas; metrics of clusters have their own table"},
			jsonFlag,
			&cli.BoolFlag{Name: "csv", Usage: "write CSV, with the metrics that --metrics names, or all"},
			&cli.StringFlag{Name: "save", Usage: "write each solution to folder `DIR`, as INSTANCE.SOLVER.json"},
			outputFlag,
		),
		Action: runCompare,
	}
}

// comparison is what compare was asked to do.
type comparison struct {
	instances []answers.Compared
	settings  bench.Settings
	metrics   []model.Metric // of the table; nil: by the instance
	output    string         // file; "-": standard output
}

// runCompare runs the solvers on each instance.
func runCompare(c *cli.Context) error {
	asked, err := readComparison(c)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	watch := newBusyWatch()
	var all []bench.Row
	instances := new(strings.Builder) // a table for each
	width := asked.width(c)
	for _, in := range asked.instances {
		rows, err := compareOn(ctx, c, in, asked.settings, watch)
		if err != nil {
			return err
		}
		if err := bench.ShareBounds(ctx, in.Instance, rows); err != nil {
			return err
		}
		all = append(all, rows...)
		if len(rows) > 0 {
			if err := writeComparison(instances, in, rows, asked.metrics, width); err != nil {
				return err
			}
		}
	}
	switch {
	case c.Bool("json"):
		err = write(c, asked.output, func(w io.Writer) error { return bench.WriteJSON(w, all) })
	case c.Bool("csv"):
		fmt.Fprint(c.App.ErrWriter, printable(asked.caveats(0))) // rows of CSV have no place for it
		err = write(c, asked.output, func(w io.Writer) error { return tables.WriteCSV(w, all, asked.metrics) })
	default:
		err = write(c, asked.output, func(w io.Writer) error {
			return writeComparisons(w, all, asked.caveats, watch.remark(), instances.String(), width)
		})
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.App.ErrWriter, "allot: interrupted: some runs are cut short or missing")
	}
	return faults(all)
}

// caveats says what the instances leave out, in lines of at most the given number of cells. Several instances are named.
func (a *comparison) caveats(columns int) string {
	text := ""
	for _, in := range a.instances {
		label := ""
		if len(a.instances) > 1 {
			label = in.Label + ": "
		}
		text += caveatsText(in.Instance, label, columns)
	}
	return text
}

// writeComparisons writes what the instances leave out, the remarks, the tables of all instances, and how the first solver compares with the others.
func writeComparisons(w io.Writer, rows []bench.Row, caveats func(columns int) string, busy, instances string, width int) error {
	text := new(strings.Builder)
	if len(rows) == 0 { // interrupted before the first run
		return nil
	}
	width = cmp.Or(width, plainWidth) // of sentences, also where tables may be wider
	text.WriteString(caveats(width))
	for _, remark := range tables.Remarks(rows) {
		text.WriteString(tables.Wrapped(remark, width))
	}
	if busy != "" {
		text.WriteString(tables.Wrapped(busy, width))
	}
	if text.Len() > 0 {
		text.WriteByte('\n')
	}
	text.WriteString(instances)
	text.WriteByte('\n')
	if err := report.WriteBeside(text, rows, width); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable(strings.TrimRight(text.String(), "\n")+"\n"))
	return err
}

// plainWidth is the width of text that goes to no terminal.
const plainWidth = 80

// width returns how many cells wide the tables may be: as wide as the terminal, or [plainWidth] without one. It returns 0, for no limit, where the tables go to a
// file, or where there is no terminal and --metrics names the columns.
func (a *comparison) width(c *cli.Context) int {
	terminal := terminalOf(c.App.Writer)
	switch {
	case a.output != "-":
		return 0
	case terminal != nil:
		return widthOf(terminal)
	case a.metrics != nil:
		return 0
	}
	return plainWidth
}

// busyWatch looks how busy the machine is while solvers run. What it sees is only told to people and decides nothing.
type busyWatch struct {
	most  float64 // the greatest load, see [bench.Load]
	cores int
}

// newBusyWatch looks for the first time, before any solver runs.
func newBusyWatch() *busyWatch {
	w := new(busyWatch)
	w.look()
	return w
}

// look notes the load.
func (w *busyWatch) look() {
	load, cores := bench.Load()
	w.most, w.cores = max(w.most, load), cores
}

// remark says that the machine was too busy; empty: it was not.
func (w *busyWatch) remark() string { return tables.Busy(w.most, w.cores) }

// readComparison reads the flags and all the instances, so that a mistake in the last comes before the runs on the first.
func readComparison(c *cli.Context) (it comparison, err error) {
	if c.NArg() == 0 {
		return it, usageErrorf("expected INSTANCE…, found none; see allot compare --help")
	}
	if c.Bool("json") && c.Bool("csv") {
		return it, usageErrorf("expected only one of --json and --csv, found both")
	}
	var q question.Compare
	if err := asked(c, &q); err != nil {
		return it, err
	}
	workers, err := workersOf(c, q.Workers)
	if err != nil {
		return it, err
	}
	it.settings = bench.Settings{Time: q.Time.Duration(), Options: q.Options(workers)}
	solvers, err := answers.Solvers(q.Solvers) // nil: all that support an instance
	if err != nil {
		return it, flagErrors(err)
	}
	it.output = c.String("output")
	if err := checkWritable(it.output); err != nil {
		return it, err
	}
	if it.metrics, err = metricsNamed(c.String("metrics")); err != nil {
		return it, err
	}
	if err := oneFromStdin("the instances", c.Args().Slice()...); err != nil {
		return it, err
	}
	if it.instances, err = readInstances(c, solvers); err != nil {
		return it, err
	}
	if dir := c.String("save"); dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return it, cannotWrite(dir, err)
		}
		return it, checkWritable(filepath.Join(dir, "solution.json"))
	}
	return it, nil
}

// metricsNamed are the metrics of a list of names; nil of an empty one.
func metricsNamed(list string) ([]model.Metric, error) {
	if list == "" {
		return nil, nil
	}
	metrics := []model.Metric{}
	for name := range strings.SplitSeq(list, ",") {
		m, ok := model.MetricNamed(strings.TrimSpace(name))
		if !ok {
			return nil, usageErrorf("--metrics: expected names of metrics, which allot metrics lists; found %q%s", name, suggest.Words(strings.TrimSpace(name), metricNames()))
		}
		metrics = append(metrics, m)
	}
	return metrics, nil
}

// metricNames lists the names of all metrics.
func metricNames() []string {
	return kit.Each(model.MetricTable(), func(m model.Metric) string { return m.Name })
}

// readInstances reads the files, with the objective that the flag names. An instance without a name goes by that of its file; the second of a name gets a number.
func readInstances(c *cli.Context, solvers []solve.Choice) ([]answers.Compared, error) {
	var list []answers.Compared
	lineup := answers.Lineup{Solvers: solvers, Stated: !c.Bool("presolve"), Safe: safeName}
	for _, path := range c.Args().Slice() {
		in, err := readTarget(c, path)
		if err != nil {
			return nil, err
		}
		source := filepath.Base(path)
		if path == "-" {
			source = "instance"
		}
		named, err := lineup.Add(in, source)
		if err != nil {
			return nil, usageErrorf("%s: %w", path, err)
		}
		list = append(list, named)
	}
	return list, nil
}

// compareOn runs the solvers on one instance.
func compareOn(ctx context.Context, c *cli.Context, in answers.Compared, settings bench.Settings, watch *busyWatch) ([]bench.Row, error) {
	bar := newProgress(c.App.ErrWriter, printable(in.Label), len(in.Solvers))
	defer bar.finish()
	var rows []bench.Row
	for _, choice := range in.Solvers {
		if ctx.Err() != nil {
			break
		}
		bar.describe(choice.Label)
		row := in.Row(ctx, choice, settings)
		watch.look()
		bar.step()
		rows = append(rows, row)
		if dir := c.String("save"); dir != "" && row.Solution != nil {
			path := filepath.Join(dir, safeName(in.Label)+"."+safeName(row.Solver)+".json")
			if err := writeFile(path, func(w io.Writer) error { return model.WriteSolution(w, row.Solution) }); err != nil {
				return rows, err
			}
		}
	}
	return rows, nil
}

// safeName makes a name safe as part of a file's name. Two of them must fit into one file name, so a long command is cut and made
// unique by its hash.
func safeName(name string) string {
	const longest = 110
	safe := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r < ' ' {
			return '_'
		}
		return r
	}, name)
	if len(safe) > longest {
		safe = strings.ToValidUTF8(safe[:longest-9], "") + fmt.Sprintf("-%x", sha256.Sum256([]byte(name)))[:9]
	}
	return safe
}

// writeComparison writes the table of one instance.
func writeComparison(w io.Writer, in answers.Compared, rows []bench.Row, metrics []model.Metric, width int) error {
	if metrics == nil {
		metrics = append(shown.Metrics(in.Instance), shown.ClusterMetrics(in.Instance)...)
	}
	single := kit.That(metrics, func(m model.Metric) bool { return !m.PerCluster })
	byCluster := kit.That(metrics, func(m model.Metric) bool { return m.PerCluster })
	text := new(strings.Builder)
	fmt.Fprintf(text, "%s: %s, %s, %s; minimise %s\n", in.Label, numtext.Counted(len(in.Jobs()), "job"), numtext.Counted(len(in.Clusters()), "cluster"),
		numtext.Counted(in.Processors(), "processor"), shown.Objective(in.Instance))
	if err := tables.Write(text, rows, single, width); err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(row bench.Row) bool { return row.Metrics != nil }) && byCluster != nil {
		clusters := kit.Each(in.Clusters(), func(cluster model.Cluster) string { return cluster.ID })
		if err := tables.WriteClusters(text, rows, byCluster, clusters, width); err != nil {
			return err
		}
	}
	if why := shown.Unbounded(in.Instance); why != "" {
		fmt.Fprintln(text, why)
	}
	if proved := kit.That(rows, func(row bench.Row) bool { return row.Status == model.Optimal }); proved != nil {
		names := kit.Each(proved, func(row bench.Row) string { return row.Solver })
		fmt.Fprintf(text, "%s: %s\n", model.OptimalFor(in.StatedObjective()), strings.Join(names, ", "))
	}
	for _, row := range rows {
		if row.Fault == "" && row.Solution == nil {
			fmt.Fprintf(text, "%s: %s\n", row.Solver, answers.WithoutSolution(row.Status, row.Stop))
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// faults is an error where a run failed or a program crashed, or where no solver has a solution; an instance that a solver does not support is no failure
// unless none does.
func faults(rows []bench.Row) error {
	ran, solved, infeasible := 0, 0, 0
	var failed []*bench.Row
	for k := range rows {
		row := &rows[k]
		if row.Failed() || row.Crashed() {
			failed = append(failed, row)
		}
		switch {
		case row.Kind == bench.WrongSchedule:
			return &statusError{exitViolations, fmt.Errorf("solver %s: %s", row.Solver, row.Fault)}
		case row.Fault != "":
			continue
		case row.Solution != nil:
			solved++
		case row.Status == model.Infeasible:
			infeasible++
		}
		ran++
	}
	switch {
	case failed != nil:
		return &statusError{exitFailure, fmt.Errorf("%s of %d failed; the first: %s on %s: %s", numtext.Counted(len(failed), "run"), len(rows), failed[0].Solver, failed[0].Instance,
			cmp.Or(failed[0].Fault, failed[0].Warning))}
	case solved > 0:
		return nil
	case ran == 0 && len(rows) > 0:
		return usageErrorf("no solver could run: %s: %s", rows[0].Solver, rows[0].Fault)
	case infeasible > 0:
		return &statusError{exitViolations, errors.New("proved infeasible")}
	}
	return &statusError{exitNoSolution, errors.New("no solver found a solution")}
}
