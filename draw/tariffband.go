package draw

import (
	"image/color"
	"math"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// tariffLine is what power costs, or emits, by time: a band above the machines.
type tariffLine struct {
	isCarbon bool
	of       string // the cluster; empty: all
	unit     string
	per      float64      // power × time of one priced unit
	steps    []model.Step // within the times that there are to show
	until    float64
	least    float64
	most     float64
}

// Colours of tariffs, which stand out on light and on dark paper.
var (
	priceInk  = color.NRGBA{0xd2, 0x78, 0x0a, 0xff}
	carbonInk = color.NRGBA{0x79, 0x85, 0x7f, 0xff}
)

const (
	mostTariffs = 3 // bands of a Gantt chart
	tariffBand  = 38.0
	tariffGap   = 8.0
)

// addTariffs collects the bands, and lets the chart show the whole horizon where power counts in it.
func (b *layoutBuilder) addTariffs() {
	in := b.in
	if !in.HasPower() {
		return
	}
	if from, to, stated := in.Horizon(); stated {
		b.start, b.end = min(b.start, from), max(b.end, to)
		if len(b.jobs) == 0 {
			b.start = from
		}
	}
	if !(b.start < b.end) {
		return
	}
	b.tariffs = tariffLines(in, b.start, b.end, func(t *model.Tariff) (price, carbon bool) {
		carbon = t.Price == nil || carbonCounts(in) && t.Carbon != nil
		return !carbon, carbon
	})
	b.tariffs = b.tariffs[:min(len(b.tariffs), mostTariffs)]
}

// tariffLines lists the tariffs of all clusters within a time, first that of the instance: of each its price, its carbon or both. It leaves out those with too
// many steps to be measured.
func tariffLines(in *model.Instance, from, to float64, kinds func(*model.Tariff) (price, carbon bool)) []tariffLine {
	var shared, own []tariffLine
	known := false // what is shared
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		t := cluster.Tariff
		if t == nil || t == in.Tariff() && known {
			continue
		}
		times, prices, carbon, few := t.Steps(from, to)
		if !few {
			continue
		}
		var lines []tariffLine
		hasPrice, hasCarbon := kinds(t)
		if hasPrice {
			lines = append(lines, newTariffLine(times, prices, to))
			lines[0].unit = in.Units().Cost
		}
		if hasCarbon {
			line := newTariffLine(times, carbon, to)
			line.isCarbon = true
			lines = append(lines, line)
		}
		for k := range lines {
			lines[k].per = t.Per
		}
		if t == in.Tariff() {
			shared, known = lines, true
			continue
		}
		for _, line := range lines {
			line.of = cluster.ID
			own = append(own, line)
		}
	}
	return append(shared, own...)
}

// newTariffLine is the line of values that hold from times on, the last until the end.
func newTariffLine(times, values []float64, until float64) tariffLine {
	line := tariffLine{until: until, least: math.Inf(1), most: math.Inf(-1)}
	for k, value := range values {
		if k == 0 || value != values[k-1] {
			line.steps = append(line.steps, model.Step{Time: times[k], Value: value})
			line.least, line.most = min(line.least, value), max(line.most, value)
		}
	}
	return line
}

// carbonCounts says whether carbon enters the objective and prices do not.
func carbonCounts(in *model.Instance) bool {
	price, carbon := false, false
	for _, term := range in.ObjectiveTerms() {
		price = price || term.Metric == "energy_cost" && term.Weight != 0
		carbon = carbon || term.Metric == "carbon" && term.Weight != 0
	}
	return carbon && !price
}

// kind says what the values are.
func (t *tariffLine) kind() string {
	if t.isCarbon {
		return "carbon"
	}
	return "price"
}

// name is what the band shows.
func (t *tariffLine) name() string {
	if t.of != "" {
		return t.kind() + " · " + picture.Printable(t.of)
	}
	return t.kind()
}

// notes say what the values are.
func (t *tariffLine) notes() []string {
	text := numtext.Significant(t.least, 3)
	if t.most > t.least {
		text += " to " + numtext.Significant(t.most, 3)
	}
	if t.unit != "" {
		text += " " + picture.Printable(t.unit)
	}
	return []string{text}
}

// widest is the width of the text beside the band.
func (t *tariffLine) widest() float64 {
	most := picture.Lettering{Size: clusterSize, Bold: true}.Width(t.name())
	for _, note := range t.notes() {
		most = max(most, picture.Lettering{Size: picture.SmallSize}.Width(note))
	}
	return most
}

// ink is the colour of the band.
func (t *tariffLine) ink() color.NRGBA {
	if t.isCarbon {
		return carbonInk
	}
	return priceInk
}

// at is the share of the height of the band at which a value stands, from its foot. 0 is always in the band.
func (t *tariffLine) at(value float64) float64 {
	low, high := min(t.least, 0), max(t.most, 0)
	if !(high > low) {
		return 0
	}
	return 0.94 * (value/2 - low/2) / (high/2 - low/2) // halves do not overflow
}

