package files

import (
	"errors"
	"io/fs"
	"os"
)

// Place makes a file with a text where there is none, and leaves it open; where there is one, the error is [fs.ErrExist]. The text is written beside and linked into place, so
// that no program ever sees the file without it, also if this one is killed. On a file system without links the file is made in place and written then.
func Place(path string, text []byte) (*os.File, error) {
	beside, err := newBeside(path)
	if err != nil {
		return nil, err
	}
	_, err = beside.Write(text)
	if err == nil {
		err = beside.Sync() // before others may see it, also on other machines
	}
	if err == nil {
		err = os.Link(beside.Name(), path)
	}
	removed := remove(beside.Name()) // a system that does not remove files that are open leaves it for the next program that writes here
	switch {
	case err == nil:
		return beside, nil
	case !errors.Is(err, fs.ErrExist) && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission)): // no links here
		return inPlace(path, text, errors.Join(beside.Close(), removed))
	}
	return nil, errors.Join(err, beside.Close(), removed)
}

// inPlace makes the file and writes to it.
func inPlace(path string, text []byte, before error) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, errors.Join(err, before)
	}
	if _, err = file.Write(text); err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, before); err != nil {
		return nil, errors.Join(err, file.Close(), os.Remove(path))
	}
	return file, nil
}
