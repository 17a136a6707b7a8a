package draw

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// Rows is what the rows of a Gantt chart are.
type Rows string

// The kinds of rows.
const (
	RowsAuto       Rows = "auto"       // devices where the schedule states some, else processors
	RowsProcessors Rows = "processors" // the processors of each cluster
	RowsMachines   Rows = "machines"   // the machines of each cluster with their processors
	RowsDevices    Rows = "devices"    // the machines of each cluster with their devices, and below these their jobs without devices
)

// GanttRows lists all kinds of rows.
func GanttRows() []Rows { return []Rows{RowsAuto, RowsProcessors, RowsMachines, RowsDevices} }

// Heights in rows of devices. A device is divided into units, so that a share of it is a part of its height.
const (
	deviceUnits  = 1000
	beyondUnits  = 600 // the row of the jobs without devices on a machine with devices
	betweenUnits = 300 // two machines
)

// machine is a machine of a band with the place of its rows.
type machine struct {
	name         string
	first, units int    // place in the band
	processors   [2]int // the first and the last; both 0 where they are not known
	rows         []row  // from the top; none in rows of processors
	isRest       bool   // it stands for all machines whose devices no job holds
}

// row is a device of a machine, or all its jobs without devices.
type row struct {
	resource     string // empty: the jobs without devices
	number       int
	first, units int // place in the band
}

// label is the number of the device, with its resource where the band has several; empty: the jobs without devices.
func (b *band) label(r *row) string {
	switch {
	case r.resource == "":
		return ""
	case b.resources > 1:
		return r.name()
	}
	return strconv.Itoa(r.number)
}

// end is the place after the last row of the machine.
func (m *machine) end() int { return m.first + m.units }

// withoutDevice names the row of the jobs that hold no device.
const withoutDevice = "no device"

// machinesNamed is the number of machines.
func (b *band) machinesNamed() int {
	n := len(b.machines)
	if n > 0 && b.machines[n-1].isRest {
		n--
	}
	return n
}

// name is the name of the device, or of the row without a device.
func (r *row) name() string {
	if r.resource == "" {
		return withoutDevice
	}
	return fmt.Sprintf("%s %d", r.resource, r.number)
}

// rowsOf is the kind of rows of a schedule.
func rowsOf(sol *model.Solution, opt GanttOptions) (Rows, error) {
	switch {
	case opt.Rows == "" || opt.Rows == RowsAuto:
		for k := range sol.Jobs {
			if statesDevices(&sol.Jobs[k]) {
				return RowsDevices, nil
			}
		}
		return RowsProcessors, nil
	case !slices.Contains(GanttRows(), opt.Rows):
		return "", fmt.Errorf("unknown rows %q: expected auto, processors, machines or devices", opt.Rows)
	case opt.Rows == RowsMachines && opt.Instance == nil:
		return "", errors.New("rows by machine: expected the instance with the solution, because only the instance states the machines")
	}
	return opt.Rows, nil
}

// statesDevices says whether the placement names a device.
func statesDevices(p *model.Placement) bool {
	found := false
	p.Parts(0, func(piece model.Piece) { found = found || len(piece.Devices) > 0 })
	return found
}

// arrangeRows gives the bands their rows, and the blocks of bands with devices their places there.
func (b *layoutBuilder) arrangeRows(sol *model.Solution, kind Rows) error {
	b.rows = kind
	for k := range b.bands {
		b.bands[k].units = b.bands[k].processors
	}
	switch kind {
	case RowsProcessors:
	case RowsMachines:
		for k := range b.bands {
			b.addMachines(k)
		}
	case RowsDevices:
		d := &deviceRows{layoutBuilder: b, machineOf: make([]map[string]int, len(b.bands))}
		if err := d.arrange(sol); err != nil {
			return err
		}
	}
	if b.in != nil {
		b.addMarks(sol)
	}
	return nil
}

