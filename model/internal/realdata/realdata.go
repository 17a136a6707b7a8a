// Package realdata finds real inputs for the tests of the readers: files that nobody of this project made, with figures that were
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

// folder is where the data is, seen from the folder of a reader.
const folder = "../../../shared/data"

// Open opens a file of the data, given by the parts of its path, and skips the test where it is absent.
func Open(t testing.TB, parts ...string) io.Reader {
	t.Helper()
	path := filepath.Join(append([]string{folder}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real data is absent: %v", err)
	}
	file, err := model.Open(path)
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
