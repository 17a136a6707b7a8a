package draw

import (
	"fmt"
	"image/color"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// offFills are the colours of machines that are off, by state. White can be read on each, and each can be told from the ground on light and on dark paper.
var offFills = []color.NRGBA{{0x64, 0x74, 0x8b, 0xff}, {0x47, 0x55, 0x69, 0xff}, {0x7d, 0x6b, 0x7d, 0xff}}

// offFill is the colour of a state.
func offFill(number int) color.NRGBA { return offFills[number%len(offFills)] }

// mostStateSpans is the largest number of times of machines that are kept; a chart with more shows none of them.
const mostStateSpans = 200_000

// addStates collects when machines are off and on their way.
func (b *layoutBuilder) addStates(sol *model.Solution) {
	list, known, err := model.States(b.in, sol)
	if err != nil || !known || len(list) > mostStateSpans {
		return
	}
	for k := range list {
		at := &list[k]
		if at.State == model.On {
			continue
		}
		m := &b.in.Clusters()[at.Cluster].Machines[at.Group]
		s := span{band: at.Cluster, start: at.From, end: at.To, machines: m.Name(at.Machine), kind: isOff, holder: m.Power.Off[at.State].Name, number: at.State}
		switch at.Way {
		case model.Down:
			s.kind = goesDown
		case model.Up:
			s.kind = comesUp
		}
		before := 0
		for g := range at.Group {
			before += b.in.Clusters()[at.Cluster].Machines[g].Count
		}
		first := m.First + at.Machine*m.Units
		if s.first, s.last = b.placeOf(at.Cluster, before+at.Machine, first); b.bands[at.Cluster].devices == 0 {
			s.last = first + m.Units - 1
		}
		b.spans = append(b.spans, s)
	}
}

// isState says whether a span is of a machine that is off or on its way.
func (s *span) isState() bool { return s.kind == isOff || s.kind == goesDown || s.kind == comesUp }

// ramp adds what a state looks like: a machine that is off is filled, one on its way as far as it has come.
func (c *chart) ramp(sheet *picture.Sheet, path *picture.Path, kind spanKind, r picture.Rect) {
	if kind == isOff {
		sheet.Outline(path, r)
		return
	}
	low, high := sheet.Point(r.X0, r.Y1), sheet.Point(r.X1, r.Y1)
	top := sheet.Point(r.X1, r.Y0)
	if kind == comesUp {
		top = sheet.Point(r.X0, r.Y0)
	}
	path.Move(low)
	path.Line(top)
	path.Line(high)
	path.Close()
}

// drawStates draws the machines that are off and on their way, behind the jobs, and writes the names of states where there is room.
func (c *chart) drawStates() {
	fills := make([]picture.Path, len(offFills))
	type text struct {
		x, y float64
		text string
	}
	var texts []text
	label := picture.Lettering{Size: picture.SmallSize, Ink: color.NRGBA{0xff, 0xff, 0xff, 0xff}, Align: 0.5}
	for _, s := range c.shownSpans() {
		if !s.isState() {
			continue
		}
		r := crisp(c.placeOfSpan(&s))
		if r.Height() < leastSpan {
			continue
		}
		if r.Width() < 0.6 {
			r.X1 = r.X0 + 0.6
		}
		if r.Height() >= 4 {
			r = picture.Box(r.X0, r.Y0+0.5, r.X1, r.Y1-0.5)
		}
		c.ramp(c.Sheet, &fills[s.number%len(fills)], s.kind, r)
		if name := picture.Printable(s.holder); s.kind == isOff && r.Height() >= picture.SmallSize+3 && label.Width(name) <= r.Width()-8 {
			texts = append(texts, text{(r.X0 + r.X1) / 2, (r.Y0+r.Y1)/2 + picture.SmallSize*0.36, name})
		}
		c.spanHovers = append(c.spanHovers, spanHover{r, s})
	}
	for k, path := range fills {
		c.Fill(path, offFills[k])
	}
	for _, t := range texts {
		c.Text(t.x, t.y, label, t.text)
	}
}

// stateEntries lists what the chart has to explain of machines that can be off.
func (c *chart) stateEntries() []picture.KeyEntry {
	type state struct {
		name   string
		number int
	}
	var states []state
	known, ways := map[state]bool{}, false
	for _, s := range c.shownSpans() {
		if !s.isState() {
			continue
		}
		ways = ways || s.kind != isOff
		if at := (state{s.holder, s.number}); !known[at] {
			known[at] = true
			states = append(states, at)
		}
	}
	if len(states) == 0 {
		return nil
	}
	entry := func(name string, fill color.NRGBA, kinds ...spanKind) picture.KeyEntry {
		return picture.KeyEntry{Name: name, Sample: func(s *picture.Sheet, at picture.Rect) {
			s.FillRect(at, picture.Idle)
			var path picture.Path
			for k, kind := range kinds {
				each := at.Width() / float64(len(kinds))
				c.ramp(s, &path, kind, picture.Box(at.X0+float64(k)*each, at.Y0, at.X0+float64(k+1)*each, at.Y1))
			}
			s.Fill(path, fill)
		}}
	}
	entries := []picture.KeyEntry{entry("idle", offFills[0])}
	const most = 6
	for k, at := range states {
		if k == most {
			entries = append(entries, picture.KeyEntry{Name: fmt.Sprintf("and %d more states", len(states)-most)})
			break
		}
		name := "off: " + picture.Printable(at.name)
		if at.name == "off" {
			name = "off"
		}
		entries = append(entries, entry(name, offFill(at.number), isOff))
	}
	if ways {
		entries = append(entries, entry("on the way down, and up", offFills[0], goesDown, comesUp))
	}
	return entries
}
