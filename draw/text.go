package draw

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/allot-opt/allot/internal/picture"
)

// Sizes of a text picture in columns and lines.
const (
	defaultColumns = 100
	leastColumns   = 40
	mostColumns    = 10_000
	defaultRows    = 48 // of all clusters together
	textTickSpace  = 12
)

// textPage is the part that all texts share: lines of characters, a plot in them, and an axis of time below the plot.
type textPage struct {
	out     *bufio.Writer
	width   int
	gutter  int // columns left of the plot
	columns int // columns of time
	axis    picture.Axis
}

// textChart is a layout placed on lines of characters.
type textChart struct {
	textPage
	*layout
	scheme  *scheme
	shown   marks
	numbers int // columns of the numbers of devices
}

// marks says which special characters a picture contains, so that its key explains them.
type marks struct{ brief, mixed, late, closed, alone, bare, off, ways bool }

// drawText writes the picture as text.
func drawGanttText(w io.Writer, l *layout, s summary, opt GanttOptions) error {
	page, err := newTextPage(w, opt.Width, opt.Height)
	if err != nil {
		return err
	}
	t := &textChart{textPage: page, layout: l}
	if t.scheme, err = newScheme(l, opt.Colour, len(shades)); err != nil {
		return err
	}
	t.gutter = 3
	for k := range l.bands {
		t.gutter = max(t.gutter, 1+len(strconv.Itoa(l.bands[k].processors-1)))
	}
	t.gutter = max(t.gutter, t.machineGutter())
	t.columns = t.width - t.gutter - 2
	t.axis = l.timeAxis(t.columns/textTickSpace, plain(l.unit))
	header := t.writeHeader(s)
	rows := defaultRows
	if opt.Height > 0 {
		const footer = 4
		rows = opt.Height - header - footer - len(l.bands) - 2*len(l.tariffs)
	}
	if opt.View == ShowLoad || opt.View == ShowAuto && t.isCrowded() {
		t.writeTariffs()
		t.writeLoad(opt.Height > 0, rows)
		t.writeAxis()
		return t.out.Flush()
	}
	t.writeTariffs()
	t.writeBands(rows)
	t.writeAxis()
	t.writeKey()
	return t.out.Flush()
}

// newTextPage makes a page of the asked width; 0 stands for the usual one.
func newTextPage(w io.Writer, width, height int) (textPage, error) {
	if width == 0 {
		width = defaultColumns
	}
	if width < leastColumns || width > mostColumns {
		return textPage{}, fmt.Errorf("width %d: expected %d to %d columns", width, leastColumns, mostColumns)
	}
	if height < 0 {
		return textPage{}, fmt.Errorf("height %d: expected lines, or 0", height)
	}
	return textPage{out: bufio.NewWriter(w), width: width}, nil
}

// line writes one line without white space at its end.
func (t *textPage) line(format string, values ...any) {
	t.out.WriteString(strings.TrimRight(fmt.Sprintf(format, values...), " "))
	t.out.WriteByte('\n')
}

// writeHeader writes the title and the summary and returns the number of lines.
func (t *textPage) writeHeader(s summary) int {
	fits := func(text string) bool { return utf8.RuneCountInString(plain(text)) <= t.width }
	t.line("%s", plain(picture.Shorten(s.title, fits)))
	lines := s.lines(fits)
	for _, line := range lines {
		t.line("%s", plain(line))
	}
	return 1 + len(lines)
}

// writeBands writes every cluster, with about the given number of rows together.
func (t *textChart) writeBands(rows int) {
	rasters := t.rasters(rows)
	for k := range rasters {
		b := &t.bands[k]
		title := plain(b.id) + " · " + strings.Join(b.notes(), " · ")
		title = strings.ReplaceAll(title, "–", "-")
		t.line("%s", picture.Clip(title, t.width))
		t.writeRaster(&rasters[k], k)
	}
	if len(t.jobs) == 0 {
		const empty = "no jobs placed"
		t.line("%*s│%s%s", t.gutter+1, "", strings.Repeat(" ", (t.columns-len(empty))/2), empty)
	}
}

// rasters divides the clusters into cells. A row is one processor, or several if there are too many.
func (t *textChart) rasters(rows int) []raster {
	all := max(t.allRows(), 1)
	rasters := make([]raster, len(t.bands))
	for k := range t.bands {
		most := t.bands[k].units
		share := max(int(math.Round(float64(rows)*t.bands[k].height()/all)), 1)
		if t.bands[k].machines != nil {
			rasters[k] = newRowsRaster(t.machineRows(k, share), t.columns, most)
			continue
		}
		rasters[k] = newRaster(min(share, most), t.columns, most)
	}
	for k := range t.blocks {
		b := &t.blocks[k]
		columns := float64(t.columns)
		rasters[b.band].add(b, t.axis.At(b.start)*columns, t.axis.At(b.end)*columns)
	}
	return rasters
}

