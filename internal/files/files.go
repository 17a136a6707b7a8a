// Package files writes files atomically: a reader never sees a half-written file, and a failed write leaves the old file as it was.
package files

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Write writes to a file, which appears whole or not at all, even if the machine stops. It writes the text to a temporary file in the same
// folder and then renames that. A device, a pipe or a link is written in place, because renaming would replace it by a plain file.
func Write(path string, content func(io.Writer) error) error {
	if !isPlain(path) {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			return err
		}
		return errors.Join(fill(file, content), file.Close())
	}
	temporary, err := temporaryFor(path)
	if err != nil {
		return err
	}
	err = fill(temporary, content)
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// CheckWritable returns the error that writing to the file would cause. Call it before long work, so that the error does not come after it.
func CheckWritable(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("is a directory")
	case !isPlain(path):
		return nil // do not open a pipe: that would wait for its reader
	}
	temporary, err := temporaryFor(path)
	if err != nil {
		return err
	}
	return errors.Join(temporary.Close(), os.Remove(temporary.Name()))
}

// Same says whether two names are of one plain file, so that writing one overwrites the other, or both are - for standard output.
func Same(a, b string) bool {
	if a == "-" || b == "-" {
		return a == b
	}
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	switch {
	case errOne == nil && errOther == nil:
		return one.Mode().IsRegular() && os.SameFile(one, other)
	case errOne == nil || errOther == nil:
		return false
	}
	pathOne, errOne := filepath.Abs(a)
	pathOther, errOther := filepath.Abs(b)
	return errOne == nil && errOther == nil && pathOne == pathOther
}

// isPlain reports whether the path is a plain file or does not exist yet.
func isPlain(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Mode().IsRegular()
}

// temporaryFor makes a temporary file in the folder of the file to write, with the same permissions. It fails if that file cannot be written.
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

// Now returns the time by the clock of the folder's file system, which dates the files there. It may be the clock of another machine.
func Now(dir string) (time.Time, error) {
	file, err := newBeside(filepath.Join(dir, "now"))
	if err != nil {
		return time.Time{}, err
	}
	_, err = file.WriteString("now") // a network file system dates it when it is written
	if err == nil {
		err = file.Sync()
	}
	info, unknown := file.Stat()
	if err = errors.Join(err, unknown, file.Close()); err != nil {
		return time.Time{}, errors.Join(err, remove(file.Name()))
	}
	return info.ModTime(), remove(file.Name())
}

// remove removes a file, which may be gone already.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// newBeside makes a file in the same folder, and removes what killed programs have left there. Its permissions follow the user's mask; those of os.CreateTemp are stricter.
func newBeside(path string) (*os.File, error) {
	dir := filepath.Dir(path)
	file, err := os.OpenFile(temporaryName(dir), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		tidyOnce(dir, file)
	}
	return file, err
}

// fill writes the content to the file.
func fill(file *os.File, content func(io.Writer) error) error {
	out := bufio.NewWriter(file)
	if err := content(out); err != nil {
		return err
	}
	return out.Flush()
}