// addMachines names the machines of a band whose rows are processors.
func (b *layoutBuilder) addMachines(k int) {
	groups := b.in.Clusters()[k].Machines
	for g := range groups {
		m := &groups[g]
		for n := range m.Count {
			first := m.First + n*m.Units
			b.bands[k].machines = append(b.bands[k].machines, machine{name: m.Name(n), first: first, units: m.Units, processors: [2]int{first, first + m.Units - 1}})
		}
	}
}

// deviceRows gives bands rows of devices.
type deviceRows struct {
	*layoutBuilder
	machineOf []map[string]int // by band: machine by name; nil: the band has no devices
	drawn     []block
	// What lies on each row, to be placed there once all is known. The keys are {band, first place of the row}.
	onRow map[[2]int][]interval
}

// interval is what a job holds of a row for some time.
type interval struct {
	block         // its place is not known yet
	share float64 // of the row; 0: not known
}

// arrange makes the rows of all bands and places the blocks.
func (d *deviceRows) arrange(sol *model.Solution) error {
	seen := d.devicesSeen(sol)
	bare := d.bandsWithBare(sol)
	for k := range d.bands {
		d.addRows(k, seen[k], bare[k])
	}
	d.onRow = map[[2]int][]interval{}
	for k := range sol.Jobs {
		var err error
		sol.Jobs[k].Parts(0, func(piece model.Piece) {
			if err == nil {
				err = d.addPiece(k, &piece)
			}
		})
		if err != nil {
			return fmt.Errorf("jobs[%d] (%q): %w", k, picture.Clip(sol.Jobs[k].Job, 60), err)
		}
	}
	keys := slices.SortedFunc(maps.Keys(d.onRow), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		b := &d.bands[key[0]]
		at := &b.machines[b.machineAt(key[1])]
		n := slices.IndexFunc(at.rows, func(r row) bool { return r.first == key[1] })
		d.drawn = append(d.drawn, placeOnRow(d.onRow[key], at.rows[n].first, at.rows[n].units)...)
	}
	slices.SortStableFunc(d.drawn, func(a, b block) int { return a.job - b.job })
	d.allOnProcessors, d.onProcessors = d.blocks, d.blocks
	d.blocks = merged(d.drawn)
	return nil
}

// devicesSeen is, by band, resource and machine, the number of devices: the largest number that the solution names, + 1.
func (d *deviceRows) devicesSeen(sol *model.Solution) []map[string]map[string]int {
	seen := make([]map[string]map[string]int, len(d.bands))
	for k := range seen {
		seen[k] = map[string]map[string]int{}
	}
	for k := range sol.Jobs {
		sol.Jobs[k].Parts(0, func(piece model.Piece) {
			for resource, held := range piece.Devices {
				for name, set := range held {
					of := seen[d.bandOf[piece.Cluster]]
					if of[name] == nil {
						of[name] = map[string]int{}
					}
					if len(set) > 0 {
						of[name][resource] = max(of[name][resource], min(set.Max(), mostDevices)+1)
					}
				}
			}
		})
	}
	return seen
}

// mostDevices limits the number of a device of a machine that a solution without its instance may name.
const mostDevices = 1 << 16

// bandsWithBare says, by band, whether jobs without devices are on it.
func (d *deviceRows) bandsWithBare(sol *model.Solution) []bool {
	bare := make([]bool, len(d.bands))
	for k := range sol.Jobs {
		sol.Jobs[k].Parts(0, func(piece model.Piece) {
			if len(piece.Devices) == 0 {
				bare[d.bandOf[piece.Cluster]] = true
			}
		})
	}
	return bare
}

