package proof_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// byWindows is an argument that refutes the makespan with resources and one lemma of steps.
func byWindows(makespan int, resources []proof.WindowResource, pairs []int, steps ...int) *proof.Windows {
	a := &proof.Windows{Unit: 1, Nearest: true, Makespan: makespan, Resources: resources, Pairs: pairs}
	if len(steps) > 0 {
		a.Lemmas = []proof.Lemma{{Steps: steps}}
	}
	return a
}

// saysWindows verifies the verdict of an argument by windows.
func saysWindows(t *testing.T, in *model.Instance, bound float64, want proof.Verdict, a *proof.Windows) {
	t.Helper()
	if r := verdict(t.Context(), in, claim(in, "makespan", bound, 0, &proof.Argument{Windows: a})); r.Verdict != want {
		t.Errorf("makespan ≥ %v: %v, expected %s: %+v", bound, r, want, *a)
	}
}

func TestWindowsByHand(t *testing.T) {
	b := model.NewBuilder("windows").Cluster(cluster("c", 2, 1))
	b.Spec().Licences = map[string]int{"l": 3}
	a, wide, last, free := job("a", 1, 2), job("b", 2, 3, "a"), job("d", 1, 4), job("e", 1, 1, "b")
	wide.Licences, last.Licences = map[string]int{"l": 2}, map[string]int{"l": 2}
	in := built(t, b.Job(a, wide, last, free))
	processors, licence := proof.WindowResource{Clusters: []int{0}}, proof.WindowResource{Licence: "l"}
	both := []proof.WindowResource{processors, licence}
	// a, b and e take 6: within 5 there is no start.
	saysWindows(t, in, 6, proof.Verified, byWindows(5, nil, nil))
	saysWindows(t, in, 6.0001, proof.Refuted, byWindows(5, nil, nil))
	saysWindows(t, in, 7, proof.Refuted, byWindows(6, nil, nil))
	// Within 6, b runs from 2 to 5, so that d, which takes 4, finds no place: it is behind 4, or ends by 2.
	saysWindows(t, in, 7, proof.Verified, byWindows(6, both, nil, 3, 0, 3))
	saysWindows(t, in, 7, proof.Verified, byWindows(6, both, nil, 3, 1, 3))
	saysWindows(t, in, 7, proof.Verified, byWindows(6, both, nil, 4, 0, 2, 5))
	saysWindows(t, in, 7, proof.Refuted, byWindows(6, both, nil, 3, 0, 1))    // at 1 b does not run
	saysWindows(t, in, 7, proof.Refuted, byWindows(6, both, nil, 4, 0, 0, 2)) // nor up to 2
	// Within 9, d comes before b or behind it: either b starts at 4, and e ends by 8, or d starts at 5 and ends at 9. Within 7 neither is possible: a pair says so.
	saysWindows(t, in, 8, proof.Verified, byWindows(7, nil, []int{1, 2}, 1, 0))
	saysWindows(t, in, 8, proof.Verified, byWindows(7, nil, []int{2, 1}, 1, 0))
	saysWindows(t, in, 9, proof.Refuted, byWindows(8, nil, []int{1, 2}, 1, 0))
	saysWindows(t, in, 8, proof.Refuted, byWindows(7, nil, []int{0, 2}, 1, 0)) // a and d fit beside each other
	saysWindows(t, in, 8, proof.Refuted, byWindows(7, nil, []int{1, 1}, 1, 0))
	// The same by a clause: d starts at 4 at most or b at 3 at most. Of what is not so b starts at 4, d at 5, and both hold 2 of 3 copies at 5 or one has no start.
	clause := proof.Lemma{Clause: []int{2*2 + 1, 4, 2*1 + 1, 3}, Steps: []int{3, 1, 5}}
	a7 := byWindows(7, both, nil)
	a7.Lemmas = []proof.Lemma{clause, {Steps: []int{3, 1, 3, 3, 1, 4, 3, 0, 3}}}
	saysWindows(t, in, 8, proof.Verified, byWindows(7, both, nil, 3, 1, 3))
	saysWindows(t, in, 8, proof.Verified, a7)
	a7.Lemmas = []proof.Lemma{{Clause: []int{2*2 + 1, 2}, Steps: []int{3, 1, 3}}, {Steps: []int{2, 0, 3, 1, 3}}}
	saysWindows(t, in, 8, proof.Verified, a7)
	a7.Lemmas = []proof.Lemma{{Clause: []int{2*2 + 1, 2}, Steps: []int{3, 1, 9}}, {Steps: []int{2, 0, 3, 1, 3}}}
	saysWindows(t, in, 8, proof.Refuted, a7) // the clause does not follow
	// Sets of jobs of which no two overlap: b and d, and the chain of a, b and e. But a and d may, and d and e.
	sets := []proof.WindowResource{{Jobs: []int{0, 1, 3}}, {Jobs: []int{1, 2}}}
	saysWindows(t, in, 8, proof.Verified, byWindows(7, sets, nil, 3, 1, 3))
	saysWindows(t, in, 8, proof.Refuted, byWindows(7, sets, nil, 3, 0, 3))
	saysWindows(t, in, 8, proof.Refuted, byWindows(7, append(sets, proof.WindowResource{Jobs: []int{0, 2}}), nil, 3, 1, 3))
	saysWindows(t, in, 8, proof.Refuted, byWindows(7, append(sets, proof.WindowResource{Jobs: []int{2, 3}}), nil, 3, 1, 3))
	// Weights: of 3 copies, 2 are more than half.
	saysWindows(t, in, 8, proof.Verified, byWindows(7, append(both, proof.WindowResource{Of: 1, Weights: []proof.Weight{{Size: 2, Weight: 1}}}), nil, 3, 2, 3))
	saysWindows(t, in, 8, proof.Refuted, byWindows(7, append(both, proof.WindowResource{Of: 1, Weights: []proof.Weight{{Size: 1, Weight: 1}}}), nil, 3, 2, 3))
	saysWindows(t, in, 8, proof.Verified, byWindows(7, append(both, proof.WindowResource{Of: 0, Weights: []proof.Weight{{Size: 1, Weight: 1}, {Size: 2, Weight: 2}}}), nil, 3, 2, 3))
	for _, wrong := range [][]int{{5, 0, 0}, {0, 0}, {0, 0, 2}, {0, 4, 4}, {0, 5, 1}, {1, 0}, {2, 0}, {3, 2, 3}, {4, 0, 3, 3}, {4, 0, 5, 3}} {
		saysWindows(t, in, 7, proof.Refuted, byWindows(6, both, nil, append(wrong, 3, 0, 3)...))
	}
	saysWindows(t, in, 7, proof.Refuted, byWindows(6, both, nil, 3, 0))
	saysWindows(t, in, 7, proof.Refuted, byWindows(6, both, nil, 3, 0, 1, 4, 0, 0))
	for _, wrong := range []proof.WindowResource{{Clusters: []int{1}}, {Clusters: []int{0, 0}}, {Licence: "m"}, {Licence: "l", Memory: 4}, {Memory: 4, Clusters: []int{0}}, {Jobs: []int{2, 1}}, {Of: 2, Weights: []proof.Weight{{Size: 1, Weight: 1}}},
		{Weights: []proof.Weight{{Size: 2, Weight: 1}, {Size: 1, Weight: 1}}}, {Weights: []proof.Weight{{Weight: 1}}}, {Jobs: []int{1, 2}, Clusters: []int{0}}} {
		saysWindows(t, in, 7, proof.Refuted, byWindows(6, append(both, wrong), nil, 3, 0, 3))
	}
	saysWindows(t, in, 7, proof.Verified, byWindows(6, append(both, proof.WindowResource{Licence: "l", Clusters: []int{0}}, proof.WindowResource{}), nil, 0, 0, 1, 0, 1, 4, 3, 2, 3))
	for _, wrong := range []proof.Lemma{{Clause: []int{0}}, {Clause: []int{10, 0}}, {Clause: []int{1, 0, 3}}} {
		a := byWindows(6, both, nil)
		a.Lemmas = []proof.Lemma{wrong, {Steps: []int{3, 0, 3}}}
		saysWindows(t, in, 7, proof.Refuted, a)
	}
}

