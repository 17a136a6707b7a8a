// Package allot_test keeps the pages true: the tables are those of the registry and the metrics, the program in the page is one that is tested, links
// lead somewhere, and the README stays a door.
package allot_test

import (
	"flag"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	_ "github.com/allot-opt/allot/solvers"
)

var update = flag.Bool("update", false, "rewrite the generated parts of the pages")

// part is a generated part of a page.
type part struct{ page, marker, text string }

// TestGeneratedParts compares the parts of pages that are made from the registry of solvers, the metrics, an example and the record of the suite four.
func TestGeneratedParts(t *testing.T) {
	embed, err := os.ReadFile("examples/embed/main.go")
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := matrixMarkdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range append(fourParts(t), []part{
		{"docs/reference/solvers.md", "matrix", matrix},
		{"docs/reference/solvers.md", "solvers", solversMarkdown()},
		{"docs/reference/metrics.md", "metrics", metricsMarkdown()},
		{"docs/reference/formats.md", "instance", fieldsMarkdown(reflect.TypeFor[model.InstanceSpec]())},
		{"docs/reference/formats.md", "solution", fieldsMarkdown(reflect.TypeFor[model.Solution]())},
		{"docs/reference/formats.md", "certificate", fieldsMarkdown(reflect.TypeFor[proof.Certificate]())},
		{"docs/reference/formats.md", "foreign formats", formatsMarkdown()},
		{"docs/reference/go.md", "embed", "```go\n" + string(embed) + "```\n"},
	}...) {
		text, err := os.ReadFile(part.page)
		if err != nil {
			t.Fatal(err)
		}
		begin, end := "<!-- "+part.marker+": generated -->\n", "<!-- end of "+part.marker+" -->"
		head, rest, okBegin := strings.Cut(string(text), begin)
		_, tail, okEnd := strings.Cut(rest, end)
		if !okBegin || !okEnd {
			t.Fatalf("%s has no part %q", part.page, part.marker)
		}
		want := head + begin + part.text + end + tail
		switch {
		case want == string(text):
		case *update:
			if err := os.WriteFile(part.page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("the part %q of %s is out of date; go test . -update rewrites it", part.marker, part.page)
		}
	}
}

// pages lists the Markdown files of the repository.
func pages(t *testing.T) []string {
	var list []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			list = append(list, path)
		}
		return nil
	})
	if err != nil || len(list) < 20 {
		t.Fatalf("%d pages: %v", len(list), err)
	}
	return list
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]+)"`)
	notName = regexp.MustCompile(`[^\pL\pN _-]`) // what GitHub leaves out of the name of a heading
	code    = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// anchorsOf are the places of a page that a link can name: its headings, as GitHub writes them, and explicit ones.
func anchorsOf(page string) map[string]bool {
	places := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		name := notName.ReplaceAllString(strings.ToLower(h[1]), "")
		places[strings.ReplaceAll(name, " ", "-")] = true
	}
	for _, a := range anchor.FindAllStringSubmatch(page, -1) {
		places[a[1]] = true
	}
	return places
}

// Every link of every page to a file of the repository, and to a place in a page, leads there.
func TestLinks(t *testing.T) {
	race.OneGoroutine(t)
	texts, places := map[string]string{}, map[string]map[string]bool{}
	for _, path := range pages(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path], places[path] = string(text), anchorsOf(string(text))
	}
	found := 0
	for path, text := range texts {
		for _, l := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			named := l[1] + l[2]
			to, err := url.Parse(named)
			if err != nil || to.Scheme != "" {
				continue
			}
			found++
			target := path
			if to.Path != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(to.Path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", path, named)
			} else if there, isPage := places[target]; isPage && to.Fragment != "" && !there[to.Fragment] {
				t.Errorf("%s links to %s, and there is no such heading", path, named)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d links, expected more than 100", found)
	}
}

// The README is read in a minute: what is longer belongs into a page of docs. Each of these is a page that docs/README.md lists.
func TestDoor(t *testing.T) {
	info, err := os.Stat("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 8<<10 {
		t.Errorf("README.md has %d bytes, at most %d", info.Size(), 8<<10)
	}
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range pages(t) {
		rest, inside := strings.CutPrefix(filepath.ToSlash(path), "docs/")
		if inside && rest != "README.md" && !strings.Contains(string(index), "]("+rest+")") {
			t.Errorf("docs/README.md does not list %s", rest)
		}
	}
}
