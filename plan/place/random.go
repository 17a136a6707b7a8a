package place

import (
	"math/bits"
	"math/rand/v2"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
)

var _ = Register(Rule{
	Name:   "random",
	Doc:    "a machine at random, and a device at random",
	Source: weng + `, §6.1 (Random)`,
	New:    func(s *Site, seed uint64) Scorer { return &random{site: s, source: rand.New(rand.NewPCG(seed, 0))} },
})

// random gives each machine a score at random, new for each choice, so that each machine with room is chosen with equal probability; and so is each device
// that has enough free for the share.
//
// Source: Weng et al. (2023), §6.1, Random, and what their simulator computes.
//
// Deviations: none.
//
// Complexity: O(devices).
type random struct {
	site   *Site
	source *rand.Rand
	draw   uint64
}

func (r *random) Draw() { r.draw = r.source.Uint64() }

func (r *random) Score(f *Free, k *Kind) (float64, int) {
	number := kit.Mix(r.draw + uint64(r.site.index(f.Machine)))
	score := float64(number>>11) / (1 << 53)
	if k.Share < 0 {
		return score, -1
	}
	first, last := f.Machine.Devices(r.site, k.Share)
	need := k.Node.Need(k.Share)
	enough := func(a model.Amount) bool { return a >= need }
	count := 0
	for _, a := range f.Devices[first:last] {
		if enough(a) {
			count++
		}
	}
	skip, _ := bits.Mul64(kit.Mix(number), uint64(count))
	for d := first; d < last; d++ {
		if enough(f.Devices[d]) {
			if skip == 0 {
				return score, d
			}
			skip--
		}
	}
	return score, -1
}
