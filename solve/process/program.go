// Package process runs programs in any language as solvers. After it is imported, the name exec:COMMAND means the solver that runs the command,
// and exec-online:COMMAND the on-line policy that asks it.
//
// # Solvers
//
// The solver exec:COMMAND supports the instances that its program supports. The program reads the instance on its standard input, as the JSON that [model.WriteInstance] writes. It writes each solution that it finds as a
// JSON object to its standard output. An object may span several lines, and only blank space may stand between objects. The solution that is
// best by allot's evaluation is the result. The program need not read all of its input. To refuse the instance it writes the object
// {"unsupported": "text"}; the error then wraps [solve.ErrUnsupported]. The program's environment tells it the limits:
//
//	ALLOT_SEED         the seed
//	ALLOT_WORKERS      how many workers it may use
//	ALLOT_TIME         how many seconds it may take from its start; absent: no limit
//	ALLOT_EVALUATIONS  how many schedules it may evaluate; absent: no limit
//	ALLOT_START        path of a solution to start from; absent: a cold start
//
// ALLOT_TIME is less than the time left, so that allot has time to read the last solution: 50 ms and 10 µs per job less, but at least half of the
// time left. When the context ends, the whole process group of the program gets SIGTERM and 10 ms later SIGKILL. Solutions written by then count.
// When the program ends by itself, the rest of its group is killed too. If allot
// itself is killed, a shell that waits for this kills the group, where there is /bin/sh. Children that have started their own session or group go on.
// On Windows only the program itself is killed, and not if allot is.
//
// The figures that a solution states of itself do not count: objective, metrics, bound, status and statistics are dropped. An output that is not a
// solution, or a solution that the checker refuses, ends the run with an error. If the program fails after a solution, the result is the best
// solution so far, with [solve.Result].Warning. Evaluations counts the solutions that were read; MaxEvals limits their number too.
//
// # On-line policies
//
// The program of the policy exec-online:COMMAND reads a header, an event for each instant and a last line; it answers each event. Each line is a JSON object. It sees what an
// on-line policy of package sim sees, and nothing else: the work and the run time of a job never. docs/exec-online.md states the format.
// A simulation waits for each answer, so that what the program decides does not depend on how long it takes.
//
// What the program must not do ends the run with an error, and so does an answer that takes longer than the limit. However the run ends, nothing of the
// program is left when it returns, but children that have left its process group.
package process

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// scheme is the word before the colon in the name of a solver that is a program.
const scheme = "exec"

var _ = solve.RegisterScheme(scheme, external)

// external makes the Info of exec:COMMAND.
func external(name string) (solve.Info, error) {
	words, err := commandOf(name, scheme)
	if err != nil {
		return solve.Info{}, err
	}
	return solve.Info{
		Name:   name,
		Doc:    "A program of its own: it reads the instance on standard input and writes solutions on standard output.",
		Source: "a program from outside: " + words[0],
		New:    func() solve.Solver { return &program{words: words} },
		Starts: true,
	}, nil
}

// program is a solver that runs a program; the comment of the package states what the program reads and writes.
type program struct{ words []string }

// Supports implements [solve.Solver]: the program must exist, and a file must be able to state the instance. The program itself refuses other
// instances only when it runs.
func (p *program) Supports(in *model.Instance) error {
	if err := canRun(p.words[0]); err != nil {
		return err
	}
	return solve.Unsupported(in, ^model.Commitments)
}

// AsStated implements [solve.AsStated].
func (p *program) AsStated() {}

// Solve implements [solve.Solver].
func (p *program) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
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
	// Linux kills the program when the thread that started it ends, so this thread must outlive the run.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	child, err := startProcess(p.words, environment, func(w *sending) error { return model.WriteInstance(w, in) })
	if err != nil {
		return solve.Result{}, err
	}
	found.sent = child.sent
	ended := child.follow(ctx, found.read)
	result := found.result(model.StopDone) // a solution that is still being read does not count
	child.end(ctx.Err() != nil)
	if told > 0 && time.Since(began) >= told {
		result.Stop = model.StopTime
	}
	return p.judge(ctx, child, ended, result)
}

// timeTold returns the time limit that the program is told; 0: no limit.
func timeTold(ctx context.Context, jobs int) time.Duration {
	end, timed := ctx.Deadline()
	if !timed {
		return 0
	}
	left := time.Until(end)
	reserve := 50*time.Millisecond + time.Duration(jobs)*10*time.Microsecond
	return max(left-reserve, left/2, time.Millisecond)
}

// judge turns the end of a run into its result; ended is the error of reading the solutions.
func (p *program) judge(ctx context.Context, child *process, ended error, result solve.Result) (solve.Result, error) {
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
