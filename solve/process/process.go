package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Time limits for ending a program. The solver contract allows 50 ms after the end of the context.
const (
	grace     = 10 * time.Millisecond  // from SIGTERM to SIGKILL
	lastRead  = 10 * time.Millisecond  // to read what the program wrote before SIGKILL
	lastWait  = 5 * time.Millisecond   // for the system to remove the killed program, if the context has ended
	lingering = time.Second            // a program may run for this time after it has closed its standard output
	draining  = 300 * time.Millisecond // allot stops reading if the children of an ended program write nothing for this time
)

// environmentOf makes the environment of a program, which tells it the limits, see the comment of the package. The caller calls cleanUp after the run to
// remove the temporary file that holds the start.
func environmentOf(opt solve.Options, told time.Duration) (environment []string, cleanUp func(), err error) {
	for _, pair := range os.Environ() {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "ALLOT_SEED", "ALLOT_WORKERS", "ALLOT_TIME", "ALLOT_EVALUATIONS", "ALLOT_START": // set by another allot that runs this one
		default:
			environment = append(environment, pair)
		}
	}
	tell := func(name, value string) { environment = append(environment, name+"="+value) }
	tell("ALLOT_SEED", strconv.FormatUint(opt.Seed, 10))
	tell("ALLOT_WORKERS", strconv.Itoa(max(1, opt.Workers)))
	if told > 0 {
		tell("ALLOT_TIME", strconv.FormatFloat(told.Seconds(), 'f', 6, 64))
	}
	if opt.MaxEvals > 0 {
		tell("ALLOT_EVALUATIONS", strconv.FormatInt(opt.MaxEvals, 10))
	}
	if opt.Start == nil {
		return environment, func() {}, nil
	}
	dir, err := files.Folder()
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, "start.json")
	if err := writeStart(path, opt.Start); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	tell("ALLOT_START", path)
	return environment, func() { _ = os.RemoveAll(dir) }, nil // it is no failure if it is gone already
}

// writeStart writes the schedule to a file.
func writeStart(path string, start *model.Solution) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(model.WriteSolution(file, solve.Bare(start)), file.Close())
}

// process is a running program, with our ends of its standard streams. We make the pipes ourselves, because those of os/exec would make us
// wait for a child that outlives the program.
type process struct {
	command               *exec.Cmd
	stdin, stdout, stderr *os.File
	sending               *sending
	tail                  tail
	exited, heard         chan struct{} // closed when the program has ended; closed when its standard error has
	helpers               sync.WaitGroup
	dismissGuard          func()
	killed                bool // we have killed the process group
	alone                 bool // the program ended by itself
}

// startProcess starts a program. The function send writes its standard input; nil: the caller writes to stdin.
func startProcess(words, environment []string, send func(*sending) error) (*process, error) {
	p := &process{command: exec.Command(words[0], words[1:]...), exited: make(chan struct{}), heard: make(chan struct{})}
	p.command.Env = environment
	inGroup(p.command)
	var theirs []*os.File
	defer func() {
		for _, file := range theirs {
			_ = file.Close() // the program has its own copy
		}
	}()
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirs, p.stdin, p.command.Stdin = append(theirs, in), stdin, in
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, p.closePipes())
	}
	theirs, p.stdout, p.command.Stdout = append(theirs, out), stdout, out
	stderr, complaints, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, p.closePipes())
	}
	theirs, p.stderr, p.command.Stderr = append(theirs, complaints), stderr, complaints
	if err := p.command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start the program: %w", err), p.closePipes())
	}
	dismiss, wait := guard(p.command)
	p.dismissGuard = dismiss
	p.helpers.Go(wait)
	if send != nil {
		p.sending = &sending{w: stdin, hash: sha256.New()}
		p.helpers.Go(func() {
			_ = p.sending.finish(send(p.sending)) // the program need not read everything
		})
	}
	p.helpers.Go(func() {
		defer close(p.heard)
		_, _ = io.Copy(&p.tail, stderr)
	})
	p.helpers.Go(func() {
		defer close(p.exited)
		_ = p.command.Wait() // ProcessState tells how the program ended
	})
	return p, nil
}

