package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/serve/answers"
)

func importCommand() *cli.Command {
	command := &cli.Command{
		Name:      "import",
		Usage:     "turn a real trace, matrix, workflow or table into an instance",
		ArgsUsage: "FORMAT",
		Description: `Writes the instance to standard output or to -o FILE, and reports on standard error what it dropped or repaired, and why. If jobs arrive
over time, the objective is the mean bounded slowdown, otherwise the makespan; --objective chooses another metric.
FILE may be compressed by gzip; - is standard input.

Examples:
  allot import swf --jobs 2000 --batch TRACE.swf.gz -o batch.json
  allot import swf --objective mean_response TRACE.swf.gz -o trace.json
  allot import jobs --processors 25 jobs.csv
  allot import slurm -o queue.json`,
	}
	for _, info := range formats.All() {
		command.Subcommands = append(command.Subcommands, importFormat(info))
	}
	command.Subcommands = append(command.Subcommands, importSlurm(), importTariff())
	names := commandNames(command.Subcommands)
	command.Action = func(c *cli.Context) error {
		return noSuch("a format", c.Args().First(), names)
	}
	return command
}

// importFormat is the subcommand of one format.
func importFormat(info formats.Info) *cli.Command {
	command := &cli.Command{
		Name:        info.Name,
		Usage:       info.Doc,
		ArgsUsage:   "FILE",
		Description: "Example:\n  " + info.Example,
		Flags:       append(importFlags(info.New()), importObjectiveFlag(), outputFlag),
	}
	if _, several := info.New().(formats.FilesReader); several {
		command.ArgsUsage = "FILE…"
		command.Action = func(c *cli.Context) error {
			if !c.Args().Present() {
				return usageErrorf("expected at least one FILE, found none; see %s --help", c.Command.HelpName)
			}
			return importFiles(c, info, c.Args().Slice())
		}
		return command
	}
	command.Action = taking(func(c *cli.Context, args []string) error { return importFiles(c, info, args) }, "FILE")
	return command
}

// importFiles reads the files, several only if the format takes several, and writes the instance.
func importFiles(c *cli.Context, info formats.Info, paths []string) error {
	reader := info.New()
	if err := setParameters(c, reader); err != nil {
		return err
	}
	if err := oneFromStdin("the files", paths...); err != nil {
		return err
	}
	var sources []formats.Source
	for _, path := range paths {
		file, err := model.Open(path)
		if err != nil {
			return &statusError{exitInput, err}
		}
		defer file.Close()
		sources = append(sources, formats.Source{Reader: file, Name: model.InputName(path)})
	}
	read := func() (*model.Instance, *model.ImportReport, error) {
		return reader.Read(sources[0].Reader, sources[0].Name)
	}
	if several, ok := reader.(formats.FilesReader); ok {
		read = func() (*model.Instance, *model.ImportReport, error) { return several.ReadFiles(sources) }
	}
	in, report, err := read()
	if err != nil {
		return &statusError{exitInput, withFlagNames(err)}
	}
	return writeImport(c, in, report)
}

// writeImport writes an instance that was imported, with its objective, and what became of the jobs.
func writeImport(c *cli.Context, in *model.Instance, report *model.ImportReport) error {
	in, err := withImportObjective(c, in)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.App.ErrWriter, printable(report.String()))
	return write(c, c.String("output"), func(w io.Writer) error { return model.WriteInstance(w, in) })
}

// importObjectiveFlag chooses the objective that the instance states.
func importObjectiveFlag() cli.Flag {
	return &cli.StringFlag{Name: "objective", DefaultText: "bounded_slowdown if jobs arrive over time, otherwise makespan",
		Usage: "let the instance minimise `METRIC`; see allot metrics"}
}

// withImportObjective gives the instance its objective.
func withImportObjective(c *cli.Context, in *model.Instance) (*model.Instance, error) {
	in, err := answers.WithImportObjective(in, c.String("objective"))
	return in, flagErrors(err)
}

// importFlags are the options of a reader as flags: those named, else all.
func importFlags(reader formats.Reader, names ...string) []cli.Flag {
	var flags []cli.Flag
	for _, p := range params.Of(reader) {
		if names != nil && !slices.Contains(names, p.Name) {
			continue
		}
		name := strings.ReplaceAll(p.Name, "_", "-")
		usage := strings.Replace(strings.Replace(p.Usage(), "'", "`", 1), "'", "`", 1)
		switch {
		case p.Values != nil:
			flags = append(flags, newChoice(name, p.Default, usage, p.Values...))
		case p.Type == "bool":
			flags = append(flags, &cli.BoolFlag{Name: name, Value: p.Default == "true", Usage: usage})
		case p.Type == "int":
			usual := p.Default
			if usual == "required" {
				usual = "none, the flag is required"
			}
			flags = append(flags, &cli.IntFlag{Name: name, DefaultText: usual, Usage: usage})
		case p.Type != "string": // a number with a fraction, which params.Set reads
			flags = append(flags, &cli.StringFlag{Name: name, DefaultText: p.Default, Usage: usage})
		default:
			flags = append(flags, &cli.StringFlag{Name: name, Value: p.Default, Usage: usage})
		}
	}
	return flags
}

// setParameters sets the parameters of a reader or a workload that flags name.
func setParameters(c *cli.Context, target any) error {
	if err := checkChoices(c); err != nil {
		return err
	}
	for _, p := range params.Of(target) {
		flag := strings.ReplaceAll(p.Name, "_", "-")
		if !c.IsSet(flag) {
			continue
		}
		if err := params.Set(target, p.Name, fmt.Sprint(c.Value(flag))); err != nil {
			return flagError(flag, err)
		}
	}
	return nil
}

// flagError is the error of a parameter that the flag sets.
func flagError(flag string, err error) error {
	if wrong := (*params.Error)(nil); errors.As(err, &wrong) {
		return usageErrorf("--%s: %s", flag, wrong.Fault())
	}
	return usageErrorf("--%s: %w", flag, err)
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
