package draw

import (
	"errors"
	"fmt"
	"io"

	"github.com/allot-opt/allot/model"
)

// GanttOptions say how to draw a schedule. The zero value suits every schedule.
type GanttOptions struct {
	// Instance is what the solution solves; nil: not at hand. Without it a cluster ends at the largest processor that
	// the solution names and no job is late.
	Instance *model.Instance
	// Width is in pixels (1/96 inch), for text in columns. 0: 1,200 pixels or 100 columns.
	Width int
	// Height is in pixels, for text in lines. 0: what suits the number of processors. A text takes more lines than asked
	// where it could not show every cluster otherwise.
	Height int
	// Title stands above the picture; empty: the name of the instance.
	Title string
}

// Gantt draws a schedule: one band a cluster, one row a processor, time to the right, one rectangle for each run of
// neighbouring processors that a job holds.
//
// A solution alone is enough. With its instance the picture also knows how many processors each cluster has, the unit of
// time and which jobs miss their deadlines.
//
// It says what is wrong with a solution that cannot be drawn, such as one with a negative time; whether the schedule is
// right is for [model.Check] to say.
func Gantt(sol *model.Solution, opt GanttOptions) (*Picture, error) {
	if sol == nil {
		return nil, errors.New("draw: no solution")
	}
	l, err := newLayout(sol, opt.Instance)
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	s := summarise(sol, l, opt)
	return &Picture{
		text: func(w io.Writer) error { return drawGanttText(w, l, s, opt) },
		layOut: func() (drawing, error) {
			width, height, err := pageLimits.check(opt.Width, opt.Height)
			if err != nil {
				return nil, err
			}
			return newChart(l, s, loadFonts(), width, height), nil
		},
	}, nil
}
