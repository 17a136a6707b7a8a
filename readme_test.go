// Package allot_test keeps the README true: its tables are those of the registry and the metrics, its program is one
// that is tested.
package allot_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	_ "github.com/allot-opt/allot/solvers"
)

var update = flag.Bool("update", false, "rewrite the generated tables of the README")

func TestReadmeTables(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := string(text)
	want := found
	embed, err := os.ReadFile("examples/embed/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for marker, table := range map[string]string{
		"solvers": bench.SolversMarkdown(),
		"metrics": bench.MetricsMarkdown(),
		"embed":   "```go\n" + string(embed) + "```\n",
	} {
		begin, end := "<!-- "+marker+": generated -->\n", "<!-- end of "+marker+" -->"
		head, rest, okBegin := strings.Cut(want, begin)
		_, tail, okEnd := strings.Cut(rest, end)
		if !okBegin || !okEnd {
			t.Fatalf("README.md has no section %q", marker)
		}
		want = head + begin + table + end + tail
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if found != want {
		t.Error("the tables of README.md are out of date; go test . -update rewrites them")
	}
}
