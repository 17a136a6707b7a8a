package place

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Rule{
	Name:   "lookahead",
	Doc:    "the machine that loses least of what jobs like those known would still fill of it",
	Source: "allot",
	New:    func(s *Site, seed uint64) Scorer { return &lookahead{site: s, blocks: newBlocks(s), seed: seed} },
})

// lookahead prefers the machine, and there the device, on which the block spoils least of what jobs to come would fill. It plays what would happen to the
// machine: blocks drawn at random from the jobs that are known arrive one after the other, and each that fits is put there, on the device with the least
// free that is enough. What the machine has free is worth the device shares that are filled in the end,
//
//	V_n = 1/S · Σ_s (device shares that the blocks of sequence s fill),
//
// over S = 20 sequences of 30 blocks, the same for all machines; and the score is V_n before the block less V_n after it, times S. So a machine with few processors for its
// devices is kept for the jobs that need few, a device is left with a share that others will take, a scarce type of device is left to those that need it,
// and all of this weighs as much as the known jobs make it.
//
// Blocks that need no devices are not drawn; where no known job needs any, all are, and processors are counted instead of device shares.
//
// The sequences are drawn anew when the number of known jobs has doubled, or has fallen.
//
// Source: allot. It is fgd with a view beyond the next job. The numbers 20 and 30 were chosen on random orders of jobs other than those of the table in the documentation.
//
// Complexity: O(S · blocks of a sequence · needs) for each amount that a device of the machine has free, less what is kept: V of machines that are alike is
// computed once.
type lookahead struct {
	site      *Site
	blocks    *blocks
	seed      uint64
	known     int // number of jobs when the sequences were drawn
	drawn     [sequences][]*Kind
	plays     []play  // by class of machines
	devices   bool    // device shares are counted, not processors
	size      int     // the most processors that a known block needs
	memory    float64 // the most memory that a known block needs
	kept      map[string]int64
	key       []byte
	now, then trial
	scratch   trial
}

const (
	sequences = 20 // number of sequences that are played
	draws     = 30 // number of blocks of a sequence
)

// play is the sequences as a machine of a class sees them.
type play struct {
	made      bool
	sequences [sequences][]turn
	amounts   []model.Amount // the least that a block of them needs, by resource
}

// blocks is how many blocks of a sequence there can be room for, at most, by the amounts that are free. Processors and memory beyond what they need do
// not matter.
func (p *play) blocks(t *trial) int {
	most := model.Amount(draws)
	for k, least := range p.amounts {
		if least > 0 {
			most = min(most, t.amounts[k]/least)
		}
	}
	return int(most)
}

// turn is one block of a sequence.
type turn struct {
	block *block
	gain  int64 // the device shares that it fills, in millionths; or its processors
	// share and amounts are the least that this block or a later one needs: of a device, and of each resource that does not come in devices. Where less
	// is free, the play is over.
	share   model.Amount
	amounts []model.Amount
}

func (r *lookahead) Learn(known []Typical) {
	jobs, using := 0, 0
	for _, t := range known {
		if jobs += t.Jobs; r.uses(t.Kind) {
			using += t.Jobs
		}
	}
	if jobs < 2*r.known && jobs >= r.known && r.kept != nil {
		return
	}
	r.known, r.devices, r.kept, r.size, r.memory = jobs, using > 0, map[string]int64{}, 0, 0
	r.plays = make([]play, len(r.blocks.first))
	if using == 0 {
		using = jobs
	}
	random := rand.New(rand.NewPCG(r.seed, 0))
	for s := range r.drawn {
		if r.drawn[s] = r.drawn[s][:0]; using == 0 {
			continue
		}
		for range draws {
			r.drawn[s] = append(r.drawn[s], r.draw(known, random.IntN(using)))
		}
	}
	for _, t := range known {
		size := t.Kind.Size
		if t.Kind.Node.Exclusive {
			size = math.MaxInt / draws
		}
		r.size = max(r.size, size)
		r.memory = max(r.memory, t.Kind.Memory*float64(t.Kind.Size))
	}
}