// addRows makes the machines and rows of a band, if it has devices.
func (d *deviceRows) addRows(k int, seen map[string]map[string]int, isBare bool) {
	b := &d.bands[k]
	var machines []machine
	if d.in != nil {
		machines = d.knownMachines(k)
	} else {
		for _, name := range slices.SortedFunc(maps.Keys(seen), numtext.Natural) {
			m := machine{name: name}
			for _, resource := range slices.Sorted(maps.Keys(seen[name])) {
				m.addDevices(resource, seen[name][resource])
			}
			machines = append(machines, m)
		}
		if isBare { // on which machines is not known
			machines = append(machines, machine{name: withoutDevice, isRest: true})
		}
	}
	resources := map[string]bool{}
	for n := range machines {
		b.devices += len(machines[n].rows)
		for r := range machines[n].rows {
			resources[machines[n].rows[r].resource] = true
		}
	}
	b.resources = len(resources)
	if b.devices == 0 {
		return
	}
	b.machines, b.units, d.machineOf[k] = machines, 0, map[string]int{}
	for n := range b.machines {
		m := &b.machines[n]
		d.machineOf[k][m.name] = n
		if n > 0 {
			b.units += betweenUnits
		}
		m.first = b.units
		for r := range m.rows {
			m.rows[r].first = b.units
			b.units += deviceUnits
		}
		if rest := beyondUnits; d.in != nil && isBare || len(m.rows) == 0 {
			if len(m.rows) == 0 {
				rest = deviceUnits
			}
			m.rows = append(m.rows, row{first: b.units, units: rest})
			b.units += rest
		}
		m.units = b.units - m.first
	}
}

// addDevices adds rows for the devices of a resource.
func (m *machine) addDevices(resource string, devices int) {
	for number := range devices {
		m.rows = append(m.rows, row{resource: resource, number: number, units: deviceUnits})
	}
}

// knownMachines are the machines of a band, with a row for each of their devices.
func (d *deviceRows) knownMachines(k int) []machine {
	var machines []machine
	groups := d.in.Clusters()[k].Machines
	for g := range groups {
		m := &groups[g]
		for n := range m.Count {
			first := m.First + n*m.Units
			made := machine{name: m.Name(n), processors: [2]int{first, first + m.Units - 1}}
			for r, resource := range d.in.Resources() {
				if resource.Devices {
					made.addDevices(resource.ID, int(m.Amount(r)/model.WholeAmount))
				}
			}
			machines = append(machines, made)
		}
	}
	return machines
}

// addPiece collects what a piece of the k-th job holds of the rows.
func (d *deviceRows) addPiece(k int, p *model.Piece) error {
	at := d.bandOf[p.Cluster]
	part := block{job: k, band: at, start: p.Start, end: p.End}
	if d.machineOf[at] == nil {
		if len(p.Devices) > 0 {
			return fmt.Errorf("devices: cluster %q has none", picture.Clip(p.Cluster, 60))
		}
		for _, r := range p.Processors {
			part.first, part.last = r.First, r.Last
			d.drawn = append(d.drawn, part)
		}
		return nil
	}
	b, withDevices := &d.bands[at], map[int]bool{}
	for _, resource := range slices.Sorted(maps.Keys(p.Devices)) {
		for _, name := range slices.Sorted(maps.Keys(p.Devices[resource])) {
			n, known := d.machineOf[at][name]
			if !known {
				return fmt.Errorf("devices: cluster %q has no machine %q", picture.Clip(p.Cluster, 60), picture.Clip(name, 60))
			}
			set := p.Devices[resource][name]
			if err := checkProcessors(set); err != nil {
				return fmt.Errorf("devices of %q: %w", picture.Clip(name, 60), err)
			}
			withDevices[n] = true
			if err := d.addHeld(part, &b.machines[n], resource, set, d.shareOf(k, resource, name, set)); err != nil {
				return err
			}
		}
	}
	if d.in == nil && len(withDevices) > 0 {
		return nil // on which other machines it runs is not known
	}
	for n := range d.machinesUnder(b, p.Processors) {
		m := &b.machines[n]
		if last := len(m.rows) - 1; !withDevices[n] && m.rows[last].resource == "" {
			key := [2]int{at, m.rows[last].first}
			d.onRow[key] = append(d.onRow[key], interval{part, 0})
		}
	}
	return nil
}

