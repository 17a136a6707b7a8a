package report

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// facts are the head of the page.
func (s *study) facts(runs []Run) []Fact {
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
			versions[printable(row.Version)] = true
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
		done += " of " + whole(cells) + ": not finished"
	}
	list := []Fact{
		{"Runs", done + ", " + spell(elapsed) + " of solving"},
		{"Instances", whole(len(instances)) + " in " + numtext.CountedGrouped(len(names), "group")},
		{"Solvers", whole(len(s.solvers))},
		{"Seeds", whole(len(seeds))},
		{"Budget of a run", strings.Join(keys(budgets), "; ") + "; " + strings.Join(keys(workers), " or ")},
	}
	if len(versions) > 0 {
		list = append(list, Fact{"allot", strings.Join(keys(versions), ", ")})
	}
	return append(list, environments(runs)...)
}

// environments describes the machines of the runs, as far as the runs state them.
func environments(runs []Run) []Fact {
	processors, memory, commits, dates, hosts := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	least, most := math.Inf(1), math.Inf(-1)
	for k := range runs {
		if runs[k].File == nil {
			continue
		}
		for _, e := range runs[k].File.Environments {
			if e.CPU != "" || e.Cores > 0 {
				processors[printable(strings.Join(strings.Fields(cmp.Or(e.CPU, e.System)), " "))+", "+numtext.CountedGrouped(e.Cores, "core")] = true
			}
			if e.Host != "" {
				hosts[printable(e.Host)] = true
			}
			if e.Memory > 0 {
				memory[figure(e.Memory/(1<<30), 3)+" GiB"] = true
			}
			if e.Commit != "" {
				commits[printable(e.Commit)] = true
			}
			day, _, _ := strings.Cut(e.Date, "T")
			dates[printable(day)] = true
			least, most = min(least, e.Load), max(most, e.Load)
		}
	}
	if len(dates) == 0 {
		return []Fact{{"Ran on", "not recorded"}}
	}
	days := keys(dates)
	list := []Fact{{"Date", days[0]}}
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
		list = append(list, Fact{f.name, value})
	}
	if names := keys(hosts); len(names) > 1 { // of shards
		const shown = 8
		value := whole(len(names)) + ": " + strings.Join(names[:min(shown, len(names))], ", ")
		if more := len(names) - shown; more > 0 {
			value += " and " + whole(more) + " more"
		}
		list = append(list, Fact{"Hosts", value})
	}
	load := figure(least, 2)
	if most > least {
		load += " to " + figure(most, 2)
	}
	return append(list, Fact{"Load when it began", load})
}

// spell writes a long time.
func spell(s float64) string {
	switch {
	case s < 120:
		return seconds(s)
	case s < 7200:
		return figure(s/60, 3) + " min"
	}
	return figure(s/3600, 3) + " h"
}

// keys are the keys of a set in natural order.
func keys(set map[string]bool) []string {
	return slices.SortedFunc(maps.Keys(set), numtext.Natural)
}
