package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

// outputFlag names the file to write to.
var outputFlag = &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "write to `FILE`; - is standard output"}

// write writes to a file, or for - to the command's standard output. A file appears whole or not at all: the text goes to a
// temporary file beside it, which is then renamed.
func write(c *cli.Context, path string, content func(io.Writer) error) error {
	if path == "-" {
		out := bufio.NewWriter(c.App.Writer)
		if err := content(out); err != nil {
			return err
		}
		return out.Flush()
	}
	return writeFile(path, content)
}

// writeFile is write to a file.
func writeFile(path string, content func(io.Writer) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return &statusError{exitFailure, fmt.Errorf("cannot write %s: %w", path, err)}
	}
	if err := fill(temporary, content); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return os.Rename(temporary.Name(), path)
}

// fill writes the content to the file and closes it.
func fill(file *os.File, content func(io.Writer) error) error {
	out := bufio.NewWriter(file)
	err := content(out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = file.Chmod(0o644) // temporary files are for their maker only
	}
	return errors.Join(err, file.Close())
}

// writeJSON writes a value as indented JSON.
func writeJSON(c *cli.Context, value any) error {
	return write(c, "-", func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", " ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	})
}
