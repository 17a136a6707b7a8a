package ga

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// TestEquation2WithJobsLeftOut works out by hand which fitness schedules have that leave out different numbers of jobs: eq. 2 on that number plus the
// scaled cost, which the comments state.
func TestEquation2WithJobsLeftOut(t *testing.T) {
	none := math.MaxFloat64
	for _, c := range []struct {
		costs []float64
		left  []int
		want  []float64
	}{
		{[]float64{10, 20, 10}, []int{1, 1, 1}, []float64{1, 0, 1}},
		{[]float64{5, 5}, []int{2, 3}, []float64{1, 0}},
		{[]float64{20, 10, 15}, []int{0, 1, 1}, []float64{1, 1, 0}},       // 1, 1, 1.5
		{[]float64{10, 10, 20}, []int{0, 2, 2}, []float64{1, 1.0 / 3, 0}}, // 0, 2, 3
		{[]float64{none, 3, 5}, []int{0, 1, 0}, []float64{1, 1, 1}},       // 1, 1, 1
		{[]float64{none, none}, []int{4, 3}, []float64{0, 1}},
		{[]float64{-1.7e308, 1.7e308}, []int{1, 0}, []float64{0, 1}},
	} {
		individuals := individuals(c.costs...)
		for k := range individuals {
			individuals[k].Genome.(*genome).left = c.left[k]
		}
		found := slices.Clone(c.costs)
		if differ(individuals) {
			countLeft(found, individuals)
		}
		normalise(found)
		for k := range found {
			if !(math.Abs(found[k]-c.want[k]) <= 1e-15) {
				t.Errorf("%v without %v: %v, want %v", c.costs, c.left, found, c.want)
				break
			}
		}
	}
}

// TestFitnessFollowsTheRank draws ranks: a better one never has the lower fitness.
func TestFitnessFollowsTheRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.SampledFrom([]float64{-7e307, -3, 0, 1, 1.5, 1e9, 1.7e308, math.MaxFloat64}), 2, 12).Draw(t, "costs")
		individuals := individuals(costs...)
		for k := range individuals {
			individuals[k].Genome.(*genome).left = rapid.IntRange(0, 3).Draw(t, "left")
		}
		r := &roulette{}
		if _, _, err := r.Apply(1, individuals, rand.New(rand.NewSource(1))); err != nil {
			t.Fatal(err)
		}
		fitness := func(k int) float64 { // the wheel holds the sums
			if k == 0 {
				return r.wheel[0]
			}
			return r.wheel[k] - r.wheel[k-1]
		}
		for a := range costs {
			for b := range costs {
				if model.NewRank(leftBy(&individuals[a]), costs[a]).Less(model.NewRank(leftBy(&individuals[b]), costs[b])) && fitness(a) < fitness(b)-1e-12 {
					t.Fatalf("%v of %v jobs left out has fitness %v, %v of %v has %v", costs[a], leftBy(&individuals[a]), fitness(a), costs[b], leftBy(&individuals[b]), fitness(b))
				}
			}
		}
		if !(r.wheel[len(costs)-1] > 0) {
			t.Fatalf("nobody can be selected: %v", r.wheel)
		}
	})
}

// priced ranks orders by a table: it makes up a number of jobs left out and an objective, with infinite ones, for each order.
func priced(order []int32) model.Rank {
	h := uint64(14695981039346656037)
	for _, id := range order {
		h = (h ^ uint64(id)) * 1099511628211
	}
	objective := float64(h>>20%1000) - 300
	if h>>40%8 == 0 {
		objective = math.Inf(1)
	}
	return model.NewRank(int(h>>50%4), objective)
}

