package draw

import (
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/allot-opt/allot/internal/picture"
)

// Sizes of a text in lines and columns.
const (
	courseRows   = 20 // of the plot
	leastRows    = 4
	rowsToLabel  = 4
	leastColumn  = 10 // columns of the plot
	textLegendAt = 2  // columns before a line of the legend
)

// textGraph is a course placed on lines of characters.
type textGraph struct {
	textPage
	*course
	values picture.Axis
	cells  [][]rune // by row and column
}

// drawCourseText writes the runs as text. A single run is a line with its gap shaded. Of several runs, each is a letter: a capital for its
// objective and a small one for its bound.
func drawCourseText(w io.Writer, c *course, opt ProgressOptions) error {
	page, err := newTextPage(w, opt.Width, opt.Height)
	if err != nil {
		return err
	}
	t := &textGraph{textPage: page, course: c}
	legend := t.legend()
	rows := courseRows
	if opt.Height > 0 {
		const frame = 5 // title, caption, axis
		rows = max(opt.Height-len(legend)-frame, leastRows)
	}
	t.values = c.valueAxis(max(rows/rowsToLabel, 2))
	for _, tick := range t.values.Ticks {
		t.gutter = max(t.gutter, utf8.RuneCountInString(tick.Label))
	}
	t.gutter = min(t.gutter, t.width-leastColumn-2)
	t.columns = t.width - t.gutter - 2
	t.axis = c.timeAxis(t.columns / textTickSpace)
	t.cells = make([][]rune, rows)
	for k := range t.cells {
		t.cells[k] = []rune(strings.Repeat(" ", t.columns))
	}
	t.plot()
	t.writeHeader(summary{title: c.title})
	for _, line := range legend {
		t.line("%s", line)
	}
	t.line("%s", picture.Clip(t.values.Caption, t.width))
	t.writePlot()
	t.writeAxis()
	return t.out.Flush()
}

// legend says how each run looks and how it ended. For a single run it also explains the signs.
func (t *textGraph) legend() []string {
	fits := func(text string) bool { return utf8.RuneCountInString(text) <= t.width-textLegendAt }
	indent := strings.Repeat(" ", textLegendAt)
	var lines []string
	for k, run := range t.runs {
		var s summary
		switch {
		case len(t.runs) > 1:
			s.facts = append(s.facts, string(letter(k))+" "+plain(run.Name))
		case t.title != run.Name:
			s.facts = append(s.facts, plain(run.Name))
		}
		for _, fact := range run.facts() {
			if fact != "" {
				s.facts = append(s.facts, fact)
			}
		}
		for n, line := range s.lines(fits) {
			if len(t.runs) > 1 && n == 0 {
				lines = append(lines, line)
				continue
			}
			lines = append(lines, indent+line)
		}
	}
	if !t.hasBound {
		return lines
	}
	if len(t.runs) > 1 {
		return append(lines, picture.Clip(indent+"A objective   a bound", t.width))
	}
	return append(lines, picture.Clip(indent+"─ objective   ╌ bound   ░ gap", t.width))
}

// letter stands for the k-th of several runs.
func letter(k int) rune { return 'A' + rune(k) }

// row is the row of a figure.
func (t *textGraph) row(value float64) int {
	return int(math.Round((1 - t.values.At(value)) * float64(len(t.cells)-1)))
}

// column is the column of a time.
func (t *textGraph) column(elapsed float64) int {
	return min(int(t.axis.At(elapsed)*float64(t.columns)), t.columns-1)
}

// plot draws all runs into the cells.
func (t *textGraph) plot() {
	for k := range t.runs {
		t.eachColumn(k, func(column, _, after int, bound int) {
			if bound < 0 {
				return
			}
			if len(t.runs) > 1 {
				if column%len(t.runs) == k { // equal bounds take turns, so that all are seen
					t.cells[bound][column] = letter(k) - 'A' + 'a'
				}
				return
			}
			for row := after + 1; row < bound; row++ {
				t.cells[row][column] = '░'
			}
			t.cells[bound][column] = '╌'
		})
	}
	for k := range t.runs {
		t.eachColumn(k, func(column, before, after int, _ int) {
			if len(t.runs) > 1 {
				for row := before; row <= after; row++ {
					t.cells[row][column] = letter(k)
				}
				return
			}
			if before == after {
				t.cells[after][column] = '─'
				return
			}
			t.cells[before][column] = '┐'
			for row := before + 1; row < after; row++ {
				t.cells[row][column] = '│'
			}
			t.cells[after][column] = '└'
		})
	}
}

// eachColumn calls draw for every column, from the first one with a point. It passes the rows of the objective before and after the column
// and the row of the bound, or -1 if there is no bound.
func (t *textGraph) eachColumn(k int, draw func(column, before, after, bound int)) {
	points := t.runs[k].Points
	if len(points) == 0 {
		return
	}
	before := t.row(points[0].Objective)
	for column, next := t.column(points[0].Elapsed), 0; column < t.columns; column++ {
		for next < len(points) && t.column(points[next].Elapsed) <= column {
			next++
		}
		after, bound := t.row(points[next-1].Objective), -1
		if value, known := points[next-1].Bound.Value(); known {
			bound = t.row(value)
		}
		draw(column, before, after, bound)
		before = after
	}
}

// writePlot writes the cells with the labels of the figures beside them.
func (t *textGraph) writePlot() {
	labels := make([]string, len(t.cells))
	for _, tick := range t.values.Ticks {
		labels[int(math.Round((1-tick.At)*float64(len(t.cells)-1)))] = picture.Clip(tick.Label, t.gutter)
	}
	for row, cells := range t.cells {
		edge := '│'
		if labels[row] != "" {
			edge = '┤'
		}
		t.line("%*s %c%s", t.gutter, labels[row], edge, string(cells))
	}
}
