package ga

import (
	"context"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/MaxHalford/eaopt"
	"pgregory.net/rapid"
)

func TestEquation2ByHand(t *testing.T) {
	inf, none := math.Inf(1), math.MaxFloat64
	for _, c := range []struct{ costs, want []float64 }{
		{[]float64{2, 6, 3}, []float64{1, 0, 0.75}}, // best 1, worst 0
		{[]float64{5, 5, 5}, []float64{1, 1, 1}},
		{[]float64{7}, []float64{1}},
		{[]float64{-4, 0}, []float64{1, 0}},
		{[]float64{1, none, 3, 2}, []float64{1, 0, 0, 0.5}},
		{[]float64{1, inf, 1}, []float64{1, 0, 1}},
		{[]float64{none, none}, []float64{1, 1}},
		{[]float64{-1.7e308, 1.7e308}, []float64{1, 1}}, // no number holds the difference
		{nil, nil},
	} {
		found := slices.Clone(c.costs)
		if normalise(found); !slices.Equal(found, c.want) {
			t.Errorf("%v: %v, want %v", c.costs, found, c.want)
		}
	}
}

func TestEquation2Property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.Float64Range(-1e300, 1e300), 1, 20).Draw(t, "costs")
		fitness := slices.Clone(costs)
		normalise(fitness)
		for a := range costs {
			if !(fitness[a] >= 0 && fitness[a] <= 1) {
				t.Fatalf("fitness %v", fitness[a])
			}
			for b := range costs {
				if costs[a] < costs[b] && fitness[a] < fitness[b] {
					t.Fatalf("cost %v has fitness %v, cost %v has %v", costs[a], fitness[a], costs[b], fitness[b])
				}
			}
		}
	})
}

// individuals are individuals of the given costs.
func individuals(costs ...float64) eaopt.Individuals {
	var list eaopt.Individuals
	for _, cost := range costs {
		list = append(list, eaopt.Individual{Genome: &genome{}, Fitness: cost, Evaluated: true})
	}
	return list
}

// TestRouletteFrequencies checks by χ² at 0.1 % that the probability is proportional to the fitness of eq. 2.
func TestRouletteFrequencies(t *testing.T) {
	const n = 100_000
	from := individuals(10, 12, 15, 15, 20) // fitness 1, 0.8, 0.5, 0.5, 0
	var r roulette
	selected, indexes, err := r.Apply(n, from, rand.New(rand.NewSource(1)))
	if err != nil || len(selected) != n || len(indexes) != n {
		t.Fatalf("%d selected, %d indexes, %v", len(selected), len(indexes), err)
	}
	found := make([]float64, len(from))
	for k, index := range indexes {
		found[index]++
		if selected[k].Fitness != from[index].Fitness {
			t.Fatalf("index %d, selected a cost of %v", index, selected[k].Fitness)
		}
	}
	chi := 0.0
	for k, fitness := range []float64{1, 0.8, 0.5, 0.5} {
		want := n * fitness / 2.8
		chi += (found[k] - want) * (found[k] - want) / want
	}
	if chi > 16.27 { // 3 degrees of freedom
		t.Errorf("χ² %v: %v", chi, found)
	}
	if found[4] > 0 {
		t.Errorf("the worst was selected %v times", found[4])
	}
}

func TestRouletteTakesEqualsAlike(t *testing.T) {
	const n = 40_000
	var r roulette
	_, indexes, _ := r.Apply(n, individuals(3, 3, 3, 3), rand.New(rand.NewSource(2)))
	found := map[int]int{}
	for _, index := range indexes {
		found[index]++
	}
	if chi := chiSquare(found, n/4); len(found) != 4 || chi > 16.27 {
		t.Errorf("χ² %v: %v", chi, found)
	}
}

// TestGenerationKeepsTheBest applies the model to random populations: the best schedule stays as it is, every cost that is held to be
// known is right, and no two individuals, nor one and what is to be used again, share a genome.
func TestGenerationKeepsTheBest(t *testing.T) {
	for name, coding := range codings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, s := drawCluster(t, 8, 20)
				r := newTestRun(&c, s, with(coding))
				r.limits.Evaluations = int64(rapid.SampledFrom([]int{0, 13, 1000}).Draw(t, "limit"))
				pop := drawPopulation(t, r, 1)
				m := &generational{run: r, roulette: &roulette{}}
				for range 4 {
					evaluate(t, pop)
					best, order := pop.Individuals[0], slices.Clone(pop.Individuals[0].Genome.(*genome).Order)
					if err := m.Apply(pop); err != nil {
						t.Fatal(err)
					}
					if kept := pop.Individuals[0]; kept != best || !slices.Equal(kept.Genome.(*genome).Order, order) {
						t.Fatal("the best is gone")
					}
					checkPopulation(t, r, pop.Individuals)
				}
			})
		})
	}
}

// drawPopulation makes the first individuals of a run, from the given number of them to ten.
func drawPopulation(t *rapid.T, r *run, least int) *eaopt.Population {
	pop := &eaopt.Population{RNG: rand.New(rand.NewSource(rapid.Int64().Draw(t, "rng")))}
	for range rapid.IntRange(least, 10).Draw(t, "population") {
		pop.Individuals = append(pop.Individuals, eaopt.Individual{Genome: r.first(pop.RNG), Fitness: math.Inf(1)})
	}
	return pop
}

// evaluate prices the individuals and sorts them, the best first.
func evaluate(t *rapid.T, pop *eaopt.Population) {
	if err := pop.Individuals.Evaluate(false); err != nil {
		t.Fatal(err)
	}
	pop.Individuals.SortByFitness()
}

// checkPopulation checks costs and genomes.
func checkPopulation(t *rapid.T, r *run, individuals eaopt.Individuals) {
	seen := map[*genome]bool{}
	for _, g := range r.spare {
		if seen[g] {
			t.Fatal("a genome is spare twice")
		}
		seen[g] = true
	}
	unknown := int64(0)
	for _, individual := range individuals {
		g := individual.Genome.(*genome)
		if seen[g] {
			t.Fatal("two share a genome")
		}
		seen[g] = true
		if !individual.Evaluated {
			unknown++
		} else if cost := costOf(r.cluster, g.Schedule); cost != individual.Fitness {
			t.Fatalf("a cost of %v is held to be %v", cost, individual.Fitness)
		}
		if wrong := isRight(r.cluster, g.Schedule); wrong != "" {
			t.Fatal(wrong)
		}
	}
	if unknown > max(0, r.left()) {
		t.Fatalf("%d evaluations to come, %d left", unknown, r.left())
	}
}

// TestElitism follows the least cost over the generations: it never rises, and that of the last generation is the best.
func TestElitism(t *testing.T) {
	for name, coding := range codings {
		c, s := randomCluster(25, 20, 10, 3)
		last, generations := math.Inf(1), 0
		result, err := Minimise(context.Background(), c, s.in(coding), with(coding), 5, Limits{Progress: func(_ int64, cost float64) {
			if cost > last {
				t.Errorf("%s: %v after %v", name, cost, last)
			}
			last = cost
			generations++
		}})
		if err != nil {
			t.Fatal(err)
		}
		if result.Cost != last || generations != result.Generations+1 || costOf(&c, result.Best) != last {
			t.Errorf("%s: %+v after %d generations, at last %v", name, result, generations, last)
		}
	}
}
