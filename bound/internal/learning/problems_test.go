package learning

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bound/internal/tasks"
	"github.com/allot-opt/allot/bound/internal/tasks/tasktest"
)

// crowded draws a problem in which little but the resources decides: several jobs fit beside each other, and windows are of little help.
func crowded(t *rapid.T, most int) *tasks.Problem {
	n := rapid.IntRange(most-1, most).Draw(t, "jobs")
	p := &tasks.Problem{After: make([][]int, n), Apart: make([][]int, n)}
	for j := range n {
		p.Length, p.Head = append(p.Length, int32(rapid.IntRange(1, 4).Draw(t, "length"))), append(p.Head, int32(rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "head")))
		p.Order = append(p.Order, j)
		p.Horizon += p.Length[j]
		if j > 0 && rapid.IntRange(0, 2).Draw(t, "waits") == 0 {
			p.After[j] = []int{rapid.IntRange(0, j-1).Draw(t, "before")}
		}
	}
	p.Horizon += 2
	for range rapid.IntRange(1, 2).Draw(t, "resources") {
		r := tasks.Resource{Capacity: int64(rapid.IntRange(3, 7).Draw(t, "capacity"))}
		for j := range n {
			r.Uses = append(r.Uses, tasks.Use{Job: j, Need: rapid.Int64Range(1, 3).Draw(t, "need")})
		}
		p.Resources = append(p.Resources, r)
	}
	follows := p.Follows()
	for a := range n {
		for b := range n {
			if a != b && !follows[a][b] && !follows[b][a] && tasktest.Clash(p, a, b) {
				p.Apart[a] = append(p.Apart[a], b)
			}
		}
	}
	return p
}

// listed are the starts of a schedule of chance: an order of chance, in which each job starts as early as those before it allow, or a little
// later.
func listed(p *tasks.Problem, rng *rand.Rand) []int32 {
	n := len(p.Length)
	starts, placed := make([]int32, n), make([]bool, n)
	for range n {
		var next []int
		for j := range n {
			if !placed[j] && tasktest.Ready(p, placed, j) {
				next = append(next, j)
			}
		}
		j := next[rng.IntN(len(next))]
		starts[j] = tasktest.Earliest(p, placed, starts, j, p.Head[j])
		if rng.IntN(8) == 0 {
			starts[j] = tasktest.Earliest(p, placed, starts, j, starts[j]+1)
		}
		placed[j] = true
	}
	return starts
}
