package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/allot-opt/allot/solve"
)

// conversation is a program that gets a line of JSON and answers with one, again and again.
type conversation struct {
	child   *process
	limit   time.Duration // longest time to an answer
	answers *documents
	watch   *time.Timer // ends the conversation when the limit passes
	unwatch func() bool // stops watching the context
	over    chan struct{}
	line    bytes.Buffer

	mutex sync.Mutex
	ended bool  // child must not be killed any more
	cause error // why we ended the conversation
}

// errSilent says that the time limit of an answer passed.
var errSilent = errors.New("no answer within the time limit")

// answerBytes limits an answer. The start of a job takes about 60 bytes.
const answerBytes = 16 << 20

// converse starts the program. The conversation ends when ctx ends; close must be called in any case.
func converse(ctx context.Context, words, environment []string, limit time.Duration) (*conversation, error) {
	c := &conversation{limit: limit, over: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux kills the program when the thread that started it ends, so this thread must outlive the program.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		child, err := startProcess(words, environment, nil)
		c.child = child
		started <- err
		if err == nil {
			c.outlive()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	c.answers = &documents{r: bufio.NewReaderSize(c.child.stdout, 1<<16), limit: answerBytes}
	c.watch = time.AfterFunc(limit, func() { c.abort(errSilent) })
	c.watch.Stop()
	c.unwatch = context.AfterFunc(ctx, func() { c.abort(context.Cause(ctx)) })
	return c, nil
}

// outlive returns when the conversation is over. If the program ends before that, its children are killed, and so nobody but a child that has left
// the group can hold its standard output open; that one is not waited for.
func (c *conversation) outlive() {
	select {
	case <-c.over:
		return
	case <-c.child.exited:
	}
	c.kill()
	if !await(draining, c.over, nil) {
		_ = c.child.stdout.Close()
		<-c.over
	}
}

// kill kills what is left of the program, unless the conversation is over.
func (c *conversation) kill() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.ended {
		c.child.kill()
	}
}

// abort ends the conversation from another goroutine: whoever waits for the program does so no longer.
func (c *conversation) abort(cause error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.ended || c.cause != nil {
		return
	}
	c.cause = cause
	c.child.kill()
	_, _ = c.child.stdin.Close(), c.child.stdout.Close()
}

// aborted is why the conversation was ended from another goroutine; nil: it was not.
func (c *conversation) aborted() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.cause
}

// write writes a line. What goes wrong with it shows when the answer is read.
func (c *conversation) write(message any) error {
	c.line.Reset()
	encoder := json.NewEncoder(&c.line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return err
	}
	_, _ = c.child.stdin.Write(c.line.Bytes())
	return nil
}

// greet writes the header. The limit runs until the first answer: the program may read nothing.
func (c *conversation) greet(header any) error {
	c.watch.Reset(c.limit)
	return c.write(header)
}

// ask writes a line and returns the answer, which is valid until the next call.
func (c *conversation) ask(message any) ([]byte, error) {
	if err := c.early(); err != nil {
		return nil, err
	}
	c.watch.Reset(c.limit)
	defer c.watch.Stop()
	if err := c.write(message); err != nil {
		return nil, err
	}
	text, err := c.answers.next()
	if err != nil {
		return nil, c.broken(err)
	}
	if why, refused := refusalOf(text); refused {
		return nil, fmt.Errorf("%w: %s", solve.ErrUnsupported, why)
	}
	return text, nil
}

// early returns an error if the program has answered before it was asked.
func (c *conversation) early() error {
	waiting, _ := c.answers.r.Peek(c.answers.r.Buffered()) // these bytes are buffered, so Peek cannot fail
	if waiting = bytes.TrimLeft(waiting, " \t\r\n"); len(waiting) == 0 {
		return nil
	}
	return fmt.Errorf("expected one answer to each event, found more: %q", clipped(waiting))
}

// clipped is the beginning of a text from outside, for a message.
func clipped(text []byte) string {
	const most = 200
	line := printableEnd(string(text[:min(len(text), most)]), most)
	if len(text) > most {
		line += "…"
	}
	return strings.TrimSpace(line)
}

// broken says why no answer could be read.
func (c *conversation) broken(err error) error {
	switch cause := c.aborted(); {
	case errors.Is(cause, errSilent):
		return fmt.Errorf("expected an answer within %v, found none", c.limit)
	case cause != nil:
		return cause
	case !errors.Is(err, io.EOF) && !errors.Is(err, errCut):
		return err
	}
	where := "before it answered"
	if len(c.answers.text) > 0 {
		where = "in the middle of its answer"
	}
	c.child.alone = await(lingering, c.child.exited, nil)
	switch {
	case !c.child.alone:
		return fmt.Errorf("the program closed its standard output %s", where)
	case c.child.failed() != "":
		return fmt.Errorf("the program failed %s: %s", where, c.child.failed())
	}
	return fmt.Errorf("the program ended %s", where)
}

// farewell writes the last line and waits until the program ends, no longer than for an answer. A program that answers the last line is in error: it
// must have been out of step. The warning says that the program failed after the last line, or did not end.
func (c *conversation) farewell(message any) (warning string, err error) {
	if err := c.early(); err != nil {
		return "", err
	}
	c.watch.Reset(c.limit)
	defer c.watch.Stop()
	if err := c.write(message); err != nil {
		return "", err
	}
	_ = c.child.stdin.Close()
	text, err := c.answers.next()
	if err == nil {
		return "", fmt.Errorf("expected no answer to the last line, found %q", clipped(text))
	}
	if c.aborted() == nil && !errors.Is(err, io.EOF) && !errors.Is(err, errCut) {
		return "", fmt.Errorf("expected no answer to the last line: %w", err)
	}
	<-c.child.exited // by itself, or killed because a limit has passed
	switch cause := c.aborted(); {
	case errors.Is(cause, errSilent):
		return fmt.Sprintf("the program did not end within %v after the last line", c.limit), nil
	case cause != nil:
		return "", cause
	}
	if c.child.alone = true; c.child.failed() != "" {
		return "the program failed after the last line: " + c.child.failed(), nil
	}
	return "", nil
}

// close makes sure that nothing of the program is left and returns the end of its standard error, to be appended to a message.
func (c *conversation) close() string {
	c.watch.Stop()
	c.unwatch()
	c.mutex.Lock()
	c.ended = true
	hurried := c.cause != nil && !errors.Is(c.cause, errSilent)
	c.mutex.Unlock()
	close(c.over)
	c.child.end(hurried)
	return c.child.lastWords()
}
