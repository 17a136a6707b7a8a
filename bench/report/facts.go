package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/internal/numtext"
)

// facts are the head of the page.
func (s *study) facts(runs []Run) []document.Fact {
	instances, seeds, versions, budgets, workers := map[string]bool{}, map[uint64]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	names := map[string]bool{}
	for _, g := range s.groups {
		names[g.name] = true
	}
	elapsed := 0.0
	for k := range s.rows {
		row := &s.rows[k]
		instances[row.InstanceSHA256+row.Instance], seeds[row.Seed], budgets[budgetOf(row)] = true, true, true
		workers[numtext.CountedGrouped(max(row.Workers, 1), "worker")] = true
		if row.Version != "" {
			versions[document.Printable(row.Version)] = true
		}
		elapsed += row.Elapsed
	}
	done := numtext.CountedGrouped(len(s.rows), "run")
	cells := 0
	for _, run := range runs {
		if run.File == nil {
			cells = 0
			break
		}
		cells += run.File.Cells
	}
	if cells > len(s.rows) {
		done += " of " + document.Whole(cells) + ": not finished"
	}
	list := []document.Fact{
		{Name: "Runs", Value: done + ", " + spell(elapsed) + " of solving"},
		{Name: "Instances", Value: document.Whole(len(instances)) + " in " + numtext.CountedGrouped(len(names), "group")},
		{Name: "Solvers", Value: document.Whole(len(s.solvers))},
		{Name: "Seeds", Value: document.Whole(len(seeds))},
		{Name: "Budget of a run", Value: strings.Join(keys(budgets), "; ") + "; " + strings.Join(keys(workers), " or ")},
	}
	if len(versions) > 0 {
		list = append(list, document.Fact{Name: "allot", Value: strings.Join(keys(versions), ", ")})
	}
	return append(list, environments(runs)...)
}

// environments describes the machines of the runs, as far as the runs state them.
func environments(runs []Run) []document.Fact {
	processors, memory, commits, dates, hosts := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	least, most := math.Inf(1), math.Inf(-1)
	for k := range runs {
		if runs[k].File == nil {
			continue
		}
		for _, e := range runs[k].File.Environments {
			if e.CPU != "" || e.Cores > 0 {
				processors[document.Printable(strings.Join(strings.Fields(cmp.Or(e.CPU, e.System)), " "))+", "+numtext.CountedGrouped(e.Cores, "core")] = true
			}
			if e.Host != "" {
				hosts[document.Printable(e.Host)] = true
			}
			if e.Memory > 0 {
				memory[document.Rounded(e.Memory/(1<<30), 3)+" GiB"] = true
			}
			if e.Commit != "" {
				commits[document.Printable(e.Commit)] = true
			}
			day, _, _ := strings.Cut(e.Date, "T")
			dates[document.Printable(day)] = true
			least, most = min(least, e.Load), max(most, e.Load)
		}
	}
	if len(dates) == 0 {
		return []document.Fact{{Name: "Ran on", Value: "not recorded"}}
	}
	days := keys(dates)
	list := []document.Fact{{Name: "Date", Value: days[0]}}
	if len(days) > 1 {
		list[0].Value += " to " + days[len(days)-1]
	}
	for _, f := range []struct {
		name   string
		values map[string]bool
	}{{"Ran on", processors}, {"Memory", memory}, {"Commit", commits}} {
		value := "not recorded"
		if len(f.values) > 0 {
			value = strings.Join(keys(f.values), "; ")
		}
		list = append(list, document.Fact{Name: f.name, Value: value})
	}
	if names := keys(hosts); len(names) > 1 { // of shards
		const shown = 8
		value := document.Whole(len(names)) + ": " + strings.Join(names[:min(shown, len(names))], ", ")
		if more := len(names) - shown; more > 0 {
			value += " and " + document.Whole(more) + " more"
		}
		list = append(list, document.Fact{Name: "Hosts", Value: value})
	}
	load := document.Rounded(least, 2)
	if most > least {
		load += " to " + document.Rounded(most, 2)
	}
	return append(list, document.Fact{Name: "Load when it began", Value: load})
}

// spell writes a long time.
func spell(s float64) string {
	switch {
	case s < 120:
		return seconds(s)
	case s < 7200:
		return document.Rounded(s/60, 3) + " min"
	}
	return document.Rounded(s/3600, 3) + " h"
}

// keys are the keys of a set in natural order.
func keys(set map[string]bool) []string {
	return slices.SortedFunc(maps.Keys(set), numtext.Natural)
}
