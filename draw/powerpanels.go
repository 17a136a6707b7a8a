package draw

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// powerChart is power over time: the tariffs, and below them a panel for each schedule, or for each of its clusters.
type powerChart struct {
	tariffs []tariffLine
	panels  []powerPanel
	parts   []model.PowerPart // that are drawn, from the foot up
	horizon []float64         // its ends, where they are shown
}

// powerPanel is the power of a schedule on a cluster, or on all.
type powerPanel struct {
	title   string
	cluster int       // −1: all
	layers  []*series // by part: what it and the parts below it take
	caps    []change  // the power cap from each time on
	counted *series   // what the cap counts, where machines can be off; nil: what they take
}

// mostPowerPanels is how many panels there may be: more have no room in a picture of the largest height.
const mostPowerPanels = 160

// powerParts are the parts from the foot up.
var powerParts = [model.PowerParts]model.PowerPart{model.PowerOn, model.PowerOff, model.PowerWays, model.PowerRunning}

// powerLooks are the names and the colours of the parts.
var powerLooks = [model.PowerParts]struct {
	name string
	fill color.NRGBA
}{
	model.PowerOn:      {"machines that are on, idle power", picture.Faded(picture.StyleOf(0).Ink(), 0.2)},
	model.PowerOff:     {"machines that are off", picture.Faded(picture.StyleOf(7).Ink(), 0.6)},
	model.PowerWays:    {"on the way down, and up", picture.Faded(picture.StyleOf(3).Ink(), 0.6)},
	model.PowerRunning: {"running processors", picture.Faded(picture.StyleOf(0).Ink(), 0.5)},
}

// addPower finds the power of a schedule.
func (s *series) addPower(in *model.Instance, sol *model.Solution) error {
	if !in.HasPower() {
		return errors.New("power: expected machines or jobs that state their power, found none")
	}
	use, known, err := model.Power(in, sol)
	switch {
	case err != nil:
		return err
	case !known:
		return errors.New("power: it is not known, because a machine that can be off cannot be in a state that it must be in, as when a job starts before the machine can be up, or because a tariff has more than 2²⁰ steps")
	}
	s.use, s.first, s.last = use, use.From, use.To
	s.steps = upTo(use.All(), model.PowerParts-1)
	return nil
}

// upTo are the steps of what parts take together, from the foot up to one of them.
func upTo(steps []model.PowerStep, nth model.PowerPart) []change {
	list := make([]change, len(steps))
	for k := range steps {
		list[k].time = steps[k].Time
		for _, part := range powerParts[:nth+1] {
			list[k].by += steps[k].Parts[part]
		}
	}
	return list
}

// preparePower makes the panels of power over time.
func (c *curves) preparePower() error {
	chart := &powerChart{}
	c.power = chart
	c.showHorizon()
	clusters := []int{-1}
	if of := c.in.Clusters(); len(of) > 1 && slices.ContainsFunc(of, func(one model.Cluster) bool { return len(one.PowerCap) > 0 || one.Tariff != c.in.Tariff() }) {
		clusters = clusters[:0]
		for cluster := range of {
			clusters = append(clusters, cluster)
		}
	}
	if panels := len(c.list) * len(clusters); panels > mostPowerPanels {
		return fmt.Errorf("power: clusters with power caps or tariffs of their own have a panel each, of every schedule: expected at most %d panels, found %d", mostPowerPanels, panels)
	}
	shown := [model.PowerParts]bool{}
	for k, s := range c.list {
		for _, cluster := range clusters {
			p := c.powerPanel(s, cluster, &shown)
			switch {
			case len(clusters) > 1 && len(c.list) > 1:
				p.title = c.names[k] + " · " + panelName(c.in.Clusters()[cluster].ID)
			case len(clusters) > 1:
				p.title = panelName(c.in.Clusters()[cluster].ID)
			case len(c.list) > 1:
				p.title = c.names[k]
			}
			chart.panels = append(chart.panels, p)
		}
	}
	for _, part := range powerParts {
		if shown[part] {
			chart.parts = append(chart.parts, part)
		}
	}
	chart.tariffs = tariffLines(c.in, c.from, c.to, func(t *model.Tariff) (price, carbon bool) { return t.Price != nil, t.Carbon != nil })
	if c.opt.Height == 0 {
		c.opt.Height = heightOf(len(chart.panels), len(chart.tariffs))
	}
	return nil
}

// showHorizon leaves room beside the horizon, so that its ends can be seen, unless a window ends within.
func (c *curves) showHorizon() {
	from, to, stated := c.in.Horizon()
	if !stated {
		return
	}
	room := 0.015 * (c.to - c.from)
	if c.from == from {
		c.power.horizon, c.from = append(c.power.horizon, from), from-room
	}
	if c.to == to {
		c.power.horizon, c.to = append(c.power.horizon, to), to+room
	}
}

