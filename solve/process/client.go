package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// The words before the colon in the name of a solver and of an on-line policy that is a function of a client.
const (
	CallScheme       = "call"
	CallOnlineScheme = "call-online"
)

var (
	_ = solve.RegisterScheme(CallScheme, called)
	_ = solve.RegisterScheme(CallOnlineScheme, calledOnline)
)

// Client is somebody who has asked for a run and has functions of its own: solvers and on-line policies that live in its process.
type Client interface {
	// Call asks the client and returns its answer, a JSON value. When ctx ends, it tells the client so and returns soon, with the answer if it comes at once.
	Call(ctx context.Context, c Call) (json.RawMessage, error)
}

// Call is what a client is asked.
type Call struct {
	Method   string // solve; or open, decide and close of a policy
	Function string // its name
	Policy   int64  // number of the conversation, from open to close; 0: none
	Params   []byte // a JSON value
	// Improved takes a solution that comes before the answer; nil: none may come.
	Improved func(solution []byte) error
}

// clientKey is the key of the client in a context.
type clientKey struct{}

// WithClient returns a context whose runs can call functions of the client.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// clientOf is the client of a context.
func clientOf(ctx context.Context, name string) (Client, error) {
	if c, ok := ctx.Value(clientKey{}).(Client); ok {
		return c, nil
	}
	return nil, fmt.Errorf("%w: %s is a function of a client of allot serve --stdio, and here there is none", solve.ErrUnsupported, name)
}

// functionOf is the name of the function in the name of a solver.
func functionOf(name, scheme string) (string, error) {
	function := strings.TrimPrefix(name, scheme+":")
	if function == "" || len(function) > model.MaxName {
		return "", fmt.Errorf("expected %s: and the name of a function, found %q", scheme, name)
	}
	return function, nil
}

// called makes the Info of call:FUNCTION.
func called(name string) (solve.Info, error) {
	function, err := functionOf(name, CallScheme)
	if err != nil {
		return solve.Info{}, err
	}
	return solve.Info{
		Name:   name,
		Doc:    "A function of a client of allot serve: it gets the instance and returns a solution.",
		Source: "a function from outside: " + function,
		New:    func() solve.Solver { return &clientSolver{name, function} },
		Starts: true,
	}, nil
}

// clientSolver is a solver that asks a client.
type clientSolver struct{ name, function string }

// Supports implements [solve.Solver]: a file must be able to state the instance. The client itself refuses others when it is asked.
func (f *clientSolver) Supports(in *model.Instance) error {
	return solve.Unsupported(in, ^model.Commitments)
}

// AsStated implements [solve.AsStated].
func (f *clientSolver) AsStated() {}

// callParams is what a function is told.
type callParams struct {
	Instance    json.RawMessage `json:"instance"`
	Seed        uint64          `json:"seed"`
	Workers     int             `json:"workers"`
	Time        float64         `json:"time,omitempty"` // seconds; absent: no limit
	Evaluations int64           `json:"evaluations,omitempty"`
	Start       json.RawMessage `json:"start,omitempty"`
}

// Solve implements [solve.Solver].
func (f *clientSolver) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	client, err := clientOf(ctx, f.name)
	if err != nil {
		return solve.Result{}, err
	}
	found := &incumbents{in: in, limit: opt.MaxEvals, progress: opt.Progress, loose: true}
	if err := found.start(opt.Start); err != nil {
		return solve.Result{}, err
	}
	if ctx.Err() != nil {
		return found.result(model.StopReason(ctx)), nil
	}
	told := timeTold(ctx, len(in.Jobs()))
	params, err := f.params(in, opt, told)
	if err != nil {
		return solve.Result{}, err
	}
	found.sent = func() string { return "" } // the client states the SHA-256 of the instance's file, or none
	began, count := time.Now(), int64(0)
	take := func(text []byte) error {
		if opt.MaxEvals > 0 && count == opt.MaxEvals {
			return errEnough
		}
		count++
		return found.take(text, count)
	}
	answer, err := client.Call(ctx, Call{Method: "solve", Function: f.function, Params: params, Improved: take})
	if err == nil && !bytes.Equal(bytes.TrimSpace(answer), []byte("null")) && len(answer) > 0 {
		if answer[0] != '{' {
			err = fmt.Errorf("expected a solution (an object), found %q", clipped(answer))
		} else {
			err = take(answer)
		}
	}
	var refusal *refusalError
	result := found.result(model.StopDone)
	switch {
	case errors.As(err, &refusal):
		return solve.Result{}, fmt.Errorf("%w: %s", solve.ErrUnsupported, refusal.text)
	case errors.Is(err, errEnough):
		result.Stop = model.StopEvaluations
	case ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err()) || errors.Is(err, errCut)):
		result.Stop = model.StopReason(ctx)
	case err != nil:
		return solve.Result{}, err
	case told > 0 && time.Since(began) >= told:
		result.Stop = model.StopTime
	case result.Solution == nil:
		return solve.Result{}, errors.New("the function returned no solution")
	}
	return result, nil
}

