package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/lab/whatif"
)

// writeReasons writes which rules of the policy decided about a job.
func writeReasons(b *strings.Builder, solver string, reasons []whatif.Decision, dates dates) {
	if len(reasons) > 0 {
		fmt.Fprintf(b, "what decided in %s:\n", solver)
	}
	for _, r := range reasons {
		fmt.Fprintf(b, "  at %s, %s: %s\n", dates.at(r.At), r.Rule, r.Text)
		table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, term := range r.Terms {
			fmt.Fprintf(table, "    %s\t%s\n", term.Name, numtext.Figure(term.Value))
		}
		_ = table.Flush() // into memory
	}
}
