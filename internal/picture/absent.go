//go:build page

package picture

import (
	"errors"
	"io"
)

// The page makes a PNG of the SVG, as the browser can do that, and has no PDF: their writers are not sent to it.

func (d *Drawing) pdf(io.Writer) error {
	return errors.New("PDF: the page has no such pictures; expected svg")
}

func (d *Drawing) png(io.Writer) error {
	return errors.New("PNG: the engine of the page makes no such pictures; expected svg, of which the page makes one")
}
