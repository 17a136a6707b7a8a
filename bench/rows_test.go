package bench

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/needs"
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

// Of the rows of a cell in several files, or in one, the first counts. If they differ in more than times it has a fault in place of its result.
func TestCellTwice(t *testing.T) {
	row := func(text string) string {
		return `{"key":"k","trace":[{"elapsed_s":1,"evaluations":2,"objective":3}],` + text + rowLine[1:] + "\n"
	}
	slower := strings.NewReplacer(`"elapsed_s":0.5`, `"elapsed_s":0.75`, `"elapsed_s":1,`, `"elapsed_s":1.5,`)
	first := row(`"objective":7,"stop":"done",`)
	other := row(`"objective":8,"bound":1,"stop":"done",`)
	late := row(`"objective":8,"stop":"time",`)
	for _, test := range []struct {
		what  string
		files map[string]string
		fault string
		want  float64 // objective; 0: none
	}{
		{"times", map[string]string{"rows-1.jsonl": first, "rows-2.jsonl": slower.Replace(first)}, "", 7},
		{"one file", map[string]string{"rows.jsonl": first + slower.Replace(first)}, "", 7},
		{"the first file", map[string]string{"rows-10.jsonl": first, "rows-2.jsonl": late}, "", 8},
		{"the whole suite", map[string]string{"rows.jsonl": first, "rows-2.jsonl": late}, "", 7},
		{"a copy", map[string]string{"rows-1.jsonl": first, "rows-old.jsonl": other, "rows-01.jsonl": other, "rows.jsonl~": other}, "", 7},
		{"the limit of time", map[string]string{"rows-1.jsonl": late, "rows-2.jsonl": first}, "", 8},
		{"other results", map[string]string{"rows-1.jsonl": first, "rows-2.jsonl": other + row(`"objective":9,`)}, "two rows of this run differ in bound, objective: DIR/rows-1.jsonl:1 and DIR/rows-2.jsonl:1", 0},
		{"a failure", map[string]string{"rows-1.jsonl": first, "rows-2.jsonl": row(`"fault":"no luck",`)}, "two rows of this run differ in fault, objective, stop: DIR/rows-1.jsonl:1 and DIR/rows-2.jsonl:1", 0},
		{"told before", map[string]string{"rows-1.jsonl": row(`"fault":"two rows of this run differ in bound: a and b",`), "rows-2.jsonl": first}, "two rows of this run differ in bound: a and b", 0},
	} {
		dir := t.TempDir()
		for name, text := range test.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := ReadRows(dir)
		if err != nil || len(rows) != 1 {
			t.Errorf("%s: %d rows, %v", test.what, len(rows), err)
			continue
		}
		found := 0.0
		if rows[0].Objective != nil {
			found = *rows[0].Objective
		}
		if fault := strings.ReplaceAll(rows[0].Fault, dir, "DIR"); fault != test.fault || found != test.want || rows[0].Key != "k" || rows[0].Elapsed != 0.5 {
			t.Errorf("%s: fault %q, objective %v, expected %q and %v", test.what, fault, found, test.fault, test.want)
		}
	}
}

// A pipe that has the name of a file of rows holds nothing up, and neither does a folder.
func TestNoFilesOfRows(t *testing.T) {
	dir := t.TempDir()
	if text, err := exec.Command(needs.Program(t, "mkfifo"), filepath.Join(dir, "rows-3.jsonl")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if err := os.Mkdir(filepath.Join(dir, "rows-2.jsonl"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rows-1.jsonl"), []byte(rowLine+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("rows-1.jsonl", filepath.Join(dir, "rows-4.jsonl")); err != nil {
		t.Fatal(err)
	}
	if rows, err := ReadRows(dir); err != nil || len(rows) != 2 {
		t.Errorf("%d rows, %v", len(rows), err)
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

// Who follows a file sees a row once its line has ended, also if half of it was there before, and files that come later.
func TestFollow(t *testing.T) {
	plan, dir := planOf(t, oneSuite), filepath.Join(t.TempDir(), "run")
	follow := plan.Follow(dir)
	missing := func(want int) {
		t.Helper()
		if missing, err := follow.Missing(); err != nil || len(missing) != want {
			t.Errorf("%d are missing, expected %d: %v", len(missing), want, err)
		}
	}
	missing(2) // there is no folder yet
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	line := func(cell int) string { return `{"key":"` + plan.Cells[cell].Key + `",` + rowLine[1:] + "\n" }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("rows-1.jsonl", line(0)[:30])
	missing(2)
	write("rows-1.jsonl", line(0))
	missing(1)
	write("rows-w1.jsonl", line(1))
	missing(0)
}
