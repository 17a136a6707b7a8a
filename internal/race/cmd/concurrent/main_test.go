package main

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/testfolder"
)

// A package is listed if it, its tests or what it imports itself start a goroutine or hand a function to one.
func TestConcurrent(t *testing.T) {
	const test = "\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"
	dir := testfolder.Module(t, map[string]string{
		"go.mod":              "module tried\n\ngo 1.26\n",
		"alone/alone.go":      "package alone\n\nfunc F() {}\n",
		"alone/alone_test.go": "package alone" + test,
		"goes/goes.go":        "package goes\n\nfunc F() { go func() {}() }\n",
		"goes/goes_test.go":   "package goes" + test,
		"untested/x.go":       "package untested\n\nfunc F() { go func() {}() }\n",
		"uses/uses.go":        "package uses\n\nimport \"tried/goes\"\n\nfunc F() { goes.F() }\n",
		"uses/uses_test.go":   "package uses" + test,
		"far/far.go":          "package far\n\nimport \"tried/uses\"\n\nfunc F() { uses.F() }\n",
		"far/far_test.go":     "package far" + test,
		"inside/inside.go":    "package inside\n",
		"inside/in_test.go":   "package inside\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Parallel() }\n",
		"outside/outside.go":  "package outside\n",
		"outside/out_test.go": "package outside_test\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestX(t *testing.T) { time.AfterFunc(1, func() {}) }\n",
		"server/server.go":    "package server\n\nimport \"net/http\"\n\nvar Handler http.Handler\n",
		"server/s_test.go":    "package server" + test,
		"tagged/tagged.go":    "package tagged\n",
		"tagged/with.go":      "//go:build with\n\npackage tagged\n\nfunc F() { go F() }\n",
		"tagged/t_test.go":    "package tagged" + test,
	})
	for _, c := range []struct{ arguments, want []string }{
		{[]string{"./..."}, []string{"tried/goes", "tried/inside", "tried/outside", "tried/server", "tried/uses"}},
		{[]string{"-tags", "with", "./..."}, []string{"tried/goes", "tried/inside", "tried/outside", "tried/server", "tried/tagged", "tried/uses"}},
		{[]string{"./alone"}, nil},
	} {
		found, err := concurrent(t.Context(), dir, c.arguments)
		slices.Sort(found)
		if err != nil || !slices.Equal(found, c.want) {
			t.Errorf("%q: %q, %v; expected %q", c.arguments, found, err, c.want)
		}
	}
	if _, err := concurrent(t.Context(), dir, []string{"./nowhere"}); err == nil {
		t.Error("a package that does not exist is accepted")
	}
}
