package model

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file for reading; "-" is standard input. Data compressed with gzip is recognised by its first two bytes,
// whatever the file is called, and decompressed. Data that is cut short or corrupt gives an error that says so, from Open
// or from Read.
//
// Close closes the file; it leaves standard input open, which belongs to the program. Errors of Open begin with the file's
// name; those of Read do not, since whoever reads adds the name and the place.
func Open(path string) (io.ReadCloser, error) {
	if path == "-" {
		return decompress(os.Stdin, io.NopCloser(nil), InputName(path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	return decompress(file, file, path)
}

// InputName is what errors call the file that [Open] opens: its path, or "standard input".
func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// openError puts the name of the file first and leaves out the name of the system call.
func openError(name string, err error) error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return &InputError{File: name, Faults: []Fault{{Message: err.Error()}}, cause: err}
}

// decompress looks at the first bytes of the source and returns its contents, decompressed if they ask for it.
func decompress(source io.Reader, closer io.Closer, name string) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(source, 1<<16)
	magic, err := buffered.Peek(2)
	if err != nil && err != io.EOF {
		return nil, errors.Join(openError(name, err), closer.Close())
	}
	if string(magic) != "\x1f\x8b" {
		return &opened{buffered, closer}, nil
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, errors.Join(openError(name, gzipError(err)), closer.Close())
	}
	return &opened{&gunzip{unpacked}, closer}, nil
}

// opened reads from one source and closes another.
type opened struct {
	io.Reader
	io.Closer
}

// gunzip reads decompressed data and turns errors of the decompression into clear ones.
type gunzip struct{ r *gzip.Reader }

// Read implements io.Reader.
func (g *gunzip) Read(buffer []byte) (int, error) {
	n, err := g.r.Read(buffer)
	return n, gzipError(err)
}

// gzipError puts an error of the decompression into words; other errors, such as those of the file below, it returns as
// they are.
func gzipError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == io.ErrUnexpectedEOF:
		return errors.New("the gzip data is cut short")
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("the gzip data is corrupt: %w", err)
	default:
		return err
	}
}
