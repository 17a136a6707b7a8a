package bound

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/bound/internal/learning"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/proof"
)

// learnedAlone is the certificate of learned clauses, without other methods. At most the given number of steps is kept.
func learnedAlone(t *testing.T, set, name string, work int64, keep int) (*Portfolio, *proof.Certificate) {
	t.Helper()
	p := NewCertified(t.Context(), project(t, name, realdata.Open(t, "rcpsp", set, name+".gz")))
	term := p.terms[0]
	at := slices.IndexFunc(term.methods, func(m Method) bool { return m.Name == "learned-clauses" })
	for k := range term.busy {
		term.busy[k] = k == at
	}
	for done := int64(0); done < work && p.Improve(t.Context(), 5_000_000); done += 5_000_000 {
		if l := term.provers[at].(*learned); done == 0 && l.solver != nil {
			l.solver = learning.New(l.whole.problem)
			l.solver.Keep(keep)
		}
	}
	for _, c := range p.Certificates() {
		if c.Parts[0].Method == "learned-clauses" {
			return p, c
		}
	}
	t.Fatalf("%s: no bound", name)
	return p, nil
}

// What clauses prove of projects is verified, whether what is not needed was forgotten or not. A change is refused, or leaves a proof of no more than is true.
func TestLearnedClausesAreCertified(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 44))
	tried, verified, refuted, harmless, long := 0, 0, 0, 0, 0
	for _, row := range realdata.Table(t, "rcpsp", "best_known.csv") {
		if row["set"] != "J30" {
			continue
		}
		if tried++; tried%race.Fewer(8, 40) != 0 {
			continue
		}
		best := row.Number(t, "ub")
		for _, keep := range []int{1 << 20, 60_000} {
			p, c := learnedAlone(t, "J30", row["file"], 60_000_000, keep)
			if c.Parts[0].By == nil {
				t.Errorf("%s: %v is not shown, %d steps kept", row["file"], c.Bound, keep)
				continue
			}
			if r := proof.Check(t.Context(), p.in, c); r.Verdict != proof.Verified {
				t.Fatalf("%s: %v of at most %v, %d steps kept: %v", row["file"], c.Bound, best, keep, r)
			}
			whole := c.Parts[0].By.Windows
			if verified++; len(whole.Lemmas) > 50 {
				long++
			}
			for range race.Fewer(30, 5) {
				a := *whole
				a.Lemmas = slices.Clone(whole.Lemmas)
				if rng.IntN(4) == 0 || len(a.Lemmas) == 0 {
					a.Makespan = max(a.Makespan+1, int(best))
				} else {
					lemma := &a.Lemmas[rng.IntN(len(a.Lemmas))]
					list := &lemma.Steps
					if rng.IntN(3) == 0 && len(lemma.Clause) > 0 {
						list = &lemma.Clause
					}
					*list = slices.Clone(*list)
					k := rng.IntN(len(*list))
					(*list)[k] = max(0, (*list)[k]+rng.IntN(5)-2)
				}
				changed := *c
				changed.Parts = slices.Clone(c.Parts)
				changed.Parts[0].By = &proof.Argument{Windows: &a}
				above := a.Makespan > whole.Makespan
				if above {
					changed.Parts[0].Bound = best + 1
				}
				switch r := proof.Check(t.Context(), p.in, &changed); {
				case above && (r.Verdict != proof.Refuted || float64(a.Makespan) < best):
					t.Fatalf("%s: %v, where a schedule takes %v", row["file"], r, best)
				case r.Verdict == proof.Verified:
					harmless++
				default:
					refuted++
				}
			}
		}
	}
	t.Logf("%d verified, %d of them long; of changed ones %d refuted, %d harmless", verified, long, refuted, harmless)
	if verified < race.Fewer(12, 3) || long < race.Fewer(3, 0) || refuted < harmless/2 {
		t.Errorf("%d verified, %d of them long; of changed ones %d refuted, %d harmless: the test says little", verified, long, refuted, harmless)
	}
}
