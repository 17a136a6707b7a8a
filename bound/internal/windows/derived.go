package windows

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/bound/internal/tasks"
)

// cliques returns resources of capacity 1, at most the given number. Each stands for a set of jobs of which no two can overlap, for whatever reason:
// precedence, processors or any licence. No job that takes time could be added to a set. Each set has at least three jobs, and among them two that
// precedence does not keep apart.
//
// Source: K. Sidorov, I. Marijnissen, E. Demirović (2025), CP 2025, doi:10.4230/LIPIcs.CP.2025.35.
func cliques(p *tasks.Problem, most int) []tasks.Resource {
	n := len(p.Length)
	if most == 0 || !slices.ContainsFunc(p.Apart, func(list []int) bool { return len(list) > 0 }) {
		return nil
	}
	clash := p.Follows()
	for a, list := range p.Apart {
		for _, b := range list {
			clash[a][b] = true
		}
	}
	for a := range n {
		for b := range n {
			clash[a][b] = clash[a][b] || clash[b][a]
		}
	}
	degree := make([]int, n)
	for a, list := range p.Apart {
		degree[a] = len(list)
	}
	byLength := make([]int, 0, n)
	for j := range n {
		if p.Length[j] > 0 {
			byLength = append(byLength, j)
		}
	}
	byDegree := slices.Clone(byLength)
	slices.SortStableFunc(byLength, func(a, b int) int { return cmp.Compare(p.Length[b], p.Length[a]) })
	slices.SortStableFunc(byDegree, func(a, b int) int { return cmp.Compare(degree[b], degree[a]) })
	var found [][]int
	for _, order := range [][]int{byLength, byDegree} {
		for _, seed := range byLength {
			if len(p.Apart[seed]) == 0 || len(found) >= most {
				continue
			}
			clique := []int{seed}
			for _, j := range append(slices.Clone(p.Apart[seed]), order...) { // the jobs apart from the seed decide what the clique is for
				if !slices.ContainsFunc(clique, func(k int) bool { return k == j || !clash[k][j] }) {
					clique = append(clique, j)
				}
			}
			slices.Sort(clique)
			if len(clique) > 2 && !slices.ContainsFunc(found, func(other []int) bool { return slices.Equal(other, clique) }) {
				found = append(found, clique)
			}
		}
	}
	var resources []tasks.Resource
	for _, clique := range found {
		r := tasks.Resource{Capacity: 1}
		for _, j := range clique {
			r.Uses = append(r.Uses, tasks.Use{Job: j, Need: 1})
		}
		resources = append(resources, r)
	}
	return resources
}

// changed returns copies of a resource with the needs changed by dual feasible functions: jobs that fit together still do. It returns at most the
// given number of copies, those with the most work.
//
// Source: S. P. Fekete, J. Schepers (2001), doi:10.1007/s101070100243, §3, in whole numbers.
func changed(p *tasks.Problem, r *tasks.Resource, most int) []tasks.Resource {
	var found []tasks.Resource
	try := func(capacity int64, change func(need int64) int64) {
		out := tasks.Resource{Capacity: capacity}
		for _, u := range r.Uses {
			if need := change(u.Need); need > 0 {
				out.Uses = append(out.Uses, tasks.Use{Job: u.Job, Need: need})
			}
		}
		found = append(found, out)
	}
	B := r.Capacity
	for k := int64(2); k <= 6; k++ { // u⁽ᵏ⁾ times k·(k+1)
		try(k*(k+1), func(need int64) int64 {
			if (k+1)*need%B == 0 {
				return (k + 1) * need / B * k
			}
			return (k + 1) * need / B * (k + 1)
		})
	}
	for _, e := range thresholds(r) {
		try(B, func(need int64) int64 { // U⁽ᵉ⁾
			switch {
			case need > B-e:
				return B
			case need < e:
				return 0
			}
			return need
		})
		try(B/e, func(need int64) int64 { // φ⁽ᵉ⁾
			switch {
			case 2*need > B:
				return B/e - (B-need)/e
			case need >= e:
				return 1
			}
			return 0
		})
	}
	slices.SortStableFunc(found, func(a, b tasks.Resource) int { return cmp.Compare(load(p, &b), load(p, &a)) })
	kept := found[:0]
	for _, out := range found {
		same := slices.ContainsFunc(kept, func(other tasks.Resource) bool {
			return other.Capacity == out.Capacity && slices.Equal(other.Uses, out.Uses)
		})
		if !same && len(kept) < most {
			kept = append(kept, out)
		}
	}
	return kept
}

// load is the time for which the jobs hold the whole of the resource.
func load(p *tasks.Problem, r *tasks.Resource) float64 {
	sum := 0.0
	for _, u := range r.Uses {
		sum += float64(u.Need) * float64(p.Length[u.Job])
	}
	return sum / float64(r.Capacity)
}

// thresholds returns at most 16 sizes, up to half of the capacity, at which a need begins to count, or to count for more.
func thresholds(r *tasks.Resource) []int64 {
	var sizes []int64
	for _, u := range r.Uses {
		for _, e := range []int64{u.Need, r.Capacity - u.Need + 1} {
			if e >= 1 && 2*e <= r.Capacity {
				sizes = append(sizes, e)
			}
		}
	}
	return Evenly(sizes, 16)
}

// Evenly returns some of the distinct values, evenly spaced by rank. Their number is at most most, which is above 1. It sorts the values.
func Evenly[T cmp.Ordered](values []T, most int) []T {
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) <= most {
		return values
	}
	some := make([]T, most)
	for k := range some {
		some[k] = values[k*(len(values)-1)/(most-1)]
	}
	return some
}
