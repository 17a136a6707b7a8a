//go:build unix

package operators

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// first is the number under which the site of a mutant says that it was reached.
func (p *prepared) first(m *Mutant) int { return m.site.mutants[0].ID }

// finds counts the mutants that each test has found. A test that found many is tried before others that take as long.
type finds struct {
	sync.Mutex
	of map[string]int
}

// found counts a mutant for the test.
func (f *finds) found(by string) {
	f.Lock()
	defer f.Unlock()
	name, _, _ := strings.Cut(by, "/")
	f.of[name]++
}

// order sorts the tests: the quickest first, where each mutant found makes a test count as quicker.
func (f *finds) order(tests []*test) []*test {
	f.Lock()
	defer f.Unlock()
	cost := func(t *test) time.Duration { return (t.took + 10*time.Millisecond) / time.Duration(1+f.of[t.name]) }
	return slices.SortedStableFunc(slices.Values(tests), func(a, b *test) int { return cmp.Compare(cost(a), cost(b)) })
}

// try runs the tests that reach the mutant until one fails.
func try(ctx context.Context, opt *Options, m *Mutant, first int, tests []*test) Result {
	r := Result{Mutant: m, By: "no test reaches it"}
	var batch []*test // of one binary
	took, most := time.Duration(0), 100*time.Millisecond
	flush := func() bool {
		if len(batch) > 0 {
			r.Killed, r.By = fails(ctx, opt, m, batch, took)
		}
		batch, took = batch[:0], 0
		most *= 3
		return r.Killed
	}
	for _, t := range tests {
		if t.reached[first] == 0 && t.reached[m.ID] == 0 {
			continue
		}
		if len(batch) > 0 && (batch[0].binary != t.binary || took+t.took > most) && flush() {
			return r
		}
		batch, took = append(batch, t), took+t.took
	}
	flush()
	return r
}

// fails runs tests of one binary that took the time without the mutant. One that takes several times as long, or much memory, has found the mutant too.
func fails(ctx context.Context, opt *Options, m *Mutant, batch []*test, took time.Duration) (failed bool, by string) {
	names := make([]string, len(batch))
	for k, t := range batch {
		names[k] = t.name
	}
	out, _, err := batch[0].run(ctx, opt, []string{fmt.Sprint("MUTANT=", m.ID)}, 4*took+2*time.Second, "-test.run", "^("+strings.Join(names, "|")+")$")
	if err == nil {
		return false, ""
	}
	return true, cmp.Or(Failed(out), err.Error())
}