// writeRaster writes the rows of a cluster.
func (t *textChart) writeRaster(r *raster, band int) {
	var above []int
	for row := range r.rows {
		holders := r.holders(row)
		cells := t.paint(holders, above)
		first, next := r.extent(row)
		t.paintSpans(cells, holders, band, first, next-1)
		label := strconv.Itoa(first)
		if r.labels != nil {
			label = r.labels[row]
		}
		t.line("%*s │%s", t.gutter, label, string(cells))
		above = holders
	}
}

// paint draws a row. Neighbouring cells of one job begin with an edge and are filled with one of four shades. The job's id is written where the
// row above does not show the job, if there is room.
func (t *textChart) paint(holders, above []int) []rune {
	cells := slices.Repeat([]rune(" "), len(holders))
	for from := 0; from < len(holders); {
		to := from + 1
		for to < len(holders) && holders[to] == holders[from] {
			to++
		}
		run, holder := cells[from:to], holders[from]
		from = to
		switch holder {
		case nobody:
			continue
		case brief:
			t.shown.brief = true
			copy(run, slices.Repeat([]rune("▏"), len(run)))
			continue
		case several:
			t.shown.mixed = true
			copy(run, slices.Repeat([]rune("▚"), len(run)))
			continue
		}
		j := &t.jobs[holder]
		copy(run, slices.Repeat([]rune{t.shade(holder)}, len(run)))
		if len(run) > 1 {
			run[0] = '▐'
		}
		if j.late() {
			t.shown.late = true
			run[len(run)-1] = '!'
		}
		if start := to - len(run); above == nil || above[start] != holder {
			labelRun(run, j)
		}
	}
	return cells
}

// shades fill the cells of jobs in turn, or by class from light to dark.
var shades = []rune{'░', '▒', '▓', '█'}

// shade is the filling of a job's cells.
func (t *textChart) shade(job int) rune {
	if t.scheme.names == nil {
		const apart = 2 // neighbouring indices differ more
		hue := t.jobs[job].hue % len(shades)
		return shades[(hue*apart+hue/apart)%len(shades)]
	}
	return shades[t.scheme.of[job]]
}

// labelRun writes a job's id after the first cell of a run, if it fits before the last.
func labelRun(run []rune, j *job) {
	room := len(run) - 1
	if j.late() {
		room--
	}
	if id := []rune(plain(j.id)); len(id) <= room {
		copy(run[1:], id)
	}
}

// writeAxis writes the axis with its ticks, their labels and the caption.
func (t *textPage) writeAxis() {
	base, labels := slices.Repeat([]rune("─"), t.columns), slices.Repeat([]rune(" "), t.width)
	free := 0
	for _, tick := range t.axis.Ticks {
		if tick.Label == "" {
			continue
		}
		column := min(int(math.Round(tick.At*float64(t.columns))), t.columns-1)
		base[column] = '┬'
		text := []rune(tick.Label)
		at := min(max(t.gutter+2+column-len(text)/2, 0), t.width-len(text))
		if at >= free {
			copy(labels[at:], text)
			free = at + len(text) + 1
		}
	}
	t.line("%*s └%s", t.gutter, "", string(base))
	t.line("%s", string(labels))
	t.line("%s", picture.Clip(strings.Repeat(" ", t.gutter+2)+t.axis.Caption, t.width))
}

// writeKey explains the special characters that occur.
func (t *textChart) writeKey() {
	var key []string
	for class, name := range t.scheme.names {
		if t.scheme.used(t.blocks)[class] {
			key = append(key, string(shades[class])+" "+plain(name))
		}
	}
	if t.shown.bare {
		key = append(key, noDevices+" without devices")
	}
	if t.shown.closed {
		key = append(key, "╱ closed")
	}
	if t.shown.alone {
		key = append(key, "═ of a machine for one job alone")
	}
	if t.shown.off {
		key = append(key, "· off")
	}
	if t.shown.ways {
		key = append(key, "↕ on the way between on and off")
	}
	if t.shown.late {
		key = append(key, "! late")
	}
	if t.shown.mixed {
		key = append(key, "▚ several jobs")
	}
	if t.shown.brief {
		key = append(key, t.briefly())
	}
	indent := strings.Repeat(" ", t.gutter+2)
	for _, line := range joined(key, "   ", func(text string) bool { return t.gutter+2+utf8.RuneCountInString(text) <= t.width }) {
		t.line("%s", picture.Clip(indent+line, t.width))
	}
}
