package lines

import (
	"errors"
	"io"
)

// Bounded passes a table on and fails when a row is longer than [MaxLength], so that a file cannot make the reader of rows, which holds
// a row at once, hold more than that. A row may have several lines: a cell in quotes holds what it likes.
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
