package draw

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/picture"
)

// Format is a format of a picture.
type Format string

// The formats.
const (
	SVG  Format = "svg"
	PDF  Format = "pdf"
	PNG  Format = "png"
	Text Format = "text" // for a terminal, in UTF-8; not available for curves
	HTML Format = "html" // a page to zoom and move in, without network; of Gantt charts only
)

// Formats lists all formats.
func Formats() []Format { return []Format{SVG, PDF, PNG, Text, HTML} }

// FormatOf returns the format that belongs to the extension of a file's name: .svg, .pdf, .png, .txt, .text, .html or .htm.
func FormatOf(filename string) (Format, error) {
	switch extension := strings.ToLower(filepath.Ext(filename)); extension {
	case ".svg":
		return SVG, nil
	case ".pdf":
		return PDF, nil
	case ".png":
		return PNG, nil
	case ".txt", ".text":
		return Text, nil
	case ".html", ".htm":
		return HTML, nil
	default:
		return "", fmt.Errorf("draw: %q: expected a name that ends in .svg, .pdf, .png, .txt or .html", filename)
	}
}

// Picture is a picture that can be written in several formats, any number of times. [Gantt], [Progress], [Curves], [WaitDifferences] and [Shares] make one.
type Picture struct {
	// text writes the picture as text; nil: it has no text.
	text func(io.Writer) error
	// page writes the picture as a page; nil: it has none.
	page func(io.Writer) error
	// data writes what the script of the page reads; nil: it has no page.
	data func(io.Writer) error
	// layOut places everything on a sheet of the size that was asked for.
	layOut func() (*picture.Drawing, error)
}

// Write writes the picture. It returns an error if the size that was asked for does not suit the format.
func (p *Picture) Write(w io.Writer, format Format) error {
	if err := p.write(w, format); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}

// WriteData writes what the script of the picture's page reads, as JSON: for programs that show the page's chart in a page of their own. Only Gantt charts have
// it. Its form may change with any version.
func (p *Picture) WriteData(w io.Writer) error {
	if p.data == nil {
		return errors.New("draw: only Gantt charts have a page")
	}
	return p.data(w)
}

// write does the work of Write. Its errors lack the name of the package.
func (p *Picture) write(w io.Writer, format Format) error {
	switch format {
	case SVG, PDF, PNG:
		drawn, err := p.layOut()
		if err != nil {
			return err
		}
		return drawn.Write(w, picture.Format(format))
	case Text:
		if p.text == nil {
			return fmt.Errorf("format %q: curves have none; expected svg, pdf or png", format)
		}
		return p.text(w)
	case HTML:
		if p.page == nil {
			return fmt.Errorf("format %q: only Gantt charts have it; expected svg, pdf or png", format)
		}
		return p.page(w)
	}
	return fmt.Errorf("unknown format %q: expected svg, pdf, png, text or html", format)
}

// WriteFile writes the picture to a file, in the format of the file's extension, see [FormatOf]. The file appears whole or not at all.
func (p *Picture) WriteFile(path string) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error { return p.Write(w, format) })
}
