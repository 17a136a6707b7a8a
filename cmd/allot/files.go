package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

// outputFlag names the file to write to.
var outputFlag = &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "write to `FILE`; - is standard output"}

// write writes to a file, or for - to the command's standard output.
func write(c *cli.Context, path string, content func(io.Writer) error) error {
	if path != "-" {
		return writeFile(path, content)
	}
	out := bufio.NewWriter(c.App.Writer)
	if err := content(out); err != nil {
		return err
	}
	return out.Flush()
}

// writeFile writes to a file, which appears whole or not at all: the text goes to a temporary file beside it, which is then
// renamed. What is no plain file, such as a device, a pipe or a link, is written in place: renaming would replace it.
func writeFile(path string, content func(io.Writer) error) error {
	if !isPlain(path) {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			return cannotWrite(path, err)
		}
		return cannotWrite(path, fill(file, content))
	}
	temporary, err := temporaryFor(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	err = fill(temporary, content)
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return cannotWrite(path, errors.Join(err, os.Remove(temporary.Name())))
	}
	return nil
}

// checkWritable is the error that writing to the file would meet, so that it comes before the work and not after it.
func checkWritable(path string) error {
	switch info, err := os.Stat(path); {
	case path == "-":
		return nil
	case err == nil && info.IsDir():
		return cannotWrite(path, errors.New("is a directory"))
	case !isPlain(path):
		return nil // opening a pipe would wait for its reader
	}
	temporary, err := temporaryFor(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	return cannotWrite(path, errors.Join(temporary.Close(), os.Remove(temporary.Name())))
}

// isPlain says whether the path is a plain file or nothing yet.
func isPlain(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode().IsRegular()
}

// temporaryFor makes a file beside the one to write, with the same permissions, if that one can be written.
func temporaryFor(path string) (*os.File, error) {
	if path == "" {
		return nil, errors.New("the name is empty")
	}
	old, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return newBeside(path)
	}
	if err != nil {
		return nil, err
	}
	info, err := old.Stat()
	if err := errors.Join(err, old.Close()); err != nil {
		return nil, err
	}
	temporary, err := newBeside(path)
	if err == nil {
		err = temporary.Chmod(info.Mode().Perm())
	}
	return temporary, err
}

// newBeside makes a file in the same folder. It may be read by whom the user's mask allows, unlike one of os.CreateTemp.
func newBeside(path string) (*os.File, error) {
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".allot-%016x", rand.Uint64()))
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// fill writes the content to the file and closes it.
func fill(file *os.File, content func(io.Writer) error) error {
	out := bufio.NewWriter(file)
	err := content(out)
	if err == nil {
		err = out.Flush()
	}
	return errors.Join(err, file.Close())
}

// cannotWrite names the file that was asked for; the temporary one means nothing to the user. An error that has a status
// already is of the content, not of the file.
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
	return write(c, "-", func(w io.Writer) error { return indentedJSON(w, value) })
}

// indentedJSON writes a value as indented JSON.
func indentedJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
