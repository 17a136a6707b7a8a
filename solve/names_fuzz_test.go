package solve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/params"
)

// The scheme other accepts every name.
var _ = RegisterScheme("other", func(name string) (Info, error) {
	return Info{Name: name, Starts: true, New: func() Solver { return Chain{} }}, nil
})

// FuzzNames: no text that names a solver causes a panic; a solver that is found has the name that was asked for; and splitting a list of names
// finds each of them again.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"", "fcfs", "minmin+search", "+", "a+", "other:", "other:a b", "other:'a", `other:a\`, "minmin+other:a+b, c", "fcfs, easy,other:x,y", "other:other:",
		" auto", "search+search+search", "auto+fcfs", "other:''", "fcfs+other:x", "minmin+exec:b", "exec:a,b+c",
		"x=search:effort=2,y=other:a=b,c", "muscle:reading=b+titan:population=10", "a=b=c", "=search", "search:effort=+1e+0", "mts:rolling_threshold=1:rolling_period=2"} {
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
			_, rest, _ := cutLabel(part)
			stages := stageTexts(rest)
			if strings.Join(stages, "+") != rest {
				t.Fatalf("%q has the stages %q", part, stages)
			}
			if choice, err := Choose(part); err == nil {
				checkChoice(t, part, choice)
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
			stages = stageTexts(part)
			last := stages[len(stages)-1] // exec is registered too, because other tests import the solvers
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

// checkChoice checks three properties: a choice is labelled with its label or with the whole text; its solver has the given parameters; and
// choosing by the same name and parameters again gives the same choice.
func checkChoice(t *testing.T, text string, choice Choice) {
	t.Helper()
	if label, _, labelled := cutLabel(text); labelled && choice.Label != label || !labelled && choice.Label != text {
		t.Fatalf("%q is called %q", text, choice.Label)
	}
	if err := params.Check(choice.Solver); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	again, err := Choose(choice.Info.Name)
	if err != nil {
		t.Fatalf("%q is of %q: %v", text, choice.Info.Name, err)
	}
	if value, rolling := choice.Given["rolling_period"]; rolling {
		if err := again.Set("rolling_period", value); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range choice.Given {
		if err := again.Set(name, value); err != nil {
			t.Fatalf("%q: %s=%q: %v", text, name, value, err)
		}
	}
	if a, b := fmt.Sprint(params.Stated(choice.Solver, choice.Info.New())), fmt.Sprint(params.Stated(again.Solver, choice.Info.New())); a != b {
		t.Fatalf("%q states %s, chosen anew %s", text, a, b)
	}
	if External(text) != External(choice.Info.Name) {
		t.Fatalf("%q: external %v, unlike %q", text, External(text), choice.Info.Name)
	}
}
