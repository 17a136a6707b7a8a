package draw

import (
	"fmt"
	"unicode/utf8"

	"github.com/allot-opt/allot/internal/picture"
)

// textRow is a line of a text picture: a row of a machine, or some machines.
type textRow struct {
	label string
	first int // place
}

// noDevices names the row of the jobs without devices on a machine.
const noDevices = "-"

// machineGutter is the room for the names of machines and the numbers of devices.
func (t *textChart) machineGutter() int {
	const most = 16
	widest := 0
	for k := range t.bands {
		for n := range t.bands[k].machines {
			widest = max(widest, utf8.RuneCountInString(plain(t.bands[k].machines[n].name)))
		}
	}
	switch {
	case widest == 0:
		return 0
	case t.rows == RowsDevices:
		t.numbers = t.deviceColumns()
		return 1 + min(widest, most) + 1 + t.numbers
	}
	return 1 + min(widest, most)
}

// deviceColumns is the room for the numbers of devices.
func (t *textChart) deviceColumns() int {
	widest := len(noDevices)
	for k := range t.bands {
		b := &t.bands[k]
		for n := range b.machines {
			for r := range b.machines[n].rows {
				widest = max(widest, utf8.RuneCountInString(plain(b.label(&b.machines[n].rows[r]))))
			}
		}
	}
	return min(widest, 12)
}

// machineRows divides a band with machines into at most about the given number of lines: a line for each of its rows, a line or several for each machine, or one for several
// machines.
func (t *textChart) machineRows(k, lines int) []textRow {
	b, rows := &t.bands[k], 0
	for n := range b.machines {
		rows += len(b.machines[n].rows)
	}
	if b.devices > 0 && rows <= lines {
		return t.deviceLines(b)
	}
	each := (len(b.machines) + lines - 1) / max(lines, 1) // machines of a line
	parts := max(lines/max(len(b.machines), 1), 1)        // lines of a machine
	if b.devices > 0 {
		parts = 1
	}
	var list []textRow
	for n := 0; n < len(b.machines); n += each {
		m := &b.machines[n]
		for part := range min(parts, m.units) {
			label := ""
			if part == 0 {
				label = t.machineLabel(m)
			}
			list = append(list, textRow{label, m.first + part*m.units/min(parts, m.units)})
		}
	}
	return list
}

// deviceLines has a line for each row of each machine.
func (t *textChart) deviceLines(b *band) []textRow {
	var list []textRow
	for n := range b.machines {
		m := &b.machines[n]
		for r := range m.rows {
			label := picture.Clip(plain(b.label(&m.rows[r])), t.numbers)
			if label == "" {
				label, t.shown.bare = noDevices, true
			}
			if r == 0 {
				label = fmt.Sprintf("%s %*s", t.machineLabel(m), t.numbers, label)
			}
			list = append(list, textRow{label, m.rows[r].first})
		}
	}
	return list
}

// machineLabel is the name of a machine as it fits beside its lines.
func (t *textChart) machineLabel(m *machine) string {
	room := t.gutter - 1
	if t.rows == RowsDevices {
		room -= 1 + t.numbers
	}
	return picture.Clip(plain(m.name), room)
}

// paintSpans marks cells that nobody holds where their machines are closed, off or on their way, or where a job has them to itself. A cell is marked if the span covers its row, but for the gap below a
// machine, and the middle of its time.
func (t *textChart) paintSpans(cells []rune, holders []int, band, first, last int) {
	if b := &t.bands[band]; b.devices > 0 {
		last = min(last, b.machines[b.machineAt(last)].end()-1)
	}
	for _, s := range t.spans {
		if s.band != band || s.first > first || s.last < last {
			continue
		}
		for column := range cells {
			at := (float64(column) + 0.5) / float64(t.columns)
			if holders[column] != nobody || at < t.axis.At(s.start) || at > t.axis.At(min(s.end, t.end)) {
				continue
			}
			switch s.kind {
			case isClosed:
				t.shown.closed, cells[column] = true, '╱'
			case isAlone:
				t.shown.alone, cells[column] = true, '═'
			case isOff:
				t.shown.off, cells[column] = true, '·'
			default:
				t.shown.ways, cells[column] = true, '↕'
			}
		}
	}
}

// briefly explains the mark of cells of which jobs hold little.
func (t *textChart) briefly() string {
	for k := range t.bands {
		if t.bands[k].machines != nil {
			return "▏ little of a cell"
		}
	}
	return "▏ less than half a cell"
}
