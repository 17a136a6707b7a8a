//go:build unix

package solvers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/solvetest"
)

// The variables that make the test binary a program to be run as a solver.
const (
	actVar     = "ALLOT_TEST_ACT"     // solve, or how to behave badly
	outputVar  = "ALLOT_TEST_OUTPUT"  // a file to write to standard output first
	addressVar = "ALLOT_TEST_ADDRESS" // where every process reports that it lives, by a connection that ends with it
)

// TestMain makes the binary the program where a test runs it as one.
func TestMain(m *testing.M) {
	if act := os.Getenv(actVar); act != "" {
		actAs(act)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// actAs is the program.
func actAs(act string) {
	if address := os.Getenv(addressVar); address != "" {
		if _, err := net.Dial("tcp", address); err != nil {
			panic(err)
		}
	}
	if act == "fork" || act == "leave" || act == "escape" {
		bear(act)
	}
	if path := os.Getenv(outputVar); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		say(text)
		if act == "for ever" {
			for {
				say(text)
			}
		}
	}
	switch act {
	case "solve":
		solveAsProgram()
	case "decide":
		decideAsProgram()
	case "end":
	case "fail":
		fmt.Fprintln(os.Stderr, strings.Repeat("noise\n", 10000)+"the last word\x1b[31m")
		os.Exit(7)
	case "crash":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "close":
		_ = os.Stdout.Close()
		time.Sleep(time.Hour)
	case "hang":
		time.Sleep(time.Hour)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
	case "child":
		signal.Ignore(syscall.SIGTERM)
		_, _ = os.NewFile(3, "reported").Write([]byte{0})
		for range 20 { // longer than the test looks
			time.Sleep(time.Second)
		}
	case "fork":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Minute)
	case "huge":
		line := bytes.Repeat([]byte(`{"job": "a", "cluster": "c0", "processors": "0", "start": 0, "end": 1}, `), 1000)
		fmt.Print(`{"schema": "allot/solution/1", "jobs": [`)
		for range 1 << 30 / len(line) {
			say(line)
		}
	case "limits":
		in, err := model.ReadInstance(os.Stdin, "standard input")
		if err != nil {
			panic(err)
		}
		fmt.Printf(`{"unsupported": "%s seed=%s workers=%s evaluations=%s time=%s start=%s"}`, in.Name(), os.Getenv("ALLOT_SEED"), os.Getenv("ALLOT_WORKERS"),
			os.Getenv("ALLOT_EVALUATIONS"), os.Getenv("ALLOT_TIME"), os.Getenv("ALLOT_START"))
	}
}

// bear starts a child that holds the pipes and is deaf, and waits until it has reported.
func bear(act string) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), actVar+"=child", outputVar+"=")
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	lives, reported, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	child.ExtraFiles = []*os.File{reported}
	if act == "escape" {
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := child.Start(); err != nil {
		panic(err)
	}
	_, _ = lives.Read(make([]byte, 1))
}

// say writes to standard output, where nobody may be left to read it.
func say(text []byte) { _, _ = os.Stdout.Write(text) }

// solveAsProgram is a program that does as it should: it writes the schedule of the list rule, then that of the search.
func solveAsProgram() {
	in, err := model.ReadInstance(os.Stdin, "standard input")
	if err != nil {
		panic(err)
	}
	opt := solve.Options{MaxEvals: 50}
	opt.Seed, _ = strconv.ParseUint(os.Getenv("ALLOT_SEED"), 10, 64)
	opt.Workers, _ = strconv.Atoi(os.Getenv("ALLOT_WORKERS"))
	if path := os.Getenv("ALLOT_START"); path != "" {
		if opt.Start, err = model.ReadSolutionFile(path); err != nil {
			panic(err)
		}
	}
	for _, name := range []string{"fcfs-list", "search", "tou"} { // one of them takes each instance of the conformance test
		info, _ := solve.Lookup(name)
		limits := opt
		if !info.Starts {
			limits.Start = nil
		}
		result, err := solve.Run(context.Background(), info.Choice(), in, limits)
		if errors.Is(err, solve.ErrUnsupported) {
			continue
		}
		if err != nil {
			panic(err)
		}
		result.Solution.InstanceSHA256 = in.SHA256()
		if err := model.WriteSolution(os.Stdout, result.Solution); err != nil {
			panic(err)
		}
	}
}