// means are the means over n equal parts of a time.
func (t *tariffLine) means(from, to float64, n int) []float64 {
	list := make([]float64, n)
	k := 0
	for i := range list {
		a, b := from+(to-from)*float64(i)/float64(n), from+(to-from)*float64(i+1)/float64(n)
		for k+1 < len(t.steps) && t.steps[k+1].Time <= a {
			k++
		}
		sum := 0.0
		for at, m := a, k; at < b; m++ {
			end := b
			if m+1 < len(t.steps) {
				end = min(b, t.steps[m+1].Time)
			}
			sum += t.steps[m].Value * ((end - at) / (b - a))
			at = end
		}
		list[i] = sum
	}
	return list
}

// onPage is the band on a page. In place of very many values, which cannot be seen apart, it has the means of equal parts of the time.
func (t *tariffLine) onPage() pageTariff {
	const most = 20_000
	p := pageTariff{Name: t.name(), Notes: t.notes(), Kind: t.kind()}
	if len(t.steps) > most {
		from := t.steps[0].Time
		for k, mean := range t.means(from, t.until, most) {
			p.From, p.Value = append(p.From, from+(t.until-from)*float64(k)/most), append(p.Value, mean)
		}
		return p
	}
	for _, s := range t.steps {
		p.From, p.Value = append(p.From, s.Time), append(p.Value, s.Value)
	}
	return p
}

// tariffHeight is the height of all bands, with the gaps below them; 0 where the room is too low for them.
func (c *chart) tariffHeight(room float64) float64 {
	height := float64(len(c.tariffs)) * (tariffBand + tariffGap)
	if height > 0.4*room {
		return 0
	}
	return height
}

// tariffStrips are the places of the bands; none where the plot is too low for them.
func (c *chart) tariffStrips() []strip {
	if len(c.strips) == 0 || c.strips[0].top-c.plot.Y0 < tariffBand {
		return nil
	}
	var list []strip
	for k := range c.tariffs {
		list = append(list, strip{c.plot.Y0 + float64(k)*(tariffBand+tariffGap), tariffBand})
	}
	return list
}

// drawTariffGround draws what lies behind the bands, and their names.
func (c *chart) drawTariffGround() {
	for k, s := range c.tariffStrips() {
		c.FillRect(picture.Box(c.plot.X0, s.top, c.plot.X1, s.top+s.height), picture.Idle)
		c.drawNotes(s, c.tariffs[k].name(), c.tariffs[k].notes())
	}
}

// drawTariffs draws the values of the bands.
func (c *chart) drawTariffs() {
	for k, s := range c.tariffStrips() {
		t := &c.tariffs[k]
		columns := int(c.plot.Width())
		var from, values []float64
		if len(t.steps) <= columns {
			for _, step := range t.steps {
				if n := len(values); n > 0 && step.Time <= c.start {
					from, values = from[:n-1], values[:n-1]
				}
				if step.Time < c.end {
					from, values = append(from, max(c.start, step.Time)), append(values, step.Value)
				}
			}
		} else {
			values = t.means(c.start, c.end, columns)
			for n := range values {
				from = append(from, c.start+(c.end-c.start)*float64(n)/float64(columns))
			}
		}
		y := func(value float64) float64 { return s.top + s.height*(1-t.at(value)) }
		var area, line picture.Path
		base := y(0)
		area.Move(c.Point(c.plot.X0, base))
		last := base
		for n, value := range values {
			x := math.Round(c.plot.X0 + c.axis.At(from[n])*c.plot.Width())
			at := y(value)
			area.Line(c.Point(x, last))
			area.Line(c.Point(x, at))
			if n == 0 {
				line.Move(c.Point(x, at))
			} else {
				line.Line(c.Point(x, last))
				line.Line(c.Point(x, at))
			}
			last = at
		}
		line.Line(c.Point(c.plot.X1, last))
		area.Line(c.Point(c.plot.X1, last))
		area.Line(c.Point(c.plot.X1, base))
		area.Close()
		c.Fill(area, picture.Faded(t.ink(), 0.25))
		if t.least < 0 {
			c.Line(c.plot.X0, math.Round(base)+0.5, c.plot.X1, math.Round(base)+0.5, picture.Pen{Width: 1, Ink: picture.Quiet})
		}
		c.Stroke(line, picture.Pen{Width: 1.5, Ink: t.ink()})
	}
}

// writeTariffs writes a line for each band: blocks that rise from the least value, or from 0, to the largest.
func (t *textChart) writeTariffs() {
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	for k := range t.tariffs {
		line := &t.tariffs[k]
		cells := make([]rune, t.columns)
		for n, mean := range line.means(t.start, t.end, t.columns) {
			low, high := min(line.least, 0), max(line.most, 0)
			share := 0.0
			if high > low {
				share = (mean/2 - low/2) / (high/2 - low/2)
			}
			cells[n] = blocks[min(int(math.Round(share*float64(len(blocks)-1))), len(blocks)-1)]
		}
		title := plain(line.name())
		for _, note := range line.notes() {
			title += " · " + plain(note)
		}
		t.line("%s", picture.Clip(title, t.width))
		t.line("%*s │%s", t.gutter, "", string(cells))
	}
}
