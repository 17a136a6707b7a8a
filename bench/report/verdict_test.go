package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/race"
)

// tableOf are rows of solvers a, b, … with the objectives, solver × instance.
func tableOf(objectives [][]float64) *study {
	s := newStudy(nil, nil, nil)
	rows := s.rows
	for k, list := range objectives {
		for i, x := range list {
			rows = append(rows, row(string(rune('a'+k)), fmt.Sprintf("x%02d", i), x))
		}
	}
	return newStudy(rows, nil, nil)
}

// plain is a sentence as text.
func (s sentence) plain() string {
	var text strings.Builder
	for _, p := range s {
		text.WriteString(p.Text)
	}
	return text.String()
}

// The sentence, the diagram's bars, the table of pairs and the verdict on first and second never contradict each other: what one says differs
// shares no bar, and what shares none is said to differ.
func TestSentenceDiagramAndPairsAgree(t *testing.T) {
	seen := map[decision]int{}
	rapid.Check(t, func(t *rapid.T) {
		k, n := rapid.IntRange(3, 6).Draw(t, "solvers"), rapid.IntRange(1, 14).Draw(t, "instances")
		objectives := make([][]float64, k)
		for s := range objectives {
			skill := rapid.IntRange(0, 8).Draw(t, "skill")
			for range n {
				objectives[s] = append(objectives[s], float64(100+skill+rapid.IntRange(0, 4).Draw(t, "luck")))
			}
		}
		g := tableOf(objectives).groups[0]
		o := g.test
		seen[o.decision]++
		d, pairs := newDiagram("d", o), o.pairsTable("p")
		if n == 1 {
			if d != nil || o.decision != tooFew {
				t.Fatal("one run a solver on one instance says something")
			}
			return
		}
		joined := func(a, b int) bool {
			return slices.ContainsFunc(o.alike, func(set []int) bool { return slices.Contains(set, a) && slices.Contains(set, b) })
		}
		for i, q := range o.pairs {
			differ := strings.HasPrefix(o.verdict(&q), "better") || strings.HasPrefix(o.verdict(&q), "worse")
			if differ == joined(q.a, q.b) {
				t.Fatalf("%s and %s: %q, on one bar: %v", o.solvers[q.a], o.solvers[q.b], o.verdict(&q), joined(q.a, q.b))
			}
			if cells := pairs.Rows[i]; cells[9].Text != o.verdict(&q) || cells[9].IsGood != differ || strings.HasPrefix(o.verdict(&q), "too few") && cells[8].Text != document.Missing {
				t.Fatalf("the table says %+v", cells)
			}
		}
		order := o.order()
		worse, better, open := o.beside(order)
		for _, other := range order[1:] {
			if slices.Contains(open, o.solvers[other]) != joined(order[0], other) {
				t.Fatalf("worse %v, better %v, open %v, bars %v", worse, better, open, o.alike)
			}
		}
		said := o.words().plain()
		if strings.Contains(said, "significantly") != (len(worse)+len(better) > 0) || strings.Contains(said, "too few") != strings.Contains(d.Note, "too few") ||
			strings.Contains(said, "shows no difference") != strings.Contains(d.Note, "shows no difference") {
			if !strings.Contains(said, "equal on all") {
				t.Fatalf("%q above %q", said, d.Note)
			}
		}
		if o.test() != "" && (!strings.Contains(said, o.test()) || !strings.Contains(d.Note, o.test())) {
			t.Fatalf("two tests: %q, %q", said, d.Note)
		}
		if shows := strings.Contains(string(d.Elements), "critical difference"); len(d.bars) != len(o.alike) || shows != (o.decision == byMeanRanks) {
			t.Fatalf("%d bars of %v, and %v that the critical difference is shown", len(d.bars), o.alike, shows)
		}
	})
	if len(seen) < race.Enough(4) {
		t.Errorf("decisions %v: the test sees too little", seen)
	}
}

// The sets that the search finds are the largest, by trying all.
func TestIndistinctSetsAreTheLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "n")
		joined := make([][]bool, n)
		for i := range joined {
			joined[i] = make([]bool, n)
		}
		var all []int
		for i := range n {
			all = append(all, i)
			for j := range i {
				joined[i][j] = rapid.Bool().Draw(t, "joined")
				joined[j][i] = joined[i][j]
			}
		}
		isClique := func(mask int) bool {
			for i := range n {
				for j := range i {
					if mask>>i&1 == 1 && mask>>j&1 == 1 && !joined[i][j] {
						return false
					}
				}
			}
			return mask > 0
		}
		want := map[int]bool{}
		for mask := range 1 << n {
			maximal := isClique(mask)
			for i := range n {
				maximal = maximal && (mask>>i&1 == 1 || !isClique(mask|1<<i))
			}
			if maximal {
				want[mask] = true
			}
		}
		found := map[int]bool{}
		cliques(joined, nil, all, nil, func(set []int) bool {
			mask := 0
			for _, i := range set {
				mask |= 1 << i
			}
			if found[mask] {
				t.Fatalf("%b twice", mask)
			}
			found[mask] = true
			return true
		})
		if fmt.Sprint(found) != fmt.Sprint(want) {
			t.Fatalf("%v, expected %v", found, want)
		}
	})
}

// A pair that could not be significant has no p of 1 but the reason: too few instances, too few runs, or no difference anywhere.
func TestTooFewToTell(t *testing.T) {
	few := tableOf([][]float64{{1, 2, 3, 4, 5}, {2, 3, 4, 5, 6}}).groups[0].test // at best p = 1/16
	if got := few.verdict(&few.pairs[0]); got != "too few instances to tell" {
		t.Error(got)
	}
	enough := tableOf([][]float64{{1, 2, 3, 4, 5, 6}, {2, 3, 4, 5, 6, 7}}).groups[0].test // p = 1/32
	if got := enough.verdict(&enough.pairs[0]); got != "better" {
		t.Error(got)
	}
	equal := tableOf([][]float64{{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}}).groups[0].test
	if got := equal.verdict(&equal.pairs[0]); got != "equal on all instances" {
		t.Error(got)
	}
	runs := tableOf([][]float64{{1}, {2}}).groups[0].test
	if got := runs.verdict(&runs.pairs[0]); got != "too few runs to tell" {
		t.Error(got)
	}
	for _, o := range []*outcome{few, equal, runs} {
		if cells := o.pairsTable("p").Rows[0]; cells[8].Text != document.Missing {
			t.Errorf("p of what could not be tested: %+v", cells)
		}
	}
	// Of six instances a pair alone could have p = 1/32, but three pairs with Holm's correction 3/32: the mean ranks decide.
	three := tableOf([][]float64{{1, 2, 3, 4, 5, 6}, {2, 3, 4, 5, 6, 7}, {3, 4, 5, 6, 7, 8}}).groups[0].test
	if !three.hopeless || three.decision != byMeanRanks {
		t.Errorf("hopeless %v, decided by %d", three.hopeless, three.decision)
	}
	// 1/6 and 1/36 of the tables of ranks agree in all rows.
	if a, b := leastFriedman(3, 2), leastFriedman(3, 3); math.Abs(a-1.0/6) > 1e-12 || math.Abs(b-1.0/36) > 1e-12 {
		t.Error(a, b)
	}
}
