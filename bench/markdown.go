package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// SolversMarkdown makes the table of registered solvers in docs/reference/solvers.md.
func SolversMarkdown() string {
	var b strings.Builder
	b.WriteString("| solver | what it does | parameters (first is the default) | source |\n| --- | --- | --- | --- |\n")
	for _, d := range solve.Describe() {
		var parameters []string
		for _, p := range d.Parameters {
			values := p.Default
			if p.Values != nil {
				others := slices.DeleteFunc(slices.Clone(p.Values), func(value string) bool { return value == p.Default })
				values = strings.Join(append([]string{p.Default}, others...), ", ")
			}
			parameters = append(parameters, fmt.Sprintf("`%s` %s", p.Name, values))
		}
		doc := d.Doc
		if d.AllocatesBy != "" {
			doc += " Allocates by " + d.AllocatesBy + ", whatever the instance minimises."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.Name, cellText(doc), cellText(strings.Join(parameters, "; ")), cellText(d.Source))
	}
	return b.String()
}

// MetricsMarkdown makes the table of metrics in docs/reference/metrics.md.
func MetricsMarkdown() string {
	var b strings.Builder
	b.WriteString("| metric | unit | better | definition |\n| --- | --- | --- | --- |\n")
	for _, m := range model.MetricTable() {
		name := "`" + m.Name + "`"
		if m.PerCluster {
			name += " (a cluster)"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, m.Unit, m.Better(), cellText(m.Doc))
	}
	return b.String()
}

// cellText escapes a text for a cell of a Markdown table.
func cellText(text string) string { return strings.ReplaceAll(text, "|", "\\|") }
