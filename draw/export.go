package draw

import (
	"fmt"
	"iter"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
)

// limits are the sizes, in pixels, that a caller can ask for.
type limits struct{ defaultWidth, leastWidth, leastHeight, mostSide, mostPixels int }

// check returns the size that the caller asks for. A height of 0 lets the picture choose.
func (l *limits) check(width, height int) (float64, float64, error) {
	if width == 0 {
		width = l.defaultWidth
	}
	if width < l.leastWidth || width > l.mostSide {
		return 0, 0, fmt.Errorf("width %d: expected %d to %d pixels", width, l.leastWidth, l.mostSide)
	}
	if height != 0 && (height < l.leastHeight || height > l.mostSide) {
		return 0, 0, fmt.Errorf("height %d: expected %d to %d pixels", height, l.leastHeight, l.mostSide)
	}
	if height > l.mostPixels/width {
		return 0, 0, fmt.Errorf("%d × %d: expected at most %s pixels", width, height, picture.Number(float64(l.mostPixels)))
	}
	return float64(width), float64(height), nil
}

// sized lays a picture out on a sheet of the size that the caller asks for.
func (l *limits) sized(width, height int, layOut func(width, height float64) (*picture.Drawing, error)) func() (*picture.Drawing, error) {
	return func() (*picture.Drawing, error) {
		width, height, err := l.check(width, height)
		if err != nil {
			return nil, err
		}
		return layOut(width, height)
	}
}

// hints are the texts of the blocks or of the columns.
func (c *chart) hints() iter.Seq2[picture.Rect, string] {
	return func(yield func(picture.Rect, string) bool) {
		if c.load != nil {
			c.columnHints(yield)
			return
		}
		for _, h := range c.spanHovers { // below the jobs
			if !yield(h.Rect, c.describeSpan(&h.span)) {
				return
			}
		}
		for _, h := range c.hovers {
			if !yield(h.Rect, c.describe(h.block)) {
				return
			}
		}
	}
}

// describe describes a block in lines of text.
func (c *chart) describe(k int) string {
	b := &c.blocks[k]
	j := &c.jobs[b.job]
	text := fmt.Sprintf("%s\n%s: %s\n%s – %s", picture.Printable(j.id), picture.Printable(c.bands[b.band].id), c.where(b), numtext.Significant(b.start, 12), numtext.Significant(b.end, 12))
	if c.unit != "" {
		text += " " + picture.Printable(c.unit)
	}
	lines := []string{text}
	if wait := j.wait(); wait > 0 {
		lines = append(lines, "waited "+c.length(wait))
	}
	if j.late() {
		lines = append(lines, "late by "+c.length(j.end-j.deadline))
	}
	if j.user != "" {
		lines = append(lines, "user "+picture.Printable(j.user))
	}
	return strings.Join(lines, "\n")
}

// length writes a length of time for people.
func (l *layout) length(x float64) string {
	return timetext.Of(x, picture.Printable(l.unit), picture.Number)
}
