package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
)

// outputFlag names the file to write to.
var outputFlag = &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "write to `FILE`; - is standard output"}

// write writes to a file; the path - means the command's standard output. A file gets names as they are, a terminal gets them printable.
func write(c *cli.Context, path string, content func(io.Writer) error) error {
	if path != "-" {
		return writeFile(path, content)
	}
	to := c.App.Writer
	if terminalOf(to) != nil {
		to = &plaintext.Writer{To: to}
	}
	out := bufio.NewWriter(to)
	if err := content(out); err != nil {
		return err
	}
	return out.Flush()
}

// writeFile writes to a file, which appears whole or not at all, see [files.Write]. The first Ctrl-C ends the writing, also where one has ended the work before.
func writeFile(path string, content func(io.Writer) error) error {
	ctx, stop := interruptible(context.Background())
	defer stop()
	return cannotWrite(path, files.Write(path, func(w io.Writer) error { return content(&heard{w, ctx}) }))
}

// heard is a file that is written until Ctrl-C.
type heard struct {
	io.Writer
	ctx context.Context //nolint:containedctx // the writing ends with it
}

// errUnwritten says that the user stopped the writing of a file.
var errUnwritten = &statusError{exitNoSolution, errors.New("interrupted: nothing was written")}

// Write implements io.Writer.
func (h *heard) Write(text []byte) (int, error) {
	if h.ctx.Err() != nil {
		return 0, errUnwritten
	}
	return h.Writer.Write(text)
}

// checkWritable returns the error that writing to the file would cause, so that the user sees it before the work and not after.
func checkWritable(path string) error {
	if path == "-" {
		return nil
	}
	return cannotWrite(path, files.CheckWritable(path))
}

// checkOutputs finds out before the work whether the files that the flags name can be written, and that no two of them are one: the second would overwrite the
// first. A flag that is not given counts where it has a default.
func checkOutputs(c *cli.Context, flags ...string) error {
	for k, flag := range flags {
		path := c.String(flag)
		if !c.IsSet(flag) && path == "" {
			continue
		}
		for _, before := range flags[:k] {
			if files.Same(path, c.String(before)) {
				return usageErrorf("--%s and --%s: expected two files, found %q for both", before, flag, path)
			}
		}
		if err := checkWritable(path); err != nil {
			return err
		}
	}
	return nil
}

// cannotWrite makes an error that names the user's file, not the temporary one. An error that has an exit status already comes from the content,
// not from the file, and is returned unchanged.
func cannotWrite(path string, err error) error {
	var status *statusError
	if err == nil || errors.As(err, &status) {
		return err
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return &statusError{exitFailure, fmt.Errorf("cannot write %s: %w", path, err)}
}

// writeJSON writes a value as indented JSON.
func writeJSON(c *cli.Context, value any) error {
	return write(c, "-", func(w io.Writer) error { return answers.WriteJSON(w, value) })
}

// textWriter writes a text.
func textWriter(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// writePlain writes a text for people, see [printable].
func writePlain(c *cli.Context, path, text string) error {
	return write(c, path, textWriter(printable(text)))
}

// writeAnswer writes an answer: the value as JSON if --json is given, else what text returns for people.
func writeAnswer(c *cli.Context, path string, value any, text func() string) error {
	if c.Bool("json") {
		return write(c, path, func(w io.Writer) error { return answers.WriteJSON(w, value) })
	}
	return writePlain(c, path, text())
}

// writeAnswerOn writes an answer about an instance. What the instance leaves out comes first, as it must be read first: in text as warnings in lines of at most the
// given number of cells (0: no limit), in JSON as the first member, caveats, of the value, which is an object. An instance that leaves nothing out adds nothing.
func writeAnswerOn(c *cli.Context, path string, in *model.Instance, columns int, value any, text func() string) error {
	if !c.Bool("json") {
		return writePlain(c, path, caveatsText(in, "", columns)+text())
	}
	return write(c, path, func(w io.Writer) error { return answers.WriteOn(w, in, value) })
}

// caveatsText says what an instance leaves out: a warning for each caveat, which begins with the label, in lines of at most the given number of cells; 0: no limit.
func caveatsText(in *model.Instance, label string, columns int) string {
	var b strings.Builder
	for _, caveat := range in.Caveats() {
		warning := "warning: " + label + caveat + "\n"
		if columns > 0 {
			warning = texttable.Wrap(warning, columns, "  ")
		}
		b.WriteString(warning)
	}
	return b.String()
}
