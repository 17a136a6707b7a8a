package allot_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// published are the published means and standard deviations, in %, by workload and rule as their authors name them.
func published(t *testing.T) map[[2]string][2]float64 {
	t.Helper()
	file, err := os.Open("data/openb/published.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 37 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	means := map[[2]string][2]float64{}
	for _, row := range rows[1:] {
		mean, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		deviation, err := strconv.ParseFloat(row[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		means[[2]string{row[0], row[1]}] = [2]float64{mean, deviation}
	}
	return means
}

// openbRules are the rules of the suite, with the names that the published table gives them; empty: they are not in it.
var openbRules = [][2]string{{"random", "Random"}, {"dot", "DotProd"}, {"clustering", "GpuClustering"}, {"packing", "GpuPacking"}, {"best", "BestFit"}, {"fgd", "FGD"},
	{"first", ""}, {"lookahead", ""}}

// openbMeans are our means by workload and rule, in %, each over ten runs.
func openbMeans(t *testing.T) map[[2]string]float64 {
	t.Helper()
	shares := map[[2]string][]float64{}
	for _, row := range openb.rows(t) {
		if row.Fault != "" || row.Objective == nil {
			t.Fatalf("%s on %s: %s", row.Solver, row.Instance, row.Fault)
		}
		_, workload, _ := strings.Cut(row.Instance, "pods_")
		workload, _, _ = strings.Cut(workload, "[")
		key := [2]string{strings.TrimSpace(strings.TrimSuffix(workload, ".csv.gz")), row.Solver}
		shares[key] = append(shares[key], math.Abs(*row.Objective))
	}
	means := map[[2]string]float64{}
	for key, list := range shares {
		if len(list) != 10 {
			t.Fatalf("%d runs of %s; bench/suites/openb.json measures again", len(list), key)
		}
		for _, share := range list {
			means[key] += share / 10
		}
	}
	return means
}

// openbMarkdown is our table beside the published one.
func openbMarkdown(t *testing.T) string {
	t.Helper()
	ours, theirs := openbMeans(t), published(t)
	workloads := map[string]bool{}
	for key := range ours {
		workloads[key[0]] = true
	}
	names := slices.Sorted(maps.Keys(workloads))
	var b strings.Builder
	b.WriteString("| rule | " + strings.Join(names, " | ") + " |\n| --- |" + strings.Repeat(" --- |", len(names)) + "\n")
	for _, rule := range openbRules {
		b.WriteString("| `" + rule[0] + "` |")
		for _, workload := range names {
			fmt.Fprintf(&b, " %.2f", ours[[2]string{workload, rule[0]}])
			if p, ok := theirs[[2]string{workload, rule[1]}]; ok {
				fmt.Fprintf(&b, " (%.2f ± %.2f)", p[0], p[1])
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The six published rules are within half a point of the published means on each workload, and lookahead is above fgd on all.
func TestOpenbAsPublished(t *testing.T) {
	race.OneGoroutine(t)
	ours, theirs := openbMeans(t), published(t)
	compared := 0
	for _, rule := range openbRules {
		for key, mean := range ours {
			if p, ok := theirs[[2]string{key[0], rule[1]}]; ok && key[1] == rule[0] {
				if compared++; !(math.Abs(mean-p[0]) <= 0.5) {
					t.Errorf("%s on %s: %.3f %%, published %.3f %%", rule[0], key[0], mean, p[0])
				}
			}
		}
	}
	if compared != 36 {
		t.Errorf("%d means compared with published ones, expected those of 6 rules on 6 workloads", compared)
	}
	for key, mean := range ours {
		if key[1] == "lookahead" && !(mean > ours[[2]string{key[0], "fgd"}]) {
			t.Errorf("lookahead on %s: %.3f %%, fgd %.3f %%", key[0], mean, ours[[2]string{key[0], "fgd"}])
		}
	}
}
