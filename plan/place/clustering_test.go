package place

import "testing"

// Weng et al. (2023), §6.1, GpuClustering: machines with jobs of one sort, of the same and others, idle ones, others.
func TestClustering(t *testing.T) {
	b := newBench(t, "clustering", twoMachines, threeJobs)
	b.expect(t, 0, 0, -37, -1) // 25, and ⌊25 · (4−2)/4⌋
	b.expect(t, 0, 1, -25, -1)
	b.expect(t, 2, 0, 0, -1) // no devices
	b.run(2, 1, -1)
	b.expect(t, 0, 1, -25, -1) // a job without devices is of no sort
	b.run(0, 1, 0)
	b.expect(t, 0, 1, -78, -1) // 75, and ⌊25 · 0.5/4⌋
	b.expect(t, 1, 1, -3, -1)
	b.run(1, 1, -1)
	b.expect(t, 0, 1, -65, -1) // 50, and ⌊25 · 2.5/4⌋
	b.expect(t, 1, 1, -65, -1)

	k := b.Kind(0)
	b.Give(&b.room, k, []Share{{Machine: 1, Processors: 1, Devices: []int32{0}}})
	b.expect(t, 0, 1, -12, -1) // the share has gone: others alone, ⌊25 · 2/4⌋
	if free := b.Look(&b.room, 1); free.Runs(k.Sort) != 0 || free.Runs(b.Kind(1).Sort) != 1 || free.Sorts() != 2 {
		t.Errorf("%d blocks of shares, %d of two devices", free.Runs(k.Sort), free.Runs(b.Kind(1).Sort))
	}
}

// A time of a plan has the most blocks that two rooms have: where both meet, a machine is as mixed as in either.
func TestClusteringMeet(t *testing.T) {
	b := newBench(t, "clustering", twoMachines, threeJobs)
	other := b.Room()
	b.run(0, 1, 0)
	k := b.Kind(1)
	b.Take(&other, k, []Share{b.share(&other, k, candidate{machine: 1, blocks: 1, device: -1})})
	var state State
	b.Save(&other, 1, &state)
	met := b.Room()
	met.CopyFrom(&b.room)
	b.Intersect(&met, &other, 0, 2)
	b.IntersectState(&b.room, 1, &state)
	for _, room := range []*Room{&met, &b.room} {
		if free := b.Look(room, 1); free.Runs(b.Kind(0).Sort) != 1 || free.Runs(k.Sort) != 1 {
			t.Errorf("%d blocks of shares, %d of two devices, want one of each", free.Runs(b.Kind(0).Sort), free.Runs(k.Sort))
		}
	}
	if !met.Alike(&b.room) {
		t.Error("Intersect and Meet differ")
	}
}
