//go:build unix

// Package operators tests the tests of whole packages: it changes each comparison, sign, number, condition and statement of a package, one at a time, and
// looks which changes no test finds.
//
// All mutants of a package are compiled at once. Its text is replaced by one in which every place asks which mutant is active; the environment of a process
// says so. Each test is run once without a mutant, to see which mutants it reaches and how long it takes. Then each mutant has to fail one of the tests
// that reach it, of which the quickest run first. See R. H. Untch, A. J. Offutt, M. J. Harrold (1993), doi:10.1145/154183.154265, for such schemata.
package operators

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options say what to try, and how.
type Options struct {
	Root       string // a copy of the repository
	Folder     string // for temporary files
	Go         func(ctx context.Context, args ...string) ([]byte, error)
	Packages   []string // to be mutated, such as ./proof
	With       []string // packages with more tests
	Chosen     *regexp.Regexp
	Again      []byte // output of an earlier run: only what survived there
	Sample     int    // mutants of all packages together; 0: all
	Seed       uint64 // of the sample
	Equivalent string // pattern of the lists of equivalent mutants, in the repository
	Jobs       int
	Timeout    time.Duration
	Memory     int           // megabytes of a process
	Slowest    time.Duration // tests that take longer are left out; 0: none
	Progress   io.Writer
}

// Result is what became of a mutant.
type Result struct {
	*Mutant
	Killed bool
	By     string // the test that failed
	Reason string // why the mutant changes nothing; empty: nobody says so
}

// String is the result as a line, of which Again reads those that survived.
func (r Result) String() string {
	said := "SURVIVED"
	switch {
	case r.Killed:
		said = "killed"
	case r.Reason != "":
		said = "equivalent"
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", said, r.Place(), r.Text, r.Change, r.By)
}

// List finds the mutants of the packages and runs nothing.
func List(ctx context.Context, opt Options) (found []*Mutant, err error) {
	all, err := packages(ctx, &opt)
	for _, p := range all {
		found = append(found, p.chosen...)
	}
	return found, err
}

// packages prepares the packages and chooses their mutants.
func packages(ctx context.Context, opt *Options) (all []*prepared, err error) {
	for _, pattern := range opt.Packages {
		p, err := prepare(ctx, opt, pattern)
		if err != nil {
			return nil, err
		}
		if p.reasons, err = equivalents(opt, p); err != nil {
			return nil, err
		}
		p.chosen = slices.Clone(p.mutants)
		all = append(all, p)
	}
	if opt.Sample > 0 {
		sample(all, opt.Sample, opt.Seed)
	}
	for _, p := range all {
		p.chosen = chosen(opt, p.chosen)
	}
	return all, nil
}

// sample keeps some of the mutants of all packages. Which ones, a number computed from the seed and the mutant itself decides, so that code that is
// changed elsewhere changes little of the sample.
func sample(all []*prepared, size int, seed uint64) {
	number := map[*Mutant]string{}
	var list []*Mutant
	for _, p := range all {
		for _, m := range p.chosen {
			sum := sha256.Sum256([]byte(fmt.Sprint(seed, "\n", key(m.File, m.Text, m.Change))))
			number[m] = string(sum[:])
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b *Mutant) int { return cmp.Compare(number[a], number[b]) })
	for _, m := range list[min(size, len(list)):] {
		delete(number, m)
	}
	for _, p := range all {
		p.chosen = slices.DeleteFunc(p.chosen, func(m *Mutant) bool { return number[m] == "" })
	}
}

// chosen are the mutants whose place and change match, and that survived the earlier run.
func chosen(opt *Options, mutants []*Mutant) (list []*Mutant) {
	survived := map[string]bool{}
	for line := range strings.Lines(string(opt.Again)) {
		if word := strings.Split(strings.TrimSpace(line), "\t"); len(word) >= 4 && word[0] == "SURVIVED" {
			file, _, _ := strings.Cut(word[1], ":")
			survived[key(file, word[2], word[3])] = true
		}
	}
	for _, m := range mutants {
		if opt.Chosen.MatchString(m.Place()+" "+m.Change) && (opt.Again == nil || survived[key(m.File, m.Text, m.Change)]) {
			list = append(list, m)
		}
	}
	return list
}

// Try tries the mutants of the packages.
func Try(ctx context.Context, opt Options) (results []Result, err error) {
	all, err := packages(ctx, &opt)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if len(p.chosen) == 0 {
			continue
		}
		some, err := tryPackage(ctx, opt, p)
		if err != nil {
			return nil, err
		}
		results = append(results, some...)
	}
	return results, nil
}

// tryPackage tries the chosen mutants of a package.
func tryPackage(ctx context.Context, opt Options, p *prepared) (results []Result, err error) {
	if opt.Folder, err = os.MkdirTemp(opt.Folder, "package-"); err != nil {
		return nil, err
	}
	overlay, err := p.overlay(opt.Folder)
	if err != nil {
		return nil, err
	}
	var binaries []*binary
	for k, tested := range append([]string{p.pattern}, opt.With...) {
		b, err := compile(ctx, &opt, tested, overlay, filepath.Join(opt.Folder, "tests-"+strconv.Itoa(k)))
		if err != nil {
			return nil, err
		}
		if b != nil {
			binaries = append(binaries, b)
		}
	}
	list, err := tests(ctx, &opt, binaries, max(1, p.number))
	if err != nil {
		return nil, err
	}
	mutants := p.chosen
	fmt.Fprintf(opt.Progress, "%s: %d mutants of %d, %d that do not compile; %d tests\n", p.pattern, len(mutants), len(p.mutants), p.number-len(p.mutants), len(list))
	for _, t := range list[max(0, len(list)-5):] {
		fmt.Fprintf(opt.Progress, "%s takes %.1f s\n", t.name, t.took.Seconds())
	}
	results = make([]Result, len(mutants))
	earlier := &finds{of: map[string]int{}}
	var progress sync.Mutex
	done, survivors, began := 0, 0, time.Now()
	Spread(opt.Jobs, len(mutants), func(k int) {
		if ctx.Err() != nil {
			return
		}
		m := mutants[k]
		r := try(ctx, &opt, m, p.first(m), earlier.order(list))
		if r.Killed {
			earlier.found(r.By)
		}
		r.Reason = p.reasons[key(m.File, m.Text, m.Change)]
		results[k] = r
		progress.Lock()
		defer progress.Unlock()
		done++
		if !r.Killed && r.Reason == "" {
			survivors++
			fmt.Fprintln(opt.Progress, r)
		}
		if done%100 == 0 {
			fmt.Fprintf(opt.Progress, "%d/%d, %d survived, %.0f s\n", done, len(mutants), survivors, time.Since(began).Seconds())
		}
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("interrupted after %d of %d mutants", done, len(mutants))
	}
	return results, nil
}
