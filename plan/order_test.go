package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// drawPrecedence draws an instance of jobs that wait for one another, whatever the order in which the instance has them.
func drawPrecedence(t *rapid.T) *model.Instance {
	b := model.NewBuilder("precedence").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	jobs := rapid.IntRange(1, 14).Draw(t, "jobs")
	rank := make([]int, jobs) // jobs wait for jobs of lower rank
	for j := range rank {
		rank[j] = j
	}
	rank = rapid.Permutation(rank).Draw(t, "rank")
	density := rapid.IntRange(1, 8).Draw(t, "density")
	for j := range jobs {
		spec := model.JobSpec{ID: fmt.Sprint(j), Work: new(1.0), Arrival: float64(rapid.IntRange(0, 3).Draw(t, "arrival"))}
		for k := range jobs {
			if rank[k] < rank[j] && chance(t, density, "waits") {
				spec.After = append(spec.After, fmt.Sprint(k))
			}
		}
		b.Job(spec)
	}
	return build(t, b)
}

// slowTopological looks at the order from its front, again and again, for a job that waits for none that is left.
func slowTopological(in *model.Instance, order []int) []int {
	left, sorted := slices.Clone(order), []int(nil)
	for len(left) > 0 {
		k := slices.IndexFunc(left, func(j int) bool {
			return !slices.ContainsFunc(in.Jobs()[j].After, func(before int) bool { return slices.Contains(left, before) })
		})
		sorted = append(sorted, left[k])
		left = slices.Delete(left, k, k+1)
	}
	return sorted
}

func TestTopologicalIsTheNaiveOrder(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		in := drawPrecedence(t)
		order := rapid.Permutation(indices(in)).Draw(t, "order")
		given := slices.Clone(order)
		sorted := Topological(in, order)
		if !slices.Equal(order, given) {
			t.Fatalf("the order given was changed from %v to %v", given, order)
		}
		if want := slowTopological(in, order); !slices.Equal(sorted, want) {
			t.Fatalf("%v: got %v, want %v", order, sorted, want)
		}
		// An order that is right already stays as it is.
		if again := Topological(in, sorted); !slices.Equal(again, sorted) {
			t.Fatalf("%v became %v", sorted, again)
		}
	})
}

// Jobs of one arrival keep the order of the instance, but for those that wait for one behind them.
func TestArrivalOrder(t *testing.T) {
	often.Check(t, 10, func(t *rapid.T) {
		in := drawPrecedence(t)
		var order []int
		for arrival := range 4 {
			for j := range in.Jobs() {
				if in.Jobs()[j].Arrival == float64(arrival) {
					order = append(order, j)
				}
			}
		}
		if got, want := ArrivalOrder(in), slowTopological(in, order); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestTopologicalByHand(t *testing.T) {
	for _, c := range []struct {
		name        string
		after       [][]string // by job
		order, want []int
	}{
		{"none waits", [][]string{nil, nil, nil}, []int{2, 0, 1}, []int{2, 0, 1}},
		{"moved just behind", [][]string{{"2"}, nil, nil, nil}, []int{0, 1, 2, 3}, []int{1, 2, 0, 3}},
		{"a diamond", [][]string{{"1", "2"}, {"3"}, {"3"}, nil}, []int{0, 2, 1, 3}, []int{3, 2, 1, 0}},
		{"stated twice", [][]string{{"1", "1"}, nil}, []int{0, 1}, []int{1, 0}},
	} {
		b := model.NewBuilder(c.name).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		for j, after := range c.after {
			b.Job(model.JobSpec{ID: fmt.Sprint(j), Work: new(1.0), After: after})
		}
		if got := Topological(build(t, b), c.order); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// A chain takes no time to speak of, whichever way round the order is.
func TestTopologicalOfALongChain(t *testing.T) {
	const jobs = 100_000
	b := model.NewBuilder("chain").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	for j := range jobs {
		spec := model.JobSpec{ID: fmt.Sprint(j), Work: new(1.0)}
		if j > 0 {
			spec.After = []string{fmt.Sprint(j - 1)}
		}
		b.Job(spec)
	}
	in := build(t, b)
	chain := indices(in)
	backwards := slices.Clone(chain)
	slices.Reverse(backwards)
	for _, order := range [][]int{chain, backwards, rand.New(rand.NewPCG(1, 7)).Perm(jobs)} {
		if !slices.Equal(Topological(in, order), chain) {
			t.Errorf("the chain from %d on is in another order", order[0])
		}
	}
}
