//go:build unix

package solvers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/solvetest"
)

// decideAsProgram is an on-line policy that does as it should: it runs one job at a time, the first of the queue, where it ends first.
func decideAsProgram() {
	type job struct {
		ID        string             `json:"id"`
		Estimates map[string]float64 `json:"estimates"`
	}
	var queue []job
	running, lines := 0, bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		var event struct {
			Format  string
			End     bool
			Arrived []job
			Ended   []string
		}
		if err != nil || json.Unmarshal(line, &event) != nil || event.End {
			return
		}
		if event.Format != "" {
			continue
		}
		queue, running = append(queue, event.Arrived...), running-len(event.Ended)
		answer := "{}\n"
		if running == 0 && len(queue) > 0 {
			best := ""
			for cluster, takes := range queue[0].Estimates {
				if least := queue[0].Estimates[best]; best == "" || takes < least || takes == least && cluster < best {
					best = cluster
				}
			}
			text, _ := json.Marshal(map[string]any{"start": []any{map[string]any{"job": queue[0].ID, "cluster": best}}})
			answer, queue, running = string(text)+"\n", queue[1:], 1
		}
		say([]byte(answer))
	}
}

// scripted is the on-line policy that a shell script decides. The function "answer" reads a line and writes its argument.
func scripted(t testing.TB, script string) solve.Solver {
	t.Helper()
	script = `answer() { read -r line || exit 9; printf '%s\n' "$1"; }; ` + script
	info, err := solve.Lookup("exec-online:" + shellquote.Join("sh", "-c", script))
	if err != nil {
		t.Fatal(err)
	}
	return info.New()
}

// pair is an instance of two processors: a and b of one processor arrive at 0, wide of both at 0, and late of one at 5. They take 2 time units by their
// estimates, and in truth 1.
func pair(t testing.TB) *model.Instance {
	b := model.NewBuilder("pair").Cluster(solvecases.Machines("c", 2, 1))
	for _, id := range []string{"a", "b", "wide", "late"} {
		job := model.JobSpec{ID: id, Work: new(1.0), Estimate: new(2.0)}
		switch id {
		case "wide":
			job.Processors = model.Rigid(2)
		case "late":
			job.Arrival = 5
		}
		b.Job(job)
	}
	return solvecases.Built(t, b)
}

const (
	startA    = `{"start":[{"job":"a","cluster":"c"}]}`
	startWide = `{"start":[{"job":"wide","cluster":"c"}]}`
)