// addHeld collects the devices of a machine that a job holds.
func (d *deviceRows) addHeld(part block, m *machine, resource string, set model.ProcessorSet, share float64) error {
	offset := slices.IndexFunc(m.rows, func(r row) bool { return r.resource == resource })
	devices := 0
	for n := max(offset, 0); offset >= 0 && n < len(m.rows) && m.rows[n].resource == resource; n++ {
		devices++
	}
	if most := set.Max(); most >= devices {
		return fmt.Errorf("device %d: machine %q has %d of %q", most, picture.Clip(m.name, 60), devices, picture.Clip(resource, 60))
	}
	part.weight, part.share = 1, 1
	if share > 0 {
		part.weight, part.share = share, share
	}
	for _, r := range set {
		for number := r.First; number <= r.Last; number++ {
			key := [2]int{part.band, m.rows[offset+number].first}
			d.onRow[key] = append(d.onRow[key], interval{part, share})
		}
	}
	return nil
}

// shareOf is the part of each device in the set that the k-th job holds; 0: not known.
func (d *deviceRows) shareOf(k int, resource, machineName string, set model.ProcessorSet) float64 {
	if d.in == nil {
		return 0
	}
	r := slices.IndexFunc(d.in.Resources(), func(r model.Resource) bool { return r.ID == resource })
	if r < 0 {
		return 1
	}
	need := d.in.Jobs()[d.jobs[k].hue].Node()
	if need.Running != nil {
		c := &d.in.Clusters()[need.Running.Cluster]
		for _, h := range need.Running.Holds {
			if h.Resource == r && nameOf(c, h.Machine) == machineName {
				return min(1, h.Amount.Float()/float64(set.Len()))
			}
		}
		return 1
	}
	if each := need.Need(r); each > 0 && each < model.WholeAmount {
		return each.Float()
	}
	return 1
}

// nameOf is the name of a machine by its number in the cluster.
func nameOf(c *model.Cluster, number int) string {
	for g := range c.Machines {
		if m := &c.Machines[g]; number < m.Count {
			return m.Name(number)
		}
		number -= c.Machines[g].Count
	}
	return ""
}

// machinesUnder yields the machines of the processors, each once; without an instance all those that are not named are one.
func (d *deviceRows) machinesUnder(b *band, set model.ProcessorSet) map[int]bool {
	under := map[int]bool{}
	if d.in == nil {
		if last := len(b.machines) - 1; b.machines[last].rows[0].resource == "" {
			under[last] = true
		}
		return under
	}
	for _, r := range set {
		from, _ := slices.BinarySearchFunc(b.machines, r.First, func(m machine, p int) int { return m.processors[1] - p })
		for n := from; n < len(b.machines) && b.machines[n].processors[0] <= r.Last; n++ {
			under[n] = true
		}
	}
	return under
}

// machineAt is the machine of a place in the band; places between two machines belong to the one above.
func (b *band) machineAt(place int) int {
	n, found := slices.BinarySearchFunc(b.machines, place, func(m machine, place int) int { return m.first - place })
	if found {
		return n
	}
	return max(n-1, 0)
}

// placeOnRow gives the intervals their places on a row. Known shares take as much of its height; intervals of unknown share that overlap take equal parts.
func placeOnRow(list []interval, first, units int) []block {
	slices.SortStableFunc(list, func(a, b interval) int { return cmp.Or(cmp.Compare(a.start, b.start), a.job-b.job) })
	if list[0].share == 0 {
		return inLanes(list, first, units)
	}
	var blocks, held []block // held: that have not ended
	for k := range list {
		held = slices.DeleteFunc(held, func(b block) bool { return b.end <= list[k].start })
		parts := list[k].fill(held, first, units)
		blocks, held = append(blocks, parts...), append(held, parts...)
	}
	return blocks
}

