// Package taken lists, for people, which instances each registered solver takes: features, objectives, and other conditions.
package taken

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/solve"
)

// variants are solvers with parameters under which they take less than with their defaults.
var variants = []string{"easy:depth=2", "mct:place=fgd"}

// All asks all solvers what they take, see [solve.Taken], and those variants of them that take something else.
func All() ([]solve.Row, error) {
	var rows []solve.Row
	for _, info := range solve.Solvers() {
		names := []string{info.Name}
		for _, name := range variants {
			if strings.HasPrefix(name, info.Name+":") {
				names = append(names, name)
			}
		}
		for _, name := range names {
			choice, err := solve.Choose(name)
			if err != nil {
				return nil, err
			}
			asked := info
			asked.New = func() solve.Solver { return choice.Solver }
			row, err := solve.Taken(name, asked)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// Headings are short names of the features, in the order of the cells.
var Headings = []string{"arrivals", "hard", "precedence", "memory", "licences", "bandwidth", "parallel", "moldable", "times", "restricted", "mixed", "machine", "grid", "background", "held",
	"resources", "blocks", "features", "closed", "exclusive", "running", "horizon", "power cap", "sleep", "nodes+"}

// Text is the matrix for people: a mark for each feature taken, and what else is refused below.
func Text(rows []solve.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s", "")
	for _, name := range Headings {
		fmt.Fprintf(&b, " %s", name)
	}
	b.WriteByte('\n')
	for _, r := range rows {
		line := fmt.Sprintf("%-14s", r.Solver)
		if r.Absent != "" {
			line += " not in this build"
		}
		for k, c := range r.Features {
			line += fmt.Sprintf(" %-*s", len(Headings[k]), mark(c))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("\n")
	if len(rows) > 0 {
		for k, c := range rows[0].Features {
			fmt.Fprintf(&b, "%s: %s\n", Headings[k], c.Name)
		}
	}
	b.WriteString("\n")
	for _, r := range rows {
		for _, line := range Refusals(&r) {
			fmt.Fprintf(&b, "%s %s\n", r.Solver, line)
		}
	}
	b.WriteString("All other objectives are taken by all.\nexec: and exec-online: the program says what it takes\n")
	return b.String()
}

// mark says whether the cell is taken.
func mark(c solve.Cell) string {
	if c.Taken {
		return "x"
	}
	return "-"
}

// Refusals are what the row refuses besides features, a line for each kind.
func Refusals(r *solve.Row) []string {
	var lines []string
	if r.Plain != "" {
		lines = append(lines, fmt.Sprintf("refuses the plain instance of two clusters, which minimises the makespan: %s", r.Plain))
		if r.Shape != "" {
			lines = append(lines, "was asked about variations of an instance of "+r.Shape)
		}
	}
	if names := solve.Refused(r.Objectives); len(names) > 0 {
		lines = append(lines, "refuses objectives with "+strings.Join(names, ", "))
	}
	for _, c := range r.Conditions {
		if !c.Taken {
			lines = append(lines, fmt.Sprintf("refuses %s: %s", c.Name, c.Why))
		}
	}
	return lines
}
