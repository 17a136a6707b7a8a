// Package formats is the registry of the foreign formats: what each is called, what reads it, what writes it, and how its files are recognised. A
// package that reads a format registers itself, so the registry has the formats whose packages a program imports; package bench imports all of this module.
package formats

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

// Reader reads an instance from a file of a foreign format. Its exported fields are its parameters, see package params; New of [Info] fills in their
// defaults, and a zero means zero. In the doc of a parameter, 'N' in quotes stands for its value. Read checks the parameters first; errors of the
// file call it by the given name.
type Reader interface {
	Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error)
}

// Source is one of the files of a [FilesReader].
type Source struct {
	Reader io.Reader
	Name   string // of the file, in errors
}

// FilesReader is a reader whose instance may be in several files. Read is ReadFiles of one file.
type FilesReader interface {
	Reader
	ReadFiles(files []Source) (*model.Instance, *model.ImportReport, error) // of at least one
}

// Info documents a foreign format that can be read.
type Info struct {
	Name    string
	Doc     string // one line, without a capital and a full stop
	Example string // a command line
	Order   int    // place in lists, ascending; formats of the same place stand by name

	New func() Reader // makes a reader with its defaults

	// Looks reports whether the begin of a file looks like the format. The text is not empty, and has neither the byte 0 nor a byte-order mark nor white
	// space around it. Where JSON is set it begins with {, otherwise with neither { nor [. Nil: the begin tells nothing. The first format in lists whose
	// Looks is true is taken. A format is Weak if files of others may look like its own; it is asked after all others.
	Looks      func(begin string) bool
	JSON, Weak bool
	Extensions []string // of names of files, such as .swf, for files whose begin tells nothing
}

// Writer writes schedules in a foreign format.
type Writer struct {
	Name  string
	Doc   string // one line, without a capital and a full stop
	Order int    // place in lists, ascending; formats of the same place stand by name
	Write func(io.Writer, *model.Instance, *model.Solution) error
}

// The registries by name.
var (
	readers = map[string]Info{}
	writers = map[string]Writer{}
)

// Register adds a format to the registry. Call it from the format's package, in a package-level variable declaration. A name that is empty or taken
// and an Info without New are bugs in the program and panic.
func Register(info Info) Info {
	if _, taken := readers[info.Name]; taken || info.Name == "" || info.New == nil {
		panic(fmt.Sprintf("formats: cannot register %q", info.Name))
	}
	readers[info.Name] = info
	return info
}

// RegisterWriter adds a format that schedules are written in. A name that is empty or taken and a Writer without Write panic.
func RegisterWriter(w Writer) Writer {
	if _, taken := writers[w.Name]; taken || w.Name == "" || w.Write == nil {
		panic(fmt.Sprintf("formats: cannot register the writer %q", w.Name))
	}
	writers[w.Name] = w
	return w
}

// All lists the formats that can be read, in order.
func All() []Info {
	return slices.SortedFunc(maps.Values(readers), func(a, b Info) int { return cmp.Or(a.Order-b.Order, cmp.Compare(a.Name, b.Name)) })
}

// Writers lists the formats that can be written, in order.
func Writers() []Writer {
	return slices.SortedFunc(maps.Values(writers), func(a, b Writer) int { return cmp.Or(a.Order-b.Order, cmp.Compare(a.Name, b.Name)) })
}

// Names lists the names of the formats that can be read, in order.
func Names() []string {
	return kit.Each(All(), func(info Info) string { return info.Name })
}

// Named finds a format by its name.
func Named(name string) (Info, bool) {
	info, ok := readers[name]
	return info, ok
}

// Check returns a [*params.Error] if a parameter of the reader is out of its range, or the id of its cluster is empty.
func Check(reader any, cluster string) error {
	if err := params.Check(reader); err != nil {
		return err
	}
	if cluster == "" {
		return &params.Error{Name: "cluster", Expected: "the id of the cluster", Found: cluster}
	}
	return nil
}
