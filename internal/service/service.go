package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/allot-opt/allot/internal/answers"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Options say what a service allows.
type Options struct {
	Limits
	AllowExec  bool // clients may name solvers exec:COMMAND and exec-online:COMMAND
	AllowFiles bool // clients may name files in place of documents
	Log        *slog.Logger
}

// Service answers requests of clients. It is safe for use by several goroutines.
type Service struct {
	limits   Limits
	exec     bool
	files    bool
	log      *slog.Logger
	gate     gate
	memory   store // estimated, of the runs
	arriving store // bytes of the bodies that arrive or wait for a place
	bodies   store // number of bodies that arrive

	mutex sync.Mutex
	runs  map[runName]*run
}

// New makes a service.
func New(opt Options) *Service {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{
		limits: opt.Limits, exec: opt.AllowExec, files: opt.AllowFiles, log: opt.Log,
		gate:   gate{places: opt.Runs, free: opt.Runs, most: opt.Queue, perClient: opt.PerClient, clients: map[string]int{}},
		memory: store{most: opt.Memory}, arriving: store{most: int64(opt.Arriving)}, bodies: store{most: int64(opt.Bodies)},
		runs: map[runName]*run{},
	}
}

// Client is who asks.
type Client struct {
	Name  string // for limits and for the names of runs, such as an address
	calls caller // asks the client to run functions of its own; nil: it cannot
}

// runName is the name of a run: clients do not share names.
type runName struct{ client, id string }

// run is a request under way.
type run struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when reply is there
	reply  reply
}

// reply is the result or the error of a request.
type reply struct {
	result any
	err    *Error
}

// errTaken says that a name is in use.
var errTaken = errors.New("expected an id that no request under way has")

// do answers one request. The id names the run until it has ended; an empty one names nothing. Cancelling ctx ends the run with the best that it has.
func (s *Service) do(ctx context.Context, from *Client, id string, o *Operation, params []byte, progress func(any)) reply {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{cancel: cancel, done: make(chan struct{})}
	name := runName{from.Name, id}
	if id != "" {
		s.mutex.Lock()
		_, taken := s.runs[name]
		if !taken {
			s.runs[name] = r
		}
		s.mutex.Unlock()
		if taken {
			return reply{err: wrong("id", "%s, found %q", errTaken, id)}
		}
	}
	began := time.Now()
	r.reply = s.answer(ctx, from, o, params, progress)
	if id != "" {
		s.mutex.Lock()
		delete(s.runs, name)
		s.mutex.Unlock()
	}
	close(r.done)
	s.logged(from, id, o, len(params), time.Since(began), r.reply.err)
	return r.reply
}

// logged logs a request.
func (s *Service) logged(from *Client, id string, o *Operation, bytes int, elapsed time.Duration, err *Error) {
	attributes := []any{"client", from.Name, "id", id, "operation", o.Name, "bytes", bytes, "elapsed", elapsed}
	if err == nil {
		s.log.Info("answered", attributes...)
		return
	}
	s.log.Info("refused", append(attributes, "code", string(err.Code), "message", err.Message)...)
}

// cancel ends a run and returns its reply, with the best that it had; false: there is no run of that name.
func (s *Service) cancel(from *Client, id string) (reply, bool) {
	s.mutex.Lock()
	r := s.runs[runName{from.Name, id}]
	s.mutex.Unlock()
	if r == nil {
		return reply{}, false
	}
	r.cancel()
	<-r.done
	return r.reply, true
}

// answer waits for a place, reads the request and runs it. A panic is an error of this request alone.
func (s *Service) answer(ctx context.Context, from *Client, o *Operation, params []byte, progress func(any)) (r reply) {
	if !o.Light {
		if err := s.gate.enter(ctx, from.Name); err != nil {
			return reply{err: errorOf(err)}
		}
		defer s.gate.leave(from.Name)
	}
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Error("panic", "operation", o.Name, "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
			r = reply{err: fail(Failure, "a bug of allot: %v", fault)}
		}
	}()
	asked, err := o.read(params, s.files)
	if err != nil {
		return reply{err: errorOf(err)}
	}
	if from.calls != nil {
		ctx = withCaller(ctx, s, from.calls)
	}
	result, err := o.run(ctx, &call{request: asked, service: s, from: from, progress: progress})
	if err != nil {
		return reply{err: errorOf(err)}
	}
	return reply{result: result}
}

