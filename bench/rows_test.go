package bench

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/model"
)

// rowLine is a row with the fields that every row has.
const rowLine = `{"instance":"a","instance_sha256":"00","solver":"s","seed":1,"elapsed_s":0.5}`

// TestReadRows reads what WriteJSON writes, compressed or not, and says where a line is wrong.
func TestReadRows(t *testing.T) {
	rows := []Row{
		{Key: "1", Instance: "a", InstanceSHA256: "00", Solver: "s", Parameters: map[string]string{"x": "1"}, Seed: 1<<64 - 1, Elapsed: 0.25, Objective: new(1.5),
			Incumbents: []model.Incumbent{{Elapsed: 0.125, Evaluations: 3, Objective: 2}, {Elapsed: 0.25, Evaluations: 9, Objective: 1.5, Bound: model.ProvedBound(1)}}},
		{Instance: "b", InstanceSHA256: "01", Solver: "s", Fault: "none"},
		{Instance: "b", InstanceSHA256: "01", Solver: "s", Fault: "none"}, // of compare, which has no keys
	}
	var text bytes.Buffer
	if err := WriteJSON(&text, rows); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(text.Bytes()); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	write(rowsFile, text.Bytes())
	for _, path := range []string{dir, filepath.Join(dir, rowsFile), write("rows.gz", packed.Bytes()), write("blank", append([]byte("\n  \n"), text.Bytes()...))} {
		found, err := ReadRows(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, found); diff != "" {
			t.Errorf("%s: (-expected +found)\n%s", path, diff)
		}
	}
	for text, want := range map[string]string{
		rowLine + "\n{}\n":                                                 `rows:2: expected the field "instance", found none`,
		rowLine + "\n[\n":                                                  "rows:2: expected an object, found an array",
		"\n\n" + `{"a` + "\n":                                              "rows:3: the file ends early, at byte 3, inside a JSON value",
		rowLine + rowLine + "\n":                                           "rows:1: expected the end of the file after the JSON value",
		strings.Replace(rowLine, "0.5", "-1", 1) + "\n":                    "rows:1: elapsed_s: expected a finite number of at least 0, found -1",
		strings.Replace(rowLine, "1", `"one"`, 1) + "\n":                   `rows:1: seed: expected a whole number, found "one"`,
		strings.Replace(rowLine, "{", `{"status":"good","x":1,`, 1) + "\n": "rows:1: status: expected one of unknown, feasible, optimal, infeasible, found \"good\"\n",
	} {
		path := write("rows", []byte(text))
		if _, err := ReadRows(path); err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), path, "rows"), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
	if _, err := ReadRows(filepath.Join(dir, "none")); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "none")+": ") {
		t.Errorf("%v, expected an error that names the file", err)
	}
}

// FuzzReadRows reads what it is given without a panic, and what it accepts comes back the same after it is written.
func FuzzReadRows(f *testing.F) {
	for _, text := range []string{"", rowLine, rowLine + "\n" + rowLine[:40], `{"key":"k","metrics":{"cp":{"C1":1},"mcp":2},"trace":[{"elapsed_s":1,"evaluations":2,"objective":-3}],` + rowLine[1:] + "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, _, err := readRows(bytes.NewReader(text), "rows")
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := WriteJSON(&written, plainRows(rows)); err != nil {
			t.Fatal(err)
		}
		again, _, err := readRows(bytes.NewReader(written.Bytes()), "rows")
		if err != nil {
			t.Fatalf("%s\n%v", written.String(), err)
		}
		var twice bytes.Buffer
		if err := WriteJSON(&twice, plainRows(again)); err != nil || !bytes.Equal(written.Bytes(), twice.Bytes()) {
			t.Fatalf("%v\n%s\n%s", err, written.String(), twice.String())
		}
	})
}

// plainRows returns the rows without their places.
func plainRows(rows []lineRow) []Row {
	plain := make([]Row, len(rows))
	for k := range rows {
		plain[k] = rows[k].Row
	}
	return plain
}
