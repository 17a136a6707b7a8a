package formats

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// File is a file that is open for reading.
type File struct {
	*bufio.Reader
	io.Closer
	Format *Info // the foreign format that it seems to have; nil: none
	budget *budget.Budget
}

// Budget is the budget of the reading that the file is a part of, see package budget.
func (f *File) Budget() *budget.Budget { return f.budget }

// Open opens a file as [model.Open] does and looks at its begin, see [Recognise].
func Open(path string) (*File, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	return Of(file, path), nil
}

// Of looks at the begin of a file that is open and decompressed, see [Recognise]. Closing the result closes the file.
func Of(file io.ReadCloser, name string) *File {
	text, b := budget.Of(file)
	f := &File{Reader: bufio.NewReaderSize(text, recogniseBytes), Closer: file, budget: b}
	if info, ok := Recognise(name, f.Begin()); ok {
		f.Format = &info
	}
	return f
}

// Begin is what follows of the file, at most 64 KiB. It is valid until the next read, which also returns an error met here.
func (f *File) Begin() []byte {
	begin, _ := f.Peek(recogniseBytes)
	return begin
}

// recogniseBytes is how much of a file [Recognise] looks at.
const recogniseBytes = 1 << 16

// Recognise says which foreign format a file seems to have, by the begin of its contents, which are decompressed, and failing that by the end of its name. It
// is a guess for a message: the reader of the format says whether the file is right.
func Recognise(name string, begin []byte) (Info, bool) {
	begin = bytes.TrimSpace(bytes.TrimPrefix(begin[:min(len(begin), recogniseBytes)], []byte("\ufeff")))
	if len(begin) == 0 || begin[0] == '[' || bytes.IndexByte(begin, 0) >= 0 {
		return Info{}, false
	}
	text, json := string(begin), begin[0] == '{'
	for _, weak := range []bool{false, true} {
		for _, info := range All() {
			if info.Weak == weak && info.JSON == json && info.Looks != nil && info.Looks(text) {
				return info, true
			}
		}
	}
	if json {
		return Info{}, false
	}
	extension := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
	for _, info := range All() {
		if slices.Contains(info.Extensions, extension) {
			return info, true
		}
	}
	return Info{}, false
}