// uses says whether a block of the kind needs devices.
func (r *lookahead) uses(k *Kind) bool {
	for _, need := range k.Node.Resources {
		if r.site.in.Resources()[need.Resource].Devices {
			return true
		}
	}
	return false
}

// draw is the kind of the job with the number among the known jobs that are drawn.
func (r *lookahead) draw(known []Typical, number int) *Kind {
	for _, t := range known {
		if r.devices && !r.uses(t.Kind) {
			continue
		}
		if number -= t.Jobs; number < 0 {
			return t.Kind
		}
	}
	return nil
}

func (r *lookahead) Score(f *Free, k *Kind) (float64, int) {
	if r.kept == nil {
		return 0, -1 // no job is known
	}
	b := r.blocks.on(k, f.Machine)
	r.now.load(r.site, f)
	before := r.worth(&r.now, f.Machine)
	return chosen(r.site, f, k, func(free model.Amount) float64 {
		r.then.copyFrom(&r.now)
		r.then.put(b, k.Share, free)
		return float64(before - r.worth(&r.then, f.Machine))
	})
}

// worth is S · V_n.
func (r *lookahead) worth(t *trial, m *Machine) int64 {
	p := r.play(m)
	most := p.blocks(t)
	r.key = t.key(r.key[:0], r.blocks.class(m), most*r.size, float64(most)*r.memory)
	if kept, ok := r.kept[string(r.key)]; ok {
		return kept
	}
	filled := int64(0)
	for s := range p.sequences {
		r.scratch.copyFrom(t)
		most := r.mostFree(&r.scratch, m)
		for i := range p.sequences[s] {
			turn := &p.sequences[s][i]
			if most < turn.share || lacks(r.scratch.amounts, turn.amounts) {
				break
			}
			if r.scratch.fits(turn.block) {
				r.scratch.put(turn.block, -1, 0)
				filled += turn.gain
				most = r.mostFree(&r.scratch, m)
			}
		}
	}
	r.kept[string(r.key)] = filled
	return filled
}

// mostFree is the free share of the device with the most free.
func (r *lookahead) mostFree(t *trial, m *Machine) model.Amount {
	most := model.Amount(0)
	for k := range t.amounts {
		if _, last := m.Devices(r.site, k); last > 0 {
			most = max(most, t.devices[last-1])
		}
	}
	return most
}

// lacks says whether less is free of some resource than is needed.
func lacks(free, needed []model.Amount) bool {
	for k, a := range needed {
		if free[k] < a {
			return true
		}
	}
	return false
}

// play is the sequences as machines of the class see them: without the blocks that such a machine cannot hold.
func (r *lookahead) play(m *Machine) *play {
	p := &r.plays[r.blocks.class(m)]
	if p.made {
		return p
	}
	p.made, p.amounts = true, slices.Repeat([]model.Amount{math.MaxInt64}, len(r.site.in.Resources()))
	for s, kinds := range r.drawn {
		later := turn{share: model.WholeAmount, amounts: slices.Repeat([]model.Amount{math.MaxInt64}, len(r.site.in.Resources()))}
		for _, k := range slices.Backward(kinds) {
			b := r.blocks.on(k, m)
			if b == nil {
				continue
			}
			t := turn{block: b, gain: int64(b.processors), share: later.share, amounts: slices.Clone(later.amounts)}
			if r.devices {
				t.gain = int64(b.shares())
			}
			t.least(b)
			later = t
			p.sequences[s] = append(p.sequences[s], t)
		}
		slices.Reverse(p.sequences[s])
		for k, least := range later.amounts {
			p.amounts[k] = min(p.amounts[k], least)
		}
	}
	return p
}

// least reduces the least that blocks need to what the block needs.
func (t *turn) least(b *block) {
	if len(b.devices) == 0 {
		t.share = 0
	}
	for _, need := range b.devices {
		t.share = min(t.share, need.each)
	}
	for k := range t.amounts {
		needed := model.Amount(0)
		for _, need := range b.amounts {
			if need.Resource == k {
				needed = need.Amount
			}
		}
		t.amounts[k] = min(t.amounts[k], needed)
	}
}
