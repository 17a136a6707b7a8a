package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/serve"
)

// serveCommandOf is the command allot serve, as a process of its own.
func serveCommandOf(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("allot") // TestMain puts it there
	if err != nil {
		t.Skip(err)
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), path, append([]string{"serve"}, args...)...)
	command.Env = append(os.Environ(), noRaceSleep)
	return command
}

// beginService starts the service over HTTP and returns its address.
func beginService(t *testing.T, args ...string) string {
	t.Helper()
	command := serveCommandOf(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			t.Errorf("the service ends with %v", err)
		}
	})
	lines := bufio.NewReader(log)
	first, err := lines.ReadString('\n')
	at := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(first)
	if err != nil || at == nil {
		t.Fatal(first, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return at[1]
}

// answered sends a request to the service and returns what it answers.
func answered(t *testing.T, address, operation, body string) []byte {
	t.Helper()
	response, err := http.Post("http://"+address+"/v1/"+operation, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, string(text), err)
	}
	return text
}

// oneLine is JSON without white space, and without what the clock decides.
func oneLine(t *testing.T, text []byte) string {
	t.Helper()
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
	return regexp.MustCompile(`"elapsed_s":[^,}]*`).ReplaceAllString(line.String(), `"elapsed_s":0`)
}

// The same request, seed and number of evaluations give the documents that the commands write, byte for byte but for white space.
func TestServiceAnswersAsCommands(t *testing.T) {
	address := beginService(t, "--max-time", "10m")
	folder := t.TempDir()
	plan := filepath.Join(folder, "plan.json")
	text := func(path string) string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		quoted, err := json.Marshal(string(content))
		if err != nil {
			t.Fatal(err)
		}
		return string(quoted)
	}
	const folderOfExamples = "../../examples/"
	four, table1, queue, workflow := folderOfExamples+"four.json", folderOfExamples+"table1.json", folderOfExamples+"backfilling.json", folderOfExamples+"workflow.json"
	command := func(args ...string) []byte {
		var out, complaints bytes.Buffer
		if status := run(t.Context(), append([]string{"allot"}, args...), &out, &complaints); status != exitOK {
			t.Fatalf("%v: %d: %s", args, status, &complaints)
		}
		return out.Bytes()
	}
	command("solve", "--solver", "easy", "-o", plan, queue)
	swf := filepath.Join(folder, "trace.swf")
	var trace strings.Builder
	trace.WriteString("; MaxProcs: 16\n")
	for k := range 300 {
		fmt.Fprintf(&trace, "%d %d -1 %d %d -1 -1 %d %d -1 1 %d 1 1 1 1 -1 -1\n", k+1, k*700, 100+k*37%5000, 1+k%9, 1+k%9, 200+k*37%5000, 1+k%5)
	}
	if err := os.WriteFile(swf, []byte(trace.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		operation, member, body string
		args                    []string
	}{
		{"solve", "solution", `{"solver": "search", "evaluations": 5000, "seed": 7, "instance": ` + text(four) + `}`, []string{"solve", "--solver", "search", "--evals", "5000", "--seed", "7", four}},
		{"solve", "solution", `{"evaluations": 2000, "instance": ` + text(workflow) + `}`, []string{"solve", "--evals", "2000", workflow}},
		{"solve", "solution", `{"solver": "muscle", "param": {"reading": "b"}, "objective": "makespan", "instance": ` + text(table1) + `}`, []string{"solve", "--solver", "muscle", "--param", "reading=b", "--objective", "makespan", table1}},
		{"check", "", `{"instance": ` + text(queue) + `, "solution": ` + text(plan) + `}`, []string{"check", "--json", queue, plan}},
		{"bound", "", `{"instance": ` + text(table1) + `}`, []string{"bound", "--json", table1}},
		{"compare", "rows", `{"solvers": ["muscle", "search:effort=0.01", "x=minmin"], "evaluations": 500, "instances": [` + text(table1) + `, ` + text(four) + `]}`, []string{"compare", "--json", "--workers", "1", "--solvers", "muscle,search:effort=0.01,x=minmin", "--evals", "500", table1, four}},
		{"policies", "report", `{"name": "trace.swf", "policies": ["fcfs", "easy"], "trace": ` + text(swf) + `}`, []string{"policies", "--json", "--policies", "fcfs,easy", swf}},
		{"simulate", "", `{"instance": ` + text(queue) + `}`, []string{"simulate", "--json", queue}},
		{"simulate", "", `{"job": "D", "runs": 10, "instance": ` + text(queue) + `}`, []string{"simulate", "--json", "--runs", "10", "--job", "D", queue}},
		{"explain", "", `{"job": "D", "instance": ` + text(queue) + `, "solution": ` + text(plan) + `}`, []string{"explain", "--json", queue, plan, "D"}},
		{"explain", "steps", `{"trace": true, "instance": ` + text(queue) + `, "solution": ` + text(plan) + `}`, []string{"explain", "--trace", "--json", queue, plan}},
		{"explain", "steps", `{"trace": true, "solver": "wrand", "seed": 5, "job": "D", "instance": ` + text(queue) + `}`, []string{"explain", "--trace", "--json", "--solver", "wrand", "--seed", "5", queue, "D"}},
		{"simulate", "", `{"backtest": true, "samples": 20, "from": 0.5, "to": 0.9, "runs": 5, "solver": "fcfs", "seed": 3, "instance": ` + text(swf) + `}`, []string{"simulate", "--backtest", "--json", "--samples", "20", "--from", "0.5", "--to", "0.9", "--runs", "5", "--solver", "fcfs", "--seed", "3", swf}},
		{"import", "instance", `{"format": "swf", "name": "trace.swf", "param": {"jobs": 50, "batch": true}, "files": [` + text(swf) + `]}`, []string{"import", "swf", "--jobs", "50", "--batch", swf}},
		{"solvers", "solvers", `{}`, []string{"solvers", "--json"}},
		{"solvers", "solver", `{"name": "search"}`, []string{"solvers", "--json", "search"}},
		{"schema", "schema", `{"name": "solution"}`, []string{"schema", "solution"}},
	} {
		found := answered(t, address, c.operation, c.body)
		if c.member != "" {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(found, &members); err != nil {
				t.Fatal(err)
			}
			found = members[c.member]
		}
		want := command(c.args...)
		if c.operation == "compare" || c.member == "steps" { // lines
			want = []byte("[" + strings.Join(strings.Split(strings.TrimSpace(string(want)), "\n"), ",") + "]")
		}
		if got, want := oneLine(t, found), oneLine(t, want); got != want {
			k := 0
			for k < min(len(got), len(want)) && got[k] == want[k] {
				k++
			}
			t.Errorf("%v: the service answers\n…%.200s\nthe command writes\n…%.200s", c.args, got[max(0, k-60):], want[max(0, k-60):])
		}
	}
	svg := answered(t, address, "draw", `{"instance": `+text(queue)+`, "solutions": [`+text(plan)+`]}`)
	var drawn serve.Drawn
	if err := json.Unmarshal(svg, &drawn); err != nil || drawn.Text != string(command("gantt", "--format", "svg", "--instance", queue, plan)) {
		t.Errorf("the picture is another one: %v: %.200s", err, svg)
	}
	certified := answered(t, address, "certify", `{"instance": `+text(table1)+`}`)
	var certificate struct{ Certificate json.RawMessage }
	if err := json.Unmarshal(certified, &certificate); err != nil {
		t.Fatal(err)
	}
	if verified := answered(t, address, "verify", `{"instance": `+text(table1)+`, "certificate": `+string(certificate.Certificate)+`}`); !bytes.Contains(verified, []byte(`"verdict":"verified"`)) {
		t.Errorf("%s", verified)
	}
}

