// Package budget bounds what reading may take: files, bytes, names, steps and time, all of them for a reading as a whole. A file of two kilobytes may state
// terabytes, by files that include each other, ranges, counts or aliases, and a limit on each level or each list does not hold that back.
//
// A reading has one [Budget], which its sources carry, so that whoever reads from one of them draws upon the same:
//
//	r, b := budget.Of(r)          // at the begin of a reader: the budget that r carries, or the usual one
//	err := b.Names(len(expanded)) // before something is made that is longer than its text
//
// What is passed stays passed: from then on each draw and each read fails by the same error.
package budget

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/allot-opt/allot/internal/numtext"
)

// Limits are what a reading may take.
type Limits struct {
	Files int64 // that are opened, those that others include counted each time
	Bytes int64 // of their texts, decompressed
	Names int64 // things that are made of the texts: jobs, names of nodes, members of lists, pairs. One stands for up to 64 bytes, and so do 8 numbers of a table
	Steps int64 // things that are looked at
}

// Usual are the limits of whoever reads files of their own: they bound what a mistake costs.
func Usual() Limits { return Limits{Files: 1000, Bytes: 1 << 40, Names: 40_000_000, Steps: 1 << 30} }

// CellsOfName is how many numbers of a table count as one name.
const CellsOfName = 8

// bytesOfName is about what a name takes in memory.
const bytesOfName = 64

// NamesOf is how many names a thing of a type counts as: 1 for each 64 bytes.
func NamesOf[T any]() int { return NamesOfType(reflect.TypeFor[T]()) }

// NamesOfType is [NamesOf] of a type that is known when the program runs.
func NamesOfType(t reflect.Type) int { return int(t.Size())/bytesOfName + 1 }

// Error says that a reading has passed its budget.
type Error struct {
	What   string // files, bytes, names or steps
	Most   int64
	WayOut string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("expected at most %s %s in the whole reading, found more; %s", numtext.Grouped(strconv.FormatInt(e.Most, 10)), e.What, e.WayOut)
}

// Ended says that a reading was ended: by Ctrl-C, by a client that is gone, or by its time.
type Ended struct{ Cause error }

// Error implements error.
func (e *Ended) Error() string { return "stopped before everything was read: " + e.Cause.Error() }

// Unwrap is the error of the context.
func (e *Ended) Unwrap() error { return e.Cause }

// Stopped says that an error is one by which a budget ends a reading: an [Error], an [Ended], or one of whoever holds its memory.
func Stopped(err error) bool {
	var passed *Error
	var ended *Ended
	var refused *Refused
	return errors.As(err, &passed) || errors.As(err, &ended) || errors.As(err, &refused)
}

// Refused says that there is no memory for a reading.
type Refused struct{ Cause error }

// Error implements error.
func (e *Refused) Error() string { return e.Cause.Error() }

// Unwrap is the error of whoever holds the memory.
func (e *Refused) Unwrap() error { return e.Cause }

// Budget is what is left for a reading. One goroutine at a time draws upon it.
type Budget struct {
	ctx        context.Context //nolint:containedctx // a reading ends with it
	most, left Limits
	hold       func(bytes int64) error
	unlooked   int64 // steps since the context was looked at
	err        error
}

// New is a budget for a reading that ends with ctx. Hold, which may be nil, is told of bytes of memory before they are taken, and may refuse them.
func New(ctx context.Context, limits Limits, hold func(bytes int64) error) *Budget {
	return &Budget{ctx: ctx, most: limits, left: limits, hold: hold}
}

// Own is a usual budget that nothing ends, for what a program makes itself.
func Own() *Budget { return New(context.Background(), Usual(), nil) }

// Err is why the reading ended early; nil: it did not.
func (b *Budget) Err() error { return b.err }

// File draws a file that is opened.
func (b *Budget) File() error {
	return b.draw(&b.left.Files, 1, 0, "files", b.most.Files, "let each file be included once, or write what the files say into one")
}

