package ga

import (
	"math/rand"

	"github.com/MaxHalford/eaopt"
)

// genome is a coded schedule in the hands of eaopt.
type genome struct {
	Schedule
	run  *run
	left int // jobs that the schedule left out when it was evaluated
}

// mask is the mask of the job.
func (g *genome) mask(id int32) []uint64 {
	words := g.run.decoder.words
	return g.Masks[int(id)*words : int(id+1)*words]
}

// size is the number of processors that the job needs.
func (g *genome) size(id int32) int { return g.run.cluster.Jobs[id].Size }

// set copies the schedule s.
func (g *genome) set(s Schedule) {
	copy(g.Order, s.Order)
	copy(g.Masks, s.Masks)
}

// shuffle makes the schedule a random one.
func (g *genome) shuffle(rng *rand.Rand) {
	rng.Shuffle(len(g.Order), func(a, b int) { g.Order[a], g.Order[b] = g.Order[b], g.Order[a] })
	if g.Masks == nil {
		return
	}
	for _, id := range g.Order {
		draw(g.mask(id), g.size(id), g.run.processors, rng)
	}
}

// Evaluate implements [eaopt.Genome]: the cost of the schedule.
func (g *genome) Evaluate() (float64, error) { return g.run.evaluate(g) }

// Clone implements [eaopt.Genome].
func (g *genome) Clone() eaopt.Genome {
	clone := g.run.blank()
	clone.set(g.Schedule)
	clone.left = g.left
	return clone
}

// Crossover implements [eaopt.Genome]. Only the receiver is changed: a mate that is changed too would keep its old cost.
func (g *genome) Crossover(mate eaopt.Genome, rng *rand.Rand) {
	other, n := mate.(*genome), len(g.Order)
	if n < 2 {
		return
	}
	g.crossOrder(other, 1+rng.Intn(n-1))
	if g.Masks != nil {
		processors := g.run.cluster.Processors
		g.crossMasks(other, rng.Intn(n), rng.Intn(processors), rng)
	}
}

// crossOrder keeps the first head jobs of the order and puts the rest into the order that they have in the other genome.
func (g *genome) crossOrder(other *genome, head int) {
	taken := g.run.taken
	for _, id := range g.Order[:head] {
		taken[id] = true
	}
	k := head
	for _, id := range other.Order {
		if !taken[id] {
			g.Order[k] = id
			k++
		}
	}
	for _, id := range g.Order[:head] {
		taken[id] = false
	}
}

// crossMasks cuts the masks, laid end to end in the order of the schedule, at one bit of the job at the position. The bits after the cut
// come from the other genome. The job at the cut may then have too many processors or too few, and is repaired.
func (g *genome) crossMasks(other *genome, position, bit int, rng *rand.Rand) {
	for _, id := range g.Order[position+1:] {
		copy(g.mask(id), other.mask(id))
	}
	id := g.Order[position]
	splice(g.mask(id), other.mask(id), bit)
	repair(g.mask(id), g.size(id), g.run.cluster.Processors, rng)
}

// Mutate implements [eaopt.Genome].
func (g *genome) Mutate(rng *rand.Rand) { g.mutate(rng) }

// mutate swaps two positions and moves a bit, each with its probability, and says whether it tried either.
func (g *genome) mutate(rng *rand.Rand) bool {
	p, n := &g.run.parameters, len(g.Order)
	if n == 0 {
		return false
	}
	swap := rng.Float64() < p.Swap && n > 1
	if swap {
		a, b := rng.Intn(n), rng.Intn(n-1)
		if b >= a {
			b++ // two positions: never one with itself
		}
		g.Order[a], g.Order[b] = g.Order[b], g.Order[a]
	}
	move := g.Masks != nil && rng.Float64() < p.Move
	if move {
		id := g.Order[rng.Intn(n)]
		moveBit(g.mask(id), g.size(id), g.run.cluster.Processors, rng)
	}
	return swap || move
}
