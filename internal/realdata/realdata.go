// Package realdata finds real inputs for tests and benchmarks: files from outside this project, and figures that other programs computed
// from them. They are in the folder data of the repository. The environment variable ALLOT_DATA may name a folder with a larger set in the
// same layout, which is looked at first.
package realdata

import (
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/model"
)

// Path returns the path of a file of the data, given by the parts of its path. It skips the test if the file is in neither set.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	if larger := os.Getenv("ALLOT_DATA"); larger != "" {
		path := filepath.Join(larger, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path := filepath.Join(Root(t), name)
	if _, err := os.Stat(path); err != nil {
		needs.Lack(t, needs.Need{Kind: needs.SomeData, Name: name, Get: "set ALLOT_DATA to a folder that holds it, as the repository does not"})
	}
	return path
}

// Root returns the folder of the repository's own data.
func Root(t testing.TB) string {
	t.Helper()
	return filepath.Join(root(t), "data")
}

// Peer returns the path of a script that runs another program on our instances. The script is in the folder that ALLOT_PEERS names; if it is
// missing, the test is skipped.
func Peer(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("ALLOT_PEERS"), name)
	if _, err := os.Stat(path); err != nil || !filepath.IsAbs(path) {
		needs.Lack(t, needs.Need{Kind: needs.SomeData, Name: name + ", a script that runs the peer", Get: "set ALLOT_PEERS to the absolute path of the folder that holds it"})
	}
	return path
}

// root returns the folder of the repository.
func root(t testing.TB) string {
	t.Helper()
	folder := "." // tests run in the folder of their package
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		} else if up, err := filepath.Abs(folder); err != nil || filepath.Dir(up) == up {
			t.Fatal("no go.mod above the folder of the test")
		}
		folder = filepath.Join(folder, "..")
	}
}

// Open opens a file of the data, given by the parts of its path. It skips the test if the file is absent.
func Open(t testing.TB, parts ...string) io.Reader {
	t.Helper()
	file, err := model.Open(Path(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return file
}

// Row is a row of a table of figures: column → cell.
type Row map[string]string

// Table reads a table of figures.
func Table(t testing.TB, parts ...string) []Row {
	t.Helper()
	cells, err := csv.NewReader(Open(t, parts...)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for _, line := range cells[1:] {
		row := Row{}
		for k, name := range cells[0] {
			row[name] = line[k]
		}
		rows = append(rows, row)
	}
	return rows
}

// Number reads a cell that must be a number.
func (r Row) Number(t testing.TB, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s of %v: %v", column, r, err)
	}
	return x
}

// Expect fails the test if a figure differs from its column by more than the relative tolerance.
func (r Row) Expect(t testing.TB, column string, got, tolerance float64) {
	t.Helper()
	if want := r.Number(t, column); !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", column, got, want)
	}
}