// powerPanel makes a panel, and notes which parts it shows.
func (c *curves) powerPanel(s *series, cluster int, shown *[model.PowerParts]bool) powerPanel {
	p := powerPanel{cluster: cluster}
	steps := s.use.All()
	if cluster >= 0 {
		steps = s.use.Of(cluster)
	}
	for nth := range model.PowerParts {
		layer := &series{steps: upTo(steps, nth), last: s.use.To}
		layer.cut(c.from, c.to)
		p.layers = append(p.layers, layer)
		for k, step := range steps {
			within := step.Time < c.to && (k+1 == len(steps) || steps[k+1].Time > c.from)
			shown[nth] = shown[nth] || within && step.Parts[nth] > 0
		}
	}
	of := max(cluster, 0)
	if cluster < 0 && len(c.in.Clusters()) > 1 {
		return p
	}
	limited := &c.in.Clusters()[of]
	for _, step := range limited.PowerCap {
		switch n := len(p.caps); {
		case step.Time <= c.from && n > 0:
			p.caps[0].by = step.Value
		case step.Time < c.to:
			p.caps = append(p.caps, change{max(step.Time, c.from), step.Value})
		}
	}
	if len(p.caps) > 0 && slices.ContainsFunc(limited.Machines, func(m model.Machine) bool { return m.Power.Sleeps() }) {
		idle := limited.IdlePower()
		p.counted = &series{steps: []change{{c.from, idle}}, last: s.use.To}
		for _, step := range steps {
			p.counted.steps = append(p.counted.steps, change{step.Time, idle + step.Parts[model.PowerRunning]})
		}
		p.counted.cut(c.from, c.to)
	}
	return p
}

// top is the layer of all parts together.
func (p *powerPanel) top() *series { return p.layers[len(p.layers)-1] }

// addPower adds the panels of power over time, those of the tariffs above them, and a key.
func (c *curves) addPower(chart *picture.Chart) {
	columns := max(int(chart.Width)-120, 50) / 3
	for k := range c.power.tariffs {
		chart.Panels = append(chart.Panels, c.tariffPanel(&c.power.tariffs[k], columns))
	}
	averaged, capped, counts, above := false, false, false, false
	for k := range c.power.panels {
		p := &c.power.panels[k]
		most := c.highestOn(p.cluster)
		lines := make([][]picture.Point, len(p.layers))
		for n, layer := range p.layers {
			lines[n] = layer.overTime(c.from, c.to, columns)
		}
		highest := p.top().highest(c.from, c.to, columns)
		averaged = averaged || highest != nil
		inside := slices.ContainsFunc(p.caps, func(s change) bool { return s.by <= most })
		capped, counts, above = capped || inside, counts || inside && p.counted != nil, above || slices.ContainsFunc(p.caps, func(s change) bool { return s.by > most })
		panel := &picture.Panel{Title: p.title, X: times(c.in, c.from, c.to), Draw: func(plot *picture.Plot) {
			c.drawParts(plot, lines)
			if highest != nil {
				plot.Stroke(plot.Path(highest, true), highestPen)
			}
			if p.counted != nil && inside {
				line := p.counted.highest(c.from, c.to, columns)
				if line == nil {
					line = p.counted.overTime(c.from, c.to, columns)
				}
				plot.Stroke(plot.Path(line, true), countedPen)
			}
			c.drawCaps(plot, p.caps, most)
			c.drawHorizon(plot)
		}}
		panel.Y = func(ticks int) picture.Axis {
			return picture.NewExactAxis(c.caption(), 0, max(1.05*most, 1e-9), "", ticks)
		}
		chart.Panels = append(chart.Panels, panel)
	}
	for _, part := range slices.Backward(c.power.parts) {
		chart.Key = append(chart.Key, picture.FillEntry(powerLooks[part].name, powerLooks[part].fill, nil))
	}
	if averaged {
		unit := timeUnit(c.in)
		chart.Key = append(chart.Key, picture.LineEntry("highest in "+timetext.Of((c.to-c.from)/float64(columns), unit, picture.Number)+"; areas are means", highestPen, nil))
	}
	if capped {
		chart.Key = append(chart.Key, picture.LineEntry("power cap", capPen, nil))
	}
	if counts {
		chart.Key = append(chart.Key, picture.LineEntry("what the cap counts: all machines on", countedPen, nil))
	}
	if above {
		chart.Key = append(chart.Key, picture.KeyEntry{Name: "a power cap lies above the picture"})
	}
	if len(c.power.horizon) > 0 {
		chart.Key = append(chart.Key, picture.LineEntry("horizon", horizonPen, nil))
	}
}

// The lines beside the areas.
var (
	highestPen = picture.Pen{Width: 0.9, Ink: picture.StyleOf(5).Ink()}
	capPen     = picture.Pen{Width: 2, Ink: picture.StyleOf(6).Ink()}
	countedPen = picture.Pen{Width: 1.2, Ink: picture.StyleOf(6).Ink(), Dash: []float64{3, 2.5}}
	horizonPen = picture.Pen{Width: 1.2, Ink: picture.Quiet, Dash: []float64{7, 3}}
)

