package draw

import (
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
)

// isCrowded reports whether most of the processor time of a text is in jobs too short for a cell or two.
func (t *textChart) isCrowded() bool {
	const few, wide = 1_000, 2
	if len(t.blocks) <= few {
		return false
	}
	clear, all := 0.0, 0.0
	for k := range t.blocks {
		b := &t.blocks[k]
		width := (t.axis.At(b.end) - t.axis.At(b.start)) * float64(t.columns)
		area := width * t.shareOf(b)
		if all += area; width >= wide {
			clear += area
		}
	}
	return clear < all/2
}

// writeLoad writes a bar chart of the load of every cluster, and of the queue. The classes of jobs are not told apart.
func (t *textChart) writeLoad(isLimited bool, rows int) {
	one := *t.scheme
	one.names = nil
	v := newLoad(t.layout, &one, t.columns)
	charts := len(t.bands)
	if v.waiting != nil {
		charts++
		rows--
	}
	const usual, least = 8, 2
	each := usual
	if isLimited {
		each = min(max(rows/max(charts, 1), least), 4*usual)
	}
	for k := range t.bands {
		b := &t.bands[k]
		t.line("%s", picture.Clip(plain(b.id)+" · "+strings.ReplaceAll(strings.Join(b.notes(), " · "), "–", "-"), t.width))
		t.writeBars(v, v.held[k][0], 1, each, "100")
	}
	if v.waiting != nil {
		most := max(mostOf(v.waiting), 1)
		t.line("%s", picture.Clip("waiting · mean "+numtext.Significant(v.mean, 3)+" jobs · at most "+picture.Number(float64(v.peak)), t.width))
		t.writeBars(v, v.waiting[0], most, each, numtext.Significant(most, 2))
	}
}

// bars are the heights of a bar in one cell, in eighths.
var bars = []rune(" ▁▂▃▄▅▆▇█")

// writeBars writes the values of the periods as bars on the given number of rows. The label stands at the top for the value most.
func (t *textChart) writeBars(v *load, values []float64, most float64, rows int, label string) {
	heights := make([]int, t.columns) // in eighths
	for column := range heights {
		// The period that the middle of the column lies in.
		at := t.axis.From + (float64(column)+0.5)/float64(t.columns)*(t.axis.To-t.axis.From)
		if at < v.start {
			continue
		}
		value := values[min(int(v.place(at)), v.n-1)]
		heights[column] = int(value/most*float64(8*rows) + 0.5)
		if value > 0 {
			heights[column] = max(heights[column], 1)
		}
	}
	for row := range rows {
		cells, base := make([]rune, t.columns), 8*(rows-1-row)
		for column := range cells {
			cells[column] = bars[min(max(heights[column]-base, 0), 8)]
		}
		mark := ""
		if row == 0 {
			mark = picture.Clip(label, t.gutter)
		}
		t.line("%*s │%s", t.gutter, mark, string(cells))
	}
}
