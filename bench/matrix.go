package bench

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/solve"
)

// variants are solvers with parameters under which they take less than with their defaults.
var variants = []string{"easy:depth=2"}

// Matrix asks all solvers what they take, see [solve.Taken], and those variants of them that take something else.
func Matrix() ([]solve.Row, error) {
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

// shortFeatures are headings for the features, in the order of the cells.
var shortFeatures = []string{"arrivals", "hard", "precedence", "memory", "licences", "bandwidth", "parallel", "moldable", "times", "restricted", "mixed", "machine", "grid", "background", "held"}

// programs are the rows of the solvers that are programs.
const programs = "exec: and exec-online: the program says what it takes"

// MatrixText is the matrix for people: a mark for each feature taken, and what else is refused below.
func MatrixText(rows []solve.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s", "")
	for _, name := range shortFeatures {
		fmt.Fprintf(&b, " %s", name)
	}
	b.WriteByte('\n')
	for _, r := range rows {
		line := fmt.Sprintf("%-14s", r.Solver)
		if r.Absent != "" {
			line += " not in this build"
		}
		for k, c := range r.Features {
			line += fmt.Sprintf(" %-*s", len(shortFeatures[k]), mark(c))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	b.WriteString("\n")
	if len(rows) > 0 {
		for k, c := range rows[0].Features {
			fmt.Fprintf(&b, "%s: %s\n", shortFeatures[k], c.Name)
		}
	}
	b.WriteString("\n")
	for _, r := range rows {
		for _, line := range rest(&r) {
			fmt.Fprintf(&b, "%s %s\n", r.Solver, line)
		}
	}
	b.WriteString("All other objectives are taken by all.\n" + programs + "\n")
	return b.String()
}

// mark says whether the cell is taken.
func mark(c solve.Cell) string {
	if c.Taken {
		return "x"
	}
	return "-"
}

// rest is what the row refuses besides features, a line for each kind.
func rest(r *solve.Row) []string {
	var lines []string
	if r.Plain != "" {
		lines = append(lines, fmt.Sprintf("refuses the plain instance of two clusters, which minimises the makespan: %s", r.Plain))
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

// MatrixMarkdown makes the matrix in docs/reference/solvers.md. It is the same in every build: solvers that need a build tag are named, not asked.
func MatrixMarkdown() (string, error) {
	rows, err := Matrix()
	if err != nil {
		return "", err
	}
	var b, below strings.Builder
	b.WriteString("| solver | " + strings.Join(shortFeatures, " | ") + " |\n|" + strings.Repeat(" --- |", 1+len(shortFeatures)) + "\n")
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
		for _, line := range rest(&r) {
			fmt.Fprintf(&below, "- `%s` %s.\n", r.Solver, cellText(line))
		}
	}
	b.WriteString("\nThe columns in full: ")
	for k, c := range rows[0].Features {
		if k > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: %s", shortFeatures[k], c.Name)
	}
	b.WriteString(".\n\n" + below.String() + "- `exec:` and `exec-online:`: the program says what it takes.\n\nEvery other objective is taken by every solver.\n")
	return b.String(), nil
}
