package draw

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/allot-opt/allot/internal/files"
)

// Format is a format of a picture.
type Format string

// The formats.
const (
	SVG  Format = "svg"
	PNG  Format = "png"
	Text Format = "text" // for a terminal, in UTF-8; curves have none
)

// Formats lists all formats.
func Formats() []Format { return []Format{SVG, PNG, Text} }

// FormatOf is the format that the end of a file's name stands for: .svg, .png, or .txt or .text.
func FormatOf(filename string) (Format, error) {
	switch extension := strings.ToLower(filepath.Ext(filename)); extension {
	case ".svg":
		return SVG, nil
	case ".png":
		return PNG, nil
	case ".txt", ".text":
		return Text, nil
	default:
		return "", fmt.Errorf("draw: %q: expected a name that ends in .svg, .png or .txt", filename)
	}
}

// Picture is something to write in one of the formats, as often as wanted. [Gantt], [Progress] and [Curves] make one.
type Picture struct {
	// text writes the picture as text; nil: it has no text.
	text func(io.Writer) error
	// layOut places everything on a sheet of the size that was asked for.
	layOut func() (drawing, error)
}

// Write writes the picture. It fails where the size that was asked for does not suit the format.
func (p *Picture) Write(w io.Writer, format Format) error {
	if err := p.write(w, format); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}

// write is Write before the package's name is put in front of the error.
func (p *Picture) write(w io.Writer, format Format) error {
	switch format {
	case SVG, PNG:
		s, err := p.layOut()
		if err != nil {
			return err
		}
		if format == PNG {
			return exportPNG(w, s)
		}
		return exportSVG(w, s)
	case Text:
		if p.text == nil {
			return fmt.Errorf("format %q: curves have none; expected svg or png", format)
		}
		return p.text(w)
	}
	return fmt.Errorf("unknown format %q: expected svg, png or text", format)
}

// WriteFile writes the picture to a file in the format that the end of the file's name stands for, see [FormatOf]. The file
// appears whole or not at all.
func (p *Picture) WriteFile(path string) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error { return p.Write(w, format) })
}
