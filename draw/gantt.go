package draw

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// GanttOptions say how to draw a schedule. The zero value suits every schedule.
type GanttOptions struct {
	// Instance is the instance that the solution solves; nil: unknown. Without it a cluster ends at the largest processor that
	// the solution names, and no job is late.
	Instance *model.Instance
	// Width is in pixels (1/96 inch), for text in columns. 0: 1,200 pixels or 100 columns.
	Width int
	// Height is in pixels, for text in lines. 0: chosen by the number of processors. A text takes more lines if it could not
	// show every cluster otherwise.
	Height int
	// Title stands above the picture; empty: the name of the instance.
	Title string
	// Colour is what the colours of the jobs mean. Empty: [ByJob], and [ByWait] where the picture shows the load of a known instance. All but ByJob need the
	// instance.
	Colour Colour
	// View says whether the picture shows jobs or the load; empty: [ShowAuto].
	View GanttView
	// Rows are what the rows of the chart are; empty: [RowsAuto].
	Rows Rows
	// Window is the part of the time to show.
	Window Window
	// Reasons say by job why it started when it did, for the format [HTML]; nil: nothing is known of any.
	Reasons map[string]string
}

// Gantt draws a schedule. Each cluster is a band and each processor a row; time runs to the right. A rectangle stands for neighbouring
// processors that a job holds.
//
// Where the schedule states devices, rows are these, machine by machine. A share of a device is a part of its height; the jobs of a machine that hold none of its devices lie side by side in a
// thinner row below it. With the instance the picture also shows when machines are closed, and which of them a job has to itself.
//
// A solution alone is enough. With its instance the picture also knows how many processors each cluster has, the unit of
// time and which jobs miss their deadlines.
//
// It returns an error for a solution that cannot be drawn, such as one with a negative time. It does not check the schedule
// otherwise; [model.Check] does.
func Gantt(sol *model.Solution, opt GanttOptions) (*Picture, error) {
	if sol == nil {
		return nil, errors.New("draw: no solution")
	}
	if opt.View == "" {
		opt.View = ShowAuto
	}
	if !slices.Contains(GanttViews(), opt.View) {
		return nil, fmt.Errorf("draw: unknown view %q: expected auto, jobs or load", opt.View)
	}
	rows, err := rowsOf(sol, opt)
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	l, err := newLayout(sol, opt.Instance, rows)
	if err == nil {
		err = l.cut(opt.Window)
	}
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	l.measure()
	if _, err := newScheme(l, opt.Colour, mostClasses); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	s := summarise(sol, l, opt)
	return &Picture{
		text: func(w io.Writer) error { return drawGanttText(w, l, s, opt) },
		page: func(w io.Writer) error { return writePage(w, l, s, sol.Unscheduled, opt) },
		data: func(w io.Writer) error { return writePageData(w, l, s, opt) },
		layOut: pageLimits.sized(opt.Width, opt.Height, func(width, height float64) (*picture.Drawing, error) {
			c, err := newChart(l, s, opt, width, height)
			if err != nil {
				return nil, err
			}
			return &picture.Drawing{Title: c.title, Width: c.width, Height: c.height, Dots: 1, Draw: c.draw, Hints: c.hints()}, nil
		}),
	}, nil
}
