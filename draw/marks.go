package draw

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// span is a time in which machines are closed, in which a job has a machine to itself, or in which a machine is off or on its way.
type span struct {
	band        int
	first, last int // places in the band
	start, end  float64
	machines    string // names
	kind        spanKind
	holder      string // of closed machines the reservation whose jobs run there, empty: none; of a machine that is off the state; else the job
	number      int    // of the state that is off
}

// spanKind is what a span is.
type spanKind string

// The kinds of spans.
const (
	isClosed spanKind = "closed"
	isAlone  spanKind = "alone"
	isOff    spanKind = "off"
	goesDown spanKind = "down"
	comesUp  spanKind = "up"
)

// addMarks collects the closed times of the machines, and the machines that jobs have to themselves.
func (b *layoutBuilder) addMarks(sol *model.Solution) {
	for c := range b.in.Clusters() {
		groups := b.in.Clusters()[c].Machines
		before := 0 // machines of the groups before
		for g := range groups {
			m := &groups[g]
			for _, closed := range m.Closed() {
				s := span{band: c, start: closed.From, end: closed.To, kind: isClosed, holder: closed.For}
				s.first, s.last = b.placeOf(c, before, m.First)
				_, s.last = b.placeOf(c, before+m.Count-1, m.Last())
				if s.machines = m.Name(0); m.Count > 1 {
					s.machines += " to " + m.Name(m.Count-1)
				}
				b.spans = append(b.spans, s)
			}
			before += m.Count
		}
	}
	b.addStates(sol)
	for k := range sol.Jobs {
		if !b.in.Jobs()[b.jobs[k].hue].Node().Exclusive {
			continue
		}
		sol.Jobs[k].Parts(0, func(piece model.Piece) { b.addExclusive(k, &piece) })
	}
}

// addExclusive marks the machines that a piece of the k-th job has to itself.
func (b *layoutBuilder) addExclusive(k int, p *model.Piece) {
	c := b.bandOf[p.Cluster]
	cluster, last := &b.in.Clusters()[c], -1
	for _, r := range p.Processors {
		for processor := r.First; processor <= r.Last; {
			number, group := cluster.MachineOf(processor)
			m := &cluster.Machines[group]
			first := processor - (processor-m.First)%m.Units
			processor = first + m.Units
			if number == last {
				continue
			}
			last = number
			s := span{band: c, start: p.Start, end: p.End, kind: isAlone, machines: m.Name((first - m.First) / m.Units), holder: b.jobs[k].id}
			s.first, s.last = b.placeOf(c, number, first)
			if b.bands[c].devices == 0 {
				s.last = first + m.Units - 1
			}
			b.spans = append(b.spans, s)
		}
	}
}

// placeOf returns the first and the last place of a machine in its band. Where the rows are processors it returns the place of the given processor.
func (b *layoutBuilder) placeOf(band, machine, processor int) (first, last int) {
	if at := &b.bands[band]; at.devices > 0 {
		m := &at.machines[machine]
		return m.first, m.end() - 1
	}
	return processor, processor
}

// shownSpans are the spans within the times to show.
func (l *layout) shownSpans() []span {
	list := kit.That(l.spans, func(s span) bool { return s.start < l.end && s.end > l.start })
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.band, b.band) })
	return list
}

// describe says in lines what a span is.
func (l *layout) describeSpan(s *span) string {
	text := picture.Printable(s.machines) + "\n"
	switch {
	case s.kind == isOff:
		text += picture.Printable(s.holder)
	case s.kind == goesDown:
		text += "goes down to " + picture.Printable(s.holder)
	case s.kind == comesUp:
		text += "comes up from " + picture.Printable(s.holder)
	case s.kind == isAlone:
		text += "only for " + picture.Printable(s.holder)
	case s.holder == "":
		text += "closed"
	default:
		text += "closed but for " + picture.Printable(s.holder)
	}
	text += "\n" + numtext.Significant(s.start, 12) + " – "
	if math.IsInf(s.end, 1) {
		return text + "for ever"
	}
	text += numtext.Significant(s.end, 12)
	if l.unit != "" {
		text += " " + picture.Printable(l.unit)
	}
	return text
}

// placeOfSpan is the rectangle of a span.
func (c *chart) placeOfSpan(s *span) picture.Rect {
	return c.place(&block{band: s.band, first: s.first, last: s.last, start: max(s.start, c.start), end: min(s.end, c.end)})
}

// leastSpan is the height below which the spans of machines are not drawn, in pixels.
const leastSpan = 1.5

