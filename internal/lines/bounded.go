package lines

import (
	"errors"
	"io"
)

// Bounded passes on a table and fails when a row is longer than [MaxLength]. The reader of rows holds a whole row, so this limits its
// memory. A row may have several lines, because a cell in quotes may contain line breaks.
type Bounded struct {
	r    io.Reader
	used int
}

// NewBounded bounds the rows of r.
func NewBounded(r io.Reader) *Bounded { return &Bounded{r: r} }

// Begin says that the next row is asked for.
func (b *Bounded) Begin() { b.used = 0 }

// Read implements io.Reader. The reader of rows buffers ahead, by less than the margin.
func (b *Bounded) Read(buffer []byte) (int, error) {
	const margin = 1 << 12
	if b.used > MaxLength+margin {
		return 0, errors.New(TooLong)
	}
	n, err := b.r.Read(buffer)
	b.used += n
	return n, err
}