// What a program must not do, and the error that says so. The first line that a script reads is the header.
func TestOnlineProgramFaults(t *testing.T) {
	for _, c := range []struct{ name, script, wrong string }{
		{"ends at once", `exit 0`, `answer 1, at time 0: the program ended before it answered`},
		{"fails", `read -r h; read -r e; echo no licence >&2; exit 5`, "answer 1, at time 0: the program failed before it answered: exit status 5; the end of its standard error:\n  no licence"},
		{"fails later", `read -r h; answer '` + startA + `'; read -r e; exit 1`, `answer 2, at time 1: the program failed before it answered: exit status 1`},
		{"ends inside an answer", `read -r h; read -r e; printf '{"start": ['`, `answer 1, at time 0: the program ended in the middle of its answer`},
		{"closes its output", `read -r h; exec 1>&-; exec sleep 1000`, `the program closed its standard output before it answered`},
		{"rubbish", `read -r h; answer 'Starting...'`, `answer 1, at time 0: expected a JSON object, found "Starting..."`},
		{"a list", `read -r h; answer '[]'`, `answer 1, at time 0: expected a JSON object, found "[]"`},
		{"not JSON", `read -r h; answer '{]'`, `not JSON`},
		{"not a number", `read -r h; answer '{"call_me_at": NaN}'`, `not JSON: invalid character 'N'`},
		{"null", `read -r h; answer '{"call_me_at": null}'`, `answer 1, at time 0: call_me_at: expected a number, found null; the answer was {"call_me_at": null}`},
		{"an unknown field", `read -r h; answer '{"begin": []}'`, `begin: unknown field; expected one of start, reject, call_me_at`},
		{"a field twice", `read -r h; answer '{"start": [], "start": []}'`, `start: expected the field once`},
		{"no job", `read -r h; answer '{"start": [{"cluster": "c"}]}'`, `start[0]: expected the field "job", found none`},
		{"no cluster", `read -r h; answer '{"start": [{"job": "a"}]}'`, `start[0]: expected the field "cluster", found none`},
		{"an unknown job", `read -r h; answer '{"start": [{"job": "z", "cluster": "c"}]}'`, `start[0].job: expected the id of a job that waits, found "z", which has not arrived or has left; the answer was {"start": [{"job": "z"`},
		{"a job that has not arrived", `read -r h; answer '{"start": [{"job": "late", "cluster": "c"}]}'`, `found "late", which has not arrived or has left`},
		{"a job twice", `read -r h; answer '{"start": [{"job": "a", "cluster": "c"}, {"job": "a", "cluster": "c"}]}'`, `start[1].job: expected the id of a job that waits, found "a", which has been running since 0`},
		{"a job that runs", `read -r h; answer '{"start": [{"job": "a", "cluster": "c"}], "call_me_at": 0.5}'; answer '` + startA + `'`, `answer 2, at time 0.5: start[0].job: expected the id of a job that waits, found "a", which has been running since 0`},
		{"a job that has ended", `read -r h; answer '` + startA + `'; answer '` + startA + `'`, `answer 2, at time 1: start[0].job: expected the id of a job that waits, found "a", which has not arrived or has left`},
		{"a job that it has rejected", `read -r h; answer '{"reject": [{"job": "a"}, {"job": "a"}]}'`, `reject[1].job: expected the id of a job that waits, found "a"`},
		{"rejects one that runs", `read -r h; answer '{"start": [{"job": "a", "cluster": "c"}], "reject": [{"job": "a"}]}'`, `reject[0].job: expected the id of a job that waits, found "a", which has been running`},
		{"an unknown cluster", `read -r h; answer '{"start": [{"job": "a", "cluster": "d"}]}'`, `start[0].cluster: expected a cluster of the header, found "d"`},
		{"too many at once", `read -r h; answer '{"start": [{"job": "a", "cluster": "c"}, {"job": "wide", "cluster": "c"}]}'`, `start[1].job: job "wide" needs 2 processors of "c", but 1 are free`},
		{"another number of processors", `read -r h; answer '{"start": [{"job": "a", "cluster": "c", "processors": 2}]}'`, `start[0].processors: expected 1 processor for job "a" on "c", found 2`},
		{"no processors", `read -r h; answer '{"start": [{"job": "a", "cluster": "c", "processors": 0}]}'`, `start[0].processors: expected a whole number`},
		{"processors that are not there", `read -r h; answer '{"start": [{"job": "a", "cluster": "c", "on": "2"}]}'`, `start[0].on: expected processors of "c" that are free and where job "a" can run, found 2`},
		{"too few processors", `read -r h; answer '{"start": [{"job": "wide", "cluster": "c", "on": "1"}]}'`, `start[0].on: expected 2 processors for job "wide" on "c", found 1`},
		{"no set", `read -r h; answer '{"start": [{"job": "a", "cluster": "c", "on": "x"}]}'`, `start[0].on: `},
		{"a number and a set", `read -r h; answer '{"start": [{"job": "a", "cluster": "c", "on": "1", "processors": 1}]}'`, `start[0].on: expected one of processors and on, found both`},
		{"processors that are held", `read -r h; answer '{"start": [{"job": "a", "cluster": "c", "on": "1"}, {"job": "b", "cluster": "c", "on": "1"}]}'`, `job b cannot start at 0 on processors 1 of cluster c`},
		{"a call in the past", `read -r h; answer '{"call_me_at": -1}'`, `call_me_at: expected a time after now, 0, found -1`},
		{"a call now", `read -r h; answer '{"call_me_at": 0}'`, `call_me_at: expected a time after now, 0, found 0`},
		{"a call never", `read -r h; answer '{"call_me_at": 1e400}'`, `call_me_at: expected a finite number`},
		{"starts nothing", `read -r h; while true; do answer '{}'; done`, `after event 2 at 5 nothing runs, no job arrives any more and the program asked for no call, but 4 jobs wait still, such as "a"`},
		{"an answer too many", `read -r h; answer '{}{}'; answer '{}'; answer '{}'`, `expected one answer to each event, found more: "{}"`},
		{"an answer to the last line", `read -r h; answer '{"start": [{"job": "a", "cluster": "c"}, {"job": "b", "cluster": "c"}]}'; answer '` + startWide + `'; answer '{}';
			answer '{"start":[{"job":"late","cluster":"c"}]}'; answer '{}'; answer '{}'`, `expected no answer to the last line, found "{}"`},
		{"answers without end", `yes '{}'`, `expected one answer to each event, found more: "{}`},
		{"a line without end", `printf '{'; head -c 20000000 /dev/zero | tr '\0' ' '; sleep 1000`, `answer 1, at time 0: expected at most 16777216 bytes, found more`},
		{"silence", `read -r h; sleep 1000`, `answer 1, at time 0: expected an answer within 300ms, found none`},
		{"no answer and no reading", `sleep 1000`, `answer 1, at time 0: expected an answer within 300ms, found none`},
		{"half an answer", `read -r h; printf '{"start":'; sleep 1000`, `answer 1, at time 0: expected an answer within 300ms, found none`},
		{"a byte order mark", `read -r h; read -r e; printf '\357\273\277{}\n'`, `answer 1, at time 0: expected a JSON object, found a byte order mark: write UTF-8 without it`},
		{"control characters", `read -r h; read -r e; printf '\033[31mred\n'`, `expected a JSON object, found " [31mred"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean(t)
			gone := goneAfter(t)
			program := scripted(t, `exec 9>"$ALIVE"; `+c.script)
			setAnswerLimit(t, program, "10")
			if strings.Contains(c.wrong, "300ms") {
				setAnswerLimit(t, program, "0.3")
			}
			_, err := program.Solve(context.Background(), pair(t), solve.Options{})
			if err == nil || !strings.Contains(err.Error(), c.wrong) || len(err.Error()) > 6000 || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("error %v, expected one with %q", err, c.wrong)
			}
			gone()
		})
	}
}

// goneAfter makes a named pipe, whose path is in the variable ALIVE; gone fails the test where a process that has opened it for writing still lives.
func goneAfter(t *testing.T) (gone func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ALIVE", path)
	alive, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		defer alive.Close()
		if err := alive.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := alive.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("a process of the program still lives")
		}
	}
}

// Programs that do not end by themselves, and children that they leave: they are gone when the run is over, whatever ended it.
func TestOnlineProgramIsStopped(t *testing.T) {
	const deaf = `trap '' TERM INT; (trap '' TERM INT; sleep 1000) & `
	for _, c := range []struct{ name, script string }{
		{"hangs", deaf + `touch "$BEGUN"; sleep 1000`},
		{"writes for ever", deaf + `touch "$BEGUN"; read -r h; printf '{"start": ["'; while true; do printf x; done`},
		{"reads on", deaf + `touch "$BEGUN"; cat >/dev/null; sleep 1000`},
		{"leaves its group", `exec python3 -c 'import os, time; os.setpgid(0, os.getpgid(os.getppid())); open(os.environ["BEGUN"], "w"); time.sleep(1000)'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("python3"); err != nil && strings.Contains(c.script, "python3") {
				t.Skip(err)
			}
			clean(t)
			gone := goneAfter(t)
			begun := filepath.Join(t.TempDir(), "begun")
			t.Setenv("BEGUN", begun)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() {
				for range 1000 {
					if _, err := os.Stat(begun); err == nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				cancel()
			}()
			result, err := scripted(t, `exec 9>"$ALIVE"; `+c.script).Solve(ctx, pair(t), solve.Options{})
			if err != nil || result.Solution != nil || result.Stop != model.StopCancelled {
				t.Errorf("%+v, %v", result, err)
			}
			gone()
		})
	}
}

