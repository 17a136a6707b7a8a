package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// layout is a schedule as rectangles in the space of time × processors. It does not depend on the size of the picture.
type layout struct {
	bands  []band
	jobs   []job
	blocks []block // in the order of jobs
	// first and last are the earliest start and the latest end; both 0 without jobs.
	first, last float64
	// origin is the time that makespans count from: the first arrival, or without an instance the first start.
	origin float64
	unit   string // of time; empty: unknown
	late   int    // jobs that miss their deadline
	known  bool   // the instance is
	// start and end are the times to show: from origin to last, or a window of them.
	start, end float64
	window     Window
	all        []block // also those outside the window
	rows       Rows
	// Where rows are devices, the blocks of processors that jobs hold; else nil.
	onProcessors, allOnProcessors []block
	spans                         []span
	tariffs                       []tariffLine
	whole                         [2]float64 // the times that there are to show: from origin to last, or also those of the horizon
}

// band is one cluster.
type band struct {
	id         string
	processors int
	exact      bool      // the number of processors comes from the instance, not from the largest processor named
	busy       float64   // share of the processors' time from start to end of the layout that jobs hold; of the devices' time where rows are devices
	units      int       // height of all rows: a processor each, or the places of the rows of machines
	machines   []machine // by place; nil: rows are processors, and no machine is named
	devices    int       // of all machines, where rows are devices; 0: rows are processors
	resources  int       // that come in devices
}

// job is one placed job.
type job struct {
	id         string
	hue        int // selects the colour: the job's index in the instance or, without one, in the solution
	start, end float64
	deadline   float64 // +Inf: none
	arrival    float64 // NaN: unknown
	user       string  // empty: not stated
}

// wait is how long the job waited; 0 where that is unknown.
func (j *job) wait() float64 {
	if math.IsNaN(j.arrival) {
		return 0
	}
	return max(0, j.start-j.arrival)
}

// late says that the job misses its deadline.
func (j *job) late() bool { return j.end > j.deadline }

// block is a run of neighbouring processors that a job holds for some time.
type block struct {
	job, band   int
	first, last int // processors, or places in the rows of devices
	start, end  float64
	share       float64 // of each device, where rows are devices; 0: it holds none
	weight      float64 // devices that it holds, where rows are devices
}

// newLayout lays the solution out. The instance may be nil.
func newLayout(sol *model.Solution, in *model.Instance, rows Rows) (*layout, error) {
	b := layoutBuilder{layout: new(layout), in: in, bandOf: map[string]int{}}
	// Most jobs are one block.
	b.jobs, b.blocks = make([]job, 0, len(sol.Jobs)), make([]block, 0, len(sol.Jobs))
	b.addClusters()
	for k := range sol.Jobs {
		if err := b.add(k, &sol.Jobs[k]); err != nil {
			return nil, fmt.Errorf("jobs[%d] (%q): %w", k, picture.Clip(sol.Jobs[k].Job, 60), err)
		}
	}
	if err := b.arrangeRows(sol, rows); err != nil {
		return nil, err
	}
	b.finish()
	return b.layout, nil
}

// layoutBuilder collects a layout job by job.
type layoutBuilder struct {
	*layout
	in     *model.Instance
	bandOf map[string]int
}

// addClusters makes the bands of the instance's clusters.
func (b *layoutBuilder) addClusters() {
	b.first = math.Inf(1)
	if b.in == nil {
		return
	}
	b.unit, b.known = cmp.Or(b.in.Units().Time, "s"), true
	for c := range b.in.Clusters() {
		cluster := &b.in.Clusters()[c]
		b.bandOf[cluster.ID] = len(b.bands)
		b.bands = append(b.bands, band{id: cluster.ID, processors: cluster.Processors, exact: true})
	}
}

// add lays out the k-th job of the solution.
func (b *layoutBuilder) add(k int, p *model.Placement) error {
	placed := job{id: p.Job, hue: k, start: p.Start, end: p.End, deadline: math.Inf(1), arrival: math.NaN()}
	if b.in != nil {
		index, known := b.in.JobIndex(p.Job)
		if !known {
			return fmt.Errorf("the instance has no such job")
		}
		j := &b.in.Jobs()[index]
		placed.hue, placed.deadline, placed.arrival, placed.user = index, j.Deadline, j.Arrival, j.User()
	}
	if err := checkInterval(p.Start, p.End); err != nil {
		return err
	}
	b.jobs = append(b.jobs, placed)
	var err error
	p.Parts(0, func(piece model.Piece) {
		if err == nil {
			err = b.addPiece(&piece)
		}
	})
	b.first, b.last = min(b.first, p.Start), max(b.last, p.End)
	return err
}

