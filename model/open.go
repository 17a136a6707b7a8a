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

// Open opens a file for reading; "-" is standard input. It recognises data compressed by gzip by the first two bytes,
// whatever the name of the file, and decompresses it. If the data is cut short or corrupt, Open or Read returns an error
// that states this.
//
// Close closes the file; it leaves standard input open, which belongs to the program. Errors of Open begin with the file's
// name; errors of Read do not, because the caller adds the name and the place.
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

// Decompressed returns the contents of r as [Open] does those of a file; errors call it by the given name.
func Decompressed(r io.Reader, name string) (io.Reader, error) {
	return decompress(r, io.NopCloser(nil), name)
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

// gzipError puts an error of the decompression into words. It returns other errors, such as those of the underlying
// file, unchanged.
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