// Where times are no multiples of the unit they are rounded down, or to the nearest multiples with their distance taken off.
func TestWindowsRound(t *testing.T) {
	in := built(t, model.NewBuilder("round").Cluster(cluster("c", 1, 1)).Job(job("a", 1, 1.75), job("b", 1, 2.25, "a")))
	down, nearest := byWindows(2, nil, nil), byWindows(3, nil, nil)
	down.Nearest = false
	saysWindows(t, in, 3, proof.Verified, down)
	saysWindows(t, in, 3.01, proof.Refuted, down)
	saysWindows(t, in, 3.25, proof.Verified, nearest) // 4 less 3·0.25
	saysWindows(t, in, 3.26, proof.Refuted, nearest)
	down.Makespan = 3
	saysWindows(t, in, 3, proof.Refuted, down)
	fine := byWindows(14, nil, nil)
	fine.Unit, fine.Nearest = 0.25, false
	saysWindows(t, in, 3.75, proof.Verified, fine)
	fine.Makespan = 15
	saysWindows(t, in, 4, proof.Verified, fine)
	fine.Makespan = 16
	saysWindows(t, in, 4, proof.Refuted, fine)
	for _, unit := range []float64{0, 1e-12} {
		fine.Unit, fine.Makespan = unit, 1<<30
		want := proof.Refuted
		if unit > 0 {
			want = proof.NotCertified
		}
		saysWindows(t, in, 1, want, fine)
	}
	early := built(t, model.NewBuilder("early").Cluster(cluster("c", 2, 1)).Job(model.JobSpec{ID: "a", Processors: model.Rigid(2), Tasks: 3, Work: new(1.0)}))
	saysWindows(t, early, 1, proof.NotCertified, byWindows(0, nil, nil))
}

