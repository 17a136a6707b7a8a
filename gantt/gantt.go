// Package gantt draws a schedule: one band a cluster, one row a processor, time to the right, one rectangle for each run
// of neighbouring processors that a job holds.
//
// A solution alone is enough. With its instance the picture also knows how many processors each cluster has, the unit of
// time and which jobs miss their deadlines.
//
// The same input gives the same bytes. A schedule of a million jobs is drawn in bounded time and memory: jobs too small
// to be seen by themselves are shaded together.
//
// It also draws how searches progressed: see [DrawProgress].
package gantt

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Format is a format of the picture.
type Format string

// The three formats.
const (
	SVG  Format = "svg"
	PNG  Format = "png"
	Text Format = "text" // for a terminal, in UTF-8
)

// Formats lists all formats.
func Formats() []Format { return []Format{SVG, PNG, Text} }

// FormatOf is the format that the end of a file's name stands for: .svg, .png or .txt.
func FormatOf(filename string) (Format, error) {
	switch extension := strings.ToLower(filepath.Ext(filename)); extension {
	case ".svg":
		return SVG, nil
	case ".png":
		return PNG, nil
	case ".txt", ".text":
		return Text, nil
	default:
		return "", fmt.Errorf("gantt: %q: expected a name that ends in .svg, .png or .txt", filename)
	}
}

// Options say how to draw. The zero value draws an SVG of a size that fits the schedule.
type Options struct {
	// Instance is what the solution solves; nil: not at hand. Without it a cluster ends at the largest processor that
	// the solution names and no job is late.
	Instance *model.Instance
	// Format is SVG where it is empty.
	Format Format
	// Width is in pixels (1/96 inch), for text in columns. 0: 1,200 pixels or 100 columns.
	Width int
	// Height is in pixels, for text in lines. 0: what suits the number of processors. A text takes more lines than asked
	// where it could not show every cluster otherwise.
	Height int
	// Title stands above the picture; empty: the name of the instance.
	Title string
}

// Draw writes a picture of the solution. It says what is wrong with a solution that cannot be drawn, such as one with a
// negative time; whether the schedule is right is for [model.Check] to say.
func Draw(w io.Writer, sol *model.Solution, opt Options) error {
	if err := draw(w, sol, opt); err != nil {
		return fmt.Errorf("gantt: %w", err)
	}
	return nil
}

// draw is Draw before the package's name is put in front of the error.
func draw(w io.Writer, sol *model.Solution, opt Options) error {
	if sol == nil {
		return errors.New("no solution")
	}
	l, err := newLayout(sol, opt.Instance)
	if err != nil {
		return err
	}
	s := summarise(sol, l, opt)
	if opt.Format == Text {
		return drawText(w, l, s, opt)
	}
	width, height, fonts, err := prepare(opt.Format, opt.Width, opt.Height)
	if err != nil {
		return err
	}
	return export(w, newChart(l, s, fonts, width, height), opt.Format)
}

// prepare is what a picture that is no text needs: its size and the fonts.
func prepare(format Format, width, height int) (float64, float64, *fonts, error) {
	if format != SVG && format != PNG && format != "" {
		return 0, 0, nil, fmt.Errorf("unknown format %q: expected svg, png or text", format)
	}
	x, y, err := checkSize(width, height)
	if err != nil {
		return 0, 0, nil, err
	}
	fonts, err := loadFonts()
	return x, y, fonts, err
}
