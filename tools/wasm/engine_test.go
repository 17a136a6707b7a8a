package wasm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// engine is the engine of the page under node, or the native service: both speak the same lines.
type engine struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Scanner
}

// begun starts a program that speaks lines, and reads its greeting.
func begun(t *testing.T, name string, arguments ...string) *engine {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	e := &engine{t, in, bufio.NewScanner(out)}
	e.lines.Buffer(nil, 64<<20)
	if greeting := e.line(); !strings.Contains(greeting, `"protocol":"allot-service/1"`) {
		t.Fatalf("the first line is %.200s", greeting)
	}
	return e
}

// line reads a line.
func (e *engine) line() string {
	e.t.Helper()
	if !e.lines.Scan() {
		e.t.Fatalf("expected a line: %v", e.lines.Err())
	}
	return e.lines.Text()
}

// send writes a line.
func (e *engine) send(text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, text+"\n"); err != nil {
		e.t.Fatal(err)
	}
}

// answer asks for something and returns the last line about it.
func (e *engine) answer(method, parameters string) string {
	e.t.Helper()
	e.send(fmt.Sprintf(`{"id": 1, "method": %q, "params": %s}`, method, parameters))
	return e.line()
}

// example is an instance of the examples, on one line.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		t.Fatal(err)
	}
	return line.String()
}

// ofVersion is the version, in which a build names itself.
var ofVersion = regexp.MustCompile(`"version":"[^"]*"`)

// same fails where the two answer otherwise.
func same(t *testing.T, here, there *engine, method, parameters string) (answer string) {
	t.Helper()
	answer = here.answer(method, parameters)
	other := there.answer(method, parameters)
	if !strings.HasPrefix(answer, `{"id":1,"result":`) {
		t.Errorf("%s here: %.500s", method, answer)
	}
	if a, b := ofVersion.ReplaceAllString(answer, ""), ofVersion.ReplaceAllString(other, ""); a != b {
		t.Errorf("%s: the engine answers\n%.1500s\nand the native service\n%.1500s", method, b, a)
	}
	return answer
}

// mostBytes is how large the engine may be in the quick form of the site: what has 7.14 MB there travels as 5.87 MB, of 6 that it may have.
const mostBytes = 7_290_000

// TestEngineOfThePage runs the engine as tools/site builds them.
func TestEngineOfThePage(t *testing.T) {
	r := builds(t)
	site := t.TempDir()
	if output, err := exec.Command("go", "run", "../site", "-C", "../..", "-o", site, "-quick").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if engine, err := os.Stat(filepath.Join(site, "allot.wasm.br")); err != nil || engine.Size() > mostBytes || engine.Size() < mostBytes/4 {
		t.Errorf("the engine by brotli: %v; expected at most %d bytes", engine, mostBytes)
	}
	here := begun(t, r.native, "serve", "--stdio")
	there := begun(t, r.node, "testdata/engine.mjs", site, "allot.wasm")
	for solver, name := range map[string]string{"muscle": "four.json", "titan": "multicluster.json", "mts": "four.json", "ggone": "ggone.json", "search": "multicluster.json"} {
		t.Run(solver, func(t *testing.T) {
			same(t, here, there, "solve", fmt.Sprintf(`{"instance": %s, "solver": %q, "seed": 3, "evaluations": 2000, "certify": true}`, example(t, name), solver))
		})
	}
	t.Run("everything else", func(t *testing.T) {
		instance := example(t, "multicluster.json")
		var solved struct {
			Result struct {
				Solution json.RawMessage `json:"solution"`
			} `json:"result"`
		}
		answer := same(t, here, there, "solve", fmt.Sprintf(`{"instance": %s, "solver": "minmin"}`, instance))
		if err := json.Unmarshal([]byte(answer), &solved); err != nil {
			t.Fatal(err)
		}
		both := fmt.Sprintf(`"instance": %s, "solution": %s`, instance, solved.Result.Solution)
		job := regexp.MustCompile(`"job":"([^"]*)"`).FindStringSubmatch(string(solved.Result.Solution))[1]
		drawn := fmt.Sprintf(`"instance": %s, "solutions": [%s]`, instance, solved.Result.Solution)
		trace := "; MaxProcs: 8\n"
		for k := range 60 {
			trace += fmt.Sprintf("%d %d -1 %d %d -1 -1 %d %d -1 1 %d -1 -1 -1 -1 -1 -1\n", k+1, 20*k, 50+37*k%200, 1+k%8, 1+k%8, 300, 1+k%3)
		}
		text, err := json.Marshal(trace)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]string{
			{"check", "{" + both + "}"},
			{"explain", "{" + both + `, "job": "` + job + `"}`},
			{"draw", "{" + drawn + "}"},
			{"draw", "{" + drawn + `, "format": "html"}`},
			{"draw", "{" + drawn + `, "format": "text"}`},
			{"draw", "{" + drawn + `, "format": "pdf"}`},
			{"policies", `{"trace": ` + string(text) + `, "policies": ["fcfs", "easy"]}`},
			{"solvers", "{}"},
		} {
			same(t, here, there, c[0], c[1])
		}
		same(t, here, there, "import", `{"files": [`+string(text)+`]}`)
	})
	t.Run("a solver at work is heard and hears", func(t *testing.T) { // although there is one thread
		begin := fmt.Sprintf(`{"id": 7, "method": "solve", "progress": true, "params": {"instance": %s, "solver": "search", "schedules": true}}`, example(t, "multicluster.json"))
		there.send(begin)
		if told := there.line(); !strings.HasPrefix(told, `{"id":7,"progress":`) {
			t.Fatalf("expected progress, found %.300s", told)
		}
		there.send(`{"cancel": 7}`)
		last := there.line()
		for strings.HasPrefix(last, `{"id":7,"progress":`) {
			last = there.line()
		}
		if !strings.Contains(last, `"result"`) || !strings.Contains(last, `"stop":"cancelled"`) || !strings.Contains(last, `"solution"`) {
			t.Errorf("cancelled: %.300s", last)
		}
	})
	t.Run("limits of time hold", func(t *testing.T) {
		answer := there.answer("solve", fmt.Sprintf(`{"instance": %s, "solver": "search", "time": 0.3}`, example(t, "multicluster.json")))
		if !strings.Contains(answer, `"stop":"time"`) {
			t.Errorf("%.300s", answer)
		}
	})
}
