package main

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// Every probe asks for its feature, and all features but commitments, which no file can ask for, have one. The plain instance asks for none.
func TestProbes(t *testing.T) {
	plain, err := probe(nil)
	if err != nil || plain.Features() != 0 {
		t.Errorf("the plain instance asks for %s: %v", plain.Features(), err)
	}
	var all model.Features
	for _, p := range probes {
		in, err := probe(p.ask)
		if err != nil {
			t.Fatalf("%s: %v", p.feature, err)
		}
		if !in.Features().Has(p.feature) {
			t.Errorf("the instance for %s asks for %s", p.feature, in.Features())
		}
		all |= p.feature
	}
	for f := model.Features(1); f.String() != ""; f <<= 1 {
		if f != model.Commitments && !all.Has(f) {
			t.Errorf("no instance asks for %s", f)
		}
	}
}
