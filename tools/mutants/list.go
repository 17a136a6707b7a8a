//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/BurntSushi/toml"
)

// mutant is a fault: it replaces one line of a file, and then at least one of its tests has to fail.
type mutant struct {
	ID   string `toml:"id"`
	File string `toml:"file"`
	// Line is the whole line, without the space around it. It occurs once in the file or, if Within is set, once in the top-level
	// declaration whose first line begins with Within.
	Line   string `toml:"line"`
	Within string `toml:"within"`
	Fault  string `toml:"fault"` // the line that replaces it
	// Tests are arguments of go test, tried in this order. Without them the package of the file is tested.
	Tests []string `toml:"tests"`
	Hangs bool     `toml:"hangs"` // true: a test that does not end counts as one that has found the fault
	Wrong string   `toml:"wrong"` // what the fault makes wrong
}

// commands returns the arguments of each go test to run.
func (m *mutant) commands() [][]string {
	if len(m.Tests) == 0 {
		return [][]string{{"./" + path.Dir(m.File)}}
	}
	commands := make([][]string, len(m.Tests))
	for k, test := range m.Tests {
		commands[k] = strings.Fields(test)
	}
	return commands
}

// readMutants reads the faults from the files and keeps the selected ones.
func readMutants(root, pattern string, chosen *regexp.Regexp) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil {
		return nil, err
	}
	var all []mutant
	seen := map[string]bool{}
	for _, file := range files {
		var read struct {
			Mutants []mutant `toml:"mutant"`
		}
		meta, err := toml.DecodeFile(file, &read)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if unknown := meta.Undecoded(); len(unknown) > 0 {
			return nil, fmt.Errorf("%s: unknown key %s", file, unknown[0])
		}
		for k := range read.Mutants {
			m := &read.Mutants[k]
			switch {
			case m.ID == "" || m.File == "" || m.Line == "" || m.Wrong == "":
				return nil, fmt.Errorf("%s: mutant %d %q: expected id, file, line, fault and wrong", file, k+1, m.ID)
			case seen[m.ID]:
				return nil, fmt.Errorf("%s: there are two mutants %q", file, m.ID)
			case !filepath.IsLocal(m.File):
				return nil, fmt.Errorf("%s: mutant %q: expected a file of the repository, found %s", file, m.ID, m.File)
			case strings.TrimSpace(m.Line) == strings.TrimSpace(m.Fault):
				return nil, fmt.Errorf("%s: mutant %q: the fault is the line itself", file, m.ID)
			}
			seen[m.ID] = true
			if chosen.MatchString(m.ID) {
				all = append(all, *m)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no mutant of that id", pattern)
	}
	return all, nil
}

// faulty returns the text of the file with the fault in it.
func (m *mutant) faulty(text string) (string, error) {
	lines := strings.Split(text, "\n")
	from, to := 0, len(lines)
	if m.Within != "" {
		begins := func(line string) bool { return strings.HasPrefix(line, m.Within) }
		from = slices.IndexFunc(lines, begins)
		if from < 0 || slices.ContainsFunc(lines[from+1:], begins) {
			return "", fmt.Errorf("expected one line that begins with %q", m.Within)
		}
		for to = from + 1; to < len(lines) && !strings.HasPrefix(lines[to], "}") && !strings.HasPrefix(lines[to], ")"); to++ {
		}
	}
	at, found := 0, 0
	for k := from; k < to; k++ {
		if strings.TrimSpace(lines[k]) == strings.TrimSpace(m.Line) {
			at = k
			found++
		}
	}
	if found != 1 {
		return "", fmt.Errorf("the line occurs %d times", found)
	}
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
	lines[at] = indent + strings.TrimSpace(m.Fault)
	return strings.Join(lines, "\n"), nil
}

// list prints the faults.
func list(root string, mutants []mutant, w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	stale := 0
	for k := range mutants {
		m := &mutants[k]
		text, err := os.ReadFile(filepath.Join(root, m.File))
		if err == nil {
			_, err = m.faulty(string(text))
		}
		state := ""
		if err != nil {
			state = " (stale: " + err.Error() + ")"
			stale++
		}
		fmt.Fprintf(table, "%s\t%s\t%s%s\n", m.ID, m.File, m.Wrong, state)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d faults\n", len(mutants))
	if stale > 0 {
		return fmt.Errorf("%d faults no longer fit the code", stale)
	}
	return nil
}
