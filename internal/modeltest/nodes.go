package modeltest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// NodeFeatures are the features of what jobs ask of single machines. They are not among AllFeatures: a test that draws them knows of machines.
const NodeFeatures = model.NodeResources | model.Blocks | model.NodeFeatures | model.ClosedTimes | model.ExclusiveJobs | model.RunningJobs

// The names that instances with nodes use.
var (
	nodeResources = []string{"cpu", "gpu"} // the second comes in devices
	nodeFeatures  = []string{"a100", "h100", "ib"}
	reservations  = []string{"maintenance", "course"}
)

// node draws what a machine has that jobs may ask for.
func (d *drawer) node(m *model.MachineSpec) {
	if d.may(model.NodeResources) {
		d.spec.Devices = []string{"gpu"}
		for _, id := range nodeResources {
			if d.chance(id + " given") {
				if m.Resources == nil {
					m.Resources = map[string]float64{}
				}
				if m.Resources[id] = float64(d.count(id, 0, 8)); id == "cpu" {
					m.Resources[id] /= 4
				}
			}
		}
	}
	if d.may(model.NodeFeatures) {
		for _, f := range nodeFeatures {
			if d.chance(f) {
				m.Features = append(m.Features, f)
			}
		}
	}
	for d.may(model.ClosedTimes) && d.rarely("closed") {
		from := float64(d.count("from", 0, 20))
		c := model.ClosedSpec{From: from, For: rapid.SampledFrom(append([]string{""}, reservations...)).Draw(d.T, "for")}
		if d.chance("to") {
			c.To = new(from + float64(d.count("length", 1, 20)))
		}
		m.Closed = append(m.Closed, c)
	}
}

// nodeNeeds draws what a job asks of machines.
func (d *drawer) nodeNeeds(j *model.JobSpec) {
	if d.may(model.NodeResources) && d.chance("resources given") {
		j.Resources = map[string]float64{"cpu": float64(d.count("cpu needed", 0, 4)) / 4, "gpu": rapid.SampledFrom([]float64{0, 0.25, 0.7, 1, 2}).Draw(d.T, "gpu needed")}
	}
	if d.may(model.Blocks) {
		d.blocks(j)
	}
	if d.may(model.NodeFeatures) && d.chance("features given") {
		j.Features = [][]string{rapid.SliceOfNDistinct(rapid.SampledFrom(nodeFeatures), 1, 2, rapid.ID[string]).Draw(d.T, "features")}
	}
	j.Exclusive = d.may(model.ExclusiveJobs) && d.rarely("exclusive")
	if d.may(model.ClosedTimes) && d.rarely("reservation given") {
		j.Reservation = rapid.SampledFrom(reservations).Draw(d.T, "reservation")
	}
	if d.may(model.RunningJobs) && j.Arrival == 0 && len(j.After) == 0 && d.rarely("running") {
		d.running(j)
	}
	if d.may(model.RunningJobs) && d.rarely("recorded given") { // what queues and traces state beside nodes
		if j.Estimate != nil && *j.Estimate >= 2e-18 { // half of it is a time
			j.Requested = new(*j.Estimate / 2)
		}
		j.Recorded = new(j.Arrival + float64(d.count("recorded wait", 0, 9)))
		d.spec.Caveats = []string{"a note"}
		d.spec.Partitions = []model.PartitionSpec{
			{ID: "all", Closed: true, Default: true}, {ID: "some", Clusters: []string{d.spec.Clusters[0].ID}, Feature: nodeFeatures[0], Licence: "some", Limit: 100, Machines: 4, Tier: 2},
		}
		d.spec.Policy, d.spec.PolicyAssumed, j.Quality = "backfill:order=slurm", true, rapid.SampledFrom([]string{"", "high"}).Draw(d.T, "quality")
		d.spec.Site = &model.SiteSpec{Settings: []string{"PriorityFlags=MAX_TRES"}, Accounts: []string{"Account|User|Share", "root||1"}, Qualities: []string{"Name|Priority", "high|9"}}
		d.spec.TimeZero = new(float64(1_700_000_000 + d.count("time zero", 0, 9)))
		d.spec.TimeZone = rapid.SampledFrom([]string{"", model.UnstatedZone, "Europe/Stockholm"}).Draw(d.T, "time zone")
	}
}

// blocks draws how the processors of a job lie on machines.
func (d *drawer) blocks(j *model.JobSpec) {
	width := j.Processors
	if width == (model.ProcessorRange{}) {
		width = model.Rigid(1)
	}
	sizes := slices.DeleteFunc([]int{1, 2, 3, 4}, func(k int) bool { return width.Min%k != 0 || width.Max%k != 0 })
	j.Block = rapid.SampledFrom(sizes).Draw(d.T, "block")
	if width.Min != width.Max {
		return
	}
	blocks := width.Min / j.Block
	if d.chance("machines given") && (j.Span != "machine" || blocks == 1) {
		least := d.count("min machines", 1, blocks)
		j.Machines = model.Moldable(least, d.count("max machines", least, blocks))
	} else if j.Span != "machine" && d.chance("per_machine given") {
		j.PerMachine = rapid.SampledFrom([]int{1, blocks}).Draw(d.T, "per_machine")
	}
}

// running draws where a job runs already: on the first processors of a cluster that has enough, beside the other such jobs.
func (d *drawer) running(j *model.JobSpec) {
	defer func() {
		beside := d.spec
		beside.Jobs = append(slices.Clone(d.spec.Jobs), *j)
		if _, err := model.New(beside); err != nil {
			j.Running = nil
		}
	}()
	for k := range d.spec.Clusters {
		c := &d.spec.Clusters[k]
		n := max(1, j.Processors.Min)
		if c.Allocation == "machine" {
			n = 1
		}
		there, held := 0, 0.0
		for _, m := range c.Machines {
			units := max(m.Processors, 1)
			if c.Allocation == "machine" {
				units = 1
			}
			there += max(m.Count, 1) * units
		}
		if _, stated := j.Runtime[c.ID]; there < n || j.Runtime != nil && !stated {
			continue
		}
		j.Running = &model.RunningSpec{Cluster: c.ID, Processors: model.NewProcessorSet(model.Range{First: 0, Last: n - 1}), Elapsed: d.sometimes("elapsed")}
		first := &c.Machines[0]
		name := first.ID
		if first.Count > 1 {
			name += "[0]"
		}
		if held = first.Resources["gpu"]; held > 0 && d.chance("holds given") {
			j.Running.Holds = map[string]map[string]float64{name: {"gpu": 1}}
			j.Running.Devices = model.DevicesHeld{"gpu": {name: model.Processors(d.count("device", 0, int(held)-1))}}
		}
		return
	}
}