// inLanes divides a row into equal lanes, as many as intervals overlap, one with the next, and gives each interval a lane. The list is sorted by start.
func inLanes(list []interval, first, units int) []block {
	blocks := make([]block, 0, len(list))
	var held []block // that have not ended; first is the lane
	lanes, from := 0, 0
	spread := func() {
		for k := from; k < len(blocks); k++ {
			b := &blocks[k]
			lane := b.first
			b.first = first + lane*units/lanes
			b.last = max(first+(lane+1)*units/lanes-1, b.first)
			b.weight /= float64(lanes)
		}
		from, lanes = len(blocks), 0
	}
	for k := range list {
		b := list[k].block
		held = slices.DeleteFunc(held, func(other block) bool { return other.end <= b.start })
		if len(held) == 0 && lanes > 0 {
			spread()
		}
		for b.first = 0; slices.ContainsFunc(held, func(other block) bool { return other.first == b.first }); b.first++ {
		}
		lanes = max(lanes, b.first+1)
		blocks, held = append(blocks, b), append(held, b)
	}
	spread()
	return blocks
}

// fill takes the interval's share of the height from the top, where no other block lies. Where shares were freed it may be in several parts; if the schedule holds more than the device,
// the last part lies over others.
func (i *interval) fill(held []block, first, units int) []block {
	left := min(max(int(math.Round(i.share*float64(units))), 1), units)
	taken := slices.Clone(held)
	slices.SortFunc(taken, func(a, b block) int { return a.first - b.first })
	var parts []block
	add := func(from, to int) { // places, without to
		if to = min(to, from+left); to > from {
			part := i.block
			part.first, part.last = from, to-1
			parts, left = append(parts, part), left-(to-from)
		}
	}
	at := first
	for _, t := range taken {
		add(at, t.first)
		at = max(at, t.last+1)
	}
	add(at, first+units)
	if left > 0 && len(parts) == 0 {
		add(first+units-left, first+units)
	}
	for k := range parts { // the weights are those of the share, whatever is rounded
		parts[k].weight = i.share * float64(parts[k].last-parts[k].first+1) / float64(total(parts))
	}
	return parts
}

// total is the number of places of the blocks.
func total(blocks []block) int {
	sum := 0
	for k := range blocks {
		sum += blocks[k].last - blocks[k].first + 1
	}
	return sum
}

// merged joins blocks of one job and the same time that lie on neighbouring places, as whole devices do.
func merged(blocks []block) []block {
	slices.SortStableFunc(blocks, func(a, b block) int {
		return cmp.Or(a.job-b.job, a.band-b.band, cmp.Compare(a.start, b.start), a.first-b.first)
	})
	var list []block
	for _, b := range blocks {
		if last := len(list) - 1; last >= 0 {
			if a := &list[last]; a.job == b.job && a.band == b.band && a.start == b.start && a.end == b.end && a.last+1 == b.first && a.share == b.share && (a.share == 1 || a.share == 0) {
				a.last, a.weight = b.last, a.weight+b.weight
				continue
			}
		}
		list = append(list, b)
	}
	return list
}

// where says, for people, which processors or devices of its cluster a block holds.
func (l *layout) where(b *block) string {
	at := &l.bands[b.band]
	if at.devices == 0 {
		set := model.ProcessorSet{{First: b.first, Last: b.last}}.String()
		if len(at.machines) == 0 {
			return set
		}
		from, to := at.machines[at.machineAt(b.first)].name, at.machines[at.machineAt(b.last)].name
		if from == to {
			return picture.Printable(from) + ": " + set
		}
		return picture.Printable(from) + " to " + picture.Printable(to) + ": " + set
	}
	m := &at.machines[at.machineAt(b.first)]
	if m.isRest {
		return m.name
	}
	var names []string
	for k := 0; k < len(m.rows); k++ {
		r := &m.rows[k]
		if r.first > b.last || r.first+r.units <= b.first {
			continue
		}
		name, last := r.name(), k
		for last+1 < len(m.rows) && m.rows[last+1].resource == r.resource && m.rows[last+1].first <= b.last {
			last++
		}
		if last > k {
			name += fmt.Sprintf("-%d", m.rows[last].number)
		}
		if b.share > 0 && b.share < 1 {
			name = percent(b.share) + " of " + name
		}
		names, k = append(names, name), last
	}
	return picture.Printable(m.name) + ": " + picture.Printable(strings.Join(names, ", "))
}