// program is the solver that runs the test binary, which writes the output and acts.
func program(t testing.TB, act, output string, more ...string) solve.Info {
	t.Helper()
	path := filepath.Join(t.TempDir(), "output")
	if err := os.WriteFile(path, []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	words := append([]string{"env", actVar + "=" + act, outputVar + "=" + path, "GORACE=atexit_sleep_ms=0"}, more...)
	info, err := solve.Lookup("exec:" + shellquote.Join(append(words, os.Args[0])...))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// lineOf are the solutions, a line each.
func lineOf(t testing.TB, solutions ...*model.Solution) string {
	t.Helper()
	var text strings.Builder
	for _, sol := range solutions {
		line, err := json.Marshal(sol)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	return text.String()
}

// queue is an instance of n jobs of one time unit on one processor, and its schedule one after another, shifted by an idle time.
func queue(t testing.TB, n int) (in *model.Instance, schedule func(idle float64) *model.Solution) {
	b := model.NewBuilder("queue").Cluster(solvecases.Machines("c0", 1, 1))
	for j := range n {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(1.0)})
	}
	return solvecases.Built(t, b), func(idle float64) *model.Solution {
		sol := &model.Solution{Schema: model.SolutionSchema}
		for j := range n {
			start := idle + float64(j)
			sol.Jobs = append(sol.Jobs, model.Placement{Job: fmt.Sprint("j", j), Cluster: "c0", Processors: model.Processors(0), Start: start, End: start + 1})
		}
		return sol
	}
}

// clean fails the test where goroutines, files or temporary files are left when it ends.
func clean(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	count := func() (int, int) {
		files, _ := os.ReadDir("/proc/self/fd")
		return runtime.NumGoroutine(), len(files)
	}
	if r, w, err := os.Pipe(); err == nil { // with the first pipe the runtime opens files of its own, which stay
		_, _ = r.Close(), w.Close()
	}
	goroutines, files := count()
	t.Cleanup(func() {
		for range 500 {
			if g, f := count(); g <= goroutines && f <= files {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if g, f := count(); g > goroutines || f > files {
			stacks := make([]byte, 1<<16)
			t.Errorf("%d goroutines and %d files; there were %d and %d\n%s", g, f, goroutines, files, stacks[:runtime.Stack(stacks, true)])
		}
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Errorf("left: %s", left)
		}
	})
}

// lives listens for processes; gone waits until all that reported have ended.
func lives(t *testing.T) (address string, gone func(processes int)) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections := make(chan net.Conn, 10)
	go func() {
		defer close(connections)
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections <- connection
		}
	}()
	return addressVar + "=" + listener.Addr().String(), func(processes int) {
		t.Helper()
		for k := range processes {
			select {
			case connection := <-connections:
				_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
				if _, err := connection.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("process %d still runs", k)
				}
				_ = connection.Close()
			case <-time.After(20 * time.Second):
				t.Errorf("%d processes of %d began", k, processes)
			}
		}
		_ = listener.Close()
	}
}

// Programs that do not end by themselves: when the context ends they are gone with all their children, and what they wrote counts.
func TestProgramIsStopped(t *testing.T) {
	for _, c := range []struct {
		act       string
		processes int
	}{{"hang", 1}, {"deaf", 1}, {"close", 1}, {"fork", 2}, {"for ever", 1}} {
		t.Run(c.act, func(t *testing.T) {
			clean(t)
			in, schedule := queue(t, 3)
			address, gone := lives(t)
			info := program(t, c.act, lineOf(t, schedule(5), schedule(2), schedule(9)), address)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			result, err := solve.Run(ctx, info.Choice(), in, solve.Options{Progress: func(p solve.Progress) {
				if p.Evaluations == 3 {
					cancel()
				}
			}})
			if err != nil || result.Solution == nil || *result.Solution.Objective != 5 {
				t.Fatalf("%+v, %v", result, err)
			}
			if result.Stop != model.StopCancelled {
				t.Errorf("stop %s", result.Stop)
			}
			gone(c.processes)
		})
	}
}

