package tou_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	format "github.com/allot-opt/allot/formats/tou"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solvers/internal/tou"
)

func TestData(t *testing.T) {
	files, _ := filepath.Glob("../../../data/tou/*.json")
	for _, path := range files {
		text, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := format.NewReader().Read(text, path)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := os.ReadFile(path)
		var stored struct{ Optimum int64 }
		json.Unmarshal(raw, &stored)
		p, err := tou.New(in)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r := tou.Solve(t.Context(), p, tou.Options{Evaluations: 2000})
		report := model.Check(in, p.Solution(in, r.Starts))
		t.Log(report.OK(), report.Violations, report.Objective)
		t.Log(filepath.Base(path), stored.Optimum, "cost", r.Cost, "bound", r.Bound, r.Done, r.Evaluations, time.Since(began), p.Scale, p.Exact)
	}
}
