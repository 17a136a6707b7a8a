package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// Options say what a service allows.
type Options struct {
	Limits
	AllowExec  bool   // clients may name solvers exec:COMMAND and exec-online:COMMAND
	AllowFiles bool   // clients may name files in place of documents
	Log        Logger // nil: nobody
}

// Logger is told of the requests, with names and values in turn: a slog.Logger.
type Logger interface {
	Info(message string, attributes ...any)
	Error(message string, attributes ...any)
}

// deaf is a Logger that nobody reads.
type deaf struct{}

func (deaf) Info(string, ...any)  {}
func (deaf) Error(string, ...any) {}

// Service answers requests of clients. It is safe for use by several goroutines.
type Service struct {
	limits   Limits
	exec     bool
	files    bool
	log      Logger
	gate     gate
	memory   store // estimated, of the runs
	arriving share // bytes of the bodies that arrive, wait for a place or are worked on
	bodies   store // number of bodies that arrive

	mutex sync.Mutex
	runs  map[runName]*run
}

// New makes a service.
func New(opt Options) *Service {
	if opt.Log == nil {
		opt.Log = deaf{}
	}
	return &Service{
		limits: opt.Limits, exec: opt.AllowExec, files: opt.AllowFiles, log: opt.Log,
		gate:   gate{places: opt.Runs, free: opt.Runs, most: opt.Queue, perClient: opt.PerClient, clients: map[string]int{}},
		memory: store{most: opt.Memory}, arriving: share{store: store{most: int64(opt.Arriving)}, each: int64(opt.Share), of: map[string]int64{}}, bodies: store{most: int64(opt.Bodies)},
		runs: map[runName]*run{},
	}
}

// Client is who asks.
type Client struct {
	Name  string // for limits and for the names of runs, such as an address
	calls caller // asks the client to run functions of its own; nil: it cannot
}

// mostID is the longest name of a run.
const mostID = 200

// runName is the name of a run: clients do not share names.
type runName struct{ client, id string }

// run is a request under way.
type run struct {
	ctx    context.Context //nolint:containedctx // a run is what ends with it
	cancel context.CancelFunc
	from   *Client
	name   runName
	done   chan struct{} // closed when reply is there
	reply  reply
}

// reply is the result or the error of a request.
type reply struct {
	result any
	err    *Error
}

// enrol begins a run, which the id names until it has ended; an empty one names nothing. The run ends with ctx. Whoever enrols a run calls do.
func (s *Service) enrol(ctx context.Context, from *Client, id string) (*run, *Error) {
	r := &run{from: from, name: runName{from.Name, id}, done: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	if id == "" {
		return r, nil
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if taken := s.taken(r.name); taken != nil {
		r.cancel()
		return nil, taken
	}
	s.runs[r.name] = r
	return r, nil
}

// named says that a client has a run of the name already; nil: it has none.
func (s *Service) named(from *Client, id string) *Error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.taken(runName{from.Name, id})
}

// taken says that there is a run of the name.
func (s *Service) taken(name runName) *Error {
	if _, taken := s.runs[name]; taken {
		return wrong("id", "expected an id that no request under way has, found %q", name.id)
	}
	return nil
}

// drop forgets a run that was enrolled and is not begun.
func (s *Service) drop(r *run) {
	r.cancel()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.runs, r.name)
	close(r.done)
}

// do answers a request.
func (s *Service) do(r *run, o *Operation, params []byte, progress func(any)) reply {
	defer r.cancel()
	began := time.Now()
	r.reply = s.answer(r.ctx, r.from, o, params, progress)
	if r.name.id != "" {
		s.mutex.Lock()
		delete(s.runs, r.name)
		s.mutex.Unlock()
	}
	close(r.done)
	s.logged(r, o, len(params), time.Since(began))
	return r.reply
}

// logged logs a request.
func (s *Service) logged(r *run, o *Operation, bytes int, elapsed time.Duration) {
	attributes := []any{"client", r.name.client, "id", r.name.id, "operation", o.Name, "bytes", bytes, "elapsed", elapsed}
	if err := r.reply.err; err != nil {
		s.log.Info("refused", append(attributes, "code", string(err.Code), "message", err.Message)...)
		return
	}
	s.log.Info("answered", attributes...)
}

// cancel ends a run, whose reply then has the best that it has; nil: there is no run of that name.
func (s *Service) cancel(from *Client, id string) *run {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	r := s.runs[runName{from.Name, id}]
	if r != nil {
		r.cancel()
	}
	return r
}