// Programs that are right but for how they end.
func TestOnlineProgramEnds(t *testing.T) {
	const right = `read -r h; answer '{"start": [{"job": "a", "cluster": "c"}, {"job": "b", "cluster": "c"}]}'; answer '` + startWide + `'; answer '{}';
		answer '{"start": [{"job": "late", "cluster": "c"}]}'; answer '{}'; `
	for _, c := range []struct{ name, end, warning string }{
		{"reads the last line", `read -r e; test "$e" = '{"end":true,"now":6}' || exit 7`, ""},
		{"ends before the last line", ``, ""},
		{"fails after the last line", `read -r e; echo oh >&2; exit 3`, "the program failed after the last line: exit status 3; the end of its standard error:\n  oh"},
		{"stays", `sleep 1000`, "the program did not end within 400ms after the last line"},
		{"closes its output and stays", `exec 1>&-; sleep 1000`, "the program did not end within 400ms after the last line"},
		{"leaves a child", `sleep 1000 &`, ""},
		{"blank lines", `echo; echo`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean(t)
			gone := goneAfter(t)
			program := scripted(t, `exec 9>"$ALIVE"; `+right+c.end)
			if strings.Contains(c.warning, "400ms") {
				setAnswerLimit(t, program, "0.4")
			}
			result, err := program.Solve(context.Background(), pair(t), solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if report := model.Check(pair(t), result.Solution); !report.OK() || len(result.Solution.Jobs) != 4 || result.Warning != c.warning {
				t.Errorf("%v, %d jobs, warning %q", report.Violations, len(result.Solution.Jobs), result.Warning)
			}
			gone()
		})
	}
}