// TestMinimiseOrderFindsTheBestRank compares with all orders of up to five jobs: fewer jobs left out come first, whatever the objective.
func TestMinimiseOrderFindsTheBestRank(t *testing.T) {
	for jobs := range 6 {
		seed := make([]int32, jobs)
		for k := range seed {
			seed[k] = int32(k)
		}
		best := model.NoRank()
		permute(seed, func(order []int32) {
			if rank := priced(order); rank.Less(best) {
				best = rank
			}
		})
		p := NewParameters()
		p.Patience = 300
		least := model.NoRank()
		result, err := MinimiseOrder(t.Context(), seed, func(order []int32) (model.Rank, error) {
			rank := priced(order)
			if rank.Less(least) {
				least = rank
			}
			return rank, nil
		}, p, 1, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		want := best
		if math.IsInf(want.Objective, 1) {
			want.Objective = math.MaxFloat64
		}
		if found := model.NewRank(result.Left, result.Cost); least != best || found != want || priced(result.Best.Order) != best {
			t.Errorf("%d jobs: %v by %v, the best of all orders is %v", jobs, found, result.Best.Order, best)
		}
	}
}

// TestGenerationKeepsTheBestRank applies the model to schedules that leave out jobs: the best rank stays, and the worst goes first.
func TestGenerationKeepsTheBestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := []int32{0, 1, 2, 3, 4, 5}
		price := func(order []int32) (model.Rank, error) { return priced(order), nil }
		r := newOrderRun(context.Background(), seed, price, with(List), Limits{})
		pop := drawPopulation(t, r, 2)
		m := &generational{run: r, roulette: &roulette{}}
		for range 4 {
			evaluate(t, pop)
			best := model.NoRank()
			for _, individual := range pop.Individuals {
				rank := model.NewRank(leftBy(&individual), individual.Fitness)
				if want := priced(individual.Genome.(*genome).Order); rank.Left != want.Left {
					t.Fatalf("%d jobs are held to be left out, not %d", rank.Left, want.Left)
				}
				if rank.Less(best) {
					best = rank
				}
			}
			r.limits.Evaluations = r.result.Evaluations + 1 // the next generation has one child
			if err := m.Apply(pop); err != nil {
				t.Fatal(err)
			}
			if kept := pop.Individuals[0]; model.NewRank(leftBy(&kept), kept.Fitness) != best {
				t.Fatalf("the best, %v, is gone: %v", best, kept)
			}
			last := len(pop.Individuals) - 1
			for k := 1; k < last; k++ {
				a, b := &pop.Individuals[k-1], &pop.Individuals[k]
				if model.NewRank(leftBy(b), b.Fitness).Less(model.NewRank(leftBy(a), a.Fitness)) {
					t.Fatal("a worse schedule stays before a better one")
				}
			}
		}
	})
}

// TestStableWithJobsLeftOut feeds the stopping rule: a job less that is left out is an improvement, also where the cost rises.
func TestStableWithJobsLeftOut(t *testing.T) {
	p := with(List)
	p.Patience = 2
	r := newOrderRun(t.Context(), []int32{0, 1}, nil, p, Limits{})
	var stops []bool
	for _, rank := range []model.Rank{{Left: 2, Objective: 5}, {Left: 2, Objective: 5}, {Left: 1, Objective: 90}, {Left: 1, Objective: 90}, {Left: 0, Objective: 90}, {Left: 0, Objective: 90}, {Left: 0, Objective: 90}} {
		r.result.Left, r.result.Cost = rank.Left, rank.Objective
		stops = append(stops, r.mustStop())
	}
	if want := []bool{false, false, false, false, false, false, true}; !reflect.DeepEqual(stops, want) {
		t.Errorf("%v, want %v", stops, want)
	}
}

// TestMinimiseOrderEnds tries a price that fails, one that fails as the context ends, limits, and orders that are none.
func TestMinimiseOrderEnds(t *testing.T) {
	wrong := errors.New("wrong")
	seed := []int32{2, 0, 1}
	count := 0
	failing := func([]int32) (model.Rank, error) {
		if count++; count > 60 {
			return model.NoRank(), wrong
		}
		return model.NewRank(0, 1), nil
	}
	if _, err := MinimiseOrder(t.Context(), seed, failing, NewParameters(), 1, Limits{}); !errors.Is(err, wrong) {
		t.Errorf("expected the error of the price, found %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	count = 0
	result, err := MinimiseOrder(ctx, seed, func(order []int32) (model.Rank, error) {
		rank, err := failing(order)
		if err != nil {
			cancel()
		}
		return rank, err
	}, NewParameters(), 1, Limits{})
	if err != nil || result.Stop != Cancelled || result.Evaluations != 60 || result.Cost != 1 || !slices.Equal(result.Best.Order, seed) {
		t.Errorf("cancelled: %+v, %v", result, err)
	}
	for _, limit := range []int64{1, 7, 50, 77} {
		result, err := MinimiseOrder(t.Context(), seed, func(order []int32) (model.Rank, error) { return priced(order), nil }, NewParameters(), 1, Limits{Evaluations: limit})
		if err != nil || result.Evaluations != limit || result.Stop != Evaluations {
			t.Errorf("limit %d: %+v, %v", limit, result, err)
		}
	}
	for _, order := range [][]int32{{0, 0}, {1, 2}, {-1}} {
		if _, err := MinimiseOrder(t.Context(), order, failing, NewParameters(), 1, Limits{}); err == nil {
			t.Errorf("%v is taken for an order", order)
		}
	}
	p := NewParameters()
	p.Population = 0
	if _, err := MinimiseOrder(t.Context(), seed, failing, p, 1, Limits{}); err == nil {
		t.Error("a population of 0 is taken")
	}
}
