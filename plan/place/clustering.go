package place

import "github.com/allot-opt/allot/model"

var _ = Register(Rule{
	Name:   "clustering",
	Doc:    "machines on which only jobs with as many devices run, then those on which some do, then idle ones",
	Source: weng + `, §6.1 (GpuClustering); Xiao et al. (2018), "Gandiva", OSDI '18`,
	New:    newClustering,
	Counts: true,
})

// clustering puts blocks of one sort on the same machines: those that need a share of a device, one device, two devices, and so on. With R of all devices
// of the machine free and at most D devices on a machine of the site,
//
//	score = −(base + ⌊25 · (D − R) / D⌋),
//
// where base is 75 if only blocks of the same sort run on the machine, 50 if blocks of the same and of other sorts do, 25 if none that needs devices does,
// and 0 if only others do. Blocks take the devices with the least free that is enough. A block that needs no devices has score 0 everywhere: the first
// machine is best.
//
// Source: Weng et al. (2023), §6.1, GpuClustering, and what their simulator computes, with D = 8.
//
// Deviations: D is the most that a machine of the site has. Devices of several types are counted together.
//
// Complexity: O(sorts + devices).
type clustering struct{ most model.Amount }

func newClustering(s *Site, _ uint64) Scorer {
	c := clustering{}
	for _, g := range s.groups {
		c.most = max(c.most, model.Amount(g.devices)*model.WholeAmount)
	}
	return c
}

func (c clustering) Score(f *Free, k *Kind) (float64, int) {
	if k.Sort < 0 {
		return 0, -1
	}
	same, others := f.Runs(k.Sort) > 0, false
	for sort := range f.Sorts() {
		others = others || sort != k.Sort && f.Runs(sort) > 0
	}
	base := model.Amount(0)
	switch {
	case same && !others:
		base = 3 * points / 4
	case same:
		base = points / 2
	case !others:
		base = points / 4
	}
	return -float64(base + points/4*(c.most-sum(f.Devices))/c.most), -1
}
