// Package process runs programs in any language as solvers: importing it makes every name exec:COMMAND one.
package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Scheme begins, with a colon behind it, the name of a solver that is a program of its own.
const Scheme = "exec"

var _ = solve.RegisterScheme(Scheme, external)

// external makes the Info of exec:COMMAND. The command is split into words as a shell does, with quotes and backslashes; no shell runs.
func external(name string) (solve.Info, error) {
	words, err := shellquote.Split(strings.TrimPrefix(name, Scheme+":"))
	if err != nil || len(words) == 0 || words[0] == "" {
		return solve.Info{}, fmt.Errorf("expected exec: and a command with its arguments, quotes closed; found %q", name)
	}
	return solve.Info{
		Name:   name,
		Doc:    "A program of its own: it reads the instance on standard input and writes solutions on standard output.",
		Source: "a program from outside: " + words[0],
		New:    func() solve.Solver { return &Program{words: words} },
		Starts: true,
	}, nil
}

// Program is a solver that is a program of its own, in any language; its name is exec: and the command. It supports what the program
// does.
//
// The program reads the instance on its standard input, as the JSON that [model.WriteInstance] writes, and writes solutions as JSON
// objects on its standard output, one a line or over several, each as soon as it has it: the best by our evaluation counts. It need
// not read all of its input and may write nothing but space between the objects. An object {"unsupported": "text"} instead refuses
// the instance, which becomes [ErrUnsupported]. Its environment tells it the limits:
//
//	ALLOT_SEED         the seed
//	ALLOT_WORKERS      how many workers it may use
//	ALLOT_TIME         seconds from its start that it may take; absent: no limit
//	ALLOT_EVALUATIONS  how many schedules it may evaluate; absent: no limit
//	ALLOT_START        path of a solution to start from; absent: a cold start
//
// ALLOT_TIME is shorter than the time left by what reading the last solution may take, 50 ms and 10 µs a job, at most half of it. When the
// context ends the program and all its process group get SIGTERM, 10 ms later SIGKILL; what was written by then counts. What is left of the group
// when the program itself ends is killed too.
//
// Nothing that it says of itself counts: objective, metrics, bound, status and statistics are dropped. A solution that the checker refuses,
// or what is no solution, ends the run with an error. A program that fails after a solution gives that solution and
// [Result.Warning]. Evaluations counts the solutions that were read; MaxEvals limits them too.
//
// Where the system has no process groups only the program itself is killed.
type Program struct{ words []string }

// Supports implements [Solver]: the program is there, and the instance is one that a file can state. What else the program does not support it
// says when it runs.
func (p *Program) Supports(in *model.Instance) error {
	if !hasPrograms {
		return fmt.Errorf("%w: %s/%s cannot run the program %s", solve.ErrUnsupported, runtime.GOOS, runtime.GOARCH, p.words[0])
	}
	if _, err := exec.LookPath(p.words[0]); err != nil {
		return fmt.Errorf("%w: cannot run the program: %w", solve.ErrUnsupported, err)
	}
	return solve.Unsupported(in, ^model.Commitments)
}

// Solve implements [Solver].
func (p *Program) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := p.Supports(in); err != nil {
		return solve.Result{}, err
	}
	found := &incumbents{in: in, limit: opt.MaxEvals, progress: opt.Progress}
	if err := found.start(opt.Start); err != nil {
		return solve.Result{}, err
	}
	if ctx.Err() != nil {
		return found.result(model.StopReason(ctx)), nil
	}
	told, began := timeTold(ctx, len(in.Jobs())), time.Now()
	environment, cleanUp, err := environmentOf(opt, told)
	if err != nil {
		return solve.Result{}, err
	}
	defer cleanUp()
	// Linux ends the program with us by the thread that started it, which must not end before.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	child, err := startProcess(p.words, environment, func(w *sending) error { return model.WriteInstance(w, in) })
	if err != nil {
		return solve.Result{}, err
	}
	found.sent = child.sent
	ended := child.follow(ctx, found.read)
	result := found.result(model.StopDone) // closes it: what is still being read does not count
	child.end(ctx.Err() != nil)
	if told > 0 && time.Since(began) >= told {
		result.Stop = model.StopTime
	}
	return p.judge(ctx, child, ended, result)
}

// timeTold is the time limit that a program is told; 0: none.
func timeTold(ctx context.Context, jobs int) time.Duration {
	end, timed := ctx.Deadline()
	if !timed {
		return 0
	}
	left := time.Until(end)
	reserve := 50*time.Millisecond + time.Duration(jobs)*10*time.Microsecond
	return max(left-reserve, left/2, time.Millisecond)
}

// judge says what came of a run: ended is what reading ended with.
func (p *Program) judge(ctx context.Context, child *process, ended error, result solve.Result) (solve.Result, error) {
	var refusal *refusalError
	fault := ended
	if errors.Is(ended, errCut) || errors.Is(ended, errEnough) {
		fault = nil
	}
	switch {
	case errors.As(ended, &refusal):
		return solve.Result{}, fmt.Errorf("%w: %s", solve.ErrUnsupported, refusal.text)
	case fault != nil:
		return solve.Result{}, fmt.Errorf("%w%s", fault, child.lastWords())
	case errors.Is(ended, errEnough):
		result.Stop = model.StopEvaluations
	case ctx.Err() != nil:
		result.Stop = model.StopReason(ctx)
	case child.failed() != "" && result.Evaluations > 0:
		result.Warning = "the program failed after its last solution: " + child.failed() + child.lastWords()
	case child.failed() != "":
		return solve.Result{}, fmt.Errorf("the program failed: %s%s", child.failed(), child.lastWords())
	case errors.Is(ended, errCut):
		return solve.Result{}, fmt.Errorf("the program ended in the middle of solution %d%s", result.Evaluations+1, child.lastWords())
	case result.Solution == nil && result.Stop != model.StopTime:
		return solve.Result{}, fmt.Errorf("the program wrote no solution%s", child.lastWords())
	}
	return result, nil
}