// Where others reach it the service needs a token, and one that nobody guesses.
func TestServeNeedsAToken(t *testing.T) {
	short := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(short, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", ":0"}, "expected --token-file FILE"},
		{[]string{"--listen", "0.0.0.0:0"}, "expected --token-file FILE"},
		{[]string{"--listen", ":0", "--token-file", short}, "expected a token of at least 16 characters, found 6"},
		{[]string{"--listen", ":0", "--token-file", short + "x"}, "--token-file"},
		{[]string{"--listen", "nowhere"}, "--listen"},
		{[]string{"--stdio", "--listen", ":0"}, "expected it without --stdio"},
		{[]string{"--runs", "0"}, "--runs: expected a number ≥ 1"},
		{[]string{"more"}, "expected no arguments"},
	} {
		var out, complaints bytes.Buffer
		if status := run(t.Context(), append([]string{"allot", "serve"}, c.args...), &out, &complaints); status != exitInput || !strings.Contains(complaints.String(), c.want) {
			t.Errorf("%v: %d: %s", c.args, status, &complaints)
		}
	}
}

// SIGTERM ends the service; what runs is answered with the best so far.
func TestServeEndsInOrder(t *testing.T) {
	command := serveCommandOf(t, "--listen", "127.0.0.1:0")
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(log).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(first)[1]
	instance, err := os.ReadFile("../../examples/four.json")
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/solve", strings.NewReader(`{"solver": "search", "time": 55, "instance": `+string(instance)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	if text, err := lines.ReadString('\n'); err != nil || text != "event: progress\n" {
		t.Fatal(text, err)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Skip(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil || !bytes.Contains(rest, []byte("event: result\ndata: {\"status\":\"feasible\",\"stop\":\"cancelled\"")) {
		t.Errorf("%v: %.500s", err, rest)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

// piped starts a command, with its standard input and output.
func piped(t *testing.T, command *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, wrong := command.StdinPipe()
	out, err := command.StdoutPipe()
	if err := errors.Join(wrong, err, command.Start()); err != nil {
		t.Fatal(err)
	}
	return in, out
}

// A client that ends at any moment, and a service that is killed at any moment, leave no process, also none of a program that solves for it, and no file. ALLOT_KILLS says how
// often.
func TestKilledClients(t *testing.T) {
	kills := 20
	if text := os.Getenv("ALLOT_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal("ALLOT_KILLS: ", err)
		}
	}
	files := t.TempDir()
	mark := fmt.Sprintf("%d.%d", 4000+os.Getpid()%1000, rand.IntN(1_000_000)) // a program of this test alone: sleep for so long
	instance, err := os.ReadFile("../../examples/tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	flat := oneLine(t, instance)
	random := rand.New(rand.NewPCG(3, 4))
	for range kills {
		command := serveCommandOf(t, "--stdio", "--allow-exec")
		command.Env = append(command.Environ(), "TMPDIR="+files)
		in, out := piped(t, command)
		for k := range 1 + random.IntN(5) {
			solver := []string{"search", "exec:sleep " + mark, "call:f", "exec-online:sleep " + mark}[random.IntN(4)]
			fmt.Fprintf(in, `{"id": %d, "method": "solve", "params": {"solver": %q, "instance": %s}, "progress": true}`+"\n", k, solver, flat)
		}
		time.Sleep(time.Duration(random.IntN(150)) * time.Millisecond)
		if random.IntN(2) == 0 {
			_ = command.Process.Kill()
			_ = command.Wait() // it was killed
			continue
		}
		_, _ = in.Close(), out.Close() // as the system closes them for a client that is killed
		_ = command.Wait()             // with an error where it could not write
		if code := command.ProcessState.ExitCode(); code != exitOK && code != exitFailure {
			t.Errorf("the service ends with %v", command.ProcessState)
		}
	}
	if left, err := os.ReadDir(files); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
	needs.Program(t, "pgrep")
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left, _ := exec.Command("pgrep", "-f", "^sleep "+regexp.QuoteMeta(mark)).Output()
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("programs are left: %s", left)
		}
	}
}