// A program refuses an instance at its first answer, also before it is asked.
func TestOnlineProgramRefuses(t *testing.T) {
	for _, script := range []string{`echo '{"unsupported": "all"}'`, `read -r h; read -r e; echo '{"unsupported": "all"}'; exit 3`} {
		clean(t)
		_, err := scripted(t, script).Solve(context.Background(), pair(t), solve.Options{})
		if !errors.Is(err, solve.ErrUnsupported) || !strings.HasSuffix(err.Error(), "unsupported: all") {
			t.Errorf("%s: %v", script, err)
		}
	}
	for name, wrong := range map[string]string{"exec-online:": "expected exec-online: and a command", "exec-online:'a": "quotes closed", "exec-online:a+easy": ""} {
		if _, err := solve.Lookup(name); (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	info, err := solve.Lookup("exec-online:no-such-program")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := solve.Run(context.Background(), info.Choice(), pair(t), solve.Options{}); !errors.Is(err, solve.ErrUnsupported) {
		t.Error(err)
	}
}

// A call comes at its time, if a job waits then and nothing else happens before; a job that is rejected is left out with the reason.
func TestOnlineProgramCalls(t *testing.T) {
	clean(t)
	in := pair(t)
	result, err := scripted(t, `read -r h
		answer '{"reject": [{"job": "b", "reason": "too slow"}, {"job": "wide"}], "call_me_at": 3.5}'
		answer '{"start": [{"job": "a", "cluster": "c", "processors": 1}], "call_me_at": 4}' # at 3.5; nothing waits for the call
		answer '{}' # at 4.5, the end of a
		answer '{"start": [{"job": "late", "cluster": "c", "on": "1"}]}'
		answer '{}'`).Solve(context.Background(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, p := range result.Solution.Jobs {
		fmt.Fprintf(&text, "%s %v on %s; ", p.Job, p.Start, p.Processors)
	}
	for _, u := range result.Solution.Unscheduled {
		fmt.Fprintf(&text, "%s: %s; ", u.Job, u.Reason)
	}
	if want := "a 3.5 on 0; late 5 on 1; b: rejected by the policy: too slow; wide: rejected by the policy; "; text.String() != want {
		t.Errorf("%s, expected %s", text.String(), want)
	}
}

// A program that is a policy keeps the contract of every solver.
func TestOnlineProgramConforms(t *testing.T) {
	clean(t)
	info, err := solve.Lookup("exec-online:" + shellquote.Join("env", actVar+"=decide", "GORACE=atexit_sleep_ms=0", os.Args[0]))
	if err != nil {
		t.Fatal(err)
	}
	solvetest.ConformSample(t, info, 12) // each instance takes some seven processes
}

// scarce is an instance of two machines of two processors and 3 units of memory each, and one processor elsewhere. Jobs x and y need the only copy of a licence,
// p and q have 2 units of memory a task, one is for one machine, and m is moldable.
func scarce(t *testing.T) *model.Instance {
	b := model.NewBuilder("scarce")
	b.Cluster(model.ClusterSpec{ID: "c", Licences: map[string]int{"l": 1}, Machines: []model.MachineSpec{{ID: "m", Count: 2, Processors: 2, Memory: new(3.0)}}})
	b.Cluster(model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m"}}})
	for _, id := range []string{"x", "y"} {
		b.Job(model.JobSpec{ID: id, Work: new(1.0), Licences: map[string]int{"l": 1}})
	}
	b.Job(model.JobSpec{ID: "p", Work: new(1.0), Memory: 2}, model.JobSpec{ID: "q", Work: new(1.0), Memory: 2, Processors: model.Rigid(2)},
		model.JobSpec{ID: "one", Work: new(1.0), Processors: model.Rigid(2), Span: "machine"},
		model.JobSpec{ID: "m", Work: new(12.0), Tasks: 4, Processors: model.Moldable(2, 3)})
	return solvecases.Built(t, b)
}

// What asks for more than processors: licences, memory, one machine, and a choice of processors.
func TestOnlineProgramScarce(t *testing.T) {
	clean(t)
	for _, c := range []struct{ answer, placed, wrong string }{
		{`[{"job":"x","cluster":"c"},{"job":"y","cluster":"c"}]`, "", `start[1].job: job "y" needs more copies of licence "l" than are free on "c"`},
		{`[{"job":"x","cluster":"d"}]`, "", `start[0].cluster: expected a cluster on which job "x" can run, found "d"`},
		{`[{"job":"p","cluster":"c"},{"job":"q","cluster":"c"}]`, "", `start[1].job: job "q" needs 2 processors with what it asks for on "c"; 3 are free, but too few of them have it`},
		{`[{"job":"q","cluster":"c","on":"0-1"}]`, "", `start[0].on: expected processors of "c" that are free and where job "q" can run, found 0-1`},
		{`[{"job":"q","cluster":"c","on":"1-2"},{"job":"p","cluster":"d"}]`, "q c 1-2 0 1; p d 0 0 1; ", ""},
		{`[{"job":"one","cluster":"c","on":"1-2"}]`, "", `start[0].on: expected processors of "c" that are free and where job "one" can run, found 1-2`},
		{`[{"job":"one","cluster":"c","on":"2-3"},{"job":"x","cluster":"c"}]`, "one c 2-3 0 1; x c 0 0 1; ", ""},
		{`[{"job":"x","cluster":"c","on":"0"},{"job":"p","cluster":"c","on":"2"},{"job":"one","cluster":"c"}]`, "", `start[2].job: job "one" needs 2 processors with`},
		{`[{"job":"m","cluster":"c"}]`, "m c 0-2 0 24; ", ""},
		{`[{"job":"m","cluster":"c","processors":2}]`, "m c 0-1 0 24; ", ""},
		{`[{"job":"m","cluster":"c","processors":4}]`, "", `start[0].processors: expected 2 to 3 processors for job "m" on "c", found 4`},
		{`[{"job":"m","cluster":"c","on":"0"}]`, "", `start[0].on: expected 2 to 3 processors for job "m" on "c", found 1`},
		{`[{"job":"m","cluster":"d"}]`, "", `start[0].cluster: expected a cluster on which job "m" can run, found "d"`},
	} {
		var rest []string
		for _, id := range []string{"x", "y", "p", "q", "one", "m"} {
			if !strings.Contains(c.answer, `"`+id+`"`) {
				rest = append(rest, `{"job":"`+id+`"}`)
			}
		}
		script := `read -r h; answer '{"start":` + c.answer + `,"reject":[` + strings.Join(rest, ",") + `]}'; while read -r e; do case "$e" in *end\":*) exit;; esac; echo '{}'; done`
		in := scarce(t)
		result, err := solve.Run(context.Background(), solve.Choice{Solver: scripted(t, script)}, in, solve.Options{})
		var placed strings.Builder
		if err == nil {
			for _, p := range result.Solution.Jobs {
				fmt.Fprintf(&placed, "%s %s %s %v %v; ", p.Job, p.Cluster, p.Processors, p.Start, p.End)
			}
		}
		if placed.String() != c.placed || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: placed %s, %v", c.answer, placed.String(), err)
		}
	}
}

// setAnswerLimit sets how many seconds a program may take for an answer.
func setAnswerLimit(t *testing.T, program solve.Solver, seconds string) {
	t.Helper()
	if err := params.Set(program, "answer_limit", seconds); err != nil {
		t.Fatal(err)
	}
}
