package allot_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/taken"
)

// solversMarkdown makes the table of registered solvers in docs/reference/solvers.md.
func solversMarkdown() string {
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

// metricsMarkdown makes the table of metrics in docs/reference/metrics.md.
func metricsMarkdown() string {
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

// matrixMarkdown makes the matrix in docs/reference/solvers.md. It is the same in every build: solvers that need a build tag are named, not asked.
func matrixMarkdown() (string, error) {
	rows, err := taken.All()
	if err != nil {
		return "", err
	}
	var b, below strings.Builder
	b.WriteString("| solver | " + strings.Join(taken.Headings, " | ") + " |\n|" + strings.Repeat(" --- |", 1+len(taken.Headings)) + "\n")
	for _, r := range rows {
		info, err := solve.Lookup(strings.SplitN(r.Solver, ":", 2)[0])
		if err != nil {
			return "", err
		}
		if strings.Contains(info.Doc, "Needs a build with the tag") {
			fmt.Fprintf(&below, "- `%s` is not in every build; `allot solvers --matrix` says whether it is in yours, and then what it takes.\n", r.Solver)
			continue
		}
		fmt.Fprintf(&b, "| `%s` |", r.Solver)
		for _, c := range r.Features {
			b.WriteString(" " + map[bool]string{true: "yes", false: "–"}[c.Taken] + " |")
		}
		b.WriteByte('\n')
		for _, line := range taken.Refusals(&r) {
			fmt.Fprintf(&below, "- `%s` %s.\n", r.Solver, cellText(line))
		}
	}
	b.WriteString("\nThe columns in full: ")
	for k, c := range rows[0].Features {
		if k > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: %s", taken.Headings[k], c.Name)
	}
	b.WriteString(".\n\n" + below.String() + "- `exec:` and `exec-online:`: the program says what it takes.\n\nEvery other objective is taken by every solver.\n")
	return b.String(), nil
}
