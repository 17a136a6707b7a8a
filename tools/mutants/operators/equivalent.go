//go:build unix

package operators

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// equivalent is mutants of a line that change nothing, and why.
type equivalent struct {
	File string `toml:"file"`
	Line string `toml:"line"` // the line, without the space around it
	// Lines are several lines instead, each of which has all the changes.
	Lines []string `toml:"lines"`
	// Changes are as the program prints them. They count for each such line of the file that has them.
	Changes []string `toml:"changes"`
	Reason  string   `toml:"reason"`
}

// key is what an entry and a mutant have in common.
func key(file, line, change string) string { return file + "\n" + line + "\n" + change }

// equivalents reads the lists, and returns the reasons by key for the files of the package. An entry that fits no mutant is an error.
func equivalents(opt *Options, p *prepared) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(opt.Root, opt.Equivalent))
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, m := range p.mutants {
		there[key(m.File, m.Text, m.Change)] = true
	}
	reasons := map[string]string{}
	var stale []error
	for _, file := range files {
		var read struct {
			Equivalent []equivalent `toml:"equivalent"`
		}
		meta, err := toml.DecodeFile(file, &read)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if unknown := meta.Undecoded(); len(unknown) > 0 {
			return nil, fmt.Errorf("%s: unknown key %s", file, unknown[0])
		}
		for k, e := range read.Equivalent {
			if e.File == "" || (e.Line == "") == (e.Lines == nil) || len(e.Changes) == 0 || e.Reason == "" {
				return nil, fmt.Errorf("%s: entry %d: expected file, line or lines, changes and reason", file, k+1)
			}
			if e.Lines == nil {
				e.Lines = []string{e.Line}
			}
			if !p.within(opt.Root, e.File) {
				continue
			}
			for _, line := range e.Lines {
				for _, change := range e.Changes {
					id := key(e.File, strings.TrimSpace(line), change)
					if !there[id] {
						stale = append(stale, fmt.Errorf("%s: entry %d: %s has no mutant %q of the line %s", file, k+1, e.File, change, line))
					}
					reasons[id] = e.Reason
				}
			}
		}
	}
	return reasons, errors.Join(stale...)
}
