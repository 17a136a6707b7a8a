package allot_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rowOf is the place in the list of packages of the row that names a package, or that it lies below; −1: there is none.
func rowOf(rows map[string]int, name string) int {
	for _, key := range []string{name, name + "/..."} {
		if row, ok := rows[key]; ok {
			return row
		}
	}
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		if row, ok := rows[above+"/..."]; ok {
			return row
		}
		if row, ok := rows[above]; ok && strings.HasPrefix(name, above+"/internal/") {
			return row
		}
	}
	return -1
}

// forTests are the packages of internal that import what they test.
var forTests = []string{"doubling", "modeltest", "prove", "realdata", "simtest", "slurmtest", "solvecases", "testkit"}

// The list in doc.go has every package of the module, and each imports only packages above it. The packages of a room stand together. So no import leads from a lower
// room to a higher one.
func TestImportsRunOneWay(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(text), "// To solve an instance")
	rows, met, left, room := map[string]int{}, map[int]bool{}, map[string]bool{}, ""
	for line := range strings.Lines(list) {
		if row, ok := strings.CutPrefix(line, "//\t"); ok {
			name := strings.Fields(row)[0]
			rows[name] = len(rows)
			folders := strings.Split(name, "/")
			if folders[0] == "internal" && slices.Contains(forTests, folders[1]) {
				continue
			}
			if left[room] = room != folders[0]; left[folders[0]] {
				t.Errorf("doc.go lists %s apart from the others of its room", name)
			}
			room = folders[0]
		}
	}
	err = filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, other := os.Stat(filepath.Join(file, "go.mod"))
			if file != "." && (other == nil || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		name := filepath.ToSlash(filepath.Dir(file))
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || name == "." {
			return nil
		}
		row := rowOf(rows, name)
		if met[row] = true; row < 0 {
			t.Errorf("doc.go does not list %s", name)
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imported := range parsed.Imports {
			whole, err := strconv.Unquote(imported.Path.Value)
			if err != nil {
				return err
			}
			if other, ours := strings.CutPrefix(whole, "github.com/allot-opt/allot/"); ours && rowOf(rows, other) > row {
				t.Errorf("%s imports %s, which doc.go lists below it", file, other)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range rows {
		if !met[row] {
			t.Errorf("doc.go lists %s, which is no package", name)
		}
	}
}