// A program that ends and leaves a child behind is not waited for: the child is killed where it is of the group, and left alone where it has
// made a session of its own.
func TestProgramLeavesChild(t *testing.T) {
	for _, act := range []string{"leave", "escape"} {
		t.Run(act, func(t *testing.T) {
			in, schedule := queue(t, 3)
			address, gone := lives(t)
			info := program(t, act, lineOf(t, schedule(2)), address)
			result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{})
			if err != nil || *result.Solution.Objective != 5 || result.Stop != model.StopDone {
				t.Fatalf("%+v, %v", result, err)
			}
			if act == "leave" {
				gone(2)
			}
		})
	}
}

// What a program writes, and what comes of it: the objective, or an error. That of a queue of three is 3 plus the idle time.
func TestProgramOutput(t *testing.T) {
	in, schedule := queue(t, 3)
	claim := schedule(1)
	claim.Status, claim.Bound, claim.Objective, claim.Stop = model.Optimal, model.ProvedBound(3.5), new(0.25), model.StopEvaluations
	claim.Metrics, claim.Solver, claim.Stats = model.Metrics{"makespan": {Total: 1}}, "magic", &model.Stats{Evaluations: 1e9}
	foreign, own := schedule(0), schedule(0)
	foreign.InstanceSHA256, own.InstanceSHA256 = strings.Repeat("0", 64), in.SHA256()
	twice, short, overlap := schedule(0), schedule(0), schedule(0)
	twice.Jobs = append(twice.Jobs, twice.Jobs[0])
	short.Jobs = short.Jobs[:2]
	overlap.Jobs[1].Start, overlap.Jobs[1].End = 0, 1
	left := schedule(0)
	left.Jobs, left.Unscheduled = left.Jobs[:2], []model.Unscheduled{{Job: "j2", Reason: "no wish"}}
	var pretty bytes.Buffer
	if err := model.WriteSolution(&pretty, schedule(4)); err != nil {
		t.Fatal(err)
	}
	good := lineOf(t, schedule(2))
	for _, c := range []struct {
		name, act, output string
		objective         float64
		wrong             string
	}{
		{"one line", "end", good, 5, ""},
		{"no line feed at the end", "end", strings.TrimSpace(good), 5, ""},
		{"over several lines", "end", pretty.String(), 7, ""},
		{"several, over several lines", "end", pretty.String() + "\n\r\n" + good + pretty.String(), 5, ""},
		{"the best counts, not the last", "end", lineOf(t, schedule(5), schedule(1), schedule(3)), 4, ""},
		{"one that leaves out less is better", "end", lineOf(t, left, schedule(7), left), 10, ""},
		{"the hash of the instance", "end", lineOf(t, own), 3, ""},
		{"what it claims is dropped", "end", lineOf(t, claim), 4, ""},
		{"another instance", "end", lineOf(t, foreign), 0, "refused by the checker: wrong-instance"},
		{"a job twice", "end", lineOf(t, twice), 0, "refused by the checker: duplicate-job job j0"},
		{"a job missing", "end", good + lineOf(t, short), 0, "missing-job job j2: the job is neither placed nor left out (solution 2 of the program)"},
		{"two jobs at once", "end", lineOf(t, overlap), 0, "refused by the checker: overlap"},
		{"nothing", "end", " \n", 0, "the program wrote no solution"},
		{"garbage", "end", "Solving \x1b[31m...\n" + good, 0, `solution 1 of the program: expected a JSON object, found "Solving  [31m..."`},
		{"garbage after a solution", "end", good + "null\n", 0, `solution 2 of the program: expected a JSON object, found "null"`},
		{"not JSON", "end", "{]", 0, "solution 1 of the program: not JSON"},
		{"not a number", "end", strings.Replace(good, `"start":2`, `"start":NaN`, 1), 0, "not JSON: invalid character 'N'"},
		{"an unknown field", "end", strings.Replace(good, `"jobs"`, `"job"`, 1), 0, "job: unknown field"},
		{"another document", "end", `{"schema": "allot/instance/1"}`, 0, `schema: expected "allot/solution/1"`},
		{"cut off", "end", good[:len(good)/2], 0, "ended in the middle of solution 1"},
		{"a failure", "fail", "", 0, "the program failed: exit status 7; the end of its standard error:\n  noise\n"},
		{"a failure, the last word", "fail", "", 0, "\n  the last word [31m"},
		{"a failure inside a solution", "fail", good[:len(good)/2], 0, "the program failed: exit status 7"},
		{"a failure after a solution", "fail", good, 5, ""},
		{"a crash", "crash", "", 0, "the program failed: signal: killed"},
		{"a crash after a solution", "crash", good + good[:10], 5, ""},
		{"closes its output and stays", "close", good, 5, ""},
		{"closes its output inside a solution and stays", "close", good + good[:10], 0, "ended in the middle of solution 2"},
		{"without end", "huge", "", 0, "solution 1 of the program: expected at most"},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean(t)
			info := program(t, c.act, c.output)
			result, err := info.New().Solve(context.Background(), in, solve.Options{})
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) || len(err.Error()) > 6000 || strings.Contains(err.Error(), "\x1b") {
					t.Errorf("error %v, expected one with %q", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			evaluation, err := model.Evaluate(in, result.Solution)
			if err != nil || evaluation.Objective != c.objective {
				t.Errorf("objective %v, %v, expected %v", evaluation.Objective, err, c.objective)
			}
			if result.Status != model.Feasible || result.Bound.Known() || result.Stop != model.StopDone || result.Solution.Objective != nil || result.Solution.Stats != nil {
				t.Errorf("%+v", result)
			}
			if failed := c.act == "fail" || c.act == "crash"; failed != strings.Contains(result.Warning, "failed after its last solution") {
				t.Errorf("warning %q", result.Warning)
			}
		})
	}
}

