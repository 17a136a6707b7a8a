package ga

import (
	"cmp"
	"math"
	"math/rand"
	"slices"
	"sort"

	"github.com/MaxHalford/eaopt"
)

// generational is the [eaopt.Model] of a run: the best schedule stays; children of parents that the roulette selects replace the others.
type generational struct {
	run      *run
	roulette *roulette
	children eaopt.Individuals
}

// Validate implements [eaopt.Model].
func (*generational) Validate() error { return nil }

// Apply implements [eaopt.Model]. The individuals come sorted by cost; where they leave out different numbers of jobs they are sorted again,
// so that the best comes first. Where fewer evaluations are left than children to make, children replace only the worst.
func (m *generational) Apply(pop *eaopt.Population) error {
	if differ(pop.Individuals) {
		slices.SortStableFunc(pop.Individuals, func(a, b eaopt.Individual) int { return cmp.Compare(leftBy(&a), leftBy(&b)) })
	}
	replaced := len(pop.Individuals) - 1
	if left := m.run.left(); left < int64(replaced) {
		replaced = int(left)
	}
	if replaced <= 0 {
		return nil
	}
	parents, _, err := m.roulette.Apply(uint(2*replaced), pop.Individuals, pop.RNG)
	if err != nil {
		return err
	}
	m.children = m.children[:0]
	for k := range replaced {
		m.children = append(m.children, m.child(parents[2*k], parents[2*k+1], pop.RNG))
	}
	worst := pop.Individuals[len(pop.Individuals)-replaced:]
	for _, individual := range worst {
		m.run.spare = append(m.run.spare, individual.Genome.(*genome))
	}
	copy(worst, m.children)
	return nil
}

// child is a copy of parent a, changed by crossover with parent b and by mutation. A copy that is not changed keeps its cost.
func (m *generational) child(a, b eaopt.Individual, rng *rand.Rand) eaopt.Individual {
	g := a.Genome.Clone().(*genome)
	crossed := rng.Float64() < m.run.parameters.Crossover
	if crossed {
		g.Crossover(b.Genome, rng)
	}
	mutated := g.mutate(rng)
	return eaopt.Individual{Genome: g, Fitness: a.Fitness, Evaluated: a.Evaluated && !crossed && !mutated}
}

// leftBy is the number of jobs that the individual's schedule leaves out.
func leftBy(individual *eaopt.Individual) int { return individual.Genome.(*genome).left }

// differ says whether the schedules leave out different numbers of jobs.
func differ(individuals eaopt.Individuals) bool {
	return slices.ContainsFunc(individuals, func(i eaopt.Individual) bool { return leftBy(&i) != leftBy(&individuals[0]) })
}

// roulette is an [eaopt.Selector] that selects individuals with a probability proportional to their fitness by eq. 2. It returns the
// individuals themselves, not copies; the next call overwrites the list.
type roulette struct {
	wheel    []float64 // sums of the fitness up to each individual
	selected eaopt.Individuals
	indexes  []int
}

// Validate implements [eaopt.Selector].
func (*roulette) Validate() error { return nil }

// Apply implements [eaopt.Selector].
func (r *roulette) Apply(n uint, from eaopt.Individuals, rng *rand.Rand) (eaopt.Individuals, []int, error) {
	r.wheel = r.wheel[:0]
	for k := range from {
		r.wheel = append(r.wheel, from[k].Fitness)
	}
	if differ(from) {
		countLeft(r.wheel, from)
	}
	normalise(r.wheel)
	sum := 0.0
	for k, fitness := range r.wheel {
		sum += fitness
		r.wheel[k] = sum
	}
	r.selected, r.indexes = r.selected[:0], r.indexes[:0]
	for range n {
		// The first whose sum is beyond the point: never one of fitness 0.
		at := rng.Float64() * sum
		k := sort.Search(len(r.wheel), func(k int) bool { return r.wheel[k] > at })
		r.indexes = append(r.indexes, k)
		r.selected = append(r.selected, from[k])
	}
	return r.selected, r.indexes, nil
}

// countLeft replaces the costs of schedules that leave out different numbers of jobs by that number, beyond the least, plus the cost, scaled to [0, 1].
// A cost that is no number, see normalise, counts 1. Where no number holds the differences of the costs only the jobs count.
func countLeft(costs []float64, of eaopt.Individuals) {
	least, most, fewest := math.Inf(1), math.Inf(-1), math.MaxInt
	for k, cost := range costs {
		if fewest = min(fewest, leftBy(&of[k])); cost < math.MaxFloat64 {
			least, most = min(least, cost), max(most, cost)
		}
	}
	spread := most - least
	for k, cost := range costs {
		costs[k] = float64(leftBy(&of[k]) - fewest)
		switch {
		case cost >= math.MaxFloat64:
			costs[k]++
		case spread > 0 && spread <= math.MaxFloat64:
			costs[k] += (cost - least) / spread
		}
	}
}

// normalise replaces the costs of a set of schedules by their fitness, eq. 2: (CPmax − CPk)/(CPmax − CPmin), where CPmax is the worst and
// CPmin the best cost. Where all are equal each has fitness 1. A cost of [math.MaxFloat64] or more stands for no number: it has fitness 0
// and does not count as the worst, unless there is no other cost; then each has fitness 1.
func normalise(costs []float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, cost := range costs {
		if cost < math.MaxFloat64 {
			least, most = min(least, cost), max(most, cost)
		}
	}
	spread := most - least
	if least < most && spread <= math.MaxFloat64 {
		for k, cost := range costs {
			costs[k] = max(0, (most-cost)/spread)
		}
		return
	}
	for k, cost := range costs {
		costs[k] = 1
		if cost >= math.MaxFloat64 && least <= most {
			costs[k] = 0
		}
	}
}
