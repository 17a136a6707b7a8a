package tou_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	format "github.com/allot-opt/allot/formats/tou"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solvers/internal/tou"
)

// read reads an instance of data/tou with its optimum.
func read(t testing.TB, path string) (*model.Instance, float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := format.NewReader().Read(bytes.NewReader(text), path)
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Optimum float64 `json:"optimum"`
	}
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	return in, stored.Optimum
}

// Every instance is solved to its stored optimum, by few programmes, and its certificate is verified.
func TestStoredOptima(t *testing.T) {
	files, err := filepath.Glob("../../../data/tou/*.json")
	if err != nil || len(files) != 24 {
		t.Fatalf("%d instances, %v", len(files), err)
	}
	for _, path := range files {
		in, optimum := read(t, path)
		p, err := tou.New(in)
		if err != nil {
			t.Fatal(err)
		}
		r := tou.Solve(t.Context(), p, tou.Options{})
		report := model.Check(in, p.Solution(in, r.Starts))
		if !report.OK() || report.Objective != optimum || !r.Done || p.Value(r.Bound).Or(0) != optimum || r.Evaluations > 3 {
			t.Errorf("%s: found %v by %d programmes, bound %v, %v; stored is %v", path, report.Objective, r.Evaluations, p.Value(r.Bound), report.Violations, optimum)
		}
		c := p.Certificate(r)
		c.Schema, c.InstanceSHA256, c.Objective = proof.Schema, in.SHA256(), in.StatedObjective()
		if found := proof.Check(t.Context(), in, c); found.Verdict != proof.Verified {
			t.Errorf("%s: %+v", path, found)
		}
	}
}

// BenchmarkSolve solves and proves all instances of data/tou, in one go.
func BenchmarkSolve(b *testing.B) {
	files, err := filepath.Glob("../../../data/tou/*.json")
	if err != nil {
		b.Fatal(err)
	}
	var all []*model.Instance
	for _, path := range files {
		in, _ := read(b, path)
		all = append(all, in)
	}
	for b.Loop() {
		for _, in := range all {
			p, err := tou.New(in)
			if err != nil {
				b.Fatal(err)
			}
			if r := tou.Solve(b.Context(), p, tou.Options{}); !r.Done {
				b.Fatal("not proved")
			}
		}
	}
}
