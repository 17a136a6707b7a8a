// Package draw makes pictures: [Gantt] charts of schedules, [Curves] of what happens over time in them or of the differences between them, the [Shares] of users, and the [Progress] of
// runs towards the optimum.
//
// Each of them returns a [Picture], which can be written in several formats, or to a file by the end of its name:
//
//	picture, err := draw.Gantt(solution, draw.GanttOptions{Instance: instance})
//	…
//	err = picture.WriteFile("plan.svg")
//
// The same input gives the same bytes. A schedule of a million jobs is drawn in bounded time and memory: a chart of more jobs than can be seen shows their
// load, or shades those that are too small together, and a curve has no more points than the picture has columns. A Gantt chart can also be a page
// to zoom in, see [HTML].
//
// Every picture has a background of its own and uses nothing in SVG that only a browser knows. Colours can be told apart in the common kinds of colour-blindness.
package draw