// closePipes closes our ends of the pipes.
func (p *process) closePipes() error {
	var errs []error
	for _, file := range []*os.File{p.stdin, p.stdout, p.stderr} {
		if file == nil {
			continue
		}
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// follow reads the program's standard output until its end, or until the program or the context ends. It returns the error of read. When the
// program has ended it kills the rest of its process group. It returns soon after the end of the context, even if read does not.
func (p *process) follow(ctx context.Context, read func(io.Reader) error) error {
	verdict, stdout := make(chan error, 1), &waitingReader{file: p.stdout}
	p.helpers.Go(func() { verdict <- read(stdout) })
	exited, over, expired, last := p.exited, ctx.Done(), false, false
	var timer <-chan time.Time
	for {
		select {
		case err := <-verdict:
			if (err == nil || errors.Is(err, errCut)) && exited != nil && !expired {
				// No more solutions can come. Wait for the program's exit status, which may tell why it closed its output.
				p.alone = await(lingering, p.exited, over)
			}
			return err
		case <-exited:
			exited, p.alone = nil, !expired
			p.kill() // children may still hold its standard output open
			if !expired {
				timer = time.After(draining / 10)
			}
		case <-over:
			over, expired = nil, true
			if !p.killed {
				terminateGroup(p.command)
			}
			timer = time.After(grace)
		case <-timer:
			if !expired && stdout.waited() < draining { // bytes are still coming
				timer = time.After(draining / 10)
				continue
			}
			if last {
				return nil // solutions that are still incomplete do not count
			}
			last = true
			p.kill()
			timer = time.After(lastRead)
		}
	}
}

// waitingReader is a file that knows how long the current Read has been waiting.
type waitingReader struct {
	file  *os.File
	since atomic.Pointer[time.Time] // nil: no Read is waiting
}

// Read implements io.Reader.
func (r *waitingReader) Read(buffer []byte) (int, error) {
	r.since.Store(new(time.Now()))
	defer r.since.Store(nil)
	return r.file.Read(buffer)
}

// waited returns how long the current Read has been waiting; 0 if there is none.
func (r *waitingReader) waited() time.Duration {
	if since := r.since.Load(); since != nil {
		return time.Since(*since)
	}
	return 0
}

// await waits until the first channel is closed. It returns false if the limit passes or the other channel is closed before that.
func await(limit time.Duration, closed, other <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-other:
	case <-timer.C:
	}
	return false
}

// kill kills the process group. It does so only once, because the system may give the group's number to another group later.
func (p *process) kill() {
	if !p.killed {
		p.killed = true
		p.dismissGuard()
		killGroup(p.command)
	}
}

// end makes sure that nothing of the program is left. If it is hurried, it returns soon.
func (p *process) end(hurried bool) {
	p.kill()
	limit := lingering
	if hurried {
		limit = lastWait
	}
	if await(limit, p.exited, nil) && !hurried {
		await(draining, p.heard, nil)
	}
	_ = p.closePipes() // ends every read and write that is still waiting
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		p.helpers.Wait()
	}()
	await(limit, finished, nil)
}

// failed describes how the program failed. It is empty if the program succeeded or if we ended it.
func (p *process) failed() string {
	if !p.alone || p.command.ProcessState.Success() {
		return ""
	}
	return p.command.ProcessState.String()
}

// lastWords formats the end of the program's standard error, to be appended to a message.
func (p *process) lastWords() string {
	text := strings.TrimSpace(p.tail.String())
	if text == "" {
		return ""
	}
	return "; the end of its standard error:\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// sent returns the SHA-256 of the program's whole input, or an empty text while the input is not all written.
func (p *process) sent() string {
	if sum := p.sending.sum.Load(); sum != nil {
		return *sum
	}
	return ""
}

// sending is the standard input of a program. It also computes the hash of the bytes written.
type sending struct {
	w    io.WriteCloser
	hash hash.Hash
	sum  atomic.Pointer[string]
}

// Write implements io.Writer.
func (s *sending) Write(text []byte) (int, error) {
	s.hash.Write(text) // never fails
	return s.w.Write(text)
}

// finish ends the input; err is the error of writing it.
func (s *sending) finish(err error) error {
	if err == nil {
		s.sum.Store(new(hex.EncodeToString(s.hash.Sum(nil))))
	}
	return errors.Join(err, s.w.Close())
}

// tail keeps the last bytes of the text that is written to it.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

const (
	tailBytes = 4096
	tailLines = 10
)

// Write implements io.Writer.
func (t *tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text[max(0, len(text)-tailBytes):]...)
	t.text = append(t.text[:0], t.text[max(0, len(t.text)-tailBytes):]...)
	return len(text), nil
}

// String returns the last lines, without control characters that could steer a terminal.
func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	text := strings.TrimRight(printableEnd(strings.ReplaceAll(string(t.text), "\r\n", "\n"), tailBytes), "\n ")
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
