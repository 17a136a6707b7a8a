//go:build unix

package operators

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// prepared is a package whose text holds all its mutants.
type prepared struct {
	*pack
	pattern string
	mutants []*Mutant         // those that compile; ID is a position in the text, not in this list
	chosen  []*Mutant         // those to try
	reasons map[string]string // why a mutant changes nothing, by key
	number  int               // of all, also of those that do not compile
	texts   map[string]string
}

// prepare finds the mutants of a package. Those that do not compile are left out.
func prepare(ctx context.Context, opt *Options, pattern string) (*prepared, error) {
	p, err := load(ctx, opt, pattern)
	if err != nil {
		return nil, err
	}
	all := &prepared{pack: p, pattern: pattern}
	var files []*finder
	var mutants []*Mutant
	for _, s := range p.sources {
		f := p.find(s)
		seen := map[string]int{}
		for _, site := range f.order {
			for _, m := range site.mutants {
				m.ID = len(mutants)
				mutants = append(mutants, m)
				key := m.Text + "\n" + m.Change
				if seen[key]++; seen[key] > 1 {
					m.Change += fmt.Sprintf(" #%d", seen[key])
				}
			}
		}
		files = append(files, f)
	}
	all.number = len(mutants)
	for {
		all.texts = map[string]string{filepath.Join(p.folder, "mutants_support.go"): fmt.Sprintf("package %s\n%s\nconst mutantNumber = %d\n", p.types.Name(), support(), max(1, all.number))}
		for _, f := range files {
			all.texts[f.source.path] = f.written()
		}
		faults, err := p.faults(all.texts)
		if err != nil {
			return nil, err
		}
		if len(faults) == 0 {
			break
		}
		for _, fault := range faults {
			at := fault.Fset.Position(fault.Pos)
			id, found := owner(all.texts[at.Filename][:at.Offset])
			if !found {
				return nil, fmt.Errorf("a bug of this program: a text without mutants does not compile: %w", fault)
			}
			drop(files, id)
		}
	}
	for _, m := range mutants {
		if !m.unfit {
			all.mutants = append(all.mutants, m)
		}
	}
	return all, nil
}

// mark is where the text of a mutant, or of all mutants of a site, begins or ends.
var mark = regexp.MustCompile(`/\*m(\d+)\(\*/|/\*\)m\*/`)

// owner is the innermost mutant, or the first of the innermost site, whose text is open at the end.
func owner(text string) (id int, found bool) {
	var open []int
	for _, m := range mark.FindAllStringSubmatch(text, -1) {
		if m[1] == "" {
			open = open[:len(open)-1]
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			panic(err) // digits alone
		}
		open = append(open, n)
	}
	if len(open) == 0 {
		return 0, false
	}
	return open[len(open)-1], true
}

// drop leaves out what does not compile: one mutant of several, or the site.
func drop(files []*finder, id int) {
	for _, f := range files {
		for _, s := range f.order {
			first := s.mutants[0].ID
			if id < first || id >= first+len(s.mutants) {
				continue
			}
			if id > first && !s.mutants[id-first].unfit {
				s.mutants[id-first].unfit = true
				return
			}
			for _, m := range s.mutants {
				m.unfit = true
			}
		}
	}
}

// overlay writes the texts beside the package, and returns the file that tells go to read them instead.
func (p *prepared) overlay(folder string) (string, error) {
	replaced := map[string]string{}
	for path, text := range p.texts {
		to := filepath.Join(folder, filepath.Base(path))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			return "", err
		}
		replaced[path] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// within says that a file lies in the folder of the package.
func (p *prepared) within(root, file string) bool {
	return strings.HasSuffix(file, ".go") && filepath.Join(root, filepath.Dir(filepath.FromSlash(file))) == p.folder
}