// answer waits for a place, reads the request and runs it. A panic is an error of this request alone.
func (s *Service) answer(ctx context.Context, from *Client, o *Operation, params []byte, progress func(any)) (r reply) {
	if !o.Light {
		if err := s.gate.enter(ctx); err != nil {
			return reply{err: errorOf(err)}
		}
		defer s.gate.leave()
	}
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Error("panic", "operation", o.Name, "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
			r = reply{err: fail(Failure, "a bug of allot: %v", fault)}
		}
	}()
	if from.calls != nil {
		ctx = withCaller(ctx, s, from.calls)
	}
	reading := ctx
	if s.limits.Time > 0 {
		var cancel context.CancelFunc
		reading, cancel = context.WithTimeout(ctx, s.limits.Time)
		defer cancel()
	}
	c := &call{service: s, from: from, progress: progress}
	c.budget = budget.New(reading, s.limits.Documents, c.hold)
	defer func() { s.memory.give(c.held) }()
	var err error
	if c.request, err = o.read(params, s.files, c.budget); err != nil {
		return reply{err: errorOf(err)}
	}
	result, err := o.run(ctx, c)
	if err != nil {
		return reply{err: errorOf(err)}
	}
	return reply{result: result}
}

// contents opens a document and decompresses it.
func (c *call) contents(d *Document) (io.ReadCloser, error) {
	if err := c.budget.File(); err != nil {
		return nil, c.unreadable(d, err)
	}
	source, err := d.open()
	if err != nil {
		return nil, err
	}
	text, err := model.Decompressed(source, d.file)
	if err != nil {
		return nil, errors.Join(wrongAt(faultsIn(d.Path, err)), source.Close())
	}
	return c.budget.Closing(text, source), nil
}

// hold takes memory for what the documents make, until the request is answered.
func (c *call) hold(bytes int64) error {
	most := c.service.limits.Memory
	switch {
	case c.held+bytes > most:
		return fail(TooLarge, "the documents are estimated to take more than %d MB of memory", most>>20)
	case !c.service.memory.take(bytes):
		return fail(Busy, "the documents are estimated to take more memory than other requests leave of %d MB now", most>>20)
	}
	c.held += bytes
	return nil
}

// readDocument reads a document with a reader of package model.
func readDocument[T any](c *call, d *Document, read func(io.Reader, string) (*T, error)) (*T, error) {
	text, err := c.contents(d)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	value, err := read(text, d.file)
	if err != nil {
		return nil, c.unreadable(d, err)
	}
	return value, nil
}

// unreadable is the error of a document that could not be read.
func (c *call) unreadable(d *Document, err error) error {
	if c.budget.Err() != nil && !budget.Stopped(err) { // where a reader has put it into other words
		err = c.budget.Err()
	}
	stopped := errorOf(err)
	if budget.Stopped(err) && stopped.Code == TooLarge && len(stopped.Faults) == 0 { // its place is known here
		at := wrongAt(faultsIn(d.Path, err))
		at.Code = TooLarge
		return at
	} else if budget.Stopped(err) {
		return stopped
	}
	return wrongAt(faultsIn(d.Path, err))
}

// instance reads an instance of the request for an operation with a number of workers that runs the solvers, with the objective that the settings name; empty: its own.
func (c *call) instance(d *Document, objective string, workers int, solvers ...solve.Choice) (*model.Instance, error) {
	in, err := readDocument(c, d, model.ReadInstance)
	if err != nil {
		return nil, err
	}
	if err := c.admit(in, workers, solvers...); err != nil {
		return nil, err
	}
	return answers.WithObjective(in, objective)
}

// solution reads a solution of the request.
func (c *call) solution(d *Document) (*model.Solution, error) {
	return readDocument(c, d, model.ReadSolution)
}

// named are the policies that the request names; where it names none, the usual ones.
func (c *call) named(policies, usual []string) (names []string, choices []solve.Choice, err error) {
	if names = policies; len(names) == 0 {
		names = usual
	}
	for _, name := range names {
		if _, err := c.choose("policies", name); err != nil {
			return nil, nil, err
		}
	}
	choices, err = answers.Policies(names)
	return names, choices, err
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
func (c *call) affordable(seconds question.Seconds) error {
	if most := c.service.limits.Time; most > 0 && float64(seconds) > most.Seconds() {
		return wrong("time", "expected at most %v seconds, found %v", most.Seconds(), seconds)
	}
	return nil
}

// within ends ctx after the time that the request asks for, in seconds, and in any case after the longest time of the service. Only the first is a deadline that
// solvers see: what they do depends on it, and the time limit of a service must not change a run that ends before.
func (c *call) within(ctx context.Context, seconds question.Seconds, counted bool) (context.Context, context.CancelFunc, error) {
	limits := &c.service.limits
	if err := c.affordable(seconds); err != nil {
		return nil, nil, err
	}
	asked := seconds.Duration()
	if asked == 0 && !counted {
		asked = limits.Usual
	}
	if asked > 0 {
		timed, cancel := context.WithTimeout(ctx, asked)
		return kit.YieldAgain(timed), cancel, nil
	}
	if limits.Time == 0 {
		timed, cancel := context.WithCancel(ctx)
		return kit.YieldAgain(timed), cancel, nil
	}
	timed, cancel := context.WithTimeout(ctx, limits.Time)
	return unseen{kit.YieldAgain(timed)}, cancel, nil
}

// unseen is a context that ends at a deadline which nobody sees before.
type unseen struct{ context.Context }

// Deadline implements context.Context.
func (unseen) Deadline() (time.Time, bool) { return time.Time{}, false }
