package process

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// OnlineScheme is the word before the colon in the name of an on-line policy that is a program.
const OnlineScheme = "exec-online"

var _ = solve.RegisterScheme(OnlineScheme, externalOnline)

// externalOnline makes the Info of exec-online:COMMAND. It splits the command into words as [external] does.
func externalOnline(name string) (solve.Info, error) {
	words, err := commandOf(name, OnlineScheme)
	if err != nil {
		return solve.Info{}, err
	}
	info := solve.Info{
		Name:   name,
		Doc:    "An on-line policy that is a program: it reads what happens on standard input and writes which jobs start on standard output.",
		Source: "a program from outside: " + words[0],
	}.OfPolicy(func() solve.Policy { return &onlineProgram{name: name, words: words, AnswerLimit: 60} })
	info.Traces = false // told twice of the same, a program may decide otherwise
	return info, nil
}

// commandOf splits the command behind a scheme into words as a shell does, with quotes and backslashes, but runs no shell.
func commandOf(name, scheme string) ([]string, error) {
	words, err := shellquote.Split(strings.TrimPrefix(name, scheme+":"))
	if err != nil || len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("expected %s: and a command with its arguments, quotes closed; found %q", scheme, name)
	}
	return words, nil
}

// onlineProgram is an on-line policy that a program decides; the comment of the package states what the program reads and writes.
type onlineProgram struct {
	Kill        bool    `doc:"end a job at its estimate; it is then left out of the schedule"`
	AnswerLimit float64 `range:"(0, 1e6]" doc:"seconds that the program may take for an answer"`
	name        string
	words       []string
}

// onlineFeatures are the features that a program can honour. It starts a job on one cluster.
const onlineFeatures = model.Arrivals | model.HardDeadlines | model.Precedence | model.MemoryLimits | model.LicencePools | model.BandwidthNeeds |
	model.ParallelJobs | model.MoldableJobs | model.UnrelatedTimes | model.RestrictedTimes | model.MixedMachines | model.MachineSpan

// Supports implements [solve.Policy]: the program must exist. It can refuse an instance itself when it runs.
func (p *onlineProgram) Supports(in *model.Instance) error {
	if err := canRun(p.words[0]); err != nil {
		return err
	}
	return solve.Unsupported(in, onlineFeatures)
}

// canRun says whether the program can be run here.
func canRun(program string) error {
	if !hasPrograms {
		return fmt.Errorf("%w: %s/%s cannot run the program %s", solve.ErrUnsupported, runtime.GOOS, runtime.GOARCH, program)
	}
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%w: cannot run the program: %w", solve.ErrUnsupported, err)
	}
	return nil
}

// Discipline implements [solve.Policy].
func (p *onlineProgram) Discipline() sim.Discipline {
	return sim.Discipline{
		General:  func(platform *sim.Platform, _ uint64) sim.Policy { return newRemote(p.meet, newGeneral(platform)) },
		Requests: true, Stated: true,
	}
}

// meet starts the program.
func (p *onlineProgram) meet(ctx context.Context, opt sim.Options) (partner, error) {
	environment, _, err := environmentOf(solve.Options{Seed: opt.Seed}, 0)
	if err != nil {
		return nil, err
	}
	talk, err := converse(ctx, p.words, environment, time.Duration(p.AnswerLimit*float64(time.Second)))
	if err != nil {
		return nil, err
	}
	return talk, nil
}

// Kills implements [solve.Policy].
func (p *onlineProgram) Kills() bool { return p.Kill }
