package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// readSited reads an instance, or makes one of what sacct prints, with the policy of a site.
func readSited(c *cli.Context, path string, site slurm.Files) (*model.Instance, error) {
	file, err := formats.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.Format != nil && file.Format.Name == "sacct" {
		in, _, err := readOpened(c, path, file, file.Format, site, "", "sacct")
		return in, err
	}
	in, err := readInstanceOf(file, path)
	if err != nil {
		return nil, err
	}
	return withPolicy(in, site, model.InputName(path))
}

// readInstance reads an instance. If the file is not an instance but looks like a format that import reads, the error states
// how to import it.
func readInstance(path string) (*model.Instance, error) {
	file, err := formats.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readInstanceOf(file, path)
}

// readInstanceOf is [readInstance] of an open file.
func readInstanceOf(file *formats.File, path string) (*model.Instance, error) {
	queue := slurm.LooksLikeQueue(file.Begin()) // before the reader reuses the buffer
	in, err := model.ReadInstance(file, model.InputName(path))
	if err != nil && queue {
		return nil, usageErrorf("%s: expected an instance (JSON), found what looks like the queue of Slurm; import it together with the output of scontrol show nodes --json:\n  %s",
			model.InputName(path), shellquote.Join("allot", "import", "slurm", "--jobs", path, "--nodes", "NODES.json", "-o", importTarget(path)))
	}
	if format := file.Format; err != nil && format != nil {
		return nil, usageErrorf("%s: expected an instance (JSON), found what looks like %s; %s", model.InputName(path), format.Doc, howToImport(path, format))
	}
	return in, err
}

// processorsFlag is the flag of commands that read a trace whose file may lack the number of processors, see [readTrace].
func processorsFlag(when string) cli.Flag {
	return &cli.IntFlag{Name: "processors", DefaultText: "as the file says", Usage: when + "`N` processors of the system of a trace whose file lacks or misstates them"}
}

// readTrace reads an instance or a trace in one of the formats, with the defaults of allot import and with the processors of [processorsFlag]. The text
// expected names the formats in errors. Of an instance there is no report.
func readTrace(c *cli.Context, path string, site slurm.Files, expected string, known ...string) (*model.Instance, *model.ImportReport, error) {
	file, err := formats.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	return readOpened(c, path, file, file.Format, site, expected, known...)
}

// readOpened reads the text of a file as [readTrace] does. The format is what the file seems to have; nil: none.
func readOpened(c *cli.Context, path string, text io.Reader, format *formats.Info, site slurm.Files, expected string, known ...string) (*model.Instance, *model.ImportReport, error) {
	name := model.InputName(path)
	switch {
	case format != nil && slices.Contains(known, format.Name):
		reader := format.New()
		if c.IsSet("processors") {
			if err := params.Set(reader, "processors", strconv.Itoa(c.Int("processors"))); err != nil {
				return nil, nil, flagError("processors", err)
			}
		}
		trace, ofSacct := reader.(*slurm.TraceReader)
		if ofSacct {
			trace.Files = site
		}
		in, report, err := reader.Read(text, name)
		if err == nil && !ofSacct {
			in, err = withPolicy(in, site, name)
		}
		if err != nil {
			var input *model.InputError
			elsewhere := func(f model.Fault) bool { return f.Option != "" && flagNamed(c.Command.Flags, f.Option) == nil }
			if errors.As(err, &input) && slices.ContainsFunc(input.Faults, elsewhere) {
				err = fmt.Errorf("%w\nThat is an option of allot import %s; %s", err, format.Name, howToImport(path, format))
			}
			return nil, nil, &statusError{exitInput, err}
		}
		fmt.Fprintln(c.App.ErrWriter, printable(report.String()))
		return in, report, nil
	case format != nil:
		return nil, nil, usageErrorf("%s: expected %s or an instance (JSON), found what looks like %s; %s", name, expected, format.Doc, howToImport(path, format))
	case c.IsSet("processors"):
		return nil, nil, usageErrorf("--processors: expected it only for %s; %s states its processors itself", expected, name)
	}
	in, err := model.ReadInstance(text, name)
	if err != nil {
		return nil, nil, err
	}
	in, err = withPolicy(in, site, name)
	return in, nil, err
}

// withPolicy is an instance that states its machines, with the policy of a site.
func withPolicy(in *model.Instance, site slurm.Files, name string) (*model.Instance, error) {
	for _, f := range []struct{ flag, path string }{{"nodes", site.Nodes}, {"partitions", site.Partitions}} {
		if f.path != "" {
			return nil, usageErrorf("--%s: expected it only for what sacct -P prints; %s states its machines itself", f.flag, name)
		}
	}
	in, err := site.Onto(in, openFile)
	if err != nil {
		return nil, &statusError{exitInput, err}
	}
	return in, nil
}

// openFile opens a file on the disk.
func openFile(name string) (io.ReadCloser, error) { return model.Open(name) }

// howToImport is the command line that makes an instance of a foreign file.
func howToImport(path string, format *formats.Info) string {
	command := []string{"allot", "import", format.Name}
	explained := ""
	for _, p := range params.Of(format.New()) {
		if strings.HasPrefix(p.Default, "required") {
			command = append(command, "--"+strings.ReplaceAll(p.Name, "_", "-"), "N")
			explained = "\nThe file does not say what N is: " + strings.ReplaceAll(p.Doc, "'", "")
		}
	}
	if path == "-" {
		return fmt.Sprintf("import it earlier in the pipe:\n  … | %s - | allot …%s", shellquote.Join(command...), explained)
	}
	target := importTarget(path)
	command = append(command, "-o", target, path)
	return fmt.Sprintf("import it and use %s instead:\n  %s%s", target, shellquote.Join(command...), explained)
}

// importTarget is a name for the instance that is made of a file, in the folder where the command runs, and not that of a file that is there.
func importTarget(path string) string {
	name := filepath.Base(path)
	name = strings.TrimSuffix(name, ".gz")
	name = strings.TrimSuffix(name, filepath.Ext(name))
	if _, err := os.Stat(name + ".json"); err == nil {
		return name + "-instance.json"
	}
	return name + ".json"
}