// windowed is a random instance with the resources that windows know: processors of up to two clusters, pools of licences, memory. All times are multiples of the unit.
func windowed(t testing.TB, rng *rand.Rand) (in *model.Instance, unit float64) {
	b := model.NewBuilder("windowed")
	memory, licence := rng.IntN(3) == 0, rng.IntN(2) == 0
	if licence {
		b.Spec().Licences = map[string]int{"l": 2 + rng.IntN(2)}
	}
	for c := range 1 + rng.IntN(2) {
		spec := cluster(string(rune('x'+c)), 1, float64(1+rng.IntN(2)))
		spec.Machines[0].Count, spec.Machines[0].Processors = 1+rng.IntN(2), 1+rng.IntN(2)
		if memory {
			spec.Machines[0].Memory = new(float64(2 + rng.IntN(2)))
		}
		if licence && rng.IntN(4) == 0 {
			spec.Licences = map[string]int{"l": 2}
		}
		b.Cluster(spec)
	}
	unit = []float64{1, 0.1, 1.0 / 3}[rng.IntN(3)]
	for k := range 2 + rng.IntN(3) {
		j := job(string(rune('a'+k)), 1+rng.IntN(2), unit*float64(rng.IntN(6)))
		if rng.IntN(2) == 0 {
			j.Arrival = unit * float64(rng.IntN(4))
		}
		if memory {
			j.Memory = float64(rng.IntN(3))
		}
		if licence {
			j.Licences = map[string]int{"l": rng.IntN(3)}
		}
		for before := range k {
			if rng.IntN(4) == 0 {
				j.After = append(j.After, fmt.Sprint(string(rune('a'+before))))
			}
		}
		b.Job(j)
	}
	in = built(t, b)
	for j := range in.Jobs() {
		runs := false
		for c := range in.Clusters() {
			runs = runs || in.CanRun(j, c)
		}
		if !runs {
			return windowed(t, rng)
		}
	}
	return in, unit / 2
}
