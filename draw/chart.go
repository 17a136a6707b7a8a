package draw

import (
	"math"
	"strconv"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
)

// pageLimits are the sizes of a page.
var pageLimits = limits{defaultWidth: 1200, leastWidth: 320, leastHeight: 200, mostSide: 16384, mostPixels: 40_000_000}

// Sizes in pixels.
const (
	bandGap     = 10.0
	clusterSize = 12.5
)

// keyEntries lists what the chart has to explain. Only fills that some job has are named.
func (c *chart) keyEntries() []picture.KeyEntry {
	var entries []picture.KeyEntry
	add := func(name string, fill int) {
		entries = append(entries, picture.FillEntry(name, c.scheme.fills[fill], c.scheme.edge(fill)))
	}
	used := c.scheme.used(c.blocks)
	for fill, name := range c.scheme.names {
		if used[fill] {
			add(name, fill)
		}
	}
	if c.load != nil {
		if c.scheme.names == nil {
			add(c.holding(), 0)
		}
		return append(entries, picture.KeyEntry{Name: "each column: the mean over " + c.period()})
	}
	entries = append(entries, c.spanEntries()...)
	if c.late > 0 {
		entries = append(entries, picture.KeyEntry{Name: "late, hatched from its deadline on", Sample: func(s *picture.Sheet, at picture.Rect) {
			s.FillRect(at, c.scheme.fills[0])
			c.drawLate([]lateMark{{at, (at.X0 + at.X1) / 2}})
		}})
	}
	return entries
}

// chart is a layout placed on a sheet.
type chart struct {
	*picture.Sheet
	*layout
	width, height float64
	title         string
	facts         []string // in lines that fit
	axis          picture.Axis
	plot          picture.Rect
	scheme        *scheme
	load          *load   // nil: the chart shows the jobs
	queue         strip   // of the jobs that wait, below those of the bands; no height: none
	strips        []strip // by band
	key           []picture.KeyPlace
	numbers       float64 // width of the column of processor numbers
	hovers        []hover // the blocks that show a hint under the pointer
	spanHovers    []spanHover
}

// strip is the place of a band.
type strip struct{ top, height float64 }

// hover is a rectangle with the block that it shows.
type hover struct {
	picture.Rect
	block int
}

// newChart decides where everything goes on a sheet of the asked size; a height of 0 stands for one that suits the
// number of rows. The canvas is added later.
func newChart(l *layout, s summary, opt GanttOptions, width, height float64) (*chart, error) {
	letters := picture.Lettering{Size: picture.FactSize}
	c := &chart{layout: l, width: width, title: picture.Printable(s.title), facts: s.lines(func(line string) bool {
		return letters.Width(picture.Printable(line)) <= width-2*picture.Margin
	})}
	var err error
	if c.scheme, err = newScheme(l, opt.Colour, mostClasses); err != nil {
		return nil, err
	}
	c.arrange(height)
	if opt.View == ShowLoad || opt.View == ShowAuto && c.isCrowded() {
		if opt.Colour == "" && l.known {
			c.scheme = schemeByWait(l, mostClasses)
		}
		c.load = newLoad(l, c.scheme, max(1, int(c.plot.Width()/columnWidth)))
		c.arrange(height)
	}
	return c, nil
}

// arrange places the bands, the axis and the key on a sheet of the given height; 0: of a height that suits what it shows.
func (c *chart) arrange(height float64) {
	c.plot = picture.Rect{X0: picture.Margin + c.gutter(), X1: math.Round(c.width - picture.Margin), Y0: picture.HeaderHeight(len(c.facts))}
	entries := c.keyEntries()
	const all = 1000
	most := all
	if height > 0 { // the key takes no more than a third of what is left
		most = max(int((height-picture.Footer-c.plot.Y0)/3/picture.KeyRow), 1)
	}
	var rows int
	c.key, rows = picture.PlaceKey(entries, picture.Margin, c.width-picture.Margin, most)
	below := picture.Footer + float64(rows)*picture.KeyRow
	if rows > 0 {
		below += 4
	}
	if c.height = height; height == 0 {
		c.height = c.plot.Y0 + c.naturalHeight() + below + c.tariffHeight(math.Inf(1))
	}
	c.plot.Y1 = max(c.height-below, c.plot.Y0+1)
	end := c.plot.Y1
	if c.load != nil {
		end = c.splitQueue()
	}
	c.strips = placeBands(c.bands, picture.Box(c.plot.X0, c.plot.Y0+c.tariffHeight(end-c.plot.Y0), c.plot.X1, end))
	c.axis = c.timeAxis(int(c.plot.Width()/picture.TickSpace), c.unit)
}

// gutter is the room to the left of the bands, for the clusters' names and the processors' numbers.
func (c *chart) gutter() float64 {
	widest, digits := 0.0, 1
	const enough = 500 // labels measured; more clusters than that have no room for theirs
	for k := range min(len(c.bands), enough) {
		b := &c.bands[k]
		widest = max(widest, picture.Lettering{Size: clusterSize, Bold: true}.Width(picture.Printable(b.id)))
		for _, note := range b.notes() {
			widest = max(widest, picture.Lettering{Size: picture.SmallSize}.Width(note))
		}
		digits = max(digits, len(strconv.Itoa(b.processors-1)))
	}
	for k := range c.tariffs {
		widest = max(widest, c.tariffs[k].widest())
	}
	if c.load != nil {
		for _, note := range c.queueNotes() {
			widest = max(widest, picture.Lettering{Size: picture.SmallSize}.Width(note))
		}
		digits = max(digits, len("100 %"))
	}
	c.numbers = max(float64(digits)*picture.SmallSize*0.56+8, c.machineColumn())
	return math.Ceil(min(widest, 0.16*c.width) + 14 + c.numbers)
}

