package place

import "testing"

// Weng et al. (2023), §6.1, GpuPacking: devices in use, then idle devices of machines in use, then idle machines.
func TestPacking(t *testing.T) {
	b := newBench(t, "packing", twoMachines, append(threeJobs, [2]float64{1, 0.6}, [2]float64{1, 0.27}))
	b.expect(t, 0, 0, -31, -1) // 33 less 2 devices
	b.expect(t, 0, 1, -29, -1) // 33 less 4 devices
	b.expect(t, 2, 0, 0, -1)   // no devices
	b.run(3, 1, 2)
	b.expect(t, 0, 1, -49, -1) // 0.4 of a device is too little: 50 less one idle device
	b.expect(t, 1, 1, -48, -1) // 50 less two idle devices
	b.expect(t, 4, 1, -96, -1) // 100 less ⌊40 % / 10⌋
	b.run(4, 1, 2)
	b.run(0, 1, 1)
	b.expect(t, 4, 1, -95, -1) // 0.13 is too little, so the device with 0.5: 100 less 5
}
