// Package curves draws what happens over time in schedules of one instance: the queue, the utilisation and the waits, as a
// curve over time or as a cumulative distribution, with a curve for each schedule.
//
// The same input gives the same bytes. A schedule of a million jobs is drawn in bounded size: a curve has no more points than the
// picture has columns.
package curves

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/allot-opt/allot/model"
)

// Quantity is what a curve shows.
type Quantity string

// The quantities.
const (
	Queue       Quantity = "queue"       // jobs that have arrived and not started
	Utilisation Quantity = "utilisation" // processors held, in % of all
	Wait        Quantity = "wait"        // start − arrival
)

// Quantities lists all quantities.
func Quantities() []Quantity { return []Quantity{Queue, Utilisation, Wait} }

// View is how it is shown.
type View string

// The views.
const (
	OverTime   View = "time" // the mean in each column of the picture; of the waits, that of the jobs that arrive then
	Cumulative View = "cdf"  // share of the time, or of the jobs, with at most so much
)

// Views lists all views.
func Views() []View { return []View{OverTime, Cumulative} }

// Format is a format of the picture.
type Format string

// The formats.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// Formats lists all formats.
func Formats() []Format { return []Format{SVG, PNG} }

// FormatOf is the format that the end of a file's name stands for.
func FormatOf(filename string) (Format, error) {
	switch lower := strings.ToLower(filename); {
	case strings.HasSuffix(lower, ".svg"):
		return SVG, nil
	case strings.HasSuffix(lower, ".png"):
		return PNG, nil
	}
	return "", fmt.Errorf("curves: %q: expected a name that ends in .svg or .png", filename)
}

// Options say what to draw and how. The zero value draws the queue over time as an SVG.
type Options struct {
	Quantity Quantity
	View     View
	Format   Format
	Width    int    // pixels of 1/96 inch; 0: 1,000
	Height   int    // 0: 500, or more for the panels of several schedules over time
	Title    string // empty: by quantity and instance
}

// Limits of the size in pixels.
const (
	leastSide = 200
	mostSide  = 8192
)

// withDefaults fills in the defaults.
func (o Options) withDefaults() (Options, error) {
	if o.Quantity == "" {
		o.Quantity = Queue
	}
	if o.View == "" {
		o.View = OverTime
	}
	if o.Format == "" {
		o.Format = SVG
	}
	if o.Width == 0 {
		o.Width = 1000
	}
	if o.Width < leastSide || o.Height < leastSide && o.Height != 0 || max(o.Width, o.Height) > mostSide {
		return o, fmt.Errorf("%d × %d: expected %d to %d pixels each way", o.Width, o.Height, leastSide, mostSide)
	}
	switch {
	case o.Quantity != Queue && o.Quantity != Utilisation && o.Quantity != Wait:
		return o, fmt.Errorf("unknown quantity %q: expected queue, utilisation or wait", o.Quantity)
	case o.View != OverTime && o.View != Cumulative:
		return o, fmt.Errorf("unknown view %q: expected time or cdf", o.View)
	case o.Format != SVG && o.Format != PNG:
		return o, fmt.Errorf("unknown format %q: expected svg or png", o.Format)
	}
	return o, nil
}

// Draw writes a picture of schedules of the instance, each named by its solver: over time each in a panel of its own, on the
// same scales; distributions in one panel with a legend. The schedules must place jobs of the instance only; whether they
// are right is for [model.Check] to say.
//
// Complexity: O(n log n) for n placements.
func Draw(w io.Writer, in *model.Instance, schedules []*model.Solution, opt Options) error {
	opt, err := opt.withDefaults()
	if err != nil {
		return fmt.Errorf("curves: %w", err)
	}
	if len(schedules) == 0 {
		return errors.New("curves: no schedule")
	}
	if opt.Height == 0 {
		opt.Height = 500
		if opt.View == OverTime {
			opt.Height = min(max(500, 90+220*len(schedules)), mostSide)
		}
	}
	picture, err := newPicture(in, schedules, opt)
	if err != nil {
		return fmt.Errorf("curves: %w", err)
	}
	width, height := vg.Length(opt.Width)*pointsPerPixel, vg.Length(opt.Height)*pointsPerPixel
	if opt.Format == PNG {
		// Two dots a pixel, so that the letters are sharp.
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(192))}
		picture.draw(draw.New(canvas))
		_, err := canvas.WriteTo(w)
		return err
	}
	canvas := vgsvg.New(width, height)
	picture.draw(draw.New(canvas))
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return err
	}
	_, err = fonts.WriteString(w, drawn.String())
	return err
}

// pointsPerPixel is the length of a pixel of 1/96 inch in points of 1/72 inch, the unit of package vg.
const pointsPerPixel = 0.75

// fonts names fonts that a viewer may have where it lacks ours.
var fonts = strings.NewReplacer(`font-family:Liberation Sans;`, `font-family:Liberation Sans,Arial,Helvetica,sans-serif;`)
