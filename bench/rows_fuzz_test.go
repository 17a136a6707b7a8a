package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// FuzzRunFolder: no content of a run folder causes a panic, and errors name the file. Rows that are read can be written and read back, each key once.
func FuzzRunFolder(f *testing.F) {
	const row = `{"key":"k","instance":"i","instance_sha256":"s","solver":"fcfs","seed":1,"objective":3,"elapsed_s":0.1}`
	for _, rows := range []string{"", row, row + "\n", row + "\n" + row, row + "\n{\"key\":\"k2", "{}\n\n{}\n", "[]\n", "{\"key\":1}\n", row + "\nx\n" + row, "\x1f\x8b", "null\n"} {
		f.Add([]byte(rows), []byte(`{"format":"allot-run/1","version":"v","suite":{"format":"allot-suite/1","name":"s"},"cells":1,"instances":[{"name":"i","file":"i.json"}]}`))
		f.Add([]byte(rows), []byte(`{"format":"allot-run/2"}`))
	}
	f.Fuzz(func(t *testing.T, rows, run []byte) {
		dir := t.TempDir()
		for name, text := range map[string][]byte{rowsFile: rows, runFile: run} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		named := func(err error, name string) {
			t.Helper()
			var wrong *model.InputError
			if errors.As(err, &wrong) && !strings.HasPrefix(err.Error(), filepath.Join(dir, name)) {
				t.Fatalf("an error without the file's name: %v", err)
			}
		}
		if file, err := ReadRun(dir); err != nil {
			named(err, runFile)
		} else if file.Format != runFormat {
			t.Fatalf("a run of format %q", file.Format)
		}
		read, err := ReadRows(dir)
		if err != nil {
			named(err, rowsFile)
			return
		}
		var text bytes.Buffer
		keys := map[string]bool{}
		for k := range read {
			if key := read[k].Key; key != "" && keys[key] {
				t.Fatalf("the key %q twice", key)
			}
			keys[read[k].Key] = true
			if err := json.NewEncoder(&text).Encode(&read[k]); err != nil {
				t.Fatal(err)
			}
		}
		again, rest, err := readRows(&text, "again")
		if err != nil || len(again) != len(read) || len(rest) != 0 {
			t.Fatalf("%d rows written, %d read back, %q left: %v", len(read), len(again), rest, err)
		}
	})
}