// notes are the facts about a cluster that stand under its name.
func (b *band) notes() []string {
	size := numtext.CountedGrouped(b.processors, "processor")
	switch {
	case b.devices > 0:
		return []string{numtext.CountedGrouped(b.machinesNamed(), "machine"), numtext.CountedGrouped(b.devices, "device"), percent(b.busy) + " busy"}
	case b.machines != nil:
		return []string{numtext.CountedGrouped(b.machinesNamed(), "machine"), size, percent(b.busy) + " busy"}
	case b.exact:
	case b.processors == 1:
		size = "processor 0"
	default:
		size = "processors 0–" + strconv.Itoa(b.processors-1)
	}
	return []string{size, percent(b.busy) + " busy"}
}

// percent writes a share.
func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 0, 64) + " %"
}

// naturalHeight returns the height of the bands at which rows are easy to see, limited by the height of a screen.
func (c *chart) naturalHeight() float64 {
	const (
		row, least, most = 24, 140, 800
		name             = 34 // a band that its name fits beside
		mostByNames      = 3000
		// Machines with eight devices and a row for the rest are many rows; a page may be longer than a screen for them.
		deviceRow, mostDevicesHigh = 24, 1500
	)
	bands := float64(len(c.bands))
	if c.load != nil {
		const strip, queue, mostLoad = 150, 150, 900
		height := max(min(bands*strip, mostLoad), bands*(name-bandGap))
		if c.known {
			height += queue + queueGap
		}
		return min(height, mostByNames)
	}
	rows := min(max(row*c.allRows(), least), most)
	if c.rows == RowsDevices {
		rows = min(max(deviceRow*c.allRows(), least), mostDevicesHigh)
	}
	return math.Round(max(rows, min(bands*name, mostByNames)) + max(bands-1, 0)*min(bandGap, mostByNames/max(bands, 1)))
}

// placeBands shares the height among the clusters in proportion to their rows, but gives none less than its name
// needs if that is possible.
func placeBands(bands []band, plot picture.Rect) []strip {
	if len(bands) == 0 {
		return nil
	}
	n := float64(len(bands))
	gap := math.Floor(min(bandGap, plot.Height()/n/5))
	room := plot.Height() - gap*(n-1)
	floor := min(24, room/n)
	heights := fillHeights(bands, room, floor)
	strips := make([]strip, len(bands))
	top, filled := plot.Y0, 0.0
	for k, height := range heights {
		filled += height
		bottom := plot.Y0 + filled + gap*float64(k)
		if room/n >= 2 {
			bottom = math.Round(bottom)
		}
		strips[k] = strip{top, bottom - top}
		top = bottom + gap
	}
	return strips
}

// fillHeights shares the room in proportion to the rows with at least floor for each.
func fillHeights(bands []band, room, floor float64) []float64 {
	heights := make([]float64, len(bands))
	for raised := true; raised; {
		raised = false
		free, rows := room, 0.0
		for k := range bands {
			if heights[k] > 0 {
				free -= floor
			} else {
				rows += bands[k].height()
			}
		}
		for k := range bands {
			if heights[k] == 0 && free*bands[k].height() < floor*rows {
				heights[k], raised = floor, true
			}
		}
		if raised {
			continue
		}
		for k := range bands {
			if heights[k] == 0 {
				heights[k] = free * bands[k].height() / rows
			}
		}
	}
	return heights
}

// row is the height of one processor of a band, or of one place in its rows of devices.
func (c *chart) row(band int) float64 {
	return c.strips[band].height / float64(max(c.bands[band].units, 1))
}

// place is the rectangle of a block.
func (c *chart) place(b *block) picture.Rect {
	row, top := c.row(b.band), c.strips[b.band].top
	return picture.Rect{
		X0: c.plot.X0 + c.axis.At(b.start)*c.plot.Width(), X1: c.plot.X0 + c.axis.At(b.end)*c.plot.Width(),
		Y0: top + row*float64(b.first), Y1: top + row*float64(b.last+1),
	}
}

// draw draws the chart on a sheet.
func (c *chart) draw(s *picture.Sheet) {
	c.Sheet = s
	c.FillRect(picture.Rect{X1: c.width, Y1: c.height}, picture.Paper)
	c.Header(c.title, c.facts)
	c.drawTariffGround()
	c.drawBands()
	if c.load != nil {
		c.drawLoad()
		c.Lying(&c.axis, c.plot, nil, picture.SmallSize)
		c.drawTariffs()
	} else {
		strips := kit.Each(append(c.tariffStrips(), c.strips...), func(s strip) picture.Rect { return picture.Rect{Y0: s.top, Y1: s.top + s.height} })
		c.Lying(&c.axis, c.plot, strips, picture.SmallSize)
		c.drawTariffs()
		c.drawStates()
		c.drawBlocks()
		c.drawExclusive()
	}
	c.Key(c.key, c.plot.Y1+picture.Footer)
	if len(c.jobs) == 0 {
		c.Text((c.plot.X0+c.plot.X1)/2, (c.plot.Y0+c.plot.Y1)/2+5, picture.Lettering{Size: 15, Ink: picture.Quiet, Align: 0.5}, "no jobs placed")
	}
}