// A large instance is no deadlock for a program that does not read it, and an end before all is read is no failure.
func TestProgramNeedNotRead(t *testing.T) {
	clean(t)
	in, schedule := queue(t, 20_000)
	info := program(t, "end", lineOf(t, schedule(1), schedule(0)))
	result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{})
	if err != nil || *result.Solution.Objective != 20_000 {
		t.Errorf("objective %v after %d solutions: %v", *result.Solution.Objective, result.Evaluations, err)
	}
}

// A program that finds nothing in the time that it is told is no failure.
func TestProgramFindsNothing(t *testing.T) {
	clean(t)
	in, _ := queue(t, 3)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	info, err := solve.Lookup(`exec:sh -c "sleep $ALLOT_TIME"`)
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(ctx, info.Choice(), in, solve.Options{})
	if err != nil || result.Solution != nil || result.Status != model.Unknown || result.Stop != model.StopTime {
		t.Errorf("%+v, %v", result, err)
	}
}

// The limits are told, and those of an allot that runs us are not passed on.
func TestProgramLimits(t *testing.T) {
	clean(t)
	t.Setenv("ALLOT_EVALUATIONS", "5")
	t.Setenv("ALLOT_START", "nowhere")
	in, schedule := queue(t, 3)
	info := program(t, "limits", "")
	_, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{Seed: 1 << 63})
	if !errors.Is(err, solve.ErrUnsupported) || !strings.HasSuffix(err.Error(), ": unsupported: queue seed=9223372036854775808 workers=1 evaluations= time= start=") {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = solve.Run(ctx, info.Choice(), in, solve.Options{MaxEvals: 9, Workers: 3, Start: schedule(1)})
	// The time is what is left of the minute, less what the answer needs; the test may be held up for half of it.
	if !errors.Is(err, solve.ErrUnsupported) || !regexp.MustCompile(`seed=0 workers=3 evaluations=9 time=[345]\d\.\d* start=`).MatchString(err.Error()) || !strings.Contains(err.Error(), "start="+os.Getenv("TMPDIR")) {
		t.Error(err)
	}
	if _, err := solve.Run(context.Background(), info.Choice(), stream(t, 1, true), solve.Options{}); !errors.Is(err, solve.ErrUnsupported) {
		t.Error(err)
	}
}

// Every solution is reported with what the evaluator says of it, and MaxEvals limits how many are read.
func TestProgramProgress(t *testing.T) {
	clean(t)
	in, schedule := queue(t, 3)
	info := program(t, "hang", lineOf(t, schedule(5), schedule(7), schedule(2), schedule(1)))
	var seen []float64
	result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{MaxEvals: 3, Progress: func(p solve.Progress) {
		seen = append(seen, p.Objective)
	}})
	if err != nil || result.Stop != model.StopEvaluations || result.Evaluations != 3 || *result.Solution.Objective != 5 {
		t.Errorf("%+v, %v", result, err)
	}
	if !slices.Equal(seen, []float64{8, 8, 5, 5}) { // the last is the schedule that the checker has accepted, told before its bound
		t.Errorf("reported %v", seen)
	}
}

