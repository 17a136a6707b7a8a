package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/batsim"
	"github.com/allot-opt/allot/model/etc"
	"github.com/allot-opt/allot/model/jobcsv"
	"github.com/allot-opt/allot/model/swf"
	"github.com/allot-opt/allot/model/wfformat"
)

func importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "turn a real trace, matrix, workflow or table into an instance",
		ArgsUsage: "FORMAT",
		Description: `Writes the instance to standard output (or -o FILE) and what was dropped or repaired, and why, to standard
error. Compressed files (gzip) are read as they are; - is standard input.

Examples:
  allot import swf --jobs 2000 --batch TRACE.swf.gz -o batch.json
  allot import jobs --processors 25 jobs.csv`,
		Subcommands: []*cli.Command{importSWF(), importETC(), importWfFormat(), importJobs(), importBatsim()},
		Action: func(c *cli.Context) error {
			return usageErrorf("expected a format, one of swf, etc, wfformat, jobs, batsim; found %q", c.Args().First())
		},
	}
}

// reader reads an instance of a foreign format.
type reader func(c *cli.Context, r io.Reader, name string) (*model.Instance, *model.ImportReport, error)

// importFormat is the subcommand of one format.
func importFormat(name, usage, example string, flags []cli.Flag, read reader) *cli.Command {
	return &cli.Command{
		Name:        name,
		Usage:       usage,
		ArgsUsage:   "FILE",
		Description: "Example:\n  " + example,
		Flags:       append(flags, outputFlag),
		Action: func(c *cli.Context) error {
			args, err := arguments(c, "FILE")
			if err != nil {
				return err
			}
			if err := checkChoices(c); err != nil {
				return err
			}
			file, err := model.Open(args[0])
			if err != nil {
				return &statusError{exitInput, err}
			}
			defer file.Close()
			in, report, err := read(c, file, model.InputName(args[0]))
			if err != nil {
				return &statusError{exitInput, withFlagNames(err)}
			}
			fmt.Fprintln(c.App.ErrWriter, printable(report.String()))
			return write(c, c.String("output"), func(w io.Writer) error { return model.WriteInstance(w, in) })
		},
	}
}

// withFlagNames gives the options of a reader the names that they have here: "option UnknownSubmit" is --unknown-submit.
func withFlagNames(err error) error {
	var input *model.InputError
	if !errors.As(err, &input) {
		return err
	}
	for k := range input.Faults {
		option, ok := strings.CutPrefix(input.Faults[k].Path, "option ")
		if !ok {
			continue
		}
		var flag strings.Builder
		for _, r := range option {
			if unicode.IsUpper(r) {
				flag.WriteByte('-')
			}
			flag.WriteRune(unicode.ToLower(r))
		}
		input.Faults[k].Path = "-" + flag.String()
	}
	return err
}

// The flags that several formats share.
var (
	firstFlag      = &cli.IntFlag{Name: "first", Usage: "skip the first `N` jobs of the file"}
	jobsFlag       = &cli.IntFlag{Name: "jobs", DefaultText: "all", Usage: "take at most `N` jobs"}
	processorsFlag = &cli.IntFlag{Name: "processors", DefaultText: "as the file says", Usage: "`N` processors of the system"}
	clusterFlag    = &cli.StringFlag{Name: "cluster", Value: "cluster", Usage: "`ID` of the cluster"}
)

// preferRequestedFlag chooses between the two numbers of processors of a trace.
var preferRequestedFlag = &cli.BoolFlag{Name: "prefer-requested", Value: true, Usage: "take the requested number of processors before the allocated; =false: the other way round"}

// estimatesFlag chooses what becomes of the requested times of a trace.
func estimatesFlag() cli.Flag {
	return newChoice("estimates", "raise", "`POLICY` on requested times, which stay apart from run times (raise: to at least the run time)", "raise", "keep", "ignore")
}

