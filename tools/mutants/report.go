//go:build unix

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// report prints the table of the results, with the faults that were not killed at the end, and returns an error if the run has failed.
func report(results []result, allow int, w io.Writer) error {
	counts := map[outcome]int{}
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b result) int { return cmp.Compare(rank(a.outcome), rank(b.outcome)) })
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "outcome\tfault\tfile\ttime\tby")
	for _, r := range sorted {
		counts[r.outcome]++
		by := r.by
		if r.outcome == survived {
			by = r.Wrong
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.0f s\t%s\n", r.outcome, r.ID, r.File, r.took.Seconds(), by)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var said []string
	for _, o := range outcomes {
		if counts[o] > 0 {
			said = append(said, fmt.Sprintf("%d %s", counts[o], strings.ToLower(string(o))))
		}
	}
	fmt.Fprintf(w, "%d faults: %s\n", len(results), strings.Join(said, ", "))
	switch unsure := len(results) - counts[killed] - counts[survived]; {
	case unsure > 0:
		return fmt.Errorf("%d faults say nothing of the tests: mend the list", unsure)
	case counts[survived] > allow:
		return fmt.Errorf("%d faults survive, %d may", counts[survived], allow)
	}
	return nil
}

// outcomes lists all outcomes. Those that somebody has to act on come last.
var outcomes = []outcome{killed, survived, stale, uncompiled, timedOut, broken}

// rank returns the position of the outcome in the table.
func rank(o outcome) int { return slices.Index(outcomes, o) }
