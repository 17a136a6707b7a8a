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
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// How long the end of a program may take. The contract leaves 50 ms from the end of the context.
const (
	grace     = 10 * time.Millisecond  // from SIGTERM to SIGKILL
	lastRead  = 10 * time.Millisecond  // to read what was written by then
	lastWait  = 5 * time.Millisecond   // for the system to take the program away, where the context has ended
	lingering = time.Second            // that a program may run after it has closed its standard output
	draining  = 300 * time.Millisecond // without a byte from others, who still hold a stream of a program that has ended
)

// environmentOf is the environment of a program with the limits told, see [Program]. The function takes the temporary file of
// the start away.
func environmentOf(opt solve.Options, told time.Duration) (environment []string, cleanUp func(), err error) {
	for _, pair := range os.Environ() {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "ALLOT_SEED", "ALLOT_WORKERS", "ALLOT_TIME", "ALLOT_EVALUATIONS", "ALLOT_START": // of an allot that runs us
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
	path, err := writeStart(opt.Start)
	if err != nil {
		return nil, nil, err
	}
	tell("ALLOT_START", path)
	return environment, func() { _ = os.Remove(path) }, nil // a file that is gone already is no failure
}

// writeStart writes the schedule to a temporary file.
func writeStart(start *model.Solution) (path string, err error) {
	file, err := os.CreateTemp("", "allot-start-*.json")
	if err != nil {
		return "", err
	}
	err = model.WriteSolution(file, solve.Bare(start))
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// process is a program that runs, with our ends of its standard streams. All pipes are ours: that of a child which outlives
// the program must not hold us up.
type process struct {
	command               *exec.Cmd
	stdin, stdout, stderr *os.File
	sending               *sending
	tail                  tail
	exited, heard         chan struct{} // closed: the program is gone; its standard error is
	helpers               sync.WaitGroup
	killed                bool // the group, by us
	alone                 bool // the program ended by itself
}

// startProcess starts a program. What send writes is its standard input.
func startProcess(words, environment []string, send func(*sending) error) (*process, error) {
	p := &process{command: exec.Command(words[0], words[1:]...), exited: make(chan struct{}), heard: make(chan struct{})}
	p.command.Env = environment
	inGroup(p.command)
	var theirs []*os.File
	defer func() {
		for _, file := range theirs {
			_ = file.Close() // the program has its own
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
	p.sending = &sending{w: stdin, hash: sha256.New()}
	p.helpers.Go(func() {
		_ = p.sending.finish(send(p.sending)) // the program need not read everything
	})
	p.helpers.Go(func() {
		defer close(p.heard)
		_, _ = io.Copy(&p.tail, stderr)
	})
	p.helpers.Go(func() {
		defer close(p.exited)
		_ = p.command.Wait() // the state says what there is to say
	})
	return p, nil
}

// closePipes closes our ends.
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

// follow reads the program's standard output until it is read to the end, or the program or the context ends, and hands back
// what reading ended with. What is left of the group of a program that has ended is killed. It returns soon after the end of the
// context, even where read does not.
func (p *process) follow(ctx context.Context, read func(io.Reader) error) error {
	verdict, stdout := make(chan error, 1), &waitingReader{file: p.stdout}
	p.helpers.Go(func() { verdict <- read(stdout) })
	exited, over, expired, last := p.exited, ctx.Done(), false, false
	var timer <-chan time.Time
	for {
		select {
		case err := <-verdict:
			if (err == nil || errors.Is(err, errCut)) && exited != nil && !expired {
				// Nothing more can come, but why it ended may still show.
				p.alone = await(lingering, p.exited, over)
			}
			return err
		case <-exited:
			exited, p.alone = nil, !expired
			p.kill() // its children may hold its standard output
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
			if !expired && stdout.waited() < draining { // what is there is still being read
				timer = time.After(draining / 10)
				continue
			}
			if last {
				return nil // what is still held open by others, or being read, does not count
			}
			last = true
			p.kill()
			timer = time.After(lastRead)
		}
	}
}

// waitingReader is a file that knows for how long it has been waited for.
type waitingReader struct {
	file  *os.File
	since atomic.Pointer[time.Time] // nil: nobody waits
}

// Read implements io.Reader.
func (r *waitingReader) Read(buffer []byte) (int, error) {
	r.since.Store(new(time.Now()))
	defer r.since.Store(nil)
	return r.file.Read(buffer)
}

// waited is for how long a Read has been waiting.
func (r *waitingReader) waited() time.Duration {
	if since := r.since.Load(); since != nil {
		return time.Since(*since)
	}
	return 0
}

// await waits until the channel is closed and says whether it was in time: before the other one is.
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

// kill kills the process group, once: later its number may be that of another.
func (p *process) kill() {
	if !p.killed {
		p.killed = true
		killGroup(p.command)
	}
}

// end makes sure that nothing of the program is left, and returns soon where there is no time.
func (p *process) end(hurried bool) {
	p.kill()
	limit := lingering
	if hurried {
		limit = lastWait
	}
	if await(limit, p.exited, nil) && !hurried {
		await(draining, p.heard, nil)
	}
	_ = p.closePipes() // wakes those that still read or write
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		p.helpers.Wait()
	}()
	await(limit, finished, nil)
}

// failed says how the program failed; empty: it did not, or we ended it.
func (p *process) failed() string {
	if !p.alone || p.command.ProcessState.Success() {
		return ""
	}
	return p.command.ProcessState.String()
}

// lastWords is the end of the program's standard error, as the end of a message.
func (p *process) lastWords() string {
	text := strings.TrimSpace(p.tail.String())
	if text == "" {
		return ""
	}
	return "; the end of its standard error:\n  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// sent is the SHA-256 of what was written to the program; empty where it is not all yet.
func (p *process) sent() string {
	if sum := p.sending.sum.Load(); sum != nil {
		return *sum
	}
	return ""
}

// sending is the standard input of a program, with the hash of what it is sent.
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

// finish ends the input; err is what writing it ended with.
func (s *sending) finish(err error) error {
	if err == nil {
		s.sum.Store(new(hex.EncodeToString(s.hash.Sum(nil))))
	}
	return errors.Join(err, s.w.Close())
}

// tail keeps the end of what is written to it.
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

// String is the last lines, without what could steer a terminal.
func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	text := strings.TrimRight(printableEnd(strings.ReplaceAll(string(t.text), "\r\n", "\n"), tailBytes), "\n ")
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
