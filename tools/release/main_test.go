package main

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Links of the README to what is in the archive stay as they are; others lead to the repository.
func TestLinkOutside(t *testing.T) {
	const text = "![p](docs/p.svg) [a](docs/a.md#b) [l](LICENSE) [h](#here) [w](https://example.org/x) <img src=\"docs/p.svg\">"
	files := []file{{"README.md", 0o644, []byte(text)}, {"LICENSE", 0o644, []byte("[x](docs/x)")}}
	linkOutside(files, "c0")
	const at = "https://github.com/allot-opt/allot/"
	want := "![p](" + at + "raw/c0/docs/p.svg) [a](" + at + "blob/c0/docs/a.md#b) [l](LICENSE) [h](#here) [w](https://example.org/x) <img src=\"" + at + "raw/c0/docs/p.svg\">"
	if got := string(files[0].data); got != want {
		t.Errorf("found %s\nwant  %s", got, want)
	}
	if got := string(files[1].data); got != "[x](docs/x)" {
		t.Errorf("a file that is no page became %s", got)
	}
}

// The archive has the instances, the programs and the trace of the README's tasks.
func TestCommonFiles(t *testing.T) {
	files, err := commonFiles("../..")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		names[f.name] = true
	}
	for _, want := range []string{"README.md", "LICENSE", "examples/multicluster.json", "examples/external/first_come.py", "examples/online/fcfs.py", "data/swf/KTH-SP2-1996-2.swf.gz"} {
		if !names[want] {
			t.Errorf("%s is missing", want)
		}
	}
}

// The program of a release has no code under a licence that is made for texts.
func TestNoLicenceForTexts(t *testing.T) {
	text, err := command("../..", nil, "go", "list", tags, "-deps", "./cmd/allot")
	if err != nil {
		t.Fatal(err)
	}
	if list := string(text); !strings.Contains(list, "codeberg.org/go-pdf/fpdf\n") || strings.Contains(list, "svgo") {
		t.Error("the program needs github.com/ajstarks/svgo")
	}
}

// The program for a wheel comes with the licences of its modules, and a platform without a processor is refused.
func TestProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	out := filepath.Join(t.TempDir(), "new")
	if err := program("../..", out, runtime.GOOS+"/"+runtime.GOARCH); err != nil {
		t.Fatal(err)
	}
	name := "allot"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if _, err := buildinfo.ReadFile(filepath.Join(out, name)); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, licencesName)); err != nil || !strings.Contains(string(text), "==== github.com/urfave/cli/v2 ") {
		t.Errorf("the licences: %.200s, %v", text, err)
	}
	if err := program("../..", out, "linux"); err == nil || !strings.Contains(err.Error(), "linux/amd64") {
		t.Errorf("a platform without a processor: %v", err)
	}
}
