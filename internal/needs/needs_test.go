package needs

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// told is a test that notes how it ends. It ends by a panic, as its goroutine goes on.
type told struct {
	testing.TB
	skipped, failed string
}

func (t *told) Helper()                   {}
func (t *told) Skipf(f string, a ...any)  { t.skipped = fmt.Sprintf(f, a...); panic(t) }
func (t *told) Fatalf(f string, a ...any) { t.failed = fmt.Sprintf(f, a...); panic(t) }

// ended runs part of a test to its end.
func ended(t *testing.T, part func(testing.TB)) *told {
	t.Helper()
	now := &told{TB: t}
	func() {
		defer func() {
			if end := recover(); end != nil && end != any(now) {
				panic(end)
			}
		}()
		part(now)
	}()
	return now
}

// On a machine without any program each need skips its test and says what it is and the way to get it; with CI=true it fails, but for data that CI does not have.
func TestLacking(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are found by other rules here")
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("ALLOT_PYTHON", filepath.Join(t.TempDir(), "python"))
	parts := map[string]func(testing.TB){
		"program curl":          func(t testing.TB) { Program(t, "curl") },
		"program chromium":      func(t testing.TB) { Program(t, "chromium") },
		"program parallel":      func(t testing.TB) { Program(t, "parallel") },
		"program fc-match":      func(t testing.TB) { Font(t, "DejaVu Sans", false) },
		"Python module ortools": func(t testing.TB) { Python(t, "ortools") },
		"data a file":           func(t testing.TB) { Lack(t, Need{SomeData, "a file", "ask for it"}) },
	}
	for want, part := range parts {
		t.Setenv("CI", "")
		end := ended(t, part)
		if get, ok := strings.CutPrefix(end.skipped, "needs "+want+": "); !ok || get == "" || end.failed != "" {
			t.Errorf("%s: %+v", want, end)
		}
		t.Setenv("CI", "true")
		end = ended(t, part)
		if fails := !strings.HasPrefix(want, "data"); (end.failed != "") != fails || (end.skipped == "") != fails {
			t.Errorf("%s in CI: %+v", want, end)
		}
	}
}

// Where fontconfig has no font of a family it names another, which does not count.
func TestOtherFont(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are found by other rules here")
	}
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	t.Setenv("CI", "")
	if err := os.WriteFile(filepath.Join(folder, "fc-match"), []byte("#!/bin/sh\nprintf 'DejaVu Sans\\n/fonts/x.ttf'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for family, want := range map[string]string{"DejaVu Sans": "", "Noto Sans": "font Noto Sans"} {
		file := ""
		end := ended(t, func(t testing.TB) { file = Font(t, family, false) })
		if says := strings.HasPrefix(end.skipped, "needs "+want+": "); want == "" && file != "/fonts/x.ttf" || want != "" && !says {
			t.Errorf("%s: file %q, %+v", family, file, end)
		}
	}
}

// What is not in the lists is a fault of the test.
func TestUnknownNeeds(t *testing.T) {
	for what, part := range map[string]func(testing.TB){
		"program": func(t testing.TB) { Program(t, "no-such-program") },
		"font":    func(t testing.TB) { Font(t, "No Such Font", false) },
		"module": func(t testing.TB) {
			t.(*told).TB.(*testing.T).Setenv("ALLOT_PYTHON", "python3")
			Python(t, "no_such_module")
		},
	} {
		if end := ended(t, part); end.failed == "" || end.skipped != "" {
			t.Errorf("%s: %+v", what, end)
		}
	}
}

// A program is found by any of its names, on PATH or where tools/slurm-unpack puts it.
func TestFound(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are found by other rules here")
	}
	on, unpacked := t.TempDir(), t.TempDir()
	t.Setenv("PATH", on)
	t.Setenv("SLURM_ROOT", unpacked)
	put := func(folder, name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, want := range map[string]string{
		"chromium": put(on, "google-chrome", ""), "curl": put(on, "curl", ""), "parallel": put(on, "parallel", "echo GNU parallel 1\n"),
		"slurmdbd": put(filepath.Join(unpacked, "usr", "sbin"), "slurmdbd", ""),
	} {
		if _, err := os.Stat("/usr/sbin/" + name); err == nil {
			continue // the machine's own comes first
		}
		if end := ended(t, func(tb testing.TB) {
			if found := Program(tb, name); found != want {
				t.Errorf("%s is found as %s, expected %s", name, found, want)
			}
		}); end.skipped+end.failed != "" {
			t.Errorf("%s: %+v", name, end)
		}
	}
	put(on, "parallel", "echo 'parallel of moreutils'\n")
	if end := ended(t, func(t testing.TB) { Program(t, "parallel") }); end.skipped == "" && end.failed == "" {
		t.Error("another program of the name parallel is taken")
	}
}

// CI installs all that tests may need: what the lists say that one installs stands in its script, or among the packages of Python.
func TestCIInstalls(t *testing.T) {
	read := func(path string) []string {
		text, err := os.ReadFile(filepath.Join("..", "..", path))
		if err != nil {
			t.Fatal(err)
		}
		return strings.FieldsFunc(string(text), func(r rune) bool { return strings.ContainsRune(" \t\n\"|", r) })
	}
	script, peers := read(".ci/run"), read("python/peers.in")
	for name, p := range programs {
		packages, ok := strings.CutPrefix(p.get, "apt-get install ")
		for _, name := range strings.Fields(packages) {
			if ok && !slices.Contains(script, name) {
				t.Errorf(".ci/run does not install %s", name)
			}
		}
		if !ok && !slices.Contains([]string{"go", "mkfifo", "sh", "sleep"}, name) {
			t.Errorf("%s: how CI gets it is not said: %s", name, p.get)
		}
	}
	for family, name := range fonts {
		if !slices.Contains(script, name) || !slices.Contains(Fonts, family) {
			t.Errorf(".ci/run does not install %s, or no test shows %s", name, family)
		}
	}
	for module := range modules {
		if !slices.Contains(peers, module) {
			t.Errorf("python/peers.in does not have %s", module)
		}
	}
}
