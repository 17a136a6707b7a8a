package solve

import (
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/params"
)

// other is a scheme of which every name is a solver.
var _ = RegisterScheme("other", func(name string) (Info, error) {
	return Info{Name: name, Starts: true, New: func() Solver { return Chain{} }}, nil
})

// FuzzNames: no name of a solver panics; what is found goes by the name that was asked for, and in a list each name is found again.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"", "fcfs", "minmin+search", "+", "a+", "other:", "other:a b", "other:'a", `other:a\`, "minmin+other:a+b, c", "fcfs, easy,other:x,y", "other:other:",
		" auto", "search+search+search", "auto+fcfs", "other:''", "fcfs+other:x", "minmin+exec:b", "exec:a,b+c"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		names := SplitNames(name)
		if len(names) == 0 {
			t.Fatal("no names")
		}
		if again := SplitNames(strings.Join(names, ",")); !slices.Equal(again, names) {
			t.Fatalf("%q splits into %q, those into %q", name, names, again)
		}
		for _, part := range append(names, name) {
			stages := stageNames(part)
			if strings.Join(stages, "+") != part {
				t.Fatalf("%q has the stages %q", part, stages)
			}
			info, err := Lookup(part)
			if err != nil {
				continue
			}
			if info.Name != part || info.New == nil {
				t.Fatalf("%q is found as %q", part, info.Name)
			}
			solver := info.New()
			if chain, ok := solver.(Chain); len(stages) > 1 && (!ok || len(chain) != len(stages)) {
				t.Fatalf("%q of %d stages: %T of %d", part, len(stages), solver, len(chain))
			}
			last := stages[len(stages)-1] // exec is registered as well: the other tests import the solvers
			if External(part) != (strings.HasPrefix(last, "other:") || strings.HasPrefix(last, "exec:")) {
				t.Fatalf("%q: external %v", part, External(part))
			}
			for _, p := range params.Of(solver) {
				if p.Name == "" || p.Type == "" {
					t.Fatalf("%q: parameter %+v", part, p)
				}
			}
		}
	})
}
