// Package realdata finds real inputs for tests and benchmarks: files that nobody of this project made, with figures that were
// computed from them by other means. They are not part of the repository; a test that needs them is skipped without them.
package realdata

import (
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/model"
)

// Shared is the path of a file beside the project, given by its parts from the folder that holds the data and other programs; it
// skips the test where it is absent.
func Shared(t testing.TB, parts ...string) string {
	t.Helper()
	path := beside(t, parts...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real data is absent: %v", err)
	}
	return path
}

// AtHand says whether there is any real data, for what does without.
func AtHand(t testing.TB) bool {
	t.Helper()
	_, err := os.Stat(beside(t, "data"))
	return err == nil
}

// beside is a path beside the project.
func beside(t testing.TB, parts ...string) string {
	t.Helper()
	root := "." // tests run in the folder of their package
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		} else if up, err := filepath.Abs(root); err != nil || filepath.Dir(up) == up {
			t.Fatal("no go.mod above the folder of the test")
		}
		root = filepath.Join(root, "..")
	}
	return filepath.Join(append([]string{root, "..", "shared"}, parts...)...)
}

// Path is the path of a file of the data, given by its parts; it skips the test where it is absent.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	return Shared(t, append([]string{"data"}, parts...)...)
}

// Open opens a file of the data, given by the parts of its path, and skips the test where it is absent.
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

// Number is a cell that must be a number.
func (r Row) Number(t testing.TB, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s of %v: %v", column, r, err)
	}
	return x
}

// Expect fails the test where a figure differs from its column by more than the relative tolerance.
func (r Row) Expect(t testing.TB, column string, got, tolerance float64) {
	t.Helper()
	if want := r.Number(t, column); !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", column, got, want)
	}
}