// A program starts from the schedule that it is handed and hands back nothing worse.
func TestProgramStarts(t *testing.T) {
	clean(t)
	in, schedule := queue(t, 3)
	for _, c := range []struct {
		act, output string
		want        float64
	}{{"solve", "", 3}, {"end", lineOf(t, schedule(9)), 5}, {"end", "", 5}} {
		info := program(t, c.act, c.output)
		result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{Start: schedule(2)})
		if c.output == "" && c.act == "end" && (err != nil || result.Evaluations != 0) {
			t.Errorf("%+v, %v", result, err)
		}
		if err != nil || *result.Solution.Objective != c.want {
			t.Errorf("%+v, %v: expected %v", result, err, c.want)
		}
	}
	name := "mct+" + program(t, "solve", "").Name
	info, err := solve.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{})
	if err != nil || *result.Solution.Objective != 3 || result.Solution.Solver != name {
		t.Errorf("%+v, %v", result, err)
	}
}

// In rolling use each batch is an instance for the program.
func TestProgramRolling(t *testing.T) {
	clean(t)
	in := stream(t, 2, false)
	info := program(t, "solve", "")
	solver, err := solve.NewRolling(info.Choice(), 8, 0)
	if err != nil {
		t.Fatal(err)
	}
	result, err := solve.Run(context.Background(), solve.Choice{Info: info, Solver: solver}, in, solve.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Error(report.Violations[0])
	}
}

// A program keeps the contract of every solver.
func TestProgramConforms(t *testing.T) {
	clean(t)
	solvetest.ConformSample(t, program(t, "solve", ""), 10) // each instance takes some seven processes
}

// A program that is not there is a solver that cannot be used here.
func TestProgramMissing(t *testing.T) {
	in, _ := queue(t, 1)
	for _, name := range []string{"exec:no-such-program", "exec:/no/such/program x", "exec:" + t.TempDir()} {
		info, err := solve.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{}); !errors.Is(err, solve.ErrUnsupported) {
			t.Error(err)
		}
	}
}

// The command of an exec: name takes the rest, of a chain and of a list.
func TestExternalNames(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
	}{
		{"dll, muscle+titan ,mct", []string{"dll", "muscle+titan", "mct"}},
		{"dll, exec:a b,c+d ", []string{"dll", "exec:a b,c+d"}},
		{"muscle+exec:a,b+exec:c,dll", []string{"muscle+exec:a,b+exec:c,dll"}},
		{"", []string{""}},
		{"a,", []string{"a", ""}},
	} {
		if found := solve.SplitNames(c.list); !slices.Equal(found, c.want) {
			t.Errorf("%q gives %q, expected %q", c.list, found, c.want)
		}
	}
	for name, want := range map[string]bool{"exec:a": true, "muscle+exec:a": true, "muscle+titan": false, "auto": false, "": false, "exec": false, "muscle+titan+exec:": true} {
		if solve.External(name) != want {
			t.Errorf("External(%q) is not %t", name, want)
		}
	}
	for _, name := range []string{"exec:", "exec:  ", "exec:'a", `exec:""`, "muscle+exec:'", "none+exec:a", "exec:a\\"} {
		if _, err := solve.Lookup(name); err == nil {
			t.Errorf("%q is a solver", name)
		}
	}
	info, err := solve.Lookup("muscle+exec:a 'b c' d+e")
	if err != nil || info.Name != "muscle+exec:a 'b c' d+e" {
		t.Errorf("%+v, %v", info, err)
	}
}

// BenchmarkProgramStops measures the contract's 50 ms, from the end of the context to the return of Solve, for a program that writes without end,
// one that is deaf and has a deaf child, and one that hangs; none is no program at all, which is what the machine itself takes.
func BenchmarkProgramStops(b *testing.B) {
	in, schedule := queue(b, 1000)
	for _, act := range []string{"none", "hang", "fork", "for ever"} {
		b.Run("act="+strings.ReplaceAll(act, " ", "-"), func(b *testing.B) {
			info, worst := program(b, act, lineOf(b, schedule(1))), 0.0
			for b.Loop() {
				worst = max(worst, cancelled(b, 300*time.Millisecond, func(ctx context.Context) error {
					if act == "none" {
						<-ctx.Done()
						return nil
					}
					_, err := info.New().Solve(ctx, in, solve.Options{})
					return err
				}))
			}
			b.ReportMetric(worst, "ms-latency")
		})
	}
}
