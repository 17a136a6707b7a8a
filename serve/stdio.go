package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/process"
)

// protocol names the protocol of the lines.
const protocol = "allot-service/1"

// session is the conversation with a client over lines.
type session struct {
	*Service
	client *Client
	out    struct {
		sync.Mutex
		w io.Writer
	}
	running sync.WaitGroup

	mutex sync.Mutex
	calls map[int64]*pending
	last  atomic.Int64 // number of the last call
}

// pending is a call that the client has not answered.
type pending struct {
	improved func([]byte) error
	answer   chan callAnswer
}

// callAnswer is what a client answers to a call.
type callAnswer struct {
	result json.RawMessage
	err    error
}

// greeting is the first line.
type greeting struct {
	Protocol string   `json:"protocol"`
	Version  string   `json:"version"`
	Methods  []string `json:"methods"`
}

// message is a line that the service writes about a request. One of Progress, Result and Error is set.
type message struct {
	ID       json.RawMessage `json:"id"`
	Progress any             `json:"progress,omitempty"`
	Result   any             `json:"result,omitempty"`
	Error    *Error          `json:"error,omitempty"`
}

// inquiry is a line by which the service calls a function of the client, or tells it that the answer is no longer wanted.
type inquiry struct {
	Call     int64           `json:"call"`
	Method   string          `json:"method,omitempty"`
	Function string          `json:"function,omitempty"`
	Policy   int64           `json:"policy,omitempty"`
	Params   json.RawMessage `json:"params,omitempty"`
	Cancel   bool            `json:"cancel,omitempty"`
}

// caller is a client that can be called.
type caller = process.Client

// ServeLines answers the requests on lines of r, until r or ctx ends. Then it cancels what runs, writes the answers, and returns when nothing runs any more.
func (s *Service) ServeLines(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &session{Service: s, client: &Client{Name: "stdio"}, calls: map[int64]*pending{}}
	c.client.calls, c.out.w = c, w
	hello := greeting{Protocol: protocol, Version: solve.Version()}
	for _, o := range table {
		hello.Methods = append(hello.Methods, o.Name)
	}
	if err := c.write(hello); err != nil {
		return err
	}
	lines := make(chan []byte)
	ended := make(chan error, 1)
	go func() { ended <- c.read(ctx, r, lines) }() // where ctx ends first, this goroutine waits for the end of r
	err := error(nil)
	for reading := true; reading; {
		select {
		case text := <-lines:
			c.take(ctx, text)
		case err = <-ended:
			reading = false
		case <-ctx.Done():
			reading = false
		}
	}
	cancel()
	idle := make(chan struct{})
	go func() {
		c.running.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(patience): // a client that takes no answers does not keep the service
	}
	return err
}

// patience is how long the service waits in the end for a client to take the answers.
const patience = 5 * time.Second

