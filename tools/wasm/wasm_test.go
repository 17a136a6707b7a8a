package wasm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/allot-opt/allot/tools/internal/needs"
)

// runner runs the js/wasm build under node; the test is skipped where there is no node.
type runner struct{ node, script, native, wasm string }

var folder string // of what the tests have built

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(folder) // the folder of temporary files is emptied anyway
	os.Exit(code)
}

// build builds the command for here and for js/wasm, once. The latter is compiled as the engine of the page is, so that its packages are compiled once.
var build = sync.OnceValues(func() (r runner, err error) {
	if folder, err = os.MkdirTemp("", "wasm"); err != nil {
		return r, err
	}
	r.native, r.wasm = filepath.Join(folder, "allot"), filepath.Join(folder, "allot.wasm")
	for file, platform := range map[string][]string{r.native: nil, r.wasm: {"GOOS=js", "GOARCH=wasm", "GOFLAGS=-trimpath"}} {
		build := exec.Command("go", "build", "-C", "../..", "-o", file, "./cmd/allot")
		build.Env = append(append(os.Environ(), "CGO_ENABLED=0"), platform...)
		if output, err := build.CombinedOutput(); err != nil {
			return r, fmt.Errorf("%v: %w\n%s", platform, err, output)
		}
	}
	return r, nil
})

// builds returns the command for here and for js/wasm.
func builds(t *testing.T) runner {
	t.Helper()
	node := needs.Program(t, "node")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	if _, err := os.Stat(script); err != nil {
		t.Skipf("this Go has no %s: the js/wasm build is not run", script)
	}
	r, err := build()
	if err != nil {
		t.Fatal(err)
	}
	r.node, r.script = node, script
	return r
}

// run is what a build prints, and what it says besides.
func (r runner) run(t *testing.T, inNode bool, arguments ...string) (output []byte, complaint string, err error) {
	t.Helper()
	command := exec.Command(r.native, arguments...)
	if inNode {
		command = exec.Command(r.node, append([]string{r.script, r.wasm}, arguments...)...)
		// Command line and environment share 12 kB with the program, so it gets no more than it needs.
		command.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	command.Dir = "../../examples"
	var errors bytes.Buffer
	command.Stderr = &errors
	output, err = command.Output()
	return output, errors.String(), err
}

var version = regexp.MustCompile(`"version": "[^"]*"`)

func TestUnderNode(t *testing.T) {
	r := builds(t)
	t.Run("same bytes", r.sameBytes)
	t.Run("refused", r.refused)
	t.Run("suite", r.suite)
}

// suite: suites run, as a run folder needs no locks of the system.
func (r runner) suite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "suite.json")
	const text = `{"format": "allot-suite/1", "name": "x", "instances": [{"generate": "muscle", "parameters": {"jobs": 5}}], "solvers": ["minmin", "mct"]}`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{"--shard", "1/2"}, {"--steal"}} {
		if _, complaint, err := r.run(t, true, append([]string{"bench", path, "-o", filepath.Join(dir, "run")}, arguments...)...); err != nil {
			t.Errorf("%q: %v, %s", arguments, err, complaint)
		}
	}
	for name, want := range map[string]int{"rows-1.jsonl": 1, "rows-w1.jsonl": 1} {
		if rows, err := os.ReadFile(filepath.Join(dir, "run", name)); err != nil || bytes.Count(rows, []byte("\n")) != want {
			t.Errorf("%s: %q, %v", name, rows, err)
		}
	}
}

// sameBytes: the same seed and evaluations give the same bytes on js/wasm as here, but for the version, in which a build names itself.
func (r runner) sameBytes(t *testing.T) {
	for _, c := range [][]string{
		{"--evals", "20000", "--seed", "3", "multicluster.json"},
		{"--evals", "3000", "--seed", "5", "--workers", "4", "multicluster.json"},
		{"--evals", "3000", "--seed", "1", "workflow.json"},
		{"--evals", "3000", "--seed", "1", "moldable.json"},
		{"--evals", "3000", "--seed", "1", "ggone.json"},
	} {
		arguments := append([]string{"solve", "-o", "-"}, c...)
		here, complaint, err := r.run(t, false, arguments...)
		if err != nil {
			t.Fatalf("%q: %v\n%s", c, err, complaint)
		}
		there, complaint, err := r.run(t, true, arguments...)
		if err != nil {
			t.Fatalf("%q under node: %v\n%s", c, err, complaint)
		}
		if n := len(version.FindAll(here, -1)); n != 1 {
			t.Fatalf("%q: %d versions in the solution", c, n)
		}
		if here, there := version.ReplaceAll(here, nil), version.ReplaceAll(there, nil); !bytes.Equal(here, there) {
			t.Errorf("%q: under node\n%.2000s\nand here\n%.2000s", c, there, here)
		}
	}
}

// refused: what WebAssembly cannot do is refused in words.
func (r runner) refused(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"solve", "--solver", "exec:cat x", "tiny.json"}, "js/wasm cannot run the program cat"},
	} {
		if _, complaint, err := r.run(t, true, c.arguments...); err == nil || !strings.Contains(complaint, c.want) {
			t.Errorf("%q: %v, %s; expected %q", c.arguments, err, complaint, c.want)
		}
	}
}