// addPiece lays out a piece of the job added last.
func (b *layoutBuilder) addPiece(p *model.Piece) error {
	if err := checkInterval(p.Start, p.End); err != nil {
		return err
	}
	if err := checkProcessors(p.Processors); err != nil {
		return err
	}
	c, err := b.band(p.Cluster)
	if err != nil {
		return err
	}
	cluster := &b.bands[c]
	if most := p.Processors.Max(); most >= cluster.processors {
		if cluster.exact {
			return fmt.Errorf("processor %d: cluster %q has %d processors", most, picture.Clip(p.Cluster, 60), cluster.processors)
		}
		cluster.processors = most + 1
	}
	for _, r := range p.Processors {
		b.blocks = append(b.blocks, block{job: len(b.jobs) - 1, band: c, first: r.First, last: r.Last, start: p.Start, end: p.End})
	}
	placed := &b.jobs[len(b.jobs)-1]
	placed.start, placed.end = min(placed.start, p.Start), max(placed.end, p.End)
	b.first, b.last = min(b.first, p.Start), max(b.last, p.End)
	return nil
}

// band returns the index of the cluster's band. Without an instance it makes a band for a new cluster; with one, an unknown cluster is an error.
func (b *layoutBuilder) band(id string) (int, error) {
	c, known := b.bandOf[id]
	switch {
	case known:
		return c, nil
	case id == "":
		return 0, fmt.Errorf("expected the id of a cluster")
	case b.in != nil:
		return 0, fmt.Errorf("the instance has no cluster %q", picture.Clip(id, 60))
	}
	c = len(b.bands)
	b.bandOf[id] = c
	b.bands = append(b.bands, band{id: id})
	return c, nil
}

// finish sorts the bands and computes the figures that depend on all jobs.
func (b *layoutBuilder) finish() {
	if len(b.jobs) == 0 {
		b.first = 0
	}
	b.origin = b.first
	if b.in != nil {
		b.origin = min(b.origin, b.in.FirstArrival())
	} else {
		b.sortBands()
	}
	if len(b.jobs) > 0 {
		b.start, b.end = b.origin, b.last
	}
	if b.in != nil {
		b.addTariffs()
	}
	b.whole = [2]float64{b.start, b.end}
	b.all = b.blocks
	for k := range b.jobs {
		if b.jobs[k].late() {
			b.late++
		}
	}
}

// measure computes the share of each cluster's time that jobs hold, within the times to show.
func (l *layout) measure() {
	span := l.end - l.start
	if !(span > 0) {
		return
	}
	for k := range l.blocks {
		r := &l.blocks[k]
		// Divide by the time and by the processors separately: the product of both may overflow.
		l.bands[r.band].busy += (min(r.end, l.end) - max(r.start, l.start)) / span * l.shareOf(r)
	}
}

// shareOf is the share of its band that a block holds: of the devices where rows are devices, else of the processors.
func (l *layout) shareOf(b *block) float64 {
	at := &l.bands[b.band]
	if at.devices > 0 {
		return b.weight / float64(at.devices)
	}
	return float64(b.last-b.first+1) / float64(at.processors)
}

// sortBands sorts the bands by their ids, so that schedules by different solvers can be compared.
func (b *layoutBuilder) sortBands() {
	order := make([]int, len(b.bands))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(x, y int) int { return numtext.Natural(b.bands[x].id, b.bands[y].id) })
	sorted, rank := make([]band, len(order)), make([]int, len(order))
	for k, c := range order {
		sorted[k], rank[c] = b.bands[c], k
	}
	b.bands = sorted
	for _, blocks := range [][]block{b.blocks, b.allOnProcessors} {
		for k := range blocks {
			blocks[k].band = rank[blocks[k].band]
		}
	}
}

// height is the number of rows of the band.
func (b *band) height() float64 {
	if b.devices > 0 {
		return float64(b.units) / deviceUnits
	}
	return float64(b.units)
}

// allRows is the number of rows of all bands.
func (l *layout) allRows() float64 {
	n := 0.0
	for k := range l.bands {
		n += l.bands[k].height()
	}
	return n
}

// checkInterval returns an error for a start and an end that cannot be drawn.
func checkInterval(start, end float64) error {
	for _, t := range []float64{start, end} {
		if math.IsNaN(t) || math.IsInf(t, 0) || t < 0 {
			return fmt.Errorf("time %v: expected a finite number that is not negative", t)
		}
	}
	if end < start {
		return fmt.Errorf("it ends at %v, before it starts at %v", end, start)
	}
	return nil
}

// checkProcessors returns an error for an invalid set of processors. A set made by a program, not read from a file, may break the rules of its
// type.
func checkProcessors(set model.ProcessorSet) error {
	if len(set) == 0 {
		return fmt.Errorf("no processors")
	}
	next := 0
	for _, r := range set {
		if r.First < next || r.Last < r.First || r.Last > math.MaxInt32 {
			return fmt.Errorf("processors %d-%d: expected runs in ascending order from 0 to %d", r.First, r.Last, math.MaxInt32)
		}
		next = r.Last + 1
	}
	return nil
}
