package bench_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats"
)

// The begin of a file tells its format, and its name where the begin does not.
func TestRecognise(t *testing.T) {
	swf := "1 0 10 30 3 -1 -1 3 60 -1 1 1 1 -1 1 -1 -1 -1\n"
	for _, c := range []struct{ name, begin, want string }{
		{"a", "; Version: 2.2\n" + swf, "swf"},
		{"a", "\n  " + swf, "swf"},
		{"a.csv", "\ufeff\"id\",\"arrival\",\"work\"\n1,2,3\n", "jobs"},
		{"a.txt", "runtime.c0,id\n", "jobs"},
		{"a.csv", "job_id,workload_name,profile,submission_time\n", "batsim"},
		{"a.csv", "id,name\n1,x\n", "jobs"},
		{"a.txt", "id,name\n1,x\n", ""},
		{"a.txt", "name,work\n", ""},
		{"a", "512 16 0\n91753.195312\n", "etc"},
		{"a", "2 2\r\n1 2\r\n", "etc"},
		{"a.json", `{"name": "w", "schemaVersion": "1.5", "workflow": {"makespan": 1}}`, "wfformat"},
		{"a.json", `{"name": "w", "schemaVersion": "1.5"}`, ""},
		{"a.json", `{"workflow": {"a": 1}}`, ""},
		{"a.json", ` {"workflow" : {"tasks": []}}`, "wfformat"},
		{"a.json", `{"schema": "allot/instance/1", "name": "\"workflow\": {", "workflow": {}}`, ""},
		{"a.json", `{"jobs": [{"workflow": "w"}]}`, ""},
		{"trace.SWF.gz", "no header and 5 columns\n", "swf"},
		{"m.etc", "x", "etc"},
		{"j301_1.sm", "x", "rcpsp"},
		{"Pat1.RCP", "x", "rcpsp"},
		{"a", "***\nprojects : 1\njobs (incl. supersource/sink ):  3\n", "rcpsp"},
		{"a", "***\nprojects : 1\n", ""},
		{"a", "3 2\n4 5\n\n0 0 0\n1 2\n", "rcpsp"},
		{"a", "3 2 4 5 0 0 0 1\r\n3\r\n", "rcpsp"},
		{"a", "3 2\n4 5\n0 0 0 1 4\n", "etc"}, // there is no activity 4
		{"a", "3 2\n4 5\n0 0 0 2 3\n", "etc"}, // a successor is missing
		{"a", "3 2\n4 5\n0 0 1 1 3\n", "etc"}, // a demand
		{"a", "3 2\n4 5.5\n0 0 0 1 3\n", "etc"},
		{"trace.swf", `{"schema": "allot/instance/1"}`, ""},
		{"trace.swf", `[1]`, ""},
		{"trace.swf", "", ""},
		{"a", "\x00\xff", ""},
		{"a.csv", "\x00\xff", ""},
		{"a", ";\x00\xff", ""},
		{"a", "; comment\n;\n", "swf"},
		{"a", "; comment\n\n  ; more\n" + swf, "swf"},
		{"a", "; settings\n[a]\nb=1\n", ""},
		{"a", "NaN Inf\n", ""},
		{"a", "0 3\n", ""},
		{"a", "5\n", ""},
		{"a", strings.Repeat("\n", 1<<16) + swf, ""}, // too late to be seen
	} {
		info, ok := formats.Recognise(c.name, []byte(c.begin))
		if info.Name != c.want || ok != (c.want != "") {
			t.Errorf("%s %q: got %q, want %q", c.name, c.begin, info.Name, c.want)
		}
	}
}

// Real files are recognised by their contents alone, and what is recognised can be imported.
func TestRecogniseRealFiles(t *testing.T) {
	for pattern, want := range map[string]string{"swf/*.swf.gz": "swf", "braun_etc/*.gz": "etc", "wfformat/*.json": "wfformat", "rcpsp/*/*.txt.gz": "rcpsp", "*/best/*.json*": "", "mcp/*.json": "", "ggone/*.json": ""} {
		files, err := filepath.Glob(filepath.Join("../data", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if info, _ := formats.Recognise("file", begin(t, file)); info.Name != want {
				t.Errorf("%s: got %q, want %q", file, info.Name, want)
			}
		}
	}
}

// begin is the begin of a file's contents.
func begin(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(io.LimitReader(r, 1<<16))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
