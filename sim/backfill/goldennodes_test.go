package backfill

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	rules "github.com/allot-opt/allot/plan/place"

	"github.com/allot-opt/allot/model"
)

// TestGoldenFolderNodes compares the naive policies on nodes with the starts in the folder golden/nodes, which were worked out by hand.
func TestGoldenFolderNodes(t *testing.T) {
	files, err := filepath.Glob("../../golden/nodes/*.json")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %d instances: %v", len(files), err)
	}
	for _, path := range files {
		in, err := model.ReadInstanceFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(strings.TrimSuffix(path, ".json") + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(file).ReadAll()
		_ = file.Close()
		if err != nil || len(rows) != len(in.Jobs())+1 {
			t.Fatalf("%s: expected %d starts, found %d rows: %v", path, len(in.Jobs()), len(rows), err)
		}
		byNumber := func([]int) {}
		for column, policy := range rows[0] {
			n := newNaiveNodes(in, rules.First, 1)
			var schedule *model.Solution
			switch policy {
			case "job":
				continue
			case "fcfs":
				schedule = n.run(n.wide, n.easy(0, byNumber))
			case "easy":
				schedule = n.run(n.wide, n.easy(1, byNumber))
			case "conservative":
				schedule = n.run(n.wide, n.conservative)
			case "flexible":
				schedule = n.run(n.wide, n.easy(1, n.byPriority))
			default:
				t.Fatalf("%s: unknown policy %s", path, policy)
			}
			starts := map[string]float64{}
			for _, p := range schedule.Jobs {
				starts[p.Job] = p.Start
			}
			for _, row := range rows[1:] {
				want, err := strconv.ParseFloat(row[column], 64)
				if start, placed := starts[row[0]]; err != nil || !placed || start != want {
					t.Errorf("%s: %s: job %s: expected start %s, found %v (placed: %t) %v", path, policy, row[0], row[column], start, placed, err)
				}
			}
		}
	}
}