// importSWF reads traces in the Standard Workload Format.
func importSWF() *cli.Command {
	odd := func(name, what string, actions ...string) cli.Flag {
		return newChoice(name, "drop", "`ACTION` on jobs "+what, append([]string{"drop", "repair"}, actions...)...)
	}
	flags := []cli.Flag{
		firstFlag, jobsFlag, processorsFlag, clusterFlag,
		&cli.BoolFlag{Name: "batch", Usage: "release every job at 0"},
		&cli.BoolFlag{Name: "absolute-time", Usage: "keep the submit times as they are in the file"},
		preferRequestedFlag, estimatesFlag(),
		newChoice("memory", "", "read the memory that is `WHICH`", "used", "requested"),
		odd("too-wide", "wider than the system (repair: as wide as it)", "keep"),
		odd("zero-runtime", "of run time 0 (repair: 1 s)", "keep"),
		odd("unknown-runtime", "without a run time (repair: the CPU or requested time)"),
		odd("unknown-processors", "without a number of processors (repair: 1)"),
		odd("unknown-submit", "without a submit time (repair: that of the job above)"),
	}
	return importFormat("swf", "a trace in the Standard Workload Format", "allot import swf --jobs 2000 --batch TRACE.swf.gz", flags,
		func(c *cli.Context, r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
			return swf.Read(r, name, swf.Options{
				First: c.Int("first"), Jobs: c.Int("jobs"), Processors: c.Int("processors"), Cluster: c.String("cluster"),
				Batch: c.Bool("batch"), AbsoluteTime: c.Bool("absolute-time"), PreferRequested: c.Bool("prefer-requested"),
				Estimates: swf.Estimates(c.String("estimates")), Memory: swf.Memory(c.String("memory")),
				TooWide: swf.Action(c.String("too-wide")), ZeroRuntime: swf.Action(c.String("zero-runtime")),
				UnknownRuntime: swf.Action(c.String("unknown-runtime")), UnknownProcessors: swf.Action(c.String("unknown-processors")),
				UnknownSubmit: swf.Action(c.String("unknown-submit")),
			})
		})
}

// importETC reads matrices of execution times.
func importETC() *cli.Command {
	return importFormat("etc", "a matrix of expected times to compute", "allot import etc u_c_hihi.0.gz", []cli.Flag{firstFlag, jobsFlag},
		func(c *cli.Context, r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
			return etc.Read(r, name, etc.Options{First: c.Int("first"), Jobs: c.Int("jobs")})
		})
}

// importWfFormat reads workflows of WfCommons.
func importWfFormat() *cli.Command {
	flags := []cli.Flag{
		processorsFlag, clusterFlag,
		newChoice("missing-runtime", "keep", "`ACTION` on tasks without a run time (keep: of length 0)", "keep", "drop"),
		&cli.BoolFlag{Name: "memory", Usage: "read the memory of each task"},
	}
	return importFormat("wfformat", "a workflow in WfCommons' WfFormat", "allot import wfformat --processors 16 workflow.json", flags,
		func(c *cli.Context, r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
			return wfformat.Read(r, name, wfformat.Options{
				Processors: c.Int("processors"), Cluster: c.String("cluster"),
				MissingRuntime: wfformat.Action(c.String("missing-runtime")), Memory: c.Bool("memory"),
			})
		})
}

// importJobs reads CSV tables of jobs.
func importJobs() *cli.Command {
	return importFormat("jobs", "a CSV of jobs whose header has the names of a job's fields", "allot import jobs --processors 25 jobs.csv",
		[]cli.Flag{&cli.IntFlag{Name: "processors", DefaultText: "required", Usage: "`N` processors of the cluster"}, clusterFlag},
		func(c *cli.Context, r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
			return jobcsv.Read(r, name, jobcsv.Options{Processors: c.Int("processors"), Cluster: c.String("cluster")})
		})
}

// importBatsim reads the table of jobs that Batsim puts out.
func importBatsim() *cli.Command {
	return importFormat("batsim", "the table of jobs that Batsim puts out (jobs.csv)", "allot import batsim out_jobs.csv", []cli.Flag{processorsFlag, clusterFlag},
		func(c *cli.Context, r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
			return batsim.Read(r, name, batsim.Options{Processors: c.Int("processors"), Cluster: c.String("cluster")})
		})
}