// highestOn is the highest value to show in all panels of a cluster, so that schedules can be compared. Caps of more than twice what is taken are not shown:
// beside them the power could not be seen.
func (c *curves) highestOn(cluster int) float64 {
	taken, caps := 0.0, 0.0
	highest := func(list []change) (most float64) {
		for _, s := range list {
			most = max(most, s.by)
		}
		return most
	}
	for k := range c.power.panels {
		p := &c.power.panels[k]
		if p.cluster != cluster {
			continue
		}
		taken = max(taken, highest(p.top().steps))
		if p.counted != nil {
			taken = max(taken, highest(p.counted.steps))
		}
	}
	for k := range c.power.panels {
		if p := &c.power.panels[k]; p.cluster == cluster {
			for _, s := range p.caps {
				if s.by <= 2*taken {
					caps = max(caps, s.by)
				}
			}
		}
	}
	return max(taken, caps)
}

// drawParts draws the parts on each other, and the line above them.
func (c *curves) drawParts(p *picture.Plot, lines [][]picture.Point) {
	var below []picture.Point
	for nth, part := range powerParts {
		corners := cornersOf(lines[nth])
		if slices.Contains(c.power.parts, part) && len(corners) > 0 {
			if below == nil {
				below = []picture.Point{{X: corners[0].X}, {X: corners[len(corners)-1].X}}
			}
			back := slices.Clone(below)
			slices.Reverse(back)
			area := p.Path(append(slices.Clone(corners), back...), false)
			area.Close()
			p.Fill(area, powerLooks[part].fill)
		}
		below = corners
	}
	p.Stroke(p.Path(lines[len(lines)-1], true), picture.StyleOf(0).Solid(1.2))
}

// cornersOf are the corners of a stepped line.
func cornersOf(line []picture.Point) []picture.Point {
	var corners []picture.Point
	for k, at := range line {
		if k > 0 {
			corners = append(corners, picture.Point{X: at.X, Y: line[k-1].Y})
		}
		corners = append(corners, at)
	}
	return corners
}

// drawCaps draws the power cap as far as it is at most the highest value.
func (c *curves) drawCaps(p *picture.Plot, caps []change, most float64) {
	for k, s := range caps {
		end := c.to
		if k+1 < len(caps) {
			end = caps[k+1].time
		}
		if s.by > most {
			continue
		}
		line := []picture.Point{{X: s.time, Y: s.by}, {X: end, Y: s.by}}
		if k > 0 && caps[k-1].by <= most {
			line = append([]picture.Point{{X: s.time, Y: caps[k-1].by}}, line...)
		}
		p.Stroke(p.Path(line, false), capPen)
	}
}

// drawHorizon marks the ends of the horizon.
func (c *curves) drawHorizon(p *picture.Plot) {
	for _, at := range c.power.horizon {
		x := math.Round(p.AtX(at)) + 0.5
		p.Line(x, p.Area.Y0, x, p.Area.Y1, horizonPen)
	}
}

// tariffPanel is the panel of a tariff. In place of very many values it shows the means of columns.
func (c *curves) tariffPanel(t *tariffLine, columns int) *picture.Panel {
	var line []picture.Point
	caption := t.kind()
	if len(t.steps) <= columns {
		for _, s := range t.steps {
			line = append(line, picture.Point{X: s.Time, Y: s.Value})
		}
	} else {
		caption = "mean " + caption
		for k, mean := range t.means(c.from, c.to, columns) {
			line = append(line, picture.Point{X: c.from + (c.to-c.from)*float64(k)/float64(columns), Y: mean})
		}
	}
	line = append(line, picture.Point{X: c.to, Y: line[len(line)-1].Y})
	low, high := 0.0, 0.0
	for _, at := range line {
		low, high = min(low, at.Y), max(high, at.Y)
	}
	if low == high {
		high = 1
	}
	panel := &picture.Panel{Share: 0.4, X: times(c.in, c.from, c.to), Draw: func(p *picture.Plot) {
		area := p.Path(append([]picture.Point{{X: c.from}}, append(cornersOf(line), picture.Point{X: c.to})...), false)
		area.Close()
		p.Fill(area, picture.Faded(t.ink(), 0.25))
		p.Stroke(p.Path(line, true), picture.Pen{Width: 1.5, Ink: t.ink()})
		c.drawHorizon(p)
	}}
	if t.of != "" {
		panel.Title = panelName(t.of)
	}
	unit := picture.Printable(t.unit)
	switch {
	case c.isOfKilowattHours(t) && unit != "":
		unit += "/kWh"
	case c.isOfKilowattHours(t):
		caption += " for a kWh"
	}
	panel.Y = func(ticks int) picture.Axis { return picture.NewExactAxis(caption, 1.08*low, 1.08*high, unit, ticks) }
	return panel
}

// isOfKilowattHours says whether a value of the tariff is known to be for a kWh.
func (c *curves) isOfKilowattHours(t *tariffLine) bool {
	const joules = 3.6e6 // of a kWh
	each, known := timetext.Seconds(timeUnit(c.in))
	return c.opt.Watts && known && math.Abs(t.per*each-joules) <= 1e-9*joules
}