// drawClosed hatches the closed times, behind the jobs, and writes what they are where there is room.
func (c *chart) drawClosed() {
	var hatches, edges picture.Path
	label := picture.Lettering{Size: picture.SmallSize, Ink: picture.Quiet, Align: 0.5}
	type text struct {
		x, y float64
		text string
	}
	var texts []text
	for _, s := range c.shownSpans() {
		r := crisp(c.placeOfSpan(&s))
		if s.kind != isClosed || r.Height() < leastSpan || r.Width() < 1 {
			continue
		}
		c.hatch(&hatches, r)
		if min(r.Height(), r.Width()) > 4 {
			c.Outline(&edges, r.Inset(0.5))
		}
		name := "closed"
		if s.holder != "" {
			name = "for " + picture.Printable(s.holder)
		}
		if free := c.freeOf(&s, r); r.Height() >= picture.SmallSize+2 && label.Width(name) <= free.Width()-8 {
			texts = append(texts, text{(free.X0 + free.X1) / 2, (r.Y0+r.Y1)/2 + picture.SmallSize*0.36, name})
		}
		c.spanHovers = append(c.spanHovers, spanHover{r, s})
	}
	c.Stroke(hatches, picture.Pen{Width: 1, Ink: closedInk})
	c.Stroke(edges, picture.Pen{Width: 1, Ink: closedInk})
	for _, t := range texts {
		half := label.Width(t.text)/2 + 3
		c.FillRect(picture.Box(t.x-half, t.y-picture.SmallSize, t.x+half, t.y+4), picture.Idle)
		c.Text(t.x, t.y, label, t.text)
	}
}

// freeOf is the longest part of the rectangle of a span in whose middle, where its name stands, there is no job.
func (c *chart) freeOf(s *span, r picture.Rect) picture.Rect {
	var taken []picture.Rect
	for k := range c.blocks {
		if b := &c.blocks[k]; b.band == s.band && b.first <= s.last && b.last >= s.first && b.start < s.end && b.end > s.start {
			if at, middle := c.visible(b), (r.Y0+r.Y1)/2; at.Y1 > middle-picture.SmallSize && at.Y0 < middle+picture.SmallSize {
				taken = append(taken, at)
			}
		}
	}
	slices.SortFunc(taken, func(a, b picture.Rect) int { return cmp.Compare(a.X0, b.X0) })
	best, at := picture.Rect{}, r.X0
	for _, t := range append(taken, picture.Rect{X0: r.X1, X1: r.X1}) {
		if t.X0-at > best.Width() {
			best = picture.Box(at, r.Y0, t.X0, r.Y1)
		}
		at = max(at, t.X1)
	}
	return best
}

// drawExclusive frames the machines that jobs have to themselves, over the jobs.
func (c *chart) drawExclusive() {
	var frames picture.Path
	for _, s := range c.shownSpans() {
		if r := crisp(c.placeOfSpan(&s)); s.kind == isAlone && r.Height() >= leastSpan && r.Width() >= leastSpan {
			c.Outline(&frames, r.Inset(0.75))
		}
	}
	c.Stroke(frames, picture.Pen{Width: 1.5, Ink: picture.Ink})
}

// spanHover is a rectangle with the span that it shows.
type spanHover struct {
	picture.Rect
	span span
}

// spanEntries lists what the chart has to explain of spans.
func (c *chart) spanEntries() []picture.KeyEntry {
	seen := map[spanKind]bool{}
	for _, s := range c.shownSpans() {
		seen[s.kind] = true
	}
	entries := c.stateEntries()
	if seen[isClosed] {
		entries = append(entries, picture.KeyEntry{Name: "closed", Sample: func(s *picture.Sheet, at picture.Rect) {
			s.FillRect(at, picture.Idle)
			var hatches, edge picture.Path
			c.hatch(&hatches, at)
			c.Outline(&edge, at.Inset(0.5))
			c.Stroke(hatches, picture.Pen{Width: 1, Ink: closedInk})
			c.Stroke(edge, picture.Pen{Width: 1, Ink: closedInk})
		}})
	}
	if seen[isAlone] {
		entries = append(entries, picture.KeyEntry{Name: "a machine for one job alone", Sample: func(s *picture.Sheet, at picture.Rect) {
			s.FillRect(at, picture.Idle)
			var frame picture.Path
			c.Outline(&frame, at.Inset(0.75))
			c.Stroke(frame, picture.Pen{Width: 1.5, Ink: picture.Ink})
		}})
	}
	return entries
}
