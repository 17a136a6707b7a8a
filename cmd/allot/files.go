package main

import (
	"bufio"
	"encoding/json"
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
func writeFile(path string, content func(io.Writer) error) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return &statusError{exitFailure, fmt.Errorf("cannot write %s: %w", path, err)}
	}
	defer func() {
		if err != nil {
			os.Remove(temporary.Name())
		}
	}()
	out := bufio.NewWriter(temporary)
	if err := content(out); err != nil {
		temporary.Close()
		return err
	}
	if err := out.Flush(); err != nil {
		temporary.Close()
		return err
	}
	if err := temporary.Chmod(0o644); err != nil {
		temporary.Close()
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
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