// Bytes draws bytes of a text.
func (b *Budget) Bytes(n int) error {
	const memoryOfText = 8 // bytes that a byte of text takes while it is read, roughly: short jobs take more, long texts less
	return b.draw(&b.left.Bytes, int64(n), memoryOfText*int64(n), "bytes", b.most.Bytes, "give a part of the data at a time")
}

// Names draws things that are to be made of a text.
func (b *Budget) Names(n int) error {
	return b.draw(&b.left.Names, int64(n), bytesOfName*int64(n), "names", b.most.Names, "a name is a job, a node or a member of a list, also one that a range stands for: state fewer of them, or give a part of the data at a time")
}

// Cells draws numbers of a table of some rows and columns. Their product need not be a number.
func (b *Budget) Cells(rows, columns int) error {
	most := int(min(b.left.Names, 1<<50)) * CellsOfName
	if columns > 0 && rows > most/columns {
		return b.Names(int(b.left.Names) + 1)
	}
	return b.Names((rows*columns + CellsOfName - 1) / CellsOfName)
}

// Text draws things that each hold a text of some bytes.
func (b *Budget) Text(n, bytes int) error {
	return b.Names(n * (1 + bytes/bytesOfName))
}

// Memory takes bytes of memory for what is made when everything has been read.
func (b *Budget) Memory(bytes int64) error {
	return b.draw(new(int64), 0, bytes, "", 0, "")
}

// Steps draws things that are looked at.
func (b *Budget) Steps(n int) error {
	return b.draw(&b.left.Steps, int64(n), 0, "steps", b.most.Steps, "state fewer or shorter lists, or give a part of the data at a time")
}

// draw draws from what is left, and now and then looks whether the reading is to end.
func (b *Budget) draw(left *int64, n, memory int64, what string, most int64, wayOut string) error {
	const pause = 1 << 12 // steps between two looks at the context
	if b.err != nil {
		return b.err
	}
	if n > *left {
		b.err = &Error{what, most, wayOut}
		return b.err
	}
	*left -= n
	if b.unlooked += n; b.unlooked >= pause {
		b.unlooked = 0
		if err := b.ctx.Err(); err != nil {
			b.err = &Ended{err}
			return b.err
		}
	}
	if memory > 0 && b.hold != nil {
		if err := b.hold(memory); err != nil {
			b.err = &Refused{err}
		}
	}
	return b.err
}

// carrier is a source that carries the budget of its reading.
type carrier interface {
	io.Reader
	Budget() *Budget
}

// reader is a source that draws its bytes.
type reader struct {
	io.Reader
	b *Budget
}

// Budget is the budget of the reading.
func (r *reader) Budget() *Budget { return r.b }

// Read implements io.Reader.
func (r *reader) Read(buffer []byte) (int, error) {
	if err := r.b.ctx.Err(); err != nil && r.b.err == nil {
		r.b.err = &Ended{err}
	}
	if r.b.err != nil {
		return 0, r.b.err
	}
	n, err := r.Reader.Read(buffer)
	if passed := r.b.Bytes(n); passed != nil {
		return 0, passed
	}
	return n, err
}

// file is a source that can be closed.
type file struct {
	io.Reader
	io.Closer
	b *Budget
}

// Budget is the budget of the reading.
func (f *file) Budget() *Budget { return f.b }

// Closing lets a source that can be closed carry the budget, as [Budget.Reader] does; nil: closing does nothing.
func (b *Budget) Closing(r io.Reader, closer io.Closer) io.ReadCloser {
	if closer == nil {
		closer = io.NopCloser(nil)
	}
	return &file{b.Reader(r), closer, b}
}

// Of is the source with its budget: the one that it carries, or a usual one that nothing ends.
func Of(r io.Reader) (io.Reader, *Budget) {
	if c, carries := r.(carrier); carries {
		return r, c.Budget()
	}
	b := Own()
	return b.Reader(r), b
}

// Reader lets a source carry the budget and draw its bytes from it. A source that carries it already stays as it is.
func (b *Budget) Reader(r io.Reader) io.Reader {
	if c, carries := r.(carrier); carries && c.Budget() == b {
		return r
	}
	return &reader{r, b}
}
