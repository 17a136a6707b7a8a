package bound

import (
	"context"
	"math/big"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// mute proves a value and does not show how.
type mute struct {
	proved *Gate
	value  float64
}

func (m *mute) Improve(context.Context, int64) bool {
	m.proved.Prove(Sum{Value: m.value})
	return false
}

// A bound of a method that does not show what proves it is stated, and what other methods show is certified.
func TestCertificateOfAMethodThatShowsNothing(t *testing.T) {
	in, err := model.NewBuilder("mute").Cluster(machine("c", 2, 1)).Job(rigid("a", 1, 3), rigid("b", 1, 4)).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []float64{2, 4, 6} {
		p := NewCertified(t.Context(), in)
		gate := &Gate{}
		gate.Ask()
		p.terms[0].methods = append([]Method{{Name: "mute"}}, p.terms[0].methods...)
		p.terms[0].provers, p.terms[0].gates = append([]Prover{&mute{gate, value}}, p.terms[0].provers...), append([]*Gate{gate}, p.terms[0].gates...)
		p.terms[0].busy = append(p.terms[0].busy, true)
		p.Improve(t.Context(), 1_000_000)
		c := p.Certificate()
		certified, _ := c.Bound.Value()
		if certified != 4 || c.Stated.Known() != (value > 4) || c.Stated.Or(6) != 6 {
			t.Errorf("a bound of %v beside: certified %v, stated %v", value, c.Bound, c.Stated)
		}
		want := proof.Verified
		if value > 4 {
			want = proof.NotCertified
		}
		if r := proof.Check(t.Context(), in, c); r.Verdict != want {
			t.Errorf("a bound of %v beside: %v", value, r)
		}
	}
	p := New(t.Context(), in)
	p.Improve(t.Context(), 1_000_000)
	if c := p.Certificate(); len(c.Parts) > 0 || proof.Check(t.Context(), in, c).Verdict != proof.NotCertified {
		t.Errorf("a proof that was not asked for a certificate has %v", c)
	}
}

// To keep what a certificate needs does not change what is proved.
func TestCertifiedProofsProveTheSame(t *testing.T) {
	for seed := range uint64(20) {
		plain := randomTiny(t, seed)
		for _, metric := range enumerated {
			in, err := plain.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			first, second := New(t.Context(), in), NewCertified(t.Context(), in)
			for range 3 {
				if first.Improve(t.Context(), 500_000) != second.Improve(t.Context(), 500_000) || first.Bound() != second.Bound() {
					t.Errorf("seed %d, %s: %v, certified %v", seed, metric, first.Bound(), second.Bound())
				}
			}
		}
	}
}

// A largest value counts in the rounding error of the bound: 0.006 − 1 is no float64, and the one above it is no bound.
func TestBoundWithALargestValueIsRoundedDown(t *testing.T) {
	for n := range 200 {
		work := float64(n+1) / 1000
		in, err := model.NewBuilder("finished").Minimise("makespan", 1).Minimise("finished", 1).Cluster(machine("c", 1, 1)).Job(rigid("a", 1, work)).Build()
		if err != nil {
			t.Fatal(err)
		}
		p := NewCertified(t.Context(), in)
		p.Improve(t.Context(), 1_000_000)
		value, _ := p.Bound().Value()
		exact := new(big.Rat).Sub(new(big.Rat).SetFloat64(work), big.NewRat(1, 1))
		if new(big.Rat).SetFloat64(value).Cmp(exact) > 0 || value < work-1-1e-9 {
			t.Errorf("work %v: a bound of %v", work, value)
		}
		if r := proof.Check(t.Context(), in, p.Certificate()); r.Verdict != proof.Verified {
			t.Errorf("work %v: %v", work, r)
		}
	}
}