// read hands lines over until r ends.
func (c *session) read(ctx context.Context, r io.Reader, lines chan<- []byte) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		text, err := c.line(in)
		if len(bytes.TrimSpace(text)) > 0 {
			select {
			case lines <- text:
			case <-ctx.Done():
				return nil
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// line reads a line. What is longer than a request may be, it skips, and tells the client.
func (c *session) line(in *bufio.Reader) (text []byte, err error) {
	long := false
	for {
		piece, err := in.ReadSlice('\n')
		switch {
		case long:
		case int64(len(text)+len(piece)) > c.limits.Body:
			long, text = true, nil
			c.refuse(nil, fail(TooLarge, "expected lines of at most %d bytes, found a longer one", c.limits.Body))
		default:
			text = append(text, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}

// write writes a line.
func (c *session) write(value any) error {
	text, err := line(value)
	if err != nil {
		return err
	}
	c.out.Lock()
	defer c.out.Unlock()
	_, err = c.out.w.Write(text)
	return err
}

// refuse writes an error. Without an id it is about a line that names no request.
func (c *session) refuse(id json.RawMessage, e *Error) {
	_ = c.write(message{ID: id, Error: e}) // if the client is gone, nobody needs the answer
}

// take does what a line asks for.
func (c *session) take(ctx context.Context, text []byte) {
	members, err := split(text)
	if err != nil {
		c.refuse(nil, errorOf(err))
		return
	}
	given := map[string]jsontext.Value{}
	for _, m := range members {
		switch m.name {
		case "id", "method", "params", "progress", "cancel", "call", "result", "solution", "error", "unsupported":
		default:
			c.refuse(idOf(given["id"]), wrong(m.name, "unknown field; expected id, method, params and progress, or cancel, or call with result, solution, error or unsupported"))
			return
		}
		if _, twice := given[m.name]; twice {
			c.refuse(nil, wrong(m.name, "expected the field once, found it again"))
			return
		}
		given[m.name] = m.raw
	}
	switch {
	case given["call"] != nil:
		if len(given) > 2 {
			c.refuse(nil, wrong("call", "expected it with one of result, solution, error and unsupported, found more"))
			return
		}
		c.answered(given)
	case given["cancel"] != nil:
		id := idOf(given["cancel"])
		if id == nil || len(given) > 1 {
			c.refuse(idOf(given["id"]), wrong("cancel", "expected the id of a request and nothing else"))
			return
		}
		c.cancel(c.client, nameOf(id)) // what is not there has ended already
	default:
		c.begin(ctx, given, len(text))
	}
}

// nameOf is the name of a run by its id: texts that are written differently are the same.
func nameOf(id json.RawMessage) string {
	name := jsontext.Value(id).Clone()
	if name.Kind() == '"' {
		_ = name.Canonicalize() // it is a valid text
	}
	return string(name)
}

// idOf is the id of a request, or nil if it is none: a number or a short text.
func idOf(raw jsontext.Value) json.RawMessage {
	if kind := raw.Kind(); len(raw) == 0 || len(raw) > mostID || kind != '"' && kind != '0' {
		return nil
	}
	return json.RawMessage(raw)
}

// begin begins a request.
func (c *session) begin(ctx context.Context, given map[string]jsontext.Value, bytes int) {
	id := idOf(given["id"])
	if id == nil {
		c.refuse(nil, wrong("id", "expected a number or a text of at most %d bytes", mostID))
		return
	}
	name, err := jsontext.AppendUnquote(nil, given["method"])
	o, known := Named(string(name))
	if err != nil || !known {
		c.refuse(id, wrong("method", "expected one of the methods that the first line lists, found %.100s", given["method"]))
		return
	}
	for _, m := range []string{"result", "solution", "error", "unsupported"} {
		if given[m] != nil {
			c.refuse(id, wrong(m, "expected it with call, which answers the service"))
			return
		}
	}
	if kind := given["progress"].Kind(); len(given["progress"]) > 0 && kind != 't' && kind != 'f' {
		c.refuse(id, wrong("progress", "expected true or false, found %.100s", given["progress"]))
		return
	}
	begun, refused := c.enrol(ctx, c.client, nameOf(id))
	if refused != nil {
		c.refuse(nil, refused) // not with the id, which is that of another request
		return
	}
	if !c.arriving.take(c.client.Name, int64(bytes)) {
		c.drop(begun)
		c.refuse(id, fail(busy, "as many bytes as there may be are being worked on"))
		return
	}
	told := make(chan any, 1)
	c.running.Go(func() {
		var telling sync.WaitGroup
		telling.Go(func() { // a run never waits for its client
			for p := range told {
				_ = c.write(message{ID: id, Progress: p})
			}
		})
		var progress func(any)
		if given["progress"].Kind() == 't' {
			progress = func(p any) { // from one goroutine at a time
				select {
				case <-told:
				default:
				}
				told <- p
			}
		}
		r := c.do(begun, o, given["params"], progress)
		c.arriving.give(c.client.Name, int64(bytes))
		close(told)
		telling.Wait()
		if r.err != nil {
			c.refuse(id, r.err)
			return
		}
		if err := c.write(message{ID: id, Result: r.result}); err != nil {
			c.refuse(id, fail(failure, "the result cannot be written: %s", err))
		}
	})
}

// Call implements [process.Client]: it asks the client and waits for the answer. Meanwhile the run lends its place to others.
func (c *session) Call(ctx context.Context, asked process.Call) (json.RawMessage, error) {
	number := c.last.Add(1)
	p := &pending{improved: asked.Improved, answer: make(chan callAnswer, 1)}
	c.mutex.Lock()
	c.calls[number] = p
	c.mutex.Unlock()
	defer func() {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		delete(c.calls, number)
	}()
	defer c.gate.lend()()
	if err := c.write(inquiry{Call: number, Method: asked.Method, Function: asked.Function, Policy: asked.Policy, Params: asked.Params}); err != nil {
		return nil, err
	}
	select {
	case a := <-p.answer:
		return a.result, a.err
	case <-ctx.Done():
	}
	_ = c.write(inquiry{Call: number, Cancel: true})
	select {
	case a := <-p.answer:
		return a.result, a.err
	case <-afterGrace():
		return nil, ctx.Err()
	}
}

// answered takes the answer to a call, or a solution on the way to it.
func (c *session) answered(given map[string]jsontext.Value) {
	number, err := strconv.ParseInt(string(given["call"]), 10, 64)
	if err != nil {
		c.refuse(nil, wrong("call", "expected the number of a call, found %.40s", given["call"]))
		return
	}
	c.mutex.Lock()
	p := c.calls[number]
	c.mutex.Unlock()
	if p == nil {
		return // it was cancelled
	}
	answer := callAnswer{result: json.RawMessage(given["result"])}
	switch {
	case given["solution"] != nil && p.improved != nil:
		err := p.improved(given["solution"])
		if err == nil {
			return
		}
		answer = callAnswer{err: err}
	case given["solution"] != nil:
		answer.err = errors.New("expected a result, found a solution")
	case given["error"] != nil:
		text, _ := jsontext.AppendUnquote(nil, given["error"])
		answer.err = &process.FunctionError{Text: string(text)}
	case given["unsupported"] != nil:
		answer.result = append(append([]byte(`{"unsupported":`), given["unsupported"]...), '}')
	}
	select {
	case p.answer <- answer:
	default: // answered twice
	}
}
