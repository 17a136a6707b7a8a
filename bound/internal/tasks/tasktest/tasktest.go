// Package tasktest has small problems for tests, and a slow search that shares no code with the methods.
package tasktest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// Problem draws a problem of up to the given number of jobs: some take no time, wait for others or arrive later; up to three resources, of
// which some jobs hold more than half; and pairs that cannot overlap for another reason.
func Problem(t *rapid.T, most int) *tasks.Problem {
	n := rapid.IntRange(1, most).Draw(t, "jobs")
	p := &tasks.Problem{After: make([][]int, n), Apart: make([][]int, n)}
	longest := rapid.SampledFrom([]int{2, 4, 9}).Draw(t, "longest")
	arrivals := rapid.SampledFrom([]int{0, 0, 3, 10}).Draw(t, "arrivals")
	for j := range n {
		p.Length = append(p.Length, int32(rapid.IntRange(0, longest).Draw(t, "length")))
		p.Head = append(p.Head, int32(rapid.IntRange(0, arrivals).Draw(t, "head")))
		p.Order = append(p.Order, j)
		p.Horizon += p.Length[j]
		for before := range j {
			if rapid.IntRange(0, 5).Draw(t, "waits") == 0 {
				p.After[j] = append(p.After[j], before)
			}
		}
	}
	p.Horizon += int32(arrivals)
	for range rapid.IntRange(0, 3).Draw(t, "resources") {
		r := tasks.Resource{Capacity: int64(rapid.IntRange(1, 6).Draw(t, "capacity"))}
		for j := range n {
			if need := rapid.Int64Range(0, r.Capacity).Draw(t, "need"); need > 0 && p.Length[j] > 0 {
				r.Uses = append(r.Uses, tasks.Use{Job: j, Need: need})
			}
		}
		p.Resources = append(p.Resources, r)
	}
	follows := p.Follows()
	for a := range n {
		for b := range a {
			if p.Length[a] > 0 && p.Length[b] > 0 && !follows[b][a] && (rapid.IntRange(0, 6).Draw(t, "apart") == 0 || Clash(p, a, b)) {
				p.Apart[a], p.Apart[b] = append(p.Apart[a], b), append(p.Apart[b], a)
			}
		}
	}
	for _, list := range p.Apart {
		for k := range list { // the smaller ones were added first
			if k > 0 && list[k] < list[k-1] {
				panic("not ascending")
			}
		}
	}
	return p
}

// Schedules calls yield with the starts of each schedule that ends within the horizon, up to the given number; false: there are more.
func Schedules(p *tasks.Problem, horizon int32, most int, yield func(starts []int32, end int32)) bool {
	starts := make([]int32, len(p.Length))
	var place func(k int) bool
	place = func(k int) bool {
		if k == len(starts) {
			if end, err := Makespan(p, starts); err == nil {
				most--
				yield(starts, end)
			}
			return most > 0
		}
		j := p.Order[k]
		first := p.Head[j]
		for _, before := range p.After[j] {
			first = max(first, starts[before]+p.Length[before])
		}
		for starts[j] = first; starts[j]+p.Length[j] <= horizon; starts[j]++ {
			if !place(k + 1) {
				return false
			}
		}
		return true
	}
	return place(0)
}

// Clash says that two jobs need more of a resource than there is.
func Clash(p *tasks.Problem, a, b int) bool {
	for _, r := range p.Resources {
		sum := int64(0)
		for _, u := range r.Uses {
			if u.Job == a || u.Job == b {
				sum += u.Need
			}
		}
		if sum > r.Capacity {
			return true
		}
	}
	return false
}

// Makespan is that of the starts; an error says what they violate.
func Makespan(p *tasks.Problem, starts []int32) (int32, error) {
	end := int32(0)
	for j, start := range starts {
		end = max(end, start+p.Length[j])
		if start < p.Head[j] {
			return 0, fmt.Errorf("job %d starts at %d, before %d", j, start, p.Head[j])
		}
		for _, before := range p.After[j] {
			if start < starts[before]+p.Length[before] {
				return 0, fmt.Errorf("job %d starts at %d, before job %d ends", j, start, before)
			}
		}
		for _, other := range p.Apart[j] {
			if start < starts[other]+p.Length[other] && starts[other] < start+p.Length[j] {
				return 0, fmt.Errorf("jobs %d and %d overlap", j, other)
			}
		}
	}
	for k, r := range p.Resources {
		for t := range end {
			held := int64(0)
			for _, u := range r.Uses {
				if starts[u.Job] <= t && t < starts[u.Job]+p.Length[u.Job] {
					held += u.Need
				}
			}
			if held > r.Capacity {
				return 0, fmt.Errorf("resource %d is overfull at %d", k, t)
			}
		}
	}
	return end, nil
}

// Optimum is the least makespan: all orders of the jobs in which each starts as early as those before it allow. One of them gives the least
// makespan, as it gives each active schedule.
func Optimum(p *tasks.Problem) int32 {
	n := len(p.Length)
	starts, placed := make([]int32, n), make([]bool, n)
	best := p.Horizon + 1
	var place func(left int, end int32)
	place = func(left int, end int32) {
		if left == 0 {
			best = min(best, end)
			return
		}
		for j := range n {
			if !placed[j] && Ready(p, placed, j) {
				starts[j] = Earliest(p, placed, starts, j, p.Head[j])
				placed[j] = true
				place(left-1, max(end, starts[j]+p.Length[j]))
				placed[j] = false
			}
		}
	}
	place(n, 0)
	return best
}

// Ready says that all jobs that the job waits for are placed.
func Ready(p *tasks.Problem, placed []bool, j int) bool {
	return !slices.ContainsFunc(p.After[j], func(before int) bool { return !placed[before] })
}

// Earliest tries one start after the other, from the given one on.
func Earliest(p *tasks.Problem, placed []bool, starts []int32, j int, from int32) int32 {
	part := &tasks.Problem{Length: []int32{}, Resources: make([]tasks.Resource, len(p.Resources))}
	position, at := make([]int, len(placed)), []int32{}
	for k := range placed {
		position[k] = -1
		if placed[k] || k == j {
			position[k] = len(part.Length)
			part.Length, part.Head, at = append(part.Length, p.Length[k]), append(part.Head, p.Head[k]), append(at, starts[k])
		}
	}
	part.After, part.Apart = make([][]int, len(at)), make([][]int, len(at))
	for k := range placed {
		if position[k] < 0 {
			continue
		}
		for _, before := range p.After[k] {
			part.After[position[k]] = append(part.After[position[k]], position[before])
		}
		for _, other := range p.Apart[k] {
			if position[other] >= 0 {
				part.Apart[position[k]] = append(part.Apart[position[k]], position[other])
			}
		}
	}
	for k, r := range p.Resources {
		part.Resources[k].Capacity = r.Capacity
		for _, u := range r.Uses {
			if position[u.Job] >= 0 {
				part.Resources[k].Uses = append(part.Resources[k].Uses, tasks.Use{Job: position[u.Job], Need: u.Need})
			}
		}
	}
	for at[position[j]] = from; ; at[position[j]]++ {
		if _, err := Makespan(part, at); err == nil {
			return at[position[j]]
		}
	}
}