// contents opens a document. It decompresses it, and ends it where it is longer than the service takes.
func (c *call) contents(d *Document) (io.ReadCloser, error) {
	source, err := d.open()
	if err != nil {
		return nil, err
	}
	text, err := model.Decompressed(source, d.file)
	if err != nil {
		return nil, errors.Join(wrongAt(faultsIn(d.Path, err)), source.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{&bounded{text, c.service.limits.Text}, source}, nil
}

// bounded is a reader that fails where there is more than a number of bytes.
type bounded struct {
	io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(buffer []byte) (int, error) {
	n, err := b.Reader.Read(buffer)
	if b.left -= int64(n); b.left < 0 {
		return 0, model.ErrTooLarge
	}
	return n, err
}

// readDocument reads a document with a reader of package model.
func readDocument[T any](c *call, d *Document, read func(io.Reader, string) (*T, error)) (*T, error) {
	text, err := c.contents(d)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	value, err := read(text, d.file)
	switch {
	case errors.Is(err, model.ErrTooLarge):
		return nil, fail(TooLarge, "%s: %s", d.Path, err)
	case err != nil:
		return nil, wrongAt(faultsIn(d.Path, err))
	}
	return value, nil
}

// instance reads the instance of the request, with the objective that the settings name; empty: its own.
func (c *call) instance(d *Document, objective string) (*model.Instance, error) {
	in, err := readDocument(c, d, func(r io.Reader, name string) (*model.Instance, error) {
		return model.ReadInstanceWithin(r, name, c.service.limits.Instance)
	})
	if err != nil {
		return nil, err
	}
	return answers.WithObjective(in, objective)
}

// solution reads a solution of the request.
func (c *call) solution(d *Document) (*model.Solution, error) {
	return readDocument(c, d, model.ReadSolution)
}

// choose reads a solver by its name. Programs of the machine only run where the service allows it.
func (c *call) choose(path, name string) (solve.Choice, error) {
	if scheme := solve.Scheme(name); scheme != "" {
		if ours := scheme == "call" || scheme == "call-online"; ours && c.from.calls == nil {
			return solve.Choice{}, wrong(path, "expected a solver of the service, found %q: only a client on standard input has functions that the service can call", name)
		} else if !ours && !c.service.exec {
			return solve.Choice{}, wrong(path, "expected a solver that comes with allot, found %q: this service runs no commands for its clients (see allot serve --allow-exec)", name)
		}
	}
	choice, err := solve.Choose(name)
	if err != nil {
		return choice, wrong(path, "%s", err)
	}
	return choice, nil
}

// affordable says that a run asks for more time than the service gives; nil: it does not.
func (c *call) affordable(seconds float64) error {
	if most := c.service.limits.Time; most > 0 && seconds > most.Seconds() {
		return wrong("time", "expected at most %v seconds, found %v", most.Seconds(), seconds)
	}
	return nil
}

// mostSeconds is the longest time that a run can ask for: what is longer is as good as no limit.
const mostSeconds = 1e9

// within ends ctx after the time that the request asks for, in seconds, and in any case after the longest time of the service. Only the first is a deadline that
// solvers see: what they do depends on it, and the time limit of a service must not change a run that ends before.
func (c *call) within(ctx context.Context, seconds float64, counted bool) (context.Context, context.CancelFunc, error) {
	limits := &c.service.limits
	if err := c.affordable(seconds); err != nil {
		return nil, nil, err
	}
	asked := time.Duration(min(seconds, mostSeconds) * float64(time.Second))
	if asked == 0 && !counted {
		asked = limits.Usual
	}
	if asked > 0 {
		timed, cancel := context.WithTimeout(ctx, asked)
		return timed, cancel, nil
	}
	if limits.Time == 0 {
		timed, cancel := context.WithCancel(ctx)
		return timed, cancel, nil
	}
	timed, cancel := context.WithTimeout(ctx, limits.Time)
	return unseen{timed}, cancel, nil
}

// unseen is a context that ends at a deadline which nobody sees before.
type unseen struct{ context.Context }

// Deadline implements context.Context.
func (unseen) Deadline() (time.Time, bool) { return time.Time{}, false }
