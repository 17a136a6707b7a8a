package place

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Rule{
	Name:   "packing",
	Doc:    "devices that are shared already, then machines that are used already, then idle ones",
	Source: weng + `, §6.1 (GpuPacking); Weng et al. (2022), "MLaaS in the Wild", NSDI '22`,
	New:    func(s *Site, _ uint64) Scorer { return packing{s} },
})

// packing prefers machines in three classes:
//
//  1. Devices in use have enough free for the block: score = −max(50, 100 − ⌊p/10⌋), where p is the sum of what they have free, in whole per cent.
//  2. The block takes d idle devices, on a machine of which some devices are in use: score = −max(33, 50 − d).
//  3. No device of the machine is in use and there are n of them: score = −max(0, 33 − n).
//
// Blocks take the devices with the least free that is enough. A block that needs no devices has score 0 everywhere: the first machine is best.
//
// Source: Weng et al. (2023), §6.1, GpuPacking, and what their simulator computes.
//
// Deviations: of devices of several types only those count that the block needs. With 17 idle devices and more theirs prefers more of them.
//
// Complexity: O(d log d) for d devices of the machine.
type packing struct{ site *Site }

func (p packing) Score(f *Free, k *Kind) (float64, int) {
	devices, idle, unused, percent := 0, 0, 0, 0
	for _, need := range k.Node.Resources {
		each, count := perDevice(p.site.in, need, 1)
		if count == 0 {
			continue
		}
		first, last := f.Machine.Devices(p.site, need.Resource)
		free := slices.Clone(f.Devices[first:last])
		slices.Sort(free)
		devices += len(free)
		for _, a := range free {
			if a == model.WholeAmount {
				idle++
			}
			if count > 0 && a >= each {
				if count--; a == model.WholeAmount {
					unused++
				}
				percent += int(100 * a / model.WholeAmount)
			}
		}
	}
	switch {
	case devices == 0:
		return 0, -1
	case idle == devices:
		return -float64(max(0, points/3-devices)), -1
	case unused > 0:
		return -float64(max(points/3, points/2-unused)), -1
	}
	return -float64(max(points/2, points-percent/10)), -1
}
