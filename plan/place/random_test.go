package place

import (
	"math"
	"testing"
)

// Weng et al. (2023), §6.1, Random: each machine and each device with room is chosen with equal probability.
func TestRandom(t *testing.T) {
	const n = 40000
	b := newBench(t, "random", [][2]float64{{8, 4}, {1, 4}, {8, 1}, {8, 2}, {8, 4}}, [][2]float64{{4, 0.5}, {1, 0.7}})
	b.run(1, 4, 2) // the third device of the last machine has too little left
	machines, devices := map[int32]int{}, map[int32]int{}
	for range n {
		shares, ok := b.Choose(&b.room, b.Kind(0), 0, 1, nil, nil)
		if !ok {
			t.Fatal("no room")
		}
		machines[shares[0].Machine]++
		if shares[0].Machine == 4 {
			devices[shares[0].Devices[0]]++
		}
	}
	equal := func(name string, counts map[int32]int, n int, among ...int32) {
		t.Helper()
		share := 1 / float64(len(among))
		for _, k := range among {
			if off := float64(counts[k]) - share*float64(n); math.Abs(off) > 5*math.Sqrt(float64(n)*share*(1-share)) {
				t.Errorf("%s %d: chosen %d times of %d", name, k, counts[k], n)
			}
			delete(counts, k)
		}
		if len(counts) > 0 {
			t.Errorf("%ss without room are chosen: %v", name, counts)
		}
	}
	of4 := machines[4]
	equal("machine", machines, n, 0, 2, 3, 4)
	equal("device", devices, of4, 0, 1, 3)
}

// Equal seeds choose alike, others do not.
func TestRandomSeed(t *testing.T) {
	choose := func(seed uint64) (chosen [50]int32) {
		b := newBench(t, "random", [][2]float64{{8, 4}, {8, 4}, {8, 4}, {8, 4}}, threeJobs)
		r, _ := Lookup("random")
		b.Site = b.Fork(r, seed)
		for k := range chosen {
			shares, _ := b.Choose(&b.room, b.Kind(0), 0, 1, nil, nil)
			chosen[k] = 10*shares[0].Machine + shares[0].Devices[0]
		}
		return chosen
	}
	if first, again := choose(1), choose(1); first != again {
		t.Error("equal seeds choose differently")
	}
	if choose(1) == choose(2) {
		t.Error("different seeds choose alike")
	}
}