// params are the parameters of the call.
func (f *clientSolver) params(in *model.Instance, opt solve.Options, told time.Duration) ([]byte, error) {
	var instance, start bytes.Buffer
	if err := model.WriteInstance(&instance, in); err != nil {
		return nil, err
	}
	if opt.Start != nil {
		if err := model.WriteSolution(&start, solve.Bare(opt.Start)); err != nil {
			return nil, err
		}
	}
	return json.Marshal(callParams{instance.Bytes(), opt.Seed, max(1, opt.Workers), told.Seconds(), opt.MaxEvals, start.Bytes()})
}

// calledOnline makes the Info of call-online:FUNCTION.
func calledOnline(name string) (solve.Info, error) {
	function, err := functionOf(name, CallOnlineScheme)
	if err != nil {
		return solve.Info{}, err
	}
	info := solve.Info{
		Name:   name,
		Doc:    "An on-line policy that is a function of a client of allot serve: it is told what happens and answers which jobs start.",
		Source: "a function from outside: " + function,
	}.OfPolicy(func() solve.Policy { return &onlineFunction{name: name, function: function} })
	info.Traces = false // told twice of the same, it may decide otherwise
	return info, nil
}

// onlineFunction is an on-line policy that a client decides. What it is told and answers is that of exec-online, see docs/exec-online.md.
type onlineFunction struct {
	Kill           bool `doc:"end a job at its estimate; it is then left out of the schedule"`
	name, function string
}

// Supports implements [solve.Policy].
func (p *onlineFunction) Supports(in *model.Instance) error {
	return solve.Unsupported(in, onlineFeatures)
}

// Discipline implements [solve.Policy].
func (p *onlineFunction) Discipline() sim.Discipline {
	return sim.Discipline{
		General:  func(platform *sim.Platform, _ uint64) sim.Policy { return newRemote(p.meet, newGeneral(platform)) },
		Requests: true, Stated: true,
	}
}

// Kills implements [solve.Policy].
func (p *onlineFunction) Kills() bool { return p.Kill }

// conversations counts the conversations with clients, so that each has a number of its own.
var conversations atomic.Int64

// meet begins a conversation.
func (p *onlineFunction) meet(ctx context.Context, _ sim.Options) (partner, error) {
	client, err := clientOf(ctx, p.name)
	if err != nil {
		return nil, err
	}
	return &callee{ctx: ctx, client: client, function: p.function, number: conversations.Add(1)}, nil
}

// callee is a policy of a client.
type callee struct {
	ctx      context.Context
	client   Client
	function string
	number   int64
	over     bool
}

// call asks the client and returns its answer.
func (c *callee) call(ctx context.Context, method string, message any) ([]byte, error) {
	var params bytes.Buffer
	encoder := json.NewEncoder(&params)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, err
	}
	answer, err := c.client.Call(ctx, Call{Method: method, Function: c.function, Policy: c.number, Params: params.Bytes()})
	if err != nil {
		return nil, err
	}
	if len(answer) > 0 && answer[0] == '{' {
		if why, refused := refusalOf(answer); refused {
			return nil, fmt.Errorf("%w: %s", solve.ErrUnsupported, why)
		}
	}
	return answer, nil
}

func (c *callee) greet(header any) error {
	_, err := c.call(c.ctx, "open", header)
	return err
}

func (c *callee) ask(message any) ([]byte, error) {
	answer, err := c.call(c.ctx, "decide", message)
	if err == nil && (len(answer) == 0 || bytes.Equal(answer, []byte("null"))) {
		answer = []byte("{}") // a function that returns nothing decides nothing
	}
	return answer, err
}

func (c *callee) farewell(message any) (string, error) {
	c.over = true
	_, err := c.call(c.ctx, "close", message)
	return "", err
}

// close tells the client that the conversation is over, where it was not told.
func (c *callee) close() string {
	if !c.over {
		c.over = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), lastRead)
		defer cancel()
		_, _ = c.call(ctx, "close", nil) // nobody needs the answer
	}
	return ""
}

// FunctionError says that a function of a client failed.
type FunctionError struct{ Text string }

// Error has the text of the client.
func (e *FunctionError) Error() string { return "the function failed: " + printableEnd(e.Text, 2000) }
